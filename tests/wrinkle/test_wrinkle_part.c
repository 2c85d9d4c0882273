/* The detail "wrinkle": it is the wrinkle mesh itself, starts settled, and continues bit-identical from a saved
 * state. */
#include "wrinkle/part_support.h"
#include "wrinkle/wrinkle_part.h"

enum { SIDE = 6 };

/* Pressed together along x, more and more with time. */
static void press(const ruga_mesh *mesh, double time, ruga_vec3 *out) {
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        ruga_vec3 p = mesh->positions[v];
        out[v] = (ruga_vec3){p.x * (1 - 0.2 * time), p.y, p.z};
    }
}

/* The wrinkle mesh's own defaults, each edge in four parts. */
static ruga_wrinkle_def usual(void) {
    ruga_wrinkle_def def;
    ruga_section_defaults(ruga_scene_section_find("objects.details.wrinkle"), &def);
    def.mesh = ruga_wrinkle_mesh_def_default();
    def.subdivide = ruga_subdivide_def_default();
    def.subdivide.n = 4;
    def.subdivide.length = NAN;
    return def;
}

static part *make(const ruga_mesh *base, const ruga_wrinkle_def *def) {
    part *d = NULL;
    assert_ok(base->context, wrinkle_part_create(base, NULL, def, &d));
    return d;
}

static ruga_wrinkle_def lively(void) {
    ruga_wrinkle_def def = usual();
    def.mesh.radius = ruga_param_constant(0.03);
    def.mesh.pre_stretch = ruga_param_constant(1);
    return def;
}

static void assert_same(const part *a, const part *b) {
    size_t size = a->output->vertex_count * sizeof *a->positions;
    assert_int_equal(a->output->vertex_count, b->output->vertex_count);
    assert_memory_equal(a->positions, b->positions, size);
    assert_memory_equal(a->normals, b->normals, size);
}

/* ---- Frames. */

static void it_is_the_wrinkle_mesh_itself(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE), *fine = NULL;
    ruga_wrinkle_def def = lively();
    ruga_wrinkle_mesh *wrinkles = NULL;
    part *d = make(base, &def);
    assert_ok(*state, ruga_wrinkle_mesh_create_subdivided(base, &def.subdivide, &def.mesh, &fine, &wrinkles));
    assert_int_equal(d->output->triangle_count, 16 * base->triangle_count);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)], *expected = copy_points(fine->positions, fine->vertex_count);
    const ruga_view in = {points, base->vertex_count, 0, RUGA_F64};
    ruga_view out = {expected, fine->vertex_count, 0, RUGA_F64};
    for (int i = 0; i < 4; i++) {
        press(base, 0.25 * i, points);
        if (i == 0) {
            part_settle(d, points, 0, NULL);
            assert_ok(*state, ruga_wrinkle_mesh_settle(wrinkles, &in, NULL, 0, 0, NULL));
        } else {
            part_update(d, points, 0.25 * i, 0.25, NULL);
            assert_ok(*state, ruga_wrinkle_mesh_update(wrinkles, &in, NULL));
        }
        assert_ok(*state, ruga_wrinkle_mesh_read(wrinkles, &out, NULL));
        assert_memory_equal(d->positions, expected, fine->vertex_count * sizeof *expected);
        assert_true(d->measures.items[0].value == ruga_wrinkle_mesh_get_report(wrinkles).rms_offset);
    }
    assert_less(1e-4, d->measures.items[0].value);
    assert_true(d->measures.items[2].value == def.mesh.iterations);
    free(expected);
    ruga_wrinkle_mesh_destroy(wrinkles);
    ruga_mesh_destroy(fine);
    part_destroy(d);
    ruga_mesh_destroy(base);
}

static void normals_are_those_of_the_fine_mesh(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE);
    ruga_wrinkle_def def = lively();
    part *d = make(base, &def);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)], *normals = copy_points(d->normals, d->output->vertex_count);
    for (size_t v = 0; v < d->output->vertex_count; v++) assert_less(0.999, normals[v].y);
    press(base, 1, points);
    part_settle(d, points, 1, NULL);
    assert_ok(*state, ruga_mesh_normals(d->output, d->positions, normals));
    for (size_t v = 0; v < d->output->vertex_count; v++) assert_less(0.95, vec3_dot(normals[v], d->normals[v]));
    free(normals);
    part_destroy(d);
    ruga_mesh_destroy(base);
}

/* Whatever came before. A second time on the same frame changes nothing, and takes no iterations. */
static void a_frame_settles_to_the_same_every_time(void **state) {
    skip_when_sanitized();
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE);
    ruga_wrinkle_def def = lively();
    part *d = make(base, &def), *other = make(base, &def);
    def.settle = 1;
    part *always = make(base, &def);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)];
    for (int i = 0; i < 4; i++) {
        press(base, 0.25 * i, points);
        part_settle(d, points, 0, NULL);
        part_update(always, points, 0.25 * i, 0.25, NULL);
    }
    part_settle(other, points, 0, NULL);
    assert_same(d, other);
    assert_same(d, always);
    assert_less(1, d->measures.items[2].value);
    part_settle(d, points, 0, NULL);
    assert_same(d, other);
    assert_true(d->measures.items[2].value == 0);
    part_destroy(always);
    part_destroy(other);
    part_destroy(d);
    ruga_mesh_destroy(base);
}

/* ---- The fine mesh of others. */

static void a_given_fine_mesh_is_bound(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE), *fine = shape_sheet(*state, 17, 13);
    ruga_wrinkle_def def = usual();
    def.mesh.radius = ruga_param_constant(0);
    part *d = NULL;
    assert_ok(*state, wrinkle_part_create(base, fine, &def, &d));
    assert_ptr_equal(d->output, fine);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)];
    press(base, 1, points);
    part_update(d, points, 1, 1, NULL);
    for (size_t v = 0; v < fine->vertex_count; v++) assert_near(d->positions[v].x, 0.8 * fine->positions[v].x, 1e-5);
    assert_int_equal(wrinkle_part_report(d).fine_vertices, fine->vertex_count);
    part_destroy(d);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(base);
}

/* ---- Parameters with keys. */

static void parameters_follow_their_keys(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE);
    const ruga_param none = ruga_param_constant(0), some = ruga_param_constant(0.03);
    const ruga_param_key keys[] = {{0, &none}, {1, &some}};
    ruga_wrinkle_def def = lively();
    def.mesh.radius = ruga_param_keys(keys, 2);
    part *d = make(base, &def);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)];
    press(base, 1, points);
    part_settle(d, points, 0, NULL);
    assert_less(d->measures.items[0].value, 1e-9);
    for (int i = 1; i <= 20; i++) part_update(d, points, 0.05 * i, 0.05, NULL);
    assert_less(1e-3, d->measures.items[0].value);
    /* Out of the plane, though nothing had left it while there was no room to. */
    double highest = 0;
    for (size_t v = 0; v < d->output->vertex_count; v++) highest = fmax(highest, fabs(d->positions[v].y));
    assert_less(5e-3, highest);
    part_destroy(d);

    /* A key that is wrong is found before the first frame. */
    const ruga_param wrong = ruga_param_constant(-1);
    const ruga_param_key bad[] = {{0, &some}, {1, &wrong}};
    def.mesh.radius = ruga_param_keys(bad, 2);
    def.mesh.radius.low = 0;
    def.mesh.radius.high = 1;
    part *none_made = NULL;
    assert_status(wrinkle_part_create(base, NULL, &def, &none_made), RUGA_ERROR_INPUT);
    assert_message_has(*state, "radius");
    assert_null(none_made);
    ruga_mesh_destroy(base);
}

/* ---- State. */

static void a_saved_state_continues_bit_identical(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE);
    ruga_wrinkle_def def = lively();
    part *d = make(base, &def), *other = make(base, &def);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)];
    for (int i = 0; i < 5; i++) {
        press(base, 0.1 * i, points);
        part_update(d, points, 0.1 * i, 0.1, NULL);
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
        part_update(d, points, 0.1 * i, 0.1, NULL);
        part_update(other, points, 0.1 * i, 0.1, NULL);
        assert_same(d, other);
    }
    /* That of another mesh is refused. */
    def.subdivide.n = 3;
    part *coarser = make(base, &def);
    assert_status(coarser->interface->load(coarser, &reader), RUGA_ERROR_INPUT);
    state_writer_destroy(writer);
    part_destroy(coarser);
    part_destroy(other);
    part_destroy(d);
    ruga_mesh_destroy(base);
}

/* ---- Bad input, memory. */

static void frames_of_another_mesh_are_refused(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE);
    ruga_wrinkle_def def = usual();
    part *d = make(base, &def);
    ruga_frame in = frame_at(base, base->positions, 0);
    assert_status(try_update(d, &in, NAN), RUGA_ERROR_ARGUMENT);
    in.vertex_count--;
    assert_status(try_update(d, &in, 0.1), RUGA_ERROR_ARGUMENT);
    assert_status(try_settle(d, &in), RUGA_ERROR_ARGUMENT);
    part_destroy(d);
    ruga_mesh_destroy(base);
}

/* ---- Meshes that change. */

enum { BEFORE = 3, AFTER = 3 };

/* Frames `from` to `to`, from settling on frame 0 on; (vertices of the input) points. */
static void press_through(part *d, int from, int to) {
    ruga_vec3 *points = copy_points(d->input->positions, d->input->vertex_count);
    for (int i = from; i <= to; i++) {
        press(d->input, 0.15 * i, points);
        if (i == 0)
            part_settle(d, points, 0, NULL);
        else
            part_update(d, points, 0.15 * i, 0.15, NULL);
    }
    free(points);
}

/* A radius that is zero for x < 0.5, and painted for the rest. */
static double *paint_half(const ruga_mesh *fine, double radius) {
    double *painted = malloc(fine->vertex_count * sizeof *painted);
    for (size_t v = 0; v < fine->vertex_count; v++) painted[v] = fine->positions[v].x < 0.5 ? 0 : radius;
    return painted;
}

/* Whatever frames the offsets have, and whoever made the fine mesh. */
static void a_mesh_that_becomes_itself_changes_nothing(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE), *given = shape_sheet(*state, 23, 19);
    ruga_map *same = identity_map(*state, base->vertex_count);
    for (int k = 0; k < 8; k++) {
        ruga_wrinkle_def def = lively();
        const ruga_mesh *fine = k & 1 ? given : NULL;
        def.mesh.frame = k & 2 ? RUGA_WRINKLE_FRAME_WORLD : RUGA_WRINKLE_FRAME_LOCAL;
        def.mesh.solver = k & 4 ? RUGA_WRINKLE_PROJECTION : RUGA_WRINKLE_COMPLIANT;
        if (k & 4) def.mesh.radius = ruga_param_constant(NAN); /* chosen */
        part *d = NULL, *other = NULL;
        assert_ok(*state, wrinkle_part_create(base, fine, &def, &d));
        assert_ok(*state, wrinkle_part_create(base, fine, &def, &other));
        press_through(d, 0, BEFORE);
        press_through(other, 0, BEFORE);
        assert_ok(*state, try_rebuild(d, base, same));
        assert_same(d, other);
        press_through(d, BEFORE + 1, BEFORE + AFTER);
        press_through(other, BEFORE + 1, BEFORE + AFTER);
        assert_same(d, other);
        assert_less(1e-3, d->measures.items[0].value);
        part_destroy(d);
        part_destroy(other);
    }
    ruga_map_destroy(same);
    ruga_mesh_destroy(given);
    ruga_mesh_destroy(base);
}

/* Cut or refined, wrinkles are where they were and continue from there; painted radii stay where they were painted. */
static void wrinkles_and_painted_values_follow_a_cut_and_a_refinement(void **state) {
    ruga_mesh *base = shape_sheet(*state, SIDE, SIDE);
    ruga_map *cut_map = NULL;
    ruga_mesh *cut = cut_open(base, 0.5, 0.6, &cut_map);
    ruga_subdivide_def split = ruga_subdivide_def_default();
    split.kind = RUGA_SUBDIVIDE_LONG_EDGES;
    split.length = 0.2;
    ruga_mesh *finer = NULL;
    ruga_map *finer_map = NULL;
    assert_ok(*state, ruga_mesh_subdivide(base, &split, &finer, &finer_map));
    const ruga_mesh *meshes[2] = {cut, finer};
    const ruga_map *maps[2] = {cut_map, finer_map};
    for (int k = 0; k < 2; k++) {
        ruga_wrinkle_def def = lively();
        part *plain = make(base, &def);
        double *painted = paint_half(plain->output, 0.03);
        def.mesh.radius = ruga_param_array(painted, plain->output->vertex_count);
        part *d = make(base, &def), *still = make(base, &def);
        press_through(d, 0, BEFORE);
        press_through(still, 0, BEFORE);
        const size_t count = d->output->vertex_count;
        ruga_vec3 *before = copy_points(d->positions, count);
        assert_ok(*state, try_rebuild(d, meshes[k], maps[k]));
        assert_ptr_equal(d->input, meshes[k]);

        /* Nothing moves, and a step on the same frame moves it as far as it does without the change. */
        ruga_vec3 *carried = copy_points(d->positions, d->output->vertex_count);
        ruga_map_apply(d->output_from_old, before, carried);
        assert_memory_equal(d->positions, carried, d->output->vertex_count * sizeof *carried);
        size_t stayed = 0;
        for (size_t v = 0; v < count; v++) stayed += vec3_distance(d->positions[v], before[v]) == 0;
        assert_at_most((double)base->vertex_count, (double)stayed);
        double offset = wrinkle_part_report(still).rms_offset;
        assert_near(wrinkle_part_report(d).rms_offset, offset, 0.3 * offset);
        press_through(d, BEFORE, BEFORE);
        press_through(still, BEFORE, BEFORE);
        const double usual_move = greatest_distance(still->positions, before, count);
        assert_less(greatest_distance(d->positions, carried, d->output->vertex_count), 1.2 * usual_move);

        press_through(d, BEFORE + 1, BEFORE + AFTER);
        press_through(still, BEFORE + 1, BEFORE + AFTER);
        offset = wrinkle_part_report(still).rms_offset;
        assert_near(wrinkle_part_report(d).rms_offset, offset, 0.3 * offset);
        double flat = 0, high = 0;
        for (size_t v = 0; v < d->output->vertex_count; v++) {
            double *greatest = d->output->positions[v].x < 0.45 ? &flat : &high;
            *greatest = fmax(*greatest, fabs(d->positions[v].y));
        }
        assert_less(flat, 1e-6);
        assert_less(0.01, high);
        part_destroy(plain);
        part_destroy(still);
        part_destroy(d);
        free(painted);
        free(before);
        free(carried);
    }
    ruga_map_destroy(finer_map);
    ruga_mesh_destroy(finer);
    ruga_map_destroy(cut_map);
    ruga_mesh_destroy(cut);
    ruga_mesh_destroy(base);
}

static ruga_status make_and_save(ruga_context *context, void *user) {
    (void)user;
    ruga_mesh *base = NULL;
    part *d = NULL;
    state_writer *writer = NULL;
    const void *bytes;
    size_t size;
    const double sheet[16] = {1, 1, 2, 2};
    const ruga_param low = ruga_param_constant(0.01), high = ruga_param_constant(0.02);
    const ruga_param_key keys[] = {{0, &low}, {1, &high}};
    ruga_wrinkle_def def = usual();
    def.mesh.radius = ruga_param_keys(keys, 2);
    def.subdivide.n = 2;
    ruga_status status = ruga_model_make(context, "sheet", sheet, &base);
    if (!RUGA_FAILED(status)) status = wrinkle_part_create(base, NULL, &def, &d);
    size_t offsets[10];
    uint32_t indices[9];
    double weights[9];
    for (uint32_t i = 0; i < 10; i++) offsets[i] = i;
    for (uint32_t i = 0; i < 9; i++) indices[i] = i, weights[i] = 1;
    const ruga_map same = {9, 9, offsets, indices, weights, context};
    if (!RUGA_FAILED(status)) status = try_rebuild(d, base, &same);
    if (!RUGA_FAILED(status)) status = state_writer_create(context, &writer);
    if (!RUGA_FAILED(status)) {
        d->interface->save(d, writer);
        status = state_writer_finish(writer, &bytes, &size);
    }
    state_writer_destroy(writer);
    part_destroy(d);
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
    ruga_wrinkle_def def = lively();
    part *d = make(base, &def);
    ruga_vec3 points[(SIDE + 1) * (SIDE + 1)];
    part_settle(d, base->positions, 0, NULL);
    const long before = counter.allocations;
    for (int i = 1; i < 4; i++) {
        press(base, 0.1 * i, points);
        part_update(d, points, 0.1 * i, 0.1, NULL);
        part_settle(d, points, 0.1 * i, NULL);
    }
    assert_int_equal(counter.allocations, before);
    part_destroy(d);
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
        cmocka_unit_test(a_saved_state_continues_bit_identical),
        cmocka_unit_test(frames_of_another_mesh_are_refused),
        cmocka_unit_test(a_mesh_that_becomes_itself_changes_nothing),
        cmocka_unit_test(wrinkles_and_painted_values_follow_a_cut_and_a_refinement),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_frame_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
