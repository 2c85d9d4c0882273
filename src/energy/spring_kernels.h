/* The loops over the points of a spring network, one version per instruction set. */
#ifndef ENERGY_SPRING_KERNELS_H
#define ENERGY_SPRING_KERNELS_H

#include "base/isa.h"
#include "energy/spring_network.h"

ISA_DECLARE(double, spring_forces,
            (const spring_network *network, const spring_force_pass *pass, size_t begin, size_t end));
ISA_DECLARE(void, spring_sweep,
            (const spring_network *network, const spring_sweep_pass *pass, size_t begin, size_t end));

#endif
