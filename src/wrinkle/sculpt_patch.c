/* Patches of a sculpt's meshes: parts whose normals are found anew, while all others keep theirs. */
#include "wrinkle/sculpt.h"

/* marks: (vertices of the mesh) 1: of the patch. */
static ruga_status make_patch(const ruga_mesh *mesh, const uint8_t *marks, sculpt_patch *out) {
    ruga_context *context = mesh->context;
    uint8_t *triangles = ALLOCATE(context, uint8_t, mesh->triangle_count);
    *out = (sculpt_patch){0};
    if (!triangles) return fail_memory(context, mesh->triangle_count);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        triangles[t] = marks[v[0]] | marks[v[1]] | marks[v[2]];
    }
    ruga_status status = sculpt_list_marked(context, marks, mesh->vertex_count, &out->vertices, &out->vertex_count);
    if (!RUGA_FAILED(status))
        status = sculpt_list_marked(context, triangles, mesh->triangle_count, &out->triangles, &out->triangle_count);
    memory_release(context, triangles);
    if (RUGA_FAILED(status)) sculpt_patch_release(context, out);
    return status;
}

void sculpt_patch_release(ruga_context *context, sculpt_patch *patch) {
    memory_release(context, patch->vertices);
    memory_release(context, patch->triangles);
    *patch = (sculpt_patch){0};
}

void sculpt_patch_normals(const sculpt_patch *patch, const ruga_mesh *mesh, const vec3 *positions, vec3 *sums,
                          vec3 *normals) {
    sculpt_normals(mesh, positions, patch->vertices, patch->vertex_count, patch->triangles, patch->triangle_count, sums,
                   normals);
}

ruga_status sculpt_patch_of_new(const ruga_mesh *mesh, size_t old_count, sculpt_patch *out) {
    uint8_t *marks = ALLOCATE_ZEROED(mesh->context, uint8_t, mesh->vertex_count);
    if (!marks) return fail_memory(mesh->context, mesh->vertex_count);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        if (v[0] >= old_count || v[1] >= old_count || v[2] >= old_count) marks[v[0]] = marks[v[1]] = marks[v[2]] = 1;
    }
    ruga_status status = make_patch(mesh, marks, out);
    memory_release(mesh->context, marks);
    return status;
}
