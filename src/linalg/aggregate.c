/* Groups grow one after another by breadth-first search, each from the rim of those before it. Then Lloyd's iteration
 * on the graph: the vertex that is farthest from the rim of its group becomes its centre, and every vertex joins the
 * centre that is nearest in steps. Groups that stayed small take no part in it and are taken over by their
 * neighbours. */
#include "linalg/aggregate.h"

#define LLOYD_ROUNDS 2
#define SMALL 3 /* a group of fewer than 1 / SMALL of the wanted size is given up */
#define NONE UINT32_MAX

typedef struct grouping {
    size_t vertex_count;
    const uint32_t *offsets, *columns;
    uint32_t *group_of; /* the caller's */
    uint32_t *queue;    /* (vertices) of searches */
    uint32_t *front;    /* (vertices) where groups may begin */
    uint32_t *depths;   /* (vertices) */
    uint32_t *centres;  /* (groups) */
    size_t count;       /* of groups */
} grouping;

/* One group of at most `size` from a vertex; adds the vertices around it to the front. Returns how many it has. */
static size_t grow(grouping *g, uint32_t from, size_t size, size_t *front_end) {
    size_t head = 0, tail = 0;
    uint32_t group = (uint32_t)g->count;
    g->group_of[from] = group;
    g->queue[tail++] = from;
    for (; head < tail; head++)
        for (size_t e = g->offsets[g->queue[head]]; e < g->offsets[g->queue[head] + 1]; e++) {
            uint32_t other = g->columns[e];
            if (g->group_of[other] != NONE) continue;
            if (tail < size) {
                g->group_of[other] = group;
                g->queue[tail++] = other;
            } else if (g->depths[other] == NONE) {
                g->depths[other] = 0;
                g->front[(*front_end)++] = other;
            }
        }
    return tail;
}

static void grow_all(grouping *g, size_t size) {
    size_t head = 0, end = 0;
    for (size_t i = 0; i < g->vertex_count; i++) g->group_of[i] = g->depths[i] = NONE;
    for (uint32_t first = 0; first < g->vertex_count; first++) {
        uint32_t from = first;
        while (1) {
            if (g->group_of[from] == NONE && grow(g, from, size, &end) * SMALL >= size) g->centres[g->count++] = from;
            if (head == end) break;
            from = g->front[head++];
        }
    }
}

/* Every vertex joins the nearest centre; pieces of the graph without one become groups of their own. */
static void join_centres(grouping *g) {
    size_t head = 0, tail = 0;
    uint32_t scan = 0;
    for (size_t i = 0; i < g->vertex_count; i++) g->group_of[i] = NONE;
    for (size_t k = 0; k < g->count; k++) {
        g->group_of[g->centres[k]] = (uint32_t)k;
        g->queue[tail++] = g->centres[k];
    }
    while (tail < g->vertex_count || head < tail) {
        if (head == tail) {
            while (g->group_of[scan] != NONE) scan++;
            g->centres[g->count] = scan;
            g->group_of[scan] = (uint32_t)g->count++;
            g->queue[tail++] = scan;
        }
        uint32_t vertex = g->queue[head++];
        for (size_t e = g->offsets[vertex]; e < g->offsets[vertex + 1]; e++) {
            uint32_t other = g->columns[e];
            if (g->group_of[other] != NONE) continue;
            g->group_of[other] = g->group_of[vertex];
            g->queue[tail++] = other;
        }
    }
}

static int is_at_rim(const grouping *g, uint32_t vertex) {
    for (size_t e = g->offsets[vertex]; e < g->offsets[vertex + 1]; e++)
        if (g->group_of[g->columns[e]] != g->group_of[vertex]) return 1;
    return 0;
}

/* The centre of a group is the vertex that a search from the rim reaches last. A group without a rim keeps its own. */
static void move_centres(grouping *g) {
    size_t head = 0, tail = 0;
    for (uint32_t i = 0; i < g->vertex_count; i++) {
        g->depths[i] = is_at_rim(g, i) ? 0 : NONE;
        if (g->depths[i] == 0) g->queue[tail++] = i;
    }
    for (; head < tail; head++) {
        uint32_t vertex = g->queue[head];
        g->centres[g->group_of[vertex]] = vertex;
        for (size_t e = g->offsets[vertex]; e < g->offsets[vertex + 1]; e++) {
            uint32_t other = g->columns[e];
            if (g->depths[other] != NONE || g->group_of[other] != g->group_of[vertex]) continue;
            g->depths[other] = g->depths[vertex] + 1;
            g->queue[tail++] = other;
        }
    }
}

ruga_status aggregate_graph(ruga_context *context, size_t vertex_count, const uint32_t *offsets,
                            const uint32_t *columns, size_t size, uint32_t *aggregate_of, size_t *count) {
    grouping g = {.vertex_count = vertex_count, .offsets = offsets, .columns = columns, .group_of = aggregate_of};
    ruga_status status = NEW(context, &g.queue, vertex_count);
    if (!RUGA_FAILED(status)) status = NEW(context, &g.front, vertex_count);
    if (!RUGA_FAILED(status)) status = NEW(context, &g.depths, vertex_count);
    if (!RUGA_FAILED(status)) status = NEW(context, &g.centres, vertex_count);
    if (!RUGA_FAILED(status)) {
        grow_all(&g, size);
        join_centres(&g);
        for (int round = 0; round < LLOYD_ROUNDS; round++) {
            move_centres(&g);
            join_centres(&g);
        }
        *count = g.count;
    }
    RELEASE_ALL(context, g.queue, g.front, g.depths, g.centres);
    return status;
}
