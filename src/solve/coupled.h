/* Implicit steps of several bodies that touch, solved together.
 *
 * If contact corrects a step after it was solved, it moves single points by their own masses. In stiff cloth the
 * neighbours resist, too, and the next solve moves the points back. Piles then never settle, and twisted cloth is
 * stretched. Here the pairs that touch at the start of the step (contact_row) are part of the solve:
 *
 *     minimise  Σ_bodies (v'A v' / 2 - b . v')    with  approach >= target  for every row, and Coulomb's friction
 *
 * by augmented Lagrangians (Hestenes 1969, Powell 1969). A row that presses has the normal impulse
 *
 *     p = max(0, λ + c (target - approach))
 *
 * where λ is its impulse of the last substep at first, then that of the last round: approach becomes the target
 * whatever c is, and an impulse that stopped a motion does not push back in the next substep. Along the surface a row
 * sticks, with the impulse λ_t - c_t slip; or it slides against a drag whose impulse is friction times p, and never
 * pushes along the slip. A row that begins to press slides if its friction can't stop it. The rows that press, stick
 * and slide are found in rounds, together with the holds (solve/holds.h); each round is a linear system,
 *
 *     (A + Σ c J Jᵀ) v' = b + Σ J (λ + c target)
 *
 * positive definite, solved by conjugate gradients over all bodies at once, with the bodies' own preconditioners, whose
 * diagonal blocks get the rows' too. c is STIFFNESS times what resists a row locally, so that the rows are hard at the
 * scale of the bodies' own stiffness.
 *
 * Each solve is linear. Where cloth turns far in one step, as corners do that land, it stretches by the square of the
 * turn, which a linear solve does not see: the step would add energy. So elastic and kinetic energy are compared with
 * those at the start. If they rise by more than gravity's work and MOST_RISE, and elastic energy exceeds the solve's
 * own quadratic model by as much, the step is solved again with the cloth linearised where the first solution leads:
 * Newton's second iteration, with the same rows; and once more if they still rise. Where the second result is worse
 * than the first by backward Euler's own merit, the step goes back towards the first by halves: both fulfil the rows,
 * which are linear, and so does what lies between. Without this search Newton overshoots in steps as long as a frame.
 *
 * If a member asks for several Newton iterations (integrator_def.newton), all are solved again so often, or until none
 * changes.
 *
 * Mapped surfaces, as of creased cloth: a row's vertex may be a weighted sum of unknowns. Each such vertex that touches
 * is a slot, whose velocity is found before the rows need it, and whose impulses go to its unknowns by the transpose.
 * The local resistance of such a vertex is often that of the cloth in its own plane, as where a fold stands on a table:
 * thousands of times the true one. With such a c, an error within the tolerance of the solve is a force above the
 * weight of the cloth, and rows press and release in turns. So there c is at most STIFFNESS MAPPED_INERTIA times the
 * inertia of the vertices.
 *
 * Impulses are equal and opposite: momentum is conserved, and angular momentum as the rows do. Bit-identical for any
 * number of threads.
 */
#ifndef SOLVE_COUPLED_H
#define SOLVE_COUPLED_H

#include "contact/surface.h"
#include "solve/integrator.h"

/* A body's step that has begun (integrator_begin). */
typedef struct coupled_member {
    integrator *solver;
    integrator_report *report; /* gets iterations, residual and convergence of the common solve */
    /* Vertices of its surface from the unknowns of its solver, the points or those of a binding; NULL: vertex i is
     * point i. Must live until the solve has ended. */
    const ruga_map *vertices;
} coupled_member;

/* A row whose vertices are those of members. */
typedef struct coupled_row {
    contact_row *row;    /* its impulses are replaced */
    uint32_t members[4]; /* COUPLED_NONE: no solve moves the vertex */
    uint32_t vertices[4];
    /* m/s, approach and slips by the vertices that no solve moves; and of members whose unknowns are changes of
     * velocities, or whose surface is not where its points are, by what its vertices move without the solve */
    double fixed[3];
} coupled_row;
#define COUPLED_NONE UINT32_MAX

typedef struct coupled coupled;
ruga_status coupled_create(ruga_context *context, coupled **out);
void coupled_destroy(coupled *self); /* NULL is fine */

/* Finishes the members' steps together. Without rows it is integrator_finish of each. may_repeat: a solve that added
 * energy is done again; not for cloth that intersects, which pushes that are no forces bring apart. Allocates nothing
 * in the steady state. */
ruga_status coupled_solve(coupled *self, const coupled_member *members, size_t member_count, const coupled_row *rows,
                          size_t row_count, int may_repeat);

#endif
