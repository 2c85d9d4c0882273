/* Two points, or eight triangles, at a time. Compiled once per instruction set; all are bit-identical (math/simd.h).
 *
 * A curved PN triangle (Vlachos et al. 2001) without its control points: these deviate from the flat triangle's along
 * the corners' normals only, b_ij = (2 x_i + x_j - w_ij n_i) / 3 with w_ij = (x_j - x_i) . n_i, and the one in the
 * middle by a quarter of the sum of these deviations. The displacement from the linear triangle at weights u is
 * therefore, with k the third corner,
 *
 *     Σ_i n_i g_i,    g_i = u_i (c_ij u_j (u_i + u_k / 2) + c_ik u_k (u_i + u_j / 2)),    c = -w
 *
 * six numbers per triangle. On an edge u_k = 0 is an exact zero, so that the triangles on both sides get the same
 * bits. */
#include "geom/attachment_kernels.h"

#include "math/vec3x8.h"

/* ---- Two points side by side. */

typedef struct two_points {
    size_t first, second; /* the same for the last point of an odd number */
    const uint32_t *a, *b;
} two_points;

static inline two_points pair_at(const attach_pass *pass, size_t i) {
    size_t second = i + 1 < pass->count ? i + 1 : i;
    return (two_points){i, second, pass->triangles + 3 * (size_t)pass->triangle_of[i],
                        pass->triangles + 3 * (size_t)pass->triangle_of[second]};
}

static inline f32x8 corner(const float *values, const two_points *p, size_t k) {
    return f32x8_load2(values + 4 * (size_t)p->a[k], values + 4 * (size_t)p->b[k]);
}

/* Σ weight_k value_k over the corners; a zero weight does not change the bits of the sum of the other two. */
static inline f32x8 mix(f32x8 w, const float *values, const two_points *p) {
    f32x8 x = f32x8_mul(f32x8_spread_x(w), corner(values, p, 0));
    f32x8 y = f32x8_mul(f32x8_spread_y(w), corner(values, p, 1));
    f32x8 z = f32x8_mul(f32x8_spread_z(w), corner(values, p, 2));
    return f32x8_add(f32x8_add(x, y), z);
}

/* Unit length; zero stays zero. The fourth numbers must be 0. */
static inline f32x8 normalised(f32x8 n) {
    f32x8 squared = f32x8_max(f32x8_sums4(f32x8_mul(n, n)), f32x8_set(VEC3X8_LEAST_SQUARED));
    return f32x8_div(n, f32x8_sqrt(squared));
}

/* Stores x, y and z. */
static inline void put(float *out, size_t first, size_t second, f32x8 value) {
    f32x8 old = f32x8_load2(out + 4 * first, out + 4 * second);
    f32x8_store2(out + 4 * first, out + 4 * second, f32x8_fourth(value, old));
}

void ISA_NAME(attach_linear)(const attach_pass *pass, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += 2) {
        two_points p = pair_at(pass, i);
        f32x8 weights = f32x8_load(pass->weights + 4 * i);
        if (pass->points) put(pass->points, p.first, p.second, mix(weights, pass->base, &p));
        if (pass->point_normals)
            put(pass->point_normals, p.first, p.second, normalised(mix(weights, pass->unit_normals, &p)));
    }
}

/* g, see above, of the three corners. */
static inline f32x8 bulge_weights(f32x8 u, const attach_pass *pass, const two_points *p) {
    const float *a = pass->bulges + 8 * (size_t)pass->triangle_of[p->first];
    const float *b = pass->bulges + 8 * (size_t)pass->triangle_of[p->second];
    f32x8 half = f32x8_set(0.5f), next = f32x8_turn(u), before = f32x8_turn(next);
    f32x8 to_next = f32x8_mul(f32x8_mul(f32x8_load2(a, b), next), f32x8_add(u, f32x8_mul(half, before)));
    f32x8 to_before = f32x8_mul(f32x8_mul(f32x8_load2(a + 4, b + 4), before), f32x8_add(u, f32x8_mul(half, next)));
    return f32x8_mul(u, f32x8_add(to_next, to_before));
}

void ISA_NAME(attach_pn)(const attach_pass *pass, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += 2) {
        two_points p = pair_at(pass, i);
        f32x8 weights = f32x8_load(pass->weights + 4 * i);
        f32x8 bulge = mix(bulge_weights(weights, pass, &p), pass->unit_normals, &p);
        put(pass->points, p.first, p.second, f32x8_add(mix(weights, pass->base, &p), bulge));
        if (pass->point_normals)
            put(pass->point_normals, p.first, p.second, normalised(mix(weights, pass->unit_normals, &p)));
    }
}

static inline f32x8 cross(f32x8 a, f32x8 b) {
    return f32x8_turn(f32x8_sub(f32x8_mul(a, f32x8_turn(b)), f32x8_mul(f32x8_turn(a), b)));
}

void ISA_NAME(attach_rows)(const attach_pass *pass, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += 2) {
        f32x8 point = f32x8_set(0), along = point, across = point;
        for (size_t s = pass->pair_offsets[i / 2]; s < pass->pair_offsets[i / 2 + 1]; s++) {
            const uint32_t *v = pass->pair_vertices + 2 * s;
            f32x8 w = f32x8_load(pass->pair_weights + 8 * s);
            f32x8 x = f32x8_load2(pass->base + 4 * (size_t)v[0], pass->base + 4 * (size_t)v[1]);
            point = f32x8_add(point, f32x8_mul(f32x8_spread_x(w), x));
            along = f32x8_add(along, f32x8_mul(f32x8_spread_y(w), x));
            across = f32x8_add(across, f32x8_mul(f32x8_spread_z(w), x));
        }
        size_t second = i + 1 < pass->count ? i + 1 : i;
        put(pass->points, i, second, point);
        if (!pass->point_normals) continue;
        f32x8 normal = f32x8_fourth(cross(along, across), f32x8_set(0));
        put(pass->point_normals, i, second, normalised(normal));
    }
}

/* ---- The base. */

void ISA_NAME(attach_unit)(const attach_pass *pass, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += 2) {
        size_t second = i + 1 < pass->vertex_count ? i + 1 : i;
        f32x8 n = f32x8_fourth(f32x8_load2(pass->normals + 4 * i, pass->normals + 4 * second), f32x8_set(0));
        f32x8_store2(pass->unit_normals + 4 * i, pass->unit_normals + 4 * second, normalised(n));
    }
}

/* -(x + y + z) of three rows, as the first three lanes; the fourth is 0. */
static inline f32x8 minus_sums(f32x8 a, f32x8 b, f32x8 c) {
    f32x8 d = f32x8_set(0);
    f32x8_transpose4(&a, &b, &c, &d);
    return f32x8_sub(f32x8_set(0), f32x8_add(f32x8_add(a, b), c));
}

void ISA_NAME(attach_bulges)(const attach_pass *pass, size_t begin, size_t end) {
    for (size_t t = begin; t < end; t += 2) {
        size_t second = t + 1 < pass->triangle_count ? t + 1 : t;
        two_points p = {t, second, pass->triangles + 3 * t, pass->triangles + 3 * second};
        f32x8 x0 = corner(pass->base, &p, 0), x1 = corner(pass->base, &p, 1), x2 = corner(pass->base, &p, 2);
        f32x8 n0 = corner(pass->unit_normals, &p, 0), n1 = corner(pass->unit_normals, &p, 1);
        f32x8 n2 = corner(pass->unit_normals, &p, 2);
        f32x8 next = minus_sums(f32x8_mul(n0, f32x8_sub(x1, x0)), f32x8_mul(n1, f32x8_sub(x2, x1)),
                                f32x8_mul(n2, f32x8_sub(x0, x2)));
        f32x8 before = minus_sums(f32x8_mul(n0, f32x8_sub(x2, x0)), f32x8_mul(n1, f32x8_sub(x0, x1)),
                                  f32x8_mul(n2, f32x8_sub(x1, x2)));
        f32x8_store2(pass->bulges + 8 * t, pass->bulges + 8 * second, next);
        f32x8_store2(pass->bulges + 8 * t + 4, pass->bulges + 8 * second + 4, before);
    }
}

/* ---- Frames. */

#define LANES 8
#define LEAST_SINE2 1e-12f /* squared sine of a triangle's first angle below which it has no area in float precision */

static inline void store4(f32x8 a, f32x8 b, f32x8 c, f32x8 d, float frames[LANES][9], size_t at) {
    f32x8_transpose4(&a, &b, &c, &d);
    f32x8_store2(&frames[0][at], &frames[4][at], a);
    f32x8_store2(&frames[1][at], &frames[5][at], b);
    f32x8_store2(&frames[2][at], &frames[6][at], c);
    f32x8_store2(&frames[3][at], &frames[7][at], d);
}

/* The columns of eight frames, and in which of them there is an area. */
static inline unsigned make_frames(vec3x8 x0, vec3x8 x1, vec3x8 x2, float frames[LANES][9]) {
    vec3x8 edge = vec3x8_sub(x1, x0), other = vec3x8_sub(x2, x0), area = vec3x8_cross(edge, other);
    f32x8 sizes = f32x8_mul(vec3x8_dot(edge, edge), vec3x8_dot(other, other));
    f32x8 least = f32x8_max(f32x8_mul(f32x8_set(LEAST_SINE2), sizes), f32x8_set(VEC3X8_LEAST_SQUARED));
    unsigned usable = f32x8_le_bits(least, vec3x8_dot(area, area));
    vec3x8 along = vec3x8_normalise(edge), normal = vec3x8_normalise(area), across = vec3x8_cross(normal, along);
    store4(along.x, along.y, along.z, across.x, frames, 0);
    store4(across.y, across.z, normal.x, normal.y, frames, 4);
    float last[LANES];
    f32x8_store(last, normal.z);
    for (size_t k = 0; k < LANES; k++) frames[k][8] = last[k];
    return usable;
}

void ISA_NAME(attach_frames)(const attach_pass *pass, size_t begin, size_t end) {
    size_t triangle_count = pass->triangle_count;
    const float *base = pass->base;
    for (size_t t = begin; t < end; t += LANES) {
        uint32_t v[3][LANES];
        for (size_t k = 0; k < LANES; k++)
            for (size_t c = 0; c < 3; c++) {
                size_t triangle = t + k < triangle_count ? t + k : triangle_count - 1;
                v[c][k] = pass->triangles[3 * triangle + c];
            }
        float made[LANES][9];
        unsigned usable =
            make_frames(vec3x8_gather(base, v[0]), vec3x8_gather(base, v[1]), vec3x8_gather(base, v[2]), made);
        size_t count = triangle_count - t < LANES ? triangle_count - t : LANES;
        if (usable == 0xff && count == LANES) {
            memcpy(pass->frames + 9 * t, made, sizeof made);
            continue;
        }
        for (size_t k = 0; k < count; k++)
            if (usable >> k & 1) memcpy(pass->frames + 9 * (t + k), made[k], sizeof made[k]);
    }
}
