/* The loops of float normals over groups of eight vertices, one version per instruction set; all are bit-identical. */
#ifndef GEOM_FLOAT_NORMALS_KERNELS_H
#define GEOM_FLOAT_NORMALS_KERNELS_H

#include "base/isa.h"

#define NORMAL_LANES 8

/* The rings of the vertices of a group: step s of vertex k goes to neighbours[NORMAL_LANES s + k], and two consecutive
 * steps span a triangle with the vertex. A step to the vertex itself spans none: it ends a chain, and pads short
 * rings. */
typedef struct normal_rings {
    const uint32_t *vertices;   /* (groups x 8) */
    const uint32_t *offsets;    /* (groups + 1) steps */
    const uint32_t *neighbours; /* (steps x 8) */
} normal_rings;

ISA_DECLARE(void, normals_by_area,
            (const normal_rings *rings, const float *points, float *normals, size_t begin, size_t end));
ISA_DECLARE(void, normals_by_angle,
            (const normal_rings *rings, const float *points, float *normals, size_t begin, size_t end));

#endif
