/* Demo: motion. A rippling sheet through files and back, a turntable, a mannequin. */
#include <math.h>

#include "demo.h"

/* ---- A sheet that ripples around its middle, as a function of time. */
enum { RIPPLE_FRAMES = 48, RIPPLE_RATE = 24 };

static ruga_status ripple(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *sheet = user;
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        ruga_vec3 p = sheet->positions[v];
        double r = sqrt(p.x * p.x + p.z * p.z + 0.0016);
        double height = 0.075 * exp(-2.5 * r) * cos(2 * DEMO_PI * (4 * r - time));
        positions[v] = (ruga_vec3){p.x, p.y + height, p.z};
    }
    return RUGA_OK;
}

/* Writes all frames of a motion to a file and reads it back. */
static int through_file(demo *d, const ruga_mesh *mesh, ruga_motion *motion, const char *path, ruga_motion **out) {
    ruga_file_def def = ruga_file_def_default();
    timeline times = timeline_at_rate(motion, RIPPLE_RATE);
    int code = motion_write(d->s, mesh, motion, &times, "writing", path, &def);
    if (!code) code = read_motion(d->s, path, mesh, &def, out);
    return code ? code : demo_keep(d, DEMO_MOTION, *out);
}

enum { STRIP = 4 };

typedef struct ripple_film {
    demo *d;
    ruga_motion *motion;
    moment current;
} ripple_film;

static int set_ripple_frame(void *user, size_t frame, ruga_render_def *def) {
    ripple_film *film = user;
    (void)def;
    return moment_sample(film->d->s, film->motion, (double)frame / RIPPLE_RATE, &film->current);
}

static int make_ripple(demo *d) {
    static const demo_parameter cells[] = {{"columns", 96}, {"rows", 96}, {NULL, 0}};
    static const char *const captions[STRIP] = {"0 s", "0.25 s", "0.5 s", "0.75 s"};
    ruga_mesh *sheet = NULL;
    ruga_motion *function = NULL, *cache = NULL;
    moment moments[STRIP];
    gallery g = {0};
    ripple_film film = {.d = d};
    int code = demo_model(d, "sheet", cells, &sheet);
    if (!code)
        code = demo_code(d, ruga_motion_from_function(d->s->context, sheet->vertex_count, 0,
                                                      (double)RIPPLE_FRAMES / RIPPLE_RATE, ripple, sheet, &function));
    if (!code) code = demo_keep(d, DEMO_MOTION, function);
    if (!code) code = through_file(d, sheet, function, demo_path(d, "ripple.pc2"), &cache);
    if (!code) code = through_file(d, sheet, function, demo_path(d, "ripple.glb"), &film.motion);
    for (int i = 0; i < STRIP && !code; i++) {
        code = demo_moment(d, sheet, &moments[i]);
        if (!code) code = moment_sample(d->s, cache, 0.25 * i, &moments[i]);
        ruga_render_mesh look = ruga_render_mesh_default(sheet);
        look.front = (ruga_colour){0.73f, 0.55f, 0.46f};
        look.frame = &moments[i].frame;
        gallery_add(&g, captions[i], look, demo_camera(35, 32));
    }
    ruga_render_def strip = demo_def(1800, 1000, g.panels, g.count, 2);
    strip.shared_camera = 1;
    if (!code) code = demo_still(d, &strip, "ripple.png");

    /* The film shows the motion from the GLB, with one camera. */
    if (!code) code = demo_moment(d, sheet, &film.current);
    if (code) return code;
    g.looks[0].frame = &film.current.frame;
    g.panels[0].camera = demo_eye((ruga_vec3){1.15, 0.95, 1.6}, (ruga_vec3){0, -0.03, 0}, g.panels[0].camera.fov);
    g.panels[0].caption = NULL;
    const demo_film_def moving = {.file = "ripple.mp4",
                                  .frames = RIPPLE_FRAMES,
                                  .course = FILM_BEGINS_AGAIN,
                                  .panels = g.panels,
                                  .panel_count = 1,
                                  .set_up = set_ripple_frame,
                                  .user = &film};
    return demo_film(d, &moving);
}

/* ---- A pillow with wrinkles by formula, turning. */
enum { TURN_FRAMES = 96 };

/* Wrinkles that run from the border inwards and fade towards the middle. */
static void wrinkle_pillow(const ruga_mesh *pillow, const ruga_vec3 *normals, ruga_vec3 *positions) {
    for (size_t v = 0; v < pillow->vertex_count; v++) {
        ruga_vec3 p = pillow->positions[v], n = normals[v];
        double u = fabs(p.x) / 0.25, w = fabs(p.z) / 0.25, rim = fmax(u, w);
        double along = u > w ? p.z : p.x;
        double fade = pow(rim, 4) * (1 - pow(rim, 16)) * (1 - pow(fmin(u, w) / fmax(rim, 1e-9), 6));
        double height = 0.006 * fade * cos(2 * DEMO_PI * along / 0.045);
        positions[v] = (ruga_vec3){p.x + height * n.x, p.y + height * n.y, p.z + height * n.z};
    }
}

static int set_turn(void *user, size_t frame, ruga_render_def *def) {
    ruga_panel *panel = user;
    double a = 2 * DEMO_PI * (double)frame / TURN_FRAMES;
    def->ground = 1;
    panel->camera.eye = (ruga_vec3){1.05 * sin(a), 0.62, 1.05 * cos(a)};
    return 0;
}

static int make_turntable(demo *d) {
    static const demo_parameter cells[] = {{"columns", 160}, {"rows", 160}, {"puff", 0.09}, {NULL, 0}};
    gallery g = {0};
    ruga_mesh *pillow = NULL;
    moment wrinkled;
    ruga_vec3 *normals;
    int code = demo_model(d, "pillow", cells, &pillow);
    if (!code) code = demo_moment(d, pillow, &wrinkled);
    if (!code) code = DEMO_NEW(d, normals, pillow->vertex_count);
    if (!code) code = demo_code(d, ruga_mesh_normals(pillow, NULL, normals));
    if (code) return code;
    wrinkle_pillow(pillow, normals, wrinkled.positions);
    ruga_render_mesh look = ruga_render_mesh_default(pillow);
    look.frame = &wrinkled.frame;
    ruga_panel *panel = gallery_add(&g, NULL, look, demo_camera(0, 30));
    panel->camera.given = 1;
    panel->camera.up = (ruga_vec3){0, 1, 0};
    const demo_film_def film = {.file = "turntable.mp4",
                                .frames = TURN_FRAMES,
                                .panels = panel,
                                .panel_count = 1,
                                .set_up = set_turn,
                                .user = panel};
    return demo_film(d, &film);
}

/* ---- The mannequin: several moments of a walk in one view, and its jump. */

enum { WALK_MOMENTS = 8 };

#define JUMP_LINES                                    \
    "ruga make mannequin --action jump -o jump.glb\n" \
    "ruga render jump.glb --ground --eye 2.9,1.4,2.9 --target 0,0.98,0" DEMO_FILM " -o jump.mp4"

enum { JUMP_FRAMES = 51 };

typedef struct jump_film {
    demo *d;
    ruga_motion *motion;
    moment current;
} jump_film;

static int set_jump(void *user, size_t frame, ruga_render_def *def) {
    jump_film *film = user;
    (void)def;
    return moment_sample(film->d->s, film->motion, (double)frame / 24, &film->current);
}

/* As by the commands, with its first and last pictures longer. */
static int film_jump(demo *d, const ruga_mesh *body) {
    jump_film film = {.d = d};
    int code = demo_code(d, ruga_model_motion(d->s->context, "mannequin", NULL, "jump", NULL, &film.motion));
    if (!code) code = demo_keep(d, DEMO_MOTION, film.motion);
    if (!code) code = demo_moment(d, body, &film.current);
    if (code) return code;
    ruga_render_mesh look = ruga_render_mesh_default(body);
    look.frame = &film.current.frame;
    const ruga_panel panel = {
        .mesh_count = 1, .meshes = &look, .camera = demo_eye((ruga_vec3){2.9, 1.4, 2.9}, (ruga_vec3){0, 0.98, 0}, 30)};
    const demo_film_def moving = {.file = "jump.mp4",
                                  .frames = JUMP_FRAMES,
                                  .panels = &panel,
                                  .panel_count = 1,
                                  .ground = 1,
                                  .set_up = set_jump,
                                  .user = &film};
    return demo_film(d, &moving);
}

static int make_mannequin(demo *d) {
    static const double times[WALK_MOMENTS] = {0, 0.72, 1.22, 1.83, 2.36, 2.97, 3.5, 4.4};
    static const double four_cycles[] = {1.1, 0.56, 4, 14, 1, 0};
    ruga_mesh *body = NULL;
    ruga_motion *walk = NULL;
    moment moments[WALK_MOMENTS];
    ruga_render_mesh looks[WALK_MOMENTS];
    int code = demo_model(d, "mannequin", NULL, &body);
    if (!code) code = demo_code(d, ruga_model_motion(d->s->context, "mannequin", NULL, "walk", four_cycles, &walk));
    if (!code) code = demo_keep(d, DEMO_MOTION, walk);
    for (int i = 0; i < WALK_MOMENTS && !code; i++) {
        code = demo_moment(d, body, &moments[i]);
        if (!code) code = moment_sample(d->s, walk, times[i], &moments[i]);
        looks[i] = ruga_render_mesh_default(body);
        looks[i].frame = &moments[i].frame;
    }
    ruga_panel panel = {.mesh_count = WALK_MOMENTS, .meshes = looks, .camera = demo_camera(-90, 5)};
    ruga_render_def def = demo_def(1800, 640, &panel, 1, 1);
    def.ground = 1;
    if (!code) code = demo_still(d, &def, "mannequin.png");
    return code ? code : film_jump(d, body);
}

static const demo_item items[] = {
    {.name = "ripple",
     .title = "Motion through files and back",
     .caption =
         "A rippling sheet, written to a PC2 cache and to a GLB with morph targets, and read back: four moments from "
         "the cache, the film from the GLB.",
     .commands = "ruga convert sheet.obj --cache ripple.pc2 -o ripple.glb\n"
                 "ruga info ripple.glb\n"
                 "ruga render ripple.glb -o ripple.mp4",
     .files = {"ripple.png", "ripple.mp4"},
     .make = make_ripple},
    {.name = "turntable",
     .title = "A turntable",
     .caption = "Once around a pillow with wrinkles by formula.",
     .commands = "ruga render pillow.obj --turntable 96 --ground -o turntable.mp4",
     .files = {"turntable.mp4"},
     .make = make_turntable},
    {.name = "mannequin",
     .title = "A walking and jumping mannequin",
     .caption =
         "A closed body by formula, with bones. Its feet do not slip, it falls by gravity, and it intersects itself "
         "in no pose.",
     .commands = "ruga make mannequin -o mannequin.obj\n"
                 "ruga make mannequin --action walk --walk-cycles 4 -o walk.pc2\n"
                 "ruga convert mannequin.obj --cache walk.pc2 --time 1.22 -o step.obj\n" JUMP_LINES,
     .files = {"mannequin.png", "jump.mp4"},
     .make = make_mannequin},
};

const demo_section demo_motion = {
    "motion",
    "Motion",
    "Caches, animated glTF and numbered sequences are all read as positions as a function of time.",
    items,
    sizeof items / sizeof items[0],
    1};
