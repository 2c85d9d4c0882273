/* The tensor product of two splines, in three passes: along the key rows, along the key columns, and from the rows' frame
 * nodes along all columns of nodes. */
#include "math/spline_surface.h"

#include "base/threads.h"

#define CURVE_BLOCK 8 /* curves */

static void *take(spline_surface *s, size_t count, size_t size, int *failed) {
    void *memory = arena_allocate(&s->memory, count, size);
    *failed |= !memory;
    return memory;
}

static int allocate_all(spline_surface *s) {
    const spline_surface_def *d = &s->def;
    size_t keys = d->key_rows * d->key_columns, frames = d->key_rows * d->columns;
    int failed = 0;
    s->row_places = take(s, d->columns, sizeof *s->row_places, &failed);
    s->column_places = take(s, d->rows, sizeof *s->column_places, &failed);
    s->row_frames = take(s, frames, sizeof(vec3), &failed);
    s->column_frames = take(s, d->rows * d->key_columns, sizeof(vec3), &failed);
    s->key_along_row = take(s, keys, sizeof(vec3), &failed);
    s->key_along_column = take(s, keys, sizeof(vec3), &failed);
    s->frame_along_row = take(s, frames, sizeof(vec3), &failed);
    s->frame_along_column = take(s, frames, sizeof(vec3), &failed);
    s->frame_along_both = take(s, frames, sizeof(vec3), &failed);
    double *row_factors = take(s, 2 * d->key_columns, sizeof *row_factors, &failed);
    double *column_factors = take(s, 2 * d->key_rows, sizeof *column_factors, &failed);
    if (failed) return 0;
    s->row = spline_make(d->kind, d->closed, d->key_columns, row_factors);
    s->column = spline_make(d->kind, 0, d->key_rows, column_factors);
    return 1;
}

ruga_status spline_surface_create(ruga_context *context, const spline_surface_def *def, spline_surface **out) {
    spline_surface *s = ALLOCATE_ZEROED(context, spline_surface, 1);
    if (!s) return fail_memory(context, sizeof *s);
    s->def = *def;
    s->context = context;
    s->memory = arena_make(context);
    if (!allocate_all(s)) {
        spline_surface_destroy(s);
        return fail_memory(context, def->rows * def->key_columns * sizeof(vec3));
    }
    for (size_t i = 0; i < def->columns; i++) s->row_places[i] = spline_place_at(&s->row, i, def->columns);
    for (size_t j = 0; j < def->rows; j++) s->column_places[j] = spline_place_at(&s->column, j, def->rows);
    *out = s;
    return RUGA_OK;
}

void spline_surface_destroy(spline_surface *s) {
    if (!s) return;
    arena_release(&s->memory);
    memory_release(s->context, s);
}

/* ---- Evaluation. */

typedef struct surface_task {
    spline_surface *s;
    const vec3 *keys;
    vec3 *nodes, *normals;
} surface_task;

static void follow_key_rows(void *argument, size_t begin, size_t end) {
    const surface_task *task = argument;
    spline_surface *s = task->s;
    for (size_t j = begin; j < end; j++) {
        const vec3 *keys = task->keys + j * s->def.key_columns;
        vec3 *slopes = s->key_along_row + j * s->def.key_columns;
        spline_slopes(&s->row, keys, 1, slopes);
        for (size_t i = 0; i < s->def.columns; i++) {
            s->row_frames[j * s->def.columns + i] = spline_value(&s->row_places[i], keys, slopes, 1);
            s->frame_along_row[j * s->def.columns + i] = spline_slope(&s->row_places[i], keys, slopes, 1);
        }
    }
}

static void follow_key_columns(void *argument, size_t begin, size_t end) {
    const surface_task *task = argument;
    spline_surface *s = task->s;
    size_t stride = s->def.key_columns;
    for (size_t i = begin; i < end; i++) {
        const vec3 *keys = task->keys + i;
        vec3 *slopes = s->key_along_column + i;
        spline_slopes(&s->column, keys, stride, slopes);
        for (size_t j = 0; j < s->def.rows; j++)
            s->column_frames[j * stride + i] = spline_value(&s->column_places[j], keys, slopes, stride);
    }
}

static void follow_columns(void *argument, size_t begin, size_t end) {
    const surface_task *task = argument;
    spline_surface *s = task->s;
    size_t stride = s->def.columns;
    for (size_t i = begin; i < end; i++) {
        spline_slopes(&s->column, s->row_frames + i, stride, s->frame_along_column + i);
        spline_slopes(&s->column, s->frame_along_row + i, stride, s->frame_along_both + i);
    }
    for (size_t j = 0; j < s->def.rows; j++)
        for (size_t i = begin; i < end; i++) {
            const spline_place *place = &s->column_places[j];
            const vec3 *frames = s->row_frames + i, *slopes = s->frame_along_column + i;
            vec3 along_column = spline_slope(place, frames, slopes, stride);
            vec3 along_row = spline_value(place, s->frame_along_row + i, s->frame_along_both + i, stride);
            task->nodes[j * stride + i] = spline_value(place, frames, slopes, stride);
            task->normals[j * stride + i] = vec3_normalise(vec3_cross(along_row, along_column));
        }
}

void spline_surface_evaluate(spline_surface *s, const vec3 *keys, vec3 *nodes, vec3 *normals) {
    surface_task task = {s, keys, nodes, normals};
    parallel_for(s->context, s->def.key_rows, CURVE_BLOCK, follow_key_rows, &task);
    parallel_for(s->context, s->def.key_columns, CURVE_BLOCK, follow_key_columns, &task);
    parallel_for(s->context, s->def.columns, CURVE_BLOCK, follow_columns, &task);
}
