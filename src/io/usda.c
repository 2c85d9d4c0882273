/* Writes USD as text (.usda): one stage with a mesh, and curves for the polylines. The grammar is that of OpenUSD's
 * documentation, "USD file formats" and the schemas of UsdGeom: points are floats, polygons stay polygons, and seams
 * are primvars of interpolation faceVarying, so that a vertex stays one vertex. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/usda.h"

/* ---- Points. */

static void file_point(const usda_stage *stage, ruga_vec3 position, float out[3]) {
    const ruga_vec3 p = io_convert_point_out(&stage->target->conversion, position);
    out[0] = (float)p.x, out[1] = (float)p.y, out[2] = (float)p.z;
}

static void grow_box(usda_box *box, const float p[3]) {
    for (int k = 0; k < 3; k++) {
        box->low[k] = p[k] < box->low[k] ? p[k] : box->low[k];
        box->high[k] = p[k] > box->high[k] ? p[k] : box->high[k];
    }
}

static const usda_box empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

ruga_status usda_find_box(const usda_stage *stage, const ruga_vec3 *positions, usda_box *box) {
    *box = empty_box;
    for (size_t i = 0; i < stage->target->mesh->vertex_count; i++) {
        float p[3];
        file_point(stage, positions[i], p);
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
            return fail_input(stage->context,
                              "%s: vertex %zu is at (%g, %g, %g) m, which a USD file's 32-bit floats can't hold",
                              stage->path, i, positions[i].x, positions[i].y, positions[i].z);
        grow_box(box, p);
    }
    return RUGA_OK;
}

usda_box usda_lines_box(const usda_stage *stage, const ruga_vec3 *positions) {
    const ruga_mesh *mesh = stage->target->mesh;
    usda_box box = empty_box;
    for (size_t i = 0; i < mesh->line_offsets[mesh->line_count]; i++) {
        float p[3];
        file_point(stage, positions[mesh->line_vertices[i]], p);
        grow_box(&box, p);
    }
    return box;
}

void usda_put_box(text_out *text, const usda_box *box) {
    text_put(text, "[");
    usda_put_vector(text, box->low);
    text_put(text, ", ");
    usda_put_vector(text, box->high);
    text_put(text, "]");
}

static void file_normal(const usda_stage *stage, ruga_vec3 normal, float out[3]) {
    const ruga_vec3 d = io_convert_direction_out(&stage->target->conversion, normal);
    out[0] = (float)d.x, out[1] = (float)d.y, out[2] = (float)d.z;
}

/* Vectors in order, or those that are listed. */
static ruga_status put_vectors(text_out *text, const usda_stage *stage, const ruga_vec3 *vectors, const uint32_t *list,
                               size_t count, void (*convert)(const usda_stage *, ruga_vec3, float[3])) {
    text_put(text, "[");
    for (size_t i = 0; i < count; i++) {
        float v[3];
        convert(stage, vectors[list ? list[i] : i], v);
        if (i > 0) text_put(text, ", ");
        usda_put_vector(text, v);
        TRY(text->status);
        if (!list && !stage->moves) TRY(io_report_written(stage->target, i, 0));
    }
    text_put(text, "]");
    return text->status;
}

ruga_status usda_put_points(text_out *text, const usda_stage *stage, const ruga_vec3 *positions) {
    return put_vectors(text, stage, positions, NULL, stage->target->mesh->vertex_count, file_point);
}

ruga_status usda_put_line_points(text_out *text, const usda_stage *stage, const ruga_vec3 *positions) {
    const ruga_mesh *mesh = stage->target->mesh;
    return put_vectors(text, stage, positions, mesh->line_vertices, mesh->line_offsets[mesh->line_count], file_point);
}

ruga_status usda_put_normals(text_out *text, const usda_stage *stage, const ruga_vec3 *normals) {
    return put_vectors(text, stage, normals, NULL, stage->target->mesh->vertex_count, file_normal);
}

/* ---- The stage. */

/* The file's name without folder and ending. */
static size_t find_stem(const char *path, const char **stem) {
    const char *slash = strrchr(path, '/');
    *stem = slash ? slash + 1 : path;
    const char *dot = strrchr(*stem, '.');
    return dot && dot > *stem ? (size_t)(dot - *stem) : strlen(*stem);
}

static ruga_status choose_names(usda_stage *stage) {
    const char *stem;
    const size_t length = find_stem(stage->path, &stem);
    TRY(usda_name(&stage->children, stem, length, "mesh", &stage->name));
    if (stage->target->mesh->line_count > 0) TRY(usda_name(&stage->children, "lines", 5, "", &stage->lines));
    for (size_t i = 0; i < stage->attribute_count; i++)
        if (!stage->materials && strcmp(stage->attributes[i].name, "material") == 0 &&
            usda_is_family(&stage->attributes[i]))
            TRY(usda_name(&stage->children, "materials", 9, "", &stage->materials));
    return RUGA_OK;
}

static ruga_status check_target(const usda_stage *stage) {
    const ruga_mesh *mesh = stage->target->mesh;
    if (stage->target->def->up == RUGA_AXIS_X)
        return fail_argument(stage->context, "%s: a USD file can say that y or z is up, but not x; choose one of these",
                             stage->path);
    if (mesh->vertex_count > INT32_MAX || mesh->corner_count > INT32_MAX)
        return fail_unsupported(stage->context,
                                "%s: a USD file counts to 2147483647, but the mesh has %zu vertices and %zu corners",
                                stage->path, mesh->vertex_count, mesh->corner_count);
    if (mesh->edge_count > 0)
        log_info(stage->context, "%s: a USD mesh can't hold edges; they are left out", stage->path);
    if (mesh->tet_count > 0)
        log_info(stage->context, "%s: only the surface of the tets is written to USD", stage->path);
    return RUGA_OK;
}

ruga_status usda_stage_open(usda_stage *stage, const io_target *target) {
    const usda_names none = {.memory = arena_make(target->context)};
    *stage = (usda_stage){.target = target, .context = target->context, .path = file_path(target->out)};
    stage->children = stage->primvars = stage->subsets = none;
    TRY(check_target(stage));
    TRY(io_target_attributes(target, &stage->attributes, &stage->attribute_count));
    TRY(choose_names(stage));
    return text_open(&stage->text, target->context, target->out);
}

void usda_stage_close(usda_stage *stage) {
    memory_release(stage->context, stage->attributes);
    ARRAY_RELEASE(stage->context, &stage->material_names);
    usda_names_release(&stage->children);
    usda_names_release(&stage->primvars);
    usda_names_release(&stage->subsets);
    text_close(&stage->text);
}

/* The fields of the stage that say times; returns where the end is to be filled in. */
static uint64_t put_times(usda_stage *stage, double start) {
    text_out *text = &stage->text;
    char code[NUMBER_CAPACITY], rate[NUMBER_CAPACITY];
    number_print(start, code);
    number_print(stage->target->def->rate, rate);
    text_print(
        text, "    startTimeCode = %s\n    timeCodesPerSecond = %s\n    framesPerSecond = %s\n    endTimeCode = ", code,
        rate, rate);
    const uint64_t at = text->flushed + text->used;
    for (int i = 0; i < NUMBER_CAPACITY; i++) text_put(text, " ");
    text_put(text, "\n");
    return at;
}

ruga_status usda_write_head(usda_stage *stage, double start, uint64_t *end) {
    text_out *text = &stage->text;
    char unit[NUMBER_CAPACITY];
    number_print(stage->target->def->unit, unit);
    text_print(text, "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    doc = \"written by Ruga\"\n    metersPerUnit = %s\n",
               stage->name, unit);
    if (end) *end = put_times(stage, start);
    text_print(text, "    upAxis = \"%s\"\n)\n\ndef Xform \"%s\"\n{\n    def Mesh \"%s\"\n    {\n",
               stage->target->def->up == RUGA_AXIS_Z ? "Z" : "Y", stage->name, stage->name);
    return text->status;
}

/* ---- The mesh. */

ruga_status usda_write_topology(usda_stage *stage) {
    const ruga_mesh *mesh = stage->target->mesh;
    text_out *text = &stage->text;
    text_put_line(text, 2, "uniform bool doubleSided = 1");
    text_put(text, "        int[] faceVertexCounts = [");
    for (size_t i = 0; i < mesh->face_count; i++) {
        if (i > 0) text_put(text, ", ");
        text_put_whole(text, (int64_t)(mesh_face_end(mesh, i) - mesh_face_begin(mesh, i)));
        TRY(text->status);
        if (!stage->moves) TRY(io_report_written(stage->target, mesh->vertex_count, i));
    }
    text_put(text, "]\n        int[] faceVertexIndices = [");
    text_put_wholes(text, mesh->face_vertices, mesh->corner_count);
    text_put_line(text, 2, "uniform token orientation = \"rightHanded\"");
    text_put_line(text, 2, "uniform token subdivisionScheme = \"none\"");
    return text->status;
}

static ruga_status write_points(usda_stage *stage) {
    const ruga_vec3 *positions = io_target_positions(stage->target);
    text_out *text = &stage->text;
    usda_box box;
    TRY(usda_find_box(stage, positions, &box));
    if (stage->target->mesh->vertex_count > 0) {
        text_put(text, "        float3[] extent = ");
        usda_put_box(text, &box);
        text_put(text, "\n");
    }
    text_put(text, "        point3f[] points = ");
    TRY(usda_put_points(text, stage, positions));
    text_put(text, "\n");
    return text->status;
}

/* ---- Lines and materials. */

void usda_write_lines_head(usda_stage *stage) {
    const ruga_mesh *mesh = stage->target->mesh;
    text_out *text = &stage->text;
    text_print(text, "\n    def BasisCurves \"%s\"\n    {\n        int[] curveVertexCounts = [", stage->lines);
    for (size_t i = 0; i < mesh->line_count; i++) {
        if (i > 0) text_put(text, ", ");
        text_put_whole(text, (int64_t)mesh->line_offsets[i + 1] - mesh->line_offsets[i]);
    }
    text_put(text, "]\n");
    text_put_line(text, 2, "uniform token type = \"linear\"");
}

static ruga_status write_lines(usda_stage *stage) {
    const ruga_vec3 *positions = io_target_positions(stage->target);
    if (!stage->lines) return RUGA_OK;
    const usda_box box = usda_lines_box(stage, positions);
    usda_write_lines_head(stage);
    text_put(&stage->text, "        float3[] extent = ");
    usda_put_box(&stage->text, &box);
    text_put(&stage->text, "\n        point3f[] points = ");
    TRY(usda_put_line_points(&stage->text, stage, positions));
    text_put(&stage->text, "\n    }\n");
    return stage->text.status;
}

ruga_status usda_write_tail(usda_stage *stage) {
    text_out *text = &stage->text;
    if (stage->materials) {
        text_print(text, "\n    def Scope \"%s\"\n    {\n", stage->materials);
        for (size_t i = 0; i < stage->material_names.count; i++)
            text_print(text, "        def Material \"%s\"\n        {\n        }\n", stage->material_names.items[i]);
        text_put(text, "    }\n");
    }
    text_put(text, "}\n");
    return text_flush(text);
}

static ruga_status write_all(usda_stage *stage) {
    TRY(usda_write_head(stage, 0, NULL));
    TRY(write_points(stage));
    TRY(usda_write_topology(stage));
    TRY(usda_write_attributes(stage));
    TRY(usda_write_subsets(stage));
    TRY(write_lines(stage));
    return usda_write_tail(stage);
}

ruga_status usda_write(const io_target *target) {
    usda_stage stage;
    ruga_status status = usda_stage_open(&stage, target);
    if (!RUGA_FAILED(status)) status = write_all(&stage);
    usda_stage_close(&stage);
    return status;
}
