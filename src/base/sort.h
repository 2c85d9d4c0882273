/* Sorting whole numbers in place, without memory of its own. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Rising; O(n log n) at worst, quick for the handfuls of keys around a vertex. */
void sort_keys(uint64_t *keys, size_t count);
void sort_indices(uint32_t *indices, size_t count);

/* Of rising keys: the index of the first that is not less than `key`, `count` if all are less. */
size_t keys_lower_bound(const uint64_t *keys, size_t count, uint64_t key);
static inline int keys_contain(const uint64_t *keys, size_t count, uint64_t key) {
    size_t i = keys_lower_bound(keys, count, key);
    return i < count && keys[i] == key;
}

#endif
