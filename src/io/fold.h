/* Origami patterns: FOLD files (.fold, https://github.com/edemaine/fold) and patterns by formula.
 *
 *     vertices in the plane ──▶ edges, each a mountain, a valley, unassigned, flat, or the border
 *
 * Read are "vertices_coords" (in a plane: with two coordinates, or three of which one is constant), "edges_vertices",
 * "edges_assignment" and "edges_foldAngle" of the first frame that has class "creasePattern", or else of the first with
 * vertices and edges. "faces_vertices" are only checked. Angles are those of the FOLD format: degrees, valleys
 * positive, mountains negative.
 */
#ifndef IO_FOLD_H
#define IO_FOLD_H

#include "base/memory.h"
#include "math/vec2.h"

typedef enum fold_kind {
    FOLD_BORDER,    /* B */
    FOLD_MOUNTAIN,  /* M */
    FOLD_VALLEY,    /* V */
    FOLD_FLAT,      /* F and J: no crease */
    FOLD_UNASSIGNED /* U: a crease that folds freely */
} fold_kind;

typedef struct fold_edge {
    uint32_t ends[2];
    fold_kind kind;
    double angle; /* degrees; NaN: the file has none */
} fold_edge;

typedef struct fold_pattern {
    ruga_context *context;
    size_t vertex_count;
    vec2 *vertices;
    size_t edge_count;
    fold_edge *edges;
} fold_pattern;

/* RUGA_ERROR_INPUT, with the place, for a file that is no FOLD file or contradicts itself: lists of different lengths,
 * indices out of range, an edge twice or without length, an angle against its assignment, vertices that are not in a
 * plane, edges that cross or touch without a common vertex, and cuts, which are not supported. */
ruga_status fold_read(ruga_context *context, const char *name, const char *text, size_t size, fold_pattern *out);
void fold_release(fold_pattern *pattern);

/* A Miura fold: `columns` x `rows` parallelograms, within a rectangle. Straight creases lie along x, zigzags along y.
 * Its folds agree with each other: tan ρs/2 = cos α tan ρz/2 for zigzags that fold by ρz, straight creases by ρs and
 * parallelograms with the angle α. The rectangle is `width` x `height`. */
typedef struct fold_miura {
    int columns, rows; /* at least 2 */
    double angle;      /* degrees, α: above 0, below 90 */
    double fold;       /* degrees, ρz: 0 to 180 */
    double width, height;
} fold_miura;
ruga_status fold_make_miura(ruga_context *context, const fold_miura *def, fold_pattern *out);

/* As a FOLD file; release the text. */
ruga_status fold_write(const fold_pattern *pattern, const char *title, char **text, size_t *size);

/* Creases of a pattern as polylines: edges that continue each other straight at vertices where all creases do so, with
 * one angle and kind, become one. */
typedef struct fold_crease {
    size_t first, count; /* of fold_creases.vertices */
    fold_kind kind;
    double angle;
    uint32_t edge; /* the first */
} fold_crease;
typedef struct fold_creases {
    ruga_context *context;
    ARRAY(fold_crease) creases;
    ARRAY(uint32_t) vertices;
} fold_creases;
ruga_status fold_find_creases(const fold_pattern *pattern, fold_creases *out);
void fold_creases_release(fold_creases *c);

#endif
