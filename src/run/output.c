/* Output of a run: caches, sequences, tables and the log frame by frame; GLB and USD from the caches at the end. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/background.h"
#include "base/threads.h"
#include "base/timer.h"
#include "io/io.h"
#include "run/run.h"

#define DISK_SPEED 2e8   /* bytes/s, a lower bound of what a disk writes */
#define FLUSH_SHARE 0.05 /* part of the time that may be spent waiting for the disk */
#define TEXT_SIZE 100    /* bytes of a vertex in a file of a sequence, approximately */

static ruga_file_def file_def(const run_plan *plan) {
    ruga_file_def def = ruga_file_def_default();
    def.unit = plan->unit;
    def.up = (ruga_axis)plan->up;
    def.rate = plan->fps;
    return def;
}

static double frame_time(const run_plan *plan, int frame) { return (double)(plan->start_frame + frame) / plan->fps; }

/* ---- The log. */

void output_log(run_output *output, const char *format, ...) {
    if (!output->log) return;
    char line[1200], when[40] = "";
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts)) strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &parts);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *at = line; *at; at++)
        if (*at == '\n') *at = ' ';
    (void)file_print(output->log, "%s  %s\n", when, line);
    (void)file_hand_over(output->log);
}

/* The log is never cut back: it also reports what was lost. An incomplete line at its end is ended. */
ruga_status output_open_log(run_output *output) {
    ruga_context *context = output->context;
    run_path path;
    plan_path(output->plan, "log.txt", path);
    int found = 0;
    uint64_t size = 0;
    char last = '\n';
    TRY(file_look(context, path, &found, &size));
    if (!found) size = 0;
    if (size > 0) {
        file *f = NULL;
        TRY(file_open(context, path, &f));
        ruga_status status = file_seek(f, size - 1);
        if (!RUGA_FAILED(status)) status = file_read(f, &last, 1);
        file_close(f);
        TRY(status);
    }
    TRY(file_append(context, path, size, &output->log));
    return last == '\n' ? RUGA_OK : file_write(output->log, "\n", 1);
}

/* ---- Opening and closing. */

static ruga_status open_table(run_output *output, const char *name, size_t sum, size_t first, size_t count,
                              file **out) {
    run_path path;
    const uint64_t size = output->hashes[sum].size;
    plan_path(output->plan, name, path);
    TRY(file_append(output->context, path, size, out));
    file_hash(*out, size, &output->hashes[sum]);
    if (size > 0) return RUGA_OK;
    TRY(table_write_names(*out, output->columns + first, count));
    return file_hand_over(*out);
}

/* The scene's measures: timings first, then the time of writing, then the others. */
static ruga_status list_columns(run_output *output) {
    const size_t count = ruga_scene_measure_count(output->scene);
    TRY(NEW_EACH(output->context, count + 1, &output->columns, &output->values));
    output->column_count = count + 1;
    size_t at = 0;
    while (at < count && ruga_scene_measure_info(output->scene, at).is_time) {
        output->columns[at] = ruga_scene_measure_info(output->scene, at);
        at++;
    }
    output->columns[at] = (ruga_measure){"time.write", "s", 1};
    output->time_count = at + 1;
    for (; at < count; at++) output->columns[at + 1] = ruga_scene_measure_info(output->scene, at);
    return RUGA_OK;
}

static ruga_status open_cache(run_output *output, size_t object, int frames) {
    ruga_context *context = output->context;
    run_path part, path;
    int found = 0;
    uint64_t size;
    /* A run that stopped between renaming its caches and marking itself complete has caches with their final names. */
    plan_cache_path(output->plan, object, part);
    TRY(file_look(context, part, &found, &size));
    if (!found) {
        plan_object_path(output->plan, object, ".pc2", path);
        TRY(file_look(context, path, &found, &size));
        if (found) TRY(file_rename(context, path, part));
    }
    const ruga_file_def def = file_def(output->plan);
    return pc2_writer_continue(ruga_scene_object_mesh(output->scene, object), part, &def, frame_time(output->plan, 0),
                               (size_t)frames, &output->hashes[sums_of_object(object, SUM_CACHE)],
                               &output->caches[object]);
}

/* The mesh at the start of the run, in a file of its own. */
static ruga_status write_mesh(const run_output *output, size_t object) {
    const ruga_file_def def = file_def(output->plan);
    run_path path;
    plan_object_path(output->plan, object, ".obj", path);
    return io_mesh_write(ruga_scene_object_mesh(output->scene, object), NULL, path, &def, 0,
                         &output->hashes[sums_of_object(object, SUM_MESH)]);
}

static ruga_status open_files(run_output *output, const checkpoint *from) {
    const run_plan *plan = output->plan;
    const size_t times = output->time_count;
    TRY(open_table(output, "timings.csv", SUM_TIMINGS, 0, times, &output->timings));
    TRY(open_table(output, "measures.csv", SUM_MEASURES, times, output->column_count - times, &output->measures));
    for (size_t i = 0; i < plan->object_count && plan->formats; i++) {
        if (!from) TRY(write_mesh(output, i));
        if (plan_has_cache(plan)) TRY(open_cache(output, i, from ? from->frames : 0));
    }
    return RUGA_OK;
}

/* Whether frames are so large that it pays to write them while the next is computed. The file systems of tests are not
 * safe for threads. */
static int background_pays(const run_output *output) {
    size_t size = 0;
    for (size_t i = 0; i < output->plan->object_count; i++)
        if (output->caches[i]) size += ruga_scene_object_mesh(output->scene, i)->vertex_count * 12;
    if (output->habits.background_size == 0) return 1;
    return size >= output->habits.background_size && machine_core_count() > 1 &&
           output->context->file_system == file_system_disk();
}

ruga_status output_open(run_output *output, const checkpoint *from) {
    const size_t count = output->plan->object_count;
    TRY(NEW_ZEROED(output->context, &output->caches, count));
    TRY(NEW(output->context, &output->revisions, count));
    for (size_t i = 0; i < count; i++) output->revisions[i] = ruga_scene_frame(output->scene, i)->topology_revision;
    output->flushed_at = timer_now();
    output->has_checkpoint = from != NULL;
    TRY(list_columns(output));
    TRY(open_files(output, from));
    return background_pays(output) ? background_create(output->context, &output->background) : RUGA_OK;
}

static void close_caches(run_output *output) {
    for (size_t i = 0; output->caches && i < output->plan->object_count; i++) {
        ruga_motion_writer_destroy(output->caches[i]);
        output->caches[i] = NULL;
    }
}

void output_close(run_output *output) {
    if (!output->context) return;
    background_destroy(output->background);
    close_caches(output);
    RELEASE_ALL(output->context, output->caches, output->revisions, output->hashes);
    file_close(output->timings);
    file_close(output->measures);
    file_close(output->log);
    RELEASE_ALL(output->context, output->columns, output->values);
    *output = (run_output){0};
}

/* ---- Frames. */

/* Writes the files of sequences, and puts the frame into the buffer of a cache. */
static ruga_status encode_object(run_output *output, size_t object) {
    static const struct {
        ruga_output_format format;
        int sum;
        const char *ending;
    } sequences[] = {{RUGA_OUTPUT_OBJ, SUM_OBJ, ".obj"}, {RUGA_OUTPUT_PLY, SUM_PLY, ".ply"}};
    const ruga_file_def def = file_def(output->plan);
    const ruga_mesh *mesh = ruga_scene_object_mesh(output->scene, object);
    const ruga_frame *frame = ruga_scene_frame(output->scene, object);
    for (int i = 0; i < 2; i++) {
        if (!plan_has(output->plan, sequences[i].format)) continue;
        run_path path;
        plan_frame_path(output->plan, object, output->frame, sequences[i].ending, path);
        rolling_hash *hash = &output->hashes[sums_of_object(object, sequences[i].sum)];
        const uint64_t before = hash->size;
        TRY(io_mesh_write(mesh, frame, path, &def, 0, hash));
        sums_end_frame(hash, before);
        output->unflushed_size += frame->vertex_count * TEXT_SIZE;
    }
    if (!output->caches[object]) return RUGA_OK;
    if (frame->topology_revision != output->revisions[object])
        return fail_unsupported(
            output->context,
            "object \"%s\": its mesh changes at frame %d, and the formats pc2, glb and usda have one mesh "
            "for all frames; set output.formats to \"obj\" or \"ply\"",
            output->plan->objects[object].name, output->frame);
    output->unflushed_size += frame->vertex_count * 12;
    return pc2_writer_encode(output->caches[object], frame);
}

/* Writes caches, then tables. measures.csv is last: a frame that has a line there can be read. */
static ruga_status write_encoded(void *user) {
    run_output *output = user;
    const double begin = timer_now();
    for (size_t i = 0; i < output->plan->object_count; i++)
        if (output->caches[i]) TRY(pc2_writer_write(output->caches[i]));
    const size_t times = output->time_count;
    output->values[times - 1] = output->write_seconds + timer_now() - begin;
    TRY(table_write_row(output->timings, output->frame, output->values, times));
    TRY(file_hand_over(output->timings));
    TRY(table_write_row(output->measures, output->frame, output->values + times, output->column_count - times));
    return file_hand_over(output->measures);
}

ruga_status output_write_frame(run_output *output) {
    TRY(background_wait(output->background));
    const double begin = timer_now();
    output->frame = ruga_scene_frame_number(output->scene);
    for (size_t i = 0; i < output->plan->object_count && output->plan->formats; i++) TRY(encode_object(output, i));
    /* Leave a gap between timings and other measures for the time of writing. */
    const size_t times = output->time_count, others = output->column_count - times;
    ruga_scene_measures(output->scene, output->values);
    memmove(output->values + times, output->values + times - 1, others * sizeof(double));
    output->write_seconds = timer_now() - begin;
    TRY(file_hand_over(output->log));
    if (!output->background) return write_encoded(output);
    background_start(output->background, write_encoded, output);
    return RUGA_OK;
}

/* ---- Checkpoints. */

/* Whether a power cut would lose so much work that it pays to wait for the disk. */
static int flush_is_due(const run_output *output) {
    const double elapsed = timer_now() - output->flushed_at;
    if (output->habits.flush_after <= 0) return 1;
    return elapsed >= output->habits.flush_after &&
           elapsed * FLUSH_SHARE >= (double)output->unflushed_size / DISK_SPEED;
}

static ruga_status flush_sequence(const run_output *output, size_t object, const char *ending, int frames) {
    run_path path;
    for (int i = output->flushed_frames; i < frames; i++) {
        plan_frame_path(output->plan, object, output->plan->start_frame + i, ending, path);
        TRY(file_flush_named(output->context, path));
    }
    return RUGA_OK;
}

/* Flushes the tables and all files that are closed: those of the start once, those of every frame. */
static ruga_status flush_files(run_output *output, int frames) {
    const run_plan *plan = output->plan;
    run_path path;
    TRY(file_flush(output->timings));
    TRY(file_flush(output->measures));
    for (size_t i = 0; i < plan->object_count; i++) {
        if (plan_has(plan, RUGA_OUTPUT_OBJ)) TRY(flush_sequence(output, i, ".obj", frames));
        if (plan_has(plan, RUGA_OUTPUT_PLY)) TRY(flush_sequence(output, i, ".ply", frames));
        if (output->start_is_flushed || !plan->formats) continue;
        plan_object_path(plan, i, ".obj", path);
        TRY(file_flush_named(output->context, path));
    }
    if (!output->start_is_flushed) {
        plan_path(plan, "scene.json", path);
        TRY(file_flush_named(output->context, path));
        plan_path(plan, "run.json", path);
        TRY(file_flush_named(output->context, path));
    }
    return directory_flush(output->context, plan->directory);
}

/* Updates the headers of caches; with `flush`, writes all frames to the disk. */
static ruga_status settle(run_output *output, int frames, int flush) {
    TRY(background_wait(output->background));
    for (size_t i = 0; i < output->plan->object_count; i++)
        if (output->caches[i]) TRY(pc2_writer_settle(output->caches[i], flush));
    return flush ? flush_files(output, frames) : RUGA_OK;
}

static void remember_flush(run_output *output, int frames) {
    output->start_is_flushed = output->has_checkpoint = 1;
    output->unflushed_size = 0;
    output->flushed_frames = frames;
    output->flushed_at = timer_now();
}

ruga_status output_checkpoint(run_output *output, int frames) {
    const int flush = flush_is_due(output);
    TRY(settle(output, frames, flush));
    const size_t count = sums_count(output->plan);
    run_sum *sums = NULL;
    TRY(NEW(output->context, &sums, count));
    for (size_t i = 0; i < count; i++)
        sums[i] = (run_sum){output->hashes[i].size, rolling_hash_value(&output->hashes[i])};
    const checkpoint c = {.frames = frames, .sums = sums};
    uint64_t size = 0;
    ruga_status status =
        checkpoint_write(output->plan, &c, output->scene, flush, !flush && output->has_checkpoint, &size);
    memory_release(output->context, sums);
    TRY(status);
    output->unflushed_size += size;
    if (flush) remember_flush(output, frames);
    return RUGA_OK;
}

ruga_status output_flush_rest(run_output *output) {
    if (!output->has_checkpoint || output->unflushed_size == 0) return RUGA_OK;
    TRY(settle(output, output->plan->frames, 1));
    remember_flush(output, output->plan->frames);
    return RUGA_OK;
}

/* ---- The end. */

typedef struct assembly {
    ruga_motion *motion;
    ruga_motion_writer *writer;
    ruga_vec3 *positions, *normals; /* (vertex_count); normals NULL: without */
} assembly;

static ruga_status assemble_frames(const run_output *output, size_t object, const char *ending, int with_normals,
                                   assembly *a) {
    const run_plan *plan = output->plan;
    const ruga_mesh *mesh = ruga_scene_object_mesh(output->scene, object);
    const ruga_file_def read_def = file_def(plan);
    ruga_file_def write_def = read_def;
    /* glTF is always in metres and y up. */
    if (strcmp(ending, ".glb") == 0) {
        write_def.unit = 1;
        write_def.up = RUGA_AXIS_Y;
    }
    run_path path;
    plan_cache_path(plan, object, path);
    TRY(ruga_motion_read(output->context, path, mesh, &read_def, &a->motion));
    plan_object_path(plan, object, ending, path);
    TRY(ruga_motion_writer_create(mesh, path, &write_def, &a->writer));
    TRY(NEW(output->context, &a->positions, mesh->vertex_count));
    if (with_normals) TRY(NEW(output->context, &a->normals, mesh->vertex_count));

    const ruga_motion_info info = ruga_motion_get_info(a->motion);
    for (int i = 0; i < plan->frames; i++) {
        TRY(report_progress(output->context, "assembling", (double)i / plan->frames));
        TRY(ruga_motion_sample(a->motion, info.start + i / info.rate, a->positions));
        if (a->normals) TRY(ruga_mesh_normals(mesh, a->positions, a->normals));
        const ruga_frame frame = {.time = frame_time(plan, i),
                                  .vertex_count = mesh->vertex_count,
                                  .positions = a->positions,
                                  .normals = a->normals};
        TRY(ruga_motion_writer_append(a->writer, &frame));
    }
    return ruga_motion_writer_finish(a->writer);
}

static ruga_status assemble(const run_output *output, size_t object, const char *ending, int with_normals) {
    assembly a = {0};
    ruga_status status = assemble_frames(output, object, ending, with_normals, &a);
    ruga_motion_writer_destroy(a.writer);
    ruga_motion_destroy(a.motion);
    RELEASE_ALL(output->context, a.positions, a.normals);
    return status;
}

ruga_status output_assemble(run_output *output) {
    const run_plan *plan = output->plan;
    close_caches(output);
    for (size_t i = 0; i < plan->object_count && plan->frames > 0; i++) {
        if (plan_has(plan, RUGA_OUTPUT_GLB)) TRY(assemble(output, i, ".glb", 0));
        if (plan_has(plan, RUGA_OUTPUT_USDA)) TRY(assemble(output, i, ".usda", 1));
    }
    for (size_t i = 0; i < plan->object_count && plan_has(plan, RUGA_OUTPUT_PC2); i++) {
        run_path part, path;
        plan_cache_path(plan, i, part);
        plan_object_path(plan, i, ".pc2", path);
        TRY(file_rename(output->context, part, path));
    }
    return output->start_is_flushed ? directory_flush(output->context, plan->directory) : RUGA_OK;
}

ruga_status output_remove_working_files(const run_plan *plan) {
    if (plan_has(plan, RUGA_OUTPUT_PC2) || !plan_has_cache(plan)) return RUGA_OK;
    run_path path;
    for (size_t i = 0; i < plan->object_count; i++) {
        plan_cache_path(plan, i, path);
        TRY(file_remove(plan->context, path));
    }
    return RUGA_OK;
}
