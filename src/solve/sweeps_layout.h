/* The memory layout of the fast path of solve/sweeps.h.
 *
 *          root              The points are halved along their graph until the pieces fit a core's cache. A term
 *         /    \             belongs to the lowest node that has all of its points: a leaf, or the seam of an inner
 *     seam      seam         node. Nodes in different branches share no point, so they may run at the same time; a seam
 *     /  \      /  \         runs after both of its branches. There is no other synchronisation, and the results do not
 *   leaf leaf leaf leaf      depend on the threads.
 *
 * Leaf:    packets of 32 unconnected points. Each constraint has one of its ends as owner; half a row has one
 *          constraint of each of 16 owners, and their other ends differ. So owners are wide loads and stores, and the
 *          constraints of half a row are independent. A row has a half for each half of a packet.
 * Batch:   16 constraints whose 32 ends differ: seams, and the few that fit no row.
 * Single:  one constraint: the rest.
 */
#ifndef SOLVE_SWEEPS_LAYOUT_H
#define SOLVE_SWEEPS_LAYOUT_H

#include <string.h>

#include "solve/sweeps.h"

enum { SWEEP_ROW = 16, SWEEP_HALVES = 2, SWEEP_PACKET = SWEEP_ROW * SWEEP_HALVES };
enum {
    SWEEP_LEAF_POINTS = 2304
}; /* at most; their positions nearly fit the first-level cache, and places fit 16 bits */
#define SWEEP_NONE UINT32_MAX

/* The position of the numbers of constraint i of a row or batch: a register has four points, one per quarter, and the
 * order within quarters is that after their transposition. */
static inline size_t sweep_position(size_t i) { return 4 * (i % 4) + i / 4; }

/* The index of a point among the floats: four times its slot. */
static inline uint32_t sweep_place(uint32_t slot) { return 4 * slot; }

/* Large meshes stream their rows from memory, so every byte counts: places fit 16 bits, since a leaf is small; and
 * mostly there are two stiffnesses, of edges and of bends, so the sign of the length selects one. */
typedef struct sweep_row {
    uint16_t others[SWEEP_HALVES][SWEEP_ROW];    /* places in the leaf; the owner's own where it has no constraint */
    float half_lengths[SWEEP_HALVES][SWEEP_ROW]; /* m, times half the stiffness; by position */
} sweep_row;

typedef struct sweep_batch {
    uint32_t ends[2][SWEEP_ROW];                              /* places */
    float half_stiffness[SWEEP_ROW], half_lengths[SWEEP_ROW]; /* by position */
} sweep_batch;

typedef struct sweep_single {
    uint32_t ends[2]; /* places */
    float half_stiffness, half_length;
} sweep_single;

typedef struct sweep_packet {
    uint32_t slot; /* its first */
    uint32_t row;  /* its first */
    uint32_t row_count;
} sweep_packet;

typedef struct sweep_range {
    uint32_t begin, end;
} sweep_range;

/* Limits of a point are applied in the node of its last term; this depends on the kind of terms that ends an
 * iteration. */
enum { SWEEP_AFTER_CONSTRAINTS, SWEEP_AFTER_HINGES, SWEEP_ENDINGS };

typedef struct sweep_node {
    uint32_t parent; /* SWEEP_NONE: the root */
    uint32_t depth;
    int is_leaf;
    sweep_range points; /* of sweep_tree.points */
    sweep_range packets, batches, singles, hinges;
    sweep_range limits[SWEEP_ENDINGS];
} sweep_node;

typedef ARRAY(uint32_t) sweep_indices;
typedef ARRAY(sweep_node) sweep_nodes;

typedef struct sweep_layout {
    ruga_context *context;
    size_t constraint_count, hinge_count;
    sweep_nodes nodes;    /* a parent comes before its children */
    sweep_indices leaves; /* nodes, neighbours close to each other */
    sweep_indices order;  /* the point of each slot */
    ARRAY(sweep_packet) packets;
    /* The constraints: (rows x 32), SWEEP_NONE: none; (batches x 16); (singles). */
    sweep_indices row_sources, batch_sources, single_sources;
    sweep_row *rows;
    /* Half the stiffnesses of rows. If there are two: [0] of positive lengths, [1] of negated ones, and 0 of zeros. */
    int has_two_stiffnesses;
    float half_stiffness[2];
    float *row_stiffness; /* (rows x 32) otherwise, by position */
    sweep_batch *batches;
    sweep_single *singles;
    sweep_hinge *hinges; /* their points are slots */
    uint32_t *limit_slots[SWEEP_ENDINGS];
    uint32_t *constraint_order, *hinge_order;
} sweep_layout;

/* Release the layout also after a failure. */
ruga_status sweep_layout_make(ruga_context *context, size_t point_count, const sweep_terms *terms,
                              sweep_layout *layout);
void sweep_layout_release(sweep_layout *layout);

/* Lengths, angles and stiffnesses. */
void sweep_layout_fill(sweep_layout *layout, const sweep_terms *terms);

/* ---- Parts of the construction. */

/* The constraints of each point. Idle ones, with two equal ends, are left out. */
typedef struct sweep_graph {
    size_t point_count;
    const sweep_constraint *constraints;
    uint32_t *offsets;  /* (point_count + 1) */
    uint32_t *incident; /* constraints */
} sweep_graph;

static inline uint32_t sweep_other_end(const sweep_constraint *c, uint32_t point) {
    return c->points[0] == point ? c->points[1] : c->points[0];
}

/* Makes the nodes: `points` becomes an order in which every node has a range; leaf_of is the leaf of each point. */
ruga_status sweep_tree_make(ruga_context *context, const sweep_graph *graph, sweep_nodes *nodes, uint32_t *points,
                            uint32_t *leaf_of);

/* Packets, rows and slots of a leaf, from its points and its constraints; constraints that fit no row are added to
 * `loose`. */
typedef struct sweep_leaf_workspace sweep_leaf_workspace;
ruga_status sweep_leaf_workspace_make(ruga_context *context, size_t point_count, size_t leaf_points,
                                      size_t leaf_constraints, sweep_leaf_workspace **out);
void sweep_leaf_workspace_release(ruga_context *context, sweep_leaf_workspace *workspace); /* NULL is fine */
ruga_status sweep_leaf_make(sweep_layout *layout, sweep_leaf_workspace *workspace, const sweep_graph *graph,
                            const uint32_t *points, size_t point_count, const uint32_t *members, size_t member_count,
                            sweep_node *leaf, sweep_indices *loose);

#endif
