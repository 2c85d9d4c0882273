/* Checks values against their tables. */
#include "field/values.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "field/field.h"

/* The current place in the tables: a field of a section, or an item of a list. */
typedef struct place {
    ruga_context *context;
    const struct place *before; /* the enclosing place; NULL: the root */
    const char *field;          /* NULL: an item */
    size_t item;
    const ruga_section *const *more; /* of values_check */
} place;

/* As objects[2].scale. */
static void print_path(const place *at, char *text, size_t size) {
    if (!at->before) {
        *text = 0;
        return;
    }
    print_path(at->before, text, size);
    size_t used = strlen(text);
    if (at->field)
        snprintf(text + used, size - used, "%s%s", used > 0 ? "." : "", at->field);
    else
        snprintf(text + used, size - used, "[%zu]", at->item);
}

static ruga_status fail_at(const place *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

static ruga_status fail_at(const place *at, const char *format, ...) {
    char path[256], message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    print_path(at, path, sizeof path);
    return fail_argument(at->context, "%s %s", path, message);
}

static ruga_status check_section(const place *at, const ruga_section *section, const void *values);

static int may_be_absent(const ruga_field *field) { return field->preset && strcmp(field->preset, "null") == 0; }

static ruga_status fail_absent(const place *at) { return fail_at(at, "must be given"); }

static ruga_status check_number(const place *at, const ruga_field *field, double value) {
    if (isnan(value)) return may_be_absent(field) ? RUGA_OK : fail_absent(at);
    if (!isfinite(value)) return fail_at(at, "is not finite");
    if (field->low == field->high || (value >= field->low && value <= field->high)) return RUGA_OK;
    return fail_at(at, "is %g; allowed is %g to %g", value, field->low, field->high);
}

static ruga_status check_vector(const place *at, const ruga_field *field, const ruga_vec3 *value) {
    TRY(check_number(at, field, value->x));
    TRY(check_number(at, field, value->y));
    return check_number(at, field, value->z);
}

static ruga_status check_choice(const place *at, const ruga_field *field, int value) {
    int count = 0;
    while (field->choices[count]) count++;
    if (field->kind == RUGA_FIELD_CHOICES ? (uint32_t)value >> count == 0 : value >= 0 && value < count) return RUGA_OK;
    if (value == -1 && may_be_absent(field)) return RUGA_OK;
    return fail_at(at, "is %d; expected one of %d choices", value, count);
}

/* A section can have all its defaults only if each field has one. */
static ruga_status check_defaults(const place *at, const ruga_section *section) {
    for (size_t i = 0; i < section->field_count; i++) {
        const place there = {at->context, at, section->fields[i].name, 0, at->more};
        if (!section->fields[i].preset) return fail_absent(&there);
    }
    return RUGA_OK;
}

static ruga_status check_variant(const place *at, const ruga_field *field, const ruga_variant *variant) {
    /* A mesh must be given, but may be given as a mesh in memory, which has no row. */
    int may_be_absent = field->kind == RUGA_FIELD_VARIANT && (!field->preset || field_may_be_absent(field));
    if (!variant->section) return may_be_absent ? RUGA_OK : fail_absent(at);
    for (int list = 0; list < 2; list++) {
        const ruga_section *const *sections = list == 0 ? field->sections : at->more;
        for (size_t i = 0; sections && sections[i]; i++)
            if (sections[i] == variant->section)
                return variant->values ? check_section(at, variant->section, variant->values)
                                       : check_defaults(at, variant->section);
    }
    return fail_at(at, "has the kind \"%s\", which is not allowed here", variant->section->name);
}

static ruga_status check_list(const place *at, const ruga_field *field, const ruga_list *list) {
    size_t size = field->kind == RUGA_FIELD_VARIANTS ? sizeof(ruga_variant) : field->sections[0]->size;
    if (list->count > 0 && !list->items) return fail_at(at, "has %zu items that are NULL", list->count);
    if (list->count == 0 && !field->preset) return fail_absent(at);
    for (size_t i = 0; i < list->count; i++) {
        const place there = {at->context, at, NULL, i, at->more};
        const void *item = (const char *)list->items + i * size;
        TRY(field->kind == RUGA_FIELD_LIST ? check_section(&there, field->sections[0], item)
                                           : check_variant(&there, field, item));
    }
    return RUGA_OK;
}

static ruga_status check_field(const place *at, const ruga_field *field, const void *value) {
    switch (field->kind) {
        case RUGA_FIELD_NUMBER:
        case RUGA_FIELD_UNIT: return check_number(at, field, *(const double *)value);
        case RUGA_FIELD_WHOLE: return check_number(at, field, *(const int *)value);
        case RUGA_FIELD_VECTOR: return check_vector(at, field, value);
        case RUGA_FIELD_CHOICE:
        case RUGA_FIELD_CHOICES: return check_choice(at, field, *(const int *)value);
        case RUGA_FIELD_TEXT:
        case RUGA_FIELD_PATH:
        case RUGA_FIELD_NAME: return *(const char *const *)value || may_be_absent(field) ? RUGA_OK : fail_absent(at);
        case RUGA_FIELD_SECTION: return check_section(at, field->sections[0], value);
        case RUGA_FIELD_LIST:
        case RUGA_FIELD_VARIANTS: return check_list(at, field, value);
        case RUGA_FIELD_VARIANT: return check_variant(at, field, value);
        case RUGA_FIELD_FLAG:
        case RUGA_FIELD_PARAM: break;
    }
    return RUGA_OK;
}

static ruga_status check_section(const place *at, const ruga_section *section, const void *values) {
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        const place there = {at->context, at, field->name, 0, at->more};
        TRY(check_field(&there, field, field_at(field, values)));
    }
    return RUGA_OK;
}

ruga_status values_check(ruga_context *context, const ruga_section *section, const void *values,
                         const ruga_section *const *more) {
    const place root = {context, NULL, NULL, 0, more};
    return check_section(&root, section, values);
}

/* ---- The path of an address. */

static int is_within(const void *value, const void *from, size_t size) {
    return (uintptr_t)value >= (uintptr_t)from && (uintptr_t)value - (uintptr_t)from < size;
}

static int find_in_section(const place *at, const ruga_section *section, const void *values, const void *value,
                           char *path, size_t size);

/* A variant itself, or what is in its values. */
static int find_in_variant(const place *at, const ruga_variant *variant, const void *value, char *path, size_t size) {
    if (variant->section && variant->values &&
        find_in_section(at, variant->section, variant->values, value, path, size))
        return 1;
    if (!is_within(value, variant, sizeof *variant)) return 0;
    print_path(at, path, size);
    return 1;
}

static int find_in_list(const place *at, const ruga_field *field, const ruga_list *list, const void *value, char *path,
                        size_t size) {
    for (size_t i = 0; i < list->count; i++) {
        const place there = {at->context, at, NULL, i, NULL};
        const void *item = (const char *)list->items + i * field_item_size(field);
        if (field->kind == RUGA_FIELD_LIST ? find_in_section(&there, field->sections[0], item, value, path, size)
                                           : find_in_variant(&there, item, value, path, size))
            return 1;
    }
    return 0;
}

static int find_in_section(const place *at, const ruga_section *section, const void *values, const void *value,
                           char *path, size_t size) {
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        const place there = {at->context, at, field->name, 0, NULL};
        const void *own = field_at(field, values);
        if (field->kind == RUGA_FIELD_SECTION && find_in_section(&there, field->sections[0], own, value, path, size))
            return 1;
        if (field->kind == RUGA_FIELD_VARIANT && find_in_variant(&there, own, value, path, size)) return 1;
        if ((field->kind == RUGA_FIELD_LIST || field->kind == RUGA_FIELD_VARIANTS) &&
            find_in_list(&there, field, own, value, path, size))
            return 1;
        if (!is_within(value, own, field_size(field))) continue;
        print_path(&there, path, size);
        return 1;
    }
    return 0;
}

void values_path(const ruga_section *section, const void *values, const void *value, char *path, size_t size) {
    const place root = {NULL, NULL, NULL, 0, NULL};
    *path = 0;
    find_in_section(&root, section, values, value, path, size);
}
