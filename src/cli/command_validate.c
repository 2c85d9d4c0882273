/* ruga validate: every defect of a mesh. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "files.h"

static const option validate_options[] = {
    {.name = "all", .letter = 'a', .kind = OPTION_FLAG, .help = "list every defect, not only the first of each kind"},
    {.name = "first",
     .kind = OPTION_WHOLE,
     .value = "N",
     .preset = "5",
     .low = 0,
     .high = 1e9,
     .help = "how many of each kind to list"},
    {.name = "strict", .kind = OPTION_FLAG, .help = "notes (loose and duplicate vertices) count as defects too"},
};

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    option_list_add(list, "Options", validate_options, OPTION_COUNT(validate_options));
    option_list_add(list, "Input", input_options, input_option_count);
    return 0;
}

/* Loose and duplicate vertices break nothing: they are notes. */
static int is_note(ruga_defect_kind kind) {
    return kind == RUGA_DEFECT_LOOSE_VERTEX || kind == RUGA_DEFECT_DUPLICATE_VERTEX;
}

/* "vertex 7, where vertex 3 is": which element, in words; elements count from 0. */
static void describe_defect(const ruga_defect *d, char *text, size_t size) {
    switch (d->kind) {
        case RUGA_DEFECT_NOT_FINITE:
        case RUGA_DEFECT_LOOSE_VERTEX:
        case RUGA_DEFECT_NON_MANIFOLD_VERTEX: snprintf(text, size, "vertex %zu", d->element); return;
        case RUGA_DEFECT_DUPLICATE_VERTEX:
            snprintf(text, size, "vertex %zu, in the place of vertex %zu", d->element, d->other);
            return;
        case RUGA_DEFECT_DEGENERATE_FACE: snprintf(text, size, "face %zu", d->element); return;
        case RUGA_DEFECT_DUPLICATE_FACE:
            snprintf(text, size, "face %zu, the same as face %zu", d->element, d->other);
            return;
        case RUGA_DEFECT_NON_MANIFOLD_EDGE:
        case RUGA_DEFECT_ORIENTATION:
            snprintf(text, size, "edge between vertices %zu and %zu", d->element, d->other);
            return;
        case RUGA_DEFECT_INVERTED_TET: snprintf(text, size, "tetrahedron %zu", d->element); return;
        case RUGA_DEFECT_KIND_COUNT: break;
    }
    snprintf(text, size, "element %zu", d->element);
}

static size_t count_serious(const ruga_validation *v, int strict) {
    size_t count = 0;
    for (int k = 0; k < RUGA_DEFECT_KIND_COUNT; k++)
        if (strict || !is_note((ruga_defect_kind)k)) count += v->counts[k];
    return count;
}

static void print_kind(session *s, const ruga_validation *v, ruga_defect_kind kind, size_t first, int strict) {
    session_remark(s, "  %s: %s%s\n", ruga_defect_name(kind), with_commas(v->counts[kind]),
                   is_note(kind) && !strict ? " (note)" : "");
    size_t listed = 0;
    for (size_t i = 0; i < v->defect_count && listed < first; i++)
        if (v->defects[i].kind == kind) {
            char text[128];
            describe_defect(&v->defects[i], text, sizeof text);
            session_remark(s, "    %s\n", text);
            listed++;
        }
    if (listed < v->counts[kind] && first > 0)
        session_remark(s, "    … and %s more (--all)\n", with_commas(v->counts[kind] - listed));
}

static void print_validation(session *s, const char *path, const ruga_validation *v, size_t first, int strict) {
    size_t serious = count_serious(v, strict);
    if (serious == 0)
        session_remark(s, "%s: sound\n", path);
    else
        session_remark(s, "%s: %s %s\n", path, with_commas(serious), serious == 1 ? "defect" : "defects");
    for (int k = 0; k < RUGA_DEFECT_KIND_COUNT; k++)
        if (v->counts[k]) print_kind(s, v, (ruga_defect_kind)k, first, strict);
}

static void json_validation(ruga_json_writer *json, const char *path, const ruga_validation *v, size_t first,
                            int strict) {
    ruga_json_begin_object(json);
    ruga_json_key(json, "file");
    ruga_json_string(json, path);
    ruga_json_key(json, "sound");
    ruga_json_boolean(json, count_serious(v, strict) == 0);
    ruga_json_key(json, "counts");
    ruga_json_begin_object(json);
    for (int k = 0; k < RUGA_DEFECT_KIND_COUNT; k++) {
        ruga_json_key(json, ruga_defect_name((ruga_defect_kind)k));
        ruga_json_integer(json, (int64_t)v->counts[k]);
    }
    ruga_json_end_object(json);
    ruga_json_key(json, "defects");
    ruga_json_begin_array(json);
    size_t listed[RUGA_DEFECT_KIND_COUNT] = {0};
    for (size_t i = 0; i < v->defect_count; i++) {
        const ruga_defect *d = &v->defects[i];
        if (listed[d->kind]++ >= first) continue;
        char text[128];
        describe_defect(d, text, sizeof text);
        ruga_json_begin_object(json);
        ruga_json_key(json, "kind");
        ruga_json_string(json, ruga_defect_name(d->kind));
        ruga_json_key(json, "element");
        ruga_json_integer(json, (int64_t)d->element);
        ruga_json_key(json, "where");
        ruga_json_string(json, text);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    ruga_json_end_object(json);
}

static int report_validation(session *s, const arguments *a, const char *path, const ruga_validation *v) {
    int strict = option_given(a, "strict") > 0;
    size_t first = option_given(a, "all") ? SIZE_MAX : (size_t)option_number(a, "first");
    if (s->json) {
        ruga_json_writer *json;
        int code = session_json_begin(s, &json);
        if (code) return code;
        json_validation(json, path, v, first, strict);
        code = session_json_finish(s, json);
        if (code) return code;
    }
    print_validation(s, path, v, first, strict);
    return count_serious(v, strict) ? EXIT_INPUT : EXIT_FINE;
}

static int run(session *s, const arguments *a) {
    if (a->word_count != 1) return session_error(s, EXIT_USAGE, "validate: wants one file: ruga validate FILE");
    ruga_file_def def = input_def(a);
    ruga_mesh *mesh = NULL;
    int code = read_mesh(s, a->words[0], &def, &mesh);
    if (code) return code;
    ruga_validation *validation = NULL;
    ruga_status status = ruga_mesh_validate(mesh, &validation);
    if (RUGA_FAILED(status))
        code = session_failed_output(s, status);
    else
        code = report_validation(s, a, a->words[0], validation);
    ruga_validation_destroy(mesh, validation);
    ruga_mesh_destroy(mesh);
    return code;
}

const command command_validate = {
    .name = "validate",
    .summary = "lists the defects of a mesh",
    .usage = "ruga validate FILE [options]",
    .about =
        "Lists degenerate and duplicate faces, non-manifold edges and vertices, inconsistent orientation,\n"
        "inverted tetrahedra and positions that are no numbers. Elements count from 0.\n"
        "Loose and duplicate vertices break nothing and are notes.\n"
        "Exit code 0: sound (there may be notes); 3: defects, or a file that can't be read.\n"
        "With --quiet the exit code is the whole answer.",
    .examples =
        "  ruga validate skirt.obj\n"
        "  ruga validate skirt.obj --all --json\n"
        "  ruga validate --quiet skirt.obj && echo sound\n",
    .add_options = add_options,
    .run = run,
};
