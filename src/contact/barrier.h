/* The barrier of contact in statics (Li et al. 2020, "Incremental Potential Contact"):
 *
 *     b(d) = -κ (d - d̂)² ln(d / d̂)   for 0 < d < d̂,   else 0
 *
 * of a distance d below a reach d̂. It has two continuous derivatives at d̂ and no bound at 0. */
#ifndef CONTACT_BARRIER_H
#define CONTACT_BARRIER_H

#include <math.h>

/* b, J, for κ in N/m; force: N, -b'; curvature: N/m, b''. No distance, or a negative one, has no bound. */
static inline double barrier_energy(double stiffness, double distance, double reach, double *force, double *curvature) {
    const double overlap = reach - distance;
    *force = *curvature = 0;
    if (!(overlap > 0)) return 0;
    if (!(distance > 0)) return INFINITY;
    const double log_part = log(distance / reach);
    *force = stiffness * (overlap * overlap / distance - 2 * overlap * log_part);
    *curvature = stiffness * (overlap * overlap / (distance * distance) + 4 * overlap / distance - 2 * log_part);
    return -stiffness * overlap * overlap * log_part;
}

#endif
