/* Fast marching over triangles (R. Kimmel and J. A. Sethian, "Computing geodesic paths on manifolds", 1998), and the front
 * of Wang et al. 2006, appendix.
 *
 * Marching accepts vertices in the order of their distance. An accepted vertex a offers a distance to every neighbour c, along their edge, and
 * across every edge (a, b) that c sees and whose other end has been accepted too. In the plane of the three, with a at the
 * origin, b at (length, 0) and c at (x, y) above the edge, a straight front that has ta at a and tb at b comes to c at
 *
 *     ta + gx x + gy y,   gx = (tb - ta) / length,   gy = √(1 - gx²),   through the edge at x - y gx / gy
 *
 * which is exact for fronts that come from a straight source. Other fronts are taken as circles: their centre lies behind the
 * source by as much as makes the width of the source between the two parameters as wide as the edge is seen. Where both come from
 * one point, such as the end of a curve, that is exact as well.
 *
 * Where the angle at c is obtuse a front may reach it before both ends of the edge. Such a corner gets further supports: the
 * triangles behind its edge are unfolded into its plane until a vertex lies within the right angles on either side.
 *
 * What a vertex needs of the surface, its ring and the supports of its obtuse corners, is made when a front first comes to it, and kept: a
 * question costs as much as the part of the surface that it is about. */
#include "geom/geodesic.h"

#include <math.h>
#include <string.h>

#include "geom/geodesic_queue.h"
#include "math/vec3.h"

enum { MAX_UNFOLDINGS = 24, MAX_CHAINED = 64, SUPPORTS_A_TRIANGLE = 4 };
/* Parameters of neighbours that differ by more than this times their distance belong to different parts of the curve. */
#define MAX_SPREAD 8.0
/* Buckets of the queue for each mean edge around the sources. */
#define BUCKETS_AN_EDGE 1024.0

#define NO_CORNER (-1.0f)
#define RING_END (-2.0f)

/* A neighbour, and the corner between it and the next one of the list. */
typedef struct ring_entry {
    uint32_t vertex;
    float length;       /* m, of the edge to it */
    float cosine, sine; /* of the corner's angle; no triangle there: sine < 0, NO_CORNER, or at the end RING_END */
} ring_entry;

/* How a target, c, sees an accepted vertex, a, over an edge to b that is unfolded into its plane. */
typedef struct support {
    uint32_t target, other; /* c and b */
    float length, x, y;     /* m */
    uint32_t next;          /* of the same a; NO_INDEX: the last */
} support;

typedef enum vertex_state { VERTEX_FAR = 0, VERTEX_QUEUED, VERTEX_ACCEPTED } vertex_state;

typedef struct reach {
    double distance, parameter; /* m */
} reach;

struct geodesic {
    ruga_context *context;
    const topology *topo;
    const uint32_t *triangles;
    const ruga_vec3 *positions;
    ring_entry *rings;      /* in the order in which they were made, each with at least one entry */
    uint32_t ring_count;    /* entries so far */
    support *supports;      /* in the order in which they were made */
    uint32_t support_count; /* so far */
    bucket_queue queue;     /* with all that is kept of vertices */
    uint8_t *states;        /* (vertex_count) vertex_state; for the front, 1: passed */
    double *parameters;     /* (vertex_count) of the front, for callers who want none */
    uint32_t *reached;      /* (vertex_count) */
    uint32_t *lists[2];     /* (vertex_count) of the front; marching keeps the place of each source in the first */
    size_t reached_count;
};

/* ---- Making and destroying. */

ruga_status geodesic_create(ruga_context *context, const topology *topo, const uint32_t *triangles,
                            const ruga_vec3 *positions, geodesic **out) {
    geodesic *g = ALLOCATE_ZEROED(context, geodesic, 1);
    if (!g) return fail_memory(context, sizeof *g);
    size_t n = topo->vertex_count;
    g->context = context;
    g->topo = topo;
    g->triangles = triangles;
    g->positions = positions;
    g->rings = ALLOCATE(context, ring_entry, 6 * topo->triangle_count + n);
    g->supports = ALLOCATE(context, support, SUPPORTS_A_TRIANGLE * topo->triangle_count);
    g->queue.vertices = ALLOCATE_ZEROED(context, march_vertex, n);
    g->states = ALLOCATE(context, uint8_t, n);
    g->parameters = ALLOCATE(context, double, n);
    g->reached = ALLOCATE(context, uint32_t, n);
    g->lists[0] = ALLOCATE(context, uint32_t, n);
    g->lists[1] = ALLOCATE(context, uint32_t, n);
    if (g->rings && g->supports && g->queue.vertices && g->states && g->parameters && g->reached && g->lists[0] &&
        g->lists[1]) {
        *out = g;
        return RUGA_OK;
    }
    geodesic_destroy(g);
    return fail_memory(context, topo->triangle_count * sizeof(support));
}

void geodesic_destroy(geodesic *g) {
    if (!g) return;
    void *all[] = {g->rings,      g->supports, g->queue.vertices, g->states,
                   g->parameters, g->reached,  g->lists[0],       g->lists[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) memory_release(g->context, all[i]);
    memory_release(g->context, g);
}

/* ---- Supports of obtuse corners. */

typedef struct point2 {
    double x, y;
} point2;

static point2 point2_sub(point2 a, point2 b) { return (point2){a.x - b.x, a.y - b.y}; }
static double point2_dot(point2 a, point2 b) { return a.x * b.x + a.y * b.y; }
static double point2_cross(point2 a, point2 b) { return a.x * b.y - a.y * b.x; }

static void add_support(geodesic *g, uint32_t owner, support s) {
    s.next = g->queue.vertices[owner].first_support - 1;
    g->supports[g->support_count++] = s;
    g->queue.vertices[owner].first_support = g->support_count;
}

/* c at the origin sees a and b, and both may be accepted last. */
static void add_supports(geodesic *g, uint32_t c, uint32_t a, point2 at_a, uint32_t b, point2 at_b) {
    point2 edge = point2_sub(at_b, at_a);
    double length = sqrt(point2_dot(edge, edge)), y = fabs(point2_cross(at_a, at_b)) / length;
    double from_a = -point2_dot(at_a, edge) / length, from_b = point2_dot(at_b, edge) / length;
    add_support(g, a, (support){c, b, (float)length, (float)from_a, (float)y, NO_INDEX});
    add_support(g, b, (support){c, a, (float)length, (float)from_b, (float)y, NO_INDEX});
}

/* The edge of a triangle that joins two of its corners. */
static uint32_t edge_between(const geodesic *g, uint32_t triangle, uint32_t a, uint32_t b) {
    const uint32_t *t = g->triangles + 3 * (size_t)triangle;
    size_t k = 0;
    while (k < 2 && !((t[k] == a && t[k + 1] == b) || (t[k] == b && t[k + 1] == a))) k++;
    return g->topo->triangle_edges[3 * (size_t)triangle + k];
}

/* The third corner of the triangle on the other side of edge (a, b) from `triangle`, which becomes that triangle. */
static uint32_t corner_across(const geodesic *g, uint32_t a, uint32_t b, uint32_t *triangle) {
    uint32_t edge = edge_between(g, *triangle, a, b);
    uint32_t begin = g->topo->edge_offsets[edge], end = g->topo->edge_offsets[edge + 1];
    if (end - begin != 2) return NO_INDEX;
    *triangle = g->topo->edge_triangles[begin] == *triangle ? g->topo->edge_triangles[begin + 1]
                                                            : g->topo->edge_triangles[begin];
    const uint32_t *t = g->triangles + 3 * (size_t)*triangle;
    for (int k = 0; k < 3; k++)
        if (t[k] != a && t[k] != b) return t[k];
    return NO_INDEX;
}

/* Where a vertex d lies in the plane when its triangle is unfolded over the edge from a to b, to the side away from the origin. */
static point2 unfold(const geodesic *g, uint32_t a, point2 at_a, uint32_t b, point2 at_b, uint32_t d) {
    vec3 edge = vec3_sub(g->positions[b], g->positions[a]), to_d = vec3_sub(g->positions[d], g->positions[a]);
    double length2 = vec3_length2(edge), along = vec3_dot(edge, to_d) / length2;
    double height = vec3_length(vec3_cross(edge, to_d)) / length2;
    point2 flat = point2_sub(at_b, at_a), away = {flat.y, -flat.x};
    if (point2_dot(away, at_a) < 0) away = (point2){-away.x, -away.y};
    return (point2){at_a.x + along * flat.x + height * away.x, at_a.y + along * flat.y + height * away.y};
}

/* An obtuse corner c: unfolds until a vertex is found that leaves acute angles to both ends of its edge. */
static void support_obtuse(geodesic *g, uint32_t triangle, uint32_t c, uint32_t a, point2 at_a, uint32_t b,
                           point2 at_b) {
    uint32_t left = a, right = b, behind = triangle;
    point2 at_left = at_a, at_right = at_b;
    for (int i = 0; i < MAX_UNFOLDINGS; i++) {
        uint32_t d = corner_across(g, left, right, &behind);
        if (d == NO_INDEX || d == c) return;
        point2 at_d = unfold(g, left, at_left, right, at_right, d);
        double to_a = point2_dot(at_d, at_a), to_b = point2_dot(at_d, at_b);
        if (to_a > 0 && to_b > 0) {
            /* Seen through the strip only if it lies within the corner's angle. */
            if (point2_cross(at_a, at_d) * point2_cross(at_a, at_b) < 0) return;
            if (g->support_count + 4 > SUPPORTS_A_TRIANGLE * g->topo->triangle_count) return;
            add_supports(g, c, a, at_a, d, at_d);
            add_supports(g, c, d, at_d, b, at_b);
            return;
        }
        if (to_a <= 0) {
            right = d;
            at_right = at_d;
        } else {
            left = d;
            at_left = at_d;
        }
    }
}

/* ---- Rings. */

static const ring_entry *ring_of(const geodesic *g, uint32_t v) { return g->rings + g->queue.vertices[v].ring - 1; }

/* The corner of a triangle at a vertex. */
typedef struct corner {
    uint32_t triangle, from, to; /* its other vertices, in its direction */
} corner;

static corner corner_at(const geodesic *g, uint32_t triangle, uint32_t v) {
    const uint32_t *t = g->triangles + 3 * (size_t)triangle;
    int k = t[0] == v ? 0 : t[1] == v ? 1 : 2;
    return (corner){triangle, t[(k + 1) % 3], t[(k + 2) % 3]};
}

/* A neighbour as it is seen from the middle of its ring. */
typedef struct spoke {
    uint32_t vertex;
    vec3 way;      /* m */
    double length; /* m */
} spoke;

static spoke spoke_to(const geodesic *g, uint32_t v, uint32_t neighbour) {
    vec3 way = vec3_sub(g->positions[neighbour], g->positions[v]);
    return (spoke){neighbour, way, vec3_length(way)};
}

/* A corner goes on from the entry before, whose spoke is `last`, when it has the same vertex there; `last` becomes that of its other side. One of
 * a triangle that names a vertex twice, or has an edge without length, is left out. */
static void add_corner(geodesic *g, uint32_t v, corner c, ring_entry *ring, uint32_t *count, spoke *last) {
    if (c.from == v || c.to == v || c.from == c.to) return;
    spoke from = *count > 0 && last->vertex == c.from ? *last : spoke_to(g, v, c.from), to = spoke_to(g, v, c.to);
    if (!(from.length > 0 && to.length > 0) || !(vec3_length2(vec3_sub(to.way, from.way)) > 0)) return;
    if (*count == 0 || last->vertex != c.from) (*count)++;
    double dot = vec3_dot(from.way, to.way), cross = vec3_length(vec3_cross(from.way, to.way));
    double scale = 1 / (from.length * to.length);
    ring[*count - 1] = (ring_entry){c.from, (float)from.length, (float)(dot * scale), (float)(cross * scale)};
    ring[(*count)++] = (ring_entry){c.to, (float)to.length, 1, NO_CORNER};
    *last = to;
    if (dot < 0)
        support_obtuse(g, c.triangle, v, c.from, (point2){from.length, 0}, c.to,
                       (point2){dot / from.length, cross / from.length});
}

/* The corner that goes on from a vertex, or else one that none of the others leads to, or else the first. */
static size_t next_corner(const corner *corners, size_t count, uint32_t from) {
    for (size_t i = 0; i < count; i++)
        if (corners[i].from == from) return i;
    for (size_t i = 0; i < count; i++) {
        size_t before = 0;
        while (before < count && corners[before].to != corners[i].from) before++;
        if (before == count) return i;
    }
    return 0;
}

/* The ring of a vertex, around it as far as its triangles go on from each other; those of more triangles than usual are not put in order. */
static void make_vertex(geodesic *g, uint32_t v) {
    const uint32_t *fan = g->topo->fan_triangles + g->topo->fan_offsets[v];
    size_t count = g->topo->fan_offsets[v + 1] - g->topo->fan_offsets[v];
    ring_entry *ring = g->rings + g->ring_count;
    uint32_t size = 0, from = NO_INDEX;
    spoke last = {.vertex = NO_INDEX};
    corner corners[MAX_CHAINED];
    if (count > MAX_CHAINED)
        for (size_t i = 0; i < count; i++) add_corner(g, v, corner_at(g, fan[i], v), ring, &size, &last);
    else {
        for (size_t i = 0; i < count; i++) corners[i] = corner_at(g, fan[i], v);
        for (; count > 0; count--) {
            size_t next = next_corner(corners, count, from);
            add_corner(g, v, corners[next], ring, &size, &last);
            from = corners[next].to;
            corners[next] = corners[count - 1];
        }
    }
    /* A vertex without corners has itself for a neighbour. */
    if (size == 0) ring[size++] = (ring_entry){v, 0, 1, NO_CORNER};
    ring[size - 1].sine = RING_END;
    g->queue.vertices[v].ring = g->ring_count + 1;
    g->ring_count += size;
}

/* ---- Fronts across an edge. */

/* A way to c, at (x, y), across the edge from a, at the origin, to b, at (length, 0). */
typedef struct crossing {
    double length, x, y; /* m */
    double distance;     /* m; that of the best way known, then of this one if it is shorter */
    double through;      /* where it crosses the edge, as a part of it from a to b */
} crossing;

/* A straight front. spread: length gy. */
static int cross_line(crossing *c, double ta, double tb, double spread) {
    double across = c->x * spread - c->y * (tb - ta), whole = c->length * spread;
    if (!(whole > 0 && across >= 0 && across <= whole)) return 0;
    double distance = ta + ((tb - ta) * c->x + spread * c->y) / c->length;
    if (!(distance < c->distance)) return 0;
    c->distance = distance;
    c->through = across / whole;
    return 1;
}

/* A circle around a place `behind` the source, below the edge. */
static int cross_circle(crossing *c, double ta, double tb, double behind) {
    double ra = ta + behind, at = 0.5 * (c->length + (ta - tb) * (ra + tb + behind) / c->length);
    double below2 = (ra - at) * (ra + at);
    if (!(below2 >= 0)) return 0;
    double below = sqrt(below2), rise = c->y + below, across = at * c->y + c->x * below, whole = c->length * rise;
    double radius2 = (c->x - at) * (c->x - at) + rise * rise, least = c->distance + behind;
    if (!(across >= 0 && across <= whole && radius2 < least * least)) return 0;
    c->distance = sqrt(radius2) - behind;
    c->through = across / whole;
    return 1;
}

/* What leaves the source over a width w and is `spread` wide after the way t comes as from a point R behind the source, where
 * R / (R + t) = w / spread. */
static int cross_front(crossing *c, double ta, double tb, double width) {
    double spread2 = c->length * c->length - (tb - ta) * (tb - ta), spread = spread2 > 0 ? sqrt(spread2) : 0;
    if (!(width < 0.99 * spread)) return cross_line(c, ta, tb, spread);
    return cross_circle(c, ta, tb, 0.5 * (ta + tb) * width / (spread - width));
}

/* How far two parameters are apart along the curve, signed; the short way around a closed one. */
static double parameter_way(const geodesic_sources *sources, double pa, double pb) {
    double way = pb - pa;
    return sources->period > 0 ? way - sources->period * round(way / sources->period) : way;
}

/* Between the parameters of two ends. Where they come from different parts of the curve, that of the nearer one. */
static double mix_parameters(const geodesic_sources *sources, double pa, double pb, double way, double length,
                             double through) {
    if (fabs(way) > MAX_SPREAD * length) return through < 0.5 ? pa : pb;
    double mixed = pa + way * through;
    return sources->period > 0 ? mixed - sources->period * floor(mixed / sources->period) : mixed;
}

/* Whether two sources are neighbours on the curve. */
static int are_joined(const geodesic_sources *sources, uint32_t i, uint32_t j) {
    uint32_t low = i < j ? i : j, high = i < j ? j : i;
    if (high - low == 1) return !sources->breaks || !sources->breaks[high];
    return sources->period > 0 && low == 0 && high + 1 == sources->count;
}

/* ---- Marching. */

typedef struct march_state {
    geodesic *g;
    const geodesic_sources *sources;
    double limit;
} march_state;

/* Whether the edge between two sources is none itself. */
static int is_gap(const march_state *m, uint32_t a, uint32_t b) {
    return m->g->queue.vertices[a].distance == 0 && !m->sources->distances &&
           !are_joined(m->sources, m->g->lists[0][a], m->g->lists[0][b]);
}

/* Betters what is known of a target, at (x, y), by the way across the edge of two accepted vertices, if it is better. */
static void cross_edge(const march_state *m, uint32_t a, uint32_t b, double length, double x, double y, reach *best) {
    const march_vertex *at_a = &m->g->queue.vertices[a], *at_b = &m->g->queue.vertices[b];
    if (is_gap(m, a, b)) return;
    double way = parameter_way(m->sources, at_a->parameter, at_b->parameter);
    crossing c = {.length = length, .x = x, .y = y, .distance = best->distance};
    if (!cross_front(&c, at_a->distance, at_b->distance, fabs(way))) return;
    best->distance = c.distance;
    best->parameter = mix_parameters(m->sources, at_a->parameter, at_b->parameter, way, length, c.through);
}

/* Brings a ring nearer that will be needed when the front has come to its vertex. */
static void fetch_ring(const geodesic *g, uint32_t v) {
    const char *ring = (const char *)ring_of(g, v);
    for (int i = 0; i < 3; i++) __builtin_prefetch(ring + 64 * i);
}

static void queue_vertex(geodesic *g, uint32_t v, const reach *best) {
    if (g->states[v] == VERTEX_QUEUED)
        queue_remove(&g->queue, v);
    else if (!g->queue.vertices[v].ring)
        make_vertex(g, v);
    else
        fetch_ring(g, v);
    g->states[v] = VERTEX_QUEUED;
    g->queue.vertices[v].parameter = best->parameter;
    queue_add(&g->queue, v, best->distance);
}

static void offer(geodesic *g, uint32_t v, const reach *best) {
    if (g->states[v] == VERTEX_FAR || best->distance < g->queue.vertices[v].distance) queue_vertex(g, v, best);
}

/* To a neighbour that sees the edge to another one, `other`, under the angle of their corner. */
static void cross_corner(const march_state *m, uint32_t a, const ring_entry *other, const ring_entry *target,
                         const ring_entry *angle, reach *best) {
    double length = (double)target->length;
    cross_edge(m, a, other->vertex, (double)other->length, length * (double)angle->cosine, length * (double)angle->sine,
               best);
}

static void march_to_ring(const march_state *m, uint32_t a) {
    geodesic *g = m->g;
    const ring_entry *ring = ring_of(g, a), *end = ring;
    do __builtin_prefetch(&g->queue.vertices[end->vertex]);
    while (end++->sine > RING_END);
    const march_vertex *from = &g->queue.vertices[a];
    int before_is_accepted = 0, accepted = g->states[ring->vertex] == VERTEX_ACCEPTED;
    for (const ring_entry *e = ring; e < end; e++) {
        int has_next = e->sine >= 0, after_is_accepted = e + 1 < end && g->states[e[1].vertex] == VERTEX_ACCEPTED;
        if (!accepted) {
            reach best = {from->distance + (double)e->length, from->parameter};
            if (before_is_accepted) cross_corner(m, a, e - 1, e, e - 1, &best);
            if (has_next && after_is_accepted) cross_corner(m, a, e + 1, e, e, &best);
            offer(g, e->vertex, &best);
        }
        before_is_accepted = has_next && accepted;
        accepted = after_is_accepted;
    }
}

static void march_over_supports(const march_state *m, uint32_t a) {
    geodesic *g = m->g;
    for (uint32_t i = g->queue.vertices[a].first_support - 1; i != NO_INDEX; i = g->supports[i].next) {
        const support *s = &g->supports[i];
        if (g->states[s->target] != VERTEX_QUEUED || g->states[s->other] != VERTEX_ACCEPTED) continue;
        const march_vertex *target = &g->queue.vertices[s->target];
        reach best = {target->distance, target->parameter};
        cross_edge(m, a, s->other, (double)s->length, (double)s->x, (double)s->y, &best);
        offer(g, s->target, &best);
    }
}

/* The mean edge around the sources, m. */
static double mean_edge(const geodesic *g, const geodesic_sources *sources) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < sources->count; i++) {
        uint32_t v = sources->vertices[i];
        for (uint32_t e = g->topo->ring_offsets[v]; e < g->topo->ring_offsets[v + 1]; e++, count++)
            sum += vec3_distance(g->positions[v], g->positions[g->topo->ring_vertices[e]]);
    }
    return sum > 0 ? sum / (double)count : 1;
}

static void march(const march_state *m) {
    geodesic *g = m->g;
    memset(g->states, VERTEX_FAR, g->topo->vertex_count);
    g->reached_count = 0;
    queue_start(&g->queue, mean_edge(g, m->sources) / BUCKETS_AN_EDGE);
    for (size_t i = 0; i < m->sources->count; i++) {
        uint32_t v = m->sources->vertices[i];
        double distance = m->sources->distances ? m->sources->distances[i] : 0;
        if (g->states[v] == VERTEX_QUEUED && g->queue.vertices[v].distance <= distance) continue;
        g->lists[0][v] = (uint32_t)i;
        queue_vertex(g, v, &(reach){distance, m->sources->parameters[i]});
    }
    for (uint32_t a; (a = queue_first(&g->queue, m->limit)) != QUEUE_NONE;) {
        queue_remove(&g->queue, a);
        g->states[a] = VERTEX_ACCEPTED;
        g->reached[g->reached_count++] = a;
        march_to_ring(m, a);
        march_over_supports(m, a);
    }
}

static void tell_reaches(const geodesic *g, double *distances, double *parameters) {
    for (size_t v = 0; v < g->topo->vertex_count; v++)
        distances[v] = g->states[v] == VERTEX_ACCEPTED ? g->queue.vertices[v].distance : INFINITY;
    for (size_t v = 0; parameters && v < g->topo->vertex_count; v++)
        parameters[v] = g->states[v] == VERTEX_ACCEPTED ? g->queue.vertices[v].parameter : NAN;
}

/* ---- The front of the appendix, to the letter but for the condition that ends it: it runs while the list is *not* empty. */

static double edge_length(const geodesic *g, uint32_t a, uint32_t b) {
    return vec3_distance(g->positions[a], g->positions[b]);
}

static double least_edge(const geodesic *g) {
    double least = INFINITY;
    for (size_t e = 0; e < g->topo->edge_count; e++) {
        double length = edge_length(g, g->topo->edge_vertices[2 * e], g->topo->edge_vertices[2 * e + 1]);
        if (length > 0) least = fmin(least, length);
    }
    return least;
}

typedef struct front_state {
    geodesic *g;
    const geodesic_sources *sources;
    double *distances, *parameters;
} front_state;

/* Steps 9 to 14: offers distances to the neighbours of the list, and lists those that come below λ. */
static size_t advance_front(const front_state *m, const uint32_t *list, size_t count, double lambda, uint32_t *next) {
    const geodesic *g = m->g;
    const topology *topo = g->topo;
    size_t next_count = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t e = topo->ring_offsets[list[i]]; e < topo->ring_offsets[list[i] + 1]; e++) {
            uint32_t v = topo->ring_vertices[e];
            double offered = m->distances[list[i]] + edge_length(g, list[i], v);
            if (offered < m->distances[v]) {
                m->distances[v] = offered;
                m->parameters[v] = m->parameters[list[i]];
            }
            if (!g->states[v] && m->distances[v] < lambda) {
                next[next_count++] = v;
                g->states[v] = 1;
            }
        }
    return next_count;
}

static int has_neighbour_to_pass(const geodesic *g, uint32_t v) {
    for (uint32_t e = g->topo->ring_offsets[v]; e < g->topo->ring_offsets[v + 1]; e++)
        if (!g->states[g->topo->ring_vertices[e]]) return 1;
    return 0;
}

static void move_front(const front_state *m, double limit) {
    geodesic *g = m->g;
    size_t count = 0;
    g->reached_count = 0;
    memset(g->states, 0, g->topo->vertex_count);
    for (size_t i = 0; i < m->sources->count; i++) {
        uint32_t v = m->sources->vertices[i];
        if (g->states[v]) continue;
        g->states[v] = 1;
        m->distances[v] = m->sources->distances ? m->sources->distances[i] : 0;
        m->parameters[v] = m->sources->parameters[i];
        g->reached[g->reached_count++] = g->lists[0][count++] = v;
    }
    double step = least_edge(g), lambda = step;
    for (int now = 0; count > 0 && lambda < limit + 2 * step; now = !now, lambda += step) {
        uint32_t *list = g->lists[now], *next = g->lists[!now];
        size_t next_count = advance_front(m, list, count, lambda, next);
        for (size_t i = 0; i < next_count; i++) g->reached[g->reached_count++] = next[i];
        for (size_t i = 0; i < count; i++)
            if (has_neighbour_to_pass(g, list[i])) next[next_count++] = list[i];
        count = next_count;
    }
}

/* The front leaves some that it only touched, or that lie beyond the limit. */
static void keep_within(geodesic *g, double limit, double *distances, double *parameters) {
    size_t kept = 0;
    for (size_t i = 0; i < g->reached_count; i++)
        if (distances[g->reached[i]] <= limit) g->reached[kept++] = g->reached[i];
    g->reached_count = kept;
    for (size_t v = 0; v < g->topo->vertex_count; v++)
        if (!g->states[v] || !(distances[v] <= limit)) {
            distances[v] = INFINITY;
            parameters[v] = NAN;
        }
}

void geodesic_distances(geodesic *g, geodesic_method method, const geodesic_sources *sources, double limit,
                        double *distances, double *parameters, const uint32_t **reached, size_t *reached_count) {
    if (method == GEODESIC_MARCHING) {
        march(&(march_state){g, sources, limit});
        tell_reaches(g, distances, parameters);
    } else {
        front_state m = {g, sources, distances, parameters ? parameters : g->parameters};
        for (size_t v = 0; v < g->topo->vertex_count; v++) {
            distances[v] = INFINITY;
            m.parameters[v] = NAN;
        }
        move_front(&m, limit);
        keep_within(g, limit, distances, m.parameters);
    }
    if (reached) *reached = g->reached;
    if (reached_count) *reached_count = g->reached_count;
}
