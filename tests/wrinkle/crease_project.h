/* Projections by the binding of creases, against the fit over unknowns. */
#ifndef TESTS_CREASE_PROJECT_H
#define TESTS_CREASE_PROJECT_H

#include "solve/bound_project.h"
#include "wrinkle/crease_support.h"

typedef struct projected {
    size_t paired, other; /* points */
} projected;

/* With random masses, and unknowns held at random. A projection M P does not change what it projected before. */
static inline projected check_projection(const crease *c, test_random *random, size_t held_count, int round) {
    ruga_context *context = c->context;
    const size_t points = c->bound->rows, unknowns = c->bound->columns;
    bound *space;
    bound_fit fit;
    bound_projection p;
    uint32_t held[16];
    double *masses = malloc(points * sizeof *masses);
    vec3 *x = malloc(points * sizeof *x), *y = malloc(unknowns * sizeof *y), *expected = malloc(points * sizeof *x);
    vec3 *found = malloc(points * sizeof *x), *again = malloc(points * sizeof *x);
    for (size_t i = 0; i < points; i++) masses[i] = 0.5 + random_unit(random);
    for (size_t i = 0; i < points; i++) x[i] = random_vec3(random, -1, 1);
    for (size_t k = 0; k < held_count; k++) /* apart from each other, some fold vectors among them */
        held[k] = (uint32_t)(((double)k + random_unit(random)) / (double)held_count * (double)unknowns);
    assert_ok(context, bound_create(context, c->bound, &space));
    assert_ok(context, bound_fit_make(space, &fit));
    assert_ok(context, bound_fit_factor(space, &fit, masses, held_count, held));
    assert_ok(context, bound_projection_make(space, &fit, &p));
    bound_projection_factor(space, &fit, masses, &p);

    bound_gather(space, x, y);
    bound_fit_solve(space, &fit, held_count, held, NULL, y, y);
    bound_spread(space, y, expected);
    double square = bound_project_begin(space, &fit, &p, x), expected_square = 0;
    bound_project_end(space, &fit, &p, x, found);
    for (size_t i = 0; i < points; i++) expected_square += vec3_dot(x[i], expected[i]);
    assert_near_case(square, expected_square, 1e-9 * expected_square, "round %d", round);
    for (size_t i = 0; i < points; i++) assert_less_case(vec3_distance(found[i], expected[i]), 1e-9, "round %d", round);

    for (size_t i = 0; i < points; i++) again[i] = vec3_scale(found[i], masses[i]);
    bound_project_begin(space, &fit, &p, again);
    bound_project_end(space, &fit, &p, again, expected);
    for (size_t i = 0; i < points; i++) assert_less_case(vec3_distance(found[i], expected[i]), 1e-9, "round %d", round);

    memcpy(again, x, points * sizeof *x);
    bound_project_near(space, &fit, &p, again, again);
    for (size_t k = 0; k < p.near_count; k++) {
        uint32_t i = p.near[k];
        assert_true(memcmp(&again[i], &found[i], sizeof *found) == 0);
    }
    size_t pairs = p.pairs.run_count > 0 ? p.pairs.runs[p.pairs.run_count - 1].end : 0;
    const projected result = {2 * pairs, p.near_count - 2 * pairs};
    bound_projection_release(context, &p);
    bound_fit_release(context, &fit);
    bound_destroy(space);
    free(masses);
    free(x);
    free(y);
    free(expected);
    free(found);
    free(again);
    return result;
}

#endif
