/* Provot's correction of over-long springs (1995): after each step, edge springs that are longer than (1 + limit) times
 * their rest length are shortened, one after another, for some rounds. */
#ifndef SOLVE_STRETCH_LIMIT_H
#define SOLVE_STRETCH_LIMIT_H

#include "energy/spring_network.h"

/* Moves positions by the ends' inverse masses (0: held), so that neither the centre of mass nor, since it pulls along
 * the spring, angular momentum about it change. Stops early when no spring is too long. Returns the greatest elongation
 * that is left, as a part of the rest length: at most `limit` when the rounds were enough. In a fixed order on one
 * thread. */
double limit_stretch(const spring_network *network, const double *inverse_masses, double limit, int rounds,
                     vec3 *positions);

#endif
