/* Sculpts in motion: the wrinkles of the last update on a mesh that moves, with the same topology. */
#include <math.h>
#include <string.h>

#include "wrinkle/sculpt.h"

static size_t greater(size_t a, size_t b) { return a > b ? a : b; }

/* Memory for poses, kept with the surface, so that only the first one after an update allocates. */
static ruga_status allocate(ruga_sculpt *s, sculpt_pose_room *room) {
    const ruga_mesh *piece = s->surface.piece.mesh, *cut_piece = s->cut_piece.mesh;
    size_t coarse = s->cut.mesh->vertex_count, fine = s->surface.fine->vertex_count;
    unsigned char *scratch;
    TRY(NEW(s->context, &room->original, cut_piece->vertex_count));
    TRY(NEW(s->context, &room->normals, greater(piece->vertex_count, cut_piece->vertex_count)));
    TRY(NEW(s->context, &scratch, greater(mesh_normals_scratch(piece), mesh_normals_scratch(cut_piece))));
    room->scratch = scratch;
    TRY(NEW_EACH(s->context, coarse, &room->cut, &room->cut_normals));
    TRY(NEW_EACH(s->context, fine, &room->rest, &room->directions));
    return NEW(s->context, &room->lengths, s->active.count);
}

void sculpt_pose_room_release(ruga_sculpt *s) {
    sculpt_pose_room *room = &s->pose_room;
    RELEASE_ALL(s->context, room->original, room->normals, room->scratch, room->cut, room->cut_normals, room->rest,
                room->directions, room->lengths);
    *room = (sculpt_pose_room){0};
}

/* Places the lines on the current cut, and finds their target lengths. */
static ruga_status place_lines(ruga_sculpt *s, const vec3 *positions, const double *driven) {
    sculpt_pose_room *room = &s->pose_room;
    mesh_piece_pick(&s->cut_piece, positions, room->original);
    ruga_map_apply(s->cut.map, room->original, room->cut);
    mesh_normals(s->cut_piece.mesh, room->original, room->scratch, room->normals);
    sculpt_mix_normals(s->cut.map, room->normals, room->cut_normals);
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        sculpt_stroke_place(k, room->cut, room->cut_normals);
        double now = sculpt_line_chord(&k->line), compressed = now > 0 ? k->chord / now : 1;
        /* A furrow is not compressed along its curve. */
        if (stroke_is_furrow(k)) compressed = k->def.length;
        room->lengths[i] = driven ? driven[s->active.items[i]] : compressed;
        if (!isfinite(room->lengths[i]) || !isfinite(now))
            return fail_input(s->context,
                              "stroke \"%s\": its length is not finite; all positions and lengths must be finite",
                              k->def.name);
    }
    return RUGA_OK;
}

static ruga_status pose(ruga_sculpt *s, const vec3 *positions, const double *driven, vec3 *out) {
    sculpt_pose_room *room = &s->pose_room;
    sculpt_surface *p = &s->surface;
    TRY(place_lines(s, positions, driven));
    TRY(sculpt_govern(s, room->lengths, 1));
    mesh_piece_pick(&p->piece, positions, p->original);
    mesh_normals(p->piece.mesh, p->original, room->scratch, room->normals);
    sculpt_surface_lay(p, positions, room->normals, 0, room->rest);
    sculpt_mix_normals(p->fine_map, room->normals, room->directions);
    sculpt_field_apply(&s->field, s->lines, room->rest, room->directions, room->rest);
    memcpy(out, positions, s->mesh->vertex_count * sizeof *out);
    sculpt_surface_spread(p, room->rest, NULL, p->fine->vertex_count, out);
    return RUGA_OK;
}

/* Whether this is the pose and the lengths of the last update. */
static int is_at_rest(const ruga_sculpt *s, const vec3 *positions, const double *lengths) {
    for (size_t i = 0; i < s->active.count; i++)
        if (!lengths || lengths[s->active.items[i]] != active_stroke(s, i)->def.length) return 0;
    return memcmp(positions, s->mesh->positions, s->mesh->vertex_count * sizeof *positions) == 0;
}

ruga_status ruga_sculpt_pose(ruga_sculpt *s, const ruga_vec3 *positions, const double *lengths, ruga_vec3 *out) {
    int stale = s->curves_are_stale || s->regions_are_stale || !s->surface.mesh;
    for (size_t i = 0; i < s->active.count; i++) stale |= active_stroke(s, i)->shape_is_stale;
    if (stale) return fail_argument(s->context, "the sculpt is not up to date; call ruga_sculpt_update first");
    if (is_at_rest(s, positions, lengths)) {
        memcpy(out, s->surface.mesh->positions, s->surface.mesh->vertex_count * sizeof *out);
        return RUGA_OK;
    }
    if (!s->pose_room.lengths) {
        ruga_status allocated = allocate(s, &s->pose_room);
        if (RUGA_FAILED(allocated)) sculpt_pose_room_release(s);
        TRY(allocated);
    }
    ruga_status status = pose(s, positions, lengths, out);
    /* Restores the lines at rest. */
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        sculpt_stroke_place(k, s->cut.mesh->positions, s->cut_normals);
        memcpy(k->line.deflections, k->line.rest_deflections, k->line.count * sizeof *k->line.deflections);
        sculpt_line_smooth(&k->line);
    }
    return status;
}
