/* Elastic energy of a lattice (geom/lattice_cells.h): rotated linear elasticity that recovers from inversion.
 *
 * At each quadrature point, with F = Σ q_i (∇N_i)ᵀ = U diag(s) Vᵀ and rotations U and V (math/svd.h),
 *
 *     Ψ = μ Σ (s_k - 1)² + λ/2 (Σ s_k - 3)²                     per volume; Irving, Teran and Fedkiw 2006
 *     P = ∂Ψ/∂F = U diag(2μ (s_k - 1) + λ (Σ s - 3)) Vᵀ         = 2μ (F - R) + λ tr(RᵀF - 1) R,  R = U Vᵀ
 *
 * with Lamé's μ = E / 2(1 + ν), λ = E ν / (1 + ν)(1 - 2ν). The last singular value is negative where the material is
 * inverted, and the energy then still pushes it back. For small strains it is linear elasticity.
 *
 * The derivative of P, in the frame of U and V with D = Uᵀ dF V: 2μ D_kk + λ tr D on the diagonal, 2μ on the symmetric
 * part of each pair (i, j), and on the antisymmetric part ("twist") 2μ + 2 (λ (Σ s - 3) - 2μ) / (s_i + s_j). Only the
 * last can be negative: `definite` takes 0 for it. So the projection is exact, point by point.
 *
 * Damping acts with damping_time times the definite Hessian: rigid motions cost nothing.
 *
 * Fibres are muscles (energy/fibre.h), at quadrature points.
 */
#ifndef ENERGY_LATTICE_ENERGY_H
#define ENERGY_LATTICE_ENERGY_H

#include "energy/element_lists.h"
#include "energy/energy.h"
#include "energy/fibre.h"
#include "math/svd.h"

typedef struct lattice_material {
    double young;        /* Pa, positive */
    double poisson;      /* 1, within (-1, 0.5) */
    double damping_time; /* s, not negative */
} lattice_material;

/* The elements; all arrays are the owner's and must outlive the energy. */
typedef struct lattice_elements {
    size_t element_count, corner_count, node_count; /* corner_count: 27 at most */
    const uint32_t *nodes;                          /* (elements x corner_count) */
    const size_t *offsets;                          /* (elements + 1) of quadrature points */
    const double *weights;                          /* (points) m³ */
    const size_t *shapes;                           /* (elements) row of the first point's gradients */
    const vec3 *gradients;                          /* (rows x corner_count) 1/m */
} lattice_elements;

/* F of a point when it was linearised, and its weights. */
typedef struct lattice_state {
    svd3 svd;
    double twists[3]; /* Pa m³, of the pairs (1, 2), (2, 0), (0, 1) */
} lattice_state;

typedef struct lattice_energy {
    energy_term base;
    lattice_elements elements;
    lattice_material material;
    double factor;         /* 1, of every stiffness */
    double shear, bulk;    /* Pa: μ and λ */
    element_lists lists;   /* corners of each node */
    vec3 *corner_vectors;  /* (elements x corner_count) scratch of sums */
    lattice_state *states; /* (points); NULL: not linearised yet */
    double linear_weight;  /* of the states: stiffness + damping */
    /* The same for products, point beside point (energy/lattice_kernels.h). */
    size_t *lanes;       /* (elements + 1) first point of each, filled up to whole vectors */
    size_t *pack_shapes; /* (elements) of its gradients */
    double *pack_gradients;
    double *pack_states; /* NULL: not linearised yet */
    size_t fibre_count;
    muscle_fibre *fibres;  /* (fibres) rising with their points */
    size_t *fibre_offsets; /* (elements + 1) */
    size_t muscle_count;
    double *activations;               /* (muscles) 1 */
    vec3 *fibre_vectors;               /* (fibres) F d when it was linearised */
    double stiffness_weight;           /* of the states */
    uint32_t *row_offsets, *row_nodes; /* nodes that share an element; made when a pattern is asked for */
    mat3 *element_blocks;              /* scratch of add_matrix */
} lattice_energy;

/* RUGA_ERROR_INPUT names the number of the material that is not allowed. */
ruga_status lattice_energy_create(ruga_context *context, const lattice_elements *elements,
                                  const lattice_material *material, lattice_energy **out);
void lattice_energy_destroy(lattice_energy *energy); /* NULL is fine */

/* Every stiffness and damping becomes `factor` times its original value. */
ruga_status lattice_energy_set_factor(lattice_energy *energy, double factor);

/* Fibres are copied; their muscles begin with activation 0. */
ruga_status lattice_energy_set_fibres(lattice_energy *energy, size_t count, const muscle_fibre *fibres,
                                      size_t muscle_count);
void lattice_energy_activate(lattice_energy *energy, size_t muscle, double activation);

/* For tests and reports: F of a quadrature point of an element, and P there, Pa. */
mat3 lattice_energy_gradient_at(const lattice_energy *energy, size_t element, size_t point, const vec3 *positions);
mat3 lattice_energy_stress(const lattice_energy *energy, const mat3 *f);
/* The number of quadrature points whose F has a negative determinant. */
size_t lattice_energy_inverted(const lattice_energy *energy, const vec3 *positions);

extern const energy_interface lattice_energy_interface;

#endif
