/* The contact of embedded shells, shared by its three files:
 *
 *     embedded_shell_contact.c             energy, Hessian and limits of steps
 *     embedded_shell_contact_pairs.c       the contact mesh, and the search for pairs and intersections
 *     embedded_shell_contact_surfaces.c    surfaces of other objects, and the state
 */
#ifndef WRINKLE_EMBEDDED_SHELL_CONTACT_H
#define WRINKLE_EMBEDDED_SHELL_CONTACT_H

#include "contact/broad.h"
#include "contact/ccd.h"
#include "contact/thickness.h"
#include "geom/bvh.h"
#include "geom/intersections.h"
#include "wrinkle/embedded_shell.h"

#define SHELL_PAIR_BLOCK 512

/* A pair within its reach, or a vertex near an obstacle. */
typedef struct contact_term {
    uint32_t vertices[4]; /* of the shell */
    double weights[4];
    vec3 normal;
    vec3 turns[2];    /* N: b dm/de and b dm/df of edges that are nearly parallel */
    double force;     /* N: -b' */
    double curvature; /* N/m: b'' */
} contact_term;
typedef ARRAY(contact_term) contact_terms;

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
    contact_mesh *mesh; /* of the vertices that collide, those of the skin first */
    broad *broad;
    bvh *tree;
    unsigned char *collides; /* (count) */
    double *masses;          /* (count) all 1 */
    double reach;            /* m: d̂ */
    ruga_shell_obstacle *obstacle;
    void *user;
    unsigned char *passes; /* (count) 1: its triangles intersected at the start of the frame */
    unsigned char *inside; /* (count) 1: the vertex started inside the obstacle, and passes through it */
    /* All pairs within the margin, anywhere on the trajectories from found[0] to found[1]. */
    contact_pairs pairs;
    ARRAY(double) reaches; /* (pairs) m */
    vec3 *found[2];        /* (vertices of mesh) m */
    int is_found;
    contact_terms terms;  /* of the last linearisation, or gradient */
    ARRAY(double) values; /* (pairs) scratch */
    intersection_array crossings;
    ruga_status status; /* of the first search that failed */
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

static inline int shell_contact_is_skin(const shell_contact *c, uint32_t i) { return c->mesh->part_of[i] == 0; }

/* Vertices of the skin in the contact mesh. */
static inline size_t shell_contact_skin_count(const shell_contact *c) {
    return c->mesh->part_count > 1 ? c->mesh->parts[1].first_vertex : c->mesh->vertex_count;
}

/* Where a vertex of the contact mesh is; others: the vertices of other surfaces. */
static inline vec3 shell_contact_place(const shell_contact *c, const vec3 *x, const vec3 *others, size_t i) {
    const uint32_t part = c->mesh->part_of[i], number = c->mesh->numbers[i];
    return part == 0 ? x[number] : others[c->others.firsts.items[part - 1] + number];
}

/* The trajectories of a pair. */
static inline void shell_contact_trajectories(const shell_contact *c, const contact_pair *pair, vec3 from[4],
                                              vec3 to[4]) {
    for (int k = 0; k < 4; k++) {
        from[k] = c->mesh->from[pair->vertices[k]];
        to[k] = c->mesh->to[pair->vertices[k]];
    }
}

#endif
