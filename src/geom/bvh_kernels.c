/* The loops of the tree that vectors speed up: boxes of a refit, eight boxes at a time on the way down, four triangles
 * at a time in a leaf. Compiled once per instruction set; all paths give the same bits (see math/simd.h). */
#include <float.h>

#include "geom/bvh_tree.h"
#include "math/simd.h"

/* ---- Refit */

bvh_extent ISA_NAME(bvh_convert_points)(const bvh_frame *frame, const ruga_vec3 *positions, float *points, size_t begin,
                                        size_t end) {
    const double centre[3] = {frame->centre.x, frame->centre.y, frame->centre.z};
    f64x4 origin = f64x4_load3(centre), scale = f64x4_set(frame->scale);
    f64x4 largest = f64x4_set(BVH_LARGEST), smallest = f64x4_set(-BVH_LARGEST);
    m64x4 usable = f64x4_le(origin, origin);
    f32x4 low = f32x4_set(INFINITY), high = f32x4_set(-INFINITY);
    for (size_t i = begin; i < end; i++) {
        f64x4 x = f64x4_load3(&positions[i].x);
        usable = m64x4_and(usable, m64x4_and(f64x4_le(x, largest), f64x4_le(smallest, x)));
        f32x4 n = f32x4_from_f64x4(f64x4_mul(f64x4_sub(x, origin), scale));
        low = f32x4_min(n, low);
        high = f32x4_max(n, high);
        f32x4_store(points + 4 * i, n);
    }
    bvh_extent extent = {.usable = m64x4_bits(usable) == 15};
    f32x4_store(extent.low, low);
    f32x4_store(extent.high, high);
    return extent;
}

typedef struct box4 {
    f32x4 low, high;
} box4;

static inline box4 box4_of_leaf(const bvh_leaf *leaf, int arity, const float *points) {
    const uint32_t *vertex = leaf->vertex[0];
    f32x4 first = f32x4_load(points + 4 * (size_t)vertex[0]);
    box4 box = {first, first};
    for (int i = 1; i < arity * BVH_LEAF_SIZE; i++) {
        f32x4 point = f32x4_load(points + 4 * (size_t)vertex[i]);
        box.low = f32x4_min(point, box.low);
        box.high = f32x4_max(point, box.high);
    }
    return box;
}

/* Rounds outwards and grows by the margin. */
static inline box4 box4_grow(box4 box, f32x4 margin) {
    f32x4 slack = f32x4_set(BVH_SLACK), more = f32x4_set(1 + BVH_SLACK);
    f32x4 low_by = f32x4_mul(f32x4_add(f32x4_mul(f32x4_abs(box.low), slack), margin), more);
    f32x4 high_by = f32x4_mul(f32x4_add(f32x4_mul(f32x4_abs(box.high), slack), margin), more);
    return (box4){f32x4_sub(box.low, low_by), f32x4_add(box.high, high_by)};
}

/* Stores four boxes as columns of a node. */
static inline void store_boxes(float (*rows)[BVH_WIDTH], f32x4 a, f32x4 b, f32x4 c, f32x4 d) {
    f32x4_transpose(&a, &b, &c, &d);
    f32x4_store(rows[0], a);
    f32x4_store(rows[1], b);
    f32x4_store(rows[2], c);
}

static inline box4 box4_of_child(const bvh *tree, uint32_t child, f32x4 margin) {
    if (!(child & BVH_LEAF)) {
        const float *box = tree->node_boxes + 8 * (size_t)child;
        return (box4){f32x4_load(box), f32x4_load(box + 4)};
    }
    const bvh_leaf *leaf = tree->leaves + (child & ~BVH_LEAF);
    box4 box = box4_of_leaf(leaf, tree->arity, tree->points);
    if (tree->end) {
        box4 end = box4_of_leaf(leaf, tree->arity, tree->end_points);
        box = (box4){f32x4_min(box.low, end.low), f32x4_max(box.high, end.high)};
    }
    return box4_grow(box, margin);
}

void ISA_NAME(bvh_refit_nodes)(bvh *tree, size_t begin, size_t end) {
    f32x4 margin = f32x4_set((float)(tree->margin * tree->frame.scale) + BVH_SLACK_LEAST);
    for (size_t i = end; i-- > begin;) {
        bvh_node *node = tree->nodes + i;
        box4 boxes[BVH_WIDTH];
        box4 all = {f32x4_set(INFINITY), f32x4_set(-INFINITY)};
        for (uint32_t k = 0; k < BVH_WIDTH; k++) boxes[k] = all;
        for (uint32_t k = 0; k < node->count; k++) {
            boxes[k] = box4_of_child(tree, node->child[k], margin);
            all = (box4){f32x4_min(boxes[k].low, all.low), f32x4_max(boxes[k].high, all.high)};
        }
        for (int half = 0; half < BVH_WIDTH; half += 4) {
            float(*low)[BVH_WIDTH] = (float(*)[BVH_WIDTH])(&node->low[0][half]);
            float(*high)[BVH_WIDTH] = (float(*)[BVH_WIDTH])(&node->high[0][half]);
            store_boxes(low, boxes[half].low, boxes[half + 1].low, boxes[half + 2].low, boxes[half + 3].low);
            store_boxes(high, boxes[half].high, boxes[half + 1].high, boxes[half + 2].high, boxes[half + 3].high);
        }
        f32x4_store(tree->node_boxes + 8 * i, all.low);
        f32x4_store(tree->node_boxes + 8 * i + 4, all.high);
    }
}

/* ---- Four triangles at a time */

typedef struct vec3x4 {
    f64x4 x, y, z;
} vec3x4;

static inline vec3x4 vec3x4_sub(vec3x4 a, vec3x4 b) {
    return (vec3x4){f64x4_sub(a.x, b.x), f64x4_sub(a.y, b.y), f64x4_sub(a.z, b.z)};
}
static inline vec3x4 vec3x4_add_scaled(vec3x4 a, vec3x4 b, f64x4 s) {
    return (vec3x4){f64x4_add(a.x, f64x4_mul(b.x, s)), f64x4_add(a.y, f64x4_mul(b.y, s)),
                    f64x4_add(a.z, f64x4_mul(b.z, s))};
}
static inline f64x4 vec3x4_dot(vec3x4 a, vec3x4 b) {
    return f64x4_add(f64x4_add(f64x4_mul(a.x, b.x), f64x4_mul(a.y, b.y)), f64x4_mul(a.z, b.z));
}
static inline vec3x4 vec3x4_cross(vec3x4 a, vec3x4 b) {
    return (vec3x4){f64x4_sub(f64x4_mul(a.y, b.z), f64x4_mul(a.z, b.y)),
                    f64x4_sub(f64x4_mul(a.z, b.x), f64x4_mul(a.x, b.z)),
                    f64x4_sub(f64x4_mul(a.x, b.y), f64x4_mul(a.y, b.x))};
}
static inline vec3x4 vec3x4_select(m64x4 where, vec3x4 yes, vec3x4 no) {
    return (vec3x4){f64x4_select(where, yes.x, no.x), f64x4_select(where, yes.y, no.y),
                    f64x4_select(where, yes.z, no.z)};
}

/* Four points, seen from the query, in the scale of the frame. */
static inline vec3x4 gather(const ruga_vec3 *positions, const uint32_t *vertex, vec3x4 query, f64x4 scale) {
    vec3x4 p;
    f64x4_transpose3(f64x4_load3(&positions[vertex[0]].x), f64x4_load3(&positions[vertex[1]].x),
                     f64x4_load3(&positions[vertex[2]].x), f64x4_load3(&positions[vertex[3]].x), &p.x, &p.y, &p.z);
    p = vec3x4_sub(p, query);
    return (vec3x4){f64x4_mul(p.x, scale), f64x4_mul(p.y, scale), f64x4_mul(p.z, scale)};
}

/* closest_on_side of geom/closest.h, without the weights. */
static inline f64x4 side_distance2(vec3x4 p, f64x4 p2, f64x4 q2, vec3x4 q, vec3x4 side) {
    f64x4 zero = f64x4_set(0);
    m64x4 near_p = f64x4_le(p2, q2);
    vec3x4 start = vec3x4_select(near_p, p, q);
    f64x4 length2 = vec3x4_dot(side, side);
    f64x4 t = f64x4_div(f64x4_sub(zero, vec3x4_dot(start, side)), length2);
    t = f64x4_max(t, f64x4_select(near_p, zero, f64x4_set(-1)));
    t = f64x4_min(t, f64x4_select(near_p, f64x4_set(1), zero));
    t = f64x4_select(f64x4_lt(zero, length2), t, zero);
    vec3x4 nearest = vec3x4_add_scaled(start, side, t);
    return vec3x4_dot(nearest, nearest);
}

/* closest_on_triangle of geom/closest.h, without the weights. */
static inline f64x4 triangle_distance2(vec3x4 a, vec3x4 b, vec3x4 c) {
    vec3x4 ab = vec3x4_sub(b, a), ac = vec3x4_sub(c, a);
    f64x4 a2 = vec3x4_dot(a, a), b2 = vec3x4_dot(b, b), c2 = vec3x4_dot(c, c);
    f64x4 best = side_distance2(a, a2, b2, b, ab);
    best = f64x4_min(side_distance2(b, b2, c2, c, vec3x4_sub(c, b)), best);
    best = f64x4_min(side_distance2(c, c2, a2, a, vec3x4_sub(a, c)), best);

    f64x4 zero = f64x4_set(0);
    vec3x4 normal = vec3x4_cross(ab, ac), turned = vec3x4_cross(normal, a);
    f64x4 area2 = vec3x4_dot(normal, normal);
    f64x4 v = f64x4_div(f64x4_sub(zero, vec3x4_dot(ac, turned)), area2);
    f64x4 w = f64x4_div(vec3x4_dot(ab, turned), area2);
    m64x4 inside = m64x4_and(m64x4_and(f64x4_lt(zero, v), f64x4_lt(zero, w)), f64x4_lt(f64x4_add(v, w), f64x4_set(1)));
    vec3x4 foot = vec3x4_add_scaled(vec3x4_add_scaled(a, ab, v), ac, w);
    return f64x4_select(inside, f64x4_min(vec3x4_dot(foot, foot), best), best);
}

static inline f64x4 leaf_distance2(const bvh *tree, const bvh_leaf *leaf, vec3x4 query, f64x4 scale) {
    vec3x4 a = gather(tree->positions, leaf->vertex[0], query, scale);
    if (tree->arity == 1) return vec3x4_dot(a, a);
    vec3x4 b = gather(tree->positions, leaf->vertex[1], query, scale);
    if (tree->arity == 2) return side_distance2(a, vec3x4_dot(a, a), vec3x4_dot(b, b), b, vec3x4_sub(b, a));
    return triangle_distance2(a, b, gather(tree->positions, leaf->vertex[2], query, scale));
}

/* ---- Closest element */

typedef struct search {
    const bvh *tree;
    vec3x4 query; /* in every lane */
    f64x4 scale;
    f32x8 low[3], high[3]; /* the query in the frame, rounded down and up */
    double best2;
    uint32_t best;
    float bound; /* no less than best2, with all errors of a box distance on top */
} search;

static inline void search_set_best2(search *s, double best2) {
    s->best2 = best2;
    s->bound = (float)(best2 * (1 + (double)BVH_SLACK)) + FLT_MIN;
}

static void search_leaf(search *s, const bvh_leaf *leaf) {
    f64x4 distance2 = leaf_distance2(s->tree, leaf, s->query, s->scale);
    unsigned bits = m64x4_bits(f64x4_le(distance2, f64x4_set(s->best2)));
    if (!bits) return;
    double values[BVH_LEAF_SIZE];
    f64x4_store(values, distance2);
    for (; bits; bits &= bits - 1) {
        int i = __builtin_ctz(bits);
        if (values[i] < s->best2 || (values[i] == s->best2 && leaf->element[i] < s->best)) {
            s->best = leaf->element[i];
            search_set_best2(s, values[i]);
        }
    }
}

/* Squared distances of the eight boxes of a node; bits of those within the bound. */
static inline unsigned search_boxes(const search *s, const bvh_node *node, float *distance2) {
    f32x8 zero = f32x8_set(0), sum = zero;
    for (int axis = 0; axis < 3; axis++) {
        f32x8 below = f32x8_sub(f32x8_load(node->low[axis]), s->high[axis]);
        f32x8 above = f32x8_sub(s->low[axis], f32x8_load(node->high[axis]));
        f32x8 gap = f32x8_max(f32x8_max(below, above), zero);
        sum = f32x8_add(sum, f32x8_mul(gap, gap));
    }
    f32x8_store(distance2, sum);
    return f32x8_le_bits(sum, f32x8_set(s->bound)) & ((1u << node->count) - 1);
}

/* A distance that is not negative compares as its bits do, so distance and child fit one sortable number. */
static inline uint64_t make_entry(float distance2, uint32_t child) {
    uint32_t bits;
    memcpy(&bits, &distance2, sizeof bits);
    return (uint64_t)bits << 32 | child;
}

static inline float entry_distance2(uint64_t entry) {
    uint32_t bits = (uint32_t)(entry >> 32);
    float distance2;
    memcpy(&distance2, &bits, sizeof distance2);
    return distance2;
}

/* Pushes the children in reach, the nearest last. */
static inline size_t push_children(const search *s, const bvh_node *node, uint64_t *stack, size_t top) {
    float distance2[BVH_WIDTH];
    size_t base = top;
    for (unsigned bits = search_boxes(s, node, distance2); bits; bits &= bits - 1) {
        int i = __builtin_ctz(bits);
        uint64_t entry = make_entry(distance2[i], node->child[i]);
        size_t at = top++;
        for (; at > base && stack[at - 1] < entry; at--) stack[at] = stack[at - 1];
        stack[at] = entry;
    }
    return top;
}

static void search_run(search *s) {
    uint64_t stack[BVH_STACK_SIZE];
    size_t top = 0;
    stack[top++] = make_entry(0, 0);
    while (top) {
        uint64_t entry = stack[--top];
        if (!(entry_distance2(entry) <= s->bound)) continue;
        uint32_t child = (uint32_t)entry;
        if (child & BVH_LEAF)
            search_leaf(s, s->tree->leaves + (child & ~BVH_LEAF));
        else
            top = push_children(s, s->tree->nodes + child, stack, top);
    }
}

/* The query in the frame as a small box that surely holds it; from very far away all boxes are at one distance. */
static void search_place(search *s, vec3 query) {
    const bvh_frame *frame = &s->tree->frame;
    const double n[3] = {(query.x - frame->centre.x) * frame->scale, (query.y - frame->centre.y) * frame->scale,
                         (query.z - frame->centre.z) * frame->scale};
    int far = !(fabs(n[0]) < 0x1p60 && fabs(n[1]) < 0x1p60 && fabs(n[2]) < 0x1p60);
    for (int axis = 0; axis < 3; axis++) {
        float by = far ? INFINITY : (float)fabs(n[axis]) * BVH_SLACK + BVH_SLACK_LEAST;
        float at = far ? 0 : (float)n[axis];
        s->low[axis] = f32x8_set(at - by);
        s->high[axis] = f32x8_set(at + by);
    }
}

uint32_t ISA_NAME(bvh_closest_element)(const bvh *tree, vec3 query, double scale, double limit2, uint32_t hint) {
    search s = {.tree = tree, .scale = f64x4_set(scale), .best = UINT32_MAX};
    (void)hint;
    s.query = (vec3x4){f64x4_set(query.x), f64x4_set(query.y), f64x4_set(query.z)};
    search_place(&s, query);
    search_set_best2(&s, limit2);
    search_run(&s);
    return s.best;
}

/* ---- Boxes against boxes, boxes against rays */

unsigned ISA_NAME(bvh_overlap_bits)(const bvh_node *node, const bvh_float_box *box) {
    unsigned bits = (1u << node->count) - 1;
    for (int axis = 0; axis < 3; axis++) {
        bits &= f32x8_le_bits(f32x8_load(node->low[axis]), f32x8_set(box->high[axis]));
        bits &= f32x8_le_bits(f32x8_set(box->low[axis]), f32x8_load(node->high[axis]));
    }
    return bits;
}

unsigned ISA_NAME(bvh_ray_bits)(const bvh_node *node, const bvh_ray *ray, double limit, double *enter) {
    double leave[BVH_WIDTH];
    for (int i = 0; i < BVH_WIDTH; i++) enter[i] = 0, leave[i] = limit;
    for (int axis = 0; axis < 3; axis++) {
        // Where a ray runs within a side of the box, 0 · ∞ is NaN and leaves both bounds as they are.
        for (int i = 0; i < BVH_WIDTH; i++) {
            double low = (((double)node->low[axis][i] - ray->slack) - ray->origin[axis]) * ray->inverse[axis];
            double high = (((double)node->high[axis][i] + ray->slack) - ray->origin[axis]) * ray->inverse[axis];
            double near = ray->inverse[axis] < 0 ? high : low, far = ray->inverse[axis] < 0 ? low : high;
            enter[i] = near > enter[i] ? near : enter[i];
            leave[i] = far < leave[i] ? far : leave[i];
        }
    }
    // Three roundings on either side; see Ize, "Robust BVH Ray Traversal", 2013.
    unsigned bits = 0;
    for (unsigned i = 0; i < node->count; i++) bits |= (unsigned)(enter[i] <= leave[i] * (1 + 0x1p-49)) << i;
    return bits;
}
