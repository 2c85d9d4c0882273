/* Seeds: the offsets from which wrinkles start when the base begins to be compressed.
 *
 * Under a compression far above the critical one, waves of many lengths grow, the shortest fastest, and waves that have
 * grown stay for long. So the start matters: not noise, but waves of the wanted length, mostly in the directions of the
 * greatest compression, and nearly as high as the compression requires, A = λ √ε / π. Plane waves in space suit any
 * surface: the section of a wave with a surface is as long as the wave, or longer. Waves that match the compression
 * stay, others decay.
 *
 * Waves of one length everywhere look corrugated. With a variation, the wavelength is multiplied by 2 to the power of a
 * smooth random field within ±1/2, and seeds are waves of many lengths, of which those count that fit the place.
 */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "math/vec3.h"
#include "wrinkle/wrinkle_mesh.h"

#define GREATEST_SEED 0.6f /* of the radius */
#define SEED_MARGIN 1e-3f  /* compression that starts no wrinkle, since rounding of the base's positions may cause it */
#define UNMOVED 1e-5f      /* of the radius per iteration: displacements that count as none */
#define UNMOVED_ITERATIONS 10
#define SHORTEST 4.0       /* average edges: shortest wave without a wavelength */
#define LONGEST 20.0       /* radii: longest one */
#define FIELD_WAVES 12     /* in the field that varies the wavelength */
#define FIELD_SHORTEST 3.0 /* wavelengths: the shortest of them */
#define FIELD_LONGEST 8.0
#define FIELD_NUMBERS 100000 /* first of their random numbers */
#define PI 3.14159265358979323846

/* Pseudo-random within [0, 1), from number and seed. */
static double chance(const ruga_wrinkle_mesh *w, unsigned number) {
    uint64_t bits = mix_bits(((uint64_t)(uint32_t)w->def.seed << 32 | number) + UINT64_C(0x9e3779b97f4a7c15));
    return (double)(bits >> 11) / 9007199254740992.0;
}

/* Uniform in the logarithm of the length, by t from 0 to 1; the wavelength, if there is one. */
static double wave_length(const ruga_wrinkle_mesh *w, double t) {
    if (!isnan(w->wavelength)) return w->wavelength * exp2(w->def.variation * (t - 0.5));
    double shortest = SHORTEST * w->mean_edge, radius = 0;
    for (size_t v = 0; v < w->fine->vertex_count; v++)
        if (!w->unattached[v]) radius = fmax(radius, (double)w->radii[v]);
    return shortest * pow(fmax(2, LONGEST * radius / shortest), t);
}

/* Uniform over all directions; `number` is the first of two random numbers. */
static vec3 any_direction(const ruga_wrinkle_mesh *w, unsigned number) {
    double z = 2 * chance(w, number) - 1, turn = 2 * PI * chance(w, number + 1), flat = sqrt(1 - z * z);
    return (vec3){flat * cos(turn), flat * sin(turn), z};
}

static void make_wave(ruga_wrinkle_mesh *w, unsigned k) {
    const vec3 to = any_direction(w, 4 * k);
    w->waves.x[k] = (float)to.x;
    w->waves.y[k] = (float)to.y;
    w->waves.z[k] = (float)to.z;
    w->waves.number[k] = (float)(1 / wave_length(w, chance(w, 4 * k + 2)));
    w->waves.phase[k] = (float)chance(w, 4 * k + 3);
}

/* A sum of waves with variance 1, brought within [-1, 1]. */
static double field_at(const vec3 *waves, const double *phases, vec3 place) {
    double sum = 0;
    for (int k = 0; k < FIELD_WAVES; k++) sum += cos(vec3_dot(waves[k], place) + phases[k]);
    sum *= sqrt(2.0 / FIELD_WAVES);
    return sum / sqrt(1 + sum * sum);
}

ruga_status wrinkle_variation_create(ruga_wrinkle_mesh *w) {
    vec3 waves[FIELD_WAVES]; /* rad/m */
    double phases[FIELD_WAVES];
    if (!(w->def.variation > 0) || isnan(w->wavelength)) return RUGA_OK;
    TRY(NEW_ALIGNED_ZEROED(w->context, &w->wave_factors, w->fine->vertex_count));
    for (unsigned k = 0; k < FIELD_WAVES; k++) {
        const unsigned number = FIELD_NUMBERS + 4 * k;
        const double lengths = FIELD_SHORTEST * pow(FIELD_LONGEST / FIELD_SHORTEST, chance(w, number + 2));
        waves[k] = vec3_scale(any_direction(w, number), 2 * PI / (lengths * w->wavelength));
        phases[k] = 2 * PI * chance(w, number + 3);
    }
    for (size_t v = 0; v < w->fine->vertex_count; v++) {
        const float *p = w->bind_points + 4 * (size_t)w->lowest[v];
        const vec3 place = {(double)p[0], (double)p[1], (double)p[2]};
        w->wave_factors[v] = (float)exp2(0.5 * w->def.variation * field_at(waves, phases, place));
    }
    return RUGA_OK;
}

double wrinkle_wave_factor(const ruga_wrinkle_mesh *w, size_t vertex) {
    return w->wave_factors ? (double)w->wave_factors[vertex] : 1;
}

void wrinkle_seeds_create(ruga_wrinkle_mesh *w) {
    for (unsigned k = 0; k < WRINKLE_WAVES; k++) make_wave(w, k);
    for (size_t v = 0; v < w->fine->vertex_count; v++) {
        float *point = w->seed_points + 4 * (size_t)w->slots[v];
        memcpy(point, w->bind_points + 4 * v, 3 * sizeof *point);
        point[3] = w->wave_factors ? (float)(wrinkle_wave_factor(w, v) * w->wavelength) : 0;
    }
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
        seed->rise = rise * (float)wrinkle_wave_factor(w, v);
        seed->limit = GREATEST_SEED * (w->unattached[v] ? bound : w->radii[v]);
        /* A vertex with a radius of 0 gets its seed later: a radius with keys may grow from 0. */
        if (seed->limit == 0) w->gates[w->slots[v]] = 0;
        w->tolerances[w->slots[v]] = unmoved * (w->radii[v] < bound ? w->radii[v] : bound);
    }
}
