/* Turns mesh_parts into a mesh: checks every index and count, triangulates polygons, makes the surface of tets. */
#include <string.h>

#include "base/sort.h"
#include "mesh/mesh.h"
#include "mesh/triangulate.h"

static void release_attribute(ruga_context *context, const mesh_parts *parts, ruga_attribute *attribute) {
    RELEASE_ALL(context, (void *)attribute->name, (void *)attribute->values);
    if (attribute->indices != parts->corner_split) memory_release(context, (void *)attribute->indices);
    memory_release(context, (void *)attribute->labels);
}

void mesh_parts_release(ruga_context *context, mesh_parts *parts) {
    for (size_t i = 0; i < parts->attributes.count; i++) release_attribute(context, parts, &parts->attributes.items[i]);
    RELEASE_ALL(context, parts->positions, parts->face_offsets, parts->face_vertices, parts->edges, parts->line_offsets,
                parts->line_vertices, parts->tets, parts->split_vertex, parts->corner_split, parts->attributes.items,
                (void *)parts->joint_names);
    ruga_map_destroy(parts->joint_weights);
    ruga_map_destroy(parts->file_rows);
    *parts = (mesh_parts){0};
}

ruga_status mesh_parts_allocate(ruga_context *context, mesh_parts *parts, size_t vertices, size_t triangles) {
    TRY(NEW(context, &parts->positions, vertices));
    TRY(NEW(context, &parts->face_vertices, 3 * triangles));
    parts->vertex_count = vertices;
    parts->face_count = triangles;
    parts->corner_count = 3 * triangles;
    return RUGA_OK;
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

/* The pointers and the texts share one block of memory. */
static ruga_status copy_texts(ruga_context *context, const char *const *texts, size_t count, const char *const **out) {
    size_t text_size = 0;
    for (size_t i = 0; i < count; i++) text_size += strlen(texts[i]) + 1;
    char **copy;
    TRY(NEW_SIZED(context, &copy, count * sizeof *copy + text_size, 1));
    char *text = (char *)(copy + count);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(texts[i]) + 1;
        copy[i] = memcpy(text, texts[i], size);
        text += size;
    }
    *out = (const char *const *)copy;
    return RUGA_OK;
}

ruga_status mesh_parts_set_labels(ruga_context *context, mesh_parts *parts, const char *const *labels, size_t count) {
    const char *const *copy;
    TRY(copy_texts(context, labels, count, &copy));
    ruga_attribute *attribute = &parts->attributes.items[parts->attributes.count - 1];
    memory_release(context, (void *)attribute->labels);
    attribute->labels = copy;
    attribute->label_count = count;
    return RUGA_OK;
}

ruga_status mesh_parts_set_joints(ruga_context *context, mesh_parts *parts, const char *const *names, size_t count,
                                  ruga_map *weights) {
    TRY_OR(copy_texts(context, names, count, &parts->joint_names), ruga_map_destroy(weights));
    parts->joint_count = count;
    parts->joint_weights = weights;
    return RUGA_OK;
}

ruga_status mesh_parts_carry_joints(const ruga_mesh *mesh, const ruga_map *map, mesh_parts *parts) {
    ruga_map *weights;
    if (mesh->file_rows) TRY(ruga_map_compose(map, mesh->file_rows, &parts->file_rows));
    if (!mesh->joint_weights) return RUGA_OK;
    TRY(ruga_map_compose(map, mesh->joint_weights, &weights));
    return mesh_parts_set_joints(mesh->context, parts, mesh->joint_names, mesh->joint_count, weights);
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
    if (!attribute->name) return fail_argument(context, "an attribute has no name");
    if (scalar == 0 || (unsigned)attribute->domain > RUGA_DOMAIN_CORNER)
        return fail_argument(context, "attribute \"%s\" has an unknown type or domain", attribute->name);
    if ((attribute->count > 0 && !attribute->values) || (attribute->label_count > 0 && !attribute->labels))
        return fail_argument(context, "attribute \"%s\": its values or labels are NULL", attribute->name);
    for (size_t i = 0; i < attribute->label_count; i++)
        if (!attribute->labels[i])
            return fail_argument(context, "label %zu of attribute \"%s\" is NULL", i, attribute->name);
    if (attribute->components > 0 && attribute->count > SIZE_MAX / scalar / attribute->components)
        return fail_memory(context, SIZE_MAX);

    size_t elements = parts_domain_size(parts, attribute->domain);
    void *values;
    uint32_t *indices = NULL;
    TRY(NEW_SIZED_COPY(context, &values, attribute->values, attribute->count, scalar * attribute->components));
    if (attribute->indices)
        TRY_OR(NEW_COPY(context, &indices, attribute->indices, elements), memory_release(context, values));
    TRY(mesh_parts_add(context, parts, attribute->name, attribute->domain, attribute->type, attribute->components,
                       attribute->count, values, indices));
    parts->attributes.items[parts->attributes.count - 1].normalised = attribute->normalised;
    if (attribute->label_count == 0) return RUGA_OK;
    return mesh_parts_set_labels(context, parts, attribute->labels, attribute->label_count);
}

/* ---- Checks. */

/* The position of the first index for which index + shift is not below limit; `count` if there is none. The fast path
 * has no branches and 32 bits, so that it is vectorised: x < limit <= 2^31 exactly when neither x nor limit - 1 - x has
 * its top bit set. */
static size_t first_not_below(const uint32_t *indices, size_t count, uint64_t limit, uint32_t shift) {
    if (limit > 0 && limit <= UINT32_C(1) << 31) {
        uint32_t seen = 0, last = (uint32_t)limit - 1;
        for (size_t i = 0; i < count; i++) {
            uint32_t x = indices[i] + shift;
            seen |= x | (last - x);
        }
        if (!(seen >> 31)) return count;
    }
    size_t i = 0;
    while (i < count && (uint32_t)(indices[i] + shift) < limit) i++;
    return i;
}

/* Checks that elements name vertices that exist. Elements have `size` vertices each, or, with offsets, any number. */
static ruga_status check_elements(ruga_context *context, const mesh_parts *parts, const char *what,
                                  const uint32_t *offsets, const uint32_t *indices, size_t count, size_t size) {
    if (count > 0 && !indices) return fail_input(context, "the mesh's %ss are missing", what);
    size_t total = offsets ? offsets[count] : count * size;
    size_t i = first_not_below(indices, total, parts->vertex_count, 0), element = offsets ? 0 : i / size;
    if (i == total) return RUGA_OK;
    while (offsets && offsets[element + 1] <= i) element++;
    return fail_input(context, "%s %zu names vertex %u, but there are %zu (counted from 0)", what, element, indices[i],
                      parts->vertex_count);
}

/* Offsets rise by at least `least` from 0 to `total`; *uniform: by 3 everywhere. */
static ruga_status check_offsets(ruga_context *context, const char *what, const uint32_t *offsets, size_t count,
                                 size_t total, uint32_t least, int *uniform) {
    if (offsets[0] != 0 || offsets[count] != total)
        return fail_input(context, "the offsets of the %ss run from %u to %u, not from 0 to %zu", what, offsets[0],
                          offsets[count], total);
    *uniform = 1;
    for (size_t i = 0; i < count; i++) {
        if (offsets[i + 1] < offsets[i] || offsets[i + 1] - offsets[i] < least)
            return fail_input(context, "%s %zu has %ld vertices, at least %u are needed", what, i,
                              (long)offsets[i + 1] - (long)offsets[i], least);
        *uniform &= offsets[i + 1] - offsets[i] == 3;
    }
    return RUGA_OK;
}

static ruga_status check_faces(ruga_context *context, mesh_parts *parts) {
    int is_uniform = parts->face_count == 0 && parts->corner_count == 0;
    if (parts->corner_count >= UINT32_MAX || parts->vertex_count >= UINT32_MAX)
        return fail_input(context, "%zu vertices with %zu corners are too many: 2^32 is the limit", parts->vertex_count,
                          parts->corner_count);
    if (parts->face_offsets && !is_uniform)
        TRY(check_offsets(context, "face", parts->face_offsets, parts->face_count, parts->corner_count, 3,
                          &is_uniform));
    if (is_uniform) {
        memory_release(context, parts->face_offsets);
        parts->face_offsets = NULL;
    }
    if (!parts->face_offsets && parts->corner_count != 3 * parts->face_count)
        return fail_input(context, "%zu triangles have %zu corners", parts->face_count, parts->corner_count);
    if (parts->is_sound) return RUGA_OK;
    return check_elements(context, parts, "face", parts->face_offsets, parts->face_vertices, parts->face_count, 3);
}

static ruga_status check_splits(ruga_context *context, const mesh_parts *parts) {
    if (parts->split_count == 0) return RUGA_OK;
    TRY(check_elements(context, parts, "split vertex", NULL, parts->split_vertex, parts->split_count, 1));
    size_t i = first_not_below(parts->corner_split, parts->corner_count, parts->split_count, 0);
    if (i == parts->corner_count) return RUGA_OK;
    return fail_input(context, "corner %zu names split vertex %u, but there are %zu", i, parts->corner_split[i],
                      parts->split_count);
}

static ruga_status check_attribute(ruga_context *context, const mesh_parts *parts, const ruga_attribute *attribute) {
    static const char *const nouns[] = {"vertex", "face", "edge", "corner"};
    if ((unsigned)attribute->domain > RUGA_DOMAIN_CORNER || ruga_scalar_size(attribute->type) == 0 ||
        attribute->components == 0)
        return fail_input(context, "attribute \"%s\" has no components, or an unknown type or domain", attribute->name);
    size_t elements = parts_domain_size(parts, attribute->domain);
    const char *noun = nouns[attribute->domain];
    if (!attribute->indices) {
        if (attribute->count == elements) return RUGA_OK;
        return fail_input(context, "attribute \"%s\" has %zu values for a %s count of %zu", attribute->name,
                          attribute->count, noun, elements);
    }
    if (attribute->count >= UINT32_MAX)
        return fail_input(context, "attribute \"%s\" has more than 2^32 values", attribute->name);
    if (parts->is_sound) return RUGA_OK;
    /* UINT32_MAX means no value; the shift turns it into 0. */
    size_t i = first_not_below(attribute->indices, elements, (uint64_t)attribute->count + 1, 1);
    if (i == elements) return RUGA_OK;
    return fail_input(context, "attribute \"%s\": %s %zu names value %u, but there are %zu", attribute->name, noun, i,
                      attribute->indices[i], attribute->count);
}

/* ---- The surface of tets: the sides that belong to one tet only, outwards. */

/* The vertices of side s = 4 tet + k, outwards also where the tet is inverted. */
static void side_vertices(const mesh_parts *parts, size_t s, uint32_t side[3]) {
    const uint32_t *tet = &parts->tets[s / 4 * 4];
    int is_inverted = tet_volume(parts->positions, tet) < 0;
    for (int k = 0; k < 3; k++) side[k] = tet[tet_sides[s % 4][is_inverted ? (3 - k) % 3 : k]];
}

/* Marks with 1 the sides that occur once, by a radix sort over their sorted vertices. scratch: (3 + 1 + 1) x count and
 * a counter per vertex. */
static void mark_single_sides(const mesh_parts *parts, size_t count, uint32_t *scratch, uint8_t *single) {
    uint32_t *sorted = scratch, *order = scratch + 3 * count, *other = order + count, *offsets = other + count;
    for (size_t s = 0; s < count; s++) {
        side_vertices(parts, s, &sorted[3 * s]);
        sort_indices(&sorted[3 * s], 3);
        order[s] = (uint32_t)s;
    }
    for (size_t key = 3; key-- > 0;) {
        memset(offsets, 0, (parts->vertex_count + 1) * sizeof *offsets);
        for (size_t i = 0; i < count; i++) offsets[sorted[3 * i + key] + 1]++;
        for (size_t v = 0; v < parts->vertex_count; v++) offsets[v + 1] += offsets[v];
        for (size_t i = 0; i < count; i++) other[offsets[sorted[3 * (size_t)order[i] + key]]++] = order[i];
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

static ruga_status make_tet_surface(ruga_context *context, mesh_parts *parts) {
    size_t count = 4 * parts->tet_count, face_count = 0;
    for (size_t i = 0; i < parts->attributes.count; i++) {
        ruga_domain domain = parts->attributes.items[i].domain;
        if (domain == RUGA_DOMAIN_FACE || domain == RUGA_DOMAIN_CORNER)
            return fail_input(context, "attribute \"%s\" belongs to faces, but there are only tets; give the faces too",
                              parts->attributes.items[i].name);
    }
    if (count >= UINT32_MAX) return fail_input(context, "%zu tets are too many", parts->tet_count);
    uint32_t *scratch = NULL;
    uint8_t *single = NULL;
    memory_release(context, parts->face_vertices);
    parts->face_vertices = NULL;
    ruga_status status = NEW(context, &scratch, 5 * count + parts->vertex_count + 1);
    if (!RUGA_FAILED(status)) status = NEW(context, &single, count);
    if (!RUGA_FAILED(status)) {
        mark_single_sides(parts, count, scratch, single);
        for (size_t s = 0; s < count; s++) face_count += single[s];
        status = NEW(context, &parts->face_vertices, 3 * face_count);
    }
    for (size_t s = 0, f = 0; !RUGA_FAILED(status) && s < count; s++)
        if (single[s]) side_vertices(parts, s, &parts->face_vertices[3 * f++]);
    RELEASE_ALL(context, scratch, single);
    parts->face_count = face_count;
    parts->corner_count = 3 * face_count;
    return status;
}

/* ---- Parts become a mesh. */

static ruga_status check_parts(ruga_context *context, mesh_parts *parts) {
    int uniform;
    /* A mesh always has its main arrays, even if they are empty. */
    if (!parts->positions && parts->vertex_count == 0) TRY(NEW(context, &parts->positions, 0));
    if (!parts->face_vertices && parts->corner_count == 0) TRY(NEW(context, &parts->face_vertices, 0));
    if (!parts->positions || !parts->face_vertices) return fail_memory(context, 1);
    TRY(check_faces(context, parts));
    TRY(check_elements(context, parts, "edge", NULL, parts->edges, parts->edge_count, 2));
    if (parts->line_count > 0) {
        TRY(check_offsets(context, "line", parts->line_offsets, parts->line_count,
                          parts->line_offsets[parts->line_count], 2, &uniform));
        TRY(check_elements(context, parts, "line", parts->line_offsets, parts->line_vertices, parts->line_count, 0));
    }
    TRY(check_elements(context, parts, "tet", NULL, parts->tets, parts->tet_count, 4));
    if (parts->tet_count > 0 && parts->face_count == 0) TRY(make_tet_surface(context, parts));
    TRY(check_splits(context, parts));
    for (size_t i = 0; i < parts->attributes.count; i++)
        TRY(check_attribute(context, parts, &parts->attributes.items[i]));
    const ruga_map *skin = parts->joint_weights;
    if (!skin || (skin->rows == parts->vertex_count && skin->columns == parts->joint_count)) return RUGA_OK;
    return fail_input(context, "the skin has %zu rows of %zu weights for %zu vertices and %zu joints", skin->rows,
                      skin->columns, parts->vertex_count, parts->joint_count);
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
    mesh->joint_count = parts->joint_count;
    mesh->joint_names = parts->joint_names;
    mesh->joint_weights = parts->joint_weights;
    mesh->file_rows = parts->file_rows;
    mesh->context = context;
    *parts = (mesh_parts){0};
}

static ruga_status triangulate_faces(ruga_context *context, triangulator *cutter, ruga_mesh *mesh) {
    if (!mesh->face_offsets) {
        mesh->triangles = mesh->face_vertices;
        mesh->triangle_count = mesh->face_count;
        return RUGA_OK;
    }
    size_t count = mesh->corner_count - 2 * mesh->face_count, t = 0;
    if (count > UINT32_MAX / 3) return fail_input(context, "%zu triangles are too many", count);
    uint32_t *triangles, *corners, *faces;
    TRY(NEW(context, &triangles, 3 * count));
    mesh->triangles = triangles;
    TRY(NEW(context, &corners, 3 * count));
    mesh->triangle_corners = corners;
    TRY(NEW(context, &faces, count));
    mesh->triangle_faces = faces;
    mesh->triangle_count = count;
    for (size_t f = 0; f < mesh->face_count; f++) {
        uint32_t begin = mesh->face_offsets[f], size = mesh->face_offsets[f + 1] - begin;
        const uint32_t *polygon = mesh->face_vertices + begin;
        TRY(triangulate(cutter, mesh->positions, polygon, size, corners + 3 * t));
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

ruga_status mesh_from_parts(ruga_context *context, mesh_parts *parts, ruga_mesh **out) {
    ruga_mesh *mesh;
    ruga_status status = NEW_ZEROED(context, &mesh, 1);
    if (!RUGA_FAILED(status)) status = check_parts(context, parts);
    if (RUGA_FAILED(status)) {
        memory_release(context, mesh);
        mesh_parts_release(context, parts);
        return status;
    }
    move_parts(context, parts, mesh);
    triangulator cutter = {.context = context};
    status = triangulate_faces(context, &cutter, mesh);
    triangulator_release(&cutter);
    RETURN_MADE(status, mesh, out, ruga_mesh_destroy(mesh));
}
