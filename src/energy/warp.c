/* Warps from UVs and directions. */
#include "energy/warp.h"

#include "base/context.h"
#include "mesh/mesh.h"

#define LEAST_SINE 0.2      /* of the angle between a direction and a triangle's normal */
#define LEAST_UV_AREA 1e-12 /* of the squared length of a triangle's longest edge in UV */

static const ruga_attribute *uvs_of(const ruga_mesh *mesh) {
    const ruga_attribute *uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_CORNER);
    if (!uv) uv = ruga_mesh_attribute(mesh, "uv", RUGA_DOMAIN_VERTEX);
    return uv && uv->components >= 2 ? uv : NULL;
}

/* 0 where a corner has none. */
static int corner_uv(const ruga_mesh *mesh, const ruga_attribute *uv, size_t t, size_t k, double out[2]) {
    size_t element = uv->domain == RUGA_DOMAIN_CORNER ? mesh_triangle_corner(mesh, t, k) : mesh->triangles[3 * t + k];
    if (uv->indices && uv->indices[element] == UINT32_MAX) return 0;
    out[0] = ruga_attribute_get(uv, element, 0);
    out[1] = ruga_attribute_get(uv, element, 1);
    return isfinite(out[0]) && isfinite(out[1]);
}

static void triangle_edges(const ruga_mesh *mesh, size_t t, vec3 *a, vec3 *b) {
    const uint32_t *c = mesh->triangles + 3 * t;
    *a = vec3_sub(mesh->positions[c[1]], mesh->positions[c[0]]);
    *b = vec3_sub(mesh->positions[c[2]], mesh->positions[c[0]]);
}

/* dX/du; zero where the triangle has no area in UV. */
static vec3 along_u(const ruga_mesh *mesh, const ruga_attribute *uv, size_t t) {
    double p[3][2];
    for (size_t k = 0; k < 3; k++)
        if (!corner_uv(mesh, uv, t, k, p[k])) return (vec3){0, 0, 0};
    double au = p[1][0] - p[0][0], av = p[1][1] - p[0][1], bu = p[2][0] - p[0][0], bv = p[2][1] - p[0][1];
    double area = au * bv - av * bu;
    double longest = fmax(fmax(au * au + av * av, bu * bu + bv * bv), (bu - au) * (bu - au) + (bv - av) * (bv - av));
    if (!(fabs(area) > LEAST_UV_AREA * longest)) return (vec3){0, 0, 0};
    vec3 a, b;
    triangle_edges(mesh, t, &a, &b);
    return vec3_normalise(vec3_scale(vec3_add_scaled(vec3_scale(a, bv), b, -av), area > 0 ? 1 : -1));
}

/* The part of the first of these directions that lies enough in the plane of the triangle; adds to `crossed` if that is
 * not the wanted one. */
static vec3 in_plane(const ruga_mesh *mesh, size_t t, vec3 direction, size_t *crossed) {
    const vec3 candidates[4] = {direction, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    vec3 a, b;
    triangle_edges(mesh, t, &a, &b);
    vec3 normal = vec3_normalise(vec3_cross(a, b));
    for (int k = 0; k < 4; k++) {
        vec3 part = vec3_add_scaled(candidates[k], normal, -vec3_dot(candidates[k], normal));
        *crossed += k == 1;
        if (vec3_length(part) > LEAST_SINE) return vec3_normalise(part);
    }
    return vec3_normalise(a);
}

ruga_status warp_of_mesh(const ruga_mesh *mesh, vec3 direction, vec3 *out, warp_report *report) {
    const ruga_attribute *uv = uvs_of(mesh);
    int given = !isnan(direction.x);
    if (given && !(vec3_length(direction) > 0 && vec3_is_finite(direction)))
        return fail_with(mesh->context, RUGA_ERROR_INPUT,
                         "the direction of the warp is %g, %g, %g; give one with a finite length other than 0",
                         direction.x, direction.y, direction.z);
    *report = (warp_report){.source = given ? WARP_FROM_DIRECTION : uv ? WARP_FROM_UVS : WARP_BY_DEFAULT};
    vec3 wanted = given ? vec3_normalise(direction) : (vec3){0, 1, 0};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        out[t] = report->source == WARP_FROM_UVS ? along_u(mesh, uv, t) : (vec3){0, 0, 0};
        if (vec3_length2(out[t]) > 0) continue;
        out[t] = in_plane(mesh, t, wanted, &report->crossed);
        if (report->source == WARP_FROM_UVS && report->repaired++ == 0) report->first_repaired = t;
    }
    return RUGA_OK;
}
