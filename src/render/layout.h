/* Where things stand in a picture: title, panels in a grid, captions below, legends on the right. */
#ifndef RENDER_LAYOUT_H
#define RENDER_LAYOUT_H

#include "render/canvas.h"
#include "render/colour.h"
#include "render/scalar.h"

/* Sizes that follow the picture's: pixels for a pixel of a 1080-line picture, letter sizes in pixels, and their
 * colour. */
typedef struct layout_style {
    double pixel;
    double title, caption, tick;
    ruga_colour ink; /* of letters and lines: dark on a light background, light on a dark one */
} layout_style;

typedef struct layout_panel {
    int left, top, width, height; /* pixels of what is traced, at least 1 x 1 */
    double cell_left, cell_right; /* the panel with its legends */
    double caption_baseline;
    double legend_left;                               /* where the first legend begins */
    int area_left, area_top, area_right, area_bottom; /* pixels of its floor; all areas together fill the picture */
} layout_panel;

layout_style layout_style_of(const ruga_render_def *def);
/* legend_widths: (panel_count) pixels. aspects: (panel_count) width over height of what the panels show, which columns
 * follow; NULL: all columns have one width. */
void layout_panels(const ruga_render_def *def, const double *legend_widths, const double *aspects,
                   layout_panel *panels);
/* Whether two panels of a layout stand in the same row. */
static inline int layout_same_row(const layout_panel *a, const layout_panel *b) { return a->top == b->top; }
double layout_title_baseline(const ruga_render_def *def);

/* How wide a legend is with its numbers and label, pixels. */
double legend_width(const scalar_field *field, const layout_style *style);
/* Within the height of a panel; `left` is where it begins. */
void legend_draw(canvas *c, const scalar_field *field, const colour_map *map, const layout_panel *panel, double left,
                 const layout_style *style);
/* The bar alone: its borders within the picture. */
typedef struct legend_bar {
    double left, right, top, bottom;
} legend_bar;
legend_bar legend_bar_of(const layout_panel *panel, double left, const layout_style *style);

#endif
