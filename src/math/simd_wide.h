/* The widest registers of floats: f32w has WIDE numbers, 16 with AVX-512 and else the 8 of f32x8, and vec3w as many
 * vectors. Like math/simd.h, for files named *_kernels.c only. A loop that gives each number a lane of its own has the
 * same bits for every width.
 *
 *     f32w_le_bits(a, b)           bit i is set where a_i <= b_i
 *     f32w_where_negative(s a b)   a where the sign of s is set, else b
 *     vec3w_gather(p, i)           points of four floats, p + 4 i[0], p + 4 i[1] …; vec3w_load, vec3w_store:
 *                                  consecutive ones. Stored, the fourth number is 0
 */
#ifndef MATH_SIMD_WIDE_H
#define MATH_SIMD_WIDE_H

#include <stddef.h>
#include <stdint.h>

#include "math/simd.h"

#if defined(ISA_IS_AVX512)
#define WIDE 16
typedef __m512 f32w;
static inline f32w f32w_set(float x) { return _mm512_set1_ps(x); }
static inline f32w f32w_load(const float *p) { return _mm512_loadu_ps(p); }
static inline void f32w_store(float *p, f32w a) { _mm512_storeu_ps(p, a); }
static inline f32w f32w_add(f32w a, f32w b) { return _mm512_add_ps(a, b); }
static inline f32w f32w_sub(f32w a, f32w b) { return _mm512_sub_ps(a, b); }
static inline f32w f32w_mul(f32w a, f32w b) { return _mm512_mul_ps(a, b); }
static inline f32w f32w_div(f32w a, f32w b) { return _mm512_div_ps(a, b); }
static inline f32w f32w_min(f32w a, f32w b) { return _mm512_min_ps(a, b); }
static inline f32w f32w_max(f32w a, f32w b) { return _mm512_max_ps(a, b); }
static inline f32w f32w_sqrt(f32w a) { return _mm512_sqrt_ps(a); }
static inline unsigned f32w_le_bits(f32w a, f32w b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
static inline f32w f32w_where_negative(f32w s, f32w yes, f32w no) {
    return _mm512_mask_blend_ps(_mm512_movepi32_mask(_mm512_castps_si512(s)), no, yes);
}
/* Four points, one in each quarter. */
static inline f32w f32w_join(const float *p, const float *q, const float *r, const float *s) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(f32x8_load2(p, q)), f32x8_load2(r, s), 1);
}
static inline void f32w_part(float *p, float *q, float *r, float *s, f32w a) {
    f32x8_store2(p, q, _mm512_castps512_ps256(a));
    f32x8_store2(r, s, _mm512_extractf32x8_ps(a, 1));
}
static inline void f32w_transpose4(f32w *a, f32w *b, f32w *c, f32w *d) {
    const __m512 ab_xy = _mm512_unpacklo_ps(*a, *b), ab_zw = _mm512_unpackhi_ps(*a, *b);
    const __m512 cd_xy = _mm512_unpacklo_ps(*c, *d), cd_zw = _mm512_unpackhi_ps(*c, *d);
    *a = _mm512_shuffle_ps(ab_xy, cd_xy, 0x44);
    *b = _mm512_shuffle_ps(ab_xy, cd_xy, 0xee);
    *c = _mm512_shuffle_ps(ab_zw, cd_zw, 0x44);
    *d = _mm512_shuffle_ps(ab_zw, cd_zw, 0xee);
}
#define F32W_GATHER(p, i, k)                                                                            \
    f32w_join((p) + 4 * (size_t)(i)[k], (p) + 4 * (size_t)(i)[(k) + 4], (p) + 4 * (size_t)(i)[(k) + 8], \
              (p) + 4 * (size_t)(i)[(k) + 12])
#define F32W_RUN(p, k) f32w_join((p) + 4 * (k), (p) + 4 * (k) + 16, (p) + 4 * (k) + 32, (p) + 4 * (k) + 48)
#define F32W_PART(p, k, a) f32w_part((p) + 4 * (k), (p) + 4 * (k) + 16, (p) + 4 * (k) + 32, (p) + 4 * (k) + 48, a)

#else
#define WIDE 8
typedef f32x8 f32w;
static inline f32w f32w_set(float x) { return f32x8_set(x); }
static inline f32w f32w_load(const float *p) { return f32x8_load(p); }
static inline void f32w_store(float *p, f32w a) { f32x8_store(p, a); }
static inline f32w f32w_add(f32w a, f32w b) { return f32x8_add(a, b); }
static inline f32w f32w_sub(f32w a, f32w b) { return f32x8_sub(a, b); }
static inline f32w f32w_mul(f32w a, f32w b) { return f32x8_mul(a, b); }
static inline f32w f32w_div(f32w a, f32w b) { return f32x8_div(a, b); }
static inline f32w f32w_min(f32w a, f32w b) { return f32x8_min(a, b); }
static inline f32w f32w_max(f32w a, f32w b) { return f32x8_max(a, b); }
static inline f32w f32w_sqrt(f32w a) { return f32x8_sqrt(a); }
static inline unsigned f32w_le_bits(f32w a, f32w b) { return f32x8_le_bits(a, b); }
static inline f32w f32w_where_negative(f32w s, f32w yes, f32w no) { return f32x8_where_negative(s, yes, no); }
static inline void f32w_transpose4(f32w *a, f32w *b, f32w *c, f32w *d) { f32x8_transpose4(a, b, c, d); }
#define F32W_GATHER(p, i, k) f32x8_load2((p) + 4 * (size_t)(i)[k], (p) + 4 * (size_t)(i)[(k) + 4])
#define F32W_RUN(p, k) f32x8_load2((p) + 4 * (k), (p) + 4 * (k) + 16)
#define F32W_PART(p, k, a) f32x8_store2((p) + 4 * (k), (p) + 4 * (k) + 16, a)
#endif

typedef struct vec3w {
    f32w x, y, z;
} vec3w;

static inline vec3w vec3w_gather(const float *points, const uint32_t *v) {
    f32w a = F32W_GATHER(points, v, 0), b = F32W_GATHER(points, v, 1);
    f32w c = F32W_GATHER(points, v, 2), d = F32W_GATHER(points, v, 3);
    f32w_transpose4(&a, &b, &c, &d);
    return (vec3w){a, b, c};
}
/* The same, with their fourth numbers. */
static inline vec3w vec3w_gather4(const float *points, const uint32_t *v, f32w *fourth) {
    f32w a = F32W_GATHER(points, v, 0), b = F32W_GATHER(points, v, 1);
    f32w c = F32W_GATHER(points, v, 2), d = F32W_GATHER(points, v, 3);
    f32w_transpose4(&a, &b, &c, &d);
    *fourth = d;
    return (vec3w){a, b, c};
}
static inline vec3w vec3w_load(const float *points) {
    f32w a = F32W_RUN(points, 0), b = F32W_RUN(points, 1), c = F32W_RUN(points, 2), d = F32W_RUN(points, 3);
    f32w_transpose4(&a, &b, &c, &d);
    return (vec3w){a, b, c};
}
static inline void vec3w_store(float *points, vec3w v) {
    f32w a = v.x, b = v.y, c = v.z, d = f32w_set(0);
    f32w_transpose4(&a, &b, &c, &d);
    F32W_PART(points, 0, a);
    F32W_PART(points, 1, b);
    F32W_PART(points, 2, c);
    F32W_PART(points, 3, d);
}
static inline vec3w vec3w_sub(vec3w a, vec3w b) {
    return (vec3w){f32w_sub(a.x, b.x), f32w_sub(a.y, b.y), f32w_sub(a.z, b.z)};
}
static inline vec3w vec3w_add_scaled(vec3w a, vec3w b, f32w s) {
    return (vec3w){f32w_add(a.x, f32w_mul(b.x, s)), f32w_add(a.y, f32w_mul(b.y, s)), f32w_add(a.z, f32w_mul(b.z, s))};
}
static inline f32w vec3w_dot(vec3w a, vec3w b) {
    return f32w_add(f32w_add(f32w_mul(a.x, b.x), f32w_mul(a.y, b.y)), f32w_mul(a.z, b.z));
}

#endif
