#include "runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

int read_run(session *s, const char *directory, ruga_run_record **out) {
    return input_code(s, ruga_run_record_read(s->context, directory, out));
}

/* ---- Its state. */
static const char *state_name(const ruga_run_record *r) {
    return r->complete ? "complete" : r->running ? "running" : "stopped";
}

void print_run_state(session *s, const ruga_run_record *r) {
    session_print(s, "%s: %d of %d frames from frame %d at %.6g per second, %s\n", r->directory, r->frames_done,
                  r->frames, r->start_frame, r->fps, state_name(r));
    session_print(s, "run by Ruga %s with %d thread%s and %s instructions\n", r->version, r->threads,
                  r->threads == 1 ? "" : "s", r->isa);
}

static void print_info(session *s, const ruga_run_record *r) {
    session_print(s, "%s\n", r->directory);
    session_print(s, "  run           %s", state_name(r));
    if (r->running && r->process) session_print(s, " (process %ld)", r->process);
    if (!r->running && !r->complete) session_print(s, "; continue with: ruga resume %s", r->directory);
    session_print(s, "\n");
    session_print(s, "  frames        %d of %d, the first is %d, %.6g per second\n", r->frames_done, r->frames,
                  r->start_frame, r->fps);
    session_print(s, "  made by       Ruga %s, %d thread%s, %s instructions\n", r->version, r->threads,
                  r->threads == 1 ? "" : "s", r->isa);
    session_print(s, "  files         %.6g m per unit, %s up\n", r->unit, axis_names[r->up]);
    session_print(s, "  objects\n");
    for (size_t i = 0; i < r->object_count; i++) {
        const ruga_run_object *o = &r->objects[i];
        session_print(s, "    %-11s %s%s%s\n", o->name, o->mesh ? o->mesh : "no output formats", o->cache ? ", " : "",
                      o->cache ? o->cache : "");
    }
    session_print(s, "  measures      %zu per frame: see ruga stats\n", r->measure_count);
}

static void json_info(ruga_json_writer *json, const ruga_run_record *r) {
    ruga_json_begin_object(json);
    ruga_json_put_string(json, "directory", r->directory);
    ruga_json_put_string(json, "version", r->version);
    ruga_json_put_integer(json, "threads", r->threads);
    ruga_json_put_string(json, "isa", r->isa);
    ruga_json_put_number(json, "fps", r->fps);
    ruga_json_put_number(json, "unit", r->unit);
    ruga_json_put_string(json, "up", axis_names[r->up]);
    ruga_json_put_integer(json, "start_frame", r->start_frame);
    ruga_json_put_integer(json, "frames", r->frames);
    ruga_json_put_integer(json, "frames_done", r->frames_done);
    ruga_json_put_boolean(json, "complete", r->complete);
    ruga_json_put_boolean(json, "running", r->running);
    ruga_json_put_integer(json, "process", r->process);
    ruga_json_put_array(json, "objects");
    for (size_t i = 0; i < r->object_count; i++) {
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "name", r->objects[i].name);
        ruga_json_put_string(json, "mesh", r->objects[i].mesh);
        ruga_json_put_string(json, "cache", r->objects[i].cache);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    ruga_json_end_object(json);
}

int run_info(session *s, const char *directory, ruga_json_writer *json) {
    ruga_run_record *record = NULL;
    TRY_CODE(read_run(s, directory, &record));
    if (json)
        json_info(json, record);
    else
        print_info(s, record);
    ruga_run_record_destroy(s->context, record);
    return 0;
}

/* ---- Its objects. */
static int add_object(session *s, const char *word, const ruga_run_record *r, const ruga_run_object *object,
                      picture *p) {
    if (!object->mesh)
        return session_error(s, EXIT_INPUT, "%s: the run wrote no frames to draw; its output has no formats",
                             r->directory);
    subject *who;
    TRY_CODE(picture_add(s, p, word, object->name, &who));
    who->in_run = 1;
    who->motion_path = word;
    int code = input_code(s, ruga_run_mesh_read(s->context, r->directory, object->name, &who->mesh));
    if (!code) code = moment_create(s, who->mesh, &who->current);
    if (code || !object->cache || r->frames_done == 0) return code;
    return input_code(s, ruga_run_motion_read(s->context, r->directory, object->name, who->mesh, &who->motion));
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

static int add_named(session *s, const char *directory, const ruga_run_record *r, const char *name, picture *p) {
    const char *names[MAX_SUBJECTS];
    char meant[128], all[256] = "";
    size_t count = 0;
    for (size_t i = 0; i < r->object_count; i++) {
        if (strcmp(r->objects[i].name, name) == 0) return add_object(s, directory, r, &r->objects[i], p);
        if (count < MAX_SUBJECTS) names[count++] = r->objects[i].name;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", r->objects[i].name);
    }
    suggest(meant, sizeof meant, name, names, count, "");
    return session_error(s, EXIT_INPUT, "%s: the run has no object '%s'; it has %s%s", directory, name, all, meant);
}

int run_add_chosen(session *s, const arguments *a, const char *directory, picture *p) {
    ruga_run_record *record = NULL;
    size_t chosen = option_given(a, "mesh");
    if (chosen == 0) return run_add_objects(s, directory, p);
    int code = read_run(s, directory, &record);
    for (size_t i = 0; i < chosen && !code; i++)
        code = add_named(s, directory, record, option_text_at(a, "mesh", i), p);
    ruga_run_record_destroy(s->context, record);
    return code;
}

int run_follow_topology(session *s, picture *p) {
    for (size_t i = 0; i < p->subject_count; i++) {
        subject *who = &p->subjects[i];
        ruga_run_record *record = NULL;
        if (!who->in_run || !who->motion || who->frame_files || who->role != SUBJECT_OBJECT) continue;
        TRY_CODE(read_run(s, who->word, &record));
        for (size_t k = 0; k < record->object_count; k++) {
            const ruga_run_object *object = &record->objects[k];
            if (strcmp(object->name, who->label) != 0 || !object->cache || !path_is_pattern(object->cache)) continue;
            size_t size = strlen(object->cache) + 1;
            who->frame_files = malloc(size);
            if (!who->frame_files) break;
            memcpy(who->frame_files, object->cache, size);
            who->frame_def = ruga_file_def_default();
            who->frame_def.unit = record->unit;
            who->frame_def.up = (ruga_axis)record->up;
            who->first_frame = record->start_frame;
        }
        ruga_run_record_destroy(s->context, record);
    }
    return 0;
}

/* Whether no force moves the vertices of such bodies. */
static int kind_is_kinematic(const ruga_section *section) { return section && !ruga_scene_body_has_dynamics(section); }

/* The object of a run's scene that a subject shows; NULL: none. */
static const ruga_object_def *object_of(const ruga_list *objects, const subject *who, const char *directory) {
    const ruga_object_def *all = objects->items;
    if (!who->in_run || who->role != SUBJECT_OBJECT || strcmp(who->word, directory) != 0) return NULL;
    for (size_t i = 0; i < objects->count; i++)
        if (strcmp(who->label, all[i].name) == 0) return &all[i];
    return NULL;
}

/* The scene of a run; NULL if it can't be read: all objects then count as cloth. */
static ruga_description *scene_of_run(session *s, const char *directory) {
    char path[4200];
    ruga_description *description = NULL;
    snprintf(path, sizeof path, "%s/scene.json", directory);
    return RUGA_FAILED(ruga_description_read(s->context, path, &description)) ? NULL : description;
}

void run_mark_bodies(session *s, const char *directory, picture *p) {
    ruga_description *description = scene_of_run(s, directory);
    const ruga_list *list = description ? &ruga_description_get(description)->objects : NULL;
    const ruga_object_def *objects = list ? list->items : NULL;
    size_t moving = 0;
    for (size_t i = 0; list && i < list->count; i++) moving += !kind_is_kinematic(objects[i].body.section);
    for (size_t k = 0; list && moving && k < p->subject_count; k++) {
        const ruga_object_def *object = object_of(list, &p->subjects[k], directory);
        if (object) p->subjects[k].is_body = kind_is_kinematic(object->body.section);
    }
    ruga_description_destroy(description);
}

static int has_contact_rules(const ruga_scene_def *scene) {
    const ruga_object_def *objects = scene->objects.items;
    int found = scene->contact.exclusions.count > 0;
    for (size_t i = 0; i < scene->objects.count; i++) {
        const ruga_object_contact_def *contact = &objects[i].contact;
        found |= !contact->collides || !contact->self || contact->where.kind != RUGA_PARAM_CONSTANT;
    }
    return scene->contact.on && found;
}

ruga_scene *run_contact_rules(session *s, const char *directory) {
    ruga_description *description = scene_of_run(s, directory);
    ruga_scene *scene = NULL;
    if (description && has_contact_rules(ruga_description_get(description)) &&
        RUGA_FAILED(ruga_scene_create(s->context, ruga_description_get(description), &scene)))
        session_note(s, "%s: which pairs contact ignores is not known, so all count: %s", directory,
                     ruga_context_message(s->context));
    ruga_description_destroy(description);
    return scene;
}

/* ---- Finishes. */
void run_choose_finishes(session *s, const char *directory, picture *p) {
    ruga_description *description = scene_of_run(s, directory);
    const ruga_scene_def *scene = description ? ruga_description_get(description) : NULL;
    for (size_t k = 0; scene && k < p->subject_count; k++) {
        const ruga_object_def *object = object_of(&scene->objects, &p->subjects[k], directory);
        if (!object) continue;
        p->subjects[k].finish = ruga_scene_object_finish(scene, object);
        p->subjects[k].is_creased = ruga_scene_object_is_cut(object);
    }
    ruga_description_destroy(description);
}
