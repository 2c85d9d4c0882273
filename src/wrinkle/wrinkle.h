/* Wrinkle meshes inside the library: the functions that their part needs beyond ruga/wrinkle_mesh.h. */
#ifndef WRINKLE_WRINKLE_H
#define WRINKLE_WRINKLE_H

#include "ruga/map.h"
#include "ruga/scene.h"

/* The table of wrinkle meshes, whose values are a ruga_wrinkle_def: names, defaults, ranges and help, for scenes, the
 * command and the def of the API. */
const ruga_section *wrinkle_section(void);

/* As ruga_wrinkle_mesh_create_subdivided, with a subdivision that exists already: fine = W base. n: parts that each
 * edge of the base was divided into, for warnings; 0: not a regular subdivision. */
ruga_status wrinkle_mesh_create_mapped(const ruga_mesh *base, const ruga_mesh *fine, const ruga_map *map, int n,
                                       const ruga_wrinkle_mesh_def *def, ruga_wrinkle_mesh **out);

/* Meshes that were cut or refined. */
typedef struct wrinkle_mesh_change {
    const ruga_mesh *base, *fine;
    const ruga_map *map;           /* fine = W base; NULL: by the closest point */
    const ruga_map *base_from_old; /* vertices of the new base = W those of the old one */
    const ruga_map *fine_from_old;
} wrinkle_mesh_change;

/* A wrinkle mesh on the changed meshes that continues from the wrinkles of the old one: offsets are interpolated, and
 * those of vertices that stayed are bit-identical. Logs no warnings. Fails with RUGA_ERROR_UNSUPPORTED if the old one
 * has edge_pre_stretch or bind_normals. */
ruga_status wrinkle_mesh_follow(const ruga_wrinkle_mesh *old, const wrinkle_mesh_change *change,
                                const ruga_wrinkle_mesh_def *def, ruga_wrinkle_mesh **out);

#endif
