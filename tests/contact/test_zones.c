/* Impacts and zones by themselves: what each conserves. */
#include "contact/zones.h"

#include <math.h>

#include "contact/impacts.h"
#include "math/vec3.h"
#include "support/shapes.h"
#include "support/surfaces.h"

#define SEPARATION 0.1

/* Two triangles in one mesh, which collide on their trajectories. */
typedef struct clash {
    ruga_mesh *mesh;
    test_surface surface;
    contact_mesh *all;
    broad *broad;
    trajectories trajectories;
} clash;

static void clash_make(clash *c, ruga_context *context, size_t vertices, const ruga_vec3 *from, const ruga_vec3 *to,
                       const double *inverse_masses, double friction) {
    const uint32_t faces[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    c->mesh = shape_make(context, vertices, from, vertices / 3, NULL, faces);
    test_surface_init(&c->surface, "clash", c->mesh, 1, 0.01);
    c->surface.surface.friction = friction;
    memcpy(c->surface.candidate, to, vertices * sizeof *to);
    memcpy(c->surface.inverse_masses, inverse_masses, vertices * sizeof *inverse_masses);
    contact_surface *surfaces[1] = {&c->surface.surface};
    assert_ok(context, contact_mesh_create(context, surfaces, 1, &c->all));
    assert_ok(context, broad_create(c->all, NULL, 0, &c->broad));
    assert_ok(context, trajectories_init(&c->trajectories, c->all, c->broad, SEPARATION, NULL, 0));
    assert_ok(context, trajectories_find(&c->trajectories));
    assert_ok(context, trajectories_check(&c->trajectories, NULL, NULL));
}

static void clash_release(clash *c) {
    trajectories_release(&c->trajectories);
    broad_destroy(c->broad);
    contact_mesh_destroy(c->all);
    test_surface_release(&c->surface);
    ruga_mesh_destroy(c->mesh);
}

/* Random triangles, apart at the start, whose trajectories cross. */
static void random_clash(test_random *random, ruga_vec3 from[6], ruga_vec3 to[6], double inverse_masses[6]) {
    do {
        for (int i = 0; i < 6; i++) {
            from[i] = vec3_add(random_vec3(random, -1, 1), (vec3){0, i < 3 ? 0.8 : -0.8, 0});
            to[i] = vec3_add(from[i], vec3_add(random_vec3(random, -0.3, 0.3), (vec3){0, i < 3 ? -1.5 : 1.5, 0}));
            inverse_masses[i] = random_between(random, 0.5, 20);
        }
    } while (triangles_intersect(from, from + 3));
}

static ruga_vec3 momentum(const ruga_vec3 *from, const ruga_vec3 *to, const double *inverse_masses, int count) {
    ruga_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++) sum = vec3_add_scaled(sum, vec3_sub(to[i], from[i]), 1 / inverse_masses[i]);
    return sum;
}

/* Of displacements, about the origin, with the vertices at `at`. */
static ruga_vec3 moment(const ruga_vec3 *at, const ruga_vec3 *from, const ruga_vec3 *to, const double *inverse_masses,
                        int count) {
    ruga_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++)
        sum = vec3_add_scaled(sum, vec3_cross(at[i], vec3_sub(to[i], from[i])), 1 / inverse_masses[i]);
    return sum;
}

/* One impact at a time: its positions are those of its own time. */
static void an_impact_conserves_momentum_and_angular_momentum_at_its_time(void **state) {
    test_random random = {21};
    int seen = 0;
    for (int round = 0; round < 200; round++) {
        ruga_vec3 from[6], to[6], at[6];
        double inverse_masses[6];
        random_clash(&random, from, to, inverse_masses);
        clash c;
        clash_make(&c, *state, 6, from, to, inverse_masses, round % 2 ? 0.7 : 0);
        if (c.trajectories.collisions.count > 0) {
            c.trajectories.collisions.count = 1;
            double time = c.trajectories.collisions.items[0].time;
            for (int i = 0; i < 6; i++) at[i] = vec3_mix(from[i], to[i], time);
            impacts all = {0};
            assert_ok(*state, impacts_add(&all, &c.trajectories));
            seen += all.items.count > 0;
            impacts_solve(&all, &c.trajectories);
            for (size_t k = 0; k < all.items.count; k++) {
                const impact *i = &all.items.items[k];
                double gap = 0;
                for (int v = 0; v < 4; v++) gap += i->weights[v] * vec3_dot(i->normal, c.all->to[i->vertices[v]]);
                assert_less(0, i->normal_sum);
                assert_less(i->target - 1e-3, gap);
                assert_at_most(vec3_length(i->friction_sum), i->friction * i->normal_sum * (1 + 1e-12));
            }
            assert_less(
                vec3_distance(momentum(from, to, inverse_masses, 6), momentum(from, c.all->to, inverse_masses, 6)),
                1e-12);
            assert_less(
                vec3_distance(moment(at, from, to, inverse_masses, 6), moment(at, from, c.all->to, inverse_masses, 6)),
                1e-11);
            impacts_release(&all);
        }
        clash_release(&c);
    }
    assert_less(50, seen);
}

static void a_zone_moves_rigidly_with_the_momenta_of_what_it_replaces(void **state) {
    test_random random = {22};
    int seen = 0;
    for (int round = 0; round < 200; round++) {
        ruga_vec3 from[6], to[6];
        double inverse_masses[6];
        random_clash(&random, from, to, inverse_masses);
        clash c;
        zones z;
        clash_make(&c, *state, 6, from, to, inverse_masses, 0);
        assert_ok(*state, zones_init(&z, *state, 6));
        assert_ok(*state, zones_resolve(&z, &c.trajectories, INFINITY));
        assert_int_equal(z.stuck.count, 0);
        assert_false(triangles_intersect(c.all->to, c.all->to + 3));
        assert_less(vec3_distance(momentum(from, to, inverse_masses, 6), momentum(from, c.all->to, inverse_masses, 6)),
                    1e-11);
        assert_less(
            vec3_distance(moment(from, from, to, inverse_masses, 6), moment(from, from, c.all->to, inverse_masses, 6)),
            1e-11);
        /* The rate at which distances change, (x - y)·(u - v), is zero within a zone. */
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < i; k++) {
                if (z.zone_of[i] == UINT32_MAX || z.zone_of[i] != z.zone_of[k]) continue;
                ruga_vec3 apart = vec3_sub(from[i], from[k]);
                ruga_vec3 change = vec3_sub(vec3_sub(c.all->to[i], from[i]), vec3_sub(c.all->to[k], from[k]));
                assert_less(fabs(vec3_dot(apart, change)), 1e-12);
                seen++;
            }
        zones_release(&z);
        clash_release(&c);
    }
    assert_less(100, seen);
}

/* The second triangle is kinematic and turns: what it meets goes along, to the rounding. */
static void a_zone_goes_with_what_it_touches(void **state) {
    test_random random = {23};
    int carried = 0;
    for (int round = 0; round < 200; round++) {
        ruga_vec3 from[6], to[6], axis = vec3_normalise(random_vec3(&random, -1, 1));
        double inverse_masses[6], angle = random_between(&random, 0, 0.8);
        random_clash(&random, from, to, inverse_masses);
        for (int i = 3; i < 6; i++) {
            ruga_vec3 along = vec3_scale(axis, vec3_dot(axis, from[i])), across = vec3_sub(from[i], along);
            to[i] =
                vec3_add(along, vec3_add_scaled(vec3_scale(across, cos(angle)), vec3_cross(axis, across), sin(angle)));
            inverse_masses[i] = 0;
        }
        clash c;
        zones z;
        clash_make(&c, *state, 6, from, to, inverse_masses, 0);
        assert_ok(*state, zones_init(&z, *state, 6));
        assert_ok(*state, zones_resolve(&z, &c.trajectories, INFINITY));
        assert_int_equal(z.stuck.count, 0);
        assert_false(triangles_intersect(c.all->to, c.all->to + 3));
        for (int i = 3; i < 6; i++) assert_true(vec3_distance(c.all->to[i], to[i]) == 0);
        for (int i = 0; i < 3; i++) carried += z.zone_of[i] != UINT32_MAX && z.kind[z.zone_of[i]] == ZONE_CARRIED;
        zones_release(&z);
        clash_release(&c);
    }
    assert_less(50, carried);
}

/* The kinematic triangles close on the one between them: it has no room, and is reported as stuck. */
static void what_has_no_room_is_stuck(void **state) {
    const ruga_vec3 from[9] = {{0, 0, 0},    {1, 0, 0},      {0, 0, 1},     {-1, 0.5, -1}, {3, 0.5, -1},
                               {-1, 0.5, 3}, {-1, -0.5, -1}, {3, -0.5, -1}, {-1, -0.5, 3}};
    const double inverse_masses[9] = {1, 1, 1, 0, 0, 0, 0, 0, 0};
    ruga_vec3 to[9];
    for (int i = 0; i < 9; i++) to[i] = (vec3){from[i].x, i < 3 ? 0 : -from[i].y, from[i].z};
    clash c;
    zones z;
    clash_make(&c, *state, 9, from, to, inverse_masses, 0);
    assert_ok(*state, zones_init(&z, *state, 9));
    assert_ok(*state, zones_resolve(&z, &c.trajectories, INFINITY));
    assert_less(0, z.stuck.count);
    /* Ignored pairs do not count any more. */
    assert_ok(*state, trajectories_ignore(&c.trajectories, &z.stuck));
    assert_ok(*state, trajectories_find(&c.trajectories));
    assert_ok(*state, trajectories_check(&c.trajectories, NULL, NULL));
    assert_int_equal(c.trajectories.collisions.count, 0);
    zones_release(&z);
    clash_release(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_conserves_momentum_and_angular_momentum_at_its_time),
        cmocka_unit_test(a_zone_moves_rigidly_with_the_momenta_of_what_it_replaces),
        cmocka_unit_test(a_zone_goes_with_what_it_touches),
        cmocka_unit_test(what_has_no_room_is_stuck),
    };
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
