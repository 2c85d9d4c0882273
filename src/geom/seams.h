/* Seams: edges where a mesh was split, for two textures or two normals, although the surface is continuous. */
#ifndef GEOM_SEAMS_H
#define GEOM_SEAMS_H

#include "base/memory.h"
#include "ruga/mesh.h"

/* lowest: (vertices) receives for each vertex the lowest of the vertices that seams unite it with; itself if there are
 * none. */
ruga_status seams_find(const ruga_mesh *mesh, uint32_t *lowest);

#endif
