/* Curves and points of a panel, projected to pixels and sorted into tiles, so that a sample finds those that cover
 * it. */
#ifndef RENDER_STROKE_H
#define RENDER_STROKE_H

#include "render/colour.h"
#include "render/shaded_mesh.h"
#include "render/view.h"

#define TILE_SIZE 32 /* pixels */

/* A piece of a curve, or a point (from = to). */
typedef struct stroke {
    double x0, y0, x1, y1; /* pixels */
    double near0, near1;   /* one over the depth at both ends */
    vec3 from, to;         /* in the tracer's units */
    double radius;         /* pixels */
    uint32_t item;         /* strokes of one curve or point set are united */
    light colour;
} stroke;

typedef struct stroke_set {
    stroke *strokes; /* in the order of drawing */
    size_t count;
    int columns, rows; /* of tiles */
    size_t *offsets;   /* (columns * rows + 1) into members */
    uint32_t *members; /* strokes that touch each tile, rising */
} stroke_set;

/* `v` is in the tracer's units. */
ruga_status stroke_set_make(ruga_context *context, const ruga_panel *panel, const placement *place, const view *v,
                            double pixel_scale, stroke_set *out);
void stroke_set_release(ruga_context *context, stroke_set *set);

/* How far a sample lies from a stroke's middle line, pixels, and how far along the nearest point is, [0, 1] in
 * space. */
double stroke_distance(const stroke *s, double x, double y, double *along);

#endif
