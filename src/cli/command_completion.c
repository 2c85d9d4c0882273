/* ruga completion: scripts with which bash and zsh complete the command, from its tables. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "files.h"

static const option completion_options[] = {OUTPUT_ROW("FILE", "-", "where to write; - is standard output")};

enum { MOST_NAMES = 160 };

/* All options of a command, those of its words included, each once. */
typedef struct all_options {
    option options[MOST_NAMES]; /* the names and choices are static texts, or copied below */
    char names[MOST_NAMES][48];
    size_t count;
} all_options;

static void add_group(all_options *all, const option_group *group) {
    for (size_t i = 0; i < group->count && all->count < MOST_NAMES; i++) {
        size_t known = 0;
        while (known < all->count && strcmp(all->names[known], group->options[i].name) != 0) known++;
        if (known < all->count) continue;
        snprintf(all->names[known], sizeof all->names[known], "%s", group->options[i].name);
        all->options[known] = group->options[i];
        all->options[known].name = all->names[known];
        all->count++;
    }
}

static int collect(session *s, const command *c, all_options *all) {
    const char *name, *help;
    int code = 0;
    all->count = 0;
    for (size_t i = 0; !code; i++) { /* without a word, then with each */
        char word[128] = "";
        char *argv[] = {word, NULL};
        option_list list = {0};
        if (i && !(c->word && c->add_options && c->word(i - 1, &name, &help))) break;
        if (i) snprintf(word, sizeof word, "%s", name);
        code = command_list_options(s, c, &list, i > 0, argv);
        for (size_t g = 0; g < list.group_count && !code; g++) add_group(all, &list.groups[g]);
    }
    return code;
}

static void print_words(FILE *to, const command *c) {
    const char *name, *help;
    for (size_t i = 0; c->word && c->word(i, &name, &help); i++) fprintf(to, "%s%s", i ? " " : "", name);
}

static void print_choices(FILE *to, const option *o) {
    for (size_t i = 0; o->choices[i]; i++) fprintf(to, "%s%s", i ? " " : "", o->choices[i]);
}

/* ---- bash. */
static void print_bash_command(FILE *to, const command *c, const all_options *all) {
    fprintf(to, "    %s)\n        options='", c->name);
    for (size_t i = 0; i < all->count; i++) {
        if (all->options[i].letter) fprintf(to, "-%c ", all->options[i].letter);
        fprintf(to, "--%s%s", all->options[i].name, i + 1 < all->count ? " " : "'\n");
    }
    fprintf(to, "        words='");
    print_words(to, c);
    fprintf(to, "'\n        case $previous in\n");
    for (size_t i = 0; i < all->count; i++) {
        const option *o = &all->options[i];
        if (!o->choices) continue;
        fprintf(to, "        --%s) values='", o->name);
        print_choices(to, o);
        fprintf(to, "' ;;\n");
    }
    /* Values without a list are files, or anything. */
    int begun = 0;
    for (size_t i = 0; i < all->count; i++) {
        const option *o = &all->options[i];
        if (o->choices || o->kind == OPTION_FLAG) continue;
        fprintf(to, "%s--%s", begun++ ? " | " : "        ", o->name);
        if (o->letter) fprintf(to, " | -%c", o->letter);
    }
    fprintf(to, "%s        esac\n        ;;\n", begun ? ") return ;;\n" : "");
}

static int print_bash(session *s, FILE *to, all_options *all) {
    fprintf(to,
            "# bash completion for ruga %s, made by 'ruga completion bash'\n"
            "_ruga() {\n"
            "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
            "    local command= options= words= values= place=0 i\n"
            "    COMPREPLY=()\n"
            "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
            "        [[ ${COMP_WORDS[i]} == -* ]] && continue\n"
            "        command=${COMP_WORDS[i]} place=$i\n"
            "        break\n"
            "    done\n"
            "    case $command in\n"
            "    '')\n        options='",
            ruga_version());
    for (size_t i = 0; i < OPTION_COUNT(common_options); i++)
        fprintf(to, "%s--%s", i ? " " : "", common_options[i].name);
    fprintf(to, "'\n        words='");
    for (size_t i = 0; commands[i]; i++) fprintf(to, "%s%s", i ? " " : "", commands[i]->name);
    fprintf(to, "'\n        ;;\n");
    int code = 0;
    for (size_t i = 0; commands[i] && !code; i++) {
        code = collect(s, commands[i], all);
        if (!code) print_bash_command(to, commands[i], all);
    }
    fprintf(to,
            "    esac\n"
            "    if [[ -n $values ]]; then\n"
            "        mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$current\")\n"
            "    elif [[ $current == -* ]]; then\n"
            "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
            "    elif [[ -n $words && (-z $command || $((place + 1)) == \"$COMP_CWORD\") ]]; then\n"
            "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
            "    fi\n"
            "}\n"
            "complete -o default -F _ruga ruga\n");
    return code;
}

/* ---- zsh. */
/* Within single quotes and the brackets or colons of _arguments. */
static void print_zsh_text(FILE *to, const char *text) {
    for (; *text; text++)
        if (*text == '\'')
            fprintf(to, "'\\''");
        else
            fprintf(to, strchr("[]:\\", *text) ? "\\%c" : "%c", *text);
}

static void print_zsh_option(FILE *to, const option *o) {
    const int flag = o->kind == OPTION_FLAG;
    fprintf(to, " \\\n            ");
    if (o->letter)
        fprintf(to, flag ? "{-%c,--%s}'[" : "'*'{-%c+,--%s=}'[", o->letter, o->name);
    else
        fprintf(to, flag ? "'--%s[" : o->kind == OPTION_SWITCH ? "'*--%s=-[" : "'*--%s=[", o->name);
    print_zsh_text(to, o->help);
    fprintf(to, "]");
    if (!flag) {
        fprintf(to, o->kind == OPTION_SWITCH ? "::" : ":");
        print_zsh_text(to, o->value ? o->value : "value");
        fprintf(to, ":");
        if (o->choices) {
            fprintf(to, "(");
            print_choices(to, o);
            fprintf(to, ")");
        } else
            fprintf(to, o->kind == OPTION_TEXT ? "_files" : " ");
    }
    fprintf(to, "'");
}

static int print_zsh(session *s, FILE *to, all_options *all) {
    int code = 0;
    fprintf(to,
            "#compdef ruga\n"
            "# zsh completion for ruga %s, made by 'ruga completion zsh'\n"
            "_ruga() {\n"
            "    local -a commands\n"
            "    commands=(\n",
            ruga_version());
    for (size_t i = 0; commands[i]; i++) {
        fprintf(to, "        '%s:", commands[i]->name);
        print_zsh_text(to, commands[i]->summary);
        fprintf(to, "'\n");
    }
    fprintf(to,
            "    )\n"
            "    if ((CURRENT == 2)) && [[ ${words[2]} != -* ]]; then\n"
            "        _describe command commands\n"
            "        return\n"
            "    fi\n"
            "    local command=${words[2]}\n"
            "    shift words\n"
            "    ((CURRENT--))\n"
            "    case $command in\n");
    for (size_t i = 0; commands[i] && !code; i++) {
        code = collect(s, commands[i], all);
        if (code) break;
        fprintf(to, "    %s)\n        _arguments", commands[i]->name);
        for (size_t k = 0; k < all->count; k++) print_zsh_option(to, &all->options[k]);
        if (commands[i]->word) {
            fprintf(to, " \\\n            '1:word:(");
            print_words(to, commands[i]);
            fprintf(to, ")'");
        }
        fprintf(to, " \\\n            '*:file:_files'\n        ;;\n");
    }
    fprintf(to,
            "    esac\n"
            "}\n"
            "if [[ $funcstack[1] == _ruga ]]; then _ruga \"$@\"; else compdef _ruga ruga; fi\n");
    return code;
}

/* ---- The command. */
static int shell_word(size_t i, const char **name, const char **help) {
    static const char *const shells[][2] = {{"bash", "for bash 4 or newer"}, {"zsh", "for zsh"}};
    if (i >= sizeof shells / sizeof shells[0]) return 0;
    *name = shells[i][0];
    *help = shells[i][1];
    return 1;
}

static int run(session *s, const arguments *a) {
    static all_options all; /* too large for some stacks */
    const char *shell = a->word_count == 1 ? a->words[0] : "", *path = option_text(a, "output");
    const int is_bash = strcmp(shell, "bash") == 0, is_file = strcmp(path, "-") != 0;
    if (!is_bash && strcmp(shell, "zsh") != 0)
        return session_error(s, EXIT_USAGE,
                             "completion: expected a shell: ruga completion bash, or ruga completion zsh");
    text_file file = {.stream = stdout};
    TRY_CODE(is_file ? text_file_begin(s, &file, path) : 0);
    int code = is_bash ? print_bash(s, file.stream, &all) : print_zsh(s, file.stream, &all);
    int ended = is_file ? text_file_end(s, &file) : 0;
    return code ? code : ended;
}

const command command_completion = {
    .name = "completion",
    .summary = "prints a script with which bash or zsh completes the command",
    .usage = "ruga completion bash|zsh [-o FILE]",
    .about =
        "An installed Ruga has both scripts where the shells look for them. Otherwise read the script when the shell "
        "starts. It is made from the tables that the parser of the options uses.",
    .examples =
        "  source <(ruga completion bash)       # in ~/.bashrc\n"
        "  source <(ruga completion zsh)        # in ~/.zshrc, after compinit\n",
    .groups = {OPTION_GROUP("Options", completion_options)},
    .word = shell_word,
    .run = run,
};
