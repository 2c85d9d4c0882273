/* The arm: a shape by formula with two bones, and the bending of its elbow.
 *
 * It lies along x with the elbow at the origin: the upper arm at x < 0, forearm and fist at x > 0, the inner side of
 * the elbow up, at y > 0. The elbow rotates about z. Cross-sections are eggs: half an ellipse up, half an ellipse down,
 * of one width; a B-spline along the arm gives their sizes. Everything is for the length ARM_LENGTH and scaled.
 *
 * The skin: the forearm's weight rises smoothly along x around the elbow. A linear blend of the two bones, (1 - w) x +
 * w R x, thins the elbow by up to cos(angle / 2). Rotating each point by w times the angle, which is what dual
 * quaternions (Kavan and others 2008) give for bones that share the axis of their joint, keeps its distance from that
 * axis. Both are available.
 */
#include <string.h>

#include "linalg/map.h"
#include "math/vec3.h"
#include "mesh/motion.h"
#include "model/model.h"

#define TWO_PI 6.283185307179586476925
#define DEGREE 0.01745329251994329577

enum { ARM_MODEL_LENGTH, ARM_RINGS, ARM_SECTORS, ARM_BLEND };
enum { BEND_ANGLE, BEND_PERIOD, BEND_CYCLES, BEND_VOLUME };

/* ---- Shape. */

#define ARM_BEGIN (-0.30) /* m, of the upper arm; the elbow is at 0 */
#define ARM_LENGTH 0.66   /* m */
#define STATION 0.03      /* m, between the rows of the table */
#define ROUND_BEGIN 0.05  /* m, length of the round ends */
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

/* Along the arm, v from 0 to 1: x, m, and in *part the factor of the thickness at the round ends. */
static double along(double v, double *part) {
    const double begin = ROUND_BEGIN * TWO_PI / 4, end = ROUND_END * TWO_PI / 4;
    const double middle = ARM_LENGTH - ROUND_BEGIN - ROUND_END, s = v * (begin + middle + end);
    double angle = s < begin ? s / ROUND_BEGIN : fmax((begin + middle + end - s) / ROUND_END, 0);
    *part = s < begin || s > begin + middle ? sin(angle) : 1;
    if (s < begin) return ARM_BEGIN + ROUND_BEGIN * (1 - cos(angle));
    if (s > begin + middle) return ARM_BEGIN + ARM_LENGTH - ROUND_END * (1 - cos(angle));
    return ARM_BEGIN + ROUND_BEGIN + s - begin;
}

/* Around the arm, u from 0 to 1, from the back (-z) over the outer side of the elbow to the inner one. */
static vec3 arm_point(double u, double v) {
    double part, thick[3], x = along(v, &part), angle = TWO_PI * (u - 0.25), up = cos(angle), beside = sin(angle);
    thickness_at(x, thick);
    return vec3_make(x, part * up * thick[up > 0 ? 0 : 1], part * beside * thick[2]);
}

/* From 0 to 1 around x = 0. */
static double rise(double x, double half) { return model_ease(0.5 + 0.5 * x / half); }

/* The mask of the elbow's folds: 1 on its inner and outer side, half as much beside these. */
static double elbow_at(vec3 p) {
    double x = fabs(p.x) / ELBOW_REACH, round = p.y * p.y / (p.y * p.y + p.z * p.z);
    return x < 1 ? (1 - rise(2 * x - 1, 1)) * (0.5 + 0.5 * round) : 0;
}

/* ---- The model. */

/* A pole at each end, and rings between them. */
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

/* Triangles with their UVs: (sectors + 1) per row, those of the poles in the middle of their sector. */
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
    TRY(NEW(context, values, parts->vertex_count));
    return mesh_parts_add(context, parts, name, RUGA_DOMAIN_VERTEX, RUGA_F32, 1, parts->vertex_count, *values, NULL);
}

static ruga_status add_joints(ruga_context *context, mesh_parts *parts, const float *forearm) {
    static const char *const names[] = {"UpperArm", "ForeArm"};
    map_builder rows;
    ruga_map *weights;
    TRY(map_builder_make(context, parts->vertex_count, 2 * parts->vertex_count, &rows));
    for (size_t i = 0; i < parts->vertex_count; i++) {
        map_builder_put(&rows, 0, 1 - (double)forearm[i]);
        map_builder_put(&rows, 1, (double)forearm[i]);
        map_builder_end_row(&rows);
    }
    TRY(map_builder_finish_rising(&rows, 2, &weights));
    return mesh_parts_set_joints(context, parts, names, 2, weights);
}

ruga_status model_arm(ruga_context *context, const double *values, mesh_parts *parts) {
    size_t rings = (size_t)values[ARM_RINGS], sectors = (size_t)values[ARM_SECTORS];
    TRY(mesh_parts_allocate(context, parts, 2 + (rings - 1) * sectors, 2 * (rings - 1) * sectors));
    size_t uv_count = (sectors + 1) * (rings + 1);
    float *uv, *forearm, *elbow;
    uint32_t *indices;
    TRY(model_new_uv(context, uv_count, parts->corner_count, &uv, &indices));
    arm_points(rings, sectors, parts->positions);
    arm_faces(rings, sectors, parts->face_vertices, indices);
    arm_uv(rings, sectors, uv);
    TRY(model_add_uv(context, parts, uv_count, uv, indices));
    TRY(add_vertex_values(context, "forearm", parts, &forearm));
    TRY(add_vertex_values(context, "elbow", parts, &elbow));
    double scale = values[ARM_MODEL_LENGTH] / ARM_LENGTH, blend = values[ARM_BLEND] * ARM_LENGTH;
    for (size_t i = 0; i < parts->vertex_count; i++) {
        forearm[i] = (float)rise(parts->positions[i].x, 0.5 * blend);
        elbow[i] = (float)elbow_at(parts->positions[i]);
        parts->positions[i] = vec3_scale(parts->positions[i], scale);
    }
    return add_joints(context, parts, forearm);
}

/* ---- Its motion. */

typedef struct arm_motion {
    ruga_motion base;
    vec3 *rest;      /* (vertex_count) m */
    double *forearm; /* (vertex_count) weight of the forearm; the upper arm has the rest */
    double angle, period, volume;
} arm_motion;

/* A rotation about the elbow, from x upwards. */
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
    RELEASE_ALL(motion->context, self->rest, self->forearm, motion);
}

ruga_status action_bend(ruga_context *context, const double *values, const double *action_values, ruga_motion **out) {
    static const motion_interface interface = {.sample = arm_sample, .destroy = arm_destroy};
    size_t rings = (size_t)values[ARM_RINGS], sectors = (size_t)values[ARM_SECTORS], count = 2 + (rings - 1) * sectors;
    arm_motion *self;
    TRY(NEW_ZEROED(context, &self, 1));
    self->base = (ruga_motion){
        &interface, context, {.vertex_count = count, .end = action_values[BEND_PERIOD] * action_values[BEND_CYCLES]}};
    ruga_status status = NEW(context, &self->rest, count);
    if (!RUGA_FAILED(status)) status = NEW(context, &self->forearm, count);
    TRY_OR(status, arm_destroy(&self->base));
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
