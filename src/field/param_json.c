/* Parameters in scenes:
 *
 *     0.5                                              the same everywhere
 *     "mask"                                           a vertex attribute
 *     {"attribute": "mask", "from": 0, "to": 0.02}     the same, with 0…1 mapped to from…to
 *     {"group": "collar", "from": 0, "to": 1}          `to` at the faces of that group, `from` elsewhere
 *     "joint:*Hand & !group:nails"                     a selector (ruga/selector.h): any text that is more than a name
 *     {"select": "piece:largest", "from": 0, "to": 1}  the same, with 0…1 mapped to from…to
 *     {"file": "weights.txt"}                          a text with a number a line for each vertex
 *     {"keys": [[0, 0.1], [1.5, "mask"]]}              times in s and any of the above
 */
#include "field/param_json.h"

#include <string.h>

#include "ruga/selector.h"

static const char *const param_keys[] = {"attribute", "group", "select", "file", "keys", "from", "to"};
enum { WORDS_OF_SOURCES = 5, ALL_WORDS = 7 };

static int read_single(field_reader *r, const ruga_field *field, const json_value *value, ruga_param *out);

static int check_keys(field_reader *r, const json_value *object) {
    int fine = 1;
    for (const json_value *item = object->first; item; item = item->next) {
        size_t k = 0;
        while (k < ALL_WORDS && strcmp(param_keys[k], item->key) != 0) k++;
        if (k < ALL_WORDS) continue;
        size_t mark = path_push(r, item->key);
        fine = reader_found_unknown(r, "key", item, item->key, param_keys, ALL_WORDS);
        path_pop(r, mark);
    }
    return fine;
}

/* The one member that says where values come from. */
static const json_value *find_source(field_reader *r, const ruga_field *field, const json_value *object) {
    const json_value *source = NULL;
    for (size_t k = 0; k < WORDS_OF_SOURCES; k++) {
        const json_value *member = json_member(object, param_keys[k]);
        if (member && source) {
            reader_found(r, object, "\"%s\" and \"%s\" exclude each other", source->key, member->key);
            return NULL;
        }
        if (member) source = member;
    }
    if (!source) reader_found_wrong_type(r, field, object);
    return source;
}

static int read_end(field_reader *r, const ruga_field *field, const json_value *value, int is_limited, double *out) {
    size_t mark = path_push(r, value->key);
    int fine = 0;
    if (value->type != JSON_NUMBER)
        reader_found(r, value, "expected a number, but found %s", json_type_name(value->type));
    else
        fine = !is_limited || reader_check_number(r, field, value, value->number);
    path_pop(r, mark);
    *out = value->number;
    return fine;
}

/* The values of a group or a selector are from `from` to `to`, those of an attribute lie somewhere. */
static int read_ends(field_reader *r, const ruga_field *field, const json_value *object, ruga_param *out) {
    const json_value *from = json_member(object, "from"), *to = json_member(object, "to");
    int is_limited = out->kind == RUGA_PARAM_GROUP || out->kind == RUGA_PARAM_SELECTOR;
    if (!from && !to) return 1;
    if (out->kind != RUGA_PARAM_ATTRIBUTE && !is_limited)
        return reader_found(r, object, "\"from\" and \"to\" belong to \"attribute\", \"group\" and \"select\" only");
    if (!from || !to)
        return reader_found(r, object, "\"from\" and \"to\" belong together; \"%s\" is missing", from ? "to" : "from");
    int fine = read_end(r, field, from, is_limited, &out->from);
    if (!(read_end(r, field, to, is_limited, &out->to) & fine)) return 0;
    if (out->from != out->to) return 1;
    return reader_found(r, object, "\"from\" and \"to\" are equal; give the number itself instead of the object");
}

static int read_key(field_reader *r, const ruga_field *field, const json_value *pair, ruga_param_key *key) {
    ruga_param *value = reader_allocate(r, 1, sizeof *value);
    const json_value *time = json_item(pair, 0);
    if (!value) return 0;
    key->value = value;
    if (pair->type != JSON_ARRAY || pair->count != 2 || time->type != JSON_NUMBER)
        return reader_found(r, pair, "expected a key as a pair of time in s and value, such as [1.5, 0.1]");
    key->time = time->number;
    return read_single(r, field, json_item(pair, 1), value);
}

static int read_keys(field_reader *r, const ruga_field *field, const json_value *list, ruga_param *out) {
    if (list->type != JSON_ARRAY || list->count == 0)
        return reader_found(r, list, "expected a list of pairs of time in s and value, such as [[0, 0.1], [1.5, 0.2]]");
    ruga_param_key *keys = reader_allocate(r, list->count, sizeof *keys);
    if (!keys) return 0;
    out->keys = keys;
    out->key_count = list->count;
    int fine = 1;
    for (size_t i = 0; i < list->count && !RUGA_FAILED(r->status); i++) {
        const json_value *pair = json_item(list, i);
        size_t mark = path_push_index(r, i);
        int is_read = read_key(r, field, pair, &keys[i]);
        if (is_read && fine && i > 0 && !(keys[i].time > keys[i - 1].time))
            is_read = reader_found(r, json_item(pair, 0), "times must rise from key to key");
        fine &= is_read;
        path_pop(r, mark);
    }
    return fine;
}

static int read_source(field_reader *r, const json_value *source, ruga_param *out) {
    static const ruga_field text = {.kind = RUGA_FIELD_TEXT, .preset = "collar"}, path = {.kind = RUGA_FIELD_PATH};
    if (strcmp(source->key, "file") == 0) {
        out->kind = RUGA_PARAM_ARRAY;
        return (out->file = reader_path(r, &path, source)) != NULL;
    }
    out->kind = strcmp(source->key, "group") == 0    ? RUGA_PARAM_GROUP
                : strcmp(source->key, "select") == 0 ? RUGA_PARAM_SELECTOR
                                                     : RUGA_PARAM_ATTRIBUTE;
    return (out->attribute = reader_text(r, &text, source)) != NULL;
}

static int read_object(field_reader *r, const ruga_field *field, const json_value *object, int is_keyed,
                       ruga_param *out) {
    if (!check_keys(r, object)) return 0;
    int fine = 1;
    const json_value *source = find_source(r, field, object);
    if (!source) return 0;
    size_t mark = path_push(r, source->key);
    int is_keys = strcmp(source->key, "keys") == 0;
    if (is_keys) out->kind = RUGA_PARAM_KEYS;
    if (is_keys && is_keyed)
        fine = reader_found(r, source, "a key can't have keys itself");
    else
        fine &= is_keys ? read_keys(r, field, source, out) : read_source(r, source, out);
    path_pop(r, mark);
    return read_ends(r, field, object, out) & fine;
}

static int read_param(field_reader *r, const ruga_field *field, const json_value *value, int is_keyed,
                      ruga_param *out) {
    ruga_param param = {.low = field->low, .high = field->high, .unit = field->unit};
    int fine = 0;
    if (value->type == JSON_NUMBER) {
        param.constant = value->number;
        fine = reader_check_number(r, field, value, value->number);
    } else if (value->type == JSON_STRING) {
        fine = (param.attribute = reader_text(r, field, value)) != NULL;
        param.kind = fine && ruga_text_is_selector(param.attribute) ? RUGA_PARAM_SELECTOR : RUGA_PARAM_ATTRIBUTE;
    } else if (value->type == JSON_OBJECT) {
        fine = read_object(r, field, value, is_keyed, &param);
    } else {
        reader_found_wrong_type(r, field, value);
    }
    if (fine) *out = param;
    return fine;
}

static int read_single(field_reader *r, const ruga_field *field, const json_value *value, ruga_param *out) {
    return read_param(r, field, value, 1, out);
}

int param_read(field_reader *r, const ruga_field *field, const json_value *value, ruga_param *out) {
    return read_param(r, field, value, 0, out);
}

/* ---- Writing. */

static void write_ends(ruga_json_writer *json, const ruga_param *param) {
    if (param->from == param->to) return;
    ruga_json_put_number(json, "from", param->from);
    ruga_json_put_number(json, "to", param->to);
}

static void write_keys(field_writer *w, const ruga_param *param) {
    ruga_json_put_array(w->json, "keys");
    for (size_t i = 0; i < param->key_count; i++) {
        ruga_json_begin_array(w->json);
        ruga_json_number(w->json, param->keys[i].time);
        param_write(w, param->keys[i].value);
        ruga_json_end_array(w->json);
    }
    ruga_json_end_array(w->json);
}

void param_write(field_writer *w, const ruga_param *param) {
    if (param->kind == RUGA_PARAM_CONSTANT) {
        ruga_json_number(w->json, param->constant);
        return;
    }
    ruga_json_begin_object(w->json);
    if (param->kind == RUGA_PARAM_KEYS) {
        write_keys(w, param);
    } else if (param->kind == RUGA_PARAM_ARRAY) {
        ruga_json_key(w->json, "file");
        path_write(w, param->file);
    } else {
        const char *source = param->kind == RUGA_PARAM_GROUP      ? "group"
                             : param->kind == RUGA_PARAM_SELECTOR ? "select"
                                                                  : "attribute";
        ruga_json_put_string(w->json, source, param->attribute);
        write_ends(w->json, param);
    }
    ruga_json_end_object(w->json);
}
