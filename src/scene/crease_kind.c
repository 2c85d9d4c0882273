/* The kind "crease": its table, how its curves are found, and how the cloth is cut along them before it is made. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/cloth.h"
#include "body/kind.h"
#include "geom/curve.h"
#include "geom/pleats.h"
#include "io/curves.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
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

static const ruga_field angle_fields[] = {
    {"at", RUGA_FIELD_NUMBER, AT(ruga_crease_angle, at), .unit = "1", RANGE(0, 1),
     .help = "place along the crease: 0 its first point, 1 its last"},
    {"angle", RUGA_FIELD_NUMBER, AT(ruga_crease_angle, angle), .unit = "degree", RANGE(-180, 180),
     .help = "fold there"},
};
static const ruga_section angle_section =
    SECTION("crease_angle", ruga_crease_angle, angle_fields, .help = "A fold at a place along a crease.");
static const ruga_section *const angle_sections[] = {&angle_section, NULL};

#define FOR_ONE "as for all creases, for this one alone"
static const ruga_field line_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_crease_line, name), .preset = "null",
     .help = "for messages; if absent, \"crease\" and its number"},
    {"points", RUGA_FIELD_LIST, AT(ruga_crease_line, points), .sections = point_sections,
     .help = "[x, y, z] along the crease, on the cloth at rest as it stands in the scene"},
    {"closed", RUGA_FIELD_FLAG, AT(ruga_crease_line, closed), .preset = "false",
     .help = "the last point leads back to the first"},
    {"angle", RUGA_FIELD_PARAM, AT(ruga_crease_line, angle), .unit = "degree", .preset = "null", RANGE(-180, 180),
     .help = FOR_ONE "; negative: a mountain"},
    {"angles", RUGA_FIELD_LIST, AT(ruga_crease_line, angles), .preset = "", .sections = angle_sections,
     .help = "folds at places along the crease, instead of one angle; linear between them"},
    {"start", RUGA_FIELD_NUMBER, AT(ruga_crease_line, start), .unit = "s", .preset = "null", .help = FOR_ONE},
    {"end", RUGA_FIELD_NUMBER, AT(ruga_crease_line, end), .unit = "s", .preset = "null", .help = FOR_ONE},
    {"active", RUGA_FIELD_NUMBER, AT(ruga_crease_line, active), .unit = "s", .preset = "null", .help = FOR_ONE},
    {"set", RUGA_FIELD_NUMBER, AT(ruga_crease_line, set), .unit = "s", .preset = "null", .help = FOR_ONE},
    {"stiffness", RUGA_FIELD_NUMBER, AT(ruga_crease_line, stiffness), .unit = "N", .preset = "null", RANGE(0, 1e9),
     .help = FOR_ONE},
    {"yield", RUGA_FIELD_NUMBER, AT(ruga_crease_line, yield), .unit = "degree", .preset = "null", RANGE(0, 360),
     .help = FOR_ONE},
};
static const ruga_section line_section = SECTION("line", ruga_crease_line, line_fields, .shorthand = "points",
                                                 .help = "One crease, by points. A bare list is its points.");
static const ruga_section *const line_sections[] = {&line_section, NULL};

static const ruga_field miura_fields[] = {
    {"columns", RUGA_FIELD_WHOLE, AT(ruga_miura_def, columns), .unit = "1", .preset = "6", RANGE(2, 1000),
     .help = "parallelograms along u"},
    {"rows", RUGA_FIELD_WHOLE, AT(ruga_miura_def, rows), .unit = "1", .preset = "6", RANGE(2, 1000),
     .help = "and along v"},
    {"angle", RUGA_FIELD_NUMBER, AT(ruga_miura_def, angle), .unit = "degree", .preset = "60", RANGE(1, 89),
     .help = "angle of the parallelograms; nearer to 90 they unfold more along u than along v"},
    {"fold", RUGA_FIELD_NUMBER, AT(ruga_miura_def, fold), .unit = "degree", .preset = "120", RANGE(0, 180),
     .help = "fold of the zigzags: 180 is flat; that of the straight creases follows from it"},
};
static const ruga_section miura_section =
    SECTION("miura", ruga_miura_def, miura_fields,
            .help =
                "A Miura fold, which folds in both directions at once: straight creases along u, zigzags along v, "
                "over the whole box of the UVs.");
static const ruga_field pleats_fields[] = {
    {"count", RUGA_FIELD_WHOLE, AT(ruga_pleats_def, count), .unit = "1", .preset = "30", RANGE(3, 10000),
     .help = "pleats"},
    {"depth", RUGA_FIELD_NUMBER, AT(ruga_pleats_def, depth), .unit = "m", .preset = "0.01", RANGE(1e-6, 1000),
     .help = "distance between outer and inner creases at the waist, which keeps the layers apart: a few times the "
             "thickness of contact"},
    {"gap", RUGA_FIELD_NUMBER, AT(ruga_pleats_def, gap), .unit = "m", .preset = "0.005", RANGE(1e-6, 1000),
     .help = "distance between both ends of the sector at the waist, which a seam closes"},
};
static const ruga_section knife_section =
    SECTION("knife", ruga_pleats_def, pleats_fields,
            .help =
                "Knife pleats: creases along the radii of a flat sector of an annulus, alternately mountains and "
                "valleys with unequal distances. The cloth begins folded and rolled to a skirt, its waist near "
                "y = 0 of the mesh.");
static const ruga_section box_section =
    SECTION("box", ruga_pleats_def, pleats_fields,
            .help = "Box pleats: the same with pairs of mountains and pairs of valleys.");
static const ruga_section *const pattern_sections[] = {&miura_section, &knife_section, &box_section, NULL};

/* As crease_preset_get counts them, after "none". */
static const char *const preset_choices[] = {"none", "paper", "card", "wool", "cotton", "denim", NULL};

static const char *const form_choices[] = {"ridge", "exact", "springs", "pairwise", NULL}; /* a crease_form */
static const char *const spring_choices[] = {"angle", "copies", "across", NULL};           /* a crease_law */

static const ruga_field crease_fields[] = {
    {"curves", RUGA_FIELD_PATH, AT(ruga_crease_def, curves), .preset = "null",
     .help = "a file of curves, each of which is a crease: lines of an OBJ, paths of an SVG over the UVs, JSON, or "
             "the edges of a FOLD file, with their angles, over the UVs"},
    {"lines", RUGA_FIELD_LIST, AT(ruga_crease_def, lines), .preset = "", .sections = line_sections,
     .help = "creases by their points"},
    {"pattern", RUGA_FIELD_VARIANT, AT(ruga_crease_def, pattern), .preset = "null", .sections = pattern_sections,
     .help = "creases by formula, with their angles"},
    {"angle", RUGA_FIELD_PARAM, AT(ruga_crease_def, angle), .unit = "degree", .preset = "0", RANGE(-180, 180),
     .help = "fold that the creases have without load: positive a valley, seen from the front of the faces, negative a "
             "mountain"},
    {"start", RUGA_FIELD_NUMBER, AT(ruga_crease_def, start), .unit = "s", .preset = "null",
     .help = "when the creases begin to fold to their angle; if absent, they have it from the beginning, or "
             "begin when they are active"},
    {"end", RUGA_FIELD_NUMBER, AT(ruga_crease_def, end), .unit = "s", .preset = "null",
     .help = "when they have reached it; if absent, one second after the start"},
    {"active", RUGA_FIELD_NUMBER, AT(ruga_crease_def, active), .unit = "s", .preset = "null",
     .help = "until then the creases are locked, and the cloth moves as if they were not there; if absent, they never "
             "are"},
    {"set", RUGA_FIELD_NUMBER, AT(ruga_crease_def, set), .unit = "s", .preset = "null",
     .help = "when the folds, as they are then, become those without load: at the first frame, those that the cloth "
             "starts with; if absent, never"},
    {"preset", RUGA_FIELD_CHOICE, AT(ruga_crease_def, preset), .preset = "none", .choices = preset_choices,
     .help = "stiffness and yield of a material, for creases that do not give their own"},
    {"stiffness", RUGA_FIELD_NUMBER, AT(ruga_crease_def, stiffness), .unit = "N", .preset = "null", RANGE(0, 1e9),
     .help =
         "moment per metre of crease and radian off its angle; 0: the creases fold freely; if absent, the preset's, "
         "or enough to hold their angle, or 0 without one"},
    {"yield", RUGA_FIELD_NUMBER, AT(ruga_crease_def, yield), .unit = "degree", .preset = "null", RANGE(0, 360),
     .help = "a fold that is farther than this from its angle stays folded by what is beyond; 0: it always springs "
             "back; if absent, the preset's, or 0"},
    {"springs", RUGA_FIELD_CHOICE, AT(ruga_crease_def, springs), .preset = "angle", .choices = spring_choices,
     .help = "resistance to folding: angle: of the fold; for comparisons, springs of the paper: copies: between "
             "vertices and their virtual copies; across: between vertices across the cut"},
    {"hardening", RUGA_FIELD_NUMBER, AT(ruga_crease_def, hardening), .unit = "1", .preset = "0", RANGE(0, 1000),
     .help = "kinematic: a fold that stayed by some angle takes this times as much again before it yields further"},
    {"spacing", RUGA_FIELD_NUMBER, AT(ruga_crease_def, spacing), .unit = "1", .preset = "2", RANGE(1, 1000),
     .help = "edges of the mesh between two places along a crease at which its fold may change"},
    {"form", RUGA_FIELD_CHOICE, AT(ruga_crease_def, form), .preset = "ridge", .choices = form_choices,
     .help = "how the pieces are joined: ridge: folds may vary along a crease; for comparisons, with the integrators "
             "explicit and semi_implicit alone, those of the paper: exact: by one equation for each cut edge, one fold "
             "for a whole crease; springs: of ten times the cloth's stiffness, which leave gaps; pairwise: by ten "
             "rounds of impulses, which drift apart"},
};

/* ---- Curves. */

typedef struct drawn_curves {
    ruga_curve **curves;
    const ruga_crease_line **lines; /* (count) of each; NULL: of a file */
    curve_fold *folds;              /* (count) of patterns */
    size_t count, room;
    pleats pleats;      /* where the pattern is one */
    size_t first_pleat; /* its first curve */
} drawn_curves;

static void release_curves(ruga_context *context, drawn_curves *d) {
    ruga_curves_destroy(context, d->curves, d->count);
    memory_release(context, (void *)d->lines);
    memory_release(context, d->folds);
    pleats_release(&d->pleats);
}

static ruga_status make_room(ruga_context *context, drawn_curves *d, size_t count) {
    d->room = count;
    TRY(NEW_ZEROED(context, &d->curves, count + 1));
    TRY(NEW_ZEROED(context, &d->folds, count + 1));
    return NEW_ZEROED(context, &d->lines, count + 1);
}

/* Curves of a file or a pattern; `folds` stays NULL for curves without their own. */
typedef struct read_curves_set {
    ruga_curve **curves;
    curve_fold *folds;
    size_t count;
} read_curves_set;

/* Curves of the file, drawn where the mesh was before it was placed. */
static ruga_status read_curves(const build *b, const ruga_crease_def *def, read_curves_set *read) {
    ruga_mesh drawn = *b->mesh;
    ruga_vec3 *positions = NULL;
    ruga_curve_def options = ruga_curve_def_default();
    if (!def->curves) return RUGA_OK;
    if (curve_format_from_path(def->curves) == CURVE_FORMAT_FOLD)
        return curve_folds_read(b->mesh, def->curves, &read->curves, &read->count, &read->folds);
    if (b->placement) TRY(object_undo_placement(b, &positions));
    if (positions) drawn.positions = positions;
    ruga_status status = ruga_curves_read(&drawn, def->curves, &b->file, &options, &read->curves, &read->count);
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
        d->lines[d->count++] = &lines[i];
    }
    return RUGA_OK;
}
_Static_assert(sizeof(ruga_border_point) == sizeof(ruga_vec3), "a list of points is an array of them");

/* Curves along the creases of pleats, with their folds. */
static ruga_status draw_pleats(const build *b, const pleats *p, read_curves_set *read) {
    TRY(NEW_ZEROED(b->context, &read->curves, p->count + 1));
    TRY(NEW_ZEROED(b->context, &read->folds, p->count + 1));
    for (size_t i = 0; i < p->count; i++) {
        ruga_curve_def options = ruga_curve_def_default();
        char name[40];
        vec3 ends[2];
        snprintf(name, sizeof name, "pleat crease %zu", i);
        options.name = name;
        pleats_ends(p, i, ends);
        for (int k = 0; k < 2 && b->placement; k++) ends[k] = body_transform_apply(b->placement, ends[k]);
        TRY(ruga_curve_from_points(b->mesh, ends, 2, &options, &read->curves[i]));
        read->folds[read->count++] = (curve_fold){FOLD_UNASSIGNED, pleats_angle(p, i) / DEGREE};
    }
    return RUGA_OK;
}

static ruga_status make_pleats(const build *b, const ruga_pleats_def *def, int is_box, pleats *out) {
    const pleats_def values = {is_box, def->count, def->depth, def->gap};
    ruga_vec3 *positions = NULL;
    if (b->placement) TRY(object_undo_placement(b, &positions));
    ruga_status status =
        pleats_make(b->context, positions ? positions : b->mesh->positions, b->mesh->vertex_count, &values, out);
    memory_release(b->context, positions);
    return status;
}

static ruga_status make_pattern(build *b, const ruga_crease_def *def, read_curves_set *read, pleats *pleated) {
    const void *values = NULL;
    if (!def->pattern.section) return RUGA_OK;
    TRY(variant_values(b->memory, &def->pattern, &values));
    if (def->pattern.section != &miura_section) {
        TRY(make_pleats(b, values, def->pattern.section == &box_section, pleated));
        return draw_pleats(b, pleated, read);
    }
    const ruga_miura_def *miura = values;
    fold_miura made = {.columns = miura->columns, .rows = miura->rows, .angle = miura->angle, .fold = miura->fold};
    return curve_folds_miura(b->mesh, &made, &read->curves, &read->count, &read->folds);
}

static void take_curves(drawn_curves *d, const read_curves_set *read) {
    for (size_t i = 0; i < read->count; i++) {
        if (read->folds) d->folds[d->count] = read->folds[i];
        d->curves[d->count++] = read->curves[i];
    }
}

static ruga_status find_curves(build *b, const ruga_crease_def *def, drawn_curves *d) {
    read_curves_set sets[2] = {0};
    ruga_status status = build_about(b, &def->curves, read_curves(b, def, &sets[0]));
    if (!RUGA_FAILED(status)) status = build_about(b, &def->pattern, make_pattern(b, def, &sets[1], &d->pleats));
    d->first_pleat = sets[0].count;
    if (!RUGA_FAILED(status)) status = make_room(b->context, d, sets[0].count + sets[1].count + def->lines.count);
    for (int k = 0; k < 2; k++) {
        if (RUGA_FAILED(status)) {
            ruga_curves_destroy(b->context, sets[k].curves, sets[k].count);
        } else {
            take_curves(d, &sets[k]);
            memory_release(b->context, sets[k].curves);
        }
        memory_release(b->context, sets[k].folds);
    }
    TRY(status);
    return draw_lines(b, def, d);
}

/* ---- The cut. */

/* The input of the part, in the arena. */
typedef struct crease_cut {
    crease_rig rig;
    const ruga_crease_line **lines; /* (curves) NULL: of a file */
    curve_fold *folds;              /* (curves) */
    double edge;                    /* m, mean of the mesh */
    double length, area;            /* m of all creases, m² of the mesh */
} crease_cut;

static double or_else(double value, double other) { return isnan(value) ? other : value; }

static double active_of(const ruga_crease_def *def, const ruga_crease_line *line) {
    return or_else(line ? or_else(line->active, def->active) : def->active, -INFINITY);
}

static ruga_status keep_lines(build *b, const crease *c, const crease_rig_line **out) {
    crease_rig_line *lines = NULL;
    TRY(ARENA_NEW(b->memory, &lines, c->lines.line_count + 1));
    for (size_t i = 0; i < c->lines.line_count; i++) {
        const cut_line *line = &c->lines.lines[i];
        const curve_path *path = &c->cut.paths[i];
        uint32_t *vertices = NULL;
        char *name = NULL;
        size_t size = strlen(line->trace->name) + 1;
        TRY(ARENA_NEW(b->memory, &vertices, path->count + 1));
        memcpy(vertices, path->vertices, path->count * sizeof *vertices);
        TRY(ARENA_NEW(b->memory, &name, size));
        memcpy(name, line->trace->name, size);
        lines[i] = (crease_rig_line){.name = name,
                                     .closed = line->closed,
                                     .length = line->length,
                                     .triangles = line->trace->point_count - !line->closed,
                                     .ends = {line->ends[0], line->ends[1]},
                                     .vertex_count = path->count,
                                     .vertices = vertices};
    }
    *out = lines;
    return RUGA_OK;
}

static ruga_status keep_rig(build *b, const drawn_curves *d, const crease *c) {
    crease_cut *kept = NULL;
    crease_fold *folds = NULL, *in_arena = NULL;
    embedded_node *nodes = NULL;
    size_t count = 0;
    TRY(ARENA_NEW(b->memory, &kept, 1));
    *kept = (crease_cut){.edge = c->lines.edge};
    TRY(ARENA_NEW(b->memory, &kept->lines, d->count));
    memcpy((void *)kept->lines, (const void *)d->lines, d->count * sizeof *kept->lines);
    TRY(ARENA_NEW(b->memory, &kept->folds, d->count));
    memcpy(kept->folds, d->folds, d->count * sizeof *kept->folds);
    TRY(ARENA_NEW(b->memory, &nodes, c->nodes.embedded_count + 1));
    memcpy(nodes, c->nodes.embedded, c->nodes.embedded_count * sizeof *nodes);
    TRY(crease_folds_make(c, &count, &folds));
    ruga_status status = ARENA_NEW(b->memory, &in_arena, count + 1);
    if (!RUGA_FAILED(status)) memcpy(in_arena, folds, count * sizeof *folds);
    memory_release(b->context, folds);
    TRY(status);
    for (size_t i = 0; i < c->lines.line_count; i++) kept->length += c->lines.lines[i].length;
    for (size_t t = 0; t < b->mesh->triangle_count; t++) kept->area += mesh_triangle_area(b->mesh, t);
    kept->rig = (crease_rig){.curve_count = d->count,
                             .fold_count = count,
                             .node_count = c->nodes.embedded_count,
                             .folds = in_arena,
                             .nodes = nodes,
                             .line_count = c->lines.line_count};
    TRY(keep_lines(b, c, &kept->rig.lines));
    b->cut = kept;
    return RUGA_OK;
}

/* The fold vectors of creases that are not active from the beginning. Those that several creases share, at a star, are
 * free when the last of them is. */
static ruga_status keep_locks(build *b, const ruga_crease_def *def, const drawn_curves *d, const crease *c,
                              size_t *count, body_lock **out) {
    double *until = NULL;
    size_t unknowns = c->bound->columns, locked = 0;
    TRY(NEW(b->context, &until, unknowns));
    for (size_t j = 0; j < unknowns; j++) until[j] = -INFINITY;
    for (size_t i = 0; i < c->lines.line_count; i++) {
        const cut_line *line = &c->lines.lines[i];
        const crease_ridge *ridge = &c->ridges[i];
        double active = -INFINITY;
        for (size_t k = 0; k < line->mark_count; k++)
            active = fmax(active, active_of(def, d->lines[line->marks[k].curve]));
        for (size_t e = 0; e < ridge->offsets[ridge->knot_count]; e++)
            if (ridge->weights[e] != 0) until[ridge->unknowns[e]] = fmax(until[ridge->unknowns[e]], active);
    }
    for (size_t j = 0; j < unknowns; j++) locked += until[j] > -INFINITY;
    ruga_status status = ARENA_NEW(b->memory, out, locked + 1);
    *count = 0;
    for (uint32_t j = 0; j < unknowns && !RUGA_FAILED(status); j++)
        if (until[j] > -INFINITY) (*out)[(*count)++] = (body_lock){j, until[j]};
    memory_release(b->context, until);
    return status;
}

/* Where folded pleats begin: the mesh's vertices as the pieces lead them, and one fold vector all along a crease. */
static ruga_status keep_start(build *b, const drawn_curves *d, const crease *c) {
    const pleats *p = &d->pleats;
    vec3 *start = NULL, *y = NULL, *flat = NULL;
    if (p->count == 0) return RUGA_OK;
    TRY(ARENA_NEW(b->memory, &start, c->bound->rows));
    TRY(NEW_ZEROED(b->context, &y, c->bound->columns));
    ruga_status status = b->placement ? object_undo_placement(b, &flat) : RUGA_OK;
    for (size_t v = 0; v < b->mesh->vertex_count && !RUGA_FAILED(status); v++)
        y[v] = pleats_fold(p, flat ? flat[v] : b->mesh->positions[v]);
    for (size_t i = 0; i < c->lines.line_count; i++) {
        const crease_ridge *ridge = &c->ridges[i];
        size_t curve = c->lines.lines[i].curve;
        if (curve < d->first_pleat || curve >= d->first_pleat + p->count) continue;
        for (size_t e = 0; e < ridge->offsets[ridge->knot_count]; e++)
            y[ridge->unknowns[e]] = pleats_vector(p, curve - d->first_pleat);
    }
    for (size_t j = 0; b->placement && j < c->bound->columns; j++) {
        vec3 moved = body_transform_apply(b->placement, y[j]);
        y[j] = j < b->mesh->vertex_count ? moved : vec3_sub(moved, b->placement->move);
    }
    ruga_map_apply(c->bound, y, start);
    memory_release(b->context, y);
    memory_release(b->context, flat);
    b->simulated.start = start;
    return status;
}

/* Hands meshes and maps to the scene. */
static ruga_status keep_meshes(build *b, const ruga_crease_def *def, crease *c) {
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
    *s = (body_simulated){.mesh = simulated, .visible = shown, .shares = shares};
    if (def->form == CREASE_RIDGE) s->bound = bound;
    b->mesh = visible;
    return RUGA_OK;
}

/* Whether the equations of the paper's forms can be solved. */
static ruga_status check_exact(build *b, const ruga_crease_def *def, const crease *c) {
    double *masses = NULL;
    crease_exact *exact = NULL;
    TRY(NEW(b->context, &masses, c->bound->rows));
    ruga_status status = spring_mesh_masses(c->nodes.simulated, 1, c->nodes.shares, masses);
    if (!RUGA_FAILED(status)) status = crease_exact_create(c, masses, &exact);
    memory_release(b->context, masses);
    if (!RUGA_FAILED(status)) crease_exact_destroy(exact);
    return build_about(b, &def->form, status);
}

static ruga_status cut_along(build *b, const ruga_crease_def *def, const drawn_curves *d) {
    crease_def values = {.spacing = def->spacing};
    crease c;
    if (d->count == 0)
        return build_found(b, &def->lines, RUGA_ERROR_INPUT,
                           "there are no creases: give \"curves\" a file, or \"lines\" their points");
    TRY(build_about(b, b->variant, crease_make(b->mesh, (const ruga_curve *const *)d->curves, d->count, &values, &c)));
    if (b->errors) return RUGA_OK;
    body_lock *locks = NULL;
    size_t lock_count = 0;
    ruga_status status = def->form == CREASE_RIDGE ? RUGA_OK : check_exact(b, def, &c);
    if (!RUGA_FAILED(status)) status = keep_rig(b, d, &c);
    if (!RUGA_FAILED(status)) status = keep_locks(b, def, d, &c, &lock_count, &locks);
    if (!RUGA_FAILED(status) && lock_count > 0 && def->form != CREASE_RIDGE)
        status = build_found(b, &def->form, RUGA_ERROR_INPUT,
                             "creases that are locked until they are active need the form \"ridge\"");
    if (!RUGA_FAILED(status)) status = keep_start(b, d, &c);
    const vec3 *start = b->simulated.start;
    if (!RUGA_FAILED(status)) status = keep_meshes(b, def, &c);
    b->simulated.start = start;
    b->simulated.lock_count = lock_count;
    b->simulated.locks = locks;
    crease_release(&c);
    return status;
}

static ruga_status cut(build *b, const void *values) {
    const ruga_crease_def *def = values;
    drawn_curves d = {0};
    if (body_is_given(&b->simulated))
        return build_found(b, b->variant, RUGA_ERROR_INPUT,
                           "the object is cut already; put all creases into one \"crease\"");
    ruga_status status = find_curves(b, def, &d);
    if (!RUGA_FAILED(status) && !b->errors) status = cut_along(b, def, &d);
    release_curves(b->context, &d);
    return status;
}

/* ---- The part. */

static int has_keys(const ruga_param *param) { return param->kind != RUGA_PARAM_CONSTANT; }

/* The stiffness, N, that holds an angle: against the weight of the flaps beside the creases within HOLD_ANGLE, fast
 * enough to follow the fold as it grows, and ten times that of the cloth over one edge. A flap is as wide as half of
 * the mean distance between creases. */
#define HOLD_ANGLE (3 * DEGREE)
#define FOLLOW 3.0 /* oscillations of a flap while it folds */
static ruga_status holding_stiffness(build *b, const crease_cut *kept, double duration, double *out) {
    ruga_material_def material;
    TRY(build_find_material(b, "cotton", &material));
    double width = kept->area / (2 * kept->length), turns = 2 * 180 * DEGREE * FOLLOW / duration;
    double weight = material.density * vec3_length(b->scene->gravity) * width * width / 2;
    double inertia = material.density * width * width * width / 3;
    *out = fmax(10 * material.bend / kept->edge, fmax(weight / HOLD_ANGLE, inertia * turns * turns));
    return RUGA_OK;
}

static ruga_status line_angle(build *b, const ruga_crease_line *line, crease_target *t) {
    ruga_param *own = NULL;
    crease_place *places = NULL;
    const ruga_crease_angle *angles = line->angles.items;
    if (line->angles.count > 0) {
        TRY(ARENA_NEW(b->memory, &places, line->angles.count));
        for (size_t k = 0; k < line->angles.count; k++) {
            places[k] = (crease_place){angles[k].at, angles[k].angle * DEGREE};
            if (k > 0 && !(angles[k].at > angles[k - 1].at))
                return build_found(b, &angles[k], RUGA_ERROR_INPUT,
                                   "an angle at %g follows one at %g; list them in rising order", angles[k].at,
                                   angles[k - 1].at);
        }
        t->place_count = line->angles.count;
        t->places = places;
        return RUGA_OK;
    }
    if (!has_keys(&line->angle) && isnan(line->angle.constant)) return RUGA_OK;
    TRY(ARENA_NEW(b->memory, &own, 1));
    TRY(build_param_of(b, ruga_section_field(&line_section, "angle"), &line->angle, b->mesh, own));
    t->param = has_keys(own) ? own : NULL;
    t->angle = own->constant * DEGREE;
    return RUGA_OK;
}

/* Of an edge of a pattern. Without an angle of its own it has that of all creases, or is folded flat. */
static void pattern_angle(const curve_fold *fold, crease_target *t) {
    if (fold->kind == FOLD_UNASSIGNED && isnan(fold->angle)) {
        *t = (crease_target){.stiffness = 0};
        return;
    }
    double angle = t->param || t->angle == 0 ? 180 * DEGREE : fabs(t->angle);
    if (!isnan(fold->angle)) angle = fabs(fold->angle) * DEGREE;
    int is_down = fold->kind == FOLD_MOUNTAIN || (fold->kind == FOLD_UNASSIGNED && fold->angle < 0);
    t->param = NULL;
    t->angle = is_down ? -angle : angle;
}

/* The target of a curve, from that of all. */
static ruga_status target_of(build *b, const ruga_crease_def *def, const crease_cut *kept, size_t curve,
                             crease_target *t) {
    const ruga_crease_line none = {.start = NAN, .end = NAN, .active = NAN, .set = NAN, .stiffness = NAN, .yield = NAN};
    const ruga_crease_line *line = kept->lines[curve] ? kept->lines[curve] : &none;
    const crease_preset *preset = def->preset > 0 ? crease_preset_get((size_t)def->preset - 1) : NULL;
    if (kept->lines[curve]) TRY(line_angle(b, line, t));
    if (kept->folds[curve].kind != FOLD_BORDER) pattern_angle(&kept->folds[curve], t);
    t->active = active_of(def, line);
    t->start = or_else(or_else(line->start, def->start), t->active);
    t->end = or_else(or_else(line->end, def->end), t->start + 1);
    t->set = or_else(line->set, def->set);
    t->is_set = !isnan(t->set);
    t->hardening = def->hardening;
    t->law = (crease_law)def->springs;
    if (!(t->end >= t->start))
        TRY(build_found(b, isnan(line->end) ? &def->end : &line->end, RUGA_ERROR_INPUT,
                        "the folds end at %g s; give a \"start\" that is not later", t->end));
    t->yield = or_else(or_else(line->yield, def->yield), preset ? preset->yield : 0) * DEGREE;
    t->stiffness = or_else(or_else(line->stiffness, def->stiffness), preset ? preset->stiffness : NAN);
    int has_angle = t->param || t->place_count > 0 || t->angle != 0 || t->is_set;
    if (!isnan(t->stiffness)) {
        if (has_angle && t->stiffness == 0)
            return build_found(b, isnan(line->stiffness) ? &def->stiffness : &line->stiffness, RUGA_WARNING_INPUT,
                               "creases without a stiffness do not fold to their angle; leave the stiffness out");
        return RUGA_OK;
    }
    t->stiffness = 0;
    if (!has_angle && !(t->yield > 0)) return RUGA_OK;
    double duration = isfinite(t->start) && t->end > t->start ? t->end - t->start : 1;
    return holding_stiffness(b, kept, duration, &t->stiffness);
}

/* Projected after the solve, the paper's forms have the right rest state with explicit elastic forces only. */
#define JOIN_STRETCH 10.0 /* springs of the form "springs", of the cloth's stretch stiffness */
static ruga_status use_form(build *b, const ruga_crease_def *def, crease_rig *rig) {
    ruga_material_def material;
    if (!b->body) return RUGA_OK; /* reported */
    int solver = strcmp(b->body->kind, "cloth") == 0 ? cloth_fabric_of(b->body).integrator : INTEGRATOR_AUTO;
    if (solver != INTEGRATOR_EXPLICIT && solver != INTEGRATOR_SEMI_IMPLICIT)
        return build_found(b, &def->form, RUGA_ERROR_INPUT,
                           "the form \"%s\" needs a cloth with the integrator explicit or semi_implicit: with others "
                           "its rest state would depend on the substep",
                           form_choices[def->form]);
    TRY(build_find_material(b, "cotton", &material));
    rig->form = (crease_form)def->form;
    rig->point_count = b->body->point_count;
    rig->join_stiffness = JOIN_STRETCH * material.stretch;
    return RUGA_OK;
}

static ruga_status make_part(build *b, const void *values, part **out) {
    const crease_cut *kept = b->cut;
    const ruga_crease_def *def = values;
    ruga_param *all = NULL;
    crease_target *targets = NULL;
    double most = 0, sharpest = 0;
    if (!kept) return RUGA_OK; /* reported */
    crease_rig rig = kept->rig;
    rig.visible = b->mesh;
    if (def->form != CREASE_RIDGE) TRY(use_form(b, def, &rig));
    if (b->errors) return RUGA_OK;
    TRY(ARENA_NEW(b->memory, &all, 1));
    TRY(build_param(b, &def->angle, b->mesh, all));
    TRY(ARENA_NEW(b->memory, &targets, rig.curve_count));
    for (size_t i = 0; i < rig.curve_count; i++) {
        targets[i] = (crease_target){.angle = all->constant * DEGREE, .param = has_keys(all) ? all : NULL};
        TRY(target_of(b, def, kept, i, &targets[i]));
        most = fmax(most, targets[i].stiffness);
    }
    for (size_t i = 0; i < rig.curve_count; i++)
        if (kept->folds[i].kind != FOLD_BORDER) sharpest = fmax(sharpest, fabs(targets[i].angle));
    for (size_t i = 0; i < rig.curve_count; i++)
        if (kept->folds[i].kind != FOLD_BORDER) targets[i].sharpest = sharpest;
    if (b->errors) return RUGA_OK;
    if (most > 0 && isnan(def->stiffness) && def->preset == 0)
        log_info(b->context, "object \"%s\": its creases get a stiffness of %.3g N, to hold their angles",
                 b->object->name, most);
    return crease_part_create(b->context, &rig, targets, out);
}

const kind crease_part_kind = {
    .section = SECTION("crease", ruga_crease_def, crease_fields,
                       .help = "Sharp folds along curves, on a mesh of any size (Patkar, Jin and Fedkiw 2015): pleats, "
                               "folded paper, pressed edges."),
    .role = KIND_INSIDE,
    .cut = cut,
    .make_part = make_part,
};
