/* The kind "crease": its table, how its curves are found, and how the cloth is cut along them before it is made. */
#include <math.h>
#include <stdio.h>

#include "body/kind.h"
#include "geom/curve.h"
#include "io/curves.h"
#include "scene/object.h"
#include "wrinkle/crease.h"

#define DEGREE (3.14159265358979323846 / 180)

/* ---- The tables. */

static const ruga_field point_fields[] = {
    {"at", RUGA_FIELD_VECTOR, AT(ruga_border_point, at), .unit = "m", .help = "a point on the cloth, in the scene"},
};
static const ruga_section point_section = SECTION("crease_point", ruga_border_point, point_fields, .shorthand = "at",
                                                  .help = "A point; a bare vector stands for it.");
static const ruga_section *const point_sections[] = {&point_section, NULL};

static const ruga_field line_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_crease_line, name), .preset = "null",
     .help = "for messages; if absent, \"crease\" and its number"},
    {"points", RUGA_FIELD_LIST, AT(ruga_crease_line, points), .sections = point_sections,
     .help = "[x, y, z] along the crease, on the cloth at rest as it stands in the scene"},
    {"closed", RUGA_FIELD_FLAG, AT(ruga_crease_line, closed), .preset = "false",
     .help = "the last point leads back to the first"},
    {"angle", RUGA_FIELD_NUMBER, AT(ruga_crease_line, angle), .unit = "degree", .preset = "null", RANGE(-180, 180),
     .help = "as for all creases, for this one alone; negative: a mountain"},
};
static const ruga_section line_section = SECTION("line", ruga_crease_line, line_fields, .shorthand = "points",
                                                 .help = "One crease, by points. A bare list is its points.");
static const ruga_section *const line_sections[] = {&line_section, NULL};

static const ruga_field crease_fields[] = {
    {"curves", RUGA_FIELD_PATH, AT(ruga_crease_def, curves), .preset = "null",
     .help = "a file of curves, each of which is a crease: lines of an OBJ, paths of an SVG over the UVs, or JSON"},
    {"lines", RUGA_FIELD_LIST, AT(ruga_crease_def, lines), .preset = "", .sections = line_sections,
     .help = "creases by their points"},
    {"angle", RUGA_FIELD_NUMBER, AT(ruga_crease_def, angle), .unit = "degree", .preset = "0", RANGE(-180, 180),
     .help = "fold that the creases have without load: positive a valley, seen from the front of the faces, negative a "
             "mountain; needs a stiffness"},
    {"start", RUGA_FIELD_NUMBER, AT(ruga_crease_def, start), .unit = "s", .preset = "null",
     .help = "when the creases begin to fold to their angle; if absent, they have it from the beginning"},
    {"end", RUGA_FIELD_NUMBER, AT(ruga_crease_def, end), .unit = "s", .preset = "null",
     .help = "when they have reached it; if absent, one second after the start"},
    {"stiffness", RUGA_FIELD_NUMBER, AT(ruga_crease_def, stiffness), .unit = "N", .preset = "0", RANGE(0, 1e9),
     .help = "moment per metre of crease and radian off its angle; 0: the creases fold freely"},
    {"yield", RUGA_FIELD_NUMBER, AT(ruga_crease_def, yield), .unit = "degree", .preset = "null", RANGE(0, 360),
     .help = "a fold that is farther than this from its angle stays folded by what is beyond; if absent, folds always "
             "spring back"},
    {"spacing", RUGA_FIELD_NUMBER, AT(ruga_crease_def, spacing), .unit = "1", .preset = "2", RANGE(1, 1000),
     .help = "edges of the mesh between two places along a crease at which its fold may change"},
};

/* ---- Curves. */

typedef struct drawn_curves {
    ruga_curve **curves;
    double *angles; /* (count) degrees */
    size_t count, room;
} drawn_curves;

static void release_curves(ruga_context *context, drawn_curves *d) {
    ruga_curves_destroy(context, d->curves, d->count);
    memory_release(context, d->angles);
}

static ruga_status make_room(ruga_context *context, drawn_curves *d, size_t count) {
    d->room = count;
    TRY(NEW_ZEROED(context, &d->curves, count + 1));
    return NEW_ZEROED(context, &d->angles, count + 1);
}

/* Curves of the file, drawn where the mesh was before it was placed. */
static ruga_status read_curves(const build *b, const ruga_crease_def *def, ruga_curve ***read, size_t *count) {
    ruga_mesh drawn = *b->mesh;
    ruga_vec3 *positions = NULL;
    ruga_curve_def options = ruga_curve_def_default();
    if (!def->curves) return RUGA_OK;
    if (b->placement) TRY(object_undo_placement(b, &positions));
    if (positions) drawn.positions = positions;
    ruga_status status = ruga_curves_read(&drawn, def->curves, &b->file, &options, read, count);
    memory_release(b->context, positions);
    return status;
}

static ruga_status draw_lines(build *b, const ruga_crease_def *def, drawn_curves *d) {
    const ruga_crease_line *lines = def->lines.items;
    for (size_t i = 0; i < def->lines.count; i++) {
        ruga_curve_def options = ruga_curve_def_default();
        char name[40];
        snprintf(name, sizeof name, "crease %zu", i);
        options.name = lines[i].name ? lines[i].name : name;
        options.closed = lines[i].closed;
        size_t errors = b->errors;
        TRY(build_about(b, &lines[i],
                        ruga_curve_from_points(b->mesh, (const ruga_vec3 *)lines[i].points.items, lines[i].points.count,
                                               &options, &d->curves[d->count])));
        if (b->errors > errors || !d->curves[d->count]) continue;
        d->angles[d->count++] = isnan(lines[i].angle) ? def->angle : lines[i].angle;
    }
    return RUGA_OK;
}
_Static_assert(sizeof(ruga_border_point) == sizeof(ruga_vec3), "a list of points is an array of them");

static ruga_status find_curves(build *b, const ruga_crease_def *def, drawn_curves *d) {
    ruga_curve **read = NULL;
    size_t count = 0;
    TRY(build_about(b, &def->curves, read_curves(b, def, &read, &count)));
    ruga_status status = make_room(b->context, d, count + def->lines.count);
    if (RUGA_FAILED(status)) {
        ruga_curves_destroy(b->context, read, count);
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        d->angles[d->count] = def->angle;
        d->curves[d->count++] = read[i];
    }
    memory_release(b->context, read);
    return draw_lines(b, def, d);
}

/* ---- The cut. */

/* The input of the part, in the arena. */
typedef struct crease_cut {
    crease_rig rig;
    crease_target *targets; /* (lines) */
} crease_cut;

static crease_target target_of(const ruga_crease_def *def, double angle) {
    double start = isnan(def->start) ? -INFINITY : def->start;
    return (crease_target){.angle = angle * DEGREE,
                           .start = start,
                           .end = isnan(def->end) ? start + 1 : def->end,
                           .stiffness = def->stiffness,
                           .yield = isnan(def->yield) ? 0 : def->yield * DEGREE};
}

static ruga_status keep_rig(build *b, const ruga_crease_def *def, const drawn_curves *d, const crease *c) {
    crease_cut *kept = NULL;
    crease_fold *folds = NULL, *in_arena = NULL;
    embedded_node *nodes = NULL;
    size_t count = 0;
    TRY(ARENA_NEW(b->memory, &kept, 1));
    TRY(ARENA_NEW(b->memory, &kept->targets, c->lines.line_count));
    for (size_t i = 0; i < c->lines.line_count; i++)
        kept->targets[i] = target_of(def, d->angles[c->lines.lines[i].curve]);
    TRY(ARENA_NEW(b->memory, &nodes, c->nodes.embedded_count + 1));
    memcpy(nodes, c->nodes.embedded, c->nodes.embedded_count * sizeof *nodes);
    TRY(crease_folds_make(c, &count, &folds));
    ruga_status status = ARENA_NEW(b->memory, &in_arena, count + 1);
    if (!RUGA_FAILED(status)) memcpy(in_arena, folds, count * sizeof *folds);
    memory_release(b->context, folds);
    TRY(status);
    kept->rig = (crease_rig){c->lines.line_count, count, c->nodes.embedded_count, in_arena, nodes};
    b->cut = kept;
    return RUGA_OK;
}

/* Hands meshes and maps to the scene. */
static ruga_status keep_meshes(build *b, crease *c) {
    body_simulated *s = &b->simulated;
    double *shares = NULL;
    size_t triangles = c->nodes.simulated->triangle_count;
    ruga_mesh *simulated = c->nodes.simulated, *visible = c->cut.mesh;
    ruga_map *bound = c->bound, *shown = c->nodes.visible;
    TRY(ARENA_NEW(b->memory, &shares, triangles));
    memcpy(shares, c->nodes.shares, triangles * sizeof *shares);
    c->nodes.simulated = c->cut.mesh = NULL;
    c->bound = c->nodes.visible = NULL;
    ruga_status first = build_keep(b, simulated, bound), second = build_keep(b, visible, shown);
    TRY(first);
    TRY(second);
    *s = (body_simulated){.mesh = simulated, .visible = shown, .shares = shares, .bound = bound};
    b->mesh = visible;
    return RUGA_OK;
}

static ruga_status cut_along(build *b, const ruga_crease_def *def, const drawn_curves *d) {
    crease_def values = {.spacing = def->spacing};
    crease c;
    if (d->count == 0)
        return build_found(b, &def->lines, RUGA_ERROR_INPUT,
                           "there are no creases: give \"curves\" a file, or \"lines\" their points");
    TRY(build_about(b, b->variant, crease_make(b->mesh, (const ruga_curve *const *)d->curves, d->count, &values, &c)));
    if (b->errors) return RUGA_OK;
    ruga_status status = keep_rig(b, def, d, &c);
    if (!RUGA_FAILED(status)) status = keep_meshes(b, &c);
    crease_release(&c);
    return status;
}

static ruga_status cut(build *b, const void *values) {
    const ruga_crease_def *def = values;
    drawn_curves d = {0};
    if (body_is_given(&b->simulated))
        return build_found(b, b->variant, RUGA_ERROR_INPUT,
                           "the object is cut already; put all creases into one \"crease\"");
    if (!isnan(def->end) && !(def->end >= def->start))
        TRY(build_found(b, &def->end, RUGA_ERROR_INPUT, "the folds end at %g s; give a \"start\" that is not later",
                        def->end));
    ruga_status status = find_curves(b, def, &d);
    if (!RUGA_FAILED(status) && !b->errors) status = cut_along(b, def, &d);
    release_curves(b->context, &d);
    return status;
}

static ruga_status make_part(build *b, const void *values, part **out) {
    const crease_cut *kept = b->cut;
    (void)values;
    if (!kept) return RUGA_OK; /* reported */
    return crease_part_create(b->context, &kept->rig, kept->targets, out);
}

const kind crease_part_kind = {
    .section = SECTION("crease", ruga_crease_def, crease_fields,
                       .help = "Sharp folds along curves, on a mesh of any size (Patkar, Jin and Fedkiw 2015): pleats, "
                               "folded paper, pressed edges."),
    .role = KIND_INSIDE,
    .cut = cut,
    .make_part = make_part,
};
