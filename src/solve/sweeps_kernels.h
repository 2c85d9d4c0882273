/* The work of one node of solve/sweeps_layout.h in an iteration. All instruction sets give the same bits. */
#ifndef SOLVE_SWEEPS_KERNELS_H
#define SOLVE_SWEEPS_KERNELS_H

#include "base/isa.h"
#include "solve/sweeps_layout.h"

/* points: (slots x 4), aligned to 64 bytes. */
ISA_DECLARE(void, sweep_node_constraints, (const sweep_layout *layout, const sweep_node *node, float *points));
ISA_DECLARE(void, sweep_slot_limits,
            (const sweep_limits *limits, const uint32_t *slots, size_t slot_count, float *points));

#endif
