#include "math/rigid_motion.h"

#include "math/quaternion.h"

#define SWEEPS 32            /* of Jacobi's turns; it takes five or six */
#define SINGULAR 1e-12       /* of the greatest eigenvalue: zero */
#define PREFER_NO_TURN 1e-12 /* of the matrix, on the side of no turn: decides where the points do not */

/* One turn that makes a[p][q] zero (Golub and Van Loan, section 8.5). */
static void jacobi_turn(int n, double a[4][4], double vectors[4][4], int p, int q) {
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = theta >= 0 ? 1 / (theta + sqrt(1 + theta * theta)) : -1 / (-theta + sqrt(1 + theta * theta));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    for (int k = 0; k < n; k++) {
        double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
        x = vectors[k][p], y = vectors[k][q];
        vectors[k][p] = c * x - s * y;
        vectors[k][q] = s * x + c * y;
    }
    a[p][q] = a[q][p] = 0;
}

void symmetric_eigen(int n, double a[4][4], double vectors[4][4]) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) vectors[i][k] = i == k;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        int turned = 0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double beside = fabs(a[p][p]) + fabs(a[q][q]);
                if (beside + fabs(a[p][q]) == beside) continue;
                jacobi_turn(n, a, vectors, p, q);
                turned = 1;
            }
        if (!turned) return;
    }
}

void symmetric3_add_inertia(symmetric3 *a, double mass, vec3 r) {
    a->xx += mass * (r.y * r.y + r.z * r.z);
    a->yy += mass * (r.x * r.x + r.z * r.z);
    a->zz += mass * (r.x * r.x + r.y * r.y);
    a->xy -= mass * r.x * r.y;
    a->xz -= mass * r.x * r.z;
    a->yz -= mass * r.y * r.z;
}

symmetric3 symmetric3_pseudo_inverse(const symmetric3 *s) {
    double a[4][4] = {{s->xx, s->xy, s->xz, 0}, {s->xy, s->yy, s->yz, 0}, {s->xz, s->yz, s->zz, 0}}, v[4][4];
    symmetric_eigen(3, a, v);
    double most = fmax(fabs(a[0][0]), fmax(fabs(a[1][1]), fabs(a[2][2])));
    symmetric3 inverse = {0};
    for (int k = 0; k < 3; k++) {
        if (!(fabs(a[k][k]) > SINGULAR * most)) continue;
        double scale = 1 / a[k][k];
        inverse.xx += scale * v[0][k] * v[0][k];
        inverse.yy += scale * v[1][k] * v[1][k];
        inverse.zz += scale * v[2][k] * v[2][k];
        inverse.xy += scale * v[0][k] * v[1][k];
        inverse.xz += scale * v[0][k] * v[2][k];
        inverse.yz += scale * v[1][k] * v[2][k];
    }
    return inverse;
}

static size_t chosen_point(const uint32_t *chosen, size_t i) { return chosen ? chosen[i] : i; }

static vec3 mean_of(size_t count, const uint32_t *chosen, const vec3 *x) {
    vec3 sum = {0, 0, 0};
    for (size_t i = 0; i < count; i++) sum = vec3_add(sum, x[chosen_point(chosen, i)]);
    return count > 0 ? vec3_scale(sum, 1 / (double)count) : sum;
}

/* Horn's symmetric matrix of the products s_ab = sum of a of one set times b of the other. */
static void horn_matrix(const double s[3][3], double n[4][4]) {
    double m[4][4] = {{s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
                      {s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
                      {s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
                      {s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]}};
    double size = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            n[i][k] = m[i][k];
            size = fmax(size, fabs(m[i][k]));
        }
    n[0][0] += PREFER_NO_TURN * size;
}

double rigid_motion_fit(size_t count, const uint32_t *chosen, const vec3 *from, const vec3 *to, rigid_motion *out) {
    out->from = mean_of(count, chosen, from);
    out->to = mean_of(count, chosen, to);
    double s[3][3] = {{0}}, n[4][4], vectors[4][4];
    for (size_t i = 0; i < count; i++) {
        vec3 a = vec3_sub(from[chosen_point(chosen, i)], out->from), b = vec3_sub(to[chosen_point(chosen, i)], out->to);
        const double p[3] = {a.x, a.y, a.z}, q[3] = {b.x, b.y, b.z};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) s[r][c] += p[r] * q[c];
    }
    horn_matrix(s, n);
    symmetric_eigen(4, n, vectors);
    int best = 0;
    for (int k = 1; k < 4; k++)
        if (n[k][k] > n[best][best]) best = k;
    double q[4], length = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = vectors[k][best];
        length += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++) q[k] /= sqrt(length);
    quaternion_columns((quaternion){q[0], q[1], q[2], q[3]}, out->columns);
    return fabs(q[0]);
}
