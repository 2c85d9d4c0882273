/* Singular values of four 3 x 3 matrices at once, for kernels: operation by operation those of math/svd.h, so that each
 * matrix gets the same bits, whichever three are beside it. */
#ifndef MATH_SVD3X4_H
#define MATH_SVD3X4_H

#include "math/svd.h"
#include "math/vec3x4.h"

typedef struct svd3x4 {
    vec3x4 u[3], v[3]; /* columns */
    f64x4 values[3];
} svd3x4;

static inline f64x4 svd3x4_size(f64x4 a) { return f64x4_max(a, f64x4_sub(f64x4_set(0), a)); }

/* The bits of the matrices whose columns were rotated. */
static inline unsigned svd3x4_rotate(vec3x4 *b, vec3x4 *v, int p, int q) {
    const f64x4 one = f64x4_set(1), zero = f64x4_set(0);
    f64x4 pp = vec3x4_dot(b[p], b[p]), qq = vec3x4_dot(b[q], b[q]), pq = vec3x4_dot(b[p], b[q]);
    f64x4 limit = f64x4_mul(f64x4_mul(f64x4_set(SVD3_SMALL), f64x4_sqrt(pp)), f64x4_sqrt(qq));
    m64x4 rotates = f64x4_lt(limit, svd3x4_size(pq));
    unsigned bits = m64x4_bits(rotates);
    if (!bits) return 0;
    f64x4 zeta = f64x4_div(f64x4_sub(qq, pp), f64x4_mul(f64x4_set(2), f64x4_select(rotates, pq, one)));
    f64x4 sign = f64x4_select(f64x4_lt(zeta, zero), f64x4_set(-1), one);
    f64x4 t = f64x4_div(sign, f64x4_add(svd3x4_size(zeta), f64x4_sqrt(f64x4_add(one, f64x4_mul(zeta, zeta)))));
    f64x4 c = f64x4_div(one, f64x4_sqrt(f64x4_add(one, f64x4_mul(t, t)))), s = f64x4_mul(c, t);
    vec3x4 column = b[p];
    b[p] = vec3x4_select(rotates, vec3x4_sub(vec3x4_scale(column, c), vec3x4_scale(b[q], s)), column);
    b[q] = vec3x4_select(rotates, vec3x4_add(vec3x4_scale(column, s), vec3x4_scale(b[q], c)), b[q]);
    column = v[p];
    v[p] = vec3x4_select(rotates, vec3x4_sub(vec3x4_scale(column, c), vec3x4_scale(v[q], s)), column);
    v[q] = vec3x4_select(rotates, vec3x4_add(vec3x4_scale(column, s), vec3x4_scale(v[q], c)), v[q]);
    return bits;
}

static inline void svd3x4_order(vec3x4 *b, vec3x4 *v, int p, int q) {
    const f64x4 minus = f64x4_set(-1);
    m64x4 keeps = f64x4_le(vec3x4_dot(b[q], b[q]), vec3x4_dot(b[p], b[p]));
    vec3x4 column = b[p];
    b[p] = vec3x4_select(keeps, column, b[q]);
    b[q] = vec3x4_select(keeps, b[q], vec3x4_scale(column, minus));
    column = v[p];
    v[p] = vec3x4_select(keeps, column, v[q]);
    v[q] = vec3x4_select(keeps, v[q], vec3x4_scale(column, minus));
}

/* A direction across a, of svd.c's any_across: along the axis that a is least along. */
static inline vec3x4 svd3x4_any_across(vec3x4 a) {
    const f64x4 zero = f64x4_set(0), one = f64x4_set(1);
    f64x4 x = svd3x4_size(a.x), y = svd3x4_size(a.y), z = svd3x4_size(a.z);
    m64x4 is_x = m64x4_and(f64x4_le(x, y), f64x4_le(x, z)), is_y = f64x4_le(y, z);
    vec3x4 axis = {f64x4_select(is_x, one, zero), f64x4_select(is_x, zero, f64x4_select(is_y, one, zero)),
                   f64x4_select(is_x, zero, f64x4_select(is_y, zero, one))};
    vec3x4 across = vec3x4_cross(a, axis);
    f64x4 length = f64x4_sqrt(vec3x4_dot(across, across));
    m64x4 has_length = f64x4_lt(zero, length);
    f64x4 scale = f64x4_select(has_length, f64x4_div(one, f64x4_select(has_length, length, one)), zero);
    return vec3x4_scale(across, scale);
}

/* b: the columns of the matrices. */
static inline svd3x4 svd3x4_of(const vec3x4 columns[3]) {
    const f64x4 zero = f64x4_set(0), one = f64x4_set(1);
    const vec3x4 x_axis = {one, zero, zero};
    vec3x4 b[3] = {columns[0], columns[1], columns[2]};
    svd3x4 out = {.v = {x_axis, {zero, one, zero}, {zero, zero, one}}};
    unsigned rotated = 1;
    for (int sweep = 0; rotated && sweep < SVD3_SWEEPS; sweep++) {
        rotated = svd3x4_rotate(b, out.v, 0, 1);
        rotated |= svd3x4_rotate(b, out.v, 0, 2);
        rotated |= svd3x4_rotate(b, out.v, 1, 2);
    }
    svd3x4_order(b, out.v, 0, 1);
    svd3x4_order(b, out.v, 0, 2);
    svd3x4_order(b, out.v, 1, 2);
    out.values[0] = f64x4_sqrt(vec3x4_dot(b[0], b[0]));
    m64x4 has_length = f64x4_lt(zero, out.values[0]);
    f64x4 inverse = f64x4_div(one, f64x4_select(has_length, out.values[0], one));
    out.u[0] = vec3x4_select(has_length, vec3x4_scale(b[0], inverse), x_axis);
    vec3x4 across = vec3x4_sub(b[1], vec3x4_scale(out.u[0], vec3x4_dot(out.u[0], b[1])));
    f64x4 length = f64x4_sqrt(vec3x4_dot(across, across));
    m64x4 is_across = f64x4_lt(f64x4_mul(f64x4_set(SVD3_LEAST_ACROSS), out.values[0]), length);
    inverse = f64x4_div(one, f64x4_select(is_across, length, one));
    out.u[1] = vec3x4_select(is_across, vec3x4_scale(across, inverse), svd3x4_any_across(out.u[0]));
    out.values[1] = vec3x4_dot(out.u[1], b[1]);
    out.u[2] = vec3x4_cross(out.u[0], out.u[1]);
    out.values[2] = vec3x4_dot(out.u[2], b[2]);
    return out;
}

#endif
