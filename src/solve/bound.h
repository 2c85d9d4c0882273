/* A subspace that a step is bound to: x = T y, T a map from unknowns y to points x.
 *
 * An unknown is a point of its own (a row of T with the single weight 1), or a parameter that moves several points: the
 * fold vector of a crease, the end of a bound row. Pins hold unknowns, and T moves every point that depends on them; so
 * a pinned point has to be an unknown of its own.
 *
 * A scalar matrix A over the points, the same for all three coordinates, becomes TᵀAT over the unknowns: of masses
 * alone, or of the constant matrix of springs. Its factor is made once and kept; held unknowns have rows of their own
 * in it.
 */
#ifndef SOLVE_BOUND_H
#define SOLVE_BOUND_H

#include "linalg/ldl.h"
#include "linalg/map.h"
#include "solve/bound_kernels.h"

typedef struct bound {
    ruga_context *context;
    const ruga_map *map;    /* T, (points) rows and (unknowns) columns; the owner's */
    ruga_map *transpose;    /* Tᵀ */
    uint32_t *unknown_of;   /* (points) the unknown that the point is, or NO_UNKNOWN */
    uint32_t *point_of;     /* (unknowns) the first point that is this unknown, or NO_UNKNOWN */
    int keeps_translations; /* points whose unknowns all move by a vector, parameters by 0, move by it */
    size_t leading;         /* so many points at the beginning are the unknowns of the same number */
    bound_rows spread;      /* rows of T, of the points after those */
    bound_rows gather;      /* rows of Tᵀ, of unknowns that move points after those */
    size_t run_count;       /* runs of leading unknowns that move no other point */
    uint32_t *runs;         /* (2 run_count) begin and end */
    double *row;            /* (unknowns) scratch, zero between uses */
    uint32_t *marks;        /* (unknowns) scratch */
} bound;
#define NO_UNKNOWN UINT32_MAX

/* Whether an unknown is a point that depends on nothing else and moves nothing else. */
static inline int bound_moves_alone(const bound *b, size_t unknown) {
    const ruga_map *t = b->transpose;
    return t->offsets[unknown + 1] == t->offsets[unknown] + 1 && b->point_of[unknown] != NO_UNKNOWN;
}

/* The map must outlive it. RUGA_ERROR_INPUT names a point without weights, and an unknown that moves no point. */
ruga_status bound_create(ruga_context *context, const ruga_map *map, bound **out);
void bound_destroy(bound *b); /* NULL is fine */

/* Room for rows, to be filled; count is 0. */
ruga_status bound_rows_make(ruga_context *context, size_t count, size_t entries, bound_rows *out);
/* Brings filled rows into their order. None may be empty. */
ruga_status bound_rows_sort(ruga_context *context, bound_rows *rows);
void bound_rows_release(ruga_context *context, bound_rows *rows); /* zeros are fine */

/* x = T y and g = Tᵀ f. Only points that are bound, and unknowns that move them, cost more than a copy. */
void bound_spread(const bound *b, const vec3 *unknowns, vec3 *points);
void bound_gather(const bound *b, const vec3 *points, vec3 *unknowns);

/* The unknowns that pinned points are, each once; room for all unknowns is enough. RUGA_ERROR_INPUT names a pin that is
 * bound to other points, and two pins that are one unknown. */
ruga_status bound_find_pins(bound *b, size_t count, const uint32_t *points, uint32_t *unknowns);

/* TᵀAT with its factor. */
typedef struct bound_matrix {
    const uint32_t *offsets, *columns; /* A's pattern beside the diagonal, the owner's; NULL: A is diagonal */
    uint32_t *begins;                  /* (unknowns + 1) rows of TᵀAT beside the diagonal */
    uint32_t *indices;                 /* (entries) */
    double *values, *diagonal;         /* (entries, unknowns) */
    double *free_values;               /* (entries) the same without rows and columns of held unknowns */
    double *free_diagonal;             /* (unknowns) */
    ldl *factor;
} bound_matrix;

ruga_status bound_matrix_make(bound *b, const uint32_t *offsets, const uint32_t *columns, bound_matrix *out);
void bound_matrix_release(ruga_context *context, bound_matrix *m); /* zeros are fine */

/* Takes A's values beside the diagonal (by the places of `columns`; NULL with a diagonal A) and its diagonal, and
 * factors TᵀAT with the given unknowns held. Allocates nothing. RUGA_ERROR_INPUT when it is singular: T has dependent
 * columns. */
ruga_status bound_matrix_factor(bound *b, bound_matrix *m, const double *values, const double *diagonal,
                                size_t held_count, const uint32_t *held);

/* TᵀAT y = b, with y given for held unknowns; `x` holds b for the free ones and becomes y. */
void bound_matrix_solve(bound_matrix *m, size_t held_count, const uint32_t *held, const vec3 *held_values, vec3 *x);

#endif
