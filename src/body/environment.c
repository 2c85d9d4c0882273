/* Wind with gusts: value noise on a lattice in space and time.
 *
 *     wind(p, t) = u + gust |u| n((p - u t) / gust_size, t / gust_time)
 *
 * At each point of the lattice n is a vector of three numbers in [-1, 1) from a hash of its place and the seed; between
 * them it is mixed by Perlin's quintic fade (2002), which makes it C². A mixture never leaves [-1, 1]. Only sums,
 * products, divisions, floor and a square root are used, so that every machine gives the same bits.
 */
#include "body/environment.h"

#include "math/vec3.h"

#define LATTICE_LIMIT 1e15 /* beyond, neighbouring numbers are about a cell apart: the noise is static */

typedef struct lattice_place {
    int64_t cell;
    double fade; /* from this cell's point to the next, within [0, 1] */
} lattice_place;

static lattice_place place_on_lattice(double x) {
    if (!(fabs(x) < LATTICE_LIMIT)) return (lattice_place){0, 0};
    double whole = floor(x), t = x - whole;
    return (lattice_place){(int64_t)whole, t * t * t * (t * (t * 6 - 15) + 10)};
}

/* The finaliser of MurmurHash3 over the coordinates, one after the other. */
static uint64_t hash_step(uint64_t hash, int64_t coordinate) {
    hash ^= (uint64_t)coordinate + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
    return hash ^ hash >> 33;
}

/* Three numbers in [-1, 1), 21 bits each; symmetric about 0. */
static vec3 lattice_value(uint64_t hash) {
    double part[3];
    for (int k = 0; k < 3; k++) part[k] = ((double)(hash >> 21 * k & 0x1fffff) + 0.5) * 0x1p-20 - 1;
    return (vec3){part[0], part[1], part[2]};
}

/* The noise over the dimensions from `axis` on, with those before it hashed already. */
static vec3 mix_lattice(uint64_t hash, const lattice_place place[4], int axis) {
    if (axis == 4) return lattice_value(hash);
    vec3 low = mix_lattice(hash_step(hash, place[axis].cell), place, axis + 1);
    vec3 high = mix_lattice(hash_step(hash, place[axis].cell + 1), place, axis + 1);
    return vec3_mix(low, high, place[axis].fade);
}

static double in_cells(double x, double size) { return size > 0 ? x / size : 0; }

ruga_vec3 environment_wind(const environment *e, ruga_vec3 point, double time) {
    const wind *w = &e->wind;
    if (w->function) return w->function(w->user, point, time);
    double amplitude = w->gust * vec3_length(w->velocity);
    if (!(amplitude > 0)) return w->velocity;
    vec3 carried = vec3_add_scaled(point, w->velocity, -time);
    const lattice_place place[4] = {
        place_on_lattice(in_cells(carried.x, w->gust_size)), place_on_lattice(in_cells(carried.y, w->gust_size)),
        place_on_lattice(in_cells(carried.z, w->gust_size)), place_on_lattice(in_cells(time, w->gust_time))};
    return vec3_add_scaled(w->velocity, mix_lattice(hash_step(0, (int64_t)w->seed), place, 0), amplitude);
}
