/* Singular values of four matrices at once, one version per instruction set; all give the bits of math/svd.h. */
#ifndef MATH_SVD_KERNELS_H
#define MATH_SVD_KERNELS_H

#include "base/isa.h"
#include "math/svd.h"

ISA_DECLARE(void, svd3_four, (const mat3 f[4], svd3 out[4]));

#endif
