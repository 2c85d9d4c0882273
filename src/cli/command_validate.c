/* ruga validate: every defect of a mesh. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "files.h"
#include "report.h"

static const option validate_options[] = {
    FLAG_ROW("all", 'a', "list every defect"),
    WHOLE_ROW("first", "N", NULL, "5", 0, 1e9, "how many defects of each kind to list"),
    FLAG_ROW("strict", 0, "count notes (loose and duplicate vertices) as defects"),
};

/* Loose and duplicate vertices are harmless, so they are notes. */
static int is_note(ruga_defect_kind kind) {
    return kind == RUGA_DEFECT_LOOSE_VERTEX || kind == RUGA_DEFECT_DUPLICATE_VERTEX;
}

/* "vertex 7, in the place of vertex 3". Elements count from 0. */
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

static int json_validation(session *s, const char *path, const ruga_validation *v, size_t first, int strict) {
    ruga_json_writer *json;
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_object(json);
    ruga_json_put_string(json, "file", path);
    ruga_json_put_boolean(json, "sound", count_serious(v, strict) == 0);
    ruga_json_put_object(json, "counts");
    for (int k = 0; k < RUGA_DEFECT_KIND_COUNT; k++)
        ruga_json_put_count(json, ruga_defect_name((ruga_defect_kind)k), v->counts[k]);
    ruga_json_end_object(json);
    ruga_json_put_array(json, "defects");
    size_t listed[RUGA_DEFECT_KIND_COUNT] = {0};
    for (size_t i = 0; i < v->defect_count; i++) {
        const ruga_defect *d = &v->defects[i];
        if (listed[d->kind]++ >= first) continue;
        char text[128];
        describe_defect(d, text, sizeof text);
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "kind", ruga_defect_name(d->kind));
        ruga_json_put_count(json, "element", d->element);
        ruga_json_put_string(json, "where", text);
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
    ruga_json_end_object(json);
    return json_finish(s, json);
}

static int run(session *s, const arguments *a) {
    if (a->word_count != 1) return session_error(s, EXIT_USAGE, "validate: expected one file: ruga validate FILE");
    ruga_file_def def = input_def(a);
    ruga_mesh *mesh = NULL;
    TRY_CODE(read_mesh(s, a->words[0], &def, &mesh));
    ruga_validation *found = NULL;
    int code = output_code(s, ruga_mesh_validate(mesh, &found));
    if (!code) {
        int strict = option_given(a, "strict") > 0;
        size_t first = option_given(a, "all") ? SIZE_MAX : (size_t)option_number(a, "first");
        if (s->json) code = json_validation(s, a->words[0], found, first, strict);
        print_validation(s, a->words[0], found, first, strict);
        if (!code && count_serious(found, strict)) code = EXIT_INPUT;
    }
    ruga_validation_destroy(mesh, found);
    ruga_mesh_destroy(mesh);
    return code;
}

const command command_validate = {
    .name = "validate",
    .summary = "lists the defects of a mesh",
    .usage = "ruga validate FILE [options]",
    .about =
        "Lists degenerate and duplicate faces, non-manifold edges and vertices, inconsistent orientation, inverted "
        "tetrahedra and positions that are not finite. Elements count from 0. Loose and duplicate vertices are "
        "harmless; they are notes.\n"
        "Exit code 0: sound (there may be notes); 3: defects, or a file that can't be read. With --quiet, the exit "
        "code is the only result.",
    .examples =
        "  ruga validate skirt.obj\n"
        "  ruga validate skirt.obj --all --json\n"
        "  ruga validate --quiet skirt.obj && echo sound\n",
    .groups = {OPTION_GROUP("Options", validate_options), OPTION_GROUP("Input", input_options)},
    .run = run,
};
