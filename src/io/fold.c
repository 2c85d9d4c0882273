/* FOLD files: see fold.h. */
#include "io/fold.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define TOUCH 1e-9 /* of the pattern's size: nearer than this is a common point */
#define PLANE 1e-9 /* the same, for coordinates that are constant */

typedef struct fold_reader {
    ruga_context *context;
    const char *name;
    const json_value *frame;
    fold_pattern *out;
    double size; /* of the pattern */
} fold_reader;

static ruga_status fail_at(const fold_reader *r, const json_value *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static ruga_status fail_at(const fold_reader *r, const json_value *at, const char *format, ...) {
    char message[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail_input(r->context, "%s:%u:%u: %s", r->name, at->line, at->column, message);
}

/* A list of the frame; NULL: there is none. */
static ruga_status find_list(const fold_reader *r, const char *key, const json_value **out) {
    const json_value *list = json_member(r->frame, key);
    *out = list;
    if (!list || list->type == JSON_ARRAY) return RUGA_OK;
    return fail_at(r, list, "\"%s\" is %s; expected a list", key, json_type_name(list->type));
}

/* ---- Frames. */

static int has_class(const json_value *frame, const char *name) {
    const json_value *classes = json_member(frame, "frame_classes");
    if (!classes || classes->type != JSON_ARRAY) return 0;
    for (const json_value *c = classes->first; c; c = c->next)
        if (c->type == JSON_STRING && strcmp(c->text, name) == 0) return 1;
    return 0;
}

static int is_pattern(const json_value *frame) {
    return json_member(frame, "vertices_coords") && json_member(frame, "edges_vertices");
}

static ruga_status find_frame(fold_reader *r, const json_value *root) {
    const json_value *frames = json_member(root, "file_frames");
    if (is_pattern(root)) r->frame = root;
    if (frames && frames->type != JSON_ARRAY)
        return fail_at(r, frames, "\"file_frames\" is %s; expected a list", json_type_name(frames->type));
    for (const json_value *f = frames ? frames->first : NULL; f; f = f->next) {
        if (!is_pattern(f) || (r->frame && has_class(r->frame, "creasePattern"))) continue;
        if (!r->frame || has_class(f, "creasePattern")) r->frame = f;
    }
    if (r->frame) return RUGA_OK;
    return fail_at(r, root, "no frame has \"vertices_coords\" and \"edges_vertices\"; is this a FOLD file?");
}

/* ---- Vertices. */

/* Which two of three coordinates span the plane: the one that is constant is left out, the last of them first. */
static ruga_status choose_plane(const fold_reader *r, const json_value *list, const double *coordinates, int axes[2],
                                double *sign) {
    double low[3], high[3], size = 0;
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (size_t i = 0; i < list->count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], coordinates[3 * i + (size_t)k]);
            high[k] = fmax(high[k], coordinates[3 * i + (size_t)k]);
        }
    for (int k = 0; k < 3; k++) size = fmax(size, high[k] - low[k]);
    *sign = 1;
    if (high[2] - low[2] <= PLANE * size) {
        axes[0] = 0, axes[1] = 1;
    } else if (high[1] - low[1] <= PLANE * size) {
        axes[0] = 0, axes[1] = 2, *sign = -1; /* seen from above */
    } else if (high[0] - low[0] <= PLANE * size) {
        axes[0] = 1, axes[1] = 2;
    } else {
        return fail_at(r, list,
                       "the vertices are not in a plane along two axes (their box is %g x %g x %g); a crease pattern "
                       "must be flat",
                       high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    }
    return RUGA_OK;
}

static ruga_status read_vertices(fold_reader *r) {
    const json_value *list = NULL;
    double *coordinates = NULL, sign = 1;
    int axes[2] = {0, 1};
    size_t i = 0;
    TRY(find_list(r, "vertices_coords", &list));
    TRY(NEW_ZEROED(r->context, &coordinates, 3 * (size_t)list->count + 1));
    ruga_status status = NEW(r->context, &r->out->vertices, (size_t)list->count + 1);
    for (const json_value *v = list->first; v && !RUGA_FAILED(status); v = v->next, i++) {
        size_t k = 0;
        if (v->type != JSON_ARRAY || v->count < 2 || v->count > 3) {
            status = fail_at(r, v, "vertex %zu has %s; expected two or three coordinates", i,
                             v->type == JSON_ARRAY ? "another number of them" : json_type_name(v->type));
            break;
        }
        for (const json_value *c = v->first; c && !RUGA_FAILED(status); c = c->next) {
            if (c->type != JSON_NUMBER)
                status = fail_at(r, c, "a coordinate of vertex %zu is %s", i, json_type_name(c->type));
            else if (!(fabs(c->number) < 1e100))
                status = fail_at(r, c, "a coordinate of vertex %zu is %g, too large", i, c->number);
            else
                coordinates[3 * i + k++] = c->number;
        }
    }
    if (!RUGA_FAILED(status)) status = choose_plane(r, list, coordinates, axes, &sign);
    vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (i = 0; i < list->count && !RUGA_FAILED(status); i++) {
        vec2 at = {coordinates[3 * i + (size_t)axes[0]], sign * coordinates[3 * i + (size_t)axes[1]]};
        low = (vec2){fmin(low.x, at.x), fmin(low.y, at.y)};
        high = (vec2){fmax(high.x, at.x), fmax(high.y, at.y)};
        r->out->vertices[i] = at;
    }
    memory_release(r->context, coordinates);
    TRY(status);
    r->out->vertex_count = list->count;
    r->size = fmax(high.x - low.x, high.y - low.y);
    if (list->count >= 3 && high.x > low.x && high.y > low.y) return RUGA_OK;
    return fail_at(r, list, "a pattern needs at least three vertices that are not on one line along an axis");
}

/* ---- Edges. */

static ruga_status read_ends(const fold_reader *r, const json_value *edge, size_t number, uint32_t ends[2]) {
    if (edge->type != JSON_ARRAY || edge->count != 2)
        return fail_at(r, edge, "edge %zu: expected two vertices", number);
    for (size_t k = 0; k < 2; k++) {
        const json_value *end = json_item(edge, k);
        int64_t vertex;
        if (!json_whole(end, 0, (double)r->out->vertex_count - 1, &vertex))
            return fail_at(r, end, "edge %zu: expected a vertex from 0 to %zu", number, r->out->vertex_count - 1);
        ends[k] = (uint32_t)vertex;
    }
    vec2 a = r->out->vertices[ends[0]], b = r->out->vertices[ends[1]];
    if (ends[0] == ends[1] || !(hypot(b.x - a.x, b.y - a.y) > TOUCH * r->size))
        return fail_at(r, edge, "edge %zu has no length", number);
    return RUGA_OK;
}

static ruga_status read_kind(const fold_reader *r, const json_value *value, size_t number, fold_kind *out) {
    static const char letters[] = "BMVFJU";
    static const fold_kind kinds[] = {FOLD_BORDER, FOLD_MOUNTAIN, FOLD_VALLEY, FOLD_FLAT, FOLD_FLAT, FOLD_UNASSIGNED};
    const char *found = value->type == JSON_STRING && value->length == 1 ? strchr(letters, value->text[0]) : NULL;
    if (found && *found) {
        *out = kinds[found - letters];
        return RUGA_OK;
    }
    if (value->type == JSON_STRING && strcmp(value->text, "C") == 0)
        return fail_at(r, value, "edge %zu is a cut (C); cuts are not supported: give a mesh that has them", number);
    return fail_at(r, value, "edge %zu: expected the assignment B, M, V, F, J or U", number);
}

static ruga_status read_angle(const fold_reader *r, const json_value *value, size_t number, double *out) {
    *out = NAN;
    if (value->type == JSON_NULL) return RUGA_OK;
    if (value->type != JSON_NUMBER || !(fabs(value->number) <= 180))
        return fail_at(r, value, "edge %zu: expected an angle from -180 to 180 degrees, or null", number);
    *out = value->number;
    return RUGA_OK;
}

static ruga_status check_angle(const fold_reader *r, const json_value *at, size_t number, const fold_edge *e) {
    static const char *const names[] = {"on the border", "a mountain", "a valley", "flat", "unassigned"};
    int fits = isnan(e->angle) || e->kind == FOLD_UNASSIGNED || (e->kind == FOLD_MOUNTAIN && e->angle <= 0) ||
               (e->kind == FOLD_VALLEY && e->angle >= 0) || e->angle == 0;
    if (fits) return RUGA_OK;
    return fail_at(r, at, "edge %zu is %s, but its fold angle is %g degrees; %s", number, names[e->kind], e->angle,
                   e->kind == FOLD_MOUNTAIN || e->kind == FOLD_VALLEY
                       ? "mountains are negative, valleys positive"
                       : "give it the angle 0 or null, or the assignment M, V or U");
}

static ruga_status read_edges(fold_reader *r) {
    const json_value *ends = NULL, *kinds = NULL, *angles = NULL;
    size_t i = 0;
    TRY(find_list(r, "edges_vertices", &ends));
    TRY(find_list(r, "edges_assignment", &kinds));
    TRY(find_list(r, "edges_foldAngle", &angles));
    if (!kinds && !angles)
        return fail_at(r, ends, "the edges have neither \"edges_assignment\" nor \"edges_foldAngle\"");
    if (kinds && kinds->count != ends->count)
        return fail_at(r, kinds, "%u edges have %u assignments", ends->count, kinds->count);
    if (angles && angles->count != ends->count)
        return fail_at(r, angles, "%u edges have %u fold angles", ends->count, angles->count);
    TRY(NEW_ZEROED(r->context, &r->out->edges, (size_t)ends->count + 1));
    const json_value *kind = kinds ? kinds->first : NULL, *angle = angles ? angles->first : NULL;
    for (const json_value *e = ends->first; e; e = e->next, i++) {
        fold_edge *edge = &r->out->edges[i];
        TRY(read_ends(r, e, i, edge->ends));
        edge->angle = NAN;
        if (angle) TRY(read_angle(r, angle, i, &edge->angle));
        if (kind) {
            TRY(read_kind(r, kind, i, &edge->kind));
            TRY(check_angle(r, angle ? angle : kind, i, edge));
        } else {
            double a = isnan(edge->angle) ? 0 : edge->angle;
            edge->kind = a < 0 ? FOLD_MOUNTAIN : a > 0 ? FOLD_VALLEY : FOLD_FLAT;
        }
        kind = kind ? kind->next : NULL;
        angle = angle ? angle->next : NULL;
    }
    r->out->edge_count = ends->count;
    return RUGA_OK;
}

/* ---- Checks. */

static double side_of(vec2 a, vec2 b, vec2 p) {
    return ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)) / hypot(b.x - a.x, b.y - a.y);
}

/* Whether a point lies on a segment, not at its ends. */
static int is_within(vec2 a, vec2 b, vec2 p, double near) {
    double length = hypot(b.x - a.x, b.y - a.y);
    double along = ((b.x - a.x) * (p.x - a.x) + (b.y - a.y) * (p.y - a.y)) / length;
    return fabs(side_of(a, b, p)) <= near && along > near && along < length - near;
}

static int edges_meet(const fold_pattern *p, const fold_edge *e, const fold_edge *f, double near) {
    vec2 a = p->vertices[e->ends[0]], b = p->vertices[e->ends[1]], c = p->vertices[f->ends[0]],
         d = p->vertices[f->ends[1]];
    if (is_within(a, b, c, near) || is_within(a, b, d, near) || is_within(c, d, a, near) || is_within(c, d, b, near))
        return 1;
    double s = side_of(a, b, c), t = side_of(a, b, d), u = side_of(c, d, a), v = side_of(c, d, b);
    return fmin(fabs(s), fabs(t)) > near && fmin(fabs(u), fabs(v)) > near && s * t < 0 && u * v < 0;
}

static int is_same_edge(const fold_edge *e, const fold_edge *f) {
    return (e->ends[0] == f->ends[0] && e->ends[1] == f->ends[1]) ||
           (e->ends[0] == f->ends[1] && e->ends[1] == f->ends[0]);
}

typedef struct edge_span {
    double low, high; /* x */
    uint32_t edge;
} edge_span;

static int compare_spans(const void *a, const void *b) {
    const edge_span *s = a, *t = b;
    return s->low != t->low ? (s->low < t->low ? -1 : 1) : s->edge < t->edge ? -1 : s->edge > t->edge;
}

/* A sweep along x. */
static ruga_status check_crossings(const fold_reader *r, const json_value *at) {
    const fold_pattern *p = r->out;
    edge_span *spans = NULL;
    ruga_status status = RUGA_OK;
    double near = TOUCH * r->size;
    TRY(NEW(r->context, &spans, p->edge_count + 1));
    for (size_t i = 0; i < p->edge_count; i++) {
        double x = p->vertices[p->edges[i].ends[0]].x, y = p->vertices[p->edges[i].ends[1]].x;
        spans[i] = (edge_span){fmin(x, y), fmax(x, y), (uint32_t)i};
    }
    qsort(spans, p->edge_count, sizeof *spans, compare_spans);
    for (size_t i = 0; i < p->edge_count && !RUGA_FAILED(status); i++)
        for (size_t j = i + 1; j < p->edge_count && spans[j].low <= spans[i].high + near; j++) {
            const fold_edge *e = &p->edges[spans[i].edge], *f = &p->edges[spans[j].edge];
            uint32_t first = spans[i].edge < spans[j].edge ? spans[i].edge : spans[j].edge;
            uint32_t second = spans[i].edge + spans[j].edge - first;
            if (is_same_edge(e, f)) {
                status = fail_at(r, json_item(at, second),
                                 "edge %u joins the same vertices as edge %u; remove one of them", second, first);
                break;
            }
            if (!edges_meet(p, e, f, near)) continue;
            status = fail_at(r, json_item(at, second),
                             "edges %u and %u cross or touch without a common vertex; split them there", first, second);
            break;
        }
    memory_release(r->context, spans);
    return status;
}

static int compare_numbers(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static uint64_t edge_number(uint32_t a, uint32_t b) { return (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a); }

/* Faces are optional; their sides must be edges. */
static ruga_status check_faces(const fold_reader *r) {
    const json_value *faces = NULL;
    const fold_pattern *p = r->out;
    uint64_t *edges = NULL;
    ruga_status status = RUGA_OK;
    size_t i = 0;
    TRY(find_list(r, "faces_vertices", &faces));
    if (!faces) return RUGA_OK;
    TRY(NEW(r->context, &edges, p->edge_count + 1));
    for (size_t e = 0; e < p->edge_count; e++) edges[e] = edge_number(p->edges[e].ends[0], p->edges[e].ends[1]);
    qsort(edges, p->edge_count, sizeof *edges, compare_numbers);
    for (const json_value *f = faces->first; f && !RUGA_FAILED(status); f = f->next, i++) {
        int64_t before, vertex;
        if (f->type != JSON_ARRAY || f->count < 3 ||
            !json_whole(json_item(f, f->count - 1), 0, (double)p->vertex_count - 1, &before)) {
            status = fail_at(r, f, "face %zu: expected at least three vertices from 0 to %zu", i, p->vertex_count - 1);
            break;
        }
        for (const json_value *v = f->first; v; v = v->next) {
            if (!json_whole(v, 0, (double)p->vertex_count - 1, &vertex)) {
                status = fail_at(r, v, "face %zu: expected a vertex from 0 to %zu", i, p->vertex_count - 1);
                break;
            }
            uint64_t side = edge_number((uint32_t)before, (uint32_t)vertex);
            if (!bsearch(&side, edges, p->edge_count, sizeof *edges, compare_numbers)) {
                status = fail_at(r, v, "face %zu has a side from vertex %lld to %lld, which is no edge", i,
                                 (long long)before, (long long)vertex);
                break;
            }
            before = vertex;
        }
    }
    memory_release(r->context, edges);
    return status;
}

static ruga_status read_all(fold_reader *r, const json_value *root) {
    if (root->type != JSON_OBJECT) return fail_at(r, root, "expected an object; is this a FOLD file?");
    TRY(find_frame(r, root));
    TRY(read_vertices(r));
    TRY(read_edges(r));
    TRY(check_crossings(r, json_member(r->frame, "edges_vertices")));
    return check_faces(r);
}

ruga_status fold_read(ruga_context *context, const char *name, const char *text, size_t size, fold_pattern *out) {
    json_document *document = NULL;
    fold_reader r = {.context = context, .name = name, .out = out};
    *out = (fold_pattern){.context = context};
    TRY(json_parse(context, name, text, size, 0, &document));
    ruga_status status = read_all(&r, json_root(document));
    json_destroy(document);
    if (RUGA_FAILED(status)) fold_release(out);
    return status;
}

void fold_release(fold_pattern *pattern) {
    RELEASE_ALL(pattern->context, pattern->vertices, pattern->edges);
    *pattern = (fold_pattern){.context = pattern->context};
}
