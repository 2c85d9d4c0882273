/* Summary of a mesh: extent, area, volume, edges and topology. Degenerate triangles and points that are not finite are
 * ignored. */
#include <string.h>

#include "math/vec3.h"
#include "mesh/inspect.h"
#include "mesh/mesh.h"
#include "mesh/sets.h"

ruga_status inspection_make(const ruga_mesh *mesh, inspection *out) {
    ruga_context *context = mesh->context;
    *out = (inspection){0};
    TRY(report_progress(context, "inspecting", 0));
    TRY(NEW(context, &out->triangles, 3 * mesh->triangle_count));
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
        memcpy(out->triangles + 3 * out->triangle_count++, v, 3 * sizeof *v);
    }
    return topology_build(context, mesh->vertex_count, out->triangle_count, out->triangles, &out->topo);
}

void inspection_release(const ruga_mesh *mesh, inspection *in) {
    memory_release(mesh->context, in->triangles);
    topology_destroy(in->topo);
}

int edge_runs_twice(const inspection *in, size_t e) {
    const topology *topo = in->topo;
    if (topology_edge_size(topo, e) != 2) return 0;
    const uint32_t *two = topo->edge_triangles + topo->edge_offsets[e];
    int forward = 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t h = 3 * (size_t)two[i] + k;
            if (topo->triangle_edges[h] == e) forward += in->triangles[h] == topo->edge_vertices[2 * e];
        }
    return forward != 1;
}

size_t fan_count(const inspection *in, uint32_t v, uint32_t *parent) {
    const topology *topo = in->topo;
    size_t pieces = topo->ring_offsets[v + 1] - topo->ring_offsets[v];
    for (size_t r = topo->ring_offsets[v]; r < topo->ring_offsets[v + 1]; r++)
        parent[topo->ring_vertices[r]] = topo->ring_vertices[r];
    for (size_t f = topo->fan_offsets[v]; f < topo->fan_offsets[v + 1]; f++) {
        const uint32_t *t = in->triangles + 3 * (size_t)topo->fan_triangles[f];
        size_t k = t[0] == v ? 0 : t[1] == v ? 1 : 2;
        pieces -= (size_t)sets_unite(parent, t[(k + 1) % 3], t[(k + 2) % 3]);
    }
    return pieces;
}

void mark_used_vertices(const ruga_mesh *mesh, uint8_t *used) {
    memset(used, 0, mesh->vertex_count);
    for (size_t i = 0; i < mesh->corner_count; i++) used[mesh->face_vertices[i]] = 1;
    for (size_t i = 0; i < 2 * mesh->edge_count; i++) used[mesh->edges[i]] = 1;
    for (size_t i = 0; i < 4 * mesh->tet_count; i++) used[mesh->tets[i]] = 1;
    size_t line_vertex_count = mesh->line_count > 0 ? mesh->line_offsets[mesh->line_count] : 0;
    for (size_t i = 0; i < line_vertex_count; i++) used[mesh->line_vertices[i]] = 1;
}

/* ---- The summary. */

static void summarise_edges(const ruga_mesh *mesh, const topology *topo, ruga_mesh_summary *out) {
    size_t finite = 0;
    double sum = 0;
    for (size_t e = 0; e < topo->edge_count; e++) {
        const uint32_t *ends = topo->edge_vertices + 2 * e;
        double length = vec3_distance(mesh->positions[ends[0]], mesh->positions[ends[1]]);
        if (!isfinite(length)) continue;
        if (finite == 0 || length < out->shortest_edge) out->shortest_edge = length;
        if (length > out->longest_edge) out->longest_edge = length;
        sum += length;
        finite++;
    }
    out->edges = topo->edge_count;
    out->mean_edge = finite > 0 ? sum / (double)finite : 0;
}

static void summarise_topology(const inspection *in, uint32_t *parent, ruga_mesh_summary *out) {
    const topology *topo = in->topo;
    out->closed = in->triangle_count > 0;
    out->manifold = out->oriented = 1;
    for (size_t e = 0; e < topo->edge_count; e++) {
        size_t triangles = topology_edge_size(topo, e);
        if (triangles == 1) out->closed = 0;
        if (triangles > 2) out->manifold = 0;
        if (edge_runs_twice(in, e)) out->oriented = 0;
    }
    size_t used = 0;
    for (size_t v = 0; v < topo->vertex_count; v++) {
        if (topo->fan_offsets[v] == topo->fan_offsets[v + 1]) continue;
        used++;
        if (fan_count(in, (uint32_t)v, parent) > 1) out->manifold = 0;
    }
    out->boundary_loops = topo->loop_count;
    out->euler = (long)used - (long)topo->edge_count + (long)in->triangle_count;

    /* Each edge that joins two pieces reduces their number by one. */
    out->components = used;
    for (size_t v = 0; v < topo->vertex_count; v++) parent[v] = (uint32_t)v;
    for (size_t e = 0; e < topo->edge_count; e++)
        out->components -= (size_t)sets_unite(parent, topo->edge_vertices[2 * e], topo->edge_vertices[2 * e + 1]);
    int has_genus = out->closed && out->manifold && out->oriented && out->components == 1;
    out->genus = has_genus ? (int)((2 - out->euler) / 2) : -1;
}

static void summarise_extent(const ruga_mesh *mesh, const inspection *in, ruga_mesh_summary *out) {
    int first = 1;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        vec3 p = mesh->positions[v];
        if (!vec3_is_finite(p)) continue;
        out->low = first ? p : vec3_min(out->low, p);
        out->high = first ? p : vec3_max(out->high, p);
        first = 0;
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double area = mesh_triangle_area(mesh, t);
        if (isfinite(area)) out->area += area;
    }
    for (size_t t = 0; t < mesh->tet_count; t++) {
        double volume = mesh_tet_volume(mesh, t);
        if (isfinite(volume)) out->volume += volume;
    }
    if (mesh->tet_count > 0 || !out->closed || !out->oriented) return;

    /* The divergence theorem about the middle of the box, for precision when the mesh is far from the origin. */
    vec3 origin = vec3_mix(out->low, out->high, 0.5);
    double sum = 0;
    for (size_t t = 0; t < in->triangle_count; t++) {
        const uint32_t *v = in->triangles + 3 * t;
        vec3 a = vec3_sub(mesh->positions[v[0]], origin), b = vec3_sub(mesh->positions[v[1]], origin);
        double six = vec3_dot(vec3_cross(a, b), vec3_sub(mesh->positions[v[2]], origin));
        if (isfinite(six)) sum += six;
    }
    out->volume = sum / 6;
}

ruga_status ruga_mesh_summarise(const ruga_mesh *mesh, ruga_mesh_summary *out) {
    ruga_context *context = mesh->context;
    inspection in;
    uint32_t *parent = NULL;
    uint8_t *used = NULL;
    ruga_status status = inspection_make(mesh, &in);
    if (!RUGA_FAILED(status)) status = NEW(context, &parent, mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = NEW(context, &used, mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = report_progress(context, "inspecting", 0.5);
    if (!RUGA_FAILED(status)) {
        ruga_mesh_summary summary = {0};
        summarise_edges(mesh, in.topo, &summary);
        summarise_topology(&in, parent, &summary);
        summarise_extent(mesh, &in, &summary);
        mark_used_vertices(mesh, used);
        for (size_t v = 0; v < mesh->vertex_count; v++) summary.loose_vertices += !used[v];
        *out = summary;
    }
    RELEASE_ALL(context, parent, used);
    inspection_release(mesh, &in);
    return status;
}
