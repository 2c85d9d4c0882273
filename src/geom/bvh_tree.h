/* Layout of a tree: an 8-wide hierarchy of float boxes over leaves of four elements.
 *
 *     bvh_node, 256 bytes                         bvh_leaf, 64 bytes: one cache line
 *     ┌────────────────────────────────────┐      ┌──────────────────────────────┐
 *     │ low x  0 1 2 3 4 5 6 7             │      │ vertex a of elements 0 1 2 3 │
 *     │ low y  …         (8 floats a row)  │      │ vertex b             0 1 2 3 │
 *     │ low z  …                           │      │ vertex c             0 1 2 3 │
 *     │ high x …                           │      │ element              0 1 2 3 │
 *     │ high y …                           │      └──────────────────────────────┘
 *     │ high z …                           │      Fewer than four: the last one is repeated.
 *     │ child  … node, or BVH_LEAF | leaf  │      An edge is (a, b, b), a point (a, a, a).
 *     │ count, size of the subtree         │
 *     └────────────────────────────────────┘
 *
 * Boxes live in the tree's frame, n = (x - centre) scale with a power of two for scale, where the elements lie within
 * about [-1, 1]. So the resolution of floats does not depend on the position and size of the object, and squares
 * neither overflow nor underflow. Boxes are rounded outwards; elements that their boxes do not exclude are tested in
 * double on the caller's positions, scaled by the same power of two, which is exact.
 *
 * Nodes are in depth-first order, children behind their parents. Refitting goes through them backwards, and whole
 * subtrees (`pieces`) in parallel.
 */
#ifndef GEOM_BVH_TREE_H
#define GEOM_BVH_TREE_H

#include "base/isa.h"
#include "geom/bvh.h"
#include "math/vec3.h"

#define BVH_WIDTH 8
#define BVH_LEAF_SIZE 4
#define BVH_LEAF 0x80000000u
/* The greatest depth of the binary tree: below BVH_SAH_DEPTH ranges are halved. A traversal stacks seven siblings per
 * level. */
#define BVH_SAH_DEPTH 48
#define BVH_MAX_DEPTH (BVH_SAH_DEPTH + 32)
#define BVH_STACK_SIZE (BVH_MAX_DEPTH * (BVH_WIDTH - 1) + 1)
/* m; beyond it differences of coordinates could overflow. */
#define BVH_LARGEST 1e300
/* Points further out than this in the frame need another frame. */
#define BVH_FRAME_REACH 4.0f
/* Rounding outwards: relative, above all rounding errors, and an absolute minimum. */
#define BVH_SLACK 0x1p-21f
#define BVH_SLACK_LEAST 1e-30f

/* Whether a point is within the range of vertices and queries. */
static inline int bvh_is_usable(vec3 p) {
    return fabs(p.x) <= BVH_LARGEST && fabs(p.y) <= BVH_LARGEST && fabs(p.z) <= BVH_LARGEST;
}

typedef struct bvh_node {
    float low[3][BVH_WIDTH], high[3][BVH_WIDTH];
    uint32_t child[BVH_WIDTH];
    uint32_t count; /* children in use */
    uint32_t size;  /* nodes of this subtree, itself included */
    uint32_t unused[6];
} bvh_node;

typedef struct bvh_leaf {
    uint32_t vertex[3][BVH_LEAF_SIZE];
    uint32_t element[BVH_LEAF_SIZE];
} bvh_leaf;

typedef struct bvh_frame {
    vec3 centre;
    double scale; /* 2^exponent, 1/m */
    int exponent;
} bvh_frame;

/* The box of a block of converted points, in the frame; lane 3 is unused. */
typedef struct bvh_extent {
    float low[4], high[4];
    int usable; /* every coordinate is finite and within BVH_LARGEST */
} bvh_extent;

/* Links from vertices up to the root, for changes of a few vertices. */
typedef struct bvh_paths {
    uint32_t *leaf_offsets;    /* (vertex_count + 1) into leaves */
    uint32_t *leaves;          /* those with each vertex, rising */
    uint32_t *leaf_parents;    /* (leaf_count) nodes */
    uint32_t *node_parents;    /* (node_count) the root's is itself */
    uint32_t *touched;         /* (node_count) nodes of the current change */
    unsigned char *is_touched; /* (node_count) whether a node is among them */
} bvh_paths;

struct bvh {
    ruga_context *context;
    size_t vertex_count, count;
    int arity;
    const uint32_t *elements;
    const ruga_vec3 *positions, *end; /* the caller's; end is NULL unless swept */
    double margin;                    /* m */
    bvh_frame frame;
    size_t node_count, leaf_count;
    bvh_node *nodes;
    bvh_leaf *leaves;
    float *node_boxes;          /* (node_count x 8) low and high of each node, four floats each */
    float *points, *end_points; /* (vertex_count x 4) in the frame; end_points is made by the first swept refit */
    bvh_extent *extents;        /* one per block of points */
    size_t piece_count, top_count;
    uint32_t *pieces; /* roots of subtrees that are refitted in parallel */
    uint32_t *top;    /* the nodes above them, in falling order */
    bvh_paths *paths; /* NULL until bvh_prepare_changes */
};

void bvh_paths_destroy(ruga_context *context, bvh_paths *paths); /* NULL is fine */

/* A box in the frame. */
typedef struct bvh_float_box {
    float low[3], high[3];
} bvh_float_box;

/* Sorts the elements into nodes and leaves by the surface area heuristic, each group separately. Does not make the
 * boxes. */
ruga_status bvh_arrange(bvh *tree, size_t group_count, const uint32_t *group_ends);

/* ---- Kernels */
/* Converts positions [begin, end) to points in the frame. */
ISA_DECLARE(bvh_extent, bvh_convert_points,
            (const bvh_frame *frame, const ruga_vec3 *positions, float *points, size_t begin, size_t end));
/* Boxes of the nodes [begin, end), last to first; those of nodes behind them must be done. */
ISA_DECLARE(void, bvh_refit_nodes, (bvh * tree, size_t begin, size_t end));
/* The closest element within a squared distance in the given scale; UINT32_MAX if there is none. */
ISA_DECLARE(uint32_t, bvh_closest_element, (const bvh *tree, vec3 query, double scale, double limit2));
/* The hits of four queries, each in its scale and with its element. */
ISA_DECLARE(void, bvh_make_hits,
            (const bvh *tree, const vec3 *queries, const double *scales, const uint32_t *elements, bvh_hit *hits));
/* Bit i: child i overlaps the box. */
ISA_DECLARE(unsigned, bvh_overlap_bits, (const bvh_node *node, const bvh_float_box *box));
/* A ray in the frame; `slack` is the error of the origin. */
typedef struct bvh_ray {
    double origin[3], inverse[3];
    double slack;
} bvh_ray;
/* Bit i: the ray meets child i within [0, limit]; enter receives where. */
ISA_DECLARE(unsigned, bvh_ray_bits, (const bvh_node *node, const bvh_ray *ray, double limit, double *enter));

#endif
