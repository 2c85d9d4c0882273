/* ruga new: example scenes to start from. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "files.h"
#include "report.h"

static const option new_options[] = {
    OUTPUT_ROW("FILE", "-", "where to write; - is standard output"),
    FLAG_ROW("force", 'f', "overwrite an existing file"),
};

enum { MAX_TEMPLATES = 64 };

static int run(session *s, const arguments *a) {
    named kinds[MAX_TEMPLATES];
    const char *names[MAX_TEMPLATES];
    const ruga_scene_template *chosen = NULL;
    size_t count = ruga_scene_template_count() < MAX_TEMPLATES ? ruga_scene_template_count() : MAX_TEMPLATES;
    for (size_t i = 0; i < count; i++) {
        const ruga_scene_template *t = ruga_scene_template_get(i);
        kinds[i] = (named){t->name, t->help};
        names[i] = t->name;
        if (a->word_count && strcmp(t->name, a->words[0]) == 0) chosen = t;
    }
    if (a->word_count == 0)
        return report_names(s, "Scenes to start from", kinds, count,
                            "'ruga new KIND -o FILE' writes one, with comments.");
    if (a->word_count > 1)
        return session_error(s, EXIT_USAGE, "new: expected one kind, but also got '%s' (give the file with -o)",
                             a->words[1]);
    if (!chosen) return session_unknown(s, "kind of scene", a->words[0], names, count);

    const char *path = option_text(a, "output");
    if (strcmp(path, "-") == 0) {
        session_write(s, chosen->text, strlen(chosen->text));
        return EXIT_FINE;
    }
    if (access(path, F_OK) == 0 && !option_given(a, "force"))
        return session_error(s, EXIT_FAILED, "%s: exists already; --force overwrites it", path);
    int code = write_text_file(s, path, chosen->text, strlen(chosen->text));
    if (!code) session_remark(s, "wrote %s: edit it, then 'ruga check %s' and 'ruga run %s'\n", path, path, path);
    return code;
}

static int template_word(size_t i, const char **name, const char **help) {
    if (i >= ruga_scene_template_count()) return 0;
    *name = ruga_scene_template_get(i)->name;
    *help = ruga_scene_template_get(i)->help;
    return 1;
}

const command command_new = {
    .name = "new",
    .summary = "writes a commented scene to start from",
    .usage = "ruga new KIND [-o FILE]",
    .about =
        "Every kind runs without changes. 'ruga new' alone lists the kinds; without -o, the scene goes to standard "
        "output.",
    .examples =
        "  ruga new\n"
        "  ruga new flutter -o scene.json\n"
        "  ruga new flutter | ruga run - -o first.run\n",
    .groups = {OPTION_GROUP("Options", new_options)},
    .word = template_word,
    .run = run,
};
