/* Curves as paths of an SVG picture over UVs: the viewBox is the unit square, v upwards.
 *
 * A piece of a path that starts where the one before ended on the surface continues it: so curves over seams are
 * written and read. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "geom/curve_uv.h"
#include "io/curves.h"
#include "io/svg.h"

#define SAME_PLACE 1e-6 /* times the default reach, a tenth of the size of the mesh */
enum { MAX_DEPTH = 256 };

typedef struct svg_element {
    xml_text name;
    svg_matrix matrix;
    int is_hidden; /* in <defs> and the like, or switched off: not drawn */
} svg_element;

typedef struct svg_reader {
    const curve_source *source;
    curve_list *list;
    xml_scanner xml;
    uv_places *places;
    double same; /* m */
    int has_view;
    size_t curve_count; /* so far, bad ones too */
    size_t depth;
    svg_element elements[MAX_DEPTH];
} svg_reader;

/* ---- Curves of a shape. */

/* Whether the end of one list of points and the start of another are one place of the surface. */
static ruga_status is_continued(svg_reader *r, const double *end, const double *start, int *same) {
    ruga_surface_point a, b;
    int found;
    *same = 0;
    TRY(uv_places_find(r->places, end[0], end[1], NULL, &a, &found));
    if (!found) return RUGA_OK;
    TRY(uv_places_find(r->places, start[0], start[1], &a, &b, &found));
    if (!found) return RUGA_OK;
    vec3 at = surface_point_at(r->source->mesh, NULL, a);
    *same = vec3_distance(at, surface_point_at(r->source->mesh, NULL, b)) <= r->same;
    return RUGA_OK;
}

/* Pieces from `first` on that are one curve; *behind is the first of the next. A curve that ends at its start is
 * closed. */
static ruga_status gather(svg_reader *r, const svg_pen *pen, size_t first, size_t *behind, int *closed) {
    const double *points = pen->points.items;
    int same = !pen->pieces.items[first].closed;
    size_t next = first + 1;
    *closed = !same;
    while (same && next < pen->pieces.count && !pen->pieces.items[next].closed) {
        size_t begin = pen->pieces.items[next].begin;
        TRY(is_continued(r, points + 2 * (begin - 1), points + 2 * begin, &same));
        next += (size_t)same;
    }
    *behind = next;
    size_t begin = pen->pieces.items[first].begin, end = svg_piece_end(pen, next - 1);
    if (*closed || end - begin < 3) return RUGA_OK;
    return is_continued(r, points + 2 * (end - 1), points + 2 * begin, closed);
}

static ruga_status add_curve(svg_reader *r, const svg_pen *pen, size_t first, size_t behind, int closed,
                             const char *name, size_t number, unsigned line) {
    const curve_source *source = r->source;
    size_t begin = pen->pieces.items[first].begin, end = svg_piece_end(pen, behind - 1);
    ruga_curve_def def = *source->def;
    ruga_curve *curve = NULL;
    char *numbered = NULL;
    r->curve_count++;
    TRY(curve_number_name(source->context, name, *name ? number : r->curve_count, &numbered));
    def.name = numbered;
    def.closed = closed;
    ruga_status status =
        curve_draw_uvs(source->canvas, r->places, pen->points.items + 2 * begin, end - begin, &def, &curve);
    status = curve_fail_at(source, line, status);
    status = curve_list_take(source, r->list, def.name, status, curve);
    memory_release(source->context, numbered);
    return status;
}

static ruga_status add_curves(svg_reader *r, const svg_pen *pen, const char *name, unsigned line) {
    size_t number = 0, behind;
    for (size_t piece = 0; piece < pen->pieces.count; piece = behind) {
        int closed;
        TRY(gather(r, pen, piece, &behind, &closed));
        TRY(add_curve(r, pen, piece, behind, closed, name, ++number, line));
    }
    return RUGA_OK;
}

/* ---- Shapes. */

static int is_one_of(xml_text name, const char *const *names) {
    for (; *names; names++)
        if (xml_is(name, *names)) return 1;
    return 0;
}

/* Lengths in pixels, with or without the unit; `missing` without such an attribute. */
static ruga_status read_lengths(const xml_tag *tag, const svg_pen *pen, const char *const *names, size_t count,
                                double missing, double *lengths) {
    for (size_t i = 0; i < count; i++) {
        xml_text text;
        lengths[i] = missing;
        if (!xml_attribute(tag, names[i], &text)) continue;
        xml_text digits = text;
        if (text.length > 2 && memcmp(text.begin + text.length - 2, "px", 2) == 0) digits.length -= 2;
        if (svg_parse_numbers(digits, 1, &lengths[i]) != 1)
            return fail_input(pen->context, "expected a number for %s, but found \"%.*s\"", names[i],
                              (int)(text.length < 24 ? text.length : 24), text.begin);
    }
    return RUGA_OK;
}

/* Shapes by lengths: a line, a rectangle, a circle, an ellipse. */
static ruga_status draw_lengths(const xml_tag *tag, svg_pen *pen) {
    static const char *const names[4][4] = {
        {"x1", "y1", "x2", "y2"}, {"x", "y", "width", "height"}, {"cx", "cy", "r", "r"}, {"cx", "cy", "rx", "ry"}};
    static const char *const radii[2] = {"rx", "ry"};
    int is_line = xml_is(tag->name, "line"), is_rectangle = xml_is(tag->name, "rect");
    size_t shape = is_line ? 0 : is_rectangle ? 1 : xml_is(tag->name, "circle") ? 2 : 3;
    double lengths[6];
    TRY(read_lengths(tag, pen, names[shape], 4, 0, lengths));
    if (is_line) return svg_draw_line(pen, lengths);
    if (!is_rectangle) return svg_draw_ellipse(pen, lengths);
    TRY(read_lengths(tag, pen, radii, 2, -1, lengths + 4));
    return svg_draw_rectangle(pen, lengths);
}

static ruga_status draw_shape(const xml_tag *tag, svg_pen *pen) {
    xml_text data;
    int is_path = xml_is(tag->name, "path");
    if (!is_path && !xml_is(tag->name, "polyline") && !xml_is(tag->name, "polygon")) return draw_lengths(tag, pen);
    if (!xml_attribute(tag, is_path ? "d" : "points", &data)) return RUGA_OK;
    return is_path ? svg_draw_path(pen, data) : svg_draw_points(pen, data, xml_is(tag->name, "polygon"));
}

static ruga_status read_shape(svg_reader *r, const xml_tag *tag, svg_matrix matrix) {
    ruga_context *context = r->source->context;
    if (!r->has_view)
        return fail_input(context, "%s:%u: this shape is not inside an <svg> with a viewBox", r->source->name,
                          tag->line);
    svg_pen pen = {.context = context, .matrix = matrix};
    /* The name is the label of Inkscape, else the id. */
    xml_text text;
    if (!xml_attribute(tag, "inkscape:label", &text) && !xml_attribute(tag, "id", &text)) text = (xml_text){"", 0};
    char *name = NULL;
    TRY(NEW(context, &name, text.length + 1));
    xml_decode(text, name);
    ruga_status status = curve_fail_at(r->source, tag->line, draw_shape(tag, &pen));
    if (!RUGA_FAILED(status)) status = add_curves(r, &pen, name, tag->line);
    memory_release(context, name);
    svg_pen_release(&pen);
    return status;
}

/* ---- Elements. */

/* A length in any absolute unit: only the ratio of two matters. */
static double length_attribute(const xml_tag *tag, const char *name) {
    xml_text text;
    double value = 0;
    if (!xml_attribute(tag, name, &text)) return 0;
    const char *end = number_parse(text.begin, text.begin + text.length, &value);
    return end > text.begin && (end == text.begin + text.length || *end != '%') ? value : 0;
}

/* From the viewBox to UV. */
static ruga_status read_view(svg_reader *r, const xml_tag *tag, svg_matrix *out) {
    double box[4] = {0, 0, 0, 0};
    xml_text text;
    int given = xml_attribute(tag, "viewBox", &text);
    if (given && svg_parse_numbers(text, 4, box) != 4) box[2] = 0;
    if (!given) box[2] = length_attribute(tag, "width"), box[3] = length_attribute(tag, "height");
    if (!(box[2] > 0 && box[3] > 0) || !isfinite(box[2]) || !isfinite(box[3]))
        return fail_input(
            r->source->context,
            "%s:%u: <svg> needs a viewBox=\"x y width height\" that says which part of the drawing is the "
            "unit square of UV",
            r->source->name, tag->line);
    *out = (svg_matrix){1 / box[2], 0, 0, -1 / box[3], -box[0] / box[2], 1 + box[1] / box[3]};
    r->has_view = 1;
    return RUGA_OK;
}

/* display="none", or display:none among the styles: how programs switch layers off. */
static int is_switched_off(const xml_tag *tag) {
    xml_text text;
    if (xml_attribute(tag, "display", &text) && xml_is(text, "none")) return 1;
    if (!xml_attribute(tag, "style", &text)) return 0;
    const char *at = text.begin, *end = at + text.length;
    while (at < end) {
        const char *semicolon = memchr(at, ';', (size_t)(end - at)), *stop = semicolon ? semicolon : end;
        static const char letters[] = "display:none";
        size_t same = 0;
        for (; at < stop; at++) {
            if (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') continue;
            same = same < sizeof letters && *at == letters[same] ? same + 1 : sizeof letters;
        }
        if (same == sizeof letters - 1) return 1;
        at = stop + 1;
    }
    return 0;
}

static ruga_status begin_element(svg_reader *r, const xml_tag *tag) {
    static const char *const shapes[] = {"path", "polyline", "polygon", "line", "rect", "circle", "ellipse", NULL};
    static const char *const hidden[] = {"defs", "symbol", "clipPath", "mask", "marker", "pattern", NULL};
    const svg_element *parent = r->depth > 0 ? &r->elements[r->depth - 1] : NULL;
    svg_element e = {tag->name, {1, 0, 0, 1, 0, 0}, is_one_of(tag->name, hidden) || is_switched_off(tag)};
    xml_text transform;
    if (parent) e.matrix = parent->matrix, e.is_hidden |= parent->is_hidden;
    if (!r->has_view && xml_is(tag->name, "svg")) TRY(read_view(r, tag, &e.matrix));
    if (xml_attribute(tag, "transform", &transform)) {
        svg_matrix own;
        TRY(curve_fail_at(r->source, tag->line, svg_parse_transform(r->source->context, transform, &own)));
        e.matrix = svg_matrix_multiply(e.matrix, own);
    }
    if (is_one_of(tag->name, shapes) && !e.is_hidden) TRY(read_shape(r, tag, e.matrix));
    if (tag->is_empty) return RUGA_OK;
    if (r->depth == MAX_DEPTH)
        return fail_input(r->source->context, "%s:%u: elements are nested deeper than %d", r->source->name, tag->line,
                          MAX_DEPTH);
    r->elements[r->depth++] = e;
    return RUGA_OK;
}

static ruga_status end_element(svg_reader *r, const xml_tag *tag) {
    const svg_element *open = r->depth > 0 ? &r->elements[r->depth - 1] : NULL;
    if (!open || open->name.length != tag->name.length ||
        memcmp(open->name.begin, tag->name.begin, tag->name.length) != 0)
        return fail_input(r->source->context, "%s:%u: </%.*s> has no start tag", r->source->name, tag->line,
                          (int)fmin(40, (double)tag->name.length), tag->name.begin);
    r->depth--;
    return RUGA_OK;
}

static ruga_status read_elements(svg_reader *r) {
    for (;;) {
        xml_tag tag;
        TRY(xml_next(&r->xml, &tag));
        if (tag.name.length == 0) break;
        TRY(tag.is_end ? end_element(r, &tag) : begin_element(r, &tag));
    }
    if (r->depth > 0 || !r->has_view)
        return fail_input(r->source->context, "%s:%u: %s", r->source->name, r->xml.line,
                          r->has_view ? "the text ends within an element" : "it has no <svg>");
    return RUGA_OK;
}

ruga_status curve_svg_read(const curve_source *source, curve_list *list) {
    const char *text = (const char *)source->bytes;
    svg_reader *r = NULL;
    TRY(NEW_ZEROED(source->context, &r, 1));
    r->source = source;
    r->list = list;
    r->xml = (xml_scanner){source->context, source->name, text, text + source->size, 1};
    r->same = SAME_PLACE * curve_default_reach(source->mesh);
    r->places = source->places;
    uv_places own;
    ruga_status status = r->places ? RUGA_OK : uv_places_make(source->mesh, r->places = &own);
    if (status == RUGA_ERROR_INPUT) status = curve_fail_at(source, 1, status);
    if (!RUGA_FAILED(status)) {
        status = read_elements(r);
        if (!source->places) uv_places_release(&own);
    }
    memory_release(source->context, r);
    return status;
}

/* ---- Writing. */

typedef struct svg_writer {
    const curve_target *target;
    uv_places places;
    tracer t;
} svg_writer;

static ruga_status write_spot(file *out, char command, vec3 uv) {
    char x[NUMBER_CAPACITY], y[NUMBER_CAPACITY];
    number_print(uv.x, x);
    number_print(1 - uv.y, y);
    return file_print(out, "%c%s %s", command, x, y);
}

static vec3 uv_in(const svg_writer *w, uint32_t triangle, ruga_surface_point point) {
    ruga_surface_point here = surface_point_in(&w->t, triangle, point);
    vec3 uv = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        if (here.weights[k] > 0)
            uv = vec3_add_scaled(uv, w->places.corners[3 * (size_t)triangle + (size_t)k], here.weights[k]);
    return uv;
}

static int is_near(const svg_writer *w, vec3 a, vec3 b) { return vec3_distance(a, b) <= 1e-9 * w->places.size; }

/* Straight pieces by the UVs of the triangle that both ends share; a jump starts a new piece. */
static ruga_status write_pieces(const svg_writer *w, const ruga_curve *curve) {
    size_t count = curve->point_count, pieces = count - (curve->closed ? 0 : 1);
    vec3 first = {NAN, NAN, 0}, last = first;
    uint32_t triangle = NO_INDEX;
    int jumps = 0;
    for (size_t i = 0; count > 1 && i < pieces; i++) {
        ruga_surface_point from = curve->points[i], to = curve->points[(i + 1) % count];
        triangle = trace_shared_triangle(&w->t, from, to, triangle);
        if (triangle == NO_INDEX)
            return fail_input(w->target->context,
                              "curve \"%s\": its points %zu and %zu lie in no common triangle; trace it over the "
                              "surface first",
                              curve->name, i, i + 1);
        vec3 a = uv_in(w, triangle, from), b = uv_in(w, triangle, to);
        if (!vec3_is_finite(a) || !vec3_is_finite(b))
            return fail_input(w->target->context,
                              "curve \"%s\": at point %zu it runs over triangle %u, which has no uv", curve->name, i,
                              triangle);
        if (!is_near(w, a, last)) {
            TRY(write_spot(w->target->out, 'M', a));
            if (jumps++ == 0) first = a;
        }
        if (curve->closed && i + 1 == pieces && jumps == 1 && is_near(w, b, first))
            TRY(file_print(w->target->out, "Z"));
        else
            TRY(write_spot(w->target->out, 'L', b));
        last = b;
    }
    return RUGA_OK;
}

/* A name within quotes. */
static ruga_status write_escaped(file *out, const char *text) {
    for (; *text; text++) {
        if (strchr("&<>\"", *text))
            TRY(file_print(out, "&#%d;", *text));
        else
            TRY(file_write(out, (unsigned char)*text < ' ' ? " " : text, 1));
    }
    return RUGA_OK;
}

static ruga_status write_curves(const svg_writer *w) {
    file *out = w->target->out;
    TRY(file_print(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                   "xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\"\n"
                   "     width=\"1024\" height=\"1024\" viewBox=\"0 0 1 1\">\n"
                   "<g fill=\"none\" stroke=\"black\" stroke-width=\"0.002\">\n"));
    for (size_t i = 0; i < w->target->count; i++) {
        TRY(file_print(out, "<path id=\"curve%zu\" inkscape:label=\"", i + 1));
        TRY(write_escaped(out, w->target->curves[i]->name));
        TRY(file_print(out, "\" d=\""));
        TRY(write_pieces(w, w->target->curves[i]));
        TRY(file_print(out, "\"/>\n"));
    }
    return file_print(out, "</g>\n</svg>\n");
}

ruga_status curve_svg_write(const curve_target *target) {
    svg_writer w = {.target = target};
    TRY(uv_places_make(target->mesh, &w.places));
    ruga_status status = tracer_make(target->mesh, &w.t);
    if (!RUGA_FAILED(status)) {
        status = write_curves(&w);
        tracer_release(&w.t);
    }
    uv_places_release(&w.places);
    return status;
}
