/* Normals of eight vertices at a time. Compiled once per instruction set; all paths give the same bits (math/simd.h).
 *
 * With d the way from a vertex to its neighbour, d × d' is a triangle's normal times twice its area. With both of unit length it
 * is the normal times sin θ, and what is missing to the angle is θ / sin θ, by the tangent of half the angle:
 *     θ = 2 atan(sin θ / (1 + cos θ)),  of obtuse ones π less that of π - θ. */
#include "geom/float_normals_kernels.h"

#include "math/simd.h"

#define LEAST_SQUARED 1e-37f /* of a length: what is less has no direction */

typedef struct vec3x8 {
    f32x8 x, y, z;
} vec3x8;

/* Eight points' coordinates. */
static inline vec3x8 gather(const float *points, const uint32_t *v) {
    f32x8 a = f32x8_load2(points + 4 * (size_t)v[0], points + 4 * (size_t)v[4]);
    f32x8 b = f32x8_load2(points + 4 * (size_t)v[1], points + 4 * (size_t)v[5]);
    f32x8 c = f32x8_load2(points + 4 * (size_t)v[2], points + 4 * (size_t)v[6]);
    f32x8 d = f32x8_load2(points + 4 * (size_t)v[3], points + 4 * (size_t)v[7]);
    f32x8_transpose4(&a, &b, &c, &d);
    return (vec3x8){a, b, c};
}

static inline void scatter(vec3x8 n, const uint32_t *v, float *normals) {
    f32x8 a = n.x, b = n.y, c = n.z, d = f32x8_set(0);
    f32x8_transpose4(&a, &b, &c, &d);
    f32x8_store2(normals + 4 * (size_t)v[0], normals + 4 * (size_t)v[4], a);
    f32x8_store2(normals + 4 * (size_t)v[1], normals + 4 * (size_t)v[5], b);
    f32x8_store2(normals + 4 * (size_t)v[2], normals + 4 * (size_t)v[6], c);
    f32x8_store2(normals + 4 * (size_t)v[3], normals + 4 * (size_t)v[7], d);
}

static inline vec3x8 sub(vec3x8 a, vec3x8 b) {
    return (vec3x8){f32x8_sub(a.x, b.x), f32x8_sub(a.y, b.y), f32x8_sub(a.z, b.z)};
}
static inline vec3x8 add(vec3x8 a, vec3x8 b) {
    return (vec3x8){f32x8_add(a.x, b.x), f32x8_add(a.y, b.y), f32x8_add(a.z, b.z)};
}
static inline vec3x8 scale(vec3x8 a, f32x8 s) {
    return (vec3x8){f32x8_mul(a.x, s), f32x8_mul(a.y, s), f32x8_mul(a.z, s)};
}
static inline f32x8 dot(vec3x8 a, vec3x8 b) {
    return f32x8_add(f32x8_add(f32x8_mul(a.x, b.x), f32x8_mul(a.y, b.y)), f32x8_mul(a.z, b.z));
}
static inline vec3x8 cross(vec3x8 a, vec3x8 b) {
    return (vec3x8){f32x8_sub(f32x8_mul(a.y, b.z), f32x8_mul(a.z, b.y)),
                    f32x8_sub(f32x8_mul(a.z, b.x), f32x8_mul(a.x, b.z)),
                    f32x8_sub(f32x8_mul(a.x, b.y), f32x8_mul(a.y, b.x))};
}
static inline f32x8 length(f32x8 squared) { return f32x8_sqrt(f32x8_max(squared, f32x8_set(LEAST_SQUARED))); }
static inline vec3x8 normalise(vec3x8 a) { return scale(a, f32x8_div(f32x8_set(1), length(dot(a, a)))); }

/* atan(√z) / √z for z in [0, 1], to 1.2e-7: interpolated at the zeros of a Chebyshev polynomial. */
static inline f32x8 arc_over_tangent(f32x8 z) {
    static const float c[8] = {0.999999882f,  -0.333318127f,  0.199669618f,  -0.140032902f,
                               0.0986886546f, -0.0588297531f, 0.0237805186f, -0.00455979199f};
    f32x8 sum = f32x8_set(c[7]);
    for (int k = 6; k >= 0; k--) sum = f32x8_add(f32x8_mul(sum, z), f32x8_set(c[k]));
    return sum;
}

/* θ / sin θ, from the cosine and the square of the sine. */
static inline f32x8 angle_over_sine(f32x8 cosine, f32x8 sine2) {
    f32x8 steep = f32x8_max(cosine, f32x8_sub(f32x8_set(0), cosine));
    f32x8 inverse = f32x8_div(f32x8_set(1), f32x8_add(f32x8_set(1), steep));
    f32x8 tangent2 = f32x8_mul(sine2, f32x8_mul(inverse, inverse));
    f32x8 acute = f32x8_mul(f32x8_add(inverse, inverse), arc_over_tangent(tangent2));
    f32x8 obtuse = f32x8_sub(f32x8_div(f32x8_set(3.14159265f), length(sine2)), acute);
    return f32x8_where_negative(cosine, obtuse, acute);
}

void ISA_NAME(normals_by_area)(const normal_rings *rings, const float *points, float *normals, size_t begin,
                               size_t end) {
    for (size_t g = begin; g < end; g++) {
        const uint32_t *vertices = rings->vertices + NORMAL_LANES * g;
        vec3x8 middle = gather(points, vertices), before = {f32x8_set(0), f32x8_set(0), f32x8_set(0)}, sum = before;
        for (size_t s = rings->offsets[g]; s < rings->offsets[g + 1]; s++) {
            vec3x8 way = sub(gather(points, rings->neighbours + NORMAL_LANES * s), middle);
            sum = add(sum, cross(before, way));
            before = way;
        }
        scatter(normalise(sum), vertices, normals);
    }
}

void ISA_NAME(normals_by_angle)(const normal_rings *rings, const float *points, float *normals, size_t begin,
                                size_t end) {
    for (size_t g = begin; g < end; g++) {
        const uint32_t *vertices = rings->vertices + NORMAL_LANES * g;
        vec3x8 middle = gather(points, vertices), before = {f32x8_set(0), f32x8_set(0), f32x8_set(0)}, sum = before;
        for (size_t s = rings->offsets[g]; s < rings->offsets[g + 1]; s++) {
            vec3x8 way = normalise(sub(gather(points, rings->neighbours + NORMAL_LANES * s), middle));
            vec3x8 normal = cross(before, way);
            sum = add(sum, scale(normal, angle_over_sine(dot(before, way), dot(normal, normal))));
            before = way;
        }
        scatter(normalise(sum), vertices, normals);
    }
}
