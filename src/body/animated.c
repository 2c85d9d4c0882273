/* A body that follows a motion.
 *
 *     x(t) = (1 - s) rest + s T m(t'),     s = b² (3 - 2 b)
 *
 * with b the part of the pre-roll that is over, T the object's transform and t' the motion's own clock. Its velocity is
 * that of the way from the accepted positions of the substep before, so nothing but these is its state.
 */
#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "body/bodies.h"
#include "body/kinematic.h"
#include "linalg/map.h"
#include "math/vec3.h"

#define POINT_BLOCK 4096

typedef struct animated {
    kinematic kinematic;
    body_animated_def def;
    body_transform transform; /* when def.transform is set */
    ruga_map *from_motion;    /* points = W motion's; NULL: point i is the motion's i, as it is until a rebuild */
    vec3 *sampled;            /* (motion's points) m, with from_motion */
} animated;

/* What the motion's clock says at a time of the scene. */
static double motion_time(const animated *self, double time) {
    const body_animated_def *def = &self->def;
    ruga_motion_info info = ruga_motion_get_info(def->motion);
    int same_clock = isnan(def->start) && def->speed == 1;
    double begin = isnan(def->start) ? info.start : def->start;
    double t = same_clock ? time : info.start + (time - begin) * def->speed;
    double length = info.end - info.start;
    if (!def->cycle || !(length > 0) || (t >= info.start && t < info.end)) return t;
    double over = fmod(t - info.start, length);
    return info.start + (over < 0 ? over + length : over);
}

static ruga_status sample_motion(animated *self, double time) {
    body *b = &self->kinematic.base;
    if (!self->from_motion)
        return ruga_motion_sample(self->def.motion, motion_time(self, time), b->candidate_positions);
    TRY(ruga_motion_sample(self->def.motion, motion_time(self, time), self->sampled));
    ruga_map_apply(self->from_motion, self->sampled, b->candidate_positions);
    return RUGA_OK;
}

typedef struct place_task {
    const animated *self;
    double blend, rate;
} place_task;

/* Exactly at rest when the pre-roll begins, whatever the motion does. */
static vec3 blended(vec3 rest, vec3 moved, double blend) { return blend > 0 ? vec3_mix(rest, moved, blend) : rest; }

static void place_points(void *argument, size_t begin, size_t end) {
    const place_task *task = argument;
    const body *b = &task->self->kinematic.base;
    const body_transform *transform = task->self->def.transform;
    for (size_t i = begin; i < end; i++) {
        vec3 x = b->candidate_positions[i];
        if (transform) x = body_transform_apply(transform, x);
        if (task->blend < 1) x = blended(b->mesh->positions[i], x, task->blend);
        b->candidate_positions[i] = x;
        b->candidate_velocities[i] = vec3_scale(vec3_sub(x, b->positions[i]), task->rate);
    }
}

static ruga_status animated_predict(body *b, const substep *s) {
    animated *self = (animated *)b;
    TRY(sample_motion(self, s->time));
    place_task task = {self, kinematic_blend(s->blend), kinematic_rate(s)};
    parallel_for(b->context, b->point_count, POINT_BLOCK, place_points, &task);
    return RUGA_OK;
}

/* The motion still moves the points it always moved; the others are made of these. */
static ruga_status animated_rebuild(body *b, const ruga_mesh *mesh, const ruga_map *from_old) {
    animated *self = (animated *)b;
    size_t motion_points = ruga_motion_get_info(self->def.motion).vertex_count;
    vec3 *sampled = ALLOCATE(b->context, vec3, motion_points);
    if (!sampled) return fail_memory(b->context, motion_points * sizeof *sampled);
    ruga_map *from_motion = NULL;
    ruga_status status = self->from_motion ? ruga_map_compose(from_old, self->from_motion, &from_motion)
                                           : map_copy(from_old, &from_motion);
    if (!RUGA_FAILED(status)) status = kinematic_rebuild(b, mesh, from_old);
    int failed = RUGA_FAILED(status);
    memory_release(b->context, failed ? sampled : self->sampled);
    ruga_map_destroy(failed ? from_motion : self->from_motion);
    if (failed) return status;
    self->sampled = sampled;
    self->from_motion = from_motion;
    return RUGA_OK;
}

static void animated_destroy(body *b) {
    animated *self = (animated *)b;
    if (self->def.own) ruga_motion_destroy(self->def.motion);
    ruga_map_destroy(self->from_motion);
    memory_release(b->context, self->sampled);
    kinematic_release(&self->kinematic);
    memory_release(b->context, self);
}

static ruga_status check_def(const ruga_mesh *mesh, const body_animated_def *def) {
    size_t count = ruga_motion_get_info(def->motion).vertex_count;
    if (count != mesh->vertex_count)
        return fail_with(
            mesh->context, RUGA_ERROR_INPUT,
            "the motion moves %zu points, but the mesh has %zu vertices; give the mesh that the motion was "
            "made for",
            count, mesh->vertex_count);
    if (!isfinite(def->speed) || isinf(def->start))
        return fail_with(mesh->context, RUGA_ERROR_ARGUMENT, "a motion can't start at %g s with the speed %g",
                         def->start, def->speed);
    return RUGA_OK;
}

static ruga_status animated_make(const ruga_mesh *mesh, const body_animated_def *def, body **out) {
    static const body_interface interface = {.predict = animated_predict,
                                             .surface = kinematic_surface,
                                             .accept = kinematic_accept,
                                             .settle = kinematic_settle,
                                             .rebuild = animated_rebuild,
                                             .destroy = animated_destroy};
    TRY(check_def(mesh, def));
    animated *self = ALLOCATE_ZEROED(mesh->context, animated, 1);
    if (!self) return fail_memory(mesh->context, sizeof *self);
    ruga_status status = kinematic_init(&self->kinematic, &interface, "animated", mesh);
    if (RUGA_FAILED(status)) {
        memory_release(mesh->context, self);
        return status;
    }
    self->def = *def;
    if (def->transform) {
        self->transform = *def->transform;
        self->def.transform = &self->transform;
    }
    *out = &self->kinematic.base;
    return RUGA_OK;
}

ruga_status body_animated_create(const ruga_mesh *mesh, const body_animated_def *def, body **out) {
    ruga_status status = animated_make(mesh, def, out);
    if (RUGA_FAILED(status) && def->own) ruga_motion_destroy(def->motion);
    return status;
}
