/* Fields: lookups and defaults. */
#include "ruga/field.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "field/field.h"
#include "ruga/text.h"

const ruga_field *ruga_section_field(const ruga_section *section, const char *name) {
    for (size_t i = 0; i < section->field_count; i++)
        if (strcmp(section->fields[i].name, name) == 0) return &section->fields[i];
    return NULL;
}

const ruga_section *ruga_field_section(const ruga_field *field, const char *kind) {
    for (size_t i = 0; field->sections && field->sections[i]; i++)
        if (strcmp(field->sections[i]->name, kind) == 0) return field->sections[i];
    return NULL;
}

size_t field_size(const ruga_field *field) {
    switch (field->kind) {
        case RUGA_FIELD_NUMBER:
        case RUGA_FIELD_UNIT: return sizeof(double);
        case RUGA_FIELD_WHOLE:
        case RUGA_FIELD_FLAG:
        case RUGA_FIELD_CHOICE: return sizeof(int);
        case RUGA_FIELD_TEXT:
        case RUGA_FIELD_PATH:
        case RUGA_FIELD_NAME: return sizeof(const char *);
        case RUGA_FIELD_CHOICES: return sizeof(uint32_t);
        case RUGA_FIELD_VECTOR: return sizeof(ruga_vec3);
        case RUGA_FIELD_PARAM: return sizeof(ruga_param);
        case RUGA_FIELD_SECTION: return field->sections[0]->size;
        case RUGA_FIELD_LIST:
        case RUGA_FIELD_VARIANTS: return sizeof(ruga_list);
        case RUGA_FIELD_VARIANT: return sizeof(ruga_variant);
    }
    return 0;
}

size_t field_item_size(const ruga_field *field) {
    return field->kind == RUGA_FIELD_LIST ? field->sections[0]->size : sizeof(ruga_variant);
}

/* ---- Values as in options of the command. */
const char *const field_unit_names[FIELD_UNIT_COUNT] = {"m", "cm", "mm", "km", "in", "ft"};

int field_parse_unit_name(const char *text, double *out) {
    static const double metres[FIELD_UNIT_COUNT] = {1, 0.01, 0.001, 1000, 0.0254, 0.3048};
    for (size_t i = 0; i < FIELD_UNIT_COUNT; i++)
        if (strcmp(text, field_unit_names[i]) == 0) {
            *out = metres[i];
            return 1;
        }
    return 0;
}

int ruga_unit_parse(const char *text, double *metres) {
    if (field_parse_unit_name(text, metres)) return 1;
    return ruga_number_parse(text, metres) && *metres >= FIELD_MIN_UNIT && *metres <= FIELD_MAX_UNIT;
}

int field_parse_vector(const char *text, ruga_vec3 *out) {
    double numbers[3];
    const char *end = text + strlen(text);
    for (int i = 0; i < 3; i++) {
        const char *at = number_parse(text, end, &numbers[i]);
        if (at == text || !isfinite(numbers[i]) || *at != (i < 2 ? ',' : 0)) return 0;
        text = at + 1;
    }
    *out = (ruga_vec3){numbers[0], numbers[1], numbers[2]};
    return 1;
}

int field_parse_choice(const ruga_field *field, const char *text, size_t length, int *out) {
    for (int i = 0; field->choices[i]; i++)
        if (strlen(field->choices[i]) == length && memcmp(field->choices[i], text, length) == 0) {
            *out = i;
            return 1;
        }
    return 0;
}

int field_parse_choices(const ruga_field *field, const char *text, uint32_t *out) {
    *out = 0;
    while (*text) {
        size_t length = strcspn(text, ",");
        int choice;
        if (!field_parse_choice(field, text, length, &choice)) return 0;
        *out |= 1u << choice;
        text += length + (text[length] == ',');
    }
    return 1;
}

/* ---- Defaults. */
static void set_absent(const ruga_field *field, void *value) {
    switch (field->kind) {
        case RUGA_FIELD_NUMBER:
        case RUGA_FIELD_UNIT: *(double *)value = NAN; break;
        case RUGA_FIELD_VECTOR: *(ruga_vec3 *)value = (ruga_vec3){NAN, NAN, NAN}; break;
        case RUGA_FIELD_CHOICE: *(int *)value = -1; break;
        case RUGA_FIELD_PARAM: *(ruga_param *)value = ruga_param_constant(NAN); break;
        default: break; /* all zero */
    }
}

/* Every preset of a table parses; a test checks it. */
static void set_preset(const ruga_field *field, void *value) {
    const char *text = field->preset;
    double number = 0;
    int fine = 1;
    switch (field->kind) {
        case RUGA_FIELD_NUMBER: fine = ruga_number_parse(text, value); break;
        case RUGA_FIELD_UNIT: fine = ruga_unit_parse(text, value); break;
        case RUGA_FIELD_VECTOR: fine = field_parse_vector(text, value); break;
        case RUGA_FIELD_CHOICE: fine = field_parse_choice(field, text, strlen(text), value); break;
        case RUGA_FIELD_CHOICES: fine = field_parse_choices(field, text, value); break;
        case RUGA_FIELD_FLAG: *(int *)value = strcmp(text, "true") == 0; break;
        case RUGA_FIELD_WHOLE:
            fine = ruga_number_parse(text, &number);
            *(int *)value = (int)number;
            break;
        case RUGA_FIELD_PARAM:
            fine = ruga_number_parse(text, &number);
            *(ruga_param *)value = ruga_param_constant(number);
            break;
        case RUGA_FIELD_TEXT:
        case RUGA_FIELD_PATH:
        case RUGA_FIELD_NAME: *(const char **)value = text; break;
        case RUGA_FIELD_VARIANT:
            ((ruga_variant *)value)->section = ruga_field_section(field, text);
            fine = ((ruga_variant *)value)->section != NULL;
            break;
        case RUGA_FIELD_SECTION:
        case RUGA_FIELD_LIST:
        case RUGA_FIELD_VARIANTS: break;
    }
    assert(fine);
    (void)fine;
}

ruga_field field_bare(const ruga_field *field) {
    ruga_field bare = *ruga_section_field(field->sections[0], field->sections[0]->shorthand);
    bare.preset = field->preset;
    return bare;
}

void field_set_bare(const ruga_field *field, void *section_values) {
    if (field->kind != RUGA_FIELD_SECTION || !field->preset || !field->preset[0] || strcmp(field->preset, "null") == 0)
        return;
    ruga_field bare = field_bare(field);
    field_set_default(&bare, section_values);
}

void field_set_default(const ruga_field *field, void *values) {
    void *value = (char *)values + field->offset;
    if (field->kind == RUGA_FIELD_SECTION) {
        ruga_section_defaults(field->sections[0], value);
        field_set_bare(field, value);
    } else if (field->preset && strcmp(field->preset, "null") != 0) {
        set_preset(field, value);
    } else {
        set_absent(field, value);
    }
    if (field->kind == RUGA_FIELD_PARAM) {
        ruga_param *param = value;
        param->low = field->low;
        param->high = field->high;
        param->unit = field->unit;
    }
}

void ruga_section_defaults(const ruga_section *section, void *values) {
    if (section->size == 0) return;
    memset(values, 0, section->size);
    for (size_t i = 0; i < section->field_count; i++) field_set_default(&section->fields[i], values);
}
