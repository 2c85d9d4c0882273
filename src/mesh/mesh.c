/* Meshes: creation from the caller's arrays, access to attributes, release. */
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

#include "linalg/map.h"

static const size_t scalar_sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};

size_t ruga_scalar_size(ruga_scalar type) {
    size_t index = (size_t)type;
    return index < sizeof scalar_sizes / sizeof scalar_sizes[0] ? scalar_sizes[index] : 0;
}

ruga_mesh_def ruga_mesh_def_default(void) {
    return (ruga_mesh_def){.cookie = RUGA_COOKIE, .positions = {.type = RUGA_F64}};
}

size_t mesh_domain_size(const ruga_mesh *mesh, ruga_domain domain) {
    switch (domain) {
        case RUGA_DOMAIN_VERTEX: return mesh->vertex_count;
        case RUGA_DOMAIN_FACE: return mesh->face_count;
        case RUGA_DOMAIN_EDGE: return mesh->edge_count;
        case RUGA_DOMAIN_CORNER: return mesh->corner_count;
    }
    return 0;
}

const ruga_attribute *ruga_mesh_attribute(const ruga_mesh *mesh, const char *name, ruga_domain domain) {
    for (size_t i = 0; i < mesh->attribute_count; i++) {
        const ruga_attribute *attribute = &mesh->attributes[i];
        if (attribute->domain == domain && !strcmp(attribute->name, name)) return attribute;
    }
    return NULL;
}

double mesh_scalar_get(ruga_scalar type, const void *values, size_t i) {
    switch (type) {
        case RUGA_U8: return ((const uint8_t *)values)[i];
        case RUGA_I8: return ((const int8_t *)values)[i];
        case RUGA_U16: return ((const uint16_t *)values)[i];
        case RUGA_I16: return ((const int16_t *)values)[i];
        case RUGA_U32: return ((const uint32_t *)values)[i];
        case RUGA_I32: return ((const int32_t *)values)[i];
        case RUGA_F32: return (double)((const float *)values)[i];
        case RUGA_F64: return ((const double *)values)[i];
    }
    return 0;
}

void mesh_scalar_set(ruga_scalar type, void *values, size_t i, double value) {
    double whole = floor(value + 0.5);
    switch (type) {
        case RUGA_U8: ((uint8_t *)values)[i] = (uint8_t)whole; break;
        case RUGA_I8: ((int8_t *)values)[i] = (int8_t)whole; break;
        case RUGA_U16: ((uint16_t *)values)[i] = (uint16_t)whole; break;
        case RUGA_I16: ((int16_t *)values)[i] = (int16_t)whole; break;
        case RUGA_U32: ((uint32_t *)values)[i] = (uint32_t)whole; break;
        case RUGA_I32: ((int32_t *)values)[i] = (int32_t)whole; break;
        case RUGA_F32: ((float *)values)[i] = (float)value; break;
        case RUGA_F64: ((double *)values)[i] = value; break;
    }
}

/* The integer that stands for 1 when integers are normalised. */
static const double scalar_tops[] = {UINT8_MAX, INT8_MAX, UINT16_MAX, INT16_MAX, UINT32_MAX, INT32_MAX, 1, 1};

double mesh_scalar_clamp(ruga_scalar type, double value) {
    if (type == RUGA_F32 || type == RUGA_F64) return value;
    int is_signed = type == RUGA_I8 || type == RUGA_I16 || type == RUGA_I32;
    return fmax(is_signed ? -scalar_tops[type] - 1 : 0, fmin(value, scalar_tops[type]));
}

double ruga_attribute_get(const ruga_attribute *attribute, size_t element, uint32_t component) {
    size_t index = element;
    if (attribute->indices) {
        index = attribute->indices[element];
        if (index == UINT32_MAX) return 0;
    }
    double value = mesh_scalar_get(attribute->type, attribute->values, index * attribute->components + component);
    if (!attribute->normalised) return value;
    value /= scalar_tops[attribute->type];
    return value < -1 ? -1 : value;
}

/* ---- Making a mesh from the caller's arrays. */

static ruga_status copy_positions(ruga_context *context, const ruga_view *view, mesh_parts *parts) {
    size_t scalar = ruga_scalar_size(view->type), stride = view->stride ? view->stride : 3 * scalar;
    if (view->type != RUGA_F32 && view->type != RUGA_F64)
        return fail_argument(context, "positions must be RUGA_F32 or RUGA_F64");
    if (view->count > 0 && !view->data)
        return fail_argument(context, "the count of positions is %zu, but their data is NULL", view->count);
    if (stride < 3 * scalar)
        return fail_argument(context, "the stride of the positions is %zu bytes, a point has %zu", stride, 3 * scalar);
    TRY(NEW(context, &parts->positions, view->count));
    parts->vertex_count = view->count;
    for (size_t i = 0; i < view->count; i++) {
        const unsigned char *point = (const unsigned char *)view->data + i * stride;
        if (view->type == RUGA_F64) {
            memcpy(&parts->positions[i], point, sizeof(ruga_vec3));
        } else {
            float p[3];
            memcpy(p, point, sizeof p);
            parts->positions[i] = (ruga_vec3){(double)p[0], (double)p[1], (double)p[2]};
        }
    }
    return RUGA_OK;
}

/* Turns sizes into offsets; the sum is in offsets[count]. */
static ruga_status offsets_from_sizes(ruga_context *context, const char *what, size_t count, const uint32_t *sizes,
                                      uint32_t **out) {
    TRY(NEW(context, out, count + 1));
    uint32_t *offsets = *out;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        offsets[i] = (uint32_t)sum;
        sum += sizes[i];
        if (sum >= UINT32_MAX) return fail_input(context, "%s %zu passes the limit of 2^32 corners in all", what, i);
    }
    offsets[count] = (uint32_t)sum;
    return RUGA_OK;
}

/* A copy of (count) indices. */
static ruga_status copy_indices(ruga_context *context, const char *what, const uint32_t *source, size_t count,
                                uint32_t **out) {
    if (count > 0 && !source)
        return fail_argument(context, "%zu indices of %s are needed, but the array is NULL", count, what);
    return NEW_COPY(context, out, source, count);
}

static ruga_status check_skin(ruga_context *context, const ruga_mesh_def *def) {
    const ruga_map *skin = def->joint_weights;
    if (!def->joint_names || !skin || !skin->offsets || !skin->indices || !skin->weights ||
        skin->rows != def->positions.count || skin->columns != def->joint_count || skin->offsets[0] != 0)
        return fail_argument(
            context,
            "a skin of %zu joints needs their names, and weights with a row for each of the %zu vertices "
            "and a column for each joint",
            def->joint_count, def->positions.count);
    for (size_t j = 0; j < def->joint_count; j++)
        if (!def->joint_names[j]) return fail_argument(context, "the name of joint %zu is NULL", j);
    for (size_t v = 0; v < skin->rows; v++) {
        if (skin->offsets[v + 1] < skin->offsets[v])
            return fail_argument(context, "the offsets of the skin fall at vertex %zu", v);
        for (size_t i = skin->offsets[v]; i < skin->offsets[v + 1]; i++)
            if (skin->indices[i] >= skin->columns || !isfinite(skin->weights[i]) || skin->weights[i] < 0)
                return fail_input(
                    context,
                    "vertex %zu has the weight %g of joint %u; there are %zu joints, and weights are 0 or "
                    "more",
                    v, skin->weights[i], skin->indices[i], skin->columns);
    }
    return RUGA_OK;
}

static ruga_status copy_skin(ruga_context *context, const ruga_mesh_def *def, mesh_parts *parts) {
    const ruga_map *skin = def->joint_weights;
    map_builder copy;
    ruga_map *weights;
    if (def->joint_count == 0) return RUGA_OK;
    TRY(check_skin(context, def));
    TRY(map_builder_make(context, skin->rows, skin->offsets[skin->rows], &copy));
    for (size_t v = 0; v < skin->rows; v++) {
        for (size_t i = skin->offsets[v]; i < skin->offsets[v + 1]; i++)
            map_builder_put(&copy, skin->indices[i], skin->weights[i]);
        map_builder_end_row(&copy);
    }
    TRY(map_builder_finish(&copy, skin->columns, &weights));
    return mesh_parts_set_joints(context, parts, def->joint_names, def->joint_count, weights);
}

static ruga_status copy_parts(ruga_context *context, const ruga_mesh_def *def, mesh_parts *parts) {
    TRY(copy_positions(context, &def->positions, parts));
    if (def->face_count > UINT32_MAX / 3) return fail_input(context, "%zu faces are too many", def->face_count);
    parts->face_count = def->face_count;
    parts->corner_count = 3 * def->face_count;
    if (def->face_sizes) {
        TRY(offsets_from_sizes(context, "face", def->face_count, def->face_sizes, &parts->face_offsets));
        parts->corner_count = parts->face_offsets[def->face_count];
    }
    TRY(copy_indices(context, "faces", def->face_vertices, parts->corner_count, &parts->face_vertices));
    if (def->line_count > 0) {
        if (!def->line_sizes) return fail_argument(context, "there are lines, but line_sizes is NULL");
        parts->line_count = def->line_count;
        TRY(offsets_from_sizes(context, "line", def->line_count, def->line_sizes, &parts->line_offsets));
        TRY(copy_indices(context, "lines", def->line_vertices, parts->line_offsets[def->line_count],
                         &parts->line_vertices));
    }
    if (def->edge_count > SIZE_MAX / 8 || def->tet_count > SIZE_MAX / 16)
        return fail_input(context, "%zu edges or %zu tets are too many", def->edge_count, def->tet_count);
    if (def->edge_count > 0) {
        parts->edge_count = def->edge_count;
        TRY(copy_indices(context, "edges", def->edges, 2 * def->edge_count, &parts->edges));
    }
    if (def->tet_count > 0) {
        parts->tet_count = def->tet_count;
        TRY(copy_indices(context, "tets", def->tets, 4 * def->tet_count, &parts->tets));
    }
    if (def->attribute_count > 0 && !def->attributes)
        return fail_argument(context, "there are %zu attributes, but their array is NULL", def->attribute_count);
    for (size_t i = 0; i < def->attribute_count; i++)
        TRY(mesh_parts_copy_attribute(context, parts, &def->attributes[i]));
    return copy_skin(context, def, parts);
}

ruga_status ruga_mesh_create(ruga_context *context, const ruga_mesh_def *def, ruga_mesh **out) {
    if (!context) return RUGA_ERROR_ARGUMENT;
    if (!def || !out || def->cookie != RUGA_COOKIE)
        return fail_argument(context, "ruga_mesh_create needs a def from ruga_mesh_def_default and an output");
    mesh_parts parts = {0};
    TRY_OR(copy_parts(context, def, &parts), mesh_parts_release(context, &parts));
    return mesh_from_parts(context, &parts, out);
}

void ruga_mesh_destroy(ruga_mesh *mesh) {
    if (!mesh) return;
    ruga_context *context = mesh->context;
    if (mesh->triangles != mesh->face_vertices) memory_release(context, (void *)mesh->triangles);
    RELEASE_ALL(context, (void *)mesh->triangle_corners, (void *)mesh->triangle_faces);

    /* Everything else came from mesh_parts. */
    mesh_parts parts = {
        .positions = (ruga_vec3 *)mesh->positions,
        .face_offsets = (uint32_t *)mesh->face_offsets,
        .face_vertices = (uint32_t *)mesh->face_vertices,
        .edges = (uint32_t *)mesh->edges,
        .line_offsets = (uint32_t *)mesh->line_offsets,
        .line_vertices = (uint32_t *)mesh->line_vertices,
        .tets = (uint32_t *)mesh->tets,
        .split_vertex = (uint32_t *)mesh->split_vertex,
        .corner_split = (uint32_t *)mesh->corner_split,
        .attributes = {(ruga_attribute *)mesh->attributes, mesh->attribute_count, mesh->attribute_count},
        .joint_names = mesh->joint_names,
        .joint_weights = (ruga_map *)mesh->joint_weights,
        .file_rows = (ruga_map *)mesh->file_rows,
    };
    mesh_parts_release(context, &parts);
    memory_release(context, mesh);
}
