/* Demo: runs the command lines of items in the demo's folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "demo.h"

enum { MAX_LINE = 1024, MAX_WORDS = 64 };

/* Options that the page does not show: to replace an earlier demo, and for drafts. */
typedef struct addition {
    const char *command, *always, *draft;
} addition;
static const addition additions[] = {
    {"new", " --force", ""},
    {"cloth", " --replace", " --frames 3 --preroll 0"},
    {"run", " --replace", " --frames 3 --set time.preroll=0"},
    {"sweep", " --replace --progress none", ""},
    {"render", "", " --width 240 --height 135 --samples 1 --occlusion 0 --frame 2"},
};

/* Cuts a line into words at spaces; '…' and "…" keep them together. Returns how many. */
static int split_words(char *line, char **words) {
    int count = 0;
    for (char *at = line; *at && count < MAX_WORDS;) {
        at += strspn(at, " ");
        if (!*at) break;
        char *to = at, quote = 0;
        words[count++] = to;
        for (; *at && (quote || *at != ' '); at++)
            if (quote ? *at == quote : *at == '\'' || *at == '"')
                quote = quote ? 0 : *at;
            else
                *to++ = *at;
        if (*at) at++;
        *to = 0;
    }
    return count;
}

static int run_words(session *s, int count, char **words) {
    const command *c = count > 1 ? command_find(words[1]) : NULL;
    if (!c) return session_error(s, EXIT_FAILED, "unknown command '%s' in the demo", words[1]);
    option_list list = {0};
    int code = command_list_options(s, c, &list, count - 2, words + 2);
    if (code) return code;
    arguments a;
    if (arguments_parse(&a, &list, count - 2, words + 2))
        code = session_error(s, EXIT_FAILED, "the demo's %s: %s", c->name, a.message);
    else
        code = c->run(s, &a);
    arguments_release(&a);
    return code;
}

/* Where no film is made, it becomes a picture of a moment; a film gets a poster as well. */
static int make_still(demo *d, char line[MAX_LINE]);

static int run_line(demo *d, const char *text, size_t length) {
    char line[MAX_LINE], *words[MAX_WORDS];
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    TRY_CODE(make_still(d, line));
    for (size_t i = 0; i < sizeof additions / sizeof additions[0]; i++) {
        const char *name = additions[i].command;
        if (strncmp(line + strlen("ruga "), name, strlen(name)) != 0 || line[strlen("ruga ") + strlen(name)] != ' ')
            continue;
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s%s", additions[i].always, d->draft ? additions[i].draft : "");
    }
    return run_words(d->s, split_words(line, words), words);
}

static int make_still(demo *d, char line[MAX_LINE]) {
    char *ending = strstr(line, ".mp4");
    if (!ending) return 0;
    char poster[MAX_LINE];
    const char *frame = d->draft ? "" : " --frame 30";
    snprintf(poster, sizeof poster, "%.*s-poster.png%s%s", (int)(ending - line), line, ending + strlen(".mp4"), frame);
    if (demo_has_films(d)) return run_line(d, poster, strlen(poster));
    memcpy(ending, ".png", strlen(".png"));
    snprintf(line + strlen(line), MAX_LINE - strlen(line), "%s", frame);
    return 0;
}

int demo_commands(demo *d, const char *lines) {
    int here = open(".", O_RDONLY | O_DIRECTORY), quiet = d->s->quiet, json = d->s->json;
    if (here < 0 || chdir(d->folder) != 0) {
        int code = session_error(d->s, EXIT_FAILED, "%s: can't change into the folder: %s", d->folder, strerror(errno));
        if (here >= 0) close(here);
        return code;
    }
    d->s->quiet = 1;
    d->s->json = 0;
    int code = 0;
    for (const char *at = lines; *at && !code;) {
        size_t length = strcspn(at, "\n");
        code = run_line(d, at, length);
        at += length + (at[length] == '\n');
    }
    d->s->quiet = quiet;
    d->s->json = json;
    if (fchdir(here) != 0 && !code)
        code = session_error(d->s, EXIT_FAILED, "can't change back from %s: %s", d->folder, strerror(errno));
    close(here);
    return code;
}
