/* The loops over the points of a spring network, one version per instruction set. */
#ifndef ENERGY_SPRING_KERNELS_H
#define ENERGY_SPRING_KERNELS_H

#include "base/isa.h"
#include "energy/spring_hessian.h"

ISA_DECLARE(double, spring_forces,
            (const spring_network *network, const spring_force_pass *pass, size_t begin, size_t end));
ISA_DECLARE(void, spring_sweep,
            (const spring_network *network, const spring_sweep_pass *pass, size_t begin, size_t end));
/* Without axial springs. */
ISA_DECLARE(void, spring_products, (const spring_product_pass *pass, size_t begin, size_t end));

/* Points [begin, end) of a pass with all their springs, by the context's instruction set; axial forces have been
 * found. */
double spring_force_range(const spring_network *network, const spring_force_pass *pass, size_t begin, size_t end);
void spring_sweep_range(const spring_network *network, const spring_sweep_pass *pass, size_t begin, size_t end);
/* Finds the axial springs' forces and returns their energy over the network's factor. */
double spring_axial_forces(const spring_network *network, const vec3 *positions);

#endif
