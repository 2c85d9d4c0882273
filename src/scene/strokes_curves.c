/* Curves of strokes: from files, from a model, from points that stand in the stroke itself. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "field/words.h"
#include "geom/curve_smooth.h"
#include "io/curves.h"
#include "model/model_curves.h"
#include "ruga/text.h"
#include "scene/strokes_parts.h"
#include "scene/tables.h"

enum { MODEL_POINTS = 33, MAX_CURVE_NAME = 300 };

/* ---- Of files. */

static ruga_status note_bad(void *user, const char *name, const char *message) {
    curve_pool *pool = user;
    bad_curve bad = {.is_wanted = 0};
    TRY(ARENA_TEXT(pool->memory, &bad.name, name));
    TRY(ARENA_TEXT(pool->memory, &bad.message, message));
    return ARRAY_ADD(pool->drawn.context, &pool->bad, bad);
}

ruga_status curve_pool_read(curve_pool *pool, const char *path) {
    ruga_context *context = pool->drawn.context;
    ruga_curve **read = NULL;
    size_t count = 0;
    ruga_curve_def def = ruga_curve_def_default();
    def.stops_at_gaps = 1;
    TRY(curves_read_all(&pool->drawn, path, &pool->file, &def, note_bad, pool, &read, &count));
    ruga_curve **both = NULL;
    TRY_OR(NEW(context, &both, pool->count + count), ruga_curves_destroy(context, read, count));
    if (pool->count > 0) memcpy(both, pool->curves, pool->count * sizeof *both);
    if (count > 0) memcpy(both + pool->count, read, count * sizeof *both);
    RELEASE_ALL(context, read, pool->curves);
    pool->curves = both;
    pool->count += count;
    pool->path = path;
    return RUGA_OK;
}

void curve_pool_release(curve_pool *pool) {
    ruga_curves_destroy(pool->drawn.context, pool->curves, pool->count);
    ARRAY_RELEASE(pool->drawn.context, &pool->bad);
    pool->curves = NULL;
    pool->count = 0;
}

void curve_pool_warn(const curve_pool *pool) {
    for (size_t i = 0; i < pool->bad.count; i++)
        if (!pool->bad.items[i].is_wanted)
            log_warning(pool->drawn.context, "%s; no stroke has this curve, so it is left out",
                        pool->bad.items[i].message);
}

static const ruga_curve *find_read(const curve_pool *pool, const char *name) {
    for (size_t i = 0; i < pool->count; i++)
        if (strcmp(pool->curves[i]->name, name) == 0) return pool->curves[i];
    return NULL;
}

/* ---- Of models. */

static ruga_status make_model_curve(const ruga_mesh *mesh, const model_curve *curve, const char *name,
                                    ruga_curve **out) {
    ruga_vec3 points[MODEL_POINTS];
    ruga_curve_def def = ruga_curve_def_default();
    def.name = name;
    TRY(model_curve_trace(mesh, curve, MODEL_POINTS, points));
    return ruga_curve_from_points(mesh, points, MODEL_POINTS, &def, out);
}

static size_t count_model_curves(const char *model) {
    size_t count = 0;
    for (size_t i = 0; i < model_curve_count(); i++) count += strcmp(model_curve_get(i)->model, model) == 0;
    return count;
}

int ruga_model_has_curves(const char *model) { return count_model_curves(model) > 0; }

static ruga_status make_model_curves(const ruga_mesh *mesh, const char *model, ruga_curve **curves, size_t *made) {
    for (size_t i = 0; i < model_curve_count(); i++) {
        const model_curve *curve = model_curve_get(i);
        if (strcmp(curve->model, model) != 0) continue;
        TRY(make_model_curve(mesh, curve, curve->name, &curves[*made]));
        ++*made;
    }
    return RUGA_OK;
}

ruga_status ruga_model_curves(const ruga_mesh *mesh, const char *model, ruga_curve ***curves, size_t *count) {
    size_t wanted = count_model_curves(model), made = 0;
    if (wanted == 0) return fail_input(mesh->context, "the model \"%s\" has no curves; bust and shoe have", model);
    ruga_curve **list = NULL;
    TRY(NEW_ZEROED(mesh->context, &list, wanted));
    TRY_OR(make_model_curves(mesh, model, list, &made), ruga_curves_destroy(mesh->context, list, made));
    *curves = list;
    *count = made;
    return RUGA_OK;
}

/* ---- By name. */

/* Lists the curves that exist, and suggests the one that was probably meant. */
static ruga_status fail_unknown(const curve_pool *pool, const char *name, const char *stroke) {
    const char *names[FIELD_MAX_WORDS];
    size_t count = 0;
    for (size_t i = 0; i < pool->count && count < FIELD_MAX_WORDS; i++) names[count++] = pool->curves[i]->name;
    for (size_t i = 0; pool->model && i < model_curve_count() && count < FIELD_MAX_WORDS; i++)
        if (strcmp(model_curve_get(i)->model, pool->model) == 0) names[count++] = model_curve_get(i)->name;
    const char *nearest = ruga_nearest_word(name, names, count);
    field_words there = {0};
    if (nearest)
        words_add(&there, "did you mean \"%s\"?", nearest);
    else if (count > 0)
        words_add(&there, "there are "), words_add_list(&there, names, count, " and ");
    else
        words_add(&there, "give \"curves\" a file that has it, or \"curve\" its points");
    return fail_input(pool->drawn.context, "stroke \"%.*s\": there is no curve \"%.*s\"%s%s; %s", clipped(stroke),
                      stroke, clipped(name), name, pool->path ? " in " : "", pool->path ? pool->path : "", there.text);
}

ruga_status curve_pool_find(const curve_pool *pool, const char *name, const char *stroke, int optional,
                            ruga_curve **out) {
    *out = NULL;
    if (!name) return fail_input(pool->drawn.context, "stroke \"%s\": its curve has no name", stroke);
    const ruga_curve *read = find_read(pool, name);
    if (read) return curve_from_array(pool->drawn.context, stroke, read->closed, read->points, read->point_count, out);
    for (size_t i = 0; i < pool->bad.count; i++) {
        bad_curve *bad = &pool->bad.items[i];
        if (strcmp(bad->name, name) != 0) continue;
        bad->is_wanted = 1;
        return fail_input(pool->drawn.context, "%s", bad->message);
    }
    const model_curve *of_model = pool->model ? model_curve_find(pool->model, name) : NULL;
    if (of_model) return make_model_curve(&pool->drawn, of_model, stroke, out);
    return optional ? RUGA_OK : fail_unknown(pool, name, stroke);
}

/* ---- Regions: "brow region", "brow.region" and "brow_region" go with "brow". */

static const char *const region_endings[] = {" region", ".region", "_region"};
enum { REGION_ENDINGS = sizeof region_endings / sizeof region_endings[0] };

ruga_status curve_pool_region(const curve_pool *pool, const char *name, const char *stroke, ruga_curve **out) {
    *out = NULL;
    for (size_t i = 0; i < REGION_ENDINGS && !*out; i++) {
        char whole[MAX_CURVE_NAME];
        if (snprintf(whole, sizeof whole, "%s%s", name, region_endings[i]) >= (int)sizeof whole) return RUGA_OK;
        TRY(curve_pool_find(pool, whole, stroke, 1, out));
    }
    return RUGA_OK;
}

int curve_pool_is_region(const curve_pool *pool, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < REGION_ENDINGS; i++) {
        size_t ending = strlen(region_endings[i]);
        char of[MAX_CURVE_NAME];
        if (length <= ending || length >= sizeof of || strcmp(name + length - ending, region_endings[i]) != 0) continue;
        memcpy(of, name, length - ending);
        of[length - ending] = 0;
        if (find_read(pool, of)) return 1;
    }
    return 0;
}

/* ---- By points. */

int curve_pool_axis(const curve_pool *pool, int axis) {
    const io_conversion conversion = io_conversion_reading(&pool->file);
    const ruga_vec3 at = io_convert_direction_in(&conversion, (ruga_vec3){axis == 0, axis == 1, axis == 2});
    return fabs(at.x) > 0.5 ? 0 : fabs(at.y) > 0.5 ? 1 : 2;
}

static ruga_status from_space(const curve_pool *pool, const ruga_list *list, const ruga_curve_def *def,
                              ruga_curve **out) {
    ruga_context *context = pool->drawn.context;
    const ruga_stroke_point *given = list->items;
    io_conversion conversion = io_conversion_reading(&pool->file);
    ruga_vec3 *points = NULL;
    curve_canvas canvas = {.context = context};
    TRY(NEW(context, &points, list->count));
    for (size_t i = 0; i < list->count; i++) points[i] = io_convert_point_in(&conversion, given[i].at);
    ruga_status status = curve_check_def(&pool->drawn, def);
    if (!RUGA_FAILED(status)) status = curve_canvas_make(&pool->drawn, &canvas);
    if (!RUGA_FAILED(status)) status = curve_draw_smooth(&canvas, points, list->count, def, out);
    curve_canvas_release(&canvas);
    memory_release(context, points);
    return status;
}

static ruga_status from_triangles(const curve_pool *pool, const ruga_drawn_curve_def *drawn, const ruga_curve_def *def,
                                  ruga_curve **out) {
    ruga_context *context = pool->drawn.context;
    const ruga_list *list = &drawn->points;
    if (drawn->triangles >= 0 && drawn->triangles != (double)pool->drawn.triangle_count)
        return fail_input(context, CURVE_ON_OTHER_MESH, def->name, drawn->triangles, pool->drawn.triangle_count);
    const ruga_stroke_point *given = list->items;
    ruga_surface_point *points = NULL;
    TRY(NEW(context, &points, list->count));
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < list->count && !RUGA_FAILED(status); i++) {
        ruga_vec3 p = given[i].at;
        points[i] = (ruga_surface_point){(uint32_t)fmin(fmax(p.x, 0), UINT32_MAX), {1 - p.y - p.z, p.y, p.z}};
        if (!(p.x >= 0 && p.x < (double)pool->drawn.triangle_count && p.x == floor(p.x)))
            status =
                fail_input(context, "curve \"%s\": point %zu is on triangle %g; triangles are numbered from 0 to %zu",
                           def->name, i, p.x, pool->drawn.triangle_count - 1);
        else if (!(p.y >= 0 && p.z >= 0 && p.y + p.z <= 1 + 1e-9))
            status =
                fail_input(context,
                           "curve \"%s\": point %zu has the weights %g and %g; they should not be negative, nor sum "
                           "to more than 1",
                           def->name, i, p.y, p.z);
    }
    if (!RUGA_FAILED(status)) status = ruga_curve_from_surface_points(&pool->drawn, points, list->count, def, out);
    memory_release(context, points);
    return status;
}

static ruga_status from_uvs(const curve_pool *pool, const ruga_list *list, const ruga_curve_def *def,
                            ruga_curve **out) {
    const ruga_stroke_point *given = list->items;
    double *uvs = NULL;
    TRY(NEW(pool->drawn.context, &uvs, 2 * list->count));
    for (size_t i = 0; i < list->count; i++) {
        uvs[2 * i] = given[i].at.x;
        uvs[2 * i + 1] = given[i].at.y;
    }
    ruga_status status = ruga_curve_from_uvs(&pool->drawn, uvs, list->count, def, out);
    memory_release(pool->drawn.context, uvs);
    return status;
}

ruga_status curve_pool_make(const curve_pool *pool, const ruga_variant *variant, const char *stroke, ruga_curve **out) {
    *out = NULL;
    if (!variant->section) return RUGA_OK;
    if (variant->section == &curve_named_section)
        return curve_pool_find(pool, ((const ruga_named_curve_def *)variant->values)->name, stroke, 0, out);
    const ruga_drawn_curve_def *drawn = variant->values;
    ruga_curve_def def = ruga_curve_def_default();
    def.name = stroke;
    def.closed = drawn->closed;
    def.stops_at_gaps = 1;
    if (variant->section == &curve_textured_section) return from_uvs(pool, &drawn->points, &def, out);
    if (variant->section == &curve_placed_section) return from_triangles(pool, drawn, &def, out);
    if (variant->section == &curve_drawn_section) return from_space(pool, &drawn->points, &def, out);
    return fail_argument(pool->drawn.context, "unknown kind of curve \"%s\"", variant->section->name);
}
