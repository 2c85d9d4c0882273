/* The loops of float normals over groups of eight vertices, one version per instruction set; all are bit-identical. */
#ifndef GEOM_FLOAT_NORMALS_KERNELS_H
#define GEOM_FLOAT_NORMALS_KERNELS_H

#include "base/isa.h"
#include "geom/vertex_rings.h"

ISA_DECLARE(void, normals_by_area,
            (const vertex_rings *rings, const float *points, float *normals, size_t begin, size_t end));
ISA_DECLARE(void, normals_by_angle,
            (const vertex_rings *rings, const float *points, float *normals, size_t begin, size_t end));

#endif
