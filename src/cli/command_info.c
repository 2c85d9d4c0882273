/* ruga info: the contents of a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "files.h"
#include "frames.h"
#include "report.h"
#include "runs.h"
#include "selection.h"

static const option info_options[] = {
    TEXT_ROW("select", "TEXT",
             "count and measure the part of the mesh that a selector chooses: 'joint:*Hand', '!group:nails'"),
};

static const char *const domain_names[] = {"vertex", "face", "edge", "corner"};
static const char *const scalar_names[] = {"u8", "i8", "u16", "i16", "u32", "i32", "f32", "f64"};

/* All that is printed about one file. */
typedef struct report {
    const char *path;
    subject who; /* without a mesh if there are several to choose from */
    ruga_mesh_summary summary;
    size_t face_sizes[3]; /* triangles, quads, larger polygons */
    ruga_motion_info motion;
    const char *select; /* the selector; NULL: none */
    selection selected;
    char *choices;                      /* glTF with several meshes: lines "number name triangles"; else NULL */
    char *names[RUGA_FILE_NAMES_COUNT]; /* glTF: lines; else NULL */
} report;

static const char *const list_keys[RUGA_FILE_NAMES_COUNT] = {"animations", "materials", "joints"};

/* ---- Reading. */

/* A name that a file of this content could have: standard input has none. */
static const char *name_of(const char *bytes, size_t size) {
    static const struct {
        const char *start, *name;
    } known[] = {{"glTF", "x.glb"},        {"ply", "x.ply"},         {"{", "x.gltf"},
                 {"POINTCACHE2", "x.pc2"}, {"$MeshFormat", "x.msh"}, {"MeshVersionFormatted", "x.mesh"}};
    while (size > 0 && strchr(" \t\r\n", *bytes)) bytes++, size--;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (size >= strlen(known[i].start) && memcmp(bytes, known[i].start, strlen(known[i].start)) == 0)
            return known[i].name;
    return "x.obj";
}

static int list_names(session *s, report *r, const void *bytes, size_t size) {
    int code = 0;
    for (int i = 0; i < RUGA_FILE_NAMES_COUNT && !code; i++)
        code = input_code(s, ruga_file_list_names(s->context, r->path, bytes, size, (ruga_file_names)i, &r->names[i]));
    return code;
}

/* A mesh alone: a motion is sampled from its file. */
static int read_input(session *s, const arguments *a, report *r) {
    char *bytes = NULL;
    size_t size = 0;
    ruga_file_def def = input_def(a);
    int code = read_standard_input(s, SIZE_MAX, &bytes, &size);
    const char *name = code ? "" : name_of(bytes, size);
    def.format = ruga_format_from_path(name);
    r->path = "standard input";
    if (!code && size == 0) code = session_error(s, EXIT_INPUT, "standard input: is empty; pipe a mesh into it");
    if (!code && def.format == RUGA_FORMAT_PC2)
        code = session_error(s, EXIT_INPUT, "standard input: a cache is read from its file; give its path");
    if (!code) code = input_code(s, ruga_mesh_read_memory(s->context, r->path, bytes, size, &def, &r->who.mesh));
    if (!code && path_is_gltf(name)) code = list_names(s, r, bytes, size);
    free(bytes);
    return code;
}

static int gather(session *s, const arguments *a, report *r) {
    const int is_input = strcmp(r->path, "-") == 0;
    int code = !is_input && path_is_gltf(r->path) ? list_names(s, r, NULL, 0) : 0;
    if (code) return code;
    /* Without --mesh, several meshes are listed instead of refused. */
    if (!is_input && path_is_gltf(r->path) && !option_text(a, "mesh")) {
        code = input_code(s, ruga_file_list_meshes(s->context, r->path, &r->choices));
        const char *newline = code ? NULL : strchr(r->choices, '\n');
        if (code || (newline && newline[1])) return code;
    }
    code = is_input ? read_input(s, a, r) : subject_read(s, a, r->path, NULL, &r->who);
    if (!code) code = output_code(s, ruga_mesh_summarise(r->who.mesh, &r->summary));
    r->select = option_text(a, "select");
    if (!code && r->select) code = selection_find(s, r->path, r->who.mesh, r->select, &r->selected);
    if (code) return code;
    const ruga_mesh *mesh = r->who.mesh;
    if (r->who.motion) r->motion = ruga_motion_get_info(r->who.motion);
    for (size_t f = 0; f < mesh->face_count; f++) {
        uint32_t size = mesh->face_offsets ? mesh->face_offsets[f + 1] - mesh->face_offsets[f] : 3;
        r->face_sizes[size <= 3 ? 0 : size == 4 ? 1 : 2]++;
    }
    return 0;
}

/* ---- Text. */
static void print_faces(session *s, const report *r) {
    const ruga_mesh *mesh = r->who.mesh;
    session_print(s, "  vertices      %s\n", with_commas(mesh->vertex_count));
    session_print(s, "  faces         %s", with_commas(mesh->face_count));
    static const char *const names[] = {"triangles", "quads", "larger polygons"};
    const char *separator = " (";
    for (int i = 0; i < 3; i++)
        if (r->face_sizes[i]) {
            session_print(s, "%s%s %s", separator, with_commas(r->face_sizes[i]), names[i]);
            separator = ", ";
        }
    session_print(s, "%s\n", mesh->face_count ? ")" : "");
    if (mesh->triangle_count != mesh->face_count)
        session_print(s, "  triangles     %s\n", with_commas(mesh->triangle_count));
    session_print(s, "  edges         %s\n", with_commas(r->summary.edges));
    if (mesh->edge_count) session_print(s, "  marked edges  %s\n", with_commas(mesh->edge_count));
    if (mesh->line_count) session_print(s, "  lines         %s\n", with_commas(mesh->line_count));
    if (mesh->tet_count) session_print(s, "  tetrahedra    %s\n", with_commas(mesh->tet_count));
    if (mesh->split_count)
        session_print(s, "  split         %s vertices in the file, cut at seams\n", with_commas(mesh->split_count));
    if (r->summary.loose_vertices)
        session_print(s, "  loose         %s vertices\n", with_commas(r->summary.loose_vertices));
}

static void print_shape(session *s, const report *r) {
    const ruga_mesh_summary *m = &r->summary;
    session_print(s, "  box           %.6g %.6g %.6g to %.6g %.6g %.6g m\n", m->low.x, m->low.y, m->low.z, m->high.x,
                  m->high.y, m->high.z);
    session_print(s, "  size          %.6g x %.6g x %.6g m\n", m->high.x - m->low.x, m->high.y - m->low.y,
                  m->high.z - m->low.z);
    if (r->who.mesh->triangle_count == 0) return;
    session_print(s, "  area          %.6g m²\n", m->area);
    if (m->closed || r->who.mesh->tet_count) session_print(s, "  volume        %.6g m³\n", m->volume);
    session_print(s, "  edge length   %.6g m, from %.6g to %.6g m\n", m->mean_edge, m->shortest_edge, m->longest_edge);
    session_print(s, "  surface       %s, %s, %s\n", m->closed ? "closed" : "open",
                  m->manifold ? "manifold" : "not manifold", m->oriented ? "oriented" : "not oriented");
    session_print(s, "  pieces        %s\n", with_commas(m->components));
    session_print(s, "  borders       %s\n", with_commas(m->boundary_loops));
    session_print(s, "  Euler number  %ld\n", m->euler);
    if (m->genus >= 0) session_print(s, "  genus         %d\n", m->genus);
}

/* "  joints        hip, knee, (2)": those without a name by their number. */
static void print_lists(session *s, const report *r) {
    for (int i = 0; i < RUGA_FILE_NAMES_COUNT; i++) {
        size_t number = 0;
        for (const char *line = r->names[i] ? r->names[i] : ""; *line; number++) {
            const int length = (int)strcspn(line, "\n");
            session_print(s, number ? ", " : "  %-13s ", list_keys[i]);
            if (length > 0)
                session_print(s, "%.*s", length, line);
            else
                session_print(s, "(%zu)", number);
            line += length + 1;
        }
        if (number) session_print(s, "\n");
    }
}

static void print_selection(session *s, const selection *chosen, const ruga_mesh *mesh) {
    session_print(s, "  selected      %s\n", chosen->text);
    session_print(s, "    vertices    %s", with_commas(chosen->vertices));
    session_print(s, " of %s\n", with_commas(mesh->vertex_count));
    session_print(s, "    faces       %s", with_commas(chosen->faces));
    session_print(s, " of %s\n", with_commas(mesh->face_count));
    if (chosen->faces) session_print(s, "    area        %.6g m²\n", chosen->area);
    if (chosen->vertices)
        session_print(s, "    box         %.6g %.6g %.6g to %.6g %.6g %.6g m\n", chosen->low.x, chosen->low.y,
                      chosen->low.z, chosen->high.x, chosen->high.y, chosen->high.z);
}

static void print_report(session *s, const report *r) {
    session_print(s, "%s\n", r->path);
    if (!r->who.mesh) {
        session_print(s, "  several meshes (choose with --mesh): number, name, triangles\n");
        for (const char *line = r->choices; *line;) {
            int length = (int)strcspn(line, "\n");
            session_print(s, "    %.*s\n", length, line);
            line += length + (line[length] == '\n');
        }
        print_lists(s, r);
        return;
    }
    print_faces(s, r);
    print_shape(s, r);
    if (r->who.mesh->attribute_count) session_print(s, "  attributes\n");
    for (size_t i = 0; i < r->who.mesh->attribute_count; i++) {
        const ruga_attribute *a = &r->who.mesh->attributes[i];
        session_print(s, "    %-11s %s x %u per %s, %s values\n", a->name, scalar_names[a->type], a->components,
                      domain_names[a->domain], with_commas(a->count));
        if (!a->label_count) continue;
        session_print(s, "                 ");
        for (size_t k = 0; k < a->label_count && k < 12; k++) session_print(s, " %s", a->labels[k]);
        session_print(s, a->label_count > 12 ? " … (%zu)\n" : "\n", a->label_count);
    }
    print_lists(s, r);
    if (r->select) print_selection(s, &r->selected, r->who.mesh);
    if (!r->who.motion) return;
    session_print(s, "  motion        %.6g s to %.6g s", r->motion.start, r->motion.end);
    if (r->motion.sample_count) session_print(s, ", %s frames", with_commas(r->motion.sample_count));
    if (r->motion.rate > 0) session_print(s, ", %.6g per second", r->motion.rate);
    session_print(s, "\n");
}

/* ---- JSON. */
static void json_shape(ruga_json_writer *json, const report *r) {
    const ruga_mesh *mesh = r->who.mesh;
    const ruga_mesh_summary *m = &r->summary;
    ruga_json_put_count(json, "vertices", mesh->vertex_count);
    ruga_json_put_count(json, "faces", mesh->face_count);
    ruga_json_put_count(json, "triangle_faces", r->face_sizes[0]);
    ruga_json_put_count(json, "quad_faces", r->face_sizes[1]);
    ruga_json_put_count(json, "larger_faces", r->face_sizes[2]);
    ruga_json_put_count(json, "triangles", mesh->triangle_count);
    ruga_json_put_count(json, "edges", m->edges);
    ruga_json_put_count(json, "marked_edges", mesh->edge_count);
    ruga_json_put_count(json, "lines", mesh->line_count);
    ruga_json_put_count(json, "tets", mesh->tet_count);
    ruga_json_put_count(json, "splits", mesh->split_count);
    ruga_json_put_count(json, "loose_vertices", m->loose_vertices);
    json_vector(json, "low", m->low);
    json_vector(json, "high", m->high);
    ruga_json_put_number(json, "area", m->area);
    ruga_json_put_number(json, "volume", m->volume);
    ruga_json_put_number(json, "shortest_edge", m->shortest_edge);
    ruga_json_put_number(json, "mean_edge", m->mean_edge);
    ruga_json_put_number(json, "longest_edge", m->longest_edge);
    ruga_json_put_boolean(json, "closed", m->closed);
    ruga_json_put_boolean(json, "manifold", m->manifold);
    ruga_json_put_boolean(json, "oriented", m->oriented);
    ruga_json_put_count(json, "components", m->components);
    ruga_json_put_count(json, "boundary_loops", m->boundary_loops);
    ruga_json_put_integer(json, "euler", m->euler);
    ruga_json_put_integer(json, "genus", m->genus);
}

static void json_attributes(ruga_json_writer *json, const ruga_mesh *mesh) {
    ruga_json_put_array(json, "attributes");
    for (size_t i = 0; i < mesh->attribute_count; i++) {
        const ruga_attribute *a = &mesh->attributes[i];
        ruga_json_begin_object(json);
        ruga_json_put_string(json, "name", a->name);
        ruga_json_put_string(json, "domain", domain_names[a->domain]);
        ruga_json_put_string(json, "type", scalar_names[a->type]);
        ruga_json_put_integer(json, "components", a->components);
        ruga_json_put_count(json, "count", a->count);
        if (a->label_count) {
            ruga_json_put_array(json, "labels");
            for (size_t k = 0; k < a->label_count; k++) ruga_json_string(json, a->labels[k]);
            ruga_json_end_array(json);
        }
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
}

static void json_names(ruga_json_writer *json, const report *r) {
    for (int i = 0; i < RUGA_FILE_NAMES_COUNT; i++) {
        if (!r->names[i]) continue;
        ruga_json_put_array(json, list_keys[i]);
        for (char *line = r->names[i], *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = 0;
            ruga_json_string(json, line);
            *end = '\n';
        }
        ruga_json_end_array(json);
    }
}

static void json_selection(ruga_json_writer *json, const selection *chosen) {
    ruga_json_put_object(json, "selection");
    ruga_json_put_string(json, "text", chosen->text);
    ruga_json_put_count(json, "vertices", chosen->vertices);
    ruga_json_put_count(json, "faces", chosen->faces);
    ruga_json_put_number(json, "area", chosen->area);
    if (chosen->vertices) {
        json_vector(json, "low", chosen->low);
        json_vector(json, "high", chosen->high);
    }
    ruga_json_end_object(json);
}

static void json_report(ruga_json_writer *json, const report *r) {
    const ruga_motion_info *m = &r->motion;
    ruga_json_begin_object(json);
    ruga_json_put_string(json, "file", r->path);
    if (r->who.mesh) {
        json_shape(json, r);
        json_attributes(json, r->who.mesh);
        if (r->select) json_selection(json, &r->selected);
    } else {
        ruga_json_put_array(json, "meshes");
        for (char *line = strtok(r->choices, "\n"); line; line = strtok(NULL, "\n")) ruga_json_string(json, line);
        ruga_json_end_array(json);
    }
    json_names(json, r);
    if (r->who.motion) {
        ruga_json_put_object(json, "motion");
        ruga_json_put_count(json, "vertices", m->vertex_count);
        ruga_json_put_count(json, "frames", m->sample_count);
        ruga_json_put_number(json, "rate", m->rate);
        ruga_json_put_number(json, "start", m->start);
        ruga_json_put_number(json, "end", m->end);
        ruga_json_end_object(json);
    }
    ruga_json_end_object(json);
}

/* As JSON: an object for one file, an array for several. */
static int run(session *s, const arguments *a) {
    if (a->word_count == 0) return session_error(s, EXIT_USAGE, "info: expected a file: ruga info FILE");
    ruga_json_writer *json = NULL;
    int code = s->json ? json_begin(s, &json) : 0;
    if (code) return code;
    if (json && a->word_count > 1) ruga_json_begin_array(json);
    for (size_t i = 0; i < a->word_count && !code; i++) {
        /* Of a run its progress; the mesh and motion of an object if one is chosen or measured. */
        if (ruga_path_is_run(a->words[i]) && !option_given(a, "mesh") && !option_given(a, "select")) {
            code = run_info(s, a->words[i], json);
            continue;
        }
        report r = {.path = a->words[i]};
        code = gather(s, a, &r);
        if (!code && json)
            json_report(json, &r);
        else if (!code)
            print_report(s, &r);
        subject_release(&r.who);
        ruga_free(s->context, r.choices);
        for (int k = 0; k < RUGA_FILE_NAMES_COUNT; k++) ruga_free(s->context, r.names[k]);
        ruga_free(s->context, r.selected.text);
    }
    if (json && a->word_count > 1) ruga_json_end_array(json);
    if (!code && json) return json_finish(s, json);
    ruga_json_writer_destroy(json);
    return code;
}

const command command_info = {
    .name = "info",
    .summary = "describes a mesh, a cache, an animation or a run",
    .usage = "ruga info FILE|DIR... [options]",
    .about =
        "Prints counts, sizes, topology and attributes of a mesh (OBJ, PLY, glTF, GLB); frames and times of a motion "
        "(PC2, MDD, animated glTF, sequences such as frame_####.obj); the names of animations, materials and joints; "
        "the progress of a run, or one of its objects with --mesh. Lengths are in metres. '-' is standard input: a "
        "mesh. --select measures a part of a mesh; docs/selectors.md explains selectors.",
    .examples =
        "  ruga info skirt.obj\n"
        "  ruga info skirt.obj --unit cm --json\n"
        "  ruga info walk.glb --mesh body\n"
        "  ruga info walk.glb --select 'joint:*Hand* & !material:nails'\n"
        "  ruga info cache.pc2 --rate 30\n"
        "  ruga info flutter.run\n"
        "  ruga make torus -o - --format obj | ruga info -\n",
    .groups = {OPTION_GROUP("Options", info_options), OPTION_GROUP("Input", input_options),
               OPTION_GROUP("Motion", motion_options)},
    .run = run,
};
