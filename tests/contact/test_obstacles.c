/* Colliders in statics: forces are the slope of the energy, steps end outside, flesh rests in balance. */
#include "contact/obstacles.h"

#include <math.h>

#include "body/flesh.h"
#include "math/vec3.h"
#include "support/support.h"

enum { POINTS = 40 };

static const collider colliders[] = {
    {.kind = COLLIDER_PLANE, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {.kind = COLLIDER_SPHERE, .point = {0.3, 0.2, 0.1}, .radius = 0.2},
};

static obstacles *make(ruga_context *context, double reach, const collider *list, size_t count) {
    double stiffness[POINTS];
    obstacles *out = NULL;
    for (int i = 0; i < POINTS; i++) stiffness[i] = 5 + i;
    const obstacles_def def = {
        .context = context, .point_count = POINTS, .vertex_count = POINTS, .stiffness = stiffness, .reach = reach};
    assert_ok(context, obstacles_create(&def, &out));
    obstacles_set(out, count, list);
    return out;
}

/* Points above the plane and outside of the sphere, many of them near. */
static void scatter(test_random *random, vec3 *x) {
    for (int i = 0; i < POINTS; i++) {
        vec3 normal, p = random_vec3(random, -0.2, 0.6);
        p.y = fabs(p.y) / 10 + 1e-3;
        if (collider_distance(&colliders[1], p, &normal) < 1e-3)
            p = vec3_add_scaled(colliders[1].point, (vec3){0.6, 0.8, 0}, 0.2 + 1e-3 * (1 + i));
        x[i] = p;
    }
}

static void forces_and_products_are_derivatives(void **state) {
    obstacles *o = make(*state, 0.05, colliders, 2);
    energy_term *term = obstacles_term(o);
    test_random random = {4};
    vec3 x[POINTS], d[POINTS], g[2][POINTS], product[POINTS], moved[POINTS];
    const double h = 1e-7;
    scatter(&random, x);
    memset(product, 0, sizeof product);
    memset(g, 0, sizeof g);
    for (int i = 0; i < POINTS; i++) d[i] = random_vec3(&random, -1, 1);
    double values[2], slope = 0, along = 0, second = 0;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < POINTS; i++) moved[i] = vec3_add_scaled(x[i], d[i], k ? h : -h);
        values[k] = term->interface->add_gradient(term, moved, 1, g[k]);
        assert_near(values[k], term->interface->value(term, moved), 1e-15 * values[k]);
    }
    assert_ok(*state, term->interface->linearise(term, x, (energy_weights){1, 0}, 1));
    term->interface->add_product(term, 1, d, product);
    for (int i = 0; i < POINTS; i++) {
        slope += vec3_dot(vec3_add(g[0][i], g[1][i]), d[i]) / 2;
        along += vec3_dot(product[i], d[i]);
        second += vec3_dot(vec3_sub(g[1][i], g[0][i]), d[i]) / (2 * h);
    }
    assert_less(10, obstacles_touch_count(o));
    assert_near(slope, (values[1] - values[0]) / (2 * h), 1e-5 * fabs(slope));
    assert_less(0, along);
    assert_near(along, second, 0.1 * fabs(second)); /* without the sphere's curvature */
    obstacles_destroy(o);
}

static void shortened_steps_end_outside(void **state) {
    const collider thin = {
        .kind = COLLIDER_BOX, .point = {0, 0, 0}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .half = {1, 1e-4, 1}};
    const collider list[3] = {colliders[0], colliders[1], thin};
    test_random random = {11};
    int shortened = 0;
    for (int round = 0; round < 200; round++) {
        const int is_thin = round % 2;
        obstacles *o = make(*state, 0.02, is_thin ? list + 2 : list, is_thin ? 1 : 2);
        vec3 from[POINTS], to[POINTS], normal;
        scatter(&random, from);
        for (int i = 0; i < POINTS; i++) to[i] = vec3_add(from[i], random_vec3(&random, -0.3, 0.3));
        const double share = obstacles_limit(o, from, to);
        assert_less(0, share);
        assert_at_most(share, 1);
        shortened += share < 1;
        for (int i = 0; i < POINTS; i++)
            for (int k = 0; k < 50; k++) { /* anywhere on the trajectory */
                const vec3 at = vec3_mix(from[i], to[i], share * k / 49);
                for (int c = is_thin ? 2 : 0; c < (is_thin ? 3 : 2); c++)
                    assert_less_case(0, collider_distance(&list[c], at, &normal), "round %d point %d", round, i);
            }
        obstacles_destroy(o);
    }
    assert_less(100, shortened);
}

static void a_vertex_inside_is_named(void **state) {
    obstacles *o = make(*state, 0.05, colliders, 2);
    vec3 x[POINTS];
    for (int i = 0; i < POINTS; i++) x[i] = (vec3){-1, 1, 0};
    assert_ok(*state, obstacles_check(o, x));
    x[7] = colliders[1].point;
    assert_status(obstacles_check(o, x), RUGA_ERROR_INPUT);
    assert_message_has(*state, "vertex 7");
    assert_message_has(*state, "collider 1");
    obstacles_destroy(o);
}

/* ---- Flesh. */

static ruga_mesh *bar_of(ruga_context *context) {
    const double values[6] = {0.4, 0.1, 0.1, 8, 2, 1};
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_model_make(context, "bar", values, &mesh));
    return mesh;
}

/* A bar that is held at its left end over a plane 2 cm below, soft enough to sag by more. Its forces, with those of the
 * plane, balance at every free point, and nothing is below the plane. */
static void sagging_flesh_rests_on_a_plane(void **state) {
    const environment e = {
        .gravity = {0, -9.81, 0},
        .collider_count = 1,
        .colliders =
            &(collider){.kind = COLLIDER_PLANE, .point = {0, -0.07, 0}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    ruga_mesh *mesh = bar_of(*state);
    uint32_t held[100];
    cloth_pin_def pins = {.vertices = held};
    flesh_def def = flesh_def_default();
    body *b = NULL;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (mesh->positions[v].x < -0.2 + 1e-9) held[pins.count++] = v;
    def.values.integrator = FLESH_QUASISTATIC;
    def.values.young = 8000;
    def.feels_colliders = 1;
    def.pins = &pins;
    def.pin_def_count = 1;
    assert_ok(*state, flesh_create(mesh, &def, &b));
    const substep s = {.time = 1, .dt = 1, .blend = 1, .environment = &e, .is_last = 1};
    assert_ok(*state, b->interface->predict(b, &s));
    assert_true(flesh_report(b)->converged);
    double lowest = INFINITY, weight = 0, borne = 0, worst = 0;
    energy_term *energies[3];
    const size_t count = flesh_energies(b, energies);
    vec3 *forces = calloc(b->point_count, sizeof *forces);
    assert_non_null(forces);
    for (size_t k = 0; k < count; k++)
        energies[k]->interface->add_gradient(energies[k], b->candidate_positions, -1, forces);
    for (size_t i = 0; i < b->point_count; i++) {
        forces[i].y -= 9.81 * b->masses[i];
        weight += 9.81 * b->masses[i];
    }
    for (size_t k = 0; k < pins.count; k++) forces[held[k]] = (vec3){0, 0, 0};
    /* The rest is borne by the plane: straight down, and near it alone. */
    for (size_t i = 0; i < b->point_count; i++) {
        const double height = b->candidate_positions[i].y + 0.07;
        lowest = fmin(lowest, height);
        if (height < 0.004) {
            borne -= forces[i].y;
            worst = fmax(worst, fmax(forces[i].y, hypot(forces[i].x, forces[i].z)));
        } else {
            worst = fmax(worst, vec3_length(forces[i]));
        }
    }
    assert_less(0, lowest);
    assert_less(lowest, 0.004);
    assert_less(worst, 1e-4 * weight);
    assert_less(0.1 * weight, borne);
    free(forces);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* Both ends of the bar move down past a sphere below its middle, which stays outside; the pins reach their targets. */
static void pins_move_flesh_around_a_sphere(void **state) {
    const collider ball = {.kind = COLLIDER_SPHERE, .point = {0, -0.16, 0}, .radius = 0.1};
    const environment e = {.gravity = {0, 0, 0}, .collider_count = 1, .colliders = &ball};
    const ruga_pin_key keys[2] = {{.time = 0}, {.time = 1, .move = {0, -0.05, 0}}};
    ruga_mesh *mesh = bar_of(*state);
    uint32_t held[100];
    cloth_pin_def pins = {.vertices = held, .keys = keys, .key_count = 2};
    flesh_def def = flesh_def_default();
    body *b = NULL;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (fabs(mesh->positions[v].x) > 0.2 - 1e-9) held[pins.count++] = v;
    def.values.integrator = FLESH_QUASISTATIC;
    def.values.thickness = 0.003;
    def.feels_colliders = 1;
    def.pins = &pins;
    def.pin_def_count = 1;
    assert_ok(*state, flesh_create(mesh, &def, &b));
    const substep s = {.time = 1, .dt = 1, .blend = 1, .environment = &e, .is_last = 1};
    assert_ok(*state, b->interface->predict(b, &s));
    assert_true(flesh_report(b)->converged);
    double nearest = INFINITY;
    vec3 normal;
    for (size_t i = 0; i < b->point_count; i++)
        nearest = fmin(nearest, collider_distance(&ball, b->candidate_positions[i], &normal));
    assert_less(0, nearest);
    assert_less(nearest, 0.006);
    for (size_t k = 0; k < pins.count; k++)
        assert_near(b->candidate_positions[held[k]].y, mesh->positions[held[k]].y - 0.05, 1e-15);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_and_products_are_derivatives),
        cmocka_unit_test(shortened_steps_end_outside),
        cmocka_unit_test(a_vertex_inside_is_named),
        cmocka_unit_test(sagging_flesh_rests_on_a_plane),
        cmocka_unit_test(pins_move_flesh_around_a_sphere),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
