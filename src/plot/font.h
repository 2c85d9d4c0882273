/* Ruga's own stroke font: each letter is a few lines and arcs, drawn with a round pen. Units are 0.001 times the
 * letter size (em); y up; the middle of the pen runs along the baseline at y = 0, along x-height 460, capitals 650. */
#ifndef PLOT_FONT_H
#define PLOT_FONT_H

#include <stdint.h>

#define FONT_UNITS 1000
#define FONT_PEN 82      /* width of the pen */
#define FONT_CAPITAL 650 /* height of capitals and digits */

/* The path: letters and whole numbers, separated by spaces.
 *   M x y                    go to a point
 *   L x y                    a line to a point
 *   C x y x y x y            a cubic Bézier curve
 *   A cx cy rx ry from to    an arc of an ellipse, angles in degrees, counter-clockwise; a new stroke after M, else
 *                            joined
 *   D x y                    a dot, a little larger than the pen
 */
typedef struct font_glyph {
    uint32_t code;        /* Unicode */
    int left, ink, right; /* space before, width of the path, space after */
    const char *path;
} font_glyph;

/* NULL when the font lacks it. Letters that look like another (Greek capitals) are that one's. */
const font_glyph *font_find(uint32_t code);

/* A letter that is another with an accent above or a tail below, e.g. é. */
typedef struct font_composite {
    uint32_t code, base, mark;
} font_composite;
const font_composite *font_find_composite(uint32_t code); /* NULL if it is none */

#endif
