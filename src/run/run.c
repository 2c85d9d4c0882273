/* Runs: create, resume, step, stop. run/run.h explains what may happen in between. */
#include "ruga/run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/state.h"
#include "base/timer.h"
#include "run/run.h"

static const run_habits usual_habits = {.flush_after = 1, .background_size = 1 << 18};

#define HELD "a run is being written to this directory"
#define LONG_FRAME 0.25 /* s: shorter frames are finished when the caller cancels */

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
    run->context->own_folder = run->plan ? run->plan->directory : NULL;
}

static void run_leave(ruga_run *run) {
    run->context->def.log = run->outside.log;
    run->context->def.log_user = run->outside.log_user;
    run->context->own_folder = NULL;
}

/* Cancelling stops a step at once where the state before it was kept, else after the frame. */
static int check_cancelled(void *user, const char *stage, double fraction) {
    ruga_run *run = user;
    if (run->outside.progress(run->outside.progress_user, stage, fraction)) run->cancel_wanted = 1;
    return run->cancel_wanted && run->whole_frame != NULL;
}

/* ---- Making and destroying. */

static ruga_status run_allocate(ruga_context *context, const run_habits *habits, ruga_run **out) {
    ruga_run *run = NULL;
    TRY(NEW_ZEROED(context, &run, 1));
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

#define STOPPED "stopped after "

/* Adds to the message of a failure how to resume. Errors of the scene itself would only occur again. */
static ruga_status explain_resume(ruga_run *run, ruga_status status) {
    char message[sizeof run->context->message];
    snprintf(message, sizeof message, "%s", ruga_context_message(run->context));
    if (strncmp(message, STOPPED, strlen(STOPPED)) == 0)
        output_log(&run->output, "%s", message);
    else
        output_log(&run->output, STOPPED "%d frames: %s", run->frames_done, message);
    if (status == RUGA_ERROR_INPUT) return fail_with(run->context, status, "%s", message);
    return fail_with(run->context, status, "%s; continue with: ruga resume %s", message, run->plan->directory);
}

static ruga_status take_lock(ruga_run *run) {
    run_path path;
    plan_path(run->plan, "lock", path);
    run->context->own_folder = run->plan->directory;
    return file_lock_take(run->context, path, HELD, &run->lock);
}

static ruga_status open_log(ruga_run *run) {
    run->output.context = run->context;
    run->output.plan = run->plan;
    run->output.scene = run->scene;
    TRY(NEW_ZEROED(run->context, &run->output.hashes, sums_count(run->plan)));
    return output_open_log(&run->output);
}

static ruga_status start_output(ruga_run *run, const checkpoint *from, const char *what) {
    const run_plan *plan = run->plan;
    output_log(&run->output, "%s: Ruga %s, %s, %d threads, process %ld; frames %d to %d of %zu objects, %d done", what,
               plan->version, plan->isa, ruga_context_thread_count(run->context), (long)getpid(), plan->start_frame,
               plan->start_frame + plan->frames - 1, plan->object_count, run->frames_done);
    if (!plan->complete) TRY(output_open(&run->output, from));
    return file_hand_over(run->output.log);
}

/* ---- A new run. */

static ruga_status fail_existing(ruga_context *context, const char *directory) {
    run_path path;
    int foreign = 0;
    TRY(plan_is_foreign(context, directory, &foreign));
    snprintf(path, sizeof path, "%s/run.json", directory);
    if (foreign) return plan_fail_foreign(context, path);
    return fail_input(
        context,
        "%s: this directory already has a run; continue it with: ruga resume %s, or replace it with: ruga "
        "run SCENE -o %s --replace",
        directory, directory, directory);
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

/* Refuses a run that is in the directory already, unless it is ours and `replace`. */
static ruga_status check_found(ruga_context *context, const char *directory, int replace, int *found) {
    int foreign = 0;
    TRY(look_for_run(context, directory, found));
    if (*found && replace) TRY(plan_is_foreign(context, directory, &foreign));
    return *found && (!replace || foreign) ? fail_existing(context, directory) : RUGA_OK;
}

ruga_status ruga_run_directory_check(ruga_context *context, const char *directory, int replace) {
    if (!directory) return fail_argument(context, "ruga_run_directory_check needs a directory");
    run_path path;
    long process;
    int found;
    if (!run_is_held(context, directory, &process)) return check_found(context, directory, replace, &found);
    /* Taking the lock fails with the message, or succeeds if the process ended meanwhile. */
    file_lock *lock = NULL;
    snprintf(path, sizeof path, "%s/lock", directory);
    TRY(file_lock_take(context, path, HELD, &lock));
    file_lock_release(lock);
    return check_found(context, directory, replace, &found);
}

/* Removes the files of an earlier run. A broken run.json, as a power cut may leave it, does not say which these are;
 * then the files that this run will write are removed. */
static ruga_status remove_former(const ruga_run *run) {
    run_plan *former = NULL;
    ruga_status status = plan_read(run->context, run->plan->directory, &former);
    if (status == RUGA_ERROR_INPUT) return plan_remove_files(run->plan, PLAN_FILE);
    if (!RUGA_FAILED(status)) status = plan_remove_files(former, PLAN_FILE);
    plan_destroy(former);
    return status;
}

/* Removes an earlier run if `replace`; fails if a file that this run would write exists. */
static ruga_status clear_directory(ruga_run *run, int replace, const char *scene_text, size_t scene_size) {
    const char *directory = run->plan->directory;
    int found = 0;
    TRY(check_found(run->context, directory, replace, &found));
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

static ruga_status begin_in_directory(ruga_run *run, const ruga_contact_def *contact, int replace,
                                      const char *scene_text, size_t scene_size) {
    TRY(directory_make(run->context, run->plan->directory));
    TRY(take_lock(run));
    TRY(clear_directory(run, replace, scene_text, scene_size));
    run_remark remark = "";
    TRY(contact_check_start(run->plan, contact, run->scene, remark));
    TRY(write_plan(run, scene_text, scene_size));
    ruga_status status = open_log(run);
    if (!RUGA_FAILED(status)) status = start_output(run, NULL, "run");
    if (!RUGA_FAILED(status) && remark[0]) log_warning(run->context, "%s", remark);
    return RUGA_FAILED(status) ? explain_resume(run, status) : RUGA_OK;
}

static ruga_status begin(ruga_run *run, const ruga_description *description, const char *directory, int replace) {
    const ruga_scene_def *def = ruga_description_get(description);
    char *text = NULL;
    size_t size = 0;
    run->checkpoint_every = def->output.checkpoint;
    TRY(inputs_create_scene(run->context, description, &run->inputs, &run->scene));
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
        return fail_argument(context, "ruga_run_create needs a description, a directory and a place for the run");
    TRY(ruga_run_directory_check(context, directory, replace));
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

/* ---- Resuming. */

/* Another version or instruction set would give other bits. */
static ruga_status check_program(const run_plan *plan) {
    const char *isa = ruga_isa_name(ruga_context_isa(plan->context));
    if (strcmp(plan->version, ruga_version()) != 0)
        return fail_input(plan->context,
                          "%s: Ruga %s started this run, and the results of Ruga %s may differ; resume it with the "
                          "former, or " START_AGAIN,
                          plan->directory, plan->version, ruga_version(), plan->directory, plan->directory);
    if (strcmp(plan->isa, isa) != 0)
        return fail_input(
            plan->context,
            "%s: this run was started with %s instructions, and the results of %s differ in the last bits; "
            "choose the former with RUGA_ISA=%s",
            plan->directory, plan->isa, isa, plan->isa);
    return RUGA_OK;
}

/* Reads scene.json, which must be the one that the run started with. out: NULL to look only. */
static ruga_status read_scene(const run_plan *plan, ruga_description **out) {
    run_path path;
    plan_path(plan, "scene.json", path);
    unsigned char *text = NULL;
    size_t size = 0;
    TRY(file_read_whole(plan->context, path, &text, &size));
    ruga_status status = RUGA_OK;
    if (state_hash(text, size, 0) != plan->scene_hash)
        status = fail_input(plan->context,
                            "%s: this file has changed since the run started; undo the change, or " START_AGAIN, path,
                            plan->directory, plan->directory);
    if (!RUGA_FAILED(status) && out)
        status = ruga_description_read_memory(plan->context, path, (const char *)text, size, out);
    memory_release(plan->context, text);
    return status;
}

static ruga_status make_scene(ruga_run *run) {
    const ruga_scene_def *def = ruga_description_get(run->description);
    run->checkpoint_every = def->output.checkpoint;
    TRY(inputs_create_scene(run->context, run->description, &run->inputs, &run->scene));
    if (!run->plan->complete) TRY(inputs_compare(&run->inputs, run->plan));
    const size_t count = ruga_scene_object_count(run->scene);
    const run_plan *plan = run->plan;
    if (count != plan->object_count || def->time.frames != plan->frames || def->time.start_frame != plan->start_frame ||
        def->time.fps != plan->fps || def->output.unit != plan->unit || (int)def->output.up != plan->up ||
        def->output.formats != plan->formats)
        return fail_input(run->context, "%s: run.json and scene.json do not belong together; " START_AGAIN,
                          run->plan->directory, run->plan->directory, run->plan->directory);
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

static ruga_status resume_locked(ruga_run *run) {
    TRY(check_program(run->plan));
    TRY(read_scene(run->plan, &run->description));
    TRY(make_scene(run));
    TRY(plan_remove_files(run->plan, PLAN_TEMPORARY));
    TRY(open_log(run));
    /* A complete run is not continued: its checkpoint has the last state, and run.json the sums of its files. */
    checkpoint found = {0};
    if (run->plan->complete) TRY(sums_check_complete(run->plan));
    TRY(checkpoint_read(run->plan, 1, run->plan->complete ? NULL : run->output.hashes, &found));
    ruga_status status = restore(run, &found);
    checkpoint_release(run->context, &found);
    return status;
}

static ruga_status lock_and_resume(ruga_run *run, const char *directory) {
    TRY(plan_read(run->context, directory, &run->plan));
    TRY(take_lock(run));
    /* Read run.json again: the former process may have written it until it released the lock. */
    run_plan *plan = NULL;
    TRY(plan_read(run->context, directory, &plan));
    plan_destroy(run->plan);
    run->plan = plan;
    run->context->own_folder = plan->directory;
    ruga_status status = resume_locked(run);
    return status == RUGA_ERROR_FILE || status == RUGA_ERROR_CANCELLED ? explain_resume(run, status) : status;
}

ruga_status run_resume(ruga_context *context, const char *directory, const run_habits *habits, ruga_run **out) {
    if (!directory || !out) return fail_argument(context, "ruga_run_resume needs a directory and a place for the run");
    ruga_run *run = NULL;
    TRY(run_allocate(context, habits, &run));
    run_enter(run);
    ruga_status status = lock_and_resume(run, directory);
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

/* ---- Verifying. */

static ruga_status verify_stopped(const run_plan *plan, int *frames) {
    static const char *const names[] = {"checkpoint", "checkpoint.new"};
    int existed = 0;
    for (int i = 0; i < 2; i++) {
        run_path path;
        int found = 0;
        uint64_t size;
        plan_path(plan, names[i], path);
        TRY(file_look(plan->context, path, &found, &size));
        existed |= found;
    }
    rolling_hash *hashes = NULL;
    checkpoint c = {0};
    TRY(NEW_ZEROED(plan->context, &hashes, sums_count(plan)));
    ruga_status status = checkpoint_read(plan, 0, hashes, &c);
    *frames = c.frames;
    const int fits = c.bytes != NULL;
    checkpoint_release(plan->context, &c);
    memory_release(plan->context, hashes);
    if (RUGA_FAILED(status) || fits || !existed) return status;
    return fail_input(plan->context,
                      "%s: its files fit none of its checkpoints (see the warnings); ruga resume %s starts again from "
                      "the first frame",
                      plan->directory, plan->directory);
}

ruga_status ruga_run_verify(ruga_context *context, const char *directory, int *frames) {
    if (!directory || !frames)
        return fail_argument(context, "ruga_run_verify needs a directory and a place for the frames");
    run_plan *plan = NULL;
    TRY(plan_read(context, directory, &plan));
    int whole = plan->frames;
    ruga_status status = read_scene(plan, NULL);
    if (!RUGA_FAILED(status)) status = plan->complete ? sums_check_complete(plan) : verify_stopped(plan, &whole);
    plan_destroy(plan);
    if (!RUGA_FAILED(status)) *frames = whole;
    return status;
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
    return fail_with(run->context, RUGA_ERROR_CANCELLED, STOPPED "%d of %d frames", run->frames_done,
                     run->plan->frames);
}

static ruga_status step(ruga_run *run) {
    const double begin = timer_now();
    /* Keep the state before a step that is expected to take long, so that cancelling it loses nothing. */
    ruga_free(run->context, run->whole_frame);
    run->whole_frame = NULL;
    if (run->outside.progress && run->frame_seconds >= LONG_FRAME)
        TRY(ruga_scene_save(run->scene, &run->whole_frame, &run->whole_frame_size));
    if (run->outside.progress) {
        run->context->def.progress = check_cancelled;
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

/* Completes all files. It may be interrupted and repeated at any point. */
static ruga_status finish(ruga_run *run) {
    TRY(write_checkpoint(run));
    TRY(output_flush_rest(&run->output));
    TRY(output_assemble(&run->output));
    TRY(contact_summarise(&run->output));
    TRY(sums_complete(run->plan, run->output.hashes));
    run->plan->complete = 1;
    TRY_OR(plan_write(run->plan, run->output.start_is_flushed), run->plan->complete = 0);
    TRY(output_remove_working_files(run->plan));
    run->is_done = 1;
    output_log(&run->output, "done: %d frames, %.3f s", run->plan->frames, timer_now() - run->begin);
    return RUGA_OK;
}

static ruga_status check_usable(const ruga_run *run) {
    if (run->is_done) return fail_argument(run->context, "the run is complete; it has no next frame");
    if (run->is_stopped)
        return fail_argument(run->context,
                             "the run stopped because of an error; destroy it and continue with ruga_run_resume");
    return RUGA_OK;
}

/* A run that was cancelled between frames can be stepped again; after any other failure it can only be destroyed. */
static ruga_status end_call(ruga_run *run, ruga_status status) {
    run_leave(run);
    if (!RUGA_FAILED(status)) return status;
    run->is_stopped = status != RUGA_ERROR_CANCELLED || run->frames_done == run->plan->frames;
    return explain_resume(run, status);
}

ruga_status ruga_run_next(ruga_run *run) {
    TRY(check_usable(run));
    run_enter(run);
    ruga_status status = run->frames_done < run->plan->frames ? next_frame(run) : RUGA_OK;
    if (!RUGA_FAILED(status) && run->frames_done == run->plan->frames) status = finish(run);
    return end_call(run, status);
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
