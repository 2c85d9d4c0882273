/* Structs into JSON by the tables of fields: all values, defaults included. */
#include "field/writer.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "field/field.h"
#include "field/param_json.h"

static void write_variant(field_writer *w, const ruga_variant *variant);

const char *path_from_folder(arena *memory, const char *folder, const char *path) {
    size_t before = path[0] == '/' ? 0 : strlen(folder), length = strlen(path);
    int slash = before > 0 && folder[before - 1] != '/';
    char *joined = arena_allocate(memory, before + (size_t)slash + length + 1, 1);
    if (!joined) return NULL;
    memcpy(joined, folder, before);
    if (slash) joined[before] = '/';
    memcpy(joined + before + slash, path, length + 1);
    return joined;
}

ruga_status find_current_folder(arena *memory, const char **out) {
    for (size_t capacity = 512;; capacity *= 2) {
        char *folder = NULL;
        TRY(ARENA_NEW(memory, &folder, capacity));
        *out = getcwd(folder, capacity);
        if (*out) return RUGA_OK;
        if (errno != ERANGE)
            return fail_with(memory->context, RUGA_ERROR_FILE, "the current folder is unknown: %s", strerror(errno));
    }
}

void path_write(field_writer *w, const char *path) {
    const char *absolute = path ? path_from_folder(w->memory, w->current_folder, path) : NULL;
    if (path && !absolute) w->status = fail_memory(w->memory->context, strlen(path));
    ruga_json_string(w->json, absolute);
}

static void write_vector(ruga_json_writer *json, ruga_vec3 v) {
    if (isnan(v.x)) {
        ruga_json_string(json, NULL);
        return;
    }
    ruga_json_begin_array(json);
    ruga_json_number(json, v.x);
    ruga_json_number(json, v.y);
    ruga_json_number(json, v.z);
    ruga_json_end_array(json);
}

static void write_choices(ruga_json_writer *json, const ruga_field *field, uint32_t chosen) {
    ruga_json_begin_array(json);
    for (size_t i = 0; field->choices[i]; i++)
        if (chosen & 1u << i) ruga_json_string(json, field->choices[i]);
    ruga_json_end_array(json);
}

static void write_list(field_writer *w, const ruga_field *field, const ruga_list *list) {
    ruga_json_begin_array(w->json);
    for (size_t i = 0; i < list->count; i++) {
        if (field->kind == RUGA_FIELD_VARIANTS)
            write_variant(w, (const ruga_variant *)list->items + i);
        else
            fields_write(w, field->sections[0], (const char *)list->items + i * field->sections[0]->size);
    }
    ruga_json_end_array(w->json);
}

static void write_value(field_writer *w, const ruga_field *field, const void *at) {
    switch (field->kind) {
        case RUGA_FIELD_NUMBER:
        case RUGA_FIELD_UNIT: ruga_json_number(w->json, *(const double *)at); break;
        case RUGA_FIELD_WHOLE: ruga_json_integer(w->json, *(const int *)at); break;
        case RUGA_FIELD_FLAG: ruga_json_boolean(w->json, *(const int *)at); break;
        case RUGA_FIELD_TEXT:
        case RUGA_FIELD_NAME: ruga_json_string(w->json, *(const char *const *)at); break;
        case RUGA_FIELD_PATH: path_write(w, *(const char *const *)at); break;
        case RUGA_FIELD_CHOICE: {
            int choice = *(const int *)at;
            ruga_json_string(w->json, choice < 0 ? NULL : field->choices[choice]);
            break;
        }
        case RUGA_FIELD_CHOICES: write_choices(w->json, field, *(const uint32_t *)at); break;
        case RUGA_FIELD_VECTOR: write_vector(w->json, *(const ruga_vec3 *)at); break;
        case RUGA_FIELD_PARAM: param_write(w, at); break;
        case RUGA_FIELD_SECTION: fields_write(w, field->sections[0], at); break;
        case RUGA_FIELD_LIST:
        case RUGA_FIELD_VARIANTS: write_list(w, field, at); break;
        case RUGA_FIELD_VARIANT: write_variant(w, at); break;
    }
}

void field_write(field_writer *w, const ruga_field *field, const void *values) {
    write_value(w, field, field_at(field, values));
}

static void write_fields(field_writer *w, const ruga_section *section, const void *values) {
    for (size_t i = 0; i < section->field_count; i++) {
        ruga_json_key(w->json, section->fields[i].name);
        field_write(w, &section->fields[i], values);
    }
}

static void write_variant(field_writer *w, const ruga_variant *variant) {
    if (!variant->section) {
        ruga_json_string(w->json, NULL);
        return;
    }
    ruga_json_begin_object(w->json);
    ruga_json_put_string(w->json, "kind", variant->section->name);
    write_fields(w, variant->section, variant->values);
    ruga_json_end_object(w->json);
}

void fields_write(field_writer *w, const ruga_section *section, const void *values) {
    ruga_json_begin_object(w->json);
    write_fields(w, section, values);
    ruga_json_end_object(w->json);
}
