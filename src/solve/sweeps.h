/* Sweeps over distance constraints: the static Gauss-Seidel solver of Müller and Chentanez 2010, section 4.1, plain and
 * fast.
 *
 *     for each iteration:
 *         every constraint (i, j, length, stiffness):
 *             d = (pj - pi) (1 - length / |pj - pi|) stiffness / 2,  pi += d,  pj -= d
 *         every hinge:  the angle between two triangles, by the projection of Müller et al. 2006
 *         every point: into the ball |p - a| <= r, then outside of its plane (p - a) . n >= 0, then of further planes
 *
 * The limits of a point come last in every iteration, ball before half-space, so that both hold at the end. Further
 * planes that have the anchor on their outer side keep the point in its ball.
 *
 * The fast path has its own order of points: packets of unconnected points, each constraint given to one of its ends,
 * so that one wide load and store serves the near ends of several, and no two constraints that are processed at the
 * same time share a point; for threads the points are halved recursively, and synchronised at the seams only. Its
 * arithmetic is exact (square roots and quotients, no estimates), so its results are bit-identical to those of the
 * plain loop in its own order of terms, for every instruction set, number of threads and task system. It processes
 * hinges one by one.
 */
#ifndef SOLVE_SWEEPS_H
#define SOLVE_SWEEPS_H

#include "base/memory.h"
#include "ruga/mesh.h"

typedef struct sweep_constraint {
    uint32_t points[2];
    float length;    /* m */
    float stiffness; /* 1, within [0, 1]: fraction of the error that one projection removes */
} sweep_constraint;

/* The angle between two triangles at their common edge (0, 1); 2 and 3 are opposite. */
typedef struct sweep_hinge {
    uint32_t points[4];
    float rest_angle; /* rad, as sweep_hinge_angle measures it */
    float stiffness;  /* 1, within [0, 1] */
} sweep_hinge;

/* The terms of one iteration: first the constraints, then the hinges. */
typedef struct sweep_terms {
    size_t constraint_count;
    const sweep_constraint *constraints;
    size_t hinge_count;
    const sweep_hinge *hinges; /* NULL when there are none */
} sweep_terms;

/* Limits of single points; (count x 4) floats each, in the order of the points. */
typedef struct sweep_limits {
    const float *anchors; /* a, and r as the fourth, which may be INFINITY; NULL: no limits but further planes */
    const float *normals; /* n, unit; NULL: no planes. With `along_normals` points stay on the line through a along n */
    int one_sided;        /* (p - a) . n >= 0 */
    int along_normals;
    /* Further planes of point i: from plane_offsets[i] to plane_offsets[i + 1], each n and d: p . n >= d. NULL:
     * none. */
    const uint32_t *plane_offsets; /* (count + 1) */
    const float *planes;           /* (planes x 4) */
} sweep_limits;

/* rad, within (-π, π], 0 when flat; positive when, seen from the side to which the normals (p0 - p2) x (p1 - p2) point,
 * the common edge is a ridge. points: (count x 4) floats. */
float sweep_hinge_angle(const uint32_t hinge[4], const float *points);

/* The plain loop: terms in the order of their arrays, one thread, scalar. points: (count x 4) floats; the fourth is 0
 * and does not change. */
void sweeps_plain(const sweep_terms *terms, const sweep_limits *limits, int iterations, float *points,
                  size_t point_count);

/* ---- The fast path. Fails with RUGA_ERROR_UNSUPPORTED for more than some 268 million points or terms. */
typedef struct sweeps sweeps;
ruga_status sweeps_create(ruga_context *context, size_t point_count, const sweep_terms *terms, sweeps **out);
void sweeps_destroy(sweeps *s); /* NULL is fine */

/* Its slots, including padding: order[i] is the given point of slot i, UINT32_MAX for padding. */
size_t sweeps_slot_count(const sweeps *s);
const uint32_t *sweeps_order(const sweeps *s);
/* Indices of the constraints and hinges in the order of its visits, for comparison with the plain loop. */
const uint32_t *sweeps_constraint_order(const sweeps *s);
const uint32_t *sweeps_hinge_order(const sweeps *s);

/* New lengths, angles or stiffnesses of the given terms (same points, same order). Allocates nothing. */
void sweeps_set(sweeps *s, const sweep_terms *terms);

/* points and limits in slots, aligned to 64 bytes (NEW_ALIGNED of base/memory.h); limits may be NULL. Padding must be
 * finite. Allocates nothing. */
void sweeps_run(sweeps *s, const sweep_limits *limits, int iterations, float *points);

#endif
