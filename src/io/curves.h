/* Files of curves: what the formats share. Each reads bytes into a list, and writes a list into an open file. */
#ifndef IO_CURVES_H
#define IO_CURVES_H

#include "base/json.h"
#include "geom/curve.h"
#include "io/io.h"
#include "ruga/curve.h"

/* Hears of a curve that can't be made: its name and what is wrong, with the file and the line. */
typedef ruga_status curve_bad_function(void *user, const char *name, const char *message);

typedef struct curve_source {
    ruga_context *context;
    const ruga_mesh *mesh;
    const char *name;           /* for messages */
    const unsigned char *bytes; /* a zero byte follows the last */
    size_t size;
    io_conversion conversion;
    const ruga_curve_def *def; /* its name and closedness are the file's */
    curve_canvas *canvas;      /* of the mesh, for all curves; made by curves_read_bytes */
    curve_bad_function *bad;   /* NULL: the first bad curve is an error */
    void *bad_user;
} curve_source;

typedef ARRAY(ruga_curve *) curve_list;

/* Takes the curve; destroys it when there is no memory. */
ruga_status curve_list_add(ruga_context *context, curve_list *list, ruga_curve *curve);
void curve_list_release(ruga_context *context, curve_list *list);

/* Adds a curve that was made with that status. One that could not be is an error, or is left out where `bad` hears of it. */
ruga_status curve_list_take(const curve_source *source, curve_list *list, const char *name, ruga_status status,
                            ruga_curve *curve);

/* "name" for the first curve of a name, "name 2", "name 3" … for those after it; the text is the caller's to release. */
char *curve_number_name(ruga_context *context, const char *name, size_t number);

/* Puts "file:line: " before the message of an error of input. */
ruga_status curve_fail_at(const curve_source *source, unsigned line, ruga_status status);

/* A curve of JSON that was drawn on a picture; camera: NULL: it is missing. */
ruga_status curve_seen_read(const curve_source *source, const json_value *seen, const json_value *camera,
                            const ruga_curve_def *def, ruga_curve **out);

typedef enum curve_format { CURVE_FORMAT_NONE = 0, CURVE_FORMAT_JSON, CURVE_FORMAT_OBJ, CURVE_FORMAT_SVG } curve_format;
curve_format curve_format_from_path(const char *path);
/* As ruga_curves_read; bad curves are left out where `bad` hears of them. */
ruga_status curves_read_all(const ruga_mesh *mesh, const char *path, const ruga_file_def *file_def,
                            const ruga_curve_def *def, curve_bad_function *bad, void *bad_user, ruga_curve ***curves,
                            size_t *count);
/* On failure the list keeps what was read before. */
ruga_status curves_read_bytes(const curve_source *source, curve_format format, curve_list *list);

/* By curves_read_bytes. */
ruga_status curve_json_read(const curve_source *source, curve_list *list);
ruga_status curve_obj_read(const curve_source *source, curve_list *list);
ruga_status curve_svg_read(const curve_source *source, curve_list *list);

typedef struct curve_target {
    ruga_context *context;
    const ruga_mesh *mesh;
    const ruga_curve *const *curves;
    size_t count;
    io_conversion conversion;
    file *out;
} curve_target;

ruga_status curve_json_write(const curve_target *target);
ruga_status curve_obj_write(const curve_target *target);
ruga_status curve_svg_write(const curve_target *target);

#endif
