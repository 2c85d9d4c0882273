/* Demo: scenes, made by the command lines on the page. */
#include "demo.h"

#define LAYERS "ruga run layers.json --set 'objects[cushion].edits=[]' --set 'objects[table].mesh.radius=0.45'"
#define SUBDIVIDE "{\"kind\": \"subdivide\", \"method\": \"loop\"}"
#define DISPLACE "{\"kind\": \"displace\", \"amount\": 0.03}"
#define JIGGLE "{\"kind\": \"jiggle\", \"frequency\": 3, \"air\": 6}"

static const demo_item items[] = {
    {.is_long = 1,
     .name = "flutter",
     .title = "A rubber flag",
     .caption =
         "This is not cloth: every vertex oscillates on its own spring, weaker from the pole to the free end, in a "
         "wind of moving noise. It stretches by 15 % on average.",
     .commands =
         "ruga new flutter -o flutter.json\n"
         "ruga run flutter.json --frames 96 --set 'objects[flag].mesh.columns=120' --set 'objects[flag].mesh.rows=80'\n"
         "ruga render flutter.run --azimuth 20 --elevation 10" DEMO_FILM " -o flutter.mp4",
     .files = {"flutter.mp4"}},
    {.is_long = 1,
     .name = "shake",
     .title = "A pillow, shaken",
     .caption = "Keyframes move it as a whole; every vertex lags behind and oscillates.",
     .commands =
         "ruga new shake -o shake.json\n"
         "ruga run shake.json --frames 96 --set 'objects[pillow].mesh.columns=60' --set 'objects[pillow].mesh.rows=40'"
         " --set 'objects[pillow].details[0].frequency=2.5'\n"
         "ruga render shake.run --azimuth 35 --elevation 25" DEMO_FILM " -o shake.mp4",
     .files = {"shake.mp4"},
     .half = 1},
    {.is_long = 1,
     .name = "press",
     .title = "A ball, pressed onto a bar",
     .caption = "Its vertices stay outside the floor and the bar, and move no further than necessary.",
     .commands = "ruga new press -o press.json\n"
                 "ruga run press.json --frames 96 --set 'objects[ball].mesh.frequency=48'"
                 " --set 'colliders[1]={\"kind\": \"capsule\","
                 " \"from\": [-0.5, 0.02, 0.3], \"to\": [0.5, 0.02, -0.3], \"radius\": 0.1}'\n"
                 "ruga render press.run --eye 1.4,0.8,1.1 --target 0,0.32,0" DEMO_FILM " -o press.mp4",
     .files = {"press.mp4"},
     .half = 1},
    {.name = "layers",
     .title = "Details on top of each other",
     .caption = "A cushion that turns above a table. Each detail works on the result of the one before it.",
     .commands =
         "ruga new stack -o layers.json\n" LAYERS " --set 'objects[cushion].details=[]' -o body.run\n" LAYERS
         " --set 'objects[cushion].details=[" SUBDIVIDE "]' -o finer.run\n" LAYERS
         " --set 'objects[cushion].details=[" SUBDIVIDE ", " DISPLACE "]' -o thicker.run\n" LAYERS
         " --set 'objects[cushion].details=[" SUBDIVIDE ", " DISPLACE ", " JIGGLE "]'"
         " --set wind.gust=1 --set wind.gust_size=0.2 -o swinging.run\n"
         "ruga render body.run finer.run thicker.run swinging.run --side-by-side --columns 4 --wireframe --wire-width 1"
         " --frame 20 --zoom 1.7 --caption body --caption '+ subdivide' --caption '+ displace' --caption '+ jiggle'"
         " --width 1800 --height 450 -o layers.png",
     .files = {"layers.png"}},
    {.is_long = 1,
     .name = "animate",
     .title = "Details on an animation",
     .caption = "An animation from another program, or keyframes as here, gets secondary motion.",
     .commands = "ruga new animate -o animate.json\n"
                 "ruga run animate.json --frames 96 --set 'objects[hero].details[0].weight=1'\n"
                 "ruga render animate.run --azimuth 25 --elevation 15" DEMO_FILM " -o animate.mp4",
     .files = {"animate.mp4"},
     .half = 1},
    {.name = "stats",
     .title = "Measures of a run",
     .caption =
         "The energy of the swinging layers above. Times of stages, contacts and more are measured as well: as a "
         "table, as CSV, and as plots in PNG and SVG.",
     .commands = "ruga new stack -o measured.json\n"
                 "ruga run measured.json\n"
                 "ruga stats measured.run -o measured",
     .files = {"measured/energy.png"},
     .plots = 1,
     .half = 1},
};

const demo_section demo_scenes = {"scenes",
                                  "Scenes",
                                  "One file describes the objects and their motion. Each of these is a scene that "
                                  "'ruga new' writes, with one or two values changed on the command line.",
                                  items,
                                  sizeof items / sizeof items[0],
                                  1};
