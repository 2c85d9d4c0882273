/* Findings in a text, with their places. */
#include "field/notes.h"

#include <stdio.h>
#include <string.h>

#include "field/field.h"
#include "field/words.h"

field_notes notes_make(ruga_context *context) { return (field_notes){.memory = arena_make(context)}; }

void notes_release(field_notes *notes) {
    ARRAY_RELEASE(notes->memory.context, &notes->origins);
    ARRAY_RELEASE(notes->memory.context, &notes->findings);
    arena_release(&notes->memory);
}

/* ---- Places. */

static int is_within(const origin *o, const void *value) {
    return (uintptr_t)value >= (uintptr_t)o->value && (uintptr_t)value - (uintptr_t)o->value < o->size;
}

/* The smallest value around an address; of equal ones the innermost, which was recorded last. */
static const origin *find_origin(const field_notes *notes, const void *value, int has_path) {
    const origin *best = NULL;
    for (size_t i = 0; i < notes->origins.count; i++) {
        const origin *o = &notes->origins.items[i];
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

static char *format_text(field_notes *notes, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : arena_allocate(&notes->memory, (size_t)length + 1, 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

/* Counts a finding that has no room in the list; the one about it, which may have been sorted, follows. */
static ruga_status count_dropped(field_notes *notes, ruga_status status) {
    enum { ROOM = 120 };
    if (!notes->dropped_text) {
        TRY(ARRAY_RESERVE(notes->memory.context, &notes->findings, 1));
        TRY(ARENA_NEW(&notes->memory, &notes->dropped_text, ROOM));
        notes->findings.items[notes->findings.count++] =
            (ruga_finding){.status = RUGA_WARNING_INPUT, .path = "", .message = notes->dropped_text};
    }
    notes->dropped++;
    notes->dropped_errors += RUGA_FAILED(status);
    snprintf(notes->dropped_text, ROOM,
             "%zu more findings are not listed, %zu of them errors; fix the listed ones first", notes->dropped,
             notes->dropped_errors);
    for (size_t i = 0; RUGA_FAILED(status) && i < notes->findings.count; i++)
        if (notes->findings.items[i].message == notes->dropped_text) notes->findings.items[i].status = status;
    return RUGA_OK;
}

/* The last warning of a full list; NULL: all are errors. */
static ruga_finding *last_warning(field_notes *notes) {
    for (size_t i = notes->findings.count; i-- > 0;) {
        ruga_finding *f = &notes->findings.items[i];
        if (!RUGA_FAILED(f->status) && f->message != notes->dropped_text) return f;
    }
    return NULL;
}

/* Whether a finding is only counted: the list is full, and it takes no warning's place. */
static int is_dropped(const field_notes *notes, ruga_status status) {
    return notes->findings.count >= NOTES_MAX_FINDINGS && (!RUGA_FAILED(status) || notes->dropped_errors > 0);
}

ruga_status notes_found_at(field_notes *notes, uint32_t line, uint32_t column, const char *path, ruga_status status,
                           const char *format, va_list arguments) {
    if (is_dropped(notes, status)) return count_dropped(notes, status);
    const int is_full = notes->findings.count >= NOTES_MAX_FINDINGS;
    ruga_finding *place = is_full ? last_warning(notes) : NULL;
    if (is_full && !place) return count_dropped(notes, status);
    TRY(ARRAY_RESERVE(notes->memory.context, &notes->findings, 1));
    const char *message = format_text(notes, format, arguments);
    path = arena_copy_text(&notes->memory, path, strlen(path));
    if (!message || !path) return fail_memory(notes->memory.context, strlen(format));
    ruga_finding found = {.status = status, .line = line, .column = column, .path = path, .message = message};
    if (!is_full) {
        notes->findings.items[notes->findings.count++] = found;
        return RUGA_OK;
    }
    ruga_status warning = place->status;
    *place = found;
    return count_dropped(notes, warning);
}

ruga_status notes_found(field_notes *notes, const void *value, ruga_status status, const char *format,
                        va_list arguments) {
    if (is_dropped(notes, status)) return count_dropped(notes, status); /* a search per finding would take minutes */
    const origin *place = find_origin(notes, value, 0), *around = find_origin(notes, value, 1);
    field_words path = {0};
    if (around) {
        words_add(&path, "%s", around->path);
        if (around->section) add_names(&path, around->section, (uintptr_t)value - (uintptr_t)around->value);
    }
    return notes_found_at(notes, place ? place->line : 0, place ? place->column : 0, path.text, status, format,
                          arguments);
}

static int is_before(const ruga_finding *a, const ruga_finding *b) {
    if ((a->line == 0) != (b->line == 0)) return b->line == 0;
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

int notes_have_errors(const field_notes *notes) {
    for (size_t i = 0; i < notes->findings.count; i++)
        if (RUGA_FAILED(notes->findings.items[i].status)) return 1;
    return 0;
}

/* Insertion sort: findings are few and nearly sorted. */
void notes_sort(field_notes *notes) {
    ruga_finding *f = notes->findings.items;
    for (size_t i = 1; i < notes->findings.count; i++)
        for (size_t k = i; k > 0 && is_before(&f[k], &f[k - 1]); k--) {
            ruga_finding swapped = f[k];
            f[k] = f[k - 1];
            f[k - 1] = swapped;
        }
}

ruga_status notes_verdict(const field_notes *notes, const char *name) {
    for (size_t i = 0; i < notes->findings.count; i++) {
        const ruga_finding *f = &notes->findings.items[i];
        if (!RUGA_FAILED(f->status)) continue;
        field_words place = {0};
        if (name[0]) words_add(&place, "%.*s:", clipped(name), name);
        if (f->line) words_add(&place, "%u:%u:", f->line, f->column);
        const char *space = place.length ? " " : "", *colon = f->path[0] ? ": " : "";
        return fail_with(notes->memory.context, f->status, "%s%s%s%s%s", place.text, space, f->path, colon, f->message);
    }
    return RUGA_OK;
}
