/* Demo: strokes on the forehead of a bust, a skirt, a shoe. */
#include <math.h>

#include "generated/strokes.h"
#include "section_sculpt.h"

static const ruga_colour leather = {0.62f, 0.43f, 0.31f};

/* For drafts. */
static const demo_parameter rough[] = {{"cells", 64}, {NULL, 0}};

/* ---- Foreheads: figure 11. Wrinkles run across the strokes. */

enum { FOREHEADS = 3, MOST_STROKES = 3, FRAMES = 25, FILMED = 2 };

typedef struct bust_scene {
    demo *d;
    ruga_mesh *bust;
    sculpture faces[FOREHEADS];
    moment posed; /* of the film */
} bust_scene;

typedef struct forehead {
    size_t count;
    sketch bases[MOST_STROKES];
} forehead;

static const forehead foreheads[FOREHEADS] = {
    {1, {{{{0, 0.284}, {0, 0.30}, {0, 0.315}, {0, 0.332}}}}},
    {2,
     {{{{-0.027, 0.287}, {-0.028, 0.30}, {-0.028, 0.315}, {-0.026, 0.331}}},
      {{{0.027, 0.287}, {0.028, 0.30}, {0.028, 0.315}, {0.026, 0.331}}}}},
    {3,
     {{{{-0.026, 0.286}, {-0.027, 0.30}, {-0.027, 0.315}, {-0.026, 0.331}}},
      {{{0, 0.286}, {0, 0.30}, {0, 0.315}, {0, 0.331}}},
      {{{0.026, 0.286}, {0.027, 0.30}, {0.027, 0.315}, {0.026, 0.331}}}}},
};

static int draw_forehead(demo *d, const ruga_mesh *bust, const forehead *what, sculpture *out) {
    int code = sculpture_open(d, bust, out);
    for (size_t i = 0; i < what->count && !code; i++) {
        const ruga_stroke_def def = demo_look("forehead");
        ruga_curve *curve = NULL;
        code = demo_sketch(d, bust, SKETCH_FRONT, &what->bases[i], &curve);
        if (!code) code = sculpture_add(out, curve, NULL, &def);
    }
    return code ? code : sculpture_update(out);
}

/* Lengths rise; they fall when the film returns. */
static int set_forehead_frame(void *user, size_t frame, ruga_render_def *def) {
    bust_scene *scene = user;
    double lengths[SCULPTURE_STROKES], part = 0.5 - 0.5 * cos(DEMO_PI * (double)frame / (FRAMES - 1));
    for (int i = 0; i < SCULPTURE_STROKES; i++) lengths[i] = 1 + 0.1 * part;
    (void)def;
    return demo_code(scene->d, ruga_sculpt_pose(scene->faces[FILMED].sculpt, scene->bust->positions, lengths,
                                                scene->posed.positions));
}

int demo_make_sculpt_forehead(demo *d) {
    static const char *const captions[FOREHEADS] = {"one stroke", "one above each brow", "three side by side"};
    ruga_camera camera = demo_eye((ruga_vec3){-0.2, 0.345, 0.75}, (ruga_vec3){-0.003, 0.276, 0.02}, 15);
    bust_scene scene = {.d = d};
    gallery g = {0};
    int code = demo_model(d, "bust", d->draft ? rough : NULL, &scene.bust);
    for (int i = 0; i < FOREHEADS && !code; i++) code = draw_forehead(d, scene.bust, &foreheads[i], &scene.faces[i]);
    if (code) return code;
    /* The upper row: the strokes as drawn; the lower one: the results. */
    ruga_render_mesh plain = ruga_render_mesh_default(scene.bust);
    for (int i = 0; i < FOREHEADS; i++) gallery_sculpture(&g, NULL, &plain, &scene.faces[i], CURVES_DRAWN, camera);
    for (int i = 0; i < FOREHEADS; i++) gallery_sculpture(&g, captions[i], NULL, &scene.faces[i], CURVES_NONE, camera);
    for (size_t i = 0; i < g.count; i++) g.looks[i].front = demo_skin;
    code = gallery_still(d, &g, 1500, 1000, FOREHEADS, "sculpt_forehead.png");
    if (!code) code = demo_moment(d, ruga_sculpt_mesh(scene.faces[FILMED].sculpt), &scene.posed);
    if (code) return code;
    g.looks[FOREHEADS + FILMED].frame = &scene.posed.frame;
    g.panels[FOREHEADS + FILMED].caption = NULL;
    const demo_film_def film = {.file = "sculpt_forehead.mp4",
                                .frames = FRAMES,
                                .course = FILM_RETURNS,
                                .panels = &g.panels[FOREHEADS + FILMED],
                                .panel_count = 1,
                                .set_up = set_forehead_frame,
                                .user = &scene};
    return demo_film(d, &film);
}

/* ---- A face by the example file: furrows along each wrinkle. */

int demo_make_sculpt_face(demo *d) {
    ruga_camera camera = demo_eye((ruga_vec3){-0.22, 0.3, 0.6}, (ruga_vec3){0, 0.257, 0.03}, 21);
    ruga_mesh *bust = NULL;
    sculpture face = {0};
    gallery g = {0};
    int code = demo_model(d, "bust", d->draft ? rough : NULL, &bust);
    if (!code) code = write_text_file(d->s, demo_path(d, "face.json"), strokes_face, sizeof strokes_face - 1);
    if (!code) code = sculpture_read(d, bust, demo_path(d, "face.json"), &face);
    if (!code) code = sculpture_update(&face);
    if (code) return code;
    ruga_render_mesh plain = ruga_render_mesh_default(bust);
    gallery_sculpture(&g, "the bust", &plain, &face, CURVES_NONE, camera);
    gallery_sculpture(&g, "thirteen furrows", &plain, &face, CURVES_DRAWN, camera);
    gallery_sculpture(&g, "the result", NULL, &face, CURVES_NONE, camera);
    for (size_t i = 0; i < g.count; i++) g.looks[i].front = demo_skin;
    return gallery_still(d, &g, 1500, 640, 3, "sculpt_face.png");
}

/* ---- The mesh with its strokes, the wrinkled curves, the result. colour NULL: that of cloth. */

enum { VIEWS = 3 };

static int show_sculpture(demo *d, const sculpture *s, const ruga_colour *colour, ruga_camera camera,
                          const char *const *captions, int height, const char *file) {
    gallery g = {0};
    ruga_render_mesh plain = ruga_render_mesh_default(s->mesh);
    gallery_sculpture(&g, captions[0], &plain, s, CURVES_DRAWN, camera);
    gallery_sculpture(&g, captions[1], NULL, s, CURVES_WRINKLED, camera);
    gallery_sculpture(&g, captions[2], NULL, s, CURVES_NONE, camera);
    for (int i = 0; i < VIEWS; i++) {
        demo_colour_cloth(&g.looks[i]);
        if (!colour) continue;
        g.looks[i].front = g.looks[i].back = *colour;
        g.looks[i].finish = RUGA_FINISH_PLAIN;
    }
    return gallery_still(d, &g, 1800, height, VIEWS, file);
}

/* ---- The skirt: figure 12. */

enum { RING_POINTS = 768 };

/* m; of a row of vertices, and of the top of the region. */
#define HEIGHT 0.6040005
#define RADIUS 0.4003431
#define TOP 0.934667
#define TOP_RADIUS 0.2037744

/* All around, along a row of vertices, where no narrow triangles are cut; and a curve up, along a column of them.
 * Between its points a curve is straight, so there are many. */
static int skirt_stroke(sculpture *s) {
    ruga_vec3 around[RING_POINTS];
    const ruga_vec3 up[2] = {{RADIUS, HEIGHT, 0}, {TOP_RADIUS, TOP, 0}};
    for (int i = 0; i < RING_POINTS; i++) {
        const double angle = 2 * DEMO_PI * i / RING_POINTS;
        around[i] = (ruga_vec3){RADIUS * sin(angle), HEIGHT, RADIUS * cos(angle)};
    }
    const ruga_stroke_def def = demo_look("skirt");
    ruga_curve_def closed = ruga_curve_def_default();
    ruga_curve *curves[2] = {NULL, NULL};
    closed.closed = 1;
    int code = demo_code(s->d, ruga_curve_from_points(s->mesh, around, RING_POINTS, &closed, &curves[0]));
    if (!code) code = demo_keep(s->d, DEMO_CURVE, curves[0]);
    if (!code) code = demo_draw(s->d, s->mesh, up, 2, &curves[1]);
    return code ? code : sculpture_add(s, curves[0], curves[1], &def);
}

int demo_make_sculpt_skirt(demo *d) {
    static const char *const captions[VIEWS] = {"one closed stroke and its reach", "the curve, wrinkled", "the skirt"};
    ruga_mesh *skirt = NULL;
    sculpture s = {0};
    int code = demo_model(d, "skirt", NULL, &skirt);
    if (!code) code = sculpture_open(d, skirt, &s);
    if (!code) code = skirt_stroke(&s);
    if (!code) code = sculpture_update(&s);
    ruga_camera camera = demo_eye((ruga_vec3){0.8, 1.55, 2.3}, (ruga_vec3){0, 0.79, 0}, 20);
    if (!code) sculpture_lift(&s, &camera, 0.05);
    return code ? code : show_sculpture(d, &s, NULL, camera, captions, 560, "sculpt_skirt.png");
}

/* ---- The shoe: figure 13. */

enum { SHOE_STROKES = 4 };

int demo_make_sculpt_shoe(demo *d) {
    static const char *const captions[VIEWS] = {"four strokes", "the curves, wrinkled", "the shoe"};
    static const sketch lines[SHOE_STROKES] = {{{{-0.03, 0.076}, {-0.03, 0.09}, {-0.03, 0.105}, {-0.03, 0.124}}},
                                               {{{-0.011, 0.076}, {-0.011, 0.09}, {-0.011, 0.105}, {-0.011, 0.126}}},
                                               {{{0.008, 0.076}, {0.008, 0.09}, {0.008, 0.105}, {0.008, 0.126}}},
                                               {{{0.027, 0.076}, {0.027, 0.09}, {0.027, 0.105}, {0.027, 0.124}}}};
    ruga_mesh *shoe = NULL;
    sculpture s = {0};
    const ruga_stroke_def def = demo_look("shoe");
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
    return code ? code : show_sculpture(d, &s, &leather, camera, captions, 460, "sculpt_shoe.png");
}
