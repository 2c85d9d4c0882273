/* Nested dissection: an order of elimination that keeps the factors of a matrix from the plane sparse. */
#ifndef LINALG_DISSECT_H
#define LINALG_DISSECT_H

#include "base/memory.h"

/* order[k] is the vertex to eliminate as the k-th. Neighbours of vertex i: columns[e] for e in [offsets[i], offsets[i +
 * 1]); the graph is symmetric, loops and repetitions are ignored. */
ruga_status dissect_graph(ruga_context *context, size_t count, const uint32_t *offsets, const uint32_t *columns,
                          uint32_t *order);

#endif
