/* The entries of reading glTF: a mesh, the list of meshes.
 *
 * A mesh is read as a viewer shows the file when no animation plays: nodes as they stand, the skin posed by them, morph
 * targets by the weights that the file sets. */
#include <stdio.h>
#include <string.h>

#include "io/gltf.h"
#include "math/vec3.h"

/* The file's numbers are finite, but their products need not be. */
static ruga_status check_pose(const gltf_document *doc, const gltf_rig *rig) {
    gltf_matrix matrix = gltf_matrix_identity();
    if (rig->joint_count == 0) matrix = gltf_rig_vertex_matrix(rig, 0);
    const int stands = rig->joint_count == 0 && rig->target_count == 0 && gltf_matrix_is_identity(&matrix);
    if (stands) return RUGA_OK;
    for (size_t v = 0; v < rig->vertex_count; v++)
        if (!vec3_is_finite(rig->positions[v]))
            return gltf_fail(doc, NULL,
                             "the transforms of nodes take vertex %zu to (%g, %g, %g), which is no place; "
                             "look for a scale that is too large",
                             v, rig->positions[v].x, rig->positions[v].y, rig->positions[v].z);
    return RUGA_OK;
}

static ruga_status fill_parts(gltf_document *doc, const gltf_surface *surface, gltf_rig *rig, mesh_parts *parts) {
    gltf_rig_pose(rig, rig->weights, rig->positions);
    TRY(check_pose(doc, rig));
    int flip = 0;
    if (rig->joint_count == 0) {
        gltf_matrix matrix = gltf_rig_vertex_matrix(rig, 0);
        flip = gltf_matrix_determinant(&matrix) < 0;
    }
    parts->vertex_count = rig->vertex_count;
    parts->positions = rig->positions;
    rig->positions = NULL;
    TRY(gltf_read_faces(doc, surface, flip, parts));
    return gltf_read_attributes(doc, surface, rig, parts);
}

static ruga_status read_choice(gltf_document *doc, gltf_scene *scene, gltf_choice choice, mesh_parts *parts) {
    gltf_surface surface;
    gltf_rig rig;
    int skinned = choice.node != GLTF_NONE && scene->nodes[choice.node].skin != GLTF_NONE;
    TRY(gltf_surface_open(doc, choice.mesh, skinned, &surface));
    ruga_status status = gltf_rig_open(doc, scene, choice, &surface, 0, &rig);
    if (!RUGA_FAILED(status)) {
        status = fill_parts(doc, &surface, &rig, parts);
        gltf_rig_close(&rig);
    }
    gltf_surface_close(doc, &surface);
    return status;
}

ruga_status gltf_read(const io_source *source, mesh_parts *parts) {
    gltf_document doc;
    gltf_scene scene = {0};
    gltf_choice choice;
    TRY(gltf_document_open(source, &doc));
    ruga_status status = gltf_scene_open(&doc, &scene);
    if (!RUGA_FAILED(status)) status = gltf_scene_choose(&doc, &scene, source->def ? source->def->mesh : NULL, &choice);
    if (!RUGA_FAILED(status)) status = read_choice(&doc, &scene, choice, parts);
    gltf_scene_close(source->context, &scene);
    gltf_document_close(&doc);
    return status;
}

/* ---- The list. */

/* Triangles of a mesh by its accessors' counts; what can't be understood counts as none. */
static uint64_t count_triangles(const gltf_document *doc, uint32_t mesh) {
    const json_value *list = json_member(gltf_item(doc, "meshes", mesh), "primitives");
    uint64_t triangles = 0;
    for (const json_value *p = list && list->type == JSON_ARRAY ? list->first : NULL; p; p = p->next) {
        const json_value *index = json_member(p, "indices");
        int64_t accessor, mode = 4, count;
        if (!index) index = json_member(json_member(p, "attributes"), "POSITION");
        if (json_member(p, "mode") && !json_whole(json_member(p, "mode"), 0, 6, &mode)) continue;
        if (!json_whole(index, 0, 4294967294.0, &accessor)) continue;
        const json_value *json = gltf_item(doc, "accessors", (uint32_t)accessor);
        if (!json_whole(json_member(json, "count"), 3, 4294967294.0, &count)) continue;
        if (mode == 4) triangles += (uint64_t)count / 3;
        if (mode > 4) triangles += (uint64_t)count - 2;
    }
    return triangles;
}

static ruga_status print_choices(const gltf_document *doc, const gltf_choice *choices, size_t count, char **text) {
    size_t room = 1;
    for (size_t i = 0; i < count; i++) room += strlen(gltf_choice_name(doc, choices[i])) + 48;
    char *lines = ALLOCATE(doc->context, char, room);
    if (!lines) return fail_memory(doc->context, room);
    size_t used = 0;
    lines[0] = 0;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(lines + used, room - used, "%zu %s %llu\n", i, gltf_choice_name(doc, choices[i]),
                                 (unsigned long long)count_triangles(doc, choices[i].mesh));
    *text = lines;
    return RUGA_OK;
}

ruga_status gltf_list_meshes(const io_source *source, char **text) {
    gltf_document doc;
    gltf_scene scene = {0};
    gltf_choice *choices = NULL;
    size_t count = 0;
    TRY(gltf_document_open(source, &doc));
    ruga_status status = gltf_scene_open(&doc, &scene);
    if (!RUGA_FAILED(status)) status = gltf_scene_choices(&doc, &scene, &choices, &count);
    if (!RUGA_FAILED(status)) status = print_choices(&doc, choices, count, text);
    memory_release(source->context, choices);
    gltf_scene_close(source->context, &scene);
    gltf_document_close(&doc);
    return status;
}
