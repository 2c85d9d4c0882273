/* The loops of conjugate gradients over plain numbers, one version per instruction set; all give the same bits. */
#ifndef LINALG_CG_KERNELS_H
#define LINALG_CG_KERNELS_H

#include <stddef.h>

#include "base/isa.h"

/* Σ a b */
ISA_DECLARE(double, cg_dot, (const double *a, const double *b, size_t count));
/* out = a + factor b; out may be either. */
ISA_DECLARE(void, cg_combine, (const double *a, const double *b, double factor, double *out, size_t count));
/* x += factor p, r -= factor q */
ISA_DECLARE(void, cg_advance, (const double *p, const double *q, double factor, double *x, double *r, size_t count));

#endif
