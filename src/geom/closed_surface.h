/* The triangles of a mesh with its open borders closed, for tools that need an inside.
 *
 * Each connected border gets a fan of triangles from its middle. Edges that two fans share are closed in both
 * directions too, so borders may touch at vertices. The mesh's own vertices and triangles come first. */
#ifndef GEOM_CLOSED_SURFACE_H
#define GEOM_CLOSED_SURFACE_H

#include "base/memory.h"
#include "math/vec3.h"

typedef struct closed_surface {
    ruga_context *context;
    size_t vertex_count, triangle_count;
    vec3 *positions; /* m */
    uint32_t *triangles;
    size_t open_borders, border_edges; /* that were closed */
    size_t odd_edges;                  /* of these, the edges with three or more triangles */
    uint32_t odd_edge[2];              /* the ends of the first */
    double volume;                     /* m³, signed */
} closed_surface;

/* RUGA_ERROR_INPUT: no triangles, faces that are not oriented alike, vertices that are not finite. Release it after a
 * failure too. */
ruga_status closed_surface_make(const ruga_mesh *mesh, closed_surface *out);
/* RUGA_ERROR_INPUT when the surface is inside out or has no volume. */
ruga_status closed_surface_check_volume(const closed_surface *surface);
void closed_surface_release(closed_surface *surface);

#endif
