/* The detail "jiggle": oscillators that are held against their own mathematics. */
#include "wrinkle/jiggle_part.h"

#include "part_support.h"

#define PI 3.14159265358979323846

static ruga_jiggle_def jiggle(double frequency, double damping, double air) {
    return (ruga_jiggle_def){.frequency = ruga_param_constant(frequency),
                             .damping = ruga_param_constant(damping),
                             .weight = ruga_param_constant(1),
                             .air = ruga_param_constant(air)};
}

static part *make_jiggle(const ruga_mesh *mesh, ruga_jiggle_def def) {
    part *d = NULL;
    assert_ok(mesh->context, jiggle_part_create(mesh, &def, &d));
    return d;
}

/* Three vertices, of which the tests mostly look at the first. */
static ruga_mesh *make_triangle(ruga_context *context) {
    const ruga_vec3 corners[3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    const uint32_t faces[3] = {0, 1, 2};
    return shape_make(context, 3, corners, 1, NULL, faces);
}

/* Pulled aside by (1, 2, -3) m, at rest: the input jumps while no time passes. */
static void pull_aside(part *d, ruga_vec3 *input) {
    for (int v = 0; v < 3; v++) input[v] = vec3_add(d->input->positions[v], (ruga_vec3){1, 2, -3});
    part_settle(d, input, 0, NULL);
    memcpy(input, d->input->positions, 3 * sizeof *input);
    part_update(d, input, 0, 0, NULL);
}

/* The rest of an offset 1 that started at rest after a time, by the textbook. */
static double free_decay(double omega, double zeta, double t) {
    if (zeta == 1) return exp(-omega * t) * (1 + omega * t);
    double root = omega * sqrt(fabs(zeta * zeta - 1)), c = zeta * omega;
    if (zeta < 1) return exp(-c * t) * (cos(root * t) + c / root * sin(root * t));
    return ((c + root) * exp(-(c - root) * t) - (c - root) * exp(-(c + root) * t)) / (2 * root);
}

static void free_oscillation_is_that_of_the_textbook(void **state) {
    const double dampings[5] = {0, 0.02, 0.5, 1, 2};
    ruga_mesh *mesh = make_triangle(*state);
    for (int k = 0; k < 5; k++) {
        part *d = make_jiggle(mesh, jiggle(1.7, dampings[k], 0));
        ruga_vec3 input[3];
        pull_aside(d, input);
        for (int i = 1; i <= 1000; i++) {
            part_update(d, input, i / 24.0, i / 24.0 - (i - 1) / 24.0, NULL);
            double left = free_decay(2 * PI * 1.7, dampings[k], i / 24.0);
            assert_less(vec3_distance(d->positions[0], (ruga_vec3){left, 2 * left, -3 * left}), 1e-9);
        }
        part_destroy(d);
    }
    ruga_mesh_destroy(mesh);
}

static ruga_vec3 steady_wind(void *user, ruga_vec3 point, double time) {
    (void)user, (void)point, (void)time;
    return (ruga_vec3){3, -1, 2};
}
static const environment windy = {.wind = {.function = steady_wind}};

/* Two seconds of straight flight at a rate, after the pull; where the first vertex is at the end. */
static ruga_vec3 fly_straight(const ruga_mesh *mesh, ruga_jiggle_def def, int steps) {
    part *d = make_jiggle(mesh, def);
    ruga_vec3 input[3];
    pull_aside(d, input);
    for (int i = 1; i <= steps; i++) {
        double time = 2.0 * i / steps, before = 2.0 * (i - 1) / steps;
        for (int v = 0; v < 3; v++) input[v] = vec3_add_scaled(mesh->positions[v], (ruga_vec3){0.5, 1, 2}, time);
        part_update(d, input, time, time - before, &windy);
    }
    ruga_vec3 place = d->positions[0];
    part_destroy(d);
    return place;
}

static void the_frame_rate_does_not_matter_while_the_input_goes_straight(void **state) {
    const double frequencies[3] = {0, 0.4, 6}, dampings[4] = {0, 0.3, 1, 4}, airs[2] = {0, 1.5};
    ruga_mesh *mesh = make_triangle(*state);
    for (int f = 0; f < 3; f++)
        for (int z = 0; z < 4; z++)
            for (int a = 0; a < 2; a++) {
                ruga_jiggle_def def = jiggle(frequencies[f], dampings[z], airs[a]);
                ruga_vec3 whole = fly_straight(mesh, def, 1);
                assert_less(vec3_distance(fly_straight(mesh, def, 2), whole), 1e-13);
                assert_less(vec3_distance(fly_straight(mesh, def, 64), whole), 1e-12);
                assert_less(vec3_distance(fly_straight(mesh, def, 1000), whole), 1e-10);
            }
    ruga_mesh_destroy(mesh);
}

static void energy_never_grows_in_still_air_over_an_input_at_rest(void **state) {
    const double dampings[4] = {0, 0.1, 1, 3};
    ruga_mesh *mesh = make_triangle(*state);
    for (int k = 0; k < 4; k++)
        for (int a = 0; a < 2; a++) {
            part *d = make_jiggle(mesh, jiggle(2, dampings[k], a));
            assert_string_equal(d->measures.items[0].name, "energy");
            ruga_vec3 input[3];
            pull_aside(d, input);
            double before = d->measures.items[0].value, omega = 4 * PI;
            assert_near(before, 0.5 * omega * omega * 14, 1e-9);
            for (int i = 1; i <= 500; i++) {
                part_update(d, input, 0.03 * i, 0.03, NULL);
                assert_at_most(d->measures.items[0].value, before * (1 + 1e-13));
                before = d->measures.items[0].value;
            }
            part_destroy(d);
        }
    ruga_mesh_destroy(mesh);
}

static void steady_wind_holds_it_where_the_forces_balance(void **state) {
    ruga_mesh *mesh = make_triangle(*state);
    const double omega = 2 * PI * 1.5, reach = 0.8 / (omega * omega);
    const ruga_vec3 blown = {3 * reach, -reach, 2 * reach};
    part *d = make_jiggle(mesh, jiggle(1.5, 0.5, 0.8));
    part_settle(d, mesh->positions, 0, &windy);
    for (int v = 0; v < 3; v++) assert_less(vec3_distance(d->positions[v], vec3_add(mesh->positions[v], blown)), 1e-15);
    assert_near(d->measures.items[1].value, vec3_length(blown), 1e-15);
    for (int i = 1; i < 50; i++) part_update(d, mesh->positions, 0.04 * i, 0.04, &windy);
    assert_less(vec3_distance(d->positions[0], blown), 1e-14);

    /* From elsewhere it comes to the same place. */
    ruga_vec3 input[3];
    pull_aside(d, input);
    for (int i = 1; i < 400; i++) part_update(d, input, 0.04 * i, 0.04, &windy);
    assert_less(vec3_distance(d->positions[0], blown), 1e-13);
    part_destroy(d);
    ruga_mesh_destroy(mesh);
}

static void what_nothing_draws_takes_the_velocity_of_the_wind(void **state) {
    ruga_mesh *mesh = make_triangle(*state);
    part *d = make_jiggle(mesh, jiggle(0, 1, 2));
    part_settle(d, mesh->positions, 0, &windy);
    assert_memory_equal(d->positions, mesh->positions, 3 * sizeof(ruga_vec3));
    part_update(d, mesh->positions, 20, 20, &windy);
    ruga_vec3 before = d->positions[0];
    part_update(d, mesh->positions, 21, 1, &windy);
    assert_less(vec3_distance(vec3_sub(d->positions[0], before), (ruga_vec3){3, -1, 2}), 1e-13);
    part_destroy(d);
    ruga_mesh_destroy(mesh);
}

typedef struct asked {
    ruga_vec3 point;
    double time;
} asked;

static ruga_vec3 remember_asked(void *user, ruga_vec3 point, double time) {
    *(asked *)user = (asked){point, time};
    return (ruga_vec3){1, 0, 0};
}

static void the_wind_is_that_at_the_vertex_itself(void **state) {
    ruga_mesh *mesh = make_triangle(*state);
    asked last;
    environment e = {.wind = {.function = remember_asked, .user = &last}};
    part *d = make_jiggle(mesh, jiggle(1, 0.1, 1));
    ruga_vec3 input[3];
    pull_aside(d, input);
    ruga_vec3 place = d->positions[2]; /* the last one that is asked for */
    part_update(d, input, 0.5, 0.5, &e);
    assert_memory_equal(&last.point, &place, sizeof place);
    assert_true(last.time == 0.25);
    part_destroy(d);
    ruga_mesh_destroy(mesh);
}

static void weight_blends_from_exactly_the_input_to_the_oscillator(void **state) {
    ruga_mesh *mesh = make_triangle(*state);
    const double painted[3] = {0, 0.25, 1};
    ruga_jiggle_def def = jiggle(2, 0.1, 0);
    def.weight = ruga_param_array(painted, 3);
    part *partly = make_jiggle(mesh, def), *whole = make_jiggle(mesh, jiggle(2, 0.1, 0));
    ruga_vec3 input[3];
    pull_aside(partly, input);
    pull_aside(whole, input);
    for (int i = 1; i < 20; i++) {
        move_points(mesh->positions, 3, 0.04 * i, input);
        input[0].x = -0.0;
        part_update(partly, input, 0.04 * i, 0.04, NULL);
        part_update(whole, input, 0.04 * i, 0.04, NULL);
        assert_memory_equal(&partly->positions[0], &input[0], sizeof input[0]);
        assert_memory_equal(&partly->positions[2], &whole->positions[2], sizeof input[2]);
        ruga_vec3 quarter = vec3_mix(input[1], whole->positions[1], 0.25);
        assert_less(vec3_distance(partly->positions[1], quarter), 1e-15);
    }
    part_destroy(partly);
    part_destroy(whole);
    ruga_mesh_destroy(mesh);
}

/* A frequency that is keyed but always the same, against one that is not keyed; and one that really changes. */
static void keyed_parameters_are_those_of_the_frame(void **state) {
    ruga_mesh *mesh = make_triangle(*state);
    ruga_param slow = ruga_param_constant(0.5), fast = ruga_param_constant(3);
    const ruga_param_key same[2] = {{0, &fast}, {9, &fast}}, rising[2] = {{0.05, &slow}, {0.15, &fast}};
    ruga_jiggle_def keyed = jiggle(3, 0.2, 0), changing = keyed;
    keyed.frequency = ruga_param_keys(same, 2);
    changing.frequency = ruga_param_keys(rising, 2);
    part *a = make_jiggle(mesh, jiggle(3, 0.2, 0)), *b = make_jiggle(mesh, keyed), *c = make_jiggle(mesh, changing);
    ruga_vec3 input[3];
    pull_aside(a, input);
    pull_aside(b, input);
    pull_aside(c, input);
    for (int i = 1; i < 10; i++) {
        part_update(a, input, 0.05 * i, 0.05, NULL);
        part_update(b, input, 0.05 * i, 0.05, NULL);
        part_update(c, input, 0.05 * i, 0.05, NULL);
        assert_memory_equal(a->positions, b->positions, 3 * sizeof *input);
        if (i == 1) assert_near(c->positions[0].x, free_decay(2 * PI * 0.5, 0.2, 0.05), 1e-12);
        if (i > 1) assert_less(1e-3, vec3_distance(a->positions[0], c->positions[0]));
    }
    part_destroy(a);
    part_destroy(b);
    part_destroy(c);
    ruga_mesh_destroy(mesh);
}

static environment gusty(void) {
    return (environment){.wind = {.velocity = {4, 0, 1}, .gust = 0.5, .gust_size = 0.7, .gust_time = 0.5, .seed = 5}};
}

/* Painted differently at every vertex. */
static ruga_jiggle_def painted_jiggle(const ruga_mesh *mesh, double *painted) {
    for (size_t v = 0; v < mesh->vertex_count; v++) painted[v] = 0.5 + 0.37 * (double)(v % 11);
    ruga_jiggle_def def = jiggle(1, 0.2, 1);
    def.frequency = ruga_param_array(painted, mesh->vertex_count);
    return def;
}

static void run_moving(part *d, int first, int last, const environment *e) {
    ruga_vec3 *moved = copy_points(d->input->positions, d->input->vertex_count);
    for (int i = first; i <= last; i++) {
        move_points(d->input->positions, d->input->vertex_count, i / 24.0, moved);
        if (i == 0) {
            part_settle(d, moved, 0, e);
        } else {
            part_update(d, moved, i / 24.0, i / 24.0 - (i - 1) / 24.0, e);
        }
    }
    free(moved);
}

static void any_number_of_threads_gives_the_same_bits_and_nothing_is_allocated(void **state) {
    (void)state;
    const int threads[3] = {1, 2, 5};
    const environment e = gusty();
    ruga_vec3 *first = NULL;
    double energy = 0, offset = 0;
    for (int i = 0; i < 3; i++) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = i == 0 ? context_counting(&counter) : context_plain(threads[i]);
        ruga_mesh *mesh = shape_torus(context, 80, 60);
        double *painted = malloc(mesh->vertex_count * sizeof *painted);
        part *d = make_jiggle(mesh, painted_jiggle(mesh, painted));
        long before = counter.allocations;
        run_moving(d, 0, 10, &e);
        assert_int_equal(counter.allocations, before);
        if (!first) {
            first = copy_points(d->positions, mesh->vertex_count);
            energy = d->measures.items[0].value;
            offset = d->measures.items[1].value;
            assert_less(0, energy);
            assert_less(0, offset);
        }
        assert_memory_equal(first, d->positions, mesh->vertex_count * sizeof *first);
        assert_true(energy == d->measures.items[0].value && offset == d->measures.items[1].value);
        part_destroy(d);
        free(painted);
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
    }
    free(first);
}

static void a_saved_state_continues_bit_identical(void **state) {
    const environment e = gusty();
    ruga_mesh *mesh = shape_torus(*state, 20, 10), *other = make_triangle(*state);
    double *painted = malloc(mesh->vertex_count * sizeof *painted);
    ruga_jiggle_def def = painted_jiggle(mesh, painted);
    part *a = make_jiggle(mesh, def), *b = make_jiggle(mesh, def), *c = make_jiggle(other, jiggle(1, 1, 1));
    run_moving(a, 0, 7, &e);

    const void *bytes = NULL;
    size_t size = 0;
    state_writer *writer = NULL;
    assert_ok(*state, state_writer_create(*state, &writer));
    a->interface->save(a, writer);
    assert_ok(*state, state_writer_finish(writer, &bytes, &size));
    state_reader reader;
    assert_ok(*state, state_reader_open(*state, bytes, size, &reader));
    assert_ok(*state, b->interface->load(b, &reader));
    run_moving(a, 8, 20, &e);
    run_moving(b, 8, 20, &e);
    assert_memory_equal(a->positions, b->positions, mesh->vertex_count * sizeof(ruga_vec3));
    assert_memory_equal(&a->measures, &b->measures, sizeof a->measures);

    assert_status(c->interface->load(c, &reader), RUGA_ERROR_INPUT);
    assert_message_has(*state, "the saved state has 200 vertices, but the mesh has 3");
    state_writer_destroy(writer);
    part_destroy(a);
    part_destroy(b);
    part_destroy(c);
    free(painted);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(other);
}

/* The vertices change places with the mesh: so do the oscillators. */
static void a_changed_mesh_takes_the_state_along(void **state) {
    ruga_mesh *mesh = make_triangle(*state);
    const ruga_vec3 turned_positions[3] = {mesh->positions[1], mesh->positions[2], mesh->positions[0]};
    const uint32_t faces[3] = {0, 1, 2}, from[3] = {1, 2, 0};
    const size_t offsets[4] = {0, 1, 2, 3};
    const double ones[3] = {1, 1, 1};
    ruga_mesh *turned = shape_make(*state, 3, turned_positions, 1, NULL, faces);
    const ruga_map map = {3, 3, offsets, from, ones, *state};
    part *a = make_jiggle(mesh, jiggle(1, 0.1, 0)), *b = make_jiggle(mesh, jiggle(1, 0.1, 0));
    run_moving(a, 0, 9, NULL);
    run_moving(b, 0, 5, NULL);
    ruga_vec3 *before = copy_points(b->positions, 3);
    assert_ok(*state, try_rebuild(b, turned, &map));
    assert_ptr_equal(b->output, turned);
    for (int v = 0; v < 3; v++) assert_memory_equal(&b->positions[v], &before[from[v]], sizeof(ruga_vec3));
    free(before);
    run_moving(b, 6, 9, NULL);
    for (int v = 0; v < 3; v++) assert_memory_equal(&b->positions[v], &a->positions[from[v]], sizeof(ruga_vec3));
    part_destroy(a);
    part_destroy(b);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(turned);
}

static void any_step_is_stable(void **state) {
    const double steps[5] = {1e-300, 1e-12, 1, 1e6, 1e12};
    ruga_mesh *mesh = make_triangle(*state);
    for (int k = 0; k < 5; k++) {
        part *d = make_jiggle(mesh, jiggle(1e6, 1e6, 1e6));
        ruga_vec3 input[3];
        pull_aside(d, input);
        for (int i = 1; i < 10; i++) part_update(d, input, i * steps[k], steps[k], NULL);
        assert_at_most(vec3_length(d->positions[0]), sqrt(14) * (1 + 1e-15));
        part_destroy(d);
    }
    ruga_mesh_destroy(mesh);
}

static void assert_jiggle_refused(const ruga_mesh *mesh, ruga_jiggle_def def, const char *message) {
    part *d = NULL;
    assert_status(jiggle_part_create(mesh, &def, &d), RUGA_ERROR_INPUT);
    assert_message_has(mesh->context, message);
    assert_null(d);
}

static void what_makes_no_sense_is_refused(void **state) {
    ruga_mesh *mesh = make_triangle(*state);
    assert_jiggle_refused(mesh, jiggle(-1, 0, 0), "frequency: vertex 0 has -1 Hz, allowed is 0 to 1000000 Hz");
    assert_jiggle_refused(mesh, jiggle(1, -0.5, 0), "damping: vertex 0 has -0.5, allowed");
    assert_jiggle_refused(mesh, jiggle(1, 0.5, -2), "air: vertex 0 has -2 1/s");
    ruga_jiggle_def def = jiggle(1, 1, 1);
    def.weight = ruga_param_constant(1.5);
    assert_jiggle_refused(mesh, def, "weight: vertex 0 has 1.5, allowed is 0 to 1");
    def.weight.low = -5;
    def.weight.high = 5;
    assert_jiggle_refused(mesh, def, "weight: vertex 0 has 1.5, allowed is 0 to 1");

    part *d = make_jiggle(mesh, jiggle(1, 1, 1));
    ruga_frame in = frame_at(mesh, mesh->positions, 0);
    assert_status(try_update(d, &in, INFINITY), RUGA_ERROR_ARGUMENT);
    in.vertex_count = 2;
    assert_status(try_settle(d, &in), RUGA_ERROR_ARGUMENT);
    part_destroy(d);
    ruga_mesh_destroy(mesh);
}

static ruga_status make(ruga_context *context, void *user) {
    ruga_mesh mesh = *(const ruga_mesh *)user;
    mesh.context = context;
    const size_t offsets[4] = {0, 1, 2, 3};
    const uint32_t indices[3] = {0, 1, 2};
    const double ones[3] = {1, 1, 1};
    const ruga_map same = {3, 3, offsets, indices, ones, context};
    ruga_jiggle_def def = jiggle(1, 0.1, 0);
    part *d = NULL;
    ruga_status status = jiggle_part_create(&mesh, &def, &d);
    if (!RUGA_FAILED(status)) status = try_rebuild(d, &mesh, &same);
    part_destroy(d);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ruga_mesh *mesh = make_triangle(*state);
    assert_int_equal(assert_every_allocation_may_fail(make, mesh), 18);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_oscillation_is_that_of_the_textbook),
        cmocka_unit_test(the_frame_rate_does_not_matter_while_the_input_goes_straight),
        cmocka_unit_test(energy_never_grows_in_still_air_over_an_input_at_rest),
        cmocka_unit_test(steady_wind_holds_it_where_the_forces_balance),
        cmocka_unit_test(what_nothing_draws_takes_the_velocity_of_the_wind),
        cmocka_unit_test(the_wind_is_that_at_the_vertex_itself),
        cmocka_unit_test(weight_blends_from_exactly_the_input_to_the_oscillator),
        cmocka_unit_test(keyed_parameters_are_those_of_the_frame),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits_and_nothing_is_allocated),
        cmocka_unit_test(a_saved_state_continues_bit_identical),
        cmocka_unit_test(a_changed_mesh_takes_the_state_along),
        cmocka_unit_test(any_step_is_stable),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
