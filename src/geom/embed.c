/* Barycentric embedding: one row of a map per point.
 *
 * In tets, a tree over the diagonals of the tets' boxes finds the boxes that contain a point, then the tets are tested.
 * A point outside all tets is extrapolated from the tet with the nearest face. */
#include "geom/embed.h"

#include "geom/bvh_tree.h"
#include "linalg/map.h"
#include "mesh/mesh.h"

ruga_status embed_check_points(ruga_context *context, const ruga_vec3 *points, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!bvh_is_usable(points[i]))
            return fail_input(context, "point %zu is at (%g, %g, %g), but coordinates must be finite and within %g", i,
                              points[i].x, points[i].y, points[i].z, BVH_LARGEST);
    return RUGA_OK;
}

/* ---- Surfaces */

ruga_status embed_in_surface(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, ruga_map **map,
                             ruga_vec3 *offsets) {
    ruga_context *context = mesh->context;
    if (!mesh->triangle_count) return fail_input(context, "the mesh has no triangles to embed points in");
    TRY(embed_check_points(context, points, count));
    bvh_hit *hits;
    bvh *tree = NULL;
    map_builder rows;
    TRY(NEW(context, &hits, count));
    ruga_status status = bvh_build_triangles(mesh, &tree);
    if (!RUGA_FAILED(status)) status = map_builder_make(context, count, 3 * count, &rows);
    if (!RUGA_FAILED(status)) {
        bvh_closest_points(tree, points, count, INFINITY, hits);
        for (size_t i = 0; i < count; i++) {
            const uint32_t *triangle = mesh->triangles + 3 * (size_t)hits[i].element;
            for (size_t k = 0; k < 3; k++) map_builder_put(&rows, triangle[k], hits[i].barycentric[k]);
            map_builder_end_row(&rows);
        }
        status = map_builder_finish(&rows, mesh->vertex_count, map);
    }
    if (!RUGA_FAILED(status) && offsets)
        for (size_t i = 0; i < count; i++) offsets[i] = vec3_sub(points[i], hits[i].point);
    bvh_destroy(tree);
    memory_release(context, hits);
    return status;
}

/* ---- Tets */

typedef struct tet_finder {
    const ruga_mesh *mesh;
    vec3 *corners;       /* (tet_count x 2) low and high of each tet's box */
    uint32_t *diagonals; /* (tet_count x 2) edges between them */
    uint32_t *faces;     /* (tet_count x 4 x 3) */
    bvh *boxes, *surface;
    element_array found;
} tet_finder;

static ruga_status finder_make(tet_finder *finder) {
    const ruga_mesh *mesh = finder->mesh;
    ruga_context *context = mesh->context;
    size_t count = mesh->tet_count;
    TRY(NEW_EACH(context, 2 * count, &finder->corners, &finder->diagonals));
    TRY(NEW(context, &finder->faces, 12 * count));
    for (size_t tet = 0; tet < count; tet++) {
        const uint32_t *vertices = mesh->tets + 4 * tet;
        vec3 low = mesh->positions[vertices[0]], high = low;
        for (int k = 1; k < 4; k++) {
            low = vec3_min(low, mesh->positions[vertices[k]]);
            high = vec3_max(high, mesh->positions[vertices[k]]);
        }
        finder->corners[2 * tet] = low, finder->corners[2 * tet + 1] = high;
        for (size_t k = 0; k < 2; k++) finder->diagonals[2 * tet + k] = (uint32_t)(2 * tet + k);
        for (size_t i = 0; i < 12; i++) finder->faces[12 * tet + i] = vertices[tet_sides[i / 3][i % 3]];
    }
    TRY(bvh_build(context, mesh->vertex_count, mesh->positions, 4 * count, 3, finder->faces, &finder->surface));
    return bvh_build(context, 2 * count, finder->corners, count, 2, finder->diagonals, &finder->boxes);
}

/* Weights of the four corners, by volumes; 0 when the tet has none. */
static int tet_weights(const ruga_mesh *mesh, size_t tet, vec3 point, double weights[4]) {
    const uint32_t *v = mesh->tets + 4 * tet;
    vec3 origin = mesh->positions[v[0]], p = vec3_sub(point, origin);
    vec3 a = vec3_sub(mesh->positions[v[1]], origin), b = vec3_sub(mesh->positions[v[2]], origin);
    vec3 c = vec3_sub(mesh->positions[v[3]], origin);
    double volume = vec3_dot(a, vec3_cross(b, c));
    weights[1] = vec3_dot(p, vec3_cross(b, c)) / volume;
    weights[2] = vec3_dot(p, vec3_cross(c, a)) / volume;
    weights[3] = vec3_dot(p, vec3_cross(a, b)) / volume;
    weights[0] = 1 - weights[1] - weights[2] - weights[3];
    return isfinite(weights[0]);
}

static ruga_status find_tet(tet_finder *finder, vec3 point, uint32_t *indices, double *weights) {
    TRY(bvh_box_elements(finder->boxes, point, point, &finder->found));
    for (size_t i = 0; i < finder->found.count; i++) {
        size_t tet = finder->found.items[i];
        if (!tet_weights(finder->mesh, tet, point, weights)) continue;
        if (weights[0] < 0 || weights[1] < 0 || weights[2] < 0 || weights[3] < 0) continue;
        for (size_t k = 0; k < 4; k++) indices[k] = finder->mesh->tets[4 * tet + k];
        return RUGA_OK;
    }
    /* Outside: extrapolates from the nearest tet, or from its nearest face if it has no volume. */
    bvh_hit hit = bvh_closest_point(finder->surface, point, INFINITY);
    size_t tet = hit.element / 4, face = hit.element % 4;
    for (size_t k = 0; k < 4; k++) indices[k] = finder->mesh->tets[4 * tet + k];
    if (tet_weights(finder->mesh, tet, point, weights)) return RUGA_OK;
    weights[face] = 0;
    for (int k = 0; k < 3; k++) weights[tet_sides[face][k]] = hit.barycentric[k];
    return RUGA_OK;
}

static ruga_status find_tets(tet_finder *finder, const ruga_vec3 *points, size_t count, map_builder *rows) {
    TRY(finder_make(finder));
    for (size_t i = 0; i < count; i++) {
        uint32_t vertices[4];
        double weights[4];
        TRY(find_tet(finder, points[i], vertices, weights));
        for (size_t k = 0; k < 4; k++) map_builder_put(rows, vertices[k], weights[k]);
        map_builder_end_row(rows);
    }
    return RUGA_OK;
}

ruga_status embed_in_tets(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, ruga_map **map) {
    ruga_context *context = mesh->context;
    if (!mesh->tet_count) return fail_input(context, "the mesh has no tets to embed points in");
    TRY(embed_check_points(context, points, count));
    map_builder rows;
    TRY(map_builder_make(context, count, 4 * count, &rows));
    tet_finder finder = {.mesh = mesh};
    ruga_status status = find_tets(&finder, points, count, &rows);
    bvh_destroy(finder.boxes);
    bvh_destroy(finder.surface);
    RELEASE_ALL(context, finder.corners, finder.diagonals, finder.faces);
    ARRAY_RELEASE(context, &finder.found);
    TRY_OR(status, map_builder_release(&rows));
    return map_builder_finish(&rows, mesh->vertex_count, map);
}
