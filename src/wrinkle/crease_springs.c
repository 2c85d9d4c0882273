/* The springs of section 6 of Patkar, Jin and Fedkiw 2015: see crease.h. */
#include <math.h>

#include "math/vec3.h"
#include "wrinkle/crease.h"

/* The mean of the normals of both sides. */
static vec3 mean_normal(const crease_fold *fold, const ruga_vec3 *x) {
    const uint32_t *l = fold->left, *r = fold->right;
    vec3 left = vec3_cross(vec3_sub(x[l[1]], x[l[0]]), vec3_sub(x[l[2]], x[l[0]]));
    vec3 right = vec3_cross(vec3_sub(x[r[1]], x[r[0]]), vec3_sub(x[r[2]], x[r[0]]));
    return vec3_normalise(vec3_add(vec3_normalise(left), vec3_normalise(right)));
}

static size_t join_copies(const crease_fold *fold, double angle, double stiffness, vec3 up, crease_spring *out) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += fold->distances[k] * fold->distances[k];
    if (!(sum > 0)) return 0;
    for (int k = 0; k < 3; k++) {
        out[k] = (crease_spring){.stiffness = stiffness / sum,
                                 .rest = 2 * fabs(fold->distances[k] * sin(angle / 2)),
                                 .direction = vec3_scale(up, fold->distances[k] < 0 ? -1 : 1)};
        out[k].weights[k] = 1;
        out[k].weights[3 + k] = -1;
    }
    return 3;
}

/* A vertex a on the left and b on the right: the spring between them, and one from where the cut crosses the edge, in
 * the mean of both sides, to the place on that spring. */
static void join_across(const crease_fold *fold, int a, int b, double angle, double stiffness, vec3 up,
                        crease_spring out[2]) {
    double s = fold->distances[a], t = -fold->distances[b], along = fold->alongs[a] - fold->alongs[b];
    double share = s / (s + t), half = s * t / (s + t);
    out[0] = (crease_spring){
        .stiffness = stiffness, .rest = sqrt(along * along + s * s + t * t + 2 * s * t * cos(angle)), .direction = up};
    out[0].weights[a] = 1;
    out[0].weights[3 + b] = -1;
    out[1] = (crease_spring){
        .stiffness = stiffness, .rest = 2 * half * fabs(sin(angle / 2)), .direction = vec3_scale(up, -1)};
    out[1].weights[a] = -0.5 * (1 - share);
    out[1].weights[b] = 0.5 * share;
    out[1].weights[3 + a] = 0.5 * (1 - share);
    out[1].weights[3 + b] = -0.5 * share;
}

size_t crease_springs_make(const crease_fold *fold, crease_law law, double angle, double stiffness,
                           const ruga_vec3 *points, crease_spring out[CREASE_SPRINGS]) {
    vec3 up = vec3_scale(mean_normal(fold, points), angle < 0 ? -1 : 1);
    const double *s = fold->distances;
    double sum = 0;
    size_t count = 0;
    if (law == CREASE_COPIES) return join_copies(fold, angle, stiffness, up, out);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (s[a] > 0 && s[b] < 0) sum += s[a] * s[b] / (s[a] - s[b]) * (s[a] * s[b] / (s[a] - s[b]));
    for (int a = 0; a < 3 && sum > 0; a++)
        for (int b = 0; b < 3; b++)
            if (s[a] > 0 && s[b] < 0) {
                join_across(fold, a, b, angle, stiffness / sum, up, out + count);
                count += 2;
            }
    return count;
}

double crease_spring_energy(const crease_fold *fold, const crease_spring *s, const ruga_vec3 *points) {
    vec3 d = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        d = vec3_add_scaled(d, points[fold->left[k]], s->weights[k]);
        d = vec3_add_scaled(d, points[fold->right[k]], s->weights[3 + k]);
    }
    double off = vec3_length(d) - s->rest;
    return 0.5 * s->stiffness * off * off;
}
