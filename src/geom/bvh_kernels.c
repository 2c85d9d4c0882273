/* Vectorised loops of the tree: boxes of a refit, eight child boxes at a time in a query, four triangles at a time in a
 * leaf. Compiled once per instruction set; all are bit-identical (see math/simd.h). */
#include <float.h>

#include "geom/bvh_boxes.h"
#include "geom/bvh_tree.h"
#include "math/vec3x4.h"

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
        f32x4 n = f64x4_rounded(f64x4_mul(f64x4_sub(x, origin), scale));
        low = f32x4_min(n, low);
        high = f32x4_max(n, high);
        f32x4_store(points + 4 * i, n);
    }
    bvh_extent extent = {.usable = m64x4_bits(usable) == 15};
    f32x4_store(extent.low, low);
    f32x4_store(extent.high, high);
    return extent;
}

static inline box4 box4_of_leaf(const bvh_leaf *leaf, int arity, const float *points) {
    const uint32_t *vertex = leaf->vertex[0];
    f32x4 first = f32x4_load(points + 4 * (size_t)vertex[0]);
    box4 box = {first, first};
    for (int i = 1; i < arity * BVH_LEAF_SIZE; i++)
        box = box4_add_point(box, f32x4_load(points + 4 * (size_t)vertex[i]));
    return box;
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
        box = box4_join(box, end);
    }
    return box4_grow(box, margin);
}

void ISA_NAME(bvh_refit_nodes)(bvh *tree, size_t begin, size_t end) {
    f32x4 margin = box4_margin(tree);
    for (size_t i = end; i-- > begin;) {
        bvh_node *node = tree->nodes + i;
        box4 boxes[BVH_WIDTH];
        box4 all = box4_empty();
        for (uint32_t k = 0; k < BVH_WIDTH; k++) boxes[k] = all;
        for (uint32_t k = 0; k < node->count; k++) {
            boxes[k] = box4_of_child(tree, node->child[k], margin);
            all = box4_join(boxes[k], all);
        }
        for (int half = 0; half < BVH_WIDTH; half += 4) {
            box4_store_columns(boxes + half, &node->low[0][half], &node->high[0][half], BVH_WIDTH);
        }
        f32x4_store(tree->node_boxes + 8 * i, all.low);
        f32x4_store(tree->node_boxes + 8 * i + 4, all.high);
    }
}

/* ---- Four triangles at a time
 *
 * The closest point of a triangle to the origin is the least of four candidates: the closest point of each side, and
 * the foot of the perpendicular where it falls inside. Each candidate is a point of the triangle, so an inaccurate one
 * (a sliver, no area) is never nearer than the triangle and loses to a better one. A side is measured from its nearer
 * end, so two triangles that share it get bit-identical distances. Vertices may coincide.
 */

/* Points relative to the query, in the given scale. */
static inline vec3x4 seen_from(vec3x4 p, vec3x4 query, f64x4 scale) {
    p = vec3x4_sub(p, query);
    return (vec3x4){f64x4_mul(p.x, scale), f64x4_mul(p.y, scale), f64x4_mul(p.z, scale)};
}

/* The squared distance of the origin from a side from p to q, and the weight of q in the closest point. p2 and q2 are
 * the squared lengths of p and q. */
static inline f64x4 side_distance2(vec3x4 p, f64x4 p2, vec3x4 q, f64x4 q2, f64x4 *weight) {
    f64x4 zero = f64x4_set(0), one = f64x4_set(1);
    vec3x4 side = vec3x4_sub(q, p);
    m64x4 near_p = f64x4_le(p2, q2);
    vec3x4 start = vec3x4_select(near_p, p, q);
    f64x4 length2 = vec3x4_dot(side, side);
    f64x4 t = f64x4_div(f64x4_sub(zero, vec3x4_dot(start, side)), length2);
    t = f64x4_max(t, f64x4_select(near_p, zero, f64x4_set(-1)));
    t = f64x4_min(t, f64x4_select(near_p, one, zero));
    t = f64x4_select(f64x4_lt(zero, length2), t, zero);
    *weight = f64x4_select(near_p, t, f64x4_add(one, t));
    vec3x4 nearest = vec3x4_add_scaled(start, side, t);
    return vec3x4_dot(nearest, nearest);
}

/* The squared distance of the origin from a triangle, and the weights of its corners in the closest point. */
static inline f64x4 triangle_distance2(vec3x4 a, vec3x4 b, vec3x4 c, vec3x4 *weights) {
    f64x4 zero = f64x4_set(0), one = f64x4_set(1);
    f64x4 a2 = vec3x4_dot(a, a), b2 = vec3x4_dot(b, b), c2 = vec3x4_dot(c, c), on_ab, on_bc, on_ca;
    f64x4 best = side_distance2(a, a2, b, b2, &on_ab);
    f64x4 bc2 = side_distance2(b, b2, c, c2, &on_bc), ca2 = side_distance2(c, c2, a, a2, &on_ca);
    *weights = (vec3x4){f64x4_sub(one, on_ab), on_ab, zero};
    *weights = vec3x4_select(f64x4_lt(bc2, best), (vec3x4){zero, f64x4_sub(one, on_bc), on_bc}, *weights);
    best = f64x4_min(bc2, best);
    *weights = vec3x4_select(f64x4_lt(ca2, best), (vec3x4){on_ca, zero, f64x4_sub(one, on_ca)}, *weights);
    best = f64x4_min(ca2, best);

    // The foot of the perpendicular, a + v ab + w ac.
    vec3x4 ab = vec3x4_sub(b, a), ac = vec3x4_sub(c, a), normal = vec3x4_cross(ab, ac);
    vec3x4 turned = vec3x4_cross(normal, a);
    f64x4 area2 = vec3x4_dot(normal, normal);
    f64x4 v = f64x4_div(f64x4_sub(zero, vec3x4_dot(ac, turned)), area2);
    f64x4 w = f64x4_div(vec3x4_dot(ab, turned), area2);
    vec3x4 foot = vec3x4_add_scaled(vec3x4_add_scaled(a, ab, v), ac, w);
    f64x4 foot2 = vec3x4_dot(foot, foot), rest = f64x4_sub(f64x4_sub(one, v), w);
    m64x4 better = m64x4_and(f64x4_lt(zero, v), f64x4_lt(zero, w));
    better = m64x4_and(m64x4_and(better, f64x4_lt(zero, rest)), f64x4_lt(foot2, best));
    *weights = vec3x4_select(better, (vec3x4){rest, v, w}, *weights);
    return f64x4_select(better, foot2, best);
}

static inline f64x4 leaf_distance2(const bvh *tree, const bvh_leaf *leaf, vec3x4 query, f64x4 scale) {
    vec3x4 weights;
    vec3x4 a = seen_from(vec3x4_gather(tree->positions, leaf->vertex[0]), query, scale);
    if (tree->arity == 1) return vec3x4_dot(a, a);
    vec3x4 b = seen_from(vec3x4_gather(tree->positions, leaf->vertex[1]), query, scale);
    if (tree->arity == 2) return side_distance2(a, vec3x4_dot(a, a), b, vec3x4_dot(b, b), &weights.y);
    vec3x4 c = seen_from(vec3x4_gather(tree->positions, leaf->vertex[2]), query, scale);
    return triangle_distance2(a, b, c, &weights);
}

/* Four queries with an element each. An edge is treated as (a, b, b), a point as (a, a, a). */
void ISA_NAME(bvh_make_hits)(const bvh *tree, const vec3 *queries, const double *scales, const uint32_t *elements,
                             bvh_hit *hits) {
    const uint32_t lanes[4] = {0, 1, 2, 3};
    vec3x4 query = vec3x4_gather(queries, lanes), corner[3], seen[3], weight;
    f64x4 scale = f64x4_load(scales);
    for (int k = 0; k < 3; k++) {
        uint32_t vertex[4];
        size_t of = (size_t)(k < tree->arity ? k : tree->arity - 1);
        for (int i = 0; i < 4; i++) vertex[i] = tree->elements[(size_t)elements[i] * (size_t)tree->arity + of];
        corner[k] = vec3x4_gather(tree->positions, vertex);
        seen[k] = seen_from(corner[k], query, scale);
    }
    double distance2[4], w[3][4], point[3][4];
    f64x4_store(distance2, triangle_distance2(seen[0], seen[1], seen[2], &weight));
    vec3x4 at = {f64x4_set(0), f64x4_set(0), f64x4_set(0)};
    at = vec3x4_add_scaled(at, corner[0], weight.x);
    at = vec3x4_add_scaled(at, corner[1], weight.y);
    at = vec3x4_add_scaled(at, corner[2], weight.z);
    f64x4_store(w[0], weight.x);
    f64x4_store(w[1], weight.y);
    f64x4_store(w[2], weight.z);
    f64x4_store(point[0], at.x);
    f64x4_store(point[1], at.y);
    f64x4_store(point[2], at.z);
    for (int i = 0; i < 4; i++)
        hits[i] = (bvh_hit){elements[i],
                            {w[0][i], w[1][i], w[2][i]},
                            sqrt(distance2[i]) / scales[i],
                            {point[0][i], point[1][i], point[2][i]}};
}

/* ---- Closest element */

typedef struct search {
    const bvh *tree;
    vec3x4 query; /* in every lane */
    f64x4 scale;
    f32x8 low[3], high[3]; /* the query in the frame, rounded down and up */
    double best2;
    uint32_t best;      /* UINT32_MAX: none yet */
    uint32_t bound_key; /* at least the key of any box within best2 */
} search;

static inline void search_set_best2(search *s, double best2) {
    s->best2 = best2;
    float bound = (float)(best2 * (1 + (double)BVH_SLACK)) + FLT_MIN;
    memcpy(&s->bound_key, &bound, sizeof bound);
    s->bound_key |= BVH_WIDTH - 1;
}

static inline void search_leaf(search *s, const bvh_leaf *leaf) {
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

/* Squared distances of the eight boxes of a node, as keys that contain the child's lane. */
static inline u32x8 search_boxes(const search *s, const bvh_node *node) {
    f32x8 zero = f32x8_set(0), sum = zero;
    for (int axis = 0; axis < 3; axis++) {
        f32x8 below = f32x8_sub(f32x8_load(node->low[axis]), s->high[axis]);
        f32x8 above = f32x8_sub(s->low[axis], f32x8_load(node->high[axis]));
        f32x8 gap = f32x8_max(f32x8_max(below, above), zero);
        sum = f32x8_add(sum, f32x8_mul(gap, gap));
    }
    return u32x8_drop_from(u32x8_keys(sum), node->count);
}

/* Children of a node that are still to be visited. */
typedef struct search_level {
    uint32_t keys[BVH_WIDTH];
    uint32_t least; /* of the keys */
    const bvh_node *node;
} search_level;

/* Depth first, the nearest box first. A level ends when its nearest remaining child is beyond the bound. */
static void search_run(search *s) {
    search_level levels[BVH_MAX_DEPTH], *level = levels;
    const bvh_node *node = s->tree->nodes;
    u32x8 open = search_boxes(s, node);
    uint32_t least = u32x8_least(open);
    for (;;) {
        while (least > s->bound_key) {
            if (level == levels) return;
            least = (--level)->least;
            node = level->node;
            open = u32x8_load(level->keys);
        }
        uint32_t lane = least & (BVH_WIDTH - 1), child = node->child[lane];
        open = u32x8_drop(open, lane);
        least = u32x8_least(open);
        // Prefetches the leaf of the next child of this level.
        uint32_t next = node->child[least & (BVH_WIDTH - 1)];
        if (next & BVH_LEAF) __builtin_prefetch(s->tree->leaves + (next & ~BVH_LEAF));
        if (child & BVH_LEAF) {
            search_leaf(s, s->tree->leaves + (child & ~BVH_LEAF));
        } else {
            u32x8_store(level->keys, open);
            level->least = least;
            level->node = node;
            level++;
            node = s->tree->nodes + child;
            open = search_boxes(s, node);
            least = u32x8_least(open);
        }
    }
}

/* The query in the frame as a small box that contains it. A query very far away has the same distance to all boxes. */
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

uint32_t ISA_NAME(bvh_closest_element)(const bvh *tree, vec3 query, double scale, double limit2) {
    search s = {.tree = tree, .scale = f64x4_set(scale), .best = UINT32_MAX};
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
        // For a ray within a side of the box, 0 · ∞ is NaN, which does not change the bounds.
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
