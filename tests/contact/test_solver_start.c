/* Starts with intersections, pinched cloth, bad input, memory and state. */
#include <math.h>
#include <stdio.h>

#include "base/state.h"
#include "contact/solver.h"
#include "math/vec3.h"
#include "support/shapes.h"
#include "support/surfaces.h"

#define DT (1.0 / 60)

/* A sheet of 1 m by 1 m, moved and turned about the x axis through its middle. */
static ruga_mesh *sheet_at(ruga_context *context, size_t cells, ruga_vec3 place, double angle) {
    ruga_mesh *flat = shape_sheet(context, cells, cells);
    ruga_vec3 *x = malloc(flat->vertex_count * sizeof *x);
    for (size_t i = 0; i < flat->vertex_count; i++) {
        ruga_vec3 p = vec3_sub(flat->positions[i], (vec3){0.5, 0, -0.5});
        x[i] = vec3_add(place, (vec3){p.x, cos(angle) * p.y - sin(angle) * p.z, sin(angle) * p.y + cos(angle) * p.z});
    }
    ruga_mesh *moved = shape_make(context, flat->vertex_count, x, flat->triangle_count, NULL, flat->triangles);
    free(x);
    ruga_mesh_destroy(flat);
    return moved;
}

/* Two sheets, "a" and "b", of which the second may be kinematic. */
typedef struct two {
    ruga_mesh *meshes[2];
    test_surface a, b;
    contact_surface *surfaces[2];
    const test_surface *both[2];
    contact *solver;
} two;

static void two_make(two *t, ruga_context *context, const contact_def *def, ruga_mesh *a, ruga_mesh *b, double mass) {
    t->meshes[0] = a;
    t->meshes[1] = b;
    test_surface_init(&t->a, "a", a, 0.01, 0.01);
    test_surface_init(&t->b, "b", b, mass, 0.01);
    t->surfaces[0] = &t->a.surface;
    t->surfaces[1] = &t->b.surface;
    t->both[0] = &t->a;
    t->both[1] = &t->b;
    assert_ok(context, contact_create(context, def, &t->solver));
}

static void two_release(two *t) {
    t->solver->interface->destroy(t->solver);
    test_surface_release(&t->a);
    test_surface_release(&t->b);
    ruga_mesh_destroy(t->meshes[0]);
    ruga_mesh_destroy(t->meshes[1]);
}

static ruga_status two_resolve(two *t) {
    measure_clear(&t->solver->measures);
    return t->solver->interface->resolve(t->solver, t->surfaces, 2, DT);
}

/* Two sheets that cross each other at a right angle, the second by a little: its lower border reaches through the
 * first. */
static void two_crossing(two *t, ruga_context *context, const contact_def *def) {
    two_make(t, context, def, sheet_at(context, 6, (vec3){0, 0, 0}, 0),
             sheet_at(context, 5, (vec3){0.013, 0.46, 0.021}, 1.5), 0.01);
}

/* ---- The start. */

static void a_start_with_intersections_reports_how_many_and_where(void **state) {
    contact_def def = contact_def_default();
    two t;
    two_crossing(&t, *state, &def);
    size_t count = test_surfaces_intersections(*state, t.both, 2);
    char text[64];
    snprintf(text, sizeof text, "starts with %zu pairs", count);
    assert_less(0, count);
    assert_status(two_resolve(&t), RUGA_ERROR_INPUT);
    assert_message_has(*state, text);
    assert_message_has(*state, "\"a\" and \"b\" at (");
    two_release(&t);
}

static void go_on_adds_no_intersections_and_ends_when_they_are_apart(void **state) {
    contact_def def = contact_def_default();
    def.values.start = CONTACT_START_GO_ON;
    two t;
    two_crossing(&t, *state, &def);
    size_t start = test_surfaces_intersections(*state, t.both, 2);
    test_random random = {3};
    /* Shaken, it gets no worse. */
    for (int step = 0; step < 20; step++) {
        for (size_t i = 0; i < t.meshes[0]->vertex_count; i++)
            t.a.candidate[i] = vec3_add(t.a.accepted[i], random_vec3(&random, -0.01, 0.01));
        test_surface_move(&t.b, (vec3){0, 0.002, 0});
        assert_ok(*state, two_resolve(&t));
        size_t now = test_surfaces_intersections(*state, t.both, 2);
        assert_int_equal(now, (size_t)test_contact_measure(t.solver, "intersections"));
        assert_at_most(now, start);
        start = now;
        test_surface_accept(&t.a);
        test_surface_accept(&t.b);
    }
    /* Pulled out, it comes apart, and then nothing goes back in. */
    for (int step = 0; step < 30; step++) {
        test_surface_move(&t.a, (vec3){0, 0, 0});
        test_surface_move(&t.b, (vec3){0, step < 10 ? 0.02 : -0.05, 0});
        assert_ok(*state, two_resolve(&t));
        assert_int_equal(test_surfaces_intersections(*state, t.both, 2),
                         (size_t)test_contact_measure(t.solver, "intersections"));
        if (step >= 10) assert_true(test_contact_measure(t.solver, "intersections") == 0);
        test_surface_accept(&t.a);
        test_surface_accept(&t.b);
    }
    two_release(&t);
}

static void untangling_parts_what_intersects(void **state) {
    contact_def def = contact_def_default();
    def.values.start = CONTACT_START_UNTANGLE;
    two t;
    two_crossing(&t, *state, &def);
    const test_surface *const *both = t.both;
    size_t left = test_surfaces_intersections(*state, both, 2);
    int steps = 0;
    for (; left > 0 && steps < 300; steps++) {
        test_surface_move(&t.a, (vec3){0, 0, 0});
        test_surface_move(&t.b, (vec3){0, 0, 0});
        assert_ok(*state, two_resolve(&t));
        left = test_surfaces_intersections(*state, both, 2);
        assert_int_equal(left, (size_t)test_contact_measure(t.solver, "intersections"));
        test_surface_accept(&t.a);
        test_surface_accept(&t.b);
    }
    assert_int_equal(left, 0);
    assert_less(0, steps);
    two_release(&t);
}

static void excluded_surfaces_pass_through_each_other(void **state) {
    const contact_exclusion exclusion = {{"b", "a"}};
    contact_def def = contact_def_default();
    def.exclusion_count = 1;
    def.exclusions = &exclusion;
    two t;
    two_crossing(&t, *state, &def);
    test_surface_move(&t.a, (vec3){0, 0.5, 0});
    test_surface_move(&t.b, (vec3){0, -0.5, 0});
    assert_ok(*state, two_resolve(&t));
    assert_near(t.a.candidate[7].y - t.a.accepted[7].y, 0.5, 1e-15);
    two_release(&t);
}

static void exclusions_of_nobody_are_an_error(void **state) {
    const contact_exclusion exclusion = {{"a", "shirt"}};
    contact_def def = contact_def_default();
    def.exclusion_count = 1;
    def.exclusions = &exclusion;
    two t;
    two_crossing(&t, *state, &def);
    assert_status(two_resolve(&t), RUGA_ERROR_INPUT);
    assert_message_has(*state, "no object that collides is called \"shirt\"");
    two_release(&t);
}

/* ---- The limit of work. */

static void a_limit_of_work_that_is_not_positive_is_an_error(void **state) {
    contact_def def = contact_def_default();
    contact *solver = NULL;
    def.values.work = 0;
    assert_status(contact_create(*state, &def, &solver), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "0 pairs per vertex");
    assert_null(solver);
}

/* Without impulses, zones alone keep everything apart. */
static void at_the_limit_of_work_nothing_intersects_and_it_is_measured(void **state) {
    contact_def def = contact_def_default();
    def.values.work = 1;
    two t;
    two_make(&t, *state, &def, sheet_at(*state, 6, (vec3){0, 0, 0}, 0), sheet_at(*state, 5, (vec3){0.013, 0.1, 0}, 0),
             0.01);
    double limited = 0;
    for (int step = 0; step < 5; step++) {
        test_surface_move(&t.a, (vec3){0, 0.1, 0});
        test_surface_move(&t.b, (vec3){0, -0.1, 0});
        assert_ok(*state, two_resolve(&t));
        limited += test_contact_measure(t.solver, "limited");
        assert_int_equal(test_surfaces_intersections(*state, t.both, 2), 0);
        test_surface_accept(&t.a);
        test_surface_accept(&t.b);
    }
    assert_less(0, limited);
    two_release(&t);
}

/* ---- Pinched. */

/* The sheet "a" between two kinematic plates in one mesh, "b", 0.2 m apart, that close to `gap`. */
static void two_pinching(two *t, ruga_context *context, const contact_def *def) {
    ruga_mesh *low = sheet_at(context, 3, (vec3){0, -0.1, 0}, 0), *high = sheet_at(context, 4, (vec3){0, 0.1, 0}, 0);
    size_t vertices = low->vertex_count, triangles = low->triangle_count;
    ruga_vec3 x[64];
    uint32_t faces[3 * 64];
    memcpy(x, low->positions, vertices * sizeof *x);
    memcpy(x + vertices, high->positions, high->vertex_count * sizeof *x);
    memcpy(faces, low->triangles, 3 * triangles * sizeof *faces);
    for (size_t i = 0; i < 3 * high->triangle_count; i++)
        faces[3 * triangles + i] = (uint32_t)(vertices + high->triangles[i]);
    /* Larger than the sheet, which can't get around them. */
    for (size_t i = 0; i < vertices + high->vertex_count; i++) x[i] = (vec3){1.6 * x[i].x, x[i].y, 1.6 * x[i].z};
    ruga_mesh *plates =
        shape_make(context, vertices + high->vertex_count, x, triangles + high->triangle_count, NULL, faces);
    ruga_mesh_destroy(low);
    ruga_mesh_destroy(high);
    two_make(t, context, def, sheet_at(context, 6, (vec3){0.01, 0, 0.02}, 0.1), plates, 0);
}

/* The plates move towards each other by twice this. */
static void close_plates(two *t, double distance) {
    for (size_t i = 0; i < t->meshes[1]->vertex_count; i++)
        t->b.candidate[i] =
            vec3_add(t->b.accepted[i], (vec3){0, t->meshes[1]->positions[i].y > 0 ? -distance : distance, 0});
}

static void plates_that_leave_room_pinch_nothing(void **state) {
    contact_def def = contact_def_default();
    def.values.strict = 1;
    two t;
    two_pinching(&t, *state, &def);
    for (int step = 0; step < 10; step++) {
        test_surface_move(&t.a, (vec3){0, 0, 0});
        close_plates(&t, 0.008);
        assert_ok(*state, two_resolve(&t));
        assert_int_equal(test_surfaces_intersections(*state, t.both, 2), 0);
        test_surface_accept(&t.a);
        test_surface_accept(&t.b);
    }
    two_release(&t);
}

static void pinched_cloth_is_reported_ignored_and_comes_out(void **state) {
    contact_def def = contact_def_default();
    two t;
    two_pinching(&t, *state, &def);
    double pinched = 0, most = 0;
    /* They close to nothing, and open again; the sheet wants to be flat. */
    for (int step = 0; step < 100; step++) {
        for (size_t i = 0; i < t.meshes[0]->vertex_count; i++)
            t.a.candidate[i] = vec3_mix(t.a.accepted[i], t.meshes[0]->positions[i], 0.2);
        close_plates(&t, step < 11 ? 0.01 : (step < 61 ? -0.002 : 0));
        assert_ok(*state, two_resolve(&t));
        pinched += test_contact_measure(t.solver, "pinched");
        most = fmax(most, test_contact_measure(t.solver, "intersections"));
        assert_int_equal(test_surfaces_intersections(*state, t.both, 2),
                         (size_t)test_contact_measure(t.solver, "intersections"));
        test_surface_accept(&t.a);
        test_surface_accept(&t.b);
    }
    assert_less(0, pinched);
    assert_less(0, most);
    assert_true(test_contact_measure(t.solver, "intersections") == 0);
    two_release(&t);
}

static void strict_contact_stops_at_pinched_cloth(void **state) {
    contact_def def = contact_def_default();
    def.values.strict = 1;
    two t;
    two_pinching(&t, *state, &def);
    close_plates(&t, 0.11);
    t.solver->time = 0.375;
    assert_status(two_resolve(&t), RUGA_ERROR_INPUT);
    assert_message_has(*state, "pinched at 0.375 s");
    assert_message_has(*state, "\"a\"");
    two_release(&t);
}

static void pinned_points_that_are_moved_into_a_surface_are_reported(void **state) {
    contact_def def = contact_def_default();
    two t;
    two_make(&t, *state, &def, sheet_at(*state, 6, (vec3){0, 0.1, 0}, 0), sheet_at(*state, 5, (vec3){0.01, 0, 0.02}, 0),
             0);
    for (size_t i = 0; i < 7; i++) t.a.inverse_masses[3 * 7 + i] = 0;
    test_surface_move(&t.a, (vec3){0, -0.2, 0});
    assert_ok(*state, two_resolve(&t));
    assert_less(0, test_contact_measure(t.solver, "pinched"));
    assert_less(0, test_contact_measure(t.solver, "intersections"));
    assert_int_equal(test_surfaces_intersections(*state, t.both, 2),
                     (size_t)test_contact_measure(t.solver, "intersections"));
    two_release(&t);
}

/* ---- Bad input. */

static void coordinates_that_are_no_numbers_name_object_and_vertex(void **state) {
    contact_def def = contact_def_default();
    two t;
    two_pinching(&t, *state, &def);
    t.b.candidate[5].y = NAN;
    assert_status(two_resolve(&t), RUGA_ERROR_INPUT);
    assert_message_has(*state, "object \"b\"");
    assert_message_has(*state, "vertex 5");
    t.b.candidate[5].y = t.b.accepted[5].y;
    assert_ok(*state, two_resolve(&t));
    two_release(&t);
}

static void a_sheet_that_explodes_names_object_and_vertex_and_one_that_flies_fast_does_not(void **state) {
    contact_def def = contact_def_default();
    two t;
    two_pinching(&t, *state, &def);
    /* As a whole it may go as far as it likes. */
    test_surface_move(&t.a, (vec3){1e4, 0, 0});
    assert_ok(*state, two_resolve(&t));
    test_surface_accept(&t.a);
    test_surface_move(&t.a, (vec3){0, 0, 0});
    t.a.candidate[5].x += 1e3;
    assert_status(two_resolve(&t), RUGA_ERROR_INPUT);
    assert_message_has(*state, "object \"a\": vertex 5 would move to");
    assert_message_has(*state, "explodes");
    t.a.candidate[5] = t.a.accepted[5];
    /* Edges of kinematic surfaces may have any length. */
    t.b.candidate[5].y += 1e3;
    assert_ok(*state, two_resolve(&t));
    two_release(&t);
}

static void a_thickness_that_makes_no_sense_is_an_error_and_none_is_repaired(void **state) {
    contact_def def = contact_def_default();
    two t;
    two_pinching(&t, *state, &def);
    t.b.surface.thickness = 0;
    t.a.surface.thickness = -1;
    assert_status(two_resolve(&t), RUGA_ERROR_INPUT);
    assert_message_has(*state, "object \"a\": its thickness for contact is -1 m");
    t.a.surface.thickness = 0;
    for (int step = 0; step < 12; step++) {
        test_surface_move(&t.a, (vec3){0, 0.01, 0});
        assert_ok(*state, two_resolve(&t));
        assert_int_equal(test_surfaces_intersections(*state, t.both, 2), 0);
        test_surface_accept(&t.a);
    }
    for (size_t i = 0; i < t.meshes[0]->vertex_count; i++) assert_less(t.a.accepted[i].y, 0.1);
    two_release(&t);
}

static void a_thickness_above_the_edges_lets_a_flat_sheet_be(void **state) {
    contact_def def = contact_def_default();
    two t;
    two_pinching(&t, *state, &def);
    t.a.surface.thickness = 0.3;
    t.a.inverse_masses[0] = 1;
    contact_surface *alone[1] = {&t.a.surface};
    ruga_vec3 before[49];
    memcpy(before, t.a.candidate, sizeof before);
    assert_ok(*state, t.solver->interface->resolve(t.solver, alone, 1, DT));
    for (size_t i = 0; i < 49; i++) assert_less(vec3_distance(before[i], t.a.candidate[i]), 1e-12);
    two_release(&t);
}

static void definitions_that_make_no_sense_are_errors(void **state) {
    contact *made = NULL;
    contact_def def = contact_def_default();
    def.values.separation = 0;
    assert_status(contact_create(*state, &def, &made), RUGA_ERROR_ARGUMENT);
    def = contact_def_default();
    def.values.cuts = -1;
    assert_status(contact_create(*state, &def, &made), RUGA_ERROR_ARGUMENT);
    assert_null(made);
}

/* ---- State, memory. */

/* Steps of plates that pinch a sheet and open again; the state goes through bytes into another solver at `resume`. */
static uint64_t run_pinched(ruga_context *context, int resume) {
    contact_def def = contact_def_default();
    two t;
    two_pinching(&t, context, &def);
    t.a.surface.friction = 0.4;
    for (int step = 0; step < 24; step++) {
        if (step == resume) {
            state_writer *writer;
            const void *bytes;
            size_t size;
            state_reader reader;
            assert_ok(context, state_writer_create(context, &writer));
            t.solver->interface->save(t.solver, writer);
            assert_ok(context, state_writer_finish(writer, &bytes, &size));
            t.solver->interface->destroy(t.solver);
            assert_ok(context, contact_create(context, &def, &t.solver));
            assert_ok(context, state_reader_open(context, bytes, size, &reader));
            assert_ok(context, t.solver->interface->load(t.solver, &reader));
            state_writer_destroy(writer);
        }
        test_surface_move(&t.a, (vec3){0, -0.004, 0.002});
        close_plates(&t, step < 12 ? 0.01 : -0.005);
        assert_ok(context, two_resolve(&t));
        test_surface_accept(&t.a);
        test_surface_accept(&t.b);
    }
    uint64_t hash = state_hash(t.a.accepted, t.meshes[0]->vertex_count * sizeof *t.a.accepted, 0);
    two_release(&t);
    return hash;
}

static void a_resumed_run_continues_with_the_same_bits(void **state) {
    uint64_t whole = run_pinched(*state, -1);
    assert_true(run_pinched(*state, 6) == whole);
    assert_true(run_pinched(*state, 13) == whole);
}

/* The state of sheets that cross, loaded by a solver that then sees a sheet alone. */
static void a_state_of_other_surfaces_is_an_error(void **state) {
    contact_def def = contact_def_default();
    def.values.start = CONTACT_START_GO_ON;
    two t;
    two_crossing(&t, *state, &def);
    assert_ok(*state, two_resolve(&t));
    state_writer *writer;
    const void *bytes;
    size_t size;
    state_reader reader;
    assert_ok(*state, state_writer_create(*state, &writer));
    t.solver->interface->save(t.solver, writer);
    assert_ok(*state, state_writer_finish(writer, &bytes, &size));
    contact *other;
    contact_surface *alone[1] = {&t.b.surface};
    assert_ok(*state, contact_create(*state, &def, &other));
    assert_ok(*state, state_reader_open(*state, bytes, size, &reader));
    assert_ok(*state, other->interface->load(other, &reader));
    assert_status(other->interface->resolve(other, alone, 1, DT), RUGA_ERROR_INPUT);
    assert_message_has(*state, "do not belong to the current surfaces");
    other->interface->destroy(other);
    state_writer_destroy(writer);
    two_release(&t);
}

static void the_steady_state_allocates_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    contact_def def = contact_def_default();
    two t;
    two_pinching(&t, context, &def);
    long after_warm_up = 0;
    for (int step = 0; step < 60; step++) {
        for (size_t i = 0; i < t.meshes[0]->vertex_count; i++)
            t.a.candidate[i] = vec3_add(t.a.accepted[i], (vec3){0, step % 2 ? 0.06 : -0.06, 0});
        test_surface_move(&t.b, (vec3){0, 0, 0});
        assert_ok(context, two_resolve(&t));
        test_surface_accept(&t.a);
        if (step == 39) after_warm_up = counter.allocations;
    }
    assert_true(counter.allocations == after_warm_up);
    two_release(&t);
    ruga_context_destroy(context);
}

static ruga_status run_whole(ruga_context *context, void *user) {
    const vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const collider colliders[2] = {
        {.kind = COLLIDER_PLANE, .point = {0, -0.2, 0}, .axes = {x, y, z}},
        {.kind = COLLIDER_BOX, .point = {0, -1, 0}, .half = {0.1, 0.1, 0.1}, .axes = {x, y, z}}};
    const contact_exclusion exclusion = {{"b", "b"}};
    test_surface *s = user;
    contact_def def = contact_def_default();
    def.values.start = CONTACT_START_UNTANGLE;
    def.exclusion_count = 1;
    def.exclusions = &exclusion;
    def.collider_count = 2;
    def.colliders = colliders;
    contact *solver;
    TRY(contact_create(context, &def, &solver));
    contact_surface *surfaces[2] = {&s[0].surface, &s[1].surface};
    ruga_status status = RUGA_OK;
    for (int step = 0; step < 2 && !RUGA_FAILED(status); step++) {
        test_surface_move(&s[0], (vec3){0, -0.3, 0});
        test_surface_move(&s[1], (vec3){0, 0.3, 0});
        status = solver->interface->resolve(solver, surfaces, 2, DT);
    }
    solver->interface->destroy(solver);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ruga_mesh *meshes[2] = {sheet_at(*state, 2, (vec3){0, 0, 0}, 0),
                            sheet_at(*state, 2, (vec3){0.013, 0.4, 0.021}, 1.5)};
    test_surface s[2];
    for (int k = 0; k < 2; k++) test_surface_init(&s[k], k ? "b" : "a", meshes[k], 0.01, 0.01);
    assert_less(50, assert_every_allocation_may_fail(run_whole, s));
    for (int k = 0; k < 2; k++) {
        test_surface_release(&s[k]);
        ruga_mesh_destroy(meshes[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_with_intersections_reports_how_many_and_where),
        cmocka_unit_test(go_on_adds_no_intersections_and_ends_when_they_are_apart),
        cmocka_unit_test(untangling_parts_what_intersects),
        cmocka_unit_test(excluded_surfaces_pass_through_each_other),
        cmocka_unit_test(exclusions_of_nobody_are_an_error),
        cmocka_unit_test(a_limit_of_work_that_is_not_positive_is_an_error),
        cmocka_unit_test(at_the_limit_of_work_nothing_intersects_and_it_is_measured),
        cmocka_unit_test(plates_that_leave_room_pinch_nothing),
        cmocka_unit_test(pinched_cloth_is_reported_ignored_and_comes_out),
        cmocka_unit_test(strict_contact_stops_at_pinched_cloth),
        cmocka_unit_test(pinned_points_that_are_moved_into_a_surface_are_reported),
        cmocka_unit_test(coordinates_that_are_no_numbers_name_object_and_vertex),
        cmocka_unit_test(a_sheet_that_explodes_names_object_and_vertex_and_one_that_flies_fast_does_not),
        cmocka_unit_test(a_thickness_that_makes_no_sense_is_an_error_and_none_is_repaired),
        cmocka_unit_test(a_thickness_above_the_edges_lets_a_flat_sheet_be),
        cmocka_unit_test(definitions_that_make_no_sense_are_errors),
        cmocka_unit_test(a_resumed_run_continues_with_the_same_bits),
        cmocka_unit_test(a_state_of_other_surfaces_is_an_error),
        cmocka_unit_test(the_steady_state_allocates_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_all, tear_down_context);
}
