/* ruga new: scenes to start from. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "files.h"

static const option new_options[] = {
    OUTPUT_ROW("FILE", "-", "where to write; - is standard output"),
    {.name = "force", .letter = 'f', .kind = OPTION_FLAG, .help = "overwrite a file that is there"},
};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    option_list_add(list, "Options", new_options, OPTION_COUNT(new_options));
    return 0;
}

static const ruga_scene_template *find_template(const char *name) {
    for (size_t i = 0; i < ruga_scene_template_count(); i++)
        if (strcmp(ruga_scene_template_get(i)->name, name) == 0) return ruga_scene_template_get(i);
    return NULL;
}

static int unknown_kind(session *s, const char *name) {
    const char *names[64];
    size_t count = ruga_scene_template_count() < 64 ? ruga_scene_template_count() : 64;
    for (size_t i = 0; i < count; i++) names[i] = ruga_scene_template_get(i)->name;
    char meant[128];
    suggest(meant, sizeof meant, name, names, count, "");
    return session_error(s, EXIT_USAGE, "no kind of scene '%.100s'%s", name,
                         meant[0] ? meant : "; ruga new lists them");
}

static int list_as_json(session *s) {
    ruga_json_writer *json;
    int code = session_json_begin(s, &json);
    if (code) return code;
    ruga_json_begin_array(json);
    for (size_t i = 0; i < ruga_scene_template_count(); i++) {
        ruga_json_begin_object(json);
        ruga_json_key(json, "name");
        ruga_json_string(json, ruga_scene_template_get(i)->name);
        ruga_json_key(json, "help");
        ruga_json_string(json, ruga_scene_template_get(i)->help);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    return session_json_finish(s, json);
}

static int list_kinds(session *s) {
    if (s->json) return list_as_json(s);
    session_print(s, "Scenes to start from:\n");
    for (size_t i = 0; i < ruga_scene_template_count(); i++)
        session_print(s, "  %-12s%s\n", ruga_scene_template_get(i)->name, ruga_scene_template_get(i)->help);
    session_print(s, "\n'ruga new KIND -o FILE' writes one, with comments that say what everything is for.\n");
    return EXIT_FINE;
}

static int run(session *s, const arguments *a) {
    if (a->word_count == 0) return list_kinds(s);
    if (a->word_count > 1)
        return session_error(s, EXIT_USAGE, "new: one kind at a time; '%s' is one too many (the file goes after -o)",
                             a->words[1]);
    const ruga_scene_template *chosen = find_template(a->words[0]);
    if (!chosen) return unknown_kind(s, a->words[0]);
    const char *path = option_text(a, "output");
    if (strcmp(path, "-") == 0) {
        session_write(s, chosen->text, strlen(chosen->text));
        return EXIT_FINE;
    }
    if (access(path, F_OK) == 0 && !option_given(a, "force"))
        return session_error(s, EXIT_FAILED, "%s: is there already; --force overwrites it", path);
    int code = write_text_file(s, path, chosen->text, strlen(chosen->text));
    if (!code) session_remark(s, "wrote %s: edit it, then 'ruga check %s' and 'ruga run %s'\n", path, path, path);
    return code;
}

const command command_new = {
    .name = "new",
    .summary = "writes a commented scene to start from",
    .usage = "ruga new KIND [-o FILE]",
    .about = "Each kind runs as it is. 'ruga new' alone lists them; without -o the scene goes to standard output.",
    .examples =
        "  ruga new\n"
        "  ruga new flutter -o scene.json\n"
        "  ruga new flutter | ruga run - -o first.run\n",
    .add_options = add_options,
    .run = run,
};
