/* Extensions of the paper's lengths and points: crests along a painted direction, and planes of the base triangles
 * around (section 4.2).
 *
 * Direction. With C = FᵀF of the base triangle at a fine edge, an edge of rest length l along the unit vector u has a
 * surplus of l² uᵀ S u, S = s² - C, over the base. Crests along d use the surplus across d only. So the part across is
 * kept, u_⊥² S_⊥⊥, and the rest is removed by `weight`:
 *
 *     length² = (1 - weight) (s l)² + weight (|a_j - a_i|² + u_⊥² (s² - C_⊥⊥) l²)
 */
#include <float.h>
#include <math.h>

#include "base/threads.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "solve/sweeps_point.h"
#include "wrinkle/wrinkle_mesh.h"

#define LEAST_LENGTH 0.1f /* of the rest length */
#define PLANE_ROUNDS 4
#define ON_PLANE 1e-6f /* of the base's size: heights that rounding may cause */
#define PI 3.14159265358979323846

/* ---- Directions. */

/* The directions in which u and v of the texture grow on a fine triangle, m; 0 where the texture has no area there. */
static int texture_axes(const ruga_wrinkle_mesh *w, const ruga_attribute *uv, size_t triangle, vec3 axes[2]) {
    const uint32_t *corner = w->fine->triangles + 3 * triangle;
    double u[3], v[3];
    for (size_t k = 0; k < 3; k++) {
        size_t element = uv->domain == RUGA_DOMAIN_CORNER ? mesh_triangle_corner(w->fine, triangle, k) : corner[k];
        u[k] = ruga_attribute_get(uv, element, 0);
        v[k] = ruga_attribute_get(uv, element, 1);
    }
    vec3 p = w->fine->positions[corner[0]];
    vec3 e = vec3_sub(w->fine->positions[corner[1]], p), f = vec3_sub(w->fine->positions[corner[2]], p);
    double eu = u[1] - u[0], ev = v[1] - v[0], fu = u[2] - u[0], fv = v[2] - v[0], area = eu * fv - ev * fu;
    if (!(fabs(area) > 0)) return 0;
    axes[0] = vec3_normalise(vec3_scale(vec3_sub(vec3_scale(e, fv), vec3_scale(f, ev)), 1 / area));
    axes[1] = vec3_normalise(vec3_scale(vec3_sub(vec3_scale(f, eu), vec3_scale(e, fu)), 1 / area));
    return 1;
}

/* The texture's axes at a length along or across an edge, on the first triangle at the edge that has them. */
static int find_axes(const ruga_wrinkle_mesh *w, const ruga_attribute *uv, size_t edge, vec3 axes[2]) {
    for (uint32_t k = w->topo->edge_offsets[edge]; k < w->topo->edge_offsets[edge + 1]; k++)
        if (texture_axes(w, uv, w->topo->edge_triangles[k], axes)) return 1;
    return 0;
}

/* Projects a vector to the plane of a base triangle at rest, as a unit vector; 0 when it is along the normal. */
static int in_plane(const ruga_wrinkle_mesh *w, uint32_t triangle, vec3 v, float out[2]) {
    const float *frame = w->frames + 9 * (size_t)triangle;
    double x = v.x * (double)frame[0] + v.y * (double)frame[1] + v.z * (double)frame[2];
    double y = v.x * (double)frame[3] + v.y * (double)frame[4] + v.z * (double)frame[5];
    double length = hypot(x, y);
    if (!(length > 0)) return 0;
    out[0] = (float)(x / length);
    out[1] = (float)(y / length);
    return 1;
}

/* A length without texture or extent has a rest of 0, and is not changed. */
static wrinkle_course make_course(const ruga_wrinkle_mesh *w, const ruga_attribute *uv, uint32_t a, uint32_t b,
                                  size_t edge, float rest) {
    wrinkle_course course = {.ends = {a, b}, .triangle = w->triangles[a]};
    vec3 axes[2], along = vec3_sub(w->fine->positions[b], w->fine->positions[a]);
    if (!find_axes(w, uv, edge, axes) || !in_plane(w, course.triangle, axes[0], course.axes[0]) ||
        !in_plane(w, course.triangle, axes[1], course.axes[1]) || !in_plane(w, course.triangle, along, course.along))
        return course;
    course.rest = rest;
    return course;
}

static int has_direction(const ruga_wrinkle_mesh *w) {
    const ruga_param *weight = &w->def.direction_weight;
    if (w->spare.block && weight->kind == RUGA_PARAM_KEYS && weight->key_count > 1) return 1;
    for (size_t v = 0; v < w->fine->vertex_count; v++)
        if (WRINKLE_VALUE(w, direction_weight)[v] > 0) return 1;
    return 0;
}

ruga_status wrinkle_courses_create(ruga_wrinkle_mesh *w) {
    if (!has_direction(w)) return RUGA_OK;
    const ruga_attribute *uv = ruga_mesh_attribute(w->fine, "uv", RUGA_DOMAIN_CORNER);
    if (!uv) uv = ruga_mesh_attribute(w->fine, "uv", RUGA_DOMAIN_VERTEX);
    if (!uv || uv->components < 2)
        return fail_input(
            w->context,
            "wrinkle mesh: direction_weight is above 0, but the fine mesh has no UVs to measure directions in; "
            "give it an attribute \"uv\", or set direction_weight to 0");
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->courses, w->length_count));
    const topology *topo = w->topo;
    for (size_t e = 0; e < topo->edge_count; e++) {
        const uint32_t *end = topo->edge_vertices + 2 * e;
        w->courses[e] = make_course(w, uv, end[0], end[1], e, w->edge_rests[e]);
    }
    for (size_t k = topo->edge_count; k < w->length_count; k++) {
        const uint32_t *pair = topo->pairs + 4 * (k - topo->edge_count);
        size_t edge = topology_find_edge(topo, pair[0], pair[1]);
        w->courses[k] = make_course(w, uv, pair[2], pair[3], edge, w->bend_rests[k - topo->edge_count]);
    }
    return RUGA_OK;
}

void wrinkle_courses_fill(ruga_wrinkle_mesh *w) {
    for (size_t k = 0; w->courses && k < w->length_count; k++) {
        wrinkle_course *course = &w->courses[k];
        const uint32_t a = course->ends[0], b = course->ends[1];
        /* Directions have no sign: angles are averaged as lines. */
        double p = WRINKLE_VALUE(w, direction)[a] * PI / 90, q = WRINKLE_VALUE(w, direction)[b] * PI / 90;
        double angle = 0.5 * atan2(sin(p) + sin(q), cos(p) + cos(q)), c = cos(angle), s = sin(angle);
        double x = c * (double)course->axes[0][0] + s * (double)course->axes[1][0];
        double y = c * (double)course->axes[0][1] + s * (double)course->axes[1][1], length = hypot(x, y);
        course->weight =
            course->rest > 0 && length > 0
                ? (float)(0.5 * (WRINKLE_VALUE(w, direction_weight)[a] + WRINKLE_VALUE(w, direction_weight)[b]))
                : 0;
        course->across[0] = length > 0 ? (float)(-y / length) : 0;
        course->across[1] = length > 0 ? (float)(x / length) : 0;
        float share = course->along[0] * course->across[0] + course->along[1] * course->across[1];
        course->share = share * share;
        course->asked = w->springs ? w->springs[k].length : w->constraints[k].length;
    }
}

static float course_length(const ruga_wrinkle_mesh *w, const wrinkle_course *course) {
    const float *p = w->anchors + 4 * (size_t)w->slots[course->ends[0]];
    const float *q = w->anchors + 4 * (size_t)w->slots[course->ends[1]];
    const wrinkle_strain strain = w->strains[course->triangle];
    const float x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2], *across = course->across;
    float squeezed =
        strain.xx * across[0] * across[0] + 2 * strain.xy * across[0] * across[1] + strain.yy * across[1] * across[1];
    float asked = course->asked * course->asked, rest = course->rest * course->rest;
    float current = (x * x + y * y) + z * z;
    float squared =
        (1 - course->weight) * asked + course->weight * (current + course->share * (asked - squeezed * rest));
    float least = LEAST_LENGTH * course->asked;
    return squared > least * least ? sqrtf(squared) : least;
}

static void store_lengths(void *argument, size_t begin, size_t end) {
    const ruga_wrinkle_mesh *w = argument;
    for (size_t k = begin; k < end; k++) {
        const wrinkle_course *course = &w->courses[k];
        if (!(course->weight > 0)) continue;
        float length = course_length(w, course);
        if (w->springs)
            w->springs[k].length = length;
        else
            w->constraints[k].length = length;
    }
}

void wrinkle_courses_update(ruga_wrinkle_mesh *w) {
    if (!w->courses) return;
    parallel_for(w->context, w->length_count, WRINKLE_BLOCK, store_lengths, w);
    wrinkle_terms_hand_over(w);
}

/* ---- Planes of the base triangles around. */

/* Base triangles that share a vertex with each. */
static ruga_status find_arounds(ruga_wrinkle_mesh *w, const topology *topo) {
    ruga_context *context = w->context;
    const size_t count = topo->triangle_count;
    TRY(NEW_ALIGNED_ZEROED(context, &w->around_offsets, count + 1));
    uint32_t *seen = NULL;
    TRY(NEW_ALIGNED_ZEROED(context, &seen, count));
    ruga_status status = RUGA_OK;
    for (int pass = 0; pass < 2 && !RUGA_FAILED(status); pass++) {
        size_t total = 0;
        for (size_t t = 0; t < count; t++) {
            seen[t] = (uint32_t)(2 * t + (size_t)pass + 1);
            for (size_t k = 0; k < 3; k++) {
                uint32_t corner = w->base->triangles[3 * t + k];
                for (uint32_t f = topo->fan_offsets[corner]; f < topo->fan_offsets[corner + 1]; f++) {
                    uint32_t other = topo->fan_triangles[f];
                    if (seen[other] == seen[t]) continue;
                    seen[other] = seen[t];
                    if (pass) w->arounds[total] = other;
                    total++;
                }
            }
            w->around_offsets[t + 1] = (uint32_t)total;
        }
        if (!pass) status = NEW_ALIGNED_ZEROED(context, &w->arounds, total);
    }
    memory_release_aligned(context, seen);
    return status;
}

ruga_status wrinkle_planes_create(ruga_wrinkle_mesh *w) {
    if (w->def.side != RUGA_WRINKLE_NEIGHBOURHOOD) return RUGA_OK;
    topology *topo = NULL;
    TRY(topology_build(w->context, w->base->vertex_count, w->base->triangle_count, w->base->triangles, &topo));
    ruga_status status = find_arounds(w, topo);
    topology_destroy(topo);
    TRY(status);
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->plane_offsets, w->slot_count + 1));
    for (size_t i = 0; i <= w->slot_count; i++) w->plane_offsets[i] = (uint32_t)(WRINKLE_PLANES * i);
    return NEW_ALIGNED_ZEROED(w->context, &w->planes, 4 * WRINKLE_PLANES * w->slot_count);
}

/* p . n - d of a plane. */
static float height_above(const float *plane, const float *p) {
    return ((plane[0] * p[0] + plane[1] * p[1]) + plane[2] * p[2]) - plane[3];
}

/* m, height of a point over a base triangle's plane, and that plane. */
static float height_over(const ruga_wrinkle_mesh *w, uint32_t triangle, const float *point, float plane[4]) {
    const float *normal = w->frames + 9 * (size_t)triangle + 6;
    const float *corner = w->base_points + 4 * (size_t)w->base->triangles[3 * (size_t)triangle];
    for (int k = 0; k < 3; k++) plane[k] = normal[k];
    plane[3] = (normal[0] * corner[0] + normal[1] * corner[1]) + normal[2] * corner[2];
    return height_above(plane, point);
}

/* Inserts a plane among those of a point, the nearest first; the last one is dropped. */
static void put_plane(float planes[WRINKLE_PLANES][4], float heights[WRINKLE_PLANES], const float plane[4],
                      float height) {
    int k = WRINKLE_PLANES - 1;
    if (!(height < heights[k])) return;
    for (; k > 1 && height < heights[k - 1]; k--) {
        heights[k] = heights[k - 1];
        for (int x = 0; x < 4; x++) planes[k][x] = planes[k - 1][x];
    }
    heights[k] = height;
    for (int x = 0; x < 4; x++) planes[k][x] = plane[x];
}

/* Whether a triangle rises above a plane. */
static int rises_above(const ruga_wrinkle_mesh *w, uint32_t triangle, const float *plane, float tolerance) {
    for (size_t k = 0; k < 3; k++) {
        const float *corner = w->base_points + 4 * (size_t)w->base->triangles[3 * (size_t)triangle + k];
        if (height_above(plane, corner) > tolerance) return 1;
    }
    return 0;
}

/* The plane of its own triangle is first. Of the planes around, those count that have the anchor on their outer side
 * and within its radius: the base is bent towards the point there (an anchor on an edge is on both planes; then the
 * plane counts if its triangle rises from the own one). An anchor inside a plane lowers that to its own height, so that
 * there is always room. */
static void store_planes(void *argument, size_t begin, size_t end) {
    ruga_wrinkle_mesh *w = argument;
    const float tolerance = ON_PLANE * w->extent;
    for (size_t i = begin; i < end; i++) {
        const float *anchor = w->anchors + 4 * i, radius = anchor[3];
        const uint32_t own = w->triangles[i];
        float(*planes)[4] = (float(*)[4])(w->planes + 4 * WRINKLE_PLANES * i), heights[WRINKLE_PLANES], plane[4];
        for (int k = 0; k < WRINKLE_PLANES; k++) {
            heights[k] = radius;
            planes[k][0] = planes[k][1] = planes[k][2] = 0;
            planes[k][3] = -FLT_MAX;
        }
        if (isinf(radius)) continue;
        float height = height_over(w, own, anchor, planes[0]);
        planes[0][3] += height < 0 ? height : 0;
        for (uint32_t k = w->around_offsets[own]; k < w->around_offsets[own + 1]; k++) {
            height = height_over(w, w->arounds[k], anchor, plane);
            if (height < -tolerance || (height <= tolerance && !rises_above(w, w->arounds[k], planes[0], tolerance)))
                continue;
            plane[3] += height < 0 ? height : 0;
            put_plane(planes, heights, plane, height);
        }
    }
}

void wrinkle_planes_update(ruga_wrinkle_mesh *w) {
    if (w->planes) parallel_for(w->context, w->slot_count, WRINKLE_BLOCK, store_planes, w);
}

/* Projections onto one plane after the other converge to a point outside of all. A point that is still inside of one
 * after some rounds moves towards its anchor, which is outside of all. So do points that may move along normals
 * only. */
static void meet_planes(void *argument, size_t begin, size_t end) {
    const ruga_wrinkle_mesh *w = argument;
    for (size_t i = begin; i < end; i++) {
        const float *planes = w->planes + 4 * WRINKLE_PLANES * i, *anchor = w->anchors + 4 * i;
        float *p = w->points + 4 * i, part = 1;
        if (w->def.normal_only) sweep_limit_line(anchor, w->anchor_normals + 4 * i, 0, p);
        for (int k = 0; !w->def.normal_only && k < PLANE_ROUNDS * WRINKLE_PLANES; k++) {
            const float *plane = planes + 4 * (k % WRINKLE_PLANES), height = height_above(plane, p);
            for (int x = 0; height < 0 && x < 3; x++) p[x] -= height * plane[x];
        }
        for (int k = 0; k < WRINKLE_PLANES; k++) {
            float height = height_above(planes + 4 * k, p), room = height_above(planes + 4 * k, anchor);
            if (height < 0 && room < part * (room - height)) part = room > 0 ? room / (room - height) : 0;
        }
        for (int x = 0; part < 1 && x < 3; x++) p[x] = anchor[x] + part * (p[x] - anchor[x]);
    }
}

void wrinkle_planes_meet(ruga_wrinkle_mesh *w) {
    if (w->planes) parallel_for(w->context, w->slot_count, WRINKLE_BLOCK, meet_planes, w);
}
