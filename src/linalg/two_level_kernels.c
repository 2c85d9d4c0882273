/* Rows of 3 x 3 blocks in single precision, four numbers at a time: the fourth of a block's column belongs to the next
 * one, and what comes of it is never used. */
#include "linalg/two_level_kernels.h"

#include "math/simd.h"

/* ---- Numbers.
 *
 * P = R F (two_level_parts.h), and so are AP = (AR) F and PᵀAP = Fᵀ (RᵀAR) F: blocks are added up for the motions R,
 * where a column of a block stands for a translation and two of them for a turn, and F follows once for each sum. In
 * double precision, as the parts of rigid motions cancel to the masses. */

/* The six columns of Σ A_ij R_j, with a fourth number that is never used. */
typedef struct motion_sums {
    f64x4 at[MODES];
} motion_sums;

/* sums += A R for the columns of A and R = (1, e x d). */
static inline void add_motions(motion_sums *sums, const f64x4 column[3], const double *d) {
    f64x4 x = f64x4_set(d[0]), y = f64x4_set(d[1]), z = f64x4_set(d[2]), *s = sums->at;
    for (int m = 0; m < 3; m++) s[m] = f64x4_add(s[m], column[m]);
    s[3] = f64x4_add(s[3], f64x4_sub(f64x4_mul(column[2], y), f64x4_mul(column[1], z)));
    s[4] = f64x4_add(s[4], f64x4_sub(f64x4_mul(column[0], z), f64x4_mul(column[2], x)));
    s[5] = f64x4_add(s[5], f64x4_sub(f64x4_mul(column[1], x), f64x4_mul(column[0], y)));
}

/* The columns become those of A S, S = I - n nᵀ or 0; before that a diagonal gets the drag in free directions. */
static void hold_columns(const two_level_hold *hold, int is_diagonal, f64x4 column[3]) {
    const double n[4] = {hold->normal.x, hold->normal.y, hold->normal.z, 0};
    f64x4 across = f64x4_set(0);
    for (int c = 0; c < 3; c++) {
        double free[4] = {0};
        for (int r = 0; r < 3; r++) free[r] = hold->drag * ((r == c) - n[r] * n[c]);
        if (is_diagonal) column[c] = f64x4_add(column[c], f64x4_load(free));
        across = f64x4_add(across, f64x4_mul(column[c], f64x4_set(n[c])));
    }
    for (int c = 0; c < 3; c++) {
        if (hold->freedom == TWO_LEVEL_PLANE) column[c] = f64x4_sub(column[c], f64x4_mul(across, f64x4_set(n[c])));
        if (hold->freedom == TWO_LEVEL_FIXED) column[c] = f64x4_set(0);
    }
}

/* Σ A_ij R_j over the terms of product k of row i. */
static inline motion_sums sum_terms(const two_level *self, size_t i, size_t k) {
    motion_sums sums;
    for (int m = 0; m < MODES; m++) sums.at[m] = f64x4_set(0);
    for (size_t t = self->term_begins[k]; t < self->term_begins[k + 1]; t++) {
        const double *block = self->matrix->blocks + BLOCK_NUMBERS * (size_t)self->term_sources[t];
        size_t j = self->term_places[t];
        f64x4 column[3] = {f64x4_load(block), f64x4_load(block + 3), f64x4_load(block + 6)};
        if (self->held[j]) hold_columns(&self->holds[j], i == j, column);
        add_motions(&sums, column, self->arms + POINT_STRIDE * j);
    }
    return sums;
}

/* product = sums F; what is written is MODE_NUMBERS long. */
static inline void store_product(const motion_sums *sums, const double *frame, float *product) {
    for (int m = 0; m < MODES; m++, frame += MODES) {
        f64x4 sum = f64x4_mul(sums->at[0], f64x4_set(frame[0]));
        for (int n = 1; n <= m; n++) sum = f64x4_add(sum, f64x4_mul(sums->at[n], f64x4_set(frame[n])));
        if (m < MODES - 1)
            f32x4_store(product + 3 * m, f64x4_rounded(sum));
        else
            f32x4_store3(product + 3 * m, f64x4_rounded(sum));
    }
}

/* out += R_iᵀ sums, column by column: three numbers of translations, and from the fourth on those of the turns about z,
 * x and y. */
static inline void add_coarse(const two_level *self, size_t i, const motion_sums *sums, double *out) {
    const two_level_hold *hold = &self->holds[i];
    const double normal[4] = {hold->normal.x, hold->normal.y, hold->normal.z, 0};
    f64x4 d = f64x4_load(self->arms + POINT_STRIDE * i), turned = f64x4_turn(d), n = f64x4_load(normal);
    if (hold->freedom == TWO_LEVEL_FIXED) return;
    for (int m = 0; m < MODES; m++, out += LDL_STRIDE) {
        f64x4 w = sums->at[m];
        if (hold->freedom == TWO_LEVEL_PLANE) {
            double values[4];
            f64x4_store(values, w);
            double across = values[0] * normal[0] + values[1] * normal[1] + values[2] * normal[2];
            w = f64x4_sub(w, f64x4_mul(n, f64x4_set(across)));
        }
        f64x4 turn = f64x4_sub(f64x4_mul(d, f64x4_turn(w)), f64x4_mul(turned, w));
        f64x4_store(out, f64x4_add(f64x4_load(out), w));
        f64x4_store(out + 4, f64x4_add(f64x4_load(out + 4), turn));
    }
}

/* Sums of add_coarse become Fᵀ sums G for the frames of the row and of the column, row by row. */
static inline void finish_coarse(const double *row_frame, const double *column_frame, double *sums) {
    static const unsigned char place[MODES] = {0, 1, 2, 5, 6, 4};
    double rows[MODES][LDL_STRIDE] = {{0}}, column[LDL_STRIDE];
    for (int m = 0; m < MODES; m++, column_frame += MODES) {
        f64x8 sum = f64x8_mul(f64x8_load(sums), f64x8_set(column_frame[0]));
        for (int n = 1; n <= m; n++)
            sum = f64x8_add(sum, f64x8_mul(f64x8_load(sums + LDL_STRIDE * n), f64x8_set(column_frame[n])));
        f64x8_store(column, sum);
        for (int n = 0; n < MODES; n++) rows[n][m] = column[place[n]];
    }
    for (int m = 0; m < MODES; m++, row_frame += MODES) {
        f64x8 sum = f64x8_mul(f64x8_load(rows[0]), f64x8_set(row_frame[0]));
        for (int n = 1; n <= m; n++) sum = f64x8_add(sum, f64x8_mul(f64x8_load(rows[n]), f64x8_set(row_frame[n])));
        f64x8_store(sums + LDL_STRIDE * m, sum);
    }
}

static inline void convert_blocks(two_level *self, size_t begin, size_t end) {
    for (size_t e = begin; e < end; e++) {
        const double *from = self->matrix->blocks + BLOCK_NUMBERS * (size_t)self->sources[e];
        float *to = self->blocks + BLOCK_NUMBERS * e;
        f32x4_store(to, f64x4_rounded(f64x4_load(from)));
        f32x4_store(to + 4, f64x4_rounded(f64x4_load(from + 4)));
        to[8] = (float)from[8];
    }
}

void ISA_NAME(two_level_convert)(two_level *self, size_t a) {
    for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) {
        convert_blocks(self, self->upper_offsets[i + 1], self->upper_offsets[i]);
        convert_blocks(self, self->offsets[i], self->offsets[i + 1]);
    }
}

void ISA_NAME(two_level_own_product)(two_level *self, size_t i) {
    size_t k = self->product_offsets[i];
    motion_sums sums = sum_terms(self, i, k);
    store_product(&sums, self->frames + MODES * MODES * (size_t)self->product_columns[k],
                  self->products + MODE_NUMBERS * k);
}

void ISA_NAME(two_level_rows)(two_level *self, size_t a) {
    double *first = self->coarse_values + LDL_NUMBERS * (size_t)self->coarse_offsets[a];
    memset(first, 0, LDL_NUMBERS * (self->coarse_offsets[a + 1] - self->coarse_offsets[a]) * sizeof *first);
    for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++)
        for (size_t k = self->product_offsets[i]; k < self->product_offsets[i + 1]; k++) {
            const double *frame = self->frames + MODES * MODES * (size_t)self->product_columns[k];
            motion_sums sums = sum_terms(self, i, k);
            store_product(&sums, frame, self->products + MODE_NUMBERS * k);
            if (self->product_entries[k] == NO_ENTRY) continue;
            add_coarse(self, i, &sums, self->coarse_values + LDL_NUMBERS * (size_t)self->product_entries[k]);
        }
    for (size_t e = self->coarse_offsets[a]; e < self->coarse_offsets[a + 1]; e++)
        finish_coarse(self->frames + MODES * MODES * a, self->frames + MODES * MODES * (size_t)self->coarse_columns[e],
                      self->coarse_values + LDL_NUMBERS * e);
}

/* ---- Cycles. */

#define LINE 16                /* numbers of a cache line */
#define POINTS_AHEAD 16        /* whose numbers are fetched now */
#define PREFETCHED (32 * LINE) /* numbers ahead: the processor's own prefetching ends with each page */

/* Of numbers [begin, end) that are read now, those that are read later. */
static inline void prefetch(const float *begin, const float *end) {
    for (; begin < end; begin += LINE) simd_prefetch(begin + PREFETCHED);
}

/* The numbers [begin, end) themselves. */
static inline void prefetch_now(const float *begin, const float *end) {
    for (; begin < end; begin += LINE) simd_prefetch(begin);
}

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

/* x_j -= A_ijᵀ z over the entries [begin, end) of row i, which are A_ji of the rows j. */
static inline void subtract_column(const two_level *self, size_t begin, size_t end, f32x4 z, float *x) {
    float v[4];
    f32x4_store(v, z);
    const float *block = self->blocks + BLOCK_NUMBERS * begin;
    for (size_t e = begin; e < end; e++, block += BLOCK_NUMBERS) {
        float *at = x + POINT_STRIDE * (size_t)self->columns[e];
        f32x4 a = f32x4_load(block), b = f32x4_load(block + 3), c = f32x4_load(block + 6), d = f32x4_set(0);
        f32x4_transpose(&a, &b, &c, &d);
        f32x4 sum = f32x4_add(f32x4_mul(a, f32x4_set(v[0])), f32x4_mul(b, f32x4_set(v[1])));
        f32x4_store(at, f32x4_sub(f32x4_load(at), f32x4_add(sum, f32x4_mul(c, f32x4_set(v[2])))));
    }
}

/* (D + U) z is the right-hand side: what is left of it are the entries before the diagonal, those of other chunks, and
 * the excess of D. Of these the first are subtracted here, while their transposes are at hand. */
void ISA_NAME(two_level_backward)(two_level *self, const vec3 *in, double scale, size_t begin, size_t end) {
    f64x4 factor = f64x4_set(scale);
    float *z = self->solution;
    for (size_t i = end; i-- > begin;) {
        if (i >= begin + POINTS_AHEAD) simd_prefetch(&in[self->order[i - POINTS_AHEAD]]);
        f32x4 r = f64x4_rounded(f64x4_mul(f64x4_load3(&in[self->order[i]].x), factor));
        size_t first = self->upper_offsets[i + 1], last = self->upper_offsets[i];
        prefetch(self->blocks + BLOCK_NUMBERS * first, self->blocks + BLOCK_NUMBERS * last);
        r = subtract_row(self, first, last, z, r);
        f32x4 change = times_inverse(self->inverses + BLOCK_NUMBERS * i, r);
        f32x4_store(z + POINT_STRIDE * i, change);
        f32x4_store(self->residual + POINT_STRIDE * i, f32x4_mul(f32x4_set(self->excess[i]), r));
        subtract_column(self, first, last, change, self->residual);
    }
}

/* Rarely: most points are free in all directions. */
static f32x4 free_part(const two_level_hold *hold, f32x4 a) {
    float v[4];
    f32x4_store(v, a);
    vec3 part = two_level_free_part(hold, (vec3){v[0], v[1], v[2]});
    const float out[4] = {(float)part.x, (float)part.y, (float)part.z, 0};
    return f32x4_load(out);
}

/* Then the entries of other chunks, and Pᵀ r = Fᵀ (Σ r, Σ d x r). */
void ISA_NAME(two_level_restrict)(two_level *self, size_t a) {
    f32x4 push = f32x4_set(0), turn = push;
    float v[8];
    for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) {
        float *at = self->residual + POINT_STRIDE * i;
        f32x4 d = f32x4_load(self->float_arms + POINT_STRIDE * i);
        size_t ahead = i + POINTS_AHEAD < self->count ? i + POINTS_AHEAD : i;
        prefetch_now(self->blocks + BLOCK_NUMBERS * (size_t)self->own_ends[ahead],
                     self->blocks + BLOCK_NUMBERS * (size_t)self->offsets[ahead + 1]);
        f32x4 r = subtract_row(self, self->own_ends[i], self->offsets[i + 1], self->solution, f32x4_load(at));
        f32x4_store(at, r);
        if (self->held[i]) r = free_part(&self->holds[i], r);
        push = f32x4_add(push, r);
        turn = f32x4_add(turn, f32x4_sub(f32x4_mul(d, f32x4_turn(r)), f32x4_mul(f32x4_turn(d), r)));
    }
    f32x4_store(v, push);
    f32x4_store(v + 3, f32x4_turn(turn));
    const double *f = self->frames + MODES * MODES * a;
    for (size_t m = 0; m < MODES; m++, f += MODES) {
        double sum = 0;
        for (size_t n = 0; n <= m; n++) sum += f[n] * v[n];
        self->coarse[LDL_STRIDE * a + m] = (float)sum;
    }
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

/* F c: how an aggregate is pushed and turned. */
static inline void find_motion(const two_level *self, size_t a, f32x4 *push, f32x4 *turn) {
    const double *f = self->frames + MODES * MODES * a;
    float v[8] = {0};
    for (size_t n = 0; n < MODES; n++) {
        double sum = 0;
        for (size_t m = n; m < MODES; m++) sum += f[MODES * m + n] * self->coarse[LDL_STRIDE * a + m];
        v[n] = (float)sum;
    }
    *push = f32x4_load(v);
    *turn = f32x4_load(v + 3);
}

void ISA_NAME(two_level_forward)(two_level *self, vec3 *out, double inverse_scale, size_t begin, size_t end) {
    f64x4 factor = f64x4_set(inverse_scale);
    float *e = self->residual; /* the correction replaces the residual from the beginning on */
    for (size_t a = begin; a < end; a++) {
        f32x4 push, turn;
        find_motion(self, a, &push, &turn);
        for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) {
            f32x4 r = f32x4_load(e + POINT_STRIDE * i), d = f32x4_load(self->float_arms + POINT_STRIDE * i);
            size_t first = self->product_offsets[i], last = self->product_offsets[i + 1];
            prefetch(self->products + MODE_NUMBERS * first, self->products + MODE_NUMBERS * last);
            prefetch(self->blocks + BLOCK_NUMBERS * (size_t)self->offsets[i],
                     self->blocks + BLOCK_NUMBERS * (size_t)self->own_ends[i]);
            for (size_t k = first; k < last; k++)
                r = f32x4_sub(r, combine_modes(self->products + MODE_NUMBERS * k,
                                               self->coarse + LDL_STRIDE * (size_t)self->product_columns[k]));
            r = subtract_row(self, self->offsets[i], self->own_ends[i], e, r);
            f32x4 change = times_inverse(self->inverses + BLOCK_NUMBERS * i, r);
            f32x4_store(e + POINT_STRIDE * i, change);
            f32x4 z = f32x4_add(f32x4_load(self->solution + POINT_STRIDE * i), change);
            f32x4 across = f32x4_sub(f32x4_mul(turn, f32x4_turn(d)), f32x4_mul(f32x4_turn(turn), d));
            f32x4 moved = f32x4_add(push, f32x4_turn(across));
            if (self->held[i]) moved = free_part(&self->holds[i], moved);
            f64x4_store3(&out[self->order[i]].x, f64x4_mul(f64x4_of(f32x4_add(z, moved)), factor));
        }
    }
}
