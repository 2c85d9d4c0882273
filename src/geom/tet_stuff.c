/* Isosurface stuffing on a uniform lattice: snapping, stencils, and the check that the surface is a manifold. */
#include "geom/tet_stuff.h"

#include "base/hash.h"
#include "base/sort.h"
#include "mesh/inspect.h"

enum { LONG_EDGES = 3 };
enum { IS_NEAR = 1 << STUFF_EDGES }; /* of `crossed`: an end of a crossed edge */

/* ---- The lattice. */

ruga_status stuff_lattice_make(ruga_context *context, const stuff_grid *grid, stuff_lattice *out) {
    *out = (stuff_lattice){.context = context, .grid = *grid};
    out->point_count = 2 * grid->count[0] * grid->count[1] * grid->count[2];
    TRY(NEW(context, &out->inside, out->point_count));
    TRY(NEW_ZEROED(context, &out->crossed, out->point_count));
    return NEW(context, &out->first, out->point_count);
}

void stuff_lattice_release(stuff_lattice *l) {
    RELEASE_ALL(l->context, l->inside, l->crossed, l->first, l->edges, l->at);
    *l = (stuff_lattice){.context = l->context};
}

vec3 stuff_place(const stuff_grid *g, size_t point) {
    size_t cell = point / 2, a = cell % g->count[0], b = cell / g->count[0] % g->count[1];
    size_t c = cell / g->count[0] / g->count[1];
    double half = (double)(point & 1) / 2;
    return (vec3){g->origin.x + g->spacing * ((double)a + half), g->origin.y + g->spacing * ((double)b + half),
                  g->origin.z + g->spacing * ((double)c + half)};
}

/* Steps between points: along each axis, and to the ends of the edges of both lattices. */
typedef struct steps {
    size_t axis[3];
    size_t up[2][STUFF_EDGES]; /* added to a point, modulo 2^n */
} steps;

static steps steps_of(const stuff_grid *g) {
    steps s = {.axis = {2, 2 * g->count[0], 2 * g->count[0] * g->count[1]}};
    for (int d = 0; d < LONG_EDGES; d++) s.up[0][d] = s.up[1][d] = s.axis[d];
    for (int k = 0; k < 4; k++) {
        size_t x = k & 1 ? s.axis[0] : 0, y = k & 2 ? s.axis[1] : 0;
        s.up[0][LONG_EDGES + k] = x + y + 1 - s.axis[0] - s.axis[1];
        s.up[1][LONG_EDGES + k] = x + y - 1 + s.axis[2];
    }
    return s;
}

size_t stuff_other_end(const stuff_grid *grid, stuff_edge edge) {
    steps s = steps_of(grid);
    return edge.point + s.up[edge.point & 1][edge.direction];
}

/* The edge between two neighbours; *swapped: whether b is its lower end. */
static stuff_edge edge_between(const steps *s, size_t a, size_t b, int *swapped) {
    for (int d = 0; d < STUFF_EDGES; d++) {
        if (a + s->up[a & 1][d] == b) return *swapped = 0, (stuff_edge){a, d};
        if (b + s->up[b & 1][d] == a) return *swapped = 1, (stuff_edge){b, d};
    }
    return *swapped = 0, (stuff_edge){a, 0}; /* not neighbours: our own mistake */
}

/* The other end of edge e of 14 at a point: 0 to 6 upwards, 7 to 13 downwards. */
static size_t neighbour(const steps *s, size_t p, int e, stuff_edge *edge) {
    if (e < STUFF_EDGES) return *edge = (stuff_edge){p, e}, p + s->up[p & 1][e];
    int d = e - STUFF_EDGES;
    size_t parity = d < LONG_EDGES ? p & 1 : (p & 1) ^ 1, q = p - s->up[parity][d];
    return *edge = (stuff_edge){q, d}, q;
}

ruga_status stuff_find_crossings(stuff_lattice *l) {
    steps s = steps_of(&l->grid);
    size_t count = 0;
    for (size_t p = 0; p < l->point_count; p++) {
        if (l->inside[p] <= 0) continue;
        for (int e = 0; e < 2 * STUFF_EDGES; e++) {
            stuff_edge edge;
            size_t q = neighbour(&s, p, e, &edge);
            if (l->inside[q] > 0) continue;
            l->crossed[edge.point] |= (uint8_t)(1u << edge.direction);
            l->crossed[p] |= IS_NEAR, l->crossed[q] |= IS_NEAR;
            count++;
        }
    }
    if (count >= UINT32_MAX) return fail_input(l->context, "the surface crosses %zu edges of the lattice", count);
    TRY(NEW(l->context, &l->edges, count));
    TRY(NEW(l->context, &l->at, count));
    for (size_t p = 0; p < l->point_count; p++) {
        l->first[p] = (uint32_t)l->crossing_count;
        for (int d = 0; d < STUFF_EDGES; d++)
            if (l->crossed[p] & 1u << d) l->edges[l->crossing_count++] = (stuff_edge){p, d};
    }
    return RUGA_OK;
}

static size_t crossing_of(const stuff_lattice *l, stuff_edge edge) {
    unsigned below = l->crossed[edge.point] & ((1u << edge.direction) - 1);
    return l->first[edge.point] + (size_t)__builtin_popcount(below);
}

/* ---- The work. */

enum { KEEPS = 0xff, FREE = 0xfe }; /* of `snap`: 0 to 13: snapped to the crossing of this edge */

typedef ARRAY(vec3) place_array;
typedef ARRAY(uint32_t) index_array;
typedef ARRAY(size_t) point_array;

typedef struct stuffer {
    const stuff_lattice *lattice;
    ruga_context *context;
    steps steps;
    int8_t *label;             /* (points) 1, 0 on the surface, -1 */
    uint8_t *snap;             /* (points) */
    uint32_t *point_vertex;    /* (points) of the output, or NO_INDEX */
    uint32_t *crossing_vertex; /* (crossings) */
    place_array places;        /* (vertices) */
    index_array tets, sides;   /* tets; sides whose three vertices are on the surface, outwards */
    point_array origins;       /* (vertices) its point; SIZE_MAX: a crossing */
    stuff_counts counts;
} stuffer;

static double nearness(int direction) { return direction < LONG_EDGES ? STUFF_NEAR_LONG : STUFF_NEAR_SHORT; }

/* The nearest crossing that is too near to a point, or FREE. */
static uint8_t nearest_crossing(const stuffer *s, size_t p) {
    const stuff_lattice *l = s->lattice;
    double best = INFINITY;
    uint8_t found = FREE;
    for (int e = 0; e < 2 * STUFF_EDGES; e++) {
        stuff_edge edge;
        size_t q = neighbour(&s->steps, p, e, &edge);
        if (s->label[q] != -s->label[p]) continue;
        double at = l->at[crossing_of(l, edge)], t = edge.point == p ? at : 1 - at;
        double distance = edge.direction < LONG_EDGES ? t : t * sqrt(0.75);
        if (t >= nearness(edge.direction) || !(distance < best)) continue;
        best = distance;
        found = (uint8_t)e;
    }
    return found;
}

static void snap_points(stuffer *s) {
    const stuff_lattice *l = s->lattice;
    s->counts.snapped = 0;
    memcpy(s->label, l->inside, l->point_count);
    for (size_t p = 0; p < l->point_count; p++) {
        if (s->snap[p] == KEEPS || !(l->crossed[p] & IS_NEAR)) continue;
        s->snap[p] = nearest_crossing(s, p);
        if (s->snap[p] == FREE) continue;
        s->label[p] = 0;
        s->counts.snapped++;
    }
}

/* ---- Vertices. */

/* Where a crossing is, at least as far from points that are not snapped as the bound. */
static vec3 crossing_place(const stuff_lattice *l, stuff_edge edge) {
    double near = nearness(edge.direction), at = fmin(fmax(l->at[crossing_of(l, edge)], near), 1 - near);
    return vec3_mix(stuff_place(&l->grid, edge.point), stuff_place(&l->grid, stuff_other_end(&l->grid, edge)), at);
}

static vec3 point_place(const stuffer *s, size_t p) {
    const stuff_lattice *l = s->lattice;
    if (s->label[p] != 0) return stuff_place(&l->grid, p);
    stuff_edge edge;
    neighbour(&s->steps, p, s->snap[p], &edge);
    return vec3_mix(stuff_place(&l->grid, edge.point), stuff_place(&l->grid, stuff_other_end(&l->grid, edge)),
                    l->at[crossing_of(l, edge)]);
}

static ruga_status add_vertex(stuffer *s, vec3 place, size_t origin, uint32_t *number) {
    *number = (uint32_t)s->places.count;
    if (s->places.count >= UINT32_MAX / 4) return fail_input(s->context, "the tets have too many vertices");
    TRY(ARRAY_ADD(s->context, &s->places, place));
    return ARRAY_ADD(s->context, &s->origins, origin);
}

static ruga_status vertex_of_point(stuffer *s, size_t p, uint32_t *number) {
    if (s->point_vertex[p] == NO_INDEX) TRY(add_vertex(s, point_place(s, p), p, &s->point_vertex[p]));
    *number = s->point_vertex[p];
    return RUGA_OK;
}

static int is_on_surface(const stuffer *s, uint32_t vertex) {
    size_t p = s->origins.items[vertex];
    return p == SIZE_MAX || s->label[p] == 0;
}

/* ---- Stencils. */

/* The crossing between a point inside and one outside. */
typedef struct cut {
    uint32_t vertex;
    int rank; /* of two crossings at a quadrilateral, the lower one is on its diagonal */
} cut;

/* Long edges first, then short ones whose direction from inside to outside has an even number of negative components:
 * the rules for diagonals of the paper. */
static int cut_rank(int direction, int swapped) {
    if (direction < LONG_EDGES) return 0;
    int k = direction - LONG_EDGES, negatives = !(k & 1) + !(k & 2);
    return (swapped ? 3 - negatives : negatives) % 2 == 0 ? 1 : 2;
}

static ruga_status cut_between(stuffer *s, size_t inside, size_t outside, cut *out) {
    int swapped;
    stuff_edge edge = edge_between(&s->steps, inside, outside, &swapped);
    uint32_t *number = &s->crossing_vertex[crossing_of(s->lattice, edge)];
    if (*number == NO_INDEX) TRY(add_vertex(s, crossing_place(s->lattice, edge), SIZE_MAX, number));
    out->vertex = *number;
    out->rank = cut_rank(edge.direction, swapped);
    return RUGA_OK;
}

/* A tet of positive volume, and those of its sides that may be part of the surface. */
static ruga_status add_tet(stuffer *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const uint32_t tet[4] = {a, b, c, d};
    TRY(ARRAY_RESERVE(s->context, &s->tets, 4));
    memcpy(s->tets.items + s->tets.count, tet, sizeof tet);
    s->tets.count += 4;
    int on[4], count = 0;
    for (int k = 0; k < 4; k++) count += on[k] = is_on_surface(s, tet[k]);
    if (count < 3) return RUGA_OK;
    for (int k = 0; k < 4; k++) {
        if (count - on[k] < 3) continue;
        for (int i = 0; i < 3; i++) TRY(ARRAY_ADD(s->context, &s->sides, tet[tet_sides[k][i]]));
    }
    return RUGA_OK;
}

/* A prism between the triangles low and high, low facing high. Of each quadrilateral, the diagonal ends at the corner
 * of `high` that is earlier in `order`. */
static ruga_status add_prism(stuffer *s, const uint32_t low[3], const uint32_t high[3], const int order[3]) {
    int x = order[0], y = order[1], z = order[2], is_even = (y - x + 3) % 3 == 1;
    const uint32_t tets[3][4] = {
        {low[x], low[y], low[z], high[x]}, {low[y], low[z], high[x], high[y]}, {high[x], high[z], high[y], low[z]}};
    for (int k = 0; k < 3; k++) {
        const uint32_t *t = tets[k];
        TRY(is_even ? add_tet(s, t[0], t[1], t[2], t[3]) : add_tet(s, t[1], t[0], t[2], t[3]));
    }
    return RUGA_OK;
}

/* Three corners inside: a prism, from them to the cuts. */
static ruga_status stencil_of_three(stuffer *s, const size_t points[4], int outside) {
    uint32_t low[3], high[3];
    cut cuts[3];
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++) {
        /* The outward side, turned round, faces the corner that is outside. */
        size_t p = points[tet_sides[outside][(3 - i) % 3]];
        TRY(vertex_of_point(s, p, &low[i]));
        TRY(cut_between(s, p, points[outside], &cuts[i]));
        high[i] = cuts[i].vertex;
    }
    for (int i = 1; i < 3; i++)
        for (int k = i; k > 0 && cuts[order[k]].rank < cuts[order[k - 1]].rank; k--) {
            int swap = order[k];
            order[k] = order[k - 1], order[k - 1] = swap;
        }
    return add_prism(s, low, high, order);
}

/* Corners u and v inside, w and x outside, (u, v, w, x) positive: a prism between the triangles at u and at v. */
static ruga_status stencil_of_two(stuffer *s, size_t u, size_t v, size_t w, size_t x) {
    cut uw, ux, vw, vx;
    uint32_t low[3], high[3];
    TRY(vertex_of_point(s, u, &low[0]));
    TRY(vertex_of_point(s, v, &high[0]));
    TRY(cut_between(s, u, w, &uw));
    TRY(cut_between(s, u, x, &ux));
    TRY(cut_between(s, v, w, &vw));
    TRY(cut_between(s, v, x, &vx));
    low[1] = uw.vertex, low[2] = ux.vertex, high[1] = vw.vertex, high[2] = vx.vertex;
    /* The corner v is on the diagonal of a side where u's cut is. */
    int first_w = uw.rank < vw.rank, first_x = ux.rank < vx.rank;
    const int orders[2][2][3] = {{{1, 2, 0}, {1, 0, 2}}, {{2, 0, 1}, {0, 1, 2}}};
    int order[3];
    memcpy(order, orders[first_w][first_x], sizeof order);
    return add_prism(s, low, high, order);
}

/* Corners u and v inside, z on the surface, w outside, (u, v, z, w) positive: a pyramid with its top at z. */
static ruga_status stencil_of_pyramid(stuffer *s, size_t u, size_t v, size_t z, size_t w) {
    uint32_t a, b, top;
    cut uw, vw;
    TRY(vertex_of_point(s, u, &a));
    TRY(vertex_of_point(s, v, &b));
    TRY(vertex_of_point(s, z, &top));
    TRY(cut_between(s, u, w, &uw));
    TRY(cut_between(s, v, w, &vw));
    if (uw.rank < vw.rank) {
        TRY(add_tet(s, a, b, top, uw.vertex));
        return add_tet(s, uw.vertex, b, top, vw.vertex);
    }
    TRY(add_tet(s, a, b, top, vw.vertex));
    return add_tet(s, a, vw.vertex, top, uw.vertex);
}

/* One corner inside, or none outside: a tet, with cuts instead of the corners outside. */
static ruga_status stencil_of_one(stuffer *s, const size_t points[4], int inside) {
    uint32_t tet[4];
    for (int k = 0; k < 4; k++) {
        cut at;
        if (s->label[points[k]] >= 0) {
            TRY(vertex_of_point(s, points[k], &tet[k]));
        } else {
            TRY(cut_between(s, points[inside], points[k], &at));
            tet[k] = at.vertex;
        }
    }
    return add_tet(s, tet[0], tet[1], tet[2], tet[3]);
}

/* A tet of the lattice, of positive volume. */
static ruga_status fill_tet(stuffer *s, const size_t points[4]) {
    int inside[4], on[4], outside[4], ins = 0, ons = 0, outs = 0;
    for (int k = 0; k < 4; k++) {
        int label = s->label[points[k]];
        if (label > 0)
            inside[ins++] = k;
        else if (label < 0)
            outside[outs++] = k;
        else
            on[ons++] = k;
    }
    if (ins == 0) return RUGA_OK;
    if (ins == 1 || outs == 0) return stencil_of_one(s, points, inside[0]);
    if (ins == 3) return stencil_of_three(s, points, outside[0]);
    /* u and v are inside; the order of the others makes the tet positive. */
    int rest[2] = {outs == 2 ? outside[0] : on[0], outs == 2 ? outside[1] : outside[0]};
    int order[4] = {inside[0], inside[1], rest[0], rest[1]}, is_odd = 0;
    for (int i = 0; i < 4; i++)
        for (int k = i + 1; k < 4; k++) is_odd ^= order[i] > order[k];
    size_t u = points[order[is_odd]], v = points[order[!is_odd]], w = points[order[2]], x = points[order[3]];
    return outs == 2 ? stencil_of_two(s, u, v, w, x) : stencil_of_pyramid(s, u, v, w, x);
}

/* All tets: four around each long edge of the first lattice. */
static ruga_status fill(stuffer *s) {
    const stuff_lattice *l = s->lattice;
    const size_t *n = l->grid.count, *axis = s->steps.axis;
    for (size_t c = 1; c + 1 < n[2]; c++)
        for (size_t b = 1; b + 1 < n[1]; b++)
            for (size_t a = 1; a + 1 < n[0]; a++) {
                size_t p = 2 * ((c * n[1] + b) * n[0] + a);
                for (int d = 0; d < 3; d++) {
                    size_t u = axis[(d + 1) % 3], v = axis[(d + 2) % 3], ring = p + 1 - u - v;
                    const size_t around[5] = {ring, ring + u, ring + u + v, ring + v, ring};
                    for (int k = 0; k < 4; k++) {
                        const size_t points[4] = {p, p + axis[d], around[k], around[k + 1]};
                        TRY(fill_tet(s, points));
                    }
                }
            }
    return RUGA_OK;
}

/* ---- The surface. */

/* Keeps the sides that belong to one tet only. */
static ruga_status reduce_sides(stuffer *s) {
    size_t count = s->sides.count / 3, mask = 1, kept = 0;
    while (mask < 2 * count) mask *= 2;
    uint32_t *slots, *twins;
    TRY(NEW(s->context, &slots, mask));
    TRY_OR(NEW(s->context, &twins, count), memory_release(s->context, slots));
    memset(slots, 0xff, mask * sizeof *slots);
    memset(twins, 0xff, count * sizeof *twins);
    for (size_t i = 0; i < count; i++) {
        uint32_t key[3], other[3];
        memcpy(key, s->sides.items + 3 * i, sizeof key);
        sort_indices(key, 3);
        size_t slot = mix_bits(key[0] ^ mix_bits(key[1] ^ mix_bits(key[2]))) & (mask - 1);
        for (; slots[slot] != NO_INDEX; slot = (slot + 1) & (mask - 1)) {
            memcpy(other, s->sides.items + 3 * (size_t)slots[slot], sizeof other);
            sort_indices(other, 3);
            if (memcmp(key, other, sizeof key) == 0) break;
        }
        if (slots[slot] == NO_INDEX)
            slots[slot] = (uint32_t)i;
        else
            twins[i] = slots[slot], twins[slots[slot]] = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++)
        if (twins[i] == NO_INDEX) memmove(s->sides.items + 3 * kept++, s->sides.items + 3 * i, 3 * sizeof(uint32_t));
    s->sides.count = 3 * kept;
    RELEASE_ALL(s->context, slots, twins);
    return RUGA_OK;
}

/* The points of a vertex, or of both ends of an edge, where the surface touches itself keep their place. */
static size_t keep_point(stuffer *s, uint32_t vertex) {
    size_t p = s->origins.items[vertex];
    if (p == SIZE_MAX || s->label[p] != 0 || s->snap[p] == KEEPS) return 0;
    s->snap[p] = KEEPS;
    s->counts.kept++;
    return 1;
}

static ruga_status keep_touching_points(stuffer *s, size_t *kept) {
    inspection in = {.triangle_count = s->sides.count / 3, .triangles = s->sides.items};
    uint32_t *parent = NULL;
    *kept = 0;
    TRY(topology_build(s->context, s->places.count, in.triangle_count, in.triangles, &in.topo));
    ruga_status status = NEW(s->context, &parent, s->places.count);
    for (size_t e = 0; !RUGA_FAILED(status) && e < in.topo->edge_count; e++)
        if (topology_edge_size(in.topo, e) != 2)
            for (int k = 0; k < 2; k++) *kept += keep_point(s, in.topo->edge_vertices[2 * e + (size_t)k]);
    for (size_t v = 0; !RUGA_FAILED(status) && v < s->places.count; v++)
        if (in.topo->fan_offsets[v] < in.topo->fan_offsets[v + 1] && fan_count(&in, (uint32_t)v, parent) > 1)
            *kept += keep_point(s, (uint32_t)v);
    memory_release(s->context, parent);
    topology_destroy(in.topo);
    return status;
}

/* ---- All of it. */

static ruga_status stuff_once(stuffer *s, size_t *kept) {
    const stuff_lattice *l = s->lattice;
    s->places.count = s->origins.count = s->tets.count = s->sides.count = 0;
    memset(s->point_vertex, 0xff, l->point_count * sizeof *s->point_vertex);
    memset(s->crossing_vertex, 0xff, l->crossing_count * sizeof *s->crossing_vertex);
    snap_points(s);
    TRY(fill(s));
    TRY(reduce_sides(s));
    s->counts.rounds++;
    return keep_touching_points(s, kept);
}

static ruga_status stuff_all(stuffer *s) {
    const stuff_lattice *l = s->lattice;
    size_t kept = 1;
    TRY(NEW(s->context, &s->label, l->point_count));
    TRY(NEW(s->context, &s->snap, l->point_count));
    TRY(NEW(s->context, &s->point_vertex, l->point_count));
    TRY(NEW(s->context, &s->crossing_vertex, l->crossing_count));
    memset(s->snap, FREE, l->point_count);
    while (kept > 0) TRY(stuff_once(s, &kept));
    return RUGA_OK;
}

ruga_status stuff_make(const stuff_lattice *lattice, mesh_parts *parts, stuff_counts *counts) {
    stuffer s = {.lattice = lattice, .context = lattice->context, .steps = steps_of(&lattice->grid)};
    ruga_status status = stuff_all(&s);
    RELEASE_ALL(s.context, s.label, s.snap, s.point_vertex, s.crossing_vertex, s.origins.items);
    parts->positions = s.places.items;
    parts->vertex_count = s.places.count;
    parts->tets = s.tets.items;
    parts->tet_count = s.tets.count / 4;
    parts->face_vertices = s.sides.items;
    parts->corner_count = s.sides.count;
    parts->face_count = s.sides.count / 3;
    *counts = s.counts;
    return status;
}
