/* Cuts curves into a mesh: see curve_cut.h.
 *
 *     points of curves ──snap──▶ nodes on vertices, edges and inside ──▶ segments in triangles ──▶ constrained.h
 *
 * First every point of every curve becomes a node: a vertex, a point on an edge, or an inner point of a triangle.
 * Consecutive points of a curve share a triangle, and so do their nodes: a segment. Then each triangle with nodes on
 * its edges or inside is triangulated by itself, and refine_free.h puts the results together.
 *
 * The snap distance is `snap` times the shortest edge of the triangle, or, for an edge, of the triangles at it. Nodes
 * are farther apart than that, and so is a node from a segment that it is not on, so no height of a new triangle is
 * below about half of it. If edges of a triangle are at most q times as long as its shortest one, a straight stroke
 * makes no angle below about asin(snap / 2q): 1.4 degrees for equilateral triangles (measured over 20,000 random ones:
 * 2.5). Where curves cross or bend, the angle between them is kept: of 20,000 sets of four random closed curves on an
 * icosahedron, with dozens of crossings each, 2 % had an angle below that, the smallest 0.1 degrees. */
#include "geom/curve_cut.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geom/constrained.h"
#include "geom/surface_path.h"
#include "math/vec3.h"
#include "mesh/refine_free.h"

#define NONE UINT32_MAX

typedef enum node_kind { NODE_VERTEX = 0, NODE_EDGE, NODE_INNER } node_kind;

typedef struct node {
    node_kind kind;
    uint32_t where; /* vertex, edge or triangle */
    double u, v;    /* edge: u from the lower vertex; inner: weights of corners 1 and 2; of the grid */
    uint32_t next;  /* of the same edge or triangle */
} node;

/* Two nodes of a curve, in a triangle. */
typedef struct segment {
    uint32_t nodes[2];
    uint32_t triangle;
    uint32_t next;    /* of the same triangle */
    flat_chain chain; /* local points of its path, once its triangle is cut */
} segment;

typedef struct cutter {
    ruga_context *context;
    const ruga_mesh *mesh;
    const curve_cut_def *def;
    const topology *topo;
    topology *own_topo; /* NULL: topo is the caller's */
    ARRAY(node) nodes;
    ARRAY(segment) segments;
    const ruga_curve *const *curves;
    uint32_t *edge_nodes;     /* (edge_count) the first of each */
    uint32_t *inner_nodes;    /* (triangle_count) */
    uint32_t *first_segments; /* (triangle_count) */
    uint32_t *last_segments;  /* (triangle_count) */
    size_t *curve_segments;   /* (curves + 1) offsets into segments */
    free_cut cut;
    /* While triangles are cut: */
    ARRAY(inner_point) inner_points;
    ARRAY(uint32_t) children;
    ARRAY(uint32_t) locals; /* local points of the free cut, by point of the flat triangulation */
} cutter;

/* ---- Nodes. */

static vec3 corner_at(const cutter *c, uint32_t triangle, int k) {
    return c->mesh->positions[c->mesh->triangles[3 * (size_t)triangle + (size_t)k]];
}

static double shortest_side(const cutter *c, uint32_t triangle) {
    double shortest = INFINITY;
    for (int k = 0; k < 3; k++)
        shortest = fmin(shortest, vec3_distance(corner_at(c, triangle, k), corner_at(c, triangle, (k + 1) % 3)));
    return shortest;
}

static ruga_status add_node(cutter *c, node n, uint32_t *first, uint32_t *out) {
    TRY(ARRAY_RESERVE(c->context, &c->nodes, 1));
    *out = (uint32_t)c->nodes.count;
    if (first) {
        n.next = *first;
        *first = *out;
    }
    c->nodes.items[c->nodes.count++] = n;
    return RUGA_OK;
}

static ruga_status vertex_node(cutter *c, uint32_t vertex, uint32_t *out) {
    return add_node(c, (node){NODE_VERTEX, vertex, 0, 0, NONE}, NULL, out);
}

/* The node at a place on an edge, from its lower vertex. */
static ruga_status edge_node(cutter *c, uint32_t edge, double place, uint32_t *out) {
    const uint32_t *ends = c->topo->edge_vertices + 2 * (size_t)edge;
    double length = vec3_distance(c->mesh->positions[ends[0]], c->mesh->positions[ends[1]]), shortest = INFINITY;
    for (uint32_t i = c->topo->edge_offsets[edge]; i < c->topo->edge_offsets[edge + 1]; i++)
        shortest = fmin(shortest, shortest_side(c, c->topo->edge_triangles[i]));
    double snap = c->def->snap * shortest;
    if (place * length <= snap) return vertex_node(c, ends[0], out);
    if ((1 - place) * length <= snap) return vertex_node(c, ends[1], out);
    for (uint32_t i = c->edge_nodes[edge]; i != NONE; i = c->nodes.items[i].next)
        if (fabs(c->nodes.items[i].u - place) * length <= snap) {
            *out = i;
            return RUGA_OK;
        }
    return add_node(c, (node){NODE_EDGE, edge, constrained_round(place), 0, NONE}, &c->edge_nodes[edge], out);
}

static vec3 inner_at(const cutter *c, uint32_t triangle, double u, double v) {
    vec3 at = vec3_scale(corner_at(c, triangle, 0), 1 - u - v);
    return vec3_add_scaled(vec3_add_scaled(at, corner_at(c, triangle, 1), u), corner_at(c, triangle, 2), v);
}

/* The distance of a place from edge k of a triangle; *along: the parameter of the nearest point of the edge. */
static double edge_distance(const cutter *c, uint32_t triangle, int k, vec3 at, double *along) {
    vec3 a = corner_at(c, triangle, k), edge = vec3_sub(corner_at(c, triangle, (k + 1) % 3), a);
    *along = fmin(1, fmax(0, vec3_dot(vec3_sub(at, a), edge) / vec3_length2(edge)));
    return vec3_distance(at, vec3_add_scaled(a, edge, *along));
}

/* The node at a place inside: a corner, a node of the nearest edge, an inner node, or a new one. */
static ruga_status inner_node(cutter *c, uint32_t triangle, const double w[3], uint32_t *out) {
    double snap = c->def->snap * shortest_side(c, triangle), nearest = INFINITY, place = 0;
    vec3 at = inner_at(c, triangle, w[1], w[2]);
    const uint32_t *v = c->mesh->triangles + 3 * (size_t)triangle;
    uint32_t nearest_edge = NONE;
    for (int k = 0; k < 3; k++)
        if (vec3_distance(at, corner_at(c, triangle, k)) <= snap) return vertex_node(c, v[k], out);
    for (int k = 0; k < 3; k++) {
        double along, distance = edge_distance(c, triangle, k, at, &along);
        if (!(distance < nearest)) continue;
        nearest = distance;
        nearest_edge = c->topo->triangle_edges[3 * (size_t)triangle + (size_t)k];
        place = v[k] == c->topo->edge_vertices[2 * (size_t)nearest_edge] ? along : 1 - along;
    }
    if (nearest <= snap) return edge_node(c, nearest_edge, place, out);
    for (uint32_t i = c->inner_nodes[triangle]; i != NONE; i = c->nodes.items[i].next)
        if (vec3_distance(at, inner_at(c, triangle, c->nodes.items[i].u, c->nodes.items[i].v)) <= snap) {
            *out = i;
            return RUGA_OK;
        }
    node n = {NODE_INNER, triangle, constrained_round(w[1]), constrained_round(w[2]), NONE};
    return add_node(c, n, &c->inner_nodes[triangle], out);
}

/* The node of a point of a curve. */
static ruga_status point_node(cutter *c, const ruga_surface_point *point, uint32_t *out) {
    const uint32_t *v = c->mesh->triangles + 3 * (size_t)point->triangle;
    const double *w = point->weights;
    for (uint32_t k = 0; k < 3; k++)
        if (w[k] >= 1) return vertex_node(c, v[k], out);
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t from = k, to = (k + 1) % 3;
        if (w[(k + 2) % 3] > 0) continue;
        uint32_t edge = c->topo->triangle_edges[3 * (size_t)point->triangle + k];
        return edge_node(c, edge, v[from] == c->topo->edge_vertices[2 * (size_t)edge] ? w[to] : w[from], out);
    }
    return inner_node(c, point->triangle, w, out);
}

/* ---- Segments. */

static int has_area(const cutter *c, uint32_t triangle) {
    vec3 a = corner_at(c, triangle, 0);
    vec3 across = vec3_cross(vec3_sub(corner_at(c, triangle, 1), a), vec3_sub(corner_at(c, triangle, 2), a));
    return vec3_length2(across) > 0;
}

static int triangle_has(const cutter *c, uint32_t triangle, const node *n) {
    const uint32_t *v = c->mesh->triangles + 3 * (size_t)triangle, *e = c->topo->triangle_edges + 3 * (size_t)triangle;
    if (n->kind == NODE_INNER) return n->where == triangle;
    if (n->kind == NODE_EDGE) return e[0] == n->where || e[1] == n->where || e[2] == n->where;
    return v[0] == n->where || v[1] == n->where || v[2] == n->where;
}

/* A triangle that two nodes share: `like` if it has both, else the first one at node a that has b. */
static uint32_t shared_triangle(const cutter *c, uint32_t a, uint32_t b, uint32_t like) {
    const node *n = &c->nodes.items[a], *other = &c->nodes.items[b];
    if (triangle_has(c, like, n) && triangle_has(c, like, other)) return like;
    if (n->kind == NODE_INNER) return triangle_has(c, n->where, other) ? n->where : NONE;
    const uint32_t *offsets = n->kind == NODE_EDGE ? c->topo->edge_offsets : c->topo->fan_offsets;
    const uint32_t *triangles = n->kind == NODE_EDGE ? c->topo->edge_triangles : c->topo->fan_triangles;
    for (uint32_t i = offsets[n->where]; i < offsets[n->where + 1]; i++)
        if (triangle_has(c, triangles[i], other)) return triangles[i];
    return NONE;
}

/* ---- Curves that can't be cut. Messages give positions, since the points of a traced curve are not those drawn. */

static ruga_status fail_area(const cutter *c, const ruga_curve *curve, size_t point, uint32_t triangle) {
    vec3 at = surface_point_at(c->mesh, NULL, curve->points[point]);
    return fail_input(
        c->context,
        "curve \"%s\": at (%g, %g, %g) it meets triangle %u, which has no area; draw around it, or remove it "
        "from the mesh",
        curve->name, at.x, at.y, at.z, triangle);
}

static ruga_status add_segment(cutter *c, const ruga_curve *curve, size_t point, uint32_t a, uint32_t b) {
    const node *x = &c->nodes.items[a], *y = &c->nodes.items[b];
    if (a == b || (x->kind == NODE_VERTEX && y->kind == NODE_VERTEX && x->where == y->where)) return RUGA_OK;
    size_t next = (point + 1) % curve->point_count;
    uint32_t triangle = shared_triangle(c, a, b, curve->points[next].triangle);
    if (triangle == NONE)
        return fail_input(
            c->context, "curve \"%s\": its points %zu and %zu have no common triangle; trace it over the surface first",
            curve->name, point, next);
    if (!has_area(c, triangle)) return fail_area(c, curve, point, triangle);
    TRY(ARRAY_RESERVE(c->context, &c->segments, 1));
    uint32_t number = (uint32_t)c->segments.count;
    c->segments.items[c->segments.count++] = (segment){{a, b}, triangle, NONE, {0}};
    if (c->first_segments[triangle] == NONE)
        c->first_segments[triangle] = number;
    else
        c->segments.items[c->last_segments[triangle]].next = number;
    c->last_segments[triangle] = number;
    return RUGA_OK;
}

static ruga_status check_point(const cutter *c, const ruga_curve *curve, size_t i) {
    uint32_t triangle = curve->points[i].triangle;
    if (triangle >= c->mesh->triangle_count)
        return fail_input(c->context, "curve \"%s\": point %zu is on triangle %u of a mesh of %zu", curve->name, i,
                          triangle, c->mesh->triangle_count);
    return has_area(c, triangle) ? RUGA_OK : fail_area(c, curve, i, triangle);
}

/* An edge of more than two triangles that a node lies on, or NONE. */
static uint32_t branching_edge(const cutter *c, const node *at) {
    if (at->kind == NODE_EDGE) return topology_edge_size(c->topo, at->where) > 2 ? at->where : NONE;
    if (at->kind != NODE_VERTEX) return NONE;
    for (uint32_t i = c->topo->fan_offsets[at->where]; i < c->topo->fan_offsets[at->where + 1]; i++)
        for (size_t k = 0; k < 3; k++) {
            uint32_t edge = c->topo->triangle_edges[3 * (size_t)c->topo->fan_triangles[i] + k];
            const uint32_t *v = c->topo->edge_vertices + 2 * (size_t)edge;
            if ((v[0] == at->where || v[1] == at->where) && topology_edge_size(c->topo, edge) > 2) return edge;
        }
    return NONE;
}

/* A node on an edge cuts all triangles there: they must have area, and be one or two. */
static ruga_status check_node(const cutter *c, const ruga_curve *curve, size_t point, uint32_t n) {
    const node *at = &c->nodes.items[n];
    uint32_t edge = branching_edge(c, at);
    if (edge != NONE) {
        const uint32_t *v = c->topo->edge_vertices + 2 * (size_t)edge;
        vec3 place = surface_point_at(c->mesh, NULL, curve->points[point]);
        return fail_input(
            c->context,
            "curve \"%s\": at (%g, %g, %g) in triangle %u, edge (%u, %u) of the mesh has %u triangles, and a curve can "
            "only be cut into edges of one or two; separate the surfaces there, or draw it beside the edge",
            curve->name, place.x, place.y, place.z, curve->points[point].triangle, v[0], v[1],
            topology_edge_size(c->topo, edge));
    }
    if (at->kind != NODE_EDGE) return RUGA_OK;
    for (uint32_t i = c->topo->edge_offsets[at->where]; i < c->topo->edge_offsets[at->where + 1]; i++)
        if (!has_area(c, c->topo->edge_triangles[i])) return fail_area(c, curve, point, c->topo->edge_triangles[i]);
    return RUGA_OK;
}

static ruga_status add_curve(cutter *c, const ruga_curve *curve) {
    size_t segments = c->segments.count;
    uint32_t first = NONE, before = NONE, now;
    for (size_t i = 0; i < curve->point_count; i++) {
        TRY(check_point(c, curve, i));
        TRY(point_node(c, &curve->points[i], &now));
        TRY(check_node(c, curve, i, now));
        if (before != NONE) TRY(add_segment(c, curve, i - 1, before, now));
        if (first == NONE) first = now;
        before = now;
    }
    if (curve->closed && first != NONE) TRY(add_segment(c, curve, curve->point_count - 1, before, first));
    if (c->segments.count == segments)
        return fail_input(c->context,
                          "curve \"%s\" is shorter than %g times the edges around it, so that its points become one "
                          "vertex; draw it longer, or refine the mesh",
                          curve->name, c->def->snap);
    return RUGA_OK;
}

/* ---- Points on edges, in order. */

/* Sorts the list of an edge's nodes. */
static void sort_edge(cutter *c, uint32_t edge) {
    uint32_t sorted = NONE;
    for (uint32_t i = c->edge_nodes[edge], next; i != NONE; i = next) {
        next = c->nodes.items[i].next;
        uint32_t *at = &sorted;
        while (*at != NONE && c->nodes.items[*at].u < c->nodes.items[i].u) at = &c->nodes.items[*at].next;
        c->nodes.items[i].next = *at;
        *at = i;
    }
    c->edge_nodes[edge] = sorted;
}

static ruga_status place_edges(cutter *c) {
    size_t count = 0;
    for (size_t i = 0; i < c->nodes.count; i++) count += c->nodes.items[i].kind == NODE_EDGE;
    TRY(NEW_ZEROED(c->context, &c->cut.edge_offsets, c->topo->edge_count + 1));
    TRY(NEW(c->context, &c->cut.edge_places, count));
    uint32_t placed = 0;
    for (uint32_t e = 0; e < c->topo->edge_count; e++) {
        sort_edge(c, e);
        for (uint32_t i = c->edge_nodes[e]; i != NONE; i = c->nodes.items[i].next)
            c->cut.edge_places[placed++] = c->nodes.items[i].u;
        c->cut.edge_offsets[e + 1] = placed;
    }
    return RUGA_OK;
}

/* ---- One triangle. */

/* Sets the local point of a point of the flat triangulation. */
static ruga_status name_point(cutter *c, uint32_t point, uint32_t local) {
    while (c->locals.count <= point) {
        TRY(ARRAY_ADD(c->context, &c->locals, NONE));
    }
    c->locals.items[point] = local;
    return RUGA_OK;
}

/* An inner point becomes a local point and an inner point of the cut. */
static ruga_status name_inner(cutter *c, const constrained *flat, uint32_t point, uint32_t *local) {
    vec2 at = flat->points.items[point];
    TRY(ARRAY_ADD(c->context, &c->inner_points, (inner_point){{1 - at.x - at.y, at.x, at.y}}));
    return name_point(c, point, (*local)++);
}

/* The point of the flat triangulation at a node of the triangle. */
static ruga_status node_point(cutter *c, uint32_t triangle, constrained *flat, uint32_t n, uint32_t *point) {
    const node *at = &c->nodes.items[n];
    const uint32_t *v = c->mesh->triangles + 3 * (size_t)triangle, *e = c->topo->triangle_edges + 3 * (size_t)triangle;
    if (at->kind == NODE_INNER) return constrained_inner_point(flat, at->u, at->v, point);
    if (at->kind == NODE_VERTEX) {
        *point = v[0] == at->where ? 0 : v[1] == at->where ? 1 : 2;
        return RUGA_OK;
    }
    uint32_t k = e[0] == at->where ? 0 : e[1] == at->where ? 1 : 2;
    int upwards = v[k] == c->topo->edge_vertices[2 * (size_t)at->where];
    return constrained_border_point(flat, (int)k, upwards ? at->u : 1 - at->u, point);
}

/* Adds the curve and the position to the message about a segment. */
static ruga_status fail_segment(const cutter *c, uint32_t number, ruga_status status) {
    char message[400];
    size_t curve = 0;
    if (status != RUGA_ERROR_INPUT) return status;
    snprintf(message, sizeof message, "%s", ruga_context_message(c->context));
    while (c->curve_segments[curve + 1] <= number) curve++;
    uint32_t triangle = c->segments.items[number].triangle;
    vec3 at = inner_at(c, triangle, 1.0 / 3, 1.0 / 3);
    return fail_with(c->context, status, "curve \"%s\", in triangle %u at (%g, %g, %g): %s", c->curves[curve]->name,
                     triangle, at.x, at.y, at.z, message);
}

static ruga_status join_segments(cutter *c, uint32_t triangle, constrained *flat) {
    for (uint32_t i = c->first_segments[triangle]; i != NONE; i = c->segments.items[i].next) {
        segment *s = &c->segments.items[i];
        uint32_t a, b;
        ruga_status status = node_point(c, triangle, flat, s->nodes[0], &a);
        if (!RUGA_FAILED(status)) status = node_point(c, triangle, flat, s->nodes[1], &b);
        if (!RUGA_FAILED(status)) status = constrained_join(flat, a, b, &s->chain);
        if (RUGA_FAILED(status)) return fail_segment(c, i, status);
    }
    constrained_improve(flat);
    return RUGA_OK;
}

static ruga_status triangulate(cutter *c, uint32_t triangle, constrained *flat) {
    uint32_t local = 3, point;
    c->locals.count = 0;
    for (uint32_t k = 0; k < 3; k++) TRY(name_point(c, k, k));
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = c->edge_nodes[c->topo->triangle_edges[3 * (size_t)triangle + k]]; i != NONE;
             i = c->nodes.items[i].next) {
            TRY(node_point(c, triangle, flat, i, &point));
            TRY(name_point(c, point, local++));
        }
    for (uint32_t i = c->inner_nodes[triangle]; i != NONE; i = c->nodes.items[i].next) {
        TRY(node_point(c, triangle, flat, i, &point));
        TRY(name_inner(c, flat, point, &local));
    }
    TRY(join_segments(c, triangle, flat));
    /* Points of crossings. */
    for (point = (uint32_t)c->locals.count; point < flat->points.count; point++)
        TRY(name_inner(c, flat, point, &local));
    for (uint32_t i = c->first_segments[triangle]; i != NONE; i = c->segments.items[i].next) {
        flat_chain *chain = &c->segments.items[i].chain;
        TRY(constrained_follow(flat, chain));
        for (size_t k = 0; k < chain->count; k++) chain->items[k] = c->locals.items[chain->items[k]];
    }
    TRY(ARRAY_RESERVE(c->context, &c->children, 3 * flat->triangles.count));
    for (size_t i = 0; i < 3 * flat->triangles.count; i++)
        c->children.items[c->children.count++] = c->locals.items[flat->triangles.items[i / 3].vertices[i % 3]];
    return RUGA_OK;
}

static int is_touched(const cutter *c, uint32_t triangle) {
    for (uint32_t k = 0; k < 3; k++)
        if (c->edge_nodes[c->topo->triangle_edges[3 * (size_t)triangle + k]] != NONE) return 1;
    return c->inner_nodes[triangle] != NONE || c->first_segments[triangle] != NONE;
}

static ruga_status cut_triangle(cutter *c, uint32_t triangle) {
    if (!is_touched(c, triangle)) {
        TRY(ARRAY_RESERVE(c->context, &c->children, 3));
        for (uint32_t k = 0; k < 3; k++) c->children.items[c->children.count++] = k;
        return RUGA_OK;
    }
    double sides[3];
    for (int k = 0; k < 3; k++)
        sides[k] = vec3_distance(corner_at(c, triangle, k), corner_at(c, triangle, (k + 1) % 3));
    constrained flat;
    TRY(constrained_begin(c->context, sides, 0.5 * c->def->snap * shortest_side(c, triangle), &flat));
    ruga_status status = triangulate(c, triangle, &flat);
    constrained_release(&flat);
    return status;
}

static ruga_status cut_triangles(cutter *c) {
    size_t count = c->mesh->triangle_count;
    TRY(NEW_EACH_ZEROED(c->context, count + 1, &c->cut.inner_offsets, &c->cut.child_offsets));
    for (uint32_t t = 0; t < count; t++) {
        TRY(cut_triangle(c, t));
        c->cut.inner_offsets[t + 1] = (uint32_t)c->inner_points.count;
        c->cut.child_offsets[t + 1] = (uint32_t)(c->children.count / 3);
    }
    c->cut.inner_points = c->inner_points.items;
    c->cut.children = c->children.items;
    return RUGA_OK;
}

/* ---- Results. */

static ruga_status make_path(const cutter *c, size_t curve, int closed, curve_path *path) {
    ARRAY(uint32_t) vertices = {0};
    ruga_status status = RUGA_OK;
    for (size_t i = c->curve_segments[curve]; i < c->curve_segments[curve + 1] && !RUGA_FAILED(status); i++) {
        const segment *s = &c->segments.items[i];
        status = ARRAY_RESERVE(c->context, &vertices, s->chain.count);
        for (size_t k = 0; k < s->chain.count && !RUGA_FAILED(status); k++) {
            uint32_t v = free_cut_vertex(c->mesh, &c->cut, s->triangle, s->chain.items[k]);
            if (vertices.count == 0 || vertices.items[vertices.count - 1] != v) vertices.items[vertices.count++] = v;
        }
    }
    if (closed && vertices.count > 1 && vertices.items[0] == vertices.items[vertices.count - 1]) vertices.count--;
    *path = (curve_path){vertices.count, vertices.items, closed};
    return status;
}

/* ---- All together. */

static void cutter_release(cutter *c) {
    for (size_t i = 0; i < c->segments.count; i++) ARRAY_RELEASE(c->context, &c->segments.items[i].chain);
    ARRAY_RELEASE(c->context, &c->nodes);
    ARRAY_RELEASE(c->context, &c->segments);
    ARRAY_RELEASE(c->context, &c->inner_points);
    ARRAY_RELEASE(c->context, &c->children);
    ARRAY_RELEASE(c->context, &c->locals);
    RELEASE_ALL(c->context, c->edge_nodes, c->inner_nodes, c->first_segments, c->last_segments, c->curve_segments,
                c->cut.edge_offsets, c->cut.edge_places, c->cut.inner_offsets, c->cut.child_offsets);
    topology_destroy(c->own_topo);
}

static ruga_status run(cutter *c, const ruga_curve *const *curves, size_t count, curve_cut *out) {
    const ruga_mesh *mesh = c->mesh;
    if (!c->topo) {
        TRY(topology_build_mesh(mesh, &c->own_topo));
        c->topo = c->own_topo;
    }
    c->cut.topo = c->topo;
    TRY(NEW(c->context, &c->edge_nodes, c->topo->edge_count));
    TRY(NEW_EACH(c->context, mesh->triangle_count, &c->inner_nodes, &c->first_segments, &c->last_segments));
    TRY(NEW_ZEROED(c->context, &c->curve_segments, count + 1));
    memset(c->edge_nodes, 0xff, c->topo->edge_count * sizeof(uint32_t));
    memset(c->inner_nodes, 0xff, mesh->triangle_count * sizeof(uint32_t));
    memset(c->first_segments, 0xff, mesh->triangle_count * sizeof(uint32_t));
    for (size_t i = 0; i < count; i++) {
        TRY(add_curve(c, curves[i]));
        c->curve_segments[i + 1] = c->segments.count;
    }
    TRY(place_edges(c));
    TRY(cut_triangles(c));

    TRY(NEW_ZEROED(c->context, &out->paths, count));
    out->path_count = count;
    for (size_t i = 0; i < count; i++) TRY(make_path(c, i, curves[i]->closed, &out->paths[i]));
    TRY(NEW(c->context, &out->triangle_parent, c->children.count / 3));
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (uint32_t i = c->cut.child_offsets[t]; i < c->cut.child_offsets[t + 1]; i++) out->triangle_parent[i] = t;
    return free_cut_apply(mesh, &c->cut, &out->mesh, &out->map);
}

curve_cut_def curve_cut_def_default(void) { return (curve_cut_def){.snap = 0.05}; }

ruga_status curve_cut_make(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count,
                           const curve_cut_def *def, curve_cut *out) {
    *out = (curve_cut){.context = mesh->context};
    cutter c = {.context = mesh->context, .mesh = mesh, .def = def, .topo = def->topo, .curves = curves};
    ruga_status status = run(&c, curves, count, out);
    cutter_release(&c);
    if (RUGA_FAILED(status)) curve_cut_release(out);
    return status;
}

void curve_cut_release(curve_cut *cut) {
    for (size_t i = 0; i < cut->path_count; i++) memory_release(cut->context, cut->paths[i].vertices);
    RELEASE_ALL(cut->context, cut->paths, cut->triangle_parent);
    ruga_mesh_destroy(cut->mesh);
    ruga_map_destroy(cut->map);
    *cut = (curve_cut){.context = cut->context};
}
