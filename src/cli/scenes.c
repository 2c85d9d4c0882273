#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field_options.h"
#include "files.h"
#include "scenes.h"

const char *scene_title(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

/* ---- Reading. */
enum { CHUNK = 1 << 16 };
#define MAX_TEXT ((size_t)65 << 20) /* a little more than the library takes, which then says so */

/* All of standard input, or as much of it as is needed to refuse it. */
static int read_standard_input(session *s, char **text, size_t *size) {
    size_t capacity = 0;
    *text = NULL;
    *size = 0;
    do {
        if (capacity - *size < CHUNK) {
            capacity = 2 * capacity + CHUNK;
            char *larger = realloc(*text, capacity);
            if (!larger) return session_no_memory(s);
            *text = larger;
        }
        *size += fread(*text + *size, 1, CHUNK, stdin);
    } while (!feof(stdin) && !ferror(stdin) && *size < MAX_TEXT);
    return ferror(stdin) ? session_error(s, EXIT_INPUT, "standard input: %s", strerror(errno)) : 0;
}

static int read_description(session *s, const char *path, ruga_description **out) {
    ruga_status status;
    char *text = NULL;
    size_t size = 0;
    if (strcmp(path, "-") == 0) {
        int code = read_standard_input(s, &text, &size);
        if (code) {
            free(text);
            return code;
        }
        status = ruga_description_read_memory(s->context, scene_title(path), text, size, out);
        free(text);
    } else
        status = ruga_description_read(s->context, path, out);
    /* What is wrong in the text is told later, with all else. */
    return RUGA_FAILED(status) && !*out ? session_failed_input(s, status) : 0;
}

int scene_read(session *s, const arguments *a, const char *path, scene_change *change, ruga_description **out) {
    ruga_description *description = NULL;
    int code = read_description(s, path, &description);
    if (!code) code = set_options_apply(s, a, description);
    if (!code && change) code = change(s, a, description);
    if (!code) {
        ruga_status status = ruga_description_check(description);
        if (status == RUGA_ERROR_MEMORY || status == RUGA_ERROR_CANCELLED) code = session_failed_output(s, status);
    }
    if (!code)
        *out = description;
    else
        ruga_description_destroy(description);
    return code;
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
    static const char format[] = "%s:%s %s: %s%s%s\n";
    for (size_t i = 0; i < ruga_description_finding_count(description); i++) {
        const ruga_finding *f = ruga_description_finding(description, i);
        char place[32] = "";
        if (f->line) snprintf(place, sizeof place, "%u:%u:", f->line, f->column);
        const char *kind = RUGA_FAILED(f->status) ? "error" : "warning", *of = f->path ? f->path : "";
        const char *colon = *of ? ": " : "";
        if (as_result)
            session_print(s, format, scene_title(path), place, kind, of, colon, f->message);
        else
            fprintf(stderr, format, scene_title(path), place, kind, of, colon, f->message);
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
int print_library_text(session *s, const arguments *a, ruga_status status, char *text, size_t size) {
    if (RUGA_FAILED(status)) return session_failed_output(s, status);
    const char *path = option_text(a, "output");
    int code = 0;
    if (path && strcmp(path, "-") != 0)
        code = write_text_file(s, path, text, size);
    else
        session_write(s, text, size);
    ruga_free(s->context, text);
    return code;
}
