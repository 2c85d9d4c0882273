/* Demo: strokes on things: the bust's forehead, a skirt, a shoe. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "demo_sculpt.h"

static const double pi = 3.14159265358979323846;
static const ruga_colour skin = {0.85f, 0.66f, 0.55f}, leather = {0.62f, 0.43f, 0.31f};

/* For drafts, of which nobody sees much. */
static const demo_parameter rough[] = {{"cells", 64}, {NULL, 0}};

/* ---- Foreheads: figure 11. Wrinkles go across the strokes. */

enum { FOREHEADS = 3, MOST_STROKES = 3, FRAMES = 20, FILMED = 2 };

typedef struct bust_scene {
    demo *d;
    ruga_mesh *bust;
    sculpture faces[FOREHEADS];
    ruga_render_mesh looks[FOREHEADS + 1];
    ruga_render_curve curves[FOREHEADS][2 * SCULPTURE_STROKES];
    ruga_panel panels[2 * FOREHEADS];
    ruga_vec3 *posed;
    ruga_frame frame;
} bust_scene;

typedef struct forehead {
    sketch base;
    double radius; /* m */
    int wrinkles, seed;
} forehead_stroke;

static const forehead_stroke strokes[FOREHEADS][MOST_STROKES] = {
    {{{{{0, 0.284}, {0, 0.30}, {0, 0.315}, {0, 0.332}}}, 0.05, 6, 1}},
    {{{{{-0.027, 0.287}, {-0.028, 0.30}, {-0.028, 0.315}, {-0.026, 0.331}}}, 0.027, 6, 1},
     {{{{0.027, 0.287}, {0.028, 0.30}, {0.028, 0.315}, {0.026, 0.331}}}, 0.027, 6, 1}},
    {{{{{-0.028, 0.286}, {-0.029, 0.30}, {-0.029, 0.313}, {-0.028, 0.328}}}, 0.04, 6, 1},
     {{{{0, 0.286}, {0, 0.30}, {0, 0.315}, {0, 0.332}}}, 0.04, 6, 1},
     {{{{0.028, 0.286}, {0.029, 0.30}, {0.029, 0.313}, {0.028, 0.328}}}, 0.04, 6, 1}},
};

static int draw_forehead(demo *d, const ruga_mesh *bust, const forehead_stroke *all, sculpture *out) {
    int code = sculpture_open(d, bust, out);
    for (int i = 0; i < MOST_STROKES && all[i].radius > 0 && !code; i++) {
        ruga_stroke_def def = ruga_stroke_def_default();
        ruga_curve *curve = NULL;
        def.radius = all[i].radius;
        def.start = RUGA_STROKE_COUNT;
        def.wrinkles = all[i].wrinkles;
        def.seed = all[i].seed;
        def.refine = 2;
        def.tolerance = 3e-5; /* m, less than the light shows */
        code = demo_sketch(d, bust, SKETCH_FRONT, &all[i].base, &curve);
        if (!code) code = sculpture_add(out, curve, NULL, &def);
    }
    return code ? code : sculpture_update(out);
}

static void arrange_foreheads(bust_scene *scene) {
    static const char *const captions[FOREHEADS] = {"one stroke", "one above each brow", "three side by side"};
    ruga_camera camera = demo_eye((ruga_vec3){0.2, 0.345, 0.75}, (ruga_vec3){0.003, 0.276, 0.02}, 15);
    scene->looks[FOREHEADS] = ruga_render_mesh_default(scene->bust);
    scene->looks[FOREHEADS].front = skin;
    for (int i = 0; i < FOREHEADS; i++) {
        scene->looks[i] = sculpture_look(&scene->faces[i]);
        scene->looks[i].front = skin;
        scene->panels[i] = (ruga_panel){.mesh_count = 1,
                                        .meshes = &scene->looks[FOREHEADS],
                                        .curve_count = sculpture_curves(&scene->faces[i], 0, 0, scene->curves[i]),
                                        .curves = scene->curves[i],
                                        .camera = camera};
        scene->panels[FOREHEADS + i] =
            (ruga_panel){.caption = captions[i], .mesh_count = 1, .meshes = &scene->looks[i], .camera = camera};
    }
}

/* Lengths rise and fall. */
static int set_forehead_frame(void *user, size_t frame, ruga_render_def *def) {
    bust_scene *scene = user;
    double lengths[SCULPTURE_STROKES], part = 0.5 - 0.5 * cos(2 * pi * (double)frame / FRAMES);
    for (int i = 0; i < SCULPTURE_STROKES; i++) lengths[i] = 1 + 0.3 * part;
    def->panels = &scene->panels[FOREHEADS + FILMED];
    return demo_failed(scene->d,
                       ruga_sculpt_pose(scene->faces[FILMED].sculpt, scene->bust->positions, lengths, scene->posed));
}

static int film_forehead(demo *d, bust_scene *scene) {
    size_t count = ruga_sculpt_mesh(scene->faces[FILMED].sculpt)->vertex_count;
    scene->posed = malloc(count * sizeof *scene->posed);
    if (!scene->posed) return session_no_memory(d->s);
    scene->frame = (ruga_frame){.vertex_count = count, .positions = scene->posed};
    scene->looks[FILMED].frame = &scene->frame;
    scene->panels[FOREHEADS + FILMED].caption = NULL;
    ruga_render_def def = demo_film_def(&scene->panels[FOREHEADS + FILMED]);
    def.width = 380;
    def.height = 330;
    def.samples = 4;
    def.occlusion_samples = 6;
    return demo_film(d, "sculpt_forehead.mp4", FRAMES, 16, &def, set_forehead_frame, scene);
}

int demo_make_sculpt_forehead(demo *d) {
    bust_scene *scene = calloc(1, sizeof *scene);
    if (!scene) return session_no_memory(d->s);
    scene->d = d;
    int code = demo_model(d, "bust", d->draft ? rough : NULL, &scene->bust);
    for (int i = 0; i < FOREHEADS && !code; i++) code = draw_forehead(d, scene->bust, strokes[i], &scene->faces[i]);
    if (!code) arrange_foreheads(scene);
    ruga_render_def def = demo_def(1500, 1000, scene->panels, 2 * FOREHEADS, FOREHEADS);
    def.samples = 8;
    def.occlusion_samples = 8;
    if (!code) code = demo_still(d, &def, "sculpt_forehead.png");
    if (!code) code = film_forehead(d, scene);
    for (int i = 0; i < FOREHEADS; i++) sculpture_close(&scene->faces[i]);
    free(scene->posed);
    ruga_mesh_destroy(scene->bust);
    free(scene);
    return code;
}

/* ---- A thing before, with its strokes, and after. colour: NULL: of cloth. */

enum { VIEWS = 3 };

static int show_thing(demo *d, const sculpture *s, const ruga_colour *colour, ruga_camera camera,
                      const char *const *captions, int height, const char *file) {
    ruga_render_mesh looks[VIEWS] = {ruga_render_mesh_default(s->mesh), sculpture_look(s), sculpture_look(s)};
    ruga_render_curve curves[VIEWS][2 * SCULPTURE_STROKES];
    ruga_panel panels[VIEWS];
    for (int i = 0; i < VIEWS; i++) {
        demo_colour_cloth(&looks[i]);
        if (colour) looks[i].front = looks[i].back = *colour;
        panels[i] = (ruga_panel){
            .caption = captions[i], .mesh_count = 1, .meshes = &looks[i], .curves = curves[i], .camera = camera};
        if (i < 2) panels[i].curve_count = sculpture_curves(s, i, !i, curves[i]);
    }
    ruga_render_def def = demo_def(1800, height, panels, VIEWS, VIEWS);
    def.samples = 8;
    def.occlusion_samples = 8;
    return demo_still(d, &def, file);
}

/* ---- The skirt: figure 12. */

enum { SKIRT_STROKES = 4, ARC_POINTS = 13 };

/* A quarter of the way around, at a height; and a curve up from its middle. */
static int skirt_stroke(sculpture *s, int number) {
    static const double height = 0.6, half_width = 44 * pi / 180;
    double middle = pi / 4 + number * pi / 2;
    ruga_vec3 around[ARC_POINTS], up[2];
    for (int i = 0; i < ARC_POINTS; i++) {
        double angle = middle + half_width * (2.0 * i / (ARC_POINTS - 1) - 1);
        around[i] = (ruga_vec3){0.4 * sin(angle), height, 0.39 * cos(angle)};
    }
    up[0] = (ruga_vec3){0.4 * sin(middle), height, 0.39 * cos(middle)};
    up[1] = (ruga_vec3){0.24 * sin(middle), 0.93, 0.22 * cos(middle)};
    ruga_stroke_def def = ruga_stroke_def_default();
    def.start = RUGA_STROKE_COUNT;
    def.wrinkles = 5;
    def.refine = 2;
    ruga_curve *curves[2] = {NULL, NULL};
    int code = demo_draw(s->d, s->mesh, around, ARC_POINTS, &curves[0]);
    if (!code) code = demo_draw(s->d, s->mesh, up, 2, &curves[1]);
    return code ? code : sculpture_add(s, curves[0], curves[1], &def);
}

int demo_make_sculpt_skirt(demo *d) {
    static const char *const captions[VIEWS] = {"four strokes and their reach", "the curves, wrinkled", "the skirt"};
    ruga_mesh *skirt = NULL;
    sculpture s = {0};
    int code = demo_model(d, "skirt", NULL, &skirt);
    if (!code) code = sculpture_open(d, skirt, &s);
    for (int i = 0; i < SKIRT_STROKES && !code; i++) code = skirt_stroke(&s, i);
    if (!code) code = sculpture_update(&s);
    ruga_camera camera = demo_eye((ruga_vec3){0.8, 1.55, 2.3}, (ruga_vec3){0, 0.79, 0}, 20);
    if (!code) sculpture_lift(&s, &camera, 0.05);
    if (!code) code = show_thing(d, &s, NULL, camera, captions, 560, "sculpt_skirt.png");
    sculpture_close(&s);
    ruga_mesh_destroy(skirt);
    return code;
}

/* ---- The shoe: figure 13. */

enum { SHOE_STROKES = 4 };

int demo_make_sculpt_shoe(demo *d) {
    static const char *const captions[VIEWS] = {"four strokes", "the curves, wrinkled", "the shoe"};
    static const sketch lines[SHOE_STROKES] = {{{{-0.034, 0.076}, {-0.036, 0.09}, {-0.036, 0.105}, {-0.034, 0.122}}},
                                               {{{-0.013, 0.077}, {-0.014, 0.09}, {-0.014, 0.105}, {-0.013, 0.126}}},
                                               {{{0.009, 0.077}, {0.009, 0.09}, {0.009, 0.105}, {0.008, 0.126}}},
                                               {{{0.029, 0.076}, {0.031, 0.09}, {0.031, 0.105}, {0.029, 0.12}}}};
    ruga_mesh *shoe = NULL;
    sculpture s = {0};
    ruga_stroke_def def = ruga_stroke_def_default();
    def.radius = 0.04;
    def.length = 1.15;
    def.start = RUGA_STROKE_COUNT;
    def.wrinkles = 4;
    def.refine = 2;
    int code = demo_model(d, "shoe", d->draft ? rough : NULL, &shoe);
    if (!code) code = sculpture_open(d, shoe, &s);
    for (int i = 0; i < SHOE_STROKES && !code; i++) {
        ruga_curve *curve = NULL;
        code = demo_sketch(d, shoe, SKETCH_ABOVE, &lines[i], &curve);
        if (!code) code = sculpture_add(&s, curve, NULL, &def);
    }
    if (!code) code = sculpture_update(&s);
    ruga_camera camera = demo_eye((ruga_vec3){0.4, 0.44, 0.47}, (ruga_vec3){0, 0.045, 0.055}, 17);
    if (!code) sculpture_lift(&s, &camera, 0.01);
    if (!code) code = show_thing(d, &s, &leather, camera, captions, 460, "sculpt_shoe.png");
    sculpture_close(&s);
    ruga_mesh_destroy(shoe);
    return code;
}
