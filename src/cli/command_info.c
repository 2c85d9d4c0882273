/* ruga info: what a file holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "files.h"
#include "runs.h"

static const char *const domain_names[] = {"vertex", "face", "edge", "corner"};
static const char *const scalar_names[] = {"u8", "i8", "u16", "i16", "u32", "i32", "f32", "f64"};

/* Everything that is said about one file. */
typedef struct report {
    const char *path;
    ruga_mesh *mesh;
    ruga_mesh_summary summary;
    size_t face_sizes[3]; /* triangles, quads, larger polygons */
    ruga_motion *motion;  /* NULL: nothing moves */
    ruga_motion_info motion_info;
    char *choices; /* glTF with several meshes: lines "number name triangles"; else NULL */
} report;

static int add_options(session *s, option_list *list, int argc, char **argv) {
    (void)s, (void)argc, (void)argv;
    option_list_add(list, "Input", input_options, input_option_count);
    option_list_add(list, "Motion", motion_options, motion_option_count);
    return 0;
}

static void count_face_sizes(report *r) {
    const ruga_mesh *mesh = r->mesh;
    for (size_t f = 0; f < mesh->face_count; f++) {
        uint32_t size = mesh->face_offsets ? mesh->face_offsets[f + 1] - mesh->face_offsets[f] : 3;
        r->face_sizes[size <= 3 ? 0 : size == 4 ? 1 : 2]++;
    }
}

static int gather(session *s, const arguments *a, report *r) {
    ruga_file_def def = input_def(a);
    ruga_status status = RUGA_OK;
    /* Several meshes are listed instead of refused when none is chosen. */
    if (path_is_gltf(r->path) && !def.mesh) {
        status = ruga_file_list_meshes(s->context, r->path, &r->choices);
        if (RUGA_FAILED(status)) return session_failed_input(s, status);
        const char *newline = strchr(r->choices, '\n');
        if (newline && newline[1]) return 0;
    }
    int code = read_mesh(s, r->path, &def, &r->mesh);
    if (code) return code;
    count_face_sizes(r);
    status = ruga_mesh_summarise(r->mesh, &r->summary);
    if (RUGA_FAILED(status)) return session_failed_output(s, status);
    code = read_own_motion(s, r->path, r->mesh, &def, &r->motion);
    if (!code && r->motion) r->motion_info = ruga_motion_get_info(r->motion);
    return code;
}

static void release(session *s, report *r) {
    ruga_motion_destroy(r->motion);
    ruga_mesh_destroy(r->mesh);
    ruga_free(s->context, r->choices);
}

/* ---- For people. */
static void print_faces(session *s, const report *r) {
    const ruga_mesh *mesh = r->mesh;
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
    if (r->mesh->triangle_count == 0) return;
    session_print(s, "  area          %.6g m²\n", m->area);
    if (m->closed || r->mesh->tet_count) session_print(s, "  volume        %.6g m³\n", m->volume);
    session_print(s, "  edge length   %.6g m, from %.6g to %.6g m\n", m->mean_edge, m->shortest_edge, m->longest_edge);
    session_print(s, "  surface       %s, %s, %s\n", m->closed ? "closed" : "open",
                  m->manifold ? "manifold" : "not manifold", m->oriented ? "oriented" : "not oriented");
    session_print(s, "  pieces        %s\n", with_commas(m->components));
    session_print(s, "  borders       %s\n", with_commas(m->boundary_loops));
    session_print(s, "  Euler number  %ld\n", m->euler);
    if (m->genus >= 0) session_print(s, "  genus         %d\n", m->genus);
}

static void print_attributes(session *s, const ruga_mesh *mesh) {
    for (size_t i = 0; i < mesh->attribute_count; i++) {
        const ruga_attribute *a = &mesh->attributes[i];
        session_print(s, "    %-11s %s x %u per %s, %s values\n", a->name, scalar_names[a->type], a->components,
                      domain_names[a->domain], with_commas(a->count));
        if (!a->label_count) continue;
        session_print(s, "                 ");
        for (size_t k = 0; k < a->label_count && k < 12; k++) session_print(s, " %s", a->labels[k]);
        session_print(s, a->label_count > 12 ? " … (%zu)\n" : "\n", a->label_count);
    }
}

static void print_motion(session *s, const ruga_motion_info *m) {
    session_print(s, "  motion        %.6g s to %.6g s", m->start, m->end);
    if (m->sample_count) session_print(s, ", %s frames", with_commas(m->sample_count));
    if (m->rate > 0) session_print(s, ", %.6g a second", m->rate);
    session_print(s, "\n");
}

static void print_report(session *s, const report *r) {
    session_print(s, "%s\n", r->path);
    if (!r->mesh) {
        session_print(s, "  several meshes (choose with --mesh): number, name, triangles\n");
        for (const char *line = r->choices; *line;) {
            int length = (int)strcspn(line, "\n");
            session_print(s, "    %.*s\n", length, line);
            line += length + (line[length] == '\n');
        }
        return;
    }
    print_faces(s, r);
    print_shape(s, r);
    if (r->mesh->attribute_count) session_print(s, "  attributes\n");
    print_attributes(s, r->mesh);
    if (r->motion) print_motion(s, &r->motion_info);
}

/* ---- For machines. */
static void json_count(ruga_json_writer *json, const char *key, size_t value) {
    ruga_json_key(json, key);
    ruga_json_integer(json, (int64_t)value);
}

static void json_value(ruga_json_writer *json, const char *key, double value) {
    ruga_json_key(json, key);
    ruga_json_number(json, value);
}

static void json_flag(ruga_json_writer *json, const char *key, int value) {
    ruga_json_key(json, key);
    ruga_json_boolean(json, value);
}

static void json_vector(ruga_json_writer *json, const char *key, ruga_vec3 v) {
    ruga_json_key(json, key);
    ruga_json_begin_array(json);
    ruga_json_number(json, v.x);
    ruga_json_number(json, v.y);
    ruga_json_number(json, v.z);
    ruga_json_end_array(json);
}

static void json_shape(ruga_json_writer *json, const report *r) {
    const ruga_mesh *mesh = r->mesh;
    const ruga_mesh_summary *m = &r->summary;
    json_count(json, "vertices", mesh->vertex_count);
    json_count(json, "faces", mesh->face_count);
    json_count(json, "triangle_faces", r->face_sizes[0]);
    json_count(json, "quad_faces", r->face_sizes[1]);
    json_count(json, "larger_faces", r->face_sizes[2]);
    json_count(json, "triangles", mesh->triangle_count);
    json_count(json, "edges", m->edges);
    json_count(json, "marked_edges", mesh->edge_count);
    json_count(json, "lines", mesh->line_count);
    json_count(json, "tets", mesh->tet_count);
    json_count(json, "splits", mesh->split_count);
    json_count(json, "loose_vertices", m->loose_vertices);
    json_vector(json, "low", m->low);
    json_vector(json, "high", m->high);
    json_value(json, "area", m->area);
    json_value(json, "volume", m->volume);
    json_value(json, "shortest_edge", m->shortest_edge);
    json_value(json, "mean_edge", m->mean_edge);
    json_value(json, "longest_edge", m->longest_edge);
    json_flag(json, "closed", m->closed);
    json_flag(json, "manifold", m->manifold);
    json_flag(json, "oriented", m->oriented);
    json_count(json, "components", m->components);
    json_count(json, "boundary_loops", m->boundary_loops);
    ruga_json_key(json, "euler");
    ruga_json_integer(json, m->euler);
    ruga_json_key(json, "genus");
    ruga_json_integer(json, m->genus);
}

static void json_attributes(ruga_json_writer *json, const ruga_mesh *mesh) {
    ruga_json_key(json, "attributes");
    ruga_json_begin_array(json);
    for (size_t i = 0; i < mesh->attribute_count; i++) {
        const ruga_attribute *a = &mesh->attributes[i];
        ruga_json_begin_object(json);
        ruga_json_key(json, "name");
        ruga_json_string(json, a->name);
        ruga_json_key(json, "domain");
        ruga_json_string(json, domain_names[a->domain]);
        ruga_json_key(json, "type");
        ruga_json_string(json, scalar_names[a->type]);
        json_count(json, "components", a->components);
        json_count(json, "count", a->count);
        if (a->label_count) {
            ruga_json_key(json, "labels");
            ruga_json_begin_array(json);
            for (size_t k = 0; k < a->label_count; k++) ruga_json_string(json, a->labels[k]);
            ruga_json_end_array(json);
        }
        ruga_json_end_object(json);
    }
    ruga_json_end_array(json);
}

static void json_motion(ruga_json_writer *json, const ruga_motion_info *m) {
    ruga_json_key(json, "motion");
    ruga_json_begin_object(json);
    json_count(json, "vertices", m->vertex_count);
    json_count(json, "frames", m->sample_count);
    json_value(json, "rate", m->rate);
    json_value(json, "start", m->start);
    json_value(json, "end", m->end);
    ruga_json_end_object(json);
}

static void json_report(ruga_json_writer *json, const report *r) {
    ruga_json_begin_object(json);
    ruga_json_key(json, "file");
    ruga_json_string(json, r->path);
    if (r->mesh) {
        json_shape(json, r);
        json_attributes(json, r->mesh);
        if (r->motion) json_motion(json, &r->motion_info);
    } else {
        ruga_json_key(json, "meshes");
        ruga_json_begin_array(json);
        for (char *line = strtok(r->choices, "\n"); line; line = strtok(NULL, "\n")) ruga_json_string(json, line);
        ruga_json_end_array(json);
    }
    ruga_json_end_object(json);
}

/* One file in one go: an object for one, an array for several. */
static int run(session *s, const arguments *a) {
    if (a->word_count == 0) return session_error(s, EXIT_USAGE, "info: which file? ruga info FILE");
    ruga_json_writer *json = NULL;
    int code = s->json ? session_json_begin(s, &json) : 0;
    if (code) return code;
    if (json && a->word_count > 1) ruga_json_begin_array(json);
    for (size_t i = 0; i < a->word_count && !code; i++) {
        if (ruga_path_is_run(a->words[i])) {
            code = run_info(s, a->words[i], json);
            continue;
        }
        report r = {.path = a->words[i]};
        code = gather(s, a, &r);
        if (!code && json)
            json_report(json, &r);
        else if (!code)
            print_report(s, &r);
        release(s, &r);
    }
    if (json && a->word_count > 1) ruga_json_end_array(json);
    if (!code && json) return session_json_finish(s, json);
    ruga_json_writer_destroy(json);
    return code;
}

const command command_info = {
    .name = "info",
    .summary = "says what a mesh, a cache, an animation or a run holds",
    .usage = "ruga info FILE|DIR... [options]",
    .about =
        "Counts, sizes, topology and attributes of a mesh (OBJ, PLY, glTF, GLB); frames and times of what moves\n"
        "(PC2, MDD, animated glTF, numbered sequences such as frame_####.obj); how far a run has come. Lengths are "
        "metres.",
    .examples =
        "  ruga info skirt.obj\n"
        "  ruga info skirt.obj --unit cm --json\n"
        "  ruga info walk.glb --mesh body\n"
        "  ruga info cache.pc2 --rate 30\n"
        "  ruga info flutter.run\n",
    .add_options = add_options,
    .run = run,
};
