/* Refinement of a sculpt's piece, level by level: triangles whose level is not reached yet are divided into four.
 * Levels of neighbours differ by at most one, so that a triangle that is divided only for its neighbours (into two or
 * three) is never divided again, and angles do not degrade. */
#include <string.h>

#include "wrinkle/sculpt.h"

static void release_level(sculpt_refining *r) {
    free_cut_release(r->context, &r->cut);
    topology_destroy(r->topo);
    r->topo = NULL;
}

void sculpt_refining_release(sculpt_refining *r) {
    release_level(r);
    ruga_mesh_destroy(r->mesh);
    ruga_map_destroy(r->map);
    RELEASE_ALL(r->context, r->parents, r->levels);
    *r = (sculpt_refining){.context = r->context};
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

/* Cuts the edges of triangles that are divided; not one from a vertex to itself, which has no middle. */
static void cut_edges(sculpt_refining *r) {
    const topology *topo = r->topo;
    uint32_t count = 0;
    for (uint32_t e = 0; e < topo->edge_count; e++) {
        int is_cut = 0;
        for (uint32_t i = topo->edge_offsets[e]; i < topo->edge_offsets[e + 1]; i++)
            is_cut |= r->levels[topo->edge_triangles[i]] > 0;
        if (is_cut && topo->edge_vertices[2 * (size_t)e] != topo->edge_vertices[2 * (size_t)e + 1])
            r->cut.edge_places[count++] = 0.5;
        r->cut.edge_offsets[e + 1] = count;
    }
}

/* The children of a triangle from its cut edges: bit k for edge k. Middles are local points 3, 4, … in the order of
 * their edges. */
static uint32_t children_of(const sculpt_refining *r, size_t triangle, unsigned cut, uint32_t *out) {
    const uint32_t *v = r->mesh->triangles + 3 * triangle;
    uint32_t middle[3], next = 3;
    for (unsigned k = 0; k < 3; k++) middle[k] = cut >> k & 1 ? next++ : 0;
    if (cut == 7) {
        const uint32_t four[12] = {0, middle[0], middle[2], middle[0], 1,         middle[1],
                                   2, middle[2], middle[1], middle[0], middle[1], middle[2]};
        memcpy(out, four, sizeof four);
        return 4;
    }
    /* Rotates the corners so that a single cut edge is the first, and a single uncut one the last. */
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

/* Inserts the middles of its cut edges into a path. */
static ruga_status refine_path(const sculpt_refining *r, sculpt_path *path) {
    size_t edges = path->closed ? path->count : path->count - 1;
    sculpt_path fine = {.length = path->length, .closed = path->closed};
    ruga_status status = NEW(r->context, &fine.vertices, 2 * path->count);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(r->context, &fine.arcs, 2 * path->count);
    TRY_OR(status, sculpt_path_release(r->context, &fine));
    for (size_t i = 0; i < path->count; i++) {
        fine.vertices[fine.count] = path->vertices[i];
        fine.arcs[fine.count++] = path->arcs[i];
        if (i >= edges) continue;
        uint32_t e = topology_find_edge(r->topo, path->vertices[i], path->vertices[(i + 1) % path->count]);
        if (e == NO_INDEX || free_cut_edge_count(&r->cut, e) == 0) continue;
        double end = i + 1 < path->count ? path->arcs[i + 1] : path->length;
        fine.vertices[fine.count] = (uint32_t)(r->mesh->vertex_count + r->cut.edge_offsets[e]);
        fine.arcs[fine.count++] = 0.5 * (path->arcs[i] + end);
    }
    sculpt_path_release(r->context, path);
    *path = fine;
    return RUGA_OK;
}

/* Remaining levels and parents of the children. */
static ruga_status hand_down(sculpt_refining *r) {
    size_t count = r->cut.child_offsets[r->mesh->triangle_count];
    uint8_t *levels;
    uint32_t *parents;
    TRY(NEW(r->context, &levels, count));
    TRY_OR(NEW(r->context, &parents, count), memory_release(r->context, levels));
    for (size_t t = 0; t < r->mesh->triangle_count; t++)
        for (uint32_t i = r->cut.child_offsets[t]; i < r->cut.child_offsets[t + 1]; i++) {
            levels[i] = r->levels[t] > 0 ? (uint8_t)(r->levels[t] - 1) : 0;
            parents[i] = r->parents[t];
        }
    RELEASE_ALL(r->context, r->levels, r->parents);
    r->levels = levels;
    r->parents = parents;
    return RUGA_OK;
}

static ruga_status cut_mesh(sculpt_refining *r) {
    ruga_mesh *mesh;
    ruga_map *step, *whole;
    TRY(free_cut_apply(r->mesh, &r->cut, &mesh, &step));
    ruga_status status = ruga_map_compose(step, r->map, &whole);
    ruga_map_destroy(step);
    TRY_OR(status, ruga_mesh_destroy(mesh));
    ruga_mesh_destroy(r->mesh);
    ruga_map_destroy(r->map);
    r->mesh = mesh;
    r->map = whole;
    return RUGA_OK;
}

static ruga_status refine_once(sculpt_refining *r, sculpt_path **paths, size_t path_count) {
    if (r->mesh->triangle_count > UINT32_MAX / 12)
        return fail_input(
            r->context,
            "refining %zu triangles once more may exceed the limit of %u; use fewer refinements, or a greater "
            "tolerance",
            r->mesh->triangle_count, UINT32_MAX / 3);
    size_t triangles = r->mesh->triangle_count, edges = r->topo->edge_count;
    r->cut.topo = r->topo;
    TRY(NEW_ZEROED(r->context, &r->cut.edge_offsets, edges + 1));
    TRY(NEW(r->context, &r->cut.edge_places, edges));
    TRY(NEW_EACH_ZEROED(r->context, triangles + 1, &r->cut.inner_offsets, &r->cut.child_offsets));
    TRY(NEW(r->context, &r->cut.children, 12 * triangles));
    cut_edges(r);
    for (size_t t = 0; t < triangles; t++) {
        unsigned cut = 0;
        for (unsigned k = 0; k < 3; k++)
            if (free_cut_edge_count(&r->cut, r->topo->triangle_edges[3 * t + k]) > 0) cut |= 1u << k;
        uint32_t begin = r->cut.child_offsets[t];
        r->cut.child_offsets[t + 1] = begin + children_of(r, t, cut, r->cut.children + 3 * (size_t)begin);
    }
    for (size_t i = 0; i < path_count; i++) TRY(refine_path(r, paths[i]));
    TRY(hand_down(r));
    TRY(cut_mesh(r));
    release_level(r);
    return topology_build_neighbours(r->context, r->mesh->vertex_count, r->mesh->triangle_count, r->mesh->triangles,
                                     &r->topo);
}

ruga_status sculpt_refine(sculpt_refining *r, sculpt_path **paths, size_t path_count) {
    grade_levels(r->topo, r->levels);
    int levels = 0;
    for (size_t t = 0; t < r->mesh->triangle_count; t++) levels = r->levels[t] > levels ? r->levels[t] : levels;
    for (int i = 0; i < levels; i++) {
        TRY(report_progress(r->context, "refining", (double)i / levels));
        TRY(refine_once(r, paths, path_count));
    }
    return RUGA_OK;
}
