#include "plot/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The smallest of 1, 2, 5 times a power of ten that is at least as large. */
static double round_up(double x) {
    double power = pow(10, floor(log10(x) + 1e-9));
    double lead = x / power;
    return power * (lead <= 1 + 1e-9 ? 1 : lead <= 2 + 1e-9 ? 2 : lead <= 5 + 1e-9 ? 5 : 10);
}

static int count_within(double low, double high, double step, double *first) {
    double slack = 1e-9 * (high - low);
    *first = ceil((low - slack) / step) * step;
    return (int)floor((high + slack - *first) / step + 1e-9) + 1;
}

ticks ticks_choose(double low, double high, int most) {
    // A step that is surely too small grows until the ticks are few enough.
    ticks t = {.step = round_up((high - low) / (3.0 * most))};
    while ((t.count = count_within(low, high, t.step, &t.first)) > most) t.step = round_up(t.step * 1.5);
    double largest = fmax(fabs(low), fabs(high));
    int magnitude = (int)floor(log10(largest) + 1e-9);
    if (magnitude >= 5 || magnitude <= -4) t.exponent = 3 * (int)floor(magnitude / 3.0);
    int step_magnitude = (int)floor(log10(t.step) + 1e-9) - t.exponent;
    t.decimals = step_magnitude < 0 ? -step_magnitude : 0;
    return t;
}

double ticks_value(const ticks *t, int i) {
    double value = t->first + i * t->step;
    return fabs(value) < 1e-6 * t->step ? 0 : value;
}

void ticks_label(const ticks *t, int i, char text[TICKS_TEXT]) {
    double value = ticks_value(t, i) / pow(10, t->exponent);
    int decimals = t->decimals < 12 ? t->decimals : 12;
    double scaled = round(fabs(value) * pow(10, decimals));
    const char *sign = value < 0 && scaled > 0 ? "\u2212" : "";
    if (scaled >= 9e15) {
        snprintf(text, TICKS_TEXT, "%s%.0f", sign, fabs(value));
        return;
    }
    unsigned long long digits = (unsigned long long)scaled, unit = (unsigned long long)(pow(10, decimals) + 0.5);
    if (decimals)
        snprintf(text, TICKS_TEXT, "%s%llu.%0*llu", sign, digits / unit, decimals, digits % unit);
    else
        snprintf(text, TICKS_TEXT, "%s%llu", sign, digits);
}

void ticks_unit(const ticks *t, char text[TICKS_TEXT]) {
    static const char *const raised[10] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                           "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    text[0] = 0;
    if (!t->exponent) return;
    char digits[16];
    snprintf(digits, sizeof digits, "%d", t->exponent < 0 ? -t->exponent : t->exponent);
    strcpy(text, t->exponent < 0 ? "\u00d710\u207b" : "\u00d710");
    for (const char *d = digits; *d; d++) strcat(text, raised[*d - '0']);
}
