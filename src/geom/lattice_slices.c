/* Pieces, regions and links; the header explains them. */
#include "geom/lattice_slices.h"

#include <stdlib.h>

#include "mesh/topology.h"

#define TIE 1e-9      /* of a cell: hits nearer than this may change their order */
#define NEGATIVE 1e-9 /* of a cell: a region with less than minus this is a hole */

typedef struct piece {
    uint32_t triangle, cell;
    size_t first; /* of its corners */
    int count;
} piece;

typedef struct corner {
    slice_point at;
    unsigned char side;
} corner;

/* Where a triangle crosses a line between cells. */
typedef struct hit {
    uint32_t direction; /* of the line */
    uint32_t line;      /* by the indices of its two planes */
    double at;          /* along it */
    uint32_t triangle;
    int leaves; /* 1: leaves the material in the line's direction; 0: enters it */
} hit;

/* Of the edge of a cell where x runs and y and z are highest. */
typedef struct stretch {
    uint32_t node;
    double from, to; /* 0…1 */
} stretch;

/* The nodes of the union-find are the pieces, and then 8 for each crossing of planes: one for each cell around it. */
typedef struct slicer {
    slice_input in;
    ruga_context *context;
    ARRAY(piece) pieces;
    ARRAY(corner) corners;
    ARRAY(hit) hits;
    ARRAY(stretch) stretches;
    ARRAY(slice_link) links; /* of nodes, then of regions */
    size_t *first_pieces;    /* (triangles + 1) */
    size_t node_count, crossing_count;
    uint32_t *parents;     /* (nodes) */
    unsigned char *inside; /* (crossings) in the material */
    uint32_t *region_of;   /* (nodes) of roots; NO_INDEX elsewhere */
    topology *topo;
} slicer;

static void release_slicer(slicer *s) {
    ARRAY_RELEASE(s->context, &s->pieces);
    ARRAY_RELEASE(s->context, &s->corners);
    ARRAY_RELEASE(s->context, &s->hits);
    ARRAY_RELEASE(s->context, &s->stretches);
    ARRAY_RELEASE(s->context, &s->links);
    RELEASE_ALL(s->context, s->first_pieces, s->parents, s->inside, s->region_of);
    topology_destroy(s->topo);
}

static uint32_t cell_of(const slicer *s, int axis, double x) {
    uint32_t most = s->in.counts[axis] - 1;
    if (!(x >= 1)) return 0;
    return x >= (double)most ? most : (uint32_t)x;
}

/* Rises with the order in which a triangle is sliced. */
static uint32_t cell_index(const slicer *s, const uint32_t cell[3]) {
    return (cell[0] * s->in.counts[1] + cell[1]) * s->in.counts[2] + cell[2];
}

static void cell_from_index(const slicer *s, uint32_t index, uint32_t cell[3]) {
    cell[2] = index % s->in.counts[2];
    cell[1] = index / s->in.counts[2] % s->in.counts[1];
    cell[0] = index / s->in.counts[2] / s->in.counts[1];
}

/* ---- Pieces. */

static void put(slice_polygon *p, slice_point at, unsigned side) {
    if (p->count == SLICE_CORNERS) return;
    p->points[p->count] = at;
    p->sides[p->count++] = (unsigned char)side;
}

/* Cuts a convex polygon by a plane. Both triangles at an edge get the same bits: the cut runs from its lower end. */
static void split(const slice_polygon *in, int axis, double plane, slice_polygon *low, slice_polygon *high) {
    low->count = high->count = 0;
    for (int i = 0; i < in->count; i++) {
        slice_point p = in->points[i], q = in->points[(i + 1) % in->count];
        int p_high = p.at[axis] >= plane, q_high = q.at[axis] >= plane;
        put(p_high ? high : low, p, in->sides[i]);
        if (p_high == q_high) continue;
        const slice_point *from = p_high ? &q : &p, *to = p_high ? &p : &q;
        double t = (plane - from->at[axis]) / (to->at[axis] - from->at[axis]);
        slice_point cut;
        for (int k = 0; k < 3; k++) cut.at[k] = from->at[k] + (to->at[k] - from->at[k]) * t;
        cut.at[axis] = plane;
        unsigned below = SLICE_PLANES + 2 * (unsigned)axis + 1, above = SLICE_PLANES + 2 * (unsigned)axis;
        put(low, cut, p_high ? in->sides[i] : below);
        put(high, cut, p_high ? above : in->sides[i]);
    }
}

/* A corner between two planes, seen from the cell below both: it comes along plane a and leaves along plane b. */
static ruga_status add_hit(slicer *s, uint32_t triangle, const uint32_t cell[3], slice_point at, int a, int b) {
    int d = 3 - a - b, is_even = (a + 1) % 3 == b;
    int first = a < b ? a : b, second = a < b ? b : a;
    hit h = {.direction = (uint32_t)d,
             .line = (cell[first] + 1) * (s->in.counts[second] + 1) + cell[second] + 1,
             .at = at.at[d],
             .triangle = triangle,
             .leaves = is_even};
    return ARRAY_ADD(s->context, &s->hits, h);
}

static ruga_status add_piece(slicer *s, uint32_t triangle, const uint32_t cell[3], const slice_polygon *p) {
    piece made = {triangle, cell_index(s, cell), s->corners.count, p->count};
    TRY(ARRAY_ADD(s->context, &s->pieces, made));
    for (int i = 0; i < p->count; i++) {
        corner c = {p->points[i], p->sides[i]};
        TRY(ARRAY_ADD(s->context, &s->corners, c));
        int in = p->sides[(i + p->count - 1) % p->count] - SLICE_PLANES, out = p->sides[i] - SLICE_PLANES;
        if (in < 0 || out < 0 || in % 2 == 0 || out % 2 == 0 || in == out) continue;
        TRY(add_hit(s, triangle, cell, p->points[i], in / 2, out / 2));
    }
    return RUGA_OK;
}

static ruga_status slice_from_axis(slicer *s, uint32_t triangle, int axis, uint32_t cell[3], const slice_polygon *p) {
    if (axis == 3) return add_piece(s, triangle, cell, p);
    uint32_t least = UINT32_MAX, most = 0;
    for (int i = 0; i < p->count; i++) {
        uint32_t at = cell_of(s, axis, p->points[i].at[axis]);
        if (at < least) least = at;
        if (at > most) most = at;
    }
    slice_polygon rest = *p, low, high;
    for (cell[axis] = least; cell[axis] < most; cell[axis]++) {
        uint32_t here = cell[axis];
        split(&rest, axis, here + 1, &low, &high);
        if (low.count >= 3) TRY(slice_from_axis(s, triangle, axis + 1, cell, &low));
        rest = high;
    }
    return rest.count >= 3 ? slice_from_axis(s, triangle, axis + 1, cell, &rest) : RUGA_OK;
}

static ruga_status slice_triangles(slicer *s) {
    TRY(NEW(s->context, &s->first_pieces, s->in.triangle_count + 1));
    for (size_t t = 0; t < s->in.triangle_count; t++) {
        slice_polygon p = {.count = 3, .sides = {0, 1, 2}};
        uint32_t cell[3];
        for (int k = 0; k < 3; k++) p.points[k] = s->in.points[s->in.triangles[3 * t + (size_t)k]];
        s->first_pieces[t] = s->pieces.count;
        TRY(slice_from_axis(s, (uint32_t)t, 0, cell, &p));
    }
    s->first_pieces[s->in.triangle_count] = s->pieces.count;
    return RUGA_OK;
}

/* The piece of a triangle in a cell; NO_INDEX: none. */
static uint32_t find_piece(const slicer *s, size_t triangle, uint32_t cell) {
    size_t low = s->first_pieces[triangle], high = s->first_pieces[triangle + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->pieces.items[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->first_pieces[triangle + 1] && s->pieces.items[low].cell == cell ? (uint32_t)low : NO_INDEX;
}

/* ---- Connections within a cell. */

static uint32_t root_of(slicer *s, uint32_t node) {
    while (s->parents[node] != node) node = s->parents[node] = s->parents[s->parents[node]];
    return node;
}

static void unite(slicer *s, uint32_t a, uint32_t b) {
    if (a == NO_INDEX || b == NO_INDEX) return;
    a = root_of(s, a);
    b = root_of(s, b);
    if (a < b)
        s->parents[b] = a;
    else
        s->parents[a] = b;
}

static int has_side(const slicer *s, const piece *p, unsigned side) {
    for (int i = 0; i < p->count; i++)
        if (s->corners.items[p->first + (size_t)i].side == side) return 1;
    return 0;
}

/* Pieces of a triangle and of the one that follows it at an edge. */
static void unite_across_edge(slicer *s, size_t edge) {
    const topology *topo = s->topo;
    for (uint32_t e = topo->edge_offsets[edge]; e + 1 < topo->edge_offsets[edge + 1]; e++) {
        uint32_t t = topo->edge_triangles[e], other = topo->edge_triangles[e + 1];
        for (unsigned side = 0; side < 3; side++) {
            if (topo->triangle_edges[3 * (size_t)t + side] != edge) continue;
            for (size_t p = s->first_pieces[t]; p < s->first_pieces[t + 1]; p++)
                if (has_side(s, &s->pieces.items[p], side))
                    unite(s, (uint32_t)p, find_piece(s, other, s->pieces.items[p].cell));
        }
    }
}

/* The node of a crossing of planes, seen from a cell at it. */
static uint32_t crossing_node(const slicer *s, const uint32_t crossing[3], const uint32_t cell[3]) {
    uint32_t index = (crossing[0] * (s->in.counts[1] + 1) + crossing[1]) * (s->in.counts[2] + 1) + crossing[2];
    uint32_t octant = 0;
    for (int a = 0; a < 3; a++) octant |= (uint32_t)(cell[a] == crossing[a]) << a;
    return (uint32_t)s->pieces.count + 8 * index + octant;
}

static int compare_hits(const void *a, const void *b) {
    const hit *h = a, *g = b;
    if (h->direction != g->direction) return h->direction < g->direction ? -1 : 1;
    if (h->line != g->line) return h->line < g->line ? -1 : 1;
    if (h->at != g->at) return h->at < g->at ? -1 : 1;
    return h->triangle < g->triangle ? -1 : h->triangle > g->triangle;
}

/* A line in the material from one hit to another, as one of the four columns of cells around it sees it. */
static ruga_status add_line_part(slicer *s, const hit *from, const hit *to, int quadrant) {
    int d = (int)from->direction, a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
    uint32_t crossing[3], cell[3];
    crossing[a] = from->line / (s->in.counts[b] + 1);
    crossing[b] = from->line % (s->in.counts[b] + 1);
    cell[a] = crossing[a] - (quadrant & 1);
    cell[b] = crossing[b] - (uint32_t)(quadrant >> 1);
    uint32_t first = cell_of(s, d, from->at), last = cell_of(s, d, to->at);
    for (uint32_t k = first; k <= last; k++) {
        cell[d] = crossing[d] = k;
        uint32_t here = cell_index(s, cell);
        uint32_t low = k == first ? find_piece(s, from->triangle, here) : crossing_node(s, crossing, cell);
        crossing[d] = k + 1;
        uint32_t high = k == last ? find_piece(s, to->triangle, here) : crossing_node(s, crossing, cell);
        unite(s, low, high);
        if (k < last && quadrant == 0)
            s->inside[(crossing_node(s, crossing, cell) - (uint32_t)s->pieces.count) / 8] = 1;
        if (d != 0 || quadrant != 3 || low == NO_INDEX) continue;
        stretch made = {low, k == first ? from->at - k : 0, k == last ? to->at - k : 1};
        TRY(ARRAY_ADD(s->context, &s->stretches, made));
    }
    return RUGA_OK;
}

/* Hits at the same place may be in the wrong order, as where two parts of a surface touch. */
static void take_in_turn(hit *hits, size_t count, size_t i, int is_inside) {
    if (hits[i].leaves == is_inside) return;
    for (size_t k = i + 1; k < count && hits[k].at - hits[i].at <= TIE; k++)
        if (hits[k].leaves == is_inside) {
            hit other = hits[k];
            hits[k] = hits[i];
            hits[i] = other;
            return;
        }
}

static ruga_status follow_line(slicer *s, hit *hits, size_t count) {
    int depth = 0;
    size_t from = 0;
    for (size_t i = 0; i < count; i++) {
        take_in_turn(hits, count, i, depth > 0);
        if (!hits[i].leaves && depth++ == 0) from = i;
        if (!hits[i].leaves || depth == 0 || --depth > 0) continue;
        for (int quadrant = 0; quadrant < 4; quadrant++) TRY(add_line_part(s, &hits[from], &hits[i], quadrant));
    }
    return RUGA_OK;
}

static ruga_status unite_along_lines(slicer *s) {
    hit *hits = s->hits.items;
    if (s->hits.count > 0) qsort(hits, s->hits.count, sizeof *hits, compare_hits);
    for (size_t begin = 0, end; begin < s->hits.count; begin = end) {
        for (end = begin;
             end < s->hits.count && hits[end].line == hits[begin].line && hits[end].direction == hits[begin].direction;)
            end++;
        TRY(follow_line(s, hits + begin, end - begin));
    }
    return RUGA_OK;
}

static ruga_status connect(slicer *s) {
    s->crossing_count = (size_t)(s->in.counts[0] + 1) * (size_t)(s->in.counts[1] + 1) * (size_t)(s->in.counts[2] + 1);
    s->node_count = s->pieces.count + 8 * s->crossing_count;
    if (s->node_count >= NO_INDEX)
        return fail_input(s->context,
                          "a lattice of %u x %u x %u cells over %zu triangles is too fine; make its cells larger",
                          s->in.counts[0], s->in.counts[1], s->in.counts[2], s->in.triangle_count);
    TRY(NEW(s->context, &s->parents, s->node_count));
    TRY(NEW_ZEROED(s->context, &s->inside, s->crossing_count));
    for (size_t i = 0; i < s->node_count; i++) s->parents[i] = (uint32_t)i;
    TRY(topology_build(s->context, s->in.vertex_count, s->in.triangle_count, s->in.triangles, &s->topo));
    for (size_t e = 0; e < s->topo->edge_count; e++) unite_across_edge(s, e);
    return unite_along_lines(s);
}

/* ---- Links, of nodes. */

static ruga_status link_pieces(slicer *s) {
    const uint32_t steps[3] = {s->in.counts[1] * s->in.counts[2], s->in.counts[2], 1};
    for (size_t p = 0; p < s->pieces.count; p++) {
        const piece *at = &s->pieces.items[p];
        for (uint32_t axis = 0; axis < 3; axis++) {
            if (!has_side(s, at, SLICE_PLANES + 2 * axis + 1)) continue;
            uint32_t other = find_piece(s, at->triangle, at->cell + steps[axis]);
            if (other == NO_INDEX) continue;
            slice_link link = {(uint32_t)p, other, axis};
            TRY(ARRAY_ADD(s->context, &s->links, link));
        }
    }
    return RUGA_OK;
}

static ruga_status link_crossings(slicer *s) {
    for (size_t c = 0; c < s->crossing_count; c++) {
        if (!s->inside[c]) continue;
        uint32_t first = (uint32_t)(s->pieces.count + 8 * c);
        for (uint32_t axis = 0; axis < 3; axis++)
            for (uint32_t octant = 0; octant < 8; octant++) {
                if (octant >> axis & 1) continue;
                slice_link link = {first + octant, first + (octant | 1u << axis), axis};
                TRY(ARRAY_ADD(s->context, &s->links, link));
            }
    }
    return RUGA_OK;
}

/* ---- Regions. */

/* The cell of a crossing's node. */
static void node_cell(const slicer *s, uint32_t node, uint32_t cell[3], slice_point *corner_of_cell) {
    uint32_t index = (node - (uint32_t)s->pieces.count) / 8, octant = (node - (uint32_t)s->pieces.count) % 8;
    uint32_t crossing[3] = {index / (s->in.counts[2] + 1) / (s->in.counts[1] + 1),
                            index / (s->in.counts[2] + 1) % (s->in.counts[1] + 1), index % (s->in.counts[2] + 1)};
    for (int a = 0; a < 3; a++) {
        int upper = octant >> a & 1;
        cell[a] = crossing[a] - (upper ? 0 : 1);
        corner_of_cell->at[a] = upper ? 0 : 1;
    }
}

static void grow(slice_region *r, slice_point p) {
    for (int a = 0; a < 3; a++) {
        r->low.at[a] = fmin(r->low.at[a], p.at[a]);
        r->high.at[a] = fmax(r->high.at[a], p.at[a]);
    }
}

static uint32_t region_of_node(slicer *s, uint32_t node) { return s->region_of[root_of(s, node)]; }

static slice_region *node_region(slicer *s, uint32_t node, const uint32_t cell[3], lattice_slices *out) {
    uint32_t root = root_of(s, node);
    if (s->region_of[root] == NO_INDEX) {
        s->region_of[root] = (uint32_t)out->region_count;
        out->regions[out->region_count] = (slice_region){.cell = {cell[0], cell[1], cell[2]},
                                                         .low = {{1, 1, 1}},
                                                         .high = {{0, 0, 0}},
                                                         .boxes = NO_INDEX,
                                                         .node = node};
        out->region_count++;
    }
    return &out->regions[s->region_of[root]];
}

static size_t count_roots(slicer *s) {
    size_t count = 0;
    for (uint32_t p = 0; p < s->pieces.count; p++) count += s->parents[p] == p;
    for (uint32_t n = (uint32_t)s->pieces.count; n < s->node_count; n++)
        count += s->parents[n] == n && s->inside[(n - (uint32_t)s->pieces.count) / 8];
    return count;
}

static ruga_status make_regions(slicer *s, lattice_slices *out) {
    TRY(NEW(s->context, &s->region_of, s->node_count));
    for (size_t i = 0; i < s->node_count; i++) s->region_of[i] = NO_INDEX;
    TRY(NEW(s->context, &out->regions, count_roots(s)));
    size_t boxes = 0;
    for (uint32_t p = 0; p < s->pieces.count; p++) {
        const piece *at = &s->pieces.items[p];
        uint32_t cell[3];
        cell_from_index(s, at->cell, cell);
        slice_region *r = node_region(s, p, cell, out);
        if (r->boxes == NO_INDEX) r->boxes = (uint32_t)boxes++;
        for (int i = 0; i < at->count; i++) {
            slice_point c = s->corners.items[at->first + (size_t)i].at;
            for (int a = 0; a < 3; a++) c.at[a] -= cell[a];
            grow(r, c);
        }
    }
    for (uint32_t n = (uint32_t)s->pieces.count; n < s->node_count; n++) {
        if (!s->inside[(n - (uint32_t)s->pieces.count) / 8]) continue;
        uint32_t cell[3];
        slice_point c;
        node_cell(s, n, cell, &c);
        grow(node_region(s, n, cell, out), c);
    }
    return NEW_ZEROED(s->context, &out->boxes, boxes);
}

static void add_volumes(slicer *s, lattice_slices *out) {
    for (uint32_t p = 0; p < s->pieces.count; p++) {
        const piece *at = &s->pieces.items[p];
        const slice_region *r = &out->regions[region_of_node(s, p)];
        slice_thirds thirds = slice_thirds_of(r);
        slice_polygon polygon = {.count = at->count};
        for (int i = 0; i < at->count; i++)
            for (int a = 0; a < 3; a++)
                polygon.points[i].at[a] = s->corners.items[at->first + (size_t)i].at.at[a] - r->cell[a];
        slice_add_below_polygon(&thirds, &polygon, out->boxes[r->boxes]);
        for (int i = 0; i < at->count; i++)
            if (s->corners.items[at->first + (size_t)i].side == SLICE_PLANES + 3)
                slice_add_below_side(&thirds, polygon.points[i], polygon.points[(i + 1) % at->count],
                                     out->boxes[r->boxes]);
    }
    for (size_t k = 0; k < s->stretches.count; k++) {
        const stretch *at = &s->stretches.items[k];
        const slice_region *r = &out->regions[region_of_node(s, at->node)];
        slice_thirds thirds = slice_thirds_of(r);
        if (r->boxes != NO_INDEX) slice_add_below_stretch(&thirds, at->from, at->to, out->boxes[r->boxes]);
    }
    for (size_t r = 0; r < out->region_count; r++) {
        slice_region *region = &out->regions[r];
        region->volume = region->boxes == NO_INDEX;
        for (int k = 0; region->boxes != NO_INDEX && k < SLICE_BOXES; k++)
            region->volume += out->boxes[region->boxes][k].volume;
    }
}

/* ---- Holes. */

static double distance2(const slicer *s, uint32_t a, uint32_t b) {
    const piece *p = &s->pieces.items[a], *q = &s->pieces.items[b];
    double least = INFINITY;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < q->count; k++) {
            const double *u = s->corners.items[p->first + (size_t)i].at.at;
            const double *v = s->corners.items[q->first + (size_t)k].at.at;
            double d = 0;
            for (int c = 0; c < 3; c++) d += (u[c] - v[c]) * (u[c] - v[c]);
            least = fmin(least, d);
        }
    return least;
}

static int can_host(const slice_region *hole, const slice_region *other) {
    return other->volume > 0 && memcmp(other->cell, hole->cell, sizeof hole->cell) == 0;
}

/* A node of the region around a hole: a full cell, or the one whose pieces are nearest. */
static uint32_t find_host(slicer *s, const lattice_slices *out, const slice_region *hole) {
    uint32_t best = NO_INDEX;
    double nearest = INFINITY;
    for (size_t r = 0; r < out->region_count; r++)
        if (can_host(hole, &out->regions[r]) && out->regions[r].boxes == NO_INDEX) return out->regions[r].node;
    for (uint32_t p = 0; p < s->pieces.count; p++) {
        if (!can_host(hole, &out->regions[region_of_node(s, p)])) continue;
        double d = distance2(s, hole->node, p);
        if (d < nearest) {
            nearest = d;
            best = p;
        }
    }
    return best;
}

/* Holes join the regions around them. */
static ruga_status join_holes(slicer *s, const lattice_slices *out, size_t *joined) {
    *joined = 0;
    for (size_t r = 0; r < out->region_count; r++) {
        const slice_region *hole = &out->regions[r];
        if (!(hole->volume < -NEGATIVE)) continue;
        uint32_t host = find_host(s, out, hole);
        if (host == NO_INDEX)
            return fail_input(
                s->context,
                "the surface is inside out or intersects itself at triangle %u; orient the faces outwards, "
                "and separate parts that overlap: `ruga intersections` finds them",
                s->pieces.items[hole->node].triangle);
        unite(s, hole->node, host);
        ++*joined;
    }
    return RUGA_OK;
}

static ruga_status measure_regions(slicer *s, lattice_slices *out) {
    for (size_t joined = 1; joined > 0;) {
        RELEASE_ALL(s->context, s->region_of, out->regions, out->boxes);
        s->region_of = NULL;
        out->regions = NULL;
        out->boxes = NULL;
        out->region_count = 0;
        TRY(make_regions(s, out));
        add_volumes(s, out);
        TRY(join_holes(s, out, &joined));
    }
    return RUGA_OK;
}

/* ---- All of it. */

static ruga_status find_vertex_regions(slicer *s, lattice_slices *out) {
    TRY(NEW(s->context, &out->vertex_regions, s->in.vertex_count));
    for (size_t v = 0; v < s->in.vertex_count; v++) {
        if (s->topo->fan_offsets[v] == s->topo->fan_offsets[v + 1])
            return fail_input(s->context, "vertex %zu belongs to no triangle; remove it", v);
        uint32_t cell[3], triangle = s->topo->fan_triangles[s->topo->fan_offsets[v]];
        for (int a = 0; a < 3; a++) cell[a] = cell_of(s, a, s->in.points[v].at[a]);
        uint32_t found = find_piece(s, triangle, cell_index(s, cell));
        if (found == NO_INDEX) found = (uint32_t)s->first_pieces[triangle];
        out->vertex_regions[v] = region_of_node(s, found);
    }
    return RUGA_OK;
}

static ruga_status hand_over_links(slicer *s, lattice_slices *out) {
    for (size_t k = 0; k < s->links.count; k++) {
        slice_link *link = &s->links.items[k];
        link->low = region_of_node(s, link->low);
        link->high = region_of_node(s, link->high);
    }
    out->links = s->links.items;
    out->link_count = s->links.count;
    s->links.items = NULL;
    return RUGA_OK;
}

static ruga_status make(slicer *s, lattice_slices *out) {
    TRY(slice_triangles(s));
    TRY(connect(s));
    TRY(link_pieces(s));
    TRY(link_crossings(s));
    TRY(measure_regions(s, out));
    TRY(find_vertex_regions(s, out));
    return hand_over_links(s, out);
}

ruga_status lattice_slices_make(const slice_input *input, lattice_slices *out) {
    slicer s = {.in = *input, .context = input->context};
    *out = (lattice_slices){.context = input->context};
    ruga_status status = make(&s, out);
    release_slicer(&s);
    if (RUGA_FAILED(status)) lattice_slices_release(out);
    return status;
}

void lattice_slices_release(lattice_slices *slices) {
    if (!slices->context) return;
    RELEASE_ALL(slices->context, slices->regions, slices->boxes, slices->links, slices->vertex_regions);
    *slices = (lattice_slices){0};
}
