/* Demo: strokes on sheets and tubes: the making of a wrinkle, stiffness, refinement, blending, crossings, curtains. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "section_sculpt.h"

static const ruga_colour clay = {0.60f, 0.55f, 0.49f}; /* darker than the background; red and blue lines show */
static const ruga_colour blue = {0.15f, 0.40f, 0.70f};

static void paint_clay(gallery *g) {
    for (size_t i = 0; i < g->count; i++) g->looks[i].front = g->looks[i].back = clay;
}

/* ---- From a stroke to a wrinkle: figure 2. */

enum { PARTICLES = 50 };

static double dome_height(double x, double z) { return -0.35 * (x * x + z * z); }

/* An irregular sheet that bulges. */
static int make_dome(demo *d, ruga_mesh **out) {
    static const demo_parameter cells[] = {{"width", 1}, {"length", 0.7},      {"columns", 20},
                                           {"rows", 14}, {"triangulation", 2}, {NULL, 0}};
    ruga_mesh *sheet = NULL;
    TRY_CODE(demo_model(d, "sheet", cells, &sheet));
    ruga_vec3 *points;
    TRY_CODE(DEMO_NEW(d, points, sheet->vertex_count));
    for (size_t i = 0; i < sheet->vertex_count; i++) {
        ruga_vec3 p = sheet->positions[i];
        points[i] = (ruga_vec3){p.x, dome_height(p.x, p.z), p.z};
    }
    return demo_mesh(d, points, sheet->vertex_count, NULL, sheet->triangles, sheet->triangle_count, out);
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

/* Stage 0 is only cut, 1 has wrinkles on the coarse mesh, 2 is refined. */
static int process_stage(demo *d, const ruga_mesh *dome, int stage, sculpture *out) {
    static const double ends[4][2] = {{-0.36, 0}, {0.36, -0.04}, {0.03, 0.26}, {0.02, -0.24}};
    ruga_stroke_def def = demo_stroke(0, stage ? 1.3 : 1, 5, stage == 2 ? 2 : 0);
    ruga_curve *curves[2] = {NULL, NULL};
    int code = sculpture_open(d, dome, out);
    if (!code) code = draw_on_dome(d, dome, ends[0], ends[1], 0.05, 8, &curves[0]);
    if (!code) code = draw_on_dome(d, dome, ends[2], ends[3], 0, 2, &curves[1]);
    if (!code) code = sculpture_add(out, curves[0], curves[1], &def);
    return code ? code : sculpture_update(out);
}

/* A mesh, lowered by so much, m, so that it hides nothing of the curves above it. */
static int lower(demo *d, const ruga_mesh *mesh, double by, moment *out) {
    int code = demo_moment(d, mesh, out);
    for (size_t i = 0; i < mesh->vertex_count && !code; i++) {
        out->positions[i] = mesh->positions[i];
        out->positions[i].y -= by;
    }
    return code;
}

int demo_make_sculpt_process(demo *d) {
    ruga_camera camera = demo_eye((ruga_vec3){0.3, 1.2, 1.2}, (ruga_vec3){0, -0.1, 0.03}, 29);
    ruga_mesh *dome = NULL;
    sculpture stages[3];
    ruga_vec3 particles[2][PARTICLES];
    ruga_render_points dots[2];
    moment below;
    gallery g = {0};
    int code = make_dome(d, &dome);
    for (int i = 0; i < 3 && !code; i++) code = process_stage(d, dome, i, &stages[i]);
    if (!code) code = lower(d, dome, 0.06, &below);
    if (code) return code;
    for (int i = 0; i < 2; i++) {
        line_particles(&stages[2].lines[0], i, PARTICLES, particles[i]);
        dots[i] = (ruga_render_points){particles[i], PARTICLES, {0.15f, 0.16f, 0.2f}, 11};
    }
    sculpture_lift(&stages[2], &camera, 0.1);

    ruga_render_mesh plain = ruga_render_mesh_default(dome), wire = demo_wire(dome), cut[3];
    wire.wire_width = 1;
    for (int i = 0; i < 3; i++) {
        cut[i] = demo_wire(ruga_sculpt_mesh(stages[i].sculpt));
        cut[i].wire_width = 1;
    }
    gallery_sculpture(&g, "base and region curve", &wire, &stages[0], CURVES_DRAWN, camera);
    ruga_panel *panel = gallery_sculpture(&g, "edges follow the curves", &cut[0], &stages[0], CURVES_DRAWN, camera);
    for (size_t i = 0; i < panel->curve_count; i++) g.curves[1][i].width = 2;
    for (int i = 0; i < 2; i++) {
        panel = gallery_add(&g, i ? "settled" : "particles", plain, camera);
        panel->point_sets = &dots[i];
        panel->point_set_count = 1;
    }
    g.looks[3].frame = &below.frame;
    gallery_sculpture(&g, "on the coarse mesh", &cut[1], &stages[2], CURVES_WRINKLED, camera);
    cut[2].wire_width = 0.35f;
    cut[2].wire = (ruga_colour){0.5f, 0.5f, 0.5f};
    cut[2].shading = RUGA_SHADING_SMOOTH;
    gallery_sculpture(&g, "refined", &cut[2], &stages[2], CURVES_WRINKLED, camera);
    paint_clay(&g);
    return gallery_still(d, &g, 1800, 960, 3, "sculpt_process.png");
}

/* ---- Stiffness: figure 5. */

enum { FAMILY = 5, SEEDS = 50, FAMILY_SHOWN = 20 };
static const double family_stiffness[FAMILY] = {5, 10, 20, 40, 70};

typedef struct family {
    sculpture sketch;
    double *x[FAMILY], *y[FAMILY]; /* 1, of the curves, over their length */
    size_t counts[FAMILY];
    double mean[FAMILY], low[FAMILY], high[FAMILY]; /* wrinkles */
} family;

static int family_open(demo *d, family *f) {
    static const demo_parameter cells[] = {{"width", 1}, {"length", 0.1}, {"columns", 100}, {"rows", 4}, {NULL, 0}};
    static const ruga_vec3 along[] = {{-0.499, 0, 0}, {0.499, 0, 0}};
    ruga_stroke_def def = ruga_stroke_def_default();
    ruga_mesh *strip = NULL;
    def.refine = 0;
    def.length = 1.3;
    int code = demo_model(d, "sheet", cells, &strip);
    if (!code) code = sculpture_open(d, strip, &f->sketch);
    return code ? code : sculpture_draw(&f->sketch, along, 2, &def);
}

static int family_retune(family *f, double stiffness, int seed) {
    ruga_stroke_def def = ruga_stroke_def_default();
    def.curve = f->sketch.bases[0];
    def.refine = 0;
    def.length = 1.3;
    def.start = RUGA_STROKE_BAND;
    def.vary = 0;
    def.stiffness = stiffness;
    def.seed = seed;
    return demo_code(f->sketch.d, ruga_sculpt_set(f->sketch.sculpt, 0, &def));
}

/* Mean and deviation of the number of wrinkles. */
static int family_count(family *f, int k) {
    double sum = 0, squares = 0;
    int code = 0;
    for (int seed = 1; seed <= SEEDS && !code; seed++) {
        code = family_retune(f, family_stiffness[k], seed);
        if (!code) code = demo_code(f->sketch.d, ruga_sculpt_update(f->sketch.sculpt, 0, NULL));
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

/* The curve itself, drawn below the previous one. */
static int family_shape(family *f, int k) {
    int code = family_retune(f, family_stiffness[k], FAMILY_SHOWN);
    if (!code) code = sculpture_update(&f->sketch);
    if (code) return code;
    const traced_line *line = &f->sketch.lines[0];
    f->counts[k] = line->count;
    code = DEMO_NEW(f->sketch.d, f->x[k], line->count);
    if (!code) code = DEMO_NEW(f->sketch.d, f->y[k], line->count);
    for (size_t i = 0; i < line->count && !code; i++) {
        f->x[k][i] = line->wrinkled[i].x + 0.5;
        f->y[k][i] = line->wrinkled[i].y - 0.4 * k;
    }
    return code;
}

static int family_plot(demo *d, const family *f) {
    ruga_plot_series series[FAMILY];
    char names[FAMILY][48];
    for (int k = 0; k < FAMILY; k++) {
        snprintf(names[k], sizeof names[k], "k_r = %g, mean of %.1f wrinkles", family_stiffness[k], f->mean[k]);
        series[k] = (ruga_plot_series){.name = names[k], .x = f->x[k], .y = f->y[k], .count = f->counts[k]};
    }
    ruga_plot_def def = demo_plot("Five curves with the same target length, 1.3 L", "place along the stroke / L",
                                  "height / L, each 0.4 below the last", series, FAMILY);
    def.x_low = 0, def.x_high = 1.6;
    def.legend = RUGA_PLOT_LEGEND_TOP_RIGHT;
    int code = demo_write_plot(d, &def, "sculpt_family.png", "sculpt_family.svg");

    ruga_plot_series counts = {.name = "mean, and standard deviation",
                               .x = family_stiffness,
                               .y = f->mean,
                               .y_low = f->low,
                               .y_high = f->high,
                               .count = FAMILY,
                               .kind = RUGA_PLOT_BOTH};
    def = demo_plot("Wrinkles of 50 seeds", "stiffness k_r", "wrinkles", &counts, 1);
    def.x_log = 1;
    return code ? code : demo_write_plot(d, &def, "sculpt_counts.png", "sculpt_counts.svg");
}

int demo_make_sculpt_family(demo *d) {
    family f = {0};
    int code = family_open(d, &f);
    for (int k = 0; k < FAMILY && !code; k++) {
        code = family_count(&f, k);
        if (!code) code = family_shape(&f, k);
    }
    return code ? code : family_plot(d, &f);
}

/* ---- Ends of a stroke. */

/* A new sculpture with one straight stroke. */
static int straight_stroke(demo *d, const ruga_mesh *mesh, const ruga_vec3 ends[2], const ruga_stroke_def *def,
                           sculpture *out) {
    int code = sculpture_open(d, mesh, out);
    if (!code) code = sculpture_draw(out, ends, 2, def);
    return code ? code : sculpture_update(out);
}

int demo_make_sculpt_ends(demo *d) {
    static const demo_parameter cells[] = {{"width", 1}, {"length", 0.6}, {"columns", 50}, {"rows", 30}, {NULL, 0}};
    static const ruga_vec3 along[2] = {{-0.36, 0, 0}, {0.36, 0, 0}};
    ruga_camera camera = demo_eye((ruga_vec3){0.15, 0.95, 1.3}, (ruga_vec3){0, 0, 0.02}, 28);
    ruga_mesh *sheet = NULL;
    sculpture both[2];
    gallery g = {0};
    int code = demo_model(d, "sheet", cells, &sheet);
    for (int i = 0; i < 2 && !code; i++) {
        ruga_stroke_def def = demo_stroke(0.24, 1.3, 0, 3);
        def.ends = i ? RUGA_ENDS_SOFT : RUGA_ENDS_PRINTED;
        code = straight_stroke(d, sheet, along, &def, &both[i]);
        if (!code) gallery_sculpture(&g, i ? "soft ends" : "the paper's ends", NULL, &both[i], CURVES_NONE, camera);
    }
    paint_clay(&g);
    return code ? code : gallery_still(d, &g, 1400, 420, 2, "sculpt_ends.png");
}

/* ---- Refinement: figure 7. */

int demo_make_sculpt_refine(demo *d) {
    static const demo_parameter cells[] = {
        {"radius", 0.18}, {"height", 0.8}, {"sectors", 32}, {"rings", 16}, {NULL, 0}};
    static const ruga_vec3 along[2] = {{0, -0.27, 0.2}, {0, 0.27, 0.2}};
    ruga_camera camera = demo_eye((ruga_vec3){0.75, 0.3, 1.3}, (ruga_vec3){0, -0.01, 0}, 33);
    ruga_mesh *sleeve = NULL;
    sculpture both[2];
    gallery g = {0};
    int code = demo_model(d, "cylinder", cells, &sleeve);
    for (int i = 0; i < 2 && !code; i++) {
        ruga_stroke_def def = demo_stroke(0.3, 1.3, 5, 3 * i);
        code = straight_stroke(d, sleeve, along, &def, &both[i]);
        if (!code) sculpture_lift(&both[i], &camera, 0.1);
    }
    if (code) return code;
    ruga_render_mesh plain = demo_wire(sleeve), coarse = demo_wire(ruga_sculpt_mesh(both[0].sculpt));
    ruga_render_mesh fine = demo_wire(ruga_sculpt_mesh(both[1].sculpt));
    fine.wire_width = 0.3f;
    gallery_sculpture(&g, "a stroke on a coarse sleeve", &plain, &both[0], CURVES_DRAWN, camera);
    ruga_panel *panel = gallery_sculpture(&g, "without refinement", &coarse, &both[0], CURVES_WRINKLED, camera);
    g.curves[1][0].colour = blue;
    panel->curve_count += sculpture_curves(&both[1], 1, 0, &g.curves[1][1]);
    gallery_sculpture(&g, "with refinement", &fine, &both[1], CURVES_WRINKLED, camera);
    gallery_sculpture(&g, "the sleeve", NULL, &both[1], CURVES_NONE, camera);
    return gallery_still(d, &g, 1800, 560, 4, "sculpt_refine.png");
}

/* ---- Regions that overlap: figure 8. On a flat sheet distances are plain. */

enum { BLENDS = 3, OUTLINE = 64 };
static const double blend_radius = 0.2;
static const ruga_vec3 blend_strokes[2][2] = {{{-0.4, 0, -0.11}, {0.26, 0, -0.15}}, {{-0.24, 0, 0.15}, {0.4, 0, 0.1}}};

typedef enum blend_kind { BLEND_CLOSEST, BLEND_PRINTED, BLEND_OURS } blend_kind;

/* The distance of a place from a line, and the height of the wrinkled line at the nearest point. */
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

/* The height of a place by the paper's formulas. */
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
        double angle = along + DEMO_PI * (0.5 + part + end);
        out[i] = (ruga_vec3){ends[end].x + blend_radius * cos(angle), 0, ends[end].z + blend_radius * sin(angle)};
    }
}

static int draw_blend_strokes(sculpture *drawn) {
    int code = 0;
    for (int i = 0; i < 2 && !code; i++) {
        ruga_stroke_def def = demo_stroke(blend_radius, 1.25, 4 - i, 2);
        code = sculpture_draw(drawn, blend_strokes[i], 2, &def);
    }
    return code ? code : sculpture_update(drawn);
}

int demo_make_sculpt_blend(demo *d) {
    static const demo_parameter cells[] = {{"width", 1.2}, {"length", 0.9}, {"columns", 72}, {"rows", 54}, {NULL, 0}};
    static const char *const names[BLENDS] = {"the closest curve alone", "the blend as it is printed", "ours"};
    ruga_camera camera = demo_eye((ruga_vec3){0.2, 1.5, 1.6}, (ruga_vec3){-0.01, 0, 0.03}, 32);
    ruga_mesh *sheet = NULL;
    sculpture drawn;
    ruga_vec3 outlines[2][OUTLINE];
    moment raised[BLENDS];
    char captions[BLENDS][80];
    gallery g = {0};
    int code = demo_model(d, "sheet", cells, &sheet);
    if (!code) code = sculpture_open(d, sheet, &drawn);
    if (!code) code = draw_blend_strokes(&drawn);
    if (code) return code;
    ruga_render_mesh plain = ruga_render_mesh_default(sheet);
    ruga_panel *panel = gallery_sculpture(&g, "two strokes and their regions", &plain, &drawn, CURVES_DRAWN, camera);
    for (int i = 0; i < 2; i++) {
        outline(blend_strokes[i], outlines[i]);
        g.curves[0][panel->curve_count++] = (ruga_render_curve){outlines[i], OUTLINE, blue, 3, 1};
    }
    const ruga_mesh *fine = ruga_sculpt_mesh(drawn.sculpt);
    for (int i = 0; i < BLENDS && !code; i++) {
        code = demo_moment(d, fine, &raised[i]);
        if (code) break;
        ruga_vec3 *p = raised[i].positions;
        memcpy(p, fine->positions, fine->vertex_count * sizeof *p);
        for (size_t k = 0; k < fine->vertex_count && i != BLEND_OURS; k++)
            p[k].y = paper_height(&drawn, p[k], (blend_kind)i);
        snprintf(captions[i], sizeof captions[i], "%s: slopes up to %.1f", names[i], greatest_slope(fine, p));
        ruga_render_mesh look = ruga_render_mesh_default(fine);
        look.frame = &raised[i].frame;
        look.crease_angle = 50;
        gallery_add(&g, captions[i], look, camera);
    }
    paint_clay(&g);
    return code ? code : gallery_still(d, &g, 1800, 400, 4, "sculpt_blend.png");
}

/* ---- Strokes that cross. */

static const ruga_vec3 cross_strokes[2][2] = {{{-0.36, 0, -0.03}, {0.36, 0, 0.06}},
                                              {{-0.08, 0, -0.34}, {0.1, 0, 0.34}}};

static int draw_cross(demo *d, const ruga_mesh *sheet, unsigned which, sculpture *out) {
    int code = sculpture_open(d, sheet, out);
    for (int i = 0; i < 2 && !code; i++) {
        if (!(which >> i & 1)) continue;
        ruga_stroke_def def = demo_stroke(0.25, 1.15, 3 - 2 * i, 2);
        def.seed = 2 - i; /* both are up where they cross */
        code = sculpture_draw(out, cross_strokes[i], 2, &def);
    }
    return code ? code : sculpture_update(out);
}

/* The points of both curves, one above the other, where they cross. */
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
    ruga_camera camera = demo_eye((ruga_vec3){0.8, 1.1, 1.4}, (ruga_vec3){-0.03, -0.03, 0}, 38);
    ruga_mesh *sheet = NULL;
    moment below;
    ruga_vec3 gap[2];
    sculpture each[3]; /* the first, the second, both */
    gallery g = {0};
    int code = demo_model(d, "sheet", cells, &sheet);
    for (unsigned i = 0; i < 3 && !code; i++) code = draw_cross(d, sheet, i + 1, &each[i]);
    if (!code) code = lower(d, sheet, 0.07, &below);
    if (code) return code;
    sculpture_lift(&each[2], &camera, 0.08);
    ruga_render_mesh plain = ruga_render_mesh_default(sheet);
    gallery_sculpture(&g, "two strokes", &plain, &each[2], CURVES_DRAWN, camera);
    plain.frame = &below.frame;
    ruga_panel *apart =
        gallery_sculpture(&g, "separately: different heights", &plain, &each[0], CURVES_WRINKLED, camera);
    sculpture_curves(&each[1], 1, 0, &g.curves[1][apart->curve_count++]);
    find_gap(each, gap);
    g.curves[1][apart->curve_count++] = (ruga_render_curve){gap, 2, blue, 8, 0};
    gallery_sculpture(&g, "together: they meet", NULL, &each[2], CURVES_WRINKLED, camera);
    gallery_sculpture(&g, "the surface", NULL, &each[2], CURVES_NONE, camera);
    paint_clay(&g);
    return gallery_still(d, &g, 1800, 460, 4, "sculpt_crossing.png");
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
    ruga_camera camera = demo_eye((ruga_vec3){1.5, 0.7, 2.9}, (ruga_vec3){0, -0.02, 0}, 28);
    ruga_mesh *sheet = NULL;
    sculpture hung[SETTINGS];
    char captions[SETTINGS][48];
    gallery g = {0};
    int code = make_curtain_sheet(d, &sheet);
    for (int i = 0; i < SETTINGS && !code; i++) {
        ruga_stroke_def def = ruga_stroke_def_default();
        def.start = RUGA_STROKE_BAND;
        def.stiffness = settings[i][0];
        def.length = settings[i][1];
        code = sculpture_open(d, sheet, &hung[i]);
        if (!code) code = hem_stroke(&hung[i], -0.59, 0.59, 1.3, &def);
        if (!code) code = sculpture_update(&hung[i]);
        if (code) return code;
        snprintf(captions[i], sizeof captions[i], "k_r = %g, %g L", settings[i][0], settings[i][1]);
        ruga_render_mesh plain = ruga_render_mesh_default(sheet);
        if (i == 0) gallery_sculpture(&g, "the stroke and its reach", &plain, &hung[i], CURVES_DRAWN, camera);
        gallery_sculpture(&g, captions[i], NULL, &hung[i], CURVES_NONE, camera);
    }
    for (size_t i = 0; i < g.count; i++) demo_colour_cloth(&g.looks[i]);
    return code ? code : gallery_still(d, &g, 1800, 480, (int)g.count, "sculpt_curtain.png");
}

/* Strokes at the two ends, and perhaps one in the middle. */
static int draw_curtains(demo *d, const ruga_mesh *sheet, double length, int with_middle, sculpture *out) {
    static const double places[3][2] = {{-0.59, -0.2}, {0.2, 0.59}, {-0.2, 0.2}};
    ruga_stroke_def def = demo_stroke(0, length, 3, 2);
    int code = sculpture_open(d, sheet, out);
    for (int i = 0; i < 2 + with_middle && !code; i++) code = hem_stroke(out, places[i][0], places[i][1], 1, &def);
    return code ? code : sculpture_update(out);
}

int demo_make_sculpt_curtains(demo *d) {
    ruga_camera camera = demo_eye((ruga_vec3){1.5, 0.7, 2.9}, (ruga_vec3){0, -0.02, 0}, 28);
    ruga_mesh *sheet = NULL;
    sculpture hung[3];
    gallery g = {0};
    int code = make_curtain_sheet(d, &sheet);
    if (!code) code = draw_curtains(d, sheet, 1.3, 0, &hung[0]);
    if (!code) code = draw_curtains(d, sheet, 1.3, 1, &hung[1]);
    if (!code) code = draw_curtains(d, sheet, 1.5, 1, &hung[2]);
    if (code) return code;
    ruga_render_mesh plain = ruga_render_mesh_default(sheet);
    ruga_render_mesh two = ruga_render_mesh_default(ruga_sculpt_mesh(hung[0].sculpt));
    gallery_sculpture(&g, "a stroke at each end", &plain, &hung[0], CURVES_DRAWN, camera);
    gallery_sculpture(&g, "1.3 L", NULL, &hung[0], CURVES_NONE, camera);
    ruga_panel *third = gallery_sculpture(&g, "one more between them", &two, &hung[1], CURVES_DRAWN, camera);
    third->curves += 2; /* the last base curve, and after two regions its own */
    g.curves[2][3] = g.curves[2][5];
    third->curve_count = 2;
    gallery_sculpture(&g, "1.3 L", NULL, &hung[1], CURVES_NONE, camera);
    gallery_sculpture(&g, "1.5 L", NULL, &hung[2], CURVES_NONE, camera);
    for (size_t i = 0; i < g.count; i++) demo_colour_cloth(&g.looks[i]);
    return gallery_still(d, &g, 1800, 480, (int)g.count, "sculpt_curtains.png");
}
