/* Hook "collide": candidate points leave the colliders.
 *
 * A point that is nearer than the thickness goes out along the normal of the collider it is deepest in, and again while
 * it is in another: where colliders overlap this walks out of both. What its velocity has into the collider is lost, and
 * Coulomb's law takes at most friction times as much from what it has along it.
 */
#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "body/bodies.h"

#define POINT_BLOCK 1024
#define ROUNDS 16 /* walks out of a point; a gap narrower than twice the thickness has no way out */

typedef struct collide_hook {
    hook base;
    double thickness; /* m */
    size_t contacts;  /* measure */
} collide_hook;

typedef struct collide_task {
    const environment *environment;
    body *b;
    double thickness;
} collide_task;

/* How much further out the point has to go, m, and of which collider; not positive: it is outside of all. */
static double deepest(const collide_task *task, vec3 point, vec3 *normal, double *friction) {
    double depth = 0;
    for (size_t c = 0; c < task->environment->collider_count; c++) {
        const collider *other = &task->environment->colliders[c];
        vec3 outward;
        double d = task->thickness - collider_distance(other, point, &outward);
        if (d > depth) {
            depth = d;
            *normal = outward;
            *friction = other->friction;
        }
    }
    return depth;
}

static vec3 stopped(vec3 velocity, vec3 normal, double friction) {
    double inward = vec3_dot(velocity, normal);
    if (!(inward < 0)) return velocity;
    vec3 along = vec3_add_scaled(velocity, normal, -inward);
    double speed = vec3_length(along), lost = friction * -inward;
    return lost < speed ? vec3_scale(along, 1 - lost / speed) : (vec3){0, 0, 0};
}

/* Returns how many points of the block were in contact. */
static double push_points_out(void *argument, size_t begin, size_t end) {
    const collide_task *task = argument;
    size_t contacts = 0;
    for (size_t i = begin; i < end; i++) {
        vec3 *x = &task->b->candidate_positions[i], *v = &task->b->candidate_velocities[i];
        vec3 normal = {0, 1, 0};
        double friction = 0, depth = deepest(task, *x, &normal, &friction);
        if (!(depth > 0)) continue;
        contacts++;
        for (int round = 0; round < ROUNDS && depth > 0; round++) {
            *x = vec3_add_scaled(*x, normal, depth);
            *v = stopped(*v, normal, friction);
            depth = deepest(task, *x, &normal, &friction);
        }
    }
    return (double)contacts;
}

static ruga_status collide_before_positions(hook *h, body *b, const substep *s) {
    collide_hook *self = (collide_hook *)h;
    if (s->environment->collider_count == 0) return RUGA_OK;
    collide_task task = {s->environment, b, self->thickness};
    h->measures.items[self->contacts].value +=
        parallel_sum(h->context, b->point_count, POINT_BLOCK, push_points_out, &task);
    return RUGA_OK;
}

static void collide_destroy(hook *h) { memory_release(h->context, h); }

ruga_status hook_collide_create(ruga_context *context, double thickness, hook **out) {
    static const hook_interface interface = {.before_positions = collide_before_positions, .destroy = collide_destroy};
    if (!(thickness >= 0) || !isfinite(thickness))
        return fail_with(context, RUGA_ERROR_ARGUMENT, "the thickness is %g m, it must be finite and not negative",
                         thickness);
    collide_hook *self = ALLOCATE_ZEROED(context, collide_hook, 1);
    if (!self) return fail_memory(context, sizeof *self);
    self->base = (hook){.interface = &interface, .context = context, .kind = "collide"};
    self->thickness = thickness;
    self->contacts = measure_add(&self->base.measures, "contacts", "1");
    *out = &self->base;
    return RUGA_OK;
}
