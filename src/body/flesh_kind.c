/* The kind of body "flesh": the table of its values, and how they become a body. docs/flesh.md explains the numbers. */
#include <math.h>

#include "body/flesh.h"
#include "body/kind.h"
#include "body/muscle_kinds.h"
#include "body/pin_kinds.h"
#include "geom/embed.h"
#include "geom/tet_fill.h"

static const char *const materials[] = {"neo_hookean", "corotated", "invertible", NULL};
static const char *const integrators[] = {"implicit", "semi_implicit", "quasistatic", NULL};

static const ruga_field flesh_fields[] = {
    {"material", RUGA_FIELD_CHOICE, AT(ruga_flesh_def, material), .preset = "neo_hookean", .choices = materials,
     .help = "neo_hookean: preserves volume well; corotated: linear in the strain, recovers even from a single point; "
             "invertible: neo-Hookean stress below a fifth of a length continued linearly, the reference"},
    {"young", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, young), .unit = "Pa", .preset = "20000", RANGE(1e-6, 1e15),
     .help = "Young's modulus: fat 2 000 to 10 000, skin and muscle 10 000 to 100 000, rubber 1 000 000 and more"},
    {"poisson", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, poisson), .unit = "1", .preset = "0.45", RANGE(-0.99, 0.4999),
     .help = "Poisson ratio, below 0.5: flesh 0.45, foam 0.1 to 0.3; near 0.5 coarse tets become too stiff"},
    {"density", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, density), .unit = "kg/m³", .preset = "1000", RANGE(1e-9, 1e9),
     .help = "mass per volume; of quasistatic flesh it matters for the weight alone"},
    {"damping", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, damping), .unit = "s", .preset = "0.01", RANGE(0, 1000),
     .help = "damping over stiffness; a motion of frequency f loses the fraction pi f damping of the critical"},
    {"integrator", RUGA_FIELD_CHOICE, AT(ruga_flesh_def, integrator), .preset = "implicit", .choices = integrators,
     .help = "implicit: backward Euler, stable at any step; semi_implicit: explicit but for damping, for small steps "
             "only; quasistatic: no inertia, each substep ends in equilibrium"},
    {"tolerance", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, tolerance), .unit = "1", .preset = "null", RANGE(1e-14, 0.5),
     .help = "quasistatic: remaining forces relative to those at the start, 1e-5 if absent; else the relative residual "
             "at which a step's iterations stop, 1e-4 if absent"},
    {"iterations", RUGA_FIELD_WHOLE, AT(ruga_flesh_def, iterations), .unit = "1", .preset = "2000", RANGE(1, 1000000),
     .help = "largest number of iterations of a step, or of each Newton step"},
    {"newton_steps", RUGA_FIELD_WHOLE, AT(ruga_flesh_def, newton_steps), .unit = "1", .preset = "100",
     RANGE(1, 1000000), .help = "quasistatic: largest number of Newton steps in a substep"},
    {"skin", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, skin), .unit = "N/m", .preset = "0", RANGE(0, 1e12),
     .help = "stiffness of the surface against stretch: Young's modulus of the skin times its thickness; 0: no skin"},
    {"skin_bend", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, skin_bend), .unit = "N m", .preset = "0", RANGE(0, 1e12),
     .help = "stiffness of a skin against bending: about skin times thickness² over 12"},
    {"spacing", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, spacing), .unit = "m", .preset = "null", RANGE(1e-9, 1e9),
     .help = "size of the tets that fill a mesh without any; if absent, so that there are about 30 000 of them"},
    {"drag", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, drag), .unit = "kg/m³", .preset = "0", RANGE(0, 1e6),
     .help = "drag of the surface along the wind: half the drag coefficient times the density of the air"},
    {"lift", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, lift), .unit = "kg/m³", .preset = "0", RANGE(0, 1e6),
     .help = "lift of the surface across the wind: the same with the lift coefficient"},
    {"thickness", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, thickness), .unit = "m", .preset = "0.002", RANGE(0, 1000),
     .help = "distance that contact keeps from colliders and other objects"},
    {"friction", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, friction), .unit = "1", .preset = "0.5", RANGE(0, 10),
     .help = "Coulomb's coefficient, in contact"},
    {"hold", RUGA_FIELD_NUMBER, AT(ruga_flesh_def, hold), .unit = "1", .preset = "100", RANGE(1e-3, 1e6),
     .help = "where the mesh follows tets: stiffness of pins over that of a tet. Vertices of tets are held exactly"},
    {"pins", RUGA_FIELD_VARIANTS, AT(ruga_flesh_def, pins), .preset = "", .sections = pin_kinds,
     .help = "vertices that are held, such as those on the skull"},
    {"muscles", RUGA_FIELD_LIST, AT(ruga_flesh_def, muscles), .preset = "", .sections = muscle_sections,
     .help = "parts of the material that contract"},
};

static ruga_status check(build *b, const void *from) {
    const ruga_flesh_def *values = from;
    const ruga_vec3 g = b->scene->gravity;
    if (b->scene->colliders.count > 0 && !b->scene->contact.on)
        TRY(build_found(b, &b->object->body, RUGA_WARNING_INPUT,
                        "flesh stays outside of colliders by contact alone, which is off; set \"contact\": true"));
    if (values->skin_bend > 0 && values->skin == 0)
        TRY(build_found(b, &values->skin_bend, RUGA_WARNING_INPUT,
                        "skin_bend has no effect without a skin; set \"skin\" too"));
    if (values->integrator == FLESH_QUASISTATIC && values->pins.count == 0 && (g.x != 0 || g.y != 0 || g.z != 0))
        TRY(build_found(
            b, &b->object->body, RUGA_WARNING_INPUT,
            "its integrator is quasistatic, but no pins hold it against its weight, so that it has no equilibrium; "
            "pin it, set the gravity to 0, or use the integrator implicit"));
    return RUGA_OK;
}

/* ---- Tets for a surface. */

static ruga_status report_fill(build *b, const tet_fill_report *report, const ruga_mesh *tets) {
    log_info(b->context,
             "object \"%s\": filled with %zu tets and %zu points of spacing %.3g m; dihedral angles from %.0f to %.0f "
             "degrees; volume %.4g m³; the surface is at most %.2g m off",
             b->object->name ? b->object->name : "", tets->tet_count, tets->vertex_count, report->spacing,
             report->least_angle, report->most_angle, report->volume, report->distance);
    if (report->pieces < 2) return RUGA_OK;
    return build_found(b, &b->object->body, RUGA_ERROR_INPUT,
                       "its tets are in %zu pieces, which are not connected; make each piece an object of its own, or "
                       "choose a smaller \"spacing\" than %.3g m if thin parts were lost",
                       report->pieces, report->spacing);
}

/* The mesh rides on tets that fill it. */
static ruga_status fill(build *b, const ruga_flesh_def *values, body_simulated *out) {
    const tet_fill_def def = {.spacing = isnan(values->spacing) ? 0 : values->spacing};
    tet_fill_report report = {0};
    ruga_mesh *tets = NULL;
    ruga_map *visible = NULL;
    const void *about = isnan(values->spacing) ? (const void *)&b->object->body : &values->spacing;
    TRY(build_about(b, about, tet_fill_make(b->mesh, &def, &tets, &report)));
    if (!tets) return RUGA_OK;
    ruga_status status = embed_in_tets(tets, b->mesh->positions, b->mesh->vertex_count, &visible);
    out->mesh = tets;
    out->visible = visible;
    TRY(build_keep(b, tets, visible));
    TRY(status);
    return report_fill(b, &report, tets);
}

static ruga_status make_body(build *b, const void *from, body **out) {
    const ruga_flesh_def *values = from;
    flesh_def def = {.values = *values, .simulated = b->simulated};
    def.feels_colliders = b->scene->contact.on && b->scene->colliders.count > 0;
    def.feels_surfaces = b->scene->contact.on;
    if (!isnan(b->object->contact.thickness)) def.values.thickness = b->object->contact.thickness;
    if (b->mesh->tet_count == 0 && !b->simulated.mesh) TRY(fill(b, values, &def.simulated));
    TRY(pins_make(b, &values->pins, NULL, &def.pins, &def.pin_def_count));
    TRY(muscles_make(b, &values->muscles, &def.muscles, &def.muscle_count));
    if (b->errors) return RUGA_OK;
    return flesh_create(b->mesh, &def, out);
}

static ruga_finish finish(const void *values) {
    (void)values;
    return RUGA_FINISH_SKIN;
}

const kind flesh_body_kind = {
    .section = SECTION("flesh", ruga_flesh_def, flesh_fields,
                       .help = "A soft solid of tetrahedra that survives inversion, with muscles and a skin: dynamic, "
                               "or in equilibrium at every frame. Contact keeps it outside of others."),
    .role = KIND_BODY,
    .flags = KIND_HAS_DYNAMICS | KIND_IS_SOLID | KIND_FEELS_WIND | KIND_FEELS_GRAVITY | KIND_FEELS_COLLIDERS,
    .make_body = make_body,
    .check = check,
    .finish = finish,
};

const ruga_section *flesh_section(void) { return &flesh_body_kind.section; }
