/* The numbers of the two levels for a matrix: rigid motions, inverse blocks, PᵀAP and its factor. */
#include <math.h>

#include "base/threads.h"
#include "linalg/two_level_kernels.h"

#define DEPENDENT 1e-6 /* of its square: a motion that is that near to others before it is dropped */

typedef struct refresh {
    two_level *self;
    const vec3 *positions; /* NULL: only holds have changed */
    two_level_hold_function *holds;
    const void *user;
    int keeps_coarse;
} refresh;

/* ---- Rigid motions. */

/* The six motions of a point at d from the centre, in free directions: translations, then e x d. */
static void rigid_motions(const two_level_hold *hold, vec3 d, vec3 out[MODES]) {
    const vec3 motions[MODES] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -d.z, d.y}, {d.z, 0, -d.x}, {-d.y, d.x, 0}};
    for (int m = 0; m < MODES; m++) out[m] = two_level_free_part(hold, motions[m]);
}

/* L⁻¹ for the matrix L Lᵀ of scalar products; rows of motions that depend on those before them are zero, and their bits
 * are returned. */
static unsigned orthonormalise(double gram[MODES][MODES], double inverse[MODES][MODES]) {
    double l[MODES][MODES] = {{0}};
    unsigned dropped = 0;
    for (int j = 0; j < MODES; j++) {
        double pivot = gram[j][j];
        for (int k = 0; k < j; k++) pivot -= l[j][k] * l[j][k];
        int drops = !(pivot > DEPENDENT * gram[j][j]);
        dropped |= (unsigned)drops << j;
        l[j][j] = drops ? 0 : sqrt(pivot);
        for (int i = j + 1; i < MODES; i++) {
            double sum = gram[i][j];
            for (int k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            l[i][j] = drops ? 0 : sum / l[j][j];
        }
    }
    memset(inverse, 0, MODES * sizeof *inverse);
    for (int j = 0; j < MODES; j++)
        for (int i = j; i < MODES; i++) {
            double sum = i == j;
            if (dropped >> i & 1 || dropped >> j & 1) continue;
            for (int k = j; k < i; k++) sum -= l[i][k] * inverse[k][j];
            inverse[i][j] = sum / l[i][i];
        }
    return dropped;
}

/* Lengths are relative to the aggregate's size, so that turning counts as moving does. */
static void make_arms(const refresh *r, size_t a) {
    two_level *self = r->self;
    size_t begin = self->begins[a], end = self->begins[a + 1];
    vec3 centre = {0, 0, 0};
    double largest = 0;
    for (size_t i = begin; i < end; i++) centre = vec3_add(centre, r->positions[self->order[i]]);
    centre = vec3_scale(centre, 1 / (double)(end - begin));
    for (size_t i = begin; i < end; i++)
        largest = fmax(largest, vec3_length2(vec3_sub(r->positions[self->order[i]], centre)));
    double scale = largest > 0 ? 1 / sqrt(largest) : 1;
    for (size_t i = begin; i < end; i++) {
        vec3 d = vec3_scale(vec3_sub(r->positions[self->order[i]], centre), scale);
        memcpy(self->arms + POINT_STRIDE * i, &d, sizeof d);
        for (size_t k = 0; k < 3; k++) self->float_arms[POINT_STRIDE * i + k] = (float)self->arms[POINT_STRIDE * i + k];
    }
}

static vec3 arm_of(const two_level *self, size_t i) {
    const double *d = self->arms + POINT_STRIDE * i;
    return (vec3){d[0], d[1], d[2]};
}

/* The scalar products of an aggregate's motions: those of free points from their sums and second moments. */
static void make_gram(const two_level *self, size_t a, double gram[MODES][MODES]) {
    double count = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    vec3 sum = {0, 0, 0}, motions[MODES];
    memset(gram, 0, MODES * sizeof *gram);
    for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) {
        vec3 d = arm_of(self, i);
        if (self->holds[i].freedom == TWO_LEVEL_FREE) {
            count += 1;
            sum = vec3_add(sum, d);
            xx += d.x * d.x;
            yy += d.y * d.y;
            zz += d.z * d.z;
            xy += d.x * d.y;
            xz += d.x * d.z;
            yz += d.y * d.z;
        }
        if (self->holds[i].freedom != TWO_LEVEL_PLANE) continue;
        rigid_motions(&self->holds[i], d, motions);
        for (int m = 0; m < MODES; m++)
            for (int n = 0; n <= m; n++) gram[m][n] += vec3_dot(motions[m], motions[n]);
    }
    const double free[MODES][MODES] = {{count},
                                       {0, count},
                                       {0, 0, count},
                                       {0, -sum.z, sum.y, yy + zz},
                                       {sum.z, 0, -sum.x, -xy, xx + zz},
                                       {-sum.y, sum.x, 0, -xz, -yz, xx + yy}};
    for (int m = 0; m < MODES; m++)
        for (int n = 0; n <= m; n++) gram[m][n] += free[m][n];
}

/* P for the points of an aggregate. */
static void make_modes(two_level *self, size_t a) {
    double gram[MODES][MODES], frame[MODES][MODES];
    make_gram(self, a, gram);
    self->dropped[a] = (unsigned char)orthonormalise(gram, frame);
    memcpy(self->frames + MODES * MODES * a, frame, sizeof frame);
}

static int holds_differ(const two_level_hold *a, const two_level_hold *b) {
    return a->freedom != b->freedom || a->drag != b->drag || a->normal.x != b->normal.x || a->normal.y != b->normal.y ||
           a->normal.z != b->normal.z;
}

/* Reads the holds, and makes the modes of aggregates where they, or the positions, have changed. */
static void make_chunk_modes(void *argument, size_t chunk) {
    const refresh *r = argument;
    two_level *self = r->self;
    for (size_t a = self->chunks[chunk]; a < self->chunks[chunk + 1]; a++) {
        self->changed[a] = r->positions != NULL;
        for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) {
            two_level_hold hold = {0};
            if (r->holds) r->holds(r->user, self->order[i], &hold);
            if (!self->changed[a] && !holds_differ(&hold, &self->holds[i])) continue;
            self->changed[a] = 1;
            self->holds[i] = hold;
            self->held[i] = hold.freedom != TWO_LEVEL_FREE || hold.drag > 0;
        }
        if (r->positions) make_arms(r, a);
        if (self->changed[a]) make_modes(self, a);
    }
}

/* ---- The diagonal. */

/* The inverse of the symmetric matrix b (xx, yy, zz, xy, xz, yz). */
static void invert_symmetric(const double b[6], double out[6]) {
    double xx = b[1] * b[2] - b[5] * b[5], xy = b[4] * b[5] - b[3] * b[2], xz = b[3] * b[5] - b[4] * b[1];
    double inverse = 1 / (b[0] * xx + b[3] * xy + b[4] * xz);
    out[0] = xx * inverse;
    out[1] = (b[0] * b[2] - b[4] * b[4]) * inverse;
    out[2] = (b[0] * b[1] - b[3] * b[3]) * inverse;
    out[3] = xy * inverse;
    out[4] = xz * inverse;
    out[5] = (b[3] * b[4] - b[0] * b[5]) * inverse;
}

/* The inverse of S D S in the plane, S = I - n nᵀ: that of S D S + t n nᵀ, without its part n nᵀ / t. */
static void invert_in_plane(const double d[6], vec3 normal, double out[6]) {
    static const unsigned char row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const double n[3] = {normal.x, normal.y, normal.z}, t = (d[0] + d[1] + d[2]) / 3;
    double s[3] = {d[0] * n[0] + d[3] * n[1] + d[4] * n[2], d[3] * n[0] + d[1] * n[1] + d[5] * n[2],
                   d[4] * n[0] + d[5] * n[1] + d[2] * n[2]};
    double across = s[0] * n[0] + s[1] * n[1] + s[2] * n[2], filtered[6];
    for (int k = 0; k < 6; k++)
        filtered[k] =
            d[k] - s[row[k]] * n[column[k]] - n[row[k]] * s[column[k]] + (across + t) * n[row[k]] * n[column[k]];
    invert_symmetric(filtered, out);
    for (int k = 0; k < 6; k++) out[k] -= n[row[k]] * n[column[k]] / t;
}

static const unsigned char place[BLOCK_NUMBERS] = {0, 3, 4, 3, 1, 5, 4, 5, 2};

static void invert_block(const two_level *self, size_t i, double out[3][3]) {
    const double *b = self->matrix->blocks + BLOCK_NUMBERS * (size_t)self->matrix->diagonals[self->order[i]];
    const double d[6] = {b[0], b[4], b[8], b[3], b[6], b[7]};
    double inverse[6];
    invert_symmetric(d, inverse);
    for (size_t k = 0; k < BLOCK_NUMBERS; k++) out[k / 3][k % 3] = inverse[place[k]];
}

/* A bound of Σ_j |D_i^-½ A_ij D_j^-½| over the entries j of other chunks: by Frobenius' norm, whose square is the trace
 * of D_i⁻¹ A_ij D_j⁻¹ A_ijᵀ. Holds and drag do not count: they only make it smaller. */
static double numbers_elsewhere(const two_level *self, size_t i) {
    double own[3][3], other[3][3], sum = 0;
    if (self->own_ends[i] == self->offsets[i + 1]) return 0;
    invert_block(self, i, own);
    for (uint32_t e = self->own_ends[i]; e < self->offsets[i + 1]; e++) {
        const double *a = self->matrix->blocks + BLOCK_NUMBERS * (size_t)self->sources[e];
        double trace = 0;
        invert_block(self, self->columns[e], other);
        for (int r = 0; r < 3; r++) /* a[3 c + r] is in row r */
            for (int c = 0; c < 3; c++) {
                double left = own[r][0] * a[3 * c] + own[r][1] * a[3 * c + 1] + own[r][2] * a[3 * c + 2];
                double right = a[r] * other[0][c] + a[3 + r] * other[1][c] + a[6 + r] * other[2][c];
                trace += left * right;
            }
        sum += sqrt(fmax(trace, 0));
    }
    return sum;
}

/* Between chunks the smoother is Jacobi's iteration, which needs D' - A_off >= 0 for the entries A_off of other chunks.
 * An element's matrix K >= 0 has |x_aᵀ K_ab x_b| <= (x_aᵀ K_aa x_a + x_bᵀ K_bb x_b) / 2, so that its part of A_off is
 * at most D times its corners that are elsewhere: D' = D for springs, up to (n - 1) D for elements of n corners. By
 * numbers, |x_iᵀ A_ij x_j| <= |D_i^-½ A_ij D_j^-½| (x_iᵀ D_i x_i + x_jᵀ D_j x_j) / 2, whatever the elements are. */
static void invert_diagonal(two_level *self, size_t i) {
    const double *block = self->matrix->blocks + BLOCK_NUMBERS * (size_t)self->matrix->diagonals[self->order[i]];
    const two_level_hold *hold = &self->holds[i];
    double factor = fmax(1, self->bounds_by_numbers ? numbers_elsewhere(self, i) : self->elsewhere[i]);
    double more = hold->drag, inverse[6] = {0};
    const double d[6] = {block[0] + more, block[4] + more, block[8] + more, block[3], block[6], block[7]};
    if (hold->freedom == TWO_LEVEL_FREE) invert_symmetric(d, inverse);
    if (hold->freedom == TWO_LEVEL_PLANE) invert_in_plane(d, hold->normal, inverse);
    self->excess[i] = (float)(1 - 1 / factor);
    for (size_t k = 0; k < BLOCK_NUMBERS; k++)
        self->inverses[BLOCK_NUMBERS * i + k] = (float)(inverse[place[k]] / factor);
}

/* ---- All of it. */

void two_level_change_diagonal(two_level *self, size_t point) { self->marked[self->places[point]] = 1; }

/* Of an aggregate whose coarse matrix is kept: the smoother's diagonal at marked points, and their rows of AP. */
static void follow_marks(two_level *self, size_t a) {
    for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) {
        if (!self->marked[i]) continue;
        invert_diagonal(self, i);
        ISA_SELECT(self->context->isa, two_level_own_product)(self, i);
        self->marked[i] = 0;
        self->stale[a] = 1;
    }
}

static void make_chunk_rows(void *argument, size_t chunk) {
    const refresh *r = argument;
    two_level *self = r->self;
    for (size_t a = self->chunks[chunk]; a < self->chunks[chunk + 1]; a++) {
        if (!self->touched[a]) {
            follow_marks(self, a);
            continue;
        }
        self->stale[a] = 0;
        for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) {
            if (self->changed[a] || self->marked[i]) invert_diagonal(self, i);
            self->marked[i] = 0;
        }
        if (r->positions) ISA_SELECT(self->context->isa, two_level_convert)(self, a);
        ISA_SELECT(self->context->isa, two_level_rows)(self, a);
        /* A mode that was dropped gets an equation of its own. The diagonal is the first entry of a row. */
        double *diagonal = self->coarse_values + LDL_NUMBERS * (size_t)self->coarse_offsets[a];
        for (int m = 0; m < MODES; m++)
            if (self->dropped[a] >> m & 1) diagonal[(LDL_STRIDE + 1) * m] = 1;
    }
}

/* Whether blocks on the diagonal have changed since the coarse matrix was made. */
static unsigned char is_stale(const two_level *self, size_t a) {
    unsigned char found = self->stale[a];
    for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) found |= self->marked[i];
    return found;
}

/* The rows of an aggregate have products with the modes of its neighbours. Returns whether there are any. */
static int find_touched(two_level *self, int keeps_coarse) {
    int any = 0;
    for (size_t a = 0; a < self->aggregate_count; a++) {
        self->touched[a] = 0;
        for (size_t e = self->coarse_offsets[a]; e < self->coarse_offsets[a + 1]; e++)
            self->touched[a] |= self->changed[self->coarse_columns[e]];
        if (!keeps_coarse) self->touched[a] |= is_stale(self, a);
        any |= self->touched[a];
    }
    return any;
}

static int make_numbers(const refresh *r) {
    two_level *self = r->self;
    parallel_tasks(self->context, self->chunk_count, make_chunk_modes, (void *)r);
    int is_touched = find_touched(self, r->keeps_coarse);
    parallel_tasks(self->context, self->chunk_count, make_chunk_rows, (void *)r);
    return !is_touched || block_ldl_factor(self->factor, self->coarse_values, r->positions ? NULL : self->touched);
}

int two_level_refresh(two_level *self, const vec3 *positions, two_level_hold_function *holds, const void *user) {
    return make_numbers(&(refresh){self, positions, holds, user, 0});
}

int two_level_change(two_level *self, int keeps_coarse, two_level_hold_function *holds, const void *user) {
    return make_numbers(&(refresh){self, NULL, holds, user, keeps_coarse});
}
