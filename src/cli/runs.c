#include "runs.h"

#include <stdio.h>
#include <string.h>

static const char *const up_names[] = {"y", "z", "x"}; /* in the order of ruga_axis */

int read_run(session *s, const char *directory, ruga_run_record **out) {
    ruga_status status = ruga_run_record_read(s->context, directory, out);
    return RUGA_FAILED(status) ? session_failed_input(s, status) : 0;
}

/* ---- What it is. */
static const char *state_name(const ruga_run_record *r) {
    return r->complete ? "complete" : r->running ? "running" : "stopped";
}

void print_run_state(session *s, const ruga_run_record *r) {
    session_print(s, "%s: %d of %d frames from frame %d at %.6g a second, %s\n", r->directory, r->frames_done,
                  r->frames, r->start_frame, r->fps, state_name(r));
    session_print(s, "run by Ruga %s with %d thread%s and %s instructions\n", r->version, r->threads,
                  r->threads == 1 ? "" : "s", r->isa);
}

static void print_info(session *s, const ruga_run_record *r) {
    session_print(s, "%s\n", r->directory);
    session_print(s, "  run           %s", state_name(r));
    if (r->running && r->process) session_print(s, " (process %ld)", r->process);
    if (!r->running && !r->complete) session_print(s, "; go on with: ruga resume %s", r->directory);
    session_print(s, "\n");
    session_print(s, "  frames        %d of %d, the first is %d, %.6g a second\n", r->frames_done, r->frames,
                  r->start_frame, r->fps);
    session_print(s, "  made by       Ruga %s, %d thread%s, %s instructions\n", r->version, r->threads,
                  r->threads == 1 ? "" : "s", r->isa);
    session_print(s, "  files         %.6g m per unit, %s up\n", r->unit, up_names[r->up]);
    session_print(s, "  objects\n");
    for (size_t i = 0; i < r->object_count; i++) {
        const ruga_run_object *o = &r->objects[i];
        session_print(s, "    %-11s %s%s%s\n", o->name, o->mesh ? o->mesh : "no frames were asked for",
                      o->cache ? ", " : "", o->cache ? o->cache : "");
    }
    session_print(s, "  measures      %zu a frame: ruga stats tells them\n", r->measure_count);
}

static void json_text(ruga_json_writer *json, const char *key, const char *text) {
    ruga_json_key(json, key);
    ruga_json_string(json, text);
}

static void json_whole(ruga_json_writer *json, const char *key, int value) {
    ruga_json_key(json, key);
    ruga_json_integer(json, value);
}

static void json_info(ruga_json_writer *json, const ruga_run_record *r) {
    ruga_json_begin_object(json);
    json_text(json, "directory", r->directory);
    json_text(json, "version", r->version);
    json_whole(json, "threads", r->threads);
    json_text(json, "isa", r->isa);
    ruga_json_key(json, "fps");
    ruga_json_number(json, r->fps);
    ruga_json_key(json, "unit");
    ruga_json_number(json, r->unit);
    json_text(json, "up", up_names[r->up]);
    json_whole(json, "start_frame", r->start_frame);
    json_whole(json, "frames", r->frames);
    json_whole(json, "frames_done", r->frames_done);
    ruga_json_key(json, "complete");
    ruga_json_boolean(json, r->complete);
    ruga_json_key(json, "running");
    ruga_json_boolean(json, r->running);
    ruga_json_key(json, "process");
    ruga_json_integer(json, r->process);
    ruga_json_key(json, "objects");
    ruga_json_begin_array(json);
    for (size_t i = 0; i < r->object_count; i++) {
        ruga_json_begin_object(json);
        json_text(json, "name", r->objects[i].name);
        json_text(json, "mesh", r->objects[i].mesh);
        json_text(json, "cache", r->objects[i].cache);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    ruga_json_end_object(json);
}

int run_info(session *s, const char *directory, ruga_json_writer *json) {
    ruga_run_record *record = NULL;
    int code = read_run(s, directory, &record);
    if (code) return code;
    if (json)
        json_info(json, record);
    else
        print_info(s, record);
    ruga_run_record_destroy(s->context, record);
    return 0;
}

/* ---- What it shows. */
static int add_object(session *s, const char *word, const ruga_run_record *r, const ruga_run_object *object,
                      picture *p) {
    if (!object->mesh)
        return session_error(s, EXIT_INPUT, "%s: the run wrote no frames to draw; its output has no formats",
                             r->directory);
    subject *who;
    int code = picture_add(s, p, word, object->name, &who);
    if (code) return code;
    who->in_run = 1;
    ruga_status status = ruga_run_mesh_read(s->context, r->directory, object->name, &who->mesh);
    if (RUGA_FAILED(status)) return session_failed_input(s, status);
    code = moment_create(s, who->mesh, &who->present);
    if (code || !object->cache || r->frames_done == 0) return code;
    status = ruga_run_motion_read(s->context, r->directory, object->name, who->mesh, &who->motion);
    return RUGA_FAILED(status) ? session_failed_input(s, status) : 0;
}

int run_add_objects(session *s, const char *directory, picture *p) {
    ruga_run_record *record = NULL;
    int code = read_run(s, directory, &record);
    if (code) return code;
    for (size_t i = 0; i < record->object_count && !code; i++)
        code = add_object(s, directory, record, &record->objects[i], p);
    ruga_run_record_destroy(s->context, record);
    return code;
}
