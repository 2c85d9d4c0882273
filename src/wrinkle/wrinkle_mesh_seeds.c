/* Seeds: the offsets from which wrinkles start when the base begins to be compressed.
 *
 * Under a compression far above the least one, waves of many lengths grow, the shortest fastest, and what has grown once
 * stays for long. So it matters what they start from: not from noise, but from waves of the wanted length, most in the
 * directions that are compressed most, nearly as high as the compression asks for, A = λ √ε / π. Plane waves in space do for
 * any surface; what a surface cuts out of one is as long as the wave or longer. Those that suit the compression stay,
 * others die out.
 */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "wrinkle/wrinkle_mesh.h"

#define GREATEST_SEED 0.6f /* of the radius */
#define SEED_MARGIN 1e-3f  /* compression that starts no wrinkle: what rounding of the base's positions may look like */
#define STILL 1e-5f        /* of the radius, an iteration: ways that count as none */
#define STILL_ITERATIONS 10
#define SHORTEST 4.0 /* average edges: waves without a wanted length */
#define LONGEST 20.0 /* radii */
#define PI 3.14159265358979323846

/* Within [0, 1), by number and seed. */
static double chance(const ruga_wrinkle_mesh *w, unsigned number) {
    uint64_t bits = mix_bits(((uint64_t)(uint32_t)w->def.seed << 32 | number) + UINT64_C(0x9e3779b97f4a7c15));
    return (double)(bits >> 11) / 9007199254740992.0;
}

/* Lengths evenly over their logarithm, by t from 0 to 1; one length, if that is wanted. */
static double wave_length(const ruga_wrinkle_mesh *w, double t) {
    if (!isnan(w->wavelength)) return w->wavelength;
    double shortest = SHORTEST * w->mean_edge, radius = 0;
    for (size_t v = 0; v < w->fine->vertex_count; v++)
        if (!w->unattached[v]) radius = fmax(radius, (double)w->radii[v]);
    return shortest * pow(fmax(2, LONGEST * radius / shortest), t);
}

/* Evenly over all directions. */
static wrinkle_wave make_wave(const ruga_wrinkle_mesh *w, unsigned k) {
    double z = 2 * chance(w, 4 * k) - 1, turn = 2 * PI * chance(w, 4 * k + 1), flat = sqrt(1 - z * z);
    return (wrinkle_wave){{(float)(flat * cos(turn)), (float)(flat * sin(turn)), (float)z},
                          (float)(1 / wave_length(w, chance(w, 4 * k + 2))),
                          (float)chance(w, 4 * k + 3)};
}

/* Waves that are set up in the bind pose, where it is. */
void wrinkle_seeds_create(ruga_wrinkle_mesh *w) {
    for (unsigned k = 0; k < WRINKLE_WAVES; k++) w->waves[k] = make_wave(w, k);
    for (size_t v = 0; v < w->fine->vertex_count; v++)
        memcpy(w->seed_points + 4 * (size_t)w->slots[v], w->bind_points + 4 * v, 4 * sizeof(float));
}

/* A vertex is seeded when its triangle is shorter in some direction than its slackest edge asks for. */
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
    const float still = STILL * (float)(w->def.iterations < STILL_ITERATIONS ? w->def.iterations : STILL_ITERATIONS);
    store_gates(w);
    for (size_t v = 0; v < w->fine->vertex_count; v++) {
        wrinkle_seed *seed = &w->seeds[w->slots[v]];
        seed->rise = rise;
        seed->limit = GREATEST_SEED * (w->unattached[v] ? bound : w->radii[v]);
        /* One that may not move yet waits for its seed: a radius with keys may grow from nothing. */
        if (seed->limit == 0) w->gates[w->slots[v]] = 0;
        w->stills[w->slots[v]] = still * (w->radii[v] < bound ? w->radii[v] : bound);
    }
}
