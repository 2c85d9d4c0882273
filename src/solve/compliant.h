/* The compliant solver of wrinkle meshes: a minimiser of an energy. Its result depends neither on the order of
 * constraints nor on the number of iterations, and, with stiffnesses that belong to the material, not on the mesh. With
 * o = p - a the offset of a point from its anchor:
 *
 *     E(p) =  springs      ½ k (|pj - pi| - l)²                       lengths; opposite vertices as the paper's bending
 *          +  curvatures   ½ k |c0 o0 + c1 o1 + c2 o2 + c3 o3|²       bending of the offsets, linear in o
 *          +  hinges       ½ k (θ - θ0)²                              bending by the dihedral angle
 *          +  foundations  ½ k ((o . n)² + τ |o - (o . n) n|²)        soft attachment to the base; τ: also along it
 *     subject to  |o| <= r  and, one-sided,  o . n >= 0;  or, along normals, o = h n
 *
 * Stiffnesses that all meshes of one material share, per area A: an edge k = K A / l²; a curvature over the edge of two
 * triangles (Bergou et al. 2006) c from the cotangents, k = B / (A1 + A2); a foundation k = F A. A flat sheet under
 * compression then buckles at
 *
 *     wavelength  λ = 2π (B / F)^¼     strain  ε_c = 2 √(B F) / K'        (K' the sheet's modulus in one direction)
 *
 * whatever its triangles are, as long as there are enough per wave. Without bending and foundation the radius alone
 * sets the waves, λ = πr/√ε at compression ε.
 *
 * Solved by Gauss-Seidel over points: each takes one Newton step on a quadratic bound of its energy while the others
 * are fixed, so the energy never rises. The plain form is the reference; the accelerated one handles eight points at a
 * time, uses threads, and Nesterov's momentum from sweep to sweep. Both reach the same minimum if they start in one
 * basin. A buckled sheet has many minima, so compare them from a settled state whose base has moved a little (say, from
 * 6 % to 7 % compression), but by far more than rounding. Soft modes, crests that shift as a whole, converge last, long
 * after the energy.
 */
#ifndef SOLVE_COMPLIANT_H
#define SOLVE_COMPLIANT_H

#include "solve/sweeps.h"

typedef struct compliant_spring {
    uint32_t points[2];
    float length;    /* m */
    float stiffness; /* N/m */
} compliant_spring;

/* The bending of the offsets over an edge: the vector Σ c o of four points, none of them twice. */
typedef struct compliant_curvature {
    uint32_t points[4];
    float coefficients[4]; /* 1, their sum is 0 */
    float stiffness;       /* N/m */
} compliant_curvature;

/* The angle between two triangles at their common edge (0, 1); 2 and 3 are opposite. */
typedef struct compliant_hinge {
    uint32_t points[4];
    float rest_angle; /* rad */
    float stiffness;  /* J: energy ½ k (θ - θ0)² */
} compliant_hinge;

typedef enum compliant_method {
    COMPLIANT_PLAIN,      /* Gauss-Seidel over points in colours, scalar, one thread: the reference */
    COMPLIANT_ACCELERATED /* wide, threaded, with momentum */
} compliant_method;

typedef struct compliant_def {
    compliant_method method;
    size_t point_count;
    size_t spring_count;
    const compliant_spring *springs;
    size_t hinge_count;
    const compliant_hinge *hinges;
    size_t curvature_count;
    const compliant_curvature *curvatures;
    const float *foundations; /* (point_count) N/m, or NULL */
    float slide_stiffness; /* 1, τ within [0, 1]: stiffness of foundations along the base over that along the normal */
} compliant_def;

typedef struct compliant compliant;
ruga_status compliant_create(ruga_context *context, const compliant_def *def, compliant **out);
void compliant_destroy(compliant *c); /* NULL is fine */
/* Changes the lengths, coefficients and stiffnesses of terms between the same points. Allocates nothing. */
void compliant_set(compliant *c, const compliant_def *def);

/* points, limits: (point_count x 4) floats in the given order. Curvatures and foundations need limits->anchors;
 * foundations also need its normals if slide_stiffness is below 1. Points stay within their limits; points of radius 0
 * stay on their anchors. Momentum starts at zero in each call: the points are the whole state. Returns the greatest
 * displacement of a point in the last iteration, m. Allocates nothing; bit-identical for any number of threads. */
float compliant_run(compliant *c, const sweep_limits *limits, int iterations, float *points);

/* The same after a run, with the limits and points that it had and left: as if that run had been longer, and so with
 * its momentum. */
float compliant_continue(compliant *c, const sweep_limits *limits, int iterations, float *points);

/* The same for points that are to settle, in calls of some tens of iterations. Most of a mesh settles long before its
 * wrinkles do: after a call in which all points took part, parts of the mesh that moved least wait for up to three
 * calls. Returns whether all took part in this one; otherwise points that did not move may still have to. */
int compliant_settle(compliant *c, const sweep_limits *limits, int iterations, float *points);

/* m, between two points of four floats, as the solver computes it: a spring of this length between them has exactly no
 * force. */
float compliant_length(const float *a, const float *b);
/* rad, of a hinge: 0 when flat; positive where the opposite points are below the edge, seen from outside. */
float compliant_angle(const compliant_hinge *hinge, const float *points);

/* J, in double; and its gradient, N, (point_count x 3), may be NULL. */
double compliant_energy(const compliant *c, const sweep_limits *limits, const float *points, double *gradient);

#endif
