/* A wrinkle mesh on meshes that were cut or refined continues from the wrinkles of the old one.
 *
 * Offsets are relative to the frames of base triangles, and the pieces of a triangle have other frames than it. So
 * offsets go through the world: by the old frames of the last update, a weighted sum, and the new frames of the same
 * pose. A vertex that stayed, in a frame that stayed, keeps its offset bit-identical. */
#include <string.h>

#include "wrinkle/wrinkle_mesh.h"

/* The pose of the last update, and its frames. A triangle without area keeps the frame of the old one in its place. */
static void take_pose(ruga_wrinkle_mesh *w, const ruga_wrinkle_mesh *old, const ruga_map *from_old) {
    memcpy(w->origin, old->origin, sizeof w->origin);
    for (size_t v = 0; v < from_old->rows; v++) {
        double sums[3] = {0, 0, 0};
        for (size_t e = from_old->offsets[v]; e < from_old->offsets[v + 1]; e++)
            for (size_t k = 0; k < 3; k++)
                sums[k] += from_old->weights[e] * (double)old->base_points[4 * (size_t)from_old->indices[e] + k];
        for (size_t k = 0; k < 3; k++) w->base_points[4 * v + k] = (float)sums[k];
    }
    for (size_t t = 0; t < w->base->triangle_count && t < old->base->triangle_count; t++) {
        int stays = 1;
        for (size_t k = 0; k < 3; k++) {
            const size_t *row = from_old->offsets + w->base->triangles[3 * t + k];
            stays &= row[1] - row[0] == 1 && from_old->indices[row[0]] == old->base->triangles[3 * t + k];
        }
        if (stays) memcpy(w->frames + 9 * t, old->frames + 9 * t, 9 * sizeof *w->frames);
    }
    attachment_frames(w->attached, w->base_points, w->frames);
}

static const float *frame_of(const ruga_wrinkle_mesh *w, size_t slot) {
    return w->frames + 9 * (size_t)w->triangles[slot];
}

/* The fourth number, whether the base is compressed, is that of the largest weight. */
static void take_offset(ruga_wrinkle_mesh *w, size_t vertex, const ruga_wrinkle_mesh *old, const ruga_map *from_old) {
    const int local = w->def.frame == RUGA_WRINKLE_FRAME_LOCAL;
    const size_t begin = from_old->offsets[vertex], end = from_old->offsets[vertex + 1], to = w->slots[vertex];
    const float *frame = frame_of(w, to);
    double sums[3] = {0, 0, 0}, most = 0;
    float *offset = w->offsets + 4 * to;
    for (size_t e = begin; e < end; e++) {
        const size_t slot = old->slots[from_old->indices[e]];
        const float *o = old->offsets + 4 * slot, *f = frame_of(old, slot);
        if (end - begin == 1 && (!local || memcmp(f, frame, 9 * sizeof *f) == 0)) {
            memcpy(offset, o, 4 * sizeof *o);
            return;
        }
        for (int k = 0; k < 3; k++)
            sums[k] += from_old->weights[e] *
                       (local ? (double)(f[k] * o[0] + f[3 + k] * o[1] + f[6 + k] * o[2]) : (double)o[k]);
        if (from_old->weights[e] > most) most = from_old->weights[e], offset[3] = o[3];
    }
    for (int c = 0; c < 3; c++) {
        double along = 0;
        for (int k = 0; k < 3; k++) along += (double)frame[3 * c + k] * sums[k];
        offset[c] = (float)(local ? along : sums[c]);
    }
}

ruga_status wrinkle_mesh_follow(const ruga_wrinkle_mesh *old, const wrinkle_mesh_change *change,
                                const ruga_wrinkle_mesh_def *def, ruga_wrinkle_mesh **out) {
    ruga_wrinkle_mesh *w = NULL;
    if (old->edge_scales || old->bind_normals || old->base_mask)
        return fail_unsupported(
            old->context,
            "wrinkle mesh: %s can't follow a mesh that is cut or refined; make the wrinkle mesh without it",
            old->edge_scales ? "edge_pre_stretch"
            : old->base_mask ? "base_mask"
                             : "bind_normals");
    TRY(wrinkle_create(change->base, change->fine, change->map, def, NULL, &w));
    take_pose(w, old, change->base_from_old);
    wrinkle_strains_measure(w);
    wrinkle_calm_end(w);
    for (size_t v = 0; v < w->fine->vertex_count; v++)
        if (w->lowest[v] == v) take_offset(w, v, old, change->fine_from_old);
    *out = w;
    return RUGA_OK;
}
