/* The entries of reading glTF: a mesh, the list of meshes.
 *
 * A mesh is read as a viewer shows the file when no animation plays: nodes as they stand, the skin posed by them, morph
 * targets by the weights that the file sets. */
#include <stdio.h>
#include <string.h>

#include "io/gltf.h"
#include "linalg/map.h"
#include "math/vec3.h"

/* The file's numbers are finite, but their products need not be. */
static ruga_status check_pose(const gltf_document *doc, const gltf_rig *rig) {
    gltf_matrix matrix = gltf_matrix_identity();
    if (rig->joint_count == 0) matrix = gltf_rig_vertex_matrix(rig, 0);
    const int stands = rig->joint_count == 0 && rig->target_count == 0 && gltf_matrix_is_identity(&matrix);
    if (stands) return RUGA_OK;
    for (size_t v = 0; v < rig->vertex_count; v++)
        if (!vec3_is_finite(rig->positions[v]))
            return gltf_fail(doc, NULL,
                             "the transforms of nodes move vertex %zu to (%g, %g, %g), which is not finite; "
                             "look for a scale that is too large",
                             v, rig->positions[v].x, rig->positions[v].y, rig->positions[v].z);
    return RUGA_OK;
}

/* Each vertex is its own row. */
static ruga_status give_file_rows(const gltf_document *doc, const gltf_surface *surface, mesh_parts *parts) {
    map_builder rows;
    if (gltf_own_targets(doc, surface) == 0) return RUGA_OK;
    TRY(map_builder_make(doc->context, parts->vertex_count, parts->vertex_count, &rows));
    for (uint32_t v = 0; v < parts->vertex_count; v++) {
        map_builder_put(&rows, v, 1);
        map_builder_end_row(&rows);
    }
    return map_builder_finish_rising(&rows, parts->vertex_count, &parts->file_rows);
}

static ruga_status fill_parts(gltf_document *doc, const gltf_surface *surface, gltf_rig *rig, mesh_parts *parts) {
    gltf_rig_pose(rig, rig->weights, rig->positions);
    TRY(check_pose(doc, rig));
    int flip = 0;
    if (rig->joint_count == 0) {
        gltf_matrix matrix = gltf_rig_vertex_matrix(rig, 0);
        flip = gltf_matrix_determinant(&matrix) < 0;
    }
    parts->vertex_count = rig->vertex_count;
    parts->positions = rig->positions;
    rig->positions = NULL;
    TRY(gltf_read_faces(doc, surface, flip, parts));
    TRY(gltf_read_attributes(doc, surface, rig, parts));
    TRY(give_file_rows(doc, surface, parts));
    return gltf_rig_give_joints(doc, rig, parts);
}

/* ---- A file from which a mesh, its motion or both are read. */

static ruga_status open_surface(gltf_file *f, const ruga_file_def *def) {
    TRY(gltf_scene_open(&f->doc, &f->scene));
    TRY(gltf_scene_choose(&f->doc, &f->scene, def ? def->mesh : NULL, &f->choice));
    int skinned = f->choice.node != GLTF_NONE && f->scene.nodes[f->choice.node].skin != GLTF_NONE;
    return gltf_surface_open(&f->doc, f->choice.mesh, skinned, &f->surface);
}

ruga_status gltf_file_open(const io_source *source, gltf_file *f) {
    *f = (gltf_file){0};
    TRY(gltf_document_open(source, &f->doc));
    ruga_status status = open_surface(f, source->def);
    if (RUGA_FAILED(status)) gltf_file_close(f);
    return status;
}

void gltf_file_close(gltf_file *f) {
    if (!f->doc.context) return;
    gltf_surface_close(&f->doc, &f->surface);
    gltf_scene_close(f->doc.context, &f->scene);
    gltf_document_close(&f->doc);
    *f = (gltf_file){0};
}

ruga_status gltf_file_rig(gltf_file *f, gltf_targets targets, int last, gltf_rig *rig) {
    ruga_vec3 *positions = NULL;
    /* The rig takes scene and positions over: a second one gets its own. */
    if (!last) TRY(NEW_COPY(f->doc.context, &positions, f->surface.positions, f->surface.vertex_count));
    ruga_status status = gltf_rig_open(&f->doc, &f->scene, f->choice, &f->surface, targets, rig);
    f->surface.positions = positions;
    if (!RUGA_FAILED(status) && !last) {
        status = gltf_scene_open(&f->doc, &f->scene);
        if (RUGA_FAILED(status)) gltf_rig_close(rig);
    }
    return status;
}

ruga_status gltf_file_mesh(gltf_file *f, int last, mesh_parts *parts) {
    gltf_rig rig;
    TRY(gltf_file_rig(f, GLTF_TARGETS_AT_REST, last, &rig));
    ruga_status status = fill_parts(&f->doc, &f->surface, &rig, parts);
    gltf_rig_close(&rig);
    f->doc.charged = 0; /* the limit is for each thing that is read */
    return status;
}

ruga_status gltf_read(const io_source *source, mesh_parts *parts) {
    gltf_file f;
    TRY(gltf_file_open(source, &f));
    ruga_status status = gltf_file_mesh(&f, 1, parts);
    gltf_file_close(&f);
    return status;
}

/* ---- The list. */

/* Triangles of a mesh by its accessors' counts; what can't be understood counts as none. */
static uint64_t count_triangles(const gltf_document *doc, uint32_t mesh) {
    const json_value *list = json_member(gltf_item(doc, "meshes", mesh), "primitives");
    uint64_t triangles = 0;
    for (const json_value *p = list && list->type == JSON_ARRAY ? list->first : NULL; p; p = p->next) {
        const json_value *index = json_member(p, "indices");
        int64_t accessor, mode = 4, count;
        if (!index) index = json_member(json_member(p, "attributes"), "POSITION");
        if (json_member(p, "mode") && !json_whole(json_member(p, "mode"), 0, 6, &mode)) continue;
        if (!json_whole(index, 0, 4294967294.0, &accessor)) continue;
        const json_value *json = gltf_item(doc, "accessors", (uint32_t)accessor);
        if (!json_whole(json_member(json, "count"), 3, 4294967294.0, &count)) continue;
        if (mode == 4) triangles += (uint64_t)count / 3;
        if (mode > 4) triangles += (uint64_t)count - 2;
    }
    return triangles;
}

static ruga_status print_choices(const gltf_document *doc, const gltf_choice *choices, size_t count, char **text) {
    size_t room = 1;
    for (size_t i = 0; i < count; i++) room += strlen(gltf_choice_name(doc, choices[i])) + 48;
    char *lines = NULL;
    TRY(NEW(doc->context, &lines, room));
    size_t used = 0;
    lines[0] = 0;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(lines + used, room - used, "%zu %s %llu\n", i, gltf_choice_name(doc, choices[i]),
                                 (unsigned long long)count_triangles(doc, choices[i].mesh));
    *text = lines;
    return RUGA_OK;
}

ruga_status gltf_list_meshes(const io_source *source, char **text) {
    gltf_document doc;
    gltf_scene scene = {0};
    gltf_choice *choices = NULL;
    size_t count = 0;
    TRY(gltf_document_open(source, &doc));
    ruga_status status = gltf_scene_open(&doc, &scene);
    if (!RUGA_FAILED(status)) status = gltf_scene_choices(&doc, &scene, &choices, &count);
    if (!RUGA_FAILED(status)) status = print_choices(&doc, choices, count, text);
    memory_release(source->context, choices);
    gltf_scene_close(source->context, &scene);
    gltf_document_close(&doc);
    return status;
}

/* Names, one per line. */
typedef struct name_lines {
    ruga_context *context;
    ARRAY(char) text;
} name_lines;

/* A name may hold anything; an end of line in it becomes a space. */
static ruga_status add_line(name_lines *lines, const char *name) {
    const size_t length = name ? strlen(name) : 0;
    TRY(ARRAY_RESERVE(lines->context, &lines->text, length + 1));
    char *line = lines->text.items + lines->text.count;
    for (size_t i = 0; i < length; i++) line[i] = name[i] == '\n' ? ' ' : name[i];
    line[length] = '\n';
    lines->text.count += length + 1;
    return RUGA_OK;
}

/* Nodes may be joints of several skins; each is listed once, in the order of the nodes. */
static ruga_status add_joints(const gltf_document *doc, name_lines *lines) {
    const size_t count = gltf_count(doc, "nodes");
    char *is_joint = NULL;
    TRY(NEW_ZEROED(doc->context, &is_joint, count + 1));
    for (uint32_t i = 0; i < gltf_count(doc, "skins"); i++) {
        const json_value *list = json_member(gltf_item(doc, "skins", i), "joints");
        int64_t node;
        for (const json_value *j = list && list->type == JSON_ARRAY ? list->first : NULL; j; j = j->next)
            if (json_whole(j, 0, 4294967294.0, &node) && (size_t)node < count) is_joint[node] = 1;
    }
    ruga_status status = RUGA_OK;
    for (uint32_t i = 0; i < count && !RUGA_FAILED(status); i++)
        if (is_joint[i]) status = add_line(lines, gltf_text(gltf_item(doc, "nodes", i), "name"));
    memory_release(doc->context, is_joint);
    return status;
}

static ruga_status add_names(const gltf_document *doc, ruga_file_names which, name_lines *lines) {
    if (which == RUGA_FILE_JOINTS) return add_joints(doc, lines);
    const char *array = which == RUGA_FILE_ANIMATIONS ? "animations" : "materials";
    for (uint32_t i = 0; i < gltf_count(doc, array); i++)
        TRY(add_line(lines, gltf_text(gltf_item(doc, array, i), "name")));
    return RUGA_OK;
}

ruga_status gltf_list_names(const io_source *source, ruga_file_names which, char **text) {
    gltf_document doc;
    name_lines lines = {.context = source->context};
    TRY(gltf_document_open(source, &doc));
    ruga_status status = add_names(&doc, which, &lines);
    gltf_document_close(&doc);
    if (!RUGA_FAILED(status)) status = ARRAY_RESERVE(source->context, &lines.text, 1);
    TRY_OR(status, ARRAY_RELEASE(source->context, &lines.text));
    lines.text.items[lines.text.count] = 0;
    *text = lines.text.items;
    return RUGA_OK;
}
