/* The part "crease": forces of folds, target angles, yield. */
#include "wrinkle/crease_driven.h"

static const drawing straight[] = {LINE(0, 0.47, 1, 0.52)};

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

static void folds_reach_their_angles_from_flat(void **state) {
    skip_when_sanitized();
    const double wanted[] = {0, 30, -90, 120, 180};
    for (int w = 0; w < 5; w++) {
        crease_target target = {.angle = wanted[w] * DEGREE, .start = 0, .end = 1, .stiffness = 0.5};
        driven d;
        driven_make(*state, straight, 1, &target, &d);
        for (int k = 1; k <= 20; k++) driven_settle(&d, k / 20.0, k < 20 ? 10 : 200);
        for (size_t i = 0; i < d.r.rig.fold_count; i++)
            assert_near_case(remainder(crease_fold_angle(&d.r.folds[i], d.p.x, NULL) / DEGREE - wanted[w], 360), 0, 1,
                             "%g", wanted[w]);
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
