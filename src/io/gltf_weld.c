/* Which vertices are the same.
 *
 * Most vertices of most files have no equal. So a first pass over a table of one bit a slot finds the vertices whose
 * slot was taken before; with eight slots a vertex these are few unless there are equals. A second pass, over a table
 * for their slots alone, which is small, adds those that came first. Only these candidates enter a hash table that
 * compares. Both passes touch little memory and have no branches.
 */
#include <string.h>

#include "base/wraps.h"
#include "io/gltf.h"
#include "mesh/sets.h"

#define SLOTS_A_VERTEX_LOG2 3
#define SLOTS_A_CANDIDATE_LOG2 5
#define SLOTS_A_WORD_LOG2 6

typedef struct weld {
    ruga_context *context;
    size_t count;
    const uint32_t *hashes;
    gltf_equal_function *equal;
    void *user;
    ARRAY(uint32_t) late;       /* vertices whose slot was taken, rising */
    ARRAY(uint32_t) candidates; /* these and the first of each, rising */
    uint32_t *split_vertex;     /* NULL until two are equal */
} weld;

/* Bits by hash. */
typedef struct slot_table {
    uint64_t *words;
    unsigned shift; /* hash >> shift: the slot */
} slot_table;

static unsigned log2_at_least(size_t count) {
    unsigned bits = 0;
    while (bits < 63 && ((size_t)1 << bits) < count) bits++;
    return bits;
}

static ruga_status make_slots(ruga_context *context, unsigned bits, slot_table *out) {
    if (bits < SLOTS_A_WORD_LOG2) bits = SLOTS_A_WORD_LOG2;
    if (bits > 32) bits = 32;
    out->shift = 32 - bits;
    return NEW_ZEROED(context, &out->words, (size_t)1 << (bits - SLOTS_A_WORD_LOG2));
}

static uint64_t *slot_word(const slot_table *t, uint32_t hash) {
    return &t->words[(hash >> t->shift) >> SLOTS_A_WORD_LOG2];
}
static uint64_t slot_bit(const slot_table *t, uint32_t hash) { return 1ull << (hash >> t->shift & 63); }

#define PIECE ((size_t)4096) /* vertices between two looks at the room of a list */

/* Every vertex is written, and stays only if the count moves on: no branch to be guessed. */
static ruga_status find_late(weld *w, const slot_table *t) {
    for (size_t begin = 0; begin < w->count; begin += PIECE) {
        const size_t end = w->count - begin < PIECE ? w->count : begin + PIECE;
        TRY(ARRAY_RESERVE(w->context, &w->late, PIECE));
        uint32_t *items = w->late.items;
        size_t count = w->late.count;
        for (size_t i = begin; i < end; i++) {
            uint64_t *word = slot_word(t, w->hashes[i]), bit = slot_bit(t, w->hashes[i]);
            items[count] = (uint32_t)i;
            count += (*word & bit) != 0;
            *word |= bit;
        }
        w->late.count = count;
    }
    return RUGA_OK;
}

static ruga_status collect_candidates(weld *w, const slot_table *t) {
    for (size_t k = 0; k < w->late.count; k++) {
        const uint32_t hash = w->hashes[w->late.items[k]];
        *slot_word(t, hash) |= slot_bit(t, hash);
    }
    for (size_t begin = 0; begin < w->count; begin += PIECE) {
        const size_t end = w->count - begin < PIECE ? w->count : begin + PIECE;
        TRY(ARRAY_RESERVE(w->context, &w->candidates, PIECE));
        uint32_t *items = w->candidates.items;
        size_t count = w->candidates.count;
        for (size_t i = begin; i < end; i++) {
            items[count] = (uint32_t)i;
            count += (*slot_word(t, w->hashes[i]) & slot_bit(t, w->hashes[i])) != 0;
        }
        w->candidates.count = count;
    }
    return RUGA_OK;
}

static ruga_status find_candidates(weld *w) {
    slot_table table = {0};
    TRY(make_slots(w->context, log2_at_least(w->count) + SLOTS_A_VERTEX_LOG2, &table));
    ruga_status status = find_late(w, &table);
    memory_release(w->context, table.words);
    if (RUGA_FAILED(status) || w->late.count == 0) return status;
    TRY(make_slots(w->context, log2_at_least(w->late.count) + SLOTS_A_CANDIDATE_LOG2, &table));
    status = collect_candidates(w, &table);
    memory_release(w->context, table.words);
    return status;
}

static ruga_status join(weld *w, uint32_t earlier, uint32_t later) {
    if (!w->split_vertex) {
        TRY(NEW(w->context, &w->split_vertex, w->count));
        for (size_t i = 0; i < w->count; i++) w->split_vertex[i] = (uint32_t)i;
    }
    w->split_vertex[later] = earlier;
    return RUGA_OK;
}

/* The first of equal vertices stays in the table; later ones join it. */
static ruga_status compare_candidates(weld *w, uint32_t *table, size_t mask) {
    for (size_t i = 0; i < w->candidates.count; i++) {
        uint32_t vertex = w->candidates.items[i], hash = w->hashes[vertex];
        for (size_t place = hash & mask;; place = (place + 1) & mask) {
            uint32_t other = table[place];
            if (other == GLTF_NONE) {
                table[place] = vertex;
                break;
            }
            if (w->hashes[other] != hash || !w->equal(w->user, other, vertex)) continue;
            TRY(join(w, other, vertex));
            break;
        }
    }
    return RUGA_OK;
}

static ruga_status find_equals(weld *w) {
    TRY(find_candidates(w));
    if (w->candidates.count == 0) return RUGA_OK;
    size_t size = (size_t)1 << (log2_at_least(w->candidates.count) + 1);
    uint32_t *table = NULL;
    TRY(NEW(w->context, &table, size));
    memset(table, 0xff, size * sizeof(uint32_t));
    ruga_status status = compare_candidates(w, table, size - 1);
    memory_release(w->context, table);
    return status;
}

ruga_status gltf_weld(ruga_context *context, size_t count, const uint32_t *hashes, gltf_equal_function *equal,
                      void *user, uint32_t **split_vertex, size_t *vertex_count) {
    weld w = {.context = context, .count = count, .hashes = hashes, .equal = equal, .user = user};
    ruga_status status = find_equals(&w);
    ARRAY_RELEASE(context, &w.late);
    ARRAY_RELEASE(context, &w.candidates);
    TRY_OR(status, memory_release(context, w.split_vertex));
    /* Number them in the order of first appearance: the vertex that one is joined to comes earlier. */
    uint32_t next = 0;
    for (size_t i = 0; w.split_vertex && i < count; i++)
        w.split_vertex[i] = w.split_vertex[i] == i ? next++ : w.split_vertex[w.split_vertex[i]];
    *split_vertex = w.split_vertex;
    *vertex_count = w.split_vertex ? next : count;
    return RUGA_OK;
}

/* ---- Borders that match.
 *
 * Vertices at one place are one where a seam cut a surface: on both sides of it there are triangles, whose edges have
 * the same two places, run in opposite directions, and belong to one triangle each. A layer on another one, such as a
 * lining, has its triangles at the very same three places: those are no neighbours. */

#define MOST_EDGES 64 /* of one place that are compared */

typedef struct half_edge {
    uint32_t ends[2]; /* the file's vertices, that of the lower place first */
    uint32_t third;   /* place of the triangle's other vertex */
    uint32_t next;    /* in the same slot */
    int forward;      /* runs from ends[0] to ends[1] */
    int inner;        /* another triangle has the same two vertices */
} half_edge;

typedef struct border_weld {
    ruga_context *context;
    const uint32_t *places;  /* (count) equal for vertices at one place */
    const uint32_t *classes; /* (count) equal for those that also move alike */
    uint32_t *parent;        /* (count) */
    uint32_t *slots;         /* (mask + 1) newest edge */
    size_t mask;
    ARRAY(half_edge) edges;
} border_weld;

static int same_place(const border_weld *w, const half_edge *e, const half_edge *f) {
    return w->places[e->ends[0]] == w->places[f->ends[0]] && w->places[e->ends[1]] == w->places[f->ends[1]];
}

WRAPS static size_t edge_slot(const border_weld *w, const half_edge *e) {
    const uint64_t h = (w->places[e->ends[0]] + 1) * 0x9e3779b97f4a7c15u + w->places[e->ends[1]] * 0xbb67ae8584caa73bu;
    return (size_t)((h ^ h >> 32) * 0x9e3779b97f4a7c15u >> 32) & w->mask;
}

static ruga_status add_edge(border_weld *w, uint32_t from, uint32_t to, uint32_t other) {
    const int forward = w->places[from] < w->places[to];
    half_edge e = {.ends = {forward ? from : to, forward ? to : from}, .third = w->places[other], .forward = forward};
    const size_t slot = edge_slot(w, &e);
    int looks = 0;
    for (uint32_t i = w->slots[slot]; i != GLTF_NONE && looks++ < MOST_EDGES; i = w->edges.items[i].next) {
        half_edge *f = &w->edges.items[i];
        if (f->ends[0] != e.ends[0] || f->ends[1] != e.ends[1] || f->forward == e.forward) continue;
        e.inner = f->inner = 1;
    }
    e.next = w->slots[slot];
    w->slots[slot] = (uint32_t)w->edges.count;
    return ARRAY_ADD(w->context, &w->edges, e);
}

/* Edges both of whose places have several vertices; `shared` (places): whether they have. */
static ruga_status collect_edges(border_weld *w, const uint32_t *corners, size_t corner_count, const char *shared) {
    for (size_t c = 0; c + 2 < corner_count; c += 3)
        for (size_t k = 0; k < 3; k++) {
            const uint32_t from = corners[c + k], to = corners[c + (k + 1) % 3], a = w->places[from], b = w->places[to];
            if (a != b && shared[a] && shared[b]) TRY(add_edge(w, from, to, corners[c + (k + 2) % 3]));
        }
    return RUGA_OK;
}

static void join_ends(border_weld *w, const half_edge *e, const half_edge *f) {
    for (int k = 0; k < 2; k++)
        if (w->classes[e->ends[k]] == w->classes[f->ends[k]]) (void)sets_unite(w->parent, e->ends[k], f->ends[k]);
}

/* The other side of an edge: in the opposite direction, or, where there are just two borders, in the same. */
static void join_edge(border_weld *w, size_t edge) {
    const half_edge *e = &w->edges.items[edge], *other = NULL;
    int looks = 0, others = 0;
    for (uint32_t i = w->slots[edge_slot(w, e)]; i != GLTF_NONE && looks++ < MOST_EDGES; i = w->edges.items[i].next) {
        const half_edge *f = &w->edges.items[i];
        if (f == e || f->inner || !same_place(w, e, f)) continue;
        others++;
        other = f;
        if (f->third != e->third && f->forward != e->forward) join_ends(w, e, f);
    }
    if (others == 1 && other->third != e->third) join_ends(w, e, other);
}

static ruga_status weld_edges(border_weld *w, const uint32_t *corners, size_t corner_count, size_t count,
                              size_t place_count) {
    char *shared = NULL;
    size_t many = 0;
    TRY(NEW_ZEROED(w->context, &shared, 2 * place_count + 1));
    char *seen = shared + place_count;
    for (size_t i = 0; i < count; i++) {
        shared[w->places[i]] |= seen[w->places[i]];
        seen[w->places[i]] = 1;
    }
    for (size_t c = 0; c < corner_count; c++) many += (size_t)shared[w->places[corners[c]]];
    w->mask = ((size_t)1 << (log2_at_least(many) + 1)) - 1;
    ruga_status status = NEW(w->context, &w->slots, w->mask + 1);
    if (!RUGA_FAILED(status)) {
        memset(w->slots, 0xff, (w->mask + 1) * sizeof *w->slots);
        status = collect_edges(w, corners, corner_count, shared);
    }
    for (size_t e = 0; !RUGA_FAILED(status) && e < w->edges.count; e++)
        if (!w->edges.items[e].inner) join_edge(w, e);
    memory_release(w->context, shared);
    return status;
}

ruga_status gltf_weld_borders(ruga_context *context, const gltf_places *at, const uint32_t *corners,
                              size_t corner_count, uint32_t **split_vertex, size_t *vertex_count) {
    const size_t count = at->count;
    border_weld w = {.context = context, .places = at->places, .classes = *split_vertex};
    TRY(NEW(context, &w.parent, count));
    for (size_t i = 0; i < count; i++) w.parent[i] = (uint32_t)i;
    ruga_status status = weld_edges(&w, corners, corner_count, count, at->place_count);
    memory_release(context, w.slots);
    ARRAY_RELEASE(context, &w.edges);
    TRY_OR(status, memory_release(context, w.parent));
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t lowest = set_lowest(w.parent, (uint32_t)i);
        (*split_vertex)[i] = lowest == i ? next++ : (*split_vertex)[lowest];
    }
    memory_release(context, w.parent);
    *vertex_count = next;
    if (next < count) return RUGA_OK;
    memory_release(context, *split_vertex);
    *split_vertex = NULL;
    return RUGA_OK;
}
