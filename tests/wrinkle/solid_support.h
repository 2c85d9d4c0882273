/* Blocks of tets with creases, for tests of creases in solids. */
#ifndef TESTS_SOLID_SUPPORT_H
#define TESTS_SOLID_SUPPORT_H

#include <math.h>

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/sets.h"
#include "support/support.h"
#include "wrinkle/crease.h"

/* A block of tets, centred at the origin, of `along` cells by `across` by `across`, each 1 m / along wide, whose nodes
 * are moved at random by up to `jitter` cells; those on its sides stay in them. */
static inline ruga_mesh *block_make(ruga_context *context, int along, int across, double jitter) {
    double cell = 1.0 / along, half[3] = {0.5, 0.5 * cell * across, 0.5 * cell * across};
    const double values[6] = {1, cell * across, cell * across, along, across, 1};
    ruga_mesh *block = NULL;
    assert_ok(context, ruga_model_make(context, "bar", values, &block));
    ruga_vec3 *x = (ruga_vec3 *)block->positions;
    test_random random = {5};
    for (size_t i = 0; i < block->vertex_count; i++) {
        double *at = &x[i].x;
        for (int k = 0; k < 3; k++) {
            double move = random_between(&random, -jitter, jitter) * cell;
            if (fabs(fabs(at[k]) - half[k]) > 0.1 * cell) at[k] += move;
        }
    }
    return block;
}

static inline ruga_curve *block_curve(const ruga_mesh *mesh, const char *name, const ruga_vec3 *points, size_t count,
                                      int closed) {
    ruga_curve_def def = ruga_curve_def_default();
    ruga_curve *curve = NULL;
    def.name = name;
    def.closed = closed;
    assert_ok(mesh->context, ruga_curve_from_points(mesh, points, count, &def, &curve));
    return curve;
}

/* Around a block, in the plane of one x. */
static inline ruga_curve *block_loop(const ruga_mesh *mesh, double x, double half) {
    const ruga_vec3 points[4] = {{x, half, 0}, {x, 0, -half}, {x, -half, 0}, {x, 0, half}};
    return block_curve(mesh, "loop", points, 4, 1);
}

/* Connected pieces of the tets; the first of each in `roots`, (vertices). */
static inline size_t block_pieces(const ruga_mesh *mesh, uint32_t *roots) {
    size_t count = 0;
    unsigned char *used = calloc(mesh->vertex_count, 1);
    for (uint32_t i = 0; i < mesh->vertex_count; i++) roots[i] = i;
    for (size_t t = 0; t < mesh->tet_count; t++)
        for (int k = 0; k < 4; k++) {
            used[mesh->tets[4 * t + (size_t)k]] = 1;
            sets_unite(roots, mesh->tets[4 * t], mesh->tets[4 * t + (size_t)k]);
        }
    for (uint32_t i = 0; i < mesh->vertex_count; i++) count += used[i] && set_lowest(roots, i) == i;
    free(used);
    return count;
}

static inline void solid_make(const ruga_mesh *mesh, ruga_curve *const *curves, size_t count, double depth,
                              crease *out) {
    crease_def def = crease_def_default();
    def.depth = depth;
    assert_ok(mesh->context, crease_make(mesh, (const ruga_curve *const *)curves, count, &def, out));
}

/* The unknowns at rest, (bound->columns). */
static inline ruga_vec3 *solid_rest(const crease *c, const ruga_mesh *mesh) {
    ruga_vec3 *y = calloc(c->bound->columns, sizeof *y);
    for (size_t i = 0; i < c->bound->rows; i++) {
        size_t e = c->bound->offsets[i];
        if (c->bound->offsets[i + 1] == e + 1) y[c->bound->indices[e]] = mesh->positions[c->nodes.vertex_of[i]];
    }
    return y;
}

#endif
