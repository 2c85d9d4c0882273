/* Loops of sculpts, one version per instruction set; all give the same bits. */
#ifndef WRINKLE_SCULPT_KERNELS_H
#define WRINKLE_SCULPT_KERNELS_H

#include <stddef.h>

#include "base/isa.h"

/* angles: (count) within 2e-8 of those whose sines and cosines are as these, sines >= 0; both 0: 0. */
ISA_DECLARE(void, sculpt_angles, (const double *sines, const double *cosines, double *angles, size_t count));

#endif
