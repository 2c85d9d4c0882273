/* Internals of an attachment, shared by the files attachment*.c. */
#ifndef GEOM_ATTACHMENT_PARTS_H
#define GEOM_ATTACHMENT_PARTS_H

#include "geom/attachment.h"

/* ---- The triangle and weights of each point. The last entry is repeated once, for kernels that take two at a time. */
typedef struct bound_points {
    size_t count;
    uint32_t *triangle_of; /* (count + 1) */
    float *weights;        /* (count + 1 x 4) at the triangle's corners; the fourth is 0 */
} bound_points;

ruga_status bound_points_make(ruga_context *context, size_t count, bound_points *out);
void bound_points_release(ruga_context *context, bound_points *points);
void bound_points_end(bound_points *points); /* fills the entry after the last */

/* Binds to the closest points of the base at rest. */
ruga_status bind_to_surface(const ruga_mesh *base, size_t count, const ruga_vec3 *points, bound_points *out);
/* Binds by a map's rows. A row of a vertex that is in no triangle is bound to the closest triangle. */
ruga_status bind_by_map(const ruga_mesh *base, const ruga_map *map, bound_points *out);

/* ---- Rows: a point and two tangents of the surface there, as sums over vertices. */
typedef struct row_entry {
    uint32_t vertex;
    float weight;
    float along, across; /* of two tangents, whose cross product points outwards; of any length */
} row_entry;

typedef struct sparse_rows {
    size_t count;
    size_t *offsets; /* (count + 1) into entries */
    row_entry *entries;
} sparse_rows;

void sparse_rows_release(ruga_context *context, sparse_rows *rows);
/* Row i is the old row order[i]; UINT32_MAX: all of vertex `padding`. */
ruga_status sparse_rows_reorder(ruga_context *context, const sparse_rows *rows, size_t count, const uint32_t *order,
                                uint32_t padding, sparse_rows *out);
/* Rows of points in tets, without tangents. */
ruga_status rows_in_tets(const ruga_mesh *base, size_t count, const ruga_vec3 *points, sparse_rows *out);
/* Rows on the limit surface of Loop's subdivision of the given triangles (the base's, welded at seams). An edge with
 * more than two triangles is RUGA_ERROR_INPUT; a vertex where several fans touch keeps its position, and so do those
 * that are `fixed`, (vertices). */
ruga_status rows_on_loop_limit(ruga_context *context, size_t vertex_count, size_t triangle_count,
                               const uint32_t *triangles, const uint8_t *fixed, const bound_points *points,
                               sparse_rows *out);

/* Rows of two points side by side, padded to the same length: see attachment_kernels.h. */
typedef struct packed_rows {
    uint32_t *offsets, *vertices;
    float *weights;
} packed_rows;

ruga_status pack_rows(ruga_context *context, const sparse_rows *rows, packed_rows *out);
void packed_rows_release(ruga_context *context, packed_rows *packed);

#endif
