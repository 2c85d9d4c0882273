/* The kind "crease": its table and its part. crease_cut.c finds its curves and cuts the cloth before it is made. */
#include <math.h>
#include <string.h>

#include "body/body.h"
#include "body/flesh.h"
#include "math/vec3.h"
#include "mesh/carry.h"
#include "scene/crease_cut.h"

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

#define FOR_ONE "the same as for all creases, for this one only"
static const ruga_field line_fields[] = {
    {"name", RUGA_FIELD_TEXT, AT(ruga_crease_line, name), .preset = "null",
     .help = "for messages; if absent, \"crease\" and its number"},
    {"points", RUGA_FIELD_LIST, AT(ruga_crease_line, points), .sections = point_sections,
     .help = "[x, y, z] along the crease, on the cloth at rest, in coordinates of the scene"},
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
    {"cut", RUGA_FIELD_NUMBER, AT(ruga_crease_line, cut), .unit = "s", .preset = "null", .help = FOR_ONE},
    {"remove", RUGA_FIELD_NUMBER, AT(ruga_crease_line, remove), .unit = "s", .preset = "null", .help = FOR_ONE},
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
const ruga_section crease_miura_section =
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
    {"oval", RUGA_FIELD_NUMBER, AT(ruga_pleats_def, oval), .unit = "1", .preset = "1", RANGE(0.3, 3),
     .help = "extent along z over that along x, of the skirt cut at one height: 1 is a circle, 0.75 the waist of a "
             "body"},
};
const ruga_section crease_knife_section =
    SECTION("knife", ruga_pleats_def, pleats_fields,
            .help =
                "Knife pleats: creases along the radii of a flat sector of an annulus, alternately mountains and "
                "valleys with unequal distances. The cloth begins folded and rolled to a skirt, its waist near "
                "y = 0 of the mesh.");
const ruga_section crease_box_section =
    SECTION("box", ruga_pleats_def, pleats_fields,
            .help = "Box pleats: the same with pairs of mountains and pairs of valleys.");
static const ruga_section *const pattern_sections[] = {&crease_miura_section, &crease_knife_section,
                                                       &crease_box_section, NULL};

static const char *const ground_choices[] = {"fixed", "following", "tied", NULL}; /* a crease_ground */

static const ruga_field anchors_fields[] = {
    {"depth", RUGA_FIELD_NUMBER, AT(ruga_anchors_def, depth), .unit = "m", .preset = "0.01", RANGE(1e-9, 1e6),
     .help = "how far below the surface their inner ends are, at rest"},
    {"pull", RUGA_FIELD_PARAM, AT(ruga_anchors_def, pull), .unit = "1", .preset = "0.5", RANGE(-10, 1),
     .help =
         "fraction of the depth by which they shorten: 0: none; 1: they pull the edge to their inner ends; with keys "
         "a fold appears and disappears"},
    {"stiffness", RUGA_FIELD_NUMBER, AT(ruga_anchors_def, stiffness), .unit = "N/m²", .preset = "null", RANGE(0, 1e15),
     .help = "per metre of crease; if absent, Young's modulus of the flesh"},
    {"ground", RUGA_FIELD_CHOICE, AT(ruga_anchors_def, ground), .preset = "fixed", .choices = ground_choices,
     .help = "their inner ends: fixed: as on a bone: they stay where they are, or move and turn with the objects that "
             "pins of the flesh follow, mainly with the nearest pins; following: they move with the flesh but do not "
             "act on it; tied: they move with the flesh and act on it"},
};
static const ruga_section anchors_section =
    SECTION("anchors", ruga_anchors_def, anchors_fields,
            .help = "Springs that pull the edges of folds towards points below them.");
static const ruga_section *const anchors_sections[] = {&anchors_section, NULL};

/* As crease_preset_get counts them, after "none". */
static const char *const preset_choices[] = {"none", "paper", "card", "wool", "cotton", "denim", NULL};

static const char *const form_choices[] = {"ridge", "exact", "springs", "pairwise", "post", NULL}; /* a crease_form */
static const char *const particle_choices[] = {"none", "hand_over", "equation_6", NULL}; /* a crease_particles */
static const char *const several_choices[] = {"keep", "refine", "reject", NULL};         /* a crease_several */
static const char *const spring_choices[] = {"angle", "copies", "across", NULL};         /* a crease_law */

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
     .help = "time at which the current folds become the rest folds; at the first frame these are the folds that the "
             "cloth starts with; if absent, never"},
    {"cut", RUGA_FIELD_NUMBER, AT(ruga_crease_def, cut), .unit = "s", .preset = "null",
     .help =
         "when the creases are added: until then the cloth is whole, and the number of its vertices changes at that "
         "time, which formats of one topology can't store; if absent, the cloth has them from the beginning"},
    {"remove", RUGA_FIELD_NUMBER, AT(ruga_crease_def, remove), .unit = "s", .preset = "null",
     .help = "when the creases are removed, and the cloth is whole again; if absent, never"},
    {"preset", RUGA_FIELD_CHOICE, AT(ruga_crease_def, preset), .preset = "none", .choices = preset_choices,
     .help = "stiffness and yield of a material, for creases that do not give their own"},
    {"stiffness", RUGA_FIELD_NUMBER, AT(ruga_crease_def, stiffness), .unit = "N", .preset = "null", RANGE(0, 1e9),
     .help =
         "moment per metre of crease and radian off its angle; 0: the creases fold freely; if absent, the preset's, "
         "or enough to hold their angle, or 0 without one"},
    {"yield", RUGA_FIELD_NUMBER, AT(ruga_crease_def, yield), .unit = "degree", .preset = "null", RANGE(0, 360),
     .help = "a fold that differs from its angle by more than this keeps the excess; 0: it always springs back; if "
             "absent, the preset's, or 0"},
    {"springs", RUGA_FIELD_CHOICE, AT(ruga_crease_def, springs), .preset = "angle", .choices = spring_choices,
     .help = "resistance to folding: angle: of the fold; for comparisons, springs of the paper: copies: between "
             "vertices and their virtual copies; across: between vertices across the cut"},
    {"hardening", RUGA_FIELD_NUMBER, AT(ruga_crease_def, hardening), .unit = "1", .preset = "0", RANGE(0, 1000),
     .help = "kinematic hardening: this times the kept angle is added to the yield angle in its direction"},
    {"spacing", RUGA_FIELD_NUMBER, AT(ruga_crease_def, spacing), .unit = "1", .preset = "2", RANGE(1, 1000),
     .help = "edges of the mesh between two places along a crease at which its fold may change"},
    {"form", RUGA_FIELD_CHOICE, AT(ruga_crease_def, form), .preset = "ridge", .choices = form_choices,
     .help = "how the pieces are joined: ridge: folds may vary along a crease; for comparisons, with the integrator "
             "explicit alone, those of the paper: exact (also with semi_implicit): by one equation for each cut edge, "
             "one fold for a whole crease; springs: of ten times the cloth's stiffness, which leave gaps; pairwise: by "
             "ten rounds of impulses, which drift apart; post: exact without pre-stabilisation, which drifts"},
    {"particles", RUGA_FIELD_CHOICE, AT(ruga_crease_def, particles), .preset = "none", .choices = particle_choices,
     .help =
         "with the form exact, for comparisons: contact by the paper's soft-bound particles, of which each place on "
         "a crease has one per side; they give the cloth: hand_over: all of an impulse; equation_6: what that "
         "equation gives as printed, about half"},
    {"several", RUGA_FIELD_CHOICE, AT(ruga_crease_def, several), .preset = "keep", .choices = several_choices,
     .help =
         "edges of the mesh that several creases cross, which do not cross each other there: keep: cut them as they "
         "are; refine: divide the triangles around them until there are none; reject: report the first as an "
         "error"},
    {"fade", RUGA_FIELD_NUMBER, AT(ruga_crease_def, fade), .unit = "m", .preset = "null", RANGE(1e-9, 1e6),
     .help =
         "gives the vertices the attribute off_creases: 0 at creases and borders, rising to 1 at this distance from "
         "them, for details, such as the radius of wrinkles; if absent, there is none"},
    {"depth", RUGA_FIELD_NUMBER, AT(ruga_crease_def, depth), .unit = "1", .preset = "2.5", RANGE(0.5, 1000),
     .help = "in flesh: depth of a cut in edges of the mesh; deeper cuts fold more readily"},
    {"crack", RUGA_FIELD_NUMBER, AT(ruga_crease_def, crack), .unit = "1", .preset = "10", RANGE(0, 1e6),
     .help = "in flesh: stiffness against overlap of both sides below the surface, over Young's modulus per edge"},
    {"evenness", RUGA_FIELD_NUMBER, AT(ruga_crease_def, evenness), .unit = "1", .preset = "0.1", RANGE(0, 1e6),
     .help = "in flesh: stiffness against a fold that changes along the crease, over that of the flesh; it keeps gaps "
             "of the surface small"},
    {"anchors", RUGA_FIELD_VARIANT, AT(ruga_crease_def, anchors), .preset = "null", .sections = anchors_sections,
     .help = "in flesh: springs that pull the folds inwards"},
    {"push", RUGA_FIELD_PARAM, AT(ruga_crease_def, push), .unit = "N/m", .preset = "0", RANGE(-1e9, 1e9),
     .help =
         "in flesh: force inwards on the edges of folds, per metre; it turns with the pins of flesh in equilibrium, "
         "mainly with the nearest, and else with the flesh around it"},
    {"push_fade", RUGA_FIELD_NUMBER, AT(ruga_crease_def, push_fade), .unit = "m", .preset = "0", RANGE(0, 1e6),
     .help = "in flesh: distance from the ends of a crease over which push and pull rise from 0"},
    {"muscle", RUGA_FIELD_WHOLE, AT(ruga_crease_def, muscle), .unit = "1", .preset = "-1", RANGE(-1, 1000000),
     .help =
         "in flesh: push and pull are multiplied by the activation of this muscle, at most 1. Numbers begin at 0; -1: "
         "none"},
};

/* ---- The part. */

static int varies(const ruga_param *param) { return param->kind != RUGA_PARAM_CONSTANT; }

/* The stiffness, N, that holds an angle: against the weight of the flaps beside the creases within HOLD_ANGLE, fast
 * enough to follow the fold as it grows, and ten times that of the cloth over one edge. A flap is as wide as half of
 * the mean distance between creases. */
#define HOLD_ANGLE (3 * DEGREE)
#define FOLLOW 3.0     /* oscillations of a flap while it folds */
#define HOLD_FLESH 0.1 /* of Young's modulus times the squared edge */
static ruga_status holding_stiffness(build *b, const crease_cut *kept, double duration, double *out) {
    ruga_material_def material;
    if (crease_is_solid(b)) {
        *out = b->body ? HOLD_FLESH * b->body->young * kept->edge * kept->edge : 0;
        return RUGA_OK;
    }
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
    if (!varies(&line->angle) && isnan(line->angle.constant)) return RUGA_OK;
    TRY(ARENA_NEW(b->memory, &own, 1));
    TRY(build_param_of(b, ruga_section_field(&line_section, "angle"), &line->angle, b->mesh, own));
    t->param = varies(own) ? own : NULL;
    t->angle = own->constant * DEGREE;
    return RUGA_OK;
}

/* An edge of a pattern that folds freely, whatever the others do. */
static int is_free(const curve_fold *fold) { return fold->kind == FOLD_UNASSIGNED && isnan(fold->angle); }

/* Of an edge of a pattern. Without an angle of its own it has that of all creases, or is folded flat. */
static ruga_status pattern_angle(build *b, const ruga_crease_def *def, const curve_fold *fold, crease_target *t) {
    if (t->param)
        return build_found(b, &def->angle, RUGA_ERROR_INPUT,
                           "the folds of a pattern keep their proportions on the path from \"start\" to \"end\"; give "
                           "one number, without keys and paint");
    double angle = t->angle == 0 ? 180 * DEGREE : fabs(t->angle);
    if (!isnan(fold->angle)) angle = fabs(fold->angle) * DEGREE;
    int is_down = fold->kind == FOLD_MOUNTAIN || (fold->kind == FOLD_UNASSIGNED && fold->angle < 0);
    t->angle = is_free(fold) ? 0 : is_down ? -angle : angle;
    return RUGA_OK;
}

/* The target of a curve, from that of all. */
static ruga_status target_of(build *b, const ruga_crease_def *def, const crease_cut *kept, size_t curve,
                             crease_target *t) {
    const ruga_crease_line none = {
        .start = NAN, .end = NAN, .active = NAN, .set = NAN, .cut = NAN, .remove = NAN, .stiffness = NAN, .yield = NAN};
    const ruga_crease_line *line = kept->lines[curve] ? kept->lines[curve] : &none;
    const crease_preset *preset = def->preset > 0 ? crease_preset_get((size_t)def->preset - 1) : NULL;
    if (kept->lines[curve]) TRY(line_angle(b, line, t));
    if (kept->folds[curve].kind != FOLD_BORDER) TRY(pattern_angle(b, def, &kept->folds[curve], t));
    t->active = crease_active(def, line);
    t->start =
        or_else(or_else(line->start, def->start), fmax(t->active, or_else(or_else(line->cut, def->cut), -INFINITY)));
    t->end = or_else(or_else(line->end, def->end), t->start + 1);
    if (isinf(t->start) && isfinite(t->end)) t->start = 0; /* with an end alone, folding begins at the first frame */
    t->set = or_else(line->set, def->set);
    t->is_set = !isnan(t->set);
    t->hardening = def->hardening;
    t->law = (crease_law)def->springs;
    if (!(t->end >= t->start))
        TRY(build_found(b, isnan(line->end) ? &def->end : &line->end, RUGA_ERROR_INPUT,
                        "the folds end at %g s; give a \"start\" that is not later", t->end));
    if (is_free(&kept->folds[curve])) return RUGA_OK;
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

/* Projected after the solve, the paper's forms have the right rest state with explicit elastic forces only. A solve of
 * damping before it changes that, too, unless the forces of the equations are carried into it: the exact form's are. */
#define JOIN_STRETCH 10.0 /* springs of the form "springs", of the cloth's stretch stiffness */
static ruga_status use_form(build *b, const ruga_crease_def *def, crease_rig *rig) {
    ruga_material_def material;
    if (!b->body) return RUGA_OK; /* reported */
    const body_interface *interface = b->body->interface;
    integrator_kind solver = interface->integrator ? interface->integrator(b->body) : INTEGRATOR_AUTO;
    int is_exact = def->form == CREASE_EXACT;
    if (solver != INTEGRATOR_EXPLICIT && !(is_exact && solver == INTEGRATOR_SEMI_IMPLICIT))
        return build_found(b, &def->form, RUGA_ERROR_INPUT,
                           "the form \"%s\" needs a body with the integrator explicit%s: with others its rest state "
                           "would depend on the substep",
                           form_choices[def->form], is_exact ? " or semi_implicit" : "");
    TRY(build_find_material(b, "cotton", &material));
    rig->form = (crease_form)def->form;
    rig->particles = (crease_particles)def->particles;
    rig->point_count = b->body->point_count;
    rig->join_stiffness = JOIN_STRETCH * material.stretch;
    return RUGA_OK;
}

/* The same targets for the visible mesh of the next stage. */
static ruga_status carry_targets(build *b, const crease_target *old, size_t count, const ruga_map *vertices,
                                 const crease_target **out) {
    crease_target *targets = NULL;
    TRY(ARENA_NEW(b->memory, &targets, count));
    for (size_t i = 0; i < count; i++) {
        ruga_param *param = NULL;
        targets[i] = old[i];
        if (!old[i].param) continue;
        if (i > 0 && old[i - 1].param == old[i].param) {
            targets[i].param = targets[i - 1].param; /* curves may share it */
            continue;
        }
        TRY(ARENA_NEW(b->memory, &param, 1));
        TRY(param_carry(b->context, old[i].param, vertices, b->memory, param));
        targets[i].param = param;
    }
    *out = targets;
    return RUGA_OK;
}

/* The targets of all curves on the visible mesh of the first stage, which b->mesh is. */
static ruga_status make_targets(build *b, const ruga_crease_def *def, const crease_cut *kept, size_t count,
                                const crease_target **out) {
    ruga_param *all = NULL;
    crease_target *targets = NULL;
    double sharpest = 0;
    TRY(ARENA_NEW(b->memory, &all, 1));
    TRY(build_param(b, &def->angle, b->mesh, all));
    TRY(ARENA_NEW(b->memory, &targets, count));
    for (size_t i = 0; i < count; i++) {
        targets[i] = (crease_target){.angle = all->constant * DEGREE, .param = varies(all) ? all : NULL};
        TRY(target_of(b, def, kept, i, &targets[i]));
    }
    for (size_t i = 0; i < count; i++)
        if (kept->folds[i].kind != FOLD_BORDER) sharpest = fmax(sharpest, fabs(targets[i].angle));
    for (size_t i = 0; i < count; i++)
        if (kept->folds[i].kind != FOLD_BORDER) targets[i].sharpest = sharpest;
    *out = targets;
    return RUGA_OK;
}

/* Where bones move, fixed anchors move with them: with pins that follow an object or are held. Those on a path are
 * loads. Pushes on flesh in equilibrium turn with all pins: there, turned with flesh that they bend themselves, strong
 * ones have no equilibrium. */
static ruga_status use_pins(build *b, crease_solid_rig *solid) {
    const cloth_pins *pins = flesh_pins(b->body);
    uint32_t *bones = NULL, *guides = NULL;
    int moves = 0;
    TRY(ARENA_NEW(b->memory, &bones, pins->count + 1));
    TRY(ARENA_NEW(b->memory, &guides, pins->count + 1));
    for (size_t g = 0; g < pins->group_count; g++) moves |= pins->groups[g].leader != NULL;
    for (size_t g = 0; g < pins->group_count; g++)
        for (size_t k = pins->groups[g].begin; k < pins->groups[g].end; k++) {
            if (moves && pins->groups[g].key_count == 0) bones[solid->bone_count++] = (uint32_t)k;
            if (flesh_is_quasistatic(b->body)) guides[solid->guide_count++] = (uint32_t)k;
        }
    solid->bones = bones;
    solid->guides = guides;
    solid->pin_rest = pins->rest;
    solid->pin_targets = pins->targets;
    return RUGA_OK;
}

/* The numbers of creases in flesh; b->mesh is the visible one. */
static ruga_status use_solid(build *b, const ruga_crease_def *def, const crease_stage_cut *kept, crease_rig *rig) {
    crease_solid_rig *solid = NULL;
    ruga_param *pull = NULL, *push = NULL;
    const void *values = NULL;
    if (!b->body) return RUGA_OK; /* reported */
    TRY(ARENA_NEW(b->memory, &solid, 1));
    *solid = kept->solid;
    solid->crack = def->crack * b->body->young / solid->edge;
    solid->evenness = def->evenness * b->body->young;
    solid->fade = def->push_fade;
    TRY(ARENA_NEW(b->memory, &push, 1));
    TRY(build_param(b, &def->push, b->mesh, push));
    if (varies(push) || push->constant != 0) solid->push = push;
    TRY(use_pins(b, solid));
    if (def->anchors.section) {
        TRY(variant_values(b->memory, &def->anchors, &values));
        const ruga_anchors_def *anchors = values;
        TRY(ARENA_NEW(b->memory, &pull, 1));
        TRY(build_param_of(b, ruga_section_field(&anchors_section, "pull"), &anchors->pull, b->mesh, pull));
        solid->pull = pull;
        solid->depth = anchors->depth;
        solid->stiffness = or_else(anchors->stiffness, b->body->young);
        solid->ground = (crease_ground)anchors->ground;
    }
    if (def->muscle >= 0) {
        const tet_energy *tets = flesh_energy_of(b->body);
        if (tets->muscle_count == 0)
            return build_found(b, &def->muscle, RUGA_ERROR_INPUT, "the flesh has no muscles; give it \"muscles\"");
        if ((size_t)def->muscle >= tets->muscle_count)
            return build_found(b, &def->muscle, RUGA_ERROR_INPUT,
                               "the flesh has no muscle %d; the number of its last one is %zu", def->muscle,
                               tets->muscle_count - 1);
        solid->activation = &tets->activations[def->muscle];
    }
    rig->solid = solid;
    return RUGA_OK;
}

/* Stages after the first are changes of the body. */
static ruga_status announce_stages(build *b, const crease_cut *kept) {
    for (size_t k = 1; k < kept->stage_count; k++) {
        const crease_stage_cut *stage = &kept->stages[k];
        TRY(build_change_later(b, stage->time,
                               &(body_change){.mesh = stage->mesh,
                                              .simulated = stage->simulated,
                                              .points_from_old = stage->points_from_old,
                                              .vertices_from_old = stage->vertices_from_old}));
    }
    return RUGA_OK;
}

static ruga_status make_part(build *b, const void *values, part **out) {
    const crease_cut *kept = b->cut;
    const ruga_crease_def *def = values;
    crease_stage *stages = NULL;
    double most = 0;
    if (!kept) return RUGA_OK; /* reported */
    size_t curves = kept->stages[0].rig.curve_count;
    TRY(ARENA_NEW(b->memory, &stages, kept->stage_count));
    for (size_t k = 0; k < kept->stage_count; k++) stages[k].rig = kept->stages[k].rig;
    if (def->particles != CREASE_NO_PARTICLES && def->form != CREASE_EXACT)
        return build_found(b, &def->particles, RUGA_ERROR_INPUT,
                           "soft-bound particles need the form \"exact\", not \"%s\"", form_choices[def->form]);
    if (def->form != CREASE_RIDGE) TRY(use_form(b, def, &stages[0].rig));
    if (kept->stages[0].solid.section_count > 0) TRY(use_solid(b, def, &kept->stages[0], &stages[0].rig));
    if (b->errors) return RUGA_OK;
    TRY(make_targets(b, def, kept, curves, &stages[0].targets));
    if (b->errors) return RUGA_OK;
    for (size_t k = 1; k < kept->stage_count; k++)
        TRY(carry_targets(b, stages[k - 1].targets, curves, kept->stages[k].vertices_from_old, &stages[k].targets));
    for (size_t i = 0; i < curves; i++) most = fmax(most, stages[0].targets[i].stiffness);
    if (most > 0 && isnan(def->stiffness) && def->preset == 0)
        log_info(b->context, "object \"%s\": its creases get a stiffness of %.3g N, to hold their angles",
                 b->object->name, most);
    TRY(announce_stages(b, kept));
    const body_interface *interface = b->body ? b->body->interface : NULL;
    int is_filter = interface && interface->integrator && interface->integrator(b->body) == INTEGRATOR_FILTER;
    return crease_part_create_staged(b->context, stages, kept->stage_count, kept->stage_count > 1 && !is_filter, out);
}

const kind crease_part_kind = {
    .section = SECTION(
        "crease", ruga_crease_def, crease_fields,
        .help = "Sharp folds along curves, on a mesh of any resolution (Patkar, Jin and Fedkiw 2015): pleats, folded "
                "paper, pressed edges."),
    .role = KIND_INSIDE,
    .flags = KIND_CUTS,
    .cut = crease_cut_cloth,
    .make_part = make_part,
};
