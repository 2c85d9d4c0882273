/* The terms of a compliant sheet from its triangles at rest. They represent one material, however it is meshed:
 *
 *     springs       k = (8/3) K A / l²      A a third of the triangles at the edge: the modulus K in one direction with
 *                                           the other held, exact where all edge directions are equally frequent
 *                                           (<cos⁴> = 3/8), as in equilateral triangles
 *     curvatures    k = B / (A1 + A2)       coefficients from cotangents, Bergou et al. 2006; none at the border. A
 *                                           third of theirs: over equilateral triangles a cylinder of curvature κ then
 *                                           has ½ B κ² per area
 *     hinges        k = B l² / (A1 + A2)    the same bending by angles
 *     foundations   k = F A                 A a third of the triangles at the vertex
 *
 * A wavelength λ and the strain ε_c at which a flat sheet buckles give F = ε_c K / (2 (λ/2π)²), B = F (λ/2π)⁴.
 *
 * A direction map makes the sheet softer along the wanted crests d, and stiffer to bend along them: with w the weight,
 * u the direction of an edge, and t the direction across it in the plane,
 *
 *     K scales by 1 - 0.95 w (u . d)²      B by 1 + 8 w (t . d)⁴
 *
 * so that compression along d is taken up in the plane, and waves along d are flattened.
 */
#ifndef SOLVE_COMPLIANT_MATERIAL_H
#define SOLVE_COMPLIANT_MATERIAL_H

#include "mesh/topology.h"
#include "solve/compliant.h"

#define SHEET_CRITICAL_STRAIN 0.01 /* default strain of buckling */
#define SHEET_GREATEST_STRAIN 0.25 /* greatest strain that radii leave room for */

typedef struct sheet_material {
    double membrane;   /* N/m, K */
    double bending;    /* J, B */
    double foundation; /* N/m³, F */
} sheet_material;

/* The material with waves of this length (m) that start at this strain. K is 1 N/m: only ratios matter. */
sheet_material sheet_material_make(double wavelength, double critical_strain);
/* m, radius that a wave needs at this strain, r = λ √ε / π. */
double sheet_radius(double wavelength, double strain);

/* A sheet at rest. Edges and pairs of triangles are those of the topology, in its order. */
typedef struct sheet {
    const topology *edges;
    const uint32_t *triangles; /* (triangles x 3) */
    const float *points;       /* (vertices x 4) m */
    const float *bending;      /* (vertices) scales B; NULL: 1 */
    /* (vertices x 4) unit vectors along the wanted crests, and weights within [0, 1]; or NULL */
    const float *directions;
    sheet_material material;
} sheet;

/* Each fills an array of the caller. Lengths are those of compliant_length, so that the rest pose has exactly no
 * force. */
void sheet_springs(const sheet *s, compliant_spring *springs);          /* (edges) */
void sheet_curvatures(const sheet *s, compliant_curvature *curvatures); /* (pairs) */
void sheet_hinges(const sheet *s, compliant_hinge *hinges);             /* (pairs) at their current angles */
void sheet_foundations(const sheet *s, float *foundations);             /* (vertices) */
/* Between opposite vertices of pairs: the paper's bending. Of fourth order in the angle, equal to the hinge's energy at
 * half a radian: much softer below. It also resists changes of length, as edges do. */
void sheet_opposites(const sheet *s, compliant_spring *springs); /* (pairs) */

#endif
