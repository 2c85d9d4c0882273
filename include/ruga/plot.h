/* Ruga: plots. A table becomes a figure for a paper: lines, points and bands on linear or logarithmic axes, as SVG here
 * and as PNG in ruga/render.h. Both use one layout and look alike.
 *
 * SVG draws its letters as paths, so that it looks the same everywhere, and has descriptions for screen readers.
 */
#ifndef RUGA_PLOT_H
#define RUGA_PLOT_H

#include "ruga/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_colour {
    float r, g, b; /* sRGB, [0, 1] */
} ruga_colour;

typedef enum ruga_plot_kind { RUGA_PLOT_LINE = 0, RUGA_PLOT_POINTS = 1, RUGA_PLOT_BOTH = 2 } ruga_plot_kind;

/* A column of numbers over another. NaN is a gap in the line. */
typedef struct ruga_plot_series {
    const char *name; /* for the legend, UTF-8; NULL: not in the legend */
    const double *x;  /* (count) */
    const double *y;  /* (count) */
    size_t count;     /* 0 is fine */
    ruga_plot_kind kind;
    /* NULL, or (count) each: a band from one to the other, such as a standard deviation. */
    const double *y_low, *y_high;
    int dashed;         /* the line */
    int own_colour;     /* 0: the next of a palette that colour-blind people can distinguish */
    ruga_colour colour; /* with own_colour */
} ruga_plot_series;

/* A line across the whole plot at one value, such as a limit. */
typedef struct ruga_plot_reference {
    double value;      /* of y, or of x when vertical */
    int vertical;      /* 0: horizontal */
    const char *label; /* written along the line; NULL: none */
} ruga_plot_reference;

typedef enum ruga_plot_legend {
    /* A corner or another place within the frame that hides nothing; if there is none, to the right of the frame. No
     * legend when no series has a name. */
    RUGA_PLOT_LEGEND_AUTOMATIC = 0,
    RUGA_PLOT_LEGEND_TOP_RIGHT = 1,
    RUGA_PLOT_LEGEND_TOP_LEFT = 2,
    RUGA_PLOT_LEGEND_BOTTOM_RIGHT = 3,
    RUGA_PLOT_LEGEND_BOTTOM_LEFT = 4,
    RUGA_PLOT_LEGEND_NONE = 5
} ruga_plot_legend;

typedef struct ruga_plot_def {
    uint32_t cookie;
    int width, height;   /* of the whole figure, 96…16384: pixels of a PNG, points (1/72 inch) of an SVG */
    double type_size;    /* of the axes' labels, pixels or points, 4…400; lines and marks follow. 0: from the size */
    const char *title;   /* UTF-8, letters outside Latin-1 and Greek are drawn as a box. NULL: none */
    const char *x_label; /* with its unit: "time (s)"; NULL: none */
    const char *y_label; /* the same */
    int x_log, y_log;    /* logarithmic axes */
    int x_whole;         /* x counts things: no ticks between whole numbers */
    size_t x_name_count; /* 0: x is a number */
    const char *const *x_names; /* (x_name_count) x is the place 0, 1, … of a name, which stands below the axis, or its
                                   number where names have no room */
    double x_low, x_high;       /* the range of the axis; equal: from the data, rounded */
    double y_low, y_high;       /* the same */
    size_t series_count;        /* 0 is fine: empty axes */
    const ruga_plot_series *series; /* drawn in this order, marks above all lines */
    size_t reference_count;
    const ruga_plot_reference *references;
    ruga_plot_legend legend;
} ruga_plot_def;

RUGA_API ruga_plot_def ruga_plot_def_default(void);

/* Lines are cut off at a given range, and points beyond it are left out. A value that its axis can't show (infinite or
 * past 1e300; on a logarithmic axis also zero and negative ones) is left out, with one warning in the log and
 * RUGA_WARNING_INPUT. Fails with RUGA_ERROR_ARGUMENT when the def makes no sense; the message names the series or the
 * field. The result does not depend on the machine's locale or on the number of threads. */
RUGA_API ruga_status ruga_plot_write_svg(ruga_context *context, const ruga_plot_def *def, const char *path);
/* The SVG as text; a zero byte follows the last. Free it with ruga_free. */
RUGA_API ruga_status ruga_plot_write_svg_memory(ruga_context *context, const ruga_plot_def *def, char **text,
                                                size_t *size);

#ifdef __cplusplus
}
#endif
#endif
