/* Rigid motions of flesh and bone around anchors: see crease.h.
 *
 * The rotation R that maps places X at rest nearest to places x, in the mean with weights w, is that of
 * Σ w (x - x̄)(X - X̄)ᵀ = U diag(s) Vᵀ, R = U Vᵀ. */
#include <math.h>

#include "base/memory.h"
#include "math/svd.h"
#include "wrinkle/crease.h"

#define LEAST_WIDE 1e-6 /* of the first singular value: the points of a second one that is below are on one line */

crease_motion crease_motion_fit(size_t count, const uint32_t *points, const double *weights, const vec3 *rest,
                                const vec3 *now) {
    crease_motion m = {.turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    mat3 sum = {{{0}}};
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        total += weights[i];
        m.from = vec3_add_scaled(m.from, rest[points[i]], weights[i]);
        m.to = vec3_add_scaled(m.to, now[points[i]], weights[i]);
    }
    if (!(total > 0)) return m;
    m.from = vec3_scale(m.from, 1 / total);
    m.to = vec3_scale(m.to, 1 / total);
    for (size_t i = 0; i < count; i++)
        mat3_add_outer(&sum, weights[i] / total, vec3_sub(now[points[i]], m.to), vec3_sub(rest[points[i]], m.from));
    const svd3 svd = svd3_of(&sum);
    if (!(svd.values[1] > LEAST_WIDE * svd.values[0])) return m;
    m.turn = (mat3){{{0}}};
    for (int k = 0; k < 3; k++) mat3_add_outer(&m.turn, 1, svd.u[k], svd.v[k]);
    return m;
}

vec3 crease_motion_place(const crease_motion *m, vec3 rest) {
    return vec3_add(m->to, mat3_apply(&m->turn, vec3_sub(rest, m->from)));
}

/* Falls smoothly from 1 to 0 at the radius. */
static double nearness(double distance, double radius) {
    double t = distance / radius;
    return t < 1 ? (1 - t * t) * (1 - t * t) : 0;
}

void crease_surroundings_release(ruga_context *context, crease_surroundings *s) {
    RELEASE_ALL(context, s->offsets, s->points, s->weights);
    *s = (crease_surroundings){0};
}

static ruga_status fill(ruga_context *context, const vec3 *rest, size_t point_count, double radius, size_t count,
                        const crease_anchor *anchors, crease_surroundings *out) {
    for (int pass = 0; pass < 2; pass++) {
        uint32_t total = 0;
        for (size_t i = 0; i < count; i++) {
            out->offsets[i] = total;
            for (size_t p = 0; p < point_count; p++) {
                double near = nearness(vec3_distance(rest[p], anchors[i].at), radius);
                if (!(near > 0)) continue;
                if (pass) {
                    out->points[total] = (uint32_t)p;
                    out->weights[total] = near;
                }
                total++;
            }
        }
        out->offsets[count] = total;
        if (!pass) TRY(NEW(context, &out->points, total));
        if (!pass) TRY(NEW(context, &out->weights, total));
    }
    return RUGA_OK;
}

ruga_status crease_surroundings_make(const ruga_mesh *mesh, double radius, size_t count, const crease_anchor *anchors,
                                     crease_surroundings *out) {
    *out = (crease_surroundings){0};
    TRY(NEW(mesh->context, &out->offsets, count + 1));
    ruga_status status = fill(mesh->context, mesh->positions, mesh->vertex_count, radius, count, anchors, out);
    if (RUGA_FAILED(status)) crease_surroundings_release(mesh->context, out);
    return status;
}
