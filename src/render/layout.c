#include "render/layout.h"

#include <math.h>
#include <string.h>

#include "plot/lettering.h"
#include "plot/ticks.h"

layout_style layout_style_of(const ruga_render_def *def) {
    double pixel = def->height / 1080.0;
    // A wide strip of small panels needs letters by its width, too.
    double letters = fmin(fmax(pixel, def->width / 1920.0), 1.6 * pixel);
    int dark = colour_lightness(def->background) < 0.55;
    ruga_colour ink = dark ? (ruga_colour){0.93f, 0.93f, 0.93f} : (ruga_colour){0.13f, 0.13f, 0.14f};
    return (layout_style){pixel, fmax(40 * letters, 14), fmax(31 * letters, 12), fmax(27 * letters, 11), ink};
}

double layout_title_baseline(const ruga_render_def *def) { return 1.25 * layout_style_of(def).title; }

/* The number of columns that makes the panels largest, for things of some width over height. */
static int choose_columns(const ruga_render_def *def, double width, double height, double aspect) {
    int count = (int)def->panel_count, best = 1;
    if (def->columns > 0) return def->columns < count ? def->columns : count > 0 ? count : 1;
    double best_size = 0;
    for (int columns = 1; columns <= count; columns++) {
        int rows = (count + columns - 1) / columns;
        double size = fmin(width / columns / (1.15 * aspect), height / rows);
        if (size > best_size * 1.0001) best = columns, best_size = size;
    }
    return best;
}

static int whole(double x, int low, int high) { return x < low ? low : x > high ? high : (int)floor(x + 0.5); }

/* The widest panel of a column; 1 in a column without any. */
static double column_aspect(const double *aspects, size_t count, int columns, int column) {
    double widest = 0;
    for (size_t i = (size_t)column; aspects && i < count; i += (size_t)columns) widest = fmax(widest, aspects[i]);
    return widest > 0 ? widest : 1;
}

static double mean_aspect(const double *aspects, size_t count) {
    double sum = 0;
    for (size_t i = 0; aspects && i < count; i++) sum += aspects[i];
    return sum > 0 ? sum / (double)count : 1;
}

/* Columns share the width by their aspects; a short last row is centred, with columns of equal widths. */
static void place_cells(const ruga_render_def *def, const double *aspects, int columns, double gap,
                        layout_panel *panels) {
    const size_t count = def->panel_count;
    const int rows = ((int)count + columns - 1) / columns, missing = rows * columns - (int)count;
    double width = def->width - gap * (columns - 1), total = 0;
    const double *shares = missing ? NULL : aspects;
    for (int k = 0; k < columns; k++) total += column_aspect(shares, count, columns, k);
    for (size_t i = 0; i < count; i++) {
        const int row = (int)i / columns, column = (int)i % columns;
        double left = 0;
        for (int k = 0; k < column; k++) left += column_aspect(shares, count, columns, k) / total * width + gap;
        if (row == rows - 1) left += 0.5 * missing * (width / columns + gap);
        panels[i].cell_left = left;
        panels[i].cell_right = left + column_aspect(shares, count, columns, column) / total * width;
    }
}

/* Areas meet in the middle of the gaps and reach the borders of the picture. */
static void place_areas(const ruga_render_def *def, int columns, double head, double row_height, double gap,
                        layout_panel *panels) {
    const int count = (int)def->panel_count, rows = (count + columns - 1) / columns;
    for (int i = 0; i < count; i++) {
        layout_panel *p = &panels[i];
        const int row = i / columns, first = i % columns == 0, last = i % columns == columns - 1 || i == count - 1;
        const double top = head + row * (row_height + gap) - 0.5 * gap;
        p->area_left = first ? 0 : whole(p->cell_left - 0.5 * gap, 0, p->left);
        p->area_right = last ? def->width : whole(p->cell_right + 0.5 * gap, p->left + p->width, def->width);
        p->area_top = row == 0 ? 0 : whole(top, 0, p->top);
        p->area_bottom = row == rows - 1 ? def->height : whole(top + row_height + gap, p->top + p->height, def->height);
    }
}

void layout_panels(const ruga_render_def *def, const double *legend_widths, const double *aspects,
                   layout_panel *panels) {
    layout_style style = layout_style_of(def);
    int captions = 0;
    for (size_t i = 0; i < def->panel_count; i++) captions |= def->panels[i].caption && *def->panels[i].caption;
    double head = def->title && *def->title ? 1.75 * style.title : 0, foot = captions ? 1.75 * style.caption : 0;
    int columns = choose_columns(def, def->width, def->height - head, mean_aspect(aspects, def->panel_count));
    int rows = ((int)def->panel_count + columns - 1) / columns;
    double gap = def->panel_count > 1 ? 14 * style.pixel : 0;
    double cell_height = (def->height - head - gap * (rows - 1)) / fmax(rows, 1);

    place_cells(def, aspects, columns, gap, panels);
    for (size_t i = 0; i < def->panel_count; i++) {
        layout_panel *p = &panels[i];
        int row = (int)i / columns;
        double top = head + row * (cell_height + gap), bottom = top + cell_height - foot;
        double right = p->cell_right - fmin(legend_widths[i], 0.6 * (p->cell_right - p->cell_left));
        p->left = whole(p->cell_left, 0, def->width - 1);
        p->top = whole(top, 0, def->height - 1);
        p->width = whole(right, p->left + 1, def->width) - p->left;
        p->height = whole(bottom, p->top + 1, def->height) - p->top;
        p->caption_baseline = bottom + 1.05 * style.caption;
        p->legend_left = right;
    }
    place_areas(def, columns, head, cell_height, gap, panels);
}

/* ---- Legends: a bar, round numbers beside it, the label along it. */

#define MOST_TICKS 9

/* As many as have room beside a bar. */
static ticks legend_ticks(const scalar_field *field, double height, double size) {
    int room = (int)fmin(fmax(height / (1.8 * size), 2), MOST_TICKS);
    return ticks_choose(field->low, field->high, room);
}

static double widest_number(const ticks *t, double size) {
    double widest = 0;
    char text[TICKS_TEXT];
    for (int i = 0; i < t->count; i++) {
        ticks_label(t, i, text);
        widest = fmax(widest, text_width(text, size));
    }
    return widest;
}

#define BAR_WIDTH 30 /* pixels of a 1080-line picture */
#define TICK 8

static double number_left(const legend_bar *bar, const layout_style *style) {
    return bar->right + (TICK + 5) * fmax(style->pixel, 0.5);
}

static double label_baseline(const legend_bar *bar, double numbers, const layout_style *style) {
    return number_left(bar, style) + numbers + 1.25 * style->tick;
}

legend_bar legend_bar_of(const layout_panel *panel, double left, const layout_style *style) {
    double middle = panel->top + 0.5 * panel->height, half = 0.36 * panel->height;
    double x = floor(left + 10 * style->pixel);
    return (legend_bar){x, x + fmax(floor(BAR_WIDTH * style->pixel), 6), floor(middle - half), ceil(middle + half)};
}

double legend_width(const scalar_field *field, const layout_style *style) {
    ticks t = ticks_choose(field->low, field->high, MOST_TICKS);
    layout_panel none = {0};
    legend_bar bar = legend_bar_of(&none, 0, style);
    double end = number_left(&bar, style) + widest_number(&t, style->tick);
    if (field->label && *field->label)
        end = label_baseline(&bar, widest_number(&t, style->tick), style) + 0.35 * style->tick;
    return end + 14 * style->pixel;
}

static void draw_bar(canvas *c, const legend_bar *bar, const scalar_field *field, const colour_map *map) {
    double height = bar->bottom - bar->top;
    for (double y = bar->top; y < bar->bottom; y++) {
        double value = field->low + (field->high - field->low) * (bar->bottom - y - 0.5) / height;
        ruga_colour colour = light_to_colour(colour_map_at(map, scalar_field_place(field, value)));
        canvas_rectangle(c, bar->left, y, bar->right, y + 1, colour);
    }
}

static void draw_border(canvas *c, const legend_bar *bar, double width, ruga_colour ink) {
    canvas_rectangle(c, bar->left - width, bar->top - width, bar->right + width, bar->top, ink);
    canvas_rectangle(c, bar->left - width, bar->bottom, bar->right + width, bar->bottom + width, ink);
    canvas_rectangle(c, bar->left - width, bar->top, bar->left, bar->bottom, ink);
    canvas_rectangle(c, bar->right, bar->top, bar->right + width, bar->bottom, ink);
}

void legend_draw(canvas *c, const scalar_field *field, const colour_map *map, const layout_panel *panel, double left,
                 const layout_style *style) {
    legend_bar bar = legend_bar_of(panel, left, style);
    double line = fmax(1, floor(1.6 * style->pixel + 0.5)), small = fmax(style->pixel, 0.5);
    draw_bar(c, &bar, field, map);
    draw_border(c, &bar, line, style->ink);

    ticks t = legend_ticks(field, bar.bottom - bar.top, style->tick);
    text_style letters = {.size = style->tick, .colour = style->ink};
    char text[TICKS_TEXT];
    for (int i = 0; i < t.count; i++) {
        double share = (ticks_value(&t, i) - field->low) / (field->high - field->low);
        double y = floor(bar.bottom - share * (bar.bottom - bar.top) - 0.5 * line + 0.5);
        canvas_rectangle(c, bar.right + line, y, bar.right + line + TICK * small, y + line, style->ink);
        ticks_label(&t, i, text);
        canvas_text(c, text, (plot_point){number_left(&bar, style), y + 0.5 * line + 0.325 * style->tick}, &letters);
    }
    ticks_unit(&t, text);
    canvas_text(c, text, (plot_point){bar.left, bar.top - 0.55 * style->tick}, &letters);

    if (!field->label || !*field->label) return;
    letters.align = TEXT_CENTRE, letters.upwards = 1;
    double room = panel->height, wide = text_width(field->label, letters.size);
    if (wide > room) letters.size *= room / wide;
    plot_point at = {label_baseline(&bar, widest_number(&t, style->tick), style), 0.5 * (bar.top + bar.bottom)};
    canvas_text(c, field->label, at, &letters);
}
