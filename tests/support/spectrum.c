/* Sums over points: slow, and of any points. */
#include "support/spectrum.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.141592653589793
#define LENGTHS 60    /* wave numbers tried, evenly from 2π / longest to 2π / shortest */
#define DIRECTIONS 36 /* over half a turn */

/* Points with heights over their mean that fall off towards the border of the points' box, and the sum of those
 * weights. */
typedef struct window {
    const double *x, *y;
    double *heights;
    size_t count;
    double weights;
} window;

static double fall_off(double at, double low, double high) {
    return high > low ? 0.5 - 0.5 * cos(2 * PI * (at - low) / (high - low)) : 1;
}

static void window_open(window *w, const double *x, const double *y, const double *heights, size_t count, int along_x) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, sum = 0;
    double *weights = malloc(count * sizeof *weights);
    *w = (window){x, y, malloc(count * sizeof *w->heights), count, 0};
    for (size_t i = 0; i < count; i++) {
        low[0] = fmin(low[0], x[i]), high[0] = fmax(high[0], x[i]);
        low[1] = fmin(low[1], y[i]), high[1] = fmax(high[1], y[i]);
    }
    for (size_t i = 0; i < count; i++) {
        weights[i] = fall_off(x[i], low[0], high[0]) * (along_x ? 1 : fall_off(y[i], low[1], high[1]));
        sum += weights[i] * heights[i];
        w->weights += weights[i];
    }
    for (size_t i = 0; i < count; i++) w->heights[i] = weights[i] * (heights[i] - sum / w->weights);
    free(weights);
}

static double power_at(const window *w, double number, double direction) {
    double cosines = 0, sines = 0, kx = number * cos(direction), ky = number * sin(direction);
    for (size_t i = 0; i < w->count; i++) {
        double phase = kx * w->x[i] + ky * w->y[i];
        cosines += w->heights[i] * cos(phase);
        sines += w->heights[i] * sin(phase);
    }
    return 4 * (cosines * cosines + sines * sines) / (w->weights * w->weights);
}

static double number_of(int k, double shortest, double longest) {
    double low = 2 * PI / longest, high = 2 * PI / shortest;
    return low + (high - low) * k / (LENGTHS - 1);
}

wave dominating_wave(const double *x, const double *y, const double *heights, size_t count, double shortest,
                     double longest, int along_x) {
    window w;
    window_open(&w, x, y, heights, count, along_x);
    wave best = {.power = -1};
    double number = 0;
    for (int d = 0; d < (along_x ? 1 : DIRECTIONS); d++)
        for (int k = 0; k < LENGTHS; k++) {
            double at = number_of(k, shortest, longest), direction = PI * d / DIRECTIONS;
            double power = power_at(&w, at, direction);
            if (power > best.power) {
                number = at;
                best = (wave){2 * PI / at, direction, power};
            }
        }

    /* Between the tried numbers: the top of a parabola. */
    double step = number_of(1, shortest, longest) - number_of(0, shortest, longest);
    double before = power_at(&w, number - step, best.direction);
    double after = power_at(&w, number + step, best.direction);
    double bend = before - 2 * best.power + after;
    if (bend < 0) number += 0.5 * step * (before - after) / bend;
    best.length = 2 * PI / number;
    free(w.heights);
    return best;
}

double power_towards(const double *x, const double *y, const double *heights, size_t count, double shortest,
                     double longest, double direction, double spread) {
    window w;
    window_open(&w, x, y, heights, count, 0);
    double towards = 0, all = 0;
    for (int d = 0; d < DIRECTIONS; d++)
        for (int k = 0; k < LENGTHS; k++) {
            double at = PI * d / DIRECTIONS, number = number_of(k, shortest, longest);
            double power = number * power_at(&w, number, at);
            all += power;
            if (fabs(remainder(at - direction, PI)) <= spread) towards += power;
        }
    free(w.heights);
    return towards / all;
}
