/* Trees: closest points, refitting, bad input. */
#include "brute.h"
#include "geom/bvh_tree.h"

/* Distance, weights and point of a hit fit together and are those of brute force. */
static size_t near_hits, corner_hits; /* of check_hit */

static void check_hit(const soup *s, const bvh *tree, vec3 query, double size) {
    bvh_hit hit = bvh_closest_point(tree, query, INFINITY);
    double truth = brute_closest(s, query), tolerance = 1e-14 * (size + truth);
    assert_less(hit.element, s->count);
    assert_near(hit.distance, truth, tolerance);
    assert_near((double)brute_element(s, hit.element, query), truth, tolerance);
    double sum = 0;
    vec3 point = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        assert_at_most_case(0, hit.barycentric[k], "k %d", k);
        if (k >= s->arity) {
            assert_equal_case(hit.barycentric[k], 0, "k %d", k);
            corner_hits++;
        }
        sum += hit.barycentric[k];
        point = vec3_add_scaled(point, soup_vertex(s, hit.element, k), hit.barycentric[k]);
    }
    assert_near(sum, 1, 1e-15);
    double reach = size + fabs(query.x) + fabs(query.y) + fabs(query.z);
    assert_near(vec3_distance(point, hit.point), 0, 1e-14 * reach);
    if (reach >= 1e100) return; /* squares of distances overflow */
    assert_near(vec3_distance(query, hit.point), truth, 1e-14 * reach);
    near_hits++;
}

static void check_soup(soup *s, double size, double centre, uint64_t seed) {
    ruga_context *context = context_plain(1);
    bvh *tree = soup_tree(context, s);
    test_random random = {seed};
    vec3 middle = {centre, -centre, 0.5 * centre};
    for (int i = 0; i < 60; i++) {
        double reach = i % 3 == 0 ? 0.5 * size : i % 3 == 1 ? 1.5 * size : 100 * size;
        check_hit(s, tree, vec3_add(middle, random_vec3(&random, -reach, reach)), size + fabs(centre));
    }
    bvh_destroy(tree);
    ruga_context_destroy(context);
    soup_release(s);
}

static void closest_points_agree_with_brute_force_on_soups(void **state) {
    (void)state;
    for (int arity = 1; arity <= 3; arity++)
        for (size_t count = 1; count < 2000; count = count * 3 + 1) {
            soup s = soup_random(count + (size_t)arity, count, arity, 1, 0);
            check_soup(&s, 1, 0, count);
        }
    assert_ran(near_hits, 100);
    assert_ran(corner_hits, 100);
}

static void closest_points_are_right_at_any_size_and_place(void **state) {
    (void)state;
    const double sizes[] = {1e30, 1e-30, 1e45, 1e-100, 1e100};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        soup s = soup_random(i, 300, 3, sizes[i], 0);
        check_soup(&s, sizes[i], 0, i);
    }
    soup away = soup_random(4, 300, 3, 1, 1e9);
    check_soup(&away, 1, 1e9, 4);
    soup small_and_away = soup_random(5, 300, 2, 1e-3, 1e6);
    check_soup(&small_and_away, 1e-3, 1e6, 5);
}

static void closest_points_agree_with_brute_force_on_a_sheet(void **state) {
    (void)state;
    soup s = soup_sheet(30, 0.2);
    check_soup(&s, 1, 0, 3);
    soup flat = soup_sheet(30, 0);
    check_soup(&flat, 1, 0, 3);
}

/* Lengths from denormal to the limit: no crash, and the distance is that of brute force, to a few digits. */
static void the_range_of_double_is_usable(void **state) {
    (void)state;
    const double sizes[] = {3e-310, 1e-160, 1e160, 1e299};
    ruga_context *context = context_plain(1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        soup s = soup_random(i, 50, 3, sizes[i], 0);
        bvh *tree = soup_tree(context, &s);
        test_random random = {i};
        for (int n = 0; n < 20; n++) {
            vec3 query = random_vec3(&random, -sizes[i], sizes[i]);
            double truth = brute_closest(&s, query);
            assert_near_case(bvh_closest_point(tree, query, INFINITY).distance, truth, 1e-10 * sizes[i], "i %zu, n %d",
                             i, n);
        }
        bvh_destroy(tree);
        soup_release(&s);
    }
    ruga_context_destroy(context);
}

/* A plane with heights below the resolution of floats: cuts along them are useless. */
static void tiny_heights_are_not_cut_along(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (double height = 1e-47; height < 1e-25; height *= 3) {
        soup s = soup_random(5, 60, 1, 1, 0);
        for (size_t i = 0; i < s.vertex_count; i++) s.positions[i].z = (double)(i % 3) * height;
        bvh *tree = soup_tree(context, &s);
        vec3 query = vec3_make(0.3, -0.2, 0.1);
        assert_near_case(bvh_closest_point(tree, query, INFINITY).distance, brute_closest(&s, query), 1e-12,
                         "height %g", height);
        bvh_destroy(tree);
        soup_release(&s);
    }
    ruga_context_destroy(context);
}

static void a_query_from_very_far_away_is_answered(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_random(1, 200, 3, 1, 0);
    bvh *tree = soup_tree(context, &s);
    const double distances[] = {1e10, 1e18, 1e20, 1e40, 1e160, 1e307};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        bvh_hit hit = bvh_closest_point(tree, vec3_make(-distances[i], distances[i] / 2, 0), INFINITY);
        assert_less_case(hit.element, s.count, "i %zu", i);
        assert_near_case(hit.distance / distances[i], sqrt(1.25), 1e-9, "i %zu", i);
    }
    bvh_destroy(tree);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void elements_without_area_or_length_have_closest_points(void **state) {
    (void)state;
    // Coincident vertices, three on a line in every order, slivers.
    test_random random = {9};
    soup s = soup_allocate(3 * 400, 400, 3);
    for (size_t i = 0; i < 400; i++) {
        vec3 a = random_vec3(&random, -1, 1), b = random_vec3(&random, -1, 1);
        double t = random_between(&random, -1, 2);
        vec3 on_line = vec3_mix(a, b, t), nearly = vec3_add(on_line, random_vec3(&random, -1e-13, 1e-13));
        vec3 choices[5][3] = {{a, a, a}, {a, b, a}, {a, b, b}, {a, b, on_line}, {a, nearly, b}};
        memcpy(s.positions + 3 * i, choices[i % 5], sizeof choices[0]);
        for (size_t k = 0; k < 3; k++) s.elements[3 * i + k] = (uint32_t)(3 * i + k);
    }
    check_soup(&s, 1, 0, 10);
}

static void ties_go_to_the_lowest_element(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    // Thousands of one and the same triangle.
    soup same = soup_allocate(3, 5000, 3);
    same.positions[1].x = same.positions[2].y = 1;
    for (size_t i = 0; i < 5000; i++) same.elements[3 * i + i % 3] = 1, same.elements[3 * i + (i + 1) % 3] = 2;
    bvh *tree = soup_tree(context, &same);
    test_random random = {2};
    for (int i = 0; i < 20; i++) {
        vec3 query = random_vec3(&random, -2, 2);
        query.x = -fabs(query.x), query.y = -fabs(query.y);
        assert_int_equal(bvh_closest_point(tree, query, INFINITY).element, 0);
    }
    bvh_destroy(tree);
    soup_release(&same);

    // A fan around a peak, and its edges: whoever is above a shared vertex or edge gets the lowest of them.
    enum { FAN = 7 };
    soup fan = soup_allocate(FAN + 1, FAN, 3);
    fan.positions[FAN] = vec3_make(0, 1, 0);
    for (int i = 0; i < FAN; i++) {
        fan.positions[i] = vec3_make(cos(6.2831853 * i / FAN), 0, sin(6.2831853 * i / FAN));
        const uint32_t corners[3] = {(uint32_t)((i + 3) % FAN), FAN, (uint32_t)((i + 4) % FAN)};
        memcpy(fan.elements + 3 * i, corners, sizeof corners);
    }
    tree = soup_tree(context, &fan);
    assert_int_equal(bvh_closest_point(tree, vec3_make(0.01, 1.5, 0.02), INFINITY).element, 0);
    for (int i = 0; i < FAN; i++) {
        // The ridge from vertex i to the peak belongs to triangles i - 3 and i - 4.
        int a = (i + FAN - 3) % FAN, b = (i + FAN - 4) % FAN;
        vec3 above = vec3_scale(vec3_add(fan.positions[i], fan.positions[FAN]), 0.7);
        assert_int_equal(bvh_closest_point(tree, above, INFINITY).element, a < b ? a : b);
    }
    bvh_destroy(tree);
    soup_release(&fan);
    ruga_context_destroy(context);
}

static void an_empty_tree_finds_nothing(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    bvh *tree = NULL;
    assert_ok(context, bvh_build(context, 0, NULL, 0, 3, NULL, &tree));
    bvh_hit hit[2];
    const vec3 queries[2] = {{0, 0, 0}, {1, 1, 1}};
    bvh_closest_points(tree, queries, 2, INFINITY, hit);
    assert_int_equal(hit[0].element, UINT32_MAX);
    assert_int_equal(hit[1].element, UINT32_MAX);
    assert_int_equal(bvh_closest_point(tree, queries[0], INFINITY).element, UINT32_MAX);
    assert_ok(context, bvh_refit(tree, NULL, NULL, 0.1));
    bvh_destroy(tree);
    bvh_destroy(NULL);

    soup s = soup_random(1, 10, 3, 1, 0);
    tree = soup_tree(context, &s);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(bvh_closest_point(tree, vec3_make(0, bad[i], 0), INFINITY).element, UINT32_MAX);
        const vec3 mixed[3] = {{0, 0, 0}, {bad[i], 0, 0}, {0, 0, 0}};
        bvh_hit hits[3];
        bvh_closest_points(tree, mixed, 3, INFINITY, hits);
        assert_less_case(hits[0].element, 10, "i %d", i);
        assert_less_case(hits[2].element, 10, "i %d", i);
        assert_int_equal(hits[1].element, UINT32_MAX);
        assert_true(isinf(hits[1].distance));
    }
    assert_int_equal(bvh_closest_point(tree, queries[0], NAN).element, UINT32_MAX);
    assert_int_equal(bvh_closest_point(tree, queries[0], -1).element, UINT32_MAX);
    bvh_destroy(tree);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void the_greatest_distance_is_kept(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_sheet(8, 0);
    bvh *tree = soup_tree(context, &s);
    vec3 query = {0.1, 0.3, 0.05};
    assert_less(bvh_closest_point(tree, query, 0.3).element, s.count);
    assert_int_equal(bvh_closest_point(tree, query, 0.3 * (1 - 1e-15)).element, UINT32_MAX);
    assert_less(bvh_closest_point(tree, vec3_make(0.25, 0, 0.5), 0).element, s.count);
    assert_int_equal(bvh_closest_point(tree, query, 0).element, UINT32_MAX);
    bvh_destroy(tree);
    soup_release(&s);
    ruga_context_destroy(context);
}

/* ---- The same for every instruction set and any number of threads */

enum { MANY = 9000 };

static void answer_many(const soup *s, ruga_isa isa, int threads, bvh_hit *hits) {
    ruga_context_def def = ruga_context_def_default();
    def.isa = isa;
    def.thread_count = threads;
    ruga_context *context = NULL;
    assert_int_equal(ruga_context_create(&def, &context), RUGA_OK);
    bvh *tree = soup_tree(context, s);
    test_random random = {77};
    vec3 *queries = malloc(MANY * sizeof *queries);
    for (int i = 0; i < MANY; i++) queries[i] = random_vec3(&random, -1.5, 1.5);
    bvh_closest_points(tree, queries, MANY, INFINITY, hits);
    for (int i = 0; i < 100; i++) {
        bvh_hit one = bvh_closest_point(tree, queries[i], INFINITY);
        assert_same_hit(&one, hits + i);
    }
    free(queries);
    bvh_destroy(tree);
    ruga_context_destroy(context);
}

static void every_instruction_set_gives_the_same_bits(void **state) {
    (void)state;
    bvh_hit *reference = malloc(MANY * sizeof *reference), *hits = malloc(MANY * sizeof *hits);
    for (int arity = 1; arity <= 3; arity++) {
        soup s = soup_random(6, 6000, arity, 1, 0);
        answer_many(&s, RUGA_ISA_SCALAR, 1, reference);
        for (ruga_isa isa = RUGA_ISA_SSE4; isa <= RUGA_ISA_AVX512; isa++) {
            if (isa_choose(isa) != isa) continue;
            answer_many(&s, isa, 1, hits);
            for (int i = 0; i < MANY; i++) assert_same_hit(reference + i, hits + i);
        }
        soup_release(&s);
    }
    free(reference);
    free(hits);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    bvh_hit *reference = malloc(MANY * sizeof *reference), *hits = malloc(MANY * sizeof *hits);
    soup s = soup_random(8, 20000, 3, 1, 0);
    answer_many(&s, RUGA_ISA_AUTO, 1, reference);
    for (int threads = 2; threads <= 5; threads += 3) {
        answer_many(&s, RUGA_ISA_AUTO, threads, hits);
        for (int i = 0; i < MANY; i++) assert_same_hit(reference + i, hits + i);
    }
    free(reference);
    free(hits);

    // The trees themselves, too, before and after a refit.
    ruga_context *one = context_plain(1), *four = context_plain(4);
    bvh *a = soup_tree(one, &s), *b = soup_tree(four, &s);
    for (int moved = 0; moved < 2; moved++) {
        assert_int_equal(a->node_count, b->node_count);
        assert_less_case(256, a->node_count, "moved %d", moved);
        assert_less_case(0, a->top_count, "moved %d", moved);
        assert_less_case(1, a->piece_count, "moved %d", moved);
        assert_memory_equal(a->nodes, b->nodes, a->node_count * sizeof *a->nodes);
        assert_memory_equal(a->leaves, b->leaves, a->leaf_count * sizeof *a->leaves);
        for (size_t i = 0; i < s.vertex_count; i++) s.positions[i].y += 0.3 * sin(s.positions[i].x);
        assert_ok(one, bvh_refit(a, s.positions, s.positions, 0.01));
        assert_ok(four, bvh_refit(b, s.positions, s.positions, 0.01));
    }
    bvh_destroy(a);
    bvh_destroy(b);
    ruga_context_destroy(one);
    ruga_context_destroy(four);
    soup_release(&s);
}

/* ---- Shape of the tree */

/* Marks the elements below a node and checks that its boxes contain them. */
static void visit(const bvh *tree, uint32_t index, int *seen, int depth) {
    assert_less(depth, BVH_MAX_DEPTH);
    const bvh_node *node = tree->nodes + index;
    for (uint32_t k = 0; k < node->count; k++) {
        uint32_t child = node->child[k];
        if (!(child & BVH_LEAF)) {
            visit(tree, child, seen, depth + 1);
            continue;
        }
        const bvh_leaf *leaf = tree->leaves + (child & ~BVH_LEAF);
        for (int i = 0; i < BVH_LEAF_SIZE; i++) {
            if (i && leaf->element[i] == leaf->element[i - 1]) continue;
            seen[leaf->element[i]]++;
        }
    }
}

static void every_element_is_in_exactly_one_leaf(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    // Points at 2^-i make cuts that split off few; the depth stays bounded all the same.
    enum { POINTS = 3000 };
    soup powers = soup_allocate(POINTS, POINTS, 1), random = soup_random(5, POINTS, 2, 1, 0);
    for (uint32_t i = 0; i < POINTS; i++) {
        powers.positions[i] = vec3_make(ldexp(1, -(int)(i % 150)), 0, 0);
        powers.elements[i] = i;
    }
    const soup *soups[2] = {&powers, &random};
    for (int n = 0; n < 2; n++) {
        bvh *tree = soup_tree(context, soups[n]);
        int *seen = calloc(POINTS, sizeof *seen);
        visit(tree, 0, seen, 0);
        for (int i = 0; i < POINTS; i++) assert_int_equal(seen[i], 1);
        free(seen);
        bvh_destroy(tree);
    }
    soup_release(&powers);
    soup_release(&random);
    ruga_context_destroy(context);
}

/* ---- Refit */

static void a_refitted_tree_answers_as_a_new_one(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_sheet(40, 0.2);
    bvh *tree = soup_tree(context, &s);
    test_random random = {12};
    vec3 *moved = malloc(s.vertex_count * sizeof *moved);
    // A little; far away; much larger; much smaller; into one point.
    const double scales[] = {1, 1, 1e8, 1e-8, 0}, shifts[] = {0, 1e5, 0, 1, 3};
    for (int n = 0; n < 5; n++) {
        for (size_t i = 0; i < s.vertex_count; i++) {
            vec3 p = vec3_add(s.positions[i], random_vec3(&random, -0.1, 0.1));
            moved[i] = vec3_add(vec3_scale(p, scales[n]), vec3_make(shifts[n], 0, 0));
        }
        assert_ok(context, bvh_refit(tree, moved, NULL, n * 0.01));
        soup other = s;
        other.positions = moved;
        bvh *fresh = soup_tree(context, &other);
        for (int i = 0; i < 200; i++) {
            vec3 query = random_vec3(&random, -1.5, 1.5);
            query = vec3_add(vec3_scale(query, scales[n]), vec3_make(shifts[n], 0, 0));
            bvh_hit a = bvh_closest_point(tree, query, INFINITY), b = bvh_closest_point(fresh, query, INFINITY);
            assert_int_equal(a.element, b.element);
            assert_near_case(a.distance, b.distance, 0, "n %d, i %d", n, i);
        }
        bvh_destroy(fresh);
    }
    free(moved);
    bvh_destroy(tree);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void a_refit_in_the_steady_state_allocates_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    soup s = soup_sheet(20, 0.2);
    bvh *tree = soup_tree(context, &s);
    assert_ok(context, bvh_refit(tree, s.positions, s.positions, 0));
    long before = counter.allocations;
    for (int i = 0; i < 3; i++) {
        for (size_t v = 0; v < s.vertex_count; v++) s.positions[v].y += 0.01;
        assert_ok(context, bvh_refit(tree, s.positions, s.positions, 0.1));
        assert_ok(context, bvh_refit(tree, s.positions, NULL, 0));
        assert_less_case(bvh_closest_point(tree, vec3_make(0, 0, 0), INFINITY).element, s.count, "i %d", i);
    }
    assert_int_equal(counter.allocations, before);
    bvh_destroy(tree);
    ruga_context_destroy(context);
    assert_int_equal(counter.live, 0);
    soup_release(&s);
}

/* ---- Bad input */

static void bad_elements_are_named(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_sheet(4, 0.1);
    bvh *tree = NULL, *untouched = tree;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e301};
    for (int i = 0; i < 4; i++) {
        vec3 before = s.positions[7];
        s.positions[7].z = bad[i];
        assert_status(bvh_build(context, s.vertex_count, s.positions, s.count, 3, s.elements, &tree), RUGA_ERROR_INPUT);
        assert_message_has(context, "triangle 2 has vertex 7");
        assert_ptr_equal(tree, untouched);
        s.positions[7] = before;
    }
    s.elements[3 * 5 + 1] = 25;
    assert_status(bvh_build(context, s.vertex_count, s.positions, s.count, 3, s.elements, &tree), RUGA_ERROR_INPUT);
    assert_message_has(context, "triangle 5 names vertex 25, but there are 25");
    assert_status(bvh_build(context, 2, s.positions, 1, 2, s.elements, &tree), RUGA_OK);
    bvh_destroy(tree);
    assert_status(bvh_build(context, 2, s.positions, 1, 4, s.elements, &tree), RUGA_ERROR_ARGUMENT);
    assert_status(bvh_build(context, 2, s.positions, 1, 0, s.elements, &tree), RUGA_ERROR_ARGUMENT);
    assert_status(bvh_build(context, 2, s.positions, (size_t)1 << 31, 1, s.elements, &tree), RUGA_ERROR_INPUT);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void a_failed_refit_does_not_change_the_tree(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_sheet(10, 0.1);
    bvh *tree = soup_tree(context, &s);
    vec3 *moved = malloc(s.vertex_count * sizeof *moved);
    memcpy(moved, s.positions, s.vertex_count * sizeof *moved);
    moved[60].x = NAN;
    bvh_hit before = bvh_closest_point(tree, vec3_make(0.3, 1, 0.2), INFINITY);
    assert_status(bvh_refit(tree, moved, NULL, 0), RUGA_ERROR_INPUT);
    assert_message_has(context, "has vertex 60");
    assert_status(bvh_refit(tree, s.positions, moved, 0), RUGA_ERROR_INPUT);
    assert_status(bvh_refit(tree, s.positions, NULL, -1), RUGA_ERROR_ARGUMENT);
    assert_status(bvh_refit(tree, s.positions, NULL, NAN), RUGA_ERROR_ARGUMENT);
    bvh_hit after = bvh_closest_point(tree, vec3_make(0.3, 1, 0.2), INFINITY);
    assert_same_hit(&before, &after);
    free(moved);
    bvh_destroy(tree);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void loose_vertices_may_be_anything(void **state) {
    (void)state;
    soup s = soup_random(3, 100, 3, 1, 0);
    s.count = 99;  // the last three vertices are loose now
    s.positions[297] = vec3_make(NAN, 0, 0);
    s.positions[298] = vec3_make(1e30, -INFINITY, 0);
    s.positions[299] = vec3_make(1e30, 0, 0);
    check_soup(&s, 1, 0, 3);
}

static ruga_status build_and_use(ruga_context *context, void *user) {
    const soup *s = user;
    bvh *tree;
    TRY(bvh_build(context, s->vertex_count, s->positions, s->count, s->arity, s->elements, &tree));
    pair_array pairs = {0};
    element_array elements = {0};
    ruga_status status = bvh_refit(tree, s->positions, s->positions, 0.05);
    if (!RUGA_FAILED(status)) status = bvh_self_overlaps(tree, 0, s->count, &pairs);
    if (!RUGA_FAILED(status)) status = bvh_box_elements(tree, vec3_make(-1, -1, -1), vec3_make(1, 1, 1), &elements);
    ARRAY_RELEASE(context, &pairs);
    ARRAY_RELEASE(context, &elements);
    bvh_destroy(tree);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    soup s = soup_sheet(8, 0.2);
    assert_less(10, assert_every_allocation_may_fail(build_and_use, &s));
    soup_release(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_points_agree_with_brute_force_on_soups),
        cmocka_unit_test(closest_points_are_right_at_any_size_and_place),
        cmocka_unit_test(closest_points_agree_with_brute_force_on_a_sheet),
        cmocka_unit_test(the_range_of_double_is_usable),
        cmocka_unit_test(tiny_heights_are_not_cut_along),
        cmocka_unit_test(a_query_from_very_far_away_is_answered),
        cmocka_unit_test(elements_without_area_or_length_have_closest_points),
        cmocka_unit_test(ties_go_to_the_lowest_element),
        cmocka_unit_test(an_empty_tree_finds_nothing),
        cmocka_unit_test(the_greatest_distance_is_kept),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(every_element_is_in_exactly_one_leaf),
        cmocka_unit_test(a_refitted_tree_answers_as_a_new_one),
        cmocka_unit_test(a_refit_in_the_steady_state_allocates_nothing),
        cmocka_unit_test(bad_elements_are_named),
        cmocka_unit_test(a_failed_refit_does_not_change_the_tree),
        cmocka_unit_test(loose_vertices_may_be_anything),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
