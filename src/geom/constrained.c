/* Constrained Delaunay triangulation by inserting points and segments one after the other (S. W. Sloan, "A fast
 * algorithm for generating constrained Delaunay triangulations", 1993). A triangle of a mesh has few points, so every
 * search is linear. */
#include "geom/constrained.h"

#include <math.h>

#include "math/exact.h"

#define NONE UINT32_MAX
/* Of one segment: detours through points beside it, and depth of the recursion over its parts. */
enum { MAX_DETOURS = 64, MAX_DEPTH = 400 };
/* The least snap distance, over the longest side: rounding moves points by less. */
#define LEAST_SNAP 1e-8
/* The largest deviation of a segment after several detours, in snap distances. */
#define MAX_DEVIATION 2.0

static uint32_t next3(uint32_t k) { return k == 2 ? 0 : k + 1; }

double constrained_round(double value) { return nearbyint(value * CONSTRAINED_GRID) / CONSTRAINED_GRID; }

/* ---- Measures. */

static int turn(const constrained *c, uint32_t a, uint32_t b, uint32_t d) {
    const vec2 *p = c->points.items;
    const double at_a[2] = {p[a].x, p[a].y}, at_b[2] = {p[b].x, p[b].y}, at_d[2] = {p[d].x, p[d].y};
    return orient2d(at_a, at_b, at_d);
}

/* The position of a point in the plane, m. */
static vec2 laid_flat(const constrained *c, uint32_t point) {
    vec2 p = c->points.items[point];
    return (vec2){p.x * c->across.x + p.y * c->up.x, p.x * c->across.y + p.y * c->up.y};
}

static double distance(const constrained *c, uint32_t a, uint32_t b) {
    vec2 d = vec2_sub(laid_flat(c, b), laid_flat(c, a));
    return sqrt(vec2_dot(d, d));
}

/* Whether p is within a distance of the segment (a, b), and nearest to its inside. */
static int is_beside(const constrained *c, uint32_t a, uint32_t b, uint32_t p, double near) {
    vec2 at = laid_flat(c, a), ab = vec2_sub(laid_flat(c, b), at), to = vec2_sub(laid_flat(c, p), at);
    double length2 = vec2_dot(ab, ab), along = vec2_dot(ab, to), across = vec2_cross(ab, to);
    return along > 0 && along < length2 && across * across < near * near * length2;
}

/* Whether the part (a, b) of the segment being inserted, after a chain, may go through p. Each part must be shorter
 * than the one it replaces; otherwise detours could add up or form a cycle. */
static int may_detour(const constrained *c, uint32_t a, uint32_t b, const flat_chain *chain, uint32_t p) {
    if (!is_beside(c, c->joined[0], c->joined[1], p, MAX_DEVIATION * c->snap)) return 0;
    if (!(distance(c, a, p) < distance(c, a, b))) return 0;
    for (size_t i = 0; i < chain->count; i++)
        if (chain->items[i] == p) return 0;
    return 1;
}

/* ---- Making. */

ruga_status constrained_begin(ruga_context *context, const double sides[3], double snap, constrained *out) {
    double longest = fmax(sides[0], fmax(sides[1], sides[2]));
    *out = (constrained){.context = context, .snap = fmax(snap, LEAST_SNAP * longest)};
    double base = sides[0], x = (base * base + sides[2] * sides[2] - sides[1] * sides[1]) / (2 * base);
    double y2 = sides[2] * sides[2] - x * x;
    out->across = (vec2){base, 0};
    out->up = (vec2){x, y2 > 0 ? sqrt(y2) : 0};
    ruga_status status = ARRAY_RESERVE(context, &out->points, 8);
    if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(context, &out->triangles, 8);
    if (RUGA_FAILED(status)) {
        constrained_release(out);
        return status;
    }
    const vec2 corners[3] = {{0, 0}, {1, 0}, {0, 1}};
    for (int k = 0; k < 3; k++) out->points.items[out->points.count++] = corners[k];
    out->triangles.items[out->triangles.count++] = (flat_triangle){{0, 1, 2}, {NONE, NONE, NONE}, {0, 0, 0}};
    return RUGA_OK;
}

void constrained_release(constrained *c) {
    ARRAY_RELEASE(c->context, &c->points);
    ARRAY_RELEASE(c->context, &c->triangles);
    ARRAY_RELEASE(c->context, &c->splits);
}

/* ---- Changing triangles. Memory is reserved beforehand, so that no change fails halfway. */

static ruga_status make_room(constrained *c) {
    TRY(ARRAY_RESERVE(c->context, &c->points, 1));
    TRY(ARRAY_RESERVE(c->context, &c->triangles, 2));
    return ARRAY_RESERVE(c->context, &c->splits, 1);
}

/* Makes t the neighbour of the triangle across its edge k. */
static void link_back(constrained *c, uint32_t t, uint32_t k) {
    const flat_triangle *here = &c->triangles.items[t];
    if (here->neighbours[k] == NONE) return;
    flat_triangle *there = &c->triangles.items[here->neighbours[k]];
    for (uint32_t j = 0; j < 3; j++)
        if (there->vertices[j] == here->vertices[next3(k)] && there->vertices[next3(j)] == here->vertices[k])
            there->neighbours[j] = t;
}

/* The number of edge (from, to) in a triangle; 3: there is none. */
static uint32_t edge_of(const flat_triangle *t, uint32_t from, uint32_t to) {
    uint32_t k = 0;
    while (k < 3 && (t->vertices[k] != from || t->vertices[next3(k)] != to)) k++;
    return k;
}

/* One side of a split edge: t = (a, b, d) becomes (a, p, d), and `added` is (p, b, d). */
static void split_side(constrained *c, uint32_t t, uint32_t k, uint32_t p, uint32_t added) {
    flat_triangle old = c->triangles.items[t];
    uint32_t a = old.vertices[k], b = old.vertices[next3(k)], d = old.vertices[next3(next3(k))];
    uint32_t beyond = next3(k), before = next3(next3(k));
    c->triangles.items[t] = (flat_triangle){
        {a, p, d}, {old.neighbours[k], added, old.neighbours[before]}, {old.fixed[k], 0, old.fixed[before]}};
    c->triangles.items[added] = (flat_triangle){
        {p, b, d}, {old.neighbours[k], old.neighbours[beyond], t}, {old.fixed[k], old.fixed[beyond], 0}};
    link_back(c, added, 1);
}

/* Splits edge k of triangle t at point p. */
static void split_edge(constrained *c, uint32_t t, uint32_t k, uint32_t p) {
    flat_triangle old = c->triangles.items[t];
    uint32_t a = old.vertices[k], b = old.vertices[next3(k)], other = old.neighbours[k];
    if (old.fixed[k]) c->splits.items[c->splits.count++] = (flat_split){a, b, p};
    uint32_t added = (uint32_t)c->triangles.count++;
    split_side(c, t, k, p, added);
    if (other == NONE) return;
    uint32_t other_added = (uint32_t)c->triangles.count++;
    split_side(c, other, edge_of(&c->triangles.items[other], b, a), p, other_added);
    /* Across (a, p) is the piece that ends at a, across (p, b) the one that starts at b. */
    c->triangles.items[t].neighbours[0] = other_added;
    c->triangles.items[other_added].neighbours[0] = t;
    c->triangles.items[added].neighbours[0] = other;
    c->triangles.items[other].neighbours[0] = added;
}

/* Whether the two triangles at edge k of t form a quadrilateral whose other diagonal lies inside. */
static int can_flip(const constrained *c, uint32_t t, uint32_t k) {
    const flat_triangle *here = &c->triangles.items[t];
    if (here->neighbours[k] == NONE || here->fixed[k]) return 0;
    const flat_triangle *there = &c->triangles.items[here->neighbours[k]];
    uint32_t a = here->vertices[k], b = here->vertices[next3(k)], d = here->vertices[next3(next3(k))];
    uint32_t e = there->vertices[next3(next3(edge_of(there, b, a)))];
    return turn(c, d, a, e) > 0 && turn(c, e, b, d) > 0;
}

static void flip(constrained *c, uint32_t t, uint32_t k) {
    flat_triangle here = c->triangles.items[t];
    uint32_t other = here.neighbours[k];
    flat_triangle there = c->triangles.items[other];
    uint32_t a = here.vertices[k], b = here.vertices[next3(k)], d = here.vertices[next3(next3(k))];
    uint32_t j = edge_of(&there, b, a), e = there.vertices[next3(next3(j))];
    uint32_t bd = next3(k), da = next3(bd), ae = next3(j), eb = next3(ae);
    c->triangles.items[t] = (flat_triangle){
        {d, a, e}, {here.neighbours[da], there.neighbours[ae], other}, {here.fixed[da], there.fixed[ae], 0}};
    c->triangles.items[other] = (flat_triangle){
        {e, b, d}, {there.neighbours[eb], here.neighbours[bd], t}, {there.fixed[eb], here.fixed[bd], 0}};
    link_back(c, t, 1);
    link_back(c, other, 1);
}

/* ---- Points. */

/* Splits the triangle or edge that contains a place. A point at the same place is reused. */
static ruga_status insert(constrained *c, vec2 place, uint32_t *point) {
    TRY(make_room(c));
    for (size_t i = 0; i < c->points.count; i++)
        if (c->points.items[i].x == place.x && c->points.items[i].y == place.y) {
            *point = (uint32_t)i;
            return RUGA_OK;
        }
    uint32_t p = (uint32_t)c->points.count;
    c->points.items[p] = place;
    for (uint32_t t = 0; t < c->triangles.count; t++) {
        const uint32_t *v = c->triangles.items[t].vertices;
        int turns[3] = {turn(c, v[0], v[1], p), turn(c, v[1], v[2], p), turn(c, v[2], v[0], p)};
        if (turns[0] < 0 || turns[1] < 0 || turns[2] < 0) continue;
        c->points.count++;
        *point = p;
        for (uint32_t k = 0; k < 3; k++)
            if (turns[k] == 0) {
                split_edge(c, t, k, p);
                return RUGA_OK;
            }
        flat_triangle old = c->triangles.items[t];
        uint32_t first = (uint32_t)c->triangles.count, all[3] = {t, first, first + 1};
        c->triangles.count += 2;
        for (uint32_t k = 0; k < 3; k++)
            c->triangles.items[all[k]] = (flat_triangle){{old.vertices[k], old.vertices[next3(k)], p},
                                                         {old.neighbours[k], all[next3(k)], all[next3(next3(k))]},
                                                         {old.fixed[k], 0, 0}};
        for (uint32_t k = 0; k < 3; k++) link_back(c, all[k], 0);
        return RUGA_OK;
    }
    return fail_with(c->context, RUGA_ERROR_INPUT, "a point of a curve lies outside its triangle");
}

ruga_status constrained_border_point(constrained *c, int edge, double t, uint32_t *point) {
    vec2 place = edge == 0 ? (vec2){t, 0} : edge == 1 ? (vec2){1 - t, t} : (vec2){0, 1 - t};
    return insert(c, place, point);
}

ruga_status constrained_inner_point(constrained *c, double u, double v, uint32_t *point) {
    return insert(c, (vec2){constrained_round(u), constrained_round(v)}, point);
}

/* ---- Segments. */

/* An edge as a triangle and its number there; triangle NONE: there is none. */
typedef struct flat_edge {
    uint32_t triangle, edge;
} flat_edge;

static flat_edge find_edge(const constrained *c, uint32_t a, uint32_t b) {
    for (uint32_t t = 0; t < c->triangles.count; t++) {
        uint32_t k = edge_of(&c->triangles.items[t], a, b);
        if (k == 3) k = edge_of(&c->triangles.items[t], b, a);
        if (k < 3) return (flat_edge){t, k};
    }
    return (flat_edge){NONE, 0};
}

static void fix_edge(constrained *c, flat_edge at, uint8_t fixed) {
    flat_triangle *here = &c->triangles.items[at.triangle];
    here->fixed[at.edge] = fixed;
    if (here->neighbours[at.edge] == NONE) return;
    flat_triangle *there = &c->triangles.items[here->neighbours[at.edge]];
    there->fixed[edge_of(there, here->vertices[next3(at.edge)], here->vertices[at.edge])] = fixed;
}

static int crosses(const constrained *c, uint32_t a, uint32_t b, uint32_t p, uint32_t q) {
    if (p == a || p == b || q == a || q == b) return 0;
    return turn(c, a, b, p) * turn(c, a, b, q) < 0 && turn(c, p, q, a) * turn(c, p, q, b) < 0;
}

/* The point nearest to a that is on the segment (a, b), or within the snap distance of it. */
static uint32_t point_between(const constrained *c, uint32_t a, uint32_t b, const flat_chain *chain) {
    uint32_t best = NONE;
    for (uint32_t p = 0; p < c->points.count; p++) {
        if (p == a || p == b) continue;
        const vec2 *at = c->points.items;
        int on = turn(c, a, b, p) == 0 && vec2_dot(vec2_sub(at[p], at[a]), vec2_sub(at[b], at[a])) > 0 &&
                 vec2_dot(vec2_sub(at[p], at[b]), vec2_sub(at[a], at[b])) > 0;
        if (!on && !(is_beside(c, a, b, p, c->snap) && may_detour(c, a, b, chain, p))) continue;
        if (best == NONE || distance(c, a, p) < distance(c, a, best)) best = p;
    }
    return best;
}

/* How far from a to b the segment meets the edge (p, q). */
static double meeting_part(const constrained *c, uint32_t a, uint32_t b, uint32_t p, uint32_t q) {
    const vec2 *at = c->points.items;
    vec2 edge = vec2_sub(at[q], at[p]);
    return vec2_cross(vec2_sub(at[p], at[a]), edge) / vec2_cross(vec2_sub(at[b], at[a]), edge);
}

/* The first fixed edge that the segment crosses. */
static flat_edge fixed_edge_between(const constrained *c, uint32_t a, uint32_t b) {
    flat_edge first = {NONE, 0};
    double least = INFINITY;
    for (uint32_t t = 0; t < c->triangles.count; t++) {
        const flat_triangle *here = &c->triangles.items[t];
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t p = here->vertices[k], q = here->vertices[next3(k)];
            if (!here->fixed[k] || !crosses(c, a, b, p, q)) continue;
            double part = meeting_part(c, a, b, p, q);
            if (!(part < least)) continue;
            least = part;
            first = (flat_edge){t, k};
        }
    }
    return first;
}

/* Whether an edge can be split at a point that rounding moved off it, without inverting triangles. */
static int can_split(constrained *c, flat_edge e, uint32_t p) {
    const flat_triangle *here = &c->triangles.items[e.triangle];
    uint32_t a = here->vertices[e.edge], b = here->vertices[next3(e.edge)], d = here->vertices[next3(next3(e.edge))];
    if (turn(c, a, p, d) <= 0 || turn(c, p, b, d) <= 0) return 0;
    if (here->neighbours[e.edge] == NONE) return 0;
    const flat_triangle *there = &c->triangles.items[here->neighbours[e.edge]];
    uint32_t f = there->vertices[next3(next3(edge_of(there, b, a)))];
    return turn(c, b, p, f) > 0 && turn(c, p, a, f) > 0;
}

/* Flips the edges that cross (a, b), none of which is fixed, until none does. Edges that can't be flipped yet, and
 * those that still cross after a flip, are appended to the queue. edges: pairs of points. */
static ruga_status flip_away(constrained *c, uint32_t a, uint32_t b, flat_chain *edges) {
    for (uint32_t t = 0; t < c->triangles.count; t++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t *v = c->triangles.items[t].vertices;
            if (v[k] > v[next3(k)] || !crosses(c, a, b, v[k], v[next3(k)])) continue;
            TRY(ARRAY_RESERVE(c->context, edges, 2));
            edges->items[edges->count++] = v[k];
            edges->items[edges->count++] = v[next3(k)];
        }
    size_t most = 64 * (edges->count + 4) * (edges->count + 4);
    for (size_t at = 0, tries = 0; at < edges->count; at += 2) {
        if (tries++ > most)
            return fail_with(c->context, RUGA_ERROR_INPUT,
                             "a curve can't be cut into a triangle: other edges keep crossing it");
        TRY(ARRAY_RESERVE(c->context, edges, 2));
        flat_edge e = find_edge(c, edges->items[at], edges->items[at + 1]);
        uint32_t from = edges->items[at], to = edges->items[at + 1];
        if (can_flip(c, e.triangle, e.edge)) {
            flip(c, e.triangle, e.edge);
            from = c->triangles.items[e.triangle].vertices[2];
            to = c->triangles.items[e.triangle].vertices[0];
        }
        if (!crosses(c, a, b, from, to)) continue;
        edges->items[edges->count++] = from;
        edges->items[edges->count++] = to;
    }
    return RUGA_OK;
}

/* Makes (a, b) a fixed edge; no point and no fixed edge may be between. */
static ruga_status make_edge(constrained *c, uint32_t a, uint32_t b) {
    flat_edge e = find_edge(c, a, b);
    if (e.triangle == NONE) {
        flat_chain edges = {0};
        ruga_status status = flip_away(c, a, b, &edges);
        ARRAY_RELEASE(c->context, &edges);
        TRY(status);
        e = find_edge(c, a, b);
    }
    if (e.triangle == NONE) return fail_with(c->context, RUGA_ERROR_INPUT, "a curve can't be cut into a triangle");
    fix_edge(c, e, 1);
    return RUGA_OK;
}

/* Relaxes the path lengths along a triangle's edges; 1: a length decreased. */
static int shorten(const constrained *c, const flat_triangle *t, double *lengths, uint32_t *before) {
    int changed = 0;
    for (uint32_t k = 0; k < 6; k++) {
        uint32_t from = t->vertices[k % 3], to = t->vertices[k < 3 ? next3(k) : next3(next3(k % 3))];
        double length = lengths[from] + distance(c, from, to);
        if (!(length < lengths[to])) continue;
        lengths[to] = length;
        before[to] = from;
        changed = 1;
    }
    return changed;
}

/* Appends the shortest path from a to b along existing edges, without a, and fixes them. */
static ruga_status follow_edges(constrained *c, uint32_t a, uint32_t b, flat_chain *chain) {
    size_t count = c->points.count;
    double *lengths;
    uint32_t *before = NULL;
    TRY(NEW(c->context, &lengths, count));
    ruga_status status = NEW(c->context, &before, count);
    if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(c->context, chain, count);
    if (!RUGA_FAILED(status)) {
        for (size_t i = 0; i < count; i++) lengths[i] = i == b ? 0 : INFINITY;
        for (int changed = 1; changed;) {
            changed = 0;
            for (size_t t = 0; t < c->triangles.count; t++)
                changed |= shorten(c, &c->triangles.items[t], lengths, before);
        }
        for (; a != b; a = before[a]) {
            fix_edge(c, find_edge(c, a, before[a]), 1);
            chain->items[chain->count++] = before[a];
        }
    }
    RELEASE_ALL(c->context, lengths, before);
    return status;
}

/* Removes the rounds of a path that begins at `first`: what lies between two visits of one point. */
static void remove_rounds(uint32_t first, flat_chain *chain) {
    size_t kept = 0;
    for (size_t i = 0; i < chain->count; i++) {
        uint32_t point = chain->items[i];
        size_t visit = 0;
        while (visit < kept && chain->items[visit] != point) visit++;
        if (point == first)
            kept = 0;
        else {
            kept = visit + 1;
            chain->items[visit] = point;
        }
    }
    chain->count = kept;
}

/* Reroutes the fixed edge e, (p, q), through a point that rounding put beside it. Existing edges may lead there only
 * through q, or there and back on one way: then the point is left out. */
static ruga_status reroute(constrained *c, flat_edge e, uint32_t p, uint32_t q, uint32_t by) {
    flat_chain chain = {0};
    fix_edge(c, e, 0);
    ruga_status status = follow_edges(c, p, by, &chain);
    if (!RUGA_FAILED(status)) status = follow_edges(c, by, q, &chain);
    remove_rounds(p, &chain);
    uint32_t from = p;
    for (size_t i = 0; i + 1 < chain.count && !RUGA_FAILED(status); i++) {
        status = ARRAY_RESERVE(c->context, &c->splits, 1);
        if (!RUGA_FAILED(status)) c->splits.items[c->splits.count++] = (flat_split){from, q, chain.items[i]};
        from = chain.items[i];
    }
    ARRAY_RELEASE(c->context, &chain);
    return status;
}

/* The point where (a, b) crosses a fixed edge: a new one, or a detour through a point nearby. */
static ruga_status crossing_point(constrained *c, uint32_t a, uint32_t b, flat_edge e, int *detours,
                                  const flat_chain *chain, uint32_t *point) {
    TRY(make_room(c));
    const flat_triangle *here = &c->triangles.items[e.triangle];
    uint32_t p = here->vertices[e.edge], q = here->vertices[next3(e.edge)], added = (uint32_t)c->points.count;
    const vec2 *at = c->points.items;
    vec2 ab = vec2_sub(at[b], at[a]);
    double f = meeting_part(c, a, b, p, q);
    vec2 place = {constrained_round(at[a].x + f * ab.x), constrained_round(at[a].y + f * ab.y)};
    c->points.items[added] = place;
    uint32_t near = NONE;
    for (uint32_t i = 0; i < c->points.count; i++)
        if (i != a && i != b && (near == NONE || distance(c, added, i) < distance(c, added, near))) near = i;
    if (distance(c, added, near) <= c->snap && may_detour(c, a, b, chain, near)) {
        ++*detours;
        *point = near;
        return RUGA_OK;
    }
    *point = added;
    if (can_split(c, e, added)) {
        c->points.count++;
        split_edge(c, e.triangle, e.edge, added);
        return RUGA_OK;
    }
    TRY(insert(c, place, point));
    ++*detours;
    e = find_edge(c, p, q);
    return e.triangle == NONE || *point == p || *point == q ? RUGA_OK : reroute(c, e, p, q, *point);
}

/* Appends the path from a to b, without a, part by part, recursively. A segment with too many detours, among points
 * within the snap distance of each other, follows existing edges instead. */
static ruga_status join_part(constrained *c, uint32_t a, uint32_t b, int depth, int *detours, flat_chain *chain) {
    for (uint32_t between; a != b; a = between) {
        if (depth > MAX_DEPTH || *detours > MAX_DETOURS) return follow_edges(c, a, b, chain);
        between = point_between(c, a, b, chain);
        if (between == NONE) {
            flat_edge e = fixed_edge_between(c, a, b);
            if (e.triangle != NONE) TRY(crossing_point(c, a, b, e, detours, chain, &between));
        } else if (turn(c, a, b, between) != 0)
            ++*detours;
        if (between == NONE) {
            TRY(make_edge(c, a, b));
            TRY(ARRAY_RESERVE(c->context, chain, 1));
            chain->items[chain->count++] = between = b;
        } else
            TRY(join_part(c, a, between, depth + 1, detours, chain));
    }
    return RUGA_OK;
}

ruga_status constrained_join(constrained *c, uint32_t a, uint32_t b, flat_chain *chain) {
    int detours = 0;
    c->joined[0] = a, c->joined[1] = b;
    TRY(ARRAY_RESERVE(c->context, chain, 1));
    chain->items[chain->count++] = a;
    return join_part(c, a, b, 0, &detours, chain);
}

/* ---- Afterwards. */

/* Not Delaunay: the angles opposite to the edge add up to more than 180 degrees, by more than rounding. */
static int should_flip(const constrained *c, uint32_t t, uint32_t k) {
    if (!can_flip(c, t, k)) return 0;
    const flat_triangle *here = &c->triangles.items[t], *there = &c->triangles.items[here->neighbours[k]];
    uint32_t a = here->vertices[k], b = here->vertices[next3(k)], d = here->vertices[next3(next3(k))];
    uint32_t e = there->vertices[next3(next3(edge_of(there, b, a)))];
    vec2 at_a = laid_flat(c, a), at_b = laid_flat(c, b), at_d = laid_flat(c, d), at_e = laid_flat(c, e);
    vec2 da = vec2_sub(at_a, at_d), db = vec2_sub(at_b, at_d), ea = vec2_sub(at_a, at_e), eb = vec2_sub(at_b, at_e);
    double here_angle = atan2(vec2_cross(da, db), vec2_dot(da, db)),
           there_angle = atan2(vec2_cross(eb, ea), vec2_dot(eb, ea));
    return here_angle + there_angle > 3.14159265358979323846 + 1e-9;
}

void constrained_improve(constrained *c) {
    size_t rounds = 4 * c->triangles.count + 16;
    for (int changed = 1; changed && rounds > 0; rounds--) {
        changed = 0;
        for (uint32_t t = 0; t < c->triangles.count; t++)
            for (uint32_t k = 0; k < 3; k++)
                if (should_flip(c, t, k)) {
                    flip(c, t, k);
                    changed = 1;
                }
    }
}

/* Appends the path from the chain's last point a to b by the splits from number `first` on. The edges that a split
 * made are younger than it: only later splits are theirs. So the recursion ends, also if an edge was rerouted and
 * then became part of another path. */
static ruga_status follow_to(const constrained *c, uint32_t a, uint32_t b, size_t first, flat_chain *out) {
    for (size_t i = first; i < c->splits.count; i++) {
        flat_split s = c->splits.items[i];
        if ((s.a != a || s.b != b) && (s.a != b || s.b != a)) continue;
        TRY(follow_to(c, a, s.by, i + 1, out));
        a = s.by;
    }
    TRY(ARRAY_RESERVE(c->context, out, 1));
    out->items[out->count++] = b;
    return RUGA_OK;
}

ruga_status constrained_follow(const constrained *c, flat_chain *chain) {
    flat_chain out = {0};
    if (chain->count == 0) return RUGA_OK;
    ruga_status status = ARRAY_RESERVE(c->context, &out, 1);
    if (!RUGA_FAILED(status)) out.items[out.count++] = chain->items[0];
    for (size_t i = 0; i + 1 < chain->count && !RUGA_FAILED(status); i++)
        status = follow_to(c, chain->items[i], chain->items[i + 1], 0, &out);
    if (RUGA_FAILED(status)) {
        ARRAY_RELEASE(c->context, &out);
        return status;
    }
    ARRAY_RELEASE(c->context, chain);
    *chain = out;
    return RUGA_OK;
}
