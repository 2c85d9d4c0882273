/* Loops of reading glTF over whole arrays. */
#ifndef IO_GLTF_KERNELS_H
#define IO_GLTF_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/isa.h"
#include "ruga/mesh.h"

/* Hashes of places, equal for equal ones (-0 is 0), the same for every instruction set; returns whether all are
 * finite. */
ISA_DECLARE(int, gltf_hash_positions, (const ruga_vec3 *positions, size_t count, uint32_t *hashes));

/* 32-bit floats in the machine's order, at any address, to doubles. */
ISA_DECLARE(void, gltf_floats_to_doubles, (const unsigned char *from, size_t count, double *to));

/* The greatest of some numbers; 0 of none. */
ISA_DECLARE(uint32_t, gltf_largest, (const uint32_t *values, size_t count));

#endif
