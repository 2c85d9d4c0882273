/* Curves of JSON that were drawn on a picture: {"seen": [[x, y] …], "camera": {"eye": …, "target": …}}, pixels from the upper left of
 * a picture as `ruga render` makes it with that camera. */
#include <stdio.h>
#include <string.h>

#include "io/curves.h"

enum { MAX_PIXELS = 65536 };

static ruga_status fail_value(const curve_source *source, const json_value *value, const char *what) {
    return fail_with(source->context, RUGA_ERROR_INPUT, "%s:%u:%u: expected %s, but found %s", source->name,
                     value->line, value->column, what, json_type_name(value->type));
}

static ruga_status read_numbers(const curve_source *source, const json_value *value, uint32_t count, const char *what,
                                double *numbers) {
    if (value->type != JSON_ARRAY || value->count != count) return fail_value(source, value, what);
    for (uint32_t k = 0; k < count; k++) {
        const json_value *number = json_item(value, k);
        if (number->type != JSON_NUMBER) return fail_value(source, number, "a number");
        numbers[k] = number->number;
    }
    return RUGA_OK;
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
        return fail_with(source->context, RUGA_ERROR_INPUT,
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

/* What is not said is as with `ruga render`. */
static ruga_status read_camera(const curve_source *source, const json_value *value, picture_view *out) {
    *out = (picture_view){{.given = 1, .up = {0, 1, 0}, .fov = 30, .zoom = 1}, 1280, 720};
    if (value->type != JSON_OBJECT) return fail_value(source, value, "a camera, which is an object");
    for (const json_value *member = value->first; member; member = member->next) TRY(read_member(source, member, out));
    if (!json_member(value, "eye") || !json_member(value, "target"))
        return fail_with(source->context, RUGA_ERROR_INPUT,
                         "%s:%u:%u: a camera needs \"eye\" and \"target\", as those of ruga render", source->name,
                         value->line, value->column);
    if (!(out->width >= 1 && out->width <= MAX_PIXELS && out->height >= 1 && out->height <= MAX_PIXELS))
        return fail_with(source->context, RUGA_ERROR_INPUT, "%s:%u:%u: a picture of %g x %g pixels; expected 1 to %d",
                         source->name, value->line, value->column, out->width, out->height, MAX_PIXELS);
    return RUGA_OK;
}

/* Cameras come from the file, so what is wrong with one is a mistake in it. */
static ruga_status fail_camera(const curve_source *source, const json_value *value, ruga_status status) {
    char message[900];
    if (status != RUGA_ERROR_ARGUMENT) return curve_fail_at(source, value->line, status);
    snprintf(message, sizeof message, "%s", ruga_context_message(source->context));
    return fail_with(source->context, RUGA_ERROR_INPUT, "%s:%u: %s", source->name, value->line, message);
}

ruga_status curve_seen_read(const curve_source *source, const json_value *seen, const json_value *camera,
                            const ruga_curve_def *def, ruga_curve **out) {
    picture_view view;
    if (seen->type != JSON_ARRAY) return fail_value(source, seen, "a list of pixels");
    if (!camera)
        return fail_with(source->context, RUGA_ERROR_INPUT,
                         "%s:%u:%u: pixels that are \"seen\" need the \"camera\" that sees them", source->name,
                         seen->line, seen->column);
    TRY(read_camera(source, camera, &view));
    double *pixels = ALLOCATE(source->context, double, 2 * (size_t)seen->count);
    if (!pixels) return fail_memory(source->context, 2 * seen->count * sizeof *pixels);
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < seen->count && !RUGA_FAILED(status); i++)
        status = read_numbers(source, json_item(seen, i), 2, "a pixel [x, y]", pixels + 2 * i);
    if (!RUGA_FAILED(status)) {
        status = ruga_curve_from_stroke(source->mesh, &view.camera, (int)view.width, (int)view.height, pixels,
                                        seen->count, def, out);
        status = fail_camera(source, seen, status);
    }
    memory_release(source->context, pixels);
    return status;
}
