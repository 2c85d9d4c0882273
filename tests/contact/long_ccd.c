/* Continuous collision against rational arithmetic, a million times and more. */
#include "contact/ccd_truth.h"
#include "contact/pair_queries.h"

/* Stretches of a proof that parts stay apart. It takes more for a quarter of the pairs; of these the roots show that
 * they do not touch. */
#define PROOF 8

static void a_million_random_pairs_agree(void **state) {
    (void)state;
    test_random random = {2026};
    ccd_tally tally = {0};
    for (int n = 0; n < 1000000; n++) {
        pair_query q = random_query(&random);
        check_query(&q, PROOF, n % 10 == 0, &tally);
    }
    assert_less(100000, tally.hits);
    assert_less(10000, tally.touching);
    assert_less(tally.given_up, 100);
    assert_less(tally.unproved, 350000);
}

static void many_degenerate_pairs_agree(void **state) {
    (void)state;
    query_maker *const makers[] = {
        lattice_query, parallel_query, coplanar_query,        zero_length_query,       touching_query, thin_query,
        grazing_query, far_query,      nearly_touching_query, nearly_degenerate_query, scaled_query};
    const size_t count = sizeof makers / sizeof makers[0];
    ccd_tally tally = {0};
    for (size_t kind = 0; kind < count; kind++) {
        test_random random = {77 + kind};
        for (int n = 0; n < 20000; n++) {
            pair_query q = makers[kind](&random);
            check_query(&q, PROOF, n % 10 == 0, &tally);
        }
    }
    assert_less(2000 * count / 4, tally.touching);
    assert_less(tally.given_up, 20000 * count / 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_random_pairs_agree),
                                       cmocka_unit_test(many_degenerate_pairs_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
