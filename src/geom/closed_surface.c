/* Closing the borders of a surface. */
#include "geom/closed_surface.h"

#include "mesh/sets.h"
#include "mesh/topology.h"

/* Triangles at an edge in the direction of its lower vertex, minus those against it. */
static int edge_balance(const ruga_mesh *mesh, const topology *topo, size_t edge) {
    if (topo->edge_vertices[2 * edge] == topo->edge_vertices[2 * edge + 1]) return 0;
    int balance = 0;
    for (uint32_t e = topo->edge_offsets[edge]; e < topo->edge_offsets[edge + 1]; e++) {
        const uint32_t *t = mesh->triangles + 3 * (size_t)topo->edge_triangles[e];
        for (int k = 0; k < 3; k++)
            if (topo->triangle_edges[3 * (size_t)topo->edge_triangles[e] + (size_t)k] == edge)
                balance += t[k] == topo->edge_vertices[2 * edge] ? 1 : -1;
    }
    return balance;
}

static ruga_status check_edge(const ruga_mesh *mesh, const topology *topo, size_t edge, int balance) {
    if (balance >= -1 && balance <= 1) return RUGA_OK;
    const uint32_t *at = topo->edge_triangles + topo->edge_offsets[edge];
    return fail_input(mesh->context,
                      "triangles %u and %u at the edge between vertices %u and %u face opposite sides; orient all "
                      "faces outwards",
                      at[0], at[1], topo->edge_vertices[2 * edge], topo->edge_vertices[2 * edge + 1]);
}

/* The borders: each connected part of them is one set of vertices. */
static ruga_status find_borders(const ruga_mesh *mesh, const topology *topo, uint32_t *parents, closed_surface *out) {
    for (size_t v = 0; v < mesh->vertex_count; v++) parents[v] = (uint32_t)v;
    for (size_t e = 0; e < topo->edge_count; e++) {
        int balance = edge_balance(mesh, topo, e);
        TRY(check_edge(mesh, topo, e, balance));
        if (balance == 0) continue;
        out->border_edges++;
        if (topology_edge_size(topo, e) > 1 && out->odd_edges++ == 0)
            memcpy(out->odd_edge, topo->edge_vertices + 2 * e, sizeof out->odd_edge);
        sets_unite(parents, topo->edge_vertices[2 * e], topo->edge_vertices[2 * e + 1]);
    }
    return RUGA_OK;
}

/* A fan of triangles from the middle of each border. */
static void add_caps(const ruga_mesh *mesh, const topology *topo, uint32_t *parents, uint32_t *cap_of, double *counts,
                     closed_surface *out) {
    for (size_t v = 0; v < mesh->vertex_count; v++) cap_of[v] = NO_INDEX;
    for (size_t e = 0; e < topo->edge_count; e++) {
        const uint32_t *ends = topo->edge_vertices + 2 * e;
        int balance = edge_balance(mesh, topo, e);
        if (balance == 0) continue;
        uint32_t *cap = &cap_of[set_lowest(parents, ends[0])];
        if (*cap == NO_INDEX) {
            *cap = (uint32_t)out->vertex_count++;
            out->positions[*cap] = (vec3){0, 0, 0};
            counts[*cap - mesh->vertex_count] = 0;
            out->open_borders++;
        }
        for (int k = 0; k < 2; k++) out->positions[*cap] = vec3_add(out->positions[*cap], mesh->positions[ends[k]]);
        counts[*cap - mesh->vertex_count] += 2;
        uint32_t *t = out->triangles + 3 * out->triangle_count++;
        t[0] = ends[balance > 0];
        t[1] = ends[balance < 0];
        t[2] = *cap;
    }
    for (size_t v = mesh->vertex_count; v < out->vertex_count; v++)
        out->positions[v] = vec3_scale(out->positions[v], 1 / counts[v - mesh->vertex_count]);
}

static ruga_status copy_closed(const ruga_mesh *mesh, const topology *topo, uint32_t *parents, closed_surface *out) {
    size_t edges = out->border_edges;
    TRY(NEW(mesh->context, &out->positions, mesh->vertex_count + edges));
    TRY(NEW(mesh->context, &out->triangles, 3 * (mesh->triangle_count + edges)));
    memcpy(out->positions, mesh->positions, mesh->vertex_count * sizeof *out->positions);
    memcpy(out->triangles, mesh->triangles, 3 * mesh->triangle_count * sizeof *out->triangles);
    out->vertex_count = mesh->vertex_count;
    out->triangle_count = mesh->triangle_count;
    if (edges == 0) return RUGA_OK;
    uint32_t *cap_of = NULL;
    double *counts = NULL;
    ruga_status status = NEW(mesh->context, &cap_of, mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = NEW(mesh->context, &counts, edges);
    if (!RUGA_FAILED(status)) add_caps(mesh, topo, parents, cap_of, counts, out);
    RELEASE_ALL(mesh->context, cap_of, counts);
    return status;
}

static double signed_volume(const closed_surface *s) {
    double sum = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        vec3 p[3];
        for (int k = 0; k < 3; k++) p[k] = vec3_sub(s->positions[s->triangles[3 * t + (size_t)k]], s->positions[0]);
        sum += vec3_dot(p[0], vec3_cross(p[1], p[2])) / 6;
    }
    return sum;
}

ruga_status closed_surface_make(const ruga_mesh *mesh, closed_surface *out) {
    *out = (closed_surface){.context = mesh->context};
    if (mesh->triangle_count == 0) return fail_input(mesh->context, "the mesh has no faces, so it has no inside");
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (!vec3_is_finite(mesh->positions[v])) return fail_input(mesh->context, "vertex %zu is not finite", v);
    topology *topo;
    uint32_t *parents = NULL;
    TRY(topology_build_mesh(mesh, &topo));
    ruga_status status = NEW(mesh->context, &parents, mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = find_borders(mesh, topo, parents, out);
    if (!RUGA_FAILED(status)) status = copy_closed(mesh, topo, parents, out);
    if (!RUGA_FAILED(status)) out->volume = signed_volume(out);
    memory_release(mesh->context, parents);
    topology_destroy(topo);
    return status;
}

ruga_status closed_surface_check_volume(const closed_surface *surface) {
    if (surface->volume > 0) return RUGA_OK;
    if (surface->open_borders > 0)
        return fail_input(
            surface->context,
            "the mesh encloses %g m³ after its open borders (%zu) were closed: it is flat or inside out; a "
            "surface that encloses a volume is needed, with faces that are oriented outwards",
            surface->volume, surface->open_borders);
    return fail_input(surface->context,
                      "the mesh encloses %g m³: it is inside out or has no volume; orient its faces outwards",
                      surface->volume);
}

void closed_surface_release(closed_surface *surface) {
    RELEASE_ALL(surface->context, surface->positions, surface->triangles);
    surface->positions = NULL, surface->triangles = NULL;
}
