/* Ruga: sculpting wrinkles. Draw a curve, get a believable wrinkle (Wang, Wang and Yuen 2006).
 *
 *     mesh + strokes ──cut──▶ edges follow the curves ──refine──▶ ──particles──▶ deflections ──▶ finer mesh with wrinkles
 *
 * A sculpt is a list of strokes with parameters over a mesh that stays as it is. Any stroke can be changed, switched off, moved
 * or removed at any time; the next update computes anew what depends on it and nothing else: a new stiffness or length costs a
 * minimisation and a propagation, a new curve also the cut. The result's first vertices are the mesh's, in their order.
 */
#ifndef RUGA_SCULPT_H
#define RUGA_SCULPT_H

#include "ruga/curve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_sculpt ruga_sculpt;

typedef enum ruga_stroke_region {
    RUGA_REGION_AROUND =
        0, /* mode I: within the radius of the base curve; radius NaN: the region curve's greatest distance */
    RUGA_REGION_BETWEEN /* mode II: within the radius of the base curve or the region curve */
} ruga_stroke_region;

typedef enum ruga_attenuation {
    RUGA_ATTENUATION_BELL = 0, /* 1 + (-4x⁶ + 17x⁴ - 22x²)/9 */
    RUGA_ATTENUATION_IMPLICIT  /* (x² - 1)² */
} ruga_attenuation;

typedef enum ruga_stroke_start {
    RUGA_STROKE_BAND = 0, /* seeded waves: how many wrinkles there are follows from the stiffness */
    RUGA_STROKE_COUNT,    /* as many wrinkles as asked for */
    RUGA_STROKE_SEARCH    /* the lowest energy of many starts: usually a single bump */
} ruga_stroke_start;

typedef enum ruga_stroke_ends {
    RUGA_ENDS_SOFT = 0, /* wrinkles leave the surface as gently as they bend elsewhere */
    RUGA_ENDS_PRINTED   /* the paper's sum, in which the ends bend most cheaply: wrinkles begin with a corner */
} ruga_stroke_ends;

typedef struct ruga_stroke_def {
    uint32_t cookie;
    const char *name;         /* for messages; NULL: its number */
    const ruga_curve *curve;  /* base curve, on the sculpt's mesh; copied */
    const ruga_curve *region; /* region curve; NULL: none */
    int off;                  /* leaves the stroke out */
    double stiffness;         /* 1, k_r, of 5…70; 10 */
    double length;            /* 1, L̃ / L: length of the wrinkled curve over that of the drawn one, 1…; 1.3 */
    ruga_stroke_region mode;
    double radius; /* m; NaN: from the region curve, without one a quarter of the curve's length */
    double
        tolerance; /* m, ε: how near the base curve comes to the wrinkled one; NaN: a three-hundredth of its length */
    int refine;    /* greatest number of refinements, 0…6; 4 */
    int particles; /* n, 8…10,000; 50 */
    ruga_stroke_start start;
    int wrinkles; /* COUNT */
    int seed;
    int straight; /* the paper's rest angle π: straightens curved strokes; else the drawn curve is at rest */
    ruga_attenuation attenuation;
    ruga_stroke_ends ends;
} ruga_stroke_def;

RUGA_API ruga_stroke_def ruga_stroke_def_default(void);

/* The mesh is referred to and must outlive the sculpt. */
RUGA_API ruga_status ruga_sculpt_create(const ruga_mesh *mesh, ruga_sculpt **out);
RUGA_API void ruga_sculpt_destroy(ruga_sculpt *sculpt); /* NULL is fine */

/* Strokes have numbers from 0 that stay theirs. RUGA_ERROR_INPUT, naming the stroke, for values out of range. */
RUGA_API ruga_status ruga_sculpt_add(ruga_sculpt *sculpt, const ruga_stroke_def *def, size_t *stroke);
RUGA_API ruga_status ruga_sculpt_set(ruga_sculpt *sculpt, size_t stroke, const ruga_stroke_def *def);
RUGA_API ruga_status ruga_sculpt_remove(ruga_sculpt *sculpt, size_t stroke);
RUGA_API ruga_status ruga_sculpt_reorder(ruga_sculpt *sculpt, const size_t *strokes, size_t count); /* a permutation */
RUGA_API size_t ruga_sculpt_stroke_count(const ruga_sculpt *sculpt); /* with those that were removed */

/* Brings the result up to date. A stroke that can't be done is an error that names it and the place; with `keep_going` the
 * others still apply, and `failed`, which may be NULL, counts those that did not (ruga_sculpt_stroke_info has their messages). */
RUGA_API ruga_status ruga_sculpt_update(ruga_sculpt *sculpt, int keep_going, size_t *failed);

/* The result of the last update: a mesh whose rest positions are the wrinkled ones; lives until the next update. */
RUGA_API const ruga_mesh *ruga_sculpt_mesh(const ruga_sculpt *sculpt);
RUGA_API const ruga_vec3 *ruga_sculpt_normals(const ruga_sculpt *sculpt); /* (vertices) unit */
/* The undeformed fine surface = W (the mesh's vertices), before the vertices that refinement added are smoothed. */
RUGA_API const ruga_map *ruga_sculpt_map(const ruga_sculpt *sculpt);

typedef struct ruga_stroke_info {
    ruga_status status;
    const char *message; /* of a failed one */
    double drawn_length; /* m, L */
    double reached;      /* 1, length of the wrinkled curve over L */
    double energy;
    double error;     /* m, of the base curve against the wrinkled one */
    double tolerance; /* m, that it was to be within; above it, refinements did not suffice */
    double radius;    /* m */
    int refinements;
    size_t region_vertices;
    size_t extrema; /* of the deflection: wrinkles */
} ruga_stroke_info;

RUGA_API ruga_stroke_info ruga_sculpt_stroke_info(const ruga_sculpt *sculpt, size_t stroke);

/* The regions of the last update: (fine vertices) 1, how much each vertex takes of the wrinkles along the curves, from 0 outside of all
 * regions to 1 on a curve. */
RUGA_API void ruga_sculpt_regions(const ruga_sculpt *sculpt, double *shares);

/* ---- In motion, on the topology of the last update. positions: (the mesh's vertices) now. lengths: (strokes, by their numbers) L̃ / L of each
 * now, at most 1 means none; NULL: by what the motion compresses, L̃ = the drawn length at rest. Wrinkles keep the shape of the last update,
 * higher or lower, so they come and go without a jump: let the stroke's length be the greatest. One whose length is 1 takes the shape that it
 * would have with 1.3, on a mesh that is not refined for it. The mesh at rest with the lengths of all strokes gives the positions of the last
 * update, to the last bit. out: (fine vertices). Only the first pose after an
 * update allocates. */
RUGA_API ruga_status ruga_sculpt_pose(ruga_sculpt *sculpt, const ruga_vec3 *positions, const double *lengths,
                                      ruga_vec3 *out);

#ifdef __cplusplus
}
#endif
#endif
