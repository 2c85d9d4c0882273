/* Traces lines along the zeros of distances, from triangle to triangle: see cut_lines.h. A line is traced from its
 * middle to both ends. */
#include <math.h>

#include "geom/cut_lines_parts.h"

#define SHORTEST_RING 3.0 /* mean edges that a closed line has at least */
#define BESIDE 2.0        /* edges: a line that meets the border so far before its end is beside it */
#define DOUBLED 1.5       /* times the size of its box: the length of a line that runs back */
#define FAR 3.0           /* edges: ends of a crossed edge are not farther apart along the line */

static const strand_place *place_of(const liner *l, const strand *s, uint32_t vertex) {
    return l->slots[vertex] == NONE ? NULL : &s->near.items[l->slots[vertex]];
}

/* Whether the line crosses an edge; *part: where, from its lower vertex. */
static int crosses(const liner *l, const strand *s, uint32_t edge, double *part, double *along) {
    const uint32_t *v = l->topo->edge_vertices + 2 * (size_t)edge;
    const strand_place *a = place_of(l, s, v[0]), *b = place_of(l, s, v[1]);
    if (!a || !b || (a->distance > 0) == (b->distance > 0)) return 0;
    double apart = fabs(a->along - b->along),
           length = vec3_distance(l->mesh->positions[v[0]], l->mesh->positions[v[1]]);
    if (s->closed) apart = fmin(apart, s->length - apart);
    if (apart > FAR * length) return 0;
    *part = a->distance / (a->distance - b->distance);
    *along = a->along + *part * (b->along - a->along);
    return 1;
}

static uint32_t edge_at(const liner *l, uint32_t triangle, int k) {
    return l->topo->triangle_edges[3 * (size_t)triangle + (size_t)k];
}

static int side_of(const liner *l, uint32_t triangle, uint32_t edge) {
    return edge_at(l, triangle, 0) == edge ? 0 : edge_at(l, triangle, 1) == edge ? 1 : 2;
}

/* The point of a triangle at a part of its edge, from the lower vertex. */
static ruga_surface_point edge_point(const liner *l, uint32_t triangle, uint32_t edge, double part) {
    int k = side_of(l, triangle, edge);
    int upward = l->mesh->triangles[3 * (size_t)triangle + (size_t)k] == l->topo->edge_vertices[2 * (size_t)edge];
    return trace_edge_point(triangle, k, upward ? part : 1 - part);
}

/* Of the curves that a strand is made of, the one that passes nearest to a place. */
static const char *name_near(const liner *l, const strand *s, vec3 at) {
    size_t nearest = s->curve;
    double least = INFINITY;
    for (size_t i = 0; i < s->at.count; i++) {
        double distance = vec3_distance(s->at.items[i], at);
        if (!(distance < least)) continue;
        least = distance;
        nearest = s->marks.items[i].curve;
    }
    return l->curves[nearest]->name;
}

ruga_status strand_fail(const liner *l, const strand *s, uint32_t triangle, const char *problem) {
    vec3 at = surface_point_at(l->mesh, NULL, (ruga_surface_point){triangle, {1.0 / 3, 1.0 / 3, 1.0 / 3}});
    return fail_input(l->context, "curve \"%s\", in triangle %u at (%g, %g, %g): %s", name_near(l, s, at), triangle,
                      at.x, at.y, at.z, problem);
}

ruga_status strand_check_edge(const liner *l, const strand *s, uint32_t edge) {
    if (topology_edge_size(l->topo, edge) <= 2) return RUGA_OK;
    return strand_fail(l, s, l->topo->edge_triangles[l->topo->edge_offsets[edge]],
                       "it meets an edge of more than two triangles; end it before that edge, or separate the surfaces "
                       "there");
}

static ruga_status fail_near_itself(liner *l, const strand *s, uint32_t triangle) {
    l->near_itself = s->curve;
    return strand_fail(l, s, triangle, "it comes too near to itself; draw it wider, or refine the mesh");
}

/* ---- Stems. */

/* Where a segment meets a piece of a trace, in coordinates of the triangle; `part` of the segment. */
static int meets(const ruga_surface_point *p, const ruga_surface_point *q, const trace_piece *piece, double *part) {
    vec2 a = {p->weights[1], p->weights[2]}, b = {q->weights[1], q->weights[2]};
    vec2 c = {piece->from.weights[1], piece->from.weights[2]}, d = {piece->to.weights[1], piece->to.weights[2]};
    vec2 ab = vec2_sub(b, a), cd = vec2_sub(d, c), ac = vec2_sub(c, a);
    double across = vec2_cross(ab, cd);
    if (across == 0) return 0;
    *part = vec2_cross(ac, cd) / across;
    double other = vec2_cross(ac, ab) / across;
    return *part >= 0 && *part <= 1 && other >= 0 && other <= 1;
}

/* Whether a stem ends between two points of a triangle; *end: where. */
static int ends_on_bar(const liner *l, uint32_t bar, ruga_surface_point p, ruga_surface_point q,
                       ruga_surface_point *end) {
    for (uint32_t i = l->first_pieces[p.triangle]; i != NONE; i = l->pieces.items[i].next) {
        double part;
        if (l->pieces.items[i].strand != bar || !meets(&p, &q, &l->pieces.items[i], &part)) continue;
        for (int k = 0; k < 3; k++) end->weights[k] = (1 - part) * p.weights[k] + part * q.weights[k];
        end->triangle = p.triangle;
        return 1;
    }
    return 0;
}

static ruga_status remember_pieces(liner *l, uint32_t index) {
    const strand *s = &l->strands.items[index];
    size_t count = s->trace.count;
    for (size_t i = 0; i < s->triangles.count; i++) {
        uint32_t t = s->triangles.items[i];
        trace_piece piece = {index, surface_point_in(&l->t, t, s->trace.items[i]),
                             surface_point_in(&l->t, t, s->trace.items[(i + 1) % count]), l->first_pieces[t]};
        l->first_pieces[t] = (uint32_t)l->pieces.count;
        TRY(ARRAY_ADD(l->context, &l->pieces, piece));
    }
    return RUGA_OK;
}

/* ---- Walking. */

/* One direction of a walk. */
typedef struct walk {
    uint32_t edge;     /* crossed last */
    double part;       /* of it, from the lower vertex */
    uint32_t triangle; /* ahead; NONE: the border */
    int end;           /* of the strand, that it goes to */
    int is_done;
    double left; /* m, from the edge to that end of the strand */
} walk;

static ruga_status add_point(liner *l, strand *s, uint32_t triangle, ruga_surface_point point) {
    TRY(ARRAY_ADD(l->context, &s->trace, point));
    return ARRAY_ADD(l->context, &s->triangles, triangle);
}

/* The line ends at the vertex opposite the edge that was crossed last. */
static ruga_status end_at_vertex(liner *l, strand *s, walk *w) {
    int k = (side_of(l, w->triangle, w->edge) + 2) % 3;
    uint32_t vertex = l->mesh->triangles[3 * (size_t)w->triangle + (size_t)k];
    ruga_surface_point tip = {w->triangle, {k == 0, k == 1, k == 2}};
    s->near.items[l->slots[vertex]].distance = 0;
    s->ends[w->end] = CUT_TIP;
    w->is_done = 1;
    return add_point(l, s, w->triangle, tip);
}

/* Through the triangle ahead. */
static ruga_status walk_on(liner *l, strand *s, walk *w) {
    uint32_t t = w->triangle, exit = NONE;
    double part = 0, along = 0;
    cut_end kind = s->ends[w->end];
    if (kind == CUT_STAR && l->stars.items[s->stars[w->end]].at.triangle == t) {
        w->is_done = 1;
        return add_point(l, s, t, l->stars.items[s->stars[w->end]].at);
    }
    for (int k = 0; k < 3 && exit == NONE; k++)
        if (edge_at(l, t, k) != w->edge && crosses(l, s, edge_at(l, t, k), &part, &along)) exit = edge_at(l, t, k);
    if (exit == NONE) return fail_near_itself(l, s, t);
    /* A line that misses the border or the bar that it was meant to end at becomes a tip. */
    double behind = w->end ? along - s->length : -along, allowed = kind == CUT_TIP ? 0 : l->edge;
    if (kind != CUT_STAR && behind > allowed && !s->closed) return end_at_vertex(l, s, w);
    ruga_surface_point point = edge_point(l, t, exit, part), end;
    if (kind == CUT_STEM && !s->closed &&
        ends_on_bar(l, s->bars[w->end], edge_point(l, t, w->edge, w->part), point, &end)) {
        w->is_done = 1;
        return add_point(l, s, t, end);
    }
    TRY(add_point(l, s, t, point));
    w->edge = exit;
    w->part = part;
    w->left = -behind;
    w->triangle = trace_across(&l->t, t, side_of(l, t, exit));
    return strand_check_edge(l, s, exit);
}

static ruga_status walk_to_end(liner *l, strand *s, walk *w) {
    uint32_t first = w->edge;
    for (size_t steps = 0; !w->is_done && w->triangle != NONE; steps++) {
        uint32_t t = w->triangle;
        TRY(walk_on(l, s, w));
        if (s->closed && w->edge == first) {
            s->trace.count--; /* the first point again */
            w->is_done = 1;
        }
        if (steps > l->mesh->triangle_count) return fail_near_itself(l, s, t);
    }
    if (w->triangle == NONE && !w->is_done && (s->closed || w->left > BESIDE * l->edge))
        return strand_fail(l, s, l->topo->edge_triangles[l->topo->edge_offsets[w->edge]],
                           "it leaves the mesh here, before its end; draw it farther from the border");
    if (w->triangle == NONE && !w->is_done) s->ends[w->end] = CUT_BORDER;
    return RUGA_OK;
}

/* ---- The line. */

/* A crossed edge near the middle of a strand. */
typedef struct middle_edge {
    double off; /* m, from the middle of the strand; infinite: none was found */
    uint32_t edge;
    double part; /* of it, from the lower vertex */
} middle_edge;

static void look_in_triangle(const liner *l, const strand *s, uint32_t triangle, middle_edge *best) {
    for (int k = 0; k < 3; k++) {
        uint32_t edge = edge_at(l, triangle, k);
        double part, along;
        if (!crosses(l, s, edge, &part, &along) || along < 0 || along > s->length) continue;
        double off = fabs(along - 0.5 * s->length);
        if (off < best->off) *best = (middle_edge){off, edge, part};
    }
}

/* The crossed edge nearest to the middle: of the triangles that the curve was drawn on, or of those around them, where
 * the shift moved a curve that runs along edges out of its triangles. */
static middle_edge find_middle(const liner *l, const strand *s) {
    middle_edge best = {.off = INFINITY};
    for (size_t i = 0; i < s->points.count; i++) look_in_triangle(l, s, s->points.items[i].triangle, &best);
    for (size_t i = 0; i < s->points.count && best.off == INFINITY; i++)
        for (int k = 0; k < 3; k++) {
            uint32_t corner = l->mesh->triangles[3 * (size_t)s->points.items[i].triangle + (size_t)k];
            for (uint32_t f = l->topo->fan_offsets[corner]; f < l->topo->fan_offsets[corner + 1]; f++)
                look_in_triangle(l, s, l->topo->fan_triangles[f], &best);
        }
    return best;
}

/* How far a triangle of a crossed edge is from it towards the end of the strand. The left of the line is where
 * distances are positive. */
static double offset_beyond(const liner *l, const strand *s, uint32_t edge, uint32_t triangle) {
    const uint32_t *v = l->topo->edge_vertices + 2 * (size_t)edge;
    const strand_place *place = place_of(l, s, v[0]);
    vec3 a = l->mesh->positions[v[0]], b = l->mesh->positions[v[1]];
    vec3 left = place->distance > 0 ? vec3_sub(a, b) : vec3_sub(b, a);
    vec3 middle = surface_point_at(l->mesh, NULL, (ruga_surface_point){triangle, {1.0 / 3, 1.0 / 3, 1.0 / 3}});
    return vec3_dot(vec3_sub(middle, a), vec3_cross(left, s->normals.items[place->segment]));
}

static void reverse_trace(strand *s) {
    for (size_t i = 0, j = s->trace.count; i + 1 < j; i++) {
        ruga_surface_point point = s->trace.items[i];
        s->trace.items[i] = s->trace.items[--j];
        s->trace.items[j] = point;
    }
    for (size_t i = 0, j = s->triangles.count; i + 1 < j; i++) {
        uint32_t triangle = s->triangles.items[i];
        s->triangles.items[i] = s->triangles.items[--j];
        s->triangles.items[j] = triangle;
    }
}

/* Between two stars of one triangle. */
static ruga_status trace_inside(liner *l, strand *s) {
    const cut_star *from = &l->stars.items[s->stars[0]], *to = &l->stars.items[s->stars[1]];
    TRY(ARRAY_ADD(l->context, &s->trace, from->at));
    return add_point(l, s, from->at.triangle, to->at);
}

static int is_inside(const liner *l, const strand *s) {
    return s->ends[0] == CUT_STAR && s->ends[1] == CUT_STAR && s->stars[0] != s->stars[1] &&
           l->stars.items[s->stars[0]].at.triangle == l->stars.items[s->stars[1]].at.triangle;
}

/* A ring around one vertex folds to a cone, or not at all, and both tips of a line within an edge leave nothing that
 * folds. Lines between stars, or from a border, may be short. */
static int is_too_short(const liner *l, const strand *s) {
    if (s->closed) return s->length < SHORTEST_RING * l->edge;
    return s->ends[0] == CUT_TIP && s->ends[1] == CUT_TIP && s->length < l->edge;
}

/* Whether a strand that crosses no edge is long: both its halves run beside each other, and no vertex lies between. */
static int runs_back(const strand *s) { return s->length > DOUBLED * vec3_distance(s->low, s->high); }

static ruga_status fail_runs_back(liner *l, const strand *s) {
    l->near_itself = s->curve;
    return strand_fail(l, s, s->points.items[0].triangle,
                       "it runs back along itself; draw it through there once, or both lines farther apart");
}

static int is_stamped(const liner *l, uint32_t vertex) {
    const topology *topo = l->topo;
    for (uint32_t i = topo->ring_offsets[vertex]; i < topo->ring_offsets[vertex + 1]; i++)
        if (l->stamps[topo->ring_vertices[i]] == l->stamp) return 1;
    return l->stamps[vertex] == l->stamp;
}

/* The trace passes near every point, or a part of the strand would not be cut: that of a hairpin, say, which has no
 * vertex between its sides. */
static ruga_status check_covered(liner *l, strand *s) {
    l->stamp++;
    for (size_t i = 0; i < 3 * s->triangles.count; i++)
        l->stamps[l->mesh->triangles[3 * (size_t)s->triangles.items[i / 3] + i % 3]] = l->stamp;
    for (size_t i = 0; i < s->points.count; i++) {
        const uint32_t *v = l->mesh->triangles + 3 * (size_t)s->points.items[i].triangle;
        if (!is_stamped(l, v[0]) && !is_stamped(l, v[1]) && !is_stamped(l, v[2]))
            return fail_near_itself(l, s, s->points.items[i].triangle);
    }
    return RUGA_OK;
}

ruga_status strand_trace(liner *l, uint32_t index) {
    strand *s = &l->strands.items[index];
    s->is_traced = 1;
    if (is_too_short(l, s))
        return strand_fail(l, s, s->points.items[0].triangle,
                           "it is shorter than a triangle; draw it longer, or refine the mesh");
    if (is_inside(l, s)) {
        TRY(trace_inside(l, s));
        return remember_pieces(l, index);
    }
    middle_edge from = find_middle(l, s);
    if (from.off == INFINITY && runs_back(s)) return fail_runs_back(l, s);
    if (from.off == INFINITY)
        return strand_fail(l, s, s->points.items[0].triangle,
                           "it crosses no edge of the mesh; draw it longer, or refine the mesh");
    uint32_t edge = from.edge;
    TRY(strand_check_edge(l, s, edge));
    const uint32_t *at = l->topo->edge_triangles + l->topo->edge_offsets[edge];
    uint32_t both[2] = {NONE, NONE}; /* towards the start and the end */
    const int is_border = topology_edge_size(l->topo, edge) < 2;
    const double first = offset_beyond(l, s, edge, at[0]), second = is_border ? 0 : offset_beyond(l, s, edge, at[1]);
    /* Both are compared, as beyond a sharp edge a triangle may lie across the line. */
    both[first > second] = at[0];
    if (!is_border) both[!(first > second)] = at[1];
    uint32_t any = both[0] != NONE ? both[0] : both[1];
    TRY(ARRAY_ADD(l->context, &s->trace, edge_point(l, any, edge, from.part)));
    double left = 0.5 * s->length - from.off;
    walk back = {edge, from.part, both[0], 0, 0, left}, forth = {edge, from.part, both[1], 1, 0, left};
    if (!s->closed) {
        TRY(walk_to_end(l, s, &back));
        reverse_trace(s);
    }
    TRY(walk_to_end(l, s, &forth));
    TRY(check_covered(l, s));
    return remember_pieces(l, index);
}
