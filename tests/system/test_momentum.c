/* Bodies get the momentum that contact exerts on their surfaces, through the map's transpose. */
#include <math.h>

#include "support/subdivided.h"
#include "system/fixture.h"

#define DT (1.0 / 96)

/* Momentum and its moment that a body got from contact in the last substep: the test's bodies leave their candidates
 * as they were before contact. */
static ruga_vec3 gained(const body *b) {
    ruga_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < b->point_count; i++)
        sum = vec3_add_scaled(sum, vec3_sub(b->velocities[i], b->candidate_velocities[i]), b->masses[i]);
    return sum;
}

static ruga_vec3 gained_turning(const body *b) {
    ruga_vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < b->point_count; i++) {
        ruga_vec3 change = vec3_sub(b->velocities[i], b->candidate_velocities[i]);
        sum = vec3_add_scaled(sum, vec3_cross(b->candidate_positions[i], change), b->masses[i]);
    }
    return sum;
}

static void assert_vec3_near(ruga_vec3 a, ruga_vec3 b, double tolerance) {
    assert_at_most_case(vec3_distance(a, b), tolerance, "(%g, %g, %g) is not (%g, %g, %g)", a.x, a.y, a.z, b.x, b.y,
                        b.z);
}

/* A sheet that falls upon another, finer one which is embedded in a coarse net of points. */
typedef struct pair {
    ruga_mesh *coarse, *upper;
    fine lower;
    world *w;
    body *a, *b;
    test_contact *contact;
} pair;

static pair pair_make(ruga_context *context, ruga_vec3 velocity, double lower_mass) {
    pair p = {.coarse = shape_sheet(context, 3, 3), .upper = shape_sheet(context, 5, 5)};
    p.lower = subdivide(p.coarse, RUGA_SUBDIVIDE_REGULAR, 3, 0);
    assert_ok(context, world_create(context, &p.w));
    p.a = add_test_body(context, p.w, p.upper,
                        &(test_body_def){.name = "upper", .mass = 0.5, .stiffness = 20, .velocity = velocity});
    p.b = add_test_body(
        context, p.w, p.lower.mesh,
        &(test_body_def){
            .name = "lower", .mass = lower_mass, .stiffness = 30, .coarse = p.coarse, .embedding = p.lower.map});
    for (size_t i = 0; i < p.a->point_count; i++)
        p.a->positions[i] = vec3_add(p.a->positions[i], (ruga_vec3){0.04, 0.15, 0.03});
    p.contact = add_test_contact(context, p.w, &(test_contact_def){.distance = 0.12});
    return p;
}

static void pair_release(pair *p) {
    world_destroy(p->w);
    fine_release(p->lower);
    ruga_mesh_destroy(p->coarse);
    ruga_mesh_destroy(p->upper);
}

static void momentum_is_handed_back_through_the_map(void **state) {
    ruga_context *context = *state;
    pair p = pair_make(context, (ruga_vec3){0.2, -3, 0.1}, 2);
    ruga_vec3 before = vec3_add(test_momentum(p.a), test_momentum(p.b));
    ruga_vec3 turning_before = vec3_add(test_angular_momentum(p.a), test_angular_momentum(p.b));
    double scale = vec3_length(before), pushed = 0;
    for (int i = 1; i <= 40; i++) {
        ruga_vec3 upper = test_momentum(p.a);
        assert_ok(context, world_step(p.w, i * DT, 1, 1, 1));

        /* Each body got what contact exerted upon its surface, and its moment. */
        assert_vec3_near(gained(p.a), p.contact->impulse[0], 1e-13 * scale);
        assert_vec3_near(gained(p.b), p.contact->impulse[1], 1e-13 * scale);
        assert_vec3_near(gained_turning(p.a), p.contact->turning[0], 1e-13 * scale);
        assert_vec3_near(gained_turning(p.b), p.contact->turning[1], 1e-13 * scale);
        /* Springs are inner forces: nothing else changes a body's momentum. */
        assert_vec3_near(vec3_sub(test_momentum(p.a), upper), p.contact->impulse[0], 1e-12 * scale);
        /* Between the two nothing is lost; central impulses do not turn the whole. */
        assert_vec3_near(vec3_add(gained(p.a), gained(p.b)), (ruga_vec3){0, 0, 0}, 1e-13 * scale);
        assert_vec3_near(vec3_add(gained_turning(p.a), gained_turning(p.b)), (ruga_vec3){0, 0, 0}, 1e-13 * scale);
        pushed += vec3_length(p.contact->impulse[0]);
    }
    assert_less(0.5 * scale, pushed);
    assert_vec3_near(vec3_add(test_momentum(p.a), test_momentum(p.b)), before, 1e-12 * scale);

    /* Semi-implicit Euler keeps the angular momentum of the predicted trajectory exactly; contact acts at the
     * candidates and then moves them, which is an error of first order in dt. */
    ruga_vec3 turning = vec3_add(test_angular_momentum(p.a), test_angular_momentum(p.b));
    assert_vec3_near(turning, turning_before, 0.05 * scale);
    assert_less(p.b->velocities[5].y, 0);
    pair_release(&p);
}

/* x += dt M⁻¹ Wᵀ I */
static void positions_go_where_the_impulses_lead(void **state) {
    ruga_context *context = *state;
    pair p = pair_make(context, (ruga_vec3){0, -6, 0}, 2);
    int touched = 0;
    for (int i = 1; i <= 12; i++) {
        assert_ok(context, world_step(p.w, i * DT, 1, 1, 1));
        for (size_t k = 0; k < p.b->point_count; k++) {
            ruga_vec3 change = vec3_sub(p.b->velocities[k], p.b->candidate_velocities[k]);
            assert_vec3_near(p.b->positions[k], vec3_add_scaled(p.b->candidate_positions[k], change, DT), 1e-14);
            touched += vec3_length(change) > 0;
        }
    }
    assert_less(0, touched);
    pair_release(&p);
}

static void accept_takes_bit_identical_candidates(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    body *b;
    assert_ok(context, test_body_create(mesh, &(test_body_def){.name = "a", .mass = 3}, &b));
    ruga_vec3 candidate[9], impulses[9] = {{0}};
    double masses[9] = {3, 3, 0, 3, 3, 3, 3, INFINITY, 3};
    b->masses = masses;
    for (size_t i = 0; i < 9; i++) {
        candidate[i] = (ruga_vec3){0.1 * (double)i, 0.7, 1.0 / 3};
        impulses[i] = (ruga_vec3){0, 6, 0};
        b->candidate_velocities[i] = (ruga_vec3){1, 0, 0};
    }
    const contact_surface surface = {.mesh = mesh, .candidate = candidate, .impulses = impulses};
    assert_ok(context, body_accept_impulses(b, &surface, 0.1));
    assert_memory_equal(b->positions, candidate, sizeof candidate);
    for (size_t i = 0; i < 9; i++) {
        assert_equal_case(b->velocities[i].x, 1, "i %zu", i);
        /* Points without mass, and those of infinite mass, are moved by nothing. */
        assert_equal_case(b->velocities[i].y, i == 2 || i == 7 ? 0 : 2, "i %zu", i);
    }
    /* Without a surface, and without masses, the candidates are taken. */
    b->candidate_positions[4].x = 77;
    assert_ok(context, body_accept_impulses(b, NULL, 0.1));
    assert_memory_equal(b->positions, b->candidate_positions, sizeof candidate);
    b->masses = NULL;
    b->candidate_positions[4].x = 78;
    assert_ok(context, body_accept_impulses(b, &surface, 0.1));
    assert_equal(b->positions[4].x, 78);
    b->interface->destroy(b);
    ruga_mesh_destroy(mesh);
}

/* A kinematic body is felt, and feels nothing. */
static void a_moving_wall_pushes_and_is_not_pushed(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 4, 4);
    const ruga_rigid_key keys[2] = {{0, {0, -1, 0}, {0, 0, 0}}, {1, {0, 1, 0}, {0, 0, 0}}};
    world *w;
    body *wall;
    size_t object;
    assert_ok(context, world_create(context, &w));
    assert_ok(context, body_rigid_create(mesh, (ruga_vec3){0, 0, 0}, keys, 2, &wall));
    assert_ok(context, world_add_object(w, "wall", wall, &object));
    body *net = add_test_body(context, w, mesh, &(test_body_def){.name = "net", .mass = 1, .stiffness = 5});
    test_contact *touch = add_test_contact(context, w, &(test_contact_def){.distance = 0.1});
    assert_ok(context, world_settle(w, 0, 1));
    for (int i = 1; i <= 96; i++) {
        ruga_vec3 before = test_momentum(net);
        assert_ok(context, world_step(w, i * DT, 1, 1, 1));
        assert_vec3_near(vec3_sub(test_momentum(net), before), touch->impulse[1], 1e-12);
        assert_vec3_near(touch->impulse[0], vec3_scale(touch->impulse[1], -1), 1e-12);
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        assert_vec3_near(wall->positions[i], vec3_add(mesh->positions[i], (ruga_vec3){0, 1, 0}), 1e-15);
        assert_vec3_near(wall->velocities[i], (ruga_vec3){0, 2, 0}, 1e-12);
        /* The net goes at the wall's speed at least. */
        assert_less_case(1.9, net->velocities[i].y, "i %zu", i);
    }
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

/* ---- A part that collides in place of its body. */

static void a_parts_surface_collides_for_its_body(void **state) {
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 3, 3), *other = shape_sheet(context, 5, 5);
    fine finer = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0);
    const test_detail_def details[2] = {{.name = "d", .surface = finer.mesh, .surface_map = finer.map},
                                        {.name = "d", .surface = mesh}};
    for (int mapped = 0; mapped < 2; mapped++) {
        world *w;
        assert_ok(context, world_create(context, &w));
        body *a = add_test_body(context, w, mesh,
                                &(test_body_def){.name = "a", .mass = 1, .stiffness = 9, .velocity = {0, -3, 0}});
        body *b = add_test_body(context, w, other, &(test_body_def){.name = "b", .mass = 1, .stiffness = 9});
        for (size_t i = 0; i < a->point_count; i++) a->positions[i].y += 0.15;
        add_test_detail(context, w, 0, &details[mapped]);
        test_contact *touch = add_test_contact(context, w, &(test_contact_def){.distance = 0.12});
        ruga_vec3 before = vec3_add(test_momentum(a), test_momentum(b));
        double pushed = 0;
        for (int i = 1; i <= 20; i++) {
            assert_ok(context, world_step(w, i * DT, 1, 1, 1));
            assert_vec3_near(gained(a), touch->impulse[0], 1e-12);
            assert_vec3_near(gained_turning(a), touch->turning[0], 1e-12);
            for (size_t k = 0; k < a->point_count; k++) {
                ruga_vec3 change = vec3_sub(a->velocities[k], a->candidate_velocities[k]);
                assert_vec3_near(a->positions[k], vec3_add_scaled(a->candidate_positions[k], change, DT), 1e-14);
            }
            pushed += vec3_length(touch->impulse[0]);
        }
        assert_less_case(1, pushed, "mapped %d", mapped);
        assert_vec3_near(vec3_add(test_momentum(a), test_momentum(b)), before, 1e-11);
        world_destroy(w);
    }
    fine_release(finer);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(other);
}

/* The body's own surface is mapped from its points, and so is that of its part. */
static void a_parts_surface_collides_for_an_embedded_body(void **state) {
    ruga_context *context = *state;
    ruga_mesh *coarse = shape_sheet(context, 3, 3), *other = shape_sheet(context, 5, 5);
    fine finer = subdivide(coarse, RUGA_SUBDIVIDE_REGULAR, 2, 0),
         finest = subdivide(coarse, RUGA_SUBDIVIDE_REGULAR, 3, 0);
    world *w;
    assert_ok(context, world_create(context, &w));
    body *a = add_test_body(
        context, w, finer.mesh,
        &(test_body_def){
            .name = "a", .mass = 1, .stiffness = 9, .velocity = {0, -3, 0}, .coarse = coarse, .embedding = finer.map});
    body *b = add_test_body(context, w, other, &(test_body_def){.name = "b", .mass = 1, .stiffness = 9});
    for (size_t i = 0; i < a->point_count; i++) a->positions[i].y += 0.15;
    add_test_detail(context, w, 0, &(test_detail_def){.name = "d", .surface = finest.mesh, .surface_map = finest.map});
    test_contact *touch = add_test_contact(context, w, &(test_contact_def){.distance = 0.12});
    ruga_vec3 before = vec3_add(test_momentum(a), test_momentum(b));
    double pushed = 0;
    for (int i = 1; i <= 20; i++) {
        assert_ok(context, world_step(w, i * DT, 1, 1, 1));
        assert_vec3_near(gained(a), touch->impulse[0], 1e-12);
        assert_vec3_near(gained_turning(a), touch->turning[0], 1e-12);
        pushed += vec3_length(touch->impulse[0]);
    }
    assert_less(1, pushed);
    assert_vec3_near(vec3_add(test_momentum(a), test_momentum(b)), before, 1e-11);
    world_destroy(w);
    fine_release(finer);
    fine_release(finest);
    ruga_mesh_destroy(coarse);
    ruga_mesh_destroy(other);
}

static void another_contact_takes_the_place_of_the_first(void **state) {
    ruga_context *context = *state;
    call_log log = {0};
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 1});
    add_test_contact(context, w, &(test_contact_def){.log = &log});
    add_test_contact(context, w, &(test_contact_def){.log = &log});
    assert_ok(context, world_step(w, DT, 1, 1, 1));
    assert_string_equal(log.text, "contact.resolve ");
    assert_ok(context, world_set_contact(w, NULL));
    assert_ok(context, world_step(w, 2 * DT, 1, 1, 1));
    assert_string_equal(log.text, "contact.resolve ");
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

/* A contact that remembers whom it saw. */
typedef struct witness {
    contact base;
    char names[64];
} witness;

static ruga_status witness_resolve(contact *c, contact_surface *const *surfaces, size_t count, double dt) {
    witness *self = (witness *)c;
    (void)dt;
    self->names[0] = 0;
    for (size_t i = 0; i < count; i++) strcat(strcat(self->names, surfaces[i]->name), " ");
    return RUGA_OK;
}
static void witness_destroy(contact *c) { (void)c; }

static void contact_sees_those_that_collide_by_their_names(void **state) {
    static const contact_interface interface = {.resolve = witness_resolve, .destroy = witness_destroy};
    ruga_context *context = *state;
    witness seen = {.base = {.interface = &interface, .context = context}};
    ruga_mesh *mesh = shape_sheet(context, 2, 2);
    world *w;
    assert_ok(context, world_create(context, &w));
    add_test_body(context, w, mesh, &(test_body_def){.name = "a", .mass = 1});
    body *b = add_test_body(context, w, mesh, &(test_body_def){.name = "b", .mass = 1});
    add_test_body(context, w, mesh, &(test_body_def){.name = "c", .mass = 1});
    assert_ok(context, world_set_contact(w, &seen.base));
    assert_ok(context, world_step(w, DT, 1, 1, 1));
    assert_string_equal(seen.names, "a b c ");
    b->touch.collides = 0;
    assert_ok(context, world_step(w, 2 * DT, 1, 1, 1));
    assert_string_equal(seen.names, "a c ");
    world_destroy(w);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_handed_back_through_the_map),
        cmocka_unit_test(positions_go_where_the_impulses_lead),
        cmocka_unit_test(accept_takes_bit_identical_candidates),
        cmocka_unit_test(a_moving_wall_pushes_and_is_not_pushed),
        cmocka_unit_test(a_parts_surface_collides_for_its_body),
        cmocka_unit_test(a_parts_surface_collides_for_an_embedded_body),
        cmocka_unit_test(another_contact_takes_the_place_of_the_first),
        cmocka_unit_test(contact_sees_those_that_collide_by_their_names),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
