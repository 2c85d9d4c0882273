/* The hash of a stream does not depend on how it is cut into pieces, and every bit counts. */
#include "base/rolling_hash.h"

#include <string.h>

#include "support/support.h"

static uint64_t hash_of(const void *bytes, size_t size) {
    rolling_hash hash = {0};
    rolling_hash_add(&hash, bytes, size);
    return rolling_hash_value(&hash);
}

static void fill(unsigned char *bytes, size_t size) {
    uint32_t x = 1;
    for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)((x = x * 1664525 + 1013904223) >> 24);
}

static void pieces_do_not_matter(void **state) {
    (void)state;
    unsigned char bytes[200];
    fill(bytes, sizeof bytes);
    for (size_t size = 0; size <= sizeof bytes; size += 7)
        for (size_t cut = 0; cut <= size; cut++)
            for (size_t second = cut; second <= size; second += 13) {
                rolling_hash hash = {0};
                rolling_hash_add(&hash, bytes, cut);
                rolling_hash_add(&hash, bytes + cut, second - cut);
                rolling_hash_add(&hash, bytes + second, size - second);
                assert_int_equal(hash.size, size);
                assert_true(rolling_hash_value(&hash) == hash_of(bytes, size));
            }
}

static void every_bit_and_every_length_counts(void **state) {
    (void)state;
    unsigned char bytes[100] = {0};
    uint64_t seen[100 * 8 + 101];
    size_t count = 0;
    for (size_t size = 0; size <= sizeof bytes; size++) seen[count++] = hash_of(bytes, size);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        seen[count++] = hash_of(bytes, sizeof bytes);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) assert_true(seen[i] != seen[k]);
}

/* Files of one machine are checked on another. */
static void the_value_is_fixed(void **state) {
    (void)state;
    unsigned char bytes[77];
    fill(bytes, sizeof bytes);
    const uint64_t value = hash_of(bytes, sizeof bytes);
    fail_if(value != UINT64_C(0xc598e4a22a63e5b9), "0x%016llx", (unsigned long long)value);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(every_bit_and_every_length_counts),
        cmocka_unit_test(the_value_is_fixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
