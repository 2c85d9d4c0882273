#!/bin/bash
# The minimal build needs nothing but a C compiler and libm: it makes, converts and reports that it has no pictures.
# check_minimal.sh COMMAND LIBRARY    with a command and a library that are built already
# check_minimal.sh --build FOLDER     builds them with RUGA_MINIMAL in that folder first
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# Embree and libpng are out of sight, and decoders are not looked for.
configure() {
    cmake -S "$root" -B "$1" -G Ninja -DRUGA_MINIMAL=ON -DRUGA_WERROR=ON -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON \
        -DCMAKE_DISABLE_FIND_PACKAGE_embree=ON --log-level=WARNING >/dev/null
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$1" = --build ]; then
    configure "$2"
    cmake --build "$2" -j2 -- --quiet
    folder=$(cd "$2" && pwd)
    ruga=$folder/ruga
    libruga=$folder/libruga.so
else
    ruga=$1
    libruga=$2
    configure "$work/build"
    if grep -qE 'embree|libpng|draco|libmeshoptimizer' "$work/build/build.ninja"; then
        echo "a minimal build names Embree, libpng, Draco or meshoptimizer" && exit 1
    fi
fi
cd "$work"

for binary in "$ruga" "$libruga"; do
    foreign=$(readelf -d "$binary" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|ld-linux.*)\.so' || true)
    [ -z "$foreign" ] || { echo "$binary needs $foreign" && exit 1; }
done

"$ruga" make sheet -o sheet.obj
"$ruga" convert sheet.obj sheet.ply
"$ruga" info sheet.ply
[ -s sheet.ply ] || { echo "nothing was converted" && exit 1; }
"$ruga" make sheet --columns 6 --rows 6 -o small.obj
printf 'v -0.5 0 0.03\nv 0.5 0 -0.04\no fold\nl 1 2\n' >curve.obj
"$ruga" crease small.obj curve.obj -o folded.obj
[ -s folded.obj ] || { echo "nothing was folded" && exit 1; }

# Flesh: a bar that is held at one end sags.
"$ruga" --quiet make bar --length 0.3 --height 0.1 --depth 0.1 --cells 6 --cells-across 2 --solid 1 -o bar.msh
"$ruga" --quiet flesh bar.msh --pin-box-to -0.14,1,1 --frames 2 -o frame_####.obj
awk '$1 == "v" && $3 < low { low = $3 } END { exit !(low < -0.052) }' frame_0002.obj ||
    { echo "flesh that is held at one end did not sag" && exit 1; }

# No pictures: exit 1 and one line that says so.
code=0
"$ruga" render sheet.obj -o sheet.png 2>message || code=$?
cat message
[ "$code" -eq 1 ] || { echo "render ended with $code, not 1" && exit 1; }
[ "$(wc -l <message)" -eq 1 ] || { echo "render did not answer in one line" && exit 1; }
grep -q '^ruga: error: .*pictures.*RUGA_MINIMAL' message || { echo "render did not say what is missing" && exit 1; }
[ ! -e sheet.png ] || { echo "a picture was left behind" && exit 1; }

# A compressed file: one line that names the remedy.
code=0
"$ruga" info "$root/tests/fuzz/corpus/gltf/draco_sequential.glb" 2>message || code=$?
cat message
[ "$code" -eq 3 ] && [ "$(wc -l <message)" -eq 1 ] || { echo "info did not answer in one line" && exit 1; }
grep -q 'KHR_draco_mesh_compression.*libdraco-dev' message || { echo "info did not say what is missing" && exit 1; }
