/* A matrix like that of a step of cloth: a folded sheet of n x n points of mass 1, whose edges, diagonals and straight
 * lines of three points resist a change of length. */
#ifndef TESTS_BLOCK_SHEET_H
#define TESTS_BLOCK_SHEET_H

#include <math.h>

#include "linalg/block_matrix.h"
#include "support/support.h"

typedef struct block_sheet {
    ruga_context *context;
    size_t n, count, pair_count, line_count;
    double stiffness;
    vec3 *x;
    uint32_t *pairs, *lines;
    double *masses;
    block_matrix *matrix;
} block_sheet;

static inline void pair_element(const void *user, size_t element, mat3 *blocks) {
    const block_sheet *s = user;
    const uint32_t *ends = s->pairs + 2 * element;
    vec3 d = vec3_sub(s->x[ends[1]], s->x[ends[0]]);
    d = vec3_scale(d, 1 / vec3_length(d));
    for (int k = 0; k < 4; k++) {
        blocks[k] = (mat3){{{0}}};
        mat3_add_outer(&blocks[k], k == 1 || k == 2 ? -s->stiffness : s->stiffness, d, d);
    }
}

/* Three points in a line: the square of a - 2 b + c. */
static inline void line_element(const void *user, size_t element, mat3 *blocks) {
    static const double w[3] = {1, -2, 1};
    const block_sheet *s = user;
    (void)element;
    for (int k = 0; k < 9; k++) {
        blocks[k] = (mat3){{{0}}};
        mat3_add_identity(&blocks[k], 1e-4 * s->stiffness * w[k / 3] * w[k % 3]);
    }
}

static inline ruga_status block_sheet_pattern(const block_sheet *s, ruga_context *context, block_matrix **out) {
    block_pattern *pattern;
    TRY(block_pattern_create(context, s->count, &pattern));
    ruga_status status = block_pattern_add_elements(pattern, s, 0, 2, s->pair_count, s->pairs);
    if (!RUGA_FAILED(status)) status = block_pattern_add_elements(pattern, s, 1, 3, s->line_count, s->lines);
    if (!RUGA_FAILED(status)) status = block_matrix_create(pattern, out);
    block_pattern_destroy(pattern);
    return status;
}

static inline void block_sheet_fill(block_sheet *s, block_matrix *matrix) {
    block_matrix_clear(matrix);
    block_matrix_add_elements(matrix, s, 0, 1, pair_element, s);
    block_matrix_add_elements(matrix, s, 1, 1, line_element, s);
    block_matrix_add_diagonal(matrix, s->masses, NULL);
}

static inline void block_sheet_add(block_sheet *s, size_t column, size_t row, long dx, long dy) {
    long c = (long)column + dx, r = (long)row + dy, n = (long)s->n;
    if (c < 0 || c >= n || r < 0 || r >= n) return;
    s->pairs[2 * s->pair_count] = (uint32_t)(row * s->n + column);
    s->pairs[2 * s->pair_count++ + 1] = (uint32_t)(r * n + c);
}

/* The same square metre for any n: stiffness is that of n = 1 times n². */
static inline block_sheet *block_sheet_make(ruga_context *context, size_t n, double stiffness) {
    block_sheet *s = calloc(1, sizeof *s);
    s->context = context;
    s->n = n;
    s->count = n * n;
    s->stiffness = stiffness * (double)(n * n);
    s->x = calloc(s->count, sizeof *s->x);
    s->pairs = calloc(8 * s->count, sizeof *s->pairs);
    s->lines = calloc(6 * s->count, sizeof *s->lines);
    s->masses = calloc(s->count, sizeof *s->masses);
    for (size_t i = 0; i < s->count; i++) {
        size_t column = i % n, row = i / n;
        double u = (double)column / (double)n, v = (double)row / (double)n;
        s->x[i] = (vec3){u, -v, 0.1 * sin(12 * u + v)};
        s->masses[i] = 1;
        block_sheet_add(s, column, row, 1, 0);
        block_sheet_add(s, column, row, 0, 1);
        block_sheet_add(s, column, row, 1, 1);
        block_sheet_add(s, column, row, -1, 1);
        if (column + 2 < n)
            for (size_t k = 0; k < 3; k++) s->lines[3 * s->line_count + k] = (uint32_t)(i + k);
        s->line_count += column + 2 < n;
        if (row + 2 < n)
            for (size_t k = 0; k < 3; k++) s->lines[3 * s->line_count + k] = (uint32_t)(i + k * n);
        s->line_count += row + 2 < n;
    }
    assert_ok(context, block_sheet_pattern(s, context, &s->matrix));
    block_sheet_fill(s, s->matrix);
    return s;
}

static inline void block_sheet_release(block_sheet *s) {
    block_matrix_destroy(s->matrix);
    free(s->x);
    free(s->pairs);
    free(s->lines);
    free(s->masses);
    free(s);
}

#endif
