/* The mannequin as a model, and its actions as motions. */
#include "model/mannequin.h"

#include <string.h>

#include "math/vec3.h"
#include "mesh/motion.h"
#include "model/implicit.h"

#define DEGREE 0.01745329251994329577
#define BODY 1.75 /* m, height of the shape, about */
#define ROUNDS 15 /* of smoothing */

/* ---- The model. values: height, cells, arms. */

/* The body with raised arms in its own scale, and its skin. */
static ruga_status make_skin(ruga_context *context, const double *values, mesh_parts *parts, mannequin_skin *skin) {
    const implicit_def def = {.function = mannequin_distance,
                              .low = {0, -0.05, -0.2},
                              .high = {0.75, BODY + 0.05, 0.25},
                              .cell = BODY / values[MANNEQUIN_CELLS],
                              .rounds = ROUNDS};
    TRY(implicit_mesh(context, &def, parts));
    double scale = values[MANNEQUIN_HEIGHT] / model_stand(parts->positions, parts->vertex_count).y;
    vec3 *rest;
    TRY(NEW_COPY(context, &rest, parts->positions, parts->vertex_count));
    return mannequin_skin_make(context, parts->vertex_count, rest, scale, skin);
}

ruga_status model_mannequin(ruga_context *context, const double *values, mesh_parts *parts) {
    mannequin_skin skin;
    TRY(make_skin(context, values, parts, &skin));
    ruga_status status = model_add_box_uv(context, parts, skin.rest, BODY, 1);
    mannequin_pose pose = mannequin_stand(values[MANNEQUIN_ARMS] * DEGREE);
    mannequin_skin_pose(&skin, &pose, parts->positions);
    if (!RUGA_FAILED(status)) status = mannequin_add_joints(context, &skin, parts);
    mannequin_skin_release(context, &skin);
    return status;
}

/* ---- Its motions. */

typedef mannequin_pose pose_function(const mannequin_act *act, double time);

typedef struct mannequin_motion {
    ruga_motion base;
    mannequin_skin skin;
    pose_function *pose;
    mannequin_act act;
    double values[ACTION_MAX_FIELDS];
} mannequin_motion;

static ruga_status mannequin_sample(ruga_motion *motion, double time, vec3 *positions) {
    const mannequin_motion *self = (const mannequin_motion *)motion;
    mannequin_pose pose = self->pose(&self->act, time);
    mannequin_skin_pose(&self->skin, &pose, positions);
    return RUGA_OK;
}

static void mannequin_destroy(ruga_motion *motion) {
    mannequin_skin_release(motion->context, &((mannequin_motion *)motion)->skin);
    memory_release(motion->context, motion);
}

typedef double length_function(const mannequin_act *act);

static ruga_status make_motion(ruga_context *context, const double *values, const double *action_values,
                               pose_function *pose, length_function *length, ruga_motion **out) {
    static const motion_interface interface = {.sample = mannequin_sample, .destroy = mannequin_destroy};
    mannequin_motion *self;
    TRY(NEW_ZEROED(context, &self, 1));
    mesh_parts parts = {0};
    ruga_status status = make_skin(context, values, &parts, &self->skin);
    mesh_parts_release(context, &parts);
    TRY_OR(status, memory_release(context, self));
    memcpy(self->values, action_values, sizeof self->values);
    self->act = (mannequin_act){self->values, values[MANNEQUIN_ARMS] * DEGREE, self->skin.scale};
    self->pose = pose;
    self->base =
        (ruga_motion){&interface, context, {.vertex_count = self->skin.vertex_count, .end = length(&self->act)}};
    *out = &self->base;
    return RUGA_OK;
}

ruga_status action_walk(ruga_context *context, const double *values, const double *action_values, ruga_motion **out) {
    return make_motion(context, values, action_values, mannequin_walk, mannequin_walk_length, out);
}

ruga_status action_jump(ruga_context *context, const double *values, const double *action_values, ruga_motion **out) {
    return make_motion(context, values, action_values, mannequin_jump, mannequin_jump_length, out);
}
