/* The kind "cloth": its table, and how it becomes a cloth. docs/cloth.md explains the
 * numbers. */
#include <math.h>
#include <string.h>

#include "body/cloth.h"
#include "body/kind.h"
#include "body/pin_kinds.h"

/* ---- The table of cloth. */

static const char *const integrators[] = {
    "approximate_implicit", "explicit", "semi_implicit", "implicit", "filter", "auto", NULL};
_Static_assert(INTEGRATOR_APPROXIMATE_IMPLICIT == 0 && INTEGRATOR_EXPLICIT == 1 && INTEGRATOR_SEMI_IMPLICIT == 2 &&
                   INTEGRATOR_IMPLICIT == 3 && INTEGRATOR_FILTER == 4 && INTEGRATOR_AUTO == 5,
               "in the order of integrator_kind");

static const char *const elements[] = {"auto", "springs", "membrane", NULL};
static const char *const bendings[] = {"auto", "springs", "hinges", NULL};
_Static_assert(CLOTH_AUTO == 0 && CLOTH_SPRINGS == 1 && CLOTH_MEMBRANE == 2, "in the order of the choices");
_Static_assert(BENDING_AUTO == 0 && BENDING_SPRINGS == 1 && BENDING_HINGES == 2, "in the order of the choices");

static const char *const lift_forms[] = {"smooth", "printed", "unit", NULL};
_Static_assert(AIR_LIFT_SMOOTH == 0 && AIR_LIFT_PRINTED == 1 && AIR_LIFT_UNIT == 2, "in the order of air_lift");

static const ruga_field cloth_key_fields[] = {
    {"time", RUGA_FIELD_NUMBER, AT(ruga_cloth_key, time), .unit = "s",
     .help = "must be later than that of the key before"},
    {"stiffness", RUGA_FIELD_NUMBER, AT(ruga_cloth_key, stiffness), .unit = "1", .preset = "1", RANGE(1e-9, 1e9),
     .help = "factor of every stiffness that the material gives"},
    {"mass", RUGA_FIELD_NUMBER, AT(ruga_cloth_key, mass), .unit = "1", .preset = "1", RANGE(1e-9, 1e9),
     .help = "factor of every mass that the material gives: above 1 for wet cloth, for example"},
};
static const ruga_section cloth_key_section =
    SECTION("change", ruga_cloth_key, cloth_key_fields, .help = "Stiffness and mass at a time.");
static const ruga_section *const cloth_key_sections[] = {&cloth_key_section, NULL};

static const ruga_field cloth_fields[] = {
    {"integrator", RUGA_FIELD_CHOICE, AT(ruga_cloth_def, integrator), .preset = "auto", .choices = integrators,
     .help = "auto: implicit for a membrane and where a part has stiff forces or binds the cloth, else "
             "approximate_implicit; "
             "approximate_implicit: stable at any step and fast (Kang et al. 2001); filter: the limit of its "
             "sweeps; implicit: backward Euler, the most accurate at large steps; semi_implicit, explicit: for "
             "small steps only"},
    {"sweeps", RUGA_FIELD_WHOLE, AT(ruga_cloth_def, sweeps), .unit = "1", .preset = "2", RANGE(2, 10000),
     .help = "sweeps of approximate_implicit: the paper has 2; more make fine meshes stretch less; odd numbers "
             "become even"},
    {"conserve_momentum", RUGA_FIELD_FLAG, AT(ruga_cloth_def, conserve_momentum), .preset = "false",
     .help = "remove the drift that few sweeps of approximate_implicit give to free cloth"},
    {"tolerance", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, tolerance), .unit = "1", .preset = "0.001", RANGE(1e-14, 1),
     .help = "relative residual at which implicit and semi_implicit stop iterating"},
    {"iterations", RUGA_FIELD_WHOLE, AT(ruga_cloth_def, iterations), .unit = "1", .preset = "500", RANGE(1, 1000000),
     .help = "largest number of iterations of implicit and semi_implicit"},
    {"adaptive", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, adaptive), .unit = "1", .preset = "0", RANGE(0, 1000),
     .help = "split substeps so that no spring changes its length by more than this fraction in one step; 0: "
             "never split"},
    {"most_steps", RUGA_FIELD_WHOLE, AT(ruga_cloth_def, most_steps), .unit = "1", .preset = "64", RANGE(1, 1000000),
     .help = "largest number of steps that adaptive splits a substep into"},
    {"stretch_limit", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, stretch_limit), .unit = "1", .preset = "0", RANGE(0, 1000),
     .help = "elongation beyond which edges are shortened (Provot 1995), such as 0.1; 0: no limit"},
    {"limit_rounds", RUGA_FIELD_WHOLE, AT(ruga_cloth_def, limit_rounds), .unit = "1", .preset = "20", RANGE(1, 100000),
     .help = "largest number of passes that shorten edges"},
    {"elements", RUGA_FIELD_CHOICE, AT(ruga_cloth_def, elements), .preset = "auto", .choices = elements,
     .help = "springs: along edges and diagonals; membrane: woven triangles with warp, weft and hinges, for implicit, "
             "semi_implicit and explicit (auto then is implicit); auto: membrane for a mesh of triangles, where the "
             "integrator supports it, else springs"},
    {"warp", RUGA_FIELD_VECTOR, AT(ruga_cloth_def, warp), .unit = "1", .preset = "null",
     .help = "direction of a membrane's warp at rest, of any length; if absent, along u of the UVs, or upwards "
             "without UVs"},
    {"weft", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, weft), .unit = "N/m", .preset = "null", RANGE(1e-9, 1e15),
     .help = "a membrane's stretch along its weft; if absent, that of the material, which is along its warp"},
    {"shear", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, shear), .unit = "N/m", .preset = "null", RANGE(0, 1e15),
     .help = "stiffness of quads and membranes against shear; if absent, shear_ratio times stretch of the material"},
    {"quads", RUGA_FIELD_FLAG, AT(ruga_cloth_def, quads), .preset = "true",
     .help = "springs along the edges and both diagonals of quads; false: along the edges of triangles"},
    {"axial_bending", RUGA_FIELD_FLAG, AT(ruga_cloth_def, axial_bending), .preset = "false",
     .help = "additional springs that resist even slight folds (Patkar et al. 2015)"},
    {"bending", RUGA_FIELD_CHOICE, AT(ruga_cloth_def, bending), .preset = "auto", .choices = bendings,
     .help =
         "bending of cloth with springs. springs: bending springs; hinges: those of a membrane, so that cloth drapes "
         "as a "
         "membrane does, for implicit, semi_implicit and explicit (the integrator auto then is implicit); auto: "
         "hinges with the integrator implicit, else springs"},
    {"compression_soft", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, compression_soft), .unit = "1", .preset = "1",
     RANGE(0, 1000), .help = "stiffness of edges in compression over that in tension, up to the limit"},
    {"compression_hard", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, compression_hard), .unit = "1", .preset = "1",
     RANGE(0, 1000), .help = "the same beyond the limit"},
    {"compression_limit", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, compression_limit), .unit = "1", .preset = "0",
     RANGE(0, 0.999),
     .help = "relative compression of an edge at which the hard phase begins (Müller and Chentanez 2010)"},
    {"drag", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, drag), .unit = "kg/m³", .preset = "0.6", RANGE(0, 1e9),
     .help = "force of the air along its relative velocity: half the density of air times the coefficient; on "
             "points in kg/m"},
    {"lift", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, lift), .unit = "kg/m³", .preset = "0.6", RANGE(0, 1e9),
     .help = "force of the air across its relative velocity; on points in kg/m"},
    {"lift_form", RUGA_FIELD_CHOICE, AT(ruga_cloth_def, lift_form), .preset = "smooth", .choices = lift_forms,
     .help = "lift by the angle a between air and surface: smooth: sin a cos a, printed: cos² a, unit: cos a"},
    {"air_on_points", RUGA_FIELD_FLAG, AT(ruga_cloth_def, air_on_points), .preset = "false",
     .help = "the same force on every vertex whatever its area, as in the paper; else on triangles, by their "
             "area"},
    {"thickness", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, thickness), .unit = "m", .preset = "0.001", RANGE(0, 1000),
     .help = "distance that vertices keep from every collider"},
    {"pins", RUGA_FIELD_VARIANTS, AT(ruga_cloth_def, pins), .preset = "", .sections = pin_kinds,
     .help = "vertices that are held"},
    {"changes", RUGA_FIELD_LIST, AT(ruga_cloth_def, changes), .preset = "", .sections = cloth_key_sections,
     .help = "keyframes of stiffness and mass; linear between two, constant before the first and after the "
             "last"},
};

static const char *const former_keys[] = {"hinges", "\"bending\": \"hinges\"", NULL};

/* ---- Reports of the fabric, where the scene leaves it open. */

static void report_membrane(build *b, const ruga_cloth_def *values, const cloth_fabric *fabric) {
    static const char *const sources[] = {
        [WARP_FROM_UVS] = "along u of the UVs",
        [WARP_FROM_DIRECTION] = "along the given direction",
        [WARP_BY_DEFAULT] =
            "upwards, and along x where it is level, because the mesh has no UVs and \"warp\" is not given"};
    int says_integrator = values->integrator == INTEGRATOR_AUTO && !b->simulated.bound; /* bound cloth has said it */
    log_info(b->context, "object \"%s\": its triangles are a membrane; the warp runs %s%s", b->object->name,
             sources[fabric->warp.source],
             says_integrator ? "; the integrator is \"implicit\", because none was chosen" : "");
}

/* Cloth that hangs by its end from its greatest extent, along its softer yarns. */
static ruga_status report_own_weight(build *b, const ruga_cloth_def *values, const ruga_material_def *material,
                                     const cloth_fabric *fabric) {
    double limit = fabric->strain_limit;
    int by_weft = fabric->elements == CLOTH_MEMBRANE && values->weft < material->stretch;
    if (!(limit > 0) || b->mesh->vertex_count == 0) return RUGA_OK;
    vec3 low, high;
    vec3_bounds(b->mesh->positions, b->mesh->vertex_count, &low, &high);
    vec3 size = vec3_sub(high, low);
    double length = fmax(size.x, fmax(size.y, size.z)), gravity = vec3_length(b->scene->gravity);
    double strain = material->density * gravity * length / (by_weft ? values->weft : material->stretch);
    if (!(strain > limit)) return RUGA_OK;
    return build_found(b, by_weft ? (const void *)&values->weft : &b->object->material, RUGA_WARNING_INPUT,
                       "hanging from its end, the fabric stretches by %.3g %% under its own weight, more than its "
                       "strain_limit of %.3g %%; raise the limit or %s, or set the limit to 0",
                       100 * strain, 100 * limit, by_weft ? "the weft" : "the stretch of its material");
}

/* The scene's own material of the object; NULL: a preset. */
static const ruga_material_def *own_material(const build *b) {
    const ruga_material_def *own = b->scene->materials.items;
    for (size_t i = 0; b->object->material && i < b->scene->materials.count; i++)
        if (own[i].name && strcmp(own[i].name, b->object->material) == 0) return &own[i];
    return NULL;
}

/* A strain limit has no effect with other integrators than implicit: a warning where the scene itself gives it, but
 * none about that of a preset. Hooks may still make `auto` implicit. */
static ruga_status report_unused_limit(build *b, const ruga_cloth_def *values, const cloth_fabric *fabric) {
    const ruga_material_def *own = own_material(b);
    const char *name = integrator_name((integrator_kind)fabric->integrator);
    int may_change = values->integrator == INTEGRATOR_AUTO && b->object->hooks.count > 0;
    if (!own || !(own->strain_limit > 0) || fabric->strain_limit > 0 || may_change) return RUGA_OK;
    return build_found(b, &own->strain_limit, RUGA_WARNING_INPUT,
                       "object \"%s\" ignores the strain limit: its integrator is %s, and only implicit has it; "
                       "use implicit, or \"stretch_limit\" of the cloth",
                       b->object->name, name);
}

/* Values that springs ignore. */
static ruga_status report_springs(build *b, const ruga_cloth_def *values, const cloth_fabric *fabric) {
    static const char ignored[] =
        "springs ignore it: they do not differ between warp and weft; use \"elements\": \"membrane\" with the "
        "integrator implicit, or leave it out";
    if (!isnan(values->warp.x)) TRY(build_found(b, &values->warp, RUGA_WARNING_INPUT, "%s", ignored));
    if (!isnan(values->weft)) TRY(build_found(b, &values->weft, RUGA_WARNING_INPUT, "%s", ignored));
    if (isnan(values->shear) || !(fabric->quadless > 0)) return RUGA_OK;
    return build_found(b, &values->shear, RUGA_WARNING_INPUT,
                       "shear is ignored on %.3g %% of the triangles, which are in no quad: springs along their "
                       "edges have a shear of their own; use \"elements\": \"membrane\" with the integrator implicit",
                       100 * fabric->quadless);
}

static ruga_status report_fabric(build *b, const ruga_cloth_def *values, const ruga_material_def *material,
                                 const body *cloth) {
    cloth_fabric fabric = cloth_fabric_of(cloth);
    TRY(report_own_weight(b, values, material, &fabric));
    TRY(report_unused_limit(b, values, &fabric));
    if (fabric.elements == CLOTH_SPRINGS) return report_springs(b, values, &fabric);
    report_membrane(b, values, &fabric);
    if (fabric.warp.source == WARP_FROM_DIRECTION && 2 * fabric.warp.crossed > b->mesh->triangle_count)
        return build_found(b, &values->warp, RUGA_WARNING_INPUT,
                           "the warp crosses %zu of %zu triangles at nearly a right angle; theirs runs upwards "
                           "instead, or along x where they are level: give a direction along the cloth",
                           fabric.warp.crossed, b->mesh->triangle_count);
    if (fabric.warp.repaired == 0) return RUGA_OK;
    return build_found(b, &values->warp, RUGA_WARNING_INPUT,
                       "the UVs of %zu of %zu triangles have no area, of triangle %zu first; their warp runs upwards "
                       "instead, or along x where they are level: unwrap them again, or give the direction as "
                       "\"warp\"",
                       fabric.warp.repaired, b->mesh->triangle_count, fabric.warp.first_repaired);
}

static ruga_status make_body(build *b, const void *from, body **out) {
    const ruga_cloth_def *values = from;
    cloth_def def = {.name = b->object->name, .values = *values, .simulated = b->simulated, .damping_time = NAN};
    TRY(build_find_material(b, "cotton", &def.material));
    TRY(pins_make(b, &values->pins, b->simulated.visible, &def.pins, &def.pin_def_count));
    if (values->changes.count > 0) TRY(build_check_keys(b, &values->changes, sizeof(ruga_cloth_key)));
    if (b->errors) return RUGA_OK;
    def.colliders_by_contact = b->scene->contact.on && b->object->contact.collides;
    body *made;
    TRY(cloth_create(b->mesh, &def, &made));
    ruga_status status = report_fabric(b, values, &def.material, made);
    if (RUGA_FAILED(status))
        made->interface->destroy(made);
    else
        *out = made;
    return status;
}

_Static_assert(offsetof(ruga_cloth_key, time) == 0, "build_check_keys wants the time first");

const kind cloth_body_kind = {
    .section =
        SECTION("cloth", ruga_cloth_def, cloth_fields, .former = former_keys,
                .help = "Hangs, falls and flies: masses and springs made of the object's material, in moving air, "
                        "outside of the colliders."),
    .role = KIND_BODY,
    .flags = KIND_HAS_DYNAMICS | KIND_FEELS_WIND | KIND_FEELS_GRAVITY | KIND_FEELS_COLLIDERS | KIND_SHOWS_MATERIAL |
             KIND_LANDS_IN_SHORT_STEPS,
    .make_body = make_body,
};

const ruga_section *cloth_section(void) { return &cloth_body_kind.section; }
