/* A lattice body: a soft solid whose points are the control nodes of a hexahedral lattice (geom/lattice_cells.h), and
 * whose mesh rides on them.
 *
 *     predict    pins, muscles ──▶ forces of parts ──▶ backward Euler, or symplectic Euler ──▶ nodes
 *     surface    the mesh, B times the nodes: contact moves it, and its impulses reach the nodes by Bᵀ
 *
 * Rémillard and Kry 2013, sections 5 and 6.2. The energy is rotated linear elasticity (energy/lattice_energy.h), the
 * mass lumped at the nodes. Quasistatic steps are those of backward Euler from rest, with 0.001 times the mass:
 * (M/1000h² + K) Δq = F, Newton's method for the equilibrium, one round a substep. Pinned vertices are held by stiff
 * springs (energy/anchors.h): they are no points of their own.
 *
 * Parts see the nodes as the body's points. A part that has forces f on vertices of the mesh adds Bᵀ f
 * (lattice_embedding).
 */
#ifndef BODY_LATTICE_H
#define BODY_LATTICE_H

#include "body/cloth_pins.h"
#include "body/muscles.h"
#include "energy/lattice_energy.h"
#include "geom/lattice_cells.h"

/* A shape of the surface, with weights over time. Muscles get the activations that come closest to it, times the
 * weight, on top of their keys. */
typedef struct lattice_shape_def {
    const char *name;           /* for messages */
    size_t count;               /* of positions: the first vertices of the mesh */
    const ruga_vec3 *positions; /* (count) m */
    double limit;               /* 1, the greatest activation */
    size_t key_count;
    const ruga_shape_key *keys; /* (key_count) at least one, rising; copied */
} lattice_shape_def;

typedef struct lattice_def {
    ruga_lattice_def values; /* its pins and muscles are not read: those below are */
    size_t pin_def_count;
    const cloth_pin_def *pins;
    size_t muscle_count;
    const muscle_def *muscles;
    size_t shape_count;
    const lattice_shape_def *shapes;
} lattice_def;

lattice_def lattice_def_default(void);
const ruga_section *lattice_section(void); /* the table of its values: their defaults and ranges */

/* RUGA_ERROR_INPUT: a number that is not allowed, a mesh that a lattice can't be made for (geom/lattice_cells.h), a
 * muscle without material. Measures: elastic and kinetic energy, J, iterations and residual of the solves, the number
 * of inverted quadrature points at the end of the frame. */
ruga_status lattice_create(const ruga_mesh *mesh, const lattice_def *def, body **out);

int body_is_lattice(const body *b);

/* Of a body of kind "lattice". */
const lattice_cells *lattice_cells_of(const body *b);
const ruga_map *lattice_embedding(const body *b); /* B: mesh vertices = B points */
lattice_energy *lattice_energy_of(body *b);
size_t lattice_energies(body *b, energy_term *out[2]); /* all of them: the material's, and that of pins */

/* Muscles and their activations for a shape of the surface at rest (body/lattice_estimate.h): (muscles) out. count: of
 * target, the first vertices of the mesh. */
size_t lattice_muscle_count(const body *b);
ruga_status lattice_estimate_muscles(body *b, size_t count, const vec3 *target, double limit, double *activations,
                                     double *residual);

/* The size of a cell that a def without one means: the longest side of the mesh over LATTICE_CELLS. */
enum { LATTICE_CELLS = 8 };
double lattice_spacing(const ruga_mesh *mesh, double spacing);

#endif
