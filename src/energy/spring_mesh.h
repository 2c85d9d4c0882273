/* The springs of a mesh made of a material.
 *
 * Edges of triangles. Van Gelder 1998: k = Y Σ A / l² over the triangles of area A at an edge of length l, where Y is
 * the membrane's stiffness, N/m (Young's modulus times thickness). On equilateral triangles the network is then the
 * isotropic membrane of Poisson's ratio 1/3 exactly; elsewhere it is near it.
 *
 * Edges of quads (before they are cut into triangles). Each quad of area A gives its edges Y A / 2
 * l², so that a grid stretched along its lines has the stiffness Y, and its two diagonals of length d give it the
 * resistance G to shear: k = G d² / 2 A, from 2 · ½ k (γ A / d)² = ½ G γ² A. Diagonals add to the stretch along the
 * lines: G on squares.
 *
 * Bending. A hinge of edge length l between triangles of areas A, B stores ½ D l² / (A + B) θ² for a plate of rigidity
 * D, N m: with this factor a quadratic surface on equilateral triangles has the plate's energy ½ D κ² in every
 * direction of a cylinder of curvature κ. On a line of a grid that bends at a point between segments of length l, of
 * width w: ½ D (w / l) θ².
 *     Bending springs join the far ends of a hinge. They shorten with θ², so that they can't have the plate's energy at
 *     all angles: they have it at a fold of 90 degrees, and less below.
 *     Axial-bending springs span δ = θ p q / (p + q) where p, q are the heights of the triangles: proportional, so
 *     their k = (D l² / (A + B)) ((p + q) / p q)² has the plate's energy at all small angles.
 *
 * Shares. Where several triangles cover the same cloth, as the copies of a cut one do, each has a share of its
 * material. It scales the stiffness that a triangle gives to its edges; a hinge takes the mean share of its two
 * triangles, weighted by their areas.
 *
 * Masses: a third of each triangle's area times the density and its share (ruga_mesh_masses without shares).
 */
#ifndef ENERGY_SPRING_MESH_H
#define ENERGY_SPRING_MESH_H

#include "energy/spring_network.h"

typedef struct spring_material {
    double stretch;       /* N/m: Y */
    double shear;         /* N/m: G, of quads */
    double bend;          /* N m: D; 0: no bending springs */
    double damping_time;  /* s: damping over stiffness */
    spring_phases phases; /* of edge springs in compression */
    int axial;            /* with axial-bending springs, besides the bending springs */
    double limit;         /* 1, strain beyond which edges stiffen; 0: none does. Diagonals of quads: by `jam` */
    double jam;           /* 1, shear beyond which quads stiffen, with a limit */
    double hard;          /* N/m, added to the stretch beyond */
    int quads;            /* springs of quads as they are; else of the triangles they were cut into */
    const double *shares; /* (triangles) 1, of the material; NULL: 1 each. Only read while the network is made */
} spring_material;

/* (vertices) masses, kg, from a density, kg/m², and (triangles) shares, or NULL. */
ruga_status spring_mesh_masses(const ruga_mesh *mesh, double density, const double *shares, double *masses);

/* RUGA_ERROR_INPUT names a triangle without area, an edge without length, a vertex in no triangle (so without mass,
 * unless the mesh has tets) or the share or property that is not allowed. */
ruga_status spring_network_of_mesh(const ruga_mesh *mesh, const spring_material *material, spring_network **out);

#endif
