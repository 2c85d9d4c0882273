/* Conjugate gradients with a preconditioner, over points with three unknowns each. */
#ifndef LINALG_CG_H
#define LINALG_CG_H

#include "base/memory.h"
#include "math/vec3.h"

typedef struct cg_system {
    ruga_context *context;
    size_t count;
    /* out = A in, and out = P in with P near A⁻¹; both symmetric, P positive definite where A is (zero where points are
     * held). */
    ruga_status (*apply)(void *user, const vec3 *in, vec3 *out);
    void (*precondition)(void *user, const vec3 *in, vec3 *out);
    void *user;
    /* The square of the size of a residual, for the stop; NULL: rᵀPr. It is called before `precondition`, with the same
     * residual, and where it meets the tolerance that is not called. */
    double (*square)(void *user, const vec3 *residual);
    int has_residual; /* on entry, residual is b - A x already, as at x = 0: one product less */
} cg_system;

typedef struct cg_scratch {
    vec3 *residual, *direction, *product; /* (count) each */
} cg_scratch;
ruga_status cg_scratch_make(ruga_context *context, size_t count, cg_scratch *out);
void cg_scratch_release(ruga_context *context, cg_scratch *scratch);

typedef struct cg_report {
    int iterations;
    double residual; /* 1, square root of rᵀPr, or of `square`, over `whole` */
    double whole;    /* scale + that of the start: the tolerance is relative to its root */
    int converged;   /* else: the limit was reached, or A is not definite along a direction */
} cg_report;

/* Solves A x = b from x as a start, until rᵀPr, or `square`, <= tolerance² (scale + that of the start). residual holds
 * b on entry and b - A x on return. Sums are added in order: the result does not depend on the number of threads. */
ruga_status cg_solve(const cg_system *system, const cg_scratch *scratch, double scale, double tolerance,
                     int most_iterations, vec3 *x, cg_report *report);

double cg_dot(ruga_context *context, size_t count, const vec3 *a, const vec3 *b);

#endif
