/* Attachment: points attached to a coarse surface, and their positions as it moves.
 *
 *     linear   a = u0 x0 + u1 x1 + u2 x2,  u1 = b0, u2 = b1, u0 = 1 - b0 - b1     Müller and Chentanez 2010, equation 1
 *     PN       the cubic Bézier patch of the corners' positions and normals        Vlachos et al. 2001
 *     Loop     the limit surface of Loop's subdivision: one sparse row per point, and two for its tangents
 *     tets     barycentric weights in a tet; frame and normal from the nearest surface triangle at rest
 *
 * PN patches of neighbours share their edges bit for bit. A base that was split along a seam (two boundary edges with
 * the same positions at rest and opposite directions) opens no crack there: vertices across it share the mean of their
 * normals, and Loop's surface continues over it. With all normals equal to the face's normal a patch is its triangle.
 *
 * Hard edges (geom/hard_edges.h) are creases: a patch has the normals of its own side. Along a hard edge both sides use
 * one curve, whose tangent at a vertex is perpendicular to the normals of both sides, t = n × m: the control point is
 * x_i + ((x_j - x_i) . t) t / 3. At corners, where hard edges meet or turn, it is on the straight edge. Loop's surface
 * has the rules of boundaries along hard edges, and keeps the position of corners (Hoppe et al. 1994). So flat faces
 * between hard edges stay flat, and the rim of a cylinder round.
 *
 * Normals of the points: linear and PN interpolate the corners' normals linearly. The patch's own normal would jump at
 * edges, where patches are only C0, and wrinkles that follow it would show every edge of the base. Linear without
 * normals uses those of the triangles. Loop uses the normal of the limit surface, which is smooth.
 *
 * All in float, four per point (x, y, z and one that belongs to the caller), for speed. Float is precise enough only
 * near the origin: callers first move the origin to the object.
 */
#ifndef GEOM_ATTACHMENT_H
#define GEOM_ATTACHMENT_H

#include "base/memory.h"
#include "ruga/map.h"

typedef struct attachment attachment;
typedef enum attachment_kind { ATTACH_PN, ATTACH_LINEAR, ATTACH_LOOP } attachment_kind;

/* Attaches each point to the closest point of the base at rest; with tets, to the tet it is in, whatever the kind. The
 * order of the points is kept. crease_angle: degrees, see geom/hard_edges.h; NO_HARD_EDGES: none. Triangles without
 * area, or a Loop limit of a base that is not manifold, are errors that name the element. */
ruga_status attachment_create(const ruga_mesh *base, attachment_kind kind, double crease_angle, size_t count,
                              const ruga_vec3 *points, attachment **out);
/* Attaches by the rows of a map from the base (a subdivision's): each has up to three weights, at the vertices of one
 * triangle. */
ruga_status attachment_create_from_map(const ruga_mesh *base, attachment_kind kind, double crease_angle,
                                       const ruga_map *map, attachment **out);
void attachment_destroy(attachment *a); /* NULL is fine */

/* Changes the order of the points: new point i is old point order[i]; UINT32_MAX: padding, attached to triangle 0. */
ruga_status attachment_reorder(attachment *a, size_t count, const uint32_t *order);

/* Whether a triangle has enough area at rest to attach points to. */
int attachment_has_area(const ruga_mesh *base, size_t triangle);

size_t attachment_count(const attachment *a);
size_t attachment_hard_edge_count(const attachment *a);
int attachment_on_hard_edge(const attachment *a, size_t point); /* there the normal is that of one side */

/* Moves points towards the flat triangles that they are attached to: shares, (points) from 0, on the triangle, to 1, on
 * the surface of the kind. Holds until the next call or a new order. */
ruga_status attachment_flatten(attachment *a, const float *shares);

/* The triangle that a point is attached to, and its weights at the three corners; with tets, the triangle of its
 * frame. */
uint32_t attachment_triangle(const attachment *a, size_t point, double weights[3]);

/* Computes the points. base: (vertices x 4); normals: (vertices x 4), of any length, NULL only for linear, Loop and
 * tets. points: (count x 4), the fourth number is not changed. point_normals: NULL, or (count x 4): unit normals of the
 * surface (zero where there is none), the fourth number is not changed. Parallel; bit-identical for any number of
 * threads. Allocates nothing. */
void attachment_apply(attachment *a, const float *base, const float *normals, float *points, float *point_normals);

/* Frames that rotate with the base: rotation matrices (base triangles x 9, by columns: along edge 01, in the plane,
 * normal). A triangle without area keeps the frame it has in `frames`: fill that with the rest frames first. */
void attachment_rest_frames(const attachment *a, float *frames);
void attachment_frames(attachment *a, const float *base, float *frames);

#endif
