/* Putting meshes in their place: turned, scaled and moved, with the directions that are stored on them. */
#include "io/io.h"
#include "linalg/map.h"
#include "math/vec3.h"
#include "scene/object.h"

int object_is_placed(const ruga_object_def *object) {
    vec3 m = object->move, t = object->turn;
    return m.x != 0 || m.y != 0 || m.z != 0 || t.x != 0 || t.y != 0 || t.z != 0 || object->scale != 1;
}

body_transform object_transform(const ruga_object_def *object) {
    body_transform transform = {.move = object->move};
    body_turn_columns(object->turn, transform.columns);
    for (int k = 0; k < 3; k++) transform.columns[k] = vec3_scale(transform.columns[k], object->scale);
    return transform;
}

ruga_status object_undo_placement(const build *b, ruga_vec3 **out) {
    const ruga_mesh *mesh = b->mesh;
    const body_transform *t = b->placement;
    double share = 1 / (b->object->scale * b->object->scale);
    TRY(NEW(b->context, out, mesh->vertex_count));
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        vec3 p = vec3_sub(mesh->positions[i], t->move);
        (*out)[i] = vec3_scale(
            (vec3){vec3_dot(p, t->columns[0]), vec3_dot(p, t->columns[1]), vec3_dot(p, t->columns[2])}, share);
    }
    return RUGA_OK;
}

/* Normals and tangents turn along. */
static void turn_directions(const body_transform *turn, const ruga_attribute *attribute) {
    void *values = (void *)(uintptr_t)attribute->values;
    for (size_t i = 0; i < attribute->count; i++) {
        size_t at = i * attribute->components;
        vec3 d = body_transform_apply(
            turn, (vec3){mesh_scalar_get(attribute->type, values, at), mesh_scalar_get(attribute->type, values, at + 1),
                         mesh_scalar_get(attribute->type, values, at + 2)});
        mesh_scalar_set(attribute->type, values, at, d.x);
        mesh_scalar_set(attribute->type, values, at + 1, d.y);
        mesh_scalar_set(attribute->type, values, at + 2, d.z);
    }
}

/* The mesh is not shown to anyone yet: its arrays may still change. */
static void place_made(const ruga_object_def *object, const ruga_mesh *mesh) {
    body_transform transform = object_transform(object);
    vec3 *positions = (vec3 *)(uintptr_t)mesh->positions;
    for (size_t i = 0; i < mesh->vertex_count; i++) positions[i] = body_transform_apply(&transform, positions[i]);
    body_transform turn = {0};
    body_turn_columns(object->turn, turn.columns);
    for (size_t i = 0; i < mesh->attribute_count; i++)
        if (io_attribute_is_direction(&mesh->attributes[i])) turn_directions(&turn, &mesh->attributes[i]);
}

/* An array of a mesh for its copy; NULL stays NULL. */
static ruga_status copy_array(ruga_context *context, const uint32_t *source, size_t count, uint32_t **out) {
    if (!source) return RUGA_OK;
    return NEW_COPY(context, out, source, count);
}

static ruga_status copy_parts(const ruga_mesh *mesh, mesh_parts *parts) {
    ruga_context *context = mesh->context;
    parts->vertex_count = mesh->vertex_count;
    parts->face_count = mesh->face_count;
    parts->corner_count = mesh->corner_count;
    parts->edge_count = mesh->edge_count;
    parts->line_count = mesh->line_count;
    parts->tet_count = mesh->tet_count;
    parts->split_count = mesh->split_count;
    TRY(NEW_COPY(context, &parts->positions, mesh->positions, mesh->vertex_count));
    TRY(copy_array(context, mesh->face_offsets, mesh->face_count + 1, &parts->face_offsets));
    TRY(copy_array(context, mesh->face_vertices, mesh->corner_count, &parts->face_vertices));
    TRY(copy_array(context, mesh->edges, 2 * mesh->edge_count, &parts->edges));
    TRY(copy_array(context, mesh->line_offsets, mesh->line_count + 1, &parts->line_offsets));
    if (mesh->line_count > 0)
        TRY(copy_array(context, mesh->line_vertices, mesh->line_offsets[mesh->line_count], &parts->line_vertices));
    TRY(copy_array(context, mesh->tets, 4 * mesh->tet_count, &parts->tets));
    TRY(copy_array(context, mesh->split_vertex, mesh->split_count, &parts->split_vertex));
    TRY(copy_array(context, mesh->corner_split, mesh->corner_count, &parts->corner_split));
    for (size_t i = 0; i < mesh->attribute_count; i++)
        TRY(mesh_parts_copy_attribute(context, parts, &mesh->attributes[i]));
    if (mesh->file_rows) TRY(map_copy(mesh->file_rows, &parts->file_rows));
    if (!mesh->joint_weights) return RUGA_OK;
    ruga_map *weights;
    TRY(map_copy(mesh->joint_weights, &weights));
    return mesh_parts_set_joints(context, parts, mesh->joint_names, mesh->joint_count, weights);
}

ruga_status object_mesh_copy(const ruga_mesh *mesh, ruga_mesh **out) {
    mesh_parts parts = {0};
    ruga_status status = copy_parts(mesh, &parts);
    if (!RUGA_FAILED(status)) return mesh_from_parts(mesh->context, &parts, out);
    mesh_parts_release(mesh->context, &parts);
    return status;
}

ruga_status object_mesh_place(const ruga_object_def *object, object_mesh *mesh) {
    if (!object_is_placed(object)) return RUGA_OK;
    if (!mesh->made) TRY(object_mesh_copy(mesh->mesh, &mesh->made));
    mesh->mesh = mesh->made;
    place_made(object, mesh->mesh);
    return RUGA_OK;
}
