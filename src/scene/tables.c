/* The tables of the scene: every section of ruga/scene.h, row by row, in the order of the structs. The parser,
 * docs/scene.md and the schema for editors follow from these rows. The tables of edits, bodies and parts stand next to
 * their tools (scene/kinds.h). */
#include "scene/tables.h"

#include <assert.h>
#include <string.h>

#include "base/context.h"
#include "field/rows.h"
#include "model/model.h"
#include "scene/kinds.h"
#include "scene/start.h"

/* ---- Time, wind. */

static const ruga_field time_fields[] = {
    {"fps", RUGA_FIELD_NUMBER, AT(ruga_time_def, fps), .unit = "1/s", .preset = "24", RANGE(0.001, 100000),
     .help = "frames per second; frame number f is at the time f / fps"},
    {"start_frame", RUGA_FIELD_WHOLE, AT(ruga_time_def, start_frame), .unit = "1", .preset = "0",
     RANGE(-1000000, 1000000), .help = "number of the first frame"},
    {"frames", RUGA_FIELD_WHOLE, AT(ruga_time_def, frames), .unit = "1", .preset = "48", RANGE(0, 1000000),
     .help = "number of frames"},
    {"substeps", RUGA_FIELD_WHOLE, AT(ruga_time_def, substeps), .unit = "1", .preset = "0", RANGE(0, 10000),
     .help =
         "steps per frame; more steps follow fast motion and hard contact better, and take longer. 0 chooses: steps "
         "of at most 1/96 s (4 at 24 frames per second) if the scene has contact and cloth that collides, else 1"},
    {"preroll", RUGA_FIELD_WHOLE, AT(ruga_time_def, preroll), .unit = "1", .preset = "0", RANGE(0, 100000),
     .help = "frames before the first, in which bodies move smoothly from the pose of the mesh to the first "
             "frame"},
};
static const ruga_section time_section =
    SECTION("time", ruga_time_def, time_fields, .help = "Frames, and the steps between them.");

static const ruga_field wind_fields[] = {
    {"velocity", RUGA_FIELD_VECTOR, AT(ruga_wind_def, velocity), .unit = "m/s", .preset = "0,0,0", RANGE(-1000, 1000),
     .help = "mean velocity of the air; 5 m/s is a gentle breeze, 20 m/s a gale"},
    {"gust", RUGA_FIELD_NUMBER, AT(ruga_wind_def, gust), .unit = "1", .preset = "0", RANGE(0, 10),
     .help = "fraction of the mean speed by which the wind varies in speed and direction; 0 is steady"},
    {"gust_size", RUGA_FIELD_NUMBER, AT(ruga_wind_def, gust_size), .unit = "m", .preset = "1", RANGE(0.0001, 1000000),
     .help = "extent of a gust: points much closer than this feel the same wind"},
    {"gust_time", RUGA_FIELD_NUMBER, AT(ruga_wind_def, gust_time), .unit = "s", .preset = "1", RANGE(0.0001, 1000000),
     .help = "duration of a gust"},
    {"seed", RUGA_FIELD_WHOLE, AT(ruga_wind_def, seed), .unit = "1", .preset = "1", RANGE(0, 1000000000),
     .help = "seed: another number gives other gusts of the same kind"},
};
static const ruga_section wind_section =
    SECTION("wind", ruga_wind_def, wind_fields, .shorthand = "velocity",
            .help = "The wind, which acts on cloth and on details such as \"jiggle\". A bare vector is its velocity.");

/* ---- Materials. */

static const ruga_field material_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_material_def, name), .help = "name that objects refer to"},
    {"like", RUGA_FIELD_NAME, AT(ruga_material_def, like), .preset = "null", .names = "materials",
     .help = "another material or a preset that gives the numbers that are absent here"},
    {"density", RUGA_FIELD_NUMBER, AT(ruga_material_def, density), .unit = "kg/m²", .preset = "null", RANGE(1e-6, 1e6),
     .help = "mass per square metre"},
    {"thickness", RUGA_FIELD_NUMBER, AT(ruga_material_def, thickness), .unit = "m", .preset = "null", RANGE(1e-9, 1e3),
     .help = "from one side to the other"},
    {"stretch", RUGA_FIELD_NUMBER, AT(ruga_material_def, stretch), .unit = "N/m", .preset = "null", RANGE(0, 1e15),
     .help = "stiffness against stretching: Young's modulus times thickness"},
    {"bend", RUGA_FIELD_NUMBER, AT(ruga_material_def, bend), .unit = "N m", .preset = "null", RANGE(0, 1e15),
     .help = "stiffness against bending: flexural rigidity, moment per width and curvature"},
    {"poisson", RUGA_FIELD_NUMBER, AT(ruga_material_def, poisson), .unit = "1", .preset = "null", RANGE(-0.999, 0.999),
     .help = "contraction across a stretch, relative to it; 0: none"},
    {"damping", RUGA_FIELD_NUMBER, AT(ruga_material_def, damping), .unit = "1", .preset = "null", RANGE(0, 10),
     .help = "fraction of critical damping; 0: undamped, 1: no oscillation"},
    {"friction", RUGA_FIELD_NUMBER, AT(ruga_material_def, friction), .unit = "1", .preset = "null", RANGE(0, 10),
     .help = "Coulomb's coefficient of friction against itself"},
    {"strain_limit", RUGA_FIELD_NUMBER, AT(ruga_material_def, strain_limit), .unit = "1", .preset = "null",
     RANGE(0, 1000),
     .help = "elongation in any direction beyond which implicit cloth stiffens; 0: no limit, which is also the default "
             "without like"},
    {"shear_ratio", RUGA_FIELD_NUMBER, AT(ruga_material_def, shear_ratio), .unit = "1", .preset = "null",
     RANGE(1e-6, 1000),
     .help = "stiffness against shear over stretch: some 0.01 for woven fabrics, 1 / (2 + 2 poisson) for paper, rubber "
             "and skin; 0.1 is the default without like"},
    {"bend_friction", RUGA_FIELD_NUMBER, AT(ruga_material_def, bend_friction), .unit = "1/m", .preset = "null",
     RANGE(0, 1e6),
     .help =
         "friction of bending in implicit cloth: the curvature whose elastic moment equals that of friction between "
         "yarns; 0: none, which is also the default without like"},
};
static const ruga_section material_section =
    SECTION("material", ruga_material_def, material_fields,
            .help = "A material. Numbers that it does not give come from the one it is like.");

/* ---- Kinds of mesh. */

static const ruga_field mesh_file_fields[] = {
    {"file", RUGA_FIELD_PATH, AT(ruga_mesh_file_def, file),
     .help = "an OBJ, PLY, GLB or glTF file, or a directory that holds a run"},
    {"unit", RUGA_FIELD_UNIT, AT(ruga_mesh_file_def, unit), .unit = "m", .preset = "m", RANGE(1e-9, 1e9),
     .help = "unit of length of the file; glTF is always in metres"},
    {"up", RUGA_FIELD_CHOICE, AT(ruga_mesh_file_def, up), .preset = "y", .choices = axis_choices,
     .help = "axis that points up in the file; glTF is always y"},
    {"mesh", RUGA_FIELD_TEXT, AT(ruga_mesh_file_def, mesh), .preset = "null",
     .help = "which of several meshes in a glTF file, by name or number, or of several objects of a run, by name"},
};
const ruga_section mesh_file_section =
    SECTION("file", ruga_mesh_file_def, mesh_file_fields, .shorthand = "file",
            .help = "A mesh from a file. A bare text in place of the mesh is its path.");

/* The file, and every model by formula. A test sees to it that none is missing. */
static const ruga_section *const mesh_kinds[] = {
    &mesh_file_section,  &model_sections[0],
    &model_sections[1],  &model_sections[2],
    &model_sections[3],  &model_sections[4],
    &model_sections[5],  &model_sections[6],
    &model_sections[7],  &model_sections[8],
    &model_sections[9],  &model_sections[10],
    &model_sections[11], &model_sections[12],
    &model_sections[13], &model_sections[14],
    &model_sections[15], &model_sections[16],
    &model_sections[17], &model_sections[18],
    &model_sections[19], NULL,
};
_Static_assert(RUGA_FIELD_COUNT(mesh_kinds) == MODEL_COUNT + 2, "every model is a kind of mesh");

/* ---- Objects. */

static const ruga_field object_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_object_def, name),
     .help = "name for messages and files; unique, and valid as the name of a file"},
    {"mesh", RUGA_FIELD_VARIANT, AT(ruga_object_def, mesh), .sections = mesh_kinds,
     .help = "shape at rest: a file, or a model by formula"},
    {"move", RUGA_FIELD_VECTOR, AT(ruga_object_def, move), .unit = "m", .preset = "0,0,0",
     .help = "displacement of the mesh and of its motion, after turn and scale"},
    {"turn", RUGA_FIELD_VECTOR, AT(ruga_object_def, turn), .unit = "degree", .preset = "0,0,0",
     .help = "rotation of the mesh and of its motion, about x, then y, then z"},
    {"scale", RUGA_FIELD_NUMBER, AT(ruga_object_def, scale), .unit = "1", .preset = "1", RANGE(1e-9, 1e9),
     .help = "size of the mesh and of its motion"},
    {"material", RUGA_FIELD_NAME, AT(ruga_object_def, material), .preset = "null", .names = "materials",
     .help = "one of `materials` or a preset; the default of cloth is cotton"},
    {"contact", RUGA_FIELD_SECTION, AT(ruga_object_def, contact), .preset = "", .sections = object_contact_sections,
     .help = "contact with other objects"},
    {"edits", RUGA_FIELD_VARIANTS, AT(ruga_object_def, edits), .preset = "", .sections = edit_sections,
     .help = "changes of the rest mesh before anything moves, in this order"},
    {"body", RUGA_FIELD_VARIANT, AT(ruga_object_def, body), .preset = "static", .sections = body_sections,
     .help = "how it moves"},
    {"start", RUGA_FIELD_SECTION, AT(ruga_object_def, start), .preset = "", .sections = start_sections,
     .help = "where it is before the first frame, if not at rest: as a run or a cache left it"},
    {"hooks", RUGA_FIELD_VARIANTS, AT(ruga_object_def, hooks), .preset = "", .sections = inside_sections,
     .help = "parts that act inside the body in every substep, in this order"},
    {"details", RUGA_FIELD_VARIANTS, AT(ruga_object_def, details), .preset = "", .sections = on_top_sections,
     .help = "layers on top of the moving mesh, each on the one before"},
};
static const ruga_section object_section =
    SECTION("object", ruga_object_def, object_fields,
            .help =
                "A mesh, its motion and its details: the rest mesh is edited, moved by its body and changed by "
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
     .help = "direction towards the free side, of any length"},
    FRICTION_ROW(ruga_plane_def),
};
const ruga_section plane_section =
    SECTION("plane", ruga_plane_def, plane_fields, .help = "An infinite floor or wall; the default is the ground.");

static const ruga_field sphere_fields[] = {
    {"centre", RUGA_FIELD_VECTOR, AT(ruga_sphere_def, centre), .unit = "m", .preset = "0,0,0", .help = "centre"},
    {"radius", RUGA_FIELD_NUMBER, AT(ruga_sphere_def, radius), .unit = "m", .preset = "0.5", RANGE(1e-6, 1e6),
     .help = "radius of the sphere"},
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
    {"centre", RUGA_FIELD_VECTOR, AT(ruga_box_def, centre), .unit = "m", .preset = "0,0,0", .help = "centre"},
    {"size", RUGA_FIELD_VECTOR, AT(ruga_box_def, size), .unit = "m", .preset = "1,1,1", RANGE(1e-6, 1e6),
     .help = "extent along its own x, y and z"},
    {"turn", RUGA_FIELD_VECTOR, AT(ruga_box_def, turn), .unit = "degree", .preset = "0,0,0",
     .help = "rotation about x, then y, then z through its centre"},
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
     .help = "pc2: a point cache beside the mesh as OBJ; obj, ply: one file per frame; glb, usda: one animated "
             "file at the end; none: no frames are written"},
    {"checkpoint", RUGA_FIELD_WHOLE, AT(ruga_output_def, checkpoint), .unit = "1", .preset = "10", RANGE(0, 1000000),
     .help = "frames between checkpoints, from which a run that was killed continues; 0: only at the end and "
             "when stopped"},
    {"unit", RUGA_FIELD_UNIT, AT(ruga_output_def, unit), .unit = "m", .preset = "m", RANGE(1e-9, 1e9),
     .help = "unit of length of the files; glTF is always in metres"},
    {"up", RUGA_FIELD_CHOICE, AT(ruga_output_def, up), .preset = "y", .choices = axis_choices,
     .help = "axis that points up in the files; glTF is always y"},
};
static const ruga_section output_section = SECTION("output", ruga_output_def, output_fields, .shorthand = "formats",
                                                   .help = "The files of a run. A bare list is its formats.");

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
     RANGE(-1000000, 1000000), .help = "acceleration of falling bodies"},
    {"wind", RUGA_FIELD_SECTION, AT(ruga_scene_def, wind), .preset = "", .sections = wind_sections, .help = "the wind"},
    {"materials", RUGA_FIELD_LIST, AT(ruga_scene_def, materials), .preset = "", .sections = material_sections,
     .help = "your own materials, in addition to the presets"},
    {"colliders", RUGA_FIELD_VARIANTS, AT(ruga_scene_def, colliders), .preset = "", .sections = collider_kinds,
     .help = "simple shapes that bodies stay outside of"},
    {"contact", RUGA_FIELD_SECTION, AT(ruga_scene_def, contact), .preset = "false", .sections = contact_sections,
     .help = "contact of objects with each other and with themselves; off if absent"},
    {"objects", RUGA_FIELD_LIST, AT(ruga_scene_def, objects), .preset = "", .sections = object_sections,
     .help = "the objects"},
    {"output", RUGA_FIELD_SECTION, AT(ruga_scene_def, output), .preset = "", .sections = output_sections,
     .help = "the files of a run"},
};
const ruga_section scene_section =
    SECTION("scene", ruga_scene_def, scene_fields,
            .help = "Objects, surroundings and time. All units are SI: metres, seconds, kilograms; y is up.");

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
