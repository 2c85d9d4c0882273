/* The governing curve of a wrinkle: particles along a curve that move along surface normals until bending and length
 * are in equilibrium (Wang et al. 2006, section 4).
 *
 *     E = E_int + E_ext     E_int = Σ over i = 3 … n-2 of B(θ(i-1)) + B(θ(i)) + B(θ(i+1)),   B(θ) = k_r (e^-θ - e^-π)
 *                           E_ext = (L̃ - L)²,  L the *current* length
 *
 * θ is the angle at a particle, π when straight. Near π, B has a kink, so the straight curve is a local minimum that
 * isn't smooth: |φ| (φ = π - θ) becomes sqrt(φ² + δ²) - δ. Angles by atan2. The ends and their neighbours are fixed.
 *
 * Ends. As printed, the sum counts angles 1, 2, 3, 3 … 3, 2, 1 times: bending is cheapest where a wrinkle leaves the
 * surface, and, since B nearly grows with the angle itself, most of its turn gathers in one corner there. A clamped end
 * is a mirror: the curve continues as its own image beyond the fixed neighbour of the end, where it turns by 2φ, and
 * half of that turn's energy belongs to it. So, soft:
 *
 *     E_int = 3 Σ over i = 3 … n-2 of B(θ(i)) + 3/2 B(π - 2 φ(2)) + 3/2 B(π - 2 φ(n-1))
 *
 * This is smooth in the limit of many particles, with no slope and, where spans at ends are 1.5 times as wide as
 * others, about the curvature of the crests at either end.
 *
 * Units. E_int has none and E_ext is a squared length, so k_r has a meaning only at one scale. Lengths are divided by a
 * reference: any curve is GOVERNING_LENGTH units long, so that the paper's k_r of 5…70 has the effect of its figure 5,
 * and the mesh times 1000 gives the same shape times 1000.
 *
 * Nodes. A converged minimum of E has one bump, whatever k_r: a bump that grows at the expense of another saves
 * bending, since only the sum of their lengths counts. (Several wrinkles are the result of an iteration that stops
 * early; their number then depends on the iterations.) In cloth and skin, material does not move from one wrinkle to
 * the next. So the start is part of the model: its nodes, where it changes sides, are held at height 0, and each span
 * between two of them has its own share of the length:
 *
 *     E_ext = Σ over spans (L̃_s - L_s)²
 *
 * With one span this is the paper's energy. A span in which a bump would cost more than it gains (too short for k_r) is
 * joined with a neighbour beforehand: stiff curves have fewer, wider wrinkles, as in figure 5.
 *
 * Closed curves. The last particle is the first again. There is no end: a wave goes through that place as it does
 * through any other node, so its height is 0, but its neighbours are free, and the turn there has its bending energy
 * like all others:
 *
 *     E_int = 3 Σ over i = 1 … n-1 of B(θ(i)),   θ(1) between the last segment and the first
 *
 * A wave that closes has as many bumps as hollows: the number of spans is even, and all are equally wide.
 */
#ifndef SOLVE_GOVERNING_CURVE_H
#define SOLVE_GOVERNING_CURVE_H

#include "base/memory.h"
#include "ruga/mesh.h"

typedef enum governing_start {
    GOVERNING_BAND = 0, /* seeded waves; the number of wrinkles depends on k_r */
    GOVERNING_COUNT,    /* `wrinkles` bumps, whatever k_r */
    GOVERNING_SEARCH    /* no nodes: the lowest energy of many starts */
} governing_start;

typedef enum governing_ends {
    GOVERNING_SOFT = 0, /* as at a mirror */
    GOVERNING_PRINTED   /* equation 3 as printed */
} governing_ends;

typedef struct governing_def {
    double stiffness; /* 1, k_r, >= 0 */
    double length;    /* 1, L̃ / L, >= 1; 1 means no wrinkle */
    governing_start start;
    int wrinkles;    /* COUNT: bumps, at least 1 */
    int seed;        /* BAND */
    int rest_angles; /* 1: the angles of the undeformed curve are at rest; 0: straight ones */
    /* BAND: L̃ / L that the nodes are chosen for; 0: `length`. For animated lengths: with fixed nodes, wrinkles grow
     * and vanish without a jump. */
    double node_length;
    governing_ends ends;
    /* 0…1, by the seed: COUNT: places of the nodes; COUNT and BAND: shares of the length, and so heights. */
    double vary;
} governing_def;

governing_def governing_def_default(void); /* k_r 10, 1.3, band, seed 1, rest angles, soft, no variation */

/* One curve of a joint minimisation. */
typedef struct governing_curve {
    governing_def def;
    size_t count;             /* particles, at least 6 */
    int closed;               /* the last point is the first again */
    const ruga_vec3 *points;  /* (count) m, at rest */
    const ruga_vec3 *normals; /* (count) unit */
    /* (count) m; NULL: none. Deflections of the same curve for another length, with the same nodes. If all curves have
     * one, nothing is minimised: each shape is scaled to its target length, and crossings and nodes are kept. For
     * animated lengths: minima of curves that cross appear and vanish as lengths change, and would make wrinkles
     * jump. */
    const double *shape;
    double *deflections; /* (count) m, along the normals: the result; 0 at the two first and last, closed: at one */
    double energy;       /* 1, after */
    double reached;      /* 1, length over L, after */
    size_t wrinkles;     /* spans */
    int iterations;
} governing_curve;

/* A place that two curves share: between particles k and k + 1 of each, at `fraction` of the segment. Both get the same
 * deflection there. level: and no slope. A surface through two curves has one tangent plane where they cross; with
 * slopes that fade to the sides it would have the tip of a cone there. */
typedef struct governing_crossing {
    size_t curves[2];
    size_t segments[2];
    double fractions[2];
    int level;
} governing_crossing;

/* Memory that is kept between minimisations: with no more particles and crossings than before, nothing is allocated. */
typedef struct governing_room {
    void *memory;
    size_t size;    /* bytes */
    int stop_after; /* iterations, to inspect intermediate states; 0: until there is no progress */
} governing_room;

void governing_room_release(ruga_context *context, governing_room *room);

/* Minimises the energies of all curves together by nonlinear conjugate gradients; crossings hold exactly.
 * Deterministic. The sum of the energies never rises from one iteration to the next. */
ruga_status governing_minimise(ruga_context *context, governing_curve *curves, size_t count,
                               const governing_crossing *crossings, size_t crossing_count);
ruga_status governing_minimise_in(ruga_context *context, governing_room *room, governing_curve *curves, size_t count,
                                  const governing_crossing *crossings, size_t crossing_count);

/* The number of extrema above 0.01 times the greatest deflection. */
size_t governing_extrema(const double *deflections, size_t count);

#endif
