/* Edges that several creases cross. Each edge with one cut, or with cuts that cross each other in a triangle beside it,
 * is what the paper allows; where creases run side by side the mesh is divided until it is fine enough. Creases that
 * cross at a small angle run side by side on any mesh, nearer to the crossing the finer it is: hence a limit. */
#include "scene/crease_refine.h"

#include <string.h>

#include "geom/curve_cut.h"
#include "geom/cut_lines.h"
#include "linalg/map.h"
#include "scene/object.h"
#include "wrinkle/sculpt.h"

#define SNAP 1e-6     /* of the cut, as that of creases */
#define MOST_LEVELS 5 /* a triangle becomes 1024 */

/* A vertex of a cut in a triangle. */
typedef struct incidence {
    uint32_t triangle, vertex, line;
} incidence;

typedef struct several {
    ruga_context *context;
    const ruga_mesh *mesh;
    topology *topo;
    cut_lines lines;
    curve_cut cut;
    ARRAY(incidence) found;
    incidence *all;        /* the same by triangle */
    uint32_t *offsets;     /* (triangles + 1) into all */
    uint32_t *triangle_of; /* (vertices of the cut) one that it lies in */
    size_t edges;          /* that are crossed too often */
    uint32_t triangle;     /* beside the first of them, and its curves */
    uint32_t curves[2];
} several;

static void release(several *s) {
    if (s->cut.context) curve_cut_release(&s->cut);
    if (s->lines.context) cut_lines_release(&s->lines);
    topology_destroy(s->topo);
    ARRAY_RELEASE(s->context, &s->found);
    RELEASE_ALL(s->context, s->all, s->offsets, s->triangle_of);
}

static ruga_status cut_along_lines(several *s) {
    const ruga_curve **traces = NULL;
    curve_cut_def def = {.snap = SNAP, .topo = s->topo};
    TRY(NEW(s->context, &traces, s->lines.line_count));
    for (size_t i = 0; i < s->lines.line_count; i++) traces[i] = s->lines.lines[i].trace;
    ruga_status status = curve_cut_make(s->mesh, traces, s->lines.line_count, &def, &s->cut);
    memory_release(s->context, traces);
    return status;
}

/* The edge of the mesh that a vertex of the cut lies on; NO_INDEX: none. */
static uint32_t edge_of(const several *s, uint32_t vertex) {
    const ruga_map *map = s->cut.map;
    size_t row = map->offsets[vertex];
    if (map->offsets[vertex + 1] != row + 2) return NO_INDEX;
    return topology_find_edge(s->topo, map->indices[row], map->indices[row + 1]);
}

static ruga_status list_vertex(several *s, uint32_t vertex, uint32_t line) {
    uint32_t edge = edge_of(s, vertex);
    if (edge != NO_INDEX) {
        for (uint32_t i = s->topo->edge_offsets[edge]; i < s->topo->edge_offsets[edge + 1]; i++)
            TRY(ARRAY_ADD(s->context, &s->found, (incidence){s->topo->edge_triangles[i], vertex, line}));
        return RUGA_OK;
    }
    /* Inside a triangle, as crossings are. */
    if (s->cut.map->offsets[vertex + 1] - s->cut.map->offsets[vertex] < 3) return RUGA_OK;
    return ARRAY_ADD(s->context, &s->found, (incidence){s->triangle_of[vertex], vertex, line});
}

/* By triangle. */
static ruga_status sort_all(several *s) {
    size_t triangles = s->mesh->triangle_count;
    incidence *sorted;
    TRY(NEW_ZEROED(s->context, &s->offsets, triangles + 2));
    for (size_t i = 0; i < s->found.count; i++) s->offsets[s->found.items[i].triangle + 2]++;
    for (size_t t = 0; t < triangles; t++) s->offsets[t + 2] += s->offsets[t + 1];
    TRY(NEW(s->context, &sorted, s->found.count + 1));
    for (size_t i = 0; i < s->found.count; i++)
        sorted[s->offsets[s->found.items[i].triangle + 1]++] = s->found.items[i];
    s->all = sorted;
    return RUGA_OK;
}

static ruga_status list_all(several *s) {
    const ruga_mesh *visible = s->cut.mesh;
    TRY(NEW_ZEROED(s->context, &s->triangle_of, visible->vertex_count));
    for (size_t i = 0; i < 3 * visible->triangle_count; i++)
        s->triangle_of[visible->triangles[i]] = s->cut.triangle_parent[i / 3];
    for (size_t i = 0; i < s->cut.path_count; i++)
        for (size_t k = 0; k < s->cut.paths[i].count; k++)
            TRY(list_vertex(s, s->cut.paths[i].vertices[k], (uint32_t)i));
    return sort_all(s);
}

static int has(const several *s, uint32_t triangle, uint32_t vertex, uint32_t line) {
    for (uint32_t i = s->offsets[triangle]; i < s->offsets[triangle + 1]; i++)
        if (s->all[i].vertex == vertex && s->all[i].line == line) return 1;
    return 0;
}

/* Whether two lines have a vertex in common in one of the triangles at an edge. */
static int meet_at(const several *s, uint32_t edge, uint32_t line, uint32_t other) {
    for (uint32_t k = s->topo->edge_offsets[edge]; k < s->topo->edge_offsets[edge + 1]; k++) {
        uint32_t t = s->topo->edge_triangles[k];
        for (uint32_t i = s->offsets[t]; i < s->offsets[t + 1]; i++)
            if (s->all[i].line == line && has(s, t, s->all[i].vertex, other)) return 1;
    }
    return 0;
}

/* Whether cuts cross an edge that do not meet beside it. */
static int is_crossed(several *s, uint32_t edge) {
    uint32_t t = s->topo->edge_triangles[s->topo->edge_offsets[edge]];
    for (uint32_t i = s->offsets[t]; i < s->offsets[t + 1]; i++) {
        const incidence *a = &s->all[i];
        if (edge_of(s, a->vertex) != edge) continue;
        for (uint32_t k = i + 1; k < s->offsets[t + 1]; k++) {
            const incidence *b = &s->all[k];
            if (b->vertex == a->vertex || edge_of(s, b->vertex) != edge) continue;
            if (a->line != b->line && meet_at(s, edge, a->line, b->line)) continue;
            if (s->edges++ == 0) {
                s->triangle = t;
                s->curves[0] = a->line;
                s->curves[1] = b->line;
            }
            return 1;
        }
    }
    return 0;
}

/* Cuts a mesh; `marks`, (triangles): those beside edges that are crossed too often. */
static ruga_status look(several *s, const ruga_curve *const *curves, size_t count, unsigned char *marks) {
    TRY(cut_lines_make(s->mesh, curves, count, &s->lines));
    TRY(topology_build(s->context, s->mesh->vertex_count, s->mesh->triangle_count, s->mesh->triangles, &s->topo));
    TRY(cut_along_lines(s));
    TRY(list_all(s));
    for (uint32_t e = 0; e < s->topo->edge_count; e++) {
        if (s->topo->edge_offsets[e] == s->topo->edge_offsets[e + 1] || !is_crossed(s, e)) continue;
        for (uint32_t i = s->topo->edge_offsets[e]; i < s->topo->edge_offsets[e + 1]; i++)
            marks[s->topo->edge_triangles[i]] = 1;
    }
    return RUGA_OK;
}

static const char *name_of(const several *s, int k) { return s->lines.lines[s->curves[k]].trace->name; }

/* ---- Refining. */

typedef struct refined {
    sculpt_refining fine; /* all zero: the mesh itself */
    ruga_curve **curves;  /* (count) on it; NULL: those that were given */
} refined;

static void release_refined(ruga_context *context, refined *r, size_t count) {
    if (r->fine.mesh || r->fine.parents) sculpt_refining_release(&r->fine);
    if (r->curves) ruga_curves_destroy(context, r->curves, count);
    *r = (refined){0};
}

/* The mesh with triangle t divided into 4^levels[t], and the curves on it. */
static ruga_status refine(const ruga_mesh *mesh, const uint8_t *levels, ruga_curve *const *curves, size_t count,
                          refined *out) {
    ruga_context *context = mesh->context;
    sculpt_refining *r = &out->fine;
    *out = (refined){.fine = {.context = context}};
    TRY(NEW(context, &r->parents, mesh->triangle_count));
    for (size_t t = 0; t < mesh->triangle_count; t++) r->parents[t] = (uint32_t)t;
    TRY(NEW_COPY(context, &r->levels, levels, mesh->triangle_count));
    TRY(object_mesh_copy(mesh, &r->mesh));
    TRY(map_select_first(context, mesh->vertex_count, mesh->vertex_count, &r->map));
    TRY(topology_build(context, mesh->vertex_count, mesh->triangle_count, mesh->triangles, &r->topo));
    TRY(sculpt_refine(r, NULL, 0));
    TRY(NEW_ZEROED(context, &out->curves, count + 1));
    for (size_t i = 0; i < count; i++) TRY(ruga_curve_transfer(curves[i], mesh, r->mesh, r->map, &out->curves[i]));
    return RUGA_OK;
}

/* Takes the mesh and the curves over. */
static ruga_status use_refined(build *b, refined *r, size_t edges, ruga_curve **curves, size_t count) {
    ruga_mesh *mesh = r->fine.mesh;
    ruga_map *map = r->fine.map;
    if (!mesh) return RUGA_OK;
    log_info(b->context,
             "object \"%s\": several creases cross %zu edges; the mesh was refined there, from %zu to %zu triangles",
             b->object->name, edges, b->mesh->triangle_count, mesh->triangle_count);
    r->fine.mesh = NULL;
    r->fine.map = NULL;
    TRY(build_keep(b, mesh, map));
    b->mesh = mesh;
    for (size_t i = 0; i < count; i++) {
        ruga_curve *old = curves[i];
        curves[i] = r->curves[i];
        r->curves[i] = old;
    }
    return RUGA_OK;
}

static ruga_status refine_until_single(build *b, const void *value, ruga_curve **curves, size_t count,
                                       uint8_t *levels) {
    refined r = {0};
    size_t first = 0;
    ruga_status status = RUGA_OK;
    for (int round = 0; !RUGA_FAILED(status); round++) {
        const ruga_mesh *mesh = r.fine.mesh ? r.fine.mesh : b->mesh;
        several s = {.context = b->context, .mesh = mesh};
        unsigned char *marks = NULL;
        status = NEW_ZEROED(b->context, &marks, mesh->triangle_count);
        if (!RUGA_FAILED(status))
            status = look(&s, (const ruga_curve *const *)(r.curves ? r.curves : curves), count, marks);
        if (!RUGA_FAILED(status) && round == MOST_LEVELS && s.edges > 0)
            status = build_found(b, value, RUGA_ERROR_INPUT,
                                 "curves \"%s\" and \"%s\" cross one edge even after the mesh was refined %d times, at "
                                 "triangle %u: they run side by side, or cross at a small angle; use \"keep\"",
                                 name_of(&s, 0), name_of(&s, 1), MOST_LEVELS,
                                 r.fine.parents ? r.fine.parents[s.triangle] : s.triangle);
        if (round == 0) first = s.edges;
        int is_done = RUGA_FAILED(status) || s.edges == 0 || round == MOST_LEVELS;
        for (size_t t = 0; !is_done && t < mesh->triangle_count; t++) {
            uint32_t parent = r.fine.parents ? r.fine.parents[t] : (uint32_t)t;
            if (marks[t] && levels[parent] <= round) levels[parent] = (uint8_t)(round + 1);
        }
        memory_release(b->context, marks);
        release(&s);
        if (is_done) break;
        release_refined(b->context, &r, count);
        status = refine(b->mesh, levels, curves, count, &r);
    }
    if (!RUGA_FAILED(status) && !b->errors) status = use_refined(b, &r, first, curves, count);
    release_refined(b->context, &r, count);
    return status;
}

ruga_status crease_treat_several(build *b, int choice, const void *value, ruga_curve **curves, size_t count) {
    ruga_status status;
    if (choice == SEVERAL_KEEP) return RUGA_OK;
    if (choice == SEVERAL_REFINE) {
        uint8_t *levels;
        TRY(NEW_ZEROED(b->context, &levels, b->mesh->triangle_count));
        status = refine_until_single(b, value, curves, count, levels);
        memory_release(b->context, levels);
        return build_about(b, b->variant, status);
    }
    several s = {.context = b->context, .mesh = b->mesh};
    unsigned char *marks;
    TRY(NEW_ZEROED(b->context, &marks, b->mesh->triangle_count));
    status = look(&s, (const ruga_curve *const *)curves, count, marks);
    if (!RUGA_FAILED(status) && s.edges > 0)
        status =
            build_found(b, value, RUGA_ERROR_INPUT,
                        "curves \"%s\" and \"%s\" cross the same edge of triangle %u, and so do others at %zu edges; "
                        "use \"refine\" or \"keep\", or a finer mesh",
                        name_of(&s, 0), name_of(&s, 1), s.triangle, s.edges - 1);
    memory_release(b->context, marks);
    release(&s);
    return build_about(b, b->variant, status);
}
