/* Demo: contact. Runs are made by the command lines on the page. The
 * numbers of intersections come from the measures of the run itself. */
#include <math.h>

#include "show.h"

/* ---- The scenes. */

static const show drape_show = {.run = "drape.run",
                                .film = "drape.mp4",
                                .strip = "drape.png",
                                .moments = {0, 10, 24, 63},
                                .eye = {1.25, 1.1, 2.2},
                                .target = {0.03, 0.36, 0},
                                .ground = 0,
                                .strip_height = 380,
                                .colour_count = 2,
                                .colours = {SHOW_RED, SHOW_BLUE}};

static const show pile_show = {.run = "pile.run",
                               .film = "pile.mp4",
                               .strip = "pile.png",
                               .moments = {0, 4, 8, 29},
                               .eye = {0.45, 0.42, 1.15},
                               .target = {0, 0.13, 0},
                               .ground = 0,
                               .strip_height = 380,
                               .colour_count = 5,
                               .colours = {SHOW_RED, SHOW_BLUE, SHOW_YELLOW, SHOW_GREEN, SHOW_VIOLET}};

static const show twist_show = {.run = "twist.run",
                                .film = "twist.mp4",
                                .strip = "twist.png",
                                .moments = {12, 36, 72, 107},
                                .eye = {0.25, 1.05, 1.3},
                                .target = {0, 0.5, 0},
                                .ground = NAN,
                                .strip_height = 320,
                                .colour_count = 3,
                                .colours = {SHOW_STONE, SHOW_STONE, SHOW_YELLOW}};

static const show funnel_show = {.run = "funnel.run",
                                 .film = "funnel.mp4",
                                 .strip = "funnel.png",
                                 .moments = {12, 30, 46, 64},
                                 .eye = {0.45, 0.7, 1.6},
                                 .target = {0, 0.17, 0},
                                 .ground = NAN,
                                 .opened = 1,
                                 .strip_height = 420,
                                 .colour_count = 2,
                                 .colours = {SHOW_STONE, SHOW_BLUE}};

static const show ring_show = {.run = "ring.run",
                               .film = "ring.mp4",
                               .strip = "ring.png",
                               .moments = {6, 24, 42, 66},
                               .eye = {0.55, 0.85, 1.15},
                               .target = {0, 0.42, 0},
                               .ground = NAN,
                               .strip_height = 420,
                               .colour_count = 2,
                               .colours = {SHOW_STONE, SHOW_BLUE}};

static const show rope_show = {.run = "rope.run",
                               .film = "rope.mp4",
                               .strip = "rope.png",
                               .moments = {6, 30, 54, 80},
                               .eye = {0.3, 0.95, 1.35},
                               .target = {0, 0.48, 0},
                               .ground = NAN,
                               .strip_height = 320,
                               .colour_count = 4,
                               .colours = {SHOW_STONE, SHOW_STONE, SHOW_YELLOW, SHOW_BLUE}};

static const show box_show = {.run = "box.run",
                              .film = "box.mp4",
                              .strip = "box.png",
                              .moments = {6, 24, 44, 68},
                              .eye = {0.35, 1.0, 0.95},
                              .target = {0, 0.05, 0},
                              .ground = NAN,
                              .strip_height = 360,
                              .colour_count = 6,
                              .colours = {SHOW_STONE, SHOW_STONE, SHOW_STONE, SHOW_STONE, SHOW_STONE, SHOW_GREEN}};

static const show skirt_show = {.run = "skirt.run",
                                .film = "skirt.mp4",
                                .strip = "skirt.png",
                                .moments = {12, 26, 40, 54},
                                .eye = {2.9, 1.1, 2.45},
                                .target = {0, 0.86, 0},
                                .follows = 1,
                                .ground = 0,
                                .strip_height = 560,
                                .colour_count = 2,
                                .colours = {SHOW_STONE, SHOW_RED}};

static const show tshirt_show = {.run = "tshirt.run",
                                 .film = "tshirt.mp4",
                                 .strip = "tshirt.png",
                                 .moments = {0, 8, 20, 60},
                                 .eye = {2.45, 1.4, 2.9},
                                 .target = {0, 0.88, 0},
                                 .follows = 1,
                                 .ground = 0,
                                 .strip_height = 560,
                                 .colour_count = 2,
                                 .colours = {SHOW_STONE, SHOW_BLUE}};

static const show untangle_show = {.run = "untangle.run",
                                   .strip = "untangle.png",
                                   .moments = {0, 3, 6, 15},
                                   .eye = {1.25, 1.1, 2.2},
                                   .target = {0.03, 0.5, 0},
                                   .ground = 0,
                                   .strip_height = 340,
                                   .colour_count = 2,
                                   .colours = {SHOW_RED, SHOW_BLUE}};

static const demo_item items[] = {
    {.name = "drape",
     .title = "A sheet on a ball",
     .caption =
         "The sheet falls and hangs around the ball; then the ball sinks, and the sheet folds over itself on the "
         "floor.",
     .commands = "ruga new drape -o drape.json\n"
                 "ruga run drape.json --frames 64",
     .contact = "drape.run",
     .files = {"drape.mp4", "drape.png"},
     .data = &drape_show,
     .make = show_make},
    {.name = "pile",
     .title = "A pile of twenty sheets",
     .caption = "They fall onto each other; a push from the floor passes through twenty layers.",
     .commands = "ruga new pile -o pile.json\n"
                 "ruga run pile.json --frames 30",
     .contact = "pile.run",
     .files = {"pile.mp4", "pile.png"},
     .data = &pile_show,
     .make = show_make},
    {.name = "twist",
     .title = "A twisted cloth",
     .caption = "Both ends make two turns in opposite directions; the cloth between them becomes a rope of layers.",
     .commands = "ruga new twist -o twist.json\n"
                 "ruga run twist.json",
     .contact = "twist.run",
     .files = {"twist.mp4", "twist.png"},
     .data = &twist_show,
     .make = show_make},
    {.name = "funnel",
     .title = "A cloth, pulled through a funnel",
     .caption =
         "A disc of silk is pulled down by its middle and has to fold, as the tube is much narrower. The front of the "
         "funnel is not drawn.",
     .commands = "ruga new funnel -o funnel.json\n"
                 "ruga run funnel.json --frames 69",
     .contact = "funnel.run",
     .files = {"funnel.mp4", "funnel.png"},
     .data = &funnel_show,
     .make = show_make},
    {.name = "ring",
     .title = "A cloth, pulled through a ring",
     .caption = "A disc of silk is pulled down by its middle, like a napkin, and folds in the ring.",
     .commands = "ruga new ring -o ring.json\n"
                 "ruga run ring.json",
     .is_long = 1,
     .contact = "ring.run",
     .files = {"ring.mp4", "ring.png"},
     .data = &ring_show,
     .make = show_make},
    {.name = "rope",
     .title = "Two cloths, twisted together",
     .caption = "Two strips, one above the other, are twisted by a turn and a half while the grips approach.",
     .commands = "ruga new rope -o rope.json\n"
                 "ruga run rope.json",
     .is_long = 1,
     .contact = "rope.run",
     .files = {"rope.mp4", "rope.png"},
     .data = &rope_show,
     .make = show_make},
    {.name = "box",
     .title = "A closing box",
     .caption = "Two walls move towards each other; the cloth between them crumples.",
     .commands = "ruga new box -o box.json\n"
                 "ruga run box.json",
     .is_long = 1,
     .contact = "box.run",
     .files = {"box.mp4", "box.png"},
     .data = &box_show,
     .make = show_make},
    {.name = "skirt",
     .title = "A skirt on a walking mannequin",
     .caption = "The waistband follows the body; the cloth below hangs, swings and is pushed by the legs.",
     .commands = "ruga new skirt -o skirt.json\n"
                 "ruga run skirt.json --frames 56",
     .contact = "skirt.run",
     .files = {"skirt.mp4", "skirt.png"},
     .data = &skirt_show,
     .make = show_make},
    {.name = "tshirt",
     .title = "A T-shirt, sewn onto a mannequin",
     .caption = "Four flat pieces: front, back and two sleeves. Ten seams pull them together within a second; then the "
                "mannequin walks.",
     .commands = "ruga new tshirt -o tshirt.json\n"
                 "ruga run tshirt.json --frames 66",
     .is_long = 1,
     .contact = "tshirt.run",
     .files = {"tshirt.mp4", "tshirt.png"},
     .data = &tshirt_show,
     .make = show_make},
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

const demo_section demo_contact = {"contact", "Contact",
                                   "Cloth against itself and moving objects, without intersections. After each frame "
                                   "all pairs of triangles are checked by exact arithmetic.",
                                   items, sizeof items / sizeof items[0]};
