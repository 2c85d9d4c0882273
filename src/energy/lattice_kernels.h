/* Products of lattices, four quadrature points side by side; one version per instruction set, and all give the same
 * bits. */
#ifndef ENERGY_LATTICE_KERNELS_H
#define ENERGY_LATTICE_KERNELS_H

#include "base/isa.h"
#include "math/vec3.h"

enum {
    LATTICE_LANES = 4,
    /* Numbers of a point, each an array over the points of an element: */
    PACK_U = 0,      /* 9: columns of U */
    PACK_V = 9,      /* 9: columns of V */
    PACK_TWIST = 18, /* 3: of the pairs (1, 2), (2, 0), (0, 1) */
    PACK_SHEAR = 21, /* 2μ times volume and weight */
    PACK_BULK = 22,  /* λ times the same */
    PACK_NUMBERS = 23
};

/* An element; the number of points is a multiple of LATTICE_LANES, those beyond its own have zeros. */
typedef struct lattice_pack {
    size_t corner_count, lanes;
    const double *gradients; /* (corners x 3 x lanes) */
    const double *states;    /* (PACK_NUMBERS x lanes) */
} lattice_pack;

/* out = W in, at the corners of an element. */
ISA_DECLARE(void, lattice_product, (const lattice_pack *pack, const vec3 *in, vec3 *out));

#endif
