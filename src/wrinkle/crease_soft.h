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
 * A substep of a body whose creases have particles, of the form "exact" (the functions are in crease.h):
 *
 *     before contact   particles move with their places; those of one vertex share positions and velocities; equation 7
 *                      brings particles and places together at the end of the substep, and equation 5 closes the gaps
 *                      that it left
 *     after contact    what equation 7 did to velocities is undone: it is there for positions. The impulse on a vertex
 *                      of a crease is taken back from the points and divided equally among its particles, which move
 *                      by it; they share velocities; then the cloth gets all that they have, or what equation 6 gives
 *
 * After it a particle has the velocity of its place, so that its position is all that has to be saved. Damping needs
 * no care: particles follow the velocities that the solve gave their places, and these contain it.
 *
 * The default contact of creases has no particles: the common solve takes impulses at W x by Wᵀ (solve/coupled.h),
 * and so does the rest after it (body/part_surface.h). */
#ifndef WRINKLE_CREASE_SOFT_H
#define WRINKLE_CREASE_SOFT_H

#include "linalg/cg.h"
#include "wrinkle/crease.h"

struct crease_soft {
    ruga_context *context;
    ruga_map *places;                    /* Wᵀ: (nodes x points) */
    size_t count;                        /* of nodes */
    uint32_t *vertices;                  /* (count) which embedded vertex a node is of, rising */
    double *masses;                      /* (count) kg, m_s = m_h */
    double *inverse;                     /* (points) 1/kg */
    ruga_vec3 *positions, *velocities;   /* (count) the particles' state */
    ruga_vec3 *impulses, *points, *hard; /* (count, points, count) scratch */
    ruga_vec3 *starts;                   /* (points) scratch */
    ruga_vec3 *corrections;              /* (points) m/s, by equation 7, until the contact is over */
    cg_scratch scratch;
};

/* masses: (simulated points) kg. After a failure crease_soft_release may be called. */
ruga_status crease_soft_init(const crease *c, const double *masses, crease_soft *out);
/* The same of (count) nodes alone; without masses until crease_soft_use. */
ruga_status crease_soft_of_nodes(ruga_context *context, const embedded_node *nodes, size_t count, size_t points,
                                 crease_soft *out);
void crease_soft_release(crease_soft *s);

/* A step without contact: particles get the changes of their places' velocities, and move with their own. */
void crease_soft_inherit(crease_soft *s, const ruga_vec3 *before, const ruga_vec3 *after, double dt);

/* kg m/s: Σ m v + Σ m_s (v_s - v_h), where all points move. */
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
