/* Eight springs of a point at a time; what curvatures link beyond springs one by one, three numbers at once. */
#include "solve/compliant_kernels.h"

#include "math/simd.h"

/* Eight points of four floats each: their x, y and z. */
static inline void load_points(const float *p, const uint32_t *at, f32x8 *x, f32x8 *y, f32x8 *z) {
    f32x8 fourth = f32x8_load2(p + 4 * (size_t)at[3], p + 4 * (size_t)at[7]);
    *x = f32x8_load2(p + 4 * (size_t)at[0], p + 4 * (size_t)at[4]);
    *y = f32x8_load2(p + 4 * (size_t)at[1], p + 4 * (size_t)at[5]);
    *z = f32x8_load2(p + 4 * (size_t)at[2], p + 4 * (size_t)at[6]);
    f32x8_transpose4(x, y, z, &fourth);
}

/* Σ_j -Q_ij (p_i - p_j), and with `pulled` the springs' part too. The two give the same bits where all springs are at their lengths. */
static inline f32x4 row_sum(const compliant_rows *rows, const float *points, size_t i, int pulled) {
    const float *p = points + 4 * i;
    f32x8 px = f32x8_set(p[0]), py = f32x8_set(p[1]), pz = f32x8_set(p[2]);
    f32x8 sx = f32x8_set(0), sy = sx, sz = sx, one = f32x8_set(1), tiny = f32x8_set(COMPLIANT_TINY);
    for (size_t e = rows->spring_offsets[i]; e < rows->spring_offsets[i + 1]; e += COMPLIANT_LANES) {
        f32x8 x, y, z, pull = f32x8_load(rows->spring_links + e);
        load_points(points, rows->spring_others + e, &x, &y, &z);
        x = f32x8_sub(px, x);
        y = f32x8_sub(py, y);
        z = f32x8_sub(pz, z);
        if (pulled) {
            f32x8 squared = f32x8_add(f32x8_add(f32x8_mul(x, x), f32x8_mul(y, y)), f32x8_mul(z, z));
            f32x8 length = f32x8_max(f32x8_sqrt(squared), tiny);
            f32x8 stretch = f32x8_sub(one, f32x8_div(f32x8_load(rows->lengths + e), length));
            pull = f32x8_add(f32x8_mul(f32x8_load(rows->stiffness + e), stretch), pull);
        }
        sx = f32x8_add(sx, f32x8_mul(pull, x));
        sy = f32x8_add(sy, f32x8_mul(pull, y));
        sz = f32x8_add(sz, f32x8_mul(pull, z));
    }
    f32x4 own = f32x4_load(p), sum = f32x4_set(0);
    for (size_t e = rows->link_offsets[i]; e < rows->link_offsets[i + 1]; e++) {
        f32x4 d = f32x4_sub(own, f32x4_load(points + 4 * (size_t)rows->link_others[e]));
        sum = f32x4_add(sum, f32x4_mul(f32x4_set(rows->links[e]), d));
    }
    return f32x4_add(f32x8_sums3(sx, sy, sz), sum);
}

void ISA_NAME(compliant_bias)(const compliant_pass *pass, size_t begin, size_t end) {
    const compliant *c = pass->solver;
    for (size_t i = begin; i < end; i++) f32x4_store(c->bias + 4 * i, row_sum(&c->rows, pass->limits->anchors, i, 0));
}

/* The springs' part of a block: xx, yy, zz, -, xy, xz, yz, -. */
static inline void spring_block(const compliant_rows *rows, const float *points, size_t i, float block[8]) {
    const float *p = points + 4 * i;
    f32x8 px = f32x8_set(p[0]), py = f32x8_set(p[1]), pz = f32x8_set(p[2]), zero = f32x8_set(0);
    f32x8 xx = zero, yy = zero, zz = zero, xy = zero, xz = zero, yz = zero, one = f32x8_set(1), two = f32x8_set(2);
    f32x8 reach = f32x8_set(2 * rows->reaches[i] + COMPLIANT_TINY), tiny = f32x8_set(COMPLIANT_TINY * COMPLIANT_TINY);
    for (size_t e = rows->spring_offsets[i]; e < rows->spring_offsets[i + 1]; e += COMPLIANT_LANES) {
        f32x8 x, y, z, k = f32x8_mul(two, f32x8_load(rows->stiffness + e)), l = f32x8_load(rows->lengths + e);
        load_points(points, rows->spring_others + e, &x, &y, &z);
        x = f32x8_sub(px, x);
        y = f32x8_sub(py, y);
        z = f32x8_sub(pz, z);
        f32x8 squared = f32x8_add(f32x8_add(f32x8_mul(x, x), f32x8_mul(y, y)), f32x8_mul(z, z));
        f32x8 beta = f32x8_sub(one, f32x8_div(l, f32x8_add(f32x8_sqrt(squared), reach)));
        f32x8 across = f32x8_mul(k, f32x8_max(beta, zero));
        f32x8 along = f32x8_div(f32x8_sub(k, across), f32x8_add(squared, tiny));
        f32x8 ax = f32x8_mul(along, x), ay = f32x8_mul(along, y), az = f32x8_mul(along, z);
        xx = f32x8_add(xx, f32x8_add(across, f32x8_mul(ax, x)));
        yy = f32x8_add(yy, f32x8_add(across, f32x8_mul(ay, y)));
        zz = f32x8_add(zz, f32x8_add(across, f32x8_mul(az, z)));
        xy = f32x8_add(xy, f32x8_mul(ax, y));
        xz = f32x8_add(xz, f32x8_mul(ax, z));
        yz = f32x8_add(yz, f32x8_mul(ay, z));
    }
    f32x4_store(block, f32x8_sums3(xx, yy, zz));
    f32x4_store(block + 4, f32x8_sums3(xy, xz, yz));
}

void ISA_NAME(compliant_blocks)(const compliant_pass *pass, size_t begin, size_t end) {
    const compliant *c = pass->solver;
    const sweep_limits *limits = pass->limits;
    for (size_t i = begin; i < end; i++) {
        float block[8], *columns = c->blocks + 12 * i;
        spring_block(&c->rows, pass->at, i, block);
        float more = c->rows.diagonal[i];
        for (size_t e = c->rows.hinge_offsets[i]; e < c->rows.hinge_offsets[i + 1]; e++)
            more += 4 * c->hinge_pulls[4 * (size_t)c->rows.hinge_corners[e] + 3];
        float h[6] = {block[0] + more, block[1] + more, block[2] + more, block[4], block[5], block[6]};
        const float *n = limits->normals ? limits->normals + 4 * i : NULL;
        if (c->foundations) compliant_add_foundation(h, n, c->foundations[i], c->def.slide_stiffness);
        compliant_invert(h, limits->along_normals ? n : NULL, columns);
    }
}

double ISA_NAME(compliant_advance)(const compliant_pass *pass, size_t begin, size_t end, float *way) {
    const compliant *c = pass->solver;
    const sweep_limits *limits = pass->limits;
    double dots = 0;
    float longest = 0;
    for (size_t i = begin; i < end; i++) {
        const float *p = pass->at + 4 * i, *from = pass->from + 4 * i;
        float g[4], *to = pass->to + 4 * i, *ahead = pass->ahead + 4 * i;
        f32x4_store(g, f32x4_sub(row_sum(&c->rows, pass->at, i, 1), f32x4_load(c->bias + 4 * i)));
        if (c->foundations) {
            const float *a = limits->anchors + 4 * i, *n = limits->normals ? limits->normals + 4 * i : NULL;
            float o[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
            compliant_add_hold(g, o, n, c->foundations[i], c->def.slide_stiffness);
        }
        for (size_t e = c->rows.hinge_offsets[i]; e < c->rows.hinge_offsets[i + 1]; e++)
            for (int x = 0; x < 3; x++) g[x] += c->hinge_pulls[4 * (size_t)c->rows.hinge_corners[e] + (size_t)x];
        compliant_step(limits, i, c->blocks + 12 * i, c->rows.reaches[i], g, p, to);

        float m[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        float squared = compliant_dot(m, m);
        dots += (double)compliant_dot(g, m);
        longest = squared > longest ? squared : longest;
        for (int x = 0; x < 3; x++) ahead[x] = to[x] + pass->momentum * m[x];
    }
    *way = longest;
    return dots;
}
