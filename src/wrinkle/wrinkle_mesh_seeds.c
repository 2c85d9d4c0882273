/* Seeds: the offsets from which wrinkles start when the base begins to be compressed.
 *
 * Under a compression far above the critical one, waves of many lengths grow, the shortest fastest, and waves that have
 * grown stay for long. So the start matters: not noise, but waves of the wanted length, mostly in the directions of the
 * greatest compression, and nearly as high as the compression requires, A = λ √ε / π. Plane waves in space suit any
 * surface: the section of a wave with a surface is as long as the wave, or longer. Waves that match the compression
 * stay, others decay.
 */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "wrinkle/wrinkle_mesh.h"

#define GREATEST_SEED 0.6f /* of the radius */
#define SEED_MARGIN 1e-3f  /* compression that starts no wrinkle, since rounding of the base's positions may cause it */
#define UNMOVED 1e-5f      /* of the radius per iteration: displacements that count as none */
#define UNMOVED_ITERATIONS 10
#define SHORTEST 4.0 /* average edges: shortest wave without a wavelength */
#define LONGEST 20.0 /* radii: longest one */
#define PI 3.14159265358979323846

/* Pseudo-random within [0, 1), from number and seed. */
static double chance(const ruga_wrinkle_mesh *w, unsigned number) {
    uint64_t bits = mix_bits(((uint64_t)(uint32_t)w->def.seed << 32 | number) + UINT64_C(0x9e3779b97f4a7c15));
    return (double)(bits >> 11) / 9007199254740992.0;
}

/* Uniform in the logarithm of the length, by t from 0 to 1; the wavelength, if there is one. */
static double wave_length(const ruga_wrinkle_mesh *w, double t) {
    if (!isnan(w->wavelength)) return w->wavelength;
    double shortest = SHORTEST * w->mean_edge, radius = 0;
    for (size_t v = 0; v < w->fine->vertex_count; v++)
        if (!w->unattached[v]) radius = fmax(radius, (double)w->radii[v]);
    return shortest * pow(fmax(2, LONGEST * radius / shortest), t);
}

/* Uniform over all directions. */
static wrinkle_wave make_wave(const ruga_wrinkle_mesh *w, unsigned k) {
    double z = 2 * chance(w, 4 * k) - 1, turn = 2 * PI * chance(w, 4 * k + 1), flat = sqrt(1 - z * z);
    return (wrinkle_wave){{(float)(flat * cos(turn)), (float)(flat * sin(turn)), (float)z},
                          (float)(1 / wave_length(w, chance(w, 4 * k + 2))),
                          (float)chance(w, 4 * k + 3)};
}

void wrinkle_seeds_create(ruga_wrinkle_mesh *w) {
    for (unsigned k = 0; k < WRINKLE_WAVES; k++) w->waves[k] = make_wave(w, k);
    for (size_t v = 0; v < w->fine->vertex_count; v++)
        memcpy(w->seed_points + 4 * (size_t)w->slots[v], w->bind_points + 4 * v, 4 * sizeof(float));
}

/* A vertex is seeded when its triangle is shorter in some direction than its longest edge, relative to rest,
 * requires. */
static void store_gates(ruga_wrinkle_mesh *w) {
    const float flat = 1 - SEED_MARGIN - wrinkle_material_strain(w);
    memset(w->gates, 0, w->slot_count * sizeof *w->gates);
    for (size_t e = 0; e < w->topo->edge_count; e++) {
        float stretch = (float)wrinkle_edge_stretch(w, e) * flat;
        for (size_t k = 0; k < 2; k++) {
            float *gate = &w->gates[w->slots[w->topo->edge_vertices[2 * e + k]]];
            if (stretch * stretch > *gate) *gate = stretch * stretch;
        }
    }
}

void wrinkle_seeds_store(ruga_wrinkle_mesh *w) {
    const float bound = (float)w->mean_edge, rise = (float)(wave_length(w, 0.5) / PI);
    const int iterations = w->def.iterations < UNMOVED_ITERATIONS ? w->def.iterations : UNMOVED_ITERATIONS;
    const float unmoved = UNMOVED * (float)iterations;
    store_gates(w);
    for (size_t v = 0; v < w->fine->vertex_count; v++) {
        wrinkle_seed *seed = &w->seeds[w->slots[v]];
        seed->rise = rise;
        seed->limit = GREATEST_SEED * (w->unattached[v] ? bound : w->radii[v]);
        /* A vertex with a radius of 0 gets its seed later: a radius with keys may grow from 0. */
        if (seed->limit == 0) w->gates[w->slots[v]] = 0;
        w->tolerances[w->slots[v]] = unmoved * (w->radii[v] < bound ? w->radii[v] : bound);
    }
}
