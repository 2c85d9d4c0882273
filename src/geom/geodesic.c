/* Fast marching over triangles (R. Kimmel and J. A. Sethian, "Computing geodesic paths on manifolds", 1998).
 *
 * Marching accepts vertices in the order of their distance. An accepted vertex a offers a distance to every neighbour
 * c: along their edge, and across every edge (a, b) opposite to c whose other end b is accepted too. In the plane of
 * the three, with a at the origin, b at (length, 0) and c at (x, y) above the edge, a straight front with distance ta
 * at a and tb at b reaches c at
 *
 *     ta + gx x + gy y,   gx = (tb - ta) / length,   gy = √(1 - gx²),   through the edge at x - y gx / gy
 *
 * which is exact for fronts from a straight source. Other fronts are treated as circles, whose centre lies behind the
 * source so that the width of the source between the two parameters appears as wide as the edge. This is exact as well
 * if both come from one point, such as the end of a curve.
 *
 * Where the angle at c is obtuse, a front may reach c before both ends of the edge. Such a corner gets further
 * supports: the triangles behind its edge are unfolded into its plane until a vertex forms acute angles with both ends.
 *
 * The ring of a vertex and the supports of its obtuse corners are made when a front first reaches it, and kept: the
 * cost of a query grows with the part of the surface it covers. */
#include "geom/geodesic.h"

#include <math.h>
#include <string.h>

#include "geom/geodesic_queue.h"
#include "math/vec2.h"
#include "math/vec3.h"

enum { MAX_UNFOLDINGS = 24, MAX_CHAINED = 64, SUPPORTS_A_TRIANGLE = 4 };
/* Neighbours whose parameters differ by more than this times their distance belong to different parts of the curve. */
#define MAX_SPREAD 8.0
/* Buckets of the queue for each mean edge around the sources. */
#define BUCKETS_AN_EDGE 1024.0

#define NO_CORNER (-1.0f)
#define RING_END (-2.0f)

/* A neighbour, and the corner between it and the next one of the list. */
typedef struct ring_entry {
    uint32_t vertex;
    float length;       /* m, of the edge to it */
    float cosine, sine; /* of the corner's angle; without a triangle sine is NO_CORNER, or RING_END at the end */
} ring_entry;

/* A target c, for an accepted vertex a and an edge (a, b) unfolded into the plane of c. */
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
    bucket_queue queue;     /* and the state of all vertices */
    uint8_t *states;        /* (vertex_count) vertex_state */
    uint32_t *reached;      /* (vertex_count) */
    uint32_t *numbers;      /* (vertex_count) of the sources */
    size_t reached_count;
};

/* ---- Making and destroying. */

static ruga_status allocate(ruga_context *context, geodesic *g) {
    size_t n = g->topo->vertex_count;
    TRY(NEW(context, &g->rings, 6 * g->topo->triangle_count + n));
    TRY(NEW(context, &g->supports, SUPPORTS_A_TRIANGLE * g->topo->triangle_count));
    TRY(NEW_ZEROED(context, &g->queue.vertices, n));
    return NEW_EACH(context, n, &g->states, &g->reached, &g->numbers);
}

ruga_status geodesic_create(ruga_context *context, const topology *topo, const uint32_t *triangles,
                            const ruga_vec3 *positions, geodesic **out) {
    geodesic *g;
    TRY(NEW_ZEROED(context, &g, 1));
    g->context = context;
    g->topo = topo;
    g->triangles = triangles;
    g->positions = positions;
    RETURN_MADE(allocate(context, g), g, out, geodesic_destroy(g));
}

void geodesic_destroy(geodesic *g) {
    if (g) RELEASE_ALL(g->context, g->rings, g->supports, g->queue.vertices, g->states, g->reached, g->numbers, g);
}

/* ---- Supports of obtuse corners. */

static void add_support(geodesic *g, uint32_t owner, support s) {
    s.next = g->queue.vertices[owner].first_support - 1;
    g->supports[g->support_count++] = s;
    g->queue.vertices[owner].first_support = g->support_count;
}

/* Supports of c, at the origin, by the edge (a, b): one for each end that may be accepted last. */
static void add_supports(geodesic *g, uint32_t c, uint32_t a, vec2 at_a, uint32_t b, vec2 at_b) {
    vec2 edge = vec2_sub(at_b, at_a);
    double length = sqrt(vec2_dot(edge, edge)), y = fabs(vec2_cross(at_a, at_b)) / length;
    double from_a = -vec2_dot(at_a, edge) / length, from_b = vec2_dot(at_b, edge) / length;
    add_support(g, a, (support){c, b, (float)length, (float)from_a, (float)y, NO_INDEX});
    add_support(g, b, (support){c, a, (float)length, (float)from_b, (float)y, NO_INDEX});
}

/* The third corner of the triangle on the other side of edge (a, b) from `triangle`, which becomes that triangle. */
static uint32_t corner_across(const geodesic *g, uint32_t a, uint32_t b, uint32_t *triangle) {
    const uint32_t *here = g->triangles + 3 * (size_t)*triangle;
    size_t side = 0;
    while (side < 2 && !((here[side] == a && here[side + 1] == b) || (here[side] == b && here[side + 1] == a))) side++;
    uint32_t edge = g->topo->triangle_edges[3 * (size_t)*triangle + side];
    uint32_t begin = g->topo->edge_offsets[edge], end = g->topo->edge_offsets[edge + 1];
    if (end - begin != 2) return NO_INDEX;
    *triangle = g->topo->edge_triangles[begin] == *triangle ? g->topo->edge_triangles[begin + 1]
                                                            : g->topo->edge_triangles[begin];
    const uint32_t *t = g->triangles + 3 * (size_t)*triangle;
    for (int k = 0; k < 3; k++)
        if (t[k] != a && t[k] != b) return t[k];
    return NO_INDEX;
}

/* The position of a vertex d when its triangle is unfolded over the edge from a to b, away from the origin. */
static vec2 unfold(const geodesic *g, uint32_t a, vec2 at_a, uint32_t b, vec2 at_b, uint32_t d) {
    vec3 edge = vec3_sub(g->positions[b], g->positions[a]), to_d = vec3_sub(g->positions[d], g->positions[a]);
    double length2 = vec3_length2(edge), along = vec3_dot(edge, to_d) / length2;
    double height = vec3_length(vec3_cross(edge, to_d)) / length2;
    vec2 flat = vec2_sub(at_b, at_a), away = {flat.y, -flat.x};
    if (vec2_dot(away, at_a) < 0) away = (vec2){-away.x, -away.y};
    return (vec2){at_a.x + along * flat.x + height * away.x, at_a.y + along * flat.y + height * away.y};
}

/* An obtuse corner c: unfolds triangles until a vertex forms acute angles with both ends of its edge. */
static void support_obtuse(geodesic *g, uint32_t triangle, uint32_t c, uint32_t a, vec2 at_a, uint32_t b, vec2 at_b) {
    uint32_t left = a, right = b, behind = triangle;
    vec2 at_left = at_a, at_right = at_b;
    for (int i = 0; i < MAX_UNFOLDINGS; i++) {
        uint32_t d = corner_across(g, left, right, &behind);
        if (d == NO_INDEX || d == c) return;
        vec2 at_d = unfold(g, left, at_left, right, at_right, d);
        double to_a = vec2_dot(at_d, at_a), to_b = vec2_dot(at_d, at_b);
        if (to_a > 0 && to_b > 0) {
            /* Visible through the strip only if it lies within the corner's angle. */
            if (vec2_cross(at_a, at_d) * vec2_cross(at_a, at_b) < 0) return;
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

/* The edge from the centre of a ring to a neighbour. */
typedef struct spoke {
    uint32_t vertex;
    vec3 vector;   /* m */
    double length; /* m */
} spoke;

static spoke spoke_to(const geodesic *g, uint32_t v, uint32_t neighbour) {
    vec3 vector = vec3_sub(g->positions[neighbour], g->positions[v]);
    return (spoke){neighbour, vector, vec3_length(vector)};
}

/* Adds a corner to a ring. It continues the entry before, whose spoke is `last`, if they share that vertex; `last`
 * becomes the spoke of its other side. Corners of triangles with a repeated vertex or an edge without length are
 * ignored. */
static void add_corner(geodesic *g, uint32_t v, corner c, ring_entry *ring, uint32_t *count, spoke *last) {
    if (c.from == v || c.to == v || c.from == c.to) return;
    spoke from = *count > 0 && last->vertex == c.from ? *last : spoke_to(g, v, c.from), to = spoke_to(g, v, c.to);
    if (!(from.length > 0 && to.length > 0) || !(vec3_length2(vec3_sub(to.vector, from.vector)) > 0)) return;
    if (*count == 0 || last->vertex != c.from) (*count)++;
    double dot = vec3_dot(from.vector, to.vector), cross = vec3_length(vec3_cross(from.vector, to.vector));
    double scale = 1 / (from.length * to.length);
    ring[*count - 1] = (ring_entry){c.from, (float)from.length, (float)(dot * scale), (float)(cross * scale)};
    ring[(*count)++] = (ring_entry){c.to, (float)to.length, 1, NO_CORNER};
    *last = to;
    if (dot < 0)
        support_obtuse(g, c.triangle, v, c.from, (vec2){from.length, 0}, c.to,
                       (vec2){dot / from.length, cross / from.length});
}

/* The corner that starts at a vertex, or else one that no other corner leads to, or else the first. */
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

/* A triangle and its other vertices, in its direction, into each entry; 0: the corners at the vertex are no closed fan
 * of distinct vertices. */
static int chain_fan(const geodesic *g, uint32_t v, const uint32_t *fan, size_t count, corner *chain) {
    for (size_t i = 0; i < count; i++) {
        chain[i] = corner_at(g, fan[i], v);
        if (chain[i].from == v || chain[i].to == v || chain[i].from == chain[i].to) return 0;
    }
    for (size_t i = 1; i < count; i++) {
        size_t next = i;
        while (next < count && chain[next].from != chain[i - 1].to) next++;
        if (next == count) return 0;
        corner swapped = chain[i];
        chain[i] = chain[next];
        chain[next] = swapped;
    }
    return count > 1 && chain[count - 1].to == chain[0].from;
}

/* Vectors from a vertex around a closed fan, the first again at the end, and the angles between them. */
typedef struct fan_spokes {
    double x[MAX_CHAINED + 1], y[MAX_CHAINED + 1], z[MAX_CHAINED + 1]; /* m */
    double lengths[MAX_CHAINED + 1];                                   /* m */
    double dots[MAX_CHAINED], crosses[MAX_CHAINED];                    /* m² */
} fan_spokes;

/* 0: an edge or side has no length. Loops without branches, for vectors of the compiler. */
static int measure_fan(const geodesic *g, uint32_t v, const corner *chain, size_t count, fan_spokes *s) {
    double least = INFINITY, *x = s->x, *y = s->y, *z = s->z;
    for (size_t i = 0; i < count; i++) {
        vec3 to = vec3_sub(g->positions[chain[i].from], g->positions[v]);
        x[i] = to.x;
        y[i] = to.y;
        z[i] = to.z;
    }
    x[count] = x[0];
    y[count] = y[0];
    z[count] = z[0];
    for (size_t i = 0; i <= count; i++) s->lengths[i] = sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
    for (size_t i = 0; i < count; i++) {
        double cx = y[i] * z[i + 1] - z[i] * y[i + 1], cy = z[i] * x[i + 1] - x[i] * z[i + 1],
               cz = x[i] * y[i + 1] - y[i] * x[i + 1];
        s->dots[i] = x[i] * x[i + 1] + y[i] * y[i + 1] + z[i] * z[i + 1];
        s->crosses[i] = sqrt(cx * cx + cy * cy + cz * cz);
    }
    for (size_t i = 0; i < count; i++) {
        double dx = x[i + 1] - x[i], dy = y[i + 1] - y[i], dz = z[i + 1] - z[i], side2 = dx * dx + dy * dy + dz * dz;
        double lower = s->lengths[i] < side2 ? s->lengths[i] : side2;
        least = lower < least ? lower : least;
    }
    return least > 0;
}

/* The ring of a vertex inside the surface: the same that add_corner makes of its corners, one after the other. 0: the
 * vertex needs that. */
static int make_closed_ring(geodesic *g, uint32_t v, const uint32_t *fan, size_t count, ring_entry *ring) {
    corner chain[MAX_CHAINED];
    fan_spokes s;
    if (!chain_fan(g, v, fan, count, chain) || !measure_fan(g, v, chain, count, &s)) return 0;
    for (size_t i = 0; i < count; i++) {
        double scale = 1 / (s.lengths[i] * s.lengths[i + 1]);
        ring[i] =
            (ring_entry){chain[i].from, (float)s.lengths[i], (float)(s.dots[i] * scale), (float)(s.crosses[i] * scale)};
    }
    ring[count] = (ring_entry){chain[0].from, (float)s.lengths[0], 1, RING_END};
    for (size_t i = 0; i < count; i++)
        if (s.dots[i] < 0)
            support_obtuse(g, chain[i].triangle, v, chain[i].from, (vec2){s.lengths[i], 0}, chain[i].to,
                           (vec2){s.dots[i] / s.lengths[i], s.crosses[i] / s.lengths[i]});
    return 1;
}

/* The ring of any vertex, with its corners chained. Corners of more than MAX_CHAINED triangles are not chained. */
static uint32_t make_ring(geodesic *g, uint32_t v, const uint32_t *fan, size_t count, ring_entry *ring) {
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
    /* A vertex without corners is its own neighbour. */
    if (size == 0) ring[size++] = (ring_entry){v, 0, 1, NO_CORNER};
    ring[size - 1].sine = RING_END;
    return size;
}

static void make_vertex(geodesic *g, uint32_t v) {
    const uint32_t *fan = g->topo->fan_triangles + g->topo->fan_offsets[v];
    size_t count = g->topo->fan_offsets[v + 1] - g->topo->fan_offsets[v];
    ring_entry *ring = g->rings + g->ring_count;
    int is_closed = count <= MAX_CHAINED && make_closed_ring(g, v, fan, count, ring);
    g->queue.vertices[v].ring = g->ring_count + 1;
    g->ring_count += is_closed ? (uint32_t)count + 1 : make_ring(g, v, fan, count, ring);
}

/* ---- Fronts across an edge. */

/* A path to c, at (x, y), across the edge from a, at the origin, to b, at (length, 0). */
typedef struct crossing {
    double length, x, y; /* m */
    double distance;     /* m; of the best path so far, then of this one if it is shorter */
    double through;      /* where it crosses the edge, from a (0) to b (1) */
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

/* A circle around a point `behind` the source, below the edge. */
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

/* A front that leaves the source with a width w and is `spread` wide after the distance t comes from a point R behind
 * the source, where R / (R + t) = w / spread. */
static int cross_front(crossing *c, double ta, double tb, double width) {
    double spread2 = c->length * c->length - (tb - ta) * (tb - ta), spread = spread2 > 0 ? sqrt(spread2) : 0;
    if (!(width < 0.99 * spread)) return cross_line(c, ta, tb, spread);
    return cross_circle(c, ta, tb, 0.5 * (ta + tb) * width / (spread - width));
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

/* Improves the distance of a target, at (x, y), by the path across the edge between two accepted vertices. */
static void cross_edge(const march_state *m, uint32_t a, uint32_t b, double length, double x, double y, reach *best) {
    const march_vertex *at_a = &m->g->queue.vertices[a], *at_b = &m->g->queue.vertices[b];
    const geodesic_sources *sources = m->sources;
    /* The edge between two sources that are not joined is no source. */
    if (at_a->distance == 0 && !sources->distances && !are_joined(sources, m->g->numbers[a], m->g->numbers[b])) return;

    /* The signed distance of the parameters; the shorter one around a closed curve. */
    double difference = at_b->parameter - at_a->parameter;
    if (sources->period > 0) difference -= sources->period * round(difference / sources->period);
    crossing c = {.length = length, .x = x, .y = y, .distance = best->distance};
    if (!cross_front(&c, at_a->distance, at_b->distance, fabs(difference))) return;
    best->distance = c.distance;

    /* Between the two parameters; if they are of different parts of the curve, the nearer one. */
    best->parameter = c.through < 0.5 ? at_a->parameter : at_b->parameter;
    if (fabs(difference) > MAX_SPREAD * length) return;
    best->parameter = at_a->parameter + difference * c.through;
    if (sources->period > 0) best->parameter -= sources->period * floor(best->parameter / sources->period);
}

static void queue_vertex(geodesic *g, uint32_t v, const reach *best) {
    if (g->states[v] == VERTEX_QUEUED)
        queue_remove(&g->queue, v);
    else if (!g->queue.vertices[v].ring)
        make_vertex(g, v);
    else /* The ring will be needed when the vertex is accepted. */
        for (int i = 0; i < 3; i++) __builtin_prefetch((const char *)ring_of(g, v) + 64 * i);
    g->states[v] = VERTEX_QUEUED;
    g->queue.vertices[v].parameter = best->parameter;
    queue_add(&g->queue, v, best->distance);
}

static void offer(geodesic *g, uint32_t v, const reach *best) {
    if (g->states[v] == VERTEX_FAR || best->distance < g->queue.vertices[v].distance) queue_vertex(g, v, best);
}

/* To a neighbour across the edge to `other`; the angle at a between them is that of the ring entry `angle`. */
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

static void march(const march_state *m) {
    geodesic *g = m->g;
    memset(g->states, VERTEX_FAR, g->topo->vertex_count);
    g->reached_count = 0;
    double sum = 0; /* m, of the edges around the sources */
    size_t count = 0;
    for (size_t i = 0; i < m->sources->count; i++) {
        uint32_t v = m->sources->vertices[i];
        for (uint32_t e = g->topo->ring_offsets[v]; e < g->topo->ring_offsets[v + 1]; e++, count++)
            sum += vec3_distance(g->positions[v], g->positions[g->topo->ring_vertices[e]]);
    }
    queue_start(&g->queue, (sum > 0 ? sum / (double)count : 1) / BUCKETS_AN_EDGE);
    for (size_t i = 0; i < m->sources->count; i++) {
        uint32_t v = m->sources->vertices[i];
        double distance = m->sources->distances ? m->sources->distances[i] : 0;
        if (g->states[v] == VERTEX_QUEUED && g->queue.vertices[v].distance <= distance) continue;
        g->numbers[v] = (uint32_t)i;
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

void geodesic_distances(geodesic *g, const geodesic_sources *sources, double limit, double *distances,
                        double *parameters, const uint32_t **reached, size_t *reached_count) {
    march(&(march_state){g, sources, limit});
    for (size_t v = 0; v < g->topo->vertex_count; v++) {
        int is_reached = g->states[v] == VERTEX_ACCEPTED;
        distances[v] = is_reached ? g->queue.vertices[v].distance : INFINITY;
        if (parameters) parameters[v] = is_reached ? g->queue.vertices[v].parameter : NAN;
    }
    if (reached) *reached = g->reached;
    if (reached_count) *reached_count = g->reached_count;
}
