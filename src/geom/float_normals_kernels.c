/* Normals of eight vertices at a time. Compiled once per instruction set; all are bit-identical (math/simd.h).
 *
 * With d the vector from a vertex to its neighbour, d × d' is a triangle's normal times twice its area. With both of
 * unit length it is the normal times sin θ; the factor θ / sin θ that turns it into the angle comes from the tangent of
 * half the angle:
 *     θ = 2 atan(sin θ / (1 + cos θ)),  and for obtuse angles π minus the same of π - θ. */
#include "geom/float_normals_kernels.h"

#include "math/vec3x8.h"

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
    f32x8 obtuse = f32x8_sub(
        f32x8_div(f32x8_set(3.14159265f), f32x8_sqrt(f32x8_max(sine2, f32x8_set(VEC3X8_LEAST_SQUARED)))), acute);
    return f32x8_where_negative(cosine, obtuse, acute);
}

void ISA_NAME(normals_by_area)(const vertex_rings *rings, const float *points, float *normals, size_t begin,
                               size_t end) {
    for (size_t g = begin; g < end; g++) {
        const uint32_t *vertices = rings->vertices + RING_LANES * g;
        vec3x8 middle = vec3x8_gather(points, vertices), before = vec3x8_zero(), sum = before;
        for (size_t s = rings->offsets[g]; s < rings->offsets[g + 1]; s++) {
            vec3x8 d = vec3x8_sub(vec3x8_gather(points, rings->neighbours + RING_LANES * s), middle);
            sum = vec3x8_add(sum, vec3x8_cross(before, d));
            before = d;
        }
        vec3x8_scatter(vec3x8_normalise(sum), vertices, normals);
    }
}

void ISA_NAME(normals_by_angle)(const vertex_rings *rings, const float *points, float *normals, size_t begin,
                                size_t end) {
    for (size_t g = begin; g < end; g++) {
        const uint32_t *vertices = rings->vertices + RING_LANES * g;
        vec3x8 middle = vec3x8_gather(points, vertices), before = vec3x8_zero(), sum = before;
        for (size_t s = rings->offsets[g]; s < rings->offsets[g + 1]; s++) {
            vec3x8 d = vec3x8_normalise(vec3x8_sub(vec3x8_gather(points, rings->neighbours + RING_LANES * s), middle));
            vec3x8 normal = vec3x8_cross(before, d);
            sum = vec3x8_add(sum,
                             vec3x8_scale(normal, angle_over_sine(vec3x8_dot(before, d), vec3x8_dot(normal, normal))));
            before = d;
        }
        vec3x8_scatter(vec3x8_normalise(sum), vertices, normals);
    }
}
