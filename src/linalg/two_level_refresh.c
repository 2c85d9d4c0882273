/* The numbers of the two levels for a matrix: rigid motions, inverse blocks, PᵀAP and its factor. */
#include <math.h>

#include "base/threads.h"
#include "linalg/two_level_kernels.h"

#define DEPENDENT 1e-6 /* of its square: a motion that is that near to others before it is dropped */

typedef struct refresh {
    two_level *self;
    const vec3 *positions;
    two_level_hold_function *holds;
    const void *user;
} refresh;

/* ---- Rigid motions. */

/* The six motions of a point at d from the centre, in free directions: translations, then e x d. */
static void rigid_motions(const two_level_hold *hold, vec3 d, vec3 out[MODES]) {
    const vec3 motions[MODES] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -d.z, d.y}, {d.z, 0, -d.x}, {-d.y, d.x, 0}};
    for (int m = 0; m < MODES; m++) {
        out[m] = motions[m];
        if (hold->freedom == TWO_LEVEL_FIXED) out[m] = (vec3){0, 0, 0};
        if (hold->freedom == TWO_LEVEL_PLANE)
            out[m] = vec3_add_scaled(out[m], hold->normal, -vec3_dot(hold->normal, out[m]));
    }
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

/* P for the points of an aggregate. Lengths are relative to its size, so that turning counts as moving does. */
static void make_modes(const refresh *r, size_t a) {
    two_level *self = r->self;
    size_t begin = self->begins[a], end = self->begins[a + 1];
    vec3 centre = {0, 0, 0}, motions[MODES];
    double size = 0, gram[MODES][MODES] = {{0}}, inverse[MODES][MODES];
    for (size_t i = begin; i < end; i++) centre = vec3_add(centre, r->positions[self->order[i]]);
    centre = vec3_scale(centre, 1 / (double)(end - begin));
    for (size_t i = begin; i < end; i++) size = fmax(size, vec3_distance(r->positions[self->order[i]], centre));
    size = size > 0 ? 1 / size : 1;
    for (size_t i = begin; i < end; i++) {
        rigid_motions(&self->holds[i], vec3_scale(vec3_sub(r->positions[self->order[i]], centre), size), motions);
        for (int m = 0; m < MODES; m++)
            for (int n = 0; n <= m; n++) gram[m][n] += vec3_dot(motions[m], motions[n]);
    }
    self->dropped[a] = (unsigned char)orthonormalise(gram, inverse);
    for (size_t i = begin; i < end; i++) {
        rigid_motions(&self->holds[i], vec3_scale(vec3_sub(r->positions[self->order[i]], centre), size), motions);
        for (int m = 0; m < MODES; m++) {
            vec3 sum = {0, 0, 0};
            for (int n = 0; n <= m; n++) sum = vec3_add_scaled(sum, motions[n], inverse[m][n]);
            float *column = self->modes + MODE_NUMBERS * i + 3 * (size_t)m;
            column[0] = (float)sum.x;
            column[1] = (float)sum.y;
            column[2] = (float)sum.z;
        }
    }
}

static void make_chunk_modes(void *argument, size_t chunk) {
    const refresh *r = argument;
    two_level *self = r->self;
    for (size_t a = self->chunks[chunk]; a < self->chunks[chunk + 1]; a++) {
        for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) {
            self->holds[i] = (two_level_hold){0};
            if (r->holds) r->holds(r->user, self->order[i], &self->holds[i]);
        }
        make_modes(r, a);
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

/* Between chunks the smoother is Jacobi's iteration, which needs D' - A_off >= 0 for the entries A_off of other chunks.
 * An element's matrix K >= 0 has |x_aᵀ K_ab x_b| <= (x_aᵀ K_aa x_a + x_bᵀ K_bb x_b) / 2, so that its part of A_off is
 * at most D times the corners that are elsewhere: D' = D for springs, (n - 1) D for elements of n corners. */
static void invert_diagonal(two_level *self, size_t i) {
    static const unsigned char place[BLOCK_NUMBERS] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    const double *block = self->matrix->blocks + BLOCK_NUMBERS * (size_t)self->matrix->diagonals[self->order[i]];
    const two_level_hold *hold = &self->holds[i];
    double factor = self->own_ends[i] < self->offsets[i + 1] ? (double)(self->matrix->most_corners - 1) : 1;
    double more = hold->drag, inverse[6] = {0};
    const double d[6] = {block[0] + more, block[4] + more, block[8] + more, block[3], block[6], block[7]};
    if (hold->freedom == TWO_LEVEL_FREE) invert_symmetric(d, inverse);
    if (hold->freedom == TWO_LEVEL_PLANE) invert_in_plane(d, hold->normal, inverse);
    self->excess[i] = (float)(1 - 1 / factor);
    for (size_t k = 0; k < BLOCK_NUMBERS; k++)
        self->inverses[BLOCK_NUMBERS * i + k] = (float)(inverse[place[k]] / factor);
}

/* ---- All of it. */

static void make_chunk_rows(void *argument, size_t chunk) {
    two_level *self = ((const refresh *)argument)->self;
    for (size_t a = self->chunks[chunk]; a < self->chunks[chunk + 1]; a++) {
        for (size_t i = self->begins[a]; i < self->begins[a + 1]; i++) invert_diagonal(self, i);
        ISA_SELECT(self->context->isa, two_level_rows)(self, a);
        /* A mode that was dropped gets an equation of its own. The diagonal is the first entry of a row. */
        double *diagonal = self->coarse_values + LDL_NUMBERS * (size_t)self->coarse_offsets[a];
        for (int m = 0; m < MODES; m++)
            if (self->dropped[a] >> m & 1) diagonal[(LDL_STRIDE + 1) * m] = 1;
    }
}

int two_level_refresh(two_level *self, const vec3 *positions, two_level_hold_function *holds, const void *user) {
    refresh r = {self, positions, holds, user};
    parallel_tasks(self->context, self->chunk_count, make_chunk_modes, &r);
    parallel_tasks(self->context, self->chunk_count, make_chunk_rows, &r);
    return block_ldl_factor(self->factor, self->coarse_values);
}
