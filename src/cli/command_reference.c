/* ruga reference and ruga schema: the tables of scenes as a text, and for editors. */
#include "command.h"
#include "files.h"
#include "scenes.h"

static const option text_options[] = {OUTPUT_ROW("FILE", "-", "where to write; - is standard output")};

typedef ruga_status text_function(ruga_context *context, char **text, size_t *size);

static int print_text(session *s, const arguments *a, const char *name, text_function *make) {
    char *text = NULL;
    size_t size = 0;
    if (a->word_count) return session_error(s, EXIT_USAGE, "%s: takes no arguments, but got '%s'", name, a->words[0]);
    int code = output_code(s, make(s->context, &text, &size));
    return code ? code : write_library_text(s, option_text(a, "output"), text, size);
}

static int run_reference(session *s, const arguments *a) { return print_text(s, a, "reference", ruga_scene_reference); }
static int run_schema(session *s, const arguments *a) { return print_text(s, a, "schema", ruga_scene_schema); }

const command command_reference = {
    .name = "reference",
    .summary = "prints every key of a scene with unit, range and default",
    .usage = "ruga reference [-o FILE]",
    .about = "Markdown, made from the tables that the parser uses.",
    .examples =
        "  ruga reference | less\n"
        "  ruga reference -o scene.md\n",
    .groups = {OPTION_GROUP("Options", text_options)},
    .run = run_reference,
};

const command command_schema = {
    .name = "schema",
    .summary = "prints the JSON Schema of scenes, for editors",
    .usage = "ruga schema [-o FILE]",
    .about =
        "With the schema, an editor completes keys, shows their help and marks mistakes. It is made from the tables "
        "that the parser uses.",
    .examples = "  ruga schema -o scene.schema.json\n",
    .groups = {OPTION_GROUP("Options", text_options)},
    .run = run_schema,
};
