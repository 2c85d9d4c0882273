/* ruga subdivide: finer meshes. */
#include <string.h>

#include "command.h"
#include "files.h"
#include "report.h"

static const char *const kind_names[] = {"regular", "loop", "long-edges", NULL}; /* in the order of ruga_subdivision */

static const option subdivide_options[] = {
    OUTPUT_ROW("FILE", NULL, "where to write; - is standard output"),
    FORMAT_ROW,
    {.name = "kind",
     .letter = 'k',
     .kind = OPTION_CHOICE,
     .value = "KIND",
     .preset = "regular",
     .choices = kind_names,
     .help = "regular: n parts of each edge, on the same surface; loop: n rounds of Loop's smooth scheme; long-edges: "
             "halve edges until none is longer than --length"},
    {.name = "n",
     .letter = 'n',
     .kind = OPTION_WHOLE,
     .value = "N",
     .preset = "2",
     .low = 0,
     .high = 256,
     .help = "regular: parts of an edge, 1 to 256; loop: rounds, 0 to 8"},
    NUMBER_ROW("length", "L", "m", NULL, 1e-9, 1e9, "long-edges: the maximum length of an edge"),
};

/* The options as a def; options that do not belong to the kind are mistakes. */
static int make_def(session *s, const arguments *a, ruga_subdivide_def *def) {
    *def = ruga_subdivide_def_default();
    def->kind = (ruga_subdivision)option_choice(a, "kind");
    int by_length = def->kind == RUGA_SUBDIVIDE_LONG_EDGES, loop = def->kind == RUGA_SUBDIVIDE_LOOP;
    if (by_length && !option_given(a, "length"))
        return session_error(s, EXIT_USAGE, "subdivide: --kind long-edges needs --length L, in metres");
    if (option_given(a, by_length ? "n" : "length"))
        return session_error(s, EXIT_USAGE, "subdivide: --%s does not go with --kind %s", by_length ? "n" : "length",
                             option_text(a, "kind"));
    def->n = option_whole(a, "n");
    if (loop && def->n > 8)
        return session_error(s, EXIT_USAGE, "subdivide: --n takes 0 to 8 rounds for loop, not %d", def->n);
    if (!loop && def->n < 1) return session_error(s, EXIT_USAGE, "subdivide: --n takes 1 to 256 parts, not %d", def->n);
    if (by_length) def->length = option_number(a, "length");
    return 0;
}

static int report_counts(session *s, const char *path, const ruga_mesh *before, const ruga_mesh *after) {
    static const char *const keys[] = {"before", "after"};
    const ruga_mesh *const meshes[] = {before, after};
    if (strcmp(path, "-") == 0) return 0;
    session_remark(s, "before: %s vertices, %s triangles\n", with_commas(before->vertex_count),
                   with_commas(before->triangle_count));
    session_remark(s, "after:  %s vertices, %s triangles, written to %s\n", with_commas(after->vertex_count),
                   with_commas(after->triangle_count), path);
    if (!s->json) return 0;
    ruga_json_writer *json;
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_object(json);
    ruga_json_put_string(json, "output", path);
    for (int i = 0; i < 2; i++) {
        ruga_json_put_object(json, keys[i]);
        ruga_json_put_count(json, "vertices", meshes[i]->vertex_count);
        ruga_json_put_count(json, "triangles", meshes[i]->triangle_count);
        ruga_json_end_object(json);
    }
    ruga_json_end_object(json);
    return json_finish(s, json);
}

static int run(session *s, const arguments *a) {
    if (a->word_count != 1)
        return session_error(s, EXIT_USAGE, "subdivide: expected one file: ruga subdivide FILE -o OUT");
    const char *path = option_text(a, "output");
    if (!path) return session_error(s, EXIT_USAGE, "subdivide: give the output: -o OUT");
    ruga_subdivide_def def;
    ruga_file_def file = input_def(a), out = file;
    ruga_mesh *coarse = NULL, *fine = NULL;
    out.mesh = NULL;
    int code = make_def(s, a, &def);
    if (!code) code = output_format(s, a, path, &out.format);
    if (!code) code = read_mesh(s, a->words[0], &file, &coarse);
    if (!code) code = output_code(s, ruga_mesh_subdivide(coarse, &def, &fine, NULL));
    if (!code) code = write_mesh(s, fine, NULL, path, &out);
    if (!code) code = report_counts(s, path, coarse, fine);
    ruga_mesh_destroy(fine);
    ruga_mesh_destroy(coarse);
    return code;
}

const command command_subdivide = {
    .name = "subdivide",
    .summary = "refines a mesh: evenly, by Loop's scheme, or at long edges",
    .usage = "ruga subdivide FILE -o OUT [options]",
    .about =
        "The original vertices come first, in their order; the new ones follow. Texture coordinates and other "
        "attributes are carried over.",
    .examples =
        "  ruga subdivide torus.obj -o fine.obj\n"
        "  ruga subdivide torus.obj --kind loop --n 2 -o smooth.ply\n"
        "  ruga subdivide skirt.obj --kind long-edges --length 0.02 -o even.obj\n",
    .groups = {OPTION_GROUP("Options", subdivide_options),
               OPTION_GROUP("Input (the output has the same unit and axis)", input_options)},
    .run = run,
};
