/* Writes USD as text (.usda): one stage with a mesh, and curves for the polylines. The grammar is that of OpenUSD's
 * documentation, "USD file formats" and the schemas of UsdGeom: points are floats, polygons stay polygons, and seams are
 * primvars of interpolation faceVarying, so that a vertex stays one vertex. */
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
            return fail_with(stage->context, RUGA_ERROR_INPUT,
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

void usda_put_box(usda_text *text, const usda_box *box) {
    usda_put(text, "[");
    usda_put_vector(text, box->low);
    usda_put(text, ", ");
    usda_put_vector(text, box->high);
    usda_put(text, "]");
}

/* Points of vertices in order, or of those that are listed. */
static ruga_status put_points(usda_text *text, const usda_stage *stage, const ruga_vec3 *positions,
                              const uint32_t *vertices, size_t count) {
    usda_put(text, "[");
    for (size_t i = 0; i < count; i++) {
        float p[3];
        file_point(stage, positions[vertices ? vertices[i] : i], p);
        if (i > 0) usda_put(text, ", ");
        usda_put_vector(text, p);
        TRY(text->status);
        if (!vertices && !stage->moves) TRY(io_report_written(stage->target, i, 0));
    }
    usda_put(text, "]");
    return text->status;
}

ruga_status usda_put_points(usda_text *text, const usda_stage *stage, const ruga_vec3 *positions) {
    return put_points(text, stage, positions, NULL, stage->target->mesh->vertex_count);
}

ruga_status usda_put_line_points(usda_text *text, const usda_stage *stage, const ruga_vec3 *positions) {
    const ruga_mesh *mesh = stage->target->mesh;
    return put_points(text, stage, positions, mesh->line_vertices, mesh->line_offsets[mesh->line_count]);
}

ruga_status usda_put_normals(usda_text *text, const usda_stage *stage, const ruga_vec3 *normals) {
    usda_put(text, "[");
    for (size_t i = 0; i < stage->target->mesh->vertex_count; i++) {
        const ruga_vec3 d = io_convert_direction_out(&stage->target->conversion, normals[i]);
        const float n[3] = {(float)d.x, (float)d.y, (float)d.z};
        if (i > 0) usda_put(text, ", ");
        usda_put_vector(text, n);
        TRY(text->status);
    }
    usda_put(text, "]");
    return text->status;
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
    stage->name = usda_name(&stage->children, stem, length, "mesh");
    if (!stage->name) return fail_memory(stage->context, length);
    if (stage->target->mesh->line_count > 0 && !(stage->lines = usda_name(&stage->children, "lines", 5, "")))
        return fail_memory(stage->context, 5);
    for (size_t i = 0; i < stage->attribute_count; i++)
        if (!stage->materials && strcmp(stage->attributes[i].name, "material") == 0 &&
            usda_is_family(&stage->attributes[i]))
            if (!(stage->materials = usda_name(&stage->children, "materials", 9, "")))
                return fail_memory(stage->context, 9);
    return RUGA_OK;
}

static ruga_status check_target(const usda_stage *stage) {
    const ruga_mesh *mesh = stage->target->mesh;
    if (stage->target->def->up == RUGA_AXIS_X)
        return fail_with(stage->context, RUGA_ERROR_ARGUMENT,
                         "%s: a USD file can say that y or z is up, but not x; choose one of these", stage->path);
    if (mesh->vertex_count > INT32_MAX || mesh->corner_count > INT32_MAX)
        return fail_with(stage->context, RUGA_ERROR_UNSUPPORTED,
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
    return usda_text_open(&stage->text, target->context, target->out);
}

void usda_stage_close(usda_stage *stage) {
    memory_release(stage->context, stage->attributes);
    ARRAY_RELEASE(stage->context, &stage->material_names);
    arena_release(&stage->children.memory);
    arena_release(&stage->primvars.memory);
    arena_release(&stage->subsets.memory);
    if (stage->text.buffer) usda_text_close(&stage->text);
}

/* The fields of the stage that say times; returns where the end is to be filled in. */
static uint64_t put_times(usda_stage *stage, double start) {
    usda_text *text = &stage->text;
    usda_put(text, "    startTimeCode = ");
    usda_put_double(text, start);
    usda_put(text, "\n    timeCodesPerSecond = ");
    usda_put_double(text, stage->target->def->rate);
    usda_put(text, "\n    framesPerSecond = ");
    usda_put_double(text, stage->target->def->rate);
    usda_put(text, "\n    endTimeCode = ");
    const uint64_t at = text->flushed + text->used;
    for (int i = 0; i < NUMBER_CAPACITY; i++) usda_put(text, " ");
    usda_put(text, "\n");
    return at;
}

void usda_put_prim(usda_text *text, int depth, const char *type, const char *name) {
    usda_put_indent(text, depth);
    usda_put(text, "def ");
    usda_put(text, type);
    usda_put(text, " \"");
    usda_put(text, name);
    usda_put(text, "\"");
}

ruga_status usda_write_head(usda_stage *stage, double start, uint64_t *end) {
    usda_text *text = &stage->text;
    usda_put(text, "#usda 1.0\n(\n    defaultPrim = \"");
    usda_put(text, stage->name);
    usda_put(text, "\"\n    doc = \"written by Ruga\"\n    metersPerUnit = ");
    usda_put_double(text, stage->target->def->unit);
    usda_put(text, "\n");
    if (end) *end = put_times(stage, start);
    usda_put_line(text, 1, stage->target->def->up == RUGA_AXIS_Z ? "upAxis = \"Z\"" : "upAxis = \"Y\"");
    usda_put(text, ")\n\n");
    usda_put_prim(text, 0, "Xform", stage->name);
    usda_put(text, "\n{\n");
    usda_put_prim(text, 1, "Mesh", stage->name);
    usda_put(text, "\n    {\n");
    return text->status;
}

/* ---- The mesh. */

static void put_separator(usda_text *text, size_t i) {
    if (i > 0) usda_put(text, ", ");
}

ruga_status usda_write_topology(usda_stage *stage) {
    const ruga_mesh *mesh = stage->target->mesh;
    usda_text *text = &stage->text;
    usda_put_line(text, 2, "uniform bool doubleSided = 1");
    usda_put(text, "        int[] faceVertexCounts = [");
    for (size_t i = 0; i < mesh->face_count; i++) {
        put_separator(text, i);
        usda_put_whole(text, (int64_t)(mesh_face_end(mesh, i) - mesh_face_begin(mesh, i)));
        TRY(text->status);
        if (!stage->moves) TRY(io_report_written(stage->target, mesh->vertex_count, i));
    }
    usda_put(text, "]\n        int[] faceVertexIndices = [");
    for (size_t i = 0; i < mesh->corner_count; i++) {
        put_separator(text, i);
        usda_put_whole(text, mesh->face_vertices[i]);
        TRY(text->status);
    }
    usda_put(text, "]\n");
    usda_put_line(text, 2, "uniform token orientation = \"rightHanded\"");
    usda_put_line(text, 2, "uniform token subdivisionScheme = \"none\"");
    return text->status;
}

static ruga_status write_points(usda_stage *stage) {
    const ruga_vec3 *positions = io_target_positions(stage->target);
    usda_text *text = &stage->text;
    usda_box box;
    TRY(usda_find_box(stage, positions, &box));
    if (stage->target->mesh->vertex_count > 0) {
        usda_put(text, "        float3[] extent = ");
        usda_put_box(text, &box);
        usda_put(text, "\n");
    }
    usda_put(text, "        point3f[] points = ");
    TRY(usda_put_points(text, stage, positions));
    usda_put(text, "\n");
    return text->status;
}

/* ---- Lines and materials. */

void usda_write_lines_head(usda_stage *stage) {
    const ruga_mesh *mesh = stage->target->mesh;
    usda_text *text = &stage->text;
    usda_put(text, "\n");
    usda_put_prim(text, 1, "BasisCurves", stage->lines);
    usda_put(text, "\n    {\n        int[] curveVertexCounts = [");
    for (size_t i = 0; i < mesh->line_count; i++) {
        put_separator(text, i);
        usda_put_whole(text, (int64_t)mesh->line_offsets[i + 1] - mesh->line_offsets[i]);
    }
    usda_put(text, "]\n");
    usda_put_line(text, 2, "uniform token type = \"linear\"");
}

static ruga_status write_lines(usda_stage *stage) {
    const ruga_vec3 *positions = io_target_positions(stage->target);
    if (!stage->lines) return RUGA_OK;
    const usda_box box = usda_lines_box(stage, positions);
    usda_write_lines_head(stage);
    usda_put(&stage->text, "        float3[] extent = ");
    usda_put_box(&stage->text, &box);
    usda_put(&stage->text, "\n        point3f[] points = ");
    TRY(usda_put_line_points(&stage->text, stage, positions));
    usda_put(&stage->text, "\n    }\n");
    return stage->text.status;
}

ruga_status usda_write_tail(usda_stage *stage) {
    usda_text *text = &stage->text;
    if (stage->materials) {
        usda_put(text, "\n");
        usda_put_prim(text, 1, "Scope", stage->materials);
        usda_put(text, "\n    {\n");
        for (size_t i = 0; i < stage->material_names.count; i++) {
            usda_put_prim(text, 2, "Material", stage->material_names.items[i]);
            usda_put(text, "\n        {\n        }\n");
        }
        usda_put(text, "    }\n");
    }
    usda_put(text, "}\n");
    return usda_text_flush(text);
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
