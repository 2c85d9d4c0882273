/* Intersections: the tree gives pairs of triangles whose boxes overlap; a fast floating-point test excludes nearly all
 * of them, and geom/triangle_pair.c decides the rest exactly. Blocks of triangles run in parallel, each from the tree
 * to the result, so that only their own pairs are in memory; the results are joined in order. */
#include "geom/intersections.h"

#include <string.h>

#include "base/threads.h"
#include "geom/bvh.h"
#include "geom/triangle_pair.h"

/* Triangles of a block, and between two progress reports. */
enum { BLOCK = 512, CHUNK = BLOCK << 10 };

int triangles_intersect(const ruga_vec3 a[3], const ruga_vec3 b[3]) {
    triangle_pair pair = {.common = 0};
    memcpy(pair.a, a, sizeof pair.a);
    memcpy(pair.b, b, sizeof pair.b);
    ruga_vec3 point;
    return !pair_is_apart(&pair) && pair_intersects(&pair, &point);
}

typedef struct found_block {
    intersection_array found;
    ruga_status status;
} found_block;

typedef struct search {
    ruga_context *context;
    const ruga_vec3 *positions;
    const uint32_t *triangles, *welds;
    const bvh *tree;
    size_t first; /* of the chunk */
    found_block *blocks;
} search;

/* ---- One pair */

/* Welded vertices are the same while they have the same position. */
static inline int is_same_vertex(const search *s, uint32_t a, uint32_t b) {
    if (a == b) return 1;
    if (!s->welds || s->welds[a] != s->welds[b]) return 0;
    const ruga_vec3 *p = s->positions + a, *q = s->positions + b;
    return p->x == q->x && p->y == q->y && p->z == q->z;
}

static inline void swap(uint32_t *vertices, int i, int k) {
    uint32_t other = vertices[i];
    vertices[i] = vertices[k];
    vertices[k] = other;
}

/* A pair of triangles, with their common vertices at the front in the same order. */
static triangle_pair make_pair(const search *s, uint32_t first, uint32_t second) {
    uint32_t a[3], b[3];
    triangle_pair pair = {.common = 0};
    memcpy(a, s->triangles + 3 * (size_t)first, sizeof a);
    memcpy(b, s->triangles + 3 * (size_t)second, sizeof b);
    for (int i = 0; i < 3; i++)
        for (int k = pair.common; k < 3; k++) {
            if (!is_same_vertex(s, a[i], b[k])) continue;
            swap(a, pair.common, i);
            swap(b, pair.common, k);
            pair.common++;
            break;
        }
    for (int c = 0; c < 3; c++) {
        pair.a[c] = s->positions[a[c]];
        pair.b[c] = s->positions[b[c]];
    }
    return pair;
}

/* ---- All pairs */

static ruga_status keep_intersecting(const search *s, const pair_array *pairs, intersection_array *found) {
    for (size_t i = 0; i < pairs->count; i += 2) {
        intersection one = {.triangles = {pairs->items[i], pairs->items[i + 1]}};
        triangle_pair pair = make_pair(s, one.triangles[0], one.triangles[1]);
        if (pair_is_apart(&pair) || !pair_intersects(&pair, &one.point)) continue;
        TRY(ARRAY_ADD(s->context, found, one));
    }
    return RUGA_OK;
}

static void search_block(void *argument, size_t begin, size_t end) {
    const search *s = argument;
    found_block *block = s->blocks + begin / BLOCK;
    pair_array pairs = {0};
    block->status = bvh_self_overlaps(s->tree, s->first + begin, s->first + end, &pairs);
    if (!RUGA_FAILED(block->status)) block->status = keep_intersecting(s, &pairs, &block->found);
    ARRAY_RELEASE(s->context, &pairs);
}

static ruga_status join(search *s, size_t block_count, intersection_array *out) {
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < block_count; i++) {
        found_block *block = s->blocks + i;
        if (!RUGA_FAILED(status)) status = block->status;
        if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(s->context, out, block->found.count);
        if (!RUGA_FAILED(status) && block->found.count) {
            memcpy(out->items + out->count, block->found.items, block->found.count * sizeof *out->items);
            out->count += block->found.count;
        }
        ARRAY_RELEASE(s->context, &block->found);
        block->status = RUGA_OK;
    }
    return status;
}

static ruga_status search_all(search *s, size_t triangle_count, intersection_array *out) {
    size_t most = triangle_count < CHUNK ? triangle_count : CHUNK, block_count = (most + BLOCK - 1) / BLOCK;
    TRY(NEW_ZEROED(s->context, &s->blocks, block_count));
    ruga_status status = RUGA_OK;
    for (s->first = 0; !RUGA_FAILED(status) && s->first < triangle_count; s->first += CHUNK) {
        size_t left = triangle_count - s->first, count = left < CHUNK ? left : CHUNK;
        parallel_for(s->context, count, BLOCK, search_block, s);
        status = join(s, (count + BLOCK - 1) / BLOCK, out);
        if (!RUGA_FAILED(status) && left > CHUNK)
            status = report_progress(s->context, "finding intersections",
                                     (double)(s->first + CHUNK) / (double)triangle_count);
    }
    memory_release(s->context, s->blocks);
    return status;
}

ruga_status intersections_find(ruga_context *context, size_t vertex_count, const ruga_vec3 *positions,
                               size_t triangle_count, const uint32_t *triangles, const uint32_t *welds,
                               const struct bvh *tree, intersection_array *out) {
    bvh *own = NULL;
    out->count = 0;
    if (!tree) TRY(bvh_build(context, vertex_count, positions, triangle_count, 3, triangles, &own));
    search s = {.context = context, .positions = positions, .triangles = triangles, .welds = welds};
    s.tree = tree ? tree : own;
    ruga_status status = search_all(&s, triangle_count, out);
    bvh_destroy(own);
    return status;
}
