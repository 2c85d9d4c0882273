/* The fine surface of a sculpt: the piece that strokes reach, refined, and the whole mesh with the same cut.
 *
 * New vertices are smoothed by the second-order umbrella of Kobbelt et al. 1998, p ← p - U²(p)/ν, ν = 1 + (1/n) Σ
 * 1/n_j, since the middles of edges are inside of a curved surface; along normals only, since the plain umbrella also
 * moves vertices along the surface and folds the thin triangles beside a curve. Curves, borders and old vertices are
 * fixed, and vertices near the border of all regions move less, so that nothing changes outside. */
#include <math.h>
#include <string.h>

#include "wrinkle/sculpt.h"

enum { UMBRELLA_ROUNDS = 6, REDUCTIONS = 12 };
#define LEAST_COSINE 0.2 /* of the angle by which smoothing may rotate a triangle */
static const double pi = 3.14159265358979323846;

ruga_status sculpt_list_marked(ruga_context *context, const uint8_t *marks, size_t count, uint32_t **list,
                               size_t *list_count) {
    *list_count = 0;
    for (size_t i = 0; i < count; i++) *list_count += marks[i];
    TRY(NEW(context, list, *list_count));
    size_t filled = 0;
    for (uint32_t i = 0; i < count; i++)
        if (marks[i]) (*list)[filled++] = i;
    return RUGA_OK;
}

/* ---- Normals. */

enum { BLOCK = 64 };

/* Intermediate values of some triangles. */
typedef struct normal_block {
    vec3 across[BLOCK]; /* unit normals; 0 where there is no area */
    /* Of the first two corners of each triangle; sines and cosines have a common factor. */
    double sines[2 * BLOCK], cosines[2 * BLOCK], angles[2 * BLOCK];
} normal_block;

static void measure_corners(const ruga_mesh *mesh, const vec3 *positions, const uint32_t *triangles, size_t count,
                            normal_block *b) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t *v = mesh->triangles + 3 * (size_t)triangles[i];
        vec3 a = positions[v[0]], ab = vec3_sub(positions[v[1]], a), ac = vec3_sub(positions[v[2]], a);
        vec3 across = vec3_cross(ab, ac);
        double twice = vec3_length(across), along = vec3_dot(ab, ac);
        b->sines[2 * i] = b->sines[2 * i + 1] = twice;
        b->cosines[2 * i] = along;
        b->cosines[2 * i + 1] = vec3_length2(ab) - along;
        b->across[i] = vec3_scale(across, twice > 0 ? 1 / twice : 0);
    }
}

static void add_corners(const ruga_mesh *mesh, const uint32_t *triangles, size_t count, const normal_block *b,
                        vec3 *sums) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t *v = mesh->triangles + 3 * (size_t)triangles[i];
        double first = b->angles[2 * i], second = b->angles[2 * i + 1];
        sums[v[0]] = vec3_add_scaled(sums[v[0]], b->across[i], first);
        sums[v[1]] = vec3_add_scaled(sums[v[1]], b->across[i], second);
        sums[v[2]] = vec3_add_scaled(sums[v[2]], b->across[i], pi - first - second);
    }
}

void sculpt_normals(const ruga_mesh *mesh, const vec3 *positions, const uint32_t *vertices, size_t count,
                    const uint32_t *triangles, size_t triangle_count, vec3 *sums, vec3 *normals) {
    normal_block b;
    for (size_t i = 0; i < count; i++) sums[vertices[i]] = (vec3){0, 0, 0};
    for (size_t i = 0; i < triangle_count; i += BLOCK) {
        size_t size = triangle_count - i < BLOCK ? triangle_count - i : BLOCK;
        measure_corners(mesh, positions, triangles + i, size, &b);
        ISA_SELECT(mesh->context->isa, sculpt_angles)(b.sines, b.cosines, b.angles, 2 * size);
        add_corners(mesh, triangles + i, size, &b, sums);
    }
    for (size_t i = 0; i < count; i++) normals[vertices[i]] = vec3_normalise(sums[vertices[i]]);
}

/* ---- Smoothing. */

static size_t ring_size(const topology *topo, uint32_t v) { return topo->ring_offsets[v + 1] - topo->ring_offsets[v]; }

/* U(p): the mean of the ring minus the vertex itself. */
static vec3 umbrella(const topology *topo, uint32_t v, const vec3 *p) {
    vec3 sum = {0, 0, 0};
    for (uint32_t i = topo->ring_offsets[v]; i < topo->ring_offsets[v + 1]; i++)
        sum = vec3_add(sum, p[topo->ring_vertices[i]]);
    size_t n = ring_size(topo, v);
    return n > 0 ? vec3_sub(vec3_scale(sum, 1 / (double)n), p[v]) : (vec3){0, 0, 0};
}

static double umbrella_weight(const topology *topo, uint32_t v) {
    double sum = 0;
    for (uint32_t i = topo->ring_offsets[v]; i < topo->ring_offsets[v + 1]; i++)
        sum += 1 / (double)ring_size(topo, topo->ring_vertices[i]);
    return 1 + sum / (double)ring_size(topo, v);
}

static void smooth(sculpt_surface *s, vec3 *p) {
    for (int round = 0; round < UMBRELLA_ROUNDS; round++) {
        for (size_t i = 0; i < s->ringed_count; i++) s->umbrellas[s->ringed[i]] = umbrella(s->topo, s->ringed[i], p);
        for (size_t i = 0; i < s->smoothed_count; i++) {
            uint32_t v = s->smoothed[i];
            double height = -vec3_dot(umbrella(s->topo, v, s->umbrellas), s->flat_normals[v]);
            p[v] = vec3_add_scaled(p[v], s->flat_normals[v], height / s->smoothed_weights[i]);
        }
    }
}

/* Lists the smoothed vertices with their rings, and the triangles at them. */
static ruga_status list_rings(sculpt_surface *s, uint8_t *vertices, uint8_t *triangles) {
    const topology *topo = s->topo;
    for (size_t i = 0; i < s->smoothed_count; i++) {
        uint32_t v = s->smoothed[i];
        s->smoothed_weights[i] = umbrella_weight(topo, v);
        vertices[v] = 1;
        for (uint32_t e = topo->ring_offsets[v]; e < topo->ring_offsets[v + 1]; e++)
            vertices[topo->ring_vertices[e]] = 1;
        for (uint32_t e = topo->fan_offsets[v]; e < topo->fan_offsets[v + 1]; e++)
            triangles[topo->fan_triangles[e]] = 1;
    }
    TRY(sculpt_list_marked(s->context, vertices, s->fine->vertex_count, &s->ringed, &s->ringed_count));
    return sculpt_list_marked(s->context, triangles, s->fine->triangle_count, &s->smoothed_triangles,
                              &s->smoothed_triangle_count);
}

/* Lists the vertices that refinement added, except on borders and curves. */
static ruga_status list_smoothed(sculpt_surface *s, size_t cut_vertices) {
    uint8_t *marks;
    TRY(NEW_EACH(s->context, s->fine->vertex_count - cut_vertices, &s->smoothed, &s->smoothed_weights));
    TRY(NEW_ZEROED(s->context, &marks, s->fine->vertex_count + s->fine->triangle_count));
    for (size_t l = 0; l < s->topo->loop_count; l++)
        for (uint32_t i = s->topo->loop_offsets[l]; i < s->topo->loop_offsets[l + 1]; i++)
            s->kept[s->topo->loop_vertices[i]] = 1;
    for (size_t v = cut_vertices; v < s->fine->vertex_count; v++)
        if (!s->kept[v]) s->smoothed[s->smoothed_count++] = (uint32_t)v;
    ruga_status status = list_rings(s, marks, marks + s->fine->vertex_count);
    memory_release(s->context, marks);
    return status;
}

void sculpt_surface_lay(sculpt_surface *s, const vec3 *original, vec3 *rest) {
    mesh_piece_pick(&s->piece, original, s->original);
    ruga_map_apply(s->fine_map, s->original, s->flat);
    memcpy(rest, s->flat, s->fine->vertex_count * sizeof *rest);
    sculpt_normals(s->fine, s->flat, s->smoothed, s->smoothed_count, s->smoothed_triangles, s->smoothed_triangle_count,
                   s->umbrellas, s->flat_normals);
    smooth(s, rest);
    for (size_t i = 0; i < s->smoothed_count; i++) {
        uint32_t v = s->smoothed[i];
        rest[v] = s->shares[v] > 0 ? vec3_mix(s->flat[v], rest[v], s->shares[v]) : s->flat[v];
    }
}

void sculpt_mix_normals(const ruga_map *map, const vec3 *normals, vec3 *out) {
    ruga_map_apply(map, normals, out);
    for (size_t v = 0; v < map->rows; v++) out[v] = vec3_normalise(out[v]);
}

static vec3 doubled_area(const sculpt_surface *s, const vec3 *p, size_t triangle) {
    const uint32_t *v = s->fine->triangles + 3 * triangle;
    return vec3_cross(vec3_sub(p[v[1]], p[v[0]]), vec3_sub(p[v[2]], p[v[0]]));
}

/* Reduces the shares of smoothing at triangles that it rotates by nearly a right angle or more. Returns whether there
 * are any. */
static int reduce_shares(sculpt_surface *s, double by) {
    int any = 0;
    for (size_t i = 0; i < s->smoothed_triangle_count; i++) {
        vec3 flat = doubled_area(s, s->flat, s->smoothed_triangles[i]);
        vec3 smooth_one = doubled_area(s, s->rest, s->smoothed_triangles[i]);
        if (vec3_dot(flat, smooth_one) > LEAST_COSINE * vec3_length(flat) * vec3_length(smooth_one)) continue;
        const uint32_t *v = s->fine->triangles + 3 * (size_t)s->smoothed_triangles[i];
        for (int k = 0; k < 3; k++) {
            any |= s->shares[v[k]] > 0;
            s->shares[v[k]] *= by;
        }
    }
    return any;
}

void sculpt_surface_settle(sculpt_surface *s, const vec3 *original) {
    sculpt_surface_lay(s, original, s->rest);
    for (int i = 0; i < REDUCTIONS && reduce_shares(s, i < REDUCTIONS / 2 ? 0.5 : 0); i++)
        sculpt_surface_lay(s, original, s->rest);
}

void sculpt_surface_spread(const sculpt_surface *s, const vec3 *values, const uint32_t *list, size_t count, vec3 *out) {
    for (size_t i = 0; i < count; i++) {
        size_t v = list ? list[i] : i;
        out[s->numbers[v]] = values[v];
    }
}

/* ---- Making. */

static ruga_status allocate_surface(sculpt_surface *s) {
    size_t n = s->fine->vertex_count;
    TRY(NEW(s->context, &s->numbers, n));
    TRY(NEW(s->context, &s->original, s->piece.mesh->vertex_count));
    TRY(NEW_EACH(s->context, n, &s->rest, &s->directions, &s->sculpted, &s->sculpted_normals));
    TRY(NEW_ZEROED(s->context, &s->umbrellas, n));
    TRY(NEW(s->context, &s->flat, n));
    return NEW_EACH_ZEROED(s->context, n, &s->flat_normals, &s->shares, &s->kept);
}

/* Cuts the whole mesh as the piece was cut. */
static ruga_status cut_whole(sculpt_surface *s, const sculpt_surface_def *def, const uint32_t *parents) {
    free_cut cut;
    fine_piece fine = {s->fine, s->fine_map, parents};
    TRY(mesh_piece_cut(def->plain, def->topo, &s->piece, &fine, &cut, s->numbers));
    ruga_status status = free_cut_apply(def->plain, &cut, &s->mesh, &s->map);
    free_cut_release(s->context, &cut);
    TRY(status);
    return NEW(s->context, &s->normals, s->mesh->vertex_count);
}

/* Lists the vertices from old_count on and those that share a triangle with one, and the triangles at all of these. */
static ruga_status list_renewed(const ruga_mesh *mesh, size_t old_count, sculpt_patch *out) {
    uint8_t *vertices;
    TRY(NEW_ZEROED(mesh->context, &vertices, mesh->vertex_count + mesh->triangle_count));
    uint8_t *triangles = vertices + mesh->vertex_count;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        if (v[0] >= old_count || v[1] >= old_count || v[2] >= old_count)
            vertices[v[0]] = vertices[v[1]] = vertices[v[2]] = 1;
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        triangles[t] = vertices[v[0]] | vertices[v[1]] | vertices[v[2]];
    }
    ruga_status status =
        sculpt_list_marked(mesh->context, vertices, mesh->vertex_count, &out->vertices, &out->vertex_count);
    if (!RUGA_FAILED(status))
        status =
            sculpt_list_marked(mesh->context, triangles, mesh->triangle_count, &out->triangles, &out->triangle_count);
    memory_release(mesh->context, vertices);
    return status;
}

static ruga_status finish_surface(sculpt_surface *s, const sculpt_surface_def *def, const uint32_t *parents) {
    TRY(report_progress(s->context, "assembling the mesh", 0));
    TRY(allocate_surface(s));
    TRY(cut_whole(s, def, parents));
    for (size_t i = 0; i < def->path_count; i++)
        for (size_t k = 0; k < def->paths[i]->count; k++) s->kept[def->paths[i]->vertices[k]] = 1;
    TRY(list_smoothed(s, def->cut_vertices));
    ruga_map_apply(s->fine_map, s->piece.mesh->positions, s->flat);
    return list_renewed(s->fine, s->piece.mesh->vertex_count, &s->renewed);
}

ruga_status sculpt_surface_make(const sculpt_surface_def *def, sculpt_surface *out) {
    sculpt_refining *r = def->refined;
    *out = (sculpt_surface){
        .context = r->context, .piece = *def->piece, .fine = r->mesh, .fine_map = r->map, .topo = r->topo};
    *def->piece = (mesh_piece){.context = r->context};
    r->mesh = NULL;
    r->map = NULL;
    r->topo = NULL;
    ruga_status status = finish_surface(out, def, r->parents);
    if (RUGA_FAILED(status)) sculpt_surface_release(out);
    return status;
}

void sculpt_surface_release(sculpt_surface *s) {
    RELEASE_ALL(s->context, s->normals, s->numbers, s->original, s->rest, s->ringed, s->smoothed_triangles,
                s->smoothed_weights, s->directions, s->sculpted, s->sculpted_normals, s->smoothed, s->umbrellas,
                s->flat, s->flat_normals, s->shares, s->kept, s->renewed.vertices, s->renewed.triangles);
    mesh_piece_release(&s->piece);
    ruga_mesh_destroy(s->mesh);
    ruga_mesh_destroy(s->fine);
    ruga_map_destroy(s->map);
    ruga_map_destroy(s->fine_map);
    topology_destroy(s->topo);
    *s = (sculpt_surface){.context = s->context, .piece = {.context = s->context}};
}
