#include "render/canvas.h"

#include <math.h>

#include "render/colour.h"

canvas canvas_of(ruga_image *image) { return (canvas){image->width, image->height, image->pixels}; }

void canvas_fill(canvas *c, ruga_colour colour) {
    uint8_t bytes[3] = {colour_byte(colour.r), colour_byte(colour.g), colour_byte(colour.b)};
    size_t count = (size_t)c->width * (size_t)c->height * 3;
    for (size_t i = 0; i < count; i++) c->pixels[i] = bytes[i % 3];
}

void canvas_blend(canvas *c, int x, int y, ruga_colour colour, double coverage) {
    if (x < 0 || y < 0 || x >= c->width || y >= c->height || !(coverage > 0)) return;
    uint8_t *pixel = c->pixels + 3 * ((size_t)y * (size_t)c->width + (size_t)x);
    float over = (float)fmin(coverage, 1), rgb[3] = {colour.r, colour.g, colour.b};
    for (int i = 0; i < 3; i++) {
        float old = (float)pixel[i] / 255.0f;
        pixel[i] = colour_byte(old + (rgb[i] - old) * over);
    }
}

/* The whole pixels that touch [low, high), within [0, size). */
static void pixel_range(double low, double high, int size, int *begin, int *end) {
    *begin = (int)floor(fmin(fmax(low, 0), size));
    *end = (int)ceil(fmin(fmax(high, 0), size));
}

void canvas_rectangle(canvas *c, double left, double top, double right, double bottom, ruga_colour colour) {
    int x0, x1, y0, y1;
    pixel_range(left, right, c->width, &x0, &x1);
    pixel_range(top, bottom, c->height, &y0, &y1);
    for (int y = y0; y < y1; y++) {
        double down = fmin(y + 1, bottom) - fmax(y, top);
        for (int x = x0; x < x1; x++) canvas_blend(c, x, y, colour, down * (fmin(x + 1, right) - fmax(x, left)));
    }
}

double canvas_distance(const pen_stroke *s, double x, double y) {
    double dx = s->to.x - s->from.x, dy = s->to.y - s->from.y, px = x - s->from.x, py = y - s->from.y;
    double length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? fmin(fmax((px * dx + py * dy) / length2, 0), 1) : 0;
    return hypot(px - t * dx, py - t * dy) - s->radius;
}

void canvas_strokes(canvas *c, const pen_stroke *segments, size_t count, ruga_colour colour) {
    double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const pen_stroke *s = &segments[i];
        left = fmin(left, fmin(s->from.x, s->to.x) - s->radius - 1);
        right = fmax(right, fmax(s->from.x, s->to.x) + s->radius + 1);
        top = fmin(top, fmin(s->from.y, s->to.y) - s->radius - 1);
        bottom = fmax(bottom, fmax(s->from.y, s->to.y) + s->radius + 1);
    }
    int x0, x1, y0, y1;
    pixel_range(left, right, c->width, &x0, &x1);
    pixel_range(top, bottom, c->height, &y0, &y1);

    // The nearest stroke's distance to the centre of a pixel says how much of the pixel is covered.
    for (int y = y0; y < y1; y++) {
        for (int x = x0; x < x1; x++) {
            double nearest = INFINITY;
            for (size_t i = 0; i < count; i++) nearest = fmin(nearest, canvas_distance(&segments[i], x + 0.5, y + 0.5));
            canvas_blend(c, x, y, colour, 0.5 - nearest);
        }
    }
}

typedef struct canvas_target {
    canvas *c;
    ruga_colour colour;
} canvas_target;

static void draw_strokes(void *user, const pen_stroke *segments, size_t count) {
    canvas_target *target = user;
    canvas_strokes(target->c, segments, count, target->colour);
}

void canvas_text(canvas *c, const char *text, plot_point at, const text_style *style) {
    canvas_target target = {c, style->colour};
    text_strokes(text, at, style, 1.15, draw_strokes, &target);
}
