/* Short vectors as arrays; compilers make of them what the machine has. Included by math/simd.h, which has the
 * contract. */
#ifndef MATH_SIMD_SCALAR_H
#define MATH_SIMD_SCALAR_H

typedef struct f32x4 {
    float v[4];
} f32x4;
typedef struct f32x8 {
    float v[8];
} f32x8;
typedef struct u32x8 {
    uint32_t v[8];
} u32x8;
typedef struct f64x4 {
    double v[4];
} f64x4;
typedef struct m64x4 {
    int v[4]; /* 0 or 1 */
} m64x4;

/* result.v[i] = expression for every lane. */
#define SIMD_LANES(type, lanes, expression)                       \
    type result;                                                  \
    for (int i = 0; i < (lanes); i++) result.v[i] = (expression); \
    return result

/* ---- f32x4 */
static inline f32x4 f32x4_set(float x) { SIMD_LANES(f32x4, 4, x); }
static inline f32x4 f32x4_load(const float *p) { SIMD_LANES(f32x4, 4, p[i]); }
static inline void f32x4_store(float *p, f32x4 a) { memcpy(p, a.v, sizeof a.v); }
static inline void f32x4_store3(void *p, f32x4 a) { memcpy(p, a.v, 3 * sizeof a.v[0]); }
static inline f32x4 f32x4_add(f32x4 a, f32x4 b) { SIMD_LANES(f32x4, 4, a.v[i] + b.v[i]); }
static inline f32x4 f32x4_sub(f32x4 a, f32x4 b) { SIMD_LANES(f32x4, 4, a.v[i] - b.v[i]); }
static inline f32x4 f32x4_mul(f32x4 a, f32x4 b) { SIMD_LANES(f32x4, 4, a.v[i] * b.v[i]); }
static inline f32x4 f32x4_min(f32x4 a, f32x4 b) { SIMD_LANES(f32x4, 4, a.v[i] < b.v[i] ? a.v[i] : b.v[i]); }
static inline f32x4 f32x4_max(f32x4 a, f32x4 b) { SIMD_LANES(f32x4, 4, a.v[i] > b.v[i] ? a.v[i] : b.v[i]); }
static inline f32x4 f32x4_abs(f32x4 a) { SIMD_LANES(f32x4, 4, fabsf(a.v[i])); }
static inline unsigned f32x4_le_bits(f32x4 a, f32x4 b) {
    unsigned bits = 0;
    for (unsigned i = 0; i < 4; i++) bits |= (unsigned)(a.v[i] <= b.v[i]) << i;
    return bits;
}
static inline f32x4 f32x4_turn(f32x4 a) { return (f32x4){{a.v[1], a.v[2], a.v[0], a.v[3]}}; }
static inline void f32x4_transpose(f32x4 *a, f32x4 *b, f32x4 *c, f32x4 *d) {
    f32x4 rows[4] = {*a, *b, *c, *d}, *columns[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) columns[i]->v[k] = rows[k].v[i];
}

/* ---- f32x8 */
static inline f32x8 f32x8_set(float x) { SIMD_LANES(f32x8, 8, x); }
static inline f32x8 f32x8_load(const float *p) { SIMD_LANES(f32x8, 8, p[i]); }
static inline void f32x8_store(float *p, f32x8 a) { memcpy(p, a.v, sizeof a.v); }
static inline f32x8 f32x8_add(f32x8 a, f32x8 b) { SIMD_LANES(f32x8, 8, a.v[i] + b.v[i]); }
static inline f32x8 f32x8_sub(f32x8 a, f32x8 b) { SIMD_LANES(f32x8, 8, a.v[i] - b.v[i]); }
static inline f32x8 f32x8_mul(f32x8 a, f32x8 b) { SIMD_LANES(f32x8, 8, a.v[i] * b.v[i]); }
static inline f32x8 f32x8_min(f32x8 a, f32x8 b) { SIMD_LANES(f32x8, 8, a.v[i] < b.v[i] ? a.v[i] : b.v[i]); }
static inline f32x8 f32x8_max(f32x8 a, f32x8 b) { SIMD_LANES(f32x8, 8, a.v[i] > b.v[i] ? a.v[i] : b.v[i]); }
static inline unsigned f32x8_le_bits(f32x8 a, f32x8 b) {
    unsigned bits = 0;
    for (unsigned i = 0; i < 8; i++) bits |= (unsigned)(a.v[i] <= b.v[i]) << i;
    return bits;
}

static inline f32x8 f32x8_div(f32x8 a, f32x8 b) { SIMD_LANES(f32x8, 8, a.v[i] / b.v[i]); }
static inline f32x8 f32x8_sqrt(f32x8 a) { SIMD_LANES(f32x8, 8, sqrtf(a.v[i])); }
static inline f32x8 f32x8_where_negative(f32x8 s, f32x8 yes, f32x8 no) {
    SIMD_LANES(f32x8, 8, signbit(s.v[i]) ? yes.v[i] : no.v[i]);
}

/* ---- f32x8 as two halves (x y z w) */
static inline f32x8 f32x8_load2(const float *p, const float *q) { SIMD_LANES(f32x8, 8, i < 4 ? p[i] : q[i - 4]); }
static inline void f32x8_store2(float *p, float *q, f32x8 a) {
    memcpy(p, a.v, 4 * sizeof *p);
    memcpy(q, a.v + 4, 4 * sizeof *q);
}
static inline f32x8 f32x8_spread_x(f32x8 a) { SIMD_LANES(f32x8, 8, a.v[i & 4]); }
static inline f32x8 f32x8_spread_y(f32x8 a) { SIMD_LANES(f32x8, 8, a.v[(i & 4) + 1]); }
static inline f32x8 f32x8_spread_z(f32x8 a) { SIMD_LANES(f32x8, 8, a.v[(i & 4) + 2]); }
static inline f32x8 f32x8_turn(f32x8 a) {
    return (f32x8){{a.v[1], a.v[2], a.v[0], a.v[3], a.v[5], a.v[6], a.v[4], a.v[7]}};
}
static inline f32x8 f32x8_fourth(f32x8 a, f32x8 b) { SIMD_LANES(f32x8, 8, i % 4 == 3 ? b.v[i] : a.v[i]); }
static inline f32x8 f32x8_sums4(f32x8 a) {
    SIMD_LANES(f32x8, 8, (a.v[i & 4] + a.v[(i & 4) + 1]) + (a.v[(i & 4) + 2] + a.v[(i & 4) + 3]));
}
static inline void f32x8_transpose4(f32x8 *a, f32x8 *b, f32x8 *c, f32x8 *d) {
    f32x8 rows[4] = {*a, *b, *c, *d}, *columns[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 8; k++) columns[i]->v[k] = rows[k % 4].v[(k & 4) + i];
}

/* ---- u32x8 */
static inline u32x8 u32x8_load(const uint32_t *p) { SIMD_LANES(u32x8, 8, p[i]); }
static inline void u32x8_store(uint32_t *p, u32x8 a) { memcpy(p, a.v, sizeof a.v); }
static inline u32x8 u32x8_set(uint32_t x) { SIMD_LANES(u32x8, 8, x); }
static inline unsigned u32x8_eq_bits(u32x8 a, u32x8 b) {
    unsigned bits = 0;
    for (unsigned i = 0; i < 8; i++) bits |= (unsigned)(a.v[i] == b.v[i]) << i;
    return bits;
}
static inline u32x8 u32x8_keys(f32x8 a) {
    u32x8 bits;
    memcpy(bits.v, a.v, sizeof bits.v);
    SIMD_LANES(u32x8, 8, (bits.v[i] & ~7u) | (uint32_t)i);
}
static inline u32x8 u32x8_drop(u32x8 a, uint32_t lane) {
    SIMD_LANES(u32x8, 8, (uint32_t)i == lane ? UINT32_MAX : a.v[i]);
}
static inline u32x8 u32x8_drop_from(u32x8 a, uint32_t first) {
    SIMD_LANES(u32x8, 8, (uint32_t)i >= first ? UINT32_MAX : a.v[i]);
}
static inline uint32_t u32x8_least(u32x8 a) {
    uint32_t least = a.v[0];
    for (int i = 1; i < 8; i++) least = a.v[i] < least ? a.v[i] : least;
    return least;
}

/* ---- f64x4 */
static inline f64x4 f64x4_set(double x) { SIMD_LANES(f64x4, 4, x); }
static inline f64x4 f64x4_load(const double *p) { SIMD_LANES(f64x4, 4, p[i]); }
static inline f64x4 f64x4_load3(const double *p) { SIMD_LANES(f64x4, 4, i < 3 ? p[i] : 0.0); }
static inline void f64x4_store(double *p, f64x4 a) { memcpy(p, a.v, sizeof a.v); }
static inline void f64x4_store3(double *p, f64x4 a) { memcpy(p, a.v, 3 * sizeof a.v[0]); }
static inline f64x4 f64x4_of(f32x4 a) { SIMD_LANES(f64x4, 4, (double)a.v[i]); }
static inline f32x4 f64x4_rounded(f64x4 a) { SIMD_LANES(f32x4, 4, (float)a.v[i]); }
static inline f64x4 f64x4_add(f64x4 a, f64x4 b) { SIMD_LANES(f64x4, 4, a.v[i] + b.v[i]); }
static inline f64x4 f64x4_sub(f64x4 a, f64x4 b) { SIMD_LANES(f64x4, 4, a.v[i] - b.v[i]); }
static inline f64x4 f64x4_mul(f64x4 a, f64x4 b) { SIMD_LANES(f64x4, 4, a.v[i] * b.v[i]); }
static inline f64x4 f64x4_sub_mul(f64x4 a, f64x4 b, f64x4 c) { SIMD_LANES(f64x4, 4, a.v[i] - b.v[i] * c.v[i]); }
static inline f64x4 f64x4_div(f64x4 a, f64x4 b) { SIMD_LANES(f64x4, 4, a.v[i] / b.v[i]); }
static inline f64x4 f64x4_sqrt(f64x4 a) { SIMD_LANES(f64x4, 4, sqrt(a.v[i])); }
static inline f64x4 f64x4_min(f64x4 a, f64x4 b) { SIMD_LANES(f64x4, 4, a.v[i] < b.v[i] ? a.v[i] : b.v[i]); }
static inline f64x4 f64x4_max(f64x4 a, f64x4 b) { SIMD_LANES(f64x4, 4, a.v[i] > b.v[i] ? a.v[i] : b.v[i]); }
static inline m64x4 f64x4_lt(f64x4 a, f64x4 b) { SIMD_LANES(m64x4, 4, a.v[i] < b.v[i]); }
static inline m64x4 f64x4_le(f64x4 a, f64x4 b) { SIMD_LANES(m64x4, 4, a.v[i] <= b.v[i]); }
static inline m64x4 m64x4_and(m64x4 a, m64x4 b) { SIMD_LANES(m64x4, 4, a.v[i] & b.v[i]); }
static inline unsigned m64x4_bits(m64x4 a) {
    return (unsigned)a.v[0] | (unsigned)a.v[1] << 1 | (unsigned)a.v[2] << 2 | (unsigned)a.v[3] << 3;
}
static inline f64x4 f64x4_select(m64x4 where, f64x4 yes, f64x4 no) {
    SIMD_LANES(f64x4, 4, where.v[i] ? yes.v[i] : no.v[i]);
}

static inline f64x4 f64x4_turn(f64x4 a) { return (f64x4){{a.v[1], a.v[2], a.v[0], a.v[3]}}; }

static inline f64x4 f64x4_sums3(f64x4 x, f64x4 y, f64x4 z) {
    return (f64x4){{(x.v[0] + x.v[1]) + (x.v[2] + x.v[3]), (y.v[0] + y.v[1]) + (y.v[2] + y.v[3]),
                    (z.v[0] + z.v[1]) + (z.v[2] + z.v[3]), 0}};
}

static inline void f64x4_transpose3(f64x4 p, f64x4 q, f64x4 r, f64x4 s, f64x4 *x, f64x4 *y, f64x4 *z) {
    *x = (f64x4){{p.v[0], q.v[0], r.v[0], s.v[0]}};
    *y = (f64x4){{p.v[1], q.v[1], r.v[1], s.v[1]}};
    *z = (f64x4){{p.v[2], q.v[2], r.v[2], s.v[2]}};
}

static inline void f64x4_transpose4(f64x4 *a, f64x4 *b, f64x4 *c, f64x4 *d) {
    f64x4 rows[4] = {*a, *b, *c, *d}, *columns[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) columns[i]->v[k] = rows[k].v[i];
}

#endif
