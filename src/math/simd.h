/* Short vectors: f32x4, f32x8, u32x8 and f64x4 with the mask m64x4. The only intrinsics of the library are here.
 *
 * A file named *_kernels.c is compiled once per instruction set with ISA_IS_SCALAR, ISA_IS_SSE4, ISA_IS_AVX2 or
 * ISA_IS_AVX512 set; a vector is one register, several, or an array accordingly. Every operation is an exact IEEE one
 * in every path (no fused products, no estimates), so that a kernel gives the same bits whichever path it takes.
 *
 * min and max give the second operand when either is NaN: min(x, limit) drops a NaN x.
 */
#ifndef MATH_SIMD_H
#define MATH_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(ISA_IS_AVX2) || defined(ISA_IS_AVX512)
#include <immintrin.h>

typedef __m128 f32x4;
typedef __m256 f32x8;
typedef __m256i u32x8;
typedef __m256d f64x4;
typedef __m256d m64x4;

/* ---- f32x4 */
static inline f32x4 f32x4_set(float x) { return _mm_set1_ps(x); }
static inline f32x4 f32x4_load(const float *p) { return _mm_loadu_ps(p); }
static inline void f32x4_store(float *p, f32x4 a) { _mm_storeu_ps(p, a); }
static inline f32x4 f32x4_add(f32x4 a, f32x4 b) { return _mm_add_ps(a, b); }
static inline f32x4 f32x4_sub(f32x4 a, f32x4 b) { return _mm_sub_ps(a, b); }
static inline f32x4 f32x4_mul(f32x4 a, f32x4 b) { return _mm_mul_ps(a, b); }
static inline f32x4 f32x4_min(f32x4 a, f32x4 b) { return _mm_min_ps(a, b); }
static inline f32x4 f32x4_max(f32x4 a, f32x4 b) { return _mm_max_ps(a, b); }
static inline f32x4 f32x4_abs(f32x4 a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
static inline f32x4 f32x4_from_f64x4(f64x4 a) { return _mm256_cvtpd_ps(a); }
/* The rows of a 4 x 4 matrix become its columns. */
static inline void f32x4_transpose(f32x4 *a, f32x4 *b, f32x4 *c, f32x4 *d) { _MM_TRANSPOSE4_PS(*a, *b, *c, *d); }

/* ---- f32x8 */
static inline f32x8 f32x8_set(float x) { return _mm256_set1_ps(x); }
static inline f32x8 f32x8_load(const float *p) { return _mm256_loadu_ps(p); }
static inline void f32x8_store(float *p, f32x8 a) { _mm256_storeu_ps(p, a); }
static inline f32x8 f32x8_add(f32x8 a, f32x8 b) { return _mm256_add_ps(a, b); }
static inline f32x8 f32x8_sub(f32x8 a, f32x8 b) { return _mm256_sub_ps(a, b); }
static inline f32x8 f32x8_mul(f32x8 a, f32x8 b) { return _mm256_mul_ps(a, b); }
static inline f32x8 f32x8_min(f32x8 a, f32x8 b) { return _mm256_min_ps(a, b); }
static inline f32x8 f32x8_max(f32x8 a, f32x8 b) { return _mm256_max_ps(a, b); }
/* Bit i is set where a_i <= b_i. */
static inline unsigned f32x8_le_bits(f32x8 a, f32x8 b) {
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}

/* ---- u32x8: eight numbers that carry their lane in the lowest three bits, to find the least and where it is. */
static inline u32x8 u32x8_load(const uint32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline void u32x8_store(uint32_t *p, u32x8 a) { _mm256_storeu_si256((__m256i *)p, a); }
static inline u32x8 u32x8_lanes(void) { return _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0); }
/* Floats that are not negative, as numbers in the same order but for the last three bits, with their lanes. */
static inline u32x8 u32x8_keys(f32x8 a) {
    return _mm256_or_si256(_mm256_andnot_si256(_mm256_set1_epi32(7), _mm256_castps_si256(a)), u32x8_lanes());
}
/* All bits set in one lane, or in the lanes from `first` on. */
static inline u32x8 u32x8_drop(u32x8 a, uint32_t lane) {
    return _mm256_or_si256(a, _mm256_cmpeq_epi32(u32x8_lanes(), _mm256_set1_epi32((int)lane)));
}
static inline u32x8 u32x8_drop_from(u32x8 a, uint32_t first) {
    return _mm256_or_si256(a, _mm256_cmpgt_epi32(u32x8_lanes(), _mm256_set1_epi32((int)first - 1)));
}
static inline uint32_t u32x8_least(u32x8 a) {
    __m128i m = _mm_min_epu32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    m = _mm_min_epu32(m, _mm_shuffle_epi32(m, 0x4e));
    m = _mm_min_epu32(m, _mm_shuffle_epi32(m, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(m);
}

/* ---- f64x4 */
static inline f64x4 f64x4_set(double x) { return _mm256_set1_pd(x); }
static inline f64x4 f64x4_load(const double *p) { return _mm256_loadu_pd(p); }
static inline void f64x4_store(double *p, f64x4 a) { _mm256_storeu_pd(p, a); }
/* (p[0], p[1], p[2], 0); never reads p[3]. */
static inline f64x4 f64x4_load3(const double *p) { return _mm256_maskload_pd(p, _mm256_set_epi64x(0, -1, -1, -1)); }
static inline f64x4 f64x4_add(f64x4 a, f64x4 b) { return _mm256_add_pd(a, b); }
static inline f64x4 f64x4_sub(f64x4 a, f64x4 b) { return _mm256_sub_pd(a, b); }
static inline f64x4 f64x4_mul(f64x4 a, f64x4 b) { return _mm256_mul_pd(a, b); }
static inline f64x4 f64x4_div(f64x4 a, f64x4 b) { return _mm256_div_pd(a, b); }
static inline f64x4 f64x4_min(f64x4 a, f64x4 b) { return _mm256_min_pd(a, b); }
static inline f64x4 f64x4_max(f64x4 a, f64x4 b) { return _mm256_max_pd(a, b); }
static inline m64x4 f64x4_lt(f64x4 a, f64x4 b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
static inline m64x4 f64x4_le(f64x4 a, f64x4 b) { return _mm256_cmp_pd(a, b, _CMP_LE_OQ); }
static inline m64x4 m64x4_and(m64x4 a, m64x4 b) { return _mm256_and_pd(a, b); }
static inline unsigned m64x4_bits(m64x4 a) { return (unsigned)_mm256_movemask_pd(a); }
static inline f64x4 f64x4_select(m64x4 where, f64x4 yes, f64x4 no) { return _mm256_blendv_pd(no, yes, where); }

/* Four points (x y z -) become their x, y and z. */
static inline void f64x4_transpose3(f64x4 p, f64x4 q, f64x4 r, f64x4 s, f64x4 *x, f64x4 *y, f64x4 *z) {
    __m256d pq_xz = _mm256_unpacklo_pd(p, q), pq_y = _mm256_unpackhi_pd(p, q);
    __m256d rs_xz = _mm256_unpacklo_pd(r, s), rs_y = _mm256_unpackhi_pd(r, s);
    *x = _mm256_permute2f128_pd(pq_xz, rs_xz, 0x20);
    *z = _mm256_permute2f128_pd(pq_xz, rs_xz, 0x31);
    *y = _mm256_permute2f128_pd(pq_y, rs_y, 0x20);
}

#elif defined(ISA_IS_SSE4)
#include <smmintrin.h>

typedef __m128 f32x4;
typedef struct f32x8 {
    __m128 a, b;
} f32x8;
typedef struct u32x8 {
    __m128i a, b;
} u32x8;
typedef struct f64x4 {
    __m128d a, b;
} f64x4;
typedef f64x4 m64x4;

/* ---- f32x4 */
static inline f32x4 f32x4_set(float x) { return _mm_set1_ps(x); }
static inline f32x4 f32x4_load(const float *p) { return _mm_loadu_ps(p); }
static inline void f32x4_store(float *p, f32x4 a) { _mm_storeu_ps(p, a); }
static inline f32x4 f32x4_add(f32x4 a, f32x4 b) { return _mm_add_ps(a, b); }
static inline f32x4 f32x4_sub(f32x4 a, f32x4 b) { return _mm_sub_ps(a, b); }
static inline f32x4 f32x4_mul(f32x4 a, f32x4 b) { return _mm_mul_ps(a, b); }
static inline f32x4 f32x4_min(f32x4 a, f32x4 b) { return _mm_min_ps(a, b); }
static inline f32x4 f32x4_max(f32x4 a, f32x4 b) { return _mm_max_ps(a, b); }
static inline f32x4 f32x4_abs(f32x4 a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
static inline f32x4 f32x4_from_f64x4(f64x4 a) { return _mm_movelh_ps(_mm_cvtpd_ps(a.a), _mm_cvtpd_ps(a.b)); }
static inline void f32x4_transpose(f32x4 *a, f32x4 *b, f32x4 *c, f32x4 *d) { _MM_TRANSPOSE4_PS(*a, *b, *c, *d); }

/* ---- f32x8 */
static inline f32x8 f32x8_set(float x) { return (f32x8){_mm_set1_ps(x), _mm_set1_ps(x)}; }
static inline f32x8 f32x8_load(const float *p) { return (f32x8){_mm_loadu_ps(p), _mm_loadu_ps(p + 4)}; }
static inline void f32x8_store(float *p, f32x8 v) {
    _mm_storeu_ps(p, v.a);
    _mm_storeu_ps(p + 4, v.b);
}
static inline f32x8 f32x8_add(f32x8 p, f32x8 q) { return (f32x8){_mm_add_ps(p.a, q.a), _mm_add_ps(p.b, q.b)}; }
static inline f32x8 f32x8_sub(f32x8 p, f32x8 q) { return (f32x8){_mm_sub_ps(p.a, q.a), _mm_sub_ps(p.b, q.b)}; }
static inline f32x8 f32x8_mul(f32x8 p, f32x8 q) { return (f32x8){_mm_mul_ps(p.a, q.a), _mm_mul_ps(p.b, q.b)}; }
static inline f32x8 f32x8_min(f32x8 p, f32x8 q) { return (f32x8){_mm_min_ps(p.a, q.a), _mm_min_ps(p.b, q.b)}; }
static inline f32x8 f32x8_max(f32x8 p, f32x8 q) { return (f32x8){_mm_max_ps(p.a, q.a), _mm_max_ps(p.b, q.b)}; }
static inline unsigned f32x8_le_bits(f32x8 p, f32x8 q) {
    return (unsigned)_mm_movemask_ps(_mm_cmple_ps(p.a, q.a)) | (unsigned)_mm_movemask_ps(_mm_cmple_ps(p.b, q.b)) << 4;
}

/* ---- u32x8 */
static inline u32x8 u32x8_load(const uint32_t *p) {
    return (u32x8){_mm_loadu_si128((const __m128i *)p), _mm_loadu_si128((const __m128i *)(p + 4))};
}
static inline void u32x8_store(uint32_t *p, u32x8 v) {
    _mm_storeu_si128((__m128i *)p, v.a);
    _mm_storeu_si128((__m128i *)(p + 4), v.b);
}
static inline u32x8 u32x8_lanes(void) { return (u32x8){_mm_set_epi32(3, 2, 1, 0), _mm_set_epi32(7, 6, 5, 4)}; }
static inline u32x8 u32x8_keys(f32x8 v) {
    __m128i low_bits = _mm_set1_epi32(7);
    u32x8 lanes = u32x8_lanes();
    return (u32x8){_mm_or_si128(_mm_andnot_si128(low_bits, _mm_castps_si128(v.a)), lanes.a),
                   _mm_or_si128(_mm_andnot_si128(low_bits, _mm_castps_si128(v.b)), lanes.b)};
}
static inline u32x8 u32x8_drop(u32x8 v, uint32_t lane) {
    __m128i which = _mm_set1_epi32((int)lane);
    u32x8 lanes = u32x8_lanes();
    return (u32x8){_mm_or_si128(v.a, _mm_cmpeq_epi32(lanes.a, which)),
                   _mm_or_si128(v.b, _mm_cmpeq_epi32(lanes.b, which))};
}
static inline u32x8 u32x8_drop_from(u32x8 v, uint32_t first) {
    __m128i last = _mm_set1_epi32((int)first - 1);
    u32x8 lanes = u32x8_lanes();
    return (u32x8){_mm_or_si128(v.a, _mm_cmpgt_epi32(lanes.a, last)),
                   _mm_or_si128(v.b, _mm_cmpgt_epi32(lanes.b, last))};
}
static inline uint32_t u32x8_least(u32x8 v) {
    __m128i m = _mm_min_epu32(v.a, v.b);
    m = _mm_min_epu32(m, _mm_shuffle_epi32(m, 0x4e));
    m = _mm_min_epu32(m, _mm_shuffle_epi32(m, 0xb1));
    return (uint32_t)_mm_cvtsi128_si32(m);
}

/* ---- f64x4 */
static inline f64x4 f64x4_set(double x) { return (f64x4){_mm_set1_pd(x), _mm_set1_pd(x)}; }
static inline f64x4 f64x4_load(const double *p) { return (f64x4){_mm_loadu_pd(p), _mm_loadu_pd(p + 2)}; }
static inline f64x4 f64x4_load3(const double *p) { return (f64x4){_mm_loadu_pd(p), _mm_load_sd(p + 2)}; }
static inline void f64x4_store(double *p, f64x4 v) {
    _mm_storeu_pd(p, v.a);
    _mm_storeu_pd(p + 2, v.b);
}
static inline f64x4 f64x4_add(f64x4 p, f64x4 q) { return (f64x4){_mm_add_pd(p.a, q.a), _mm_add_pd(p.b, q.b)}; }
static inline f64x4 f64x4_sub(f64x4 p, f64x4 q) { return (f64x4){_mm_sub_pd(p.a, q.a), _mm_sub_pd(p.b, q.b)}; }
static inline f64x4 f64x4_mul(f64x4 p, f64x4 q) { return (f64x4){_mm_mul_pd(p.a, q.a), _mm_mul_pd(p.b, q.b)}; }
static inline f64x4 f64x4_div(f64x4 p, f64x4 q) { return (f64x4){_mm_div_pd(p.a, q.a), _mm_div_pd(p.b, q.b)}; }
static inline f64x4 f64x4_min(f64x4 p, f64x4 q) { return (f64x4){_mm_min_pd(p.a, q.a), _mm_min_pd(p.b, q.b)}; }
static inline f64x4 f64x4_max(f64x4 p, f64x4 q) { return (f64x4){_mm_max_pd(p.a, q.a), _mm_max_pd(p.b, q.b)}; }
static inline m64x4 f64x4_lt(f64x4 p, f64x4 q) { return (m64x4){_mm_cmplt_pd(p.a, q.a), _mm_cmplt_pd(p.b, q.b)}; }
static inline m64x4 f64x4_le(f64x4 p, f64x4 q) { return (m64x4){_mm_cmple_pd(p.a, q.a), _mm_cmple_pd(p.b, q.b)}; }
static inline m64x4 m64x4_and(m64x4 p, m64x4 q) { return (m64x4){_mm_and_pd(p.a, q.a), _mm_and_pd(p.b, q.b)}; }
static inline unsigned m64x4_bits(m64x4 p) {
    return (unsigned)_mm_movemask_pd(p.a) | (unsigned)_mm_movemask_pd(p.b) << 2;
}
static inline f64x4 f64x4_select(m64x4 where, f64x4 yes, f64x4 no) {
    return (f64x4){_mm_blendv_pd(no.a, yes.a, where.a), _mm_blendv_pd(no.b, yes.b, where.b)};
}

static inline void f64x4_transpose3(f64x4 p, f64x4 q, f64x4 r, f64x4 s, f64x4 *x, f64x4 *y, f64x4 *z) {
    *x = (f64x4){_mm_unpacklo_pd(p.a, q.a), _mm_unpacklo_pd(r.a, s.a)};
    *y = (f64x4){_mm_unpackhi_pd(p.a, q.a), _mm_unpackhi_pd(r.a, s.a)};
    *z = (f64x4){_mm_unpacklo_pd(p.b, q.b), _mm_unpacklo_pd(r.b, s.b)};
}

#else /* arrays; compilers make of them what the machine has */

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
static inline f32x4 f32x4_add(f32x4 a, f32x4 b) { SIMD_LANES(f32x4, 4, a.v[i] + b.v[i]); }
static inline f32x4 f32x4_sub(f32x4 a, f32x4 b) { SIMD_LANES(f32x4, 4, a.v[i] - b.v[i]); }
static inline f32x4 f32x4_mul(f32x4 a, f32x4 b) { SIMD_LANES(f32x4, 4, a.v[i] * b.v[i]); }
static inline f32x4 f32x4_min(f32x4 a, f32x4 b) { SIMD_LANES(f32x4, 4, a.v[i] < b.v[i] ? a.v[i] : b.v[i]); }
static inline f32x4 f32x4_max(f32x4 a, f32x4 b) { SIMD_LANES(f32x4, 4, a.v[i] > b.v[i] ? a.v[i] : b.v[i]); }
static inline f32x4 f32x4_abs(f32x4 a) { SIMD_LANES(f32x4, 4, fabsf(a.v[i])); }
static inline f32x4 f32x4_from_f64x4(f64x4 a) { SIMD_LANES(f32x4, 4, (float)a.v[i]); }
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

/* ---- u32x8 */
static inline u32x8 u32x8_load(const uint32_t *p) { SIMD_LANES(u32x8, 8, p[i]); }
static inline void u32x8_store(uint32_t *p, u32x8 a) { memcpy(p, a.v, sizeof a.v); }
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
static inline f64x4 f64x4_add(f64x4 a, f64x4 b) { SIMD_LANES(f64x4, 4, a.v[i] + b.v[i]); }
static inline f64x4 f64x4_sub(f64x4 a, f64x4 b) { SIMD_LANES(f64x4, 4, a.v[i] - b.v[i]); }
static inline f64x4 f64x4_mul(f64x4 a, f64x4 b) { SIMD_LANES(f64x4, 4, a.v[i] * b.v[i]); }
static inline f64x4 f64x4_div(f64x4 a, f64x4 b) { SIMD_LANES(f64x4, 4, a.v[i] / b.v[i]); }
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

static inline void f64x4_transpose3(f64x4 p, f64x4 q, f64x4 r, f64x4 s, f64x4 *x, f64x4 *y, f64x4 *z) {
    *x = (f64x4){{p.v[0], q.v[0], r.v[0], s.v[0]}};
    *y = (f64x4){{p.v[1], q.v[1], r.v[1], s.v[1]}};
    *z = (f64x4){{p.v[2], q.v[2], r.v[2], s.v[2]}};
}

#endif
#endif
