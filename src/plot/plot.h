/* Plots: one layout, drawn through a few primitives that a PNG and an SVG each bring.
 *
 * plot_layout_make checks the def and places everything; plot_emit draws it. Positions are those of the canvas: pixels
 * (or points), y down. */
#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "base/context.h"
#include "plot/lettering.h"
#include "plot/ticks.h"
#include "ruga/plot.h"

enum { PLOT_TICKS = 24, PLOT_MINORS = 512 };

typedef struct plot_ticks {
    int count;
    double values[PLOT_TICKS]; /* rising, within the axis */
    char labels[PLOT_TICKS][TICKS_TEXT];
    char unit[TICKS_TEXT]; /* what all labels are to be multiplied with, "" for one */
    int minor_count;
    double minors[PLOT_MINORS]; /* rising */
} plot_ticks;

typedef struct plot_axis {
    double low, high;
    int log;
    double from, to; /* where low and high lie */
    plot_ticks ticks;
} plot_axis;

/* Whether a value can have a place on an axis: NaN has not. */
int plot_can_show(int log, double value);
/* Where a value lies; far beyond the axis it stays within a million of it. */
double plot_place(const plot_axis *axis, double value);
/* A range that holds [low, high] with round ends; low > high means that there is nothing to hold. */
void plot_round_range(int log, double *low, double *high);
/* At most `most` of them (at least 2). */
void plot_choose_ticks(const plot_axis *axis, int most, plot_ticks *out);

typedef struct plot_box {
    double left, top, right, bottom;
} plot_box;

typedef struct plot_layout {
    const ruga_plot_def *def;
    double type; /* size of the letters */
    double unit; /* a 24th of it: what widths are written in */
    plot_axis x, y;
    plot_box frame;
    plot_box legend; /* no width: none */
    double aside;    /* width of the legend to the right of the frame, else 0 */
    size_t left_out; /* values that an axis can't show */
} plot_layout;

ruga_status plot_layout_make(ruga_context *context, const ruga_plot_def *def, plot_layout *out)
    FOR_RENDER(plot_layout_make);
/* The part of a segment within a box; 0 when there is none. */
int plot_clip_segment(const plot_box *box, plot_point *from, plot_point *to);
/* Logs what was left out. */
ruga_status plot_warn(ruga_context *context, const plot_layout *layout) FOR_RENDER(plot_warn);

typedef enum plot_shape { PLOT_CIRCLE = 0, PLOT_SQUARE, PLOT_TRIANGLE, PLOT_DIAMOND, PLOT_SHAPE_COUNT } plot_shape;
enum { PLOT_CORNERS = 4 };
/* The corners of a mark that is no circle; returns how many. */
int plot_shape_corners(plot_shape shape, plot_point at, double radius, plot_point corners[PLOT_CORNERS])
    FOR_RENDER(plot_shape_corners);

/* The shapes that a back end draws. It keeps failures until its end. */
typedef struct plot_sink {
    void *user;
    void (*begin_group)(void *user, const char *name); /* the same in words, for readers who can't see it */
    void (*end_group)(void *user);
    void (*line)(void *user, const plot_point *points, size_t count, double width, double dash, ruga_colour colour);
    void (*polygon)(void *user, const plot_point *points, size_t count, ruga_colour colour, double opacity);
    /* A white border of the width `outline` lies around what has the radius. */
    void (*mark)(void *user, plot_shape shape, plot_point at, double radius, double outline, ruga_colour colour);
    void (*text)(void *user, const char *text, plot_point at, const text_style *style);
} plot_sink;

ruga_status plot_emit(ruga_context *context, const plot_layout *layout, const plot_sink *sink) FOR_RENDER(plot_emit);

/* The palette of series without a colour of their own. */
enum { PLOT_PALETTE = 7 };
ruga_colour plot_palette(size_t series);

#endif
