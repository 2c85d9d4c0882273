/* Demo: tools on top of each other, made by the command lines on the page. */
#include "demo.h"

#define PANELS " --side-by-side --azimuth 25 --elevation 8 --width 1800"

/* Twice as fine as the template, so that creases are straight. */
#define CANOPY \
    "ruga run canopy.json --frames 56 --set 'objects[cloth].mesh.columns=80' --set 'objects[cloth].mesh.rows=72'"

static const demo_item items[] = {
    {.is_long = 1,
     .name = "stack_canopy",
     .title = "Sculpted, creased, wrinkled",
     .caption =
         "One cloth. A gathered edge is sculpted into its rest mesh, two creases are pressed into the moving cloth, "
         "and a wrinkle mesh of nine times as many triangles shows the fine folds of its shear.",
     .commands =
         "ruga new canopy -o canopy.json\n" CANOPY
         " --set 'objects[cloth].hooks=[]' --set 'objects[cloth].details=[]' -o sculpted.run\n" CANOPY
         " --set 'objects[cloth].details=[]' -o creased.run\n" CANOPY
         " --set 'objects[cloth].details[0].subdivide=3' -o wrinkled.run\n"
         "ruga render sculpted.run creased.run wrinkled.run --frame 55 --columns 3 --caption 'sculpted rest mesh'"
         " --caption '+ creases' --caption '+ wrinkle mesh'" PANELS " --height 640 -o stack_canopy.png",
     .files = {"stack_canopy.png"}},
    {.is_long = 1,
     .name = "stack_pair",
     .title = "Splines against a wrinkle mesh",
     .caption =
         "The same curtain of 475 masses, bit-identical below. Splines add waves where cells are shorter than at rest, "
         "here half as high as the missing length allows; the wrinkle mesh keeps the length of its edges, and its "
         "folds run through. Both show 11,011 vertices.",
     .commands = "ruga new gather -o gather.json\n"
                 "ruga run gather.json --set 'objects[curtain].details=[]' -o bare.run\n"
                 "ruga run gather.json --set 'objects[curtain].details=[{\"kind\": \"spline\", \"columns\": 121,"
                 " \"rows\": 91, \"frequency\": 4, \"amplitude\": 0.5}]' -o splined.run\n"
                 "ruga run gather.json -o meshed.run\n"
                 "ruga render bare.run splined.run meshed.run --frame 60 --columns 3 --caption 'the cloth'"
                 " --caption 'splines' --caption 'wrinkle mesh'" PANELS " --height 700 -o stack_pair.png",
     .files = {"stack_pair.png"}},
    {.is_long = 1,
     .name = "stack_block",
     .title = "Creased flesh in a skin",
     .caption = "A block of flesh is compressed. A crease is cut into its top and pushed inwards; the stiff, thin skin "
                "wrinkles and acts on the flesh.",
     .commands = "ruga new block -o block.json\n"
                 "ruga run block.json --set 'objects[block].details=[]' -o bare_block.run\n"
                 "ruga run block.json -o block.run\n"
                 "ruga render bare_block.run block.run --frame 12 --side-by-side --columns 2 --caption 'creased flesh'"
                 " --caption '+ embedded shell' --ground --azimuth 30 --elevation 35 --width 1400 --height 560"
                 " -o stack_block.png",
     .files = {"stack_block.png"}},
};

const demo_section demo_stacks = {"stacks",
                                  "Tools on top of each other",
                                  "The five tools share one core, so they stack: edits of the rest mesh, parts inside "
                                  "the body that moves, details on top of it.",
                                  items,
                                  sizeof items / sizeof items[0],
                                  0};
