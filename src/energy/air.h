/* Air: drag and lift on thin surfaces (Kang et al. 2001, section 4).
 *
 *     v           velocity of the surface relative to the air, m/s
 *     N, A        unit normal and area; sin θ = |N · v| / |v|: θ is the angle between v and the surface
 *     drag        −K_D A sin θ |v| v                                  equations 15 and 17
 *     lift        K_L A g(θ) |v|² U / |U|,  U = (Ñ × v) × v           equations 16, 18 and 19; Ñ is ±N with Ñ · v > 0
 *
 * Drag opposes v and lift is perpendicular to it. Neither depends on which side of the surface N is.
 */
#ifndef ENERGY_AIR_H
#define ENERGY_AIR_H

#include "mesh/topology.h"

/* The forms of g. As printed, |U| = cos θ multiplies equation 19's cos θ; with U of unit length g is equation 16's.
 * Both are greatest where the air passes along the surface, and lift changes sides there at full size: a flat flag in a
 * level wind trembles. The smooth one is zero there, as the lift of a thin plate is. */
typedef enum air_lift {
    AIR_LIFT_SMOOTH = 0, /* sin θ cos θ */
    AIR_LIFT_PRINTED,    /* cos² θ */
    AIR_LIFT_UNIT        /* cos θ */
} air_lift;

typedef struct air_law {
    double drag, lift; /* K_D, K_L: kg/m³ on triangles (½ C ρ of the air), kg/m on points */
    air_lift form;
} air_law;

/* Force on a piece of surface, N. area: its normal times its area, m²; for the form on points the unit normal alone. */
ruga_vec3 air_force(const air_law *law, ruga_vec3 area, ruga_vec3 velocity);

/* Velocity of the air, m/s. Called from several threads. */
typedef ruga_vec3 air_wind(void *user, ruga_vec3 point);

typedef struct air_surface {
    const uint32_t *triangles; /* (triangles x 3) */
    const topology *topo;      /* of these triangles */
    ruga_vec3 *scratch;        /* (triangles) */
    int on_points;             /* the paper's form: a force on each point by its own velocity and normal, whatever its
                                  area; else on each triangle by its mean velocity and its current area, a third of it
                                  to each corner */
    /* (triangles) 1, of the material, which scales the forces; NULL: 1 each. On points: the mean of the triangles
     * around, weighted by their areas */
    const double *shares;
    /* NULL, or (points) kg, with the time step h, s: forces are held back to F / (1 + h (K_D + K_L) A |v| / m), where
     * m is the point's mass, or for a triangle 3 min(mass / triangles) of its corners. However strong the wind, air
     * alone then never changes a point's velocity within a step by more than the velocity relative to the air. */
    const double *masses;
    double dt;
} air_surface;

/* Adds the forces at given positions and velocities to (points) forces, N. wind NULL: still air. Allocates nothing;
 * bit-identical for any number of threads. A triangle without area feels nothing, nor does a point without
 * triangles. */
void air_add_forces(ruga_context *context, const air_law *law, const air_surface *surface, air_wind *wind, void *user,
                    const ruga_vec3 *positions, const ruga_vec3 *velocities, ruga_vec3 *forces);

#endif
