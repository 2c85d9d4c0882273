/* Aggregates: connected groups of vertices of about the same size, which a coarse level takes as one. */
#ifndef LINALG_AGGREGATE_H
#define LINALG_AGGREGATE_H

#include "base/memory.h"

/* aggregate_of[i] is the group of vertex i, below *count; groups that are neighbours tend to have near numbers. Groups
 * have about `size` vertices, fewer only where a piece of the graph is smaller. Neighbours of vertex i: columns[e] for
 * e in [offsets[i], offsets[i + 1]); the graph is symmetric, loops are ignored. */
ruga_status aggregate_graph(ruga_context *context, size_t vertex_count, const uint32_t *offsets,
                            const uint32_t *columns, size_t size, uint32_t *aggregate_of, size_t *count);

#endif
