/* The wave that dominates heights. */
#ifndef TESTS_SPECTRUM_H
#define TESTS_SPECTRUM_H

#include <stddef.h>

typedef struct wave {
    double length;    /* m, of the wave that carries most power, refined between those that were tried */
    double direction; /* rad, of its wave vector in the plane, within [0, π) */
    double power;     /* m², its amplitude squared */
} wave;

/* Over points (x, y) with heights, any number of them anywhere: power at wave vectors of lengths from `shortest` to
 * `longest` in all directions (or in the one of x, if `along_x`), with a smooth window over the points' box. */
wave dominating_wave(const double *x, const double *y, const double *heights, size_t count, double shortest,
                     double longest, int along_x);

/* Power in waves whose vectors are within `spread` (rad) of a direction, over that in all directions. */
double power_towards(const double *x, const double *y, const double *heights, size_t count, double shortest,
                     double longest, double direction, double spread);

#endif
