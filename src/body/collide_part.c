/* Part "collide": candidate points leave the colliders.
 *
 * A point that is nearer than the thickness goes out along the normal of the collider it is deepest in, and again while
 * it is in another. Where that would lead back into the one before, it goes along that one's surface: out of the notch
 * between the two at once, not by ever smaller steps from one to the other. Its velocity loses the component into the
 * collider, and Coulomb's law takes at most friction times as much from what it has along it.
 */
#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "body/bodies.h"
#include "body/kind.h"

#define POINT_BLOCK 1024
#define NARROW 1e-3 /* squared sine of the angle between two walls, about 2 degrees */
#define NEWTON 20   /* rounds of it; it takes four or five */
#define ROUNDS 32   /* walks out of a point; a gap narrower than twice the thickness has no exit */

typedef struct collide_part {
    part base;
    double thickness; /* m */
    size_t contacts;  /* measure */
} collide_part;

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

static int is_round(const deepest *in) {
    return in->collider->kind == COLLIDER_SPHERE || in->collider->kind == COLLIDER_CAPSULE;
}

/* The displacement out of a collider that has 1 m along its normal, and does not lead into the one left before. Flat
 * colliders are not left along round ones, which bend away from there; the next step leaves the round one along the
 * flat. */
static vec3 exit_direction(const deepest *in, const deepest *before) {
    double cosine = vec3_dot(in->normal, before->normal);
    if (cosine >= 0 || face_each_other(in->normal, before->normal)) return in->normal;
    if (is_round(before) && !is_round(in)) return in->normal;
    return vec3_scale(vec3_add_scaled(in->normal, before->normal, -cosine), 1 / (1 - cosine * cosine));
}

static vec3 stopped(vec3 velocity, vec3 normal, vec3 direction, double friction) {
    double inward = vec3_dot(velocity, normal);
    if (!(inward < 0)) return velocity;
    vec3 along = vec3_add_scaled(velocity, direction, -inward);
    double speed = vec3_length(along), lost = friction * -inward;
    return lost < speed ? vec3_scale(along, 1 - lost / speed) : (vec3){0, 0, 0};
}

/* Where a point goes that is caught between two colliders which face each other: along the normal of one of them, a
 * plane's if there is one, for a plane has no other side to come out at. */
typedef struct escape {
    int sought, from_plane;
    vec3 direction;
} escape;

/* The step out of the deepest collider, for 1 m along its normal. 0: there is no exit. */
static int choose_step(const deepest *in, const deepest *before, escape *e, vec3 *step) {
    int plane = in->collider->kind == COLLIDER_PLANE;
    if (!e->sought && before->collider && face_each_other(in->normal, before->normal)) {
        int back = before->collider->kind == COLLIDER_PLANE;
        *e = (escape){1, plane || back, plane ? in->normal : before->normal};
    }
    int against = e->sought && vec3_dot(in->normal, e->direction) < 0;
    if (against && plane) {
        if (e->from_plane) return 0;
        *e = (escape){1, 1, in->normal};
    }
    *step = against ? e->direction : exit_direction(in, before);
    if (e->sought && vec3_dot(*step, e->direction) < 0) *step = in->normal;
    return 1;
}

/* How far a step goes out of a collider: as far as out of a plane there, or less, where it is round. Newton's method
 * from outside: along a line, the distance from what is convex is convex. */
static double step_length(const collide_task *task, const deepest *in, vec3 from, vec3 step) {
    double length = in->depth;
    const int straight = vec3_dot(step, step) < 1 + 1e-9;
    for (int i = 0; i < NEWTON && !straight; i++) {
        vec3 normal;
        double over = collider_distance(in->collider, vec3_add_scaled(from, step, length), &normal) - task->thickness;
        double slope = vec3_dot(normal, step);
        if (!(over > 1e-9 * in->depth) || !(slope > 0)) break;
        length -= over / slope;
    }
    return length;
}

/* Walks a point out; 0 when it was outside. */
static int push_out(const collide_task *task, vec3 *x, vec3 *v) {
    deepest before = {.depth = 0}, in = find_deepest(task, *x);
    if (!(in.depth > 0)) return 0;
    escape e = {.sought = 0};
    for (int round = 0; round < ROUNDS && in.depth > 0; round++) {
        vec3 step;
        if (!choose_step(&in, &before, &e, &step)) break;
        *x = vec3_add_scaled(*x, step, step_length(task, &in, *x, step));
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

static ruga_status collide_before_contact(part *p, body *b, const substep *s) {
    collide_part *self = (collide_part *)p;
    if (s->environment->collider_count == 0) return RUGA_OK;
    collide_task task = {s->environment, b, self->thickness};
    p->measures.items[self->contacts].value +=
        parallel_sum(p->context, b->point_count, POINT_BLOCK, push_points_out, &task);
    return RUGA_OK;
}

static void collide_destroy(part *p) { memory_release(p->context, p); }

ruga_status collide_part_create(ruga_context *context, double thickness, part **out) {
    static const part_interface interface = {.before_contact = collide_before_contact, .destroy = collide_destroy};
    if (!(thickness >= 0) || !isfinite(thickness))
        return fail_argument(context, "the thickness is %g m, it must be finite and not negative", thickness);
    collide_part *self;
    TRY(NEW_ZEROED(context, &self, 1));
    self->base = (part){.interface = &interface,
                        .context = context,
                        .kind = "collide",
                        .instead = "use contact to keep it outside of colliders",
                        .moves_points_singly = 1};
    self->thickness = thickness;
    self->contacts = measure_add(&self->base.measures, "contacts", "1");
    *out = &self->base;
    return RUGA_OK;
}

/* ---- The kind. */

static const ruga_field collide_fields[] = {
    {"thickness", RUGA_FIELD_NUMBER, AT(ruga_collide_def, thickness), .unit = "m", .preset = "0.001", RANGE(0, 1000),
     .help = "distance that the points keep from every collider"},
};

static ruga_status make_part(build *b, const void *values, part **out) {
    return collide_part_create(b->context, ((const ruga_collide_def *)values)->thickness, out);
}

const kind collide_part_kind = {
    .section =
        SECTION("collide", ruga_collide_def, collide_fields, .help = "Keeps the body's points outside the colliders."),
    .role = KIND_INSIDE,
    .flags = KIND_FEELS_COLLIDERS,
    .make_part = make_part,
};
