/* The detail "wrinkle": it is the wrinkle mesh itself, begins settled, and goes on from a saved state to the same bits. */
#include "wrinkle/detail_support.h"
#include "wrinkle/wrinkle_detail.h"

enum { SIDE = 6 };

/* Pressed together along x, more and more with time. */
static void press(const ruga_mesh *mesh, double time, ruga_vec3 *out) {
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        ruga_vec3 p = mesh->positions[v];
        out[v] = (ruga_vec3){p.x * (1 - 0.2 * time), p.y, p.z};
    }
}

static detail *make(const ruga_mesh *base, const wrinkle_detail_def *def) {
    detail *d = NULL;
    assert_ok(base->context, detail_wrinkle_create(base, def, &d));
    return d;
}

static wrinkle_detail_def lively(void) {
    wrinkle_detail_def def = wrinkle_detail_def_default();
    def.mesh.radius = ruga_param_constant(0.03);
    def.mesh.pre_stretch = ruga_param_constant(1);
    return def;
}

static void assert_same(const detail *a, const detail *b) {
    size_t size = a->output->vertex_count * sizeof *a->positions;
    assert_int_equal(a->output->vertex_count, b->output->vertex_count);
    assert_memory_equal(a->positions, b->positions, size);
    assert_memory_equal(a->normals, b->normals, size);
}

/* ---- Frames. */

static void it_is_the_wrinkle_mesh_itself(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE), *fine = NULL;
    wrinkle_detail_def def = lively();
    ruga_wrinkle_mesh *wrinkles = NULL;
    detail *d = make(base, &def);
    assert_ok(*state, ruga_wrinkle_mesh_create_subdivided(base, &def.subdivide, &def.mesh, &fine, &wrinkles));
    assert_int_equal(d->output->triangle_count, 16 * base->triangle_count);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)], *expected = copy_points(fine->positions, fine->vertex_count);
    const ruga_view in = {points, base->vertex_count, 0, RUGA_F64};
    ruga_view out = {expected, fine->vertex_count, 0, RUGA_F64};
    for (int i = 0; i < 4; i++) {
        press(base, 0.25 * i, points);
        if (i == 0) {
            detail_settle(d, points, 0, NULL);
            assert_ok(*state, ruga_wrinkle_mesh_settle(wrinkles, &in, NULL, 0, 0, NULL));
        } else {
            detail_update(d, points, 0.25 * i, 0.25, NULL);
            assert_ok(*state, ruga_wrinkle_mesh_update(wrinkles, &in, NULL));
        }
        assert_ok(*state, ruga_wrinkle_mesh_read(wrinkles, &out, NULL));
        assert_memory_equal(d->positions, expected, fine->vertex_count * sizeof *expected);
        assert_true(d->measures.items[0].value == ruga_wrinkle_mesh_get_report(wrinkles).rms_offset);
    }
    assert_true(d->measures.items[0].value > 1e-4 && d->measures.items[2].value == def.mesh.iterations);
    free(expected);
    ruga_wrinkle_mesh_destroy(wrinkles);
    ruga_mesh_destroy(fine);
    detail_destroy(d);
    ruga_mesh_destroy(base);
}

static void normals_are_those_of_the_fine_mesh(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE);
    wrinkle_detail_def def = lively();
    detail *d = make(base, &def);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)], *normals = copy_points(d->normals, d->output->vertex_count);
    for (size_t v = 0; v < d->output->vertex_count; v++) assert_true(normals[v].y > 0.999);
    press(base, 1, points);
    detail_settle(d, points, 1, NULL);
    assert_ok(*state, ruga_mesh_normals(d->output, d->positions, normals));
    for (size_t v = 0; v < d->output->vertex_count; v++) assert_true(vec3_dot(normals[v], d->normals[v]) > 0.95);
    free(normals);
    detail_destroy(d);
    ruga_mesh_destroy(base);
}

/* Whatever came before. A second time on the same frame changes nothing, and takes no iterations. */
static void a_frame_settles_to_the_same_every_time(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE);
    wrinkle_detail_def def = lively();
    detail *d = make(base, &def), *other = make(base, &def);
    def.settle = 1;
    detail *always = make(base, &def);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)];
    for (int i = 0; i < 4; i++) {
        press(base, 0.25 * i, points);
        detail_settle(d, points, 0, NULL);
        detail_update(always, points, 0.25 * i, 0.25, NULL);
    }
    detail_settle(other, points, 0, NULL);
    assert_same(d, other);
    assert_same(d, always);
    assert_true(d->measures.items[2].value > 1);
    detail_settle(d, points, 0, NULL);
    assert_same(d, other);
    assert_true(d->measures.items[2].value == 0);
    detail_destroy(always);
    detail_destroy(other);
    detail_destroy(d);
    ruga_mesh_destroy(base);
}

/* ---- The fine mesh of others. */

static void a_given_fine_mesh_is_bound(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE), *fine = shape_sheet(*state, 17, 13);
    wrinkle_detail_def def = wrinkle_detail_def_default();
    def.fine = fine;
    def.mesh.radius = ruga_param_constant(0);
    detail *d = make(base, &def);
    assert_ptr_equal(d->output, fine);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)];
    press(base, 1, points);
    detail_update(d, points, 1, 1, NULL);
    for (size_t v = 0; v < fine->vertex_count; v++)
        assert_true(fabs(d->positions[v].x - 0.8 * fine->positions[v].x) < 1e-5);
    assert_int_equal(wrinkle_detail_report(d).fine_vertices, fine->vertex_count);
    detail_destroy(d);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(base);
}

/* ---- Parameters with keys. */

static void parameters_follow_their_keys(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE);
    const ruga_param none = ruga_param_constant(0), some = ruga_param_constant(0.03);
    const ruga_param_key keys[] = {{0, &none}, {1, &some}};
    wrinkle_detail_def def = lively();
    def.mesh.radius = ruga_param_keys(keys, 2);
    detail *d = make(base, &def);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)];
    press(base, 1, points);
    detail_settle(d, points, 0, NULL);
    assert_true(d->measures.items[0].value < 1e-9);
    for (int i = 1; i <= 20; i++) detail_update(d, points, 0.05 * i, 0.05, NULL);
    assert_true(d->measures.items[0].value > 1e-3);
    /* Out of the plane, though nothing had left it while there was no room to. */
    double highest = 0;
    for (size_t v = 0; v < d->output->vertex_count; v++) highest = fmax(highest, fabs(d->positions[v].y));
    assert_true(highest > 5e-3);
    detail_destroy(d);

    /* A key that is wrong is found before the first frame. */
    const ruga_param wrong = ruga_param_constant(-1);
    const ruga_param_key bad[] = {{0, &some}, {1, &wrong}};
    def.mesh.radius = ruga_param_keys(bad, 2);
    def.mesh.radius.low = 0;
    def.mesh.radius.high = 1;
    detail *none_made = NULL;
    assert_status(detail_wrinkle_create(base, &def, &none_made), RUGA_ERROR_INPUT);
    assert_message_has(*state, "radius");
    assert_null(none_made);
    ruga_mesh_destroy(base);
}

/* ---- State. */

static void a_saved_state_goes_on_to_the_same_bits(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE);
    wrinkle_detail_def def = lively();
    detail *d = make(base, &def), *other = make(base, &def);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)];
    for (int i = 0; i < 5; i++) {
        press(base, 0.1 * i, points);
        detail_update(d, points, 0.1 * i, 0.1, NULL);
    }
    state_writer *writer = NULL;
    const void *bytes;
    size_t size;
    assert_ok(*state, state_writer_create(*state, &writer));
    d->interface->save(d, writer);
    assert_ok(*state, state_writer_finish(writer, &bytes, &size));
    state_reader reader;
    assert_ok(*state, state_reader_open(*state, bytes, size, &reader));
    assert_ok(*state, other->interface->load(other, &reader));
    for (int i = 5; i < 8; i++) {
        press(base, 0.1 * i, points);
        detail_update(d, points, 0.1 * i, 0.1, NULL);
        detail_update(other, points, 0.1 * i, 0.1, NULL);
        assert_same(d, other);
    }
    /* That of another mesh is refused. */
    def.subdivide.n = 3;
    detail *coarser = make(base, &def);
    assert_status(coarser->interface->load(coarser, &reader), RUGA_ERROR_INPUT);
    state_writer_destroy(writer);
    detail_destroy(coarser);
    detail_destroy(other);
    detail_destroy(d);
    ruga_mesh_destroy(base);
}

/* ---- Bad input, memory. */

static void frames_of_another_mesh_are_refused(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE);
    wrinkle_detail_def def = wrinkle_detail_def_default();
    detail *d = make(base, &def);
    ruga_frame in = frame_at(base, base->positions, 0);
    assert_status(d->interface->update(d, &in, NAN, &still_air), RUGA_ERROR_ARGUMENT);
    in.vertex_count--;
    assert_status(d->interface->update(d, &in, 0.1, &still_air), RUGA_ERROR_ARGUMENT);
    assert_status(d->interface->settle(d, &in, &still_air), RUGA_ERROR_ARGUMENT);
    detail_destroy(d);
    ruga_mesh_destroy(base);
}

static ruga_status make_and_save(ruga_context *context, void *user) {
    (void)user;
    ruga_mesh *base = NULL;
    detail *d = NULL;
    state_writer *writer = NULL;
    const void *bytes;
    size_t size;
    const double sheet[16] = {1, 1, 2, 2};
    const ruga_param low = ruga_param_constant(0.01), high = ruga_param_constant(0.02);
    const ruga_param_key keys[] = {{0, &low}, {1, &high}};
    wrinkle_detail_def def = wrinkle_detail_def_default();
    def.mesh.radius = ruga_param_keys(keys, 2);
    def.subdivide.n = 2;
    ruga_status status = ruga_model_make(context, "sheet", sheet, &base);
    if (!RUGA_FAILED(status)) status = detail_wrinkle_create(base, &def, &d);
    if (!RUGA_FAILED(status)) status = state_writer_create(context, &writer);
    if (!RUGA_FAILED(status)) {
        d->interface->save(d, writer);
        status = state_writer_finish(writer, &bytes, &size);
    }
    state_writer_destroy(writer);
    detail_destroy(d);
    ruga_mesh_destroy(base);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_every_allocation_may_fail(make_and_save, NULL);
}

static void a_frame_allocates_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    ruga_mesh *base = shape_sheet(context, SIDE, SIDE);
    wrinkle_detail_def def = lively();
    detail *d = make(base, &def);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)];
    detail_settle(d, base->positions, 0, NULL);
    const long before = counter.allocations;
    for (int i = 1; i < 4; i++) {
        press(base, 0.1 * i, points);
        detail_update(d, points, 0.1 * i, 0.1, NULL);
        detail_settle(d, points, 0.1 * i, NULL);
    }
    assert_int_equal(counter.allocations, before);
    detail_destroy(d);
    ruga_mesh_destroy(base);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_wrinkle_mesh_itself),
        cmocka_unit_test(normals_are_those_of_the_fine_mesh),
        cmocka_unit_test(a_frame_settles_to_the_same_every_time),
        cmocka_unit_test(a_given_fine_mesh_is_bound),
        cmocka_unit_test(parameters_follow_their_keys),
        cmocka_unit_test(a_saved_state_goes_on_to_the_same_bits),
        cmocka_unit_test(frames_of_another_mesh_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_frame_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
