/* Any bytes as a glTF file: the list, the mesh, its motion, a copy of the whole. Everything read is written, alone and
 * into its own file, and must be read again alike. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/io.h"
#include "ruga/decode.h"
#include "support/file_systems.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A small file must not ask for much memory: all beyond this fails. */
#define MEMORY_LIMIT ((size_t)1 << 30)

static void *limited_allocate(void *user, size_t size) {
    (void)user;
    return size > MEMORY_LIMIT ? NULL : malloc(size);
}

static void limited_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void require(int holds) {
    if (!holds) abort();
}

/* A written mesh keeps its vertices in their order, triangles, lines. */
static void check_written(ruga_context *context, const ruga_mesh *mesh, ruga_format format) {
    ruga_file_def def = ruga_file_def_default();
    ruga_mesh *back = NULL;
    void *bytes = NULL;
    size_t size = 0;
    def.format = format;
    if (RUGA_FAILED(ruga_mesh_write_memory(mesh, NULL, &def, &bytes, &size))) return;
    ruga_status status = ruga_mesh_read_memory(context, "written.glb", bytes, size, &def, &back);
    if (status != RUGA_ERROR_MEMORY) {
        require(!RUGA_FAILED(status));
        require(back->triangle_count == mesh->triangle_count && back->line_count == mesh->line_count);
        require(back->vertex_count <= mesh->vertex_count);
    }
    ruga_mesh_destroy(back);
    ruga_free(context, bytes);
}

static void check_motion(ruga_context *context, const ruga_mesh *mesh) {
    ruga_motion *motion = NULL;
    if (RUGA_FAILED(ruga_motion_read(context, "input.glb", mesh, NULL, &motion))) return;
    ruga_motion_info info = ruga_motion_get_info(motion);
    require(info.vertex_count == mesh->vertex_count && info.start <= info.end);
    ruga_vec3 *positions;
    ruga_status status = NEW(context, &positions, mesh->vertex_count);
    for (int i = 0; !RUGA_FAILED(status) && i <= 3; i++)
        require(!RUGA_FAILED(ruga_motion_sample(motion, info.start + (info.end - info.start) * i / 3, positions)));
    memory_release(context, positions);
    ruga_motion_destroy(motion);
}

/* A copy has the same meshes. */
static void check_copy(ruga_context *context, const char *path, const char *meshes) {
    char *list = NULL;
    if (RUGA_FAILED(ruga_file_copy(context, "input.glb", path, NULL))) return;
    ruga_status status = ruga_file_list_meshes(context, path, &list);
    if (status == RUGA_ERROR_MEMORY) return;
    require(!RUGA_FAILED(status) && (!meshes || strcmp(list, meshes) == 0));
    ruga_free(context, list);
}

/* Written into its own file, a mesh keeps its triangles. Skins that flatten may move it beyond what a float holds. */
static void check_origin(ruga_context *context, const ruga_mesh *mesh, const char *name) {
    ruga_file_def def = ruga_file_def_default();
    ruga_mesh *back = NULL;
    def.mesh = name;
    def.origin = "input.glb";
    if (RUGA_FAILED(ruga_mesh_write(mesh, NULL, "into.glb", &def))) return;
    def.origin = NULL;
    if (RUGA_FAILED(ruga_mesh_read(context, "into.glb", &def, &back))) return;
    require(back->triangle_count == mesh->triangle_count);
    ruga_mesh_destroy(back);
}

static void check_input(ruga_context *context) {
    ruga_mesh *mesh = NULL;
    char *list = NULL;
    ruga_file_def def = ruga_file_def_default();
    if (!RUGA_FAILED(ruga_file_list_meshes(context, "input.glb", &list))) {
        check_copy(context, "copy.glb", list);
        check_copy(context, "copy.gltf", list);
        ruga_free(context, list);
    }
    for (int i = 0; i < RUGA_FILE_NAMES_COUNT; i++)
        if (!RUGA_FAILED(ruga_file_list_names(context, "input.glb", NULL, 0, (ruga_file_names)i, &list)))
            ruga_free(context, list);
    ruga_status status = ruga_mesh_read(context, "input.glb", &def, &mesh);
    if (RUGA_FAILED(status)) {
        def.mesh = "0";
        status = ruga_mesh_read(context, "input.glb", &def, &mesh);
    }
    if (RUGA_FAILED(status)) return;
    check_motion(context, mesh);
    check_origin(context, mesh, def.mesh);
    check_written(context, mesh, RUGA_FORMAT_GLB);
    check_written(context, mesh, RUGA_FORMAT_GLTF);
    ruga_mesh_destroy(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    ruga_context *context = NULL;
    memory_file_system *files = NULL;
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 1;
    def.allocator = (ruga_allocator){limited_allocate, limited_release, NULL};
    require(ruga_context_create(&def, &context) == RUGA_OK);
    ruga_decode_use(context);
    require(memory_file_system_create(context, &files) == RUGA_OK);
    require(memory_file_system_put(files, "input.glb", bytes, size) == RUGA_OK);
    const file_system *disk = context->file_system;
    context->file_system = memory_file_system_interface(files);
    check_input(context);
    context->file_system = disk;
    memory_file_system_destroy(files);
    ruga_context_destroy(context);
    return 0;
}
