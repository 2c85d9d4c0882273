/* Changes one value by its path, for the options of the command and for --set. */
#include "field/set.h"

#include <stdint.h>
#include <string.h>

#include "base/name_advice.h"
#include "base/number.h"
#include "field/field.h"
#include "field/reader.h"
#include "field/words.h"
#include "ruga/text.h"

#define LONGEST_NAME 128

/* The end of a path: a field of a struct, or an item of a list. */
typedef struct target {
    const ruga_field *field;
    void *values; /* the struct of the field */
    int is_item;  /* the field is a list, and the path leads to an item of it */
    size_t index; /* of the item; equal to the count: appends an item */
} target;

/* ---- Following a path. */

typedef struct walker {
    field_reader *reader; /* its path: the path so far, with numbers instead of names */
    const char *path, *at;
    const ruga_section *section;
    target found;
} walker;

/* The field by which items of a list have names, which may be used instead of their numbers. */
static const ruga_field *name_field(const ruga_field *list) {
    const ruga_field *name = list->kind == RUGA_FIELD_LIST ? ruga_section_field(list->sections[0], "name") : NULL;
    return name && name->kind == RUGA_FIELD_TEXT ? name : NULL;
}

static ruga_status fail_path(const walker *w, const char *what, const char *word) {
    ruga_context *context = w->reader->notes->memory.context;
    return fail_argument(context, "%.*s: %s\"%.*s\"", clipped(w->path), w->path, what, clipped(word), word);
}

/* The same about a name that does not exist, with those that do. */
static ruga_status fail_name(const walker *w, const char *what, const char *name, const char *const *names,
                             size_t count) {
    name_advice advice;
    advise_name(name, names, count, advice);
    return fail_argument(w->reader->notes->memory.context, "%.*s: %s \"%.*s\"; %s", clipped(w->path), w->path, what,
                         clipped(name), name, advice);
}

/* Moves the characters up to one of `ends` from the path to `word`. */
static ruga_status take_word(walker *w, const char *ends, char word[LONGEST_NAME]) {
    size_t length = strcspn(w->at, ends);
    if (length == 0 || length >= LONGEST_NAME) return fail_path(w, "expected a name or a number before ", w->at);
    memcpy(word, w->at, length);
    word[length] = 0;
    w->at += length;
    return RUGA_OK;
}

static ruga_status take_field(walker *w) {
    char name[LONGEST_NAME];
    TRY(take_word(w, ".[", name));
    w->found = (target){.field = ruga_section_field(w->section, name), .values = w->found.values};
    if (w->found.field) {
        path_push(w->reader, name);
        return w->reader->status;
    }
    const char *names[FIELD_MAX_WORDS];
    size_t count = field_names(w->section, names, FIELD_MAX_WORDS);
    return fail_name(w, "unknown field", name, names, count);
}

/* The name of an item; NULL: it has none. */
static const char *item_name(const ruga_field *field, const ruga_list *list, size_t i) {
    const ruga_field *names = name_field(field);
    return names ? *(const char **)field_at(names, (char *)list->items + i * field_item_size(field)) : NULL;
}

static size_t find_named(const ruga_field *field, const ruga_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++) {
        const char *text = item_name(field, list, i);
        if (text && strcmp(text, name) == 0) return i;
    }
    return SIZE_MAX;
}

static ruga_status fail_item(const walker *w, const char *name) {
    const ruga_field *field = w->found.field;
    const ruga_list *list = field_at(field, w->found.values);
    if (!name_field(field)) return fail_path(w, "items of this list have no names; give a number instead of ", name);
    const char *names[FIELD_MAX_WORDS];
    size_t count = 0;
    for (size_t i = 0; i < list->count && count < FIELD_MAX_WORDS; i++)
        if (item_name(field, list, i)) names[count++] = item_name(field, list, i);
    return fail_name(w, "no item has the name", name, names, count);
}

/* "[3]" or "[shirt]" behind the name of a list. */
static ruga_status take_index(walker *w) {
    const ruga_field *field = w->found.field;
    if (field->kind != RUGA_FIELD_LIST && field->kind != RUGA_FIELD_VARIANTS)
        return fail_path(w, "this is not a list: ", field->name);
    const ruga_list *list = field_at(field, w->found.values);
    char word[LONGEST_NAME];
    w->at++;
    TRY(take_word(w, "]", word));
    if (*w->at++ != ']') return fail_path(w, "expected ] after ", word);
    int64_t number = 0;
    const char *end = word + strlen(word);
    int is_number = number_parse_whole(word, end, &number) == end && number >= 0;
    size_t index = is_number ? (size_t)number : find_named(field, list, word);
    if (index > list->count) return is_number ? fail_path(w, "the list has no item ", word) : fail_item(w, word);
    w->found.is_item = 1;
    w->found.index = index;
    path_push_index(w->reader, index);
    return w->reader->status;
}

/* Enters the struct that the path leads to so far. */
static ruga_status descend(walker *w) {
    const ruga_field *field = w->found.field;
    void *at = field_at(field, w->found.values);
    int is_list = field->kind == RUGA_FIELD_LIST || field->kind == RUGA_FIELD_VARIANTS;
    if (is_list && !w->found.is_item) return fail_path(w, "expected a number in [] after ", field->name);
    if (is_list && w->found.index >= ((ruga_list *)at)->count)
        return fail_path(w, "first add a whole item to ", field->name);
    if (is_list) at = (char *)((ruga_list *)at)->items + w->found.index * field_item_size(field);

    const ruga_variant *variant = field->kind == RUGA_FIELD_VARIANT || field->kind == RUGA_FIELD_VARIANTS ? at : NULL;
    if (!variant && field->kind != RUGA_FIELD_SECTION && field->kind != RUGA_FIELD_LIST)
        return fail_path(w, "this field has no fields of its own: ", field->name);
    if (variant && !variant->values) return fail_path(w, "first set the kind of ", field->name);
    w->section = variant ? variant->section : field->sections[0];
    w->found.values = variant ? variant->values : at;
    return RUGA_OK;
}

static ruga_status follow(walker *w) {
    for (;;) {
        TRY(take_field(w));
        if (*w->at == '[') TRY(take_index(w));
        if (*w->at == 0) return RUGA_OK;
        if (*w->at++ != '.') return fail_path(w, "expected . before ", w->at - 1);
        TRY(descend(w));
    }
}

/* ---- The value as JSON. */

/* The field that a plain text is a value of: that of the shorthand, if there is one. */
static const ruga_field *plain_field(const target *t) {
    const ruga_field *field = t->field;
    int is_struct = field->kind == RUGA_FIELD_SECTION || (field->kind == RUGA_FIELD_LIST && t->is_item);
    if (!is_struct || !field->sections[0]->shorthand) return field;
    return ruga_section_field(field->sections[0], field->sections[0]->shorthand);
}

static void write_words(ruga_json_writer *json, char *text) {
    ruga_json_begin_array(json);
    while (*text) {
        size_t length = strcspn(text, ",");
        int is_last = text[length] == 0;
        text[length] = 0;
        ruga_json_string(json, text);
        text += length + !is_last;
    }
    ruga_json_end_array(json);
}

/* A text as in an option of the command: .5, 0,-9.81,0, pc2,obj, shirt. */
static void write_plain(ruga_json_writer *json, const ruga_field *field, char *text) {
    double number;
    ruga_vec3 v;
    int is_numeric = field->kind == RUGA_FIELD_NUMBER || field->kind == RUGA_FIELD_WHOLE ||
                     field->kind == RUGA_FIELD_PARAM || field->kind == RUGA_FIELD_UNIT;
    if (is_numeric && ruga_number_parse(text, &number)) {
        ruga_json_number(json, number);
    } else if (field->kind == RUGA_FIELD_VECTOR && field_parse_vector(text, &v)) {
        ruga_json_begin_array(json);
        ruga_json_number(json, v.x);
        ruga_json_number(json, v.y);
        ruga_json_number(json, v.z);
        ruga_json_end_array(json);
    } else if (field->kind == RUGA_FIELD_CHOICES) {
        write_words(json, text);
    } else {
        ruga_json_string(json, text);
    }
}

static ruga_status parse_plain(ruga_context *context, const ruga_field *field, const char *text, json_document **out) {
    char *copy = NULL;
    TRY(NEW_TEXT(context, &copy, text));
    ruga_json_writer *json = NULL;
    ruga_status status = ruga_json_writer_create(context, 0, &json);
    if (!RUGA_FAILED(status)) {
        const char *written;
        size_t size;
        write_plain(json, field, copy);
        status = ruga_json_finish(json, &written, &size);
        if (!RUGA_FAILED(status)) status = json_parse(context, "", written, size, 0, out);
    }
    ruga_json_writer_destroy(json);
    memory_release(context, copy);
    return status;
}

/* Where a field is a text, 24 and true are texts too. */
static int fits_field(const ruga_field *field, const json_value *value) {
    int wants_text = field->kind == RUGA_FIELD_TEXT || field->kind == RUGA_FIELD_PATH ||
                     field->kind == RUGA_FIELD_NAME || field->kind == RUGA_FIELD_CHOICE;
    return !wants_text || value->type == JSON_STRING || (value->type == JSON_NULL && field_may_be_absent(field));
}

static int begins_like_json(const char *text) {
    char first = text[strspn(text, " \t\n")];
    return first == '{' || first == '[' || first == '"';
}

static ruga_status parse_value(ruga_context *context, const target *t, const char *text, json_document **out) {
    const ruga_field *field = plain_field(t);
    ruga_status status = json_parse(context, "", text, strlen(text), JSON_COMMENTS, out);
    if (!RUGA_FAILED(status) && fits_field(field, json_root(*out))) return status;
    if (RUGA_FAILED(status) && status != RUGA_ERROR_INPUT) return status;
    /* For a text that starts like JSON, the message of the JSON parser is best. */
    if (RUGA_FAILED(status) && begins_like_json(text)) return status;
    json_destroy(*out);
    *out = NULL;
    return parse_plain(context, field, text, out);
}

/* ---- Reading the value. */

static void *target_address(const target *t) {
    void *at = field_at(t->field, t->values);
    return t->is_item ? (char *)((ruga_list *)at)->items + t->index * field_item_size(t->field) : at;
}

/* Forgets the origins of old values within these bytes. */
static void forget_origins(field_notes *notes, size_t count, const target *t, const void *begin, size_t size) {
    size_t kept = 0;
    for (size_t i = 0; i < notes->origins.count; i++) {
        const origin *o = &notes->origins.items[i];
        /* A struct may have the same address as its first field. */
        int is_inside = (uintptr_t)o->value >= (uintptr_t)begin && (uintptr_t)o->value - (uintptr_t)begin < size;
        int is_old = i < count && is_inside && (t->is_item || !o->section);
        if (!is_old) notes->origins.items[kept++] = *o;
    }
    notes->origins.count = kept;
}

static void move_origins(field_notes *notes, const char *from, const char *to, size_t size) {
    for (size_t i = 0; i < notes->origins.count; i++) {
        origin *o = &notes->origins.items[i];
        uintptr_t offset = (uintptr_t)o->value - (uintptr_t)from;
        if ((uintptr_t)o->value >= (uintptr_t)from && offset < size) o->value = to + offset;
    }
}

/* Replaces a value; on failure the old one is restored. */
static int replace(field_reader *r, const target *t, const json_value *value) {
    field_notes *notes = r->notes;
    void *at = target_address(t);
    size_t size = t->is_item ? field_item_size(t->field) : field_size(t->field), origins = notes->origins.count;
    void *before = reader_allocate(r, 1, size);
    if (!before) return 0;
    memcpy(before, at, size);
    int fine = t->is_item ? field_read_item(r, t->field, value, at) : field_read(r, t->field, value, value, t->values);
    if (fine && !RUGA_FAILED(r->status)) {
        forget_origins(notes, origins, t, at, size);
        return 1;
    }
    memcpy(at, before, size);
    notes->origins.count = origins;
    return 0;
}

/* The place for one more item; the list moves if it has no room. */
static char *make_room(field_reader *r, ruga_list *list, size_t size) {
    if (list->count < list_capacity(list->count)) return (char *)list->items + list->count * size;
    char *items = reader_allocate(r, list_capacity(list->count + 1), size);
    if (!items) return NULL;
    if (list->count > 0) memcpy(items, list->items, list->count * size);
    move_origins(r->notes, list->items, items, list->count * size);
    list->items = items;
    return items + list->count * size;
}

static int append(field_reader *r, const target *t, const json_value *value) {
    ruga_list *list = field_at(t->field, t->values);
    size_t size = field_item_size(t->field), origins = r->notes->origins.count;
    char *item = make_room(r, list, size);
    if (!item) return 0;
    memset(item, 0, size);
    if (field_read_item(r, t->field, value, item) && !RUGA_FAILED(r->status)) {
        list->count++;
        return 1;
    }
    r->notes->origins.count = origins;
    return 0;
}

/* An error in the value becomes the message of the call, not a finding. */
static ruga_status change(field_reader *r, const target *t, const json_value *value) {
    field_notes *notes = r->notes;
    field_notes saved = *notes;
    memset(&notes->findings, 0, sizeof notes->findings);
    const ruga_list *list = field_at(t->field, t->values);
    int fine = t->is_item && t->index == list->count ? append(r, t, value) : replace(r, t, value);
    ruga_status status = r->status;
    if (!RUGA_FAILED(status) && !fine) {
        const ruga_finding *f = &notes->findings.items[0];
        status = fail_argument(notes->memory.context, "%s: %s", f->path, f->message);
    }
    ARRAY_RELEASE(notes->memory.context, &notes->findings);
    memcpy(&notes->findings, &saved.findings, sizeof notes->findings);
    return status;
}

static ruga_status set_value(field_reader *r, const ruga_section *root, void *values, const char *path,
                             const char *value) {
    ruga_context *context = r->notes->memory.context;
    walker w = {.reader = r, .path = path, .at = path, .section = root};
    w.found.values = values;
    TRY(follow(&w));
    json_document *document = NULL;
    ruga_status status = parse_value(context, &w.found, value, &document);
    if (status == RUGA_ERROR_INPUT) {
        field_words words = {0};
        words_add(&words, "%s", ruga_context_message(context) + 1);
        return fail_argument(context, "%s: the value is not valid JSON: %s", r->path.items, words.text);
    }
    TRY(status);
    status = change(r, &w.found, json_root(document));
    json_destroy(document);
    return status;
}

ruga_status fields_set(field_notes *notes, const ruga_section *root, const char *path, const char *value,
                       void *values) {
    field_reader reader;
    ruga_status status = field_reader_start(&reader, notes, "", "");
    reader.is_text = 0;
    if (!RUGA_FAILED(status)) status = set_value(&reader, root, values, path, value);
    field_reader_finish(&reader);
    return status;
}
