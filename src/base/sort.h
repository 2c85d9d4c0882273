/* Sorting whole numbers in place, without memory of its own. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Rising; O(n log n) at worst, quick for the handfuls of keys around a vertex. */
void sort_keys(uint64_t *keys, size_t count);
void sort_indices(uint32_t *indices, size_t count);

#endif
