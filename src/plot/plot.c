/* Plots: checks, and the layout that both back ends share. Margins follow from what has to be written in them. */
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/font.h"

enum { SMALLEST_SIZE = 96, LARGEST_SIZE = 16384 };

ruga_plot_def ruga_plot_def_default(void) {
    return (ruga_plot_def){.cookie = RUGA_COOKIE, .width = 1200, .height = 800};
}

/* ---- Checks. */

static ruga_status check_range(ruga_context *context, char axis, double low, double high, int log) {
    if (low == high && isfinite(low)) return RUGA_OK;
    if (!(low < high) || !plot_can_show(0, low) || !plot_can_show(0, high))
        return fail_argument(
            context,
            "the plot's %c range is %g to %g; the second number must be greater, and both within ±1e300; with two "
            "equal numbers the range is that of the data",
            axis, low, high);
    if (log && !plot_can_show(1, low))
        return fail_argument(
            context, "the plot's %c range begins at %g, but a logarithmic axis shows 1e-300 to 1e300 only", axis, low);
    if (high - low < 1e-12 * fmax(fabs(low), fabs(high)) || high - low < 1e-290)
        return fail_argument(context, "the plot's %c range from %.17g to %.17g is too narrow for numbers along it",
                             axis, low, high);
    return RUGA_OK;
}

static ruga_status check_series(ruga_context *context, const ruga_plot_series *s, size_t i) {
    if (s->count && (!s->x || !s->y))
        return fail_argument(context, "series %zu of the plot has %zu values, but no %s", i, s->count,
                             s->x ? "y" : "x");
    if (s->count && !s->y_low != !s->y_high)
        return fail_argument(context, "series %zu of the plot has only one of y_low and y_high; a band needs both", i);
    if (s->kind < RUGA_PLOT_LINE || s->kind > RUGA_PLOT_BOTH)
        return fail_argument(context, "series %zu of the plot has the unknown kind %d", i, (int)s->kind);
    return RUGA_OK;
}

static ruga_status check_reference(ruga_context *context, const ruga_plot_def *def, size_t i) {
    const ruga_plot_reference *r = &def->references[i];
    int log = r->vertical ? def->x_log : def->y_log;
    if (plot_can_show(log, r->value)) return RUGA_OK;
    return fail_argument(context, "reference line %zu of the plot is at %g, which %s axis can't show", i, r->value,
                         log ? "a logarithmic" : "an");
}

static ruga_status check_def(ruga_context *context, const ruga_plot_def *def) {
    if (!def || def->cookie != RUGA_COOKIE)
        return fail_argument(context, "the plot's def was not made by ruga_plot_def_default");
    if (def->width < SMALLEST_SIZE || def->height < SMALLEST_SIZE || def->width > LARGEST_SIZE ||
        def->height > LARGEST_SIZE)
        return fail_argument(context, "a plot of %d x %d; both must be within %d and %d", def->width, def->height,
                             SMALLEST_SIZE, LARGEST_SIZE);
    if (def->type_size != 0 && !(def->type_size >= 4 && def->type_size <= 400))
        return fail_argument(context, "the plot's type size is %g, but must be 0 or within 4 and 400", def->type_size);
    if (def->legend < RUGA_PLOT_LEGEND_AUTOMATIC || def->legend > RUGA_PLOT_LEGEND_NONE)
        return fail_argument(context, "the plot's legend has the unknown place %d", (int)def->legend);
    if ((def->series_count && !def->series) || (def->reference_count && !def->references))
        return fail_argument(context, "the plot counts %zu series and %zu reference lines, but has no %s",
                             def->series_count, def->reference_count,
                             def->series_count && !def->series ? "series" : "references");
    if (def->x_name_count && (!def->x_names || def->x_log))
        return fail_argument(context, "the plot has %zu names below its x axis, but %s", def->x_name_count,
                             def->x_log ? "the axis is logarithmic" : "no array of names");
    for (size_t i = 0; i < def->x_name_count; i++)
        if (!def->x_names[i]) return fail_argument(context, "name %zu below the x axis of the plot is missing", i);
    TRY(check_range(context, 'x', def->x_low, def->x_high, def->x_log));
    TRY(check_range(context, 'y', def->y_low, def->y_high, def->y_log));
    for (size_t i = 0; i < def->series_count; i++) TRY(check_series(context, &def->series[i], i));
    for (size_t i = 0; i < def->reference_count; i++) TRY(check_reference(context, def, i));
    return RUGA_OK;
}

/* ---- Ranges. */

static void include(plot_axis *axis, double value) {
    axis->low = fmin(axis->low, value), axis->high = fmax(axis->high, value);
}

static int is_between(double low, double high, double value) { return low == high || (value >= low && value <= high); }

/* A value that is there but can't be shown. */
static size_t is_left_out(int log, double value) { return !isnan(value) && !plot_can_show(log, value); }

/* Widens the ranges to hold the points of a series that lie within what is given of them. */
static void include_series(plot_layout *l, const ruga_plot_series *s) {
    const ruga_plot_def *def = l->def;
    for (size_t i = 0; i < s->count; i++) {
        double y[3] = {s->y[i], s->y_low ? s->y_low[i] : NAN, s->y_high ? s->y_high[i] : NAN};
        l->left_out += is_left_out(l->x.log, s->x[i]);
        for (int k = 0; k < 3; k++) {
            l->left_out += is_left_out(l->y.log, y[k]);
            if (!plot_can_show(l->x.log, s->x[i]) || !plot_can_show(l->y.log, y[k])) continue;
            if (is_between(def->y_low, def->y_high, y[k])) include(&l->x, s->x[i]);
            if (is_between(def->x_low, def->x_high, s->x[i])) include(&l->y, y[k]);
        }
    }
}

/* Rounds a range; where marks (from low to high) lie at its very ends, it goes on a little, so that they do not sit on
 * the axes. */
static void round_axis(plot_axis *axis, double low, double high) {
    plot_round_range(axis->log, &axis->low, &axis->high);
    if (low > high) return;
    plot_axis rounded = *axis;
    rounded.from = 0, rounded.to = 1;
    const double near = 0.015, more = 0.025;
    double span = axis->log ? log10(axis->high) - log10(axis->low) : axis->high - axis->low;
    double factor = axis->log ? pow(10, more * span) : 1, shift = axis->log ? 0 : more * span;
    double lower = axis->low / factor - shift, higher = axis->high * factor + shift;
    if (plot_place(&rounded, low) < near && plot_can_show(axis->log, lower)) axis->low = lower;
    if (plot_place(&rounded, high) > 1 - near && plot_can_show(axis->log, higher)) axis->high = higher;
}

static void find_ranges(plot_layout *l) {
    const ruga_plot_def *def = l->def;
    l->x.low = l->y.low = INFINITY, l->x.high = l->y.high = -INFINITY;
    plot_layout marks = *l;
    for (size_t i = 0; i < def->series_count; i++) {
        include_series(l, &def->series[i]);
        if (def->series[i].kind != RUGA_PLOT_LINE) include_series(&marks, &def->series[i]);
    }
    for (size_t i = 0; i < def->reference_count; i++)
        include(def->references[i].vertical ? &l->x : &l->y, def->references[i].value);
    round_axis(&l->x, marks.x.low, marks.x.high);
    round_axis(&l->y, marks.y.low, marks.y.high);
    if (def->x_name_count) l->x.low = -0.5, l->x.high = (double)def->x_name_count - 0.5;
    if (def->x_low < def->x_high) l->x.low = def->x_low, l->x.high = def->x_high;
    if (def->y_low < def->y_high) l->y.low = def->y_low, l->y.high = def->y_high;
}

/* ---- The frame. */

static int has_text(const char *text) { return text && *text; }

static int most_within(double room, double each) { return (int)fmin(fmax(floor(room / each), 2), 10); }

/* Whether the labels along x keep apart. */
static int labels_fit(const plot_layout *l) {
    const plot_ticks *t = &l->x.ticks;
    for (int i = 1; i < t->count; i++) {
        double room = plot_place(&l->x, t->values[i]) - plot_place(&l->x, t->values[i - 1]);
        double taken = text_width(t->labels[i], 0.9 * l->type) + text_width(t->labels[i - 1], 0.9 * l->type);
        if (room < 0.5 * taken + 0.8 * l->type) return 0;
    }
    return 1;
}

static void place_y(plot_layout *l) {
    const ruga_plot_def *def = l->def;
    double type = l->type, widest = 0;
    l->frame.top = 0.6 * type + (has_text(def->title) ? 1.75 * type : 0.3 * type);
    l->frame.bottom = def->height - (0.65 * type + (has_text(def->x_label) ? 1.45 * type : 0) + 1.35 * type);
    plot_choose_ticks(&l->y, most_within(l->frame.bottom - l->frame.top, 2.3 * type), &l->y.ticks);
    if (l->y.ticks.unit[0]) l->frame.top += (has_text(def->title) ? 0.9 : 1.1) * type;
    for (int i = 0; i < l->y.ticks.count; i++) widest = fmax(widest, text_width(l->y.ticks.labels[i], 0.9 * type));
    l->frame.left = 0.6 * type + (has_text(def->y_label) ? 1.5 * type : 0) + widest + 0.55 * type;
    l->y.from = l->frame.bottom, l->y.to = l->frame.top;
}

/* Removes the ticks between whole numbers. */
static void keep_whole(plot_ticks *t) {
    int kept = 0;
    for (int i = 0; i < t->count; i++) {
        if (fabs(t->values[i] - round(t->values[i])) > 1e-9) continue;
        t->values[kept] = round(t->values[i]);
        snprintf(t->labels[kept++], TICKS_TEXT, "%.0f", t->values[i]);
    }
    t->count = kept;
    t->unit[0] = 0;
}

/* Names in place of numbers. Returns whether they fit. */
static int name_ticks(plot_layout *l) {
    const ruga_plot_def *def = l->def;
    plot_ticks *t = &l->x.ticks;
    *t = (plot_ticks){0};
    for (size_t i = 0; i < def->x_name_count; i++) {
        const double value = (double)i;
        if (value < l->x.low || value > l->x.high) continue;
        if (t->count == PLOT_TICKS || strlen(def->x_names[i]) >= TICKS_TEXT) return 0;
        t->values[t->count] = value;
        snprintf(t->labels[t->count++], TICKS_TEXT, "%s", def->x_names[i]);
    }
    return labels_fit(l);
}

static void place_x(plot_layout *l) {
    const ruga_plot_def *def = l->def;
    const double type = l->type, width = def->width - l->aside;
    l->x.from = l->frame.left, l->x.to = l->frame.right = width - 1.2 * type;
    int most = most_within(l->frame.right - l->frame.left, 3 * type);
    if (def->x_name_count && name_ticks(l)) return;
    do {
        l->x.to = l->frame.right = width - 1.2 * type;
        plot_choose_ticks(&l->x, most, &l->x.ticks);
        if ((def->x_whole || def->x_name_count) && !def->x_log) keep_whole(&l->x.ticks);
        // The last label may reach over the end of its axis, but not out of the picture.
        int last = l->x.ticks.count - 1;
        if (last >= 0) {
            double end = plot_place(&l->x, l->x.ticks.values[last]);
            double over = end + 0.5 * text_width(l->x.ticks.labels[last], 0.9 * type) - (width - 0.4 * type);
            l->x.to = l->frame.right -= fmax(over, 0);
        }
    } while (!labels_fit(l) && most-- > 2);
}

/* A power common to all labels stands below the axis, where the label is, or would be. */
static void place_x_unit(plot_layout *l) {
    if (!l->x.ticks.unit[0] || has_text(l->def->x_label)) return;
    l->frame.bottom -= 1.45 * l->type, l->y.from = l->frame.bottom;
}

/* ---- The legend. */

int plot_clip_segment(const plot_box *box, plot_point *from, plot_point *to) {
    double dx = to->x - from->x, dy = to->y - from->y, first = 0, last = 1;
    // Liang and Barsky: each side leaves a part of the parameter's range.
    double slope[4] = {-dx, dx, -dy, dy};
    double room[4] = {from->x - box->left, box->right - from->x, from->y - box->top, box->bottom - from->y};
    for (int i = 0; i < 4; i++) {
        if (slope[i] == 0 && room[i] < 0) return 0;
        if (slope[i] < 0) first = fmax(first, room[i] / slope[i]);
        if (slope[i] > 0) last = fmin(last, room[i] / slope[i]);
    }
    if (first > last) return 0;
    plot_point start = *from;
    if (first > 0) *from = (plot_point){start.x + first * dx, start.y + first * dy};
    if (last < 1) *to = (plot_point){start.x + last * dx, start.y + last * dy};
    return 1;
}

static double length_within(const plot_box *box, plot_point from, plot_point to) {
    return plot_clip_segment(box, &from, &to) ? hypot(to.x - from.x, to.y - from.y) : 0;
}

/* How much of one column of a series a box hides: lengths of its line, and as much as a letter for each mark. */
static double hidden_column(const plot_layout *l, const ruga_plot_series *s, const double *y, int marks,
                            const plot_box *box) {
    double hidden = 0;
    plot_point before = {0, 0};
    int joined = 0;
    for (size_t i = 0; y && i < s->count; i++) {
        int shown = plot_can_show(l->x.log, s->x[i]) && plot_can_show(l->y.log, y[i]);
        plot_point at = {0, 0};
        if (shown) at = (plot_point){plot_place(&l->x, s->x[i]), plot_place(&l->y, y[i])};
        if (shown && joined && s->kind != RUGA_PLOT_POINTS) hidden += length_within(box, before, at);
        if (shown && marks && at.x >= box->left && at.x <= box->right && at.y >= box->top && at.y <= box->bottom)
            hidden += l->type;
        before = at, joined = shown;
    }
    return hidden;
}

static double hidden_by(const plot_layout *l, const plot_box *box) {
    const ruga_plot_def *def = l->def;
    double hidden = 0;
    for (size_t i = 0; i < def->series_count; i++) {
        const ruga_plot_series *s = &def->series[i];
        hidden += hidden_column(l, s, s->y, s->kind != RUGA_PLOT_LINE, box);
        hidden += hidden_column(l, s, s->y_low, 0, box) + hidden_column(l, s, s->y_high, 0, box);
    }
    for (size_t i = 0; i < def->reference_count; i++) {
        const ruga_plot_reference *r = &def->references[i];
        double at = plot_place(r->vertical ? &l->x : &l->y, r->value);
        plot_point from = r->vertical ? (plot_point){at, l->frame.top} : (plot_point){l->frame.left, at};
        plot_point to = r->vertical ? (plot_point){at, l->frame.bottom} : (plot_point){l->frame.right, at};
        hidden += length_within(box, from, to);
    }
    return hidden;
}

/* A legend's size in the frame; across and down are 0 at the left and the top, 1 at the right and the bottom. */
static plot_box legend_box(const plot_layout *l, double across, double down, double width, double height) {
    const double inset = 0.5 * l->type, left = l->frame.left + inset, top = l->frame.top + 0.5 * inset;
    plot_box box;
    box.left = left + across * (l->frame.right - inset - width - left);
    box.top = top + down * (l->frame.bottom - inset - height - top);
    box.right = box.left + width, box.bottom = box.top + height;
    return box;
}

/* The place that hides least; of equal ones the first. Returns how much it hides. */
static double search_legend(plot_layout *l, double width, double height) {
    /* The corners in the order of ruga_plot_legend, then places between them. */
    static const double across[] = {1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5};
    static const double down[] = {0, 0, 1, 1, 0.5, 0.25, 0.75, 0.5, 0.25, 0.75, 0, 1, 0.5, 0.25, 0.75};
    enum { PLACES = sizeof down / sizeof *down };
    const int given = (int)l->def->legend - (int)RUGA_PLOT_LEGEND_TOP_RIGHT;
    const double margin = 0.3 * l->type; /* of marks */
    double least = INFINITY;
    for (int i = 0; i < PLACES; i++) {
        if (given >= 0 && i != given) continue;
        const plot_box box = legend_box(l, across[i], down[i], width, height);
        const plot_box around = {box.left - margin, box.top - margin, box.right + margin, box.bottom + margin};
        const double hidden = hidden_by(l, &around);
        if (hidden < least) least = hidden, l->legend = box;
    }
    return least;
}

static void place_legend(plot_layout *l) {
    const ruga_plot_def *def = l->def;
    double widest = 0;
    int rows = 0;
    for (size_t i = 0; i < def->series_count; i++) {
        if (!has_text(def->series[i].name)) continue;
        widest = fmax(widest, text_width(def->series[i].name, 0.9 * l->type));
        rows++;
    }
    l->legend = (plot_box){0};
    if (!rows || def->legend == RUGA_PLOT_LEGEND_NONE) return;
    const double width = widest + 3.5 * l->type, height = (1.35 * rows + 0.3) * l->type;
    const double hidden = search_legend(l, width, height);
    /* Beside the frame, if that leaves half of the figure to it. */
    if (hidden == 0 || def->legend != RUGA_PLOT_LEGEND_AUTOMATIC) return;
    if (l->frame.right - l->frame.left - width < 0.5 * def->width) return;
    l->aside = width;
    place_x(l);
    l->legend = (plot_box){def->width - width, l->frame.top, def->width, l->frame.top + height};
}

ruga_status plot_layout_make(ruga_context *context, const ruga_plot_def *def, plot_layout *out) {
    TRY(check_def(context, def));
    plot_layout *l = out;
    *l = (plot_layout){.def = def};
    l->type = def->type_size > 0 ? def->type_size : fmax(6, sqrt((double)def->width * def->height) / 38);
    l->unit = l->type / 24;
    l->x.log = def->x_log != 0, l->y.log = def->y_log != 0;
    find_ranges(l);
    place_y(l);
    place_x(l);
    place_x_unit(l);
    if (l->frame.right - l->frame.left < 2 * l->type || l->frame.bottom - l->frame.top < 2 * l->type)
        return fail_argument(context,
                             "a plot of %d x %d has no room beside letters of %g; make it larger, or the type smaller",
                             def->width, def->height, l->type);
    place_legend(l);
    return RUGA_OK;
}

ruga_status plot_warn(ruga_context *context, const plot_layout *layout) {
    if (!layout->left_out) return RUGA_OK;
    log_warning(context, "%zu value%s of the plot can't be shown on %s and %s left out", layout->left_out,
                layout->left_out == 1 ? "" : "s", layout->x.log || layout->y.log ? "logarithmic axes" : "its axes",
                layout->left_out == 1 ? "is" : "are");
    return RUGA_WARNING_INPUT;
}
