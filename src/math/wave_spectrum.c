/* Spectra of waves on a plane: see wave_spectrum.h. */
#include "math/wave_spectrum.h"

#include <math.h>

#define TWO_PI 6.283185307179586476925
#define POINTS 20      /* of the grid, an expected wave */
#define LEAST_WAVES 3  /* along the longer side */
#define LOWEST 0.4     /* of 1 / expected: the lowest wave number */
#define HIGHEST 2.2    /* the highest */
#define STEP 0.5       /* of wave numbers, over one wave along a side */
#define MOST_GRID 4096 /* points along a side */
#define PEAK 0.25      /* of the greatest power: above it, it counts */

struct wave_spectrum {
    ruga_context *context;
    size_t count;
    double expected, lows[2], sides[2]; /* m */
    size_t grid[2], waves[2];           /* points, and steps of wave numbers on one side of 0 */
    double (*places)[2];                /* (count) in cells of the grid */
    double *weights;                    /* (count) window times area */
    double *heights;                    /* (grid) */
    double *sums[2];                    /* (2 waves[0] + 1 x grid[1]) real and imaginary */
    double *powers;                     /* (waves) */
};

static size_t power_count(const wave_spectrum *w) { return (w->waves[0] + 1) * (2 * w->waves[1] + 1); }

/* Wave number k along a side, 1/m. */
static double number_at(const wave_spectrum *w, int side, double k) {
    return w->sides[side] > 0 ? STEP * k / w->sides[side] : 0;
}

static void measure_sides(wave_spectrum *w, const double (*places)[2]) {
    for (int a = 0; a < 2; a++) {
        double high = w->lows[a] = places[0][a];
        for (size_t i = 0; i < w->count; i++) {
            w->lows[a] = fmin(w->lows[a], places[i][a]);
            high = fmax(high, places[i][a]);
        }
        w->sides[a] = high - w->lows[a];
        if (w->sides[a] < 1e-9 * w->expected) w->sides[a] = 0;
        w->grid[a] = 2 + (size_t)fmin(MOST_GRID, w->sides[a] * POINTS / w->expected);
        w->waves[a] = (size_t)fmin(MOST_GRID, ceil(HIGHEST * w->sides[a] / (STEP * w->expected)));
    }
}

static void place_samples(wave_spectrum *w, const double (*places)[2], const double *areas) {
    for (size_t i = 0; i < w->count; i++) {
        w->weights[i] = areas ? areas[i] : 1;
        for (int a = 0; a < 2; a++) {
            const double part = w->sides[a] > 0 ? (places[i][a] - w->lows[a]) / w->sides[a] : 0;
            w->places[i][a] = part * (double)(w->grid[a] - 1);
            if (w->sides[a] > 0) w->weights[i] *= pow(sin(TWO_PI / 2 * part), 2);
        }
    }
}

static ruga_status make(wave_spectrum *w, const double (*places)[2], const double *areas) {
    measure_sides(w, places);
    if (!(fmax(w->sides[0], w->sides[1]) >= LEAST_WAVES * w->expected))
        return fail_input(w->context, "a spectrum of %g m has no %d waves of %g m", fmax(w->sides[0], w->sides[1]),
                          LEAST_WAVES, w->expected);
    TRY(NEW(w->context, &w->places, w->count));
    TRY(NEW(w->context, &w->weights, w->count));
    TRY(NEW(w->context, &w->heights, w->grid[0] * w->grid[1]));
    TRY(NEW_EACH(w->context, (w->waves[0] + 1) * w->grid[1], &w->sums[0], &w->sums[1]));
    TRY(NEW(w->context, &w->powers, power_count(w)));
    place_samples(w, places, areas);
    return RUGA_OK;
}

ruga_status wave_spectrum_create(ruga_context *context, size_t count, const double (*places)[2], const double *areas,
                                 double expected, wave_spectrum **out) {
    wave_spectrum *w;
    if (count == 0 || !(expected > 0)) return fail_input(context, "a spectrum needs points and a wavelength above 0");
    TRY(NEW_ZEROED(context, &w, 1));
    w->context = context;
    w->count = count;
    w->expected = expected;
    RETURN_MADE(make(w, places, areas), w, out, wave_spectrum_destroy(w));
}

void wave_spectrum_destroy(wave_spectrum *w) {
    if (w) RELEASE_ALL(w->context, w->places, w->weights, w->heights, w->sums[0], w->sums[1], w->powers, w);
}

/* Each height goes to the four grid points around it. */
static void fill_grid(wave_spectrum *w, const double *heights) {
    double sum = 0, all = 0;
    for (size_t i = 0; i < w->count; i++) {
        sum += w->weights[i] * heights[i];
        all += w->weights[i];
    }
    memset(w->heights, 0, w->grid[0] * w->grid[1] * sizeof *w->heights);
    for (size_t i = 0; i < w->count; i++) {
        const double value = w->weights[i] * (heights[i] - sum / all);
        const size_t x = (size_t)fmin(w->places[i][0], (double)w->grid[0] - 2);
        const size_t y = (size_t)fmin(w->places[i][1], (double)w->grid[1] - 2);
        const double u = w->places[i][0] - (double)x, v = w->places[i][1] - (double)y;
        double *at = w->heights + x * w->grid[1] + y;
        at[0] += value * (1 - u) * (1 - v);
        at[1] += value * (1 - u) * v;
        at[w->grid[1]] += value * u * (1 - v);
        at[w->grid[1] + 1] += value * u * v;
    }
}

/* Sums along the first side, for wave numbers from 0 on, at each grid point of the second. */
static void sum_first_side(wave_spectrum *w) {
    const size_t rows = w->grid[1];
    const double cell = w->sides[0] / (double)(w->grid[0] - 1);
    for (size_t k = 0; k <= w->waves[0]; k++) {
        double *re = w->sums[0] + k * rows, *im = w->sums[1] + k * rows;
        memset(re, 0, rows * sizeof *re);
        memset(im, 0, rows * sizeof *im);
        for (size_t x = 0; x < w->grid[0]; x++) {
            const double phase = TWO_PI * number_at(w, 0, (double)k) * cell * (double)x, c = cos(phase), s = sin(phase);
            const double *from = w->heights + x * rows;
            for (size_t y = 0; y < rows; y++) {
                re[y] += c * from[y];
                im[y] -= s * from[y];
            }
        }
    }
}

/* Wave numbers of the second side have both signs; those of the first do not, as power is the same at -k. */
static void measure_powers(wave_spectrum *w) {
    const size_t rows = w->grid[1], across = 2 * w->waves[1] + 1;
    const double cell = w->sides[1] / (double)(rows - 1);
    for (size_t j = 0; j < across; j++) {
        const double number = number_at(w, 1, (double)j - (double)w->waves[1]), turn = TWO_PI * number * cell;
        const double c = cos(turn), s = -sin(turn);
        for (size_t k = 0; k <= w->waves[0]; k++) {
            const double *a = w->sums[0] + k * rows, *b = w->sums[1] + k * rows;
            const double length = hypot(number_at(w, 0, (double)k), number) * w->expected;
            double re = 0, im = 0;
            /* Horner's rule, from the last point. */
            for (size_t y = rows; y-- > 0 && length >= LOWEST && length <= HIGHEST;) {
                const double turned = c * re - s * im + a[y];
                im = s * re + c * im + b[y];
                re = turned;
            }
            w->powers[k * across + j] = re * re + im * im;
        }
    }
}

/* Whether heights differ by no more than rounding. */
static int is_level(const wave_spectrum *w, const double *heights) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < w->count; i++) {
        low = fmin(low, heights[i]);
        high = fmax(high, heights[i]);
    }
    return high - low <= 1e-12 * fmax(fabs(low), fabs(high));
}

double wave_spectrum_measure(wave_spectrum *w, const double *heights) {
    if (is_level(w, heights)) return 0;
    const size_t across = 2 * w->waves[1] + 1;
    double most = 0, sum = 0, centroid = 0;
    fill_grid(w, heights);
    sum_first_side(w);
    measure_powers(w);
    for (size_t i = 0; i < power_count(w); i++) most = fmax(most, w->powers[i]);
    for (size_t i = 0; i < power_count(w) && most > 0; i++) {
        if (w->powers[i] < PEAK * most) continue;
        sum += w->powers[i];
        centroid += w->powers[i] * hypot(number_at(w, 0, (double)(i / across)),
                                         number_at(w, 1, (double)(i % across) - (double)w->waves[1]));
    }
    return most > 0 ? sum / centroid : 0;
}
