/* Round numbers along an axis, and how to write them. Never depends on the locale. */
#ifndef PLOT_TICKS_H
#define PLOT_TICKS_H

#include "base/context.h"

typedef struct ticks {
    double first, step; /* first >= low; a round step: 1, 2 or 5 times a power of ten */
    int count;
    int exponent; /* labels are written in units of ten to this, a multiple of three, 0 where that is not needed */
    int decimals; /* of the labels */
} ticks;

/* At most `most` of them (at least 2) within [low, high], low < high, both finite. */
ticks ticks_choose(double low, double high, int most) FOR_RENDER(ticks_choose);
double ticks_value(const ticks *t, int i) FOR_RENDER(ticks_value);

#define TICKS_TEXT 48
void ticks_label(const ticks *t, int i, char text[TICKS_TEXT]) FOR_RENDER(ticks_label); /* "−0.25" */
void ticks_unit(const ticks *t, char text[TICKS_TEXT]) FOR_RENDER(ticks_unit); /* "×10⁻³", "" when the exponent is 0 */

#endif
