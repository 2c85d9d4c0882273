/* Carries attributes from one mesh to another across a map, for bodies whose mesh is rebuilt: cut, refined or split.
 *
 *     vertices   the weighted mean of the row's vertices
 *     faces      the old face with the largest share of the new face's weights: its parent
 *     corners    the weighted mean of the parent's corners, so that seams stay seams
 *     edges      the old edge that the new explicit edge is a piece of; no value where there is none
 *
 * Floating and normalised values are mixed; other integers, such as labels of groups, are those of the largest weight.
 * Unit normals and tangents stay unit. Constants stay constant bit for bit, linear fields stay linear. Curves are
 * carried by ruga_curve_transfer. Painted arrays of parameters are carried like floating values of vertices.
 */
#ifndef MESH_CARRY_H
#define MESH_CARRY_H

#include "mesh/mesh.h"
#include "ruga/map.h"
#include "ruga/motion.h"

/* Adds to `to` all attributes of `from` whose name and domain it does not have yet, and its skin. map: rows are the
 * vertices of `to`, columns those of `from`; else RUGA_ERROR_ARGUMENT. `to` must have its faces and explicit edges
 * already; its maker calls this before others use it. A failure does not change it. */
ruga_status mesh_carry_attributes(const ruga_mesh *from, const ruga_map *map, ruga_mesh *to);

/* The same where each vertex of `to` is a copy of one of `from`: vertex_of, (vertices of `to`). */
ruga_status mesh_carry_copies(const ruga_mesh *from, const uint32_t *vertex_of, ruga_mesh *to);

/* Moves the attributes of the parts behind those of a mesh that has none of their names yet; its maker calls this
 * before others use it. A failure does not change either. */
ruga_status mesh_append_attributes(ruga_mesh *to, mesh_parts *parts);

/* The same parameter for another mesh: arrays, also those of keyframes, are carried into `memory`; constants,
 * attributes and groups stay what they are. map: NULL: it is the same mesh. */
ruga_status param_carry(ruga_context *context, const ruga_param *param, const ruga_map *map, arena *memory,
                        ruga_param *out);

#endif
