/* Shared by the fuzz targets of point caches: the bytes lie in a file in memory; a motion of a small mesh is read from
 * it and sampled. The first byte says how many vertices the mesh has. */
#ifndef TESTS_FUZZ_CACHE_H
#define TESTS_FUZZ_CACHE_H

#include <stdlib.h>

#include "ruga/ruga.h"
#include "support/file_systems.h"

static inline void fuzz_sample(ruga_motion *motion) {
    const ruga_motion_info info = ruga_motion_get_info(motion);
    ruga_vec3 *positions = malloc(info.vertex_count * sizeof *positions + 1);
    const double middle = info.start + 0.37 * (info.end - info.start);
    const double times[5] = {info.start, info.end, middle, info.start - 1, info.end + 1};
    for (int i = 0; positions && i < 5; i++) (void)ruga_motion_sample(motion, times[i], positions);
    free(positions);
}

static inline void fuzz_cache(const char *path, const uint8_t *bytes, size_t size) {
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 1;
    ruga_context *context = NULL;
    memory_file_system *files = NULL;
    if (size == 0 || RUGA_FAILED(ruga_context_create(&def, &context))) return;
    if (RUGA_FAILED(memory_file_system_create(context, &files))) abort();
    if (RUGA_FAILED(memory_file_system_put(files, path, bytes + 1, size - 1))) abort();
    context->file_system = memory_file_system_interface(files);
    const double positions[3 * 255] = {0};
    ruga_mesh_def mesh_def = ruga_mesh_def_default();
    mesh_def.positions = (ruga_view){(void *)(uintptr_t)positions, bytes[0], 0, RUGA_F64};
    ruga_mesh *mesh = NULL;
    if (RUGA_FAILED(ruga_mesh_create(context, &mesh_def, &mesh))) abort();
    ruga_motion *motion = NULL;
    if (!RUGA_FAILED(ruga_motion_read(context, path, mesh, NULL, &motion))) fuzz_sample(motion);
    ruga_motion_destroy(motion);
    motion = NULL;
    if (!RUGA_FAILED(ruga_motion_read(context, path, NULL, NULL, &motion))) fuzz_sample(motion);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
    context->file_system = file_system_disk();
    memory_file_system_destroy(files);
    ruga_context_destroy(context);
}

#endif
