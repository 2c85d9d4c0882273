/* Descriptions: made, read, written. */
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "field/reader.h"
#include "field/set.h"
#include "field/writer.h"
#include "scene/checked.h"
#include "scene/description.h"
#include "scene/tables.h"

#define MAX_TEXT ((size_t)64 << 20) /* bytes */

/* ---- Made and destroyed. */

/* The folder of a file, with its last slash; "" for the working directory. */
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static ruga_status make_description(ruga_context *context, const char *name, ruga_description **out) {
    ruga_description *d = NULL;
    TRY(NEW_ZEROED(context, &d, 1));
    d->context = context;
    d->notes = notes_make(context);
    d->def = ruga_scene_def_default();
    ruga_status status = ARENA_TEXT(&d->notes.memory, &d->name, name);
    if (!RUGA_FAILED(status)) status = ARENA_TEXT_OF(&d->notes.memory, &d->folder, name, folder_length(name));
    RETURN_MADE(status, d, out, ruga_description_destroy(d));
}

void ruga_description_destroy(ruga_description *d) {
    if (!d) return;
    ruga_context *context = d->context;
    checked_forget(d);
    notes_release(&d->notes);
    memory_release(context, d);
}

ruga_status ruga_description_create(ruga_context *context, ruga_description **out) {
    return ruga_description_read_memory(context, "", "{}", 2, out);
}

const char *ruga_description_name(const ruga_description *d) { return d->name; }
const ruga_scene_def *ruga_description_get(const ruga_description *d) { return &d->def; }

/* ---- Findings. */

ruga_status description_found(ruga_description *d, const void *value, ruga_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ruga_status result = notes_found(&d->notes, value, status, format, arguments);
    va_end(arguments);
    return result;
}

int description_has_errors(const ruga_description *d) { return notes_have_errors(&d->notes); }
void description_sort_findings(ruga_description *d) { notes_sort(&d->notes); }
ruga_status description_verdict(const ruga_description *d) { return notes_verdict(&d->notes, d->name); }

size_t ruga_description_finding_count(const ruga_description *d) { return d->notes.findings.count; }

const ruga_finding *ruga_description_finding(const ruga_description *d, size_t finding) {
    return finding < d->notes.findings.count ? &d->notes.findings.items[finding] : NULL;
}

/* ---- Read. */

static ruga_status found_in_text(ruga_description *d, uint32_t line, uint32_t column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ruga_status status = notes_found_at(&d->notes, line, column, "", RUGA_ERROR_INPUT, format, arguments);
    va_end(arguments);
    return status;
}

static ruga_status found_too_large(ruga_description *d, uint64_t size) {
    return found_in_text(d, 1, 1,
                         "there are %llu bytes, more than the 64 MB that are read; put masks and motions into files "
                         "of their own",
                         (unsigned long long)size);
}

/* The message of the JSON parser, ":12:7: message", as a finding. */
static ruga_status found_no_json(ruga_description *d) {
    const char *message = ruga_context_message(d->context), *end = message + strlen(message);
    int64_t line = 0, column = 0;
    const char *at = number_parse_whole(message + 1, end, &line);
    at = number_parse_whole(at + 1, end, &column);
    return found_in_text(d, (uint32_t)line, (uint32_t)column, "%s", at + 2);
}

static ruga_status read_root(ruga_description *d, const ruga_section *section, const json_value *root, void *values) {
    field_reader reader;
    ruga_status status = field_reader_start(&reader, &d->notes, d->folder, "");
    if (!RUGA_FAILED(status)) {
        fields_read_root(&reader, section, root, values);
        status = reader.status;
    }
    field_reader_finish(&reader);
    return status;
}

static ruga_status read_values(ruga_description *d, const ruga_section *section, const char *text, size_t size,
                               void *values) {
    if (size > MAX_TEXT) return found_too_large(d, size);
    json_document *document = NULL;
    ruga_status status = json_parse(d->context, "", text, size, JSON_COMMENTS, &document);
    if (status == RUGA_ERROR_INPUT) return found_no_json(d);
    TRY(status);
    status = read_root(d, section, json_root(document), values);
    json_destroy(document);
    description_sort_findings(d);
    return status;
}

static ruga_status read_text(ruga_description *d, const char *text, size_t size) {
    ruga_status status = read_values(d, &scene_section, text, size, &d->def);
    d->def.cookie = RUGA_COOKIE;
    return status;
}

ruga_status description_read_values(ruga_context *context, const char *name, const ruga_section *section,
                                    const char *text, size_t size, void *values, ruga_description **out) {
    ruga_description *d = NULL;
    TRY(make_description(context, name, &d));
    ruga_section_defaults(section, values);
    RETURN_MADE(read_values(d, section, text, size, values), d, out, ruga_description_destroy(d));
}

/* Hands the description out, with whatever was found in it. */
static ruga_status finish_reading(ruga_description *d, ruga_status status, ruga_description **out) {
    TRY_OR(status, ruga_description_destroy(d));
    *out = d;
    return description_verdict(d);
}

ruga_status ruga_description_read_memory(ruga_context *context, const char *name, const char *text, size_t size,
                                         ruga_description **out) {
    if (!context || !out) return RUGA_ERROR_ARGUMENT;
    *out = NULL;
    if (!text) return fail_argument(context, "the text of a scene is NULL");
    ruga_description *d = NULL;
    TRY(make_description(context, name ? name : "", &d));
    return finish_reading(d, read_text(d, text, size), out);
}

static ruga_status read_file(ruga_description *d, file *f) {
    uint64_t size = file_size(f);
    if (size > MAX_TEXT) return found_too_large(d, size);
    char *text = NULL;
    TRY(NEW(d->context, &text, (size_t)size));
    ruga_status status = file_read(f, text, (size_t)size);
    if (!RUGA_FAILED(status)) status = read_text(d, text, (size_t)size);
    memory_release(d->context, text);
    return status;
}

ruga_status ruga_description_read(ruga_context *context, const char *path, ruga_description **out) {
    if (!context || !out) return RUGA_ERROR_ARGUMENT;
    *out = NULL;
    if (!path) return fail_argument(context, "the path of a scene is NULL");
    file *f = NULL;
    TRY(file_open(context, path, &f));
    ruga_description *d = NULL;
    ruga_status status = make_description(context, path, &d);
    if (!RUGA_FAILED(status)) status = finish_reading(d, read_file(d, f), out);
    file_close(f);
    return status;
}

/* ---- Changed. */

ruga_status ruga_description_set(ruga_description *d, const char *path, const char *value) {
    if (!d) return RUGA_ERROR_ARGUMENT;
    if (!path || !value) return fail_argument(d->context, "a path and a value are needed to change a scene");
    checked_forget(d);
    return fields_set(&d->notes, &scene_section, path, value, &d->def);
}

/* ---- Written. */

static ruga_status write_text(const ruga_description *d, ruga_json_writer *json, arena *memory, char **text,
                              size_t *size) {
    field_writer writer = {.json = json, .memory = memory};
    TRY(find_current_folder(memory, &writer.current_folder));
    fields_write(&writer, &scene_section, &d->def);
    TRY(writer.status);
    const char *written;
    size_t length;
    TRY(ruga_json_finish(json, &written, &length));
    TRY(NEW_COPY(d->context, text, written, length + 1));
    if (size) *size = length;
    return RUGA_OK;
}

ruga_status ruga_description_write_memory(const ruga_description *d, char **text, size_t *size) {
    if (!d) return RUGA_ERROR_ARGUMENT;
    if (!text) return fail_argument(d->context, "there is nowhere to put the text of the scene");
    arena memory = arena_make(d->context);
    ruga_json_writer *json = NULL;
    TRY(ruga_json_writer_create(d->context, 2, &json));
    ruga_status status = write_text(d, json, &memory, text, size);
    ruga_json_writer_destroy(json);
    arena_release(&memory);
    return status;
}
