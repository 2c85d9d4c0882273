/* Networks of springs, as the points see them.
 *
 * Every point has the list of its springs, so each spring is listed twice, once from either end. A force is then a sum
 * over a point's own list: loops run over points, in any number of threads, and give the same bits whatever their
 * number.
 *
 *     list of point i     others[e], stiffness[e], rest_lengths[e]   for e in [offsets[i], offsets[i + 1])
 *                         edge springs first, up to edge_ends[i]; then bending springs; then padding to a multiple of
 *                         four: springs without stiffness from the point to itself
 *
 * The tension of a spring of length l is
 *
 *     t(l) = k (l - l0)                                     for l >= l0, and for every spring that is not two-phase
 *            k soft (l - l0)                                for (1 - limit) l0 <= l < l0
 *            k (hard (l - (1 - limit) l0) - soft limit l0)  below
 *
 * where the two phases of compression (Müller and Chentanez 2010, section 4.3, figure 6) are a property of edge
 * springs, and `limit` is a strain: the part of its length that an edge loses before it is fully folded. The force is
 * continuous at both kinks. Springs may have a strain limit too (energy/strain_limit.h): beyond a strain of its own, a
 * spring pulls by k hard l0 r(l/l0 - 1 - limit) more. The constant matrix does not have that. Damping acts along the
 * spring, c ((v_j - v_i) · d) d, so that turning as a whole costs nothing.
 */
#ifndef ENERGY_SPRING_NETWORK_H
#define ENERGY_SPRING_NETWORK_H

#include "base/memory.h"
#include "energy/energy.h"

enum { SPRING_LANES = 4 };   /* springs that kernels take at once */
enum { SPRING_BLOCK = 256 }; /* points that a thread takes at once */

typedef enum spring_kind { SPRING_EDGE, SPRING_BEND } spring_kind;

/* One spring of the list that a network is made of. */
typedef struct spring {
    uint32_t a, b;
    spring_kind kind;
    double rest_length; /* m */
    double stiffness;   /* N/m */
    double damping;     /* N s/m */
} spring;

typedef struct spring_phases {
    double soft;  /* 1, of the stiffness: k1 / k */
    double hard;  /* 1, of the stiffness: k2 / k */
    double limit; /* 1, strain within [0, 1) */
} spring_phases;
static inline int spring_phases_differ(spring_phases p) { return p.soft != 1 || p.hard != 1; }

/* A spring from the point (1 - s) c + s d of a bending spring to the point (1 - t) a + t b of the edge it bridges, of
 * which both are nearest at rest: the axial-bending spring of Patkar et al. 2015, section 3. On a flat sheet its rest
 * length is zero, and its length grows in proportion to the fold, where that of a bending spring shrinks with its
 * square. */
typedef struct axial_spring {
    uint32_t points[4]; /* a, b, c, d */
    double weights[4];  /* (1 - t), t, -(1 - s), -s */
    double rest_length; /* m */
    double stiffness;   /* N/m */
} axial_spring;

typedef struct spring_network {
    energy_term base;
    ruga_context *context;
    size_t point_count, spring_count, entry_count;
    uint32_t *offsets;    /* (point_count + 1) multiples of SPRING_LANES */
    uint32_t *edge_ends;  /* (point_count) where the edge springs of the list end */
    uint32_t *others;     /* (entry_count) the point at the other end */
    double *stiffness;    /* (entry_count) N/m */
    double *rest_lengths; /* (entry_count) m */
    double *damping;      /* (entry_count) N s/m; NULL: damping_time x stiffness */
    double damping_time;  /* s */
    double *bounds;       /* (entry_count) N/m, at least the stiffness in any state, axial springs' included: entries of
                               the constant matrix; the same array as `stiffness` where they agree */
    double *stiffness_sums; /* (point_count) N/m, of the bounds */
    double *damping_sums;   /* (point_count) N s/m; NULL without `damping` */
    uint32_t *reach; /* (blocks of SPRING_BLOCK points x 2) least and greatest point that a block has a spring to */
    spring_phases phases; /* of the edge springs */
    double *limits;       /* (entry_count) 1, strain beyond which a spring stiffens, or NO_LIMIT; NULL: none does */
    double hard;          /* 1, of a spring's stiffness, beyond its limit; 0: limits do not count now */
    double factor;        /* 1, of every stiffness and damping, bounds and sums too; none of the arrays has it */
    struct spring_hessian *hessian; /* of the energy interface (energy/spring_hessian.h); NULL: not linearised yet */

    size_t axial_count;
    axial_spring *axial;     /* (axial_count) */
    vec3 *axial_forces;      /* (axial_count) N, scratch */
    uint32_t *axial_offsets; /* (point_count + 1) into axial_entries */
    uint32_t *axial_entries; /* (4 axial_count) axial spring x 4 + which of its points */
    uint32_t *axial_points;  /* (4 axial_count) the points of each */
} spring_network;

/* Springs between the same two points of the same kind become one; so the rest length of the first counts. axial may be
 * NULL; the constant matrix takes them up in the edge springs between their points, which must exist. RUGA_ERROR_INPUT
 * names the spring whose ends, length, stiffness or damping can't be. */
ruga_status spring_network_create(ruga_context *context, size_t point_count, const spring *springs, size_t spring_count,
                                  spring_phases phases, const axial_spring *axial, size_t axial_count,
                                  spring_network **out);
void spring_network_destroy(spring_network *network); /* NULL is fine */

/* The network that an energy is; NULL: it is another kind of energy. */
spring_network *spring_network_of(energy_term *term);

/* Every stiffness and damping becomes `factor` times its original value. */
ruga_status spring_network_set_factor(spring_network *network, double factor);

/* Another rest length, m, and stiffness, N/m, before the factor, for one spring; 0: it pulls no more. Damping stays
 * where springs have damping of their own, else it changes with the stiffness. axial: by its index. RUGA_ERROR_ARGUMENT
 * when there is none. */
ruga_status spring_network_set_spring(spring_network *network, uint32_t a, uint32_t b, spring_kind kind,
                                      double rest_length, double stiffness);
ruga_status spring_network_set_axial(spring_network *network, size_t index, double rest_length, double stiffness);
/* Makes room for limits, of which none limits yet. */
#define NO_LIMIT 1e30
ruga_status spring_network_make_limits(spring_network *network);
static inline int spring_network_is_limited(const spring_network *n) { return n->limits && n->hard > 0; }

/* After stiffness or rest lengths were written into the arrays: bounds, sums and revision follow. */
void spring_network_refresh(spring_network *network);

double spring_tension(spring_phases phases, double stiffness, double rest_length, double length); /* N */
/* k_t, N/m: its derivative; at a kink the larger one. */
double spring_tangent(spring_phases phases, double stiffness, double rest_length, double length);
double spring_energy(spring_phases phases, double stiffness, double rest_length, double length); /* J */

/* The phases that count for an entry of a point's list. */
static inline spring_phases spring_network_phases(const spring_network *network, size_t point, size_t entry) {
    return entry < network->edge_ends[point] ? network->phases : (spring_phases){1, 1, 0};
}

/* ---- Sums over all points, in threads.
 *
 * Both forms write out_i = base_i + shift + y_i, base NULL for zeros, and use the diagonal of the constant matrix
 *     D_i = m_i + stiffness_weight (sum of bounds) + damping_weight (sum of damping)
 * with weights h² and h for a step h, times the factor; a damping_time is part of the first: h² + h damping_time. */
typedef struct spring_weights {
    double stiffness, damping; /* s², s */
} spring_weights;
spring_weights spring_network_weights(const spring_network *network, double dt);

/* The values that sweeps work on: a point's vector and 1 / D, in 32 bytes that kernels load at once. Arrays are aligned
 * to 64 bytes. */
typedef struct spring_value {
    vec3 v;
    double inverse; /* 1/kg; only set by the forces */
} spring_value;

typedef struct spring_force_pass {
    const vec3 *positions, *velocities; /* (points) */
    double viscosity;                   /* s: the step of equation 4 of Kang et al. 2001, or 0 */
    int damped;                         /* with the springs' damping */
    double gain;                        /* y = gain F, or gain F / D with masses */
    const double *masses;               /* (points) kg; NULL: not divided */
    spring_weights weights;
    const vec3 *base; /* (points); NULL: zeros */
    vec3 shift;
    const unsigned char *held; /* (points) where it is not 0, `out` is left as it is; NULL: nowhere */
    vec3 *out;                 /* (points); may be `base` */
    spring_value *values;      /* (points) instead of `out`, with masses, for sweeps; NULL: `out` */
} spring_force_pass;
/* F: forces of springs, axial ones too, at these positions and velocities. Returns their elastic energy, J. */
double spring_network_forces(const spring_network *network, const spring_force_pass *pass);

typedef struct spring_sweep_pass {
    const spring_value *in, *first; /* (points) y = first + D⁻¹ (weights x neighbours' in), with the D⁻¹ of `first` */
    spring_weights weights;
    double over;                  /* Chebyshev's factor: y becomes previous + over (y - previous); 1: none */
    const spring_value *previous; /* (points), may be `values`; only read when over is not 1 */
    const vec3 *base;             /* (points); NULL: zeros */
    vec3 shift;
    vec3 *out;            /* (points) */
    spring_value *values; /* (points) instead of `out`, for further sweeps, without D⁻¹; not `in`; NULL: `out` */
} spring_sweep_pass;
void spring_network_sweep(const spring_network *network, const spring_sweep_pass *pass);

/* Forces, then the sweep on their values: sweep->in and sweep->first are forces->values. Points of large networks are
 * swept as soon as all their neighbours' forces are known, while their springs are still in the cache; the results are
 * bit-identical, the energy equal to rounding. */
double spring_network_forces_and_sweep(const spring_network *network, const spring_force_pass *forces,
                                       const spring_sweep_pass *sweep);

/* Elastic energy, J. */
double spring_network_energy(const spring_network *network, const vec3 *positions);

#endif
