/* ruga check: all errors and warnings of a scene at once. */
#include <math.h>
#include <stdio.h>

#include "command.h"
#include "field_options.h"
#include "report.h"
#include "runs.h"
#include "scenes.h"

static void put_findings(ruga_json_writer *json, const char *path, const ruga_description *description) {
    ruga_json_put_array(json, "findings");
    for (size_t i = 0; i < ruga_description_finding_count(description); i++) {
        const ruga_finding *f = ruga_description_finding(description, i);
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "file", scene_title(path));
        ruga_json_put_integer(json, "line", f->line);
        ruga_json_put_integer(json, "column", f->column);
        ruga_json_put_string(json, "level", RUGA_FAILED(f->status) ? "error" : "warning");
        ruga_json_put_string(json, "path", f->path ? f->path : "");
        ruga_json_put_string(json, "message", f->message);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
}

/* A run instead of a scene: whether its files are as it wrote them. */
static int check_run(session *s, const char *directory) {
    int frames = 0;
    ruga_run_record *record = NULL;
    int code = input_code(s, ruga_run_verify(s->context, directory, &frames));
    if (!code) code = read_run(s, directory, &record);
    if (code) return code;
    if (record->complete)
        session_remark(s, "%s: complete, %d frames; all files are intact\n", directory, frames);
    else
        session_remark(s, "%s: %s; the files of the first %d of %d frames are intact\n", directory,
                       record->running ? "running" : "stopped", frames, record->frames);
    code = REPORT_JSON(s, REPORT_TEXT("directory", directory), REPORT_NUMBER("frames", record->frames),
                       REPORT_NUMBER("whole", frames));
    ruga_run_record_destroy(s->context, record);
    return code;
}

/* ---- The time and memory of a run. */

#define TRIAL_SECONDS 1.0
#define TRIAL_SUBSTEPS 24

typedef struct estimate {
    double frame_seconds; /* 0: not known */
    int substeps;         /* that were tried */
    uint64_t memory;      /* bytes */
} estimate;

/* Steps the scene that the check built for a second, or a few substeps. It is stopped by the session's trial, which is
 * no failure; a real one is for the run to report. */
static int try_scene(session *s, const ruga_description *description, estimate *out) {
    const ruga_time_def *time = &ruga_description_get(description)->time;
    trial t = {.end = seconds_now() + TRIAL_SECONDS, .most = TRIAL_SUBSTEPS};
    ruga_scene *scene = NULL;
    int code = input_code(s, ruga_scene_create_checked(description, &scene));
    if (code) return code;
    s->trial = &t;
    ruga_status status = RUGA_OK;
    for (int frame = 0; frame < time->frames && !RUGA_FAILED(status) && t.begun <= t.most; frame++)
        status = ruga_scene_step(scene);
    s->trial = NULL;
    /* All frames were stepped: their last substep counts, too. */
    if (!RUGA_FAILED(status) && t.begun > 0 && t.begun <= t.most) {
        t.last = seconds_now();
        t.begun++;
    }
    out->substeps = t.begun - 1;
    if (t.begun > 1) out->frame_seconds = (t.last - t.first) / (t.begun - 1) * ruga_scene_substeps(scene);
    out->memory = peak_memory();
    ruga_scene_destroy(scene);
    return session_interrupted(s);
}

static void print_estimate(session *s, const ruga_description *description, const estimate *e) {
    const ruga_scene_def *def = ruga_description_get(description);
    const int frames = def->time.frames;
    if (e->frame_seconds > 0)
        session_print(s, "%d frame%s of about %s s each, %s s in all; estimated from %d substep%s\n", frames,
                      frames == 1 ? "" : "s", with_digits(e->frame_seconds), with_digits(frames * e->frame_seconds),
                      e->substeps, e->substeps == 1 ? "" : "s");
    session_print(s, "about %s of memory%s\n", with_bytes(e->memory),
                  def->contact.on ? "; contact takes more time and memory later" : "");
}

/* Without a trial, `e` is NULL. */
static int json_report(session *s, const char *path, const ruga_description *description, finding_counts counts,
                       const estimate *e) {
    const int frames = ruga_description_get(description)->time.frames;
    ruga_json_writer *json;
    int code = json_begin(s, &json);
    if (code) return code;
    ruga_json_begin_object(json);
    ruga_json_put_count(json, "errors", counts.errors);
    ruga_json_put_count(json, "warnings", counts.warnings);
    put_findings(json, path, description);
    if (e) {
        ruga_json_put_object(json, "estimate");
        ruga_json_put_integer(json, "frames", frames);
        ruga_json_put_integer(json, "substeps", e->substeps);
        ruga_json_put_number(json, "frame_seconds", e->frame_seconds > 0 ? e->frame_seconds : NAN);
        ruga_json_put_number(json, "seconds", e->frame_seconds > 0 ? frames * e->frame_seconds : NAN);
        ruga_json_put_count(json, "memory_bytes", (size_t)e->memory);
        ruga_json_end_object(json);
    }
    ruga_json_end_object(json);
    return json_finish(s, json);
}

static void print_report(session *s, const char *path, const ruga_description *description, finding_counts counts,
                         const estimate *e) {
    char text[64];
    print_findings(s, 1, path, description);
    describe_counts(counts, text, sizeof text);
    session_print(s, "%s: %s\n", scene_title(path), text[0] ? text : "fine");
    if (e) print_estimate(s, description, e);
}

static const option check_options[] = {
    FLAG_ROW("no-trial", 0,
             "find errors only: skip the trial that estimates time and memory and finds further warnings"),
};

static int run(session *s, const arguments *a) {
    if (a->word_count != 1) return session_error(s, EXIT_USAGE, "check: expected one scene or run: ruga check SCENE");
    const char *path = a->words[0];
    if (ruga_path_is_run(path)) return check_run(s, path);
    ruga_description *description = NULL;
    finding_counts counts = {0, 0};
    estimate e = {0};
    int code = scene_read(s, a, path, NULL, &description);
    if (!code) counts = count_findings(description);
    const int tries = !counts.errors && !option_given(a, "no-trial") && (s->json || !s->quiet);
    if (!code && tries) code = try_scene(s, description, &e);
    counts.warnings += s->warnings; /* of parts that were made, such as a mesh too coarse for its waves */
    if (!code && s->json)
        code = json_report(s, path, description, counts, tries ? &e : NULL);
    else if (!code && !s->quiet)
        print_report(s, path, description, counts, tries ? &e : NULL);
    ruga_description_destroy(description);
    return code ? code : counts.errors ? EXIT_INPUT : EXIT_FINE;
}

const command command_check = {
    .name = "check",
    .summary = "finds the errors of a scene, or damaged files of a run",
    .usage = "ruga check SCENE|DIR [options]",
    .about =
        "Reports unknown and missing keys, wrong types and ranges, unknown names, missing or unsuitable files, and "
        "settings without effect: one finding per line, as file:line:column, which editors understand. '-' is "
        "standard input. For the directory of a run, its files are compared with the sizes and hashes that the run "
        "stored.\n"
        "Exit code 0: the scene can run (there may be warnings), or the files are intact; 3: there are errors, or a "
        "file can't be read or is damaged. With --quiet, the exit code is the only result.\n"
        "A scene without errors is simulated for a second to estimate the time of a frame and the memory of a run.",
    .examples =
        "  ruga check scene.json\n"
        "  ruga check scene.json --set time.frames=10\n"
        "  ruga check scene.json --json\n"
        "  ruga check scene.run\n"
        "  ruga new flutter | ruga check -\n",
    .groups = {OPTION_GROUP("Options", check_options), OPTION_GROUP("The scene", set_options)},
    .run = run,
};
