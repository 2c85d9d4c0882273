/* Points, strokes and colours of flat drawings, for every back end. */
#ifndef PLOT_DRAWING_H
#define PLOT_DRAWING_H

#include "ruga/plot.h"

/* Pixels (or points of an SVG), y down. Whole numbers lie on the borders between pixels: the first pixel covers
 * [0, 1) x [0, 1). */
typedef struct plot_point {
    double x, y;
} plot_point;

/* A segment drawn with a round pen; without length it is a dot. */
typedef struct pen_stroke {
    plot_point from, to;
    double radius;
} pen_stroke;

/* A component of a colour, [0, 1], as a byte 0…255, rounded. */
static inline uint8_t colour_byte(float encoded) {
    float scaled = encoded * 255.0f + 0.5f;
    return scaled >= 255 ? 255 : scaled > 0 ? (uint8_t)scaled : 0;
}

#endif
