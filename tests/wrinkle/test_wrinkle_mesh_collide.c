/* Wrinkle meshes with self-collision: on a base that does not intersect itself the fine mesh does not either, counted
 * exactly on the positions that are read, as doubles and as floats. */
#include "geom/intersections.h"
#include "wrinkle_mesh_support.h"

/* ---- Bases that move. */

/* A tube along y, bent by an angle around its middle as an elbow is, which folds its inner side; and squeezed. */
static void bend(wrinkled w, double angle, double squeezed) {
    for (size_t v = 0; v < w.base->vertex_count; v++) {
        const vec3 p = w.base->positions[v];
        const double share = fmin(1, fmax(0, (p.y - 0.35) / 0.3)), turned = angle * share;
        const double along = squeezed * (p.y - 0.5);
        w.moved[v] = (vec3){p.x * cos(turned) - along * sin(turned), p.x * sin(turned) + along * cos(turned), p.z};
    }
}

/* A smooth random displacement. */
static void shake(wrinkled w, test_random *random, double size) {
    for (int wave = 0; wave < 6; wave++) {
        vec3 k, d;
        double *numbers[6] = {&k.x, &k.y, &k.z, &d.x, &d.y, &d.z};
        for (int i = 0; i < 6; i++) *numbers[i] = random_between(random, -1, 1);
        const double phase = random_between(random, 0, 6);
        for (size_t v = 0; v < w.base->vertex_count; v++)
            w.moved[v] = vec3_add_scaled(w.moved[v], d, size * sin(6 * vec3_dot(k, w.base->positions[v]) + phase));
    }
}

/* ---- Exact counts. */

static size_t count_in(const ruga_mesh *mesh, const ruga_vec3 *positions) {
    intersection_array found = {0};
    assert_ok(mesh->context, intersections_find(mesh->context, mesh->vertex_count, positions, mesh->triangle_count,
                                                mesh->triangles, NULL, NULL, &found));
    const size_t count = found.count;
    ARRAY_RELEASE(mesh->context, &found);
    return count;
}

static size_t count_base(wrinkled w) { return count_in(w.base, w.moved); }
static size_t count_fine(wrinkled w) { return count_in(w.fine, w.positions); }

/* The positions that are read as floats are the same. */
static void assert_floats(wrinkled w) {
    const size_t count = w.fine->vertex_count;
    float *floats = malloc(3 * count * sizeof *floats);
    ruga_view view = {floats, count, 0, RUGA_F32};
    assert_ok(w.base->context, ruga_wrinkle_mesh_read(w.mesh, &view, NULL));
    for (size_t v = 0; v < count; v++) {
        const double *p = &w.positions[v].x;
        for (size_t k = 0; k < 3; k++)
            fail_if((double)floats[3 * v + k] != p[k], "vertex %zu: %.17g is no float", v, p[k]);
    }
    free(floats);
}

static ruga_wrinkle_mesh_def colliding_def(int number, int collide) {
    ruga_wrinkle_mesh_def def = def_with(number % 3 ? RUGA_WRINKLE_COMPLIANT : RUGA_WRINKLE_PROJECTION, 1.2);
    def.surface = (ruga_wrinkle_surface)(number % 3);
    def.calm = 0;
    def.upright = 0;
    def.wavelength = 0; /* nothing keeps folds apart */
    def.bending = ruga_param_constant(0);
    def.strength = number % 4 == 3 ? 0.7 : 1;
    def.radius = ruga_param_constant(0.1); /* an edge of the base: far more than fits into a fold */
    def.self_collision = collide;
    return def;
}

/* A tube of radius 0.2 m along y, or a sheet. */
static ruga_mesh *make_tube(ruga_context *context) {
    ruga_mesh *wide = shape_cylinder(context, 10, 8), *tube;
    ruga_vec3 *positions = malloc(wide->vertex_count * sizeof *positions);
    for (size_t v = 0; v < wide->vertex_count; v++)
        positions[v] = (vec3){0.2 * wide->positions[v].x, wide->positions[v].y, 0.2 * wide->positions[v].z};
    tube = shape_make(context, wide->vertex_count, positions, wide->triangle_count, NULL, wide->triangles);
    ruga_mesh_destroy(wide);
    free(positions);
    return tube;
}

static ruga_mesh *base_of(ruga_context *context, int number) {
    return number % 2 ? shape_sheet(context, 7, 9) : make_tube(context);
}

static void move(wrinkled w, int number, int frame) {
    test_random random = {(uint64_t)(100 * number + frame + 1)};
    bend(w, 0.25 * frame * (number % 4), 1 - 0.08 * frame);
    shake(w, &random, 0.004 * number);
}

/* One case of the law. Adds what the same mesh without self-collision has, on bases without intersections. */
static void check_case(ruga_context *context, int number, size_t *frames, size_t *without, size_t *moved) {
    ruga_wrinkle_mesh_def plain = colliding_def(number, 0), def = colliding_def(number, 1);
    wrinkled a = wrinkle_regular(base_of(context, number), 4, &plain),
             b = wrinkle_regular(base_of(context, number), 4, &def);
    for (int frame = 1; frame <= 4; frame++) {
        move(a, number, frame);
        move(b, number, frame);
        update(a);
        update(b);
        if (count_base(b) > 0) continue;
        ++*frames;
        *without += count_fine(a);
        *moved += (size_t)(ruga_wrinkle_mesh_get_report(b.mesh).held_back < b.fine->vertex_count / 4);
        fail_if(count_fine(b) > 0, "case %d, frame %d", number, frame);
        assert_floats(b);
    }
    wrinkled_release(a);
    wrinkled_release(b);
}

static void on_a_base_without_intersections_the_fine_mesh_has_none(void **state) {
    size_t frames = 0, without = 0, moved = 0;
    const int cases = SANITIZED ? 3 : getenv("RUGA_LONG_CASES") ? 60 : 4;
    for (int number = 0; number < cases; number++) check_case(*state, number, &frames, &without, &moved);
    assert_less((size_t)cases, frames);
    assert_less(10 * frames, without);
    assert_less(0, moved);
}

/* Far away doubles are exact; floats are too coarse there. */
static void far_from_the_origin_doubles_have_none(void **state) {
    ruga_wrinkle_mesh_def def = colliding_def(2, 1);
    wrinkled w = wrinkle_regular(make_tube(*state), 4, &def);
    for (int frame = 1; frame <= 2; frame++) {
        bend(w, 0.5 * frame, 0.8);
        for (size_t v = 0; v < w.base->vertex_count; v++) w.moved[v].x += 1e7;
        update(w);
        assert_int_equal(count_base(w), 0);
        assert_int_equal(count_fine(w), 0);
        assert_less(1e-3, rms_offset(w));
    }
    wrinkled_release(w);
}

/* Where nothing touches, nothing changes, up to the rounding of floats. */
static void where_nothing_touches_nothing_changes(void **state) {
    ruga_wrinkle_mesh_def plain = def_with(RUGA_WRINKLE_COMPLIANT, 1), def = plain;
    def.self_collision = 1;
    wrinkled a = wrinkle_regular(shape_torus(*state, 16, 12), 3, &plain),
             b = wrinkle_regular(shape_torus(*state, 16, 12), 3, &def);
    for (int frame = 0; frame < 3; frame++) {
        squeeze(a, 1 - 0.02 * frame);
        squeeze(b, 1 - 0.02 * frame);
        update(a);
        update(b);
        assert_int_equal(ruga_wrinkle_mesh_get_report(b.mesh).held_back, 0);
        for (size_t v = 0; v < a.fine->vertex_count; v++) {
            assert_near(vec3_distance(a.positions[v], b.positions[v]), 0, 2e-7);
            assert_near(vec3_distance(a.normals[v], b.normals[v]), 0, 1e-4);
        }
    }
    assert_less(1e-5, rms_offset(b));
    wrinkled_release(a);
    wrinkled_release(b);
}

static void threads_and_copies_change_no_bit(void **state) {
    (void)state;
    ruga_vec3 *first = NULL;
    for (int k = 0; k < 3; k++) {
        ruga_context *context = context_plain(k == 0 ? 1 : k == 1 ? 3 : 8);
        ruga_wrinkle_mesh_def def = colliding_def(1, 1);
        wrinkled w = wrinkle_regular(make_tube(context), 4, &def), copied = w;
        for (int frame = 1; frame < 3; frame++) move(w, 1, frame), update(w);
        assert_less(0, ruga_wrinkle_mesh_get_report(w.mesh).held_back);
        const size_t bytes = w.fine->vertex_count * sizeof *first;
        if (!first) first = memcpy(malloc(bytes), w.positions, bytes);
        assert_memory_equal(first, w.positions, bytes);
        assert_ok(context, ruga_wrinkle_mesh_copy(w.mesh, &copied.mesh));
        read_fine(copied);
        assert_memory_equal(first, w.positions, bytes);
        ruga_wrinkle_mesh_destroy(copied.mesh);
        wrinkled_release(w);
        ruga_context_destroy(context);
    }
    free(first);
}

static void settled_frames_have_none(void **state) {
    ruga_wrinkle_mesh_def def = colliding_def(1, 1);
    wrinkled w = wrinkle_regular(make_tube(*state), 4, &def);
    bend(w, 0.9, 0.85);
    settle(w, 0, 512);
    assert_int_equal(count_base(w), 0);
    assert_int_equal(count_fine(w), 0);
    assert_floats(w);
    wrinkled_release(w);
}

static void a_fine_mesh_of_its_own_is_refused(void **state) {
    ruga_wrinkle_mesh_def def = colliding_def(1, 1);
    ruga_mesh *base = shape_sheet(*state, 3, 3), *fine = shape_sheet(*state, 9, 9);
    ruga_wrinkle_mesh *mesh = NULL;
    assert_int_equal(ruga_wrinkle_mesh_create(base, fine, &def, &mesh), RUGA_ERROR_INPUT);
    assert_non_null(strstr(ruga_context_message(*state), "subdivision"));
    assert_null(mesh);
    ruga_mesh_destroy(base);
    ruga_mesh_destroy(fine);
}

/* A failed update keeps the output. */
static ruga_status update_a_strip(ruga_context *context, void *user) {
    (void)user;
    const ruga_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, -1}, {0.5, 1, 0}},
                    folded[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.1, -0.8}, {0.5, 0.5, -0.6}};
    const uint32_t faces[6] = {0, 1, 2, 1, 0, 3};
    ruga_mesh *base = NULL, *fine = NULL;
    ruga_wrinkle_mesh *mesh = NULL;
    ruga_mesh_def wedge = ruga_mesh_def_default();
    wedge.positions = view_of(corners, 4);
    wedge.face_count = 2;
    wedge.face_vertices = faces;
    ruga_subdivide_def parts = ruga_subdivide_def_default();
    ruga_wrinkle_mesh_def def = colliding_def(1, 1);
    parts.n = 2;
    ruga_vec3 before[9], after[9];
    ruga_status status = ruga_mesh_create(context, &wedge, &base);
    if (!RUGA_FAILED(status)) status = ruga_wrinkle_mesh_create_subdivided(base, &parts, &def, &fine, &mesh);
    if (!RUGA_FAILED(status)) {
        ruga_view moved = view_of(folded, 4), old = view_of(before, 9), new = view_of(after, 9);
        assert_int_equal(fine->vertex_count, 9);
        assert_ok(context, ruga_wrinkle_mesh_read(mesh, &old, NULL));
        status = ruga_wrinkle_mesh_update(mesh, &moved, NULL);
        assert_ok(context, ruga_wrinkle_mesh_read(mesh, &new, NULL));
        assert_int_equal(memcmp(before, after, sizeof before) == 0, RUGA_FAILED(status));
    }
    ruga_wrinkle_mesh_destroy(mesh);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(base);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_every_allocation_may_fail(update_a_strip, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_base_without_intersections_the_fine_mesh_has_none),
        cmocka_unit_test(far_from_the_origin_doubles_have_none),
        cmocka_unit_test(where_nothing_touches_nothing_changes),
        cmocka_unit_test(threads_and_copies_change_no_bit),
        cmocka_unit_test(settled_frames_have_none),
        cmocka_unit_test(a_fine_mesh_of_its_own_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
