#!/bin/bash
# The set-up script does nothing when everything is installed; names missing things where it can't install
# them; and knows its groups.
set -euo pipefail
setup=$(cd "$(dirname "$0")/../.." && pwd)/tools/setup.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
complain() {
    echo "$*"
    exit 1
}

# All there: silent, and no package manager is asked to install.
mkdir "$work/first"
printf '#!/bin/sh\necho "apt-get $*" >>"%s/asked"\nexit 1\n' "$work" >"$work/first/apt-get"
chmod +x "$work/first/apt-get"
said=$(PATH=$work/first:$PATH "$setup" build test 2>&1) || complain "the build's own needs are missing: $said"
[ -z "$said" ] || complain "had nothing to do, but said: $said"
[ ! -e "$work/asked" ] || complain "had nothing to do, but called $(cat "$work/asked")"

# A machine without dpkg, compiler and tools: each is named, exit 1.
mkdir "$work/bin"
for command in sh awk sort cut cat rm mktemp id dirname; do ln -s "$(command -v $command)" "$work/bin/"; done
code=0
said=$(PATH=$work/bin "$setup" build 2>&1) || code=$?
[ "$code" -eq 1 ] || complain "ended with $code on a bare machine"
for thing in "CMake" "Ninja" "C17 compiler" "Embree" "libpng"; do
    [[ $said == *"$thing"* ]] || complain "did not name $thing: $said"
done

# The same machine with tools that no package manager installed succeeds.
for command in cmake ninja cc; do ln -s "$(command -v $command)" "$work/bin/"; done
ln -s "$(command -v as)" "$work/bin/as"
PATH=$work/bin "$setup" build || complain "did not find tools that no package manager knows"

# An optional thing that is missing is named, but is no failure.
said=$(PATH=$work/bin "$setup" demo 2>&1) || complain "failed for want of something optional"
[[ $said == *ffmpeg* ]] || complain "did not name ffmpeg: $said"

code=0
"$setup" biuld 2>/dev/null || code=$?
[ "$code" -eq 2 ] || complain "took a misspelt group"
