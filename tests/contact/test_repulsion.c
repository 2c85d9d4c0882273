/* Repulsion: its impulses conserve what they must, friction is Coulomb's, what rests stays. */
#include "contact/repulsion_parts.h"
#include "contact/repulsion_stage.h"

static const double thickness = 0.01;

/* ---- Rows: what is measured, and what impulses conserve. */

static pair_row random_row(test_random *random, pair_kind kind, vec3 x[4], double distance, int inside) {
    for (;;) {
        for (int k = 0; k < 4; k++) x[k] = random_vec3(random, -1, 1);
        pair_gap gap = gap_of(kind, x);
        if (ends_at_border(&gap) == inside) continue;
        /* Brought to the distance. */
        vec3 shift = vec3_scale(gap.direction, distance - gap.distance);
        for (int k = 0; k < (kind == PAIR_EDGE_EDGE ? 2 : 1); k++) x[k] = vec3_add(x[k], shift);
        double inverse_masses[4];
        uint32_t part_of[4] = {0};
        contact_part part = {.thickness = 2 * distance, .friction = 0.7};
        for (int k = 0; k < 4; k++) inverse_masses[k] = random_between(random, 0.5, 2);
        contact_mesh m = {.parts = &part, .part_of = part_of, .inverse_masses = inverse_masses, .from = x};
        contact_pair pair = {.vertices = {0, 1, 2, 3}, .kind = (uint32_t)kind};
        touch t = {.past = NO_PAST, .thickness = 2 * distance, .gap = gap_of(kind, x)};
        repulsion r = {.law = stage_law(), .touches = {&t, 1, 1}};
        return row_of(&r, &m, &pair, &t, 0.01);
    }
}

static void a_pair_that_turns_as_a_whole_neither_approaches_nor_slips(void **state) {
    (void)state;
    test_random random = {1};
    for (int i = 0; i < 4000; i++) {
        vec3 x[4];
        double distance = random_between(&random, 0, 0.3);
        pair_row row = random_row(&random, (pair_kind)(i % 2), x, distance, i / 2 % 2);
        vec3 turn = random_vec3(&random, -1, 1), shift = random_vec3(&random, -1, 1);
        moving_vertex v[4];
        for (int k = 0; k < 4; k++) v[k].velocity = vec3_add(shift, vec3_cross(turn, x[k]));
        double approach, slip[2];
        row_motion(&row, v, &approach, slip);
        assert_near(approach, 0, 1e-13);
        assert_less(hypot(slip[0], slip[1]), 1e-13);
    }
}

/* The slip is the relative velocity without the change of the gap vector's length and direction, by central
 * differences. */
static void slip_is_what_the_turning_of_the_gap_leaves(void **state) {
    (void)state;
    test_random random = {2};
    const double h = 1e-5;
    int tried = 0;
    for (int i = 0; i < 4000; i++) {
        pair_kind kind = (pair_kind)(i % 2);
        vec3 x[4], before[4], after[4];
        pair_row row = random_row(&random, kind, x, random_between(&random, 0.01, 0.3), 1);
        moving_vertex v[4];
        vec3 relative = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            v[k].velocity = random_vec3(&random, -1, 1);
            relative = vec3_add_scaled(relative, v[k].velocity, row.weights[k]);
            before[k] = vec3_add_scaled(x[k], v[k].velocity, -h);
            after[k] = vec3_add_scaled(x[k], v[k].velocity, h);
        }
        pair_gap a = gap_of(kind, before), b = gap_of(kind, after), now = gap_of(kind, x);
        if (ends_at_border(&a) || ends_at_border(&b) || vec3_length2(row.tangents[1]) == 0) continue;
        double approach, slip[2], change = (b.distance - a.distance) / (2 * h);
        vec3 turning = vec3_scale(vec3_sub(b.direction, a.direction), now.distance / (2 * h));
        vec3 expected = vec3_sub(vec3_add_scaled(relative, now.direction, -change), turning);
        row_motion(&row, v, &approach, slip);
        vec3 found = vec3_add(vec3_scale(row.tangents[0], slip[0]), vec3_scale(row.tangents[1], slip[1]));
        assert_near(approach, change, 1e-5);
        assert_less(vec3_distance(found, expected), 1e-4 * (1 + vec3_length(turning)));
        tried++;
    }
    assert_less(2000, tried);
}

/* Seen from its tip, a needle has no direction to turn about: friction needs one that is held. */
static void a_needle_rubs_only_where_something_holds_it(void **state) {
    (void)state;
    vec3 x[4] = {{0, 0.01, 0}, {0, 0, 0}, {0, -1, 0}, {0, -2, 0}};
    uint32_t part_of[4] = {0};
    contact_part part = {.thickness = 0.02, .friction = 0.7};
    contact_pair pair = {.vertices = {0, 1, 2, 3}, .kind = PAIR_VERTEX_TRIANGLE};
    touch t = {.past = NO_PAST, .thickness = 0.02, .gap = gap_of(PAIR_VERTEX_TRIANGLE, x)};
    repulsion r = {.law = stage_law(), .touches = {&t, 1, 1}};
    for (int held = 0; held < 2; held++) {
        double inverse_masses[4] = {1, !held, !held, !held};
        contact_mesh m = {.parts = &part, .part_of = part_of, .inverse_masses = inverse_masses, .from = x};
        pair_row row = row_of(&r, &m, &pair, &t, 0.01);
        for (int k = 0; k < 2; k++) {
            assert_near(vec3_length(row.tangents[k]), held, 1e-12);
            assert_less(fabs(vec3_dot(row.tangents[k], row.normal)), 1e-12);
        }
        assert_less(fabs(vec3_dot(row.tangents[0], row.tangents[1])), 1e-12);
    }
}

typedef struct motion_sum {
    vec3 momentum, moment; /* kg m/s, kg m²/s at the start positions */
    double energy;         /* J */
} motion_sum;

static motion_sum sum_motion(const stage *s) {
    motion_sum sum = {{0, 0, 0}, {0, 0, 0}, 0};
    const contact_mesh *m = s->mesh;
    for (size_t i = 0; i < m->vertex_count; i++) {
        vec3 v = vec3_scale(vec3_sub(m->to[i], m->from[i]), 1 / (s->dt * m->inverse_masses[i]));
        sum.momentum = vec3_add(sum.momentum, v);
        sum.moment = vec3_add(sum.moment, vec3_cross(m->from[i], v));
        sum.energy += vec3_length2(v) * m->inverse_masses[i] / 2;
    }
    return sum;
}

/* Two sheets through each other's thickness, points of many masses that fly about; friction at its strongest. */
static void open_overlapping(stage *s, test_random *random, double overlap, const repulsion_law *law) {
    for (int k = 0; k < 2; k++) {
        stage_surface *a = stage_add(s, sheet_at(s->context, 4, 0.2, k * (thickness - overlap), 0), 1, thickness, 2);
        for (size_t i = 0; i < a->mesh->vertex_count; i++) {
            a->inverse_masses[i] = random_between(random, 0.5, 50);
            if (k == 1) a->accepted[i] = vec3_add(a->accepted[i], vec3_make(0.013, 0, 0.021));
        }
    }
    stage_open(s, law);
}

static void stir(stage *s, test_random *random) {
    for (size_t j = 0; j < s->count; j++) {
        stage_surface *a = s->surfaces + j;
        for (size_t i = 0; i < a->mesh->vertex_count; i++)
            a->candidate[i] = vec3_add(a->accepted[i], random_vec3(random, -0.01, 0.01));
    }
    contact_mesh_take(s->mesh, s->pointers);
}

static void impulses_conserve_momentum_and_angular_momentum(void **state) {
    test_random random = {3};
    repulsion_law law = stage_law();
    law.static_ratio = 1.5;
    stage s = {.context = *state};
    open_overlapping(&s, &random, 0.4 * thickness, &law);
    for (int i = 0; i < 100; i++) {
        stir(&s, &random);
        motion_sum before = sum_motion(&s);
        stage_resolve(&s);
        motion_sum after = sum_motion(&s);
        assert_less(50, s.touching);
        assert_less(0.01, fabs(after.energy - before.energy));
        assert_less(vec3_distance(before.momentum, after.momentum), 1e-12);
        assert_less(vec3_distance(before.moment, after.moment), 1e-12);
    }
    stage_close(&s);
}

static void without_overlap_energy_never_grows(void **state) {
    test_random random = {4};
    repulsion_law law = stage_law();
    for (int rounds = 1; rounds <= 16; rounds *= 4) {
        law.rounds = rounds;
        stage s = {.context = *state};
        open_overlapping(&s, &random, 0.001 * thickness, &law);
        for (int i = 0; i < 100; i++) {
            stir(&s, &random);
            motion_sum before = sum_motion(&s);
            stage_resolve(&s);
            assert_less(50, s.touching);
            assert_less(sum_motion(&s).energy, before.energy);
        }
        stage_close(&s);
    }
}

/* ---- Friction on a slope: a small patch on a big triangle that nothing moves. */

static ruga_mesh *big_triangle(ruga_context *context, double angle) {
    vec3 x[3] = {{-20, 0, -20}, {-20, 0, 40}, {40, 0, -20}};
    const uint32_t corners[3] = {0, 1, 2};
    for (int k = 0; k < 3; k++) x[k] = vec3_make(x[k].x, -x[k].z * sin(angle), x[k].z * cos(angle));
    return shape_make(context, 3, x, 1, NULL, corners);
}

/* How far, along the slope, the patch comes in so many substeps. */
static double slide_down(ruga_context *context, double angle, double friction, double static_ratio, double speed,
                         int by_plane, int steps) {
    repulsion_law law = stage_law();
    law.static_ratio = static_ratio;
    collider plane = {.kind = COLLIDER_PLANE, .friction = friction};
    plane.axes[1] = vec3_make(0, cos(angle), sin(angle));
    if (by_plane) law.planes = &plane, law.plane_count = 1;
    stage s = {.context = context, .gravity = {0, -9.81, 0}};
    stage_surface *patch = stage_add(&s, sheet_at(context, 2, 0.1, 0.995 * thickness, angle), 0.01, thickness, 0);
    if (!by_plane) stage_add(&s, big_triangle(context, angle), 0, 0, friction);
    stage_open(&s, &law);
    vec3 down = {0, -sin(angle), cos(angle)}, start = mean_of(patch->accepted, 9);
    for (int i = 0; i < 9; i++) patch->velocities[i] = vec3_scale(down, speed);
    for (int i = 0; i < steps; i++) stage_step(&s);
    double distance = vec3_dot(down, vec3_sub(mean_of(patch->accepted, 9), start));
    assert_near(vec3_dot(plane.axes[1], patch->accepted[4]), thickness, 0.02 * thickness);
    stage_close(&s);
    return distance;
}

static void below_the_angle_nothing_creeps(void **state) {
    for (int by_plane = 0; by_plane < 2; by_plane++) {
        assert_less(fabs(slide_down(*state, atan(0.49), 0.5, 1, 0, by_plane, 1000)), 1e-12);
        assert_less(fabs(slide_down(*state, atan(0.59), 0.5, 1.2, 0, by_plane, 1000)), 1e-12);
    }
}

static void above_the_angle_it_slides_as_coulomb_says(void **state) {
    for (int by_plane = 0; by_plane < 2; by_plane++)
        for (double slope = 0.55; slope < 1; slope += 0.2) {
            double angle = atan(slope), time = 240 / 240.0, expected = 9.81 * (sin(angle) - 0.5 * cos(angle)) / 2;
            assert_near(slide_down(*state, angle, 0.5, 1, 0, by_plane, 240) / (time * time), expected, 0.01 * expected);
        }
}

static void what_slides_is_held_by_less_than_what_rests(void **state) {
    double angle = atan(0.55);
    for (int by_plane = 0; by_plane < 2; by_plane++) {
        double expected = 0.2 + 9.81 * (sin(angle) - 0.5 * cos(angle)) / 2;
        assert_less(fabs(slide_down(*state, angle, 0.5, 1.2, 0, by_plane, 240)), 1e-12);
        double distance = slide_down(*state, angle, 0.5, 1.2, 0.2, by_plane, 240);
        assert_near(distance, expected, 0.01 * expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_that_turns_as_a_whole_neither_approaches_nor_slips),
        cmocka_unit_test(slip_is_what_the_turning_of_the_gap_leaves),
        cmocka_unit_test(a_needle_rubs_only_where_something_holds_it),
        cmocka_unit_test(impulses_conserve_momentum_and_angular_momentum),
        cmocka_unit_test(without_overlap_energy_never_grows),
        cmocka_unit_test(below_the_angle_nothing_creeps),
        cmocka_unit_test(above_the_angle_it_slides_as_coulomb_says),
        cmocka_unit_test(what_slides_is_held_by_less_than_what_rests),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
