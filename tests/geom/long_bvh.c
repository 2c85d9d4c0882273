/* Trees against brute force, searched at length: random soups, and meshes that move and are refitted. */
#include "brute.h"

enum { ROUNDS = 400, QUERIES = 200 };

/* A third of the queries lies on an element, a third near, a third far away. */
static vec3 make_query(const soup *s, test_random *random, double size) {
    size_t element = random_bits(random) % s->count;
    vec3 at = soup_vertex(s, element, (int)(random_bits(random) % 3));
    double reach[3] = {0, 0.2 * size, 10 * size};
    double far = reach[random_bits(random) % 3];
    return vec3_add(at, random_vec3(random, -far, far));
}

static void assert_closest(const soup *s, const bvh *tree, vec3 query, double size) {
    bvh_hit hit = bvh_closest_point(tree, query, INFINITY);
    double truth = brute_closest(s, query);
    assert_near(hit.distance, truth, 1e-13 * (size + truth));
}

static void closest_points_agree_with_brute_force(void **state) {
    (void)state;
    static const ruga_isa isas[] = {RUGA_ISA_SCALAR, RUGA_ISA_AUTO};
    test_random random = {1};
    for (int round = 0; round < ROUNDS; round++) {
        ruga_context_def def = ruga_context_def_default();
        def.isa = isas[round % 2];
        ruga_context *context = NULL;
        assert_status(ruga_context_create(&def, &context), RUGA_OK);
        double size = pow(10, random_between(&random, -9, 9));
        soup s = soup_random(random_bits(&random), 1 + random_bits(&random) % 3000, 1 + round % 3, size, 0);
        bvh *tree = soup_tree(context, &s);
        for (int i = 0; i < QUERIES; i++) assert_closest(&s, tree, make_query(&s, &random, size), size);

        /* The vertices move, a little or a lot; the tree is refitted. */
        double step = size * (round % 5 == 0 ? 3 : 0.05);
        for (size_t v = 0; v < s.vertex_count; v++)
            s.positions[v] = vec3_add(s.positions[v], random_vec3(&random, -step, step));
        assert_ok(context, bvh_refit(tree, s.positions, NULL, 0));
        for (int i = 0; i < QUERIES; i++) assert_closest(&s, tree, make_query(&s, &random, size), 4 * size);
        bvh_destroy(tree);
        soup_release(&s);
        ruga_context_destroy(context);
    }
}

/* A ray from inside a closed surface always hits it, also through edges and vertices. */
static void no_ray_leaves_a_closed_surface(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *ball = NULL;
    assert_ok(context, ruga_model_make(context, "sphere", NULL, &ball));
    bvh *tree = NULL;
    assert_ok(context,
              bvh_build(context, ball->vertex_count, ball->positions, ball->triangle_count, 3, ball->triangles, &tree));
    test_random random = {3};
    for (int i = 0; i < 1000000; i++) {
        vec3 origin = random_vec3(&random, -0.1, 0.1), direction = random_vec3(&random, -1, 1);
        const uint32_t *t = ball->triangles + 3 * (random_bits(&random) % ball->triangle_count);
        double along = random_unit(&random);
        vec3 a = ball->positions[t[0]], b = ball->positions[t[1]];
        if (i % 3 == 0) direction = vec3_sub(a, origin);
        if (i % 3 == 1) direction = vec3_sub(vec3_mix(a, b, along), origin);
        fail_if(bvh_ray_hit(tree, origin, direction, INFINITY).element == UINT32_MAX,
                "ray %d leaves the ball without a hit", i);
    }
    bvh_destroy(tree);
    ruga_mesh_destroy(ball);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_points_agree_with_brute_force),
        cmocka_unit_test(no_ray_leaves_a_closed_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
