/* Paths over a surface: see surface_path.h. */
#include "geom/surface_path.h"

#include <string.h>

#include "geom/shortest_path.h"
#include "mesh/mesh.h"

/* A section longer than this times the straight distance is a detour. */
#define MAX_DETOUR 3.0

/* ---- Making. */

ruga_status tracer_make(const ruga_mesh *mesh, tracer *out) {
    *out = (tracer){.context = mesh->context, .mesh = mesh};
    ruga_status status = topology_build_mesh(mesh, &out->topo);
    if (!RUGA_FAILED(status)) status = NEW(mesh->context, &out->costs, mesh->triangle_count);
    if (!RUGA_FAILED(status)) status = NEW(mesh->context, &out->parents, mesh->triangle_count);
    if (RUGA_FAILED(status)) tracer_release(out);
    return status;
}

void tracer_release(tracer *t) {
    topology_destroy(t->topo);
    RELEASE_ALL(t->context, t->costs, t->parents);
    ARRAY_RELEASE(t->context, &t->queue);
    ARRAY_RELEASE(t->context, &t->row);
    ARRAY_RELEASE(t->context, &t->spare);
    ARRAY_RELEASE(t->context, &t->gates);
    ARRAY_RELEASE(t->context, &t->bends);
    *t = (tracer){.context = t->context};
}

/* ---- Points. */

vec3 surface_point_at(const ruga_mesh *mesh, const ruga_vec3 *positions, ruga_surface_point point) {
    const uint32_t *v = mesh->triangles + 3 * (size_t)point.triangle;
    const vec3 *p = positions ? positions : mesh->positions;
    vec3 at = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        if (point.weights[k] != 0) at = vec3_add_scaled(at, p[v[k]], point.weights[k]);
    return at;
}

static vec3 at_rest(const tracer *t, ruga_surface_point point) { return surface_point_at(t->mesh, NULL, point); }

/* The vertices with a positive weight; NO_INDEX for the others. */
static void weighted_vertices(const tracer *t, ruga_surface_point point, uint32_t vertices[3]) {
    for (int k = 0; k < 3; k++)
        vertices[k] = point.weights[k] > 0 ? t->mesh->triangles[3 * (size_t)point.triangle + (size_t)k] : NO_INDEX;
}

int triangle_has_point(const tracer *t, uint32_t triangle, ruga_surface_point point) {
    if (triangle == point.triangle) return 1;
    uint32_t vertices[3];
    weighted_vertices(t, point, vertices);
    const uint32_t *v = t->mesh->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; k++)
        if (vertices[k] != NO_INDEX && v[0] != vertices[k] && v[1] != vertices[k] && v[2] != vertices[k]) return 0;
    return 1;
}

int surface_point_same(const tracer *t, ruga_surface_point a, ruga_surface_point b) {
    for (int k = 0; k < 3; k++) {
        uint32_t vertex = t->mesh->triangles[3 * (size_t)a.triangle + (size_t)k];
        double there = 0;
        for (int j = 0; j < 3; j++)
            if (t->mesh->triangles[3 * (size_t)b.triangle + (size_t)j] == vertex) there = b.weights[j];
        if (a.weights[k] != there) return 0;
        if (a.weights[k] > 0 && a.weights[(k + 1) % 3] > 0 && a.weights[(k + 2) % 3] > 0 && a.triangle != b.triangle)
            return 0;
    }
    return 1;
}

ruga_surface_point surface_point_in(const tracer *t, uint32_t triangle, ruga_surface_point point) {
    ruga_surface_point out = {triangle, {0, 0, 0}};
    if (triangle == point.triangle) return point;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            if (t->mesh->triangles[3 * (size_t)triangle + (size_t)k] ==
                t->mesh->triangles[3 * (size_t)point.triangle + (size_t)j])
                out.weights[k] = point.weights[j];
    return out;
}

ruga_surface_point trace_edge_point(uint32_t triangle, int k, double part) {
    ruga_surface_point point = {triangle, {0, 0, 0}};
    point.weights[k] = 1 - part;
    point.weights[(k + 1) % 3] = part;
    return point;
}

uint32_t trace_across(const tracer *t, uint32_t triangle, int k) {
    uint32_t edge = t->topo->triangle_edges[3 * (size_t)triangle + (size_t)k];
    uint32_t begin = t->topo->edge_offsets[edge];
    if (t->topo->edge_offsets[edge + 1] - begin != 2) return NO_INDEX;
    return t->topo->edge_triangles[begin] == triangle ? t->topo->edge_triangles[begin + 1]
                                                      : t->topo->edge_triangles[begin];
}

ruga_status trace_append(tracer *t, surface_point_array *path, ruga_surface_point point) {
    if (path->count > 0 && surface_point_same(t, path->items[path->count - 1], point)) return RUGA_OK;
    return ARRAY_ADD(t->context, path, point);
}

/* ---- Sections. */

typedef struct section {
    vec3 point, normal, forward;
    const ruga_vec3 *corners; /* as in trace_guide */
    double limit;             /* greatest length */
    double slack;             /* distances from the plane below this are rounding errors */
} section;

static vec3 corner_place(const tracer *t, const ruga_vec3 *corners, uint32_t triangle, int k) {
    size_t corner = 3 * (size_t)triangle + (size_t)k;
    return corners ? corners[corner] : t->mesh->positions[t->mesh->triangles[corner]];
}

static vec3 place_of(const tracer *t, const ruga_vec3 *corners, ruga_surface_point point) {
    vec3 at = {0, 0, 0};
    if (!corners) return at_rest(t, point);
    for (int k = 0; k < 3; k++)
        at = vec3_add_scaled(at, corners[3 * (size_t)point.triangle + (size_t)k], point.weights[k]);
    return at;
}

/* The crossing of edge k of a triangle with the plane; 0 when both ends are on one side. Points on the plane count as
 * above. */
static int crosses(const tracer *t, const section *s, uint32_t triangle, int k, ruga_surface_point *out) {
    double a = vec3_dot(vec3_sub(corner_place(t, s->corners, triangle, k), s->point), s->normal);
    double b = vec3_dot(vec3_sub(corner_place(t, s->corners, triangle, (k + 1) % 3), s->point), s->normal);
    if ((a >= -s->slack) == (b >= -s->slack)) return 0;
    *out = trace_edge_point(triangle, k, fmin(1, fmax(0, a / (a - b))));
    return 1;
}

/* Whether the vertices of a point on the border of two triangles have the same positions in both. */
static int places_agree(const tracer *t, const ruga_vec3 *corners, uint32_t triangle, ruga_surface_point point) {
    if (!corners) return 1;
    const uint32_t *there = t->mesh->triangles + 3 * (size_t)triangle;
    const uint32_t *here = t->mesh->triangles + 3 * (size_t)point.triangle;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) {
            if (!(point.weights[k] > 0) || there[j] != here[k]) continue;
            vec3 a = corner_place(t, corners, point.triangle, k), b = corner_place(t, corners, triangle, j);
            if (a.x != b.x || a.y != b.y || a.z != b.z) return 0;
        }
    return 1;
}

/* Follows the plane from an edge of a triangle until a triangle contains `to`, or the section closes. */
static ruga_status follow_section(tracer *t, const section *s, uint32_t first, int k, ruga_surface_point to,
                                  surface_point_array *path, int *found) {
    ruga_surface_point at;
    vec3 before = s->point;
    uint32_t triangle = first;
    double length = 0;
    *found = 0;
    while (k < 3 && crosses(t, s, triangle, k, &at)) {
        vec3 now = place_of(t, s->corners, at);
        length += vec3_distance(before, now);
        before = now;
        if (length > s->limit) return RUGA_OK;
        TRY(trace_append(t, path, at));
        uint32_t next = trace_across(t, triangle, k);
        if (next == NO_INDEX && !s->corners) t->is_blocked = 1, t->blocked_at = now;
        if (next == NO_INDEX || !places_agree(t, s->corners, next, trace_edge_point(triangle, k, 0.5))) return RUGA_OK;
        if (triangle_has_point(t, next, to)) {
            *found = 1;
            return trace_append(t, path, to);
        }
        if (next == first) return RUGA_OK;
        uint32_t entry = t->topo->triangle_edges[3 * (size_t)triangle + (size_t)k];
        triangle = next;
        for (k = 0; k < 3; k++)
            if (t->topo->triangle_edges[3 * (size_t)triangle + (size_t)k] != entry && crosses(t, s, triangle, k, &at))
                break;
    }
    return RUGA_OK;
}

void trace_triangles_of(const tracer *t, const ruga_surface_point *point, const uint32_t **triangles, size_t *count) {
    uint32_t vertices[3], only[2];
    weighted_vertices(t, *point, vertices);
    size_t shared = 0;
    for (int k = 0; k < 3; k++)
        if (vertices[k] != NO_INDEX && shared++ < 2) only[shared - 1] = vertices[k];
    *triangles = &point->triangle;
    *count = 1;
    const topology *topo = t->topo;
    if (shared == 1) {
        *triangles = topo->fan_triangles + topo->fan_offsets[only[0]];
        *count = topo->fan_offsets[only[0] + 1] - topo->fan_offsets[only[0]];
    } else if (shared == 2) {
        uint32_t edge = topology_find_edge(topo, only[0], only[1]);
        *triangles = topo->edge_triangles + topo->edge_offsets[edge];
        *count = topology_edge_size(topo, edge);
    }
}

/* Starts through the edge around `from` that lies most in the direction of `to`. */
static ruga_status trace_side(tracer *t, const section *s, ruga_surface_point from, ruga_surface_point to,
                              surface_point_array *path, int *found) {
    const uint32_t *triangles;
    size_t count, kept = path->count;
    uint32_t start = NO_INDEX;
    int start_edge = 0;
    double best = 0;
    *found = 0;
    trace_triangles_of(t, &from, &triangles, &count);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            ruga_surface_point at;
            if (!places_agree(t, s->corners, triangles[i], from) || !crosses(t, s, triangles[i], k, &at)) continue;
            double forward = vec3_dot(vec3_sub(place_of(t, s->corners, at), s->point), s->forward);
            if (!(forward > best)) continue;
            start = triangles[i];
            start_edge = k;
            best = forward;
        }
    if (start == NO_INDEX) return RUGA_OK;
    TRY(follow_section(t, s, start, start_edge, to, path, found));
    if (!*found) path->count = kept;
    return RUGA_OK;
}

/* Along a border, or in a valley, the plane may touch the surface from one side only: both orientations are tried. */
static ruga_status trace_section(tracer *t, const section *s, ruga_surface_point from, ruga_surface_point to,
                                 surface_point_array *path, int *found) {
    TRY(trace_side(t, s, from, to, path, found));
    if (*found) return RUGA_OK;
    section other = *s;
    other.normal = vec3_scale(s->normal, -1);
    return trace_side(t, &other, from, to, path, found);
}

/* Rounding errors grow with the distance between the points and with the distance from the origin. */
static double slack_of(vec3 from, vec3 along) { return 1e-12 * vec3_length(along) + 4e-16 * vec3_length(from); }

/* The mean normal of all triangles that contain the point. */
static vec3 point_normal(const tracer *t, ruga_surface_point point) {
    const uint32_t *triangles;
    const vec3 *p = t->mesh->positions;
    size_t count;
    vec3 sum = {0, 0, 0};
    trace_triangles_of(t, &point, &triangles, &count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *v = t->mesh->triangles + 3 * (size_t)triangles[i];
        vec3 across = vec3_cross(vec3_sub(p[v[1]], p[v[0]]), vec3_sub(p[v[2]], p[v[0]]));
        sum = vec3_add(sum, vec3_normalise(across));
    }
    return vec3_normalise(sum);
}

/* ---- Both. */

uint32_t trace_shared_triangle(const tracer *t, ruga_surface_point a, ruga_surface_point b, uint32_t like) {
    const uint32_t *triangles;
    size_t count;
    if (like != NO_INDEX && triangle_has_point(t, like, a) && triangle_has_point(t, like, b)) return like;
    trace_triangles_of(t, &a, &triangles, &count);
    for (size_t i = 0; i < count; i++)
        if (triangle_has_point(t, triangles[i], b)) return triangles[i];
    return NO_INDEX;
}

ruga_status trace_path(tracer *t, ruga_surface_point from, ruga_surface_point to, surface_point_array *path,
                       int *found) {
    t->is_blocked = 0;
    *found = trace_shared_triangle(t, from, to, NO_INDEX) != NO_INDEX;
    if (*found) return trace_append(t, path, to);
    vec3 a = at_rest(t, from), along = vec3_sub(at_rest(t, to), a);
    vec3 normal = vec3_normalise(vec3_cross(along, vec3_add(point_normal(t, from), point_normal(t, to))));
    section s = {a, normal, along, NULL, MAX_DETOUR * vec3_length(along), slack_of(a, along)};
    TRY(trace_section(t, &s, from, to, path, found));
    if (*found) t->is_blocked = 0;
    return *found ? RUGA_OK : trace_shortest(t, from, to, path, found);
}

ruga_status trace_guided(tracer *t, const trace_guide *guide, ruga_surface_point from, ruga_surface_point to,
                         surface_point_array *path, int *found) {
    *found = trace_shared_triangle(t, from, to, NO_INDEX) != NO_INDEX;
    if (*found) return trace_append(t, path, to);
    /* Forward is the direction of the path as seen along the guide's direction. */
    vec3 a = place_of(t, guide->corners, from), along = vec3_sub(place_of(t, guide->corners, to), a);
    vec3 direction = vec3_normalise(guide->direction);
    vec3 forward = vec3_add_scaled(along, direction, -vec3_dot(along, direction));
    vec3 normal = vec3_normalise(vec3_cross(along, direction));
    section s = {a, normal, forward, guide->corners, INFINITY, slack_of(a, along)};
    return trace_section(t, &s, from, to, path, found);
}
