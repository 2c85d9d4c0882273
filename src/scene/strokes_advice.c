/* Advice about strokes that look meant as the other shape: people draw along a wrinkle as often as across it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geom/surface_path.h"
#include "math/vec3.h"
#include "scene/strokes_parts.h"

#define NEAR 0.3         /* side by side: their distance over the shorter one's length */
#define ALONG 0.9        /* least cosine between their directions */
#define SHORT_FURROW 2.5 /* least length of a furrow over its radius */
#define LOOSE 3.0        /* parts of a furrow farther apart along it, over its radius, are not neighbours */

enum { MOST_PLACES = 200 };

/* A curve as a straight piece of line. */
typedef struct straight_line {
    vec3 middle, direction;
    double length; /* m, between its ends */
} straight_line;

static straight_line line_of(const ruga_curve *curve, const ruga_mesh *mesh) {
    const vec3 first = surface_point_at(mesh, NULL, curve->points[0]);
    const vec3 last = surface_point_at(mesh, NULL, curve->points[curve->point_count - 1]);
    const vec3 along = vec3_sub(last, first);
    return (straight_line){vec3_mix(first, last, 0.5), vec3_normalise(along), vec3_length(along)};
}

/* Whether two lines run side by side, closer than wrinkles across them would be long; *distance: between them, m. */
static int side_by_side(straight_line a, straight_line b, double *distance) {
    vec3 between = vec3_sub(b.middle, a.middle);
    double along = vec3_dot(between, a.direction), shorter = fmin(a.length, b.length);
    *distance = vec3_length(vec3_add_scaled(between, a.direction, -along));
    const int is_near = *distance<NEAR * shorter && * distance> 0;
    return fabs(vec3_dot(a.direction, b.direction)) > ALONG && is_near && fabs(along) < 0.5 * shorter;
}

static int applies(const ruga_stroke_report *r, ruga_stroke_shape shape) {
    return !r->off && r->curve && !RUGA_FAILED(r->info.status) && r->def.shape == shape;
}

/* Whether it was drawn without a word on the shape that is wanted. Copies and images were not drawn, and are meant to
 * lie side by side. */
static int may_be_furrow(const ruga_stroke_report *r) {
    const int is_drawn = !r->def.begins_as_drawn; /* which only copies and images have */
    return applies(r, RUGA_SHAPE_WRINKLES) && is_drawn && !r->curve->closed && !r->chose_shape;
}

static int advise_furrows(const ruga_strokes *s, const ruga_mesh *mesh, size_t stroke, char *text, size_t size) {
    ruga_stroke_report own = ruga_strokes_get(s, stroke);
    for (size_t i = 0; i < ruga_strokes_count(s) && may_be_furrow(&own); i++) {
        ruga_stroke_report other = ruga_strokes_get(s, i);
        double distance;
        if (i == stroke || !may_be_furrow(&other)) continue;
        straight_line a = line_of(own.curve, mesh), b = line_of(other.curve, mesh);
        if (!side_by_side(a, b, &distance)) continue;
        snprintf(text, size,
                 "stroke \"%.100s\" runs beside \"%.100s\", %.3g m away and %.3g m long, as wrinkles themselves do; "
                 "wrinkles run across a stroke. For a furrow along each stroke give \"shape\": \"furrow\" (--shape "
                 "furrow); if it is right, \"shape\": \"wrinkles\" omits this note",
                 own.name, other.name, distance, a.length);
        return 1;
    }
    return 0;
}

/* ---- A single stroke. */

/* 1/m, how much the smooth surface bends in a unit direction of a triangle; above 0 where it is convex. */
static double bend_of(const ruga_mesh *mesh, const vec3 *normals, uint32_t triangle, vec3 direction) {
    const uint32_t *v = mesh->triangles + 3 * (size_t)triangle;
    const vec3 a = vec3_sub(mesh->positions[v[1]], mesh->positions[v[0]]);
    const vec3 b = vec3_sub(mesh->positions[v[2]], mesh->positions[v[0]]);
    const double aa = vec3_length2(a), bb = vec3_length2(b), ab = vec3_dot(a, b), area2 = aa * bb - ab * ab;
    if (!(area2 > 0)) return 0;
    const double da = vec3_dot(direction, a), db = vec3_dot(direction, b);
    const double x = (bb * da - ab * db) / area2, y = (aa * db - ab * da) / area2;
    return x * vec3_dot(direction, vec3_sub(normals[v[1]], normals[v[0]])) +
           y * vec3_dot(direction, vec3_sub(normals[v[2]], normals[v[0]]));
}

/* rad, the bend of the surface along all of a stroke, and across it over the same length. */
static void sum_bends(const ruga_mesh *mesh, const vec3 *normals, const ruga_curve *curve, double bends[2]) {
    bends[0] = bends[1] = 0;
    for (size_t i = 0; i + 1 < curve->point_count; i++) {
        const uint32_t triangle = curve->points[i].triangle, *v = mesh->triangles + 3 * (size_t)triangle;
        const vec3 *p = mesh->positions;
        const vec3 up = vec3_normalise(vec3_cross(vec3_sub(p[v[1]], p[v[0]]), vec3_sub(p[v[2]], p[v[0]])));
        const vec3 step = vec3_sub(surface_point_at(mesh, NULL, curve->points[i + 1]),
                                   surface_point_at(mesh, NULL, curve->points[i]));
        const vec3 along = vec3_normalise(vec3_add_scaled(step, up, -vec3_dot(step, up)));
        const double length = vec3_length(step);
        bends[0] += length * bend_of(mesh, normals, triangle, along);
        bends[1] += length * bend_of(mesh, normals, triangle, vec3_cross(up, along));
    }
}

/* Skin folds around an arm and a toe cap, over a brow and beside an eye, and in valleys: a wrinkle runs in the
 * direction in which the surface bends most outwards, or along a valley, and a stroke across wrinkles does not. Where
 * it bends as much in all directions, as high on a forehead, only lines along it turn by most of a radian. The limits
 * separate strokes of both kinds on the bust, the shoe and the arm (tests/scene/test_strokes.c). */
static int runs_as_wrinkles_do(double along, double across) {
    const int is_around = along > 0.33 && along > 1.15 * across;
    const int is_long = along > 0.9 && along > 0.7 * across;
    const int is_valley = across < -0.8 && -across > 3 * fabs(along);
    return is_around || is_long || is_valley;
}

/* A stroke of which no shape was chosen. */
static int advise_single(const ruga_strokes *s, const ruga_mesh *mesh, const vec3 *normals, size_t stroke, char *text,
                         size_t size) {
    const ruga_stroke_report r = ruga_strokes_get(s, stroke);
    double bends[2];
    if (!may_be_furrow(&r)) return 0;
    sum_bends(mesh, normals, r.curve, bends);
    if (!runs_as_wrinkles_do(bends[0], bends[1])) return 0;
    snprintf(
        text, size,
        "stroke \"%.100s\" runs %s, as wrinkles themselves do; wrinkles run across a stroke. For a furrow along it "
        "give \"shape\": \"furrow\" (--shape furrow); if it is right, \"shape\": \"wrinkles\" omits this note",
        r.name, bends[1] < -0.8 ? "along a valley" : "around the surface");
    return 1;
}

/* ---- Furrows. */

/* m, the least distance of parts of a furrow that are not neighbours along it; INFINITY: there are none. */
static double distance_to_itself(const ruga_curve *curve, const ruga_mesh *mesh, double radius) {
    const double whole = ruga_curve_length(curve, mesh, NULL);
    const size_t step = curve->point_count / MOST_PLACES + 1;
    double least = INFINITY;
    for (size_t i = 0; i < curve->point_count; i += step) {
        const vec3 from = surface_point_at(mesh, NULL, curve->points[i]);
        vec3 last = from;
        double arc = 0;
        for (size_t k = i + 1; k < curve->point_count; k++) {
            const vec3 at = surface_point_at(mesh, NULL, curve->points[k]);
            arc += vec3_distance(last, at);
            last = at;
            const double between = curve->closed ? fmin(arc, whole - arc) : arc;
            if (between > LOOSE * radius) least = fmin(least, vec3_distance(from, at));
        }
    }
    return least;
}

static int advise_furrow(const ruga_strokes *s, const ruga_mesh *mesh, size_t stroke, char *text, size_t size) {
    const ruga_stroke_report r = ruga_strokes_get(s, stroke);
    if (!applies(&r, RUGA_SHAPE_FURROW)) return 0;
    const double length = ruga_curve_length(r.curve, mesh, NULL);
    if (!r.curve->closed && length < SHORT_FURROW * r.info.radius) {
        snprintf(text, size,
                 "stroke \"%.100s\" is a furrow %.3g m long with a radius of %.3g m; a furrow runs along its stroke. "
                 "For wrinkles across the stroke give \"shape\": \"wrinkles\", else a smaller radius",
                 r.name, length, r.info.radius);
        return 1;
    }
    const double distance = distance_to_itself(r.curve, mesh, r.info.radius);
    if (!(distance < r.info.radius)) return 0;
    snprintf(text, size,
             "stroke \"%.100s\" is a furrow that comes within %.3g m of itself, nearer than its radius of %.3g m, and "
             "has a step there; give a smaller radius, or draw it as two strokes",
             r.name, distance, r.info.radius);
    return 1;
}

int strokes_advise(const ruga_strokes *s, const ruga_mesh *mesh, const vec3 *normals, size_t stroke, char *text,
                   size_t size) {
    return advise_furrows(s, mesh, stroke, text, size) || advise_single(s, mesh, normals, stroke, text, size) ||
           advise_furrow(s, mesh, stroke, text, size);
}
