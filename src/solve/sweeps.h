/* Sweeps over distance constraints: the static Gauss-Seidel solver of Müller and Chentanez 2010, section 4.1, plain and fast.
 *
 *     for each iteration:
 *         every constraint (i, j, length, stiffness):  d = (pj - pi) (1 - length / |pj - pi|) stiffness / 2,  pi += d,  pj -= d
 *         every point:  into the ball |p - a| <= r,  then to the outer side of its plane (p - a) . n >= 0
 *
 * The limits of a point come last in every iteration, ball before half-space, so that both hold at the end.
 *
 * The fast path has the points in an order of its own: packets of mutually unconnected points, each constraint given to one of
 * its ends, so that one wide load and store serves the near ends of several; colours, so that no two constraints at work at the same time
 * share a point; halves for threads, synchronised at their seam only. Its results are those of the plain loop in its own order of
 * constraints, to float rounding, and do not depend on the number of threads to the bit.
 */
#ifndef SOLVE_SWEEPS_H
#define SOLVE_SWEEPS_H

#include "base/memory.h"
#include "ruga/mesh.h"

typedef struct sweep_constraint {
    uint32_t points[2];
    float length;    /* m */
    float stiffness; /* 1, within [0, 1]: part of the error that one projection removes */
} sweep_constraint;

/* What holds for single points; (count x 4) floats each, in the order of the points that are swept. */
typedef struct sweep_limits {
    const float *anchors; /* a, and r as the fourth; NULL: no limits */
    const float *normals; /* n; NULL: no planes. With `along_normals` points stay on the line through a along n */
    int one_sided;        /* (p - a) . n >= 0 */
    int along_normals;
} sweep_limits;

/* ---- The plain loop: constraints in the order of the array, one thread, scalar. points: (count x 4) floats. */
void sweeps_plain(const sweep_constraint *constraints, size_t constraint_count, const sweep_limits *limits,
                  int iterations, float *points, size_t point_count);

/* ---- The fast path. */
typedef struct sweeps sweeps;
ruga_status sweeps_create(ruga_context *context, size_t point_count, const sweep_constraint *constraints,
                          size_t constraint_count, sweeps **out);
void sweeps_destroy(sweeps *s); /* NULL is fine */

/* Its points, padding among them: order[i] is the given point behind slot i, UINT32_MAX for padding. */
size_t sweeps_slot_count(const sweeps *s);
const uint32_t *sweeps_order(const sweeps *s);
/* The given constraints in the order in which it visits them (indices), for comparisons with the plain loop. */
const uint32_t *sweeps_constraint_order(const sweeps *s);

/* New lengths or stiffnesses of the given constraints (same ends, same order). Allocates nothing. */
void sweeps_set(sweeps *s, const sweep_constraint *constraints);

/* points and limits in slots, aligned to 64 bytes (memory_* of base/ has aligned allocation). */
void sweeps_run(sweeps *s, const sweep_limits *limits, int iterations, float *points);

#endif
