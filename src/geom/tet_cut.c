/* The virtual node algorithm on tetrahedra: see tet_cut.h.
 *
 *     lines ──▶ distances of nodes (tet_cut_measure.c) ──▶ tets that are cut ──▶ pieces (tet_cut_clip.c)
 *     corners of pieces ──pieces touch across a side, or are one on the surface──▶ parts: one copy of the vertex each
 *
 * Only tets that have a vertex in common with a cut tet are looked at; the others stay as they are. Groups are disjoint
 * sets (mesh/sets.h), in the order of tets, so that the result is the same on every machine. */
#include "geom/tet_cut.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "geom/bvh.h"
#include "geom/tet_cut_parts.h"
#include "mesh/carry.h"
#include "mesh/mesh.h"
#include "mesh/sets.h"

#define NEAR_END 3.0    /* edges from an end, within which a cut may be shallower than the surface's */
#define SHORT_END 0.3   /* of a short line, instead: the rest of it has to stay within the body */
#define AROUND_END 1.5  /* edges beyond an end, within which corners of a cut tet are */
#define LEAST_RANGE 1.0 /* edges of a line that has to fold */
#define STEEP 1.5       /* greatest change of a distance along an edge, over its length */
#define TOUCH 1e-12     /* of a side's area: pieces that share less do not touch */

typedef struct piece {
    uint32_t tet;    /* of the mesh */
    uint32_t bits;   /* by the lines of its tet, in their order: 1 on the left */
    double share;    /* 1, of the volume */
    uint8_t holds;   /* 1 << k: corner k is in it */
    uint8_t is_kept; /* it has a copy */
} piece;

/* A tet that is looked at: its cuts and its pieces. */
typedef struct local_tet {
    uint32_t tet;
    uint32_t first_line, line_count; /* into cuts */
    uint32_t first_piece, piece_count;
} local_tet;

typedef struct cutter {
    ruga_context *context;
    const ruga_mesh *mesh;
    const cut_lines *lines;
    const curve_cut *cut;
    const virtual_nodes *surface;
    const tet_cut_def *def;
    tet_fans fans;
    tet_line *known;  /* (lines) */
    uint32_t *firsts; /* (vertices) */
    tet_places places;
    uint32_t *local_of;  /* (tets) */
    uint8_t *is_touched; /* (vertices) of a tet that is cut */
    ARRAY(local_tet) locals;
    ARRAY(uint32_t) cuts; /* lines of the local tets, rising in each */
    ARRAY(piece) pieces;
    uint32_t *corners;        /* sets of (pieces x 4): parts */
    uint32_t *points;         /* (pieces x 4) by part: the simulated point; NONE: not numbered */
    uint32_t *surface_pieces; /* (simulated triangles of the surface) its piece; NONE: its tet is not looked at */
    ARRAY(uint32_t) vertex_of;
    ARRAY(tet_section) sections;
    tet_shards shards;
} cutter;

tet_cut_def tet_cut_def_default(void) { return (tet_cut_def){.depth = TET_CUT_DEPTH}; }

static const char *name_of(const cutter *c, uint32_t line) { return c->lines->lines[line].trace->name; }

static const tet_place *place_of(const cutter *c, uint32_t node, uint32_t line) {
    return tet_place_of(&c->places, c->firsts, node, line);
}

static const uint32_t *tet_at(const cutter *c, uint32_t tet) { return c->mesh->tets + 4 * (size_t)tet; }

static uint32_t corner_of(const uint32_t *tet, uint32_t vertex) {
    for (uint32_t k = 0; k < 4; k++)
        if (tet[k] == vertex) return k;
    return NONE;
}

/* m: from an end, where a cut may be shallower than the surface's. */
static double near_end_of(const cut_line *l, const tet_line *k) {
    return fmin(NEAR_END * l->edge, SHORT_END * (k->end - k->begin));
}

/* ---- Distances. */

static ruga_status check_ends(const cutter *c) {
    for (uint32_t i = 0; i < c->lines->line_count; i++) {
        const cut_line *l = &c->lines->lines[i];
        for (int end = 0; end < 2 && !l->closed; end++)
            if (l->ends[end] == CUT_STAR || l->ends[end] == CUT_STEM)
                return fail_input(
                    c->context,
                    "curve \"%s\" ends on another curve, or turns sharply; cuts of a solid may cross, but "
                    "not meet: end it an edge (%g m) before, or draw it on",
                    name_of(c, i), l->edge);
    }
    return RUGA_OK;
}

/* The middle of a segment of a line: its place, and the mean of the normals there. */
static void middle_of(const cutter *c, const cut_line *l, size_t i, const vec3 *normals, vec3 *at, vec3 *normal,
                      double *along) {
    const ruga_curve *trace = l->trace;
    double sum = 0, weight = 0;
    *at = *normal = (vec3){0, 0, 0};
    for (size_t end = 0; end < 2; end++) {
        const ruga_surface_point *p = &trace->points[(i + end) % trace->point_count];
        for (size_t k = 0; k < 3; k++) {
            const uint32_t v = c->mesh->triangles[3 * (size_t)p->triangle + k];
            const cut_place *place = p->weights[k] > 0 ? cut_line_place(l, v) : NULL;
            *at = vec3_add_scaled(*at, c->mesh->positions[v], 0.5 * p->weights[k]);
            *normal = vec3_add_scaled(*normal, normals[v], p->weights[k]);
            if (!place) continue;
            sum += p->weights[k] * place->along;
            weight += p->weights[k];
        }
    }
    *normal = vec3_normalise(*normal);
    *along = weight > 0 ? sum / weight : NAN; /* of a closed line, wrong where it begins */
}

/* Whether the body below a line is as deep as its cut, but near the ends, where a cut may be shallower. */
static ruga_status check_depth(const cutter *c, uint32_t line, const vec3 *normals, const bvh *surface) {
    const cut_line *l = &c->lines->lines[line];
    const tet_line *k = &c->known[line];
    const double near_end = near_end_of(l, k);
    for (size_t i = 0; i + !l->closed < l->trace->point_count; i++) {
        vec3 at, normal;
        double along;
        middle_of(c, l, i, normals, &at, &normal, &along);
        if (!l->closed && !(along > k->begin + near_end && along < k->end - near_end)) continue;
        const bvh_hit hit =
            bvh_ray_hit(surface, vec3_add_scaled(at, normal, -1e-3 * l->edge), vec3_scale(normal, -1), k->depth);
        if (hit.element == NONE) continue;
        return fail_input(c->context,
                          "curve \"%s\": a cut of %g edges (%g m) is deeper than the body, which is %g m thick below "
                          "(%g, %g, %g); lower the depth",
                          name_of(c, line), c->def->depth, k->depth, hit.distance, at.x, at.y, at.z);
    }
    return RUGA_OK;
}

static ruga_status check_depths(const cutter *c, const vec3 *normals) {
    bvh *surface = NULL;
    if (isinf(c->def->depth)) return RUGA_OK;
    TRY(bvh_build_triangles(c->mesh, &surface));
    ruga_status status = RUGA_OK;
    for (uint32_t i = 0; i < c->lines->line_count && !RUGA_FAILED(status); i++)
        status = check_depth(c, i, normals, surface);
    bvh_destroy(surface);
    return status;
}

static ruga_status measure(cutter *c) {
    vec3 *normals = NULL;
    TRY(tet_fans_make(c->mesh, &c->fans));
    TRY(NEW_ZEROED(c->context, &c->known, c->lines->line_count));
    TRY(NEW(c->context, &c->firsts, c->mesh->vertex_count));
    for (size_t v = 0; v < c->mesh->vertex_count; v++) c->firsts[v] = NONE;
    TRY(NEW(c->context, &normals, c->mesh->vertex_count));
    ruga_status status = ruga_mesh_normals(c->mesh, NULL, normals);
    for (uint32_t i = 0; i < c->lines->line_count && !RUGA_FAILED(status); i++)
        status = tet_measure_line(c->mesh, &c->fans, normals, c->lines, i, c->def->depth, c->firsts, &c->places,
                                  &c->known[i]);
    if (!RUGA_FAILED(status)) status = check_depths(c, normals);
    memory_release(c->context, normals);
    return status;
}

/* ---- Which tets are cut. */

/* Distances of the corners from a line; 0: it does not pass between them, or not all are known. */
static int find_values(const cutter *c, uint32_t tet, uint32_t line, const tet_place *places[4], double values[4]) {
    int lefts = 0, rights = 0;
    for (int k = 0; k < 4; k++) {
        places[k] = place_of(c, tet_at(c, tet)[k], line);
        if (!places[k]) return 0;
        values[k] = places[k]->distance;
        lefts += values[k] > 0;
        rights += values[k] < 0;
    }
    return lefts > 0 && rights > 0;
}

static int compare_sides(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(uint32_t)); }

/* Whether the line cuts a triangle of the surface. */
static int cuts_side(const cutter *c, uint32_t line, const uint32_t *side) {
    uint32_t sorted[3] = {side[0], side[1], side[2]};
    sort_indices(sorted, 3);
    const tet_line *l = &c->known[line];
    return bsearch(sorted, l->sides, l->side_count, sizeof *l->sides, compare_sides) != NULL;
}

static void side_at(const uint32_t *tet, int k, uint32_t side[3]) {
    for (int j = 0; j < 3; j++) side[j] = tet[tet_sides[k][j]];
}

enum { NOT_CUT, IS_CUT, COMES_OUT };

/* The middle of a section, m: σ and the depth. Returns whether distances change no faster than the mesh allows. */
static int section_middle(const cutter *c, uint32_t tet, const tet_place *places[4], const double values[4],
                          double length, double *along, double *below) {
    int count = 0, is_smooth = 1;
    *along = *below = 0;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++) {
            if (!(values[a] * values[b] < 0)) continue;
            double t = values[a] / (values[a] - values[b]), other = places[b]->along, first = places[0]->along;
            double one = places[a]->along;
            if (length > 0)
                one -= round((one - first) / length) * length, other -= round((other - first) / length) * length;
            *along += (1 - t) * one + t * other;
            *below += (1 - t) * places[a]->below + t * places[b]->below;
            double size = vec3_distance(c->mesh->positions[tet_at(c, tet)[a]], c->mesh->positions[tet_at(c, tet)[b]]);
            is_smooth &= fabs(values[a] - values[b]) <= STEEP * size;
            count++;
        }
    *along /= count;
    *below /= count;
    return is_smooth;
}

/* Whether a line cuts a tet. Its surface's triangles decide where it has any: those that the surface cuts are, and
 * those that it passes by are not. */
static int cuts_tet(const cutter *c, uint32_t tet, uint32_t line) {
    const cut_line *l = &c->lines->lines[line];
    const tet_line *k = &c->known[line];
    const tet_place *places[4];
    double values[4], along, below;
    int is_on = 0, is_off = 0;
    if (!find_values(c, tet, line, places, values)) return NOT_CUT;
    int is_smooth = section_middle(c, tet, places, values, l->closed ? l->length : 0, &along, &below);
    for (int s = 0; s < 4; s++) {
        uint32_t side[3];
        int lefts = 0, rights = 0;
        side_at(tet_at(c, tet), s, side);
        if (tet_fans_find(c->mesh, &c->fans, side, tet) != NONE) continue;
        for (int j = 0; j < 4; j++) lefts += j != s && values[j] > 0, rights += j != s && values[j] < 0;
        if (lefts == 0 || rights == 0) continue;
        if (cuts_side(c, line, side))
            is_on = 1;
        else
            is_off = 1;
    }
    int is_within = is_smooth && below <= k->depth && (l->closed || (along >= k->begin && along <= k->end));
    for (int j = 0; j < 4 && !l->closed; j++)
        is_within &=
            places[j]->along > k->begin - AROUND_END * l->edge && places[j]->along < k->end + AROUND_END * l->edge;
    if (!is_off) return is_on || is_within ? IS_CUT : NOT_CUT;
    const double near_end = near_end_of(l, k);
    int is_inside = l->closed || (along > k->begin + near_end && along < k->end - near_end);
    return is_within && is_inside && !is_on ? COMES_OUT : NOT_CUT;
}

static ruga_status add_local(cutter *c, uint32_t tet) {
    if (c->local_of[tet] != NONE) return RUGA_OK;
    c->local_of[tet] = (uint32_t)c->locals.count;
    return ARRAY_ADD(c->context, &c->locals, (local_tet){.tet = tet});
}

static ruga_status fail_cut_leaves_body(const cutter *c, uint32_t tet, uint32_t line) {
    vec3 at = {0, 0, 0};
    for (int k = 0; k < 4; k++) at = vec3_add_scaled(at, c->mesh->positions[tet_at(c, tet)[k]], 0.25);
    return fail_input(
        c->context,
        "curve \"%s\": a cut of %g edges (%g m) is deeper than the body at tet %u, (%g, %g, %g); lower the "
        "depth",
        name_of(c, line), c->def->depth, c->known[line].depth, tet, at.x, at.y, at.z);
}

/* Tets with measured nodes that a line cuts, in their order. */
static ruga_status find_cut_tets(cutter *c) {
    TRY(NEW_ZEROED(c->context, &c->is_touched, c->mesh->vertex_count));
    TRY(NEW(c->context, &c->local_of, c->mesh->tet_count));
    for (size_t t = 0; t < c->mesh->tet_count; t++) c->local_of[t] = NONE;
    for (uint32_t t = 0; t < c->mesh->tet_count; t++) {
        uint32_t first = (uint32_t)c->cuts.count;
        for (uint32_t i = c->firsts[tet_at(c, t)[0]]; i != NONE; i = c->places.items[i].next) {
            int how = cuts_tet(c, t, c->places.items[i].line);
            if (how == COMES_OUT) return fail_cut_leaves_body(c, t, c->places.items[i].line);
            if (how == IS_CUT) TRY(ARRAY_ADD(c->context, &c->cuts, c->places.items[i].line));
        }
        uint32_t count = (uint32_t)c->cuts.count - first;
        if (count == 0) continue;
        if (count > TET_CUT_MOST_LINES)
            return fail_input(c->context,
                              "curve \"%s\" and %u others pass through tet %u; at most %d can: refine the mesh",
                              name_of(c, c->cuts.items[first]), count - 1, t, TET_CUT_MOST_LINES);
        sort_indices(c->cuts.items + first, count);
        TRY(add_local(c, t));
        c->locals.items[c->local_of[t]].first_line = first;
        c->locals.items[c->local_of[t]].line_count = count;
        for (int k = 0; k < 4; k++) c->is_touched[tet_at(c, t)[k]] = 1;
    }
    for (uint32_t v = 0; v < c->mesh->vertex_count; v++)
        for (uint32_t i = c->fans.offsets[v]; i < c->fans.offsets[v + 1] && c->is_touched[v]; i++)
            TRY(add_local(c, c->fans.tets[i]));
    return RUGA_OK;
}

/* ---- Pieces. */

/* The distances of (count) nodes from lines. */
static void gather_values(const cutter *c, const uint32_t *nodes, int count, const uint32_t *lines, size_t line_count,
                          double (*values)[4]) {
    for (size_t i = 0; i < line_count; i++)
        for (int k = 0; k < count; k++) values[i][k] = place_of(c, nodes[k], lines[i])->distance;
}

static piece *find_piece(const cutter *c, const local_tet *l, uint32_t bits) {
    for (uint32_t i = 0; i < l->piece_count; i++)
        if (c->pieces.items[l->first_piece + i].bits == bits) return &c->pieces.items[l->first_piece + i];
    return NULL;
}

static ruga_status make_pieces_of(cutter *c, local_tet *l) {
    double values[TET_CUT_MOST_LINES][4];
    l->first_piece = (uint32_t)c->pieces.count;
    if (l->line_count == 0) {
        l->piece_count = 1;
        return ARRAY_ADD(c->context, &c->pieces, (piece){l->tet, 0, 1, 15, 1});
    }
    gather_values(c, tet_at(c, l->tet), 4, c->cuts.items + l->first_line, l->line_count, values);
    TRY(tet_clip(c->context, 4, l->line_count, (const double(*)[4])values, &c->shards));
    for (size_t i = 0; i < c->shards.count; i++) {
        const tet_shard *s = &c->shards.items[i];
        piece *p = find_piece(c, l, s->bits);
        if (p) {
            p->share += s->size;
            continue;
        }
        TRY(ARRAY_ADD(c->context, &c->pieces, (piece){.tet = l->tet, .bits = s->bits, .share = s->size}));
        l->piece_count++;
    }
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t bits = 0;
        int is_on_cut = 0;
        for (uint32_t i = 0; i < l->line_count; i++) {
            bits |= values[i][k] > 0 ? 1u << i : 0;
            is_on_cut |= values[i][k] == 0;
        }
        piece *p = is_on_cut ? NULL : find_piece(c, l, bits);
        if (p) p->holds |= (uint8_t)(1u << k);
    }
    for (uint32_t i = 0; i < l->piece_count; i++) {
        piece *p = &c->pieces.items[l->first_piece + i];
        p->is_kept = p->holds || p->share >= TET_CUT_LEAST_SHARE;
    }
    return RUGA_OK;
}

static ruga_status make_pieces(cutter *c) {
    for (size_t i = 0; i < c->locals.count; i++) TRY(make_pieces_of(c, &c->locals.items[i]));
    return RUGA_OK;
}

/* ---- Parts: corners that are one point. */

/* The bits of a piece among those of a side that is clipped by the lines of both its tets. */
static uint32_t bits_among(const cutter *c, const local_tet *l, const uint32_t *lines, size_t count, uint32_t bits) {
    uint32_t own = 0;
    for (uint32_t i = 0; i < l->line_count; i++)
        for (size_t j = 0; j < count; j++)
            if (lines[j] == c->cuts.items[l->first_line + i] && bits & 1u << j) own |= 1u << i;
    return own;
}

static void join_pieces(cutter *c, const piece *a, const piece *b, const uint32_t side[3]) {
    for (int k = 0; k < 3; k++) {
        uint32_t i = (uint32_t)(a - c->pieces.items), j = (uint32_t)(b - c->pieces.items);
        sets_unite(c->corners, 4 * i + corner_of(tet_at(c, a->tet), side[k]),
                   4 * j + corner_of(tet_at(c, b->tet), side[k]));
    }
}

static ruga_status join_across(cutter *c, const local_tet *a, const local_tet *b, const uint32_t side[3]) {
    uint32_t lines[2 * TET_CUT_MOST_LINES];
    double values[2 * TET_CUT_MOST_LINES][4];
    size_t count = 0;
    for (uint32_t i = 0; i < a->line_count; i++) lines[count++] = c->cuts.items[a->first_line + i];
    for (uint32_t i = 0; i < b->line_count; i++) {
        uint32_t line = c->cuts.items[b->first_line + i];
        int is_known = 0;
        for (uint32_t j = 0; j < a->line_count; j++) is_known |= lines[j] == line;
        if (!is_known) lines[count++] = line;
    }
    gather_values(c, side, 3, lines, count, values);
    TRY(tet_clip(c->context, 3, count, (const double(*)[4])values, &c->shards));
    for (size_t i = 0; i < c->shards.count; i++) {
        const tet_shard *s = &c->shards.items[i];
        if (s->size < TOUCH) continue;
        const piece *p = find_piece(c, a, bits_among(c, a, lines, count, s->bits));
        const piece *q = find_piece(c, b, bits_among(c, b, lines, count, s->bits));
        if (p && q) join_pieces(c, p, q, side);
    }
    return RUGA_OK;
}

static ruga_status join_corners(cutter *c) {
    TRY(NEW_EACH(c->context, 4 * c->pieces.count, &c->corners, &c->points));
    for (uint32_t i = 0; i < 4 * c->pieces.count; i++) {
        c->corners[i] = i;
        c->points[i] = NONE;
    }
    for (size_t i = 0; i < c->locals.count; i++) {
        const local_tet *l = &c->locals.items[i];
        for (int k = 0; k < 4; k++) {
            uint32_t side[3];
            side_at(tet_at(c, l->tet), k, side);
            uint32_t other = tet_fans_find(c->mesh, &c->fans, side, l->tet);
            if (other == NONE || c->local_of[other] == NONE || other < l->tet) continue;
            TRY(join_across(c, l, &c->locals.items[c->local_of[other]], side));
        }
    }
    return RUGA_OK;
}

/* ---- The surface: its triangles are sides of pieces, and points that are one there are one here. */

/* The piece that a simulated triangle of the surface is a side of: by the sides that the middle of a triangle in it is
 * on. */
static ruga_status find_surface_piece(cutter *c, uint32_t triangle, uint32_t *out) {
    const uint32_t *parent = c->mesh->triangles + 3 * (size_t)c->surface->triangle_parent[triangle];
    const uint32_t *shown = c->cut->mesh->triangles + 3 * (size_t)c->surface->shown[triangle];
    const ruga_map *map = c->cut->map;
    uint32_t tet = tet_fans_find(c->mesh, &c->fans, parent, NONE), bits = 0;
    *out = NONE;
    if (tet == NONE)
        return fail_input(c->context,
                          "triangle %u of the surface is the side of no tet; leave the faces out, so that the "
                          "surface of the tets is taken",
                          c->surface->triangle_parent[triangle]);
    if (c->local_of[tet] == NONE) return RUGA_OK;
    const local_tet *l = &c->locals.items[c->local_of[tet]];
    for (uint32_t i = 0; i < l->line_count; i++) {
        double value = 0;
        for (int k = 0; k < 3; k++)
            for (size_t e = map->offsets[shown[k]]; e < map->offsets[shown[k] + 1]; e++)
                value += map->weights[e] * place_of(c, map->indices[e], c->cuts.items[l->first_line + i])->distance;
        bits |= value > 0 ? 1u << i : 0;
    }
    piece *p = find_piece(c, l, bits);
    if (!p)
        return fail_input(c->context, "curve \"%s\" lies too close to others in tet %u; refine the mesh there",
                          name_of(c, c->cuts.items[l->first_line]), tet);
    p->is_kept = 1;
    *out = (uint32_t)(p - c->pieces.items);
    return RUGA_OK;
}

/* The part of a corner of a simulated triangle of the surface; NONE: its tet is not looked at. */
static uint32_t surface_part(const cutter *c, uint32_t triangle, uint32_t k) {
    uint32_t p = c->surface_pieces[triangle];
    if (p == NONE) return NONE;
    uint32_t vertex = c->surface->vertex_of[c->surface->simulated->triangles[3 * (size_t)triangle + k]];
    return set_lowest(c->corners, 4 * p + corner_of(tet_at(c, c->pieces.items[p].tet), vertex));
}

static ruga_status join_surface(cutter *c) {
    const ruga_mesh *simulated = c->surface->simulated;
    uint32_t *parts = NULL;
    TRY(NEW(c->context, &c->surface_pieces, simulated->triangle_count));
    for (uint32_t t = 0; t < simulated->triangle_count; t++) TRY(find_surface_piece(c, t, &c->surface_pieces[t]));
    TRY(NEW(c->context, &parts, simulated->vertex_count));
    for (size_t i = 0; i < simulated->vertex_count; i++) parts[i] = NONE;
    for (uint32_t t = 0; t < simulated->triangle_count; t++)
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t point = simulated->triangles[3 * (size_t)t + k], part = surface_part(c, t, k);
            if (part == NONE) continue;
            if (parts[point] == NONE)
                parts[point] = part;
            else
                sets_unite(c->corners, parts[point], part);
        }
    memory_release(c->context, parts);
    return RUGA_OK;
}

/* ---- Numbers of the parts. */

/* The part that holds a vertex: it keeps the vertex. Without one, as on a cut, that of the most material. */
static uint32_t own_part(const cutter *c, uint32_t vertex) {
    uint32_t best = NONE;
    double most = 0;
    for (uint32_t i = c->fans.offsets[vertex]; i < c->fans.offsets[vertex + 1]; i++) {
        const local_tet *l = &c->locals.items[c->local_of[c->fans.tets[i]]];
        uint32_t k = corner_of(tet_at(c, l->tet), vertex);
        for (uint32_t p = l->first_piece; p < l->first_piece + l->piece_count; p++) {
            if (c->pieces.items[p].holds & 1u << k) return set_lowest(c->corners, 4 * p + k);
            if (!(c->pieces.items[p].share > most)) continue;
            most = c->pieces.items[p].share;
            best = set_lowest(c->corners, 4 * p + k);
        }
    }
    return best;
}

static void number_own(cutter *c) {
    for (uint32_t v = 0; v < c->mesh->vertex_count; v++)
        if (c->is_touched[v]) c->points[own_part(c, v)] = v;
}

/* A copy on the surface that is connected with the vertex, or with another copy, below. */
static ruga_status shorten(cutter *c, uint32_t point, tet_cut *out) {
    const virtual_nodes *s = c->surface;
    uint32_t vertex = s->vertex_of[point], copy = point - (uint32_t)c->mesh->vertex_count;
    for (uint32_t k = s->crossing_offsets[copy]; k < s->crossing_offsets[copy + 1]; k++) {
        uint32_t line = s->crossings[k].path;
        const cut_line *l = &c->lines->lines[line];
        const cut_place *place = cut_line_place(l, vertex);
        vec3 at = c->mesh->positions[vertex];
        double along = place ? place->along : 0;
        int is_near = !l->closed && place && (along < NEAR_END * l->edge || along > l->length - NEAR_END * l->edge);
        if (!is_near)
            return fail_input(
                c->context,
                "curve \"%s\": its cut of %g edges is too shallow at vertex %u, (%g, %g, %g), to separate "
                "both sides of the surface; raise the depth",
                name_of(c, line), c->def->depth, vertex, at.x, at.y, at.z);
        if (along < 0.5 * l->length)
            out->ranges[line][0] = fmax(out->ranges[line][0], along);
        else
            out->ranges[line][1] = fmin(out->ranges[line][1], along);
    }
    return RUGA_OK;
}

static ruga_status check_ranges(const cutter *c, const tet_cut *out) {
    for (uint32_t i = 0; i < c->lines->line_count; i++) {
        const cut_line *l = &c->lines->lines[i];
        if (!(out->ranges[i][1] - out->ranges[i][0] >= LEAST_RANGE * l->edge))
            return fail_input(
                c->context,
                "curve \"%s\" of %g m is too short to fold: both sides are joined below near its ends; draw "
                "it at least %g edges (%g m) long, or refine the mesh",
                name_of(c, i), l->length, 2 * NEAR_END, 2 * NEAR_END * l->edge);
    }
    return RUGA_OK;
}

/* Copies on the surface, in its order. */
static ruga_status number_surface(cutter *c, tet_cut *out) {
    const ruga_mesh *simulated = c->surface->simulated;
    uint32_t vertices = (uint32_t)c->mesh->vertex_count, *parts = NULL;
    TRY(NEW(c->context, &out->point_of, simulated->vertex_count));
    TRY(NEW(c->context, &out->ranges, c->lines->line_count));
    for (uint32_t i = 0; i < c->lines->line_count; i++) {
        out->ranges[i][0] = 0;
        out->ranges[i][1] = c->lines->lines[i].length;
    }
    TRY(NEW(c->context, &parts, simulated->vertex_count));
    for (size_t i = 0; i < simulated->vertex_count; i++) parts[i] = NONE;
    for (uint32_t t = 0; t < simulated->triangle_count; t++)
        for (uint32_t k = 0; k < 3; k++) parts[simulated->triangles[3 * (size_t)t + k]] = surface_part(c, t, k);
    ruga_status status = RUGA_OK;
    for (uint32_t i = 0; i < simulated->vertex_count && !RUGA_FAILED(status); i++) {
        out->point_of[i] = i;
        if (i < vertices) continue;
        uint32_t *point = parts[i] == NONE ? &c->surface->vertex_of[i] : &c->points[parts[i]];
        if (*point == NONE) {
            *point = (uint32_t)c->vertex_of.count;
            status = ARRAY_ADD(c->context, &c->vertex_of, c->surface->vertex_of[i]);
        } else {
            status = shorten(c, i, out);
        }
        out->point_of[i] = *point;
    }
    memory_release(c->context, parts);
    TRY(status);
    out->surface_count = c->vertex_of.count - vertices;
    return check_ranges(c, out);
}

/* All other parts, by vertex. */
static ruga_status number_inner(cutter *c, tet_cut *out) {
    for (uint32_t v = 0; v < c->mesh->vertex_count; v++)
        for (uint32_t i = c->fans.offsets[v]; i < c->fans.offsets[v + 1] && c->is_touched[v]; i++) {
            const local_tet *l = &c->locals.items[c->local_of[c->fans.tets[i]]];
            uint32_t k = corner_of(tet_at(c, l->tet), v);
            for (uint32_t p = l->first_piece; p < l->first_piece + l->piece_count; p++) {
                uint32_t *point = &c->points[set_lowest(c->corners, 4 * p + k)];
                if (!c->pieces.items[p].is_kept || *point != NONE) continue;
                *point = (uint32_t)c->vertex_of.count;
                TRY(ARRAY_ADD(c->context, &c->vertex_of, v));
            }
        }
    out->inner_count = c->vertex_of.count - c->mesh->vertex_count - out->surface_count;
    return RUGA_OK;
}

static ruga_status number_points(cutter *c, tet_cut *out) {
    TRY(ARRAY_RESERVE(c->context, &c->vertex_of, c->mesh->vertex_count));
    for (uint32_t v = 0; v < c->mesh->vertex_count; v++) c->vertex_of.items[c->vertex_of.count++] = v;
    number_own(c);
    TRY(number_surface(c, out));
    return number_inner(c, out);
}

/* The simulated point at corner k of a piece. */
static uint32_t point_at(const cutter *c, uint32_t p, uint32_t k) {
    uint32_t vertex = tet_at(c, c->pieces.items[p].tet)[k];
    return c->is_touched[vertex] ? c->points[set_lowest(c->corners, 4 * p + k)] : vertex;
}

/* ---- The simulated mesh. */

static uint32_t kept_count(const cutter *c, const local_tet *l, double *whole) {
    uint32_t count = 0;
    *whole = 0;
    for (uint32_t p = l->first_piece; p < l->first_piece + l->piece_count; p++)
        if (c->pieces.items[p].is_kept) *whole += c->pieces.items[p].share, count++;
    return count;
}

static ruga_status make_tets(const cutter *c, mesh_parts *parts, tet_cut *out) {
    size_t count = c->mesh->tet_count - c->locals.count;
    double whole;
    for (size_t i = 0; i < c->locals.count; i++) count += kept_count(c, &c->locals.items[i], &whole);
    parts->tet_count = count;
    TRY(NEW(c->context, &parts->tets, 4 * count));
    TRY(NEW(c->context, &out->tet_parent, count));
    TRY(NEW(c->context, &out->shares, count));
    count = 0;
    for (uint32_t t = 0; t < c->mesh->tet_count; t++) {
        if (c->local_of[t] == NONE) {
            memcpy(parts->tets + 4 * count, tet_at(c, t), 4 * sizeof *parts->tets);
            out->shares[count] = 1;
            out->tet_parent[count++] = t;
            continue;
        }
        const local_tet *l = &c->locals.items[c->local_of[t]];
        uint32_t kept = kept_count(c, l, &whole);
        for (uint32_t p = l->first_piece; p < l->first_piece + l->piece_count; p++) {
            if (!c->pieces.items[p].is_kept) continue;
            for (uint32_t k = 0; k < 4; k++) parts->tets[4 * count + k] = point_at(c, p, k);
            out->shares[count] = kept == 1 ? 1 : c->pieces.items[p].share / whole;
            out->tet_parent[count++] = t;
        }
    }
    return RUGA_OK;
}

static ruga_status make_simulated(const cutter *c, tet_cut *out) {
    const ruga_mesh *surface = c->surface->simulated;
    mesh_parts parts = {0};
    ruga_status status = mesh_parts_allocate(c->context, &parts, c->vertex_of.count, surface->triangle_count);
    if (!RUGA_FAILED(status)) status = make_tets(c, &parts, out);
    if (RUGA_FAILED(status)) {
        mesh_parts_release(c->context, &parts);
        return status;
    }
    for (size_t i = 0; i < c->vertex_of.count; i++) parts.positions[i] = c->mesh->positions[c->vertex_of.items[i]];
    for (size_t i = 0; i < 3 * surface->triangle_count; i++)
        parts.face_vertices[i] = out->point_of[surface->triangles[i]];
    TRY(mesh_from_parts(c->context, &parts, &out->simulated));
    return mesh_carry_copies(c->mesh, c->vertex_of.items, out->simulated);
}

/* ---- Sections. */

/* Two vectors in the plane where a linear function is constant, whose cross product is a unit to its left, by weights:
 * with the gradients g_k of the corners' weights, a vector v has the weights g_k · v. */
static double plane_vectors(const vec3 x[4], const double values[4], double weights[2][4]) {
    vec3 e[3] = {vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]), vec3_sub(x[3], x[0])}, g[4], normal = {0, 0, 0};
    double det = vec3_dot(e[0], vec3_cross(e[1], e[2]));
    for (int k = 0; k < 3; k++) g[k + 1] = vec3_scale(vec3_cross(e[(k + 1) % 3], e[(k + 2) % 3]), 1 / det);
    g[0] = vec3_scale(vec3_add(g[1], vec3_add(g[2], g[3])), -1);
    for (int k = 0; k < 4; k++) normal = vec3_add_scaled(normal, g[k], values[k]);
    double steep = vec3_length(normal);
    normal = vec3_scale(normal, 1 / steep);
    vec3 any = fabs(normal.x) < 0.6 ? (vec3){1, 0, 0} : (vec3){0, 1, 0};
    vec3 u = vec3_normalise(vec3_cross(any, normal)), v = vec3_cross(normal, u);
    for (int k = 0; k < 4; k++) {
        weights[0][k] = vec3_dot(g[k], u);
        weights[1][k] = vec3_dot(g[k], v);
    }
    return steep;
}

/* The section of a plane through shards of one piece: its area and middle, from the sides of shards that lie in it. */
static double shard_sections(const cutter *c, const vec3 x[4], const double values[4], uint32_t bits,
                             double middle[4]) {
    double area = 0, scale = 0;
    for (int k = 0; k < 4; k++) scale = fmax(scale, fabs(values[k])), middle[k] = 0;
    for (size_t i = 0; i < c->shards.count; i++) {
        const tet_shard *s = &c->shards.items[i];
        vec3 at[4];
        int on[4], count = 0;
        if (s->bits != bits) continue;
        for (int k = 0; k < 4; k++) {
            double value = 0;
            for (int j = 0; j < 4; j++) value += s->corners[k][j] * values[j];
            if (fabs(value) < 1e-9 * scale && count < 4) on[count++] = k;
        }
        if (count != 3) continue;
        for (int k = 0; k < 3; k++) {
            at[k] = (vec3){0, 0, 0};
            for (int j = 0; j < 4; j++) at[k] = vec3_add_scaled(at[k], x[j], s->corners[on[k]][j]);
        }
        double own = 0.5 * vec3_length(vec3_cross(vec3_sub(at[1], at[0]), vec3_sub(at[2], at[0])));
        area += own;
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 4; j++) middle[j] += own / 3 * s->corners[on[k]][j];
    }
    for (int k = 0; k < 4 && area > 0; k++) middle[k] /= area;
    return area;
}

/* Between two pieces that differ by one line alone. */
static ruga_status add_section(cutter *c, const local_tet *l, uint32_t i, const piece *left, const piece *right,
                               const double values[4]) {
    tet_section s = {.line = c->cuts.items[l->first_line + i]};
    vec3 x[4];
    int differs = 0;
    for (uint32_t k = 0; k < 4; k++) {
        x[k] = c->mesh->positions[tet_at(c, l->tet)[k]];
        s.left[k] = point_at(c, (uint32_t)(left - c->pieces.items), k);
        s.right[k] = point_at(c, (uint32_t)(right - c->pieces.items), k);
        differs |= s.left[k] != s.right[k];
    }
    s.area = shard_sections(c, x, values, left->bits, s.middle);
    if (!differs || !(s.area > 0)) return RUGA_OK;
    plane_vectors(x, values, s.across);
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 2; j++) s.across[j][k] *= sqrt(s.area);
    return ARRAY_ADD(c->context, &c->sections, s);
}

static ruga_status make_sections(cutter *c) {
    for (size_t t = 0; t < c->locals.count; t++) {
        const local_tet *l = &c->locals.items[t];
        double values[TET_CUT_MOST_LINES][4];
        if (l->line_count == 0) continue;
        gather_values(c, tet_at(c, l->tet), 4, c->cuts.items + l->first_line, l->line_count, values);
        TRY(tet_clip(c->context, 4, l->line_count, (const double(*)[4])values, &c->shards));
        for (uint32_t p = 0; p < l->piece_count; p++)
            for (uint32_t i = 0; i < l->line_count; i++) {
                const piece *left = &c->pieces.items[l->first_piece + p];
                const piece *right = left->bits & 1u << i ? find_piece(c, l, left->bits ^ 1u << i) : NULL;
                if (right && left->is_kept && right->is_kept) TRY(add_section(c, l, i, left, right, values[i]));
            }
    }
    return RUGA_OK;
}

/* ---- All together. */

static ruga_status run(cutter *c, tet_cut *out) {
    TRY(check_ends(c));
    TRY(measure(c));
    TRY(find_cut_tets(c));
    TRY(make_pieces(c));
    TRY(join_corners(c));
    TRY(join_surface(c));
    TRY(number_points(c, out));
    TRY(make_simulated(c, out));
    return make_sections(c);
}

static void cutter_release(cutter *c) {
    for (size_t i = 0; c->known && i < c->lines->line_count; i++) memory_release(c->context, c->known[i].sides);
    RELEASE_ALL(c->context, c->fans.offsets, c->fans.tets, c->known, c->firsts, c->local_of, c->is_touched, c->corners,
                c->points, c->surface_pieces);
    ARRAY_RELEASE(c->context, &c->places);
    ARRAY_RELEASE(c->context, &c->locals);
    ARRAY_RELEASE(c->context, &c->cuts);
    ARRAY_RELEASE(c->context, &c->pieces);
    ARRAY_RELEASE(c->context, &c->vertex_of);
    ARRAY_RELEASE(c->context, &c->sections);
    ARRAY_RELEASE(c->context, &c->shards);
}

ruga_status tet_cut_make(const ruga_mesh *mesh, const cut_lines *lines, const curve_cut *cut,
                         const virtual_nodes *surface, const tet_cut_def *def, tet_cut *out) {
    *out = (tet_cut){.context = mesh->context};
    cutter c = {.context = mesh->context, .mesh = mesh, .lines = lines, .cut = cut, .surface = surface, .def = def};
    ruga_status status = run(&c, out);
    if (!RUGA_FAILED(status)) {
        out->vertex_of = c.vertex_of.items;
        out->sections = c.sections.items;
        out->section_count = c.sections.count;
        c.vertex_of.items = NULL;
        c.sections.items = NULL;
    } else {
        tet_cut_release(out);
    }
    cutter_release(&c);
    return status;
}

void tet_cut_release(tet_cut *cut) {
    ruga_mesh_destroy(cut->simulated);
    RELEASE_ALL(cut->context, cut->vertex_of, cut->point_of, cut->tet_parent, cut->shares, cut->sections, cut->ranges);
    *cut = (tet_cut){.context = cut->context};
}
