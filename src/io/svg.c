/* Shapes of SVG: see svg.h. Curves are flattened where they will be seen, that is, after all transforms: into as many
 * pieces of equal parameter as the second differences of their control points ask for (G.-J. Wang 1984). */
#include "io/svg.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

#define PI 3.14159265358979323846
enum { MAX_STEPS = 256 }; /* of one curve */

/* ---- Text. */

typedef struct cursor {
    const char *at, *end;
} cursor;

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void skip_blanks(cursor *c) {
    while (c->at < c->end && is_blank(*c->at)) c->at++;
}

/* Blanks with at most one comma among them. */
static void skip_separator(cursor *c) {
    skip_blanks(c);
    if (c->at < c->end && *c->at == ',') {
        c->at++;
        skip_blanks(c);
    }
}

/* A finite number, and what parts it from the next. */
static int read_number(cursor *c, double *value) {
    const char *digits = c->at + (c->at < c->end && (*c->at == '-' || *c->at == '+'));
    if (digits >= c->end || !(number_is_digit(*digits) || *digits == '.')) return 0;
    const char *next = number_parse(c->at, c->end, value);
    if (next == c->at || !isfinite(*value)) return 0;
    c->at = next;
    skip_separator(c);
    return 1;
}

static int read_flag(cursor *c, double *value) {
    if (c->at >= c->end || (*c->at != '0' && *c->at != '1')) return 0;
    *value = *c->at++ - '0';
    skip_separator(c);
    return 1;
}

static ruga_status fail_at(ruga_context *context, const cursor *c, const char *what) {
    size_t left = (size_t)(c->end - c->at);
    return fail_input(context, "expected %s, but found \"%.*s\"", what, (int)(left < 24 ? left : 24), c->at);
}

size_t svg_parse_numbers(xml_text text, size_t most, double *numbers) {
    cursor c = {text.begin, text.begin + text.length};
    size_t count = 0;
    skip_blanks(&c);
    while (count < most && read_number(&c, &numbers[count])) count++;
    return c.at == c.end ? count : most + 1;
}

/* ---- Transforms. */

svg_matrix svg_matrix_multiply(svg_matrix o, svg_matrix i) {
    return (svg_matrix){o.a * i.a + o.c * i.b, o.b * i.a + o.d * i.b,       o.a * i.c + o.c * i.d,
                        o.b * i.c + o.d * i.d, o.a * i.e + o.c * i.f + o.e, o.b * i.e + o.d * i.f + o.f};
}

/* One transform by its name and numbers; 0 when their count does not fit. */
static int make_transform(xml_text name, const double *n, size_t count, svg_matrix *out) {
    *out = (svg_matrix){1, 0, 0, 1, 0, 0};
    if (xml_is(name, "matrix") && count == 6)
        *out = (svg_matrix){n[0], n[1], n[2], n[3], n[4], n[5]};
    else if (xml_is(name, "translate") && (count == 1 || count == 2))
        *out = (svg_matrix){1, 0, 0, 1, n[0], count == 2 ? n[1] : 0};
    else if (xml_is(name, "scale") && (count == 1 || count == 2))
        *out = (svg_matrix){n[0], 0, 0, n[count - 1], 0, 0};
    else if (xml_is(name, "skewX") && count == 1)
        out->c = tan(n[0] * PI / 180);
    else if (xml_is(name, "skewY") && count == 1)
        out->b = tan(n[0] * PI / 180);
    else if (xml_is(name, "rotate") && (count == 1 || count == 3)) {
        double angle = n[0] * PI / 180, x = count == 3 ? n[1] : 0, y = count == 3 ? n[2] : 0;
        *out = (svg_matrix){cos(angle), sin(angle), -sin(angle), cos(angle), 0, 0};
        *out = svg_matrix_multiply((svg_matrix){1, 0, 0, 1, x, y}, *out);
        *out = svg_matrix_multiply(*out, (svg_matrix){1, 0, 0, 1, -x, -y});
    } else
        return 0;
    return 1;
}

ruga_status svg_parse_transform(ruga_context *context, xml_text text, svg_matrix *out) {
    cursor c = {text.begin, text.begin + text.length};
    *out = (svg_matrix){1, 0, 0, 1, 0, 0};
    for (skip_separator(&c); c.at < c.end; skip_separator(&c)) {
        cursor start = c;
        xml_text name = {c.at, 0};
        double numbers[6];
        svg_matrix one;
        while (c.at < c.end && !is_blank(*c.at) && *c.at != '(') c.at++;
        name.length = (size_t)(c.at - name.begin);
        skip_blanks(&c);
        const char *close = c.at < c.end && *c.at == '(' ? memchr(c.at, ')', (size_t)(c.end - c.at)) : NULL;
        if (!close) return fail_at(context, &start, "a transform such as translate(1, 2)");
        size_t count = svg_parse_numbers((xml_text){c.at + 1, (size_t)(close - c.at - 1)}, 6, numbers);
        if (count > 6 || !make_transform(name, numbers, count, &one))
            return fail_at(context, &start, "a transform such as translate(1, 2)");
        *out = svg_matrix_multiply(*out, one);
        c.at = close + 1;
    }
    return RUGA_OK;
}

/* ---- The pen. */

typedef struct spot {
    double x, y;
} spot;

void svg_pen_release(svg_pen *pen) {
    ARRAY_RELEASE(pen->context, &pen->points);
    ARRAY_RELEASE(pen->context, &pen->pieces);
}

size_t svg_piece_end(const svg_pen *pen, size_t piece) {
    return piece + 1 < pen->pieces.count ? pen->pieces.items[piece + 1].begin : pen->points.count / 2;
}

static spot apply(const svg_pen *pen, spot p) {
    const svg_matrix *m = &pen->matrix;
    return (spot){m->a * p.x + m->c * p.y + m->e, m->b * p.x + m->d * p.y + m->f};
}

/* A place that is transformed already. */
static ruga_status put(svg_pen *pen, spot p) {
    TRY(ARRAY_RESERVE(pen->context, &pen->points, 2));
    pen->points.items[pen->points.count++] = p.x;
    pen->points.items[pen->points.count++] = p.y;
    return RUGA_OK;
}

static ruga_status begin_piece(svg_pen *pen, spot p) {
    TRY(ARRAY_ADD(pen->context, &pen->pieces, (svg_piece){pen->points.count / 2, 0}));
    return put(pen, apply(pen, p));
}

/* A move that nothing was drawn after leaves no piece. */
static void end_piece(svg_pen *pen) {
    if (pen->pieces.count == 0) return;
    const svg_piece *last = &pen->pieces.items[pen->pieces.count - 1];
    if (pen->points.count / 2 - last->begin >= 2) return;
    pen->points.count = 2 * last->begin;
    pen->pieces.count--;
}

static int steps_for(double wanted) { return 1 + (int)fmin(MAX_STEPS - 1, fmax(0, ceil(wanted) - 1)); }

static double second_difference(spot a, spot b, spot c) { return hypot(a.x - 2 * b.x + c.x, a.y - 2 * b.y + c.y); }

static ruga_status put_cubic(svg_pen *pen, spot p0, spot p1, spot p2, spot p3) {
    p0 = apply(pen, p0), p1 = apply(pen, p1), p2 = apply(pen, p2), p3 = apply(pen, p3);
    double bend = fmax(second_difference(p0, p1, p2), second_difference(p1, p2, p3));
    int steps = steps_for(sqrt(0.75 * bend / SVG_TOLERANCE));
    for (int i = 1; i < steps; i++) {
        double t = (double)i / steps, s = 1 - t;
        double w0 = s * s * s, w1 = 3 * s * s * t, w2 = 3 * s * t * t, w3 = t * t * t;
        TRY(put(pen,
                (spot){w0 * p0.x + w1 * p1.x + w2 * p2.x + w3 * p3.x, w0 * p0.y + w1 * p1.y + w2 * p2.y + w3 * p3.y}));
    }
    return put(pen, p3);
}

/* A quadratic one is a cubic one. */
static ruga_status put_quadratic(svg_pen *pen, spot p0, spot p1, spot p2) {
    spot a = {p0.x + (p1.x - p0.x) * 2 / 3, p0.y + (p1.y - p0.y) * 2 / 3};
    spot b = {p2.x + (p1.x - p2.x) * 2 / 3, p2.y + (p1.y - p2.y) * 2 / 3};
    return put_cubic(pen, p0, a, b, p2);
}

/* From ends to centre: appendix F.6 of the specification. n: radii, turn of the ellipse in degrees, large, sweep. */
static ruga_status put_arc(svg_pen *pen, spot from, const double n[5], spot to) {
    double rx = fabs(n[0]), ry = fabs(n[1]), c = cos(n[2] * PI / 180), s = sin(n[2] * PI / 180);
    double dx = 0.5 * (from.x - to.x), dy = 0.5 * (from.y - to.y), x = c * dx + s * dy, y = c * dy - s * dx;
    if (rx == 0 || ry == 0 || (x == 0 && y == 0)) return put(pen, apply(pen, to));
    double grow = hypot(x / rx, y / ry);
    if (grow > 1) rx *= grow, ry *= grow;
    double rest = 1 / fmax(1e-300, (x / rx) * (x / rx) + (y / ry) * (y / ry)) - 1;
    double k = (n[3] == n[4] ? -1 : 1) * sqrt(fmax(0, rest)), cx = k * rx * y / ry, cy = -k * ry * x / rx;
    double mx = c * cx - s * cy + 0.5 * (from.x + to.x), my = s * cx + c * cy + 0.5 * (from.y + to.y);
    double start = atan2((y - cy) / ry, (x - cx) / rx), sweep = atan2((-y - cy) / ry, (-x - cx) / rx) - start;
    if (n[4] != 0 && sweep < 0) sweep += 2 * PI;
    if (n[4] == 0 && sweep > 0) sweep -= 2 * PI;
    const svg_matrix *m = &pen->matrix;
    double radius = fmax(rx, ry) * fmax(hypot(m->a, m->b), hypot(m->c, m->d));
    double step = 2 * acos(fmax(0, 1 - SVG_TOLERANCE / fmax(radius, SVG_TOLERANCE)));
    int steps = steps_for(fabs(sweep) / step);
    for (int i = 1; i < steps; i++) {
        double angle = start + sweep * i / steps, u = rx * cos(angle), v = ry * sin(angle);
        TRY(put(pen, apply(pen, (spot){mx + c * u - s * v, my + s * u + c * v})));
    }
    return put(pen, apply(pen, to));
}

/* ---- Path data. */

typedef struct path_reader {
    svg_pen *pen;
    cursor c;
    spot at, start, control; /* control: the last one of a curve, for S and T */
    char last;               /* command before, as a capital letter */
    int is_open;             /* a piece has begun */
} path_reader;

static ruga_status read_arguments(path_reader *r, char command, double n[7], int *count) {
    static const struct {
        char command;
        int count;
    } counts[] = {{'M', 2}, {'L', 2}, {'H', 1}, {'V', 1}, {'C', 6}, {'S', 4}, {'Q', 4}, {'T', 2}, {'A', 7}};
    size_t i = 0;
    while (counts[i].command != command) i++;
    *count = counts[i].count;
    for (int k = 0; k < *count; k++) {
        int is_flag = command == 'A' && (k == 3 || k == 4);
        if (is_flag ? !read_flag(&r->c, &n[k]) : !read_number(&r->c, &n[k]))
            return fail_at(r->pen->context, &r->c, is_flag ? "a flag, 0 or 1, in path data" : "a number in path data");
    }
    return RUGA_OK;
}

static spot spot_at(const path_reader *r, int relative, double x, double y) {
    return relative ? (spot){r->at.x + x, r->at.y + y} : (spot){x, y};
}

/* The mirror image of the last control point, after a curve of the same kind. */
static spot mirrored(const path_reader *r, char kind, char smooth) {
    if (r->last != kind && r->last != smooth) return r->at;
    return (spot){2 * r->at.x - r->control.x, 2 * r->at.y - r->control.y};
}

/* The last two numbers are where it leads. */
static ruga_status draw(path_reader *r, char command, int relative, const double *n, int count) {
    spot from = r->at, to, first;
    if (command == 'H')
        to = (spot){relative ? from.x + n[0] : n[0], from.y};
    else if (command == 'V')
        to = (spot){from.x, relative ? from.y + n[0] : n[0]};
    else
        to = spot_at(r, relative, n[count - 2], n[count - 1]);
    ruga_status status;
    switch (command) {
        case 'C':
        case 'S':
            first = command == 'C' ? spot_at(r, relative, n[0], n[1]) : mirrored(r, 'C', 'S');
            r->control = spot_at(r, relative, n[count - 4], n[count - 3]);
            status = put_cubic(r->pen, from, first, r->control, to);
            break;
        case 'Q':
        case 'T':
            r->control = command == 'Q' ? spot_at(r, relative, n[0], n[1]) : mirrored(r, 'Q', 'T');
            status = put_quadratic(r->pen, from, r->control, to);
            break;
        case 'A': status = put_arc(r->pen, from, n, to); break;
        default: status = put(r->pen, apply(r->pen, to)); break;
    }
    r->at = to;
    return status;
}

static ruga_status move_to(path_reader *r, int relative, const double *n) {
    end_piece(r->pen);
    r->at = r->start = spot_at(r, relative, n[0], n[1]);
    r->is_open = 1;
    return begin_piece(r->pen, r->at);
}

static void close_piece(path_reader *r) {
    size_t pieces = r->pen->pieces.count;
    end_piece(r->pen);
    /* A move alone has left nothing to close. */
    if (r->is_open && r->pen->pieces.count == pieces) r->pen->pieces.items[pieces - 1].closed = 1;
    r->is_open = 0;
    r->at = r->start;
}

/* A command and all sets of numbers behind it; those behind the first of a move are lines. */
static ruga_status read_command(path_reader *r, char letter) {
    int relative = letter >= 'a';
    char command = relative ? (char)(letter - 'a' + 'A') : letter;
    double n[7];
    int count;
    skip_blanks(&r->c);
    do {
        TRY(read_arguments(r, command, n, &count));
        if (command == 'M') {
            TRY(move_to(r, relative, n));
        } else {
            /* After Z a new piece begins where the closed one did. */
            if (!r->is_open) TRY(begin_piece(r->pen, r->at));
            r->is_open = 1;
            TRY(draw(r, command, relative, n, count));
        }
        r->last = command;
        if (command == 'M') command = 'L';
    } while (r->c.at < r->c.end && !((*r->c.at | 32) >= 'a' && (*r->c.at | 32) <= 'z'));
    return RUGA_OK;
}

ruga_status svg_draw_path(svg_pen *pen, xml_text data) {
    path_reader r = {.pen = pen, .c = {data.begin, data.begin + data.length}};
    for (skip_blanks(&r.c); r.c.at < r.c.end; skip_blanks(&r.c)) {
        char letter = *r.c.at;
        int known = letter != 0 && strchr("MmLlHhVvCcSsQqTtAaZz", letter) != NULL;
        if (!known || (r.last == 0 && (letter | 32) != 'm'))
            return fail_at(pen->context, &r.c, r.last == 0 ? "M at the start of path data" : "a command in path data");
        r.c.at++;
        if ((letter | 32) != 'z') {
            TRY(read_command(&r, letter));
            continue;
        }
        close_piece(&r);
        r.last = 'Z';
    }
    end_piece(pen);
    return RUGA_OK;
}

ruga_status svg_draw_points(svg_pen *pen, xml_text points, int closed) {
    cursor c = {points.begin, points.begin + points.length};
    size_t pieces = pen->pieces.count;
    spot p;
    skip_blanks(&c);
    for (size_t i = 0; c.at < c.end; i++) {
        if (!read_number(&c, &p.x) || !read_number(&c, &p.y))
            return fail_at(pen->context, &c, "a number in a list of points, two for each");
        TRY(i == 0 ? begin_piece(pen, p) : put(pen, apply(pen, p)));
    }
    end_piece(pen);
    if (pen->pieces.count > pieces) pen->pieces.items[pieces].closed = closed;
    return RUGA_OK;
}

ruga_status svg_draw_ellipse(svg_pen *pen, const double n[4]) {
    const double half[5] = {n[2], n[3], 0, 0, 1};
    const spot right = {n[0] + n[2], n[1]}, left = {n[0] - n[2], n[1]};
    if (!(n[2] > 0 && n[3] > 0)) return RUGA_OK;
    TRY(begin_piece(pen, right));
    TRY(put_arc(pen, right, half, left));
    TRY(put_arc(pen, left, half, right));
    pen->pieces.items[pen->pieces.count - 1].closed = 1;
    return RUGA_OK;
}

ruga_status svg_draw_rectangle(svg_pen *pen, const double n[6]) {
    static const spot sides[5] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    if (!(n[2] > 0 && n[3] > 0)) return RUGA_OK;
    /* A radius that is not given is the other one. */
    double rx = fmin(n[4] >= 0 ? n[4] : fmax(0, n[5]), 0.5 * n[2]),
           ry = fmin(n[5] >= 0 ? n[5] : fmax(0, n[4]), 0.5 * n[3]);
    const double round[5] = {rx, ry, 0, 0, 1};
    for (int i = 0; i < 4; i++) {
        const spot corner = {i < 2 ? n[0] + n[2] : n[0], i == 1 || i == 2 ? n[1] + n[3] : n[1]};
        const spot from = {corner.x - sides[i].x * rx, corner.y - sides[i].y * ry};
        const spot to = {corner.x + sides[i + 1].x * rx, corner.y + sides[i + 1].y * ry};
        TRY(i == 0 ? begin_piece(pen, from) : put(pen, apply(pen, from)));
        if (rx > 0 && ry > 0) TRY(put_arc(pen, from, round, to));
    }
    pen->pieces.items[pen->pieces.count - 1].closed = 1;
    return RUGA_OK;
}

ruga_status svg_draw_line(svg_pen *pen, const double ends[4]) {
    TRY(begin_piece(pen, (spot){ends[0], ends[1]}));
    return put(pen, apply(pen, (spot){ends[2], ends[3]}));
}
