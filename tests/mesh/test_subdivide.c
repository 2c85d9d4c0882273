/* Subdivision: counts by formula, and surfaces that stay or converge to their limit. */
#include "ruga/subdivide.h"

#include <math.h>

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/topology.h"
#include "support/shapes.h"
#include "support/subdivided.h"

static size_t shape_count(void) { return 6; }

static ruga_mesh *shape(ruga_context *context, size_t i) {
    switch (i) {
        case 0: return shape_sheet(context, 3, 2);
        case 1: return shape_cylinder(context, 5, 2);
        case 2: return shape_torus(context, 5, 4);
        case 3: return shape_icosahedron(context);
        case 4: return shape_disc(context, 7);
        default: return shape_loaded_sheet(context);
    }
}

/* ---- Regular. */

static void regular_counts_are_by_formula_and_the_surface_stays(void **state) {
    for (size_t i = 0; i < shape_count(); i++)
        for (int n = 1; n <= 7; n++) {
            ruga_mesh *mesh = shape(*state, i);
            size_t vertices = mesh->vertex_count, edges = summary_of(mesh).edges, triangles = mesh->triangle_count;
            fine f = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, n, 0);
            size_t parts = (size_t)n;
            assert_int_equal(f.mesh->triangle_count, parts * parts * triangles);
            assert_int_equal(f.mesh->vertex_count, vertices + edges * (parts - 1) +
                                                       triangles * (parts - 1) * (parts - (parts > 1 ? 2 : 1)) / 2);
            assert_memory_equal(f.mesh->positions, mesh->positions, vertices * sizeof(ruga_vec3));
            assert_same_surface(mesh, f.mesh);
            fine_release(f);
            ruga_mesh_destroy(mesh);
        }
}

static void regular_triangles_are_all_similar(void **state) {
    const ruga_vec3 points[3] = {{0, 0, 0}, {3, 0, 0}, {1, 2, 1}};
    const uint32_t face[3] = {0, 1, 2};
    ruga_mesh *mesh = shape_make(*state, 3, points, 1, NULL, face);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 5, 0);
    for (size_t t = 0; t < 25; t++)
        assert_near_case(mesh_triangle_area(f.mesh, t) * 25, mesh_triangle_area(mesh, 0), 1e-13, "t %zu", t);
    ruga_validation *validation;
    assert_ok(*state, ruga_mesh_validate(f.mesh, &validation));
    assert_int_equal(validation->defect_count, 0);
    ruga_validation_destroy(f.mesh, validation);
    fine_release(f);
    ruga_mesh_destroy(mesh);
}

static void regular_in_two_steps_is_regular_at_once(void **state) {
    ruga_mesh *mesh = shape_icosahedron(*state);
    fine two = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0), six = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 6, 0);
    fine three = subdivide(two.mesh, RUGA_SUBDIVIDE_REGULAR, 3, 0);
    assert_int_equal(three.mesh->vertex_count, six.mesh->vertex_count);
    ruga_mesh_summary a = summary_of(three.mesh), b = summary_of(six.mesh);
    assert_true(a.edges == b.edges);
    assert_near(a.longest_edge, b.longest_edge, 1e-14);
    fine_release(two);
    fine_release(three);
    fine_release(six);
    ruga_mesh_destroy(mesh);
}

/* ---- Loop. */

static void loop_keeps_the_topology(void **state) {
    for (size_t i = 0; i < shape_count(); i++) {
        ruga_mesh *mesh = shape(*state, i);
        ruga_mesh_summary before = summary_of(mesh);
        for (int rounds = 0; rounds <= 3; rounds++) {
            fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, rounds, 0);
            ruga_mesh_summary after = summary_of(f.mesh);
            assert_int_equal(f.mesh->triangle_count, mesh->triangle_count << (2 * rounds));
            assert_true(after.euler == before.euler && after.boundary_loops == before.boundary_loops);
            assert_true(after.manifold && after.oriented && after.closed == before.closed);
            for (size_t k = 0; k < f.map->offsets[f.map->rows]; k++)
                assert_less_case(0, f.map->weights[k], "i %zu, rounds %d, k %zu", i, rounds, k);
            if (rounds == 0)
                assert_memory_equal(f.mesh->positions, mesh->positions, mesh->vertex_count * sizeof(ruga_vec3));
            fine_release(f);
        }
        ruga_mesh_destroy(mesh);
    }
}

/* Inside a regular grid an affine function of the position is reproduced: new points lie in the middle of edges, and
 * old ones stay. The grid is sheared, so that this is not due to symmetry. */
static void loop_reproduces_affine_functions_on_a_regular_plane(void **state) {
    ruga_mesh *flat = shape_sheet(*state, 6, 6);
    ruga_vec3 sheared[49];
    for (size_t v = 0; v < 49; v++) {
        vec3 p = flat->positions[v];
        sheared[v] = (vec3){p.x + 0.3 * p.z, 2 * p.x - p.z + 1, 0.7 * p.z};
    }
    ruga_mesh *mesh = shape_make(*state, 49, sheared, flat->face_count, NULL, flat->face_vertices);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, 1, 0), linear = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    size_t inside = 0;
    for (size_t v = 0; v < f.mesh->vertex_count; v++) {
        vec3 p = linear.mesh->positions[v];
        double z = p.z / 0.7, x = p.x - 0.3 * z;
        if (x < 1e-9 || x > 1 - 1e-9 || z < -1 + 1e-9 || z > -1e-9) continue;
        assert_less_case(vec3_distance(p, f.mesh->positions[v]), 1e-14, "v %zu", v);
        inside++;
    }
    assert_int_equal(inside, 11 * 11);
    fine_release(f);
    fine_release(linear);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(flat);
}

/* A vertex of valence k tends to the point that Loop's limit mask gives: the ring with 1 / (k + 3 / (8 beta)) each. */
static void loop_tends_to_its_limit_surface(void **state) {
    ruga_mesh *mesh = shape_icosahedron(*state);
    double c = 3.0 / 8 + cos(2 * acos(-1) / 5) / 4, beta = (5.0 / 8 - c * c) / 5, share = 1 / (5 + 3 / (8 * beta));
    topology *topo;
    assert_ok(*state, topology_build(*state, 12, 20, mesh->triangles, &topo));
    double previous = 1;
    for (int rounds = 1; rounds <= 5; rounds++) {
        fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, rounds, 0);
        double worst = 0;
        for (size_t v = 0; v < 12; v++) {
            vec3 limit = vec3_scale(mesh->positions[v], 1 - 5 * share);
            for (size_t i = topo->ring_offsets[v]; i < topo->ring_offsets[v + 1]; i++)
                limit = vec3_add_scaled(limit, mesh->positions[topo->ring_vertices[i]], share);
            worst = fmax(worst, vec3_distance(limit, f.mesh->positions[v]));
        }
        assert_less_case(worst, 0.45 * previous, "rounds %d", rounds);
        previous = worst;
        fine_release(f);
    }
    assert_less(previous, 2e-3);
    topology_destroy(topo);
    ruga_mesh_destroy(mesh);
}

/* The angle between neighbouring triangles over their distance is a curvature: it converges, the angle tends to 0. */
static double worst_bend(const ruga_mesh *mesh) {
    topology *topo;
    assert_ok(mesh->context,
              topology_build(mesh->context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &topo));
    double worst = 0;
    for (size_t i = 0; i < topo->pair_count; i++) {
        const uint32_t *q = topo->pairs + 4 * i;
        vec3 a = mesh->positions[q[0]], e = vec3_sub(mesh->positions[q[1]], a);
        vec3 first = vec3_cross(e, vec3_sub(mesh->positions[q[2]], a));
        vec3 second = vec3_cross(vec3_sub(mesh->positions[q[3]], a), e);
        worst = fmax(worst, atan2(vec3_length(vec3_cross(first, second)), vec3_dot(first, second)));
    }
    topology_destroy(topo);
    return worst;
}

static void loop_smooths_until_curvature_settles(void **state) {
    ruga_mesh *mesh = shape_icosahedron(*state);
    double bend = worst_bend(mesh);
    for (int rounds = 1; rounds <= 5; rounds++) {
        fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, rounds, 0);
        double now = worst_bend(f.mesh);
        assert_less_case(now, 0.62 * bend, "rounds %d", rounds);
        assert_less_case(0.35 * bend, now, "rounds %d", rounds);
        bend = now;
        fine_release(f);
    }
    ruga_mesh_destroy(mesh);
}

static void loop_boundaries_are_curves_of_their_own(void **state) {
    ruga_mesh *mesh = shape_cylinder(*state, 6, 3);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, 2, 0);
    topology *topo;
    assert_ok(*state, topology_build(*state, f.mesh->vertex_count, f.mesh->triangle_count, f.mesh->triangles, &topo));
    for (size_t i = 0; i < topo->loop_offsets[topo->loop_count]; i++) {
        uint32_t v = topo->loop_vertices[i];
        double y = f.mesh->positions[v].y;
        assert_true(y == 0 || y == 1);
        for (size_t k = f.map->offsets[v]; k < f.map->offsets[v + 1]; k++)
            assert_equal_case(mesh->positions[f.map->indices[k]].y, y, "i %zu, k %zu", i, k);
    }
    topology_destroy(topo);
    fine_release(f);
    ruga_mesh_destroy(mesh);
}

static void loop_refuses_meshes_without_rules(void **state) {
    const ruga_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
    const uint32_t three[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4}, twice[6] = {0, 1, 2, 1, 3, 1};
    ruga_subdivide_def def = subdivide_def(RUGA_SUBDIVIDE_LOOP, 1, 0);
    ruga_mesh *out = NULL, *mesh = shape_make(*state, 5, points, 3, NULL, three);
    assert_status(ruga_mesh_subdivide(mesh, &def, &out, NULL), RUGA_ERROR_INPUT);
    assert_message_has(*state, "edge (0, 1) has 3 triangles");
    ruga_mesh_destroy(mesh);
    mesh = shape_make(*state, 5, points, 2, NULL, twice);
    assert_status(ruga_mesh_subdivide(mesh, &def, &out, NULL), RUGA_ERROR_INPUT);
    assert_message_has(*state, "face 1 names a vertex twice");
    assert_null(out);
    ruga_mesh_destroy(mesh);
}

/* A vertex where two fans touch, or without triangles, keeps its position. */
static void loop_keeps_bow_ties_and_loose_vertices(void **state) {
    const ruga_vec3 points[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}, {7, 7, 7}};
    const uint32_t tie[6] = {0, 1, 2, 0, 3, 4};
    ruga_mesh *mesh = shape_make(*state, 6, points, 2, NULL, tie);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, 2, 0);
    assert_memory_equal(&f.mesh->positions[0], &points[0], sizeof points[0]);
    assert_memory_equal(&f.mesh->positions[5], &points[5], sizeof points[0]);
    fine_release(f);
    ruga_mesh_destroy(mesh);
}

/* ---- Long edges. */

static double smallest_angle(const ruga_mesh *mesh) {
    double smallest = 4;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        size_t t = i / 3 * 3;
        vec3 a = mesh->positions[mesh->triangles[i]], b = mesh->positions[mesh->triangles[t + (i + 1) % 3]];
        vec3 c = mesh->positions[mesh->triangles[t + (i + 2) % 3]], u = vec3_sub(b, a), w = vec3_sub(c, a);
        smallest = fmin(smallest, atan2(vec3_length(vec3_cross(u, w)), vec3_dot(u, w)));
    }
    return smallest;
}

static void no_edge_is_longer_and_the_surface_stays(void **state) {
    for (size_t i = 0; i < shape_count(); i++) {
        ruga_mesh *mesh = shape(*state, i);
        ruga_mesh_summary before = summary_of(mesh);
        for (double part = 1.1; part > 0.08; part *= 0.6) {
            double length = part * before.longest_edge;
            fine f = subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 0, length);
            ruga_mesh_summary after = summary_of(f.mesh);
            assert_at_most_case(after.longest_edge, length * (1 + 1e-14), "i %zu", i);
            assert_at_most_case(fmin(0.2 * length, before.shortest_edge), after.shortest_edge, "i %zu", i);
            assert_same_surface(mesh, f.mesh);
            assert_memory_equal(f.mesh->positions, mesh->positions, mesh->vertex_count * sizeof(ruga_vec3));
            assert_at_most_case(0.5 * smallest_angle(mesh) - 1e-12, smallest_angle(f.mesh), "i %zu", i);
            if (part > 1) assert_int_equal(f.mesh->triangle_count, mesh->triangle_count);
            fine_release(f);
        }
        ruga_mesh_destroy(mesh);
    }
}

/* Triangles cut on all sides keep their shape if they are acute, and get better angles if they are obtuse. */
static void shapes_stay_good_or_get_better(void **state) {
    ruga_mesh *ball = shape_icosahedron(*state);
    fine f = subdivide(ball, RUGA_SUBDIVIDE_LONG_EDGES, 0, 0.2);
    assert_near(smallest_angle(f.mesh), acos(0.5), 1e-12);
    fine_release(f);
    ruga_mesh_destroy(ball);

    const ruga_vec3 flat[3] = {{-1, 0, 0}, {1, 0, 0}, {0, 0.25, 0}};
    const uint32_t face[3] = {0, 1, 2};
    ruga_mesh *mesh = shape_make(*state, 3, flat, 1, NULL, face);
    f = subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 0, 1.02);
    size_t obtuse = 0; /* angles of the two triangles at the middle of the longest edge */
    for (size_t i = 0; i < 12; i++) {
        size_t t = i / 3 * 3;
        vec3 a = f.mesh->positions[f.mesh->triangles[i]];
        vec3 u = vec3_sub(f.mesh->positions[f.mesh->triangles[t + (i + 1) % 3]], a);
        vec3 w = vec3_sub(f.mesh->positions[f.mesh->triangles[t + (i + 2) % 3]], a);
        obtuse += vec3_dot(u, w) < 0 && i / 3 > 1;
    }
    assert_int_equal(f.mesh->triangle_count, 4);
    assert_int_equal(obtuse, 0);
    fine_release(f);
    ruga_mesh_destroy(mesh);
}

static void only_long_edges_are_split(void **state) {
    const ruga_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {9, 0.5, 0}};
    const uint32_t faces[9] = {0, 1, 2, 1, 3, 2, 1, 4, 3};
    ruga_mesh *mesh = shape_make(*state, 5, points, 3, NULL, faces);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 0, 1.5);
    for (size_t t = 0; t < 2; t++) assert_memory_equal(f.mesh->triangles + 3 * t, faces + 3 * t, 3 * sizeof(uint32_t));
    assert_less(10, f.mesh->triangle_count);
    assert_same_surface(mesh, f.mesh);
    fine_release(f);
    ruga_mesh_destroy(mesh);
}

static void needles_and_non_manifold_fans_are_split_without_gaps(void **state) {
    const ruga_vec3 points[6] = {{0, 0, 0}, {10, 0, 0}, {0, 1e-3, 0}, {5, 0, 0.01}, {3, -1, 0}, {20, 0, 0}};
    const uint32_t faces[15] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 1, 5, 0, 2, 2, 4};
    ruga_mesh *mesh = shape_make(*state, 6, points, 5, NULL, faces);
    ruga_mesh_summary before = summary_of(mesh);
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 0, 0.5);
    ruga_mesh_summary after = summary_of(f.mesh);
    assert_at_most(after.longest_edge, 0.5 * (1 + 1e-14));
    assert_near(after.area, before.area, 1e-12);
    assert_int_equal(after.euler, before.euler);
    fine_release(f);
    ruga_mesh_destroy(mesh);
}

static void lengths_that_can_not_be_reached_are_refused(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 1, 1), *out = NULL;
    ruga_subdivide_def def = subdivide_def(RUGA_SUBDIVIDE_LONG_EDGES, 0, 1e-6);
    assert_status(ruga_mesh_subdivide(mesh, &def, &out, NULL), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "triangles");
    ruga_mesh_destroy(mesh);

    /* Neighbouring numbers have no middle. */
    double next = nextafter(1, 2);
    const ruga_vec3 close[3] = {{1, 1, 1}, {next, 1, 1}, {1, next, 1}};
    const uint32_t face[3] = {0, 1, 2};
    mesh = shape_make(*state, 3, close, 1, NULL, face);
    def.length = 1e-17;
    assert_status(ruga_mesh_subdivide(mesh, &def, &out, NULL), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "too short");
    ruga_mesh_destroy(mesh);

    const ruga_vec3 broken[3] = {{1, 1, 1}, {2, NAN, 1}, {1, 2, 1}};
    mesh = shape_make(*state, 3, broken, 1, NULL, face);
    def.length = 0.1;
    assert_status(ruga_mesh_subdivide(mesh, &def, &out, NULL), RUGA_ERROR_INPUT);
    assert_message_has(*state, "vertex 1 is not finite");
    assert_null(out);
    ruga_mesh_destroy(mesh);
}

/* ---- All kinds. */

static void wrong_arguments_are_refused(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 1, 1), *tet = shape_tet(*state), *out = NULL;
    const ruga_subdivide_def wrong[] = {
        subdivide_def(RUGA_SUBDIVIDE_REGULAR, 0, 0),    subdivide_def(RUGA_SUBDIVIDE_REGULAR, 257, 0),
        subdivide_def(RUGA_SUBDIVIDE_LOOP, -1, 0),      subdivide_def(RUGA_SUBDIVIDE_LOOP, 9, 0),
        subdivide_def(RUGA_SUBDIVIDE_LONG_EDGES, 0, 0), subdivide_def(RUGA_SUBDIVIDE_LONG_EDGES, 0, NAN),
        subdivide_def((ruga_subdivision)7, 1, 1),       {0}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_status(ruga_mesh_subdivide(mesh, &wrong[i], &out, NULL), RUGA_ERROR_ARGUMENT);
    ruga_subdivide_def def = ruga_subdivide_def_default();
    assert_status(ruga_mesh_subdivide(tet, &def, &out, NULL), RUGA_ERROR_INPUT);
    assert_message_has(*state, "tets");
    assert_status(ruga_mesh_subdivide(NULL, &def, &out, NULL), RUGA_ERROR_ARGUMENT);
    assert_null(out);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(tet);
}

static void a_result_that_is_too_large_is_refused(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 120, 120), *out = NULL;
    ruga_subdivide_def def = subdivide_def(RUGA_SUBDIVIDE_REGULAR, 256, 0);
    assert_status(ruga_mesh_subdivide(mesh, &def, &out, NULL), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "limit");
    assert_null(out);
    ruga_mesh_destroy(mesh);
}

static void an_empty_mesh_stays_empty(void **state) {
    ruga_mesh *mesh = shape_make(*state, 0, NULL, 0, NULL, NULL);
    for (int kind = 0; kind < 3; kind++) {
        fine f = subdivide(mesh, (ruga_subdivision)kind, 2, 0.1);
        assert_int_equal(f.mesh->vertex_count + f.mesh->triangle_count, 0);
        fine_release(f);
    }
    ruga_mesh_destroy(mesh);
}

static void the_same_mesh_gives_the_same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        fine results[2];
        ruga_context *contexts[2];
        for (int i = 0; i < 2; i++) {
            contexts[i] = context_plain(i ? 3 : 1);
            ruga_mesh *mesh = shape_torus(contexts[i], 20, 12);
            results[i] = subdivide(mesh, (ruga_subdivision)kind, 2, 0.2);
            ruga_mesh_destroy(mesh);
        }
        const ruga_mesh *a = results[0].mesh, *b = results[1].mesh;
        assert_int_equal(a->vertex_count, b->vertex_count);
        assert_int_equal(a->triangle_count, b->triangle_count);
        assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof(ruga_vec3));
        assert_memory_equal(a->triangles, b->triangles, 3 * a->triangle_count * sizeof(uint32_t));
        for (int i = 0; i < 2; i++) {
            fine_release(results[i]);
            ruga_context_destroy(contexts[i]);
        }
    }
}

static void the_mesh_is_the_same_without_its_map(void **state) {
    ruga_mesh *mesh = shape_icosahedron(*state), *out;
    ruga_subdivide_def def = subdivide_def(RUGA_SUBDIVIDE_LOOP, 2, 0);
    assert_ok(*state, ruga_mesh_subdivide(mesh, &def, &out, NULL));
    fine f = subdivide(mesh, RUGA_SUBDIVIDE_LOOP, 2, 0);
    assert_memory_equal(out->positions, f.mesh->positions, out->vertex_count * sizeof(ruga_vec3));
    fine_release(f);
    ruga_mesh_destroy(out);
    ruga_mesh_destroy(mesh);
}

/* Cancels at the call of this number, from 0. */
typedef struct canceller {
    int calls, stop_at;
} canceller;

static int stop(void *user, const char *stage, double fraction) {
    canceller *c = user;
    assert_string_equal(stage, "subdividing");
    assert_at_most(0, fraction);
    assert_at_most(fraction, 1);
    return c->calls++ == c->stop_at;
}

/* Cancels at every call; the address sanitizer finds leaks. */
static void a_cancelled_call_leaves_nothing(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        canceller c = {0};
        ruga_context_def context_def = ruga_context_def_default();
        context_def.progress = stop;
        context_def.progress_user = &c;
        ruga_context *context;
        assert_status(ruga_context_create(&context_def, &context), RUGA_OK);
        ruga_mesh *mesh = shape_icosahedron(context), *out = NULL;
        ruga_map *map = NULL;
        ruga_subdivide_def def = subdivide_def((ruga_subdivision)kind, 3, 0.1);
        ruga_status status;
        while ((status = ruga_mesh_subdivide(mesh, &def, &out, &map)) == RUGA_ERROR_CANCELLED) {
            assert_null(out);
            assert_null(map);
            c = (canceller){.stop_at = c.stop_at + 1};
        }
        assert_ok(context, status);
        assert_at_most_case(3, c.stop_at, "kind %d", kind);
        ruga_map_destroy(map);
        ruga_mesh_destroy(out);
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_counts_are_by_formula_and_the_surface_stays),
        cmocka_unit_test(regular_triangles_are_all_similar),
        cmocka_unit_test(regular_in_two_steps_is_regular_at_once),
        cmocka_unit_test(loop_keeps_the_topology),
        cmocka_unit_test(loop_reproduces_affine_functions_on_a_regular_plane),
        cmocka_unit_test(loop_tends_to_its_limit_surface),
        cmocka_unit_test(loop_smooths_until_curvature_settles),
        cmocka_unit_test(loop_boundaries_are_curves_of_their_own),
        cmocka_unit_test(loop_refuses_meshes_without_rules),
        cmocka_unit_test(loop_keeps_bow_ties_and_loose_vertices),
        cmocka_unit_test(no_edge_is_longer_and_the_surface_stays),
        cmocka_unit_test(shapes_stay_good_or_get_better),
        cmocka_unit_test(only_long_edges_are_split),
        cmocka_unit_test(needles_and_non_manifold_fans_are_split_without_gaps),
        cmocka_unit_test(lengths_that_can_not_be_reached_are_refused),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(a_result_that_is_too_large_is_refused),
        cmocka_unit_test(an_empty_mesh_stays_empty),
        cmocka_unit_test(the_same_mesh_gives_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(the_mesh_is_the_same_without_its_map),
        cmocka_unit_test(a_cancelled_call_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
