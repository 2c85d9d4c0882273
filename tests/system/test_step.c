/* The step calls everything in its one order, stops where it should, and allocates nothing once it runs. */
#include <math.h>
#include <stdio.h>

#include "base/timer.h"
#include "system/fixture.h"

#define FRAME (1.0 / 24)

/* ---- The order. */

static void the_step_is_the_list(void **state) {
    ruga_context *context = *state;
    call_log log = {0};
    world *w;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .log = &log, .mass = 1});
    add_test_body(context, w, mesh, &(test_body_def){.name = "b", .log = &log, .mass = 1});
    add_test_hook(context, w, 0, &(test_hook_def){.name = "a.h1", .log = &log});
    add_test_hook(context, w, 0, &(test_hook_def){.name = "a.h2", .log = &log});
    add_test_hook(context, w, 1, &(test_hook_def){.name = "b.h1", .log = &log});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "a.d1", .log = &log, .delay = 1});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "a.d2", .log = &log});
    add_test_detail(context, w, 1, &(test_detail_def){.name = "b.d1", .log = &log, .delay = 1});
    add_test_contact(context, w, &(test_contact_def){.log = &log});

    assert_ok(context, world_settle(w, 0, 1));
    assert_string_equal(log.text, "a.d1.settle a.d2.update b.d1.settle ");

    const char *calls =
        "a.predict a.h1.force a.h2.force b.predict b.h1.force "
        "a.h1.before_contact a.h2.before_contact b.h1.before_contact "
        "a.surface b.surface contact.resolve "
        "a.accept b.accept "
        "a.h1.after_velocities a.h2.after_velocities b.h1.after_velocities ";
    char expected[4096];
    snprintf(expected, sizeof expected, "%s%s%sa.d1.update a.d2.update b.d1.update ", calls, calls, calls);
    for (int frame = 1; frame <= 2; frame++) {
        call_log_clear(&log);
        assert_ok(context, world_step(w, frame * FRAME, 3, 1, 1));
        assert_string_equal(log.text, expected);
    }
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

static ruga_status count_settle(part *p, const body *b, const substep *s, const ruga_frame *in) {
    assert_true(s->dt == 0 && in->vertex_count == b->point_count);
    p->measures.items[0].value += 1;
    return RUGA_OK;
}

static void keep_part(part *p) { (void)p; }

/* A part inside a body may have a state that starts with the first frame, though it shows nothing. */
static void parts_without_update_settle_too(void **state) {
    static const part_interface interface = {.settle = count_settle, .destroy = keep_part};
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    part p = {.interface = &interface, .context = context, .kind = "inner"};
    measure_add(&p.measures, "settles", "1");
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 1});
    assert_ok(context, world_add_part(w, 0, &p));
    assert_ok(context, world_settle(w, 0, 1));
    assert_near(p.measures.items[0].value, 1, 0);
    assert_ok(context, world_step(w, FRAME, 2, 1, 1));
    assert_near(p.measures.items[0].value, 0, 0); /* measures start again, and a step settles nothing */
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

static void an_object_has_one_collision_surface(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    part *second;
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 1});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d1", .surface = mesh});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d2"});
    assert_ok(context, test_detail_create(mesh, &(test_detail_def){.name = "d3", .surface = mesh}, &second));
    assert_status(world_add_part(w, 0, second), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, "both have a collision surface");
    assert_null(world_part(w, 0, 2));
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

static ruga_status no_energy(part *p, const body *b, const substep *s, energy_term **out) {
    (void)p, (void)b, (void)s;
    *out = NULL;
    return RUGA_OK;
}

/* Its forces would not act. */
static void an_energy_alone_is_refused_by_bodies_that_do_not_solve_by_energies(void **state) {
    static const part_interface interface = {.energy = no_energy, .destroy = keep_part};
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    part p = {.interface = &interface, .context = context, .kind = "inner"};
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 1});
    assert_status(world_add_part(w, 0, &p), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, "does not solve by energies");
    assert_null(world_part(w, 0, 0));
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

/* ---- Time. */

typedef struct times {
    double time[16], blend[16];
    int count;
} times;

static ruga_status record_time(void *user, double time, ruga_vec3 *positions) {
    times *t = user;
    if (t->count < 16) t->time[t->count++] = time;
    positions[0] = positions[1] = positions[2] = (ruga_vec3){time, 0, 0};
    return RUGA_OK;
}

static ruga_mesh *one_triangle(ruga_context *context) {
    const ruga_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t face[3] = {0, 1, 2};
    return shape_make(context, 3, corners, 1, NULL, face);
}

static void substeps_are_equal_and_the_last_ends_at_the_frame(void **state) {
    ruga_context *context = *state;
    times t = {.count = 0};
    ruga_mesh *mesh = one_triangle(context);
    ruga_motion *motion;
    body *b;
    size_t object;
    world *w;
    assert_ok(context, ruga_motion_from_function(context, 3, -10, 10, record_time, &t, &motion));
    assert_ok(context, body_animated_create(mesh, &(ruga_animated_def){.start = NAN, .speed = 1}, motion, 1, NULL, &b));
    assert_ok(context, world_create(context, &w));
    assert_ok(context, world_add_object(w, "a", b, &object));
    assert_ok(context, world_settle(w, 0.1, 1));
    assert_ok(context, world_step(w, 0.7, 3, 1, 1));
    assert_int_equal(t.count, 4);
    for (int i = 0; i < 4; i++) assert_near_case(t.time[i], 0.1 + 0.2 * i, 1e-15, "i %d", i);
    assert_equal(t.time[3], 0.7);
    assert_equal(world_time(w), 0.7);
    assert_equal(world_frame(w, 0)->time, 0.7);
    assert_equal(world_frame(w, 0)->positions[1].x, 0.7);
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

static double value_of(const world *w, const char *wanted) {
    char owner[64], name[128];
    measure_place at = {0};
    for (const measure *m; (m = world_next_measure(w, &at, owner, sizeof owner));) {
        snprintf(name, sizeof name, "%s.%s", owner, m->name);
        if (!strcmp(name, wanted)) return m->value;
    }
    fail_msg("there is no measure \"%s\"", wanted);
    return NAN;
}

static void details_get_the_time_of_the_whole_frame(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = one_triangle(context);
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 1});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d", .delay = 1});
    assert_ok(context, world_settle(w, 5, 1));
    assert_ok(context, world_step(w, 5.25, 4, 1, 1));
    assert_ok(context, world_step(w, 5.75, 4, 1, 1));
    assert_equal(value_of(w, "a.rise.age"), 0.75);
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

/* The age of the detail after a hundred frames at multiples of a length; `meant` is the length that the world was
 * given. */
static double age_after_frames(ruga_context *context, double length, double meant) {
    ruga_mesh *mesh = one_triangle(context);
    world *w;
    assert_ok(context, world_create(context, &w));
    world_set_frame_length(w, meant);
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 1});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d", .delay = 1});
    assert_ok(context, world_settle(w, 0, 1));
    for (int f = 1; f <= 100; f++) assert_ok(context, world_step(w, f * length, 2, 1, 1));
    double age = value_of(w, "a.rise.age");
    world_destroy(w);
    ruga_mesh_destroy(mesh);
    return age;
}

static void frames_of_the_meant_length_have_exactly_it(void **state) {
    ruga_context *context = *state;
    const double length = 1.0 / 60;
    double sum = 0;
    for (int f = 0; f < 100; f++) sum += length;
    assert_equal(age_after_frames(context, length, length), sum);
    assert_true(age_after_frames(context, length, 0) != sum);
    /* Others are as long as their times say. */
    assert_equal(age_after_frames(context, 2 * length, length), age_after_frames(context, 2 * length, 0));
}

static void a_step_that_goes_nowhere_is_refused(void **state) {
    ruga_context *context = *state;
    world *w;
    assert_ok(context, world_create(context, &w));
    assert_ok(context, world_settle(w, 1, 1));
    assert_status(world_step(w, 1, 1, 1, 1), RUGA_ERROR_ARGUMENT);
    assert_status(world_step(w, 0, 1, 1, 1), RUGA_ERROR_ARGUMENT);
    assert_status(world_step(w, NAN, 1, 1, 1), RUGA_ERROR_ARGUMENT);
    assert_status(world_step(w, INFINITY, 1, 1, 1), RUGA_ERROR_ARGUMENT);
    assert_status(world_step(w, 2, 0, 1, 1), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "0 substeps");
    assert_status(world_settle(w, NAN, 1), RUGA_ERROR_ARGUMENT);
    assert_ok(context, world_step(w, 2, 1, 1, 1));
    world_destroy(w);
}

/* ---- Parts do what they say. */

/* Semi-implicit Euler of a free fall: v = n g dt, y = g dt² n (n + 1) / 2. */
static void a_body_falls_as_its_integrator_says(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    world *w;
    assert_ok(context, world_create(context, &w));
    world_environment(w)->gravity = (ruga_vec3){0, -9.81, 0};
    body *b = add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 2, .stiffness = 50});
    int frames = 6, substeps = 4, n = frames * substeps;
    double dt = FRAME / substeps;
    for (int f = 1; f <= frames; f++) assert_ok(context, world_step(w, f * FRAME, substeps, 1, 1));
    for (size_t i = 0; i < b->point_count; i++) {
        assert_near_case(b->velocities[i].y, -9.81 * n * dt, 1e-12, "i %zu", i);
        assert_near_case(b->positions[i].y, -9.81 * dt * dt * n * (n + 1) / 2, 1e-12, "i %zu", i);
        assert_near_case(b->positions[i].x, mesh->positions[i].x, 1e-12, "i %zu", i);
    }
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

/* A symplectic integrator keeps the energy of a swinging net within a bound that shrinks with dt. */
static void energy_is_measured_and_kept(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    double drift[2];
    for (int fine = 0; fine < 2; fine++) {
        world *w;
        assert_ok(context, world_create(context, &w));
        world_environment(w)->gravity = (ruga_vec3){0, -9.81, 0};
        body *b = add_test_body(context, w, mesh, &(test_body_def){.name = "net", .mass = 0.1, .stiffness = 20});
        for (size_t i = 0; i < b->point_count; i++) b->velocities[i] = (ruga_vec3){b->positions[i].x, 0, 0};
        double first = 0;
        drift[fine] = 0;
        for (int f = 1; f <= 24; f++) {
            assert_ok(context, world_step(w, f * FRAME, fine ? 64 : 16, 1, 1));
            double energy = value_of(w, "net.kinetic") + value_of(w, "net.potential");
            if (f == 1) first = energy;
            drift[fine] = fmax(drift[fine], fabs(energy - first));
            assert_equal_case(value_of(w, "net.substeps"), fine ? 64 : 16, "fine %d, f %d", fine, f);
        }
        world_destroy(w);
    }
    assert_less(drift[0], 0.2);
    assert_less(drift[1], drift[0] / 3);
    ruga_mesh_destroy(mesh);
}

static void hooks_change_forces_candidates_and_velocities(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    world *w;
    assert_ok(context, world_create(context, &w));
    body *b = add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 2});
    const test_hook_def def = {.name = "h", .force = {4, 0, 0}, .shift = {0, 0.5, 0}, .slow = 0.25};
    add_test_hook(context, w, 0, &def);
    assert_ok(context, world_step(w, 0.5, 1, 1, 1));
    /* Its first force is minus what it was given: a = -2, v = -1, x = -0.5; then the shift; then a quarter is lost. */
    for (size_t i = 0; i < b->point_count; i++) {
        assert_near_case(b->positions[i].x - mesh->positions[i].x, -0.5, 1e-15, "i %zu", i);
        assert_equal_case(b->positions[i].y, 0.5, "i %zu", i);
        assert_equal_case(b->velocities[i].x, -0.75, "i %zu", i);
        assert_equal_case(b->velocities[i].y, 0.375, "i %zu", i);
    }
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

static void measures_name_their_owners(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "shirt", .mass = 1});
    add_test_hook(context, w, 0, &(test_hook_def){.name = "h"});
    add_test_hook(context, w, 0, &(test_hook_def){.name = "h"});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d"});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d"});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d"});
    add_test_body(context, w, mesh, &(test_body_def){.name = "hat", .mass = 1});
    add_test_contact(context, w, &(test_contact_def){.distance = 0});
    static const char *const expected[] = {"shirt.kinetic",    "shirt.potential",   "shirt.substeps",
                                           "shirt.push.calls", "shirt.push2.calls", "shirt.rise.age",
                                           "shirt.rise2.age",  "shirt.rise3.age",   "hat.kinetic",
                                           "hat.potential",    "hat.substeps",      "contact.contacts"};
    size_t count = sizeof expected / sizeof expected[0];
    char owner[64], name[128];
    assert_int_equal(world_measure_count(w), count);
    measure_place at = {0};
    for (size_t i = 0; i < count; i++) {
        const measure *m = world_next_measure(w, &at, owner, sizeof owner);
        assert_non_null(m);
        snprintf(name, sizeof name, "%s.%s", owner, m->name);
        assert_string_equal(name, expected[i]);
    }
    assert_null(world_next_measure(w, &at, owner, sizeof owner));
    assert_null(world_next_measure(w, &at, owner, sizeof owner));

    /* Counts add up over the substeps of a frame and start again with the next. */
    for (int f = 1; f <= 2; f++) {
        assert_ok(context, world_step(w, f * FRAME, 5, 1, 1));
        assert_equal_case(value_of(w, "shirt.push2.calls"), 15, "f %d", f);
    }
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

static void stages_are_named_and_timed(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 40, 40);
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 1});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d"});
    double before = timer_now(), sum = 0;
    assert_ok(context, world_step(w, FRAME, 2, 1, 1));
    double all = timer_now() - before;
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        assert_less_case(0, strlen(world_stage_name((world_stage)stage)), "stage %d", stage);
        assert_at_most_case(0, world_stage_seconds(w)[stage], "stage %d", stage);
        sum += world_stage_seconds(w)[stage];
    }
    assert_at_most(sum, all + 1e-9); /* stages do not overlap */
    assert_less(0, world_stage_seconds(w)[STAGE_PREDICT]);
    assert_string_equal(world_stage_name(STAGE_AFTER_VELOCITIES), "after_velocities");
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

/* ---- Frames. */

static void frames_are_what_the_last_detail_makes(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    world *w;
    assert_ok(context, world_create(context, &w));
    body *b = add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 1, .velocity = {1, 0, 0}});
    assert_ptr_equal(world_frame(w, 0)->positions, b->positions);
    assert_ptr_equal(world_body(w, 0), b);
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d1", .lift = 1});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d2", .lift = 2});
    assert_ok(context, world_settle(w, 0, 1));
    assert_equal(world_frame(w, 0)->positions[4].y, 3);
    assert_ok(context, world_step(w, 0.5, 1, 1, 1));
    const ruga_frame *frame = world_frame(w, 0);
    assert_int_equal(frame->vertex_count, mesh->vertex_count);
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        assert_equal_case(frame->positions[i].x, mesh->positions[i].x + 0.5, "i %zu", i);
        assert_equal_case(frame->positions[i].y, 3, "i %zu", i);
    }
    assert_null(frame->normals);
    assert_ptr_equal(world_mesh(w, 0), mesh);
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

static void normals_come_when_they_are_wanted(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_torus(context, 12, 8);
    ruga_vec3 *expected = malloc(mesh->vertex_count * sizeof *expected);
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 1});
    add_test_body(context, w, mesh, &(test_body_def){.name = "b", .mass = 1});
    add_test_detail(context, w, 1, &(test_detail_def){.name = "d", .gives_normals = 1});
    world_want_normals(w, 1);
    assert_null(world_frame(w, 0)->normals);
    assert_ok(context, world_step(w, FRAME, 1, 1, 1));
    assert_ok(context, ruga_mesh_normals(mesh, world_frame(w, 0)->positions, expected));
    assert_memory_equal(world_frame(w, 0)->normals, expected, mesh->vertex_count * sizeof *expected);
    assert_equal(world_frame(w, 1)->normals[5].z, 1);
    world_want_normals(w, 0);
    assert_ok(context, world_step(w, 2 * FRAME, 1, 1, 1));
    assert_null(world_frame(w, 0)->normals);
    assert_null(world_frame(w, 1)->normals);
    world_destroy(w);
    free(expected);
    ruga_mesh_destroy(mesh);
}

/* ---- Stops. */

static void what_is_not_finite_stops_the_step(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "calm", .mass = 1});
    add_test_body(context, w, mesh, &(test_body_def){.name = "wild", .mass = 1, .break_at = 0.3});
    assert_ok(context, world_step(w, 0.25, 1, 1, 1));
    assert_status(world_step(w, 0.5, 2, 1, 1), RUGA_ERROR_INPUT);
    assert_message_has(context, "object \"wild\"");
    assert_message_has(context, "velocity of vertex 1 ");
    assert_message_has(context, "0.375 s");
    world_destroy(w);

    /* The positions too, and the place among many points. */
    ruga_mesh *large = shape_sheet(context, 150, 150);
    assert_ok(context, world_create(context, &w));
    body *b = add_test_body(context, w, large, &(test_body_def){.name = "large", .mass = 1});
    b->velocities[22222].z = INFINITY;
    b->velocities[22700].z = NAN;
    assert_status(world_step(w, 0.25, 1, 1, 1), RUGA_ERROR_INPUT);
    assert_message_has(context, "vertex 22222 ");
    world_destroy(w);

    /* And what details make. */
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "calm", .mass = 1});
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d", .break_at = 0.5});
    assert_ok(context, world_step(w, 0.25, 1, 1, 1));
    assert_status(world_step(w, 0.5, 2, 1, 1), RUGA_ERROR_INPUT);
    assert_message_has(context, "object \"calm\", rise: the position of vertex 2 ");
    world_destroy(w);

    /* Numbers that are large are numbers, though their sum is none. */
    assert_ok(context, world_create(context, &w));
    b = add_test_body(context, w, mesh, &(test_body_def){.name = "far", .mass = 1});
    for (size_t i = 0; i < b->point_count; i++) b->positions[i].x = 1e308;
    assert_ok(context, world_step(w, 0.25, 1, 1, 1));
    world_destroy(w);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(large);
}

typedef struct canceller {
    int calls, cancel_at;
    double last;
} canceller;

static int count_and_cancel(void *user, const char *stage, double fraction) {
    canceller *c = user;
    assert_string_equal(stage, "stepping");
    assert_at_most(0, fraction);
    assert_at_most(fraction, 1);
    c->last = fraction;
    return c->calls++ == c->cancel_at;
}

static void a_step_is_cancelled_between_substeps(void **state) {
    (void)state;
    canceller c = {.cancel_at = 6};
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 1;
    def.progress = count_and_cancel;
    def.progress_user = &c;
    ruga_context *context;
    assert_int_equal(ruga_context_create(&def, &context), RUGA_OK);
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    call_log log = {0};
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .log = &log, .mass = 1});
    assert_ok(context, world_step(w, 0.5, 4, 1, 1));
    assert_int_equal(c.calls, 4);
    call_log_clear(&log);
    assert_status(world_step(w, 1, 4, 1, 1), RUGA_ERROR_CANCELLED);
    assert_equal(c.last, 0.5);
    assert_string_equal(log.text, "a.predict a.accept a.predict a.accept ");
    world_destroy(w);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void a_part_that_fails_is_named_and_a_warning_is_passed_on(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    const ruga_status given[2] = {RUGA_ERROR_UNSUPPORTED, RUGA_WARNING_NOT_CONVERGED};
    for (int i = 0; i < 2; i++) {
        world *w;
        assert_ok(context, world_create(context, &w));
        add_test_body(context, w, mesh, &(test_body_def){.name = "shirt", .mass = 1});
        add_test_hook(context, w, 0, &(test_hook_def){.name = "h", .fail = given[i]});
        assert_status(world_step(w, 0.5, 4, 1, 1), given[i]);
        if (i == 0) assert_message_has(context, "object \"shirt\", push: the test's hook fails");
        if (i == 1) assert_equal_case(world_time(w), 0.5, "i %d", i);
        world_destroy(w);
    }
    ruga_mesh_destroy(mesh);
}

static void a_world_refuses_what_does_not_fit(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 3, 3), *other = shape_sheet(context, 2, 2);
    world *w;
    body *b;
    part *d;
    size_t object;
    assert_ok(context, world_create(context, &w));
    assert_int_equal(world_object_count(w), 0);
    assert_ok(context, body_static_create(mesh, &b));
    b->point_count--;
    assert_status(world_add_object(w, "a", b, &object), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "16 vertices");
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 1});
    assert_ok(context, test_detail_create(other, &(test_detail_def){.name = "d"}, &d));
    assert_status(world_add_part(w, 0, d), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "another mesh");
    assert_int_equal(world_object_count(w), 1);
    assert_string_equal(world_object_name(w, 0), "a");
    world_destroy(w);
    world_destroy(NULL);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(other);
}

/* ---- Memory. */

/* Everything at once. */
static const collider ground = {.kind = COLLIDER_PLANE, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .friction = 0.3};

static ruga_status swing(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *mesh = user;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        positions[i] = vec3_add(mesh->positions[i], (ruga_vec3){0, 0.1 * sin(5 * time), 0});
    return RUGA_OK;
}

static ruga_status fill_world(ruga_context *context, world *w, ruga_mesh *mesh) {
    const ruga_rigid_key keys[2] = {{0, {0, 0, 0}, {0, 0, 0}}, {1, {1, 0, 0}, {0, 90, 0}}};
    size_t object;
    body *b;
    part *h;
    part *d;
    contact *c;
    ruga_motion *motion;
    TRY(body_static_create(mesh, &b));
    TRY(world_add_object(w, "static", b, &object));
    TRY(body_rigid_create(mesh, (ruga_vec3){0, 0, 0}, keys, 2, &b));
    TRY(world_add_object(w, "rigid", b, &object));
    TRY(ruga_motion_from_function(context, mesh->vertex_count, 0, 1, swing, mesh, &motion));
    TRY(body_animated_create(mesh, &(ruga_animated_def){.start = NAN, .speed = 1}, motion, 1, NULL, &b));
    TRY(world_add_object(w, "animated", b, &object));
    TRY(collide_part_create(context, 0.01, &h));
    TRY(world_add_part(w, object, h));
    TRY(test_body_create(mesh, &(test_body_def){.name = "net", .mass = 0.1, .stiffness = 10, .drag = 0.1}, &b));
    TRY(world_add_object(w, "net", b, &object));
    TRY(test_hook_create(context, &(test_hook_def){.name = "h", .slow = 0.1}, &h));
    TRY(world_add_part(w, object, h));
    TRY(test_detail_create(mesh, &(test_detail_def){.name = "d", .delay = 1}, &d));
    TRY(world_add_part(w, object, d));
    TRY(test_contact_create(context, &(test_contact_def){.distance = 0.05}, &c));
    TRY(world_set_contact(w, c));
    *world_environment(w) = (environment){.gravity = {0, -9.81, 0},
                                          .wind = {.velocity = {1, 0, 0}, .gust = 1, .gust_size = 1, .gust_time = 1},
                                          .collider_count = 1,
                                          .colliders = &ground};
    world_want_normals(w, 1);
    return RUGA_OK;
}

static void a_step_allocates_nothing(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    ruga_mesh *mesh = shape_sheet(context, 8, 8);
    world *w;
    assert_ok(context, world_create(context, &w));
    assert_ok(context, fill_world(context, w, mesh));
    assert_ok(context, world_settle(w, 0, 0));
    long before = counter.allocations;
    for (int f = 1; f < 6; f++) assert_ok(context, world_step(w, f * FRAME, 3, 1, 1));
    assert_int_equal(counter.allocations, before);
    world_destroy(w);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

static ruga_status build_step_save_load(ruga_context *context, void *user) {
    (void)user;
    const ruga_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    const uint32_t faces[6] = {0, 2, 1, 1, 2, 3};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)corners, 4, 0, RUGA_F64};
    def.face_count = 2;
    def.face_vertices = faces;
    ruga_mesh *mesh;
    TRY(ruga_mesh_create(context, &def, &mesh));
    world *w = NULL;
    state_writer *writer = NULL;
    state_reader reader;
    const void *bytes;
    size_t size;
    ruga_status status = world_create(context, &w);
    if (!RUGA_FAILED(status)) status = fill_world(context, w, mesh);
    if (!RUGA_FAILED(status)) status = world_settle(w, 0, 0);
    if (!RUGA_FAILED(status)) status = world_step(w, FRAME, 2, 0, 1);
    if (!RUGA_FAILED(status)) status = state_writer_create(context, &writer);
    if (!RUGA_FAILED(status)) {
        world_save(w, writer);
        status = state_writer_finish(writer, &bytes, &size);
    }
    if (!RUGA_FAILED(status)) status = state_reader_open(context, bytes, size, &reader);
    if (!RUGA_FAILED(status)) status = world_load(w, &reader);
    state_writer_destroy(writer);
    world_destroy(w);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(30, assert_every_allocation_may_fail(build_step_save_load, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_is_the_list),
        cmocka_unit_test(parts_without_update_settle_too),
        cmocka_unit_test(an_object_has_one_collision_surface),
        cmocka_unit_test(an_energy_alone_is_refused_by_bodies_that_do_not_solve_by_energies),
        cmocka_unit_test(substeps_are_equal_and_the_last_ends_at_the_frame),
        cmocka_unit_test(frames_of_the_meant_length_have_exactly_it),
        cmocka_unit_test(details_get_the_time_of_the_whole_frame),
        cmocka_unit_test(a_step_that_goes_nowhere_is_refused),
        cmocka_unit_test(a_body_falls_as_its_integrator_says),
        cmocka_unit_test(energy_is_measured_and_kept),
        cmocka_unit_test(hooks_change_forces_candidates_and_velocities),
        cmocka_unit_test(measures_name_their_owners),
        cmocka_unit_test(stages_are_named_and_timed),
        cmocka_unit_test(frames_are_what_the_last_detail_makes),
        cmocka_unit_test(normals_come_when_they_are_wanted),
        cmocka_unit_test(what_is_not_finite_stops_the_step),
        cmocka_unit_test(a_step_is_cancelled_between_substeps),
        cmocka_unit_test(a_part_that_fails_is_named_and_a_warning_is_passed_on),
        cmocka_unit_test(a_world_refuses_what_does_not_fit),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
