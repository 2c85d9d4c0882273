/* A stroke by the steps of Wang, Wang and Yuen 2006 as they are printed, done plainly, for comparison in bench/sculpt.
 *
 *   table 1         particles, their minimisation, then rounds of: the region, the deflected base curve, its error, a
 *                   refinement
 *   4.2             conjugate gradients (Polak and Ribière) with a line search, without a preconditioner, from the
 *                   start that ours has: from the printed one, a straight line, no wrinkle grows
 *   appendix        distances by the front, along edges: as printed it continues until every vertex of the mesh has its
 *                   distance; or it may stop beyond the radius, which is kinder than print
 *   5.3             every triangle of the region into four, those next to it so that no edge is left open; the
 *                   second-order umbrella over the new vertices; topology, normals and distances again in every round
 *   step 8, 9       the closest vertex of the base curve, carried along by the front; the bell of equation 6; normals
 *                   of all
 *
 * Scalar, but not careless: linear lists, nothing in the inner loops that could be outside. The cut is the library's
 * own, and so is the energy. The topology, which depends on the mesh alone, is given, as a sculpt has it before its
 * first stroke. */
#ifndef BENCH_SCULPT_PLAIN_H
#define BENCH_SCULPT_PLAIN_H

#include "mesh/topology.h"
#include "ruga/sculpt.h"

typedef struct sculpt_plain_def {
    const ruga_mesh *mesh;
    const topology *topo; /* of it */
    const ruga_stroke_def
        *stroke; /* of which it takes the curve, stiffness, length, seed, radius, tolerance, refine and particles */
    int stops;   /* fronts end beyond the radius; else as printed */
} sculpt_plain_def;

typedef struct sculpt_plain_result {
    size_t vertex_count, triangle_count;
    ruga_vec3 *positions, *normals; /* (vertex_count) */
    uint32_t *triangles;            /* (triangle_count x 3) */
    double energy;
    double error, tolerance; /* m */
    int iterations, refinements;
    size_t front_rounds; /* of all fronts together */
} sculpt_plain_result;

ruga_status sculpt_plain_draw(const sculpt_plain_def *def, sculpt_plain_result *out);
void sculpt_plain_release(sculpt_plain_result *result);

#endif
