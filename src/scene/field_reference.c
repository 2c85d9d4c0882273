/* The tables of fields as a page of Markdown: docs/scene.md. The chapters before them say what tables can't. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "mesh/field.h"
#include "scene/field.h"
#include "scene/tables.h"

/* ---- Words. */

static const char opening[] =
    "# Scenes\n"
    "\n"
    "A scene says what there is and what happens to it. It is one JSON file; `ruga run SCENE` makes its frames,\n"
    "`ruga check SCENE` tells all that is wrong with it without running it, and `ruga new` writes one to start from.\n"
    "\n"
    "```json\n"
    "{\n"
    "  // A flag in a breeze: a sheet whose vertices swing about where they hang.\n"
    "  \"time\": {\"fps\": 24, \"frames\": 48},\n"
    "  \"wind\": [4, 0, 1],\n"
    "  \"objects\": [\n"
    "    {\n"
    "      \"name\": \"flag\",\n"
    "      \"mesh\": {\"kind\": \"sheet\", \"width\": 1.5, \"upright\": 1},\n"
    "      \"details\": [{\"kind\": \"jiggle\", \"frequency\": 2}]\n"
    "    }\n"
    "  ]\n"
    "}\n"
    "```\n"
    "\n"
    "All units are SI: metres, seconds, kilograms. y is up. Only files have other units and axes, and say so in `unit` "
    "and\n"
    "`up`. What a scene does not give has the default of the tables below.\n"
    "\n"
    "## How a scene is written\n"
    "\n"
    "**Comments.** `// to the end of the line` and `/* to the other end */` may stand wherever a space may. All else "
    "is\n"
    "strict JSON, in UTF-8: no comma before a closing bracket, no key twice. A scene has at most 64 MB.\n"
    "\n"
    "**Mistakes** are told all at once, each with its line and column, and with the word that was probably meant. An "
    "unknown\n"
    "key is a mistake, never silently ignored.\n"
    "\n"
    "**Absent.** Where the default is `null`, the value may be absent, and `null` says so. Nowhere else is `null` a "
    "value.\n"
    "\n"
    "**Paths** of files are relative to the folder of the scene. Those given on the command line are relative to the "
    "present\n"
    "folder. A run keeps a copy of its scene with every default filled in and every path absolute.\n"
    "\n"
    "**Kinds.** Where there are several kinds of a thing, the key `kind` tells which, and the other keys are those of "
    "that\n"
    "kind. The bare word stands for the kind with all its defaults: `\"body\": \"static\"`.\n"
    "\n"
    "**Shorthands.** Some things have one field that matters most. Its value may stand in place of the whole object:\n"
    "`\"mesh\": \"shirt.obj\"` is `\"mesh\": {\"kind\": \"file\", \"file\": \"shirt.obj\"}`, and `\"wind\": [4, 0, 1]` "
    "is\n"
    "`\"wind\": {\"velocity\": [4, 0, 1]}`. An object with that key needs no `kind`: `{\"file\": \"shirt.obj\", "
    "\"unit\": \"cm\"}`.\n"
    "The tables say which field it is.\n"
    "\n"
    "**Values from the command line.** Each value has a path: `time.fps`, `objects[0].scale`, "
    "`objects[shirt].details[1].amount`.\n"
    "Names in brackets are those of objects and materials; a number one past the end of a list appends to it.\n"
    "`ruga run SCENE --set time.fps=30` changes one for that run.\n"
    "\n"
    "**Editors** complete and check scenes with the JSON Schema [scene.schema.json](scene.schema.json), which `ruga "
    "schema`\n"
    "prints. Name it at the top of a scene: `\"$schema\": \"scene.schema.json\"`; in Visual Studio Code choose the "
    "language\n"
    "\"JSON with Comments\".\n"
    "\n"
    "## Parameters\n"
    "\n"
    "Many numbers may differ from vertex to vertex and change with time. Such a *parameter* is one of:\n"
    "\n"
    "| written | means |\n"
    "|---|---|\n"
    "| `0.5` | the same number everywhere |\n"
    "| `\"mask\"` | the vertex attribute of that name, values as they are |\n"
    "| `{\"attribute\": \"mask\", \"from\": 0, \"to\": 0.02}` | the attribute with 0 mapped to `from` and 1 to `to`, "
    "linearly |\n"
    "| `{\"group\": \"collar\"}` | 1 at the vertices of the faces of that group, 0 elsewhere |\n"
    "| `{\"group\": \"collar\", \"from\": 3, \"to\": 8}` | `to` at those vertices, `from` elsewhere |\n"
    "| `{\"file\": \"weights.txt\"}` | a text with one number a line, in the order of the vertices |\n"
    "| `{\"keys\": [[0, 0.1], [1.5, \"mask\"]]}` | keyframes: times in s, rising, and any of the above; linear between "
    "two, held before the first and after the last |\n"
    "\n"
    "Attributes and groups are those that the mesh has where the parameter is used, after its edits and the details "
    "before.\n"
    "Values outside of the range are an error that names the vertex.\n";

/* ---- Cells of tables. */

/* Markdown in a cell: a bar would end it. */
static void put_cell(file *f, const char *text) {
    file_print(f, " ");
    for (; *text; text++) file_print(f, *text == '|' ? "\\|" : "%c", *text);
    file_print(f, " |");
}

static field_words path_of(const char *path, const char *name) {
    field_words joined = {0};
    words_add(&joined, "%s%s%s", path, *path ? "." : "", name);
    return joined;
}

/* A link to the heading of a section, which loses its points. */
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
    field_words longer = path_of(path, field->name), name = {0};
    int is_short = section->shorthand && strcmp(section->shorthand, field->name) == 0;
    words_add(&name, "`%s`%s", field->name, is_short ? " (shorthand)" : "");
    file_print(f, "|");
    put_cell(f, name.text);
    put_cell(f, type_of(field, longer.text).text);
    put_cell(f, field->unit && !field->choices ? field->unit : "");
    put_cell(f, default_of(field).text);
    put_cell(f, range_of(field).text);
    put_cell(f, field->help);
    file_print(f, "\n");
}

static void put_section(file *f, const ruga_section *section, const char *path, int is_root) {
    file_print(f, "\n%s %s\n\n%s\n", is_root ? "##" : "###", is_root ? "The scene" : path, section->help);
    if (section->field_count == 0) return;
    file_print(f, "\n| field | type | unit | default | range | meaning |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < section->field_count; i++) put_row(f, section, &section->fields[i], path);
}

/* Which kinds there are, each with its table below. */
static void put_kinds(file *f, const ruga_field *field, const char *path) {
    file_print(f, "\n### %s\n\n%c%s.\n\n| kind | what it is |\n|---|---|\n", path,
               field->help[0] >= 'a' && field->help[0] <= 'z' ? field->help[0] - 32 : field->help[0], field->help + 1);
    for (size_t i = 0; field->sections[i]; i++) {
        field_words longer = path_of(path, field->sections[i]->name), link = {0};
        words_add(&link, "`%s`: ", field->sections[i]->name);
        add_link(&link, longer.text);
        file_print(f, "|");
        put_cell(f, link.text);
        put_cell(f, field->sections[i]->help);
        file_print(f, "\n");
    }
}

static void put_sections_below(file *f, const ruga_section *section, const char *path) {
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        field_words of_field = path_of(path, field->name);
        int has_kinds = field->kind == RUGA_FIELD_VARIANT || field->kind == RUGA_FIELD_VARIANTS;
        if (has_kinds) put_kinds(f, field, of_field.text);
        for (size_t k = 0; field->sections && field->sections[k]; k++) {
            field_words name = has_kinds ? path_of(of_field.text, field->sections[k]->name) : of_field;
            put_section(f, field->sections[k], name.text, 0);
            put_sections_below(f, field->sections[k], name.text);
        }
    }
}

/* ---- Presets of materials. */

/* To four digits, as no material is known better. */
static void put_number_cell(file *f, double number) {
    field_words words = {0};
    double scale = number != 0 ? pow(10, 3 - floor(log10(fabs(number)))) : 1;
    words_add_number(&words, round(number * scale) / scale, NULL);
    put_cell(f, words.text);
}

static void put_presets(file *f) {
    file_print(f,
               "\n## Presets of materials\n\n"
               "An object's `material`, or a material's `like`, may name one of these.\n\n"
               "| name | what it is | density (kg/m²) | thickness (m) | stretch (N/m) | bend (N m) | poisson | damping "
               "| friction |\n|---|---|---|---|---|---|---|---|---|\n");
    const ruga_material_preset *preset;
    for (size_t i = 0; (preset = ruga_material_preset_get(i)); i++) {
        const ruga_material_def *m = &preset->values;
        const double numbers[] = {m->density, m->thickness, m->stretch, m->bend, m->poisson, m->damping, m->friction};
        field_words name = {0};
        words_add(&name, "`%s`", m->name);
        file_print(f, "|");
        put_cell(f, name.text);
        put_cell(f, preset->help);
        for (size_t k = 0; k < RUGA_FIELD_COUNT(numbers); k++) put_number_cell(f, numbers[k]);
        file_print(f, "\n");
    }
    file_print(f, "\nWhere the numbers come from:\n\n");
    for (size_t i = 0; (preset = ruga_material_preset_get(i)); i++)
        file_print(f, "- `%s`: %s\n", preset->values.name, preset->source);
}

ruga_status ruga_scene_reference(ruga_context *context, char **text, size_t *size) {
    if (!context || !text) return RUGA_ERROR_ARGUMENT;
    file *f = NULL;
    TRY(file_create_in_memory(context, &f));
    file_write(f, opening, sizeof opening - 1);
    put_section(f, &scene_section, "", 1);
    put_sections_below(f, &scene_section, "");
    put_presets(f);
    file_print(f,
               "\n<!-- Made from the tables in src/scene/tables.c by `ruga reference`; `make docs-scene` writes it "
               "anew. -->\n");
    void *bytes;
    size_t length;
    ruga_status status = file_write(f, "", 1);
    if (!RUGA_FAILED(status)) status = file_take_bytes(f, &bytes, &length);
    file_close(f);
    if (RUGA_FAILED(status)) return status;
    *text = bytes;
    if (size) *size = length - 1;
    return RUGA_OK;
}
