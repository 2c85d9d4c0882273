/* ruga schema: the JSON Schema of scenes. */
#include "command.h"
#include "files.h"
#include "scenes.h"

static const option schema_options[] = {OUTPUT_ROW("FILE", "-", "where to write; - is standard output")};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    option_list_add(list, "Options", schema_options, OPTION_COUNT(schema_options));
    return 0;
}

static int run(session *s, const arguments *a) {
    char *text = NULL;
    size_t size = 0;
    if (a->word_count) return session_error(s, EXIT_USAGE, "schema: takes no words, but got '%s'", a->words[0]);
    ruga_status status = ruga_scene_schema(s->context, &text, &size);
    return print_library_text(s, a, status, text, size);
}

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
    .run = run,
};
