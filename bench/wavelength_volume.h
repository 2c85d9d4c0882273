/* A dense volumetric slab: a stiff layer on a soft, deep interior, both resolved by finite elements (figure 6). */
#ifndef BENCH_WAVELENGTH_VOLUME_H
#define BENCH_WAVELENGTH_VOLUME_H

#include "bench.h"

/* Compressed along its length beyond buckling: the wavelength of its surface over that of equation 3. thickness: m, of
 * the layer; ratio: of its Young's modulus to the interior's; waves: along the slab. */
double volume_wavelength(const bench_setup *bench, double thickness, double ratio, double waves);

#endif
