/* The faces and lines of a glTF mesh: triangles, strips and fans; segments, loops and strips; and the materials. */
#include <stdio.h>
#include <string.h>

#include "io/gltf.h"

typedef struct face_reader {
    gltf_document *doc;
    const gltf_surface *surface;
    uint32_t *corners; /* the file's vertices, three a face */
    size_t corner_count;
    int32_t *materials; /* (faces) label; NULL when there are none */
    uint32_t *label_of; /* (materials of the file) */
    const char **labels;
    size_t label_count;
    ARRAY(uint32_t) line_offsets;
    ARRAY(uint32_t) line_vertices;
} face_reader;

static int is_line(const gltf_primitive *p) { return p->mode < 4; }

/* Triangles that a primitive has at most. */
static uint64_t triangle_limit(const gltf_primitive *p) {
    if (is_line(p) || p->index_count < 3) return 0;
    return p->mode == 4 ? p->index_count / 3 : p->index_count - 2;
}

/* ---- Indices. */

static ruga_status fail_index(const face_reader *r, const gltf_primitive *p, const uint32_t *indices, uint32_t limit) {
    size_t i = 0;
    while (indices[i] < limit) i++;
    return gltf_fail(r->doc, p->json, "primitive %u of mesh %u: index %zu names vertex %u, but it has %u vertices",
                     p->index, r->surface->mesh_index, i, indices[i], limit);
}

/* A primitive's indices (index_count), checked, in the numbering of the surface. */
static ruga_status read_indices(face_reader *r, const gltf_primitive *p, uint32_t *out) {
    const gltf_block *block = &r->surface->blocks[p->block];
    if (p->indices == GLTF_NONE) {
        for (uint32_t i = 0; i < block->count; i++) out[i] = block->base + i;
        return RUGA_OK;
    }
    gltf_accessor a;
    uint32_t largest;
    TRY(gltf_accessor_open(r->doc, p->indices, &a));
    TRY(gltf_accessor_whole(r->doc, &a, out, &largest));
    if (a.count > 0 && largest >= block->count) return fail_index(r, p, out, block->count);
    for (size_t i = 0; block->base > 0 && i < a.count; i++) out[i] += block->base;
    return RUGA_OK;
}

/* ---- Triangles. */

/* Strips are joined by triangles that name a vertex twice; those are no faces. */
static void add_triangle(face_reader *r, uint32_t a, uint32_t b, uint32_t c) {
    if (a == b || b == c || c == a) return;
    uint32_t *corner = r->corners + r->corner_count;
    corner[0] = a, corner[1] = b, corner[2] = c;
    r->corner_count += 3;
}

/* ---- Lines. */

static ruga_status add_lines(face_reader *r, const gltf_primitive *p, const uint32_t *indices, size_t count) {
    if (count < 2 || (p->mode == 1 && count % 2 != 0))
        return gltf_fail(r->doc, p->json,
                         "primitive %u of mesh %u has %zu indices; lines need 2 each, strips at least 2", p->index,
                         r->surface->mesh_index, count);
    size_t step = p->mode == 1 ? 2 : count;
    for (size_t i = 0; i < count; i += step) {
        TRY(ARRAY_RESERVE(r->doc->context, &r->line_offsets, 1));
        TRY(ARRAY_RESERVE(r->doc->context, &r->line_vertices, step + 1));
        r->line_offsets.items[r->line_offsets.count++] = (uint32_t)r->line_vertices.count;
        memcpy(r->line_vertices.items + r->line_vertices.count, indices + i, step * sizeof(uint32_t));
        r->line_vertices.count += step;
        if (p->mode == 2) r->line_vertices.items[r->line_vertices.count++] = indices[i];
    }
    return RUGA_OK;
}

/* ---- Materials. */

/* Labels are numbered in the order of their first use. */
static int32_t material_label(face_reader *r, uint32_t material) {
    if (material == GLTF_NONE) return -1;
    if (r->label_of[material] == GLTF_NONE) {
        const char *name = gltf_text(gltf_item(r->doc, "materials", material), "name");
        r->labels[r->label_count] = name ? name : "";
        r->label_of[material] = (uint32_t)r->label_count++;
    }
    return (int32_t)r->label_of[material];
}

static ruga_status prepare_materials(face_reader *r, uint64_t face_limit) {
    ruga_context *context = r->doc->context;
    size_t used = 0, all = gltf_count(r->doc, "materials");
    for (size_t i = 0; i < r->surface->primitive_count; i++)
        used += r->surface->primitives[i].material != GLTF_NONE && !is_line(&r->surface->primitives[i]);
    if (used == 0) return RUGA_OK;
    TRY(NEW(context, &r->materials, face_limit));
    TRY(NEW(context, &r->label_of, all));
    TRY(NEW(context, &r->labels, used));
    memset(r->label_of, 0xff, all * sizeof(uint32_t));
    return RUGA_OK;
}

/* ---- All primitives. */

static ruga_status add_unfolded(face_reader *r, const gltf_primitive *p) {
    ruga_context *context = r->doc->context;
    uint32_t *indices = NULL;
    TRY(NEW(context, &indices, p->index_count));
    ruga_status status = read_indices(r, p, indices);
    if (!RUGA_FAILED(status) && is_line(p)) status = add_lines(r, p, indices, p->index_count);
    const size_t triangles = RUGA_FAILED(status) ? 0 : triangle_limit(p);
    for (size_t i = 0; i < triangles; i++)
        if (p->mode == 5)
            add_triangle(r, indices[i], indices[i + 1 + i % 2], indices[i + 2 - i % 2]);
        else
            add_triangle(r, indices[i + 1], indices[i + 2], indices[0]);
    memory_release(context, indices);
    return status;
}

static ruga_status add_primitive_faces(face_reader *r, const gltf_primitive *p) {
    size_t before = r->corner_count;
    if (p->mode != 4) {
        TRY(add_unfolded(r, p));
    } else {
        if (p->index_count % 3 != 0)
            return gltf_fail(r->doc, p->json, "primitive %u of mesh %u has %llu indices; triangles need 3 each",
                             p->index, r->surface->mesh_index, (unsigned long long)p->index_count);
        TRY(read_indices(r, p, r->corners + r->corner_count));
        r->corner_count += p->index_count;
    }
    if (!r->materials || is_line(p)) return RUGA_OK;
    int32_t label = material_label(r, p->material);
    for (size_t f = before / 3; f < r->corner_count / 3; f++) r->materials[f] = label;
    return RUGA_OK;
}

static ruga_status read_all(face_reader *r) {
    uint64_t faces = 0;
    for (size_t i = 0; i < r->surface->primitive_count; i++) faces += triangle_limit(&r->surface->primitives[i]);
    if (3 * faces >= UINT32_MAX) return gltf_fail(r->doc, r->surface->mesh, "the mesh has more than 2^32 - 2 corners");
    TRY(NEW(r->doc->context, &r->corners, 3 * faces));
    TRY(prepare_materials(r, faces));
    for (size_t i = 0; i < r->surface->primitive_count; i++) TRY(add_primitive_faces(r, &r->surface->primitives[i]));
    return RUGA_OK;
}

/* ---- Handing over. */

static ruga_status hand_over_faces(face_reader *r, mesh_parts *parts) {
    const uint32_t *split_vertex = r->surface->split_vertex;
    parts->corner_count = r->corner_count;
    parts->face_count = r->corner_count / 3;
    parts->face_vertices = r->corners;
    r->corners = NULL;
    if (!split_vertex) return RUGA_OK;
    /* Indices in the file refer to its own vertices; the mesh has the welded ones. */
    parts->corner_split = parts->face_vertices;
    TRY(NEW(r->doc->context, &parts->face_vertices, parts->corner_count));
    for (size_t c = 0; c < parts->corner_count; c++) parts->face_vertices[c] = split_vertex[parts->corner_split[c]];
    parts->split_count = r->surface->file_count;
    return NEW_COPY(r->doc->context, &parts->split_vertex, split_vertex, parts->split_count);
}

static ruga_status hand_over_lines(face_reader *r, mesh_parts *parts) {
    if (r->line_offsets.count == 0) return RUGA_OK;
    TRY(ARRAY_RESERVE(r->doc->context, &r->line_offsets, 1));
    r->line_offsets.items[r->line_offsets.count] = (uint32_t)r->line_vertices.count;
    for (size_t i = 0; r->surface->split_vertex && i < r->line_vertices.count; i++)
        r->line_vertices.items[i] = r->surface->split_vertex[r->line_vertices.items[i]];
    parts->line_count = r->line_offsets.count;
    parts->line_offsets = r->line_offsets.items;
    parts->line_vertices = r->line_vertices.items;
    r->line_offsets.items = r->line_vertices.items = NULL;
    return RUGA_OK;
}

static ruga_status hand_over_materials(face_reader *r, mesh_parts *parts) {
    if (!r->materials) return RUGA_OK;
    void *values = r->materials;
    r->materials = NULL;
    TRY(mesh_parts_add(r->doc->context, parts, "material", RUGA_DOMAIN_FACE, RUGA_I32, 1, parts->face_count, values,
                       NULL));
    return mesh_parts_set_labels(r->doc->context, parts, r->labels, r->label_count);
}

ruga_status gltf_read_corners(gltf_document *doc, const gltf_surface *surface, uint32_t **corners, size_t *count) {
    face_reader r = {.doc = doc, .surface = surface};
    ruga_status status = read_all(&r);
    RELEASE_ALL(doc->context, r.materials, r.label_of, r.labels);
    ARRAY_RELEASE(doc->context, &r.line_offsets);
    ARRAY_RELEASE(doc->context, &r.line_vertices);
    TRY_OR(status, memory_release(doc->context, r.corners));
    *corners = r.corners;
    *count = r.corner_count;
    return RUGA_OK;
}

ruga_status gltf_read_faces(gltf_document *doc, const gltf_surface *surface, int flip, mesh_parts *parts) {
    face_reader r = {.doc = doc, .surface = surface};
    ruga_status status = read_all(&r);
    /* A mirror image turns triangles over. */
    for (size_t c = 0; !RUGA_FAILED(status) && flip && c < r.corner_count; c += 3) {
        uint32_t swapped = r.corners[c + 1];
        r.corners[c + 1] = r.corners[c + 2];
        r.corners[c + 2] = swapped;
    }
    if (!RUGA_FAILED(status)) status = hand_over_faces(&r, parts);
    if (!RUGA_FAILED(status)) status = hand_over_lines(&r, parts);
    if (!RUGA_FAILED(status)) status = hand_over_materials(&r, parts);
    RELEASE_ALL(doc->context, r.corners, r.materials, r.label_of, r.labels);
    ARRAY_RELEASE(doc->context, &r.line_offsets);
    ARRAY_RELEASE(doc->context, &r.line_vertices);
    return status;
}
