/* Sculpts in motion: the wrinkles of the last update on a mesh that moves, on the same topology. */
#include <math.h>
#include <string.h>

#include "wrinkle/sculpt.h"

static size_t greater(size_t a, size_t b) { return a > b ? a : b; }

/* What a pose needs; kept with the surface, so that only the first one after an update allocates. */
static ruga_status prepare_room(ruga_sculpt *s) {
    sculpt_pose_room *room = &s->pose_room;
    if (room->lengths) return RUGA_OK;
    const ruga_mesh *piece = s->surface.piece.mesh, *cut_piece = s->cut_piece.mesh;
    size_t coarse = s->cut.mesh->vertex_count, fine = s->surface.fine->vertex_count;
    size_t scratch = greater(mesh_normals_scratch(piece), mesh_normals_scratch(cut_piece));
    *room =
        (sculpt_pose_room){.original = ALLOCATE(s->context, vec3, cut_piece->vertex_count),
                           .normals = ALLOCATE(s->context, vec3, greater(piece->vertex_count, cut_piece->vertex_count)),
                           .scratch = memory_allocate(s->context, scratch, 1),
                           .cut = ALLOCATE(s->context, vec3, coarse),
                           .cut_normals = ALLOCATE(s->context, vec3, coarse),
                           .rest = ALLOCATE(s->context, vec3, fine),
                           .ways = ALLOCATE(s->context, vec3, fine),
                           .lengths = ALLOCATE(s->context, double, s->active.count)};
    if (room->original && room->normals && room->scratch && room->cut && room->cut_normals && room->rest &&
        room->ways && room->lengths)
        return RUGA_OK;
    sculpt_pose_room_release(s);
    return fail_memory(s->context, fine * sizeof(vec3));
}

void sculpt_pose_room_release(ruga_sculpt *s) {
    sculpt_pose_room *room = &s->pose_room;
    void *all[] = {room->original,    room->normals, room->scratch, room->cut,
                   room->cut_normals, room->rest,    room->ways,    room->lengths};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) memory_release(s->context, all[i]);
    *room = (sculpt_pose_room){0};
}

/* Lines in their places on the cut as it is now, and how long they are to get. */
static ruga_status place_lines(ruga_sculpt *s, const vec3 *positions, const double *driven) {
    sculpt_pose_room *room = &s->pose_room;
    mesh_piece_pick(&s->cut_piece, positions, room->original);
    ruga_map_apply(s->cut.map, room->original, room->cut);
    mesh_normals(s->cut_piece.mesh, room->original, room->scratch, room->normals);
    sculpt_mix_normals(s->cut.map, room->normals, room->cut_normals);
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        sculpt_line_place(&k->line, &k->cut_base, room->cut, room->cut_normals);
        double now = sculpt_line_chord(&k->line);
        room->lengths[i] = driven ? driven[s->active.items[i]] : now > 0 ? k->chord / now : 1;
        if (!isfinite(room->lengths[i]) || !isfinite(now))
            return fail_with(s->context, RUGA_ERROR_INPUT,
                             "stroke \"%s\": its length is not finite; positions and lengths have to be", k->def.name);
    }
    return RUGA_OK;
}

static ruga_status pose(ruga_sculpt *s, const vec3 *positions, const double *driven, vec3 *out) {
    sculpt_pose_room *room = &s->pose_room;
    sculpt_surface *p = &s->surface;
    TRY(place_lines(s, positions, driven));
    TRY(sculpt_govern(s, room->lengths, 1));
    sculpt_surface_lay(p, positions, room->rest);
    mesh_normals(p->piece.mesh, p->original, room->scratch, room->normals);
    sculpt_mix_normals(p->fine_map, room->normals, room->ways);
    sculpt_field_apply(&s->field, s->lines, room->rest, room->ways, room->rest);
    memcpy(out, positions, s->mesh->vertex_count * sizeof *out);
    sculpt_surface_spread(p, room->rest, NULL, p->fine->vertex_count, out);
    return RUGA_OK;
}

/* Whether this is what the last update was about. */
static int is_at_rest(const ruga_sculpt *s, const vec3 *positions, const double *lengths) {
    for (size_t i = 0; i < s->active.count; i++)
        if (!lengths || lengths[s->active.items[i]] != active_stroke(s, i)->def.length) return 0;
    return memcmp(positions, s->mesh->positions, s->mesh->vertex_count * sizeof *positions) == 0;
}

ruga_status ruga_sculpt_pose(ruga_sculpt *s, const ruga_vec3 *positions, const double *lengths, ruga_vec3 *out) {
    int stale = s->curves_are_stale || s->regions_are_stale || !s->surface.mesh;
    for (size_t i = 0; i < s->active.count; i++) stale |= active_stroke(s, i)->shape_is_stale;
    if (stale)
        return fail_with(s->context, RUGA_ERROR_ARGUMENT,
                         "the sculpt is not up to date; call ruga_sculpt_update first");
    if (is_at_rest(s, positions, lengths)) {
        memcpy(out, s->surface.mesh->positions, s->surface.mesh->vertex_count * sizeof *out);
        return RUGA_OK;
    }
    TRY(prepare_room(s));
    ruga_status status = pose(s, positions, lengths, out);
    /* Lines are those of the rest again. */
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        sculpt_line_place(&k->line, &k->cut_base, s->cut.mesh->positions, s->cut_normals);
        memcpy(k->line.deflections, k->line.rest_deflections, k->line.count * sizeof *k->line.deflections);
        sculpt_line_smooth(&k->line);
    }
    return status;
}
