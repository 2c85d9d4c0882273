/* The caller's buffers: base positions and normals in, fine positions and normals out. Scalars are copied as bytes, so
 * that buffers need no alignment. All of a frame is checked before anything is written. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "wrinkle/wrinkle_mesh.h"

#define VIEW_BLOCK 4096
#define READ_BLOCK 2048    /* vertices whose positions fit the first-level cache */
#define GREATEST_SIZE 1e15 /* m, of an object: its square is far from the limit of floats */

size_t wrinkle_view_blocks(size_t count) { return (count + VIEW_BLOCK - 1) / VIEW_BLOCK; }

ruga_status wrinkle_check_view(ruga_context *context, const char *what, const ruga_view *view, size_t count) {
    if (view->type != RUGA_F32 && view->type != RUGA_F64)
        return fail_argument(context, "wrinkle mesh: %s are neither RUGA_F32 nor RUGA_F64", what);
    if (view->count != count)
        return fail_input(context,
                          "wrinkle mesh: there are %zu %s, but the mesh was made with %zu vertices; give one for each",
                          view->count, what, count);
    size_t stride = view->stride ? view->stride : 3 * ruga_scalar_size(view->type);
    if (!view->data || stride < 3 * ruga_scalar_size(view->type))
        return fail_argument(context, "wrinkle mesh: %s have %s", what,
                             view->data ? "a stride below the size of a point" : "no data");
    return RUGA_OK;
}

/* The same view with an explicit stride, for the functions below. */
static ruga_view with_stride(const ruga_view *view) {
    ruga_view v = *view;
    if (!v.stride) v.stride = 3 * ruga_scalar_size(v.type);
    return v;
}

static inline unsigned char *view_at(const ruga_view *view, size_t i) {
    return (unsigned char *)view->data + i * view->stride;
}

static inline void view_get(const ruga_view *view, size_t i, double out[3]) {
    if (view->type == RUGA_F64) {
        memcpy(out, view_at(view, i), 3 * sizeof(double));
    } else {
        float values[3];
        memcpy(values, view_at(view, i), sizeof values);
        for (int k = 0; k < 3; k++) out[k] = (double)values[k];
    }
}

void wrinkle_copy_view(const ruga_view *view, double *out) {
    const ruga_view from = with_stride(view);
    for (size_t i = 0; i < from.count; i++) view_get(&from, i, out + 3 * i);
}

/* ---- In. */

typedef struct base_in {
    ruga_wrinkle_mesh *w;
    const ruga_view *positions, *normals;
} base_in;

static ruga_status fail_not_finite(ruga_context *context, const char *what, const ruga_view *view) {
    double p[3] = {0, 0, 0};
    size_t vertex = 0;
    for (; vertex < view->count; vertex++) {
        view_get(view, vertex, p);
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) break;
    }
    return fail_input(context, "wrinkle mesh: base vertex %zu has the %s (%g, %g, %g); all numbers must be finite",
                      vertex, what, p[0], p[1], p[2]);
}

/* The box of a block; NaN in its first number when a vertex is not finite. */
static void measure_block(void *argument, size_t begin, size_t end) {
    const base_in *in = argument;
    double *box = in->w->boxes + 6 * (begin / VIEW_BLOCK), low[3], high[3], sum = 0;
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (size_t i = begin; i < end; i++) {
        double p[3];
        view_get(in->positions, i, p);
        for (int k = 0; k < 3; k++) {
            low[k] = p[k] < low[k] ? p[k] : low[k];
            high[k] = p[k] > high[k] ? p[k] : high[k];
            sum += p[k] * 0; /* stays 0 as long as all are finite */
        }
    }
    for (int k = 0; k < 3; k++) box[k] = low[k] + sum, box[3 + k] = high[k] + sum;
}

/* 0 where a normal is not finite. */
static double count_bad_normals(void *argument, size_t begin, size_t end) {
    const base_in *in = argument;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        double n[3];
        view_get(in->normals, i, n);
        for (int k = 0; k < 3; k++) sum += n[k] * 0;
    }
    return sum;
}

/* The box of all vertices, its middle and half its diagonal. */
static ruga_status measure_base(const base_in *in, double origin[3], float *extent) {
    ruga_wrinkle_mesh *w = in->w;
    parallel_for(w->context, w->base->vertex_count, VIEW_BLOCK, measure_block, (void *)(uintptr_t)in);
    double squared = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t b = 0; b < w->base_blocks; b++) {
            const double *box = w->boxes + 6 * b;
            if (isnan(box[k])) return fail_not_finite(w->context, "position", in->positions);
            low = fmin(low, box[k]);
            high = fmax(high, box[3 + k]);
        }
        origin[k] = 0.5 * low + 0.5 * high;
        squared += (high - low) * (high - low);
    }
    if (!(squared < GREATEST_SIZE * GREATEST_SIZE))
        return fail_input(w->context, "wrinkle mesh: the base is %g m across; at most %g m are allowed", sqrt(squared),
                          GREATEST_SIZE);
    *extent = (float)(0.5 * sqrt(squared));
    return RUGA_OK;
}

static void take_points(void *argument, size_t begin, size_t end) {
    const base_in *in = argument;
    const double *origin = in->w->origin;
    for (size_t i = begin; i < end; i++) {
        float *point = in->w->base_points + 4 * i;
        double p[3];
        view_get(in->positions, i, p);
        for (int k = 0; k < 3; k++) point[k] = (float)(p[k] - origin[k]);
        point[3] = 0;
    }
}

/* Normals scaled to unit length; returns how many have none. */
static double take_normals(void *argument, size_t begin, size_t end) {
    const base_in *in = argument;
    double missing = 0;
    for (size_t i = begin; i < end; i++) {
        float *normal = in->w->base_normals + 4 * i;
        double n[3];
        view_get(in->normals, i, n);
        double greatest = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
        double scale = greatest > 0 ? 1 / greatest : 0, x = n[0] * scale, y = n[1] * scale, z = n[2] * scale;
        double inverse = greatest > 0 ? 1 / sqrt(x * x + y * y + z * z) : 0;
        normal[0] = (float)(x * inverse);
        normal[1] = (float)(y * inverse);
        normal[2] = (float)(z * inverse);
        normal[3] = 0;
        missing += !(greatest > 0);
    }
    return missing;
}

/* Normals without length are replaced by those of the triangles. */
static void replace_missing_normals(ruga_wrinkle_mesh *w) {
    float_normals_apply(w->base_normal_maker, w->base_points, w->made_normals);
    for (size_t i = 0; i < w->base->vertex_count; i++) {
        float *normal = w->base_normals + 4 * i;
        if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0)
            memcpy(normal, w->made_normals + 4 * i, 4 * sizeof *normal);
    }
}

ruga_status wrinkle_take_base(ruga_wrinkle_mesh *w, const ruga_view *positions, const ruga_view *normals) {
    const size_t count = w->base->vertex_count;
    double origin[3];
    float extent = 0;
    TRY(wrinkle_check_view(w->context, "positions of the base", positions, count));
    if (normals) TRY(wrinkle_check_view(w->context, "normals of the base", normals, count));
    const ruga_view views[2] = {with_stride(positions), normals ? with_stride(normals) : (ruga_view){0}};
    base_in in = {w, &views[0], normals ? &views[1] : NULL};
    TRY(measure_base(&in, origin, &extent));
    if (normals && parallel_sum(w->context, count, VIEW_BLOCK, count_bad_normals, &in) != 0)
        return fail_not_finite(w->context, "normal", &views[1]);

    memcpy(w->origin, origin, sizeof origin);
    w->extent = extent;
    if (w->exact_base) wrinkle_copy_view(&views[0], &w->exact_base->x);
    parallel_for(w->context, count, VIEW_BLOCK, take_points, &in);
    if (!normals) {
        float_normals_apply(w->base_normal_maker, w->base_points, w->base_normals);
    } else if (parallel_sum(w->context, count, VIEW_BLOCK, take_normals, &in) > 0) {
        replace_missing_normals(w);
    }
    return RUGA_OK;
}

/* ---- Out. */

typedef struct point_reading {
    wrinkle_reading reading;
    void (*kernel)(const wrinkle_reading *reading, size_t begin, size_t end);
} point_reading;

static void read_points(void *argument, size_t begin, size_t end) {
    const point_reading *task = argument;
    task->kernel(&task->reading, begin, end);
}

static void put_shown(const ruga_vec3 *shown, const ruga_view *out) {
    for (size_t v = 0; v < out->count; v++) {
        const double p[3] = {shown[v].x, shown[v].y, shown[v].z};
        const float rounded[3] = {(float)p[0], (float)p[1], (float)p[2]};
        if (out->type == RUGA_F64)
            memcpy(view_at(out, v), p, sizeof p);
        else
            memcpy(view_at(out, v), rounded, sizeof rounded);
    }
}

ruga_status ruga_wrinkle_mesh_read(const ruga_wrinkle_mesh *w, ruga_view *positions, ruga_view *normals) {
    const size_t count = w->fine->vertex_count;
    if (positions) TRY(wrinkle_check_view(w->context, "positions to write", positions, count));
    if (normals) TRY(wrinkle_check_view(w->context, "normals to write", normals, count));
    point_reading task = {.reading = {.outputs = w->outputs,
                                      .points = w->points,
                                      .normals = w->normals,
                                      .origin = {w->origin[0], w->origin[1], w->origin[2]},
                                      .positions_out = positions ? with_stride(positions) : (ruga_view){0},
                                      .normals_out = normals ? with_stride(normals) : (ruga_view){0}},
                          .kernel = ISA_SELECT(w->context->isa, wrinkle_read_points)};
    const ruga_vec3 *shown = wrinkle_collide_shown(w->collide);
    if (shown && positions) put_shown(shown, &task.reading.positions_out);
    if (shown) task.reading.positions_out.data = NULL;
    parallel_for(w->context, count, READ_BLOCK, read_points, &task);
    return RUGA_OK;
}
