#include "base/state.h"
#include "support/support.h"

#define CLOTH STATE_TAG('C', 'L', 'T', 'H')
#define CREASE STATE_TAG('C', 'R', 'S', 'E')
#define UNKNOWN STATE_TAG('?', '?', '?', 1)

static const uint32_t u32s[] = {1, 0xffffffff, 7};
static const uint64_t u64s[] = {0, UINT64_MAX};
static const float f32s[] = {1.5f, -0.0f};
static const double f64s[] = {0.1, 1e300, -5e-324};

/* An entry that nobody knows, then a cloth with values and, within it, a crease. */
static void write_sample(state_writer *writer) {
    state_begin(writer, UNKNOWN, 9);
    state_put_u32(writer, u32s, 1);
    state_begin(writer, CLOTH, 1);
    state_end(writer);
    state_end(writer);
    state_begin(writer, CLOTH, 2);
    state_put_u32(writer, u32s, 3);
    state_put_f64(writer, f64s, 3);
    state_put_f64(writer, NULL, 0);
    state_begin(writer, CREASE, 1);
    state_put_u64(writer, u64s, 2);
    state_put_f32(writer, f32s, 2);
    state_end(writer);
    state_end(writer);
}

/* Everything that was written, checked. */
static ruga_status read_sample(ruga_context *context, const void *bytes, size_t size) {
    state_reader root, cloth, crease;
    uint32_t version = 0, a[3];
    uint64_t b[2];
    float c[2];
    double d[3];
    TRY(state_reader_open(context, bytes, size, &root));
    TRY(state_enter(&root, CLOTH, 3, &version, &cloth));
    assert_int_equal(version, 2);
    TRY(state_get_u32(&cloth, a, 3));
    TRY(state_get_f64(&cloth, d, 2));
    TRY(state_get_f64(&cloth, d + 2, 1));
    TRY(state_enter(&cloth, CREASE, 1, NULL, &crease));
    TRY(state_get_u64(&crease, b, 2));
    TRY(state_get_f32(&crease, c, 2));
    assert_memory_equal(a, u32s, sizeof u32s);
    assert_memory_equal(b, u64s, sizeof u64s);
    assert_memory_equal(c, f32s, sizeof f32s);
    assert_memory_equal(d, f64s, sizeof f64s);
    return RUGA_OK;
}

static void with_sample(void (*use)(ruga_context *context, const unsigned char *bytes, size_t size)) {
    ruga_context *context = context_plain(1);
    state_writer *writer = NULL;
    assert_ok(context, state_writer_create(context, &writer));
    write_sample(writer);
    const void *bytes;
    size_t size;
    assert_ok(context, state_writer_finish(writer, &bytes, &size));
    use(context, bytes, size);
    state_writer_destroy(writer);
    ruga_context_destroy(context);
}

static void check_round_trip(ruga_context *context, const unsigned char *bytes, size_t size) {
    assert_ok(context, read_sample(context, bytes, size));
}
static void what_was_put_is_got(void **state) {
    (void)state;
    with_sample(check_round_trip);
}

static void taken_bytes_outlive_their_writer(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    state_writer *writer = NULL;
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(context, state_writer_create(context, &writer));
    state_begin(writer, CLOTH, 1);
    assert_status(state_writer_take(writer, &bytes, &size), RUGA_ERROR_ARGUMENT);
    assert_true(!bytes && size == 0);
    state_end(writer);
    state_writer_destroy(writer);
    assert_ok(context, state_writer_create(context, &writer));
    write_sample(writer);
    assert_ok(context, state_writer_take(writer, &bytes, &size));
    state_writer_destroy(writer);
    assert_ok(context, read_sample(context, bytes, size));
    ruga_free(context, bytes);
    ruga_context_destroy(context);
}

static void check_layout(ruga_context *context, const unsigned char *bytes, size_t size) {
    (void)context;
    const unsigned char expected[] = {'R', 'U', 'G', 'A', 'S', 'T', 'A', 'T', 1, 0, 0, 0, '?', '?', '?', 1,
                                      9,   0,   0,   0,   20,  0,   0,   0,   0, 0, 0, 0, 1,   0,   0,   0,
                                      'C', 'L', 'T', 'H', 1,   0,   0,   0,   0, 0, 0, 0, 0,   0,   0,   0};
    assert_less(sizeof expected, size);
    assert_memory_equal(bytes, expected, sizeof expected);
}
static void the_layout_is_little_endian_on_every_machine(void **state) {
    (void)state;
    with_sample(check_layout);
}

static void check_truncation(ruga_context *context, const unsigned char *bytes, size_t size) {
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *copy = malloc(cut ? cut : 1);
        memcpy(copy, bytes, cut);
        assert_status(read_sample(context, copy, cut), RUGA_ERROR_INPUT);
        free(copy);
    }
}
static void a_state_cut_at_any_byte_is_refused(void **state) {
    (void)state;
    with_sample(check_truncation);
}

static void check_refusals(ruga_context *context, const unsigned char *bytes, size_t size) {
    state_reader root, cloth;
    uint32_t version;
    assert_ok(context, state_reader_open(context, bytes, size, &root));
    assert_status(state_enter(&root, CLOTH, 1, &version, &cloth), RUGA_ERROR_INPUT);
    assert_message_has(context, "\"CLTH\" of the saved state has version 2, but this program knows 1");
    assert_status(state_enter(&root, CREASE, 1, &version, &cloth), RUGA_ERROR_INPUT);
    assert_message_has(context, "holds no \"CRSE\"");
    assert_status(state_enter(&root, STATE_TAG(1, 'B', 'C', 'D'), 1, &version, &cloth), RUGA_ERROR_INPUT);
    assert_message_has(context, "holds no \"?BCD\"");

    assert_ok(context, state_enter(&root, CLOTH, 2, &version, &cloth));
    double values[100];
    assert_status(state_get_f64(&cloth, values, 100), RUGA_ERROR_INPUT);
    assert_message_has(context, "cut short");
    assert_status(state_get_u64(&cloth, NULL, SIZE_MAX), RUGA_ERROR_INPUT);

    unsigned char changed[64];
    memcpy(changed, bytes, sizeof changed);
    changed[8] = 2;
    assert_status(state_reader_open(context, changed, sizeof changed, &root), RUGA_ERROR_INPUT);
    assert_message_has(context, "version 2, but this program reads version 1");
    changed[0] = 'X';
    assert_status(state_reader_open(context, changed, sizeof changed, &root), RUGA_ERROR_INPUT);
    assert_message_has(context, "RUGASTAT");
}
static void what_is_missing_newer_or_too_short_is_refused(void **state) {
    (void)state;
    with_sample(check_refusals);
}

static void check_sizes(ruga_context *context, const unsigned char *bytes, size_t size) {
    unsigned char *copy = malloc(size);
    memcpy(copy, bytes, size);
    memset(copy + 20, 0xff, 8);
    assert_status(read_sample(context, copy, size), RUGA_ERROR_INPUT);
    assert_message_has(context, "cut short or damaged");
    free(copy);
}
static void a_size_past_the_end_is_refused(void **state) {
    (void)state;
    with_sample(check_sizes);
}

static void unpaired_entries_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    for (int i = 0; i < 2; i++) {
        state_writer *writer = NULL;
        assert_ok(context, state_writer_create(context, &writer));
        if (i == 0)
            state_begin(writer, CLOTH, 1);
        else
            state_end(writer);
        const void *bytes = NULL;
        size_t size;
        assert_status(state_writer_finish(writer, &bytes, &size), RUGA_ERROR_ARGUMENT);
        assert_null(bytes);
        state_writer_destroy(writer);
    }
    state_writer_destroy(NULL);
    ruga_context_destroy(context);
}

static ruga_status write_and_finish(ruga_context *context, void *user) {
    (void)user;
    state_writer *writer = NULL;
    TRY(state_writer_create(context, &writer));
    for (int i = 0; i < 12; i++) state_begin(writer, CREASE, 1);
    for (int i = 0; i < 12; i++) {
        write_sample(writer);
        state_end(writer);
    }
    const void *bytes;
    size_t size;
    ruga_status status = state_writer_finish(writer, &bytes, &size);
    state_writer_destroy(writer);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(5, assert_every_allocation_may_fail(write_and_finish, NULL));
}

static void more_than_memory_can_hold_is_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    state_writer *writer = NULL;
    assert_ok(context, state_writer_create(context, &writer));
    state_put_u64(writer, u64s, SIZE_MAX / 8);
    state_put_u64(writer, u64s, 1);
    const void *bytes;
    size_t size;
    assert_status(state_writer_finish(writer, &bytes, &size), RUGA_ERROR_MEMORY);
    state_writer_destroy(writer);
    ruga_context_destroy(context);
}

/* A golden number: hashes are stored in tests, so the function may never change. */
static void hashes_never_change_and_differ_between_bytes(void **state) {
    (void)state;
    unsigned char bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = (unsigned char)(i * 7);
    assert_true(state_hash(bytes, 64, 0) == 0x6cd9fc4ca2849dc3u);
    for (size_t size = 0; size <= 64; size++) {
        uint64_t hash = state_hash(bytes, size, 3);
        assert_true(hash != state_hash(bytes, size, 4));
        for (size_t bit = 0; bit < 8 * size; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_true(hash != state_hash(bytes, size, 3));
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        if (size < 64) assert_true(hash != state_hash(bytes, size + 1, 3));
    }
}

static void bytes_come_back_as_they_were_and_a_failure_is_reported_at_the_end(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    state_writer *writer = NULL;
    const void *bytes, *found;
    size_t size, found_size = 0;
    const uint32_t after = 7;
    assert_ok(context, state_writer_create(context, &writer));
    state_begin(writer, STATE_TAG('B', 'Y', 'T', 'E'), 1);
    state_put_bytes(writer, "abcde", 5);
    state_put_bytes(writer, NULL, 0);
    state_put_u32(writer, &after, 1);
    state_end(writer);
    assert_ok(context, state_writer_finish(writer, &bytes, &size));
    state_reader file, entry;
    uint32_t number = 0;
    assert_ok(context, state_reader_open(context, bytes, size, &file));
    assert_ok(context, state_enter(&file, STATE_TAG('B', 'Y', 'T', 'E'), 1, NULL, &entry));
    assert_ok(context, state_get_bytes(&entry, &found, &found_size));
    assert_true(found_size == 5 && memcmp(found, "abcde", 5) == 0);
    assert_ok(context, state_get_bytes(&entry, &found, &found_size));
    assert_ok(context, state_get_u32(&entry, &number, 1));
    assert_true(found_size == 0 && number == 7);
    assert_ok(context, state_enter(&file, STATE_TAG('B', 'Y', 'T', 'E'), 1, NULL, &entry));
    entry.end -= 13;
    assert_status(state_get_bytes(&entry, &found, &found_size), RUGA_ERROR_INPUT);
    assert_message_has(context, "5 bytes were expected, but 4 are left");

    state_put_failure(writer, RUGA_ERROR_MEMORY);
    state_put_failure(writer, RUGA_ERROR_INPUT);
    assert_status(state_writer_finish(writer, &bytes, &size), RUGA_ERROR_MEMORY);
    assert_message_has(context, "out of memory while a state was saved");
    state_writer_destroy(writer);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_got),
        cmocka_unit_test(taken_bytes_outlive_their_writer),
        cmocka_unit_test(the_layout_is_little_endian_on_every_machine),
        cmocka_unit_test(a_state_cut_at_any_byte_is_refused),
        cmocka_unit_test(what_is_missing_newer_or_too_short_is_refused),
        cmocka_unit_test(a_size_past_the_end_is_refused),
        cmocka_unit_test(unpaired_entries_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(more_than_memory_can_hold_is_refused),
        cmocka_unit_test(hashes_never_change_and_differ_between_bytes),
        cmocka_unit_test(bytes_come_back_as_they_were_and_a_failure_is_reported_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
