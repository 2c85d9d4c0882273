/* Demo: sculpting (Wang, Wang and Yuen 2006). Helpers of the items, and their list. Strokes on sheets are in
 * sculpt_sheets.c, those on a bust, a skirt and a shoe in sculpt_shapes.c. */
#include "section_sculpt.h"

#include <math.h>

static const ruga_colour base_colour = {0.80f, 0.20f, 0.12f}, region_colour = {0.15f, 0.40f, 0.70f};

/* ---- Strokes. */

ruga_stroke_def demo_stroke(double radius, double length, int wrinkles, int refine) {
    ruga_stroke_def def = ruga_stroke_def_default();
    if (radius > 0) def.radius = radius;
    if (wrinkles > 0) def.wrinkles = wrinkles;
    def.length = length;
    def.refine = refine;
    def.start = RUGA_STROKE_COUNT;
    return def;
}

ruga_stroke_def demo_look(const char *name) {
    ruga_stroke_def def = ruga_stroke_def_default();
    ruga_stroke_def_look(name, &def);
    return def;
}

int sculpture_open(demo *d, const ruga_mesh *mesh, sculpture *out) {
    *out = (sculpture){.d = d, .mesh = mesh};
    int code = demo_code(d, ruga_sculpt_create(mesh, &out->sculpt));
    return code ? code : demo_keep(d, DEMO_SCULPT, out->sculpt);
}

int sculpture_read(demo *d, const ruga_mesh *mesh, const char *file, sculpture *out) {
    ruga_strokes *strokes = NULL;
    ruga_strokes_def def = ruga_strokes_def_default();
    ruga_sculpt_def values;
    ruga_section_defaults(ruga_scene_section_find("objects.edits.sculpt"), &values);
    values.file = file;
    def.values = &values;
    TRY_CODE(demo_code(d, ruga_strokes_create(mesh, &def, &strokes)));
    TRY_CODE(demo_keep(d, DEMO_STROKES, strokes));
    *out = (sculpture){.d = d, .mesh = mesh, .sculpt = ruga_strokes_sculpt(strokes)};
    if (ruga_strokes_count(strokes) > SCULPTURE_STROKES)
        return session_error(d->s, EXIT_FAILED, "%s: more than %d strokes", file, SCULPTURE_STROKES);
    for (; out->stroke_count < ruga_strokes_count(strokes); out->stroke_count++) {
        const ruga_stroke_report report = ruga_strokes_get(strokes, out->stroke_count);
        out->bases[out->stroke_count] = report.curve;
        out->regions[out->stroke_count] = report.region;
    }
    return 0;
}

int sculpture_add(sculpture *s, ruga_curve *base, ruga_curve *region, const ruga_stroke_def *def) {
    ruga_stroke_def own = *def;
    own.curve = s->bases[s->stroke_count] = base;
    own.region = s->regions[s->stroke_count] = region;
    s->stroke_count++;
    return demo_code(s->d, ruga_sculpt_add(s->sculpt, &own, NULL));
}

int sculpture_draw(sculpture *s, const ruga_vec3 *points, size_t count, const ruga_stroke_def *def) {
    ruga_curve *curve = NULL;
    int code = demo_draw(s->d, s->mesh, points, count, &curve);
    return code ? code : sculpture_add(s, curve, NULL, def);
}

/* A curve through the result's triangles. flat: the fine mesh without wrinkles. */
static int trace_line(sculpture *s, const ruga_curve *curve, const ruga_mesh *flat, traced_line *out) {
    ruga_curve *fine = NULL;
    if (!curve) return 0;
    int code = demo_code(s->d, ruga_curve_transfer(curve, s->mesh, flat, ruga_sculpt_map(s->sculpt), &fine));
    if (!code) code = demo_keep(s->d, DEMO_CURVE, fine);
    if (code) return code;
    out->count = fine->point_count;
    code = DEMO_NEW(s->d, out->drawn, out->count);
    if (!code) code = DEMO_NEW(s->d, out->wrinkled, out->count);
    if (code) return code;
    ruga_curve_points(fine, flat, NULL, out->drawn);
    ruga_curve_points(fine, flat, ruga_sculpt_mesh(s->sculpt)->positions, out->wrinkled);
    return 0;
}

int sculpture_update(sculpture *s) {
    ruga_vec3 *positions;
    TRY_CODE(demo_code(s->d, ruga_sculpt_update(s->sculpt, 0, NULL)));
    ruga_mesh flat = *ruga_sculpt_mesh(s->sculpt);
    int code = DEMO_NEW(s->d, positions, flat.vertex_count);
    if (code) return code;
    ruga_map_apply(ruga_sculpt_map(s->sculpt), s->mesh->positions, positions);
    flat.positions = positions;
    for (size_t i = 0; i < s->stroke_count && !code; i++) {
        code = trace_line(s, s->bases[i], &flat, &s->lines[i]);
        if (!code) code = trace_line(s, s->regions[i], &flat, &s->region_lines[i]);
    }
    return code;
}

ruga_panel *gallery_sculpture(gallery *g, const char *caption, const ruga_render_mesh *look, const sculpture *s,
                              shown_curves curves, ruga_camera camera) {
    ruga_render_mesh result = ruga_render_mesh_default(ruga_sculpt_mesh(s->sculpt));
    ruga_panel *panel = gallery_add(g, caption, look ? *look : result, camera);
    if (curves)
        panel->curve_count =
            sculpture_curves(s, curves == CURVES_WRINKLED, curves == CURVES_DRAWN, g->curves[g->count - 1]);
    return panel;
}

int gallery_still(demo *d, const gallery *g, int width, int height, int columns, const char *file) {
    ruga_render_def def = demo_def(width, height, g->panels, g->count, columns);
    def.samples = 8;
    def.occlusion_samples = 8;
    return demo_still(d, &def, file);
}

size_t sculpture_curves(const sculpture *s, int wrinkled, int with_regions, ruga_render_curve *out) {
    size_t count = 0;
    for (size_t i = 0; i < s->stroke_count; i++) {
        const traced_line *line = &s->lines[i];
        out[count++] = (ruga_render_curve){.points = wrinkled ? line->wrinkled : line->drawn,
                                           .point_count = line->count,
                                           .colour = base_colour,
                                           .width = 5,
                                           .closed = s->bases[i]->closed};
    }
    for (size_t i = 0; i < s->stroke_count && with_regions; i++) {
        if (!s->regions[i]) continue;
        out[count++] = (ruga_render_curve){.points = s->region_lines[i].drawn,
                                           .point_count = s->region_lines[i].count,
                                           .colour = region_colour,
                                           .width = 4};
    }
    return count;
}

static ruga_vec3 mix(ruga_vec3 a, ruga_vec3 b, double t) { return vec_add(a, t, vec_add(b, -1, a)); }
static double distance(ruga_vec3 a, ruga_vec3 b) { return vec_length(vec_add(a, -1, b)); }

void sculpture_lift(sculpture *s, const ruga_camera *camera, double by) {
    for (size_t i = 0; i < s->stroke_count; i++)
        for (size_t k = 0; k < s->lines[i].count; k++) {
            ruga_vec3 *p = &s->lines[i].wrinkled[k];
            double t = by / distance(*p, camera->eye);
            *p = mix(*p, camera->eye, t);
        }
}

void line_particles(const traced_line *line, int wrinkled, size_t n, ruga_vec3 *particles) {
    const ruga_vec3 *drawn = line->drawn, *from = wrinkled ? line->wrinkled : drawn;
    double whole = 0, gone = 0;
    for (size_t i = 0; i + 1 < line->count; i++) whole += distance(drawn[i], drawn[i + 1]);
    size_t at = 0;
    for (size_t k = 0; k < n; k++) {
        double arc = whole * (double)k / (double)(n - 1), step = distance(drawn[at], drawn[at + 1]);
        while (at + 2 < line->count && gone + step < arc) {
            gone += step;
            at++;
            step = distance(drawn[at], drawn[at + 1]);
        }
        double t = step > 0 ? fmin((arc - gone) / step, 1) : 0;
        particles[k] = mix(from[at], from[at + 1], t);
    }
}

/* ---- Drawing. */

int demo_draw(demo *d, const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, ruga_curve **out) {
    ruga_curve_def def = ruga_curve_def_default();
    int code = demo_code(d, ruga_curve_from_points(mesh, points, count, &def, out));
    return code ? code : demo_keep(d, DEMO_CURVE, *out);
}

/* The camera is so far away that depth hardly matters. */
enum { SKETCH_AWAY = 50, SKETCH_POINTS = 20, SKETCH_PIXELS = 4000 };

int demo_sketch(demo *d, const ruga_mesh *mesh, sketch_side side, const sketch *what, ruga_curve **out) {
    double pixels[2 * SKETCH_POINTS];
    for (int i = 0; i < SKETCH_POINTS; i++) {
        double t = (double)i / (SKETCH_POINTS - 1), s = 1 - t;
        const double weights[4] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};
        double x = 0, y = 0;
        for (int k = 0; k < 4; k++) {
            x += weights[k] * what->points[k][0];
            y += weights[k] * what->points[k][1];
        }
        pixels[2 * i] = SKETCH_PIXELS * (0.5 + x);
        pixels[2 * i + 1] = SKETCH_PIXELS * (0.5 + (side == SKETCH_FRONT ? -y : y));
    }
    static const double half = 0.5; /* m, half the height of the view */
    ruga_camera camera =
        demo_eye((ruga_vec3){0, 0, SKETCH_AWAY}, (ruga_vec3){0, 0, 0}, 2 * atan(half / SKETCH_AWAY) * 180 / DEMO_PI);
    if (side == SKETCH_ABOVE) {
        camera.eye = (ruga_vec3){0, SKETCH_AWAY, 0};
        camera.up = (ruga_vec3){0, 0, -1};
    }
    ruga_curve_def def = ruga_curve_def_default();
    int code = demo_code(
        d, ruga_curve_from_stroke(mesh, &camera, SKETCH_PIXELS, SKETCH_PIXELS, pixels, SKETCH_POINTS, &def, out));
    return code ? code : demo_keep(d, DEMO_CURVE, *out);
}

/* ---- The section. */

static const demo_item items[] = {
    {.name = "sculpt_process",
     .title = "From a stroke to a wrinkle",
     .caption =
         "A base curve (red), and a region curve (blue) that sets the reach of the wrinkle. The mesh is cut along "
         "both. Fifty particles along the base curve settle. The surface follows them: on the coarse mesh, and refined "
         "until it fits the curve.",
     .files = {"sculpt_process.png"},
     .make = demo_make_sculpt_process},
    {.name = "sculpt_family",
     .title = "Stiffness: five curves of one length",
     .caption =
         "Governing curves for the same target length, 1.3 times that of the stroke. Stiffer curves have fewer and "
         "wider wrinkles. The legend has their mean number over 50 seeds, the second plot also the standard "
         "deviation.",
     .files = {"sculpt_family.png", "sculpt_family.svg", "sculpt_counts.png", "sculpt_counts.svg"},
     .half = 1,
     .make = demo_make_sculpt_family},
    {.is_long = 1,
     .name = "sculpt_ends",
     .title = "Ends of a stroke",
     .caption = "With the paper's sum, bending is cheapest at the ends, so the curve has a corner there. Our ends are "
                "mirrors: wrinkles leave the surface as smoothly as they bend at their crests.",
     .files = {"sculpt_ends.png"},
     .make = demo_make_sculpt_ends},
    {.name = "sculpt_refine",
     .title = "Adaptive refinement",
     .caption =
         "A coarse sleeve. Without refinement, its edges (blue) can't follow the wrinkled curve (red). Refined within "
         "the region they do, and the rest of the sleeve stays coarse.",
     .files = {"sculpt_refine.png"},
     .make = demo_make_sculpt_refine},
    {.is_long = 1,
     .name = "sculpt_blend",
     .title = "Two regions that overlap",
     .caption =
         "The closest curve alone tears the surface where another curve becomes the closest. The printed blend has "
         "no attenuation inside and jumps at the borders of regions. Ours does neither.",
     .files = {"sculpt_blend.png"},
     .make = demo_make_sculpt_blend},
    {.name = "sculpt_crossing",
     .title = "Strokes that cross",
     .caption = "Minimised separately, two curves cross at different heights, and no surface contains both. Minimised "
                "together they meet, and the surface contains both.",
     .files = {"sculpt_crossing.png"},
     .make = demo_make_sculpt_crossing},
    {.view = 1,
     .name = "sculpt_curtain",
     .title = "A curtain by one stroke",
     .caption = "One stroke along the hem, with four pairs of stiffness and length.",
     .files = {"sculpt_curtain.png"},
     .make = demo_make_sculpt_curtain},
    {.is_long = 1,
     .name = "sculpt_curtains",
     .title = "A curtain by several strokes",
     .caption = "First its two ends, then one more stroke between them.",
     .files = {"sculpt_curtains.png"},
     .make = demo_make_sculpt_curtains},
    {.is_long = 1,
     .name = "sculpt_forehead",
     .title = "Three foreheads",
     .caption =
         "Strokes drawn on a picture of the bust, with the look `forehead`: k_r = 10, L̃ = 1.1 L. In the film the "
         "lengths change: the wrinkles appear and vanish on the same mesh.",
     .files = {"sculpt_forehead.png", "sculpt_forehead.mp4"},
     .make = demo_make_sculpt_forehead},
    {.view = 1,
     .name = "sculpt_face",
     .title = "A face by furrows",
     .caption =
         "Strokes along each wrinkle: lines of the forehead, a frown, crow's feet, and folds from nose to mouth, "
         "whose ridges are higher on the cheeks.",
     .files = {"sculpt_face.png"},
     .make = demo_make_sculpt_face},
    {.view = 1,
     .name = "sculpt_skirt",
     .title = "A skirt",
     .caption = "One closed stroke around its lower part, with the look `skirt`.",
     .files = {"sculpt_skirt.png"},
     .make = demo_make_sculpt_skirt},
    {.view = 1,
     .name = "sculpt_shoe",
     .title = "A worn shoe",
     .caption = "Four strokes over the bend of the toes, with the look `shoe`; creases run across them.",
     .files = {"sculpt_shoe.png"},
     .make = demo_make_sculpt_shoe},
};

const demo_section demo_sculpt = {"sculpt",
                                  "Sculpt",
                                  "Draw a curve, get a wrinkle: particles along the curve decide how it folds, and the "
                                  "surface around it follows (Wang, Wang and Yuen 2006).",
                                  items,
                                  sizeof items / sizeof items[0],
                                  0};
