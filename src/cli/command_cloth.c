/* ruga cloth: a flag, a curtain or a tablecloth from options alone, through a scene in memory. */
#include <stdio.h>
#include <string.h>

#include "cloth_scenes.h"
#include "command.h"
#include "files.h"
#include "runner.h"

static const option cloth_options[] = {
    OUTPUT_ROW("DIR|FILE", NULL,
               "a directory to run in, an animated file (.glb, .usda, .pc2 with an .obj beside it, frame_####.obj), or "
               "a scene (.json) to go on from; KIND.run if not given"),
    {.name = "replace", .kind = OPTION_FLAG, .help = "begin anew where there is a run already; what it wrote goes"},
};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    option_list_add(list, "Options", cloth_options, OPTION_COUNT(cloth_options));
    cloth_scene_add_options(list);
    return 0;
}

static int unknown_kind(session *s, const char *name) {
    const char *names[8];
    for (size_t i = 0; i < cloth_scene_count; i++) names[i] = cloth_scenes[i].name;
    char meant[128];
    suggest(meant, sizeof meant, name, names, cloth_scene_count, "");
    return session_error(s, EXIT_USAGE, "no kind of cloth '%.100s'%s", name,
                         meant[0] ? meant : "; there are flag, curtain and tablecloth");
}

static void print_kinds(void) {
    printf("Kinds:\n");
    for (size_t i = 0; i < cloth_scene_count; i++) printf("  %-12s%s\n", cloth_scenes[i].name, cloth_scenes[i].help);
}

static int list_kinds(session *s) {
    if (!s->json) {
        print_kinds();
        session_print(s, "\n'ruga cloth KIND' runs one, 'ruga cloth --help' lists what can be changed.\n");
        return EXIT_FINE;
    }
    ruga_json_writer *json;
    int code = session_json_begin(s, &json);
    if (code) return code;
    ruga_json_begin_array(json);
    for (size_t i = 0; i < cloth_scene_count; i++) {
        ruga_json_begin_object(json);
        ruga_json_key(json, "name");
        ruga_json_string(json, cloth_scenes[i].name);
        ruga_json_key(json, "help");
        ruga_json_string(json, cloth_scenes[i].help);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    return session_json_finish(s, json);
}

static int ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), n = strlen(ending);
    return length > n && strcmp(path + length - n, ending) == 0;
}

static int write_scene(session *s, const ruga_description *description, const char *path) {
    char *text = NULL;
    size_t size = 0;
    ruga_status status = ruga_description_write_memory(description, &text, &size);
    if (RUGA_FAILED(status)) return session_failed_output(s, status);
    int code = write_text_file(s, path, text, size);
    ruga_free(s->context, text);
    if (!code) session_remark(s, "wrote %s: 'ruga run %s' runs it\n", path, path);
    return code;
}

static int make(session *s, const arguments *a, const cloth_scene *kind, const ruga_description *description) {
    const char *path = option_text(a, "output");
    char named[64];
    snprintf(named, sizeof named, "%s.run", kind->name);
    if (!path) path = named;
    int is_file = ruga_format_from_path(path) != RUGA_FORMAT_AUTO, is_scene = ends_in(path, ".json");
    if (!is_file && !is_scene) return run_description(s, kind->name, description, path, option_given(a, "replace") > 0);
    int code = report_findings(s, kind->name, description);
    if (code) return code;
    return is_scene ? write_scene(s, description, path) : run_to_file(s, description, kind->name, path);
}

static int run(session *s, const arguments *a) {
    if (a->word_count == 0) return list_kinds(s);
    if (a->word_count > 1)
        return session_error(s, EXIT_USAGE, "cloth: one kind at a time; '%s' is one too many (the file goes after -o)",
                             a->words[1]);
    const cloth_scene *kind = cloth_scene_find(a->words[0]);
    if (!kind) return unknown_kind(s, a->words[0]);
    ruga_description *description = NULL;
    int code = cloth_scene_describe(s, a, kind, &description);
    if (code) return code;
    code = make(s, a, kind, description);
    ruga_description_destroy(description);
    return code;
}

static void print_help(const command *c, const option_list *list) {
    command_print_help(c, list);
    printf("\n");
    print_kinds();
}

const command command_cloth = {
    .name = "cloth",
    .summary = "a flag, a curtain or a tablecloth, from options alone",
    .usage = "ruga cloth KIND [-o DIR|FILE] [options]",
    .about =
        "Makes a scene with cloth from options and runs it, as 'ruga run' does. What is not given is as in the scene\n"
        "that 'ruga new KIND' writes. A flag is softer against stretching than its --material,\n"
        "unless --stretch says otherwise; docs/cloth.md says why, and what all the numbers mean.",
    .examples =
        "  ruga cloth flag --wind 8,0,2 --gust 0.4 -o flag.glb\n"
        "  ruga cloth flag --wave --width 1.5 --height 1 --columns 9 --rows 9 --spline 50 -o flag.run\n"
        "  ruga cloth curtain --rings 9 --material silk --frames 120\n"
        "  ruga cloth tablecloth --table 1.2,0.75,0.8 -o tablecloth.pc2\n"
        "  ruga cloth tablecloth --integrator explicit --substeps 400 -o scene.json\n",
    .add_options = add_options,
    .run = run,
    .print_help = print_help,
};
