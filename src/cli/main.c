/* The command `ruga`: finds the command, reads its options by their tables, runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

const command *const commands[] = {&command_new,           &command_check,   &command_run,       &command_resume,
                                   &command_cloth,         &command_wrinkle, &command_sculpt,    &command_render,
                                   &command_stats,         &command_make,    &command_info,      &command_validate,
                                   &command_intersections, &command_convert, &command_subdivide, &command_schema,
                                   &command_reference,     &command_demo,    &command_help,      NULL};

const command *command_find(const char *name) {
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

int command_unknown(session *s, const char *name) {
    const char *names[sizeof commands / sizeof commands[0]];
    size_t count = 0;
    for (; commands[count]; count++) names[count] = commands[count]->name;
    char meant[128];
    suggest(meant, sizeof meant, name, names, count, "");
    return session_error(s, EXIT_USAGE, "no command '%.100s'%s", name, meant[0] ? meant : "; see ruga --help");
}

void print_general_help(void) {
    printf(
        "Ruga %s: wrinkles, folds and creases on meshes\n"
        "\n"
        "Usage: ruga COMMAND [options]\n"
        "\n"
        "Commands:\n",
        ruga_version());
    for (size_t i = 0; commands[i]; i++) printf("  %-15s%s\n", commands[i]->name, commands[i]->summary);
    option_group_print(&(option_group){"Options of every command", common_options, common_option_count});
    printf(
        "\n"
        "Examples:\n"
        "  ruga new flutter -o flutter.json\n"
        "  ruga run flutter.json\n"
        "  ruga render flutter.run -o flutter.mp4\n"
        "  ruga cloth flag --wind 8,0,2 -o flag.glb\n"
        "  ruga wrinkle arm.glb -o wrinkled.glb\n"
        "  ruga sculpt bust.obj lines.obj -o frown.obj\n"
        "  ruga make torus -o torus.obj\n"
        "  ruga info torus.obj\n"
        "  ruga subdivide torus.obj --kind loop -o smooth.ply\n"
        "  ruga render smooth.ply --wireframe -o smooth.png\n"
        "  ruga demo\n"
        "\n"
        "Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 bad input, 4 found (intersections).\n"
        "'ruga COMMAND --help' says more about one command.\n");
}

void command_print_help(const command *c, const option_list *list) {
    printf("Usage: %s\n\n%s\n", c->usage, c->about);
    for (size_t g = 0; g < list->group_count; g++) option_group_print(&list->groups[g]);
    printf("\nExamples:\n%s", c->examples);
}

void command_show_help(const command *c, const option_list *list) {
    if (c->print_help)
        c->print_help(c, list);
    else
        command_print_help(c, list);
}

static int run_command(session *s, const command *c, const option_list *list, const arguments *a) {
    if (option_given(a, "help")) {
        command_show_help(c, list);
        return EXIT_FINE;
    }
    if (option_given(a, "version")) {
        session_print(s, "ruga %s\n", ruga_version());
        return EXIT_FINE;
    }
    return c->run(s, a);
}

/* The place of the command's name: the first word that is neither an option nor the value of one; 0 if there is none. */
static int find_command_word(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') return i;
        if (strcmp(argv[i], "--threads") == 0) i++;
    }
    return 0;
}

/* Options before a word that is no command: a misspelt one may be why the word was taken for it. */
static int check_common_options(session *s, int argc, char **argv) {
    option_list list = {0};
    option_list_add(&list, "Options", common_options, common_option_count);
    arguments a;
    int code = arguments_parse(&a, &list, argc, argv) ? session_error(s, EXIT_USAGE, "%s", a.message) : EXIT_FINE;
    arguments_release(&a);
    return code;
}

/* Options alone: --help, --version, or a mistake. */
static int run_without_command(session *s, int argc, char **argv) {
    option_list list = {0};
    option_list_add(&list, "Options", common_options, common_option_count);
    arguments a;
    int code = EXIT_FINE;
    if (arguments_parse(&a, &list, argc - 1, argv + 1))
        code = session_error(s, EXIT_USAGE, "%s", a.message);
    else if (option_given(&a, "version"))
        session_print(s, "ruga %s\n", ruga_version());
    else {
        print_general_help();
        code = option_given(&a, "help") ? EXIT_FINE : EXIT_USAGE;
    }
    arguments_release(&a);
    return code;
}

int main(int argc, char **argv) {
    session s = {0};
    int word = find_command_word(argc, argv);
    if (!word) return session_close(&s, run_without_command(&s, argc, argv));
    const command *c = command_find(argv[word]);
    if (!c) {
        int code = check_common_options(&s, word - 1, argv + 1);
        return session_close(&s, code ? code : command_unknown(&s, argv[word]));
    }

    /* The command's name is taken out; options before it count as well as those after it. */
    for (int i = word; i > 1; i--) argv[i] = argv[i - 1];
    option_list list = {0};
    int code = c->add_options(&s, &list, argc - 2, argv + 2);
    if (code) return session_close(&s, code);
    option_list_add(&list, "Options of every command", common_options, common_option_count);
    arguments a;
    if (arguments_parse(&a, &list, argc - 2, argv + 2))
        code = session_error(&s, EXIT_USAGE, "%s: %s", c->name, a.message);
    else
        code = session_open(&s, &a);
    if (code == EXIT_FINE) code = run_command(&s, c, &list, &a);
    code = session_close(&s, code);
    arguments_release(&a);
    return code;
}
