/* ruga fill: a closed surface becomes a solid of tets. */
#include <string.h>

#include "command.h"
#include "files.h"
#include "report.h"

static const option fill_options[] = {
    OUTPUT_ROW("FILE", NULL, "where to write: .msh (Gmsh), .mesh (Medit) or .node (TetGen); - is standard output"),
    FORMAT_ROW,
    NUMBER_ROW("spacing", "L", "m", NULL, 1e-9, 1e9,
               "size of the tets: the length of their longest regular edges. Default: about 30 000 tets"),
    {.name = "most-tets",
     .kind = OPTION_WHOLE,
     .value = "N",
     .preset = "40000000",
     .low = 1,
     .high = 1000000000,
     .help = "a spacing that makes more is an error; a million tets take about 60 MB while they are made"},
};

/* Also what is unusual; warnings said what to do. */
static void print_report(session *s, const char *path, const ruga_mesh *tets, const ruga_fill_report *r) {
    session_remark(s, "tets:      %s, with %s vertices and %s triangles on the surface; spacing %.3g m\n",
                   with_commas(tets->tet_count), with_commas(tets->vertex_count), with_commas(tets->triangle_count),
                   r->spacing);
    session_remark(s, "angles:    dihedral angles from %.1f to %.1f degrees\n", r->least_angle, r->most_angle);
    session_remark(s, "volume:    %.6g m³, %+.2g %% from that of the surface\n", r->volume,
                   100 * (r->volume / r->surface_volume - 1));
    session_remark(s, "surface:   its vertices are at most %.2g m from that of the tets\n", r->distance);
    if (r->pieces > 1) session_remark(s, "pieces:    %s, not connected\n", with_commas(r->pieces));
    session_remark(s, "memory:    about %.2g MB\n", (double)r->bytes / 1e6);
    session_remark(s, "written to %s\n", path);
}

static int print_json(session *s, const char *path, const ruga_mesh *tets, const ruga_fill_report *r) {
    ruga_json_writer *json;
    TRY_CODE(json_begin(s, &json));
    ruga_json_begin_object(json);
    ruga_json_put_string(json, "output", path);
    ruga_json_put_count(json, "tets", tets->tet_count);
    ruga_json_put_count(json, "vertices", tets->vertex_count);
    ruga_json_put_count(json, "triangles", tets->triangle_count);
    ruga_json_put_number(json, "spacing", r->spacing);
    ruga_json_put_number(json, "least_angle", r->least_angle);
    ruga_json_put_number(json, "most_angle", r->most_angle);
    ruga_json_put_number(json, "volume", r->volume);
    ruga_json_put_number(json, "surface_volume", r->surface_volume);
    ruga_json_put_number(json, "distance", r->distance);
    ruga_json_put_count(json, "pieces", r->pieces);
    ruga_json_put_count(json, "open_borders", r->open_borders);
    ruga_json_put_count(json, "overlaps", r->overlaps);
    ruga_json_put_count(json, "kept", r->kept);
    ruga_json_put_count(json, "bytes", r->bytes);
    ruga_json_end_object(json);
    return json_finish(s, json);
}

static int fill(session *s, const char *path, const ruga_mesh *surface, const ruga_fill_def *def, ruga_mesh **tets,
                ruga_fill_report *report) {
    ruga_status status = ruga_mesh_fill(surface, def, tets, report);
    if (status == RUGA_ERROR_INPUT)
        return session_error(s, EXIT_INPUT, "%s: %s", path, ruga_context_message(s->context));
    return output_code(s, status);
}

static int run(session *s, const arguments *a) {
    if (a->word_count != 1) return session_error(s, EXIT_USAGE, "fill: expected one file: ruga fill FILE -o OUT");
    const char *path = option_text(a, "output");
    if (!path) return session_error(s, EXIT_USAGE, "fill: give the output: -o OUT");
    ruga_fill_def def = ruga_fill_def_default();
    ruga_fill_report report;
    ruga_file_def file = input_def(a), out = file;
    ruga_mesh *surface = NULL, *tets = NULL;
    out.mesh = NULL;
    if (option_given(a, "spacing")) def.spacing = option_number(a, "spacing");
    def.most_tets = (size_t)option_whole(a, "most-tets");
    int code = output_format(s, a, path, &out.format);
    if (!code) code = read_mesh(s, a->words[0], &file, &surface);
    if (!code) code = fill(s, a->words[0], surface, &def, &tets, &report);
    if (!code) code = write_mesh(s, tets, NULL, path, &out);
    if (!code && strcmp(path, "-") != 0) {
        print_report(s, path, tets, &report);
        if (s->json) code = print_json(s, path, tets, &report);
    }
    ruga_mesh_destroy(tets);
    ruga_mesh_destroy(surface);
    return code;
}

const command command_fill = {
    .name = "fill",
    .summary = "fills a closed surface with tetrahedra",
    .usage = "ruga fill FILE -o OUT [options]",
    .about =
        "The tets are those of a body-centred cubic lattice, fitted to the surface. Its cuts bound the dihedral "
        "angles: a search over random and extreme cuts found 10.6 to 164.8 degrees. Parts and gaps that are narrower "
        "than the spacing are lost, sharp edges are bevelled. Open borders are closed first. The report has the worst "
        "angles, the volume and the distance from the surface.",
    .examples =
        "  ruga make bust -o skin.obj\n"
        "  ruga fill skin.obj --spacing 0.01 -o flesh.msh\n"
        "  ruga fill skin.obj --json -o flesh.mesh\n",
    .groups = {OPTION_GROUP("Options", fill_options),
               OPTION_GROUP("Input (the output has the same unit and axis)", input_options)},
    .run = run,
};
