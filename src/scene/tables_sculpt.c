/* The tables of sculpts: strokes with their curves, in scenes and in files of strokes. docs/sculpt.md says what is behind the
 * numbers. */
#include "ruga/sculpt.h"
#include "scene/rows.h"
#include "scene/tables.h"

static const char *const modes[] = {"around", "between", NULL};
static const char *const starts[] = {"band", "count", "search", NULL};
static const char *const attenuations[] = {"bell", "implicit", NULL};
static const char *const ends[] = {"soft", "printed", NULL};
static const char *const drives[] = {"length", "compression", NULL};
_Static_assert(RUGA_REGION_AROUND == 0 && RUGA_REGION_BETWEEN == 1, "in the order of ruga_stroke_region");
_Static_assert(RUGA_STROKE_BAND == 0 && RUGA_STROKE_COUNT == 1 && RUGA_STROKE_SEARCH == 2,
               "in the order of ruga_stroke_start");
_Static_assert(RUGA_ATTENUATION_BELL == 0 && RUGA_ATTENUATION_IMPLICIT == 1, "in the order of ruga_attenuation");
_Static_assert(RUGA_ENDS_SOFT == 0 && RUGA_ENDS_PRINTED == 1, "in the order of ruga_stroke_ends");

/* ---- Curves. */

static const ruga_field point_fields[] = {
    {"at", RUGA_FIELD_VECTOR, AT(ruga_stroke_point, at), .unit = "1", .help = "a point of a curve, as the list has it"},
};
static const ruga_section point_section = SECTION("point", ruga_stroke_point, point_fields, .shorthand = "at",
                                                  .help = "A point; a bare vector stands for it.");
static const ruga_section *const point_sections[] = {&point_section, NULL};

static const ruga_field named_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_named_curve_def, name),
     .help = "of a curve of the file of curves, or of the model"},
};
const ruga_section curve_named_section = SECTION(
    "named", ruga_named_curve_def, named_fields, .shorthand = "name",
    .help = "A curve of the file of curves, or one that the models bust and shoe have. A bare text is its name.");

#define CLOSED_ROW                                                                                                    \
    {                                                                                                                 \
        "closed", RUGA_FIELD_FLAG, AT(ruga_drawn_curve_def, closed), .preset = "false",                               \
                                                                     .help = "the last point leads back to the first" \
    }

static const ruga_field drawn_fields[] = {
    {"points", RUGA_FIELD_LIST, AT(ruga_drawn_curve_def, points), .sections = point_sections,
     .help = "[x, y, z] on the mesh or near it, in the unit and with the axes of the mesh's file"},
    CLOSED_ROW,
};
const ruga_section curve_drawn_section =
    SECTION("drawn", ruga_drawn_curve_def, drawn_fields, .shorthand = "points",
            .help = "A curve by its points, traced over the surface from each to the next. A bare list is its points.");

static const ruga_field placed_fields[] = {
    {"on", RUGA_FIELD_LIST, AT(ruga_drawn_curve_def, points), .sections = point_sections,
     .help =
         "[triangle, weight, weight]: the number of a triangle from 0, and the weights of its second and third corner"},
    CLOSED_ROW,
};
const ruga_section curve_placed_section =
    SECTION("placed", ruga_drawn_curve_def, placed_fields, .shorthand = "on",
            .help = "A curve by places on triangles, as files of curves have them.");
static const ruga_section *const curve_kinds[] = {&curve_named_section, &curve_drawn_section, &curve_placed_section,
                                                  NULL};

/* ---- Strokes. */

static const ruga_field key_fields[] = {
    {"time", RUGA_FIELD_NUMBER, AT(ruga_length_key, time), .unit = "s", .help = "later than that of the key before"},
    {"length", RUGA_FIELD_NUMBER, AT(ruga_length_key, length), .unit = "1", RANGE(0, 100),
     .help = "target length at that time over that of the curve; 1 and less: no wrinkle"},
};
static const ruga_section key_section =
    SECTION("length_key", ruga_length_key, key_fields,
            .help =
                "Between two keys the length goes evenly from one to the other; before the first and after the "
                "last it stays.");
static const ruga_section *const key_sections[] = {&key_section, NULL};

/* Of a stroke, and of all strokes of a sculpt. */
#define LOOK_ROWS(type)                                                                                              \
    {"stiffness",                                                                                                    \
     RUGA_FIELD_NUMBER,                                                                                              \
     AT(type, look.stiffness),                                                                                       \
     .unit = "1",                                                                                                    \
     .preset = "null",                                                                                               \
     RANGE(0, 1e6),                                                                                                  \
     .help = "against bending, k_r: 5 gives many fine wrinkles, 70 few; when absent, 10"},                           \
        {"length",                                                                                                   \
         RUGA_FIELD_NUMBER,                                                                                          \
         AT(type, look.length),                                                                                      \
         .unit = "1",                                                                                                \
         .preset = "null",                                                                                           \
         RANGE(1, 100),                                                                                              \
         .help =                                                                                                     \
             "of the wrinkled curve over that of the drawn one; 1: no wrinkle, 1.2 to 1.7 is usual; when absent, "   \
             "1.3"},                                                                                                 \
        {"mode",                                                                                                     \
         RUGA_FIELD_CHOICE,                                                                                          \
         AT(type, look.mode),                                                                                        \
         .preset = "null",                                                                                           \
         .choices = modes,                                                                                           \
         .help =                                                                                                     \
             "where it is felt: around: within the radius of the curve; between: of the curve or its region curve; " \
             "when absent, around"},                                                                                 \
        {"radius",                                                                                                   \
         RUGA_FIELD_NUMBER,                                                                                          \
         AT(type, look.radius),                                                                                      \
         .unit = "m",                                                                                                \
         .preset = "null",                                                                                           \
         RANGE(1e-9, 1e9),                                                                                           \
         .help =                                                                                                     \
             "how far from the curve it is felt; when absent, as far as the region curve lies, without one a "       \
             "quarter of the curve's length"},                                                                       \
        {"tolerance",                                                                                                \
         RUGA_FIELD_NUMBER,                                                                                          \
         AT(type, look.tolerance),                                                                                   \
         .unit = "m",                                                                                                \
         .preset = "null",                                                                                           \
         RANGE(1e-12, 1e9),                                                                                          \
         .help =                                                                                                     \
             "how near the mesh has to follow the wrinkled curve: it is refined until it does; when absent, a "      \
             "three-hundredth of its length"},                                                                       \
        {"refine",                                                                                                   \
         RUGA_FIELD_NUMBER,                                                                                          \
         AT(type, look.refine),                                                                                      \
         .unit = "1",                                                                                                \
         .preset = "null",                                                                                           \
         RANGE(0, 6),                                                                                                \
         .step = 1,                                                                                                  \
         .help = "greatest number of refinements; when absent, 4"},                                                  \
        {"particles",                                                                                                \
         RUGA_FIELD_NUMBER,                                                                                          \
         AT(type, look.particles),                                                                                   \
         .unit = "1",                                                                                                \
         .preset = "null",                                                                                           \
         RANGE(8, 10000),                                                                                            \
         .step = 1,                                                                                                  \
         .help = "that the curve is simulated with; when absent, 50"},                                               \
        {"start",                                                                                                    \
         RUGA_FIELD_CHOICE,                                                                                          \
         AT(type, look.start),                                                                                       \
         .preset = "null",                                                                                           \
         .choices = starts,                                                                                          \
         .help =                                                                                                     \
             "band: how many wrinkles there are follows from the stiffness; count: as many as asked for; search: "   \
             "the lowest energy of many starts, usually a single bump; when absent, band, or count where wrinkles "  \
             "are asked for"},                                                                                       \
        {"wrinkles",                                                                                                 \
         RUGA_FIELD_NUMBER,                                                                                          \
         AT(type, look.wrinkles),                                                                                    \
         .unit = "1",                                                                                                \
         .preset = "null",                                                                                           \
         RANGE(1, 2500),                                                                                             \
         .step = 1,                                                                                                  \
         .help = "how many there are to be (start: count)"},                                                         \
        {"seed",                                                                                                     \
         RUGA_FIELD_NUMBER,                                                                                          \
         AT(type, look.seed),                                                                                        \
         .unit = "1",                                                                                                \
         .preset = "null",                                                                                           \
         RANGE(0, 1000000000),                                                                                       \
         .step = 1,                                                                                                  \
         .help = "another number gives other wrinkles of the same kind; when absent, 1"},                            \
        {"attenuation",                                                                                              \
         RUGA_FIELD_CHOICE,                                                                                          \
         AT(type, look.attenuation),                                                                                 \
         .preset = "null",                                                                                           \
         .choices = attenuations,                                                                                    \
         .help = "how it fades towards the radius: by a bell, or as implicit surfaces do; when absent, bell"},       \
        {"ends",                                                                                                     \
         RUGA_FIELD_CHOICE,                                                                                          \
         AT(type, look.ends),                                                                                        \
         .preset = "null",                                                                                           \
         .choices = ends,                                                                                            \
         .help =                                                                                                     \
             "soft: wrinkles leave the surface as gently as they bend elsewhere; printed: with a corner, as the "    \
             "paper's sum has it; when absent, soft"},                                                               \
        {"straight", RUGA_FIELD_FLAG, AT(type, look.straight), .preset = "false",                                    \
         .help =                                                                                                     \
             "at rest curves are straight, as in the paper, so that curved ones are straightened; else they rest "   \
             "as they were drawn"},                                                                                  \
        {"drive",                                                                                                    \
         RUGA_FIELD_CHOICE,                                                                                          \
         AT(type, look.drive),                                                                                       \
         .preset = "null",                                                                                           \
         .choices = drives,                                                                                          \
         .help =                                                                                                     \
             "over time: length: wrinkles are as long as length or keys say; compression: they appear where the "    \
             "motion makes the curve shorter than at rest; when absent, length"},                                    \
    {                                                                                                                \
        "keys", RUGA_FIELD_LIST, AT(type, look.keys),                                                                \
            .preset = "", .sections = key_sections,                                                                  \
            .help = "over time: the target length at moments, instead of length"                                     \
    }

static const ruga_field stroke_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_stroke_row, name), .preset = "null",
     .help = "what messages call it; when absent, as its curve is called, or its number"},
    {"curve", RUGA_FIELD_VARIANT, AT(ruga_stroke_row, curve), .preset = "null", .sections = curve_kinds,
     .help = "along which it wrinkles; when absent, the one that is called as the stroke is"},
    {"region", RUGA_FIELD_VARIANT, AT(ruga_stroke_row, region), .preset = "null", .sections = curve_kinds,
     .help = "a second curve, that the region goes as far as; when absent, the one called \"NAME region\", if there is "
             "one"},
    {"off", RUGA_FIELD_FLAG, AT(ruga_stroke_row, off), .preset = "false", .help = "leaves the stroke out"},
    LOOK_ROWS(ruga_stroke_row),
};
static const ruga_section stroke_section =
    SECTION("stroke", ruga_stroke_row, stroke_fields,
            .help = "A curve that wrinkles. What it does not say is as the sculpt says for all.");
static const ruga_section *const stroke_sections[] = {&stroke_section, NULL};

/* ---- Sculpts. */

static const ruga_field sculpt_fields[] = {
    {"file", RUGA_FIELD_PATH, AT(ruga_sculpt_def, file), .preset = "null",
     .help = "a file of strokes: JSON with what can stand here; or a file of curves, each of which is a stroke"},
    {"curves", RUGA_FIELD_PATH, AT(ruga_sculpt_def, curves), .preset = "null",
     .help = "a file of curves that strokes name: lines of an OBJ, paths of an SVG over the UVs, or JSON; without "
             "strokes, each is one"},
    {"strokes", RUGA_FIELD_LIST, AT(ruga_sculpt_def, strokes), .preset = "", .sections = stroke_sections,
     .help = "curves that wrinkle, in their order"},
    LOOK_ROWS(ruga_sculpt_def),
};
const ruga_section edit_sculpt_section =
    SECTION("sculpt", ruga_sculpt_def, sculpt_fields,
            .help =
                "Wrinkles along curves that were drawn on the mesh (Wang, Wang and Yuen 2006). The old vertices come "
                "first, in their order.");
const ruga_section detail_sculpt_section =
    SECTION("sculpt", ruga_sculpt_def, sculpt_fields,
            .help =
                "Wrinkles along curves that were drawn on the mesh at rest, on top of whatever moves it; their "
                "lengths may have keys or follow its compression.");
