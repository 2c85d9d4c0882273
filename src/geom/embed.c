/* Barycentric embedding: one row of a map per point.
 *
 * In tets, the boxes that hold a point are looked up first (a tree over the diagonals of the boxes), then the tets
 * themselves; outside of all of them the nearest face of any tet says which tet is extrapolated. */
#include "geom/embed.h"

#include "geom/bvh_tree.h"
#include "linalg/map.h"
#include "mesh/mesh.h"

ruga_status embed_check_points(ruga_context *context, const ruga_vec3 *points, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!bvh_is_usable(points[i]))
            return fail_with(context, RUGA_ERROR_INPUT,
                             "point %zu is at (%g, %g, %g), but coordinates must be finite and within %g", i,
                             points[i].x, points[i].y, points[i].z, BVH_LARGEST);
    return RUGA_OK;
}

/* ---- Surfaces */

static ruga_status find_on_surface(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, bvh_hit *hits) {
    bvh *tree;
    TRY(bvh_build(mesh->context, mesh->vertex_count, mesh->positions, mesh->triangle_count, 3, mesh->triangles, &tree));
    bvh_closest_points(tree, points, count, INFINITY, hits);
    bvh_destroy(tree);
    return RUGA_OK;
}

static void fill_surface_rows(const ruga_mesh *mesh, const bvh_hit *hits, size_t count, map_builder *rows) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t *triangle = mesh->triangles + 3 * (size_t)hits[i].element;
        for (size_t k = 0; k < 3; k++) map_builder_put(rows, triangle[k], hits[i].barycentric[k]);
        map_builder_end_row(rows);
    }
}

ruga_status embed_in_surface(const ruga_mesh *mesh, const ruga_vec3 *points, size_t count, ruga_map **map,
                             ruga_vec3 *offsets) {
    ruga_context *context = mesh->context;
    if (!mesh->triangle_count)
        return fail_with(context, RUGA_ERROR_INPUT, "the mesh has no triangles to embed points in");
    TRY(embed_check_points(context, points, count));
    bvh_hit *hits = ALLOCATE(context, bvh_hit, count);
    if (!hits) return fail_memory(context, count * sizeof *hits);
    map_builder rows;
    ruga_status status = find_on_surface(mesh, points, count, hits);
    if (!RUGA_FAILED(status)) status = map_builder_make(context, count, 3 * count, &rows);
    if (!RUGA_FAILED(status)) {
        fill_surface_rows(mesh, hits, count, &rows);
        status = map_builder_finish(&rows, mesh->vertex_count, map);
    }
    if (!RUGA_FAILED(status) && offsets)
        for (size_t i = 0; i < count; i++) offsets[i] = vec3_sub(points[i], hits[i].point);
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

static void finder_release(tet_finder *finder) {
    ruga_context *context = finder->mesh->context;
    bvh_destroy(finder->boxes);
    bvh_destroy(finder->surface);
    memory_release(context, finder->corners);
    memory_release(context, finder->diagonals);
    memory_release(context, finder->faces);
    ARRAY_RELEASE(context, &finder->found);
}

static void fill_tet(tet_finder *finder, size_t tet) {
    const uint32_t *vertices = finder->mesh->tets + 4 * tet;
    vec3 low = finder->mesh->positions[vertices[0]], high = low;
    for (int k = 1; k < 4; k++) {
        low = vec3_min(low, finder->mesh->positions[vertices[k]]);
        high = vec3_max(high, finder->mesh->positions[vertices[k]]);
    }
    finder->corners[2 * tet] = low, finder->corners[2 * tet + 1] = high;
    for (size_t k = 0; k < 2; k++) finder->diagonals[2 * tet + k] = (uint32_t)(2 * tet + k);
    for (size_t face = 0; face < 4; face++)
        for (size_t k = 0; k < 3; k++) finder->faces[12 * tet + 3 * face + k] = vertices[tet_sides[face][k]];
}

static ruga_status finder_make(tet_finder *finder) {
    const ruga_mesh *mesh = finder->mesh;
    ruga_context *context = mesh->context;
    size_t count = mesh->tet_count;
    finder->corners = memory_allocate(context, count, 2 * sizeof *finder->corners);
    finder->diagonals = memory_allocate(context, count, 2 * sizeof *finder->diagonals);
    finder->faces = memory_allocate(context, count, 12 * sizeof *finder->faces);
    if (!finder->corners || !finder->diagonals || !finder->faces)
        return fail_memory(context, count * 12 * sizeof *finder->faces);
    for (size_t i = 0; i < count; i++) fill_tet(finder, i);
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

/* The nearest tet; one without volume is replaced by its face. */
static void find_outside(const tet_finder *finder, vec3 point, uint32_t *indices, double *weights) {
    bvh_hit hit = bvh_closest_point(finder->surface, point, INFINITY);
    size_t tet = hit.element / 4, face = hit.element % 4;
    for (int k = 0; k < 4; k++) indices[k] = finder->mesh->tets[4 * tet + (size_t)k];
    if (tet_weights(finder->mesh, tet, point, weights)) return;
    weights[face] = 0;
    for (int k = 0; k < 3; k++) weights[tet_sides[face][k]] = hit.barycentric[k];
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
    find_outside(finder, point, indices, weights);
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
    if (!mesh->tet_count) return fail_with(context, RUGA_ERROR_INPUT, "the mesh has no tets to embed points in");
    TRY(embed_check_points(context, points, count));
    map_builder rows;
    TRY(map_builder_make(context, count, 4 * count, &rows));
    tet_finder finder = {.mesh = mesh};
    ruga_status status = find_tets(&finder, points, count, &rows);
    finder_release(&finder);
    if (RUGA_FAILED(status)) {
        map_builder_release(&rows);
        return status;
    }
    return map_builder_finish(&rows, mesh->vertex_count, map);
}
