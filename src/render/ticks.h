/* Round numbers along an axis, and how to write them. Never depends on the locale. */
#ifndef RENDER_TICKS_H
#define RENDER_TICKS_H

typedef struct ticks {
    double first, step; /* first >= low; a round step: 1, 2 or 5 times a power of ten */
    int count;
    int exponent; /* labels are written in units of ten to this, a multiple of three, 0 where that is not needed */
    int decimals; /* of the labels */
} ticks;

/* At most `most` of them (at least 2) within [low, high], low < high, both finite. */
ticks ticks_choose(double low, double high, int most);
double ticks_value(const ticks *t, int i);

#define TICKS_TEXT 48
void ticks_label(const ticks *t, int i, char text[TICKS_TEXT]); /* "−0.25" */
void ticks_unit(const ticks *t, char text[TICKS_TEXT]);         /* "×10⁻³", "" when the exponent is 0 */

#endif
