/* The table of models, and what every maker needs. */
#include "mesh/model.h"

#include <math.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define MAX_CELLS 4096

static const ruga_model_parameter sheet_parameters[] = {
    {"width", "m", 1, 1e-6, 1e6, 0, "extent along x"},
    {"length", "m", 1, 1e-6, 1e6, 0, "extent along z, or y when upright"},
    {"columns", "1", 20, 1, MAX_CELLS, 1, "cells along the width"},
    {"rows", "1", 20, 1, MAX_CELLS, 1, "cells along the length"},
    {"triangulation", "1", 0, 0, 2, 1, "0: diagonals all one way, 1: alternating, 2: irregular (jittered, Delaunay)"},
    {"quads", "1", 0, 0, 1, 1, "1: faces are quadrilaterals (not for irregular sheets)"},
    {"upright", "1", 0, 0, 1, 1, "1: stands in the xy plane facing z, 0: lies flat facing up"},
    {"seed", "1", 1, 0, 1e9, 1, "of the irregular triangulation"},
};

static const ruga_model_parameter disc_parameters[] = {
    {"radius", "m", 0.5, 1e-6, 1e6, 0, "of the rim"},
    {"rings", "1", 12, 1, 2048, 1, "of triangles around the centre; ring k has 6 k points"},
};

static const ruga_model_parameter annulus_parameters[] = {
    {"inner", "m", 0.25, 1e-6, 1e6, 0, "inner radius"},
    {"outer", "m", 0.5, 1e-6, 1e6, 0, "outer radius"},
    {"angle", "degree", 270, 1e-3, 360, 0, "of the sector; 360 closes the ring"},
    {"rings", "1", 8, 1, MAX_CELLS, 1, "cells along the radius"},
    {"sectors", "1", 48, 3, MAX_CELLS, 1, "cells along the angle"},
    {"quads", "1", 0, 0, 1, 1, "1: faces are quadrilaterals"},
};

static const ruga_model_parameter cylinder_parameters[] = {
    {"radius", "m", 0.25, 1e-6, 1e6, 0, "of the wall"},
    {"height", "m", 1, 1e-6, 1e6, 0, "along y"},
    {"sectors", "1", 32, 3, MAX_CELLS, 1, "cells around"},
    {"rings", "1", 20, 1, MAX_CELLS, 1, "cells along the height"},
    {"caps", "1", 0, 0, 1, 1, "1: both ends are closed"},
    {"quads", "1", 0, 0, 1, 1, "1: faces of the wall are quadrilaterals (not with caps)"},
};

static const ruga_model_parameter sphere_parameters[] = {
    {"radius", "m", 0.5, 1e-6, 1e6, 0, "of all points"},
    {"frequency", "1", 12, 1, 256, 1, "parts of an icosahedron's edge: 20 n^2 triangles"},
};

static const ruga_model_parameter torus_parameters[] = {
    {"radius", "m", 0.4, 1e-6, 1e6, 0, "from the centre to the middle of the tube"},
    {"tube", "m", 0.15, 1e-6, 1e6, 0, "radius of the tube"},
    {"sectors", "1", 64, 3, MAX_CELLS, 1, "cells around"},
    {"sides", "1", 24, 3, MAX_CELLS, 1, "cells around the tube"},
    {"quads", "1", 0, 0, 1, 1, "1: faces are quadrilaterals"},
};

static const ruga_model_parameter pillow_parameters[] = {
    {"width", "m", 0.5, 1e-6, 1e6, 0, "extent along x"},
    {"length", "m", 0.5, 1e-6, 1e6, 0, "extent along z"},
    {"puff", "m", 0.08, 0, 1e6, 0, "height of the middle of either sheet; 0: both lie flat on each other"},
    {"columns", "1", 24, 2, MAX_CELLS, 1, "cells along the width"},
    {"rows", "1", 24, 2, MAX_CELLS, 1, "cells along the length"},
};

static const ruga_model_parameter bar_parameters[] = {
    {"length", "m", 1, 1e-6, 1e6, 0, "extent along x"},
    {"height", "m", 0.2, 1e-6, 1e6, 0, "extent along y"},
    {"depth", "m", 0.2, 1e-6, 1e6, 0, "extent along z"},
    {"cells", "1", 20, 1, 1024, 1, "along the length"},
    {"cells_across", "1", 4, 1, 1024, 1, "along height and depth"},
    {"solid", "1", 0, 0, 1, 1, "1: filled with tetrahedra, six a cell; 0: the surface alone"},
};

static const ruga_model_parameter slab_parameters[] = {
    {"width", "m", 1, 1e-6, 1e6, 0, "extent along x"},
    {"length", "m", 1, 1e-6, 1e6, 0, "extent along z"},
    {"thickness", "m", 0.05, 1e-6, 1e6, 0, "extent along y"},
    {"cells", "1", 20, 1, 1024, 1, "along width and length"},
    {"layers", "1", 2, 1, 1024, 1, "along the thickness"},
    {"solid", "1", 0, 0, 1, 1, "1: filled with tetrahedra, six a cell; 0: the surface alone"},
};

#define MODEL(name, help) \
    { #name, help, COUNT(name##_parameters), name##_parameters }

static const ruga_model_info models[] = {
    MODEL(sheet, "a rectangle of cloth, regular or irregular"),
    MODEL(disc, "a round sheet"),
    MODEL(annulus, "a sector of a ring, flat: a skirt's pattern"),
    MODEL(cylinder, "a tube along y, open or closed"),
    MODEL(sphere, "a ball of nearly equal triangles"),
    MODEL(torus, "a ring with a round tube"),
    MODEL(pillow, "two sheets sewn together along their border"),
    MODEL(bar, "a long box, for bending"),
    MODEL(slab, "a flat box, such as skin over flesh"),
};

static model_maker *const makers[] = {model_sheet, model_disc,   model_annulus, model_cylinder, model_sphere,
                                      model_torus, model_pillow, model_bar,     model_slab};
_Static_assert(COUNT(models) == COUNT(makers), "a maker for each model");

size_t ruga_model_count(void) { return COUNT(models); }
const ruga_model_info *ruga_model_get_info(size_t model) { return model < COUNT(models) ? &models[model] : NULL; }

const ruga_model_info *ruga_model_find(const char *name) {
    for (size_t i = 0; name && i < COUNT(models); i++)
        if (strcmp(models[i].name, name) == 0) return &models[i];
    return NULL;
}

static ruga_status check_value(ruga_context *context, const ruga_model_info *model, size_t i, double value) {
    const ruga_model_parameter *p = &model->parameters[i];
    if (!(value >= p->low && value <= p->high))
        return fail_with(context, RUGA_ERROR_ARGUMENT, "%s: %s is %g; it must be within %g and %g (%s)", model->name,
                         p->name, value, p->low, p->high, p->unit);
    if (p->whole && value != floor(value))
        return fail_with(context, RUGA_ERROR_ARGUMENT, "%s: %s is %g; it must be a whole number", model->name, p->name,
                         value);
    return RUGA_OK;
}

ruga_status ruga_model_make(ruga_context *context, const char *name, const double *values, ruga_mesh **out) {
    if (!context || !name || !out) return RUGA_ERROR_ARGUMENT;
    const ruga_model_info *model = ruga_model_find(name);
    if (!model) return fail_with(context, RUGA_ERROR_ARGUMENT, "there is no model '%s'; see ruga_model_get_info", name);

    double used[8];
    for (size_t i = 0; i < model->parameter_count; i++) {
        used[i] = values ? values[i] : model->parameters[i].preset;
        TRY(check_value(context, model, i, used[i]));
    }
    mesh_parts parts = {0};
    ruga_status status = makers[model - models](context, used, &parts);
    if (RUGA_FAILED(status)) {
        mesh_parts_release(context, &parts);
        return status;
    }
    return mesh_from_parts(context, &parts, out);
}

ruga_status model_allocate(ruga_context *context, mesh_parts *parts, size_t vertices, size_t triangles) {
    parts->positions = ALLOCATE(context, ruga_vec3, vertices);
    parts->face_vertices = ALLOCATE(context, uint32_t, 3 * triangles);
    if (!parts->positions || !parts->face_vertices) return fail_memory(context, vertices * sizeof(ruga_vec3));
    parts->vertex_count = vertices;
    parts->face_count = triangles;
    parts->corner_count = 3 * triangles;
    return RUGA_OK;
}

ruga_status model_add_uv(ruga_context *context, mesh_parts *parts, size_t count, float *uv, uint32_t *indices) {
    ruga_domain domain = indices ? RUGA_DOMAIN_CORNER : RUGA_DOMAIN_VERTEX;
    return mesh_parts_add(context, parts, "uv", domain, RUGA_F32, 2, count, uv, indices);
}
