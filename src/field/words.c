/* Words about fields, made from their rows. */
#include "field/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "field/field.h"

#define LONGEST_SHOWN 80

int clipped(const char *text) {
    size_t length = 0;
    while (length < LONGEST_SHOWN && text[length]) {
        size_t bytes = utf8_length((const unsigned char *)text + length, 4);
        length += bytes ? bytes : 1;
    }
    return (int)length;
}

void words_add(field_words *words, const char *format, ...) {
    size_t room = sizeof words->text - words->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(words->text + words->length, room, format, arguments);
    va_end(arguments);
    if (length > 0) words->length += (size_t)length < room ? (size_t)length : room - 1;
}

field_words words_join(const char *path, const char *name) {
    field_words joined = {0};
    words_add(&joined, "%s%s%s", path, *path ? "." : "", name);
    return joined;
}

int words_capital(char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }

void words_add_list(field_words *words, const char *const *items, size_t count, const char *last) {
    for (size_t i = 0; i < count; i++) {
        const char *between = i == 0 ? "" : i + 1 == count ? last : ", ";
        if (words->length + strlen(items[i]) > sizeof words->text - 40) {
            words_add(words, ", …");
            return;
        }
        words_add(words, "%s\"%s\"", between, items[i]);
    }
}

/* 1e15 instead of a row of zeros. */
static void print_round(double number, char text[NUMBER_CAPACITY]) {
    number_print(number, text);
    size_t length = strlen(text), zeros = 0;
    while (zeros < length && text[length - 1 - zeros] == '0') zeros++;
    if (zeros >= 6 && !strpbrk(text, ".e"))
        snprintf(text + length - zeros, NUMBER_CAPACITY - length + zeros, "e%zu", zeros);
}

void words_add_number(field_words *words, double number, const char *unit) {
    char text[NUMBER_CAPACITY];
    print_round(number, text);
    int has_unit = unit && strcmp(unit, "1") != 0;
    int are_several = has_unit && strcmp(unit, "degree") == 0 && number != 1;
    words_add(words, "%s%s%s%s", text, has_unit ? " " : "", has_unit ? unit : "", are_several ? "s" : "");
}

size_t choice_count(const ruga_field *field) {
    size_t count = 0;
    while (field->choices[count]) count++;
    return count;
}

size_t section_names(const ruga_section *const *sections, const char **names, size_t capacity) {
    size_t count = 0;
    for (; count < capacity && sections[count]; count++) names[count] = sections[count]->name;
    return count;
}

size_t field_names(const ruga_section *section, const char **names, size_t capacity) {
    size_t count = section->field_count < capacity ? section->field_count : capacity;
    for (size_t i = 0; i < count; i++) names[i] = section->fields[i].name;
    return count;
}

static const char *preset_or(const ruga_field *field, const char *other) {
    return field->preset && field->preset[0] && !field_may_be_absent(field) ? field->preset : other;
}

static void add_in_unit(field_words *words, const ruga_field *field) {
    if (field->unit && strcmp(field->unit, "1") != 0) words_add(words, " in %s", field->unit);
}

void words_add_kinds(field_words *words, const ruga_field *field) {
    const char *names[FIELD_MAX_WORDS];
    size_t count = section_names(field->sections, names, FIELD_MAX_WORDS);
    words_add_list(words, names, count, " or ");
}

void words_add_preset(field_words *words, const ruga_field *field) {
    int is_vector = field->kind == RUGA_FIELD_VECTOR, is_list = is_vector || field->kind == RUGA_FIELD_CHOICES;
    const char *quote = is_list && !is_vector ? "\"" : "";
    if (is_list) words_add(words, "[");
    for (const char *at = field->preset; *at;) {
        size_t length = is_list ? strcspn(at, ",") : strlen(at);
        words_add(words, "%s%.*s%s%s", quote, (int)length, at, quote, at[length] ? ", " : "");
        at += length + (at[length] == ',');
    }
    if (is_list) words_add(words, "]");
}

/* A number that is allowed, for an example. */
static void add_example(field_words *words, const ruga_field *field) {
    words_add(words, ", such as ");
    if (field->preset && !field_may_be_absent(field))
        words_add(words, "%s", field->preset);
    else
        words_add_number(words, field->low < field->high ? field->low : 1, NULL);
}

/* ", or the path of a file, such as …" of the first alternative that has one. */
static void add_shorthand(field_words *words, const ruga_field *field) {
    for (size_t i = 0; field->sections[i]; i++) {
        const ruga_section *section = field->sections[i];
        if (!section->shorthand) continue;
        words_add(words, ", or ");
        words_add_expected(words, ruga_section_field(section, section->shorthand));
        return;
    }
}

void words_add_expected(field_words *words, const ruga_field *field) {
    switch (field->kind) {
        case RUGA_FIELD_NUMBER:
        case RUGA_FIELD_WHOLE:
            words_add(words, field->kind == RUGA_FIELD_WHOLE || field->step == 1 ? "a whole number" : "a number");
            add_in_unit(words, field);
            add_example(words, field);
            break;
        case RUGA_FIELD_FLAG: words_add(words, "true or false"); break;
        case RUGA_FIELD_TEXT: words_add(words, "a text, such as \"%s\"", preset_or(field, "shirt")); break;
        case RUGA_FIELD_PATH: words_add(words, "the path of a file, such as \"shirt.obj\""); break;
        case RUGA_FIELD_NAME: words_add(words, "the name of one of the %s, as a text", field->names); break;
        case RUGA_FIELD_CHOICE: words_add_list(words, field->choices, choice_count(field), " or "); break;
        case RUGA_FIELD_CHOICES:
            words_add(words, "a list of some of ");
            words_add_list(words, field->choices, choice_count(field), " and ");
            words_add(words, ", such as [\"%s\"]", field->choices[0]);
            break;
        case RUGA_FIELD_UNIT:
            words_add(words, "\"m\", \"cm\", \"mm\", \"km\", \"in\", \"ft\" or the metres of one unit, such as 0.01");
            break;
        case RUGA_FIELD_VECTOR:
            words_add(words, "three numbers");
            add_in_unit(words, field);
            words_add(words, ", such as ");
            if (field->preset && !field_may_be_absent(field))
                words_add_preset(words, field);
            else
                words_add(words, "[0, 1, 0]");
            break;
        case RUGA_FIELD_PARAM:
            words_add(words, "a number");
            add_in_unit(words, field);
            words_add(
                words,
                ", the name of a vertex attribute, a selector, or an object with \"attribute\", \"group\", \"select\", "
                "\"file\" or \"keys\"");
            add_example(words, field);
            break;
        case RUGA_FIELD_SECTION:
            words_add(words, "an object in {}");
            add_shorthand(words, field);
            break;
        case RUGA_FIELD_LIST: words_add(words, "a list of objects, such as [{…}, {…}]"); break;
        case RUGA_FIELD_VARIANT:
            words_add(words, "an object whose \"kind\" is ");
            words_add_kinds(words, field);
            add_shorthand(words, field);
            break;
        case RUGA_FIELD_VARIANTS:
            words_add(words, "a list of objects, each of the \"kind\" ");
            words_add_kinds(words, field);
            break;
    }
}
