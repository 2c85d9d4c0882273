/* Trees in groups, and trees of which a few vertices moved. */
#include "brute.h"
#include "geom/bvh_tree.h"

static void assert_same_overlaps(const bvh *a, const bvh *b) {
    pair_array left = {0}, right = {0};
    assert_ok(a->context, bvh_self_overlaps(a, 0, a->count, &left));
    assert_ok(b->context, bvh_self_overlaps(b, 0, b->count, &right));
    assert_int_equal(left.count, right.count);
    if (left.count) assert_memory_equal(left.items, right.items, left.count * sizeof *left.items);
    ARRAY_RELEASE(a->context, &left);
    ARRAY_RELEASE(b->context, &right);
}

/* ---- Changes */

/* Every node's box contains the boxes below it. */
static void assert_boxes_nest(const bvh *tree) {
    size_t nested = 0;
    for (size_t i = 0; i < tree->node_count; i++)
        for (uint32_t k = 0; k < tree->nodes[i].count; k++) {
            const bvh_node *node = tree->nodes + i;
            if (node->child[k] & BVH_LEAF) continue;
            nested++;
            const bvh_node *child = tree->nodes + node->child[k];
            for (int axis = 0; axis < 3; axis++)
                for (uint32_t n = 0; n < child->count; n++) {
                    assert_at_most_case(node->low[axis][k], child->low[axis][n], "k %u, axis %d, n %u", k, axis, n);
                    assert_at_most_case(child->high[axis][n], node->high[axis][k], "k %u, axis %d, n %u", k, axis, n);
                }
        }
    assert_ran(nested, 1);
}

/* Moves `moved` vertices, several times, by up to `by`: the results are those of a fully refitted tree. */
static void check_changes(ruga_context *context, soup s, size_t moved, double by, int swept) {
    bvh *tree = soup_tree(context, &s), *whole = soup_tree(context, &s);
    vec3 *end = malloc(s.vertex_count * sizeof *end);
    memcpy(end, s.positions, s.vertex_count * sizeof *end);
    assert_ok(context, bvh_prepare_changes(tree));
    assert_ok(context, bvh_refit(tree, s.positions, swept ? end : NULL, 0.01));
    test_random random = {moved};
    for (int round = 0; round < 3; round++) {
        uint32_t vertices[200];
        for (size_t i = 0; i < moved; i++) {
            vertices[i] = (uint32_t)(random_bits(&random) % s.vertex_count);
            vec3 *p = (swept && i % 2 ? end : s.positions) + vertices[i];
            *p = vec3_add(*p, random_vec3(&random, -by, by));
        }
        assert_ok(context, bvh_refit_changed(tree, vertices, moved));
        assert_ok(context, bvh_refit(whole, s.positions, swept ? end : NULL, 0.01));
        assert_boxes_nest(tree);
        assert_same_overlaps(tree, whole);
        vec3 query = random_vec3(&random, -1, 1);
        assert_equal_case(bvh_closest_point(tree, query, INFINITY).distance,
                          bvh_closest_point(whole, query, INFINITY).distance, "round %d", round);
    }
    bvh_destroy(tree);
    bvh_destroy(whole);
    free(end);
    soup_release(&s);
}

static void a_few_moved_vertices_are_found_where_they_are(void **state) {
    const size_t moved[] = {0, 1, 7, 60, 200};
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i += SANITIZED ? 2 : 1)
        for (int swept = 0; swept < 2; swept++) {
            check_changes(*state, soup_sheet(25, 0.3), moved[i], 0.1, swept);
            check_changes(*state, soup_random(3, 300, 2, 1, 0), moved[i], 0.3, swept);
            check_changes(*state, soup_random(4, 300, 1, 1, 1e6), moved[i], 0.3, swept);
            check_changes(*state, soup_sheet(25, 0.3), moved[i], 30, swept);  // out of the frame
        }
}

static void a_vertex_that_is_not_finite_is_an_error_and_may_come_back(void **state) {
    ruga_context *context = *state;
    soup s = soup_sheet(20, 0.2);
    bvh *tree = soup_tree(context, &s), *whole = soup_tree(context, &s);
    assert_ok(context, bvh_prepare_changes(tree));
    const uint32_t vertex = 77;
    vec3 was = s.positions[vertex];
    s.positions[vertex].y = NAN;
    assert_status(bvh_refit_changed(tree, &vertex, 1), RUGA_ERROR_INPUT);
    assert_message_has(context, "has vertex 77");
    s.positions[vertex] = was;
    assert_ok(context, bvh_refit_changed(tree, &vertex, 1));
    assert_same_overlaps(tree, whole);
    bvh_destroy(tree);
    bvh_destroy(whole);
    soup_release(&s);
}

static void a_change_of_no_vertex_is_allowed(void **state) {
    bvh *tree = NULL;
    assert_ok(*state, bvh_build(*state, 0, NULL, 0, 3, NULL, &tree));
    assert_ok(*state, bvh_prepare_changes(tree));
    assert_ok(*state, bvh_refit_changed(tree, NULL, 0));
    bvh_destroy(tree);
}

/* ---- Groups */

/* No leaf has elements of two groups, and queries give the results of a tree without groups. */
static void check_groups(ruga_context *context, const uint32_t *ends, size_t group_count, size_t count) {
    soup s = soup_random(11, count, 3, 1, 0);
    bvh *tree = NULL, *plain = soup_tree(context, &s);
    assert_ok(context, bvh_build_groups(context, s.vertex_count, s.positions, s.count, s.arity, s.elements, group_count,
                                        ends, &tree));
    for (size_t i = 0; i < tree->leaf_count; i++) {
        const uint32_t *element = tree->leaves[i].element;
        for (size_t g = 0; g < group_count; g++)
            for (int k = 1; k < BVH_LEAF_SIZE; k++) assert_true((element[0] < ends[g]) == (element[k] < ends[g]));
    }
    assert_same_overlaps(tree, plain);
    bvh_destroy(tree);
    bvh_destroy(plain);
    soup_release(&s);
}

static void groups_share_no_leaf(void **state) {
    const uint32_t few[] = {1, 500, 503}, with_empty[] = {0, 0, 30, 30, 600, 600}, one[] = {40};
    check_groups(*state, few, 3, 503);
    check_groups(*state, with_empty, 6, 600);
    check_groups(*state, one, 1, 40);
    uint32_t many[1000];
    for (uint32_t i = 0; i < 1000; i++) many[i] = i + 1;
    check_groups(*state, many, 1000, 1000);
    uint32_t large[3] = {5000, 5001, 9000};
    check_groups(*state, large, 3, 9000);
}

/* Two sheets that overlap when the tree is made, then move apart: their leaves stay small. */
static void groups_that_move_apart_keep_small_leaves(void **state) {
    soup s = soup_sheet(30, 0), both = soup_allocate(2 * s.vertex_count, 2 * s.count, 3);
    for (size_t n = 0; n < 2; n++) {
        memcpy(both.positions + n * s.vertex_count, s.positions, s.vertex_count * sizeof *s.positions);
        for (size_t i = 0; i < 3 * s.count; i++)
            both.elements[3 * n * s.count + i] = s.elements[i] + (uint32_t)(n * s.vertex_count);
    }
    const uint32_t ends[2] = {(uint32_t)s.count, (uint32_t)both.count};
    bvh *tree = NULL;
    assert_ok(*state, bvh_build_groups(*state, both.vertex_count, both.positions, both.count, 3, both.elements, 2, ends,
                                       &tree));
    for (size_t i = 0; i < s.vertex_count; i++) both.positions[i].y += 5;
    assert_ok(*state, bvh_refit(tree, both.positions, NULL, 0));
    for (size_t i = 0; i < tree->leaf_count; i++) {
        double high = -INFINITY, low = INFINITY;
        for (int k = 0; k < BVH_LEAF_SIZE; k++) {
            double y = both.positions[tree->leaves[i].vertex[0][k]].y;
            high = fmax(high, y), low = fmin(low, y);
        }
        assert_equal_case(high, low, "i %zu", i);
    }
    bvh_destroy(tree);
    soup_release(&s);
    soup_release(&both);
}

static ruga_status prepare(ruga_context *context, void *user) {
    const soup *s = user;
    bvh *tree = NULL;
    const uint32_t ends[2] = {3, (uint32_t)s->count};
    ruga_status status =
        bvh_build_groups(context, s->vertex_count, s->positions, s->count, 3, s->elements, 2, ends, &tree);
    if (!RUGA_FAILED(status)) status = bvh_prepare_changes(tree);
    bvh_destroy(tree);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    soup s = soup_sheet(8, 0.1);
    assert_less(12, assert_every_allocation_may_fail(prepare, &s));
    soup_release(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_moved_vertices_are_found_where_they_are),
        cmocka_unit_test(a_vertex_that_is_not_finite_is_an_error_and_may_come_back),
        cmocka_unit_test(a_change_of_no_vertex_is_allowed),
        cmocka_unit_test(groups_share_no_leaf),
        cmocka_unit_test(groups_that_move_apart_keep_small_leaves),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
