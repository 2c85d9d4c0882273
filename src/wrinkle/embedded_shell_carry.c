/* The start of a frame: the skin of the last one, turned with its carrier, without being compressed with it.
 *
 * Deep in post-buckling a skin is softer than its material by far: it folds instead of being compressed. Moving it with
 * its carrier compresses it, often by many times what it takes to buckle, and Newton's method then takes long to undo
 * that. Instead, every triangle of the skin keeps its shape and is turned as the triangle of the carrier is: with
 * rotations R of the carrier's triangles, the start is the least square fit of all edges (a Poisson problem, as of
 * Sorkine and Alexa 2007),
 *
 *     min Σ over triangles and their edges   ½ cot |(x_i - x_j) - R (x_i - x_j) of the last frame|²   +   w A |x - a|²
 *
 * where a weak spring to places a fixes the translation of every piece, which edges leave open. The clusters then move
 * to where the carrier wants them, by a linear response of the skin as it is.
 *
 * The same fit interpolates carriers between two frames, by a part of their rotations and of their stretches. */
#include <math.h>

#include "base/threads.h"
#include "linalg/ldl.h"
#include "math/quaternion.h"
#include "mesh/mesh.h"
#include "wrinkle/embedded_shell.h"

#define ANCHOR 1e-3 /* w, over 1 / size² */
#define TRIANGLE_BLOCK 1024

struct shell_carry {
    ruga_context *context;
    uint32_t *offsets, *columns; /* of vertices along edges */
    double *values, *diagonal;   /* of the matrix */
    double *cotangents;          /* (triangles x 3) halves, of the angle opposite to each edge */
    double *anchors;             /* (count) w A */
    ldl *factor;
    vec3 *edges;       /* (triangles x 3) wanted: from corner k + 1 to corner k + 2 */
    quaternion *turns; /* (triangles) */
};

/* ---- Making. */

static void measure_cotangents(const ruga_mesh *mesh, double *out) {
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            const uint32_t *c = mesh->triangles + 3 * t;
            const vec3 at = mesh->positions[c[k]], a = vec3_sub(mesh->positions[c[(k + 1) % 3]], at),
                       b = vec3_sub(mesh->positions[c[(k + 2) % 3]], at);
            out[3 * t + k] = vec3_dot(a, b) / (2 * vec3_length(vec3_cross(a, b)));
        }
}

static uint32_t entry_of(const shell_carry *s, uint32_t row, uint32_t column) {
    uint32_t e = s->offsets[row];
    while (s->columns[e] != column) e++;
    return e;
}

static void fill_matrix(const ruga_embedded_shell *shell, shell_carry *s) {
    const ruga_mesh *mesh = shell->mesh;
    memcpy(s->diagonal, s->anchors, shell->count * sizeof *s->diagonal);
    for (size_t e = 0; e < s->offsets[shell->count]; e++) s->values[e] = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            const uint32_t i = mesh->triangles[3 * t + (k + 1) % 3], j = mesh->triangles[3 * t + (k + 2) % 3];
            const double w = s->cotangents[3 * t + k];
            s->diagonal[i] += w;
            s->diagonal[j] += w;
            s->values[entry_of(s, i, j)] -= w;
            s->values[entry_of(s, j, i)] -= w;
        }
}

static ruga_status make(ruga_embedded_shell *shell, shell_carry *s) {
    ruga_context *context = shell->context;
    const topology *topo = shell->topo;
    const size_t edges = topo->ring_offsets[shell->count];
    TRY(NEW(context, &s->offsets, shell->count + 1));
    TRY(NEW_EACH(context, edges, &s->columns, &s->values));
    TRY(NEW_EACH(context, shell->count, &s->diagonal, &s->anchors));
    TRY(NEW_EACH(context, 3 * shell->mesh->triangle_count, &s->cotangents, &s->edges));
    TRY(NEW(context, &s->turns, shell->mesh->triangle_count));
    memcpy(s->offsets, topo->ring_offsets, (shell->count + 1) * sizeof *s->offsets);
    memcpy(s->columns, topo->ring_vertices, edges * sizeof *s->columns);
    const double least = ANCHOR / (shell->size * shell->size);
    for (size_t i = 0; i < shell->count; i++)
        s->anchors[i] = least * fmax(shell->areas[i], 1e-6 * shell->mean_edge * shell->mean_edge);
    measure_cotangents(shell->mesh, s->cotangents);
    fill_matrix(shell, s);
    TRY(ldl_create(context, shell->count, s->offsets, s->columns, &s->factor));
    const ruga_status status = ldl_factor(s->factor, s->values, s->diagonal);
    return status == RUGA_ERROR_INPUT ? shell_fail_at_sliver(shell) : status;
}

ruga_status shell_carry_create(ruga_embedded_shell *shell, shell_carry **out) {
    shell_carry *s;
    TRY(NEW_ZEROED(shell->context, &s, 1));
    s->context = shell->context;
    RETURN_MADE(make(shell, s), s, out, shell_carry_destroy(s));
}

void shell_carry_destroy(shell_carry *s) {
    if (!s) return;
    ldl_destroy(s->factor);
    RELEASE_ALL(s->context, s->offsets, s->columns, s->values, s->diagonal, s->cotangents, s->anchors, s->edges,
                s->turns, s);
}

/* ---- Rotations. */

/* A frame of a triangle: along its first edge, across, and its normal; and its two edges in the first two. */
typedef struct triangle_frame {
    vec3 x, y, z;
    double a, b, c; /* the edges are (a, 0) and (b, c) */
} triangle_frame;

static triangle_frame frame_of(const uint32_t *c, const vec3 *p) {
    const vec3 u = vec3_sub(p[c[1]], p[c[0]]), v = vec3_sub(p[c[2]], p[c[0]]);
    triangle_frame f = {.x = vec3_normalise(u), .z = vec3_normalise(vec3_cross(u, v))};
    f.y = vec3_cross(f.z, f.x);
    f.a = vec3_length(u);
    f.b = vec3_dot(v, f.x);
    f.c = vec3_dot(v, f.y);
    return f;
}

/* From one place of a triangle to another, without the stretch: the polar rotation in its plane, and that of the plane.
 */
static quaternion turn_of(const uint32_t *c, const vec3 *from, const vec3 *to) {
    const triangle_frame f = frame_of(c, from), t = frame_of(c, to);
    /* The map of the edges in the frames: (a, 0) to (a', 0) and (b, c) to (b', c'). */
    const double xx = t.a / f.a, xy = (t.b - xx * f.b) / f.c, yy = t.c / f.c, angle = atan2(-xy, xx + yy);
    const double cosine = cos(angle), sine = sin(angle);
    const vec3 start[3] = {f.x, f.y, f.z};
    const vec3 end[3] = {vec3_add_scaled(vec3_scale(t.x, cosine), t.y, sine),
                         vec3_add_scaled(vec3_scale(t.y, cosine), t.x, -sine), t.z};
    return quaternion_between(start, end);
}

/* A part of a turn. */
static quaternion turn_partly(quaternion q, double part) {
    const double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), half = atan2(sine, fabs(q.w)) * part;
    if (!(sine > 0)) return (quaternion){1, 0, 0, 0};
    const double scale = (q.w < 0 ? -1 : 1) * sin(half) / sine;
    return (quaternion){cos(half), scale * q.x, scale * q.y, scale * q.z};
}

static quaternion turn_back(quaternion q) { return (quaternion){q.w, -q.x, -q.y, -q.z}; }

/* ---- Edges. */

typedef struct carry_task {
    const ruga_mesh *mesh;
    shell_carry *s;
    const vec3 *from, *to; /* the carrier */
    const vec3 *x;
    double part;
} carry_task;

/* A triangle without area has no frame: its edges stay as they are. */
static int has_frame(quaternion q) { return isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z); }

static void turn_edges(void *argument, size_t begin, size_t end) {
    const carry_task *task = argument;
    for (size_t t = begin; t < end; t++) {
        const uint32_t *c = task->mesh->triangles + 3 * t;
        quaternion q = turn_of(c, task->from, task->to);
        if (!has_frame(q)) q = (quaternion){1, 0, 0, 0};
        for (size_t k = 0; k < 3; k++)
            task->s->edges[3 * t + k] = quaternion_turn(q, vec3_sub(task->x[c[(k + 2) % 3]], task->x[c[(k + 1) % 3]]));
    }
}

static void interpolate_edges(void *argument, size_t begin, size_t end) {
    const carry_task *task = argument;
    for (size_t t = begin; t < end; t++) {
        const uint32_t *c = task->mesh->triangles + 3 * t;
        quaternion q = turn_of(c, task->from, task->to);
        if (!has_frame(q)) q = (quaternion){1, 0, 0, 0};
        const quaternion back = turn_back(q), some = turn_partly(q, task->part);
        for (size_t k = 0; k < 3; k++) {
            const uint32_t i = c[(k + 1) % 3], j = c[(k + 2) % 3];
            const vec3 old = vec3_sub(task->from[j], task->from[i]), new = vec3_sub(task->to[j], task->to[i]);
            const vec3 stretched =
                vec3_add_scaled(vec3_scale(old, 1 - task->part), quaternion_turn(back, new), task->part);
            task->s->edges[3 * t + k] = quaternion_turn(some, stretched);
        }
    }
}

/* A displacement d turns a triangle by ω and strains it in its plane by s, to first order. Its edges become those of
 * the finite rotation: exp(ω) (e + s e), where e + d would also stretch it by ½ ω². */
static void warp_edges(void *argument, size_t begin, size_t end) {
    const carry_task *task = argument;
    for (size_t t = begin; t < end; t++) {
        const uint32_t *c = task->mesh->triangles + 3 * t;
        const triangle_frame f = frame_of(c, task->x);
        const vec3 d1 = vec3_scale(vec3_sub(task->from[c[1]], task->from[c[0]]), task->part),
                   d2 = vec3_scale(vec3_sub(task->from[c[2]], task->from[c[0]]), task->part);
        /* The derivatives along x and y of the frame. */
        const vec3 dx = vec3_scale(d1, 1 / f.a), dy = vec3_scale(vec3_add_scaled(d2, dx, -f.b), 1 / f.c);
        const double xy = vec3_dot(dx, f.y), yx = vec3_dot(dy, f.x);
        const double spin = (xy - yx) / 2, shear = (xy + yx) / 2, xx = vec3_dot(dx, f.x), yy = vec3_dot(dy, f.y);
        vec3 turn = vec3_scale(f.z, spin);
        turn = vec3_add_scaled(turn, f.x, vec3_dot(dy, f.z));
        turn = vec3_add_scaled(turn, f.y, -vec3_dot(dx, f.z));
        const double angle = vec3_length(turn);
        quaternion q = angle > 0 ? quaternion_about(vec3_scale(turn, 1 / angle), angle) : (quaternion){1, 0, 0, 0};
        vec3 corner[3] = {{0, 0, 0}};
        const double flat[3][2] = {{0, 0}, {f.a, 0}, {f.b, f.c}};
        for (size_t k = 1; k < 3; k++) {
            const double u = flat[k][0] * (1 + xx) + flat[k][1] * shear, v = flat[k][0] * shear + flat[k][1] * (1 + yy);
            corner[k] = quaternion_turn(q, vec3_add_scaled(vec3_scale(f.x, u), f.y, v));
        }
        if (!has_frame(q) || !vec3_is_finite(corner[1]) || !vec3_is_finite(corner[2]))
            for (size_t k = 0; k < 3; k++) corner[k] = vec3_add_scaled(task->x[c[k]], task->from[c[k]], task->part);
        for (size_t k = 0; k < 3; k++) task->s->edges[3 * t + k] = vec3_sub(corner[(k + 2) % 3], corner[(k + 1) % 3]);
    }
}

/* ---- The fit. out holds the anchors. */
static void fit(const ruga_embedded_shell *shell, shell_carry *s, vec3 *out) {
    const ruga_mesh *mesh = shell->mesh;
    for (size_t i = 0; i < shell->count; i++) out[i] = vec3_scale(out[i], s->anchors[i]);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (size_t k = 0; k < 3; k++) {
            const uint32_t i = mesh->triangles[3 * t + (k + 1) % 3], j = mesh->triangles[3 * t + (k + 2) % 3];
            const double w = s->cotangents[3 * t + k];
            out[i] = vec3_add_scaled(out[i], s->edges[3 * t + k], -w);
            out[j] = vec3_add_scaled(out[j], s->edges[3 * t + k], w);
        }
    ldl_solve(s->factor, out);
}

void shell_carry_skin(const ruga_embedded_shell *shell, shell_carry *s, const vec3 *from, const vec3 *to, const vec3 *x,
                      vec3 *out) {
    carry_task task = {shell->mesh, s, from, to, x, 1};
    parallel_for(s->context, shell->mesh->triangle_count, TRIANGLE_BLOCK, turn_edges, &task);
    for (size_t i = 0; i < shell->count; i++) out[i] = vec3_add(x[i], vec3_sub(to[i], from[i]));
    fit(shell, s, out);
}

void shell_carry_between(const ruga_embedded_shell *shell, shell_carry *s, const vec3 *from, const vec3 *to,
                         double part, vec3 *out) {
    carry_task task = {shell->mesh, s, from, to, NULL, part};
    parallel_for(s->context, shell->mesh->triangle_count, TRIANGLE_BLOCK, interpolate_edges, &task);
    for (size_t i = 0; i < shell->count; i++) out[i] = vec3_add_scaled(vec3_scale(from[i], 1 - part), to[i], part);
    fit(shell, s, out);
}

void shell_carry_step(const ruga_embedded_shell *shell, shell_carry *s, const vec3 *x, const vec3 *step, double part,
                      vec3 *out) {
    carry_task task = {shell->mesh, s, step, NULL, x, part};
    parallel_for(s->context, shell->mesh->triangle_count, TRIANGLE_BLOCK, warp_edges, &task);
    for (size_t i = 0; i < shell->count; i++) out[i] = vec3_add_scaled(x[i], step[i], part);
    fit(shell, s, out);
}
