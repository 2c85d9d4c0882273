/* The data of a two-level preconditioner. Points are numbered by `places`: aggregate after aggregate. */
#ifndef LINALG_TWO_LEVEL_PARTS_H
#define LINALG_TWO_LEVEL_PARTS_H

#include "linalg/block_ldl.h"
#include "linalg/two_level.h"

enum {
    MODES = LDL_SIDE,        /* rigid motions of an aggregate */
    POINT_STRIDE = 4,        /* from one point of a vector to the next */
    MODE_NUMBERS = 3 * MODES /* of AP at a point: column by column */
};
#define NO_ENTRY UINT32_MAX

/* The part of a vector that lies in a point's free directions. */
static inline vec3 two_level_free_part(const two_level_hold *hold, vec3 v) {
    if (hold->freedom == TWO_LEVEL_FIXED) return (vec3){0, 0, 0};
    if (hold->freedom == TWO_LEVEL_PLANE) return vec3_add_scaled(v, hold->normal, -vec3_dot(hold->normal, v));
    return v;
}

struct two_level {
    ruga_context *context;
    const block_matrix *matrix;
    size_t count, aggregate_count, chunk_count;
    uint32_t *order;    /* (points) point at a place */
    uint32_t *places;   /* (points) its inverse */
    uint32_t *begins;   /* (aggregates + 1) places */
    uint32_t *chunks;   /* (chunks + 1) aggregates */
    uint32_t *chunk_of; /* (aggregates) */

    /* Rows of A without the diagonal, in two parts, as the sweeps read them: entries after the row in its chunk, the
     * last row first: [upper_offsets[i + 1], upper_offsets[i]); then, for [offsets[i], offsets[i + 1]), entries before
     * the row in its chunk up to own_ends[i] and those of other chunks. */
    uint32_t *upper_offsets, *offsets; /* (points + 1) */
    uint32_t *own_ends;                /* (points) */
    uint32_t *columns;                 /* (entries) places */
    uint32_t *sources;                 /* (entries) of the matrix */
    unsigned char *elsewhere;          /* (points) corners in other chunks that an element of the point has, at most */
    int bounds_by_numbers;             /* instead of by `elsewhere` */
    /* Numbers of single precision. Up to three after the last may be read, so the arrays have room for them. */
    float *blocks;         /* (entries x BLOCK_NUMBERS) */
    float *inverses;       /* (points x BLOCK_NUMBERS) of the smoother's diagonal, in free directions */
    float *excess;         /* (points) share of the smoother's diagonal that A's does not have */
    two_level_hold *holds; /* (points) */
    unsigned char *held;   /* (points) whether that changes the matrix */
    unsigned char *marked; /* (points) the block on the diagonal has changed */

    /* P = R F: the motions R of a point are translations and turns about the aggregate's centre, in free directions; F
     * makes them orthonormal. */
    double *arms;           /* (points x POINT_STRIDE) from the centre, over the aggregate's size; the fourth is 0 */
    double *frames;         /* (aggregates x MODES x MODES) mode m is the sum of motions n <= m times number (m, n) */
    unsigned char *dropped; /* (aggregates) bit m: mode m is zero */
    unsigned char *stale;   /* (aggregates) blocks on the diagonal have changed since their row of PᵀAP was made */
    unsigned char *changed; /* (aggregates) P, and with it */
    unsigned char *touched; /* (aggregates) rows of AP, have to be made again */
    float *float_arms;      /* (points x POINT_STRIDE) the same as floats; P is never stored */

    /* AP by rows: products of a row with the aggregates that it touches, its own first. */
    uint32_t *product_offsets; /* (points + 1) */
    uint32_t *product_columns; /* (products) aggregate */
    uint32_t *product_entries; /* (products) of the coarse matrix; NO_ENTRY in the half that its factor does not read */
    float *products;           /* (products x MODE_NUMBERS) */
    uint32_t *term_begins;     /* (products + 1) blocks that a product adds up, that of the diagonal first */
    uint32_t *term_sources;    /* (terms) of the matrix */
    uint32_t *term_places;     /* (terms) */

    uint32_t *coarse_offsets, *coarse_columns; /* (aggregates + 1), (coarse entries): PᵀAP with its diagonal, first */
    double *coarse_values;                     /* (coarse entries x LDL_NUMBERS) */
    block_ldl *factor;

    float *residual, *solution; /* (points x POINT_STRIDE) */
    float *coarse;              /* (aggregates x LDL_STRIDE) */
};

#endif
