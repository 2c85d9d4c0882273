/* Registers of points: f32q has QUADS points of four floats (x y z w), as many as a register of the instruction set
 * holds, so that work on points in this form is as wide as the machine. Like math/simd.h, for files named *_kernels.c
 * only.
 *
 *     f32q_gather(p, i)         the points at p + i[0], p + i[1] …, i of any integers; f32q_scatter puts them there in
 *                               this order
 *     f32q_sums(a b c d)        (x + y) + z of 4 x QUADS points: in each quad those of a, b, c, d
 *     f32q_lengths2(a b c d)    likewise (x² + y²) + z²; f32q_fourths: likewise w
 *     f32q_spread(f, k)         in each quad, number k four times; k is a constant
 *     f32q_with_fourth(a, b)    x, y and z of a, w of b
 *     f32q_select_gt(a, b, yes, no)   yes where a > b
 *     f32q_by_sign(a, negative, positive)   by the signs of a, 0 where it is 0; f32q_size: a without its signs
 */
#ifndef MATH_SIMD_QUADS_H
#define MATH_SIMD_QUADS_H

#include "math/simd.h"

#if defined(ISA_IS_AVX512)
#define QUADS 4
#define F32Q_OP(name) _mm512_##name
typedef __m512 f32q;
static inline f32q f32q_select_gt(f32q a, f32q b, f32q yes, f32q no) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_GT_OQ), no, yes);
}
static inline f32q f32q_join(const float *p, const float *q, const float *r, const float *s) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(f32x8_load2(p, q)), f32x8_load2(r, s), 1);
}
static inline void f32q_part(float *p, float *q, float *r, float *s, f32q a) {
    f32x8_store2(p, q, _mm512_castps512_ps256(a));
    f32x8_store2(r, s, _mm512_extractf32x8_ps(a, 1));
}
#define f32q_gather(p, i) f32q_join((p) + (i)[0], (p) + (i)[1], (p) + (i)[2], (p) + (i)[3])
#define f32q_scatter(p, i, a) f32q_part((p) + (i)[0], (p) + (i)[1], (p) + (i)[2], (p) + (i)[3], a)
static inline f32q f32q_size(f32q a) { return _mm512_abs_ps(a); }
static inline f32q f32q_by_sign(f32q a, f32q negative, f32q positive) {
    __mmask16 below = _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_LT_OQ);
    __mmask16 above = _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_GT_OQ);
    return _mm512_mask_mov_ps(_mm512_maskz_mov_ps(above, positive), below, negative);
}
static inline f32q f32q_with_fourth(f32q a, f32q b) { return _mm512_mask_blend_ps(0x8888, a, b); }

#elif defined(ISA_IS_AVX2)
#define QUADS 2
#define F32Q_OP(name) _mm256_##name
typedef f32x8 f32q;
#define F32Q_GREATER(a, b) _mm256_cmp_ps(a, b, _CMP_GT_OQ)
#define f32q_gather(p, i) f32x8_load2((p) + (i)[0], (p) + (i)[1])
#define f32q_scatter(p, i, a) f32x8_store2((p) + (i)[0], (p) + (i)[1], a)
static inline f32q f32q_with_fourth(f32q a, f32q b) { return f32x8_fourth(a, b); }

#else
#define QUADS 1
typedef f32x4 f32q;
#define f32q_gather(p, i) f32x4_load((p) + (i)[0])
#define f32q_scatter(p, i, a) f32x4_store((p) + (i)[0], a)
#endif

#if defined(ISA_IS_SSE4)
#define F32Q_OP(name) _mm_##name
#define F32Q_GREATER(a, b) _mm_cmpgt_ps(a, b)
static inline f32q f32q_with_fourth(f32q a, f32q b) { return _mm_blend_ps(a, b, 8); }
#endif

#if !defined(F32Q_OP)
static inline f32q f32q_set(float x) { return f32x4_set(x); }
static inline f32q f32q_load(const float *p) { return f32x4_load(p); }
static inline void f32q_store(float *p, f32q a) { f32x4_store(p, a); }
static inline f32q f32q_add(f32q a, f32q b) { return f32x4_add(a, b); }
static inline f32q f32q_sub(f32q a, f32q b) { return f32x4_sub(a, b); }
static inline f32q f32q_mul(f32q a, f32q b) { return f32x4_mul(a, b); }
static inline f32q f32q_min(f32q a, f32q b) { return f32x4_min(a, b); }
static inline f32q f32q_max(f32q a, f32q b) { return f32x4_max(a, b); }
static inline f32q f32q_div(f32q a, f32q b) { SIMD_LANES(f32q, 4, a.v[i] / b.v[i]); }
static inline f32q f32q_sqrt(f32q a) { SIMD_LANES(f32q, 4, sqrtf(a.v[i])); }
static inline f32q f32q_select_gt(f32q a, f32q b, f32q yes, f32q no) {
    SIMD_LANES(f32q, 4, a.v[i] > b.v[i] ? yes.v[i] : no.v[i]);
}
static inline f32q f32q_with_fourth(f32q a, f32q b) { SIMD_LANES(f32q, 4, i < 3 ? a.v[i] : b.v[i]); }
static inline f32q f32q_size(f32q a) { SIMD_LANES(f32q, 4, fabsf(a.v[i])); }
static inline f32q f32q_by_sign(f32q a, f32q negative, f32q positive) {
    SIMD_LANES(f32q, 4, a.v[i] > 0 ? positive.v[i] : a.v[i] < 0 ? negative.v[i] : 0);
}
static inline float f32q_sum(f32q a) { return (a.v[0] + a.v[1]) + a.v[2]; }
static inline f32q f32q_sums(f32q a, f32q b, f32q c, f32q d) {
    return (f32q){{f32q_sum(a), f32q_sum(b), f32q_sum(c), f32q_sum(d)}};
}
static inline f32q f32q_lengths2(f32q a, f32q b, f32q c, f32q d) {
    return f32q_sums(f32q_mul(a, a), f32q_mul(b, b), f32q_mul(c, c), f32q_mul(d, d));
}
static inline f32q f32q_fourths(f32q a, f32q b, f32q c, f32q d) { return (f32q){{a.v[3], b.v[3], c.v[3], d.v[3]}}; }
#define f32q_spread(f, k) f32x4_set((f).v[k])

#else
static inline f32q f32q_set(float x) { return F32Q_OP(set1_ps)(x); }
static inline f32q f32q_load(const float *p) { return F32Q_OP(loadu_ps)(p); }
static inline void f32q_store(float *p, f32q a) { F32Q_OP(storeu_ps)(p, a); }
static inline f32q f32q_add(f32q a, f32q b) { return F32Q_OP(add_ps)(a, b); }
static inline f32q f32q_sub(f32q a, f32q b) { return F32Q_OP(sub_ps)(a, b); }
static inline f32q f32q_mul(f32q a, f32q b) { return F32Q_OP(mul_ps)(a, b); }
static inline f32q f32q_div(f32q a, f32q b) { return F32Q_OP(div_ps)(a, b); }
static inline f32q f32q_sqrt(f32q a) { return F32Q_OP(sqrt_ps)(a); }
static inline f32q f32q_min(f32q a, f32q b) { return F32Q_OP(min_ps)(a, b); }
static inline f32q f32q_max(f32q a, f32q b) { return F32Q_OP(max_ps)(a, b); }
#if defined(F32Q_GREATER)
static inline f32q f32q_select_gt(f32q a, f32q b, f32q yes, f32q no) {
    return F32Q_OP(blendv_ps)(no, yes, F32Q_GREATER(a, b));
}
static inline f32q f32q_size(f32q a) { return F32Q_OP(andnot_ps)(f32q_set(-0.0f), a); }
static inline f32q f32q_by_sign(f32q a, f32q negative, f32q positive) {
    f32q above = F32Q_GREATER(a, f32q_set(0)), below = F32Q_GREATER(f32q_set(0), a);
    return F32Q_OP(or_ps)(F32Q_OP(and_ps)(above, positive), F32Q_OP(and_ps)(below, negative));
}
#endif
#define F32Q_SHUFFLE(a, b, k) F32Q_OP(shuffle_ps)(a, b, k)
#define f32q_spread(f, k) F32Q_SHUFFLE(f, f, 0x55 * (k))
/* Their first numbers, their second and their third. */
static inline void f32q_columns(f32q a, f32q b, f32q c, f32q d, f32q *x, f32q *y, f32q *z) {
    f32q ab_xy = F32Q_OP(unpacklo_ps)(a, b), cd_xy = F32Q_OP(unpacklo_ps)(c, d);
    *x = F32Q_SHUFFLE(ab_xy, cd_xy, 0x44);
    *y = F32Q_SHUFFLE(ab_xy, cd_xy, 0xee);
    *z = F32Q_SHUFFLE(F32Q_OP(unpackhi_ps)(a, b), F32Q_OP(unpackhi_ps)(c, d), 0x44);
}
static inline f32q f32q_sums(f32q a, f32q b, f32q c, f32q d) {
    f32q x, y, z;
    f32q_columns(a, b, c, d, &x, &y, &z);
    return f32q_add(f32q_add(x, y), z);
}
static inline f32q f32q_lengths2(f32q a, f32q b, f32q c, f32q d) {
    f32q x, y, z;
    f32q_columns(a, b, c, d, &x, &y, &z);
    return f32q_add(f32q_add(f32q_mul(x, x), f32q_mul(y, y)), f32q_mul(z, z));
}
static inline f32q f32q_fourths(f32q a, f32q b, f32q c, f32q d) {
    return F32Q_SHUFFLE(F32Q_OP(unpackhi_ps)(a, b), F32Q_OP(unpackhi_ps)(c, d), 0xee);
}
#endif

#endif
