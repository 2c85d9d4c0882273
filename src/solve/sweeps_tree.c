/* Halves the points recursively, by breadth-first search from the border of each piece; this works for any graph. */
#include "solve/sweeps_layout.h"

#define BORDER_ROUNDS 3 /* searches that move the start to the border */

typedef struct tree_search {
    const sweep_graph *graph;
    uint32_t *points;
    uint32_t *queue; /* (point_count) */
    uint32_t *marks; /* (point_count) the current stamp: in the piece, not found yet */
    uint32_t stamp;
} tree_search;

/* The piece's points in the order of a search from `start`, which restarts where they are not connected. */
static void search_piece(tree_search *s, sweep_range piece, uint32_t start) {
    size_t size = piece.end - piece.begin, head = 0, tail = 0, scan = piece.begin;
    s->stamp++;
    for (size_t k = piece.begin; k < piece.end; k++) s->marks[s->points[k]] = s->stamp;
    s->queue[tail++] = start;
    s->marks[start] = 0;
    while (head < size) {
        if (head == tail) {
            while (s->marks[s->points[scan]] != s->stamp) scan++;
            s->marks[s->points[scan]] = 0;
            s->queue[tail++] = s->points[scan];
        }
        uint32_t point = s->queue[head++];
        for (size_t e = s->graph->offsets[point]; e < s->graph->offsets[point + 1]; e++) {
            uint32_t other = sweep_other_end(&s->graph->constraints[s->graph->incident[e]], point);
            if (s->marks[other] != s->stamp) continue;
            s->marks[other] = 0;
            s->queue[tail++] = other;
        }
    }
}

/* Nodes in the order of their creation: each is cut in turn, so that parents come first. */
static ruga_status grow_tree(ruga_context *context, tree_search *s, sweep_nodes *nodes) {
    for (size_t i = 0; i < nodes->count; i++) {
        sweep_range piece = nodes->items[i].points;
        if (piece.end - piece.begin <= SWEEP_LEAF_POINTS) {
            nodes->items[i].is_leaf = 1;
            continue;
        }
        size_t size = piece.end - piece.begin;
        for (int round = 0; round < BORDER_ROUNDS; round++)
            search_piece(s, piece, round == 0 ? s->points[piece.begin] : s->queue[size - 1]);
        memcpy(s->points + piece.begin, s->queue, size * sizeof *s->points);
        TRY(ARRAY_RESERVE(context, nodes, 2));
        uint32_t middle = piece.begin + (piece.end - piece.begin) / 2, depth = nodes->items[i].depth + 1;
        for (int half = 0; half < 2; half++)
            nodes->items[nodes->count++] = (sweep_node){
                .parent = (uint32_t)i,
                .depth = depth,
                .points = half == 0 ? (sweep_range){piece.begin, middle} : (sweep_range){middle, piece.end}};
    }
    return RUGA_OK;
}

ruga_status sweep_tree_make(ruga_context *context, const sweep_graph *graph, sweep_nodes *nodes, uint32_t *points,
                            uint32_t *leaf_of) {
    size_t count = graph->point_count;
    tree_search s = {.graph = graph, .points = points};
    TRY(ARRAY_RESERVE(context, nodes, 1));
    TRY(NEW(context, &s.queue, count));
    ruga_status status = NEW_ZEROED(context, &s.marks, count);
    if (!RUGA_FAILED(status)) {
        for (size_t i = 0; i < count; i++) points[i] = (uint32_t)i;
        nodes->items[nodes->count++] = (sweep_node){.parent = SWEEP_NONE, .points = {0, (uint32_t)count}};
        status = grow_tree(context, &s, nodes);
    }
    for (size_t i = 0; i < nodes->count; i++)
        for (size_t k = nodes->items[i].points.begin; nodes->items[i].is_leaf && k < nodes->items[i].points.end; k++)
            leaf_of[points[k]] = (uint32_t)i;
    RELEASE_ALL(context, s.queue, s.marks);
    return status;
}
