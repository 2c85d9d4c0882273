/* Sorting: the result rises and is a permutation, for every size on both sides of the switch between methods. */
#include "base/sort.h"

#include "support/support.h"

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void keys_come_out_as_qsort_has_them(void **state) {
    (void)state;
    test_random random = {1};
    for (size_t n = 0; n < 200; n++)
        for (uint64_t range = 2; range; range = range < UINT64_C(1) << 60 ? range << 20 : 0) {
            uint64_t keys[200], expected[200];
            for (size_t i = 0; i < n; i++) keys[i] = expected[i] = random_bits(&random) % range;
            qsort(expected, n, sizeof *expected, compare);
            sort_keys(keys, n);
            for (size_t i = 0; i < n; i++) assert_int_equal(keys[i], expected[i]);
        }
}

static void indices_come_out_as_keys_do(void **state) {
    (void)state;
    test_random random = {2};
    for (size_t n = 0; n < 200; n++)
        for (uint64_t range = 2; range <= UINT64_C(1) << 32; range <<= 31) {
            uint32_t indices[200];
            uint64_t keys[200];
            for (size_t i = 0; i < n; i++) keys[i] = indices[i] = (uint32_t)(random_bits(&random) % range);
            sort_keys(keys, n);
            sort_indices(indices, n);
            for (size_t i = 0; i < n; i++) assert_int_equal(indices[i], keys[i]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_come_out_as_qsort_has_them),
                                       cmocka_unit_test(indices_come_out_as_keys_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
