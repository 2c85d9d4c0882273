#include "runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "frames.h"
#include "report.h"
#include "runs.h"
#include "scenes.h"

/* ---- A run in its directory. */
typedef struct running {
    ruga_run *run;
    ruga_status status; /* of the last frame */
} running;

static int next_frame(session *s, void *user, size_t frame) {
    running *r = user;
    (void)s, (void)frame;
    r->status = ruga_run_next(r->run);
    return RUGA_FAILED(r->status);
}

/* Whether the scene of a run that was complete already is at its end: that state is in the checkpoint alone. */
static int has_last_state(session *s, ruga_run *run, const char *directory, int *code) {
    ruga_run_record *record = NULL;
    *code = read_run(s, directory, &record);
    if (*code) return 0;
    const int last = record->start_frame + record->frames - 1;
    ruga_run_record_destroy(s->context, record);
    return ruga_scene_frame_number(ruga_run_scene(run)) == last;
}

int run_state_hash(session *s, ruga_run *run, const char *directory, int frames_run, char text[RUN_HASH_SIZE]) {
    uint64_t hash = 0;
    int code = 0;
    text[0] = 0;
    if (frames_run == 0 && !has_last_state(s, run, directory, &code)) return code;
    code = output_code(s, ruga_scene_state_hash(ruga_run_scene(run), &hash));
    if (!code) snprintf(text, RUN_HASH_SIZE, "%016" PRIx64, hash);
    return code;
}

static int report_run(session *s, const char *directory, ruga_run *run, int first, double seconds) {
    int count = ruga_run_frame_count(run), ran = ruga_run_frames_done(run) - first;
    double speed = seconds > 0 ? ran / seconds : 0;
    char hash[RUN_HASH_SIZE];
    TRY_CODE(run_state_hash(s, run, directory, ran, hash));
    if (ran == 0)
        session_remark(s, "%s: complete, %d frames\n", directory, count);
    else
        session_remark(s, "ran %d frame%s in %s s, %s frames/s, into %s\n", ran, ran == 1 ? "" : "s",
                       with_digits(seconds), with_digits(speed), directory);
    const report_field fields[] = {REPORT_TEXT("directory", directory),       REPORT_NUMBER("frames", count),
                                   REPORT_NUMBER("resumed_after", first),     REPORT_NUMBER("seconds", seconds),
                                   REPORT_NUMBER("frames_per_second", speed), REPORT_TEXT("state_hash", hash)};
    return report_json(s, fields, sizeof fields / sizeof fields[0] - !hash[0]);
}

int run_step_all(session *s, ruga_run *run, const char *directory, double *seconds) {
    running r = {.run = run};
    int first = ruga_run_frames_done(run), count = ruga_run_frame_count(run);
    double begun = seconds_now();
    s->resumable = 1;
    s->stop_note =
        "stopping after this frame; Ctrl-C again stops at once, and loses what came after the last checkpoint";
    int stopped = frames_each(s, "frame", (size_t)first, (size_t)count, next_frame, &r);
    /* Killed after its last frame, a run lacks only its end. */
    if (!stopped && !ruga_run_is_done(run)) r.status = ruga_run_next(run);
    s->resumable = 0;
    *seconds = seconds_now() - begun;
    int code = session_interrupt_code();
    if (!code || ruga_run_is_done(run)) return output_code(s, r.status);
    /* Between two frames, a checkpoint keeps them all; within one, the run resumes from the last checkpoint. */
    if (!RUGA_FAILED(r.status)) r.status = ruga_run_checkpoint(run);
    if (RUGA_FAILED(r.status) && r.status != RUGA_ERROR_CANCELLED) return output_code(s, r.status);
    return session_error(s, code, "interrupted after %d of %d frames; continue with: ruga resume %s",
                         ruga_run_frames_done(run), count, directory);
}

int run_to_end(session *s, ruga_run *run, const char *directory) {
    int first = ruga_run_frames_done(run);
    double seconds;
    int code = run_step_all(s, run, directory, &seconds);
    if (!code) code = report_run(s, directory, run, first, seconds);
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

int run_description(session *s, const char *title, const ruga_description *description, const char *directory,
                    int replace) {
    static const char *const pictures[] = {".png", ".mp4", ".gif"};
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++)
        if (path_ends_in(directory, pictures[i]))
            return session_error(s, EXIT_USAGE,
                                 "%s: frames go into a directory; draw them afterwards: ruga render %.*s.run -o %s",
                                 directory, (int)(strlen(directory) - strlen(pictures[i])), directory, directory);
    TRY_CODE(report_findings(s, title, description));
    ruga_run *run = NULL;
    int code = output_code(s, ruga_run_create(s->context, description, directory, replace, &run));
    return code ? code : run_to_end(s, run, directory);
}

/* ---- One file. */
typedef struct stepped_object {
    ruga_scene *scene;
    size_t object;
} stepped_object;

static int step_object(session *s, void *user, size_t frame, ruga_frame *out) {
    stepped_object *o = user;
    (void)frame;
    int code = output_code(s, ruga_scene_step(o->scene));
    if (!code) *out = *ruga_scene_frame(o->scene, o->object);
    return code;
}

int run_to_file(session *s, const ruga_description *description, const char *object, const char *path) {
    const ruga_scene_def *def = ruga_description_get(description);
    stepped_object stepped = {0};
    TRY_CODE(input_code(s, ruga_scene_create_checked(description, &stepped.scene)));
    stepped.object = ruga_scene_object_find(stepped.scene, object);
    ruga_file_def file = ruga_file_def_default();
    file.format = ruga_format_from_path(path);
    file.unit = def->output.unit;
    file.up = (ruga_axis)def->output.up;
    file.rate = def->time.fps;
    file.start = def->time.start_frame / def->time.fps;
    const frame_source source = {.mesh = ruga_scene_object_mesh(stepped.scene, stepped.object),
                                 .doing = "frame",
                                 .count = (size_t)def->time.frames,
                                 .mesh_beside = 1,
                                 .make = step_object,
                                 .user = &stepped};
    int code = frames_write(s, &source, path, &file);
    if (!code) code = report_motion(s, path, source.mesh, source.count, &file);
    ruga_scene_destroy(stepped.scene);
    return code;
}
