/* The tables of fields as Markdown. */
#include "field/reference.h"

#include <string.h>

#include "field/field.h"
#include "field/words.h"

#define COLUMNS 120

/* ---- Paragraphs and cells of tables. */

/* Of a text in UTF-8: the bytes that begin a character. */
static size_t columns_of(const char *text, size_t size) {
    size_t columns = 0;
    for (size_t i = 0; i < size; i++) columns += (text[i] & 0xc0) != 0x80;
    return columns;
}

void reference_put_text(file *f, const char *text, const char *indent) {
    size_t column = 0; /* 0: no line has begun */
    for (size_t size; *text; text += size + (text[size] == ' ')) {
        size = strcspn(text, " ");
        size_t wide = columns_of(text, size);
        int begins = column == 0 || column + 1 + wide > COLUMNS;
        file_print(f, "%s%s", begins && column > 0 ? "\n" : "", begins ? indent : " ");
        file_write(f, text, size);
        column = (begins ? strlen(indent) : column + 1) + wide;
    }
    file_print(f, "\n");
}

/* A cell of a Markdown table, with escaped bars. */
void reference_put_cell(file *f, const char *text) {
    file_print(f, " ");
    for (; *text; text++) file_print(f, *text == '|' ? "\\|" : "%c", *text);
    file_print(f, " |");
}

/* A link to the heading of a section, without its points. */
static void add_link(field_words *words, const char *path) {
    words_add(words, "[%s](#", path);
    for (const char *c = path; *c; c++)
        if (*c != '.') words_add(words, "%c", *c);
    words_add(words, ")");
}

static void add_choices(field_words *words, const ruga_field *field) {
    for (size_t i = 0; field->choices[i]; i++) words_add(words, "%s`%s`", i ? ", " : "", field->choices[i]);
}

static field_words type_of(const ruga_field *field, const char *path) {
    static const char *const names[] = {
        [RUGA_FIELD_NUMBER] = "number",
        [RUGA_FIELD_WHOLE] = "whole number",
        [RUGA_FIELD_FLAG] = "true or false",
        [RUGA_FIELD_TEXT] = "text",
        [RUGA_FIELD_PATH] = "path",
        [RUGA_FIELD_NAME] = "name out of ",
        [RUGA_FIELD_CHOICE] = "",
        [RUGA_FIELD_CHOICES] = "list of ",
        [RUGA_FIELD_UNIT] = "unit of length",
        [RUGA_FIELD_VECTOR] = "vector",
        [RUGA_FIELD_PARAM] = "[parameter](#parameters)",
        [RUGA_FIELD_SECTION] = "",
        [RUGA_FIELD_LIST] = "list of ",
        [RUGA_FIELD_VARIANT] = "one of ",
        [RUGA_FIELD_VARIANTS] = "list of ",
    };
    field_words words = {0};
    words_add(&words, "%s", field->kind == RUGA_FIELD_NUMBER && field->step == 1 ? "whole number" : names[field->kind]);
    if (field->kind == RUGA_FIELD_NAME) words_add(&words, "`%s`", field->names);
    if (field->choices) add_choices(&words, field);
    if (field->sections) add_link(&words, path);
    return words;
}

static field_words default_of(const ruga_field *field) {
    field_words words = {0};
    if (field->kind == RUGA_FIELD_SECTION) {
        if (!field->preset || !field->preset[0]) return words;
        ruga_field bare = field_bare(field);
        return default_of(&bare);
    }
    int is_list = field->kind == RUGA_FIELD_LIST || field->kind == RUGA_FIELD_VARIANTS;
    words_add(&words, field->preset ? "`" : "**must be given**");
    if (!field->preset) return words;
    if (is_list || field_may_be_absent(field))
        words_add(&words, is_list ? "[]" : "null");
    else
        words_add_preset(&words, field);
    words_add(&words, "`");
    return words;
}

static field_words range_of(const ruga_field *field) {
    field_words words = {0};
    if (!(field->low < field->high)) return words;
    words_add_number(&words, field->low, NULL);
    words_add(&words, " … ");
    words_add_number(&words, field->high, NULL);
    return words;
}

/* ---- Tables. */

static void put_row(file *f, const ruga_section *section, const ruga_field *field, const char *path) {
    field_words longer = words_join(path, field->name), name = {0};
    int is_short = section->shorthand && strcmp(section->shorthand, field->name) == 0;
    words_add(&name, "`%s`%s", field->name, is_short ? " (shorthand)" : "");
    file_print(f, "|");
    reference_put_cell(f, name.text);
    reference_put_cell(f, type_of(field, longer.text).text);
    reference_put_cell(f, field->unit && !field->choices ? field->unit : "");
    reference_put_cell(f, default_of(field).text);
    reference_put_cell(f, range_of(field).text);
    reference_put_cell(f, field->help);
    file_print(f, "\n");
}

/* A help text as a sentence: with a capital letter and a full stop. */
static field_words sentence_of(const char *help) {
    field_words words = {0};
    size_t length = strlen(help);
    words_add(&words, "%c%s%s", words_capital(help[0]), help + 1, help[length - 1] == '.' ? "" : ".");
    return words;
}

static void put_section(file *f, const ruga_section *section, const char *path, int is_root) {
    file_print(f, "\n%s %s\n\n", is_root ? "##" : "###", is_root ? "The scene" : path);
    reference_put_text(f, sentence_of(section->help).text, "");
    if (section->field_count == 0) return;
    file_print(f, "\n| field | type | unit | default | range | meaning |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < section->field_count; i++) put_row(f, section, &section->fields[i], path);
}

/* A list of kinds, with links to their tables. */
static void put_kinds(file *f, const ruga_field *field, const char *path) {
    file_print(f, "\n### %s\n\n%s\n\n| kind | meaning |\n|---|---|\n", path, sentence_of(field->help).text);
    for (size_t i = 0; field->sections[i]; i++) {
        field_words longer = words_join(path, field->sections[i]->name), link = {0};
        words_add(&link, "`%s`: ", field->sections[i]->name);
        add_link(&link, longer.text);
        file_print(f, "|");
        reference_put_cell(f, link.text);
        reference_put_cell(f, sentence_of(field->sections[i]->help).text);
        file_print(f, "\n");
    }
}

static void put_sections_below(file *f, const ruga_section *section, const char *path) {
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        field_words of_field = words_join(path, field->name);
        int has_kinds = field->kind == RUGA_FIELD_VARIANT || field->kind == RUGA_FIELD_VARIANTS;
        if (has_kinds) put_kinds(f, field, of_field.text);
        for (size_t k = 0; field->sections && field->sections[k]; k++) {
            field_words name = has_kinds ? words_join(of_field.text, field->sections[k]->name) : of_field;
            put_section(f, field->sections[k], name.text, 0);
            put_sections_below(f, field->sections[k], name.text);
        }
    }
}

void fields_reference(file *f, const ruga_section *root) {
    put_section(f, root, "", 1);
    put_sections_below(f, root, "");
}
