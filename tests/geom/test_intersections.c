/* Intersections of whole meshes: all pairs against rational arithmetic, and the laws of the search. */
#include "geom/intersections.h"

#include "brute.h"
#include "geom/rational_triangles.h"

/* Vertices on a few points of a grid, which many triangles share: soup in every special position. */
static soup soup_on_grid(uint64_t seed, size_t vertex_count, size_t count) {
    test_random random = {seed};
    soup s = soup_allocate(vertex_count, count, 3);
    for (size_t i = 0; i < vertex_count; i++) {
        uint64_t bits = random_bits(&random) >> 8;
        s.positions[i] = vec3_make((double)(bits % 5), (double)(bits / 5 % 5), (double)(bits / 25 % 5));
    }
    for (size_t i = 0; i < 3 * count; i++)
        s.elements[i] = (uint32_t)(random_bits(&random) >> 8) % (uint32_t)vertex_count;
    return s;
}

static soup soup_crossing(uint64_t seed, size_t count) {
    test_random random = {seed};
    soup s = soup_allocate(3 * count, count, 3);
    for (uint32_t i = 0; i < 3 * count; i++) {
        s.positions[i] = random_vec3(&random, -1, 1);
        s.elements[i] = i;
    }
    return s;
}

static intersection_array find(ruga_context *context, const soup *s, const uint32_t *welds) {
    intersection_array found = {0};
    assert_ok(context,
              intersections_find(context, s->vertex_count, s->positions, s->count, s->elements, welds, NULL, &found));
    return found;
}

static int is_one(const soup *s, const uint32_t *welds, uint32_t a, uint32_t b) {
    return a == b || (welds && welds[a] == welds[b] && memcmp(s->positions + a, s->positions + b, sizeof(vec3)) == 0);
}

/* The input of pair_intersects by brute force: the common corners of both first, each once. */
static triangle_pair brute_pair(const soup *s, const uint32_t *welds, const uint32_t *a, const uint32_t *b) {
    triangle_pair pair = {.common = 0};
    uint32_t common[3];
    for (int i = 0; i < 3; i++) {
        int fresh = 1, shared = 0;
        for (int k = 0; k < pair.common; k++) fresh = fresh && !is_one(s, welds, a[i], common[k]);
        for (int k = 0; k < 3; k++) shared = shared || is_one(s, welds, a[i], b[k]);
        if (fresh && shared) common[pair.common++] = a[i];
    }
    const uint32_t *sources[2] = {a, b};
    vec3 *targets[2] = {pair.a, pair.b};
    for (int n = 0; n < 2; n++) {
        int taken[3] = {0}, count = 0;
        for (int k = 0; k < pair.common; k++)
            for (int i = 0; i < 3; i++)
                if (is_one(s, welds, sources[n][i], common[k])) {
                    taken[i] = 1;
                    targets[n][count++] = s->positions[sources[n][i]];
                    break;
                }
        for (int i = 0; i < 3; i++)
            if (!taken[i]) targets[n][count++] = s->positions[sources[n][i]];
        assert_int_equal(count, 3);
    }
    return pair;
}

static void check_all_pairs(const soup *s, const uint32_t *welds, const intersection_array *found) {
    size_t at = 0;
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = i + 1; k < s->count; k++) {
            triangle_pair pair = brute_pair(s, welds, s->elements + 3 * (size_t)i, s->elements + 3 * (size_t)k);
            int meet = rational_pair_intersects(&pair);
            rational_release_all();
            if (!meet) continue;
            assert_less_case(at, found->count, "i %u, k %u", i, k);
            assert_int_equal(found->items[at].triangles[0], i);
            assert_int_equal(found->items[at++].triangles[1], k);
        }
    assert_int_equal(at, found->count);
}

/* The lowest vertex at the same place. */
static uint32_t *brute_welds(const soup *s) {
    uint32_t *welds = malloc(s->vertex_count * sizeof *welds);
    for (uint32_t i = 0; i < s->vertex_count; i++)
        for (uint32_t k = welds[i] = 0; k <= i; k++)
            if (memcmp(s->positions + i, s->positions + k, sizeof(vec3)) == 0) {
                welds[i] = k;
                break;
            }
    return welds;
}

static void soups_have_the_intersections_of_rational_arithmetic(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        soup s = seed % 2 ? soup_on_grid(seed, 30, 45) : soup_crossing(seed, 40);
        uint32_t *welds = brute_welds(&s);
        for (int welded = 0; welded < 2; welded++) {
            intersection_array found = find(context, &s, welded ? welds : NULL);
            check_all_pairs(&s, welded ? welds : NULL, &found);
            assert_less_case(10, found.count, "seed %llu, welded %d", (unsigned long long)seed, welded);
            ARRAY_RELEASE(context, &found);
        }
        free(welds);
        soup_release(&s);
    }
    ruga_context_destroy(context);
}

static void a_surface_that_only_touches_itself_at_its_vertices_has_none(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    for (int i = 0; i < 3; i++) {
        soup s = soup_sheet(60, 0.2 * i);
        intersection_array found = find(context, &s, NULL);
        assert_int_equal(found.count, 0);
        ARRAY_RELEASE(context, &found);
        soup_release(&s);
    }
    ruga_context_destroy(context);
}

/* A sheet folded onto itself along the line x = 0: each triangle lies exactly on its mirror image. */
static void a_sheet_folded_flat_onto_itself_intersects_everywhere(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    soup s = soup_sheet(16, 0);
    for (size_t i = 0; i < s.vertex_count; i++) s.positions[i].x = fabs(s.positions[i].x);
    intersection_array found = find(context, &s, NULL);
    uint8_t seen[512] = {0};
    for (size_t i = 0; i < found.count; i++) seen[found.items[i].triangles[0]] = seen[found.items[i].triangles[1]] = 1;
    for (size_t i = 0; i < s.count; i++) assert_true(seen[i]);
    ARRAY_RELEASE(context, &found);
    soup_release(&s);
    ruga_context_destroy(context);
}

/* Two quads that cross in a segment of known place. */
static void the_point_is_where_they_cross(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    vec3 positions[] = {{0, 0, 0}, {4, 0, 0}, {0, 0, 4}, {1, -1, 1}, {1, 1, 1}, {1, 1, 0.5}};
    uint32_t triangles[] = {0, 1, 2, 3, 4, 5};
    soup s = {6, 2, 3, positions, triangles};
    intersection_array found = find(context, &s, NULL);
    assert_int_equal(found.count, 1);
    assert_near(found.items[0].point.x, 1, 1e-12);
    assert_near(found.items[0].point.y, 0, 1e-12);
    assert_near(found.items[0].point.z, 0.875, 1e-12);
    ARRAY_RELEASE(context, &found);
    ruga_context_destroy(context);
}

/* Cut along x = 0, as files do at a seam: its vertices are double. Once they are apart they no longer count as one. */
static void welded_vertices_are_one_while_they_stay_together(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    vec3 positions[] = {{0, 0, 0}, {0, 0, 1}, {-1, 0, 0}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    uint32_t triangles[] = {0, 1, 2, 3, 4, 5}, welds[] = {0, 1, 2, 0, 1, 5};
    soup s = {6, 2, 3, positions, triangles};
    intersection_array found = find(context, &s, NULL);
    assert_int_equal(found.count, 1);
    ARRAY_RELEASE(context, &found);
    found = find(context, &s, welds);
    assert_int_equal(found.count, 0);
    positions[3].x = -0.125; /* the seam opens at one end, and the sides overlap */
    ARRAY_RELEASE(context, &found);
    found = find(context, &s, welds);
    assert_int_equal(found.count, 1);
    ARRAY_RELEASE(context, &found);
    ruga_context_destroy(context);
}

static void the_answer_does_not_depend_on_threads_or_on_whose_tree_it_is(void **state) {
    (void)state;
    ruga_context *one = context_plain(1), *four = context_plain(4);
    soup s = soup_random(9, 4000, 3, 1, 0);
    intersection_array first = find(one, &s, NULL), second = find(four, &s, NULL), third = {0};
    bvh *tree = soup_tree(four, &s);
    assert_ok(four, bvh_refit(tree, s.positions, NULL, 0.01));
    assert_ok(four, intersections_find(four, s.vertex_count, s.positions, s.count, s.elements, NULL, tree, &third));
    assert_less(100, first.count);
    assert_int_equal(first.count, second.count);
    assert_int_equal(first.count, third.count);
    assert_memory_equal(first.items, second.items, first.count * sizeof *first.items);
    assert_memory_equal(first.items, third.items, first.count * sizeof *first.items);
    bvh_destroy(tree);
    ARRAY_RELEASE(one, &first);
    ARRAY_RELEASE(four, &second);
    ARRAY_RELEASE(four, &third);
    soup_release(&s);
    ruga_context_destroy(one);
    ruga_context_destroy(four);
}

static void a_vertex_that_is_not_finite_is_named(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_sheet(4, 0);
    intersection_array found = {0};
    s.positions[7].y = NAN;
    assert_status(intersections_find(context, s.vertex_count, s.positions, s.count, s.elements, NULL, NULL, &found),
                  RUGA_ERROR_INPUT);
    assert_message_has(context, "vertex 7");
    soup_release(&s);
    ruga_context_destroy(context);
}

static void an_empty_mesh_has_no_intersections(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = {0};
    intersection_array found = find(context, &s, NULL);
    assert_int_equal(found.count, 0);
    ARRAY_RELEASE(context, &found);
    ruga_context_destroy(context);
}

static ruga_status find_in_soup(ruga_context *context, void *user) {
    const soup *s = user;
    intersection_array found = {0};
    ruga_status status =
        intersections_find(context, s->vertex_count, s->positions, s->count, s->elements, NULL, NULL, &found);
    ARRAY_RELEASE(context, &found);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    soup s = soup_random(3, 700, 3, 0.5, 0);
    assert_less(5, assert_every_allocation_may_fail(find_in_soup, &s));
    soup_release(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_have_the_intersections_of_rational_arithmetic),
        cmocka_unit_test(a_surface_that_only_touches_itself_at_its_vertices_has_none),
        cmocka_unit_test(a_sheet_folded_flat_onto_itself_intersects_everywhere),
        cmocka_unit_test(the_point_is_where_they_cross),
        cmocka_unit_test(welded_vertices_are_one_while_they_stay_together),
        cmocka_unit_test(the_answer_does_not_depend_on_threads_or_on_whose_tree_it_is),
        cmocka_unit_test(a_vertex_that_is_not_finite_is_named),
        cmocka_unit_test(an_empty_mesh_has_no_intersections),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
