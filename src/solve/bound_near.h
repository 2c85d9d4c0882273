/* The part of a binding that an explicit step has to solve.
 *
 * Most points are unknowns of their own that move no other point: the free step is theirs already. The others, such as
 * those beside creases, and the unknowns that move them are a small binding x = T y of its own. The step's velocities
 * there become v + T (TᵀMT)⁻¹ TᵀM (u - v), with u of the free step and v, within T's range, before it.
 */
#ifndef SOLVE_BOUND_NEAR_H
#define SOLVE_BOUND_NEAR_H

#include "solve/bound_fit.h"

typedef struct bound_near {
    size_t point_count, unknown_count;
    uint32_t *points;  /* (point_count) of the whole binding, rising */
    uint32_t *near_of; /* (unknowns of the whole) their place here, or NO_UNKNOWN: a point that moves alone */
    ruga_map *map;     /* T of these; NULL: there are none */
    bound *space;
    bound_fit fit;
    size_t held_count;
    uint32_t *held;     /* (unknown_count) */
    vec3 *held_changes; /* (unknown_count) m/s */
    double *masses;     /* (point_count) kg */
    vec3 *moves;        /* (point_count) scratch */
    vec3 *changes;      /* (unknown_count) scratch */
} bound_near;

ruga_status bound_near_make(const bound *whole, bound_near *out);
void bound_near_release(ruga_context *context, bound_near *n); /* zeros are fine */

/* Takes over the masses of all points, and held unknowns of the whole. RUGA_ERROR_INPUT as bound_fit_factor. */
ruga_status bound_near_factor(bound_near *n, const double *masses, size_t held_count, const uint32_t *held);

/* velocities: of the free step, then of the bound one. before: within T's range. Both (points of the whole), m/s. Held
 * unknowns change by held_changes, of the same unknowns in the same order as the factor's. */
void bound_near_project(bound_near *n, const vec3 *before, size_t held_count, const uint32_t *held,
                        const vec3 *held_changes, vec3 *velocities);

#endif
