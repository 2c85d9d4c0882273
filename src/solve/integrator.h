/* Integrators of spring networks: five ways from velocities at the begin of a step to those at its end.
 *
 *     approximate_implicit   Kang et al. 2001, equation 10, with a stiffness per spring and a mass per point; more sweeps
 *                            with Chebyshev's acceleration converge to `filter`
 *     explicit               v' = v + h M⁻¹ F: stable for steps below √(2 m / Σk), and little beyond
 *     semi_implicit          elastic forces explicit, damping implicit by conjugate gradients (Bridson et al. 2003 in the
 *                            form of Patkar et al. 2015, section 3): stable as `explicit`, whatever the damping
 *     implicit               backward Euler, linearised once a step (Baraff and Witkin 1998), with the true Hessian made
 *                            definite, by conjugate gradients with a block-Jacobi preconditioner
 *     filter                 Desbrun et al. 1999, equation 5 of Kang: backward Euler with a constant matrix, factored once
 *
 * All but the second and third solve A Δv = b. With the springs' constant matrix L (bounds of network->bounds), damping C,
 *
 *     A = M + h² L + h C,   b = h (F + h H v)   with H = -L: the viscosity of equation 4,
 *
 * for `filter`, and `approximate_implicit` does sweeps of Jacobi's iteration on it. Outer forces f, such as gravity and air,
 * are part of the velocity that a step begins with, u = v + h M⁻¹ f, from which M (v' - u) = h F(x + h v') goes on: the same
 * equation, in which b has inner forces only, as in the paper. So bodies fall freely and feel the wind in full after any number of
 * sweeps; inside b they would be held back by springs that push on nothing. Two sweeps are equation 10; the effective stiffness k / (1 + k h² / m)² of two masses then *falls* with k beyond m / h², and a hanging
 * cloth stretches with the number of its points. With s sweeps Chebyshev's polynomial damps all parts of the error that s
 * sweeps can reach by CHEBYSHEV_DAMPING. The number is even, because an odd one overshoots the stiffest part.
 *
 * Pinned points get the velocity they are given; their change is known to their neighbours from the second sweep on.
 */
#ifndef SOLVE_INTEGRATOR_H
#define SOLVE_INTEGRATOR_H

#include "contact/surface.h"
#include "energy/spring_network.h"

typedef enum integrator_kind {
    INTEGRATOR_APPROXIMATE_IMPLICIT,
    INTEGRATOR_EXPLICIT,
    INTEGRATOR_SEMI_IMPLICIT,
    INTEGRATOR_IMPLICIT,
    INTEGRATOR_FILTER,
    INTEGRATOR_COUNT
} integrator_kind;
const char *integrator_name(integrator_kind kind); /* "approximate_implicit" … */
/* Whether it keeps points from going into what holds them off: `implicit` and `semi_implicit`. `explicit` has nothing to keep, as no
 * point there knows of another. The constant matrix of the other two resists relative motion in all directions, so that what holds
 * some points would hold all near them, too: a cloth over the edge of a table would stand off flat. */
int integrator_holds(integrator_kind kind);
/* RUGA_ERROR_ARGUMENT, naming the choices, when there is none of that name. */
ruga_status integrator_find(ruga_context *context, const char *name, integrator_kind *out);

typedef struct integrator_def {
    integrator_kind kind;
    int sweeps;          /* approximate_implicit: even, at least 2 */
    int conserve;        /* approximate_implicit: each piece without pins gets the momentum that the forces give it */
    double tolerance;    /* semi_implicit, implicit: relative residual at which conjugate gradients stop */
    int most_iterations; /* semi_implicit, implicit: of conjugate gradients */
} integrator_def;
integrator_def integrator_def_default(void); /* equation 10; 1e-3, 500 */

/* One step, as an integrator sees it. */
typedef struct integrator_step {
    double dt;              /* s, positive */
    vec3 gravity;           /* m/s²: an acceleration of all points alike */
    const vec3 *positions;  /* (points) m, at the begin */
    const vec3 *velocities; /* (points) m/s, at the begin, with what outer forces f add: v + h M⁻¹ f */
    size_t pin_count;
    const uint32_t *pins;       /* (pin_count) points, each once */
    const vec3 *pin_velocities; /* (pin_count) m/s, at the end of the step */
    /* What points may not go into (solve/holds.h), and the impulses that this took, N s: (points) each, or both NULL. Only for
     * integrators that hold. */
    const contact_hold *holds;
    vec3 *hold_impulses;
    /* For `implicit`: product += (d f / d positions) direction, N; NULL: nothing. */
    ruga_status (*force_product)(void *user, const vec3 *direction, vec3 *product);
    void *user;
} integrator_step;

typedef struct integrator_report {
    int iterations; /* sweeps, or iterations of conjugate gradients; 0: none */
    double
        residual; /* 1, √(rᵀPr) over that of forces and gravity: of conjugate gradients, and before the last of more than
                              two sweeps, P the preconditioner or D⁻¹; 0 elsewhere */
    int converged;         /* conjugate gradients reached their tolerance; 1 elsewhere */
    double elastic_energy; /* J, of the springs at the begin of the step */
} integrator_report;

typedef struct integrator integrator;

/* Network and masses (points, kg, positive) are the owner's and may change between steps: the next step takes notice of the
 * network's revision, after integrator_masses_changed of the masses. RUGA_ERROR_INPUT names what can't be. */
ruga_status integrator_create(const integrator_def *def, const spring_network *network, const double *masses,
                              integrator **out);
void integrator_destroy(integrator *self); /* NULL is fine */
void integrator_masses_changed(integrator *self);

/* Velocities at the end of the step, (points); `out` may not be an array of the step. In the steady state it allocates
 * nothing. */
ruga_status integrator_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report);

#endif
