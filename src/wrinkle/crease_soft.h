/* Contact of creases as Patkar, Jin and Fedkiw 2015 have it in section 5, as a reference: soft-bound particles.
 *
 * Every embedded node has a hard-bound place, W times its parents, and a soft-bound particle there, with the effective
 * mass m_h of the place: 1/m_h = Σ w²/m. Contact acts on the particles alone; then impulses bring them back to their
 * places. The system's momentum is Σ m v + Σ m_s (v_s - v_h): a particle counts by what it moves relative to its place.
 *
 * Equation 6 as printed, (Wᵀ M⁻¹ W + M_s⁻¹) I = V_s - V_h, makes velocities equal, but the particle keeps as much as it
 * gives: of an impulse on a single particle the cloth gets one half, and the other half is lost when the particle's
 * momentum counts relative to its place. crease_soft_hand_over gives all: I = M_s (V_s - V_h) to the parents, then
 * V_s := V_h.
 *
 * Ruga's own contact of creases has no particles: the common solve takes impulses at W x by Wᵀ (solve/coupled.h), and
 * so does the rest after it (body/part_surface.h). */
#ifndef WRINKLE_CREASE_SOFT_H
#define WRINKLE_CREASE_SOFT_H

#include "linalg/cg.h"
#include "wrinkle/crease.h"

typedef struct crease_soft {
    ruga_context *context;
    ruga_map *places;                    /* Wᵀ: (nodes x points) */
    size_t count;                        /* of nodes */
    uint32_t *vertices;                  /* (count) which embedded vertex a node is of, rising */
    double *masses;                      /* (count) kg, m_s = m_h */
    double *inverse;                     /* (points) 1/kg */
    ruga_vec3 *positions, *velocities;   /* (count) the particles' state */
    ruga_vec3 *impulses, *points, *hard; /* (count, points, count) scratch */
    cg_scratch scratch;
} crease_soft;

/* masses: (simulated points) kg. After a failure crease_soft_release may be called. */
ruga_status crease_soft_init(const crease *c, const double *masses, crease_soft *out);
void crease_soft_release(crease_soft *s);

/* Particles go to their places, with their velocities. */
void crease_soft_settle(crease_soft *s, const ruga_vec3 *positions, const ruga_vec3 *velocities);
/* A step without contact: particles get the changes of their places' velocities, and move with their own. */
void crease_soft_inherit(crease_soft *s, const ruga_vec3 *before, const ruga_vec3 *after, double dt);

/* kg m/s: Σ m v + Σ m_s (v_s - v_h). */
ruga_vec3 crease_soft_momentum(crease_soft *s, const ruga_vec3 *velocities);

/* Before 6 and 7: particles of one vertex share velocities, or positions, by impulses between them. */
void crease_soft_pair_velocities(crease_soft *s);
void crease_soft_pair_positions(crease_soft *s);

/* Equations 6 and 7 as printed: velocities of points and particles change, so that they agree now, or positions do
 * after a step of dt. */
ruga_status crease_soft_equation_6(crease_soft *s, ruga_vec3 *velocities);
ruga_status crease_soft_equation_7(crease_soft *s, const ruga_vec3 *positions, double dt, ruga_vec3 *velocities);

/* All that particles have beyond their places goes to the points. */
void crease_soft_hand_over(crease_soft *s, ruga_vec3 *velocities);

#endif
