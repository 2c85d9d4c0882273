#include "base/memory.h"
#include "support/support.h"

static void a_product_that_overflows_gives_no_memory(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    assert_null(memory_allocate(context, SIZE_MAX / 2, 4));
    assert_null(memory_allocate(context, SIZE_MAX, 1));
    assert_null(memory_allocate_zeroed(context, SIZE_MAX / 8 + 1, 8));
    assert_null(memory_allocate_aligned(context, SIZE_MAX, 1));
    assert_null(memory_allocate_aligned(context, PTRDIFF_MAX, 1));
    arena a = arena_make(context);
    assert_null(arena_allocate(&a, SIZE_MAX / 2, 4));
    arena_release(&a);
    ruga_context_destroy(context);
}

static void zero_elements_still_give_memory(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    void *a = memory_allocate(context, 0, 8), *b = memory_copy(context, NULL, 0, 4);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    memory_release(context, a);
    memory_release(context, b);
    memory_release(context, NULL);
    ruga_context_destroy(context);
}

static void copies_are_equal_and_zeroed_memory_is_zero(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char *text = memory_copy_text(context, "ruga");
    assert_string_equal(text, "ruga");
    unsigned char *zero;
    assert_ok(context, NEW_ZEROED(context, &zero, 1000));
    for (int i = 0; i < 1000; i++) assert_int_equal(zero[i], 0);
    memory_release(context, text);
    memory_release(context, zero);
    ruga_context_destroy(context);
}

static void aligned_memory_is_aligned(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    for (size_t size = 0; size < 300; size += 7) {
        void *memory = memory_allocate_aligned(context, size, 1);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        memset(memory, 1, size);
        memory_release_aligned(context, memory);
    }
    memory_release_aligned(context, NULL);
    assert_int_equal(counter.live, 1);
    ruga_context_destroy(context);
}

typedef ARRAY(uint32_t) index_array;

static void an_array_keeps_its_items_as_it_grows(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    index_array a = {0};
    for (uint32_t i = 0; i < 10000; i++) {
        assert_ok(context, ARRAY_RESERVE(context, &a, 1));
        a.items[a.count++] = i;
    }
    for (uint32_t i = 0; i < 10000; i++) assert_int_equal(a.items[i], i);
    assert_ok(context, ARRAY_RESERVE(context, &a, 100000));
    assert_at_most(110000, a.capacity);
    assert_status(ARRAY_RESERVE(context, &a, SIZE_MAX), RUGA_ERROR_MEMORY);
    assert_status(ARRAY_RESERVE(context, &a, SIZE_MAX / 4), RUGA_ERROR_MEMORY);
    assert_message_has(context, "out of memory");
    assert_int_equal(a.items[9999], 9999);
    ARRAY_RELEASE(context, &a);
    assert_null(a.items);
    ruga_context_destroy(context);
}

static ruga_status grow_array(ruga_context *context, void *user) {
    (void)user;
    index_array a = {0};
    ruga_status status = RUGA_OK;
    while (!RUGA_FAILED(status) && a.count < 1000) {
        status = ARRAY_RESERVE(context, &a, 1);
        if (!RUGA_FAILED(status)) a.items[a.count++] = 1;
    }
    ARRAY_RELEASE(context, &a);
    return status;
}

static void an_array_that_cannot_grow_is_whole(void **state) {
    (void)state;
    assert_less(5, assert_every_allocation_may_fail(grow_array, NULL));
}

static void pieces_of_an_arena_are_aligned_and_apart(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    arena a = arena_make(context);
    test_random random = {5};
    unsigned char *pieces[500];
    size_t sizes[500];
    for (int i = 0; i < 500; i++) {
        sizes[i] = (size_t)(random_bits(&random) % (i % 50 == 0 ? 100000 : 300));
        pieces[i] = arena_allocate(&a, sizes[i], 1);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        memset(pieces[i], i & 0xff, sizes[i]);
    }
    for (int i = 0; i < 500; i++)
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(pieces[i][k], i & 0xff);
    assert_string_equal(arena_copy_text(&a, "wrinkled", 7), "wrinkle");
    counter.fail_at = counter.allocations;
    assert_null(arena_copy_text(&a, (const char *)pieces[0], SIZE_MAX / 4));
    assert_null(arena_allocate(&a, (size_t)1 << 22, 1));
    arena_release(&a);
    arena_release(&a);
    assert_int_equal(counter.live, 1);
    ruga_context_destroy(context);
}

/* Small and large pieces, with a pattern that would show an overlap. */
static void pieces_of_the_default_allocator_do_not_overlap(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    test_random random = {7};
    unsigned char *pieces[16] = {0};
    size_t sizes[16], kept = 0;
    for (int round = 0; round < 200; round++) {
        size_t i = random_bits(&random) % 16;
        if (pieces[i]) {
            kept++;
            assert_int_equal(pieces[i][0], i);
            assert_int_equal(pieces[i][sizes[i] / 2], i);
            assert_int_equal(pieces[i][sizes[i] - 1], i);
            memory_release(context, pieces[i]);
        }
        sizes[i] = 1 + random_bits(&random) % (round % 3 ? 6u << 20 : 1000);
        if (round % 3 == 2) sizes[i] += (size_t)4 << 20;
        assert_ok(context, NEW(context, &pieces[i], sizes[i]));
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        pieces[i][0] = pieces[i][sizes[i] / 2] = pieces[i][sizes[i] - 1] = (unsigned char)i;
    }
    assert_ran(kept, 180);
    for (size_t i = 0; i < 16; i++) memory_release(context, pieces[i]);
    ruga_context_destroy(context);
}

static void the_default_allocator_works_without_a_context(void **state) {
    (void)state;
    ruga_allocator allocator = ruga_context_def_default().allocator;
    const size_t sizes[] = {1, 1000, (size_t)9 << 20};
    for (int i = 0; i < 3; i++) {
        char *memory = allocator.allocate(allocator.user, sizes[i]);
        assert_non_null(memory);
        memory[sizes[i] - 1] = 1;
        allocator.release(allocator.user, memory);
    }
    assert_null(allocator.allocate(allocator.user, PTRDIFF_MAX - ((size_t)5 << 20)));
    allocator.release(allocator.user, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_that_overflows_gives_no_memory),
        cmocka_unit_test(zero_elements_still_give_memory),
        cmocka_unit_test(copies_are_equal_and_zeroed_memory_is_zero),
        cmocka_unit_test(aligned_memory_is_aligned),
        cmocka_unit_test(an_array_keeps_its_items_as_it_grows),
        cmocka_unit_test(an_array_that_cannot_grow_is_whole),
        cmocka_unit_test(pieces_of_an_arena_are_aligned_and_apart),
        cmocka_unit_test(pieces_of_the_default_allocator_do_not_overlap),
        cmocka_unit_test(the_default_allocator_works_without_a_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
