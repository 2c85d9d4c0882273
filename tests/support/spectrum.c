/* Sums over points: slow, and of any points. */
#include "support/spectrum.h"

#include <math.h>

#define PI 3.141592653589793
#define LENGTHS 60    /* wave numbers tried, evenly from 2π / longest to 2π / shortest */
#define DIRECTIONS 36 /* over half a turn */

typedef struct window {
    double low[2], size[2], mean;
} window;

static double fall_off(double at, double low, double size) {
    return size > 0 ? 0.5 - 0.5 * cos(2 * PI * (at - low) / size) : 1;
}

static double weight_at(const window *w, double x, double y, int along_x) {
    double weight = fall_off(x, w->low[0], w->size[0]);
    return along_x ? weight : weight * fall_off(y, w->low[1], w->size[1]);
}

/* The box of the points and their weighted mean height. */
static window window_over(const double *x, const double *y, const double *heights, size_t count, int along_x) {
    double high[2] = {-INFINITY, -INFINITY}, sum = 0, weights = 0;
    window w = {.low = {INFINITY, INFINITY}};
    for (size_t i = 0; i < count; i++) {
        w.low[0] = fmin(w.low[0], x[i]), high[0] = fmax(high[0], x[i]);
        w.low[1] = fmin(w.low[1], y[i]), high[1] = fmax(high[1], y[i]);
    }
    for (int k = 0; k < 2; k++) w.size[k] = high[k] - w.low[k];
    for (size_t i = 0; i < count; i++) {
        double weight = weight_at(&w, x[i], y[i], along_x);
        sum += weight * heights[i];
        weights += weight;
    }
    w.mean = sum / weights;
    return w;
}

static double power_at(const window *w, const double *x, const double *y, const double *heights, size_t count,
                       int along_x, double number, double direction) {
    double cosines = 0, sines = 0, weights = 0, kx = number * cos(direction), ky = number * sin(direction);
    for (size_t i = 0; i < count; i++) {
        double weight = weight_at(w, x[i], y[i], along_x), phase = kx * x[i] + ky * y[i];
        cosines += weight * (heights[i] - w->mean) * cos(phase);
        sines += weight * (heights[i] - w->mean) * sin(phase);
        weights += weight;
    }
    return 4 * (cosines * cosines + sines * sines) / (weights * weights);
}

static double number_of(int k, double shortest, double longest) {
    double low = 2 * PI / longest, high = 2 * PI / shortest;
    return low + (high - low) * k / (LENGTHS - 1);
}

wave dominating_wave(const double *x, const double *y, const double *heights, size_t count, double shortest,
                     double longest, int along_x) {
    window w = window_over(x, y, heights, count, along_x);
    wave best = {.power = -1};
    double number = 0;
    for (int d = 0; d < (along_x ? 1 : DIRECTIONS); d++)
        for (int k = 0; k < LENGTHS; k++) {
            double at = number_of(k, shortest, longest), direction = PI * d / DIRECTIONS;
            double power = power_at(&w, x, y, heights, count, along_x, at, direction);
            if (power > best.power) {
                number = at;
                best = (wave){2 * PI / at, direction, power};
            }
        }

    /* Between the tried numbers: the top of a parabola. */
    double step = number_of(1, shortest, longest) - number_of(0, shortest, longest);
    double before = power_at(&w, x, y, heights, count, along_x, number - step, best.direction);
    double after = power_at(&w, x, y, heights, count, along_x, number + step, best.direction);
    double bend = before - 2 * best.power + after;
    if (bend < 0) number += 0.5 * step * (before - after) / bend;
    best.length = 2 * PI / number;
    return best;
}

double power_towards(const double *x, const double *y, const double *heights, size_t count, double shortest,
                     double longest, double direction, double spread) {
    window w = window_over(x, y, heights, count, 0);
    double towards = 0, all = 0;
    for (int d = 0; d < DIRECTIONS; d++)
        for (int k = 0; k < LENGTHS; k++) {
            double at = PI * d / DIRECTIONS, number = number_of(k, shortest, longest);
            double power = number * power_at(&w, x, y, heights, count, 0, number, at);
            all += power;
            if (fabs(remainder(at - direction, PI)) <= spread) towards += power;
        }
    return towards / all;
}
