/* Muscle activations of a lattice from the shape of its surface (Rémillard and Kry 2013, section 7.4, after Sifakis,
 * Neverov and Fedkiw 2005): the activations within bounds whose equilibrium comes closest to a target.
 *
 *     minimise  Σ_v A_v |(B q(a))_v - target_v|²    over 0 <= a <= limit,    q(a): ∂E/∂q (q, a) = 0
 *
 * Linearised, dq/da_m = -K⁻¹ ∂²E/∂q∂a_m, it is a least-squares problem with bounds. The first round starts from rest:
 * it is the linear response. Further rounds settle the lattice at the activations found so far and linearise there
 * (Gauss and Newton).
 *
 * Without pins the lattice is free to move as a whole, and the motion of the target as a whole is ignored.
 */
#ifndef BODY_LATTICE_ESTIMATE_H
#define BODY_LATTICE_ESTIMATE_H

#include "energy/anchors.h"
#include "energy/lattice_energy.h"

typedef struct lattice_fit {
    lattice_energy *energy; /* its activations are used up */
    anchors *anchors;       /* NULL: free */
    const ruga_map *embedding;
    const ruga_mesh *mesh; /* the surface at rest */
    const vec3 *rest;      /* (nodes) m */
    const double *masses;  /* (nodes) kg */
} lattice_fit;

enum { LATTICE_FIT_ROUNDS = 4 };

/* target: (count) m, of the first `count` vertices. activations: (muscles) out. residual: the distance from the target
 * over that of the rest shape, root mean squares by area; 1 where no activation helps. RUGA_ERROR_INPUT: the target is
 * not finite. */
ruga_status lattice_estimate(const lattice_fit *fit, size_t count, const vec3 *target, double limit, int rounds,
                             double *activations, double *residual);

#endif
