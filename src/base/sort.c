/* Insertion for handfuls, else heap sort: bounded for every input, as files choose what is sorted here. */
#include "base/sort.h"

#define INSERTION_LIMIT 24

/* The same for either type. */
#define DEFINE_SORT(name, type)                                                 \
    static void name##_by_insertion(type *items, size_t count) {                \
        for (size_t i = 1; i < count; i++) {                                    \
            type item = items[i];                                               \
            size_t j = i;                                                       \
            for (; j > 0 && items[j - 1] > item; j--) items[j] = items[j - 1];  \
            items[j] = item;                                                    \
        }                                                                       \
    }                                                                           \
    static void name##_sift_down(type *items, size_t root, size_t count) {      \
        type item = items[root];                                                \
        for (size_t child; (child = 2 * root + 1) < count; root = child) {      \
            if (child + 1 < count && items[child + 1] > items[child]) child++;  \
            if (items[child] <= item) break;                                    \
            items[root] = items[child];                                         \
        }                                                                       \
        items[root] = item;                                                     \
    }                                                                           \
    void name(type *items, size_t count) {                                      \
        if (count <= INSERTION_LIMIT) {                                         \
            name##_by_insertion(items, count);                                  \
            return;                                                             \
        }                                                                       \
        for (size_t i = count / 2; i-- > 0;) name##_sift_down(items, i, count); \
        for (size_t end = count - 1; end > 0; end--) {                          \
            type top = items[0];                                                \
            items[0] = items[end];                                              \
            items[end] = top;                                                   \
            name##_sift_down(items, 0, end);                                    \
        }                                                                       \
    }

DEFINE_SORT(sort_keys, uint64_t)
DEFINE_SORT(sort_indices, uint32_t)

size_t keys_lower_bound(const uint64_t *keys, size_t count, uint64_t key) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
