/* Shared by tests of sculpts: meshes, curves and sculpts that are thrown away together. */
#ifndef TESTS_SCULPT_SUPPORT_H
#define TESTS_SCULPT_SUPPORT_H

#include <math.h>

#include "mesh/mesh.h"
#include "ruga/intersections.h"
#include "support/shapes.h"
#include "wrinkle/sculpt.h"

enum { MAX_TEST_CURVES = 8 };

typedef struct test_sculpt {
    ruga_context *context;
    ruga_mesh *mesh;
    ruga_sculpt *sculpt;
    ruga_curve *curves[MAX_TEST_CURVES];
    size_t curve_count;
} test_sculpt;

/* A square of 1 m around the origin in the plane y = 0, its inner vertices moved about a little; all times a scale. */
static inline ruga_mesh *jittered_sheet(ruga_context *context, size_t n, double scale) {
    ruga_mesh *mesh = shape_sheet(context, n, n);
    vec3 *p = (vec3 *)(uintptr_t)mesh->positions, low = p[0], high = p[0];
    test_random random = {11};
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        low = vec3_min(low, p[v]);
        high = vec3_max(high, p[v]);
    }
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double x = p[v].x - 0.5 * (low.x + high.x), z = p[v].z - 0.5 * (low.z + high.z);
        int inner = fabs(x) < 0.499 && fabs(z) < 0.499;
        double dx = random_between(&random, -0.2, 0.2) / (double)n, dz = random_between(&random, -0.2, 0.2) / (double)n;
        p[v] = vec3_scale((vec3){x + (inner ? dx : 0), 0, z + (inner ? dz : 0)}, scale);
    }
    return mesh;
}

/* Takes the mesh. */
static inline void test_sculpt_open(test_sculpt *t, ruga_context *context, ruga_mesh *mesh) {
    *t = (test_sculpt){.context = context, .mesh = mesh};
    assert_ok(context, ruga_sculpt_create(mesh, &t->sculpt));
}

static inline void test_sculpt_close(test_sculpt *t) {
    ruga_sculpt_destroy(t->sculpt);
    for (size_t i = 0; i < t->curve_count; i++) ruga_curve_destroy(t->curves[i]);
    ruga_mesh_destroy(t->mesh);
}

static inline const ruga_curve *test_curve_through(test_sculpt *t, const ruga_vec3 *points, size_t count, int closed) {
    ruga_curve_def def = ruga_curve_def_default();
    def.closed = closed;
    assert_less(t->curve_count, MAX_TEST_CURVES);
    assert_ok(t->context, ruga_curve_from_points(t->mesh, points, count, &def, &t->curves[t->curve_count]));
    return t->curves[t->curve_count++];
}

static inline const ruga_curve *test_line(test_sculpt *t, double x0, double z0, double x1, double z1) {
    const ruga_vec3 points[] = {{x0, 0, z0}, {x1, 0, z1}};
    return test_curve_through(t, points, 2, 0);
}

static inline size_t test_add(test_sculpt *t, const ruga_stroke_def *def) {
    size_t number;
    assert_ok(t->context, ruga_sculpt_add(t->sculpt, def, &number));
    return number;
}

/* A stroke along a curve with high waves, whose number depends on the stiffness. */
static inline ruga_stroke_def test_stroke(const ruga_curve *curve, double radius) {
    ruga_stroke_def def = ruga_stroke_def_default();
    def.length = 1.3;
    def.spread = 0.25;
    def.start = RUGA_STROKE_BAND;
    def.wrinkles = 3;
    def.vary = 0;
    def.curve = curve;
    def.radius = radius;
    return def;
}

enum { STROKE_CHANGES = 15 };

/* The same stroke but for one thing. */
static inline ruga_stroke_def changed_stroke(const ruga_stroke_def *from, size_t change) {
    ruga_stroke_def def = *from;
    switch (change) {
        case 0: def.stiffness = 0.5 * def.stiffness + 6; break;
        case 1: def.length = def.length < 1.3 ? 1.45 : 1.15; break;
        case 2: def.start = def.start == RUGA_STROKE_BAND ? RUGA_STROKE_COUNT : RUGA_STROKE_BAND; break;
        case 3: def.seed++; break;
        case 4: def.wrinkles = def.wrinkles > 1 ? def.wrinkles - 1 : def.wrinkles + 1; break;
        case 5: def.straight = !def.straight; break;
        case 6: def.attenuation = (ruga_attenuation)(1 - (int)def.attenuation); break;
        case 7: def.radius = isnan(def.radius) ? 0.05 : 0.7 * def.radius; break;
        case 8: def.tolerance = isnan(def.tolerance) ? 0.002 : NAN; break;
        case 9: def.refine = (def.refine + 1) % 3; break;
        case 10: def.particles += 4; break;
        case 11: def.vary = 0.5 - 0.5 * def.vary; break;
        case 12: /* a furrow needs 13 particles */
            if (!def.region && def.particles >= 13) def.shape = (ruga_stroke_shape)(1 - (int)def.shape);
            break;
        case 13: def.taper = 0.5 - def.taper; break;
        default: def.off = 1; break;
    }
    return def;
}

static inline const ruga_mesh *test_update(test_sculpt *t) {
    assert_ok(t->context, ruga_sculpt_update(t->sculpt, 0, NULL));
    return ruga_sculpt_mesh(t->sculpt);
}

static inline void assert_same_attribute(const ruga_mesh *mesh, const ruga_attribute *x, const ruga_attribute *y) {
    assert_string_equal(x->name, y->name);
    assert_int_equal(x->domain, y->domain);
    assert_int_equal(x->count, y->count);
    assert_memory_equal(x->values, y->values, x->count * x->components * ruga_scalar_size(x->type));
    assert_int_equal(x->indices != NULL, y->indices != NULL);
    if (x->indices) assert_memory_equal(x->indices, y->indices, mesh_domain_size(mesh, x->domain) * sizeof *x->indices);
}

static inline void assert_same_map(const ruga_map *x, const ruga_map *y) {
    assert_int_equal(x->rows, y->rows);
    assert_int_equal(x->columns, y->columns);
    assert_memory_equal(x->offsets, y->offsets, (x->rows + 1) * sizeof *x->offsets);
    assert_memory_equal(x->indices, y->indices, x->offsets[x->rows] * sizeof *x->indices);
    assert_memory_equal(x->weights, y->weights, x->offsets[x->rows] * sizeof *x->weights);
}

/* The attributes of the meshes. */
static inline void assert_same_load(const ruga_mesh *x, const ruga_mesh *y) {
    assert_int_equal(x->edge_count, y->edge_count);
    assert_true(x->edge_count == 0 || memcmp(x->edges, y->edges, 2 * x->edge_count * sizeof *x->edges) == 0);
    assert_int_equal(x->line_count, y->line_count);
    assert_true(x->line_count == 0 || memcmp(x->line_vertices, y->line_vertices,
                                             x->line_offsets[x->line_count] * sizeof *x->line_vertices) == 0);
    assert_int_equal(x->attribute_count, y->attribute_count);
    for (size_t i = 0; i < x->attribute_count; i++) assert_same_attribute(x, &x->attributes[i], &y->attributes[i]);
}

/* The two sculpts have bit-identical results. */
static inline void assert_same_result(const ruga_sculpt *a, const ruga_sculpt *b) {
    const ruga_mesh *x = ruga_sculpt_mesh(a), *y = ruga_sculpt_mesh(b);
    assert_int_equal(x->vertex_count, y->vertex_count);
    assert_int_equal(x->triangle_count, y->triangle_count);
    assert_memory_equal(x->triangles, y->triangles, 3 * x->triangle_count * sizeof(uint32_t));
    assert_memory_equal(x->positions, y->positions, x->vertex_count * sizeof(ruga_vec3));
    assert_memory_equal(ruga_sculpt_normals(a), ruga_sculpt_normals(b), x->vertex_count * sizeof(ruga_vec3));
    assert_same_load(x, y);
    assert_same_map(ruga_sculpt_map(a), ruga_sculpt_map(b));
}

/* Manifold, oriented, with the holes and handles of the mesh it was made from, whose vertices come first. */
static inline void assert_valid_sculpt(const ruga_mesh *mesh, const ruga_mesh *result) {
    ruga_mesh_summary before, after;
    assert_ok(mesh->context, ruga_mesh_summarise(mesh, &before));
    assert_ok(mesh->context, ruga_mesh_summarise(result, &after));
    assert_int_equal(before.euler, after.euler);
    assert_int_equal(before.boundary_loops, after.boundary_loops);
    assert_int_equal(before.components, after.components);
    assert_int_equal(before.manifold, after.manifold);
    assert_int_equal(before.oriented, after.oriented);
    assert_int_equal(before.genus, after.genus);
    assert_int_equal(after.loose_vertices, before.loose_vertices);
    for (size_t v = 0; v < result->vertex_count; v++) assert_true(vec3_is_finite(result->positions[v]));
}

/* Pairs of triangles of a mesh that intersect. */
static inline size_t count_intersections(const ruga_mesh *mesh) {
    ruga_intersection_finder *finder;
    ruga_intersection_finder_def def = ruga_intersection_finder_def_default();
    ruga_intersection_mesh own = {mesh, "sculpt"};
    ruga_intersections found;
    def.mesh_count = 1;
    def.meshes = &own;
    assert_ok(mesh->context, ruga_intersection_finder_create(mesh->context, &def, &finder));
    assert_ok(mesh->context, ruga_intersection_finder_find(finder, NULL, &found));
    ruga_intersection_finder_destroy(finder);
    return found.count;
}

/* m, the distance of a point from a piece of a line in the plane y = 0, and how far along it the nearest place is. */
static inline double line_distance(ruga_vec3 p, double x0, double z0, double x1, double z1, double *along) {
    vec3 a = {x0, 0, z0}, line = {x1 - x0, 0, z1 - z0}, flat = {p.x, 0, p.z};
    double length = vec3_length(line), at = vec3_dot(vec3_sub(flat, a), line) / length;
    at = fmin(length, fmax(0, at));
    if (along) *along = at;
    return vec3_distance(flat, vec3_add_scaled(a, line, at / length));
}

#endif
