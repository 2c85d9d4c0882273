/* Shared by the fuzz targets of tet meshes: a mesh that was read is written in all their formats and reads back. */
#ifndef TESTS_FUZZ_SOLID_H
#define TESTS_FUZZ_SOLID_H

#include <string.h>

#include "fuzz/fuzz_mesh.h"

static inline void fuzz_solid_again(const ruga_mesh *mesh, ruga_format format, const char *name) {
    ruga_file_def def = ruga_file_def_default();
    def.format = format;
    void *bytes = NULL;
    size_t size = 0;
    ruga_mesh *copy = NULL;
    if (RUGA_FAILED(ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size))) abort();
    if (RUGA_FAILED(ruga_mesh_read_memory(mesh->context, name, bytes, size, NULL, &copy))) abort();
    if (copy->vertex_count != mesh->vertex_count || copy->tet_count != mesh->tet_count) abort();
    if (copy->face_count != mesh->face_count || copy->corner_count != mesh->corner_count) abort();
    if (memcmp(copy->positions, mesh->positions, mesh->vertex_count * sizeof *mesh->positions) != 0) abort();
    if (mesh->tet_count > 0 && memcmp(copy->tets, mesh->tets, 4 * mesh->tet_count * sizeof *mesh->tets) != 0) abort();
    ruga_mesh_destroy(copy);
    ruga_free(mesh->context, bytes);
}

static inline void fuzz_solid(const char *name, const uint8_t *bytes, size_t size) {
    static ruga_context *context;
    ruga_context_def context_def = ruga_context_def_default();
    context_def.thread_count = 1;
    if (!context && RUGA_FAILED(ruga_context_create(&context_def, &context))) abort();
    ruga_mesh *mesh = NULL;
    if (!RUGA_FAILED(ruga_mesh_read_memory(context, name, bytes, size, NULL, &mesh))) {
        fuzz_solid_again(mesh, RUGA_FORMAT_MSH, "again.msh");
        fuzz_solid_again(mesh, RUGA_FORMAT_MSH_BINARY, "again.msh");
        fuzz_solid_again(mesh, RUGA_FORMAT_MSH2, "again.msh");
        fuzz_solid_again(mesh, RUGA_FORMAT_MSH2_BINARY, "again.msh");
        fuzz_solid_again(mesh, RUGA_FORMAT_MEDIT, "again.mesh");
        ruga_mesh_destroy(mesh);
    }
    fuzz_mesh(name, bytes, size);
}

#endif
