/* Finer meshes: regular subdivision, Loop's scheme (Loop 1987, "Smooth subdivision surfaces based on triangles") with
 * boundaries as cubic B-splines (Hoppe et al. 1994), and splitting of long edges (after Rivara 1984). */
#include "ruga/subdivide.h"

#include <math.h>

#include "linalg/map.h"
#include "math/vec3.h"
#include "mesh/refine.h"

#define MAX_LOOP_ROUNDS 8

ruga_subdivide_def ruga_subdivide_def_default(void) {
    return (ruga_subdivide_def){.cookie = RUGA_COOKIE, .kind = RUGA_SUBDIVIDE_REGULAR, .n = 2, .length = 0.01};
}

/* ---- Loop's weights. */

/* Loop's rules need a manifold mesh. */
static ruga_status check_loop(const ruga_mesh *mesh, const topology *topo) {
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
            return fail_input(mesh->context,
                              "face %zu names a vertex twice; Loop subdivision needs three different vertices",
                              mesh_triangle_face(mesh, t));
    }
    for (size_t e = 0; e < topo->edge_count; e++)
        if (topology_edge_size(topo, e) > 2)
            return fail_input(mesh->context, "edge (%u, %u) has %u triangles; Loop subdivision works with at most 2",
                              topo->edge_vertices[2 * e], topo->edge_vertices[2 * e + 1], topology_edge_size(topo, e));
    return RUGA_OK;
}

/* Inside: Loop's beta for the vertex's valence. On a boundary: a cubic B-spline along its two boundary edges. A vertex
 * where several boundaries touch, or without triangles, keeps its position. */
static void put_loop_vertex(const topology *topo, uint32_t v, const uint32_t *boundary, map_builder *b) {
    size_t begin = topo->ring_offsets[v], valence = topo->ring_offsets[v + 1] - begin;
    if (boundary[3 * (size_t)v] == 0 && valence > 0) {
        double k = (double)valence, c = 3.0 / 8 + cos(2 * acos(-1) / k) / 4, beta = (5.0 / 8 - c * c) / k;
        map_builder_put(b, v, 1 - k * beta);
        for (size_t i = 0; i < valence; i++) map_builder_put(b, topo->ring_vertices[begin + i], beta);
    } else if (boundary[3 * (size_t)v] == 2) {
        map_builder_put(b, v, 3.0 / 4);
        for (size_t k = 1; k <= 2; k++) map_builder_put(b, boundary[3 * (size_t)v + k], 1.0 / 8);
    } else {
        map_builder_put(b, v, 1);
    }
    map_builder_end_row(b);
}

static void put_loop_edge(const ruga_mesh *mesh, const topology *topo, size_t e, map_builder *b) {
    int inside = topology_edge_size(topo, e) == 2;
    for (size_t k = 0; k < 2; k++) map_builder_put(b, topo->edge_vertices[2 * e + k], inside ? 3.0 / 8 : 1.0 / 2);
    for (size_t i = 0; inside && i < 2; i++) {
        size_t t = topo->edge_triangles[topo->edge_offsets[e] + i], k = 0;
        while (topo->triangle_edges[3 * t + k] != e) k++;
        map_builder_put(b, mesh->triangles[3 * t + (k + 2) % 3], 1.0 / 8);
    }
    map_builder_end_row(b);
}

static ruga_status loop_map(const ruga_mesh *mesh, const refinement *r, ruga_map **out) {
    ruga_context *context = mesh->context;
    const topology *topo = r->topo;
    TRY(check_loop(mesh, topo));
    size_t added = r->cut.source_count, ring_total = topo->ring_offsets[r->old_count];
    uint32_t *boundary; /* for each vertex: how many boundary edges it has, and the other ends of two of them */
    TRY(NEW_ZEROED(context, &boundary, 3 * r->old_count));
    for (size_t e = 0; e < topo->edge_count; e++)
        for (size_t k = 0; k < 2 && topology_edge_size(topo, e) == 1; k++) {
            uint32_t *entry = boundary + 3 * (size_t)topo->edge_vertices[2 * e + k];
            if (entry[0]++ < 2) entry[entry[0]] = topo->edge_vertices[2 * e + 1 - k];
        }
    map_builder b;
    ruga_status status = map_builder_make(context, r->old_count + added, 3 * r->old_count + ring_total + 4 * added, &b);
    if (!RUGA_FAILED(status)) {
        for (size_t v = 0; v < r->old_count; v++) put_loop_vertex(topo, (uint32_t)v, boundary, &b);
        for (size_t e = 0; e < topo->edge_count; e++) put_loop_edge(mesh, topo, e, &b);
        status = map_builder_finish(&b, r->old_count, out);
    }
    memory_release(context, boundary);
    return status;
}

/* ---- One round. */

/* The share of the whole work that one refinement is, for progress reports. */
typedef struct work_span {
    double begin, end;
} work_span;

static ruga_status report_within(const ruga_mesh *mesh, work_span span, double fraction) {
    return report_progress(mesh->context, "subdividing", span.begin + (span.end - span.begin) * fraction);
}

/* Makes the finer mesh of a cut and its map, with Loop's weights or linearly. */
static ruga_status refine_mesh(const ruga_mesh *mesh, const cut *c, int loop, work_span span, ruga_mesh **out,
                               ruga_map **map) {
    refinement r;
    ruga_map *step = NULL;
    mesh_parts parts = {0};
    TRY(report_within(mesh, span, 0));
    TRY(refinement_make(c, mesh->vertex_count, mesh->triangles, &r));
    ruga_status status = report_within(mesh, span, 0.3);
    if (!RUGA_FAILED(status))
        status = loop ? loop_map(mesh, &r, &step) : index_cut_map(mesh->context, r.old_count, c->n, &r.cut, &step);
    if (!RUGA_FAILED(status)) status = report_within(mesh, span, 0.6);
    if (!RUGA_FAILED(status)) status = NEW(mesh->context, &parts.positions, step->rows);
    if (!RUGA_FAILED(status)) {
        ruga_map_apply(step, mesh->positions, parts.positions);
        parts.vertex_count = step->rows;
        parts.face_count = c->child_offsets[c->triangle_count];
        parts.corner_count = 3 * parts.face_count;
        parts.face_vertices = r.cut.corners;
        r.cut.corners = NULL;
        status = refine_attributes(mesh, c, &r, &parts);
    }
    if (!RUGA_FAILED(status)) status = mesh_parts_carry_joints(mesh, step, &parts);
    if (RUGA_FAILED(status))
        mesh_parts_release(mesh->context, &parts);
    else
        status = mesh_from_parts(mesh->context, &parts, out);
    refinement_release(mesh->context, &r);
    RETURN_MADE(status, step, map, ruga_map_destroy(step));
}

static ruga_status refine_regular(const ruga_mesh *mesh, uint32_t n, int loop, work_span span, ruga_mesh **out,
                                  ruga_map **map) {
    cut c;
    ruga_status status = cut_regular(mesh, n, &c);
    if (!RUGA_FAILED(status)) status = refine_mesh(mesh, &c, loop, span, out, map);
    cut_release(&c);
    return status;
}

/* ---- Several rounds. */

/* The mesh after some rounds, and its map from the first mesh. */
typedef struct rounds_result {
    ruga_mesh *mesh;
    ruga_map *map;
} rounds_result;

/* Replaces the mesh by a finer one and composes the maps. Takes over the finer mesh and the step to it. */
static ruga_status advance(rounds_result *p, ruga_mesh *finer, ruga_map *step) {
    ruga_map *whole = NULL;
    ruga_status status = ruga_map_compose(step, p->map, &whole);
    ruga_map_destroy(step);
    ruga_mesh_destroy(RUGA_FAILED(status) ? finer : p->mesh);
    if (RUGA_FAILED(status)) return status;
    ruga_map_destroy(p->map);
    *p = (rounds_result){finer, whole};
    return RUGA_OK;
}

static ruga_status run_loop(const ruga_mesh *mesh, int rounds, rounds_result *p) {
    const double part = rounds > 0 ? 1.0 / rounds : 1;
    TRY(refine_regular(mesh, rounds > 0 ? 2 : 1, rounds > 0, (work_span){0, part}, &p->mesh, &p->map));
    for (int round = 1; round < rounds; round++) {
        ruga_mesh *finer;
        ruga_map *step;
        TRY(refine_regular(p->mesh, 2, 1, (work_span){round * part, (round + 1) * part}, &finer, &step));
        TRY(advance(p, finer, step));
    }
    return RUGA_OK;
}

static ruga_status check_long_edges(const ruga_mesh *mesh, double length) {
    double area = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (!vec3_is_finite(mesh->positions[v]))
            return fail_input(mesh->context, "vertex %zu is not finite, its edges can't be split", v);
    for (size_t t = 0; t < mesh->triangle_count; t++) area += mesh_triangle_area(mesh, t);

    /* A triangle with edges up to this length has at most the area of the equilateral one. */
    double least_count = area / (sqrt(3) / 4 * length * length);
    if (!(least_count <= UINT32_MAX / 3))
        return fail_argument(mesh->context, "edges of at most %g m would take %.3g triangles, %u is the limit", length,
                             least_count, UINT32_MAX / 3);
    return RUGA_OK;
}

/* Cuts every edge above the length, in rounds, until there is none. Each round shortens the longest edge by at least
 * 1 - sqrt(3)/2, unless rounding prevents it: then the length can't be reached. */
static ruga_status run_long_edges(const ruga_mesh *mesh, double length, rounds_result *p) {
    TRY(check_long_edges(mesh, length));
    TRY(refine_regular(mesh, 1, 0, (work_span){0, 0}, &p->mesh, &p->map));
    double first = 0, before = INFINITY;
    for (;;) {
        cut c;
        double longest;
        ruga_status status = cut_long_edges(p->mesh, length, &c, &longest);
        if (RUGA_FAILED(status) || longest * longest <= length * length ||
            c.child_offsets[c.triangle_count] == c.triangle_count) {
            cut_release(&c);
            return status;
        }
        if (before == INFINITY) first = longest;
        const double done = log(first / longest) / log(first / length);
        ruga_mesh *finer = NULL;
        ruga_map *step = NULL;
        status =
            longest < 0.99 * before
                ? refine_mesh(p->mesh, &c, 0, (work_span){done, done}, &finer, &step)
                : fail_argument(mesh->context,
                                "edges of at most %g m are too short for the size of the mesh's coordinates", length);
        before = longest;
        cut_release(&c);
        TRY(status);
        TRY(advance(p, finer, step));
    }
}

static ruga_status check_def(const ruga_mesh *mesh, const ruga_subdivide_def *def) {
    ruga_context *context = mesh->context;
    if (def->cookie != RUGA_COOKIE)
        return fail_argument(context, "subdivision needs a def from ruga_subdivide_def_default");
    if (mesh->tet_count > 0)
        return fail_input(context, "the mesh has %zu tets, but only surfaces can be subdivided; remove the tets",
                          mesh->tet_count);
    switch (def->kind) {
        case RUGA_SUBDIVIDE_REGULAR:
            if (def->n >= 1 && def->n <= MAX_PARTS) return RUGA_OK;
            return fail_argument(context, "edges are cut into 1 to %d parts, not %d", MAX_PARTS, def->n);
        case RUGA_SUBDIVIDE_LOOP:
            if (def->n >= 0 && def->n <= MAX_LOOP_ROUNDS) return RUGA_OK;
            return fail_argument(context, "Loop subdivision takes 0 to %d rounds, not %d", MAX_LOOP_ROUNDS, def->n);
        case RUGA_SUBDIVIDE_LONG_EDGES:
            if (def->length > 0 && isfinite(def->length)) return RUGA_OK;
            return fail_argument(context, "the length of edges is %g m, it must be positive and finite", def->length);
    }
    return fail_argument(context, "subdivision of unknown kind %d", (int)def->kind);
}

ruga_status ruga_mesh_subdivide(const ruga_mesh *mesh, const ruga_subdivide_def *def, ruga_mesh **out, ruga_map **map) {
    if (!mesh || !def || !out) return RUGA_ERROR_ARGUMENT;
    TRY(check_def(mesh, def));
    rounds_result p = {0};
    ruga_status status = def->kind == RUGA_SUBDIVIDE_REGULAR
                             ? refine_regular(mesh, (uint32_t)def->n, 0, (work_span){0, 1}, &p.mesh, &p.map)
                         : def->kind == RUGA_SUBDIVIDE_LOOP ? run_loop(mesh, def->n, &p)
                                                            : run_long_edges(mesh, def->length, &p);
    if (RUGA_FAILED(status)) {
        ruga_mesh_destroy(p.mesh);
        ruga_map_destroy(p.map);
        return status;
    }
    /* The positions are exactly those that the whole map gives. */
    ruga_map_apply(p.map, mesh->positions, (ruga_vec3 *)p.mesh->positions);
    *out = p.mesh;
    if (map) {
        *map = p.map;
    } else {
        ruga_map_destroy(p.map);
    }
    return RUGA_OK;
}
