/* One square metre of cotton, shared by the benchmarks of cloth. */
#ifndef BENCH_CLOTH_SHEET_H
#define BENCH_CLOTH_SHEET_H

#include "bench.h"
#include "body/cloth.h"
#include "ruga/ruga.h"

#define COTTON_DAMPING 0.05 /* of critical */

static const environment surroundings = {.gravity = {0, -9.81, 0}, .wind = {.velocity = {1, 0, 3}}};

static inline ruga_mesh *make_sheet(ruga_context *context, size_t side) {
    double cells = (double)(side - 1), values[8] = {1, 1, cells, cells, 0, 0, 1, 1};
    ruga_mesh *mesh = NULL;
    bench_require(ruga_model_find("sheet")->field_count == 8, "a sheet has other parameters than it had");
    bench_require(!RUGA_FAILED(ruga_model_make(context, "sheet", values, &mesh)), ruga_context_message(context));
    bench_require(mesh->vertex_count == side * side, "a sheet has a different number of points");
    return mesh;
}

static inline cloth_def cotton(const ruga_mesh *mesh, integrator_kind kind) {
    cloth_def def = cloth_def_default();
    def.values.elements = CLOTH_SPRINGS;
    def.damping_time = cloth_damping_time(mesh, COTTON_DAMPING, def.material.stretch, def.material.density);
    def.values.integrator = (int)kind;
    def.values.iterations = 100000;
    return def;
}

static inline ruga_vec3 *copy_points(const ruga_vec3 *points, size_t count) {
    ruga_vec3 *copy = malloc(count * sizeof *copy);
    bench_require(copy != NULL, "no memory");
    if (points) memcpy(copy, points, count * sizeof *copy);
    return copy;
}

static inline ruga_context *make_context(int threads, ruga_allocator allocator) {
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = threads;
    def.allocator = allocator;
    ruga_context *context = NULL;
    bench_require(!RUGA_FAILED(ruga_context_create(&def, &context)), "no context");
    return context;
}

#endif
