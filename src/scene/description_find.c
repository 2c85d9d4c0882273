/* What was found in a description, and where in its text. */
#include <stdio.h>
#include <string.h>

#include "mesh/field.h"
#include "scene/description.h"
#include "scene/field.h"

/* ---- Places. */

static int is_within(const origin *o, const void *value) {
    return (uintptr_t)value >= (uintptr_t)o->value && (uintptr_t)value - (uintptr_t)o->value < o->size;
}

/* The smallest value around an address; of equals the innermost, which was recorded last. */
static const origin *find_origin(const ruga_description *d, const void *value, int has_path) {
    const origin *best = NULL;
    for (size_t i = 0; i < d->origins.count; i++) {
        const origin *o = &d->origins.items[i];
        if ((!has_path || o->path) && is_within(o, value) && (!best || o->size <= best->size)) best = o;
    }
    return best;
}

/* Appends the names that lead from a struct to an offset in it: ".time.fps". */
static void add_names(field_words *path, const ruga_section *section, size_t offset) {
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        if (offset < field->offset || offset - field->offset >= field_size(field)) continue;
        words_add(path, "%s%s", path->length ? "." : "", field->name);
        if (field->kind == RUGA_FIELD_SECTION) add_names(path, field->sections[0], offset - field->offset);
        return;
    }
}

/* ---- Findings. */

static char *format_text(ruga_description *d, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : arena_allocate(&d->memory, (size_t)length + 1, 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

ruga_status description_found_at(ruga_description *d, uint32_t line, uint32_t column, const char *path,
                                 ruga_status status, const char *format, va_list arguments) {
    if (d->findings.count >= DESCRIPTION_MAX_FINDINGS) return RUGA_OK;
    TRY(ARRAY_RESERVE(d->context, &d->findings, 1));
    int is_last = d->findings.count + 1 == DESCRIPTION_MAX_FINDINGS;
    const char *message = is_last ? "there is more that is wrong, which is not listed" : NULL;
    if (!message) message = format_text(d, format, arguments);
    path = arena_copy_text(&d->memory, path, strlen(path));
    if (!message || !path) return fail_memory(d->context, strlen(format));
    d->findings.items[d->findings.count++] =
        (ruga_finding){.status = status, .line = line, .column = column, .path = path, .message = message};
    return RUGA_OK;
}

ruga_status description_found(ruga_description *d, const void *value, ruga_status status, const char *format, ...) {
    const origin *place = find_origin(d, value, 0), *around = find_origin(d, value, 1);
    field_words path = {0};
    if (around) {
        words_add(&path, "%s", around->path);
        if (around->section) add_names(&path, around->section, (uintptr_t)value - (uintptr_t)around->value);
    }
    va_list arguments;
    va_start(arguments, format);
    ruga_status result = description_found_at(d, place ? place->line : 0, place ? place->column : 0, path.text, status,
                                              format, arguments);
    va_end(arguments);
    return result;
}

static int is_before(const ruga_finding *a, const ruga_finding *b) {
    if ((a->line == 0) != (b->line == 0)) return b->line == 0;
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

int description_has_errors(const ruga_description *d) {
    for (size_t i = 0; i < d->findings.count; i++)
        if (RUGA_FAILED(d->findings.items[i].status)) return 1;
    return 0;
}

/* By insertion: there are few, and they come nearly in order. */
void description_sort_findings(ruga_description *d) {
    ruga_finding *f = d->findings.items;
    for (size_t i = 1; i < d->findings.count; i++)
        for (size_t k = i; k > 0 && is_before(&f[k], &f[k - 1]); k--) {
            ruga_finding swapped = f[k];
            f[k] = f[k - 1];
            f[k - 1] = swapped;
        }
}

ruga_status description_verdict(const ruga_description *d) {
    for (size_t i = 0; i < d->findings.count; i++) {
        const ruga_finding *f = &d->findings.items[i];
        if (!RUGA_FAILED(f->status)) continue;
        field_words place = {0};
        if (d->name[0]) words_add(&place, "%.*s:", clipped(d->name), d->name);
        if (f->line) words_add(&place, "%u:%u:", f->line, f->column);
        const char *space = place.length ? " " : "", *colon = f->path[0] ? ": " : "";
        return fail_with(d->context, f->status, "%s%s%s%s%s", place.text, space, f->path, colon, f->message);
    }
    return RUGA_OK;
}

size_t ruga_description_finding_count(const ruga_description *d) { return d->findings.count; }

const ruga_finding *ruga_description_finding(const ruga_description *d, size_t finding) {
    return finding < d->findings.count ? &d->findings.items[finding] : NULL;
}
