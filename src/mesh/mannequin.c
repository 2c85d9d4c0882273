/* The mannequin as a model, and its actions as motions. */
#include "mesh/mannequin.h"

#include <string.h>

#include "math/vec3.h"
#include "mesh/implicit.h"
#include "mesh/motion.h"

#define DEGREE 0.01745329251994329577
#define BODY 1.75 /* m, height of the shape, about */
#define ROUNDS 15 /* of evening out the triangles */

/* ---- The model. values: height, cells, arms. */

/* Puts the lowest vertex on the ground; gives the factor to the height that is asked for. */
static double stand_on_ground(vec3 *positions, size_t count, double height) {
    double low = positions[0].y, high = low;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, positions[i].y);
        high = fmax(high, positions[i].y);
    }
    for (size_t i = 0; i < count; i++) positions[i].y -= low;
    return height / (high - low);
}

/* The body with lifted arms in its own scale, and its skin; parts keep the triangles, and room for positions. */
static ruga_status make_skin(ruga_context *context, const double *values, mesh_parts *parts, mannequin_skin *skin) {
    const implicit_def def = {.function = mannequin_distance,
                              .low = {0, -0.05, -0.2},
                              .high = {0.75, BODY + 0.05, 0.25},
                              .cell = BODY / values[MANNEQUIN_CELLS],
                              .rounds = ROUNDS};
    TRY(implicit_mesh(context, &def, parts));
    double scale = stand_on_ground(parts->positions, parts->vertex_count, values[MANNEQUIN_HEIGHT]);
    vec3 *rest = memory_copy(context, parts->positions, parts->vertex_count, sizeof *rest);
    if (!rest) return fail_memory(context, parts->vertex_count * sizeof *rest);
    return mannequin_skin_make(context, parts->vertex_count, rest, scale, skin);
}

/* UVs as of a box around the body: each triangle is in the island of the side that it faces, at the same scale. */
static void box_uv(const vec3 p[3], double unit, float uv[6]) {
    vec3 n = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
    double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
    int axis = az >= ax && az >= ay ? 2 : ax >= ay ? 0 : 1;
    int back = (axis == 0 ? n.x : axis == 1 ? n.y : n.z) < 0;
    for (int k = 0; k < 3; k++) {
        double u = axis == 0 ? -p[k].z : p[k].x, v = axis == 1 ? -p[k].z : p[k].y - 0.5 * unit;
        if (back && axis == 1)
            v = -v;
        else if (back)
            u = -u;
        uv[2 * k] = (float)((axis + 0.5 + 0.9 * u / unit) / 3);
        uv[2 * k + 1] = (float)((back + 0.5 + 0.9 * v / unit) / 2);
    }
}

static ruga_status add_box_uv(ruga_context *context, mesh_parts *parts, const vec3 *positions, double height) {
    float *uv = ALLOCATE(context, float, 2 * parts->corner_count);
    if (!uv) return fail_memory(context, 2 * parts->corner_count * sizeof *uv);
    for (size_t t = 0; t < parts->face_count; t++) {
        vec3 p[3];
        for (size_t k = 0; k < 3; k++) p[k] = positions[parts->face_vertices[3 * t + k]];
        box_uv(p, height, uv + 6 * t);
    }
    return mesh_parts_add(context, parts, "uv", RUGA_DOMAIN_CORNER, RUGA_F32, 2, parts->corner_count, uv, NULL);
}

ruga_status model_mannequin(ruga_context *context, const double *values, mesh_parts *parts) {
    mannequin_skin skin;
    TRY(make_skin(context, values, parts, &skin));
    ruga_status status = add_box_uv(context, parts, skin.rest, BODY);
    mannequin_pose pose = mannequin_stand(values[MANNEQUIN_ARMS] * DEGREE);
    mannequin_skin_pose(&skin, &pose, parts->positions);
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
    mannequin_motion *self = ALLOCATE_ZEROED(context, mannequin_motion, 1);
    if (!self) return fail_memory(context, sizeof *self);
    mesh_parts parts = {0};
    ruga_status status = make_skin(context, values, &parts, &self->skin);
    mesh_parts_release(context, &parts);
    if (RUGA_FAILED(status)) {
        memory_release(context, self);
        return status;
    }
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
