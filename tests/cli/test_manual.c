/* Manual pages and completions: they have every command and every option that --help lists. */
#include <ctype.h>
#include <stdio.h>

#include "support/ruga_command.h"

enum { MOST = 64 };

/* The commands that `ruga --help` lists. */
static size_t list_commands(char names[MOST][32]) {
    command_result help = ruga_run("--help");
    const char *at = strstr(help.out, "\nCommands:\n");
    size_t count = 0;
    assert_non_null(at);
    at += strlen("\nCommands:\n");
    for (; *at == ' ' && count < MOST; at = strchr(at, '\n') + 1)
        assert_int_equal(sscanf(at, " %31s", names[count++]), 1);
    command_release(&help);
    assert_at_most(20, count);
    return count;
}

/* The options that `ruga COMMAND --help` lists, without dashes. */
static size_t list_options(const char *command, char names[128][48]) {
    command_result help = ruga_run("%s --help", command);
    size_t count = 0;
    assert_int_equal(help.code, 0);
    for (const char *line = help.out; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *at = line + strspn(line, " ");
        if (at - line > 6 || at == line) continue;
        if (at[0] == '-' && isalnum((unsigned char)at[1]) && at[2] == ',') at += 4;
        if (strncmp(at, "--", 2) != 0 || count == 128) continue;
        size_t length = strcspn(at + 2, " \n");
        snprintf(names[count++], 48, "%.*s", (int)length, at + 2);
    }
    command_release(&help);
    assert_at_most(5, count);
    return count;
}

/* "--out-unit" as roff has it: "\-\-out\-unit\fR". */
static void as_roff(const char *name, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "\\-\\-");
    for (; *name && used + 8 < size; name++)
        used += (size_t)snprintf(text + used, size - used, *name == '-' ? "\\-" : "%c", *name);
    snprintf(text + used, size - used, "\\fR");
}

/* Whether a name stands in a text as a word of its own. */
static int has_word(const char *text, const char *word) {
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if (!isalnum((unsigned char)at[length]) && at[length] != '-') return 1;
    return 0;
}

/* The part of a script for one command: from "    run)" to the end of its case. */
static char *part_of(const char *script, const char *command) {
    char begin[64];
    snprintf(begin, sizeof begin, "\n    %s)\n", command);
    const char *from = strstr(script, begin), *end = from ? strstr(from, "\n        ;;\n") : NULL;
    fail_if(!end, "the script has no part for %s", command);
    return strndup(from, (size_t)(end - from));
}

static void every_command_and_option_is_covered(void **state) {
    (void)state;
    static char names[MOST][32], options[128][48];
    size_t count = list_commands(names);
    assert_ruga(0, NULL, "help --man -o man");
    command_result bash = ruga_run("completion bash"), zsh = ruga_run("completion zsh");
    char *overview = read_test_file(test_path("man/ruga.1"), NULL);
    for (size_t i = 0; i < count; i++) {
        char file[64], text[128];
        snprintf(text, sizeof text, "\n\\fB%s\\fR\n", names[i]);
        assert_non_null(strstr(overview, text));
        snprintf(file, sizeof file, "man/ruga-%s.1", names[i]);
        char *page = read_test_file(test_path(file), NULL);
        char *in_bash = part_of(bash.out, names[i]), *in_zsh = part_of(zsh.out, names[i]);
        assert_non_null(page);
        assert_true(has_word(bash.out, names[i]));
        size_t option_count = list_options(names[i], options);
        for (size_t k = 0; k < option_count; k++) {
            as_roff(options[k], text, sizeof text);
            fail_if(!strstr(page, text), "%s lacks --%s", file, options[k]);
            snprintf(text, sizeof text, "--%.47s", options[k]);
            fail_if(!has_word(in_bash, text), "bash: %s lacks %s", names[i], text);
            fail_if(!has_word(in_zsh, text), "zsh: %s lacks %s", names[i], text);
        }
        free(page);
        free(in_bash);
        free(in_zsh);
    }
    free(overview);
    command_release(&bash);
    command_release(&zsh);
}

static void the_parameters_of_models_are_covered(void **state) {
    (void)state;
    command_result page = ruga_run("help make --man"), bash = ruga_run("completion bash");
    assert_non_null(strstr(page.out, "\n.SS torus: Parameters of the model\n"));
    char *part = part_of(bash.out, "make");
    static char options[128][48];
    size_t count = list_options("make mannequin", options);
    for (size_t k = 0; k < count; k++) {
        char text[128];
        snprintf(text, sizeof text, "--%.47s", options[k]);
        fail_if(!has_word(part, text), "bash: make lacks %s", text);
        as_roff(options[k], text, sizeof text);
        fail_if(!strstr(page.out, text), "ruga-make.1 lacks --%s", options[k]);
    }
    assert_true(has_word(part, "torus"));
    free(part);
    command_release(&page);
    command_release(&bash);
}

static void the_pages_have_no_mistakes(void **state) {
    (void)state;
    if (system("command -v man >/dev/null 2>&1 && command -v groff >/dev/null 2>&1") != 0) skip();
    assert_ruga(0, NULL, "help --man -o pages");
    command_result said = command_run("/bin/sh",
                                      "-c 'for page in pages/*.1; do LC_ALL=C.UTF-8 man --warnings -E UTF-8 "
                                      "-l -Tutf8 -Z \"$page\" 2>&1 >/dev/null; done'");
    assert_string_equal(said.out, "");
    command_release(&said);
}

static void bash_completes_commands_options_and_values(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"ruga sw", "sweep"},         {"ruga run --repl", "--replace"},       {"ruga make toru", "torus"},
        {"ruga new flu", "flutter"},  {"ruga sweep x --isa avx5", "avx512"},  {"ruga help interse", "intersections"},
        {"ruga --vers", "--version"}, {"ruga convert a --format us", "usda"}, {"ruga run x --output x", ""},
    };
    assert_ruga(0, NULL, "completion bash -o complete.bash");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        command_result said = command_run("/bin/bash",
                                          "-c 'source ./complete.bash; COMP_WORDS=(%s); "
                                          "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ruga; echo \"${COMPREPLY[*]}\"'",
                                          cases[i][0]);
        assert_string_equal(said.err, "");
        said.out[strcspn(said.out, "\n")] = 0;
        assert_string_equal(said.out, cases[i][1]);
        command_release(&said);
    }
    assert_ruga(2, "expected a shell", "completion fish");
}

static void zsh_reads_its_script(void **state) {
    (void)state;
    if (system("command -v zsh >/dev/null 2>&1") != 0) skip();
    assert_ruga(0, NULL, "completion zsh -o _ruga");
    command_result said = command_run("/bin/sh", "-c 'zsh -f -n _ruga'");
    assert_int_equal(said.code, 0);
    assert_string_equal(said.err, "");
    command_release(&said);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_and_option_is_covered),
        cmocka_unit_test(the_parameters_of_models_are_covered),
        cmocka_unit_test(the_pages_have_no_mistakes),
        cmocka_unit_test(bash_completes_commands_options_and_values),
        cmocka_unit_test(zsh_reads_its_script),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down_test_folder);
}
