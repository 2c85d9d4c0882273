/* The later stages of a sculpt: the part of the mesh that strokes reach, its resolution, and the positions of its
 * vertices. */
#include <math.h>
#include <string.h>

#include "wrinkle/sculpt.h"

#define SNAPPED_LENGTH 1.1 /* greatest length of a cut curve over that of the drawn one */

/* ---- Levels. */

/* m, where none is given: in proportion to the width of a furrow, or of a wrinkle if there are many. */
static double usual_tolerance(const sculpt_stroke *k) {
    if (stroke_is_furrow(k)) return k->line.length / 240;
    const int count = k->def.start == RUGA_STROKE_COUNT && k->def.wrinkles > 5 ? k->def.wrinkles : 5;
    return k->line.length / (120.0 * count);
}

int sculpt_find_levels(ruga_sculpt *s) {
    int changed = 0;
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        k->info.tolerance = isnan(k->def.tolerance) ? usual_tolerance(k) : k->def.tolerance;
        int level =
            stroke_is_furrow(k)
                ? sculpt_line_level_across(&k->line, k->stride, k->info.tolerance, k->def.refine, &k->info.error)
                : sculpt_line_level(&k->line, &k->cut_base, s->cut.mesh->positions, s->cut_normals, k->extent,
                                    k->info.tolerance, k->def.refine, &k->info.error);
        changed |= level != k->level;
        k->level = level;
    }
    return changed;
}

/* The radius of a stroke, m. */
static ruga_status find_radius(ruga_sculpt *s, sculpt_stroke *k, geodesic *g, sculpt_measures *measures) {
    k->info.radius = k->def.region && isnan(k->def.radius)
                         ? sculpt_greatest_distance(g, &k->fine_base, &k->fine_region, measures)
                         : sculpt_stroke_radius(k);
    if (k->info.radius > 0 && !isinf(k->info.radius)) return RUGA_OK;
    return sculpt_blame(
        s, k, "its region curve is not on the same piece of the mesh as its base curve, or lies on it; set a radius");
}

/* ---- The piece in reach. */

static int share_a_vertex(const sculpt_path *a, const sculpt_path *b) {
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (a->vertices[i] == b->vertices[k]) return 1;
    return 0;
}

/* m, distance from its base curve that a stroke may reach. A region curve that meets the base curve has no place
 * farther from it than the curve is long; any other may be anywhere. */
static double find_reach(const sculpt_stroke *k) {
    double radius = sculpt_stroke_radius(k);
    int is_between = k->def.mode == RUGA_REGION_BETWEEN;
    if (!is_between && !(k->def.region && isnan(k->def.radius))) return radius;
    if (!share_a_vertex(&k->cut_base, &k->cut_region)) return INFINITY;
    return SNAPPED_LENGTH * k->cut_region.length + (is_between ? radius : 0);
}

/* The triangles that strokes move, and around them: a ring for each level, one that is divided for its neighbours only,
 * and one that has all triangles at vertices of that. */
static ruga_status find_piece(ruga_sculpt *s, mesh_piece *out) {
    int level = 0;
    if (s->is_whole) sculpt_finder_take_all(&s->finder);
    for (size_t i = 0; i < s->active.count; i++) {
        const sculpt_stroke *k = active_stroke(s, i);
        double reach = find_reach(k);
        level = k->level > level ? k->level : level;
        if (reach >= s->mesh_size)
            sculpt_finder_take_all(&s->finder);
        else
            TRY(sculpt_finder_take_near(&s->finder, k->def.curve, &k->drawn, reach));
        sculpt_finder_take_curve(&s->finder, k->def.curve);
        if (k->def.region) sculpt_finder_take_curve(&s->finder, k->def.region);
    }
    sculpt_finder_grow(&s->finder, level + 2);
    return sculpt_finder_cut_out(&s->finder, out);
}

/* The cut's piece as a piece of the larger piece instead of the mesh. Both have the mesh's order. */
static ruga_status find_within(const mesh_piece *small, const mesh_piece *large, mesh_piece *out) {
    *out = (mesh_piece){.context = small->context};
    TRY(NEW(small->context, &out->vertices, small->mesh->vertex_count));
    TRY(NEW(small->context, &out->triangles, small->mesh->triangle_count));
    for (size_t i = 0, at = 0; i < small->mesh->vertex_count; i++) {
        while (large->vertices[at] < small->vertices[i]) at++;
        out->vertices[i] = (uint32_t)at;
    }
    for (size_t i = 0, at = 0; i < small->mesh->triangle_count; i++) {
        while (large->triangles[at] < small->triangles[i]) at++;
        out->triangles[i] = (uint32_t)at;
    }
    return RUGA_OK;
}

/* Applies the cut of the small piece to the large one. numbers: (the cut's vertices) their numbers there. */
static ruga_status transfer_cut(const ruga_sculpt *s, const mesh_piece *piece, const mesh_piece *within,
                                sculpt_refining *r, uint32_t *numbers) {
    topology *topo;
    free_cut cut;
    fine_piece fine = {s->cut.mesh, s->cut.map, s->cut.triangle_parent};
    mesh_piece small = *within;
    small.mesh = s->cut_piece.mesh;
    TRY(mesh_piece_edges(piece, s->hard.topo, &topo));
    ruga_status status = mesh_piece_cut(piece->mesh, topo, &small, &fine, 0, &cut, numbers);
    if (!RUGA_FAILED(status)) {
        status = free_cut_apply(piece->mesh, &cut, &r->mesh, &r->map);
        if (!RUGA_FAILED(status)) status = NEW(r->context, &r->parents, r->mesh->triangle_count);
        for (uint32_t t = 0; t < topo->triangle_count && !RUGA_FAILED(status); t++)
            for (uint32_t i = cut.child_offsets[t]; i < cut.child_offsets[t + 1]; i++) r->parents[i] = t;
        free_cut_release(s->context, &cut);
    }
    topology_destroy(topo);
    return status;
}

/* A path of the cut on the larger piece. */
static ruga_status transfer_path(const ruga_sculpt *s, const sculpt_path *path, const uint32_t *numbers,
                                 sculpt_path *out) {
    TRY(sculpt_path_copy(s->context, path, out));
    for (size_t i = 0; i < out->count; i++) out->vertices[i] = numbers[out->vertices[i]];
    return RUGA_OK;
}

/* Finds the piece, and cuts the curves into it. */
static ruga_status cut_piece(ruga_sculpt *s, mesh_piece *piece, sculpt_refining *r) {
    mesh_piece within;
    uint32_t *numbers = NULL;
    TRY(find_piece(s, piece));
    ruga_status status = find_within(&s->cut_piece, piece, &within);
    if (!RUGA_FAILED(status)) status = NEW(s->context, &numbers, s->cut.mesh->vertex_count);
    if (!RUGA_FAILED(status)) status = transfer_cut(s, piece, &within, r, numbers);
    for (size_t i = 0; i < s->active.count && !RUGA_FAILED(status); i++) {
        sculpt_stroke *k = active_stroke(s, i);
        status = transfer_path(s, &k->cut_base, numbers, &k->fine_base);
        if (!RUGA_FAILED(status) && k->def.region) status = transfer_path(s, &k->cut_region, numbers, &k->fine_region);
    }
    memory_release(s->context, numbers);
    mesh_piece_release(&within);
    return status;
}

/* ---- The fine piece. */

static sculpt_reach reach_of(const sculpt_stroke *k) {
    return (sculpt_reach){.base = &k->fine_base,
                          .region = k->def.mode == RUGA_REGION_BETWEEN ? &k->fine_region : NULL,
                          .radius = k->info.radius,
                          .attenuation = k->def.attenuation,
                          .drawn = &k->drawn,
                          .stride = k->stride,
                          .fixed_part = stroke_is_furrow(k) ? 0 : 1 / (double)(k->line.count - 1),
                          .furrow = stroke_is_furrow(k) ? &k->furrow : NULL};
}

/* Levels of the triangles of the piece, which is cut and not refined yet. */
static ruga_status mark_levels(ruga_sculpt *s, sculpt_refining *r) {
    geodesic *g = NULL;
    sculpt_measures measures;
    TRY(topology_build_neighbours(s->context, r->mesh->vertex_count, r->mesh->triangle_count, r->mesh->triangles,
                                  &r->topo));
    TRY(NEW_ZEROED(s->context, &r->levels, r->mesh->triangle_count));
    TRY(sculpt_measures_make(s->context, r->mesh->vertex_count, &measures));
    ruga_status status = geodesic_create(s->context, r->topo, r->mesh->triangles, r->mesh->positions, &g);
    for (size_t i = 0; i < s->active.count && !RUGA_FAILED(status); i++) {
        sculpt_stroke *k = active_stroke(s, i);
        status = find_radius(s, k, g, &measures);
        sculpt_reach reach = reach_of(k);
        if (!RUGA_FAILED(status) && k->level > 0)
            sculpt_mark_levels(g, r->mesh, &reach, k->level, &measures, r->levels);
    }
    geodesic_destroy(g);
    sculpt_measures_release(s->context, &measures);
    return status;
}

/* Refines the piece, and makes the surface of it. */
static ruga_status refine_piece(ruga_sculpt *s, mesh_piece *piece, sculpt_refining *r) {
    sculpt_path **paths;
    size_t count = 0;
    TRY(NEW(s->context, &paths, 2 * s->active.count));
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        paths[count++] = &k->fine_base;
        if (k->def.region) paths[count++] = &k->fine_region;
    }
    sculpt_surface_def def = {.plain = &s->plain,
                              .normals = s->mesh_normals,
                              .hard = &s->hard,
                              .room = &s->room,
                              .piece = piece,
                              .refined = r,
                              .cut_vertices = r->mesh->vertex_count};
    ruga_status status = sculpt_refine(r, paths, count);
    if (!RUGA_FAILED(status)) status = sculpt_surface_make(&def, &s->surface);
    memory_release(s->context, paths);
    return status;
}

/* The undeformed surface and its normals, but for those that sculpt_apply computes. The sculpted surface starts as a
 * copy of it. */
static ruga_status lay_surface(ruga_sculpt *s) {
    sculpt_surface *p = &s->surface;
    sculpt_patch renewed;
    TRY(sculpt_list_renewed(p, s->field.around, s->field.around_count, &renewed));
    size_t fine = p->fine->vertex_count;
    sculpt_surface_lay(p, s->mesh->positions, p->piece_normals, 1, p->rest);
    memcpy(p->sculpted_normals, p->piece_normals, p->piece.mesh->vertex_count * sizeof(vec3));
    sculpt_normals(p->fine, p->rest, renewed.vertices, renewed.vertex_count, renewed.triangles, renewed.triangle_count,
                   p->sums, p->sculpted_normals);
    sculpt_patch_release(s->context, &renewed);
    memcpy(p->sculpted, p->rest, fine * sizeof(vec3));
    sculpt_surface_spread(p, p->rest, NULL, fine, (vec3 *)(uintptr_t)p->mesh->positions);
    sculpt_surface_spread(p, p->sculpted_normals, NULL, fine, p->normals);
    return RUGA_OK;
}

ruga_status sculpt_make_surface(ruga_sculpt *s) {
    mesh_piece piece = {.context = s->context};
    sculpt_refining r = {.context = s->context};
    sculpt_release_surface(s);
    s->counts.surfaces++;
    ruga_status status = cut_piece(s, &piece, &r);
    if (!RUGA_FAILED(status)) status = mark_levels(s, &r);
    if (!RUGA_FAILED(status)) status = refine_piece(s, &piece, &r);
    sculpt_refining_release(&r);
    mesh_piece_release(&piece);
    TRY(status);
    sculpt_surface *p = &s->surface;
    mesh_piece_pick(&p->piece, s->mesh_normals, p->piece_normals);
    sculpt_mix_normals(p->fine_map, p->piece_normals, p->directions);
    sculpt_reach *reaches;
    TRY(NEW(s->context, &reaches, s->active.count));
    for (size_t i = 0; i < s->active.count; i++) reaches[i] = reach_of(active_stroke(s, i));
    status = sculpt_field_make(&s->surface, reaches, s->active.count, &s->field);
    memory_release(s->context, reaches);
    TRY(status);
    return lay_surface(s);
}

/* ---- Positions. */

void sculpt_apply(ruga_sculpt *s) {
    sculpt_surface *p = &s->surface;
    const sculpt_field *f = &s->field;
    sculpt_field_apply(f, s->lines, p->rest, p->directions, p->sculpted);
    sculpt_normals(p->fine, p->sculpted, f->around, f->around_count, f->triangles, f->triangle_count, p->sums,
                   p->sculpted_normals);
    sculpt_surface_spread(p, p->sculpted, f->vertices, f->vertex_count, (vec3 *)(uintptr_t)p->mesh->positions);
    sculpt_surface_spread(p, p->sculpted_normals, f->around, f->around_count, p->normals);
}
