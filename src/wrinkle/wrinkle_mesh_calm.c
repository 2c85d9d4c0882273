/* Calm wrinkles: how fast an offset may change.
 *
 * A wave that takes up a compression ε has the height A = (λ/π) √(ε - ε_c): at the compression ε_c of buckling it grows
 * infinitely fast, and when the compression ends it disappears as fast. On a body that moves slowly this is a pop. So
 * in an update an offset changes by at most
 *
 *     r (1/50 + Δε / 0.1) / calm        Δε = |ΔC| / 2, C = FᵀF of the base triangle
 *
 * The second part follows the base's own deformation: neither the frame rate nor the speed of a body that moves rigidly
 * changes it. The first one lets wrinkles settle after a body has stopped. Solutions are the same as without the limit.
 *
 * An offset ends on the line from its old to its new value. It may stay outside of its ball for some updates where the
 * ball has just shrunk (`squeeze`), and beyond planes, where the caller
 * moves points again. Parameters with keys are intended changes: no limit.
 *
 * A solver of few iterations lags behind the body: while the compression increases waves are too low, while it
 * decreases too high. So before it starts, offsets change as the height does, A ∝ √(ε - ε_c), by parts that leave the
 * least difference of the two paths (wrinkle_mesh_kernels.c, following_offset). Where the compression does not change,
 * neither do they, so solutions stay.
 */
#include <math.h>
#include <string.h>

#include "wrinkle/wrinkle_mesh.h"

#define RATE 0.02f       /* of the radius, per update */
#define FULL_STRAIN 0.1f /* change of strain in which an offset may change by its radius */

static int is_limited(const ruga_wrinkle_mesh *w) { return w->def.calm > 0 && !w->spare.block; }

ruga_status wrinkle_calm_create(ruga_wrinkle_mesh *w) {
    const size_t triangles = w->base->triangle_count;
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->last_strains, triangles));
    wrinkle_calm_reset(w);
    if (!is_limited(w)) return RUGA_OK;
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->rates, triangles));
    return NEW_ALIGNED_ZEROED(w->context, &w->corner_rates, w->base->vertex_count);
}

void wrinkle_calm_reset(ruga_wrinkle_mesh *w) {
    for (size_t t = 0; t < w->base->triangle_count; t++) w->last_strains[t] = (wrinkle_strain){1, 0, 1, 1};
}

static float rate_of(const ruga_wrinkle_mesh *w, size_t triangle) {
    const wrinkle_strain now = w->strains[triangle], last = w->last_strains[triangle];
    const float xx = now.xx - last.xx, xy = now.xy - last.xy, yy = now.yy - last.yy;
    const float change = 0.5f * sqrtf(xx * xx + 2 * (xy * xy) + yy * yy);
    return (RATE + change / FULL_STRAIN) / (float)w->def.calm;
}

/* The greatest rate around each vertex, then the mean of the corners: neighbouring triangles differ little. */
void wrinkle_calm_begin(ruga_wrinkle_mesh *w) {
    if (!w->rates) return;
    memset(w->corner_rates, 0, w->base->vertex_count * sizeof *w->corner_rates);
    for (size_t t = 0; t < w->base->triangle_count; t++) {
        const float rate = rate_of(w, t);
        for (size_t k = 0; k < 3; k++) {
            float *corner = &w->corner_rates[w->base->triangles[3 * t + k]];
            *corner = fmaxf(*corner, rate);
        }
    }
    for (size_t t = 0; t < w->base->triangle_count; t++) {
        const uint32_t *corner = w->base->triangles + 3 * t;
        w->rates[t] =
            (w->corner_rates[corner[0]] + w->corner_rates[corner[1]] + w->corner_rates[corner[2]]) * (1.0f / 3);
    }
}

void wrinkle_calm_end(ruga_wrinkle_mesh *w) {
    memcpy(w->last_strains, w->strains, w->base->triangle_count * sizeof *w->strains);
}

int wrinkle_calm_has_planes(const ruga_wrinkle_mesh *w) {
    return w->rates && (w->def.side != RUGA_WRINKLE_BOTH_SIDES || w->def.normal_only);
}
