/* Tracing a panel: from surfaces, strokes and a view to pixels. */
#ifndef RENDER_RAY_TRACE_H
#define RENDER_RAY_TRACE_H

#include "render/canvas.h"
#include "render/shaded_mesh.h"
#include "render/stroke.h"
#include "render/view.h"

/* All that the pixels of a panel depend on; const while it is traced. */
typedef struct trace_scene {
    RTCScene scene;
    const surface *surfaces; /* by Embree's geometry number */
    const stroke_set *strokes;
    const colour_map *maps; /* (2) sequential, diverging */
    view v;                 /* in the tracer's units */
    light background;
    int ground;
    double ground_height; /* in the tracer's units */
    int samples, occlusion_samples, shadow_samples;
    const float *occlusion_directions; /* (samples x occlusion_samples x 3) about z, cosine-weighted */
    const float *shadow_offsets;       /* (samples x shadow_samples x 2) within the unit disc */
} trace_scene;

/* Directions and offsets as above from one low-discrepancy sequence. (count x 3), (count x 2). */
void trace_make_directions(size_t count, float *directions);
void trace_make_offsets(size_t count, float *offsets);

/* Shades the tile of this number into the image, whose pixel (left, top) is the panel's first. */
void trace_tile(const trace_scene *scene, size_t tile, const canvas *image, int left, int top);

#endif
