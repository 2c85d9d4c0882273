/* Files of curves. Each format reads bytes into a list, and writes a list into an open file. */
#ifndef IO_CURVES_H
#define IO_CURVES_H

#include "base/json.h"
#include "geom/curve.h"
#include "geom/curve_uv.h"
#include "io/fold.h"
#include "io/io.h"
#include "ruga/curve.h"

/* Receives the name of a bad curve and a message with file and line. */
typedef ruga_status curve_bad_function(void *user, const char *name, const char *message);

typedef struct curve_source {
    ruga_context *context;
    const ruga_mesh *mesh;
    const char *name;           /* for messages */
    const unsigned char *bytes; /* a zero byte follows the last */
    size_t size;
    io_conversion conversion;
    const ruga_curve_def *def; /* the file gives `name` and `closed` */
    curve_canvas *canvas;      /* of the mesh, for all curves; NULL: curves_read_bytes makes it */
    uv_places *places;         /* of the mesh, for SVG; NULL: curve_svg_read makes them */
    curve_bad_function *bad;   /* NULL: the first bad curve is an error */
    void *bad_user;
} curve_source;

typedef ARRAY(ruga_curve *) curve_list;

/* The fold of a curve of a pattern, seen from the front of the faces. */
typedef struct curve_fold {
    fold_kind kind; /* MOUNTAIN, VALLEY or UNASSIGNED; of curves without a fold BORDER */
    double angle;   /* degrees; NaN: not known */
} curve_fold;
typedef ARRAY(curve_fold) curve_fold_array;

void curve_list_release(ruga_context *context, curve_list *list);

/* Adds a curve that was made with that status. A bad curve is an error, or is passed to `bad` and left out. */
ruga_status curve_list_take(const curve_source *source, curve_list *list, const char *name, ruga_status status,
                            ruga_curve *curve);

/* "name" for the first curve of a name, "name 2", "name 3" … for further ones; the number alone, then that in
 * the file, for curves without a name. Release the text. */
ruga_status curve_number_name(ruga_context *context, const char *name, size_t number, char **out);

/* Puts "file:line: " before the message of an error of input. */
ruga_status curve_fail_at(const curve_source *source, unsigned line, ruga_status status);

typedef enum curve_format {
    CURVE_FORMAT_NONE = 0,
    CURVE_FORMAT_JSON,
    CURVE_FORMAT_OBJ,
    CURVE_FORMAT_SVG,
    CURVE_FORMAT_FOLD
} curve_format;
curve_format curve_format_from_path(const char *path);
/* As ruga_curves_read; bad curves are passed to `bad` (if not NULL) and left out. */
ruga_status curves_read_all(const ruga_mesh *mesh, const char *path, const ruga_file_def *file_def,
                            const ruga_curve_def *def, curve_bad_function *bad, void *bad_user, ruga_curve ***curves,
                            size_t *count);
/* On failure the list keeps the curves before it. */
ruga_status curves_read_bytes(const curve_source *source, curve_format format, curve_list *list);

ruga_status curve_json_read(const curve_source *source, curve_list *list);
ruga_status curve_obj_read(const curve_source *source, curve_list *list);
ruga_status curve_svg_read(const curve_source *source, curve_list *list);
ruga_status curve_fold_read(const curve_source *source, curve_list *list);

/* Curves and folds of a FOLD file, and of a Miura fold whose width and height are those of the mesh. The box of the
 * pattern is laid over the box of the UVs. Release the curves with ruga_curves_destroy, and the folds. */
ruga_status curve_folds_read(const ruga_mesh *mesh, const char *path, ruga_curve ***curves, size_t *count,
                             curve_fold **folds);
ruga_status curve_folds_miura(const ruga_mesh *mesh, const fold_miura *def, ruga_curve ***curves, size_t *count,
                              curve_fold **folds);

/* An error: of a name, with the number of triangles there, and that of the mesh. */
#define CURVE_ON_OTHER_MESH \
    "curve \"%s\": it was placed on a mesh of %.0f triangles, but this one has %zu; place it by points or UVs"

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
