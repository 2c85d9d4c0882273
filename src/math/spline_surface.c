/* The tensor product of two splines, in three passes: along the key rows, along the key columns, and from the rows'
 * frame nodes along all columns of nodes. */
#include "math/spline_surface.h"

#include "base/threads.h"

#define CURVE_BLOCK 8 /* curves */

static ruga_status allocate(spline_surface *s) {
    const spline_surface_def *d = &s->def;
    size_t keys = d->key_rows * d->key_columns, frames = d->key_rows * d->columns;
    double *row_factors, *column_factors;
    TRY(ARENA_NEW(&s->memory, &s->row_places, d->columns));
    TRY(ARENA_NEW(&s->memory, &s->column_places, d->rows));
    TRY(ARENA_NEW(&s->memory, &s->row_frames, frames));
    TRY(ARENA_NEW(&s->memory, &s->column_frames, d->rows * d->key_columns));
    TRY(ARENA_NEW(&s->memory, &s->key_along_row, keys));
    TRY(ARENA_NEW(&s->memory, &s->key_along_column, keys));
    TRY(ARENA_NEW(&s->memory, &s->frame_along_row, frames));
    TRY(ARENA_NEW(&s->memory, &s->frame_along_column, frames));
    TRY(ARENA_NEW(&s->memory, &s->frame_along_both, frames));
    TRY(ARENA_NEW(&s->memory, &row_factors, 2 * d->key_columns));
    TRY(ARENA_NEW(&s->memory, &column_factors, 2 * d->key_rows));
    s->row = spline_make(d->kind, d->closed, d->key_columns, row_factors);
    s->column = spline_make(d->kind, 0, d->key_rows, column_factors);
    return RUGA_OK;
}

ruga_status spline_surface_create(ruga_context *context, const spline_surface_def *def, spline_surface **out) {
    spline_surface *s;
    TRY(NEW_ZEROED(context, &s, 1));
    s->def = *def;
    s->context = context;
    s->memory = arena_make(context);
    TRY_OR(allocate(s), spline_surface_destroy(s));
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
