/* The parts of an attachment that are not a smooth surface: patches at hard edges, and points on flat triangles. */
#ifndef GEOM_ATTACHMENT_HARD_H
#define GEOM_ATTACHMENT_HARD_H

#include "geom/attachment_kernels.h"
#include "geom/attachment_parts.h"
#include "geom/hard_edges.h"

/* ---- PN patches of triangles with hard edges. The smooth vertices replace the base's in a pass. */
typedef struct hard_patches hard_patches;

/* lowest: of the base's vertices across seams. curved: PN; else only the normals are those of smooth vertices. Keeps a
 * reference to `smooth`. */
ruga_status hard_patches_create(const ruga_mesh *base, const uint32_t *lowest, const hard_edges *smooth, int curved,
                                const bound_points *points, hard_patches **out);
void hard_patches_destroy(hard_patches *h);                                        /* NULL is fine */
ruga_status hard_patches_find_points(hard_patches *h, const bound_points *points); /* after a change of order */

/* Positions, normals and triangles of the smooth vertices into the pass. Normals of vertices that are not split are
 * the pass's own; others are computed. */
void hard_patches_begin(hard_patches *h, attach_pass *pass);
void hard_patches_apply(hard_patches *h, const attach_pass *pass); /* after attach_pn: points on such patches */

/* ---- Points on flat triangles. */
typedef struct flat_points {
    size_t count;
    uint32_t *points; /* (count) rising */
    float *shares;    /* (count) below 1, of the curved surface */
} flat_points;

ruga_status flat_points_make(ruga_context *context, size_t count, const float *shares, flat_points *out);
void flat_points_release(ruga_context *context, flat_points *flat);
void flat_points_apply(const flat_points *flat, const uint32_t *triangles, const bound_points *bound, const float *base,
                       float *points);

#endif
