/* ruga reference: the reference of scenes. */
#include "command.h"
#include "files.h"
#include "scenes.h"

static const option reference_options[] = {OUTPUT_ROW("FILE", "-", "where to write; - is standard output")};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    option_list_add(list, "Options", reference_options, OPTION_COUNT(reference_options));
    return 0;
}

static int run(session *s, const arguments *a) {
    char *text = NULL;
    size_t size = 0;
    if (a->word_count) return session_error(s, EXIT_USAGE, "reference: takes no words, but got '%s'", a->words[0]);
    ruga_status status = ruga_scene_reference(s->context, &text, &size);
    return print_library_text(s, a, status, text, size);
}

const command command_reference = {
    .name = "reference",
    .summary = "prints the reference of scenes: every key, unit, range and default",
    .usage = "ruga reference [-o FILE]",
    .about = "Markdown. It comes from the same tables as the parser, so that it is never out of date.",
    .examples =
        "  ruga reference | less\n"
        "  ruga reference -o scene.md\n",
    .add_options = add_options,
    .run = run,
};
