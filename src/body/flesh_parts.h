/* The parts of flesh that depend on its mesh. */
#ifndef BODY_FLESH_PARTS_H
#define BODY_FLESH_PARTS_H

#include "body/flesh.h"
#include "body/part_surface.h"
#include "contact/obstacles.h"
#include "contact/surface_barrier.h"
#include "energy/anchors.h"
#include "energy/spring_mesh.h"
#include "mesh/topology.h"
#include "solve/integrator.h"

typedef struct flesh_parts {
    body_simulated simulated; /* with its mesh */
    tet_energy *tets;
    spring_network *skin; /* NULL: none */
    anchors *anchors;     /* of pins that are no points; NULL: none */
    cloth_pins pins;
    int pins_are_points;
    obstacles *obstacles;                /* of quasistatic flesh that feels colliders; NULL: none */
    surface_barrier *touching;           /* of quasistatic flesh that feels surfaces; NULL: none */
    ARRAY(surface_barrier_other) others; /* of the current substep, and where they go: */
    ARRAY(vec3) other_ends;              /* (their vertices) m */
    double *masses;                      /* (points) kg */
    double *inverse_masses;              /* (points) 1/kg: 0 where pinned, and of all in quasistatics */
    double *triangle_shares;             /* (simulated triangles) 1; NULL: all 1 */
    unsigned char *outer;                /* (points) 1: of a triangle of the surface, or embedded; without a binding */
    topology *fans;                      /* of the surface, for air; NULL: none */
    ARRAY(energy_term *) further;        /* energies of parts; theirs */
    integrator *solver;                  /* NULL: quasistatic */
    equilibrium *statics;                /* NULL: steps in time */
    vec3 *forces, *impulses;             /* (points) N, N s */
    vec3 *air_scratch;                   /* (simulated triangles) */
    contact_hold *holds;                 /* (points) the obstacles of the last step; NULL: quasistatic */
    uint32_t *locks;                     /* (lock_count) of the current substep */
    size_t muscle_count;
    number_keys *muscles;
    /* Of flesh whose surface is not that of its points: another mesh is simulated, or the points are bound. */
    int is_mapped;
    ruga_map *own_visible;      /* the first points, where the map was not given */
    const ruga_map *vertices;   /* visible vertices from the unknowns of the solver; NULL: vertex i is unknown i */
    ruga_map *own_vertices;     /* that map, where it is composed of two */
    part_surface surface;       /* the visible mesh */
    contact_hold *vertex_holds; /* (visible vertices) NULL as `holds` */
} flesh_parts;

int flesh_has_air(const ruga_flesh_def *values);
size_t flesh_parts_energies(const flesh_parts *parts, energy_term *out[3]);
/* One more energy, of a part: its owner's. The solver is made again. */
ruga_status flesh_parts_add_energy(const ruga_flesh_def *values, energy_term *energy, flesh_parts *parts);

/* From parts that are zero. Release them also after a failure. */
ruga_status flesh_parts_make(const ruga_mesh *mesh, const flesh_def *def, flesh_parts *parts);
void flesh_parts_release(ruga_context *context, flesh_parts *parts);

ruga_status flesh_parts_set_stiffness(flesh_parts *parts, double factor);
/* Masses from a density, kg/m³; inverse masses that are 0 stay so. */
void flesh_parts_set_masses(flesh_parts *parts, double density);

#endif
