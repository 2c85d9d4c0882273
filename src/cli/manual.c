#include "manual.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "files.h"

/* ---- Text for roff. */
/* The code point of a UTF-8 sequence, and its length. */
static unsigned read_letter(const char *text, int *length) {
    const unsigned char *at = (const unsigned char *)text;
    *length = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    unsigned code = *length == 1 ? at[0] : at[0] & (0xffu >> (*length + 1));
    for (int i = 1; i < *length && at[i]; i++) code = code << 6 | (at[i] & 0x3fu);
    return code;
}

/* Writes a text up to its end or a newline; hyphens become minus signs, which can be searched and copied. */
static const char *write_text(FILE *to, const char *text) {
    if (*text == '.' || *text == '\'') fputs("\\&", to);
    while (*text && *text != '\n') {
        int length;
        unsigned letter = read_letter(text, &length);
        if (letter == '\\')
            fputs("\\e", to);
        else if (letter == '-')
            fputs("\\-", to);
        else if (letter == '\'')
            fputs("\\(aq", to);
        else if (letter == '^')
            fputs("\\(ha", to);
        else if (letter == '~')
            fputs("\\(ti", to);
        else if (letter == '`')
            fputs("\\(ga", to);
        else if (letter >= 0x80)
            fprintf(to, "\\[u%04X]", letter);
        else
            fputc((int)letter, to);
        text += length;
    }
    return text;
}

static void write_line(FILE *to, const char *text) {
    write_text(to, text);
    fputc('\n', to);
}

/* Paragraphs; lines that begin with a space stay as they are. */
static void write_paragraphs(FILE *to, const char *text) {
    for (int plain = 0; *text;) {
        int literal = *text == ' ';
        if (literal != plain) fputs(literal ? ".nf\n" : ".fi\n", to);
        if (!literal) fputs(".PP\n", to);
        plain = literal;
        text = write_text(to, text);
        fputc('\n', to);
        text += *text == '\n';
        if (!*text && plain) fputs(".fi\n", to);
    }
}

static void write_literal(FILE *to, const char *text) {
    fputs(".PP\n.nf\n", to);
    while (*text) {
        text = write_text(to, text);
        fputc('\n', to);
        text += *text == '\n';
    }
    fputs(".fi\n", to);
}

/* ---- Parts of a page. */
static void write_head(FILE *to, const char *name, const char *summary) {
    char title[64];
    snprintf(title, sizeof title, "%s", name);
    for (char *at = title; *at; at++) *at = (char)toupper((unsigned char)*at);
    fprintf(to, ".\\\" Made by ruga help --man from the tables of the command.\n.TH ");
    write_text(to, title);
    fprintf(to, " 1 \"\" \"Ruga %s\" \"Ruga\"\n.SH NAME\n", ruga_version());
    write_text(to, name);
    fputs(" \\- ", to);
    write_line(to, summary);
}

static void write_options(FILE *to, const option_group *group) {
    char text[1024];
    fputs(".SS ", to);
    write_line(to, group->heading);
    for (size_t i = 0; i < group->count; i++) {
        const option *o = &group->options[i];
        fputs(".TP\n", to);
        if (o->letter) fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
        fputs("\\fB\\-\\-", to);
        write_text(to, o->name);
        fputs("\\fR", to);
        if (o->value) {
            fputs(" \\fI", to);
            write_text(to, o->value);
            fputs("\\fR", to);
        }
        fputc('\n', to);
        option_describe(o, text, sizeof text);
        write_line(to, text);
    }
}

static void write_terms(FILE *to, const char *heading, int (*word)(size_t, const char **, const char **)) {
    const char *name, *help;
    fputs(".SH ", to);
    write_line(to, heading);
    for (size_t i = 0; word(i, &name, &help); i++) {
        fputs(".TP\n\\fB", to);
        write_text(to, name);
        fputs("\\fR\n", to);
        write_line(to, help);
    }
}

static void write_exit_codes(FILE *to) {
    static const char *const codes[][2] = {
        {"0", "success"},
        {"1", "failure: a file can't be written, the disk is full, out of memory"},
        {"2", "wrong usage"},
        {"3", "bad input: a file that can't be read or is invalid, a scene or a mesh with errors"},
        {"4", "ruga intersections found some"},
        {"130", "stopped by Ctrl-C; in general 128 plus the number of the signal"},
    };
    fputs(".SH \"EXIT STATUS\"\n", to);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        fprintf(to, ".TP\n%s\n", codes[i][0]);
        write_line(to, codes[i][1]);
    }
}

/* ---- Pages. */
static int same_heading(const option_list *list, const char *heading) {
    for (size_t g = 0; g < list->group_count; g++)
        if (strcmp(list->groups[g].heading, heading) == 0) return 1;
    return 0;
}

/* Options that only some words have, such as the parameters of a model. */
static int write_options_of_words(session *s, FILE *to, const command *c, const option_list *always) {
    const char *name, *help;
    int code = 0;
    for (size_t i = 0; c->word && c->add_options && c->word(i, &name, &help) && !code; i++) {
        char word[128];
        char *argv[] = {word, NULL};
        option_list list = {0};
        snprintf(word, sizeof word, "%s", name);
        code = command_list_options(s, c, &list, 1, argv);
        for (size_t g = 0; g < list.group_count && !code; g++) {
            if (same_heading(always, list.groups[g].heading)) continue;
            char heading[256];
            option_group group = list.groups[g];
            snprintf(heading, sizeof heading, "%s: %s", name, group.heading);
            group.heading = heading;
            write_options(to, &group);
        }
    }
    return code;
}

static int write_page(session *s, FILE *to, const command *c) {
    char name[64];
    option_list list = {0};
    TRY_CODE(command_list_options(s, c, &list, 0, NULL));
    snprintf(name, sizeof name, "ruga-%s", c->name);
    write_head(to, name, c->summary);
    fputs(".SH SYNOPSIS\n.B ", to);
    write_line(to, c->usage);
    fputs(".SH DESCRIPTION\n", to);
    write_paragraphs(to, c->about);
    if (c->word) write_terms(to, "WORDS", c->word);
    fputs(".SH OPTIONS\n", to);
    for (size_t g = 0; g + 1 < list.group_count; g++) write_options(to, &list.groups[g]);
    int code = write_options_of_words(s, to, c, &list);
    if (list.group_count) write_options(to, &list.groups[list.group_count - 1]);
    write_exit_codes(to);
    fputs(".SH EXAMPLES\n", to);
    write_literal(to, c->examples);
    fputs(".SH \"SEE ALSO\"\n.BR ruga (1)\n", to);
    return code;
}

static int command_word(size_t i, const char **name, const char **help) {
    if (!commands[i]) return 0;
    *name = commands[i]->name;
    *help = commands[i]->summary;
    return 1;
}

static int write_overview(FILE *to) {
    write_head(to, "ruga", "wrinkles, folds and creases on meshes");
    fputs(
        ".SH SYNOPSIS\n.B ruga\n.I COMMAND\n[options]\n.SH DESCRIPTION\n"
        "Ruga simulates cloth, soft solids and flesh, adds fine wrinkles to anything that moves, wraps solids in thin\n"
        "shells that wrinkle, folds meshes along creases, and sculpts wrinkles along curves. It reads and writes the\n"
        "mesh and animation files of studios and engines. Options may stand anywhere on the line.\n"
        "Results go to standard output, messages to standard error. Each command has a page of its own:\n"
        ".BR ruga\\-run (1)\nand so on.\n",
        to);
    write_terms(to, "COMMANDS", command_word);
    fputs(".SH OPTIONS\n", to);
    write_options(to, &(option_group)OPTION_GROUP("Options of every command", common_options));
    write_exit_codes(to);
    fputs(
        ".SH ENVIRONMENT\n.TP\n\\fBRUGA_ISA\\fR\n"
        "the instruction set: scalar, sse4, avx2, avx512 or auto (default: the widest of the machine). Results are\n"
        "bit\\-identical for one set; a run resumes only with the one that began it.\n"
        ".SH EXAMPLES\n",
        to);
    write_literal(to,
                  "  ruga new flutter -o flutter.json\n"
                  "  ruga run flutter.json\n"
                  "  ruga render flutter.run -o flutter.mp4\n"
                  "  ruga sweep flutter.json --set time.substeps=2,4,8\n");
    fputs(".SH \"SEE ALSO\"\n", to);
    for (size_t i = 0; commands[i]; i++) {
        fputs(".BR ruga\\-", to);
        write_text(to, commands[i]->name);
        fputs(commands[i + 1] ? " (1),\n" : " (1)\n", to);
    }
    return 0;
}

int manual_print(session *s, const command *c) { return c ? write_page(s, stdout, c) : write_overview(stdout); }

int manual_write(session *s, const char *folder) {
    int code = make_folder(s, folder);
    for (size_t i = 0; !code && (i == 0 || commands[i - 1]); i++) {
        const command *c = i ? commands[i - 1] : NULL;
        char path[4200];
        text_file file;
        snprintf(path, sizeof path, c ? "%s/ruga-%s.1" : "%s/ruga.1", folder, c ? c->name : "");
        code = text_file_begin(s, &file, path);
        if (code) break;
        int wrote = c ? write_page(s, file.stream, c) : write_overview(file.stream);
        code = text_file_end(s, &file);
        if (wrote) code = wrote;
    }
    return code;
}
