/* Drawing on an image with antialiasing: lines, rectangles, discs, text. Positions are in pixels, y down, and whole
 * numbers lie on the borders between pixels: the first pixel covers [0, 1) x [0, 1). What falls outside is cut off. */
#ifndef RENDER_CANVAS_H
#define RENDER_CANVAS_H

#include <stddef.h>

#include "ruga/render.h"

typedef struct canvas {
    int width, height;
    uint8_t *pixels; /* (height x width x 3) sRGB */
} canvas;

typedef struct canvas_point {
    double x, y;
} canvas_point;

canvas canvas_of(ruga_image *image);
void canvas_fill(canvas *c, ruga_colour colour);
/* Blends a pixel with a colour; coverage within [0, 1]. */
void canvas_blend(canvas *c, int x, int y, ruga_colour colour, double coverage);
/* Borders within a pixel cover it in part. */
void canvas_rectangle(canvas *c, double left, double top, double right, double bottom, ruga_colour colour);
/* Strokes with round ends: `count` segments from[i] to to[i], united, so that overlaps are not drawn twice. A segment
 * of no length is a dot. */
typedef struct canvas_segment {
    canvas_point from, to;
    double radius; /* pixels */
} canvas_segment;
/* How far a point lies outside a stroke's border; negative inside. */
double canvas_distance(const canvas_segment *s, double x, double y);
void canvas_strokes(canvas *c, const canvas_segment *segments, size_t count, ruga_colour colour);
void canvas_line(canvas *c, canvas_point from, canvas_point to, double width, ruga_colour colour);

#endif
