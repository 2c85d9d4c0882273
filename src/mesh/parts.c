/* Parts become a mesh: every index and count is checked, polygons are cut into triangles, tets get their surface. */
#include <string.h>

#include "mesh/mesh.h"
#include "mesh/triangulate.h"

static void release_attribute(ruga_context *context, const mesh_parts *parts, ruga_attribute *attribute) {
    memory_release(context, (void *)attribute->name);
    memory_release(context, (void *)attribute->values);
    if (attribute->indices != parts->corner_split) memory_release(context, (void *)attribute->indices);
    memory_release(context, (void *)attribute->labels);
}

void mesh_parts_release(ruga_context *context, mesh_parts *parts) {
    for (size_t i = 0; i < parts->attributes.count; i++) release_attribute(context, parts, &parts->attributes.items[i]);
    void *const owned[] = {parts->positions,    parts->face_offsets,    parts->face_vertices, parts->edges,
                           parts->line_offsets, parts->line_vertices,   parts->tets,          parts->split_vertex,
                           parts->corner_split, parts->attributes.items};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) memory_release(context, owned[i]);
    *parts = (mesh_parts){0};
}

ruga_status mesh_parts_add(ruga_context *context, mesh_parts *parts, const char *name, ruga_domain domain,
                           ruga_scalar type, uint32_t components, size_t count, void *values, uint32_t *indices) {
    ruga_attribute attribute = {.name = memory_copy_text(context, name),
                                .domain = domain,
                                .type = type,
                                .components = components,
                                .count = count,
                                .values = values,
                                .indices = indices};
    if (!attribute.name || !values || RUGA_FAILED(ARRAY_RESERVE(context, &parts->attributes, 1))) {
        release_attribute(context, parts, &attribute);
        return fail_memory(context, sizeof attribute);
    }
    parts->attributes.items[parts->attributes.count++] = attribute;
    return RUGA_OK;
}

/* One piece of memory: the pointers, then the texts. */
ruga_status mesh_parts_set_labels(ruga_context *context, mesh_parts *parts, const char *const *labels, size_t count) {
    size_t text_size = 0;
    for (size_t i = 0; i < count; i++) text_size += strlen(labels[i]) + 1;
    char **copy = memory_allocate(context, count * sizeof(char *) + text_size, 1);
    if (!copy) return fail_memory(context, text_size);
    char *text = (char *)(copy + count);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(labels[i]) + 1;
        copy[i] = memcpy(text, labels[i], size);
        text += size;
    }
    ruga_attribute *attribute = &parts->attributes.items[parts->attributes.count - 1];
    memory_release(context, (void *)attribute->labels);
    attribute->labels = (const char *const *)copy;
    attribute->label_count = count;
    return RUGA_OK;
}

static size_t parts_domain_size(const mesh_parts *parts, ruga_domain domain) {
    ruga_mesh sizes = {.vertex_count = parts->vertex_count,
                       .face_count = parts->face_count,
                       .corner_count = parts->corner_count,
                       .edge_count = parts->edge_count};
    return mesh_domain_size(&sizes, domain);
}

ruga_status mesh_parts_copy_attribute(ruga_context *context, mesh_parts *parts, const ruga_attribute *attribute) {
    size_t scalar = ruga_scalar_size(attribute->type);
    if (!attribute->name) return fail_with(context, RUGA_ERROR_ARGUMENT, "an attribute has no name");
    if (scalar == 0 || (unsigned)attribute->domain > RUGA_DOMAIN_CORNER)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "attribute \"%s\" has an unknown type or domain",
                         attribute->name);
    if ((attribute->count > 0 && !attribute->values) || (attribute->label_count > 0 && !attribute->labels))
        return fail_with(context, RUGA_ERROR_ARGUMENT, "attribute \"%s\" announces values or labels that are NULL",
                         attribute->name);
    for (size_t i = 0; i < attribute->label_count; i++)
        if (!attribute->labels[i])
            return fail_with(context, RUGA_ERROR_ARGUMENT, "label %zu of attribute \"%s\" is NULL", i, attribute->name);
    if (attribute->components > 0 && attribute->count > SIZE_MAX / scalar / attribute->components)
        return fail_memory(context, SIZE_MAX);

    size_t elements = parts_domain_size(parts, attribute->domain);
    void *values = memory_copy(context, attribute->values, attribute->count, scalar * attribute->components);
    uint32_t *indices = NULL;
    if (values && attribute->indices &&
        !(indices = memory_copy(context, attribute->indices, elements, sizeof *indices))) {
        memory_release(context, values);
        values = NULL;
    }
    TRY(mesh_parts_add(context, parts, attribute->name, attribute->domain, attribute->type, attribute->components,
                       attribute->count, values, indices));
    parts->attributes.items[parts->attributes.count - 1].normalised = attribute->normalised;
    if (attribute->label_count == 0) return RUGA_OK;
    return mesh_parts_set_labels(context, parts, attribute->labels, attribute->label_count);
}

/* ---- Checks. */

/* Whether index + shift is below limit for all of them. Without branches and in 32 bits, so that it is vectorised:
 * x < limit <= 2^31 exactly when neither x nor limit - 1 - x has its top bit set. */
static int all_below(const uint32_t *indices, size_t count, uint64_t limit, uint32_t shift) {
    if (limit > UINT32_C(1) << 31) {
        uint32_t highest = 0;
        for (size_t i = 0; i < count; i++) {
            uint32_t x = indices[i] + shift;
            highest = x > highest ? x : highest;
        }
        return count == 0 || highest < limit;
    }
    uint32_t seen = 0, last = (uint32_t)limit - 1;
    if (limit == 0) return count == 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t x = indices[i] + shift;
        seen |= x | (last - x);
    }
    return !(seen >> 31);
}

/* The place of the first index that is not below limit. */
static size_t first_not_below(const uint32_t *indices, uint64_t limit, uint32_t shift) {
    size_t i = 0;
    while ((uint32_t)(indices[i] + shift) < limit) i++;
    return i;
}

/* Indices of vertices in elements of one size. */
static ruga_status check_elements(ruga_context *context, const mesh_parts *parts, const char *what,
                                  const uint32_t *indices, size_t count, size_t size) {
    if (count > 0 && !indices) return fail_with(context, RUGA_ERROR_INPUT, "the mesh's %ss are missing", what);
    if (all_below(indices, count * size, parts->vertex_count, 0)) return RUGA_OK;
    size_t i = first_not_below(indices, parts->vertex_count, 0);
    return fail_with(context, RUGA_ERROR_INPUT, "%s %zu names vertex %u, but there are %zu (counted from 0)", what,
                     i / size, indices[i], parts->vertex_count);
}

/* Offsets rise by at least `least` from 0 to `total`; *uniform: by 3 everywhere. */
static ruga_status check_offsets(ruga_context *context, const char *what, const uint32_t *offsets, size_t count,
                                 size_t total, uint32_t least, int *uniform) {
    if (offsets[0] != 0 || offsets[count] != total)
        return fail_with(context, RUGA_ERROR_INPUT, "the offsets of the %ss run from %u to %u, not from 0 to %zu", what,
                         offsets[0], offsets[count], total);
    uint32_t differs = 0, wrong = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t size = offsets[i + 1] - offsets[i];
        differs |= size ^ 3u;
        wrong |= offsets[i + 1] < offsets[i] || size < least;
    }
    *uniform = !differs;
    for (size_t i = 0; wrong && i < count; i++)
        if (offsets[i + 1] < offsets[i] || offsets[i + 1] - offsets[i] < least)
            return fail_with(context, RUGA_ERROR_INPUT, "%s %zu has %ld vertices, at least %u are needed", what, i,
                             (long)offsets[i + 1] - (long)offsets[i], least);
    return RUGA_OK;
}

/* The element that owns place i. */
static size_t owner(const uint32_t *offsets, size_t count, size_t i) {
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (offsets[middle] <= i) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static ruga_status check_loops(ruga_context *context, const mesh_parts *parts, const char *what,
                               const uint32_t *offsets, const uint32_t *indices, size_t count) {
    if (all_below(indices, offsets[count], parts->vertex_count, 0)) return RUGA_OK;
    size_t i = first_not_below(indices, parts->vertex_count, 0);
    return fail_with(context, RUGA_ERROR_INPUT, "%s %zu names vertex %u, but there are %zu (counted from 0)", what,
                     owner(offsets, count, i), indices[i], parts->vertex_count);
}

static ruga_status check_faces(ruga_context *context, mesh_parts *parts) {
    if (parts->corner_count >= UINT32_MAX || parts->vertex_count >= UINT32_MAX)
        return fail_with(context, RUGA_ERROR_INPUT, "%zu vertices with %zu corners are too many: 2^32 is the limit",
                         parts->vertex_count, parts->corner_count);
    if (parts->face_count == 0 && parts->corner_count == 0) {
        memory_release(context, parts->face_offsets);
        parts->face_offsets = NULL;
        return RUGA_OK;
    }
    if (parts->face_offsets) {
        int uniform;
        TRY(check_offsets(context, "face", parts->face_offsets, parts->face_count, parts->corner_count, 3, &uniform));
        if (!uniform)
            return check_loops(context, parts, "face", parts->face_offsets, parts->face_vertices, parts->face_count);
        memory_release(context, parts->face_offsets);
        parts->face_offsets = NULL;
    }
    if (parts->corner_count != 3 * parts->face_count)
        return fail_with(context, RUGA_ERROR_INPUT, "%zu triangles have %zu corners", parts->face_count,
                         parts->corner_count);
    return check_elements(context, parts, "face", parts->face_vertices, parts->face_count, 3);
}

static ruga_status check_lines(ruga_context *context, const mesh_parts *parts) {
    if (parts->line_count == 0) return RUGA_OK;
    int uniform;
    TRY(check_offsets(context, "line", parts->line_offsets, parts->line_count, parts->line_offsets[parts->line_count],
                      2, &uniform));
    return check_loops(context, parts, "line", parts->line_offsets, parts->line_vertices, parts->line_count);
}

static ruga_status check_splits(ruga_context *context, const mesh_parts *parts) {
    if (parts->split_count == 0) return RUGA_OK;
    TRY(check_elements(context, parts, "split vertex", parts->split_vertex, parts->split_count, 1));
    if (all_below(parts->corner_split, parts->corner_count, parts->split_count, 0)) return RUGA_OK;
    size_t i = first_not_below(parts->corner_split, parts->split_count, 0);
    return fail_with(context, RUGA_ERROR_INPUT, "corner %zu names split vertex %u, but there are %zu", i,
                     parts->corner_split[i], parts->split_count);
}

static const char *const domain_nouns[] = {"vertex", "face", "edge", "corner"};

static ruga_status check_attribute(ruga_context *context, const mesh_parts *parts, const ruga_attribute *attribute) {
    if ((unsigned)attribute->domain > RUGA_DOMAIN_CORNER || ruga_scalar_size(attribute->type) == 0 ||
        attribute->components == 0)
        return fail_with(context, RUGA_ERROR_INPUT, "attribute \"%s\" has no components, or an unknown type or domain",
                         attribute->name);
    size_t elements = parts_domain_size(parts, attribute->domain);
    const char *noun = domain_nouns[attribute->domain];
    if (!attribute->indices) {
        if (attribute->count == elements) return RUGA_OK;
        return fail_with(context, RUGA_ERROR_INPUT, "attribute \"%s\" has %zu values for a %s count of %zu",
                         attribute->name, attribute->count, noun, elements);
    }
    if (attribute->count >= UINT32_MAX)
        return fail_with(context, RUGA_ERROR_INPUT, "attribute \"%s\" has more than 2^32 values", attribute->name);
    /* UINT32_MAX stands for no value and becomes 0 by the shift. */
    uint64_t limit = (uint64_t)attribute->count + 1;
    if (all_below(attribute->indices, elements, limit, 1)) return RUGA_OK;
    size_t i = first_not_below(attribute->indices, limit, 1);
    return fail_with(context, RUGA_ERROR_INPUT, "attribute \"%s\": %s %zu names value %u, but there are %zu",
                     attribute->name, noun, i, attribute->indices[i], attribute->count);
}

/* ---- The surface of tets: the sides that only one tet has, outwards. */

/* The vertices of side s = 4 tet + k, outwards also where the tet is inside out. */
static void side_vertices(const mesh_parts *parts, size_t s, uint32_t side[3]) {
    const uint32_t *tet = &parts->tets[s / 4 * 4];
    for (int k = 0; k < 3; k++) side[k] = tet[tet_sides[s % 4][k]];
    if (tet_volume(parts->positions, tet) < 0) {
        uint32_t swap = side[1];
        side[1] = side[2];
        side[2] = swap;
    }
}

static void sort_three(uint32_t v[3]) {
    for (int k = 0; k < 3; k++) {
        int i = k == 1 ? 1 : 0;
        if (v[i] > v[i + 1]) {
            uint32_t swap = v[i];
            v[i] = v[i + 1];
            v[i + 1] = swap;
        }
    }
}

/* Stable counting sort of `order` by the key-th of the sides' sorted vertices. */
static void sort_sides(size_t count, const uint32_t *sorted, int key, size_t vertex_count, const uint32_t *order,
                       uint32_t *offsets, uint32_t *out) {
    memset(offsets, 0, (vertex_count + 1) * sizeof *offsets);
    for (size_t i = 0; i < count; i++) offsets[sorted[3 * i + (size_t)key] + 1]++;
    for (size_t v = 0; v < vertex_count; v++) offsets[v + 1] += offsets[v];
    for (size_t i = 0; i < count; i++) out[offsets[sorted[3 * (size_t)order[i] + (size_t)key]]++] = order[i];
}

/* Marks with 1 the sides that are there once. scratch: (3 + 1 + 1) x count and a counter per vertex. */
static void mark_single_sides(const mesh_parts *parts, size_t count, uint32_t *scratch, uint8_t *single) {
    uint32_t *sorted = scratch, *order = scratch + 3 * count, *other = order + count, *offsets = other + count;
    for (size_t s = 0; s < count; s++) {
        side_vertices(parts, s, &sorted[3 * s]);
        sort_three(&sorted[3 * s]);
        order[s] = (uint32_t)s;
    }
    for (int key = 2; key >= 0; key--) {
        sort_sides(count, sorted, key, parts->vertex_count, order, offsets, other);
        uint32_t *swap = order;
        order = other;
        other = swap;
    }
    for (size_t begin = 0, end; begin < count; begin = end) {
        const uint32_t *first = &sorted[3 * (size_t)order[begin]];
        for (end = begin + 1; end < count; end++)
            if (memcmp(first, &sorted[3 * (size_t)order[end]], 3 * sizeof *first)) break;
        for (size_t i = begin; i < end; i++) single[order[i]] = end - begin == 1;
    }
}

/* Nobody can have given values to faces that are still to be made. */
static ruga_status check_no_face_attributes(ruga_context *context, const mesh_parts *parts) {
    for (size_t i = 0; i < parts->attributes.count; i++) {
        ruga_domain domain = parts->attributes.items[i].domain;
        if (domain == RUGA_DOMAIN_FACE || domain == RUGA_DOMAIN_CORNER)
            return fail_with(context, RUGA_ERROR_INPUT,
                             "attribute \"%s\" belongs to faces, but there are only tets; give the faces too",
                             parts->attributes.items[i].name);
    }
    return RUGA_OK;
}

static ruga_status make_tet_surface(ruga_context *context, mesh_parts *parts) {
    size_t count = 4 * parts->tet_count;
    TRY(check_no_face_attributes(context, parts));
    if (count >= UINT32_MAX) return fail_with(context, RUGA_ERROR_INPUT, "%zu tets are too many", parts->tet_count);
    uint32_t *scratch = ALLOCATE(context, uint32_t, 5 * count + parts->vertex_count + 1);
    uint8_t *single = ALLOCATE(context, uint8_t, count);
    uint32_t *surface = NULL;
    size_t face_count = 0;
    if (scratch && single) {
        mark_single_sides(parts, count, scratch, single);
        for (size_t s = 0; s < count; s++) face_count += single[s];
        surface = ALLOCATE(context, uint32_t, 3 * face_count);
    }
    for (size_t s = 0, f = 0; surface && s < count; s++)
        if (single[s]) side_vertices(parts, s, &surface[3 * f++]);
    memory_release(context, scratch);
    memory_release(context, single);
    if (!surface) return fail_memory(context, count * sizeof *scratch);
    memory_release(context, parts->face_vertices);
    parts->face_vertices = surface;
    parts->face_count = face_count;
    parts->corner_count = 3 * face_count;
    return RUGA_OK;
}

/* ---- Triangles of polygons. */

static ruga_status fill_triangles(triangulator *cutter, const mesh_parts *parts, uint32_t *triangles, uint32_t *corners,
                                  uint32_t *faces) {
    size_t t = 0;
    for (size_t f = 0; f < parts->face_count; f++) {
        uint32_t begin = parts->face_offsets[f], size = parts->face_offsets[f + 1] - begin;
        const uint32_t *polygon = parts->face_vertices + begin;
        TRY(triangulate(cutter, parts->positions, polygon, size, corners + 3 * t));
        for (uint32_t k = 0; k + 2 < size; k++, t++) {
            faces[t] = (uint32_t)f;
            for (size_t c = 3 * t; c < 3 * t + 3; c++) {
                triangles[c] = polygon[corners[c]];
                corners[c] += begin;
            }
        }
    }
    return RUGA_OK;
}

static ruga_status cut_faces(ruga_context *context, const mesh_parts *parts, ruga_mesh *mesh) {
    if (!parts->face_offsets) {
        mesh->triangles = parts->face_vertices;
        mesh->triangle_count = parts->face_count;
        return RUGA_OK;
    }
    size_t count = parts->corner_count - 2 * parts->face_count;
    if (count > UINT32_MAX / 3) return fail_with(context, RUGA_ERROR_INPUT, "%zu triangles are too many", count);
    uint32_t *triangles = ALLOCATE(context, uint32_t, 3 * count), *corners = ALLOCATE(context, uint32_t, 3 * count);
    uint32_t *faces = ALLOCATE(context, uint32_t, count);
    triangulator cutter = {.context = context};
    ruga_status status = triangles && corners && faces ? fill_triangles(&cutter, parts, triangles, corners, faces)
                                                       : fail_memory(context, 3 * count * sizeof *triangles);
    triangulator_release(&cutter);
    if (RUGA_FAILED(status)) {
        memory_release(context, triangles);
        memory_release(context, corners);
        memory_release(context, faces);
        return status;
    }
    mesh->triangles = triangles;
    mesh->triangle_corners = corners;
    mesh->triangle_faces = faces;
    mesh->triangle_count = count;
    return RUGA_OK;
}

/* ---- Parts become a mesh. */

/* A mesh always has its three main arrays, even if they are empty. */
static ruga_status complete_parts(ruga_context *context, mesh_parts *parts) {
    if (!parts->positions && parts->vertex_count == 0) parts->positions = ALLOCATE(context, ruga_vec3, 0);
    if (!parts->face_vertices && parts->corner_count == 0) parts->face_vertices = ALLOCATE(context, uint32_t, 0);
    return parts->positions && parts->face_vertices ? RUGA_OK : fail_memory(context, 1);
}

static ruga_status check_parts(ruga_context *context, mesh_parts *parts) {
    TRY(complete_parts(context, parts));
    TRY(check_faces(context, parts));
    TRY(check_elements(context, parts, "edge", parts->edges, parts->edge_count, 2));
    TRY(check_lines(context, parts));
    TRY(check_elements(context, parts, "tet", parts->tets, parts->tet_count, 4));
    if (parts->tet_count > 0 && parts->face_count == 0) TRY(make_tet_surface(context, parts));
    TRY(check_splits(context, parts));
    for (size_t i = 0; i < parts->attributes.count; i++)
        TRY(check_attribute(context, parts, &parts->attributes.items[i]));
    return RUGA_OK;
}

static void move_parts(ruga_context *context, mesh_parts *parts, ruga_mesh *mesh) {
    mesh->vertex_count = parts->vertex_count;
    mesh->positions = parts->positions;
    mesh->face_count = parts->face_count;
    mesh->corner_count = parts->corner_count;
    mesh->face_offsets = parts->face_offsets;
    mesh->face_vertices = parts->face_vertices;
    mesh->edge_count = parts->edge_count;
    mesh->edges = parts->edges;
    mesh->line_count = parts->line_count;
    mesh->line_offsets = parts->line_offsets;
    mesh->line_vertices = parts->line_vertices;
    mesh->tet_count = parts->tet_count;
    mesh->tets = parts->tets;
    mesh->split_count = parts->split_count;
    mesh->split_vertex = parts->split_vertex;
    mesh->corner_split = parts->corner_split;
    mesh->attribute_count = parts->attributes.count;
    mesh->attributes = parts->attributes.items;
    mesh->context = context;
    *parts = (mesh_parts){0};
}

ruga_status mesh_from_parts(ruga_context *context, mesh_parts *parts, ruga_mesh **out) {
    ruga_mesh *mesh = ALLOCATE_ZEROED(context, ruga_mesh, 1);
    ruga_status status = mesh ? check_parts(context, parts) : fail_memory(context, sizeof *mesh);
    if (!RUGA_FAILED(status)) status = cut_faces(context, parts, mesh);
    if (RUGA_FAILED(status)) {
        memory_release(context, mesh);
        mesh_parts_release(context, parts);
        return status;
    }
    move_parts(context, parts, mesh);
    *out = mesh;
    return RUGA_OK;
}
