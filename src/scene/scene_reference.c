/* docs/scene.md, from the tables and the opening chapters below, and the JSON Schema. */
#include <math.h>

#include "field/reference.h"
#include "field/schema.h"
#include "field/words.h"
#include "scene/tables.h"

/* ---- Words. */

static const char opening[] =
    "# Scenes\n"
    "\n"
    "A scene is a JSON file that describes objects and their simulation. `ruga run SCENE` makes its frames,\n"
    "`ruga check SCENE` lists all its errors without running it, and `ruga new` writes a scene to start from.\n"
    "\n"
    "```json\n"
    "{\n"
    "  // A flag in a breeze: a sheet whose vertices oscillate about their places.\n"
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
    "All units are SI: metres, seconds, kilograms. y is up. Only files may have another unit and up axis;\n"
    "give them in `unit` and `up`. Values that are not given have the defaults of the tables below.\n"
    "\n"
    "## How a scene is written\n"
    "\n"
    "**Comments.** `// to the end of the line` and `/* to the other end */` are allowed wherever a space is. The rest\n"
    "is strict JSON, in UTF-8: no comma before a closing bracket, no key twice. A scene has at most 64 MB.\n"
    "\n"
    "**Errors** are listed all at once, each with its line and column, and with the word that was probably meant. An\n"
    "unknown key is an error; it is never silently ignored.\n"
    "\n"
    "**Absent values.** Where the default is `null`, the value may be absent, and `null` means that it is.\n"
    "Elsewhere `null` is not allowed.\n"
    "\n"
    "**Paths** of files are relative to the folder of the scene. On the command line they are relative to the working\n"
    "directory. A run keeps a copy of its scene with every default filled in and every path absolute.\n"
    "\n"
    "**Kinds.** If an object has several kinds, such as `mesh` and `body`, the key `kind` chooses one, and the other\n"
    "keys are those of that kind. A bare word is the kind with all its defaults: `\"body\": \"static\"`.\n"
    "\n"
    "**Shorthands.** Some objects have a main field. Its value may replace the whole object:\n"
    "`\"mesh\": \"shirt.obj\"` is `\"mesh\": {\"kind\": \"file\", \"file\": \"shirt.obj\"}`, and `\"wind\": [4, 0, 1]` "
    "is\n"
    "`\"wind\": {\"velocity\": [4, 0, 1]}`. An object with that key needs no `kind`: `{\"file\": \"shirt.obj\", "
    "\"unit\": \"cm\"}`.\n"
    "The tables mark it with \"shorthand\".\n"
    "\n"
    "**Values from the command line.** Each value has a path: `time.fps`, `objects[0].scale`,\n"
    "`objects[shirt].details[1].amount`. Names in brackets are those of objects and materials; a number one past the\n"
    "end of a list appends to it.\n"
    "`ruga run SCENE --set time.fps=30` changes a value for that run.\n"
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
    "| written | meaning |\n"
    "|---|---|\n"
    "| `0.5` | the same number everywhere |\n"
    "| `\"mask\"` | the vertex attribute of that name, values as they are |\n"
    "| `{\"attribute\": \"mask\", \"from\": 0, \"to\": 0.02}` | the attribute with 0 mapped to `from` and 1 to `to`, "
    "linearly |\n"
    "| `{\"group\": \"collar\"}` | 1 at the vertices of the faces of that group, 0 elsewhere |\n"
    "| `{\"group\": \"collar\", \"from\": 3, \"to\": 8}` | `to` at those vertices, `from` elsewhere |\n"
    "| `\"joint:*Hand & !group:nails\"` | a [selector](selectors.md): 1 where it chooses the mesh, 0 elsewhere, with "
    "the soft edges of joints and attributes; any text with `:`, `!`, `&`, `\\|`, `(`, `<`, `>` or `=` |\n"
    "| `{\"select\": \"piece:largest\", \"from\": 3, \"to\": 8}` | `to` where a selector chooses, `from` elsewhere |\n"
    "| `{\"file\": \"weights.txt\"}` | a text file with one number per line, in the order of the vertices |\n"
    "| `{\"keys\": [[0, 0.1], [1.5, \"mask\"]]}` | keyframes: times in s, rising, and any of the above; linear between "
    "two, held before the first and after the last |\n"
    "\n"
    "Attributes, groups and other names refer to the mesh on which the parameter acts, after its edits and the\n"
    "details before. A value outside of the range is an error that names the vertex.\n";

/* ---- Presets of materials. */

/* To four digits, as no material is known better. */
static void put_number_cell(file *f, double number) {
    field_words words = {0};
    double scale = number != 0 ? pow(10, 3 - floor(log10(fabs(number)))) : 1;
    words_add_number(&words, round(number * scale) / scale, NULL);
    reference_put_cell(f, words.text);
}

static void put_presets(file *f) {
    file_print(f,
               "\n## Presets of materials\n\n"
               "An object's `material`, or a material's `like`, may name one of these.\n\n"
               "| name | what it is | density (kg/m²) | thickness (m) | stretch (N/m) | bend (N m) | poisson | damping "
               "| friction | strain limit | shear ratio | bend friction (1/m) |\n"
               "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    const ruga_material_preset *preset;
    for (size_t i = 0; (preset = ruga_material_preset_get(i)); i++) {
        const ruga_material_def *m = &preset->values;
        const double numbers[] = {m->density, m->thickness, m->stretch,      m->bend,        m->poisson,
                                  m->damping, m->friction,  m->strain_limit, m->shear_ratio, m->bend_friction};
        field_words name = {0};
        words_add(&name, "`%s`", m->name);
        file_print(f, "|");
        reference_put_cell(f, name.text);
        reference_put_cell(f, preset->help);
        for (size_t k = 0; k < RUGA_FIELD_COUNT(numbers); k++) put_number_cell(f, numbers[k]);
        file_print(f, "\n");
    }
    file_print(f, "\nWhere the numbers come from:\n\n");
    for (size_t i = 0; (preset = ruga_material_preset_get(i)); i++) {
        file_print(f, "- `%s`:\n", preset->values.name);
        reference_put_text(f, preset->source, "  ");
    }
}

ruga_status ruga_scene_reference(ruga_context *context, char **text, size_t *size) {
    if (!context || !text) return RUGA_ERROR_ARGUMENT;
    file *f = NULL;
    TRY(file_create_in_memory(context, &f));
    file_write(f, opening, sizeof opening - 1);
    fields_reference(f, &scene_section);
    put_presets(f);
    file_print(f,
               "\n<!-- Made from the tables in src/ by `ruga reference`; `make docs-scene` writes it "
               "again. -->\n");
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

ruga_status ruga_scene_schema(ruga_context *context, char **text, size_t *size) {
    if (!context || !text) return RUGA_ERROR_ARGUMENT;
    return fields_schema(context, &scene_section, "Ruga scene", text, size);
}
