/* Files of curves: finds the format of a path, and reads and writes it. */
#include "io/curves.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define WRITTEN "json, obj or svg" /* extensions */

curve_format curve_format_from_path(const char *path) {
    static const struct {
        const char *ending;
        curve_format format;
    } endings[] = {{".json", CURVE_FORMAT_JSON},
                   {".obj", CURVE_FORMAT_OBJ},
                   {".svg", CURVE_FORMAT_SVG},
                   {".fold", CURVE_FORMAT_FOLD}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(dot, endings[i].ending) == 0) return endings[i].format;
    return CURVE_FORMAT_NONE;
}

static ruga_status find_format(ruga_context *context, const char *path, const char *extensions, curve_format *format) {
    if (!path) return fail_argument(context, "a file of curves needs a path");
    *format = curve_format_from_path(path);
    if (*format != CURVE_FORMAT_NONE) return RUGA_OK;
    return fail_input(context, "%s: unknown format of curves; use the extension %s", path, extensions);
}

/* Takes the curve; destroys it on failure. */
static ruga_status add(ruga_context *context, curve_list *list, ruga_curve *curve) {
    ruga_status status = ARRAY_RESERVE(context, list, 1);
    if (RUGA_FAILED(status))
        ruga_curve_destroy(curve);
    else
        list->items[list->count++] = curve;
    return status;
}

ruga_status curve_list_take(const curve_source *source, curve_list *list, const char *name, ruga_status status,
                            ruga_curve *curve) {
    if (!RUGA_FAILED(status)) return add(source->context, list, curve);
    if (status != RUGA_ERROR_INPUT || !source->bad) return status;
    return source->bad(source->bad_user, name, ruga_context_message(source->context));
}

void curve_list_release(ruga_context *context, curve_list *list) {
    ruga_curves_destroy(context, list->items, list->count);
    *list = (curve_list){0};
}

ruga_status curve_number_name(ruga_context *context, const char *name, size_t number, char **out) {
    if (number < 2 && *name) return NEW_TEXT(context, out, name);
    size_t size = strlen(name) + 24;
    TRY(NEW(context, out, size));
    snprintf(*out, size, "%s%s%zu", name, *name ? " " : "", number);
    return RUGA_OK;
}

ruga_status curve_fail_at(const curve_source *source, unsigned line, ruga_status status) {
    char message[900];
    if (status != RUGA_ERROR_INPUT) return status;
    snprintf(message, sizeof message, "%s", ruga_context_message(source->context));
    return fail_with(source->context, status, "%s:%u: %s", source->name, line, message);
}

ruga_status curves_read_bytes(const curve_source *source, curve_format format, curve_list *list) {
    curve_canvas canvas;
    curve_source drawn = *source;
    if (!drawn.canvas) TRY(curve_canvas_make(source->mesh, drawn.canvas = &canvas));
    ruga_status status = format == CURVE_FORMAT_JSON  ? curve_json_read(&drawn, list)
                         : format == CURVE_FORMAT_OBJ ? curve_obj_read(&drawn, list)
                         : format == CURVE_FORMAT_SVG ? curve_svg_read(&drawn, list)
                                                      : curve_fold_read(&drawn, list);
    if (!source->canvas) curve_canvas_release(&canvas);
    return status;
}

ruga_status ruga_curves_read(const ruga_mesh *mesh, const char *path, const ruga_file_def *file_def,
                             const ruga_curve_def *def, ruga_curve ***curves, size_t *count) {
    return curves_read_all(mesh, path, file_def, def, NULL, NULL, curves, count);
}

ruga_status curves_read_all(const ruga_mesh *mesh, const char *path, const ruga_file_def *file_def,
                            const ruga_curve_def *def, curve_bad_function *bad, void *bad_user, ruga_curve ***curves,
                            size_t *count) {
    const ruga_curve_def preset = ruga_curve_def_default();
    curve_format format;
    curve_source source = {.context = mesh->context, .mesh = mesh, .name = path, .bad = bad, .bad_user = bad_user};
    source.def = def ? def : &preset;
    unsigned char *bytes = NULL;
    curve_list list = {0};
    TRY(io_check_def(mesh->context, file_def));
    if (source.def->cookie != RUGA_COOKIE)
        return fail_argument(mesh->context, "the def of a curve is not initialised; start from ruga_curve_def_default");
    TRY(find_format(mesh->context, path, "json, obj, svg or fold", &format));
    source.conversion = io_conversion_reading(file_def);
    TRY(file_read_whole(mesh->context, path, &bytes, &source.size));
    source.bytes = bytes;
    ruga_status status = curves_read_bytes(&source, format, &list);
    memory_release(mesh->context, bytes);
    TRY_OR(status, curve_list_release(mesh->context, &list));
    *curves = list.items;
    *count = list.count;
    return status;
}

ruga_status ruga_curves_write(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count, const char *path,
                              const ruga_file_def *file_def) {
    ruga_context *context = mesh->context;
    curve_target target = {.context = context, .mesh = mesh, .curves = curves, .count = count};
    curve_format format = CURVE_FORMAT_NONE;
    TRY(io_check_def(context, file_def));
    TRY(find_format(context, path, WRITTEN, &format));
    if (format == CURVE_FORMAT_FOLD)
        return fail_argument(context, "%s: FOLD files are read only; use the extension " WRITTEN, path);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < curves[i]->point_count; k++)
            if (curves[i]->points[k].triangle >= mesh->triangle_count)
                return fail_argument(
                    context, "curve \"%s\": point %zu is on triangle %u of %zu; the curve belongs to another mesh",
                    curves[i]->name, k, curves[i]->points[k].triangle, mesh->triangle_count);
    target.conversion = io_conversion_writing(file_def);
    TRY(file_create(context, path, &target.out));
    ruga_status status = format == CURVE_FORMAT_JSON  ? curve_json_write(&target)
                         : format == CURVE_FORMAT_OBJ ? curve_obj_write(&target)
                                                      : curve_svg_write(&target);
    if (!RUGA_FAILED(status)) status = file_commit(target.out);
    file_close(target.out);
    return status;
}
