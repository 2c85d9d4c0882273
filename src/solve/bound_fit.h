/* The fit of a binding x = T y: (TᵀMT)⁻¹ with masses M, for steps that project by it.
 *
 * Most unknowns are points of their own, and no two of them move the same point: their part of TᵀMT is diagonal. They
 * are eliminated first. The rest is one small matrix over the other unknowns, such as the fold vectors of creases,
 *
 *     S = Σ_A [Σ_q m_q c_qᵀ c_q - (Σ_q m_q c_q)ᵀ (Σ_q m_q c_q) / Σ_q m_q]
 *
 * for points A with copies q, whose rows of T are A and c_q. It is factored once for its masses and held unknowns; a
 * solve touches the others only where points depend on several unknowns.
 */
#ifndef SOLVE_BOUND_FIT_H
#define SOLVE_BOUND_FIT_H

#include "solve/bound.h"

typedef struct bound_fit {
    double *diagonal; /* (unknowns) kg, of TᵀMT */
    double *inverse;  /* (unknowns) 1/kg, its inverse; 1 of unknowns that are held or not eliminated */
    uint8_t *held;    /* (unknowns) */
    int holds_rest;   /* some of the rest is held */

    /* The unknowns that are not eliminated. */
    size_t rest_count;
    uint32_t *rest;    /* (rest_count) rising */
    uint32_t *rest_of; /* (unknowns) its place among them, or NO_UNKNOWN */

    /* Rows of TᵀMT of eliminated unknowns that are coupled with the rest, by places among the rest: `coupled` has them
     * over their diagonal, 0 of held unknowns, and `users` is its transpose, of the rows themselves. */
    bound_rows coupled, users;
    uint32_t *entries; /* (entries) of `coupled` that those of `users` are */
    uint32_t *row_of;  /* (unknowns) of coupled ones, the row */

    /* S beside the diagonal, with and without the held unknowns, and its factor. */
    uint32_t *begins, *indices;
    double *full, *free_values; /* (entries) */
    double *free_diagonal;      /* (rest_count) */
    ldl *factor;
    vec3 *right; /* (rest_count) scratch */
} bound_fit;

ruga_status bound_fit_make(bound *b, bound_fit *out);
void bound_fit_release(ruga_context *context, bound_fit *f); /* zeros are fine */

/* Takes (points) masses and factors S with the given unknowns held. Allocates nothing. RUGA_ERROR_INPUT when it is
 * singular: T has dependent columns. */
ruga_status bound_fit_factor(bound *b, bound_fit *f, const double *masses, size_t held_count, const uint32_t *held);

/* TᵀMT x = right_side, with x given for held unknowns, NULL: 0. `x` may be `right_side`. */
void bound_fit_solve(const bound *b, const bound_fit *f, size_t held_count, const uint32_t *held,
                     const vec3 *held_values, const vec3 *right_side, vec3 *x);
/* S x = fit->right, which becomes x, with held unknowns 0. */
void bound_fit_solve_rest(const bound_fit *f);

#endif
