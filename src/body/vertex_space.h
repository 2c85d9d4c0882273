/* Forces on the visible vertices of a body whose points are others, as of creased cloth: vertices = W points.
 *
 * A force law on vertices reads W x, and its forces, products and blocks go to the points by Wᵀ. Rows of W sum to 1 and
 * the law acts at W x, so a law that conserves momentum and angular momentum on vertices also does on points. */
#ifndef BODY_VERTEX_SPACE_H
#define BODY_VERTEX_SPACE_H

#include "body/body.h"

/* Zero: vertex i is point i, and nothing is copied. */
typedef struct vertex_space {
    ruga_context *context;
    const ruga_map *map;               /* W; the body's; NULL: vertex i is point i */
    ruga_vec3 *positions, *directions; /* (vertices) scratch */
    ruga_vec3 *sums;                   /* (vertices) scratch */
    mat3 *blocks;                      /* (vertices) scratch */
} vertex_space;

/* After a failure vertex_space_release may be called. */
ruga_status vertex_space_init(const body *b, vertex_space *out);
void vertex_space_release(vertex_space *s);

/* Positions of vertices; and other vectors, such as the direction of a product. Each is valid until its next call. */
const ruga_vec3 *vertex_space_positions(const vertex_space *s, const ruga_vec3 *points);
const ruga_vec3 *vertex_space_directions(const vertex_space *s, const ruga_vec3 *points);

/* Where to add to vertices, and then by Wᵀ to points. */
ruga_vec3 *vertex_space_open(const vertex_space *s, ruga_vec3 *points);
void vertex_space_close(const vertex_space *s, ruga_vec3 *points);
mat3 *vertex_space_open_blocks(const vertex_space *s, mat3 *points);
void vertex_space_close_blocks(const vertex_space *s, mat3 *points);

#endif
