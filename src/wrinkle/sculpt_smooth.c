/* Smooth refinement of a sculpt: new vertices lie on the curved PN triangles of the original mesh (Vlachos et al.
 * 2001), so that a refined patch does not show the facets of a coarse mesh.
 *
 * The patch of a triangle with corners x_i and normals n_i deviates from the flat triangle by six bends,
 *
 *     d_ij = -((x_j - x_i) . n_i) n_i / 3,      displacement at u = Σ 3 u_i² u_j d_ij + 6 u_0 u_1 u_2 Σ d_ij / 4
 *
 * It passes through the corners and is tangent to the planes of their normals, so that it meets the triangles that are
 * not refined at their vertices, with their normals. (geom/attachment.h has PN triangles in float, without hard edges.)
 *
 * Hard edges, where the facets turn by more than 50 degrees, stay hard: each smooth sector of facets around a vertex
 * has a normal of its own, and the edge follows the line in which the planes of both sides meet. Borders and
 * edges of three or more triangles stay straight: sheets that only touch there must not come apart. */
#include <math.h>
#include <string.h>

#include "wrinkle/sculpt.h"

#define HARD_COSINE 0.64278760968653936 /* of 50 degrees */
#define LEAST_COSINE 0.2                /* of the angle by which smoothing may rotate a triangle */
enum { HALVINGS = 6, MAX_SECTOR = 64 };

/* ---- Hard edges, once per mesh. */

static vec3 facet_normal(const ruga_mesh *mesh, const vec3 *p, size_t triangle) {
    const uint32_t *v = mesh->triangles + 3 * triangle;
    return vec3_normalise(vec3_cross(vec3_sub(p[v[1]], p[v[0]]), vec3_sub(p[v[2]], p[v[0]])));
}

static int is_hard(const ruga_mesh *mesh, const topology *topo, size_t edge) {
    if (topology_edge_size(topo, edge) != 2) return 1;
    const uint32_t *t = topo->edge_triangles + topo->edge_offsets[edge];
    vec3 a = facet_normal(mesh, mesh->positions, t[0]), b = facet_normal(mesh, mesh->positions, t[1]);
    return vec3_length2(a) > 0 && vec3_length2(b) > 0 && vec3_dot(a, b) < HARD_COSINE;
}

ruga_status sculpt_hard_edges_find(const ruga_mesh *mesh, const topology *topo, sculpt_hard_edges *out) {
    TRY(NEW(mesh->context, &out->edges, topo->edge_count));
    TRY(NEW_ZEROED(mesh->context, &out->vertices, mesh->vertex_count));
    for (size_t e = 0; e < topo->edge_count; e++) {
        out->edges[e] = (uint8_t)is_hard(mesh, topo, e);
        /* Borders end a sector, but do not divide one. */
        if (out->edges[e] && topology_edge_size(topo, e) > 1)
            out->vertices[topo->edge_vertices[2 * e]] = out->vertices[topo->edge_vertices[2 * e + 1]] = 1;
    }
    return RUGA_OK;
}

void sculpt_hard_edges_release(ruga_context *context, sculpt_hard_edges *h) {
    RELEASE_ALL(context, h->edges, h->vertices);
    *h = (sculpt_hard_edges){0};
}

/* ---- Making. */

typedef struct smooth_maker {
    sculpt_smooth *out;
    const sculpt_smooth_def *def;
    const ruga_mesh *mesh;
    const topology *topo;
    const mesh_piece *piece;
    uint32_t *host_of; /* (the piece's triangles) its host; NO_INDEX: none yet */
} smooth_maker;

/* The corner of a triangle at a vertex. */
static uint32_t corner_at(const ruga_mesh *mesh, uint32_t triangle, uint32_t vertex) {
    const uint32_t *v = mesh->triangles + 3 * (size_t)triangle;
    return v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
}

/* The triangle beyond a soft edge; NO_INDEX: the edge is hard. */
static uint32_t beyond(const smooth_maker *m, uint32_t triangle, uint32_t side) {
    uint32_t edge = m->topo->triangle_edges[3 * (size_t)triangle + side];
    if (m->def->hard->edges[edge]) return NO_INDEX;
    const uint32_t *t = m->topo->edge_triangles + m->topo->edge_offsets[edge];
    return t[0] == triangle ? t[1] : t[0];
}

/* The normal of a corner: the vertex's, or a new sector: the triangles around the vertex that soft edges connect. */
static ruga_status find_normal(smooth_maker *m, uint32_t triangle, uint32_t corner, uint32_t place, uint32_t *out) {
    uint32_t vertex = m->mesh->triangles[3 * (size_t)triangle + corner], sector[MAX_SECTOR];
    *out = place;
    if (!m->def->hard->vertices[vertex]) return RUGA_OK;
    size_t count = 0;
    sector[count++] = triangle;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3 && count < MAX_SECTOR;
             k += 2) { /* the sides at the corner: itself and the one before */
            uint32_t next = beyond(m, sector[i], (corner_at(m->mesh, sector[i], vertex) + k) % 3);
            int known = next == NO_INDEX;
            for (size_t j = 0; j < count && !known; j++) known = sector[j] == next;
            if (!known) sector[count++] = next;
        }
    sculpt_smooth *s = m->out;
    for (size_t i = 0; i < count; i++)
        TRY(ARRAY_ADD(s->context, &s->sector_corners, 3 * sector[i] + corner_at(m->mesh, sector[i], vertex)));
    TRY(ARRAY_ADD(s->context, &s->sector_ends, (uint32_t)s->sector_corners.count));
    *out = (uint32_t)(m->piece->mesh->vertex_count + s->sector_ends.count - 1);
    return RUGA_OK;
}

/* The normals beyond a hard edge of two triangles, at both of its ends. */
static ruga_status find_across(smooth_maker *m, uint32_t triangle, uint32_t side, const uint32_t places[2],
                               uint32_t out[2]) {
    uint32_t edge = m->topo->triangle_edges[3 * (size_t)triangle + side];
    const uint32_t *t = m->topo->edge_triangles + m->topo->edge_offsets[edge];
    uint32_t other = t[0] == triangle ? t[1] : t[0];
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t vertex = m->mesh->triangles[3 * (size_t)triangle + (side + k) % 3];
        TRY(find_normal(m, other, corner_at(m->mesh, other, vertex), places[k], &out[k]));
    }
    return RUGA_OK;
}

static ruga_status add_host(smooth_maker *m, uint32_t of_piece) {
    uint32_t triangle = m->piece->triangles[of_piece];
    const uint32_t *places = m->piece->mesh->triangles + 3 * (size_t)of_piece;
    smooth_host host = {.triangle = triangle};
    for (uint32_t k = 0; k < 3; k++) TRY(find_normal(m, triangle, k, places[k], &host.normals[k]));
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t edge = m->topo->triangle_edges[3 * (size_t)triangle + k];
        host.sides[k] = !m->def->hard->edges[edge]               ? SMOOTH_SOFT
                        : topology_edge_size(m->topo, edge) == 2 ? SMOOTH_HARD
                                                                 : SMOOTH_STRAIGHT;
        uint32_t ends[2] = {places[k], places[(k + 1) % 3]};
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
    for (size_t t = 0; t < def->fine->triangle_count; t++) {
        const uint32_t *v = def->fine->triangles + 3 * t, *at = out->place_of;
        if (at[v[0]] != NO_INDEX || at[v[1]] != NO_INDEX || at[v[2]] != NO_INDEX)
            TRY(ARRAY_ADD(out->context, &out->triangles, (uint32_t)t));
    }
    return RUGA_OK;
}

ruga_status sculpt_smooth_make(const sculpt_smooth_def *def, sculpt_smooth *out) {
    const mesh_piece *piece = def->piece;
    ruga_context *context = piece->context;
    *out = (sculpt_smooth){.context = context, .mesh = def->mesh};
    smooth_maker m = {.out = out, .def = def, .mesh = def->mesh, .topo = def->topo, .piece = piece};
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
    return NEW(context, &out->bends, 6 * out->hosts.count);
}

void sculpt_smooth_release(sculpt_smooth *s) {
    RELEASE_ALL(s->context, s->hosts.items, s->points.items, s->triangles.items, s->sector_corners.items,
                s->sector_ends.items, s->normals, s->bends, s->place_of);
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

/* From one end of a side to the other: the bend at the first. */
static vec3 bend_soft(vec3 along, vec3 normal) { return vec3_scale(normal, -vec3_dot(along, normal) / 3); }

/* The same where two planes meet; as in the first one where they are the same. */
static vec3 bend_hard(vec3 along, vec3 normal, vec3 across) {
    vec3 line = vec3_cross(normal, across);
    double size = vec3_length2(line);
    if (!(size > 1e-6)) return bend_soft(along, normal);
    return vec3_scale(vec3_sub(vec3_scale(line, vec3_dot(along, line) / size), along), 1.0 / 3);
}

static vec3 bend_side(const sculpt_smooth *s, const smooth_host *h, uint32_t side, uint32_t end, vec3 along) {
    vec3 normal = s->normals[h->normals[(side + end) % 3]];
    if (h->sides[side] == SMOOTH_STRAIGHT) return vec3_make(0, 0, 0);
    if (h->sides[side] == SMOOTH_SOFT) return bend_soft(along, normal);
    return bend_hard(along, normal, s->normals[h->across[side][end]]);
}

static void find_bends(sculpt_smooth *s, const vec3 *positions) {
    for (size_t i = 0; i < s->hosts.count; i++) {
        const smooth_host *h = &s->hosts.items[i];
        const uint32_t *v = s->mesh->triangles + 3 * (size_t)h->triangle;
        for (uint32_t k = 0; k < 3; k++) {
            vec3 along = vec3_sub(positions[v[(k + 1) % 3]], positions[v[k]]);
            s->bends[6 * i + 2 * k] = bend_side(s, h, k, 0, along);
            s->bends[6 * i + 2 * k + 1] = bend_side(s, h, k, 1, vec3_scale(along, -1));
        }
    }
}

/* bends: of side k at its first and second end. */
static vec3 displacement(const vec3 bends[6], const double u[3]) {
    vec3 sum = {0, 0, 0};
    double middle = 1.5 * u[0] * u[1] * u[2];
    for (int k = 0; k < 3; k++) {
        double a = u[k], b = u[(k + 1) % 3];
        sum = vec3_add_scaled(sum, bends[2 * k], 3 * a * a * b + middle);
        sum = vec3_add_scaled(sum, bends[2 * k + 1], 3 * a * b * b + middle);
    }
    return sum;
}

void sculpt_smooth_apply(sculpt_smooth *s, const vec3 *positions, const vec3 *normals, const vec3 *flat, vec3 *out) {
    memcpy(s->normals, normals, s->piece_count * sizeof *normals);
    find_sector_normals(s, positions);
    find_bends(s, positions);
    for (size_t i = 0; i < s->points.count; i++) {
        const smooth_point *p = &s->points.items[i];
        out[p->vertex] =
            vec3_add_scaled(flat[p->vertex], displacement(s->bends + 6 * (size_t)p->host, p->weights), p->share);
    }
}

/* ---- Shares. */

static vec3 doubled_area(const ruga_mesh *mesh, const vec3 *p, size_t triangle) {
    const uint32_t *v = mesh->triangles + 3 * triangle;
    return vec3_cross(vec3_sub(p[v[1]], p[v[0]]), vec3_sub(p[v[2]], p[v[0]]));
}

/* Reduces the shares at triangles that smoothing rotates by nearly a right angle or more. Returns whether there are
 * any. */
static int reduce_shares(sculpt_smooth *s, const ruga_mesh *fine, const vec3 *flat, const vec3 *rest, double by) {
    int any = 0;
    for (size_t i = 0; i < s->triangles.count; i++) {
        vec3 before = doubled_area(fine, flat, s->triangles.items[i]);
        vec3 after = doubled_area(fine, rest, s->triangles.items[i]);
        if (vec3_dot(before, after) > LEAST_COSINE * vec3_length(before) * vec3_length(after)) continue;
        const uint32_t *v = fine->triangles + 3 * (size_t)s->triangles.items[i];
        for (int k = 0; k < 3; k++) {
            if (s->place_of[v[k]] == NO_INDEX) continue;
            smooth_point *p = &s->points.items[s->place_of[v[k]]];
            any |= p->share > 0;
            p->share *= by;
        }
    }
    return any;
}

void sculpt_smooth_settle(sculpt_smooth *s, const ruga_mesh *fine, const vec3 *positions, const vec3 *normals,
                          const vec3 *flat, vec3 *rest) {
    sculpt_smooth_apply(s, positions, normals, flat, rest);
    /* It ends: after the halvings, each round sets a share to 0. */
    for (int i = 0; reduce_shares(s, fine, flat, rest, i < HALVINGS ? 0.5 : 0); i++)
        sculpt_smooth_apply(s, positions, normals, flat, rest);
}
