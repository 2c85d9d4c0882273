/* Four vectors of three doubles at once, for kernels. */
#ifndef MATH_VEC3X4_H
#define MATH_VEC3X4_H

#include "math/simd.h"
#include "ruga/mesh.h"

typedef struct vec3x4 {
    f64x4 x, y, z;
} vec3x4;

static inline vec3x4 vec3x4_sub(vec3x4 a, vec3x4 b) {
    return (vec3x4){f64x4_sub(a.x, b.x), f64x4_sub(a.y, b.y), f64x4_sub(a.z, b.z)};
}
static inline vec3x4 vec3x4_scale(vec3x4 a, f64x4 s) {
    return (vec3x4){f64x4_mul(a.x, s), f64x4_mul(a.y, s), f64x4_mul(a.z, s)};
}
static inline vec3x4 vec3x4_add(vec3x4 a, vec3x4 b) {
    return (vec3x4){f64x4_add(a.x, b.x), f64x4_add(a.y, b.y), f64x4_add(a.z, b.z)};
}
static inline vec3x4 vec3x4_add_scaled(vec3x4 a, vec3x4 b, f64x4 s) {
    return (vec3x4){f64x4_add(a.x, f64x4_mul(b.x, s)), f64x4_add(a.y, f64x4_mul(b.y, s)),
                    f64x4_add(a.z, f64x4_mul(b.z, s))};
}
static inline f64x4 vec3x4_dot(vec3x4 a, vec3x4 b) {
    return f64x4_add(f64x4_add(f64x4_mul(a.x, b.x), f64x4_mul(a.y, b.y)), f64x4_mul(a.z, b.z));
}
static inline vec3x4 vec3x4_cross(vec3x4 a, vec3x4 b) {
    return (vec3x4){f64x4_sub(f64x4_mul(a.y, b.z), f64x4_mul(a.z, b.y)),
                    f64x4_sub(f64x4_mul(a.z, b.x), f64x4_mul(a.x, b.z)),
                    f64x4_sub(f64x4_mul(a.x, b.y), f64x4_mul(a.y, b.x))};
}
static inline vec3x4 vec3x4_select(m64x4 where, vec3x4 yes, vec3x4 no) {
    return (vec3x4){f64x4_select(where, yes.x, no.x), f64x4_select(where, yes.y, no.y),
                    f64x4_select(where, yes.z, no.z)};
}

static inline vec3x4 vec3x4_gather(const ruga_vec3 *positions, const uint32_t *vertex) {
    vec3x4 p;
    f64x4_transpose3(f64x4_load3(&positions[vertex[0]].x), f64x4_load3(&positions[vertex[1]].x),
                     f64x4_load3(&positions[vertex[2]].x), f64x4_load3(&positions[vertex[3]].x), &p.x, &p.y, &p.z);
    return p;
}

#endif
