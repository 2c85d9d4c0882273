/* The paper's form of creases: its matrix, its equations, and the free vector that it leaves. */
#include "ruga/model.h"
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

/* One vector for every open cut: the fold can't vary along it. A crossing inside a triangle adds none. */
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

/* Two cuts that cross on the edge AB of the triangles ABC and BAD, as the paper draws it: four sectors meet there.
 *
 *            C            sectors: 0 beside A, 1 beside B, 2 towards C, 3 towards D
 *          /2 \           copies: A and B in all four, C in 0, 1, 2, and D in 0, 1, 3
 *        A0 ── 1B
 *          \3 /           14 points, 4 of them vertices; equations: one on each outer edge, three on AB
 *            D
 *
 * They leave 3 vectors: one for each cut, and one for the crossing. */
static void a_crossing_on_an_edge_leaves_one_vector_more(void **state) {
    enum { A = 0, B = 4, C = 8, D = 11 }; /* first points; those of D are its sectors 0, 1, 3 */
    embedded_node nodes[12];
    test_random random = {7};
    for (int try = 0; try < 50; try++) {
        size_t count = 0;
        memset(nodes, 0, sizeof nodes);
        /* Outer edges: CA divides the sectors 0 and 2, CB 1 and 2, DA 0 and 3, DB 1 and 3. */
        for (uint32_t e = 0; e < 4; e++) {
            const uint32_t end = e % 2 ? B : A, apex = e < 2 ? C : D, side = e % 2, far = e < 2 ? 2 : 3;
            double w = random_between(&random, 0.05, 0.95);
            nodes[count++] = (embedded_node){.vertex = e, .points = {end + side, apex + side}, .weights = {w, 1 - w}};
            nodes[count++] = (embedded_node){.vertex = e, .points = {end + far, apex + 2}, .weights = {w, 1 - w}};
        }
        double w = random_between(&random, 0.05, 0.95);
        for (uint32_t q = 0; q < 4; q++)
            nodes[count++] = (embedded_node){.vertex = 4, .points = {A + q, B + q}, .weights = {w, 1 - w}};
        crease_exact *e = NULL;
        assert_ok(*state, crease_exact_of_nodes(*state, nodes, count, 14, &e)); /* its equations are independent */
        assert_int_equal(14 - 4 - crease_exact_count(e), 3);
        crease_exact_destroy(e);
    }
}

/* The same on a mesh that was really cut: 5 x 5 cells around the origin, with curves along x and z through it. Both
 * move by one vector along the diagonal of the cell in the middle, and cross on it. */
static void curves_that_cross_on_an_edge_leave_one_vector_more(void **state) {
    static const ruga_vec3 ends[2][2] = {{{-0.5, 0, 0}, {0.5, 0, 0}}, {{0, 0, -0.5}, {0, 0, 0.5}}};
    const double values[] = {1, 1, 5, 5, 0, 0, 0, 1};
    creased s = {.count = 2};
    crease_def def = crease_def_default();
    ruga_curve_def drawn = ruga_curve_def_default();
    crease_exact *e = NULL;
    assert_ok(*state, ruga_model_make(*state, "sheet", values, &s.mesh));
    for (int k = 0; k < 2; k++) assert_ok(*state, ruga_curve_from_points(s.mesh, ends[k], 2, &drawn, &s.curves[k]));
    assert_ok(*state, crease_make(s.mesh, (const ruga_curve *const *)s.curves, 2, &def, &s.c));
    double *masses = malloc(s.c.bound->rows * sizeof *masses);
    assert_ok(*state, spring_mesh_masses(s.c.nodes.simulated, 0.1, s.c.nodes.shares, masses));
    assert_ok(*state, crease_exact_create(&s.c, masses, &e));
    assert_int_equal(s.c.nodes.virtual_count - crease_exact_count(e), 3);
    crease_exact_destroy(e);
    free(masses);
    creased_release(&s);
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
        assert_near(crease_exact_entry(a.e, i, i), sum, 1e-12 * sum);
    }
    exact_release(&a);
}

/* Entry (a, b) of W_newᵀ M⁻¹ W_new, from the nodes themselves. */
static double *dense_matrix(const exact *a, size_t *count) {
    const embedded_node *nodes = a->s.c.nodes.embedded;
    size_t points = a->s.c.bound->rows, rows = 0, first = 0;
    double *w = calloc(a->s.c.nodes.embedded_count * points, sizeof *w);
    for (size_t i = 0; i < a->s.c.nodes.embedded_count; i++) {
        if (i == 0 || nodes[i].vertex != nodes[i - 1].vertex) {
            first = i;
            continue;
        }
        for (int k = 0; k < 3; k++) {
            w[rows * points + nodes[i].points[k]] += nodes[i].weights[k];
            w[rows * points + nodes[first].points[k]] -= nodes[first].weights[k];
        }
        rows++;
    }
    double *dense = calloc(rows * rows, sizeof *dense);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < rows; j++)
            for (size_t k = 0; k < points; k++)
                dense[i * rows + j] += w[i * points + k] * w[j * points + k] / a->masses[k];
    free(w);
    *count = rows;
    return dense;
}

/* Its rank, by a Cholesky factorisation with the greatest pivot first. */
static size_t rank_of(double *m, size_t count) {
    size_t rank = 0;
    double greatest = 0;
    for (; rank < count; rank++) {
        size_t best = rank;
        for (size_t i = rank; i < count; i++)
            if (m[i * count + i] > m[best * count + best]) best = i;
        if (rank == 0) greatest = m[best * count + best];
        if (!(m[best * count + best] > 1e-10 * greatest)) break;
        for (size_t j = 0; j < count; j++) {
            double t = m[rank * count + j];
            m[rank * count + j] = m[best * count + j];
            m[best * count + j] = t;
        }
        for (size_t i = 0; i < count; i++) {
            double t = m[i * count + rank];
            m[i * count + rank] = m[i * count + best];
            m[i * count + best] = t;
        }
        double root = sqrt(m[rank * count + rank]);
        for (size_t i = rank; i < count; i++) m[i * count + rank] /= root;
        for (size_t i = rank + 1; i < count; i++)
            for (size_t j = rank + 1; j < count; j++) m[i * count + j] -= m[i * count + rank] * m[j * count + rank];
    }
    return rank;
}

static void the_matrix_is_symmetric_and_definite_and_counts_the_free_vectors(void **state) {
    static const drawing three[] = {LINE(0, 0.21, 1, 0.27), LINE(0, 0.5, 1, 0.52), LINE(0, 0.77, 1, 0.71)};
    const struct {
        const drawing *drawings;
        size_t count;
    } cases[] = {{one, 1}, {cross, 2}, {three, 3}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        exact a;
        size_t count;
        exact_make(*state, cases[k].drawings, cases[k].count, &a);
        double *dense = dense_matrix(&a, &count);
        assert_int_equal(count, crease_exact_count(a.e));
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++) {
                double entry = crease_exact_entry(a.e, i, j), least = 1e-10 * dense[i * count + i];
                assert_near(entry, dense[i * count + j], least);
                assert_near(entry, crease_exact_entry(a.e, j, i), least);
            }
        /* Full rank: definite. Then what is free beside the mesh itself is what the equations leave of the copies. */
        size_t rank = rank_of(dense, count);
        assert_int_equal(rank, count);
        assert_int_equal(a.s.c.nodes.virtual_count - rank, cases[k].count);
        free(dense);
        exact_release(&a);
    }
}

static double greatest_gap(const exact *a, const vec3 *x) { return crease_gap(&a->s.c, x); }

typedef struct momenta {
    vec3 linear, angular;
} momenta;

static momenta momenta_of(const exact *a, const vec3 *x, const vec3 *v) {
    momenta out = {0};
    for (size_t i = 0; i < a->s.c.bound->rows; i++) {
        out.linear = vec3_add_scaled(out.linear, v[i], a->masses[i]);
        out.angular = vec3_add_scaled(out.angular, vec3_cross(x[i], v[i]), a->masses[i]);
    }
    return out;
}

/* kg m/s and kg m²/s. An impulse turns a sheet by the gap between its two places alone, which is 1e-10 m where
 * pre-stabilisation has closed it; the rest is rounding. */
static void assert_kept(momenta before, momenta after, double linear, double angular) {
    assert_less(vec3_distance(before.linear, after.linear), linear);
    assert_less(vec3_distance(before.angular, after.angular), angular);
}

/* Points that move freely between stabilisations: post-stabilisation alone drifts, pre-stabilisation does not. Neither
 * changes momenta. */
static void pre_stabilisation_removes_drift(void **state) {
    for (int pre = 0; pre < 2; pre++) {
        exact a;
        exact_make(*state, cross, 2, &a);
        size_t n = a.s.c.bound->rows;
        vec3 *x = malloc(n * sizeof *x), *v = calloc(n, sizeof *v);
        memcpy(x, a.s.c.nodes.simulated->positions, n * sizeof *x);
        test_random random = {3};
        for (int k = 0; k < 2000; k++) {
            const double dt = 1e-3;
            for (size_t i = 0; i < n; i++) v[i] = vec3_add(v[i], random_vec3(&random, -0.02, 0.02));
            momenta before = momenta_of(&a, x, v);
            if (pre) crease_exact_pre(a.e, x, dt, v);
            if (pre) assert_kept(before, momenta_of(&a, x, v), 1e-15, 1e-12);
            /* Rounding of positions, as of files with ten digits. */
            for (size_t i = 0; i < n; i++) x[i] = vec3_add_scaled(x[i], v[i], dt);
            for (size_t i = 0; i < n; i++) x[i].y += 1e-10 * random_between(&random, -1, 1);
            before = momenta_of(&a, x, v);
            crease_exact_post(a.e, v);
            assert_kept(before, momenta_of(&a, x, v), 1e-15, pre ? 1e-12 : INFINITY);
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

/* The projected acceleration is zero at rest, so rest states are the same for every step. An implicit solve before the
 * projection has others: the forms refuse it. */
static void the_acceleration_does_not_depend_on_the_step(void **state) {
    exact a;
    exact_make(*state, cross, 2, &a);
    size_t n = a.s.c.bound->rows;
    const vec3 *x = a.s.c.nodes.simulated->positions;
    const double steps[] = {1.0 / 24, 1e-3, 1e-6};
    vec3 *first = malloc(n * sizeof *first), *v = malloc(n * sizeof *v);
    for (int k = 0; k < 3; k++) {
        test_random random = {5};
        double most = 0, off = 0;
        for (size_t i = 0; i < n; i++) v[i] = vec3_scale(random_vec3(&random, -10, 10), steps[k]);
        crease_exact_pre(a.e, x, steps[k], v);
        crease_exact_post(a.e, v);
        for (size_t i = 0; i < n; i++) v[i] = vec3_scale(v[i], 1 / steps[k]);
        if (k == 0) memcpy(first, v, n * sizeof *v);
        for (size_t i = 0; i < n; i++) {
            most = fmax(most, vec3_length(v[i]));
            off = fmax(off, vec3_distance(v[i], first[i]));
        }
        assert_less(1, most);
        assert_less_case(off, 1e-6 * most, "dt %g", steps[k]);
    }
    free(first);
    free(v);
    exact_release(&a);
}

/* Springs leave a gap that falls with their stiffness; without compliance they are the exact form. */
static void soft_springs_leave_gaps_and_stiff_ones_are_exact(void **state) {
    exact a;
    exact_make(*state, cross, 2, &a);
    size_t n = a.s.c.bound->rows;
    const double dt = 1e-3, stiffness[] = {1e2, 1e4, 1e6};
    vec3 *x = malloc(n * sizeof *x), *v = malloc(n * sizeof *v), *start = malloc(n * sizeof *v);
    test_random random = {3};
    double before = INFINITY;
    for (size_t i = 0; i < n; i++) start[i] = random_vec3(&random, -1, 1);
    memcpy(x, a.s.c.nodes.simulated->positions, n * sizeof *x);
    for (int k = 0; k <= 3; k++) {
        memcpy(v, start, n * sizeof *v);
        assert_ok(*state, crease_exact_soften(a.e, k < 3 ? 1 / (dt * dt * stiffness[k]) : 0));
        crease_exact_pre(a.e, x, dt, v);
        for (size_t i = 0; i < n; i++) v[i] = vec3_add_scaled(x[i], v[i], dt);
        double gap = greatest_gap(&a, v);
        if (k < 3) assert_less(1e-9, gap);
        if (k == 3) assert_less(gap, 1e-14);
        assert_less(gap, before);
        before = gap;
    }
    free(x);
    free(v);
    free(start);
    exact_release(&a);
}

/* Impulses on one pair after another need many rounds, keep the momentum, and end at the exact form. */
static void pairwise_impulses_need_many_rounds(void **state) {
    exact a;
    exact_make(*state, one, 1, &a);
    size_t n = a.s.c.bound->rows;
    vec3 *v = malloc(n * sizeof *v), *w = malloc(n * sizeof *w), before = {0, 0, 0}, after = {0, 0, 0};
    test_random random = {3};
    for (size_t i = 0; i < n; i++) v[i] = random_vec3(&random, -1, 1);
    for (size_t i = 0; i < n; i++) before = vec3_add_scaled(before, v[i], a.masses[i]);
    memcpy(w, v, n * sizeof *w);
    crease_exact_post(a.e, w);
    double start = crease_exact_pairwise(a.e, 0, v), ten = crease_exact_pairwise(a.e, 10, v);
    assert_less(1e-3 * start, ten);
    assert_less(crease_exact_pairwise(a.e, 200000, v), 1e-9 * start);
    for (size_t i = 0; i < n; i++) {
        after = vec3_add_scaled(after, v[i], a.masses[i]);
        assert_less(vec3_distance(v[i], w[i]), 1e-6);
    }
    assert_less(vec3_distance(before, after), 1e-12);
    free(v);
    free(w);
    exact_release(&a);
}

static void closed_and_dependent_creases_are_refused_by_name(void **state) {
    creased s;
    crease_exact *e = NULL;
    creased_make(*state, 10, 0.15, ring, 1, &s);
    double *masses = malloc(s.c.bound->rows * sizeof *masses);
    assert_ok(*state, spring_mesh_masses(s.c.nodes.simulated, 0.1, s.c.nodes.shares, masses));
    assert_status(crease_exact_create(&s.c, masses, &e), RUGA_ERROR_INPUT);
    assert_message_has(*state, "\"fold\", in triangle");
    assert_message_has(*state, "closed");
    /* A pair twice: the second equation is the first. */
    free(masses);
    creased_release(&s);
    creased_make(*state, 10, 0.15, one, 1, &s);
    masses = malloc(s.c.bound->rows * sizeof *masses);
    assert_ok(*state, spring_mesh_masses(s.c.nodes.simulated, 0.1, s.c.nodes.shares, masses));
    uint32_t vertex = s.c.nodes.embedded[0].vertex;
    for (int k = 0; k < 2; k++) {
        s.c.nodes.embedded[2 + k] = s.c.nodes.embedded[k];
        s.c.nodes.embedded[2 + k].vertex = vertex + 1;
    }
    assert_status(crease_exact_create(&s.c, masses, &e), RUGA_ERROR_INPUT);
    assert_message_has(*state, "\"fold\", in triangle");
    assert_message_has(*state, "its equations depend");
    free(masses);
    creased_release(&s);
}

/* Whether the paper's equations let every crease fold. */
static ruga_status try_exact(ruga_context *context, const drawing *drawings, size_t count, size_t cells) {
    creased s;
    crease_exact *e = NULL;
    creased_make(context, cells, 0.15, drawings, count, &s);
    double *masses = malloc(s.c.bound->rows * sizeof *masses);
    assert_ok(context, spring_mesh_masses(s.c.nodes.simulated, 0.1, s.c.nodes.shares, masses));
    ruga_status status = crease_exact_create(&s.c, masses, &e);
    if (!RUGA_FAILED(status)) crease_exact_destroy(e);
    free(masses);
    creased_release(&s);
    return status;
}

/* At a crease that continues, the difference of a stem's copies is 0, and each cut edge hands that on to the next. At a
 * tip the distance from the crease is 0 as well, and creases that meet in a star share their vectors: these fold. */
static void creases_that_the_equations_keep_flat_are_refused_by_name(void **state) {
    static const drawing tip[] = {LINE(0, 0.41, 0.6, 0.57)}, inside[] = {LINE(0.21, 0.41, 0.8, 0.57)},
                         tee[] = {LINE(0, 0.41, 1, 0.57), LINE(0.47, 0, 0.52, 0.49)},
                         gap[] = {LINE(0, 0.41, 1, 0.57), LINE(0.47, 0, 0.52, 0.38)},
                         u[] = {LINE(0, 0.41, 1, 0.57), {4, {0.22, 0.44, 0.25, 0.2, 0.7, 0.2, 0.75, 0.53}, 0}},
                         three[] = {LINE(0, 0.41, 0.5, 0.5), LINE(1, 0.3, 0.5, 0.5), LINE(0.6, 1, 0.5, 0.5)},
                         four[] = {LINE(0, 0.41, 0.5, 0.5), LINE(1, 0.3, 0.5, 0.5), LINE(0.6, 1, 0.5, 0.5),
                                   LINE(0.4, 0, 0.5, 0.5)};
    const struct {
        const drawing *drawings;
        size_t count;
        int is_flat;
    } cases[] = {{tip, 1, 0}, {inside, 1, 0}, {tee, 2, 1}, {gap, 2, 0}, {u, 2, 1}, {three, 3, 0}, {four, 4, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (size_t cells = 8; cells <= 16; cells *= 2) {
            ruga_status status = try_exact(*state, cases[k].drawings, cases[k].count, cells);
            assert_equal_case(RUGA_FAILED(status), cases[k].is_flat, "case %zu, %zu cells", k, cells);
            if (cases[k].is_flat) assert_message_has(*state, "crease \"fold\", in triangle");
        }
    assert_status(try_exact(*state, tee, 2, 8), RUGA_ERROR_INPUT);
    assert_message_has(*state, "its equations keep it flat");
    assert_status(try_exact(*state, u, 2, 32), RUGA_ERROR_INPUT);
    assert_message_has(*state, "its equations keep it flat");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_open_cut_leaves_one_vector),
        cmocka_unit_test(a_crossing_on_an_edge_leaves_one_vector_more),
        cmocka_unit_test(curves_that_cross_on_an_edge_leave_one_vector_more),
        cmocka_unit_test(the_diagonal_has_the_effective_inverse_masses),
        cmocka_unit_test(the_matrix_is_symmetric_and_definite_and_counts_the_free_vectors),
        cmocka_unit_test(pre_stabilisation_removes_drift),
        cmocka_unit_test(the_acceleration_does_not_depend_on_the_step),
        cmocka_unit_test(soft_springs_leave_gaps_and_stiff_ones_are_exact),
        cmocka_unit_test(pairwise_impulses_need_many_rounds),
        cmocka_unit_test(closed_and_dependent_creases_are_refused_by_name),
        cmocka_unit_test(creases_that_the_equations_keep_flat_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
