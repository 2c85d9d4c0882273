/* Ruga: creases. Sharp folds along drawn curves, at any resolution (Patkar, Jin and Fedkiw 2015).
 *
 *     mesh + curves ──cut──▶ simulated mesh: copies of the cut triangles ──bind──▶ unknowns y, x = T y
 *                                    │ W
 *                                    ▼
 *                            visible mesh: the triangles end at the curves
 *
 * For engines with a solver of their own. Scenes have all this as the hook "crease" (docs/crease.md).
 *
 * Each piece of a cut triangle becomes a copy of the whole triangle with a share of its material, so that no small
 * triangle is made and your time step stays the same. The simulated points x are the vertices of the mesh, in their
 * order, then the copies. They have no freedom of their own: x = T y, where the unknowns y are the vertices of the
 * mesh, then one fold vector (without unit) for each place along a crease where the fold may change. Pieces can fold,
 * and can't come apart.
 *
 *     at rest              y = the mesh's positions, then zeros
 *     energies, forces     of the simulated mesh at x = T y, each triangle times its share; on y: Tᵀ f
 *     implicit solvers     Tᵀ A T instead of A (fold vectors have other units: precondition by the diagonal)
 *     shown                visible positions = W x
 */
#ifndef RUGA_CREASE_H
#define RUGA_CREASE_H

#include "ruga/curve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ruga_creases_def {
    uint32_t cookie;
    double spacing; /* edges between two places along a crease at which the fold may change, at least 1; 2 */
} ruga_creases_def;

RUGA_API ruga_creases_def ruga_creases_def_default(void);

/* How a crease ends. */
typedef enum ruga_crease_end {
    RUGA_CREASE_BORDER = 0, /* at the border of the mesh, where its fold is free */
    RUGA_CREASE_STAR,       /* at a point where at least three creases end */
    RUGA_CREASE_STEM,       /* on another crease, where its fold is 0 */
    RUGA_CREASE_TIP         /* inside the mesh, where its fold is 0 */
} ruga_crease_end;

RUGA_API const char *ruga_crease_end_name(ruga_crease_end end); /* "border", "star", "stem", "tip" */

typedef struct ruga_crease {
    const char *name;        /* of its curve; may be empty */
    size_t curve;            /* the first of the curves that it is made of: two whose ends meet become one crease */
    int closed;              /* it has no ends */
    double length;           /* m */
    ruga_crease_end ends[2]; /* first and last; of a closed crease BORDER */
    const ruga_curve *trace; /* on the mesh that was cut: one segment for each triangle that the crease cuts */
    size_t vertex_count;
    const uint32_t *vertices; /* (vertex_count) of the visible mesh, along the crease */
} ruga_crease;

/* Both sides of a crease in one triangle that it cuts. */
typedef struct ruga_crease_fold {
    uint32_t crease;
    uint32_t left[3], right[3]; /* simulated points: corners of the copies on both sides */
    double along[3];            /* weights of the corners that give the direction of the crease; their sum is 0 */
    double length;              /* m, at rest */
} ruga_crease_fold;

typedef struct ruga_creases {
    const ruga_mesh *visible;   /* the mesh's vertices first, in their order, then those on the creases; attributes and
                                 UVs of the mesh */
    const ruga_map *cut_map;    /* visible rest positions = W the mesh's: carries whatever you painted on the mesh */
    const ruga_mesh *simulated; /* the mesh's vertices first, in their order, then the copies */
    const double *shares;       /* (simulated triangles) 1, above 0: of the material of the triangle */
    const uint32_t *triangle_parent; /* (simulated triangles) the triangle of the mesh */
    const uint32_t *vertex_of;       /* (simulated vertices) the vertex of the mesh */
    const ruga_map *bound;           /* T: simulated points from unknowns */
    const ruga_map *shown;           /* W: visible positions from simulated points */
    size_t crease_count;
    const ruga_crease *creases; /* (crease_count) */
    size_t fold_count;
    const ruga_crease_fold *folds; /* (fold_count) */
    ruga_context *context;
} ruga_creases;

/* Cuts a mesh along curves on it, which may cross, meet, close, and pass through one triangle in any number. The mesh
 * and the curves are not kept. def NULL: the default.
 * Fails with RUGA_ERROR_INPUT, naming the curve and the triangle or the place, for a curve that crosses no edge of the
 * mesh, comes closer to itself than the mesh can resolve, runs along another one, or meets an edge of more than two
 * triangles. */
RUGA_API ruga_status ruga_creases_create(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count,
                                         const ruga_creases_def *def, ruga_creases **out);
RUGA_API void ruga_creases_destroy(ruga_creases *creases); /* NULL is fine */

/* The angle of a fold, rad, within (-π, π], at simulated points: 0 as at rest, positive for a valley, seen from the
 * front of the faces, negative for a mountain. gradient: of the left corners, then of the right ones, rad/m; NULL: not
 * wanted. A spring against the angle has the energy ½ k l (φ - φ0)² in each fold, k in N m per metre and radian. */
RUGA_API double ruga_creases_angle(const ruga_creases *creases, size_t fold, const ruga_vec3 *points,
                                   ruga_vec3 gradient[6]);
/* Lumped masses of the simulated points, kg, by shares; density in kg/m². Their sum is that of the mesh. The matrix of
 * the unknowns is Tᵀ M T. */
RUGA_API void ruga_creases_masses(const ruga_creases *creases, double density, double *masses);

/* The unknowns at rest: (bound->columns). */
RUGA_API void ruga_creases_rest(const ruga_creases *creases, ruga_vec3 *unknowns);
/* The greatest distance between both sides of a crease, m, at simulated points. Whatever the load, where a straight
 * crease crosses an edge of length e it is at most e² / (8 l) times the greatest change of a fold vector between two
 * places l apart; where it bends, e d / (4 l) times, d: how far apart the edge's ends are along the crease. Gaps of
 * creases that meet add up. */
RUGA_API double ruga_creases_gap(const ruga_creases *creases, const ruga_vec3 *points);

/* ---- Creases of a scene: see ruga_scene_crease. */
typedef struct ruga_crease_report {
    const char *name; /* of its curve; may be empty */
    int closed;
    double length;    /* m */
    size_t triangles; /* of the mesh, that it cuts */
    ruga_crease_end ends[2];
    size_t vertex_count;
    const uint32_t *vertices; /* (vertex_count) of the visible mesh, along the crease */
    double target;            /* degrees, that it folds to without load, now; the mean over its length */
    double fold, least, most; /* degrees, now: the mean over its length, the least and the greatest */
    double gap;               /* m, greatest distance between its sides */
    double stiffness;         /* N, of its folds: the mean over its length; 0: they are free */
} ruga_crease_report;

#ifdef __cplusplus
}
#endif
#endif
