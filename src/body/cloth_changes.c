/* Factors of stiffness and mass through keyframes. */
#include "body/cloth_changes.h"

#include <math.h>

static ruga_status check(ruga_context *context, const ruga_cloth_key *changes, size_t k) {
    const ruga_cloth_key *c = &changes[k];
    if (!isfinite(c->time) || (k > 0 && !(c->time > changes[k - 1].time)))
        return fail_with(context, RUGA_ERROR_INPUT,
                         "change %zu of the cloth is at %g s, which is not later than the one before it", k, c->time);
    if (!(c->stiffness > 0 && isfinite(c->stiffness) && c->mass > 0 && isfinite(c->mass)))
        return fail_with(
            context, RUGA_ERROR_INPUT,
            "change %zu of the cloth has the factors %g of stiffness and %g of mass; both must be positive", k,
            c->stiffness, c->mass);
    return RUGA_OK;
}

ruga_status cloth_changes_copy(ruga_context *context, const ruga_cloth_key *changes, size_t count,
                               ruga_cloth_key **out) {
    for (size_t k = 0; k < count; k++) TRY(check(context, changes, k));
    return NEW_COPY(context, out, changes, count);
}

ruga_cloth_key cloth_changes_at(const ruga_cloth_key *changes, size_t count, double time) {
    if (count == 0) return (ruga_cloth_key){time, 1, 1};
    size_t next = 0;
    while (next < count && changes[next].time <= time) next++;
    if (next == 0) return changes[0];
    const ruga_cloth_key *a = &changes[next - 1], *b = next < count ? &changes[next] : a;
    double t = next < count ? (time - a->time) / (b->time - a->time) : 0;
    return (ruga_cloth_key){time, a->stiffness + t * (b->stiffness - a->stiffness), a->mass + t * (b->mass - a->mass)};
}
