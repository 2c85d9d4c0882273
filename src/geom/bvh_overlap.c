/* Overlapping boxes: float boxes in the nodes, exact boxes in the leaves. */
#include "base/sort.h"
#include "geom/bvh_tree.h"

/* A double box. */
typedef struct bvh_box {
    double low[3], high[3];
} bvh_box;

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

/* A box in the tree's frame, rounded outwards. */
static bvh_float_box box_to_frame(const bvh *tree, const bvh_box *box) {
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
    bvh_float_box rounded = box_to_frame(tree, box);
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

ruga_status bvh_self_overlaps(const bvh *tree, size_t begin, size_t end, pair_array *pairs) {
    element_array found = {0};
    ruga_status status = RUGA_OK;
    pairs->count = 0;
    for (size_t i = begin; i < end && !RUGA_FAILED(status); i++) {
        bvh_box box = box_of_vertices(tree, tree->elements + i * (size_t)tree->arity);
        status = collect(tree, &box, (uint32_t)i + 1, &found);
        if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(tree->context, pairs, 2 * found.count);
        for (size_t k = 0; k < found.count && !RUGA_FAILED(status); k++) {
            pairs->items[pairs->count++] = (uint32_t)i;
            pairs->items[pairs->count++] = found.items[k];
        }
    }
    ARRAY_RELEASE(tree->context, &found);
    return status;
}
