/* What tests of curves share: whether a curve is traced and a cut is valid, and random strokes on random meshes. */
#ifndef TESTS_CURVE_SUPPORT_H
#define TESTS_CURVE_SUPPORT_H

#include <math.h>

#include "geom/curve_cut.h"
#include "geom/trace.h"
#include "math/vec3.h"
#include "mesh/topology.h"
#include "support/shapes.h"

/* Area and Euler's number are kept, the mesh is manifold and oriented as before, old vertices come first, every path runs along edges, and
 * positions are those of the map. */
static inline void assert_valid_cut(const ruga_mesh *mesh, const curve_cut *cut) {
    ruga_mesh_summary before, after;
    assert_ok(mesh->context, ruga_mesh_summarise(mesh, &before));
    assert_ok(mesh->context, ruga_mesh_summarise(cut->mesh, &after));
    assert_int_equal(before.euler, after.euler);
    assert_int_equal(before.boundary_loops, after.boundary_loops);
    assert_int_equal(before.manifold, after.manifold);
    assert_int_equal(before.oriented, after.oriented);
    assert_true(fabs(before.area - after.area) < 1e-9 * before.area);
    assert_memory_equal(mesh->positions, cut->mesh->positions, mesh->vertex_count * sizeof(ruga_vec3));
    topology *topo;
    assert_ok(mesh->context, topology_build(mesh->context, cut->mesh->vertex_count, cut->mesh->triangle_count,
                                            cut->mesh->triangles, &topo));
    for (size_t p = 0; p < cut->path_count; p++) {
        const curve_path *path = &cut->paths[p];
        assert_true(path->count >= 2);
        for (size_t i = 0; i + (path->closed ? 0 : 1) < path->count; i++)
            assert_int_not_equal(topology_find_edge(topo, path->vertices[i], path->vertices[(i + 1) % path->count]),
                                 NO_INDEX);
    }
    topology_destroy(topo);
}

/* Each point of a curve and the next lie in one triangle, and their weights are those of points on it. */
static inline void assert_traced(const ruga_mesh *mesh, const ruga_curve *curve) {
    tracer t;
    assert_ok(mesh->context, tracer_make(mesh, &t));
    assert_true(curve->point_count >= 2);
    for (size_t i = 0; i < curve->point_count; i++) {
        const ruga_surface_point *point = &curve->points[i], *next = &curve->points[(i + 1) % curve->point_count];
        double sum = point->weights[0] + point->weights[1] + point->weights[2];
        assert_true(point->triangle < mesh->triangle_count && fabs(sum - 1) < 1e-12);
        for (int k = 0; k < 3; k++) assert_true(point->weights[k] >= 0);
        if (i + 1 == curve->point_count && !curve->closed) continue;
        assert_int_not_equal(trace_shared_triangle(&t, *point, *next, NO_INDEX), NO_INDEX);
    }
    tracer_release(&t);
}

static inline double least_angle(const ruga_mesh *mesh) {
    double least = 180;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            const uint32_t *v = mesh->triangles + 3 * t;
            vec3 a = mesh->positions[v[k]], u = vec3_sub(mesh->positions[v[(k + 1) % 3]], a);
            vec3 w = vec3_sub(mesh->positions[v[(k + 2) % 3]], a);
            least = fmin(least, atan2(vec3_length(vec3_cross(u, w)), vec3_dot(u, w)) * 180 / acos(-1));
        }
    return least;
}

static inline ruga_mesh *random_mesh(ruga_context *context, test_random *random) {
    ruga_mesh *mesh = NULL;
    switch (random_bits(random) % 4) {
        case 0: mesh = shape_sheet(context, 1 + random_bits(random) % 12, 1 + random_bits(random) % 12); break;
        case 1: mesh = shape_torus(context, 4 + random_bits(random) % 12, 4 + random_bits(random) % 12); break;
        case 2: mesh = shape_icosahedron(context); break;
        default: mesh = shape_cylinder(context, 4 + random_bits(random) % 12, 1 + random_bits(random) % 6); break;
    }
    return mesh;
}

/* A mesh whose vertices are moved: x' = x * scale. */
static inline ruga_mesh *scaled_mesh(ruga_mesh *mesh, ruga_vec3 scale) {
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    assert_non_null(positions);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        ruga_vec3 p = mesh->positions[i];
        positions[i] = (ruga_vec3){p.x * scale.x, p.y * scale.y, p.z * scale.z};
    }
    ruga_mesh *scaled =
        shape_make(mesh->context, mesh->vertex_count, positions, mesh->triangle_count, NULL, mesh->triangles);
    free(positions);
    ruga_mesh_destroy(mesh);
    return scaled;
}

static inline ruga_surface_point random_place(const ruga_mesh *mesh, test_random *random) {
    ruga_surface_point point = {(uint32_t)(random_bits(random) % mesh->triangle_count), {0, 0, 0}};
    size_t kind = random_bits(random) % 4, k = random_bits(random) % 3;
    double a = random_unit(random), b = random_unit(random) * (1 - a);
    if (kind == 0)
        point.weights[k] = 1;
    else if (kind == 1) {
        point.weights[k] = a;
        point.weights[(k + 1) % 3] = 1 - a;
    } else {
        point.weights[k] = a;
        point.weights[(k + 1) % 3] = b;
        point.weights[(k + 2) % 3] = 1 - a - b;
    }
    return point;
}

/* Up to four random strokes, cut into the mesh. Those that are too short to draw or to cut are left out. */
static inline void cut_random_strokes(const ruga_mesh *mesh, test_random *random, uint64_t seed) {
    ruga_curve *curves[4];
    size_t count = 1 + random_bits(random) % 4, made = 0;
    curve_cut_def cut_def = curve_cut_def_default();
    curve_cut cut;
    for (size_t i = 0; i < count; i++) {
        ruga_surface_point points[5];
        size_t n = 2 + random_bits(random) % 4;
        for (size_t k = 0; k < n; k++) points[k] = random_place(mesh, random);
        ruga_curve_def def = ruga_curve_def_default();
        def.closed = random_bits(random) % 4 == 0;
        if (RUGA_FAILED(ruga_curve_from_surface_points(mesh, points, n, &def, &curves[made]))) continue;
        assert_traced(mesh, curves[made]);
        const ruga_curve *one[] = {curves[made]};
        ruga_status status = curve_cut_make(mesh, one, 1, &cut_def, &cut);
        if (RUGA_FAILED(status)) {
            assert_message_has(mesh->context, "shorter");
            ruga_curve_destroy(curves[made]);
            continue;
        }
        curve_cut_release(&cut);
        made++;
    }
    ruga_status status = curve_cut_make(mesh, (const ruga_curve *const *)curves, made, &cut_def, &cut);
    if (RUGA_FAILED(status)) fail_msg("seed %d: %s", (int)seed, ruga_context_message(mesh->context));
    assert_valid_cut(mesh, &cut);
    curve_cut_release(&cut);
    for (size_t i = 0; i < made; i++) ruga_curve_destroy(curves[i]);
}

#endif
