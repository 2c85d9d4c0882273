/* What tests of details share: frames, their way through a chain, comparisons. */
#ifndef TESTS_DETAIL_SUPPORT_H
#define TESTS_DETAIL_SUPPORT_H

#include <math.h>

#include "body/detail.h"
#include "math/vec3.h"
#include "support/shapes.h"

static const environment still_air = {0};

static inline ruga_frame frame_at(const ruga_mesh *mesh, const ruga_vec3 *positions, double time) {
    return (ruga_frame){.time = time, .vertex_count = mesh->vertex_count, .positions = positions};
}

static inline ruga_frame detail_frame(const detail *d, double time) {
    return (ruga_frame){
        .time = time, .vertex_count = d->output->vertex_count, .positions = d->positions, .normals = d->normals};
}

static inline void detail_update(detail *d, const ruga_vec3 *positions, double time, double dt, const environment *e) {
    ruga_frame in = frame_at(d->input, positions, time);
    assert_ok(d->context, d->interface->update(d, &in, dt, e ? e : &still_air));
}

/* As the step does it: with dt = 0 where a detail has no function of its own. */
static inline void detail_settle(detail *d, const ruga_vec3 *positions, double time, const environment *e) {
    ruga_frame in = frame_at(d->input, positions, time);
    if (!e) e = &still_air;
    assert_ok(d->context, d->interface->settle ? d->interface->settle(d, &in, e) : d->interface->update(d, &in, 0, e));
}

static inline void detail_destroy(detail *d) {
    if (d) d->interface->destroy(d);
}

/* A smooth way of a point, with a turn of the whole; (count) points. */
static inline void move_points(const ruga_vec3 *rest, size_t count, double time, ruga_vec3 *out) {
    double c = cos(time), s = sin(time);
    for (size_t v = 0; v < count; v++) {
        ruga_vec3 p = rest[v];
        out[v] =
            (ruga_vec3){c * p.x - s * p.z + 0.3 * sin(2 * time), p.y + 0.1 * sin(3 * time + p.x), s * p.x + c * p.z};
    }
}

static inline ruga_vec3 *copy_points(const ruga_vec3 *points, size_t count) {
    ruga_vec3 *copy = malloc((count + 1) * sizeof *copy);
    assert_non_null(copy);
    if (count > 0) memcpy(copy, points, count * sizeof *copy);
    return copy;
}

static inline double greatest_distance(const ruga_vec3 *a, const ruga_vec3 *b, size_t count) {
    double greatest = 0;
    for (size_t v = 0; v < count; v++) greatest = fmax(greatest, vec3_distance(a[v], b[v]));
    return greatest;
}

#endif
