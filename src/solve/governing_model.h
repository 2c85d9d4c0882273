/* Inside the governing curve: its energy as a function of heights, in units of the reference length. */
#ifndef SOLVE_GOVERNING_MODEL_H
#define SOLVE_GOVERNING_MODEL_H

#include "math/vec3.h"
#include "solve/governing_curve.h"

/* The length of any curve in units of its reference: with it k_r of 5…70 spans figure 5. */
#define GOVERNING_LENGTH 60.0
/* rad, δ: turns below it cost by their square, so that the straight curve has a gradient and shapes are round. */
#define GOVERNING_SMOOTH_TURN 0.1

/* The rotation that takes one rest segment's direction to the next one's: v -> c v + k x v + k (k . v) / (1 + c). One by half a circle has no
 * axis, and is left out. */
typedef struct rest_turn {
    vec3 axis; /* k, as long as the sine */
    double cosine;
    double share; /* 1 / (1 + c) */
} rest_turn;

typedef struct governing_model {
    const governing_curve *curve;
    double scale;           /* 1/m, to units of the reference length */
    const rest_turn *turns; /* (count), those of inner particles are set; NULL: made on the way */
    size_t span_count;      /* at least 1 */
    size_t *span_ends;      /* (span_count) the particle at which each ends; the last is the last; NULL: one span */
    /* For who asks many times; NULL: found each time anew. */
    const double *rests; /* (count - 1) m, of the segments at rest */
    vec3 *ways;          /* (count - 1) scratch: directions of the segments now */
} governing_model;

double governing_rest_length(const governing_curve *curve); /* m */
governing_model governing_model_make(const governing_curve *curve, const rest_turn *turns);
rest_turn governing_rest_turn(const governing_curve *curve, size_t particle);

/* heights: (count) units. gradient: NULL, or (count), written whole. length: NULL, or the curve's, units. */
double governing_model_energy(const governing_model *model, const double *heights, double *gradient, double *length);

size_t governing_most_spans(size_t particles); /* of a curve */

/* Heights from which the minimisation starts, units: seeded waves or a number of bumps, each span as long as is wanted. Sets
 * the spans, for which there is room for (count). */
void governing_start_band(governing_model *model, int seed, double *heights);
void governing_start_count(governing_model *model, int bumps, double *heights);
/* The curve's own shape, as long as is wanted in the whole; leaves the spans. */
void governing_start_shape(const governing_model *model, double *heights);
/* Without nodes: as long as is wanted in the whole. */
void governing_start_free(governing_model *model, int bumps, int seed, double *heights);

#endif
