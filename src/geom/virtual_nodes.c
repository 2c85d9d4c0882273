/* The virtual node algorithm: see virtual_nodes.h.
 *
 *     visible triangles ──same parent, no cut between──▶ pieces
 *     corners of pieces ──pieces touch across an edge──▶ parts: one copy of the vertex each
 *     parts of a vertex ──cuts between pieces──▶ crossings on the shortest paths from the vertex to its copies
 *
 * Both groupings are disjoint sets (mesh/sets.h), in the order of triangles, so that the result is the same on every
 * machine. */
#include "geom/virtual_nodes.h"

#include <math.h>

#include "linalg/map.h"
#include "math/vec3.h"
#include "mesh/carry.h"
#include "mesh/mesh.h"
#include "mesh/sets.h"
#include "mesh/topology.h"

#define NONE UINT32_MAX

/* A cut between two copies of one vertex. */
typedef struct link {
    uint32_t left, right; /* parts */
    uint32_t path;
    uint32_t next; /* of the same vertex */
} link;

/* A part of the material around the vertex in hand. */
typedef struct sector {
    uint32_t part;
    uint32_t depth; /* cuts between it and the vertex; NONE: not reached */
    double paths;   /* how many shortest ones */
} sector;

typedef struct maker {
    ruga_context *context;
    const ruga_mesh *mesh;
    const curve_cut *cut;
    const ruga_curve *const *curves;
    topology *topo;       /* of the visible mesh */
    uint32_t *edge_paths; /* (visible edges) the path along it, or NONE */
    uint8_t *edge_upward; /* (visible edges) the path runs from the lower vertex to the other */
    uint32_t *groups;     /* sets of visible triangles */
    uint32_t *piece_of;   /* (visible triangles) */
    size_t piece_count;
    uint32_t *parents;   /* (pieces) triangle of the mesh */
    double *areas;       /* (pieces) m² */
    uint8_t *holds;      /* (pieces) a vertex of the mesh is in it */
    uint32_t *triangles; /* (pieces) the simulated triangle, or NONE: too small */
    uint32_t *corners;   /* sets of (pieces x 3): parts */
    uint32_t *points;    /* (pieces x 3) by part: the simulated vertex; NONE: not numbered */
    ARRAY(link) links;
    uint32_t *first_links; /* (vertices) */
    ARRAY(sector) sectors;
    ARRAY(uint32_t) paths; /* that the vertex in hand has cuts of */
    ARRAY(double) rows;    /* (sectors x paths) */
    ARRAY(uint32_t) vertex_of;
    ARRAY(virtual_crossing) crossings;
    ARRAY(uint32_t) offsets;
    ARRAY(embedded_node) embedded;
    ARRAY(virtual_side) sides;
} maker;

static uint32_t corner_of(const maker *m, uint32_t triangle, uint32_t vertex) {
    const uint32_t *v = m->mesh->triangles + 3 * (size_t)triangle;
    return v[0] == vertex ? 0 : v[1] == vertex ? 1 : v[2] == vertex ? 2 : NONE;
}

/* ---- Cuts. */

/* The triangle of the mesh that a visible edge lies in. */
static uint32_t edge_parent(const maker *m, size_t edge) {
    return m->cut->triangle_parent[m->topo->edge_triangles[m->topo->edge_offsets[edge]]];
}

static ruga_status mark_edge(maker *m, uint32_t path, uint32_t from, uint32_t to) {
    uint32_t edge = topology_find_edge(m->topo, from, to);
    vec3 at = m->cut->mesh->positions[from];
    const char *name = m->curves[path]->name;
    if (edge == NO_INDEX)
        return fail_input(m->context, "curve \"%s\" leaves the surface at (%g, %g, %g)", name, at.x, at.y, at.z);
    if (m->edge_paths[edge] == path)
        return fail_input(m->context,
                          "curve \"%s\" runs along itself in triangle %u at (%g, %g, %g); draw it through there once",
                          name, edge_parent(m, edge), at.x, at.y, at.z);
    if (m->edge_paths[edge] != NONE)
        return fail_input(m->context,
                          "curves \"%s\" and \"%s\" run along each other in triangle %u at (%g, %g, %g); draw one of "
                          "them, or move them apart",
                          m->curves[m->edge_paths[edge]]->name, name, edge_parent(m, edge), at.x, at.y, at.z);
    m->edge_paths[edge] = path;
    m->edge_upward[edge] = from < to;
    return RUGA_OK;
}

static ruga_status mark_paths(maker *m) {
    TRY(NEW(m->context, &m->edge_paths, m->topo->edge_count));
    TRY(NEW_ZEROED(m->context, &m->edge_upward, m->topo->edge_count));
    for (size_t e = 0; e < m->topo->edge_count; e++) m->edge_paths[e] = NONE;
    for (uint32_t p = 0; p < m->cut->path_count; p++) {
        const curve_path *path = &m->cut->paths[p];
        for (size_t i = 0; i + 1 < path->count; i++) TRY(mark_edge(m, p, path->vertices[i], path->vertices[i + 1]));
        if (path->closed && path->count > 2) TRY(mark_edge(m, p, path->vertices[path->count - 1], path->vertices[0]));
    }
    return RUGA_OK;
}

/* ---- Pieces. */

static void group_triangles(maker *m) {
    const uint32_t *parent = m->cut->triangle_parent;
    for (uint32_t t = 0; t < m->cut->mesh->triangle_count; t++) m->groups[t] = t;
    for (size_t e = 0; e < m->topo->edge_count; e++) {
        const uint32_t *at = m->topo->edge_triangles + m->topo->edge_offsets[e];
        for (uint32_t i = 1; i < topology_edge_size(m->topo, e) && m->edge_paths[e] == NONE; i++)
            if (parent[at[i]] == parent[at[0]]) sets_unite(m->groups, at[0], at[i]);
    }
}

static ruga_status make_pieces(maker *m) {
    const ruga_mesh *visible = m->cut->mesh;
    size_t count = visible->triangle_count;
    TRY(NEW_EACH(m->context, count, &m->groups, &m->piece_of));
    group_triangles(m);
    for (uint32_t t = 0; t < count; t++) {
        uint32_t root = set_lowest(m->groups, t);
        m->piece_of[t] = root == t ? (uint32_t)m->piece_count++ : m->piece_of[root];
    }
    TRY(NEW_EACH(m->context, m->piece_count, &m->parents, &m->triangles));
    TRY(NEW_ZEROED(m->context, &m->areas, m->piece_count));
    TRY(NEW_ZEROED(m->context, &m->holds, m->piece_count));
    for (uint32_t t = 0; t < count; t++) {
        uint32_t piece = m->piece_of[t];
        m->parents[piece] = m->cut->triangle_parent[t];
        m->areas[piece] += mesh_triangle_area(visible, t);
        for (uint32_t k = 0; k < 3; k++) m->holds[piece] |= visible->triangles[3 * t + k] < m->mesh->vertex_count;
    }
    return RUGA_OK;
}

/* ---- Parts: corners that are one point. */

/* The corners of two pieces at the ends of the mesh's edge that a visible edge is a piece of. */
static void join_across(maker *m, size_t edge, uint32_t a, uint32_t b) {
    const ruga_map *map = m->cut->map;
    for (int end = 0; end < 2; end++) {
        uint32_t visible = m->topo->edge_vertices[2 * edge + (size_t)end];
        for (size_t e = map->offsets[visible]; e < map->offsets[visible + 1]; e++) {
            uint32_t i = corner_of(m, m->parents[a], map->indices[e]), j = corner_of(m, m->parents[b], map->indices[e]);
            if (i != NONE && j != NONE) sets_unite(m->corners, 3 * a + i, 3 * b + j);
        }
    }
}

static ruga_status join_corners(maker *m) {
    TRY(NEW_EACH(m->context, 3 * m->piece_count, &m->corners, &m->points));
    for (uint32_t i = 0; i < 3 * m->piece_count; i++) {
        m->corners[i] = i;
        m->points[i] = NONE;
    }
    for (size_t e = 0; e < m->topo->edge_count; e++) {
        const uint32_t *at = m->topo->edge_triangles + m->topo->edge_offsets[e];
        for (uint32_t i = 1; i < topology_edge_size(m->topo, e) && m->edge_paths[e] == NONE; i++) {
            uint32_t a = m->piece_of[at[0]], b = m->piece_of[at[i]];
            if (m->parents[a] != m->parents[b]) join_across(m, e, a, b);
        }
    }
    return RUGA_OK;
}

/* ---- Simulated triangles and their shares. */

static ruga_status choose_triangles(maker *m, virtual_nodes *out) {
    double *whole = NULL;
    size_t count = 0;
    TRY(NEW_ZEROED(m->context, &whole, m->mesh->triangle_count));
    for (size_t p = 0; p < m->piece_count; p++) whole[m->parents[p]] += m->areas[p];
    for (size_t p = 0; p < m->piece_count; p++) {
        int is_kept = m->holds[p] || m->areas[p] >= VIRTUAL_LEAST_SHARE * whole[m->parents[p]];
        m->triangles[p] = is_kept ? (uint32_t)count++ : NONE;
    }
    /* The material of pieces without a copy goes to the others of the same triangle. */
    for (size_t p = 0; p < m->piece_count; p++)
        if (m->triangles[p] == NONE) whole[m->parents[p]] -= m->areas[p];
    ruga_status status = NEW(m->context, &out->shares, count);
    if (!RUGA_FAILED(status)) status = NEW(m->context, &out->triangle_parent, count);
    for (size_t p = 0; p < m->piece_count && !RUGA_FAILED(status); p++) {
        if (m->triangles[p] == NONE) continue;
        out->shares[m->triangles[p]] = m->areas[p] == whole[m->parents[p]] ? 1 : m->areas[p] / whole[m->parents[p]];
        out->triangle_parent[m->triangles[p]] = m->parents[p];
    }
    memory_release(m->context, whole);
    return status;
}

static ruga_status find_shown(const maker *m, virtual_nodes *out) {
    const ruga_mesh *visible = m->cut->mesh;
    TRY(NEW(m->context, &out->shown, m->piece_count));
    for (size_t p = 0; p < m->piece_count; p++) out->shown[p] = NONE;
    for (uint32_t t = 0; t < visible->triangle_count; t++) {
        uint32_t triangle = m->triangles[m->piece_of[t]];
        if (triangle == NONE) continue;
        uint32_t *best = &out->shown[triangle];
        if (*best == NONE || mesh_triangle_area(visible, t) > mesh_triangle_area(visible, *best)) *best = t;
    }
    return RUGA_OK;
}

/* ---- Virtual nodes, by vertex, with the cuts that lie between them and the vertex. */

static ruga_status add_link(maker *m, uint32_t vertex, uint32_t left, uint32_t right, uint32_t path) {
    if (left == right) return RUGA_OK;
    uint32_t *at = &m->first_links[vertex];
    for (; *at != NONE; at = &m->links.items[*at].next) {
        const link *l = &m->links.items[*at];
        if (l->left == left && l->right == right && l->path == path) return RUGA_OK;
    }
    *at = (uint32_t)m->links.count;
    return ARRAY_ADD(m->context, &m->links, (link){left, right, path, NONE});
}

/* Whether the triangle has this edge from its lower to its higher vertex. */
static int runs_upward(const maker *m, uint32_t triangle, size_t edge) {
    const uint32_t *v = m->cut->mesh->triangles + 3 * (size_t)triangle, *ends = m->topo->edge_vertices + 2 * edge;
    for (int k = 0; k < 3; k++)
        if (v[k] == ends[0] && v[(k + 1) % 3] == ends[1]) return 1;
    return 0;
}

static ruga_status link_edge(maker *m, size_t edge) {
    const uint32_t *at = m->topo->edge_triangles + m->topo->edge_offsets[edge];
    vec3 place = m->cut->mesh->positions[m->topo->edge_vertices[2 * edge]];
    if (topology_edge_size(m->topo, edge) != 2 || runs_upward(m, at[0], edge) == runs_upward(m, at[1], edge))
        return fail_input(m->context,
                          "curve \"%s\" runs along a border, or between triangles of opposite orientation, in triangle "
                          "%u at (%g, %g, %g); draw it elsewhere, or orient the mesh",
                          m->curves[m->edge_paths[edge]]->name, edge_parent(m, edge), place.x, place.y, place.z);
    int first_is_left = runs_upward(m, at[0], edge) == m->edge_upward[edge];
    uint32_t left = m->piece_of[at[!first_is_left]], right = m->piece_of[at[first_is_left]];
    const uint32_t *ends = m->topo->edge_vertices + 2 * edge;
    virtual_side side = {m->edge_paths[edge], ends[!m->edge_upward[edge]], ends[m->edge_upward[edge]],
                         m->triangles[left], m->triangles[right]};
    if (side.left != NONE && side.right != NONE && m->parents[left] == m->parents[right])
        TRY(ARRAY_ADD(m->context, &m->sides, side));
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t vertex = m->mesh->triangles[3 * (size_t)m->parents[left] + k];
        uint32_t other = corner_of(m, m->parents[right], vertex);
        if (other == NONE) continue;
        TRY(add_link(m, vertex, set_lowest(m->corners, 3 * left + k), set_lowest(m->corners, 3 * right + other),
                     m->edge_paths[edge]));
    }
    return RUGA_OK;
}

static ruga_status link_pieces(maker *m) {
    TRY(NEW(m->context, &m->first_links, m->mesh->vertex_count));
    for (size_t v = 0; v < m->mesh->vertex_count; v++) m->first_links[v] = NONE;
    for (size_t e = 0; e < m->topo->edge_count; e++)
        if (m->edge_paths[e] != NONE) TRY(link_edge(m, e));
    return RUGA_OK;
}

static ruga_status take_sector(maker *m, uint32_t part) {
    for (size_t i = 0; i < m->sectors.count; i++)
        if (m->sectors.items[i].part == part) return RUGA_OK;
    return ARRAY_ADD(m->context, &m->sectors, (sector){part, NONE, 0});
}

static size_t sector_of(const maker *m, uint32_t part) {
    size_t i = 0;
    while (m->sectors.items[i].part != part) i++;
    return i;
}

static size_t path_place(const maker *m, uint32_t path) {
    size_t i = 0;
    while (i < m->paths.count && m->paths.items[i] != path) i++;
    return i;
}

/* The sectors around a vertex, its own first, and the cuts between them. */
static ruga_status gather_sectors(maker *m, uint32_t vertex, uint32_t own) {
    m->sectors.count = m->paths.count = 0;
    TRY(take_sector(m, own));
    for (uint32_t i = m->first_links[vertex]; i != NONE; i = m->links.items[i].next) {
        const link l = m->links.items[i];
        TRY(take_sector(m, l.right));
        TRY(take_sector(m, l.left));
        if (path_place(m, l.path) == m->paths.count) TRY(ARRAY_ADD(m->context, &m->paths, l.path));
    }
    size_t cells = m->sectors.count * m->paths.count;
    m->rows.count = 0;
    TRY(ARRAY_RESERVE(m->context, &m->rows, cells + 1));
    for (size_t i = 0; i < cells; i++) m->rows.items[i] = 0;
    m->sectors.items[0].depth = 0;
    m->sectors.items[0].paths = 1;
    return RUGA_OK;
}

/* Adds the shortest paths through one cut to the sector behind it; returns whether it was reached. */
static int step_across(maker *m, uint32_t depth, uint32_t from, uint32_t to, uint32_t path, double weight) {
    size_t a = sector_of(m, from), b = sector_of(m, to), width = m->paths.count;
    sector *source = &m->sectors.items[a], *target = &m->sectors.items[b];
    if (source->depth != depth || (target->depth != NONE && target->depth != depth + 1)) return 0;
    target->depth = depth + 1;
    target->paths += source->paths;
    for (size_t k = 0; k < width; k++) m->rows.items[b * width + k] += source->paths * m->rows.items[a * width + k];
    m->rows.items[b * width + path_place(m, path)] += source->paths * weight;
    return 1;
}

/* Crossings of all sectors: breadth first, the mean over shortest paths. */
static void spread(maker *m, uint32_t vertex) {
    size_t width = m->paths.count;
    int reached = 1;
    for (uint32_t depth = 0; reached; depth++) {
        reached = 0;
        for (uint32_t i = m->first_links[vertex]; i != NONE; i = m->links.items[i].next) {
            const link l = m->links.items[i];
            reached |= step_across(m, depth, l.right, l.left, l.path, 1);
            reached |= step_across(m, depth, l.left, l.right, l.path, -1);
        }
        for (size_t s = 0; s < m->sectors.count; s++)
            for (size_t k = 0; k < width && m->sectors.items[s].depth == depth + 1; k++)
                m->rows.items[s * width + k] /= m->sectors.items[s].paths;
    }
}

static ruga_status add_virtual(maker *m, uint32_t vertex, size_t s) {
    m->points[m->sectors.items[s].part] = (uint32_t)m->vertex_of.count;
    TRY(ARRAY_ADD(m->context, &m->vertex_of, vertex));
    for (size_t k = 0; k < m->paths.count; k++) {
        double weight = m->rows.items[s * m->paths.count + k];
        if (weight != 0) TRY(ARRAY_ADD(m->context, &m->crossings, (virtual_crossing){m->paths.items[k], weight}));
    }
    return ARRAY_ADD(m->context, &m->offsets, (uint32_t)m->crossings.count);
}

/* Parts that a simulated triangle has: points becomes 0 instead of NONE. */
static void mark_used(maker *m) {
    for (uint32_t p = 0; p < m->piece_count; p++)
        for (uint32_t k = 0; k < 3 && m->triangles[p] != NONE; k++) m->points[set_lowest(m->corners, 3 * p + k)] = 0;
}

static ruga_status number_vertex(maker *m, uint32_t vertex, uint32_t own) {
    TRY(gather_sectors(m, vertex, own));
    spread(m, vertex);
    for (size_t s = 0; s < m->sectors.count; s++) {
        const sector *at = &m->sectors.items[s];
        if (at->part == own || m->points[at->part] == NONE) continue;
        if (at->depth == NONE)
            return fail_input(m->context,
                              "curve \"%s\" leaves material at vertex %u, in triangle %u, that no cut borders; draw it "
                              "farther from the vertex, or refine the mesh",
                              m->paths.count ? m->curves[m->paths.items[0]]->name : "", vertex,
                              m->parents[at->part / 3]);
        TRY(add_virtual(m, vertex, s));
    }
    m->points[own] = vertex;
    return RUGA_OK;
}

static ruga_status number_points(maker *m) {
    mark_used(m);
    TRY(ARRAY_RESERVE(m->context, &m->vertex_of, m->mesh->vertex_count));
    for (uint32_t v = 0; v < m->mesh->vertex_count; v++) m->vertex_of.items[m->vertex_of.count++] = v;
    TRY(ARRAY_ADD(m->context, &m->offsets, 0));
    for (uint32_t v = 0; v < m->mesh->vertex_count; v++) {
        if (m->topo->fan_offsets[v] == m->topo->fan_offsets[v + 1]) continue; /* in no triangle */
        uint32_t piece = m->piece_of[m->topo->fan_triangles[m->topo->fan_offsets[v]]];
        TRY(number_vertex(m, v, set_lowest(m->corners, 3 * piece + corner_of(m, m->parents[piece], v))));
    }
    return RUGA_OK;
}

/* ---- The simulated mesh. */

static ruga_status make_simulated(maker *m, virtual_nodes *out) {
    mesh_parts parts = {0};
    size_t triangles = 0;
    for (size_t p = 0; p < m->piece_count; p++) triangles += m->triangles[p] != NONE;
    ruga_status status = mesh_parts_allocate(m->context, &parts, m->vertex_of.count, triangles);
    if (RUGA_FAILED(status)) {
        mesh_parts_release(m->context, &parts);
        return status;
    }
    for (size_t i = 0; i < m->vertex_of.count; i++) parts.positions[i] = m->mesh->positions[m->vertex_of.items[i]];
    for (uint32_t p = 0; p < m->piece_count; p++)
        for (uint32_t k = 0; k < 3 && m->triangles[p] != NONE; k++)
            parts.face_vertices[3 * (size_t)m->triangles[p] + k] = m->points[set_lowest(m->corners, 3 * p + k)];
    TRY(mesh_from_parts(m->context, &parts, &out->simulated));
    return mesh_carry_copies(m->mesh, m->vertex_of.items, out->simulated);
}

/* ---- Embedded nodes and the visible mesh. */

enum { FRESH, IN_SECTOR, DONE }; /* triangles around a vertex */

/* Marks the triangles around a vertex that no cut separates from the first. */
static void grow_sector(const maker *m, uint32_t vertex, uint32_t first, uint8_t *marks) {
    const uint32_t *fan = m->topo->fan_triangles + m->topo->fan_offsets[vertex];
    uint32_t count = m->topo->fan_offsets[vertex + 1] - m->topo->fan_offsets[vertex];
    marks[first] = IN_SECTOR;
    for (uint32_t i = first, grew = 0; i < count; i = grew ? 0 : i + 1, grew = 0) {
        if (marks[i] != IN_SECTOR) continue;
        for (int k = 0; k < 3; k++) {
            uint32_t edge = m->topo->triangle_edges[3 * (size_t)fan[i] + (size_t)k];
            const uint32_t *ends = m->topo->edge_vertices + 2 * (size_t)edge;
            if ((ends[0] != vertex && ends[1] != vertex) || m->edge_paths[edge] != NONE) continue;
            for (uint32_t j = 0; j < count; j++) {
                const uint32_t *e = m->topo->triangle_edges + 3 * (size_t)fan[j];
                if (marks[j] != FRESH || (e[0] != edge && e[1] != edge && e[2] != edge)) continue;
                marks[j] = IN_SECTOR;
                grew |= j < i;
            }
        }
    }
}

/* The node of a vertex in a sector, in the largest piece there that has a copy. */
static ruga_status add_embedded(maker *m, uint32_t vertex, uint32_t first, uint8_t *marks) {
    const uint32_t *fan = m->topo->fan_triangles + m->topo->fan_offsets[vertex];
    uint32_t count = m->topo->fan_offsets[vertex + 1] - m->topo->fan_offsets[vertex], best = NONE;
    grow_sector(m, vertex, first, marks);
    for (uint32_t i = 0; i < count; i++) {
        if (marks[i] != IN_SECTOR) continue;
        marks[i] = DONE;
        uint32_t piece = m->piece_of[fan[i]];
        if (m->triangles[piece] != NONE && (best == NONE || m->areas[piece] > m->areas[best])) best = piece;
    }
    if (best == NONE) return RUGA_OK;
    embedded_node node = {.vertex = vertex};
    for (uint32_t k = 0; k < 3; k++) node.points[k] = m->points[set_lowest(m->corners, 3 * best + k)];
    const ruga_map *map = m->cut->map;
    for (size_t e = map->offsets[vertex]; e < map->offsets[vertex + 1]; e++) {
        uint32_t k = corner_of(m, m->parents[best], map->indices[e]);
        if (k != NONE) node.weights[k] = map->weights[e];
    }
    return ARRAY_ADD(m->context, &m->embedded, node);
}

static ruga_status embed_vertices(maker *m) {
    ARRAY(uint8_t) marks = {0};
    ruga_status status = RUGA_OK;
    for (uint32_t v = (uint32_t)m->mesh->vertex_count; v < m->cut->mesh->vertex_count && !RUGA_FAILED(status); v++) {
        uint32_t count = m->topo->fan_offsets[v + 1] - m->topo->fan_offsets[v];
        marks.count = 0;
        status = ARRAY_RESERVE(m->context, &marks, count);
        if (RUGA_FAILED(status)) break;
        memset(marks.items, FRESH, count);
        for (uint32_t i = 0; i < count && !RUGA_FAILED(status); i++)
            if (marks.items[i] == FRESH) status = add_embedded(m, v, i, marks.items);
    }
    ARRAY_RELEASE(m->context, &marks);
    return status;
}

/* Vertices of the mesh are points; those of cuts are the means of their embedded nodes. */
static ruga_status make_visible(const maker *m, virtual_nodes *out) {
    size_t vertices = m->cut->mesh->vertex_count, own = m->mesh->vertex_count, next = 0;
    map_builder rows;
    TRY(map_builder_make(m->context, vertices, own + 3 * m->embedded.count, &rows));
    map_builder_copy_rows(&rows, own);
    for (size_t v = own; v < vertices; v++) {
        size_t begin = next;
        while (next < m->embedded.count && m->embedded.items[next].vertex == v) next++;
        for (size_t i = begin; i < next; i++) {
            const embedded_node *node = &m->embedded.items[i];
            for (int k = 0; k < 3; k++)
                if (node->weights[k] != 0)
                    map_builder_put(&rows, node->points[k], node->weights[k] / (double)(next - begin));
        }
        map_builder_end_row(&rows);
    }
    return map_builder_finish(&rows, m->vertex_of.count, &out->visible);
}

/* ---- All together. */

static ruga_status run(maker *m, virtual_nodes *out) {
    TRY(topology_build_mesh(m->cut->mesh, &m->topo));
    TRY(mark_paths(m));
    TRY(make_pieces(m));
    TRY(join_corners(m));
    TRY(choose_triangles(m, out));
    TRY(find_shown(m, out));
    TRY(link_pieces(m));
    TRY(number_points(m));
    TRY(make_simulated(m, out));
    TRY(embed_vertices(m));
    return make_visible(m, out);
}

/* Hands the arrays over; nothing can fail. */
static void hand_over(maker *m, virtual_nodes *out) {
    out->vertex_of = m->vertex_of.items;
    out->virtual_count = m->vertex_of.count - m->mesh->vertex_count;
    out->crossing_offsets = m->offsets.items;
    out->crossings = m->crossings.items;
    out->embedded = m->embedded.items;
    out->embedded_count = m->embedded.count;
    m->vertex_of.items = m->offsets.items = NULL;
    m->crossings.items = NULL;
    out->sides = m->sides.items;
    out->side_count = m->sides.count;
    m->embedded.items = NULL;
    m->sides.items = NULL;
}

static void maker_release(maker *m) {
    RELEASE_ALL(m->context, m->edge_paths, m->edge_upward, m->groups, m->piece_of, m->parents, m->areas, m->holds,
                m->triangles, m->corners, m->points, m->first_links);
    ARRAY_RELEASE(m->context, &m->links);
    ARRAY_RELEASE(m->context, &m->sectors);
    ARRAY_RELEASE(m->context, &m->paths);
    ARRAY_RELEASE(m->context, &m->rows);
    ARRAY_RELEASE(m->context, &m->vertex_of);
    ARRAY_RELEASE(m->context, &m->crossings);
    ARRAY_RELEASE(m->context, &m->offsets);
    ARRAY_RELEASE(m->context, &m->embedded);
    ARRAY_RELEASE(m->context, &m->sides);
    topology_destroy(m->topo);
}

ruga_status virtual_nodes_make(const ruga_mesh *mesh, const curve_cut *cut, const ruga_curve *const *curves,
                               virtual_nodes *out) {
    *out = (virtual_nodes){.context = mesh->context};
    maker m = {.context = mesh->context, .mesh = mesh, .cut = cut, .curves = curves};
    ruga_status status = run(&m, out);
    if (RUGA_FAILED(status))
        virtual_nodes_release(out);
    else
        hand_over(&m, out);
    maker_release(&m);
    return status;
}

void virtual_nodes_release(virtual_nodes *nodes) {
    ruga_mesh_destroy(nodes->simulated);
    ruga_map_destroy(nodes->visible);
    RELEASE_ALL(nodes->context, nodes->vertex_of, nodes->triangle_parent, nodes->shares, nodes->shown, nodes->embedded,
                nodes->crossing_offsets, nodes->crossings, nodes->sides);
    *nodes = (virtual_nodes){.context = nodes->context};
}
