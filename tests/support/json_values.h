/* Writes parsed JSON again, for tests. */
#ifndef TESTS_JSON_VALUES_H
#define TESTS_JSON_VALUES_H

#include "base/json.h"
#include "ruga/text.h"

static inline void write_value(ruga_json_writer *writer, const json_value *value) {
    if (value->key) ruga_json_key(writer, value->key);
    switch (value->type) {
        case JSON_NULL: ruga_json_string(writer, NULL); return;
        case JSON_BOOLEAN: ruga_json_boolean(writer, value->number != 0); return;
        case JSON_NUMBER: ruga_json_number(writer, value->number); return;
        case JSON_STRING: ruga_json_string(writer, value->text); return;
        case JSON_ARRAY: ruga_json_begin_array(writer); break;
        case JSON_OBJECT: ruga_json_begin_object(writer); break;
    }
    for (const json_value *item = value->first; item; item = item->next) write_value(writer, item);
    if (value->type == JSON_ARRAY)
        ruga_json_end_array(writer);
    else
        ruga_json_end_object(writer);
}

#endif
