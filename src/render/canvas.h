/* Drawing on an image with antialiasing: lines, rectangles, discs, text. Positions are as in plot/drawing.h. Parts
 * outside the image are cut off. */
#ifndef RENDER_CANVAS_H
#define RENDER_CANVAS_H

#include "plot/drawing.h"
#include "plot/lettering.h"
#include "ruga/render.h"

typedef struct canvas {
    int width, height;
    uint8_t *pixels; /* (height x width x 3) sRGB */
} canvas;

canvas canvas_of(ruga_image *image);
void canvas_fill(canvas *c, ruga_colour colour);
/* Blends a pixel with a colour; coverage within [0, 1]. */
void canvas_blend(canvas *c, int x, int y, ruga_colour colour, double coverage);
/* Borders within a pixel cover it in part. */
void canvas_rectangle(canvas *c, double left, double top, double right, double bottom, ruga_colour colour);
/* How far a point lies outside a stroke's border; negative inside. */
double canvas_distance(const pen_stroke *s, double x, double y);
/* The union of strokes, so that overlaps are not drawn twice. */
void canvas_strokes(canvas *c, const pen_stroke *segments, size_t count, ruga_colour colour);
/* `at` is on the baseline: the start, the middle or the end of the text, by its alignment. */
void canvas_text(canvas *c, const char *text, plot_point at, const text_style *style);

#endif
