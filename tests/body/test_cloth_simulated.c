/* Cloth whose simulated mesh is not the visible one: copies with shares, bindings, maps; and springs that are set. */
#include <stdio.h>

#include "body/bodies.h"
#include "body/cloth_stage.h"
#include "linalg/map.h"

enum { SIDE = 6, COUNT = SIDE * SIDE };

static const environment windy = {.gravity = {0, -9.81, 0}, .wind = {.velocity = {1, 0, 3}}};
static const integrator_kind kinds[4] = {INTEGRATOR_EXPLICIT, INTEGRATOR_SEMI_IMPLICIT, INTEGRATOR_IMPLICIT,
                                         INTEGRATOR_FILTER};

/* A sheet that hangs by two corners, plain, and every triangle of it twice, with half of the material each. */
typedef struct doubled {
    ruga_context *context;
    ruga_mesh *mesh, *copies;
    ruga_map *bound;
    double *shares;
    uint32_t corners[2];
    cloth_pin_def pins;
    cloth_def def;
} doubled;

static ruga_mesh *make_copies(const ruga_mesh *mesh) {
    size_t n = mesh->vertex_count, t = mesh->triangle_count;
    vec3 *x = malloc(2 * n * sizeof *x);
    uint32_t *triangles = malloc(6 * t * sizeof *triangles);
    for (size_t i = 0; i < 2 * n; i++) x[i] = mesh->positions[i % n];
    for (size_t k = 0; k < 6 * t; k++) triangles[k] = mesh->triangles[k % (3 * t)] + (k < 3 * t ? 0 : (uint32_t)n);
    ruga_mesh *copies = shape_make(mesh->context, 2 * n, x, 2 * t, NULL, triangles);
    free(x);
    free(triangles);
    return copies;
}

/* Point i is the unknown i modulo n. */
static ruga_map *make_ties(ruga_context *context, size_t points, size_t unknowns) {
    map_builder rows;
    ruga_map *map;
    assert_ok(context, map_builder_make(context, points, points, &rows));
    for (size_t i = 0; i < points; i++) {
        map_builder_put(&rows, (uint32_t)(i % unknowns), 1);
        map_builder_end_row(&rows);
    }
    assert_ok(context, map_builder_finish(&rows, unknowns, &map));
    return map;
}

static void doubled_make(doubled *d, ruga_context *context, integrator_kind kind) {
    *d = (doubled){.context = context, .mesh = upright_sheet(context, SIDE)};
    d->copies = make_copies(d->mesh);
    d->bound = make_ties(context, 2 * COUNT, COUNT);
    d->shares = malloc(d->copies->triangle_count * sizeof *d->shares);
    for (size_t t = 0; t < d->copies->triangle_count; t++) d->shares[t] = t < d->mesh->triangle_count ? 0.3 : 0.7;
    uint32_t top[COUNT];
    size_t count = border_of(d->mesh, (vec3){0, 1, 0}, top);
    d->corners[0] = top[0];
    d->corners[1] = top[count - 1];
    d->pins = (cloth_pin_def){.count = 2, .vertices = d->corners};
    d->def = cloth_def_default();
    d->def.material.stretch = 50;
    d->def.values.axial_bending = 1;
    d->def.damping_time = 0.001;
    d->def.values.integrator = (int)kind;
    d->def.values.tolerance = 1e-12;
    d->def.values.iterations = 10000;
    d->def.pins = &d->pins;
    d->def.pin_def_count = 1;
}

static void doubled_release(doubled *d) {
    ruga_mesh_destroy(d->mesh);
    ruga_mesh_destroy(d->copies);
    ruga_map_destroy(d->bound);
    free(d->shares);
}

static body *make_cloth(doubled *d, int is_doubled) {
    body *b;
    d->def.simulated =
        is_doubled ? (body_simulated){.mesh = d->copies, .shares = d->shares, .bound = d->bound} : (body_simulated){0};
    assert_ok(d->context, cloth_create(d->mesh, &d->def, &b));
    return b;
}

static void run(body *b, int steps, double dt) {
    for (int k = 1; k <= steps; k++) {
        cloth_predict_at(b, &windy, k * dt, dt);
        cloth_accept_at(b, &windy, k * dt, dt);
    }
}

static double distance(const vec3 *a, const vec3 *b, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, vec3_distance(a[i], b[i]));
    return most;
}

/* ---- Shares and bindings. */

static void copies_with_shares_move_as_the_whole(void **state) {
    for (int k = 0; k < 4; k++)
        for (int on_points = 0; on_points < 2; on_points++) {
            doubled d;
            doubled_make(&d, *state, kinds[k]);
            d.def.values.air_on_points = on_points;
            if (on_points) d.def.values.drag = d.def.values.lift = 1e-3;
            body *plain = make_cloth(&d, 0), *twice = make_cloth(&d, 1);
            double dt = k < 2 ? 1.0 / 2000 : 1.0 / 60, mass[2] = {0, 0};
            for (size_t i = 0; i < COUNT; i++) mass[0] += plain->masses[i];
            for (size_t i = 0; i < 2 * COUNT; i++) mass[1] += twice->masses[i];
            assert_int_equal(twice->point_count, 2 * COUNT);
            assert_near(mass[1], mass[0], 1e-12 * mass[0]);
            run(plain, 60, dt);
            run(twice, 60, dt);
            vec3 seen[COUNT];
            body_make_visible(twice, twice->positions, seen);
            assert_less(1e-4, distance(plain->positions, plain->mesh->positions, COUNT));
            assert_less(distance(plain->positions, twice->positions, COUNT), 1e-9);
            assert_less(distance(twice->positions, twice->positions + COUNT, COUNT), 1e-12);
            assert_less(distance(seen, twice->positions, COUNT), 1e-12);
            plain->interface->destroy(plain);
            twice->interface->destroy(twice);
            doubled_release(&d);
        }
}

static void inverse_masses_have_the_pins_and_a_revision(void **state) {
    doubled d;
    doubled_make(&d, *state, INTEGRATOR_IMPLICIT);
    body *b = make_cloth(&d, 1);
    size_t pinned = 0;
    for (size_t i = 0; i < 2 * COUNT; i++) {
        int is_corner = i % COUNT == d.corners[0] || i % COUNT == d.corners[1];
        assert_true(b->inverse_masses[i] == (is_corner ? 0 : 1 / b->masses[i]));
        pinned += b->inverse_masses[i] == 0;
    }
    assert_int_equal(pinned, 4);
    uint64_t before = b->mass_revision;
    double mass = b->masses[7];
    assert_ok(*state, cloth_set_mass(b, 2));
    assert_less(before, b->mass_revision);
    assert_near(b->masses[7], 2 * mass, 1e-15);
    b->interface->destroy(b);
    doubled_release(&d);
}

/* Impulses of contact on the visible mesh: the points get all of the momentum and stay bound; contact's positions are
 * shown. */
static void contact_moves_bound_points_within_their_binding(void **state) {
    doubled d;
    doubled_make(&d, *state, INTEGRATOR_IMPLICIT);
    d.def.pin_def_count = 0;
    body *b = make_cloth(&d, 1);
    run(b, 5, 1.0 / 60);
    cloth_predict_at(b, &windy, 0.1, 1.0 / 60);
    contact_surface *surface = b->interface->surface(b);
    assert_int_equal(surface->mesh->vertex_count, COUNT);
    vec3 sum = {0, 0, 0}, change = {0, 0, 0}, impulse = {0.01, 0.02, -0.03}, seen[COUNT];
    for (size_t v = 0; v < COUNT; v += 5) {
        surface->impulses[v] = impulse;
        surface->candidate[v] = vec3_add_scaled(surface->candidate[v], impulse, surface->inverse_masses[v] / 60);
        sum = vec3_add(sum, impulse);
    }
    vec3 resolved[COUNT];
    memcpy(resolved, surface->candidate, sizeof resolved);
    substep s = {.time = 0.1, .dt = 1.0 / 60, .blend = 1, .environment = &windy};
    assert_ok(*state, b->interface->accept(b, &s, surface));
    for (size_t i = 0; i < 2 * COUNT; i++)
        change = vec3_add_scaled(change, vec3_sub(b->velocities[i], b->candidate_velocities[i]), b->masses[i]);
    assert_less(vec3_distance(change, sum), 1e-12);
    assert_less(distance(b->positions, b->positions + COUNT, COUNT), 1e-12);
    body_make_visible(b, b->positions, seen);
    assert_memory_equal(seen, resolved, sizeof seen);
    b->interface->destroy(b);
    doubled_release(&d);
}

static collider floor_at(double height) {
    return (collider){
        .kind = COLLIDER_PLANE, .point = {0, height, 0}, .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .friction = 0.3};
}

static double lowest_of(const body *b) {
    double lowest = INFINITY;
    for (size_t i = 0; i < b->point_count; i++) lowest = fmin(lowest, b->positions[i].y);
    return lowest;
}

/* A collider by formula stops bound cloth as it stops plain cloth; points that never collide fall through. */
static void colliders_stop_bound_cloth_and_miss_points_that_never_collide(void **state) {
    collider floor = floor_at(0);
    environment with_floor = {.gravity = {0, -9.81, 0}, .colliders = &floor, .collider_count = 1};
    double lowest[3];
    for (int k = 0; k < 3; k++) {
        doubled d;
        doubled_make(&d, *state, INTEGRATOR_IMPLICIT);
        d.def.pin_def_count = 0;
        unsigned char none[2 * COUNT] = {0};
        d.def.simulated =
            k == 0 ? (body_simulated){0}
                   : (body_simulated){
                         .mesh = d.copies, .shares = d.shares, .bound = d.bound, .collides = k == 2 ? none : NULL};
        body *b;
        assert_ok(*state, cloth_create(d.mesh, &d.def, &b));
        floor.point.y = lowest_of(b) - 0.05;
        for (int step = 1; step <= 60; step++) {
            cloth_predict_at(b, &with_floor, step / 120.0, 1.0 / 120);
            cloth_accept_at(b, &with_floor, step / 120.0, 1.0 / 120);
        }
        lowest[k] = lowest_of(b) - floor.point.y;
        if (k > 0) assert_less(distance(b->positions, b->positions + COUNT, COUNT), 1e-12);
        b->interface->destroy(b);
        doubled_release(&d);
    }
    assert_less(-0.001, lowest[0]);
    assert_less(-0.001, lowest[1]);
    assert_less(lowest[2], -0.5);
}

/* A point that never collides rests on nothing: a solve that holds points at colliders (solve/holds.h) leaves it free,
 * so cloth of such points falls through a floor as if it were not there. */
static void points_that_never_collide_are_not_held(void **state) {
    collider floor = floor_at(0);
    const unsigned char none[2 * COUNT] = {0};
    for (int is_doubled = 0; is_doubled < 2; is_doubled++) {
        vec3 at[2][2 * COUNT];
        for (int k = 0; k < 2; k++) {
            doubled d;
            doubled_make(&d, *state, INTEGRATOR_IMPLICIT);
            d.def.pin_def_count = 0;
            d.def.simulated = is_doubled ? (body_simulated){.mesh = d.copies, .shares = d.shares} : (body_simulated){0};
            d.def.simulated.collides = none;
            body *b;
            assert_ok(*state, cloth_create(d.mesh, &d.def, &b));
            floor.point.y = lowest_of(b) - 0.05;
            environment around = {.gravity = {0, -9.81, 0}, .colliders = &floor, .collider_count = (size_t)k};
            for (int step = 1; step <= 60; step++) {
                cloth_predict_at(b, &around, step / 120.0, 1.0 / 120);
                cloth_accept_at(b, &around, step / 120.0, 1.0 / 120);
            }
            assert_less(lowest_of(b), floor.point.y - 0.5);
            memcpy(at[k], b->positions, b->point_count * sizeof(vec3));
            b->interface->destroy(b);
            doubled_release(&d);
        }
        assert_memory_equal(at[0], at[1], (size_t)(is_doubled + 1) * COUNT * sizeof(vec3));
    }
}

/* ---- Maps. */

/* The points of a mesh in the opposite order, and the map from them to its vertices. */
static ruga_mesh *reversed(const ruga_mesh *mesh, ruga_map **visible) {
    size_t n = mesh->vertex_count;
    vec3 x[COUNT];
    uint32_t triangles[6 * COUNT];
    for (size_t i = 0; i < n; i++) x[n - 1 - i] = mesh->positions[i];
    for (size_t k = 0; k < 3 * mesh->triangle_count; k++) triangles[k] = (uint32_t)n - 1 - mesh->triangles[k];
    map_builder rows;
    assert_ok(mesh->context, map_builder_make(mesh->context, n, n, &rows));
    for (size_t v = 0; v < n; v++) {
        map_builder_put(&rows, (uint32_t)(n - 1 - v), 1);
        map_builder_end_row(&rows);
    }
    assert_ok(mesh->context, map_builder_finish(&rows, n, visible));
    return shape_make(mesh->context, n, x, mesh->triangle_count, NULL, triangles);
}

/* The mask is of points; the surface that contact sees has that of its vertices. */
static void the_mask_of_points_reaches_the_visible_surface(void **state) {
    doubled d;
    doubled_make(&d, *state, INTEGRATOR_IMPLICIT);
    ruga_map *visible;
    ruga_mesh *points = reversed(d.mesh, &visible);
    unsigned char mask[COUNT];
    for (size_t i = 0; i < COUNT; i++) mask[i] = i % 3 != 0;
    d.def.simulated = (body_simulated){.mesh = points, .visible = visible, .collides = mask};
    body *b;
    assert_ok(*state, cloth_create(d.mesh, &d.def, &b));
    assert_ptr_equal(b->collides, mask);
    cloth_predict_at(b, &windy, 1.0 / 60, 1.0 / 60);
    const contact_surface *surface = b->interface->surface(b);
    assert_int_equal(surface->mesh->vertex_count, COUNT);
    for (size_t v = 0; v < COUNT; v++) assert_int_equal(surface->collides[v], mask[COUNT - 1 - v]);
    b->interface->destroy(b);
    ruga_mesh_destroy(points);
    ruga_map_destroy(visible);
    doubled_release(&d);
}

/* Pins are vertices of the visible mesh, whatever the order of the points; a follower is pinned to the visible mesh,
 * also of a leader that becomes another one while it runs. */
static void pins_are_of_visible_vertices_and_follow_them(void **state) {
    vec3 seen[3][COUNT], follower_at[3][COUNT];
    for (int k = 0; k < 3; k++) {
        doubled d;
        doubled_make(&d, *state, INTEGRATOR_FILTER);
        const ruga_pin_key path[2] = {{0, {0, 0, 0}}, {1, {0.5, 0, 1}}};
        d.pins.keys = path;
        d.pins.key_count = 2;
        ruga_map *visible;
        ruga_mesh *points = reversed(d.mesh, &visible);
        const body_simulated other = {.mesh = points, .visible = visible};
        d.def.simulated = k == 1 ? other : (body_simulated){0};
        body *leader, *follower;
        assert_ok(*state, cloth_create(d.mesh, &d.def, &leader));
        cloth_def def = d.def;
        const uint32_t held[3] = {3, 8, 20};
        cloth_pin_def pins = {.count = 3, .vertices = held, .leader = leader};
        def.pins = &pins;
        def.simulated = (body_simulated){0};
        assert_ok(*state, cloth_create(d.mesh, &def, &follower));
        for (int step = 1; step <= 30; step++) {
            if (k == 2 && step == 15) {
                const body_change change = {.mesh = d.mesh, .simulated = other, .points_from_old = visible};
                assert_ok(*state, leader->interface->rebuild(leader, &change));
                leader->revision++;
            }
            cloth_predict_at(leader, &windy, step / 60.0, 1.0 / 60);
            cloth_predict_at(follower, &windy, step / 60.0, 1.0 / 60);
            cloth_accept_at(leader, &windy, step / 60.0, 1.0 / 60);
            cloth_accept_at(follower, &windy, step / 60.0, 1.0 / 60);
        }
        body_make_visible(leader, leader->positions, seen[k]);
        memcpy(follower_at[k], follower->positions, sizeof follower_at[k]);
        for (int p = 0; p < 3; p++) assert_less(vec3_distance(follower_at[k][held[p]], seen[k][held[p]]), 1e-9);
        for (int p = 0; p < 2; p++) {
            vec3 place = vec3_add_scaled(d.mesh->positions[d.corners[p]], path[1].move, 0.5);
            assert_less(vec3_distance(seen[k][d.corners[p]], place), 1e-12);
        }
        follower->interface->destroy(follower);
        leader->interface->destroy(leader);
        ruga_mesh_destroy(points);
        ruga_map_destroy(visible);
        doubled_release(&d);
    }
    for (int k = 1; k < 3; k++) {
        assert_less(distance(seen[0], seen[k], COUNT), 1e-9);
        assert_less(distance(follower_at[0], follower_at[k], COUNT), 1e-9);
    }
}

/* Cloth that is cut while it runs continues as before, with pins on their vertices. */
static void a_rebuild_may_change_what_is_simulated(void **state) {
    doubled d;
    doubled_make(&d, *state, INTEGRATOR_IMPLICIT);
    body *plain = make_cloth(&d, 0), *cut = make_cloth(&d, 0);
    run(plain, 20, 1.0 / 60);
    run(cut, 20, 1.0 / 60);
    body_simulated simulated = {.mesh = d.copies, .shares = d.shares, .bound = d.bound};
    body_change change = {.mesh = d.mesh, .points_from_old = d.bound};
    assert_status(cut->interface->rebuild(cut, &change), RUGA_ERROR_ARGUMENT);
    assert_int_equal(cut->point_count, COUNT);
    change.simulated = simulated;
    assert_ok(*state, cut->interface->rebuild(cut, &change));
    assert_int_equal(cut->point_count, 2 * COUNT);
    assert_ptr_equal(cut->simulated, d.copies);
    run(plain, 20, 1.0 / 60);
    run(cut, 20, 1.0 / 60);
    assert_less(distance(plain->positions, cut->positions, COUNT), 1e-8);
    plain->interface->destroy(plain);
    cut->interface->destroy(cut);
    doubled_release(&d);
}

/* ---- Springs, state. */

static void load_from(body *to, const body *from) {
    state_writer *writer;
    state_reader reader;
    const void *bytes;
    size_t size;
    assert_ok(to->context, state_writer_create(to->context, &writer));
    from->interface->save(from, writer);
    assert_ok(to->context, state_writer_finish(writer, &bytes, &size));
    assert_ok(to->context, state_reader_open(to->context, bytes, size, &reader));
    assert_ok(to->context, to->interface->load(to, &reader));
    memcpy(to->positions, from->positions, from->point_count * sizeof *from->positions);
    memcpy(to->velocities, from->velocities, from->point_count * sizeof *from->velocities);
    state_writer_destroy(writer);
}

/* Springs of half the length draw the sheet together, and a saved run continues bit-identically. */
static void springs_can_be_set_and_are_saved(void **state) {
    for (int is_doubled = 0; is_doubled < 2; is_doubled++) {
        doubled d;
        doubled_make(&d, *state, INTEGRATOR_IMPLICIT);
        body *b = make_cloth(&d, is_doubled), *loaded = make_cloth(&d, is_doubled);
        run(b, 5, 1.0 / 60);
        const spring_network *n = cloth_network(b);
        double before = n->rest_lengths[0];
        size_t set = 0;
        for (uint32_t i = 0; i < b->point_count; i++)
            for (size_t e = n->offsets[i]; e < n->edge_ends[i]; e++, set++)
                assert_ok(*state, cloth_set_spring(b, i, n->others[e], SPRING_EDGE,
                                                   n->others[e] > i ? n->rest_lengths[e] / 2 : n->rest_lengths[e],
                                                   n->stiffness[e]));
        assert_less(0, set);
        assert_true(n->rest_lengths[0] == before / 2);
        assert_ok(*state, cloth_set_axial(b, 0, 0.001, 2));
        run(b, 5, 1.0 / 60);
        assert_less(-0.7, b->positions[COUNT / 2].y);

        load_from(loaded, b);
        run(b, 5, 1.0 / 60);
        run(loaded, 5, 1.0 / 60);
        assert_memory_equal(b->positions, loaded->positions, b->point_count * sizeof *b->positions);
        assert_status(cloth_set_spring(b, 0, 0, SPRING_EDGE, 1, 1), RUGA_ERROR_ARGUMENT);
        b->interface->destroy(b);
        loaded->interface->destroy(loaded);
        doubled_release(&d);
    }
}

/* A state without springs that were set undoes those that were set in the cloth that loads it. */
static void a_state_of_springs_as_made_undoes_set_ones(void **state) {
    doubled d;
    doubled_make(&d, *state, INTEGRATOR_IMPLICIT);
    body *plain = make_cloth(&d, 1), *changed = make_cloth(&d, 1);
    run(plain, 5, 1.0 / 60);
    const spring_network *n = cloth_network(changed);
    assert_ok(*state, cloth_set_spring(changed, 0, n->others[0], SPRING_EDGE, 0.01, 99));
    assert_ok(*state, cloth_set_axial(changed, 0, 0.001, 2));
    load_from(changed, plain);
    assert_memory_equal(n->rest_lengths, cloth_network(plain)->rest_lengths, n->entry_count * sizeof(double));
    run(plain, 5, 1.0 / 60);
    run(changed, 5, 1.0 / 60);
    assert_memory_equal(plain->positions, changed->positions, plain->point_count * sizeof *plain->positions);
    plain->interface->destroy(plain);
    changed->interface->destroy(changed);
    doubled_release(&d);
}

/* Holds are of some integrators only; springs and the surface come after them in the state. */
static void a_state_of_another_integrator_brings_springs_and_surface(void **state) {
    for (int from = 0; from < 2; from++) {
        doubled d;
        doubled_make(&d, *state, from ? INTEGRATOR_IMPLICIT : INTEGRATOR_FILTER);
        body *saved = make_cloth(&d, 1), *loaded;
        d.def.values.integrator = from ? INTEGRATOR_FILTER : INTEGRATOR_IMPLICIT;
        loaded = make_cloth(&d, 1);
        const spring_network *n = cloth_network(saved), *m = cloth_network(loaded);
        assert_ok(*state, cloth_set_spring(saved, 0, n->others[0], SPRING_EDGE, 0.01, 99));
        run(saved, 5, 1.0 / 60);
        load_from(loaded, saved);
        assert_memory_equal(n->rest_lengths, m->rest_lengths, n->entry_count * sizeof(double));
        assert_memory_equal(n->stiffness, m->stiffness, n->entry_count * sizeof(double));
        vec3 seen[2][COUNT];
        body_make_visible(saved, saved->positions, seen[0]);
        body_make_visible(loaded, loaded->positions, seen[1]);
        assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
        saved->interface->destroy(saved);
        loaded->interface->destroy(loaded);
        doubled_release(&d);
    }
}

/* ---- The integrator, and refusals. */

static void keep_message(void *user, ruga_log_level level, const char *message) {
    (void)level;
    snprintf(user, 200, "%s", message);
}

static void bound_cloth_uses_implicit_unless_another_was_chosen(void **state) {
    (void)state;
    char message[200] = "";
    ruga_context_def context_def = ruga_context_def_default();
    context_def.log = keep_message;
    context_def.log_user = message;
    ruga_context *context;
    assert_status(ruga_context_create(&context_def, &context), RUGA_OK);
    doubled d;
    doubled_make(&d, context, INTEGRATOR_AUTO);
    body *b = make_cloth(&d, 0);
    assert_string_equal(message, "");
    b->interface->destroy(b);
    b = make_cloth(&d, 1);
    assert_non_null(strstr(message, "\"implicit\""));
    b->interface->destroy(b);
    d.def.values.integrator = INTEGRATOR_APPROXIMATE_IMPLICIT;
    assert_status(cloth_create(d.mesh, &d.def, &b), RUGA_ERROR_INPUT);
    assert_message_has(context, "approximate_implicit can't be used on a bound body");
    doubled_release(&d);
    ruga_context_destroy(context);
}

static void count_messages(void *user, ruga_log_level level, const char *message) {
    *(int *)user += level == RUGA_LOG_WARNING && strstr(message, "stopped after 1 iterations") != NULL;
}

static void a_solve_that_does_not_converge_is_reported_once(void **state) {
    (void)state;
    int count = 0;
    ruga_context_def context_def = ruga_context_def_default();
    context_def.log = count_messages;
    context_def.log_user = &count;
    ruga_context *context;
    assert_status(ruga_context_create(&context_def, &context), RUGA_OK);
    doubled d;
    doubled_make(&d, context, INTEGRATOR_IMPLICIT);
    body *b = make_cloth(&d, 0);
    run(b, 3, 1.0 / 60);
    assert_int_equal(count, 0);
    b->interface->destroy(b);
    d.def.values.iterations = 1;
    b = make_cloth(&d, 0);
    run(b, 3, 1.0 / 60);
    assert_int_equal(count, 1);
    b->interface->destroy(b);
    doubled_release(&d);
    ruga_context_destroy(context);
}

/* Cloth with a surface of its own, too: its state has more after the reports. */
static void a_saved_state_knows_what_was_reported(void **state) {
    (void)state;
    int count = 0;
    ruga_context_def context_def = ruga_context_def_default();
    context_def.log = count_messages;
    context_def.log_user = &count;
    ruga_context *context;
    assert_status(ruga_context_create(&context_def, &context), RUGA_OK);
    for (int is_doubled = 0; is_doubled < 2; is_doubled++) {
        doubled d;
        doubled_make(&d, context, INTEGRATOR_IMPLICIT);
        body *silent = make_cloth(&d, is_doubled);
        d.def.values.iterations = 1;
        body *first = make_cloth(&d, is_doubled), *second = make_cloth(&d, is_doubled);
        count = 0;
        load_from(first, silent);
        run(first, 3, 1.0 / 60);
        assert_equal_case(count, 1, "doubled %d", is_doubled);
        load_from(second, first);
        run(second, 3, 1.0 / 60);
        assert_equal_case(count, 1, "doubled %d", is_doubled);
        load_from(second, silent);
        run(second, 3, 1.0 / 60);
        assert_equal_case(count, 2, "doubled %d", is_doubled);
        body *const all[] = {silent, first, second};
        for (size_t k = 0; k < 3; k++) all[k]->interface->destroy(all[k]);
        doubled_release(&d);
    }
    ruga_context_destroy(context);
}

static void simulations_that_do_not_fit_are_refused(void **state) {
    doubled d;
    doubled_make(&d, *state, INTEGRATOR_IMPLICIT);
    body *b = NULL;
    const uint32_t both[2] = {0, 1};
    cloth_pin_def copies = {.count = 2, .vertices = both};
    ruga_map *small = make_ties(*state, COUNT, COUNT - 1), *tied = make_ties(*state, COUNT, 1);

    d.def.simulated = (body_simulated){.visible = small};
    assert_status(cloth_create(d.mesh, &d.def, &b), RUGA_ERROR_INPUT);
    assert_message_has(*state, "can't show");
    d.def.simulated = (body_simulated){.bound = tied};
    d.def.pins = &copies;
    assert_status(cloth_create(d.mesh, &d.def, &b), RUGA_ERROR_INPUT);
    assert_message_has(*state, "points 0 and 1 are both pinned, but they are bound to be one");
    d.def.pin_def_count = 0;
    d.def.values.stretch_limit = 0.1;
    assert_status(cloth_create(d.mesh, &d.def, &b), RUGA_ERROR_INPUT);
    assert_message_has(*state, "can't have a stretch limit");
    d.def.values.stretch_limit = 0;
    d.def.simulated = (body_simulated){.mesh = d.copies, .bound = small};
    assert_status(cloth_create(d.mesh, &d.def, &b), RUGA_ERROR_INPUT);
    assert_message_has(*state, "a binding of 36 points can't bind 72");
    assert_null(b);
    ruga_map_destroy(small);
    ruga_map_destroy(tied);
    doubled_release(&d);
}

static void a_step_allocates_nothing(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = context_counting(&counter);
        doubled d;
        doubled_make(&d, context, kinds[k]);
        body *b = make_cloth(&d, 1);
        run(b, 2, 1.0 / 2000);
        long before = counter.allocations;
        run(b, 3, 1.0 / 2000);
        assert_int_equal(counter.allocations, before);
        b->interface->destroy(b);
        doubled_release(&d);
        ruga_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_with_shares_move_as_the_whole),
        cmocka_unit_test(inverse_masses_have_the_pins_and_a_revision),
        cmocka_unit_test(contact_moves_bound_points_within_their_binding),
        cmocka_unit_test(colliders_stop_bound_cloth_and_miss_points_that_never_collide),
        cmocka_unit_test(points_that_never_collide_are_not_held),
        cmocka_unit_test(the_mask_of_points_reaches_the_visible_surface),
        cmocka_unit_test(pins_are_of_visible_vertices_and_follow_them),
        cmocka_unit_test(a_rebuild_may_change_what_is_simulated),
        cmocka_unit_test(springs_can_be_set_and_are_saved),
        cmocka_unit_test(a_state_of_springs_as_made_undoes_set_ones),
        cmocka_unit_test(a_state_of_another_integrator_brings_springs_and_surface),
        cmocka_unit_test(a_solve_that_does_not_converge_is_reported_once),
        cmocka_unit_test(a_saved_state_knows_what_was_reported),
        cmocka_unit_test(bound_cloth_uses_implicit_unless_another_was_chosen),
        cmocka_unit_test(simulations_that_do_not_fit_are_refused),
        cmocka_unit_test(a_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
