/* Sums over elements, as the points see them.
 *
 * An energy of triangles or hinges computes a vector for every corner of every element, and a point adds up those of
 * the corners that it is. Each point has the list of its corners, so both loops run in any number of threads and give
 * the same bits.
 */
#ifndef ENERGY_ELEMENT_LISTS_H
#define ENERGY_ELEMENT_LISTS_H

#include "base/memory.h"
#include "math/mat3.h"

typedef struct element_lists {
    ruga_context *context;
    size_t point_count;
    uint32_t *offsets; /* (point_count + 1) into corners */
    uint32_t *corners; /* element x corners of an element + corner, rising within a point */
} element_lists;

/* points: (count x size) of `count` elements with `size` corners each. */
ruga_status element_lists_make(ruga_context *context, size_t point_count, size_t count, size_t size,
                               const uint32_t *points, element_lists *out);
void element_lists_release(element_lists *lists); /* zeros are fine */

/* out_i += scale times the sum of values at the corners of point i. */
void element_lists_add(const element_lists *lists, const vec3 *values, double scale, vec3 *out);

#endif
