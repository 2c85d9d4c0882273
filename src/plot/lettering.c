#include "plot/lettering.h"

#include <math.h>
#include <stdlib.h>

#include "plot/font.h"

#define PI 3.14159265358979323846
#define MAX_SEGMENTS 320
#define TRACKING 14 /* font units between letters beyond their own spaces */

uint32_t text_next(const char **text) {
    const unsigned char *s = (const unsigned char *)*text;
    if (!s[0]) return 0;
    int more = s[0] < 0x80                   ? 0
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 1
               : (s[0] & 0xf0) == 0xe0       ? 2
               : (s[0] & 0xf8) == 0xf0       ? 3
                                             : -1;
    uint32_t code = more == 0 ? s[0] : more > 0 ? s[0] & (0x3fu >> more) : 0;
    int i = 1;
    for (; i <= more && (s[i] & 0xc0) == 0x80; i++) code = code << 6 | (s[i] & 0x3fu);
    *text += i;
    return more < 0 || i <= more ? 0xfffd : code;
}

/* ---- Letters that are others, small and raised or lowered. */

typedef struct placed {
    uint32_t code;
    double scale, rise; /* em */
} placed;

#define RAISED 0.36
#define LOWERED -0.14
#define SMALL 0.64

/* Digits and signs above and below the line. */
static int find_script(uint32_t code, placed *out) {
    if (code == 0xb9 || code == 0xb2 || code == 0xb3) {
        *out = (placed){code == 0xb9 ? '1' : code == 0xb2 ? '2' : '3', SMALL, RAISED};
    } else if (code == 0x2070 || (code >= 0x2074 && code <= 0x2079)) {
        *out = (placed){'0' + (code - 0x2070), SMALL, RAISED};
    } else if (code == 0x207a || code == 0x207b) {
        *out = (placed){code == 0x207a ? '+' : 0x2212, SMALL, RAISED};
    } else if (code >= 0x2080 && code <= 0x2089) {
        *out = (placed){'0' + (code - 0x2080), SMALL, LOWERED};
    } else {
        return 0;
    }
    return 1;
}

/* A code as the one to three glyphs it is drawn with. */
static int expand(uint32_t code, placed out[3]) {
    if (find_script(code, &out[0])) return 1;
    if (code >= 0xbc && code <= 0xbe) {
        out[0] = (placed){code == 0xbe ? '3' : '1', SMALL, RAISED * 0.8};
        out[1] = (placed){'/', 1, 0};
        out[2] = (placed){code == 0xbd ? '2' : '4', SMALL, 0};
        return 3;
    }
    out[0] = (placed){code, 1, 0};
    return 1;
}

/* The glyph of a code, or of the letter below its accent, or the box. */
static const font_glyph *glyph_of(uint32_t code) {
    const font_composite *composite = font_find_composite(code);
    const font_glyph *glyph = font_find(composite ? composite->base : code);
    return glyph ? glyph : font_find(0xfffd);
}

static double advance_of(const placed *p) {
    const font_glyph *glyph = glyph_of(p->code);
    return p->scale * (glyph->left + glyph->ink + glyph->right + TRACKING) / FONT_UNITS;
}

double text_width(const char *text, double size) {
    double width = 0;
    placed parts[3];
    for (uint32_t code; (code = text_next(&text));) {
        int count = expand(code, parts);
        for (int i = 0; i < count; i++) width += advance_of(&parts[i]);
    }
    return width * size;
}

/* ---- Paths become segments on the canvas. */

typedef struct pen {
    pen_stroke *segments; /* (MAX_SEGMENTS) */
    size_t count;
    plot_point origin;     /* where x = 0 on the baseline is */
    double ex, ey, ux, uy; /* what a unit to the right and a unit up are on the canvas */
    double radius;
    double shift_x, shift_y; /* font units, added to the path's points */
    double x, y;             /* where the pen is */
} pen;

static plot_point pen_place(const pen *p, double x, double y) {
    x += p->shift_x, y += p->shift_y;
    return (plot_point){p->origin.x + x * p->ex + y * p->ux, p->origin.y + x * p->ey + y * p->uy};
}

static void pen_segment(pen *p, double x, double y, double thickness) {
    if (p->count < MAX_SEGMENTS)
        p->segments[p->count++] = (pen_stroke){pen_place(p, p->x, p->y), pen_place(p, x, y), p->radius * thickness};
    p->x = x, p->y = y;
}

static void pen_curve(pen *p, const double *n) {
    enum { STEPS = 9 };
    double x0 = p->x, y0 = p->y;
    for (int i = 1; i <= STEPS; i++) {
        double t = (double)i / STEPS, s = 1 - t;
        double a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
        pen_segment(p, a * x0 + b * n[0] + c * n[2] + d * n[4], a * y0 + b * n[1] + c * n[3] + d * n[5], 1);
    }
}

static void pen_arc(pen *p, const double *n) {
    int steps = (int)ceil((n[5] - n[4]) / 10);
    for (int i = 0; i <= steps; i++) {
        double angle = (n[4] + (n[5] - n[4]) * i / steps) * PI / 180;
        double x = n[0] + n[2] * cos(angle), y = n[1] + n[3] * sin(angle);
        if (i == 0)
            p->x = x, p->y = y;
        else
            pen_segment(p, x, y, 1);
    }
}

static void pen_path(pen *p, const char *path) {
    while (*path) {
        char command = *path++;
        double n[6] = {0};
        int count = command == 'A' || command == 'C' ? 6 : 2;
        for (int i = 0; i < count; i++) n[i] = (double)strtol(path, (char **)&path, 10);
        while (*path == ' ') path++;
        switch (command) {
            case 'M': p->x = n[0], p->y = n[1]; break;
            case 'L': pen_segment(p, n[0], n[1], 1); break;
            case 'C': pen_curve(p, n); break;
            case 'A': pen_arc(p, n); break;
            default: p->x = n[0], p->y = n[1], pen_segment(p, n[0], n[1], 1.32); break;
        }
    }
}

/* A glyph and its accent, centred on the letter; higher above capitals. */
static void pen_glyph(pen *p, uint32_t code) {
    const font_glyph *glyph = glyph_of(code);
    const font_composite *composite = font_find_composite(code);
    double left = 0.5 * TRACKING + glyph->left;
    p->shift_x = left;
    pen_path(p, glyph->path);
    if (!composite) return;
    const font_glyph *mark = font_find(composite->mark);
    p->shift_x = left + 0.5 * (glyph->ink - mark->ink);
    if (composite->base >= 'A' && composite->base <= 'Z' && composite->mark != 0xb8) p->shift_y += 160;
    pen_path(p, mark->path);
}

/* Where strokes go. */
typedef struct stroke_target {
    double thinnest;
    text_stroke_function *emit;
    void *user;
} stroke_target;

/* One part with the pen's line along (dx, dy) from `at`. */
static void stroke_part(const stroke_target *target, const placed *part, plot_point at, const text_style *style) {
    pen_stroke segments[MAX_SEGMENTS];
    double unit = part->scale * style->size / FONT_UNITS, dx = style->upwards ? 0 : 1, dy = style->upwards ? -1 : 0;
    double weight = part->scale < 1 ? 0.84 : 1;  // small letters keep most of their pen
    double radius = 0.5 * fmax(FONT_PEN * style->size / FONT_UNITS, target->thinnest) * weight;
    double rise = part->rise * style->size;
    pen p = {
        .segments = segments, .ex = unit * dx, .ey = unit * dy, .ux = unit * dy, .uy = -unit * dx, .radius = radius};
    p.origin = (plot_point){at.x + rise * dy, at.y - rise * dx};
    pen_glyph(&p, part->code);
    target->emit(target->user, segments, p.count);
}

void text_strokes(const char *text, plot_point at, const text_style *style, double thinnest, text_stroke_function *emit,
                  void *user) {
    stroke_target target = {thinnest, emit, user};
    double dx = style->upwards ? 0 : 1, dy = style->upwards ? -1 : 0;
    double back =
        style->align == TEXT_LEFT ? 0 : text_width(text, style->size) * (style->align == TEXT_CENTRE ? 0.5 : 1);
    at.x -= back * dx, at.y -= back * dy;
    placed parts[3];
    for (uint32_t code; (code = text_next(&text));) {
        int count = expand(code, parts);
        for (int i = 0; i < count; i++) {
            stroke_part(&target, &parts[i], at, style);
            double advance = advance_of(&parts[i]) * style->size;
            at.x += advance * dx, at.y += advance * dy;
        }
    }
}
