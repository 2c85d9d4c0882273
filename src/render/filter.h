/* An edge-avoiding filter over visibilities: noise of few rays is averaged among neighbours that belong together
 * (Dammertz et al. 2010, "Edge-avoiding à-trous wavelet transform for fast global illumination filtering").
 *
 * Neighbours count as far as they are of the same surface, have a similar normal, lie in the plane of the pixel's own
 * point, and differ by no more than the noise that their number of rays explains: edges of shadows and folds stay.
 * Each pixel is a function of its surroundings alone, not of threads.
 *
 * Colours are no guide: visibilities are filtered before they are multiplied by the albedo, so that patterns of colour
 * stay sharp, and an edge of colours alone, across which light does not change, need not stop the filter.
 */
#ifndef RENDER_FILTER_H
#define RENDER_FILTER_H

#include "base/context.h"
#include "render/finish.h"

/* The surface that most of a pixel shows. */
typedef struct filter_guide {
    float point[3], normal[3]; /* in the tracer's units; unit */
    float pixel;               /* size of a pixel there, in the tracer's units */
    uint32_t surface;          /* its number; FILTER_NONE: nothing to filter */
} filter_guide;
#define FILTER_NONE UINT32_MAX

typedef struct filter_def {
    int width, height;
    const filter_guide *guides; /* (height x width) */
    double rays[SEEN_COUNT];    /* of a pixel, for each visibility: 0: exact, left alone */
    uint32_t floor;             /* the surface that is smoothed farthest; FILTER_NONE: none */
    double floor_rays[SEEN_COUNT];
} filter_def;

#define FILTER_REACH 32 /* pixels: how far others can matter */

/* seen: (height x width x SEEN_COUNT), replaced. */
ruga_status filter_visibilities(ruga_context *context, const filter_def *def, float *seen);

#endif
