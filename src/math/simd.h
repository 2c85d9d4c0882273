/* Short vectors: f32x4, f32x8, u32x8, f64x8 and f64x4 with the mask m64x4. The only intrinsics of the library are in
 * this header and in those that it chooses from.
 *
 * A file named *_kernels.c is compiled once per instruction set with ISA_IS_SCALAR, ISA_IS_SSE4, ISA_IS_AVX2 or
 * ISA_IS_AVX512 set; a vector is one register, several, or an array accordingly. Every operation is an exact IEEE one
 * in every path (no fused products, no estimates), so that a kernel gives the same bits whichever path it takes. The
 * exception is f64x4_sub_mul, with f64x8_sub_mul: a - b c, rounded once with AVX2 and AVX-512 and twice elsewhere, for
 * dense factors, whose speed is that of fused products.
 *
 * min and max give the second operand when either is NaN: min(x, limit) drops a NaN x.
 *
 *     f64x4_load3(p)              (p[0], p[1], p[2], 0); never reads p[3]
 *     f64x4_store3(p, a)          never writes p[3]
 *     f32x4_store3(p, a)          likewise; p needs no alignment
 *     f64x4_of(a), f64x4_rounded(a)   floats as doubles, and doubles rounded to floats
 *     f32x4_turn(a), f64x4_turn(a)    (y z x w)
 *     f64x4_transpose3(p q r s)   four points (x y z -) become their x, y and z
 *     f64x4_sums3(x, y, z)        the sums of the lanes of three vectors, each (0 + 1) + (2 + 3); the last lane is
 *                                 anything
 *     f64x4_select(where, a, b)   a where the mask is set, else b
 *     f32x8_le_bits(a, b)         bit i is set where a_i <= b_i; f32x4_le_bits, u32x8_eq_bits, m64x4_bits likewise
 *     f32x4_transpose(a b c d)    rows become columns; f64x4_transpose4 likewise
 *     f32x8_where_negative(s a b) a where the sign of s is set, else b
 *     f32x8_load2(p, q)           two halves, the first from p, the second from q; f32x8_store2 likewise
 *     f32x8_spread_y(a)           in each half (x y z w): y in all four lanes; _x and _z likewise
 *     f32x8_turn(a)               in each half: (y z x w)
 *     f32x8_fourth(a, b)          in each half: x y z of a and w of b
 *     f32x8_sums4(a)              in each half: (x + y) + (z + w) in all four lanes
 *     f32x8_transpose4(a b c d)   in each half: rows become columns
 *     u32x8_keys(a)               floats that are not negative as numbers in the same order, but for the last three
 *                                 bits, which hold the lane; u32x8_least then gives the place of the least
 *     f64x8_thirds(p)             (p[0], p[0], p[0], p[1], p[1], p[1], p[2], p[2])
 *     simd_prefetch(p)            p will be read soon; it may be any address
 *     u32x8_drop(a, lane)         all bits set in a lane; u32x8_drop_from(a, n): in the lanes from n on
 */
#ifndef MATH_SIMD_H
#define MATH_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if !defined(ISA_IS_AVX2) && !defined(ISA_IS_AVX512) && !defined(ISA_IS_SSE4)
static inline void simd_prefetch(const void *p) { (void)p; }
#include "math/simd_scalar.h"
#else
#include <immintrin.h>

static inline void simd_prefetch(const void *p) { _mm_prefetch((const char *)p, _MM_HINT_T0); }

/* ---- f32x4, with SSE and with AVX */
typedef __m128 f32x4;
static inline f32x4 f32x4_set(float x) { return _mm_set1_ps(x); }
static inline f32x4 f32x4_load(const float *p) { return _mm_loadu_ps(p); }
static inline void f32x4_store(float *p, f32x4 a) { _mm_storeu_ps(p, a); }
static inline void f32x4_store3(void *p, f32x4 a) {
    double xy = _mm_cvtsd_f64(_mm_castps_pd(a));
    float z = _mm_cvtss_f32(_mm_movehl_ps(a, a));
    memcpy(p, &xy, sizeof xy);
    memcpy((char *)p + sizeof xy, &z, sizeof z);
}
static inline f32x4 f32x4_add(f32x4 a, f32x4 b) { return _mm_add_ps(a, b); }
static inline f32x4 f32x4_sub(f32x4 a, f32x4 b) { return _mm_sub_ps(a, b); }
static inline f32x4 f32x4_mul(f32x4 a, f32x4 b) { return _mm_mul_ps(a, b); }
static inline f32x4 f32x4_min(f32x4 a, f32x4 b) { return _mm_min_ps(a, b); }
static inline f32x4 f32x4_max(f32x4 a, f32x4 b) { return _mm_max_ps(a, b); }
static inline f32x4 f32x4_turn(f32x4 a) { return _mm_shuffle_ps(a, a, _MM_SHUFFLE(3, 0, 2, 1)); }
static inline f32x4 f32x4_abs(f32x4 a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
static inline unsigned f32x4_le_bits(f32x4 a, f32x4 b) { return (unsigned)_mm_movemask_ps(_mm_cmple_ps(a, b)); }
static inline void f32x4_transpose(f32x4 *a, f32x4 *b, f32x4 *c, f32x4 *d) { _MM_TRANSPOSE4_PS(*a, *b, *c, *d); }

#if defined(ISA_IS_SSE4)
#include "math/simd_sse4.h"
#else
#include "math/simd_avx2.h"
#endif
#endif

/* ---- f64x8: one register with AVX-512, else two of four */
#if defined(ISA_IS_AVX512)
typedef __m512d f64x8;
static inline f64x8 f64x8_set(double x) { return _mm512_set1_pd(x); }
static inline f64x8 f64x8_load(const double *p) { return _mm512_loadu_pd(p); }
static inline void f64x8_store(double *p, f64x8 a) { _mm512_storeu_pd(p, a); }
static inline f64x8 f64x8_add(f64x8 a, f64x8 b) { return _mm512_add_pd(a, b); }
static inline f64x8 f64x8_sub(f64x8 a, f64x8 b) { return _mm512_sub_pd(a, b); }
static inline f64x8 f64x8_mul(f64x8 a, f64x8 b) { return _mm512_mul_pd(a, b); }
static inline f64x8 f64x8_sub_mul(f64x8 a, f64x8 b, f64x8 c) { return _mm512_fnmadd_pd(b, c, a); }
static inline f64x8 f64x8_thirds(const double *p) {
    const __m512i lanes = _mm512_set_epi64(2, 2, 1, 1, 1, 0, 0, 0);
    return _mm512_permutexvar_pd(lanes, _mm512_castpd256_pd512(f64x4_load3(p)));
}
#else
typedef struct f64x8 {
    f64x4 low, high;
} f64x8;
static inline f64x8 f64x8_set(double x) { return (f64x8){f64x4_set(x), f64x4_set(x)}; }
static inline f64x8 f64x8_load(const double *p) { return (f64x8){f64x4_load(p), f64x4_load(p + 4)}; }
static inline void f64x8_store(double *p, f64x8 a) {
    f64x4_store(p, a.low);
    f64x4_store(p + 4, a.high);
}
static inline f64x8 f64x8_add(f64x8 a, f64x8 b) { return (f64x8){f64x4_add(a.low, b.low), f64x4_add(a.high, b.high)}; }
static inline f64x8 f64x8_sub(f64x8 a, f64x8 b) { return (f64x8){f64x4_sub(a.low, b.low), f64x4_sub(a.high, b.high)}; }
static inline f64x8 f64x8_mul(f64x8 a, f64x8 b) { return (f64x8){f64x4_mul(a.low, b.low), f64x4_mul(a.high, b.high)}; }
static inline f64x8 f64x8_thirds(const double *p) {
#if defined(ISA_IS_AVX2)
    f64x4 a = f64x4_load3(p);
    return (f64x8){_mm256_permute4x64_pd(a, 0x40), _mm256_permute4x64_pd(a, 0xa5)};
#else
    const double lanes[8] = {p[0], p[0], p[0], p[1], p[1], p[1], p[2], p[2]};
    return f64x8_load(lanes);
#endif
}
#endif

#endif
