/* Demo: contact. Runs are made by the command lines on the page; films and moments are drawn from them here. The
 * numbers of intersections come from the measures of the run itself. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/runs.h"
#include "demo.h"

enum { MOMENTS = 4 };

/* How to show a run. */
typedef struct show {
    const char *run, *film, *strip; /* film NULL: none */
    int moments[MOMENTS];           /* frames of the strip */
    ruga_vec3 eye, target;
    double follows;            /* the camera moves by this part of the displacement of the first object along z */
    double ground;             /* m, height of the floor; NaN: none */
    int opened;                /* 1 + the object whose half before z = 0 is not drawn; 0: none */
    int strip_height;          /* pixels */
    int colour_count;          /* objects take them in turn */
    ruga_colour colours[6][2]; /* front and back */
} show;

/* The run at one moment. */
typedef struct stage {
    demo *d;
    const show *what;
    picture scene;
    ruga_panel panel;
    char caption[32];
} stage;

/* Leaves out the faces of a mesh before the plane z = 0. Its vertices stay, so that its motion fits. */
static int open_mesh(demo *d, subject *who) {
    const ruga_mesh *whole = who->mesh;
    uint8_t *behind;
    TRY_CODE(DEMO_NEW(d, behind, whole->triangle_count));
    for (size_t t = 0; t < whole->triangle_count; t++) {
        const uint32_t *corners = whole->triangles + 3 * t;
        double z = 0;
        for (int k = 0; k < 3; k++) z += whole->positions[corners[k]].z;
        behind[t] = z < 0;
    }
    ruga_mesh *opened = NULL;
    TRY_CODE(pick_triangles(d->s, whole, whole->positions, behind, 1, &opened));
    ruga_mesh_destroy(who->mesh);
    who->mesh = opened;
    return 0;
}

static int stage_open(demo *d, const show *what, stage *at) {
    at->d = d;
    at->what = what;
    int code = demo_keep(d, DEMO_PICTURE, &at->scene);
    if (!code) code = run_add_objects(d->s, demo_path(d, what->run), &at->scene);
    for (size_t i = 0; i < at->scene.subject_count && !code; i++) {
        subject *who = &at->scene.subjects[i];
        if ((int)i + 1 == what->opened) code = open_mesh(d, who);
        const ruga_colour *colours = what->colours[(int)i % what->colour_count];
        ruga_render_mesh *look = &at->scene.looks[i];
        *look = ruga_render_mesh_default(who->mesh);
        look->front = colours[0];
        look->back = colours[1];
        if (who->motion) look->frame = &who->current.frame;
    }
    at->panel = (ruga_panel){.mesh_count = at->scene.subject_count,
                             .meshes = at->scene.looks,
                             .camera = demo_eye(what->eye, what->target, ruga_camera_default().fov)};
    return code;
}

/* The time of a frame; the last one for frames that do not exist, as in a draft. */
static double stage_time(const stage *at, size_t frame) {
    const subject *moving = picture_first_moving(&at->scene);
    if (!moving) return 0;
    ruga_motion_info info = ruga_motion_get_info(moving->motion);
    return fmin(info.start + (double)frame / info.rate, info.end);
}

static int stage_set(void *user, size_t frame, ruga_render_def *def) {
    stage *at = user;
    const subject *first = &at->scene.subjects[0];
    if (def) def->panels = &at->panel;
    int code = picture_move(at->d->s, &at->scene, stage_time(at, frame));
    if (code || at->what->follows <= 0) return code;
    double sum = 0;
    for (size_t v = 0; v < first->mesh->vertex_count; v++) sum += first->current.positions[v].z;
    double along = at->what->follows * (sum / (double)first->mesh->vertex_count);
    at->panel.camera.eye.z = at->what->eye.z + along;
    at->panel.camera.target.z = at->what->target.z + along;
    return 0;
}

static void set_ground(const show *what, ruga_render_def *def) {
    if (isnan(what->ground)) return;
    def->ground = 1;
    def->ground_height = what->ground;
}

static int make_strip(demo *d, const show *what, stage *stages) {
    ruga_panel panels[MOMENTS];
    int code = 0;
    for (int i = 0; i < MOMENTS && !code; i++) {
        code = stage_set(&stages[i], (size_t)what->moments[i], NULL);
        snprintf(stages[i].caption, sizeof stages[i].caption, "%.2f s",
                 stage_time(&stages[i], (size_t)what->moments[i]));
        panels[i] = stages[i].panel;
        panels[i].caption = stages[i].caption;
    }
    ruga_render_def def = demo_def(1800, what->strip_height, panels, MOMENTS, MOMENTS);
    def.occlusion_samples = 8;
    set_ground(what, &def);
    return code ? code : demo_still(d, &def, what->strip);
}

static int make_show(demo *d) {
    const show *what = d->item->data;
    stage *stages;
    int code = demo_commands(d, d->item->commands);
    if (!code) code = DEMO_NEW(d, stages, MOMENTS);
    for (int i = 0; i < MOMENTS && !code; i++) code = stage_open(d, what, &stages[i]);
    if (!code) code = make_strip(d, what, stages);
    if (code || !what->film) return code;
    ruga_render_def def = demo_film_def(&stages[0].panel, 640, 360, 5);
    set_ground(what, &def);
    const subject *moving = picture_first_moving(&stages[0].scene);
    size_t frames = moving ? ruga_motion_get_info(moving->motion).sample_count : 1;
    return demo_film(d, what->film, frames, 24, &def, stage_set, &stages[0]);
}

/* ---- The page's sentence about a run. */

/* A measure over the frames. */
typedef struct tally {
    double all, first, last;
} tally;

static tally count_measure(const ruga_run_record *r, const char *name) {
    tally sum = {0};
    for (size_t k = 0; k < r->measure_count; k++) {
        if (strcmp(r->measures[k].name, name) != 0) continue;
        for (int f = 0; f < r->frames_done; f++) {
            sum.last = r->values[(size_t)f * r->measure_count + k];
            sum.all += sum.last;
            if (f == 0) sum.first = sum.last;
        }
    }
    return sum;
}

int demo_describe_contact(demo *d, const char *run, char *text, size_t size) {
    ruga_run_record *record = NULL;
    text[0] = 0;
    if (!ruga_path_is_run(demo_path(d, run))) return 0;
    TRY_CODE(read_run(d->s, demo_path(d, run), &record));
    tally found = count_measure(record, "frame.intersections"), pinched = count_measure(record, "contact.pinched");
    char course[64] = "";
    if (found.all > 0)
        snprintf(course, sizeof course, ", %.0f in the first and %.0f in the last", found.first, found.last);
    snprintf(text, size, "The exact check of each of its %d frames: %.0f intersection%s in all%s; %.0f pair%s pinched.",
             record->frames_done, found.all, found.all == 1 ? "" : "s", course, pinched.all,
             pinched.all == 1 ? "" : "s");
    ruga_run_record_destroy(d->s->context, record);
    return 0;
}

/* ---- The scenes. */

#define BLUE                                           \
    {                                                  \
        {0.36f, 0.53f, 0.69f}, { 0.80f, 0.66f, 0.42f } \
    }
#define RED                                            \
    {                                                  \
        {0.74f, 0.44f, 0.36f}, { 0.86f, 0.72f, 0.62f } \
    }
#define YELLOW                                         \
    {                                                  \
        {0.80f, 0.64f, 0.34f}, { 0.48f, 0.58f, 0.66f } \
    }
#define GREEN                                          \
    {                                                  \
        {0.49f, 0.62f, 0.46f}, { 0.68f, 0.76f, 0.62f } \
    }
#define VIOLET                                         \
    {                                                  \
        {0.60f, 0.47f, 0.61f}, { 0.76f, 0.67f, 0.75f } \
    }
#define STONE                                          \
    {                                                  \
        {0.72f, 0.71f, 0.69f}, { 0.72f, 0.71f, 0.69f } \
    }

static const show drape_show = {.run = "drape.run",
                                .film = "drape.mp4",
                                .strip = "drape.png",
                                .moments = {0, 10, 24, 63},
                                .eye = {1.25, 1.1, 2.2},
                                .target = {0.03, 0.36, 0},
                                .ground = 0,
                                .strip_height = 380,
                                .colour_count = 2,
                                .colours = {RED, BLUE}};

static const show pile_show = {.run = "pile.run",
                               .film = "pile.mp4",
                               .strip = "pile.png",
                               .moments = {0, 4, 8, 29},
                               .eye = {0.45, 0.42, 1.15},
                               .target = {0, 0.13, 0},
                               .ground = 0,
                               .strip_height = 380,
                               .colour_count = 5,
                               .colours = {RED, BLUE, YELLOW, GREEN, VIOLET}};

static const show twist_show = {.run = "twist.run",
                                .film = "twist.mp4",
                                .strip = "twist.png",
                                .moments = {12, 36, 72, 107},
                                .eye = {0.25, 1.05, 1.3},
                                .target = {0, 0.5, 0},
                                .ground = NAN,
                                .strip_height = 320,
                                .colour_count = 3,
                                .colours = {STONE, STONE, YELLOW}};

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
                                 .colours = {STONE, BLUE}};

static const show ring_show = {.run = "ring.run",
                               .film = "ring.mp4",
                               .strip = "ring.png",
                               .moments = {6, 24, 42, 66},
                               .eye = {0.55, 0.85, 1.15},
                               .target = {0, 0.42, 0},
                               .ground = NAN,
                               .strip_height = 420,
                               .colour_count = 2,
                               .colours = {STONE, BLUE}};

static const show rope_show = {.run = "rope.run",
                               .film = "rope.mp4",
                               .strip = "rope.png",
                               .moments = {6, 30, 54, 80},
                               .eye = {0.3, 0.95, 1.35},
                               .target = {0, 0.48, 0},
                               .ground = NAN,
                               .strip_height = 320,
                               .colour_count = 4,
                               .colours = {STONE, STONE, YELLOW, BLUE}};

static const show box_show = {.run = "box.run",
                              .film = "box.mp4",
                              .strip = "box.png",
                              .moments = {6, 24, 44, 68},
                              .eye = {0.35, 1.0, 0.95},
                              .target = {0, 0.05, 0},
                              .ground = NAN,
                              .strip_height = 360,
                              .colour_count = 6,
                              .colours = {STONE, STONE, STONE, STONE, STONE, GREEN}};

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
                                .colours = {STONE, RED}};

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
                                 .colours = {STONE, BLUE}};

static const show untangle_show = {.run = "untangle.run",
                                   .strip = "untangle.png",
                                   .moments = {0, 3, 6, 15},
                                   .eye = {1.25, 1.1, 2.2},
                                   .target = {0.03, 0.5, 0},
                                   .ground = 0,
                                   .strip_height = 340,
                                   .colour_count = 2,
                                   .colours = {RED, BLUE}};

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
     .make = make_show},
    {.name = "pile",
     .title = "A pile of twenty sheets",
     .caption = "They fall onto each other; a push from the floor passes through twenty layers.",
     .commands = "ruga new pile -o pile.json\n"
                 "ruga run pile.json --frames 30",
     .contact = "pile.run",
     .files = {"pile.mp4", "pile.png"},
     .data = &pile_show,
     .make = make_show},
    {.name = "twist",
     .title = "A twisted cloth",
     .caption = "Both ends make two turns in opposite directions; the cloth between them becomes a rope of layers.",
     .commands = "ruga new twist -o twist.json\n"
                 "ruga run twist.json",
     .contact = "twist.run",
     .files = {"twist.mp4", "twist.png"},
     .data = &twist_show,
     .make = make_show},
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
     .make = make_show},
    {.name = "ring",
     .title = "A cloth, pulled through a ring",
     .caption = "A disc of silk is pulled down by its middle, like a napkin, and folds in the ring.",
     .commands = "ruga new ring -o ring.json\n"
                 "ruga run ring.json",
     .is_long = 1,
     .contact = "ring.run",
     .files = {"ring.mp4", "ring.png"},
     .data = &ring_show,
     .make = make_show},
    {.name = "rope",
     .title = "Two cloths, twisted together",
     .caption = "Two strips, one above the other, are twisted by a turn and a half while the grips approach.",
     .commands = "ruga new rope -o rope.json\n"
                 "ruga run rope.json",
     .is_long = 1,
     .contact = "rope.run",
     .files = {"rope.mp4", "rope.png"},
     .data = &rope_show,
     .make = make_show},
    {.name = "box",
     .title = "A closing box",
     .caption = "Two walls move towards each other; the cloth between them crumples.",
     .commands = "ruga new box -o box.json\n"
                 "ruga run box.json",
     .is_long = 1,
     .contact = "box.run",
     .files = {"box.mp4", "box.png"},
     .data = &box_show,
     .make = make_show},
    {.name = "skirt",
     .title = "A skirt on a walking mannequin",
     .caption = "The waistband follows the body; the cloth below hangs, swings and is pushed by the legs.",
     .commands = "ruga new skirt -o skirt.json\n"
                 "ruga run skirt.json --frames 56",
     .contact = "skirt.run",
     .files = {"skirt.mp4", "skirt.png"},
     .data = &skirt_show,
     .make = make_show},
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
     .make = make_show},
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
     .make = make_show},
};

const demo_section demo_contact = {"contact", "Contact",
                                   "Cloth against itself and moving objects, without intersections. After each frame "
                                   "all pairs of triangles are checked by exact arithmetic.",
                                   items, sizeof items / sizeof items[0]};
