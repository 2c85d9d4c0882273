#!/bin/bash
# Renders the pictures of the documentation: tools/docs-images.sh RUGA FOLDER
set -eu
ruga=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# All models by formula, in one picture; coarser than they come, so that the cells can be seen.
set --
while read -r model parameters; do
    # shellcheck disable=SC2086
    "$ruga" --quiet make "$model" $parameters -o "$model.obj"
    set -- "$@" "$model.obj" --caption "$model"
done <<END
sheet --columns 10 --rows 10
disc --rings 6
annulus --rings 4 --sectors 24
cylinder --sectors 24 --rings 12
sphere --frequency 6
torus --sectors 36 --sides 16
pillow --columns 14 --rows 14
bar --cells 12 --cells-across 3
slab --cells 10
capsule --length 0.3 --rings 4
funnel --sectors 36 --sides 48
skirt --columns 36 --rows 12
bust --cells 40
shoe --cells 60
mannequin --cells 60
arm --rings 30 --sectors 16
END
"$ruga" --quiet render "$@" --side-by-side --columns 6 --wireframe --elevation 32 --samples 16 --occlusion 8 --width 1000 --height 560 \
    -o "$folder/models.png"

# Those to draw wrinkles on.
"$ruga" --quiet make bust -o bust.ply
"$ruga" --quiet make shoe -o shoe.ply
"$ruga" --quiet render bust.ply shoe.ply --side-by-side --caption bust --caption shoe --azimuth 32 --elevation 12 --fov 20 \
    --samples 16 --occlusion 8 --width 900 --height 470 -o "$folder/sculptures.png"

# The three ways to a finer mesh.
"$ruga" --quiet make torus --sectors 12 --sides 8 -o coarse.obj
"$ruga" --quiet subdivide coarse.obj --n 3 -o regular.obj
"$ruga" --quiet subdivide coarse.obj --kind loop --n 2 -o loop.obj
"$ruga" --quiet subdivide coarse.obj --kind long-edges --length 0.15 -o long.obj
"$ruga" --quiet render coarse.obj regular.obj loop.obj long.obj --side-by-side --columns 4 --wireframe --shading flat \
    --caption "as it was" --caption "regular, n = 3" --caption "Loop, 2 rounds" --caption "no edge above 0.15 m" \
    --elevation 32 --samples 16 --occlusion 8 --width 900 --height 205 -o "$folder/subdivision.png"

# A number per vertex in colours, with its legend.
"$ruga" --quiet make pillow -o pillow.obj
"$ruga" --quiet render pillow.obj --attribute y --label "height (m)" --ground --samples 16 --occlusion 8 --width 800 --height 450 \
    -o "$folder/attribute.png"

# The intersections of a sheet with a torus.
"$ruga" --quiet make torus --sectors 72 --sides 24 -o ring.obj
"$ruga" --quiet make sheet -o sheet.obj
"$ruga" --quiet intersections ring.obj sheet.obj --elevation 35 --samples 16 --occlusion 8 --width 860 --height 330 \
    --picture "$folder/intersections.png" || [ $? -eq 4 ]

# A moment of a run, and what another one measured.
"$ruga" --quiet new flutter -o flutter.json
"$ruga" --quiet run flutter.json
"$ruga" --quiet render flutter.run --frame 34 --ground --azimuth 20 --elevation 10 --samples 16 --occlusion 8 --width 800 --height 400 \
    -o "$folder/scene.png"
"$ruga" --quiet new stack -o stack.json
"$ruga" --quiet run stack.json
"$ruga" --quiet stats stack.run -o stats
cp stats/energy.png "$folder/stats.png"

# Cloth of every kind that the command makes.
"$ruga" --quiet cloth flag --wave --frames 61
"$ruga" --quiet cloth curtain --frames 61
"$ruga" --quiet cloth tablecloth --frames 61
"$ruga" --quiet render flag.run curtain.run tablecloth.run --frame 60 --side-by-side --columns 3 --caption flag --caption curtain \
    --caption tablecloth --azimuth 25 --elevation 12 --zoom 1.5 --samples 16 --occlusion 8 --width 1080 --height 400 \
    -o "$folder/cloth.png"

# Hard scenes of contact: moments of each, and of a start that is untangled. The front of the funnel is not drawn.
hard="drape twist funnel ring rope box untangle"
# shellcheck disable=SC2086
"$ruga" --quiet demo $hard -o demo
cp demo/drape.png "$folder/contact.png"
for name in twist funnel ring rope box; do
    cp "demo/$name.png" "$folder/contact-$name.png"
done
cp demo/untangle.png "$folder/contact-untangled.png"

# A skirt, drawn with one round of Loop's subdivision.
"$ruga" --quiet new skirt -o skirt.json
"$ruga" --quiet run skirt.json --frames 56 \
    --set 'objects[skirt].details=[{"kind": "subdivide", "method": "loop", "n": 1}]'
"$ruga" --quiet render skirt.run --frame 42 --ground --azimuth 35 --elevation 5 --zoom 1.1 --colour '#dbcab6' --colour '#4d7c93' \
    --samples 16 --occlusion 8 --width 700 --height 700 -o "$folder/contact-skirt.png"

# A T-shirt, sewn.
"$ruga" --quiet demo discs tshirt -o demo
cp demo/discs.png "$folder/cloth-discs.png"
cp demo/tshirt.png "$folder/cloth-tshirt.png"

# The picture that a run draws when objects intersect before its first frame.
"$ruga" --quiet new drape -o drape.json
"$ruga" --quiet run drape.json --set objects[sheet].move=[0.04,0.65,0.03] --set contact.start=go_on --frames 1 -o start.run
cp start.run/start-intersections.png "$folder/contact-start.png"

# Wrinkle meshes.
"$ruga" --quiet demo wrinkle_curtain wrinkle_arm wrinkle_skirt wrinkle_surfaces wrinkle_paint wrinkle_direction wrinkle_wavelength -o demo
for name in curtain arm skirt surfaces paint direction wavelength; do
    cp demo/wrinkle_$name.png "$folder/wrinkle-$name.png"
done
cp demo/wrinkle_wavelength_plot.png "$folder/wrinkle-wavelength-plot.png"
cp demo/wrinkle_skirt-halves.png "$folder/hero.png"
"$ruga" --quiet new elbow -o elbow.json
free=(--frames 26 --set 'objects[arm].details[0].upright=false' --set 'objects[arm].details[0].squeeze=0')
"$ruga" --quiet run elbow.json "${free[@]}" -o apart.run
"$ruga" --quiet run elbow.json "${free[@]}" --set 'objects[arm].details[0].self_collision=true' -o collide.run
"$ruga" --quiet render apart.run collide.run --frame 25 --side-by-side --columns 2 --caption without --caption self_collision \
    --width 1100 --height 480 --samples 16 --eye 0.16,0.23,0.7 --target -0.015,0.018,-0.01 --fov 6.5 -o "$folder/wrinkle-collide.png"
"$ruga" --quiet make arm --blend 0.32 --action bend --bend-angle 75 -o arm.glb
gallery() {
    local look=$1
    shift
    "$ruga" --quiet wrinkle arm.glb "$@" --frame 24 -o "$look.obj"
}
# looks FILE FINISH COLOUR LOOK:CAPTION...: a row of them.
looks() {
    local file=$1 finish=$2 colour=$3 names=() options=()
    shift 3
    for look in "$@"; do
        names+=("${look%%:*}.obj")
        options+=(--caption "${look#*:}" --colour "$colour")
    done
    "$ruga" --quiet render "${names[@]}" "${options[@]}" --side-by-side --columns "$#" --finish "$finish" --width 1200 \
        --height 400 --samples 9 --eye 0.16,0.23,0.7 --target 0,0.045,-0.01 --fov 15 -o "$folder/wrinkle-$file.png"
}
gallery skin
gallery soft --strength 0.6 --wavelength 0.018 --subdivide 6
gallery fine --wavelength 0.01 --subdivide 9
gallery sleeve --pre-stretch 1.06 --radius '!none' --wavelength 0.03 --subdivide 7
gallery around --pre-stretch 1.05 --radius '!none' --wavelength 0.025 --subdivide 7 --direction-weight 1
gallery along --pre-stretch 1.05 --radius '!none' --wavelength 0.025 --subdivide 7 --direction 90 --direction-weight 1
gallery half --strength 0.5
gallery twice --strength 2
gallery even --pre-stretch 1.06 --radius '!none' --wavelength 0.02 --subdivide 7
gallery varied --pre-stretch 1.06 --radius '!none' --wavelength 0.02 --subdivide 7 --variation 1
gallery draft --draft
looks gallery skin '#d9a58a' skin:skin "soft:soft skin" "fine:fine skin"
looks gallery-cloth cloth '#6f86a8' "sleeve:loose sleeve" "around:gathered around" "along:pleated along"
looks strength skin '#d9a58a' "half:strength 0.5" "skin:strength 1" "twice:strength 2"
looks variation cloth '#6f86a8' "even:variation 0" "varied:variation 1"
looks draft skin '#d9a58a' draft:--draft "skin:the whole"
"$ruga" --quiet make arm --blend 0.32 --action bend --bend-angle 100 -o arm.glb
gallery inside --strength 2 --radius '!none' --squeeze 0 --upright false
gallery room --strength 2 --radius '!none' --upright false
gallery upright --strength 2 --radius '!none'
looks upright skin '#d9a58a' "inside:without both" room:squeeze "upright:squeeze and upright"
"$ruga" --quiet make mannequin --action walk -o walk.glb
"$ruga" --quiet wrinkle walk.glb -o walking.glb
"$ruga" --quiet render walk.glb walking.glb --frame 10 --side-by-side --columns 2 --caption "its own mesh" --caption "no option" \
    --finish skin --colour '#d9a58a' --azimuth 30 --width 1100 --height 760 --samples 9 -o "$folder/wrinkle-mannequin.png"

# Figures 8 and 9 on the mannequin's own skin and on a sleeve; a body with its own vertices.
"$ruga" --quiet wrinkle walk.glb --frame 10 -o skin-all.obj
"$ruga" --quiet wrinkle walk.glb --frame 10 --normal-only -o skin-normal.obj
"$ruga" --quiet render walk.glb skin-normal.obj skin-all.obj --frame 10 --side-by-side --columns 3 --caption "its own mesh" \
    --caption "along normals only" --caption "in all directions" --finish skin --colour '#d9a58a' --eye 0.9,1.1,1.5 \
    --target 0,0.86,0 --fov 12 --width 1280 --height 480 --samples 9 -o "$folder/wrinkle-skin.png"
"$ruga" --quiet make arm --blend 0.32 --action bend --bend-angle 75 -o arm.glb
sleeve=(--radius '!none' --wavelength 0.03 --subdivide 7)
gallery plain "${sleeve[@]}" --pre-stretch 1.06
gallery cleared "${sleeve[@]}" --pre-stretch '{"attribute": "elbow", "from": 1.06, "to": 0.92}'
gallery gathered "${sleeve[@]}" --pre-stretch '{"attribute": "elbow", "from": 0.95, "to": 1.08}'
looks sleeve cloth '#6f86a8' "plain:pre-stretch 1.06" "cleared:1.06, and 0.92 at the elbow" \
    "gathered:0.95, and 1.08 at the elbow"
"$ruga" --quiet make arm --blend 0.32 --action bend --bend-angle 100 -o folded.glb
"$ruga" --quiet wrinkle folded.glb --delta delta.glb -o fine.glb
"$ruga" --quiet render folded.glb delta.glb fine.glb --frame 24 --side-by-side --columns 3 --caption "the body" \
    --caption "its own vertices, moved" --caption "the fine mesh" --finish skin --colour '#d9a58a' --eye 0.16,0.23,0.7 \
    --target 0,0.045,-0.01 --fov 15 --width 1200 --height 400 --samples 9 -o "$folder/wrinkle-delta.png"

# An arm without options, and by the paper's; a tin with hard edges, and rounded off.
"$ruga" --quiet make arm --action bend -o bent.glb
"$ruga" --quiet wrinkle bent.glb --no-fit --frame 24 -o bare.obj
"$ruga" --quiet wrinkle bent.glb --frame 24 -o fitted.obj
"$ruga" --quiet render bent.glb bare.obj fitted.obj --frame 24 --side-by-side --columns 3 --caption "the body" \
    --caption=--no-fit --caption "chosen from the motion" --finish skin --colour '#d9a084' --azimuth 20 --elevation 25 \
    --width 1280 --height 480 --samples 9 -o "$folder/wrinkle-fit.png"
"$ruga" --quiet make cylinder --sectors 12 --rings 1 --height 0.3 --caps 1 -o tin.obj
cp tin.obj tin_0000.obj
cp tin.obj tin_0001.obj
for angle in 180 75; do
    "$ruga" --quiet wrinkle tin.obj --cache 'tin_####.obj' --subdivide 4 --crease-angle $angle --radius 1e-6 --frame 0 \
        -o "tin-$angle.obj"
done
"$ruga" --quiet render tin.obj tin-180.obj tin-75.obj --side-by-side --columns 3 --shading flat --caption "the base" \
    --caption "crease_angle 180" --caption "crease_angle 75, the default" --elevation 30 --width 1280 --height 420 \
    --samples 9 -o "$folder/wrinkle-hard-edges.png"

# Creases.
creases="page hang cross arc miura drift plane spin jump pleats-wrinkled"
# shellcheck disable=SC2086
"$ruga" --quiet demo $creases -o demo
for name in $creases; do
    cp "demo/$name.png" "$folder/crease-$name.png"
done

# Embedded shells.
shells="buttons miura pillow face regions spectral elements volume sweep"
# shellcheck disable=SC2046,SC2086
"$ruga" --quiet demo $(printf 'shell-%s ' $shells) -o demo
for name in $shells; do
    cp "demo/shell-$name.png" "$folder/shell-$name.png"
done
cp demo/shell-volume-plot.png "$folder/shell-volume-plot.png"
"$ruga" --quiet shell walk.glb --skin skin --wavelength 0.06 --subdivide 2 --smooth 1 --frame 10 -o skinned.obj
"$ruga" --quiet render walk.glb skinned.obj --frame 10 --side-by-side --columns 2 --caption "its own mesh" \
    --caption "a skin of 2 mm" --finish skin --colour '#d9a58a' --azimuth 30 --width 1100 --height 760 --samples 9 \
    -o "$folder/shell-character.png"

# Tools on top of each other.
"$ruga" --quiet demo stack_canopy stack_pair stack_block -o demo
for name in canopy pair block; do
    cp "demo/stack_$name.png" "$folder/stack-$name.png"
done

# Flesh and lattices.
"$ruga" --quiet demo flesh-fill flesh-blocks flesh-face-smile flesh-face-brows -o demo
for name in fill blocks face-smile face-brows; do
    cp "demo/flesh-$name.png" "$folder/flesh-$name.png"
done
"$ruga" --quiet new pillow -o pillow.json
"$ruga" --quiet run pillow.json
"$ruga" --quiet render pillow.run --frame 40 --eye 0.6,0.5,1.15 --target 0,0.13,0 --fov 27 --samples 9 \
    --width 960 --height 440 -o "$folder/lattice-pillow.png"

# Flags: in strong wind, and carried.
"$ruga" --quiet demo storm pole -o demo
cp demo/storm.png "$folder/cloth-storm.png"
cp demo/storm_waves.png "$folder/cloth-storm-waves.png"
cp demo/pole.png "$folder/cloth-pole.png"

# Sculpting.
sculpts="process family ends refine blend crossing curtain curtains forehead face skirt shoe"
# shellcheck disable=SC2046,SC2086
"$ruga" --quiet demo $(printf 'sculpt_%s ' $sculpts) -o demo
for name in $sculpts; do
    cp "demo/sculpt_$name.png" "$folder/sculpt-$name.png"
done

# A picture of each look for wrinkles, with no other value; and a closed stroke, whose points are dense.
"$ruga" --quiet make bust -o bust.ply
"$ruga" --quiet make mannequin --cells 120 -o mannequin.ply
"$ruga" --quiet make sheet --columns 40 --rows 40 -o cloth.ply
"$ruga" --quiet make skirt --columns 384 --rows 128 -o skirt.ply
echo '{"look": "forehead", "strokes": [{"mirror": "x",
    "curve": [[-0.027, 0.287, 0.12], [-0.028, 0.3, 0.115], [-0.028, 0.315, 0.11], [-0.026, 0.331, 0.1]]}]}' >forehead.json
echo '{"look": "crows-feet", "strokes": [{"mirror": "x",
    "curve": [[0.053, 0.277, 0.066], [0.0575, 0.2715, 0.0605], [0.0595, 0.2635, 0.0585], [0.0605, 0.256, 0.062],
              [0.057, 0.25, 0.069]]}]}' >crows-feet.json
echo '{"look": "curtain", "strokes": [{"curve": [[-0.45, 0, 0.45], [0.45, 0, 0.45]]}]}' >curtain.json
echo '{"look": "sleeve", "strokes": [
    {"mirror": "x", "curve": [[0.29, 1.27, 0.1], [0.345, 1.12, 0.1], [0.37, 1.05, 0.1]]}]}' >sleeve.json
echo '{"look": "shoe", "strokes": [{"curve": [[0, 0.08, 0.075], [-0.002, 0.065, 0.1], [-0.002, 0.055, 0.13]]}]}' >shoe.json
awk 'BEGIN {
    printf "{\"strokes\": [{\"stiffness\": 3, \"length\": 1.3, \"wrinkles\": 12, \"radius\": 0.35, \"tolerance\": 0.001,\n"
    printf "\"curve\": {\"closed\": true, \"points\": ["
    for (i = 0; i < 768; i++)
        printf "%s[%.6f, 0.5817, %.6f]", i ? "," : "", 0.415 * cos(i * 0.00818123086872342), 0.415 * sin(i * 0.00818123086872342)
    print "]}}]}"
}' >hem.json
look() { # name of the look, mesh, camera and finish
    "$ruga" --quiet sculpt "$2" "$1.json" -o "look-$1.ply"
    name=$1
    shift 2
    "$ruga" --quiet render "look-$name.ply" "$@" --samples 16 --occlusion 8 --width 480 --height 340 -o "$folder/sculpt-look-$name.png"
}
cloth="--colour #4d7c93 --finish cloth"
look forehead bust.ply --colour '#d9a084' --eye -0.2,0.345,0.75 --target -0.003,0.29,0.02 --fov 12
look crows-feet bust.ply --colour '#d9a084' --finish skin --eye -0.35,0.3,0.42 --target -0.04,0.266,0.04 --fov 12
# shellcheck disable=SC2086
look curtain cloth.ply $cloth --azimuth -10 --elevation 35
# shellcheck disable=SC2086
look sleeve mannequin.ply $cloth --eye -1.0,1.25,1.5 --target -0.33,1.13,0 --fov 14
look shoe shoe.ply --colour '#9e6e4f' --azimuth 40 --elevation 30 --zoom 1.6
"$ruga" --quiet sculpt skirt.ply hem.json -o hem.ply
# shellcheck disable=SC2086
"$ruga" --quiet render hem.ply $cloth --azimuth -90 --elevation 3 --samples 16 --occlusion 8 --width 900 --height 506 -o "$folder/sculpt-hem.png"

# Meshes of ten thousand triangles: a mannequin in clothes, and the face of the example file.
echo '{"look": "sleeve", "strokes": [
    {"name": "elbow", "mirror": "x", "curve": [[0.29, 1.27, 0.1], [0.345, 1.12, 0.1], [0.37, 1.05, 0.1]]},
    {"name": "knee", "mirror": "x", "seed": 3, "curve": [[0.12, 0.62, 0.2], [0.11, 0.5, 0.2], [0.1, 0.4, 0.2]]},
    {"name": "waist", "length": 1.1, "spread": 0.8, "curve": [[0, 0.98, 0.2], [0, 1.08, 0.2], [0, 1.18, 0.2]]}]}' >clothes.json
"$ruga" --quiet make mannequin -o small-mannequin.ply
"$ruga" --quiet sculpt small-mannequin.ply clothes.json -o clothes.ply
# shellcheck disable=SC2086
"$ruga" --quiet render small-mannequin.ply clothes.ply --side-by-side --columns 2 --caption "10,040 triangles" \
    --caption "five strokes, look sleeve" $cloth --azimuth -25 --samples 16 --occlusion 8 --width 900 --height 700 \
    -o "$folder/sculpt-mannequin.png"
"$ruga" --quiet make bust --cells 50 -o coarse-bust.ply
echo '{"strokes": [{"curve": [[0, 0.286, 0.125], [0, 0.3, 0.12], [0, 0.33, 0.105]]}]}' >plain.json
"$ruga" --quiet sculpt coarse-bust.ply plain.json -o plain.ply
"$ruga" --quiet sculpt coarse-bust.ply demo/face.json -o coarse-face.ply
"$ruga" --quiet render coarse-bust.ply plain.ply coarse-face.ply --side-by-side --columns 3 --caption "10,008 triangles" \
    --caption "one stroke, no option" --caption "face.json" --colour '#d9a084' --eye -0.2,0.3,0.62 --target 0,0.262,0.03 --fov 20 \
    --samples 16 --occlusion 8 --width 1200 --height 520 -o "$folder/sculpt-coarse.png"

# A flag of 10 x 10 masses, splines through them, and wrinkled ones.
flag="--columns 9 --rows 9 --wind 6,0,0 --gust 0.7 --gust-size 0.4 --gust-time 0.3 --drag 0.1 --lift 1 --preroll 24 --frames 21"
# shellcheck disable=SC2086
{
    "$ruga" --quiet cloth flag $flag --spline 0 -o springs.run
    "$ruga" --quiet cloth flag $flag --spline 50 --spline-amplitude 0 -o splines.run
    "$ruga" --quiet cloth flag $flag --spline 50 -o wrinkled.run
}
"$ruga" --quiet render springs.run splines.run wrinkled.run --frame 20 --side-by-side --columns 3 --wireframe --wire-width 0.8 \
    --caption "masses" --caption "cubic splines" --caption "wrinkled splines" --eye 2.1,1.5,3 --target 0.66,1.36,0 --fov 30 \
    --samples 16 --occlusion 8 --width 1080 --height 400 -o "$folder/splines.png"

# A moment of something that moves, read from an animated GLB.
"$ruga" --quiet demo ripple --draft -o demo
"$ruga" --quiet render demo/ripple.glb --time 0.5 --colour '#d9a084' --ground --elevation 32 --samples 16 --occlusion 8 \
    --width 800 --height 360 -o "$folder/ripple.png"
