/* Meshes: made from the caller's arrays, asked for their attributes, and released. */
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

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

/* What the integer 1 stands for when integers are normalised. */
static const double scalar_tops[] = {UINT8_MAX, INT8_MAX, UINT16_MAX, INT16_MAX, UINT32_MAX, INT32_MAX, 1, 1};

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
        return fail_with(context, RUGA_ERROR_ARGUMENT, "positions are neither RUGA_F32 nor RUGA_F64");
    if (view->count > 0 && !view->data)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "%zu positions are announced, but their data is NULL",
                         view->count);
    if (stride < 3 * scalar)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "the stride of the positions is %zu bytes, a point has %zu",
                         stride, 3 * scalar);
    parts->positions = ALLOCATE(context, ruga_vec3, view->count);
    if (!parts->positions) return fail_memory(context, view->count);
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
    uint32_t *offsets = ALLOCATE(context, uint32_t, count + 1);
    if (!offsets) return fail_memory(context, count);
    *out = offsets;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        offsets[i] = (uint32_t)sum;
        sum += sizes[i];
        if (sum >= UINT32_MAX)
            return fail_with(context, RUGA_ERROR_INPUT, "%s %zu passes the limit of 2^32 corners in all", what, i);
    }
    offsets[count] = (uint32_t)sum;
    return RUGA_OK;
}

/* A copy of (count) indices; an array that is missing although its count is not zero is the caller's mistake. */
static ruga_status copy_indices(ruga_context *context, const char *what, const uint32_t *source, size_t count,
                                uint32_t **out) {
    if (count > 0 && !source)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "%zu indices of %s are announced, but they are NULL", count,
                         what);
    *out = memory_copy(context, source, count, sizeof(uint32_t));
    return *out ? RUGA_OK : fail_memory(context, count * sizeof(uint32_t));
}

static ruga_status copy_faces(ruga_context *context, const ruga_mesh_def *def, mesh_parts *parts) {
    if (def->face_count > UINT32_MAX / 3)
        return fail_with(context, RUGA_ERROR_INPUT, "%zu faces are too many", def->face_count);
    parts->face_count = def->face_count;
    parts->corner_count = 3 * def->face_count;
    if (def->face_sizes) {
        TRY(offsets_from_sizes(context, "face", def->face_count, def->face_sizes, &parts->face_offsets));
        parts->corner_count = parts->face_offsets[def->face_count];
    }
    return copy_indices(context, "faces", def->face_vertices, parts->corner_count, &parts->face_vertices);
}

static ruga_status copy_lines(ruga_context *context, const ruga_mesh_def *def, mesh_parts *parts) {
    if (def->line_count == 0) return RUGA_OK;
    if (!def->line_sizes) return fail_with(context, RUGA_ERROR_ARGUMENT, "there are lines, but line_sizes is NULL");
    parts->line_count = def->line_count;
    TRY(offsets_from_sizes(context, "line", def->line_count, def->line_sizes, &parts->line_offsets));
    return copy_indices(context, "lines", def->line_vertices, parts->line_offsets[def->line_count],
                        &parts->line_vertices);
}

static ruga_status copy_parts(ruga_context *context, const ruga_mesh_def *def, mesh_parts *parts) {
    TRY(copy_positions(context, &def->positions, parts));
    TRY(copy_faces(context, def, parts));
    TRY(copy_lines(context, def, parts));
    if (def->edge_count > SIZE_MAX / 8 || def->tet_count > SIZE_MAX / 16)
        return fail_with(context, RUGA_ERROR_INPUT, "%zu edges or %zu tets are too many", def->edge_count,
                         def->tet_count);
    if (def->edge_count > 0) {
        parts->edge_count = def->edge_count;
        TRY(copy_indices(context, "edges", def->edges, 2 * def->edge_count, &parts->edges));
    }
    if (def->tet_count > 0) {
        parts->tet_count = def->tet_count;
        TRY(copy_indices(context, "tets", def->tets, 4 * def->tet_count, &parts->tets));
    }
    if (def->attribute_count > 0 && !def->attributes)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "%zu attributes are announced, but they are NULL",
                         def->attribute_count);
    for (size_t i = 0; i < def->attribute_count; i++)
        TRY(mesh_parts_copy_attribute(context, parts, &def->attributes[i]));
    return RUGA_OK;
}

ruga_status ruga_mesh_create(ruga_context *context, const ruga_mesh_def *def, ruga_mesh **out) {
    if (!context) return RUGA_ERROR_ARGUMENT;
    if (!def || !out || def->cookie != RUGA_COOKIE)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "a mesh needs a def from ruga_mesh_def_default and a place");
    mesh_parts parts = {0};
    ruga_status status = copy_parts(context, def, &parts);
    if (RUGA_FAILED(status)) {
        mesh_parts_release(context, &parts);
        return status;
    }
    return mesh_from_parts(context, &parts, out);
}

void ruga_mesh_destroy(ruga_mesh *mesh) {
    if (!mesh) return;
    ruga_context *context = mesh->context;
    if (mesh->triangles != mesh->face_vertices) memory_release(context, (void *)mesh->triangles);
    memory_release(context, (void *)mesh->triangle_corners);
    memory_release(context, (void *)mesh->triangle_faces);

    /* Everything else was a part once. */
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
    };
    mesh_parts_release(context, &parts);
    memory_release(context, mesh);
}
