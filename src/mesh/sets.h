/* Disjoint sets of indices: parent[i] leads towards the lowest index of i's set, which is its own parent. */
#ifndef MESH_SETS_H
#define MESH_SETS_H

#include <stdint.h>

/* The lowest index of a set; shortens the path to it. */
static inline uint32_t set_lowest(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Unites the sets of two indices; 1 if they were different sets. */
static inline int sets_unite(uint32_t *parent, uint32_t a, uint32_t b) {
    a = set_lowest(parent, a), b = set_lowest(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
    return a != b;
}

#endif
