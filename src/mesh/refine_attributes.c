/* Attributes, splits, edges and lines after a cut: see refine.h and attribute_values.h. Pieces of faces and edges get
 * the values of the face or edge they come from. */
#include "mesh/refine.h"

static ruga_status add_plain_corners(const ruga_mesh *mesh, mesh_parts *parts, const ruga_attribute *a, const cut *c) {
    void *values;
    TRY(NEW_SIZED(mesh->context, &values, parts->corner_count, value_size(a)));
    for (size_t t = 0; t < c->triangle_count; t++) {
        const cut_pattern *pattern = cut_pattern_of(c, t);
        uint32_t corners[3];
        for (size_t k = 0; k < 3; k++) corners[k] = (uint32_t)mesh_triangle_corner(mesh, t, k);
        for (size_t i = 0; i < 3 * pattern->child_count; i++) {
            const uint16_t *numerator = c->numerators + 3 * (size_t)pattern->children[i];
            const double weights[3] = {numerator[0], numerator[1], numerator[2]};
            mix_values(a, c->n, 3, corners, weights, values, 3 * (size_t)c->child_offsets[t] + i);
        }
    }
    return add_like(mesh->context, parts, a, parts->corner_count, values, NULL);
}

/* Cuts the triangles of the values that corners name by index. Corners without a value share the last point. */
static ruga_status refine_indices(const ruga_mesh *mesh, const cut *c, const uint32_t *indices, size_t point_count,
                                  refinement *out) {
    uint32_t *triangles;
    TRY(NEW(mesh->context, &triangles, 3 * mesh->triangle_count));
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t index = indices[mesh_triangle_corner(mesh, i / 3, i % 3)];
        triangles[i] = index == NO_INDEX ? (uint32_t)point_count - 1 : index;
    }
    ruga_status status = refinement_make(c, point_count, triangles, out);
    memory_release(mesh->context, triangles);
    return status;
}

static ruga_status add_corners(const ruga_mesh *mesh, mesh_parts *parts, const ruga_attribute *a, const cut *c,
                               const refinement *splits) {
    if (!a->indices) return add_plain_corners(mesh, parts, a, c);
    if (a->indices == mesh->corner_split) return add_cut_split_values(mesh->context, parts, a, c->n, &splits->cut);
    refinement values;
    TRY(refine_indices(mesh, c, a->indices, a->count + 1, &values));
    ruga_status status = add_cut_corners(mesh->context, parts, a, c->n, a->count + 1, &values.cut);
    refinement_release(mesh->context, &values);
    return status;
}

static ruga_status add_all(const ruga_mesh *mesh, const cut *c, const refinement *r, uint32_t *parent_faces,
                           index_array *edge_origin, refinement *splits, mesh_parts *parts) {
    for (size_t t = 0; t < c->triangle_count; t++)
        for (size_t i = c->child_offsets[t]; i < c->child_offsets[t + 1]; i++)
            parent_faces[i] = (uint32_t)mesh_triangle_face(mesh, t);
    if (mesh->split_count > 0) {
        TRY(refine_indices(mesh, c, mesh->corner_split, mesh->split_count, splits));
        TRY(add_cut_splits(mesh, parts, &splits->cut));
    }
    TRY(add_lines_and_edges(mesh, r->topo, r->edge_offsets, parts, edge_origin));
    for (size_t i = 0; i < mesh->attribute_count; i++) {
        const ruga_attribute *a = &mesh->attributes[i];
        switch (a->domain) {
            case RUGA_DOMAIN_VERTEX: TRY(add_cut_vertices(mesh, parts, a, c->n, &r->cut)); break;
            case RUGA_DOMAIN_FACE: TRY(add_picked(mesh->context, parts, a, parts->face_count, parent_faces)); break;
            case RUGA_DOMAIN_EDGE:
                TRY(add_picked(mesh->context, parts, a, edge_origin->count, edge_origin->items));
                break;
            case RUGA_DOMAIN_CORNER: TRY(add_corners(mesh, parts, a, c, splits)); break;
        }
    }
    return RUGA_OK;
}

ruga_status refine_attributes(const ruga_mesh *mesh, const cut *c, const refinement *r, mesh_parts *parts) {
    index_array edge_origin = {0};
    refinement splits = {0};
    uint32_t *parent_faces; /* (fine triangles) */
    TRY(NEW(mesh->context, &parent_faces, parts->face_count));
    ruga_status status = add_all(mesh, c, r, parent_faces, &edge_origin, &splits, parts);
    RELEASE_ALL(mesh->context, parent_faces, edge_origin.items);
    refinement_release(mesh->context, &splits);
    return status;
}
