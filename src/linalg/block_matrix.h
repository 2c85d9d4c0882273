/* Symmetric sparse matrices of 3 x 3 blocks over points: the matrix W of energies (energy/energy.h), assembled.
 *
 * A pattern collects which points are coupled: by elements of 2 to 5 points (a spring, a triangle, a hinge, a
 * tetrahedron, a pair of hinges), or by lists of neighbours. A matrix is made of it once; its numbers are set to zero
 * and added up again as often as wanted, without allocating.
 *
 *     row i     blocks[e], columns[e]   for e in [offsets[i], offsets[i + 1]), columns rising, with the diagonal
 *
 * Both (i, j) and (j, i) are stored, so that a product is a sum over a row. Elements are added row by row too: rows are
 * cut into groups of fixed size, each group lists the elements that touch it, and adds their blocks in the order of the
 * elements. So every sum has one order, whatever the number of threads. An element that touches several groups is
 * evaluated once for each of them.
 */
#ifndef LINALG_BLOCK_MATRIX_H
#define LINALG_BLOCK_MATRIX_H

#include "base/memory.h"
#include "math/mat3.h"

enum { BLOCK_NUMBERS = 9, BLOCK_MOST_CORNERS = 5 };

/* ---- The pattern. */

typedef struct block_pattern block_pattern;
ruga_status block_pattern_create(ruga_context *context, size_t point_count, block_pattern **out);
void block_pattern_destroy(block_pattern *pattern); /* NULL is fine */

/* Elements of `corners` points each, 2 to 5: element e has points[corners e + k]. `owner` and `index` name the set for
 * block_matrix_add_elements: an energy gives itself, and 0, 1, … for sets of its own. The array must outlive the
 * matrix. */
ruga_status block_pattern_add_elements(block_pattern *pattern, const void *owner, int index, size_t corners,
                                       size_t count, const uint32_t *points);

/* Point i is coupled with others[e] for e in [begins[i], ends[i]), listed from both ends; itself and repetitions are
 * ignored. The arrays must outlive the pattern. */
ruga_status block_pattern_add_rows(block_pattern *pattern, const uint32_t *begins, const uint32_t *ends,
                                   const uint32_t *others);

/* ---- The matrix. */

typedef struct block_elements block_elements;

typedef struct block_matrix {
    ruga_context *context;
    size_t point_count;
    uint32_t *offsets;   /* (points + 1) */
    uint32_t *columns;   /* (entries) rising in a row */
    uint32_t *diagonals; /* (points) entry of the diagonal */
    /* (entries x BLOCK_NUMBERS) column by column: value 3 c + r of a block is in its row r and column c. One number
     * more than that may be read, so the array has room for it. */
    double *blocks;
    block_elements *elements; /* sets of elements */
    size_t element_set_count;
    int has_wide_elements; /* points that are coupled by lists may belong to elements of any number of corners */
} block_matrix;

/* All blocks are zero. RUGA_ERROR_INPUT when there are too many entries to count. */
ruga_status block_matrix_create(const block_pattern *pattern, block_matrix **out);
void block_matrix_destroy(block_matrix *matrix); /* NULL is fine */

void block_matrix_clear(block_matrix *matrix);

/* The entry of (row, column), which must be in the pattern. */
uint32_t block_matrix_entry(const block_matrix *matrix, size_t row, uint32_t column);

/* For points in parts, part_of: (points), the greatest number of corners in other parts that an element of each point
 * has; (points) out. Where points are coupled by lists, elements have 2 corners, or, with wide elements, all points of
 * the row. */
void block_matrix_count_elsewhere(const block_matrix *matrix, const uint32_t *part_of, unsigned char *out);

/* Adds scale times a block to an entry. */
static inline void block_matrix_add_block(block_matrix *matrix, uint32_t entry, double scale, const mat3 *block) {
    double *at = matrix->blocks + BLOCK_NUMBERS * (size_t)entry;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) at[3 * c + r] += scale * block->at[r][c];
}

/* Writes the blocks (a, b) of an element's matrix with a <= b into blocks[corners a + b]; the others follow, as it is
 * symmetric. Must give the same bits at each call, and is called by several threads at once. */
typedef void block_element_function(const void *user, size_t element, mat3 *blocks);

/* matrix += scale times the matrices of the elements of a set of the pattern, in threads. */
void block_matrix_add_elements(block_matrix *matrix, const void *owner, int index, double scale,
                               block_element_function *function, const void *user);

/* The same for kernels that treat several elements at once: writes the whole matrices of `count` elements, at most
 * BLOCK_BATCH, one after the other, by rows of blocks, each block column by column. There is room for BLOCK_BATCH. An
 * element must get the same bits whichever others are beside it. */
enum { BLOCK_BATCH = 4 };
typedef void block_batch_function(const void *user, size_t count, const uint32_t *elements, double *numbers);
void block_matrix_add_batches(block_matrix *matrix, const void *owner, int index, double scale,
                              block_batch_function *function, const void *user);

/* The same for elements whose matrix is a square v vᵀ: (elements x corners) vectors. */
void block_matrix_add_squares(block_matrix *matrix, const void *owner, int index, double scale, const vec3 *vectors);

/* Adds a mass to each diagonal, and a block; (points) each, `blocks` may be NULL. */
void block_matrix_add_diagonal(block_matrix *matrix, const double *masses, const mat3 *blocks);

/* out = A in, (points) each; not the same array. */
void block_matrix_multiply(const block_matrix *matrix, const vec3 *in, vec3 *out);

#endif
