/* Shared by tests of attachments: contexts with an instruction set, points as floats, and attachments applied once. */
#ifndef TESTS_GEOM_ATTACHED_H
#define TESTS_GEOM_ATTACHED_H

#include <math.h>

#include "geom/attachment.h"
#include "math/vec3.h"
#include "ruga/subdivide.h"
#include "support/shapes.h"

/* A context with a forced instruction set; NULL when the machine lacks it. */
static inline ruga_context *context_of(ruga_isa isa, int threads) {
    ruga_context_def def = ruga_context_def_default();
    def.isa = isa;
    def.thread_count = threads;
    ruga_context *context = NULL;
    return RUGA_FAILED(ruga_context_create(&def, &context)) ? NULL : context;
}

/* (count x 4) floats; the fourth is a meaningless number. */
static inline float *floats_of(const vec3 *points, size_t count) {
    float *out = malloc((count ? count : 1) * 4 * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        out[4 * i] = (float)points[i].x, out[4 * i + 1] = (float)points[i].y, out[4 * i + 2] = (float)points[i].z;
        out[4 * i + 3] = NAN;
    }
    return out;
}

static inline vec3 point_of(const float *points, size_t i) {
    return vec3_make(points[4 * i], points[4 * i + 1], points[4 * i + 2]);
}

static inline float *mesh_float_normals(const ruga_mesh *mesh) {
    vec3 *normals = malloc(mesh->vertex_count * sizeof *normals);
    assert_ok(mesh->context, ruga_mesh_normals(mesh, NULL, normals));
    float *out = floats_of(normals, mesh->vertex_count);
    free(normals);
    return out;
}

/* The result of an application: (count x 4) each, malloc'ed. The fourth numbers were 7, and must not change. */
typedef struct applied {
    size_t count;
    float *points, *normals;
} applied;

static inline applied apply(attachment *a, const float *base, const float *normals) {
    applied r = {.count = attachment_count(a)};
    r.points = malloc((r.count ? r.count : 1) * 4 * sizeof(float));
    r.normals = malloc((r.count ? r.count : 1) * 4 * sizeof(float));
    for (size_t i = 0; i < 4 * r.count; i++) r.points[i] = r.normals[i] = 7;
    attachment_apply(a, base, normals, r.points, r.normals);
    for (size_t i = 0; i < r.count; i++) {
        assert_equal_case(r.points[4 * i + 3], 7, "i %zu", i);
        assert_equal_case(r.normals[4 * i + 3], 7, "i %zu", i);
    }
    return r;
}

static inline void applied_release(applied *r) {
    free(r->points);
    free(r->normals);
}

/* A finer mesh, and the map from the base (may be NULL). */
static inline ruga_mesh *subdivide(const ruga_mesh *mesh, ruga_subdivision kind, int n, ruga_map **map) {
    ruga_subdivide_def def = ruga_subdivide_def_default();
    def.kind = kind;
    def.n = n;
    ruga_mesh *fine = NULL;
    assert_ok(mesh->context, ruga_mesh_subdivide(mesh, &def, &fine, map));
    return fine;
}

/* An attachment of all points of a regular subdivision. */
static inline attachment *attach_subdivided(const ruga_mesh *base, attachment_kind kind, int n) {
    ruga_map *map = NULL;
    attachment *a = NULL;
    ruga_mesh_destroy(subdivide(base, RUGA_SUBDIVIDE_REGULAR, n, &map));
    assert_ok(base->context, attachment_create_from_map(base, kind, 180, map, &a));
    ruga_map_destroy(map);
    return a;
}

#endif
