/* The lowest eigenvectors of K v = λ M v, with K symmetric positive semidefinite and M a diagonal of masses: the smooth
 * functions on a surface, when K is its cotangent Laplacian. */
#ifndef LINALG_LANCZOS_H
#define LINALG_LANCZOS_H

#include "base/memory.h"

typedef struct lanczos_pencil {
    ruga_context *context;
    size_t count;         /* rows */
    const double *masses; /* (count) M, positive */
    double shift;         /* above 0, as λ: about as large as the lowest eigenvalue that is not 0 */
    /* x becomes (K + shift M)⁻¹ x, by a factor. */
    void (*solve)(void *user, double *x);
    void *user;
} lanczos_pencil;

typedef struct lanczos_report {
    int solves;
    int runs;     /* from starts of their own */
    size_t found; /* eigenvectors; all that were wanted, unless it did not converge */
} lanczos_report;

/* The `wanted` lowest eigenvalues, rising, and their vectors, orthonormal in M: (wanted) and (wanted x count) out. The
 * relative error of λ + shift is about the square of the tolerance, that of vectors the tolerance over the gap to other
 * eigenvalues. Multiple eigenvalues are found as often as they occur. The result depends on the numbers alone, not on
 * the number of threads.
 *
 * RUGA_WARNING_NOT_CONVERGED: only report->found of them are right. RUGA_ERROR_ARGUMENT: more are wanted than there are
 * rows, or a mass or the shift is not positive. */
ruga_status lanczos_lowest(const lanczos_pencil *pencil, size_t wanted, double tolerance, double *values,
                           double *vectors, lanczos_report *report);

/* The eigenvalues of a symmetric tridiagonal matrix, not sorted. diagonal: (n), which become the eigenvalues; beside:
 * (n - 1) and one more number, used up. columns: (n x rows) to which the rotations are applied: column k is that of
 * eigenvalue k, so with rows = n and the identity they become the eigenvectors. Returns 0 if it does not converge. */
int tridiagonal_eigen(size_t n, double *diagonal, double *beside, size_t rows, double *columns);

#endif
