/* Small dense quadratic problems with bounds. */
#ifndef LINALG_BOUNDED_H
#define LINALG_BOUNDED_H

#include <stddef.h>

/* x becomes the minimum of ½ xᵀAx - bᵀx with low <= x <= high, from x; A (n x n) is symmetric, positive definite. By
 * coordinates in turn (Hildreth 1957), each at its best value within its bounds, until none changes by more than
 * `tolerance`. Returns the number of sweeps; `most` of them did not suffice if it is that. */
int bounded_minimum(size_t n, const double *a, const double *b, double low, double high, double tolerance, int most,
                    double *x);

#endif
