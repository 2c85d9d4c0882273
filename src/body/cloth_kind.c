/* The kind "cloth": its table and those of its pins, and how they become a cloth. docs/cloth.md explains the
 * numbers. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/cloth.h"
#include "body/kind.h"
#include "body/param_file.h"

/* ---- The table of pins. */

/* How every kind of pin says which vertices it holds. */
// clang-format off
#define CHOICE_ROWS(type) \
    {"where", RUGA_FIELD_PARAM, AT(type, choice.where), .unit = "1", .preset = "0", \
     .help = "holds the vertices where this is above 0.5: a selector (docs/selectors.md), a group, a painted " \
             "attribute or a file of numbers"}, \
    {"box_from", RUGA_FIELD_VECTOR, AT(type, choice.box_from), .unit = "m", .preset = "null", \
     .help = "holds the vertices within a box of the scene, at rest: its least x, y and z; if absent, and " \
             "box_to is given, it has no end on that side"}, \
    {"box_to", RUGA_FIELD_VECTOR, AT(type, choice.box_to), .unit = "m", .preset = "null", \
     .help = "the box's greatest x, y and z; if absent, and box_from is given, it has no end on that side"}, \
    {"vertices", RUGA_FIELD_TEXT, AT(type, choice.vertices), .preset = "null", \
     .help = "holds vertices by their numbers, from 0, and spans of them, as 0-20, 441"}
// clang-format on

static const ruga_field pin_fixed_fields[] = {CHOICE_ROWS(ruga_pin_fixed_def)};
static const ruga_section pin_fixed_section =
    SECTION("fixed", ruga_pin_fixed_def, pin_fixed_fields, .help = "Holds vertices where they are at rest.");

static const ruga_field pin_key_fields[] = {
    {"time", RUGA_FIELD_NUMBER, AT(ruga_pin_key, time), .unit = "s",
     .help = "must be later than that of the key before"},
    {"move", RUGA_FIELD_VECTOR, AT(ruga_pin_key, move), .unit = "m", .preset = "0,0,0",
     .help = "displacement from the place at rest"},
};
static const ruga_section pin_key_section =
    SECTION("key", ruga_pin_key, pin_key_fields, .help = "A displacement at a time.");
static const ruga_section *const pin_key_sections[] = {&pin_key_section, NULL};

static const ruga_field pin_path_fields[] = {
    CHOICE_ROWS(ruga_pin_path_def),
    {"keys", RUGA_FIELD_LIST, AT(ruga_pin_path_def, keys), .sections = pin_key_sections,
     .help = "keyframes; linear between two, constant before the first and after the last"},
};
static const ruga_section pin_path_section =
    SECTION("path", ruga_pin_path_def, pin_path_fields, .help = "Moves vertices along a path, through keyframes.");

static const ruga_field pin_follow_fields[] = {
    CHOICE_ROWS(ruga_pin_follow_def),
    {"object", RUGA_FIELD_NAME, AT(ruga_pin_follow_def, object), .names = "objects",
     .help = "object that carries the vertices as it moves and turns; put it before the cloth in the list of "
             "objects"},
};
static const ruga_section pin_follow_section =
    SECTION("follow", ruga_pin_follow_def, pin_follow_fields,
            .help = "Ties vertices to the nearest place on another object: a flag to its pole, a sleeve to an arm.");

static const ruga_section *const pin_kinds[] = {&pin_fixed_section, &pin_path_section, &pin_follow_section, NULL};

/* ---- The table of cloth. */

static const char *const integrators[] = {
    "approximate_implicit", "explicit", "semi_implicit", "implicit", "filter", "auto", NULL};
_Static_assert(INTEGRATOR_APPROXIMATE_IMPLICIT == 0 && INTEGRATOR_EXPLICIT == 1 && INTEGRATOR_SEMI_IMPLICIT == 2 &&
                   INTEGRATOR_IMPLICIT == 3 && INTEGRATOR_FILTER == 4 && INTEGRATOR_AUTO == 5,
               "in the order of integrator_kind");

static const char *const elements[] = {"auto", "springs", "membrane", NULL};
_Static_assert(CLOTH_AUTO == 0 && CLOTH_SPRINGS == 1 && CLOTH_MEMBRANE == 2, "in the order of the choices");

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
             "integrator takes it, else springs"},
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

/* ---- Chosen vertices. */

_Static_assert(offsetof(ruga_pin_fixed_def, choice) == 0 && offsetof(ruga_pin_path_def, choice) == 0 &&
                   offsetof(ruga_pin_follow_def, choice) == 0,
               "every kind of pin begins with its choice");

static ruga_status mark_where(const ruga_param *where, const ruga_mesh *mesh, unsigned char *chosen) {
    double *values = NULL;
    TRY(NEW(mesh->context, &values, mesh->vertex_count));
    ruga_status status = ruga_param_evaluate(where, "where", mesh, 0, values);
    for (size_t i = 0; !RUGA_FAILED(status) && i < mesh->vertex_count; i++) chosen[i] |= values[i] > 0.5;
    memory_release(mesh->context, values);
    return status;
}

/* An absent corner is not a number, and so on neither side of anything. */
static void mark_box(ruga_vec3 from, ruga_vec3 to, const ruga_mesh *mesh, unsigned char *chosen) {
    if (isnan(from.x) && isnan(to.x)) return;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        ruga_vec3 p = mesh->positions[i];
        int outside = p.x < from.x || p.y < from.y || p.z < from.z || p.x > to.x || p.y > to.y || p.z > to.z;
        chosen[i] |= !outside;
    }
}

/* Takes a number off a text; 0 if there is none. */
static int take_number(const char **text, unsigned long *out) {
    if (!isdigit((unsigned char)**text)) return 0;
    char *end;
    *out = strtoul(*text, &end, 10);
    *text = end;
    return 1;
}

static const char *skip(const char *text, const char *characters) { return text + strspn(text, characters); }

/* Numbers and spans with commas or blanks between them: "0-20, 441". */
static ruga_status mark_vertices(const char *text, const ruga_mesh *mesh, unsigned char *chosen) {
    for (const char *at = skip(text, ", "); *at; at = skip(at, ", ")) {
        unsigned long from, to;
        const char *item = at;
        int good = take_number(&at, &from);
        to = from;
        if (good && *(at = skip(at, " ")) == '-') {
            at = skip(at + 1, " ");
            good = take_number(&at, &to);
        }
        if (!good || to < from)
            return fail_with(
                mesh->context, RUGA_ERROR_INPUT,
                "\"%.40s\" in the vertices of a pin is neither a number nor a rising span of numbers, such as "
                "\"0-20, 441\"",
                item);
        if (to >= mesh->vertex_count)
            return fail_with(mesh->context, RUGA_ERROR_INPUT,
                             "vertex %lu is to be pinned, but the mesh has only %zu, from 0 to %zu", to,
                             mesh->vertex_count, mesh->vertex_count - 1);
        memset(chosen + from, 1, to - from + 1);
    }
    return RUGA_OK;
}

/* Vertices of a cut are between points and move with them: only points of their own can be held. */
static void unmark_embedded(const ruga_map *visible, unsigned char *chosen) {
    for (size_t i = 0; visible && i < visible->rows; i++)
        if (visible->offsets[i + 1] != visible->offsets[i] + 1 || visible->weights[visible->offsets[i]] != 1)
            chosen[i] = 0;
}

/* The vertices that a pin chooses, in their order, in the arena. */
static ruga_status choose_vertices(build *b, const ruga_pin_choice *choice, const ruga_param *where,
                                   unsigned char *chosen, cloth_pin_def *out) {
    const ruga_mesh *mesh = b->mesh;
    uint32_t *vertices = NULL;
    size_t count = 0;
    TRY(mark_where(where, mesh, chosen));
    mark_box(choice->box_from, choice->box_to, mesh, chosen);
    if (choice->vertices) TRY(mark_vertices(choice->vertices, mesh, chosen));
    unmark_embedded(b->simulated.visible, chosen);
    for (size_t i = 0; i < mesh->vertex_count; i++) count += chosen[i];
    if (count == 0)
        return fail_with(b->context, RUGA_ERROR_INPUT,
                         "the pin chooses no vertex: give it \"where\", a box that contains vertices of the mesh as it "
                         "stands in the scene, or \"vertices\"");
    TRY(ARENA_NEW(b->memory, &vertices, count));
    for (size_t i = 0, at = 0; i < mesh->vertex_count; i++)
        if (chosen[i]) vertices[at++] = (uint32_t)i;
    out->count = count;
    out->vertices = vertices;
    return RUGA_OK;
}

/* ---- Making. */

static ruga_status make_pin(build *b, const ruga_variant *variant, cloth_pin_def *out) {
    const void *values;
    TRY(variant_values(b->memory, variant, &values));
    const ruga_pin_choice *choice = values; /* every kind of pin begins with it */
    ruga_param where;
    unsigned char *chosen = NULL;
    size_t errors = b->errors;
    TRY(build_param_of(b, ruga_section_field(variant->section, "where"), &choice->where, b->mesh, &where));
    if (b->errors > errors) return RUGA_OK;
    TRY(NEW_ZEROED(b->context, &chosen, b->mesh->vertex_count));
    ruga_status status = choose_vertices(b, choice, &where, chosen, out);
    memory_release(b->context, chosen);
    TRY(build_about(b, choice->vertices ? (const void *)&choice->vertices : variant, status));
    if (variant->section == &pin_path_section) {
        const ruga_pin_path_def *path = values;
        out->key_count = path->keys.count;
        out->keys = path->keys.items;
        return build_check_keys(b, &path->keys, sizeof(ruga_pin_key));
    }
    const ruga_pin_follow_def *follow = values;
    if (variant->section != &pin_follow_section || !follow->object) return RUGA_OK;
    return build_about(b, &follow->object, build_find_body(b, follow->object, &out->leader));
}

static ruga_status make_pins(build *b, const ruga_list *list, cloth_def *out) {
    const ruga_variant *variants = list->items;
    cloth_pin_def *pins = NULL;
    unsigned char *held = NULL;
    size_t errors = b->errors;
    ruga_status status = RUGA_OK;
    TRY(ARENA_NEW(b->memory, &pins, list->count + 1));
    memset(pins, 0, (list->count + 1) * sizeof *pins);
    for (size_t i = 0; i < list->count; i++)
        if (variants[i].section) TRY(make_pin(b, &variants[i], &pins[i]));
    out->pin_def_count = list->count;
    out->pins = pins;
    if (b->errors > errors) return RUGA_OK;
    TRY(NEW_ZEROED(b->context, &held, b->mesh->vertex_count));
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < pins[i].count && b->errors == errors && !RUGA_FAILED(status); k++) {
            uint32_t vertex = pins[i].vertices[k];
            if (held[vertex])
                status = build_found(b, list, RUGA_ERROR_INPUT, "vertex %u is pinned twice; a vertex can have one pin",
                                     vertex);
            held[vertex] = 1;
        }
    memory_release(b->context, held);
    return status;
}

/* ---- Reports of the fabric, where the scene leaves it open. */

static void report_membrane(build *b, const ruga_cloth_def *values, const cloth_fabric *fabric) {
    static const char *const sources[] = {
        [WARP_FROM_UVS] = "along u of the UVs",
        [WARP_FROM_DIRECTION] = "along the given direction",
        [WARP_BY_DEFAULT] =
            "upwards, and along x where it is level, because the mesh has no UVs and \"warp\" is not given"};
    log_info(b->context, "object \"%s\": its triangles are a membrane; the warp runs %s%s", b->object->name,
             sources[fabric->warp.source],
             values->integrator == INTEGRATOR_AUTO ? "; the integrator is \"implicit\", because none was chosen" : "");
}

/* Cloth that hangs by its end from its greatest extent. */
static ruga_status report_own_weight(build *b, const ruga_material_def *material, double limit) {
    if (!(limit > 0) || b->mesh->vertex_count == 0) return RUGA_OK;
    vec3 low, high;
    vec3_bounds(b->mesh->positions, b->mesh->vertex_count, &low, &high);
    vec3 size = vec3_sub(high, low);
    double length = fmax(size.x, fmax(size.y, size.z)), gravity = vec3_length(b->scene->gravity);
    double strain = material->density * gravity * length / material->stretch;
    if (!(strain > limit)) return RUGA_OK;
    return build_found(b, &b->object->material, RUGA_WARNING_INPUT,
                       "hanging from its end, the fabric stretches by %.3g %% under its own weight, more than its "
                       "strain_limit of %.3g %%; raise the limit or the stretch of its material, or set the limit to 0",
                       100 * strain, 100 * limit);
}

static ruga_status report_fabric(build *b, const ruga_cloth_def *values, const ruga_material_def *material,
                                 const body *cloth) {
    cloth_fabric fabric = cloth_fabric_of(cloth);
    TRY(report_own_weight(b, material, fabric.strain_limit));
    if (fabric.elements == CLOTH_SPRINGS) {
        if (isnan(values->shear) || !(fabric.quadless > 0)) return RUGA_OK;
        return build_found(
            b, &values->shear, RUGA_WARNING_INPUT,
            "shear is ignored on %.3g %% of the triangles, which are in no quad: springs along their "
            "edges have a shear of their own; use \"elements\": \"membrane\" with the integrator implicit",
            100 * fabric.quadless);
    }
    report_membrane(b, values, &fabric);
    if (fabric.warp.source == WARP_FROM_DIRECTION && 2 * fabric.warp.crossed > b->mesh->triangle_count)
        return build_found(b, &values->warp, RUGA_WARNING_INPUT,
                           "the warp crosses %zu of %zu triangles at nearly a right angle; theirs runs upwards "
                           "instead, or along x where they are level: give a direction along the cloth",
                           fabric.warp.crossed, b->mesh->triangle_count);
    if (fabric.warp.repaired == 0) return RUGA_OK;
    return build_found(b, &values->warp, RUGA_WARNING_INPUT,
                       "the UVs of %zu triangles have no area, of triangle %zu first; their warp runs upwards instead: "
                       "unwrap them again, or give the direction as \"warp\"",
                       fabric.warp.repaired, fabric.warp.first_repaired);
}

static ruga_status make_body(build *b, const void *from, body **out) {
    const ruga_cloth_def *values = from;
    cloth_def def = {.values = *values, .simulated = b->simulated, .damping_time = NAN};
    TRY(build_find_material(b, "cotton", &def.material));
    TRY(make_pins(b, &values->pins, &def));
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

_Static_assert(offsetof(ruga_pin_key, time) == 0 && offsetof(ruga_cloth_key, time) == 0,
               "build_check_keys wants the time first");

const kind cloth_body_kind = {
    .section =
        SECTION("cloth", ruga_cloth_def, cloth_fields,
                .help = "Hangs, falls and flies: masses and springs made of the object's material, in moving air, "
                        "outside of the colliders."),
    .role = KIND_BODY,
    .flags = KIND_HAS_DYNAMICS | KIND_FEELS_WIND | KIND_FEELS_GRAVITY | KIND_FEELS_COLLIDERS,
    .make_body = make_body,
};
