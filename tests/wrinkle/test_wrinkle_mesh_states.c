/* The state of a wrinkle mesh: saved, copied, settled and reset. */
#include "wrinkle_mesh_support.h"

static const ruga_wrinkle_solver solvers[] = {RUGA_WRINKLE_PROJECTION, RUGA_WRINKLE_COMPLIANT};

/* ---- Saved and copied. */

static void a_loaded_state_continues_with_the_same_bits(void **state) {
    for (int s = 0; s < 2; s++) {
        ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
        wrinkled a = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
        wrinkled b = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
        for (int frame = 0; frame < 3; frame++) {
            squeeze_frame(a, frame);
            update(a);
        }
        void *bytes = NULL;
        size_t size = 0;
        assert_ok(*state, ruga_wrinkle_mesh_save(a.mesh, &bytes, &size));
        assert_ok(*state, ruga_wrinkle_mesh_load(b.mesh, bytes, size));
        for (int frame = 3; frame < 5; frame++) {
            squeeze_frame(a, frame);
            squeeze_frame(b, frame);
            update(a);
            update(b);
            assert_memory_equal(a.positions, b.positions, a.fine->vertex_count * sizeof *a.positions);
        }
        ruga_free(*state, bytes);
        wrinkled_release(a);
        wrinkled_release(b);
    }
}

static void a_copy_is_a_wrinkle_mesh_of_its_own(void **state) {
    for (int s = 0; s < 2; s++) {
        ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
        wrinkled a = wrinkle_regular(shape_torus(*state, 12, 9), 3, &def);
        squeeze_frame(a, 2);
        update(a);
        ruga_wrinkle_mesh *copy = NULL;
        assert_ok(*state, ruga_wrinkle_mesh_copy(a.mesh, &copy));
        size_t bytes = a.fine->vertex_count * sizeof *a.positions;
        ruga_vec3 *read = malloc(bytes);
        ruga_view in = view_of(a.moved, a.base->vertex_count), out = view_of(read, a.fine->vertex_count);
        assert_ok(*state, ruga_wrinkle_mesh_read(copy, &out, NULL));
        assert_memory_equal(read, a.positions, bytes);
        for (int frame = 3; frame < 5; frame++) {
            squeeze_frame(a, frame);
            update(a);
            assert_ok(*state, ruga_wrinkle_mesh_update(copy, &in, NULL));
        }
        assert_ok(*state, ruga_wrinkle_mesh_read(copy, &out, NULL));
        assert_memory_equal(read, a.positions, bytes);
        free(read);
        ruga_wrinkle_mesh_destroy(copy);
        wrinkled_release(a);
    }
}

static void states_of_another_mesh_are_refused(void **state) {
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1), world = def;
    world.frame = RUGA_WRINKLE_FRAME_WORLD;
    wrinkled a = wrinkle_regular(shape_torus(*state, 8, 6), 2, &def);
    wrinkled b = wrinkle_regular(shape_torus(*state, 6, 8), 2, &def);
    wrinkled c = wrinkle_regular(shape_torus(*state, 8, 6), 3, &def);
    wrinkled d = wrinkle_regular(shape_torus(*state, 8, 6), 2, &world);
    squeeze_frame(a, 2);
    update(a);
    char *bytes = NULL;
    size_t size = 0;
    assert_ok(*state, ruga_wrinkle_mesh_save(a.mesh, (void **)&bytes, &size));
    assert_status(ruga_wrinkle_mesh_load(b.mesh, bytes, size), RUGA_ERROR_INPUT);
    assert_message_has(*state, "other triangles");
    assert_status(ruga_wrinkle_mesh_load(c.mesh, bytes, size), RUGA_ERROR_INPUT);
    assert_message_has(*state, "another mesh");
    assert_status(ruga_wrinkle_mesh_load(d.mesh, bytes, size), RUGA_ERROR_INPUT);
    assert_message_has(*state, "relative to the base");
    for (size_t cut = 0; cut < size; cut += 97) assert_true(RUGA_FAILED(ruga_wrinkle_mesh_load(a.mesh, bytes, cut)));
    memset(bytes + size - 4, 0xff, 4);
    double before = rms_offset(a);
    assert_status(ruga_wrinkle_mesh_load(a.mesh, bytes, size), RUGA_ERROR_INPUT);
    assert_message_has(*state, "not finite");
    assert_true(rms_offset(a) == before);
    ruga_free(*state, bytes);
    wrinkled_release(a);
    wrinkled_release(b);
    wrinkled_release(c);
    wrinkled_release(d);
}

/* The torus as shape_torus makes it, thicker by a factor. */
static ruga_mesh *thick_torus(ruga_context *context, double factor) {
    ruga_mesh *torus = shape_torus(context, 8, 6);
    ruga_vec3 points[8 * 6];
    for (size_t v = 0; v < 8 * 6; v++) {
        points[v] = torus->positions[v];
        points[v].y *= factor;
    }
    ruga_mesh *thick = shape_make(context, 8 * 6, points, torus->triangle_count, NULL, torus->triangles);
    ruga_mesh_destroy(torus);
    return thick;
}

/* The same triangles in another rest pose would make other wrinkles of the same offsets. A rest pose that is moved as a
 * whole, or differs by what a file may have rounded, is accepted. */
static void states_of_another_rest_pose_are_refused(void **state) {
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    wrinkled a = wrinkle_regular(thick_torus(*state, 1), 2, &def);
    wrinkled other = wrinkle_regular(thick_torus(*state, 1.05), 2, &def);
    wrinkled near = wrinkle_regular(thick_torus(*state, 1.0005), 2, &def);
    squeeze_frame(a, 2);
    update(a);
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(*state, ruga_wrinkle_mesh_save(a.mesh, &bytes, &size));
    assert_status(ruga_wrinkle_mesh_load(other.mesh, bytes, size), RUGA_ERROR_INPUT);
    assert_message_has(*state, "another rest pose");
    assert_message_has(*state, "settle this one again");
    assert_true(rms_offset(other) == 0);
    assert_ok(*state, ruga_wrinkle_mesh_load(near.mesh, bytes, size));
    assert_true(rms_offset(near) == rms_offset(a));

    /* A fine mesh of an artist's: only its own rest pose differs. */
    ruga_mesh *fine[2] = {thick_torus(*state, 1), thick_torus(*state, 1.05)};
    ruga_wrinkle_mesh *made[2] = {NULL};
    for (int k = 0; k < 2; k++) assert_ok(*state, ruga_wrinkle_mesh_create(a.base, fine[k], &def, &made[k]));
    ruga_free(*state, bytes);
    assert_ok(*state, ruga_wrinkle_mesh_save(made[0], &bytes, &size));
    assert_status(ruga_wrinkle_mesh_load(made[1], bytes, size), RUGA_ERROR_INPUT);
    assert_message_has(*state, "of the fine mesh");
    ruga_free(*state, bytes);
    for (int k = 0; k < 2; k++) ruga_wrinkle_mesh_destroy(made[k]), ruga_mesh_destroy(fine[k]);
    wrinkled_release(a);
    wrinkled_release(other);
    wrinkled_release(near);
}

/* States that were saved before rest poses were compared: the entry is version 1, and has neither lengths behind its
 * six numbers nor strains at its end. */
static void states_without_lengths_still_load(void **state) {
    enum { VERSION_AT = 16, SIZE_AT = 20, LENGTHS_AT = 28 + 6 * 8 };
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    def.calm = 0;
    wrinkled a = wrinkle_regular(shape_torus(*state, 8, 6), 2, &def);
    wrinkled b = wrinkle_regular(shape_torus(*state, 8, 6), 2, &def);
    squeeze_frame(a, 2);
    update(a);
    char *bytes = NULL;
    size_t size = 0, lengths = 4 * (a.base->vertex_count + a.fine->vertex_count), strains = 16 * a.base->triangle_count;
    assert_ok(*state, ruga_wrinkle_mesh_save(a.mesh, (void **)&bytes, &size));
    uint32_t version = 1;
    uint64_t inside;
    memcpy(&inside, bytes + SIZE_AT, sizeof inside);
    inside -= lengths + strains;
    memcpy(bytes + VERSION_AT, &version, sizeof version);
    memcpy(bytes + SIZE_AT, &inside, sizeof inside);
    memmove(bytes + LENGTHS_AT, bytes + LENGTHS_AT + lengths, size - LENGTHS_AT - lengths);
    assert_ok(*state, ruga_wrinkle_mesh_load(b.mesh, bytes, size - lengths - strains));
    squeeze_frame(a, 3);
    squeeze_frame(b, 3);
    update(a);
    update(b);
    assert_memory_equal(a.positions, b.positions, a.fine->vertex_count * sizeof *a.positions);
    ruga_free(*state, bytes);
    wrinkled_release(a);
    wrinkled_release(b);
}

/* ---- Settled. */

/* Radii that are painted down to nothing: rounding moves a point by more than any part of such a radius, and settling
 * never ended. */
static void settling_ends_where_radii_fade_to_nothing(void **state) {
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_COMPLIANT, 1);
    ruga_mesh *base = shape_torus(*state, 24, 16);
    double radii[96 * 64];
    for (size_t v = 0; v < 96 * 64; v++) radii[v] = pow(10, -8 * (double)(v % 101) / 100);
    def.radius = ruga_param_array(radii, 96 * 64);
    def.wavelength = NAN;
    wrinkled w = wrinkle_regular(base, 4, &def);
    squeeze(w, 0.8);
    assert_less(settle(w, 0, 3000), 3000);
    wrinkled_release(w);
}

static void settling_gives_the_same_whatever_was_before(void **state) {
    for (int s = 0; s < 2; s++) {
        ruga_wrinkle_mesh_def def = def_with(solvers[s], 1);
        wrinkled a = wrinkle_regular(shape_sheet(*state, 6, 6), 3, &def);
        wrinkled b = wrinkle_regular(shape_sheet(*state, 6, 6), 3, &def);
        for (int frame = 0; frame < 4; frame++) {
            squeeze(a, 1.1 - 0.1 * frame);
            update(a);
        }
        squeeze(a, 0.9);
        squeeze(b, 0.9);
        int done = settle(a, 0.01, 0);
        assert_int_equal(settle(b, 0.01, 0), done);
        assert_less(0, done);
        assert_less(done, 10000);
        assert_memory_equal(a.positions, b.positions, a.fine->vertex_count * sizeof *a.positions);
        ruga_view in = view_of(a.moved, a.base->vertex_count);
        assert_status(ruga_wrinkle_mesh_settle(a.mesh, &in, NULL, 1e-12, 65, &done), RUGA_WARNING_NOT_CONVERGED);
        assert_int_equal(done, 65);
        wrinkled_release(a);
        wrinkled_release(b);
    }
}

static void reset_gives_the_initial_state(void **state) {
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    wrinkled a = wrinkle_regular(shape_sheet(*state, 6, 6), 3, &def);
    wrinkled b = wrinkle_regular(shape_sheet(*state, 6, 6), 3, &def);
    squeeze(a, 0.7);
    update(a);
    assert_ok(*state, ruga_wrinkle_mesh_reset(a.mesh));
    squeeze(a, 0.9);
    squeeze(b, 0.9);
    update(a);
    update(b);
    assert_memory_equal(a.positions, b.positions, a.fine->vertex_count * sizeof *a.positions);
    wrinkled_release(a);
    wrinkled_release(b);
}

static int stop(void *user, const char *stage, double fraction) {
    (void)stage;
    return *(int *)user && fraction > 0;
}

static void settling_may_be_cancelled_and_leaves_the_state_alone(void **state) {
    (void)state;
    int stops = 0;
    ruga_context_def context_def = ruga_context_def_default();
    context_def.thread_count = 1;
    context_def.progress = stop;
    context_def.progress_user = &stops;
    ruga_context *context = NULL;
    assert_status(ruga_context_create(&context_def, &context), RUGA_OK);
    ruga_wrinkle_mesh_def def = def_with(RUGA_WRINKLE_PROJECTION, 1);
    wrinkled w = wrinkle_regular(shape_torus(context, 8, 6), 2, &def);
    squeeze_frame(w, 3);
    update(w);
    double before = rms_offset(w);
    ruga_view in = view_of(w.moved, w.base->vertex_count);
    stops = 1;
    assert_status(ruga_wrinkle_mesh_settle(w.mesh, &in, NULL, 1e-12, 0, NULL), RUGA_ERROR_CANCELLED);
    assert_true(rms_offset(w) == before);
    wrinkled_release(w);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loaded_state_continues_with_the_same_bits),
        cmocka_unit_test(a_copy_is_a_wrinkle_mesh_of_its_own),
        cmocka_unit_test(states_of_another_mesh_are_refused),
        cmocka_unit_test(states_of_another_rest_pose_are_refused),
        cmocka_unit_test(states_without_lengths_still_load),
        cmocka_unit_test(settling_ends_where_radii_fade_to_nothing),
        cmocka_unit_test(settling_gives_the_same_whatever_was_before),
        cmocka_unit_test(reset_gives_the_initial_state),
        cmocka_unit_test(settling_may_be_cancelled_and_leaves_the_state_alone),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
