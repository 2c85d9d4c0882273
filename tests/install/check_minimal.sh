#!/bin/bash
# The minimal build needs nothing but a C compiler and libm: it makes, converts and says clearly that it has no pictures.
# check_minimal.sh FOLDER
set -euo pipefail
folder=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
cmake -S "$root" -B "$folder" -G Ninja -DRUGA_MINIMAL=ON -DRUGA_WERROR=ON --log-level=WARNING >/dev/null
cmake --build "$folder" -j2 -- --quiet
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for binary in "$folder/ruga" "$folder/libruga.so"; do
    foreign=$(readelf -d "$binary" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|ld-linux.*)\.so' || true)
    [ -z "$foreign" ] || { echo "$binary needs $foreign" && exit 1; }
done

"$folder/ruga" make sheet -o sheet.obj
"$folder/ruga" convert sheet.obj sheet.ply
"$folder/ruga" info sheet.ply
[ -s sheet.ply ] || { echo "nothing was converted" && exit 1; }

# No pictures: exit 1 and one line that says so.
code=0
"$folder/ruga" render sheet.obj -o sheet.png 2>message || code=$?
cat message
[ "$code" -eq 1 ] || { echo "render ended with $code, not 1" && exit 1; }
[ "$(wc -l <message)" -eq 1 ] || { echo "render did not answer in one line" && exit 1; }
grep -q '^ruga: error: .*pictures.*RUGA_MINIMAL' message || { echo "render did not say what is missing" && exit 1; }
[ ! -e sheet.png ] || { echo "a picture was left behind" && exit 1; }
