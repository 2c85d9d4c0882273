/* Shared by tests of wrinkle meshes: bases that move, wrinkle meshes on them, and their points. */
#ifndef TESTS_WRINKLE_MESH_SUPPORT_H
#define TESTS_WRINKLE_MESH_SUPPORT_H

#include <math.h>

#include "math/vec3.h"
#include "support/shapes.h"

#define PI 3.14159265358979323846

/* A wrinkle mesh with its base as it moves and its fine mesh as it is read. */
typedef struct wrinkled {
    ruga_mesh *base, *fine;
    ruga_wrinkle_mesh *mesh;
    ruga_vec3 *moved;               /* (base vertices) */
    ruga_vec3 *positions, *normals; /* (fine vertices) */
} wrinkled;

static inline ruga_view view_of(const ruga_vec3 *points, size_t count) {
    return (ruga_view){(void *)(uintptr_t)points, count, 0, RUGA_F64};
}

static inline wrinkled wrinkled_on(ruga_mesh *base, ruga_mesh *fine, ruga_wrinkle_mesh *mesh) {
    wrinkled w = {base, fine, mesh, NULL, NULL, NULL};
    w.moved = malloc(base->vertex_count * sizeof *w.moved);
    w.positions = malloc(fine->vertex_count * sizeof *w.positions);
    w.normals = malloc(fine->vertex_count * sizeof *w.normals);
    memcpy(w.moved, base->positions, base->vertex_count * sizeof *w.moved);
    return w;
}

/* Each triangle of the base into n². The base becomes its own. */
static inline wrinkled wrinkle_regular(ruga_mesh *base, int n, const ruga_wrinkle_mesh_def *def) {
    ruga_subdivide_def parts = ruga_subdivide_def_default();
    parts.n = n;
    ruga_mesh *fine = NULL;
    ruga_wrinkle_mesh *mesh = NULL;
    assert_ok(base->context, ruga_wrinkle_mesh_create_subdivided(base, &parts, def, &fine, &mesh));
    return wrinkled_on(base, fine, mesh);
}

static inline void wrinkled_release(wrinkled w) {
    free(w.moved);
    free(w.positions);
    free(w.normals);
    ruga_wrinkle_mesh_destroy(w.mesh);
    ruga_mesh_destroy(w.fine);
    ruga_mesh_destroy(w.base);
}

static inline void read_fine(wrinkled w) {
    ruga_view positions = view_of(w.positions, w.fine->vertex_count),
              normals = view_of(w.normals, w.fine->vertex_count);
    assert_ok(w.base->context, ruga_wrinkle_mesh_read(w.mesh, &positions, &normals));
}

/* One frame with the base where `moved` has it. */
static inline void update(wrinkled w) {
    ruga_view positions = view_of(w.moved, w.base->vertex_count);
    assert_ok(w.base->context, ruga_wrinkle_mesh_update(w.mesh, &positions, NULL));
    read_fine(w);
}

static inline int settle(wrinkled w, double tolerance, int iterations) {
    ruga_view positions = view_of(w.moved, w.base->vertex_count);
    int done = 0;
    assert_ok(w.base->context, ruga_wrinkle_mesh_settle(w.mesh, &positions, NULL, tolerance, iterations, &done));
    read_fine(w);
    return done;
}

/* The base at rest, scaled along x. */
static inline void squeeze(wrinkled w, double factor) {
    for (size_t v = 0; v < w.base->vertex_count; v++) {
        w.moved[v] = w.base->positions[v];
        w.moved[v].x *= factor;
    }
}

/* And more and more. */
static inline void squeeze_frame(wrinkled w, int frame) { squeeze(w, 1 - 0.04 * frame); }

static inline double rms_offset(wrinkled w) { return ruga_wrinkle_mesh_get_report(w.mesh).rms_offset; }

/* Greatest height over the plane y = 0. */
static inline double greatest_height(wrinkled w) {
    double greatest = 0;
    for (size_t v = 0; v < w.fine->vertex_count; v++) greatest = fmax(greatest, fabs(w.positions[v].y));
    return greatest;
}

static inline ruga_wrinkle_mesh_def def_with(ruga_wrinkle_solver solver, double pre_stretch) {
    ruga_wrinkle_mesh_def def = ruga_wrinkle_mesh_def_default();
    def.solver = solver;
    def.pre_stretch = ruga_param_constant(pre_stretch);
    return def;
}

#endif
