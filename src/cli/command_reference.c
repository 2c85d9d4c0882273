/* ruga reference and ruga schema: what the tables of scenes say, as a text and for editors. */
#include "command.h"
#include "files.h"
#include "scenes.h"

static const option text_options[] = {OUTPUT_ROW("FILE", "-", "where to write; - is standard output")};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    option_list_add(list, "Options", text_options, OPTION_COUNT(text_options));
    return 0;
}

typedef ruga_status text_function(ruga_context *context, char **text, size_t *size);

static int print_text(session *s, const arguments *a, const char *name, text_function *make) {
    char *text = NULL;
    size_t size = 0;
    if (a->word_count) return session_error(s, EXIT_USAGE, "%s: takes no words, but got '%s'", name, a->words[0]);
    ruga_status status = make(s->context, &text, &size);
    return print_library_text(s, a, status, text, size);
}

static int run_reference(session *s, const arguments *a) { return print_text(s, a, "reference", ruga_scene_reference); }
static int run_schema(session *s, const arguments *a) { return print_text(s, a, "schema", ruga_scene_schema); }

const command command_reference = {
    .name = "reference",
    .summary = "prints the reference of scenes: every key, unit, range and default",
    .usage = "ruga reference [-o FILE]",
    .about = "Markdown. It comes from the same tables as the parser, so that it is never out of date.",
    .examples =
        "  ruga reference | less\n"
        "  ruga reference -o scene.md\n",
    .add_options = add_options,
    .run = run_reference,
};

const command command_schema = {
    .name = "schema",
    .summary = "prints the JSON Schema of scenes, for editors",
    .usage = "ruga schema [-o FILE]",
    .about =
        "With it an editor completes keys, shows what they are for and marks what is wrong. It comes from the same "
        "tables\n"
        "as the parser.",
    .examples = "  ruga schema -o scene.schema.json\n",
    .add_options = add_options,
    .run = run_schema,
};
