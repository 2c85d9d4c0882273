/* Demo: creases. The figures of Patkar, Jin and Fedkiw 2015, sections 3 to 8, and folds that are not in the paper. */
#include "section_crease.h"

#include "cli/files.h"
#include "generated/patterns.h"
#include "show.h"

static const show page_show = {.moments = {18, 32, 44, 66},
                               .eye = {0.23, 0.46, 0.76},
                               .target = {-0.085, 0.03, 0.01},
                               .crease_angle = 30,
                               .strip_height = 380,
                               .colour_count = 2,
                               .colours = {SHOW_RED, SHOW_PAPER}};

static const show arc_show = {.moments = {8, 18, 28, 47},
                              .eye = {0.05, 0.27, 0.37},
                              .target = {-0.004, 0.01, 0},
                              .crease_angle = 30,
                              .strip_height = 380,
                              .colour_count = 1,
                              .colours = {SHOW_BLUE}};

static const show plane_show = {.moments = {16, 42, 82, 96},
                                .eye = {1.02, 0.52, -0.7},
                                .target = {0, 0.015, -0.26},
                                .follows = 1,
                                .crease_angle = 30,
                                .strip_height = 760,
                                .columns = 2,
                                .colour_count = 2,
                                .colours = {SHOW_STONE, SHOW_RED}};

static const show miura_show = {.moments = {8, 26, 40, 71},
                                .eye = {0.77, 1.05, 1.43},
                                .target = {0, 0, 0.02},
                                .crease_angle = 30,
                                .strip_height = 360,
                                .colour_count = 1,
                                .colours = {SHOW_YELLOW}};

/* The example pattern as a file, then the scene that takes its creases from it. */
static int make_miura(demo *d) {
    int code = write_text_file(d->s, demo_path(d, "miura.fold"), pattern_miura, sizeof pattern_miura - 1);
    return code ? code : show_make(d);
}

/* Two curves as a file, as a designer would draw them, then the commands. */
static int make_cross(demo *d) {
    static const char curves[] =
        "{\"curves\": [{\"points\": [[-0.5, 0, 0.06], [0.5, 0, -0.1]]}, "
        "{\"points\": [[0.08, 0, -0.5], [-0.05, 0, 0.5]]}]}\n";
    int code = write_text_file(d->s, demo_path(d, "cross-curves.json"), curves, sizeof curves - 1);
    return code ? code : demo_commands(d, d->item->commands);
}

static const show pleats_show = {.moments = {0, 12, 30, 71},
                                 .eye = {1.2, 0.35, 2.2},
                                 .target = {0, -0.24, 0},
                                 .crease_angle = 30,
                                 .strip_height = 420,
                                 .colour_count = 1,
                                 .colours = {SHOW_BLUE}};

static const show wrinkled_show = {.moments = {8, 24, 40, 58},
                                   .eye = {0.71, 0.62, 1.4},
                                   .target = {0, -0.2, 0},
                                   .crease_angle = 30,
                                   .strip_height = 420,
                                   .colour_count = 2,
                                   .colours = {SHOW_STONE, SHOW_BLUE}};

static const show spin_show = {.moments = {0, 24, 36, 48},
                               .eye = {0.8, 0.6, 1.5},
                               .target = {0, -0.2, 0},
                               .crease_angle = 30,
                               .strip_height = 420,
                               .colour_count = 2,
                               .colours = {SHOW_STONE, SHOW_RED}};

static const show jump_show = {.moments = {0, 20, 34, 43},
                               .eye = {1.7, 1.25, 3.6},
                               .target = {0, 1.0, 0},
                               .ground = 1,
                               .crease_angle = 30,
                               .strip_height = 620,
                               .colour_count = 2,
                               .colours = {SHOW_STONE, SHOW_BLUE}};

static const demo_item items[] = {
    {SHOW_TEMPLATE("page", "", &page_show), .title = "A creased page",
     .caption =
         "Figure 2 of the paper: the corner is folded down, then the page is turned. 2,240 triangles, 2,261 with "
         "the crease (the paper: 2,323). The fold has yielded and stays.",
     .view = 1, .contact = "page.run"},
    {.name = "hang",
     .title = "Sharper than the mesh",
     .caption =
         "Figure 9: four cloths hang by two corners. Without a crease the first bends in a wide arc, as its edges run "
         "across the diagonal. The mesh of the second was made for the fold, with edges along the diagonal, a quarter "
         "as long. The others are the first mesh with a crease, and with one that resists.",
     .commands = "ruga new hang -o hang.json\n"
                 "ruga run hang.json\n"
                 "ruga run hang.json -o hang-remeshed.run --set 'objects=[{\"name\": \"remeshed\", "
                 "\"mesh\": \"hang-remeshed.obj\", \"material\": \"even\", "
                 "\"body\": {\"kind\": \"cloth\", \"integrator\": \"implicit\", \"drag\": 0.3, \"pins\": ["
                 "{\"kind\": \"path\", \"vertices\": \"16\", "
                 "\"keys\": [{\"time\": 0}, {\"time\": 0.5, \"move\": [0.004, 0, 0.004]}]}, "
                 "{\"kind\": \"path\", \"vertices\": \"272\", "
                 "\"keys\": [{\"time\": 0}, {\"time\": 0.5, \"move\": [-0.004, 0, -0.004]}]}]}}]'",
     .contact = "hang.run",
     .files = {"hang.png"},
     .make = demo_make_hang},
    {.name = "cross",
     .title = "Creases that cross",
     .caption =
         "Figure 8: two curves, drawn across the triangles, and the sheet folded along both. Vertices at the "
         "crossing have four copies. Two straight creases can't both stay sharp where they cross without stretching, "
         "so the sheet bends there.",
     .commands =
         "ruga make sheet --columns 24 --rows 24 --triangulation 2 -o cross-sheet.obj\n"
         "ruga crease cross-sheet.obj cross-curves.json --angle 60 --azimuth 120 --elevation 58 --preview cross.png"
         " -o cross.obj",
     .files = {"cross.png"},
     .make = make_cross},
    {SHOW_TEMPLATE("arc", "", &arc_show), .title = "A curved crease",
     .caption =
         "Paper that is folded along an arc bends on both sides of it. It would lock with a single fold angle for "
         "the whole crease, which is all that the paper's equations leave.",
     .half = 1},
    {SHOW_TEMPLATE("plane", "", &plane_show), .title = "A paper plane meets a wall",
     .caption =
         "Figure 7: a sheet folds itself into a plane and flies into a wall; the camera moves with the wall. 8,000 "
         "triangles, 8,710 with the creases (the paper: 8,716). Its nose slides up along the wall without a dent, "
         "and its creases keep their angles.",
     .is_long = 1, .contact = "plane.run"},
    {SHOW_TEMPLATE("pleats", "", &pleats_show), .title = "A knife-pleated skirt",
     .caption =
         "Section 8 of the paper: a flat sector of an annulus, creased along radii, begins folded, is closed by a "
         "seam and hangs by its waist. The patterns of the paper's figures 1 and 5 have 16,380 and 31,608 "
         "triangles; this one is coarser.",
     .is_long = 1, .contact = "pleats.run"},
    {SHOW_TEMPLATE("spin", "", &spin_show), .title = "A skirt on a stand that turns",
     .caption =
         "Figure 1: the stand turns faster and faster, the knife pleats open, and the skirt rises. Here 2,000 "
         "triangles, 2,800 with the creases of 20 pleats; by rings 39, sectors 150, count 30 and depth 0.012 the "
         "pattern has 11,700 and 16,380, those of the paper.",
     .is_long = 1, .contact = "spin.run"},
    {SHOW_TEMPLATE("jump",
                   " --set 'objects[skirt].mesh.rings=36' --set 'objects[skirt].mesh.sectors=300'"
                   " --set 'objects[skirt].hooks[0].pattern.count=35'"
                   " --set 'objects[skirt].hooks[0].pattern.depth=0.0045'",
                   &jump_show),
     .title = "A box-pleated skirt jumps",
     .caption =
         "Figure 5: a mannequin with a skirt of box pleats jumps and lands. 21,600 triangles become 31,608 with the "
         "creases of 35 pleats, as in the paper. The scene itself has 7,152 and 10,560, with 18 pleats.",
     .is_long = 1, .contact = "jump.run"},
    {.name = "pleats-wrinkled",
     .title = "Pleats with wrinkles",
     .caption =
         "A pleated skirt that carries a wrinkle mesh: creases and wrinkles are stacked. The cloth is 3 mm thick in "
         "contact. Wrinkles are up to 0.6 mm high and fade towards the creases, where layers come closer to each "
         "other.",
     .commands = "ruga new spin -o spin.json\n"
                 "ruga run spin.json --frames 60 -o pleats-wrinkled.run --set 'objects[skirt].hooks[0].fade=0.02'"
                 " --set 'objects[skirt].contact.thickness=0.003' --set 'objects[skirt].body.thickness=0.003'"
                 " --set 'objects[skirt].details=[{\"kind\": \"wrinkle\", \"subdivide\": 6, \"wavelength\": 0.03, "
                 "\"radius\": {\"attribute\": \"off_creases\", \"from\": 0, \"to\": 0.2}, "
                 "\"surface\": \"linear\", \"pre_stretch\": 1.03}]'",
     .is_long = 1,
     .contact = "pleats-wrinkled.run",
     .files = {"pleats-wrinkled.png"},
     .data = &wrinkled_show,
     .make = show_make},
    {.name = "drift",
     .title = "Why both stabilisations",
     .caption =
         "Figure 6: the gap between the sides of two crossing creases with the paper's own joints. With "
         "post-stabilisation alone the gap drifts; pre-stabilisation keeps it at rounding. Springs and impulses on "
         "one pair after another leave gaps.",
     .files = {"drift.png", "drift.svg"},
     .make = demo_make_drift},
    {.name = "miura",
     .title = "A Miura fold, from a FOLD file",
     .commands = "ruga new miura -o miura.json\n"
                 "ruga run miura.json --set objects[sheet].hooks[0].pattern=null "
                 "--set objects[sheet].hooks[0].curves=miura.fold",
     .files = {"miura.mp4", "miura.png"},
     .data = &miura_show,
     .make = make_miura,
     .caption =
         "A sheet with the pattern of a Miura fold, read from a FOLD file, folds up from flat in both directions at "
         "once. Its triangles are irregular and do not follow the pattern; four creases meet in every vertex of the "
         "pattern."},
};

const demo_section demo_crease = {
    "crease",
    "Creases",
    "Sharp folds along drawn curves that need not follow the mesh: it is cut by virtual nodes, and the pieces are "
    "joined so that they can only fold.",
    items,
    sizeof items / sizeof items[0],
    0};
