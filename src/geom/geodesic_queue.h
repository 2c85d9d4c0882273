/* A queue of vertices by rising distance, for steadily advancing fronts (L. Yatziv, A. Bartesaghi, G. Sapiro, "O(N)
 * implementation of the fast marching algorithm", 2006).
 *
 * Distances from `base` on lie in buckets of one width, with a bit for each that is not empty. Vertices beyond the last
 * bucket wait in an unsorted list, which is spread over the buckets when they are empty. Vertices of a bucket are
 * sorted as far as QUEUE_STEPS comparisons allow: the order may be wrong by less than the width of a bucket, and is
 * always the same. */
#ifndef GEOM_GEODESIC_QUEUE_H
#define GEOM_GEODESIC_QUEUE_H

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { QUEUE_BUCKETS = 4096, QUEUE_FAR = QUEUE_BUCKETS, QUEUE_STEPS = 8 };
#define QUEUE_NONE UINT32_MAX

/* The state of a vertex in marching. */
typedef struct march_vertex {
    double distance, parameter; /* m; of those that are queued or accepted */
    uint32_t next, previous;    /* in its bucket; previous: QUEUE_NONE at the head */
    uint32_t ring;              /* index of its first entry + 1; 0: not made yet */
    uint32_t first_support;     /* index + 1; 0: none */
} march_vertex;

typedef struct bucket_queue {
    march_vertex *vertices; /* (vertex_count) */
    uint32_t heads[QUEUE_BUCKETS + 1];
    uint64_t filled[QUEUE_BUCKETS / 64]; /* a bit for each bucket that is not empty */
    double base, buckets_per_metre;
    size_t cursor; /* all buckets before it are empty */
} bucket_queue;

static inline void queue_start(bucket_queue *q, double width) {
    memset(q->filled, 0, sizeof q->filled);
    q->heads[QUEUE_FAR] = QUEUE_NONE;
    q->base = 0;
    q->buckets_per_metre = 1 / width;
    q->cursor = 0;
}

/* A distance before the cursor goes into the cursor's bucket. */
static inline size_t queue_bucket(const bucket_queue *q, double distance) {
    double at = (distance - q->base) * q->buckets_per_metre;
    if (!(at < QUEUE_BUCKETS)) return QUEUE_FAR;
    return at > (double)q->cursor ? (size_t)at : q->cursor;
}

static inline uint32_t queue_head(const bucket_queue *q, size_t bucket) {
    return bucket == QUEUE_FAR || q->filled[bucket / 64] >> (bucket % 64) & 1 ? q->heads[bucket] : QUEUE_NONE;
}

static inline void queue_set_head(bucket_queue *q, size_t bucket, uint32_t vertex) {
    q->heads[bucket] = vertex;
    if (bucket == QUEUE_FAR) return;
    uint64_t bit = (uint64_t)1 << (bucket % 64);
    q->filled[bucket / 64] = vertex == QUEUE_NONE ? q->filled[bucket / 64] & ~bit : q->filled[bucket / 64] | bit;
}

/* Adds a vertex that is not queued. */
static inline void queue_add(bucket_queue *q, uint32_t vertex, double distance) {
    size_t bucket = queue_bucket(q, distance);
    uint32_t before = QUEUE_NONE, after = queue_head(q, bucket);
    int most = bucket == QUEUE_FAR ? 0 : QUEUE_STEPS;
    for (int i = 0; i < most && after != QUEUE_NONE && q->vertices[after].distance < distance; i++) {
        before = after;
        after = q->vertices[after].next;
    }
    q->vertices[vertex].distance = distance;
    q->vertices[vertex].next = after;
    q->vertices[vertex].previous = before;
    if (after != QUEUE_NONE) q->vertices[after].previous = vertex;
    if (before == QUEUE_NONE)
        queue_set_head(q, bucket, vertex);
    else
        q->vertices[before].next = vertex;
}

static inline void queue_remove(bucket_queue *q, uint32_t vertex) {
    const march_vertex *v = &q->vertices[vertex];
    if (v->next != QUEUE_NONE) q->vertices[v->next].previous = v->previous;
    if (v->previous != QUEUE_NONE)
        q->vertices[v->previous].next = v->next;
    else
        queue_set_head(q, queue_bucket(q, v->distance), v->next);
}

/* Moves the empty buckets to the nearest far vertex and fills them. */
static inline void queue_spread_far(bucket_queue *q) {
    double least = INFINITY;
    uint32_t first = q->heads[QUEUE_FAR];
    for (uint32_t v = first; v != QUEUE_NONE; v = q->vertices[v].next) least = fmin(least, q->vertices[v].distance);
    q->heads[QUEUE_FAR] = QUEUE_NONE;
    q->base = least;
    q->cursor = 0;
    for (uint32_t v = first, next; v != QUEUE_NONE; v = next) {
        next = q->vertices[v].next;
        queue_add(q, v, q->vertices[v].distance);
    }
}

/* The first vertex of a bucket that is within the limit. */
static inline uint32_t queue_within(const bucket_queue *q, size_t bucket, double limit) {
    uint32_t v = q->heads[bucket];
    while (v != QUEUE_NONE && !(q->vertices[v].distance <= limit)) v = q->vertices[v].next;
    return v;
}

/* The nearest vertex, without removing it; QUEUE_NONE when none is within the limit. */
static inline uint32_t queue_first(bucket_queue *q, double limit) {
    for (;;) {
        for (size_t word = q->cursor / 64; word < QUEUE_BUCKETS / 64; word++)
            if (q->filled[word]) {
                q->cursor = 64 * word + (size_t)__builtin_ctzll(q->filled[word]);
                return queue_within(q, q->cursor, limit);
            }
        q->cursor = QUEUE_BUCKETS;
        if (q->heads[QUEUE_FAR] == QUEUE_NONE) return QUEUE_NONE;
        queue_spread_far(q);
    }
}

#endif
