/* Room for wrinkles where the base closes up, as in the crook of an elbow.
 *
 * A wave of length λ that lies on a base with the stretch s < 1 has crests s λ apart. At its full height it would turn
 * inside out, and fold over its neighbours, once s is so small that its flanks are steep. With radii in proportion to s
 * they would stay as steep as at s₀; folds that are side by side need flatter ones. So below a stretch s₀:
 *
 *     r' = r min(1, s / s₀)²        s: the least stretch of the base around
 *
 * and where the base has closed, nothing is left of its wrinkles. */
#include <math.h>

#include "wrinkle/wrinkle_mesh.h"

#define LEAST_ROOM 1e-3f /* so that an infinite radius stays infinite */

ruga_status wrinkle_squeeze_create(ruga_wrinkle_mesh *w) {
    if (!(w->def.squeeze > 0)) return RUGA_OK;
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->full_radii, w->slot_count));
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->rooms, w->base->triangle_count));
    return NEW_ALIGNED_ZEROED(w->context, &w->corner_rooms, w->base->vertex_count);
}

/* The least room around each vertex, then the mean of the corners: neighbouring triangles differ little. */
void wrinkle_squeeze_update(ruga_wrinkle_mesh *w) {
    if (!w->rooms) return;
    const size_t triangles = w->base->triangle_count;
    const uint32_t *corners = w->base->triangles;
    const float most = (float)w->def.squeeze;
    int any = 0;
    for (size_t v = 0; v < w->base->vertex_count; v++) w->corner_rooms[v] = 1;
    for (size_t t = 0; t < triangles; t++) {
        if (!(w->strains[t].least < most * most)) continue;
        const float room = fmaxf(w->strains[t].least / (most * most), LEAST_ROOM);
        any = 1;
        for (size_t k = 0; k < 3; k++) {
            float *corner = &w->corner_rooms[corners[3 * t + k]];
            *corner = fminf(*corner, room);
        }
    }
    for (size_t t = 0; t < triangles; t++) {
        const uint32_t *c = corners + 3 * t;
        w->rooms[t] = any ? (w->corner_rooms[c[0]] + w->corner_rooms[c[1]] + w->corner_rooms[c[2]]) * (1.0f / 3) : 1.0f;
    }
}
