/* Backward Euler by conjugate gradients: of all inner forces (implicit) or of damping alone (semi_implicit).
 *
 * Linearised at the begin of the step, v' solves
 *
 *     (M + h C + h² K) v' = M v + h F + M h g
 *
 * with elastic and outer forces F, damping C = Σ c d dᵀ, and K the springs' Hessian, of which each spring has
 * (t/l)₊ (I - d dᵀ) + k_t d dᵀ: a spring in compression would push its ends aside, which makes it indefinite, and this part
 * is left out (Choi and Ko 2002). semi_implicit leaves out K altogether. Blocks are held as a I + g gᵀ, one for each spring of
 * each point's list, so that a product is a sum over points. Axial springs have the same form with weights for their points. */
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "solve/gradient_kernels.h"
#include "solve/integrators.h"

#define POINT_BLOCK 512
#define AXIAL_BLOCK 1024

ruga_status gradients_make(integrator *self) {
    const spring_network *n = self->network;
    ruga_context *context = self->context;
    size_t axial = self->def.kind == INTEGRATOR_IMPLICIT ? n->axial_count : 0;
    self->blocks = memory_allocate_aligned(context, n->entry_count, BLOCK_NUMBERS * sizeof(double));
    self->inverse_blocks = memory_allocate_aligned(context, n->point_count, INVERSE_NUMBERS * sizeof(double));
    self->held = ALLOCATE_ZEROED(context, unsigned char, n->point_count);
    self->drags = ALLOCATE_ZEROED(context, double, n->point_count);
    self->axial_rank_one = ALLOCATE(context, vec3, axial);
    self->axial_isotropic = ALLOCATE(context, double, axial);
    self->axial_products = ALLOCATE(context, vec3, axial);
    if (!self->blocks || !self->inverse_blocks || !self->held || !self->drags || !self->axial_rank_one ||
        !self->axial_isotropic || !self->axial_products)
        return fail_memory(context, n->entry_count * sizeof(vec3));
    return cg_scratch_make(context, n->point_count, &self->scratch);
}

static int with_axial(const integrator *self) {
    return self->def.kind == INTEGRATOR_IMPLICIT && self->network->axial_count > 0;
}

/* ---- Blocks. */

/* h² K + h C of one spring. */
static double entry_block(const integrator *self, size_t i, size_t e, vec3 *rank_one) {
    const spring_network *n = self->network;
    double h = self->step->dt, isotropic = 0, along = 0;
    vec3 d = vec3_sub(self->step->positions[n->others[e]], self->step->positions[i]);
    double length = vec3_length(d), k = n->factor * n->stiffness[e], rest = n->rest_lengths[e];
    if (self->def.kind == INTEGRATOR_IMPLICIT) {
        spring_phases phases = spring_network_phases(n, i, e);
        double across = length > 0 ? fmax(spring_tension(phases, k, rest, length) / length, 0) : 0;
        if (rest == 0) across = k;
        isotropic = h * h * across;
        along = h * h * fmax(spring_tangent(phases, k, rest, length) - across, 0);
    }
    along += h * (n->damping ? n->factor * n->damping[e] : n->damping_time * k);
    *rank_one = length > 0 ? vec3_scale(d, sqrt(along) / length) : (vec3){0, 0, 0};
    return isotropic;
}

static double axial_block(const integrator *self, size_t k, vec3 *rank_one) {
    const axial_spring *s = &self->network->axial[k];
    double weight = self->step->dt * self->step->dt * self->network->factor * s->stiffness;
    vec3 span = {0, 0, 0};
    for (int p = 0; p < 4; p++) span = vec3_add_scaled(span, self->step->positions[s->points[p]], s->weights[p]);
    double length = vec3_length(span);
    double across = s->rest_length == 0 ? 1 : length > 0 ? fmax(1 - s->rest_length / length, 0) : 0;
    *rank_one = length > 0 ? vec3_scale(span, sqrt(weight * (1 - across)) / length) : (vec3){0, 0, 0};
    return weight * across;
}

static void add_block(double block[6], double isotropic, vec3 g, double factor) {
    block[0] += factor * (isotropic + g.x * g.x);
    block[1] += factor * (isotropic + g.y * g.y);
    block[2] += factor * (isotropic + g.z * g.z);
    block[3] += factor * g.x * g.y;
    block[4] += factor * g.x * g.z;
    block[5] += factor * g.y * g.z;
}

/* Among the other three of its four. */
static void store_block(double *blocks, size_t e, double isotropic, vec3 g) {
    double *block = blocks + BLOCK_NUMBERS * (e - e % SPRING_LANES) + e % SPRING_LANES;
    block[0] = g.x;
    block[SPRING_LANES] = g.y;
    block[2 * SPRING_LANES] = g.z;
    block[3 * SPRING_LANES] = isotropic;
}

static void invert_block(const double b[6], double out[INVERSE_NUMBERS]) {
    double xx = b[1] * b[2] - b[5] * b[5], xy = b[4] * b[5] - b[3] * b[2], xz = b[3] * b[5] - b[4] * b[1];
    double inverse = 1 / (b[0] * xx + b[3] * xy + b[4] * xz);
    out[0] = xx * inverse;
    out[5] = (b[0] * b[2] - b[4] * b[4]) * inverse;
    out[10] = (b[0] * b[1] - b[3] * b[3]) * inverse;
    out[1] = out[4] = xy * inverse;
    out[2] = out[8] = xz * inverse;
    out[6] = out[9] = (b[3] * b[4] - b[0] * b[5]) * inverse;
    out[3] = out[7] = out[11] = 0;
}

static void make_axial_blocks(void *argument, size_t begin, size_t end) {
    integrator *self = argument;
    for (size_t k = begin; k < end; k++) self->axial_isotropic[k] = axial_block(self, k, &self->axial_rank_one[k]);
}

static void make_blocks(void *argument, size_t begin, size_t end) {
    integrator *self = argument;
    const spring_network *n = self->network;
    for (size_t i = begin; i < end; i++) {
        double diagonal[6] = {self->masses[i], self->masses[i], self->masses[i], 0, 0, 0};
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
            vec3 rank_one;
            double isotropic = entry_block(self, i, e, &rank_one);
            store_block(self->blocks, e, isotropic, rank_one);
            add_block(diagonal, isotropic, rank_one, 1);
        }
        for (size_t e = with_axial(self) ? n->axial_offsets[i] : 0; with_axial(self) && e < n->axial_offsets[i + 1];
             e++) {
            uint32_t k = n->axial_entries[e] / 4;
            double w = n->axial[k].weights[n->axial_entries[e] % 4];
            add_block(diagonal, self->axial_isotropic[k], self->axial_rank_one[k], w * w);
        }
        invert_block(diagonal, self->inverse_blocks + INVERSE_NUMBERS * i);
    }
}

/* ---- The system. */

typedef struct product_task {
    integrator *self;
    const vec3 *in;
    vec3 *out;
} product_task;

static vec3 block_times(double isotropic, vec3 g, vec3 p) {
    return vec3_add_scaled(vec3_scale(p, isotropic), g, vec3_dot(g, p));
}

static void axial_products(void *argument, size_t begin, size_t end) {
    const product_task *task = argument;
    const integrator *self = task->self;
    for (size_t k = begin; k < end; k++) {
        const axial_spring *s = &self->network->axial[k];
        vec3 span = {0, 0, 0};
        for (int p = 0; p < 4; p++) span = vec3_add_scaled(span, task->in[s->points[p]], s->weights[p]);
        self->axial_products[k] = block_times(self->axial_isotropic[k], self->axial_rank_one[k], span);
    }
}

static void add_axial_products(const product_task *task, size_t begin, size_t end) {
    const integrator *self = task->self;
    const spring_network *n = self->network;
    for (size_t i = begin; i < end; i++)
        for (size_t e = n->axial_offsets[i]; e < n->axial_offsets[i + 1]; e++) {
            uint32_t entry = n->axial_entries[e];
            double w = n->axial[entry / 4].weights[entry % 4];
            task->out[i] = vec3_add_scaled(task->out[i], self->axial_products[entry / 4], w);
        }
}

static void point_products(void *argument, size_t begin, size_t end) {
    const product_task *task = argument;
    ISA_SELECT(task->self->context->isa, gradient_products)(task->self, task->in, task->out, begin, end);
    if (with_axial(task->self)) add_axial_products(task, begin, end);
}

/* Forces from outside resist by -h² of their derivative. They are added to the negative product, scaled, so that no array is
 * needed. */
static ruga_status subtract_outer_product(const integrator *self, const vec3 *in, vec3 *out) {
    const integrator_step *step = self->step;
    if (self->def.kind != INTEGRATOR_IMPLICIT || !step->force_product) return RUGA_OK;
    double h2 = step->dt * step->dt;
    for (size_t i = 0; i < self->network->point_count; i++) out[i] = vec3_scale(out[i], -1 / h2);
    TRY(step->force_product(step->user, in, out));
    for (size_t i = 0; i < self->network->point_count; i++) out[i] = vec3_scale(out[i], -h2);
    return RUGA_OK;
}

static ruga_status apply(void *user, const vec3 *in, vec3 *out) {
    product_task task = {user, in, out};
    integrator *self = user;
    if (with_axial(self)) parallel_for(self->context, self->network->axial_count, AXIAL_BLOCK, axial_products, &task);
    parallel_for(self->context, self->network->point_count, POINT_BLOCK, point_products, &task);
    return subtract_outer_product(self, in, out);
}

static void precondition_block(void *argument, size_t begin, size_t end) {
    const product_task *task = argument;
    ISA_SELECT(task->self->context->isa, gradient_precondition)(task->self, task->in, task->out, begin, end);
}

/* Directions have no part in what is held, so that it keeps its velocity and takes no part in sums (Baraff and Witkin's
 * filter). */
static void precondition(void *user, const vec3 *in, vec3 *out) {
    product_task task = {user, in, out};
    parallel_for(task.self->context, task.self->network->point_count, POINT_BLOCK, precondition_block, &task);
}

/* ---- The step. */

/* Right-hand side into the residual, start into v': v + h g, which is the answer in free fall. Returns Σ m |h g|². */
static double prepare(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    vec3 *b = self->scratch.residual, fall = vec3_scale(step->gravity, step->dt);
    spring_force_pass pass = integrator_force_pass(step);
    pass.damped = 0;
    pass.out = b;
    report->elastic_energy = spring_network_forces(self->network, &pass);
    double weight = 0;
    for (size_t i = 0; i < self->network->point_count; i++) {
        out[i] = vec3_add(step->velocities[i], fall);
        b[i] = vec3_add_scaled(b[i], out[i], self->masses[i]);
        weight += self->masses[i] * vec3_length2(fall);
    }
    integrator_set_pins(step, out);
    return weight;
}

ruga_status gradients_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    self->step = step;
    if (with_axial(self)) parallel_for(self->context, self->network->axial_count, AXIAL_BLOCK, make_axial_blocks, self);
    parallel_for(self->context, self->network->point_count, POINT_BLOCK, make_blocks, self);
    double scale = prepare(self, step, out, report);
    cg_system system = {self->context, self->network->point_count, apply, precondition, self};
    return integrator_solve_held(self, &system, scale, out, report);
}
