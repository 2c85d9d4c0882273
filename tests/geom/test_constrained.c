#include <math.h>

#include "geom/constrained.h"
#include "math/exact.h"
#include "support/support.h"

#define NONE UINT32_MAX

static const double sides[3] = {1.0, 1.2, 0.9};

/* Every triangle turns left, areas add up to the whole, neighbours refer to each other, only the border has none. */
static void assert_valid(const constrained *c) {
    double area = 0;
    for (uint32_t t = 0; t < c->triangles.count; t++) {
        const flat_triangle *here = &c->triangles.items[t];
        const vec2 *p = c->points.items, a = p[here->vertices[0]], b = p[here->vertices[1]], d = p[here->vertices[2]];
        const double at_a[2] = {a.x, a.y}, at_b[2] = {b.x, b.y}, at_d[2] = {d.x, d.y};
        assert_int_equal(orient2d(at_a, at_b, at_d), 1);
        area += (b.x - a.x) * (d.y - a.y) - (b.y - a.y) * (d.x - a.x);
        for (uint32_t k = 0; k < 3; k++) {
            vec2 from = p[here->vertices[k]], to = p[here->vertices[(k + 1) % 3]];
            int border =
                (from.y == 0 && to.y == 0) || (from.x == 0 && to.x == 0) || (from.x + from.y == 1 && to.x + to.y == 1);
            assert_int_equal(here->neighbours[k] == NONE, border);
            if (border) continue;
            const flat_triangle *there = &c->triangles.items[here->neighbours[k]];
            int found = 0;
            for (uint32_t j = 0; j < 3; j++)
                found += there->vertices[j] == here->vertices[(k + 1) % 3] &&
                         there->vertices[(j + 1) % 3] == here->vertices[k] && there->neighbours[j] == t &&
                         there->fixed[j] == here->fixed[k];
            assert_int_equal(found, 1);
        }
    }
    assert_near(area, 1, 1e-9);
}

static int has_edge(const constrained *c, uint32_t a, uint32_t b) {
    for (uint32_t t = 0; t < c->triangles.count; t++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t *v = c->triangles.items[t].vertices;
            if ((v[k] == a && v[(k + 1) % 3] == b) || (v[k] == b && v[(k + 1) % 3] == a)) return 1;
        }
    return 0;
}

static void assert_chain(const constrained *c, const flat_chain *chain, uint32_t a, uint32_t b) {
    assert_at_most(1, chain->count);
    assert_int_equal(chain->items[0], a);
    assert_int_equal(chain->items[chain->count - 1], b);
    for (size_t i = 0; i + 1 < chain->count; i++) assert_true(has_edge(c, chain->items[i], chain->items[i + 1]));
}

/* The distance of the points of a chain from the straight segment, m. */
static double greatest_detour(const constrained *c, const flat_chain *chain) {
    double greatest = 0;
    vec2 first = c->points.items[chain->items[0]], last = c->points.items[chain->items[chain->count - 1]];
    double wx = (last.x - first.x) * c->across.x + (last.y - first.y) * c->up.x;
    double wy = (last.y - first.y) * c->up.y, length = hypot(wx, wy);
    for (size_t i = 1; i + 1 < chain->count; i++) {
        vec2 p = c->points.items[chain->items[i]];
        double x = (p.x - first.x) * c->across.x + (p.y - first.y) * c->up.x, y = (p.y - first.y) * c->up.y;
        greatest = fmax(greatest, fabs(x * wy - y * wx) / length);
    }
    return greatest;
}

static void a_segment_across_becomes_edges(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    constrained c;
    flat_chain chain = {0};
    uint32_t a, b, inner;
    assert_ok(context, constrained_begin(context, sides, 0.01, &c));
    assert_ok(context, constrained_border_point(&c, 0, 0.5, &a));
    assert_ok(context, constrained_border_point(&c, 1, 0.25, &b));
    assert_ok(context, constrained_inner_point(&c, 0.2, 0.3, &inner));
    assert_valid(&c);
    assert_ok(context, constrained_join(&c, a, b, &chain));
    assert_int_equal(chain.count, 2);
    assert_ok(context, constrained_join(&c, inner, a, &chain));
    constrained_improve(&c);
    assert_valid(&c);
    assert_true(has_edge(&c, a, b) && has_edge(&c, a, inner));
    ARRAY_RELEASE(context, &chain);
    constrained_release(&c);
    ruga_context_destroy(context);
}

static void crossing_segments_share_a_point(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    constrained c;
    flat_chain first = {0}, second = {0};
    uint32_t p[4];
    assert_ok(context, constrained_begin(context, sides, 0.01, &c));
    assert_ok(context, constrained_border_point(&c, 0, 0.25, &p[0]));
    assert_ok(context, constrained_border_point(&c, 1, 0.25, &p[1]));
    assert_ok(context, constrained_border_point(&c, 0, 0.75, &p[2]));
    assert_ok(context, constrained_border_point(&c, 2, 0.5, &p[3]));
    assert_ok(context, constrained_join(&c, p[0], p[1], &first));
    assert_ok(context, constrained_join(&c, p[2], p[3], &second));
    assert_ok(context, constrained_follow(&c, &first));
    assert_ok(context, constrained_follow(&c, &second));
    assert_int_equal(first.count, 3);
    assert_int_equal(second.count, 3);
    assert_int_equal(first.items[1], second.items[1]);
    assert_chain(&c, &first, p[0], p[1]);
    assert_chain(&c, &second, p[2], p[3]);
    assert_valid(&c);
    ARRAY_RELEASE(context, &first);
    ARRAY_RELEASE(context, &second);
    constrained_release(&c);
    ruga_context_destroy(context);
}

static void a_segment_along_the_border_takes_its_points(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    constrained c;
    flat_chain chain = {0};
    uint32_t p[3];
    assert_ok(context, constrained_begin(context, sides, 0.01, &c));
    for (int i = 0; i < 3; i++) assert_ok(context, constrained_border_point(&c, 1, 0.25 * (i + 1), &p[i]));
    assert_ok(context, constrained_join(&c, 1, 2, &chain));
    assert_int_equal(chain.count, 5);
    for (int i = 0; i < 3; i++) assert_int_equal(chain.items[i + 1], p[i]);
    ARRAY_RELEASE(context, &chain);
    constrained_release(&c);
    ruga_context_destroy(context);
}

static void a_segment_that_passes_near_a_point_goes_through_it(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    constrained c;
    flat_chain chain = {0};
    uint32_t a, b, near;
    assert_ok(context, constrained_begin(context, sides, 0.02, &c));
    assert_ok(context, constrained_border_point(&c, 0, 0.25, &a));
    assert_ok(context, constrained_border_point(&c, 1, 0.75, &b));
    assert_ok(context, constrained_inner_point(&c, 0.25, 0.38, &near));
    assert_ok(context, constrained_join(&c, a, b, &chain));
    assert_int_equal(chain.count, 3);
    assert_int_equal(chain.items[1], near);
    ARRAY_RELEASE(context, &chain);
    constrained_release(&c);
    ruga_context_destroy(context);
}

/* The snap distance decides on both sides of a segment; points beyond its end are not used. */
static void points_farther_than_the_snap_distance_are_not_used(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int i = 0; i < 5; i++) {
        static const double offsets[] = {0.019, -0.019, 0.021, -0.021, 0};
        const double right_angled[3] = {1, sqrt(2), 1};
        constrained c;
        flat_chain chain = {0};
        uint32_t a, b, near;
        assert_ok(context, constrained_begin(context, right_angled, 0.02, &c));
        assert_ok(context, constrained_inner_point(&c, 0.25, 0.25, &a));
        assert_ok(context, constrained_inner_point(&c, 0.5, 0.25, &b));
        assert_ok(context, constrained_inner_point(&c, i < 4 ? 0.375 : 0.51, 0.25 + offsets[i], &near));
        assert_ok(context, constrained_join(&c, a, b, &chain));
        assert_int_equal(chain.count, i < 2 ? 3 : 2);
        assert_int_equal(chain.items[1], i < 2 ? near : b);
        ARRAY_RELEASE(context, &chain);
        constrained_release(&c);
    }
    ruga_context_destroy(context);
}

static void points_outside_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    constrained c;
    uint32_t p;
    assert_ok(context, constrained_begin(context, sides, 0, &c));
    assert_status(constrained_inner_point(&c, 0.75, 0.5, &p), RUGA_ERROR_INPUT);
    assert_ok(context, constrained_inner_point(&c, 1, 0, &p));
    assert_int_equal(p, 1);
    constrained_release(&c);
    ruga_context_destroy(context);
}

/* Random points and segments on a coarse grid, so that many are collinear, coincide or meet in one point. */
static void random_cut(ruga_context *context, uint64_t seed) {
    test_random random = {seed};
    constrained c;
    uint32_t points[16];
    flat_chain chains[8] = {{0}};
    uint32_t ends[8][2];
    int grid = seed % 3 == 0 ? 4 : seed % 3 == 1 ? 16 : 1 << 20;
    double snap = seed % 2 ? 0 : 0.03;
    size_t count = 2 + (size_t)(random_bits(&random) % 14), segments = 1 + (size_t)(random_bits(&random) % 8);
    assert_ok(context, constrained_begin(context, sides, snap, &c));
    for (size_t i = 0; i < count; i++) {
        double u = (double)(random_bits(&random) % (uint64_t)(grid + 1)) / grid;
        double v = (double)(random_bits(&random) % (uint64_t)(grid + 1)) / grid;
        if (u + v > 1) {
            u = 1 - u;
            v = 1 - v;
        }
        assert_ok(context, constrained_inner_point(&c, u, v, &points[i]));
    }
    for (size_t i = 0; i < segments; i++) {
        ends[i][0] = points[random_bits(&random) % count];
        ends[i][1] = points[random_bits(&random) % count];
        assert_ok(context, constrained_join(&c, ends[i][0], ends[i][1], &chains[i]));
        assert_valid(&c);
    }
    constrained_improve(&c);
    assert_valid(&c);
    for (size_t i = 0; i < segments; i++) {
        assert_ok(context, constrained_follow(&c, &chains[i]));
        assert_chain(&c, &chains[i], ends[i][0], ends[i][1]);
        double detour = ends[i][0] != ends[i][1] ? greatest_detour(&c, &chains[i]) : 0;
        assert_at_most_case(detour, 2 * snap + 1e-9, "seed %llu, segment %zu", (unsigned long long)seed, i);
        ARRAY_RELEASE(context, &chains[i]);
    }
    constrained_release(&c);
}

static void random_cuts_are_valid(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (uint64_t seed = 1; seed <= 10000; seed++) random_cut(context, seed);
    ruga_context_destroy(context);
}

static ruga_status cut_once(ruga_context *context, void *user) {
    (void)user;
    constrained c;
    flat_chain first = {0}, second = {0};
    uint32_t p[4];
    TRY(constrained_begin(context, sides, 0.01, &c));
    ruga_status status = constrained_border_point(&c, 0, 0.25, &p[0]);
    if (!RUGA_FAILED(status)) status = constrained_border_point(&c, 1, 0.25, &p[1]);
    if (!RUGA_FAILED(status)) status = constrained_border_point(&c, 0, 0.75, &p[2]);
    if (!RUGA_FAILED(status)) status = constrained_border_point(&c, 2, 0.5, &p[3]);
    if (!RUGA_FAILED(status)) status = constrained_join(&c, p[0], p[1], &first);
    if (!RUGA_FAILED(status)) status = constrained_join(&c, p[2], p[3], &second);
    if (!RUGA_FAILED(status)) status = constrained_follow(&c, &first);
    ARRAY_RELEASE(context, &first);
    ARRAY_RELEASE(context, &second);
    constrained_release(&c);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_at_most(5, assert_every_allocation_may_fail(cut_once, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_segment_across_becomes_edges),
        cmocka_unit_test(crossing_segments_share_a_point),
        cmocka_unit_test(a_segment_along_the_border_takes_its_points),
        cmocka_unit_test(a_segment_that_passes_near_a_point_goes_through_it),
        cmocka_unit_test(points_farther_than_the_snap_distance_are_not_used),
        cmocka_unit_test(points_outside_are_refused),
        cmocka_unit_test(random_cuts_are_valid),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
