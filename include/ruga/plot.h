/* Ruga: plots. A table becomes a figure that one would put into a paper: lines, points and bands on linear or
 * logarithmic axes, as PNG and as SVG. Both come from one layout and look alike.
 *
 * SVG draws its letters as paths, so that it looks the same everywhere, and names what it shows for screen readers. It
 * needs no library: a build without pictures (RUGA_MINIMAL) has it too, and answers RUGA_ERROR_UNSUPPORTED for PNG.
 */
#ifndef RUGA_PLOT_H
#define RUGA_PLOT_H

#include "ruga/render.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ruga_plot_kind { RUGA_PLOT_LINE = 0, RUGA_PLOT_POINTS = 1, RUGA_PLOT_BOTH = 2 } ruga_plot_kind;

/* A column of numbers over another. NaN is a gap in the line. */
typedef struct ruga_plot_series {
    const char *name; /* for the legend, UTF-8; NULL: not in the legend */
    const double *x;  /* (count) */
    const double *y;  /* (count) */
    size_t count;     /* 0 is fine */
    ruga_plot_kind kind;
    const double *y_low,
        *y_high;        /* NULL, or (count) each: a band from one to the other, such as a standard deviation */
    int dashed;         /* the line */
    int own_colour;     /* 0: the next of a palette that colour-blind people can tell apart */
    ruga_colour colour; /* with own_colour */
} ruga_plot_series;

/* A line across the whole plot at one value, such as a limit. */
typedef struct ruga_plot_reference {
    double value;      /* of y, or of x when vertical */
    int vertical;      /* 0: horizontal */
    const char *label; /* written along the line; NULL: none */
} ruga_plot_reference;

typedef enum ruga_plot_legend {
    RUGA_PLOT_LEGEND_AUTOMATIC = 0, /* the emptiest corner; none when no series has a name */
    RUGA_PLOT_LEGEND_TOP_RIGHT = 1,
    RUGA_PLOT_LEGEND_TOP_LEFT = 2,
    RUGA_PLOT_LEGEND_BOTTOM_RIGHT = 3,
    RUGA_PLOT_LEGEND_BOTTOM_LEFT = 4,
    RUGA_PLOT_LEGEND_NONE = 5
} ruga_plot_legend;

typedef struct ruga_plot_def {
    uint32_t cookie;
    int width, height;    /* of the whole figure, 96…16384: pixels of a PNG, points (1/72 inch) of an SVG */
    double type_size;     /* of the axes' labels, pixels or points, 4…400; lines and marks follow. 0: from the size */
    const char *title;    /* UTF-8, letters as in ruga/render.h. NULL: none */
    const char *x_label;  /* with its unit: "time (s)"; NULL: none */
    const char *y_label;  /* the same */
    int x_log, y_log;     /* logarithmic axes */
    double x_low, x_high; /* the range of the axis; equal: from the data, rounded */
    double y_low, y_high; /* the same */
    size_t series_count;  /* 0 is fine: empty axes */
    const ruga_plot_series *series; /* drawn in this order, marks above all lines */
    size_t reference_count;
    const ruga_plot_reference *references;
    ruga_plot_legend legend;
} ruga_plot_def;

RUGA_API ruga_plot_def ruga_plot_def_default(void);

/* All of them: lines are cut off at a given range, and points beyond it are left out. A value that its axis can't show
 * (not finite but for NaN, past 1e300; on a logarithmic axis also what is not positive) is left out, with one warning
 * in the log and RUGA_WARNING_INPUT. They fail with RUGA_ERROR_ARGUMENT when the def makes no sense, and say which
 * series or field it is. The result does not depend on the machine's locale or on the number of threads. */
RUGA_API ruga_status ruga_plot_write_png(ruga_context *context, const ruga_plot_def *def, const char *path);
RUGA_API ruga_status ruga_plot_write_svg(ruga_context *context, const ruga_plot_def *def, const char *path);
/* The SVG as text; a zero byte follows the last. Free it with ruga_free. */
RUGA_API ruga_status ruga_plot_write_svg_memory(ruga_context *context, const ruga_plot_def *def, char **text,
                                                size_t *size);
/* The picture itself, to be a frame of a film or to be written with ruga_image_write_png. */
RUGA_API ruga_status ruga_plot_draw(ruga_context *context, const ruga_plot_def *def, ruga_image **out);

#ifdef __cplusplus
}
#endif
#endif
