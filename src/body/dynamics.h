/* The common part of bodies with a step in time: forces of parts in their solves, impulses on bound points, holds of
 * contact, and the messages about all of these. */
#ifndef BODY_DYNAMICS_H
#define BODY_DYNAMICS_H

#include "body/body.h"
#include "ruga/field.h"
#include "solve/integrator.h"

#define DYNAMICS_BLOCK 2048 /* points of one task */

/* Values of a body against its table: "cloth: drag is -1; allowed is 0 to 1e+09". RUGA_ERROR_INPUT. */
ruga_status dynamics_check_values(ruga_context *context, const ruga_section *table, const void *values);
/* Other numbers: "the cloth's density is -1 kg/m²; it must be finite and positive". */
ruga_status dynamics_check_number(ruga_context *context, const char *kind, const char *name, const char *unit,
                                  double value, int zero_allowed);

/* ---- Forces of parts. */

typedef struct part_call {
    body *b;
    const substep *s;
    const vec3 *positions; /* (points) m, at the start of the step */
} part_call;

/* Minus the derivative of the forces times a direction; `user` is a part_call. */
ruga_status part_call_product(void *user, const vec3 *direction, vec3 *product);
/* The step takes the derivatives of stiff parts from the call. `squares`: also the blocks between their points. */
void dynamics_use_parts(part_call *call, int squares, integrator_step *step);

/* Warns of a substep longer than the step below which an integrator is stable, s; *said remembers it. `steps`: what its
 * steps are called, "symplectic". */
void dynamics_report_unstable(const body *b, const substep *s, const char *steps, double stable, int *said);

/* ---- After a solve. */

/* Warns of the first solve that stopped before its tolerance; *said remembers it. */
void dynamics_report_solve(const body *b, const substep *s, const integrator_report *report, double tolerance,
                           int *said);
double dynamics_kinetic_energy(const body *b); /* J */
/* Bound points get the change that their binding allows of the impulses on them. A body
 * without a solver, such as one in equilibrium, ignores them. `changes`: (points) scratch. */
ruga_status dynamics_accept_bound(body *b, integrator *solver, size_t pin_count, const uint32_t *pins, double dt,
                                  const contact_surface *surface, vec3 *changes);

/* ---- Holds of contact. `visible` maps points to vertices (NULL: vertex i is point i); only vertices that are one
 * point alone have a hold. */
void holds_to_vertices(const ruga_map *visible, size_t vertex_count, const contact_hold *of_points,
                       contact_hold *of_vertices);
void holds_to_points(const ruga_map *visible, size_t vertex_count, const contact_hold *of_vertices, size_t point_count,
                     contact_hold *of_points);
/* Saves the points that are held. holds NULL: none. */
void holds_save(const contact_hold *holds, size_t count, state_writer *writer);
/* Holds that were saved with another integrator are ignored. `what`: "points" or "vertices". */
ruga_status holds_load(ruga_context *context, state_reader *entry, const char *what, size_t count, contact_hold *holds);

#endif
