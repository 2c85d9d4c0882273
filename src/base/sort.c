/* Insertion for handfuls, else heap sort: bounded for every input, as files choose what is sorted here. */
#include "base/sort.h"

#define INSERTION_LIMIT 24

static void sort_by_insertion(uint64_t *keys, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

static void sift_down(uint64_t *keys, size_t root, size_t count) {
    uint64_t key = keys[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && keys[child + 1] > keys[child]) child++;
        if (keys[child] <= key) break;
        keys[root] = keys[child];
    }
    keys[root] = key;
}

void sort_keys(uint64_t *keys, size_t count) {
    if (count <= INSERTION_LIMIT) {
        sort_by_insertion(keys, count);
        return;
    }
    for (size_t i = count / 2; i-- > 0;) sift_down(keys, i, count);
    for (size_t end = count - 1; end > 0; end--) {
        uint64_t top = keys[0];
        keys[0] = keys[end];
        keys[end] = top;
        sift_down(keys, 0, end);
    }
}
