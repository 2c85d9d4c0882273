/* Vertices that went through a kinematic surface because it left them no room.
 *
 * Along an edge of cloth that pierces kinematic triangles, a vertex is deeper than the other by one for each that the way there goes
 * through from the front to the back. So all vertices of a piece of cloth have a depth, from the piercings alone; what most of
 * them have is outside. Those that have another are astray: they pass kinematic surfaces freely until they are outside again, and
 * are drawn there by a limited way in a substep, the more inward ones along with those at the surface. So pinched cloth comes
 * out when there is room again (as the analysis of intersections of Baraff, Witkin and Kass 2003, with a depth instead of colours).
 */
#ifndef CONTACT_ASTRAY_H
#define CONTACT_ASTRAY_H

#include "contact/tangle.h"

typedef struct astray {
    ruga_context *context;
    size_t vertex_count; /* that the arrays are for */
    int32_t *depth;      /* (vertices) */
    ruga_vec3 *out;      /* (vertices) the way out, of unit length; zero: not known yet */
    ruga_vec3 *along;    /* (vertices) m, what the surface moves by there */
    vertex_array queue;
    key_array depths; /* of one piece of cloth, to find the most frequent one */
} astray;

void astray_release(astray *a);

/* At the start of a substep, after tangle_prepare: marks the vertices that are astray in the ways. */
ruga_status astray_find(astray *a, const tangle *t, ways *w);
/* Moves their ends towards the outside. */
void astray_push(const astray *a, ways *w);

#endif
