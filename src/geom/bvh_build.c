/* Arranges elements into a tree.
 *
 * A binary tree by the surface area heuristic with bins (Wald, "On fast Construction of SAH-based Bounding Volume
 * Hierarchies", 2007), where a leaf costs the same for one to four elements; then nodes are merged until they have up
 * to eight children, the largest first (Wald, Benthin, Boulos, "Getting Rid of Packets", 2008).
 *
 * A range of n elements takes 2n - 1 slots of the binary tree, wherever it is cut: a node in slot i has its children in
 * i + 1 and i + 2 n_left. So subtrees are built in parallel without shared counters, and the tree does not depend on
 * the number of threads.
 */
#include <string.h>

#include "base/threads.h"
#include "geom/bvh_tree.h"

enum { BIN_COUNT = 16, TASK_SIZE = 4096, PIECE_SIZE = 256 };

typedef struct primitive {
    float low[3];
    uint32_t element;
    float high[3];
    uint32_t unused;
} primitive;

typedef struct build_node {
    float low[3], high[3];
    uint32_t begin, count; /* primitives */
    uint32_t right;        /* slot of the right child; the left one is next; 0: a leaf */
} build_node;

typedef struct build_task {
    uint32_t slot, depth;
} build_task;

typedef struct builder {
    bvh *tree;
    primitive *primitives;
    build_node *nodes;
    size_t group_count;
    const uint32_t *group_ends;
    ARRAY(build_task) tasks;
} builder;

/* ---- Boxes */

static void box_clear(float *low, float *high) {
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
}

static inline void box_add(float *restrict low, float *restrict high, const float *restrict other_low,
                           const float *restrict other_high) {
    for (int k = 0; k < 3; k++) {
        low[k] = other_low[k] < low[k] ? other_low[k] : low[k];
        high[k] = other_high[k] > high[k] ? other_high[k] : high[k];
    }
}

static float box_half_area(const float *low, const float *high) {
    float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x * y + y * z + z * x;
}

static void fill_primitives(void *argument, size_t begin, size_t end) {
    builder *b = argument;
    const bvh *tree = b->tree;
    for (size_t i = begin; i < end; i++) {
        primitive *p = b->primitives + i;
        p->element = (uint32_t)i;
        box_clear(p->low, p->high);
        for (int k = 0; k < tree->arity; k++) {
            const float *point = tree->points + 4 * (size_t)tree->elements[i * (size_t)tree->arity + (size_t)k];
            box_add(p->low, p->high, point, point);
        }
    }
}

/* ---- Where to cut a range */

typedef struct bin {
    float low[3], high[3];
    uint32_t count;
} bin;

/* Bins along one axis: of = (low + high - start) scale. */
typedef struct cut {
    float cost;
    int axis, bin; /* bins below go left */
    float start, scale;
} cut;

static inline int bin_of(const primitive *p, int axis, float start, float scale) {
    int i = (int)((p->low[axis] + p->high[axis] - start) * scale);
    return i < BIN_COUNT ? i : BIN_COUNT - 1;
}

/* Elements cost in groups of four, the size of a leaf. */
static float side_cost(const float *low, const float *high, uint32_t count) {
    return count ? box_half_area(low, high) * (float)((count + BVH_LEAF_SIZE - 1) / BVH_LEAF_SIZE) : 0;
}

static void try_axis(const bin *bins, int axis, float start, float scale, cut *best) {
    float right_cost[BIN_COUNT], low[3], high[3];
    uint32_t right_count[BIN_COUNT], count = 0;
    box_clear(low, high);
    for (int i = BIN_COUNT - 1; i > 0; i--) {
        box_add(low, high, bins[i].low, bins[i].high);
        right_count[i] = count += bins[i].count;
        right_cost[i] = side_cost(low, high, count);
    }
    box_clear(low, high);
    count = 0;
    for (int i = 1; i < BIN_COUNT; i++) {
        box_add(low, high, bins[i - 1].low, bins[i - 1].high);
        count += bins[i - 1].count;
        float cost = side_cost(low, high, count) + right_cost[i];
        if (count && right_count[i] && cost < best->cost) *best = (cut){cost, axis, i, start, scale};
    }
}

/* The best cut of a range; axis is -1 when all centres coincide within the rounding of boxes. */
static cut find_cut(const primitive *p, uint32_t count) {
    float low[3], high[3];
    box_clear(low, high);
    for (uint32_t i = 0; i < count; i++) {
        float centre[3];
        for (int k = 0; k < 3; k++) centre[k] = p[i].low[k] + p[i].high[k];
        box_add(low, high, centre, centre);
    }
    cut best = {.cost = INFINITY, .axis = -1};
    bin bins[3][BIN_COUNT];
    float scale[3];
    for (int axis = 0; axis < 3; axis++) {
        scale[axis] = high[axis] - low[axis] > BVH_SLACK_LEAST ? BIN_COUNT / (high[axis] - low[axis]) : 0;
        for (int i = 0; i < BIN_COUNT; i++) {
            box_clear(bins[axis][i].low, bins[axis][i].high);
            bins[axis][i].count = 0;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++) {
            bin *at = &bins[axis][bin_of(p + i, axis, low[axis], scale[axis])];
            box_add(at->low, at->high, p[i].low, p[i].high);
            at->count++;
        }
    for (int axis = 0; axis < 3; axis++)
        if (scale[axis] > 0) try_axis(bins[axis], axis, low[axis], scale[axis], &best);
    return best;
}

/* Primitives below the cut come first; returns how many. */
static uint32_t partition(primitive *p, uint32_t count, const cut *at) {
    uint32_t left = 0, right = count;
    for (;;) {
        while (left < right && bin_of(p + left, at->axis, at->start, at->scale) < at->bin) left++;
        while (left < right && bin_of(p + right - 1, at->axis, at->start, at->scale) >= at->bin) right--;
        if (left >= right) return left;
        primitive swap = p[left];
        p[left++] = p[--right];
        p[right] = swap;
    }
}

/* Groups that end at or before a primitive. */
static size_t groups_until(const builder *b, uint32_t end) {
    size_t low = 0, high = b->group_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->group_ends[middle] <= end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many primitives of a range with several groups lie left of its middle group; 0 for one group. */
static uint32_t group_cut(const builder *b, const build_node *node) {
    size_t first = groups_until(b, node->begin), last = groups_until(b, node->begin + node->count - 1);
    return first < last ? b->group_ends[first + (last - first - 1) / 2] - node->begin : 0;
}

/* Cuts the node in a slot into two; 0 when it is a leaf. Coincident elements, and ranges below BVH_SAH_DEPTH, are
 * halved. */
static int split(builder *b, uint32_t slot, uint32_t depth) {
    build_node *node = b->nodes + slot;
    uint32_t left = group_cut(b, node);
    if (!left && node->count <= BVH_LEAF_SIZE) return 0;
    primitive *p = b->primitives + node->begin;
    int by_area = !left && depth < BVH_SAH_DEPTH;
    if (!left) left = node->count / 2;
    if (by_area) {
        cut best = find_cut(p, node->count);
        if (best.axis >= 0) left = partition(p, node->count, &best);
    }
    node->right = slot + 2 * left;
    b->nodes[slot + 1] = (build_node){.begin = node->begin, .count = left};
    b->nodes[node->right] = (build_node){.begin = node->begin + left, .count = node->count - left};
    return 1;
}

static void close_node(builder *b, uint32_t slot) {
    build_node *node = b->nodes + slot;
    box_clear(node->low, node->high);
    for (uint32_t i = 0; i < node->count; i++) {
        const primitive *p = b->primitives + node->begin + i;
        box_add(node->low, node->high, p->low, p->high);
    }
}

static void build_subtree(builder *b, uint32_t slot, uint32_t depth) {
    if (!split(b, slot, depth)) {
        close_node(b, slot);
        return;
    }
    build_node *node = b->nodes + slot;
    build_subtree(b, slot + 1, depth + 1);
    build_subtree(b, node->right, depth + 1);
    const build_node *left = b->nodes + slot + 1, *right = b->nodes + node->right;
    memcpy(node->low, left->low, sizeof node->low);
    memcpy(node->high, left->high, sizeof node->high);
    box_add(node->low, node->high, right->low, right->high);
}

static void run_task(void *argument, size_t index) {
    builder *b = argument;
    build_subtree(b, b->tasks.items[index].slot, b->tasks.items[index].depth);
}

/* Cuts large ranges here; smaller ones become parallel tasks. */
static ruga_status build_top(builder *b, uint32_t slot, uint32_t depth) {
    if (b->nodes[slot].count > TASK_SIZE && split(b, slot, depth)) {
        close_node(b, slot);
        TRY(build_top(b, slot + 1, depth + 1));
        return build_top(b, b->nodes[slot].right, depth + 1);
    }
    return ARRAY_ADD(b->tree->context, &b->tasks, (build_task){slot, depth});
}

/* ---- From two children to eight */

static int gather_children(const builder *b, uint32_t slot, uint32_t *children) {
    if (!b->nodes[slot].right) {
        children[0] = slot;
        return 1;
    }
    int count = 2;
    children[0] = slot + 1, children[1] = b->nodes[slot].right;
    while (count < BVH_WIDTH) {
        int open = -1;
        float largest = -1;
        for (int i = 0; i < count; i++) {
            const build_node *node = b->nodes + children[i];
            float area = node->right ? box_half_area(node->low, node->high) : -1;
            if (area > largest) largest = area, open = i;
        }
        if (open < 0) break;
        // The two children replace their parent.
        memmove(children + open + 2, children + open + 1, (size_t)(count - open - 1) * sizeof *children);
        uint32_t parent = children[open];
        children[open] = parent + 1, children[open + 1] = b->nodes[parent].right;
        count++;
    }
    return count;
}

static void fill_leaf(const builder *b, const build_node *from, bvh_leaf *leaf) {
    const bvh *tree = b->tree;
    uint32_t elements[BVH_LEAF_SIZE];
    for (uint32_t i = 0; i < BVH_LEAF_SIZE; i++)
        elements[i] = b->primitives[from->begin + (i < from->count ? i : from->count - 1)].element;
    for (int i = 0; i < BVH_LEAF_SIZE; i++) {
        const uint32_t *vertices = tree->elements + (size_t)elements[i] * (size_t)tree->arity;
        leaf->element[i] = elements[i];
        for (int k = 0; k < 3; k++) leaf->vertex[k][i] = vertices[k < tree->arity ? k : tree->arity - 1];
    }
}

/* Counts nodes and leaves, and fills them once they are allocated. */
static void merge(const builder *b, uint32_t slot) {
    bvh *tree = b->tree;
    uint32_t children[BVH_WIDTH], inner[BVH_WIDTH];
    int count = gather_children(b, slot, children);
    size_t index = tree->node_count++;
    for (int i = 0; i < count; i++) {
        const build_node *child = b->nodes + children[i];
        inner[i] = child->right;
        if (child->right) continue;
        if (tree->nodes) {
            fill_leaf(b, child, tree->leaves + tree->leaf_count);
            tree->nodes[index].child[i] = BVH_LEAF | (uint32_t)tree->leaf_count;
        }
        tree->leaf_count++;
    }
    for (int i = 0; i < count; i++) {
        if (!inner[i]) continue;
        if (tree->nodes) tree->nodes[index].child[i] = (uint32_t)tree->node_count;
        merge(b, children[i]);
    }
    if (!tree->nodes) return;
    tree->nodes[index].count = (uint32_t)count;
    tree->nodes[index].size = (uint32_t)(tree->node_count - index);
}

static ruga_status merge_all(builder *b) {
    bvh *tree = b->tree;
    ruga_context *context = tree->context;
    tree->node_count = tree->leaf_count = 0;
    merge(b, 0);
    size_t node_count = tree->node_count;
    TRY(NEW_ALIGNED(context, &tree->leaves, tree->leaf_count));
    TRY(NEW_ALIGNED(context, &tree->node_boxes, 8 * node_count));
    TRY(NEW_EACH(context, node_count, &tree->pieces, &tree->top));
    TRY(NEW_ALIGNED(context, &tree->nodes, node_count));
    memset(tree->nodes, 0, node_count * sizeof *tree->nodes);
    tree->node_count = tree->leaf_count = 0;
    merge(b, 0);

    /* Small subtrees are refitted in parallel, then the nodes above them from the last to the first. */
    for (uint32_t i = 0; i < node_count;) {
        int is_small = tree->nodes[i].size <= PIECE_SIZE;
        if (is_small)
            tree->pieces[tree->piece_count++] = i;
        else
            tree->top[tree->top_count++] = i;
        i += is_small ? tree->nodes[i].size : 1;
    }
    for (size_t i = 0; i < tree->top_count / 2; i++) {
        uint32_t swap = tree->top[i];
        tree->top[i] = tree->top[tree->top_count - 1 - i];
        tree->top[tree->top_count - 1 - i] = swap;
    }
    return RUGA_OK;
}

ruga_status bvh_arrange(bvh *tree, size_t group_count, const uint32_t *group_ends) {
    if (!tree->count) return RUGA_OK;
    builder b = {.tree = tree, .group_count = group_count, .group_ends = group_ends};
    ruga_status status = NEW(tree->context, &b.primitives, tree->count);
    if (!RUGA_FAILED(status)) status = NEW(tree->context, &b.nodes, 2 * tree->count);
    if (!RUGA_FAILED(status)) {
        parallel_for(tree->context, tree->count, TASK_SIZE, fill_primitives, &b);
        b.nodes[0] = (build_node){.count = (uint32_t)tree->count};
        status = build_top(&b, 0, 0);
    }
    if (!RUGA_FAILED(status)) {
        parallel_tasks(tree->context, b.tasks.count, run_task, &b);
        status = merge_all(&b);
    }
    ARRAY_RELEASE(tree->context, &b.tasks);
    RELEASE_ALL(tree->context, b.nodes, b.primitives);
    return status;
}
