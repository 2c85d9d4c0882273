/* The direction of the warp of every triangle of a cloth, at rest.
 *
 * From UVs: the direction in which u grows while v stays. From a direction of space: its part in the plane of each
 * triangle; triangles that it crosses at nearly a right angle take the next of the fallback axes y, x, z that lies
 * enough in their plane. The default direction is y: the warp of garments runs from top to bottom. Flat cloth on the
 * ground has its warp along x.
 */
#ifndef ENERGY_WARP_H
#define ENERGY_WARP_H

#include "math/vec3.h"

typedef enum warp_source { WARP_FROM_UVS, WARP_FROM_DIRECTION, WARP_BY_DEFAULT } warp_source;

typedef struct warp_report {
    warp_source source;
    size_t repaired;       /* triangles without UVs of their own, or whose UVs have no area: they have the default */
    size_t first_repaired; /* the first of them */
    size_t crossed;        /* triangles that the direction crosses at nearly a right angle: they have a fallback axis */
} warp_report;

/* direction: of space; NaN: from the UVs, or the default where the mesh has none. out: (triangles) unit vectors in the
 * planes of the triangles. RUGA_ERROR_INPUT: a direction without length. */
ruga_status warp_of_mesh(const ruga_mesh *mesh, vec3 direction, vec3 *out, warp_report *report);

#endif
