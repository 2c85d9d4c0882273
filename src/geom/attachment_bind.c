/* Finds the triangle and the weights of each point of an attachment. */
#include <math.h>

#include "geom/attachment_parts.h"
#include "geom/bvh.h"
#include "geom/embed.h"
#include "mesh/topology.h"

ruga_status bound_points_make(ruga_context *context, size_t count, bound_points *out) {
    if (count > UINT32_MAX - 1)
        return fail_input(context, "%zu points are too many to attach, %u is the limit", count, UINT32_MAX - 1);
    *out = (bound_points){.count = count};
    ruga_status status = NEW(context, &out->triangle_of, count + 1);
    if (!RUGA_FAILED(status)) status = NEW(context, &out->weights, 4 * (count + 1));
    if (RUGA_FAILED(status)) bound_points_release(context, out);
    return status;
}

void bound_points_release(ruga_context *context, bound_points *points) {
    RELEASE_ALL(context, points->triangle_of, points->weights);
    *points = (bound_points){0};
}

void bound_points_end(bound_points *points) {
    if (points->count == 0) return;
    points->triangle_of[points->count] = points->triangle_of[points->count - 1];
    for (size_t k = 0; k < 4; k++) points->weights[4 * points->count + k] = points->weights[4 * points->count - 4 + k];
}

static void bind_point(bound_points *points, size_t i, size_t triangle, const double weights[3]) {
    points->triangle_of[i] = (uint32_t)triangle;
    for (size_t k = 0; k < 3; k++) points->weights[4 * i + k] = (float)weights[k];
    points->weights[4 * i + 3] = 0;
}

/* ---- By closest points. */

ruga_status bind_to_surface(const ruga_mesh *base, size_t count, const ruga_vec3 *points, bound_points *out) {
    ruga_context *context = base->context;
    bvh_hit *hits;
    bvh *tree = NULL;
    TRY(embed_check_points(context, points, count));
    TRY(NEW(context, &hits, count));
    ruga_status status = bvh_build_triangles(base, &tree);
    if (!RUGA_FAILED(status)) status = bound_points_make(context, count, out);
    if (!RUGA_FAILED(status)) {
        bvh_closest_points(tree, points, count, INFINITY, hits);
        for (size_t i = 0; i < count; i++) bind_point(out, i, hits[i].element, hits[i].barycentric);
        bound_points_end(out);
    }
    bvh_destroy(tree);
    memory_release(context, hits);
    return status;
}

/* ---- By the rows of a map. */

/* The weights of a row at a triangle's corners; 0 when the row names other vertices too. */
static int row_in_triangle(const ruga_map *map, size_t row, const uint32_t *triangle, double weights[3]) {
    weights[0] = weights[1] = weights[2] = 0;
    for (size_t e = map->offsets[row]; e < map->offsets[row + 1]; e++) {
        size_t k = 0;
        while (k < 3 && triangle[k] != map->indices[e]) k++;
        if (k == 3) return 0;
        weights[k] = map->weights[e];
    }
    return 1;
}

static ruga_status bind_row(const ruga_mesh *base, const topology *topo, const ruga_map *map, size_t row,
                            bound_points *out) {
    if (map->offsets[row] == map->offsets[row + 1])
        return fail_input(base->context, "row %zu of the map has no weights, so its point can't be attached", row);
    uint32_t v = map->indices[map->offsets[row]];
    for (size_t i = topo->fan_offsets[v]; i < topo->fan_offsets[v + 1]; i++) {
        double weights[3];
        size_t t = topo->fan_triangles[i];
        if (!row_in_triangle(map, row, base->triangles + 3 * t, weights)) continue;
        bind_point(out, row, t, weights);
        return RUGA_OK;
    }
    /* A vertex that is in no triangle is bound by bind_stray. */
    out->triangle_of[row] = UINT32_MAX;
    if (map->offsets[row + 1] - map->offsets[row] == 1) return RUGA_OK;
    return fail_input(base->context,
                      "row %zu of the map has %zu weights, but no triangle of the base has all of their vertices", row,
                      map->offsets[row + 1] - map->offsets[row]);
}

/* Rows of single vertices that are in no triangle. */
static ruga_status bind_stray(const ruga_mesh *base, const ruga_map *map, bound_points *out) {
    size_t stray = 0;
    for (size_t i = 0; i < out->count; i++) stray += out->triangle_of[i] == UINT32_MAX;
    if (stray == 0) return RUGA_OK;
    bvh *tree;
    TRY(bvh_build_triangles(base, &tree));
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < out->count && !RUGA_FAILED(status); i++) {
        if (out->triangle_of[i] != UINT32_MAX) continue;
        uint32_t v = map->indices[map->offsets[i]];
        bvh_hit hit = bvh_closest_point(tree, base->positions[v], INFINITY);
        if (hit.element == UINT32_MAX)
            status = fail_input(base->context, "vertex %u of the base is not finite", v);
        else
            bind_point(out, i, hit.element, hit.barycentric);
    }
    bvh_destroy(tree);
    return status;
}

ruga_status bind_by_map(const ruga_mesh *base, const ruga_map *map, bound_points *out) {
    if (map->columns != base->vertex_count)
        return fail_input(base->context, "the map takes %zu vertices, but the base has %zu", map->columns,
                          base->vertex_count);
    topology *topo = NULL;
    TRY(bound_points_make(base->context, map->rows, out));
    ruga_status status = topology_build_mesh(base, &topo);
    for (size_t row = 0; row < map->rows && !RUGA_FAILED(status); row++) status = bind_row(base, topo, map, row, out);
    if (!RUGA_FAILED(status)) status = bind_stray(base, map, out);
    if (RUGA_FAILED(status))
        bound_points_release(base->context, out);
    else
        bound_points_end(out);
    topology_destroy(topo);
    return status;
}
