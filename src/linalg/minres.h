/* MINRES: systems with a symmetric operator that may be indefinite, such as saddle points of forces and constraints.
 * Vectors are plain numbers. */
#ifndef LINALG_MINRES_H
#define LINALG_MINRES_H

#include "base/memory.h"

typedef struct minres_system {
    ruga_context *context;
    size_t count; /* of unknowns */
    /* out = A in. A failure ends the solve. */
    ruga_status (*apply)(void *user, const double *in, double *out);
    /* out = P in with P symmetric positive definite and near |A|⁻¹; NULL: the identity. */
    void (*precondition)(void *user, const double *in, double *out);
    void *user;
    int starts_at_zero; /* x is zero on entry: one product less */
} minres_system;

enum { MINRES_VECTORS = 7 };

typedef struct minres_scratch {
    double *vectors[MINRES_VECTORS]; /* (count) each */
} minres_scratch;
ruga_status minres_scratch_make(ruga_context *context, size_t count, minres_scratch *out);
void minres_scratch_release(ruga_context *context, minres_scratch *scratch);

typedef struct minres_report {
    int iterations;
    double start;    /* the size of the first residual, the square root of rᵀPr */
    double residual; /* 1, that of the last over that of the first */
    int converged;   /* else: the limit was reached, or A is singular and b not in its range */
} minres_report;

/* Solves A x = b from x as a start, until rᵀPr <= tolerance² times that of the start, with r = b - A x. It never rises
 * from one iteration to the next. Sums are added in order: the result does not depend on the number of threads. */
ruga_status minres_solve(const minres_system *system, const minres_scratch *scratch, const double *b, double tolerance,
                         int most_iterations, double *x, minres_report *report);

#endif
