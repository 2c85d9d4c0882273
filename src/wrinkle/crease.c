/* The ridge binding of creases: see crease.h. */
#include "wrinkle/crease.h"

#include <math.h>

#include "linalg/map.h"
#include "math/vec3.h"

#define SNAP 1e-6         /* of the cut: positions of crossings, not of edges */
#define STRAIGHT 1e-9     /* length of what is left of a basis vector that depends on those before it */
#define MOST_ENTRIES 1024 /* rays that may meet in a star */

crease_def crease_def_default(void) { return (crease_def){.spacing = 2}; }

/* ---- Stars. */

/* A basis of the null space of [n_1 … n_k], by rows; *count vectors, (k x k) room. Projections of unit vectors onto the
 * space, each made orthogonal to those before it. */
static void null_space(const cut_star *star, double *basis, size_t *count) {
    size_t k = star->ray_count;
    *count = 0;
    for (size_t i = 0; i < k; i++) {
        double *row = basis + *count * k;
        for (size_t j = 0; j < k; j++) row[j] = i == j;
        for (int round = 0; round < 2; round++) {
            /* The two rows of N, made orthogonal, then the vectors so far. */
            double first[2][MOST_ENTRIES], length2[2] = {0, 0}, mixed = 0;
            for (size_t j = 0; j < k; j++) {
                first[0][j] = -star->rays[j].direction.y;
                first[1][j] = star->rays[j].direction.x;
                length2[0] += first[0][j] * first[0][j];
                mixed += first[0][j] * first[1][j];
            }
            for (size_t j = 0; j < k && length2[0] > STRAIGHT; j++) first[1][j] -= mixed / length2[0] * first[0][j];
            for (size_t j = 0; j < k; j++) length2[1] += first[1][j] * first[1][j];
            for (int r = 0; r < 2; r++) {
                double dot = 0;
                for (size_t j = 0; j < k; j++) dot += first[r][j] * row[j];
                for (size_t j = 0; j < k && length2[r] > STRAIGHT; j++) row[j] -= dot / length2[r] * first[r][j];
            }
            for (size_t b = 0; b < *count; b++) {
                double dot = 0;
                for (size_t j = 0; j < k; j++) dot += basis[b * k + j] * row[j];
                for (size_t j = 0; j < k; j++) row[j] -= dot * basis[b * k + j];
            }
        }
        double length = 0;
        for (size_t j = 0; j < k; j++) length += row[j] * row[j];
        length = sqrt(length);
        if (length < 1e-6) continue;
        for (size_t j = 0; j < k; j++) row[j] /= length;
        (*count)++;
    }
}

/* ---- Knots. */

typedef struct star_basis {
    double *rows; /* (count x rays) B, transposed */
    size_t count;
    uint32_t first; /* unknown */
} star_basis;

typedef struct binder {
    crease *c;
    const crease_def *def;
    size_t vertex_count; /* of the mesh: the first unknowns */
    uint32_t next;       /* unknown */
    star_basis *bases;   /* (stars) */
} binder;

/* The unknowns of stars come first. */
static ruga_status make_bases(binder *b) {
    ruga_context *context = b->c->context;
    TRY(NEW_ZEROED(context, &b->bases, b->c->lines.star_count));
    for (size_t i = 0; i < b->c->lines.star_count; i++) {
        const cut_star *star = &b->c->lines.stars[i];
        star_basis *basis = &b->bases[i];
        if (star->ray_count > MOST_ENTRIES)
            return fail_input(context, "curve \"%s\", in triangle %u: %zu creases meet in one point; at most %d can",
                              b->c->lines.lines[star->rays[0].line].trace->name, star->at.triangle, star->ray_count,
                              MOST_ENTRIES);
        TRY(NEW(context, &basis->rows, star->ray_count * star->ray_count));
        null_space(star, basis->rows, &basis->count);
        basis->first = b->next;
        b->next += (uint32_t)basis->count;
    }
    return RUGA_OK;
}

/* The row of a knot at an end of a line that is no border. */
static ruga_status end_knot(binder *b, uint32_t line, int end, crease_ridge *ridge, size_t *entries) {
    const cut_line *l = &b->c->lines.lines[line];
    if (l->ends[end] != CUT_STAR) return RUGA_OK; /* D is 0 */
    const cut_star *star = &b->c->lines.stars[l->stars[end]];
    const star_basis *basis = &b->bases[l->stars[end]];
    for (size_t r = 0; r < star->ray_count; r++) {
        if (star->rays[r].line != line || star->rays[r].end != end) continue;
        for (size_t m = 0; m < basis->count; m++) {
            ridge->unknowns[*entries] = basis->first + (uint32_t)m;
            ridge->weights[(*entries)++] = basis->rows[m * star->ray_count + r];
        }
    }
    return RUGA_OK;
}

static size_t end_entries(const binder *b, const cut_line *l, int end) {
    return l->closed || l->ends[end] != CUT_STAR ? 1 : b->bases[l->stars[end]].count;
}

static ruga_status make_ridge(binder *b, uint32_t line) {
    const cut_line *l = &b->c->lines.lines[line];
    crease_ridge *ridge = &b->c->ridges[line];
    ruga_context *context = b->c->context;
    const double(*range)[2] = (const double(*)[2])b->c->solid.ranges;
    double from = range ? range[line][0] : 0, length = range ? range[line][1] - from : l->length;
    double pieces = fmax(l->closed ? 3 : 1, round(length / (b->def->spacing * l->edge)));
    size_t entries = 0;
    ridge->knot_count = (size_t)pieces + (l->closed ? 0 : 1);
    ridge->from = from;
    ridge->spacing = length / pieces;
    TRY(NEW_ZEROED(context, &ridge->offsets, ridge->knot_count + 1));
    size_t room = ridge->knot_count + end_entries(b, l, 0) + end_entries(b, l, 1);
    TRY(NEW_ZEROED(context, &ridge->unknowns, room));
    TRY(NEW_ZEROED(context, &ridge->weights, room));
    for (size_t k = 0; k < ridge->knot_count; k++) {
        int end = k > 0, is_end = !l->closed && (k == 0 || k + 1 == ridge->knot_count);
        if (is_end && l->ends[end] != CUT_BORDER) {
            TRY(end_knot(b, line, end, ridge, &entries));
        } else {
            ridge->unknowns[entries] = b->next++;
            ridge->weights[entries++] = 1;
        }
        ridge->offsets[k + 1] = entries;
    }
    return RUGA_OK;
}

/* The two knots around a place and the weight of the second. Beyond open ends D is that of the end. */
static void find_knots(const cut_line *l, const crease_ridge *r, double along, size_t knots[2], double *share) {
    double at = (along - r->from) / r->spacing;
    if (l->closed) {
        at -= floor(at / (double)r->knot_count) * (double)r->knot_count;
        knots[0] = (size_t)at % r->knot_count;
        knots[1] = (knots[0] + 1) % r->knot_count;
        *share = at - floor(at);
        return;
    }
    at = fmin((double)(r->knot_count - 1), fmax(0, at));
    knots[0] = (size_t)fmin(floor(at), (double)(r->knot_count - 2));
    knots[1] = knots[0] + 1;
    *share = at - (double)knots[0];
}

/* ---- The map T. */

/* Adds the entries of weight · D(σ). */
static void put_fold(const crease *c, size_t line, double along, double weight, map_builder *rows) {
    const crease_ridge *r = &c->ridges[line];
    size_t knots[2];
    double share;
    find_knots(&c->lines.lines[line], r, along, knots, &share);
    for (int i = 0; i < 2; i++) {
        double hat = i ? share : 1 - share;
        for (size_t e = r->offsets[knots[i]]; e < r->offsets[knots[i] + 1]; e++)
            if (hat * weight * r->weights[e] != 0) map_builder_put(rows, r->unknowns[e], hat * weight * r->weights[e]);
    }
}

static size_t most_entries(const crease *c) {
    size_t most = 1;
    for (size_t i = 0; i < c->lines.line_count; i++) {
        const crease_ridge *r = &c->ridges[i];
        for (size_t k = 0; k < r->knot_count; k++)
            if (r->offsets[k + 1] - r->offsets[k] > most) most = r->offsets[k + 1] - r->offsets[k];
    }
    return most;
}

/* The triangle of the mesh that a simulated point is a corner of. */
static uint32_t parent_at(const crease *c, uint32_t point) {
    size_t corner = 0;
    while (corner + 1 < 3 * c->nodes.simulated->triangle_count && c->nodes.simulated->triangles[corner] != point)
        corner++;
    return c->nodes.triangle_parent[corner / 3];
}

static ruga_status put_rows(const crease *c, size_t vertices, map_builder *rows) {
    for (size_t i = 0; i < c->nodes.virtual_count - c->solid.inner_count; i++) {
        uint32_t vertex = c->nodes.vertex_of[vertices + i];
        map_builder_put(rows, vertex, 1);
        for (uint32_t k = c->nodes.crossing_offsets[i]; k < c->nodes.crossing_offsets[i + 1]; k++) {
            const virtual_crossing *crossing = &c->nodes.crossings[k];
            const cut_place *place = cut_line_place(&c->lines.lines[crossing->path], vertex);
            if (!place)
                return fail_input(c->context,
                                  "curve \"%s\" lies too close to others at vertex %u, in triangle %u; refine the mesh "
                                  "there",
                                  c->lines.lines[crossing->path].trace->name, vertex,
                                  parent_at(c, (uint32_t)(vertices + i)));
            put_fold(c, crossing->path, place->along, crossing->weight * place->distance, rows);
        }
        map_builder_end_row(rows);
    }
    return RUGA_OK;
}

/* Leaves out unknowns that move no point: new numbers, NONE for those. */
static ruga_status number_unknowns(const binder *b, const map_builder *rows, uint32_t **numbers, size_t *count) {
    uint32_t *n = NULL;
    TRY(NEW(b->c->context, &n, b->next + 1));
    for (uint32_t i = 0; i < b->next; i++) n[i] = i < b->vertex_count ? 0 : UINT32_MAX;
    for (size_t e = 0; e < rows->entries; e++) n[rows->indices[e]] = 0;
    *count = 0;
    for (uint32_t i = 0; i < b->next; i++)
        if (n[i] == 0) n[i] = (uint32_t)(*count)++;
    *numbers = n;
    return RUGA_OK;
}

static void renumber(binder *b, map_builder *rows, const uint32_t *numbers) {
    for (size_t e = 0; e < rows->entries; e++) rows->indices[e] = numbers[rows->indices[e]];
    for (size_t i = 0; i < b->c->lines.line_count; i++) {
        crease_ridge *r = &b->c->ridges[i];
        for (size_t e = 0; e < r->offsets[r->knot_count]; e++) {
            uint32_t number = numbers[r->unknowns[e]];
            r->unknowns[e] = number == UINT32_MAX ? 0 : number;
            if (number == UINT32_MAX) r->weights[e] = 0;
        }
    }
}

static ruga_status make_map(binder *b) {
    crease *c = b->c;
    size_t points = b->vertex_count + c->nodes.virtual_count, width = 2 * most_entries(c), columns = 0;
    uint32_t *numbers = NULL;
    map_builder rows;
    TRY(map_builder_make(c->context, points, points + width * c->nodes.crossing_offsets[c->nodes.virtual_count],
                         &rows));
    map_builder_copy_rows(&rows, b->vertex_count);
    ruga_status status = put_rows(c, b->vertex_count, &rows);
    for (size_t i = 0; i < c->solid.inner_count && !RUGA_FAILED(status); i++) {
        map_builder_put(&rows, b->next++, 1);
        map_builder_end_row(&rows);
    }
    if (!RUGA_FAILED(status)) status = number_unknowns(b, &rows, &numbers, &columns);
    if (RUGA_FAILED(status)) {
        map_builder_release(&rows);
        return status;
    }
    renumber(b, &rows, numbers);
    memory_release(c->context, numbers);
    return map_builder_finish(&rows, columns, &c->bound);
}

static ruga_status bind(const ruga_mesh *mesh, const crease_def *def, crease *c) {
    binder b = {.c = c, .def = def, .vertex_count = mesh->vertex_count, .next = (uint32_t)mesh->vertex_count};
    ruga_status status = NEW_ZEROED(c->context, &c->ridges, c->lines.line_count);
    if (!RUGA_FAILED(status)) status = make_bases(&b);
    for (uint32_t i = 0; i < c->lines.line_count && !RUGA_FAILED(status); i++) status = make_ridge(&b, i);
    if (!RUGA_FAILED(status)) status = make_map(&b);
    for (size_t i = 0; b.bases && i < c->lines.star_count; i++) memory_release(c->context, b.bases[i].rows);
    memory_release(c->context, b.bases);
    return status;
}

/* ---- All together. */

static ruga_status cut_along_lines(const ruga_mesh *mesh, crease *c) {
    const ruga_curve **traces = NULL;
    curve_cut_def cut = {.snap = SNAP};
    ruga_mesh surface = *mesh;
    surface.tet_count = 0;
    TRY(NEW(c->context, &traces, c->lines.line_count));
    for (size_t i = 0; i < c->lines.line_count; i++) traces[i] = c->lines.lines[i].trace;
    ruga_status status = curve_cut_make(&surface, traces, c->lines.line_count, &cut, &c->cut);
    if (!RUGA_FAILED(status)) status = virtual_nodes_make(mesh, &c->cut, traces, &c->nodes);
    memory_release(c->context, traces);
    return status;
}

ruga_status crease_make(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count, const crease_def *def,
                        crease *out) {
    cut_lines lines;
    *out = (crease){.context = mesh->context};
    TRY(cut_lines_make(mesh, curves, count, &lines));
    return crease_make_of_lines(mesh, &lines, def, out);
}

ruga_status crease_make_of_lines(const ruga_mesh *mesh, cut_lines *lines, const crease_def *def, crease *out) {
    *out = (crease){.context = mesh->context, .lines = *lines};
    *lines = (cut_lines){.context = mesh->context};
    ruga_status status = cut_along_lines(mesh, out);
    if (!RUGA_FAILED(status) && def->depth > 0) status = crease_cut_solid(mesh, def->depth, out);
    if (!RUGA_FAILED(status)) status = bind(mesh, def, out);
    if (RUGA_FAILED(status)) crease_release(out);
    return status;
}

void crease_release(crease *c) {
    for (size_t i = 0; c->ridges && i < c->lines.line_count; i++)
        RELEASE_ALL(c->context, c->ridges[i].offsets, c->ridges[i].unknowns, c->ridges[i].weights);
    memory_release(c->context, c->ridges);
    ruga_map_destroy(c->bound);
    if (c->solid.context) tet_cut_release(&c->solid);
    if (c->nodes.context) virtual_nodes_release(&c->nodes);
    if (c->cut.context) curve_cut_release(&c->cut);
    if (c->lines.context) cut_lines_release(&c->lines);
    *c = (crease){.context = c->context};
}

/* ---- Measures. */

ruga_vec3 crease_knot_vector(const crease_ridge *r, size_t knot, const ruga_vec3 *unknowns) {
    vec3 sum = {0, 0, 0};
    for (size_t e = r->offsets[knot]; e < r->offsets[knot + 1]; e++)
        sum = vec3_add_scaled(sum, unknowns[r->unknowns[e]], r->weights[e]);
    return sum;
}

ruga_vec3 crease_fold_vector(const crease *c, size_t line, double along, const ruga_vec3 *unknowns) {
    size_t knots[2];
    double share;
    find_knots(&c->lines.lines[line], &c->ridges[line], along, knots, &share);
    return vec3_mix(crease_knot_vector(&c->ridges[line], knots[0], unknowns),
                    crease_knot_vector(&c->ridges[line], knots[1], unknowns), share);
}
