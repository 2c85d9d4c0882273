#include "energy/tet_kernels.h"

#include "math/quads.h"
#include "math/vec3x4.h"

/* Places in the records of energy/tet_energy.h. */
enum {
    REST_VOLUME = 9,
    STATE_U = 0,
    STATE_V = 9,
    STATE_STRETCH = 18,
    STATE_ACROSS = 21,
    STATE_SAME = 24,
    STATE_OTHER = 27
};

static inline vec3x4 three(const f64x4 *numbers) { return (vec3x4){numbers[0], numbers[1], numbers[2]}; }

/* ---- Neo-Hookean: with c_k the columns of the cofactors of F, J = F_0 · c_0 and P = μ F + p c (elastic.h). */

typedef struct columns4 {
    vec3x4 at[3];
} columns4;

/* The columns of Σ (x_k - x_0) g_kᵀ. */
static inline columns4 deformations(const vec3 *x, const uint32_t corners[TET_CORNERS][4], const f64x4 *rest) {
    columns4 f;
    const vec3x4 origin = vec3x4_gather(x, corners[0]);
    vec3x4 edges[3];
    for (int k = 0; k < 3; k++) edges[k] = vec3x4_sub(vec3x4_gather(x, corners[k + 1]), origin);
    for (int c = 0; c < 3; c++) {
        f.at[c] = vec3x4_scale(edges[0], rest[c]);
        f.at[c] = vec3x4_add_scaled(f.at[c], edges[1], rest[3 + c]);
        f.at[c] = vec3x4_add_scaled(f.at[c], edges[2], rest[6 + c]);
    }
    return f;
}

/* V Ψ, and P in place of F. */
static inline f64x4 neo_hookean(const tet_arrays *tets, f64x4 volume, columns4 *f) {
    const f64x4 shear = f64x4_set(tets->shear), half = f64x4_set(0.5), sum = f64x4_set(tets->bulk + tets->shear);
    const vec3x4 c[3] = {vec3x4_cross(f->at[1], f->at[2]), vec3x4_cross(f->at[2], f->at[0]),
                         vec3x4_cross(f->at[0], f->at[1])};
    f64x4 j = f64x4_sub(vec3x4_dot(f->at[0], c[0]), f64x4_set(1)), p = f64x4_sub(f64x4_mul(sum, j), shear);
    f64x4 squares = f64x4_add(f64x4_add(vec3x4_dot(f->at[0], f->at[0]), vec3x4_dot(f->at[1], f->at[1])),
                              vec3x4_dot(f->at[2], f->at[2]));
    f64x4 density = f64x4_sub(f64x4_mul(f64x4_mul(half, shear), f64x4_sub(squares, f64x4_set(3))), f64x4_mul(shear, j));
    density = f64x4_add(density, f64x4_mul(f64x4_mul(f64x4_mul(half, sum), j), j));
    for (int k = 0; k < 3; k++) f->at[k] = vec3x4_add_scaled(vec3x4_scale(f->at[k], shear), c[k], p);
    return f64x4_mul(volume, density);
}

static inline void put_vector(vec3x4 v, f64x4 *out) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

/* V P g_k; the first corner has what is left to a zero sum. */
static inline void corner_vectors(const columns4 *p, const f64x4 *rest, f64x4 out[12]) {
    vec3x4 sum = {f64x4_set(0), f64x4_set(0), f64x4_set(0)};
    for (int k = 0; k < 3; k++) {
        vec3x4 v = vec3x4_scale(p->at[0], rest[3 * k]);
        v = vec3x4_add_scaled(v, p->at[1], rest[3 * k + 1]);
        v = vec3x4_add_scaled(v, p->at[2], rest[3 * k + 2]);
        v = vec3x4_scale(v, rest[REST_VOLUME]);
        sum = vec3x4_sub(sum, v);
        put_vector(v, out + 3 * k + 3);
    }
    put_vector(sum, out);
}

void ISA_NAME(tet_neo_hookean)(const tet_arrays *tets, const vec3 *x, size_t begin, size_t end, double *energies,
                               vec3 *vectors) {
    for (size_t t = begin; t < end; t += 4) {
        const double *records[4];
        double four[4], rests[4][12] = {{0}}, *targets[4];
        uint32_t corners[TET_CORNERS][4];
        f64x4 rest[TET_REST_NUMBERS], out[12];
        for (size_t i = 0; i < 4; i++) {
            size_t at = t + i < end ? t + i : end - 1; /* the last tet fills the last four */
            records[i] = tets->rest + TET_REST_NUMBERS * at;
            targets[i] = t + i < end && vectors ? &vectors[4 * at].x : rests[i];
            for (size_t k = 0; k < TET_CORNERS; k++) corners[k][i] = tets->points[TET_CORNERS * at + k];
        }
        quads_load(records, TET_REST_NUMBERS, rest);
        columns4 f = deformations(x, (const uint32_t(*)[4])corners, rest);
        f64x4_store(four, neo_hookean(tets, rest[REST_VOLUME], &f));
        for (size_t i = 0; i < 4 && t + i < end; i++) energies[t + i - begin] = four[i];
        if (!vectors) continue;
        corner_vectors(&f, rest, out);
        quads_store(out, 12, targets);
    }
}

/* ---- Matrices: tet_energy.h has M. */

static inline f64x4 sum3(f64x4 a, f64x4 b, f64x4 c) { return f64x4_add(f64x4_add(a, b), c); }

/* U M Uᵀ for corners with gradients alpha and beta in the frame of F, column by column. */
static inline void corner_block(const f64x4 *state, const f64x4 *alpha, const f64x4 *beta, f64x4 out[9]) {
    static const int pairs[3][2] = {{1, 2}, {2, 0}, {0, 1}};
    const vec3x4 u[3] = {three(state + STATE_U), three(state + STATE_U + 3), three(state + STATE_U + 6)};
    const f64x4 *stretch = state + STATE_STRETCH, *across = state + STATE_ACROSS, *same = state + STATE_SAME;
    const f64x4 *other = state + STATE_OTHER;
    f64x4 products[3][3], m[3][3];
    vec3x4 rows[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) products[i][j] = f64x4_mul(alpha[i], beta[j]);
    for (int k = 0; k < 3; k++) {
        int i = pairs[k][0], j = pairs[k][1];
        m[k][k] = sum3(f64x4_mul(stretch[k], products[k][k]), f64x4_mul(same[j], products[i][i]),
                       f64x4_mul(same[i], products[j][j]));
        m[i][j] = f64x4_add(f64x4_mul(across[k], products[i][j]), f64x4_mul(other[k], products[j][i]));
        m[j][i] = f64x4_add(f64x4_mul(across[k], products[j][i]), f64x4_mul(other[k], products[i][j]));
    }
    for (int i = 0; i < 3; i++) {
        rows[i] = vec3x4_scale(u[0], m[i][0]);
        rows[i] = vec3x4_add_scaled(rows[i], u[1], m[i][1]);
        rows[i] = vec3x4_add_scaled(rows[i], u[2], m[i][2]);
    }
    const f64x4 ux[3] = {u[0].x, u[1].x, u[2].x}, uy[3] = {u[0].y, u[1].y, u[2].y}, uz[3] = {u[0].z, u[1].z, u[2].z};
    const f64x4 *const of[3] = {ux, uy, uz};
    for (int r = 0; r < 3; r++) {
        out[r] = sum3(f64x4_mul(of[r][0], rows[0].x), f64x4_mul(of[r][1], rows[1].x), f64x4_mul(of[r][2], rows[2].x));
        out[3 + r] =
            sum3(f64x4_mul(of[r][0], rows[0].y), f64x4_mul(of[r][1], rows[1].y), f64x4_mul(of[r][2], rows[2].y));
        out[6 + r] =
            sum3(f64x4_mul(of[r][0], rows[0].z), f64x4_mul(of[r][1], rows[1].z), f64x4_mul(of[r][2], rows[2].z));
    }
}

static inline void transpose(const f64x4 in[9], f64x4 out[9]) {
    for (int k = 0; k < 9; k++) out[k] = in[3 * (k % 3) + k / 3];
}

/* The first block of a column of blocks: minus the sum of the others. */
static inline void fill_first(f64x4 (*blocks)[9], int b) {
    for (int k = 0; k < 9; k++)
        blocks[b][k] = f64x4_sub(f64x4_set(0), sum3(blocks[4 + b][k], blocks[8 + b][k], blocks[12 + b][k]));
}

void ISA_NAME(tet_matrices)(const tet_arrays *tets, size_t count, const uint32_t *elements, double *numbers) {
    const double *rests[4], *states[4];
    double *targets[4];
    f64x4 rest[TET_REST_NUMBERS], state[TET_STATE_NUMBERS], frame[3][3], blocks[16][9];
    for (size_t i = 0; i < 4; i++) {
        size_t tet = elements[i < count ? i : count - 1];
        rests[i] = tets->rest + TET_REST_NUMBERS * tet;
        states[i] = tets->states + TET_STATE_NUMBERS * tet;
        targets[i] = numbers + TET_MATRIX_NUMBERS * i;
    }
    quads_load(rests, TET_REST_NUMBERS, rest);
    quads_load(states, TET_STATE_NUMBERS, state);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) frame[a][k] = vec3x4_dot(three(state + STATE_V + 3 * k), three(rest + 3 * a));
    for (int a = 1; a < 4; a++)
        for (int b = a; b < 4; b++) {
            corner_block(state, frame[a - 1], frame[b - 1], blocks[4 * a + b]);
            if (a < b) transpose(blocks[4 * a + b], blocks[4 * b + a]);
        }
    for (int b = 1; b < 4; b++) {
        fill_first(blocks, b);
        transpose(blocks[b], blocks[4 * b]);
    }
    fill_first(blocks, 0);
    quads_store(blocks[0], TET_MATRIX_NUMBERS, targets);
}
