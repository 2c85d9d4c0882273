/* The projection by the fit of a binding x = T y, from points to points:
 *
 *     changes = T (TᵀMT)⁻¹ Tᵀ impulses,   held unknowns do not change
 *
 * This is what explicit steps do to the points that depend on each other, and the preconditioner of semi_implicit.
 *
 * A point that is an unknown of its own and moves no other one changes by its impulse over its mass. Nearly all others
 * are pairs: a vertex A beside a single crease and its copy c, with x_c = x_A + f for f = w₀ D₀ + w₁ D₁. Both are done
 * at once, without any other unknown than D. With s = I_A + I_c and α = m_A / (m_A + m_c),
 *
 *     right side of D_k:  w_k (α s - I_A)        what A's elimination leaves of it
 *     change of A:        s / (m_A + m_c) - (1 - α) f
 *     change of c:        the same + f
 *
 * and a held A has α = 1 and an infinite mass. Pairs with the same D follow each other: they are a run. All other
 * points are gathered, fitted and spread by rows of T, as in bound_fit.h.
 */
#ifndef SOLVE_BOUND_PROJECT_H
#define SOLVE_BOUND_PROJECT_H

#include "solve/bound_fit.h"

typedef struct bound_projection {
    size_t alone_count, near_count;
    uint32_t *alone;        /* (alone_count) points that are unknowns of their own and move no others, rising */
    double *inverse_masses; /* (alone_count) 1/kg; 0 of held ones */
    uint32_t *near;         /* (near_count) all other points, rising */
    bound_pairs pairs;

    /* Near points that are not in pairs: `other` unknowns are those of them that the fit eliminates. */
    bound_rows gather;      /* other unknowns from points */
    bound_rows gather_rest; /* the rest of the fit from points */
    bound_rows users, coupled;
    uint32_t *user_entries, *coupled_entries; /* of the fit's rows that these are a part of */
    bound_rows spread;                        /* points from unknowns */
    vec3 *unknowns;                           /* (unknowns) scratch */
    vec3 *right;                              /* (rest of the fit) scratch */
} bound_projection;

ruga_status bound_projection_make(const bound *b, const bound_fit *fit, bound_projection *out);
void bound_projection_release(ruga_context *context, bound_projection *p); /* zeros are fine */

/* After bound_fit_factor, of the same masses and held unknowns. */
void bound_projection_factor(const bound *b, const bound_fit *fit, const double *masses, bound_projection *p);

/* Changes of all points, m/s, by impulses, N s, in two parts. The first returns impulsesᵀ changes, with which conjugate
 * gradients see whether they need the second. Two arrays. */
double bound_project_begin(const bound *b, const bound_fit *fit, const bound_projection *p, const vec3 *impulses);
void bound_project_end(const bound *b, const bound_fit *fit, const bound_projection *p, const vec3 *impulses,
                       vec3 *changes);
/* Changes of near points alone; `changes` may be `impulses`. */
void bound_project_near(const bound *b, const bound_fit *fit, const bound_projection *p, const vec3 *impulses,
                        vec3 *changes);

#endif
