/* Shared by the fuzz targets of mesh formats: bytes become a mesh, the mesh is written in other formats and read
 * again. Whatever was read must be writable, except where a format can't hold a number. */
#ifndef TESTS_FUZZ_MESH_H
#define TESTS_FUZZ_MESH_H

#include <stdint.h>
#include <stdlib.h>

#include "ruga/ruga.h"

/* A reader that can't be trusted with what it wrote itself is broken. */
static inline void fuzz_write_again(const ruga_mesh *mesh, ruga_format format, const char *name) {
    ruga_file_def def = ruga_file_def_default();
    def.format = format;
    void *bytes = NULL;
    size_t size = 0;
    if (RUGA_FAILED(ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size))) return;
    ruga_mesh *copy = NULL;
    if (RUGA_FAILED(ruga_mesh_read_memory(mesh->context, name, bytes, size, NULL, &copy))) abort();
    if (copy->vertex_count != mesh->vertex_count || copy->face_count != mesh->face_count) abort();
    ruga_mesh_destroy(copy);
    ruga_free(mesh->context, bytes);
}

static inline void fuzz_mesh(const char *name, const uint8_t *bytes, size_t size) {
    static ruga_context *context;
    ruga_context_def context_def = ruga_context_def_default();
    context_def.thread_count = 1;
    if (!context && RUGA_FAILED(ruga_context_create(&context_def, &context))) abort();
    ruga_file_def def = ruga_file_def_default();
    def.unit = 0.5;
    def.up = RUGA_AXIS_Z;
    ruga_mesh *mesh = NULL;
    if (!RUGA_FAILED(ruga_mesh_read_memory(context, name, bytes, size, &def, &mesh))) {
        fuzz_write_again(mesh, RUGA_FORMAT_PLY, "again.ply");
        fuzz_write_again(mesh, RUGA_FORMAT_PLY_ASCII, "again.ply");
        fuzz_write_again(mesh, RUGA_FORMAT_OBJ, "again.obj");
        ruga_mesh_destroy(mesh);
    }
}

#endif
