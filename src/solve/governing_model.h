/* Private parts of the governing curve: its energy as a function of heights, in units of the reference length. */
#ifndef SOLVE_GOVERNING_MODEL_H
#define SOLVE_GOVERNING_MODEL_H

#include "base/isa.h"
#include "math/vec3.h"
#include "solve/governing_curve.h"

/* The length of any curve in units of its reference: with it k_r of 5…70 covers figure 5. */
#define GOVERNING_LENGTH 60.0
/* rad, δ: the energy of smaller turns is quadratic, so that the straight curve has a gradient and shapes are round. */
#define GOVERNING_SMOOTH_TURN 0.1

typedef struct governing_model {
    const governing_curve *curve;
    double scale;         /* 1/m, to units of the reference length */
    size_t span_count;    /* at least 1 */
    size_t *span_ends;    /* (span_count) the last particle of each; NULL: one span */
    double *span_lengths; /* (span_count) L̃ / L of each; NULL: the curve's */
    /* For repeated evaluations; NULL: computed each time. */
    const double *rows;  /* (GOVERNING_ROWS x (count + 1)) of governing_fill_rows */
    const double *rests; /* (count - 1) m, of the segments at rest */
    vec3 *directions;    /* (count - 1) scratch memory: current directions of the segments */
    ruga_isa isa;        /* of the kernel; all give the same bits */
} governing_model;

governing_model governing_model_make(const governing_curve *curve);
/* Bending depends on these rows and on the heights. */
void governing_fill_rows(const governing_model *model, double *rows);

/* heights: (count) units. gradient: NULL, or (count), written whole. length: NULL, or the curve's, units. */
double governing_model_energy(const governing_model *model, const double *heights, double *gradient, double *length);

size_t governing_most_spans(size_t particles); /* of a curve */

/* Heights at the start of the minimisation, units: seeded waves or a number of bumps, each span with its target length.
 * Sets the spans; span_ends and span_lengths, if not NULL, must have room for (count). */
void governing_start_band(governing_model *model, int seed, double *heights);
void governing_start_count(governing_model *model, int bumps, double *heights);
/* The curve's own shape with the target length as a whole; does not change the spans. */
void governing_start_shape(const governing_model *model, double *heights);
/* Without nodes: with the target length as a whole. */
void governing_start_free(governing_model *model, int bumps, int seed, double *heights);

enum { GOVERNING_BLOCK = 64 };
/* Rows of particles: point (3, units), normal (3), the rotation at rest (axis 3, cosine, 1 / (1 + cosine)), and how
 * often and how many times as large its turn counts. */
enum { GOVERNING_ROWS = 13 };
/* The energy of `count` turns, at most a block, over k_r e^-π. rows, heights: of the particles from the one before the
 * first turn to the one after the last; a row begins `stride` after the one before. slopes: (count + 2) derivatives by
 * the heights, over the same. */
ISA_DECLARE(double, governing_bend,
            (const double *rows, size_t stride, const double *heights, size_t count, double *slopes));
/* Energies of turns, at most a block, by angles with these sines >= 0 and cosines, up to a common factor: `counts`
 * times that of a turn `times` as large, over k_r e^-π; and their derivatives by the angle, over it and times angle /
 * sine. */
ISA_DECLARE(void, governing_turns,
            (const double *sines, const double *cosines, const double *counts, const double *times, double *energies,
             double *factors, size_t count));

#endif
