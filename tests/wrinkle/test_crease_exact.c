/* The paper's form of creases: its matrix, its equations, and the free vector that it leaves. */
#include "wrinkle/crease_support.h"

static const drawing one[] = {LINE(0, 0.41, 1, 0.57)};
static const drawing cross[] = {LINE(0, 0.4201, 1, 0.6327), LINE(0.5314, 0, 0.4086, 1)};
static const drawing ring[] = {
    {8, {0.7, 0.5, 0.64, 0.64, 0.5, 0.7, 0.36, 0.64, 0.3, 0.5, 0.36, 0.36, 0.5, 0.3, 0.64, 0.36}, 1}};

typedef struct exact {
    creased s;
    double *masses;
    crease_exact *e;
} exact;

static void exact_make(ruga_context *context, const drawing *drawings, size_t count, exact *out) {
    creased_make(context, 10, 0.15, drawings, count, &out->s);
    out->masses = malloc(out->s.c.bound->rows * sizeof *out->masses);
    assert_ok(context, spring_mesh_masses(out->s.c.nodes.simulated, 0.1, out->s.c.nodes.shares, out->masses));
    assert_ok(context, crease_exact_create(&out->s.c, out->masses, &out->e));
}

static void exact_release(exact *x) {
    crease_exact_destroy(x->e);
    free(x->masses);
    creased_release(&x->s);
}

/* One vector for every open cut: the fold can't vary along it. A crossing inside a triangle adds none, because its own
 * three equations use up what the paper's crossing on an edge leaves free. */
static void each_open_cut_leaves_one_vector(void **state) {
    exact a;
    exact_make(*state, one, 1, &a);
    assert_int_equal(a.s.c.nodes.virtual_count - crease_exact_count(a.e), 1);
    exact_release(&a);
    for (int k = 0; k < 10; k++) {
        const drawing moved[] = {LINE(0, 0.42 + 0.013 * k, 1, 0.63 - 0.017 * k), LINE(0.53, 0, 0.41 + 0.011 * k, 1)};
        exact_make(*state, moved, 2, &a);
        assert_int_equal(a.s.c.nodes.virtual_count - crease_exact_count(a.e), 2);
        exact_release(&a);
    }
}

static void the_diagonal_has_the_effective_inverse_masses(void **state) {
    exact a;
    exact_make(*state, one, 1, &a);
    const embedded_node *nodes = a.s.c.nodes.embedded;
    for (size_t i = 0; i < crease_exact_count(a.e); i++) {
        double sum = 0;
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++) {
                const embedded_node *node = &nodes[2 * i + (size_t)side];
                if (node->weights[k] != 0) sum += node->weights[k] * node->weights[k] / a.masses[node->points[k]];
            }
        assert_near(crease_exact_diagonal(a.e, i), sum, 1e-12 * sum);
    }
    exact_release(&a);
}

static double greatest_gap(const exact *a, const vec3 *x) { return crease_gap(&a->s.c, x); }

/* Points that move freely between stabilisations: post-stabilisation alone drifts, pre-stabilisation does not. */
static void pre_stabilisation_removes_drift(void **state) {
    for (int pre = 0; pre < 2; pre++) {
        exact a;
        exact_make(*state, cross, 2, &a);
        size_t n = a.s.c.bound->rows;
        vec3 *x = malloc(n * sizeof *x), *v = calloc(n, sizeof *v);
        memcpy(x, a.s.c.nodes.simulated->positions, n * sizeof *x);
        test_random random = {3};
        vec3 before = {0, 0, 0}, after = {0, 0, 0}, turn_before = {0, 0, 0}, turn_after = {0, 0, 0};
        for (int k = 0; k < 2000; k++) {
            const double dt = 1e-3;
            for (size_t i = 0; i < n; i++) v[i] = vec3_add(v[i], random_vec3(&random, -0.02, 0.02));
            if (pre) crease_exact_pre(a.e, x, dt, v);
            /* Rounding of positions, as of files with ten digits. */
            for (size_t i = 0; i < n; i++) x[i] = vec3_add_scaled(x[i], v[i], dt);
            for (size_t i = 0; i < n; i++) x[i].y += 1e-10 * random_between(&random, -1, 1);
            before = turn_before = after = turn_after = (vec3){0, 0, 0};
            for (size_t i = 0; i < n; i++) {
                before = vec3_add_scaled(before, v[i], a.masses[i]);
                turn_before = vec3_add(turn_before, vec3_scale(vec3_cross(x[i], v[i]), a.masses[i]));
            }
            crease_exact_post(a.e, v);
            for (size_t i = 0; i < n; i++) {
                after = vec3_add_scaled(after, v[i], a.masses[i]);
                turn_after = vec3_add(turn_after, vec3_scale(vec3_cross(x[i], v[i]), a.masses[i]));
            }
            assert_less(vec3_distance(before, after), 1e-12);
            if (pre) assert_less(vec3_distance(turn_before, turn_after), 1e-9);
            assert_less(greatest_gap(&a, v), 1e-10);
        }
        double gap = greatest_gap(&a, x) / a.s.c.lines.edge;
        if (pre)
            assert_less(gap, 1e-8); /* the rounding of the last step */
        else
            assert_less(1e-6, gap);
        free(x);
        free(v);
        exact_release(&a);
    }
}

/* Closed creases are exactly singular or fully locked: there is no free vector beside those of their pieces. */
static void closed_creases_are_refused_or_locked(void **state) {
    creased s;
    crease_exact *e = NULL;
    creased_make(*state, 10, 0.15, ring, 1, &s);
    double *masses = malloc(s.c.bound->rows * sizeof *masses);
    assert_ok(*state, spring_mesh_masses(s.c.nodes.simulated, 0.1, s.c.nodes.shares, masses));
    ruga_status status = crease_exact_create(&s.c, masses, &e);
    if (RUGA_FAILED(status))
        assert_message_has(*state, "depend on each other");
    else
        assert_int_equal(s.c.nodes.virtual_count, crease_exact_count(e));
    crease_exact_destroy(e);
    free(masses);
    creased_release(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_open_cut_leaves_one_vector),
        cmocka_unit_test(the_diagonal_has_the_effective_inverse_masses),
        cmocka_unit_test(pre_stabilisation_removes_drift),
        cmocka_unit_test(closed_creases_are_refused_or_locked),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
