/* All surfaces of a substep as one mesh: their vertices, edges and triangles one after the other. */
#ifndef CONTACT_CONTACT_MESH_H
#define CONTACT_CONTACT_MESH_H

#include "contact/surface.h"

/* One surface. */
typedef struct contact_part {
    const char *name;      /* the surface's, for messages */
    const ruga_mesh *mesh; /* contact_mesh_fits compares mesh, revision and mask */
    uint64_t revision;
    const unsigned char *collides;
    size_t first_vertex, first_edge, first_triangle; /* they end at the next part's, or at the counts */
    double size;                                     /* m, diagonal of the box around it at rest */
    double thickness, friction;
    double link_thickness; /* m, of pairs across a seam */
    double rest_part;      /* 1, of distances at rest */
    int self;              /* collides with itself */
    int moving;            /* by forces: some inverse mass is not zero; else it is kinematic */
} contact_part;

typedef struct contact_mesh {
    ruga_context *context;
    size_t part_count, vertex_count, edge_count, triangle_count;
    contact_part *parts;
    uint32_t *part_of;       /* (vertices) */
    uint32_t *numbers;       /* (vertices) its number in the surface, whose vertices may not all collide */
    uint32_t *triangles;     /* (triangles x 3) vertices */
    uint32_t *edges;         /* (edges x 2) vertices, the lower first */
    uint32_t *ring_offsets;  /* (vertices + 1) into ring_vertices */
    uint32_t *ring_vertices; /* those that a vertex shares an edge with, rising */
    uint32_t *link_offsets;  /* (vertices + 1) into link_vertices; NULL: no surface has links */
    uint32_t *link_vertices; /* those that a seam joins a vertex to */
    double *inverse_masses;  /* (vertices) 1/kg; 0: no force moves it */
    ruga_vec3 *from, *to;    /* (vertices) m: accepted, and candidate, which contact changes */
    const ruga_vec3 *rest;   /* (vertices) m: the surfaces' rest meshes */
} contact_mesh;

/* Makes the topology, and takes the current state of the surfaces. A surface whose mesh has no triangles is a part
 * without vertices. Vertices that do not collide, and their triangles, are left out, and so are vertices that no
 * triangle has. A triangle that names a vertex twice has no edge from that vertex to itself. */
ruga_status contact_mesh_create(ruga_context *context, contact_surface *const *surfaces, size_t count,
                                contact_mesh **out);
void contact_mesh_destroy(contact_mesh *m); /* NULL is fine */
/* Whether it was made of these surfaces: the same meshes, revisions and masks, in the same order. */
int contact_mesh_fits(const contact_mesh *m, contact_surface *const *surfaces, size_t count);
/* Takes positions, inverse masses, thickness, friction and `self` of this substep; allocates nothing. */
void contact_mesh_take(contact_mesh *m, contact_surface *const *surfaces);
/* Gives the surfaces the candidates that contact made, and adds the impulses that led there, m (new - old displacement)
 * / dt. Vertices with inverse mass 0 get no impulse. Where contact changed nothing, candidate and impulse keep every
 * bit. */
void contact_mesh_give(const contact_mesh *m, contact_surface *const *surfaces, double dt);

/* Refuses trajectories that are invalid, before contact spends hours on them. The message names object and vertex.
 * Invalid are a coordinate that is not finite, and an edge of a moving part that would become longer than
 * CONTACT_MOST_STRETCH times the diagonal of its surface at rest. */
#define CONTACT_MOST_STRETCH 10
ruga_status contact_mesh_check_trajectories(const contact_mesh *m);

/* Unit normal of a triangle at the start of the trajectories. */
ruga_vec3 contact_mesh_normal(const contact_mesh *m, uint32_t triangle);

#endif
