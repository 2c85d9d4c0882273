/* Lines of a sculpt: particles on a base curve, and the smooth curve through their deflections.
 *
 * Deflections between particles are those of a cubic spline: with a polygon, a region would show a crease at every
 * particle. The two particles at either end, which do not move, also have no slope, so that wrinkles begin and end on
 * the surface. The spline of a closed curve is periodic. */
#include <math.h>
#include <string.h>

#include "wrinkle/sculpt.h"

/* ---- Particles. */

ruga_status sculpt_line_make(ruga_context *context, size_t particles, sculpt_line *out) {
    *out = (sculpt_line){.count = particles};
    ruga_status status = NEW_ZEROED(context, &out->points, 2 * particles);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &out->deflections, 6 * particles);
    TRY_OR(status, sculpt_line_release(context, out));
    out->normals = out->points + particles;
    out->rest_deflections = out->deflections + particles;
    out->shape = out->deflections + 2 * particles;
    out->slopes = out->deflections + 3 * particles;
    out->factors = out->deflections + 4 * particles;
    out->closing = out->deflections + 5 * particles;
    return RUGA_OK;
}

void sculpt_line_release(ruga_context *context, sculpt_line *line) {
    RELEASE_ALL(context, line->points, line->deflections);
    *line = (sculpt_line){0};
}

void sculpt_line_place(sculpt_line *line, const sculpt_path *path, const vec3 *positions, const vec3 *normals) {
    size_t at = 0, pieces = path->closed ? path->count : path->count - 1;
    for (size_t i = 0; i < line->count; i++) {
        double arc = line->length * (double)i / (double)(line->count - 1);
        while (at + 1 < pieces && path->arcs[at + 1] <= arc) at++;
        uint32_t a = path->vertices[at], b = path->vertices[(at + 1) % path->count];
        double end = at + 1 < path->count ? path->arcs[at + 1] : path->length, width = end - path->arcs[at];
        double part = width > 0 ? fmin(1, (arc - path->arcs[at]) / width) : 0;
        line->points[i] = vec3_mix(positions[a], positions[b], part);
        line->normals[i] = vec3_normalise(vec3_mix(normals[a], normals[b], part));
    }
}

void sculpt_line_place_across(sculpt_line *line) {
    for (size_t i = 0; i < line->count; i++) {
        line->points[i] = vec3_make(line->length * (double)i / (double)(line->count - 1), 0, 0);
        line->normals[i] = vec3_make(0, 1, 0);
    }
}

double sculpt_line_chord(const sculpt_line *line) {
    double length = 0;
    for (size_t i = 0; i + 1 < line->count; i++) length += vec3_distance(line->points[i], line->points[i + 1]);
    return length;
}

/* Of a closed curve, cyclically over its k = count - 1 particles. With the first slope set aside, the others are those
 * of an open one plus a multiple of the solution for a first slope of 1; the first particle's equation gives it. */
static void smooth_closed(sculpt_line *line) {
    const size_t k = line->count - 1;
    const double *d = line->deflections;
    double *m = line->slopes, *f = line->factors, *c = line->closing;
    m[0] = c[0] = f[0] = 0;
    for (size_t i = 1; i < k; i++) {
        const double at_ends = (i == 1 ? -1 : 0) + (i == k - 1 ? -1 : 0);
        f[i] = 1 / (4 - f[i - 1]);
        m[i] = f[i] * (3 * (d[i + 1] - d[i - 1]) - m[i - 1]);
        c[i] = f[i] * (at_ends - c[i - 1]);
    }
    for (size_t i = k - 1; i-- > 1;) {
        m[i] -= f[i] * m[i + 1];
        c[i] -= f[i] * c[i + 1];
    }
    const double first = (3 * (d[1] - d[k - 1]) - m[1] - m[k - 1]) / (4 + c[1] + c[k - 1]);
    for (size_t i = 1; i < k; i++) m[i] += first * c[i];
    m[0] = m[k] = first;
}

/* The slopes solve m(i-1) + 4 m(i) + m(i+1) = 3 (d(i+1) - d(i-1)): one sweep forwards and one backwards. */
void sculpt_line_smooth(sculpt_line *line) {
    if (line->closed) {
        smooth_closed(line);
        return;
    }
    size_t n = line->count;
    const double *d = line->deflections;
    double *m = line->slopes, *f = line->factors;
    m[0] = m[1] = m[n - 2] = m[n - 1] = f[1] = 0;
    for (size_t i = 2; i + 2 < n; i++) {
        f[i] = 1 / (4 - f[i - 1]);
        m[i] = f[i] * (3 * (d[i + 1] - d[i - 1]) - m[i - 1]);
    }
    for (size_t i = n - 2; i-- > 2;) m[i] -= f[i] * m[i + 1];
}

double sculpt_line_deflection(const sculpt_line *line, double part) {
    double at = fmin(1, fmax(0, part)) * (double)(line->count - 1);
    size_t i = at < (double)(line->count - 2) ? (size_t)at : line->count - 2;
    double t = at - (double)i, s = 1 - t;
    const double *d = line->deflections + i, *m = line->slopes + i;
    return s * s * (1 + 2 * t) * d[0] + t * t * (1 + 2 * s) * d[1] + s * s * t * m[0] - t * t * s * m[1];
}

/* ---- Levels. */

/* The deflected point of a path at a fraction t from its vertex i to the next. */
static vec3 deflected(const sculpt_line *line, const sculpt_path *path, const vec3 *positions, const vec3 *normals,
                      size_t i, double t) {
    uint32_t a = path->vertices[i], b = path->vertices[(i + 1) % path->count];
    double end = i + 1 < path->count ? path->arcs[i + 1] : path->length;
    double part = (path->arcs[i] + t * (end - path->arcs[i])) / line->length;
    vec3 normal = vec3_normalise(vec3_mix(normals[a], normals[b], t));
    return vec3_add_scaled(vec3_mix(positions[a], positions[b], t), normal, sculpt_line_deflection(line, part));
}

/* The greatest distance of the middles of the path's edges, each in `pieces` pieces, from the deflected line. */
static double path_error(const sculpt_line *line, const sculpt_path *path, const vec3 *positions, const vec3 *normals,
                         size_t pieces) {
    double greatest = 0, step = 1 / (double)pieces;
    size_t edges = path->closed ? path->count : path->count - 1;
    for (size_t i = 0; i < edges; i++) {
        vec3 a = deflected(line, path, positions, normals, i, 0);
        for (size_t k = 0; k < pieces; k++) {
            vec3 middle = deflected(line, path, positions, normals, i, ((double)k + 0.5) * step);
            vec3 b = deflected(line, path, positions, normals, i, (double)(k + 1) * step);
            greatest = fmax(greatest, vec3_distance(middle, vec3_mix(a, b, 0.5)));
            a = b;
        }
    }
    return greatest;
}

/* 1, of a line's length: shorter edges have no error, and a stride may be 0. */
#define LEAST_HALF 1e-5

/* The same from deflections alone, for edges as long as a stride (m) that begin anywhere: the edges beside the path,
 * whose own edges are short. */
static double stride_error(const sculpt_line *line, double stride) {
    double greatest = 0, half = fmax(LEAST_HALF, 0.5 * stride / line->length);
    double step = fmin(half, 0.5 / (double)line->count);
    double d[3];
    /* An edge as long as an open line may miss all of it. */
    for (size_t i = 0; i < line->count && !line->closed && half >= 0.5; i++)
        greatest = fmax(greatest, fabs(line->deflections[i]));
    for (double part = 0; part + (line->closed ? 0 : 2 * half) <= 1; part += step) {
        for (int k = 0; k < 3; k++) {
            const double at = part + k * half;
            d[k] = sculpt_line_deflection(line, line->closed ? at - floor(at) : at);
        }
        greatest = fmax(greatest, fabs(d[1] - 0.5 * (d[0] + d[2])));
    }
    return greatest;
}

int sculpt_line_level_across(const sculpt_line *line, double stride, double tolerance, int most, double *error) {
    int level = 0;
    while ((*error = stride_error(line, stride / (double)(1 << level))) > tolerance && level < most) level++;
    return level;
}

int sculpt_line_level(const sculpt_line *line, const sculpt_path *path, const vec3 *positions, const vec3 *normals,
                      double stride, double tolerance, int most, double *error) {
    int level = 0;
    while (level < most && stride_error(line, stride / (double)(1 << level)) > tolerance) level++;
    while ((*error = path_error(line, path, positions, normals, (size_t)1 << level)) > tolerance && level < most)
        level++;
    return level;
}
