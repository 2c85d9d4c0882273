/* Slopes of cubic splines on even knots.
 *
 * Natural: the second derivative is continuous at inner points and zero at the ends,
 *
 *     m_{i−1} + 4 m_i + m_{i+1} = 3 (P_{i+1} − P_{i−1}),     2 m_0 + m_1 = 3 (P_1 − P_0), and so at the other end
 *
 * a system that is solved by elimination, with the same factors for all curves of one size. Closed: the system is
 * cyclic; it is the open one plus a matrix of rank one (Sherman and Morrison 1950).
 */
#include "math/spline.h"

#define CYCLE -4.0 /* any number but zero; minus the diagonal keeps both changed pivots large */

/* ---- The factors: reciprocal pivots, then, for a closed curve, the answer to the matrix of rank one. */

static double diagonal(const spline *s, size_t i) {
    if (s->closed) return i == 0 ? 4 - CYCLE : i + 1 == s->count ? 4 - 1 / CYCLE : 4;
    return i == 0 || i + 1 == s->count ? 2 : 4;
}

/* z with T z = u, and u = (CYCLE, 0 … 0, 1); scaled so that m = y − z (y_0 + y_{n−1} / CYCLE). */
static void make_cycle(const spline *s, const double *pivots, double *cycle) {
    size_t n = s->count;
    for (size_t i = 0; i < n; i++) {
        double right = i == 0 ? CYCLE : i + 1 == n ? 1 : 0;
        cycle[i] = (right - (i > 0 ? cycle[i - 1] : 0)) * pivots[i];
    }
    for (size_t i = n - 1; i-- > 0;) cycle[i] -= pivots[i] * cycle[i + 1];
    double scale = 1 / (1 + cycle[0] + cycle[n - 1] / CYCLE);
    for (size_t i = 0; i < n; i++) cycle[i] *= scale;
}

spline spline_make(spline_kind kind, int closed, size_t count, double *factors) {
    spline s = {kind, closed, count, factors};
    for (size_t i = 0; i < count; i++) factors[i] = 1 / (diagonal(&s, i) - (i > 0 ? factors[i - 1] : 0));
    if (closed) make_cycle(&s, factors, factors + count);
    return s;
}

/* ---- Slopes. */

/* P_{i+1} − P_{i−1}, across the seam of a closed curve; at the ends of an open one only the half there is. */
static vec3 difference(const spline *s, const vec3 *points, size_t stride, size_t i) {
    size_t last = s->count - 1;
    size_t before = i > 0 ? i - 1 : s->closed ? last : 0, after = i < last ? i + 1 : s->closed ? 0 : last;
    return vec3_sub(points[after * stride], points[before * stride]);
}

static void natural_slopes(const spline *s, const vec3 *points, size_t stride, vec3 *slopes) {
    const double *pivots = s->factors, *cycle = s->factors + s->count;
    vec3 before = {0, 0, 0};
    for (size_t i = 0; i < s->count; i++) {
        before = vec3_scale(vec3_sub(vec3_scale(difference(s, points, stride, i), 3), before), pivots[i]);
        slopes[i * stride] = before;
    }
    for (size_t i = s->count - 1; i-- > 0;)
        slopes[i * stride] = vec3_add_scaled(slopes[i * stride], slopes[(i + 1) * stride], -pivots[i]);
    if (!s->closed) return;
    vec3 seam = vec3_add_scaled(slopes[0], slopes[(s->count - 1) * stride], 1 / CYCLE);
    for (size_t i = 0; i < s->count; i++) slopes[i * stride] = vec3_add_scaled(slopes[i * stride], seam, -cycle[i]);
}

static void catmull_rom_slopes(const spline *s, const vec3 *points, size_t stride, vec3 *slopes) {
    size_t last = s->count - 1;
    for (size_t i = 0; i <= last; i++) slopes[i * stride] = vec3_scale(difference(s, points, stride, i), 0.5);
    if (s->closed) return;

    /* No curvature at the ends: 2 m_0 = 3 (P_1 − P_0) − m_1. Two points: a straight line. */
    vec3 begin = difference(s, points, stride, 0), end = difference(s, points, stride, last);
    vec3 second = last > 1 ? slopes[stride] : begin, second_last = last > 1 ? slopes[(last - 1) * stride] : end;
    slopes[0] = vec3_add_scaled(vec3_scale(begin, 1.5), second, -0.5);
    slopes[last * stride] = vec3_add_scaled(vec3_scale(end, 1.5), second_last, -0.5);
}

void spline_slopes(const spline *s, const vec3 *points, size_t stride, vec3 *slopes) {
    if (s->kind == SPLINE_NATURAL)
        natural_slopes(s, points, stride, slopes);
    else
        catmull_rom_slopes(s, points, stride, slopes);
}

/* ---- Places. */

spline_place spline_place_at(const spline *s, size_t i, size_t count) {
    /* In whole numbers, so that points of the curve are met exactly. */
    size_t segments = spline_segments(s), steps = s->closed ? count : count - 1;
    size_t segment = i * segments / steps, rest = i * segments % steps;
    double t = (double)rest / (double)steps;
    if (segment == segments) {
        segment--;
        t = 1;
    }
    double u = 1 - t;
    return (spline_place){.first = (uint32_t)segment,
                          .second = (uint32_t)((segment + 1) % s->count),
                          .t = t,
                          .value = {u * u * (1 + 2 * t), t * t * (1 + 2 * u), t * u * u, -t * t * u},
                          .slope = {-6 * t * u, 6 * t * u, u * (1 - 3 * t), t * (3 * t - 2)}};
}
