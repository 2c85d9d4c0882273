/* Plots as SVG 1.1. Letters are paths of the stroke font; groups and the title carry the words themselves. Numbers have
 * at most two decimals: 0.01 points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/utf8.h"
#include "plot/plot.h"

/* ---- Text and numbers. The file keeps its first failure, so that only its end need be checked. */

static void put(file *f, const char *text) { file_write(f, text, strlen(text)); }

/* A hundredth is the finest; zeros at the end are left out. */
static void put_number(file *f, double value) {
    long hundredths = lround(fmin(fmax(value, -1e9), 1e9) * 100);
    unsigned long size = (unsigned long)labs(hundredths), part = size % 100;
    file_print(f, "%s%lu", hundredths < 0 ? "-" : "", size / 100);
    if (part % 10)
        file_print(f, ".%02lu", part);
    else if (part)
        file_print(f, ".%lu", part / 10);
}

static void put_attribute(file *f, const char *name, double value) {
    file_print(f, " %s=\"", name);
    put_number(f, value);
    put(f, "\"");
}

static void put_colour(file *f, const char *name, ruga_colour c) {
    file_print(f, " %s=\"#%02x%02x%02x\"", name, colour_byte(c.r), colour_byte(c.g), colour_byte(c.b));
}

/* A character that XML does not allow becomes the replacement character. */
static void put_escaped(file *f, const char *text) {
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t length = utf8_length(s, strlen((const char *)s));
        int noncharacter = length == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe;
        if (*s == '&')
            put(f, "&amp;");
        else if (*s == '<')
            put(f, "&lt;");
        else if (*s == '>')
            put(f, "&gt;");
        else if (*s == '"')
            put(f, "&quot;");
        else if (!length || noncharacter || *s < 0x20)
            put(f, "\xef\xbf\xbd");
        else
            file_write(f, s, length);
        s += length ? length : 1;
    }
}

static void put_point(file *f, char command, plot_point p) {
    file_print(f, "%c", command);
    put_number(f, p.x);
    put(f, " ");
    put_number(f, p.y);
}

static void put_path(file *f, const plot_point *points, size_t count, int closed) {
    put(f, "<path d=\"");
    for (size_t i = 0; i < count; i++) put_point(f, i ? 'L' : 'M', points[i]);
    put(f, closed ? "Z\"" : "\"");
}

/* ---- The sink. */

static void svg_begin_group(void *user, const char *name) {
    file *f = user;
    put(f, "<g");
    if (name && *name) {
        put(f, " aria-label=\"");
        put_escaped(f, name);
        put(f, "\"");
    }
    put(f, ">\n");
}

static void svg_end_group(void *user) { put(user, "</g>\n"); }

static void svg_line(void *user, const plot_point *points, size_t count, double width, double dash,
                     ruga_colour colour) {
    file *f = user;
    put_path(f, points, count, 0);
    put(f, " fill=\"none\"");
    put_colour(f, "stroke", colour);
    put_attribute(f, "stroke-width", width);
    if (dash > 0) {
        put(f, " stroke-dasharray=\"");
        put_number(f, dash);
        put(f, " ");
        put_number(f, dash);
        put(f, "\"");
    }
    put(f, "/>\n");
}

static void svg_polygon(void *user, const plot_point *points, size_t count, ruga_colour colour, double opacity) {
    file *f = user;
    put_path(f, points, count, 1);
    put_colour(f, "fill", colour);
    if (opacity < 1) put_attribute(f, "fill-opacity", opacity);
    put(f, "/>\n");
}

static void put_circle(file *f, plot_point at, double radius, ruga_colour colour) {
    put(f, "<circle");
    put_attribute(f, "cx", at.x);
    put_attribute(f, "cy", at.y);
    put_attribute(f, "r", radius);
    put_colour(f, "fill", colour);
    put(f, "/>\n");
}

static void svg_mark(void *user, plot_shape shape, plot_point at, double radius, double outline, ruga_colour colour) {
    file *f = user;
    const ruga_colour white = {1, 1, 1};
    plot_point corners[PLOT_CORNERS];
    int count = plot_shape_corners(shape, at, radius, corners);
    if (count) {
        put_path(f, corners, (size_t)count, 1);
        put(f, " fill=\"#ffffff\" stroke=\"#ffffff\"");
        put_attribute(f, "stroke-width", 2 * outline);
        put(f, "/>\n");
        svg_polygon(f, corners, (size_t)count, colour, 1);
    } else {
        put_circle(f, at, radius + outline, white);
        put_circle(f, at, radius, colour);
    }
}

/* Letters: a path for each width of the pen; strokes that meet are one. */
typedef struct svg_pen {
    file *f;
    double radius; /* of the open path; 0: none is open */
    plot_point end;
} svg_pen;

static void close_path(svg_pen *pen) {
    if (!(pen->radius > 0)) return;
    put(pen->f, "\"");
    put_attribute(pen->f, "stroke-width", 2 * pen->radius);
    put(pen->f, "/>\n");
    pen->radius = 0;
}

static void put_strokes(void *user, const pen_stroke *segments, size_t count) {
    svg_pen *pen = user;
    for (size_t i = 0; i < count; i++) {
        const pen_stroke *s = &segments[i];
        int opened = s->radius != pen->radius;
        if (opened) {
            close_path(pen);
            put(pen->f, "<path d=\"");
            pen->radius = s->radius;
        }
        if (opened || s->from.x != pen->end.x || s->from.y != pen->end.y) put_point(pen->f, 'M', s->from);
        put_point(pen->f, 'L', s->to);
        pen->end = s->to;
    }
}

static void svg_text(void *user, const char *text, plot_point at, const text_style *style) {
    file *f = user;
    put(f, "<g aria-label=\"");
    put_escaped(f, text);
    put(f, "\" fill=\"none\"");
    put_colour(f, "stroke", style->colour);
    put(f, ">\n");
    svg_pen pen = {.f = f};
    text_strokes(text, at, style, 0, put_strokes, &pen);
    close_path(&pen);
    put(f, "</g>\n");
}

/* ---- The whole. */

static void put_axis_words(file *f, char name, const char *label, const plot_axis *axis) {
    char low[NUMBER_CAPACITY], high[NUMBER_CAPACITY];
    number_print(axis->low, low);
    number_print(axis->high, high);
    file_print(f, "%c: ", name);
    put_escaped(f, label ? label : "no label");
    file_print(f, ", %s to %s%s. ", low, high, axis->log ? ", logarithmic" : "");
}

/* The description of the figure, in words. */
static void put_description(file *f, const plot_layout *l) {
    const ruga_plot_def *def = l->def;
    put(f, "<title>");
    put_escaped(f, def->title && *def->title ? def->title : "plot");
    put(f, "</title>\n<desc>");
    put_axis_words(f, 'x', def->x_label, &l->x);
    put_axis_words(f, 'y', def->y_label, &l->y);
    put(f, "Shown:");
    for (size_t i = 0; i < def->series_count; i++) {
        put(f, i ? ", " : " ");
        put_escaped(f, def->series[i].name ? def->series[i].name : "a series");
    }
    put(f, def->series_count ? ".</desc>\n" : " nothing.</desc>\n");
}

static ruga_status write_svg(ruga_context *context, const plot_layout *l, file *f) {
    const plot_sink sink = {f, svg_begin_group, svg_end_group, svg_line, svg_polygon, svg_mark, svg_text};
    int width = l->def->width, height = l->def->height;
    file_print(f,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%dpt\" "
               "height=\"%dpt\" viewBox=\"0 0 %d %d\" role=\"img\" stroke-linecap=\"round\" "
               "stroke-linejoin=\"round\">\n",
               width, height, width, height);
    put_description(f, l);
    file_print(f, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height);
    TRY(plot_emit(context, l, &sink));
    return file_write(f, "</svg>\n", 7);
}

ruga_status ruga_plot_write_svg(ruga_context *context, const ruga_plot_def *def, const char *path) {
    if (!path || !*path) return fail_argument(context, "a plot needs a path to be written to");
    plot_layout layout;
    file *f;
    TRY(plot_layout_make(context, def, &layout));
    TRY(file_create(context, path, &f));
    ruga_status status = write_svg(context, &layout, f);
    if (!RUGA_FAILED(status)) status = file_commit(f);
    file_close(f);
    return RUGA_FAILED(status) ? status : plot_warn(context, &layout);
}

ruga_status ruga_plot_write_svg_memory(ruga_context *context, const ruga_plot_def *def, char **text, size_t *size) {
    if (!text || !size) return fail_argument(context, "ruga_plot_write_svg_memory needs a place for the text");
    plot_layout layout;
    file *f;
    void *bytes;
    size_t taken;
    TRY(plot_layout_make(context, def, &layout));
    TRY(file_create_in_memory(context, &f));
    ruga_status status = write_svg(context, &layout, f);
    if (!RUGA_FAILED(status)) status = file_write(f, "", 1);
    if (!RUGA_FAILED(status)) status = file_take_bytes(f, &bytes, &taken);
    file_close(f);
    if (RUGA_FAILED(status)) return status;
    *text = bytes, *size = taken - 1;
    return plot_warn(context, &layout);
}
