/* Short vectors with SSE 4: pairs of registers. Included by math/simd.h, which has the contract. */
#ifndef MATH_SIMD_SSE4_H
#define MATH_SIMD_SSE4_H

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

static inline f32x8 f32x8_div(f32x8 p, f32x8 q) { return (f32x8){_mm_div_ps(p.a, q.a), _mm_div_ps(p.b, q.b)}; }
static inline f32x8 f32x8_sqrt(f32x8 v) { return (f32x8){_mm_sqrt_ps(v.a), _mm_sqrt_ps(v.b)}; }
static inline f32x8 f32x8_where_negative(f32x8 s, f32x8 yes, f32x8 no) {
    return (f32x8){_mm_blendv_ps(no.a, yes.a, s.a), _mm_blendv_ps(no.b, yes.b, s.b)};
}

/* ---- f32x8 as two halves (x y z w) */
#define F32X8_SHUFFLE(v, order) ((f32x8){_mm_shuffle_ps((v).a, (v).a, order), _mm_shuffle_ps((v).b, (v).b, order)})
static inline f32x8 f32x8_load2(const float *p, const float *q) { return (f32x8){_mm_loadu_ps(p), _mm_loadu_ps(q)}; }
static inline void f32x8_store2(float *p, float *q, f32x8 v) {
    _mm_storeu_ps(p, v.a);
    _mm_storeu_ps(q, v.b);
}
static inline f32x8 f32x8_spread_x(f32x8 v) { return F32X8_SHUFFLE(v, 0x00); }
static inline f32x8 f32x8_spread_y(f32x8 v) { return F32X8_SHUFFLE(v, 0x55); }
static inline f32x8 f32x8_spread_z(f32x8 v) { return F32X8_SHUFFLE(v, 0xaa); }
static inline f32x8 f32x8_turn(f32x8 v) { return F32X8_SHUFFLE(v, 0xc9); }
static inline f32x8 f32x8_fourth(f32x8 p, f32x8 q) {
    return (f32x8){_mm_blend_ps(p.a, q.a, 8), _mm_blend_ps(p.b, q.b, 8)};
}
static inline f32x8 f32x8_sums4(f32x8 v) {
    f32x8 pairs = f32x8_add(v, F32X8_SHUFFLE(v, 0xb1));
    return f32x8_add(pairs, F32X8_SHUFFLE(pairs, 0x4e));
}
static inline void f32x8_transpose4(f32x8 *p, f32x8 *q, f32x8 *r, f32x8 *s) {
    _MM_TRANSPOSE4_PS(p->a, q->a, r->a, s->a);
    _MM_TRANSPOSE4_PS(p->b, q->b, r->b, s->b);
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
static inline u32x8 u32x8_set(uint32_t x) { return (u32x8){_mm_set1_epi32((int)x), _mm_set1_epi32((int)x)}; }
static inline unsigned u32x8_eq_bits(u32x8 p, u32x8 q) {
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(p.a, q.a))) |
           (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(p.b, q.b))) << 4;
}
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
static inline void f64x4_store3(double *p, f64x4 v) {
    _mm_storeu_pd(p, v.a);
    _mm_store_sd(p + 2, v.b);
}
static inline f64x4 f64x4_of(f32x4 a) { return (f64x4){_mm_cvtps_pd(a), _mm_cvtps_pd(_mm_movehl_ps(a, a))}; }
static inline f32x4 f64x4_rounded(f64x4 p) { return _mm_movelh_ps(_mm_cvtpd_ps(p.a), _mm_cvtpd_ps(p.b)); }
static inline f64x4 f64x4_add(f64x4 p, f64x4 q) { return (f64x4){_mm_add_pd(p.a, q.a), _mm_add_pd(p.b, q.b)}; }
static inline f64x4 f64x4_sub(f64x4 p, f64x4 q) { return (f64x4){_mm_sub_pd(p.a, q.a), _mm_sub_pd(p.b, q.b)}; }
static inline f64x4 f64x4_mul(f64x4 p, f64x4 q) { return (f64x4){_mm_mul_pd(p.a, q.a), _mm_mul_pd(p.b, q.b)}; }
static inline f64x4 f64x4_sub_mul(f64x4 p, f64x4 q, f64x4 r) { return f64x4_sub(p, f64x4_mul(q, r)); }
static inline f64x4 f64x4_div(f64x4 p, f64x4 q) { return (f64x4){_mm_div_pd(p.a, q.a), _mm_div_pd(p.b, q.b)}; }
static inline f64x4 f64x4_sqrt(f64x4 p) { return (f64x4){_mm_sqrt_pd(p.a), _mm_sqrt_pd(p.b)}; }
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

static inline f64x4 f64x4_turn(f64x4 p) { return (f64x4){_mm_shuffle_pd(p.a, p.b, 1), _mm_shuffle_pd(p.a, p.b, 2)}; }

static inline f64x4 f64x4_sums3(f64x4 x, f64x4 y, f64x4 z) {
    return (f64x4){_mm_add_pd(_mm_hadd_pd(x.a, y.a), _mm_hadd_pd(x.b, y.b)),
                   _mm_add_pd(_mm_hadd_pd(z.a, z.a), _mm_hadd_pd(z.b, z.b))};
}

static inline void f64x4_transpose3(f64x4 p, f64x4 q, f64x4 r, f64x4 s, f64x4 *x, f64x4 *y, f64x4 *z) {
    *x = (f64x4){_mm_unpacklo_pd(p.a, q.a), _mm_unpacklo_pd(r.a, s.a)};
    *y = (f64x4){_mm_unpackhi_pd(p.a, q.a), _mm_unpackhi_pd(r.a, s.a)};
    *z = (f64x4){_mm_unpacklo_pd(p.b, q.b), _mm_unpacklo_pd(r.b, s.b)};
}

static inline void f64x4_transpose4(f64x4 *a, f64x4 *b, f64x4 *c, f64x4 *d) {
    f64x4 p = *a, q = *b, r = *c, s = *d;
    *a = (f64x4){_mm_unpacklo_pd(p.a, q.a), _mm_unpacklo_pd(r.a, s.a)};
    *b = (f64x4){_mm_unpackhi_pd(p.a, q.a), _mm_unpackhi_pd(r.a, s.a)};
    *c = (f64x4){_mm_unpacklo_pd(p.b, q.b), _mm_unpacklo_pd(r.b, s.b)};
    *d = (f64x4){_mm_unpackhi_pd(p.b, q.b), _mm_unpackhi_pd(r.b, s.b)};
}

#endif
