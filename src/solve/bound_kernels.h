/* Products of bindings and of their fits, one version per instruction set; all give the same bits. */
#ifndef SOLVE_BOUND_KERNELS_H
#define SOLVE_BOUND_KERNELS_H

#include "base/isa.h"
#include "math/vec3.h"

enum { BOUND_SHORT = 4 }; /* entries of a short row: at most */

/* Some rows of a sparse matrix: of row r the entries [offsets[r], offsets[r + 1]). Short rows come first, by their
 * length. */
typedef struct bound_rows {
    size_t count;
    size_t ends[BOUND_SHORT + 1]; /* of the rows with at most so many entries */
    uint32_t *targets;            /* (count) where the product of each goes */
    uint32_t *offsets, *columns;  /* (count + 1, entries) */
    double *weights;              /* (entries) */
} bound_rows;

/* Pairs of points (bound_project.h), run by run. Runs with a common knot follow each other. */
typedef struct bound_pair {
    uint32_t a, c;
    double share;      /* 1, α */
    double inverse;    /* 1/kg, of the mass of both */
    double weights[2]; /* of D */
} bound_pair;
typedef struct bound_pair_run {
    uint32_t r[2];       /* D's, among the rest of the fit */
    uint32_t begin, end; /* pairs */
} bound_pair_run;
typedef struct bound_pairs {
    size_t run_count;
    bound_pair_run *runs;
    bound_pair *pairs;
} bound_pairs;

/* out[target] = Σ w in, and out[target] -= Σ w in, for rows [begin, end). */
ISA_DECLARE(void, bound_rows_set, (const bound_rows *rows, const vec3 *in, vec3 *out, size_t begin, size_t end));
ISA_DECLARE(void, bound_rows_subtract, (const bound_rows *rows, const vec3 *in, vec3 *out, size_t begin, size_t end));
/* rest[r] += the right side that pairs leave, of all runs; returns Σ |I_A + I_c|² / (m_A + m_c). */
ISA_DECLARE(double, bound_pairs_gather, (const bound_pairs *pairs, const vec3 *impulses, vec3 *rest));
/* The changes of the pairs of runs [begin, end), which may replace their impulses. */
ISA_DECLARE(void, bound_pairs_spread,
            (const bound_pairs *pairs, const vec3 *rest, const vec3 *impulses, vec3 *changes, size_t begin,
             size_t end));
/* out = factors in */
ISA_DECLARE(void, bound_scale, (const double *factors, const vec3 *in, vec3 *out, size_t count));

#endif
