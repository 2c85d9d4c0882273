/* The part "crease": forces of folds, target angles, yield. */
#include "body/body.h"
#include "wrinkle/crease_support.h"

#define DEGREE (3.14159265358979323846 / 180)

static const drawing straight[] = {LINE(0, 0.47, 1, 0.52)};

typedef struct rigged {
    creased s;
    crease_fold *folds;
    crease_rig rig;
} rigged;

static void rigged_make(ruga_context *context, size_t n, const drawing *drawings, size_t count, rigged *out) {
    creased_make(context, n, 0.15, drawings, count, &out->s);
    size_t folds;
    assert_ok(context, crease_folds_make(&out->s.c, &folds, &out->folds));
    out->rig = (crease_rig){out->s.c.lines.line_count, folds, out->s.c.nodes.embedded_count, out->folds,
                            out->s.c.nodes.embedded};
}

static void rigged_release(rigged *r) {
    memory_release(r->s.mesh->context, r->folds);
    creased_release(&r->s);
}

/* Points with folds of up to a half, in the bound space. */
static vec3 *random_points(const rigged *r, uint64_t seed) {
    const crease *c = &r->s.c;
    vec3 *y = malloc(c->bound->columns * sizeof *y), *x = malloc(c->bound->rows * sizeof *x);
    test_random random = {seed};
    for (size_t i = 0; i < c->bound->columns; i++) {
        y[i] = random_vec3(&random, -0.002, 0.002);
        y[i] = i < r->s.mesh->vertex_count ? vec3_add(y[i], r->s.mesh->positions[i]) : random_vec3(&random, -0.5, 0.5);
    }
    ruga_map_apply(c->bound, y, x);
    free(y);
    return x;
}

static void gradients_of_angles_are_their_derivatives_and_keep_momenta(void **state) {
    rigged r;
    rigged_make(*state, 6, straight, 1, &r);
    vec3 *x = random_points(&r, 3);
    test_random random = {11};
    for (size_t i = 0; i < r.rig.fold_count; i++) {
        const crease_fold *fold = &r.folds[i];
        vec3 g[6], sum = {0, 0, 0}, moment = {0, 0, 0};
        double largest = 0;
        crease_fold_angle(fold, x, g);
        for (int k = 0; k < 6; k++) {
            uint32_t p = k < 3 ? fold->left[k] : fold->right[k - 3];
            sum = vec3_add(sum, g[k]);
            moment = vec3_add(moment, vec3_cross(x[p], g[k]));
            largest = fmax(largest, vec3_length(g[k]));
            vec3 before = x[p], step = random_vec3(&random, -1e-6, 1e-6);
            x[p] = vec3_add(before, step);
            double up = crease_fold_angle(fold, x, NULL);
            x[p] = vec3_sub(before, step);
            double down = crease_fold_angle(fold, x, NULL);
            x[p] = before;
            assert_near(up - down, 2 * vec3_dot(g[k], step), 1e-6 * 1e-6 * vec3_length(g[k]) + 1e-12);
        }
        assert_less(vec3_length(sum), 1e-12 * largest);
        assert_less(vec3_length(moment), 1e-12 * largest);
    }
    free(x);
    rigged_release(&r);
}

/* A plate whose creases are driven by the part, stepped until it is at rest. */
typedef struct driven {
    rigged r;
    plate p;
    part *made;
    body b;
    substep s;
    vec3 *forces, *start;
} driven;

static ruga_status product(void *user, const vec3 *direction, vec3 *out) {
    driven *d = user;
    return d->made->interface->force_product(d->made, &d->b, &d->s, d->p.x, direction, out);
}

static ruga_status blocks(void *user, mat3 *out) {
    driven *d = user;
    return d->made->interface->force_blocks(d->made, &d->b, &d->s, d->p.x, out);
}

static void driven_make(ruga_context *context, const drawing *drawings, size_t count, const crease_target *targets,
                        driven *d) {
    *d = (driven){.s = {.blend = 1}};
    rigged_make(context, 8, drawings, count, &d->r);
    const crease *c = &d->r.s.c;
    plate_make(c->nodes.simulated, c->nodes.shares, c->bound, 1000, 0.02, NULL, &d->p);
    assert_ok(context, crease_part_create(context, &d->r.rig, targets, &d->made));
    d->b = (body){.positions = d->p.x, .point_count = c->bound->rows};
    d->forces = malloc(c->bound->rows * sizeof(vec3));
    d->start = malloc(c->bound->rows * sizeof(vec3));
    for (uint32_t i = 0; i < d->r.s.mesh->vertex_count; i++)
        if (d->r.s.mesh->positions[i].z > -0.14) { /* one border is held */
            d->p.targets[d->p.pin_count] = d->r.s.mesh->positions[i];
            d->p.pins[d->p.pin_count++] = i;
        }
}

static void driven_release(driven *d) {
    d->made->interface->destroy(d->made);
    plate_release(&d->p);
    rigged_release(&d->r);
    free(d->forces);
    free(d->start);
}

static void driven_settle(driven *d, double time, int steps) {
    const double dt = 0.05;
    size_t count = d->b.point_count;
    d->s.time = time;
    for (int k = 0; k < steps; k++) {
        memset(d->forces, 0, count * sizeof(vec3));
        memset(d->p.pin_velocities, 0, d->p.pin_count * sizeof(vec3));
        assert_ok(d->p.context, d->made->interface->force(d->made, &d->b, &d->s, d->p.x, d->p.zero, d->forces));
        for (size_t i = 0; i < count; i++) d->start[i] = vec3_scale(d->forces[i], dt / d->p.masses[i]);
        integrator_step step = {.dt = dt,
                                .positions = d->p.x,
                                .velocities = d->start,
                                .bound_velocities = d->p.zero,
                                .pin_count = d->p.pin_count,
                                .pins = d->p.pins,
                                .pin_velocities = d->p.pin_velocities,
                                .force_product = product,
                                .force_blocks = blocks,
                                .user = d};
        integrator_report report;
        assert_ok(d->p.context, integrator_solve(d->p.solver, &step, d->p.v, &report));
        for (size_t i = 0; i < count; i++) d->p.x[i] = vec3_add_scaled(d->p.x[i], d->p.v[i], dt);
        assert_ok(d->p.context, d->made->interface->after_velocities(d->made, &d->b, &d->s));
    }
}

static void folds_reach_their_angles_from_flat(void **state) {
    const double wanted[] = {30, -90, 120, 179};
    for (int w = 0; w < 4; w++) {
        crease_target target = {.angle = wanted[w] * DEGREE, .start = 0, .end = 1, .stiffness = 0.5};
        driven d;
        driven_make(*state, straight, 1, &target, &d);
        for (int k = 1; k <= 20; k++) driven_settle(&d, k / 20.0, k < 20 ? 10 : 200);
        for (size_t i = 0; i < d.r.rig.fold_count; i++)
            assert_near_case(crease_fold_angle(&d.r.folds[i], d.p.x, NULL) / DEGREE, wanted[w], 1, "%g", wanted[w]);
        assert_less(crease_gap(&d.r.s.c, d.p.x), 1e-3 * d.r.s.c.lines.edge);
        driven_release(&d);
    }
}

/* A crease that is folded by 60 degrees and let go keeps what is beyond its yield angle. */
static void folds_beyond_the_yield_angle_stay(void **state) {
    crease_target target = {.angle = 0, .start = 0, .end = 0, .stiffness = 0.02, .yield = 25 * DEGREE};
    driven d;
    driven_make(*state, straight, 1, &target, &d);
    size_t held = d.p.pin_count, n = d.r.s.mesh->vertex_count;
    vec3 a = {0, 0, -0.47}, axis = vec3_sub((vec3){1, 0, -0.52}, a);
    for (int k = 1; k <= 20; k++) {
        size_t pins = held;
        for (uint32_t i = 0; i < n; i++) {
            vec3 at = d.r.s.mesh->positions[i];
            if (at.z > -0.66) continue;
            d.p.pins[pins] = i;
            d.p.targets[pins++] = vec3_add(a, turned(vec3_sub(at, a), axis, 60 * DEGREE * k / 20));
        }
        d.p.pin_count = pins;
        plate_settle(&d.p, 1, 0.05);
        driven_settle(&d, 1, 20);
    }
    d.p.pin_count = held;
    driven_settle(&d, 1, 300);
    for (size_t i = 0; i < d.r.rig.fold_count; i++)
        assert_near(crease_fold_angle(&d.r.folds[i], d.p.x, NULL) / DEGREE, 35, 1.5);
    driven_release(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_angles_are_their_derivatives_and_keep_momenta),
        cmocka_unit_test(folds_reach_their_angles_from_flat),
        cmocka_unit_test(folds_beyond_the_yield_angle_stay),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
