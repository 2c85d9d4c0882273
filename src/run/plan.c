/* The plan of a run: run.json, and which files belong to the run. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/state.h"
#include "ruga/text.h"
#include "run/run.h"

#define PLAN_VERSION 1
#define STEM_CAPACITY 100       /* bytes */
#define DIRECTORY_CAPACITY 3500 /* bytes; leaves room for any name in it */
#define FRAME_LIMIT 1000000000
#define LARGEST_SIZE 9e15 /* bytes of a file: JSON has doubles */

static const char *const format_names[] = {"pc2", "obj", "ply", "glb", "usda"};
enum { OUTPUT_FORMAT_COUNT = sizeof format_names / sizeof format_names[0] };
static const char *const axis_names[] = {"y", "z", "x"};

/* Files of every run; run.json is removed last. */
static const char *const common_files[] = {"checkpoint",   "checkpoint.new", "log.txt",  "timings.csv",
                                           "measures.csv", "scene.json",     "run.json", START_PICTURE};
enum { COMMON_FILE_COUNT = sizeof common_files / sizeof common_files[0] };

int plan_has(const run_plan *plan, ruga_output_format format) { return plan->formats >> format & 1; }

int plan_has_cache(const run_plan *plan) {
    return plan_has(plan, RUGA_OUTPUT_PC2) || plan_has(plan, RUGA_OUTPUT_GLB) || plan_has(plan, RUGA_OUTPUT_USDA);
}

/* ---- Paths. */

void plan_path(const run_plan *plan, const char *name, run_path path) {
    snprintf(path, sizeof(run_path), "%s/%s", plan->directory, name);
}

void plan_object_path(const run_plan *plan, size_t object, const char *ending, run_path path) {
    snprintf(path, sizeof(run_path), "%s/%s%s", plan->directory, plan->objects[object].stem, ending);
}

/* A cache that the user did not ask for is a hidden file. */
void plan_cache_path(const run_plan *plan, size_t object, run_path path) {
    snprintf(path, sizeof(run_path), "%s/%s%s.pc2.part", plan->directory, plan_has(plan, RUGA_OUTPUT_PC2) ? "" : ".",
             plan->objects[object].stem);
}

void plan_frame_path(const run_plan *plan, size_t object, int frame, const char *ending, run_path path) {
    snprintf(path, sizeof(run_path), "%s/%s.%04d%s", plan->directory, plan->objects[object].stem, frame, ending);
}

/* ---- Making. */

static int is_plain(unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-' ||
           c >= 0x80;
}

/* A name that is valid for a file: '_' replaces other characters than letters, digits, '-' and '_'; a long name is cut
 * between two characters. */
static void make_stem(const char *name, char stem[STEM_CAPACITY]) {
    size_t length = strlen(name);
    if (length > STEM_CAPACITY - 8) length = STEM_CAPACITY - 8;
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) length--;
    for (size_t i = 0; i < length; i++) stem[i] = is_plain((unsigned char)name[i]) ? name[i] : '_';
    if (length == 0) stem[length++] = '_';
    stem[length] = 0;
}

static int stem_is_taken(const run_plan *plan, size_t count, const char *stem) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(plan->objects[i].stem, stem) == 0) return 1;
    return 0;
}

static ruga_status add_object(run_plan *plan, size_t object, const char *name) {
    char stem[STEM_CAPACITY];
    make_stem(name, stem);
    const size_t length = strlen(stem);
    for (unsigned n = 2; stem_is_taken(plan, object, stem); n++)
        snprintf(stem + length, sizeof stem - length, "-%u", n % 100000);
    TRY(ARENA_TEXT(&plan->memory, &plan->objects[object].name, name));
    return ARENA_TEXT(&plan->memory, &plan->objects[object].stem, stem);
}

static ruga_status plan_allocate(ruga_context *context, const char *directory, run_plan **out) {
    if (strlen(directory) == 0) return fail_argument(context, "the directory of a run has an empty path");
    if (strlen(directory) > DIRECTORY_CAPACITY)
        return fail_argument(context, "the directory of a run has a path of %zu bytes; %d is the limit",
                             strlen(directory), DIRECTORY_CAPACITY);
    run_plan *plan = NULL;
    TRY(NEW_ZEROED(context, &plan, 1));
    plan->context = context;
    plan->memory = arena_make(context);
    RETURN_MADE(ARENA_TEXT(&plan->memory, &plan->directory, directory), plan, out, plan_destroy(plan));
}

void plan_destroy(run_plan *plan) {
    if (!plan) return;
    ruga_context *context = plan->context;
    arena_release(&plan->memory);
    memory_release(context, plan);
}

static ruga_status allocate_objects(run_plan *plan, size_t count) {
    plan->object_count = count;
    return ARENA_NEW(&plan->memory, &plan->objects, count);
}

static ruga_status fill_plan(run_plan *plan, const ruga_scene_def *def, const ruga_scene *scene) {
    plan->version = ruga_version();
    plan->isa = ruga_isa_name(ruga_context_isa(plan->context));
    plan->threads = ruga_context_thread_count(plan->context);
    plan->fps = def->time.fps;
    plan->start_frame = def->time.start_frame;
    plan->frames = def->time.frames;
    plan->unit = def->output.unit;
    plan->up = def->output.up;
    plan->formats = def->output.formats;
    if (plan_has(plan, RUGA_OUTPUT_USDA) && plan->up == RUGA_AXIS_X)
        return fail_unsupported(
            plan->context,
            "output: USD does not support x as the up axis; set output.up to \"y\" or \"z\", or remove "
            "\"usda\" from output.formats");
    TRY(allocate_objects(plan, ruga_scene_object_count(scene)));
    for (size_t i = 0; i < plan->object_count; i++) TRY(add_object(plan, i, ruga_scene_object_name(scene, i)));
    return RUGA_OK;
}

ruga_status plan_make(ruga_context *context, const char *directory, const ruga_scene_def *def, const ruga_scene *scene,
                      uint64_t scene_hash, run_plan **out) {
    run_plan *plan = NULL;
    TRY(plan_allocate(context, directory, &plan));
    plan->scene_hash = scene_hash;
    RETURN_MADE(fill_plan(plan, def, scene), plan, out, plan_destroy(plan));
}

/* ---- Writing. */

/* Files of an object, for readers of run.json: `mesh`, and a list of the files that have its frames. */
static void put_files(ruga_json_writer *json, const run_plan *plan, const char *stem) {
    static const char *const endings[] = {".pc2", ".####.obj", ".####.ply", ".glb", ".usda"};
    char name[STEM_CAPACITY + 16];
    if (plan->formats == 0) return;
    snprintf(name, sizeof name, "%s.obj", stem);
    ruga_json_put_string(json, "mesh", name);
    ruga_json_put_array(json, "files");
    for (int i = 0; i < OUTPUT_FORMAT_COUNT; i++) {
        snprintf(name, sizeof name, "%s%s", stem, endings[i]);
        if (plan_has(plan, (ruga_output_format)i)) ruga_json_string(json, name);
    }
    ruga_json_end_array(json);
}

static void put_objects(ruga_json_writer *json, const run_plan *plan) {
    ruga_json_put_array(json, "objects");
    for (size_t i = 0; i < plan->object_count; i++) {
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "name", plan->objects[i].name);
        ruga_json_put_string(json, "stem", plan->objects[i].stem);
        put_files(json, plan, plan->objects[i].stem);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
}

static void put_hash(ruga_json_writer *json, const char *key, uint64_t value) {
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)value);
    ruga_json_put_string(json, key, text);
}

static void put_inputs(ruga_json_writer *json, const run_plan *plan) {
    ruga_json_put_array(json, "inputs");
    for (size_t i = 0; i < plan->input_count; i++) {
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "file", plan->inputs[i].path);
        put_hash(json, "hash", plan->inputs[i].hash);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
}

/* The files of a complete run. A sequence has one sum for all its frames and their sizes. */
static void put_sums(ruga_json_writer *json, const run_plan *plan) {
    run_path path;
    const char *name = NULL;
    ruga_json_put_array(json, "sums");
    for (size_t i = 0; sums_next_file(plan, &i, path, &name); i++) {
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "file", name);
        ruga_json_put_integer(json, "size", (int64_t)plan->sums[i].size);
        put_hash(json, "hash", plan->sums[i].hash);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
}

static void put_plan(ruga_json_writer *json, const run_plan *plan) {
    ruga_json_begin_object(json);
    ruga_json_put_integer(json, "ruga_run", PLAN_VERSION);
    ruga_json_put_string(json, "version", plan->version);
    ruga_json_put_string(json, "isa", plan->isa);
    ruga_json_put_integer(json, "threads", plan->threads);
    put_hash(json, "scene", plan->scene_hash);
    ruga_json_put_number(json, "fps", plan->fps);
    ruga_json_put_integer(json, "start_frame", plan->start_frame);
    ruga_json_put_integer(json, "frames", plan->frames);
    ruga_json_put_number(json, "unit", plan->unit);
    ruga_json_put_string(json, "up", axis_names[plan->up]);
    ruga_json_put_array(json, "formats");
    for (int i = 0; i < OUTPUT_FORMAT_COUNT; i++)
        if (plan_has(plan, (ruga_output_format)i)) ruga_json_string(json, format_names[i]);
    ruga_json_end_array(json);
    put_objects(json, plan);
    put_inputs(json, plan);
    ruga_json_put_boolean(json, "complete", plan->complete);
    if (plan->complete && plan->sums) put_sums(json, plan);
    ruga_json_end_object(json);
}

ruga_status run_write_file(ruga_context *context, const char *path, const void *bytes, size_t size, int flush) {
    file *f = NULL;
    TRY(file_create(context, path, &f));
    ruga_status status = file_write(f, bytes, size);
    if (!RUGA_FAILED(status)) status = flush ? file_commit(f) : file_commit_unflushed(f);
    file_close(f);
    return status;
}

ruga_status plan_write(const run_plan *plan, int flush) {
    ruga_json_writer *json = NULL;
    TRY(ruga_json_writer_create(plan->context, 2, &json));
    put_plan(json, plan);
    const char *text;
    size_t size;
    ruga_status status = ruga_json_finish(json, &text, &size);
    run_path path;
    plan_path(plan, "run.json", path);
    if (!RUGA_FAILED(status)) status = run_write_file(plan->context, path, text, size, flush);
    ruga_json_writer_destroy(json);
    return status;
}

/* ---- Reading. */

typedef struct plan_reader {
    run_plan *plan;
    const char *path;
    const json_value *root;
} plan_reader;

static ruga_status fail_value(const plan_reader *r, const json_value *value, const char *key, const char *expected) {
    if (!value)
        return fail_input(r->plan->context, "%s: \"%s\" is missing, so this file does not describe a run", r->path,
                          key);
    return fail_input(r->plan->context, "%s:%u:%u: \"%s\" should be %s", r->path, value->line, value->column, key,
                      expected);
}

static ruga_status get_text(const plan_reader *r, const json_value *from, const char *key, const char **out) {
    const json_value *value = json_member(from, key);
    if (!value || value->type != JSON_STRING || strlen(value->text) != value->length)
        return fail_value(r, value, key, "a text");
    return ARENA_TEXT_OF(&r->plan->memory, out, value->text, value->length);
}

static ruga_status get_whole(const plan_reader *r, const char *key, double low, double high, int *out) {
    const json_value *value = json_member(r->root, key);
    int64_t whole;
    if (!json_whole(value, low, high, &whole)) return fail_value(r, value, key, "a whole number in range");
    *out = (int)whole;
    return RUGA_OK;
}

static ruga_status get_number(const plan_reader *r, const char *key, double *out) {
    const json_value *value = json_member(r->root, key);
    if (!value || value->type != JSON_NUMBER || !(value->number > 0) || !isfinite(value->number))
        return fail_value(r, value, key, "a number above zero");
    *out = value->number;
    return RUGA_OK;
}

/* Which of several words a text is. */
static int find_word(const char *const *words, int count, const json_value *value) {
    for (int i = 0; value && value->type == JSON_STRING && i < count; i++)
        if (strcmp(words[i], value->text) == 0) return i;
    return -1;
}

static ruga_status get_formats(const plan_reader *r) {
    const json_value *list = json_member(r->root, "formats");
    if (!list || list->type != JSON_ARRAY) return fail_value(r, list, "formats", "a list");
    for (const json_value *item = list->first; item; item = item->next) {
        int format = find_word(format_names, OUTPUT_FORMAT_COUNT, item);
        if (format < 0) return fail_value(r, item, "formats", "a list of pc2, obj, ply, glb, usda");
        r->plan->formats |= (uint32_t)1 << format;
    }
    return RUGA_OK;
}

/* A stem of such characters never leaves the directory. */
static int stem_is_plain(const char *stem) {
    size_t length = strlen(stem);
    for (size_t i = 0; i < length; i++)
        if (!is_plain((unsigned char)stem[i])) return 0;
    return length > 0 && length < STEM_CAPACITY;
}

static ruga_status get_objects(const plan_reader *r) {
    const json_value *list = json_member(r->root, "objects");
    if (!list || list->type != JSON_ARRAY) return fail_value(r, list, "objects", "a list");
    TRY(allocate_objects(r->plan, list->count));
    run_plan_object *object = r->plan->objects;
    for (const json_value *item = list->first; item; item = item->next, object++) {
        TRY(get_text(r, item, "name", &object->name));
        TRY(get_text(r, item, "stem", &object->stem));
        if (!stem_is_plain(object->stem))
            return fail_value(r, json_member(item, "stem"), "stem", "a name of letters and digits, without a folder");
    }
    return RUGA_OK;
}

static ruga_status get_hash(const plan_reader *r, const json_value *from, const char *key, uint64_t *out) {
    const json_value *value = json_member(from, key);
    unsigned long long hash = 0;
    int length = 0;
    if (!value || value->type != JSON_STRING || value->length != 16 ||
        sscanf(value->text, "%16llx%n", &hash, &length) != 1 || length != 16)
        return fail_value(r, value, key, "sixteen hexadecimal digits");
    *out = hash;
    return RUGA_OK;
}

static ruga_status get_inputs(const plan_reader *r) {
    run_plan *plan = r->plan;
    const json_value *list = json_member(r->root, "inputs");
    if (!list) return RUGA_OK;
    if (list->type != JSON_ARRAY) return fail_value(r, list, "inputs", "a list");
    TRY(ARENA_NEW(&plan->memory, &plan->inputs, list->count));
    for (const json_value *item = list->first; item; item = item->next) {
        run_input *input = &plan->inputs[plan->input_count++];
        TRY(get_text(r, item, "file", &input->path));
        TRY(get_hash(r, item, "hash", &input->hash));
    }
    return RUGA_OK;
}

static ruga_status get_sums(const plan_reader *r) {
    run_plan *plan = r->plan;
    const json_value *list = json_member(r->root, "sums");
    if (!list || !plan->complete) return RUGA_OK;
    run_sum *sums = NULL;
    run_path path;
    const char *name = NULL;
    TRY(ARENA_NEW(&plan->memory, &sums, sums_count(plan)));
    memset(sums, 0, sums_count(plan) * sizeof *sums);
    const json_value *item = list->type == JSON_ARRAY ? list->first : NULL;
    for (size_t i = 0; sums_next_file(plan, &i, path, &name); i++, item = item->next) {
        const json_value *file_name = item ? json_member(item, "file") : NULL;
        int64_t size = 0;
        if (!file_name || file_name->type != JSON_STRING || strcmp(file_name->text, name) != 0)
            return fail_value(r, list, "sums", "a list of all files of the run in their order");
        if (!json_whole(json_member(item, "size"), 0, LARGEST_SIZE, &size))
            return fail_value(r, json_member(item, "size"), "size", "a number of bytes");
        sums[i].size = (uint64_t)size;
        TRY(get_hash(r, item, "hash", &sums[i].hash));
    }
    plan->sums = sums;
    return RUGA_OK;
}

static ruga_status get_plan(const plan_reader *r) {
    run_plan *plan = r->plan;
    int version = 0;
    TRY(get_whole(r, "ruga_run", 1, INT_MAX, &version));
    if (version > PLAN_VERSION)
        return fail_unsupported(plan->context, "%s: a newer version of Ruga wrote this run; read it with that version",
                                r->path);
    TRY(get_text(r, r->root, "version", &plan->version));
    TRY(get_text(r, r->root, "isa", &plan->isa));
    TRY(get_whole(r, "threads", 1, INT_MAX, &plan->threads));
    TRY(get_hash(r, r->root, "scene", &plan->scene_hash));
    TRY(get_number(r, "fps", &plan->fps));
    TRY(get_number(r, "unit", &plan->unit));
    TRY(get_whole(r, "start_frame", -FRAME_LIMIT, FRAME_LIMIT, &plan->start_frame));
    TRY(get_whole(r, "frames", 0, FRAME_LIMIT, &plan->frames));
    const json_value *up = json_member(r->root, "up"), *complete = json_member(r->root, "complete");
    plan->up = find_word(axis_names, 3, up);
    if (plan->up < 0) return fail_value(r, up, "up", "x, y or z");
    if (!complete || complete->type != JSON_BOOLEAN) return fail_value(r, complete, "complete", "true or false");
    plan->complete = complete->number != 0;
    TRY(get_formats(r));
    TRY(get_inputs(r));
    TRY(get_objects(r));
    return get_sums(r);
}

static ruga_status parse_plan(run_plan *plan, const char *path, const char *text, size_t size) {
    json_document *document = NULL;
    ruga_status status = json_parse(plan->context, path, text, size, 0, &document);
    if (!RUGA_FAILED(status)) status = get_plan(&(plan_reader){plan, path, json_root(document)});
    json_destroy(document);
    if (status != RUGA_ERROR_INPUT) return status;
    char message[sizeof plan->context->message];
    snprintf(message, sizeof message, "%s", ruga_context_message(plan->context));
    return fail_with(plan->context, status, "%s; " START_AGAIN, message, plan->directory, plan->directory);
}

static ruga_status fail_no_run(ruga_context *context, const char *directory) {
    const size_t length = strlen(directory);
    if (!path_is_file(context, directory))
        return fail_input(context,
                          "%s: there is no run of that name (no run.json in it); start one with: ruga run SCENE -o %s",
                          directory, directory);
    if (length > 5 && strcmp(directory + length - 5, ".json") == 0)
        return fail_input(context, "%s: this is a file, not the directory of a run; run a scene with: ruga run %s",
                          directory, directory);
    return fail_input(context, "%s: this is a file, not the directory of a run", directory);
}

ruga_status plan_read(ruga_context *context, const char *directory, run_plan **out) {
    run_plan *plan = NULL;
    TRY(plan_allocate(context, directory, &plan));
    run_path path;
    plan_path(plan, "run.json", path);
    int found = 0;
    uint64_t file_bytes;
    unsigned char *text = NULL;
    size_t size = 0;
    ruga_status status = file_look(context, path, &found, &file_bytes);
    if (!RUGA_FAILED(status) && !found) status = fail_no_run(context, directory);
    if (!RUGA_FAILED(status)) status = file_read_whole(context, path, &text, &size);
    if (!RUGA_FAILED(status)) status = parse_plan(plan, path, (const char *)text, size);
    memory_release(context, text);
    RETURN_MADE(status, plan, out, plan_destroy(plan));
}

/* ---- Which files belong to the run. */

/* Whether a name ends in ".0012.obj", with the number of a frame of the run. */
static int is_frame_ending(const run_plan *plan, const char *ending, const char *format) {
    int frame = 0, length = 0;
    char text[32];
    if (sscanf(ending, ".%9d%n", &frame, &length) != 1 || strcmp(ending + length, format) != 0) return 0;
    snprintf(text, sizeof text, ".%04d%s", frame, format);
    return strcmp(text, ending) == 0 && frame >= plan->start_frame && frame - plan->start_frame < plan->frames;
}

static int is_object_ending(const run_plan *plan, const char *ending) {
    if (strcmp(ending, ".obj") == 0) return plan->formats != 0;
    if (strcmp(ending, ".pc2") == 0 || strcmp(ending, ".pc2.part") == 0) return plan_has(plan, RUGA_OUTPUT_PC2);
    if (strcmp(ending, ".glb") == 0) return plan_has(plan, RUGA_OUTPUT_GLB);
    if (strcmp(ending, ".usda") == 0 || strcmp(ending, ".usda.normals") == 0 || strcmp(ending, ".usda.lines") == 0)
        return plan_has(plan, RUGA_OUTPUT_USDA);
    return (plan_has(plan, RUGA_OUTPUT_OBJ) && is_frame_ending(plan, ending, ".obj")) ||
           (plan_has(plan, RUGA_OUTPUT_PLY) && is_frame_ending(plan, ending, ".ply"));
}

static int is_own_file(const run_plan *plan, const char *name) {
    for (int i = 0; i < COMMON_FILE_COUNT; i++)
        if (strcmp(name, common_files[i]) == 0) return 1;
    const int hidden = name[0] == '.';
    if (hidden && (plan_has(plan, RUGA_OUTPUT_PC2) || !plan_has_cache(plan))) return 0;
    for (size_t i = 0; i < plan->object_count; i++) {
        const size_t length = strlen(plan->objects[i].stem);
        if (strncmp(name + hidden, plan->objects[i].stem, length) != 0) continue;
        const char *ending = name + hidden + length;
        if (hidden ? strcmp(ending, ".pc2.part") == 0 : is_object_ending(plan, ending)) return 1;
    }
    return 0;
}

plan_owned plan_owns(const run_plan *plan, const char *name) {
    char target[256];
    const size_t length = file_temporary_target(name);
    if (length == 0) return is_own_file(plan, name) ? PLAN_FILE : PLAN_OTHERS;
    if (length >= sizeof target) return PLAN_OTHERS;
    memcpy(target, name, length);
    target[length] = 0;
    return is_own_file(plan, target) ? PLAN_TEMPORARY : PLAN_OTHERS;
}

/* ---- Whether a file of such a name is ours: users have files of these names, too. */

static ruga_status read_start(ruga_context *context, const char *path, unsigned char *bytes, size_t capacity,
                              size_t *size) {
    file *f = NULL;
    TRY(file_open(context, path, &f));
    ruga_status status = file_read_some(f, bytes, capacity, size);
    file_close(f);
    return status;
}

/* Ours says so in its first key. A power cut may leave less of it, or zeros. */
ruga_status plan_is_foreign(ruga_context *context, const char *directory, int *foreign) {
    static const char ours[] = "{\"ruga_run\"";
    run_path path;
    unsigned char start[64];
    size_t size = 0, kept = 0;
    if (snprintf(path, sizeof path, "%s/run.json", directory) >= (int)sizeof path) return RUGA_OK;
    TRY(read_start(context, path, start, sizeof start, &size));
    for (size_t i = 0; i < size; i++)
        if (start[i] && !strchr(" \t\r\n", start[i])) start[kept++] = start[i];
    *foreign = memcmp(start, ours, kept < sizeof ours - 1 ? kept : sizeof ours - 1) != 0;
    return RUGA_OK;
}

/* Pictures of ours have the name of the program at their start. */
static ruga_status is_foreign_picture(ruga_context *context, const char *path, int *foreign) {
    static const char ours[] = "tEXtSoftware\0Ruga";
    unsigned char start[128];
    size_t size = 0;
    TRY(read_start(context, path, start, sizeof start, &size));
    *foreign = 1;
    for (size_t i = 0; i + sizeof ours - 1 <= size; i++)
        if (memcmp(start + i, ours, sizeof ours - 1) == 0) *foreign = 0;
    return RUGA_OK;
}

/* Names of files in the directory that belong to the run. */
typedef struct owned_names {
    const run_plan *plan;
    plan_owned at_least;
    arena memory;
    ARRAY(const char *) names;
    ruga_status status;
} owned_names;

static void collect_name(void *argument, const char *name) {
    owned_names *owned = argument;
    ruga_context *context = owned->plan->context;
    if (RUGA_FAILED(owned->status) || plan_owns(owned->plan, name) < owned->at_least) return;
    char *copy;
    owned->status = ARENA_TEXT(&owned->memory, &copy, name);
    if (!RUGA_FAILED(owned->status)) owned->status = ARRAY_ADD(context, &owned->names, copy);
}

static void owned_release(owned_names *owned) {
    ARRAY_RELEASE(owned->plan->context, &owned->names);
    arena_release(&owned->memory);
}

static ruga_status owned_find(const run_plan *plan, plan_owned at_least, owned_names *owned) {
    *owned = (owned_names){.plan = plan, .at_least = at_least, .memory = arena_make(plan->context)};
    ruga_status status = directory_list(plan->context, plan->directory, collect_name, owned);
    if (!RUGA_FAILED(status)) status = owned->status;
    if (RUGA_FAILED(status)) owned_release(owned);
    return status;
}

ruga_status plan_remove_files(const run_plan *plan, plan_owned at_least) {
    owned_names owned;
    TRY(owned_find(plan, at_least, &owned));
    ruga_status status = RUGA_OK;
    run_path path;
    for (int last = 0; last < 2; last++)
        for (size_t i = 0; i < owned.names.count && !RUGA_FAILED(status); i++) {
            if ((strcmp(owned.names.items[i], "run.json") == 0) != last) continue;
            int foreign = 0;
            plan_path(plan, owned.names.items[i], path);
            if (strcmp(owned.names.items[i], START_PICTURE) == 0)
                status = is_foreign_picture(plan->context, path, &foreign);
            if (!RUGA_FAILED(status) && !foreign) status = file_remove(plan->context, path);
        }
    owned_release(&owned);
    return status;
}

static ruga_status is_same_text(ruga_context *context, const char *path, const char *text, size_t size, int *same) {
    unsigned char *found = NULL;
    size_t found_size = 0;
    TRY(file_read_whole(context, path, &found, &found_size));
    *same = found_size == size && memcmp(found, text, size) == 0;
    memory_release(context, found);
    return RUGA_OK;
}

ruga_status plan_fail_foreign(ruga_context *context, const char *path) {
    return fail_input(context,
                      "%s: this file already exists and belongs to no run; choose another directory, or move it", path);
}

ruga_status plan_check_free(const run_plan *plan, const char *scene_text, size_t scene_size) {
    owned_names owned;
    TRY(owned_find(plan, PLAN_FILE, &owned));
    ruga_status status = RUGA_OK;
    run_path path;
    for (size_t i = 0; i < owned.names.count && !RUGA_FAILED(status); i++) {
        int fine = plan_owns(plan, owned.names.items[i]) == PLAN_TEMPORARY, foreign = 1;
        plan_path(plan, owned.names.items[i], path);
        if (strcmp(owned.names.items[i], START_PICTURE) == 0) {
            status = is_foreign_picture(plan->context, path, &foreign);
            fine = !foreign;
        }
        if (strcmp(owned.names.items[i], "scene.json") == 0)
            status = is_same_text(plan->context, path, scene_text, scene_size, &fine);
        if (!RUGA_FAILED(status) && !fine) status = plan_fail_foreign(plan->context, path);
    }
    owned_release(&owned);
    return status;
}
