/* All surfaces of a substep as one mesh: their vertices, edges and triangles one after the other. */
#ifndef CONTACT_CONTACT_MESH_H
#define CONTACT_CONTACT_MESH_H

#include "contact/surface.h"

/* What belongs to one surface. */
typedef struct contact_part {
    const char *name;      /* the surface's, for messages */
    const ruga_mesh *mesh; /* and revision: what contact_mesh_fits compares */
    uint64_t revision;
    size_t first_vertex, first_edge, first_triangle; /* the next part's, or the counts, end them */
    double size;                                     /* m, diagonal of the box around it at rest */
    double thickness, friction;
    int self;   /* its own pairs count */
    int moving; /* by forces: some inverse mass is not zero */
} contact_part;

typedef struct contact_mesh {
    ruga_context *context;
    size_t part_count, vertex_count, edge_count, triangle_count;
    contact_part *parts;
    uint32_t *part_of;       /* (vertices) */
    uint32_t *triangles;     /* (triangles x 3) vertices */
    uint32_t *edges;         /* (edges x 2) vertices, the lower first */
    uint32_t *ring_offsets;  /* (vertices + 1) into ring_vertices */
    uint32_t *ring_vertices; /* those that a vertex shares an edge with, rising */
    double *inverse_masses;  /* (vertices) 1/kg; 0: moved by nothing */
    ruga_vec3 *from, *to;    /* (vertices) m: accepted and candidate, as contact changes it */
    const ruga_vec3 *rest;   /* (vertices) m: the surfaces' rest meshes */
} contact_mesh;

/* Topology and all that stays from substep to substep; takes what is in the surfaces now. A surface whose mesh has no
 * triangles is a part without vertices. A triangle that names a vertex twice has no edge from that vertex to itself. */
ruga_status contact_mesh_create(ruga_context *context, contact_surface *const *surfaces, size_t count,
                                contact_mesh **out);
void contact_mesh_destroy(contact_mesh *m); /* NULL is fine */
/* Whether these are the surfaces it was made of: the same meshes and revisions, in the same order. */
int contact_mesh_fits(const contact_mesh *m, contact_surface *const *surfaces, size_t count);
/* Positions, inverse masses, thickness, friction and `self` of this substep; allocates nothing. */
void contact_mesh_take(contact_mesh *m, contact_surface *const *surfaces);
/* The candidates that contact made, and the impulses m (new - old way) / dt that did it, into the surfaces: candidates are replaced,
 * impulses added to. Vertices that nothing moves (inverse mass 0) get no impulse: the reaction on them is not told. Where
 * contact changed nothing, candidate and impulse keep every bit. */
void contact_mesh_give(const contact_mesh *m, contact_surface *const *surfaces, double dt);

#endif
