/* ruga help [COMMAND]: what --help says. */
#include "command.h"

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)list, (void)argc, (void)argv;
    return 0;
}

static int run(session *s, const arguments *a) {
    if (a->word_count == 0) {
        print_general_help();
        return EXIT_FINE;
    }
    const command *c = command_find(a->words[0]);
    if (!c) return command_unknown(s, a->words[0]);
    option_list list = {0};
    c->add_options(s, &list, 0, NULL);
    option_list_add(&list, "Options of every command", common_options, common_option_count);
    command_show_help(c, &list);
    return EXIT_FINE;
}

const command command_help = {
    .name = "help",
    .summary = "says what a command does and which options it has",
    .usage = "ruga help [COMMAND]",
    .about = "The same as ruga COMMAND --help.",
    .examples = "  ruga help\n  ruga help render\n",
    .add_options = add_options,
    .run = run,
};
