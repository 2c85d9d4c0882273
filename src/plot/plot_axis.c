/* Axes of plots: places, round ranges, ticks. Logarithmic axes have ticks at powers of ten; where there is room for few
 * of them, at 1, 2 and 5 times these; and where that is still too few, at the round numbers of a linear axis. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/plot.h"

#define LARGEST 1e300
#define SMALLEST 1e-300 /* on a logarithmic axis */
#define FAR 1e6

int plot_can_show(int log, double value) {
    return log ? value >= SMALLEST && value <= LARGEST : fabs(value) <= LARGEST;
}

double plot_place(const plot_axis *axis, double value) {
    double low = axis->low, high = axis->high;
    double t = axis->log ? (log10(value) - log10(low)) / (log10(high) - log10(low)) : (value - low) / (high - low);
    double place = axis->from + (axis->to - axis->from) * t;
    return fmin(fmax(place, axis->from - FAR), axis->from + FAR);
}

/* ---- Ranges. */

/* 1, 2 or 5 times a power of ten, not above (or not below) a positive value. */
static double round_down_125(double value) {
    double power = pow(10, floor(log10(value) + 1e-9)), lead = value / power;
    return power * (lead >= 5 - 1e-9 ? 5 : lead >= 2 - 1e-9 ? 2 : 1);
}

static double round_up_125(double value) {
    double power = pow(10, floor(log10(value) + 1e-9)), lead = value / power;
    return power * (lead <= 1 + 1e-9 ? 1 : lead <= 2 + 1e-9 ? 2 : lead <= 5 + 1e-9 ? 5 : 10);
}

static void round_log_range(double *low, double *high) {
    if (*low > *high) *low = 1, *high = 10;
    double one = *low;
    *low = round_down_125(*low), *high = round_up_125(*high);
    // All values equal: a factor of two or so to both sides.
    if (*high < *low * 1.5) *low = round_down_125(one / 2), *high = round_up_125(one * 2);
    *low = fmax(*low, SMALLEST), *high = fmin(*high, LARGEST);
}

void plot_round_range(int log, double *low, double *high) {
    if (log) {
        round_log_range(low, high);
        return;
    }
    if (*low > *high) *low = 0, *high = 1;
    // All values equal, or as good as: a twentieth of the value to both sides, or one half where it is zero.
    double largest = fmax(fabs(*low), fabs(*high));
    if (*high - *low <= 1e-9 * largest || *high - *low < 1e-290) {
        double half = largest > 1e-280 ? 0.05 * largest : 0.5;
        *low -= half, *high += half;
    }
    ticks t = ticks_choose(*low, *high, 7);
    double slack = 1e-6;
    *low = floor(*low / t.step + slack) * t.step, *high = ceil(*high / t.step - slack) * t.step;
}

/* ---- Ticks. */

static void add_tick(plot_ticks *out, double value, const char *label) {
    if (out->count == PLOT_TICKS) return;
    out->values[out->count] = value;
    snprintf(out->labels[out->count++], TICKS_TEXT, "%s", label);
}

static void add_minor(plot_ticks *out, double value) {
    if (out->minor_count < PLOT_MINORS) out->minors[out->minor_count++] = value;
}

static void choose_linear(const plot_axis *axis, int most, plot_ticks *out) {
    ticks t = ticks_choose(axis->low, axis->high, most);
    ticks_unit(&t, out->unit);
    for (int i = 0; i < t.count; i++) {
        char label[TICKS_TEXT];
        ticks_label(&t, i, label);
        double value = fmin(fmax(ticks_value(&t, i), axis->low), axis->high);
        add_tick(out, value, value == 0 ? "0" : label);
    }
}

/* "10⁻³", "2×10⁻³", or plainly "0.002" when small numbers are all there are. */
static void label_log(double lead, int exponent, int plain, char text[TICKS_TEXT]) {
    if (plain && exponent >= 0) {
        snprintf(text, TICKS_TEXT, "%.0f", lead * pow(10, exponent));
    } else if (plain) {
        snprintf(text, TICKS_TEXT, "0.%0*.0f", -exponent, lead);
    } else {
        ticks t = {.exponent = exponent};
        char unit[TICKS_TEXT];
        ticks_unit(&t, unit);
        const char *power = exponent ? unit + strlen("\u00d7") : "10\u2070";
        if (lead > 1)
            snprintf(text, TICKS_TEXT, "%.0f\u00d7%.40s", lead, power);
        else
            snprintf(text, TICKS_TEXT, "%.46s", power);
    }
}

static int is_within(const plot_axis *axis, double value) {
    return value >= axis->low * (1 - 1e-9) && value <= axis->high * (1 + 1e-9);
}

/* The decades that touch the axis. */
static void find_decades(const plot_axis *axis, int *first, int *last) {
    *first = (int)floor(log10(axis->low) + 1e-9), *last = (int)floor(log10(axis->high) + 1e-9);
}

/* Powers of ten, every `step`-th; the leads between them, or the powers left out, are minor ticks. */
static void choose_powers(const plot_axis *axis, int step, plot_ticks *out) {
    int first, last;
    find_decades(axis, &first, &last);
    for (int k = first; k <= last; k++) {
        int major = k % step == 0;
        char label[TICKS_TEXT];
        label_log(1, k, 0, label);
        double power = pow(10, k);
        if (is_within(axis, power) && major) add_tick(out, power, label);
        if (is_within(axis, power) && !major) add_minor(out, power);
        for (int lead = 2; lead <= 9 && step == 1; lead++)
            if (is_within(axis, lead * power)) add_minor(out, lead * power);
    }
}

static void choose_125(const plot_axis *axis, plot_ticks *out) {
    int first, last;
    find_decades(axis, &first, &last);
    int plain = first >= -3 && axis->high <= 1e5;
    for (int k = first; k <= last; k++)
        for (int lead = 1; lead <= 9; lead++) {
            double value = lead * pow(10, k);
            char label[TICKS_TEXT];
            label_log(lead, k, plain, label);
            if (!is_within(axis, value)) continue;
            if (lead == 1 || lead == 2 || lead == 5)
                add_tick(out, value, label);
            else
                add_minor(out, value);
        }
}

void plot_choose_ticks(const plot_axis *axis, int most, plot_ticks *out) {
    *out = (plot_ticks){0};
    if (most > PLOT_TICKS) most = PLOT_TICKS;
    if (!axis->log) {
        choose_linear(axis, most, out);
        return;
    }
    double decades = log10(axis->high) - log10(axis->low);
    if (decades < 0.5) {
        choose_linear(axis, most, out);
    } else if (decades < 2 && 3 * decades + 1 <= most) {
        choose_125(axis, out);
    } else {
        int step = 1;
        while (floor(decades / step + 1e-9) + 1 > most) step++;
        choose_powers(axis, step, out);
    }
    // Few decades may hold no power of ten, or but one.
    if (out->count == 0 || (out->count == 1 && decades < 1.5)) {
        out->count = out->minor_count = 0;
        choose_linear(axis, most, out);
    }
}
