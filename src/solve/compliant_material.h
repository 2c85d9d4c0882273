/* The terms of a compliant sheet from its triangles at rest, so that they stand for one material however it is cut:
 *
 *     springs       k = (8/3) K A / l²      A a third of the triangles at the edge: the modulus K in one direction with the other held,
 *                                           exact where edges point everywhere alike (<cos⁴> = 3/8), as in equilateral triangles
 *     curvatures    k = B / (A1 + A2)       coefficients from cotangents, Bergou et al. 2006; none at the border. A third of
 *                                           theirs: over equilateral triangles a cylinder of curvature κ then has ½ B κ² an area
 *     hinges        k = B l² / (A1 + A2)    the same bending by angles
 *     foundations   k = F A                 A a third of the triangles at the vertex
 *
 * A wavelength λ and the strain ε_c at which a flat sheet starts to buckle give F = ε_c K / (2 (λ/2π)²), B = F (λ/2π)⁴.
 *
 * A direction map makes the sheet softer along the crests d that are wanted and stiffer to bend along them: with w the weight and u
 * the direction of an edge, t the direction across it in the plane,
 *
 *     K scales by 1 - 0.95 w (u . d)²      B by 1 + 8 w (t . d)⁴
 *
 * so that compression along d is taken up in the plane, and waves that run along d are flattened.
 */
#ifndef SOLVE_COMPLIANT_MATERIAL_H
#define SOLVE_COMPLIANT_MATERIAL_H

#include "mesh/topology.h"
#include "solve/compliant.h"

#define SHEET_CRITICAL_STRAIN 0.01 /* where a sheet buckles unless told otherwise */
#define SHEET_GREATEST_STRAIN 0.25 /* up to which radii leave room for waves */

typedef struct sheet_material {
    double membrane;   /* N/m, K */
    double bending;    /* J, B */
    double foundation; /* N/m³, F */
} sheet_material;

/* Of waves of this length (m) that start at this strain. K is 1 N/m: only ratios matter at rest. */
sheet_material sheet_material_make(double wavelength, double critical_strain);
/* m: what a wave needs to take up this strain, r = λ √ε / π. */
double sheet_radius(double wavelength, double strain);

/* A sheet at rest. Edges and pairs of triangles are those of the topology, in its order. */
typedef struct sheet {
    const topology *edges;
    const uint32_t *triangles; /* (triangles x 3) */
    const float *points;       /* (vertices x 4) m */
    const float *bending;      /* (vertices) scales B; NULL: 1 */
    const float *
        directions; /* (vertices x 4) unit vectors along the crests that are wanted, and weights within [0, 1]; or NULL */
    sheet_material material;
} sheet;

/* Each fills an array that is the caller's. Lengths are those that compliant_length finds, so that rest is rest to the bit. */
void sheet_springs(const sheet *s, compliant_spring *springs);          /* (edges) */
void sheet_curvatures(const sheet *s, compliant_curvature *curvatures); /* (pairs) */
void sheet_hinges(const sheet *s, compliant_hinge *hinges);             /* (pairs) with their angles as they are */
void sheet_foundations(const sheet *s, float *foundations);             /* (vertices) */
/* Between opposite vertices of pairs: the paper's bending. Of fourth order in the angle, equal to the hinge's energy at half a
 * radian: much softer below, and never free of the lengths, which it keeps as edges do. */
void sheet_opposites(const sheet *s, compliant_spring *springs); /* (pairs) */

#endif
