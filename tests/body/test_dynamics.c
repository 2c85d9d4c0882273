/* The common part of bodies with a step in time: the saved state of points that colliders hold. */
#include "body/dynamics.h"

#include "base/state.h"
#include "support/support.h"

#define TAG STATE_TAG('H', 'O', 'L', 'D')
#define POINTS 50
#define BYTES_PER_HOLD (sizeof(uint32_t) + sizeof(contact_hold))

static contact_hold hold_random(test_random *random) {
    return (contact_hold){.normal = random_vec3(random, 0.1, 1),
                          .velocity = random_vec3(random, -1, 1),
                          .grip = random_between(random, 0, 2)};
}

/* Every third point of a body is held. The others have velocities of a hold that ended, which mean nothing. */
static size_t fill(contact_hold *holds) {
    test_random random = {7};
    size_t held = 0;
    for (size_t i = 0; i < POINTS; i++) {
        holds[i] = hold_random(&random);
        if (i % 3 == 0)
            held++;
        else
            holds[i].normal = (ruga_vec3){0, 0, 0};
    }
    return held;
}

static state_writer *save(ruga_context *context, const contact_hold *holds, const void **bytes, size_t *size) {
    state_writer *writer = NULL;
    assert_ok(context, state_writer_create(context, &writer));
    state_begin(writer, TAG, 1);
    holds_save(holds, POINTS, writer);
    state_end(writer);
    assert_ok(context, state_writer_finish(writer, bytes, size));
    return writer;
}

static ruga_status load(ruga_context *context, const void *bytes, size_t size, size_t count, contact_hold *holds) {
    state_reader root, entry;
    TRY(state_reader_open(context, bytes, size, &root));
    TRY(state_enter(&root, TAG, 1, NULL, &entry));
    TRY(holds_load(context, &entry, "points", count, holds));
    assert_ptr_equal(entry.at, entry.end);
    return RUGA_OK;
}

static void points_that_are_held_come_back_and_the_others_are_free(void **state) {
    ruga_context *context = *state;
    contact_hold holds[POINTS], loaded[POINTS];
    const contact_hold none = {0};
    const void *bytes;
    size_t size, held = fill(holds), free_count = 0;
    state_writer *writer = save(context, holds, &bytes, &size);
    memset(loaded, 0x77, sizeof loaded);
    assert_ok(context, load(context, bytes, size, POINTS, loaded));
    for (size_t i = 0; i < POINTS; i++) {
        const contact_hold *expected = i % 3 == 0 ? &holds[i] : &none;
        assert_memory_equal(&loaded[i], expected, sizeof none);
        free_count += i % 3 != 0;
    }
    assert_int_equal(held + free_count, POINTS);
    /* Another integrator has no holds: they are passed over. */
    assert_ok(context, load(context, bytes, size, POINTS, NULL));
    state_writer_destroy(writer);
}

static void only_points_that_are_held_take_room(void **state) {
    ruga_context *context = *state;
    contact_hold holds[POINTS] = {0};
    const void *bytes;
    size_t size_of_none, size_without, size;
    state_writer_destroy(save(context, NULL, &bytes, &size_without));
    state_writer_destroy(save(context, holds, &bytes, &size_of_none));
    size_t held = fill(holds);
    state_writer_destroy(save(context, holds, &bytes, &size));
    assert_int_equal(size_of_none, size_without);
    assert_int_equal(size, size_of_none + held * BYTES_PER_HOLD);
}

static void damaged_holds_are_refused(void **state) {
    ruga_context *context = *state;
    contact_hold holds[POINTS], loaded[POINTS];
    const void *bytes;
    size_t size, held = fill(holds);
    state_writer *writer = save(context, holds, &bytes, &size);
    /* The last point that is held is number 48. */
    assert_status(load(context, bytes, size, 48, loaded), RUGA_ERROR_INPUT);
    assert_message_has(context, "a hold of number 48 of 48 points");
    assert_status(load(context, bytes, size, held - 1, loaded), RUGA_ERROR_INPUT);
    assert_message_has(context, "holds of 17 of 16 points");
    for (size_t cut = 0; cut < size; cut++) assert_status(load(context, bytes, cut, POINTS, loaded), RUGA_ERROR_INPUT);
    state_writer_destroy(writer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_that_are_held_come_back_and_the_others_are_free),
        cmocka_unit_test(only_points_that_are_held_take_room),
        cmocka_unit_test(damaged_holds_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
