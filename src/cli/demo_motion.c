/* Demo: motion. A rippling sheet through cache and glTF and back, and a turntable. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "demo.h"

static const double pi = 3.14159265358979323846;

/* ---- A sheet that ripples around its middle, as a function of time. */
enum { RIPPLE_FRAMES = 48, RIPPLE_RATE = 24 };

static ruga_status ripple(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *sheet = user;
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        ruga_vec3 p = sheet->positions[v];
        double r = sqrt(p.x * p.x + p.z * p.z + 0.0016);
        double height = 0.075 * exp(-2.5 * r) * cos(2 * pi * (4 * r - time));
        positions[v] = (ruga_vec3){p.x, p.y + height, p.z};
    }
    return RUGA_OK;
}

/* Writes all frames of a motion to a file and reads it back. */
static int through_file(demo *d, const ruga_mesh *mesh, ruga_motion *motion, const char *path, ruga_motion **out) {
    ruga_file_def def = ruga_file_def_default();
    def.rate = RIPPLE_RATE;
    ruga_motion_writer *writer = NULL;
    moment present = {0};
    ruga_status status = ruga_motion_writer_create(mesh, path, &def, &writer);
    int code = RUGA_FAILED(status) ? session_failed_output(d->s, status) : moment_create(d->s, mesh, &present);
    for (int i = 0; i <= RIPPLE_FRAMES && !code; i++) {
        code = moment_sample(d->s, motion, (double)i / RIPPLE_RATE, &present);
        if (!code) status = ruga_motion_writer_append(writer, &present.frame);
        if (!code && RUGA_FAILED(status)) code = session_failed_output(d->s, status);
    }
    if (!code) status = ruga_motion_writer_finish(writer);
    if (!code && RUGA_FAILED(status)) code = session_failed_output(d->s, status);
    ruga_motion_writer_destroy(writer);
    moment_release(&present);
    return code ? code : read_motion(d->s, path, mesh, &def, out);
}

enum { STRIP = 4 };

typedef struct ripple_scene {
    demo *d;
    ruga_mesh *sheet;
    ruga_motion *function, *cache, *glb; /* the same motion, before and after files */
    moment moments[STRIP];
    ruga_render_mesh looks[STRIP];
    ruga_panel panels[STRIP];
} ripple_scene;

static int ripple_scene_make(demo *d, ripple_scene *scene) {
    static const demo_parameter cells[] = {{"columns", 96}, {"rows", 96}, {NULL, 0}};
    scene->d = d;
    int code = demo_model(d, "sheet", cells, &scene->sheet);
    if (code) return code;
    ruga_status status =
        ruga_motion_from_function(d->s->context, scene->sheet->vertex_count, 0, (double)RIPPLE_FRAMES / RIPPLE_RATE,
                                  ripple, scene->sheet, &scene->function);
    if (RUGA_FAILED(status)) return session_failed_output(d->s, status);
    code = through_file(d, scene->sheet, scene->function, demo_path(d, "ripple.pc2"), &scene->cache);
    if (!code) code = through_file(d, scene->sheet, scene->function, demo_path(d, "ripple.glb"), &scene->glb);
    for (int i = 0; i < STRIP && !code; i++) {
        code = moment_create(d->s, scene->sheet, &scene->moments[i]);
        scene->looks[i] = ruga_render_mesh_default(scene->sheet);
        scene->looks[i].front = (ruga_colour){0.73f, 0.55f, 0.46f};
        scene->looks[i].frame = &scene->moments[i].frame;
        scene->panels[i] = (ruga_panel){.mesh_count = 1, .meshes = &scene->looks[i], .camera = demo_camera(35, 32)};
    }
    return code;
}

static void ripple_scene_release(ripple_scene *scene) {
    for (int i = 0; i < STRIP; i++) moment_release(&scene->moments[i]);
    ruga_motion_destroy(scene->glb);
    ruga_motion_destroy(scene->cache);
    ruga_motion_destroy(scene->function);
    ruga_mesh_destroy(scene->sheet);
}

static int set_ripple_frame(void *user, size_t frame, ruga_render_def *def) {
    ripple_scene *scene = user;
    (void)def;
    return moment_sample(scene->d->s, scene->glb, (double)frame / RIPPLE_RATE, &scene->moments[0]);
}

static int make_ripple(demo *d) {
    static const char *const captions[STRIP] = {"0 s", "0.25 s", "0.5 s", "0.75 s"};
    ripple_scene scene = {0};
    int code = ripple_scene_make(d, &scene);
    for (int i = 0; i < STRIP && !code; i++) {
        scene.panels[i].caption = captions[i];
        code = moment_sample(d->s, scene.cache, 0.25 * i, &scene.moments[i]);
    }
    ruga_render_def strip = demo_def(1800, 1000, scene.panels, STRIP, 2);
    strip.shared_camera = 1;
    if (!code) code = demo_still(d, &strip, "ripple.png");

    /* The film plays what came back from the GLB, from one eye for all frames. */
    ruga_camera *camera = &scene.panels[0].camera;
    camera->given = 1;
    camera->eye = (ruga_vec3){1.15, 0.95, 1.6};
    camera->target = (ruga_vec3){0, -0.03, 0};
    camera->up = (ruga_vec3){0, 1, 0};
    scene.panels[0].caption = NULL;
    ruga_render_def film = demo_film_def(scene.panels);
    if (!code) code = demo_film(d, "ripple.mp4", RIPPLE_FRAMES, RIPPLE_RATE, &film, set_ripple_frame, &scene);
    ripple_scene_release(&scene);
    return code;
}

/* ---- A pillow with wrinkles by formula, turning. */
enum { TURN_FRAMES = 48 };

/* Wrinkles that run from the border inwards and fade towards the middle. */
static void wrinkle_pillow(const ruga_mesh *pillow, const ruga_vec3 *normals, ruga_vec3 *positions) {
    for (size_t v = 0; v < pillow->vertex_count; v++) {
        ruga_vec3 p = pillow->positions[v], n = normals[v];
        double u = fabs(p.x) / 0.25, w = fabs(p.z) / 0.25, rim = fmax(u, w);
        double along = u > w ? p.z : p.x;
        double fade = pow(rim, 4) * (1 - pow(rim, 16)) * (1 - pow(fmin(u, w) / fmax(rim, 1e-9), 6));
        double height = 0.006 * fade * cos(2 * pi * along / 0.045);
        positions[v] = (ruga_vec3){p.x + height * n.x, p.y + height * n.y, p.z + height * n.z};
    }
}

static int set_turn(void *user, size_t frame, ruga_render_def *def) {
    ruga_panel *panel = user;
    double a = 2 * pi * (double)frame / TURN_FRAMES;
    (void)def;
    panel->camera.eye = (ruga_vec3){1.05 * sin(a), 0.62, 1.05 * cos(a)};
    return 0;
}

static int make_turntable(demo *d) {
    static const demo_parameter cells[] = {{"columns", 160}, {"rows", 160}, {"puff", 0.09}, {NULL, 0}};
    ruga_mesh *pillow = NULL;
    moment wrinkled = {0};
    int code = demo_model(d, "pillow", cells, &pillow);
    if (!code) code = moment_create(d->s, pillow, &wrinkled);
    ruga_vec3 *normals = code ? NULL : malloc(pillow->vertex_count * sizeof *normals);
    if (!code && !normals) code = session_no_memory(d->s);
    if (!code) {
        ruga_status status = ruga_mesh_normals(pillow, NULL, normals);
        if (RUGA_FAILED(status)) code = session_failed_output(d->s, status);
    }
    if (!code) {
        wrinkle_pillow(pillow, normals, wrinkled.positions);
        ruga_render_mesh look = ruga_render_mesh_default(pillow);
        look.frame = &wrinkled.frame;
        ruga_panel panel = {.mesh_count = 1, .meshes = &look, .camera = demo_camera(0, 30)};
        panel.camera.given = 1;
        panel.camera.up = (ruga_vec3){0, 1, 0};
        ruga_render_def def = demo_film_def(&panel);
        def.ground = 1;
        code = demo_film(d, "turntable.mp4", TURN_FRAMES, 24, &def, set_turn, &panel);
    }
    free(normals);
    moment_release(&wrinkled);
    ruga_mesh_destroy(pillow);
    return code;
}

/* ---- The mannequin: where it is at moments of one walk, all in one view; and its jump. */

enum { WALK_MOMENTS = 8 };

static int make_walk(demo *d, const ruga_mesh *body, ruga_motion *walk) {
    static const double times[WALK_MOMENTS] = {0, 0.72, 1.22, 1.83, 2.36, 2.97, 3.5, 4.4};
    moment moments[WALK_MOMENTS] = {0};
    ruga_render_mesh looks[WALK_MOMENTS];
    int code = 0;
    for (int i = 0; i < WALK_MOMENTS && !code; i++) {
        code = moment_create(d->s, body, &moments[i]);
        if (!code) code = moment_sample(d->s, walk, times[i], &moments[i]);
        looks[i] = ruga_render_mesh_default(body);
        looks[i].frame = &moments[i].frame;
    }
    ruga_panel panel = {.mesh_count = WALK_MOMENTS, .meshes = looks, .camera = demo_camera(-90, 5)};
    ruga_render_def def = demo_def(1800, 640, &panel, 1, 1);
    def.ground = 1;
    if (!code) code = demo_still(d, &def, "mannequin.png");
    for (int i = 0; i < WALK_MOMENTS; i++) moment_release(&moments[i]);
    return code;
}

#define JUMP_LINES                                    \
    "ruga make mannequin --action jump -o jump.glb\n" \
    "ruga render jump.glb --ground --eye 2.9,1.4,2.9 --target 0,0.98,0" DEMO_FILM " -o jump.mp4"

static int make_mannequin(demo *d) {
    static const double four_cycles[] = {1.1, 0.56, 4, 14, 1, 0};
    ruga_mesh *body = NULL;
    ruga_motion *walk = NULL;
    ruga_status status = ruga_model_make(d->s->context, "mannequin", NULL, &body);
    if (!RUGA_FAILED(status)) status = ruga_model_motion(d->s->context, "mannequin", NULL, "walk", four_cycles, &walk);
    int code = RUGA_FAILED(status) ? session_failed_output(d->s, status) : make_walk(d, body, walk);
    if (!code) code = demo_commands(d, JUMP_LINES);
    ruga_motion_destroy(walk);
    ruga_mesh_destroy(body);
    return code;
}

static const demo_item items[] = {
    {.name = "ripple",
     .title = "Motion through files and back",
     .caption =
         "A rippling sheet, a function of time, written to a PC2 cache and to a GLB with morph targets, and read "
         "back: four moments from the cache, the film from the GLB.",
     .commands = "ruga convert sheet.obj --cache ripple.pc2 -o ripple.glb\n"
                 "ruga info ripple.glb\n"
                 "ruga render ripple.glb -o ripple.mp4",
     .files = {"ripple.png", "ripple.mp4"},
     .wide = 1,
     .make = make_ripple},
    {.name = "turntable",
     .title = "A turntable",
     .caption = "A pillow with wrinkles by formula, once around.",
     .commands = "ruga render pillow.obj --turntable 48 --ground -o turntable.mp4",
     .files = {"turntable.mp4"},
     .wide = 1,
     .make = make_turntable},
    {.name = "mannequin",
     .title = "A mannequin that walks and jumps",
     .caption =
         "A closed body by formula, with bones in it. Its steps are planned so that feet do not slip, in the air it "
         "falls by gravity, and in no pose does it intersect itself.",
     .commands = "ruga make mannequin -o mannequin.obj\n"
                 "ruga make mannequin --action walk --walk-cycles 4 -o walk.pc2\n"
                 "ruga convert mannequin.obj --cache walk.pc2 --time 1.22 -o step.obj\n" JUMP_LINES,
     .files = {"mannequin.png", "jump.mp4"},
     .wide = 1,
     .make = make_mannequin},
};

const demo_section demo_motion = {"motion", "Motion",
                                  "Caches, animated glTF and numbered sequences are one thing here: positions as a "
                                  "function of time.",
                                  items, sizeof items / sizeof items[0]};
