/* Attachment: points that hang on a coarse surface, and where they are as it moves.
 *
 *     linear   a = u0 x0 + u1 x1 + u2 x2,  u1 = b0, u2 = b1, u0 = 1 - b0 - b1       Müller and Chentanez 2010, equation 1
 *     PN       the cubic Bézier patch of the corners' positions and normals          Vlachos et al. 2001
 *     Loop     the limit surface of Loop's subdivision: one sparse row a point, and two for its tangents
 *     tets     barycentric weights in a tet; frame and normal from the base's surface that was nearest at rest
 *
 * PN patches of neighbours share their edges to the bit. A base that was split along a seam (two boundary edges in the same
 * place at rest, which run opposite ways) opens no crack there: vertices across it share the mean of their normals, and
 * Loop's surface goes on over it. With all normals equal to the face's normal a patch is its triangle.
 *
 * Normals of the points: of linear and PN the corners' normals, interpolated linearly. The patch's own normal would jump
 * over edges, where patches only meet, and planes and wrinkles that follow it would show every edge of the base. Without
 * normals (linear) those of the triangles. Of Loop the limit surface's own, which is smooth.
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
 * in, whatever the kind. Triangles without area, or a Loop limit of a base that is not manifold: an error that names them. */
ruga_status attachment_create(const ruga_mesh *base, attachment_kind kind, size_t count, const ruga_vec3 *points,
                              attachment **out);
/* By the rows of a map from the base (a subdivision's): each has up to three weights, of the vertices of one triangle. */
ruga_status attachment_create_from_map(const ruga_mesh *base, attachment_kind kind, const ruga_map *map,
                                       attachment **out);
void attachment_destroy(attachment *a); /* NULL is fine */

/* Another order of the points: new point i is old point order[i]; UINT32_MAX: padding, which hangs on triangle 0. */
ruga_status attachment_reorder(attachment *a, size_t count, const uint32_t *order);

size_t attachment_count(const attachment *a);
/* The triangle that a point hangs on, and its weights at the three corners; of tets, the triangle of its frame. */
uint32_t attachment_triangle(const attachment *a, size_t point, double weights[3]);

/* Where the points are. base: (vertices x 4); normals: (vertices x 4), of any length, NULL only for linear, Loop and tets.
 * points: (count x 4), their fourth number is left as it is. point_normals: NULL, or (count x 4): unit normals of the surface there
 * (zero where there is none), the fourth left. Parallel; bit-identical for any number of threads. Allocates nothing. */
void attachment_apply(attachment *a, const float *base, const float *normals, float *points, float *point_normals);

/* Frames that turn with the base: rotation matrices (base triangles x 9, by columns: along edge 01, in the plane, normal).
 * A triangle that has lost its area keeps the frame it has in `frames`, so fill that with the frames at rest first. */
void attachment_rest_frames(const attachment *a, float *frames);
void attachment_frames(attachment *a, const float *base, float *frames);

#endif
