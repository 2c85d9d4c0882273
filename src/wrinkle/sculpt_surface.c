/* The fine surface of a sculpt: the piece that strokes reach, refined, and the whole mesh with the same cut. New
 * vertices lie on a smooth surface through the mesh's vertices (sculpt_smooth.c). */
#include <math.h>
#include <string.h>

#include "wrinkle/sculpt.h"

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

/* ---- Positions. */

void sculpt_surface_lay(sculpt_surface *s, const vec3 *original, const vec3 *normals, int is_at_rest, vec3 *rest) {
    mesh_piece_pick(&s->piece, original, s->original);
    ruga_map_apply(s->fine_map, s->original, s->flat);
    memcpy(rest, s->flat, s->fine->vertex_count * sizeof *rest);
    if (is_at_rest)
        sculpt_smooth_settle(&s->smooth, s->fine, s->topo, original, normals, s->flat, rest);
    else
        sculpt_smooth_apply(&s->smooth, original, normals, s->flat, rest);
}

void sculpt_mix_normals(const ruga_map *map, const vec3 *normals, vec3 *out) {
    ruga_map_apply(map, normals, out);
    for (size_t v = 0; v < map->rows; v++) out[v] = vec3_normalise(out[v]);
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
    TRY(NEW_EACH(s->context, s->piece.mesh->vertex_count, &s->original, &s->piece_normals));
    TRY(NEW_EACH(s->context, n, &s->rest, &s->directions, &s->sculpted, &s->sculpted_normals));
    return NEW_EACH(s->context, n, &s->sums, &s->flat);
}

/* Cuts the whole mesh as the piece was cut. */
static ruga_status cut_whole(sculpt_surface *s, const sculpt_surface_def *def, const uint32_t *parents) {
    free_cut cut;
    fine_piece fine = {s->fine, s->fine_map, parents};
    TRY(mesh_piece_cut(def->plain, def->hard->topo, &s->piece, &fine, 1, &cut, s->numbers));
    cut.room = s->room;
    ruga_status status = free_cut_apply(def->plain, &cut, &s->mesh, &s->map);
    free_cut_release(s->context, &cut);
    TRY(status);
    return cut_room_copy(s->context, s->room, ROOM_NORMALS, s->mesh->vertex_count * sizeof *s->normals, def->normals,
                         def->plain->vertex_count * sizeof *s->normals, (void **)&s->normals);
}

ruga_status sculpt_list_renewed(const sculpt_surface *s, const uint32_t *except, size_t except_count,
                                sculpt_patch *out) {
    const ruga_mesh *mesh = s->fine;
    size_t old_count = s->piece.mesh->vertex_count;
    uint8_t *vertices;
    *out = (sculpt_patch){0};
    TRY(NEW_ZEROED(mesh->context, &vertices, mesh->vertex_count + mesh->triangle_count));
    uint8_t *triangles = vertices + mesh->vertex_count;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles + 3 * t;
        if (v[0] >= old_count || v[1] >= old_count || v[2] >= old_count)
            vertices[v[0]] = vertices[v[1]] = vertices[v[2]] = 1;
    }
    for (size_t i = 0; i < except_count; i++) vertices[except[i]] = 0;
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
    if (RUGA_FAILED(status)) sculpt_patch_release(mesh->context, out);
    return status;
}

void sculpt_patch_release(ruga_context *context, sculpt_patch *patch) {
    RELEASE_ALL(context, patch->vertices, patch->triangles);
    *patch = (sculpt_patch){0};
}

static ruga_status finish_surface(sculpt_surface *s, const sculpt_surface_def *def, const uint32_t *parents) {
    TRY(report_progress(s->context, "assembling the mesh", 0));
    TRY(allocate_surface(s));
    TRY(cut_whole(s, def, parents));
    sculpt_smooth_def smooth = {.mesh = def->plain,
                                .fine = s->fine,
                                .hard = def->hard,
                                .piece = &s->piece,
                                .fine_map = s->fine_map,
                                .parents = parents,
                                .cut_vertices = def->cut_vertices};
    TRY(sculpt_smooth_make(&smooth, &s->smooth));
    ruga_map_apply(s->fine_map, s->piece.mesh->positions, s->flat);
    return RUGA_OK;
}

ruga_status sculpt_surface_make(const sculpt_surface_def *def, sculpt_surface *out) {
    sculpt_refining *r = def->refined;
    *out = (sculpt_surface){.context = r->context,
                            .room = def->room,
                            .plain = def->plain,
                            .plain_normals = def->normals,
                            .piece = *def->piece,
                            .fine = r->mesh,
                            .fine_map = r->map,
                            .topo = r->topo};
    out->smooth.context = r->context;
    *def->piece = (mesh_piece){.context = r->context};
    r->mesh = NULL;
    r->map = NULL;
    r->topo = NULL;
    ruga_status status = finish_surface(out, def, r->parents);
    if (RUGA_FAILED(status)) sculpt_surface_release(out);
    return status;
}

/* Only vertices of the piece have moved. */
static void give_room_back(sculpt_surface *s) {
    for (size_t i = 0; s->mesh && i < s->piece.mesh->vertex_count; i++) {
        const uint32_t v = s->piece.vertices[i];
        ((vec3 *)(uintptr_t)s->mesh->positions)[v] = s->plain->positions[v];
        if (s->normals) s->normals[v] = s->plain_normals[v];
    }
    if (s->room) cut_room_give_back(s->room, s->mesh, s->map, s->normals);
}

void sculpt_surface_release(sculpt_surface *s) {
    give_room_back(s);
    RELEASE_ALL(s->context, s->numbers, s->original, s->piece_normals, s->rest, s->directions, s->sculpted,
                s->sculpted_normals, s->sums, s->flat);
    sculpt_smooth_release(&s->smooth);
    mesh_piece_release(&s->piece);
    ruga_mesh_destroy(s->fine);
    ruga_map_destroy(s->fine_map);
    topology_destroy(s->topo);
    *s = (sculpt_surface){.context = s->context, .piece = {.context = s->context}, .smooth = {.context = s->context}};
}
