/* Attachments: the triangle and weights of each point are found once; each frame runs the kernels over blocks. */
#include "geom/attachment.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "geom/attachment_hard.h"
#include "geom/attachment_kernels.h"
#include "geom/attachment_parts.h"
#include "geom/seams.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#define BLOCK 1024       /* points, vertices or triangles per task; even */
#define LEAST_AREA 1e-12 /* twice the area over the longest edge squared */

/* A smooth vertex that coincides with a lower one across a seam. */
typedef struct seam_vertex {
    uint32_t vertex, lowest;
} seam_vertex;

struct attachment {
    ruga_context *context;
    attachment_kind kind;
    int in_tets;
    size_t vertex_count, triangle_count;
    uint32_t *triangles; /* (triangle_count x 3) */
    float *rest_frames;  /* (triangle_count x 9) */
    hard_edges smooth;   /* the base split along its hard edges */
    hard_patches *hard;  /* NULL: no hard edges, or the surface has no use for them */
    flat_points flat;    /* points that are partly on the flat triangles */
    size_t seam_count;
    seam_vertex *seams; /* rising */
    bound_points points;
    sparse_rows rows; /* Loop and tets */
    packed_rows packed;
    /* Scratch of attachment_apply. */
    float *unit_normals; /* (smooth vertices x 4) */
    float *bulges;       /* (triangle_count x 8) of PN; else normals of triangles, (triangle_count x 4) */
};

static int has_rows(const attachment *a) { return a->in_tets || a->kind == ATTACH_LOOP; }

/* ---- The base. */

int attachment_has_area(const ruga_mesh *base, size_t triangle) {
    const uint32_t *v = base->triangles + 3 * triangle;
    double longest = 0;
    for (size_t k = 0; k < 3; k++)
        longest = fmax(longest, vec3_length2(vec3_sub(base->positions[v[(k + 1) % 3]], base->positions[v[k]])));
    return 2 * mesh_triangle_area(base, triangle) > LEAST_AREA * longest;
}

static ruga_status check_base(const ruga_mesh *base) {
    if (base->triangle_count == 0) return fail_input(base->context, "the base has no triangles to attach points to");
    for (size_t t = 0; t < base->triangle_count; t++) {
        const uint32_t *v = base->triangles + 3 * t;
        if (!attachment_has_area(base, t))
            return fail_input(
                base->context,
                "face %zu of the base, with vertices %u, %u and %u, has no area: remove it from the base, "
                "or move its vertices apart",
                mesh_triangle_face(base, t), v[0], v[1], v[2]);
    }
    return RUGA_OK;
}

/* In double, because a small area may vanish in float. */
static void fill_rest_frames(const ruga_mesh *base, float *frames) {
    for (size_t t = 0; t < base->triangle_count; t++) {
        const uint32_t *v = base->triangles + 3 * t;
        vec3 x = base->positions[v[0]], edge = vec3_sub(base->positions[v[1]], x);
        vec3 normal = vec3_normalise(vec3_cross(edge, vec3_sub(base->positions[v[2]], x)));
        vec3 along = vec3_normalise(edge), columns[3] = {along, vec3_cross(normal, along), normal};
        for (size_t k = 0; k < 3; k++) {
            frames[9 * t + 3 * k] = (float)columns[k].x;
            frames[9 * t + 3 * k + 1] = (float)columns[k].y;
            frames[9 * t + 3 * k + 2] = (float)columns[k].z;
        }
    }
}

/* ---- Making. */

/* The limit surface of the base with its seams closed and its hard edges as boundaries, whose rules are those of
 * creases (Hoppe et al. 1994). lowest: of the vertices at the same place across seams. */
static ruga_status make_loop_rows(const uint32_t *lowest, attachment *a) {
    const hard_edges *smooth = &a->smooth;
    uint32_t *welded;
    uint8_t *fixed = NULL;
    TRY(NEW(a->context, &welded, 3 * a->triangle_count));
    for (size_t c = 0; c < 3 * a->triangle_count; c++) welded[c] = smooth->lowest[smooth->triangles[c]];
    ruga_status status = NEW(a->context, &fixed, smooth->split_count);
    for (size_t v = 0; !RUGA_FAILED(status) && v < smooth->split_count; v++)
        fixed[v] = smooth->corners[lowest[smooth->origin[v]]];
    if (!RUGA_FAILED(status))
        status =
            rows_on_loop_limit(a->context, smooth->split_count, a->triangle_count, welded, fixed, &a->points, &a->rows);
    for (size_t e = 0; !RUGA_FAILED(status) && e < a->rows.offsets[a->rows.count]; e++)
        a->rows.entries[e].vertex = smooth->origin[a->rows.entries[e].vertex];
    RELEASE_ALL(a->context, welded, fixed);
    return status;
}

/* Smooth vertices that share their normals across seams. */
static ruga_status list_seams(attachment *a) {
    const uint32_t *lowest = a->smooth.lowest;
    for (size_t v = 0; v < a->smooth.split_count; v++) a->seam_count += lowest[v] != v;
    TRY(NEW(a->context, &a->seams, a->seam_count));
    for (size_t v = 0, seam = 0; v < a->smooth.split_count; v++)
        if (lowest[v] != v) a->seams[seam++] = (seam_vertex){(uint32_t)v, lowest[v]};
    return RUGA_OK;
}

static ruga_status fill(const ruga_mesh *base, double crease_angle, const ruga_map *map, size_t count,
                        const ruga_vec3 *points, uint32_t **lowest, attachment *a) {
    ruga_context *context = a->context;
    TRY(NEW_COPY(context, &a->triangles, base->triangles, 3 * a->triangle_count));
    TRY(NEW(context, &a->rest_frames, 9 * a->triangle_count));
    fill_rest_frames(base, a->rest_frames);

    TRY(NEW(context, lowest, a->vertex_count));
    TRY(seams_find(base, *lowest));
    TRY(hard_edges_find(base, *lowest, a->in_tets ? NO_HARD_EDGES : crease_angle, &a->smooth));
    TRY(NEW_ALIGNED(context, &a->unit_normals, 4 * a->smooth.split_count));
    TRY(NEW_ALIGNED(context, &a->bulges, 8 * a->triangle_count));
    TRY(list_seams(a));
    TRY(map ? bind_by_map(base, map, &a->points) : bind_to_surface(base, count, points, &a->points));
    if (!has_rows(a)) {
        if (a->smooth.hard_count > 0)
            TRY(hard_patches_create(base, *lowest, &a->smooth, a->kind == ATTACH_PN, &a->points, &a->hard));
        return RUGA_OK;
    }
    TRY(a->in_tets ? rows_in_tets(base, count, points, &a->rows) : make_loop_rows(*lowest, a));
    return pack_rows(context, &a->rows, &a->packed);
}

/* Points are given by a map, or by their positions. */
static ruga_status make(const ruga_mesh *base, attachment_kind kind, double crease_angle, const ruga_map *map,
                        size_t count, const ruga_vec3 *points, attachment **out) {
    TRY(check_base(base));
    attachment *a;
    uint32_t *lowest = NULL;
    TRY(NEW(base->context, &a, 1));
    *a = (attachment){.context = base->context,
                      .kind = kind,
                      .in_tets = !map && base->tet_count > 0,
                      .vertex_count = base->vertex_count,
                      .triangle_count = base->triangle_count};
    ruga_status status = fill(base, crease_angle, map, count, points, &lowest, a);
    memory_release(base->context, lowest);
    RETURN_MADE(status, a, out, attachment_destroy(a));
}

ruga_status attachment_create(const ruga_mesh *base, attachment_kind kind, double crease_angle, size_t count,
                              const ruga_vec3 *points, attachment **out) {
    return make(base, kind, crease_angle, NULL, count, points, out);
}

ruga_status attachment_create_from_map(const ruga_mesh *base, attachment_kind kind, double crease_angle,
                                       const ruga_map *map, attachment **out) {
    return make(base, kind, crease_angle, map, 0, NULL, out);
}

void attachment_destroy(attachment *a) {
    if (!a) return;
    ruga_context *context = a->context;
    RELEASE_ALL(context, a->triangles, a->rest_frames, a->seams);
    bound_points_release(context, &a->points);
    sparse_rows_release(context, &a->rows);
    packed_rows_release(context, &a->packed);
    hard_patches_destroy(a->hard);
    hard_edges_release(context, &a->smooth);
    flat_points_release(context, &a->flat);
    memory_release_aligned(context, a->unit_normals);
    memory_release_aligned(context, a->bulges);
    memory_release(context, a);
}

/* ---- Order. */

ruga_status attachment_reorder(attachment *a, size_t count, const uint32_t *order) {
    bound_points points;
    sparse_rows rows = {0};
    packed_rows packed = {0};
    for (size_t i = 0; i < count; i++)
        if (order[i] != UINT32_MAX && order[i] >= a->points.count)
            return fail_argument(a->context, "the order names point %u at %zu, but there are %zu points", order[i], i,
                                 a->points.count);
    TRY(bound_points_make(a->context, count, &points));
    for (size_t i = 0; i < count; i++) {
        static const float padding[4] = {1, 0, 0, 0};
        int is_padding = order[i] == UINT32_MAX;
        points.triangle_of[i] = is_padding ? 0 : a->points.triangle_of[order[i]];
        memcpy(points.weights + 4 * i, is_padding ? padding : a->points.weights + 4 * (size_t)order[i], sizeof padding);
    }
    bound_points_end(&points);
    ruga_status status = RUGA_OK;
    if (has_rows(a)) status = sparse_rows_reorder(a->context, &a->rows, count, order, a->triangles[0], &rows);
    if (has_rows(a) && !RUGA_FAILED(status)) status = pack_rows(a->context, &rows, &packed);
    if (a->hard && !RUGA_FAILED(status)) status = hard_patches_find_points(a->hard, &points);
    if (RUGA_FAILED(status)) {
        bound_points_release(a->context, &points);
        sparse_rows_release(a->context, &rows);
        return status;
    }
    bound_points_release(a->context, &a->points);
    sparse_rows_release(a->context, &a->rows);
    packed_rows_release(a->context, &a->packed);
    flat_points_release(a->context, &a->flat);
    a->points = points;
    a->rows = rows;
    a->packed = packed;
    return RUGA_OK;
}

size_t attachment_count(const attachment *a) { return a->points.count; }

uint32_t attachment_triangle(const attachment *a, size_t point, double weights[3]) {
    for (size_t k = 0; k < 3; k++) weights[k] = a->points.weights[4 * point + k];
    return a->points.triangle_of[point];
}

int attachment_on_hard_edge(const attachment *a, size_t point) {
    const uint32_t *edges = a->smooth.topo->triangle_edges + 3 * (size_t)a->points.triangle_of[point];
    for (size_t k = 0; k < 3; k++)
        if (a->smooth.hard[edges[k]] && !(a->points.weights[4 * point + (k + 2) % 3] > 0)) return 1;
    return 0;
}

size_t attachment_hard_edge_count(const attachment *a) { return a->smooth.hard_count; }

ruga_status attachment_flatten(attachment *a, const float *shares) {
    flat_points flat = {0};
    TRY(flat_points_make(a->context, a->points.count, shares, &flat));
    flat_points_release(a->context, &a->flat);
    a->flat = flat;
    return RUGA_OK;
}

/* ---- Frame after frame. */

typedef struct attach_task {
    attachment *a;
    attach_pass pass;
    void (*kernel)(const attach_pass *, size_t, size_t);
} attach_task;

static void run_kernel(void *argument, size_t begin, size_t end) {
    const attach_task *task = argument;
    task->kernel(&task->pass, begin, end);
}

/* Runs a kernel, by the name of its function, over a range. */
#define RUN(task, name, range)                                   \
    ((task)->kernel = ISA_SELECT((task)->a->context->isa, name), \
     parallel_for((task)->a->context, (range), BLOCK, run_kernel, (task)))

/* Vertices across a seam share the mean of their normals. */
static void share_seam_normals(attachment *a) {
    float *unit = a->unit_normals;
    for (size_t i = 0; i < a->seam_count; i++) {
        float *sum = unit + 4 * (size_t)a->seams[i].lowest, *own = unit + 4 * (size_t)a->seams[i].vertex;
        for (size_t k = 0; k < 3; k++) sum[k] += own[k];
    }
    for (size_t i = 0; i < a->seam_count; i++) {
        float *n = unit + 4 * (size_t)a->seams[i].lowest;
        float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (size_t k = 0; k < 3 && length > 0; k++) n[k] /= length;
    }
    for (size_t i = 0; i < a->seam_count; i++)
        memcpy(unit + 4 * (size_t)a->seams[i].vertex, unit + 4 * (size_t)a->seams[i].lowest, 4 * sizeof *unit);
}

/* Normals of the triangles, as the third columns of frames; zero for those without area. */
static void run_triangle_normals(void *argument, size_t begin, size_t end) {
    const attach_task *task = argument;
    const attachment *a = task->a;
    for (size_t t = begin; t < end; t++) {
        float frame[9] = {0};
        attach_pass one = {
            .triangles = a->triangles + 3 * t, .triangle_count = 1, .base = task->pass.base, .frames = frame};
        ISA_SELECT(a->context->isa, attach_frames)(&one, 0, 1);
        memcpy(a->bulges + 4 * t, frame + 6, 3 * sizeof *frame);
    }
}

static void put_triangle_normals(void *argument, size_t begin, size_t end) {
    const attach_task *task = argument;
    const attachment *a = task->a;
    for (size_t i = begin; i < end; i++)
        memcpy(task->pass.point_normals + 4 * i, a->bulges + 4 * (size_t)a->points.triangle_of[i], 3 * sizeof(float));
}

/* Points on triangles, linear or PN; with tets only the normals. */
static void apply_triangles(attach_task *task) {
    const attachment *a = task->a;
    int is_pn = a->kind == ATTACH_PN && !a->in_tets;
    float *points = task->pass.points, *normals = task->pass.point_normals;
    if (a->hard) hard_patches_begin(a->hard, &task->pass);
    if (task->pass.normals) {
        RUN(task, attach_unit, task->pass.vertex_count);
        share_seam_normals(task->a);
    } else {
        task->pass.point_normals = NULL;
    }
    if (a->in_tets) task->pass.points = NULL;
    if (is_pn) {
        RUN(task, attach_bulges, a->triangle_count);
        RUN(task, attach_pn, task->pass.count);
        if (a->hard) hard_patches_apply(a->hard, &task->pass);
    } else {
        RUN(task, attach_linear, task->pass.count);
    }
    task->pass.points = points;
    task->pass.point_normals = normals;
    if (!normals || task->pass.normals) return;
    parallel_for(a->context, a->triangle_count, BLOCK, run_triangle_normals, task);
    parallel_for(a->context, task->pass.count, BLOCK, put_triangle_normals, task);
}

void attachment_apply(attachment *a, const float *base, const float *normals, float *points, float *point_normals) {
    attach_task task = {.a = a,
                        .pass = {.count = a->points.count,
                                 .vertex_count = a->vertex_count,
                                 .triangle_count = a->triangle_count,
                                 .triangles = a->triangles,
                                 .triangle_of = a->points.triangle_of,
                                 .weights = a->points.weights,
                                 .pair_offsets = a->packed.offsets,
                                 .pair_vertices = a->packed.vertices,
                                 .pair_weights = a->packed.weights,
                                 .base = base,
                                 .normals = normals,
                                 .unit_normals = a->unit_normals,
                                 .bulges = a->bulges,
                                 .points = points,
                                 .point_normals = point_normals}};
    if (has_rows(a)) {
        if (a->in_tets) task.pass.point_normals = NULL;
        RUN(&task, attach_rows, task.pass.count);
        task.pass.point_normals = point_normals;
    }
    if (!has_rows(a) || (a->in_tets && point_normals)) apply_triangles(&task);
    flat_points_apply(&a->flat, a->triangles, &a->points, base, points);
}

void attachment_rest_frames(const attachment *a, float *frames) {
    memcpy(frames, a->rest_frames, 9 * a->triangle_count * sizeof *frames);
}

void attachment_frames(attachment *a, const float *base, float *frames) {
    attach_task task = {
        .a = a,
        .pass = {.triangle_count = a->triangle_count, .triangles = a->triangles, .base = base, .frames = frames}};
    RUN(&task, attach_frames, a->triangle_count);
}
