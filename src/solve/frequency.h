/* The greatest frequency of small motions, for integrators that are stable only below a step. */
#ifndef SOLVE_FREQUENCY_H
#define SOLVE_FREQUENCY_H

#include "energy/energy.h"

typedef struct frequency_system {
    ruga_context *context;
    size_t point_count;
    const double *masses; /* (points) kg, positive */
    size_t energy_count;
    energy_term *const *energies;
    /* product += (df/dx) direction, of further forces; NULL: none. */
    ruga_status (*force_product)(void *user, const vec3 *direction, vec3 *product);
    void *user;
} frequency_system;

/* 1/s: ω of the stiffest motion at these positions, by power iteration on M⁻¹ K with definite K. Symplectic and
 * semi-implicit steps are stable below 2 / ω. */
ruga_status greatest_frequency(const frequency_system *system, const vec3 *positions, double *omega);

#endif
