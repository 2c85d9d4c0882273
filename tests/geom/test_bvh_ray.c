/* Rays: against brute force, and no ray passes through a closed surface. */
#include "brute.h"

/* Möller and Trumbore in long double; INFINITY for a miss. */
static long double brute_ray(const soup *s, size_t element, vec3 origin, vec3 direction) {
    long double e1[3], e2[3], from[3], p[3], q[3];
    const double *d = &direction.x, *o = &origin.x;
    vec3 corners[3] = {soup_vertex(s, element, 0), soup_vertex(s, element, 1), soup_vertex(s, element, 2)};
    const double *a = &corners[0].x, *b = &corners[1].x, *c = &corners[2].x;
    for (int k = 0; k < 3; k++)
        e1[k] = (long double)b[k] - a[k], e2[k] = (long double)c[k] - a[k], from[k] = (long double)o[k] - a[k];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        p[k] = d[i] * e2[j] - d[j] * e2[i];
        q[k] = from[i] * e1[j] - from[j] * e1[i];
    }
    long double det = e1[0] * p[0] + e1[1] * p[1] + e1[2] * p[2];
    if (det == 0) return INFINITY;
    long double u = (from[0] * p[0] + from[1] * p[1] + from[2] * p[2]) / det;
    long double v = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
    long double t = (e2[0] * q[0] + e2[1] * q[1] + e2[2] * q[2]) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 ? t : INFINITY;
}

static size_t rays_hit, rays_missed; /* of check_ray */

static void check_ray(const soup *s, const bvh *tree, vec3 origin, vec3 direction, double length) {
    bvh_hit hit = bvh_ray_hit(tree, origin, direction, INFINITY);
    long double best = INFINITY;
    for (size_t i = 0; i < s->count; i++) best = fminl(best, brute_ray(s, i, origin, direction));
    if (isinf((double)best)) {
        assert_int_equal(hit.element, UINT32_MAX);
        assert_true(isinf(hit.distance));
        rays_missed++;
        return;
    }
    assert_less(hit.element, s->count);
    assert_near(hit.distance / (double)best, 1, 1e-9);
    vec3 at = vec3_add_scaled(origin, direction, hit.distance);
    assert_near(vec3_distance(at, hit.point), 0, 1e-12 * length);
    assert_near(hit.barycentric[0] + hit.barycentric[1] + hit.barycentric[2], 1, 1e-14);
    rays_hit++;
}

static void rays_agree_with_brute_force(void **state) {
    (void)state;
    const double sizes[] = {1, 1e30, 1e-30, 1e100}, lengths[] = {1, 1e-20, 1e20, 1e-300};
    for (int n = 0; n < 4; n++) {
        ruga_context_def def = ruga_context_def_default();
        def.isa = n == 0 ? RUGA_ISA_SCALAR : RUGA_ISA_AUTO;
        ruga_context *context = NULL;
        assert_int_equal(ruga_context_create(&def, &context), RUGA_OK);
        soup s = soup_random((uint64_t)n, 500, 3, sizes[n], 0);
        bvh *tree = soup_tree(context, &s);
        test_random random = {5};
        for (int i = 0; i < 200; i++) {
            vec3 origin = random_vec3(&random, -1.5 * sizes[n], 1.5 * sizes[n]);
            vec3 direction = random_vec3(&random, -lengths[i % 4], lengths[i % 4]);
            if (i % 5 == 0) direction.x = 0;
            if (i % 10 == 0) direction.z = 0;
            if (i % 2) { /* at a triangle, which is small: by chance hardly one in twenty rays hits any */
                size_t aim = random_bits(&random) % s.count;
                vec3 edge = vec3_mix(soup_vertex(&s, aim, 0), soup_vertex(&s, aim, 1), 0.4);
                vec3 to = vec3_sub(vec3_mix(edge, soup_vertex(&s, aim, 2), 0.3), origin);
                direction = vec3_scale(vec3_normalise(to), lengths[i % 4]);
            }
            check_ray(&s, tree, origin, direction, 4 * sizes[n]);
        }
        bvh_destroy(tree);
        soup_release(&s);
        ruga_context_destroy(context);
    }
    assert_ran(rays_hit, 300);
    assert_ran(rays_missed, 100);
}

/* An octahedron, subdivided and projected onto the unit sphere: closed. */
static soup sphere(int n) {
    soup s = soup_allocate((size_t)(8 * 3 * n * n), (size_t)(8 * n * n), 3);
    size_t vertex = 0;
    for (int side = 0; side < 8; side++) {
        vec3 x = {side & 1 ? -1 : 1, 0, 0}, y = {0, side & 2 ? -1 : 1, 0}, z = {0, 0, side & 4 ? -1 : 1};
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 2 * (n - i) - 1; k++) {
                // Corners by whole numbers, so that neighbours find the same bits.
                int j = k / 2, up = k % 2;
                int corner[3][2] = {{i + up, j}, {i, j + 1}, {i + 1, up ? j + 1 : j}};
                for (int c = 0; c < 3; c++, vertex++) {
                    vec3 p = vec3_scale(x, (double)corner[c][0] / n);
                    p = vec3_add_scaled(p, y, (double)corner[c][1] / n);
                    p = vec3_add_scaled(p, z, (double)(n - corner[c][0] - corner[c][1]) / n);
                    s.positions[vertex] = vec3_normalise(p);
                    s.elements[vertex] = (uint32_t)vertex;
                }
            }
    }
    return s;
}

static void no_ray_leaves_a_closed_surface(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = sphere(9);
    bvh *tree = soup_tree(context, &s);
    test_random random = {1};
    long missed = 0;
    for (size_t i = 0; i < s.count; i++)
        for (int n = 0; n < 12; n++) {
            // Straight at corners and at points of edges, from the centre and from elsewhere inside.
            vec3 origin = n % 2 ? random_vec3(&random, -0.4, 0.4) : (vec3){0, 0, 0};
            vec3 a = soup_vertex(&s, i, n % 3), b = soup_vertex(&s, i, (n + 1) % 3);
            vec3 target = n < 4 ? a : vec3_mix(a, b, random_unit(&random));
            missed += bvh_ray_hit(tree, origin, vec3_sub(target, origin), INFINITY).element == UINT32_MAX;
        }
    assert_int_equal(missed, 0);
    bvh_destroy(tree);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void rays_along_an_axis_hit_the_corners_of_a_grid(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_sheet(16, 0);
    bvh *tree = soup_tree(context, &s);
    for (size_t i = 0; i < s.vertex_count; i++) {
        vec3 above = vec3_add(s.positions[i], vec3_make(0, 3, 0));
        bvh_hit hit = bvh_ray_hit(tree, above, vec3_make(0, -2, 0), INFINITY);
        assert_less_case(hit.element, s.count, "i %zu", i);
        assert_near_case(hit.distance, 1.5, 0, "i %zu", i);
        assert_near_case(vec3_distance(hit.point, s.positions[i]), 0, 1e-15, "i %zu", i);
        // From below, both sides count.
        assert_less_case(
            bvh_ray_hit(tree, vec3_add(s.positions[i], vec3_make(0, -1, 0)), vec3_make(0, 1, 0), 1).element, s.count,
            "i %zu", i);
    }
    // Within the plane nothing is hit: triangles are seen from their edges.
    assert_int_equal(bvh_ray_hit(tree, vec3_make(-3, 0, 0.1), vec3_make(1, 0, 0), INFINITY).element, UINT32_MAX);
    bvh_destroy(tree);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void the_range_of_a_ray_is_kept(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_sheet(4, 0);
    bvh *tree = soup_tree(context, &s);
    vec3 above = {0.3, 1, 0.2}, down = {0, -1, 0}, up = {0, 1, 0};
    assert_less(bvh_ray_hit(tree, above, down, 1).element, s.count);
    assert_int_equal(bvh_ray_hit(tree, above, down, 0.999).element, UINT32_MAX);
    assert_int_equal(bvh_ray_hit(tree, above, up, INFINITY).element, UINT32_MAX);
    assert_less(bvh_ray_hit(tree, vec3_make(0.3, 0, 0.2), up, 0).element, s.count);
    // Twice the direction, half the distance.
    assert_near(bvh_ray_hit(tree, above, vec3_scale(down, 2), INFINITY).distance, 0.5, 0);
    bvh_destroy(tree);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void ties_go_to_the_lowest_triangle(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_allocate(3, 1000, 3);
    s.positions[1].x = s.positions[2].z = 1;
    for (uint32_t i = 0; i < 3000; i++) s.elements[i] = i % 3;
    bvh *tree = soup_tree(context, &s);
    assert_int_equal(bvh_ray_hit(tree, vec3_make(0.2, 1, 0.2), vec3_make(0, -1, 0), INFINITY).element, 0);
    bvh_destroy(tree);
    soup_release(&s);
    ruga_context_destroy(context);
}

static void invalid_rays_hit_nothing(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    soup s = soup_sheet(4, 0);
    bvh *tree = soup_tree(context, &s);
    vec3 above = {0.3, 1, 0.2}, down = {0, -1, 0}, bad = {0, NAN, 0}, endless = {INFINITY, 0, 0};
    assert_int_equal(bvh_ray_hit(tree, above, vec3_make(0, 0, 0), INFINITY).element, UINT32_MAX);
    assert_int_equal(bvh_ray_hit(tree, above, bad, INFINITY).element, UINT32_MAX);
    assert_int_equal(bvh_ray_hit(tree, above, endless, INFINITY).element, UINT32_MAX);
    assert_int_equal(bvh_ray_hit(tree, bad, down, INFINITY).element, UINT32_MAX);
    assert_int_equal(bvh_ray_hit(tree, above, down, NAN).element, UINT32_MAX);
    assert_int_equal(bvh_ray_hit(tree, above, down, -1).element, UINT32_MAX);
    assert_int_equal(bvh_ray_hit(tree, vec3_make(1e308, 1, 0), vec3_make(1, 1e-300, 0), INFINITY).element, UINT32_MAX);
    bvh_destroy(tree);

    // Edges and points are never hit; nor is anything where there is nothing.
    assert_ok(context, bvh_build(context, s.vertex_count, s.positions, s.count, 2, s.elements, &tree));
    assert_int_equal(bvh_ray_hit(tree, above, down, INFINITY).element, UINT32_MAX);
    bvh_destroy(tree);
    assert_ok(context, bvh_build(context, s.vertex_count, s.positions, 0, 3, s.elements, &tree));
    assert_int_equal(bvh_ray_hit(tree, above, down, INFINITY).element, UINT32_MAX);
    bvh_destroy(tree);
    soup_release(&s);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_agree_with_brute_force),
        cmocka_unit_test(no_ray_leaves_a_closed_surface),
        cmocka_unit_test(rays_along_an_axis_hit_the_corners_of_a_grid),
        cmocka_unit_test(the_range_of_a_ray_is_kept),
        cmocka_unit_test(ties_go_to_the_lowest_triangle),
        cmocka_unit_test(invalid_rays_hit_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
