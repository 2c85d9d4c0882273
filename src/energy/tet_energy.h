/* Elastic energy of tetrahedra with linear shape functions: solids that survive inversion, with muscles.
 *
 * A tet with corners x_k has F = Σ_{k=1..3} (x_k - x_0) g_kᵀ, where g_k are the rows of the inverse of its edges at
 * rest, and the energy V Ψ(F): energy/elastic.h has the materials, energy/fibre.h the muscles. Forces on corners are
 * -V P g_k: those of finite volumes (Teran et al. 2003), by area-weighted normals at rest. The Hessian is known in the
 * frame of F = U diag(s) Vᵀ; with α = Vᵀ g_a and β = Vᵀ g_b its block between the corners a and b is U M Uᵀ,
 *
 *     M_ii = stretch_ii α_i β_i + Σ_{j≠i} (flip_ij + twist_ij)/2 α_j β_j
 *     M_ij = stretch_ij α_i β_j + (flip_ij - twist_ij)/2 α_j β_i
 *
 * so no 9 x 9 matrix is made. Damping acts with damping_time times the definite Hessian of the elastic part:
 * translations cost nothing, nor do turns of tets without stress.
 */
#ifndef ENERGY_TET_ENERGY_H
#define ENERGY_TET_ENERGY_H

#include "energy/elastic.h"
#include "energy/element_lists.h"
#include "energy/energy.h"
#include "energy/fibre.h"
#include "math/svd.h"

/* Gradients, singular values and matrices are found for four tets at a time (energy/tet_kernels.h). */

typedef struct tet_material {
    elastic_law law;
    double young;        /* Pa, positive */
    double poisson;      /* 1, within (-1, 0.5) */
    double damping_time; /* s, not negative */
} tet_material;

typedef struct tet_rest {
    vec3 gradients[3]; /* 1/m: of the corners 1 to 3 */
    double volume;     /* m³, at rest, times the tet's share of the material */
} tet_rest;

/* W of a tet in the frame of its F, times its volume. */
typedef struct tet_state {
    vec3 u[3], v[3];
    double stretch[3], across[3]; /* diagonal, and (i, j) of the pairs of energy/elastic.h */
    double same[3], other[3];     /* (flip + twist)/2 and (flip - twist)/2 of the pairs */
} tet_state;

/* The singular values of F, for corners at these places. */
typedef struct tet_kept {
    vec3 corners[4]; /* m */
    svd3 svd;
} tet_kept;

typedef struct tet_energy {
    energy_term base;
    tet_material material;
    double factor; /* 1, of every stiffness */
    elastic elastic;
    size_t tet_count;
    uint32_t *points; /* (tets x 4) */
    tet_rest *rest;   /* (tets) */
    element_lists lists;
    vec3 *corner_vectors; /* (tets x 4) scratch of sums */
    tet_kept *kept;       /* (tets) of the last evaluation; NULL: neo-Hookean ones, whose gradient needs none */
    tet_state *states;    /* (tets); NULL: not linearised yet */
    size_t fibre_count, muscle_count;
    muscle_fibre *fibres;    /* (fibres) rising with their tets */
    uint32_t *fibre_offsets; /* (tets + 1); NULL: no fibres */
    double *activations;     /* (muscles) 1 */
    vec3 *fibre_vectors;     /* (fibres) F d when it was linearised */
    double stiffness_weight; /* of the states */
} tet_energy;

/* RUGA_ERROR_INPUT names the tet that has no positive volume at rest, or a mesh without tets. */
ruga_status tet_energy_check_rest(const ruga_mesh *mesh);

/* shares: (tets) of the material, or NULL for 1 each. RUGA_ERROR_INPUT names the number of the material that is not
 * allowed, the tet without a positive volume or share, or a mesh without tets. */
ruga_status tet_energy_create(const ruga_mesh *mesh, const tet_material *material, const double *shares,
                              tet_energy **out);
void tet_energy_destroy(tet_energy *energy); /* NULL is fine */

/* Every stiffness and damping becomes `factor` times its original value. */
ruga_status tet_energy_set_factor(tet_energy *energy, double factor);

/* Fibres rise with their tets and are copied; their muscles begin with activation 0. */
ruga_status tet_energy_set_fibres(tet_energy *energy, size_t count, const muscle_fibre *fibres, size_t muscle_count);
void tet_energy_activate(tet_energy *energy, size_t muscle, double activation);

/* F of a tet. */
mat3 tet_energy_deformation(const tet_energy *energy, size_t tet, const vec3 *positions);
/* The number of tets whose F has a negative determinant. */
size_t tet_energy_inverted(const tet_energy *energy, const vec3 *positions);

extern const energy_interface tet_energy_interface;

#endif
