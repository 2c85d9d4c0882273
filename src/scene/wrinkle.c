/* From the values of a detail "wrinkle" to its def. */
#include "scene/wrinkle.h"

#include <math.h>

#include "scene/object.h"
#include "scene/scene.h"
#include "scene/tables.h"

wrinkle_detail_def wrinkle_def_from(const ruga_wrinkle_def *values) {
    wrinkle_detail_def def = wrinkle_detail_def_default();
    ruga_wrinkle_mesh_def *mesh = &def.mesh;
    int by_length = !isnan(values->edge_length);
    def.settle = values->settle;
    def.subdivide.kind = by_length ? RUGA_SUBDIVIDE_LONG_EDGES : RUGA_SUBDIVIDE_REGULAR;
    def.subdivide.n = values->subdivide;
    if (by_length) def.subdivide.length = values->edge_length;
    mesh->surface = (ruga_wrinkle_surface)values->surface;
    mesh->solver = (ruga_wrinkle_solver)values->solver;
    mesh->frame = (ruga_wrinkle_frame)values->space;
    mesh->side = (ruga_wrinkle_side)values->side;
    mesh->bend = (ruga_wrinkle_bend)values->bend;
    mesh->reference = values->reference;
    mesh->normal_only = values->normal_only;
    mesh->iterations = values->iterations;
    mesh->wavelength = values->wavelength;
    mesh->seed = values->seed;
    if (!isnan(values->reach)) mesh->reach = values->reach;
    return def;
}

/* ---- The mesh of a file. */

ruga_status wrinkle_fine_read(ruga_context *context, arena *memory, const ruga_object_def *object,
                              const ruga_wrinkle_def *values, ruga_mesh **out) {
    ruga_file_def def;
    object_mesh fine = {0};
    TRY(object_file_def(context, memory, object, &def));
    def.mesh = NULL;
    if (!isnan(values->fine_unit)) def.unit = values->fine_unit;
    if (values->fine_up >= 0) def.up = (ruga_axis)values->fine_up;
    TRY(ruga_mesh_read(context, values->fine, &def, &fine.made));
    fine.mesh = fine.made;
    ruga_status status = object_mesh_place(object, &fine);
    if (RUGA_FAILED(status)) {
        ruga_mesh_destroy(fine.made);
        return status;
    }
    *out = fine.made;
    return RUGA_OK;
}

/* ---- Parameters. */

static int may_have_file(const ruga_param *param) {
    return param->kind == RUGA_PARAM_ARRAY || param->kind == RUGA_PARAM_KEYS;
}

/* How many numbers a file has to have. Of a mesh that is yet to be made, it is counted only when there may be a file. */
static ruga_status count_fine_vertices(const ruga_wrinkle_def *values, const ruga_mesh *mesh,
                                       const wrinkle_detail_def *def, size_t *count) {
    *count = def->fine ? def->fine->vertex_count : 0;
    int wanted = may_have_file(&values->radius) || may_have_file(&values->pre_stretch) ||
                 may_have_file(&values->bending) || may_have_file(&values->direction) ||
                 may_have_file(&values->direction_weight);
    if (def->fine || !wanted) return RUGA_OK;
    ruga_mesh *fine = NULL;
    TRY(ruga_mesh_subdivide(mesh, &def->subdivide, &fine, NULL));
    *count = fine->vertex_count;
    ruga_mesh_destroy(fine);
    return RUGA_OK;
}

static ruga_status load(arena *memory, const char *name, const ruga_param *param, size_t count, ruga_param *out) {
    TRY(param_load(memory, param, count, out));
    param_limit(ruga_section_field(&detail_wrinkle_section, name), out);
    return RUGA_OK;
}

ruga_status wrinkle_load_params(arena *memory, const ruga_wrinkle_def *values, const ruga_mesh *mesh,
                                wrinkle_detail_def *def) {
    size_t count;
    ruga_wrinkle_mesh_def *to = &def->mesh;
    TRY(count_fine_vertices(values, mesh, def, &count));
    TRY(load(memory, "radius", &values->radius, count, &to->radius));
    TRY(load(memory, "pre_stretch", &values->pre_stretch, count, &to->pre_stretch));
    TRY(load(memory, "bending", &values->bending, count, &to->bending));
    TRY(load(memory, "direction", &values->direction, count, &to->direction));
    return load(memory, "direction_weight", &values->direction_weight, count, &to->direction_weight);
}

/* ---- What was made of them. */

void wrinkle_warn(ruga_context *context, const char *object, const detail *d) {
    ruga_wrinkle_mesh_report report = wrinkle_detail_report(d);
    if (report.unattached == 0) return;
    log_warning(context, "object \"%s\": wrinkle: %zu of %zu vertices of the fine mesh hang on nothing but their edges",
                object, report.unattached, report.fine_vertices);
}

ruga_status ruga_scene_wrinkle_report(const ruga_scene *scene, size_t object, size_t index,
                                      ruga_wrinkle_mesh_report *out) {
    const detail *d = object < world_object_count(scene->world) ? world_detail(scene->world, object, index) : NULL;
    if (!d || !detail_is_wrinkle(d))
        return fail_with(scene->context, RUGA_ERROR_ARGUMENT, "detail %zu of object %zu is no wrinkle mesh", index,
                         object);
    *out = wrinkle_detail_report(d);
    return RUGA_OK;
}
