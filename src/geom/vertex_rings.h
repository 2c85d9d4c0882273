/* Triangles around vertices, laid out once for loops over eight vertices at a time.
 *
 * Corners at a vertex are chained where one triangle's last edge is another's first, so that a closed fan of k
 * triangles takes k + 1 steps instead of 2 k. Corners that can't be chained start a new chain. */
#ifndef GEOM_VERTEX_RINGS_H
#define GEOM_VERTEX_RINGS_H

#include "base/memory.h"

enum { RING_LANES = 8, RING_BLOCK = 64 /* groups per task */ };

/* Step s of vertex k of a group goes to neighbours[RING_LANES s + k], and two consecutive steps span a triangle with
 * the vertex. A step to the vertex itself spans none: it ends a chain, and pads short rings. */
typedef struct vertex_rings {
    ruga_context *context;
    size_t group_count;
    uint32_t *vertices;   /* (groups x 8) the last is repeated */
    uint32_t *offsets;    /* (groups + 1) steps */
    uint32_t *neighbours; /* (steps x 8) */
    uint32_t *closed;     /* (steps x 8) the triangle that a step and the one before span, else NO_RING_TRIANGLE */
} vertex_rings;

#define NO_RING_TRIANGLE UINT32_MAX

/* All triangles around each vertex, in no order of the vertices; some may be in no triangle. `closed` is not made. */
ruga_status vertex_rings_build(ruga_context *context, size_t vertex_count, size_t triangle_count,
                               const uint32_t *triangles, vertex_rings *out);
/* Each triangle once, around one of its corners, in rings as large as possible; vertices without any are left out.
 * `chosen`: (triangles) 0: in no ring; NULL: all are chosen. */
ruga_status vertex_rings_cover(ruga_context *context, size_t vertex_count, size_t triangle_count,
                               const uint32_t *triangles, const uint8_t *chosen, vertex_rings *out);
void vertex_rings_release(vertex_rings *rings); /* zeroed ones, too */

#endif
