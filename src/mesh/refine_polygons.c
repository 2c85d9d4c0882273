/* See refine_polygons.h. New faces and corners are picked from those of the triangles: a corner of a whole polygon from any of its triangles
 * that has it. */
#include "mesh/refine_polygons.h"

#include <string.h>

#include "mesh/refine_values.h"

/* Where the new faces and corners are among the triangles. */
typedef struct face_picks {
    size_t face_count, corner_count;
    uint32_t *offsets; /* (face_count + 1) corners */
    uint32_t *faces;   /* (face_count) triangles */
    uint32_t *corners; /* (corner_count) corners of triangles */
} face_picks;

static void release_picks(ruga_context *context, face_picks *p) {
    memory_release(context, p->offsets);
    memory_release(context, p->faces);
    memory_release(context, p->corners);
}

static void add_face(face_picks *p, uint32_t triangle) {
    p->faces[p->face_count++] = triangle;
    p->offsets[p->face_count] = (uint32_t)p->corner_count;
}

/* Triangles of the mesh from begin on that are of one face: their end, and whether none of them is cut. */
static size_t end_of_face(const ruga_mesh *mesh, const free_cut *c, size_t begin, int *is_whole) {
    size_t end = begin;
    *is_whole = 1;
    for (; end < mesh->triangle_count && mesh->triangle_faces[end] == mesh->triangle_faces[begin]; end++)
        *is_whole &= c->child_offsets[end + 1] - c->child_offsets[end] == 1;
    return end;
}

/* A corner of a whole polygon among those of its triangles. */
static uint32_t find_corner(const ruga_mesh *mesh, const free_cut *c, size_t begin, uint32_t corner) {
    size_t i = 3 * begin;
    while (mesh->triangle_corners[i] != corner) i++;
    return (uint32_t)(3 * (size_t)c->child_offsets[i / 3] + i % 3);
}

static void pick_polygon(const ruga_mesh *mesh, const free_cut *c, size_t begin, face_picks *p) {
    size_t face = mesh->triangle_faces[begin];
    for (uint32_t corner = mesh->face_offsets[face]; corner < mesh->face_offsets[face + 1]; corner++)
        p->corners[p->corner_count++] = find_corner(mesh, c, begin, corner);
    add_face(p, c->child_offsets[begin]);
}

static void pick_children(const free_cut *c, size_t begin, size_t end, face_picks *p) {
    for (uint32_t child = c->child_offsets[begin]; child < c->child_offsets[end]; child++) {
        for (uint32_t k = 0; k < 3; k++) p->corners[p->corner_count++] = 3 * child + k;
        add_face(p, child);
    }
}

static ruga_status make_picks(const ruga_mesh *mesh, const free_cut *c, face_picks *p) {
    size_t children = c->child_offsets[mesh->triangle_count];
    *p = (face_picks){.offsets = ALLOCATE_ZEROED(mesh->context, uint32_t, children + 1),
                      .faces = ALLOCATE(mesh->context, uint32_t, children),
                      .corners = ALLOCATE(mesh->context, uint32_t, 3 * children)};
    if (!p->offsets || !p->faces || !p->corners) return fail_memory(mesh->context, 3 * children * sizeof(uint32_t));
    for (size_t begin = 0, end; begin < mesh->triangle_count; begin = end) {
        int is_whole;
        end = end_of_face(mesh, c, begin, &is_whole);
        if (is_whole)
            pick_polygon(mesh, c, begin, p);
        else
            pick_children(c, begin, end, p);
    }
    return RUGA_OK;
}

/* Items of a size in bytes each, by their numbers; NULL when there is no memory. */
static void *picked(ruga_context *context, const void *items, size_t size, const uint32_t *numbers, size_t count) {
    unsigned char *out = memory_allocate(context, count, size);
    for (size_t i = 0; out && i < count; i++)
        memcpy(out + i * size, (const unsigned char *)items + numbers[i] * size, size);
    return out;
}

/* An array of the parts, picked anew. */
static ruga_status pick_again(ruga_context *context, const void **items, size_t size, const uint32_t *numbers,
                              size_t count) {
    void *out = picked(context, *items, size, numbers, count);
    if (!out) return fail_memory(context, count * size);
    memory_release(context, (void *)(uintptr_t)*items);
    *items = out;
    return RUGA_OK;
}

static ruga_status pick_attribute(ruga_context *context, const face_picks *p, ruga_attribute *a) {
    int is_of_faces = a->domain == RUGA_DOMAIN_FACE;
    const uint32_t *numbers = is_of_faces ? p->faces : p->corners;
    size_t count = is_of_faces ? p->face_count : p->corner_count;
    if (a->indices) {
        const void *indices = a->indices;
        ruga_status status = pick_again(context, &indices, sizeof *a->indices, numbers, count);
        a->indices = indices;
        return status;
    }
    TRY(pick_again(context, &a->values, value_size(a), numbers, count));
    a->count = count;
    return RUGA_OK;
}

/* The file's vertices at corners, which attributes may share. */
static ruga_status pick_splits(ruga_context *context, const face_picks *p, mesh_parts *parts) {
    uint32_t *old = parts->corner_split;
    uint32_t *now = picked(context, old, sizeof *now, p->corners, p->corner_count);
    if (!now) return fail_memory(context, p->corner_count * sizeof *now);
    for (size_t i = 0; i < parts->attributes.count; i++)
        if (parts->attributes.items[i].indices == old) parts->attributes.items[i].indices = now;
    parts->corner_split = now;
    memory_release(context, old);
    return RUGA_OK;
}

static ruga_status pick_parts(ruga_context *context, const face_picks *p, mesh_parts *parts) {
    const void *vertices = parts->face_vertices;
    ruga_status status = pick_again(context, &vertices, sizeof(uint32_t), p->corners, p->corner_count);
    parts->face_vertices = (uint32_t *)(uintptr_t)vertices;
    TRY(status);
    if (parts->corner_split) TRY(pick_splits(context, p, parts));
    for (size_t i = 0; i < parts->attributes.count; i++) {
        ruga_attribute *a = &parts->attributes.items[i];
        int is_shared = a->indices && a->indices == parts->corner_split;
        if ((a->domain == RUGA_DOMAIN_FACE || a->domain == RUGA_DOMAIN_CORNER) && !is_shared)
            TRY(pick_attribute(context, p, a));
    }
    return RUGA_OK;
}

ruga_status refine_restore_polygons(const ruga_mesh *mesh, const free_cut *c, mesh_parts *parts) {
    face_picks picks;
    if (!mesh->face_offsets) return RUGA_OK;
    ruga_status status = make_picks(mesh, c, &picks);
    if (!RUGA_FAILED(status)) status = pick_parts(mesh->context, &picks, parts);
    if (!RUGA_FAILED(status)) {
        parts->face_count = picks.face_count;
        parts->corner_count = picks.corner_count;
        parts->face_offsets = picks.offsets;
        picks.offsets = NULL;
    }
    release_picks(mesh->context, &picks);
    return status;
}
