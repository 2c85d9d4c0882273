/* Cloth: a mesh of masses, joined by springs or by a membrane with hinges, in moving air.
 *
 *     predict    pins ──▶ forces (parts, air) ──▶ integrator ──▶ positions ──▶ over-long springs ──▶ colliders
 *
 * Springs and masses come from the mesh at rest and a material (energy/spring_mesh.h), or, as `elements` says, a
 * membrane with warp and weft (energy/membrane.h) and hinges (energy/hinge.h); the step comes from one of five
 * integrators (solve/integrator.h), air from Kang et al. 2001, section 4 (energy/air.h), colliders by formula from
 * contact/respond.h. Cloth that starts inside a collider is moved to its surface without gaining velocity, and so is
 * cloth that a collider moves into.
 *
 * A substep may be cut into smaller steps, so that no spring changes its length in one by more than `adaptive` of its
 * rest length: a step that changes more is undone and halved; after one that changes less than a quarter of that, the
 * next step is twice as long.
 *
 * The simulated mesh may be another one than the visible mesh: that of a cut cloth has copies of triangles, each with a
 * share of the material, and its points may be bound to a subspace x = T y. The cloth then collides with its visible
 * mesh, which keeps the positions that contact resolved (body/part_surface.h); the points get the impulses through the
 * maps, and stay in the subspace. A rebuild may change what is simulated (world_change): springs are then made from the
 * mesh again, and values that were set for single springs are lost.
 */
#ifndef BODY_CLOTH_H
#define BODY_CLOTH_H

#include "body/cloth_changes.h"
#include "body/cloth_pins.h"
#include "energy/air.h"
#include "energy/hinge.h"
#include "energy/membrane.h"
#include "energy/spring_mesh.h"
#include "energy/warp.h"
#include "solve/integrator.h"

/* The values that a scene gives, and what they refer to, found. */
typedef struct cloth_def {
    const char *name;           /* of its object, for messages while it is made; NULL: none */
    ruga_cloth_def values;      /* its pins are not read: `pins` has them; its changes are copied */
    ruga_material_def material; /* all numbers are given */
    double damping_time;        /* s, damping over stiffness of springs; NaN: by the material's, on the first mesh */
    body_simulated simulated;
    int colliders_by_contact; /* contact keeps it off the colliders: it does not do so itself */
    size_t pin_def_count;
    const cloth_pin_def *pins; /* (pin_def_count) of vertices of the visible mesh; copied */
} cloth_def;

/* Cotton of 0.12 kg/m² without damping, by equation 10, drag and lift of a thin plate in air, 1 mm from colliders. */
cloth_def cloth_def_default(void);
const ruga_section *cloth_section(void); /* the table of its values: their defaults and ranges */

/* RUGA_ERROR_INPUT names what is not allowed: density, thickness, pins, triangles without area, vertices without
 * triangles, a binding that the integrator does not support. Measures: elastic energy at the start of the last step and
 * kinetic energy at its end, iterations and steps of the frame, the greatest residual, the greatest elongation that was
 * left, contacts. */
ruga_status cloth_create(const ruga_mesh *mesh, const cloth_def *def, body **out);

/* Another rest length and stiffness of one spring between two points, from the next step on (spring_network_set_spring
 * and spring_network_set_axial). They are part of the saved state. RUGA_ERROR_UNSUPPORTED: it is a membrane. */
ruga_status cloth_set_spring(body *b, uint32_t from, uint32_t to, spring_kind kind, double rest_length,
                             double stiffness);
ruga_status cloth_set_axial(body *b, size_t index, double rest_length, double stiffness);

/* While it runs, from the next step on: every stiffness, and every mass, is `factor` times that of the def,
 * changes included. */
ruga_status cloth_set_stiffness(body *b, double factor);
ruga_status cloth_set_mass(body *b, double factor);

/* The springs; of a membrane the edges of its mesh, for lengths alone: they are no part of the step. */
const spring_network *cloth_network(const body *b);

/* The choices that a def leaves open, made for a mesh. bound_or_stiff: parts need `implicit`. */
typedef struct cloth_choice {
    int elements;   /* CLOTH_SPRINGS or CLOTH_MEMBRANE */
    int integrator; /* not INTEGRATOR_AUTO */
    int bending;    /* springs or hinges */
} cloth_choice;
enum { CLOTH_AUTO, CLOTH_SPRINGS, CLOTH_MEMBRANE };     /* ruga_cloth_def.elements */
enum { BENDING_AUTO, BENDING_SPRINGS, BENDING_HINGES }; /* ruga_cloth_def.bending */
/* RUGA_ERROR_INPUT: a membrane is asked for together with an integrator or an option that knows springs alone. */
ruga_status cloth_choose(const cloth_def *def, const ruga_mesh *mesh, int bound_or_stiff, cloth_choice *out);

/* The fabric of a cloth, for reports. */
typedef struct cloth_fabric {
    int elements;        /* CLOTH_SPRINGS or CLOTH_MEMBRANE */
    int integrator;      /* integrator_kind */
    warp_report warp;    /* of a membrane */
    double strain_limit; /* 1; 0: none */
    double quadless;     /* 1, part of the triangles that are in no quad: springs there have no `shear` */
} cloth_fabric;
cloth_fabric cloth_fabric_of(const body *b);

/* The integrator and the springs, without shares, that a def means for a mesh. */
integrator_def cloth_integrator(const cloth_def *def);
membrane_material cloth_membrane(const cloth_def *def, const ruga_mesh *mesh);
spring_material cloth_springs(const cloth_def *def, const ruga_mesh *mesh);

/* Damping over stiffness, s, that gives the mean edge spring of a mesh a part `ratio` of its critical damping:
 * c = 2 ratio √(k m), m half a point's mass, k the edge's stiffness. */
double cloth_damping_time(const ruga_mesh *mesh, double ratio, double stretch, double density);

#endif
