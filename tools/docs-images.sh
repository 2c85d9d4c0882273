#!/bin/sh
# Renders the pictures of the documentation anew: tools/docs-images.sh RUGA FOLDER
set -eu
ruga=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# All models by formula, in one picture.
set --
for model in sheet disc annulus cylinder sphere torus pillow bar slab; do
    "$ruga" --quiet make $model -o $model.obj
    set -- "$@" $model.obj --caption $model
done
"$ruga" --quiet render "$@" --side-by-side --columns 5 --wireframe --width 1200 --height 560 -o "$folder/models.png"

# The three ways to a finer mesh.
"$ruga" --quiet make torus --sectors 12 --sides 8 -o coarse.obj
"$ruga" --quiet subdivide coarse.obj --n 3 -o regular.obj
"$ruga" --quiet subdivide coarse.obj --kind loop --n 2 -o loop.obj
"$ruga" --quiet subdivide coarse.obj --kind long-edges --length 0.15 -o long.obj
"$ruga" --quiet render coarse.obj regular.obj loop.obj long.obj --side-by-side --columns 4 --wireframe \
    --caption "as it was" --caption "regular, n = 3" --caption "Loop, 2 rounds" --caption "no edge above 0.15 m" \
    --width 1200 --height 340 -o "$folder/subdivision.png"

# A number per vertex in colours, with its legend.
"$ruga" --quiet make pillow -o pillow.obj
"$ruga" --quiet render pillow.obj --attribute y --label "height (m)" --ground --width 800 --height 450 \
    -o "$folder/attribute.png"
