/* Points against colliders by formula, with Coulomb's friction.
 *
 * Distances to convex bodies are convex functions along a straight path, so Newton's iteration from its start reaches
 * the first touch from before, never past it, and in one step for a plane. A point that touches a collider and does not
 * move inwards never touches it again on the same straight path.
 *
 * Where a point touches several colliders at once, its motion is projected against all of them together: it slides on
 * one, else along the crease of two, else it stays. Projecting against one after the other would throw it up the far
 * side of a valley.
 */
#include "contact/respond.h"

#include "base/threads.h"
#include "math/vec3.h"

#define POINT_BLOCK 1024
#define MAX_TOUCHES 3  /* at once; a fourth stops the point */
#define MAX_IMPACTS 8  /* on one path; the rest of it is then dropped */
#define MAX_NEWTON 32  /* steps to a touch, each of which stays before it; many only where a path nearly misses */
#define MAX_WALKS 32   /* pushes out of colliders that overlap */
#define ROUNDING 1e-12 /* of the coordinates: nearer than that is touching */

typedef struct respond_task {
    const respond_law *law;
    const collider *colliders;
    size_t collider_count;
    const respond_points *points;
} respond_task;

/* A collider that the point touches. */
typedef struct touch {
    const collider *with;
    vec3 normal;
    double t; /* fraction of the path where it was met */
} touch;

typedef struct moving_point {
    vec3 place;
    vec3 path, velocity;        /* the rest of the path, and the velocity, as the touched colliders allow */
    vec3 wish, wished_velocity; /* both without the colliders */
    touch touches[MAX_TOUCHES]; /* now */
    size_t touch_count;
    double rounding; /* m */
    int touched;     /* ever */
} moving_point;

static double gap(const respond_task *task, const collider *c, vec3 place, vec3 *normal) {
    return collider_distance(c, place, normal) - task->law->thickness;
}

/* ---- Coulomb's law for a velocity or a path: the inward part is lost, and friction reduces the rest. */

static vec3 slow_down(const respond_task *task, vec3 along, double lost) {
    double size = vec3_length(along);
    if (size <= task->law->static_ratio * lost) return (vec3){0, 0, 0};
    return vec3_scale(along, 1 - lost / size);
}

static vec3 slide(const respond_task *task, vec3 motion, vec3 normal, double friction) {
    double inward = -vec3_dot(motion, normal);
    if (!(inward > 0)) return motion;
    return slow_down(task, vec3_add_scaled(motion, normal, inward), friction * inward);
}

/* Along the line that both allow: the pushes of both add up to the motion lost across it, and each has its friction. */
static vec3 slide_along_crease(const respond_task *task, vec3 motion, const touch *a, const touch *b) {
    vec3 line = vec3_normalise(vec3_cross(a->normal, b->normal));
    double cosine = vec3_dot(a->normal, b->normal), sine2 = 1 - cosine * cosine;
    double in_a = -vec3_dot(motion, a->normal), in_b = -vec3_dot(motion, b->normal);
    if (!(sine2 > 0)) return (vec3){0, 0, 0};
    double push_a = fmax(in_a - cosine * in_b, 0) / sine2, push_b = fmax(in_b - cosine * in_a, 0) / sine2;
    return slow_down(task, vec3_scale(line, vec3_dot(motion, line)),
                     a->with->friction * push_a + b->with->friction * push_b);
}

static int enters_any(const moving_point *p, vec3 motion) {
    double allowed = -ROUNDING * vec3_length(motion);
    for (size_t i = 0; i < p->touch_count; i++)
        if (vec3_dot(motion, p->touches[i].normal) < allowed) return 1;
    return 0;
}

/* The part of a motion that all touched colliders allow. */
static vec3 hold_back(const respond_task *task, const moving_point *p, vec3 motion) {
    if (!enters_any(p, motion)) return motion;
    for (size_t i = p->touch_count; i-- > 0;) {
        if (!(vec3_dot(motion, p->touches[i].normal) < 0)) continue;
        vec3 held = slide(task, motion, p->touches[i].normal, p->touches[i].with->friction);
        if (!enters_any(p, held)) return held;
    }
    for (size_t i = 0; i < p->touch_count; i++)
        for (size_t j = i + 1; j < p->touch_count; j++) {
            vec3 held = slide_along_crease(task, motion, &p->touches[i], &p->touches[j]);
            if (!enters_any(p, held)) return held;
        }
    return (vec3){0, 0, 0};
}

/* ---- The path. */

/* Pushes the point out of colliders that it is in already, the deepest first. */
static void walk_out(const respond_task *task, moving_point *p, double depth_allowed) {
    for (int round = 0; round < MAX_WALKS; round++) {
        double deepest = depth_allowed, friction = 0;
        vec3 outward = {0, 1, 0};
        for (size_t c = 0; c < task->collider_count; c++) {
            vec3 normal;
            double depth = -gap(task, &task->colliders[c], p->place, &normal);
            if (!(depth > deepest)) continue;
            deepest = depth;
            outward = normal;
            friction = task->colliders[c].friction;
        }
        if (!(deepest > depth_allowed)) return;
        p->touched = 1;
        p->place = vec3_add_scaled(p->place, outward, deepest);
        p->velocity = slide(task, p->velocity, outward, friction);
    }
}

/* Whether the path touches the collider while it approaches it, and where first. */
static int find_touch(const respond_task *task, const moving_point *p, const collider *c, touch *out) {
    double t = 0, least_rate = ROUNDING * vec3_length(p->path);
    for (int step = 1;; step++) {
        vec3 normal;
        double g = gap(task, c, vec3_add_scaled(p->place, p->path, t), &normal), rate = -vec3_dot(normal, p->path);
        if (!(rate > least_rate)) return 0;
        if (g <= p->rounding || step == MAX_NEWTON) {
            *out = (touch){c, normal, t};
            return 1;
        }
        t += g / rate;
        if (!(t < 1)) return 0;
    }
}

static int find_first_touch(const respond_task *task, const moving_point *p, touch *first) {
    int found = 0;
    for (size_t c = 0; c < task->collider_count; c++) {
        touch other;
        if (!find_touch(task, p, &task->colliders[c], &other) || (found && other.t >= first->t)) continue;
        *first = other;
        found = 1;
    }
    return found;
}

/* Drops the colliders that the point has left; its wishes are then its motion. */
static void forget_left(const respond_task *task, moving_point *p, const collider *met) {
    size_t kept = 0;
    for (size_t i = 0; i < p->touch_count; i++) {
        touch *old = &p->touches[i];
        int is_left = gap(task, old->with, p->place, &old->normal) > 2 * p->rounding;
        if (!is_left && old->with != met) p->touches[kept++] = *old;
        if (!is_left) continue;
        p->wish = p->path;
        p->wished_velocity = p->velocity;
    }
    p->touch_count = kept;
}

static void follow_path(const respond_task *task, moving_point *p) {
    touch met = {0};
    for (int impacts = 0; find_first_touch(task, p, &met); impacts++) {
        p->touched = 1;
        p->place = vec3_add_scaled(p->place, p->path, met.t);
        p->path = vec3_scale(p->path, 1 - met.t);
        p->wish = vec3_scale(p->wish, 1 - met.t);
        forget_left(task, p, met.with);
        if (p->touch_count == MAX_TOUCHES || impacts == MAX_IMPACTS) {
            p->path = p->velocity = (vec3){0, 0, 0};
            break;
        }
        p->touches[p->touch_count++] = met;
        p->path = hold_back(task, p, p->wish);
        p->velocity = hold_back(task, p, p->wished_velocity);
    }
    p->place = vec3_add(p->place, p->path);
}

/* ---- Holds. */

/* The collider that a point was pressed against most. */
static const collider *pressed_most(const moving_point *p) {
    const collider *found = NULL;
    double most = 0;
    for (size_t i = 0; i < p->touch_count; i++) {
        double inward = -vec3_dot(p->wished_velocity, p->touches[i].normal);
        if (!(inward > most)) continue;
        most = inward;
        found = p->touches[i].with;
    }
    return found;
}

/* The collider that is nearest, within `reach`. */
static const collider *nearest_within(const respond_task *task, const moving_point *p, double reach) {
    const collider *found = NULL;
    for (size_t c = 0; c < task->collider_count; c++) {
        vec3 normal;
        double g = gap(task, &task->colliders[c], p->place, &normal);
        if (!(g <= reach)) continue;
        reach = g;
        found = &task->colliders[c];
    }
    return found;
}

/* A point that was held and stays in touch is no longer pressed: it is held by the nearest collider. A round or sharp
 * collider recedes from a sliding point by no more than the point moved. */
static contact_hold find_hold(const respond_task *task, const moving_point *p, size_t i) {
    const collider *c = pressed_most(p);
    int was_held = vec3_length2(task->points->holds[i].normal) > 0;
    double reach = vec3_distance(p->place, task->points->accepted[i]) + 2 * p->rounding;
    if (!c && was_held) c = nearest_within(task, p, reach);
    if (!c) return (contact_hold){0};
    contact_hold hold = {.grip = c->friction};
    double away = fmax(gap(task, c, p->place, &hold.normal), 0);
    hold.velocity = vec3_scale(hold.normal, -away / task->points->dt);
    return hold;
}

/* Returns whether it touched. */
static int respond_to_point(const respond_task *task, size_t i) {
    const respond_points *points = task->points;
    vec3 from = points->accepted[i], to = points->candidate[i], velocity = points->velocities[i];
    moving_point p = {.place = from, .path = vec3_sub(to, from), .velocity = velocity};
    vec3 size = vec3_max(vec3_max(from, to), vec3_scale(vec3_min(from, to), -1));
    p.rounding = ROUNDING * fmax(fmax(task->law->thickness, size.x), fmax(size.y, size.z));
    walk_out(task, &p, p.rounding);
    p.wish = p.path;
    p.wished_velocity = p.velocity;
    follow_path(task, &p);
    if (points->holds) points->holds[i] = find_hold(task, &p, i);
    if (!p.touched) return points->holds && vec3_length2(points->holds[i].normal) > 0;
    walk_out(task, &p, 0);
    points->candidate[i] = p.place;
    points->velocities[i] = p.velocity;
    if (points->impulses) {
        vec3 change = vec3_sub(p.velocity, velocity);
        points->impulses[i] = vec3_add(points->impulses[i], vec3_scale(change, 1 / points->inverse_masses[i]));
    }
    return 1;
}

static double respond_to_range(void *argument, size_t begin, size_t end) {
    const respond_task *task = argument;
    const double *inverse_masses = task->points->inverse_masses;
    size_t touched = 0;
    for (size_t i = begin; i < end; i++)
        if (!inverse_masses || inverse_masses[i] > 0) touched += (size_t)respond_to_point(task, i);
    return (double)touched;
}

size_t respond_to_colliders(ruga_context *context, const respond_law *law, const collider *colliders,
                            size_t collider_count, const respond_points *points) {
    if (collider_count == 0) return 0;
    respond_task task = {law, colliders, collider_count, points};
    return (size_t)parallel_sum(context, points->count, POINT_BLOCK, respond_to_range, &task);
}
