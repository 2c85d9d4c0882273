/* Forces of springs and sweeps of the constant matrix, four springs of a point at a time. Compiled once per instruction
 * set; all paths give the same bits (see math/simd.h). */
#include "energy/spring_kernels.h"

#include "energy/strain_limit.h"
#include "math/vec3x4.h"

#define LEAST_SQUARED 1e-300 /* m², of a length: its inverse is finite */
#define LEAST_REST 1e-12     /* m: springs that are shorter at rest have no strain limit */

/* Four points' coordinates, less those of the point in the middle. */
static inline vec3x4 relative(const vec3 *points, const uint32_t *others, f64x4 middle) {
    f64x4 p = f64x4_sub(f64x4_load3(&points[others[0]].x), middle);
    f64x4 q = f64x4_sub(f64x4_load3(&points[others[1]].x), middle);
    f64x4 r = f64x4_sub(f64x4_load3(&points[others[2]].x), middle);
    f64x4 s = f64x4_sub(f64x4_load3(&points[others[3]].x), middle);
    vec3x4 result;
    f64x4_transpose3(p, q, r, s, &result.x, &result.y, &result.z);
    return result;
}

static inline double sum_of_lanes(f64x4 a) {
    double v[4];
    f64x4_store(v, a);
    return (v[0] + v[1]) + (v[2] + v[3]);
}

/* Where an entry is an edge spring. */
static inline m64x4 edge_lanes(size_t entry, size_t edge_end) {
    static const double lanes[4] = {0, 1, 2, 3};
    return f64x4_lt(f64x4_add(f64x4_set((double)entry), f64x4_load(lanes)), f64x4_set((double)edge_end));
}

/* Tension over stiffness of two-phase springs that are longer than at rest by `more`, and their energy over half the
 * stiffness. */
static inline f64x4 phased(spring_phases phases, f64x4 more, f64x4 rest, f64x4 *energy) {
    f64x4 zero = f64x4_set(0), soft = f64x4_set(phases.soft), hard = f64x4_set(phases.hard);
    f64x4 depth = f64x4_mul(f64x4_set(phases.limit), rest);
    f64x4 longer = f64x4_max(more, zero);
    f64x4 first = f64x4_min(f64x4_max(more, f64x4_sub(zero, depth)), zero);
    f64x4 second = f64x4_min(f64x4_add(more, depth), zero);
    f64x4 tension = f64x4_add(longer, f64x4_add(f64x4_mul(soft, first), f64x4_mul(hard, second)));
    f64x4 twice = f64x4_mul(f64x4_mul(f64x4_set(2), f64x4_mul(soft, depth)), second);
    f64x4 squares = f64x4_add(f64x4_mul(soft, f64x4_mul(first, first)), f64x4_mul(hard, f64x4_mul(second, second)));
    *energy = f64x4_add(f64x4_mul(longer, longer), f64x4_sub(squares, twice));
    return tension;
}

/* The strain limit's part of the tension over the stiffness, and of the energy over half the stiffness. */
static inline f64x4 beyond_limit(f64x4 hard, f64x4 limit, f64x4 more, f64x4 rest, f64x4 *energy) {
    f64x4 zero = f64x4_set(0), half = f64x4_set(0.5), width = f64x4_set(LIMIT_RAMP);
    f64x4 strain = f64x4_div(more, f64x4_max(rest, f64x4_set(LEAST_REST)));
    f64x4 over = f64x4_max(f64x4_sub(strain, limit), zero), ramp = f64x4_min(over, width);
    f64x4 straight = f64x4_sub(over, ramp), squared = f64x4_mul(ramp, ramp);
    f64x4 force = f64x4_add(f64x4_mul(squared, f64x4_set(0.5 / LIMIT_RAMP)), straight);
    f64x4 stored = f64x4_add(f64x4_mul(f64x4_mul(squared, ramp), f64x4_set(1 / (6 * LIMIT_RAMP))),
                             f64x4_mul(f64x4_mul(half, straight), f64x4_add(width, straight)));
    f64x4 scale = f64x4_mul(hard, rest);
    *energy = f64x4_mul(f64x4_mul(f64x4_set(2), f64x4_mul(scale, rest)), stored);
    return f64x4_mul(scale, force);
}

/* The force on a point and the elastic energy of its springs, of which it has half. */
static inline f64x4 point_force(const spring_network *n, const spring_force_pass *pass, size_t i, double *energy) {
    f64x4 zero = f64x4_set(0), one = f64x4_set(1), least = f64x4_set(LEAST_SQUARED);
    vec3x4 force = {zero, zero, zero};
    f64x4 stored = zero, viscosity = f64x4_set(pass->viscosity), damping_time = f64x4_set(n->damping_time);
    f64x4 x = f64x4_load3(&pass->positions[i].x), v = f64x4_load3(&pass->velocities[i].x);
    int two_phase = spring_phases_differ(n->phases), is_limited = spring_network_is_limited(n);
    for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e += SPRING_LANES) {
        vec3x4 d = relative(pass->positions, n->others + e, x);
        vec3x4 w = relative(pass->velocities, n->others + e, v);
        f64x4 stiffness = f64x4_load(n->stiffness + e), rest = f64x4_load(n->rest_lengths + e);
        /* Root and quotient at the same time, not one after the other; a spring without a length has the inverse 0. */
        f64x4 squared = vec3x4_dot(d, d), length = f64x4_sqrt(squared);
        f64x4 inverse_squared = f64x4_div(one, f64x4_max(squared, least));
        f64x4 inverse = f64x4_mul(length, inverse_squared);

        /* Tension over length; a spring without a rest length has exactly its stiffness. */
        f64x4 pull = f64x4_sub(one, f64x4_mul(rest, inverse));
        f64x4 more = f64x4_sub(length, rest), energies = f64x4_mul(more, more);
        if (two_phase) {
            m64x4 edge = edge_lanes(e, n->edge_ends[i]);
            f64x4 phased_energies, tension = phased(n->phases, more, rest, &phased_energies);
            pull = f64x4_select(edge, f64x4_mul(tension, inverse), pull);
            energies = f64x4_select(edge, phased_energies, energies);
        }
        if (is_limited) {
            f64x4 stored_beyond;
            f64x4 tension = beyond_limit(f64x4_set(n->hard), f64x4_load(n->limits + e), more, rest, &stored_beyond);
            pull = f64x4_add(pull, f64x4_mul(tension, inverse));
            energies = f64x4_add(energies, stored_beyond);
        }
        f64x4 along = f64x4_mul(stiffness, pull);
        stored = f64x4_add(stored, f64x4_mul(stiffness, energies));
        if (pass->damped) {
            f64x4 damping = n->damping ? f64x4_load(n->damping + e) : f64x4_mul(damping_time, stiffness);
            along = f64x4_add(along, f64x4_mul(f64x4_mul(damping, vec3x4_dot(d, w)), inverse_squared));
        }
        force = vec3x4_add_scaled(force, d, along);
        if (pass->viscosity != 0) force = vec3x4_add_scaled(force, w, f64x4_mul(viscosity, f64x4_load(n->bounds + e)));
    }
    *energy += sum_of_lanes(stored) / 4;
    return f64x4_mul(f64x4_sums3(force.x, force.y, force.z), f64x4_set(n->factor));
}

static inline double diagonal(const spring_network *n, const double *masses, spring_weights weights, size_t i) {
    double d = masses[i] + weights.stiffness * n->stiffness_sums[i];
    return n->damping_sums ? d + weights.damping * n->damping_sums[i] : d;
}

double ISA_NAME(spring_forces)(const spring_network *network, const spring_force_pass *pass, size_t begin, size_t end) {
    double energy = 0;
    f64x4 shift = f64x4_load3(&pass->shift.x);
    for (size_t i = begin; i < end; i++) {
        f64x4 f = point_force(network, pass, i, &energy);
        double inverse = pass->masses ? 1 / diagonal(network, pass->masses, pass->weights, i) : 1;
        f64x4 base = pass->base ? f64x4_add(f64x4_load3(&pass->base[i].x), shift) : shift;
        vec3 *out = pass->values ? &pass->values[i].v : &pass->out[i];
        if (pass->values) pass->values[i].inverse = inverse;
        if (pass->held && pass->held[i]) continue;
        f64x4_store3(&out->x, f64x4_add(base, f64x4_mul(f, f64x4_set(pass->gain * inverse))));
    }
    return energy;
}

/* Weights times the neighbours' values. */
static inline f64x4 neighbours(const spring_network *n, const spring_sweep_pass *pass, size_t i) {
    f64x4 a = f64x4_set(0), b = a, c = a, d = a;
    const spring_value *in = pass->in;
    for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e += SPRING_LANES) {
        const uint32_t *others = n->others + e;
        const double *bounds = n->bounds + e;
        a = f64x4_add(a, f64x4_mul(f64x4_set(bounds[0]), f64x4_load(&in[others[0]].v.x)));
        b = f64x4_add(b, f64x4_mul(f64x4_set(bounds[1]), f64x4_load(&in[others[1]].v.x)));
        c = f64x4_add(c, f64x4_mul(f64x4_set(bounds[2]), f64x4_load(&in[others[2]].v.x)));
        d = f64x4_add(d, f64x4_mul(f64x4_set(bounds[3]), f64x4_load(&in[others[3]].v.x)));
    }
    return f64x4_mul(f64x4_set(pass->weights.stiffness), f64x4_add(f64x4_add(a, b), f64x4_add(c, d)));
}

static inline f64x4 damped_neighbours(const spring_network *n, const spring_sweep_pass *pass, size_t i) {
    f64x4 sum = f64x4_set(0);
    for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++)
        sum = f64x4_add(sum, f64x4_mul(f64x4_set(n->damping[e]), f64x4_load(&pass->in[n->others[e]].v.x)));
    return f64x4_mul(f64x4_set(pass->weights.damping), sum);
}

void ISA_NAME(spring_sweep)(const spring_network *network, const spring_sweep_pass *pass, size_t begin, size_t end) {
    f64x4 shift = f64x4_load3(&pass->shift.x), over = f64x4_set(pass->over);
    for (size_t i = begin; i < end; i++) {
        f64x4 sum = neighbours(network, pass, i);
        if (network->damping) sum = f64x4_add(sum, damped_neighbours(network, pass, i));
        f64x4 inverse = f64x4_set(pass->first[i].inverse);
        f64x4 y = f64x4_add(f64x4_load(&pass->first[i].v.x), f64x4_mul(inverse, sum));
        if (pass->over != 1) {
            f64x4 previous = f64x4_load(&pass->previous[i].v.x);
            y = f64x4_add(previous, f64x4_mul(over, f64x4_sub(y, previous)));
        }
        if (pass->base) y = f64x4_add(y, f64x4_load3(&pass->base[i].x));
        y = f64x4_add(y, shift);
        if (pass->values)
            f64x4_store(&pass->values[i].v.x, y);
        else
            f64x4_store3(&pass->out[i].x, y);
    }
}

/* Σ (a I + g gᵀ) (p - in_j) over a point's springs. */
static inline f64x4 block_products(const spring_hessian *h, const vec3 *in, size_t i, f64x4 p) {
    const spring_network *n = h->network;
    f64x4 zero = f64x4_set(0);
    vec3x4 sum = {zero, zero, zero};
    for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e += SPRING_LANES) {
        const uint32_t *others = n->others + e;
        const double *block = h->blocks + SPRING_BLOCK_NUMBERS * e;
        vec3x4 d, g = {f64x4_load(block), f64x4_load(block + 4), f64x4_load(block + 8)};
        f64x4_transpose3(f64x4_sub(p, f64x4_load3(&in[others[0]].x)), f64x4_sub(p, f64x4_load3(&in[others[1]].x)),
                         f64x4_sub(p, f64x4_load3(&in[others[2]].x)), f64x4_sub(p, f64x4_load3(&in[others[3]].x)), &d.x,
                         &d.y, &d.z);
        sum = vec3x4_add_scaled(sum, d, f64x4_load(block + 12));
        sum = vec3x4_add_scaled(sum, g, vec3x4_dot(g, d));
    }
    return f64x4_sums3(sum.x, sum.y, sum.z);
}

void ISA_NAME(spring_products)(const spring_product_pass *pass, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        f64x4 p = f64x4_load3(&pass->in[i].x), sum = block_products(pass->hessian, pass->in, i, p), base;
        if (pass->masses) {
            base = f64x4_mul(p, f64x4_set(pass->masses[i]));
        } else {
            base = f64x4_load3(&pass->out[i].x);
            sum = f64x4_mul(f64x4_set(pass->scale), sum);
        }
        f64x4_store3(&pass->out[i].x, f64x4_add(base, sum));
    }
}
