/* The laws of the filter over visibilities. */
#include "render/filter.h"

#include "support/support.h"

enum { SIZE = 48, PIXELS = SIZE * SIZE };

typedef struct plane {
    filter_guide guides[PIXELS];
    float seen[PIXELS * SEEN_COUNT];
} plane;

/* A plane seen straight on; the right half may be another surface, or bent away. */
static void make_plane(plane *p, uint32_t right_surface, int bent) {
    for (int i = 0; i < PIXELS; i++) {
        int x = i % SIZE, y = i / SIZE, right = x >= SIZE / 2;
        p->guides[i] = (filter_guide){.point = {(float)x, (float)y, 0}, .normal = {0, 0, 1}, .pixel = 1};
        p->guides[i].surface = right ? right_surface : 0;
        if (right && bent) p->guides[i].normal[0] = 0.8f, p->guides[i].normal[2] = 0.6f;
        for (int k = 0; k < SEEN_COUNT; k++) p->seen[SEEN_COUNT * i + k] = right ? 0.8f : 0.2f;
    }
}

static ruga_status run(ruga_context *context, plane *p, double rays) {
    filter_def def = {.width = SIZE, .height = SIZE, .guides = p->guides, .floor = FILTER_NONE};
    for (int k = 0; k < SEEN_COUNT; k++) def.rays[k] = k == SEEN_RIM ? 0 : rays;
    return filter_visibilities(context, &def, p->seen);
}

static void surfaces_and_bends_are_not_mixed(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    static plane p;
    for (int bent = 0; bent < 2; bent++) {
        make_plane(&p, bent ? 0 : 1, bent);
        assert_ok(context, run(context, &p, 4));
        for (int i = 0; i < PIXELS; i++)
            assert_near_case((double)p.seen[SEEN_COUNT * i], i % SIZE >= SIZE / 2 ? 0.8 : 0.2, 2e-3, "i %d, bent %d", i,
                             bent);
    }
    ruga_context_destroy(context);
}

/* A step that few rays may explain is smoothed, one that many rays saw stays. */
static void edges_of_shadows_stay_where_rays_have_seen_them(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    static plane p;
    double step[2];
    for (int many = 0; many < 2; many++) {
        make_plane(&p, 0, 0);
        assert_ok(context, run(context, &p, many ? 4096 : 4));
        const float *row = p.seen + SEEN_COUNT * (SIZE / 2 * SIZE);
        step[many] = (double)(row[SEEN_COUNT * (SIZE / 2)] - row[SEEN_COUNT * (SIZE / 2 - 1)]);
    }
    assert_less(step[0], 0.3);
    assert_less(0.3, step[1]);
    ruga_context_destroy(context);
}

static void noise_is_averaged_and_its_mean_kept(void **state) {
    (void)state;
    ruga_context *context = context_plain(2);
    static plane p;
    test_random random = {5};
    make_plane(&p, 0, 0);
    double mean[2] = {0}, square[2] = {0};
    for (int i = 0; i < PIXELS; i++) {
        int open = 0;
        for (int ray = 0; ray < 16; ray++) open += random_between(&random, 0, 1) < 0.4;
        for (int k = 0; k < SEEN_COUNT; k++) p.seen[SEEN_COUNT * i + k] = (float)open / 16;
    }
    for (int after = 0; after < 2; after++) {
        for (int i = 0; i < PIXELS; i++) {
            double v = (double)p.seen[SEEN_COUNT * i];
            mean[after] += v / PIXELS, square[after] += (v - 0.4) * (v - 0.4) / PIXELS;
        }
        // Visibilities without rays are exact: they are left alone.
        float rim = p.seen[SEEN_COUNT * 100 + SEEN_RIM];
        if (!after) assert_ok(context, run(context, &p, 16));
        assert_true(p.seen[SEEN_COUNT * 100 + SEEN_RIM] == rim);
    }
    assert_near(mean[1], mean[0], 0.01);
    assert_less(8 * square[1], square[0]);
    ruga_context_destroy(context);
}

static void filter_does_not_depend_on_threads(void **state) {
    (void)state;
    static plane p[2];
    for (int k = 0; k < 2; k++) {
        ruga_context *context = context_plain(k ? 5 : 1);
        test_random random = {9};
        make_plane(&p[k], 0, 1);
        for (int i = 0; i < PIXELS * SEEN_COUNT; i++) p[k].seen[i] = (float)random_between(&random, 0, 1);
        assert_ok(context, run(context, &p[k], 8));
        ruga_context_destroy(context);
    }
    assert_memory_equal(p[0].seen, p[1].seen, sizeof p[0].seen);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_and_bends_are_not_mixed),
        cmocka_unit_test(edges_of_shadows_stay_where_rays_have_seen_them),
        cmocka_unit_test(noise_is_averaged_and_its_mean_kept),
        cmocka_unit_test(filter_does_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
