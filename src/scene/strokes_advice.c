/* Advice about strokes that look meant as the other shape: people draw along a wrinkle as often as across it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/vec3.h"
#include "scene/strokes_parts.h"

#define NEAR 0.3         /* side by side: their distance over the shorter one's length */
#define ALONG 0.9        /* least cosine between their directions */
#define SHORT_FURROW 2.5 /* least length of a furrow over its radius */

/* A curve as a straight piece of line. */
typedef struct straight_line {
    vec3 middle, direction;
    double length; /* m, between its ends */
} straight_line;

static straight_line line_of(const ruga_curve *curve, const ruga_mesh *mesh) {
    const ruga_surface_point *points[2] = {&curve->points[0], &curve->points[curve->point_count - 1]};
    vec3 ends[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            ends[i] =
                vec3_add_scaled(ends[i], mesh->positions[mesh->triangles[3 * (size_t)points[i]->triangle + (size_t)k]],
                                points[i]->weights[k]);
    vec3 along = vec3_sub(ends[1], ends[0]);
    return (straight_line){vec3_mix(ends[0], ends[1], 0.5), vec3_normalise(along), vec3_length(along)};
}

/* Whether two lines run side by side, closer than wrinkles across them would be long; *distance: between them, m. */
static int side_by_side(straight_line a, straight_line b, double *distance) {
    vec3 between = vec3_sub(b.middle, a.middle);
    double along = vec3_dot(between, a.direction), shorter = fmin(a.length, b.length);
    *distance = vec3_length(vec3_add_scaled(between, a.direction, -along));
    return fabs(vec3_dot(a.direction, b.direction)) > ALONG && *distance<NEAR * shorter && * distance> 0 &&
           fabs(along) < 0.5 * shorter;
}

static int applies(const ruga_stroke_report *r, ruga_stroke_shape shape) {
    return !r->off && r->curve && !RUGA_FAILED(r->info.status) && r->def.shape == shape && !r->curve->closed;
}

static int advise_furrows(const ruga_strokes *s, const ruga_mesh *mesh, size_t stroke, char *text, size_t size) {
    ruga_stroke_report own = ruga_strokes_get(s, stroke);
    for (size_t i = 0; i < ruga_strokes_count(s) && applies(&own, RUGA_SHAPE_WRINKLES); i++) {
        ruga_stroke_report other = ruga_strokes_get(s, i);
        double distance;
        if (i == stroke || !applies(&other, RUGA_SHAPE_WRINKLES)) continue;
        straight_line a = line_of(own.curve, mesh), b = line_of(other.curve, mesh);
        if (!side_by_side(a, b, &distance)) continue;
        snprintf(text, size,
                 "stroke \"%.100s\" runs beside \"%.100s\", %.3g m away and %.3g m long, as wrinkles themselves do; "
                 "wrinkles run across a stroke. For a furrow along each stroke give \"shape\": \"furrow\"",
                 own.name, other.name, distance, a.length);
        return 1;
    }
    return 0;
}

int strokes_advise(const ruga_strokes *s, const ruga_mesh *mesh, size_t stroke, char *text, size_t size) {
    ruga_stroke_report r = ruga_strokes_get(s, stroke);
    if (!applies(&r, RUGA_SHAPE_FURROW)) return advise_furrows(s, mesh, stroke, text, size);
    double length = ruga_curve_length(r.curve, mesh, NULL);
    if (!(length < SHORT_FURROW * r.info.radius)) return 0;
    snprintf(text, size,
             "stroke \"%.100s\" is a furrow %.3g m long with a radius of %.3g m; a furrow runs along its stroke. For "
             "wrinkles across the stroke give \"shape\": \"wrinkles\", else a smaller radius",
             r.name, length, r.info.radius);
    return 1;
}
