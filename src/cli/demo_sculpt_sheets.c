/* Demo: strokes on sheets and tubes: how a wrinkle comes about, stiffness, refinement, blending, crossings, curtains. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo_sculpt.h"

/* ---- From a stroke to a wrinkle: figure 2. */

enum { PROCESS_PANELS = 6, PARTICLES = 50 };

typedef struct process_scene {
    ruga_mesh *dome;
    sculpture stages[3]; /* cut only, as coarse as it is, refined */
    ruga_render_mesh looks[PROCESS_PANELS];
    ruga_render_curve curves[PROCESS_PANELS][2 * SCULPTURE_STROKES];
    ruga_vec3 particles[2][PARTICLES];
    ruga_render_points dots[2];
    ruga_vec3 *lowered; /* the dome below its wrinkled curve */
    ruga_frame below;
    ruga_panel panels[PROCESS_PANELS];
} process_scene;

static double dome_height(double x, double z) { return -0.35 * (x * x + z * z); }

/* An irregular sheet that bulges. */
static int make_dome(demo *d, ruga_mesh **out) {
    static const demo_parameter cells[] = {{"width", 1}, {"length", 0.7},      {"columns", 20},
                                           {"rows", 14}, {"triangulation", 2}, {NULL, 0}};
    ruga_mesh *sheet = NULL;
    int code = demo_model(d, "sheet", cells, &sheet);
    if (code) return code;
    ruga_vec3 *points = malloc(sheet->vertex_count * sizeof *points);
    if (!points) code = session_no_memory(d->s);
    for (size_t i = 0; i < sheet->vertex_count && !code; i++) {
        ruga_vec3 p = sheet->positions[i];
        points[i] = (ruga_vec3){p.x, dome_height(p.x, p.z), p.z};
    }
    if (!code) code = demo_mesh(d, points, sheet->vertex_count, NULL, sheet->triangles, sheet->triangle_count, out);
    free(points);
    ruga_mesh_destroy(sheet);
    return code;
}

/* A curve of the dome, from one place to another in an arc. */
static int draw_on_dome(demo *d, const ruga_mesh *dome, const double from[2], const double to[2], double arc, int count,
                        ruga_curve **out) {
    ruga_vec3 points[8];
    for (int i = 0; i < count; i++) {
        double t = (double)i / (count - 1), bow = 4 * arc * t * (1 - t);
        double x = from[0] + t * (to[0] - from[0]), z = from[1] + t * (to[1] - from[1]) + bow;
        points[i] = (ruga_vec3){x, dome_height(x, z), z};
    }
    return demo_draw(d, dome, points, (size_t)count, out);
}

static int process_stage(demo *d, process_scene *scene, int stage) {
    static const double ends[4][2] = {{-0.36, 0}, {0.36, -0.04}, {0.03, 0.26}, {0.02, -0.24}};
    ruga_stroke_def def = ruga_stroke_def_default();
    ruga_curve *curves[2] = {NULL, NULL};
    def.length = stage ? 1.3 : 1;
    def.refine = stage == 2 ? 2 : 0;
    def.start = RUGA_STROKE_COUNT;
    def.wrinkles = 5;
    int code = sculpture_open(d, scene->dome, &scene->stages[stage]);
    if (!code) code = draw_on_dome(d, scene->dome, ends[0], ends[1], 0.05, 8, &curves[0]);
    if (!code) code = draw_on_dome(d, scene->dome, ends[2], ends[3], 0, 2, &curves[1]);
    if (!code) code = sculpture_add(&scene->stages[stage], curves[0], curves[1], &def);
    return code ? code : sculpture_update(&scene->stages[stage]);
}

static void arrange_process(process_scene *scene) {
    static const char *const captions[PROCESS_PANELS] = {
        "base and region curve", "edges follow the curves", "particles", "at rest", "as coarse as it is", "refined"};
    static const int stages[PROCESS_PANELS] = {0, 0, 0, 0, 1, 2};
    ruga_camera camera = demo_eye((ruga_vec3){0.3, 1.2, 1.2}, (ruga_vec3){0, -0.1, 0.03}, 29);
    for (int i = 0; i < 2; i++) {
        line_particles(&scene->stages[2].lines[0], i, PARTICLES, scene->particles[i]);
        scene->dots[i] = (ruga_render_points){scene->particles[i], PARTICLES, {0.15f, 0.16f, 0.2f}, 11};
    }
    sculpture_lift(&scene->stages[2], &camera, 0.1);
    for (int i = 0; i < PROCESS_PANELS; i++) {
        const sculpture *stage = &scene->stages[stages[i]];
        scene->looks[i] = i == 0 ? demo_wire(scene->dome) : demo_wire(ruga_sculpt_mesh(stage->sculpt));
        scene->looks[i].wire_width = 1;
        scene->panels[i] = (ruga_panel){.caption = captions[i],
                                        .mesh_count = 1,
                                        .meshes = &scene->looks[i],
                                        .curves = scene->curves[i],
                                        .camera = camera};
        if (i < 2) scene->panels[i].curve_count = sculpture_curves(stage, 0, 1, scene->curves[i]);
        if (i > 3) scene->panels[i].curve_count = sculpture_curves(&scene->stages[2], 1, 0, scene->curves[i]);
    }
    for (size_t i = 0; i < scene->panels[1].curve_count; i++) scene->curves[1][i].width = 2;
    for (int i = 0; i < 2; i++) {
        scene->panels[2 + i].point_sets = &scene->dots[i];
        scene->panels[2 + i].point_set_count = 1;
        scene->looks[2 + i] = ruga_render_mesh_default(scene->dome);
    }
    scene->looks[3].frame = &scene->below;
    scene->looks[5].wire_width = 0.35f;
    scene->looks[5].wire = (ruga_colour){0.5f, 0.5f, 0.5f};
    scene->looks[5].shading = RUGA_SHADING_SMOOTH;
}

/* A mesh some way down, so that it hides nothing of what would else go through it. */
static int lower(demo *d, const ruga_mesh *mesh, double by, ruga_vec3 **positions, ruga_frame *frame) {
    *positions = malloc(mesh->vertex_count * sizeof **positions);
    if (!*positions) return session_no_memory(d->s);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        (*positions)[i] = mesh->positions[i];
        (*positions)[i].y -= by;
    }
    *frame = (ruga_frame){.vertex_count = mesh->vertex_count, .positions = *positions};
    return 0;
}

int demo_make_sculpt_process(demo *d) {
    process_scene *scene = calloc(1, sizeof *scene);
    if (!scene) return session_no_memory(d->s);
    int code = make_dome(d, &scene->dome);
    for (int i = 0; i < 3 && !code; i++) code = process_stage(d, scene, i);
    if (!code) code = lower(d, scene->dome, 0.06, &scene->lowered, &scene->below);
    if (!code) arrange_process(scene);
    ruga_render_def def = demo_def(1800, 960, scene->panels, PROCESS_PANELS, 3);
    def.samples = 8;
    def.occlusion_samples = 8;
    if (!code) code = demo_still(d, &def, "sculpt_process.png");
    for (int i = 0; i < 3; i++) sculpture_close(&scene->stages[i]);
    ruga_mesh_destroy(scene->dome);
    free(scene->lowered);
    free(scene);
    return code;
}

/* ---- Stiffness: figure 5. */

enum { FAMILY = 5, SEEDS = 50, FAMILY_SHOWN = 20 };
static const double family_stiffness[FAMILY] = {5, 10, 20, 40, 70};

typedef struct family {
    ruga_mesh *strip;
    sculpture sketch;
    double *x[FAMILY], *y[FAMILY]; /* 1, of the curves, over their length */
    size_t counts[FAMILY];
    double mean[FAMILY], low[FAMILY], high[FAMILY]; /* wrinkles */
} family;

static int family_open(demo *d, family *f) {
    static const demo_parameter cells[] = {{"width", 1}, {"length", 0.1}, {"columns", 100}, {"rows", 4}, {NULL, 0}};
    static const ruga_vec3 along[] = {{-0.499, 0, 0}, {0.499, 0, 0}};
    ruga_stroke_def def = ruga_stroke_def_default();
    ruga_curve *curve = NULL;
    def.refine = 0;
    int code = demo_model(d, "sheet", cells, &f->strip);
    if (!code) code = sculpture_open(d, f->strip, &f->sketch);
    if (!code) code = demo_draw(d, f->strip, along, 2, &curve);
    return code ? code : sculpture_add(&f->sketch, curve, NULL, &def);
}

static int family_retune(family *f, double stiffness, int seed) {
    ruga_stroke_def def = ruga_stroke_def_default();
    def.curve = f->sketch.bases[0];
    def.refine = 0;
    def.stiffness = stiffness;
    def.seed = seed;
    return demo_failed(f->sketch.d, ruga_sculpt_set(f->sketch.sculpt, 0, &def));
}

/* Mean and deviation of the number of wrinkles. */
static int family_count(family *f, int k) {
    double sum = 0, squares = 0;
    int code = 0;
    for (int seed = 1; seed <= SEEDS && !code; seed++) {
        code = family_retune(f, family_stiffness[k], seed);
        if (!code) code = demo_failed(f->sketch.d, ruga_sculpt_update(f->sketch.sculpt, 0, NULL));
        double count = (double)ruga_sculpt_stroke_info(f->sketch.sculpt, 0).extrema;
        sum += count;
        squares += count * count;
    }
    f->mean[k] = sum / SEEDS;
    double deviation = sqrt(fmax(squares / SEEDS - f->mean[k] * f->mean[k], 0));
    f->low[k] = f->mean[k] - deviation;
    f->high[k] = f->mean[k] + deviation;
    return code;
}

/* The curve itself, set apart from the others. */
static int family_shape(family *f, int k) {
    int code = family_retune(f, family_stiffness[k], FAMILY_SHOWN);
    if (!code) code = sculpture_update(&f->sketch);
    if (code) return code;
    const traced_line *line = &f->sketch.lines[0];
    f->counts[k] = line->count;
    f->x[k] = malloc(line->count * sizeof **f->x);
    f->y[k] = malloc(line->count * sizeof **f->y);
    if (!f->x[k] || !f->y[k]) return session_no_memory(f->sketch.d->s);
    for (size_t i = 0; i < line->count; i++) {
        f->x[k][i] = line->wrinkled[i].x + 0.5;
        f->y[k][i] = line->wrinkled[i].y - 0.4 * k;
    }
    return 0;
}

static int family_plot(demo *d, const family *f) {
    ruga_plot_series series[FAMILY];
    char names[FAMILY][48];
    for (int k = 0; k < FAMILY; k++) {
        snprintf(names[k], sizeof names[k], "k_r = %g, mean of %.1f wrinkles", family_stiffness[k], f->mean[k]);
        series[k] = (ruga_plot_series){.name = names[k], .x = f->x[k], .y = f->y[k], .count = f->counts[k]};
    }
    ruga_plot_def def = ruga_plot_def_default();
    def.title = "Five curves with the same target length, 1.3 L";
    def.x_label = "place along the stroke / L";
    def.y_label = "height / L, each 0.4 below the last";
    def.x_low = 0, def.x_high = 1.6;
    def.legend = RUGA_PLOT_LEGEND_TOP_RIGHT;
    def.series = series, def.series_count = FAMILY;
    int code = demo_write_plot(d, &def, "sculpt_family.png", "sculpt_family.svg");

    ruga_plot_series counts = {.name = "mean, and standard deviation",
                               .x = family_stiffness,
                               .y = f->mean,
                               .y_low = f->low,
                               .y_high = f->high,
                               .count = FAMILY,
                               .kind = RUGA_PLOT_BOTH};
    def = ruga_plot_def_default();
    def.title = "Wrinkles of 50 seeds";
    def.x_label = "stiffness k_r";
    def.y_label = "wrinkles";
    def.x_log = 1;
    def.series = &counts, def.series_count = 1;
    return code ? code : demo_write_plot(d, &def, "sculpt_counts.png", "sculpt_counts.svg");
}

int demo_make_sculpt_family(demo *d) {
    family f = {0};
    int code = family_open(d, &f);
    for (int k = 0; k < FAMILY && !code; k++) {
        code = family_count(&f, k);
        if (!code) code = family_shape(&f, k);
    }
    if (!code) code = family_plot(d, &f);
    for (int k = 0; k < FAMILY; k++) {
        free(f.x[k]);
        free(f.y[k]);
    }
    sculpture_close(&f.sketch);
    ruga_mesh_destroy(f.strip);
    return code;
}

/* ---- Panels of sculptures, each with its curves. */

enum { MAX_SHOWN = 6 };

typedef struct gallery {
    size_t count;
    ruga_render_mesh looks[MAX_SHOWN];
    ruga_render_curve curves[MAX_SHOWN][2 * SCULPTURE_STROKES];
    ruga_panel panels[MAX_SHOWN];
} gallery;

/* curves: 0 none, 1 as drawn, with regions, 2 wrinkled. Returns the panel, to be changed further. */
static ruga_panel *show(gallery *g, const char *caption, ruga_render_mesh look, const sculpture *s, int curves,
                        ruga_camera camera) {
    size_t i = g->count++;
    g->looks[i] = look;
    g->panels[i] = (ruga_panel){
        .caption = caption, .mesh_count = 1, .meshes = &g->looks[i], .curves = g->curves[i], .camera = camera};
    if (curves) g->panels[i].curve_count = sculpture_curves(s, curves == 2, curves == 1, g->curves[i]);
    return &g->panels[i];
}

static int hang(demo *d, const gallery *g, int width, int height, const char *file) {
    ruga_render_def def = demo_def(width, height, g->panels, g->count, (int)g->count);
    def.samples = 8;
    def.occlusion_samples = 8;
    return demo_still(d, &def, file);
}

/* ---- Ends of a stroke. */

static int ends_stroke(demo *d, const ruga_mesh *sheet, ruga_stroke_ends ends, sculpture *out) {
    static const ruga_vec3 along[] = {{-0.36, 0, 0}, {0.36, 0, 0}};
    ruga_stroke_def def = ruga_stroke_def_default();
    ruga_curve *curve = NULL;
    def.radius = 0.24;
    def.refine = 3;
    def.start = RUGA_STROKE_COUNT;
    def.ends = ends;
    int code = sculpture_open(d, sheet, out);
    if (!code) code = demo_draw(d, sheet, along, 2, &curve);
    if (!code) code = sculpture_add(out, curve, NULL, &def);
    return code ? code : sculpture_update(out);
}

int demo_make_sculpt_ends(demo *d) {
    static const demo_parameter cells[] = {{"width", 1}, {"length", 0.6}, {"columns", 50}, {"rows", 30}, {NULL, 0}};
    ruga_mesh *sheet = NULL;
    sculpture both[2] = {0};
    gallery *g = calloc(1, sizeof *g);
    if (!g) return session_no_memory(d->s);
    int code = demo_model(d, "sheet", cells, &sheet);
    if (!code) code = ends_stroke(d, sheet, RUGA_ENDS_PRINTED, &both[0]);
    if (!code) code = ends_stroke(d, sheet, RUGA_ENDS_SOFT, &both[1]);
    if (!code) {
        ruga_camera camera = demo_eye((ruga_vec3){0.15, 0.95, 1.3}, (ruga_vec3){0, 0, 0.02}, 28);
        show(g, "the paper's ends", sculpture_look(&both[0]), NULL, 0, camera);
        show(g, "soft ends", sculpture_look(&both[1]), NULL, 0, camera);
        code = hang(d, g, 1400, 420, "sculpt_ends.png");
    }
    for (int i = 0; i < 2; i++) sculpture_close(&both[i]);
    ruga_mesh_destroy(sheet);
    free(g);
    return code;
}

/* ---- Refinement: figure 7. */

static int sleeve_stroke(demo *d, const ruga_mesh *sleeve, int refine, sculpture *out) {
    static const ruga_vec3 along[] = {{0, -0.27, 0.2}, {0, 0.27, 0.2}};
    ruga_stroke_def def = ruga_stroke_def_default();
    ruga_curve *curve = NULL;
    def.refine = refine;
    def.radius = 0.3;
    def.start = RUGA_STROKE_COUNT;
    def.wrinkles = 5;
    int code = sculpture_open(d, sleeve, out);
    if (!code) code = demo_draw(d, sleeve, along, 2, &curve);
    if (!code) code = sculpture_add(out, curve, NULL, &def);
    return code ? code : sculpture_update(out);
}

int demo_make_sculpt_refine(demo *d) {
    static const demo_parameter cells[] = {
        {"radius", 0.18}, {"height", 0.8}, {"sectors", 32}, {"rings", 16}, {NULL, 0}};
    ruga_mesh *sleeve = NULL;
    sculpture both[2] = {0};
    gallery *g = calloc(1, sizeof *g);
    if (!g) return session_no_memory(d->s);
    int code = demo_model(d, "cylinder", cells, &sleeve);
    for (int i = 0; i < 2 && !code; i++) code = sleeve_stroke(d, sleeve, 3 * i, &both[i]);
    if (!code) {
        ruga_camera camera = demo_eye((ruga_vec3){0.75, 0.3, 1.3}, (ruga_vec3){0, -0.01, 0}, 33);
        for (int i = 0; i < 2; i++) sculpture_lift(&both[i], &camera, 0.1);
        show(g, "a stroke on a coarse sleeve", demo_wire(sleeve), &both[0], 1, camera);
        ruga_panel *coarse =
            show(g, "without refinement", demo_wire(ruga_sculpt_mesh(both[0].sculpt)), &both[0], 2, camera);
        g->curves[1][0].colour = (ruga_colour){0.15f, 0.40f, 0.70f};
        coarse->curve_count += sculpture_curves(&both[1], 1, 0, &g->curves[1][1]);
        ruga_render_mesh fine = demo_wire(ruga_sculpt_mesh(both[1].sculpt));
        fine.wire_width = 0.3f;
        show(g, "with refinement", fine, &both[1], 2, camera);
        show(g, "the sleeve", sculpture_look(&both[1]), NULL, 0, camera);
        code = hang(d, g, 1800, 560, "sculpt_refine.png");
    }
    for (int i = 0; i < 2; i++) sculpture_close(&both[i]);
    ruga_mesh_destroy(sleeve);
    free(g);
    return code;
}

/* ---- Regions that overlap: figure 8. On a flat sheet distances are plain. */

enum { BLENDS = 3, OUTLINE = 64 };
static const double blend_radius = 0.2;
static const ruga_vec3 blend_strokes[2][2] = {{{-0.4, 0, -0.11}, {0.26, 0, -0.15}}, {{-0.24, 0, 0.15}, {0.4, 0, 0.1}}};

typedef enum blend_kind { BLEND_CLOSEST, BLEND_PRINTED, BLEND_OURS } blend_kind;

/* The distance of a place from a line, and how high the line was raised at the nearest one. */
static double line_nearest(const traced_line *line, ruga_vec3 p, double *height) {
    double best = INFINITY;
    for (size_t i = 0; i + 1 < line->count; i++) {
        ruga_vec3 a = line->drawn[i], b = line->drawn[i + 1];
        double dx = b.x - a.x, dz = b.z - a.z, squared = dx * dx + dz * dz;
        double t = squared > 0 ? fmin(fmax(((p.x - a.x) * dx + (p.z - a.z) * dz) / squared, 0), 1) : 0;
        double away = hypot(p.x - a.x - t * dx, p.z - a.z - t * dz);
        if (!(away < best)) continue;
        best = away;
        *height = (1 - t) * line->wrinkled[i].y + t * line->wrinkled[i + 1].y;
    }
    return best;
}

static double bell(double x) {
    double x2 = x * x;
    return x < 1 ? 1 + x2 * (-22 + x2 * (17 - 4 * x2)) / 9 : 0;
}

/* How the paper would raise a place. */
static double paper_height(const sculpture *s, ruga_vec3 p, blend_kind kind) {
    double nearest = INFINITY, of_nearest = 0, sum = 0, weights = 0;
    for (size_t i = 0; i < s->stroke_count; i++) {
        double height = 0, away = fmax(line_nearest(&s->lines[i], p, &height), 1e-9);
        if (away < nearest) {
            nearest = away;
            of_nearest = height;
        }
        if (away >= blend_radius) continue;
        sum += height / away;
        weights += 1 / away;
    }
    if (kind == BLEND_CLOSEST) return bell(nearest / blend_radius) * of_nearest;
    return weights > 0 ? sum / weights : 0;
}

/* The greatest slope of any edge: it grows without bound where the surface jumps. */
static double greatest_slope(const ruga_mesh *mesh, const ruga_vec3 *p) {
    double greatest = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            ruga_vec3 a = p[mesh->triangles[3 * t + (size_t)k]], b = p[mesh->triangles[3 * t + (size_t)(k + 1) % 3]];
            greatest = fmax(greatest, fabs(a.y - b.y) / fmax(hypot(a.x - b.x, a.z - b.z), 1e-9));
        }
    return greatest;
}

/* The border of a region: within a radius of a segment. */
static void outline(const ruga_vec3 ends[2], ruga_vec3 *out) {
    double along = atan2(ends[1].z - ends[0].z, ends[1].x - ends[0].x);
    for (int i = 0; i < OUTLINE; i++) {
        int end = i >= OUTLINE / 2;
        double part = (double)(i - end * OUTLINE / 2) / (OUTLINE / 2 - 1);
        double angle = along + 3.14159265358979323846 * (0.5 + part + end);
        out[i] = (ruga_vec3){ends[end].x + blend_radius * cos(angle), 0, ends[end].z + blend_radius * sin(angle)};
    }
}

typedef struct blend_scene {
    ruga_mesh *sheet;
    sculpture sketch;
    ruga_vec3 outlines[2][OUTLINE];
    ruga_vec3 *positions[BLENDS]; /* of the paper's two; ours are the result's */
    ruga_frame frames[BLENDS];
    char captions[BLENDS][80];
    gallery shown;
} blend_scene;

static int draw_blend_strokes(demo *d, blend_scene *scene) {
    ruga_stroke_def def = ruga_stroke_def_default();
    def.radius = blend_radius;
    def.length = 1.25;
    def.refine = 2;
    def.start = RUGA_STROKE_COUNT;
    int code = 0;
    for (int i = 0; i < 2 && !code; i++) {
        ruga_curve *curve = NULL;
        def.wrinkles = 4 - i;
        code = demo_draw(d, scene->sheet, blend_strokes[i], 2, &curve);
        if (!code) code = sculpture_add(&scene->sketch, curve, NULL, &def);
        outline(blend_strokes[i], scene->outlines[i]);
    }
    return code ? code : sculpture_update(&scene->sketch);
}

static int raise_by(demo *d, blend_scene *scene, blend_kind kind) {
    static const char *const names[BLENDS] = {"the closest curve alone", "the blend as it is printed", "ours"};
    const ruga_mesh *fine = ruga_sculpt_mesh(scene->sketch.sculpt);
    ruga_vec3 *p = scene->positions[kind] = malloc(fine->vertex_count * sizeof *p);
    if (!p) return session_no_memory(d->s);
    memcpy(p, fine->positions, fine->vertex_count * sizeof *p);
    for (size_t i = 0; i < fine->vertex_count && kind != BLEND_OURS; i++)
        p[i].y = paper_height(&scene->sketch, p[i], kind);
    scene->frames[kind] = (ruga_frame){.vertex_count = fine->vertex_count, .positions = p};
    snprintf(scene->captions[kind], sizeof scene->captions[kind], "%s: slopes up to %.1f", names[kind],
             greatest_slope(fine, p));
    return 0;
}

static void arrange_blend(blend_scene *scene) {
    ruga_camera camera = demo_eye((ruga_vec3){0.2, 1.5, 1.6}, (ruga_vec3){-0.01, 0, 0.03}, 32);
    ruga_panel *first = show(&scene->shown, "two strokes and their regions", ruga_render_mesh_default(scene->sheet),
                             &scene->sketch, 1, camera);
    for (int i = 0; i < 2; i++)
        scene->shown.curves[0][first->curve_count++] =
            (ruga_render_curve){scene->outlines[i], OUTLINE, {0.15f, 0.40f, 0.70f}, 3, 1};
    for (int i = 0; i < BLENDS; i++) {
        ruga_render_mesh look = sculpture_look(&scene->sketch);
        look.frame = &scene->frames[i];
        look.crease_angle = 50;
        show(&scene->shown, scene->captions[i], look, NULL, 0, camera);
    }
}

int demo_make_sculpt_blend(demo *d) {
    static const demo_parameter cells[] = {{"width", 1.2}, {"length", 0.9}, {"columns", 72}, {"rows", 54}, {NULL, 0}};
    blend_scene *scene = calloc(1, sizeof *scene);
    if (!scene) return session_no_memory(d->s);
    int code = demo_model(d, "sheet", cells, &scene->sheet);
    if (!code) code = sculpture_open(d, scene->sheet, &scene->sketch);
    if (!code) code = draw_blend_strokes(d, scene);
    for (int i = 0; i < BLENDS && !code; i++) code = raise_by(d, scene, (blend_kind)i);
    if (!code) {
        arrange_blend(scene);
        code = hang(d, &scene->shown, 1800, 400, "sculpt_blend.png");
    }
    for (int i = 0; i < BLENDS; i++) free(scene->positions[i]);
    sculpture_close(&scene->sketch);
    ruga_mesh_destroy(scene->sheet);
    free(scene);
    return code;
}

/* ---- Strokes that cross. */

static const ruga_vec3 cross_strokes[2][2] = {{{-0.36, 0, -0.03}, {0.36, 0, 0.06}},
                                              {{-0.08, 0, -0.34}, {0.1, 0, 0.34}}};

static int draw_cross(demo *d, const ruga_mesh *sheet, unsigned which, sculpture *out) {
    ruga_stroke_def def = ruga_stroke_def_default();
    def.radius = 0.25;
    def.length = 1.15;
    def.refine = 2;
    def.start = RUGA_STROKE_COUNT;
    int code = sculpture_open(d, sheet, out);
    for (int i = 0; i < 2 && !code; i++) {
        ruga_curve *curve = NULL;
        if (!(which >> i & 1)) continue;
        def.wrinkles = 3 - 2 * i;
        def.seed = 2 - i; /* both are up where they cross */
        code = demo_draw(d, sheet, cross_strokes[i], 2, &curve);
        if (!code) code = sculpture_add(out, curve, NULL, &def);
    }
    return code ? code : sculpture_update(out);
}

/* Where the two pass each other: places on both, one above the other. */
static void find_gap(const sculpture *each, ruga_vec3 gap[2]) {
    const ruga_vec3 *a = cross_strokes[0], *b = cross_strokes[1];
    double ux = a[1].x - a[0].x, uz = a[1].z - a[0].z, wx = b[1].x - b[0].x, wz = b[1].z - b[0].z;
    double t = ((b[0].x - a[0].x) * wz - (b[0].z - a[0].z) * wx) / (ux * wz - uz * wx);
    for (int i = 0; i < 2; i++) {
        gap[i] = (ruga_vec3){a[0].x + t * ux, 0, a[0].z + t * uz};
        line_nearest(&each[i].lines[0], gap[i], &gap[i].y);
    }
}

int demo_make_sculpt_crossing(demo *d) {
    static const demo_parameter cells[] = {{"columns", 40}, {"rows", 40}, {"triangulation", 2}, {NULL, 0}};
    ruga_mesh *sheet = NULL;
    ruga_vec3 *lowered = NULL;
    ruga_frame below;
    ruga_vec3 gap[2];
    sculpture each[3] = {0}; /* the first, the second, both */
    gallery *g = calloc(1, sizeof *g);
    if (!g) return session_no_memory(d->s);
    int code = demo_model(d, "sheet", cells, &sheet);
    for (unsigned i = 0; i < 3 && !code; i++) code = draw_cross(d, sheet, i + 1, &each[i]);
    if (!code) code = lower(d, sheet, 0.07, &lowered, &below);
    if (!code) {
        ruga_camera camera = demo_eye((ruga_vec3){0.8, 1.1, 1.4}, (ruga_vec3){-0.03, -0.03, 0}, 38);
        sculpture_lift(&each[2], &camera, 0.08);
        show(g, "two strokes", ruga_render_mesh_default(sheet), &each[2], 1, camera);
        ruga_panel *apart =
            show(g, "each by itself: they pass each other", ruga_render_mesh_default(sheet), &each[0], 2, camera);
        sculpture_curves(&each[1], 1, 0, &g->curves[1][apart->curve_count++]);
        g->looks[1].frame = &below;
        find_gap(each, gap);
        g->curves[1][apart->curve_count++] = (ruga_render_curve){gap, 2, {0.15f, 0.40f, 0.70f}, 8, 0};
        show(g, "together: they meet", sculpture_look(&each[2]), &each[2], 2, camera);
        show(g, "the surface", sculpture_look(&each[2]), NULL, 0, camera);
        code = hang(d, g, 1800, 460, "sculpt_crossing.png");
    }
    for (int i = 0; i < 3; i++) sculpture_close(&each[i]);
    ruga_mesh_destroy(sheet);
    free(lowered);
    free(g);
    return code;
}

/* ---- Curtains: figures 9 and 10. */

static int make_curtain_sheet(demo *d, ruga_mesh **out) {
    static const demo_parameter cells[] = {{"width", 1.2}, {"length", 1.4},      {"columns", 36}, {"rows", 42},
                                           {"upright", 1}, {"triangulation", 1}, {NULL, 0}};
    return demo_model(d, "sheet", cells, out);
}

/* A stroke from one place of the hem to another, and a region curve up from its middle. */
static int hem_stroke(sculpture *s, double from, double to, double reach, const ruga_stroke_def *def) {
    static const double hem = -0.66;
    const ruga_vec3 base[] = {{from, hem, 0}, {to, hem, 0}};
    const ruga_vec3 region[] = {{0.5 * (from + to), hem, 0}, {0.5 * (from + to), hem + reach, 0}};
    ruga_curve *curves[2] = {NULL, NULL};
    int code = demo_draw(s->d, s->mesh, base, 2, &curves[0]);
    if (!code) code = demo_draw(s->d, s->mesh, region, 2, &curves[1]);
    return code ? code : sculpture_add(s, curves[0], curves[1], def);
}

int demo_make_sculpt_curtain(demo *d) {
    static const double settings[][2] = {{5, 1.3}, {5, 1.6}, {40, 1.3}, {40, 1.6}};
    enum { SETTINGS = sizeof settings / sizeof *settings };
    ruga_mesh *sheet = NULL;
    sculpture hung[SETTINGS] = {0};
    char captions[SETTINGS][48];
    gallery *g = calloc(1, sizeof *g);
    if (!g) return session_no_memory(d->s);
    ruga_camera camera = demo_eye((ruga_vec3){1.5, 0.7, 2.9}, (ruga_vec3){0, -0.02, 0}, 28);
    int code = make_curtain_sheet(d, &sheet);
    for (int i = 0; i < SETTINGS && !code; i++) {
        ruga_stroke_def def = ruga_stroke_def_default();
        def.stiffness = settings[i][0];
        def.length = settings[i][1];
        code = sculpture_open(d, sheet, &hung[i]);
        if (!code) code = hem_stroke(&hung[i], -0.59, 0.59, 1.3, &def);
        if (!code) code = sculpture_update(&hung[i]);
        if (code) break;
        snprintf(captions[i], sizeof captions[i], "k_r = %g, %g L", settings[i][0], settings[i][1]);
        if (i == 0) show(g, "the stroke and its reach", ruga_render_mesh_default(sheet), &hung[i], 1, camera);
        show(g, captions[i], sculpture_look(&hung[i]), NULL, 0, camera);
    }
    for (size_t i = 0; i < g->count; i++) demo_colour_cloth(&g->looks[i]);
    if (!code) code = hang(d, g, 1800, 480, "sculpt_curtain.png");
    for (int i = 0; i < SETTINGS; i++) sculpture_close(&hung[i]);
    ruga_mesh_destroy(sheet);
    free(g);
    return code;
}

/* The two ends, and for the others also the middle. */
static int draw_curtains(demo *d, const ruga_mesh *sheet, double length, int with_middle, sculpture *out) {
    static const double places[3][2] = {{-0.59, -0.2}, {0.2, 0.59}, {-0.2, 0.2}};
    ruga_stroke_def def = ruga_stroke_def_default();
    def.length = length;
    def.refine = 2;
    def.start = RUGA_STROKE_COUNT;
    int code = sculpture_open(d, sheet, out);
    for (int i = 0; i < 2 + with_middle && !code; i++) {
        def.wrinkles = 3;
        code = hem_stroke(out, places[i][0], places[i][1], 1, &def);
    }
    return code ? code : sculpture_update(out);
}

int demo_make_sculpt_curtains(demo *d) {
    ruga_mesh *sheet = NULL;
    sculpture hung[3] = {0};
    gallery *g = calloc(1, sizeof *g);
    if (!g) return session_no_memory(d->s);
    int code = make_curtain_sheet(d, &sheet);
    if (!code) code = draw_curtains(d, sheet, 1.3, 0, &hung[0]);
    if (!code) code = draw_curtains(d, sheet, 1.3, 1, &hung[1]);
    if (!code) code = draw_curtains(d, sheet, 1.5, 1, &hung[2]);
    if (!code) {
        ruga_camera camera = demo_eye((ruga_vec3){1.5, 0.7, 2.9}, (ruga_vec3){0, -0.02, 0}, 28);
        show(g, "a stroke at each end", ruga_render_mesh_default(sheet), &hung[0], 1, camera);
        show(g, "1.3 L", sculpture_look(&hung[0]), NULL, 0, camera);
        ruga_panel *third = show(g, "one more between them", sculpture_look(&hung[0]), &hung[1], 1, camera);
        third->curves += 2; /* the last base curve, and after two regions its own */
        g->curves[2][3] = g->curves[2][5];
        third->curve_count = 2;
        show(g, "1.3 L", sculpture_look(&hung[1]), NULL, 0, camera);
        show(g, "1.5 L", sculpture_look(&hung[2]), NULL, 0, camera);
        for (size_t i = 0; i < g->count; i++) demo_colour_cloth(&g->looks[i]);
        code = hang(d, g, 1800, 480, "sculpt_curtains.png");
    }
    for (int i = 0; i < 3; i++) sculpture_close(&hung[i]);
    ruga_mesh_destroy(sheet);
    free(g);
    return code;
}
