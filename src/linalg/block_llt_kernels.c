/* The header has the form of the matrices. Every sum runs over the depth in rising order, in pieces of DEPTH that stay
 * in the first cache, so that it has the same bits however rows are grouped. */
#include "linalg/block_llt_kernels.h"

#include <math.h>

#include "math/simd.h"

#define DEPTH 128   /* columns of a product at once */
#define TILE_MOST 3 /* vectors of rows at once: with as many columns as a vector has lanes they fill the registers */

#if defined(ISA_IS_AVX512)
typedef f64x8 vector;
#define LANES 8
#define VECTOR(operation) f64x8_##operation
#else
typedef f64x4 vector;
#define LANES 4
#define VECTOR(operation) f64x4_##operation
#endif
#if defined(ISA_IS_AVX2) || defined(ISA_IS_AVX512)
#define HAS_WIDE_TILES 1
#else
#define HAS_WIDE_TILES 0
#endif
#define PARTS (LLT_STRIP / LANES) /* vectors of a strip */

/* ---- Products. */

/* c -= a D bᵀ for `vectors` vectors of rows and LANES columns, with D = diag(signs); signs: NULL: ones. Called with a
 * constant number of vectors. */
static inline __attribute__((always_inline)) void multiply_tile(const int vectors, const double *const *a,
                                                                const double *b, const double *signs, size_t depth,
                                                                double *const *c) {
    vector sums[TILE_MOST][LANES];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++)
#pragma GCC unroll 8
        for (int j = 0; j < LANES; j++) sums[v][j] = VECTOR(load)(c[v] + LLT_STRIP * j);
    for (size_t k = 0; k < LLT_STRIP * depth; k += LLT_STRIP) {
        vector rows[TILE_MOST];
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++) rows[v] = VECTOR(load)(a[v] + k);
#pragma GCC unroll 8
        for (int j = 0; j < LANES; j++) {
            vector factor = VECTOR(set)(signs ? signs[k / LLT_STRIP] * b[k + (size_t)j] : b[k + (size_t)j]);
#pragma GCC unroll 8
            for (int v = 0; v < vectors; v++) sums[v][j] = VECTOR(sub_mul)(sums[v][j], rows[v], factor);
        }
    }
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++)
#pragma GCC unroll 8
        for (int j = 0; j < LANES; j++) VECTOR(store)(c[v] + LLT_STRIP * j, sums[v][j]);
}

/* The same for any number of vectors. Without AVX one vector and its columns fill the registers. */
static void multiply_vectors(size_t vectors, const double *const *a, const double *b, const double *signs, size_t depth,
                             double *const *c) {
    while (vectors > 0) {
        size_t now = vectors == 3 || vectors > 4 ? 3 : vectors == 1 ? 1 : 2;
        if (!HAS_WIDE_TILES || signs) now = 1;
        if (signs)
            multiply_tile(1, a, b, signs, depth, c);
        else if (now == 3)
            multiply_tile(3, a, b, NULL, depth, c);
        else if (now == 2)
            multiply_tile(2, a, b, NULL, depth, c);
        else
            multiply_tile(1, a, b, NULL, depth, c);
        vectors -= now;
        a += now;
        c += now;
    }
}

/* Up to TILE_MOST strips of rows times one strip, which gives LLT_STRIP columns. */
static void multiply_strips(size_t strips, const double *const *a, const double *b, const double *signs, size_t depth,
                            double *const *c) {
    for (size_t from = 0; from < LLT_STRIP; from += LANES) {
        const double *a_at[TILE_MOST * PARTS];
        double *c_at[TILE_MOST * PARTS];
        for (size_t v = 0; v < strips * PARTS; v++) {
            a_at[v] = a[v / PARTS] + LANES * (v % PARTS);
            c_at[v] = c[v / PARTS] + LANES * (v % PARTS) + LLT_STRIP * from;
        }
        multiply_vectors(strips * PARTS, a_at, b + from, signs, depth, c_at);
    }
}

/* ---- Pivots. */

/* One strip of rows: X D Lᵀ = B for the columns of a square on the diagonal. */
static void solve_square(double *x, const double *square, const double *inverses, const double *signs) {
    for (size_t part = 0; part < LLT_STRIP; part += LANES) {
        vector column[LLT_STRIP];
#pragma GCC unroll 8
        for (int k = 0; k < LLT_STRIP; k++) column[k] = VECTOR(load)(x + LLT_STRIP * k + part);
#pragma GCC unroll 8
        for (int k = 0; k < LLT_STRIP; k++) {
            /* The next columns lose the product without the sign: D D is the identity. */
            column[k] = VECTOR(mul)(column[k], VECTOR(set)(inverses[k]));
            VECTOR(store)(x + LLT_STRIP * k + part, signs ? VECTOR(mul)(column[k], VECTOR(set)(signs[k])) : column[k]);
#pragma GCC unroll 8
            for (int j = k + 1; j < LLT_STRIP; j++)
                column[j] = VECTOR(sub_mul)(column[j], column[k], VECTOR(set)(square[LLT_STRIP * k + j]));
        }
    }
}

void ISA_NAME(llt_rows)(double *rows, size_t row_stride, size_t count, const double *panel, size_t stride, size_t first,
                        size_t last, const double *inverses, const double *signs) {
    for (size_t at = 0; at < count; at += TILE_MOST) {
        size_t strips = count - at < TILE_MOST ? count - at : TILE_MOST;
        for (size_t d = first; d < last; d++) {
            for (size_t from = 0; from < LLT_STRIP * d; from += DEPTH) {
                size_t depth = LLT_STRIP * d - from < DEPTH ? LLT_STRIP * d - from : DEPTH;
                const double *a[TILE_MOST] = {0};
                double *c[TILE_MOST] = {0};
                for (size_t s = 0; s < strips; s++) {
                    a[s] = rows + (at + s) * row_stride + LLT_STRIP * from;
                    c[s] = rows + (at + s) * row_stride + LLT_SQUARE * d;
                }
                multiply_strips(strips, a, panel + d * stride + LLT_STRIP * from, signs ? signs + from : NULL, depth,
                                c);
            }
            for (size_t s = 0; s < strips; s++)
                solve_square(rows + (at + s) * row_stride + LLT_SQUARE * d, panel + d * stride + LLT_SQUARE * d,
                             inverses + LLT_STRIP * d, signs ? signs + LLT_STRIP * d : NULL);
        }
    }
}

/* The factor of a square on the diagonal, in place; its upper half becomes zero. Returns the column of a pivot that
 * does not exceed its limit, LLT_STRIP if there is none. */
static size_t factor_square(double *square, size_t columns, const double *limits, double *inverses, double *signs) {
    for (size_t k = 0; k < LLT_STRIP; k++) {
        double *column = square + LLT_STRIP * k;
        for (size_t i = 0; i < k; i++) column[i] = 0;
        if (k >= columns) {
            column[k] = inverses[k] = 1;
            continue;
        }
        double sign = signs && column[k] < 0 ? -1 : 1, pivot = sign * column[k];
        if (!(pivot > limits[k] && pivot < INFINITY)) return k;
        column[k] = sqrt(pivot);
        inverses[k] = 1 / column[k];
        if (signs) signs[k] = sign;
        for (size_t i = k + 1; i < LLT_STRIP; i++) column[i] *= sign * inverses[k];
        for (size_t j = k + 1; j < LLT_STRIP; j++)
            for (size_t i = j; i < LLT_STRIP; i++) square[LLT_STRIP * j + i] -= column[i] * (sign * column[j]);
    }
    return LLT_STRIP;
}

size_t ISA_NAME(llt_pivots)(double *panel, size_t stride, size_t columns, size_t first, size_t last,
                            const double *limits, double *inverses, double *signs) {
    for (size_t d = first; d < last; d++) {
        double *strip = panel + d * stride;
        ISA_NAME(llt_rows)(strip, stride, 1, panel, stride, first, d, inverses, signs);
        for (size_t from = 0; from < LLT_STRIP * d; from += DEPTH) {
            size_t depth = LLT_STRIP * d - from < DEPTH ? LLT_STRIP * d - from : DEPTH;
            const double *a = strip + LLT_STRIP * from;
            double *c = strip + LLT_SQUARE * d;
            multiply_strips(1, &a, a, signs ? signs + from : NULL, depth, &c);
        }
        size_t failed = factor_square(strip + LLT_SQUARE * d, columns - LLT_STRIP * d, limits + LLT_STRIP * d,
                                      inverses + LLT_STRIP * d, signs ? signs + LLT_STRIP * d : NULL);
        if (failed < LLT_STRIP) return LLT_STRIP * d + failed;
    }
    return SIZE_MAX;
}

/* ---- Updates. */

void ISA_NAME(llt_update)(const double *rows, size_t stride, size_t depth, const double *signs, size_t first,
                          size_t last, double *update) {
    for (size_t at = first; at < last; at += TILE_MOST) {
        size_t strips = last - at < TILE_MOST ? last - at : TILE_MOST;
        for (size_t from = 0; from < depth; from += DEPTH) {
            size_t now = depth - from < DEPTH ? depth - from : DEPTH;
            for (size_t j = 0; j < at + strips; j++) {
                const double *a[TILE_MOST] = {0};
                double *c[TILE_MOST] = {0};
                size_t begin = j > at ? j : at, count = at + strips - begin;
                for (size_t s = 0; s < count; s++) {
                    a[s] = rows + (begin + s) * stride + LLT_STRIP * from;
                    c[s] = update + llt_triangle(begin + s) + LLT_SQUARE * j;
                }
                multiply_strips(count, a, rows + j * stride + LLT_STRIP * from, signs ? signs + from : NULL, now, c);
            }
        }
    }
}

void ISA_NAME(llt_product)(const double *x, size_t x_stride, size_t count, const double *rows, size_t stride,
                           size_t strips, size_t depth, double *out, size_t out_stride) {
    for (size_t at = 0; at < count; at += TILE_MOST) {
        size_t group = count - at < TILE_MOST ? count - at : TILE_MOST;
        for (size_t from = 0; from < depth; from += DEPTH) {
            size_t now = depth - from < DEPTH ? depth - from : DEPTH;
            for (size_t j = 0; j < strips; j++) {
                const double *a[TILE_MOST] = {0};
                double *c[TILE_MOST] = {0};
                for (size_t s = 0; s < group; s++) {
                    a[s] = x + (at + s) * x_stride + LLT_STRIP * from;
                    c[s] = out + (at + s) * out_stride + LLT_SQUARE * j;
                }
                multiply_strips(group, a, rows + j * stride + LLT_STRIP * from, NULL, now, c);
            }
        }
    }
}

/* ---- Back. */

/* One vector of rows of X and LANES columns of A: c -= Σ over the rows of `strips` strips of A. */
static void multiply_back(const double *x, const double *rows, size_t stride, size_t strips, double *c) {
    vector sums[LANES];
#pragma GCC unroll 8
    for (int j = 0; j < LANES; j++) sums[j] = VECTOR(load)(c + LLT_STRIP * j);
    for (size_t s = 0; s < strips; s++)
        for (size_t r = 0; r < LLT_STRIP; r++) {
            vector value = VECTOR(load)(x + LLT_SQUARE * s + LLT_STRIP * r);
#pragma GCC unroll 8
            for (int j = 0; j < LANES; j++)
                sums[j] = VECTOR(sub_mul)(sums[j], value, VECTOR(set)(rows[s * stride + LLT_STRIP * (size_t)j + r]));
        }
#pragma GCC unroll 8
    for (int j = 0; j < LANES; j++) VECTOR(store)(c + LLT_STRIP * j, sums[j]);
}

void ISA_NAME(llt_product_back)(const double *x, size_t x_stride, size_t count, const double *rows, size_t stride,
                                size_t strips, size_t column_strips, double *out, size_t out_stride) {
    for (size_t j = 0; j < column_strips * PARTS; j++)
        for (size_t v = 0; v < count * PARTS; v++) {
            size_t s = v / PARTS, lane = LANES * (v % PARTS);
            multiply_back(x + s * x_stride + lane, rows + LLT_STRIP * LANES * j, stride, strips,
                          out + s * out_stride + lane + LLT_STRIP * LANES * j);
        }
}

/* One strip of rows: X L = B for the columns of a square on the diagonal. */
static void solve_square_back(double *x, const double *square, const double *inverses) {
    for (size_t part = 0; part < LLT_STRIP; part += LANES) {
        vector column[LLT_STRIP];
#pragma GCC unroll 8
        for (int k = 0; k < LLT_STRIP; k++) column[k] = VECTOR(load)(x + LLT_STRIP * k + part);
#pragma GCC unroll 8
        for (int k = LLT_STRIP - 1; k >= 0; k--) {
            column[k] = VECTOR(mul)(column[k], VECTOR(set)(inverses[k]));
            VECTOR(store)(x + LLT_STRIP * k + part, column[k]);
#pragma GCC unroll 8
            for (int j = 0; j < k; j++)
                column[j] = VECTOR(sub_mul)(column[j], column[k], VECTOR(set)(square[LLT_STRIP * j + k]));
        }
    }
}

void ISA_NAME(llt_rows_back)(double *rows, size_t row_stride, size_t count, const double *panel, size_t stride,
                             size_t pivot_strips, const double *inverses) {
    for (size_t d = pivot_strips; d-- > 0;) {
        ISA_NAME(llt_product_back)
        (rows + LLT_SQUARE * (d + 1), row_stride, count, panel + (d + 1) * stride + LLT_SQUARE * d, stride,
         pivot_strips - d - 1, 1, rows + LLT_SQUARE * d, row_stride);
        for (size_t s = 0; s < count; s++)
            solve_square_back(rows + s * row_stride + LLT_SQUARE * d, panel + d * stride + LLT_SQUARE * d,
                              inverses + LLT_STRIP * d);
    }
}

/* ---- One right-hand side. */

/* z -= the product of `depth` columns of a strip with x, in two sums. */
static inline void subtract_strip(const double *strip, size_t depth, const double *x, double *z) {
    for (size_t part = 0; part < LLT_STRIP; part += LANES) {
        vector even = VECTOR(load)(z + part), odd = VECTOR(set)(0);
        size_t k = 0;
        for (; k + 2 <= depth; k += 2) {
            even = VECTOR(sub_mul)(even, VECTOR(load)(strip + LLT_STRIP * k + part), VECTOR(set)(x[k]));
            odd = VECTOR(sub_mul)(odd, VECTOR(load)(strip + LLT_STRIP * (k + 1) + part), VECTOR(set)(x[k + 1]));
        }
        if (k < depth) even = VECTOR(sub_mul)(even, VECTOR(load)(strip + LLT_STRIP * k + part), VECTOR(set)(x[k]));
        VECTOR(store)(z + part, VECTOR(add)(even, odd));
    }
}

void ISA_NAME(llt_forward)(const double *panel, size_t stride, size_t pivot_strips, const double *inverses, double *z) {
    for (size_t d = 0; d < pivot_strips; d++) {
        const double *square = panel + d * stride + LLT_SQUARE * d;
        double *x = z + LLT_STRIP * d;
        subtract_strip(panel + d * stride, LLT_STRIP * d, z, x);
        for (size_t k = 0; k < LLT_STRIP; k++) {
            x[k] *= inverses[LLT_STRIP * d + k];
            for (size_t i = k + 1; i < LLT_STRIP; i++) x[i] -= square[LLT_STRIP * k + i] * x[k];
        }
    }
}

void ISA_NAME(llt_forward_rows)(const double *panel, size_t stride, size_t columns, size_t first, size_t last,
                                double *z) {
    for (size_t s = first; s < last; s++) subtract_strip(panel + s * stride, columns, z, z + LLT_STRIP * s);
}

static inline double sum_of_lanes(const double *v) {
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

/* sums[k] -= column k of the strip times the strip of z, lane by lane, for columns [begin, end). */
static inline void gather_strip(const double *strip, size_t begin, size_t end, const double *z, double *sums) {
    for (size_t part = 0; part < LLT_STRIP; part += LANES) {
        vector value = VECTOR(load)(z + part);
        for (size_t k = LLT_STRIP * begin + part; k < LLT_STRIP * end; k += LLT_STRIP)
            VECTOR(store)(sums + k, VECTOR(sub_mul)(VECTOR(load)(sums + k), VECTOR(load)(strip + k), value));
    }
}

void ISA_NAME(llt_backward_rows)(const double *panel, size_t stride, size_t begin, size_t end, size_t first,
                                 size_t last, const double *z, double *sums) {
    for (size_t k = LLT_SQUARE * begin; k < LLT_SQUARE * end; k++) sums[k] = 0;
    for (size_t s = first; s < last; s++)
        gather_strip(panel + s * stride, LLT_STRIP * begin, LLT_STRIP * end, z + LLT_STRIP * s, sums);
}

void ISA_NAME(llt_backward)(const double *panel, size_t stride, size_t pivot_strips, const double *inverses, double *z,
                            double *sums) {
    for (size_t d = pivot_strips; d-- > 0;) {
        const double *square = panel + d * stride + LLT_SQUARE * d;
        double *x = z + LLT_STRIP * d;
        for (size_t k = 0; k < LLT_STRIP; k++) x[k] += sum_of_lanes(sums + LLT_SQUARE * d + LLT_STRIP * k);
        for (size_t k = LLT_STRIP; k-- > 0;) {
            for (size_t i = k + 1; i < LLT_STRIP; i++) x[k] -= square[LLT_STRIP * k + i] * x[i];
            x[k] *= inverses[LLT_STRIP * d + k];
        }
        gather_strip(panel + d * stride, 0, LLT_STRIP * d, x, sums);
    }
}
