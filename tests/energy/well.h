/* A small energy for tests: every point has a well around a place of its own,
 *
 *     quadratic   U = Σ k/2 |d|²,               d = x - place
 *     double      U = Σ k/4 (|d|² - r²)² / r²:  H = k ((|d|² - r²) I + 2 d dᵀ) / r², indefinite within the radius r
 *
 * with damping c on each point. */
#ifndef TESTS_WELL_H
#define TESTS_WELL_H

#include <math.h>
#include <stdlib.h>

#include "energy/energy.h"

typedef struct well {
    energy_term base;
    const vec3 *places; /* (points) */
    double stiffness;   /* N/m */
    double radius;      /* m; 0: quadratic */
    double damping;     /* N s/m */
    mat3 *blocks;       /* (points) W */
} well;

static double well_value(const energy_term *term, const vec3 *positions) {
    const well *w = (const well *)term;
    double sum = 0, r2 = w->radius * w->radius;
    for (size_t i = 0; i < term->point_count; i++) {
        double d2 = vec3_length2(vec3_sub(positions[i], w->places[i]));
        sum += r2 > 0 ? w->stiffness * (d2 - r2) * (d2 - r2) / (4 * r2) : w->stiffness * d2 / 2;
    }
    return sum;
}

static double well_add_gradient(const energy_term *term, const vec3 *positions, double scale, vec3 *out) {
    const well *w = (const well *)term;
    double r2 = w->radius * w->radius;
    for (size_t i = 0; i < term->point_count; i++) {
        vec3 d = vec3_sub(positions[i], w->places[i]);
        out[i] = vec3_add_scaled(out[i], d, scale * w->stiffness * (r2 > 0 ? (vec3_length2(d) - r2) / r2 : 1));
    }
    return well_value(term, positions);
}

static ruga_status well_linearise(energy_term *term, const vec3 *positions, energy_weights weights, int definite) {
    well *w = (well *)term;
    double r2 = w->radius * w->radius, k = weights.stiffness * w->stiffness;
    if (!w->blocks) w->blocks = malloc(term->point_count * sizeof *w->blocks);
    for (size_t i = 0; i < term->point_count; i++) {
        vec3 d = vec3_sub(positions[i], w->places[i]);
        double isotropic = r2 > 0 ? (vec3_length2(d) - r2) / r2 : 1, along = r2 > 0 ? 2 / r2 : 0;
        /* Eigenvalues: `isotropic` twice across d, and isotropic + along |d|² along it. */
        double least = isotropic + along * vec3_length2(d);
        if (definite && least < 0) along = isotropic = 0;
        if (definite && isotropic < 0) {
            along += isotropic / vec3_length2(d);
            isotropic = 0;
        }
        w->blocks[i] = (mat3){{{0}}};
        mat3_add_identity(&w->blocks[i], k * isotropic + weights.damping * w->damping);
        mat3_add_outer(&w->blocks[i], k * along, d, d);
    }
    return RUGA_OK;
}

static void well_add_product(const energy_term *term, double scale, const vec3 *direction, vec3 *out) {
    const well *w = (const well *)term;
    for (size_t i = 0; i < term->point_count; i++)
        out[i] = vec3_add_scaled(out[i], mat3_apply(&w->blocks[i], direction[i]), scale);
}

static void well_add_blocks(const energy_term *term, double scale, mat3 *blocks) {
    const well *w = (const well *)term;
    for (size_t i = 0; i < term->point_count; i++)
        for (int k = 0; k < 9; k++) blocks[i].at[k / 3][k % 3] += scale * w->blocks[i].at[k / 3][k % 3];
}

static inline well well_make(ruga_context *context, size_t count, const vec3 *places, double stiffness, double radius,
                             double damping) {
    static const energy_interface interface = {.name = "wells",
                                               .value = well_value,
                                               .add_gradient = well_add_gradient,
                                               .linearise = well_linearise,
                                               .add_product = well_add_product,
                                               .add_blocks = well_add_blocks};
    return (well){.base = {.interface = &interface, .context = context, .point_count = count, .is_damped = damping > 0},
                  .places = places,
                  .stiffness = stiffness,
                  .radius = radius,
                  .damping = damping};
}

static inline void well_release(well *w) { free(w->blocks); }

#endif
