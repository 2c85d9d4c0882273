/* Draws a plot's layout through a sink's primitives: grid and axes, bands, reference lines, lines, marks, legend. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "plot/font.h"
#include "plot/plot.h"

static const ruga_colour ink = {0.13f, 0.13f, 0.15f}, axis_ink = {0.33f, 0.33f, 0.36f},
                         grid_ink = {0.90f, 0.90f, 0.91f}, reference_ink = {0.42f, 0.42f, 0.46f}, white = {1, 1, 1};

typedef ARRAY(plot_point) point_array;

/* The state of drawing one plot. */
typedef struct drawing {
    ruga_context *context;
    const plot_layout *l;
    const plot_sink *sink;
    point_array run;     /* of a line, or of a band */
    point_array clipped; /* where a band is cut off */
} drawing;

/* Chosen so that neighbours differ in lightness, and all in what a colour-blind eye sees. */
ruga_colour plot_palette(size_t series) {
    static const ruga_colour palette[PLOT_PALETTE] = {
        {0.07f, 0.36f, 0.65f}, {0.85f, 0.35f, 0.08f}, {0.05f, 0.60f, 0.47f}, {0.53f, 0.22f, 0.53f},
        {0.90f, 0.66f, 0.08f}, {0.40f, 0.72f, 0.93f}, {0.25f, 0.25f, 0.27f}};
    return palette[series % PLOT_PALETTE];
}

static ruga_colour series_colour(const plot_layout *l, size_t i) {
    return l->def->series[i].own_colour ? l->def->series[i].colour : plot_palette(i);
}

static plot_shape series_shape(size_t i) { return (plot_shape)(i % PLOT_SHAPE_COUNT); }

int plot_shape_corners(plot_shape shape, plot_point at, double radius, plot_point corners[PLOT_CORNERS]) {
    // Sizes that look as large as the circle.
    double square = 0.88 * radius, diamond = 1.22 * radius, triangle = 1.3 * radius;
    switch (shape) {
        case PLOT_SQUARE:
            corners[0] = (plot_point){at.x - square, at.y - square};
            corners[1] = (plot_point){at.x + square, at.y - square};
            corners[2] = (plot_point){at.x + square, at.y + square};
            corners[3] = (plot_point){at.x - square, at.y + square};
            return 4;
        case PLOT_DIAMOND:
            corners[0] = (plot_point){at.x, at.y - diamond};
            corners[1] = (plot_point){at.x + diamond, at.y};
            corners[2] = (plot_point){at.x, at.y + diamond};
            corners[3] = (plot_point){at.x - diamond, at.y};
            return 4;
        case PLOT_TRIANGLE:
            corners[0] = (plot_point){at.x, at.y - triangle};
            corners[1] = (plot_point){at.x + 0.866 * triangle, at.y + 0.5 * triangle};
            corners[2] = (plot_point){at.x - 0.866 * triangle, at.y + 0.5 * triangle};
            return 3;
        default: return 0;
    }
}

static void draw_line(const drawing *d, plot_point from, plot_point to, double width, ruga_colour colour) {
    plot_point points[2] = {from, to};
    d->sink->line(d->sink->user, points, 2, width * d->l->unit, 0, colour);
}

static void draw_box(const drawing *d, const plot_box *box, ruga_colour colour, double opacity) {
    plot_point corners[4] = {
        {box->left, box->top}, {box->right, box->top}, {box->right, box->bottom}, {box->left, box->bottom}};
    d->sink->polygon(d->sink->user, corners, 4, colour, opacity);
}

/* Text that is made smaller where it is longer than its room. */
static void draw_text(const drawing *d, const char *text, plot_point at, text_style style, double room) {
    if (!text || !*text) return;
    double width = text_width(text, style.size);
    if (width > room) style.size *= room / width;
    d->sink->text(d->sink->user, text, at, &style);
}

/* ---- Grid, axes, lettering. */

static void draw_grid(const drawing *d) {
    const plot_layout *l = d->l;
    d->sink->begin_group(d->sink->user, NULL);
    for (int i = 0; i < l->x.ticks.count; i++) {
        double x = plot_place(&l->x, l->x.ticks.values[i]);
        draw_line(d, (plot_point){x, l->frame.top}, (plot_point){x, l->frame.bottom}, 1.2, grid_ink);
    }
    for (int i = 0; i < l->y.ticks.count; i++) {
        double y = plot_place(&l->y, l->y.ticks.values[i]);
        draw_line(d, (plot_point){l->frame.left, y}, (plot_point){l->frame.right, y}, 1.2, grid_ink);
    }
    d->sink->end_group(d->sink->user);
}

static void draw_tick(const drawing *d, int vertical, double value, double length) {
    const plot_layout *l = d->l;
    double x = vertical ? l->frame.left : plot_place(&l->x, value), reach = length * l->type;
    double y = vertical ? plot_place(&l->y, value) : l->frame.bottom;
    plot_point end = {vertical ? x - reach : x, vertical ? y : y + reach};
    draw_line(d, (plot_point){x, y}, end, length > 0.2 ? 1.5 : 1.1, axis_ink);
}

static void draw_axis(const drawing *d, int vertical) {
    const plot_layout *l = d->l;
    const plot_ticks *t = vertical ? &l->y.ticks : &l->x.ticks;
    const plot_box *f = &l->frame;
    draw_line(d, (plot_point){f->left, f->bottom},
              vertical ? (plot_point){f->left, f->top} : (plot_point){f->right, f->bottom}, 1.5, axis_ink);
    for (int i = 0; i < t->minor_count; i++) draw_tick(d, vertical, t->minors[i], 0.14);
    text_style style = {.size = 0.9 * l->type, .colour = ink, .align = vertical ? TEXT_RIGHT : TEXT_CENTRE};
    double middle = 0.5 * FONT_CAPITAL / FONT_UNITS * style.size;
    for (int i = 0; i < t->count; i++) {
        draw_tick(d, vertical, t->values[i], 0.26);
        plot_point at = vertical ? (plot_point){f->left - 0.5 * l->type, plot_place(&l->y, t->values[i]) + middle}
                                 : (plot_point){plot_place(&l->x, t->values[i]), f->bottom + 1.15 * l->type};
        draw_text(d, t->labels[i], at, style, INFINITY);
    }
    // The power common to all labels, at the far end of the axis.
    style.align = vertical ? TEXT_LEFT : TEXT_RIGHT;
    plot_point end = vertical ? (plot_point){f->left - 0.5 * l->type, f->top - 0.65 * l->type}
                              : (plot_point){f->right, f->bottom + 2.6 * l->type};
    draw_text(d, t->unit, end, style, INFINITY);
}

static void draw_labels(const drawing *d) {
    const plot_layout *l = d->l;
    const plot_box *f = &l->frame;
    double across = 0.5 * (f->left + f->right), along = 0.5 * (f->top + f->bottom);
    text_style style = {.size = l->type, .colour = ink, .align = TEXT_CENTRE};
    double unit = l->x.ticks.unit[0] ? 2 * text_width(l->x.ticks.unit, l->type) + l->type : 0;
    draw_text(d, l->def->x_label, (plot_point){across, f->bottom + 2.6 * l->type}, style, f->right - f->left - unit);
    style.upwards = 1;
    draw_text(d, l->def->y_label, (plot_point){1.35 * l->type, along}, style, f->bottom - 0.3 * l->type);
    style.upwards = 0, style.size = 1.15 * l->type;
    draw_text(d, l->def->title, (plot_point){across, 1.5 * l->type}, style,
              2 * fmin(across, l->def->width - across) - l->type);
}

/* ---- Series. */

/* Where a point lies; 0 when it can't be shown. */
static int place_point(const plot_layout *l, double x, double y, plot_point *out) {
    if (!plot_can_show(l->x.log, x) || !plot_can_show(l->y.log, y)) return 0;
    *out = (plot_point){plot_place(&l->x, x), plot_place(&l->y, y)};
    return 1;
}

static void flush_line(drawing *d, const ruga_plot_series *s, ruga_colour colour) {
    double unit = d->l->unit;
    if (d->run.count > 1)
        d->sink->line(d->sink->user, d->run.items, d->run.count, 3.0 * unit, s->dashed ? 11 * unit : 0, colour);
    d->run.count = 0;
}

/* Adds a piece to the current run, or begins another where they do not meet. Steps that no one could see are left
 * out. */
static ruga_status add_piece(drawing *d, const ruga_plot_series *s, ruga_colour colour, plot_point from, plot_point to,
                             int is_last) {
    const double unseen = 0.1;
    plot_point *end = d->run.count ? &d->run.items[d->run.count - 1] : NULL;
    if (end && hypot(end->x - from.x, end->y - from.y) > unseen) flush_line(d, s, colour), end = NULL;
    TRY(ARRAY_RESERVE(d->context, &d->run, 2));
    if (!end) d->run.items[d->run.count++] = from;
    end = &d->run.items[d->run.count - 1];
    if (is_last || hypot(end->x - to.x, end->y - to.y) > unseen) d->run.items[d->run.count++] = to;
    return RUGA_OK;
}

static ruga_status draw_series_line(drawing *d, const ruga_plot_series *s, ruga_colour colour) {
    plot_point before = {0, 0}, at;
    int joined = 0;
    d->run.count = 0;
    for (size_t i = 0; i < s->count; i++) {
        int shown = place_point(d->l, s->x[i], s->y[i], &at);
        if (!shown) flush_line(d, s, colour);
        plot_point from = before, to = at;
        if (shown && joined && plot_clip_segment(&d->l->frame, &from, &to))
            TRY(add_piece(d, s, colour, from, to, i + 1 == s->count));
        if (shown) before = at;
        joined = shown;
    }
    flush_line(d, s, colour);
    return RUGA_OK;
}

static void draw_series_marks(const drawing *d, const ruga_plot_series *s, plot_shape shape, ruga_colour colour) {
    const plot_box *f = &d->l->frame;
    const double slack = 1e-6;
    plot_point at;
    for (size_t i = 0; i < s->count; i++) {
        if (!place_point(d->l, s->x[i], s->y[i], &at)) continue;
        if (at.x < f->left - slack || at.x > f->right + slack || at.y < f->top - slack || at.y > f->bottom + slack)
            continue;
        d->sink->mark(d->sink->user, shape, at, 5.6 * d->l->unit, 1.5 * d->l->unit, colour);
    }
}

/* ---- Bands: the polygon of a run, cut off at the frame's sides one after the other (Sutherland and Hodgman). */

/* How far a point lies within a side: 0 left, 1 right, 2 top, 3 bottom. */
static double depth_within(const plot_box *box, int side, plot_point p) {
    return side == 0 ? p.x - box->left : side == 1 ? box->right - p.x : side == 2 ? p.y - box->top : box->bottom - p.y;
}

static ruga_status clip_side(drawing *d, const plot_box *box, int side) {
    d->clipped.count = 0;
    TRY(ARRAY_RESERVE(d->context, &d->clipped, 2 * d->run.count));
    for (size_t i = 0; i < d->run.count; i++) {
        plot_point a = d->run.items[i], b = d->run.items[(i + 1) % d->run.count];
        double in_a = depth_within(box, side, a), in_b = depth_within(box, side, b);
        if (in_a >= 0) d->clipped.items[d->clipped.count++] = a;
        if ((in_a >= 0) == (in_b >= 0)) continue;
        double t = in_a / (in_a - in_b);
        d->clipped.items[d->clipped.count++] = (plot_point){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
    }
    point_array before = d->run;
    d->run = d->clipped, d->clipped = before;
    return RUGA_OK;
}

static int has_band(const plot_layout *l, const ruga_plot_series *s, size_t i, plot_point *low, plot_point *high) {
    return i < s->count && place_point(l, s->x[i], s->y_low[i], low) && place_point(l, s->x[i], s->y_high[i], high);
}

static ruga_status draw_band(drawing *d, const ruga_plot_series *s, ruga_colour colour) {
    plot_point low, high;
    for (size_t begin = 0; s->y_low && begin < s->count;) {
        size_t end = begin;
        while (has_band(d->l, s, end, &low, &high)) end++;
        d->run.count = 0;
        TRY(ARRAY_RESERVE(d->context, &d->run, 2 * (end - begin)));
        // There along the lower border, and back along the upper one.
        for (size_t i = begin; i < end; i++)
            if (has_band(d->l, s, i, &low, &high)) d->run.items[d->run.count++] = low;
        for (size_t i = end; i-- > begin;)
            if (has_band(d->l, s, i, &low, &high)) d->run.items[d->run.count++] = high;
        for (int side = 0; side < 4; side++) TRY(clip_side(d, &d->l->frame, side));
        if (d->run.count > 2) d->sink->polygon(d->sink->user, d->run.items, d->run.count, colour, 0.2);
        begin = end + 1;
    }
    return RUGA_OK;
}

/* ---- Reference lines and legend. */

static void draw_reference(const drawing *d, const ruga_plot_reference *r) {
    const plot_layout *l = d->l;
    const plot_box *f = &l->frame;
    double at = plot_place(r->vertical ? &l->x : &l->y, r->value);
    plot_point ends[2] = {{r->vertical ? at : f->left, r->vertical ? f->bottom : at},
                          {r->vertical ? at : f->right, r->vertical ? f->top : at}};
    if (!plot_clip_segment(f, &ends[0], &ends[1])) return;
    d->sink->begin_group(d->sink->user, r->label);
    d->sink->line(d->sink->user, ends, 2, 1.8 * l->unit, 6 * l->unit, reference_ink);
    // The label lies on the line, or under it where there is no room above.
    text_style style = {
        .size = 0.85 * l->type, .colour = reference_ink, .align = TEXT_RIGHT, .upwards = r->vertical != 0};
    double letters = 1.05 * l->type;
    int beyond = r->vertical ? at - letters < f->left : at - letters < f->top;
    double side = at + (beyond ? letters : -0.35 * l->type);
    draw_text(d, r->label,
              r->vertical ? (plot_point){side, f->top + 0.4 * l->type} : (plot_point){f->right - 0.4 * l->type, side},
              style, r->vertical ? f->bottom - f->top - l->type : f->right - f->left - l->type);
    d->sink->end_group(d->sink->user);
}

static void draw_entry(const drawing *d, size_t i, double middle) {
    const plot_layout *l = d->l;
    const ruga_plot_series *s = &l->def->series[i];
    double left = l->legend.left + 0.4 * l->type, right = left + 2.1 * l->type;
    ruga_colour colour = series_colour(l, i);
    plot_box band = {left, middle - 0.36 * l->type, right, middle + 0.36 * l->type};
    if (s->y_low) draw_box(d, &band, colour, 0.2);
    plot_point ends[2] = {{left, middle}, {right, middle}};
    if (s->kind != RUGA_PLOT_POINTS)
        d->sink->line(d->sink->user, ends, 2, 3.0 * l->unit, s->dashed ? 11 * l->unit : 0, colour);
    if (s->kind != RUGA_PLOT_LINE)
        d->sink->mark(d->sink->user, series_shape(i), (plot_point){0.5 * (left + right), middle}, 5.6 * l->unit,
                      1.5 * l->unit, colour);
    text_style style = {.size = 0.9 * l->type, .colour = ink};
    double baseline = middle + 0.5 * FONT_CAPITAL / FONT_UNITS * style.size;
    draw_text(d, s->name, (plot_point){right + 0.6 * l->type, baseline}, style, INFINITY);
}

static void draw_legend(const drawing *d) {
    const plot_layout *l = d->l;
    if (l->legend.right <= l->legend.left) return;
    d->sink->begin_group(d->sink->user, "legend");
    draw_box(d, &l->legend, white, 0.88);
    double middle = l->legend.top + 0.825 * l->type;
    for (size_t i = 0; i < l->def->series_count; i++) {
        if (!l->def->series[i].name || !l->def->series[i].name[0]) continue;
        draw_entry(d, i, middle);
        middle += 1.35 * l->type;
    }
    d->sink->end_group(d->sink->user);
}

/* ---- The whole. */

static ruga_status draw_all_series(drawing *d) {
    const ruga_plot_def *def = d->l->def;
    for (size_t i = 0; i < def->series_count; i++) {
        if (!def->series[i].y_low) continue;
        d->sink->begin_group(d->sink->user, def->series[i].name);
        TRY(draw_band(d, &def->series[i], series_colour(d->l, i)));
        d->sink->end_group(d->sink->user);
    }
    for (size_t i = 0; i < def->reference_count; i++) draw_reference(d, &def->references[i]);
    for (int marks = 0; marks < 2; marks++)
        for (size_t i = 0; i < def->series_count; i++) {
            const ruga_plot_series *s = &def->series[i];
            if (s->kind == (marks ? RUGA_PLOT_LINE : RUGA_PLOT_POINTS)) continue;
            d->sink->begin_group(d->sink->user, s->name);
            if (marks)
                draw_series_marks(d, s, series_shape(i), series_colour(d->l, i));
            else
                TRY(draw_series_line(d, s, series_colour(d->l, i)));
            d->sink->end_group(d->sink->user);
        }
    return RUGA_OK;
}

ruga_status plot_emit(ruga_context *context, const plot_layout *layout, const plot_sink *sink) {
    drawing d = {.context = context, .l = layout, .sink = sink};
    draw_grid(&d);
    draw_axis(&d, 0);
    draw_axis(&d, 1);
    ruga_status status = draw_all_series(&d);
    if (!RUGA_FAILED(status)) {
        draw_legend(&d);
        draw_labels(&d);
    }
    ARRAY_RELEASE(context, &d.run);
    ARRAY_RELEASE(context, &d.clipped);
    return status;
}
