#include "geom/hard_edges.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/sets.h"

#define SPLIT_COSINE 0.996     /* of 5 degrees: normals that differ by less are one, up to the precision of files */
#define FLAT_COSINE (1 - 5e-7) /* of 0.001 rad: edges that turn by less do not bend */
#define STRAIGHT_COSINE -0.5   /* of two hard edges at a vertex: sharper turns are corners */

void hard_edges_release(ruga_context *context, hard_edges *edges) {
    topology_destroy(edges->topo);
    RELEASE_ALL(context, edges->hard, edges->corners, edges->whole, edges->triangles, edges->origin, edges->lowest);
    *edges = (hard_edges){0};
}

/* ---- Which edges are hard. */

typedef struct edge_judge {
    const ruga_mesh *mesh;
    const ruga_attribute *normals; /* of corners or vertices, or NULL */
    const uint32_t *lowest;
    double cosine;
} edge_judge;

static vec3 triangle_normal(const ruga_mesh *mesh, size_t t) {
    const uint32_t *v = mesh->triangles + 3 * t;
    vec3 x = mesh->positions[v[0]];
    return vec3_normalise(vec3_cross(vec3_sub(mesh->positions[v[1]], x), vec3_sub(mesh->positions[v[2]], x)));
}

static vec3 corner_normal(const edge_judge *j, size_t t, size_t k) {
    const int by_vertex = j->normals->domain == RUGA_DOMAIN_VERTEX;
    size_t element = by_vertex ? j->mesh->triangles[3 * t + k] : mesh_triangle_corner(j->mesh, t, k);
    double n[3];
    for (uint32_t c = 0; c < 3; c++) n[c] = ruga_attribute_get(j->normals, element, c);
    return vec3_normalise((vec3){n[0], n[1], n[2]});
}

static size_t corner_at(const edge_judge *j, size_t t, uint32_t vertex) {
    size_t k = 0;
    while (k < 2 && j->lowest[j->mesh->triangles[3 * t + k]] != vertex) k++;
    return k;
}

static int is_hard(const edge_judge *j, const uint32_t ends[2], size_t s, size_t t) {
    if (!j->normals) {
        const vec3 a = triangle_normal(j->mesh, s), b = triangle_normal(j->mesh, t);
        return vec3_length2(a) > 0 && vec3_length2(b) > 0 && vec3_dot(a, b) < j->cosine;
    }
    for (size_t e = 0; e < 2; e++) {
        vec3 a = corner_normal(j, s, corner_at(j, s, ends[e])), b = corner_normal(j, t, corner_at(j, t, ends[e]));
        if (vec3_length2(a) > 0.5 && vec3_length2(b) > 0.5 && vec3_dot(a, b) < SPLIT_COSINE) return 1;
    }
    return 0;
}

static const ruga_attribute *find_normals(const ruga_mesh *mesh) {
    static const ruga_domain domains[] = {RUGA_DOMAIN_CORNER, RUGA_DOMAIN_VERTEX};
    for (size_t d = 0; d < 2; d++) {
        const ruga_attribute *a = ruga_mesh_attribute(mesh, "normal", domains[d]);
        if (a && a->components == 3) return a;
    }
    return NULL;
}

/* Whether every corner has the normal of its facet, and most edges bend: a faceted export of a curved surface, whose
 * normals say nothing about its edges. */
static int are_facets(const edge_judge *j, const topology *topo) {
    for (size_t t = 0; t < j->mesh->triangle_count; t++) {
        const vec3 facet = triangle_normal(j->mesh, t);
        for (size_t k = 0; k < 3 && vec3_length2(facet) > 0; k++)
            if (!(vec3_dot(facet, corner_normal(j, t, k)) > SPLIT_COSINE)) return 0;
    }
    size_t inner = 0, bent = 0;
    for (size_t e = 0; e < topo->edge_count; e++) {
        if (topology_edge_size(topo, e) != 2) continue;
        const uint32_t *pair = topo->edge_triangles + topo->edge_offsets[e];
        inner++;
        bent += vec3_dot(triangle_normal(j->mesh, pair[0]), triangle_normal(j->mesh, pair[1])) < FLAT_COSINE;
    }
    return 2 * bent > inner;
}

static void judge_edges(const edge_judge *j, hard_edges *out) {
    const topology *topo = out->topo;
    for (size_t e = 0; e < topo->edge_count; e++) {
        const uint32_t *pair = topo->edge_triangles + topo->edge_offsets[e], size = topology_edge_size(topo, e);
        if (size < 2) continue;
        out->hard[e] = (uint8_t)(size > 2 || is_hard(j, topo->edge_vertices + 2 * e, pair[0], pair[1]));
        out->hard_count += out->hard[e];
    }
}

/* ---- Vertices that keep their place. */

/* A vertex on one line of hard edges can be rounded along it. Boundaries count as hard where a hard edge ends. */
static void find_corners(const ruga_mesh *mesh, hard_edges *out) {
    const topology *topo = out->topo;
    for (size_t e = 0; e < topo->edge_count; e++)
        for (size_t end = 0; end < 2 && out->hard[e]; end++) out->corners[topo->edge_vertices[2 * e + end]] = 1;
    for (size_t v = 0; v < topo->vertex_count; v++) {
        if (!out->corners[v]) continue;
        size_t count = 0;
        vec3 directions[2] = {{0, 0, 0}, {0, 0, 0}};
        for (size_t i = topo->ring_offsets[v]; i < topo->ring_offsets[v + 1]; i++) {
            const uint32_t other = topo->ring_vertices[i], e = topology_find_edge(topo, (uint32_t)v, other);
            if (!out->hard[e] && topology_edge_size(topo, e) == 2) continue;
            if (count < 2) directions[count] = vec3_normalise(vec3_sub(mesh->positions[other], mesh->positions[v]));
            count++;
        }
        out->corners[v] = count != 2 || vec3_dot(directions[0], directions[1]) > STRAIGHT_COSINE;
    }
}

/* ---- Smooth vertices. */

/* Unites the corners on both sides of smooth edges, at both ends. parent: (triangles x 3) */
static void unite_corners(const edge_judge *j, const hard_edges *out, uint32_t *parent) {
    const topology *topo = out->topo;
    for (size_t e = 0; e < topo->edge_count; e++) {
        if (out->hard[e]) continue;
        const uint32_t *around = topo->edge_triangles + topo->edge_offsets[e];
        for (size_t i = 1; i < topology_edge_size(topo, e); i++)
            for (size_t end = 0; end < 2; end++) {
                const uint32_t vertex = topo->edge_vertices[2 * e + end];
                sets_unite(parent, (uint32_t)(3 * around[0] + corner_at(j, around[0], vertex)),
                           (uint32_t)(3 * around[i] + corner_at(j, around[i], vertex)));
            }
    }
}

/* A smooth vertex for each pair of a set of corners and a vertex: usually one, more along seams within a set. seen:
 * (vertices) 1 + the list of smooth vertices of a vertex, by `next`. */
static ruga_status number_corners(ruga_context *context, const ruga_mesh *mesh, uint32_t *parent, hard_edges *out) {
    const size_t corners = 3 * mesh->triangle_count, vertices = mesh->vertex_count;
    uint32_t *set_of, *next, *first_of_set;
    TRY(NEW(context, &set_of, vertices + corners));
    ruga_status status = NEW(context, &next, vertices + corners);
    if (RUGA_FAILED(status)) next = NULL;
    if (!RUGA_FAILED(status)) status = NEW(context, &first_of_set, corners);
    if (RUGA_FAILED(status)) {
        RELEASE_ALL(context, set_of, next);
        return status;
    }
    for (size_t v = 0; v < vertices + corners; v++) set_of[v] = next[v] = NO_INDEX;
    for (size_t c = 0; c < corners; c++) first_of_set[c] = NO_INDEX;
    for (size_t v = 0; v < vertices; v++) out->origin[v] = out->lowest[v] = (uint32_t)v;
    out->split_count = vertices;
    for (size_t c = 0; c < corners; c++) {
        const uint32_t vertex = mesh->triangles[c], set = set_lowest(parent, (uint32_t)c);
        uint32_t own = vertex;
        while (set_of[own] != NO_INDEX && set_of[own] != set && next[own] != NO_INDEX) own = next[own];
        if (set_of[own] != NO_INDEX && set_of[own] != set) {
            out->origin[out->split_count] = vertex;
            out->whole[vertex] = 0;
            own = next[own] = (uint32_t)out->split_count++;
        }
        set_of[own] = set;
        if (first_of_set[set] == NO_INDEX) first_of_set[set] = own;
        if (own < first_of_set[set]) first_of_set[set] = own;
        out->triangles[c] = own;
    }
    for (size_t v = 0; v < out->split_count; v++)
        out->lowest[v] = set_of[v] == NO_INDEX ? (uint32_t)v : first_of_set[set_of[v]];
    RELEASE_ALL(context, set_of, next, first_of_set);
    return RUGA_OK;
}

static ruga_status split(ruga_context *context, const edge_judge *j, hard_edges *out) {
    const size_t corners = 3 * j->mesh->triangle_count;
    uint32_t *parent;
    TRY(NEW(context, &parent, corners));
    for (size_t c = 0; c < corners; c++) parent[c] = (uint32_t)c;
    unite_corners(j, out, parent);
    ruga_status status = number_corners(context, j->mesh, parent, out);
    memory_release(context, parent);
    return status;
}

static ruga_status find(const ruga_mesh *mesh, const uint32_t *lowest, double angle, hard_edges *out) {
    ruga_context *context = mesh->context;
    const size_t corners = 3 * mesh->triangle_count;
    edge_judge judge = {mesh, find_normals(mesh), lowest, cos(angle * acos(-1) / 180)};
    TRY(NEW(context, &out->triangles, corners));
    for (size_t c = 0; c < corners; c++) out->triangles[c] = lowest[mesh->triangles[c]];
    TRY(topology_build(context, mesh->vertex_count, mesh->triangle_count, out->triangles, &out->topo));
    TRY(NEW_ZEROED(context, &out->hard, out->topo->edge_count));
    TRY(NEW_ZEROED(context, &out->corners, mesh->vertex_count));
    TRY(NEW(context, &out->whole, mesh->vertex_count));
    memset(out->whole, 1, mesh->vertex_count);
    TRY(NEW_EACH(context, mesh->vertex_count + corners, &out->origin, &out->lowest));
    if (angle < NO_HARD_EDGES && judge.normals && are_facets(&judge, out->topo)) judge.normals = NULL;
    if (angle < NO_HARD_EDGES) judge_edges(&judge, out);
    if (out->hard_count > 0) {
        find_corners(mesh, out);
        return split(context, &judge, out);
    }
    out->split_count = mesh->vertex_count;
    memcpy(out->triangles, mesh->triangles, corners * sizeof *out->triangles);
    memcpy(out->lowest, lowest, mesh->vertex_count * sizeof *out->lowest);
    for (size_t v = 0; v < mesh->vertex_count; v++) out->origin[v] = (uint32_t)v;
    return RUGA_OK;
}

ruga_status hard_edges_find(const ruga_mesh *mesh, const uint32_t *lowest, double angle, hard_edges *out) {
    *out = (hard_edges){0};
    ruga_status status = find(mesh, lowest, angle, out);
    if (RUGA_FAILED(status)) hard_edges_release(mesh->context, out);
    return status;
}
