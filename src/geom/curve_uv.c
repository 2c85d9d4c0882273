/* Curves from paths over UVs: see curve_uv.h.
 *
 * Between two points the path is straight in UV, as long as they are in one chart. If a seam comes between, the path
 * over the surface is used instead, which ignores seams. */
#include "geom/curve_uv.h"

#include "mesh/mesh.h"

#define BORDER 1e-5 /* of the UVs' size: how far outside a chart a point may be, for rounded numbers in files */
#define INSIDE 1e-9 /* of weights */

/* ---- Making. */

static ruga_vec3 corner_uv(const ruga_mesh *mesh, const ruga_attribute *uv, size_t triangle, size_t k) {
    size_t element =
        uv->domain == RUGA_DOMAIN_CORNER ? mesh_triangle_corner(mesh, triangle, k) : mesh->triangles[3 * triangle + k];
    if (uv->indices && uv->indices[element] == UINT32_MAX) return (ruga_vec3){NAN, NAN, 0};
    return (ruga_vec3){ruga_attribute_get(uv, element, 0), ruga_attribute_get(uv, element, 1), 0};
}

/* The triangles that have UVs; returns how many. */
static size_t fill_places(uv_places *p, const ruga_attribute *uv) {
    vec3 low = {INFINITY, INFINITY, 0}, high = {-INFINITY, -INFINITY, 0};
    size_t mapped = 0;
    for (size_t t = 0; t < p->mesh->triangle_count; t++) {
        ruga_vec3 *corners = p->corners + 3 * t;
        for (size_t k = 0; k < 3; k++) corners[k] = corner_uv(p->mesh, uv, t, k);
        if (!vec3_is_finite(corners[0]) || !vec3_is_finite(corners[1]) || !vec3_is_finite(corners[2])) continue;
        for (size_t k = 0; k < 3; k++) {
            low = vec3_min(low, corners[k]);
            high = vec3_max(high, corners[k]);
            p->elements[3 * mapped + k] = (uint32_t)(3 * t + k);
        }
        p->triangles[mapped++] = (uint32_t)t;
    }
    p->size = mapped > 0 ? vec3_distance(low, high) : 0;
    return mapped;
}

ruga_status uv_places_make(const ruga_mesh *mesh, uv_places *out) {
    *out = (uv_places){.context = mesh->context, .mesh = mesh};
    const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER);
    if (!uv) uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_VERTEX);
    if (!uv || uv->components < 2)
        return fail_input(mesh->context, "the mesh has no attribute \"uv\" to draw on; unwrap it, or draw in space");
    size_t count = mesh->triangle_count;
    ruga_status status = NEW(mesh->context, &out->corners, 3 * count);
    if (!RUGA_FAILED(status)) status = NEW(mesh->context, &out->elements, 3 * count);
    if (!RUGA_FAILED(status)) status = NEW(mesh->context, &out->triangles, count);
    if (!RUGA_FAILED(status)) {
        size_t mapped = fill_places(out, uv);
        status = bvh_build(mesh->context, 3 * count, out->corners, mapped, 3, out->elements, &out->tree);
    }
    if (RUGA_FAILED(status)) uv_places_release(out);
    return status;
}

void uv_places_release(uv_places *p) {
    bvh_destroy(p->tree);
    RELEASE_ALL(p->context, p->corners, p->elements, p->triangles);
    ARRAY_RELEASE(p->context, &p->found);
    *p = (uv_places){.context = p->context};
}

/* ---- Finding. */

/* Weights of a place in a triangle's UVs; 0 when it is outside, or they have no area. */
static int weights_at(const ruga_vec3 *corners, vec3 at, double weights[3]) {
    vec3 a = vec3_sub(corners[1], corners[0]), b = vec3_sub(corners[2], corners[0]), d = vec3_sub(at, corners[0]);
    double area = vec3_cross(a, b).z;
    if (area == 0) return 0;
    weights[1] = vec3_cross(d, b).z / area;
    weights[2] = vec3_cross(a, d).z / area;
    weights[0] = 1 - weights[1] - weights[2];
    return weights[0] >= -INSIDE && weights[1] >= -INSIDE && weights[2] >= -INSIDE;
}

ruga_status uv_places_find(uv_places *p, double u, double v, const ruga_surface_point *before, ruga_surface_point *out,
                           int *found) {
    vec3 at = {u, v, 0}, margin = {BORDER * p->size, BORDER * p->size, 0};
    vec3 last = before ? surface_point_at(p->mesh, NULL, *before) : (vec3){0, 0, 0};
    double nearest = INFINITY;
    *found = 0;
    TRY(bvh_box_elements(p->tree, vec3_sub(at, margin), vec3_add(at, margin), &p->found));
    for (size_t i = 0; i < p->found.count; i++) {
        uint32_t triangle = p->triangles[p->found.items[i]];
        double weights[3];
        if (!weights_at(p->corners + 3 * (size_t)triangle, at, weights)) continue;
        ruga_surface_point point = curve_tidy_point(triangle, weights);
        double distance = before ? vec3_distance(last, surface_point_at(p->mesh, NULL, point)) : 0;
        if (*found && !(distance < nearest)) continue;
        *out = point;
        *found = 1;
        nearest = distance;
    }
    if (*found) return RUGA_OK;

    /* A point just outside a chart: the nearest point of its border. */
    bvh_hit hit = bvh_closest_point(p->tree, at, BORDER * p->size);
    *found = hit.element != UINT32_MAX;
    if (*found) *out = curve_tidy_point(p->triangles[hit.element], hit.barycentric);
    return RUGA_OK;
}

/* ---- Curves. */

static ruga_status trace_over_uvs(const void *user, tracer *t, ruga_surface_point from, ruga_surface_point to,
                                  surface_point_array *path, int *found) {
    const uv_places *p = user;
    const trace_guide guide = {{0, 0, 1}, p->corners};
    TRY(trace_guided(t, &guide, from, to, path, found));
    return *found ? RUGA_OK : trace_path(t, from, to, path, found);
}

static ruga_status find_all(uv_places *p, const double *uvs, size_t count, const ruga_curve_def *def,
                            ruga_surface_point *points) {
    for (size_t i = 0; i < count; i++) {
        double u = uvs[2 * i], v = uvs[2 * i + 1];
        int found;
        if (!isfinite(u) || !isfinite(v))
            return fail_input(p->context, "curve \"%s\": point %zu is not finite", curve_name(def), i);
        TRY(uv_places_find(p, u, v, i > 0 ? &points[i - 1] : NULL, &points[i], &found));
        if (!found)
            return fail_input(p->context,
                              "curve \"%s\": point %zu at uv (%g, %g) is on no triangle; draw within the charts",
                              curve_name(def), i, u, v);
    }
    return RUGA_OK;
}

ruga_status curve_draw_uvs(curve_canvas *canvas, uv_places *p, const double *uvs, size_t count,
                           const ruga_curve_def *def, ruga_curve **out) {
    const curve_guide guide = {trace_over_uvs, p, "they are on different pieces of the mesh"};
    TRY(curve_check_def(p->mesh, def));
    ruga_surface_point *points;
    TRY(NEW(p->context, &points, count));
    ruga_status status = find_all(p, uvs, count, def, points);
    if (!RUGA_FAILED(status)) status = curve_draw_guided(canvas, points, count, def, &guide, out);
    memory_release(p->context, points);
    return status;
}

ruga_status ruga_curve_from_uvs(const ruga_mesh *mesh, const double *uvs, size_t count, const ruga_curve_def *def,
                                ruga_curve **out) {
    uv_places places;
    curve_canvas canvas;
    TRY(curve_check_def(mesh, def));
    TRY(uv_places_make(mesh, &places));
    ruga_status status = curve_canvas_make(mesh, &canvas);
    if (!RUGA_FAILED(status)) status = curve_draw_uvs(&canvas, &places, uvs, count, def, out);
    curve_canvas_release(&canvas);
    uv_places_release(&places);
    return status;
}
