/* The tables of the scene: every section of ruga/scene.h, row by row, in the order of the structs. What is written here
 * is what the parser accepts, what docs/scene.md says, what an editor completes. To add a tool is to add rows. */
#include "scene/tables.h"

#include <assert.h>
#include <string.h>

#include "base/context.h"
#include "mesh/model.h"
#include "scene/rows.h"

static const char *const axes[] = {"y", "z", "x", NULL};
_Static_assert(RUGA_AXIS_Y == 0 && RUGA_AXIS_Z == 1 && RUGA_AXIS_X == 2, "in the order of ruga_axis");

/* ---- Time, wind. */

static const ruga_field time_fields[] = {
    {"fps", RUGA_FIELD_NUMBER, AT(ruga_time_def, fps), .unit = "1/s", .preset = "24", RANGE(0.001, 100000),
     .help = "frames a second; frame number f is at the time f / fps"},
    {"start_frame", RUGA_FIELD_WHOLE, AT(ruga_time_def, start_frame), .unit = "1", .preset = "0",
     RANGE(-1000000, 1000000), .help = "number of the first frame that is given out"},
    {"frames", RUGA_FIELD_WHOLE, AT(ruga_time_def, frames), .unit = "1", .preset = "48", RANGE(0, 1000000),
     .help = "how many frames are given out"},
    {"substeps", RUGA_FIELD_WHOLE, AT(ruga_time_def, substeps), .unit = "1", .preset = "1", RANGE(1, 10000),
     .help = "steps that each frame is cut into; more follow fast motion and hard contact better, and take longer"},
    {"preroll", RUGA_FIELD_WHOLE, AT(ruga_time_def, preroll), .unit = "1", .preset = "0", RANGE(0, 100000),
     .help = "frames before the first, in which bodies go smoothly from the pose of the mesh to the first frame"},
};
static const ruga_section time_section =
    SECTION("time", ruga_time_def, time_fields, .help = "How time goes: frames, and the steps between them.");

static const ruga_field wind_fields[] = {
    {"velocity", RUGA_FIELD_VECTOR, AT(ruga_wind_def, velocity), .unit = "m/s", .preset = "0,0,0", RANGE(-1000, 1000),
     .help = "mean velocity of the air; 5 m/s is a gentle breeze, 20 m/s a gale"},
    {"gust", RUGA_FIELD_NUMBER, AT(ruga_wind_def, gust), .unit = "1", .preset = "0", RANGE(0, 10),
     .help = "part of the mean speed by which the wind swells and turns; 0 is steady"},
    {"gust_size", RUGA_FIELD_NUMBER, AT(ruga_wind_def, gust_size), .unit = "m", .preset = "1", RANGE(0.0001, 1000000),
     .help = "extent of a gust: points much nearer to each other feel the same wind"},
    {"gust_time", RUGA_FIELD_NUMBER, AT(ruga_wind_def, gust_time), .unit = "s", .preset = "1", RANGE(0.0001, 1000000),
     .help = "how long a gust lasts"},
    {"seed", RUGA_FIELD_WHOLE, AT(ruga_wind_def, seed), .unit = "1", .preset = "1", RANGE(0, 1000000000),
     .help = "another number gives other gusts of the same kind"},
};
static const ruga_section wind_section =
    SECTION("wind", ruga_wind_def, wind_fields, .shorthand = "velocity",
            .help = "The air that blows at everything that feels it. A bare vector is its velocity.");

/* ---- Materials. */

static const ruga_field material_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_material_def, name), .help = "what objects call it"},
    {"like", RUGA_FIELD_NAME, AT(ruga_material_def, like), .preset = "null", .names = "materials",
     .help = "another material or a preset, from which the numbers that are not given here are taken"},
    {"density", RUGA_FIELD_NUMBER, AT(ruga_material_def, density), .unit = "kg/m²", .preset = "null", RANGE(1e-6, 1e6),
     .help = "mass of a square metre"},
    {"thickness", RUGA_FIELD_NUMBER, AT(ruga_material_def, thickness), .unit = "m", .preset = "null", RANGE(1e-9, 1e3),
     .help = "from one side to the other"},
    {"stretch", RUGA_FIELD_NUMBER, AT(ruga_material_def, stretch), .unit = "N/m", .preset = "null", RANGE(0, 1e15),
     .help = "stiffness against stretching: Young's modulus times thickness"},
    {"bend", RUGA_FIELD_NUMBER, AT(ruga_material_def, bend), .unit = "N m", .preset = "null", RANGE(0, 1e15),
     .help = "stiffness against bending: flexural rigidity, moment per width and curvature"},
    {"poisson", RUGA_FIELD_NUMBER, AT(ruga_material_def, poisson), .unit = "1", .preset = "null", RANGE(-0.999, 0.999),
     .help = "how much it narrows when it is stretched; 0: not at all"},
    {"damping", RUGA_FIELD_NUMBER, AT(ruga_material_def, damping), .unit = "1", .preset = "null", RANGE(0, 10),
     .help = "part of the critical damping; 0 swings for ever, 1 does not swing"},
    {"friction", RUGA_FIELD_NUMBER, AT(ruga_material_def, friction), .unit = "1", .preset = "null", RANGE(0, 10),
     .help = "Coulomb's coefficient of friction against itself"},
};
static const ruga_section material_section =
    SECTION("material", ruga_material_def, material_fields,
            .help = "A material under a name. Numbers that it does not give come from the one it is like.");

/* ---- Kinds of mesh. */

static const ruga_field mesh_file_fields[] = {
    {"file", RUGA_FIELD_PATH, AT(ruga_mesh_file_def, file),
     .help = "an OBJ, PLY, GLB or glTF file, or a directory that holds a run"},
    {"unit", RUGA_FIELD_UNIT, AT(ruga_mesh_file_def, unit), .unit = "m", .preset = "m", RANGE(1e-9, 1e9),
     .help = "unit of length of the file; glTF is always in metres"},
    {"up", RUGA_FIELD_CHOICE, AT(ruga_mesh_file_def, up), .preset = "y", .choices = axes,
     .help = "axis that points up in the file; glTF is always y"},
    {"mesh", RUGA_FIELD_TEXT, AT(ruga_mesh_file_def, mesh), .preset = "null",
     .help = "which of several meshes in a glTF file, by name or number, or of several objects of a run, by name"},
};
const ruga_section mesh_file_section =
    SECTION("file", ruga_mesh_file_def, mesh_file_fields, .shorthand = "file",
            .help = "A mesh from a file. A bare text in place of the mesh is its path.");

/* The file, and every model by formula. A test sees to it that none is missing. */
static const ruga_section *const mesh_kinds[] = {
    &mesh_file_section,  &model_sections[0],  &model_sections[1],
    &model_sections[2],  &model_sections[3],  &model_sections[4],
    &model_sections[5],  &model_sections[6],  &model_sections[7],
    &model_sections[8],  &model_sections[9],  &model_sections[10],
    &model_sections[11], &model_sections[12], &model_sections[13],
    &model_sections[14], &model_sections[15], NULL,
};
_Static_assert(RUGA_FIELD_COUNT(mesh_kinds) == MODEL_COUNT + 2, "every model is a kind of mesh");

/* ---- Kinds of edit. */

static const char *const subdivisions[] = {"regular", "loop", "long_edges", NULL};
_Static_assert(RUGA_SUBDIVIDE_REGULAR == 0 && RUGA_SUBDIVIDE_LOOP == 1 && RUGA_SUBDIVIDE_LONG_EDGES == 2,
               "in the order of ruga_subdivision");

static const ruga_field subdivide_fields[] = {
    {"method", RUGA_FIELD_CHOICE, AT(ruga_subdivide_edit_def, method), .preset = "regular", .choices = subdivisions,
     .help = "regular: each edge into n parts, the surface stays; loop: n rounds of smoothing subdivision; long_edges: "
             "splits edges until none is longer than `length`"},
    {"n", RUGA_FIELD_WHOLE, AT(ruga_subdivide_edit_def, n), .unit = "1", .preset = "2", RANGE(0, 256),
     .help = "parts of an edge (regular, 1 to 256), or rounds (loop, 0 to 8)"},
    {"length", RUGA_FIELD_NUMBER, AT(ruga_subdivide_edit_def, length), .unit = "m", .preset = "0.01", RANGE(1e-9, 1e9),
     .help = "of the longest edge that may stay (long_edges)"},
};
const ruga_section edit_subdivide_section =
    SECTION("subdivide", ruga_subdivide_edit_def, subdivide_fields,
            .help =
                "A finer rest mesh. The old vertices come first, in their order; a motion of the coarse mesh still "
                "fits.");
static const ruga_section *const edit_kinds[] = {&edit_subdivide_section, &edit_sculpt_section, NULL};

/* ---- Kinds of body. */

const ruga_section body_static_section = {.name = "static", .help = "Stays where it is."};

static const ruga_section *const action_kinds[] = {&action_sections[0], &action_sections[1], &action_sections[2], NULL};
_Static_assert(RUGA_FIELD_COUNT(action_kinds) == ACTION_COUNT + 1, "every action can be asked for");

static const ruga_field animated_fields[] = {
    {"motion", RUGA_FIELD_PATH, AT(ruga_animated_def, motion), .preset = "null",
     .help = "a point cache (PC2, MDD), a numbered sequence of meshes (walk.####.obj), a glTF file or a run; when "
             "absent, the "
             "animation in the mesh's own file"},
    {"unit", RUGA_FIELD_UNIT, AT(ruga_animated_def, unit), .unit = "m", .preset = "null", RANGE(1e-9, 1e9),
     .help = "unit of length of the motion's file; when absent, that of the mesh's file"},
    {"up", RUGA_FIELD_CHOICE, AT(ruga_animated_def, up), .preset = "null", .choices = axes,
     .help = "axis that points up in the motion's file; when absent, that of the mesh's file"},
    {"animation", RUGA_FIELD_TEXT, AT(ruga_animated_def, animation), .preset = "null",
     .help = "which of several animations in a glTF file, by name or number; when absent, the first. Of a run, which "
             "object"},
    {"rate", RUGA_FIELD_NUMBER, AT(ruga_animated_def, rate), .unit = "1/s", .preset = "null", RANGE(0.001, 1000000),
     .help = "samples a second of files that do not say (PC2, sequences); when absent, the scene's fps"},
    {"start", RUGA_FIELD_NUMBER, AT(ruga_animated_def, start), .unit = "s", .preset = "null",
     .help = "time in the scene at which the motion begins; when absent, the motion's own time is the scene's"},
    {"speed", RUGA_FIELD_NUMBER, AT(ruga_animated_def, speed), .unit = "1", .preset = "1", RANGE(0, 1000),
     .help = "2 plays the motion twice as fast"},
    {"cycle", RUGA_FIELD_FLAG, AT(ruga_animated_def, cycle), .preset = "false",
     .help = "begins again after its end instead of standing still"},
    {"action", RUGA_FIELD_VARIANT, AT(ruga_animated_def, action), .preset = "null", .sections = action_kinds,
     .help = "what a mannequin or an arm does, instead of a motion from a file"},
};
const ruga_section body_animated_section = SECTION(
    "animated", ruga_animated_def, animated_fields,
    .help = "Follows a motion that was made elsewhere: as many points as the mesh has vertices, in their order.");

static const ruga_field rigid_key_fields[] = {
    {"time", RUGA_FIELD_NUMBER, AT(ruga_rigid_key, time), .unit = "s", .help = "when; later than the key before"},
    {"move", RUGA_FIELD_VECTOR, AT(ruga_rigid_key, move), .unit = "m", .preset = "0,0,0",
     .help = "from where the object stands at rest"},
    {"turn", RUGA_FIELD_VECTOR, AT(ruga_rigid_key, turn), .unit = "degree", .preset = "0,0,0",
     .help = "about x, then y, then z"},
};
static const ruga_section rigid_key_section =
    SECTION("key", ruga_rigid_key, rigid_key_fields, .help = "A place and an attitude at a time.");
static const ruga_section *const rigid_key_sections[] = {&rigid_key_section, NULL};

static const ruga_field rigid_fields[] = {
    {"pivot", RUGA_FIELD_VECTOR, AT(ruga_rigid_def, pivot), .unit = "m", .preset = "0,0,0",
     .help = "point of the scene that the object is turned about; it moves along with the object"},
    {"keys", RUGA_FIELD_LIST, AT(ruga_rigid_def, keys), .sections = rigid_key_sections,
     .help =
         "keyframes; between two it goes straight and turns evenly the shortest way, before the first and after the "
         "last it stands still"},
};
const ruga_section body_rigid_section =
    SECTION("rigid", ruga_rigid_def, rigid_fields, .help = "Moves as a whole, through keyframes.");
static const ruga_section *const body_kinds[] = {&body_static_section, &body_animated_section, &body_rigid_section,
                                                 &body_cloth_section, NULL};

/* ---- Kinds of hook. */

static const ruga_field collide_fields[] = {
    {"thickness", RUGA_FIELD_NUMBER, AT(ruga_collide_def, thickness), .unit = "m", .preset = "0.001", RANGE(0, 1000),
     .help = "distance that the points keep from every collider"},
};
const ruga_section hook_collide_section =
    SECTION("collide", ruga_collide_def, collide_fields, .flags = RUGA_SECTION_FEELS_COLLIDERS,
            .help = "Keeps the body's points outside the colliders.");
static const ruga_section *const hook_kinds[] = {&hook_collide_section, NULL};

/* ---- Kinds of detail. */

const ruga_section detail_subdivide_section =
    SECTION("subdivide", ruga_subdivide_edit_def, subdivide_fields,
            .help =
                "A finer mesh that the coarse one carries, so that the details after it have more vertices to work "
                "with.");

static const ruga_field displace_fields[] = {
    {"amount", RUGA_FIELD_PARAM, AT(ruga_displace_def, amount), .unit = "m",
     .help = "distance along the normal; negative goes inwards"},
};
const ruga_section detail_displace_section = SECTION("displace", ruga_displace_def, displace_fields,
                                                     .help =
                                                         "Moves every vertex along its normal, by a painted or "
                                                         "keyframed amount.");

static const ruga_field jiggle_fields[] = {
    {"frequency", RUGA_FIELD_PARAM, AT(ruga_jiggle_def, frequency), .unit = "Hz", .preset = "3", RANGE(0.001, 1000),
     .help = "swings a second; a low one lags behind far, a high one hardly"},
    {"damping", RUGA_FIELD_PARAM, AT(ruga_jiggle_def, damping), .unit = "1", .preset = "0.2", RANGE(0, 10),
     .help = "part of the critical damping; 0 swings for ever, 1 comes to rest without swinging"},
    {"weight", RUGA_FIELD_PARAM, AT(ruga_jiggle_def, weight), .unit = "1", .preset = "1", RANGE(0, 1),
     .help = "0 follows the body exactly, 1 is free; paint it to hold some parts"},
    {"air", RUGA_FIELD_PARAM, AT(ruga_jiggle_def, air), .unit = "1/s", .preset = "1", RANGE(0, 1000),
     .help = "how much the air takes along: acceleration per velocity of the air relative to the vertex"},
};
const ruga_section detail_jiggle_section =
    SECTION("jiggle", ruga_jiggle_def, jiggle_fields, .flags = RUGA_SECTION_FEELS_WIND,
            .help = "Every vertex swings about where the body has it, as if on a spring, and is blown at by the wind.");

static const char *const spline_curves[] = {"natural", "catmull_rom", NULL};
static const char *const spline_orders[] = {"together", "rows_first", NULL};
static const char *const spline_envelopes[] = {"smooth", "paper", NULL};

static const ruga_field spline_fields[] = {
    {"columns", RUGA_FIELD_WHOLE, AT(ruga_spline_def, columns), .unit = "1", .preset = "0", RANGE(0, 1000000),
     .help = "vertices of a row of the fine surface, any number; 0: five to a cell of the grid"},
    {"rows", RUGA_FIELD_WHOLE, AT(ruga_spline_def, rows), .unit = "1", .preset = "0", RANGE(0, 1000000),
     .help = "its rows of vertices, any number; 0: five to a cell of the grid"},
    {"frequency", RUGA_FIELD_NUMBER, AT(ruga_spline_def, frequency), .unit = "rad", .preset = "40", RANGE(0, 100000),
     .help = "how many wrinkles: at half the length a cell has this over 4 pi of them, as far as vertices can show"},
    {"amplitude", RUGA_FIELD_PARAM, AT(ruga_spline_def, amplitude), .unit = "1", .preset = "1", RANGE(0, 10),
     .help = "how high they are; 1: up to a quarter of the length that is missing"},
    {"threshold", RUGA_FIELD_NUMBER, AT(ruga_spline_def, threshold), .unit = "1", .preset = "0", RANGE(0, 0.999),
     .help = "part of its length that a cell may lose before it wrinkles"},
    {"limit", RUGA_FIELD_NUMBER, AT(ruga_spline_def, limit), .unit = "m", .preset = "null", RANGE(0, 1e9),
     .help = "greatest height of a wrinkle; when absent, none"},
    {"curve", RUGA_FIELD_CHOICE, AT(ruga_spline_def, curve), .preset = "natural", .choices = spline_curves,
     .help =
         "natural: curvature is continuous; catmull_rom: a vertex of the grid is felt two cells away and no further"},
    {"envelope", RUGA_FIELD_CHOICE, AT(ruga_spline_def, envelope), .preset = "smooth", .choices = spline_envelopes,
     .help = "smooth: wrinkles end without a crease at the grid's vertices; paper: as printed, with one"},
    {"order", RUGA_FIELD_CHOICE, AT(ruga_spline_def, order), .preset = "together", .choices = spline_orders,
     .help =
         "together: wrinkles along rows and columns add up; rows_first: columns go through rows that have wrinkled"},
    {"key_columns", RUGA_FIELD_WHOLE, AT(ruga_spline_def, key_columns), .unit = "1", .preset = "0", RANGE(0, 1000000),
     .help = "vertices of a row of the grid, where its vertices are row after row; 0: found from its faces"},
    {"key_rows", RUGA_FIELD_WHOLE, AT(ruga_spline_def, key_rows), .unit = "1", .preset = "0", RANGE(0, 1000000),
     .help = "its rows, with key_columns; 0: found from its faces"},
};
const ruga_section detail_spline_section =
    SECTION("spline", ruga_spline_def, spline_fields,
            .help =
                "A fine surface by splines through a coarse grid, such as a sheet or a tube, with wrinkles where "
                "the grid is compressed (Kang et al. 2001).");
static const ruga_section *const detail_kinds[] = {&detail_subdivide_section,
                                                   &detail_displace_section,
                                                   &detail_jiggle_section,
                                                   &detail_spline_section,
                                                   &detail_wrinkle_section,
                                                   &detail_sculpt_section,
                                                   NULL};

/* ---- Objects. */

static const ruga_field object_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_object_def, name),
     .help = "what messages and files call it; different from all others, and fit to be a file's name"},
    {"mesh", RUGA_FIELD_VARIANT, AT(ruga_object_def, mesh), .sections = mesh_kinds,
     .help = "what it looks like at rest: a file, or a model by formula"},
    {"move", RUGA_FIELD_VECTOR, AT(ruga_object_def, move), .unit = "m", .preset = "0,0,0",
     .help = "of the mesh and of its motion, after turn and scale"},
    {"turn", RUGA_FIELD_VECTOR, AT(ruga_object_def, turn), .unit = "degree", .preset = "0,0,0",
     .help = "of the mesh and of its motion, about x, then y, then z"},
    {"scale", RUGA_FIELD_NUMBER, AT(ruga_object_def, scale), .unit = "1", .preset = "1", RANGE(1e-9, 1e9),
     .help = "of the mesh and of its motion"},
    {"material", RUGA_FIELD_NAME, AT(ruga_object_def, material), .preset = "null", .names = "materials",
     .help = "one of `materials` or a preset; cloth without one is cotton"},
    {"contact", RUGA_FIELD_SECTION, AT(ruga_object_def, contact), .preset = "", .sections = object_contact_sections,
     .help = "how it meets others"},
    {"edits", RUGA_FIELD_VARIANTS, AT(ruga_object_def, edits), .preset = "", .sections = edit_kinds,
     .help = "changes of the rest mesh before anything moves, in their order"},
    {"body", RUGA_FIELD_VARIANT, AT(ruga_object_def, body), .preset = "static", .sections = body_kinds,
     .help = "how it moves"},
    {"hooks", RUGA_FIELD_VARIANTS, AT(ruga_object_def, hooks), .preset = "", .sections = hook_kinds,
     .help = "what acts on the body from inside the step, in their order"},
    {"details", RUGA_FIELD_VARIANTS, AT(ruga_object_def, details), .preset = "", .sections = detail_kinds,
     .help = "layers on top of the moving mesh, each on the one before"},
};
static const ruga_section object_section =
    SECTION("object", ruga_object_def, object_fields,
            .help =
                "A mesh, what moves it and what dresses it: its rest mesh is edited, moved by its body and changed by "
                "its details, in this order.");

/* ---- Kinds of collider. */

#define FRICTION_ROW(type)                                                                             \
    {                                                                                                  \
        "friction", RUGA_FIELD_NUMBER, AT(type, friction), .unit = "1", .preset = "0.3", RANGE(0, 10), \
                                                           .help = "Coulomb's coefficient"             \
    }

static const ruga_field plane_fields[] = {
    {"point", RUGA_FIELD_VECTOR, AT(ruga_plane_def, point), .unit = "m", .preset = "0,0,0", .help = "any point of it"},
    {"normal", RUGA_FIELD_VECTOR, AT(ruga_plane_def, normal), .unit = "1", .preset = "0,1,0",
     .help = "direction of the free side, of any length"},
    FRICTION_ROW(ruga_plane_def),
};
const ruga_section plane_section =
    SECTION("plane", ruga_plane_def, plane_fields, .help = "A floor or a wall without end; the default is the ground.");

static const ruga_field sphere_fields[] = {
    {"centre", RUGA_FIELD_VECTOR, AT(ruga_sphere_def, centre), .unit = "m", .preset = "0,0,0", .help = "its middle"},
    {"radius", RUGA_FIELD_NUMBER, AT(ruga_sphere_def, radius), .unit = "m", .preset = "0.5", RANGE(1e-6, 1e6),
     .help = "of the ball"},
    FRICTION_ROW(ruga_sphere_def),
};
const ruga_section sphere_section = SECTION("sphere", ruga_sphere_def, sphere_fields, .help = "A ball.");

static const ruga_field capsule_fields[] = {
    {"from", RUGA_FIELD_VECTOR, AT(ruga_capsule_def, from), .unit = "m", .preset = "0,0,0",
     .help = "one end of its axis"},
    {"to", RUGA_FIELD_VECTOR, AT(ruga_capsule_def, to), .unit = "m", .preset = "0,1,0",
     .help = "the other end of its axis"},
    {"radius", RUGA_FIELD_NUMBER, AT(ruga_capsule_def, radius), .unit = "m", .preset = "0.1", RANGE(1e-6, 1e6),
     .help = "distance of its surface from the axis"},
    FRICTION_ROW(ruga_capsule_def),
};
const ruga_section capsule_section =
    SECTION("capsule", ruga_capsule_def, capsule_fields, .help = "A rod with round ends.");

static const ruga_field box_fields[] = {
    {"centre", RUGA_FIELD_VECTOR, AT(ruga_box_def, centre), .unit = "m", .preset = "0,0,0", .help = "its middle"},
    {"size", RUGA_FIELD_VECTOR, AT(ruga_box_def, size), .unit = "m", .preset = "1,1,1", RANGE(1e-6, 1e6),
     .help = "extent along its own x, y and z"},
    {"turn", RUGA_FIELD_VECTOR, AT(ruga_box_def, turn), .unit = "degree", .preset = "0,0,0",
     .help = "about x, then y, then z through its middle"},
    FRICTION_ROW(ruga_box_def),
};
const ruga_section box_section = SECTION("box", ruga_box_def, box_fields, .help = "A box, which may be turned.");

static const ruga_section *const collider_kinds[] = {&plane_section, &sphere_section, &capsule_section, &box_section,
                                                     NULL};

/* ---- Output. */

static const char *const output_formats[] = {"pc2", "obj", "ply", "glb", "usda", NULL};
_Static_assert(RUGA_OUTPUT_PC2 == 0 && RUGA_OUTPUT_OBJ == 1 && RUGA_OUTPUT_PLY == 2 && RUGA_OUTPUT_GLB == 3 &&
                   RUGA_OUTPUT_USDA == 4,
               "in the order of ruga_output_format");

static const ruga_field output_fields[] = {
    {"formats", RUGA_FIELD_CHOICES, AT(ruga_output_def, formats), .preset = "pc2", .choices = output_formats,
     .help =
         "pc2: a point cache beside the mesh as OBJ; obj, ply: one file a frame; glb, usda: one animated file at the "
         "end; none: no frames are written"},
    {"checkpoint", RUGA_FIELD_WHOLE, AT(ruga_output_def, checkpoint), .unit = "1", .preset = "10", RANGE(0, 1000000),
     .help =
         "frames between checkpoints, from which a run that was killed goes on; 0: only at the end and when stopped"},
    {"unit", RUGA_FIELD_UNIT, AT(ruga_output_def, unit), .unit = "m", .preset = "m", RANGE(1e-9, 1e9),
     .help = "unit of length of the files; glTF is always in metres"},
    {"up", RUGA_FIELD_CHOICE, AT(ruga_output_def, up), .preset = "y", .choices = axes,
     .help = "axis that points up in the files; glTF is always y"},
};
static const ruga_section output_section = SECTION("output", ruga_output_def, output_fields, .shorthand = "formats",
                                                   .help = "What a run writes. A bare list is its formats.");

/* ---- The root. */

static const ruga_section *const time_sections[] = {&time_section, NULL};
static const ruga_section *const wind_sections[] = {&wind_section, NULL};
static const ruga_section *const material_sections[] = {&material_section, NULL};
static const ruga_section *const object_sections[] = {&object_section, NULL};
static const ruga_section *const output_sections[] = {&output_section, NULL};

static const ruga_field scene_fields[] = {
    {"time", RUGA_FIELD_SECTION, AT(ruga_scene_def, time), .preset = "", .sections = time_sections,
     .help = "frames and the steps between them"},
    {"gravity", RUGA_FIELD_VECTOR, AT(ruga_scene_def, gravity), .unit = "m/s²", .preset = "0,-9.81,0",
     RANGE(-1000000, 1000000), .help = "acceleration of everything that falls"},
    {"wind", RUGA_FIELD_SECTION, AT(ruga_scene_def, wind), .preset = "", .sections = wind_sections,
     .help = "the air that blows"},
    {"materials", RUGA_FIELD_LIST, AT(ruga_scene_def, materials), .preset = "", .sections = material_sections,
     .help = "materials of one's own, beside the presets"},
    {"colliders", RUGA_FIELD_VARIANTS, AT(ruga_scene_def, colliders), .preset = "", .sections = collider_kinds,
     .help = "simple shapes that bodies stay outside of"},
    {"contact", RUGA_FIELD_SECTION, AT(ruga_scene_def, contact), .preset = "false", .sections = contact_sections,
     .help = "whether and how objects collide with each other and themselves; off without it"},
    {"objects", RUGA_FIELD_LIST, AT(ruga_scene_def, objects), .preset = "", .sections = object_sections,
     .help = "what there is to see"},
    {"output", RUGA_FIELD_SECTION, AT(ruga_scene_def, output), .preset = "", .sections = output_sections,
     .help = "what a run writes"},
};
const ruga_section scene_section =
    SECTION("scene", ruga_scene_def, scene_fields,
            .help = "What there is and what happens to it. All units are SI: metres, seconds, kilograms; y is up.");

ruga_scene_def ruga_scene_def_default(void) {
    ruga_scene_def def;
    ruga_section_defaults(&scene_section, &def);
    def.cookie = RUGA_COOKIE;
    return def;
}

ruga_object_def ruga_object_def_default(void) {
    ruga_object_def def;
    ruga_section_defaults(&object_section, &def);
    return def;
}

const ruga_section *ruga_scene_section(void) { return &scene_section; }

/* ---- Finding a section by its path. */

/* Takes the next name off a path; 0 when there is none or it is too long to be one. */
static int next_name(const char **path, char name[64]) {
    size_t length = strcspn(*path, ".");
    if (length == 0 || length >= 64) return 0;
    memcpy(name, *path, length);
    name[length] = 0;
    *path += length + ((*path)[length] == '.');
    return 1;
}

const ruga_section *ruga_scene_section_find(const char *path) {
    const ruga_section *section = &scene_section;
    char name[64];
    while (path && section && *path) {
        const ruga_field *field = next_name(&path, name) ? ruga_section_field(section, name) : NULL;
        if (!field || !field->sections) return NULL;
        /* Of several kinds the path names one. */
        if (field->kind == RUGA_FIELD_SECTION || field->kind == RUGA_FIELD_LIST)
            section = field->sections[0];
        else
            section = next_name(&path, name) ? ruga_field_section(field, name) : NULL;
    }
    return path ? section : NULL;
}
