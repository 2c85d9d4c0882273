/* Cloth as a body: in the world, with pins, air, colliders, hooks, states and changes. */
#include <math.h>

#include <stdio.h>

#include "body/bodies.h"
#include "body/cloth.h"
#include "solve/stretch_limit.h"
#include "support/shapes.h"
#include "system/world.h"

/* A world with one cloth in it: a sheet of 1 m by 1 m in the plane y = 0, n by n squares. */
typedef struct stage {
    ruga_context *context;
    ruga_mesh *mesh;
    world *w;
    body *cloth;
} stage;

static stage stage_on(ruga_context *context, size_t n, const cloth_def *def) {
    stage s = {.context = context, .mesh = shape_sheet(context, n, n)};
    size_t object;
    assert_ok(context, world_create(context, &s.w));
    assert_ok(context, cloth_create(s.mesh, def, &s.cloth));
    assert_ok(context, world_add_object(s.w, "sheet", s.cloth, &object));
    world_environment(s.w)->gravity = (vec3){0, -9.81, 0};
    assert_ok(context, world_settle(s.w, 0, 1));
    return s;
}

static stage stage_make(size_t n, const cloth_def *def) { return stage_on(context_plain(1), n, def); }

static void stage_release(stage *s) {
    world_destroy(s->w);
    ruga_mesh_destroy(s->mesh);
    ruga_context_destroy(s->context);
}

static void stage_run(stage *s, int frames, double fps) {
    for (int f = 0; f < frames; f++) assert_ok(s->context, world_step(s->w, world_time(s->w) + 1 / fps, 1, 1, 1));
}

static double measure_of(const stage *s, const char *name) {
    for (size_t k = 0; k < s->cloth->measures.count; k++)
        if (strcmp(s->cloth->measures.items[k].name, name) == 0) return s->cloth->measures.items[k].value;
    fail_msg("there is no measure %s", name);
    return 0;
}

static cloth_def soft_def(void) {
    cloth_def def = cloth_def_default();
    def.material.stretch = 60;
    def.values.shear = 10;
    def.damping_time = 0.002;
    def.values.sweeps = 40;
    return def;
}

/* ---- Motion. */

static void without_air_it_falls_freely(void **state) {
    (void)state;
    cloth_def def = cloth_def_default();
    def.values.drag = def.values.lift = 0;
    stage s = stage_make(6, &def);
    stage_run(&s, 30, 60);
    double t = 0.5, h = 1.0 / 60;
    for (size_t i = 0; i < s.cloth->point_count; i++)
        assert_less(fabs(s.cloth->positions[i].y + 9.81 * (t * t + h * t) / 2), 1e-9);
    assert_less(measure_of(&s, "elastic_energy"), 1e-12);
    assert_near(measure_of(&s, "kinetic_energy") / (0.12 * 9.81 * 9.81 * t * t / 2), 1, 1e-9);
    stage_release(&s);
}

/* Flat on the air it reaches the speed at which drag bears its weight: K v² = density g. Long steps hold the air
 * back. */
static void air_bears_a_falling_sheet(void **state) {
    (void)state;
    cloth_def def = cloth_def_default();
    stage s = stage_make(6, &def);
    stage_run(&s, 1200, 600);
    double speed = sqrt(0.12 * 9.81 / 0.6);
    for (size_t i = 0; i < s.cloth->point_count; i++) assert_less(fabs(s.cloth->velocities[i].y + speed), 0.05 * speed);
    stage_release(&s);
}

static void wind_carries_it_along(void **state) {
    (void)state;
    cloth_def def = soft_def();
    stage s = stage_make(8, &def);
    world_environment(s.w)->gravity = (vec3){0, 0, 0};
    world_environment(s.w)->wind =
        (wind){.velocity = {0, 5, 0}, .gust = 0.3, .gust_size = 0.3, .gust_time = 0.5, .seed = 4};
    stage_run(&s, 240, 60);
    double mean = 0;
    for (size_t i = 0; i < s.cloth->point_count; i++) mean += s.cloth->velocities[i].y / (double)s.cloth->point_count;
    assert_less(2, mean);
    assert_less(mean, 7);
    stage_release(&s);
}

/* ---- Pins. */

static void pins_hold_follow_a_path_and_a_turning_body(void **state) {
    (void)state;
    cloth_def def = soft_def();
    ruga_context *context = context_plain(1);
    ruga_mesh *pole_mesh = shape_sheet(context, 1, 1);
    const ruga_rigid_key turn[2] = {{0, {0, 0, 0}, {0, 0, 0}}, {1, {0, 1, 0}, {0, 90, 0}}};
    body *pole;
    assert_ok(context, body_rigid_create(pole_mesh, (vec3){0, 0, 0}, turn, 2, &pole));
    const uint32_t held[1] = {0}, moved[1] = {4}, carried[2] = {20, 24};
    const ruga_pin_key path[3] = {{0, {0, 0, 0}}, {0.5, {0, 0.2, 0}}, {1, {0.1, 0.2, 0}}};
    const cloth_pin_def pins[3] = {{.count = 1, .vertices = held},
                                   {.count = 1, .vertices = moved, .key_count = 3, .keys = path},
                                   {.count = 2, .vertices = carried, .leader = pole}};
    def.pins = pins;
    def.pin_def_count = 3;
    stage s = {.context = context, .mesh = shape_sheet(context, 4, 4)};
    size_t object;
    assert_ok(context, world_create(context, &s.w));
    assert_ok(context, world_add_object(s.w, "pole", pole, &object));
    assert_ok(context, cloth_create(s.mesh, &def, &s.cloth));
    assert_ok(context, world_add_object(s.w, "sheet", s.cloth, &object));
    assert_ok(context, world_settle(s.w, 0, 1));
    const vec3 *rest = s.mesh->positions, *x = s.cloth->positions;
    stage_run(&s, 30, 60);
    assert_true(vec3_distance(x[0], rest[0]) == 0);
    assert_less(vec3_distance(x[4], vec3_add(rest[4], (vec3){0, 0.2, 0})), 1e-12);
    stage_run(&s, 30, 60);
    /* A quarter turn about y takes z to x and x to -z. */
    assert_less(vec3_distance(x[4], vec3_add(rest[4], path[2].move)), 1e-12);
    for (int k = 0; k < 2; k++) {
        vec3 p = rest[carried[k]];
        assert_less(vec3_distance(x[carried[k]], (vec3){p.z, p.y + 1, -p.x}), 1e-9);
    }
    assert_true(vec3_length(s.cloth->velocities[0]) == 0);
    world_destroy(s.w);
    ruga_mesh_destroy(s.mesh);
    ruga_mesh_destroy(pole_mesh);
    ruga_context_destroy(context);
}

/* ---- Limits. */

static void over_long_springs_keep_their_limit_and_momentum(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 6, 6);
    spring_material material = {.stretch = 10, .phases = {1, 1, 0}};
    spring_network *network;
    assert_ok(context, spring_network_of_mesh(mesh, &material, &network));
    size_t n = mesh->vertex_count;
    vec3 *x = malloc(n * sizeof *x), before = {0, 0, 0}, after = {0, 0, 0};
    double *inverse = malloc(n * sizeof *inverse);
    test_random random = {1};
    for (size_t i = 0; i < n; i++) {
        x[i] = vec3_scale(mesh->positions[i], random_between(&random, 1.1, 1.6));
        inverse[i] = random_between(&random, 0.5, 2);
        before = vec3_add_scaled(before, x[i], 1 / inverse[i]);
    }
    double left = limit_stretch(network, inverse, 0.1, 2000, x);
    for (size_t i = 0; i < n; i++) after = vec3_add_scaled(after, x[i], 1 / inverse[i]);
    assert_at_most(left, 0.1001);
    assert_less(vec3_distance(before, after), 1e-10);
    for (size_t i = 0; i < n; i++)
        for (size_t e = network->offsets[i]; e < network->edge_ends[i]; e++)
            assert_at_most(vec3_distance(x[i], x[network->others[e]]), 1.1001 * network->rest_lengths[e]);
    free(x);
    free(inverse);
    spring_network_destroy(network);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

/* Two sweeps let a stiff sheet hang far too long; Provot's correction does not. */
static void a_hanging_sheet_keeps_its_stretch_limit(void **state) {
    (void)state;
    double longest[2];
    for (int k = 0; k < 2; k++) {
        cloth_def def = cloth_def_default();
        const uint32_t held[2] = {0, 6};
        const cloth_pin_def pins = {.count = 2, .vertices = held};
        def.pins = &pins;
        def.pin_def_count = 1;
        def.values.integrator = INTEGRATOR_APPROXIMATE_IMPLICIT;
        def.values.stretch_limit = k == 1 ? 0.1 : 0;
        def.values.limit_rounds = 200;
        stage s = stage_make(6, &def);
        stage_run(&s, 120, 60);
        longest[k] = 0;
        const spring_network *n = cloth_network(s.cloth);
        for (size_t i = 0; i < n->point_count; i++)
            for (size_t e = n->offsets[i]; e < n->edge_ends[i]; e++) {
                double length = vec3_distance(s.cloth->positions[i], s.cloth->positions[n->others[e]]);
                longest[k] = fmax(longest[k], length / n->rest_lengths[e] - 1);
            }
        if (k == 1) assert_at_most(measure_of(&s, "elongation"), 0.1001);
        stage_release(&s);
    }
    assert_less(0.5, longest[0]);
    assert_less(longest[1], 0.11);
}

/* ---- Colliders. */

static void it_settles_on_a_ball_and_never_inside(void **state) {
    (void)state;
    cloth_def def = soft_def();
    def.values.thickness = 0.01;
    stage s = stage_make(12, &def);
    collider ball = {.kind = COLLIDER_SPHERE, .point = {0.5, -0.5, 0.5}, .radius = 0.4, .friction = 0.8};
    vec3 low = s.mesh->positions[0], high = low;
    for (size_t i = 0; i < s.mesh->vertex_count; i++) {
        low = vec3_min(low, s.mesh->positions[i]);
        high = vec3_max(high, s.mesh->positions[i]);
    }
    ball.point = vec3_add(vec3_mix(low, high, 0.5), (vec3){0, -0.45, 0});
    world_environment(s.w)->colliders = &ball;
    world_environment(s.w)->collider_count = 1;
    double contacts = 0;
    for (int f = 0; f < 180; f++) {
        stage_run(&s, 1, 60);
        contacts += measure_of(&s, "contacts");
        for (size_t i = 0; i < s.cloth->point_count; i++)
            assert_at_most(0.41 - 1e-9, vec3_distance(s.cloth->positions[i], ball.point));
    }
    /* The energy is that of the velocities as the ball left them. */
    double energy = 0;
    for (size_t i = 0; i < s.cloth->point_count; i++)
        energy += s.cloth->masses[i] * vec3_length2(s.cloth->velocities[i]) / 2;
    assert_less(0, contacts);
    assert_less(energy, 0.05);
    assert_near(measure_of(&s, "kinetic_energy"), energy, 1e-12 * energy);
    stage_release(&s);
}

static void cloth_that_starts_inside_a_collider_is_put_onto_it(void **state) {
    (void)state;
    cloth_def def = soft_def();
    def.values.thickness = 0.01;
    stage s = stage_make(6, &def);
    collider floor = {.kind = COLLIDER_PLANE, .point = {0, 0.2, 0}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    world_environment(s.w)->colliders = &floor;
    world_environment(s.w)->collider_count = 1;
    stage_run(&s, 5, 60);
    for (size_t i = 0; i < s.cloth->point_count; i++) {
        assert_near(s.cloth->positions[i].y, 0.21, 1e-9);
        assert_less(vec3_length(s.cloth->velocities[i]), 1e-9);
    }
    stage_release(&s);
}

/* A sheet that lies with its middle on a box, 5 mm above it. */
static collider table_below(const stage *s) {
    vec3 low = s->mesh->positions[0], high = low;
    for (size_t i = 0; i < s->mesh->vertex_count; i++) {
        low = vec3_min(low, s->mesh->positions[i]);
        high = vec3_max(high, s->mesh->positions[i]);
    }
    vec3 centre = vec3_add(vec3_mix(low, high, 0.5), (vec3){0, -0.317, 0});
    return (collider){.kind = COLLIDER_BOX,
                      .point = centre,
                      .half = {0.3, 0.3, 0.3},
                      .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      .friction = 0.4};
}

static stage stage_on_table(ruga_context *context, cloth_def *def, collider *table) {
    def->values.integrator = INTEGRATOR_IMPLICIT;
    def->values.thickness = 0.012;
    stage s = stage_on(context, 20, def);
    *table = table_below(&s);
    world_environment(s.w)->colliders = table;
    world_environment(s.w)->collider_count = 1;
    return s;
}

/* Stiff cloth over a sharp edge stores what its weight does to it, not what the steps are long: 60 % of its 0.12 kg
 * hang by about 0.1 m, which is 0.1 J, and cotton stretches little. */
static void cotton_over_the_edge_of_a_table_is_not_stretched_whatever_the_step(void **state) {
    (void)state;
    skip_unless_long();
    const double fps[2] = {96, 384};
    for (int k = 0; k < 2; k++) {
        cloth_def def = cloth_def_default();
        collider table;
        stage s = stage_on_table(context_plain(2), &def, &table);
        double most = 0;
        for (int f = 0; f < fps[k]; f++) {
            stage_run(&s, 1, fps[k]);
            most = fmax(most, measure_of(&s, "elastic_energy"));
        }
        vec3 normal;
        double lowest = INFINITY, nearest = INFINITY;
        for (size_t i = 0; i < s.cloth->point_count; i++) {
            lowest = fmin(lowest, s.cloth->positions[i].y);
            nearest = fmin(nearest, collider_distance(&table, s.cloth->positions[i], &normal));
        }
        assert_less(most, 0.1);
        assert_less(measure_of(&s, "elastic_energy"), 0.02);
        assert_at_most(0.012 - 1e-9, nearest);
        assert_less(100, measure_of(&s, "contacts"));
        assert_less(lowest, s.mesh->positions[0].y - 0.12);
        stage_release(&s);
    }
}

/* Friction far above what it takes to hold the cloth does no more than hold it. */
static void cotton_on_a_table_stores_no_more_however_much_it_rubs(void **state) {
    (void)state;
    skip_when_sanitized();
    const double frictions[3] = {0, 3, 30};
    for (int k = 0; k < 3; k++) {
        cloth_def def = cloth_def_default();
        collider table;
        stage s = stage_on_table(context_plain(2), &def, &table);
        table.friction = frictions[k];
        for (int f = 0; f < 72; f++) {
            stage_run(&s, 1, 96);
            assert_less(measure_of(&s, "elastic_energy"), 0.1);
        }
        stage_release(&s);
    }
}

/* ---- Steps that adapt, changes, states. */

static cloth_def held_def(cloth_pin_def *pins) {
    static const uint32_t held[2] = {0, 10};
    cloth_def def = soft_def();
    *pins = (cloth_pin_def){.count = 2, .vertices = held};
    def.pins = pins;
    def.pin_def_count = 1;
    return def;
}

static void steps_are_cut_when_springs_change_too_fast(void **state) {
    (void)state;
    cloth_pin_def pins;
    cloth_def def = held_def(&pins);
    def.values.adaptive = 0.003;
    stage s = stage_make(10, &def);
    double most = 0, fewest = 1e9;
    for (int f = 0; f < 120; f++) {
        stage_run(&s, 1, 30);
        most = fmax(most, measure_of(&s, "steps"));
        fewest = fmin(fewest, measure_of(&s, "steps"));
    }
    assert_less(2, most);
    assert_less(fewest, most);
    assert_true(vec3_distance(s.cloth->positions[0], s.mesh->positions[0]) == 0);
    assert_less(vec3_length(s.cloth->positions[115]), 3);
    stage_release(&s);
}

/* A run that is saved, loaded into a new world and continued is bit-identical; the factors are part of the state. */
static void load_from(stage *b, const stage *a) {
    state_writer *writer;
    const void *bytes;
    size_t size;
    state_reader reader;
    assert_ok(a->context, state_writer_create(a->context, &writer));
    world_save(a->w, writer);
    assert_ok(a->context, state_writer_finish(writer, &bytes, &size));
    assert_ok(b->context, state_reader_open(b->context, bytes, size, &reader));
    assert_ok(b->context, world_load(b->w, &reader));
    state_writer_destroy(writer);
}

static void assert_same_bits(const stage *a, const stage *b) {
    assert_memory_equal(a->cloth->positions, b->cloth->positions, a->cloth->point_count * sizeof(vec3));
    assert_memory_equal(a->cloth->velocities, b->cloth->velocities, a->cloth->point_count * sizeof(vec3));
}

static void a_run_that_is_resumed_has_the_same_bits(void **state) {
    (void)state;
    cloth_pin_def pins;
    cloth_def def = held_def(&pins);
    def.values.adaptive = 0.05;
    stage a = stage_make(10, &def), b = stage_make(10, &def);
    stage_run(&a, 10, 30);
    assert_ok(a.context, cloth_set_stiffness(a.cloth, 3));
    stage_run(&a, 5, 30);
    assert_ok(a.context, cloth_set_stiffness(a.cloth, 0.7));
    assert_ok(a.context, cloth_set_mass(a.cloth, 2));
    stage_run(&a, 5, 30);
    load_from(&b, &a);
    stage_run(&a, 20, 30);
    stage_run(&b, 20, 30);
    assert_same_bits(&a, &b);
    stage_release(&a);
    stage_release(&b);
}

/* The holds of the last step are part of the state; threads change nothing, nor does a step that is taken
 * back. */
static void a_run_on_a_table_that_is_resumed_has_the_same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        cloth_def def = cloth_def_default();
        def.values.adaptive = adaptive ? 0.02 : 0;
        collider table;
        stage a = stage_on_table(context_plain(1), &def, &table);
        stage_run(&a, 12, 96);
        stage b[2] = {stage_on_table(context_plain(2), &def, &table), stage_on_table(context_plain(7), &def, &table)};
        for (int k = 0; k < 2; k++) load_from(&b[k], &a);
        stage_run(&a, 6, 96);
        assert_less(0, measure_of(&a, "contacts"));
        for (int k = 0; k < 2; k++) {
            stage_run(&b[k], 6, 96);
            assert_same_bits(&a, &b[k]);
            stage_release(&b[k]);
        }
        stage_release(&a);
    }
}

static void heavier_cloth_hangs_lower_and_stiffer_cloth_higher(void **state) {
    (void)state;
    skip_when_sanitized();
    double lowest[3];
    for (int k = 0; k < 3; k++) {
        cloth_pin_def pins;
        cloth_def def = held_def(&pins);
        def.values.sweeps = 200;
        stage s = stage_make(10, &def);
        if (k == 1) assert_ok(s.context, cloth_set_mass(s.cloth, 4));
        if (k == 2) assert_ok(s.context, cloth_set_stiffness(s.cloth, 4));
        stage_run(&s, 600, 60);
        lowest[k] = 0;
        for (size_t i = 0; i < s.cloth->point_count; i++) lowest[k] = fmin(lowest[k], s.cloth->positions[i].y);
        stage_release(&s);
    }
    assert_less(lowest[1], lowest[0] - 0.02);
    assert_less(lowest[0] + 0.005, lowest[2]);
}

/* Keyframes are as if somebody had set the factors before each step, and multiply with what is set. */
static void keyframes_of_stiffness_and_mass_are_changes_at_their_times(void **state) {
    (void)state;
    const ruga_cloth_key changes[3] = {{0.1, 1, 1}, {0.3, 0.25, 3}, {0.4, 2, 3}};
    for (int kind = 0; kind < INTEGRATOR_COUNT; kind++) {
        cloth_pin_def pins;
        cloth_def def = held_def(&pins);
        def.values.integrator = kind;
        def.material.stretch = 1;
        def.values.shear = NAN;
        stage set = stage_make(8, &def);
        def.values.changes.items = (void *)changes;
        def.values.changes.count = 3;
        stage keyed = stage_make(8, &def), resumed = stage_make(8, &def);
        assert_ok(keyed.context, cloth_set_mass(keyed.cloth, 2));
        for (int f = 1; f <= 60; f++) {
            double time = f / 120.0, late = fmin(fmax((time - 0.1) / 0.2, 0), 1),
                   last = fmin(fmax((time - 0.3) / 0.1, 0), 1);
            double stiffness = last > 0 ? 0.25 + last * 1.75 : 1 - late * 0.75;
            assert_ok(set.context, cloth_set_stiffness(set.cloth, stiffness));
            assert_ok(set.context, cloth_set_mass(set.cloth, 2 * (1 + 2 * late)));
            stage_run(&set, 1, 120);
            stage_run(&keyed, 1, 120);
            if (f == 30) load_from(&resumed, &keyed);
            if (f > 30) stage_run(&resumed, 1, 120);
            for (size_t i = 0; i < set.cloth->point_count; i++)
                assert_less(vec3_distance(set.cloth->positions[i], keyed.cloth->positions[i]), 1e-6);
        }
        assert_same_bits(&resumed, &keyed);
        stage_release(&set);
        stage_release(&keyed);
        stage_release(&resumed);
    }
}

static void assert_same_for_any_number_of_threads(integrator_kind kind, int sweeps, int steps, int rate) {
    vec3 *first = NULL;
    for (int threads = 1; threads <= 7; threads = threads == 1 ? 2 : threads + 5) {
        cloth_pin_def pins;
        cloth_def def = held_def(&pins);
        def.values.integrator = (int)kind;
        def.values.sweeps = sweeps;
        stage s = stage_on(context_plain(threads), 60, &def);
        world_environment(s.w)->wind =
            (wind){.velocity = {2, 0, 5}, .gust = 0.5, .gust_size = 0.3, .gust_time = 0.5, .seed = 9};
        collider ball = {.kind = COLLIDER_SPHERE, .point = {0.2, -0.6, 0.2}, .radius = 0.4, .friction = 0.3};
        world_environment(s.w)->colliders = &ball;
        world_environment(s.w)->collider_count = 1;
        stage_run(&s, steps, rate);
        size_t size = s.cloth->point_count * sizeof(vec3);
        if (first) assert_memory_equal(first, s.cloth->positions, size);
        if (!first) memcpy(first = malloc(size), s.cloth->positions, size);
        stage_release(&s);
    }
    free(first);
}

/* More points than a block of any sum has; steps that the explicit ones bear. */
static void results_are_bit_identical_for_any_number_of_threads(void **state) {
    (void)state;
    skip_when_sanitized();
    assert_same_for_any_number_of_threads(INTEGRATOR_APPROXIMATE_IMPLICIT, 2, 20, 60);
    assert_same_for_any_number_of_threads(INTEGRATOR_APPROXIMATE_IMPLICIT, 20, 4, 60);
    assert_same_for_any_number_of_threads(INTEGRATOR_FILTER, 2, 4, 60);
    assert_same_for_any_number_of_threads(INTEGRATOR_IMPLICIT, 2, 4, 60);
    assert_same_for_any_number_of_threads(INTEGRATOR_SEMI_IMPLICIT, 2, 4, 100000);
    assert_same_for_any_number_of_threads(INTEGRATOR_EXPLICIT, 2, 4, 100000);
}

/* All that makes the constant matrix more than the springs' stiffness, far too stiff for explicit steps. */
static void stiff_cloth_with_axial_springs_and_phases_stays_bounded(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        cloth_pin_def pins;
        cloth_def def = held_def(&pins);
        def.values.integrator = kind == 2 ? INTEGRATOR_FILTER : INTEGRATOR_APPROXIMATE_IMPLICIT;
        def.values.sweeps = kind == 1 ? 30 : 2;
        def.material.stretch = 1e5;
        def.material.bend = 1;
        def.damping_time = 0;
        def.values.axial_bending = 1;
        def.values.compression_soft = 0.1;
        def.values.compression_hard = 5;
        def.values.compression_limit = 0.2;
        stage s = stage_make(10, &def);
        world_environment(s.w)->wind =
            (wind){.velocity = {5, 0, 10}, .gust = 1, .gust_size = 0.3, .gust_time = 0.2, .seed = 2};
        stage_run(&s, 600, 60);
        /* Two sweeps make it soft, and the wind is strong. */
        double most = kind == 0 ? 50 : 2;
        for (size_t i = 0; i < s.cloth->point_count; i++) assert_less(vec3_length(s.cloth->positions[i]), most);
        stage_release(&s);
    }
}

static void rebuilt_on_the_same_mesh_it_continues_alike(void **state) {
    (void)state;
    cloth_pin_def pins;
    cloth_def def = held_def(&pins);
    stage a = stage_make(10, &def), b = stage_make(10, &def);
    stage_run(&a, 10, 60);
    stage_run(&b, 10, 60);
    size_t n = b.cloth->point_count, *offsets = malloc((n + 1) * sizeof *offsets);
    uint32_t *indices = malloc(n * sizeof *indices);
    double *weights = malloc(n * sizeof *weights);
    for (size_t i = 0; i <= n; i++) offsets[i] = i;
    for (size_t i = 0; i < n; i++) indices[i] = (uint32_t)i, weights[i] = 1;
    const ruga_map same = {n, n, offsets, indices, weights, b.context},
                   less = {n - 1, n, offsets, indices, weights, b.context};
    assert_status(world_rebuild(b.w, 0, b.mesh, &less), RUGA_ERROR_ARGUMENT);
    assert_ok(b.context, world_rebuild(b.w, 0, b.mesh, &same));
    stage_run(&a, 10, 60);
    stage_run(&b, 10, 60);
    assert_memory_equal(a.cloth->positions, b.cloth->positions, n * sizeof(vec3));
    free(offsets);
    free(indices);
    free(weights);
    stage_release(&a);
    stage_release(&b);
}

/* ---- Parts. */

/* Draws every point to where it is at rest. */
typedef struct tether {
    part base;
    double stiffness;
} tether;

static ruga_status tether_force(part *h, const body *b, const substep *s, const vec3 *x, const vec3 *v, vec3 *forces) {
    (void)s;
    (void)v;
    for (size_t i = 0; i < b->point_count; i++)
        forces[i] = vec3_add_scaled(forces[i], vec3_sub(b->mesh->positions[i], x[i]), ((tether *)h)->stiffness);
    return RUGA_OK;
}

static ruga_status tether_product(part *h, const body *b, const substep *s, const vec3 *x, const vec3 *in, vec3 *out) {
    (void)s;
    (void)x;
    for (size_t i = 0; i < b->point_count; i++) out[i] = vec3_add_scaled(out[i], in[i], -((tether *)h)->stiffness);
    return RUGA_OK;
}

static ruga_status tether_blocks(part *h, const body *b, const substep *s, const vec3 *x, mat3 *blocks) {
    (void)s;
    (void)x;
    for (size_t i = 0; i < b->point_count; i++) mat3_add_identity(&blocks[i], -((tether *)h)->stiffness);
    return RUGA_OK;
}

static void tether_destroy(part *h) { free(h); }

/* Tethers that no explicit step could bear: only with their product is the step implicit in them. Blocks save
 * iterations. */
static void parts_give_forces_and_their_derivatives(void **state) {
    (void)state;
    static const part_interface interfaces[2] = {
        {.force = tether_force, .force_product = tether_product, .destroy = tether_destroy},
        {.force = tether_force,
         .force_product = tether_product,
         .force_blocks = tether_blocks,
         .destroy = tether_destroy}};
    double iterations[2];
    for (int k = 0; k < 2; k++) {
        cloth_def def = soft_def();
        def.values.integrator = INTEGRATOR_IMPLICIT;
        stage s = stage_make(6, &def);
        tether *t = calloc(1, sizeof *t);
        *t = (tether){{.interface = &interfaces[k], .context = s.context, .kind = "tether"}, 100};
        assert_ok(s.context, world_add_part(s.w, 0, &t->base));
        stage_run(&s, 60, 60);
        double area = 1.0 / 36;
        for (size_t i = 0; i < s.cloth->point_count; i++) {
            double sag = s.mesh->positions[i].y - s.cloth->positions[i].y;
            assert_less(0, sag);
            assert_less(sag, 2 * 0.12 * area * 9.81 / 100);
        }
        iterations[k] = measure_of(&s, "iterations");
        assert_less(0, iterations[k]);
        assert_at_most(measure_of(&s, "residual"), 1e-3);
        stage_release(&s);
    }
    assert_less(iterations[1], iterations[0]);
}

static void keep_message(void *user, ruga_log_level level, const char *message) {
    (void)level;
    snprintf(user, 200, "%s", message);
}

/* Tethers that no explicit step could bear, on cloth whose integrator nobody chose, and on cloth where one was. */
static void stiff_parts_choose_implicit_or_are_refused(void **state) {
    (void)state;
    static const part_interface stiff = {.force = tether_force,
                                         .force_product = tether_product,
                                         .force_blocks = tether_blocks,
                                         .destroy = tether_destroy},
                                soft = {.force = tether_force, .destroy = tether_destroy};
    char message[200] = "";
    ruga_context_def context_def = ruga_context_def_default();
    context_def.log = keep_message;
    context_def.log_user = message;
    const integrator_kind kinds[6] = {INTEGRATOR_AUTO,     INTEGRATOR_APPROXIMATE_IMPLICIT, INTEGRATOR_FILTER,
                                      INTEGRATOR_IMPLICIT, INTEGRATOR_SEMI_IMPLICIT,        INTEGRATOR_EXPLICIT};
    for (int k = 0; k < 6; k++) {
        cloth_def def = soft_def();
        def.values.integrator = (int)kinds[k];
        def.values.adaptive = k == 0 ? 0.5 : 0;
        ruga_context *context;
        assert_status(ruga_context_create(&context_def, &context), RUGA_OK);
        stage s = stage_on(context, 6, &def);
        tether *weak = calloc(1, sizeof *weak), *strong = calloc(1, sizeof *strong);
        *weak = (tether){{.interface = &soft, .context = context, .kind = "weak"}, 1e-6};
        *strong = (tether){{.interface = &stiff, .context = context, .kind = "tether"}, 100};
        message[0] = 0;
        assert_ok(context, world_add_part(s.w, 0, &weak->base));
        assert_string_equal(message, "");
        int refused = kinds[k] == INTEGRATOR_APPROXIMATE_IMPLICIT || kinds[k] == INTEGRATOR_FILTER;
        assert_status(world_add_part(s.w, 0, &strong->base), refused ? RUGA_ERROR_UNSUPPORTED : RUGA_OK);
        if (refused) assert_message_has(context, integrator_name(kinds[k]));
        assert_int_equal(world_part(s.w, 0, 1) != NULL, !refused);
        assert_int_equal(strstr(message, "the integrator is \"implicit\"") != NULL, k == 0);
        if (kinds[k] == INTEGRATOR_AUTO || kinds[k] == INTEGRATOR_IMPLICIT) {
            stage_run(&s, 60, 60);
            for (size_t i = 0; i < s.cloth->point_count; i++)
                assert_less(vec3_distance(s.mesh->positions[i], s.cloth->positions[i]), 0.001);
        }
        stage_release(&s);
    }
}

/* ---- Memory and bad input. */

static void a_step_allocates_nothing(void **state) {
    (void)state;
    for (int kind = 0; kind < INTEGRATOR_COUNT; kind++) {
        counting_allocator counter = {.fail_at = -1};
        cloth_pin_def pins;
        cloth_def def = held_def(&pins);
        def.values.integrator = kind;
        def.material.stretch = 1;
        def.values.adaptive = 0.1;
        stage s = stage_on(context_counting(&counter), 10, &def);
        collider table = table_below(&s);
        world_environment(s.w)->colliders = &table;
        world_environment(s.w)->collider_count = 1;
        stage_run(&s, 1, 120);
        long before = counter.allocations;
        stage_run(&s, 5, 120);
        assert_int_equal(counter.allocations, before);
        stage_release(&s);
    }
}

static void a_state_that_is_not_finite_ends_the_run_and_names_the_vertex(void **state) {
    (void)state;
    cloth_pin_def pins;
    cloth_def def = held_def(&pins);
    def.values.integrator = INTEGRATOR_EXPLICIT;
    def.material.stretch = 1e6;
    stage s = stage_make(10, &def);
    ruga_status status = RUGA_OK;
    for (int f = 0; f < 1000 && !RUGA_FAILED(status); f++)
        status = world_step(s.w, world_time(s.w) + 1.0 / 60, 1, 1, 1);
    assert_true(RUGA_FAILED(status));
    assert_message_has(s.context, "vertex");
    stage_release(&s);
}

static void what_can_not_be_is_named(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_mesh *mesh = shape_sheet(context, 3, 3), *pole_mesh = shape_sheet(context, 1, 1);
    cloth_def good = cloth_def_default();
    body *b;
    struct {
        double *value, bad;
        const char *part;
    } numbers[] = {{&good.material.density, 0, "density is 0 kg/m²"},
                   {&good.material.density, -1, "density is -1"},
                   {&good.material.stretch, 0, "stretch is 0 N/m"},
                   {&good.values.thickness, -1, "thickness is -1"},
                   {&good.values.drag, NAN, "drag"},
                   {&good.values.lift, -2, "lift is -2"},
                   {&good.values.stretch_limit, -0.1, "stretch_limit"},
                   {&good.values.adaptive, -1, "adaptive"},
                   {&good.material.friction, -1, "friction"}};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        double before = *numbers[k].value;
        *numbers[k].value = numbers[k].bad;
        assert_status(cloth_create(mesh, &good, &b), RUGA_ERROR_INPUT);
        assert_message_has(context, numbers[k].part);
        *numbers[k].value = before;
    }

    const uint32_t far[1] = {16}, twice[2] = {3, 3}, one[1] = {0};
    const ruga_pin_key late[2] = {{1, {0, 0, 0}}, {1, {1, 0, 0}}}, endless[1] = {{0, {INFINITY, 0, 0}}};
    body *pole;
    assert_ok(context, body_static_create(pole_mesh, &pole));
    const struct {
        cloth_pin_def pin;
        const char *part;
    } pins[] = {{{.count = 1, .vertices = far}, "vertex 16 is pinned"},
                {{.count = 2, .vertices = twice}, "vertex 3 is pinned twice"},
                {{.count = 1, .vertices = one, .key_count = 2, .keys = late}, "not after"},
                {{.count = 1, .vertices = one, .key_count = 1, .keys = endless}, "not finite"},
                {{.count = 1, .vertices = one, .key_count = 1, .keys = late, .leader = pole}, "not both"}};
    for (size_t k = 0; k < sizeof pins / sizeof pins[0]; k++) {
        good.pins = &pins[k].pin;
        good.pin_def_count = 1;
        assert_status(cloth_create(mesh, &good, &b), RUGA_ERROR_INPUT);
        assert_message_has(context, pins[k].part);
    }
    good.pin_def_count = 0;
    const struct {
        ruga_cloth_key keys[2];
        const char *part;
    } changes[] = {{{{1, 1, 1}, {1, 2, 2}}, "change 1 of the cloth is at 1 s"},
                   {{{NAN, 1, 1}, {1, 2, 2}}, "changes[0].time"},
                   {{{0, 1, 1}, {1, 0, 2}}, "changes[1].stiffness is 0"},
                   {{{0, 1, -1}, {1, 1, 2}}, "changes[0].mass is -1"}};
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
        good.values.changes.items = (void *)changes[k].keys;
        good.values.changes.count = 2;
        assert_status(cloth_create(mesh, &good, &b), RUGA_ERROR_INPUT);
        assert_message_has(context, changes[k].part);
    }
    good.values.changes.count = 0;
    assert_ok(context, cloth_create(mesh, &good, &b));
    /* 16 points of 0.12 kg: two of them on a spring of 5,000 N/m. */
    double critical = 2 * sqrt(5000 * 0.12 / 16 / 2);
    assert_near(cloth_damping_time(mesh, 0.5, 5000, 0.12) * 5000, 0.5 * critical, 1e-12);
    assert_status(cloth_set_mass(b, 0), RUGA_ERROR_ARGUMENT);
    assert_status(cloth_set_stiffness(b, NAN), RUGA_ERROR_ARGUMENT);
    b->interface->destroy(b);
    pole->interface->destroy(pole);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(pole_mesh);
    ruga_context_destroy(context);
}

static ruga_status make_cloth(ruga_context *context, void *user) {
    static const vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
    static const uint32_t faces[6] = {0, 2, 1, 1, 2, 3}, held[2] = {0, 1}, led[1] = {3};
    const ruga_pin_key path[1] = {{0, {0, 0, 0}}};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)points, 4, 0, RUGA_F64};
    def.face_count = 2;
    def.face_vertices = faces;
    ruga_mesh *mesh;
    TRY(ruga_mesh_create(context, &def, &mesh));
    body *leader = NULL, *b = NULL;
    ruga_status status = body_static_create(mesh, &leader);
    cloth_pin_def pins[2] = {{.count = 2, .vertices = held, .key_count = 1, .keys = path},
                             {.count = 1, .vertices = led, .leader = leader}};
    cloth_def cloth = cloth_def_default();
    cloth.pins = pins;
    cloth.pin_def_count = 2;
    cloth.values.adaptive = 0.1;
    cloth.values.integrator = (int)*(const integrator_kind *)user;
    const ruga_cloth_key changes[1] = {{0, 1, 2}};
    cloth.values.changes.items = (void *)changes;
    cloth.values.changes.count = 1;
    if (!RUGA_FAILED(status)) status = cloth_create(mesh, &cloth, &b);
    if (b) b->interface->destroy(b);
    if (leader) leader->interface->destroy(leader);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (integrator_kind kind = 0; kind < INTEGRATOR_COUNT; kind++) assert_every_allocation_may_fail(make_cloth, &kind);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_air_it_falls_freely),
        cmocka_unit_test(air_bears_a_falling_sheet),
        cmocka_unit_test(wind_carries_it_along),
        cmocka_unit_test(pins_hold_follow_a_path_and_a_turning_body),
        cmocka_unit_test(over_long_springs_keep_their_limit_and_momentum),
        cmocka_unit_test(a_hanging_sheet_keeps_its_stretch_limit),
        cmocka_unit_test(it_settles_on_a_ball_and_never_inside),
        cmocka_unit_test(cloth_that_starts_inside_a_collider_is_put_onto_it),
        cmocka_unit_test(cotton_over_the_edge_of_a_table_is_not_stretched_whatever_the_step),
        cmocka_unit_test(cotton_on_a_table_stores_no_more_however_much_it_rubs),
        cmocka_unit_test(steps_are_cut_when_springs_change_too_fast),
        cmocka_unit_test(a_run_that_is_resumed_has_the_same_bits),
        cmocka_unit_test(a_run_on_a_table_that_is_resumed_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(heavier_cloth_hangs_lower_and_stiffer_cloth_higher),
        cmocka_unit_test(keyframes_of_stiffness_and_mass_are_changes_at_their_times),
        cmocka_unit_test(results_are_bit_identical_for_any_number_of_threads),
        cmocka_unit_test(stiff_cloth_with_axial_springs_and_phases_stays_bounded),
        cmocka_unit_test(rebuilt_on_the_same_mesh_it_continues_alike),
        cmocka_unit_test(parts_give_forces_and_their_derivatives),
        cmocka_unit_test(stiff_parts_choose_implicit_or_are_refused),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(a_state_that_is_not_finite_ends_the_run_and_names_the_vertex),
        cmocka_unit_test(what_can_not_be_is_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
