/* Rows of 3 x 3 blocks in single precision, four numbers at a time: the fourth of a block's column belongs to the next
 * one, and what comes of it is never used. */
#include "linalg/two_level_kernels.h"

#include "math/simd.h"

#define WINDOW 16 /* products of a row that are added up at a time */

/* ---- Numbers. */

/* w += A P_j, in double precision: the parts of rigid motions cancel to the masses. Columns of w have four numbers. */
static inline void add_product(const double *block, const float *modes, double *w) {
    f64x4 x = f64x4_load(block), y = f64x4_load(block + 3), z = f64x4_load(block + 6);
    for (int m = 0; m < MODES; m++) {
        const float *p = modes + 3 * m;
        f64x4 sum = f64x4_add(f64x4_mul(x, f64x4_set((double)p[0])), f64x4_mul(y, f64x4_set((double)p[1])));
        sum = f64x4_add(sum, f64x4_mul(z, f64x4_set((double)p[2])));
        f64x4_store(w + 4 * m, f64x4_add(f64x4_load(w + 4 * m), sum));
    }
}

/* out += P_iᵀ w */
static inline void add_coarse(const float *modes, const double *w, double *out) {
    double rows[3][LDL_STRIDE] = {{0}};
    for (int m = 0; m < MODES; m++)
        for (int r = 0; r < 3; r++) rows[r][m] = w[4 * m + r];
    for (int m = 0; m < MODES; m++) {
        double *row = out + LDL_STRIDE * m;
        f64x4 low = f64x4_load(row), high = f64x4_load(row + 4);
        for (int r = 0; r < 3; r++) {
            f64x4 factor = f64x4_set((double)modes[3 * m + r]);
            low = f64x4_add(low, f64x4_mul(factor, f64x4_load(rows[r])));
            high = f64x4_add(high, f64x4_mul(factor, f64x4_load(rows[r] + 4)));
        }
        f64x4_store(row, low);
        f64x4_store(row + 4, high);
    }
}

static inline void convert_blocks(two_level *self, size_t begin, size_t end) {
    for (size_t e = begin; e < end; e++)
        for (size_t k = 0; k < BLOCK_NUMBERS; k++)
            self->blocks[BLOCK_NUMBERS * e + k] =
                (float)self->matrix->blocks[BLOCK_NUMBERS * (size_t)self->sources[e] + k];
}

/* The products of a row with the aggregates [first, last) that it touches. */
static inline void row_products(two_level *self, size_t i, size_t first, size_t last, double w[WINDOW][4 * MODES]) {
    const block_matrix *matrix = self->matrix;
    memset(w, 0, (last - first) * sizeof *w);
    if (first == 0) {
        const two_level_hold *hold = &self->holds[i];
        double diagonal[BLOCK_NUMBERS + 1] = {0};
        const double n[3] = {hold->normal.x, hold->normal.y, hold->normal.z};
        memcpy(diagonal, matrix->blocks + BLOCK_NUMBERS * (size_t)matrix->diagonals[self->order[i]],
               BLOCK_NUMBERS * sizeof *diagonal);
        for (int k = 0; k < BLOCK_NUMBERS && hold->drag > 0; k++)
            diagonal[k] += hold->drag * ((k / 3 == k % 3) - n[k / 3] * n[k % 3]);
        add_product(diagonal, self->modes + MODE_NUMBERS * i, w[0]);
    }
    const size_t begins[2] = {self->upper_offsets[i + 1], self->offsets[i]};
    const size_t ends[2] = {self->upper_offsets[i], self->offsets[i + 1]};
    for (int part = 0; part < 2; part++)
        for (size_t e = begins[part]; e < ends[part]; e++) {
            if (self->targets[e] < first || self->targets[e] >= last) continue;
            const double *block = matrix->blocks + BLOCK_NUMBERS * (size_t)self->sources[e];
            add_product(block, self->modes + MODE_NUMBERS * (size_t)self->columns[e], w[self->targets[e] - first]);
        }
}

void ISA_NAME(two_level_rows)(two_level *self, size_t a) {
    double w[WINDOW][4 * MODES];
    for (size_t e = self->coarse_offsets[a]; e < self->coarse_offsets[a + 1]; e++)
        memset(self->coarse_values + LDL_NUMBERS * e, 0, LDL_NUMBERS * sizeof *self->coarse_values);
    for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) {
        size_t begin = self->product_offsets[i], count = self->product_offsets[i + 1] - begin;
        convert_blocks(self, self->upper_offsets[i + 1], self->upper_offsets[i]);
        convert_blocks(self, self->offsets[i], self->offsets[i + 1]);
        for (size_t first = 0; first < count; first += WINDOW) {
            size_t last = first + WINDOW < count ? first + WINDOW : count;
            row_products(self, i, first, last, w);
            for (size_t k = first; k < last; k++) {
                float *product = self->products + MODE_NUMBERS * (begin + k);
                for (int m = 0; m < MODE_NUMBERS; m++) product[m] = (float)w[k - first][m / 3 * 4 + m % 3];
                add_coarse(self->modes + MODE_NUMBERS * i, w[k - first],
                           self->coarse_values + LDL_NUMBERS * (size_t)self->product_entries[begin + k]);
            }
        }
    }
}

/* ---- Cycles. */

/* sum - Σ A_ij x_j over the entries [begin, end). */
static inline f32x4 subtract_row(const two_level *self, size_t begin, size_t end, const float *x, f32x4 sum) {
    f32x4 s1 = f32x4_set(0), s2 = s1;
    const float *block = self->blocks + BLOCK_NUMBERS * begin;
    for (size_t e = begin; e < end; e++, block += BLOCK_NUMBERS) {
        const float *p = x + POINT_STRIDE * (size_t)self->columns[e];
        sum = f32x4_sub(sum, f32x4_mul(f32x4_load(block), f32x4_set(p[0])));
        s1 = f32x4_add(s1, f32x4_mul(f32x4_load(block + 3), f32x4_set(p[1])));
        s2 = f32x4_add(s2, f32x4_mul(f32x4_load(block + 6), f32x4_set(p[2])));
    }
    return f32x4_sub(sum, f32x4_add(s1, s2));
}

static inline f32x4 times_inverse(const float *inverse, f32x4 a) {
    float v[4];
    f32x4_store(v, a);
    f32x4 sum =
        f32x4_add(f32x4_mul(f32x4_load(inverse), f32x4_set(v[0])), f32x4_mul(f32x4_load(inverse + 3), f32x4_set(v[1])));
    return f32x4_add(sum, f32x4_mul(f32x4_load(inverse + 6), f32x4_set(v[2])));
}

void ISA_NAME(two_level_backward)(two_level *self, const vec3 *in, double scale, size_t begin, size_t end) {
    f64x4 factor = f64x4_set(scale);
    float *z = self->solution;
    for (size_t i = end; i-- > begin;) {
        f32x4 r = f64x4_rounded(f64x4_mul(f64x4_load3(&in[self->order[i]].x), factor));
        r = subtract_row(self, self->upper_offsets[i + 1], self->upper_offsets[i], z, r);
        f32x4_store(z + POINT_STRIDE * i, times_inverse(self->inverses + BLOCK_NUMBERS * i, r));
        f32x4_store(self->residual + POINT_STRIDE * i, f32x4_mul(f32x4_set(self->excess[i]), r));
    }
}

static inline float sum_of_three(f32x4 a) {
    float v[4];
    f32x4_store(v, a);
    return (v[0] + v[1]) + v[2];
}

/* (D + U) z is the right-hand side: what is left of it are the entries before the diagonal, those of other chunks, and
 * the excess of D, which is there already. */
void ISA_NAME(two_level_restrict)(two_level *self, size_t a) {
    f32x4 sums[MODES];
    for (int m = 0; m < MODES; m++) sums[m] = f32x4_set(0);
    for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) {
        float *at = self->residual + POINT_STRIDE * i;
        const float *modes = self->modes + MODE_NUMBERS * i;
        f32x4 r = subtract_row(self, self->offsets[i], self->offsets[i + 1], self->solution, f32x4_load(at));
        f32x4_store(at, r);
        for (int m = 0; m < MODES; m++) sums[m] = f32x4_add(sums[m], f32x4_mul(f32x4_load(modes + 3 * m), r));
    }
    for (int m = 0; m < MODES; m++) self->coarse[LDL_STRIDE * a + (size_t)m] = sum_of_three(sums[m]);
}

/* Σ column_m c_m */
static inline f32x4 combine_modes(const float *columns, const float *c) {
    f32x4 even = f32x4_mul(f32x4_load(columns), f32x4_set(c[0]));
    f32x4 odd = f32x4_mul(f32x4_load(columns + 3), f32x4_set(c[1]));
    for (int m = 2; m < MODES; m += 2) {
        even = f32x4_add(even, f32x4_mul(f32x4_load(columns + 3 * m), f32x4_set(c[m])));
        odd = f32x4_add(odd, f32x4_mul(f32x4_load(columns + 3 * m + 3), f32x4_set(c[m + 1])));
    }
    return f32x4_add(even, odd);
}

void ISA_NAME(two_level_forward)(two_level *self, vec3 *out, double inverse_scale, size_t begin, size_t end) {
    f64x4 factor = f64x4_set(inverse_scale);
    float *e = self->residual; /* the correction replaces the residual from the beginning on */
    for (size_t a = begin; a < end; a++)
        for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) {
            f32x4 r = f32x4_load(e + POINT_STRIDE * i);
            for (size_t k = self->product_offsets[i]; k < self->product_offsets[i + 1]; k++)
                r = f32x4_sub(r, combine_modes(self->products + MODE_NUMBERS * k,
                                               self->coarse + LDL_STRIDE * (size_t)self->product_columns[k]));
            r = subtract_row(self, self->offsets[i], self->own_ends[i], e, r);
            f32x4 change = times_inverse(self->inverses + BLOCK_NUMBERS * i, r);
            f32x4_store(e + POINT_STRIDE * i, change);
            f32x4 z = f32x4_add(f32x4_load(self->solution + POINT_STRIDE * i), change);
            z = f32x4_add(z, combine_modes(self->modes + MODE_NUMBERS * i, self->coarse + LDL_STRIDE * a));
            f64x4_store3(&out[self->order[i]].x, f64x4_mul(f64x4_of(z), factor));
        }
}
