/* Demo: sculpting (Wang, Wang and Yuen 2006). What its items share, and their list; strokes on sheets are in demo_sculpt_sheets.c,
 * those on things in demo_sculpt_things.c. */
#include "demo_sculpt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ruga_colour base_colour = {0.80f, 0.20f, 0.12f}, region_colour = {0.15f, 0.40f, 0.70f};

/* ---- Strokes. */

int sculpture_open(demo *d, const ruga_mesh *mesh, sculpture *out) {
    *out = (sculpture){.d = d, .mesh = mesh};
    return demo_failed(d, ruga_sculpt_create(mesh, &out->sculpt));
}

static void release_lines(sculpture *s) {
    for (size_t i = 0; i < SCULPTURE_STROKES; i++) {
        traced_line *both[2] = {&s->lines[i], &s->region_lines[i]};
        for (int k = 0; k < 2; k++) {
            free(both[k]->drawn);
            free(both[k]->wrinkled);
            *both[k] = (traced_line){0};
        }
    }
}

void sculpture_close(sculpture *s) {
    release_lines(s);
    ruga_sculpt_destroy(s->sculpt);
    for (size_t i = 0; i < s->stroke_count; i++) {
        ruga_curve_destroy(s->bases[i]);
        ruga_curve_destroy(s->regions[i]);
    }
    *s = (sculpture){0};
}

int sculpture_add(sculpture *s, ruga_curve *base, ruga_curve *region, const ruga_stroke_def *def) {
    ruga_stroke_def own = *def;
    own.curve = s->bases[s->stroke_count] = base;
    own.region = s->regions[s->stroke_count] = region;
    s->stroke_count++;
    return demo_failed(s->d, ruga_sculpt_add(s->sculpt, &own, NULL));
}

/* A curve through the result's triangles. laid: the fine mesh before it was wrinkled. */
static int trace_line(sculpture *s, const ruga_curve *curve, const ruga_mesh *laid, traced_line *out) {
    ruga_curve *fine = NULL;
    int code = demo_failed(s->d, ruga_curve_transfer(curve, s->mesh, laid, ruga_sculpt_map(s->sculpt), &fine));
    if (code) return code;
    out->count = fine->point_count;
    out->drawn = malloc(out->count * sizeof *out->drawn);
    out->wrinkled = malloc(out->count * sizeof *out->wrinkled);
    if (out->drawn && out->wrinkled) {
        ruga_curve_points(fine, laid, NULL, out->drawn);
        ruga_curve_points(fine, laid, ruga_sculpt_mesh(s->sculpt)->positions, out->wrinkled);
    } else
        code = session_no_memory(s->d->s);
    ruga_curve_destroy(fine);
    return code;
}

int sculpture_update(sculpture *s) {
    int code = demo_failed(s->d, ruga_sculpt_update(s->sculpt, 0, NULL));
    if (code) return code;
    release_lines(s);
    ruga_mesh laid = *ruga_sculpt_mesh(s->sculpt);
    ruga_vec3 *positions = malloc(laid.vertex_count * sizeof *positions);
    if (!positions) return session_no_memory(s->d->s);
    ruga_map_apply(ruga_sculpt_map(s->sculpt), s->mesh->positions, positions);
    laid.positions = positions;
    for (size_t i = 0; i < s->stroke_count && !code; i++) {
        code = trace_line(s, s->bases[i], &laid, &s->lines[i]);
        if (!code && s->regions[i]) code = trace_line(s, s->regions[i], &laid, &s->region_lines[i]);
    }
    free(positions);
    return code;
}

ruga_render_mesh sculpture_look(const sculpture *s) { return ruga_render_mesh_default(ruga_sculpt_mesh(s->sculpt)); }

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

static ruga_vec3 mix(ruga_vec3 a, ruga_vec3 b, double t) {
    return (ruga_vec3){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static double distance(ruga_vec3 a, ruga_vec3 b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

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
    return demo_failed(d, ruga_curve_from_points(mesh, points, count, &def, out));
}

/* So far away that it hardly matters how deep things are. */
enum { SKETCH_AWAY = 50, SKETCH_POINTS = 20, SKETCH_PIXELS = 4000 };

static ruga_camera sketch_camera(sketch_side side) {
    static const double half = 0.5; /* m, of what is seen */
    ruga_camera camera = demo_eye((ruga_vec3){0, 0, SKETCH_AWAY}, (ruga_vec3){0, 0, 0},
                                  2 * atan(half / SKETCH_AWAY) * 180 / 3.14159265358979323846);
    if (side == SKETCH_FRONT) return camera;
    camera.eye = (ruga_vec3){0, SKETCH_AWAY, 0};
    camera.up = (ruga_vec3){0, 0, -1};
    return camera;
}

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
    ruga_camera camera = sketch_camera(side);
    ruga_curve_def def = ruga_curve_def_default();
    return demo_failed(
        d, ruga_curve_from_stroke(mesh, &camera, SKETCH_PIXELS, SKETCH_PIXELS, pixels, SKETCH_POINTS, &def, out));
}

/* ---- The section. */

static const demo_item items[] = {
    {.name = "sculpt_process",
     .title = "From a stroke to a wrinkle",
     .caption =
         "A base curve (red) and a region curve (blue) that says how far the wrinkle reaches; the mesh is cut so "
         "that its edges follow them; fifty particles along the base curve find their rest; the surface "
         "follows, as coarse as it is and refined until it keeps to the curve.",
     .files = {"sculpt_process.png"},
     .wide = 1,
     .make = demo_make_sculpt_process},
    {.name = "sculpt_family",
     .title = "Stiffness: five curves of one length",
     .caption = "Governing curves for the same target length, 1.3 times that of the stroke. The stiffer, the fewer "
                "and wider the wrinkles; the legend has their mean count over 50 seeds, the second plot also how much "
                "it varies.",
     .files = {"sculpt_family.png", "sculpt_family.svg", "sculpt_counts.png", "sculpt_counts.svg"},
     .make = demo_make_sculpt_family},
    {.name = "sculpt_ends",
     .title = "Ends of a stroke",
     .caption =
         "With the paper's sum bending is cheapest at the ends, and all of the turn gathers in a corner there. Ours "
         "are mirrors: wrinkles leave the surface as gently as they bend over their crests.",
     .files = {"sculpt_ends.png"},
     .wide = 1,
     .make = demo_make_sculpt_ends},
    {.name = "sculpt_refine",
     .title = "Adaptive refinement",
     .caption =
         "A coarse sleeve. Without refinement its edges (blue) can't follow the wrinkled curve (red); refined within "
         "the region, they do, and the rest of the sleeve stays as coarse as it was.",
     .files = {"sculpt_refine.png"},
     .wide = 1,
     .make = demo_make_sculpt_refine},
    {.name = "sculpt_blend",
     .title = "Two regions that overlap",
     .caption = "The closest curve alone tears the surface where it changes. The blend as the paper prints it has no "
                "attenuation inside and jumps at each region's border. Ours does neither.",
     .files = {"sculpt_blend.png"},
     .wide = 1,
     .make = demo_make_sculpt_blend},
    {.name = "sculpt_crossing",
     .title = "Strokes that cross",
     .caption = "Each by itself, two curves pass each other at different heights, and no surface goes through both. "
                "Minimised together they meet, and the surface goes through both.",
     .files = {"sculpt_crossing.png"},
     .wide = 1,
     .make = demo_make_sculpt_crossing},
    {.name = "sculpt_curtain",
     .title = "A curtain by one stroke",
     .caption = "One stroke along the hem, with four pairs of stiffness and length.",
     .files = {"sculpt_curtain.png"},
     .wide = 1,
     .make = demo_make_sculpt_curtain},
    {.name = "sculpt_curtains",
     .title = "A curtain by several strokes",
     .caption = "First its two ends, then one more stroke between them.",
     .files = {"sculpt_curtains.png"},
     .wide = 1,
     .make = demo_make_sculpt_curtains},
    {.name = "sculpt_forehead",
     .title = "Three foreheads",
     .caption = "Strokes drawn on a picture of the bust, k_r = 10, L̃ = 1.3 L. In the film the lengths are driven: the "
                "wrinkles come and go on a mesh that stays the same.",
     .files = {"sculpt_forehead.png", "sculpt_forehead.mp4"},
     .wide = 1,
     .make = demo_make_sculpt_forehead},
    {.name = "sculpt_skirt",
     .title = "A skirt",
     .caption = "Four strokes around its lower part.",
     .files = {"sculpt_skirt.png"},
     .wide = 1,
     .make = demo_make_sculpt_skirt},
    {.name = "sculpt_shoe",
     .title = "A shoe that was worn",
     .caption = "Four strokes over the bend of the toes; creases go across them.",
     .files = {"sculpt_shoe.png"},
     .wide = 1,
     .make = demo_make_sculpt_shoe},
};

const demo_section demo_sculpt = {
    "sculpt", "Sculpt",
    "Draw a curve, get a believable wrinkle: particles along the curve find how it folds, "
    "and the surface around it follows (Wang, Wang and Yuen 2006).",
    items, sizeof items / sizeof items[0]};
