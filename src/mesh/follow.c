/* Meshes that follow another, and places of mixtures: see follow.h. */
#include "mesh/follow.h"

#include <math.h>
#include <string.h>

#include "linalg/map.h"
#include "mesh/mesh.h"

#define SAME 1e-9         /* of mixtures */
#define ALIKE 1.3         /* mixtures up to this times the nearest distance are on the same part of the surface */
#define LEAST_WEIGHT 1e-9 /* of a corner */

static mixture row_of(const ruga_map *map, size_t row) {
    size_t begin = map->offsets[row];
    return (mixture){map->indices + begin, map->weights + begin, map->offsets[row + 1] - begin};
}

/* Iterates over the old vertices in the mixtures of a triangle's corners and of the point. */
typedef struct comparison {
    mixture all[4];
    size_t at[4];
} comparison;

/* The weights of the next old vertex; 0: there is none. */
static int next_weights(comparison *c, double x[4]) {
    uint32_t index = UINT32_MAX;
    for (int i = 0; i < 4; i++)
        if (c->at[i] < c->all[i].count && c->all[i].indices[c->at[i]] < index) index = c->all[i].indices[c->at[i]];
    for (int i = 0; i < 4; i++)
        x[i] = c->at[i] < c->all[i].count && c->all[i].indices[c->at[i]] == index ? c->all[i].weights[c->at[i]++] : 0;
    return index != UINT32_MAX;
}

/* Scalar products of a triangle's sides 1 and 2 from corner 0, and of the vector w from there to the point. */
typedef struct products {
    double s11, s12, s22, w1, w2, ww;
} products;

/* Takes the place with the weights a and b of corners 1 and 2 if it is nearer than the best so far. */
static void offer(const products *p, double a, double b, double weights[3], double *distance2) {
    double here = p->ww - 2 * (a * p->w1 + b * p->w2) + a * a * p->s11 + 2 * a * b * p->s12 + b * b * p->s22;
    if (!(here < *distance2)) return;
    *distance2 = here;
    weights[0] = 1 - a - b, weights[1] = a, weights[2] = b;
}

static double part_of(double along, double length2) { return length2 > 0 ? fmin(1, fmax(0, along / length2)) : 0; }

/* The nearest place of a triangle: inside, or else on one of its sides. */
static void nearest_place(const products *p, double weights[3]) {
    double distance2 = INFINITY, area2 = p->s11 * p->s22 - p->s12 * p->s12;
    double a = (p->w1 * p->s22 - p->w2 * p->s12) / area2, b = (p->w2 * p->s11 - p->w1 * p->s12) / area2;
    if (area2 > 0 && a >= 0 && b >= 0 && a + b <= 1) {
        offer(p, a, b, weights, &distance2);
        return;
    }
    offer(p, part_of(p->w1, p->s11), 0, weights, &distance2);
    offer(p, 0, part_of(p->w2, p->s22), weights, &distance2);
    double third = part_of(p->w2 - p->w1 - p->s12 + p->s11, p->s11 - 2 * p->s12 + p->s22);
    offer(p, 1 - third, third, weights, &distance2);
}

/* The squared distance, in space, of the nearest place of a triangle. */
static double compare_places(const mixture_finder *f, const uint32_t *v, vec3 at, double weights[3]) {
    const vec3 *x = f->mesh->positions;
    vec3 side1 = vec3_sub(x[v[1]], x[v[0]]), side2 = vec3_sub(x[v[2]], x[v[0]]), w = vec3_sub(at, x[v[0]]);
    const products p = {vec3_length2(side1), vec3_dot(side1, side2), vec3_length2(side2),
                        vec3_dot(w, side1),  vec3_dot(w, side2),     vec3_length2(w)};
    nearest_place(&p, weights);
    vec3 there = vec3_add_scaled(vec3_add_scaled(x[v[0]], side1, weights[1]), side2, weights[2]);
    return vec3_length2(vec3_sub(there, at));
}

/* The same between mixtures. */
static double compare_mixtures(const mixture_finder *f, const uint32_t *v, mixture wanted, double weights[3]) {
    const comparison start = {{row_of(f->map, v[0]), row_of(f->map, v[1]), row_of(f->map, v[2]), wanted}, {0}};
    comparison at = start;
    products p = {0};
    double x[4], distance2 = 0;
    while (next_weights(&at, x)) {
        double side1 = x[1] - x[0], side2 = x[2] - x[0], w = x[3] - x[0];
        p.s11 += side1 * side1, p.s12 += side1 * side2, p.s22 += side2 * side2;
        p.w1 += w * side1, p.w2 += w * side2, p.ww += w * w;
    }
    nearest_place(&p, weights);
    /* A second pass, since the products would give a small difference of large numbers. */
    for (at = start; next_weights(&at, x);) {
        double w = weights[0] * (x[3] - x[0]) + weights[1] * (x[3] - x[1]) + weights[2] * (x[3] - x[2]);
        distance2 += w * w;
    }
    return distance2;
}

/* Searches the triangles with a share of the main index: for the nearest mixture, or, if `limit2` is finite, for the
 * nearest position among those whose mixture is within it. *triangle is NO_INDEX when there is none. Returns the
 * squared distance. */
static double search(const mixture_finder *f, mixture wanted, uint32_t main, double share, vec3 at, double limit2,
                     uint32_t *triangle, double weights[3]) {
    const ruga_map *columns = f->columns;
    double best = INFINITY;
    *triangle = NO_INDEX;
    for (size_t i = columns->offsets[main]; i < columns->offsets[main + 1]; i++) {
        uint32_t row = columns->indices[i];
        for (uint32_t k = f->topo->fan_offsets[row]; k < f->topo->fan_offsets[row + 1]; k++) {
            uint32_t here = f->topo->fan_triangles[k];
            const uint32_t *v = f->mesh->triangles + 3 * (size_t)here;
            /* A lower bound of the distance: how far the share is from those of the corners. */
            double a = f->shares[v[0]], b = f->shares[v[1]], c = f->shares[v[2]], place[3] = {1, 0, 0};
            double least = fmax(0, fmax(fmin(a, fmin(b, c)) - share, share - fmax(a, fmax(b, c))));
            if (least * least >= (isinf(limit2) ? best : limit2)) continue;
            double distance2 = compare_mixtures(f, v, wanted, place);
            if (distance2 > limit2) continue;
            if (!isinf(limit2)) distance2 = compare_places(f, v, at, place);
            if (!(distance2 < best)) continue;
            best = distance2;
            *triangle = here;
            memcpy(weights, place, sizeof place);
        }
    }
    return best;
}

ruga_status mixture_finder_make(const ruga_mesh *mesh, const topology *topo, const ruga_map *map, mixture_finder *out) {
    mixture_finder f = {.mesh = mesh, .topo = topo, .map = map};
    TRY(NEW_ZEROED(mesh->context, &f.shares, map->rows));
    RETURN_MADE(ruga_map_transpose(map, &f.columns), f, out, mixture_finder_release(&f));
}

void mixture_finder_release(mixture_finder *f) {
    if (!f->mesh) return;
    ruga_map_destroy(f->columns);
    memory_release(f->mesh->context, f->shares);
}

uint32_t mixture_find(mixture_finder *f, mixture wanted, uint32_t main, vec3 at, double weights[3]) {
    const mixture rows = row_of(f->columns, main);
    uint32_t triangle;
    double share = 0;
    for (size_t i = 0; i < wanted.count; i++)
        if (wanted.indices[i] == main) share = wanted.weights[i];
    for (size_t i = 0; i < rows.count; i++) f->shares[rows.indices[i]] = rows.weights[i];
    double distance2 = search(f, wanted, main, share, at, INFINITY, &triangle, weights);
    if (distance2 > SAME * SAME && !isinf(distance2))
        search(f, wanted, main, share, at, ALIKE * ALIKE * distance2, &triangle, weights);
    for (size_t i = 0; i < rows.count; i++) f->shares[rows.indices[i]] = 0;
    return triangle;
}

/* ---- Meshes that follow. */

static int is_same(mixture a, mixture b) {
    return a.count == b.count && !memcmp(a.indices, b.indices, a.count * sizeof *a.indices) &&
           !memcmp(a.weights, b.weights, a.count * sizeof *a.weights);
}

/* The row of a vertex: a vertex of exactly the same mixture, or else the corners of the triangle of its place. A vertex
 * off all triangles follows the nearest in number that shares its main index, if any. */
static void put_row(mixture_finder *f, mixture wanted, vec3 at, map_builder *builder) {
    uint32_t main = 0;
    double weights[3], sum = 0;
    if (wanted.count == 0) return;
    for (size_t i = 1; i < wanted.count; i++)
        if (wanted.weights[i] > wanted.weights[main]) main = (uint32_t)i;
    main = wanted.indices[main];
    const mixture rows = row_of(f->columns, main);
    for (size_t i = 0; i < rows.count; i++)
        if (is_same(row_of(f->map, rows.indices[i]), wanted)) {
            map_builder_put(builder, rows.indices[i], 1);
            return;
        }
    uint32_t triangle = mixture_find(f, wanted, main, at, weights);
    if (triangle == NO_INDEX) {
        if (rows.count > 0) map_builder_put(builder, rows.indices[0], 1);
        return;
    }
    for (int k = 0; k < 3; k++) sum += weights[k] = weights[k] > LEAST_WEIGHT ? weights[k] : 0;
    for (size_t k = 0; k < 3; k++)
        if (weights[k] > 0) map_builder_put(builder, f->mesh->triangles[3 * (size_t)triangle + k], weights[k] / sum);
}

/* Rows of `to`, whose mixtures of the mesh below are to_map times below, on the mesh `from`. */
static ruga_status make_rows(mixture_finder *f, const ruga_mesh *to, const ruga_map *wanted, ruga_map **out) {
    map_builder builder;
    TRY(map_builder_make(to->context, to->vertex_count, 3 * to->vertex_count, &builder));
    for (size_t v = 0; v < to->vertex_count; v++) {
        put_row(f, row_of(wanted, v), to->positions[v], &builder);
        map_builder_end_row(&builder);
    }
    return map_builder_finish(&builder, f->mesh->vertex_count, out);
}

ruga_status follow_vertices(const ruga_mesh *from, const ruga_map *from_map, const ruga_mesh *to,
                            const ruga_map *to_map, const ruga_map *below, ruga_map **out) {
    ruga_map *wanted = NULL;
    topology *topo = NULL;
    mixture_finder finder = {0};
    ruga_status status = ruga_map_compose(to_map, below, &wanted);
    if (!RUGA_FAILED(status))
        status = topology_build(from->context, from->vertex_count, from->triangle_count, from->triangles, &topo);
    if (!RUGA_FAILED(status)) status = mixture_finder_make(from, topo, from_map, &finder);
    if (!RUGA_FAILED(status)) status = make_rows(&finder, to, wanted, out);
    mixture_finder_release(&finder);
    topology_destroy(topo);
    ruga_map_destroy(wanted);
    return status;
}

followed_mesh followed_mesh_make(ruga_mesh *mesh, ruga_map *map) {
    return (followed_mesh){.mesh = mesh, .first_mesh = mesh, .map = map, .first_map = map};
}

static void release_maps(followed_mesh *f) {
    if (f->from_first != f->from_old) ruga_map_destroy(f->from_first);
    ruga_map_destroy(f->from_old);
    f->from_old = f->from_first = NULL;
}

static void release_current(followed_mesh *f) {
    if (f->mesh != f->first_mesh) ruga_mesh_destroy(f->mesh);
    if (f->map != f->first_map) ruga_map_destroy(f->map);
}

void followed_mesh_release(followed_mesh *f) {
    release_maps(f);
    release_current(f);
    ruga_mesh_destroy(f->first_mesh);
    ruga_map_destroy(f->first_map);
    *f = (followed_mesh){0};
}

ruga_status followed_mesh_change(followed_mesh *f, ruga_mesh *mesh, ruga_map *map, const ruga_map *below_from_old,
                                 const ruga_map *below_from_first) {
    ruga_map *from_old = NULL, *from_first = NULL;
    ruga_status status = follow_vertices(f->mesh, f->map, mesh, map, below_from_old, &from_old);
    if (below_from_first && f->mesh == f->first_mesh)
        from_first = from_old;
    else if (below_from_first && !RUGA_FAILED(status))
        status = follow_vertices(f->first_mesh, f->first_map, mesh, map, below_from_first, &from_first);
    if (RUGA_FAILED(status)) {
        ruga_map_destroy(from_old);
        ruga_mesh_destroy(mesh);
        ruga_map_destroy(map);
        return status;
    }
    release_maps(f);
    release_current(f);
    *f = (followed_mesh){mesh, f->first_mesh, map, f->first_map, from_old, from_first};
    return RUGA_OK;
}
