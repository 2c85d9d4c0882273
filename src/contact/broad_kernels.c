/* Loops of the broad phase: boxes, clusters against clusters, and pairs that are apart along an axis. */
#include "contact/broad_clusters.h"
#include "geom/bvh_boxes.h"
#include "math/vec3x4.h"

/* ---- Boxes */

static inline box4 add_trajectory(const bvh *tree, box4 box, uint32_t vertex) {
    box = box4_add_point(box, f32x4_load(tree->points + 4 * (size_t)vertex));
    return box4_add_point(box, f32x4_load(tree->end_points + 4 * (size_t)vertex));
}

static box4 fit_triangles(const bvh *tree, broad_clusters *clusters, size_t index, f32x4 margin) {
    const bvh_leaf *leaf = tree->leaves + index;
    box4 boxes[BVH_LEAF_SIZE], all = box4_empty();
    for (int lane = 0; lane < BVH_LEAF_SIZE; lane++) {
        boxes[lane] = box4_empty();
        for (int k = 0; k < 3; k++) boxes[lane] = add_trajectory(tree, boxes[lane], leaf->vertex[k][lane]);
        boxes[lane] = box4_grow(boxes[lane], margin);
        all = box4_join(boxes[lane], all);
        if (clusters->triangles[BVH_LEAF_SIZE * index + (size_t)lane] == UINT32_MAX) boxes[lane] = box4_empty();
    }
    broad_cluster *cluster = clusters->boxes + index;
    box4_store_columns(boxes, cluster->low[0], cluster->high[0], BVH_LEAF_SIZE);
    return all;
}

static void fit_edges(const bvh *tree, broad_edges *group, f32x4 margin) {
    box4 boxes[BROAD_LANES];
    for (int i = 0; i < BROAD_LANES; i++) {
        boxes[i] = box4_empty();
        if (group->edge[i] == UINT32_MAX) continue;
        boxes[i] = add_trajectory(tree, add_trajectory(tree, boxes[i], group->vertices[0][i]), group->vertices[1][i]);
        boxes[i] = box4_grow(boxes[i], margin);
    }
    box4_store_columns(boxes, group->low[0], group->high[0], BROAD_LANES);
    box4_store_columns(boxes + 4, group->low[0] + 4, group->high[0] + 4, BROAD_LANES);
}

static void fit_vertex(const bvh *tree, broad_vertex *v, f32x4 margin) {
    box4 box = box4_grow(add_trajectory(tree, box4_empty(), v->vertex), margin);
    float low[4], high[4];
    f32x4_store(low, box.low);
    f32x4_store(high, box.high);
    memcpy(v->low, low, sizeof v->low);
    memcpy(v->high, high, sizeof v->high);
}

void ISA_NAME(broad_fit)(const bvh *tree, broad_clusters *clusters, size_t begin, size_t end) {
    f32x4 margin = box4_margin(tree);
    for (size_t i = begin; i < end; i++) {
        box4 all = fit_triangles(tree, clusters, i, margin);
        f32x4_store(clusters->boxes[i].all_low, all.low);
        f32x4_store(clusters->boxes[i].all_high, all.high);
        for (uint32_t k = clusters->edge_starts[i]; k < clusters->edge_starts[i + 1]; k++)
            fit_edges(tree, clusters->edges + k, margin);
        for (uint32_t k = clusters->vertex_starts[i]; k < clusters->vertex_starts[i + 1]; k++)
            fit_vertex(tree, clusters->vertices + k, margin);
    }
}

/* ---- Clusters against clusters */

/* Bit i: the box of lane i overlaps a box. */
static inline unsigned overlaps8(const float (*low)[BROAD_LANES], const float (*high)[BROAD_LANES],
                                 const f32x8 *box_low, const f32x8 *box_high) {
    unsigned bits = (1u << BROAD_LANES) - 1;
    for (int axis = 0; axis < 3; axis++) {
        bits &= f32x8_le_bits(f32x8_load(low[axis]), box_high[axis]);
        bits &= f32x8_le_bits(box_low[axis], f32x8_load(high[axis]));
    }
    return bits;
}

static inline unsigned overlaps4(const broad_cluster *cluster, const float *low, const float *high) {
    unsigned bits = (1u << BVH_LEAF_SIZE) - 1;
    for (int axis = 0; axis < 3; axis++) {
        bits &= f32x4_le_bits(f32x4_load(cluster->low[axis]), f32x4_set(high[axis]));
        bits &= f32x4_le_bits(f32x4_set(low[axis]), f32x4_load(cluster->high[axis]));
    }
    return bits;
}

/* Vertices of one cluster against the triangles of another: all, only the marked vertices, or only the others, against
 * marked triangles. */
typedef enum meet_mode { MEET_ALL, MEET_MARKED_VERTICES, MEET_MARKED_TRIANGLES } meet_mode;

static void meet_triangles(broad_walk *walk, uint32_t p, uint32_t q, meet_mode mode) {
    const broad_clusters *c = walk->clusters;
    const bvh_leaf *leaf = walk->tree->leaves + q;
    for (uint32_t i = c->vertex_starts[p]; i < c->vertex_starts[p + 1]; i++) {
        const broad_vertex *v = c->vertices + i;
        unsigned lanes = mode == MEET_MARKED_TRIANGLES ? walk->marks->triangles[q] : ~0u;
        if (mode != MEET_ALL && (mode == MEET_MARKED_VERTICES) != walk->marks->vertices[v->vertex]) continue;
        unsigned bits = lanes & overlaps4(c->boxes + q, v->low, v->high);
        if (!bits) continue;
        // Corners a and b of the four triangles are eight numbers; so are corners c and the elements, ignored here.
        unsigned shared = u32x8_eq_bits(u32x8_load(leaf->vertex[0]), u32x8_set(v->vertex));
        shared |= shared >> 4 | u32x8_eq_bits(u32x8_load(leaf->vertex[2]), u32x8_set(v->vertex));
        for (bits &= ~shared; bits; bits &= bits - 1) {
            int lane = __builtin_ctz(bits);
            walk->candidates[PAIR_VERTEX_TRIANGLE][walk->counts[PAIR_VERTEX_TRIANGLE]++] =
                (broad_candidate){{v->vertex, leaf->vertex[0][lane], leaf->vertex[1][lane], leaf->vertex[2][lane]},
                                  {v->vertex, c->triangles[BVH_LEAF_SIZE * (size_t)q + (size_t)lane]}};
        }
    }
}

/* The edge in a lane of one group against the lanes of another; those of `once` only if theirs is the higher edge. */
static inline void meet_edge(broad_walk *walk, const broad_edges *a, int i, const broad_edges *b, unsigned once) {
    f32x8 low[3], high[3];
    for (int axis = 0; axis < 3; axis++)
        low[axis] = f32x8_set(a->low[axis][i]), high[axis] = f32x8_set(a->high[axis][i]);
    unsigned bits = overlaps8(b->low, b->high, low, high);
    if (!bits) return;
    unsigned shared = 0;
    for (int k = 0; k < 2; k++) {
        u32x8 vertex = u32x8_set(a->vertices[k][i]);
        shared |= u32x8_eq_bits(u32x8_load(b->vertices[0]), vertex);
        shared |= u32x8_eq_bits(u32x8_load(b->vertices[1]), vertex);
    }
    for (bits &= ~shared; bits; bits &= bits - 1) {
        int k = __builtin_ctz(bits), first = a->edge[i] < b->edge[k];
        if (!first && (once >> k & 1)) continue;
        const broad_edges *p = first ? a : b, *q = first ? b : a;
        int m = first ? i : k, n = first ? k : i;
        walk->candidates[PAIR_EDGE_EDGE][walk->counts[PAIR_EDGE_EDGE]++] = (broad_candidate){
            {p->vertices[0][m], p->vertices[1][m], q->vertices[0][n], q->vertices[1][n]}, {p->edge[m], q->edge[n]}};
    }
}

static void meet_edges(broad_walk *walk, uint32_t p, uint32_t q) {
    const broad_clusters *c = walk->clusters;
    f32x8 low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = f32x8_set(c->boxes[q].all_low[axis]);
        high[axis] = f32x8_set(c->boxes[q].all_high[axis]);
    }
    const broad_marks *marks = walk->marks;
    for (uint32_t g = c->edge_starts[p]; g < c->edge_starts[p + 1]; g++) {
        const broad_edges *a = c->edges + g;
        unsigned lanes = marks ? marks->edges[g] : ~0u;
        for (unsigned bits = lanes & overlaps8(a->low, a->high, low, high); bits; bits &= bits - 1) {
            int i = __builtin_ctz(bits);
            for (uint32_t h = c->edge_starts[q]; h < c->edge_starts[q + 1]; h++)
                meet_edge(walk, a, i, c->edges + h, marks ? marks->edges[h] : p == q ? ~0u : 0);
        }
    }
}

static void meet_cluster(broad_walk *walk, uint32_t p, uint32_t q) {
    const broad_clusters *c = walk->clusters;
    if (!walk->marks && q < p && walk->active[q]) return;
    if (!walk->collide(walk->broad, c->parts[p], c->parts[q])) return;
    for (int kind = 0; kind < 2; kind++)
        if (walk->counts[kind] + BROAD_MOST > BROAD_BUFFER) walk->flush(walk, (pair_kind)kind);
    meet_triangles(walk, p, q, walk->marks ? MEET_MARKED_VERTICES : MEET_ALL);
    if (walk->marks)
        meet_triangles(walk, q, p, MEET_MARKED_TRIANGLES);
    else if (p != q)
        meet_triangles(walk, q, p, MEET_ALL);
    meet_edges(walk, p, q);
}

static inline box4 add_lane(box4 box, const float *low, const float *high, size_t stride, int lane) {
    const float a[4] = {low[lane], low[stride + (size_t)lane], low[2 * stride + (size_t)lane], 0};
    const float b[4] = {high[lane], high[stride + (size_t)lane], high[2 * stride + (size_t)lane], 0};
    return box4_join(box, (box4){f32x4_load(a), f32x4_load(b)});
}

/* A box around all marked elements of a cluster. */
static box4 box_of_marked(const broad_walk *walk, uint32_t cluster) {
    const broad_clusters *c = walk->clusters;
    const broad_cluster *own = c->boxes + cluster;
    box4 box = box4_empty();
    for (unsigned bits = walk->marks->triangles[cluster]; bits; bits &= bits - 1)
        box = add_lane(box, own->low[0], own->high[0], BVH_LEAF_SIZE, __builtin_ctz(bits));
    for (uint32_t g = c->edge_starts[cluster]; g < c->edge_starts[cluster + 1]; g++)
        for (unsigned bits = walk->marks->edges[g]; bits; bits &= bits - 1)
            box = add_lane(box, c->edges[g].low[0], c->edges[g].high[0], BROAD_LANES, __builtin_ctz(bits));
    for (uint32_t i = c->vertex_starts[cluster]; i < c->vertex_starts[cluster + 1]; i++)
        if (walk->marks->vertices[c->vertices[i].vertex])
            box = add_lane(box, c->vertices[i].low, c->vertices[i].high, 1, 0);
    return box;
}

/* The clusters of a node that walk, with the boxes of the elements they compare; the boxes of other lanes are empty. */
typedef struct walkers {
    uint32_t cluster[BVH_WIDTH];
    float low[3][BVH_WIDTH], high[3][BVH_WIDTH];
    float all_low[4], all_high[4];
} walkers;

static void gather_walkers(const broad_walk *walk, const bvh_node *node, walkers *w) {
    box4 boxes[BVH_WIDTH], all = box4_empty();
    for (uint32_t i = 0; i < BVH_WIDTH; i++) {
        boxes[i] = box4_empty();
        w->cluster[i] = node->child[i] & ~BVH_LEAF;
        if (i >= node->count || !(node->child[i] & BVH_LEAF) || !walk->active[w->cluster[i]]) continue;
        const broad_cluster *own = walk->clusters->boxes + w->cluster[i];
        boxes[i] = walk->marks ? box_of_marked(walk, w->cluster[i])
                               : (box4){f32x4_load(own->all_low), f32x4_load(own->all_high)};
        all = box4_join(all, boxes[i]);
    }
    box4_store_columns(boxes, w->low[0], w->high[0], BVH_WIDTH);
    box4_store_columns(boxes + 4, w->low[0] + 4, w->high[0] + 4, BVH_WIDTH);
    f32x4_store(w->all_low, all.low);
    f32x4_store(w->all_high, all.high);
}

/* A child of some node, a cluster, against those of the walkers that it overlaps. */
static inline void meet_child(broad_walk *walk, const walkers *w, const bvh_node *node, int lane) {
    f32x8 low[3], high[3];
    for (int axis = 0; axis < 3; axis++)
        low[axis] = f32x8_set(node->low[axis][lane]), high[axis] = f32x8_set(node->high[axis][lane]);
    for (unsigned bits = overlaps8(w->low, w->high, low, high); bits; bits &= bits - 1)
        meet_cluster(walk, w->cluster[__builtin_ctz(bits)], node->child[lane] & ~BVH_LEAF);
}

void ISA_NAME(broad_meet)(broad_walk *walk, uint32_t index) {
    const bvh *tree = walk->tree;
    walkers w;
    gather_walkers(walk, tree->nodes + index, &w);
    f32x8 low[3], high[3];
    for (int axis = 0; axis < 3; axis++)
        low[axis] = f32x8_set(w.all_low[axis]), high[axis] = f32x8_set(w.all_high[axis]);
    uint32_t stack[BVH_STACK_SIZE];
    size_t top = 1;
    stack[0] = 0;
    while (top) {
        const bvh_node *node = tree->nodes + stack[--top];
        unsigned used = (1u << node->count) - 1;
        for (unsigned bits = used & overlaps8(node->low, node->high, low, high); bits; bits &= bits - 1) {
            int lane = __builtin_ctz(bits);
            if (node->child[lane] & BVH_LEAF)
                meet_child(walk, &w, node, lane);
            else
                stack[top++] = node->child[lane];
        }
    }
}

/* ---- Pairs that are apart */
/* Along a fixed axis d, the gap between two parts whose vertices move in straight lines is a concave function of time:
 * the least of the linear functions (b - a) . d. So two parts with gaps above margin |d| at the start and at the end
 * are apart by more than the margin all the time. All points are relative to one of them, and the rounding is part of
 * the bound. Where numbers overflow, so does the bound; where they underflow, the axis is too short to count. Both keep
 * the pair. */

/* Four candidates: points at the start and at the end, those before `split` against the others. */
typedef struct quartet {
    int split;
    vec3x4 points[2][4];
    vec3x4 extent; /* of all points, with the margin */
    f64x4 margin;
} quartet;

static inline f64x4 f64x4_abs(f64x4 a) { return f64x4_max(a, f64x4_sub(f64x4_set(0), a)); }

/* Along one coordinate: the extent of all points; bit i: the boxes of candidate i overlap. */
static inline unsigned boxes_overlap(int split, const f64x4 *start, const f64x4 *end, f64x4 half, f64x4 *extent) {
    f64x4 low[2], high[2];
    for (int part = 0; part < 2; part++) {
        int from = part ? split : 0, to = part ? 4 : split;
        low[part] = f64x4_min(start[from], end[from]);
        high[part] = f64x4_max(start[from], end[from]);
        for (int k = from + 1; k < to; k++) {
            low[part] = f64x4_min(f64x4_min(start[k], end[k]), low[part]);
            high[part] = f64x4_max(f64x4_max(start[k], end[k]), high[part]);
        }
        low[part] = f64x4_sub(low[part], half);
        high[part] = f64x4_add(high[part], half);
    }
    *extent = f64x4_sub(f64x4_max(high[0], high[1]), f64x4_min(low[0], low[1]));
    return m64x4_bits(m64x4_and(f64x4_le(low[0], high[1]), f64x4_le(low[1], high[0])));
}

/* Loads four candidates; bit i: the boxes of candidate i overlap. */
static inline unsigned quartet_load(quartet *q, const ruga_vec3 *const *positions, const broad_candidate *candidates) {
    vec3x4 x[2][4];
    for (int k = 0; k < 4; k++) {
        uint32_t vertex[4];
        for (int i = 0; i < 4; i++) vertex[i] = candidates[i].vertices[k];
        for (int time = 0; time < 2; time++) x[time][k] = vec3x4_gather(positions[time], vertex);
    }
    f64x4 half = f64x4_mul(q->margin, f64x4_set(0.5)), start[3][4], end[3][4];
    for (int k = 0; k < 4; k++) {
        start[0][k] = x[0][k].x, start[1][k] = x[0][k].y, start[2][k] = x[0][k].z;
        end[0][k] = x[1][k].x, end[1][k] = x[1][k].y, end[2][k] = x[1][k].z;
    }
    unsigned bits = boxes_overlap(q->split, start[0], end[0], half, &q->extent.x);
    bits &= boxes_overlap(q->split, start[1], end[1], half, &q->extent.y);
    bits &= boxes_overlap(q->split, start[2], end[2], half, &q->extent.z);
    for (int time = 0; time < 2; time++)
        for (int k = 0; k < 4; k++) q->points[time][k] = vec3x4_sub(x[time][k], x[0][0]);
    return bits;
}

/* Bit i: candidate i is apart along the axis, which leads from the first part to the second. */
static inline unsigned apart_along(const quartet *q, vec3x4 axis) {
    f64x4 length2 = vec3x4_dot(axis, axis), least = f64x4_set(INFINITY);
    vec3x4 size = {f64x4_abs(axis.x), f64x4_abs(axis.y), f64x4_abs(axis.z)};
    f64x4 bound = f64x4_mul(f64x4_mul(q->margin, f64x4_sqrt(length2)), f64x4_set(1 + 0x1p-50));
    bound = f64x4_add(bound, f64x4_mul(vec3x4_dot(q->extent, size), f64x4_set(0x1p-48)));
    bound = f64x4_add(bound, f64x4_set(1e-300));
    for (int time = 0; time < 2; time++) {
        f64x4 along[4];
        for (int k = 0; k < 4; k++) along[k] = vec3x4_dot(q->points[time][k], axis);
        f64x4 first = along[0], second = along[3];
        for (int k = 1; k < q->split; k++) first = f64x4_max(along[k], first);
        for (int k = q->split; k < 3; k++) second = f64x4_min(along[k], second);
        least = f64x4_min(f64x4_sub(second, first), least);
    }
    return m64x4_bits(m64x4_and(f64x4_lt(bound, least), f64x4_lt(f64x4_set(1e-280), length2)));
}

/* Turns an axis to the side of another. */
static inline vec3x4 towards(vec3x4 axis, vec3x4 other) {
    f64x4 zero = f64x4_set(0);
    vec3x4 turned = vec3x4_sub((vec3x4){zero, zero, zero}, axis);
    return vec3x4_select(f64x4_lt(vec3x4_dot(axis, other), zero), turned, axis);
}

/* The part of an axis at right angles to a direction, times the direction's square. */
static inline vec3x4 across(vec3x4 axis, vec3x4 direction) {
    f64x4 zero = f64x4_set(0);
    vec3x4 scaled = vec3x4_add_scaled((vec3x4){zero, zero, zero}, axis, vec3x4_dot(direction, direction));
    return vec3x4_add_scaled(scaled, direction, f64x4_sub(zero, vec3x4_dot(direction, axis)));
}

/* From the middle of the first part to that of the second, times a constant. */
static inline vec3x4 part_difference(int split, const vec3x4 *x) {
    f64x4 one = f64x4_set(1);
    if (split == 2) return vec3x4_sub(vec3x4_add_scaled(x[2], x[3], one), vec3x4_add_scaled(x[0], x[1], one));
    vec3x4 sum = vec3x4_add_scaled(vec3x4_add_scaled(x[1], x[2], one), x[3], one);
    return vec3x4_add_scaled(sum, x[0], f64x4_set(-3));
}

/* Bits of the candidates that are apart, of those in `bits`. Axes: from middle to middle; the part of it at right
 * angles to the relative displacement, which separates fast pairs; at right angles to an edge, for parallel edges; and
 * to both edges, or the triangle. Corners are those halfway, times two. */
static inline unsigned find_apart(const quartet *q, unsigned bits) {
    f64x4 one = f64x4_set(1);
    vec3x4 start = part_difference(q->split, q->points[0]), end = part_difference(q->split, q->points[1]);
    vec3x4 between = vec3x4_add_scaled(start, end, one);
    unsigned apart = apart_along(q, between);
    if (!(bits & ~apart)) return apart;
    apart |= apart_along(q, across(between, vec3x4_sub(end, start)));
    if (!(bits & ~apart)) return apart;

    vec3x4 x[4];
    for (int k = 0; k < 4; k++) x[k] = vec3x4_add_scaled(q->points[0][k], q->points[1][k], one);
    vec3x4 side = q->split == 2 ? vec3x4_sub(x[1], x[0]) : vec3x4_sub(x[2], x[1]),
           other = vec3x4_sub(x[3], q->split == 2 ? x[2] : x[1]);
    if (q->split == 2) apart |= apart_along(q, across(between, side));
    if (!(bits & ~apart)) return apart;
    return apart | apart_along(q, towards(vec3x4_cross(side, other), between));
}

size_t ISA_NAME(broad_filter)(pair_kind kind, const ruga_vec3 *from, const ruga_vec3 *to, double margin,
                              broad_candidate *candidates, size_t count) {
    const ruga_vec3 *positions[2] = {from, to};
    quartet q = {.split = kind == PAIR_VERTEX_TRIANGLE ? 1 : 2, .margin = f64x4_set(margin)};
    size_t kept = 0;
    for (size_t i = 0; i < count; i += 4) {
        broad_candidate four[4];
        size_t lanes = count - i < 4 ? count - i : 4;
        for (size_t k = 0; k < 4; k++) four[k] = candidates[k < lanes ? i + k : i];
        unsigned bits = quartet_load(&q, positions, four) & ((1u << lanes) - 1);
        if (bits) bits &= ~find_apart(&q, bits);
        for (; bits; bits &= bits - 1) candidates[kept++] = four[__builtin_ctz(bits)];
    }
    return kept;
}
