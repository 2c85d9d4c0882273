/* Shared by tests of curves: checks of traced curves and cuts, and random strokes on random meshes. */
#ifndef TESTS_CURVE_SUPPORT_H
#define TESTS_CURVE_SUPPORT_H

#include <math.h>

#include "geom/curve_cut.h"
#include "geom/surface_path.h"
#include "math/vec3.h"
#include "mesh/topology.h"
#include "ruga/map.h"
#include "support/shapes.h"

static inline vec3 triangle_cross(const ruga_mesh *mesh, size_t triangle) {
    const uint32_t *v = mesh->triangles + 3 * triangle;
    vec3 a = mesh->positions[v[0]];
    return vec3_cross(vec3_sub(mesh->positions[v[1]], a), vec3_sub(mesh->positions[v[2]], a));
}

/* Every new triangle has the orientation of its parent. */
static inline void assert_none_inverted(const ruga_mesh *mesh, const curve_cut *cut) {
    for (size_t t = 0; t < cut->mesh->triangle_count; t++) {
        vec3 whole = triangle_cross(mesh, cut->triangle_parent[t]), part = triangle_cross(cut->mesh, t);
        assert_less_case(-1e-12 * vec3_length2(whole), vec3_dot(whole, part), "t %zu", t);
    }
}

static inline double distance_to_segment(vec3 p, vec3 a, vec3 b) {
    vec3 ab = vec3_sub(b, a);
    double length2 = vec3_length2(ab), part = length2 > 0 ? vec3_dot(vec3_sub(p, a), ab) / length2 : 0;
    return vec3_distance(p, vec3_add_scaled(a, ab, fmin(1, fmax(0, part))));
}

/* The greatest distance of the points of one polyline from another. */
static inline double greatest_distance_to(const ruga_vec3 *points, size_t count, const ruga_vec3 *line,
                                          size_t line_count, int closed) {
    double greatest = 0;
    for (size_t i = 0; i < count; i++) {
        double least = INFINITY;
        for (size_t k = 0; k + (closed ? 0 : 1) < line_count; k++)
            least = fmin(least, distance_to_segment(points[i], line[k], line[(k + 1) % line_count]));
        greatest = fmax(greatest, least);
    }
    return greatest;
}

/* m, the largest snap distance of any triangle. */
static inline double greatest_shortest_side(const ruga_mesh *mesh) {
    double greatest = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double shortest = INFINITY;
        for (size_t k = 0; k < 3; k++) {
            const uint32_t *v = mesh->triangles + 3 * t;
            shortest = fmin(shortest, vec3_distance(mesh->positions[v[k]], mesh->positions[v[(k + 1) % 3]]));
        }
        greatest = fmax(greatest, shortest);
    }
    return greatest;
}

/* Each path follows its curve, within two snap distances: one onto nodes, one onto points nearby. */
static inline void assert_paths_follow(const ruga_mesh *mesh, const curve_cut *cut, const ruga_curve *const *curves,
                                       double snap) {
    double bound = 2 * snap * greatest_shortest_side(mesh) + 1e-12;
    for (size_t c = 0; c < cut->path_count; c++) {
        const curve_path *path = &cut->paths[c];
        ruga_vec3 *drawn = malloc(curves[c]->point_count * sizeof *drawn),
                  *cut_in = malloc(path->count * sizeof *cut_in);
        assert_true(drawn && cut_in);
        ruga_curve_points(curves[c], mesh, NULL, drawn);
        for (size_t i = 0; i < path->count; i++) cut_in[i] = cut->mesh->positions[path->vertices[i]];
        double off = greatest_distance_to(cut_in, path->count, drawn, curves[c]->point_count, curves[c]->closed);
        double left_out = greatest_distance_to(drawn, curves[c]->point_count, cut_in, path->count, path->closed);
        assert_at_most_case(off, bound, "m of path %zu off its curve", c);
        assert_at_most_case(left_out, bound, "m of curve %zu off its path", c);
        free(drawn);
        free(cut_in);
    }
}

/* Area and Euler's number are kept, the mesh is manifold and oriented as before, old vertices come first, every path
 * runs along edges, no triangle is inverted, and positions are those of the map. */
static inline void assert_valid_cut(const ruga_mesh *mesh, const curve_cut *cut) {
    ruga_mesh_summary before, after;
    assert_ok(mesh->context, ruga_mesh_summarise(mesh, &before));
    assert_ok(mesh->context, ruga_mesh_summarise(cut->mesh, &after));
    assert_int_equal(before.euler, after.euler);
    assert_int_equal(before.boundary_loops, after.boundary_loops);
    assert_int_equal(before.manifold, after.manifold);
    assert_int_equal(before.oriented, after.oriented);
    assert_near(before.area, after.area, 1e-9 * before.area);
    assert_memory_equal(mesh->positions, cut->mesh->positions, mesh->vertex_count * sizeof(ruga_vec3));
    topology *topo;
    assert_ok(mesh->context, topology_build(mesh->context, cut->mesh->vertex_count, cut->mesh->triangle_count,
                                            cut->mesh->triangles, &topo));
    for (size_t p = 0; p < cut->path_count; p++) {
        const curve_path *path = &cut->paths[p];
        assert_at_most_case(2, path->count, "p %zu", p);
        for (size_t i = 0; i + (path->closed ? 0 : 1) < path->count; i++)
            assert_int_not_equal(topology_find_edge(topo, path->vertices[i], path->vertices[(i + 1) % path->count]),
                                 NO_INDEX);
    }
    topology_destroy(topo);
    assert_none_inverted(mesh, cut);
    ruga_vec3 *mapped = malloc(cut->mesh->vertex_count * sizeof *mapped);
    assert_non_null(mapped);
    ruga_map_apply(cut->map, mesh->positions, mapped);
    assert_memory_equal(mapped, cut->mesh->positions, cut->mesh->vertex_count * sizeof *mapped);
    free(mapped);
}

/* Each point of a curve and the next lie in one triangle, and their weights are those of points on it. */
static inline void assert_traced(const ruga_mesh *mesh, const ruga_curve *curve) {
    tracer t;
    assert_ok(mesh->context, tracer_make(mesh, &t));
    assert_at_most(2, curve->point_count);
    for (size_t i = 0; i < curve->point_count; i++) {
        const ruga_surface_point *point = &curve->points[i], *next = &curve->points[(i + 1) % curve->point_count];
        double sum = point->weights[0] + point->weights[1] + point->weights[2];
        assert_less_case(point->triangle, mesh->triangle_count, "i %zu", i);
        assert_near_case(sum, 1, 1e-12, "i %zu", i);
        for (int k = 0; k < 3; k++) assert_at_most_case(0, point->weights[k], "i %zu, k %d", i, k);
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

/* A rough mesh of any valence with holes: random triangles are split into three, vertices moved, triangles removed. */
static inline ruga_mesh *roughened_mesh(ruga_mesh *mesh, test_random *random) {
    size_t splits = random_bits(random) % (mesh->triangle_count / 2 + 1), vertices = mesh->vertex_count;
    size_t triangles = mesh->triangle_count, kept = 0;
    int has_holes = random_bits(random) % 2 == 0;
    double roughness = random_bits(random) % 2 ? 0.15 * greatest_shortest_side(mesh) : 0;
    ruga_vec3 *p = malloc((vertices + splits) * sizeof *p);
    uint32_t *t = malloc(3 * (triangles + 2 * splits) * sizeof *t);
    assert_true(p && t);
    memcpy(p, mesh->positions, vertices * sizeof *p);
    memcpy(t, mesh->triangles, 3 * triangles * sizeof *t);
    for (; splits > 0; splits--) {
        uint32_t *old = t + 3 * (random_bits(random) % triangles), *added = t + 3 * triangles;
        uint32_t a = old[0], b = old[1], c = old[2], middle = (uint32_t)vertices;
        double u = random_between(random, 0.2, 0.4), v = random_between(random, 0.2, 0.4);
        p[vertices++] = vec3_add_scaled(vec3_add_scaled(vec3_scale(p[a], 1 - u - v), p[b], u), p[c], v);
        const uint32_t three[9] = {a, b, middle, b, c, middle, c, a, middle};
        memcpy(old, three, 3 * sizeof *t);
        memcpy(added, three + 3, 6 * sizeof *t);
        triangles += 2;
    }
    for (size_t i = 0; i < vertices; i++)
        p[i] = vec3_add(p[i], vec3_make(random_between(random, -roughness, roughness),
                                        random_between(random, -roughness, roughness),
                                        random_between(random, -roughness, roughness)));
    for (size_t i = 0; i < triangles; i++) {
        if (has_holes && triangles > 8 && random_bits(random) % 12 == 0) continue;
        memmove(t + 3 * kept++, t + 3 * i, 3 * sizeof *t);
    }
    ruga_mesh *rough = shape_make(mesh->context, vertices, p, kept, NULL, t);
    free(p);
    free(t);
    ruga_mesh_destroy(mesh);
    return rough;
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

/* Up to four random strokes, cut into the mesh. Strokes that are too short to draw or to cut are skipped. */
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
        if (RUGA_FAILED(ruga_curve_from_surface_points(mesh, points, n, &def, &curves[made]))) {
            /* The only allowed errors: the same point twice, or two pieces of a mesh with holes. */
            if (!strstr(ruga_context_message(mesh->context), "no length"))
                assert_message_has(mesh->context, "there is no path from point");
            continue;
        }
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
    fail_if(RUGA_FAILED(status), "seed %d: %s", (int)seed, ruga_context_message(mesh->context));
    assert_valid_cut(mesh, &cut);
    assert_paths_follow(mesh, &cut, (const ruga_curve *const *)curves, cut_def.snap);
    curve_cut_release(&cut);
    for (size_t i = 0; i < made; i++) ruga_curve_destroy(curves[i]);
}

#endif
