/* The loops of attachments, one version per instruction set; all are bit-identical. Points have four numbers, two
 * points are processed side by side. Ranges start at even numbers; the last point of an odd number is paired with
 * itself. */
#ifndef GEOM_ATTACHMENT_KERNELS_H
#define GEOM_ATTACHMENT_KERNELS_H

#include "base/isa.h"

/* The arrays of the loops; each uses some. Arrays with an entry per point have one more if the count is odd. */
typedef struct attach_pass {
    size_t count, vertex_count, triangle_count;
    const uint32_t *triangles;     /* (triangles x 3) */
    const uint32_t *triangle_of;   /* (count) */
    const float *weights;          /* (count x 4) at the corners; the fourth is 0 */
    const uint32_t *pair_offsets;  /* (pairs + 1) steps; the rows of a pair are padded to the same length */
    const uint32_t *pair_vertices; /* (steps x 2) */
    const float *pair_weights;     /* (steps x 8) each: of the point, of its tangents, 0 */
    const float *base;             /* (vertices x 4) */
    const float *normals;          /* (vertices x 4) of any length */
    float *unit_normals;           /* (vertices x 4), the fourth 0 */
    float *bulges;                 /* (triangles x 8), see attach_bulges */
    float *frames;                 /* (triangles x 9) */
    float *points;                 /* (count x 4) */
    float *point_normals;          /* (count x 4) or NULL */
} attach_pass;

/* Linear and PN: points and, unless they are NULL, normals. `points` may be NULL with attach_linear. */
ISA_DECLARE(void, attach_linear, (const attach_pass *pass, size_t begin, size_t end));
ISA_DECLARE(void, attach_pn, (const attach_pass *pass, size_t begin, size_t end));
/* By rows: points and, unless they are NULL, normals perpendicular to the tangents. */
ISA_DECLARE(void, attach_rows, (const attach_pass *pass, size_t begin, size_t end));

/* unit_normals from normals; the fourth number becomes 0. */
ISA_DECLARE(void, attach_unit, (const attach_pass *pass, size_t begin, size_t end));
/* How the edges deviate from straight lines: for corners i, -(x_j - x_i) . n_i with j the next corner (three and 0),
 * then with j the one before. */
ISA_DECLARE(void, attach_bulges, (const attach_pass *pass, size_t begin, size_t end));
/* Frames of triangles; those without area are not changed. */
ISA_DECLARE(void, attach_frames, (const attach_pass *pass, size_t begin, size_t end));

#endif
