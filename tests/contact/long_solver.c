/* The guarantee on thousands of soups. */
#include "support/soup.h"

enum { SEEDS = 1000, FIRST = 100000 };

static void run_soups(ruga_context *context, const soup_case *c) {
    for (uint64_t seed = FIRST; seed < FIRST + SEEDS; seed++) {
        /* Every third is left to zones alone. */
        soup_result result = run_soup(context, c, seed, 4, seed % 3 == 0 ? 0 : 8);
        if (c->kind != SOUP_DEFORMING) assert_equal_case(result.pinched, 0, "seed %llu", (unsigned long long)seed);
    }
}

static void random_trajectories_end_without_intersection(void **state) {
    run_soups(*state, &(soup_case){SOUP_NONE, 24, 0, 0.4, 0.8, 0.01});
}

static void nothing_passes_static_surfaces(void **state) {
    run_soups(*state, &(soup_case){SOUP_STATIC, 20, 10, 0.4, 0.8, 0.01});
}

static void nothing_passes_what_turns(void **state) {
    run_soups(*state, &(soup_case){SOUP_RIGID, 20, 10, 0.4, 0.8, 0.01});
}

static void only_reported_pairs_intersect_where_surfaces_deform(void **state) {
    run_soups(*state, &(soup_case){SOUP_DEFORMING, 16, 10, 0.4, 0.8, 0.01});
}

static void crowds_end_without_intersection(void **state) {
    for (uint64_t seed = 0; seed < 60; seed++)
        run_soup(*state, &(soup_case){SOUP_RIGID, 40, 20, 0.6, 2, 0.03}, seed, 6, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trajectories_end_without_intersection),
        cmocka_unit_test(nothing_passes_static_surfaces),
        cmocka_unit_test(nothing_passes_what_turns),
        cmocka_unit_test(only_reported_pairs_intersect_where_surfaces_deform),
        cmocka_unit_test(crowds_end_without_intersection),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_all, tear_down_context);
}
