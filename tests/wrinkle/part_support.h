/* Shared by tests of parts: frames, a chain of updates, comparisons. */
#ifndef TESTS_PART_SUPPORT_H
#define TESTS_PART_SUPPORT_H

#include <math.h>

#include "body/part.h"
#include "linalg/map.h"
#include "math/vec3.h"
#include "support/shapes.h"

static const environment still_air = {0};

static inline ruga_frame frame_at(const ruga_mesh *mesh, const ruga_vec3 *positions, double time) {
    return (ruga_frame){.time = time, .vertex_count = mesh->vertex_count, .positions = positions};
}

static inline ruga_frame part_frame(const part *d, double time) {
    return (ruga_frame){
        .time = time, .vertex_count = d->output->vertex_count, .positions = d->positions, .normals = d->normals};
}

static inline ruga_status try_update(part *d, const ruga_frame *in, double dt) {
    const substep s = {.time = in->time, .dt = dt, .blend = 1, .environment = &still_air};
    return d->interface->update(d, NULL, &s, in);
}

static inline ruga_status try_settle(part *d, const ruga_frame *in) {
    const substep s = {.time = in->time, .blend = 1, .environment = &still_air};
    return d->interface->settle(d, NULL, &s, in);
}

/* Vertex i of the new mesh is i of the old. */
static inline ruga_map *identity_map(ruga_context *context, size_t count) {
    ruga_map *map = NULL;
    assert_ok(context, map_select_first(context, count, count, &map));
    return map;
}

/* A mesh that is cut open: triangles with a middle beyond x get vertices of their own where they touch the others
 * between z = 0 and z_end. The new vertices come last. */
static inline ruga_mesh *cut_open(const ruga_mesh *mesh, double x, double z_end, ruga_map **map) {
    const size_t count = mesh->vertex_count;
    uint32_t *triangles = malloc(3 * mesh->triangle_count * sizeof *triangles);
    uint32_t *copies = calloc(count, sizeof *copies);
    ruga_vec3 *points = malloc(2 * count * sizeof *points);
    size_t next = count;
    map_builder builder;
    assert_ok(mesh->context, map_builder_make(mesh->context, 2 * count, 2 * count, &builder));
    map_builder_copy_rows(&builder, count);
    memcpy(points, mesh->positions, count * sizeof *points);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        double middle = (points[v[0]].x + points[v[1]].x + points[v[2]].x) / 3;
        for (size_t k = 0; k < 3; k++) {
            triangles[3 * t + k] = v[k];
            ruga_vec3 p = points[v[k]];
            if (!(middle > x && fabs(p.x - x) < 1e-9 && p.z < z_end)) continue;
            if (!copies[v[k]]) {
                map_builder_put(&builder, v[k], 1);
                map_builder_end_row(&builder);
                points[next] = p;
                copies[v[k]] = (uint32_t)next++;
            }
            triangles[3 * t + k] = copies[v[k]];
        }
    }
    ruga_mesh *cut = shape_make(mesh->context, next, points, mesh->triangle_count, NULL, triangles);
    assert_less((double)count, (double)next);
    assert_ok(mesh->context, map_builder_finish(&builder, count, map));
    free(triangles);
    free(copies);
    free(points);
    return cut;
}

/* The first change of a part: the old input is the first one. */
static inline ruga_status try_rebuild(part *d, const ruga_mesh *input, const ruga_map *from_old) {
    const part_change change = {input, from_old, from_old, from_old};
    return d->interface->rebuild(d, NULL, &change);
}

static inline void part_update(part *d, const ruga_vec3 *positions, double time, double dt, const environment *e) {
    ruga_frame in = frame_at(d->input, positions, time);
    const substep s = {.time = time, .dt = dt, .blend = 1, .environment = e ? e : &still_air};
    assert_ok(d->context, d->interface->update(d, NULL, &s, &in));
}

/* As the step does it: with dt = 0 where a detail has no function of its own. */
static inline void part_settle(part *d, const ruga_vec3 *positions, double time, const environment *e) {
    ruga_frame in = frame_at(d->input, positions, time);
    const substep s = {.time = time, .blend = 1, .environment = e ? e : &still_air};
    assert_ok(d->context, (d->interface->settle ? d->interface->settle : d->interface->update)(d, NULL, &s, &in));
}

static inline void part_destroy(part *d) {
    if (d) d->interface->destroy(d);
}

/* A smooth trajectory of each point, with a turn of the whole; (count) points. */
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
