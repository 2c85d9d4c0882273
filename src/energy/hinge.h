/* Hinges: bending of a mesh across its edges, with angles at rest.
 *
 * Two triangles at an edge from x0 to x1, with the corners x2 and x3 opposite, meet at the angle
 *
 *     θ = atan2((N1 × N2) · e / |e|, N1 · N2),   e = x1 - x0,  N1 = e × (x2 - x0),  N2 = (x3 - x0) × e
 *
 * 0 where they are flat, up to ±π where they are folded onto each other; θ0 is the angle of the mesh at rest, and
 * t = θ - θ0 is taken within (-π, π]. A triangle of area A bends by the tensor
 *
 *     S = Σ t l / (A + B) n nᵀ
 *
 * over its edges of length l with normals n in its plane and triangles of area B beyond (Grinspun et al. 2006; t counts
 * towards one side of the triangle). It stores ½ D A |S|², where D is the material's `bend`, the flexural rigidity of a
 * plate, as with bending springs (energy/spring_mesh.h). So two hinges of one triangle are coupled,
 *
 *     U = ½ Σ k_ij t_i t_j,   k_ii = D l² / (A + B),   k_ij = D A l m / (A + B)(A + C) cos²
 *
 * with the angle between their edges. At t = π, where t changes its sign, the couplings would make U jump: beyond
 * t = 2 they act on a part m(t) of t that falls to 0 there. On a regular mesh of equilateral or right triangles a
 * cylinder then has the plate's energy ½ D κ² in every direction. With k_ii alone (Grinspun et al. 2003) the diagonals
 * of a grid that is cut one way make it three times as stiff across them as along them. Meshes whose triangles
 * alternate are still too stiff against twist, by a factor of 2 where diagonals alternate.
 *
 *     dθ/dx2 = -|e| N1 / |N1|²,  dθ/dx3 = -|e| N2 / |N2|²,  dθ/dx1 = -p dθ/dx2 - q dθ/dx3
 *
 * with p, q where along the edge the heights of x2 and x3 stand; dθ/dx0 makes the sum zero. `definite` takes
 * Σ b_i ∇θ∇θᵀ with b_i = Σ_j |k_ij|, which is not less than Gauss and Newton's Hessian Σ k_ij ∇θ_i∇θ_jᵀ and couples
 * only the four points of each hinge: forces and so states at rest are exact, and steps are slightly more damped.
 * Damping acts on the rate of θ, by damping_time times b.
 *
 * Friction. The yarns of fabric rub on each other when it bends: a moment D f per length of the edge opposes the rate
 * of θ, whatever its size (Coulomb; D f is half of Kawabata's 2HB, so that f is a curvature). In a step it is damping,
 *
 *     D f l θ' / max(|r|, CREEP),   r the rate at the start of the step
 *
 * so it never adds energy, keeps both momenta, and does not act on rigid motion. A hinge that starts to slide gains
 * speed by the factor load / friction per step. Below CREEP friction is viscous: hinges do not stick permanently, but
 * creep to the rest of the elastic hinge, which is the only state at rest.
 *
 * A definite W is a matrix over the four points of each hinge. Otherwise `add_matrix` adds everything but the couplings
 * between hinges: energy/hinge_pairs.h has them.
 *
 * Where a triangle has nearly lost its area, ∇θ grows beyond all bounds; it is then scaled down as a whole, which
 * keeps both momenta.
 */
#ifndef ENERGY_HINGE_H
#define ENERGY_HINGE_H

#include "energy/element_lists.h"
#include "energy/energy.h"

typedef struct hinge_material {
    double bend;         /* N m: D */
    double damping_time; /* s */
    /* 1, of a triangle's area at rest: below it gradients are scaled down; 0: 0.05. Statics need exact gradients, and
     * a membrane that does not collapse. */
    double least_area;
    double friction; /* 1/m: f, the curvature whose elastic moment is that of friction; 0: none */
} hinge_material;

typedef struct hinge {
    double stiffness;    /* N m: k, with the mean share of the triangles' material */
    double bound;        /* N m: k and the sizes of all couplings */
    double area;         /* m², of both triangles */
    double rest_angle;   /* rad */
    uint32_t others[4];  /* hinges of the same triangles, NO_INDEX behind the last */
    double couplings[4]; /* N m, with these */
    double least[2];     /* m⁴: |N1|², |N2|² below which gradients are scaled down */
} hinge;

typedef struct hinges {
    energy_term base;
    hinge_material material;
    double factor; /* 1, of every stiffness and damping */
    size_t count;
    uint32_t *points; /* (count x 4) x0, x1, x2, x3 */
    hinge *hinges;    /* (count) */
    element_lists lists;
    double *turns;        /* (count) scratch: t, rad, or rates of it */
    double *slopes;       /* (count) of W: d(m t)/dt; NULL as `full` */
    double *friction;     /* (count) s, damping by friction over stiffness; NULL: there is none */
    vec3 *corner_vectors; /* (count x 4) scratch of sums */
    vec3 *gradients;      /* (count x 4) of W: √weight ∇θ; NULL: not linearised yet */
    double *full;         /* (count x 144) W by rows, without couplings; NULL: never linearised without `definite` */
    double full_weight;   /* of the couplings in W */
    int is_full;          /* W is in `full`, and the gradients are ∇θ */
} hinges;

/* One hinge at every edge with two triangles. shares: (triangles) as of membranes, or NULL. RUGA_ERROR_INPUT names the
 * number that is not allowed. */
ruga_status hinges_create(const ruga_mesh *mesh, const hinge_material *material, const double *shares, hinges **out);
void hinges_destroy(hinges *h); /* NULL is fine */

ruga_status hinges_set_factor(hinges *h, double factor);

/* Friction of the next step, from the velocities at its start. Without a call, or without friction, there is none. */
void hinges_set_velocities(hinges *h, const vec3 *positions, const vec3 *velocities);

/* θ where the points are, rad. */
double hinge_angle(const uint32_t points[4], const vec3 *positions);

extern const energy_interface hinges_interface;

#endif
