/* One value of a description changed by its path: what the command's options and --set do. */
#include <stdint.h>
#include <string.h>

#include "base/number.h"
#include "mesh/field.h"
#include "scene/field.h"
#include "scene/tables.h"

#define LONGEST_NAME 128

/* What a path leads to: a field of a struct, or an item of a list field. */
typedef struct target {
    const ruga_field *field;
    void *values; /* the struct that holds the field */
    int is_item;  /* of the list that the field is */
    size_t index; /* of the item; the count of the list appends */
} target;

/* ---- Following a path. */

typedef struct walker {
    field_reader *reader; /* its path becomes the one that was followed, with numbers for names */
    const char *path, *at;
    const ruga_section *section;
    target found;
} walker;

/* Sections whose things go by a name: it can stand in place of the number. */
static const ruga_field *name_field(const ruga_field *list) {
    const ruga_field *name = list->kind == RUGA_FIELD_LIST ? ruga_section_field(list->sections[0], "name") : NULL;
    return name && name->kind == RUGA_FIELD_TEXT ? name : NULL;
}

static ruga_status fail_path(const walker *w, const char *what, const char *word) {
    ruga_context *context = w->reader->description->context;
    return fail_with(context, RUGA_ERROR_ARGUMENT, "%.*s: %s\"%.*s\"", clipped(w->path), w->path, what, clipped(word),
                     word);
}

/* Takes the characters up to one of `ends` off the path. */
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
    const char *nearest = ruga_nearest_word(name, names, count);
    if (nearest) return fail_path(w, "there is no such field; did you mean ", nearest);
    return fail_path(w, "there is no field ", name);
}

static size_t find_named(const ruga_field *field, const ruga_list *list, const char *name) {
    const ruga_field *names = name_field(field);
    for (size_t i = 0; names && i < list->count; i++) {
        const char *text = *(const char **)field_at(names, (char *)list->items + i * field_item_size(field));
        if (text && strcmp(text, name) == 0) return i;
    }
    return SIZE_MAX;
}

/* "[3]" or "[shirt]" behind the name of a list. */
static ruga_status take_index(walker *w) {
    const ruga_field *field = w->found.field;
    if (field->kind != RUGA_FIELD_LIST && field->kind != RUGA_FIELD_VARIANTS)
        return fail_path(w, "this is no list: ", field->name);
    const ruga_list *list = field_at(field, w->found.values);
    char word[LONGEST_NAME];
    w->at++;
    TRY(take_word(w, "]", word));
    if (*w->at++ != ']') return fail_path(w, "a ] is missing behind ", word);
    int64_t number = 0;
    const char *end = word + strlen(word);
    int is_number = number_parse_whole(word, end, &number) == end && number >= 0;
    size_t index = is_number ? (size_t)number : find_named(field, list, word);
    if (index > list->count) return fail_path(w, is_number ? "the list is too short for " : "nothing is called ", word);
    w->found.is_item = 1;
    w->found.index = index;
    path_push_index(w->reader, index);
    return w->reader->status;
}

/* Into what the path has led to so far. */
static ruga_status descend(walker *w) {
    const ruga_field *field = w->found.field;
    void *at = field_at(field, w->found.values);
    int is_list = field->kind == RUGA_FIELD_LIST || field->kind == RUGA_FIELD_VARIANTS;
    if (is_list && !w->found.is_item) return fail_path(w, "a number in [] has to follow ", field->name);
    if (is_list && w->found.index >= ((ruga_list *)at)->count)
        return fail_path(w, "first add a whole item to ", field->name);
    if (is_list) at = (char *)((ruga_list *)at)->items + w->found.index * field_item_size(field);

    const ruga_variant *variant = field->kind == RUGA_FIELD_VARIANT || field->kind == RUGA_FIELD_VARIANTS ? at : NULL;
    if (!variant && field->kind != RUGA_FIELD_SECTION && field->kind != RUGA_FIELD_LIST)
        return fail_path(w, "there is nothing inside of ", field->name);
    if (variant && !variant->values) return fail_path(w, "first set what kind it is of ", field->name);
    w->section = variant ? variant->section : field->sections[0];
    w->found.values = variant ? variant->values : at;
    return RUGA_OK;
}

static ruga_status follow(walker *w) {
    for (;;) {
        TRY(take_field(w));
        if (*w->at == '[') TRY(take_index(w));
        if (*w->at == 0) return RUGA_OK;
        if (*w->at++ != '.') return fail_path(w, "expected a point before ", w->at - 1);
        TRY(descend(w));
    }
}

/* ---- The value as JSON. */

/* The field whose way of writing a plain text has: with a shorthand that of the field which it stands for. */
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

/* As an option of the command has it: .5, 0,-9.81,0, pc2,obj, shirt. */
static void write_plain(ruga_json_writer *json, const ruga_field *field, char *text) {
    double number;
    ruga_vec3 v;
    int is_numeric = field->kind == RUGA_FIELD_NUMBER || field->kind == RUGA_FIELD_WHOLE ||
                     field->kind == RUGA_FIELD_PARAM || field->kind == RUGA_FIELD_UNIT;
    if (is_numeric && field_parse_number(text, &number)) {
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
    char *copy = memory_copy_text(context, text);
    if (!copy) return fail_memory(context, strlen(text));
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

/* Where a text is wanted, 24 and true are texts like all others. */
static int is_wanted(const ruga_field *field, const json_value *value) {
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
    if (!RUGA_FAILED(status) && is_wanted(field, json_root(*out))) return status;
    if (RUGA_FAILED(status) && status != RUGA_ERROR_INPUT) return status;
    /* What begins like JSON was meant to be: its own message says best what is wrong with it. */
    if (RUGA_FAILED(status) && begins_like_json(text)) return status;
    json_destroy(*out);
    *out = NULL;
    return parse_plain(context, field, text, out);
}

/* ---- Reading it into place. */

static void *target_address(const target *t) {
    void *at = field_at(t->field, t->values);
    return t->is_item ? (char *)((ruga_list *)at)->items + t->index * field_item_size(t->field) : at;
}

/* Values within these bytes were read from the text; they are no more, or have moved. */
static void forget_origins(ruga_description *d, size_t count, const target *t, const void *begin, size_t size) {
    size_t kept = 0;
    for (size_t i = 0; i < d->origins.count; i++) {
        const origin *o = &d->origins.items[i];
        /* The struct around a field may begin where the field does. */
        int is_inside = (uintptr_t)o->value >= (uintptr_t)begin && (uintptr_t)o->value - (uintptr_t)begin < size;
        int is_old = i < count && is_inside && (t->is_item || !o->section);
        if (!is_old) d->origins.items[kept++] = *o;
    }
    d->origins.count = kept;
}

static void move_origins(ruga_description *d, const char *from, const char *to, size_t size) {
    for (size_t i = 0; i < d->origins.count; i++) {
        origin *o = &d->origins.items[i];
        uintptr_t offset = (uintptr_t)o->value - (uintptr_t)from;
        if ((uintptr_t)o->value >= (uintptr_t)from && offset < size) o->value = to + offset;
    }
}

/* Over what is there; it comes back when the new value is none. */
static int replace(field_reader *r, const target *t, const json_value *value) {
    ruga_description *d = r->description;
    void *at = target_address(t);
    size_t size = t->is_item ? field_item_size(t->field) : field_size(t->field), origins = d->origins.count;
    void *before = reader_allocate(r, 1, size);
    if (!before) return 0;
    memcpy(before, at, size);
    int fine = t->is_item ? field_read_item(r, t->field, value, at) : field_read(r, t->field, value, value, t->values);
    if (fine && !RUGA_FAILED(r->status)) {
        forget_origins(d, origins, t, at, size);
        return 1;
    }
    memcpy(at, before, size);
    d->origins.count = origins;
    return 0;
}

/* Where the item behind the last goes: there is room for it, or all move to where there is. */
static char *make_room(field_reader *r, ruga_list *list, size_t size) {
    if (list->count < list_capacity(list->count)) return (char *)list->items + list->count * size;
    char *items = reader_allocate(r, list_capacity(list->count + 1), size);
    if (!items) return NULL;
    if (list->count > 0) memcpy(items, list->items, list->count * size);
    move_origins(r->description, list->items, items, list->count * size);
    list->items = items;
    return items + list->count * size;
}

static int append(field_reader *r, const target *t, const json_value *value) {
    ruga_list *list = field_at(t->field, t->values);
    size_t size = field_item_size(t->field), origins = r->description->origins.count;
    char *item = make_room(r, list, size);
    if (!item) return 0;
    memset(item, 0, size);
    if (field_read_item(r, t->field, value, item) && !RUGA_FAILED(r->status)) {
        list->count++;
        return 1;
    }
    r->description->origins.count = origins;
    return 0;
}

/* What is wrong with the value becomes the message of the call, not a finding of the description. */
static ruga_status change(field_reader *r, const target *t, const json_value *value) {
    ruga_description *d = r->description;
    ruga_description saved = *d;
    memset(&d->findings, 0, sizeof d->findings);
    const ruga_list *list = field_at(t->field, t->values);
    int fine = t->is_item && t->index == list->count ? append(r, t, value) : replace(r, t, value);
    ruga_status status = r->status;
    if (!RUGA_FAILED(status) && !fine) {
        const ruga_finding *f = &d->findings.items[0];
        status = fail_with(d->context, RUGA_ERROR_ARGUMENT, "%s: %s", f->path, f->message);
    }
    ARRAY_RELEASE(d->context, &d->findings);
    memcpy(&d->findings, &saved.findings, sizeof d->findings);
    return status;
}

static ruga_status set_value(field_reader *r, const char *path, const char *value) {
    ruga_context *context = r->description->context;
    walker w = {.reader = r, .path = path, .at = path, .section = &scene_section};
    w.found.values = &r->description->def;
    TRY(follow(&w));
    json_document *document = NULL;
    ruga_status status = parse_value(context, &w.found, value, &document);
    if (status == RUGA_ERROR_INPUT) {
        field_words words = {0};
        words_add(&words, "%s", ruga_context_message(context) + 1);
        return fail_with(context, RUGA_ERROR_ARGUMENT, "%s: the value is no JSON: %s", r->path.items, words.text);
    }
    TRY(status);
    status = change(r, &w.found, json_root(document));
    json_destroy(document);
    return status;
}

ruga_status ruga_description_set(ruga_description *d, const char *path, const char *value) {
    if (!d) return RUGA_ERROR_ARGUMENT;
    if (!path || !value)
        return fail_with(d->context, RUGA_ERROR_ARGUMENT, "a path and a value are needed to change a scene");
    field_reader reader;
    ruga_status status = field_reader_start(&reader, d, "");
    reader.folder = "";
    reader.is_text = 0;
    if (!RUGA_FAILED(status)) status = set_value(&reader, path, value);
    field_reader_finish(&reader);
    return status;
}
