/* The second stiffness beyond a strain limit: its tension grows smoothly from 0.
 *
 * r(x) = 0 below 0, x²/2w up to the width w of the ramp, x - w/2 beyond: force and tangent are continuous. */
#ifndef ENERGY_STRAIN_LIMIT_H
#define ENERGY_STRAIN_LIMIT_H

#define LIMIT_RAMP 0.01 /* strain over which the second stiffness sets in */

typedef struct limit_law {
    double force, tangent, energy; /* r, r', and the integral of r */
} limit_law;

static inline limit_law limit_beyond(double x, double width) {
    if (!(x > 0)) return (limit_law){0, 0, 0};
    if (x < width) return (limit_law){x * x / (2 * width), x / width, x * x * x / (6 * width)};
    return (limit_law){x - width / 2, 1, (x * x - width * x) / 2 + width * width / 6};
}

#endif
