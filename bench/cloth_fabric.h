/* The part of bench/cloth about fabric: membranes and strain limits. */
#ifndef BENCH_CLOTH_FABRIC_H
#define BENCH_CLOTH_FABRIC_H

#include "bench.h"

/* Prints membrane_vs_springs and strain_limit_cost. */
void measure_fabric(const bench_setup *bench);

#endif
