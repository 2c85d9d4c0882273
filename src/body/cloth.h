/* Cloth: a mesh of masses and springs in moving air.
 *
 *     predict    pins ──▶ forces (hooks, air) ──▶ integrator ──▶ positions ──▶ over-long springs ──▶ colliders
 *
 * Springs and masses come from the mesh at rest and a material (energy/spring_mesh.h), the step from one of five integrators
 * (solve/integrator.h), air from Kang et al. 2001, section 4 (energy/air.h), colliders by formula from contact/respond.h. Cloth
 * that is inside a collider when it starts is put onto it, without gaining velocity; so is what a collider runs into.
 *
 * A substep may be cut into smaller steps, so that no spring changes its length in one by more than `adaptive` of its rest
 * length: a step that changes more is taken back and halved, one that changes less than a quarter of it lets the next be twice as
 * long.
 */
#ifndef BODY_CLOTH_H
#define BODY_CLOTH_H

#include "body/cloth_changes.h"
#include "body/cloth_pins.h"
#include "energy/air.h"
#include "energy/spring_mesh.h"
#include "solve/integrator.h"

typedef struct cloth_def {
    spring_material material;
    double density; /* kg/m² */
    integrator_def integrator;
    air_law air;
    int air_on_points;        /* the paper's form: K_D and K_L in kg/m on each point */
    double thickness;         /* m, distance that points keep from colliders; and of the contact surface */
    double friction;          /* 1, of the contact surface; colliders have their own */
    int colliders_by_contact; /* contact keeps it off the colliders: it does not do so itself */
    double stretch_limit;     /* 1, elongation beyond which edge springs are drawn together; 0: they are not */
    int limit_rounds;         /* of drawing together, at most */
    double adaptive;          /* 1, greatest change of a spring's length in a step; 0: a substep is one step */
    int most_steps;           /* that a substep may be cut into */
    size_t pin_def_count;
    const cloth_pin_def *pins; /* (pin_def_count) copied */
    size_t change_count;
    const cloth_change *changes; /* (change_count) of stiffness and mass over time, copied */
} cloth_def;

/* Cotton of 0.12 kg/m² by equation 10, drag and lift of a thin plate in air, 1 mm from colliders. */
cloth_def cloth_def_default(void);

/* RUGA_ERROR_INPUT names what can't be: density, thickness, pins, triangles without area, vertices without triangles. Measures:
 * elastic and kinetic energy at the begin and the end of the last step, iterations and steps of the frame, the greatest residual,
 * the greatest elongation that was left, contacts. */
ruga_status cloth_create(const ruga_mesh *mesh, const cloth_def *def, body **out);

/* While it runs, from the next step on: every stiffness, and every mass, is `factor` times what the def makes of it, changes
 * included. */
ruga_status cloth_set_stiffness(body *b, double factor);
ruga_status cloth_set_mass(body *b, double factor);

const spring_network *cloth_network(const body *b);

/* Damping over stiffness, s, that gives the mean edge spring of a mesh a part `ratio` of its critical damping:
 * c = 2 ratio √(k m), m half a point's mass, k the edge's stiffness. */
double cloth_damping_time(const ruga_mesh *mesh, double ratio, double stretch, double density);

#endif
