/* Overlaps of pairs and boxes, against brute force. */
#include "brute.h"

typedef struct box {
    double low[3], high[3];
} box;

static box brute_box(const soup *s, const vec3 *end, size_t element, double margin) {
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < s->arity; k++) {
        uint32_t vertex = s->elements[element * (size_t)s->arity + (size_t)k];
        const vec3 *ends[2] = {s->positions + vertex, end ? end + vertex : s->positions + vertex};
        for (int n = 0; n < 2; n++) {
            const double x[3] = {ends[n]->x, ends[n]->y, ends[n]->z};
            for (int i = 0; i < 3; i++) b.low[i] = fmin(b.low[i], x[i]), b.high[i] = fmax(b.high[i], x[i]);
        }
    }
    for (int i = 0; i < 3; i++) b.low[i] -= margin, b.high[i] += margin;
    return b;
}

static int boxes_meet(const box *a, const box *b) {
    for (int i = 0; i < 3; i++)
        if (a->low[i] > b->high[i] || b->low[i] > a->high[i]) return 0;
    return 1;
}

static box *all_boxes(const soup *s, const vec3 *end, double margin) {
    box *boxes = malloc((s->count + 1) * sizeof *boxes);
    for (size_t i = 0; i < s->count; i++) boxes[i] = brute_box(s, end, i, margin);
    return boxes;
}

/* The pairs are exactly those of brute force, in order. */
static void check_pairs(const pair_array *pairs, const box *boxes, size_t begin, size_t end, size_t count) {
    size_t at = 0;
    for (size_t i = begin; i < end; i++)
        for (size_t k = i + 1; k < count; k++) {
            if (!boxes_meet(boxes + i, boxes + k)) continue;
            assert_at_most_case(at + 2, pairs->count, "i %zu, k %zu", i, k);
            assert_int_equal(pairs->items[at], i);
            assert_int_equal(pairs->items[at + 1], k);
            at += 2;
        }
    assert_int_equal(at, pairs->count);
    assert_ran(at, 1);
}

static vec3 *moved_positions(const soup *s, double by) {
    test_random random = {31};
    vec3 *end = malloc(s->vertex_count * sizeof *end);
    for (size_t i = 0; i < s->vertex_count; i++) end[i] = vec3_add(s->positions[i], random_vec3(&random, -by, by));
    return end;
}

static void self_overlaps_are_those_of_all_against_all(void **state) {
    (void)state;
    pair_array pairs = {0};
    ruga_context *context = context_plain(2);
    const double sizes[] = {1, 1e30, 1e-30};
    for (int arity = 1; arity <= 3; arity++)
        for (int n = 0; n < 3; n++) {
            double margin = arity == 1 ? 0.05 * sizes[n] : 0.01 * sizes[n];
            soup s = soup_random(7, 1200, arity, sizes[n], 0);
            vec3 *end = moved_positions(&s, 0.05 * sizes[n]);
            bvh *tree = soup_tree(context, &s);
            for (int swept = 0; swept < 2; swept++) {
                assert_ok(context, bvh_refit(tree, s.positions, swept ? end : NULL, margin));
                assert_ok(context, bvh_self_overlaps(tree, 0, s.count, &pairs));
                box *boxes = all_boxes(&s, swept ? end : NULL, margin);
                check_pairs(&pairs, boxes, 0, s.count, s.count);
                assert_less_case(0, pairs.count, "arity %d, n %d, swept %d", arity, n, swept);
                assert_ok(context, bvh_self_overlaps(tree, 300, 700, &pairs));
                check_pairs(&pairs, boxes, 300, 700, s.count);
                free(boxes);
            }
            bvh_destroy(tree);
            free(end);
            soup_release(&s);
        }
    ARRAY_RELEASE(context, &pairs);
    ruga_context_destroy(context);
}

/* Neighbours in a sheet share a vertex: their boxes touch exactly, and touching counts. */
static void touching_counts(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_sheet(12, 0);
    bvh *tree = soup_tree(context, &s);
    pair_array pairs = {0};
    assert_ok(context, bvh_self_overlaps(tree, 0, s.count, &pairs));
    box *boxes = all_boxes(&s, NULL, 0);
    check_pairs(&pairs, boxes, 0, s.count, s.count);
    free(boxes);
    ARRAY_RELEASE(context, &pairs);
    bvh_destroy(tree);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void any_number_of_threads_finds_the_same_pairs(void **state) {
    (void)state;
    soup s = soup_random(7, 3000, 3, 1, 0);
    pair_array pairs[2] = {{0}, {0}};
    for (int n = 0; n < 2; n++) {
        ruga_context *context = context_plain(n ? 4 : 1);
        bvh *tree = soup_tree(context, &s);
        assert_ok(context, bvh_self_overlaps(tree, 0, s.count, &pairs[n]));
        bvh_destroy(tree);
        uint32_t *copy = malloc((pairs[n].count + 1) * sizeof *copy);
        memcpy(copy, pairs[n].items, pairs[n].count * sizeof *copy);
        memory_release(context, pairs[n].items);
        pairs[n].items = copy;
        ruga_context_destroy(context);
    }
    assert_int_equal(pairs[0].count, pairs[1].count);
    assert_memory_equal(pairs[0].items, pairs[1].items, pairs[0].count * sizeof(uint32_t));
    free(pairs[0].items);
    free(pairs[1].items);
    soup_release(&s);
}

static void elements_in_a_box_are_those_of_brute_force(void **state) {
    (void)state;
    soup s = soup_random(3, 2000, 3, 1, 0);
    box *boxes = all_boxes(&s, NULL, 0);
    for (ruga_isa isa = RUGA_ISA_SCALAR; isa <= RUGA_ISA_AVX512; isa++) {
        ruga_context_def def = ruga_context_def_default();
        def.isa = isa;
        ruga_context *context = NULL;
        if (ruga_context_create(&def, &context) != RUGA_OK) continue;  // this machine lacks it
        bvh *tree = soup_tree(context, &s);
        element_array found = {0};
        test_random random = {4};
        size_t met = 0;
        for (int i = 0; i < 50; i++) {
            double size = i % 2 ? 0 : random_unit(&random);
            vec3 low = random_vec3(&random, -1.2, 1.2), high = vec3_add(low, vec3_make(size, size / 2, size));
            box asked = {{low.x, low.y, low.z}, {high.x, high.y, high.z}};
            assert_ok(context, bvh_box_elements(tree, low, high, &found));
            size_t at = 0;
            for (size_t k = 0; k < s.count; k++) {
                if (!boxes_meet(&asked, boxes + k)) continue;
                assert_less_case(at, found.count, "i %d, k %zu", i, k);
                assert_int_equal(found.items[at++], k);
                met++;
            }
            assert_int_equal(at, found.count);
        }
        assert_ran(met, 100);
        // All of space, and boxes that are none.
        vec3 all = {INFINITY, INFINITY, INFINITY}, zero = {0, 0, 0}, bad = {NAN, 0, 0};
        assert_ok(context, bvh_box_elements(tree, vec3_scale(all, -1), all, &found));
        assert_int_equal(found.count, s.count);
        for (uint32_t k = 0; k < s.count; k++) assert_int_equal(found.items[k], k);
        assert_ok(context, bvh_box_elements(tree, all, zero, &found));
        assert_int_equal(found.count, 0);
        assert_ok(context, bvh_box_elements(tree, bad, zero, &found));
        assert_int_equal(found.count, 0);
        ARRAY_RELEASE(context, &found);
        bvh_destroy(tree);
        ruga_context_destroy(context);
    }
    free(boxes);
    soup_release(&s);
}

static void swept_boxes_cover_the_whole_path(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_random(3, 300, 3, 1, 100);
    vec3 *end = moved_positions(&s, 0.7);
    bvh *tree = soup_tree(context, &s);
    assert_ok(context, bvh_refit(tree, s.positions, end, 1e-12));
    element_array found = {0};
    test_random random = {4};
    for (size_t i = 0; i < 3 * s.count; i++) {
        vec3 at = vec3_mix(s.positions[s.elements[i]], end[s.elements[i]], random_unit(&random));
        assert_ok(context, bvh_box_elements(tree, at, at, &found));
        size_t k = 0;
        while (k < found.count && found.items[k] != i / 3) k++;
        assert_less_case(k, found.count, "i %zu", i);
    }
    ARRAY_RELEASE(context, &found);
    free(end);
    bvh_destroy(tree);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void a_margin_may_be_huge_and_a_tree_empty(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_random(3, 40, 3, 1, 0);
    bvh *tree = soup_tree(context, &s), *empty = NULL;
    pair_array pairs = {0};
    const double margins[] = {1e10, 1e60, 1e308, INFINITY};
    for (int i = 0; i < 4; i++) {
        assert_ok(context, bvh_refit(tree, s.positions, NULL, margins[i]));
        assert_ok(context, bvh_self_overlaps(tree, 0, s.count, &pairs));
        assert_int_equal(pairs.count, 40 * 39);
    }
    assert_ok(context, bvh_build(context, 0, NULL, 0, 1, NULL, &empty));
    assert_ok(context, bvh_self_overlaps(empty, 0, 0, &pairs));
    assert_int_equal(pairs.count, 0);
    ARRAY_RELEASE(context, &pairs);
    bvh_destroy(tree);
    bvh_destroy(empty);
    soup_release(&s);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_overlaps_are_those_of_all_against_all),
        cmocka_unit_test(touching_counts),
        cmocka_unit_test(any_number_of_threads_finds_the_same_pairs),
        cmocka_unit_test(elements_in_a_box_are_those_of_brute_force),
        cmocka_unit_test(swept_boxes_cover_the_whole_path),
        cmocka_unit_test(a_margin_may_be_huge_and_a_tree_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
