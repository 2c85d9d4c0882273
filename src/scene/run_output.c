/* What a run writes frame by frame: caches, sequences, tables and the log; and GLB and USD from the caches at the end. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/background.h"
#include "base/threads.h"
#include "base/timer.h"
#include "io/io.h"
#include "scene/run.h"

#define DISK_SPEED 2e8   /* bytes/s, that a disk is expected to take at least */
#define FLUSH_SHARE 0.05 /* part of the time that may go into waiting for the disk */
#define TEXT_SIZE 100    /* bytes of a vertex in a sequence's file, about */

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

static ruga_status last_byte(ruga_context *context, const char *path, uint64_t size, char *byte) {
    file *f = NULL;
    TRY(file_open(context, path, &f));
    ruga_status status = file_seek(f, size - 1);
    if (!RUGA_FAILED(status)) status = file_read(f, byte, 1);
    file_close(f);
    return status;
}

/* The log is never cut back: it tells what happened, also to what was lost. Half a line at its end is ended. */
ruga_status output_open_log(run_output *output) {
    run_path path;
    plan_path(output->plan, "log.txt", path);
    int found = 0;
    uint64_t size = 0;
    char last = '\n';
    TRY(file_look(output->context, path, &found, &size));
    if (!found) size = 0;
    if (size > 0) TRY(last_byte(output->context, path, size, &last));
    TRY(file_append(output->context, path, size, &output->log));
    return last == '\n' ? RUGA_OK : file_write(output->log, "\n", 1);
}

/* ---- Opening and closing. */

static ruga_status open_table(run_output *output, const char *name, uint64_t size, size_t first, size_t count,
                              file **out) {
    run_path path;
    plan_path(output->plan, name, path);
    TRY(file_append(output->context, path, size, out));
    if (size > 0) return RUGA_OK;
    TRY(table_write_names(*out, output->columns + first, count));
    return file_hand_over(*out);
}

/* The scene's measures, timings first, and the time it took to write behind the timings. */
static ruga_status list_columns(run_output *output) {
    const size_t count = ruga_scene_measure_count(output->scene);
    output->columns = ALLOCATE(output->context, ruga_measure, count + 1);
    output->values = ALLOCATE(output->context, double, count + 1);
    if (!output->columns || !output->values) return fail_memory(output->context, count * sizeof *output->columns);
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

/* A run that was stopped between renaming its caches and saying that it is complete has some with their final name. */
static ruga_status take_back_name(const run_output *output, size_t object, const char *part) {
    run_path path;
    int found = 0;
    uint64_t size;
    TRY(file_look(output->context, part, &found, &size));
    if (found) return RUGA_OK;
    plan_object_path(output->plan, object, ".pc2", path);
    TRY(file_look(output->context, path, &found, &size));
    return found ? file_rename(output->context, path, part) : RUGA_OK;
}

static ruga_status open_cache(run_output *output, size_t object, int frames) {
    const ruga_file_def def = file_def(output->plan);
    const ruga_mesh *mesh = ruga_scene_object_mesh(output->scene, object);
    run_path path;
    plan_cache_path(output->plan, object, path);
    TRY(take_back_name(output, object, path));
    return pc2_writer_continue(mesh, path, &def, frame_time(output->plan, 0), (size_t)frames, &output->caches[object]);
}

/* The mesh that the frames are frames of; in a run that goes on it is there already. */
static ruga_status write_mesh(const run_output *output, size_t object, int anew) {
    const ruga_file_def def = file_def(output->plan);
    run_path path;
    plan_object_path(output->plan, object, ".obj", path);
    int found = 0;
    uint64_t size = 0;
    if (!anew) TRY(file_look(output->context, path, &found, &size));
    if (found && size > 0) return RUGA_OK;
    return io_mesh_write(ruga_scene_object_mesh(output->scene, object), NULL, path, &def, 0);
}

static ruga_status open_files(run_output *output, const checkpoint *from) {
    const run_plan *plan = output->plan;
    const size_t times = output->time_count;
    TRY(open_table(output, "timings.csv", from ? from->timings_size : 0, 0, times, &output->timings));
    TRY(open_table(output, "measures.csv", from ? from->measures_size : 0, times, output->column_count - times,
                   &output->measures));
    for (size_t i = 0; i < plan->object_count && plan->formats; i++) {
        TRY(write_mesh(output, i, !from));
        if (plan_has_cache(plan)) TRY(open_cache(output, i, from ? from->frames : 0));
    }
    return RUGA_OK;
}

/* Whether frames are so large that it pays to write them beside the next step. Tests' file systems know one thread. */
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
    output->caches = ALLOCATE_ZEROED(output->context, ruga_motion_writer *, count);
    output->revisions = ALLOCATE(output->context, uint64_t, count);
    if (!output->caches || !output->revisions) return fail_memory(output->context, count * sizeof *output->caches);
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
    memory_release(output->context, output->caches);
    memory_release(output->context, output->revisions);
    file_close(output->timings);
    file_close(output->measures);
    file_close(output->log);
    memory_release(output->context, output->columns);
    memory_release(output->context, output->values);
    *output = (run_output){0};
}

/* ---- Frames. */

static ruga_status write_sequences(run_output *output, size_t object, const ruga_frame *frame) {
    static const struct {
        ruga_output_format format;
        const char *ending;
    } sequences[] = {{RUGA_OUTPUT_OBJ, ".obj"}, {RUGA_OUTPUT_PLY, ".ply"}};
    const ruga_file_def def = file_def(output->plan);
    const ruga_mesh *mesh = ruga_scene_object_mesh(output->scene, object);
    run_path path;
    for (int i = 0; i < 2; i++) {
        if (!plan_has(output->plan, sequences[i].format)) continue;
        plan_frame_path(output->plan, object, output->frame, sequences[i].ending, path);
        TRY(io_mesh_write(mesh, frame, path, &def, 0));
        output->unflushed_size += frame->vertex_count * TEXT_SIZE;
    }
    return RUGA_OK;
}

/* A sequence's file at once; a cache's frame into its buffer. */
static ruga_status encode_object(run_output *output, size_t object) {
    const ruga_frame *frame = ruga_scene_frame(output->scene, object);
    TRY(write_sequences(output, object, frame));
    if (!output->caches[object]) return RUGA_OK;
    if (frame->topology_revision != output->revisions[object])
        return fail_with(output->context, RUGA_ERROR_UNSUPPORTED,
                         "object \"%s\": its mesh changes at frame %d, which a cache can't hold; set output.formats "
                         "to \"obj\" or \"ply\"",
                         output->plan->objects[object].name, output->frame);
    output->unflushed_size += frame->vertex_count * 12;
    return pc2_writer_encode(output->caches[object], frame);
}

/* measures.csv comes last: a frame that has a line there can be read. */
static ruga_status write_tables(run_output *output) {
    const size_t times = output->time_count;
    TRY(table_write_row(output->timings, output->frame, output->values, times));
    TRY(file_hand_over(output->timings));
    TRY(table_write_row(output->measures, output->frame, output->values + times, output->column_count - times));
    return file_hand_over(output->measures);
}

/* What was encoded and measured goes into the files. */
static ruga_status write_encoded(void *user) {
    run_output *output = user;
    const double begin = timer_now();
    for (size_t i = 0; i < output->plan->object_count; i++)
        if (output->caches[i]) TRY(pc2_writer_write(output->caches[i]));
    output->values[output->time_count - 1] = output->write_seconds + timer_now() - begin;
    return write_tables(output);
}

/* The scene's measures with a gap for the time it takes to write. */
static void take_measures(run_output *output) {
    const size_t times = output->time_count, others = output->column_count - times;
    ruga_scene_measures(output->scene, output->values);
    memmove(output->values + times, output->values + times - 1, others * sizeof(double));
}

ruga_status output_write_frame(run_output *output) {
    TRY(background_wait(output->background));
    const double begin = timer_now();
    output->frame = ruga_scene_frame_number(output->scene);
    for (size_t i = 0; i < output->plan->object_count && output->plan->formats; i++) TRY(encode_object(output, i));
    take_measures(output);
    output->write_seconds = timer_now() - begin;
    TRY(file_hand_over(output->log));
    if (!output->background) return write_encoded(output);
    background_start(output->background, write_encoded, output);
    return RUGA_OK;
}

/* ---- Checkpoints. */

/* Whether so much work is at stake that it pays to wait for the disk. */
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

/* Files that are closed: those of the beginning once, those of each frame. */
static ruga_status flush_closed_files(run_output *output, int frames) {
    const run_plan *plan = output->plan;
    run_path path;
    for (size_t i = 0; i < plan->object_count; i++) {
        if (plan_has(plan, RUGA_OUTPUT_OBJ)) TRY(flush_sequence(output, i, ".obj", frames));
        if (plan_has(plan, RUGA_OUTPUT_PLY)) TRY(flush_sequence(output, i, ".ply", frames));
        if (output->begin_is_flushed || !plan->formats) continue;
        plan_object_path(plan, i, ".obj", path);
        TRY(file_flush_named(output->context, path));
    }
    if (output->begin_is_flushed) return RUGA_OK;
    plan_path(plan, "scene.json", path);
    TRY(file_flush_named(output->context, path));
    plan_path(plan, "run.json", path);
    return file_flush_named(output->context, path);
}

static ruga_status flush_files(run_output *output, int frames) {
    TRY(file_flush(output->timings));
    TRY(file_flush(output->measures));
    TRY(flush_closed_files(output, frames));
    return directory_flush(output->context, output->plan->directory);
}

/* Headers of caches are made true; with `flush`, all of the frames go to the disk. */
static ruga_status settle(run_output *output, int frames, int flush) {
    TRY(background_wait(output->background));
    for (size_t i = 0; i < output->plan->object_count; i++)
        if (output->caches[i]) TRY(pc2_writer_settle(output->caches[i], flush));
    return flush ? flush_files(output, frames) : RUGA_OK;
}

static void remember_flush(run_output *output, int frames) {
    output->begin_is_flushed = output->has_checkpoint = 1;
    output->unflushed_size = 0;
    output->flushed_frames = frames;
    output->flushed_at = timer_now();
}

ruga_status output_checkpoint(run_output *output, int frames) {
    const int flush = flush_is_due(output);
    TRY(settle(output, frames, flush));
    const checkpoint c = {
        .frames = frames, .timings_size = file_size(output->timings), .measures_size = file_size(output->measures)};
    uint64_t size = 0;
    TRY(checkpoint_write(output->plan, &c, output->scene, flush, !flush && output->has_checkpoint, &size));
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

static ruga_status has_size(ruga_context *context, const char *path, uint64_t wanted, int *answer) {
    int found = 0;
    uint64_t size = 0;
    TRY(file_look(context, path, &found, &size));
    *answer &= found && size >= wanted;
    return RUGA_OK;
}

static ruga_status sequence_is_there(const run_output *output, size_t object, const char *ending, int frames,
                                     int *answer) {
    run_path path;
    for (int i = 0; i < frames && *answer; i++) {
        plan_frame_path(output->plan, object, output->plan->start_frame + i, ending, path);
        TRY(has_size(output->context, path, 1, answer));
    }
    return RUGA_OK;
}

static ruga_status cache_is_long_enough(const run_output *output, size_t object, int frames, int *answer) {
    const ruga_mesh *mesh = ruga_scene_object_mesh(output->scene, object);
    const uint64_t wanted = ruga_motion_written_size(mesh, (size_t)frames, RUGA_FORMAT_PC2);
    run_path path;
    plan_cache_path(output->plan, object, path);
    int part = 1;
    TRY(has_size(output->context, path, wanted, &part));
    if (!part && plan_has(output->plan, RUGA_OUTPUT_PC2)) {
        plan_object_path(output->plan, object, ".pc2", path);
        part = 1;
        TRY(has_size(output->context, path, wanted, &part));
    }
    *answer &= part;
    return RUGA_OK;
}

ruga_status output_is_long_enough(void *user, const checkpoint *c, int *answer) {
    const run_output *output = user;
    const run_plan *plan = output->plan;
    run_path path;
    *answer = 1;
    /* What is complete needs no files to go on with. */
    if (plan->complete) return RUGA_OK;
    plan_path(plan, "timings.csv", path);
    TRY(has_size(output->context, path, c->timings_size, answer));
    plan_path(plan, "measures.csv", path);
    TRY(has_size(output->context, path, c->measures_size, answer));
    for (size_t i = 0; i < plan->object_count && *answer; i++) {
        if (plan_has_cache(plan)) TRY(cache_is_long_enough(output, i, c->frames, answer));
        if (plan_has(plan, RUGA_OUTPUT_OBJ)) TRY(sequence_is_there(output, i, ".obj", c->frames, answer));
        if (plan_has(plan, RUGA_OUTPUT_PLY)) TRY(sequence_is_there(output, i, ".ply", c->frames, answer));
    }
    return RUGA_OK;
}

/* ---- The end. */

typedef struct assembly {
    const run_output *output;
    const ruga_mesh *mesh;
    ruga_motion *motion;
    ruga_motion_writer *writer;
    ruga_vec3 *positions, *normals; /* (vertex_count); normals NULL: without */
} assembly;

static ruga_status assemble_frames(assembly *a) {
    const run_plan *plan = a->output->plan;
    const ruga_motion_info info = ruga_motion_get_info(a->motion);
    for (int i = 0; i < plan->frames; i++) {
        TRY(report_progress(a->output->context, "assembling", (double)i / plan->frames));
        TRY(ruga_motion_sample(a->motion, info.start + i / info.rate, a->positions));
        if (a->normals) TRY(ruga_mesh_normals(a->mesh, a->positions, a->normals));
        const ruga_frame frame = {.time = frame_time(plan, i),
                                  .vertex_count = a->mesh->vertex_count,
                                  .positions = a->positions,
                                  .normals = a->normals};
        TRY(ruga_motion_writer_append(a->writer, &frame));
    }
    return ruga_motion_writer_finish(a->writer);
}

static ruga_status open_assembly(assembly *a, size_t object, const char *ending, int with_normals) {
    const run_plan *plan = a->output->plan;
    ruga_context *context = a->output->context;
    const size_t count = a->mesh->vertex_count;
    const ruga_file_def read_def = file_def(plan);
    ruga_file_def write_def = read_def;
    /* glTF is in metres and y up whatever the others are. */
    if (strcmp(ending, ".glb") == 0) {
        write_def.unit = 1;
        write_def.up = RUGA_AXIS_Y;
    }
    run_path path;
    plan_cache_path(plan, object, path);
    TRY(ruga_motion_read(context, path, a->mesh, &read_def, &a->motion));
    plan_object_path(plan, object, ending, path);
    TRY(ruga_motion_writer_create(a->mesh, path, &write_def, &a->writer));
    a->positions = ALLOCATE(context, ruga_vec3, count);
    if (with_normals) a->normals = ALLOCATE(context, ruga_vec3, count);
    if (!a->positions || (with_normals && !a->normals)) return fail_memory(context, count * sizeof(ruga_vec3));
    return RUGA_OK;
}

static ruga_status assemble(const run_output *output, size_t object, const char *ending, int with_normals) {
    assembly a = {.output = output, .mesh = ruga_scene_object_mesh(output->scene, object)};
    ruga_status status = open_assembly(&a, object, ending, with_normals);
    if (!RUGA_FAILED(status)) status = assemble_frames(&a);
    ruga_motion_writer_destroy(a.writer);
    ruga_motion_destroy(a.motion);
    memory_release(output->context, a.positions);
    memory_release(output->context, a.normals);
    return status;
}

static ruga_status give_name(const run_output *output, size_t object) {
    run_path from, to;
    plan_cache_path(output->plan, object, from);
    plan_object_path(output->plan, object, ".pc2", to);
    return file_rename(output->context, from, to);
}

ruga_status output_assemble(run_output *output) {
    const run_plan *plan = output->plan;
    close_caches(output);
    for (size_t i = 0; i < plan->object_count && plan->frames > 0; i++) {
        if (plan_has(plan, RUGA_OUTPUT_GLB)) TRY(assemble(output, i, ".glb", 0));
        if (plan_has(plan, RUGA_OUTPUT_USDA)) TRY(assemble(output, i, ".usda", 1));
    }
    for (size_t i = 0; i < plan->object_count; i++)
        if (plan_has(plan, RUGA_OUTPUT_PC2)) TRY(give_name(output, i));
    return output->begin_is_flushed ? directory_flush(output->context, plan->directory) : RUGA_OK;
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
