/* Creases: sharp folds in a cloth along drawn curves, on a mesh of any size (Patkar, Jin and Fedkiw 2015).
 *
 *     curves ──▶ lines (geom/cut_lines.h) ──▶ cut mesh ──▶ virtual nodes (geom/virtual_nodes.h) ──▶ binding x = T y
 *
 * The mesh is cut along the creases by the virtual node algorithm (section 3), and the pieces are joined again so that
 * they can only fold. The paper joins them by one equation for each cut edge (section 4). Cut edges share vertices, and
 * these equations leave a single free vector for a whole crease: its fold can't vary along it, and long or curved
 * creases lock. Here virtual nodes are bound to a ridge instead. For a vertex with signed distance s from a crease, at
 * σ along it, its copies on the left and on the right of the crease obey
 *
 *     x_left - x_right = s D(σ),   D(σ) = Σ_j N_j(σ) D_j
 *
 * with one fold vector D_j for every hat N_j, which are `spacing` edges apart. A fold by the angle φ has |D| = 2 sin
 * φ/2. The unknowns y are the vertices of the mesh and the fold vectors. A copy behind several cuts adds their terms.
 * For constant D there is no gap between the sides; else it is at most
 *
 *     e² / (8 l) max |D_{j+1} - D_j|    for cut edges of length e and hats l apart
 *
 * whatever the load, and a step in the bound space can't be less stable than one of the mesh before it was cut.
 *
 * Ends. At the border D is free. At a tip inside the cloth, and where a crease ends on another one, D is 0. Where rays
 * with directions t_i meet in a star, the copies agree around it if
 *
 *     Σ_i D_i(0) ⊗ n_i = 0,   n_i: t_i turned by 90 degrees to the left
 *
 * so D_i(0) = Σ_m B_im Z_m with a basis B of the null space of [n_1 … n_k], and the vectors Z_m are the unknowns there.
 */
#ifndef WRINKLE_CREASE_H
#define WRINKLE_CREASE_H

#include "geom/cut_lines.h"
#include "geom/virtual_nodes.h"

typedef struct crease_def {
    double spacing; /* edges between two hats; 2 */
} crease_def;
crease_def crease_def_default(void);

/* The fold vectors of one line. */
typedef struct crease_ridge {
    size_t knot_count;  /* hats: knots at 0 … length, or of a closed line each at its beginning */
    double spacing;     /* m, between knots */
    size_t *offsets;    /* (knot_count + 1) into the next two: D at a knot = Σ weight · unknown */
    uint32_t *unknowns; /* of y */
    double *weights;
} crease_ridge;

typedef struct crease {
    ruga_context *context;
    cut_lines lines;
    curve_cut cut;        /* its mesh is the visible one */
    virtual_nodes nodes;  /* its mesh is the simulated one */
    crease_ridge *ridges; /* (lines) */
    ruga_map *bound;      /* T: simulated points from unknowns, the mesh's vertices first */
} crease;

/* RUGA_ERROR_INPUT names the curve and the place that can't be cut. */
ruga_status crease_make(const ruga_mesh *mesh, const ruga_curve *const *curves, size_t count, const crease_def *def,
                        crease *out);
void crease_release(crease *c);

/* D at a place along a line, of unknowns or of their velocities. */
ruga_vec3 crease_fold_vector(const crease *c, size_t line, double along, const ruga_vec3 *unknowns);

/* The greatest distance between two embedded nodes of one vertex, m, of simulated points. */
double crease_gap(const crease *c, const ruga_vec3 *points);
/* Its bound e² / (8 l) max |D_{j+1} - D_j| over all lines, m, of unknowns. */
double crease_gap_bound(const crease *c, const ruga_mesh *mesh, const ruga_vec3 *unknowns);

#endif
