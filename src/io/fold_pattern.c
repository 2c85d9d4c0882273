/* Patterns by formula, their creases, and FOLD files from them: see fold.h. */
#include <math.h>
#include <string.h>

#include "io/fold.h"
#include "ruga/text.h"

#define DEGREE (3.14159265358979323846 / 180)
#define STRAIGHT 1e-6 /* rad */

/* ---- Miura. */

typedef struct miura {
    const fold_miura *def;
    fold_pattern *out;
} miura;

/* Vertices in rows of columns + 1: on the left border, on the zigzags, on the right border. */
static uint32_t vertex_at(const miura *m, int row, int column) {
    return (uint32_t)(row * (m->def->columns + 1) + column);
}

static void add_edge(const miura *m, uint32_t a, uint32_t b, double angle, int is_border) {
    fold_kind kind = is_border ? FOLD_BORDER : angle < 0 ? FOLD_MOUNTAIN : FOLD_VALLEY;
    m->out->edges[m->out->edge_count++] = (fold_edge){{a, b}, kind, is_border ? 0 : angle};
}

ruga_status fold_make_miura(ruga_context *context, const fold_miura *def, fold_pattern *out) {
    miura m = {def, out};
    int columns = def->columns, rows = def->rows;
    double height = def->height / rows, shift = height / tan(def->angle * DEGREE), width = def->width / columns;
    double zigzag = def->fold, straight = 2 / DEGREE * atan(cos(def->angle * DEGREE) * tan(def->fold * DEGREE / 2));
    *out = (fold_pattern){.context = context};
    if (!(columns >= 2 && rows >= 2 && def->angle > 0 && def->angle < 90 && def->fold >= 0 && def->fold <= 180))
        return fail_argument(context, "a Miura fold of %d x %d, angle %g, fold %g", columns, rows, def->angle,
                             def->fold);
    if (!(shift < width))
        return fail_input(context,
                          "the zigzags of the Miura fold are %g wide, but only %g apart; give it fewer columns, more "
                          "rows, or an angle nearer to 90 degrees",
                          shift, width);
    TRY(NEW(context, &out->vertices, (size_t)(rows + 1) * (size_t)(columns + 1)));
    TRY_OR(NEW(context, &out->edges, 4 * (size_t)(rows + 1) * (size_t)(columns + 1)), fold_release(out));
    for (int i = 0; i <= rows; i++)
        for (int j = 0; j <= columns; j++) {
            double x = j == 0 ? 0 : j == columns ? def->width : j * width + (i % 2 ? 0.5 : -0.5) * shift;
            out->vertices[out->vertex_count++] = (vec2){x, i == rows ? def->height : i * height};
        }
    for (int i = 0; i <= rows; i++)
        for (int j = 0; j < columns; j++) {
            /* The crease to the right of zigzag j. Where both neighbours of the zigzag's vertex in this row lie to its
             * right, this crease is between two sharp angles, and folds against the zigzag; zigzag 1 is a valley. */
            double sign = (i % 2 ? 1 : -1) * (j % 2 ? 1 : -1);
            add_edge(&m, vertex_at(&m, i, j), vertex_at(&m, i, j + 1), sign * straight, i == 0 || i == rows);
        }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j <= columns; j++)
            add_edge(&m, vertex_at(&m, i, j), vertex_at(&m, i + 1, j), (j % 2 ? 1 : -1) * zigzag,
                     j == 0 || j == columns);
    return RUGA_OK;
}

/* ---- Creases. */

static int is_crease(const fold_edge *e) {
    return e->kind == FOLD_MOUNTAIN || e->kind == FOLD_VALLEY || e->kind == FOLD_UNASSIGNED;
}

static int is_alike(const fold_edge *e, const fold_edge *f) {
    return e->kind == f->kind && (e->angle == f->angle || (isnan(e->angle) && isnan(f->angle)));
}

static vec2 direction_from(const fold_pattern *p, const fold_edge *e, uint32_t vertex) {
    vec2 a = p->vertices[vertex], b = p->vertices[e->ends[e->ends[0] == vertex]];
    double length = hypot(b.x - a.x, b.y - a.y);
    return (vec2){(b.x - a.x) / length, (b.y - a.y) / length};
}

typedef struct crease_finder {
    const fold_pattern *p;
    uint32_t *offsets;       /* (vertices + 1) into `around` */
    uint32_t *around;        /* creases at each vertex */
    unsigned char *is_plain; /* (vertices) all creases pass straight through */
    unsigned char *is_used;  /* (edges) */
} crease_finder;

/* The crease that continues an edge straight beyond a vertex; UINT32_MAX: none. */
static uint32_t continuation(const crease_finder *f, uint32_t edge, uint32_t vertex) {
    const fold_edge *e = &f->p->edges[edge];
    vec2 t = direction_from(f->p, e, vertex);
    for (uint32_t k = f->offsets[vertex]; k < f->offsets[vertex + 1]; k++) {
        const fold_edge *other = &f->p->edges[f->around[k]];
        vec2 u = direction_from(f->p, other, vertex);
        if (f->around[k] != edge && is_alike(e, other) && hypot(t.x + u.x, t.y + u.y) < STRAIGHT) return f->around[k];
    }
    return UINT32_MAX;
}

static ruga_status find_around(crease_finder *f) {
    const fold_pattern *p = f->p;
    TRY(NEW_ZEROED(p->context, &f->offsets, p->vertex_count + 2));
    TRY(NEW(p->context, &f->around, 2 * p->edge_count + 1));
    TRY(NEW_ZEROED(p->context, &f->is_plain, p->vertex_count + 1));
    TRY(NEW_ZEROED(p->context, &f->is_used, p->edge_count + 1));
    for (size_t e = 0; e < p->edge_count; e++)
        for (int k = 0; k < 2; k++) f->offsets[p->edges[e].ends[k] + 2] += (uint32_t)is_crease(&p->edges[e]);
    for (size_t v = 0; v <= p->vertex_count; v++) f->offsets[v + 1] += f->offsets[v];
    for (uint32_t e = 0; e < p->edge_count; e++)
        for (int k = 0; k < 2 && is_crease(&p->edges[e]); k++) f->around[f->offsets[p->edges[e].ends[k] + 1]++] = e;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        f->is_plain[v] = 1;
        for (uint32_t k = f->offsets[v]; k < f->offsets[v + 1] && f->is_plain[v]; k++)
            f->is_plain[v] = continuation(f, f->around[k], v) != UINT32_MAX;
    }
    return RUGA_OK;
}

/* From an edge and one of its ends as far as creases pass straight through. */
static ruga_status follow(crease_finder *f, uint32_t edge, uint32_t from, fold_creases *out) {
    const fold_pattern *p = f->p;
    fold_crease crease = {out->vertices.count, 1, p->edges[edge].kind, p->edges[edge].angle, edge};
    TRY(ARRAY_ADD(p->context, &out->vertices, from));
    while (edge != UINT32_MAX && !f->is_used[edge]) {
        f->is_used[edge] = 1;
        from = p->edges[edge].ends[p->edges[edge].ends[0] == from];
        TRY(ARRAY_ADD(p->context, &out->vertices, from));
        crease.count++;
        edge = f->is_plain[from] ? continuation(f, edge, from) : UINT32_MAX;
    }
    return ARRAY_ADD(p->context, &out->creases, crease);
}

static ruga_status find_creases(crease_finder *f, fold_creases *out) {
    const fold_pattern *p = f->p;
    TRY(find_around(f));
    /* Straight chains have two ends: every crease is found from one of them. */
    for (uint32_t e = 0; e < p->edge_count; e++)
        for (int k = 0; k < 2; k++) {
            uint32_t v = p->edges[e].ends[k];
            if (is_crease(&p->edges[e]) && !f->is_used[e] && !f->is_plain[v]) TRY(follow(f, e, v, out));
        }
    return RUGA_OK;
}

ruga_status fold_find_creases(const fold_pattern *pattern, fold_creases *out) {
    crease_finder f = {.p = pattern};
    *out = (fold_creases){.context = pattern->context};
    ruga_status status = find_creases(&f, out);
    RELEASE_ALL(pattern->context, f.offsets, f.around, f.is_plain, f.is_used);
    if (RUGA_FAILED(status)) fold_creases_release(out);
    return status;
}

void fold_creases_release(fold_creases *c) {
    ARRAY_RELEASE(c->context, &c->creases);
    ARRAY_RELEASE(c->context, &c->vertices);
}

/* ---- Writing. */

static void write_edges(const fold_pattern *p, ruga_json_writer *w) {
    static const char *const letters[] = {"B", "M", "V", "F", "U"};
    ruga_json_put_array(w, "edges_vertices");
    for (size_t i = 0; i < p->edge_count; i++) {
        ruga_json_begin_array(w);
        for (int k = 0; k < 2; k++) ruga_json_integer(w, p->edges[i].ends[k]);
        ruga_json_end_array(w);
    }
    ruga_json_end_array(w);
    ruga_json_put_array(w, "edges_assignment");
    for (size_t i = 0; i < p->edge_count; i++) ruga_json_string(w, letters[p->edges[i].kind]);
    ruga_json_end_array(w);
    ruga_json_put_array(w, "edges_foldAngle");
    for (size_t i = 0; i < p->edge_count; i++)
        if (isnan(p->edges[i].angle))
            ruga_json_string(w, NULL);
        else
            ruga_json_number(w, p->edges[i].angle);
    ruga_json_end_array(w);
}

ruga_status fold_write(const fold_pattern *pattern, const char *title, char **text, size_t *size) {
    ruga_json_writer *w = NULL;
    const char *made;
    TRY(ruga_json_writer_create(pattern->context, 0, &w));
    ruga_json_begin_object(w);
    ruga_json_put_number(w, "file_spec", 1.1);
    ruga_json_put_string(w, "file_creator", "ruga");
    ruga_json_put_string(w, "frame_title", title);
    ruga_json_put_array(w, "frame_classes");
    ruga_json_string(w, "creasePattern");
    ruga_json_end_array(w);
    ruga_json_put_array(w, "vertices_coords");
    for (size_t i = 0; i < pattern->vertex_count; i++) {
        ruga_json_begin_array(w);
        ruga_json_number(w, pattern->vertices[i].x);
        ruga_json_number(w, pattern->vertices[i].y);
        ruga_json_end_array(w);
    }
    ruga_json_end_array(w);
    write_edges(pattern, w);
    ruga_json_end_object(w);
    ruga_status status = ruga_json_finish(w, &made, size);
    if (!RUGA_FAILED(status)) status = NEW_COPY(pattern->context, text, made, *size + 1);
    ruga_json_writer_destroy(w);
    return status;
}
