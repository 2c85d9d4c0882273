/* Ruga: strokes of files and scenes. What a section "sculpt" says (docs/scene.md), made on a mesh.
 *
 *     file of strokes, curves, values for all ──▶ curves on the mesh ──▶ a sculpt (ruga/sculpt.h), and how its lengths go over time
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
    const ruga_vec3 *drawn;        /* (vertices) m, where they were when curves were drawn; NULL: at rest */
    const char *model;             /* that the mesh is, whose own curves may be named; NULL: none */
    int keep_going;                /* strokes that can't be done are left out */
} ruga_strokes_def;

RUGA_API ruga_strokes_def ruga_strokes_def_default(void);

/* Reads the files, makes the curves and brings the sculpt up to date. RUGA_ERROR_INPUT, with the file, the place and the stroke, for
 * what can't be done; with `keep_going` only when it is about all strokes. The mesh must outlive the strokes. */
RUGA_API ruga_status ruga_strokes_create(const ruga_mesh *mesh, const ruga_strokes_def *def, ruga_strokes **out);
RUGA_API void ruga_strokes_destroy(ruga_strokes *strokes); /* NULL is fine */

typedef struct ruga_stroke_report {
    const char *name;
    const ruga_curve *curve, *region; /* NULL: it has none, or it could not be made */
    int off;
    ruga_stroke_def
        def; /* with all that was not given filled in, but for radius and tolerance, which info has; its curves are
                              NULL */
    ruga_stroke_info info; /* status and message of a failed one */
} ruga_stroke_report;

RUGA_API size_t ruga_strokes_count(const ruga_strokes *strokes); /* with those that failed */
RUGA_API ruga_stroke_report ruga_strokes_get(const ruga_strokes *strokes, size_t stroke);
RUGA_API ruga_sculpt *ruga_strokes_sculpt(const ruga_strokes *strokes);
/* The files that were read, one by one; NULL past the last. */
RUGA_API const char *ruga_strokes_file(const ruga_strokes *strokes, size_t file);

/* Whether something goes over time: keys, or compression; and the time of the last key, s, 0 without keys. */
RUGA_API int ruga_strokes_move(const ruga_strokes *strokes, double *end);

/* The wrinkled surface at a time, s, with the mesh's vertices at `positions`, as ruga_sculpt_pose has it. lengths: (strokes) target
 * lengths over those of the curves now, NaN: as the stroke says; NULL: all as they say. out: (vertices of the sculpt's mesh). */
RUGA_API ruga_status ruga_strokes_pose(ruga_strokes *strokes, const ruga_vec3 *positions, double time,
                                       const double *lengths, ruga_vec3 *out);

/* ---- Lengths frame by frame, from a file: a text with a line for each frame, one number on it for all strokes or one for each, and a
 * first line of names where they are of some; or JSON: a list with a number or a list of them for each frame, or an object with a list
 * for each stroke. docs/commands.md has examples. */
typedef struct ruga_length_table {
    size_t frame_count, stroke_count;
    const double *values; /* (frame_count x stroke_count) 1, as ruga_strokes_pose takes them */
    ruga_context *context;
} ruga_length_table;

/* RUGA_ERROR_INPUT with the file and the line. */
RUGA_API ruga_status ruga_length_table_read(const ruga_strokes *strokes, const char *path, ruga_length_table **out);
RUGA_API void ruga_length_table_destroy(ruga_length_table *table); /* NULL is fine */

/* Makes the strokes anew for the greatest lengths that the table has of each, so that their wrinkles have the shapes and the mesh the
 * refinements that these need. */
RUGA_API ruga_status ruga_strokes_prepare(ruga_strokes *strokes, const ruga_length_table *table);

RUGA_API int ruga_model_has_curves(const char *model);
/* The curves along which a model wrinkles: those of "bust" and "shoe". RUGA_ERROR_INPUT for one that has none. They are the
 * caller's (ruga_curves_destroy). */
RUGA_API ruga_status ruga_model_curves(const ruga_mesh *mesh, const char *model, ruga_curve ***curves, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
