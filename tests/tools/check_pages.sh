#!/bin/bash
# The commands of the pages for new users run one after the other, each page in a folder of its own, and every file that
# they name is made. check_pages.sh BUILD
set -euo pipefail
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$build:$PATH PREFIX=$work/prefix
cmake --install "$build" --prefix "$PREFIX" >/dev/null

for page in artist designer engineer researcher; do
    mkdir "$work/$page"
    cd "$work/$page"
    awk '$0 == "```sh" { on = 1; next } $0 == "```" { on = 0 } on' "$root/docs/start-$page.md" >commands.sh
    [ "$(grep -c '^ruga ' commands.sh)" -ge 3 ] || { echo "start-$page.md shows too few commands" && exit 1; }
    bash -euxo pipefail commands.sh
    for file in $(grep -oE '[a-z]+\.(obj|glb|png|json|csv)' commands.sh | sort -u); do
        [ -s "$file" ] || { echo "start-$page.md: its commands did not make $file" && exit 1; }
    done
done
