/* Barycentric embedding: one row of a map per point.
 *
 * In tets, a tree over the diagonals of the tets' boxes finds the boxes that contain a point, then the tets are tested.
 * A point outside all tets is extrapolated from the tet with the nearest face: one of the surface, whose tree is built
 * when the first such point is found. */
#include "geom/embed.h"

#include <string.h>

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

#define OUTSIDE (-1e-9) /* weights above this are rounding: the point is in the tet */

struct tet_finder {
    const ruga_mesh *mesh;
    vec3 *corners;       /* (tet_count x 2) low and high of each tet's box */
    uint32_t *diagonals; /* (tet_count x 2) edges between them */
    bvh *boxes;
    size_t face_count;
    uint32_t *faces;   /* (face_count x 3) sides of tets at the surface */
    uint32_t *side_of; /* (face_count) 4 tet + side */
    bvh *surface;      /* of the faces */
    element_array found;
};

static ruga_status make_boxes(tet_finder *finder) {
    const ruga_mesh *mesh = finder->mesh;
    size_t count = mesh->tet_count;
    TRY(NEW_EACH(mesh->context, 2 * count, &finder->corners, &finder->diagonals));
    for (size_t tet = 0; tet < count; tet++) {
        const uint32_t *vertices = mesh->tets + 4 * tet;
        vec3 low = mesh->positions[vertices[0]], high = low;
        for (int k = 1; k < 4; k++) {
            low = vec3_min(low, mesh->positions[vertices[k]]);
            high = vec3_max(high, mesh->positions[vertices[k]]);
        }
        finder->corners[2 * tet] = low, finder->corners[2 * tet + 1] = high;
        for (size_t k = 0; k < 2; k++) finder->diagonals[2 * tet + k] = (uint32_t)(2 * tet + k);
    }
    return bvh_build(mesh->context, 2 * count, finder->corners, count, 2, finder->diagonals, &finder->boxes);
}

/* Whether the three vertices of a tet's side are all on the surface. Every side of the surface is among these. */
static int may_be_outside(const uint8_t *on_surface, const uint32_t *tet, size_t side) {
    for (int k = 0; k < 3; k++)
        if (!on_surface[tet[tet_sides[side][k]]]) return 0;
    return 1;
}

static ruga_status collect_faces(tet_finder *finder, const uint8_t *on_surface) {
    const ruga_mesh *mesh = finder->mesh;
    size_t count = 0;
    for (size_t s = 0; s < 4 * mesh->tet_count; s++)
        count += (size_t)may_be_outside(on_surface, mesh->tets + s / 4 * 4, s % 4);
    TRY(NEW(mesh->context, &finder->faces, 3 * count));
    TRY(NEW(mesh->context, &finder->side_of, count));
    for (size_t s = 0; s < 4 * mesh->tet_count; s++) {
        const uint32_t *tet = mesh->tets + s / 4 * 4;
        if (!may_be_outside(on_surface, tet, s % 4)) continue;
        for (size_t k = 0; k < 3; k++) finder->faces[3 * finder->face_count + k] = tet[tet_sides[s % 4][k]];
        finder->side_of[finder->face_count++] = (uint32_t)s;
    }
    return RUGA_OK;
}

static ruga_status make_surface(tet_finder *finder) {
    const ruga_mesh *mesh = finder->mesh;
    uint8_t *on_surface;
    TRY(NEW_ZEROED(mesh->context, &on_surface, mesh->vertex_count));
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) on_surface[mesh->triangles[i]] = 1;
    ruga_status status = collect_faces(finder, on_surface);
    if (!RUGA_FAILED(status) && finder->face_count == 0) {
        /* The mesh has other faces than its surface: all sides are tried. */
        memset(on_surface, 1, mesh->vertex_count);
        RELEASE_ALL(mesh->context, finder->faces, finder->side_of);
        finder->faces = finder->side_of = NULL;
        status = collect_faces(finder, on_surface);
    }
    memory_release(mesh->context, on_surface);
    TRY(status);
    return bvh_build(mesh->context, mesh->vertex_count, mesh->positions, finder->face_count, 3, finder->faces,
                     &finder->surface);
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

ruga_status tet_finder_make(const ruga_mesh *mesh, tet_finder **out) {
    TRY(NEW_ZEROED(mesh->context, out, 1));
    (*out)->mesh = mesh;
    ruga_status status = make_boxes(*out);
    if (!RUGA_FAILED(status)) return status;
    tet_finder_destroy(*out);
    *out = NULL;
    return status;
}

void tet_finder_destroy(tet_finder *finder) {
    if (!finder) return;
    ruga_context *context = finder->mesh->context;
    bvh_destroy(finder->boxes);
    bvh_destroy(finder->surface);
    RELEASE_ALL(context, finder->corners, finder->diagonals, finder->faces, finder->side_of);
    ARRAY_RELEASE(context, &finder->found);
    memory_release(context, finder);
}

ruga_status tet_finder_at(tet_finder *finder, ruga_vec3 point, const double *shares, size_t *tet, double weights[4]) {
    double best = shares ? 0 : OUTSIDE;
    *tet = SIZE_MAX;
    TRY(bvh_box_elements(finder->boxes, point, point, &finder->found));
    for (size_t i = 0; i < finder->found.count; i++) {
        double tried[4];
        const size_t candidate = finder->found.items[i];
        if (!tet_weights(finder->mesh, candidate, point, tried)) continue;
        const double least = fmin(fmin(tried[0], tried[1]), fmin(tried[2], tried[3]));
        const double value = shares ? shares[candidate] : fmin(least, 0);
        if (!(least > OUTSIDE) || !(value > best)) continue;
        best = value;
        *tet = candidate;
        memcpy(weights, tried, sizeof tried);
    }
    return RUGA_OK;
}

static ruga_status find_tet(tet_finder *finder, vec3 point, uint32_t *indices, double *weights) {
    size_t tet;
    TRY(tet_finder_at(finder, point, NULL, &tet, weights));
    if (tet != SIZE_MAX) {
        memcpy(indices, finder->mesh->tets + 4 * tet, 4 * sizeof *indices);
        return RUGA_OK;
    }
    /* Outside: extrapolates from the nearest tet, or from its nearest face if it has no volume. */
    if (!finder->surface) TRY(make_surface(finder));
    bvh_hit hit = bvh_closest_point(finder->surface, point, INFINITY);
    const size_t side = finder->side_of[hit.element], face = side % 4;
    tet = side / 4;
    memcpy(indices, finder->mesh->tets + 4 * tet, 4 * sizeof *indices);
    if (tet_weights(finder->mesh, tet, point, weights)) return RUGA_OK;
    weights[face] = 0;
    for (int k = 0; k < 3; k++) weights[tet_sides[face][k]] = hit.barycentric[k];
    return RUGA_OK;
}

static ruga_status find_tets(tet_finder *finder, const ruga_vec3 *points, size_t count, map_builder *rows) {
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
    tet_finder *finder = NULL;
    ruga_status status = tet_finder_make(mesh, &finder);
    if (!RUGA_FAILED(status)) status = find_tets(finder, points, count, &rows);
    tet_finder_destroy(finder);
    TRY_OR(status, map_builder_release(&rows));
    return map_builder_finish(&rows, mesh->vertex_count, map);
}

ruga_status ruga_mesh_embed(const ruga_mesh *tets, const ruga_vec3 *points, size_t count, ruga_map **map) {
    if (!tets || (!points && count > 0) || !map) return RUGA_ERROR_ARGUMENT;
    return embed_in_tets(tets, points, count, map);
}

ruga_status ruga_mesh_embed_surface(const ruga_mesh *surface, const ruga_vec3 *points, size_t count, ruga_map **map) {
    if (!surface || (!points && count > 0) || !map) return RUGA_ERROR_ARGUMENT;
    return embed_in_surface(surface, points, count, map, NULL);
}
