/* The fine surface of a sculpt: a cut mesh, refined where strokes need it.
 *
 * Refinement goes level by level: triangles whose level is not reached yet are cut into four. Levels of neighbours differ by at most one, so
 * that a triangle that only its neighbours cut (into two or three) is never cut again, and angles stay.
 *
 * New vertices are smoothed by the second-order umbrella of Kobbelt et al. 1998, p ← p - U²(p)/ν, ν = 1 + (1/n) Σ 1/n_j, since the middles of
 * edges lie inside of a curved surface; along normals only, since the plain umbrella also pulls vertices along the surface, and folds the thin
 * triangles beside a curve. Curves, borders and old vertices stay, and the nearer a vertex is to the border of all regions the less it
 * moves, so that nothing changes outside. */
#include <math.h>
#include <string.h>

#include "mesh/refine_free.h"
#include "wrinkle/sculpt.h"

enum { UMBRELLA_ROUNDS = 6 };
static const double pi = 3.14159265358979323846;

ruga_status sculpt_list_marked(ruga_context *context, const uint8_t *marks, size_t count, uint32_t **list,
                               size_t *list_count) {
    *list_count = 0;
    for (size_t i = 0; i < count; i++) *list_count += marks[i];
    *list = ALLOCATE(context, uint32_t, *list_count);
    if (!*list) return fail_memory(context, *list_count * sizeof **list);
    size_t filled = 0;
    for (uint32_t i = 0; i < count; i++)
        if (marks[i]) (*list)[filled++] = i;
    return RUGA_OK;
}

/* ---- One level. */

/* What is carried from level to level. */
typedef struct refiner {
    ruga_context *context;
    const ruga_mesh *mesh; /* so far; the cut's, then our own */
    const ruga_map *map;
    ruga_mesh *own_mesh;
    ruga_map *own_map;
    uint8_t *levels; /* (triangles of the mesh) how often each is still to be cut */
    topology *topo;
    free_cut cut;
} refiner;

static void release_mesh(refiner *r) {
    ruga_mesh_destroy(r->own_mesh);
    ruga_map_destroy(r->own_map);
    r->own_mesh = NULL;
    r->own_map = NULL;
}

static void release_cut(refiner *r) {
    void *all[] = {r->cut.edge_offsets, r->cut.edge_places, r->cut.inner_offsets, r->cut.child_offsets,
                   r->cut.children};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) memory_release(r->context, all[i]);
    r->cut = (free_cut){0};
    topology_destroy(r->topo);
    r->topo = NULL;
}

static ruga_status allocate_cut(refiner *r) {
    size_t triangles = r->mesh->triangle_count, edges = r->topo->edge_count;
    r->cut.topo = r->topo;
    r->cut.edge_offsets = ALLOCATE_ZEROED(r->context, uint32_t, edges + 1);
    r->cut.edge_places = ALLOCATE(r->context, double, edges);
    r->cut.inner_offsets = ALLOCATE_ZEROED(r->context, uint32_t, triangles + 1);
    r->cut.child_offsets = ALLOCATE_ZEROED(r->context, uint32_t, triangles + 1);
    r->cut.children = ALLOCATE(r->context, uint32_t, 12 * triangles);
    if (r->cut.edge_offsets && r->cut.edge_places && r->cut.inner_offsets && r->cut.child_offsets && r->cut.children)
        return RUGA_OK;
    return fail_memory(r->context, 12 * triangles * sizeof(uint32_t));
}

/* Neighbours across an edge get at least one level less. */
static void grade_levels(const topology *topo, uint8_t *levels) {
    for (int changed = 1; changed;) {
        changed = 0;
        for (size_t e = 0; e < topo->edge_count; e++) {
            int highest = 0;
            for (uint32_t i = topo->edge_offsets[e]; i < topo->edge_offsets[e + 1]; i++)
                highest = levels[topo->edge_triangles[i]] > highest ? levels[topo->edge_triangles[i]] : highest;
            for (uint32_t i = topo->edge_offsets[e]; i < topo->edge_offsets[e + 1]; i++)
                if (levels[topo->edge_triangles[i]] + 1 < highest) {
                    levels[topo->edge_triangles[i]] = (uint8_t)(highest - 1);
                    changed = 1;
                }
        }
    }
}

/* Edges of triangles that have levels to go get a point at their middle. */
static void cut_edges(refiner *r) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < r->topo->edge_count; e++) {
        int is_cut = 0;
        for (uint32_t i = r->topo->edge_offsets[e]; i < r->topo->edge_offsets[e + 1]; i++)
            is_cut |= r->levels[r->topo->edge_triangles[i]] > 0;
        if (is_cut) r->cut.edge_places[count++] = 0.5;
        r->cut.edge_offsets[e + 1] = count;
    }
}

/* The children of a triangle by its cut edges: bit k for edge k. Middles are local points 3, 4, … in the order of their edges. */
static uint32_t children_of(const refiner *r, size_t triangle, unsigned cut, uint32_t *out) {
    const uint32_t *v = r->mesh->triangles + 3 * triangle;
    uint32_t middle[3], next = 3;
    for (unsigned k = 0; k < 3; k++) middle[k] = cut >> k & 1 ? next++ : 0;
    if (cut == 7) {
        const uint32_t four[12] = {0, middle[0], middle[2], middle[0], 1,         middle[1],
                                   2, middle[2], middle[1], middle[0], middle[1], middle[2]};
        memcpy(out, four, sizeof four);
        return 4;
    }
    /* Turned so that a single cut edge is the first, and a single whole one the last. */
    uint32_t turn = cut == 0 || cut == 1 || cut == 3 ? 0 : cut == 2 || cut == 6 ? 1 : 2;
    uint32_t a = turn, b = (turn + 1) % 3, c = (turn + 2) % 3, first = middle[a], second = middle[b];
    if (cut == 0) {
        memcpy(out, (const uint32_t[3]){0, 1, 2}, 3 * sizeof *out);
        return 1;
    }
    if ((cut & (cut - 1)) == 0) {
        memcpy(out, (const uint32_t[6]){a, first, c, first, b, c}, 6 * sizeof *out);
        return 2;
    }
    /* The quadrilateral (a, first, second, c) by its shorter diagonal. */
    const vec3 *p = r->mesh->positions;
    vec3 at_first = vec3_mix(p[v[a]], p[v[b]], 0.5), at_second = vec3_mix(p[v[b]], p[v[c]], 0.5);
    memcpy(out, (const uint32_t[3]){first, b, second}, 3 * sizeof *out);
    if (vec3_distance(p[v[a]], at_second) < vec3_distance(at_first, p[v[c]]))
        memcpy(out + 3, (const uint32_t[6]){a, first, second, a, second, c}, 6 * sizeof *out);
    else
        memcpy(out + 3, (const uint32_t[6]){a, first, c, first, second, c}, 6 * sizeof *out);
    return 3;
}

static void cut_triangles(refiner *r) {
    for (size_t t = 0; t < r->mesh->triangle_count; t++) {
        unsigned cut = 0;
        for (unsigned k = 0; k < 3; k++)
            if (free_cut_edge_count(&r->cut, r->topo->triangle_edges[3 * t + k]) > 0) cut |= 1u << k;
        uint32_t begin = r->cut.child_offsets[t];
        r->cut.child_offsets[t + 1] = begin + children_of(r, t, cut, r->cut.children + 3 * (size_t)begin);
    }
}

/* Paths go through the middles of their edges. */
static ruga_status refine_path(const refiner *r, sculpt_path *path) {
    size_t count = 0, edges = path->closed ? path->count : path->count - 1;
    uint32_t *vertices = ALLOCATE(r->context, uint32_t, 2 * path->count);
    double *arcs = ALLOCATE_ZEROED(r->context, double, 2 * path->count);
    if (!vertices || !arcs) {
        memory_release(r->context, vertices);
        memory_release(r->context, arcs);
        return fail_memory(r->context, 2 * path->count * sizeof(double));
    }
    for (size_t i = 0; i < path->count; i++) {
        vertices[count] = path->vertices[i];
        arcs[count++] = path->arcs[i];
        if (i >= edges) continue;
        uint32_t e = topology_find_edge(r->topo, path->vertices[i], path->vertices[(i + 1) % path->count]);
        if (e == NO_INDEX || free_cut_edge_count(&r->cut, e) == 0) continue;
        double end = i + 1 < path->count ? path->arcs[i + 1] : path->length;
        vertices[count] = (uint32_t)(r->mesh->vertex_count + r->cut.edge_offsets[e]);
        arcs[count++] = 0.5 * (path->arcs[i] + end);
    }
    memory_release(r->context, path->vertices);
    memory_release(r->context, path->arcs);
    path->vertices = vertices;
    path->arcs = arcs;
    path->count = count;
    return RUGA_OK;
}

static ruga_status refine_levels(refiner *r, uint8_t **out) {
    size_t count = r->cut.child_offsets[r->mesh->triangle_count];
    uint8_t *levels = ALLOCATE(r->context, uint8_t, count);
    if (!levels) return fail_memory(r->context, count);
    for (size_t t = 0; t < r->mesh->triangle_count; t++)
        for (uint32_t i = r->cut.child_offsets[t]; i < r->cut.child_offsets[t + 1]; i++)
            levels[i] = r->levels[t] > 0 ? (uint8_t)(r->levels[t] - 1) : 0;
    *out = levels;
    return RUGA_OK;
}

/* Also with nothing to cut: the mesh becomes one of its own. */
static ruga_status refine_once(refiner *r, sculpt_path **paths, size_t path_count) {
    TRY(allocate_cut(r));
    cut_edges(r);
    cut_triangles(r);
    for (size_t i = 0; i < path_count; i++) TRY(refine_path(r, paths[i]));
    uint8_t *levels = NULL;
    ruga_mesh *mesh;
    ruga_map *step, *whole;
    TRY(refine_levels(r, &levels));
    memory_release(r->context, r->levels);
    r->levels = levels;
    TRY(free_cut_apply(r->mesh, &r->cut, &mesh, &step));
    ruga_status status = ruga_map_compose(step, r->map, &whole);
    ruga_map_destroy(step);
    if (RUGA_FAILED(status)) {
        ruga_mesh_destroy(mesh);
        return status;
    }
    release_mesh(r);
    r->mesh = r->own_mesh = mesh;
    r->map = r->own_map = whole;
    return RUGA_OK;
}

static int greatest_level(const refiner *r) {
    int greatest = 0;
    for (size_t t = 0; t < r->mesh->triangle_count; t++) greatest = r->levels[t] > greatest ? r->levels[t] : greatest;
    return greatest;
}

static ruga_status build_topology(refiner *r) {
    return topology_build(r->context, r->mesh->vertex_count, r->mesh->triangle_count, r->mesh->triangles, &r->topo);
}

static ruga_status refine_all(refiner *r, sculpt_path **paths, size_t path_count) {
    grade_levels(r->topo, r->levels);
    do {
        TRY(refine_once(r, paths, path_count));
        release_cut(r);
        TRY(build_topology(r));
    } while (greatest_level(r) > 0);
    return RUGA_OK;
}

/* ---- Normals. */

/* atan(x) for x of 0 to 1, within 2e-8: Chebyshev's polynomial of atan(x) / x in x². */
static double short_atan(double x) {
    static const double c[] = {0.99999998424263,  -0.33333066780687,  0.19992483578459,
                               -0.14202570511545, 0.10636754097864,   -0.074954454431686,
                               0.042587607465987, -0.016005030504602, 0.0028340642993135};
    double z = x * x, sum = c[8];
    for (int i = 8; i-- > 0;) sum = sum * z + c[i];
    return x * sum;
}

/* The angle whose sine and cosine are as these, sine >= 0. */
static double corner_angle(double sine, double cosine) {
    double size = fabs(cosine), greater = sine > size ? sine : size, lesser = sine > size ? size : sine;
    double angle = greater > 0 ? short_atan(lesser / greater) : 0;
    if (sine > size) angle = 0.5 * pi - angle;
    return cosine < 0 ? pi - angle : angle;
}

void sculpt_normals(const ruga_mesh *mesh, const vec3 *positions, const uint32_t *vertices, size_t count,
                    const uint32_t *triangles, size_t triangle_count, vec3 *sums, vec3 *normals) {
    for (size_t i = 0; i < count; i++) sums[vertices[i]] = (vec3){0, 0, 0};
    for (size_t i = 0; i < triangle_count; i++) {
        const uint32_t *v = mesh->triangles + 3 * (size_t)triangles[i];
        vec3 a = positions[v[0]], ab = vec3_sub(positions[v[1]], a), ac = vec3_sub(positions[v[2]], a);
        vec3 across = vec3_cross(ab, ac);
        double twice = vec3_length(across), along = vec3_dot(ab, ac);
        if (!(twice > 0)) continue;
        double first = corner_angle(twice, along), second = corner_angle(twice, vec3_length2(ab) - along);
        across = vec3_scale(across, 1 / twice);
        sums[v[0]] = vec3_add_scaled(sums[v[0]], across, first);
        sums[v[1]] = vec3_add_scaled(sums[v[1]], across, second);
        sums[v[2]] = vec3_add_scaled(sums[v[2]], across, pi - first - second);
    }
    for (size_t i = 0; i < count; i++) normals[vertices[i]] = vec3_normalise(sums[vertices[i]]);
}

/* ---- Smoothing. */

static size_t ring_size(const topology *topo, uint32_t v) { return topo->ring_offsets[v + 1] - topo->ring_offsets[v]; }

/* U(p): the mean of the ring minus the middle. */
static vec3 umbrella(const topology *topo, uint32_t v, const vec3 *p) {
    vec3 sum = {0, 0, 0};
    for (uint32_t i = topo->ring_offsets[v]; i < topo->ring_offsets[v + 1]; i++)
        sum = vec3_add(sum, p[topo->ring_vertices[i]]);
    size_t n = ring_size(topo, v);
    return n > 0 ? vec3_sub(vec3_scale(sum, 1 / (double)n), p[v]) : (vec3){0, 0, 0};
}

static double umbrella_weight(const topology *topo, uint32_t v) {
    double sum = 0;
    for (uint32_t i = topo->ring_offsets[v]; i < topo->ring_offsets[v + 1]; i++)
        sum += 1 / (double)ring_size(topo, topo->ring_vertices[i]);
    return 1 + sum / (double)ring_size(topo, v);
}

static void smooth(sculpt_surface *s, vec3 *p) {
    for (int round = 0; round < UMBRELLA_ROUNDS; round++) {
        for (size_t i = 0; i < s->ringed_count; i++) s->umbrellas[s->ringed[i]] = umbrella(s->topo, s->ringed[i], p);
        for (size_t i = 0; i < s->smoothed_count; i++) {
            uint32_t v = s->smoothed[i];
            double height = -vec3_dot(umbrella(s->topo, v, s->umbrellas), s->flat_normals[v]);
            p[v] = vec3_add_scaled(p[v], s->flat_normals[v], height / s->smoothed_weights[i]);
        }
    }
}

/* Smoothed vertices with their rings, and the triangles at them. */
static ruga_status list_rings(sculpt_surface *s, uint8_t *vertices, uint8_t *triangles) {
    const topology *topo = s->topo;
    for (size_t i = 0; i < s->smoothed_count; i++) {
        uint32_t v = s->smoothed[i];
        s->smoothed_weights[i] = umbrella_weight(topo, v);
        vertices[v] = 1;
        for (uint32_t e = topo->ring_offsets[v]; e < topo->ring_offsets[v + 1]; e++)
            vertices[topo->ring_vertices[e]] = 1;
        for (uint32_t e = topo->fan_offsets[v]; e < topo->fan_offsets[v + 1]; e++)
            triangles[topo->fan_triangles[e]] = 1;
    }
    TRY(sculpt_list_marked(s->context, vertices, s->mesh->vertex_count, &s->ringed, &s->ringed_count));
    return sculpt_list_marked(s->context, triangles, s->mesh->triangle_count, &s->smoothed_triangles,
                              &s->smoothed_triangle_count);
}

/* Vertices that came by refinement, inside, off the curves. */
static ruga_status list_smoothed(sculpt_surface *s, size_t cut_vertices) {
    uint8_t *marks = ALLOCATE_ZEROED(s->context, uint8_t, s->mesh->vertex_count + s->mesh->triangle_count);
    s->smoothed = ALLOCATE(s->context, uint32_t, s->mesh->vertex_count - cut_vertices);
    s->smoothed_weights = ALLOCATE(s->context, double, s->mesh->vertex_count - cut_vertices);
    ruga_status status = marks && s->smoothed && s->smoothed_weights
                             ? RUGA_OK
                             : fail_memory(s->context, s->mesh->vertex_count * sizeof(double));
    for (size_t l = 0; l < s->topo->loop_count; l++)
        for (uint32_t i = s->topo->loop_offsets[l]; i < s->topo->loop_offsets[l + 1]; i++)
            s->kept[s->topo->loop_vertices[i]] = 1;
    for (size_t v = cut_vertices; v < s->mesh->vertex_count && !RUGA_FAILED(status); v++)
        if (!s->kept[v]) s->smoothed[s->smoothed_count++] = (uint32_t)v;
    if (!RUGA_FAILED(status)) status = list_rings(s, marks, marks + s->mesh->vertex_count);
    memory_release(s->context, marks);
    return status;
}

void sculpt_surface_lay(sculpt_surface *s, const vec3 *original, vec3 *rest) {
    ruga_map_apply(s->map, original, s->flat);
    memcpy(rest, s->flat, s->mesh->vertex_count * sizeof *rest);
    sculpt_normals(s->mesh, s->flat, s->smoothed, s->smoothed_count, s->smoothed_triangles, s->smoothed_triangle_count,
                   s->umbrellas, s->flat_normals);
    smooth(s, rest);
    for (size_t i = 0; i < s->smoothed_count; i++) {
        uint32_t v = s->smoothed[i];
        rest[v] = s->shares[v] > 0 ? vec3_mix(s->flat[v], rest[v], s->shares[v]) : s->flat[v];
    }
}

/* ---- Making. */

static ruga_status allocate_surface(sculpt_surface *s) {
    size_t n = s->mesh->vertex_count;
    s->rest = ALLOCATE(s->context, vec3, n);
    s->rest_normals = ALLOCATE(s->context, vec3, n);
    s->normals = ALLOCATE(s->context, vec3, n);
    s->umbrellas = ALLOCATE_ZEROED(s->context, vec3, n);
    s->flat = ALLOCATE(s->context, vec3, n);
    s->flat_normals = ALLOCATE_ZEROED(s->context, vec3, n);
    s->shares = ALLOCATE_ZEROED(s->context, double, n);
    s->kept = ALLOCATE_ZEROED(s->context, uint8_t, n);
    int complete =
        s->rest && s->rest_normals && s->normals && s->umbrellas && s->flat && s->flat_normals && s->shares && s->kept;
    if (complete) return RUGA_OK;
    return fail_memory(s->context, n * sizeof(vec3));
}

static ruga_status finish_surface(sculpt_surface *s, sculpt_path **paths, size_t path_count, size_t cut_vertices,
                                  const vec3 *original) {
    TRY(allocate_surface(s));
    for (size_t i = 0; i < path_count; i++)
        for (size_t k = 0; k < paths[i]->count; k++) s->kept[paths[i]->vertices[k]] = 1;
    TRY(list_smoothed(s, cut_vertices));
    ruga_map_apply(s->map, original, s->flat);
    return sculpt_patch_of_new(s->mesh, s->map->columns, &s->renewed);
}

ruga_status sculpt_surface_make(const curve_cut *cut, const vec3 *original, const uint8_t *levels, topology *topo,
                                sculpt_path **paths, size_t path_count, sculpt_surface *out) {
    refiner r = {.context = cut->context, .mesh = cut->mesh, .map = cut->map, .topo = topo};
    *out = (sculpt_surface){.context = cut->context};
    r.levels = memory_copy(r.context, levels, r.mesh->triangle_count, 1);
    ruga_status status = r.levels ? refine_all(&r, paths, path_count) : fail_memory(r.context, r.mesh->triangle_count);
    if (!RUGA_FAILED(status)) {
        out->mesh = r.own_mesh;
        out->map = r.own_map;
        out->topo = r.topo;
        r.own_mesh = NULL;
        r.own_map = NULL;
        r.topo = NULL;
        status = finish_surface(out, paths, path_count, cut->mesh->vertex_count, original);
    }
    release_mesh(&r);
    release_cut(&r);
    memory_release(r.context, r.levels);
    if (RUGA_FAILED(status)) sculpt_surface_release(out);
    return status;
}

void sculpt_surface_release(sculpt_surface *s) {
    void *all[] = {s->ringed,
                   s->smoothed_triangles,
                   s->smoothed_weights,
                   s->rest,
                   s->rest_normals,
                   s->normals,
                   s->smoothed,
                   s->umbrellas,
                   s->flat,
                   s->flat_normals,
                   s->shares,
                   s->kept};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) memory_release(s->context, all[i]);
    sculpt_patch_release(s->context, &s->renewed);
    ruga_mesh_destroy(s->mesh);
    ruga_map_destroy(s->map);
    topology_destroy(s->topo);
    *s = (sculpt_surface){.context = s->context};
}
