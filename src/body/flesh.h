/* Flesh: a solid of tetrahedra that survives inversion, with muscles and a skin.
 *
 *     predict    pins, muscles ──▶ forces of parts, air ──▶ a step, or an equilibrium ──▶ points
 *     surface    the visible mesh: the surface of the tets, or a mesh that rides on them
 *
 * Patkar, Jin and Fedkiw 2015, section 7. The points are the vertices of a tet mesh. Energies: the material with its
 * muscles (energy/tet_energy.h), and the skin, springs along the edges and across the folds of the surface
 * (energy/spring_mesh.h). Masses are lumped at the points.
 *
 * Steps in time are those of the integrators `implicit` and `semi_implicit` (solve/integrator.h). Quasistatic flesh has
 * no inertia: every substep ends in equilibrium (solve/equilibrium.h), whatever the density, except for its weight. A
 * solve that does not converge is reported, and the flesh stays where it was in the last substep that did. Colliders
 * are one more energy then, a barrier, which also limits Newton's steps (contact/obstacles.h), and so are its surface
 * itself and other objects that do not yield (contact/surface_barrier.h).
 *
 * Pins hold points. Vertices of a mesh that rides on the tets are no points: stiff springs hold them
 * (energy/anchors.h).
 */
#ifndef BODY_FLESH_H
#define BODY_FLESH_H

#include "body/cloth_pins.h"
#include "body/muscles.h"
#include "energy/tet_energy.h"
#include "solve/equilibrium.h"

enum { FLESH_IMPLICIT, FLESH_SEMI_IMPLICIT, FLESH_QUASISTATIC }; /* ruga_flesh_def.integrator */
#define FLESH_STEP_TOLERANCE 1e-4                                /* the default one of steps in time, */
#define FLESH_FORCE_TOLERANCE 1e-5                               /* and of equilibria */

typedef struct flesh_def {
    ruga_flesh_def values; /* its pins and muscles are not read: those below are */
    int feels_colliders;   /* quasistatic flesh has an energy against the environment's colliders, */
    int feels_surfaces;    /* and against itself and other objects */
    body_simulated simulated;
    size_t pin_def_count;
    const cloth_pin_def *pins;
    size_t muscle_count;
    const muscle_def *muscles;
} flesh_def;

flesh_def flesh_def_default(void);
const ruga_section *flesh_section(void); /* the table of its values: their defaults and ranges */

/* The mesh has tets, or def->simulated has a mesh with tets; shares are of its tets. RUGA_ERROR_INPUT names a number
 * that is not allowed, a tet without a positive volume, a vertex in no tet, a second piece, an edge of the surface
 * without exactly two triangles, a vertex where tets meet in it alone, a muscle without material. Measures: elastic and
 * kinetic energy, J, steps of Newton's method, iterations, residual, inverted tets. */
ruga_status flesh_create(const ruga_mesh *mesh, const flesh_def *def, body **out);

/* RUGA_ERROR_INPUT names what of a mesh with tets can't be flesh: see above. */
ruga_status flesh_check_mesh(const ruga_mesh *mesh);

int body_is_flesh(const body *b);

/* Of a body of kind "flesh". */
tet_energy *flesh_energy_of(body *b);
const cloth_pins *flesh_pins(const body *b);
int flesh_is_quasistatic(const body *b);
size_t flesh_energies(body *b, energy_term *out[3]); /* all of them: the material's, and those of skin and anchors */
/* Called after every step of Newton's method of quasistatic flesh; NULL: nothing. */
void flesh_watch(body *b, void (*watch)(void *user, const equilibrium_progress *progress), void *user);
/* Of the last substep of quasistatic flesh. */
const equilibrium_report *flesh_report(const body *b);

#endif
