/* Parts of making strokes: files that are read, and curves that are found. */
#ifndef SCENE_STROKES_PARTS_H
#define SCENE_STROKES_PARTS_H

#include "base/memory.h"
#include "ruga/strokes.h"
#include "scene/description.h"

typedef struct bad_curve {
    const char *name, *message;
    int is_wanted; /* by a stroke, which reports it */
} bad_curve;

/* Where curves come from. */
typedef struct curve_pool {
    ruga_mesh drawn; /* the mesh with its vertices where they were when curves were drawn; nothing of it is its own */
    ruga_file_def file;
    const char *model;   /* NULL: none */
    const char *path;    /* of the last file of curves; NULL: none */
    ruga_curve **curves; /* (count) of files */
    size_t count;
    arena *memory;        /* of what is known of bad ones */
    ARRAY(bad_curve) bad; /* of files; errors only of strokes that want them */
} curve_pool;

/* Adds the curves of a file. */
ruga_status curve_pool_read(curve_pool *pool, const char *path);
void curve_pool_release(curve_pool *pool);
/* Warns of bad curves that no stroke wants. */
void curve_pool_warn(const curve_pool *pool);
/* A curve under its name, as the caller's own, called `stroke`. A missing one is an error, or NULL if
 * `optional`. */
ruga_status curve_pool_find(const curve_pool *pool, const char *name, const char *stroke, int optional,
                            ruga_curve **out);
/* The region curve that goes with a name; NULL: there is none. */
ruga_status curve_pool_region(const curve_pool *pool, const char *name, const char *stroke, ruga_curve **out);
/* Whether that is the name of the region of another curve. */
int curve_pool_is_region(const curve_pool *pool, const char *name);
/* The axis of space, 0 to 2, that an axis of the file of points is: the file may have another one up. */
int curve_pool_axis(const curve_pool *pool, int axis);
/* The curve of a row; NULL when it is absent. */
ruga_status curve_pool_make(const curve_pool *pool, const ruga_variant *variant, const char *stroke, ruga_curve **out);

/* A curve's mirror image across the plane x, y or z = 0 (axis 0 to 2), and a copy moved along a path, from its
 * beginning to a fraction of its length, turned with it. Points are brought to their closest place on the surface.
 * begin: the point of the curve with which the result begins; 0 unless it is closed. */
ruga_status curve_mirrored(const ruga_mesh *mesh, const ruga_curve *curve, size_t begin, int axis, const char *name,
                           ruga_curve **out);
ruga_status curve_copied(const ruga_mesh *mesh, const ruga_curve *curve, size_t begin, const ruga_curve *path,
                         double part, const char *name, ruga_curve **out);

/* Whether every point of `a` is as near to b as points that are snapped together when a mesh is cut. */
int curves_coincide(const ruga_mesh *mesh, const ruga_curve *a, const ruga_curve *b);

/* The same strokes on a mesh that was cut or refined: mesh = W the mesh of `first`; NULL: it is that one. Names, keys
 * and messages stay those of `first`, which must outlive them. Strokes whose curve can't follow are left out, with a
 * warning in the log. */
ruga_status strokes_follow(const ruga_strokes *first, const ruga_mesh *mesh, const ruga_map *from_first,
                           ruga_strokes **out);

/* Whether a stroke looks meant as the other shape, or not meant as it comes out, and what to do. normals: (vertices) */
int strokes_advise(const ruga_strokes *s, const ruga_mesh *mesh, const ruga_vec3 *normals, size_t stroke, char *text,
                   size_t size);

ruga_context *strokes_context(const ruga_strokes *strokes);

/* A file of strokes. */
typedef struct stroke_file {
    ruga_description *description; /* NULL: it is a file of curves */
    ruga_sculpt_def values;
} stroke_file;

/* Finds out whether a file has strokes or curves, and reads one with strokes. Errors stay in the findings of the
 * description. */
ruga_status stroke_file_read(ruga_context *context, const char *path, stroke_file *out);
void stroke_file_release(stroke_file *f);
/* The first error that is about all of it, as a failure; of a stroke, its first error, NULL: none. */
ruga_status stroke_file_check(const stroke_file *f, int keep_going);
const ruga_finding *stroke_file_finding(const stroke_file *f, size_t stroke);

#endif
