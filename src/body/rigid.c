/* A body that moves as a whole: through keyframes, and with a part of another body, as a pole in a hand.
 *
 *     x(t) = C(t) (pivot + R(t) (rest - pivot) + move(t))
 *
 * C is the rigid motion that takes the chosen vertices of the other body nearest to where they are (Horn 1987).
 * Displacements are interpolated linearly and turns by spherical interpolation of unit quaternions (Shoemake 1985),
 * through the smaller angle. The pre-roll interpolates from the rest pose likewise, by the blend that all kinematic
 * bodies have. / */
#include <math.h>

#include "base/memory.h"
#include "base/threads.h"
#include "body/bodies.h"
#include "body/kind.h"
#include "body/kinematic.h"
#include "math/quaternion.h"
#include "math/rigid_motion.h"

#define POINT_BLOCK 4096
#define PI 3.14159265358979323846

typedef struct pose {
    vec3 move; /* m */
    quaternion turn;
} pose;

typedef struct timed_pose {
    double time; /* s */
    pose pose;
} timed_pose;

typedef struct rigid {
    kinematic kinematic;
    vec3 pivot;
    size_t key_count;
    timed_pose *keys;
    const body *leader; /* that carries it; NULL: none */
    uint64_t leader_revision;
    size_t carrier_count;
    uint32_t *carriers; /* vertices of the leader */
} rigid;

/* ---- Turns. */

/* Sine and cosine of an angle in degrees; exact at multiples of 90. */
static void sine_cosine(double degrees, double *sine, double *cosine) {
    int quarters;
    double rest = remquo(degrees, 90, &quarters) * (PI / 180);
    double s = sin(rest), c = cos(rest);
    switch ((unsigned)quarters & 3) {
        case 0: *sine = s, *cosine = c; break;
        case 1: *sine = c, *cosine = -s; break;
        case 2: *sine = -s, *cosine = -c; break;
        default: *sine = -c, *cosine = s; break;
    }
}

void body_turn_columns(ruga_vec3 degrees, ruga_vec3 columns[3]) {
    double sx, cx, sy, cy, sz, cz;
    sine_cosine(degrees.x, &sx, &cx);
    sine_cosine(degrees.y, &sy, &cy);
    sine_cosine(degrees.z, &sz, &cz);
    columns[0] = (vec3){cz * cy, sz * cy, -sy};
    columns[1] = (vec3){cz * sy * sx - sz * cx, sz * sy * sx + cz * cx, cy * sx};
    columns[2] = (vec3){cz * sy * cx + sz * sx, sz * sy * cx - cz * sx, cy * cx};
}

/* qz qy qx, with half angles. */
static quaternion turn_quaternion(vec3 degrees) {
    double sx, cx, sy, cy, sz, cz;
    sine_cosine(degrees.x / 2, &sx, &cx);
    sine_cosine(degrees.y / 2, &sy, &cy);
    sine_cosine(degrees.z / 2, &sz, &cz);
    return (quaternion){cz * cy * cx + sz * sy * sx, cz * cy * sx - sz * sy * cx, cz * sy * cx + sz * cy * sx,
                        sz * cy * cx - cz * sy * sx};
}

static quaternion quaternion_slerp(quaternion a, quaternion b, double t) {
    if (quaternion_dot(a, b) < 0) b = quaternion_add(b, -1, b, 0);
    /* The angle from the sum and the difference is right for small angles too (Kahan). */
    double angle =
        2 * atan2(quaternion_length(quaternion_add(a, 1, b, -1)), quaternion_length(quaternion_add(a, 1, b, 1)));
    double sine = sin(angle);
    quaternion mixed = sine > 1e-9 ? quaternion_add(a, sin((1 - t) * angle) / sine, b, sin(t * angle) / sine)
                                   : quaternion_add(a, 1 - t, b, t);
    return quaternion_add(mixed, 1 / quaternion_length(mixed), mixed, 0);
}

/* ---- Poses. */

static pose pose_mix(pose a, pose b, double t) {
    if (t <= 0) return a;
    if (t >= 1) return b;
    return (pose){vec3_mix(a.move, b.move, t), quaternion_slerp(a.turn, b.turn, t)};
}

static pose pose_at(const rigid *self, double time) {
    const timed_pose *keys = self->keys;
    size_t next = 0;
    while (next < self->key_count && keys[next].time <= time) next++;
    if (next == 0) return keys[0].pose;
    if (next == self->key_count) return keys[next - 1].pose;
    const timed_pose *a = &keys[next - 1], *b = &keys[next];
    return pose_mix(a->pose, b->pose, (time - a->time) / (b->time - a->time));
}

/* The transform of a pose about the pivot; without a turn no digit is lost to the pivot. */
static body_transform pose_transform(pose p, vec3 pivot) {
    body_transform transform;
    quaternion_columns(p.turn, transform.columns);
    transform.move = p.move;
    if (p.turn.x == 0 && p.turn.y == 0 && p.turn.z == 0) return transform;
    vec3 turned = body_transform_apply(&transform, vec3_scale(pivot, -1));
    transform.move = vec3_add(pivot, turned);
    return transform;
}

typedef struct place_task {
    const body *b;
    body_transform transform;
    double rate;
} place_task;

static void place_points(void *argument, size_t begin, size_t end) {
    const place_task *task = argument;
    const body *b = task->b;
    for (size_t i = begin; i < end; i++) {
        vec3 x = body_transform_apply(&task->transform, b->mesh->positions[i]);
        b->candidate_positions[i] = x;
        b->candidate_velocities[i] = vec3_scale(vec3_sub(x, b->positions[i]), task->rate);
    }
}

/* The transform, then what the leader's vertices have done since rest. */
static body_transform carried(const rigid *self, const body_transform *own) {
    rigid_motion m;
    rigid_motion_fit(self->carrier_count, self->carriers, self->leader->mesh->positions,
                     self->leader->candidate_positions, &m);
    body_transform both = {.move = rigid_motion_apply(&m, own->move)};
    m.from = m.to = (vec3){0, 0, 0};
    for (int k = 0; k < 3; k++) both.columns[k] = rigid_motion_apply(&m, own->columns[k]);
    return both;
}

static ruga_status rigid_predict(body *b, const substep *s) {
    static const pose at_rest = {{0, 0, 0}, {1, 0, 0, 0}};
    const rigid *self = (const rigid *)b;
    pose present = pose_mix(at_rest, pose_at(self, s->time), kinematic_blend(s->blend));
    place_task task = {b, pose_transform(present, self->pivot), kinematic_rate(s)};
    if (self->leader && self->leader->revision != self->leader_revision)
        return fail_unsupported(b->context, "the object that carries a rigid body became another mesh");
    if (self->leader) task.transform = carried(self, &task.transform);
    parallel_for(b->context, b->point_count, POINT_BLOCK, place_points, &task);
    return RUGA_OK;
}

static void rigid_destroy(body *b) {
    rigid *self = (rigid *)b;
    RELEASE_ALL(b->context, self->keys, self->carriers);
    kinematic_release(&self->kinematic);
    memory_release(b->context, self);
}

static ruga_status check_keys(ruga_context *context, const ruga_rigid_key *keys, size_t count) {
    if (count == 0) return fail_input(context, "a rigid body has no keys; it needs at least one");
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(keys[k].time) || !vec3_is_finite(keys[k].move) || !vec3_is_finite(keys[k].turn))
            return fail_input(context, "key %zu of a rigid body is not finite", k);
        if (k > 0 && !(keys[k].time > keys[k - 1].time))
            return fail_input(context,
                              "key %zu of a rigid body is at %g s, which is not after the one before it at %g s", k,
                              keys[k].time, keys[k - 1].time);
    }
    return RUGA_OK;
}

ruga_status body_rigid_create(const ruga_mesh *mesh, ruga_vec3 pivot, const ruga_rigid_key *keys, size_t key_count,
                              body **out) {
    static const body_interface interface = {.predict = rigid_predict,
                                             .surface = kinematic_surface,
                                             .accept = kinematic_accept,
                                             .settle = kinematic_settle,
                                             .rebuild = kinematic_rebuild,
                                             .destroy = rigid_destroy};
    ruga_context *context = mesh->context;
    TRY(check_keys(context, keys, key_count));
    rigid *self = NULL;
    timed_pose *poses = NULL;
    ruga_status status = NEW_ZEROED(context, &self, 1);
    if (!RUGA_FAILED(status)) status = NEW(context, &poses, key_count);
    if (!RUGA_FAILED(status)) status = kinematic_init(&self->kinematic, &interface, "rigid", mesh);
    TRY_OR(status, RELEASE_ALL(context, self, poses));
    for (size_t k = 0; k < key_count; k++)
        poses[k] = (timed_pose){keys[k].time, {keys[k].move, turn_quaternion(keys[k].turn)}};
    self->pivot = pivot;
    self->key_count = key_count;
    self->keys = poses;
    *out = &self->kinematic.base;
    return RUGA_OK;
}

ruga_status body_rigid_follow(body *rigid_body, const body *leader, const uint32_t *vertices, size_t count) {
    rigid *self = (rigid *)rigid_body;
    ruga_context *context = rigid_body->context;
    if (leader->masses)
        return fail_input(
            context, "a rigid body follows objects that no force moves (static, rigid, animated), but this one is %s",
            leader->kind);
    if (count == 0) return fail_input(context, "\"where\" chooses no vertex of the object that a rigid body follows");
    TRY(NEW_COPY(context, &self->carriers, vertices, count));
    self->carrier_count = count;
    self->leader = leader;
    self->leader_revision = leader->revision;
    return RUGA_OK;
}

/* ---- The kind. */

static const ruga_field rigid_key_fields[] = {
    {"time", RUGA_FIELD_NUMBER, AT(ruga_rigid_key, time), .unit = "s",
     .help = "must be later than that of the key before"},
    {"move", RUGA_FIELD_VECTOR, AT(ruga_rigid_key, move), .unit = "m", .preset = "0,0,0",
     .help = "displacement from the place at rest"},
    {"turn", RUGA_FIELD_VECTOR, AT(ruga_rigid_key, turn), .unit = "degree", .preset = "0,0,0",
     .help = "rotation about x, then y, then z"},
};
static const ruga_section rigid_key_section =
    SECTION("key", ruga_rigid_key, rigid_key_fields, .help = "A displacement and a rotation at a time.");
static const ruga_section *const rigid_key_sections[] = {&rigid_key_section, NULL};

static const ruga_field rigid_fields[] = {
    {"pivot", RUGA_FIELD_VECTOR, AT(ruga_rigid_def, pivot), .unit = "m", .preset = "0,0,0",
     .help = "centre of rotation, a point of the scene; it moves along with the object"},
    {"keys", RUGA_FIELD_LIST, AT(ruga_rigid_def, keys), .sections = rigid_key_sections,
     .help = "keyframes; between two the object moves straight and turns evenly through the smaller angle; "
             "before the first and after the last it is static; relative to \"object\", if there is one"},
    {"object", RUGA_FIELD_NAME, AT(ruga_rigid_def, object), .names = "objects", .preset = "null",
     .help = "static, rigid or animated object that carries this one: a hand its pole, a head its hat; it must precede "
             "this one in the list of objects"},
    {"where", RUGA_FIELD_PARAM, AT(ruga_rigid_def, where), .unit = "1", .preset = "1",
     .help = "the part of that object that carries: its vertices where this is above 0.5, such as {\"select\": "
             "\"joint:RightHand\"}"},
};

_Static_assert(offsetof(ruga_rigid_key, time) == 0, "build_check_keys wants the time first");

/* The vertices of the leader where the parameter is above a half. */
static ruga_status follow_where(const ruga_param *where, const body *leader, body *b) {
    const size_t count = leader->mesh->vertex_count;
    double *values = NULL;
    uint32_t *vertices = NULL;
    size_t chosen = 0;
    ruga_status status = NEW(b->context, &values, count);
    if (!RUGA_FAILED(status)) status = NEW(b->context, &vertices, count);
    if (!RUGA_FAILED(status)) status = ruga_param_evaluate(where, "where", leader->mesh, 0, values);
    for (size_t i = 0; i < count && !RUGA_FAILED(status); i++)
        if (values[i] > 0.5) vertices[chosen++] = (uint32_t)i;
    if (!RUGA_FAILED(status)) status = body_rigid_follow(b, leader, vertices, chosen);
    RELEASE_ALL(b->context, values, vertices);
    return status;
}

static ruga_status make_body(build *b, const void *values, body **out) {
    ruga_rigid_key still = {.time = 0};
    const ruga_rigid_def *def = values;
    const ruga_list keys = def->object && !def->keys.count ? (ruga_list){&still, 1} : def->keys;
    const body *leader = NULL;
    ruga_param where;
    TRY(build_check_keys(b, &keys, sizeof(ruga_rigid_key)));
    if (def->object) TRY(build_about(b, &def->object, build_find_body(b, def->object, &leader)));
    if (leader) TRY(build_param(b, &def->where, leader->mesh, &where));
    if (b->errors) return RUGA_OK;
    TRY(body_rigid_create(b->mesh, def->pivot, keys.items, keys.count, out));
    if (!leader) return RUGA_OK;
    const ruga_status status = follow_where(&where, leader, *out);
    if (!RUGA_FAILED(status)) return RUGA_OK;
    (*out)->interface->destroy(*out);
    *out = NULL;
    return build_about(b, &def->object, status);
}

const kind rigid_body_kind = {
    .section = SECTION("rigid", ruga_rigid_def, rigid_fields, .help = "Moves as a whole, through keyframes."),
    .role = KIND_BODY,
    .make_body = make_body,
};
