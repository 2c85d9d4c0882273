/* Vertices that went through another surface because there was no room.
 *
 * Along an edge of cloth that pierces triangles of a surface, one vertex is deeper than the other by one for each
 * triangle that the edge passes from front to back. So the piercings alone give each vertex of a piece of cloth a depth
 * below that surface. The depth of pinned vertices is outside; without pins, the most frequent depth. Vertices of
 * another depth penetrate: they may pass that surface until they are outside again, and are pushed there by a limited
 * distance per substep, the inner ones together with those at the surface. So pinched cloth comes out when there is
 * room again (like the intersection analysis of Baraff, Witkin and Kass 2003, with a depth instead of colours).
 *
 * The surfaces are all kinematic ones together, and each other cloth. Two cloths that pass through each other are both
 * pushed, by half of the distance. Where the contour of two cloths ends at a border, depths depend on the path; these
 * are left to the pushes of intersecting_pairs.h, and so is a cloth that intersects itself.
 */
#ifndef CONTACT_PENETRATION_H
#define CONTACT_PENETRATION_H

#include "contact/intersecting_pairs.h"

/* A penetrating vertex. */
typedef struct penetrating_vertex {
    uint32_t vertex;
    double push;          /* m, by which it moves outwards, relative to the surface */
    ruga_vec3 out, along; /* unit vector to the outside; m, displacement of the surface there */
} penetrating_vertex;

/* A pair of triangles that intersect, as a piece of a contour (contours.h). */
typedef struct contour_pair {
    size_t up; /* another pair of the same contour; itself: the first one, which has the sums of the contour */
    int end_count;
    ruga_vec3 ends[2]; /* m */
    double length;     /* m */
    ruga_vec3 normals; /* m, integral of the body's normals */
    ruga_vec3 along;   /* m², integral of its displacements */
} contour_pair;

typedef struct penetration {
    ruga_context *context;
    size_t vertex_count; /* size of the arrays */
    int32_t *depth;      /* (vertices) below the current surface */
    ruga_vec3 *out;      /* (vertices) to the outside; zero: not known yet */
    ruga_vec3 *along;    /* (vertices) m, displacement of the surface there */
    vertex_array queue;
    key_array depths;             /* of one piece of cloth, to find the most frequent one */
    key_array surfaces;           /* part of cloth << 32 | class of a surface that its edges pierce */
    ARRAY(contour_pair) contours; /* (intersecting pairs) */
    ARRAY(penetrating_vertex) found;
} penetration;

void penetration_release(penetration *p);

/* At the start of a substep, after intersecting_pairs_prepare: marks the penetrating vertices in the trajectories. */
ruga_status penetration_find(penetration *p, const intersecting_pairs *set, trajectories *t);
/* Moves the ends of their trajectories towards the outside. */
void penetration_push(const penetration *p, trajectories *t);

#endif
