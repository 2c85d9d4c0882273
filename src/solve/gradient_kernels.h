/* The preconditioner of conjugate gradients, one version per instruction set; all give the same bits. */
#ifndef SOLVE_GRADIENT_KERNELS_H
#define SOLVE_GRADIENT_KERNELS_H

#include "base/isa.h"
#include "solve/integrators.h"

/* The free part of the inverse of the diagonal's blocks (self->inverse_blocks) times the free part of `in`, less what
 * drags take, for unknowns. */
ISA_DECLARE(void, gradient_precondition, (const integrator *self, const vec3 *in, vec3 *out, size_t begin, size_t end));

#endif
