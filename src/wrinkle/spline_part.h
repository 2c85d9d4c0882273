/* Part "spline": a grid of key nodes becomes a fine smooth surface that wrinkles where it is compressed (Kang et al.
 * 2001, section 3).
 *
 *     key nodes ──splines──▶ smooth surface S with normal N ──▶ S + (row wave + column wave) N
 *
 * Waves are coherent in time unless those of the paper are wanted (spline_waves.h).
 *
 * Waves of the paper. A segment of a row or a column, between two neighbouring control points, is linked by a virtual
 * spring.
 * Where their distance d is less than its rest length l₀, the segment waves along N, with t from 0 to 1 along it
 * (equation 14):
 *
 *     w(t) A sin(f t),    A = e / 2,    f = c e / l₀,    e = (1 − threshold) l₀ − d,    w(t) = ½ − 2 (t − ½)²
 *
 * l₀ is the distance of the same points on the smooth surface at rest. The control points depend on the order:
 *
 *   together      control points of the nodes on a row of key nodes are the key nodes; those of the rows between are
 *                 the frame nodes on the columns of key nodes; and so with columns. Every row of nodes waves along the
 *                 row, every column along the column, and their heights add up: neither direction comes first.
 *   rows first    the paper read to the letter, in an order it leaves open: frame nodes on rows of key nodes wave
 *                 between key nodes; then all columns pass through these displaced frame nodes and wave between them.
 *
 * A wave is a continuous function of d, in height and phase, and zero from the threshold on: wrinkles appear and
 * disappear without a jump. A segment's deflection is at most (l₀ − d) / 4, times the `amplitude` that may be given.
 *
 * The printed w ends with a slope at t = 1 where sin f ≠ 0: a crease at every key node, on one side of it, that
 * depends on the direction in which the curve is read. The smooth envelope 2 w² has the same greatest value, ½, and
 * no slope at either end. Only the phase still depends on the direction: it starts at the segment's first point.
 *
 * f is limited to one wave per four nodes: the nodes would show faster waves as noise.
 */
#ifndef WRINKLE_SPLINE_PART_H
#define WRINKLE_SPLINE_PART_H

#include "body/part.h"
#include "math/spline.h"
#include "ruga/scene.h"

typedef enum spline_waving { SPLINE_COHERENT = 0, SPLINE_SEGMENTS } spline_waving;

typedef enum spline_envelope { SPLINE_ENVELOPE_SMOOTH = 0, SPLINE_ENVELOPE_PAPER } spline_envelope;

typedef enum spline_order { SPLINE_TOGETHER = 0, SPLINE_ROWS_FIRST } spline_order;

/* The wave of one segment. */
typedef struct spline_wave {
    double amplitude; /* m, A */
    double frequency; /* rad, f */
} spline_wave;

spline_wave spline_wave_make(const ruga_spline_def *def, double rest_length, double distance);
double spline_wave_height(const ruga_spline_def *def, spline_wave wave, double t); /* m */

/* The input's vertices are the key nodes: a grid as mesh_grid_find or mesh_grid_of_order (mesh/grid.h) have it; tubes
 * stay closed. The output has `rows` x `columns` vertices, row by row, four-sided faces and UVs: those of the input's
 * vertices, mixed, or 0 to 1 along columns and rows. Memory that the amplitude points to must outlive the part. No
 * state beyond the frame. When the input is cut or refined, the key nodes stay the vertices that they were, and the
 * output does not change; the cut does not open it. Measures: waves (segments, or cells, with an amplitude above 0.001
 * times their length), deflection (m, greatest; rows first: of columns). */
ruga_status spline_part_create(const ruga_mesh *input, const ruga_spline_def *def, part **out);

#endif
