/* Ruga: sculpting wrinkles. Draw a curve, get a believable wrinkle (Wang, Wang and Yuen 2006).
 *
 *   mesh + strokes ──cut──▶ edges follow the curves ──refine──▶ ──particles──▶ deflections ──▶ finer mesh with wrinkles
 *
 * A sculpt is a list of strokes with parameters over a mesh, which it does not change. You can change, switch off, move
 * or remove any stroke at any time. The next update computes only the results that depend on it: a new stiffness or
 * length costs a minimisation and a propagation, a new curve also the cut. The first vertices of the result are those
 * of the mesh, in their order.
 */
#ifndef RUGA_SCULPT_H
#define RUGA_SCULPT_H

#include "ruga/curve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_sculpt ruga_sculpt;

typedef enum ruga_stroke_shape {
    /* Wrinkles across the curve: it runs over them, from crest to crest. */
    RUGA_SHAPE_WRINKLES = 0,
    /* One furrow along the curve, as a line of a forehead is drawn: a groove between two ridges, whose profile is a
     * governing curve as wide as the region. Furrows add up where they meet. */
    RUGA_SHAPE_FURROW
} ruga_stroke_shape;

typedef enum ruga_stroke_region {
    /* Mode I: within the radius of the base curve. Radius NaN: the greatest distance of the region curve. */
    RUGA_REGION_AROUND = 0,
    /* Mode II: within the radius of the base curve or the region curve. */
    RUGA_REGION_BETWEEN
} ruga_stroke_region;

typedef enum ruga_attenuation {
    RUGA_ATTENUATION_BELL = 0, /* 1 + (-4x⁶ + 17x⁴ - 22x²)/9 */
    RUGA_ATTENUATION_IMPLICIT  /* (x² - 1)² */
} ruga_attenuation;

typedef enum ruga_stroke_start {
    RUGA_STROKE_BAND = 0, /* seeded waves: the number of wrinkles depends on the stiffness */
    RUGA_STROKE_COUNT,    /* a given number of wrinkles */
    RUGA_STROKE_SEARCH    /* the lowest energy of many start shapes: usually a single bump */
} ruga_stroke_start;

typedef enum ruga_stroke_ends {
    RUGA_ENDS_SOFT = 0, /* wrinkles leave the surface as smoothly as they bend elsewhere */
    RUGA_ENDS_PRINTED   /* the paper's sum, in which the ends bend most easily: wrinkles begin with a corner */
} ruga_stroke_ends;

typedef struct ruga_stroke_def {
    uint32_t cookie;
    const char *name;         /* for messages; NULL: its number */
    const ruga_curve *curve;  /* base curve, on the sculpt's mesh; copied */
    const ruga_curve *region; /* region curve; NULL: none */
    int off;                  /* 1: the stroke is not applied */
    ruga_stroke_shape shape;
    double stiffness; /* 1, k_r, usually 5…70; 10 */
    /* 1, L̃ / L: length of the wrinkled curve over that of the drawn one, or of a furrow's profile over its width, 1…;
     * 1.08 */
    double length;
    ruga_stroke_region mode;
    double radius; /* m; NaN: from the region curve, without one `spread` times the curve's length */
    double spread; /* 1, above 0; NaN: 1, of a furrow 0.12; of a closed curve times its length / 2 pi */
    /* m, ε: greatest distance between the refined base curve and the wrinkled one; NaN: the curve's length / 600, or
     * / (120 x wrinkles) if more than 5 are wanted; of a furrow its radius / 120 */
    double tolerance;
    int refine;    /* greatest number of refinements, 0…6; 4 */
    int particles; /* n, 8…10,000, of a furrow 13…; 50 */
    ruga_stroke_start start;
    int wrinkles; /* number of wrinkles, for COUNT; 5 */
    int seed;
    double vary;      /* 0…1: how much depth and spacing vary, by the seed; 0.35 */
    double taper;     /* 0…0.5, furrow: fraction of its length at either end over which it fades; 0.35 */
    double asymmetry; /* -1…1, furrow: above 0 the ridge on its left is higher and the right one lower; 0 */
    int straight; /* 1: the paper's rest angle π, which straightens curved strokes; 0: the drawn curve is at rest */
    ruga_attenuation attenuation;
    ruga_stroke_ends ends;
    /* 1: wrinkles of a closed curve begin at its first point; 0: at the one with the least x, wherever it was drawn
     * from. Mirror images and moved copies of a stroke look like it only if they begin at the matching point. */
    int begins_as_drawn;
} ruga_stroke_def;

RUGA_API ruga_stroke_def ruga_stroke_def_default(void);

/* Named looks, sets of values for a purpose: "forehead", "crows-feet", "curtain", "skirt", "sleeve", "shoe", and
 * furrows "line" and "nasolabial". The first sets shape, stiffness, length, start, wrinkles, spread, vary, taper and
 * asymmetry, and more particles if there are too few for the wrinkles; 0: there is no such look. The second lists
 * their names, from 0; NULL past the end. */
RUGA_API int ruga_stroke_def_look(const char *name, ruga_stroke_def *def);
RUGA_API const char *ruga_stroke_look_name(size_t look);

/* The mesh is not copied and must outlive the sculpt. */
RUGA_API ruga_status ruga_sculpt_create(const ruga_mesh *mesh, ruga_sculpt **out);
RUGA_API void ruga_sculpt_destroy(ruga_sculpt *sculpt); /* NULL is fine */

/* Strokes are numbered from 0; a number does not change. Values out of range are RUGA_ERROR_INPUT, with the stroke's
 * name. */
RUGA_API ruga_status ruga_sculpt_add(ruga_sculpt *sculpt, const ruga_stroke_def *def, size_t *stroke);
RUGA_API ruga_status ruga_sculpt_set(ruga_sculpt *sculpt, size_t stroke, const ruga_stroke_def *def);
RUGA_API ruga_status ruga_sculpt_remove(ruga_sculpt *sculpt, size_t stroke);
RUGA_API ruga_status ruga_sculpt_reorder(ruga_sculpt *sculpt, const size_t *strokes, size_t count); /* a permutation */
RUGA_API size_t ruga_sculpt_stroke_count(const ruga_sculpt *sculpt); /* including removed ones */

/* Computes the result. A stroke that fails is an error that names it and the place. With `keep_going` the others are
 * still applied, and `failed` (may be NULL) counts those that are not; ruga_sculpt_stroke_info has their messages. */
RUGA_API ruga_status ruga_sculpt_update(ruga_sculpt *sculpt, int keep_going, size_t *failed);

/* The result of the last update: a mesh whose rest positions are the wrinkled ones; valid until the next update. */
RUGA_API const ruga_mesh *ruga_sculpt_mesh(const ruga_sculpt *sculpt);
RUGA_API const ruga_vec3 *ruga_sculpt_normals(const ruga_sculpt *sculpt); /* (vertices) unit */
/* The undeformed fine surface = W (the mesh's vertices), before smoothing of the vertices that refinement added. */
RUGA_API const ruga_map *ruga_sculpt_map(const ruga_sculpt *sculpt);

typedef struct ruga_stroke_info {
    ruga_status status;
    const char *message; /* of a failed stroke */
    double drawn_length; /* m, L */
    double reached;      /* 1, length of the wrinkled curve over L */
    double energy;
    double error;     /* m, distance between the base curve and the wrinkled one */
    double tolerance; /* m; if the error is above it, more refinements are needed */
    double radius;    /* m */
    int refinements;
    size_t region_vertices;
    size_t extrema; /* of the deflection: number of wrinkles */
} ruga_stroke_info;

RUGA_API ruga_stroke_info ruga_sculpt_stroke_info(const ruga_sculpt *sculpt, size_t stroke);

/* The regions of the last update: (fine vertices) 1, influence of the strokes on each vertex, from 0 outside of all
 * regions to 1 on a curve. */
RUGA_API void ruga_sculpt_regions(const ruga_sculpt *sculpt, double *shares);

/* Wrinkles in motion, on the topology of the last update. positions: (the mesh's vertices) current. lengths: (strokes,
 * by their numbers) current L̃ / L; 1 or less: no wrinkle. NULL: from the compression by the motion, with L̃ = the
 * drawn length at rest. Wrinkles keep the shape of the last update, higher or lower, so they grow and vanish without a
 * jump: give each stroke its greatest length. A stroke with a length of 1 has the shape of a length of 1.3, on a mesh
 * that is not refined for it. The mesh at rest with the lengths of all strokes gives the positions of the last update,
 * bit for bit. out: (fine vertices). Only the first pose after an update allocates. */
RUGA_API ruga_status ruga_sculpt_pose(ruga_sculpt *sculpt, const ruga_vec3 *positions, const double *lengths,
                                      ruga_vec3 *out);

#ifdef __cplusplus
}
#endif
#endif
