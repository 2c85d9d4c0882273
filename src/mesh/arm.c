/* The arm: a shape by formula, two bones in it, and their bend.
 *
 * It lies along x with the elbow at the origin: the upper arm at x < 0, forearm and fist at x > 0, the inner side of the elbow
 * up, at y > 0. The elbow turns about z. Cross-sections are eggs: half an ellipse up, half an ellipse down, of one width; how
 * thick they are is a B-spline along the arm. All is for a length of ARM_LENGTH and scaled to what is asked for.
 *
 * The skin: the forearm's weight rises smoothly along x around the elbow. A linear blend of the two bones, (1 - w) x + w R x, thins
 * the elbow by up to cos(angle / 2); turning each point by its part w of the angle, which is what dual quaternions (Kavan and others
 * 2008) come to for bones that share the axis of their joint, keeps its distance from that axis. Both are there.
 */
#include <string.h>

#include "math/vec3.h"
#include "mesh/model.h"
#include "mesh/motion.h"

#define TWO_PI 6.283185307179586476925
#define DEGREE 0.01745329251994329577

enum { ARM_MODEL_LENGTH, ARM_RINGS, ARM_SECTORS, ARM_BLEND };
enum { BEND_ANGLE, BEND_PERIOD, BEND_CYCLES, BEND_VOLUME };

/* ---- Shape. */

#define ARM_BEGIN (-0.30) /* m, of the upper arm; the elbow is at 0 */
#define ARM_LENGTH 0.66   /* m */
#define STATION 0.03      /* m, between the rows of the table */
#define ROUND_BEGIN 0.05  /* m, how much of the arm its round ends take */
#define ROUND_END 0.035
#define ELBOW_REACH 0.105 /* m, of the mask "elbow" */

/* mm above, below and beside the axis, from the shoulder to the knuckles. */
static const double thickness[][3] = {
    {50, 50, 47}, {51, 51, 48}, {49, 50, 47}, {46, 50, 45}, {47, 50, 44}, /* -0.30: shoulder */
    {51, 49, 44}, {52, 47, 43}, {48, 44, 41}, {40, 41, 40}, {34, 39, 41}, /* -0.15: biceps */
    {34, 43, 42}, {38, 40, 44}, {43, 37, 46}, {43, 36, 46}, {40, 34, 43}, /* 0: elbow */
    {36, 31, 39}, {31, 28, 35}, {25, 24, 31}, {19, 18, 27}, {26, 22, 33}, /* 0.15: forearm, and at 0.24 the wrist */
    {39, 30, 43}, {41, 34, 46}, {40, 34, 45},                             /* 0.30: fist */
};
enum { STATIONS = sizeof thickness / sizeof thickness[0] };

/* Above, below and beside the axis at x, m: a uniform cubic B-spline, its end rows repeated. */
static void thickness_at(double x, double out[3]) {
    double place = (x - ARM_BEGIN) / STATION, whole = floor(place), t = place - whole, s = 1 - t;
    const double weights[4] = {s * s * s / 6, (4 - 3 * t * t * (2 - t)) / 6, (4 - 3 * s * s * (2 - s)) / 6,
                               t * t * t / 6};
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < 4; k++) {
        int row = (int)fmin(fmax(whole + k - 1, 0), STATIONS - 1);
        for (int side = 0; side < 3; side++) out[side] += 1e-3 * weights[k] * thickness[row][side];
    }
}

/* Along the arm, v from 0 to 1: x, m, and the part of its thickness that the round ends leave. */
static double along(double v, double *part) {
    const double begin = ROUND_BEGIN * TWO_PI / 4, end = ROUND_END * TWO_PI / 4;
    const double middle = ARM_LENGTH - ROUND_BEGIN - ROUND_END, way = v * (begin + middle + end);
    double angle = way < begin ? way / ROUND_BEGIN : fmax((begin + middle + end - way) / ROUND_END, 0);
    *part = way < begin || way > begin + middle ? sin(angle) : 1;
    if (way < begin) return ARM_BEGIN + ROUND_BEGIN * (1 - cos(angle));
    if (way > begin + middle) return ARM_BEGIN + ARM_LENGTH - ROUND_END * (1 - cos(angle));
    return ARM_BEGIN + ROUND_BEGIN + way - begin;
}

/* Around the arm, u from 0 to 1, from the back (-z) over the outer side of the elbow to the inner one. */
static vec3 arm_point(double u, double v) {
    double part, thick[3], x = along(v, &part), angle = TWO_PI * (u - 0.25), up = cos(angle), beside = sin(angle);
    thickness_at(x, thick);
    return vec3_make(x, part * up * thick[up > 0 ? 0 : 1], part * beside * thick[2]);
}

/* From 0 to 1 with continuous curvature, around 0. */
static double rise(double x, double half) {
    double t = fmin(fmax(0.5 + 0.5 * x / half, 0), 1);
    return t * t * t * (10 + t * (6 * t - 15));
}

/* How much a place belongs to the folds of the elbow: all on its inner and outer side, half as much beside these. */
static double elbow_at(vec3 p) {
    double x = fabs(p.x) / ELBOW_REACH, round = p.y * p.y / (p.y * p.y + p.z * p.z);
    return x < 1 ? (1 - rise(2 * x - 1, 1)) * (0.5 + 0.5 * round) : 0;
}

/* ---- The model. */

/* A pole at either end, and rings between them. */
static uint32_t arm_vertex(size_t rings, size_t sectors, size_t i, size_t j) {
    if (j == 0) return 0;
    return (uint32_t)(j == rings ? 1 + (rings - 1) * sectors : 1 + (j - 1) * sectors + i % sectors);
}

static void arm_points(size_t rings, size_t sectors, vec3 *positions) {
    for (size_t j = 0; j <= rings; j++)
        for (size_t i = 0; i < sectors; i++)
            positions[arm_vertex(rings, sectors, i, j)] =
                arm_point((double)i / (double)sectors, (double)j / (double)rings);
}

/* Triangles with their UVs: (sectors + 1) a row, those of the poles in the middle of their sector. */
static void arm_faces(size_t rings, size_t sectors, uint32_t *corners, uint32_t *uv_indices) {
    static const unsigned char cells[2][6][2] = {{{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}},
                                                 {{0, 0}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}}};
    for (size_t j = 0; j < rings; j++)
        for (size_t i = 0; i < sectors; i++) {
            size_t first = j == 0 ? 3 : 0, end = j == 0 || j + 1 == rings ? first + 3 : 6;
            const unsigned char(*cell)[2] = cells[j == 0 ? 0 : j + 1 == rings ? 1 : (i + j) & 1];
            for (size_t k = first; k < end; k++) {
                size_t column = i + cell[k][0], row = j + cell[k][1];
                int pole = row == 0 || row == rings;
                *corners++ = arm_vertex(rings, sectors, column, row);
                *uv_indices++ = (uint32_t)(row * (sectors + 1) + (pole ? i : column));
            }
        }
}

static void arm_uv(size_t rings, size_t sectors, float *uv) {
    for (size_t j = 0; j <= rings; j++)
        for (size_t i = 0; i <= sectors; i++) {
            double middle = j == 0 || j == rings ? 0.5 : 0;
            *uv++ = (float)(((double)i + middle) / (double)sectors);
            *uv++ = (float)((double)j / (double)rings);
        }
}

static ruga_status add_vertex_values(ruga_context *context, const char *name, mesh_parts *parts, float **values) {
    *values = ALLOCATE(context, float, parts->vertex_count);
    if (!*values) return fail_memory(context, parts->vertex_count * sizeof **values);
    return mesh_parts_add(context, parts, name, RUGA_DOMAIN_VERTEX, RUGA_F32, 1, parts->vertex_count, *values, NULL);
}

/* The weight of the forearm, and the mask of the elbow, for positions of ARM_LENGTH. */
static ruga_status add_paint(ruga_context *context, double blend, mesh_parts *parts) {
    float *forearm = NULL, *elbow = NULL;
    TRY(add_vertex_values(context, "forearm", parts, &forearm));
    TRY(add_vertex_values(context, "elbow", parts, &elbow));
    for (size_t i = 0; i < parts->vertex_count; i++) {
        forearm[i] = (float)rise(parts->positions[i].x, 0.5 * blend);
        elbow[i] = (float)elbow_at(parts->positions[i]);
    }
    return RUGA_OK;
}

ruga_status model_arm(ruga_context *context, const double *values, mesh_parts *parts) {
    size_t rings = (size_t)values[ARM_RINGS], sectors = (size_t)values[ARM_SECTORS];
    TRY(model_allocate(context, parts, 2 + (rings - 1) * sectors, 2 * (rings - 1) * sectors));
    size_t uv_count = (sectors + 1) * (rings + 1);
    float *uv = ALLOCATE(context, float, 2 * uv_count);
    uint32_t *indices = ALLOCATE(context, uint32_t, parts->corner_count);
    if (!uv || !indices) {
        memory_release(context, uv);
        memory_release(context, indices);
        return fail_memory(context, parts->corner_count * sizeof *indices);
    }
    arm_points(rings, sectors, parts->positions);
    arm_faces(rings, sectors, parts->face_vertices, indices);
    arm_uv(rings, sectors, uv);
    TRY(model_add_uv(context, parts, uv_count, uv, indices));
    TRY(add_paint(context, values[ARM_BLEND] * ARM_LENGTH, parts));
    double scale = values[ARM_MODEL_LENGTH] / ARM_LENGTH;
    for (size_t i = 0; i < parts->vertex_count; i++) parts->positions[i] = vec3_scale(parts->positions[i], scale);
    return RUGA_OK;
}

/* ---- Its motion. */

typedef struct arm_motion {
    ruga_motion base;
    vec3 *rest;      /* (vertex_count) m */
    double *forearm; /* (vertex_count) weight of that bone; the upper arm has the rest of 1 */
    double angle, period, volume;
} arm_motion;

/* About the elbow, up from x. */
static vec3 turn(vec3 p, double angle) {
    double c = cos(angle), s = sin(angle);
    return vec3_make(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
}

static ruga_status arm_sample(ruga_motion *motion, double time, vec3 *positions) {
    const arm_motion *self = (const arm_motion *)motion;
    double angle = self->angle * 0.5 * (1 - cos(TWO_PI * time / self->period));
    for (size_t i = 0; i < motion->info.vertex_count; i++) {
        vec3 p = self->rest[i], kept = turn(p, self->forearm[i] * angle);
        vec3 linear = vec3_add_scaled(p, vec3_sub(turn(p, angle), p), self->forearm[i]);
        positions[i] = vec3_add_scaled(linear, vec3_sub(kept, linear), self->volume);
    }
    return RUGA_OK;
}

static void arm_destroy(ruga_motion *motion) {
    arm_motion *self = (arm_motion *)motion;
    memory_release(motion->context, self->rest);
    memory_release(motion->context, self->forearm);
    memory_release(motion->context, motion);
}

ruga_status action_bend(ruga_context *context, const double *values, const double *action_values, ruga_motion **out) {
    static const motion_interface interface = {.sample = arm_sample, .destroy = arm_destroy};
    size_t rings = (size_t)values[ARM_RINGS], sectors = (size_t)values[ARM_SECTORS], count = 2 + (rings - 1) * sectors;
    arm_motion *self = ALLOCATE_ZEROED(context, arm_motion, 1);
    if (!self) return fail_memory(context, sizeof *self);
    self->base = (ruga_motion){
        &interface, context, {.vertex_count = count, .end = action_values[BEND_PERIOD] * action_values[BEND_CYCLES]}};
    self->rest = ALLOCATE(context, vec3, count);
    self->forearm = ALLOCATE(context, double, count);
    if (!self->rest || !self->forearm) {
        arm_destroy(&self->base);
        return fail_memory(context, count * sizeof *self->rest);
    }
    arm_points(rings, sectors, self->rest);
    for (size_t i = 0; i < count; i++) {
        self->forearm[i] = rise(self->rest[i].x, 0.5 * values[ARM_BLEND] * ARM_LENGTH);
        self->rest[i] = vec3_scale(self->rest[i], values[ARM_MODEL_LENGTH] / ARM_LENGTH);
    }
    self->angle = action_values[BEND_ANGLE] * DEGREE;
    self->period = action_values[BEND_PERIOD];
    self->volume = action_values[BEND_VOLUME];
    *out = &self->base;
    return RUGA_OK;
}
