/* Ruga: strokes of files and scenes: the section "sculpt" of a scene (docs/scene.md), applied to a mesh.
 *
 *     file of strokes, curves, common values ──▶ curves on the mesh ──▶ a sculpt (ruga/sculpt.h), lengths over time
 */
#ifndef RUGA_STROKES_H
#define RUGA_STROKES_H

#include "ruga/scene.h"
#include "ruga/sculpt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_strokes ruga_strokes;

typedef struct ruga_strokes_def {
    uint32_t cookie;
    const ruga_sculpt_def *values; /* of a section "sculpt"; used during the call only */
    ruga_file_def file;            /* unit and up axis of points in space */
    const ruga_vec3 *drawn;        /* (vertices) m, positions on which the curves were drawn; NULL: at rest */
    const char *model;             /* the model of the mesh, whose curves may be used by name; NULL: none */
    int keep_going;                /* strokes with errors are left out */
} ruga_strokes_def;

RUGA_API ruga_strokes_def ruga_strokes_def_default(void);

/* Reads the files, makes the curves and updates the sculpt. RUGA_ERROR_INPUT, with the file, the place and the stroke,
 * for errors; with `keep_going` only for errors that affect all strokes. The mesh must outlive the strokes. */
RUGA_API ruga_status ruga_strokes_create(const ruga_mesh *mesh, const ruga_strokes_def *def, ruga_strokes **out);
RUGA_API void ruga_strokes_destroy(ruga_strokes *strokes); /* NULL is fine */

typedef struct ruga_stroke_report {
    const char *name;
    const ruga_curve *curve, *region; /* NULL: none, or with an error */
    int off;
    int chose_shape;       /* whether it, its file or its section gives a shape; a look alone does not count */
    ruga_stroke_def def;   /* with defaults filled in; radius and tolerance are in info; its curves are NULL */
    ruga_stroke_info info; /* status and message of an error */
    const char *advice;    /* if the stroke looks meant as the other shape; NULL: none */
} ruga_stroke_report;

RUGA_API size_t ruga_strokes_count(const ruga_strokes *strokes); /* including those with errors */
RUGA_API ruga_stroke_report ruga_strokes_get(const ruga_strokes *strokes, size_t stroke);
RUGA_API ruga_sculpt *ruga_strokes_sculpt(const ruga_strokes *strokes);
/* The files that were read; NULL after the last. */
RUGA_API const char *ruga_strokes_file(const ruga_strokes *strokes, size_t file);

/* Whether the strokes change over time, by keys or compression; and the time of the last key, s, 0 without keys. */
RUGA_API int ruga_strokes_move(const ruga_strokes *strokes, double *end);

/* The wrinkled surface at a time, s, with the vertices of the mesh at `positions`, as ruga_sculpt_pose. lengths:
 * (strokes) target lengths over the current lengths of the curves; NaN: that of the stroke; NULL: those of all strokes.
 * out: (vertices of the sculpt's mesh). */
RUGA_API ruga_status ruga_strokes_pose(ruga_strokes *strokes, const ruga_vec3 *positions, double time,
                                       const double *lengths, ruga_vec3 *out);

/* ---- Lengths per frame, from a file: a text with a line per frame, which has one number for all strokes or one for
 * each, and a first line of names if not all strokes have one; or JSON: a list with a number or a list of numbers per
 * frame, or an object with a list per stroke. docs/commands.md has examples. */
typedef struct ruga_length_table {
    size_t frame_count, stroke_count;
    const double *values; /* (frame_count x stroke_count) 1, for ruga_strokes_pose */
    ruga_context *context;
} ruga_length_table;

/* RUGA_ERROR_INPUT with the file and the line. */
RUGA_API ruga_status ruga_length_table_read(const ruga_strokes *strokes, const char *path, ruga_length_table **out);
RUGA_API void ruga_length_table_destroy(ruga_length_table *table); /* NULL is fine */

/* Makes the strokes again for their greatest lengths in the table, so that wrinkle shapes and mesh refinement suffice
 * for them. */
RUGA_API ruga_status ruga_strokes_prepare(ruga_strokes *strokes, const ruga_length_table *table);

RUGA_API int ruga_model_has_curves(const char *model);
/* The curves along which a model wrinkles ("bust", "shoe"). RUGA_ERROR_INPUT for other models. Release them with
 * ruga_curves_destroy. */
RUGA_API ruga_status ruga_model_curves(const ruga_mesh *mesh, const char *model, ruga_curve ***curves, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
