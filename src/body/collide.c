/* Hook "collide": candidate points leave the colliders.
 *
 * A point that is nearer than the thickness goes out along the normal of the collider it is deepest in, and again while
 * it is in another. Where that would lead back into the one before, it goes along that one's surface: out of the notch
 * between the two at once, not by ever smaller steps from one to the other. What its velocity has into the collider is
 * lost, and Coulomb's law takes at most friction times as much from what it has along it.
 */
#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "body/bodies.h"

#define POINT_BLOCK 1024
#define NARROW 1e-3 /* squared sine of the angle between two walls, about 2 degrees */
#define ROUNDS 32   /* walks out of a point; a gap narrower than twice the thickness has no way out */

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

/* The collider that a point is deepest in. */
typedef struct deepest {
    double depth; /* m, how much further out the point has to go; 0: it is outside of all */
    vec3 normal;
    const collider *collider;
} deepest;

static deepest find_deepest(const collide_task *task, vec3 point) {
    deepest found = {.depth = 0};
    for (size_t c = 0; c < task->environment->collider_count; c++) {
        const collider *other = &task->environment->colliders[c];
        vec3 normal;
        double depth = task->thickness - collider_distance(other, point, &normal);
        if (depth > found.depth) found = (deepest){depth, normal, other};
    }
    return found;
}

static int face_each_other(vec3 a, vec3 b) {
    double cosine = vec3_dot(a, b);
    return cosine < 0 && 1 - cosine * cosine < NARROW;
}

/* The way out of a collider that goes 1 m along its normal, and not into the one left before. */
static vec3 way_out(vec3 normal, vec3 before) {
    double cosine = vec3_dot(normal, before);
    if (cosine >= 0 || face_each_other(normal, before)) return normal;
    return vec3_scale(vec3_add_scaled(normal, before, -cosine), 1 / (1 - cosine * cosine));
}

static vec3 stopped(vec3 velocity, vec3 normal, vec3 way, double friction) {
    double inward = vec3_dot(velocity, normal);
    if (!(inward < 0)) return velocity;
    vec3 along = vec3_add_scaled(velocity, way, -inward);
    double speed = vec3_length(along), lost = friction * -inward;
    return lost < speed ? vec3_scale(along, 1 - lost / speed) : (vec3){0, 0, 0};
}

/* Where a point goes that is caught between two colliders which face each other: along the normal of one of them, a
 * plane's if there is one, for a plane has no other side to come out at. */
typedef struct escape {
    int sought, from_plane;
    vec3 way;
} escape;

/* The step out of the deepest collider, for 1 m along its normal. 0: there is no way out. */
static int choose_step(const deepest *in, const deepest *before, escape *e, vec3 *step) {
    int plane = in->collider->kind == COLLIDER_PLANE;
    if (!e->sought && before->collider && face_each_other(in->normal, before->normal)) {
        int back = before->collider->kind == COLLIDER_PLANE;
        *e = (escape){1, plane || back, plane ? in->normal : before->normal};
    }
    int against = e->sought && vec3_dot(in->normal, e->way) < 0;
    if (against && plane) {
        if (e->from_plane) return 0;
        *e = (escape){1, 1, in->normal};
    }
    *step = against ? e->way : way_out(in->normal, before->normal);
    if (e->sought && vec3_dot(*step, e->way) < 0) *step = in->normal;
    return 1;
}

/* Walks a point out; 0 when it was outside. */
static int push_out(const collide_task *task, vec3 *x, vec3 *v) {
    deepest before = {.depth = 0}, in = find_deepest(task, *x);
    if (!(in.depth > 0)) return 0;
    escape e = {.sought = 0};
    for (int round = 0; round < ROUNDS && in.depth > 0; round++) {
        vec3 step;
        if (!choose_step(&in, &before, &e, &step)) break;
        *x = vec3_add_scaled(*x, step, in.depth);
        *v = stopped(*v, in.normal, e.sought ? in.normal : step, in.collider->friction);
        before = in;
        in = find_deepest(task, *x);
    }
    return 1;
}

/* Returns how many points of the block were in contact. */
static double push_points_out(void *argument, size_t begin, size_t end) {
    const collide_task *task = argument;
    size_t contacts = 0;
    for (size_t i = begin; i < end; i++)
        contacts += (size_t)push_out(task, &task->b->candidate_positions[i], &task->b->candidate_velocities[i]);
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
