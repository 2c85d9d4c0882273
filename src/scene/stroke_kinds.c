/* The kinds "sculpt": strokes with their curves, in scenes and in files of strokes, as an edit of the rest mesh and as
 * a part on top of a moving one. docs/sculpt.md explains the numbers. */
#include "linalg/map.h"
#include "math/vec3.h"
#include "mesh/follow.h"
#include "ruga/strokes.h"
#include "scene/kinds.h"
#include "scene/object.h"
#include "scene/strokes_parts.h"
#include "scene/tables.h"
#include "wrinkle/sculpt_looks.h"

#define LOOK_NAME(name, ...) name,
static const char *const look_names[] = {STROKE_LOOKS(LOOK_NAME) NULL};
static const char *const shapes[] = {"wrinkles", "furrow", NULL};
static const char *const mirrors[] = {"none", "x", "y", "z", NULL};
static const char *const modes[] = {"around", "between", NULL};
static const char *const starts[] = {"band", "count", "search", NULL};
static const char *const attenuations[] = {"bell", "implicit", NULL};
static const char *const ends[] = {"soft", "printed", NULL};
static const char *const drives[] = {"length", "compression", NULL};
_Static_assert(RUGA_SHAPE_WRINKLES == 0 && RUGA_SHAPE_FURROW == 1, "in the order of ruga_stroke_shape");
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
     .help = "name of a curve in the file of curves, or of the model"},
};
const ruga_section curve_named_section =
    SECTION("named", ruga_named_curve_def, named_fields, .shorthand = "name",
            .help = "A curve in the file of curves, or of the models bust and shoe. A bare text is its name.");

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
    {"triangles", RUGA_FIELD_NUMBER, AT(ruga_drawn_curve_def, triangles), .unit = "1", .preset = "null",
     RANGE(1, 4294967295), .step = 1,
     .help = "number of triangles of the mesh that it was placed on; a mesh with another number is an error"},
};
const ruga_section curve_placed_section =
    SECTION("placed", ruga_drawn_curve_def, placed_fields, .shorthand = "on",
            .help = "A curve by places on triangles, as files of curves have them.");
static const ruga_field textured_fields[] = {
    {"uv", RUGA_FIELD_LIST, AT(ruga_drawn_curve_def, points), .sections = point_sections,
     .help = "[u, v, 0]: texture coordinates, which stay the same when a mesh is sculpted or refined"},
    CLOSED_ROW,
};
const ruga_section curve_textured_section =
    SECTION("textured", ruga_drawn_curve_def, textured_fields, .shorthand = "uv",
            .help = "A curve by texture coordinates: it fits any version of the mesh with the same UVs.");
static const ruga_section *const curve_kinds[] = {&curve_named_section, &curve_drawn_section, &curve_placed_section,
                                                  &curve_textured_section, NULL};

/* ---- Strokes. */

static const ruga_field key_fields[] = {
    {"time", RUGA_FIELD_NUMBER, AT(ruga_length_key, time), .unit = "s",
     .help = "must be later than that of the key before"},
    {"length", RUGA_FIELD_NUMBER, AT(ruga_length_key, length), .unit = "1", RANGE(0, 100),
     .help = "target length at that time over that of the curve; 1 and less: no wrinkle"},
};
static const ruga_section key_section =
    SECTION("length_key", ruga_length_key, key_fields,
            .help = "The length is linear between two keys, and constant before the first and after the last.");
static const ruga_section *const key_sections[] = {&key_section, NULL};

/* Of a stroke, and of all strokes of a sculpt. */
// clang-format off
#define LOOK_ROWS(type) \
    {"look", RUGA_FIELD_CHOICE, AT(type, look.look), .preset = "null", .choices = look_names, \
     .help = "values that go together, from docs/sculpt.md: wrinkles of a forehead, beside an eye, of a curtain, a " \
             "skirt, a sleeve, a shoe; furrows: a line, and a fold from nose to mouth; other keys override them"}, \
    {"shape", RUGA_FIELD_CHOICE, AT(type, look.shape), .preset = "null", .choices = shapes, \
     .help = "wrinkles: they run across the curve; furrow: one groove along the curve; if absent, wrinkles"}, \
    {"stiffness", RUGA_FIELD_NUMBER, AT(type, look.stiffness), .unit = "1", .preset = "null", RANGE(0, 1e6), \
     .help = "stiffness against bending, k_r: with start: band, 5 gives some fine " \
             "wrinkles, 70 one or two wide ones; with start: count, many wrinkles of a stiff curve stay flat; if " \
             "absent, 10"}, \
    {"length", RUGA_FIELD_NUMBER, AT(type, look.length), .unit = "1", .preset = "null", RANGE(1, 100), \
     .help = "length of the wrinkled curve over that of the drawn one; 1: no wrinkle, 1.05 to 1.15 is skin, up to " \
             "1.7 cloth; the stiffer the curve, the less of it is reached; of a furrow: length of its profile over " \
             "its width; if absent, 1.08"}, \
    {"mode", RUGA_FIELD_CHOICE, AT(type, look.mode), .preset = "null", .choices = modes, \
     .help = "region of the wrinkles: around: within the radius of the curve; between: within the radius of the " \
             "curve or of its region curve; if absent, around"}, \
    {"radius", RUGA_FIELD_NUMBER, AT(type, look.radius), .unit = "m", .preset = "null", RANGE(1e-9, 1e9), \
     .help = "reach of the wrinkles on both sides of the curve; if absent, the largest distance of the region " \
             "curve; without one, spread times the curve's length"}, \
    {"spread", RUGA_FIELD_NUMBER, AT(type, look.spread), .unit = "1", .preset = "null", RANGE(1e-6, 1e6), \
     .help = "if there is no radius: radius over the curve's length, of a closed curve over the radius of a circle " \
             "as long; if absent, 1, of a furrow 0.12"}, \
    {"tolerance", RUGA_FIELD_NUMBER, AT(type, look.tolerance), .unit = "m", .preset = "null", RANGE(1e-12, 1e9), \
     .help = "largest distance between the mesh and the wrinkled curve; the mesh is refined to meet it; if " \
             "absent, the curve's length / 600, or / (120 x wrinkles) if more than 5 are wanted; of a furrow its " \
             "radius / 120"}, \
    {"refine", RUGA_FIELD_NUMBER, AT(type, look.refine), .unit = "1", .preset = "null", RANGE(0, 6), .step = 1, \
     .help = "largest number of refinements; if absent, 4"}, \
    {"particles", RUGA_FIELD_NUMBER, AT(type, look.particles), .unit = "1", .preset = "null", RANGE(8, 10000), \
     .step = 1, \
     .help = "number of particles that simulate the curve, of a furrow at least 13; if absent, 50"}, \
    {"start", RUGA_FIELD_CHOICE, AT(type, look.start), .preset = "null", .choices = starts, \
     .help = "band: the number of wrinkles follows from the stiffness; count: it is `wrinkles`; search: the " \
             "lowest energy of many starts, usually a single bump; if absent, count"}, \
    {"wrinkles", RUGA_FIELD_NUMBER, AT(type, look.wrinkles), .unit = "1", .preset = "null", RANGE(1, 2500), .step = 1, \
     .help = "number of wrinkles (with start: count); if absent, 5"}, \
    {"seed", RUGA_FIELD_NUMBER, AT(type, look.seed), .unit = "1", .preset = "null", RANGE(0, 1000000000), .step = 1, \
     .help = "seed: another number gives other wrinkles of the same kind; if absent, 1"}, \
    {"vary", RUGA_FIELD_NUMBER, AT(type, look.vary), .unit = "1", .preset = "null", RANGE(0, 1), \
     .help = "how much depth and spacing vary, by the seed; of a furrow, depth along it; if absent, 0.35"}, \
    {"taper", RUGA_FIELD_NUMBER, AT(type, look.taper), .unit = "1", .preset = "null", RANGE(0, 0.5), \
     .help = "furrow: fraction of its length at either end over which it fades; if absent, 0.35"}, \
    {"asymmetry", RUGA_FIELD_NUMBER, AT(type, look.asymmetry), .unit = "1", .preset = "null", RANGE(-1, 1), \
     .help = "furrow: above 0, the ridge to the left of its direction is higher; below 0, the right one; if " \
             "absent, 0"}, \
    {"attenuation", RUGA_FIELD_CHOICE, AT(type, look.attenuation), .preset = "null", .choices = attenuations, \
     .help = "how wrinkles fade towards the radius: by a bell, or as implicit surfaces do; if absent, bell"}, \
    {"ends", RUGA_FIELD_CHOICE, AT(type, look.ends), .preset = "null", .choices = ends, \
     .help = "soft: wrinkles leave the surface as gently as they bend elsewhere; printed: with a corner, as " \
             "in the paper; if absent, soft"}, \
    {"straight", RUGA_FIELD_FLAG, AT(type, look.straight), .preset = "false", \
     .help = "at rest curves are straight, as in the paper, so that curved ones are straightened; else they " \
             "rest as they were drawn"}, \
    {"drive", RUGA_FIELD_CHOICE, AT(type, look.drive), .preset = "null", .choices = drives, \
     .help = "over time: length: length and keys give the length of the wrinkled curve; compression: they appear " \
             "where " \
             "the motion makes the curve shorter than at rest; if absent, length"}, \
    {"keys", RUGA_FIELD_LIST, AT(type, look.keys), .preset = "", .sections = key_sections, \
     .help = "over time: the target length at moments, instead of length"}
// clang-format on

static const ruga_field stroke_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_stroke_row, name), .preset = "null",
     .help = "the name in messages; if absent, the name of its curve, or else its number"},
    {"curve", RUGA_FIELD_VARIANT, AT(ruga_stroke_row, curve), .preset = "null", .sections = curve_kinds,
     .help = "the curve to wrinkle along; if absent, the curve with the name of the stroke"},
    {"region", RUGA_FIELD_VARIANT, AT(ruga_stroke_row, region), .preset = "null", .sections = curve_kinds,
     .help = "a second curve, to which the region extends; if absent, the one called \"NAME region\", if there is one"},
    {"along", RUGA_FIELD_VARIANT, AT(ruga_stroke_row, along), .preset = "null", .sections = curve_kinds,
     .help = "a path for copies of the stroke, from its own place at the path's beginning to the path's end"},
    {"copies", RUGA_FIELD_NUMBER, AT(ruga_stroke_row, copies), .unit = "1", .preset = "1", RANGE(1, 1000), .step = 1,
     .help =
         "number of strokes at equal steps along `along`, the stroke itself included; copies of furrows have the next "
         "seeds, those of wrinkles keep the seed, so that their ridges continue"},
    {"mirror", RUGA_FIELD_CHOICE, AT(ruga_stroke_row, mirror), .preset = "none", .choices = mirrors,
     .help = "also the mirror image of the stroke and its copies, across the plane x, y or z = 0, with the axes of "
             "the points; none if that is the stroke itself"},
    {"off", RUGA_FIELD_FLAG, AT(ruga_stroke_row, off), .preset = "false", .help = "leaves the stroke out"},
    LOOK_ROWS(ruga_stroke_row),
};
static const ruga_section stroke_section = SECTION(
    "stroke", ruga_stroke_row, stroke_fields, .help = "A curve that wrinkles. Absent values are those of the sculpt.");
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

/* ---- Strokes on the mesh of an object. */

static ruga_status make_strokes(const build *b, const ruga_sculpt_def *values, ruga_strokes **out) {
    ruga_strokes_def def = ruga_strokes_def_default();
    ruga_vec3 *drawn = NULL;
    def.file = b->file;
    def.values = values;
    def.model = b->model;
    if (b->placement) TRY(object_undo_placement(b, &drawn));
    def.drawn = drawn;
    ruga_status status = ruga_strokes_create(b->mesh, &def, out);
    memory_release(b->context, drawn);
    return status;
}

/* ---- The edit. */

static ruga_status take_mesh(const ruga_strokes *strokes, ruga_mesh **out, ruga_map **map) {
    const ruga_sculpt *sculpt = ruga_strokes_sculpt(strokes);
    ruga_mesh *mesh = NULL;
    TRY(object_mesh_copy(ruga_sculpt_mesh(sculpt), &mesh));
    RETURN_MADE(map_copy(ruga_sculpt_map(sculpt), map), mesh, out, ruga_mesh_destroy(mesh));
}

/* Keys and compression are for the part; so are objects that a motion moves. */
static ruga_status edit(build *b, const void *values, ruga_mesh **out, ruga_map **map) {
    ruga_strokes *strokes = NULL;
    double end;
    if (b->motion)
        return fail_input(b->context,
                          "a motion moves the mesh as it was without wrinkles; make \"sculpt\" one of the \"details\"");
    TRY(make_strokes(b, values, &strokes));
    ruga_status status =
        ruga_strokes_move(strokes, &end)
            ? fail_input(
                  b->context,
                  "lengths that change over time are for \"sculpt\" as one of the \"details\"; an edit is made once")
            : take_mesh(strokes, out, map);
    ruga_strokes_destroy(strokes);
    return status;
}

const kind sculpt_edit_kind = {
    .section = SECTION("sculpt", ruga_sculpt_def, sculpt_fields,
                       .help = "Wrinkles along curves that were drawn on the mesh (Wang, Wang and Yuen 2006). The old "
                               "vertices come first, in their order."),
    .role = KIND_EDIT,
    .edit = edit,
};

/* ---- The part. It is a function of the frame below and its time alone. */

typedef struct sculpt_part {
    part base;
    ruga_strokes *strokes, *first;   /* on the current input, and on the one that it was made with */
    ruga_map *from_old, *from_first; /* output, after a rebuild; they may be the same */
} sculpt_part;

static void release_maps(sculpt_part *s) {
    if (s->from_first != s->from_old) ruga_map_destroy(s->from_first);
    ruga_map_destroy(s->from_old);
    s->from_old = s->from_first = NULL;
}

static void destroy(part *p) {
    sculpt_part *s = (sculpt_part *)p;
    ruga_context *context = p->context;
    part_release(p);
    release_maps(s);
    if (s->strokes != s->first) ruga_strokes_destroy(s->strokes);
    ruga_strokes_destroy(s->first);
    memory_release(context, s);
}

static ruga_status update(part *p, const body *b, const substep *s, const ruga_frame *in) {
    (void)b;
    TRY(part_check_frame(p, s, in));
    return ruga_strokes_pose(((sculpt_part *)p)->strokes, in->positions, in->time, NULL, p->positions);
}

/* The wrinkled mesh of some strokes from that of others; from_old: the map of the meshes below. */
static ruga_status follow_output(const ruga_strokes *from, const ruga_strokes *to, const ruga_map *from_old,
                                 ruga_map **out) {
    const ruga_sculpt *a = ruga_strokes_sculpt(from), *b = ruga_strokes_sculpt(to);
    return follow_vertices(ruga_sculpt_mesh(a), ruga_sculpt_map(a), ruga_sculpt_mesh(b), ruga_sculpt_map(b), from_old,
                           out);
}

/* Strokes are made again along their first curves, carried to the new mesh. */
static ruga_status rebuild(part *p, const body *b, const part_change *change) {
    (void)b;
    sculpt_part *s = (sculpt_part *)p;
    ruga_strokes *strokes = NULL, *old = s->strokes;
    TRY(strokes_follow(s->first, change->input, change->input_from_first, &strokes));
    release_maps(s);
    s->strokes = strokes;
    ruga_status status = follow_output(old, strokes, change->input_from_old, &s->from_old);
    if (change->input_from_first && old == s->first)
        s->from_first = s->from_old;
    else if (change->input_from_first && !RUGA_FAILED(status))
        status = follow_output(s->first, strokes, change->input_from_first, &s->from_first);
    if (old != s->first) ruga_strokes_destroy(old);
    TRY(status);
    p->output_from_old = s->from_old;
    p->output_from_first = s->from_first;
    return part_follow(p, change->input, ruga_sculpt_mesh(ruga_strokes_sculpt(strokes)), s->from_old);
}

static ruga_status make_part(build *b, const void *values, part **out) {
    static const part_interface interface = {.update = update, .rebuild = rebuild, .destroy = destroy};
    sculpt_part *s = NULL;
    TRY(NEW_ZEROED(b->context, &s, 1));
    s->base.context = b->context;
    ruga_status status = make_strokes(b, values, &s->strokes);
    s->first = s->strokes;
    if (!RUGA_FAILED(status))
        status = part_init(&s->base, &interface, "sculpt", b->mesh, ruga_sculpt_mesh(ruga_strokes_sculpt(s->strokes)));
    RETURN_MADE(status, &s->base, out, destroy(&s->base));
}

const kind sculpt_part_kind = {
    .section =
        SECTION("sculpt", ruga_sculpt_def, sculpt_fields,
                .help = "Wrinkles along curves that were drawn on the mesh at rest, on top of whatever moves it; "
                        "their lengths may have keys or follow its compression."),
    .role = KIND_ON_TOP,
    .make_part = make_part,
};
