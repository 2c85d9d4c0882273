/* Polygons after a free cut. New faces and corners are picked from those of the triangles: a corner of a whole polygon
 * from the first of its triangles that has it. */
#include "mesh/attribute_values.h"
#include "mesh/refine_free.h"

/* New faces and corners, by triangle and by corner of a triangle. */
typedef struct face_picks {
    size_t face_count, corner_count;
    uint32_t *offsets; /* (face_count + 1) corners */
    uint32_t *faces;   /* (face_count) triangles */
    uint32_t *corners; /* (corner_count) corners of triangles */
} face_picks;

static void add_face(face_picks *p, uint32_t triangle) {
    p->faces[p->face_count++] = triangle;
    p->offsets[p->face_count] = (uint32_t)p->corner_count;
}

static ruga_status make_picks(const ruga_mesh *mesh, const free_cut *c, face_picks *p) {
    size_t children = c->child_offsets[mesh->triangle_count];
    TRY(NEW_ZEROED(mesh->context, &p->offsets, children + 1));
    TRY(NEW(mesh->context, &p->faces, children));
    TRY(NEW(mesh->context, &p->corners, 3 * children));
    for (size_t begin = 0, end; begin < mesh->triangle_count; begin = end) {
        size_t face = mesh->triangle_faces[begin];
        for (end = begin; end < mesh->triangle_count && mesh->triangle_faces[end] == face;) end++;
        if (c->child_offsets[end] - c->child_offsets[begin] == end - begin) {
            for (uint32_t corner = mesh->face_offsets[face]; corner < mesh->face_offsets[face + 1]; corner++) {
                size_t i = 3 * begin;
                while (mesh->triangle_corners[i] != corner) i++;
                p->corners[p->corner_count++] = (uint32_t)(3 * (size_t)c->child_offsets[i / 3] + i % 3);
            }
            add_face(p, c->child_offsets[begin]);
            continue;
        }
        for (uint32_t child = c->child_offsets[begin]; child < c->child_offsets[end]; child++) {
            for (uint32_t k = 0; k < 3; k++) p->corners[p->corner_count++] = 3 * child + k;
            add_face(p, child);
        }
    }
    return RUGA_OK;
}

/* The file's vertices at corners, which attributes may share. */
static ruga_status pick_splits(ruga_context *context, const face_picks *p, mesh_parts *parts) {
    void *now;
    TRY(pick_items(context, parts->corner_split, sizeof(uint32_t), p->corners, p->corner_count, &now));
    for (size_t i = 0; i < parts->attributes.count; i++)
        if (parts->attributes.items[i].indices == parts->corner_split) parts->attributes.items[i].indices = now;
    memory_release(context, parts->corner_split);
    parts->corner_split = now;
    return RUGA_OK;
}

static ruga_status pick_parts(ruga_context *context, const face_picks *p, mesh_parts *parts) {
    void *now;
    TRY(pick_items(context, parts->face_vertices, sizeof(uint32_t), p->corners, p->corner_count, &now));
    memory_release(context, parts->face_vertices);
    parts->face_vertices = now;
    if (parts->corner_split) TRY(pick_splits(context, p, parts));
    for (size_t i = 0; i < parts->attributes.count; i++) {
        ruga_attribute *a = &parts->attributes.items[i];
        int is_of_faces = a->domain == RUGA_DOMAIN_FACE, is_shared = a->indices && a->indices == parts->corner_split;
        const uint32_t *numbers = is_of_faces ? p->faces : p->corners;
        size_t count = is_of_faces ? p->face_count : p->corner_count;
        if ((!is_of_faces && a->domain != RUGA_DOMAIN_CORNER) || is_shared) continue;
        if (a->indices) {
            TRY(pick_items(context, a->indices, sizeof *a->indices, numbers, count, &now));
            memory_release(context, (void *)a->indices);
            a->indices = now;
        } else {
            TRY(pick_items(context, a->values, value_size(a), numbers, count, &now));
            memory_release(context, (void *)a->values);
            a->values = now;
            a->count = count;
        }
    }
    return RUGA_OK;
}

ruga_status refine_restore_polygons(const ruga_mesh *mesh, const free_cut *c, mesh_parts *parts) {
    if (!mesh->face_offsets) return RUGA_OK;
    face_picks picks = {0};
    ruga_status status = make_picks(mesh, c, &picks);
    if (!RUGA_FAILED(status)) status = pick_parts(mesh->context, &picks, parts);
    if (!RUGA_FAILED(status)) {
        parts->face_count = picks.face_count;
        parts->corner_count = picks.corner_count;
        parts->face_offsets = picks.offsets;
        picks.offsets = NULL;
    }
    RELEASE_ALL(mesh->context, picks.offsets, picks.faces, picks.corners);
    return status;
}
