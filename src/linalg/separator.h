/* Vertex separators: a few vertices without which a graph falls into two parts of about the same weight. */
#ifndef LINALG_SEPARATOR_H
#define LINALG_SEPARATOR_H

#include "base/memory.h"

/* Symmetric, without loops and repetitions. */
typedef struct weighted_graph {
    uint32_t count;
    uint32_t *offsets;      /* (count + 1) */
    uint32_t *others;       /* (edges, from both ends) */
    uint32_t *edge_weights; /* the same; NULL: 1 each */
    uint32_t *weights;      /* (count) of the vertices; NULL: 1 each */
} weighted_graph;

enum { SIDE_LEFT, SIDE_RIGHT, SIDE_BETWEEN };

/* sides: (count) out; no edge joins left and right. Either may be empty where the graph has no small separator. Depends
 * on the graph alone. */
ruga_status separate_graph(ruga_context *context, const weighted_graph *graph, unsigned char *sides);

#endif
