/* The command `ruga`: finds the command, reads its options by their tables, runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "command.h"
#include "files.h"
#include "version.h"

const command *const commands[] = {&command_new,        &command_check,     &command_run,
                                   &command_resume,     &command_sweep,     &command_cloth,
                                   &command_wrinkle,    &command_shell,     &command_sculpt,
                                   &command_crease,     &command_flesh,     &command_trace,
                                   &command_render,     &command_stats,     &command_make,
                                   &command_info,       &command_validate,  &command_intersections,
                                   &command_convert,    &command_subdivide, &command_fill,
                                   &command_schema,     &command_reference, &command_demo,
                                   &command_completion, &command_help,      NULL};

const command *command_find(const char *name) {
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

int command_unknown(session *s, const char *name) {
    const char *names[sizeof commands / sizeof commands[0]];
    size_t count = 0;
    for (; commands[count]; count++) names[count] = commands[count]->name;
    return session_unknown(s, "command", name, names, count);
}

int command_list_options(session *s, const command *c, option_list *list, int argc, char **argv) {
    for (const option_group *g = c->groups; g->heading; g++) option_list_add(list, g->heading, g->options, g->count);
    int code = c->add_options ? c->add_options(s, list, argc, argv) : 0;
    option_list_add(list, "Options of every command", common_options, OPTION_COUNT(common_options));
    return code;
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
    option_group_print(&(option_group)OPTION_GROUP("Options of every command", common_options));
    printf(
        "\n"
        "Examples:\n"
        "  ruga new flutter -o flutter.json\n"
        "  ruga run flutter.json\n"
        "  ruga render flutter.run -o flutter.mp4\n"
        "  ruga sweep flutter.json --set time.substeps=2,4,8\n"
        "  ruga cloth flag --wind 8,0,2 -o flag.glb\n"
        "  ruga wrinkle arm.glb -o wrinkled.glb\n"
        "  ruga sculpt bust.obj lines.obj -o frown.obj\n"
        "  ruga make torus -o torus.obj\n"
        "  ruga info torus.obj\n"
        "  ruga subdivide torus.obj --kind loop -o smooth.ply\n"
        "  ruga render smooth.ply --wireframe -o smooth.png\n"
        "  ruga demo\n"
        "\n"
        "Exit codes: 0 success, 1 failure, 2 wrong usage, 3 bad input, 4 intersections.\n"
        "'ruga COMMAND --help' describes one command.\n");
}

void command_print_help(session *s, const command *c, const option_list *list) {
    printf("Usage: %s\n\n", c->usage);
    print_paragraphs(c->about);
    for (size_t g = 0; g < list->group_count; g++) option_group_print(&list->groups[g]);
    printf("\nExamples:\n%s", c->examples);
    if (c->print_more_help) c->print_more_help(s);
}

static int run_command(session *s, const command *c, const option_list *list, const arguments *a) {
    if (option_given(a, "help"))
        command_print_help(s, c, list);
    else if (option_given(a, "version"))
        return print_version(s);
    else {
        int code = check_outputs(s, a, !c->word);
        return code ? code : c->run(s, a);
    }
    return EXIT_FINE;
}

/* The place of the command's name: the first word that is neither an option nor the value of one; 0 if there is
 * none. */
static int find_command_word(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') return i;
        if (strcmp(argv[i], "--threads") == 0) i++;
    }
    return 0;
}

/* Without a command: --help, --version, or a mistake. An unknown command may also be the value of a misspelt option
 * before it, so the options are checked first. */
static int run_without_command(session *s, int argc, char **argv, const char *unknown) {
    option_list list = {0};
    option_list_add(&list, "Options", common_options, OPTION_COUNT(common_options));
    arguments a;
    int code = EXIT_FINE;
    if (arguments_parse(&a, &list, argc, argv))
        code = session_error(s, EXIT_USAGE, "%s", a.message);
    else if (unknown)
        code = command_unknown(s, unknown);
    else if (option_given(&a, "version")) {
        code = session_open(s, &a);
        if (!code) code = print_version(s);
    } else {
        print_general_help();
        code = option_given(&a, "help") ? EXIT_FINE : EXIT_USAGE;
    }
    arguments_release(&a);
    return code;
}

/* Memory that is released is soon wanted again, in other sizes: given back to the system in between, it would have to
 * be cleared each time. */
static void keep_memory(void) {
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 30);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int main(int argc, char **argv) {
    keep_memory();
    session s;
    session_begin(&s, argc, argv);
    int word = find_command_word(argc, argv);
    const command *c = word ? command_find(argv[word]) : NULL;
    if (!c)
        return session_close(&s, run_without_command(&s, (word ? word : argc) - 1, argv + 1, word ? argv[word] : NULL));

    /* The command's name is taken out, so that options may stand before it and after it. */
    for (int i = word; i > 1; i--) argv[i] = argv[i - 1];
    option_list list = {0};
    int code = command_list_options(&s, c, &list, argc - 2, argv + 2);
    if (code) return session_close(&s, code);
    arguments a;
    if (arguments_parse(&a, &list, argc - 2, argv + 2))
        code = session_error(&s, EXIT_USAGE, "%s: %s", c->name, a.message);
    else
        code = session_open(&s, &a);
    a.output_word = c->output_word;
    if (code == EXIT_FINE) code = run_command(&s, c, &list, &a);
    code = session_close(&s, code);
    arguments_release(&a);
    return code;
}
