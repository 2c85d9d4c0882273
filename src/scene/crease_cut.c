/* The curves of a hook "crease", and the cuts of the cloth along them: one for each revision of its mesh. */
#include "scene/crease_cut.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "body/flesh.h"
#include "energy/spring_mesh.h"
#include "geom/curve.h"
#include "geom/pleats.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "scene/build.h"
#include "scene/crease_fade.h"
#include "scene/crease_refine.h"
#include "scene/object.h"

#define DEGREE (3.14159265358979323846 / 180)

/* ---- Curves. */

typedef struct drawn_curves {
    ruga_curve **curves;
    const ruga_crease_line **lines; /* (count) of each; NULL: of a file */
    curve_fold *folds;              /* (count) of patterns */
    size_t count, room;
    pleats pleats;      /* where the pattern is one */
    size_t first_pleat; /* its first curve */
    const char *file;   /* of all curves; NULL: others are among them */
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
        TRY(build_about(b, &lines[i].points,
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
    const pleats_def values = {is_box, def->count, def->depth, def->gap, def->oval};
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
    int is_box = def->pattern.section == &crease_box_section;
    if (is_box || def->pattern.section == &crease_knife_section) {
        TRY(make_pleats(b, values, is_box, pleated));
        return draw_pleats(b, pleated, read);
    }
    if (def->pattern.section != &crease_miura_section)
        return fail_argument(b->context, "unknown pattern of creases \"%s\"", def->pattern.section->name);
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
    TRY(draw_lines(b, def, d));
    d->file = d->first_pleat == d->count ? def->curves : NULL;
    return RUGA_OK;
}

/* ---- One cut. */

double crease_active(const ruga_crease_def *def, const ruga_crease_line *line) {
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

/* The input of the part, in the arena. */
static ruga_status keep_rig(build *b, size_t curves, const crease *c, crease_rig *out) {
    crease_fold *folds = NULL, *in_arena = NULL;
    embedded_node *nodes = NULL;
    size_t count = 0;
    TRY(ARENA_NEW(b->memory, &nodes, c->nodes.embedded_count + 1));
    memcpy(nodes, c->nodes.embedded, c->nodes.embedded_count * sizeof *nodes);
    TRY(crease_folds_make(c, &count, &folds));
    ruga_status status = ARENA_NEW(b->memory, &in_arena, count + 1);
    if (!RUGA_FAILED(status)) memcpy(in_arena, folds, count * sizeof *folds);
    memory_release(b->context, folds);
    TRY(status);
    *out = (crease_rig){.curve_count = curves,
                        .fold_count = count,
                        .node_count = c->nodes.embedded_count,
                        .folds = in_arena,
                        .nodes = nodes,
                        .visible = c->cut.mesh,
                        .point_count = c->nodes.simulated->vertex_count,
                        .line_count = c->lines.line_count};
    return keep_lines(b, c, &out->lines);
}

/* The fold vectors of creases that are not active from the beginning. Those that several creases share, at a star, are
 * free when the last of them is. */
static ruga_status keep_locks(build *b, const ruga_crease_def *def, const drawn_curves *d, const crease *c,
                              body_simulated *out) {
    double *until = NULL;
    body_lock *locks = NULL;
    size_t unknowns = c->bound->columns, locked = 0, count = 0;
    TRY(NEW(b->context, &until, unknowns));
    for (size_t j = 0; j < unknowns; j++) until[j] = -INFINITY;
    for (size_t i = 0; i < c->lines.line_count; i++) {
        const cut_line *line = &c->lines.lines[i];
        const crease_ridge *ridge = &c->ridges[i];
        double active = -INFINITY;
        for (size_t k = 0; k < line->mark_count; k++)
            active = fmax(active, crease_active(def, d->lines[line->marks[k].curve]));
        for (size_t e = 0; e < ridge->offsets[ridge->knot_count]; e++)
            if (ridge->weights[e] != 0) until[ridge->unknowns[e]] = fmax(until[ridge->unknowns[e]], active);
    }
    for (size_t j = 0; j < unknowns; j++) locked += until[j] > -INFINITY;
    ruga_status status = ARENA_NEW(b->memory, &locks, locked + 1);
    for (uint32_t j = 0; j < unknowns && !RUGA_FAILED(status); j++)
        if (until[j] > -INFINITY) locks[count++] = (body_lock){j, until[j]};
    memory_release(b->context, until);
    out->locks = locks;
    out->lock_count = count;
    return status;
}

/* Where folded pleats begin: the mesh's vertices as the pieces lead them, and one fold vector all along a crease. */
static ruga_status keep_start(build *b, const drawn_curves *d, const crease *c, body_simulated *out) {
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
            if (ridge->weights[e] != 0) y[ridge->unknowns[e]] = pleats_vector(p, curve - d->first_pleat);
    }
    for (size_t j = 0; b->placement && j < c->bound->columns; j++) {
        vec3 moved = body_transform_apply(b->placement, y[j]);
        /* Fold vectors turn; the distances that multiply them have the scale. */
        y[j] =
            j < b->mesh->vertex_count ? moved : vec3_scale(vec3_sub(moved, b->placement->move), 1 / b->object->scale);
    }
    ruga_map_apply(c->bound, y, start);
    memory_release(b->context, y);
    memory_release(b->context, flat);
    out->start = start;
    return status;
}

/* Hands meshes and maps to the scene. */
static ruga_status keep_meshes(build *b, const ruga_crease_def *def, crease *c, crease_stage_cut *out) {
    double *shares = NULL;
    uint32_t *vertex_of = NULL;
    int is_solid = c->solid.shares != NULL;
    size_t elements = is_solid ? c->nodes.simulated->tet_count : c->nodes.simulated->triangle_count;
    ruga_mesh *simulated = c->nodes.simulated, *visible = c->cut.mesh;
    ruga_map *bound = c->bound, *shown = c->nodes.visible, *from_whole = c->cut.map;
    TRY(ARENA_NEW(b->memory, &shares, elements));
    memcpy(shares, is_solid ? c->solid.shares : c->nodes.shares, elements * sizeof *shares);
    TRY(ARENA_NEW(b->memory, &vertex_of, simulated->vertex_count));
    memcpy(vertex_of, c->nodes.vertex_of, simulated->vertex_count * sizeof *vertex_of);
    c->nodes.simulated = c->cut.mesh = NULL;
    c->bound = c->nodes.visible = c->cut.map = NULL;
    ruga_status first = build_keep(b, simulated, bound), second = build_keep(b, visible, shown);
    ruga_status third = build_keep(b, NULL, from_whole);
    TRY(first);
    TRY(second);
    TRY(third);
    out->simulated.mesh = out->solid.simulated = simulated;
    out->simulated.visible = out->solid.shown = shown;
    out->simulated.shares = shares;
    out->simulated.vertex_of = vertex_of;
    if (def->form == CREASE_RIDGE) out->simulated.bound = bound;
    out->mesh = visible;
    out->from_whole = from_whole;
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

int crease_is_solid(const build *b) {
    const builder *made_by = (const builder *)b;
    const kind *found = kind_find(made_by->more_kinds, b->object->body.section, KIND_BODY);
    return found && (found->flags & KIND_IS_SOLID);
}

/* The arrays of creases in flesh, in the arena. */
static ruga_status keep_solid(build *b, const ruga_crease_def *def, const crease *c, crease_solid_rig *out) {
    crease_link *links = NULL, *kept_links = NULL;
    crease_anchor *anchors = NULL, *kept_anchors = NULL;
    tet_section *sections = NULL;
    const void *values = NULL;
    double depth = 0;
    if (def->anchors.section) {
        TRY(variant_values(b->memory, &def->anchors, &values));
        depth = ((const ruga_anchors_def *)values)->depth;
    }
    ruga_status status = crease_links_make(c, &out->link_count, &links);
    if (!RUGA_FAILED(status)) status = crease_anchors_make(c, depth, &out->anchor_count, &anchors);
    if (!RUGA_FAILED(status)) status = ARENA_NEW(b->memory, &kept_links, out->link_count + 1);
    if (!RUGA_FAILED(status)) status = ARENA_NEW(b->memory, &kept_anchors, out->anchor_count + 1);
    if (!RUGA_FAILED(status)) status = ARENA_NEW(b->memory, &sections, c->solid.section_count + 1);
    if (!RUGA_FAILED(status)) {
        memcpy(kept_links, links, out->link_count * sizeof *links);
        memcpy(kept_anchors, anchors, out->anchor_count * sizeof *anchors);
        memcpy(sections, c->solid.sections, c->solid.section_count * sizeof *sections);
    }
    RELEASE_ALL(b->context, links, anchors);
    out->links = kept_links;
    out->anchors = kept_anchors;
    out->sections = sections;
    out->section_count = c->solid.section_count;
    out->edge = c->lines.edge;
    return status;
}

/* Everything of a cut that the scene keeps; the crease itself loses its meshes and maps. c NULL: the cloth is whole. */
static ruga_status keep_stage(build *b, const ruga_crease_def *def, const drawn_curves *d, crease *c,
                              crease_stage_cut *out) {
    if (!c) {
        if (!isnan(def->fade))
            return build_found(b, &def->fade, RUGA_ERROR_INPUT,
                               "cloth that is whole for a time has no attribute off_creases then; cut the creases from "
                               "the beginning, and lock them by \"active\"");
        out->mesh = b->mesh;
        out->rig = (crease_rig){.curve_count = d->count, .visible = b->mesh, .point_count = b->mesh->vertex_count};
        return RUGA_OK;
    }
    if (def->form != CREASE_RIDGE) TRY(check_exact(b, def, c));
    if (!(out->time > -INFINITY)) TRY(keep_start(b, d, c, &out->simulated));
    if (!isnan(def->fade)) TRY(crease_add_fade(&c->cut, def->fade));
    TRY(keep_rig(b, d->count, c, &out->rig));
    if (c->solid.section_count > 0) TRY(keep_solid(b, def, c, &out->solid));
    TRY(keep_locks(b, def, d, c, &out->simulated));
    if (out->simulated.lock_count > 0 && def->form != CREASE_RIDGE)
        return build_found(b, &def->form, RUGA_ERROR_INPUT,
                           "creases that are locked until they are active need the form \"ridge\"");
    return keep_meshes(b, def, c, out);
}

/* ---- Creases that come and go: a stage for each set of them. */

/* When a curve is cut, and when it is removed, s. */
typedef struct lifetime {
    double from, to;
} lifetime;

typedef struct schedule {
    lifetime *lives; /* (curves) */
    double *times;   /* (count) rising, of the stages after the first */
    size_t count;
} schedule;

static void add_time(schedule *s, double time, double begin) {
    size_t at = s->count;
    if (!isfinite(time) || time <= begin) return;
    while (at > 0 && s->times[at - 1] > time) at--;
    if (at > 0 && s->times[at - 1] == time) return;
    memmove(s->times + at + 1, s->times + at, (s->count - at) * sizeof *s->times);
    s->times[at] = time;
    s->count++;
}

static const char *name_of(const drawn_curves *d, size_t curve) { return d->curves[curve]->name; }

static ruga_status check_life(build *b, const ruga_crease_def *def, const drawn_curves *d, size_t i, lifetime life,
                              double begin) {
    const ruga_crease_line *line = d->lines[i];
    const double *cut = line && !isnan(line->cut) ? &line->cut : &def->cut;
    const double *remove = line && !isnan(line->remove) ? &line->remove : &def->remove;
    double set = line ? or_else(line->set, def->set) : def->set;
    if (!(life.to > life.from))
        return build_found(b, remove, RUGA_ERROR_INPUT,
                           "curve \"%s\" is removed at %g s, but cut at %g s; remove it later", name_of(d, i), life.to,
                           life.from);
    if (!(life.to > begin))
        return build_found(b, remove, RUGA_ERROR_INPUT,
                           "curve \"%s\" is removed at %g s, but the scene begins at %g s: it would never be there; "
                           "leave it out",
                           name_of(d, i), life.to, begin);
    if (life.from > begin && set <= life.from)
        return build_found(b, line && !isnan(line->set) ? &line->set : &def->set, RUGA_ERROR_INPUT,
                           "the fold of curve \"%s\" is set at %g s, but it is cut at %g s; set it later",
                           name_of(d, i), set, life.from);
    if (life.from > begin && d->pleats.count > 0 && i >= d->first_pleat && i < d->first_pleat + d->pleats.count)
        return build_found(b, cut, RUGA_ERROR_INPUT,
                           "pleats begin folded, so that they can't be cut later; leave \"cut\" out");
    return RUGA_OK;
}

/* From the defs; *count times is 0 if all curves stay as they are. */
static ruga_status make_schedule(build *b, const ruga_crease_def *def, const drawn_curves *d, schedule *out) {
    double begin = (b->scene->time.start_frame - b->scene->time.preroll) / b->scene->time.fps;
    TRY(NEW(b->context, &out->lives, d->count));
    TRY(NEW(b->context, &out->times, 2 * d->count));
    for (size_t i = 0; i < d->count; i++) {
        const ruga_crease_line *line = d->lines[i];
        lifetime life = {or_else(line ? or_else(line->cut, def->cut) : def->cut, -INFINITY),
                         or_else(line ? or_else(line->remove, def->remove) : def->remove, INFINITY)};
        TRY(check_life(b, def, d, i, life, begin));
        if (life.from <= begin) life.from = -INFINITY;
        out->lives[i] = life;
        add_time(out, life.from, begin);
        add_time(out, life.to, begin);
    }
    return RUGA_OK;
}

static int same_life(lifetime a, lifetime b) { return a.from == b.from && a.to == b.to; }

static ruga_status report_apart(build *b, const drawn_curves *d, size_t curve, size_t other, const char *why) {
    return build_found(b, b->variant, RUGA_ERROR_INPUT,
                       "curves \"%s\" and \"%s\" %s; give both the same \"cut\" and \"remove\"", name_of(d, curve),
                       name_of(d, other), why);
}

/* Curves that became one line, or meet in a star, come and go together; a line that ends on another lives within the
 * other's time. */
static ruga_status check_lines(build *b, const drawn_curves *d, const schedule *s, const cut_lines *lines) {
    for (size_t i = 0; i < lines->line_count; i++) {
        const cut_line *l = &lines->lines[i];
        lifetime life = s->lives[l->curve];
        for (size_t k = 0; k < l->mark_count; k++)
            if (!same_life(s->lives[l->marks[k].curve], life))
                return report_apart(b, d, l->curve, l->marks[k].curve, "meet with their ends and become one crease");
        for (int end = 0; end < 2 && !l->closed; end++) {
            if (l->ends[end] != CUT_STEM) continue;
            const cut_line *bar = &lines->lines[l->bars[end]];
            if (life.from < s->lives[bar->curve].from || life.to > s->lives[bar->curve].to)
                return report_apart(b, d, l->curve, bar->curve,
                                    "meet: the first ends on the second, which is not "
                                    "there all the time");
        }
    }
    for (size_t i = 0; i < lines->star_count; i++) {
        const cut_star *star = &lines->stars[i];
        size_t first = lines->lines[star->rays[0].line].curve;
        for (size_t r = 1; r < star->ray_count; r++)
            if (!same_life(s->lives[lines->lines[star->rays[r].line].curve], s->lives[first]))
                return report_apart(b, d, first, lines->lines[star->rays[r].line].curve, "meet in one point");
    }
    return RUGA_OK;
}

/* The lines that are there after a time, and whether there is one. */
static int choose_lines(const schedule *s, const cut_lines *lines, double time, unsigned char *wanted) {
    int any = 0;
    for (size_t i = 0; i < lines->line_count; i++) {
        lifetime life = s->lives[lines->lines[i].curve];
        any |= wanted[i] = life.from <= time && time < life.to;
    }
    return any;
}

/* Errors name the file of the curves. */
static ruga_status cut_curves(const build *b, const drawn_curves *d, cut_lines *out) {
    char message[900];
    ruga_status status = cut_lines_make(b->mesh, (const ruga_curve *const *)d->curves, d->count, out);
    if (status != RUGA_ERROR_INPUT || !d->file) return status;
    snprintf(message, sizeof message, "%s", ruga_context_message(b->context));
    return fail_with(b->context, status, "%s: %s", d->file, message);
}

/* The creases of a stage: *out is whole, without lines, if there are none. */
static ruga_status make_stage(const build *b, const ruga_crease_def *def, const drawn_curves *d, const schedule *s,
                              size_t stage, crease *out, int *is_cut) {
    crease_def values = {.spacing = def->spacing, .depth = crease_is_solid(b) ? def->depth : 0};
    cut_lines lines;
    unsigned char *wanted = NULL;
    TRY(cut_curves(b, d, &lines));
    ruga_status status = NEW(b->context, &wanted, lines.line_count);
    *is_cut = !RUGA_FAILED(status) && choose_lines(s, &lines, stage > 0 ? s->times[stage - 1] : -INFINITY, wanted);
    if (!*is_cut) {
        cut_lines_release(&lines);
    } else {
        cut_lines_select(&lines, wanted);
        status = crease_make_of_lines(b->mesh, &lines, &values, out);
        if (RUGA_FAILED(status)) *is_cut = 0;
    }
    memory_release(b->context, wanted);
    return status;
}

static void measure_lines(const cut_lines *lines, crease_cut *kept) {
    kept->edge = lines->edge;
    for (size_t i = 0; i < lines->line_count; i++) kept->length += lines->lines[i].length;
}

/* Of several stages: lengths of all lines that are ever there, and whether their times agree. */
static ruga_status look_at_lines(build *b, const drawn_curves *d, const schedule *s, crease_cut *kept) {
    cut_lines lines;
    TRY(cut_curves(b, d, &lines));
    measure_lines(&lines, kept);
    ruga_status status = check_lines(b, d, s, &lines);
    cut_lines_release(&lines);
    return status;
}

static const crease *made_at(const crease *made, const int *is_cut, size_t stage) {
    return is_cut[stage] ? &made[stage] : NULL;
}

/* Maps from the stage before. */
static ruga_status keep_maps(build *b, const crease *from, const crease *to, crease_stage_cut *out) {
    ruga_map *points = NULL, *vertices = NULL;
    TRY(crease_change_maps(b->mesh, from, to, &points, &vertices));
    ruga_status first = build_keep(b, NULL, points), second = build_keep(b, NULL, vertices);
    out->points_from_old = points;
    out->vertices_from_old = vertices;
    return RUGA_FAILED(first) ? first : second;
}

/* made, is_cut: (stages) room. */
static ruga_status fill_stages(build *b, const ruga_crease_def *def, const drawn_curves *d, const schedule *s,
                               crease *made, int *is_cut, crease_cut *kept) {
    for (size_t k = 0; k < kept->stage_count; k++) {
        kept->stages[k] = (crease_stage_cut){.time = k > 0 ? s->times[k - 1] : -INFINITY};
        TRY(build_about(b, b->variant, make_stage(b, def, d, s, k, &made[k], &is_cut[k])));
        if (b->errors) return RUGA_OK;
    }
    if (kept->stage_count == 1) measure_lines(&made[0].lines, kept);
    for (size_t k = 1; k < kept->stage_count; k++)
        TRY(build_about(b, b->variant,
                        keep_maps(b, made_at(made, is_cut, k - 1), made_at(made, is_cut, k), &kept->stages[k])));
    for (size_t k = 0; k < kept->stage_count && !b->errors; k++)
        TRY(keep_stage(b, def, d, is_cut[k] ? &made[k] : NULL, &kept->stages[k]));
    return RUGA_OK;
}

static ruga_status make_stages(build *b, const ruga_crease_def *def, const drawn_curves *d, const schedule *s,
                               crease_cut *kept) {
    crease *made = NULL;
    int *is_cut = NULL;
    kept->stage_count = s->count + 1;
    TRY(ARENA_NEW(b->memory, &kept->stages, kept->stage_count));
    ruga_status status = NEW_ZEROED(b->context, &made, kept->stage_count);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(b->context, &is_cut, kept->stage_count);
    if (!RUGA_FAILED(status)) status = fill_stages(b, def, d, s, made, is_cut, kept);
    for (size_t k = 0; is_cut && k < kept->stage_count; k++)
        if (is_cut[k]) crease_release(&made[k]);
    RELEASE_ALL(b->context, made, is_cut);
    return status;
}

/* ---- All together. */

/* Creases in flesh are there from the beginning to the end, as ridges. */
static ruga_status check_solid(build *b, const ruga_crease_def *def, const drawn_curves *d, const schedule *s) {
    if (!crease_is_solid(b)) return RUGA_OK;
    if (b->mesh->tet_count == 0)
        return build_found(b, b->variant, RUGA_ERROR_INPUT,
                           "creases cut the tets of flesh, but its mesh has none; give the object a mesh of tets, as "
                           "ruga fill makes them of a closed surface");
    if (s->count > 0)
        return build_found(b, isnan(def->cut) ? &def->remove : &def->cut, RUGA_ERROR_INPUT,
                           "creases in flesh can't be cut or removed while the scene runs; lock them by \"active\"");
    if (def->form != CREASE_RIDGE)
        return build_found(b, &def->form, RUGA_ERROR_INPUT, "creases in flesh need the form \"ridge\"");
    if (def->springs != CREASE_ANGLE)
        return build_found(b, &def->springs, RUGA_ERROR_INPUT, "creases in flesh need springs against the \"angle\"");
    if (d->pleats.count > 0) return build_found(b, &def->pattern, RUGA_ERROR_INPUT, "flesh can't be pleated");
    /* Before the cut, so that messages name what is in the user's mesh. */
    return build_about(b, &b->object->body, flesh_check_mesh(b->mesh));
}

static ruga_status cut_along(build *b, const ruga_crease_def *def, const drawn_curves *d, const schedule *s) {
    crease_cut *kept = NULL;
    if (s->count > 0 && def->form != CREASE_RIDGE)
        return build_found(b, &def->form, RUGA_ERROR_INPUT,
                           "creases that are cut or removed while the scene runs need the form \"ridge\"");
    TRY(ARENA_NEW(b->memory, &kept, 1));
    *kept = (crease_cut){0};
    TRY(ARENA_NEW(b->memory, &kept->lines, d->count));
    memcpy((void *)kept->lines, (const void *)d->lines, d->count * sizeof *kept->lines);
    TRY(ARENA_NEW(b->memory, &kept->folds, d->count));
    memcpy(kept->folds, d->folds, d->count * sizeof *kept->folds);
    if (s->count > 0) TRY(build_about(b, b->variant, look_at_lines(b, d, s, kept)));
    if (b->errors) return RUGA_OK;
    for (size_t t = 0; t < b->mesh->triangle_count; t++) kept->area += mesh_triangle_area(b->mesh, t);
    TRY(make_stages(b, def, d, s, kept));
    if (b->errors) return RUGA_OK;
    b->cut = kept;
    b->simulated = kept->stages[0].simulated;
    b->from_uncut = kept->stages[0].from_whole;
    b->uncut = b->from_uncut ? b->mesh : NULL;
    b->mesh = b->cut_mesh = kept->stages[0].mesh;
    return RUGA_OK;
}

ruga_status crease_cut_cloth(build *b, const void *values) {
    const ruga_crease_def *def = values;
    drawn_curves d = {0};
    schedule s = {0};
    if (body_is_given(&b->simulated) || b->cut)
        return build_found(b, b->variant, RUGA_ERROR_INPUT,
                           "the object is cut already; put all creases into one \"crease\"");
    ruga_status status = find_curves(b, def, &d);
    if (!RUGA_FAILED(status) && !b->errors && d.count == 0)
        status = def->curves ? build_found(b, &def->curves, RUGA_ERROR_INPUT,
                                           "%s has no creases; a FOLD file needs edges that are assigned M, V or U, "
                                           "other files need curves",
                                           def->curves)
                             : build_found(b, &def->lines, RUGA_ERROR_INPUT,
                                           "there are no creases: give \"curves\" a file, or \"lines\" their points");
    if (!RUGA_FAILED(status) && !b->errors)
        status = crease_treat_several(b, def->several, &def->several, d.curves, d.count);
    if (!RUGA_FAILED(status) && !b->errors) status = make_schedule(b, def, &d, &s);
    if (!RUGA_FAILED(status) && !b->errors) status = check_solid(b, def, &d, &s);
    if (!RUGA_FAILED(status) && !b->errors) status = cut_along(b, def, &d, &s);
    release_curves(b->context, &d);
    RELEASE_ALL(b->context, s.lives, s.times);
    return status;
}
