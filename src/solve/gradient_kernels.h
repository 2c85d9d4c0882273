/* The loops over points of conjugate gradients for springs, one version per instruction set; all give the same bits. */
#ifndef SOLVE_GRADIENT_KERNELS_H
#define SOLVE_GRADIENT_KERNELS_H

#include "base/isa.h"
#include "solve/integrators.h"

/* The matrix but for axial springs: out_i = m_i in_i + Σ (a I + g gᵀ) (in_i - in_j) by self->blocks, and drags along surfaces. */
ISA_DECLARE(void, gradient_products, (const integrator *self, const vec3 *in, vec3 *out, size_t begin, size_t end));
/* The free part of the inverse of the diagonal's blocks times the free part of `in`, by self->inverse_blocks, less what drags take. */
ISA_DECLARE(void, gradient_precondition, (const integrator *self, const vec3 *in, vec3 *out, size_t begin, size_t end));

#endif
