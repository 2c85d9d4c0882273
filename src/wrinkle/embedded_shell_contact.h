/* The contact of embedded shells, shared by its three files:
 *
 *     embedded_shell_contact.c             energy, Hessian and limits of steps
 *     embedded_shell_contact_pairs.c       the contact mesh, and the search for pairs and intersections
 *     embedded_shell_contact_surfaces.c    surfaces of other objects, and the state
 */
#ifndef WRINKLE_EMBEDDED_SHELL_CONTACT_H
#define WRINKLE_EMBEDDED_SHELL_CONTACT_H

#include "contact/barrier_pairs.h"
#include "wrinkle/embedded_shell.h"

/* Surfaces of other objects: their vertices one after the other. */
typedef struct other_surfaces {
    ARRAY(const ruga_mesh *) meshes;
    ARRAY(size_t) firsts;   /* (meshes) vertices */
    size_t count;           /* vertices */
    vec3 *now, *from, *to;  /* (count) m: current, and at the start and the end of a frame */
    double *masses;         /* (count) all 0 */
    ARRAY(vec3) remembered; /* those of a saved state, until the surfaces are given */
} other_surfaces;

struct shell_contact {
    ruga_context *context;
    contact_surface surface;
    other_surfaces others;
    barrier_pairs pairs;     /* of the skin and the other surfaces */
    unsigned char *collides; /* (count) */
    double *masses;          /* (count) all 1 */
    ruga_shell_obstacle *obstacle;
    void *user;
    unsigned char *inside; /* (count) 1: the vertex started inside the obstacle, and passes through it */
    barrier_terms terms;   /* of the last linearisation, or gradient: also of vertices near the obstacle */
    ruga_status status;    /* of the first search that failed */
};

/* ---- embedded_shell_contact_pairs.c */
/* The contact mesh of the skin and the other surfaces, again. */
ruga_status shell_contact_build(shell_contact *c);
/* Where all vertices of the contact mesh are. */
void shell_contact_gather(const shell_contact *c, const vec3 *x, vec3 *out);
/* All pairs on the trajectories from mesh->from to mesh->to. */
ruga_status shell_contact_search(shell_contact *c);
/* The same, unless those that were found include them. */
ruga_status shell_contact_find(shell_contact *c);
/* The first failure counts. */
void shell_contact_note(shell_contact *c, ruga_status status);

/* Where a vertex of the contact mesh is; others: the vertices of other surfaces. */
static inline vec3 shell_contact_place(const shell_contact *c, const vec3 *x, const vec3 *others, size_t i) {
    const contact_mesh *m = c->pairs.mesh;
    const uint32_t part = m->part_of[i], number = m->numbers[i];
    return part == 0 ? x[number] : others[c->others.firsts.items[part - 1] + number];
}

#endif
