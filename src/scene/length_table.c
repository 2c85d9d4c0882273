/* Lengths of strokes frame by frame: a text with a line for each frame, or JSON. Both become rows of numbers, and a
 * name or the order says whose a column is. See ruga/strokes.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "field/words.h"
#include "ruga/text.h"
#include "scene/strokes_parts.h"

#define BETWEEN ",; \t\r"
#define BETWEEN_NAMES ",;\t\r"
#define NO_COLUMN UINT32_MAX
#define LONGEST 100 /* over the curve's length */
enum { MAX_COLUMNS = 65536 };

typedef struct length_reader {
    ruga_context *context;
    const char *path;
    const ruga_strokes *strokes;
    uint32_t line;
    size_t columns;     /* 0: not known yet */
    uint32_t *owned_by; /* (strokes) column; NO_COLUMN: none is of this stroke */
    ARRAY(double) row;
    ARRAY(double) values;
    size_t frames;
} length_reader;

/* ---- The stroke of a column. */

static ruga_status fail_name(const length_reader *r, const char *name) {
    const char *names[FIELD_MAX_WORDS];
    size_t count = 0;
    for (; count < ruga_strokes_count(r->strokes) && count < FIELD_MAX_WORDS; count++)
        names[count] = ruga_strokes_get(r->strokes, count).name;
    const char *nearest = ruga_nearest_word(name, names, count);
    field_words there = {0};
    if (nearest)
        words_add(&there, "did you mean \"%s\"?", nearest);
    else
        words_add(&there, "there are "), words_add_list(&there, names, count, " and ");
    return fail_input(r->context, "%s:%u: there is no stroke \"%.*s\"; %s", r->path, r->line, clipped(name), name,
                      there.text);
}

/* The next column belongs to all strokes of that name; one of frames' numbers to none. */
static ruga_status name_column(length_reader *r, const char *name) {
    int found = 0;
    for (size_t i = 0; i < ruga_strokes_count(r->strokes); i++) {
        if (strcmp(ruga_strokes_get(r->strokes, i).name, name) != 0) continue;
        if (r->owned_by[i] != NO_COLUMN)
            return fail_input(r->context, "%s:%u: the stroke \"%.*s\" has two columns", r->path, r->line, clipped(name),
                              name);
        r->owned_by[i] = (uint32_t)r->columns;
        found = 1;
    }
    if (!found && strcmp(name, "frame") != 0) return fail_name(r, name);
    r->columns++;
    return RUGA_OK;
}

/* One column for all, or one for each. */
static ruga_status take_order(length_reader *r, size_t columns) {
    size_t strokes = ruga_strokes_count(r->strokes);
    if (columns != 1 && columns != strokes)
        return fail_input(r->context, "%s:%u: %zu numbers; expected one for all strokes, or one for each of the %zu",
                          r->path, r->line, columns, strokes);
    r->columns = columns;
    for (size_t i = 0; i < strokes; i++) r->owned_by[i] = columns == 1 ? 0 : (uint32_t)i;
    return RUGA_OK;
}

/* ---- Rows. */

static ruga_status add_number(length_reader *r, double number) {
    if (r->row.count == MAX_COLUMNS)
        return fail_input(r->context, "%s:%u: more than %d numbers", r->path, r->line, MAX_COLUMNS);
    return ARRAY_ADD(r->context, &r->row, number);
}

/* Whether a column is one of lengths. */
static int has_owner(const length_reader *r, size_t column) {
    if (r->columns == 0) return 1;
    for (size_t i = 0; i < ruga_strokes_count(r->strokes); i++)
        if (r->owned_by[i] == column) return 1;
    return 0;
}

static int is_length(double number) { return number >= 0 && number <= LONGEST; }

static ruga_status end_row(length_reader *r) {
    size_t strokes = ruga_strokes_count(r->strokes);
    if (r->columns == 0) TRY(take_order(r, r->row.count));
    if (r->row.count != r->columns)
        return fail_input(r->context, "%s:%u: %zu numbers, but %zu are expected as before", r->path, r->line,
                          r->row.count, r->columns);
    TRY(ARRAY_RESERVE(r->context, &r->values, strokes));
    for (size_t i = 0; i < strokes; i++)
        r->values.items[r->values.count++] = r->owned_by[i] == NO_COLUMN ? NAN : r->row.items[r->owned_by[i]];
    r->frames++;
    r->row.count = 0;
    return RUGA_OK;
}

/* ---- Texts: a line for each frame. */

static ruga_status read_names(length_reader *r, char *line) {
    const char *between = strpbrk(line, BETWEEN_NAMES) ? BETWEEN_NAMES : BETWEEN;
    for (char *rest = NULL, *word = strtok_r(line, between, &rest); word; word = strtok_r(NULL, between, &rest)) {
        while (*word == ' ' || *word == '"') word++;
        size_t length = strlen(word);
        while (length > 0 && strchr(" \"", word[length - 1])) word[--length] = 0;
        TRY(name_column(r, word));
    }
    return RUGA_OK;
}

static ruga_status read_numbers(length_reader *r, char *line) {
    for (char *rest = NULL, *word = strtok_r(line, BETWEEN, &rest); word; word = strtok_r(NULL, BETWEEN, &rest)) {
        double number = NAN;
        const char *end = number_parse(word, word + strlen(word), &number);
        if (end == word || *end || (has_owner(r, r->row.count) && !is_length(number)))
            return fail_input(r->context,
                              "%s:%u: expected lengths over those of the curves, from 0 to %d, but found \"%.60s\"",
                              r->path, r->line, LONGEST, word);
        TRY(add_number(r, number));
    }
    return end_row(r);
}

static int begins_with_number(const char *line) {
    double number;
    line += strspn(line, BETWEEN);
    const char *end = number_parse(line, line + strlen(line), &number);
    return end != line && (!*end || strchr(BETWEEN, *end));
}

static ruga_status read_line(length_reader *r, char *line) {
    line[strcspn(line, "#")] = 0;
    if (!line[strspn(line, BETWEEN)]) return RUGA_OK;
    return r->columns == 0 && !begins_with_number(line) ? read_names(r, line) : read_numbers(r, line);
}

static ruga_status read_text(length_reader *r, char *text) {
    while (text) {
        char *end = strchr(text, '\n');
        if (end) *end++ = 0;
        r->line++;
        TRY(read_line(r, text));
        text = end;
    }
    return RUGA_OK;
}

/* ---- JSON: [1, 1.1, …], [[1, 1.2], …] with a list for each frame, or {"brow": [1, 1.1, …], …}. */

static ruga_status fail_value(length_reader *r, const json_value *value, const char *expected) {
    char number[40] = "";
    if (value->type == JSON_NUMBER) snprintf(number, sizeof number, " %g", value->number);
    return fail_input(r->context, "%s:%u:%u: expected %s, but found %s%s", r->path, value->line, value->column,
                      expected, value->type == JSON_NUMBER ? "the number" : json_type_name(value->type), number);
}

static ruga_status take_number(length_reader *r, const json_value *value) {
    r->line = value->line;
    if (value->type != JSON_NULL && (value->type != JSON_NUMBER || !is_length(value->number)))
        return fail_value(r, value, "a length over that of the curve, from 0 to 100, or null");
    return add_number(r, value->type == JSON_NULL ? NAN : value->number);
}

static ruga_status read_rows(length_reader *r, const json_value *list) {
    for (const json_value *frame = list->first; frame; frame = frame->next) {
        r->line = frame->line;
        if (frame->type != JSON_ARRAY) {
            TRY(take_number(r, frame));
        } else {
            for (const json_value *number = frame->first; number; number = number->next) TRY(take_number(r, number));
        }
        TRY(end_row(r));
    }
    return RUGA_OK;
}

static ruga_status read_members(length_reader *r, const json_value *object) {
    const json_value *first = object->first;
    for (const json_value *member = first; member; member = member->next) {
        r->line = member->key_line;
        TRY(name_column(r, member->key));
        if (member->type != JSON_ARRAY) return fail_value(r, member, "a list with a number for each frame");
        if (member->count != first->count)
            return fail_input(r->context, "%s:%u: %u numbers, but \"%s\" has %u", r->path, r->line, member->count,
                              first->key, first->count);
    }
    for (size_t i = 0; first && i < first->count; i++) {
        for (const json_value *member = first; member; member = member->next) TRY(take_number(r, json_item(member, i)));
        TRY(end_row(r));
    }
    return RUGA_OK;
}

static ruga_status read_json(length_reader *r, const char *text, size_t size) {
    json_document *document = NULL;
    TRY(json_parse(r->context, r->path, text, size, JSON_COMMENTS, &document));
    const json_value *root = json_root(document);
    ruga_status status;
    if (root->type == JSON_ARRAY)
        status = read_rows(r, root);
    else if (root->type == JSON_OBJECT)
        status = read_members(r, root);
    else
        status = fail_value(r, root, "a list with an item for each frame, or an object with a list for each stroke");
    json_destroy(document);
    return status;
}

/* ---- Both. */

static ruga_status read_bytes(length_reader *r, char *text, size_t size) {
    static const char mark[] = "\xef\xbb\xbf"; /* that spreadsheets put before UTF-8 */
    size_t skipped = strncmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
    text += skipped;
    size -= skipped;
    size_t blank = 0;
    while (isspace((unsigned char)text[blank])) blank++;
    for (size_t i = 0; i < ruga_strokes_count(r->strokes); i++) r->owned_by[i] = NO_COLUMN;
    TRY(strchr("[{/", text[blank]) && text[blank] ? read_json(r, text, size) : read_text(r, text));
    if (r->frames > 0) return RUGA_OK;
    return fail_input(r->context, "%s: has no numbers; it takes a line of them for each frame, or JSON", r->path);
}

/* Takes the values. */
static ruga_status make_table(length_reader *r, ruga_length_table **out) {
    ruga_length_table *table = NULL;
    TRY(NEW(r->context, &table, 1));
    *table = (ruga_length_table){r->frames, ruga_strokes_count(r->strokes), r->values.items, r->context};
    r->values.items = NULL;
    *out = table;
    return RUGA_OK;
}

ruga_status ruga_length_table_read(const ruga_strokes *strokes, const char *path, ruga_length_table **out) {
    ruga_context *context = strokes_context(strokes);
    length_reader r = {.context = context, .path = path, .strokes = strokes};
    unsigned char *bytes = NULL;
    size_t size;
    TRY(file_read_whole(context, path, &bytes, &size));
    ruga_status status = NEW(context, &r.owned_by, ruga_strokes_count(strokes));
    if (!RUGA_FAILED(status)) status = read_bytes(&r, (char *)bytes, size);
    if (!RUGA_FAILED(status)) status = make_table(&r, out);
    RELEASE_ALL(context, bytes, r.owned_by);
    ARRAY_RELEASE(context, &r.row);
    ARRAY_RELEASE(context, &r.values);
    return status;
}

void ruga_length_table_destroy(ruga_length_table *table) {
    if (!table) return;
    memory_release(table->context, (double *)(uintptr_t)table->values);
    memory_release(table->context, table);
}
