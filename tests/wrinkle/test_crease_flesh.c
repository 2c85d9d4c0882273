/* Creased solids in equilibrium: the energy of their creases, cut and uncut, folds under compression, and the paper's
 * projection after the solve as the ablation. */
#include "energy/tet_energy.h"
#include "solve/equilibrium.h"
#include "wrinkle/solid_support.h"

enum { ALONG = 10, ACROSS = 6 };
static const double half = 0.3, young = 1000;

typedef struct stage {
    ruga_mesh *mesh;
    ruga_curve *curve;
    crease c;
    size_t link_count;
    crease_link *links;
    size_t anchor_count;
    crease_anchor *anchors;
    size_t fold_count;
    crease_fold *folds;
    crease_energy *creases;
    tet_energy *tets;
    vec3 *x;
    size_t pin_count;
    uint32_t *pins;
    vec3 *targets;
    equilibrium_report report;
    double rises; /* greatest rise of the energy in a step */
    double last;
} stage;

/* A crease over the top and down both sides, across the block. cut 0: the block is whole. */
static void set_up(ruga_context *context, double jitter, int is_cut, double crack, double even, stage *s) {
    const ruga_vec3 over[4] = {{0.03, 0.02, half}, {0.02, half, 0.2}, {0.03, half, -0.2}, {0.02, 0.03, -half}};
    const tet_material material = {ELASTIC_NEO_HOOKEAN, young, 0.3, 0};
    *s = (stage){.mesh = block_make(context, ALONG, ACROSS, jitter), .last = INFINITY};
    if (is_cut) {
        s->curve = block_curve(s->mesh, "over", over, 4, 0);
        solid_make(s->mesh, &s->curve, 1, 2.5, &s->c);
        assert_ok(context, crease_links_make(&s->c, &s->link_count, &s->links));
        assert_ok(context, crease_anchors_make(&s->c, 0.15, &s->anchor_count, &s->anchors));
        assert_ok(context, crease_folds_make(&s->c, &s->fold_count, &s->folds));
        crease_energy_def def = {.context = context,
                                 .point_count = s->c.bound->rows,
                                 .fold_count = s->fold_count,
                                 .folds = s->folds,
                                 .section_count = s->c.solid.section_count,
                                 .sections = s->c.solid.sections,
                                 .link_count = s->link_count,
                                 .links = s->links,
                                 .anchor_count = s->anchor_count,
                                 .anchors = s->anchors,
                                 .visible = s->c.nodes.visible,
                                 .is_tied = 1,
                                 .crack = crack * young / s->c.lines.lines[0].edge,
                                 .evenness = even * young};
        assert_ok(context, crease_energy_create(&def, &s->creases));
    }
    const ruga_mesh *m = is_cut ? s->c.nodes.simulated : s->mesh;
    assert_ok(context, tet_energy_create(m, &material, is_cut ? s->c.solid.shares : NULL, &s->tets));
    s->x = malloc(m->vertex_count * sizeof *s->x);
    memcpy(s->x, m->positions, m->vertex_count * sizeof *s->x);
    s->pins = malloc(m->vertex_count * sizeof *s->pins);
    s->targets = malloc(m->vertex_count * sizeof *s->targets);
}

static void tear_down(stage *s) {
    ruga_context *context = s->mesh->context;
    crease_energy_destroy(s->creases);
    tet_energy_destroy(s->tets);
    RELEASE_ALL(context, s->links, s->anchors, s->folds);
    if (s->curve) crease_release(&s->c);
    ruga_curve_destroy(s->curve);
    ruga_mesh_destroy(s->mesh);
    free(s->x);
    free(s->pins);
    free(s->targets);
}

/* Both ends are moved: towards each other by `squeeze` of the length, and turned about z by an angle each. */
static void pin_ends(stage *s, double squeeze, double turn) {
    s->pin_count = 0;
    for (uint32_t i = 0; i < s->mesh->vertex_count; i++) {
        vec3 p = s->mesh->positions[i];
        double side = p.x > 0 ? 1 : -1, a = side * turn;
        if (fabs(p.x) < 0.4999) continue;
        s->targets[s->pin_count] = (vec3){p.x * (1 - squeeze) - sin(a) * p.y, cos(a) * p.y, p.z};
        s->pins[s->pin_count++] = i;
    }
}

static void watch(void *user, const equilibrium_progress *progress) {
    stage *s = user;
    if (progress->step > 0) s->rises = fmax(s->rises, progress->energy - s->last);
    s->last = progress->energy;
}

static void solve(stage *s, int is_bound) {
    ruga_context *context = s->mesh->context;
    energy_term *energies[2] = {&s->tets->base, s->creases ? crease_energy_term(s->creases) : NULL};
    const equilibrium_system system = {.context = context,
                                       .point_count = s->tets->base.point_count,
                                       .energy_count = s->creases ? 2 : 1,
                                       .energies = energies,
                                       .bound = is_bound ? s->c.bound : NULL};
    equilibrium_def def = equilibrium_def_default();
    equilibrium *solver;
    equilibrium_load load = {
        .pin_count = s->pin_count, .pins = s->pins, .pin_targets = s->targets, .watch = watch, .user = s};
    s->last = INFINITY;
    assert_ok(context, equilibrium_create(&def, &system, &solver));
    assert_ok(context, equilibrium_solve(solver, &load, s->x, &s->report));
    assert_true(s->report.converged);
    equilibrium_destroy(solver);
}

/* ---- The energy. */

static void forces_are_gradients_and_hessians_match(void **state) {
    stage s;
    set_up(*state, 0.1, 1, 10, 0.1, &s);
    energy_term *term = crease_energy_term(s.creases);
    const energy_interface *laws = term->interface;
    size_t n = term->point_count;
    vec3 *g = calloc(n, sizeof *g), *d = calloc(n, sizeof *d), *p = calloc(n, sizeof *p), *q = calloc(n, sizeof *q);
    test_random random = {3};
    for (size_t i = 0; i < s.fold_count; i++) crease_energy_set_fold(s.creases, i, 2, 0.3);
    for (size_t i = 0; i < s.anchor_count; i++) {
        anchor_spring *a = crease_energy_anchor(s.creases, i);
        a->stiffness = 50;
        a->rest = 0.1;
        a->push = (vec3){0.1, -0.3, 0.2};
    }
    for (size_t i = 0; i < n; i++) {
        s.x[i] = vec3_add(s.x[i], random_vec3(&random, -0.02, 0.02));
        d[i] = random_vec3(&random, -1, 1);
    }
    laws->add_gradient(term, s.x, 1, g);
    double slope = 0, h = 1e-6, ends[2];
    for (size_t i = 0; i < n; i++) slope += vec3_dot(g[i], d[i]);
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++) q[i] = vec3_add_scaled(s.x[i], d[i], k ? h : -h);
        ends[k] = laws->value(term, q);
    }
    assert_near((ends[1] - ends[0]) / (2 * h), slope, 1e-5 * fabs(slope));
    assert_near(laws->add_gradient(term, s.x, 0, g), laws->value(term, s.x), 1e-12 * laws->value(term, s.x));
    /* Product, matrix and blocks are one. */
    block_pattern *pattern;
    block_matrix *matrix;
    assert_ok(*state, laws->linearise(term, s.x, (energy_weights){2, 0}, 1));
    laws->add_product(term, 1, d, p);
    assert_ok(*state, block_pattern_create(*state, n, &pattern));
    assert_ok(*state, laws->add_pattern(term, pattern));
    assert_ok(*state, block_matrix_create(pattern, &matrix));
    laws->add_matrix(term, 1, matrix);
    block_matrix_multiply(matrix, d, q);
    mat3 *blocks = calloc(n, sizeof *blocks);
    laws->add_blocks(term, 1, blocks);
    double size = 0, work = 0;
    for (size_t i = 0; i < n; i++) size = fmax(size, vec3_length(p[i])), work += vec3_dot(p[i], d[i]);
    for (size_t i = 0; i < n; i++) {
        assert_near(vec3_distance(p[i], q[i]), 0, 1e-12 * size);
        for (int k = 0; k < 9; k++)
            assert_near(blocks[i].at[k % 3][k / 3], matrix->blocks[9 * (size_t)matrix->diagonals[i] + (size_t)k],
                        1e-12 * size);
    }
    assert_less(0, work);
    block_matrix_destroy(matrix);
    block_pattern_destroy(pattern);
    free(blocks);
    free(g);
    free(d);
    free(p);
    free(q);
    tear_down(&s);
}

/* Anchors that are longer than at rest, links, folds at their angles: their Hessian is exact, and its product is the
 * derivative of the gradient. Sections that overlap add an error that vanishes with the overlap. */
static void the_hessian_is_the_derivative_of_the_gradient(void **state) {
    double errors[2];
    for (int k = 0; k < 2; k++) { /* without the crack's springs, and with them */
        stage s;
        set_up(*state, 0.1, 1, k ? 10 : 0, 0.1, &s);
        energy_term *term = crease_energy_term(s.creases);
        const energy_interface *laws = term->interface;
        const size_t n = term->point_count;
        vec3 *d = calloc(n, sizeof *d), *p = calloc(n, sizeof *p), *q = calloc(n, sizeof *q),
             *at = calloc(n, sizeof *at);
        test_random random = {11};
        for (size_t i = 0; i < n; i++) {
            s.x[i] = vec3_add(s.x[i], random_vec3(&random, -0.02, 0.02));
            d[i] = random_vec3(&random, -1, 1);
        }
        for (size_t i = 0; i < s.fold_count; i++)
            crease_energy_set_fold(s.creases, i, 2, crease_fold_angle(&s.folds[i], s.x, NULL));
        for (size_t i = 0; i < s.anchor_count; i++) {
            anchor_spring *a = crease_energy_anchor(s.creases, i);
            a->stiffness = 50;
            a->rest = 0.05;
        }
        assert_ok(*state, laws->linearise(term, s.x, (energy_weights){1, 0}, 0));
        laws->add_product(term, 1, d, p);
        const double h = 1e-6;
        for (int side = -1; side <= 1; side += 2) {
            for (size_t i = 0; i < n; i++) at[i] = vec3_add_scaled(s.x[i], d[i], side * h);
            laws->add_gradient(term, at, side / (2 * h), q);
        }
        double size = 0, worst = 0;
        for (size_t i = 0; i < n; i++) size = fmax(size, vec3_length(p[i]));
        for (size_t i = 0; i < n; i++) worst = fmax(worst, vec3_distance(p[i], q[i]));
        assert_less(1, size);
        errors[k] = worst / size;
        free(d);
        free(p);
        free(q);
        free(at);
        tear_down(&s);
    }
    print_message("    %g without the crack, %g with it\n", errors[0], errors[1]);
    assert_less(errors[0], 1e-6);
    assert_less(errors[1], 0.5);
}

/* No direction has a negative curvature, wherever the points are: random ones, of all points or a few, and the
 * gradient itself. */
static void the_hessian_is_never_negative(void **state) {
    stage s;
    set_up(*state, 0.1, 1, 10, 0.1, &s);
    energy_term *term = crease_energy_term(s.creases);
    const energy_interface *laws = term->interface;
    const size_t n = term->point_count;
    vec3 *d = calloc(n, sizeof *d), *p = calloc(n, sizeof *p);
    test_random random = {23};
    int ran = 0;
    for (int place = 0; place < 10; place++) {
        for (size_t i = 0; i < n; i++) s.x[i] = random_vec3(&random, -0.2, 0.2);
        for (size_t i = 0; i < s.fold_count; i++)
            crease_energy_set_fold(s.creases, i, 2, random_between(&random, -2, 2));
        for (size_t i = 0; i < s.anchor_count; i++) {
            anchor_spring *a = crease_energy_anchor(s.creases, i);
            a->stiffness = 50;
            a->rest = random_between(&random, 0, 0.5); /* longer and shorter than they are */
        }
        assert_ok(*state, laws->linearise(term, s.x, (energy_weights){1, 0}, 0));
        for (int k = 0; k < FEWER(100); k++) {
            double work = 0, sizes = 0;
            memset(d, 0, n * sizeof *d);
            memset(p, 0, n * sizeof *p);
            if (k == 0) laws->add_gradient(term, s.x, 1, d);
            for (size_t i = 0; k > 0 && i < n; i++)
                if (k % 2 || random_unit(&random) < 0.02) d[i] = random_vec3(&random, -1, 1);
            laws->add_product(term, 1, d, p);
            for (size_t i = 0; i < n; i++) {
                work += vec3_dot(d[i], p[i]);
                sizes += vec3_length(d[i]) * vec3_length(p[i]);
            }
            assert_less_case(-1e-12 * sizes, work + 1e-300, "place %d, direction %d", place, k);
            ran += work > 0;
        }
    }
    assert_ran(ran, FEWER(500));
    free(d);
    free(p);
    tear_down(&s);
}

/* Pushes do no work at rest, and what they did since does not depend on where the block is. */
static void the_energy_of_pushes_is_their_work_since_rest(void **state) {
    stage s;
    set_up(*state, 0.1, 1, 10, 0.1, &s);
    energy_term *term = crease_energy_term(s.creases);
    const energy_interface *laws = term->interface;
    vec3 force = {0, 0, 0};
    for (size_t i = 0; i < s.fold_count; i++) crease_energy_set_fold(s.creases, i, 0, 0);
    for (size_t i = 0; i < s.anchor_count; i++) {
        anchor_spring *a = crease_energy_anchor(s.creases, i);
        a->stiffness = 0;
        a->push = (vec3){0.1, -3, 0.2 * (double)i};
        force = vec3_add(force, a->push);
    }
    assert_near(laws->value(term, s.x), 0, 1e-12);
    const vec3 move = {0.3, 0.5, -0.7};
    for (size_t i = 0; i < term->point_count; i++) s.x[i] = vec3_add(s.x[i], move);
    assert_near(laws->value(term, s.x), -vec3_dot(force, move), 1e-12 * vec3_length(force));
    tear_down(&s);
}

/* A push on dynamic flesh turns with the points around it. */
static void anchors_find_how_the_flesh_around_them_turns(void **state) {
    stage s;
    crease_surroundings around;
    set_up(*state, 0.1, 1, 10, 0.1, &s);
    const ruga_mesh *m = s.c.nodes.simulated;
    const double a = 2.5; /* rad, about z */
    assert_ok(*state, crease_surroundings_make(m, 0.3, s.anchor_count, s.anchors, &around));
    for (size_t i = 0; i < m->vertex_count; i++) {
        const vec3 p = m->positions[i];
        s.x[i] = (vec3){cos(a) * p.x - sin(a) * p.y + 3, sin(a) * p.x + cos(a) * p.y - 2, p.z + 1};
    }
    for (size_t i = 0; i < s.anchor_count; i++) {
        const uint32_t first = around.offsets[i], count = around.offsets[i + 1] - first;
        const vec3 p = s.anchors[i].at;
        crease_motion motion =
            crease_motion_fit(count, around.points + first, around.weights + first, m->positions, s.x);
        const vec3 q = {cos(a) * p.x - sin(a) * p.y + 3, sin(a) * p.x + cos(a) * p.y - 2, p.z + 1};
        assert_near(vec3_distance(crease_motion_place(&motion, p), q), 0, 1e-12);
        assert_near(motion.turn.at[1][0], sin(a), 1e-12);
        motion = crease_motion_fit(2, around.points + first, around.weights + first, m->positions, s.x);
        assert_near(motion.turn.at[1][0], 0, 0); /* two points are on a line */
    }
    crease_surroundings_release(*state, &around);
    tear_down(&s);
}

/* Links measure the change of the fold vector between two hats, whatever the unknowns are. */
static void links_measure_jumps_of_the_fold_vector(void **state) {
    stage s;
    set_up(*state, 0.1, 1, 10, 0.1, &s);
    const crease_ridge *r = &s.c.ridges[0];
    ruga_vec3 *y = solid_rest(&s.c, s.mesh);
    test_random random = {4};
    double jumps = 0, found = 0;
    for (size_t j = 0; j < s.c.bound->columns; j++) y[j] = vec3_add(y[j], random_vec3(&random, -0.3, 0.3));
    ruga_map_apply(s.c.bound, y, s.x);
    assert_int_equal(s.link_count, r->knot_count - 1);
    for (size_t k = 0; k + 1 < r->knot_count; k++)
        jumps += vec3_length2(vec3_sub(crease_knot_vector(r, k + 1, y), crease_knot_vector(r, k, y)));
    for (size_t k = 0; k < s.link_count; k++) {
        vec3 d = {0, 0, 0};
        for (int i = 0; i < 4; i++) d = vec3_add_scaled(d, s.x[s.links[k].points[i]], s.links[k].weights[i]);
        found += vec3_length2(d);
    }
    assert_near(found, jumps, 1e-9 * jumps);
    free(y);
    tear_down(&s);
}

/* ---- Equilibria. */

/* Under compression the crack stays shut: cut and whole agree. Overlap and gap stay small, the energy falls in every
 * step, and no tet is inverted. */
static void cut_and_whole_agree_while_the_crack_is_shut(void **state) {
    stage cut, whole;
    set_up(*state, 0.1, 1, 10, 0.1, &cut);
    set_up(*state, 0.1, 0, 0, 0, &whole);
    pin_ends(&cut, 0.1, 0);
    pin_ends(&whole, 0.1, 0);
    solve(&cut, 1);
    solve(&whole, 0);
    double edge = cut.c.lines.lines[0].edge, most = 0;
    for (size_t i = 0; i < whole.mesh->vertex_count; i++) most = fmax(most, vec3_distance(cut.x[i], whole.x[i]));
    print_message("    energy %g, whole %g; moved %g edges; gap %g, overlap %g edges; steps %d and %d, CG %d and %d\n",
                  cut.report.energy, whole.report.energy, most / edge, crease_gap(&cut.c, cut.x) / edge,
                  crease_energy_overlap(cut.creases, cut.x) / edge, cut.report.steps, whole.report.steps,
                  cut.report.iterations, whole.report.iterations);
    assert_near(cut.report.energy, whole.report.energy, 0.01 * whole.report.energy);
    assert_less(most, 0.05 * edge);
    assert_less(crease_gap(&cut.c, cut.x), 0.02 * edge);
    assert_less(crease_energy_overlap(cut.creases, cut.x), 0.03 * edge);
    assert_at_most(cut.rises, 1e-12 * cut.report.energy);
    assert_int_equal(tet_energy_inverted(cut.tets, cut.x), 0);
    tear_down(&cut);
    tear_down(&whole);
}

/* Without springs in the crack, its sides overlap under compression. */
static void springs_in_the_crack_keep_its_sides_apart(void **state) {
    double overlaps[2], edge = 1;
    for (int k = 0; k < 2; k++) {
        stage s;
        set_up(*state, 0.1, 1, k ? 10 : 0, 0.1, &s);
        edge = s.c.lines.lines[0].edge;
        pin_ends(&s, 0.2, 0);
        solve(&s, 1);
        overlaps[k] = crease_energy_overlap(s.creases, s.x) / edge;
        assert_at_most(s.rises, 1e-12 * s.report.energy);
        assert_less(crease_gap(&s.c, s.x), 0.05 * edge);
        tear_down(&s);
    }
    print_message("    overlap %g edges without, %g with springs\n", overlaps[0], overlaps[1]);
    assert_less(overlaps[1], 0.05);
    assert_less(overlaps[1], 0.5 * overlaps[0]);
}

/* Bent upwards, the crack opens: the cut block is softer, the surface stays closed and folds sharply. */
static void a_crease_folds_where_the_block_is_bent(void **state) {
    stage cut, whole;
    double fold = 0;
    set_up(*state, 0, 1, 10, 0.1, &cut);
    set_up(*state, 0, 0, 0, 0, &whole);
    pin_ends(&cut, 0, -0.15);
    pin_ends(&whole, 0, -0.15);
    for (size_t i = 0; i < cut.anchor_count; i++) {
        anchor_spring *a = crease_energy_anchor(cut.creases, i);
        a->stiffness = 0;
    }
    solve(&cut, 1);
    solve(&whole, 0);
    for (size_t i = 0; i < cut.fold_count; i++) fold = fmax(fold, fabs(crease_fold_angle(&cut.folds[i], cut.x, NULL)));
    assert_less(cut.report.energy, 0.999 * whole.report.energy);
    assert_less(0.02, fold);
    assert_less(crease_gap(&cut.c, cut.x), 0.02 * cut.c.lines.lines[0].edge);
    tear_down(&cut);
    tear_down(&whole);
}

/* Tied anchors pull the crease in, and what is below it out. */
static void anchors_pull_the_crease_in(void **state) {
    stage s;
    set_up(*state, 0.1, 1, 10, 0.1, &s);
    double before = 0, after = 0;
    pin_ends(&s, 0, 0);
    for (size_t i = 0; i < s.anchor_count; i++) {
        anchor_spring *a = crease_energy_anchor(s.creases, i);
        a->stiffness = 200;
        a->rest = 0.15;
    }
    solve(&s, 1);
    before = s.report.energy;
    for (size_t i = 0; i < s.anchor_count; i++) crease_energy_anchor(s.creases, i)->rest = 0.1;
    crease_energy_changed(s.creases);
    solve(&s, 1);
    ruga_vec3 *seen = malloc(s.c.nodes.visible->rows * sizeof *seen);
    ruga_map_apply(s.c.nodes.visible, s.x, seen);
    for (size_t i = 0; i < s.anchor_count; i++)
        after +=
            vec3_dot(vec3_sub(seen[s.anchors[i].vertex], s.anchors[i].at), s.anchors[i].inwards) * s.anchors[i].length;
    assert_near(before, 0, 1e-12);
    assert_less(0, after);
    assert_less(0, s.report.energy);
    free(seen);
    tear_down(&s);
}

/* ---- The ablation: equations 8 to 10 after an unconstrained solve. */

static void lump(const stage *s, double left, double right, double *masses) {
    const ruga_mesh *m = s->c.nodes.simulated;
    memset(masses, 0, m->vertex_count * sizeof *masses);
    for (size_t t = 0; t < m->tet_count; t++) {
        double x = 0, mass = s->c.solid.shares[t] * mesh_tet_volume(m, t) / 4;
        for (size_t k = 0; k < 4; k++) x += m->positions[m->tets[4 * t + k]].x;
        for (size_t k = 0; k < 4; k++) masses[m->tets[4 * t + k]] += mass * (x < 0 ? left : right);
    }
}

/* A projection by pushes, mass-weighted, closes the gap, but is no equilibrium: forces are left in the bound space, and
 * where it ends depends on the density. The solve in the bound space has no masses at all. */
static void the_projection_of_the_paper_depends_on_the_density(void **state) {
    stage s;
    set_up(*state, 0.1, 1, 10, 0.1, &s);
    size_t n = s.c.bound->rows;
    vec3 *projected[2], *moves = calloc(n, sizeof *moves), *forces = calloc(n, sizeof *forces);
    vec3 *gathered = calloc(s.c.bound->columns, sizeof *gathered);
    double *masses = malloc(n * sizeof *masses), apart = 0, left = 0, pinned = 0;
    pin_ends(&s, 0, 0.15);
    solve(&s, 0);
    double edge = s.c.lines.lines[0].edge, open = crease_gap(&s.c, s.x);
    assert_less(0.02 * edge, open);
    for (int k = 0; k < 2; k++) {
        crease_exact *exact;
        lump(&s, k ? 10 : 1, 1, masses);
        assert_ok(*state, crease_exact_create(&s.c, masses, &exact));
        memset(moves, 0, n * sizeof *moves);
        crease_exact_pre(exact, s.x, 1, moves); /* P_h of equation 10, with a step of 1 */
        projected[k] = malloc(n * sizeof *projected[k]);
        for (size_t i = 0; i < n; i++) projected[k][i] = vec3_add(s.x[i], moves[i]);
        assert_less(crease_gap(&s.c, projected[k]), 1e-6 * open);
        crease_exact_destroy(exact);
    }
    for (size_t i = 0; i < n; i++) apart = fmax(apart, vec3_distance(projected[0][i], projected[1][i]));
    tet_energy_interface.add_gradient(&s.tets->base, projected[0], -1, forces);
    ruga_map_apply_transpose_add(s.c.bound, forces, gathered);
    for (size_t i = 0; i < s.mesh->vertex_count; i++) {
        double *sum = fabs(s.mesh->positions[i].x) > 0.4999 ? &pinned : &left;
        *sum += vec3_length2(gathered[i]);
    }
    print_message("    projected: %g edges apart by the density, %g of the pins' forces left\n", apart / edge,
                  sqrt(left / pinned));
    assert_less(0.005 * edge, apart);
    assert_less(1e-4 * pinned, left);
    for (int k = 0; k < 2; k++) free(projected[k]);
    free(moves);
    free(forces);
    free(gathered);
    free(masses);
    tear_down(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_gradients_and_hessians_match),
        cmocka_unit_test(the_hessian_is_the_derivative_of_the_gradient),
        cmocka_unit_test(the_hessian_is_never_negative),
        cmocka_unit_test(the_energy_of_pushes_is_their_work_since_rest),
        cmocka_unit_test(anchors_find_how_the_flesh_around_them_turns),
        cmocka_unit_test(links_measure_jumps_of_the_fold_vector),
        cmocka_unit_test(cut_and_whole_agree_while_the_crack_is_shut),
        cmocka_unit_test(springs_in_the_crack_keep_its_sides_apart),
        cmocka_unit_test(a_crease_folds_where_the_block_is_bent),
        cmocka_unit_test(anchors_pull_the_crease_in),
        cmocka_unit_test(the_projection_of_the_paper_depends_on_the_density),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
