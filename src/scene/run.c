/* Runs: begun, gone on with, stepped, stopped. What may happen in between is told in scene/run.h. */
#include "ruga/run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/state.h"
#include "base/timer.h"
#include "scene/run.h"

static const run_habits usual_habits = {.flush_after = 1, .background_size = 1 << 18};

#define LONG_FRAME 0.25 /* s: shorter ones are finished when the caller cancels */

/* ---- The context's callbacks while a run works. */

static void log_to_file(void *user, ruga_log_level level, const char *message) {
    ruga_run *run = user;
    output_log(&run->output, "%s%s", level == RUGA_LOG_WARNING ? "warning: " : "", message);
    if (run->outside.log) run->outside.log(run->outside.log_user, level, message);
}

static void run_enter(ruga_run *run) {
    run->outside = run->context->def;
    run->context->def.log = log_to_file;
    run->context->def.log_user = run;
}

static void run_leave(ruga_run *run) {
    run->context->def.log = run->outside.log;
    run->context->def.log_user = run->outside.log_user;
}

/* A wish to stop is heard at once where the state before the step is kept, else when the frame is whole. */
static int hear_cancel(void *user, const char *stage, double fraction) {
    ruga_run *run = user;
    if (run->outside.progress(run->outside.progress_user, stage, fraction)) run->cancel_wanted = 1;
    return run->cancel_wanted && run->whole_frame != NULL;
}

/* ---- Making and destroying. */

static ruga_status run_allocate(ruga_context *context, const run_habits *habits, ruga_run **out) {
    ruga_run *run = ALLOCATE_ZEROED(context, ruga_run, 1);
    if (!run) return fail_memory(context, sizeof *run);
    run->context = context;
    run->frames_safe = -1;
    run->begin = timer_now();
    run->output.habits = *habits;
    *out = run;
    return RUGA_OK;
}

void ruga_run_destroy(ruga_run *run) {
    if (!run) return;
    ruga_context *context = run->context;
    if (!run->is_done && !run->is_stopped) output_log(&run->output, "closed after %d frames", run->frames_done);
    output_close(&run->output);
    ruga_free(context, run->whole_frame);
    ruga_scene_destroy(run->scene);
    inputs_release(&run->inputs);
    ruga_description_destroy(run->description);
    file_lock_release(run->lock);
    plan_destroy(run->plan);
    memory_release(context, run);
}

/* A failure of a run that is there: says how to go on. What the scene itself leads to would only happen again. */
static ruga_status tell_how_to_resume(ruga_run *run, ruga_status status) {
    char message[sizeof run->context->message];
    snprintf(message, sizeof message, "%s", ruga_context_message(run->context));
    output_log(&run->output, "stopped after %d frames: %s", run->frames_done, message);
    if (status == RUGA_ERROR_INPUT) return fail_with(run->context, status, "%s", message);
    return fail_with(run->context, status, "%s; go on with: ruga resume %s", message, run->plan->directory);
}

static ruga_status take_lock(ruga_run *run) {
    run_path path;
    plan_path(run->plan, "lock", path);
    return file_lock_take(run->context, path, "a run is being written to this directory", &run->lock);
}

static void attach_output(ruga_run *run) {
    run->output.context = run->context;
    run->output.plan = run->plan;
    run->output.scene = run->scene;
}

static void log_begin(ruga_run *run, const char *what) {
    const run_plan *plan = run->plan;
    output_log(&run->output, "%s: Ruga %s, %s, %d threads, process %ld; frames %d to %d of %zu objects, %d done", what,
               plan->version, plan->isa, ruga_context_thread_count(run->context), (long)getpid(), plan->start_frame,
               plan->start_frame + plan->frames - 1, plan->object_count, run->frames_done);
}

/* ---- A new run. */

static ruga_status fail_existing(ruga_context *context, const char *directory) {
    return fail_with(context, RUGA_ERROR_INPUT,
                     "%s: there is a run in this directory already; go on with it by: ruga resume %s, "
                     "or begin anew with --replace",
                     directory, directory);
}

static ruga_status look_for_run(ruga_context *context, const char *directory, int *found) {
    run_path path;
    uint64_t size;
    if (snprintf(path, sizeof path, "%s/run.json", directory) >= (int)sizeof path) {
        *found = 0;
        return RUGA_OK;
    }
    return file_look(context, path, found, &size);
}

/* Of a run.json that is broken, as a power cut may leave it, can't be learned what the run wrote; files that this one will
 * write go then. */
static ruga_status remove_former(const ruga_run *run) {
    run_plan *former = NULL;
    ruga_status status = plan_read(run->context, run->plan->directory, &former);
    if (status == RUGA_ERROR_INPUT) return plan_remove_files(run->plan, PLAN_FILE);
    if (!RUGA_FAILED(status)) status = plan_remove_files(former, PLAN_FILE);
    plan_destroy(former);
    return status;
}

/* Removes what a former run wrote; else there must be nothing in the way. */
static ruga_status clear_directory(ruga_run *run, int replace, const char *scene_text, size_t scene_size) {
    const char *directory = run->plan->directory;
    int found = 0;
    TRY(look_for_run(run->context, directory, &found));
    if (found && !replace) return fail_existing(run->context, directory);
    if (found) TRY(remove_former(run));
    TRY(plan_remove_files(run->plan, PLAN_TEMPORARY));
    return plan_check_free(run->plan, scene_text, scene_size);
}

/* From here on there is a run in the directory. */
static ruga_status write_plan(const ruga_run *run, const char *scene_text, size_t scene_size) {
    run_path path;
    plan_path(run->plan, "scene.json", path);
    TRY(run_write_file(run->context, path, scene_text, scene_size, 0));
    ruga_status status = plan_write(run->plan, 0);
    if (!RUGA_FAILED(status)) return status;
    const file_system *files = run->context->file_system;
    (void)files->remove(files->user, path);
    return status;
}

static ruga_status start_output(ruga_run *run, const checkpoint *from, const char *what) {
    if (!run->output.log) TRY(output_open_log(&run->output));
    log_begin(run, what);
    if (!run->plan->complete) TRY(output_open(&run->output, from));
    return file_hand_over(run->output.log);
}

static ruga_status begin_in_directory(ruga_run *run, const ruga_contact_def *contact, int replace,
                                      const char *scene_text, size_t scene_size) {
    TRY(directory_make(run->context, run->plan->directory));
    TRY(take_lock(run));
    TRY(clear_directory(run, replace, scene_text, scene_size));
    run_remark remark = "";
    TRY(contact_look_at_start(run->plan, contact, run->scene, remark));
    TRY(write_plan(run, scene_text, scene_size));
    attach_output(run);
    ruga_status status = start_output(run, NULL, "run");
    if (!RUGA_FAILED(status) && remark[0]) log_warning(run->context, "%s", remark);
    return RUGA_FAILED(status) ? tell_how_to_resume(run, status) : RUGA_OK;
}

static ruga_status begin(ruga_run *run, const ruga_description *description, const char *directory, int replace) {
    const ruga_scene_def *def = ruga_description_get(description);
    char *text = NULL;
    size_t size = 0;
    run->checkpoint_every = def->output.checkpoint;
    TRY(inputs_create_scene(run->context, def, &run->inputs, &run->scene));
    TRY(ruga_description_write_memory(description, &text, &size));
    ruga_status status = plan_make(run->context, directory, def, run->scene, state_hash(text, size, 0), &run->plan);
    if (!RUGA_FAILED(status)) {
        run->plan->inputs = run->inputs.files.items;
        run->plan->input_count = run->inputs.files.count;
        status = begin_in_directory(run, &def->contact, replace, text, size);
    }
    ruga_free(run->context, text);
    return status;
}

ruga_status run_create(ruga_context *context, const ruga_description *description, const char *directory, int replace,
                       const run_habits *habits, ruga_run **out) {
    if (!description || !directory || !out)
        return fail_with(context, RUGA_ERROR_ARGUMENT,
                         "ruga_run_create needs a description, a directory and a place for the run");
    int found = 0;
    long process;
    TRY(look_for_run(context, directory, &found));
    /* While one is being written, the lock has the better message. */
    if (found && !replace && !run_is_held(context, directory, &process)) return fail_existing(context, directory);
    ruga_run *run = NULL;
    TRY(run_allocate(context, habits, &run));
    run_enter(run);
    ruga_status status = begin(run, description, directory, replace);
    run_leave(run);
    if (RUGA_FAILED(status)) {
        run->is_stopped = 1;
        ruga_run_destroy(run);
        return status;
    }
    *out = run;
    return RUGA_OK;
}

ruga_status ruga_run_create(ruga_context *context, const ruga_description *description, const char *directory,
                            int replace, ruga_run **out) {
    return run_create(context, description, directory, replace, &usual_habits, out);
}

/* ---- Going on with a run. */

/* The same program and instructions, or the bits would differ. */
static ruga_status check_program(const run_plan *plan) {
    const char *isa = ruga_isa_name(ruga_context_isa(plan->context));
    if (strcmp(plan->version, ruga_version()) != 0)
        return fail_with(plan->context, RUGA_ERROR_INPUT,
                         "%s: this run was begun by Ruga %s, and this is %s, whose results may differ; resume it with "
                         "the former, or begin anew with --replace",
                         plan->directory, plan->version, ruga_version());
    if (strcmp(plan->isa, isa) != 0)
        return fail_with(plan->context, RUGA_ERROR_INPUT,
                         "%s: this run was begun with %s instructions, and these are %s, whose results differ in the "
                         "last bits; choose the former: RUGA_ISA=%s",
                         plan->directory, plan->isa, isa, plan->isa);
    return RUGA_OK;
}

static ruga_status read_scene(ruga_run *run) {
    run_path path;
    plan_path(run->plan, "scene.json", path);
    unsigned char *text = NULL;
    size_t size = 0;
    TRY(file_read_whole(run->context, path, &text, &size));
    ruga_status status = RUGA_OK;
    if (state_hash(text, size, 0) != run->plan->scene_hash)
        status = fail_with(run->context, RUGA_ERROR_INPUT,
                           "%s: it was changed since the run began; undo that, or begin anew with: ruga run %s "
                           "--replace",
                           path, path);
    if (!RUGA_FAILED(status))
        status = ruga_description_read_memory(run->context, path, (const char *)text, size, &run->description);
    memory_release(run->context, text);
    return status;
}

static ruga_status make_scene(ruga_run *run) {
    const ruga_scene_def *def = ruga_description_get(run->description);
    run->checkpoint_every = def->output.checkpoint;
    TRY(inputs_create_scene(run->context, def, &run->inputs, &run->scene));
    if (!run->plan->complete) TRY(inputs_compare(&run->inputs, run->plan));
    const size_t count = ruga_scene_object_count(run->scene);
    if (count != run->plan->object_count || def->time.frames != run->plan->frames)
        return fail_with(run->context, RUGA_ERROR_INPUT,
                         "%s: run.json does not fit scene.json; begin anew with "
                         "--replace",
                         run->plan->directory);
    return RUGA_OK;
}

static ruga_status restore(ruga_run *run, const checkpoint *c) {
    if (c->bytes) {
        TRY(ruga_scene_restore(run->scene, c->scene, c->scene_size));
        run->frames_done = run->frames_safe = c->frames;
    }
    if (run->plan->complete) {
        run->frames_done = run->frames_safe = run->plan->frames;
        run->is_done = 1;
        TRY(output_remove_working_files(run->plan));
    }
    return start_output(run, c->bytes ? c : NULL, "resume");
}

static ruga_status go_on(ruga_run *run) {
    TRY(check_program(run->plan));
    TRY(read_scene(run));
    TRY(make_scene(run));
    TRY(plan_remove_files(run->plan, PLAN_TEMPORARY));
    attach_output(run);
    TRY(output_open_log(&run->output));
    checkpoint found = {0};
    TRY(checkpoint_read(run->plan, output_is_long_enough, &run->output, &found));
    ruga_status status = restore(run, &found);
    checkpoint_release(run->context, &found);
    return status;
}

/* What the former process wrote last is seen only once it is known to have ended. */
static ruga_status lock_and_go_on(ruga_run *run, const char *directory) {
    TRY(plan_read(run->context, directory, &run->plan));
    TRY(take_lock(run));
    run_plan *plan = NULL;
    TRY(plan_read(run->context, directory, &plan));
    plan_destroy(run->plan);
    run->plan = plan;
    ruga_status status = go_on(run);
    return status == RUGA_ERROR_FILE || status == RUGA_ERROR_CANCELLED ? tell_how_to_resume(run, status) : status;
}

ruga_status run_resume(ruga_context *context, const char *directory, const run_habits *habits, ruga_run **out) {
    if (!directory || !out)
        return fail_with(context, RUGA_ERROR_ARGUMENT, "ruga_run_resume needs a directory and a place for the run");
    ruga_run *run = NULL;
    TRY(run_allocate(context, habits, &run));
    run_enter(run);
    ruga_status status = lock_and_go_on(run, directory);
    run_leave(run);
    if (RUGA_FAILED(status)) {
        run->is_stopped = 1;
        ruga_run_destroy(run);
        return status;
    }
    *out = run;
    return RUGA_OK;
}

ruga_status ruga_run_resume(ruga_context *context, const char *directory, ruga_run **out) {
    return run_resume(context, directory, &usual_habits, out);
}

/* ---- Frames. */

static ruga_status write_checkpoint(ruga_run *run) {
    if (run->frames_safe == run->frames_done) return RUGA_OK;
    TRY(output_checkpoint(&run->output, run->frames_done));
    run->frames_safe = run->frames_done;
    output_log(&run->output, "checkpoint after %d of %d frames", run->frames_done, run->plan->frames);
    return RUGA_OK;
}

static ruga_status stop_here(ruga_run *run) {
    TRY(write_checkpoint(run));
    run->cancel_wanted = 0;
    return fail_with(run->context, RUGA_ERROR_CANCELLED, "stopped after %d of %d frames", run->frames_done,
                     run->plan->frames);
}

/* Keeps the state before a step that is expected to take long. */
static ruga_status keep_whole_frame(ruga_run *run) {
    ruga_free(run->context, run->whole_frame);
    run->whole_frame = NULL;
    if (!run->outside.progress || run->frame_seconds < LONG_FRAME) return RUGA_OK;
    return ruga_scene_save(run->scene, &run->whole_frame, &run->whole_frame_size);
}

static ruga_status step(ruga_run *run) {
    const double begin = timer_now();
    TRY(keep_whole_frame(run));
    if (run->outside.progress) {
        run->context->def.progress = hear_cancel;
        run->context->def.progress_user = run;
    }
    ruga_status status = ruga_scene_step(run->scene);
    run->context->def.progress = run->outside.progress;
    run->context->def.progress_user = run->outside.progress_user;
    run->frame_seconds = timer_now() - begin;
    if (status != RUGA_ERROR_CANCELLED || !run->whole_frame) return status;
    TRY(ruga_scene_restore(run->scene, run->whole_frame, run->whole_frame_size));
    return stop_here(run);
}

static ruga_status next_frame(ruga_run *run) {
    const run_plan *plan = run->plan;
    if (RUGA_FAILED(report_progress(run->context, "running", (double)run->frames_done / plan->frames)))
        return stop_here(run);
    TRY(step(run));
    TRY(output_write_frame(&run->output));
    contact_log_frame(&run->output);
    run->frames_done++;
    if (run->cancel_wanted) return stop_here(run);
    const int due = run->checkpoint_every > 0 && run->frames_done % run->checkpoint_every == 0;
    return due ? write_checkpoint(run) : RUGA_OK;
}

/* Makes everything whole. The order lets it be stopped and done again at any point. */
static ruga_status finish(ruga_run *run) {
    TRY(write_checkpoint(run));
    TRY(output_flush_rest(&run->output));
    TRY(output_assemble(&run->output));
    TRY(contact_sum_up(&run->output));
    run->plan->complete = 1;
    ruga_status status = plan_write(run->plan, run->output.begin_is_flushed);
    if (RUGA_FAILED(status)) {
        run->plan->complete = 0;
        return status;
    }
    TRY(output_remove_working_files(run->plan));
    run->is_done = 1;
    output_log(&run->output, "done: %d frames, %.3f s", run->plan->frames, timer_now() - run->begin);
    return RUGA_OK;
}

static ruga_status go_to_next(ruga_run *run) {
    if (run->frames_done < run->plan->frames) TRY(next_frame(run));
    return run->frames_done == run->plan->frames ? finish(run) : RUGA_OK;
}

static ruga_status check_usable(const ruga_run *run) {
    if (run->is_done) return fail_with(run->context, RUGA_ERROR_ARGUMENT, "the run is done; there is no next frame");
    if (run->is_stopped)
        return fail_with(run->context, RUGA_ERROR_ARGUMENT,
                         "the run was stopped by a failure; destroy it and go on with ruga_run_resume");
    return RUGA_OK;
}

/* A run that was cancelled between frames may be gone on with; after any other failure its files are in disorder. */
static ruga_status end_call(ruga_run *run, ruga_status status) {
    run_leave(run);
    if (!RUGA_FAILED(status)) return status;
    run->is_stopped = status != RUGA_ERROR_CANCELLED || run->frames_done == run->plan->frames;
    return tell_how_to_resume(run, status);
}

ruga_status ruga_run_next(ruga_run *run) {
    TRY(check_usable(run));
    run_enter(run);
    return end_call(run, go_to_next(run));
}

ruga_status ruga_run_checkpoint(ruga_run *run) {
    TRY(check_usable(run));
    run_enter(run);
    return end_call(run, write_checkpoint(run));
}

int ruga_run_is_done(const ruga_run *run) { return run->is_done; }
ruga_scene *ruga_run_scene(ruga_run *run) { return run->scene; }
int ruga_run_frames_done(const ruga_run *run) { return run->frames_done; }
int ruga_run_frame_count(const ruga_run *run) { return run->plan->frames; }
