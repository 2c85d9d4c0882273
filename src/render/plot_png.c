/* Plots as pixels. Each shape is first a mask of how much of each pixel it covers, and then blended once: overlaps
 * within a line leave no trace. Strokes cover by distance, as on the canvas; polygons by exact areas: along a row, the
 * sum of what the edges to the left turn on and off. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "plot/plot.h"
#include "render/canvas.h"
#include "render/image.h"

typedef struct mask {
    canvas c;
    float *covered;  /* (height x (width + 2)) zero between shapes */
    int top, bottom; /* rows that the current shape touches */
    int left, right; /* and columns */
} mask;

static size_t row_start(const mask *m, int y) { return (size_t)y * (size_t)(m->c.width + 2); }

static void mask_clear(mask *m) { m->top = m->c.height, m->bottom = 0, m->left = m->c.width, m->right = 0; }

/* The whole pixels that touch a box, cut off at the canvas; remembered as touched. */
static void mask_touch(mask *m, plot_box box, int *x0, int *x1, int *y0, int *y1) {
    *x0 = (int)floor(fmin(fmax(box.left, 0), m->c.width)), *x1 = (int)ceil(fmin(fmax(box.right, 0), m->c.width));
    *y0 = (int)floor(fmin(fmax(box.top, 0), m->c.height)), *y1 = (int)ceil(fmin(fmax(box.bottom, 0), m->c.height));
    if (*x0 < m->left) m->left = *x0;
    if (*x1 > m->right) m->right = *x1;
    if (*y0 < m->top) m->top = *y0;
    if (*y1 > m->bottom) m->bottom = *y1;
}

/* Blends what is covered with a colour and leaves the mask empty. summed: rows hold changes from pixel to pixel. */
static void mask_blend(mask *m, ruga_colour colour, double opacity, int summed) {
    for (int y = m->top; y < m->bottom; y++) {
        float *row = m->covered + row_start(m, y);
        double sum = 0;
        for (int x = m->left; x < m->right; x++) {
            sum = summed ? sum + (double)row[x] : (double)row[x];
            canvas_blend(&m->c, x, y, colour, opacity * fmin(fabs(sum), 1));
        }
        memset(row + m->left, 0, (size_t)(m->right + 2 - m->left) * sizeof *row);
    }
    mask_clear(m);
}

static void mask_stroke(mask *m, pen_stroke s) {
    double reach = s.radius + 1;
    plot_box box = {fmin(s.from.x, s.to.x) - reach, fmin(s.from.y, s.to.y) - reach, fmax(s.from.x, s.to.x) + reach,
                    fmax(s.from.y, s.to.y) + reach};
    int x0, x1, y0, y1;
    mask_touch(m, box, &x0, &x1, &y0, &y1);
    for (int y = y0; y < y1; y++) {
        float *row = m->covered + row_start(m, y);
        for (int x = x0; x < x1; x++) {
            // A stroke thinner than a pixel covers no more of it than its width.
            double covered = fmin(0.5 - canvas_distance(&s, x + 0.5, y + 0.5), 2 * s.radius);
            if (covered > (double)row[x]) row[x] = (float)covered;
        }
    }
}

/* A piece of an edge within one row turns coverage on (down) or off (up): in its column in part, in the next the
 * rest. */
static void mask_edge_row(mask *m, int y, plot_point from, plot_point to) {
    float *row = m->covered + row_start(m, y);
    double low = fmin(from.x, to.x), high = fmax(from.x, to.x), height = to.y - from.y;
    for (int x = (int)floor(low); x <= (int)floor(high); x++) {
        double begin = fmax(low, x), end = fmin(high, x + 1);
        double part = high > low ? height * (end - begin) / (high - low) : height;
        double right = 0.5 * (begin + end) - x;
        row[x] += (float)(part * (1 - right));
        row[x + 1] += (float)(part * right);
    }
}

static void mask_edge(mask *m, plot_point a, plot_point b) {
    double top = fmin(a.y, b.y), bottom = fmax(a.y, b.y);
    if (!(top < bottom)) return;
    for (int y = (int)floor(top); y < (int)ceil(bottom); y++) {
        double y0 = fmax(top, y), y1 = fmin(bottom, y + 1);
        double x0 = a.x + (b.x - a.x) * (y0 - a.y) / (b.y - a.y), x1 = a.x + (b.x - a.x) * (y1 - a.y) / (b.y - a.y);
        x0 = fmin(fmax(x0, fmin(a.x, b.x)), fmax(a.x, b.x)), x1 = fmin(fmax(x1, fmin(a.x, b.x)), fmax(a.x, b.x));
        if (b.y > a.y)
            mask_edge_row(m, y, (plot_point){x0, y0}, (plot_point){x1, y1});
        else
            mask_edge_row(m, y, (plot_point){x1, y1}, (plot_point){x0, y0});
    }
}

static plot_point keep_within(const mask *m, plot_point p) {
    return (plot_point){fmin(fmax(p.x, 0), m->c.width), fmin(fmax(p.y, 0), m->c.height)};
}

/* ---- The sink. */

static void png_group(void *user, const char *name) { (void)user, (void)name; }
static void png_end_group(void *user) { (void)user; }

static void png_polygon(void *user, const plot_point *points, size_t count, ruga_colour colour, double opacity) {
    mask *m = user;
    int x0, x1, y0, y1;
    for (size_t i = 0; i < count; i++) {
        plot_point a = keep_within(m, points[i]), b = keep_within(m, points[(i + 1) % count]);
        mask_touch(m, (plot_box){a.x - 1, a.y - 1, a.x + 1, a.y + 1}, &x0, &x1, &y0, &y1);
        mask_edge(m, a, b);
    }
    mask_blend(m, colour, opacity, 1);
}

/* The dashes of one piece; `walked` is how far the line has come. */
static void stroke_dashes(mask *m, plot_point from, plot_point to, double radius, double dash, double *walked) {
    double length = hypot(to.x - from.x, to.y - from.y);
    for (double at = 0; at < length;) {
        double phase = fmod(*walked + at, 2 * dash), left = phase < dash ? dash - phase : 2 * dash - phase;
        double end = fmin(at + fmax(left, 1e-6), length), s = at / length, t = end / length;
        plot_point p = {from.x + s * (to.x - from.x), from.y + s * (to.y - from.y)};
        plot_point q = {from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
        if (phase < dash) mask_stroke(m, (pen_stroke){p, q, radius});
        at = end;
    }
    *walked += length;
}

static void png_line(void *user, const plot_point *points, size_t count, double width, double dash,
                     ruga_colour colour) {
    mask *m = user;
    double walked = 0;
    for (size_t i = 1; i < count; i++) {
        if (dash > 0)
            stroke_dashes(m, points[i - 1], points[i], 0.5 * width, dash, &walked);
        else
            mask_stroke(m, (pen_stroke){points[i - 1], points[i], 0.5 * width});
    }
    mask_blend(m, colour, 1, 0);
}

static void png_mark(void *user, plot_shape shape, plot_point at, double radius, double outline, ruga_colour colour) {
    mask *m = user;
    const ruga_colour white = {1, 1, 1};
    plot_point corners[PLOT_CORNERS];
    int count = plot_shape_corners(shape, at, radius, corners);
    if (count) {
        png_polygon(m, corners, (size_t)count, white, 1);
        for (int i = 0; i < count; i++) mask_stroke(m, (pen_stroke){corners[i], corners[(i + 1) % count], outline});
        mask_blend(m, white, 1, 0);
        png_polygon(m, corners, (size_t)count, colour, 1);
    } else {
        mask_stroke(m, (pen_stroke){at, at, radius + outline});
        mask_blend(m, white, 1, 0);
        mask_stroke(m, (pen_stroke){at, at, radius});
        mask_blend(m, colour, 1, 0);
    }
}

static void png_text(void *user, const char *text, plot_point at, const text_style *style) {
    mask *m = user;
    canvas_text(&m->c, text, at, style);
}

/* ---- The whole. */

static ruga_status draw(ruga_context *context, const plot_layout *layout, ruga_image *image) {
    mask m = {.c = canvas_of(image)};
    size_t size = row_start(&m, image->height);
    TRY(NEW_ZEROED(context, &m.covered, size));
    mask_clear(&m);
    canvas_fill(&m.c, (ruga_colour){1, 1, 1});
    const plot_sink sink = {&m, png_group, png_end_group, png_line, png_polygon, png_mark, png_text};
    ruga_status status = plot_emit(context, layout, &sink);
    memory_release(context, m.covered);
    return status;
}

ruga_status ruga_plot_draw(ruga_context *context, const ruga_plot_def *def, ruga_image **out) {
    plot_layout layout;
    ruga_image *image;
    TRY(plot_layout_make(context, def, &layout));
    TRY(image_create(context, def->width, def->height, &image));
    TRY_OR(draw(context, &layout, image), ruga_image_destroy(image));
    *out = image;
    return plot_warn(context, &layout);
}

ruga_status ruga_plot_write_png(ruga_context *context, const ruga_plot_def *def, const char *path) {
    ruga_image *image;
    ruga_status drawn = ruga_plot_draw(context, def, &image);
    if (RUGA_FAILED(drawn)) return drawn;
    ruga_status written = ruga_image_write_png(image, path);
    ruga_image_destroy(image);
    return RUGA_FAILED(written) ? written : drawn;
}
