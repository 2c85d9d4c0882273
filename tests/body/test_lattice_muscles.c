/* Muscle activations from shapes of the surface. */
#include <stdio.h>

#include "body/lattice.h"
#include "geom/lattice_shapes.h"
#include "linalg/bounded.h"

static const environment empty = {.gravity = {0, 0, 0}};

enum { MUSCLES = 4 };

/* A bar with muscles in four quarters, above and below the middle, that is held at one end or free. */
typedef struct bar {
    ruga_mesh *mesh;
    body *b;
    muscle_def muscles[MUSCLES];
    ruga_muscle_key keys[MUSCLES];
    uint32_t held[60];
    cloth_pin_def pins;
    lattice_def def;
} bar;

static bar *make_bar(ruga_context *context, int is_held, const double activations[MUSCLES]) {
    bar *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->mesh = shape_box(context, 10, 4, 4, (vec3){0.6, 0.2, 0.2});
    r->def = lattice_def_default();
    for (int k = 0; k < MUSCLES; k++) {
        const double x = k % 2 * 0.3, y = k / 2 * 0.1;
        r->keys[k] = (ruga_muscle_key){0, activations[k]};
        r->muscles[k] = (muscle_def){.direction = {1, 0, 0.2 * k},
                                     .stress = 4000,
                                     .box_from = {x, y, -1},
                                     .box_to = {x + 0.3, y + 0.1, 1},
                                     .key_count = 1,
                                     .keys = &r->keys[k]};
    }
    for (uint32_t v = 0; v < r->mesh->vertex_count; v++)
        if (r->mesh->positions[v].x < 1e-9) r->held[r->pins.count++] = v;
    r->pins.vertices = r->held;
    r->def.pins = &r->pins;
    r->def.pin_def_count = is_held ? 1 : 0;
    r->def.muscles = r->muscles;
    r->def.muscle_count = MUSCLES;
    r->def.values.integrator = 2;
    r->def.values.spacing = 0.15;
    r->def.values.young = 20000;
    r->def.values.density = 1;
    r->def.values.tolerance = 1e-8;
    assert_ok(context, lattice_create(r->mesh, &r->def, &r->b));
    return r;
}

static void release_bar(bar *r) {
    r->b->interface->destroy(r->b);
    ruga_mesh_destroy(r->mesh);
    free(r);
}

static vec3 *settled(bar *r) {
    vec3 *x = calloc(r->mesh->vertex_count, sizeof *x);
    for (int k = 1; k <= 30; k++) {
        substep s = {.time = k, .dt = 1, .blend = 1, .environment = &empty, .is_last = 1};
        assert_ok(r->b->context, r->b->interface->predict(r->b, &s));
        assert_ok(r->b->context, r->b->interface->accept(r->b, &s, r->b->interface->surface(r->b)));
    }
    body_make_visible(r->b, r->b->positions, x);
    return x;
}

/* At these activations the free end moves by a third of the bar's length. */
static void activations_that_made_a_shape_are_recovered(void **state) {
    skip_unless_long();
    static const double made[3][MUSCLES] = {{0.3, 0.7, 0, 0.1}, {0, 0, 1, 0.8}, {0.5, 0.5, 0.5, 0.5}};
    for (int k = 0; k < 6; k += SANITIZED ? 5 : 1) {
        const int is_held = k % 2;
        bar *r = make_bar(*state, is_held, made[k / 2]);
        vec3 *x = settled(r);
        double found[MUSCLES], residual = 1;
        /* A free bar is seen from elsewhere. */
        for (size_t v = 0; v < r->mesh->vertex_count && !is_held; v++) x[v] = vec3_add(x[v], (vec3){0.5, -2, 1});
        assert_ok(*state, lattice_estimate_muscles(r->b, r->mesh->vertex_count, x, 1, found, &residual));
        for (int m = 0; m < MUSCLES; m++) assert_near_case(found[m], made[k / 2][m], 5e-3, "case %d, muscle %d", k, m);
        assert_less_case(residual, 5e-3, "case %d", k);
        free(x);
        release_bar(r);
    }
}

/* Some of the vertices suffice, and other shapes are approached within the bounds. */
static void activations_stay_within_their_bounds(void **state) {
    skip_when_sanitized();
    static const double none[MUSCLES] = {0}, some[MUSCLES] = {0.4, 0, 0.8, 0.2};
    double found[MUSCLES], residual = 0;
    bar *r = make_bar(*state, 1, some);
    vec3 *x = settled(r), *rest = (vec3 *)r->mesh->positions;
    const size_t n = r->mesh->vertex_count;
    assert_ok(*state, lattice_estimate_muscles(r->b, n / 2, x, 1, found, &residual));
    for (int m = 0; m < MUSCLES; m++) assert_near_case(found[m], some[m], 5e-3, "muscle %d", m);
    assert_ok(*state, lattice_estimate_muscles(r->b, n, x, 0.5, found, &residual));
    assert_near(found[2], 0.5, 1e-9);
    for (int m = 0; m < MUSCLES; m++) assert_at_most(found[m], 0.5);
    assert_less(0.05, residual);
    assert_less(residual, 0.7);
    /* Muscles can't push. */
    for (size_t v = 0; v < n; v++) x[v] = (vec3){1.2 * rest[v].x, rest[v].y, rest[v].z};
    assert_ok(*state, lattice_estimate_muscles(r->b, n, x, 1, found, &residual));
    for (int m = 0; m < MUSCLES; m++) assert_near(found[m], none[m], 1e-9);
    assert_near(residual, 1, 1e-6);
    assert_status(lattice_estimate_muscles(r->b, n + 1, x, 1, found, &residual), RUGA_ERROR_INPUT);
    assert_message_has(*state, "the mesh has");
    x[3].y = NAN;
    assert_status(lattice_estimate_muscles(r->b, n, x, 1, found, &residual), RUGA_ERROR_INPUT);
    assert_message_has(*state, "vertex 3 of the shape is not finite");
    free(x);
    release_bar(r);
}

/* A body with the shape as a blend shape, and no keys of its muscles, goes there and back. */
static void shapes_drive_the_muscles(void **state) {
    skip_when_sanitized();
    static const double some[MUSCLES] = {0.4, 0, 0.8, 0.2};
    bar *r = make_bar(*state, 1, some);
    vec3 *x = settled(r);
    const ruga_shape_key keys[2] = {{0, 0}, {10, 1}};
    const lattice_shape_def shape = {"shape", r->mesh->vertex_count, x, 1, 2, keys};
    body *b = NULL;
    for (int m = 0; m < MUSCLES; m++) r->muscles[m].key_count = 0;
    assert_status(lattice_create(r->mesh, &r->def, &b), RUGA_ERROR_INPUT);
    assert_message_has(*state, "muscle 0 has no keys");
    r->def.shapes = &shape;
    r->def.shape_count = 1;
    assert_ok(*state, lattice_create(r->mesh, &r->def, &b));
    body *old = r->b;
    r->b = b;
    vec3 *y = settled(r);
    double worst = 0, moved = 0;
    for (size_t v = 0; v < r->mesh->vertex_count; v++) {
        worst = fmax(worst, vec3_distance(x[v], y[v]));
        moved = fmax(moved, vec3_distance(x[v], r->mesh->positions[v]));
    }
    assert_less(0.03, moved);
    assert_less(worst, 5e-3 * moved);
    old->interface->destroy(old);
    free(x);
    free(y);
    release_bar(r);
}

/* Against a search over a fine grid of two unknowns. */
static void bounded_minima_are_the_best_of_all(void **state) {
    (void)state;
    test_random random = {5};
    for (int round = 0; round < 50; round++) {
        const double p = random_unit(&random) + 1.2, q = random_unit(&random), s = random_unit(&random) + 1.2;
        const double a[4] = {p * p, p * q, p * q, q * q + s * s};
        const double b[2] = {3 * random_unit(&random), 3 * random_unit(&random)};
        double x[2] = {0.5, 0.5}, least = INFINITY;
        assert_less_case(bounded_minimum(2, a, b, 0, 1, 1e-12, 10000, x), 10000, "round %d", round);
        const double value =
            (a[0] * x[0] * x[0] + 2 * a[1] * x[0] * x[1] + a[3] * x[1] * x[1]) / 2 - b[0] * x[0] - b[1] * x[1];
        for (int i = 0; i <= 100; i++)
            for (int j = 0; j <= 100; j++) {
                const double u = i / 100.0, v = j / 100.0;
                least = fmin(least, (a[0] * u * u + 2 * a[1] * u * v + a[3] * v * v) / 2 - b[0] * u - b[1] * v);
            }
        assert_at_most_case(value, least + 1e-12, "round %d", round);
        assert_less_case(least - value, 1e-3, "round %d", round);
    }
}

static ruga_status estimate(ruga_context *context, void *user) {
    (void)user;
    static const double some[MUSCLES] = {0.4, 0, 0.8, 0.2};
    static vec3 target[2000];
    const ruga_shape_key key = {0, 1};
    static const double size[6] = {0.2, 0.2, 0.2, 2, 2, 0};
    bar r = {0};
    TRY(ruga_model_make(context, "bar", size, &r.mesh));
    const lattice_shape_def shape = {"shape", r.mesh->vertex_count, target, 1, 1, &key};
    for (int k = 0; k < MUSCLES; k++)
        r.muscles[k] = (muscle_def){
            .direction = {1, 0, 0}, .stress = 100 * some[k] + 1, .box_from = {-1, -1, -1}, .box_to = {1, 1, 1}};
    for (size_t v = 0; v < r.mesh->vertex_count; v++) {
        target[v] = r.mesh->positions[v];
        target[v].x *= 0.99;
    }
    r.def = lattice_def_default();
    r.def.values.spacing = 0.2;
    r.def.muscles = r.muscles;
    r.def.muscle_count = MUSCLES;
    r.def.shapes = &shape;
    r.def.shape_count = 1;
    ruga_status status = lattice_create(r.mesh, &r.def, &r.b);
    if (r.b) r.b->interface->destroy(r.b);
    ruga_mesh_destroy(r.mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_every_allocation_may_fail(estimate, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_that_made_a_shape_are_recovered),
        cmocka_unit_test(activations_stay_within_their_bounds),
        cmocka_unit_test(shapes_drive_the_muscles),
        cmocka_unit_test(bounded_minima_are_the_best_of_all),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
