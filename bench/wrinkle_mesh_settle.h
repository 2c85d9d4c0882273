/* How fast the compliant form of a wrinkle mesh settles. */
#ifndef BENCH_WRINKLE_MESH_SETTLE_H
#define BENCH_WRINKLE_MESH_SETTLE_H

#include "bench.h"
#include "ruga/mesh.h"

/* Prints settle_gain: the time until the distance to the converged state is 1 % of what it was, by the coloured scalar
 * reference over that of the accelerated solver on two threads. Writes the distance against time as a plot. `mesh` is
 * of the context that has two threads. */
void measure_settle(const bench_setup *bench, const ruga_mesh *mesh, const char *plot);

/* Prints settle_vs_update: the processor's time to settle an arm at 120 degrees from rest, until its positions are
 * within 1 % of the settled ones (of their distance after one iteration), over that of an update. `context` has one
 * thread. */
void measure_first_settle(const bench_setup *bench, ruga_context *context);
/* Prints settle_vs_update_1m: the same with a million triangles. */
void measure_first_settle_million(const bench_setup *bench, ruga_context *context);

#endif
