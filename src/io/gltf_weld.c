/* Which vertices are the same.
 *
 * Most vertices of most files have no equal. So a first pass over a table of two bits a slot finds out which slots more
 * than one vertex falls into; with eight slots a vertex these are few unless there are equals. Only their vertices
 * enter a hash table that compares. Both passes touch little memory, the first without branches.
 */
#include <string.h>

#include "io/gltf.h"

#define SLOTS_A_VERTEX_LOG2 3
#define SLOTS_A_WORD_LOG2 5

typedef struct weld {
    ruga_context *context;
    size_t count;
    const uint32_t *hashes;
    gltf_equal_function *equal;
    void *user;
    unsigned shift;             /* hash >> shift: the slot */
    uint64_t *slots;            /* lower bit: seen once; upper: again */
    ARRAY(uint32_t) candidates; /* vertices whose slot was seen again, rising */
    uint32_t *split_vertex;     /* NULL until two are equal */
} weld;

static unsigned log2_at_least(size_t count) {
    unsigned bits = 0;
    while (bits < 63 && ((size_t)1 << bits) < count) bits++;
    return bits;
}

static ruga_status count_slots(weld *w) {
    unsigned bits = log2_at_least(w->count) + SLOTS_A_VERTEX_LOG2;
    if (bits < SLOTS_A_WORD_LOG2 + 1) bits = SLOTS_A_WORD_LOG2 + 1;
    if (bits > 32) bits = 32;
    size_t words = (size_t)1 << (bits - SLOTS_A_WORD_LOG2);
    w->shift = 32 - bits;
    TRY(NEW_ZEROED(w->context, &w->slots, words));
    for (size_t i = 0; i < w->count; i++) {
        uint32_t slot = w->hashes[i] >> w->shift;
        uint64_t *word = &w->slots[slot >> SLOTS_A_WORD_LOG2], bit = 1ull << 2 * (slot & 31);
        *word |= bit | (*word & bit) << 1;
    }
    return RUGA_OK;
}

static int is_candidate(const weld *w, size_t i) {
    uint32_t slot = w->hashes[i] >> w->shift;
    return w->slots[slot >> SLOTS_A_WORD_LOG2] >> (2 * (slot & 31) + 1) & 1;
}

/* Every vertex is written, and stays only if the count moves on: no branch to be guessed. */
static ruga_status collect_candidates(weld *w) {
    const size_t block = 4096;
    for (size_t begin = 0; begin < w->count; begin += block) {
        size_t end = w->count - begin < block ? w->count : begin + block;
        TRY(ARRAY_RESERVE(w->context, &w->candidates, block));
        uint32_t *items = w->candidates.items;
        size_t count = w->candidates.count;
        for (size_t i = begin; i < end; i++) {
            items[count] = (uint32_t)i;
            count += (size_t)is_candidate(w, i);
        }
        w->candidates.count = count;
    }
    return RUGA_OK;
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
    TRY(count_slots(w));
    TRY(collect_candidates(w));
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
    memory_release(context, w.slots);
    ARRAY_RELEASE(context, &w.candidates);
    TRY_OR(status, memory_release(context, w.split_vertex));
    /* Number them in the order of first appearance: whoever is joined comes earlier. */
    uint32_t next = 0;
    for (size_t i = 0; w.split_vertex && i < count; i++)
        w.split_vertex[i] = w.split_vertex[i] == i ? next++ : w.split_vertex[w.split_vertex[i]];
    *split_vertex = w.split_vertex;
    *vertex_count = w.split_vertex ? next : count;
    return RUGA_OK;
}
