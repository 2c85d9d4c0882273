/* From an object's def to its mesh and its motion. */
#include "scene/object.h"

#include <math.h>
#include <string.h>

#include "mesh/model.h"
#include "ruga/run.h"
#include "scene/sculpt.h"
#include "scene/tables.h"

const void *variant_values(arena *memory, const ruga_variant *variant) {
    static const char nothing = 0;
    if (variant->values || variant->section->size == 0) return variant->values ? variant->values : &nothing;
    void *values = arena_allocate(memory, 1, variant->section->size);
    if (values) ruga_section_defaults(variant->section, values);
    return values;
}

/* ---- Meshes. */

static ruga_status read_mesh_file(ruga_context *context, const ruga_mesh_file_def *values, ruga_mesh **out) {
    ruga_file_def def = ruga_file_def_default();
    def.unit = values->unit;
    def.up = (ruga_axis)values->up;
    def.mesh = values->mesh;
    if (!values->file) return fail_with(context, RUGA_ERROR_INPUT, "its mesh has no file; give the path of one");
    if (ruga_path_is_run(values->file)) return ruga_run_mesh_read(context, values->file, values->mesh, out);
    return ruga_mesh_read(context, values->file, &def, out);
}

ruga_status object_mesh_load(ruga_context *context, arena *memory, const ruga_object_def *object, object_mesh *out) {
    *out = (object_mesh){.mesh = object->given_mesh};
    if (object->given_mesh) return RUGA_OK;
    const ruga_section *section = object->mesh.section;
    if (!section)
        return fail_with(context, RUGA_ERROR_INPUT, "it has no mesh; give it a file or a model such as \"sheet\"");
    const void *values = variant_values(memory, &object->mesh);
    if (!values) return fail_memory(context, section->size);
    if (section == &mesh_file_section)
        TRY(read_mesh_file(context, values, &out->made));
    else
        TRY(ruga_model_make(context, section->name, values, &out->made));
    out->mesh = out->made;
    return RUGA_OK;
}

/* ---- Edits. */

ruga_subdivide_def subdivide_def_from(const ruga_subdivide_edit_def *values) {
    ruga_subdivide_def def = ruga_subdivide_def_default();
    def.kind = (ruga_subdivision)values->method;
    def.n = values->n;
    def.length = values->length;
    return def;
}

ruga_status edit_apply(arena *memory, const ruga_object_def *object, const ruga_mesh *mesh, const ruga_variant *edit,
                       ruga_mesh **out, ruga_map **map) {
    const void *values = variant_values(memory, edit);
    if (!values) return fail_memory(mesh->context, edit->section->size);
    if (edit->section == &edit_sculpt_section) return sculpt_edit(memory, object, values, mesh, out, map);
    ruga_subdivide_def def = subdivide_def_from(values);
    return ruga_mesh_subdivide(mesh, &def, out, map);
}

/* ---- Details. */

_Static_assert(SPLINE_NATURAL == 0 && SPLINE_CATMULL_ROM == 1, "in the order of the table");
_Static_assert(SPLINE_TOGETHER == 0 && SPLINE_ROWS_FIRST == 1, "in the order of the table");
_Static_assert(SPLINE_ENVELOPE_SMOOTH == 0 && SPLINE_ENVELOPE_PAPER == 1, "in the order of the table");

spline_detail_def spline_def_from(const ruga_spline_def *values) {
    spline_detail_def def = spline_detail_def_default();
    def.key_rows = (size_t)values->key_rows;
    def.key_columns = (size_t)values->key_columns;
    def.rows = (size_t)values->rows;
    def.columns = (size_t)values->columns;
    def.curve = (spline_kind)values->curve;
    def.envelope = (spline_envelope)values->envelope;
    def.order = (spline_order)values->order;
    def.threshold = values->threshold;
    def.frequency = values->frequency;
    if (!isnan(values->limit)) def.limit = values->limit;
    return def;
}

/* ---- Motions. */

ruga_status object_motion_fits(ruga_context *context, const ruga_motion *motion, const ruga_mesh *mesh) {
    size_t count = ruga_motion_get_info(motion).vertex_count;
    if (count == mesh->vertex_count) return RUGA_OK;
    return fail_with(context, RUGA_ERROR_INPUT,
                     "its motion moves %zu points, but its mesh has %zu vertices; export both from the same mesh, "
                     "without modifiers that add vertices",
                     count, mesh->vertex_count);
}

/* Of the mesh's own file, if it has one. */
static ruga_status mesh_file_values(ruga_context *context, arena *memory, const ruga_object_def *object,
                                    const ruga_mesh_file_def **out) {
    *out = NULL;
    if (object->given_mesh || object->mesh.section != &mesh_file_section) return RUGA_OK;
    *out = variant_values(memory, &object->mesh);
    return *out ? RUGA_OK : fail_memory(context, sizeof **out);
}

ruga_status object_file_def(ruga_context *context, arena *memory, const ruga_object_def *object, ruga_file_def *out) {
    const ruga_mesh_file_def *own;
    TRY(mesh_file_values(context, memory, object, &own));
    *out = ruga_file_def_default();
    if (!own) return RUGA_OK;
    out->unit = own->unit;
    out->up = (ruga_axis)own->up;
    out->mesh = own->mesh;
    return RUGA_OK;
}

/* What the motion's file does not say and its def leaves open is as with the mesh's file. */
static ruga_file_def motion_file_def(const ruga_animated_def *values, ruga_file_def def, double fps) {
    if (!isnan(values->unit)) def.unit = values->unit;
    if (values->up >= 0) def.up = (ruga_axis)values->up;
    def.animation = values->animation;
    def.rate = isnan(values->rate) ? fps : values->rate;
    return def;
}

/* What the object's model does by itself. */
static ruga_status make_action(ruga_context *context, arena *memory, const ruga_object_def *object,
                               const ruga_animated_def *values, ruga_motion **out) {
    const ruga_section *model = object->given_mesh ? NULL : object->mesh.section, *action = values->action.section;
    const char *actor = ruga_action_actor((size_t)(action - action_sections));
    if (!model || strcmp(model->name, actor) != 0)
        return fail_with(context, RUGA_ERROR_INPUT, "its action is \"%s\", which only the mesh \"%s\" can do",
                         action->name, actor);
    if (values->motion)
        return fail_with(context, RUGA_ERROR_INPUT, "it has both a motion from a file and the action \"%s\"; give one",
                         action->name);
    const void *shape = variant_values(memory, &object->mesh), *way = variant_values(memory, &values->action);
    if (!shape || !way) return fail_memory(context, model->size);
    return ruga_model_motion(context, model->name, shape, action->name, way, out);
}

ruga_status object_motion_read(ruga_context *context, arena *memory, const ruga_object_def *object, double fps,
                               const ruga_mesh *mesh, ruga_motion **out) {
    const ruga_animated_def *values = variant_values(memory, &object->body);
    if (!values) return fail_memory(context, sizeof *values);
    if (values->action.section) return make_action(context, memory, object, values, out);
    const ruga_mesh_file_def *mesh_file;
    TRY(mesh_file_values(context, memory, object, &mesh_file));
    const char *path = values->motion ? values->motion : mesh_file ? mesh_file->file : NULL;
    if (!path)
        return fail_with(
            context, RUGA_ERROR_INPUT,
            "its body is animated, but nothing moves it: give \"motion\" a cache, a sequence or a glTF file, or a "
            "mannequin or an arm an \"action\"");
    ruga_file_def def;
    TRY(object_file_def(context, memory, object, &def));
    if (ruga_path_is_run(path))
        return ruga_run_motion_read(context, path, values->motion ? values->animation : def.mesh, mesh, out);
    def = motion_file_def(values, def, fps);
    return ruga_motion_read(context, path, mesh, &def, out);
}

/* ---- Names. */

const char *object_name_problem(const char *name) {
    size_t length = name ? strlen(name) : 0;
    if (length == 0) return "it has no name";
    if (length > 100) return "its name is longer than 100 bytes";
    if (strchr(".- ", name[0])) return "its name begins with a dot, a dash or a space";
    if (strchr(". ", name[length - 1])) return "its name ends in a dot or a space";
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127 || strchr("/\\:*?\"<>|[],", *c))
            return "its name has a character that it can't have (/ \\ : * ? \" < > | [ ] ,)";
    return NULL;
}

int object_names_clash(const char *a, const char *b) {
    for (; *a && *a == *b; a++) b++;
    if (*a && *b) return 0;
    const char *longer = *a ? a : b;
    if (!*longer) return 1;
    /* "shirt.0012" would take the file of a frame of "shirt". */
    return longer[0] == '.' && longer[1] && strspn(longer + 1, "0123456789") == strlen(longer + 1);
}
