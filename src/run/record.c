/* Reading the files of a run, also while it is running: nothing is locked, and frames that are not complete do not
 * count. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/run.h"

typedef struct record_memory {
    ruga_run_record record;
    run_plan *plan; /* owns the texts */
    arena memory;
    double *values;
} record_memory;

int ruga_path_is_run(const char *path) {
    run_path name;
    if (!path || !path[0] || snprintf(name, sizeof name, "%s/run.json", path) >= (int)sizeof name) return 0;
    const file_system *disk = file_system_disk();
    void *handle;
    uint64_t size;
    if (disk->open(disk->user, name, &handle, &size) != 0) return 0;
    (void)disk->close(disk->user, handle);
    return 1;
}

/* ---- Objects. */

/* Sets *out to the path of a file that exists. */
static ruga_status copy_path_of_file(record_memory *r, const char *path, const char **out) {
    int found = 0;
    uint64_t size;
    TRY(file_look(r->plan->context, path, &found, &size));
    return found ? ARENA_TEXT(&r->memory, out, path) : RUGA_OK;
}

/* Where frames are read from: the cache, growing or complete, a sequence, or a GLB that was made from the cache. */
static ruga_status find_cache(record_memory *r, size_t object, const char **out) {
    const run_plan *plan = r->plan;
    run_path path;
    plan_object_path(plan, object, ".pc2", path);
    if (plan_has(plan, RUGA_OUTPUT_PC2)) TRY(copy_path_of_file(r, path, out));
    plan_cache_path(plan, object, path);
    if (!*out && plan_has_cache(plan)) TRY(copy_path_of_file(r, path, out));
    if (*out || plan_has(plan, RUGA_OUTPUT_PC2)) return RUGA_OK;
    plan_object_path(plan, object, plan_has(plan, RUGA_OUTPUT_OBJ) ? ".####.obj" : ".####.ply", path);
    if (plan_has(plan, RUGA_OUTPUT_OBJ) || plan_has(plan, RUGA_OUTPUT_PLY)) return ARENA_TEXT(&r->memory, out, path);
    plan_object_path(plan, object, ".glb", path);
    return plan_has(plan, RUGA_OUTPUT_GLB) ? copy_path_of_file(r, path, out) : RUGA_OK;
}

static ruga_status list_objects(record_memory *r) {
    const run_plan *plan = r->plan;
    ruga_run_object *objects = NULL;
    TRY(ARENA_NEW(&r->memory, &objects, plan->object_count));
    for (size_t i = 0; i < plan->object_count; i++) {
        run_path path;
        objects[i] = (ruga_run_object){.name = plan->objects[i].name};
        plan_object_path(plan, i, ".obj", path);
        if (plan->formats) TRY(copy_path_of_file(r, path, &objects[i].mesh));
        TRY(find_cache(r, i, &objects[i].cache));
    }
    r->record.object_count = plan->object_count;
    r->record.objects = objects;
    return RUGA_OK;
}

/* ---- Measures. */

static void copy_columns(const run_table *from, size_t row_count, size_t stride, double *values) {
    for (size_t i = 0; i < row_count; i++)
        for (size_t k = 0; k < from->column_count; k++)
            values[i * stride + k] = i < from->row_count ? from->values[i * from->column_count + k] : NAN;
}

/* Frames that can be read: those with a line in measures.csv, which is written last; all, when the run is complete. */
static ruga_status count_frames(const record_memory *r, const run_table *timings, const run_table *measures,
                                size_t *out) {
    const size_t frames = (size_t)r->plan->frames, rows = measures->row_count;
    const size_t most = timings->row_count > rows ? timings->row_count : rows;
    if (r->plan->complete && most < frames && (timings->columns || measures->columns))
        return fail_input(r->plan->context,
                          "%s: the run is complete, but measures.csv and timings.csv have only %zu of its %zu frames",
                          r->plan->directory, most, frames);
    *out = r->plan->complete || rows > frames ? frames : rows;
    return RUGA_OK;
}

/* Both tables side by side, a row for every frame that can be read. */
static ruga_status join_tables(record_memory *r, const run_table *timings, const run_table *measures) {
    const size_t count = timings->column_count + measures->column_count;
    size_t rows = 0;
    TRY(count_frames(r, timings, measures, &rows));
    ruga_measure *columns = NULL;
    TRY(ARENA_NEW(&r->memory, &columns, count));
    TRY(NEW(r->plan->context, &r->values, rows * count));
    if (timings->column_count) memcpy(columns, timings->columns, timings->column_count * sizeof *columns);
    if (measures->column_count)
        memcpy(columns + timings->column_count, measures->columns, measures->column_count * sizeof *columns);
    copy_columns(timings, rows, count, r->values);
    copy_columns(measures, rows, count, r->values + timings->column_count);
    r->record.frames_done = (int)rows;
    r->record.measure_count = count;
    r->record.measures = columns;
    r->record.values = r->values;
    return RUGA_OK;
}

static ruga_status read_tables(record_memory *r) {
    ruga_context *context = r->plan->context;
    run_table timings = {0}, measures = {0};
    run_path path;
    /* timings.csv is written first and read last, so that it has all rows of measures.csv. */
    plan_path(r->plan, "measures.csv", path);
    ruga_status status = table_read(context, path, r->plan->start_frame, 0, &r->memory, &measures);
    plan_path(r->plan, "timings.csv", path);
    if (!RUGA_FAILED(status)) status = table_read(context, path, r->plan->start_frame, 1, &r->memory, &timings);
    if (!RUGA_FAILED(status)) status = join_tables(r, &timings, &measures);
    RELEASE_ALL(context, timings.values, measures.values);
    return status;
}

/* ---- The record. */

int run_is_held(ruga_context *context, const char *directory, long *process) {
    run_path path;
    *process = 0;
    if (snprintf(path, sizeof path, "%s/lock", directory) >= (int)sizeof path) return 0;
    return file_lock_is_held(context, path, process);
}

static ruga_status fill_record(record_memory *r, int running, long process) {
    const run_plan *plan = r->plan;
    r->record = (ruga_run_record){.directory = plan->directory,
                                  .version = plan->version,
                                  .threads = plan->threads,
                                  .isa = plan->isa,
                                  .fps = plan->fps,
                                  .unit = plan->unit,
                                  .up = plan->up,
                                  .start_frame = plan->start_frame,
                                  .frames = plan->frames,
                                  .complete = plan->complete,
                                  .running = running && !plan->complete,
                                  .process = running && !plan->complete ? process : 0};
    TRY(read_tables(r));
    return list_objects(r);
}

ruga_status ruga_run_record_read(ruga_context *context, const char *directory, ruga_run_record **out) {
    if (!directory || !out)
        return fail_argument(context, "ruga_run_record_read needs a directory and a place for the record");
    record_memory *r = NULL;
    TRY(NEW_ZEROED(context, &r, 1));
    r->memory = arena_make(context);
    /* Look at the lock before run.json, so that a run that ends in between counts as complete, not as stopped. */
    long process;
    const int running = run_is_held(context, directory, &process);
    ruga_status status = plan_read(context, directory, &r->plan);
    if (!RUGA_FAILED(status)) status = fill_record(r, running, process);
    RETURN_MADE(status, &r->record, out, ruga_run_record_destroy(context, &r->record));
}

void ruga_run_record_destroy(ruga_context *context, ruga_run_record *record) {
    if (!record) return;
    record_memory *r = (record_memory *)record;
    memory_release(context, r->values);
    arena_release(&r->memory);
    plan_destroy(r->plan);
    memory_release(context, r);
}
