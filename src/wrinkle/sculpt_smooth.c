/* Smooth refinement of a sculpt: new vertices lie on the curved PN triangles of the original mesh (geom/pn.h), so that
 * a refined patch does not show the facets of a coarse mesh.
 *
 * A patch passes through its corners and is tangent to the planes of their normals, so that it meets the triangles that
 * are not refined at their vertices, with their normals. Hard edges (geom/hard_edges.h) stay hard. Borders and edges of
 * three or more triangles stay straight: sheets that only touch there must not come apart. */
#include <math.h>
#include <string.h>

#include "geom/pn.h"
#include "wrinkle/sculpt.h"

#define LEAST_COSINE 0.2 /* of the angle by which smoothing may rotate a triangle at most */
#define MOST_OFF 0.25    /* of a side times the facet angle: how far smoothing may move a vertex */
enum { REDUCTIONS = 12 };

/* ---- Making. */

typedef struct smooth_maker {
    sculpt_smooth *out;
    const sculpt_smooth_def *def;
    const ruga_mesh *mesh;
    const hard_edges *hard;
    const mesh_piece *piece;
    uint32_t *host_of; /* (the piece's triangles) its host; NO_INDEX: none yet */
} smooth_maker;

/* The corner of a triangle at a vertex. */
static uint32_t corner_at(const ruga_mesh *mesh, uint32_t triangle, uint32_t vertex) {
    const uint32_t *v = mesh->triangles + 3 * (size_t)triangle;
    return v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
}

/* The normal of a corner: the vertex's, or, where hard edges split the vertex, that of a new sector: the corners of one
 * smooth vertex. */
static ruga_status find_normal(smooth_maker *m, uint32_t triangle, uint32_t corner, uint32_t place, uint32_t *out) {
    const uint32_t vertex = m->mesh->triangles[3 * (size_t)triangle + corner];
    *out = place;
    if (m->hard->whole[vertex]) return RUGA_OK;
    sculpt_smooth *s = m->out;
    const topology *topo = m->hard->topo;
    const uint32_t own = m->hard->triangles[3 * (size_t)triangle + corner];
    for (uint32_t i = topo->fan_offsets[vertex]; i < topo->fan_offsets[vertex + 1]; i++) {
        const uint32_t other = 3 * topo->fan_triangles[i] + corner_at(m->mesh, topo->fan_triangles[i], vertex);
        if (m->hard->triangles[other] == own) TRY(ARRAY_ADD(s->context, &s->sector_corners, other));
    }
    TRY(ARRAY_ADD(s->context, &s->sector_ends, (uint32_t)s->sector_corners.count));
    *out = (uint32_t)(m->piece->mesh->vertex_count + s->sector_ends.count - 1);
    return RUGA_OK;
}

/* The normals beyond a hard edge of two triangles, at both of its ends; NO_INDEX where the control point stays on the
 * straight edge. */
static ruga_status find_across(smooth_maker *m, uint32_t triangle, uint32_t side, const uint32_t places[2],
                               uint32_t out[2]) {
    const topology *topo = m->hard->topo;
    const uint32_t edge = topo->triangle_edges[3 * (size_t)triangle + side];
    const uint32_t *t = topo->edge_triangles + topo->edge_offsets[edge], other = t[0] == triangle ? t[1] : t[0];
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t vertex = m->mesh->triangles[3 * (size_t)triangle + (side + k) % 3];
        out[k] = NO_INDEX;
        if (m->hard->corners[vertex]) continue;
        TRY(find_normal(m, other, corner_at(m->mesh, other, vertex), places[k], &out[k]));
    }
    return RUGA_OK;
}

static ruga_status add_host(smooth_maker *m, uint32_t of_piece) {
    const uint32_t triangle = m->piece->triangles[of_piece];
    const uint32_t *places = m->piece->mesh->triangles + 3 * (size_t)of_piece;
    smooth_host host = {.triangle = triangle};
    for (uint32_t k = 0; k < 3; k++) TRY(find_normal(m, triangle, k, places[k], &host.normals[k]));
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t edge = m->hard->topo->triangle_edges[3 * (size_t)triangle + k];
        const uint32_t ends[2] = {places[k], places[(k + 1) % 3]};
        host.sides[k] = topology_edge_size(m->hard->topo, edge) != 2 ? SMOOTH_STRAIGHT
                        : m->hard->hard[edge]                        ? SMOOTH_HARD
                                                                     : SMOOTH_SOFT;
        if (host.sides[k] == SMOOTH_HARD) TRY(find_across(m, triangle, k, ends, host.across[k]));
    }
    m->host_of[of_piece] = (uint32_t)m->out->hosts.count;
    return ARRAY_ADD(m->out->context, &m->out->hosts, host);
}

/* Weights of a fine vertex at the corners of a triangle of the piece. */
static void find_weights(const smooth_maker *m, uint32_t vertex, uint32_t of_piece, double weights[3]) {
    const ruga_map *map = m->def->fine_map;
    const uint32_t *corners = m->piece->mesh->triangles + 3 * (size_t)of_piece;
    for (int k = 0; k < 3; k++) {
        weights[k] = 0;
        for (size_t i = map->offsets[vertex]; i < map->offsets[vertex + 1]; i++)
            if (map->indices[i] == corners[k]) weights[k] = map->weights[i];
    }
}

/* The new vertices of refined triangles. Those of a cut that is not refined stay: a stroke without wrinkles leaves the
 * mesh as it is. */
static ruga_status add_points(smooth_maker *m) {
    const ruga_mesh *fine = m->def->fine;
    size_t old = m->piece->mesh->vertex_count, cut = m->def->cut_vertices;
    uint8_t *done;
    TRY(NEW_ZEROED(m->out->context, &done, fine->vertex_count));
    ruga_status status = RUGA_OK;
    for (size_t t = 0; t < fine->triangle_count && !RUGA_FAILED(status); t++) {
        const uint32_t *v = fine->triangles + 3 * t;
        if (v[0] < cut && v[1] < cut && v[2] < cut) continue;
        uint32_t parent = m->def->parents[t];
        for (int k = 0; k < 3 && !RUGA_FAILED(status); k++) {
            if (v[k] < old || done[v[k]]) continue;
            done[v[k]] = 1;
            if (m->host_of[parent] == NO_INDEX) status = add_host(m, parent);
            smooth_point point = {.vertex = v[k], .host = m->host_of[parent], .share = 1};
            find_weights(m, v[k], parent, point.weights);
            if (!RUGA_FAILED(status)) status = ARRAY_ADD(m->out->context, &m->out->points, point);
        }
    }
    memory_release(m->out->context, done);
    return status;
}

/* The triangles with a point. */
static ruga_status list_triangles(const sculpt_smooth_def *def, sculpt_smooth *out) {
    TRY(NEW(out->context, &out->listed, def->fine->triangle_count));
    for (size_t t = 0; t < def->fine->triangle_count; t++) {
        const uint32_t *v = def->fine->triangles + 3 * t, *at = out->place_of;
        out->listed[t] = NO_INDEX;
        if (at[v[0]] == NO_INDEX && at[v[1]] == NO_INDEX && at[v[2]] == NO_INDEX) continue;
        out->listed[t] = (uint32_t)out->triangles.count;
        TRY(ARRAY_ADD(out->context, &out->triangles, (uint32_t)t));
    }
    return NEW(out->context, &out->facets, out->triangles.count);
}

ruga_status sculpt_smooth_make(const sculpt_smooth_def *def, sculpt_smooth *out) {
    const mesh_piece *piece = def->piece;
    ruga_context *context = piece->context;
    *out = (sculpt_smooth){.context = context, .mesh = def->mesh, .topo = def->hard->topo, .hard = def->hard->hard};
    smooth_maker m = {.out = out, .def = def, .mesh = def->mesh, .hard = def->hard, .piece = piece};
    TRY(NEW(context, &m.host_of, piece->mesh->triangle_count));
    memset(m.host_of, 0xff, piece->mesh->triangle_count * sizeof *m.host_of);
    ruga_status status = add_points(&m);
    memory_release(context, m.host_of);
    TRY(status);
    TRY(NEW(context, &out->place_of, def->fine->vertex_count));
    memset(out->place_of, 0xff, def->fine->vertex_count * sizeof *out->place_of);
    for (size_t i = 0; i < out->points.count; i++) out->place_of[out->points.items[i].vertex] = (uint32_t)i;
    TRY(list_triangles(def, out));
    out->piece_count = piece->mesh->vertex_count;
    TRY(NEW(context, &out->normals, out->piece_count + out->sector_ends.count));
    return NEW(context, &out->bends, out->hosts.count);
}

void sculpt_smooth_release(sculpt_smooth *s) {
    RELEASE_ALL(s->context, s->hosts.items, s->points.items, s->triangles.items, s->sector_corners.items,
                s->sector_ends.items, s->normals, s->bends, s->place_of, s->facets, s->listed);
    *s = (sculpt_smooth){.context = s->context};
}

/* ---- Positions. */

/* Normals of sectors, weighted by angles. */
static void find_sector_normals(sculpt_smooth *s, const vec3 *positions) {
    for (size_t i = 0, k = 0; i < s->sector_ends.count; i++) {
        vec3 sum = {0, 0, 0};
        for (; k < s->sector_ends.items[i]; k++) {
            uint32_t triangle = s->sector_corners.items[k] / 3, corner = s->sector_corners.items[k] % 3;
            const uint32_t *v = s->mesh->triangles + 3 * (size_t)triangle;
            vec3 at = positions[v[corner]], a = vec3_sub(positions[v[(corner + 1) % 3]], at);
            vec3 b = vec3_sub(positions[v[(corner + 2) % 3]], at), across = vec3_cross(a, b);
            double angle = atan2(vec3_length(across), vec3_dot(a, b));
            sum = vec3_add_scaled(sum, vec3_normalise(across), angle);
        }
        s->normals[s->piece_count + i] = vec3_normalise(sum);
    }
}

/* The bend at an end of a side. along: to its other end. */
static vec3 bend_side(const sculpt_smooth *s, const smooth_host *h, uint32_t side, uint32_t end, vec3 along) {
    const vec3 normal = s->normals[h->normals[(side + end) % 3]];
    if (h->sides[side] == SMOOTH_SOFT) return pn_bend(along, normal);
    if (h->sides[side] == SMOOTH_STRAIGHT || h->across[side][end] == NO_INDEX) return vec3_make(0, 0, 0);
    return pn_bend_hard(along, normal, s->normals[h->across[side][end]]);
}

static void find_bends(sculpt_smooth *s, const vec3 *positions) {
    for (size_t i = 0; i < s->hosts.count; i++) {
        const smooth_host *h = &s->hosts.items[i];
        const uint32_t *v = s->mesh->triangles + 3 * (size_t)h->triangle;
        for (uint32_t k = 0; k < 3; k++) {
            vec3 along = vec3_sub(positions[v[(k + 1) % 3]], positions[v[k]]);
            s->bends[i][k][0] = bend_side(s, h, k, 0, along);
            s->bends[i][(k + 1) % 3][1] = bend_side(s, h, k, 1, vec3_scale(along, -1));
        }
    }
}

void sculpt_smooth_apply(sculpt_smooth *s, const vec3 *positions, const vec3 *normals, const vec3 *flat, vec3 *out) {
    memcpy(s->normals, normals, s->piece_count * sizeof *normals);
    find_sector_normals(s, positions);
    find_bends(s, positions);
    for (size_t i = 0; i < s->points.count; i++) {
        const smooth_point *p = &s->points.items[i];
        const vec3 by = pn_displacement((const vec3(*)[2])s->bends[p->host], p->weights);
        out[p->vertex] = vec3_add_scaled(flat[p->vertex], by, p->share);
    }
}

/* ---- Shares. */

static vec3 doubled_area(const ruga_mesh *mesh, const vec3 *p, size_t triangle) {
    const uint32_t *v = mesh->triangles + 3 * triangle;
    return vec3_cross(vec3_sub(p[v[1]], p[v[0]]), vec3_sub(p[v[2]], p[v[0]]));
}

static vec3 facet_normal(const uint32_t *v, const vec3 *p) {
    return vec3_normalise(vec3_cross(vec3_sub(p[v[1]], p[v[0]]), vec3_sub(p[v[2]], p[v[0]])));
}

/* The least cosine of an edge of the mesh and others; hard edges do not count. */
static void find_crease(const sculpt_smooth *s, uint32_t triangle, int side, const vec3 *positions, double *least) {
    const uint32_t edge = s->topo->triangle_edges[3 * (size_t)triangle + (size_t)side];
    if (topology_edge_size(s->topo, edge) != 2 || s->hard[edge]) return;
    const uint32_t *t = s->topo->edge_triangles + s->topo->edge_offsets[edge];
    const vec3 a = facet_normal(s->mesh->triangles + 3 * (size_t)t[0], positions);
    *least = fmin(*least, vec3_dot(a, facet_normal(s->mesh->triangles + 3 * (size_t)t[1], positions)));
}

/* The cosine of the greatest angle across an edge of a triangle that shares a vertex with a host. */
static double crease_cosine(const sculpt_smooth *s, smooth_host *h, const vec3 *positions) {
    if (h->is_crease_exact) return h->crease;
    const uint32_t *v = s->mesh->triangles + 3 * (size_t)h->triangle;
    h->is_crease_exact = 1;
    for (int k = 0; k < 3; k++)
        for (uint32_t i = s->topo->fan_offsets[v[k]]; i < s->topo->fan_offsets[v[k] + 1]; i++)
            for (int side = 0; side < 3; side++) find_crease(s, s->topo->fan_triangles[i], side, positions, &h->crease);
    return h->crease;
}

/* A bound of each host's facet angle, enough for most: a vertex's normal is a mean of those of its facets. */
static void bound_bends(sculpt_smooth *s, const vec3 *positions) {
    for (size_t i = 0; i < s->hosts.count; i++) {
        smooth_host *h = &s->hosts.items[i];
        const uint32_t *v = s->mesh->triangles + 3 * (size_t)h->triangle;
        const vec3 own = facet_normal(v, positions);
        double side2 = 0;
        h->bend = 1;
        for (int k = 0; k < 3; k++) {
            h->bend = fmin(h->bend, vec3_dot(own, s->normals[h->normals[k]]));
            side2 = fmax(side2, vec3_length2(vec3_sub(positions[v[k]], positions[v[(k + 1) % 3]])));
        }
        h->reach = MOST_OFF * sqrt(side2);
        h->is_exact = h->is_crease_exact = 0;
        h->crease = 1;
        for (int k = 0; k < 3; k++) find_crease(s, h->triangle, k, positions, &h->crease);
    }
}

/* The cosine of a host's facet angle: the greatest to a facet that shares a vertex with it. */
static double facet_cosine(const sculpt_smooth *s, smooth_host *h, const vec3 *positions) {
    if (h->is_exact) return h->bend;
    const uint32_t *v = s->mesh->triangles + 3 * (size_t)h->triangle;
    const vec3 own = facet_normal(v, positions);
    h->is_exact = 1;
    for (int k = 0; k < 3; k++)
        for (uint32_t i = s->topo->fan_offsets[v[k]]; i < s->topo->fan_offsets[v[k] + 1]; i++) {
            const uint32_t *other = s->mesh->triangles + 3 * (size_t)s->topo->fan_triangles[i];
            h->bend = fmin(h->bend, vec3_dot(own, facet_normal(other, positions)));
        }
    return h->bend;
}

/* Whether a triangle with points turns by more than the facet angle of the hosts of its points. Keeps its normal. */
static int turns_too_far(sculpt_smooth *s, const ruga_mesh *fine, const vec3 *positions, const vec3 *flat,
                         const vec3 *rest, size_t place) {
    const size_t triangle = s->triangles.items[place];
    const uint32_t *v = fine->triangles + 3 * triangle;
    const vec3 before = doubled_area(fine, flat, triangle), after = doubled_area(fine, rest, triangle);
    s->facets[place] = vec3_normalise(after);
    const double dot = vec3_dot(before, after), sizes = sqrt(vec3_length2(before) * vec3_length2(after));
    if (!(dot > LEAST_COSINE * sizes)) return 1;
    if (dot > (1 - 1e-12) * sizes) return 0;
    for (int is_exact = 0; is_exact < 2; is_exact++)
        for (int k = 0; k < 3; k++) {
            if (s->place_of[v[k]] == NO_INDEX) continue;
            smooth_host *h = &s->hosts.items[s->points.items[s->place_of[v[k]]].host];
            if (dot >= (is_exact ? facet_cosine(s, h, positions) : h->bend) * sizes) return 0;
        }
    return 1;
}

/* Whether a point is farther from its host than a quarter of a side times the facet angle. */
static int is_too_far(sculpt_smooth *s, const vec3 *positions, const vec3 *flat, const vec3 *rest,
                      const smooth_point *p) {
    smooth_host *h = &s->hosts.items[p->host];
    const double off2 = vec3_length2(vec3_sub(flat[p->vertex], rest[p->vertex])), reach2 = h->reach * h->reach;
    if (off2 <= reach2 * 2 * (1 - h->bend)) return 0; /* 2 - 2 cos x is at most x² */
    return sqrt(off2) > h->reach * acos(fmax(-1, fmin(1, facet_cosine(s, h, positions))));
}

/* Whether two triangles meet at a greater angle than those of the mesh do near the hosts of their points, and than
 * before they were smoothed. cosine: of the angle. */
static int creases_too_far(sculpt_smooth *s, const ruga_mesh *fine, const vec3 *positions, const vec3 *flat,
                           const uint32_t pair[2], double cosine) {
    for (int is_exact = 0; is_exact < 2; is_exact++)
        for (int k = 0; k < 6; k++) {
            const uint32_t place = s->place_of[fine->triangles[3 * (size_t)pair[k / 3] + (size_t)k % 3]];
            if (place == NO_INDEX) continue;
            smooth_host *h = &s->hosts.items[s->points.items[place].host];
            if (cosine >= (is_exact ? crease_cosine(s, h, positions) : h->crease)) return 0;
        }
    return cosine < vec3_dot(facet_normal(fine->triangles + 3 * (size_t)pair[0], flat),
                             facet_normal(fine->triangles + 3 * (size_t)pair[1], flat));
}

static int reduce_points(sculpt_smooth *s, const uint32_t *corners, double by) {
    int any = 0;
    for (int k = 0; k < 3; k++) {
        if (s->place_of[corners[k]] == NO_INDEX) continue;
        smooth_point *p = &s->points.items[s->place_of[corners[k]]];
        any |= p->share > 0;
        p->share *= by;
    }
    return any;
}

/* The same at edges, by the normals that turns_too_far keeps. */
static int reduce_at_edges(sculpt_smooth *s, const ruga_mesh *fine, const topology *topo, const vec3 *positions,
                           const vec3 *flat, const vec3 *rest, double by) {
    int any = 0;
    for (size_t i = 0; i < 3 * s->triangles.count; i++) {
        const uint32_t own = s->triangles.items[i / 3], edge = topo->triangle_edges[3 * (size_t)own + i % 3];
        if (topology_edge_size(topo, edge) != 2) continue;
        const uint32_t *t = topo->edge_triangles + topo->edge_offsets[edge], other = t[0] == own ? t[1] : t[0];
        const uint32_t place = s->listed[other], pair[2] = {own, other};
        if (place != NO_INDEX && place < i / 3) continue;
        const vec3 normal =
            place != NO_INDEX ? s->facets[place] : facet_normal(fine->triangles + 3 * (size_t)other, rest);
        if (!creases_too_far(s, fine, positions, flat, pair, vec3_dot(s->facets[i / 3], normal))) continue;
        any |= reduce_points(s, fine->triangles + 3 * (size_t)own, by);
        any |= reduce_points(s, fine->triangles + 3 * (size_t)other, by);
    }
    return any;
}

/* Reduces the shares where smoothing moves or turns more than it may. Returns whether there are any. */
static int reduce_shares(sculpt_smooth *s, const ruga_mesh *fine, const topology *topo, const vec3 *positions,
                         const vec3 *flat, const vec3 *rest, double by) {
    int any = 0;
    for (size_t i = 0; i < s->points.count; i++) {
        smooth_point *p = &s->points.items[i];
        if (!is_too_far(s, positions, flat, rest, p)) continue;
        any |= p->share > 0;
        p->share *= by;
    }
    for (size_t i = 0; i < s->triangles.count; i++) {
        if (!turns_too_far(s, fine, positions, flat, rest, i)) continue;
        any |= reduce_points(s, fine->triangles + 3 * (size_t)s->triangles.items[i], by);
    }
    return reduce_at_edges(s, fine, topo, positions, flat, rest, by) | any;
}

void sculpt_smooth_settle(sculpt_smooth *s, const ruga_mesh *fine, const topology *topo, const vec3 *positions,
                          const vec3 *normals, const vec3 *flat, vec3 *rest) {
    sculpt_smooth_apply(s, positions, normals, flat, rest);
    bound_bends(s, positions);
    /* It ends: after the reductions, each round sets a share to 0. */
    for (int i = 0; reduce_shares(s, fine, topo, positions, flat, rest, i < REDUCTIONS ? 0.75 : 0); i++)
        sculpt_smooth_apply(s, positions, normals, flat, rest);
}
