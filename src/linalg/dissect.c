/* Nested dissection (George 1973): a separator parts the graph, the parts are cut likewise, and a separator is
 * eliminated after its parts. Small pieces are ordered by least degree (Tinney and Walker 1967), the neighbours outside
 * of them included, which are eliminated later. Works on the graph alone. */
#include "linalg/dissect.h"

#include "linalg/separator.h"

#define LEAF_SIZE 48      /* vertices of a piece that is not cut further */
#define STACK_CAPACITY 64 /* of pieces: the smaller half is taken first, so it never holds more than log2(count) */
#define NO_PLACE UINT32_MAX

/* Vertices of a small piece with those around it, as bits. Beyond that, vertices around it are left out. */
enum { WORD_BITS = 64, WORDS = 4, SMALL_MOST = WORD_BITS * WORDS };

typedef struct piece {
    size_t begin, end;
} piece;

typedef struct small_piece {
    uint64_t neighbours[SMALL_MOST][WORDS]; /* of the vertices that are not eliminated yet */
    uint32_t degrees[SMALL_MOST];
    uint32_t vertices[SMALL_MOST]; /* first those of the piece */
    size_t inner, count;
} small_piece;

typedef struct dissection {
    ruga_context *context;
    const uint32_t *offsets, *columns;
    uint32_t *order;      /* vertices; a piece is a range of it */
    uint32_t *place;      /* (count) within the current piece; NO_PLACE: not in it */
    uint32_t *held;       /* (count) scratch */
    unsigned char *sides; /* (count) of the current piece */
    weighted_graph graph; /* of the current piece, with room for the whole */
    small_piece *small;
} dissection;

/* ---- Small pieces. */

static uint32_t count_bits(const uint64_t *words) {
    uint32_t count = 0;
    for (int w = 0; w < WORDS; w++)
        for (uint64_t bits = words[w]; bits; bits &= bits - 1) count++;
    return count;
}

static void join(small_piece *s, size_t a, size_t b) {
    s->neighbours[a][b / WORD_BITS] |= (uint64_t)1 << b % WORD_BITS;
    s->neighbours[b][a / WORD_BITS] |= (uint64_t)1 << a % WORD_BITS;
}

/* The piece with its surroundings. Places are given back. */
static void gather_small(dissection *d, piece p) {
    small_piece *s = d->small;
    s->inner = s->count = p.end - p.begin;
    for (size_t k = 0; k < s->inner; k++) {
        s->vertices[k] = d->order[p.begin + k];
        d->place[s->vertices[k]] = (uint32_t)k;
    }
    memset(s->neighbours, 0, sizeof s->neighbours);
    for (size_t k = 0; k < s->inner; k++)
        for (size_t e = d->offsets[s->vertices[k]]; e < d->offsets[s->vertices[k] + 1]; e++) {
            uint32_t other = d->columns[e];
            if (d->place[other] == NO_PLACE && s->count < SMALL_MOST) {
                d->place[other] = (uint32_t)s->count;
                s->vertices[s->count++] = other;
            }
            if (d->place[other] != NO_PLACE && other != s->vertices[k]) join(s, k, d->place[other]);
        }
    for (size_t k = 0; k < s->count; k++) d->place[s->vertices[k]] = NO_PLACE;
}

/* Eliminates a vertex: its neighbours become neighbours of each other. */
static void eliminate(small_piece *s, size_t v) {
    uint64_t around[WORDS];
    memcpy(around, s->neighbours[v], sizeof around);
    for (size_t k = 0; k < s->count; k++) {
        if (!(around[k / WORD_BITS] >> k % WORD_BITS & 1)) continue;
        for (int w = 0; w < WORDS; w++) s->neighbours[k][w] |= around[w];
        s->neighbours[k][v / WORD_BITS] &= ~((uint64_t)1 << v % WORD_BITS);
        s->neighbours[k][k / WORD_BITS] &= ~((uint64_t)1 << k % WORD_BITS);
        s->degrees[k] = count_bits(s->neighbours[k]);
    }
    s->degrees[v] = UINT32_MAX;
}

static void order_small(dissection *d, piece p) {
    small_piece *s = d->small;
    gather_small(d, p);
    for (size_t k = 0; k < s->inner; k++) s->degrees[k] = count_bits(s->neighbours[k]);
    for (size_t at = p.begin; at < p.end; at++) {
        size_t best = 0;
        for (size_t k = 1; k < s->inner; k++)
            if (s->degrees[k] < s->degrees[best]) best = k;
        d->order[at] = s->vertices[best];
        eliminate(s, best);
    }
}

/* ---- Cuts. */

/* The graph within a piece; loops and repetitions are left out. */
static void take_graph(dissection *d, piece p) {
    weighted_graph *g = &d->graph;
    size_t size = p.end - p.begin;
    uint32_t filled = 0;
    for (size_t k = 0; k < size; k++) {
        d->place[d->order[p.begin + k]] = (uint32_t)k;
        d->held[k] = NO_PLACE;
    }
    g->count = (uint32_t)size;
    for (uint32_t k = 0; k < size; k++) {
        uint32_t v = d->order[p.begin + k];
        g->offsets[k] = filled;
        d->held[k] = k;
        for (size_t e = d->offsets[v]; e < d->offsets[v + 1]; e++) {
            uint32_t other = d->place[d->columns[e]];
            if (other == NO_PLACE || d->held[other] == k) continue;
            d->held[other] = k;
            g->others[filled++] = other;
        }
    }
    g->offsets[size] = filled;
    for (size_t k = 0; k < size; k++) d->place[d->order[p.begin + k]] = NO_PLACE;
}

/* Reorders the piece into two parts and their separator, which comes last. A part may be empty. */
static ruga_status cut_piece(dissection *d, piece p, piece parts[2]) {
    size_t size = p.end - p.begin, counts[3] = {0, 0, 0}, at[3];
    take_graph(d, p);
    TRY(separate_graph(d->context, &d->graph, d->sides));
    for (size_t k = 0; k < size; k++) {
        counts[d->sides[k]]++;
        d->held[k] = d->order[p.begin + k];
    }
    parts[0] = (piece){p.begin, p.begin + counts[0]};
    parts[1] = (piece){parts[0].end, parts[0].end + counts[1]};
    at[0] = parts[0].begin;
    at[1] = parts[1].begin;
    at[2] = parts[1].end;
    for (size_t k = 0; k < size; k++) d->order[at[d->sides[k]]++] = d->held[k];
    return RUGA_OK;
}

static ruga_status dissect(dissection *d, size_t count) {
    piece stack[STACK_CAPACITY] = {{0, count}};
    size_t depth = 1;
    while (depth > 0) {
        piece p = stack[--depth], parts[2];
        if (p.end - p.begin <= LEAF_SIZE) {
            order_small(d, p);
            continue;
        }
        TRY(cut_piece(d, p, parts));
        size_t sizes[2] = {parts[0].end - parts[0].begin, parts[1].end - parts[1].begin};
        /* A graph of which a separator leaves one part or none is nearly complete: any order does. */
        if (sizes[0] == 0 || sizes[1] == 0) continue;
        stack[depth++] = parts[sizes[0] < sizes[1]];
        stack[depth++] = parts[sizes[0] >= sizes[1]];
    }
    return RUGA_OK;
}

static ruga_status prepare(dissection *d, size_t count) {
    TRY(NEW_EACH(d->context, count, &d->place, &d->held, &d->sides));
    TRY(NEW(d->context, &d->graph.offsets, count + 1));
    TRY(NEW(d->context, &d->graph.others, d->offsets[count]));
    TRY(NEW(d->context, &d->small, 1));
    for (size_t i = 0; i < count; i++) {
        d->order[i] = (uint32_t)i;
        d->place[i] = NO_PLACE;
    }
    return dissect(d, count);
}

ruga_status dissect_graph(ruga_context *context, size_t count, const uint32_t *offsets, const uint32_t *columns,
                          uint32_t *order) {
    dissection d = {.context = context, .offsets = offsets, .columns = columns, .order = order};
    ruga_status status = prepare(&d, count);
    RELEASE_ALL(context, d.place, d.held, d.sides, d.graph.offsets, d.graph.others, d.small);
    return status;
}
