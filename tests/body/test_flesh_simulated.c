/* Flesh whose simulated mesh is not the one that is seen, bound flesh, and input that can't be flesh. */
#include <stdio.h>

#include "body/flesh.h"
#include "body/flesh_stage.h"
#include "geom/embed.h"
#include "linalg/map.h"
#include "mesh/mesh.h"

static const environment heavy = {.gravity = {0, -9.81, 0}}, empty = {.gravity = {0, 0, 0}};

/* ---- A mesh that rides on tets. */

/* The surface of a finer bar on the tets of a coarser, slightly larger one. */
typedef struct rider {
    flesh_bar *bar; /* whose mesh is the surface that is seen */
    ruga_mesh *tets;
    ruga_map *map;
} rider;

static rider make_rider(ruga_context *context, int kind) {
    rider r = {.bar = bar_begin(context, (vec3){0.3, 0.1, 0.1}, 12, 4)};
    r.tets = solid_bar(context, (vec3){0.31, 0.11, 0.11}, 9, 3);
    assert_ok(context, embed_in_tets(r.tets, r.bar->mesh->positions, r.bar->mesh->vertex_count, &r.map));
    r.bar->def.simulated = (body_simulated){.mesh = r.tets, .visible = r.map};
    r.bar->def.values.integrator = kind;
    r.bar->def.values.damping = 0.1;
    return r;
}

static void release_rider(rider *r) {
    bar_release(r->bar);
    ruga_map_destroy(r->map);
    ruga_mesh_destroy(r->tets);
}

/* Springs hold its vertices: nearly, and the nearer the stiffer they are. */
static void pins_hold_a_mesh_that_rides_on_tets(void **state) {
    const ruga_pin_key keys[2] = {{0, {0, 0, 0}}, {1, {0.1, 0.12, 0.05}}};
    double worst[2] = {0};
    for (int k = 0; k < 2; k++) {
        rider r = make_rider(*state, FLESH_QUASISTATIC);
        flesh_bar *bar = r.bar;
        bar->pins.key_count = 2;
        bar->pins.keys = keys;
        bar->def.values.hold = k ? 1000 : 10;
        bar_make(bar);
        flesh_steps(bar->b, &heavy, 2, 0.5);
        assert_true(flesh_report(bar->b)->converged);
        vec3 *seen = calloc(bar->mesh->vertex_count, sizeof *seen),
             *mapped = calloc(bar->mesh->vertex_count, sizeof *seen);
        assert_true(seen && mapped);
        body_make_visible(bar->b, bar->b->positions, seen);
        ruga_map_apply(r.map, bar->b->positions, mapped);
        assert_memory_equal(seen, mapped, bar->mesh->vertex_count * sizeof *seen);
        for (size_t p = 0; p < bar->pins.count; p++) {
            vec3 wanted = vec3_add(bar->mesh->positions[bar->held[p]], keys[1].move);
            worst[k] = fmax(worst[k], vec3_distance(seen[bar->held[p]], wanted));
        }
        free(seen);
        free(mapped);
        release_rider(&r);
    }
    assert_less(worst[0], 0.005);
    assert_less(worst[1], worst[0] / 20);
}

/* ---- Bound flesh. */

/* T of a bar: every point is an unknown, but each point of the far half is bound to the mean of two unknowns of its
 * own line along x: its first and its last. */
static ruga_map *make_binding(const ruga_mesh *mesh, double from) {
    map_builder rows;
    uint32_t *numbers = calloc(mesh->vertex_count, sizeof *numbers), count = 0;
    assert_non_null(numbers);
    vec3 low, high;
    vec3_bounds(mesh->positions, mesh->vertex_count, &low, &high);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double x = mesh->positions[v].x;
        numbers[v] = x < from || x > high.x - 1e-9 ? count++ : UINT32_MAX;
    }
    assert_ok(mesh->context, map_builder_make(mesh->context, mesh->vertex_count, 2 * mesh->vertex_count, &rows));
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        vec3 p = mesh->positions[v];
        uint32_t first = UINT32_MAX, last = UINT32_MAX;
        double begin = -INFINITY, along;
        for (size_t u = 0; u < mesh->vertex_count && numbers[v] == UINT32_MAX; u++) {
            vec3 q = mesh->positions[u];
            if (numbers[u] == UINT32_MAX || fabs(q.y - p.y) > 1e-9 || fabs(q.z - p.z) > 1e-9) continue;
            if (q.x > high.x - 1e-9) last = numbers[u];
            if (q.x < from && q.x > begin) begin = q.x, first = numbers[u];
        }
        along = (p.x - begin) / (high.x - begin);
        if (numbers[v] != UINT32_MAX) {
            map_builder_put(&rows, numbers[v], 1);
        } else {
            map_builder_put(&rows, first, 1 - along);
            map_builder_put(&rows, last, along);
        }
        map_builder_end_row(&rows);
    }
    free(numbers);
    ruga_map *out = NULL;
    assert_ok(mesh->context, map_builder_finish(&rows, count, &out));
    return out;
}

/* ‖Tᵀ F‖ at free unknowns, and ‖F‖ at free points. */
static void bound_forces(flesh_bar *r, const ruga_map *t, double *bound_norm, double *norm) {
    energy_term *energies[3];
    vec3 *forces = calloc(r->b->point_count, sizeof *forces), *gathered = calloc(t->columns, sizeof *gathered);
    assert_true(forces && gathered);
    for (size_t k = 0, count = flesh_energies(r->b, energies); k < count; k++)
        energies[k]->interface->add_gradient(energies[k], r->b->positions, -1, forces);
    for (size_t i = 0; i < r->b->point_count; i++)
        forces[i] = vec3_add_scaled(forces[i], heavy.gravity, r->b->masses[i]);
    for (size_t k = 0; k < r->pins.count; k++) forces[r->held[k]] = (vec3){0, 0, 0};
    ruga_map_apply_transpose_add(t, forces, gathered);
    *bound_norm = *norm = 0;
    for (size_t k = 0; k < t->columns; k++) *bound_norm += vec3_length2(gathered[k]);
    for (size_t i = 0; i < r->b->point_count; i++) *norm += vec3_length2(forces[i]);
    *bound_norm = sqrt(*bound_norm);
    *norm = sqrt(*norm);
    free(forces);
    free(gathered);
}

/* Points stay in T's range, and TᵀF = 0 while F is not; motion that is damped ends there, too. */
static void bound_flesh_is_in_equilibrium_within_its_space(void **state) {
    vec3 *ends[2];
    for (int k = 0; k < 2; k++) {
        flesh_bar *r = bar_begin(*state, (vec3){0.3, 0.1, 0.1}, 9, 3);
        ruga_map *t = make_binding(r->mesh, 0.05);
        r->def.simulated.bound = t;
        r->def.values.young = 50000;
        r->def.values.integrator = k ? FLESH_QUASISTATIC : FLESH_IMPLICIT;
        r->def.values.damping = 0.1;
        r->def.values.tolerance = k ? 1e-8 : 1e-6;
        bar_make(r);
        flesh_steps(r->b, &heavy, k ? 1 : 150, k ? 1 : 0.05);
        if (k) {
            double bound_norm, norm;
            assert_true(flesh_report(r->b)->converged);
            bound_forces(r, t, &bound_norm, &norm);
            assert_less(bound_norm, 1e-5 * norm);
        }
        ends[k] = calloc(r->b->point_count, sizeof **ends);
        assert_non_null(ends[k]);
        memcpy(ends[k], r->b->positions, r->b->point_count * sizeof **ends);
        assert_less(0.003, flesh_worst(r->b, r->mesh->positions));
        if (k) assert_less(flesh_worst(r->b, ends[0]), 1e-5);
        bar_release(r);
        ruga_map_destroy(t);
    }
    free(ends[0]);
    free(ends[1]);
}

/* A binding that binds nothing is none; and bound equilibria do not depend on the density. */
static void an_identity_binds_nothing(void **state) {
    vec3 *first = NULL;
    for (int k = 0; k < 2; k++) {
        flesh_bar *r = bar_begin(*state, (vec3){0.3, 0.1, 0.1}, 6, 2);
        ruga_map *t = make_binding(r->mesh, 1);
        assert_equal(t->columns, t->rows);
        r->def.simulated.bound = k ? t : NULL;
        r->def.values.integrator = FLESH_QUASISTATIC;
        r->def.values.tolerance = 1e-9;
        bar_make(r);
        flesh_steps(r->b, &heavy, 1, 1);
        if (!first) {
            first = calloc(r->b->point_count, sizeof *first);
            assert_non_null(first);
            memcpy(first, r->b->positions, r->b->point_count * sizeof *first);
        }
        assert_less(flesh_worst(r->b, first), 1e-8);
        bar_release(r);
        ruga_map_destroy(t);
    }
    free(first);
}

static void bound_equilibria_do_not_depend_on_the_density(void **state) {
    const ruga_pin_key keys[2] = {{0, {0, 0, 0}}, {1, {0, 0.03, 0.02}}};
    vec3 *first = NULL;
    for (int k = 0; k < 2; k++) {
        flesh_bar *r = bar_begin(*state, (vec3){0.3, 0.1, 0.1}, 6, 2);
        ruga_map *t = make_binding(r->mesh, 0.05);
        r->pins.key_count = 2;
        r->pins.keys = keys;
        r->def.simulated.bound = t;
        r->def.values.integrator = FLESH_QUASISTATIC;
        r->def.values.density = k ? 3 : 2000;
        bar_make(r);
        flesh_steps(r->b, &empty, 1, 1);
        assert_true(flesh_report(r->b)->converged);
        if (!first) {
            first = calloc(r->b->point_count, sizeof *first);
            assert_non_null(first);
            memcpy(first, r->b->positions, r->b->point_count * sizeof *first);
        }
        assert_memory_equal(first, r->b->positions, r->b->point_count * sizeof *first);
        bar_release(r);
        ruga_map_destroy(t);
    }
    free(first);
}

/* Every tet twice, each with a share of the material: the same flesh. */
static void shares_of_copies_add_up(void **state) {
    flesh_bar *whole = bar_begin(*state, (vec3){0.3, 0.1, 0.1}, 6, 2),
              *shared = bar_begin(*state, (vec3){0.3, 0.1, 0.1}, 6, 2);
    const size_t count = whole->mesh->tet_count;
    uint32_t *tets = calloc(8 * count, sizeof *tets);
    double *shares = calloc(2 * count, sizeof *shares);
    assert_true(tets && shares);
    for (size_t t = 0; t < 2 * count; t++) shares[t] = t < count ? 0.3 : 0.7;
    for (size_t c = 0; c < 8 * count; c++) tets[c] = whole->mesh->tets[c % (4 * count)];
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *copies = NULL;
    def.positions = (ruga_view){(void *)(uintptr_t)whole->mesh->positions, whole->mesh->vertex_count, 0, RUGA_F64};
    def.tet_count = 2 * count;
    def.tets = tets;
    def.face_count = whole->mesh->triangle_count;
    def.face_vertices = whole->mesh->triangles;
    assert_ok(*state, ruga_mesh_create(*state, &def, &copies));
    shared->def.simulated = (body_simulated){.mesh = copies, .shares = shares};
    whole->def.values.integrator = shared->def.values.integrator = FLESH_QUASISTATIC;
    whole->def.values.tolerance = shared->def.values.tolerance = 1e-9;
    bar_make(whole);
    bar_make(shared);
    for (size_t i = 0; i < whole->b->point_count; i++)
        assert_near(whole->b->masses[i], shared->b->masses[i], 1e-12 * whole->b->masses[i]);
    flesh_steps(whole->b, &heavy, 1, 1);
    flesh_steps(shared->b, &heavy, 1, 1);
    assert_less(flesh_worst(shared->b, whole->b->positions), 1e-9);
    bar_release(whole);
    bar_release(shared);
    ruga_mesh_destroy(copies);
    free(tets);
    free(shares);
}

/* ---- Bad input. */

static ruga_mesh *mesh_of(ruga_context *context, size_t count, const ruga_vec3 *positions, size_t tet_count,
                          const uint32_t *tets) {
    ruga_mesh *out = NULL;
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){(void *)(uintptr_t)positions, count, 0, RUGA_F64};
    def.tet_count = tet_count;
    def.tets = tets;
    assert_ok(context, ruga_mesh_create(context, &def, &out));
    return out;
}

static void assert_refused(ruga_context *context, ruga_mesh *mesh, const flesh_def *def, const char *message) {
    body *b = NULL;
    assert_status(flesh_create(mesh, def, &b), RUGA_ERROR_INPUT);
    assert_null(b);
    assert_message_has(context, message);
    ruga_mesh_destroy(mesh);
}

static void meshes_that_cannot_be_flesh_are_refused(void **state) {
    const ruga_vec3 at[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {5, 0, 1}};
    const ruga_vec3 fan[6] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    const ruga_vec3 flat[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const uint32_t tets[8] = {0, 1, 2, 3, 4, 5, 6, 7}, inverted[4] = {0, 2, 1, 3}, edge[8] = {0, 2, 3, 1, 0, 4, 5, 1};
    const flesh_def def = flesh_def_default();
    ruga_mesh *surface = NULL;
    assert_refused(*state, mesh_of(*state, 8, at, 2, tets), &def, "vertices 0 and 4 belong to different pieces");
    assert_refused(*state, mesh_of(*state, 5, at, 1, tets), &def, "vertex 4 is in no tet");
    assert_refused(*state, mesh_of(*state, 4, at, 1, inverted), &def, "tet 0 (vertices 0, 2, 1, 3) has a volume of -");
    assert_refused(*state, mesh_of(*state, 4, flat, 1, tets), &def, "has a volume of 0 m³ at rest");
    assert_refused(*state, mesh_of(*state, 6, fan, 2, edge), &def,
                   "the edge between vertices 0 and 1 has 4 triangles instead of 2");
    assert_ok(*state, ruga_model_make(*state, "sphere", NULL, &surface));
    assert_refused(*state, surface, &def, "the mesh has no tets");
}

static void numbers_and_muscles_that_cannot_be_are_refused(void **state) {
    const double bad[] = {0, -1, NAN, INFINITY};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        flesh_def def = flesh_def_default();
        def.values.density = bad[k];
        assert_refused(*state, solid_bar(*state, (vec3){1, 1, 1}, 1, 1), &def, "flesh: density ");
        def = flesh_def_default();
        def.values.young = bad[k];
        assert_refused(*state, solid_bar(*state, (vec3){1, 1, 1}, 1, 1), &def, "oung");
    }
    const ruga_muscle_key key = {0, 1};
    flesh_def def = flesh_def_default();
    muscle_def muscle = {.direction = {1, 0, 0},
                         .stress = 1,
                         .box_from = {10, 10, 10},
                         .box_to = {11, 11, 11},
                         .key_count = 1,
                         .keys = &key};
    def.muscles = &muscle;
    def.muscle_count = 1;
    assert_refused(*state, solid_bar(*state, (vec3){1, 1, 1}, 1, 1), &def, "muscle 0 has no material");
    muscle.direction = (vec3){0, 0, 0};
    assert_refused(*state, solid_bar(*state, (vec3){1, 1, 1}, 1, 1), &def, "muscle 0 has no direction");
}

/* Nothing holds it against its weight: it does not move, and the report says so. */
static void flesh_without_an_equilibrium_is_reported(void **state) {
    flesh_bar *r = bar_begin(*state, (vec3){0.3, 0.1, 0.1}, 3, 1);
    r->def.pin_def_count = 0;
    r->def.values.integrator = FLESH_QUASISTATIC;
    r->def.values.newton_steps = 20;
    bar_make(r);
    flesh_steps(r->b, &heavy, 1, 1);
    assert_false(flesh_report(r->b)->converged);
    assert_memory_equal(r->b->positions, r->mesh->positions, r->b->point_count * sizeof(vec3));
    bar_release(r);
}

/* ---- Memory. */

static ruga_status make_and_step(ruga_context *context, void *user) {
    const double values[6] = {0.3, 0.1, 0.1, 2, 1, 1};
    const ruga_muscle_key keys[2] = {{0, 0}, {1, 1}};
    const uint32_t held[4] = {0, 1, 2, 3};
    muscle_def muscle = {.direction = {1, 0, 0},
                         .stress = 1000,
                         .box_from = {-1, -1, -1},
                         .box_to = {1, 1, 1},
                         .key_count = 2,
                         .keys = keys};
    cloth_pin_def pins = {.count = 4, .vertices = held};
    flesh_def def = flesh_def_default();
    ruga_mesh *mesh = NULL;
    body *b = NULL;
    def.values.integrator = *(const int *)user;
    def.values.skin = 10;
    def.values.skin_bend = 1e-4;
    def.values.drag = 1;
    def.feels_colliders = def.feels_surfaces = 1;
    def.pins = &pins;
    def.pin_def_count = 1;
    def.muscles = &muscle;
    def.muscle_count = 1;
    TRY(ruga_model_make(context, "bar", values, &mesh));
    ruga_status status = flesh_create(mesh, &def, &b);
    const substep s = {.time = 0.1, .dt = 0.1, .blend = 1, .environment = &heavy, .is_last = 1};
    if (!RUGA_FAILED(status)) status = b->interface->predict(b, &s);
    if (!RUGA_FAILED(status)) status = b->interface->accept(b, &s, b->interface->surface(b));
    if (b) b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) assert_less(30, assert_every_allocation_may_fail(make_and_step, &kind));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_hold_a_mesh_that_rides_on_tets),
        cmocka_unit_test(bound_flesh_is_in_equilibrium_within_its_space),
        cmocka_unit_test(an_identity_binds_nothing),
        cmocka_unit_test(bound_equilibria_do_not_depend_on_the_density),
        cmocka_unit_test(shares_of_copies_add_up),
        cmocka_unit_test(meshes_that_cannot_be_flesh_are_refused),
        cmocka_unit_test(numbers_and_muscles_that_cannot_be_are_refused),
        cmocka_unit_test(flesh_without_an_equilibrium_is_reported),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
