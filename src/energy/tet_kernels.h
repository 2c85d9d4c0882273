/* Tetrahedra four at a time, one version per instruction set; all give the same bits. */
#ifndef ENERGY_TET_KERNELS_H
#define ENERGY_TET_KERNELS_H

#include "base/isa.h"
#include "math/vec3.h"

enum {
    TET_CORNERS = 4,
    TET_MATRIX_NUMBERS = 144, /* of a tet's matrix: 16 blocks of 9, by rows of blocks, each block column by column */
    TET_STATE_NUMBERS = 30,
    TET_REST_NUMBERS = 10
};

/* Arrays of an energy (energy/tet_energy.h); records are plain numbers. */
typedef struct tet_arrays {
    const uint32_t *points; /* (tets x 4) */
    const double *rest;     /* (tets x TET_REST_NUMBERS) tet_rest: gradients, volume */
    const double *states;   /* (tets x TET_STATE_NUMBERS) tet_state */
    double shear, bulk;     /* Pa */
} tet_arrays;

/* Of neo-Hookean tets [begin, end), by F alone: energies, J, (end - begin), and V P g_k at the corners, (tets x 4) of
 * all; vectors NULL: not wanted. */
ISA_DECLARE(void, tet_neo_hookean,
            (const tet_arrays *tets, const vec3 *positions, size_t begin, size_t end, double *energies, vec3 *vectors));

/* The matrices of up to four tets, without fibres; numbers: (4 x TET_MATRIX_NUMBERS), those beyond `count` are written
 * too. */
ISA_DECLARE(void, tet_matrices, (const tet_arrays *tets, size_t count, const uint32_t *elements, double *numbers));

#endif
