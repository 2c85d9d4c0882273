/* Control of folds: angles that vary along a crease and with time, yield, rest angles that are set. */
#include "wrinkle/crease_driven.h"

static const drawing straight[] = {LINE(0, 0.47, 1, 0.52)};

/* Both sides of the straight crease turned by half of an angle each, rigidly. */
static void fold_rigidly(driven *d, double angle) {
    const crease *c = &d->r.s.c;
    vec3 a = {0, 0, -0.47}, axis = vec3_sub((vec3){1, 0, -0.52}, a);
    vec3 y[400];
    size_t n = d->r.s.mesh->vertex_count;
    assert_at_most(c->bound->columns, 400);
    for (size_t i = 0; i < n; i++) {
        vec3 at = vec3_sub(d->r.s.mesh->positions[i], a);
        double side = vec3_dot(at, vec3_cross(axis, (vec3){0, 1, 0})) < 0 ? -1 : 1;
        y[i] = vec3_add(a, turned(at, axis, -side * angle / 2));
    }
    for (size_t j = n; j < c->bound->columns; j++) y[j] = (vec3){0, 2 * sin(angle / 2), 0};
    ruga_map_apply(c->bound, y, d->p.x);
}

static void folds_follow_angles_that_vary_along_a_crease(void **state) {
    skip_when_sanitized();
    const crease_place places[] = {{0, 20 * DEGREE}, {1, 60 * DEGREE}};
    crease_target target = {.place_count = 2, .places = places, .start = 0, .end = 1, .stiffness = 2};
    driven d;
    driven_make(*state, straight, 1, &target, &d);
    for (int k = 1; k <= 20; k++) driven_settle(&d, k / 20.0, k < 20 ? 10 : 200);
    size_t inside = 0;
    for (size_t i = 0; i < d.r.rig.fold_count; i++) {
        double at = d.r.folds[i].part;
        assert_less(0, at);
        assert_less(at, 1);

        assert_near_case(crease_fold_angle(&d.r.folds[i], d.p.x, NULL) / DEGREE, 20 + 40 * at, 3, "%g", at);
        inside += at > 0.2 && at < 0.8;
    }
    assert_at_most(5, inside);
    driven_release(&d);
}

/* A curve that is drawn in three pieces, of which the second runs backwards, is one crease with three angles. */
static void joined_curves_keep_their_own_angles(void **state) {
    const drawing pieces[] = {LINE(0, 0.47, 0.34, 0.47), LINE(0.66, 0.47, 0.34, 0.47), LINE(0.66, 0.47, 1, 0.47)};
    rigged r;
    size_t found[3] = {0, 0, 0};
    rigged_make(*state, 8, pieces, 3, &r);
    assert_int_equal(r.s.c.lines.line_count, 1);
    for (size_t i = 0; i < r.rig.fold_count; i++) {
        const crease_fold *fold = &r.folds[i];
        const ruga_mesh *visible = r.s.c.cut.mesh;
        double x = 0.5 * (visible->positions[fold->from].x + visible->positions[fold->to].x);
        double where = x < 0.34 ? x / 0.34 : x < 0.66 ? (0.66 - x) / 0.32 : (x - 0.66) / 0.34;
        if (fmin(fabs(x - 0.34), fabs(x - 0.66)) < 0.02) continue; /* a piece in two curves */
        assert_int_equal(fold->curve, x < 0.34 ? 0 : x < 0.66 ? 1 : 2);
        assert_near(fold->part, where, 0.05);
        found[fold->curve]++;
    }
    for (int k = 0; k < 3; k++) assert_less(1, found[k]);
    rigged_release(&r);
}

/* ---- Forces. */

static double fold_energy(const driven *d, const crease_target *t, const double *rests) {
    double sum = 0;
    for (size_t i = 0; i < d->r.rig.fold_count; i++) {
        double off = crease_fold_angle(&d->r.folds[i], d->p.x, NULL) - rests[i];
        sum += 0.5 * t->stiffness * d->r.folds[i].length * off * off;
    }
    return sum;
}

static void part_forces(driven *d) {
    memset(d->forces, 0, d->b.point_count * sizeof *d->forces);
    assert_ok(d->p.context, d->made->interface->force(d->made, &d->b, &d->s, d->p.x, d->p.zero, d->forces));
}

static void forces_are_those_of_the_energy_and_keep_momenta(void **state) {
    const crease_place places[] = {{0, -20 * DEGREE}, {0.3, 10 * DEGREE}, {1, 60 * DEGREE}};
    crease_target target = {.place_count = 3, .places = places, .stiffness = 2};
    double rests[100];
    test_random random = {5};
    driven d;
    driven_make(*state, straight, 1, &target, &d);
    assert_less(d.r.rig.fold_count, 100);
    for (size_t i = 0; i < d.r.rig.fold_count; i++) {
        double at = d.r.folds[i].part;
        rests[i] = (at < 0.3 ? -20 + 100 * at : 10 + 50 * (at - 0.3) / 0.7) * DEGREE;
    }
    fold_rigidly(&d, 25 * DEGREE);
    part_forces(&d);
    double work = 0, largest = 0;
    vec3 sum = {0, 0, 0}, moment = {0, 0, 0}, *step = malloc(d.b.point_count * sizeof *step);
    for (size_t i = 0; i < d.b.point_count; i++) {
        step[i] = random_vec3(&random, -1e-7, 1e-7);
        work += vec3_dot(d.forces[i], step[i]);
        sum = vec3_add(sum, d.forces[i]);
        moment = vec3_add(moment, vec3_cross(d.p.x[i], d.forces[i]));
        largest = fmax(largest, vec3_length(d.forces[i]));
    }
    assert_less(vec3_length(sum), 1e-11 * largest);
    assert_less(vec3_length(moment), 1e-11 * largest);
    for (size_t i = 0; i < d.b.point_count; i++) d.p.x[i] = vec3_add(d.p.x[i], step[i]);
    double up = fold_energy(&d, &target, rests);
    for (size_t i = 0; i < d.b.point_count; i++) d.p.x[i] = vec3_add_scaled(d.p.x[i], step[i], -2);
    double down = fold_energy(&d, &target, rests);
    assert_near((down - up) / 2, work, 1e-6 * fabs(work));
    free(step);
    driven_release(&d);
}

/* ---- The springs of the paper. */

/* The energy of a random pose, its forces, momenta, and a derivative that is never positive. */
static void springs_of_the_paper_have_forces_of_their_energy(void **state) {
    const crease_law laws[] = {CREASE_COPIES, CREASE_ACROSS};
    test_random random = {8};
    for (int m = 0; m < 2; m++) {
        crease_target target = {.angle = 50 * DEGREE, .stiffness = 2, .law = laws[m]};
        driven d;
        driven_make(*state, straight, 1, &target, &d);
        fold_rigidly(&d, 25 * DEGREE);
        size_t count = d.b.point_count;
        vec3 *step = malloc(count * sizeof *step), *product = calloc(count, sizeof *product);
        for (size_t i = 0; i < count; i++) d.p.x[i] = vec3_add(d.p.x[i], random_vec3(&random, -1e-3, 1e-3));
        part_forces(&d);
        double work = 0, largest = 0, energy[2] = {0, 0}, curvature = 0;
        vec3 sum = {0, 0, 0}, moment = {0, 0, 0};
        for (size_t i = 0; i < count; i++) {
            step[i] = random_vec3(&random, -1e-7, 1e-7);
            work += vec3_dot(d.forces[i], step[i]);
            sum = vec3_add(sum, d.forces[i]);
            moment = vec3_add(moment, vec3_cross(d.p.x[i], d.forces[i]));
            largest = fmax(largest, vec3_length(d.forces[i]));
        }
        assert_less(0, largest);
        assert_less(vec3_length(sum), 1e-11 * largest);
        assert_less(vec3_length(moment), 1e-11 * largest);
        assert_ok(*state, d.made->interface->force_product(d.made, &d.b, &d.s, d.p.x, step, product));
        for (size_t i = 0; i < count; i++) curvature += vec3_dot(step[i], product[i]);
        assert_less(curvature, 0);
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < count; i++) d.p.x[i] = vec3_add_scaled(d.p.x[i], step[i], side ? -2 : 1);
            for (size_t i = 0; i < d.r.rig.fold_count; i++) {
                crease_spring springs[CREASE_SPRINGS];
                const crease_fold *fold = &d.r.folds[i];
                size_t made = crease_springs_make(fold, laws[m], 50 * DEGREE, 2 * fold->length, d.p.x, springs);
                for (size_t k = 0; k < made; k++) energy[side] += crease_spring_energy(fold, &springs[k], d.p.x);
            }
        }
        assert_near((energy[1] - energy[0]) / 2, work, 1e-6 * fabs(work));
        free(step);
        free(product);
        driven_release(&d);
    }
}

/* They have no force in a rigid fold by their angle, and fold a flat sheet to the side of its sign. */
static void springs_of_the_paper_fold_to_their_angles(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    const crease_law laws[] = {CREASE_COPIES, CREASE_ACROSS};
    for (int m = 0; m < 4; m++) {
        double wanted = m % 2 ? -40 : 70;
        crease_target target = {.angle = wanted * DEGREE, .start = 0, .end = 1, .stiffness = 0.5, .law = laws[m / 2]};
        driven d;
        driven_make(*state, straight, 1, &target, &d);
        for (int k = 1; k <= 20; k++) driven_settle(&d, k / 20.0, k < 20 ? 10 : 100);
        for (size_t i = 0; i < d.r.rig.fold_count; i++)
            assert_near_case(crease_fold_angle(&d.r.folds[i], d.p.x, NULL) / DEGREE, wanted, 3, "%d", m);
        fold_rigidly(&d, wanted * DEGREE);
        part_forces(&d);
        for (size_t i = 0; i < d.b.point_count; i++) assert_less(vec3_length(d.forces[i]), 1e-6);
        driven_release(&d);
    }
}

/* ---- Rest angles. */

/* The angle at which the first fold has no force: from f = -k l (φ - φ0) ∇φ. */
static double rest_angle(driven *d, const crease_target *t) {
    const crease_fold *fold = &d->r.folds[0];
    vec3 gradient[6];
    double angle = crease_fold_angle(fold, d->p.x, gradient), slope = 0;
    part_forces(d);
    uint32_t corner = fold->left[0];
    double along = 0;
    /* The forces of all folds at this corner are parallel: the same rigid fold everywhere, the same rest angles. */
    for (size_t i = 0; i < d->r.rig.fold_count; i++) {
        vec3 g[6];
        crease_fold_angle(&d->r.folds[i], d->p.x, g);
        for (int k = 0; k < 6; k++) {
            uint32_t p = k < 3 ? d->r.folds[i].left[k] : d->r.folds[i].right[k - 3];
            if (p == corner) along += d->r.folds[i].length * vec3_dot(g[k], gradient[0]);
        }
    }
    slope = vec3_dot(d->forces[corner], gradient[0]);
    return angle + slope / (t->stiffness * along);
}

/* The path of a pattern: with p the progress, tan φ/2 is in proportion to that of its sharpest crease, which has p of
 * its angle, also where that is half a turn. */
static void folds_of_a_pattern_follow_its_sharpest_crease(void **state) {
    static const struct {
        double sharpest, angle;
    } cases[] = {{180, 180}, {180, -180}, {120, 120}, {120, -50}, {90, 30}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        crease_target target = {.angle = cases[k].angle * DEGREE,
                                .sharpest = cases[k].sharpest * DEGREE,
                                .start = 0,
                                .end = 1,
                                .stiffness = 1};
        driven d;
        driven_make(*state, straight, 1, &target, &d);
        for (double t = 0.1; t < 0.95; t += 0.1) {
            double p = t * t * (3 - 2 * t), follows = 0.5 * cases[k].sharpest * DEGREE;
            double wanted = 2 * atan(tan(p * follows) * tan(0.5 * target.angle) / tan(follows)) / DEGREE;
            if (cases[k].sharpest == 180) wanted = p * cases[k].angle; /* the limit */
            d.s.time = t;
            assert_near_case(rest_angle(&d, &target) / DEGREE, wanted, 1e-9, "case %zu, progress %g", k, p);
        }
        driven_release(&d);
    }
}

static void yield_is_the_return_mapping(void **state) {
    const double angles[] = {10, 30, 55, 70, 40, 0, -35, -60, -20, 15, 80};
    for (int h = 0; h < 2; h++) {
        crease_target target = {.stiffness = 0.02, .yield = 25 * DEGREE, .hardening = h ? 0.5 : 0};
        double plastic = 0, yielded = 0;
        driven d;
        driven_make(*state, straight, 1, &target, &d);
        for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
            fold_rigidly(&d, angles[k] * DEGREE);
            assert_ok(*state, d.made->interface->after_velocities(d.made, &d.b, &d.s));
            /* The trial state and its return to the yield surface |φ - φp - h φp| = φy. */
            double trial = angles[k] - plastic - target.hardening * plastic, beyond = fabs(trial) - 25;
            if (beyond > 0) plastic += copysign(beyond / (1 + target.hardening), trial);
            yielded += beyond > 0;
            assert_near_case(rest_angle(&d, &target) / DEGREE, plastic, 1e-9, "%g", angles[k]);
            assert_less(fabs(angles[k] - plastic - target.hardening * plastic), 25 + 1e-9);
        }
        assert_at_most(4, yielded);
        assert_less(yielded, sizeof angles / sizeof *angles);

        driven_release(&d);
    }
}

static void folds_that_are_set_have_no_force_where_they_are(void **state) {
    crease_target target = {.stiffness = 1, .is_set = 1, .set = 2};
    driven d;
    driven_make(*state, straight, 1, &target, &d);
    fold_rigidly(&d, 40 * DEGREE);
    /* Not before the time, then at it, and never again. */
    const double times[] = {1.9, 2.0, 2.1}, rests[] = {0, 40, 40};
    for (int k = 0; k < 3; k++) {
        d.s.time = times[k];
        d.s.dt = 0.05;
        assert_ok(*state, d.made->interface->after_velocities(d.made, &d.b, &d.s));
        assert_near(rest_angle(&d, &target) / DEGREE, rests[k], 1e-9);
        if (k == 1) fold_rigidly(&d, -10 * DEGREE);
    }
    /* From the beginning: as the cloth starts. */
    fold_rigidly(&d, 70 * DEGREE);
    d.s.time = 3;
    d.s.dt = 0;
    assert_ok(*state, d.made->interface->settle(d.made, &d.b, &d.s, NULL));
    assert_near(rest_angle(&d, &target) / DEGREE, 70, 1e-9);
    driven_release(&d);
}

static void presets_have_numbers_and_sources(void **state) {
    (void)state;
    assert_int_equal(crease_preset_count(), 5);
    for (size_t i = 0; i < crease_preset_count(); i++) {
        const crease_preset *p = crease_preset_get(i);
        assert_true(p->stiffness > 0 && p->yield > 0 && p->yield < 180 && p->name && p->source);
    }
    assert_null(crease_preset_get(5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_follow_angles_that_vary_along_a_crease),
        cmocka_unit_test(joined_curves_keep_their_own_angles),
        cmocka_unit_test(forces_are_those_of_the_energy_and_keep_momenta),
        cmocka_unit_test(springs_of_the_paper_have_forces_of_their_energy),
        cmocka_unit_test(springs_of_the_paper_fold_to_their_angles),
        cmocka_unit_test(folds_of_a_pattern_follow_its_sharpest_crease),
        cmocka_unit_test(yield_is_the_return_mapping),
        cmocka_unit_test(folds_that_are_set_have_no_force_where_they_are),
        cmocka_unit_test(presets_have_numbers_and_sources),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
