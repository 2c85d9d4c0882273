/* Paths of a sculpt: curves as they were drawn, and the vertices of a mesh that follow them.
 *
 * A path deviates where it uses a near vertex, and has a corner there. Its arc length would be irregular, and the
 * corner would be the nearest place of many vertices far away: pleats would radiate from it. So places and distances
 * are those of the curve as it was drawn. */
#include <math.h>
#include <string.h>

#include "wrinkle/sculpt.h"

/* ---- Drawn curves. */

ruga_status sculpt_drawn_make(const ruga_curve *curve, const ruga_mesh *mesh, sculpt_drawn *out) {
    size_t n = curve->point_count;
    *out = (sculpt_drawn){.context = curve->context, .count = n, .closed = curve->closed};
    ruga_status status = NEW(curve->context, &out->points, n);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(curve->context, &out->arcs, n + 1);
    TRY_OR(status, sculpt_drawn_release(out));
    ruga_curve_points(curve, mesh, NULL, out->points);
    for (size_t i = 0; i < n; i++)
        out->arcs[i + 1] = out->arcs[i] + vec3_distance(out->points[i], out->points[(i + 1) % n]);
    out->length = out->arcs[out->closed ? n : n - 1];
    return RUGA_OK;
}

void sculpt_drawn_release(sculpt_drawn *drawn) {
    RELEASE_ALL(drawn->context, drawn->points, drawn->arcs);
    *drawn = (sculpt_drawn){.context = drawn->context};
}

static size_t segment_count(const sculpt_drawn *d) { return d->closed ? d->count : d->count - 1; }

/* The segment that contains an arc. */
static size_t find_segment(const sculpt_drawn *d, double arc) {
    size_t low = 0, high = segment_count(d);
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(d->arcs[middle] <= arc ? &low : &high) = middle;
    }
    return low;
}

/* The nearest place of one segment: its squared distance, m², and arc. */
static double nearest_on(const sculpt_drawn *d, size_t segment, vec3 point, double *arc) {
    vec3 a = d->points[segment], edge = vec3_sub(d->points[(segment + 1) % d->count], a);
    double length2 = vec3_length2(edge), part = length2 > 0 ? vec3_dot(vec3_sub(point, a), edge) / length2 : 0;
    part = part > 1 ? 1 : part > 0 ? part : 0;
    *arc = d->arcs[segment] + part * (d->arcs[segment + 1] - d->arcs[segment]);
    return vec3_length2(vec3_sub(point, vec3_add_scaled(a, edge, part)));
}

double sculpt_drawn_nearest(const sculpt_drawn *d, vec3 point, double from, double to, double *arc) {
    if (d->closed) {
        to -= from;
        from -= d->length * floor(from / d->length);
        to += from;
    }
    size_t count = segment_count(d), first = find_segment(d, from);
    double least = INFINITY, walked = d->arcs[first];
    for (size_t i = 0; i < count && walked <= to; i++) {
        size_t segment = first + i;
        if (segment >= count && !d->closed) break;
        double at, distance = nearest_on(d, segment % count, point, &at);
        walked += d->arcs[segment % count + 1] - d->arcs[segment % count];
        if (distance >= least) continue;
        least = distance;
        *arc = at;
    }
    return sqrt(least);
}

/* ---- Paths. */

ruga_status sculpt_path_make(ruga_context *context, const uint32_t *vertices, size_t count, int closed,
                             sculpt_path *out) {
    *out = (sculpt_path){.count = count, .closed = closed};
    ruga_status status = NEW_COPY(context, &out->vertices, vertices, count);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &out->arcs, count);
    if (RUGA_FAILED(status)) sculpt_path_release(context, out);
    return status;
}

ruga_status sculpt_path_copy(ruga_context *context, const sculpt_path *path, sculpt_path *out) {
    TRY(sculpt_path_make(context, path->vertices, path->count, path->closed, out));
    memcpy(out->arcs, path->arcs, path->count * sizeof *path->arcs);
    out->length = path->length;
    return RUGA_OK;
}

void sculpt_path_release(ruga_context *context, sculpt_path *path) {
    RELEASE_ALL(context, path->vertices, path->arcs);
    *path = (sculpt_path){0};
}

void sculpt_path_measure(sculpt_path *path, const vec3 *positions, const sculpt_drawn *drawn) {
    path->length = drawn->length;
    for (size_t i = 1; i < path->count; i++) {
        vec3 before = positions[path->vertices[i - 1]], now = positions[path->vertices[i]];
        double arc = path->arcs[i - 1], to = arc + 2 * vec3_distance(before, now);
        sculpt_drawn_nearest(drawn, now, arc, fmin(to, drawn->length), &arc);
        path->arcs[i] = fmax(path->arcs[i - 1], arc);
    }
    if (!path->closed) path->arcs[path->count - 1] = path->length;
}
