/* Seams: where a mesh was split, for two textures or two normals, but is one surface. */
#ifndef GEOM_SEAMS_H
#define GEOM_SEAMS_H

#include "base/memory.h"
#include "ruga/mesh.h"

/* lowest: (vertices) receives for each vertex the lowest of those that it is one with across seams, itself if there are none. */
ruga_status seams_find(const ruga_mesh *mesh, uint32_t *lowest);

#endif
