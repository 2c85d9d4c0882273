/* From the values of a scene to cloth on a mesh: the material of its springs or of its membrane, and the choices that
 * are left open. */
#include <math.h>

#include "body/cloth_parts.h"
#include "body/dynamics.h"
#include "mesh/mesh.h"

/* Beyond the strain limit: at least the first, N/m, so that soft cloth keeps it too, and the second times the stretch.
 * Hanging cotton of 1 m weighs 1.2 N/m. */
#define LEAST_HARD 3000
#define HARD_OF_STRETCH 4
#define JAM 0.5 /* shear at which quads of springs stiffen: some 30 degrees */

cloth_def cloth_def_default(void) {
    cloth_def def = {.material = {.density = 0.12, .stretch = 5000, .bend = 6e-6, .friction = 0.5, .shear_ratio = 0.1},
                     .damping_time = NAN};
    ruga_section_defaults(cloth_section(), &def.values);
    /* In scenes the material, the mesh and contact choose these. */
    def.values.shear = 500;
    def.values.quads = 0;
    return def;
}

integrator_def cloth_integrator(const cloth_def *def) {
    const ruga_cloth_def *v = &def->values;
    return (integrator_def){.kind = (integrator_kind)v->integrator,
                            .sweeps = v->sweeps + v->sweeps % 2,
                            .conserve = v->conserve_momentum,
                            .tolerance = v->tolerance,
                            .most_iterations = v->iterations};
}

spring_material cloth_springs(const cloth_def *def, const ruga_mesh *mesh) {
    const ruga_cloth_def *v = &def->values;
    const ruga_material_def *m = &def->material;
    double damping_time = def->damping_time;
    if (isnan(damping_time))
        damping_time = m->stretch > 0 ? cloth_damping_time(mesh, m->damping, m->stretch, m->density) : 0;
    return (spring_material){.stretch = m->stretch,
                             .shear = isnan(v->shear) ? m->shear_ratio * m->stretch : v->shear,
                             .bend = m->bend,
                             .damping_time = damping_time,
                             .limit = m->strain_limit,
                             .jam = JAM,
                             .hard = LEAST_HARD + HARD_OF_STRETCH * m->stretch,
                             .phases = {v->compression_soft, v->compression_hard, v->compression_limit},
                             .axial = v->axial_bending,
                             .quads = v->quads};
}

membrane_material cloth_membrane(const cloth_def *def, const ruga_mesh *mesh) {
    const spring_material springs = cloth_springs(def, mesh);
    return (membrane_material){.warp = springs.stretch,
                               .weft = isnan(def->values.weft) ? springs.stretch : def->values.weft,
                               .poisson = def->material.poisson,
                               .shear = springs.shear,
                               .limit = springs.limit,
                               .hard = springs.hard,
                               .damping_time = springs.damping_time};
}

double cloth_damping_time(const ruga_mesh *mesh, double ratio, double stretch, double density) {
    double area = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) area += mesh_triangle_area(mesh, t);
    double mass = mesh->vertex_count > 0 ? density * area / (double)mesh->vertex_count : 0;
    return 2 * ratio * sqrt(mass / 2 / stretch);
}

/* ---- Checks. */

ruga_status cloth_check_def(ruga_context *context, const cloth_def *def) {
    TRY(dynamics_check_values(context, cloth_section(), &def->values));
    TRY(dynamics_check_number(context, "cloth", "density", "kg/m²", def->material.density, 0));
    TRY(dynamics_check_number(context, "cloth", "friction", "", def->material.friction, 1));
    TRY(dynamics_check_number(context, "cloth", "strain limit", "", def->material.strain_limit, 1));
    return dynamics_check_number(context, "cloth", "bending friction", "1/m", def->material.bend_friction, 1);
}

/* ---- Choices. */

/* The part of the triangles that are in no quad. */
static double part_without_quads(const ruga_mesh *mesh) {
    size_t count = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        size_t face = mesh_triangle_face(mesh, t);
        count += mesh_face_end(mesh, face) - mesh_face_begin(mesh, face) != 4;
    }
    return mesh->triangle_count > 0 ? (double)count / (double)mesh->triangle_count : 0;
}

/* The option that only springs know, by its name; NULL: none is used. */
static const char *option_of_springs(const ruga_cloth_def *v) {
    if (v->axial_bending) return "axial_bending";
    if (v->compression_soft != 1) return "compression_soft";
    return v->compression_hard != 1 ? "compression_hard" : NULL;
}

/* Whether more than the default was asked of the sweeps, so that approximate_implicit is meant. */
static int asks_for_sweeps(const ruga_cloth_def *v) {
    return v->integrator == INTEGRATOR_AUTO && (v->sweeps > 2 || v->conserve_momentum);
}

static int supports_springs_only(int kind) {
    return kind == INTEGRATOR_APPROXIMATE_IMPLICIT || kind == INTEGRATOR_FILTER;
}

static ruga_status check_membrane(ruga_context *context, const ruga_cloth_def *v) {
    if (supports_springs_only(v->integrator))
        return fail_with(context, RUGA_ERROR_INPUT,
                         "the integrator %s works on springs alone, because its matrix is constant, and that of a "
                         "membrane is not; use implicit, or \"elements\": \"springs\"",
                         integrator_name((integrator_kind)v->integrator));
    if (option_of_springs(v))
        return fail_with(
            context, RUGA_ERROR_INPUT,
            "\"%s\" is a property of springs, but the cloth is a membrane; leave it out, or use \"elements\": "
            "\"springs\"",
            option_of_springs(v));
    return RUGA_OK;
}

static ruga_status check_hinges(ruga_context *context, const ruga_cloth_def *v) {
    if (supports_springs_only(v->integrator) || asks_for_sweeps(v))
        return fail_with(context, RUGA_ERROR_INPUT,
                         "the integrator %s works on springs alone, because its matrix is constant, and that of "
                         "hinges is not; use implicit, or \"bending\": \"springs\"",
                         integrator_name(integrator_resolve((integrator_kind)v->integrator, 0)));
    if (v->axial_bending)
        return fail_with(context, RUGA_ERROR_INPUT,
                         "hinges and \"axial_bending\" both resist folds; leave \"axial_bending\" out, or use "
                         "\"bending\": \"springs\"");
    return RUGA_OK;
}

/* Hinges where the step is implicit: bending springs of quads have no stiffness against twist, and those of triangles
 * hardly any against slight folds. Other integrators would become less stable, or do not know hinges. */
static int default_bending(const ruga_cloth_def *v) {
    return v->integrator == INTEGRATOR_IMPLICIT && !v->axial_bending ? BENDING_HINGES : BENDING_SPRINGS;
}

ruga_status cloth_choose(const cloth_def *def, const ruga_mesh *mesh, int bound_or_stiff, cloth_choice *out) {
    const ruga_cloth_def *v = &def->values;
    int elements = v->elements;
    if (v->bending == BENDING_HINGES) TRY(check_hinges(mesh->context, v));
    if (elements == CLOTH_MEMBRANE) TRY(check_membrane(mesh->context, v));
    if (elements == CLOTH_AUTO) {
        int can = !supports_springs_only(v->integrator) && !asks_for_sweeps(v) && !option_of_springs(v);
        elements = can && part_without_quads(mesh) > 0.5 ? CLOTH_MEMBRANE : CLOTH_SPRINGS;
    }
    out->elements = elements;
    out->integrator = (int)integrator_resolve(
        (integrator_kind)v->integrator, bound_or_stiff || v->bending == BENDING_HINGES || elements == CLOTH_MEMBRANE);
    out->bending = v->bending != BENDING_AUTO ? v->bending : default_bending(v);
    return RUGA_OK;
}

double cloth_part_without_quads(const cloth_def *def, const ruga_mesh *mesh) {
    return def->values.quads ? part_without_quads(mesh) : 1;
}
