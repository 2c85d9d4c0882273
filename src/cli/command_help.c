/* ruga help [COMMAND]: the same as --help; and the manual pages. */
#include "command.h"
#include "files.h"
#include "manual.h"

static const option help_options[] = {
    FLAG_ROW("man", 0, "print the manual page of the command instead, or the overview ruga.1"),
    OUTPUT_ROW("FOLDER", NULL, "with --man: write all manual pages into this folder"),
};

static int run(session *s, const arguments *a) {
    const char *folder = option_text(a, "output");
    const command *c = a->word_count ? command_find(a->words[0]) : NULL;
    if (a->word_count && !c) return command_unknown(s, a->words[0]);
    if (folder && !option_given(a, "man"))
        return session_error(s, EXIT_USAGE, "help: -o needs --man: ruga help --man -o FOLDER");
    if (option_given(a, "man")) return folder ? manual_write(s, folder) : manual_print(s, c);
    if (!c) {
        print_general_help();
        return EXIT_FINE;
    }
    option_list list = {0};
    int code = command_list_options(s, c, &list, 0, NULL);
    if (!code) command_print_help(s, c, &list);
    return code;
}

static int command_word(size_t i, const char **name, const char **help) {
    if (!commands[i]) return 0;
    *name = commands[i]->name;
    *help = commands[i]->summary;
    return 1;
}

const command command_help = {
    .name = "help",
    .summary = "describes a command and its options",
    .usage = "ruga help [COMMAND] [--man]",
    .about = "The same as ruga COMMAND --help. With --man, the manual page.",
    .examples =
        "  ruga help\n"
        "  ruga help render\n"
        "  ruga help render --man >ruga-render.1\n"
        "  ruga help --man -o man/man1\n",
    .groups = {OPTION_GROUP("Options", help_options)},
    .word = command_word,
    .run = run,
};
