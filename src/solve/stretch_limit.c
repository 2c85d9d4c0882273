/* Shortens over-long springs, one after another. */
#include "solve/stretch_limit.h"

/* One spring; returns its elongation before. */
static double shorten(const double *inverse_masses, double rest, double longest, vec3 *positions, size_t i, size_t j) {
    vec3 d = vec3_sub(positions[j], positions[i]);
    double length = vec3_length(d), sum = inverse_masses[i] + inverse_masses[j];
    if (length > longest && sum > 0) {
        vec3 along = vec3_scale(d, (length - longest) / (length * sum));
        positions[i] = vec3_add_scaled(positions[i], along, inverse_masses[i]);
        positions[j] = vec3_add_scaled(positions[j], along, -inverse_masses[j]);
    }
    return length / rest - 1;
}

double limit_stretch(const spring_network *n, const double *inverse_masses, double limit, int rounds, vec3 *positions) {
    double most = 0;
    /* A slack of 1e-6 ends the rounds. */
    double slack = 1e-6 * (1 + limit);
    for (int round = 0; round <= rounds; round++) {
        double stretch = round < rounds ? 1 + limit : INFINITY;
        most = 0;
        for (size_t i = 0; i < n->point_count; i++)
            for (size_t e = n->offsets[i]; e < n->edge_ends[i]; e++) {
                double rest = n->rest_lengths[e];
                if (n->others[e] < i || rest == 0) continue;
                double elongation = shorten(inverse_masses, rest, stretch * rest, positions, i, n->others[e]);
                most = elongation > most ? elongation : most;
            }
        if (most <= limit + slack) break;
    }
    return most;
}
