/* Polygons after a free cut: faces of which no triangle was cut are put together again, so that quads stay quads where nothing
 * happened. */
#ifndef MESH_REFINE_POLYGONS_H
#define MESH_REFINE_POLYGONS_H

#include "mesh/refine_free.h"

/* parts: what a cut made of the mesh, every face a triangle, child after child. Triangles of the mesh that is made of the parts stay the
 * same, in the same order. */
ruga_status refine_restore_polygons(const ruga_mesh *mesh, const free_cut *c, mesh_parts *parts);

#endif
