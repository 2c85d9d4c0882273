#include "energy/lattice_kernels.h"

#include "math/simd.h"

enum { MOST_CORNERS = 27 };

typedef struct matrix4 {
    f64x4 at[3][3];
} matrix4;

static inline f64x4 dot3(f64x4 a, f64x4 b, f64x4 c, f64x4 x, f64x4 y, f64x4 z) {
    return f64x4_add(f64x4_add(f64x4_mul(a, x), f64x4_mul(b, y)), f64x4_mul(c, z));
}

/* at[k][r]: row r of column k. */
static inline matrix4 load_columns(const double *p, size_t lanes) {
    matrix4 out;
    for (size_t k = 0; k < 3; k++)
        for (size_t r = 0; r < 3; r++) out.at[k][r] = f64x4_load(p + (3 * k + r) * lanes);
    return out;
}

/* Σ in_i gradients_iᵀ */
static inline matrix4 gather(const lattice_pack *pack, const vec3 *in, size_t p) {
    matrix4 f;
    for (int k = 0; k < 9; k++) f.at[k / 3][k % 3] = f64x4_set(0);
    const double *g = pack->gradients + p;
    for (size_t i = 0; i < pack->corner_count; i++, g += 3 * pack->lanes) {
        f64x4 gx = f64x4_load(g), gy = f64x4_load(g + pack->lanes), gz = f64x4_load(g + 2 * pack->lanes);
        const double x[3] = {in[i].x, in[i].y, in[i].z};
        for (int r = 0; r < 3; r++) {
            f64x4 s = f64x4_set(x[r]);
            f.at[r][0] = f64x4_add(f.at[r][0], f64x4_mul(s, gx));
            f.at[r][1] = f64x4_add(f.at[r][1], f64x4_mul(s, gy));
            f.at[r][2] = f64x4_add(f.at[r][2], f64x4_mul(s, gz));
        }
    }
    return f;
}

/* dP for dF: lattice_energy.h has the formula. */
static inline matrix4 respond(const double *states, size_t lanes, const matrix4 *f) {
    static const int pairs[3][2] = {{1, 2}, {2, 0}, {0, 1}};
    matrix4 u = load_columns(states + PACK_U * lanes, lanes), v = load_columns(states + PACK_V * lanes, lanes);
    matrix4 t, d, m, out;
    f64x4 shear = f64x4_load(states + PACK_SHEAR * lanes), half = f64x4_set(0.5);
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++)
            t.at[r][k] = dot3(f->at[r][0], f->at[r][1], f->at[r][2], v.at[k][0], v.at[k][1], v.at[k][2]);
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            d.at[j][k] = dot3(u.at[j][0], u.at[j][1], u.at[j][2], t.at[0][k], t.at[1][k], t.at[2][k]);
    f64x4 trace = f64x4_add(f64x4_add(d.at[0][0], d.at[1][1]), d.at[2][2]);
    f64x4 bulk = f64x4_mul(f64x4_load(states + PACK_BULK * lanes), trace);
    for (size_t k = 0; k < 3; k++) {
        int i = pairs[k][0], j = pairs[k][1];
        f64x4 twist = f64x4_load(states + (PACK_TWIST + k) * lanes);
        f64x4 even = f64x4_mul(f64x4_mul(half, shear), f64x4_add(d.at[i][j], d.at[j][i]));
        f64x4 odd = f64x4_mul(f64x4_mul(half, twist), f64x4_sub(d.at[i][j], d.at[j][i]));
        m.at[k][k] = f64x4_add(f64x4_mul(shear, d.at[k][k]), bulk);
        m.at[i][j] = f64x4_add(even, odd);
        m.at[j][i] = f64x4_sub(even, odd);
    }
    for (int j = 0; j < 3; j++)
        for (int c = 0; c < 3; c++)
            t.at[j][c] = dot3(m.at[j][0], m.at[j][1], m.at[j][2], v.at[0][c], v.at[1][c], v.at[2][c]);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out.at[r][c] = dot3(u.at[0][r], u.at[1][r], u.at[2][r], t.at[0][c], t.at[1][c], t.at[2][c]);
    return out;
}

void ISA_NAME(lattice_product)(const lattice_pack *pack, const vec3 *in, vec3 *out) {
    f64x4 sums[MOST_CORNERS][3];
    for (size_t i = 0; i < pack->corner_count; i++) sums[i][0] = sums[i][1] = sums[i][2] = f64x4_set(0);
    for (size_t p = 0; p < pack->lanes; p += LATTICE_LANES) {
        matrix4 f = gather(pack, in, p), stress = respond(pack->states + p, pack->lanes, &f);
        const double *g = pack->gradients + p;
        for (size_t i = 0; i < pack->corner_count; i++, g += 3 * pack->lanes) {
            f64x4 gx = f64x4_load(g), gy = f64x4_load(g + pack->lanes), gz = f64x4_load(g + 2 * pack->lanes);
            for (int r = 0; r < 3; r++)
                sums[i][r] = f64x4_add(sums[i][r], dot3(stress.at[r][0], stress.at[r][1], stress.at[r][2], gx, gy, gz));
        }
    }
    for (size_t i = 0; i < pack->corner_count; i++)
        f64x4_store3(&out[i].x, f64x4_sums3(sums[i][0], sums[i][1], sums[i][2]));
}
