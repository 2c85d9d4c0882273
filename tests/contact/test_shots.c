/* Balls shot at ten layers at 100 m/s, in steps of 1/60 s: they pass none, whatever moves them and whatever holds the
 * layers. */
#include <math.h>

#include "contact/solver.h"
#include "math/vec3.h"
#include "support/shapes.h"
#include "support/surfaces.h"

#define DT (1.0 / 60)

/* A sheet of 1 m by 1 m at a height, in its rest mesh. */
static ruga_mesh *sheet_at(ruga_context *context, size_t cells, double height) {
    ruga_mesh *flat = shape_sheet(context, cells, cells);
    ruga_vec3 *x = malloc(flat->vertex_count * sizeof *x);
    for (size_t i = 0; i < flat->vertex_count; i++) x[i] = vec3_add(flat->positions[i], (vec3){0, height, 0});
    ruga_mesh *moved = shape_make(context, flat->vertex_count, x, flat->triangle_count, NULL, flat->triangles);
    free(x);
    ruga_mesh_destroy(flat);
    return moved;
}

enum { LAYERS = 10 };

/* How often a surface is crossed by the line upwards from a point, from its one side less from its other. */
static int crossings_above(const test_surface *s, vec3 point) {
    const ruga_mesh *mesh = s->surface.mesh;
    int sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        vec3 corners[3];
        double areas[3];
        for (size_t k = 0; k < 3; k++) corners[k] = vec3_sub(s->accepted[mesh->triangles[3 * t + k]], point);
        for (size_t k = 0; k < 3; k++) {
            vec3 a = corners[(k + 1) % 3], b = corners[(k + 2) % 3];
            areas[k] = a.x * b.z - a.z * b.x;
        }
        int sign = areas[0] > 0 ? 1 : -1;
        if (areas[1] * sign <= 0 || areas[2] * sign <= 0) continue;
        double height = 0;
        for (size_t k = 0; k < 3; k++) height += areas[k] * corners[k].y / (areas[0] + areas[1] + areas[2]);
        if (height > 0) sum += sign;
    }
    return sum;
}

/* A ball of radius 0.2 m above ten sheets, which may be held at their borders, is shot down at 100 m/s. */
static void shoot_ball(ruga_context *context, double mass, int held, int steps) {
    ruga_mesh *layers[LAYERS], *ico = shape_icosahedron(context);
    test_surface surfaces[LAYERS + 1];
    contact_surface *all[LAYERS + 1];
    const test_surface *checked[LAYERS + 1];
    for (size_t k = 0; k < LAYERS; k++) {
        layers[k] = sheet_at(context, 8, -0.02 * (double)k);
        test_surface_init(&surfaces[k], "layer", layers[k], 0.002, 0.005);
        for (size_t i = 0; i < layers[k]->vertex_count; i++) {
            ruga_vec3 x = layers[k]->positions[i];
            if (!held) continue;
            if (x.x < 0.01 || x.x > 0.99 || fabs(x.z) < 0.01 || fabs(x.z) > 0.99) surfaces[k].inverse_masses[i] = 0;
        }
    }
    ruga_vec3 centre = {0.5, 0.3, layers[0]->positions[layers[0]->vertex_count - 1].z / 2}, corners[12];
    for (size_t i = 0; i < 12; i++) corners[i] = vec3_add_scaled(centre, ico->positions[i], 0.2);
    ruga_mesh *ball = shape_make(context, 12, corners, 20, NULL, ico->triangles);
    test_surface_init(&surfaces[LAYERS], "ball", ball, mass, 0.005);
    for (size_t k = 0; k <= LAYERS; k++) {
        all[k] = &surfaces[k].surface;
        checked[k] = &surfaces[k];
    }
    contact_def def = contact_def_default();
    contact *solver;
    assert_ok(context, contact_create(context, &def, &solver));
    for (int step = 0; step < steps; step++) {
        for (size_t k = 0; k < LAYERS; k++) test_surface_move(&surfaces[k], (vec3){0, 0, 0});
        test_surface_move(&surfaces[LAYERS], (vec3){0, -100 * DT, 0});
        measure_clear(&solver->measures);
        assert_ok(context, solver->interface->resolve(solver, all, LAYERS + 1, DT));
        assert_int_equal(test_surfaces_intersections(context, checked, LAYERS + 1), 0);
        assert_true(test_contact_measure(solver, "pinched") == 0);
        for (size_t k = 0; k <= LAYERS; k++) test_surface_accept(&surfaces[k]);
    }
    /* A line from the ball upwards crosses no layer. */
    vec3 inside = {0, 0, 0};
    for (size_t i = 0; i < 12; i++) inside = vec3_add_scaled(inside, surfaces[LAYERS].accepted[i], 1.0 / 12);
    for (size_t k = 0; k < LAYERS; k++) assert_int_equal(crossings_above(&surfaces[k], inside), 0);
    solver->interface->destroy(solver);
    for (size_t k = 0; k <= LAYERS; k++) test_surface_release(&surfaces[k]);
    for (size_t k = 0; k < LAYERS; k++) ruga_mesh_destroy(layers[k]);
    ruga_mesh_destroy(ball);
    ruga_mesh_destroy(ico);
}

static void a_ball_shot_at_ten_layers_passes_none(void **state) { shoot_ball(*state, 0.5, 1, 3); }

static void a_kinematic_ball_carries_ten_layers_along(void **state) {
    skip_when_sanitized();
    shoot_ball(*state, 0, 0, 3);
}

static void a_kinematic_ball_stretches_ten_layers_that_are_held_and_passes_none(void **state) {
    skip_when_sanitized();
    shoot_ball(*state, 0, 1, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_shot_at_ten_layers_passes_none),
        cmocka_unit_test(a_kinematic_ball_carries_ten_layers_along),
        cmocka_unit_test(a_kinematic_ball_stretches_ten_layers_that_are_held_and_passes_none),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_all, tear_down_context);
}
