/* Power iteration on M⁻¹ K. */
#include "solve/frequency.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define ROUNDS 40

/* y = M⁻¹ K x; returns its length. */
static ruga_status multiply(const frequency_system *s, const vec3 *x, vec3 *y, double *length) {
    double sum = 0;
    memset(y, 0, s->point_count * sizeof *y);
    if (s->force_product) TRY(s->force_product(s->user, x, y));
    for (size_t i = 0; i < s->point_count; i++) y[i] = vec3_scale(y[i], -1);
    for (size_t k = 0; k < s->energy_count; k++) s->energies[k]->interface->add_product(s->energies[k], 1, x, y);
    for (size_t i = 0; i < s->point_count; i++) {
        y[i] = vec3_scale(y[i], 1 / s->masses[i]);
        sum += vec3_length2(y[i]);
    }
    *length = sqrt(sum);
    return RUGA_OK;
}

static ruga_status iterate(const frequency_system *s, const vec3 *positions, vec3 *x, vec3 *y, double *square) {
    for (size_t i = 0; i < s->point_count; i++)
        x[i] = (vec3){sin(1.0 + 12.9 * (double)i), sin(2.0 + 7.3 * (double)i), cos(5.1 * (double)i)};
    for (size_t k = 0; k < s->energy_count; k++)
        TRY(s->energies[k]->interface->linearise(s->energies[k], positions, (energy_weights){1, 0}, 1));
    for (int round = 0; round < ROUNDS; round++) {
        TRY(multiply(s, x, y, square)); /* |x| is 1 from the second round on */
        for (size_t i = 0; i < s->point_count; i++) x[i] = *square > 0 ? vec3_scale(y[i], 1 / *square) : x[i];
    }
    return RUGA_OK;
}

ruga_status greatest_frequency(const frequency_system *system, const vec3 *positions, double *omega) {
    vec3 *x = NULL, *y = NULL;
    double square = 0;
    ruga_status status = NEW_EACH(system->context, system->point_count, &x, &y);
    if (!RUGA_FAILED(status)) status = iterate(system, positions, x, y, &square);
    RELEASE_ALL(system->context, x, y);
    *omega = sqrt(square);
    return status;
}
