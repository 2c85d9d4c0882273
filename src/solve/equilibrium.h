/* Equilibrium: positions at which inner forces balance given ones, by Newton's method.
 *
 * The total energy is
 *
 *     E(x) = Σ U(x) - f · x,    F = -dE/dx
 *
 * over the energies of a body (energy/energy.h) and constant forces f. Each step of Newton's method solves
 *
 *     K Δ = F        by conjugate gradients, with the two levels of linalg/two_level.h as the preconditioner; where
 *                    these took more iterations than a factor of K costs (linalg/block_llt.h), with that
 *
 * with K = d²E/dx², or where that is not definite a matrix near it that is (Teran et al. 2005), and moves by α Δ. A
 * line search halves α until the energy falls: E never rises. The solve ends when ‖F‖ at the free points is below the
 * tolerance times its reference: the larger of ‖F₀‖, the forces at the start, and of the forces that pins bear there.
 * The second counts for bodies that hardly move from one frame to the next. No mass occurs, so that the result does
 * not depend on the density.
 *
 * Pins move first. With the displacements d of pinned points the free ones are carried along by K Δ = F - K d; F₀ is
 * then this right-hand side. Such a move is straight, and swells or shrinks what it turns. So each element is given
 * the rotation that it has after the move, and another solve with the same K finds the move that differs least from
 * these rotations: three times at most, while the energy falls (the local and global steps of Sorkine and Alexa 2007,
 * with K for their weights). Where pins turn far, this replaces several of Newton's steps. Where a move of the pins
 * alone has less energy, only the pins move.
 *
 * Bound to a subspace x = T y (solve/bound.h), steps solve TᵀKT Δy = TᵀF, and ‖F‖ is that of TᵀF.
 *
 * Contact is one of the energies, whose entries change from step to step. It needs no matrix: conjugate gradients use
 * its product, and the preconditioner the blocks on its diagonal. A barrier also limits α, and the moves of pins and
 * obstacles: then they move by parts, with some of Newton's steps after each. The reference follows the forces that
 * pins bear while obstacles move.
 */
#ifndef SOLVE_EQUILIBRIUM_H
#define SOLVE_EQUILIBRIUM_H

#include "energy/energy.h"
#include "ruga/map.h"

typedef struct equilibrium_def {
    double tolerance;    /* 1, of ‖F‖ over its reference */
    int most_steps;      /* of Newton's method */
    int most_iterations; /* of conjugate gradients, in a step */
} equilibrium_def;
equilibrium_def equilibrium_def_default(void); /* 1e-5, 100, 2000 */

typedef struct equilibrium_system {
    ruga_context *context;
    size_t point_count;
    size_t energy_count;
    energy_term *const *energies; /* (energy_count) over these points */
    const ruga_map *bound;        /* T, points from unknowns; NULL: the points are the unknowns */
} equilibrium_system;

/* One step of Newton's method, for tests and measurements. */
typedef struct equilibrium_progress {
    int step;         /* 0: the start, with pins moved */
    double energy;    /* J */
    double residual;  /* 1, ‖F‖ over its reference */
    int iterations;   /* of conjugate gradients, for this step */
    double length;    /* 1, α */
    int is_projected; /* K was made definite */
} equilibrium_progress;

typedef struct equilibrium_load {
    const vec3 *forces; /* (points) N; NULL: none */
    size_t pin_count;
    const uint32_t *pins;    /* (pin_count) points, each once; in a bound solve each an unknown of its own */
    const vec3 *pin_targets; /* (pin_count) m */
    size_t lock_count;
    const uint32_t *locks; /* (lock_count) unknowns of a bound solve that keep their value; none is pinned */
    /* The greatest part, at most 1, of the displacements from `from` to `to` that may be taken; NULL: all. */
    double (*limit)(void *user, const vec3 *from, const vec3 *to);
    /* Moves the obstacles of the energies on as far as a body at x lets them. Returns the part of their displacements
     * that is left, 0 at the end; NULL: none moves. */
    double (*advance)(void *user, const vec3 *x);
    void (*watch)(void *user, const equilibrium_progress *progress); /* NULL: nobody does */
    void *user;
} equilibrium_load;

typedef struct equilibrium_report {
    int steps, iterations; /* of Newton's method, and of conjugate gradients in all of them */
    double residual;       /* 1, ‖F‖ over its reference, at the end */
    double force;          /* N, ‖F‖ at the end */
    double energy;         /* J, of all energies at the end */
    int converged;
} equilibrium_report;

typedef struct equilibrium equilibrium;

/* Energies and map are the owner's. RUGA_ERROR_INPUT names the setting that is not allowed. */
ruga_status equilibrium_create(const equilibrium_def *def, const equilibrium_system *system, equilibrium **out);
void equilibrium_destroy(equilibrium *self); /* NULL is fine */

/* positions: (points) m, the start, within T's range; then the equilibrium, or the best positions that were found. A
 * solve that does not converge is no error: the report has it. Allocates nothing after the first, but for the factor of
 * K where that is needed first. */
ruga_status equilibrium_solve(equilibrium *self, const equilibrium_load *load, vec3 *positions,
                              equilibrium_report *report);

#endif
