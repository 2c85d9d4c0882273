/* The parts of a cloth that depend on its mesh. A rebuild makes other ones. */
#ifndef BODY_CLOTH_PARTS_H
#define BODY_CLOTH_PARTS_H

#include "body/cloth.h"
#include "body/part_surface.h"
#include "mesh/topology.h"

typedef struct cloth_parts {
    body_simulated simulated; /* with its mesh */
    spring_network *network;  /* of a membrane: the edges, for lengths alone */
    membrane *membrane;       /* NULL: springs */
    hinges *hinges;           /* of a membrane, or of springs that bend by them, that resists bending; or NULL */
    warp_report warp;         /* of a membrane */
    topology *fans;
    double *masses, *inverse_masses; /* (points) kg, 1/kg: 0 where pinned */
    integrator *solver;
    integrator_kind integrator; /* of it */
    double strain_limit;        /* 1, within the solve; 0: none */
    cloth_pins pins;
    vec3 *forces;                             /* (points) N */
    vec3 *air_scratch;                        /* (triangles); NULL without air */
    vec3 *impulses;                           /* (points) N s */
    vec3 *stage_positions, *stage_velocities; /* (points) of steps within a substep; NULL if it is one */
    double *strains;                          /* (cloth_strain_count) scratch */
    contact_hold *holds,
        *stage_holds; /* (points) the obstacles of the last step; NULL if the integrator holds nothing */
    /* Of cloth whose surface is not that of its points: another mesh is simulated, or the points are bound. */
    int is_mapped;
    ruga_map *own_visible;      /* the first points, where the map was not given */
    const ruga_map *vertices;   /* visible vertices from the unknowns of the solver; NULL: vertex i is unknown i */
    ruga_map *own_vertices;     /* that map, where it is composed of two */
    part_surface surface;       /* the visible mesh */
    contact_hold *vertex_holds; /* (visible vertices) NULL as `holds` */
} cloth_parts;

int cloth_has_air(const cloth_def *def);
/* RUGA_ERROR_INPUT names the number that is not allowed. */
ruga_status cloth_check_def(ruga_context *context, const cloth_def *def);
/* The part of the triangles whose springs are those of triangles, not of quads. */
double cloth_part_without_quads(const cloth_def *def, const ruga_mesh *mesh);

/* From parts that have their pins and are zero otherwise; stiffness and mass are factors. Integrator and elements of
 * the def have been chosen. Release them also after a failure. */
ruga_status cloth_parts_make(const ruga_mesh *mesh, const cloth_def *def, const body_simulated *simulated,
                             double stiffness, double mass, cloth_parts *parts);
/* Another integrator, with the array of holds if it has use for one. The one before stays on failure. */
ruga_status cloth_parts_make_solver(const ruga_mesh *mesh, const cloth_def *def, cloth_parts *parts);
void cloth_parts_release(ruga_context *context, cloth_parts *parts);

/* Every stiffness becomes `factor` times that of the material. */
ruga_status cloth_parts_set_stiffness(cloth_parts *parts, double factor);

/* Masses from a density, kg/m², and inverse masses; those that are 0 stay so. Masses are positive: the network's mesh
 * has no vertex without a triangle, and no triangle without an area. */
ruga_status cloth_parts_set_masses(cloth_parts *parts, double density);

/* For rebuilds, from the parts of the mesh before. The new surface shows the positions that were shown before, where
 * they can be carried. */
ruga_status cloth_parts_carry_visible(const cloth_parts *old, const body *b, const body_change *change,
                                      cloth_parts *parts);
/* Points that stay are held as before. Points that a surface of its own showed, and that are shown themselves from now
 * on, start where they were seen: `positions` are theirs. */
void cloth_parts_carry_state(const cloth_parts *old, const body_change *change, const cloth_parts *parts,
                             vec3 *positions);

#endif
