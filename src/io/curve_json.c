/* Curves as JSON: {"curves": [{"name": …, "closed": …, and one of
 *     "points": [[x, y, z] …]                      in space
 *     "on": [[triangle, w1, w2] …]                 on triangles, by the weights of corners 1 and 2, which is exact
 *     "seen": [[x, y] …], "camera": {…}            pixels of a picture of `ruga render`, from its upper left corner
 * }]}, and "triangles": their number in the mesh that curves "on" triangles were placed on. */
#include <stdio.h>
#include <string.h>

#include "geom/curve.h"
#include "io/curves.h"
#include "ruga/text.h"

#define OUTSIDE 1e-9 /* tolerance of weights, for rounding */
enum { MAX_PIXELS = 65536 };

static ruga_status fail_value(const curve_source *source, const json_value *value, const char *what) {
    return fail_input(source->context, "%s:%u:%u: expected %s, but found %s", source->name, value->line, value->column,
                      what, json_type_name(value->type));
}

/* An array of `count` numbers. */
static ruga_status read_numbers(const curve_source *source, const json_value *value, uint32_t count, const char *what,
                                double *numbers) {
    if (value->type != JSON_ARRAY) return fail_value(source, value, what);
    if (value->count != count)
        return fail_input(source->context, "%s:%u:%u: expected %s, but found an array of %u", source->name, value->line,
                          value->column, what, value->count);
    for (uint32_t k = 0; k < count; k++) {
        const json_value *number = json_item(value, k);
        if (number->type != JSON_NUMBER) return fail_value(source, number, "a number");
        numbers[k] = number->number;
    }
    return RUGA_OK;
}

static ruga_status read_space_points(const curve_source *source, const json_value *list, const ruga_curve_def *def,
                                     ruga_curve **out) {
    ruga_vec3 *points = NULL;
    TRY(NEW(source->context, &points, list->count));
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < list->count && !RUGA_FAILED(status); i++) {
        double p[3] = {0};
        status = read_numbers(source, json_item(list, i), 3, "a point [x, y, z]", p);
        points[i] = io_convert_point_in(&source->conversion, (ruga_vec3){p[0], p[1], p[2]});
    }
    if (!RUGA_FAILED(status))
        status = curve_fail_at(source, list->line, curve_draw_points(source->canvas, points, list->count, def, out));
    memory_release(source->context, points);
    return status;
}

static ruga_status read_surface_point(const curve_source *source, const json_value *value, ruga_surface_point *out) {
    double p[3];
    int64_t triangle;
    TRY(read_numbers(source, value, 3, "a point [triangle, weight 1, weight 2]", p));
    if (!json_whole(json_item(value, 0), 0, (double)source->mesh->triangle_count - 1, &triangle))
        return fail_input(source->context, "%s:%u:%u: unknown triangle %g; the mesh has %zu, counted from 0",
                          source->name, value->line, value->column, p[0], source->mesh->triangle_count);
    const double weights[3] = {1 - p[1] - p[2], p[1], p[2]};
    if (!(weights[0] >= -OUTSIDE && weights[1] >= -OUTSIDE && weights[2] >= -OUTSIDE))
        return fail_input(
            source->context,
            "%s:%u:%u: weights %g and %g are not within the triangle; they should not be negative, nor sum "
            "to more than 1",
            source->name, value->line, value->column, p[1], p[2]);
    *out = curve_tidy_point((uint32_t)triangle, weights);
    return RUGA_OK;
}

/* placed_on: the number of triangles of the mesh that it was placed on; below 0: not known. */
static ruga_status read_surface_points(const curve_source *source, const json_value *list, double placed_on,
                                       const ruga_curve_def *def, ruga_curve **out) {
    ruga_surface_point *points = NULL;
    if (placed_on >= 0 && placed_on != (double)source->mesh->triangle_count)
        return curve_fail_at(
            source, list->line,
            fail_input(source->context, CURVE_ON_OTHER_MESH, def->name, placed_on, source->mesh->triangle_count));
    TRY(NEW(source->context, &points, list->count));
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < list->count && !RUGA_FAILED(status); i++)
        status = read_surface_point(source, json_item(list, i), &points[i]);
    if (!RUGA_FAILED(status)) {
        status = curve_draw_surface_points(source->canvas, points, list->count, def, out);
        status = curve_fail_at(source, list->line, status);
    }
    memory_release(source->context, points);
    return status;
}

typedef struct picture_view {
    ruga_camera camera;
    double width, height; /* pixels */
} picture_view;

/* One member of "camera". */
static ruga_status read_member(const curve_source *source, const json_value *member, picture_view *out) {
    const struct {
        const char *key;
        ruga_vec3 *point;
        double *number;
    } keys[] = {{"eye", &out->camera.eye, NULL}, {"target", &out->camera.target, NULL}, {"up", &out->camera.up, NULL},
                {"fov", NULL, &out->camera.fov}, {"width", NULL, &out->width},          {"height", NULL, &out->height}};
    size_t i = 0;
    while (i < sizeof keys / sizeof *keys && strcmp(keys[i].key, member->key) != 0) i++;
    if (i == sizeof keys / sizeof *keys)
        return fail_input(
            source->context,
            "%s:%u:%u: a camera has no \"%s\"; it has \"eye\", \"target\", \"up\", \"fov\", \"width\" and "
            "\"height\"",
            source->name, member->key_line, member->key_column, member->key);
    if (keys[i].number) {
        if (member->type != JSON_NUMBER) return fail_value(source, member, "a number");
        *keys[i].number = member->number;
        return RUGA_OK;
    }
    double p[3] = {0};
    TRY(read_numbers(source, member, 3, "three numbers [x, y, z]", p));
    ruga_vec3 point = {p[0], p[1], p[2]};
    *keys[i].point = strcmp(member->key, "up") == 0 ? io_convert_direction_in(&source->conversion, point)
                                                    : io_convert_point_in(&source->conversion, point);
    return RUGA_OK;
}

/* The defaults are those of `ruga render`. */
static ruga_status read_camera(const curve_source *source, const json_value *value, picture_view *out) {
    *out = (picture_view){{.given = 1, .up = {0, 1, 0}, .fov = 30, .zoom = 1}, 1280, 720};
    if (value->type != JSON_OBJECT) return fail_value(source, value, "a camera, which is an object");
    for (const json_value *member = value->first; member; member = member->next) TRY(read_member(source, member, out));
    if (!json_member(value, "eye") || !json_member(value, "target"))
        return fail_input(source->context, "%s:%u:%u: a camera needs \"eye\" and \"target\", as those of ruga render",
                          source->name, value->line, value->column);
    if (!(out->width >= 1 && out->width <= MAX_PIXELS && out->height >= 1 && out->height <= MAX_PIXELS))
        return fail_input(source->context, "%s:%u:%u: a picture of %g x %g pixels; expected 1 to %d", source->name,
                          value->line, value->column, out->width, out->height, MAX_PIXELS);
    return RUGA_OK;
}

static ruga_status read_seen(const curve_source *source, const json_value *seen, const json_value *camera,
                             const ruga_curve_def *def, ruga_curve **out) {
    picture_view view;
    if (seen->type != JSON_ARRAY) return fail_value(source, seen, "a list of pixels");
    if (!camera)
        return fail_input(source->context, "%s:%u:%u: pixels that are \"seen\" need the \"camera\" that sees them",
                          source->name, seen->line, seen->column);
    TRY(read_camera(source, camera, &view));
    double *pixels = NULL;
    TRY(NEW(source->context, &pixels, 2 * (size_t)seen->count));
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < seen->count && !RUGA_FAILED(status); i++)
        status = read_numbers(source, json_item(seen, i), 2, "a pixel [x, y]", pixels + 2 * i);
    if (!RUGA_FAILED(status)) {
        status = ruga_curve_from_stroke(source->mesh, &view.camera, (int)view.width, (int)view.height, pixels,
                                        seen->count, def, out);
        /* The camera comes from the file, so an error in it is one of the input. */
        if (status == RUGA_ERROR_ARGUMENT) status = RUGA_ERROR_INPUT;
        status = curve_fail_at(source, seen->line, status);
    }
    memory_release(source->context, pixels);
    return status;
}

static ruga_status check_keys(const curve_source *source, const json_value *value) {
    static const char *const keys[] = {"name", "closed", "points", "on", "seen", "camera"};
    const size_t count = sizeof keys / sizeof *keys;
    for (const json_value *member = value->first; member; member = member->next) {
        size_t i = 0;
        while (i < count && strcmp(keys[i], member->key) != 0) i++;
        if (i < count) continue;
        return fail_input(
            source->context,
            "%s:%u:%u: a curve has no \"%s\"; it has \"name\", \"closed\", and \"points\", \"on\", or \"seen\" with "
            "\"camera\"",
            source->name, member->key_line, member->key_column, member->key);
    }
    return RUGA_OK;
}

static ruga_status read_curve(const curve_source *source, const json_value *value, const char *own, double placed_on,
                              ruga_curve **out) {
    if (value->type != JSON_OBJECT) return fail_value(source, value, "a curve, which is an object");
    TRY(check_keys(source, value));
    const json_value *name = json_member(value, "name"), *closed = json_member(value, "closed");
    const json_value *points = json_member(value, "points"), *on = json_member(value, "on");
    if (name && name->type != JSON_STRING) return fail_value(source, name, "a name");
    if (closed && closed->type != JSON_BOOLEAN) return fail_value(source, closed, "true or false");
    const json_value *seen = json_member(value, "seen"), *camera = json_member(value, "camera");
    if (!!points + !!on + !!seen != 1 || (camera && !seen))
        return fail_input(
            source->context,
            "%s:%u:%u: a curve needs either \"points\" (in space), \"on\" (on triangles), or \"seen\" with "
            "\"camera\" (on a picture)",
            source->name, value->line, value->column);
    ruga_curve_def def = *source->def;
    def.name = own;
    def.closed = closed && closed->number != 0;
    if (seen) return read_seen(source, seen, camera, &def, out);
    const json_value *list = points ? points : on;
    if (list->type != JSON_ARRAY) return fail_value(source, list, "a list of points");
    return points ? read_space_points(source, points, &def, out)
                  : read_surface_points(source, on, placed_on, &def, out);
}

static ruga_status read_list(const curve_source *source, const json_value *root, curve_list *list) {
    const json_value *curves = json_member(root, "curves");
    if (!curves || curves->type != JSON_ARRAY)
        return fail_input(
            source->context,
            "%s:%u:%u: expected an object with a list \"curves\": {\"curves\": [{\"points\": [[x, y, z] …]}]}",
            source->name, root->line, root->column);
    const json_value *triangles = json_member(root, "triangles");
    if (triangles && triangles->type != JSON_NUMBER) return fail_value(source, triangles, "a number of triangles");
    for (const json_value *member = root->first; member; member = member->next)
        if (member != curves && strcmp(member->key, "triangles") != 0)
            log_info(source->context, "%s:%u: \"%s\" does not belong to curves and is ignored", source->name,
                     member->key_line, member->key);
    size_t number = 0;
    for (const json_value *value = curves->first; value; value = value->next) {
        ruga_curve *curve = NULL;
        char numbered[24];
        const json_value *name = json_member(value, "name");
        snprintf(numbered, sizeof numbered, "%zu", ++number);
        const char *own = name && name->type == JSON_STRING && *name->text ? name->text : numbered;
        ruga_status status = read_curve(source, value, own, triangles ? triangles->number : -1, &curve);
        TRY(curve_list_take(source, list, own, status, curve));
    }
    return RUGA_OK;
}

ruga_status curve_json_read(const curve_source *source, curve_list *list) {
    json_document *document = NULL;
    TRY(json_parse(source->context, source->name, (const char *)source->bytes, source->size, JSON_COMMENTS, &document));
    ruga_status status = read_list(source, json_root(document), list);
    json_destroy(document);
    return status;
}

/* ---- Writing. */

static void write_curve(ruga_json_writer *w, const ruga_curve *curve) {
    ruga_json_begin_object(w);
    ruga_json_put_string(w, "name", curve->name);
    ruga_json_put_boolean(w, "closed", curve->closed);
    ruga_json_put_array(w, "on");
    for (size_t i = 0; i < curve->point_count; i++) {
        ruga_json_begin_array(w);
        ruga_json_integer(w, (int64_t)curve->points[i].triangle);
        ruga_json_number(w, curve->points[i].weights[1]);
        ruga_json_number(w, curve->points[i].weights[2]);
        ruga_json_end_array(w);
    }
    ruga_json_end_array(w);
    ruga_json_end_object(w);
}

ruga_status curve_json_write(const curve_target *target) {
    ruga_json_writer *w = NULL;
    const char *text;
    size_t size;
    TRY(ruga_json_writer_create(target->context, 2, &w));
    ruga_json_begin_object(w);
    ruga_json_put_count(w, "triangles", target->mesh->triangle_count);
    ruga_json_put_array(w, "curves");
    for (size_t i = 0; i < target->count; i++) write_curve(w, target->curves[i]);
    ruga_json_end_array(w);
    ruga_json_end_object(w);
    ruga_status status = ruga_json_finish(w, &text, &size);
    if (!RUGA_FAILED(status)) status = file_write(target->out, text, size);
    ruga_json_writer_destroy(w);
    return status;
}
