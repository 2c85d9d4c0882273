/* A base without triangles of no area: see ruga/wrinkle_mesh.h. */
#include <math.h>

#include "geom/attachment.h"
#include "math/vec3.h"
#include "mesh/carry.h"
#include "mesh/mesh.h"
#include "ruga/wrinkle_mesh.h"

/* Faces without those triangles. */
typedef struct solid_faces {
    uint32_t *sizes, *vertices;
    size_t face_count, corner_count;
} solid_faces;

static void add_face(solid_faces *faces, const uint32_t *vertices, size_t size) {
    faces->sizes[faces->face_count++] = (uint32_t)size;
    memcpy(faces->vertices + faces->corner_count, vertices, size * sizeof *vertices);
    faces->corner_count += size;
}

/* Triangles are in the order of their faces. */
static void collect(const ruga_mesh *mesh, solid_faces *faces) {
    for (size_t t = 0; t < mesh->triangle_count;) {
        const size_t face = mesh_triangle_face(mesh, t), begin = t;
        int is_whole = 1;
        for (; t < mesh->triangle_count && mesh_triangle_face(mesh, t) == face; t++)
            is_whole &= attachment_has_area(mesh, t);
        const size_t corner = mesh_face_begin(mesh, face), size = mesh_face_begin(mesh, face + 1) - corner;
        if (is_whole) add_face(faces, mesh->face_vertices + corner, size);
        for (size_t k = begin; !is_whole && k < t; k++)
            if (attachment_has_area(mesh, k)) add_face(faces, mesh->triangles + 3 * k, 3);
    }
}

static ruga_status make(const ruga_mesh *mesh, const solid_faces *faces, const uint32_t *same, ruga_mesh **out) {
    ruga_mesh_def def = ruga_mesh_def_default();
    ruga_mesh *made = NULL;
    def.positions = (ruga_view){(void *)(uintptr_t)mesh->positions, mesh->vertex_count, 0, RUGA_F64};
    def.face_count = faces->face_count;
    def.face_sizes = faces->sizes;
    def.face_vertices = faces->vertices;
    def.edge_count = mesh->edge_count;
    def.edges = mesh->edges;
    TRY(ruga_mesh_create(mesh->context, &def, &made));
    TRY_OR(mesh_carry_copies(mesh, same, made), ruga_mesh_destroy(made));
    *out = made;
    return RUGA_OK;
}

ruga_status ruga_wrinkle_base_make(const ruga_mesh *mesh, ruga_mesh **out, size_t *count, size_t *first) {
    solid_faces faces = {0};
    uint32_t *same = NULL;
    *out = NULL;
    *count = 0;
    *first = 0;
    for (size_t t = mesh->triangle_count; t-- > 0;) {
        if (attachment_has_area(mesh, t)) continue;
        ++*count;
        *first = mesh_triangle_face(mesh, t);
    }
    if (*count == 0 || *count == mesh->triangle_count || mesh->tet_count > 0) return RUGA_OK;
    ruga_status status = NEW_EACH(mesh->context, 3 * mesh->triangle_count, &faces.sizes, &faces.vertices);
    if (!RUGA_FAILED(status)) status = NEW(mesh->context, &same, mesh->vertex_count);
    if (!RUGA_FAILED(status)) {
        for (size_t v = 0; v < mesh->vertex_count; v++) same[v] = (uint32_t)v;
        collect(mesh, &faces);
        status = make(mesh, &faces, same, out);
    }
    RELEASE_ALL(mesh->context, faces.sizes, faces.vertices, same);
    return status;
}
