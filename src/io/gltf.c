/* glTF 2.0: the entries that the registry knows. */
#include "io/io.h"

static ruga_status not_yet(ruga_context *context) {
    return fail_with(context, RUGA_ERROR_UNSUPPORTED, "glTF is not in this build");
}

ruga_status gltf_write(const io_target *target, ruga_format format) {
    (void)format;
    return not_yet(target->context);
}
uint64_t gltf_written_size(const ruga_mesh *mesh, size_t frame_count, ruga_format format) {
    (void)mesh, (void)frame_count, (void)format;
    return 0;
}
ruga_status gltf_writer_create(const ruga_mesh *mesh, const char *path, const ruga_file_def *def,
                               ruga_motion_writer **out) {
    (void)path, (void)def, (void)out;
    return not_yet(mesh->context);
}
