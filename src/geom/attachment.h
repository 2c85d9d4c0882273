/* Attachment: points that hang on a coarse surface, and where they are as it moves.
 *
 *     linear   a = (1 - b0 - b1) x0 + b0 x1 + b1 x2                    Müller and Chentanez 2010, equation 1
 *     PN       the cubic Bézier patch of the corners' positions and normals    Vlachos et al. 2001
 *     Loop     the limit surface of Loop's subdivision: one sparse row a point, and two for its tangents
 *     tets     barycentric weights in a tet; frame and normal from the base's surface that was nearest at rest
 *
 * PN patches of neighbours share their edges: where the base's corners have different normals along a seam (a mesh that was
 * read with splits is welded, so there is one normal a vertex), no crack opens. With all normals equal to the face's normal a patch
 * is its triangle.
 *
 * All in float, four to a point (x, y, z and something else), for speed: an engine's own precision. What is added to
 * world positions is small, so callers move the origin near the object first.
 */
#ifndef GEOM_ATTACHMENT_H
#define GEOM_ATTACHMENT_H

#include "base/memory.h"
#include "ruga/map.h"

typedef struct attachment attachment;
typedef enum attachment_kind { ATTACH_PN, ATTACH_LINEAR, ATTACH_LOOP } attachment_kind;

/* By the closest point of the base at rest; the points' order is the caller's, and stays. A base with tets: by the tet each is
 * in. Triangles without area, or a Loop limit of a base that is not manifold: an error that names them. */
ruga_status attachment_create(const ruga_mesh *base, attachment_kind kind, size_t count, const ruga_vec3 *points,
                              attachment **out);
/* By the rows of a map from the base (a subdivision's): each has up to three weights, of the vertices of one triangle. */
ruga_status attachment_create_from_map(const ruga_mesh *base, attachment_kind kind, const ruga_map *map,
                                       attachment **out);
void attachment_destroy(attachment *a); /* NULL is fine */

/* Another order of the points: new point i is old point order[i]; UINT32_MAX: padding, which hangs on triangle 0. */
ruga_status attachment_reorder(attachment *a, size_t count, const uint32_t *order);

/* The triangle that a point hangs on, and its weights at the three corners; of tets, the triangle of its frame. */
uint32_t attachment_triangle(const attachment *a, size_t point, double weights[3]);

/* Where the points are. base: (vertices x 4); normals: (vertices x 4), of any length, NULL only for linear and Loop.
 * points: (count x 4), their fourth number is left as it is. point_normals: NULL, or (count x 4): unit normals of the surface there, the
 * fourth left. Parallel; bit-identical for any number of threads. Allocates nothing. */
void attachment_apply(attachment *a, const float *base, const float *normals, float *points, float *point_normals);

/* Frames that turn with the base: rotation matrices (base triangles x 9, columns: along edge 01, in the plane, normal). A triangle that
 * has lost its area keeps the frame it had. */
void attachment_frames(attachment *a, const float *base, float *frames);

/* Vertex normals of a triangle mesh, weighted by angle as ruga_mesh_normals does, or by area: in float, unit, zero where there is none. For the
 * base when its caller has none, and for the fine mesh. */
typedef struct float_normals float_normals;
ruga_status float_normals_create(ruga_context *context, size_t vertex_count, size_t triangle_count,
                                 const uint32_t *triangles, float_normals **out);
void float_normals_destroy(float_normals *n);                                    /* NULL is fine */
void float_normals_apply(float_normals *n, const float *points, float *normals); /* (vertices x 4) both */

#endif
