#include "options.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The list of options. */
void option_list_add(option_list *list, const char *heading, const option *options, size_t count) {
    assert(list->group_count < MAX_OPTION_GROUPS);
    list->groups[list->group_count++] = (option_group){heading, options, count};
}

const option *option_list_find(const option_list *list, const char *name, size_t length) {
    for (size_t g = 0; g < list->group_count; g++)
        for (size_t i = 0; i < list->groups[g].count; i++) {
            const option *o = &list->groups[g].options[i];
            if (strlen(o->name) == length && memcmp(o->name, name, length) == 0) return o;
        }
    return NULL;
}

const option *option_list_find_letter(const option_list *list, char letter) {
    for (size_t g = 0; g < list->group_count; g++)
        for (size_t i = 0; i < list->groups[g].count; i++)
            if (list->groups[g].options[i].letter == letter) return &list->groups[g].options[i];
    return NULL;
}

void suggest(char *text, size_t size, const char *word, const char *const *candidates, size_t count,
             const char *prefix) {
    const char *nearest = ruga_nearest_word(word, candidates, count);
    if (nearest)
        snprintf(text, size, "; did you mean '%s%s'?", prefix, nearest);
    else
        text[0] = 0;
}

/* ---- Values. The same functions check the text while parsing and read the value later. */
/* Numbers with a separator between them and nothing else. */
static int read_numbers(const char *text, char separator, double *out, int count) {
    for (int i = 0; i < count; i++) {
        char *end;
        out[i] = strtod(text, &end);
        if (end == text || !isfinite(out[i]) || *end != (i + 1 < count ? separator : 0)) return 0;
        text = end + 1;
    }
    return 1;
}

static int read_colour(const char *text, ruga_colour *out) {
    if (text[0] != '#' || strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6) return 0;
    unsigned long bits = strtoul(text + 1, NULL, 16);
    *out = (ruga_colour){(float)(bits >> 16) / 255.0f, (float)(bits >> 8 & 255) / 255.0f, (float)(bits & 255) / 255.0f};
    return 1;
}

static int read_choice(const option *o, const char *text, size_t *out) {
    for (size_t i = 0; o->choices[i]; i++)
        if (strcmp(o->choices[i], text) == 0) {
            *out = i;
            return 1;
        }
    return 0;
}

static int is_limited(const option *o) { return o->low != o->high; }

static int check_number(const option *o, const char *text, char *message) {
    double value;
    int good = ruga_number_parse(text, &value) && (!is_limited(o) || (value >= o->low && value <= o->high)) &&
               (o->kind != OPTION_WHOLE || (floor(value) == value && fabs(value) < 2147483648.0));
    if (good) return 0;
    /* "a whole number from 1 to 256", with its unit. */
    char wanted[128];
    int used = snprintf(wanted, sizeof wanted, "%s", o->kind == OPTION_WHOLE ? "a whole number" : "a number");
    if (is_limited(o))
        used += snprintf(wanted + used, sizeof wanted - (size_t)used, " from %.9g to %.9g", o->low, o->high);
    if (o->unit && strcmp(o->unit, "1") != 0) snprintf(wanted + used, sizeof wanted - (size_t)used, " %s", o->unit);
    snprintf(message, MAX_MESSAGE, "--%s takes %s, not '%s'", o->name, wanted, text);
    return -1;
}

static int refuse_choice(const option *o, const char *text, char *message) {
    size_t count = 0;
    char all[256] = "", meant[128];
    for (; o->choices[count]; count++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", count ? ", " : "", o->choices[count]);
    }
    suggest(meant, sizeof meant, text, o->choices, count, "");
    snprintf(message, MAX_MESSAGE, "--%s takes %s %s, not '%s'%s", o->name,
             o->kind != OPTION_CHOICES ? "one of" : "none, or a comma-separated list of", all, text, meant);
    return -1;
}

/* One word, or with OPTION_CHOICES none or several. */
static int check_choices(const option *o, const char *text, char *message) {
    size_t place;
    int several = o->kind == OPTION_CHOICES;
    if (several && strcmp(text, "none") == 0) return 0;
    for (const char *at = text;; at++) {
        char word[64];
        size_t length = several ? strcspn(at, ",") : strlen(at);
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (!read_choice(o, word, &place)) return refuse_choice(o, word, message);
        at += length;
        if (!*at) return 0;
    }
}

/* 0, or -1 with a message that names the expected value. */
static int check_value(const option *o, const char *text, char *message) {
    double numbers[3];
    ruga_colour colour;
    const char *wanted = NULL;
    switch (o->kind) {
        case OPTION_FLAG: return 0;
        case OPTION_NUMBER:
        case OPTION_WHOLE: return check_number(o, text, message);
        case OPTION_CHOICE:
        case OPTION_SWITCH:
        case OPTION_CHOICES: return check_choices(o, text, message);
        case OPTION_TEXT:
            if (!*text) wanted = "a text that is not empty";
            break;
        case OPTION_LENGTH:
            if (!ruga_unit_parse(text, numbers)) wanted = "m, cm, mm, km, in, ft or the metres of one unit";
            break;
        case OPTION_VECTOR:
            if (!read_numbers(text, ',', numbers, 3)) wanted = "three numbers x,y,z";
            break;
        case OPTION_SPAN:
            if (!read_numbers(text, ':', numbers, 2) || numbers[0] > numbers[1])
                wanted = "two numbers low:high, the lower first";
            break;
        case OPTION_COLOUR:
            if (!read_colour(text, &colour)) wanted = "a colour such as #c08040";
            break;
    }
    if (!wanted) return 0;
    snprintf(message, MAX_MESSAGE, "--%s takes %s, not '%s'", o->name, wanted, text);
    return -1;
}

/* ---- Parsing. */
static int unknown_option(arguments *a, const char *name, size_t length) {
    const char *candidates[MAX_OPTIONS];
    size_t count = 0;
    for (size_t g = 0; g < a->list->group_count; g++)
        for (size_t i = 0; i < a->list->groups[g].count && count < MAX_OPTIONS; i++)
            candidates[count++] = a->list->groups[g].options[i].name;
    char word[128], meant[160];
    snprintf(word, sizeof word, "%.*s", (int)(length < 100 ? length : 100), name);
    suggest(meant, sizeof meant, word, candidates, count, "--");
    snprintf(a->message, MAX_MESSAGE, "no option '--%s'%s", word, meant[0] ? meant : "; see --help");
    return -1;
}

/* Whether a text is an option of this command, and so no value of the option before it. */
static int is_known_option(const option_list *list, const char *text) {
    if (text[0] != '-' || text[1] == 0) return 0;
    if (text[1] == '-') return text[2] == 0 || option_list_find(list, text + 2, strcspn(text + 2, "=")) != NULL;
    return text[2] == 0 && option_list_find_letter(list, text[1]) != NULL;
}

/* Takes one option with its value, which is attached (after = or the letter) or the next argument. */
static int take_option(arguments *a, const option *o, const char *attached, int argc, char **argv, int *i) {
    const char *text = attached;
    if (o->kind == OPTION_FLAG) {
        if (attached) {
            snprintf(a->message, MAX_MESSAGE, "--%s takes no value, but got '%s'", o->name, attached);
            return -1;
        }
    } else if (!attached && o->kind == OPTION_SWITCH) {
        size_t place;
        int follows = *i + 1 < argc && read_choice(o, argv[*i + 1], &place);
        text = follows ? argv[++*i] : o->choices[0];
    } else if (!attached) {
        if (*i + 1 >= argc || is_known_option(a->list, argv[*i + 1])) {
            snprintf(a->message, MAX_MESSAGE, "--%s needs a value: --%s %s", o->name, o->name, o->value);
            return -1;
        }
        text = argv[++*i];
    }
    if (check_value(o, text, a->message)) return -1;
    a->given[a->given_count++] = (argument){o, text};
    return 0;
}

static int take_short(arguments *a, int argc, char **argv, int *i) {
    const char *text = argv[*i];
    const option *o = option_list_find_letter(a->list, text[1]);
    if (o && (o->kind != OPTION_FLAG || !text[2])) return take_option(a, o, text[2] ? text + 2 : NULL, argc, argv, i);
    if (text[2] && option_list_find(a->list, text + 1, strlen(text + 1)))
        snprintf(a->message, MAX_MESSAGE, "no option '%s'; did you mean '-%s'?", text, text);
    else
        snprintf(a->message, MAX_MESSAGE, "no option '%.100s'; see --help", text);
    return -1;
}

int arguments_parse(arguments *a, const option_list *list, int argc, char **argv) {
    *a = (arguments){.list = list};
    a->given = calloc((size_t)argc + 1, sizeof *a->given);
    a->words = calloc((size_t)argc + 1, sizeof *a->words);
    if (!a->given || !a->words) {
        snprintf(a->message, MAX_MESSAGE, "out of memory");
        return -1;
    }
    int options_end = 0;
    for (int i = 0; i < argc; i++) {
        const char *text = argv[i];
        int failed = 0;
        if (options_end || text[0] != '-' || text[1] == 0)
            a->words[a->word_count++] = text;
        else if (strcmp(text, "--") == 0)
            options_end = 1;
        else if (text[1] == '-') {
            size_t length = strcspn(text + 2, "=");
            const option *o = option_list_find(list, text + 2, length);
            const char *attached = text[2 + length] ? text + 2 + length + 1 : NULL;
            failed = o ? take_option(a, o, attached, argc, argv, &i) : unknown_option(a, text + 2, length);
        } else
            failed = take_short(a, argc, argv, &i);
        if (failed) return -1;
    }
    return 0;
}

void arguments_release(arguments *a) {
    free(a->given);
    free(a->words);
    a->given = NULL;
    a->words = NULL;
}

/* ---- Given options. */
static const option *option_named(const arguments *a, const char *name) {
    const option *o = option_list_find(a->list, name, strlen(name));
    assert(o);
    return o;
}

int option_exists(const arguments *a, const char *name) {
    return option_list_find(a->list, name, strlen(name)) != NULL;
}

size_t option_given(const arguments *a, const char *name) {
    const option *o = option_named(a, name);
    size_t count = 0;
    for (size_t i = 0; i < a->given_count; i++) count += a->given[i].option == o;
    return count;
}

const char *option_text_at(const arguments *a, const char *name, size_t occurrence) {
    const option *o = option_named(a, name);
    for (size_t i = 0; i < a->given_count; i++)
        if (a->given[i].option == o && occurrence-- == 0) return a->given[i].text;
    return NULL;
}

const char *option_text(const arguments *a, const char *name) {
    size_t count = option_given(a, name);
    return count ? option_text_at(a, name, count - 1) : option_named(a, name)->preset;
}

double option_number(const arguments *a, const char *name) {
    double value = 0;
    ruga_number_parse(option_text(a, name), &value);
    return value;
}
int option_whole(const arguments *a, const char *name) { return (int)option_number(a, name); }

size_t option_choice(const arguments *a, const char *name) {
    size_t place = 0;
    read_choice(option_named(a, name), option_text(a, name), &place);
    return place;
}

double option_length(const arguments *a, const char *name) {
    double metres = 1;
    ruga_unit_parse(option_text(a, name), &metres);
    return metres;
}

ruga_vec3 option_vector(const arguments *a, const char *name) {
    double v[3] = {0, 0, 0};
    read_numbers(option_text(a, name), ',', v, 3);
    return (ruga_vec3){v[0], v[1], v[2]};
}

void option_span(const arguments *a, const char *name, double *low, double *high) {
    double v[2] = {0, 0};
    read_numbers(option_text(a, name), ':', v, 2);
    *low = v[0];
    *high = v[1];
}

ruga_colour option_colour(const arguments *a, const char *name) {
    ruga_colour colour = {0, 0, 0};
    read_colour(option_text(a, name), &colour);
    return colour;
}

ruga_colour option_colour_at(const arguments *a, const char *name, size_t occurrence) {
    ruga_colour colour = {0, 0, 0};
    read_colour(option_text_at(a, name, occurrence), &colour);
    return colour;
}

/* ---- Help. */
enum { HELP_COLUMN = 28, HELP_WIDTH = 80 };

/* Prints the words of a line from a column on, wrapped before the right margin. */
static void print_wrapped(const char *text, int column) {
    int at = column;
    while (*text && *text != '\n') {
        int length = (int)strcspn(text, " \n");
        if (at > column && at + 1 + length > HELP_WIDTH) {
            printf("\n%*s", column, "");
            at = column;
        }
        at += printf("%s%.*s", at > column ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    printf("\n");
}

void print_paragraphs(const char *text) {
    while (*text) {
        int length = (int)strcspn(text, "\n");
        if (*text == ' ')
            printf("%.*s\n", length, text);
        else
            print_wrapped(text, 0);
        text += length + (text[length] == '\n');
    }
}

void option_describe(const option *o, char *text, size_t size) {
    char parts[3][256] = {"", "", ""};
    if (o->unit && strcmp(o->unit, "1") != 0) snprintf(parts[0], sizeof parts[0], "%s", o->unit);
    if (o->kind == OPTION_CHOICE || o->kind == OPTION_CHOICES || o->kind == OPTION_SWITCH)
        for (size_t i = 0; o->choices[i]; i++) {
            size_t used = strlen(parts[1]);
            const char *between = i == 0 ? "" : o->kind == OPTION_CHOICES ? ", " : " | ";
            snprintf(parts[1] + used, sizeof parts[1] - used, "%s%s", between, o->choices[i]);
        }
    else if (is_limited(o))
        snprintf(parts[1], sizeof parts[1], "%.9g to %.9g", o->low, o->high);
    if (o->preset) snprintf(parts[2], sizeof parts[2], "default %s", o->preset);
    size_t used = (size_t)snprintf(text, size, "%s", o->help);
    int open = 0;
    for (int i = 0; i < 3 && used < size; i++)
        if (parts[i][0]) used += (size_t)snprintf(text + used, size - used, "%s%s", open++ ? ", " : " (", parts[i]);
    if (open && used < size) snprintf(text + used, size - used, ")");
}

void option_group_print(const option_group *group) {
    printf("\n%s:\n", group->heading);
    for (size_t i = 0; i < group->count; i++) {
        const option *o = &group->options[i];
        char letter[8] = "   ", text[1024];
        if (o->letter) snprintf(letter, sizeof letter, "-%c,", o->letter);
        int used = printf("  %s --%s%s%s", letter, o->name, o->value ? " " : "", o->value ? o->value : "");
        if (used > HELP_COLUMN - 2)
            printf("\n%*s", HELP_COLUMN, "");
        else
            printf("%*s", HELP_COLUMN - used, "");
        option_describe(o, text, sizeof text);
        print_wrapped(text, HELP_COLUMN);
    }
}
