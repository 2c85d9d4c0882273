/* Waves of the part "spline" that are coherent in time (after Kang et al. 2001, section 3.2).
 *
 * Equation 14 lets the frequency of a segment grow with its compression, from a phase that is fixed at its first point:
 * crests run through the cell while it is compressed, and every segment ends in a node. Here phase and frequency belong
 * to the material, and compression only sets the height:
 *
 *     h(X) = Σ_i a_i(X) sin(φ_i(X)),    φ_i(X) = k n_i · X′ + constant,    a_i = 2 √w_i (√(ε + δ) − √δ) / k
 *
 * n_i are DIRECTIONS directions, evenly over half a turn; X is the place on the sheet at rest, in metres along its rows
 * and columns, and X′ a slow distortion of it, so that crests are not straight. e_i is the compression along n_i beyond
 * the threshold, w_i = e_i⁶ / Σ e_j⁶ prefers the strongest, and ε is the greatest. A wave a sin(k x) is longer than its
 * chord by a² k² / 4 of it: so the waves make up for the missing length, less what δ takes so that they begin gently.
 *
 * Compressions are those of the cells of key nodes against their rest: the right Cauchy-Green tensor in the cell's own
 * plane. A key node has the mean of its cells, and between key nodes they are mixed: heights fade across cells.
 * Heights are continuous, also where a cell is compressed alike in all directions. */
#ifndef GEOM_SPLINE_WAVES_H
#define GEOM_SPLINE_WAVES_H

#include "math/spline_surface.h"
#include "mesh/grid.h"

typedef struct spline_waves spline_waves;

/* keys and surface must outlive it. points: (key rows x key columns) m, at rest. frequency: rad, as in ruga_spline_def;
 * one that the nodes can't show is lowered. */
ruga_status spline_waves_create(ruga_context *context, const mesh_grid *keys, const spline_surface *surface,
                                const vec3 *points, double frequency, spline_waves **out);
void spline_waves_destroy(spline_waves *self); /* NULL is fine */

/* Finds the compression of all cells and key nodes. Allocates nothing; bit-identical for any number of threads. */
void spline_waves_update(spline_waves *self, const vec3 *points);

/* m, the height at a node. */
double spline_waves_height(const spline_waves *self, size_t row, size_t column, double threshold);

/* The cells whose waves are higher than `visible` times their side along the row. */
size_t spline_waves_count(const spline_waves *self, double threshold, double visible);

#endif
