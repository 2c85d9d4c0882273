#include "runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "files.h"
#include "scenes.h"

/* What is told about a run at its end. */
typedef struct run_report {
    const char *directory;
    int first, done, count; /* frames before this process, now, and in all */
    double seconds;
    uint64_t hash; /* of the state after the last frame */
} run_report;

static int json_report(session *s, const run_report *r) {
    char hash[24];
    ruga_json_writer *json;
    int code = session_json_begin(s, &json);
    if (code) return code;
    snprintf(hash, sizeof hash, "%016" PRIx64, r->hash);
    ruga_json_begin_object(json);
    ruga_json_key(json, "directory");
    ruga_json_string(json, r->directory);
    ruga_json_key(json, "frames");
    ruga_json_integer(json, r->count);
    ruga_json_key(json, "resumed_after");
    ruga_json_integer(json, r->first);
    ruga_json_key(json, "seconds");
    ruga_json_number(json, r->seconds);
    ruga_json_key(json, "frames_per_second");
    ruga_json_number(json, r->seconds > 0 ? (r->done - r->first) / r->seconds : 0);
    ruga_json_key(json, "state_hash");
    ruga_json_string(json, hash);
    ruga_json_end_object(json);
    return session_json_finish(s, json);
}

static int report(session *s, const run_report *r) {
    int ran = r->done - r->first;
    if (s->json) return json_report(s, r);
    if (ran == 0)
        session_remark(s, "%s: complete, %d frames\n", r->directory, r->count);
    else
        session_remark(s, "ran %d frame%s in %s s, %s frames/s, into %s\n", ran, ran == 1 ? "" : "s",
                       with_digits(r->seconds), with_digits(r->seconds > 0 ? ran / r->seconds : 0), r->directory);
    return 0;
}

/* Between two frames a checkpoint keeps them all; within one, the last checkpoint is where a resumed run begins. */
static int stopped(session *s, ruga_run *run, ruga_status status, const run_report *r) {
    if (!RUGA_FAILED(status)) status = ruga_run_checkpoint(run);
    if (RUGA_FAILED(status) && status != RUGA_ERROR_CANCELLED) return session_failed_output(s, status);
    return session_error(s, session_interrupt_code(), "interrupted after %d of %d frames; go on with: ruga resume %s",
                         r->done, r->count, r->directory);
}

static ruga_status step_to_end(session *s, ruga_run *run) {
    ruga_status status = RUGA_OK;
    size_t count = (size_t)ruga_run_frame_count(run);
    s->stop_note =
        "stopping after this frame; Ctrl-C again stops at once, and loses what came after the last checkpoint";
    while (!RUGA_FAILED(status) && !ruga_run_is_done(run) && !session_interrupt_code()) {
        progress_part(&s->bar, "frame", (size_t)ruga_run_frames_done(run), count);
        status = ruga_run_next(run);
    }
    progress_part(&s->bar, NULL, 0, 0);
    return status;
}

int run_to_end(session *s, ruga_run *run, const char *directory) {
    run_report r = {.directory = directory, .first = ruga_run_frames_done(run), .count = ruga_run_frame_count(run)};
    double begun = seconds_now();
    ruga_status status = step_to_end(s, run);
    int code;
    r.done = ruga_run_frames_done(run);
    r.seconds = seconds_now() - begun;
    if (session_interrupt_code() && !ruga_run_is_done(run))
        code = stopped(s, run, status, &r);
    else {
        if (!RUGA_FAILED(status)) status = ruga_scene_state_hash(ruga_run_scene(run), &r.hash);
        code = RUGA_FAILED(status) ? session_failed_output(s, status) : report(s, &r);
    }
    ruga_run_destroy(run);
    return code;
}

/* ---- Descriptions. */
int report_findings(session *s, const char *title, const ruga_description *description) {
    finding_counts counts = count_findings(description);
    if (counts.errors || !s->quiet) print_findings(s, 0, title, description);
    if (!counts.errors) return 0;
    char text[64];
    return session_error(s, EXIT_INPUT, "%s: %s; nothing was run", scene_title(title),
                         describe_counts(counts, text, sizeof text));
}

/* A run is drawn when it has been made. */
static int refuse_picture(session *s, const char *directory) {
    static const char *const pictures[] = {".png", ".mp4", ".gif"};
    const char *ending = strrchr(directory, '.');
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++)
        if (ending && strcmp(ending, pictures[i]) == 0)
            return session_error(s, EXIT_USAGE,
                                 "%s: frames go into a directory; draw them then: ruga render %.*s.run -o %s",
                                 directory, (int)(ending - directory), directory, directory);
    return 0;
}

int run_description(session *s, const char *title, const ruga_description *description, const char *directory,
                    int replace) {
    int code = refuse_picture(s, directory);
    if (!code) code = report_findings(s, title, description);
    if (code) return code;
    ruga_run *run = NULL;
    ruga_status status = ruga_run_create(s->context, description, directory, replace, &run);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : run_to_end(s, run, directory);
}

/* ---- One file. */
static int write_frames(session *s, ruga_scene *scene, size_t object, int count, ruga_motion_writer *writer) {
    ruga_status status = RUGA_OK;
    for (int i = 0; i < count && !RUGA_FAILED(status); i++) {
        progress_part(&s->bar, "frame", (size_t)i, (size_t)count);
        int code = session_interrupted(s);
        if (code) return code;
        status = ruga_scene_step(scene);
        if (!RUGA_FAILED(status)) status = ruga_motion_writer_append(writer, ruga_scene_frame(scene, object));
    }
    progress_part(&s->bar, NULL, 0, 0);
    if (!RUGA_FAILED(status)) status = ruga_motion_writer_finish(writer);
    return RUGA_FAILED(status) ? session_failed_output(s, status) : 0;
}

static int write_scene(session *s, ruga_scene *scene, const ruga_scene_def *def, size_t object, const char *path) {
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, object);
    ruga_file_def file = ruga_file_def_default();
    file.unit = def->output.unit;
    file.up = (ruga_axis)def->output.up;
    file.rate = def->time.fps;
    file.start = def->time.start_frame / def->time.fps;
    ruga_motion_writer *writer = NULL;
    ruga_status status = ruga_motion_writer_create(mesh, path, &file, &writer);
    if (RUGA_FAILED(status)) return session_failed_output(s, status);
    int code = write_frames(s, scene, object, def->time.frames, writer);
    ruga_motion_writer_destroy(writer);
    if (!code) code = write_mesh_beside_cache(s, mesh, path, &file);
    return code ? code : report_motion(s, path, mesh, (size_t)def->time.frames, &file);
}

int run_to_file(session *s, const ruga_description *description, const char *object, const char *path) {
    const ruga_scene_def *def = ruga_description_get(description);
    ruga_scene *scene = NULL;
    ruga_status status = ruga_scene_create(s->context, def, &scene);
    if (RUGA_FAILED(status)) return session_failed_input(s, status);
    int code = write_scene(s, scene, def, ruga_scene_object_find(scene, object), path);
    ruga_scene_destroy(scene);
    return code;
}
