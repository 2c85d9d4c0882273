/* A body that follows a motion.
 *
 *     x(t) = (1 - s) rest + s T m(t'),     s = b² (3 - 2 b)
 *
 * with b the fraction of the pre-roll that is over, T the object's transform and t' the motion's own clock. Its
 * velocity is the displacement from the accepted positions of the substep before over dt, so these positions are its
 * only state.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "body/bodies.h"
#include "body/kind.h"
#include "body/kinematic.h"
#include "linalg/map.h"
#include "math/vec3.h"
#include "model/model.h"
#include "ruga/run.h"

#define POINT_BLOCK 4096

typedef struct animated {
    kinematic kinematic;
    ruga_motion *motion;
    int owns_motion;
    double start, speed; /* of the def */
    int cycle;
    int has_transform;
    body_transform transform;
    ruga_map *from_motion; /* points = W motion's; NULL: point i is the motion's i, as it is until a rebuild */
    vec3 *sampled;         /* (motion's points) m, with from_motion */
} animated;

/* The motion's clock at a time of the scene. */
static double motion_time(const animated *self, double time) {
    ruga_motion_info info = ruga_motion_get_info(self->motion);
    int same_clock = isnan(self->start) && self->speed == 1;
    double begin = isnan(self->start) ? info.start : self->start;
    double t = same_clock ? time : info.start + (time - begin) * self->speed;
    double length = info.end - info.start;
    if (!self->cycle || !(length > 0) || (t >= info.start && t < info.end)) return t;
    double over = fmod(t - info.start, length);
    return info.start + (over < 0 ? over + length : over);
}

static ruga_status sample_motion(animated *self, double time) {
    body *b = &self->kinematic.base;
    if (!self->from_motion) return ruga_motion_sample(self->motion, motion_time(self, time), b->candidate_positions);
    TRY(ruga_motion_sample(self->motion, motion_time(self, time), self->sampled));
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
    const body_transform *transform = task->self->has_transform ? &task->self->transform : NULL;
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
static ruga_status animated_rebuild(body *b, const body_change *change) {
    animated *self = (animated *)b;
    const ruga_map *from_old = change->points_from_old;
    size_t motion_points = ruga_motion_get_info(self->motion).vertex_count;
    vec3 *sampled = NULL;
    TRY(NEW(b->context, &sampled, motion_points));
    ruga_map *from_motion = NULL;
    ruga_status status = self->from_motion ? ruga_map_compose(from_old, self->from_motion, &from_motion)
                                           : map_copy(from_old, &from_motion);
    if (!RUGA_FAILED(status)) status = kinematic_rebuild(b, change);
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
    if (self->owns_motion) ruga_motion_destroy(self->motion);
    ruga_map_destroy(self->from_motion);
    memory_release(b->context, self->sampled);
    kinematic_release(&self->kinematic);
    memory_release(b->context, self);
}

static ruga_status animated_make(const ruga_mesh *mesh, const ruga_animated_def *def, ruga_motion *motion,
                                 animated **out) {
    static const body_interface interface = {.predict = animated_predict,
                                             .surface = kinematic_surface,
                                             .accept = kinematic_accept,
                                             .settle = kinematic_settle,
                                             .rebuild = animated_rebuild,
                                             .destroy = animated_destroy};
    size_t count = ruga_motion_get_info(motion).vertex_count;
    if (count != mesh->vertex_count)
        return fail_input(
            mesh->context,
            "the motion moves %zu points, but the mesh has %zu vertices; give the mesh that the motion was "
            "made for",
            count, mesh->vertex_count);
    if (!isfinite(def->speed) || isinf(def->start))
        return fail_argument(mesh->context, "a motion can't start at %g s with the speed %g", def->start, def->speed);
    animated *self = NULL;
    TRY(NEW_ZEROED(mesh->context, &self, 1));
    RETURN_MADE(kinematic_init(&self->kinematic, &interface, "animated", mesh), self, out,
                memory_release(mesh->context, self));
}

ruga_status body_animated_create(const ruga_mesh *mesh, const ruga_animated_def *def, ruga_motion *motion, int own,
                                 const body_transform *transform, body **out) {
    animated *self = NULL;
    TRY_OR(animated_make(mesh, def, motion, &self), ruga_motion_destroy(own ? motion : NULL));
    self->motion = motion;
    self->owns_motion = own;
    self->start = def->start;
    self->speed = def->speed;
    self->cycle = def->cycle;
    self->has_transform = transform != NULL;
    if (transform) self->transform = *transform;
    *out = &self->kinematic.base;
    return RUGA_OK;
}

/* ---- The kind. */

static const ruga_section *const action_kinds[] = {&action_sections[0], &action_sections[1], &action_sections[2],
                                                   &action_sections[3], NULL};
_Static_assert(RUGA_FIELD_COUNT(action_kinds) == ACTION_COUNT + 1, "every action can be asked for");

static const ruga_field animated_fields[] = {
    {"motion", RUGA_FIELD_PATH, AT(ruga_animated_def, motion), .preset = "null",
     .help = "a point cache (PC2, MDD), a numbered sequence of meshes (walk.####.obj), a glTF file or a run; "
             "if absent, the animation in the mesh's own file"},
    {"unit", RUGA_FIELD_UNIT, AT(ruga_animated_def, unit), .unit = "m", .preset = "null", RANGE(1e-9, 1e9),
     .help = "unit of length of the motion's file; if absent, that of the mesh's file"},
    {"up", RUGA_FIELD_CHOICE, AT(ruga_animated_def, up), .preset = "null", .choices = axis_choices,
     .help = "axis that points up in the motion's file; if absent, that of the mesh's file"},
    {"animation", RUGA_FIELD_TEXT, AT(ruga_animated_def, animation), .preset = "null",
     .help = "which of several animations in a glTF file, by name or number; if absent, the first. For a run, "
             "which object"},
    {"rate", RUGA_FIELD_NUMBER, AT(ruga_animated_def, rate), .unit = "1/s", .preset = "null", RANGE(0.001, 1000000),
     .help = "samples per second of files that do not state it (PC2, sequences); if absent, the scene's fps"},
    {"start", RUGA_FIELD_NUMBER, AT(ruga_animated_def, start), .unit = "s", .preset = "null",
     .help = "time in the scene at which the motion begins; if absent, the motion's own times are those of the "
             "scene"},
    {"speed", RUGA_FIELD_NUMBER, AT(ruga_animated_def, speed), .unit = "1", .preset = "1", RANGE(0, 1000),
     .help = "2 plays the motion twice as fast"},
    {"cycle", RUGA_FIELD_FLAG, AT(ruga_animated_def, cycle), .preset = "false",
     .help = "repeat the motion after its end"},
    {"action", RUGA_FIELD_VARIANT, AT(ruga_animated_def, action), .preset = "null", .sections = action_kinds,
     .help = "action of a mannequin, an arm or a sheet, instead of a motion from a file"},
};

/* Where a motion is written, or else the body. */
static const void *motion_place(const build *b, const ruga_animated_def *def) {
    return b->variant->values && def->motion ? (const void *)&def->motion : b->variant;
}

/* A motion of the object's model by formula. */
static ruga_status make_action(build *b, const ruga_animated_def *def, ruga_motion **out) {
    const ruga_section *action = def->action.section;
    const char *actor = ruga_action_actor((size_t)(action - action_sections));
    const void *shape, *how;
    if (!b->model || strcmp(b->model, actor) != 0)
        return fail_input(b->context, "its action is \"%s\", which only the mesh \"%s\" has", action->name, actor);
    if (def->motion)
        return fail_input(b->context, "it has both a motion from a file and the action \"%s\"; give one", action->name);
    TRY(variant_values(b->memory, &b->object->mesh, &shape));
    TRY(variant_values(b->memory, &def->action, &how));
    return ruga_model_motion(b->context, b->model, shape, action->name, how, out);
}

static ruga_status read_file(const build *b, const ruga_animated_def *def, ruga_motion **out) {
    const char *path = def->motion ? def->motion : b->mesh_path;
    ruga_file_def file = b->file;
    if (!path)
        return fail_input(
            b->context,
            "its body is animated, but nothing moves it: give \"motion\" a cache, a sequence or a glTF file, or a "
            "mannequin, an arm or a sheet an \"action\"");
    if (ruga_path_is_run(path))
        return ruga_run_motion_read(b->context, path, def->motion ? def->animation : file.mesh, b->mesh, out);
    /* Values that neither the motion's file nor the def gives are those of the mesh's file. */
    if (!isnan(def->unit)) file.unit = def->unit;
    if (def->up >= 0) file.up = (ruga_axis)def->up;
    file.animation = def->animation;
    file.rate = isnan(def->rate) ? b->scene->time.fps : def->rate;
    if (b->mesh_file && strcmp(path, b->mesh_path) == 0)
        return ruga_mesh_file_motion(b->mesh_file, b->mesh, &file, out);
    return ruga_motion_read(b->context, path, b->mesh, &file, out);
}

static ruga_status read_motion(build *b, const void *values, ruga_motion **out) {
    const ruga_animated_def *def = values;
    return build_about(b, motion_place(b, def),
                       def->action.section ? make_action(b, def, out) : read_file(b, def, out));
}

static ruga_status make_body(build *b, const void *values, body **out) {
    int own = b->owns_motion;
    b->owns_motion = 0;
    return body_animated_create(b->mesh, values, b->motion, own, b->placement, out);
}

/* A motion that is over before the first frame, or begins after the last, moves nothing. */
static ruga_status check(build *b, const void *values) {
    const ruga_animated_def *def = values;
    const ruga_time_def *time = &b->scene->time;
    if (b->object->given_motion) return RUGA_OK;
    ruga_motion_info info = ruga_motion_get_info(b->motion);
    double start = isnan(def->start) ? info.start : def->start;
    double speed = def->speed > 0 ? def->speed : DBL_MIN, end = start + (info.end - info.start) / speed;
    double first = (time->start_frame - time->preroll) / time->fps;
    double last = (time->start_frame + time->frames) / time->fps;
    if (def->cycle || (end >= first && start <= last) || info.start == info.end) return RUGA_OK;
    return build_found(
        b, motion_place(b, def), RUGA_WARNING_INPUT,
        "nothing moves: the motion runs from %g to %g s, but the scene from %g to %g s; set \"start\" to the time at "
        "which the motion begins",
        start, end, first, last);
}

const kind animated_body_kind = {
    .section = SECTION(
        "animated", ruga_animated_def, animated_fields,
        .help = "Follows a motion that was made elsewhere: as many points as the mesh has vertices, in their order."),
    .role = KIND_BODY,
    .read_motion = read_motion,
    .make_body = make_body,
    .check = check,
};
