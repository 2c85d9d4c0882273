/* Creases of a solid: the cut of its surface continues into its tets. See crease.h and geom/tet_cut.h. */
#include <math.h>

#include "base/memory.h"
#include "geom/embed.h"
#include "linalg/map.h"
#include "math/vec3.h"
#include "wrinkle/crease.h"

/* Copies on the surface that are points here, then copies inside, which no crease binds. */
static ruga_status carry_crossings(size_t vertices, const tet_cut *solid, virtual_nodes *nodes) {
    uint32_t *offsets = NULL, kept = 0, count = 0;
    TRY(NEW(nodes->context, &offsets, solid->surface_count + solid->inner_count + 1));
    offsets[0] = 0;
    for (uint32_t i = 0; i < nodes->virtual_count; i++) {
        if (solid->point_of[vertices + i] != vertices + kept) continue; /* connected below */
        for (uint32_t k = nodes->crossing_offsets[i]; k < nodes->crossing_offsets[i + 1]; k++)
            nodes->crossings[count++] = nodes->crossings[k];
        offsets[++kept] = count;
    }
    for (size_t i = 0; i < solid->inner_count; i++) offsets[++kept] = count;
    memory_release(nodes->context, nodes->crossing_offsets);
    nodes->crossing_offsets = offsets;
    nodes->virtual_count = kept;
    return RUGA_OK;
}

/* The same rows over other points. */
static ruga_status carry_visible(const tet_cut *solid, virtual_nodes *nodes) {
    const ruga_map *old = nodes->visible;
    map_builder rows;
    ruga_map *visible;
    TRY(map_builder_make(nodes->context, old->rows, old->offsets[old->rows], &rows));
    for (size_t i = 0; i < old->rows; i++) {
        for (size_t e = old->offsets[i]; e < old->offsets[i + 1]; e++)
            map_builder_put(&rows, solid->point_of[old->indices[e]], old->weights[e]);
        map_builder_end_row(&rows);
    }
    TRY(map_builder_finish(&rows, solid->simulated->vertex_count, &visible));
    ruga_map_destroy(nodes->visible);
    nodes->visible = visible;
    return RUGA_OK;
}

ruga_status crease_cut_solid(const ruga_mesh *mesh, double depth, crease *c) {
    const tet_cut_def def = {.depth = depth};
    virtual_nodes *nodes = &c->nodes;
    tet_cut *solid = &c->solid;
    if (mesh->tet_count == 0) return fail_input(c->context, "the mesh has no tets to cut; a solid needs them");
    TRY(tet_cut_make(mesh, &c->lines, &c->cut, nodes, &def, solid));
    TRY(carry_crossings(mesh->vertex_count, solid, nodes));
    TRY(carry_visible(solid, nodes));
    for (size_t i = 0; i < nodes->embedded_count; i++)
        for (int k = 0; k < 3; k++) nodes->embedded[i].points[k] = solid->point_of[nodes->embedded[i].points[k]];
    ruga_mesh_destroy(nodes->simulated);
    nodes->simulated = solid->simulated;
    solid->simulated = NULL;
    memory_release(c->context, nodes->vertex_of);
    nodes->vertex_of = solid->vertex_of;
    solid->vertex_of = NULL;
    return RUGA_OK;
}

/* ---- Links. */

#define LEAST_OFF 0.05  /* edges: distance of a vertex whose copies show the fold vector */
#define LEAST_APART 0.2 /* of the distance of two hats: of two such vertices */

/* A vertex whose copies show D(σ) = (x_copy - x_vertex) weight. */
typedef struct sample {
    double along, weight;
    uint32_t vertex, copy;
} sample;

/* The interval of the hats that a place is in, and the place there, m; SIZE_MAX: beyond the ends. */
static size_t interval_of(const cut_line *l, const crease_ridge *r, double *along) {
    size_t intervals = r->knot_count - !l->closed;
    double at = *along - r->from;
    if (l->closed) at -= floor(at / l->length) * l->length;
    size_t j = at >= 0 ? (size_t)(at / r->spacing) : SIZE_MAX;
    *along = at;
    return j < intervals ? j : SIZE_MAX;
}

/* The first and the last sample of each interval of a line; (2 intervals) */
static void find_samples(const crease *c, uint32_t line, sample *samples) {
    const cut_line *l = &c->lines.lines[line];
    size_t vertices = c->nodes.simulated->vertex_count - c->nodes.virtual_count;
    for (size_t i = 0; i < c->nodes.virtual_count; i++) {
        const uint32_t *range = c->nodes.crossing_offsets + i;
        const virtual_crossing *crossing = &c->nodes.crossings[range[0]];
        if (range[1] != range[0] + 1 || crossing->path != line) continue;
        uint32_t vertex = c->nodes.vertex_of[vertices + i];
        const cut_place *place = cut_line_place(l, vertex);
        if (!place || fabs(place->distance) < LEAST_OFF * l->edge) continue;
        double along = place->along;
        size_t j = interval_of(l, &c->ridges[line], &along);
        if (j == SIZE_MAX) continue;
        sample s = {along, 1 / (crossing->weight * place->distance), vertex, (uint32_t)(vertices + i)};
        sample *at = &samples[2 * j];
        if (at[0].weight == 0 || along < at[0].along) at[0] = s;
        if (at[1].weight == 0 || along > at[1].along) at[1] = s;
    }
}

static void link_samples(const crease *c, uint32_t line, const sample *s, size_t *count, crease_link *out) {
    const crease_ridge *r = &c->ridges[line];
    double apart = s[1].along - s[0].along, edge = c->lines.lines[line].edge;
    if (s[0].weight == 0 || !(apart >= LEAST_APART * r->spacing)) return;
    double rate = r->spacing / apart;
    out[(*count)++] =
        (crease_link){.line = line,
                      .points = {s[0].vertex, s[0].copy, s[1].vertex, s[1].copy},
                      .weights = {rate * s[0].weight, -rate * s[0].weight, -rate * s[1].weight, rate * s[1].weight},
                      .size = edge * edge * edge * edge / r->spacing};
}

ruga_status crease_links_make(const crease *c, size_t *count, crease_link **out) {
    size_t most = 0, found = 0;
    sample *samples = NULL;
    for (size_t i = 0; i < c->lines.line_count; i++) most += c->ridges[i].knot_count;
    TRY(NEW(c->context, out, most));
    for (uint32_t i = 0; i < c->lines.line_count; i++) {
        size_t intervals = c->ridges[i].knot_count - !c->lines.lines[i].closed;
        TRY_OR(NEW_ZEROED(c->context, &samples, 2 * intervals), memory_release(c->context, *out));
        find_samples(c, i, samples);
        for (size_t j = 0; j < intervals; j++) link_samples(c, i, samples + 2 * j, &found, *out);
        memory_release(c->context, samples);
    }
    *count = found;
    return RUGA_OK;
}

/* ---- Anchors. */

static ruga_status find_anchor_point(const crease *c, tet_finder *finder, double depth, crease_anchor *a) {
    const vec3 p = vec3_add_scaled(a->at, a->inwards, depth);
    size_t tet;
    TRY(tet_finder_at(finder, p, c->solid.shares, &tet, a->weights));
    if (tet == SIZE_MAX)
        return fail_input(c->context,
                          "curve \"%s\": an anchor %g m below (%g, %g, %g) is outside of the body; lower its depth",
                          c->lines.lines[a->line].trace->name, depth, a->at.x, a->at.y, a->at.z);
    memcpy(a->points, c->nodes.simulated->tets + 4 * tet, sizeof a->points);
    return RUGA_OK;
}

/* finder: NULL: without inner ends. */
static ruga_status anchor_line(const crease *c, uint32_t line, const vec3 *normals, tet_finder *finder, double depth,
                               size_t *count, crease_anchor *out) {
    const cut_line *l = &c->lines.lines[line];
    const curve_path *path = &c->cut.paths[line];
    const vec3 *x = c->cut.mesh->positions;
    double along = 0, whole = 0;
    for (size_t i = 0; i + 1 < path->count; i++) whole += vec3_distance(x[path->vertices[i]], x[path->vertices[i + 1]]);
    for (size_t i = 0; i < path->count; i++) {
        uint32_t v = path->vertices[i];
        double before = i > 0 ? vec3_distance(x[v], x[path->vertices[i - 1]]) : 0;
        double behind = i + 1 < path->count ? vec3_distance(x[v], x[path->vertices[i + 1]]) : 0;
        along += before;
        crease_anchor a = {.line = line,
                           .end = l->closed ? INFINITY : fmin(along, whole - along),
                           .length = 0.5 * (before + behind),
                           .vertex = v,
                           .at = x[v],
                           .inwards = vec3_scale(normals[v], -1)};
        a.curve = cut_line_curve(l, whole > 0 ? along / whole * l->length : 0, &a.part);
        if (finder) TRY(find_anchor_point(c, finder, depth, &a));
        out[(*count)++] = a;
    }
    return RUGA_OK;
}

ruga_status crease_anchors_make(const crease *c, double depth, size_t *count, crease_anchor **out) {
    vec3 *normals = NULL;
    tet_finder *finder = NULL;
    size_t most = 0;
    *count = 0;
    for (size_t i = 0; i < c->cut.path_count; i++) most += c->cut.paths[i].count;
    TRY(NEW(c->context, out, most));
    ruga_status status = NEW(c->context, &normals, c->cut.mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = ruga_mesh_normals(c->cut.mesh, NULL, normals);
    if (!RUGA_FAILED(status) && depth > 0) status = tet_finder_make(c->nodes.simulated, &finder);
    for (uint32_t i = 0; i < c->lines.line_count && !RUGA_FAILED(status); i++)
        status = anchor_line(c, i, normals, finder, depth, count, *out);
    tet_finder_destroy(finder);
    memory_release(c->context, normals);
    if (!RUGA_FAILED(status)) return RUGA_OK;
    memory_release(c->context, *out);
    *out = NULL;
    return status;
}
