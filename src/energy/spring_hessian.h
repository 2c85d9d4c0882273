/* The matrix W = stiffness H + damping C of a spring network (energy/energy.h), as sums over points.
 *
 * A spring between i and j along the unit vector d, with tension t, length l, tangent k_t and damping c, adds to W
 *
 *     B = a I + g gᵀ,   a = stiffness t/l,   g gᵀ = (stiffness (k_t - t/l) + damping c) d dᵀ
 *
 * as +B to the blocks (i, i) and (j, j) and -B to (i, j) and (j, i). In compression t/l < 0: the spring pushes its ends
 * aside, which makes H indefinite; `definite` leaves this part out (Choi and Ko 2002). Axial springs have the same form
 * with weights for their four points.
 *
 * Then masses alone resist the push. Where they are light beside k h², a step throws the ends of compressed springs far
 * beyond where these are relieved, and adds energy. So with `eases_buckling` compressed springs have
 *
 *     a = stiffness min(MOST_BUCKLING |t/l|, BUCKLING (|f_i| + |f_j|) / √(2 l (r - l)))
 *
 * with f the net force of all springs on an end, across d, and r the rest length: the root is the offset of an end that
 * relieves the spring, and the net forces lead about that far in one step. With |t/l| itself (Chen et al. 2024,
 * absolute eigenvalue filtering for projected Newton) a deflection only doubles in a step.
 */
#ifndef ENERGY_SPRING_HESSIAN_H
#define ENERGY_SPRING_HESSIAN_H

#include "energy/spring_network.h"
#include "ruga/map.h"

enum { SPRING_BLOCK_NUMBERS = 4 };

/* A symmetric 3 x 3 matrix: xx, yy, zz, xy, xz, yz. */
typedef struct spring_diagonal {
    double at[6];
} spring_diagonal;

typedef struct spring_hessian {
    const spring_network *network;
    double
        *blocks; /* (SPRING_BLOCK_NUMBERS entries) of four entries each: g, coordinate by coordinate, and a; aligned */
    int eases_buckling;      /* set it before `linearise`; axial springs ignore it */
    vec3 *net_forces;        /* (points) N, of all springs but the axial ones, with `eases_buckling` */
    int with_axial;          /* W has the axial springs, which are not damped */
    vec3 *axial_rank_one;    /* (axial) g */
    double *axial_isotropic; /* (axial) a */
    vec3 *axial_products;    /* (axial) scratch */
} spring_hessian;

ruga_status spring_hessian_make(const spring_network *network, spring_hessian *out);
void spring_hessian_release(spring_hessian *h); /* zeros are fine */

void spring_hessian_linearise(spring_hessian *h, const vec3 *positions, energy_weights weights, int definite);

/* Adds the block on the diagonal of W for a point, and that of TᵀWT for a column of T, whose transpose is given too. */
void spring_hessian_add_diagonal(const spring_hessian *h, size_t point, spring_diagonal *out);
void spring_hessian_add_bound_diagonal(const spring_hessian *h, const ruga_map *bound, const ruga_map *transpose,
                                       size_t column, spring_diagonal *out);

/* The network's couplings, and matrix += scale W. */
ruga_status spring_hessian_add_pattern(const spring_network *network, block_pattern *pattern);
void spring_hessian_add_matrix(const spring_hessian *h, double scale, block_matrix *matrix);
/* The same of the edge springs alone, which are all that a preconditioner needs where bending springs are weak. */
ruga_status spring_hessian_add_edge_pattern(const spring_network *network, block_pattern *pattern);
void spring_hessian_add_edge_matrix(const spring_hessian *h, double scale, block_matrix *matrix);

typedef struct spring_product_pass {
    const spring_hessian *hessian;
    const double *masses; /* (points) kg: out = M in + W in; NULL: out += scale W in */
    double scale;
    const vec3 *in; /* (points) */
    vec3 *out;      /* (points) not `in` */
} spring_product_pass;
void spring_hessian_multiply(const spring_product_pass *pass);

/* A network as an energy. */
extern const energy_interface spring_energy_interface;

#endif
