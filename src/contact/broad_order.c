/* Sorts pairs in parallel. Keys go into buckets by their first element; the number of buckets does not depend on the
 * number of threads. Each bucket is sorted by counting first elements, and keys with the same first element by
 * comparison. */
#include <string.h>

#include "base/sort.h"
#include "base/threads.h"
#include "contact/broad_clusters.h"

enum {
    BUCKETS = BROAD_BUCKETS,
    CHUNKS = BROAD_CHUNKS,
    FEW = 64,         /* with fewer than one key per so many first elements, all keys are sorted at once */
    PAIR_BLOCK = 4096 /* pairs per block */
};

typedef struct ordering {
    broad_order *order;
    const contact_mesh *mesh;
    const broad_keys *blocks;
    size_t block_count, first_count; /* first elements: vertices, then edges */
    int shift;                       /* 2^shift of them share a bucket */
    size_t offsets[BUCKETS + 1];     /* of each bucket's keys */
    contact_pair *pairs;
} ordering;

static contact_pair make_pair(const contact_mesh *m, uint64_t key) {
    uint32_t first = (uint32_t)(key >> 32), second = (uint32_t)key;
    contact_pair pair = {.kind = PAIR_VERTEX_TRIANGLE, .elements = {first, second}};
    if (first < m->vertex_count) {
        pair.vertices[0] = first;
        memcpy(pair.vertices + 1, m->triangles + 3 * (size_t)second, 3 * sizeof *m->triangles);
        return pair;
    }
    first -= (uint32_t)m->vertex_count;
    pair.kind = PAIR_EDGE_EDGE;
    pair.elements[0] = first;
    memcpy(pair.vertices, m->edges + 2 * (size_t)first, 2 * sizeof *m->edges);
    memcpy(pair.vertices + 2, m->edges + 2 * (size_t)second, 2 * sizeof *m->edges);
    return pair;
}

/* ---- Buckets */

static size_t bucket_of(const ordering *o, uint64_t key) { return (size_t)(key >> (32 + o->shift)); }

/* The least first element of a bucket. */
static size_t bucket_start(const ordering *o, size_t bucket) {
    size_t start = bucket << o->shift;
    return start < o->first_count ? start : o->first_count;
}

static size_t chunk_start(const ordering *o, size_t chunk) { return o->block_count * chunk / CHUNKS; }

static void count_chunk(void *argument, size_t chunk) {
    const ordering *o = argument;
    uint32_t *counts = o->order->histogram[chunk];
    memset(counts, 0, BUCKETS * sizeof *counts);
    for (size_t block = chunk_start(o, chunk); block < chunk_start(o, chunk + 1); block++)
        for (size_t i = 0; i < o->blocks[block].count; i++) counts[bucket_of(o, o->blocks[block].items[i])]++;
}

/* Counts become the places where each chunk's keys of a bucket begin. */
static void place_buckets(ordering *o) {
    size_t next = 0;
    for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
        o->offsets[bucket] = next;
        for (size_t chunk = 0; chunk < CHUNKS; chunk++) {
            uint32_t *count = o->order->histogram[chunk] + bucket, begin = (uint32_t)next;
            next += *count;
            *count = begin;
        }
    }
    o->offsets[BUCKETS] = next;
}

static void scatter_chunk(void *argument, size_t chunk) {
    const ordering *o = argument;
    uint32_t *places = o->order->histogram[chunk];
    for (size_t block = chunk_start(o, chunk); block < chunk_start(o, chunk + 1); block++)
        for (size_t i = 0; i < o->blocks[block].count; i++) {
            uint64_t key = o->blocks[block].items[i];
            o->order->keys.items[places[bucket_of(o, key)]++] = key;
        }
}

static void sort_bucket(void *argument, size_t bucket) {
    const ordering *o = argument;
    size_t begin = o->offsets[bucket], end = o->offsets[bucket + 1];
    size_t first = bucket_start(o, bucket), last = bucket_start(o, bucket + 1);
    const uint64_t *keys = o->order->keys.items;
    uint64_t *sorted = o->order->sorted.items;
    uint32_t *starts = o->order->starts;
    if (begin == end) return;

    // Counting by the first element: after the loop, starts[i] is where the keys of i end.
    memset(starts + first, 0, (last - first) * sizeof *starts);
    for (size_t i = begin; i < end; i++) starts[keys[i] >> 32]++;
    uint32_t next = (uint32_t)begin;
    for (size_t i = first; i < last; i++) {
        uint32_t count = starts[i];
        starts[i] = next;
        next += count;
    }
    for (size_t i = begin; i < end; i++) sorted[starts[keys[i] >> 32]++] = keys[i];

    uint32_t from = (uint32_t)begin;
    for (size_t i = first; i < last; i++) {
        sort_keys(sorted + from, starts[i] - from);
        from = starts[i];
    }
    for (size_t i = begin; i < end; i++) o->pairs[i] = make_pair(o->mesh, sorted[i]);
}

/* ---- A few keys */

static void make_pairs(void *argument, size_t begin, size_t end) {
    const ordering *o = argument;
    for (size_t i = begin; i < end; i++) o->pairs[i] = make_pair(o->mesh, o->order->keys.items[i]);
}

static void sort_few(ordering *o, size_t count) {
    uint64_t *keys = o->order->keys.items;
    size_t next = 0;
    for (size_t i = 0; i < o->block_count; i++) {
        if (!o->blocks[i].count) continue;
        memcpy(keys + next, o->blocks[i].items, o->blocks[i].count * sizeof *keys);
        next += o->blocks[i].count;
    }
    sort_keys(keys, count);
    parallel_for(o->mesh->context, count, PAIR_BLOCK, make_pairs, o);
}

ruga_status broad_order_pairs(broad_order *order, const contact_mesh *m, const broad_keys *blocks, size_t block_count,
                              contact_pairs *pairs) {
    ruga_context *context = m->context;
    size_t count = 0;
    for (size_t i = 0; i < block_count; i++) count += blocks[i].count;
    pairs->count = order->keys.count = order->sorted.count = 0;
    TRY(ARRAY_RESERVE(context, pairs, count));
    TRY(ARRAY_RESERVE(context, &order->keys, count));
    ordering o = {order, m, blocks, block_count, m->vertex_count + m->edge_count, 0, {0}, pairs->items};
    while (o.first_count >> o.shift >= BUCKETS) o.shift++;
    if (count < o.first_count / FEW) {
        sort_few(&o, count);
    } else {
        TRY(ARRAY_RESERVE(context, &order->sorted, count));
        parallel_tasks(context, CHUNKS, count_chunk, &o);
        place_buckets(&o);
        parallel_tasks(context, CHUNKS, scatter_chunk, &o);
        parallel_tasks(context, BUCKETS, sort_bucket, &o);
    }
    pairs->count = count;
    return RUGA_OK;
}
