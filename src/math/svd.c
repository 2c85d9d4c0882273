/* One-sided Jacobi iteration (Hestenes 1958): rotations make the columns of F V orthogonal. */
#include "math/svd.h"

/* 1: the columns were rotated. */
static int rotate(vec3 *b, vec3 *v, int p, int q) {
    double pp = vec3_length2(b[p]), qq = vec3_length2(b[q]), pq = vec3_dot(b[p], b[q]);
    if (!(fabs(pq) > SVD3_SMALL * sqrt(pp) * sqrt(qq))) return 0;
    double zeta = (qq - pp) / (2 * pq);
    double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta)), c = 1 / sqrt(1 + t * t), s = c * t;
    vec3 column = b[p];
    b[p] = vec3_sub(vec3_scale(column, c), vec3_scale(b[q], s));
    b[q] = vec3_add(vec3_scale(column, s), vec3_scale(b[q], c));
    column = v[p];
    v[p] = vec3_sub(vec3_scale(column, c), vec3_scale(v[q], s));
    v[q] = vec3_add(vec3_scale(column, s), vec3_scale(v[q], c));
    return 1;
}

/* Longer columns first; V stays a rotation. */
static void order(vec3 *b, vec3 *v, int p, int q) {
    if (vec3_length2(b[p]) >= vec3_length2(b[q])) return;
    vec3 column = b[p];
    b[p] = b[q];
    b[q] = vec3_scale(column, -1);
    column = v[p];
    v[p] = v[q];
    v[q] = vec3_scale(column, -1);
}

static vec3 any_across(vec3 a) {
    vec3 axis = fabs(a.x) <= fabs(a.y) && fabs(a.x) <= fabs(a.z) ? (vec3){1, 0, 0}
                : fabs(a.y) <= fabs(a.z)                         ? (vec3){0, 1, 0}
                                                                 : (vec3){0, 0, 1};
    return vec3_normalise(vec3_cross(a, axis));
}

svd3 svd3_of(const mat3 *f) {
    vec3 b[3];
    svd3 out = {.v = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int k = 0; k < 3; k++) b[k] = (vec3){f->at[0][k], f->at[1][k], f->at[2][k]};
    for (int sweep = 0, rotated = 1; rotated && sweep < SVD3_SWEEPS; sweep++) {
        rotated = rotate(b, out.v, 0, 1);
        rotated |= rotate(b, out.v, 0, 2);
        rotated |= rotate(b, out.v, 1, 2);
    }
    order(b, out.v, 0, 1);
    order(b, out.v, 0, 2);
    order(b, out.v, 1, 2);
    out.values[0] = vec3_length(b[0]);
    out.u[0] = out.values[0] > 0 ? vec3_scale(b[0], 1 / out.values[0]) : (vec3){1, 0, 0};
    /* Of a second column that is rounding alone, the part across the first counts. */
    vec3 across = vec3_sub(b[1], vec3_scale(out.u[0], vec3_dot(out.u[0], b[1])));
    double length = vec3_length(across);
    out.u[1] = length > SVD3_LEAST_ACROSS * out.values[0] ? vec3_scale(across, 1 / length) : any_across(out.u[0]);
    out.values[1] = vec3_dot(out.u[1], b[1]);
    out.u[2] = vec3_cross(out.u[0], out.u[1]);
    out.values[2] = vec3_dot(out.u[2], b[2]);
    return out;
}
