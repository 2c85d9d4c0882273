/* Laws of ridge-bound creases that hold on every mesh: pleats that are narrower than the mesh, curved creases, the
 * stable step. */
#include "wrinkle/crease_driven.h"

/* ---- Pleats. */

/* Four creases 0.25 edges apart: the exact accordion, ±60 degrees in turns, is in the bound space and has no strain. */
static void pleats_narrower_than_the_mesh_fold_like_an_accordion(void **state) {
    const double apart = 0.25 / 12;
    drawing pleats[4];
    for (int k = 0; k < 4; k++) {
        double v = 0.41 + k * apart;
        pleats[k] = (drawing)LINE(0, v, 1, v + 0.1);
    }
    creased s;
    creased_make(*state, 12, 0.15, pleats, 4, &s);
    const crease *c = &s.c;
    size_t n = s.mesh->vertex_count, points = c->bound->rows;
    vec3 t = vec3_normalise((vec3){1, 0, -0.1}), at[5], normal = vec3_cross((vec3){0, 1, 0}, t);
    /* Strip k lies beyond k creases and is turned by 60 degrees where k is odd; at[k] is a point of crease k. */
    vec3 moves[5] = {{0, 0, 0}};
    for (int k = 0; k < 4; k++) {
        at[k] = (vec3){0, 0, -(0.41 + k * apart)};
        /* The shift that keeps lines off vertices. */
        const cut_place *place = &c->lines.lines[k].places[0];
        vec3 p = s.mesh->positions[place->vertex];
        at[k] = vec3_add_scaled(at[k], normal, vec3_dot(vec3_sub(p, at[k]), normal) - place->distance);
        vec3 goes = vec3_add(turned(at[k], t, k % 2 ? 60 * DEGREE : 0), moves[k]);
        moves[k + 1] = vec3_sub(goes, turned(at[k], t, k % 2 ? 0 : 60 * DEGREE));
    }
    vec3 *y = calloc(c->bound->columns, sizeof *y), *x = malloc(points * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        int strip = 0;
        while (strip < 4 && vec3_dot(vec3_sub(s.mesh->positions[i], at[strip]), normal) > 0) strip++;
        y[i] = vec3_add(turned(s.mesh->positions[i], t, strip % 2 ? 60 * DEGREE : 0), moves[strip]);
    }
    for (int k = 0; k < 4; k++) {
        const crease_ridge *r = &c->ridges[k];
        vec3 d = vec3_sub(turned(normal, t, 60 * DEGREE), normal);
        for (size_t e = 0; e < r->offsets[r->knot_count]; e++) y[r->unknowns[e]] = vec3_scale(d, k % 2 ? -1 : 1);
    }
    ruga_map_apply(c->bound, y, x);
    plate p;
    plate_make(c->nodes.simulated, c->nodes.shares, c->bound, 1000, 1e-4, NULL, &p);
    memcpy(p.x, x, points * sizeof *x);
    assert_less(crease_gap(c, x), 1e-9 * c->lines.edge);
    assert_less(plate_energy(&p), 1e-14);
    /* Triangles of several cuts. */
    size_t most = 0;
    for (size_t i = 0; i < c->nodes.virtual_count; i++)
        most = most > c->nodes.crossing_offsets[i + 1] - c->nodes.crossing_offsets[i]
                   ? most
                   : c->nodes.crossing_offsets[i + 1] - c->nodes.crossing_offsets[i];
    assert_int_equal(most, 4);
    free(x);
    free(y);
    plate_release(&p);
    creased_release(&s);
}

/* The same accordion, folded up from flat by target angles: its folds reach them, and the cloth
 * hardly stretches. */
static void targets_fold_pleats_narrower_than_the_mesh(void **state) {
    skip_when_sanitized();
    const double apart = 0.25 / 8;
    drawing pleats[4];
    crease_target targets[4];
    for (int k = 0; k < 4; k++) {
        double v = 0.41 + k * apart;
        pleats[k] = (drawing)LINE(0, v, 1, v + 0.1);
        targets[k] =
            (crease_target){.angle = (k % 2 ? -60 : 60) * DEGREE, .start = 0, .end = 1, .stiffness = 2, .set = NAN};
    }
    driven d;
    driven_make(*state, pleats, 4, targets, &d);
    const crease *c = &d.r.s.c;
    for (int k = 1; k <= 20; k++) driven_settle(&d, k / 20.0, k < 20 ? 10 : 200);
    double strain = 0;
    for (size_t i = 0; i < d.r.rig.fold_count; i++) {
        double wanted = d.r.folds[i].curve % 2 ? -60 : 60;
        assert_near_case(crease_fold_angle(&d.r.folds[i], d.p.x, NULL) / DEGREE, wanted, 0.5, "%zu", i);
    }
    for (size_t t = 0; t < c->nodes.simulated->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            const uint32_t *v = c->nodes.simulated->triangles + 3 * t;
            const vec3 *rest = c->nodes.simulated->positions;
            double length = vec3_distance(rest[v[k]], rest[v[(k + 1) % 3]]);
            strain = fmax(strain, fabs(vec3_distance(d.p.x[v[k]], d.p.x[v[(k + 1) % 3]]) / length - 1));
        }
    assert_less(strain, 0.001);
    assert_less(crease_gap(c, d.p.x), 0.001 * c->lines.edge);
    driven_release(&d);
}

/* ---- Gaps of a curved crease. */

static const drawing arc[] = {
    {8, {0, 0.4, 0.14, 0.4857, 0.29, 0.5518, 0.43, 0.5804, 0.57, 0.5804, 0.71, 0.5518, 0.86, 0.4857, 1, 0.4}, 0}};

static double gap_of_arc(ruga_context *context, size_t n, double *bound_of) {
    creased s;
    creased_make(context, n, 0.15, arc, 1, &s);
    vec3 *y = calloc(s.c.bound->columns, sizeof *y), *x = malloc(s.c.bound->rows * sizeof *x);
    memcpy(y, s.mesh->positions, s.mesh->vertex_count * sizeof *y);
    /* A fold vector that turns with the curve and grows along it. */
    const crease_ridge *r = &s.c.ridges[0];
    for (size_t k = 0; k < r->knot_count; k++) {
        double at = (double)k / (double)(r->knot_count - 1);
        if (r->offsets[k + 1] > r->offsets[k])
            y[r->unknowns[r->offsets[k]]] = (vec3){0.3 * sin(3 * at), 0.3 + 0.5 * at, -0.4 * cos(3 * at)};
    }
    ruga_map_apply(s.c.bound, y, x);
    double gap = crease_gap(&s.c, x) / s.c.lines.edge;
    *bound_of = crease_gap_bound(&s.c, y) / s.c.lines.edge;
    free(x);
    free(y);
    creased_release(&s);
    return gap;
}

static void gaps_over_the_edge_halve_with_the_edge(void **state) {
    double before = 0;
    for (size_t n = 16; n <= 64; n *= 2) {
        double most, gap = gap_of_arc(*state, n, &most);
        assert_at_most(gap, most);
        if (before > 0) assert_less_case(gap, 0.6 * before, "%zu edges", n);
        before = gap;
    }
}

/* ---- The stable step. */

/* The greatest λ of K u = λ M u by power iteration: in the bound space, in that of the exact form's equations, or
 * free. */
static double greatest_frequency(plate *p, const ruga_map *map, crease_exact *exact) {
    size_t points = p->mesh->vertex_count, unknowns = map ? map->columns : points;
    vec3 *u = malloc(points * sizeof *u), *f = malloc(points * sizeof *f), *w = malloc(unknowns * sizeof *w);
    bound *space = NULL;
    bound_matrix mass = {0};
    test_random random = {9};
    double value = 0;
    if (map) {
        assert_ok(p->context, bound_create(p->context, map, &space));
        assert_ok(p->context, bound_matrix_make(space, NULL, NULL, &mass));
        assert_ok(p->context, bound_matrix_factor(space, &mass, NULL, p->masses, 0, NULL));
    }
    energy_term *terms[2] = {&p->stretch->base, &p->bend->base};
    for (size_t i = 0; i < points; i++) p->x[i] = vec3_scale(p->mesh->positions[i], 1.01);
    for (int k = 0; k < 2; k++)
        assert_ok(p->context, terms[k]->interface->linearise(terms[k], p->x, (energy_weights){1, 0}, 1));
    for (size_t i = 0; i < unknowns; i++) w[i] = random_vec3(&random, -1, 1);
    for (int round = 0; round < 1500; round++) {
        double norm = 0;
        if (map) ruga_map_apply(map, w, u);
        if (!map) memcpy(u, w, points * sizeof *u);
        for (size_t i = 0; i < points; i++) norm += p->masses[i] * vec3_length2(u[i]);
        for (size_t i = 0; i < points; i++) u[i] = vec3_scale(u[i], 1 / sqrt(norm));
        memset(f, 0, points * sizeof *f);
        for (int k = 0; k < 2; k++) terms[k]->interface->add_product(terms[k], 1, u, f);
        value = 0;
        for (size_t i = 0; i < points; i++) value += vec3_dot(u[i], f[i]);
        memset(w, 0, unknowns * sizeof *w);
        if (map) {
            ruga_map_apply_transpose_add(map, f, w);
            bound_matrix_solve(&mass, 0, NULL, NULL, w);
        } else {
            for (size_t i = 0; i < points; i++) w[i] = vec3_scale(f[i], 1 / p->masses[i]);
            if (exact) crease_exact_post(exact, w);
        }
    }
    if (map) bound_matrix_release(p->context, &mass);
    bound_destroy(space);
    free(u);
    free(f);
    free(w);
    return value;
}

static void the_stable_step_is_that_of_the_mesh_before_it_was_cut(void **state) {
    static const drawing cross[] = {LINE(0, 0.4201, 1, 0.6327), LINE(0.5314, 0, 0.4086, 1)};
    static const drawing pleats[] = {LINE(0, 0.4, 1, 0.43), LINE(0, 0.42, 1, 0.45), LINE(0, 0.44, 1, 0.47)};
    static const drawing grid[] = {LINE(0, 0.5, 1, 0.5), LINE(0.5, 0, 0.5, 1)};
    static const drawing star[] = {LINE(0, 0.41, 0.5, 0.5), LINE(1, 0.3, 0.5, 0.5), LINE(0.6, 1, 0.5, 0.5)};
    static const drawing tee[] = {LINE(0, 0.41, 1, 0.57), LINE(0.47, 0, 0.52, 0.49)};
    static const drawing ring[] = {
        {8, {0.7, 0.5, 0.64, 0.64, 0.5, 0.7, 0.36, 0.64, 0.3, 0.5, 0.36, 0.36, 0.5, 0.3, 0.64, 0.36}, 1}};
    static const drawing tip[] = {LINE(0, 0.41, 0.6, 0.57)};
    const struct {
        const drawing *drawings;
        size_t count;
        double jitter;
        int has_exact; /* the others are closed, depend on each other, or are kept flat */
    } cases[] = {{cross, 2, 0.15, 1}, {pleats, 3, 0.15, 1}, {arc, 1, 0.15, 1},  {grid, 2, 0, 1},
                 {star, 3, 0.15, 1},  {tee, 2, 0.15, 0},    {ring, 1, 0.15, 0}, {tip, 1, 0.15, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        creased s;
        plate whole, cut;
        crease_exact *exact = NULL;
        creased_make(*state, 10, cases[k].jitter, cases[k].drawings, cases[k].count, &s);
        plate_make(s.mesh, NULL, NULL, 300, 1e-4, NULL, &whole);
        plate_make(s.c.nodes.simulated, s.c.nodes.shares, s.c.bound, 300, 1e-4, NULL, &cut);
        double uncut = greatest_frequency(&whole, NULL, NULL);
        double ratio = sqrt(uncut / greatest_frequency(&cut, s.c.bound, NULL));
        assert_less_case(0.99, ratio, "case %zu", k);
        if (cases[k].has_exact) {
            assert_ok(*state, crease_exact_create(&s.c, cut.masses, &exact));
            ratio = sqrt(uncut / greatest_frequency(&cut, NULL, exact));
            assert_less_case(0.99, ratio, "exact, case %zu", k);
            crease_exact_destroy(exact);
        }
        plate_release(&whole);
        plate_release(&cut);
        creased_release(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pleats_narrower_than_the_mesh_fold_like_an_accordion),
        cmocka_unit_test(targets_fold_pleats_narrower_than_the_mesh),
        cmocka_unit_test(gaps_over_the_edge_halve_with_the_edge),
        cmocka_unit_test(the_stable_step_is_that_of_the_mesh_before_it_was_cut),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
