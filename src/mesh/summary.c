/* What a mesh is like: extent, area, volume, edges, and its topology in a few numbers. Degenerate triangles and points
 * that are not finite are left out, so that they spoil nothing else. */
#include <string.h>

#include "math/vec3.h"
#include "mesh/inspect.h"
#include "mesh/mesh.h"

static int is_degenerate(const uint32_t *v) { return v[0] == v[1] || v[1] == v[2] || v[2] == v[0]; }

ruga_status inspection_make(const ruga_mesh *mesh, inspection *out) {
    ruga_context *context = mesh->context;
    TRY(report_progress(context, "inspecting", 0));
    inspection in = {.triangles = ALLOCATE(context, uint32_t, 3 * mesh->triangle_count)};
    if (!in.triangles) return fail_memory(context, 3 * mesh->triangle_count * sizeof(uint32_t));
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        if (is_degenerate(v)) continue;
        memcpy(in.triangles + 3 * in.triangle_count++, v, 3 * sizeof *v);
    }
    ruga_status status = topology_build(context, mesh->vertex_count, in.triangle_count, in.triangles, &in.topo);
    if (RUGA_FAILED(status)) {
        memory_release(context, in.triangles);
        return status;
    }
    *out = in;
    return RUGA_OK;
}

void inspection_release(const ruga_mesh *mesh, inspection *in) {
    memory_release(mesh->context, in->triangles);
    topology_destroy(in->topo);
}

int edge_runs_twice(const inspection *in, size_t e) {
    const topology *topo = in->topo;
    if (topo->edge_offsets[e + 1] - topo->edge_offsets[e] != 2) return 0;
    const uint32_t *two = topo->edge_triangles + topo->edge_offsets[e];
    int forward = 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 3; k++) {
            size_t h = 3 * (size_t)two[i] + k;
            if (topo->triangle_edges[h] == e) forward += in->triangles[h] == topo->edge_vertices[2 * e];
        }
    return forward != 1;
}

static uint32_t root_of(uint32_t *parent, uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

/* Joins two pieces; 1 if they were apart. The lower number becomes the root. */
static int join(uint32_t *parent, uint32_t a, uint32_t b) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a == b) return 0;
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
    return 1;
}

size_t fan_count(const inspection *in, uint32_t v, uint32_t *parent) {
    const topology *topo = in->topo;
    size_t pieces = topo->ring_offsets[v + 1] - topo->ring_offsets[v];
    for (size_t r = topo->ring_offsets[v]; r < topo->ring_offsets[v + 1]; r++)
        parent[topo->ring_vertices[r]] = topo->ring_vertices[r];
    for (size_t f = topo->fan_offsets[v]; f < topo->fan_offsets[v + 1]; f++) {
        const uint32_t *t = in->triangles + 3 * (size_t)topo->fan_triangles[f];
        size_t k = t[0] == v ? 0 : t[1] == v ? 1 : 2;
        pieces -= (size_t)join(parent, t[(k + 1) % 3], t[(k + 2) % 3]);
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

static void summarise_box(const ruga_mesh *mesh, ruga_mesh_summary *out) {
    int first = 1;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        vec3 p = mesh->positions[v];
        if (!vec3_is_finite(p)) continue;
        out->low = first ? p : vec3_min(out->low, p);
        out->high = first ? p : vec3_max(out->high, p);
        first = 0;
    }
}

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
        size_t triangles = topo->edge_offsets[e + 1] - topo->edge_offsets[e];
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

    /* Every edge that joins two pieces makes one of them. */
    out->components = used;
    for (size_t v = 0; v < topo->vertex_count; v++) parent[v] = (uint32_t)v;
    for (size_t e = 0; e < topo->edge_count; e++)
        out->components -= (size_t)join(parent, topo->edge_vertices[2 * e], topo->edge_vertices[2 * e + 1]);
    int has_genus = out->closed && out->manifold && out->oriented && out->components == 1;
    out->genus = has_genus ? (int)((2 - out->euler) / 2) : -1;
}

/* By the divergence theorem about the middle of the box, which keeps digits when the mesh is far from the origin. */
static double closed_volume(const ruga_mesh *mesh, const inspection *in, const ruga_mesh_summary *box) {
    vec3 origin = vec3_mix(box->low, box->high, 0.5);
    double sum = 0;
    for (size_t t = 0; t < in->triangle_count; t++) {
        const uint32_t *v = in->triangles + 3 * t;
        vec3 a = vec3_sub(mesh->positions[v[0]], origin), b = vec3_sub(mesh->positions[v[1]], origin);
        double six = vec3_dot(vec3_cross(a, b), vec3_sub(mesh->positions[v[2]], origin));
        if (isfinite(six)) sum += six;
    }
    return sum / 6;
}

static void summarise_extent(const ruga_mesh *mesh, const inspection *in, ruga_mesh_summary *out) {
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double area = mesh_triangle_area(mesh, t);
        if (isfinite(area)) out->area += area;
    }
    for (size_t t = 0; t < mesh->tet_count; t++) {
        double volume = mesh_tet_volume(mesh, t);
        if (isfinite(volume)) out->volume += volume;
    }
    if (mesh->tet_count == 0 && out->closed && out->oriented) out->volume = closed_volume(mesh, in, out);
}

ruga_status ruga_mesh_summarise(const ruga_mesh *mesh, ruga_mesh_summary *out) {
    ruga_context *context = mesh->context;
    inspection in;
    TRY(inspection_make(mesh, &in));
    uint32_t *parent = ALLOCATE(context, uint32_t, mesh->vertex_count);
    uint8_t *used = ALLOCATE(context, uint8_t, mesh->vertex_count);
    ruga_status status = parent && used ? report_progress(context, "inspecting", 0.5)
                                        : fail_memory(context, mesh->vertex_count * sizeof *parent);
    if (!RUGA_FAILED(status)) {
        ruga_mesh_summary summary = {0};
        summarise_box(mesh, &summary);
        summarise_edges(mesh, in.topo, &summary);
        summarise_topology(&in, parent, &summary);
        summarise_extent(mesh, &in, &summary);
        mark_used_vertices(mesh, used);
        for (size_t v = 0; v < mesh->vertex_count; v++) summary.loose_vertices += !used[v];
        *out = summary;
    }
    memory_release(context, parent);
    memory_release(context, used);
    inspection_release(mesh, &in);
    return status;
}
