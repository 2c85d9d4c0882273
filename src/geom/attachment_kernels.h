/* The loops of attachments, one version per instruction set; all give the same bits. Points are (x, y, z, something else), two
 * side by side. Ranges begin at even numbers; the last point of an odd number is done twice, side by side with itself. */
#ifndef GEOM_ATTACHMENT_KERNELS_H
#define GEOM_ATTACHMENT_KERNELS_H

#include "base/isa.h"

/* What the loops over points work with. Arrays that hold one entry a point have one more when the count is odd. */
typedef struct attach_pass {
    size_t count;
    const uint32_t *triangles;     /* (triangles x 3) */
    const uint32_t *triangle_of;   /* (count) */
    const float *weights;          /* (count x 4) at the corners; the fourth is 0 */
    const uint32_t *pair_offsets;  /* (pairs + 1) steps; a pair's rows are filled up to the same length */
    const uint32_t *pair_vertices; /* (steps x 2) */
    const float *pair_weights;     /* (steps x 8) each: of the point, of its tangents, 0 */
    const float *base;             /* (vertices x 4) */
    const float *unit_normals;     /* (vertices x 4), the fourth 0 */
    const float *bulges;           /* (triangles x 8), see attach_bulges */
    float *points;                 /* (count x 4) */
    float *point_normals;          /* (count x 4) or NULL */
} attach_pass;

/* Linear and PN: points and, unless they are NULL, normals. `points` may be NULL with attach_linear. */
ISA_DECLARE(void, attach_linear, (const attach_pass *pass, size_t begin, size_t end));
ISA_DECLARE(void, attach_pn, (const attach_pass *pass, size_t begin, size_t end));
/* By rows: points and, unless they are NULL, normals at right angles to the tangents. */
ISA_DECLARE(void, attach_rows, (const attach_pass *pass, size_t begin, size_t end));

/* Normals of unit length, the fourth 0. */
ISA_DECLARE(void, attach_unit, (const float *normals, float *unit, size_t count, size_t begin, size_t end));
/* How the edges leave their straight lines: for corners i, -(x_j - x_i) . n_i with j the next corner (three and 0), then with j
 * the one before. Triangles [begin, end) of the pass. */
ISA_DECLARE(void, attach_bulges,
            (const attach_pass *pass, float *bulges, size_t triangle_count, size_t begin, size_t end));
/* Frames of triangles, (triangles x 9); those without area are left alone. */
ISA_DECLARE(void, attach_frames,
            (const uint32_t *triangles, size_t triangle_count, const float *base, float *frames, size_t begin,
             size_t end));

#endif
