/* Making networks of springs, and their sums over all points. */
#include "energy/spring_network.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "base/threads.h"
#include "energy/spring_kernels.h"
#include "energy/strain_limit.h"

#define AXIAL_BLOCK 1024

/* ---- Checks. */

static int positive(double x) { return x > 0 && isfinite(x); }
static int not_negative(double x) { return x >= 0 && isfinite(x); }

static ruga_status check_spring(ruga_context *context, size_t point_count, size_t k, const spring *s) {
    if (s->a >= point_count || s->b >= point_count || s->a == s->b)
        return fail_with(context, RUGA_ERROR_INPUT,
                         "spring %zu joins the points %u and %u; it needs two different points of %zu", k, s->a, s->b,
                         point_count);
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
    TRY(NEW_ZEROED(context, &raw->offsets, point_count + 2));
    TRY(NEW(context, &raw->springs, 2 * count));
    size_t longest = 0;
    for (size_t k = 0; k < count; k++) {
        raw->offsets[springs[k].a + 2]++;
        raw->offsets[springs[k].b + 2]++;
    }
    for (size_t i = 2; i <= point_count + 1; i++) {
        longest = raw->offsets[i] > longest ? raw->offsets[i] : longest;
        raw->offsets[i] += raw->offsets[i - 1];
    }
    TRY(NEW(context, &raw->keys, longest));

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

/* Whether the spring at e of a sorted list joins the same points by the same kind as the one before. */
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

static size_t find_entry(const spring_network *n, uint32_t from, uint32_t to, spring_kind kind) {
    size_t e = kind == SPRING_EDGE ? n->offsets[from] : n->edge_ends[from];
    size_t end = kind == SPRING_EDGE ? n->edge_ends[from] : n->offsets[from + 1];
    while (e < end && n->others[e] != to) e++;
    return e < end ? e : SIZE_MAX;
}

static double stiffest_phase(const spring_network *n) { return fmax(1, fmax(n->phases.soft, n->phases.hard)); }

/* The bound of an entry. |w·x|² with weights of sum zero is the sum of -w_p w_q |x_p - x_q|² over pairs: pairs of one
 * sign only make it less, so the four pairs between edge and bending spring bound it by springs that the network
 * has. */
static double entry_bound(const spring_network *n, size_t i, size_t e) {
    if (e >= n->edge_ends[i]) return n->stiffness[e];
    double bound = n->stiffness[e] * stiffest_phase(n);
    for (size_t k = n->axial_count > 0 ? n->axial_offsets[i] : 0; n->axial_count > 0 && k < n->axial_offsets[i + 1];
         k++) {
        const axial_spring *s = &n->axial[n->axial_entries[k] / 4];
        uint32_t p = n->axial_entries[k] % 4;
        for (uint32_t q = p < 2 ? 2 : 0; q < (p < 2 ? 4 : 2); q++)
            if (s->points[q] == n->others[e]) bound += -s->weights[p] * s->weights[q] * s->stiffness;
    }
    return bound;
}

/* Every pair that bounds an axial spring needs an edge spring. */
static ruga_status check_axial_pairs(const spring_network *n) {
    for (size_t k = 0; k < n->axial_count; k++) {
        const axial_spring *s = &n->axial[k];
        for (int pair = 0; pair < 4; pair++) {
            int p = pair / 2, q = 2 + pair % 2;
            if (s->weights[p] * s->weights[q] == 0) continue;
            if (find_entry(n, s->points[p], s->points[q], SPRING_EDGE) == SIZE_MAX)
                return fail_with(n->context, RUGA_ERROR_INPUT,
                                 "axial spring %zu needs an edge spring between the points %u and %u; add one", k,
                                 s->points[p], s->points[q]);
        }
    }
    return RUGA_OK;
}

/* Bounds, and sums over a point's list. */
static void add_up_point(spring_network *n, size_t i) {
    double stiffness = 0, damping = 0;
    for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
        if (n->bounds != n->stiffness) n->bounds[e] = entry_bound(n, i, e);
        stiffness += n->bounds[e];
        if (n->damping) damping += n->damping[e];
    }
    n->stiffness_sums[i] = stiffness;
    if (n->damping_sums) n->damping_sums[i] = damping;
}

static ruga_status make_reach(spring_network *n) {
    size_t blocks = (n->point_count + SPRING_BLOCK - 1) / SPRING_BLOCK;
    TRY(NEW(n->context, &n->reach, 2 * blocks));
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
    TRY(NEW_COPY(n->context, &n->axial, axial, count));
    TRY(NEW(n->context, &n->axial_forces, count));
    TRY(NEW_ZEROED(n->context, &n->axial_offsets, n->point_count + 2));
    TRY(NEW(n->context, &n->axial_entries, 4 * count));
    TRY(NEW(n->context, &n->axial_points, 4 * count));
    for (size_t k = 0; k < count; k++) TRY(check_axial(n, &axial[k], k));
    n->axial_count = count;
    for (size_t p = 0; p < 4 * count; p++) n->axial_points[p] = axial[p / 4].points[p % 4];
    for (size_t p = 0; p < 4 * count; p++) n->axial_offsets[n->axial_points[p] + 2]++;
    for (size_t i = 2; i <= n->point_count + 1; i++) n->axial_offsets[i] += n->axial_offsets[i - 1];
    for (size_t p = 0; p < 4 * count; p++) n->axial_entries[n->axial_offsets[n->axial_points[p] + 1]++] = (uint32_t)p;
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

static ruga_status make_lists(spring_network *n, const spring *springs, size_t count, raw_lists *raw) {
    TRY(make_raw(n->context, n->point_count, springs, count, raw));
    count_entries(n, springs, raw);
    TRY(NEW(n->context, &n->others, n->entry_count));
    TRY(NEW(n->context, &n->stiffness, n->entry_count));
    TRY(NEW(n->context, &n->rest_lengths, n->entry_count));
    TRY(NEW(n->context, &n->damping, n->entry_count));
    fill_entries(n, springs, raw);
    return RUGA_OK;
}

static ruga_status make_network(spring_network *n, const spring *springs, size_t count, const axial_spring *axial,
                                size_t axial_count) {
    TRY(NEW(n->context, &n->offsets, n->point_count + 1));
    TRY(NEW(n->context, &n->edge_ends, n->point_count));
    TRY(NEW(n->context, &n->stiffness_sums, n->point_count));
    raw_lists raw = {0};
    ruga_status status = make_lists(n, springs, count, &raw);
    release_raw(n->context, &raw);
    TRY(status);
    TRY(make_reach(n));
    simplify_damping(n);
    n->base.is_damped = n->damping || n->damping_time > 0;
    if (n->damping) TRY(NEW(n->context, &n->damping_sums, n->point_count));
    TRY(make_axial(n, axial, axial_count));
    TRY(check_axial_pairs(n));
    n->bounds = n->stiffness;
    if (stiffest_phase(n) > 1 || n->axial_count > 0) TRY(NEW(n->context, &n->bounds, n->entry_count));
    for (size_t i = 0; i < n->point_count; i++) add_up_point(n, i);
    return RUGA_OK;
}

ruga_status spring_network_create(ruga_context *context, size_t point_count, const spring *springs, size_t spring_count,
                                  spring_phases phases, const axial_spring *axial, size_t axial_count,
                                  spring_network **out) {
    TRY(check_all(context, point_count, springs, spring_count, phases));
    spring_network *n;
    TRY(NEW_ZEROED(context, &n, 1));
    n->base = (energy_term){.interface = &spring_energy_interface, .context = context, .point_count = point_count};
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
    if (network->hessian) spring_hessian_release(network->hessian);
    memory_release(context, network->hessian);
    memory_release(context, network->offsets);
    memory_release(context, network->edge_ends);
    memory_release(context, network->others);
    if (network->bounds != network->stiffness) memory_release(context, network->bounds);
    memory_release(context, network->stiffness);
    memory_release(context, network->rest_lengths);
    memory_release(context, network->reach);
    memory_release(context, network->limits);
    memory_release(context, network->damping);
    memory_release(context, network->stiffness_sums);
    memory_release(context, network->damping_sums);
    memory_release(context, network->axial);
    memory_release(context, network->axial_forces);
    memory_release(context, network->axial_offsets);
    memory_release(context, network->axial_entries);
    memory_release(context, network->axial_points);
    memory_release(context, network);
}

ruga_status spring_network_set_factor(spring_network *n, double factor) {
    TRY(check_positive(n->context, "stiffness factor", factor));
    n->base.revision += n->factor != factor;
    n->factor = factor;
    return RUGA_OK;
}

static int can_be_set(double rest_length, double stiffness) {
    return not_negative(rest_length) && not_negative(stiffness);
}

ruga_status spring_network_set_spring(spring_network *n, uint32_t a, uint32_t b, spring_kind kind, double rest_length,
                                      double stiffness) {
    const char *name = kind == SPRING_EDGE ? "edge" : "bending";
    size_t there = a < n->point_count && b < n->point_count ? find_entry(n, a, b, kind) : SIZE_MAX;
    if (there == SIZE_MAX || a == b)
        return fail_with(n->context, RUGA_ERROR_ARGUMENT, "there is no %s spring between the points %u and %u to set",
                         name, a, b);
    if (!can_be_set(rest_length, stiffness))
        return fail_with(
            n->context, RUGA_ERROR_ARGUMENT,
            "the %s spring between the points %u and %u can't get a rest length of %g m and a stiffness of "
            "%g N/m; both must be finite and not negative",
            name, a, b, rest_length, stiffness);
    size_t entries[2] = {there, find_entry(n, b, a, kind)};
    for (int k = 0; k < 2; k++) {
        n->rest_lengths[entries[k]] = rest_length;
        n->stiffness[entries[k]] = stiffness;
    }
    add_up_point(n, a);
    add_up_point(n, b);
    n->base.revision++;
    return RUGA_OK;
}

ruga_status spring_network_set_axial(spring_network *n, size_t index, double rest_length, double stiffness) {
    if (index >= n->axial_count || !can_be_set(rest_length, stiffness))
        return fail_with(
            n->context, RUGA_ERROR_ARGUMENT,
            "axial spring %zu of %zu can't get a rest length of %g m and a stiffness of %g N/m; both must be "
            "finite and not negative",
            index, n->axial_count, rest_length, stiffness);
    n->axial[index].rest_length = rest_length;
    n->axial[index].stiffness = stiffness;
    for (int p = 0; p < 4; p++) add_up_point(n, n->axial[index].points[p]);
    n->base.revision++;
    return RUGA_OK;
}

ruga_status spring_network_make_limits(spring_network *n) {
    TRY(NEW(n->context, &n->limits, n->entry_count));
    for (size_t e = 0; e < n->entry_count; e++) n->limits[e] = NO_LIMIT;
    return RUGA_OK;
}

void spring_network_refresh(spring_network *n) {
    for (size_t i = 0; i < n->point_count; i++) add_up_point(n, i);
    n->base.revision++;
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
            double length = vec3_distance(task->positions[i], task->positions[n->others[e]]), rest = n->rest_lengths[e];
            energy += spring_energy(spring_network_phases(n, i, e), n->stiffness[e], rest, length);
            if (spring_network_is_limited(n) && rest > 0)
                energy += n->hard * n->stiffness[e] * rest * rest *
                          limit_beyond(length / rest - 1 - n->limits[e], LIMIT_RAMP).energy;
        }
    return energy;
}

double spring_network_energy(const spring_network *network, const vec3 *positions) {
    network_task task = {.network = network, .positions = positions};
    double axial = spring_axial_forces(network, positions);
    double springs = parallel_sum(network->context, network->point_count, SPRING_BLOCK, energy_block, &task);
    return network->factor * (axial + springs);
}
