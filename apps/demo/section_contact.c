/* Demo: contact. Runs are made by the command lines on the page. The numbers of intersections come from the measures of
 * the run itself. */
#include "show.h"

/* ---- The scenes. */

static const show drape_show = {.moments = {0, 10, 24, 63},
                                .eye = {1.02, 0.93, 1.79},
                                .target = {0.02, 0.36, 0},
                                .ground = 1,
                                .strip_height = 1000,
                                .columns = 2,
                                .colour_count = 2,
                                .colours = {SHOW_RED, SHOW_BLUE}};

static const show pile_show = {.moments = {0, 4, 8, 59},
                               .eye = {0.45, 0.42, 1.15},
                               .target = {0, 0.13, 0},
                               .ground = 1,
                               .strip_height = 380,
                               .colour_count = 5,
                               .colours = {SHOW_RED, SHOW_BLUE, SHOW_YELLOW, SHOW_GREEN, SHOW_VIOLET}};

static const show twist_show = {.moments = {12, 40, 84, 131},
                                .eye = {0.25, 1.05, 1.3},
                                .target = {0, 0.5, 0},
                                .strip_height = 320,
                                .colour_count = 3,
                                .colours = {SHOW_STONE, SHOW_STONE, SHOW_YELLOW}};

static const show funnel_show = {.moments = {12, 30, 46, 64},
                                 .eye = {0.45, 0.7, 1.6},
                                 .target = {0, 0.17, 0},
                                 .opened = 1,
                                 .strip_height = 420,
                                 .colour_count = 2,
                                 .colours = {SHOW_STONE, SHOW_BLUE}};

static const show ring_show = {.moments = {24, 36, 48, 70},
                               .eye = {0.5, 0.84, 0.88},
                               .target = {0, 0.43, 0},
                               .strip_height = 380,
                               .colour_count = 2,
                               .colours = {SHOW_STONE, SHOW_BLUE}};

static const show rope_show = {.moments = {18, 38, 58, 83},
                               .eye = {0.35, 0.6, 1.3},
                               .target = {0, 0.45, 0},
                               .strip_height = 320,
                               .colour_count = 4,
                               .colours = {SHOW_STONE, SHOW_STONE, SHOW_RED, SHOW_GREEN}};

static const show box_show = {.moments = {14, 32, 46, 71},
                              .eye = {0.16, 0.86, 1.26},
                              .target = {0, 0.09, 0},
                              .hidden = 4,
                              .strip_height = 360,
                              .colour_count = 6,
                              .colours = {SHOW_STONE, SHOW_STONE, SHOW_STONE, SHOW_STONE, SHOW_STONE, SHOW_YELLOW}};

static const show skirt_show = {.moments = {12, 26, 40, 54},
                                .eye = {2.9, 1.1, 2.45},
                                .target = {0, 0.86, 0},
                                .follows = 1,
                                .ground = 1,
                                .strip_height = 560,
                                .colour_count = 2,
                                .colours = {SHOW_STONE, SHOW_RED}};

static const show tshirt_show = {.moments = {0, 8, 20, 60},
                                 .eye = {2.45, 1.4, 2.9},
                                 .target = {0, 0.88, 0},
                                 .follows = 1,
                                 .ground = 1,
                                 .strip_height = 560,
                                 .colour_count = 2,
                                 .colours = {SHOW_STONE, SHOW_BLUE}};

static const show untangle_show = {.moments = {0, 3, 6, 15},
                                   .eye = {1.25, 1.1, 2.2},
                                   .target = {0.03, 0.5, 0},
                                   .ground = 1,
                                   .strip_height = 340,
                                   .colour_count = 2,
                                   .colours = {SHOW_RED, SHOW_BLUE}};

/* Options that draw an object with one round of Loop's subdivision. The simulated mesh is the same. */
#define SMOOTH(OBJECT) \
    " --set 'objects[" OBJECT "].details=[{\"kind\": \"subdivide\", \"method\": \"loop\", \"n\": 1}]'"

/* Felt, whose folds are wide enough for the triangles: those of cotton are as narrow as two edges, so that many hinges
 * bend by more than 30 degrees. */
#define FELT(OBJECT, BEND)                                                    \
    " --set 'materials=[{\"name\":\"felt\",\"like\":\"denim\",\"bend\":" BEND \
    "}]'"                                                                     \
    " --set 'objects[" OBJECT "].material=felt'"
#define FINER " --set 'objects[sheet].mesh.columns=90' --set 'objects[sheet].mesh.rows=90'"

static const demo_item items[] = {
    {SHOW_TEMPLATE("drape", " --frames 64" FINER FELT("sheet", "2e-4"), &drape_show), .title = "A sheet on a ball",
     .caption =
         "A sheet of felt falls and hangs around the ball; then the ball sinks, and the sheet folds over itself on "
         "the floor.",
     .is_long = 1, .contact = "drape.run"},
    {SHOW_TEMPLATE("pile", "", &pile_show), .title = "A pile of twenty sheets",
     .caption = "They fall onto each other; a push from the floor passes through twenty layers.", .is_long = 1,
     .contact = "pile.run"},
    {SHOW_TEMPLATE("twist", " --frames 132" SMOOTH("cloth"), &twist_show), .title = "A twisted cloth",
     .caption = "Both ends make two turns in opposite directions; the cloth between them becomes a rope of layers.",
     .is_long = 1, .view = 1, .contact = "twist.run"},
    {SHOW_TEMPLATE("funnel", " --frames 69" SMOOTH("cloth"), &funnel_show), .title = "A cloth, pulled through a funnel",
     .caption =
         "A disc of silk is pulled down by its middle and has to fold, as the tube is much narrower. The front of the "
         "funnel is not drawn.",
     .is_long = 1, .contact = "funnel.run"},
    {SHOW_TEMPLATE("ring", " --set 'objects[cloth].mesh.rings=32'" SMOOTH("cloth"), &ring_show),
     .title = "A cloth, pulled through a ring",
     .caption = "A disc of silk is pulled down by its middle, like a napkin, and folds in the ring.", .is_long = 1,
     .contact = "ring.run"},
    {SHOW_TEMPLATE("rope", SMOOTH("upper") SMOOTH("lower"), &rope_show), .title = "Two cloths, twisted together",
     .caption = "Two strips, one above the other, are twisted by a turn and a half while the grips approach.",
     .is_long = 1, .contact = "rope.run"},
    {SHOW_TEMPLATE("box", SMOOTH("cloth"), &box_show), .title = "A closing box",
     .caption = "Two walls move towards each other; the cloth between them crumples. The front wall is not drawn.",
     .is_long = 1, .contact = "box.run"},
    {SHOW_TEMPLATE("skirt", " --frames 96" FELT("skirt", "3e-4"), &skirt_show),
     .title = "A skirt on a walking mannequin",
     .caption = "The waistband follows the body; the felt below hangs, swings and is pushed by the legs.", .is_long = 1,
     .contact = "skirt.run"},
    {SHOW_TEMPLATE("tshirt", " --frames 96", &tshirt_show), .title = "A T-shirt, sewn onto a mannequin",
     .caption = "Four flat pieces: front, back and two sleeves. Ten seams pull them together within a second; then the "
                "mannequin walks.",
     .is_long = 1, .contact = "tshirt.run"},
    {.name = "untangle",
     .title = "A start with intersections",
     .caption = "A sheet that intersects a ball before the first frame. The run reports how many triangles intersect "
                "and where, and draws them. It can stop, continue without making it worse, or untangle, as here.",
     .commands = "ruga new drape -o untangle.json\n"
                 "ruga run untangle.json --frames 16 --set 'objects[sheet].move=[0.04, 0.68, 0.03]'"
                 " --set contact.start=untangle -o untangle.run",
     .contact = "untangle.run",
     .files = {"untangle.run/start-intersections.png", "untangle.png"},
     .data = &untangle_show,
     .make = show_make},
};

const demo_section demo_contact = {"contact",
                                   "Contact",
                                   "Cloth against itself and moving objects, without intersections. After each frame "
                                   "all pairs of triangles are checked by exact arithmetic.",
                                   items,
                                   sizeof items / sizeof items[0],
                                   0};
