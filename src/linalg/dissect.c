/* Nested dissection by level sets (George and Liu 1978): a breadth-first search from a point at the rim of a piece cuts
 * it into levels, the level in the middle parts it, and the two parts are cut likewise. The parting level is
 * eliminated last. Works on the graph alone. */
#include "linalg/dissect.h"

#define LEAF_SIZE 48      /* vertices of a piece that is not cut further */
#define RIM_ROUNDS 3      /* searches that move the start to the rim */
#define STACK_CAPACITY 64 /* of pieces: the smaller half is taken first, so it never holds more than log2(count) */

typedef struct piece {
    size_t begin, end;
} piece;

typedef struct dissection {
    const uint32_t *offsets, *columns;
    uint32_t *order;  /* vertices; a piece is a range of it */
    uint32_t *queue;  /* (count) of the search */
    uint32_t *levels; /* (count) within the current piece; UINT32_MAX: not reached, or not in it */
} dissection;

enum { OUTSIDE = 0xffffffffu, UNSEEN = 0xfffffffeu };

/* Levels of the whole piece, starting again one level further up wherever it is not connected. Fills the queue in
 * their order; returns the last level. */
static uint32_t search_levels(dissection *d, piece p, uint32_t start) {
    size_t size = p.end - p.begin, head = 0, tail = 0, scan = p.begin;
    for (size_t k = p.begin; k < p.end; k++) d->levels[d->order[k]] = UNSEEN;
    d->levels[start] = 0;
    d->queue[tail++] = start;
    while (head < size) {
        if (head == tail) {
            while (d->levels[d->order[scan]] != UNSEEN) scan++;
            d->levels[d->order[scan]] = d->levels[d->queue[head - 1]] + 1;
            d->queue[tail++] = d->order[scan];
        }
        uint32_t vertex = d->queue[head++];
        for (size_t e = d->offsets[vertex]; e < d->offsets[vertex + 1]; e++) {
            uint32_t other = d->columns[e];
            if (d->levels[other] != UNSEEN) continue;
            d->levels[other] = d->levels[vertex] + 1;
            d->queue[tail++] = other;
        }
    }
    return d->levels[d->queue[size - 1]];
}

static int touches_level(const dissection *d, uint32_t vertex, uint32_t level) {
    for (size_t e = d->offsets[vertex]; e < d->offsets[vertex + 1]; e++)
        if (d->levels[d->columns[e]] == level) return 1;
    return 0;
}

/* Reorders the piece into a near part, a far part and the separator, which comes last. Returns 0 if it can't be
 * cut. */
static int cut_piece(dissection *d, piece p, piece *near_part, piece *far_part) {
    size_t size = p.end - p.begin;
    uint32_t start = d->order[p.begin], last = 0;
    for (int round = 0; round < RIM_ROUNDS; round++) {
        last = search_levels(d, p, start);
        start = d->queue[size - 1];
    }
    if (last == 0) return 0;
    uint32_t middle = d->levels[d->queue[size / 2]];
    if (middle == last) middle--;

    /* The queue has the levels in order: the far part is its end, the separator is last. */
    size_t near_count = 0, far_count = 0, parting = 0;
    for (size_t k = 0; k < size; k++) {
        uint32_t vertex = d->queue[k], level = d->levels[vertex];
        if (level > middle)
            far_count++;
        else if (level == middle && touches_level(d, vertex, middle + 1))
            parting++;
        else
            near_count++;
    }
    size_t at_near = p.begin, at_far = p.begin + near_count, at_parting = at_far + far_count;
    for (size_t k = 0; k < size; k++) {
        uint32_t vertex = d->queue[k], level = d->levels[vertex];
        if (level > middle)
            d->order[at_far++] = vertex;
        else if (level == middle && touches_level(d, vertex, middle + 1))
            d->order[at_parting++] = vertex;
        else
            d->order[at_near++] = vertex;
    }
    *near_part = (piece){p.begin, p.begin + near_count};
    *far_part = (piece){near_part->end, near_part->end + far_count};
    return 1;
}

static void close_piece(dissection *d, piece p) {
    for (size_t k = p.begin; k < p.end; k++) d->levels[d->order[k]] = OUTSIDE;
}

static void dissect(dissection *d, size_t count) {
    piece stack[STACK_CAPACITY] = {{0, count}};
    size_t depth = 1;
    while (depth > 0) {
        piece p = stack[--depth], near_part, far_part;
        if (p.end - p.begin <= LEAF_SIZE) continue;
        int cut = cut_piece(d, p, &near_part, &far_part);
        close_piece(d, p);
        if (!cut) continue;
        int near_is_larger = near_part.end - near_part.begin > far_part.end - far_part.begin;
        stack[depth++] = near_is_larger ? near_part : far_part;
        stack[depth++] = near_is_larger ? far_part : near_part;
    }
}

ruga_status dissect_graph(ruga_context *context, size_t count, const uint32_t *offsets, const uint32_t *columns,
                          uint32_t *order) {
    dissection d = {offsets, columns, order, NULL, NULL};
    ruga_status status = NEW(context, &d.queue, count);
    if (!RUGA_FAILED(status)) status = NEW(context, &d.levels, count);
    for (size_t i = 0; i < count && !RUGA_FAILED(status); i++) {
        order[i] = (uint32_t)i;
        d.levels[i] = OUTSIDE;
    }
    if (!RUGA_FAILED(status)) dissect(&d, count);
    RELEASE_ALL(context, d.queue, d.levels);
    return status;
}
