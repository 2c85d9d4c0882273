#include "render/stroke.h"

#include <math.h>

#include "base/memory.h"

#define NEAREST 1e-3 /* depth in the tracer's units at which strokes are cut off */

void stroke_set_release(ruga_context *context, stroke_set *set) {
    RELEASE_ALL(context, set->strokes, set->offsets, set->members);
    *set = (stroke_set){0};
}

static size_t curve_pieces(const ruga_render_curve *curve) {
    if (curve->point_count < 2) return 0;
    return curve->closed ? curve->point_count : curve->point_count - 1;
}

/* Projects a piece, cut off where it comes too near the eye; 0 when nothing is left. */
static int project_stroke(const view *v, stroke *s) {
    double depth0 = -vec3_dot(vec3_sub(s->from, v->eye), v->back);
    double depth1 = -vec3_dot(vec3_sub(s->to, v->eye), v->back);
    if (depth0 < NEAREST && depth1 < NEAREST) return 0;
    if (depth0 < NEAREST) s->from = vec3_mix(s->from, s->to, (NEAREST - depth0) / (depth1 - depth0));
    if (depth1 < NEAREST) s->to = vec3_mix(s->to, s->from, (NEAREST - depth1) / (depth0 - depth1));
    s->near0 = 1 / view_project(v, s->from, &s->x0, &s->y0);
    s->near1 = 1 / view_project(v, s->to, &s->x1, &s->y1);
    return 1;
}

static void add_stroke(stroke_set *set, const view *v, const placement *place, ruga_vec3 from, ruga_vec3 to,
                       const stroke *look) {
    if (!view_can_show(from) || !view_can_show(to)) return;
    stroke s = *look;
    s.from = placement_apply(place, from), s.to = placement_apply(place, to);
    if (project_stroke(v, &s)) set->strokes[set->count++] = s;
}

static void add_all(const ruga_panel *panel, const placement *place, const view *v, double pixel_scale,
                    stroke_set *set) {
    stroke look = {0};
    for (size_t i = 0; i < panel->curve_count; i++, look.item++) {
        const ruga_render_curve *curve = &panel->curves[i];
        look.colour = colour_to_light(curve->colour), look.radius = 0.5 * (double)curve->width * pixel_scale;
        for (size_t k = 0; k < curve_pieces(curve); k++)
            add_stroke(set, v, place, curve->points[k], curve->points[(k + 1) % curve->point_count], &look);
    }
    for (size_t i = 0; i < panel->point_set_count; i++, look.item++) {
        const ruga_render_points *points = &panel->point_sets[i];
        look.colour = colour_to_light(points->colour), look.radius = 0.5 * (double)points->size * pixel_scale;
        for (size_t k = 0; k < points->point_count; k++)
            add_stroke(set, v, place, points->points[k], points->points[k], &look);
    }
}

static int tile_of(double pixel, int tiles) {
    double tile = floor(pixel / TILE_SIZE);
    return !(tile >= 0) ? 0 : tile >= tiles ? tiles : (int)tile;
}

/* The tiles [x0, x1) x [y0, y1) that a stroke's box touches. */
static void stroke_tiles(const stroke_set *set, const stroke *s, int *x0, int *x1, int *y0, int *y1) {
    double reach = s->radius + 1;
    *x0 = tile_of(fmin(s->x0, s->x1) - reach, set->columns);
    *x1 = tile_of(fmax(s->x0, s->x1) + reach + TILE_SIZE, set->columns);
    *y0 = tile_of(fmin(s->y0, s->y1) - reach, set->rows);
    *y1 = tile_of(fmax(s->y0, s->y1) + reach + TILE_SIZE, set->rows);
}

/* Counts, then fills; the counts are kept one tile ahead so that filling leaves the offsets right. */
static ruga_status sort_into_tiles(ruga_context *context, stroke_set *set) {
    size_t tiles = (size_t)set->columns * (size_t)set->rows;
    TRY(NEW_ZEROED(context, &set->offsets, tiles + 2));
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < set->count; i++) {
            int x0, x1, y0, y1;
            stroke_tiles(set, &set->strokes[i], &x0, &x1, &y0, &y1);
            for (int y = y0; y < y1; y++)
                for (int x = x0; x < x1; x++) {
                    size_t tile = (size_t)y * (size_t)set->columns + (size_t)x;
                    if (pass == 0)
                        set->offsets[tile + 2]++;
                    else
                        set->members[set->offsets[tile + 1]++] = (uint32_t)i;
                }
        }
        if (pass == 1) break;
        for (size_t t = 2; t < tiles + 2; t++) set->offsets[t] += set->offsets[t - 1];
        TRY(NEW(context, &set->members, set->offsets[tiles + 1]));
    }
    return RUGA_OK;
}

ruga_status stroke_set_make(ruga_context *context, const ruga_panel *panel, const placement *place, const view *v,
                            double pixel_scale, stroke_set *out) {
    stroke_set set = {.columns = (v->width + TILE_SIZE - 1) / TILE_SIZE,
                      .rows = (v->height + TILE_SIZE - 1) / TILE_SIZE};
    size_t capacity = 0;
    for (size_t i = 0; i < panel->curve_count; i++) capacity += curve_pieces(&panel->curves[i]);
    for (size_t i = 0; i < panel->point_set_count; i++) capacity += panel->point_sets[i].point_count;
    TRY(NEW(context, &set.strokes, capacity));
    add_all(panel, place, v, pixel_scale, &set);
    RETURN_MADE(sort_into_tiles(context, &set), set, out, stroke_set_release(context, &set));
}

double stroke_distance(const stroke *s, double x, double y, double *along) {
    double dx = s->x1 - s->x0, dy = s->y1 - s->y0, px = x - s->x0, py = y - s->y0;
    double length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? fmin(fmax((px * dx + py * dy) / length2, 0), 1) : 0;
    // Even steps on the screen are not even steps in space: those are weighted by nearness.
    *along = t * s->near1 / ((1 - t) * s->near0 + t * s->near1);
    return hypot(px - t * dx, py - t * dy);
}
