/* Backward Euler by conjugate gradients: of all inner forces (implicit) or of damping alone (semi_implicit).
 *
 * Linearised at the start of the step, v' solves
 *
 *     A v' = b,   A = M + h C + h² H,   b = M v + h F + M h g
 *
 * with elastic and outer forces F, and definite Hessians H of energies and of parts' forces. semi_implicit leaves out H
 * altogether. Bound steps solve for the change Δw of the unknowns' velocities: TᵀAT Δw = Tᵀ (b - A v). The
 * preconditioner has the inverse 3 x 3 blocks on the diagonal of A, or of TᵀAT: exactly those of springs, and Σ T² B of
 * the blocks B of further energies and parts, whose entries between points are not known.
 *
 * Block Jacobi needs about √(k h² n / m) iterations times a few: every one passes an impulse on by one spring. Where
 * that is a large number, the two levels of linalg/two_level.h are worth their set-up. They need A as a matrix, which
 * energies without `add_matrix` do not have, nor parts with forces whose derivative is no sum of squares. In bound
 * steps (solve/bound_levels.h) the two levels know of parts' forces as much as is a sum of squares. */
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "solve/gradient_kernels.h"
#include "solve/integrators.h"

#define POINT_BLOCK 512
#define LEAST_GRAVITY 0.1 /* m/s², for tolerances alone */
#define HALVINGS 6
#define MERIT_ROUNDING 1e-12

ruga_status gradients_make(integrator *self) {
    ruga_context *context = self->context;
    size_t count = self->bound.space ? self->bound.space->map->columns : self->point_count;
    size_t most = count > self->point_count ? count : self->point_count;
    TRY(spring_hessian_make(self->network, &self->hessian));
    TRY(NEW_ALIGNED(context, &self->inverse_blocks, INVERSE_NUMBERS * count));
    TRY(NEW_ZEROED(context, &self->held, count));
    TRY(NEW_ZEROED(context, &self->drags, count));
    return cg_scratch_make(context, most, &self->scratch);
}

/* ---- The preconditioner. */

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

static void add_matrix(spring_diagonal *sum, const mat3 *m, double scale) {
    sum->at[0] += scale * m->at[0][0];
    sum->at[1] += scale * m->at[1][1];
    sum->at[2] += scale * m->at[2][2];
    sum->at[3] += scale * m->at[0][1];
    sum->at[4] += scale * m->at[0][2];
    sum->at[5] += scale * m->at[1][2];
}

/* The block of A on the diagonal. */
static spring_diagonal point_diagonal(const integrator *self, size_t i) {
    if (self->is_assembled) {
        const double *b = self->matrix->blocks + BLOCK_NUMBERS * (size_t)self->matrix->diagonals[i];
        return (spring_diagonal){{b[0], b[4], b[8], b[3], b[6], b[7]}};
    }
    double mass = self->masses[i];
    spring_diagonal diagonal = {{mass, mass, mass, 0, 0, 0}};
    spring_hessian_add_diagonal(&self->hessian, i, &diagonal);
    if (self->further_blocks) add_matrix(&diagonal, &self->further_blocks[i], 1);
    return diagonal;
}

static void invert_point_blocks(void *argument, size_t begin, size_t end) {
    integrator *self = argument;
    for (size_t i = begin; i < end; i++) {
        spring_diagonal diagonal = point_diagonal(self, i);
        invert_block(diagonal.at, self->inverse_blocks + INVERSE_NUMBERS * i);
    }
}

/* Σ T² of the blocks of the matrix and of parts. */
static spring_diagonal assembled_bound_diagonal(const integrator *self, size_t j) {
    const ruga_map *transpose = self->bound.space->transpose;
    spring_diagonal sum = {0};
    for (size_t e = transpose->offsets[j]; e < transpose->offsets[j + 1]; e++) {
        uint32_t i = transpose->indices[e];
        double weight = transpose->weights[e] * transpose->weights[e];
        spring_diagonal block = point_diagonal(self, i);
        for (int k = 0; k < 6; k++) sum.at[k] += weight * block.at[k];
        if (self->step->force_blocks) add_matrix(&sum, &self->further_blocks[i], weight);
    }
    return sum;
}

static void invert_bound_blocks(void *argument, size_t begin, size_t end) {
    integrator *self = argument;
    const ruga_map *transpose = self->bound.space->transpose;
    for (size_t j = begin; j < end; j++) {
        if (self->is_assembled) {
            spring_diagonal sum = assembled_bound_diagonal(self, j);
            invert_block(sum.at, self->inverse_blocks + INVERSE_NUMBERS * j);
            continue;
        }
        double mass = self->bound.fit.diagonal[j];
        spring_diagonal diagonal = {{mass, mass, mass, 0, 0, 0}};
        spring_hessian_add_bound_diagonal(&self->hessian, self->bound.space->map, transpose, j, &diagonal);
        for (size_t e = transpose->offsets[j]; self->further_blocks && e < transpose->offsets[j + 1]; e++)
            add_matrix(&diagonal, &self->further_blocks[transpose->indices[e]],
                       transpose->weights[e] * transpose->weights[e]);
        invert_block(diagonal.at, self->inverse_blocks + INVERSE_NUMBERS * j);
    }
}

/* ---- The two levels. */

#define LEAST_POINTS 2000      /* for which two levels are worth it */
#define LEAST_BOUND_POINTS 500 /* the same in bound steps, whose products cost more */
#define LEAST_STIFFNESS 2000.0 /* the same for a third of k h² n / m, as the mean over points: 1500 is even */

static ruga_status find_squares(const integrator *self, block_squares *out) {
    *out = (block_squares){0};
    return self->step->force_squares ? self->step->force_squares(self->step->user, out) : RUGA_OK;
}

/* Whether the matrix of a step that is not bound can have all of the parts' forces. */
static int can_take_squares(const integrator *self) {
    block_squares squares;
    if (!self->step->force_squares || !self->step->squares_are_whole || RUGA_FAILED(find_squares(self, &squares)))
        return 0;
    for (const block_squares *s = &squares; s; s = s->next)
        if (s->count > 0 && (s->corners < 2 || s->corners > BLOCK_MOST_CORNERS)) return 0;
    return 1;
}

static int has_matrix(const integrator *self) {
    if (self->def.kind != INTEGRATOR_IMPLICIT) return 0;
    if (self->step->force_product && !self->bound.space && !can_take_squares(self)) return 0;
    for (size_t k = 0; k < self->energy_count; k++)
        if (!self->energies[k]->interface->add_matrix) return 0;
    return 1;
}

/* A third of the trace of W over the mass. */
static double stiffness_sum(void *argument, size_t begin, size_t end) {
    const integrator *self = argument;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        spring_diagonal diagonal = point_diagonal(self, i);
        sum += (diagonal.at[0] + diagonal.at[1] + diagonal.at[2]) / (3 * self->masses[i]) - 1;
    }
    return sum;
}

static int may_have_two_levels(const integrator *self) {
    if (self->def.preconditioner == PRECONDITION_BLOCKS || !has_matrix(self)) return 0;
    size_t least = self->bound.space ? LEAST_BOUND_POINTS : LEAST_POINTS;
    return self->def.preconditioner == PRECONDITION_TWO_LEVEL || self->point_count >= least;
}

/* Depends on the state of the step alone, so that a run that was resumed decides alike. */
static int wants_two_levels(integrator *self) {
    if (!may_have_two_levels(self)) return 0;
    if (self->def.preconditioner == PRECONDITION_TWO_LEVEL) return 1;
    double sum = parallel_sum(self->context, self->point_count, POINT_BLOCK, stiffness_sum, self);
    return sum > LEAST_STIFFNESS * (double)self->point_count;
}

/* Bending springs below this part of the edge springs are left out of the preconditioner's matrix: they would be a
 * third of its entries, and solving takes longer with them than without. With further energies the matrix multiplies,
 * too, and has them all. */
#define WEAK_BENDING 0.01

static int has_weak_bending(const integrator *self) {
    const spring_network *n = self->network;
    double edge = 0, bend = 0;
    if (self->energy_count > 0) return 0;
    for (size_t i = 0; i < n->point_count; i++)
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
            double *most = e < n->edge_ends[i] ? &edge : &bend;
            *most = fmax(*most, n->stiffness[e]);
        }
    return n->axial_count == 0 && bend < WEAK_BENDING * edge;
}

static ruga_status add_squares_pattern(const integrator *self, block_pattern *pattern) {
    block_squares squares;
    if (self->bound.space) return RUGA_OK;
    TRY(find_squares(self, &squares));
    for (const block_squares *s = &squares; s; s = s->next)
        if (s->count > 0) TRY(block_pattern_add_elements(pattern, s->points, 0, s->corners, s->count, s->points));
    return RUGA_OK;
}

static ruga_status make_matrix(integrator *self) {
    block_pattern *pattern;
    TRY(block_pattern_create(self->context, self->point_count, &pattern));
    self->has_weak_bending = has_weak_bending(self);
    ruga_status status = self->has_weak_bending ? spring_hessian_add_edge_pattern(self->network, pattern)
                                                : spring_hessian_add_pattern(self->network, pattern);
    for (size_t k = 0; k < self->energy_count && !RUGA_FAILED(status); k++)
        status = self->energies[k]->interface->add_pattern(self->energies[k], pattern);
    if (!RUGA_FAILED(status)) status = add_squares_pattern(self, pattern);
    if (!RUGA_FAILED(status)) status = block_matrix_create(pattern, &self->matrix);
    block_pattern_destroy(pattern);
    return status;
}

static ruga_status add_squares(integrator *self) {
    block_squares squares;
    double weight = self->step->dt * self->step->dt;
    TRY(find_squares(self, &squares));
    for (const block_squares *s = &squares; s; s = s->next)
        block_matrix_add_squares(self->matrix, s->points, 0, weight, s->vectors);
    self->has_squares = self->step->force_squares != NULL;
    return RUGA_OK;
}

/* A as a matrix, but for weak bending, after all energies were linearised. */
static ruga_status assemble(integrator *self) {
    if (!self->matrix) TRY(make_matrix(self));
    block_matrix_clear(self->matrix);
    if (self->has_weak_bending)
        spring_hessian_add_edge_matrix(&self->hessian, 1, self->matrix);
    else
        spring_hessian_add_matrix(&self->hessian, 1, self->matrix);
    for (size_t k = 0; k < self->energy_count; k++)
        self->energies[k]->interface->add_matrix(self->energies[k], 1, self->matrix);
    block_matrix_add_diagonal(self->matrix, self->masses, NULL);
    self->has_squares = 0;
    if (!self->bound.space) TRY(add_squares(self));
    self->is_assembled = 1;
    return RUGA_OK;
}

static ruga_status make_bound_levels(integrator *self) {
    bound_step *b = &self->bound;
    block_squares squares;
    if (b->levels) return RUGA_OK;
    TRY(find_squares(self, &squares));
    TRY(NEW(self->context, &b->places, self->unknowns.count));
    TRY(NEW(self->context, &b->pin_places, self->unknowns.count));
    return bound_levels_create(b->space, self->matrix, &squares, 0, &b->levels);
}

static ruga_status choose_preconditioner(integrator *self) {
    self->is_two_level = wants_two_levels(self);
    if (!self->is_two_level) return RUGA_OK;
    if (!self->is_assembled) TRY(assemble(self));
    if (self->bound.space) return make_bound_levels(self);
    return self->levels ? RUGA_OK : two_level_create(self->matrix, NULL, 0, &self->levels);
}

static void hold_of(const void *user, size_t point, two_level_hold *out) {
    const integrator *self = user;
    hold_state state = (hold_state)self->held[point];
    if (state == HOLD_NOT || (self->bound.space && self->bound.space->point_of[point] == NO_UNKNOWN)) return;
    out->freedom = state == HOLD_SLIDES ? TWO_LEVEL_PLANE : TWO_LEVEL_FIXED;
    if (state != HOLD_SLIDES) return;
    out->normal = self->unknowns.holds[point].normal;
    out->drag = self->drags[point];
}

static int begin_bound_round(integrator *self, int round, const point_block *blocks, size_t count) {
    bound_step *b = &self->bound;
    block_squares squares;
    if (round > 0) return bound_levels_change_holds(b->levels, hold_of, self);
    if (RUGA_FAILED(find_squares(self, &squares))) return 0;
    bound_step_find_places(self, self->step);
    return bound_levels_refresh(b->levels, self->step->dt * self->step->dt, &squares, blocks, count, b->places, hold_of,
                                self);
}

/* Where rounds take fewer iterations, they are solved as fast with the coarse level that there is: making it again
 * costs as much as these. */
#define KEEP_ITERATIONS 12

void gradients_begin_round(integrator *self, int round, int iterations) {
    if (!self->is_two_level) return;
    if (self->bound.space) {
        self->is_two_level = begin_bound_round(self, round, NULL, 0);
        return;
    }
    self->is_two_level = round == 0 ? two_level_refresh(self->levels, self->step->positions, hold_of, self)
                                    : two_level_change(self->levels, iterations < KEEP_ITERATIONS, hold_of, self);
}

/* ---- Further blocks, for the preconditioner alone. */

void gradients_take_blocks(const integrator *self, point_block *blocks, size_t count) {
    for (size_t k = 0; k < count; k++) {
        const double *b = self->inverse_blocks + INVERSE_NUMBERS * blocks[k].point;
        const double inverse[6] = {b[0], b[5], b[10], b[1], b[2], b[6]};
        double block[INVERSE_NUMBERS];
        invert_block(inverse, block);
        memcpy(blocks[k].base, (double[6]){block[0], block[5], block[10], block[1], block[2], block[6]},
               sizeof blocks[k].base);
    }
}

/* The place of an entry of a 3 x 3 block, by columns, among xx, yy, zz, xy, xz, yz. */
static const unsigned char symmetric_place[BLOCK_NUMBERS] = {0, 3, 4, 3, 1, 5, 4, 5, 2};

static void add_to_matrix(integrator *self, const point_block *blocks, size_t count, double sign) {
    for (size_t k = 0; k < count; k++) {
        /* The matrix is of points; unknowns that are none keep the preconditioner that they have. */
        uint32_t point = self->bound.space ? self->bound.space->point_of[blocks[k].point] : blocks[k].point;
        if (point == NO_UNKNOWN) continue;
        double *block = self->matrix->blocks + BLOCK_NUMBERS * (size_t)self->matrix->diagonals[point];
        for (size_t e = 0; e < BLOCK_NUMBERS; e++) block[e] += sign * blocks[k].more[symmetric_place[e]];
    }
}

void gradients_begin_round_with(integrator *self, int round, int iterations, point_block *blocks, size_t count) {
    int marks = round > 0 && self->is_two_level && !self->bound.space;
    for (size_t k = 0; k < count; k++) {
        point_block *b = &blocks[k];
        if (round > 0 && memcmp(b->last, b->more, sizeof b->more) == 0) continue;
        double sum[6];
        for (int e = 0; e < 6; e++) sum[e] = b->base[e] + b->more[e];
        invert_block(sum, self->inverse_blocks + INVERSE_NUMBERS * b->point);
        memcpy(b->last, b->more, sizeof b->last);
        if (marks) two_level_change_diagonal(self->levels, b->point);
    }
    if (!self->is_two_level) return;
    if (self->bound.space) {
        self->is_two_level = begin_bound_round(self, 0, blocks, count);
        return;
    }
    add_to_matrix(self, blocks, count, 1);
    gradients_begin_round(self, round, iterations);
    add_to_matrix(self, blocks, count, -1);
}

/* A point's k h² n / m. */
static double lightness_sum(void *argument, size_t begin, size_t end) {
    const integrator *self = argument;
    const spring_network *n = self->network;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        double stiffness = 0;
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) stiffness += n->stiffness[e];
        sum += n->factor * stiffness / self->masses[i];
    }
    return sum * self->step->dt * self->step->dt;
}

/* Whether compressed springs would throw points so far in a step that common solves had to be repeated. Shorter steps
 * do without: cloth that bodies press together escapes faster. */
#define LIGHT 60000.0 /* k h² n / m, as the mean over points */

static int eases_buckling(integrator *self) {
    if (!self->is_common || self->def.kind != INTEGRATOR_IMPLICIT) return 0;
    double sum = parallel_sum(self->context, self->point_count, POINT_BLOCK, lightness_sum, self);
    return sum > LIGHT * (double)self->point_count;
}

/* Linearises all energies, and finds the preconditioner's blocks. */
static ruga_status linearise(integrator *self) {
    const integrator_step *step = self->step;
    int is_implicit = self->def.kind == INTEGRATOR_IMPLICIT, has_outer = is_implicit && step->force_blocks;
    energy_weights weights = {is_implicit ? step->dt * step->dt : 0, step->dt};
    self->hessian.eases_buckling = eases_buckling(self);
    spring_hessian_linearise(&self->hessian, step->positions, weights, 1);
    if ((self->energy_count > 0 || has_outer) && !self->further_blocks && !self->is_fitted)
        TRY(NEW(self->context, &self->further_blocks, self->point_count));
    if (self->further_blocks && !self->is_fitted) {
        memset(self->further_blocks, 0, self->point_count * sizeof *self->further_blocks);
        if (has_outer) {
            TRY(step->force_blocks(step->user, self->further_blocks));
            for (size_t i = 0; i < 9 * self->point_count; i++)
                self->further_blocks[i / 9].at[i % 9 / 3][i % 3] *= -step->dt * step->dt;
        }
    }
    for (size_t k = 0; k < self->energy_count; k++)
        TRY(self->energies[k]->interface->linearise(self->energies[k], step->positions, weights, 1));
    /* A matrix has the blocks of all energies, and multiplies faster than they do. Springs alone need none for that. */
    self->is_assembled = 0;
    if (self->energy_count > 0 && has_matrix(self)) TRY(assemble(self));
    if (self->is_fitted) return RUGA_OK;
    for (size_t k = 0; k < self->energy_count && !self->is_assembled; k++)
        self->energies[k]->interface->add_blocks(self->energies[k], 1, self->further_blocks);
    parallel_for(self->context, self->unknowns.count, POINT_BLOCK,
                 self->bound.space ? invert_bound_blocks : invert_point_blocks, self);
    return choose_preconditioner(self);
}

typedef struct unknown_task {
    integrator *self;
    const vec3 *in;
    vec3 *out;
} unknown_task;

static void precondition_block(void *argument, size_t begin, size_t end) {
    const unknown_task *task = argument;
    ISA_SELECT(task->self->context->isa, gradient_precondition)(task->self, task->in, task->out, begin, end);
}

static void free_block(void *argument, size_t begin, size_t end) {
    const unknown_task *task = argument;
    for (size_t i = begin; i < end; i++) task->out[i] = integrator_free_part(task->self, i, task->out[i]);
}

/* Search directions are zero where unknowns are held, so that these keep their velocities and add nothing to sums
 * (Baraff and Witkin's filter). The two levels have this in single precision only. */
void gradients_precondition(void *user, const vec3 *in, vec3 *out) {
    unknown_task task = {user, in, out};
    integrator *self = user;
    if (self->is_two_level && self->bound.space) bound_levels_apply(self->bound.levels, self->held, in, out);
    if (self->is_two_level && !self->bound.space) two_level_apply(self->levels, in, out);
    if (!self->is_two_level || self->unknowns.holds)
        parallel_for(self->context, self->unknowns.count, POINT_BLOCK,
                     self->is_two_level ? free_block : precondition_block, &task);
}

/* ---- The matrix. */

/* out = A in, over points. */
static ruga_status multiply(integrator *self, const vec3 *in, vec3 *out) {
    const integrator_step *step = self->step;
    /* Springs alone multiply faster by their own lists. */
    if (self->is_assembled && self->energy_count > 0) {
        block_matrix_multiply(self->matrix, in, out);
        if (self->has_squares) return RUGA_OK;
    } else {
        spring_product_pass pass = {&self->hessian, self->masses, 1, in, out};
        spring_hessian_multiply(&pass);
        for (size_t k = 0; k < self->energy_count; k++)
            self->energies[k]->interface->add_product(self->energies[k], 1, in, out);
    }
    if (self->def.kind != INTEGRATOR_IMPLICIT || !step->force_product) return RUGA_OK;
    /* Outer forces resist by -h² of their derivative. */
    if (!self->scratch_points) TRY(NEW(self->context, &self->scratch_points, self->point_count));
    memset(self->scratch_points, 0, self->point_count * sizeof *self->scratch_points);
    TRY(step->force_product(step->user, in, self->scratch_points));
    for (size_t i = 0; i < self->point_count; i++)
        out[i] = vec3_add_scaled(out[i], self->scratch_points[i], -step->dt * step->dt);
    return RUGA_OK;
}

static void add_drags(void *argument, size_t begin, size_t end) {
    const unknown_task *task = argument;
    const integrator *self = task->self;
    for (size_t i = begin; i < end; i++)
        if (self->drags[i] > 0)
            task->out[i] = vec3_add_scaled(task->out[i], integrator_free_part(self, i, task->in[i]), self->drags[i]);
}

/* out = A in, or TᵀAT in, with the drags of holds. */
ruga_status gradients_apply(void *user, const vec3 *in, vec3 *out) {
    unknown_task task = {user, in, out};
    integrator *self = user;
    if (self->bound.space) {
        vec3 *const *points = self->bound.points;
        bound_spread(self->bound.space, in, points[0]);
        TRY(multiply(self, points[0], points[1]));
        bound_gather(self->bound.space, points[1], out);
    } else {
        TRY(multiply(self, in, out));
    }
    if (self->unknowns.holds) parallel_for(self->context, self->unknowns.count, POINT_BLOCK, add_drags, &task);
    return RUGA_OK;
}

/* ---- The step. */

static double free_square_block(void *argument, size_t begin, size_t end) {
    const unknown_task *task = argument;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += vec3_length2(integrator_free_part(task->self, i, task->in[i]));
    return sum;
}

/* The square of the 2-norm in free directions. */
static double free_square(void *user, const vec3 *residual) {
    unknown_task task = {user, residual, NULL};
    return parallel_sum(task.self->context, task.self->unknowns.count, POINT_BLOCK, free_square_block, &task);
}

/* b into `right_side` and v + h g, which is the answer in free fall, into `out`; (points) each. weight: Σ m |h g|²,
 * that tolerances are relative to; in weightlessness that of LEAST_GRAVITY, else bodies that settle would be solved
 * to rounding. */
static ruga_status prepare(integrator *self, const integrator_step *step, vec3 *right_side, vec3 *out, double *weight,
                           integrator_report *report) {
    vec3 fall = vec3_scale(step->gravity, step->dt);
    spring_force_pass pass = integrator_force_pass(step);
    pass.damped = 0;
    pass.out = right_side;
    report->elastic_energy = spring_network_forces(self->network, &pass);
    TRY(integrator_add_further_forces(self, step, step->dt, 0, 0, right_side, report));
    self->start_energy = report->elastic_energy;
    *weight = 0;
    double least = LEAST_GRAVITY * step->dt, speed = fmax(vec3_length2(fall), least * least);
    for (size_t i = 0; i < self->point_count; i++) {
        out[i] = vec3_add(step->velocities[i], fall);
        right_side[i] = vec3_add_scaled(right_side[i], out[i], self->masses[i]);
        *weight += self->masses[i] * speed;
    }
    return RUGA_OK;
}

/* Pins and holds of unknowns; a hold's velocity is less by the point's, as unknowns are changes. */
static void bind_unknowns(integrator *self, const integrator_step *step) {
    bound_step *b = &self->bound;
    const vec3 *before = bound_step_velocities(step);
    self->unknowns = (step_unknowns){.count = b->space->map->columns,
                                     .masses = b->fit.diagonal,
                                     .pin_count = b->pin_count,
                                     .pins = b->pins,
                                     .pin_velocities = b->pin_velocities};
    if (!step->holds) return;
    for (size_t j = 0; j < self->unknowns.count; j++) {
        uint32_t i = b->space->point_of[j];
        b->holds[j] = (contact_hold){0};
        if (i == NO_UNKNOWN) continue;
        b->holds[j] = step->holds[i];
        b->holds[j].velocity = vec3_sub(b->holds[j].velocity, before[i]);
    }
    self->unknowns.holds = b->holds;
    self->unknowns.hold_impulses = b->hold_impulses;
}

/* ---- Bound steps of semi_implicit.
 *
 * Its A = M + h C is near M, so that the fit (TᵀMT)⁻¹ preconditions it as well as the blocks do unbound points: fold
 * vectors and points, which the blocks take one by one, are coupled by their masses already. All vectors are over
 * points: with the projection T (TᵀMT)⁻¹ Tᵀ as the preconditioner, directions are within T's range, and residuals need
 * not be gathered. Steps with holds have blocks, since holds act on the directions of an unknown. */

static int is_held(const integrator *self, const integrator_step *step) {
    for (size_t i = 0; step->holds && i < self->point_count; i++)
        if (vec3_length2(step->holds[i].normal) > 0) return 1;
    return 0;
}

/* The velocities of a fall, with pins moved, in the bound space. */
static void start_falling(integrator *self, const integrator_step *step, vec3 *out) {
    bound_step *b = &self->bound;
    const ruga_map *transpose = b->space->transpose;
    const vec3 *before = bound_step_velocities(step);
    vec3 fall = b->space->keeps_translations ? vec3_scale(step->gravity, step->dt) : (vec3){0, 0, 0};
    for (size_t i = 0; i < self->point_count; i++) out[i] = vec3_add(before[i], fall);
    for (size_t k = 0; k < b->pin_count; k++) {
        int is_point = b->space->point_of[b->pins[k]] != NO_UNKNOWN;
        vec3 change = is_point ? vec3_sub(b->pin_velocities[k], fall) : b->pin_velocities[k];
        for (size_t e = transpose->offsets[b->pins[k]]; e < transpose->offsets[b->pins[k] + 1]; e++)
            out[transpose->indices[e]] = vec3_add_scaled(out[transpose->indices[e]], change, transpose->weights[e]);
    }
}

static ruga_status fitted_apply(void *user, const vec3 *in, vec3 *out) { return multiply(user, in, out); }

/* rᵀPr, which also begins the preconditioner of this residual. */
static double fitted_square(void *user, const vec3 *residual) {
    const bound_step *b = &((const integrator *)user)->bound;
    return bound_project_begin(b->space, &b->fit, &b->projection, residual);
}

static void fitted_precondition(void *user, const vec3 *in, vec3 *out) {
    const bound_step *b = &((const integrator *)user)->bound;
    bound_project_end(b->space, &b->fit, &b->projection, in, out);
}

static ruga_status fitted_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    const bound_step *b = &self->bound;
    vec3 *residual = self->scratch.residual, *product = b->points[0];
    cg_system system = {self->context, self->point_count, fitted_apply, fitted_precondition, self, fitted_square, 1};
    cg_report gradients;
    double scale;
    self->unknowns = (step_unknowns){.count = b->space->map->columns, .pin_count = b->pin_count, .pins = b->pins};
    TRY(linearise(self));
    TRY(prepare(self, step, residual, out, &scale, report));
    start_falling(self, step, out);
    TRY(multiply(self, out, product));
    for (size_t i = 0; i < self->point_count; i++) residual[i] = vec3_sub(residual[i], product[i]);
    TRY(cg_solve(&system, &self->scratch, scale, self->def.tolerance, self->def.most_iterations, out, &gradients));
    report->iterations = gradients.iterations;
    report->residual = gradients.residual;
    report->converged = gradients.converged;
    integrator_set_pins(step, out);
    if (step->holds) memset(step->hold_impulses, 0, self->point_count * sizeof *step->hold_impulses);
    return RUGA_OK;
}

static ruga_status begin_bound(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    bound_step *b = &self->bound;
    vec3 *right_side = b->points[0], *product = b->points[1];
    self->guess = b->changes;
    bind_unknowns(self, step);
    TRY(linearise(self));

    /* The start is the effect of gravity alone. */
    vec3 fall = vec3_scale(step->gravity, step->dt);
    for (size_t i = 0; i < self->point_count; i++) out[i] = vec3_scale(fall, self->masses[i]);
    bound_step_answer(self, out, b->changes);

    TRY(prepare(self, step, right_side, out, &self->scale, report));
    TRY(multiply(self, bound_step_velocities(step), product));
    for (size_t i = 0; i < self->point_count; i++) right_side[i] = vec3_sub(right_side[i], product[i]);
    bound_gather(b->space, right_side, self->scratch.residual);
    bound_step_finish(self, step, b->changes, out);
    integrator_set_pins(step, out);
    return RUGA_OK;
}

ruga_status gradients_begin(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    self->step = step;
    self->answer = self->guess = out;
    if (self->bound.space) return begin_bound(self, step, out, report);
    self->unknowns = (step_unknowns){self->point_count,    self->masses, step->pin_count,    step->pins,
                                     step->pin_velocities, step->holds,  step->hold_impulses};
    TRY(linearise(self));
    TRY(prepare(self, step, self->scratch.residual, out, &self->scale, report));
    /* Stiff outer forces alone would lead far away: the first guess is without them. */
    if (step->force_product)
        for (size_t i = 0; i < self->point_count; i++)
            out[i] = vec3_add_scaled(bound_step_velocities(step)[i], step->gravity, step->dt);
    integrator_set_pins(step, out);
    return RUGA_OK;
}

/* ---- A second iteration.
 *
 * The solve is Newton's first iteration for v' of backward Euler, M (v' - v - h g) = h f(x + h v') - h C v'. Where
 * cloth turns much in one step, as where it lands, its forces at x do not know that it stretches, and the step adds
 * energy. With x₁ = x + h v₁ from the first solution and A, f, C at x₁, the next iteration is
 *
 *     A v' = M (v + h g) + h f - h C v₁ + (A - M) v₁
 *
 * Outer forces stay as they are at x: A has their derivative, the right-hand side has them in v. With the forces of an
 * embedded shell this is equation 15 of Rémillard and Kry 2013, whose right side as printed lacks -M (v₁ - v): without
 * it the iteration would drive the forces themselves to zero. */

static double elastic_energy(const integrator *self, const vec3 *positions) {
    double sum = self->network->base.interface->value(&self->network->base, positions);
    for (size_t k = 0; k < self->energy_count; k++)
        sum += self->energies[k]->interface->value(self->energies[k], positions);
    return sum;
}

/* product = (A - M) v without outer forces. */
static void multiply_energies(integrator *self, const vec3 *v, vec3 *product) {
    memset(product, 0, self->point_count * sizeof *product);
    spring_hessian_multiply(&(spring_product_pass){&self->hessian, NULL, 1, v, product});
    for (size_t k = 0; k < self->energy_count; k++)
        self->energies[k]->interface->add_product(self->energies[k], 1, v, product);
}

/* J, (h²/2) v . (-df/dx) v of stiff outer forces. */
static ruga_status outer_energy(integrator *self, const vec3 *v, double *out) {
    const integrator_step *step = self->step;
    double sum = 0;
    *out = 0;
    if (!step->force_product) return RUGA_OK;
    if (!self->scratch_points) TRY(NEW(self->context, &self->scratch_points, self->point_count));
    memset(self->scratch_points, 0, self->point_count * sizeof *self->scratch_points);
    TRY(step->force_product(step->user, v, self->scratch_points));
    for (size_t i = 0; i < self->point_count; i++) sum -= vec3_dot(v[i], self->scratch_points[i]);
    *out = step->dt * step->dt / 2 * sum;
    return RUGA_OK;
}

static const vec3 *start_of(const integrator *self) {
    return self->step == &self->again ? self->again_from : self->step->positions;
}

ruga_status gradients_energies(integrator *self, step_energies *out) {
    const integrator_step *step = self->step;
    const vec3 *v = self->answer, *before = bound_step_velocities(step), *from = start_of(self);
    if (!self->moved) TRY(NEW(self->context, &self->moved, self->point_count));
    *out = (step_energies){.before = self->start_energy};
    for (size_t i = 0; i < self->point_count; i++) {
        vec3 move = vec3_scale(v[i], step->dt), start = vec3_add_scaled(step->velocities[i], step->gravity, step->dt);
        self->moved[i] = vec3_add(from[i], move);
        out->before += self->masses[i] / 2 * vec3_length2(before[i]);
        out->after += self->masses[i] * (vec3_length2(v[i]) / 2 - vec3_dot(step->gravity, move));
        out->merit += self->masses[i] / 2 * vec3_length2(vec3_sub(v[i], start));
    }
    double elastic = elastic_energy(self, self->moved), outer;
    TRY(outer_energy(self, v, &outer));
    out->after += elastic;
    out->merit += elastic + outer;
    return RUGA_OK;
}

double gradients_model_error(integrator *self) {
    const integrator_step *step = self->step;
    const vec3 *v = self->answer, *right_side = self->scratch.residual;
    vec3 *product = self->scratch.product;
    double model = self->start_energy;
    multiply_energies(self, v, product);
    for (size_t i = 0; i < self->point_count; i++) {
        vec3 start = vec3_add_scaled(step->velocities[i], step->gravity, step->dt);
        vec3 force = vec3_add_scaled(right_side[i], start, -self->masses[i]); /* times h */
        model += vec3_dot(v[i], vec3_add_scaled(vec3_scale(force, -1), product[i], 0.5));
    }
    return elastic_energy(self, self->moved) - model;
}

ruga_status gradients_begin_again(integrator *self) {
    vec3 *right_side = self->scratch.residual, *product = self->scratch.product;
    const vec3 *v = self->answer;
    integrator_report report = {0};
    if (self->step != &self->again) {
        self->again_from = self->step->positions;
        self->again = *self->step;
        self->step = &self->again;
    }
    self->again.positions = self->moved;
    integrator_step damped = self->again;
    damped.velocities = v;
    spring_force_pass pass = integrator_force_pass(&damped);
    pass.out = right_side;
    spring_network_forces(self->network, &pass);
    TRY(integrator_add_further_forces(self, &damped, damped.dt, 0, 1, right_side, &report));
    TRY(linearise(self));
    multiply_energies(self, v, product);
    for (size_t i = 0; i < self->point_count; i++) {
        vec3 start = vec3_add_scaled(self->again.velocities[i], self->again.gravity, self->again.dt);
        right_side[i] = vec3_add_scaled(vec3_add(right_side[i], product[i]), start, self->masses[i]);
    }
    return RUGA_OK;
}

void gradients_end(integrator *self) {
    const bound_step *b = &self->bound;
    const integrator_step *step = self->step;
    if (!b->space) return;
    bound_step_finish(self, step, b->changes, self->answer);
    integrator_set_pins(step, self->answer);
    if (!step->holds) return;
    memset(step->hold_impulses, 0, self->point_count * sizeof *step->hold_impulses);
    for (size_t j = 0; j < self->unknowns.count; j++)
        if (b->space->point_of[j] != NO_UNKNOWN) step->hold_impulses[b->space->point_of[j]] = b->hold_impulses[j];
}

static ruga_status solve_once(integrator *self, integrator_report *report) {
    cg_system system = {self->context, self->unknowns.count, gradients_apply, gradients_precondition, self, NULL, 0};
    if (self->def.from_zero && !self->bound.space) {
        memset(self->answer, 0, self->point_count * sizeof *self->answer);
        integrator_set_pins(self->step, self->answer);
        system.square = free_square;
        self->scale = 0;
    }
    return integrator_solve_held(self, &system, self->scale, self->guess, report);
}

static int is_damped(const integrator *self) {
    int found = self->network->spring_count > 0;
    for (size_t k = 0; k < self->energy_count; k++) found |= self->energies[k]->is_damped;
    return found;
}

/* kg m²/s², Σ m |a - b|². */
static double weighted_square(const integrator *self, const vec3 *a, const vec3 *b) {
    double sum = 0;
    for (size_t i = 0; i < self->point_count; i++) sum += self->masses[i] * vec3_length2(vec3_sub(a[i], b[i]));
    return sum;
}

/* Newton's further iterations, until one changes the velocities by less than the tolerance. Without damping, which the
 * merit does not know, a step goes back by halves until the merit does not rise. */
static ruga_status iterate(integrator *self, integrator_report *report) {
    vec3 *v = self->answer;
    const double tolerance = self->def.tolerance * self->def.tolerance;
    const int searches = !is_damped(self);
    step_energies energies;
    if (!self->kept) TRY(NEW(self->context, &self->kept, self->point_count));
    TRY(gradients_energies(self, &energies));
    while (report->newton < self->def.newton) {
        const double merit = energies.merit;
        memcpy(self->kept, v, self->point_count * sizeof *v);
        TRY(gradients_begin_again(self));
        TRY(solve_once(self, report));
        report->newton++;
        TRY(gradients_energies(self, &energies));
        for (int k = 0; searches && k < HALVINGS && energies.merit > merit + MERIT_ROUNDING * fabs(merit); k++) {
            for (size_t i = 0; i < self->point_count; i++) v[i] = vec3_mix(v[i], self->kept[i], 0.5);
            TRY(gradients_energies(self, &energies));
        }
        const double whole = weighted_square(self, v, self->step->velocities);
        if (weighted_square(self, v, self->kept) <= tolerance * fmax(whole, self->scale)) break;
    }
    return RUGA_OK;
}

ruga_status gradients_finish(integrator *self, integrator_report *report) {
    TRY(solve_once(self, report));
    report->newton = 1;
    if (self->def.newton > 1 && self->def.kind == INTEGRATOR_IMPLICIT && !self->bound.space) TRY(iterate(self, report));
    gradients_end(self);
    return RUGA_OK;
}

ruga_status gradients_solve(integrator *self, const integrator_step *step, vec3 *out, integrator_report *report) {
    if (self->bound.space) {
        self->step = step;
        self->is_fitted = self->def.kind == INTEGRATOR_SEMI_IMPLICIT && !is_held(self, step);
        if (self->is_fitted) return fitted_solve(self, step, out, report);
    }
    self->is_common = 0;
    TRY(gradients_begin(self, step, out, report));
    return gradients_finish(self, report);
}

ruga_status gradients_respond(integrator *self, const integrator_step *step, const vec3 *impulses, vec3 *out) {
    integrator_report report = {0};
    const bound_step *b = &self->bound;
    vec3 *changes = b->space ? b->changes : out;
    self->step = step;
    self->unknowns = (step_unknowns){.count = b->space ? b->space->map->columns : self->point_count,
                                     .masses = b->space ? b->fit.diagonal : self->masses,
                                     .pin_count = b->space ? b->pin_count : step->pin_count,
                                     .pins = b->space ? b->pins : step->pins,
                                     .pin_velocities = b->space ? b->pin_velocities : step->pin_velocities};
    TRY(linearise(self));
    if (b->space)
        bound_gather(b->space, impulses, self->scratch.residual);
    else
        memcpy(self->scratch.residual, impulses, self->point_count * sizeof *impulses);
    memset(changes, 0, self->unknowns.count * sizeof *changes);
    cg_system system = {self->context, self->unknowns.count, gradients_apply, gradients_precondition, self, NULL, 0};
    TRY(integrator_solve_held(self, &system, 0, changes, &report));
    if (b->space) bound_spread(b->space, changes, out);
    return RUGA_OK;
}
