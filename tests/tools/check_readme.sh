#!/bin/bash
# The README's commands run one after the other, and its program compiles and runs. check_readme.sh BUILD
set -euo pipefail
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PATH=$build:$PATH

# block LANGUAGE: the lines of the README's blocks in that language.
block() { awk -v open="\`\`\`$1" '$0 == open { on = 1; next } $0 == "```" { on = 0 } on' "$root/README.md"; }

# Pictures and meshes are small here: their quality takes time, and other tests look at it.
block sh | sed -e 's/^ruga render/& --width 240 --height 160 --samples 1/' -e 's/^ruga make bust/& --cells 60/' \
    -e 's/^ruga make sheet/& --columns 10 --rows 10/' -e '/^ruga shell/s/--subdivide [0-9]*/--subdivide 1/' >commands.sh
[ "$(grep -c '^ruga ' commands.sh)" -ge 5 ] || { echo "the README shows too few commands" && exit 1; }
bash -euxo pipefail commands.sh
for file in $(grep -oE '[a-z]+\.(obj|ply|glb|png)' commands.sh | sort -u); do
    [ -s "$file" ] || { echo "the README's commands did not make $file" && exit 1; }
done

block c >program.c
cmake --install "$build" --prefix "$work/prefix" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find prefix -name ruga.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
cc -std=c17 -Wall -Wextra -Werror program.c -o program $(pkg-config --cflags --libs ruga-static)
./program
