/* Eight vectors of three floats at once, for kernels. In memory a point has four floats (x, y, z and something
 * else). */
#ifndef MATH_VEC3X8_H
#define MATH_VEC3X8_H

#include <stddef.h>

#include "math/simd.h"

#define VEC3X8_LEAST_SQUARED 1e-37f /* of a length: what is less has no direction */

typedef struct vec3x8 {
    f32x8 x, y, z;
} vec3x8;

static inline vec3x8 vec3x8_zero(void) { return (vec3x8){f32x8_set(0), f32x8_set(0), f32x8_set(0)}; }
static inline vec3x8 vec3x8_sub(vec3x8 a, vec3x8 b) {
    return (vec3x8){f32x8_sub(a.x, b.x), f32x8_sub(a.y, b.y), f32x8_sub(a.z, b.z)};
}
static inline vec3x8 vec3x8_add(vec3x8 a, vec3x8 b) {
    return (vec3x8){f32x8_add(a.x, b.x), f32x8_add(a.y, b.y), f32x8_add(a.z, b.z)};
}
static inline vec3x8 vec3x8_scale(vec3x8 a, f32x8 s) {
    return (vec3x8){f32x8_mul(a.x, s), f32x8_mul(a.y, s), f32x8_mul(a.z, s)};
}
static inline vec3x8 vec3x8_add_scaled(vec3x8 a, vec3x8 b, f32x8 s) {
    return (vec3x8){f32x8_add(a.x, f32x8_mul(b.x, s)), f32x8_add(a.y, f32x8_mul(b.y, s)),
                    f32x8_add(a.z, f32x8_mul(b.z, s))};
}
static inline f32x8 vec3x8_dot(vec3x8 a, vec3x8 b) {
    return f32x8_add(f32x8_add(f32x8_mul(a.x, b.x), f32x8_mul(a.y, b.y)), f32x8_mul(a.z, b.z));
}
static inline vec3x8 vec3x8_cross(vec3x8 a, vec3x8 b) {
    return (vec3x8){f32x8_sub(f32x8_mul(a.y, b.z), f32x8_mul(a.z, b.y)),
                    f32x8_sub(f32x8_mul(a.z, b.x), f32x8_mul(a.x, b.z)),
                    f32x8_sub(f32x8_mul(a.x, b.y), f32x8_mul(a.y, b.x))};
}

/* Zero stays zero. */
static inline vec3x8 vec3x8_normalise(vec3x8 a) {
    f32x8 length = f32x8_sqrt(f32x8_max(vec3x8_dot(a, a), f32x8_set(VEC3X8_LEAST_SQUARED)));
    return vec3x8_scale(a, f32x8_div(f32x8_set(1), length));
}

/* points: (n x 4) */
static inline vec3x8 vec3x8_gather(const float *points, const uint32_t *v) {
    f32x8 a = f32x8_load2(points + 4 * (size_t)v[0], points + 4 * (size_t)v[4]);
    f32x8 b = f32x8_load2(points + 4 * (size_t)v[1], points + 4 * (size_t)v[5]);
    f32x8 c = f32x8_load2(points + 4 * (size_t)v[2], points + 4 * (size_t)v[6]);
    f32x8 d = f32x8_load2(points + 4 * (size_t)v[3], points + 4 * (size_t)v[7]);
    f32x8_transpose4(&a, &b, &c, &d);
    return (vec3x8){a, b, c};
}

/* The fourth number becomes 0. */
static inline void vec3x8_scatter(vec3x8 p, const uint32_t *v, float *points) {
    f32x8 a = p.x, b = p.y, c = p.z, d = f32x8_set(0);
    f32x8_transpose4(&a, &b, &c, &d);
    f32x8_store2(points + 4 * (size_t)v[0], points + 4 * (size_t)v[4], a);
    f32x8_store2(points + 4 * (size_t)v[1], points + 4 * (size_t)v[5], b);
    f32x8_store2(points + 4 * (size_t)v[2], points + 4 * (size_t)v[6], c);
    f32x8_store2(points + 4 * (size_t)v[3], points + 4 * (size_t)v[7], d);
}

#endif
