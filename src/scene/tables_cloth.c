/* The tables of cloth and its pins: docs/cloth.md says what is behind the numbers. */
#include "body/cloth.h"
#include "scene/rows.h"
#include "scene/tables.h"

/* ---- Pins. */

/* How every kind of pin says which vertices it holds. */
#define CHOICE_ROWS(type)                                                                                            \
    {"where",                                                                                                        \
     RUGA_FIELD_PARAM,                                                                                               \
     AT(type, choice.where),                                                                                         \
     .unit = "1",                                                                                                    \
     .preset = "0",                                                                                                  \
     .help = "holds the vertices where this is above 0.5: a group, a painted attribute or a file of numbers"},       \
        {"box_from",                                                                                                 \
         RUGA_FIELD_VECTOR,                                                                                          \
         AT(type, choice.box_from),                                                                                  \
         .unit = "m",                                                                                                \
         .preset = "null",                                                                                           \
         .help =                                                                                                     \
             "holds the vertices within a box of the scene, at rest: its least x, y and z; when absent, and box_to " \
             "is given, it has no end on that side"},                                                                \
        {"box_to",                                                                                                   \
         RUGA_FIELD_VECTOR,                                                                                          \
         AT(type, choice.box_to),                                                                                    \
         .unit = "m",                                                                                                \
         .preset = "null",                                                                                           \
         .help = "the box's greatest x, y and z; when absent, and box_from is given, it has no end on that side"},   \
    {                                                                                                                \
        "vertices", RUGA_FIELD_TEXT, AT(type, choice.vertices),                                                      \
            .preset = "null", .help = "holds vertices by their numbers, from 0, and spans of them, as 0-20, 441"     \
    }

static const ruga_field pin_fixed_fields[] = {CHOICE_ROWS(ruga_pin_fixed_def)};
const ruga_section pin_fixed_section =
    SECTION("fixed", ruga_pin_fixed_def, pin_fixed_fields, .help = "Holds vertices where they are at rest.");

static const ruga_field pin_key_fields[] = {
    {"time", RUGA_FIELD_NUMBER, AT(ruga_pin_key, time), .unit = "s", .help = "when; later than the key before"},
    {"move", RUGA_FIELD_VECTOR, AT(ruga_pin_key, move), .unit = "m", .preset = "0,0,0",
     .help = "from where the vertices are at rest"},
};
static const ruga_section pin_key_section = SECTION("key", ruga_pin_key, pin_key_fields, .help = "A place at a time.");
static const ruga_section *const pin_key_sections[] = {&pin_key_section, NULL};

static const ruga_field pin_path_fields[] = {
    CHOICE_ROWS(ruga_pin_path_def),
    {"keys", RUGA_FIELD_LIST, AT(ruga_pin_path_def, keys), .sections = pin_key_sections,
     .help = "keyframes; straight between two, still before the first and after the last"},
};
const ruga_section pin_path_section =
    SECTION("path", ruga_pin_path_def, pin_path_fields, .help = "Moves vertices along a path, through keyframes.");

static const ruga_field pin_follow_fields[] = {
    CHOICE_ROWS(ruga_pin_follow_def),
    {"object", RUGA_FIELD_NAME, AT(ruga_pin_follow_def, object), .names = "objects",
     .help = "that carries them, as it moves and turns; it has to stand before the cloth in the list of objects"},
};
const ruga_section pin_follow_section =
    SECTION("follow", ruga_pin_follow_def, pin_follow_fields,
            .help = "Ties vertices to the nearest place on another object: a flag to its pole, a sleeve to an arm.");

static const ruga_section *const pin_kinds[] = {&pin_fixed_section, &pin_path_section, &pin_follow_section, NULL};

/* ---- Cloth. */

static const char *const integrators[] = {
    "approximate_implicit", "explicit", "semi_implicit", "implicit", "filter", NULL};
_Static_assert(INTEGRATOR_APPROXIMATE_IMPLICIT == 0 && INTEGRATOR_EXPLICIT == 1 && INTEGRATOR_SEMI_IMPLICIT == 2 &&
                   INTEGRATOR_IMPLICIT == 3 && INTEGRATOR_FILTER == 4 && INTEGRATOR_COUNT == 5,
               "in the order of integrator_kind");

static const char *const lift_forms[] = {"smooth", "printed", "unit", NULL};
_Static_assert(AIR_LIFT_SMOOTH == 0 && AIR_LIFT_PRINTED == 1 && AIR_LIFT_UNIT == 2, "in the order of air_lift");

static const ruga_field cloth_key_fields[] = {
    {"time", RUGA_FIELD_NUMBER, AT(ruga_cloth_key, time), .unit = "s", .help = "when; later than the key before"},
    {"stiffness", RUGA_FIELD_NUMBER, AT(ruga_cloth_key, stiffness), .unit = "1", .preset = "1", RANGE(1e-9, 1e9),
     .help = "of every spring, as a part of what the material makes of it"},
    {"mass", RUGA_FIELD_NUMBER, AT(ruga_cloth_key, mass), .unit = "1", .preset = "1", RANGE(1e-9, 1e9),
     .help = "of every vertex, as a part of what the material makes of it: above 1 when it gets wet, say"},
};
static const ruga_section cloth_key_section =
    SECTION("change", ruga_cloth_key, cloth_key_fields, .help = "Stiffness and mass at a time.");
static const ruga_section *const cloth_key_sections[] = {&cloth_key_section, NULL};

static const ruga_field cloth_fields[] = {
    {"integrator", RUGA_FIELD_CHOICE, AT(ruga_cloth_def, integrator), .preset = "approximate_implicit",
     .choices = integrators,
     .help = "approximate_implicit: stable at any step and fast (Kang et al. 2001); filter: what its sweeps converge "
             "to; implicit: backward Euler, the most accurate at large steps; semi_implicit, explicit: for small steps "
             "only"},
    {"sweeps", RUGA_FIELD_WHOLE, AT(ruga_cloth_def, sweeps), .unit = "1", .preset = "2", RANGE(2, 10000),
     .help = "of approximate_implicit: 2 are the paper's; more let fine meshes stretch less; odd numbers become even"},
    {"conserve_momentum", RUGA_FIELD_FLAG, AT(ruga_cloth_def, conserve_momentum), .preset = "false",
     .help = "takes out the drift that few sweeps of approximate_implicit give cloth that nothing holds"},
    {"tolerance", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, tolerance), .unit = "1", .preset = "0.001", RANGE(1e-14, 1),
     .help = "relative residual at which implicit and semi_implicit stop iterating"},
    {"iterations", RUGA_FIELD_WHOLE, AT(ruga_cloth_def, iterations), .unit = "1", .preset = "500", RANGE(1, 1000000),
     .help = "that implicit and semi_implicit do at most"},
    {"adaptive", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, adaptive), .unit = "1", .preset = "0", RANGE(0, 1000),
     .help = "cuts substeps so that no spring changes its length in one step by more than this part; 0 does not"},
    {"most_steps", RUGA_FIELD_WHOLE, AT(ruga_cloth_def, most_steps), .unit = "1", .preset = "64", RANGE(1, 1000000),
     .help = "that a substep is cut into by adaptive"},
    {"stretch_limit", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, stretch_limit), .unit = "1", .preset = "0", RANGE(0, 1000),
     .help = "elongation beyond which edges are drawn together (Provot 1995), as 0.1 for a tenth; 0: they are not"},
    {"limit_rounds", RUGA_FIELD_WHOLE, AT(ruga_cloth_def, limit_rounds), .unit = "1", .preset = "20", RANGE(1, 100000),
     .help = "of drawing edges together, at most"},
    {"shear", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, shear), .unit = "N/m", .preset = "null", RANGE(0, 1e15),
     .help = "stiffness of quads against shear; when absent, a tenth of the material's stretch"},
    {"quads", RUGA_FIELD_FLAG, AT(ruga_cloth_def, quads), .preset = "true",
     .help = "springs along the edges and both diagonals of quads; false: of the triangles they are cut into"},
    {"axial_bending", RUGA_FIELD_FLAG, AT(ruga_cloth_def, axial_bending), .preset = "false",
     .help = "springs that resist even slight folds, besides the bending springs (Patkar et al. 2015)"},
    {"compression_soft", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, compression_soft), .unit = "1", .preset = "1",
     RANGE(0, 1000), .help = "stiffness of edges in compression, of that in tension, up to the limit"},
    {"compression_hard", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, compression_hard), .unit = "1", .preset = "1",
     RANGE(0, 1000), .help = "the same beyond the limit"},
    {"compression_limit", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, compression_limit), .unit = "1", .preset = "0",
     RANGE(0, 0.999),
     .help = "part of its length that an edge loses before the hard phase (Müller and Chentanez 2010)"},
    {"drag", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, drag), .unit = "kg/m³", .preset = "0.6", RANGE(0, 1e9),
     .help = "force of the air along its relative velocity: half its density times the coefficient; on points in kg/m"},
    {"lift", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, lift), .unit = "kg/m³", .preset = "0.6", RANGE(0, 1e9),
     .help = "force of the air across its relative velocity; on points in kg/m"},
    {"lift_form", RUGA_FIELD_CHOICE, AT(ruga_cloth_def, lift_form), .preset = "smooth", .choices = lift_forms,
     .help = "with the angle a between air and surface: smooth: sin a cos a, printed: cos² a, unit: cos a"},
    {"air_on_points", RUGA_FIELD_FLAG, AT(ruga_cloth_def, air_on_points), .preset = "false",
     .help = "the same force on every vertex whatever its area, as printed; else on triangles, by their area"},
    {"thickness", RUGA_FIELD_NUMBER, AT(ruga_cloth_def, thickness), .unit = "m", .preset = "0.001", RANGE(0, 1000),
     .help = "distance that vertices keep from every collider"},
    {"pins", RUGA_FIELD_VARIANTS, AT(ruga_cloth_def, pins), .preset = "", .sections = pin_kinds,
     .help = "vertices that are held"},
    {"changes", RUGA_FIELD_LIST, AT(ruga_cloth_def, changes), .preset = "", .sections = cloth_key_sections,
     .help = "keyframes of stiffness and mass; straight between two, held before the first and after the last"},
};
const ruga_section body_cloth_section =
    SECTION("cloth", ruga_cloth_def, cloth_fields,
            .flags = RUGA_SECTION_FEELS_WIND | RUGA_SECTION_FEELS_GRAVITY | RUGA_SECTION_FEELS_COLLIDERS,
            .help =
                "Hangs, falls and flies: masses and springs made of the object's material, in moving air, outside "
                "of the colliders.");
