/* Sculpts: the list of strokes, and which stages have to be repeated. See ruga/sculpt.h and sculpt.h. */
#include "ruga/sculpt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geom/curve.h"
#include "geom/surface_path.h"
#include "wrinkle/sculpt.h"

#define STEEPEST 10.0 /* greatest distance of two particles over their distance along the surface */
enum { MAX_PARTICLES = 10000, MAX_REFINE = 6, PARTICLES_PER_WRINKLE = 4 };

/* ---- Strokes. */

ruga_stroke_def ruga_stroke_def_default(void) {
    return (ruga_stroke_def){.cookie = RUGA_COOKIE,
                             .stiffness = 10,
                             .length = 1.08,
                             .radius = NAN,
                             .spread = NAN,
                             .tolerance = NAN,
                             .refine = 4,
                             .particles = 50,
                             .start = RUGA_STROKE_COUNT,
                             .wrinkles = 5,
                             .seed = 1,
                             .vary = 0.35,
                             .taper = 0.35};
}

/* An error about a stroke; what: what is wrong and what to do, without arguments. */
static ruga_status stroke_error(const ruga_sculpt *s, const ruga_stroke_def *def, const char *what) {
    return fail_input(s->context, "stroke \"%s\": %s", def->name, what);
}

ruga_status sculpt_blame(ruga_sculpt *s, sculpt_stroke *k, const char *what) {
    s->culprit = k;
    return stroke_error(s, &k->def, what);
}

/* The greatest length over the curve's: two particles at either end are fixed, and the others have at most that
 * slope. */
static double longest_of(int particles) { return STEEPEST * (particles - 5) / (particles - 1.0); }

static ruga_status check_numbers(const ruga_sculpt *s, const ruga_stroke_def *def) {
    int most_wrinkles = (def->particles - 1) / PARTICLES_PER_WRINKLE;
    if (!(def->stiffness >= 0) || isinf(def->stiffness))
        return fail_input(s->context,
                          "stroke \"%s\": its stiffness k_r is %g; it must not be negative, and 5 to 70 is usual",
                          def->name, def->stiffness);
    if (!(def->length >= 1))
        return fail_input(
            s->context,
            "stroke \"%s\": its target length is %g times that of the curve; it must be 1 (no wrinkle) or more, "
            "and 1.05 to 1.5 is usual",
            def->name, def->length);
    if (!isnan(def->radius) && !(def->radius > 0 && !isinf(def->radius)))
        return stroke_error(s, def, "its radius must be above 0 m");
    if (!isnan(def->spread) && !(def->spread > 0 && !isinf(def->spread)))
        return stroke_error(s, def, "its spread must be above 0");
    if (!(def->vary >= 0 && def->vary <= 1)) return stroke_error(s, def, "its variation must be 0 to 1");
    if (!(def->taper >= 0 && def->taper <= 0.5)) return stroke_error(s, def, "its taper must be 0 to 0.5");
    if (!(fabs(def->asymmetry) <= 1)) return stroke_error(s, def, "its asymmetry must be -1 to 1");
    if (!isnan(def->tolerance) && !(def->tolerance > 0)) return stroke_error(s, def, "its tolerance must be above 0 m");
    if (def->refine < 0 || def->refine > MAX_REFINE) return stroke_error(s, def, "it may be refined 0 to 6 times");
    if (def->particles < 8 || def->particles > MAX_PARTICLES)
        return stroke_error(s, def, "it must have 8 to 10000 particles");
    if (def->length > longest_of(def->particles))
        return fail_input(
            s->context,
            "stroke \"%s\": its target length is %g times that of the curve, but %d particles can show up to "
            "%.3g times; use a smaller length, or more particles",
            def->name, def->length, def->particles, longest_of(def->particles));
    if (def->shape == RUGA_SHAPE_FURROW && most_wrinkles < FURROW_SPANS)
        return fail_input(s->context, "stroke \"%s\": a furrow needs %d particles at least, not %d", def->name,
                          FURROW_SPANS * PARTICLES_PER_WRINKLE + 1, def->particles);
    if (def->shape == RUGA_SHAPE_FURROW || def->start != RUGA_STROKE_COUNT) return RUGA_OK;
    if (def->wrinkles < 1) return stroke_error(s, def, "it must have at least 1 wrinkle");
    if (def->wrinkles > most_wrinkles)
        return fail_input(
            s->context,
            "stroke \"%s\": %d wrinkles are wanted, but %d particles can show 1 to %d; use %lld particles or more",
            def->name, def->wrinkles, def->particles, most_wrinkles,
            (long long)PARTICLES_PER_WRINKLE * def->wrinkles + 1);
    return RUGA_OK;
}

static ruga_status check_curve(const ruga_sculpt *s, const ruga_stroke_def *def, const ruga_curve *curve) {
    for (size_t i = 0; i < curve->point_count; i++)
        if (curve->points[i].triangle >= s->mesh->triangle_count)
            return stroke_error(
                s, def, "its curve is not on this mesh: a triangle is out of range; draw it on the sculpt's mesh");
    if (!(ruga_curve_length(curve, s->mesh, NULL) > 0)) return stroke_error(s, def, "its curve has no length");
    return RUGA_OK;
}

static ruga_status check_def(const ruga_sculpt *s, const ruga_stroke_def *def) {
    if (def->cookie != RUGA_COOKIE)
        return fail_argument(s->context, "the def of a stroke is not initialised; start from ruga_stroke_def_default");
    if (!def->curve) return stroke_error(s, def, "it has no curve");
    if ((unsigned)def->mode > RUGA_REGION_BETWEEN || (unsigned)def->attenuation > RUGA_ATTENUATION_IMPLICIT ||
        (unsigned)def->shape > RUGA_SHAPE_FURROW || (unsigned)def->start > RUGA_STROKE_SEARCH ||
        (unsigned)def->ends > RUGA_ENDS_PRINTED)
        return stroke_error(s, def, "its shape, mode, start, attenuation or ends has an unknown value");
    TRY(check_numbers(s, def));
    TRY(check_curve(s, def, def->curve));
    if (def->region) TRY(check_curve(s, def, def->region));
    if (def->shape == RUGA_SHAPE_FURROW && (def->region || def->mode == RUGA_REGION_BETWEEN))
        return stroke_error(s, def, "a furrow has no region curve; set its radius instead");
    if (def->mode == RUGA_REGION_BETWEEN && !def->region)
        return stroke_error(s, def, "a region between two curves needs a region curve");
    if (def->mode == RUGA_REGION_BETWEEN && isnan(def->radius))
        return stroke_error(s, def, "a region between two curves needs a radius");
    return RUGA_OK;
}

static void release_def(ruga_sculpt *s, ruga_stroke_def *def) {
    memory_release(s->context, (void *)(uintptr_t)def->name);
    ruga_curve_destroy((ruga_curve *)(uintptr_t)def->curve);
    ruga_curve_destroy((ruga_curve *)(uintptr_t)def->region);
    def->name = NULL;
    def->curve = def->region = NULL;
}

/* The one with the least x, then y, then z: the result then does not depend on where the drawing began. */
size_t sculpt_first_point(const ruga_mesh *mesh, const ruga_curve *curve) {
    size_t first = 0;
    vec3 least = {0, 0, 0};
    for (size_t i = 0; i < curve->point_count && curve->closed; i++) {
        const vec3 at = surface_point_at(mesh, NULL, curve->points[i]);
        const int is_less = at.x != least.x ? at.x < least.x : at.y != least.y ? at.y < least.y : at.z < least.z;
        if (i > 0 && !is_less) continue;
        first = i;
        least = at;
    }
    return first;
}

static ruga_status copy_curve(const ruga_sculpt *s, const char *name, const ruga_curve *curve, int as_drawn,
                              ruga_curve **out) {
    const size_t count = curve->point_count, first = as_drawn ? 0 : sculpt_first_point(s->mesh, curve);
    ruga_surface_point *points;
    TRY(NEW(s->context, &points, count));
    for (size_t i = 0; i < count; i++) points[i] = curve->points[(first + i) % count];
    ruga_status status = curve_from_array(s->context, name, curve->closed, points, count, out);
    memory_release(s->context, points);
    return status;
}

/* A checked copy of a def. Curves get the stroke's name, for messages. */
static ruga_status copy_def(ruga_sculpt *s, size_t number, const ruga_stroke_def *def, ruga_stroke_def *out) {
    char own_name[32], *name;
    ruga_curve *curve = NULL, *region = NULL;
    snprintf(own_name, sizeof own_name, "%zu", number);
    ruga_stroke_def copy = *def;
    if (!copy.name) copy.name = own_name;
    TRY(check_def(s, &copy));
    TRY(NEW_TEXT(s->context, &name, copy.name));
    ruga_status status = copy_curve(s, name, def->curve, def->begins_as_drawn, &curve);
    if (!RUGA_FAILED(status) && def->region) status = copy_curve(s, name, def->region, 0, &region);
    copy.name = name;
    copy.curve = curve;
    copy.region = region;
    RETURN_MADE(status, copy, out, release_def(s, &copy));
}

/* ---- The list. */

static ruga_status find_stroke(const ruga_sculpt *s, size_t number, sculpt_stroke **out) {
    if (number >= s->strokes.count || !s->strokes.items[number].used)
        return fail_argument(s->context, "there is no stroke %zu; it was removed or never added", number);
    *out = &s->strokes.items[number];
    return RUGA_OK;
}

ruga_status ruga_sculpt_add(ruga_sculpt *s, const ruga_stroke_def *def, size_t *number) {
    sculpt_stroke k = {.used = 1, .shape_is_stale = 1, .drawn = {.context = s->context}};
    TRY(ARRAY_RESERVE(s->context, &s->order, 1));
    TRY(copy_def(s, s->strokes.count, def, &k.def));
    /* Last, when nothing else can fail: strokes move in memory, and the results of the last update point to them. */
    TRY_OR(ARRAY_RESERVE(s->context, &s->strokes, 1), release_def(s, &k.def));
    if (number) *number = s->strokes.count;
    s->order.items[s->order.count++] = s->strokes.count;
    s->strokes.items[s->strokes.count++] = k;
    s->curves_are_stale = 1;
    return RUGA_OK;
}

static int same_curve(const ruga_curve *a, const ruga_curve *b) {
    if (!a || !b) return a == b;
    if (a->closed != b->closed || a->point_count != b->point_count) return 0;
    for (size_t i = 0; i < a->point_count; i++) {
        const ruga_surface_point *p = &a->points[i], *q = &b->points[i];
        if (p->triangle != q->triangle || memcmp(p->weights, q->weights, sizeof p->weights) != 0) return 0;
    }
    return 1;
}

static int same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Marks the stages that have to be repeated for a new def. */
static void mark_stale(ruga_sculpt *s, sculpt_stroke *k, const ruga_stroke_def *now) {
    const ruga_stroke_def *was = &k->def;
    int same_curves = same_curve(was->curve, now->curve) && same_curve(was->region, now->region);
    k->cuts_alone &= same_curves;
    s->curves_are_stale |= k->failed || !same_curves || was->off != now->off || was->particles != now->particles;
    int is_furrow = was->shape == RUGA_SHAPE_FURROW || now->shape == RUGA_SHAPE_FURROW;
    int same_radius = same_number(was->radius, now->radius) && same_number(was->spread, now->spread);
    /* A furrow's particles lie across it. */
    s->curves_are_stale |=
        was->shape != now->shape || (is_furrow && (!same_radius || was->taper != now->taper || was->vary != now->vary ||
                                                   was->asymmetry != now->asymmetry || was->seed != now->seed));
    s->regions_are_stale |= was->mode != now->mode || !same_radius || was->attenuation != now->attenuation ||
                            was->refine != now->refine || !same_number(was->tolerance, now->tolerance);
    k->shape_is_stale |= was->stiffness != now->stiffness || was->length != now->length || was->start != now->start ||
                         was->wrinkles != now->wrinkles || was->seed != now->seed || was->straight != now->straight ||
                         was->ends != now->ends || was->vary != now->vary;
}

ruga_status ruga_sculpt_set(ruga_sculpt *s, size_t number, const ruga_stroke_def *def) {
    sculpt_stroke *k = NULL;
    ruga_stroke_def copy;
    TRY(find_stroke(s, number, &k));
    TRY(copy_def(s, number, def, &copy));
    mark_stale(s, k, &copy);
    release_def(s, &k->def);
    k->def = copy;
    return RUGA_OK;
}

ruga_status ruga_sculpt_remove(ruga_sculpt *s, size_t number) {
    sculpt_stroke *k = NULL;
    TRY(find_stroke(s, number, &k));
    k->used = k->failed = 0;
    k->info = (ruga_stroke_info){0};
    release_def(s, &k->def);
    size_t kept = 0;
    for (size_t i = 0; i < s->order.count; i++)
        if (s->order.items[i] != number) s->order.items[kept++] = s->order.items[i];
    s->order.count = kept;
    s->curves_are_stale = 1;
    return RUGA_OK;
}

ruga_status ruga_sculpt_reorder(ruga_sculpt *s, const size_t *strokes, size_t count) {
    int right = count == s->order.count;
    for (size_t i = 0; i < count && right; i++) {
        right = strokes[i] < s->strokes.count && s->strokes.items[strokes[i]].used;
        for (size_t j = 0; j < i && right; j++) right = strokes[j] != strokes[i];
    }
    if (!right) return fail_argument(s->context, "a new order must name each of the %zu strokes once", s->order.count);
    if (count == 0) return RUGA_OK;
    s->curves_are_stale |= memcmp(s->order.items, strokes, count * sizeof *strokes) != 0;
    memcpy(s->order.items, strokes, count * sizeof *strokes);
    return RUGA_OK;
}

size_t ruga_sculpt_stroke_count(const ruga_sculpt *s) { return s->strokes.count; }

/* ---- Creation. */

/* Seams of split vertices stay open: curves and refinement of the two sides do not match. */
static ruga_status find_hard_edges(ruga_sculpt *s) {
    uint32_t *own;
    TRY(NEW(s->context, &own, s->mesh->vertex_count));
    for (size_t v = 0; v < s->mesh->vertex_count; v++) own[v] = (uint32_t)v;
    ruga_status status = hard_edges_find(s->mesh, own, SCULPT_HARD_ANGLE, &s->hard);
    memory_release(s->context, own);
    return status;
}

/* Arrays for the result, with a copy of the mesh: strokes change little of it. */
static ruga_status make_room(ruga_sculpt *s) {
    const size_t size = s->mesh->vertex_count * sizeof *s->mesh_normals;
    void *normals;
    TRY(cut_room_make(&s->plain, s->hard.topo, &s->room));
    TRY(cut_room_copy(s->context, &s->room, ROOM_NORMALS, size, s->mesh_normals, size, &normals));
    cut_room_give_back(&s->room, NULL, NULL, normals);
    return RUGA_OK;
}

/* Everything that depends on the mesh alone. */
static ruga_status prepare(ruga_sculpt *s) {
    const ruga_mesh *mesh = s->mesh;
    TRY(NEW(s->context, &s->attributes, mesh->attribute_count));
    s->plain = *mesh;
    s->plain.attributes = s->attributes;
    s->plain.attribute_count = 0;
    for (size_t i = 0; i < mesh->attribute_count; i++) {
        const char *name = mesh->attributes[i].name;
        if (strcmp(name, "normal") != 0 && strcmp(name, "tangent") != 0)
            s->attributes[s->plain.attribute_count++] = mesh->attributes[i];
    }
    vec3 low, high;
    vec3_bounds(mesh->positions, mesh->vertex_count, &low, &high);
    s->mesh_size = vec3_distance(low, high);
    TRY(NEW(s->context, &s->mesh_normals, mesh->vertex_count));
    TRY(ruga_mesh_normals(mesh, NULL, s->mesh_normals));
    TRY(find_hard_edges(s));
    TRY(make_room(s));
    return sculpt_finder_make(mesh, s->hard.topo, &s->finder);
}

ruga_status ruga_sculpt_create(const ruga_mesh *mesh, ruga_sculpt **out) {
    if (mesh->triangle_count == 0)
        return fail_input(mesh->context, "a mesh without faces can't be sculpted; choose one with faces");
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (!vec3_is_finite(mesh->positions[v]))
            return fail_input(mesh->context, "vertex %zu is not finite; repair the mesh before sculpting it", v);
    ruga_sculpt *s;
    TRY(NEW_ZEROED(mesh->context, &s, 1));
    s->context = mesh->context;
    s->mesh = mesh;
    s->curves_are_stale = 1;
    s->room.context = s->cut.context = s->surface.context = s->field.context = mesh->context;
    s->cut_piece.context = s->surface.piece.context = s->surface.smooth.context = mesh->context;
    RETURN_MADE(prepare(s), s, out, ruga_sculpt_destroy(s));
}

void sculpt_release_surface(ruga_sculpt *s) {
    sculpt_pose_room_release(s);
    sculpt_field_release(&s->field);
    sculpt_surface_release(&s->surface);
    for (size_t i = 0; i < s->strokes.count; i++) {
        sculpt_path_release(s->context, &s->strokes.items[i].fine_base);
        sculpt_path_release(s->context, &s->strokes.items[i].fine_region);
    }
}

void sculpt_release_cut(ruga_sculpt *s) {
    sculpt_release_surface(s);
    for (size_t i = 0; i < s->strokes.count; i++) {
        sculpt_stroke *k = &s->strokes.items[i];
        sculpt_drawn_release(&k->drawn);
        sculpt_path_release(s->context, &k->cut_base);
        sculpt_path_release(s->context, &k->cut_region);
        sculpt_line_release(s->context, &k->line);
    }
    curve_cut_release(&s->cut);
    mesh_piece_release(&s->cut_piece);
    memory_release(s->context, s->cut_normals);
    s->cut_normals = NULL;
    s->active.count = 0;
}

void ruga_sculpt_destroy(ruga_sculpt *s) {
    if (!s) return;
    sculpt_release_cut(s);
    for (size_t i = 0; i < s->strokes.count; i++) {
        if (s->strokes.items[i].used) release_def(s, &s->strokes.items[i].def);
        memory_release(s->context, s->strokes.items[i].message);
    }
    sculpt_govern_room_release(s);
    sculpt_finder_release(s->context, &s->finder);
    cut_room_release(&s->room);
    hard_edges_release(s->context, &s->hard);
    RELEASE_ALL(s->context, s->strokes.items, s->order.items, s->active.items, s->crossings.items, s->groups,
                (void *)s->lines, s->attributes, s->mesh_normals, s);
}

/* ---- Updates. */

static ruga_status govern_at_rest(ruga_sculpt *s) {
    double *lengths;
    TRY(NEW(s->context, &lengths, s->active.count));
    for (size_t i = 0; i < s->active.count; i++) lengths[i] = active_stroke(s, i)->def.length;
    ruga_status status = sculpt_govern(s, lengths, 0);
    for (size_t i = 0; i < s->active.count && !RUGA_FAILED(status); i++) {
        sculpt_line *line = &active_stroke(s, i)->line;
        memcpy(line->rest_deflections, line->deflections, line->count * sizeof *line->deflections);
    }
    memory_release(s->context, lengths);
    return status;
}

static void fill_infos(ruga_sculpt *s) {
    for (size_t i = 0; i < s->active.count; i++) {
        sculpt_stroke *k = active_stroke(s, i);
        k->info.drawn_length = k->cut_base.length;
        k->info.reached = k->line.reached;
        k->info.energy = k->line.energy;
        k->info.refinements = k->level;
        k->info.extrema = k->line.wrinkles;
        k->info.region_vertices = 0;
    }
    /* A stroke that comes near itself may have several influences on one vertex. */
    const sculpt_field *f = &s->field;
    for (size_t i = 0; i < f->vertex_count; i++)
        for (uint32_t k = f->offsets[i]; k < f->offsets[i + 1]; k++)
            if (k == f->offsets[i] || f->influences[k].stroke != f->influences[k - 1].stroke)
                active_stroke(s, f->influences[k].stroke)->info.region_vertices++;
}

static ruga_status check_radii(ruga_sculpt *s) {
    for (size_t i = 0; i < s->order.count; i++) {
        sculpt_stroke *k = &s->strokes.items[s->order.items[i]];
        if (k->failed || k->def.off || !(k->def.radius > s->mesh_size)) continue;
        s->culprit = k;
        return fail_input(
            s->context, "stroke \"%s\": its radius of %g m is larger than the mesh, which is %g m; radii are in metres",
            k->def.name, k->def.radius, s->mesh_size);
    }
    return RUGA_OK;
}

static ruga_status bring_up_to_date(ruga_sculpt *s) {
    int rebuild = s->curves_are_stale || s->regions_are_stale;
    TRY(report_progress(s->context, "sculpting", 0));
    TRY(check_radii(s));
    if (s->curves_are_stale) {
        TRY(sculpt_make_cut(s));
        TRY(sculpt_find_crossings(s));
        TRY(sculpt_group_strokes(s));
    }
    TRY(govern_at_rest(s));
    rebuild |= sculpt_find_levels(s);
    if (rebuild || !s->surface.mesh) TRY(sculpt_make_surface(s));
    sculpt_apply(s);
    fill_infos(s);
    s->curves_are_stale = s->regions_are_stale = 0;
    return RUGA_OK;
}

ruga_status ruga_sculpt_update(ruga_sculpt *s, int keep_going, size_t *failed) {
    ruga_status status;
    /* Failed strokes are tried again when curves have changed, and when a failure is an error. */
    for (size_t i = 0; i < s->strokes.count; i++) s->curves_are_stale |= s->strokes.items[i].failed && !keep_going;
    for (size_t i = 0; i < s->strokes.count && s->curves_are_stale; i++) s->strokes.items[i].failed = 0;
    do {
        s->culprit = NULL;
        status = bring_up_to_date(s);
        if (!RUGA_FAILED(status)) break;
        /* No partial result is left: the next attempt starts from the curves. */
        sculpt_release_cut(s);
        s->curves_are_stale = 1;
        if (!keep_going || !s->culprit || status == RUGA_ERROR_MEMORY) return status;
        sculpt_stroke *k = s->culprit;
        memory_release(s->context, k->message);
        k->info = (ruga_stroke_info){.status = status};
        k->failed = 1;
        TRY(NEW_TEXT(s->context, &k->message, ruga_context_message(s->context)));
        k->info.message = k->message;
    } while (1);
    size_t count = 0;
    for (size_t i = 0; i < s->strokes.count; i++) count += s->strokes.items[i].failed ? 1 : 0;
    if (failed) *failed = count;
    return status;
}

/* ---- Results. */

const ruga_mesh *ruga_sculpt_mesh(const ruga_sculpt *s) { return s->surface.mesh; }
const ruga_vec3 *ruga_sculpt_normals(const ruga_sculpt *s) { return s->surface.normals; }
const vec3 *sculpt_mesh_normals(const ruga_sculpt *s) { return s->mesh_normals; }
sculpt_counts sculpt_get_counts(const ruga_sculpt *s) { return s->counts; }
const ruga_map *ruga_sculpt_map(const ruga_sculpt *s) { return s->surface.map; }

ruga_stroke_info ruga_sculpt_stroke_info(const ruga_sculpt *s, size_t number) {
    if (number >= s->strokes.count)
        return (ruga_stroke_info){.status = RUGA_ERROR_ARGUMENT, .message = "there is no such stroke"};
    return s->strokes.items[number].info;
}

void ruga_sculpt_regions(const ruga_sculpt *s, double *shares) {
    memset(shares, 0, (s->surface.mesh ? s->surface.mesh->vertex_count : 0) * sizeof *shares);
    for (size_t i = 0; i < s->field.vertex_count; i++)
        for (uint32_t k = s->field.offsets[i]; k < s->field.offsets[i + 1]; k++)
            shares[s->surface.numbers[s->field.vertices[i]]] += s->field.influences[k].weight;
    for (size_t i = 0; i < s->field.vertex_count; i++) {
        double *share = &shares[s->surface.numbers[s->field.vertices[i]]];
        *share = fmin(*share, 1);
    }
}
