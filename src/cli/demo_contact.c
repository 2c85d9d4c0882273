/* Demo: contact. Runs are made by the command lines that the page shows; films and moments are drawn from them here. How many
 * intersections there are is read from what the run itself measured, never written by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"
#include "runs.h"

enum { MOMENTS = 4 };

/* How a run is shown. */
typedef struct show {
    const char *run, *film, *strip; /* film NULL: none */
    int moments[MOMENTS];           /* frames of the strip */
    ruga_vec3 eye, target;
    double follows;            /* the part of the way of the first object that the eye goes along with */
    double ground;             /* m, height of the floor; NaN: none */
    int opened;                /* the object whose half before z = 0 is left out, so that one sees into it; -1: none */
    int strip_height;          /* pixels */
    int colour_count;          /* objects take them in turn */
    ruga_colour colours[5][2]; /* front and back */
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
    uint32_t *kept = malloc((3 * whole->triangle_count + 1) * sizeof *kept);
    if (!kept) return session_no_memory(d->s);
    size_t count = 0;
    for (size_t t = 0; t < whole->triangle_count; t++) {
        const uint32_t *corners = whole->triangles + 3 * t;
        double z = 0;
        for (int k = 0; k < 3; k++) z += whole->positions[corners[k]].z;
        if (z < 0) memcpy(kept + 3 * count++, corners, 3 * sizeof *kept);
    }
    ruga_mesh *opened = NULL;
    int code = demo_mesh(d, whole->positions, whole->vertex_count, NULL, kept, count, &opened);
    free(kept);
    if (code) return code;
    ruga_mesh_destroy(who->mesh);
    who->mesh = opened;
    return 0;
}

static int stage_open(demo *d, const show *what, stage *at) {
    at->d = d;
    at->what = what;
    int code = run_add_objects(d->s, demo_path(d, what->run), &at->scene);
    for (size_t i = 0; i < at->scene.subject_count && !code; i++) {
        subject *who = &at->scene.subjects[i];
        if ((int)i == what->opened) code = open_mesh(d, who);
        if (code) break;
        const ruga_colour *colours = what->colours[(int)i % what->colour_count];
        ruga_render_mesh *look = &at->scene.looks[i];
        *look = ruga_render_mesh_default(who->mesh);
        look->front = colours[0];
        look->back = colours[1];
        if (who->motion) look->frame = &who->present.frame;
    }
    ruga_camera camera = ruga_camera_default();
    camera.given = 1;
    camera.eye = what->eye;
    camera.target = what->target;
    camera.up = (ruga_vec3){0, 1, 0};
    at->panel = (ruga_panel){.mesh_count = at->scene.subject_count, .meshes = at->scene.looks, .camera = camera};
    return code;
}

/* The last frame for one that there is not, as in a draft. */
static double stage_time(const stage *at, size_t frame) {
    const subject *moving = picture_first_moving(&at->scene);
    if (!moving) return 0;
    ruga_motion_info info = ruga_motion_get_info(moving->motion);
    return fmin(info.start + (double)frame / info.rate, info.end);
}

static double mean_z(const subject *who) {
    double sum = 0;
    for (size_t v = 0; v < who->mesh->vertex_count; v++) sum += who->present.positions[v].z;
    return sum / (double)who->mesh->vertex_count;
}

static int stage_set(stage *at, size_t frame) {
    int code = picture_move(at->d->s, &at->scene, stage_time(at, frame));
    if (code || at->what->follows <= 0) return code;
    double along = at->what->follows * mean_z(&at->scene.subjects[0]);
    at->panel.camera.eye.z = at->what->eye.z + along;
    at->panel.camera.target.z = at->what->target.z + along;
    return 0;
}

static int set_film_frame(void *user, size_t frame, ruga_render_def *def) {
    stage *at = user;
    def->panels = &at->panel;
    return stage_set(at, frame);
}

static void set_ground(const show *what, ruga_render_def *def) {
    if (isnan(what->ground)) return;
    def->ground = 1;
    def->ground_height = what->ground;
}

static size_t count_frames(const stage *at) {
    const subject *moving = picture_first_moving(&at->scene);
    return moving ? ruga_motion_get_info(moving->motion).sample_count : 1;
}

static int make_film(demo *d, const show *what, stage *at) {
    ruga_render_def def = demo_film_def(&at->panel);
    def.width = 640;
    def.height = 360;
    def.samples = 2;
    def.occlusion_samples = 5;
    set_ground(what, &def);
    return demo_film(d, what->film, count_frames(at), 24, &def, set_film_frame, at);
}

static int make_strip(demo *d, const show *what, stage *stages) {
    ruga_panel panels[MOMENTS];
    int code = 0;
    for (int i = 0; i < MOMENTS && !code; i++) {
        code = stage_set(&stages[i], (size_t)what->moments[i]);
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

static int make_show(demo *d, const char *lines, const show *what) {
    int code = demo_commands(d, lines);
    stage *stages = calloc(MOMENTS, sizeof *stages);
    if (!stages) return session_no_memory(d->s);
    for (int i = 0; i < MOMENTS && !code; i++) code = stage_open(d, what, &stages[i]);
    if (!code) code = make_strip(d, what, stages);
    if (!code && what->film) code = make_film(d, what, &stages[0]);
    for (int i = 0; i < MOMENTS; i++) picture_release(&stages[i].scene);
    free(stages);
    return code;
}

/* ---- What the page says of a run. */

/* Of a measure over the frames. */
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

int demo_tell_contact(demo *d, const char *run, char *text, size_t size) {
    ruga_run_record *record = NULL;
    text[0] = 0;
    if (!ruga_path_is_run(demo_path(d, run))) return 0;
    int code = read_run(d->s, demo_path(d, run), &record);
    if (code) return code;
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

static const char drape_lines[] =
    "ruga new drape -o drape.json\n"
    "ruga run drape.json --frames 64";

static int make_drape(demo *d) {
    static const show what = {.run = "drape.run",
                              .film = "drape.mp4",
                              .strip = "drape.png",
                              .moments = {0, 10, 24, 63},
                              .eye = {1.25, 1.1, 2.2},
                              .target = {0.03, 0.36, 0},
                              .ground = 0,
                              .opened = -1,
                              .strip_height = 380,
                              .colour_count = 2,
                              .colours = {RED, BLUE}};
    return make_show(d, drape_lines, &what);
}

static const char pile_lines[] =
    "ruga new pile -o pile.json\n"
    "ruga run pile.json --frames 30";

static int make_pile(demo *d) {
    static const show what = {.run = "pile.run",
                              .film = "pile.mp4",
                              .strip = "pile.png",
                              .moments = {0, 4, 8, 29},
                              .eye = {0.45, 0.42, 1.15},
                              .target = {0, 0.13, 0},
                              .ground = 0,
                              .opened = -1,
                              .strip_height = 380,
                              .colour_count = 5,
                              .colours = {RED, BLUE, YELLOW, GREEN, VIOLET}};
    return make_show(d, pile_lines, &what);
}

static const char twist_lines[] =
    "ruga new twist -o twist.json\n"
    "ruga run twist.json";

static int make_twist(demo *d) {
    static const show what = {.run = "twist.run",
                              .film = "twist.mp4",
                              .strip = "twist.png",
                              .moments = {12, 36, 72, 107},
                              .eye = {0.25, 1.05, 1.3},
                              .target = {0, 0.5, 0},
                              .ground = NAN,
                              .opened = -1,
                              .strip_height = 320,
                              .colour_count = 3,
                              .colours = {STONE, STONE, YELLOW}};
    return make_show(d, twist_lines, &what);
}

static const char funnel_lines[] =
    "ruga new funnel -o funnel.json\n"
    "ruga run funnel.json --frames 69";

static int make_funnel(demo *d) {
    static const show what = {.run = "funnel.run",
                              .film = "funnel.mp4",
                              .strip = "funnel.png",
                              .moments = {12, 30, 46, 64},
                              .eye = {0.45, 0.7, 1.6},
                              .target = {0, 0.17, 0},
                              .ground = NAN,
                              .opened = 0,
                              .strip_height = 420,
                              .colour_count = 2,
                              .colours = {STONE, BLUE}};
    return make_show(d, funnel_lines, &what);
}

static const char skirt_lines[] =
    "ruga new skirt -o skirt.json\n"
    "ruga run skirt.json --frames 56";

static int make_skirt(demo *d) {
    static const show what = {.run = "skirt.run",
                              .film = "skirt.mp4",
                              .strip = "skirt.png",
                              .moments = {12, 26, 40, 54},
                              .eye = {2.9, 1.1, 2.45},
                              .target = {0, 0.86, 0},
                              .follows = 1,
                              .ground = 0,
                              .opened = -1,
                              .strip_height = 560,
                              .colour_count = 2,
                              .colours = {STONE, RED}};
    return make_show(d, skirt_lines, &what);
}

/* ---- A start with intersections. */

static const char tangled_lines[] =
    "ruga new drape -o tangled.json\n"
    "ruga run tangled.json --frames 16 --set 'objects[sheet].move=[0.04, 0.68, 0.03]' --set contact.start=untangle"
    " -o tangled.run";

static int make_tangled(demo *d) {
    static const show what = {.run = "tangled.run",
                              .strip = "tangled.png",
                              .moments = {0, 3, 6, 15},
                              .eye = {1.25, 1.1, 2.2},
                              .target = {0.03, 0.5, 0},
                              .ground = 0,
                              .opened = -1,
                              .strip_height = 340,
                              .colour_count = 2,
                              .colours = {RED, BLUE}};
    return make_show(d, tangled_lines, &what);
}

static const demo_item items[] = {
    {.name = "drape",
     .title = "A sheet on a ball",
     .caption = "It falls and hangs down around the ball; then the ball sinks, and it folds over itself on the floor.",
     .commands = drape_lines,
     .contact = "drape.run",
     .files = {"drape.mp4", "drape.png"},
     .wide = 1,
     .make = make_drape},
    {.name = "pile",
     .title = "A pile of twenty sheets",
     .caption = "They fall onto each other; a push from the floor has twenty layers to go through.",
     .commands = pile_lines,
     .contact = "pile.run",
     .files = {"pile.mp4", "pile.png"},
     .wide = 1,
     .make = make_pile},
    {.name = "twist",
     .title = "A cloth that is twisted",
     .caption = "Both ends turn, against each other, two turns each; what is between becomes a rope of layers.",
     .commands = twist_lines,
     .contact = "twist.run",
     .files = {"twist.mp4", "twist.png"},
     .wide = 1,
     .make = make_twist},
    {.name = "funnel",
     .title = "A cloth that is pulled through a funnel",
     .caption = "A disc of silk is drawn down by its middle and has to fold, as the tube is much narrower than it is; "
                "the funnel is drawn open.",
     .commands = funnel_lines,
     .contact = "funnel.run",
     .files = {"funnel.mp4", "funnel.png"},
     .wide = 1,
     .make = make_funnel},
    {.name = "skirt",
     .title = "A skirt on a mannequin that walks",
     .caption = "The waistband goes with the body; all below it hangs, swings and is pushed by the legs.",
     .commands = skirt_lines,
     .contact = "skirt.run",
     .files = {"skirt.mp4", "skirt.png"},
     .wide = 1,
     .make = make_skirt},
    {.name = "tangled",
     .title = "A start with intersections",
     .caption = "A sheet that goes through a ball before the first frame: the run tells how many triangles intersect "
                "and where, and draws them. It can stop there, go on without making it worse, or untangle, as here.",
     .commands = tangled_lines,
     .contact = "tangled.run",
     .files = {"tangled.run/start-intersections.png", "tangled.png"},
     .wide = 1,
     .make = make_tangled},
};

const demo_section demo_contact = {"contact", "Contact",
                                   "Cloth against itself and against what moves: nothing goes through anything. After "
                                   "each frame every triangle is held against every other, by exact arithmetic.",
                                   items, sizeof items / sizeof items[0]};
