/* Topology: every table agrees with the triangles it was made from, and counts are those of the known surfaces. */
#include "mesh/topology.h"

#include "support/shapes.h"

static topology *build(const ruga_mesh *mesh) {
    topology *topo = NULL;
    assert_ok(mesh->context,
              topology_build(mesh->context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &topo));
    return topo;
}

static int contains(const uint32_t *items, size_t begin, size_t end, uint32_t wanted) {
    for (size_t i = begin; i < end; i++)
        if (items[i] == wanted) return 1;
    return 0;
}

static void assert_rising(const uint32_t *items, size_t begin, size_t end) {
    for (size_t i = begin + 1; i < end; i++) assert_less_case(items[i - 1], items[i], "i %zu", i);
}

/* Everything that can be checked against the triangles, element by element. */
static void assert_agrees(const topology *topo, const uint32_t *triangles) {
    size_t pairs = 0;
    for (size_t e = 0; e < topo->edge_count; e++) {
        const uint32_t *ends = topo->edge_vertices + 2 * e;
        assert_less_case(ends[0], ends[1], "e %zu", e);
        if (e > 0) assert_at_most_case(ends[-2], ends[0], "e %zu", e);
        if (e > 0 && ends[-2] == ends[0]) assert_less_case(ends[-1], ends[1], "e %zu", e);
        assert_int_equal(topology_find_edge(topo, ends[0], ends[1]), e);
        assert_int_equal(topology_find_edge(topo, ends[1], ends[0]), e);
        assert_rising(topo->edge_triangles, topo->edge_offsets[e], topo->edge_offsets[e + 1]);
        assert_true(
            contains(topo->ring_vertices, topo->ring_offsets[ends[0]], topo->ring_offsets[ends[0] + 1], ends[1]));
        assert_true(
            contains(topo->ring_vertices, topo->ring_offsets[ends[1]], topo->ring_offsets[ends[1] + 1], ends[0]));
        pairs += topo->edge_offsets[e + 1] - topo->edge_offsets[e] == 2;
    }
    assert_int_equal(topo->edge_offsets[topo->edge_count], 3 * topo->triangle_count);
    assert_int_equal(topo->ring_offsets[topo->vertex_count], 2 * topo->edge_count);
    assert_int_equal(topo->fan_offsets[topo->vertex_count], 3 * topo->triangle_count);
    assert_int_equal(topo->pair_count, pairs);
    for (size_t t = 0; t < topo->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            uint32_t a = triangles[3 * t + k], b = triangles[3 * t + (k + 1) % 3], e = topo->triangle_edges[3 * t + k];
            assert_int_equal(e, topology_find_edge(topo, a, b));
            assert_true(contains(topo->edge_triangles, topo->edge_offsets[e], topo->edge_offsets[e + 1], (uint32_t)t));
            assert_true(contains(topo->fan_triangles, topo->fan_offsets[a], topo->fan_offsets[a + 1], (uint32_t)t));
        }
    for (size_t v = 0; v < topo->vertex_count; v++) {
        assert_rising(topo->ring_vertices, topo->ring_offsets[v], topo->ring_offsets[v + 1]);
        assert_rising(topo->fan_triangles, topo->fan_offsets[v], topo->fan_offsets[v + 1]);
    }
}

static int is_triangle(const uint32_t *t, uint32_t a, uint32_t b, uint32_t c) {
    for (size_t k = 0; k < 3; k++)
        if (t[k] == a && t[(k + 1) % 3] == b && t[(k + 2) % 3] == c) return 1;
    return 0;
}

static void assert_pairs_are_hinges(const topology *topo, const uint32_t *triangles) {
    for (size_t i = 0; i < topo->pair_count; i++) {
        const uint32_t *pair = topo->pairs + 4 * i;
        uint32_t e = topology_find_edge(topo, pair[0], pair[1]);
        const uint32_t *two = topo->edge_triangles + topo->edge_offsets[e];
        assert_true(is_triangle(triangles + 3 * (size_t)two[0], pair[0], pair[1], pair[2]));
        assert_true(is_triangle(triangles + 3 * (size_t)two[1], pair[1], pair[0], pair[3]));
    }
}

static void counts_are_those_of_the_surface(void **state) {
    struct {
        ruga_mesh *mesh;
        size_t edges, loops, loop_vertices;
    } cases[] = {{shape_sheet(*state, 5, 3), 5 * 4 + 6 * 3 + 15, 1, 16},
                 {shape_cylinder(*state, 6, 2), 6 * 3 + 6 * 2 + 12, 2, 12},
                 {shape_torus(*state, 7, 5), 3 * 35, 0, 0},
                 {shape_disc(*state, 9), 18, 1, 9},
                 {shape_icosahedron(*state), 30, 0, 0},
                 {shape_tet(*state), 6, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        topology *topo = build(cases[i].mesh);
        assert_agrees(topo, cases[i].mesh->triangles);
        assert_pairs_are_hinges(topo, cases[i].mesh->triangles);
        assert_int_equal(topo->edge_count, cases[i].edges);
        assert_int_equal(topo->loop_count, cases[i].loops);
        assert_int_equal(topo->loop_offsets[topo->loop_count], cases[i].loop_vertices);
        topology_destroy(topo);
        ruga_mesh_destroy(cases[i].mesh);
    }
}

/* Each step of a loop is a boundary edge in the direction of its triangle. */
static void loops_run_with_the_triangles(void **state) {
    ruga_mesh *mesh = shape_cylinder(*state, 8, 3);
    topology *topo = build(mesh);
    for (size_t l = 0; l < topo->loop_count; l++) {
        size_t begin = topo->loop_offsets[l], size = topo->loop_offsets[l + 1] - begin;
        assert_int_equal(size, 8);
        for (size_t i = 0; i < size; i++) {
            uint32_t a = topo->loop_vertices[begin + i], b = topo->loop_vertices[begin + (i + 1) % size];
            uint32_t e = topology_find_edge(topo, a, b);
            assert_int_equal(topo->edge_offsets[e + 1] - topo->edge_offsets[e], 1);
            const uint32_t *t = mesh->triangles + 3 * (size_t)topo->edge_triangles[topo->edge_offsets[e]];
            assert_true((t[0] == a && t[1] == b) || (t[1] == a && t[2] == b) || (t[2] == a && t[0] == b));
        }
    }
    topology_destroy(topo);
    ruga_mesh_destroy(mesh);
}

/* Two fans that touch in one vertex have two loops, however they are numbered. */
static void loops_do_not_change_fans_at_a_bow_tie(void **state) {
    static const uint32_t numberings[4][5] = {{0, 1, 2, 3, 4}, {4, 0, 1, 2, 3}, {2, 4, 0, 3, 1}, {4, 2, 3, 0, 1}};
    for (size_t i = 0; i < 4; i++) {
        const uint32_t *n = numberings[i], triangles[6] = {n[0], n[1], n[2], n[0], n[3], n[4]};
        topology *topo;
        assert_ok(*state, topology_build(*state, 5, 2, triangles, &topo));
        assert_int_equal(topo->loop_count, 2);
        assert_int_equal(topo->loop_offsets[1], 3);
        assert_int_equal(topo->loop_offsets[2], 6);
        topology_destroy(topo);
    }
}

/* Three triangles at one edge: the boundary still consists of loops that use each of its edges once. */
static void loops_end_at_non_manifold_edges(void **state) {
    const uint32_t triangles[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
    topology *topo;
    assert_ok(*state, topology_build(*state, 5, 3, triangles, &topo));
    assert_agrees(topo, triangles);
    assert_int_equal(topo->edge_count, 7);
    assert_int_equal(topo->pair_count, 0);
    assert_int_equal(topo->loop_offsets[topo->loop_count], 6);
    topology_destroy(topo);
}

/* A book: all pages share one edge, and the border of every page is part of a loop. */
static void loops_of_an_edge_with_many_triangles_are_found_in_time(void **state) {
    enum { pages = 50000 };
    uint32_t *triangles = malloc(3 * pages * sizeof *triangles);
    for (uint32_t i = 0; i < pages; i++) {
        triangles[3 * i] = i % 2;
        triangles[3 * i + 1] = 1 - i % 2;
        triangles[3 * i + 2] = i + 2;
    }
    topology *topo;
    assert_ok(*state, topology_build(*state, pages + 2, pages, triangles, &topo));
    assert_int_equal(topo->loop_offsets[topo->loop_count], 2 * pages);
    topology_destroy(topo);
    free(triangles);
}

static void a_vertex_named_twice_is_allowed(void **state) {
    const uint32_t triangles[12] = {0, 0, 1, 0, 1, 2, 3, 3, 3, 2, 1, 2};
    topology *topo;
    assert_ok(*state, topology_build(*state, 4, 4, triangles, &topo));
    assert_int_equal(topo->ring_offsets[4], 2 * 3);
    assert_int_equal(topo->fan_offsets[4] - topo->fan_offsets[3], 1);
    assert_int_equal(topology_find_edge(topo, 3, 3), topo->triangle_edges[6]);
    topology_destroy(topo);
}

static void an_empty_mesh_has_an_empty_topology(void **state) {
    topology *topo;
    assert_ok(*state, topology_build(*state, 0, 0, NULL, &topo));
    assert_int_equal(topo->edge_count + topo->loop_count + topo->pair_count, 0);
    assert_int_equal(topology_find_edge(topo, 0, 1), NO_INDEX);
    topology_destroy(topo);
    topology_destroy(NULL);
}

/* One vertex in every triangle: its bucket has all edges. */
static void a_hub_of_many_triangles_is_sorted_too(void **state) {
    ruga_mesh *mesh = shape_disc(*state, 3000);
    topology *topo = build(mesh);
    assert_agrees(topo, mesh->triangles);
    assert_int_equal(topo->ring_offsets[1], 3000);
    topology_destroy(topo);
    ruga_mesh_destroy(mesh);
}

static void random_triangles_agree(void **state) {
    test_random random = {11};
    for (size_t round = 0; round < 20; round++) {
        uint32_t triangles[3 * 60];
        for (size_t t = 0; t < 60; t++) do {
                for (size_t k = 0; k < 3; k++) triangles[3 * t + k] = (uint32_t)(random_bits(&random) % 25);
            } while (triangles[3 * t] == triangles[3 * t + 1] || triangles[3 * t + 1] == triangles[3 * t + 2] ||
                     triangles[3 * t + 2] == triangles[3 * t]);
        topology *topo;
        assert_ok(*state, topology_build(*state, 25, 60, triangles, &topo));
        assert_agrees(topo, triangles);
        size_t boundary = 0;
        for (size_t e = 0; e < topo->edge_count; e++)
            boundary += topo->edge_offsets[e + 1] - topo->edge_offsets[e] == 1;
        assert_int_equal(topo->loop_offsets[topo->loop_count], boundary);
        topology_destroy(topo);
    }
}

static ruga_status build_and_release(ruga_context *context, void *user) {
    const ruga_mesh *mesh = user;
    topology *topo = NULL;
    ruga_status status = topology_build(context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &topo);
    topology_destroy(topo);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 3, 3);
    assert_at_most(14, assert_every_allocation_may_fail(build_and_release, mesh));
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_surface),
        cmocka_unit_test(loops_run_with_the_triangles),
        cmocka_unit_test(loops_do_not_change_fans_at_a_bow_tie),
        cmocka_unit_test(loops_end_at_non_manifold_edges),
        cmocka_unit_test(loops_of_an_edge_with_many_triangles_are_found_in_time),
        cmocka_unit_test(a_vertex_named_twice_is_allowed),
        cmocka_unit_test(an_empty_mesh_has_an_empty_topology),
        cmocka_unit_test(a_hub_of_many_triangles_is_sorted_too),
        cmocka_unit_test(random_triangles_agree),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
