/* The factor of linalg/block_llt.h, shared by its files.
 *
 * A supernode is a run of columns that are eliminated together. Its front is a dense matrix over its rows: the pivots,
 * which are its own columns, then the rows below them, which belong to ancestors. Their numbers are kept as
 *
 *     panel     pivots and rows below x columns: becomes its part of L
 *     update    rows below x rows below: what its elimination subtracts from its ancestors
 *
 * both in strips (linalg/block_llt_kernels.h); rows below begin at a strip of their own. The parent adds the updates of
 * its children, in their order, to its own front (the multifrontal method, Duff and Reid 1983).
 *
 * Updates live on two stacks for each task, by the parity of their depth in the tree: when a supernode has taken up its
 * children, they are the top of the other stack. */
#ifndef LINALG_BLOCK_LLT_PARTS_H
#define LINALG_BLOCK_LLT_PARTS_H

#include "linalg/block_llt.h"
#include "linalg/block_llt_kernels.h"

#define LLT_NONE UINT32_MAX

/* Sizes in numbers, not in points, but for `begin` and `end`. */
typedef struct llt_node {
    uint32_t begin, end;        /* columns, in points in the order of elimination */
    uint32_t parent, task;      /* LLT_NONE: a root */
    uint32_t first_child, next; /* siblings, in rising order; LLT_NONE: none */
    uint32_t columns, rows;     /* pivots, and rows below them */
    int is_odd;                 /* depth in the tree: which stack its update is on */
    int sign;                   /* wanted of its pivots; where it is -1, the front is that of the negative matrix */
    uint32_t pivot_strips, row_strips;
    size_t panel, update, vector; /* places in `panels`, `updates`, and in `vectors` (of one side) */
    size_t pivots;                /* place in `inverses` and `limits` */
    size_t below;                 /* place in `below` and `relative`: rows / 3 points */
    size_t first_entry, last_entry;
} llt_node;

/* A block of A in a panel. */
typedef struct llt_entry {
    uint32_t source, row, column; /* entry of A, transposed; row of the panel, padding included, and column */
} llt_entry;

struct block_llt {
    ruga_context *context;
    size_t count, points;    /* points of A and constraints; points alone */
    size_t block_count;      /* of A: entries with a source from there on are weights of constraints */
    uint32_t *order, *place; /* (count) column k of the factor is point order[k] of A; place is its inverse */
    size_t node_count;
    llt_node *nodes;    /* (node_count) children before parents */
    uint32_t *below;    /* points of the rows below, rising, of each node */
    uint32_t *relative; /* the same as rows of the parent's front in points: its pivots, then its rows below */
    llt_entry *entries; /* by node */
    double *panels, *updates;
    double *inverses; /* of pivots, with padding */
    double *limits;   /* that pivots have to exceed */
    double *signs;    /* 1 of pivots of the wanted sign, -1 of others; NULL: all have it. With padding */
    double *vectors;  /* of solves: LLT_STRIP sides */
    double *sides;    /* (3 count x LLT_STRIP) the same in the order of elimination */
    double *scratch;  /* (tasks + 1) of solves: a front of LLT_STRIP sides, and sums */
    size_t scratch_size, most_rows;
    size_t *scatter;       /* (tasks + 1) x 3 most_rows, of assembly */
    size_t task_count;     /* subtrees; nodes with task == task_count are the top */
    size_t *task_begins;   /* (task_count + 2) into members */
    uint32_t *members;     /* (node_count) nodes of each task, rising, then of the top */
    uint32_t *failed_node; /* (task_count + 1) LLT_NONE: none; and the column of the pivot */
    size_t *failed_column; /* (task_count + 1) */
    int *surplus;          /* (task_count + 1) pivots that are negative and should not be, less those that should */
    size_t failed_row;
    block_llt_size size;
    double most_work; /* from which on the analysis ends before it allocates numbers */
    /* During a call. */
    const double *blocks, *weights, *row_weights;
    double shift, softness;
    size_t now_sides;
    uint32_t front; /* of the top, and the child whose update is added to it */
    uint32_t child;
    size_t first_strip, last_strip; /* of its pivots, while rows below them are made */
};

/* Places on the two stacks of each task for an array of each node, of these sizes, which lives until the parent is
 * done; (node_count) each. Returns where the last stack ends. */
size_t block_llt_stack(const block_llt *f, const size_t *sizes, size_t *places);

ruga_status block_llt_analyse(block_llt *f, const uint32_t *offsets, const uint32_t *columns);
ruga_status block_llt_analyse_saddle(block_llt *f, const uint32_t *offsets, const uint32_t *columns,
                                     const block_llt_rows *rows);

static inline size_t llt_stride(const llt_node *node) { return (size_t)LLT_SQUARE * node->pivot_strips; }
static inline size_t llt_strips(size_t numbers) { return (numbers + LLT_STRIP - 1) / LLT_STRIP; }

#endif
