/* The first stage of a sculpt: the curves of all active strokes, cut into the piece of the mesh around them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "wrinkle/sculpt.h"

/* Rings around the triangles with curves: the triangles that a cut may also touch, as points move to near vertices, and
 * all others at the vertices of these, for their normals. */
enum { CUT_RINGS = 2 };

#define PI 3.14159265358979323846
/* Radius over the curve's length, of a closed one over that of a circle as long: by default, and of a furrow. */
#define SPREAD 1.0
#define FURROW_SPREAD 0.12
#define WIDE_SPREAD 1.2 /* the widest of a look; a long curve may have it on a mesh that is smaller */

/* ---- Curves on pieces. */

/* Curves whose points have the triangle numbers of a piece. */
typedef struct piece_curves {
    ruga_curve *curves;
    const ruga_curve **list; /* pointers to these */
    ruga_surface_point *points;
} piece_curves;

static void piece_curves_release(ruga_context *context, piece_curves *p) {
    RELEASE_ALL(context, p->curves, (void *)(uintptr_t)p->list, p->points);
}

static ruga_status piece_curves_make(const mesh_piece *piece, const ruga_curve *const *curves, size_t count,
                                     piece_curves *out) {
    ruga_context *context = piece->context;
    size_t total = 0, filled = 0;
    for (size_t i = 0; i < count; i++) total += curves[i]->point_count;
    TRY(NEW_EACH(context, count, &out->curves, &out->list));
    TRY(NEW(context, &out->points, total));
    for (size_t i = 0; i < count; i++) {
        out->curves[i] = *curves[i];
        out->curves[i].points = out->points + filled;
        out->list[i] = &out->curves[i];
        for (size_t k = 0; k < curves[i]->point_count; k++) {
            out->points[filled] = curves[i]->points[k];
            out->points[filled].triangle = mesh_piece_triangle(piece, curves[i]->points[k].triangle);
            filled++;
        }
    }
    return RUGA_OK;
}

/* ---- Cutting. */

/* The curves of some strokes, one after the other: (2 count) at most. */
static size_t list_curves(const ruga_sculpt *s, const size_t *numbers, size_t count, const ruga_curve **out) {
    size_t curves = 0;
    for (size_t i = 0; i < count; i++) {
        const ruga_stroke_def *def = &s->strokes.items[numbers[i]].def;
        out[curves++] = def->curve;
        if (def->region) out[curves++] = def->region;
    }
    return curves;
}

/* Cuts the curves of all active strokes into the piece around them. */
static ruga_status cut_piece(ruga_sculpt *s, const ruga_curve *const *curves, size_t count) {
    piece_curves own = {0};
    if (s->is_whole) sculpt_finder_take_all(&s->finder);
    for (size_t i = 0; i < count; i++) sculpt_finder_take_curve(&s->finder, curves[i]);
    sculpt_finder_grow(&s->finder, CUT_RINGS);
    TRY(sculpt_finder_cut_out(&s->finder, &s->cut_piece));
    curve_cut_def def = curve_cut_def_default();
    ruga_status status = piece_curves_make(&s->cut_piece, curves, count, &own);
    if (!RUGA_FAILED(status)) status = curve_cut_make(s->cut_piece.mesh, own.list, count, &def, &s->cut);
    piece_curves_release(s->context, &own);
    return status;
}

/* Curves have the names of their strokes: "curve …" becomes "stroke …". */
static ruga_status name_stroke(ruga_sculpt *s, ruga_status status) {
    static const char curve[] = "curve ";
    char message[900];
    snprintf(message, sizeof message, "%s", ruga_context_message(s->context));
    if (status != RUGA_ERROR_INPUT || strncmp(message, curve, sizeof curve - 1) != 0) return status;
    return fail_with(s->context, status, "stroke %s", message + sizeof curve - 1);
}

/* Finds the stroke whose curves can't be cut: cuts each by itself, except those that could be cut before, until one
 * fails. This cuts the mesh itself, so that messages have its numbers. */
static ruga_status find_culprit(ruga_sculpt *s, const ruga_curve **room, ruga_status status) {
    curve_cut_def def = curve_cut_def_default();
    def.topo = s->hard.topo;
    for (size_t i = 0; i < s->active.count && status != RUGA_ERROR_MEMORY; i++) {
        curve_cut alone;
        sculpt_stroke *k = active_stroke(s, i);
        if (k->cuts_alone) continue;
        ruga_status own = curve_cut_make(&s->plain, room, list_curves(s, &s->active.items[i], 1, room), &def, &alone);
        if (!RUGA_FAILED(own)) {
            curve_cut_release(&alone);
            k->cuts_alone = 1;
            continue;
        }
        s->culprit = k;
        return name_stroke(s, own);
    }
    return status;
}

static ruga_status cut_strokes(ruga_sculpt *s) {
    const ruga_curve **curves;
    TRY(NEW(s->context, &curves, 2 * s->active.count));
    ruga_status status = cut_piece(s, curves, list_curves(s, s->active.items, s->active.count, curves));
    if (RUGA_FAILED(status)) status = find_culprit(s, curves, status);
    memory_release(s->context, (void *)(uintptr_t)curves);
    return status;
}

/* ---- Strokes on the cut. */

/* Lists the active strokes. */
static ruga_status list_active(ruga_sculpt *s) {
    s->active.count = 0;
    for (size_t i = 0; i < s->order.count; i++) {
        sculpt_stroke *k = &s->strokes.items[s->order.items[i]];
        if (k->failed) continue;
        k->info = (ruga_stroke_info){0};
        if (k->def.off) continue;
        TRY(ARRAY_ADD(s->context, &s->active, s->order.items[i]));
    }
    return RUGA_OK;
}

static ruga_status take_path(ruga_sculpt *s, const curve_path *path, const sculpt_drawn *drawn, sculpt_path *out) {
    TRY(sculpt_path_make(s->context, path->vertices, path->count, path->closed, out));
    sculpt_path_measure(out, s->cut.mesh->positions, drawn);
    return RUGA_OK;
}

/* m, mean longest side of the triangles that a curve runs through. */
static double find_stride(const ruga_mesh *mesh, const ruga_curve *curve) {
    double sum = 0;
    for (size_t i = 0; i < curve->point_count; i++) {
        const uint32_t *t = mesh->triangles + 3 * (size_t)curve->points[i].triangle;
        double longest = 0;
        for (int k = 0; k < 3; k++)
            longest = fmax(longest, vec3_distance(mesh->positions[t[k]], mesh->positions[t[(k + 1) % 3]]));
        sum += longest;
    }
    return sum / (double)curve->point_count;
}

/* m, extent along the curve of the sides of the triangles that it runs through: the root mean square, since the error
 * of a straight edge grows with the square. */
static double find_extent(const ruga_mesh *mesh, const ruga_curve *curve, const sculpt_drawn *drawn) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i + 1 < drawn->count; i++) {
        const uint32_t *t = mesh->triangles + 3 * (size_t)curve->points[i].triangle;
        vec3 direction = vec3_normalise(vec3_sub(drawn->points[i + 1], drawn->points[i]));
        for (int k = 0; k < 3 && vec3_length2(direction) > 0; k++, count++) {
            double along = vec3_dot(direction, vec3_sub(mesh->positions[t[k]], mesh->positions[t[(k + 1) % 3]]));
            sum += along * along;
        }
    }
    return count > 0 ? sqrt(sum / (double)count) : 0;
}

double sculpt_stroke_radius(const sculpt_stroke *k) {
    double spread = !isnan(k->def.spread) ? k->def.spread : stroke_is_furrow(k) ? FURROW_SPREAD : SPREAD;
    double length = k->cut_base.closed ? k->cut_base.length / (2 * PI) : k->cut_base.length;
    return isnan(k->def.radius) ? spread * length : k->def.radius;
}

void sculpt_stroke_place(sculpt_stroke *k, const vec3 *positions, const vec3 *normals) {
    if (stroke_is_furrow(k))
        sculpt_line_place_across(&k->line);
    else
        sculpt_line_place(&k->line, &k->cut_base, positions, normals);
}

/* A radius that was given is checked before; this one follows from the length of the cut curve. */
static ruga_status check_spread(ruga_sculpt *s, sculpt_stroke *k) {
    double radius = sculpt_stroke_radius(k);
    if (!isnan(k->def.radius) || !(k->def.spread > WIDE_SPREAD) || !(radius > s->mesh_size)) return RUGA_OK;
    if (k->def.region && k->def.mode == RUGA_REGION_AROUND) return RUGA_OK;
    s->culprit = k;
    return fail_input(s->context,
                      "stroke \"%s\": its radius of %g m, by a spread of %g, is larger than the mesh, which is %g m; "
                      "spread is the radius over the curve's length",
                      k->def.name, radius, k->def.spread, s->mesh_size);
}

/* A stroke's paths, and its particles on them; *path is the next of the cut. */
static ruga_status take_stroke(ruga_sculpt *s, sculpt_stroke *k, size_t *path) {
    TRY(sculpt_drawn_make(k->def.curve, s->mesh, &k->drawn));
    TRY(take_path(s, &s->cut.paths[(*path)++], &k->drawn, &k->cut_base));
    if (k->def.region) {
        sculpt_drawn region;
        TRY(sculpt_drawn_make(k->def.region, s->mesh, &region));
        ruga_status status = take_path(s, &s->cut.paths[(*path)++], &region, &k->cut_region);
        sculpt_drawn_release(&region);
        TRY(status);
    }
    if (k->cut_base.count < 2)
        return sculpt_blame(s, k, "its curve is too short for the mesh; draw a longer one, or use a finer mesh");
    TRY(check_spread(s, k));
    TRY(sculpt_line_make(s->context, (size_t)k->def.particles, &k->line));
    k->line.closed = k->cut_base.closed && !stroke_is_furrow(k);
    k->stride = find_stride(s->mesh, k->def.curve);
    k->extent = find_extent(s->mesh, k->def.curve, &k->drawn);
    k->line.length = stroke_is_furrow(k) ? 2 * sculpt_stroke_radius(k) : k->cut_base.length;
    k->furrow = (sculpt_furrow){k->def.taper, k->def.asymmetry, k->def.vary, k->def.seed};
    sculpt_stroke_place(k, s->cut.mesh->positions, s->cut_normals);
    k->chord = sculpt_line_chord(&k->line);
    k->shape_is_stale = 1;
    return RUGA_OK;
}

ruga_status sculpt_make_cut(ruga_sculpt *s) {
    sculpt_release_cut(s);
    s->counts.cuts++;
    TRY(list_active(s));
    TRY(cut_strokes(s));
    vec3 *normals;
    TRY(NEW(s->context, &s->cut_normals, s->cut.mesh->vertex_count));
    TRY(NEW(s->context, &normals, s->cut_piece.mesh->vertex_count));
    mesh_piece_pick(&s->cut_piece, s->mesh_normals, normals);
    sculpt_mix_normals(s->cut.map, normals, s->cut_normals);
    memory_release(s->context, normals);
    size_t path = 0;
    for (size_t i = 0; i < s->active.count; i++) TRY(take_stroke(s, active_stroke(s, i), &path));
    memory_release(s->context, (void *)s->lines);
    TRY(NEW(s->context, &s->lines, s->active.count));
    for (size_t i = 0; i < s->active.count; i++) s->lines[i] = &active_stroke(s, i)->line;
    return RUGA_OK;
}
