/* Tracing a panel: from surfaces, strokes and a view to pixels, band by band of rows. */
#ifndef RENDER_RAY_TRACE_H
#define RENDER_RAY_TRACE_H

#include "render/canvas.h"
#include "render/filter.h"
#include "render/shaded_mesh.h"
#include "render/stroke.h"
#include "render/view.h"

enum {
    TRACE_SAMPLES = 64, /* of a pixel, at most */
    FLOOR_RAYS = 2      /* rays to the key light from the floor, for one from a surface: its shadows are wide */
};

/* The floor that a panel stands on, as its neighbours need to know it. */
typedef struct trace_floor {
    view v;        /* in the tracer's units */
    double height; /* of the floor, in the tracer's units */
    int shown;
} trace_floor;

/* All that the pixels of a panel depend on; const while it is traced. Things are drawn in the panel, the floor in its
 * area: the panel and the gaps, captions and legends around it. */
typedef struct trace_scene {
    RTCScene scene;
    vec3 low, high;          /* the box of what is in it; low > high: nothing */
    const surface *surfaces; /* by Embree's geometry number */
    uint32_t surface_count;
    const stroke_set *strokes;
    const colour_map *maps; /* (2) sequential, diverging */
    view v;                 /* in the tracer's units */
    light_rig lights;
    light background;
    int area_left, area_top; /* pixels from the area's corner to the panel's */
    int area_width, area_height;
    int left, picture_width; /* where the panel begins in the picture */
    trace_floor floor;
    trace_floor beside[2];            /* of the panels to the left and to the right; not shown if there is none */
    int has_row_above, has_row_below; /* of panels */
    uint32_t number;                  /* of the picture in its film */
    int samples, occlusion_samples, shadow_samples;
    const float *occlusion_directions; /* (samples x occlusion_samples x 3) about z, cosine-weighted */
    const float *shadow_offsets;       /* (samples x FLOOR_RAYS shadow_samples x 2) in the unit disc */
} trace_scene;

/* The curve from light to the picture: of the ground, of surfaces, of colours that mean a number. */
typedef enum tone_curve { TONE_NONE, TONE_FILM, TONE_FIELD } tone_curve;

/* A pixel before its visibilities are filtered. */
typedef struct trace_pixel {
    finish_terms terms; /* mean over the samples of its main surface */
    float share;        /* of the pixel that these cover */
    light fixed;        /* all other light, as it is seen */
    tone_curve curve;   /* that the main surface's light passes through */
} trace_pixel;

/* Rows of a panel's area from `top` to before `bottom`, each of its width. */
typedef struct trace_band {
    int top, bottom;
    trace_pixel *pixels;
    filter_guide *guides;
    float *seen; /* SEEN_COUNT of each pixel */
} trace_band;

/* Directions and offsets as above from one low-discrepancy sequence. (count x 3), (count x 2). */
void trace_make_directions(size_t count, float *directions);
void trace_make_offsets(size_t count, float *offsets);

/* Tiles of an area in a row, and the pixels of the tile of this number that are in the band. */
int trace_tile_columns(const trace_scene *scene);
void trace_tile(const trace_scene *scene, size_t tile, const trace_band *band);
/* The colours of a row of the band, (area_width x 3) bytes, from its filtered visibilities. */
void trace_finish_row(const trace_scene *scene, int y, const trace_band *band, uint8_t *row);

#endif
