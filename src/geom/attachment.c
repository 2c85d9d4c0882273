/* Attachments: made once from what each point hangs on; frame after frame handed to the kernels in blocks. */
#include "geom/attachment.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "geom/attachment_kernels.h"
#include "geom/attachment_parts.h"
#include "geom/seams.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#define BLOCK 1024       /* points, vertices or triangles that a thread takes at a time; even */
#define LEAST_AREA 1e-12 /* twice the area over the longest edge squared: less is no area */

/* A vertex that is one with a lower one across a seam. */
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
    size_t seam_count;
    seam_vertex *seams; /* rising */
    bound_points points;
    sparse_rows rows; /* Loop and tets: what points are made of */
    packed_rows packed;
    /* Made anew whenever it is applied. */
    float *unit_normals; /* (vertex_count x 4) */
    float *bulges;       /* (triangle_count x 8) of PN; else normals of triangles, (triangle_count x 4) */
};

static int has_rows(const attachment *a) { return a->in_tets || a->kind == ATTACH_LOOP; }

/* ---- The base. */

static ruga_status check_base(const ruga_mesh *base) {
    if (base->triangle_count == 0)
        return fail_with(base->context, RUGA_ERROR_INPUT, "the base has no triangles to attach points to");
    for (size_t t = 0; t < base->triangle_count; t++) {
        const uint32_t *v = base->triangles + 3 * t;
        double longest = 0;
        for (size_t k = 0; k < 3; k++)
            longest = fmax(longest, vec3_length2(vec3_sub(base->positions[v[(k + 1) % 3]], base->positions[v[k]])));
        if (!(2 * mesh_triangle_area(base, t) > LEAST_AREA * longest))
            return fail_with(base->context, RUGA_ERROR_INPUT,
                             "face %zu of the base, with vertices %u, %u and %u, has no area: take it out of the base, "
                             "or move its vertices apart",
                             mesh_triangle_face(base, t), v[0], v[1], v[2]);
    }
    return RUGA_OK;
}

/* In double: floats may not tell the area of every triangle that has one. */
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

static ruga_status copy_base(const ruga_mesh *base, attachment *a) {
    ruga_context *context = a->context;
    size_t triangles = base->triangle_count;
    a->vertex_count = base->vertex_count;
    a->triangle_count = triangles;
    a->triangles = memory_copy(context, base->triangles, 3 * triangles, sizeof *a->triangles);
    a->rest_frames = memory_allocate(context, triangles, 9 * sizeof(float));
    a->unit_normals = memory_allocate_aligned(context, base->vertex_count, 4 * sizeof(float));
    a->bulges = memory_allocate_aligned(context, triangles, 8 * sizeof(float));
    if (!a->triangles || !a->rest_frames || !a->unit_normals || !a->bulges)
        return fail_memory(context, triangles * 9 * sizeof(float));
    fill_rest_frames(base, a->rest_frames);
    return RUGA_OK;
}

static ruga_status list_seams(const uint32_t *lowest, attachment *a) {
    for (size_t v = 0; v < a->vertex_count; v++) a->seam_count += lowest[v] != v;
    a->seams = ALLOCATE(a->context, seam_vertex, a->seam_count);
    if (!a->seams) return fail_memory(a->context, a->seam_count * sizeof *a->seams);
    size_t count = 0;
    for (size_t v = 0; v < a->vertex_count; v++)
        if (lowest[v] != v) a->seams[count++] = (seam_vertex){(uint32_t)v, lowest[v]};
    return RUGA_OK;
}

/* The limit surface of the base with its seams closed. */
static ruga_status make_loop_rows(const uint32_t *lowest, attachment *a) {
    uint32_t *welded = ALLOCATE(a->context, uint32_t, 3 * a->triangle_count);
    if (!welded) return fail_memory(a->context, 3 * a->triangle_count * sizeof *welded);
    for (size_t c = 0; c < 3 * a->triangle_count; c++) welded[c] = lowest[a->triangles[c]];
    ruga_status status =
        rows_on_loop_limit(a->context, a->vertex_count, a->triangle_count, welded, &a->points, &a->rows);
    memory_release(a->context, welded);
    return status;
}

/* ---- Making one. */

/* By a map, or else by points. */
typedef struct attach_to {
    const ruga_map *map;
    size_t count;
    const ruga_vec3 *points;
} attach_to;

static ruga_status bind(const ruga_mesh *base, const attach_to *to, uint32_t *lowest, attachment *a) {
    TRY(seams_find(base, lowest));
    TRY(list_seams(lowest, a));
    TRY(to->map ? bind_by_map(base, to->map, &a->points) : bind_to_surface(base, to->count, to->points, &a->points));
    if (!has_rows(a)) return RUGA_OK;
    TRY(a->in_tets ? rows_in_tets(base, to->count, to->points, &a->rows) : make_loop_rows(lowest, a));
    return pack_rows(a->context, &a->rows, &a->packed);
}

static ruga_status fill(const ruga_mesh *base, const attach_to *to, attachment *a) {
    TRY(copy_base(base, a));
    uint32_t *lowest = ALLOCATE(a->context, uint32_t, base->vertex_count);
    if (!lowest) return fail_memory(a->context, base->vertex_count * sizeof *lowest);
    ruga_status status = bind(base, to, lowest, a);
    memory_release(a->context, lowest);
    return status;
}

static ruga_status make(const ruga_mesh *base, attachment_kind kind, const attach_to *to, attachment **out) {
    TRY(check_base(base));
    attachment *a = ALLOCATE_ZEROED(base->context, attachment, 1);
    if (!a) return fail_memory(base->context, sizeof *a);
    *a = (attachment){.context = base->context, .kind = kind, .in_tets = !to->map && base->tet_count > 0};
    ruga_status status = fill(base, to, a);
    if (RUGA_FAILED(status)) {
        attachment_destroy(a);
        return status;
    }
    *out = a;
    return RUGA_OK;
}

ruga_status attachment_create(const ruga_mesh *base, attachment_kind kind, size_t count, const ruga_vec3 *points,
                              attachment **out) {
    return make(base, kind, &(attach_to){.count = count, .points = points}, out);
}

ruga_status attachment_create_from_map(const ruga_mesh *base, attachment_kind kind, const ruga_map *map,
                                       attachment **out) {
    return make(base, kind, &(attach_to){.map = map}, out);
}

void attachment_destroy(attachment *a) {
    if (!a) return;
    ruga_context *context = a->context;
    memory_release(context, a->triangles);
    memory_release(context, a->rest_frames);
    memory_release(context, a->seams);
    bound_points_release(context, &a->points);
    sparse_rows_release(context, &a->rows);
    packed_rows_release(context, &a->packed);
    memory_release_aligned(context, a->unit_normals);
    memory_release_aligned(context, a->bulges);
    memory_release(context, a);
}

/* ---- Order. */

static ruga_status reorder_points(const attachment *a, size_t count, const uint32_t *order, bound_points *out) {
    for (size_t i = 0; i < count; i++)
        if (order[i] != UINT32_MAX && order[i] >= a->points.count)
            return fail_with(a->context, RUGA_ERROR_ARGUMENT, "point %zu is to be the old point %u of %zu", i, order[i],
                             a->points.count);
    TRY(bound_points_make(a->context, count, out));
    for (size_t i = 0; i < count; i++) {
        static const float padding[4] = {1, 0, 0, 0};
        int is_padding = order[i] == UINT32_MAX;
        out->triangle_of[i] = is_padding ? 0 : a->points.triangle_of[order[i]];
        memcpy(out->weights + 4 * i, is_padding ? padding : a->points.weights + 4 * (size_t)order[i], sizeof padding);
    }
    bound_points_end(out);
    return RUGA_OK;
}

static ruga_status reorder_rows(const attachment *a, size_t count, const uint32_t *order, sparse_rows *rows,
                                packed_rows *packed) {
    TRY(sparse_rows_reorder(a->context, &a->rows, count, order, a->triangles[0], rows));
    ruga_status status = pack_rows(a->context, rows, packed);
    if (RUGA_FAILED(status)) sparse_rows_release(a->context, rows);
    return status;
}

ruga_status attachment_reorder(attachment *a, size_t count, const uint32_t *order) {
    bound_points points;
    sparse_rows rows = {0};
    packed_rows packed = {0};
    TRY(reorder_points(a, count, order, &points));
    ruga_status status = has_rows(a) ? reorder_rows(a, count, order, &rows, &packed) : RUGA_OK;
    if (RUGA_FAILED(status)) {
        bound_points_release(a->context, &points);
        return status;
    }
    bound_points_release(a->context, &a->points);
    sparse_rows_release(a->context, &a->rows);
    packed_rows_release(a->context, &a->packed);
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

/* ---- Frame after frame. */

typedef struct attach_task {
    attachment *a;
    attach_pass pass;
    void (*kernel)(const attach_pass *, size_t, size_t);
    const float *normals;
    float *frames;
} attach_task;

static void run_points(void *argument, size_t begin, size_t end) {
    const attach_task *task = argument;
    task->kernel(&task->pass, begin, end);
}

static void run_unit(void *argument, size_t begin, size_t end) {
    const attach_task *task = argument;
    const attachment *a = task->a;
    ISA_SELECT(a->context->isa, attach_unit)(task->normals, a->unit_normals, a->vertex_count, begin, end);
}

static void run_bulges(void *argument, size_t begin, size_t end) {
    const attach_task *task = argument;
    const attachment *a = task->a;
    ISA_SELECT(a->context->isa, attach_bulges)(&task->pass, a->bulges, a->triangle_count, begin, end);
}

static void run_frames(void *argument, size_t begin, size_t end) {
    const attach_task *task = argument;
    const attachment *a = task->a;
    ISA_SELECT(a->context->isa, attach_frames)
    (a->triangles, a->triangle_count, task->pass.base, task->frames, begin, end);
}

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

/* Normals of the triangles, as the third columns of frames; of those without area zero. */
static void run_triangle_normals(void *argument, size_t begin, size_t end) {
    const attach_task *task = argument;
    const attachment *a = task->a;
    for (size_t t = begin; t < end; t++) {
        float frame[9] = {0};
        ISA_SELECT(a->context->isa, attach_frames)(a->triangles + 3 * t, 1, task->pass.base, frame, 0, 1);
        memcpy(a->bulges + 4 * t, frame + 6, 3 * sizeof *frame);
    }
}

static void put_triangle_normals(void *argument, size_t begin, size_t end) {
    const attach_task *task = argument;
    const attachment *a = task->a;
    for (size_t i = begin; i < end; i++)
        memcpy(task->pass.point_normals + 4 * i, a->bulges + 4 * (size_t)a->points.triangle_of[i], 3 * sizeof(float));
}

/* Points by rows; of tets only the points. */
static void apply_rows(attach_task *task) {
    float *normals = task->pass.point_normals;
    if (task->a->in_tets) task->pass.point_normals = NULL;
    task->kernel = ISA_SELECT(task->a->context->isa, attach_rows);
    parallel_for(task->a->context, task->pass.count, BLOCK, run_points, task);
    task->pass.point_normals = normals;
}

/* Points on triangles, flat ones or PN; with tets no points but normals. */
static void apply_triangles(attach_task *task) {
    const attachment *a = task->a;
    int is_pn = a->kind == ATTACH_PN && !a->in_tets;
    float *points = task->pass.points, *normals = task->pass.point_normals;
    if (task->normals) {
        parallel_for(a->context, a->vertex_count, BLOCK, run_unit, task);
        share_seam_normals(task->a);
    }
    if (is_pn) parallel_for(a->context, a->triangle_count, BLOCK, run_bulges, task);
    if (!task->normals) task->pass.point_normals = NULL;
    if (a->in_tets) task->pass.points = NULL;
    task->kernel = is_pn ? ISA_SELECT(a->context->isa, attach_pn) : ISA_SELECT(a->context->isa, attach_linear);
    parallel_for(a->context, task->pass.count, BLOCK, run_points, task);
    task->pass.points = points;
    task->pass.point_normals = normals;
    if (!normals || task->normals) return;
    parallel_for(a->context, a->triangle_count, BLOCK, run_triangle_normals, task);
    parallel_for(a->context, task->pass.count, BLOCK, put_triangle_normals, task);
}

void attachment_apply(attachment *a, const float *base, const float *normals, float *points, float *point_normals) {
    attach_task task = {.a = a,
                        .pass = {.count = a->points.count,
                                 .triangles = a->triangles,
                                 .triangle_of = a->points.triangle_of,
                                 .weights = a->points.weights,
                                 .pair_offsets = a->packed.offsets,
                                 .pair_vertices = a->packed.vertices,
                                 .pair_weights = a->packed.weights,
                                 .base = base,
                                 .unit_normals = a->unit_normals,
                                 .bulges = a->bulges,
                                 .points = points,
                                 .point_normals = point_normals},
                        .normals = normals};
    if (has_rows(a)) apply_rows(&task);
    if (!has_rows(a) || (a->in_tets && point_normals)) apply_triangles(&task);
}

void attachment_rest_frames(const attachment *a, float *frames) {
    memcpy(frames, a->rest_frames, 9 * a->triangle_count * sizeof *frames);
}

void attachment_frames(attachment *a, const float *base, float *frames) {
    attach_task task = {.a = a, .pass.base = base, .frames = frames};
    parallel_for(a->context, a->triangle_count, BLOCK, run_frames, &task);
}
