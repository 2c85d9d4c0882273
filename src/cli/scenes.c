#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field_options.h"
#include "files.h"
#include "scenes.h"

const char *scene_title(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

/* ---- Reading. */
#define MAX_TEXT ((size_t)65 << 20) /* a little more than the library accepts, which then reports it */

static int read_description(session *s, const char *path, ruga_description **out) {
    ruga_status status;
    char *text = NULL;
    size_t size = 0;
    if (strcmp(path, "-") == 0) {
        int code = read_standard_input(s, MAX_TEXT, &text, &size);
        if (code) {
            free(text);
            return code;
        }
        status = ruga_description_read_memory(s->context, scene_title(path), text, size, out);
        free(text);
    } else
        status = ruga_description_read(s->context, path, out);
    /* Errors in the text are reported later, with all other findings. */
    return *out ? 0 : input_code(s, status);
}

int scene_read(session *s, const arguments *a, const char *path, scene_change *change, ruga_description **out) {
    int code = read_description(s, path, out);
    if (!code) code = set_options_apply(s, a, *out);
    if (!code && change) code = change(s, a, *out);
    return code ? code : scene_check(s, *out);
}

int scene_describe(session *s, const char *name, const char *text, ruga_description **out) {
    return output_code(s, ruga_description_read_memory(s->context, name, text, strlen(text), out));
}

int scene_set(session *s, ruga_description *description, const char *path, const char *format, ...) {
    char value[4200];
    va_list list;
    va_start(list, format);
    vsnprintf(value, sizeof value, format, list);
    va_end(list);
    return input_code(s, ruga_description_set(description, path, value));
}

int scene_check(session *s, ruga_description *description) {
    ruga_status status = ruga_description_check(description);
    /* Findings are reported later; a failure that left none would be lost. */
    int is_lost = RUGA_FAILED(status) && count_findings(description).errors == 0;
    int code = is_lost || status == RUGA_ERROR_MEMORY || status == RUGA_ERROR_CANCELLED ? output_code(s, status) : 0;
    return code ? code : session_interrupted(s);
}

/* ---- Findings. */
finding_counts count_findings(const ruga_description *description) {
    finding_counts counts = {0, 0};
    for (size_t i = 0; i < ruga_description_finding_count(description); i++)
        if (RUGA_FAILED(ruga_description_finding(description, i)->status))
            counts.errors++;
        else
            counts.warnings++;
    return counts;
}

void print_findings(session *s, int as_result, const char *path, const ruga_description *description) {
    static const char format[] = "%s:%s %s: %s%s%s";
    for (size_t i = 0; i < ruga_description_finding_count(description); i++) {
        const ruga_finding *f = ruga_description_finding(description, i);
        char place[32] = "";
        if (f->line) snprintf(place, sizeof place, "%u:%u:", f->line, f->column);
        const char *kind = RUGA_FAILED(f->status) ? "error" : "warning", *of = f->path ? f->path : "";
        const char *colon = *of ? ": " : "";
        if (as_result) {
            session_print(s, format, scene_title(path), place, kind, of, colon, f->message);
            session_print(s, "\n");
        } else
            session_line(s, kind, format, scene_title(path), place, kind, of, colon, f->message);
    }
}

const char *describe_counts(finding_counts counts, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    if (counts.errors) used = (size_t)snprintf(text, size, "%zu error%s", counts.errors, counts.errors == 1 ? "" : "s");
    if (counts.warnings && used < size)
        snprintf(text + used, size - used, "%s%zu warning%s", used ? ", " : "", counts.warnings,
                 counts.warnings == 1 ? "" : "s");
    return text;
}

/* ---- Texts from the library. */
int write_library_text(session *s, const char *path, char *text, size_t size) {
    int code = 0;
    if (strcmp(path, "-") != 0)
        code = write_text_file(s, path, text, size);
    else
        session_write(s, text, size);
    ruga_free(s->context, text);
    return code;
}

int scene_write(session *s, const ruga_description *description, const char *path) {
    char *text = NULL;
    size_t size = 0;
    int code = output_code(s, ruga_description_write_memory(description, &text, &size));
    if (!code) code = write_library_text(s, path, text, size);
    if (!code) session_remark(s, "wrote %s: 'ruga run %s' runs it\n", path, path);
    return code;
}
