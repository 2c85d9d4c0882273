/* The table of wrinkle meshes: docs/wrinkle-mesh.md says what is behind the numbers. */
#include "ruga/wrinkle_mesh.h"
#include "scene/rows.h"
#include "scene/tables.h"

static const char *const axes[] = {"y", "z", "x", NULL};
static const char *const surfaces[] = {"pn", "linear", "loop", NULL};
static const char *const solvers[] = {"compliant", "projection", NULL};
static const char *const spaces[] = {"local", "world", NULL};
static const char *const bends[] = {"opposite", "dihedral", "curvature", NULL};
static const char *const sides[] = {"both", "outside", "neighbourhood", NULL};
_Static_assert(RUGA_AXIS_Y == 0 && RUGA_AXIS_Z == 1 && RUGA_AXIS_X == 2, "in the order of ruga_axis");
_Static_assert(RUGA_WRINKLE_PN == 0 && RUGA_WRINKLE_LINEAR == 1 && RUGA_WRINKLE_LOOP == 2,
               "in the order of ruga_wrinkle_surface");
_Static_assert(RUGA_WRINKLE_COMPLIANT == 0 && RUGA_WRINKLE_PROJECTION == 1, "in the order of ruga_wrinkle_solver");
_Static_assert(RUGA_WRINKLE_FRAME_LOCAL == 0 && RUGA_WRINKLE_FRAME_WORLD == 1, "in the order of ruga_wrinkle_frame");
_Static_assert(RUGA_WRINKLE_BEND_OPPOSITE == 0 && RUGA_WRINKLE_BEND_DIHEDRAL == 1 && RUGA_WRINKLE_BEND_CURVATURE == 2,
               "in the order of ruga_wrinkle_bend");
_Static_assert(RUGA_WRINKLE_BOTH_SIDES == 0 && RUGA_WRINKLE_OUTSIDE == 1 && RUGA_WRINKLE_NEIGHBOURHOOD == 2,
               "in the order of ruga_wrinkle_side");

static const ruga_field wrinkle_fields[] = {
    {"subdivide", RUGA_FIELD_WHOLE, AT(ruga_wrinkle_def, subdivide), .unit = "1", .preset = "4", RANGE(1, 256),
     .help = "the fine mesh: each edge of the mesh below in so many parts; n gives n² triangles for each"},
    {"edge_length", RUGA_FIELD_NUMBER, AT(ruga_wrinkle_def, edge_length), .unit = "m", .preset = "null",
     RANGE(1e-9, 1e9), .help = "the fine mesh, instead: long edges are split until none is longer than this"},
    {"fine", RUGA_FIELD_PATH, AT(ruga_wrinkle_def, fine), .preset = "null",
     .help = "the fine mesh, instead: a file with a mesh of any tessellation around the mesh below at rest; each "
             "vertex hangs on the closest point"},
    {"fine_unit", RUGA_FIELD_UNIT, AT(ruga_wrinkle_def, fine_unit), .unit = "m", .preset = "null", RANGE(1e-9, 1e9),
     .help = "unit of length of that file; when absent, that of the mesh's file"},
    {"fine_up", RUGA_FIELD_CHOICE, AT(ruga_wrinkle_def, fine_up), .preset = "null", .choices = axes,
     .help = "axis that points up in that file; when absent, that of the mesh's file"},
    {"wavelength", RUGA_FIELD_NUMBER, AT(ruga_wrinkle_def, wavelength), .unit = "m", .preset = "null", RANGE(0, 1e6),
     .help = "from crest to crest, whatever the fine mesh's resolution; sets radii and bending. When absent, one and a "
             "half average edges of the mesh below, or five of the fine mesh if that is more; a wave needs five edges, "
             "so that "
             "4 is the least division for these. With 0, and when absent with projection, there is none, and radii and "
             "bending are as given"},
    {"radius", RUGA_FIELD_PARAM, AT(ruga_wrinkle_def, radius), .unit = "m", .preset = "null", RANGE(0, 1e6),
     .help =
         "how far a vertex may leave the surface that it hangs on; when absent, what the wavelength needs, or half the "
         "average edge. A painted one (an attribute, a group, a list) is a factor of what the wavelength needs, asked "
         "for "
         "or chosen, so that a mask from 0 to 1 will do; in metres where there is none"},
    {"pre_stretch", RUGA_FIELD_PARAM, AT(ruga_wrinkle_def, pre_stretch), .unit = "1", .preset = "0.9",
     RANGE(0.001, 100),
     .help = "length that edges want over that at rest: below 1 small compressions stay smooth, above 1 there are "
             "wrinkles at rest"},
    {"bending", RUGA_FIELD_PARAM, AT(ruga_wrinkle_def, bending), .unit = "1", .preset = "null", RANGE(0, 1),
     .help = "stiffness against bending: low gives many fine wrinkles, high gives few; a factor of the one that the "
             "wavelength sets; when absent, 1. Without a wavelength by itself; when absent, 0.1"},
    {"direction", RUGA_FIELD_PARAM, AT(ruga_wrinkle_def, direction), .unit = "degree", .preset = "0", RANGE(-360, 360),
     .help = "that crests should run along, from the u axis of the UVs towards v; needs UVs"},
    {"direction_weight", RUGA_FIELD_PARAM, AT(ruga_wrinkle_def, direction_weight), .unit = "1", .preset = "0",
     RANGE(0, 1),
     .help = "how much the direction counts: at 0 wrinkles go as they like, at 1 those across it are flattened"},
    {"surface", RUGA_FIELD_CHOICE, AT(ruga_wrinkle_def, surface), .preset = "pn", .choices = surfaces,
     .help = "that the fine mesh hangs on: pn: smooth patches through the mesh below; linear: its triangles as they "
             "are; loop: the limit of its subdivision by Loop's scheme"},
    {"solver", RUGA_FIELD_CHOICE, AT(ruga_wrinkle_def, solver), .preset = "compliant", .choices = solvers,
     .help = "compliant: the look does not depend on the number of iterations; projection: the paper's, which is "
             "stiffer the more there are"},
    {"iterations", RUGA_FIELD_WHOLE, AT(ruga_wrinkle_def, iterations), .unit = "1", .preset = "10", RANGE(0, 1000000),
     .help = "of each frame: more follow fast motion better, and take longer"},
    {"bend", RUGA_FIELD_CHOICE, AT(ruga_wrinkle_def, bend), .preset = "opposite", .choices = bends,
     .help =
         "what resists bending: opposite: distances across an edge, as in the paper, which take out sharp folds and "
         "smooth little else; dihedral: angles at edges; curvature: of the offsets, as with a wavelength always"},
    {"side", RUGA_FIELD_CHOICE, AT(ruga_wrinkle_def, side), .preset = "both", .choices = sides,
     .help = "where vertices may go: both sides of the surface; outside alone; outside of all triangles of the mesh "
             "below around their own (neighbourhood)"},
    {"normal_only", RUGA_FIELD_FLAG, AT(ruga_wrinkle_def, normal_only), .preset = "false",
     .help = "vertices move along their normals only"},
    {"space", RUGA_FIELD_CHOICE, AT(ruga_wrinkle_def, space), .preset = "local", .choices = spaces,
     .help = "local: wrinkles turn with the body; world: they do not, as in the paper"},
    {"reach", RUGA_FIELD_NUMBER, AT(ruga_wrinkle_def, reach), .unit = "m", .preset = "null", RANGE(0, 1e9),
     .help = "vertices of a file's mesh that are farther from the mesh below hang on nothing but their edges; when "
             "absent, all are attached"},
    {"settle", RUGA_FIELD_FLAG, AT(ruga_wrinkle_def, settle), .preset = "false",
     .help = "each frame starts from rest and is iterated until nothing moves: it does not depend on those before it, "
             "and takes longer"},
    {"seed", RUGA_FIELD_WHOLE, AT(ruga_wrinkle_def, seed), .unit = "1", .preset = "0", RANGE(0, 1000000000),
     .help = "another number gives other wrinkles of the same kind where nothing else decides"},
    {"reference", RUGA_FIELD_FLAG, AT(ruga_wrinkle_def, reference), .preset = "false",
     .help = "the plain loop over all constraints in the order of the mesh, slow, to compare with"},
};
const ruga_section detail_wrinkle_section =
    SECTION("wrinkle", ruga_wrinkle_def, wrinkle_fields,
            .help =
                "A fine mesh that hangs on the moving mesh and keeps the lengths of its edges: where the mesh below is "
                "compressed, it wrinkles (Müller and Chentanez 2010).");
