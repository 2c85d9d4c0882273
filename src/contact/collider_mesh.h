/* Colliders by formula as static surfaces: sphere, capsule and box. */
#ifndef CONTACT_COLLIDER_MESH_H
#define CONTACT_COLLIDER_MESH_H

#include "contact/collider.h"
#include "contact/surface.h"

typedef struct collider_surface {
    ruga_context *context;
    contact_surface surface; /* thickness 0: that of the other surface counts */
    ruga_mesh *mesh;
    ruga_vec3 *positions, *zeros; /* (vertices) */
    double *inverse_masses;       /* (vertices) zero */
    char name[40];                /* "the sphere that is collider 2" */
} collider_surface;

/* Boxes are exact. The vertices of spheres and capsules are on the formula's surface; between them the mesh is inside
 * it, by less than 0.001 times the radius. `number`, from 1, is for the name. */
ruga_status collider_surface_make(ruga_context *context, const collider *c, size_t number, collider_surface *out);
void collider_surface_release(collider_surface *s);

#endif
