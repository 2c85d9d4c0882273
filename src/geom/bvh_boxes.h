/* Boxes of points in a tree's frame, for kernels: of one element, or of a whole leaf or node. */
#ifndef GEOM_BVH_BOXES_H
#define GEOM_BVH_BOXES_H

#include "geom/bvh_tree.h"
#include "math/simd.h"

typedef struct box4 {
    f32x4 low, high; /* lane 3 is unused */
} box4;

static inline box4 box4_empty(void) { return (box4){f32x4_set(INFINITY), f32x4_set(-INFINITY)}; }

static inline box4 box4_add_point(box4 box, f32x4 point) {
    return (box4){f32x4_min(point, box.low), f32x4_max(point, box.high)};
}

static inline box4 box4_join(box4 a, box4 b) { return (box4){f32x4_min(a.low, b.low), f32x4_max(a.high, b.high)}; }

/* The margin of a tree's boxes in its frame. */
static inline f32x4 box4_margin(const bvh *tree) {
    return f32x4_set((float)(tree->margin * tree->frame.scale) + BVH_SLACK_LEAST);
}

/* Rounds outwards and grows by the margin. */
static inline box4 box4_grow(box4 box, f32x4 margin) {
    f32x4 slack = f32x4_set(BVH_SLACK), more = f32x4_set(1 + BVH_SLACK);
    f32x4 low_by = f32x4_mul(f32x4_add(f32x4_mul(f32x4_abs(box.low), slack), margin), more);
    f32x4 high_by = f32x4_mul(f32x4_add(f32x4_mul(f32x4_abs(box.high), slack), margin), more);
    return (box4){f32x4_sub(box.low, low_by), f32x4_add(box.high, high_by)};
}

/* Four boxes as columns of rows of floats, `stride` of them from row to row. */
static inline void box4_store_columns(const box4 *boxes, float *low, float *high, size_t stride) {
    f32x4 a = boxes[0].low, b = boxes[1].low, c = boxes[2].low, d = boxes[3].low;
    f32x4_transpose(&a, &b, &c, &d);
    f32x4_store(low, a);
    f32x4_store(low + stride, b);
    f32x4_store(low + 2 * stride, c);
    a = boxes[0].high, b = boxes[1].high, c = boxes[2].high, d = boxes[3].high;
    f32x4_transpose(&a, &b, &c, &d);
    f32x4_store(high, a);
    f32x4_store(high + stride, b);
    f32x4_store(high + 2 * stride, c);
}

#endif
