/* Making networks of springs, and their sums over all points. */
#include "energy/spring_network.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/threads.h"
#include "energy/spring_kernels.h"

#define AXIAL_BLOCK 1024

/* ---- Checks. */

static int positive(double x) { return x > 0 && isfinite(x); }
static int not_negative(double x) { return x >= 0 && isfinite(x); }

static ruga_status check_spring(ruga_context *context, size_t point_count, size_t k, const spring *s) {
    if (s->a >= point_count || s->b >= point_count || s->a == s->b)
        return fail_with(context, RUGA_ERROR_INPUT,
                         "spring %zu joins the points %u and %u; it needs two different ones of the %zu there are", k,
                         s->a, s->b, point_count);
    if (!positive(s->stiffness) || !not_negative(s->damping) || !not_negative(s->rest_length))
        return fail_with(
            context, RUGA_ERROR_INPUT,
            "spring %zu between the points %u and %u has a stiffness of %g N/m, a damping of %g N s/m and a "
            "rest length of %g m; they must be finite, the stiffness positive, the others not negative",
            k, s->a, s->b, s->stiffness, s->damping, s->rest_length);
    return RUGA_OK;
}

static ruga_status check_phases(ruga_context *context, spring_phases p) {
    if (positive(p.soft) && positive(p.hard) && p.limit >= 0 && p.limit < 1) return RUGA_OK;
    return fail_with(
        context, RUGA_ERROR_INPUT,
        "springs in compression have the parts %g and %g of their stiffness with a limit of %g; the parts must be "
        "positive and the limit at least 0 and below 1",
        p.soft, p.hard, p.limit);
}

static ruga_status check_all(ruga_context *context, size_t point_count, const spring *springs, size_t count,
                             spring_phases phases) {
    if (point_count > UINT32_MAX / 64 || count > UINT32_MAX / 16)
        return fail_with(context, RUGA_ERROR_INPUT, "%zu points with %zu springs are too many", point_count, count);
    TRY(check_phases(context, phases));
    for (size_t k = 0; k < count; k++) TRY(check_spring(context, point_count, k, &springs[k]));
    return RUGA_OK;
}

/* ---- Lists. */

/* Springs of each point in the order of the input, as indices; offsets are not padded yet. */
typedef struct raw_lists {
    uint32_t *offsets, *springs;
    uint64_t *keys; /* as many as the longest list has */
} raw_lists;

static void release_raw(ruga_context *context, raw_lists *raw) {
    memory_release(context, raw->offsets);
    memory_release(context, raw->springs);
    memory_release(context, raw->keys);
}

static ruga_status make_raw(ruga_context *context, size_t point_count, const spring *springs, size_t count,
                            raw_lists *raw) {
    raw->offsets = ALLOCATE_ZEROED(context, uint32_t, point_count + 2);
    raw->springs = ALLOCATE(context, uint32_t, 2 * count);
    if (!raw->offsets || !raw->springs) return fail_memory(context, 2 * count * sizeof *raw->springs);
    size_t longest = 0;
    for (size_t k = 0; k < count; k++) {
        raw->offsets[springs[k].a + 2]++;
        raw->offsets[springs[k].b + 2]++;
    }
    for (size_t i = 2; i <= point_count + 1; i++) {
        longest = raw->offsets[i] > longest ? raw->offsets[i] : longest;
        raw->offsets[i] += raw->offsets[i - 1];
    }
    raw->keys = ALLOCATE(context, uint64_t, longest);
    if (!raw->keys) return fail_memory(context, longest * sizeof *raw->keys);

    /* Filling turns begins into ends, which are the begins of the next. */
    uint32_t *ends = raw->offsets + 1;
    for (size_t k = 0; k < count; k++) {
        raw->springs[ends[springs[k].a]++] = (uint32_t)k;
        raw->springs[ends[springs[k].b]++] = (uint32_t)k;
    }
    return RUGA_OK;
}

static uint32_t other_end(const spring *s, size_t point) { return s->a == point ? s->b : s->a; }

/* Sorts a point's springs by kind, then by the other end, then as they came. */
static size_t sort_list(const spring *springs, raw_lists *raw, size_t point) {
    size_t begin = raw->offsets[point], count = raw->offsets[point + 1] - begin;
    for (size_t e = 0; e < count; e++) {
        const spring *s = &springs[raw->springs[begin + e]];
        raw->keys[e] = (uint64_t)(s->kind == SPRING_BEND) << 63 | (uint64_t)other_end(s, point) << 31 | e;
    }
    sort_keys(raw->keys, count);
    for (size_t e = 0; e < count; e++) raw->keys[e] = raw->springs[begin + (raw->keys[e] & 0x7fffffff)];
    return count;
}

/* Whether the spring at e of a sorted list joins the same points in the same way as the one before. */
static int repeats(const spring *springs, const uint64_t *sorted, size_t e, size_t point) {
    const spring *s = &springs[sorted[e]], *before = e > 0 ? &springs[sorted[e - 1]] : NULL;
    return before && before->kind == s->kind && other_end(before, point) == other_end(s, point);
}

static void count_entries(spring_network *n, const spring *springs, raw_lists *raw) {
    size_t total = 0, distinct = 0;
    for (size_t i = 0; i < n->point_count; i++) {
        size_t count = sort_list(springs, raw, i), kept = 0;
        for (size_t e = 0; e < count; e++) kept += !repeats(springs, raw->keys, e, i);
        n->offsets[i] = (uint32_t)total;
        total += (kept + SPRING_LANES - 1) / SPRING_LANES * SPRING_LANES;
        distinct += kept;
    }
    n->offsets[n->point_count] = (uint32_t)total;
    n->entry_count = total;
    n->spring_count = distinct / 2;
}

static void fill_entries(spring_network *n, const spring *springs, raw_lists *raw) {
    for (size_t i = 0; i < n->point_count; i++) {
        size_t count = sort_list(springs, raw, i), at = n->offsets[i];
        n->edge_ends[i] = n->offsets[i];
        for (size_t e = 0; e < count; e++) {
            const spring *s = &springs[raw->keys[e]];
            if (repeats(springs, raw->keys, e, i)) {
                n->stiffness[at - 1] += s->stiffness;
                n->damping[at - 1] += s->damping;
                continue;
            }
            n->others[at] = other_end(s, i);
            n->stiffness[at] = s->stiffness;
            n->damping[at] = s->damping;
            n->rest_lengths[at++] = s->rest_length;
            if (s->kind == SPRING_EDGE) n->edge_ends[i] = (uint32_t)at;
        }
        for (; at < n->offsets[i + 1]; at++) {
            n->others[at] = (uint32_t)i;
            n->stiffness[at] = n->damping[at] = n->rest_lengths[at] = 0;
        }
    }
}

/* Damping that is everywhere the same part of the stiffness needs no array. */
static void simplify_damping(spring_network *n) {
    double time = -1;
    for (size_t e = 0; e < n->entry_count; e++) {
        if (n->stiffness[e] == 0) continue;
        if (time < 0) time = n->damping[e] / n->stiffness[e];
        if (!(fabs(n->damping[e] - time * n->stiffness[e]) <= 1e-12 * n->damping[e])) return;
    }
    memory_release(n->context, n->damping);
    n->damping = NULL;
    n->damping_time = fmax(time, 0);
}

/* ---- The constant matrix. */

static size_t find_edge_entry(const spring_network *n, uint32_t from, uint32_t to) {
    size_t e = n->offsets[from];
    while (e < n->edge_ends[from] && n->others[e] != to) e++;
    return e;
}

/* |w·x|² with weights of sum zero is the sum of -w_p w_q |x_p - x_q|² over pairs: pairs of one sign only make it less,
 * so the four pairs between edge and bending spring bound it by springs that the network has. */
static ruga_status bound_axial(spring_network *n, size_t k) {
    const axial_spring *s = &n->axial[k];
    for (int p = 0; p < 2; p++) {
        for (int q = 2; q < 4; q++) {
            double bound = -s->weights[p] * s->weights[q] * s->stiffness;
            if (bound == 0) continue;
            size_t there = find_edge_entry(n, s->points[p], s->points[q]);
            size_t back = find_edge_entry(n, s->points[q], s->points[p]);
            if (there == n->edge_ends[s->points[p]] || back == n->edge_ends[s->points[q]])
                return fail_with(n->context, RUGA_ERROR_INPUT,
                                 "axial spring %zu needs an edge spring between the points %u and %u; there is none", k,
                                 s->points[p], s->points[q]);
            n->bounds[there] += bound;
            n->bounds[back] += bound;
        }
    }
    return RUGA_OK;
}

static ruga_status make_bounds(spring_network *n) {
    double most = fmax(1, fmax(n->phases.soft, n->phases.hard));
    n->bounds = n->stiffness;
    if (most > 1 || n->axial_count > 0) {
        n->bounds = memory_copy(n->context, n->stiffness, n->entry_count, sizeof *n->stiffness);
        if (!n->bounds) return fail_memory(n->context, n->entry_count * sizeof *n->stiffness);
    }
    if (most > 1)
        for (size_t i = 0; i < n->point_count; i++)
            for (size_t e = n->offsets[i]; e < n->edge_ends[i]; e++) n->bounds[e] *= most;
    for (size_t k = 0; k < n->axial_count; k++) TRY(bound_axial(n, k));
    return RUGA_OK;
}

static void add_up(spring_network *n) {
    for (size_t i = 0; i < n->point_count; i++) {
        double stiffness = 0, damping = 0;
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
            stiffness += n->bounds[e];
            if (n->damping) damping += n->damping[e];
        }
        n->stiffness_sums[i] = stiffness;
        if (n->damping_sums) n->damping_sums[i] = damping;
    }
}

static ruga_status make_reach(spring_network *n) {
    size_t blocks = (n->point_count + SPRING_BLOCK - 1) / SPRING_BLOCK;
    n->reach = ALLOCATE(n->context, uint32_t, 2 * blocks);
    if (!n->reach) return fail_memory(n->context, 2 * blocks * sizeof *n->reach);
    for (size_t b = 0; b < blocks; b++) {
        size_t begin = b * SPRING_BLOCK,
               end = begin + SPRING_BLOCK < n->point_count ? begin + SPRING_BLOCK : n->point_count;
        uint32_t least = (uint32_t)begin, greatest = (uint32_t)(end - 1);
        for (size_t e = n->offsets[begin]; e < n->offsets[end]; e++) {
            least = n->others[e] < least ? n->others[e] : least;
            greatest = n->others[e] > greatest ? n->others[e] : greatest;
        }
        n->reach[2 * b] = least;
        n->reach[2 * b + 1] = greatest;
    }
    return RUGA_OK;
}

/* ---- Axial springs. */

static ruga_status check_axial(const spring_network *n, const axial_spring *s, size_t k) {
    for (int p = 0; p < 4; p++)
        if (s->points[p] >= n->point_count)
            return fail_with(n->context, RUGA_ERROR_INPUT, "axial spring %zu names point %u of %zu", k, s->points[p],
                             n->point_count);
    if (!positive(s->stiffness) || !not_negative(s->rest_length))
        return fail_with(
            n->context, RUGA_ERROR_INPUT,
            "axial spring %zu has a stiffness of %g N/m and a rest length of %g m; they must be finite, the "
            "stiffness positive, the length not negative",
            k, s->stiffness, s->rest_length);
    return RUGA_OK;
}

static ruga_status make_axial(spring_network *n, const axial_spring *axial, size_t count) {
    if (count == 0) return RUGA_OK;
    n->axial = memory_copy(n->context, axial, count, sizeof *axial);
    n->axial_forces = ALLOCATE(n->context, vec3, count);
    n->axial_offsets = ALLOCATE_ZEROED(n->context, uint32_t, n->point_count + 2);
    n->axial_entries = ALLOCATE(n->context, uint32_t, 4 * count);
    if (!n->axial || !n->axial_forces || !n->axial_offsets || !n->axial_entries)
        return fail_memory(n->context, count * sizeof *axial);
    for (size_t k = 0; k < count; k++) TRY(check_axial(n, &axial[k], k));
    n->axial_count = count;
    for (size_t p = 0; p < 4 * count; p++) n->axial_offsets[axial[p / 4].points[p % 4] + 2]++;
    for (size_t i = 2; i <= n->point_count + 1; i++) n->axial_offsets[i] += n->axial_offsets[i - 1];
    for (size_t p = 0; p < 4 * count; p++)
        n->axial_entries[n->axial_offsets[axial[p / 4].points[p % 4] + 1]++] = (uint32_t)p;
    return RUGA_OK;
}

static vec3 axial_span(const axial_spring *s, const vec3 *positions) {
    vec3 span = {0, 0, 0};
    for (int p = 0; p < 4; p++) span = vec3_add_scaled(span, positions[s->points[p]], s->weights[p]);
    return span;
}

typedef struct network_task {
    const spring_network *network;
    const vec3 *positions;
    const spring_force_pass *forces;
    const spring_sweep_pass *sweep;
} network_task;

/* Forces on the edge's side, and their energy. */
static double axial_block(void *argument, size_t begin, size_t end) {
    const network_task *task = argument;
    double energy = 0;
    for (size_t k = begin; k < end; k++) {
        const axial_spring *s = &task->network->axial[k];
        vec3 span = axial_span(s, task->positions);
        double length = vec3_length(span), more = length - s->rest_length;
        double pull = s->rest_length > 0 ? (length > 0 ? more / length : 0) : 1;
        task->network->axial_forces[k] = vec3_scale(span, -s->stiffness * pull);
        energy += s->stiffness * more * more / 2;
    }
    return energy;
}

static vec3 axial_force(const spring_network *n, size_t point) {
    vec3 force = {0, 0, 0};
    for (size_t e = n->axial_offsets[point]; e < n->axial_offsets[point + 1]; e++) {
        uint32_t entry = n->axial_entries[e];
        force = vec3_add_scaled(force, n->axial_forces[entry / 4], n->axial[entry / 4].weights[entry % 4]);
    }
    return force;
}

/* ---- Create and destroy. */

static ruga_status allocate_lists(spring_network *n) {
    ruga_context *context = n->context;
    n->others = ALLOCATE(context, uint32_t, n->entry_count);
    n->stiffness = ALLOCATE(context, double, n->entry_count);
    n->rest_lengths = ALLOCATE(context, double, n->entry_count);
    n->damping = ALLOCATE(context, double, n->entry_count);
    return n->others && n->stiffness && n->rest_lengths && n->damping
               ? RUGA_OK
               : fail_memory(context, n->entry_count * sizeof(double));
}

static ruga_status make_lists(spring_network *n, const spring *springs, size_t count) {
    raw_lists raw = {0};
    ruga_status status = make_raw(n->context, n->point_count, springs, count, &raw);
    if (!RUGA_FAILED(status)) {
        count_entries(n, springs, &raw);
        status = allocate_lists(n);
    }
    if (!RUGA_FAILED(status)) fill_entries(n, springs, &raw);
    release_raw(n->context, &raw);
    return status;
}

static ruga_status make_network(spring_network *n, const spring *springs, size_t count, const axial_spring *axial,
                                size_t axial_count) {
    n->offsets = ALLOCATE(n->context, uint32_t, n->point_count + 1);
    n->edge_ends = ALLOCATE(n->context, uint32_t, n->point_count);
    n->stiffness_sums = ALLOCATE(n->context, double, n->point_count);
    if (!n->offsets || !n->edge_ends || !n->stiffness_sums)
        return fail_memory(n->context, n->point_count * sizeof(double));
    TRY(make_lists(n, springs, count));
    TRY(make_reach(n));
    simplify_damping(n);
    if (n->damping && !(n->damping_sums = ALLOCATE(n->context, double, n->point_count)))
        return fail_memory(n->context, n->point_count * sizeof(double));
    TRY(make_axial(n, axial, axial_count));
    TRY(make_bounds(n));
    add_up(n);
    return RUGA_OK;
}

ruga_status spring_network_create(ruga_context *context, size_t point_count, const spring *springs, size_t spring_count,
                                  spring_phases phases, const axial_spring *axial, size_t axial_count,
                                  spring_network **out) {
    TRY(check_all(context, point_count, springs, spring_count, phases));
    spring_network *n = ALLOCATE_ZEROED(context, spring_network, 1);
    if (!n) return fail_memory(context, sizeof *n);
    n->context = context;
    n->point_count = point_count;
    n->phases = phases;
    n->factor = 1;
    ruga_status status = make_network(n, springs, spring_count, axial, axial_count);
    if (RUGA_FAILED(status))
        spring_network_destroy(n);
    else
        *out = n;
    return status;
}

void spring_network_destroy(spring_network *network) {
    if (!network) return;
    ruga_context *context = network->context;
    memory_release(context, network->offsets);
    memory_release(context, network->edge_ends);
    memory_release(context, network->others);
    if (network->bounds != network->stiffness) memory_release(context, network->bounds);
    memory_release(context, network->stiffness);
    memory_release(context, network->rest_lengths);
    memory_release(context, network->reach);
    memory_release(context, network->damping);
    memory_release(context, network->stiffness_sums);
    memory_release(context, network->damping_sums);
    memory_release(context, network->axial);
    memory_release(context, network->axial_forces);
    memory_release(context, network->axial_offsets);
    memory_release(context, network->axial_entries);
    memory_release(context, network);
}

ruga_status spring_network_set_factor(spring_network *n, double factor) {
    if (!positive(factor))
        return fail_with(n->context, RUGA_ERROR_ARGUMENT, "the stiffness can't become %g times what it was", factor);
    n->revision += n->factor != factor;
    n->factor = factor;
    return RUGA_OK;
}

/* ---- One spring. */

double spring_tension(spring_phases p, double stiffness, double rest_length, double length) {
    double more = length - rest_length, depth = p.limit * rest_length;
    if (more >= 0 || !spring_phases_differ(p)) return stiffness * more;
    return stiffness * (p.soft * fmax(more, -depth) + p.hard * fmin(more + depth, 0));
}

double spring_tangent(spring_phases p, double stiffness, double rest_length, double length) {
    double more = length - rest_length, depth = p.limit * rest_length;
    double soft = more <= 0 && more >= -depth ? p.soft : 0, hard = more <= -depth ? p.hard : 0;
    return stiffness * fmax(more >= 0 ? 1 : 0, fmax(soft, hard));
}

double spring_energy(spring_phases p, double stiffness, double rest_length, double length) {
    double more = length - rest_length, depth = p.limit * rest_length;
    if (more >= 0 || !spring_phases_differ(p)) return stiffness * more * more / 2;
    double first = fmax(more, -depth), second = fmin(more + depth, 0);
    return stiffness * (p.soft * first * first / 2 + p.hard * second * second / 2 - p.soft * depth * second);
}

/* ---- Sums over all points. */

spring_weights spring_network_weights(const spring_network *network, double dt) {
    return (spring_weights){network->factor * (dt * dt + dt * network->damping_time), network->factor * dt};
}

static void add_axial(const spring_network *n, const spring_force_pass *pass, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        if (pass->held && pass->held[i]) continue;
        double gain = pass->gain * n->factor;
        if (pass->masses)
            gain /= pass->masses[i] + pass->weights.stiffness * n->stiffness_sums[i] +
                    (n->damping_sums ? pass->weights.damping * n->damping_sums[i] : 0);
        vec3 *out = pass->values ? &pass->values[i].v : &pass->out[i];
        *out = vec3_add_scaled(*out, axial_force(n, i), gain);
    }
}

double spring_force_range(const spring_network *n, const spring_force_pass *pass, size_t begin, size_t end) {
    double energy = ISA_SELECT(n->context->isa, spring_forces)(n, pass, begin, end);
    if (n->axial_count > 0) add_axial(n, pass, begin, end);
    return energy;
}

static double force_block(void *argument, size_t begin, size_t end) {
    const network_task *task = argument;
    return spring_force_range(task->network, task->forces, begin, end);
}

double spring_axial_forces(const spring_network *n, const vec3 *positions) {
    network_task task = {.network = n, .positions = positions};
    return parallel_sum(n->context, n->axial_count, AXIAL_BLOCK, axial_block, &task);
}

double spring_network_forces(const spring_network *network, const spring_force_pass *pass) {
    network_task task = {.network = network, .forces = pass};
    double axial = spring_axial_forces(network, pass->positions);
    double springs = parallel_sum(network->context, network->point_count, SPRING_BLOCK, force_block, &task);
    return network->factor * (axial + springs);
}

void spring_sweep_range(const spring_network *n, const spring_sweep_pass *pass, size_t begin, size_t end) {
    ISA_SELECT(n->context->isa, spring_sweep)(n, pass, begin, end);
}

static void sweep_block(void *argument, size_t begin, size_t end) {
    const network_task *task = argument;
    spring_sweep_range(task->network, task->sweep, begin, end);
}

void spring_network_sweep(const spring_network *network, const spring_sweep_pass *pass) {
    network_task task = {.network = network, .sweep = pass};
    parallel_for(network->context, network->point_count, SPRING_BLOCK, sweep_block, &task);
}

static double energy_block(void *argument, size_t begin, size_t end) {
    const network_task *task = argument;
    const spring_network *n = task->network;
    double energy = 0;
    for (size_t i = begin; i < end; i++)
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
            if (n->others[e] <= i) continue;
            double length = vec3_distance(task->positions[i], task->positions[n->others[e]]);
            energy += spring_energy(spring_network_phases(n, i, e), n->stiffness[e], n->rest_lengths[e], length);
        }
    return energy;
}

double spring_network_energy(const spring_network *network, const vec3 *positions) {
    network_task task = {.network = network, .positions = positions};
    double axial = spring_axial_forces(network, positions);
    double springs = parallel_sum(network->context, network->point_count, SPRING_BLOCK, energy_block, &task);
    return network->factor * (axial + springs);
}
