/* Short vectors with AVX2 and AVX-512. Included by math/simd.h, which has the contract. */
#ifndef MATH_SIMD_AVX2_H
#define MATH_SIMD_AVX2_H

typedef __m256 f32x8;
typedef __m256i u32x8;
typedef __m256d f64x4;
typedef __m256d m64x4;

/* ---- f32x8 */
static inline f32x8 f32x8_set(float x) { return _mm256_set1_ps(x); }
static inline f32x8 f32x8_load(const float *p) { return _mm256_loadu_ps(p); }
static inline void f32x8_store(float *p, f32x8 a) { _mm256_storeu_ps(p, a); }
static inline f32x8 f32x8_add(f32x8 a, f32x8 b) { return _mm256_add_ps(a, b); }
static inline f32x8 f32x8_sub(f32x8 a, f32x8 b) { return _mm256_sub_ps(a, b); }
static inline f32x8 f32x8_mul(f32x8 a, f32x8 b) { return _mm256_mul_ps(a, b); }
static inline f32x8 f32x8_min(f32x8 a, f32x8 b) { return _mm256_min_ps(a, b); }
static inline f32x8 f32x8_max(f32x8 a, f32x8 b) { return _mm256_max_ps(a, b); }
static inline unsigned f32x8_le_bits(f32x8 a, f32x8 b) {
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}

static inline f32x8 f32x8_div(f32x8 a, f32x8 b) { return _mm256_div_ps(a, b); }
static inline f32x8 f32x8_sqrt(f32x8 a) { return _mm256_sqrt_ps(a); }
static inline f32x8 f32x8_where_negative(f32x8 s, f32x8 yes, f32x8 no) { return _mm256_blendv_ps(no, yes, s); }

/* ---- f32x8 as two halves (x y z w) */
static inline f32x8 f32x8_load2(const float *p, const float *q) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(q), 1);
}
static inline void f32x8_store2(float *p, float *q, f32x8 a) {
    _mm_storeu_ps(p, _mm256_castps256_ps128(a));
    _mm_storeu_ps(q, _mm256_extractf128_ps(a, 1));
}
static inline f32x8 f32x8_spread_x(f32x8 a) { return _mm256_permute_ps(a, 0x00); }
static inline f32x8 f32x8_spread_y(f32x8 a) { return _mm256_permute_ps(a, 0x55); }
static inline f32x8 f32x8_spread_z(f32x8 a) { return _mm256_permute_ps(a, 0xaa); }
static inline f32x8 f32x8_turn(f32x8 a) { return _mm256_permute_ps(a, 0xc9); }
static inline f32x8 f32x8_fourth(f32x8 a, f32x8 b) { return _mm256_blend_ps(a, b, 0x88); }
static inline f32x8 f32x8_sums4(f32x8 a) {
    __m256 pairs = _mm256_add_ps(a, _mm256_permute_ps(a, 0xb1));
    return _mm256_add_ps(pairs, _mm256_permute_ps(pairs, 0x4e));
}
static inline void f32x8_transpose4(f32x8 *a, f32x8 *b, f32x8 *c, f32x8 *d) {
    __m256 ab_xy = _mm256_unpacklo_ps(*a, *b), ab_zw = _mm256_unpackhi_ps(*a, *b);
    __m256 cd_xy = _mm256_unpacklo_ps(*c, *d), cd_zw = _mm256_unpackhi_ps(*c, *d);
    *a = _mm256_shuffle_ps(ab_xy, cd_xy, 0x44);
    *b = _mm256_shuffle_ps(ab_xy, cd_xy, 0xee);
    *c = _mm256_shuffle_ps(ab_zw, cd_zw, 0x44);
    *d = _mm256_shuffle_ps(ab_zw, cd_zw, 0xee);
}

/* ---- u32x8 */
static inline u32x8 u32x8_load(const uint32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline void u32x8_store(uint32_t *p, u32x8 a) { _mm256_storeu_si256((__m256i *)p, a); }
static inline u32x8 u32x8_lanes(void) { return _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0); }
static inline u32x8 u32x8_set(uint32_t x) { return _mm256_set1_epi32((int)x); }
static inline unsigned u32x8_eq_bits(u32x8 a, u32x8 b) {
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)));
}
static inline u32x8 u32x8_keys(f32x8 a) {
    return _mm256_or_si256(_mm256_andnot_si256(_mm256_set1_epi32(7), _mm256_castps_si256(a)), u32x8_lanes());
}
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
static inline f64x4 f64x4_load3(const double *p) { return _mm256_maskload_pd(p, _mm256_set_epi64x(0, -1, -1, -1)); }
static inline void f64x4_store3(double *p, f64x4 a) {
    _mm_storeu_pd(p, _mm256_castpd256_pd128(a));
    _mm_store_sd(p + 2, _mm256_extractf128_pd(a, 1));
}
static inline f64x4 f64x4_of(f32x4 a) { return _mm256_cvtps_pd(a); }
static inline f32x4 f64x4_rounded(f64x4 a) { return _mm256_cvtpd_ps(a); }
static inline f64x4 f64x4_add(f64x4 a, f64x4 b) { return _mm256_add_pd(a, b); }
static inline f64x4 f64x4_sub(f64x4 a, f64x4 b) { return _mm256_sub_pd(a, b); }
static inline f64x4 f64x4_mul(f64x4 a, f64x4 b) { return _mm256_mul_pd(a, b); }
static inline f64x4 f64x4_sub_mul(f64x4 a, f64x4 b, f64x4 c) { return _mm256_fnmadd_pd(b, c, a); }
static inline f64x4 f64x4_div(f64x4 a, f64x4 b) { return _mm256_div_pd(a, b); }
static inline f64x4 f64x4_sqrt(f64x4 a) { return _mm256_sqrt_pd(a); }
static inline f64x4 f64x4_min(f64x4 a, f64x4 b) { return _mm256_min_pd(a, b); }
static inline f64x4 f64x4_max(f64x4 a, f64x4 b) { return _mm256_max_pd(a, b); }
static inline m64x4 f64x4_lt(f64x4 a, f64x4 b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
static inline m64x4 f64x4_le(f64x4 a, f64x4 b) { return _mm256_cmp_pd(a, b, _CMP_LE_OQ); }
static inline m64x4 m64x4_and(m64x4 a, m64x4 b) { return _mm256_and_pd(a, b); }
static inline unsigned m64x4_bits(m64x4 a) { return (unsigned)_mm256_movemask_pd(a); }
static inline f64x4 f64x4_select(m64x4 where, f64x4 yes, f64x4 no) { return _mm256_blendv_pd(no, yes, where); }

static inline f64x4 f64x4_turn(f64x4 a) { return _mm256_permute4x64_pd(a, 0xc9); }

static inline f64x4 f64x4_sums3(f64x4 x, f64x4 y, f64x4 z) {
    __m256d xy = _mm256_hadd_pd(x, y), zz = _mm256_hadd_pd(z, z);
    return _mm256_add_pd(_mm256_permute2f128_pd(xy, zz, 0x20), _mm256_permute2f128_pd(xy, zz, 0x31));
}

static inline void f64x4_transpose3(f64x4 p, f64x4 q, f64x4 r, f64x4 s, f64x4 *x, f64x4 *y, f64x4 *z) {
    __m256d pq_xz = _mm256_unpacklo_pd(p, q), pq_y = _mm256_unpackhi_pd(p, q);
    __m256d rs_xz = _mm256_unpacklo_pd(r, s), rs_y = _mm256_unpackhi_pd(r, s);
    *x = _mm256_permute2f128_pd(pq_xz, rs_xz, 0x20);
    *z = _mm256_permute2f128_pd(pq_xz, rs_xz, 0x31);
    *y = _mm256_permute2f128_pd(pq_y, rs_y, 0x20);
}

static inline void f64x4_transpose4(f64x4 *a, f64x4 *b, f64x4 *c, f64x4 *d) {
    __m256d ab_low = _mm256_unpacklo_pd(*a, *b), ab_high = _mm256_unpackhi_pd(*a, *b);
    __m256d cd_low = _mm256_unpacklo_pd(*c, *d), cd_high = _mm256_unpackhi_pd(*c, *d);
    *a = _mm256_permute2f128_pd(ab_low, cd_low, 0x20);
    *b = _mm256_permute2f128_pd(ab_high, cd_high, 0x20);
    *c = _mm256_permute2f128_pd(ab_low, cd_low, 0x31);
    *d = _mm256_permute2f128_pd(ab_high, cd_high, 0x31);
}

#endif
