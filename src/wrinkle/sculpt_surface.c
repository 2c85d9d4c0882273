/* The fine surface of a sculpt: the piece that strokes reach, refined, and the whole mesh cut in the same way.
 *
 * New vertices are smoothed by the second-order umbrella of Kobbelt et al. 1998, p ← p - U²(p)/ν, ν = 1 + (1/n) Σ 1/n_j, since the middles of
 * edges lie inside of a curved surface; along normals only, since the plain umbrella also pulls vertices along the surface, and folds the thin
 * triangles beside a curve. Curves, borders and old vertices stay, and the nearer a vertex is to the border of all regions the less it
 * moves, so that nothing changes outside. */
#include <math.h>
#include <string.h>

#include "wrinkle/sculpt.h"

enum { UMBRELLA_ROUNDS = 6, LESSENINGS = 12 };
#define LEAST_COSINE 0.2 /* of the angle by which smoothing may turn a triangle */
static const double pi = 3.14159265358979323846;

ruga_status sculpt_list_marked(ruga_context *context, const uint8_t *marks, size_t count, uint32_t **list,
                               size_t *list_count) {
    *list_count = 0;
    for (size_t i = 0; i < count; i++) *list_count += marks[i];
    *list = ALLOCATE(context, uint32_t, *list_count);
    if (!*list) return fail_memory(context, *list_count * sizeof **list);
    size_t filled = 0;
    for (uint32_t i = 0; i < count; i++)
        if (marks[i]) (*list)[filled++] = i;
    return RUGA_OK;
}

/* ---- Normals. */

enum { BLOCK = 64 };

/* Some triangles on the way to the normals. */
typedef struct normal_block {
    vec3 across[BLOCK]; /* unit; 0 where there is no area */
    double sines[2 * BLOCK], cosines[2 * BLOCK],
        angles[2 * BLOCK]; /* of the first two corners of each, times something */
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

/* U(p): the mean of the ring minus the middle. */
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

/* Smoothed vertices with their rings, and the triangles at them. */
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

/* Vertices that came by refinement, inside, off the curves. */
static ruga_status list_smoothed(sculpt_surface *s, size_t cut_vertices) {
    uint8_t *marks = ALLOCATE_ZEROED(s->context, uint8_t, s->fine->vertex_count + s->fine->triangle_count);
    s->smoothed = ALLOCATE(s->context, uint32_t, s->fine->vertex_count - cut_vertices);
    s->smoothed_weights = ALLOCATE(s->context, double, s->fine->vertex_count - cut_vertices);
    ruga_status status = marks && s->smoothed && s->smoothed_weights
                             ? RUGA_OK
                             : fail_memory(s->context, s->fine->vertex_count * sizeof(double));
    for (size_t l = 0; l < s->topo->loop_count; l++)
        for (uint32_t i = s->topo->loop_offsets[l]; i < s->topo->loop_offsets[l + 1]; i++)
            s->kept[s->topo->loop_vertices[i]] = 1;
    for (size_t v = cut_vertices; v < s->fine->vertex_count && !RUGA_FAILED(status); v++)
        if (!s->kept[v]) s->smoothed[s->smoothed_count++] = (uint32_t)v;
    if (!RUGA_FAILED(status)) status = list_rings(s, marks, marks + s->fine->vertex_count);
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

/* Lessens the shares of smoothing at triangles that it turns by a right angle or nearly so. Returns whether there are any. */
static int lessen_shares(sculpt_surface *s, double by) {
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
    for (int i = 0; i < LESSENINGS && lessen_shares(s, i < LESSENINGS / 2 ? 0.5 : 0); i++)
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
    s->numbers = ALLOCATE(s->context, uint32_t, n);
    s->original = ALLOCATE(s->context, vec3, s->piece.mesh->vertex_count);
    s->rest = ALLOCATE(s->context, vec3, n);
    s->ways = ALLOCATE(s->context, vec3, n);
    s->sculpted = ALLOCATE(s->context, vec3, n);
    s->sculpted_normals = ALLOCATE(s->context, vec3, n);
    s->umbrellas = ALLOCATE_ZEROED(s->context, vec3, n);
    s->flat = ALLOCATE(s->context, vec3, n);
    s->flat_normals = ALLOCATE_ZEROED(s->context, vec3, n);
    s->shares = ALLOCATE_ZEROED(s->context, double, n);
    s->kept = ALLOCATE_ZEROED(s->context, uint8_t, n);
    int complete = s->numbers && s->original && s->rest && s->ways && s->sculpted && s->sculpted_normals &&
                   s->umbrellas && s->flat && s->flat_normals && s->shares && s->kept;
    if (complete) return RUGA_OK;
    return fail_memory(s->context, n * sizeof(vec3));
}

/* Cuts the whole mesh as the piece was cut. */
static ruga_status cut_whole(sculpt_surface *s, const sculpt_surface_def *def, const uint32_t *parents) {
    free_cut cut;
    fine_piece fine = {s->fine, s->fine_map, parents};
    TRY(mesh_piece_cut(def->plain, def->topo, &s->piece, &fine, &cut, s->numbers));
    ruga_status status = free_cut_apply(def->plain, &cut, &s->mesh, &s->map);
    free_cut_release(s->context, &cut);
    TRY(status);
    s->normals = ALLOCATE(s->context, vec3, s->mesh->vertex_count);
    return s->normals ? RUGA_OK : fail_memory(s->context, s->mesh->vertex_count * sizeof(vec3));
}

static ruga_status finish_surface(sculpt_surface *s, const sculpt_surface_def *def, const uint32_t *parents) {
    TRY(report_progress(s->context, "putting the mesh together", 0));
    TRY(allocate_surface(s));
    TRY(cut_whole(s, def, parents));
    for (size_t i = 0; i < def->path_count; i++)
        for (size_t k = 0; k < def->paths[i]->count; k++) s->kept[def->paths[i]->vertices[k]] = 1;
    TRY(list_smoothed(s, def->cut_vertices));
    ruga_map_apply(s->fine_map, s->piece.mesh->positions, s->flat);
    return sculpt_patch_of_new(s->fine, s->piece.mesh->vertex_count, &s->renewed);
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
    void *all[] = {s->normals,
                   s->numbers,
                   s->original,
                   s->rest,
                   s->ringed,
                   s->smoothed_triangles,
                   s->smoothed_weights,
                   s->ways,
                   s->sculpted,
                   s->sculpted_normals,
                   s->smoothed,
                   s->umbrellas,
                   s->flat,
                   s->flat_normals,
                   s->shares,
                   s->kept};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) memory_release(s->context, all[i]);
    sculpt_patch_release(s->context, &s->renewed);
    mesh_piece_release(&s->piece);
    ruga_mesh_destroy(s->mesh);
    ruga_mesh_destroy(s->fine);
    ruga_map_destroy(s->map);
    ruga_map_destroy(s->fine_map);
    topology_destroy(s->topo);
    *s = (sculpt_surface){.context = s->context, .piece = {.context = s->context}};
}
