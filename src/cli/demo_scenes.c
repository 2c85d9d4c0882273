/* Demo: scenes. Each item is made by the command lines that the page shows. */
#include "demo.h"

static const char flutter_lines[] =
    "ruga new flutter -o flutter.json\n"
    "ruga run flutter.json --frames 48 --set 'objects[flag].mesh.columns=120' --set 'objects[flag].mesh.rows=80'\n"
    "ruga render flutter.run --azimuth 20 --elevation 10" DEMO_FILM " -o flutter.mp4";

static const char shake_lines[] =
    "ruga new shake -o shake.json\n"
    "ruga run shake.json --frames 48 --set 'objects[pillow].mesh.columns=60' --set 'objects[pillow].mesh.rows=40'"
    " --set 'objects[pillow].details[0].frequency=2.5'\n"
    "ruga render shake.run --azimuth 35 --elevation 25" DEMO_FILM " -o shake.mp4";

static const char press_lines[] =
    "ruga new press -o press.json\n"
    "ruga run press.json --set 'objects[ball].mesh.frequency=48' --set 'colliders[1]={\"kind\": \"capsule\","
    " \"from\": [-0.5, 0.02, 0.3], \"to\": [0.5, 0.02, -0.3], \"radius\": 0.1}'\n"
    "ruga render press.run --eye 1.4,0.8,1.1 --target 0,0.32,0" DEMO_FILM " -o press.mp4";

#define LAYERS "ruga run layers.json --set 'objects[cushion].edits=[]' --set 'objects[table].mesh.radius=0.45'"
#define SUBDIVIDE "{\"kind\": \"subdivide\", \"method\": \"loop\"}"
#define DISPLACE "{\"kind\": \"displace\", \"amount\": 0.03}"
#define JIGGLE "{\"kind\": \"jiggle\", \"frequency\": 3, \"air\": 6}"

static const char layers_lines[] =
    "ruga new stack -o layers.json\n" LAYERS " --set 'objects[cushion].details=[]' -o body.run\n" LAYERS
    " --set 'objects[cushion].details=[" SUBDIVIDE "]' -o finer.run\n" LAYERS
    " --set 'objects[cushion].details=[" SUBDIVIDE ", " DISPLACE "]' -o thicker.run\n" LAYERS
    " --set 'objects[cushion].details=[" SUBDIVIDE ", " DISPLACE ", " JIGGLE
    "]'"
    " --set wind.gust=1 --set wind.gust_size=0.2 -o swinging.run\n"
    "ruga render body.run finer.run thicker.run swinging.run --side-by-side --columns 4 --wireframe --wire-width 1"
    " --frame 20 --zoom 1.7 --caption body --caption '+ subdivide' --caption '+ displace' --caption '+ jiggle'"
    " --width 1800 --height 450 -o layers.png";

static const char animate_lines[] =
    "ruga new animate -o animate.json\n"
    "ruga run animate.json --frames 48 --set 'objects[hero].details[0].weight=1'\n"
    "ruga render animate.run --azimuth 25 --elevation 15" DEMO_FILM " -o animate.mp4";

static const char stats_lines[] =
    "ruga new stack -o measured.json\n"
    "ruga run measured.json\n"
    "ruga stats measured.run -o measured";

static int make_flutter(demo *d) { return demo_commands(d, flutter_lines); }
static int make_shake(demo *d) { return demo_commands(d, shake_lines); }
static int make_press(demo *d) { return demo_commands(d, press_lines); }
static int make_layers(demo *d) { return demo_commands(d, layers_lines); }
static int make_animate(demo *d) { return demo_commands(d, animate_lines); }
static int make_stats(demo *d) { return demo_commands(d, stats_lines); }

static const demo_item items[] = {
    {.name = "flutter",
     .title = "A flag in gusty wind",
     .caption = "Springs on top of a sheet, painted from the pole to the free end, blown at by noise that the wind "
                "carries along.",
     .commands = flutter_lines,
     .files = {"flutter.mp4"},
     .wide = 1,
     .make = make_flutter},
    {.name = "shake",
     .title = "A pillow, shaken",
     .caption = "Keyframes move it as a whole; every vertex lags behind and swings out.",
     .commands = shake_lines,
     .files = {"shake.mp4"},
     .make = make_shake},
    {.name = "press",
     .title = "A ball, pressed onto a bar",
     .caption = "Its points stay outside of the floor and of the bar on it, and go no further than they have to.",
     .commands = press_lines,
     .files = {"press.mp4"},
     .make = make_press},
    {.name = "layers",
     .title = "Details, one on the other",
     .caption = "A cushion that is turned and kept off what lies below; then each detail takes what the one before it "
                "gives.",
     .commands = layers_lines,
     .files = {"layers.png"},
     .wide = 1,
     .make = make_layers},
    {.name = "animate",
     .title = "Details on an animation",
     .caption = "What was animated elsewhere, or moves by keyframes as here, gets life of its own on top.",
     .commands = animate_lines,
     .files = {"animate.mp4"},
     .make = make_animate},
    {.name = "stats",
     .title = "What a run measured",
     .caption =
         "The energy of what swings in the layers above; likewise time per stage, contacts and more: as a table, "
         "as CSV, and as plots in PNG and SVG.",
     .commands = stats_lines,
     .files = {"measured/energy.png"},
     .make = make_stats},
};

const demo_section demo_scenes = {"scenes", "Scenes",
                                  "One file says what there is and what happens to it. Each of these is a scene that "
                                  "'ruga new' writes, with a value or two changed on the command line.",
                                  items, sizeof items / sizeof items[0]};
