/* Boxes against boxes. Every element of one tree asks the other for the elements it overlaps: floats on the way down,
 * the exact boxes at the end. Blocks of elements run side by side, and their findings are joined in order. */
#include <string.h>

#include "base/sort.h"
#include "base/threads.h"
#include "geom/bvh_tree.h"

enum { ELEMENT_BLOCK = 512 };

static inline void box_add_point(bvh_box *box, const ruga_vec3 *p) {
    const double x[3] = {p->x, p->y, p->z};
    for (int k = 0; k < 3; k++) {
        box->low[k] = x[k] < box->low[k] ? x[k] : box->low[k];
        box->high[k] = x[k] > box->high[k] ? x[k] : box->high[k];
    }
}

static inline bvh_box box_of_vertices(const bvh *tree, const uint32_t *vertices) {
    bvh_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < tree->arity; k++) {
        box_add_point(&box, tree->positions + vertices[k]);
        if (tree->end) box_add_point(&box, tree->end + vertices[k]);
    }
    for (int k = 0; k < 3; k++) box.low[k] -= tree->margin, box.high[k] += tree->margin;
    return box;
}

bvh_box bvh_element_box(const bvh *tree, size_t element) {
    return box_of_vertices(tree, tree->elements + element * (size_t)tree->arity);
}

bvh_float_box bvh_box_to_frame(const bvh *tree, const bvh_box *box) {
    const bvh_frame *frame = &tree->frame;
    const double centre[3] = {frame->centre.x, frame->centre.y, frame->centre.z};
    bvh_float_box result;
    for (int k = 0; k < 3; k++) {
        double low = (box->low[k] - centre[k]) * frame->scale, high = (box->high[k] - centre[k]) * frame->scale;
        double low_by = fabs(low) * (double)BVH_SLACK + (double)BVH_SLACK_LEAST;
        double high_by = fabs(high) * (double)BVH_SLACK + (double)BVH_SLACK_LEAST;
        result.low[k] = low >= -3e38 ? (float)fmin(low - low_by, 3e38) : -INFINITY;
        result.high[k] = high <= 3e38 ? (float)fmax(high + high_by, -3e38) : INFINITY;
    }
    return result;
}

static int boxes_overlap(const bvh_box *a, const bvh_box *b) {
    for (int k = 0; k < 3; k++)
        if (!(a->low[k] <= b->high[k] && b->low[k] <= a->high[k])) return 0;
    return 1;
}

static ruga_status collect_leaf(const bvh *tree, const bvh_leaf *leaf, const bvh_box *box, uint32_t first,
                                element_array *found) {
    TRY(ARRAY_RESERVE(tree->context, found, BVH_LEAF_SIZE));
    for (int i = 0; i < BVH_LEAF_SIZE; i++) {
        uint32_t element = leaf->element[i];
        if (element < first || (i && element == leaf->element[i - 1])) continue;
        /* The leaf has the vertices at hand. */
        const uint32_t vertices[3] = {leaf->vertex[0][i], leaf->vertex[1][i], leaf->vertex[2][i]};
        bvh_box other = box_of_vertices(tree, vertices);
        if (boxes_overlap(box, &other)) found->items[found->count++] = element;
    }
    return RUGA_OK;
}

/* The elements from `first` on whose boxes overlap a box, rising. */
static ruga_status collect(const bvh *tree, const bvh_box *box, uint32_t first, element_array *found) {
    unsigned (*overlap_bits)(const bvh_node *, const bvh_float_box *) =
        ISA_SELECT(tree->context->isa, bvh_overlap_bits);
    found->count = 0;
    if (!tree->count) return RUGA_OK;
    bvh_float_box rounded = bvh_box_to_frame(tree, box);
    uint32_t stack[BVH_STACK_SIZE] = {0};
    size_t top = 1;
    while (top) {
        const bvh_node *node = tree->nodes + stack[--top];
        for (unsigned bits = overlap_bits(node, &rounded); bits; bits &= bits - 1) {
            uint32_t child = node->child[__builtin_ctz(bits)];
            if (child & BVH_LEAF)
                TRY(collect_leaf(tree, tree->leaves + (child & ~BVH_LEAF), box, first, found));
            else
                stack[top++] = child;
        }
    }
    sort_indices(found->items, found->count);
    return RUGA_OK;
}

ruga_status bvh_box_elements(const bvh *tree, ruga_vec3 low, ruga_vec3 high, element_array *elements) {
    bvh_box box = {{low.x, low.y, low.z}, {high.x, high.y, high.z}};
    elements->count = 0;
    for (int k = 0; k < 3; k++)
        if (!(box.low[k] <= box.high[k])) return RUGA_OK;
    return collect(tree, &box, 0, elements);
}

/* ---- Pairs */

typedef struct overlap_block {
    pair_array pairs;
    ruga_status status;
} overlap_block;

typedef struct overlap_job {
    const bvh *a, *b;
    int self; /* only pairs with a < b */
    overlap_block *blocks;
} overlap_job;

static ruga_status find_pairs(const overlap_job *job, size_t begin, size_t end, pair_array *pairs,
                              element_array *found) {
    ruga_context *context = job->a->context;
    for (size_t i = begin; i < end; i++) {
        bvh_box box = bvh_element_box(job->a, i);
        TRY(collect(job->b, &box, job->self ? (uint32_t)i + 1 : 0, found));
        TRY(ARRAY_RESERVE(context, pairs, 2 * found->count));
        for (size_t k = 0; k < found->count; k++) {
            pairs->items[pairs->count++] = (uint32_t)i;
            pairs->items[pairs->count++] = found->items[k];
        }
    }
    return RUGA_OK;
}

static void run_block(void *argument, size_t begin, size_t end) {
    const overlap_job *job = argument;
    overlap_block *block = job->blocks + begin / ELEMENT_BLOCK;
    element_array found = {0};
    block->status = find_pairs(job, begin, end, &block->pairs, &found);
    ARRAY_RELEASE(job->b->context, &found);
}

static ruga_status join(ruga_context *context, const overlap_block *blocks, size_t count, pair_array *pairs) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        TRY(blocks[i].status);
        total += blocks[i].pairs.count;
    }
    TRY(ARRAY_RESERVE(context, pairs, total));
    for (size_t i = 0; i < count; i++) {
        if (!blocks[i].pairs.count) continue;
        memcpy(pairs->items + pairs->count, blocks[i].pairs.items, blocks[i].pairs.count * sizeof *pairs->items);
        pairs->count += blocks[i].pairs.count;
    }
    return RUGA_OK;
}

static ruga_status find_overlaps(const bvh *a, const bvh *b, int self, pair_array *pairs) {
    ruga_context *context = a->context;
    pairs->count = 0;
    size_t block_count = (a->count + ELEMENT_BLOCK - 1) / ELEMENT_BLOCK;
    overlap_job job = {a, b, self, ALLOCATE_ZEROED(context, overlap_block, block_count)};
    if (!job.blocks) return fail_memory(context, block_count * sizeof *job.blocks);
    parallel_for(context, a->count, ELEMENT_BLOCK, run_block, &job);
    ruga_status status = join(context, job.blocks, block_count, pairs);
    for (size_t i = 0; i < block_count; i++) ARRAY_RELEASE(context, &job.blocks[i].pairs);
    memory_release(context, job.blocks);
    return status;
}

ruga_status bvh_self_overlaps(const bvh *tree, pair_array *pairs) { return find_overlaps(tree, tree, 1, pairs); }

ruga_status bvh_overlaps(const bvh *a, const bvh *b, pair_array *pairs) { return find_overlaps(a, b, 0, pairs); }

ruga_status bvh_self_overlaps_of(const bvh *tree, size_t begin, size_t end, element_array *found, pair_array *pairs) {
    const overlap_job job = {tree, tree, 1, NULL};
    pairs->count = 0;
    return find_pairs(&job, begin, end, pairs, found);
}
