/* The wavelength of waves on a plane: the centroid of the peak in the spectrum of their heights.
 *
 * Heights, times a window that falls to zero at the border, are spread onto a grid of 20 points to an expected wave.
 * The power |Σ h e^(-2πi k·x)|² is measured at wave vectors in all directions, of 0.4 to 2.2 expected waves. The
 * wavelength is one over the mean of |k| where power is above a quarter of the greatest, weighted by it. A window over
 * n waves blurs the peak by about 1/n; its centroid is much more exact. */
#ifndef MATH_WAVE_SPECTRUM_H
#define MATH_WAVE_SPECTRUM_H

#include "base/memory.h"

typedef struct wave_spectrum wave_spectrum;

/* places: (count) m, in a plane; on a line if all have one second coordinate. areas: (count) that each stands for;
 * NULL: all the same. expected: m. Fails with RUGA_ERROR_INPUT where a spectrum makes no sense: fewer than 3 expected
 * waves along the longer side. */
ruga_status wave_spectrum_create(ruga_context *context, size_t count, const double (*places)[2], const double *areas,
                                 double expected, wave_spectrum **out);
void wave_spectrum_destroy(wave_spectrum *w); /* NULL is fine */
/* heights: (count) m, from anywhere. Returns the wavelength, m; 0: all are the same. */
double wave_spectrum_measure(wave_spectrum *w, const double *heights);

#endif
