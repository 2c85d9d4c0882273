/* Newton's method for equilibria; the header has the equations. */
#include "solve/equilibrium.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "linalg/block_llt.h"
#include "linalg/cg.h"
#include "linalg/two_level.h"
#include "solve/bound_fit.h"
#include "solve/bound_levels.h"

#define POINT_BLOCK 1024
#define ARMIJO 1e-4           /* of the slope: the energy falls by at least as much */
#define MOST_HALVINGS 40      /* of α */
#define ROUNDING 1e-15        /* of stiffness times extent: forces below it are rounding */
#define ENERGY_ROUNDING 1e-13 /* of the energy: smaller differences are rounding */
#define FREE_SHIFT 1e-7    /* of the mean stiffness, added where no pin holds the body, which may then move rigidly */
#define FORCING 0.02       /* the coarsest relative residual of conjugate gradients; they cost less than elements */
#define AGGREGATE 80       /* points of an aggregate: solids have a costly coarse level, which is factored every step */
#define TURN_FORCING 0.1   /* the same where elements turn, of what that changes */
#define FORCING_MARGIN 0.3 /* of what is left to the tolerance: no finer */
#define EXACT_FROM 0.01    /* of ‖F‖ over its reference: below, K is the true Hessian where that is definite */
#define EARLY_FROM 0.5     /* the same before K was found not to be so, where no pins have moved */
#define ITERATION_WORK 2000                /* operations that take as long as an iteration does, for each point */
#define LEAST_SLOW 40                      /* iterations of a step from which on a factor may pay */
#define HELD_STIFFNESS 1e8                 /* of a held point in that factor, over the largest of the matrix */
enum { MOST_PARTS = 200, PART_STEPS = 2 }; /* that pins and obstacles move by; of Newton's steps, after each */
enum { MOST_TURNS = 3 };                   /* of elements, while pins move */
#define PROJECTED_STEPS 2                  /* that K is made definite for, after it was not */

struct equilibrium {
    ruga_context *context;
    equilibrium_def def;
    size_t point_count, unknown_count;
    size_t energy_count;
    energy_term **energies;
    block_matrix *matrix;   /* of the energies that have one; NULL: not needed yet */
    two_level *levels;      /* the same; of a solve that is not bound */
    block_llt *factor;      /* of the matrix; NULL: not needed, or too costly */
    double factor_work;     /* operations of it; 0: not known yet */
    double *factor_weights; /* (points) 1 where held, 0 elsewhere */
    int is_exact;           /* the factor preconditions, instead of the levels, to the end of this solve */
    int last_iterations;    /* of conjugate gradients in the last step of this solve */
    bound *space;           /* NULL: not bound */
    bound_levels *b_levels; /* of a bound solve */
    bound_fit fit;
    double *ones;           /* (points) weights of the fit */
    vec3 *unknowns;         /* (unknowns) y, of a bound solve */
    uint32_t *held;         /* (unknowns) pins and locks */
    unsigned char *is_held; /* (unknowns) */
    vec3 *held_moves;       /* (unknowns) of them, m */
    size_t held_count;
    vec3 *start, *trial;         /* (points) m */
    vec3 *forces, *trial_forces; /* (points) N */
    vec3 *point_in, *point_out;  /* (points) scratch of bound products */
    vec3 *gathered;              /* (unknowns) N, F or TᵀF; 0 where held */
    vec3 *step, *last_step;      /* (unknowns) m, Δ, and before elements turned */
    mat3 *blocks;                /* (points) of energies without a matrix; NULL: all have one */
    cg_scratch scratch;
    const equilibrium_load *load;
    double shift; /* N/m, on the diagonal of K */
    int is_projected;
};

equilibrium_def equilibrium_def_default(void) {
    return (equilibrium_def){.tolerance = 1e-5, .most_steps = 100, .most_iterations = 2000};
}

/* ---- Making. */

static ruga_status check(const equilibrium_def *def, ruga_context *context) {
    if (!(def->tolerance > 0) || !(def->tolerance < 1))
        return fail_input(context, "the tolerance of forces is %g; it must be between 0 and 1", def->tolerance);
    if (def->most_steps < 1 || def->most_iterations < 1)
        return fail_input(context, "%d steps of at most %d iterations can't be; both must be at least 1",
                          def->most_steps, def->most_iterations);
    return RUGA_OK;
}

static ruga_status make_bound(equilibrium *self, const ruga_map *map) {
    ruga_context *context = self->context;
    TRY(bound_create(context, map, &self->space));
    TRY(bound_fit_make(self->space, &self->fit));
    TRY(NEW(context, &self->ones, self->point_count));
    for (size_t i = 0; i < self->point_count; i++) self->ones[i] = 1;
    TRY(NEW(context, &self->unknowns, self->unknown_count));
    return NEW_EACH(context, self->point_count, &self->point_in, &self->point_out);
}

static ruga_status make(equilibrium *self, const equilibrium_system *system) {
    ruga_context *context = self->context;
    const size_t points = self->point_count, unknowns = self->unknown_count;
    int all_have_matrix = 1;
    TRY(check(&self->def, context));
    TRY(NEW_COPY(context, &self->energies, system->energies, system->energy_count));
    for (size_t k = 0; k < self->energy_count; k++) all_have_matrix &= self->energies[k]->interface->add_matrix != NULL;
    if (system->bound) TRY(make_bound(self, system->bound));
    TRY(NEW_EACH(context, points, &self->start, &self->trial, &self->forces, &self->trial_forces));
    TRY(NEW_EACH(context, unknowns, &self->gathered, &self->step, &self->last_step, &self->held_moves));
    TRY(NEW(context, &self->held, unknowns));
    TRY(NEW_ZEROED(context, &self->is_held, unknowns));
    if (!all_have_matrix) TRY(NEW(context, &self->blocks, points));
    return cg_scratch_make(context, unknowns, &self->scratch);
}

ruga_status equilibrium_create(const equilibrium_def *def, const equilibrium_system *system, equilibrium **out) {
    equilibrium *self;
    TRY(NEW_ZEROED(system->context, &self, 1));
    self->context = system->context;
    self->def = *def;
    self->point_count = system->point_count;
    self->unknown_count = system->bound ? system->bound->columns : system->point_count;
    self->energy_count = system->energy_count;
    RETURN_MADE(make(self, system), self, out, equilibrium_destroy(self));
}

void equilibrium_destroy(equilibrium *self) {
    if (!self) return;
    ruga_context *context = self->context;
    two_level_destroy(self->levels);
    block_llt_destroy(self->factor);
    bound_levels_destroy(self->b_levels);
    block_matrix_destroy(self->matrix);
    bound_fit_release(context, &self->fit);
    bound_destroy(self->space);
    cg_scratch_release(context, &self->scratch);
    RELEASE_ALL(context, self->energies, self->ones, self->unknowns, self->held, self->is_held, self->held_moves,
                self->start, self->trial, self->forces, self->trial_forces, self->point_in, self->point_out,
                self->gathered, self->step, self->last_step, self->blocks, self->factor_weights, self);
}

static ruga_status make_matrix(equilibrium *self) {
    block_pattern *pattern;
    if (self->matrix) return RUGA_OK;
    TRY(block_pattern_create(self->context, self->point_count, &pattern));
    ruga_status status = RUGA_OK;
    for (size_t k = 0; k < self->energy_count && !RUGA_FAILED(status); k++)
        if (self->energies[k]->interface->add_matrix)
            status = self->energies[k]->interface->add_pattern(self->energies[k], pattern);
    if (!RUGA_FAILED(status)) status = block_matrix_create(pattern, &self->matrix);
    block_pattern_destroy(pattern);
    if (RUGA_FAILED(status)) return status;
    if (self->space) return bound_levels_create(self->space, self->matrix, NULL, AGGREGATE, &self->b_levels);
    TRY(two_level_create(self->matrix, NULL, AGGREGATE, &self->levels));
    two_level_bound_by_numbers(self->levels);
    return RUGA_OK;
}

/* ---- Vectors. */

typedef struct vector_task {
    const equilibrium *self;
    const vec3 *a, *b;
    vec3 *out;
    double factor;
} vector_task;

static void combine_block(void *argument, size_t begin, size_t end) {
    const vector_task *task = argument;
    for (size_t i = begin; i < end; i++) task->out[i] = vec3_add_scaled(task->a[i], task->b[i], task->factor);
}

/* out = a + factor b, of points. */
static void combine(const equilibrium *self, const vec3 *a, double factor, const vec3 *b, vec3 *out) {
    vector_task task = {self, a, b, out, factor};
    parallel_for(self->context, self->point_count, POINT_BLOCK, combine_block, &task);
}

static void free_block(void *argument, size_t begin, size_t end) {
    const vector_task *task = argument;
    for (size_t i = begin; i < end; i++)
        if (task->self->is_held[i]) task->out[i] = (vec3){0, 0, 0};
}

static void clear_held(const equilibrium *self, vec3 *unknowns) {
    vector_task task = {.self = self, .out = unknowns};
    parallel_for(self->context, self->unknown_count, POINT_BLOCK, free_block, &task);
}

static double free_square_block(void *argument, size_t begin, size_t end) {
    const vector_task *task = argument;
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        if (!task->self->is_held[i]) sum += vec3_length2(task->a[i]);
    return sum;
}

static double free_square(void *user, const vec3 *residual) {
    vector_task task = {.self = user, .a = residual};
    return parallel_sum(task.self->context, task.self->unknown_count, POINT_BLOCK, free_square_block, &task);
}

/* Points from changes of unknowns: T Δ, or Δ itself. */
static const vec3 *spread(equilibrium *self, const vec3 *unknowns) {
    if (!self->space) return unknowns;
    bound_spread(self->space, unknowns, self->point_in);
    return self->point_in;
}

/* ---- Energy and forces. */

/* J, with the work of the given forces from the start; forces: (points) N, out. elastic: of the energies alone. */
static double measure(const equilibrium *self, const vec3 *x, vec3 *forces, double *elastic) {
    const vec3 *f = self->load->forces;
    double work = 0;
    *elastic = 0;
    if (f)
        memcpy(forces, f, self->point_count * sizeof *f);
    else
        memset(forces, 0, self->point_count * sizeof *forces);
    for (size_t k = 0; k < self->energy_count; k++)
        *elastic += self->energies[k]->interface->add_gradient(self->energies[k], x, -1, forces);
    for (size_t i = 0; f && i < self->point_count; i++) work += vec3_dot(f[i], vec3_sub(x[i], self->start[i]));
    return *elastic - work;
}

/* F or TᵀF into `gathered`, 0 where held; returns ‖F‖. held_square: of the forces that the held unknowns bear. */
static double gather(equilibrium *self, const vec3 *forces, double *held_square) {
    if (self->space)
        bound_gather(self->space, forces, self->gathered);
    else
        memcpy(self->gathered, forces, self->point_count * sizeof *forces);
    *held_square = 0;
    for (size_t k = 0; k < self->load->pin_count; k++) *held_square += vec3_length2(self->gathered[self->held[k]]);
    clear_held(self, self->gathered);
    return sqrt(free_square(self, self->gathered));
}

/* ---- The matrix. */

static ruga_status apply(void *user, const vec3 *in, vec3 *out) {
    equilibrium *self = user;
    const vec3 *points = spread(self, in);
    vec3 *product = self->space ? self->point_out : out;
    block_matrix_multiply(self->matrix, points, product);
    for (size_t k = 0; k < self->energy_count; k++)
        if (!self->energies[k]->interface->add_matrix)
            self->energies[k]->interface->add_product(self->energies[k], 1, points, product);
    if (self->space) bound_gather(self->space, product, out);
    return RUGA_OK;
}

static void precondition(void *user, const vec3 *in, vec3 *out) {
    equilibrium *self = user;
    if (self->space) {
        bound_levels_apply(self->b_levels, self->is_held, in, out);
    } else if (self->is_exact) {
        memcpy(out, in, self->point_count * sizeof *out);
        block_llt_solve(self->factor, out);
    } else {
        two_level_apply(self->levels, in, out);
    }
    clear_held(self, out);
}

static void hold_of(const void *user, size_t unknown, two_level_hold *out) {
    const equilibrium *self = user;
    if (!self->is_held[unknown] || (self->space && self->space->point_of[unknown] == NO_UNKNOWN)) return;
    out->freedom = TWO_LEVEL_FIXED;
}

static double trace_block(void *argument, size_t begin, size_t end) {
    const block_matrix *m = argument;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        const double *b = m->blocks + BLOCK_NUMBERS * (size_t)m->diagonals[i];
        sum += (b[0] + b[4] + b[8]) * (b[0] + b[4] + b[8]);
    }
    return sum / 9;
}

/* N/m: the root of the sum of squares of the stiffness of points. */
static double stiffness_of(const equilibrium *self) {
    return sqrt(parallel_sum(self->context, self->point_count, POINT_BLOCK, trace_block, self->matrix));
}

/* The blocks of energies without a matrix, for the preconditioner alone. */
static void add_blocks(const equilibrium *self, double sign) {
    for (size_t i = 0; self->blocks && i < self->point_count; i++)
        block_matrix_add_block(self->matrix, self->matrix->diagonals[i], sign, &self->blocks[i]);
}

/* Where the two levels take many iterations, as on thin layers of solids or near ν = 0.5, a factor of the matrix is
 * faster. Counted in operations, not in time, so that the same solve chooses the same. */
static ruga_status choose_preconditioner(equilibrium *self) {
    if (self->space || self->is_exact || self->last_iterations < LEAST_SLOW) return RUGA_OK;
    const double spent = ITERATION_WORK * (double)self->last_iterations * (double)self->point_count;
    if (self->factor_work >= spent) return RUGA_OK;
    if (!self->factor) {
        const block_matrix *m = self->matrix;
        TRY(block_llt_create_below(self->context, m->point_count, m->offsets, m->columns, spent, &self->factor_work,
                                   &self->factor));
        if (!self->factor) return RUGA_OK;
    }
    if (!self->factor_weights) TRY(NEW(self->context, &self->factor_weights, self->point_count));
    self->is_exact = 1;
    return RUGA_OK;
}

/* Held points have a stiff spring each. */
static int factor_matrix(equilibrium *self) {
    const block_matrix *m = self->matrix;
    double most = 0;
    for (size_t i = 0; i < self->point_count; i++) {
        const double *b = m->blocks + BLOCK_NUMBERS * (size_t)m->diagonals[i];
        most = fmax(most, fmax(b[0], fmax(b[4], b[8])));
        self->factor_weights[i] = self->is_held[i];
    }
    return block_llt_factor(self->factor, m->blocks, HELD_STIFFNESS * most, self->factor_weights);
}

static int refresh(equilibrium *self, const vec3 *x) {
    add_blocks(self, 1);
    int is_definite = self->space
                          ? bound_levels_refresh(self->b_levels, 0, NULL, NULL, 0, self->unknowns, hold_of, self)
                      : self->is_exact ? factor_matrix(self)
                                       : two_level_refresh(self->levels, x, hold_of, self);
    add_blocks(self, -1);
    return is_definite;
}

static void assemble(equilibrium *self) {
    block_matrix_clear(self->matrix);
    if (self->blocks) memset(self->blocks, 0, self->point_count * sizeof *self->blocks);
    for (size_t k = 0; k < self->energy_count; k++) {
        const energy_interface *interface = self->energies[k]->interface;
        if (interface->add_matrix)
            interface->add_matrix(self->energies[k], 1, self->matrix);
        else
            interface->add_blocks(self->energies[k], 1, self->blocks);
    }
}

static void shift_diagonal(const equilibrium *self) {
    mat3 block = {{{0}}};
    mat3_add_identity(&block, self->shift);
    for (size_t i = 0; self->shift > 0 && i < self->point_count; i++)
        block_matrix_add_block(self->matrix, self->matrix->diagonals[i], 1, &block);
}

/* K at x with its preconditioner: the true one if it is wanted and definite, else one that is made so. */
static ruga_status linearise(equilibrium *self, const vec3 *x) {
    for (;;) {
        for (size_t k = 0; k < self->energy_count; k++)
            TRY(self->energies[k]->interface->linearise(self->energies[k], x, (energy_weights){1, 0},
                                                        self->is_projected));
        TRY(make_matrix(self));
        assemble(self);
        if (self->load->pin_count == 0) self->shift = FREE_SHIFT * stiffness_of(self) / sqrt((double)self->point_count);
        shift_diagonal(self);
        TRY(choose_preconditioner(self));
        if (refresh(self, x)) return RUGA_OK;
        if (self->is_projected)
            return fail_input(self->context,
                              "the stiffness matrix is singular: a part of the body is not held; pin it, or join it to "
                              "the rest");
        self->is_projected = 1;
    }
}

/* ---- A step. */

/* Δ for the right-hand side in scratch.residual. Returns whether it is of use. */
static ruga_status solve_step(equilibrium *self, double tolerance, cg_report *report) {
    const cg_system system = {.context = self->context,
                              .count = self->unknown_count,
                              .apply = apply,
                              .precondition = precondition,
                              .user = self,
                              .square = free_square,
                              .has_residual = 1};
    memset(self->step, 0, self->unknown_count * sizeof *self->step);
    const ruga_status status =
        cg_solve(&system, &self->scratch, 0, tolerance, self->def.most_iterations, self->step, report);
    self->last_iterations = report->iterations;
    return status;
}

/* The longest move, at most the extent of the body. */
static double extent_of(const equilibrium *self, const vec3 *x) {
    vec3 low, high;
    vec3_bounds(x, self->point_count, &low, &high);
    return vec3_distance(low, high);
}

static double longest_of(const equilibrium *self, const vec3 *move) {
    double most = 0;
    for (size_t i = 0; i < self->point_count; i++) most = fmax(most, vec3_length2(move[i]));
    return sqrt(most);
}

/* The state of Newton's method. */
typedef struct newton {
    vec3 *x;
    double energy, elastic; /* J */
    double norm, reference; /* N, ‖F‖ */
    double floor;           /* N, rounding of forces */
    int projected_steps;    /* that are left */
    int is_stuck;           /* pins or obstacles did not reach their targets: contact stops them */
    int follows_pins;       /* obstacles move: the reference follows the forces that pins bear */
    int may_be_early;       /* K may be the true Hessian from EARLY_FROM on */
} newton;

/* Moves by α of the step: trial, its energy and forces. */
static double try_step(equilibrium *self, const newton *n, const vec3 *move, double length, double *elastic) {
    combine(self, n->x, length, move, self->trial);
    return measure(self, self->trial, self->trial_forces, elastic);
}

static void accept_trial(equilibrium *self, newton *n, double length, double energy, double elastic) {
    double held_square;
    vec3 *forces = self->forces;
    memcpy(n->x, self->trial, self->point_count * sizeof *n->x);
    self->forces = self->trial_forces;
    self->trial_forces = forces;
    for (size_t j = 0; self->space && j < self->unknown_count; j++)
        self->unknowns[j] = vec3_add_scaled(self->unknowns[j], self->step[j], length);
    n->energy = energy;
    n->elastic = elastic;
    n->norm = gather(self, self->forces, &held_square);
    if (n->follows_pins) n->reference = fmax(n->reference, sqrt(held_square));
}

/* Halves α until the energy falls; 0: it does not. */
static double search_line(equilibrium *self, newton *n, const vec3 *move) {
    const equilibrium_load *load = self->load;
    const double slope = cg_dot(self->context, self->unknown_count, self->gathered, self->step);
    if (!(slope > 0)) return 0;
    const double longest = longest_of(self, move), extent = extent_of(self, n->x);
    double length = longest > extent ? extent / longest : 1;
    combine(self, n->x, length, move, self->trial);
    if (load->limit) length *= fmin(1, load->limit(load->user, n->x, self->trial));
    /* Materials subtract their energy at rest: near rest, the rounding of that is left. */
    const double rounding = fmax(ENERGY_ROUNDING * (fabs(n->elastic) + fabs(n->energy)), n->floor * extent);
    for (int k = 0; k < MOST_HALVINGS; k++, length /= 2) {
        double elastic, energy = try_step(self, n, move, length, &elastic);
        /* Where rounding hides the fall, the forces have to. */
        int falls = energy <= n->energy - ARMIJO * length * slope && energy < n->energy, is_hidden = slope < rounding;
        if (!falls && !(is_hidden && energy <= n->energy + rounding)) continue;
        const double norm = n->norm;
        if (!falls) {
            double ignored, moved = gather(self, self->trial_forces, &ignored);
            gather(self, self->forces, &ignored);
            if (!(moved < norm)) continue;
        }
        accept_trial(self, n, length, energy, elastic);
        return length;
    }
    return 0;
}

static double forcing_of(const equilibrium *self, const newton *n) {
    double left = n->norm / n->reference, wanted = fmin(FORCING, sqrt(left) * FORCING);
    return fmin(FORCING, fmax(wanted, FORCING_MARGIN * self->def.tolerance / left));
}

static void watch(const equilibrium *self, const newton *n, const equilibrium_report *report, int iterations,
                  double length) {
    if (!self->load->watch) return;
    const equilibrium_progress progress = {.step = report->steps,
                                           .energy = n->energy,
                                           .residual = n->reference > 0 ? n->norm / n->reference : 0,
                                           .iterations = iterations,
                                           .length = length,
                                           .is_projected = self->is_projected};
    self->load->watch(self->load->user, &progress);
}

/* The true Hessian was of no use: it is not tried for some steps, or not early again. */
static void note_indefinite(newton *n, int is_early) {
    if (is_early)
        n->may_be_early = 0;
    else
        n->projected_steps = PROJECTED_STEPS + 1;
}

/* One step of Newton's method; 0: the energy does not fall any more. */
static ruga_status take_step(equilibrium *self, newton *n, equilibrium_report *report, int *moved) {
    int iterations = 0;
    const int is_early = n->norm > EXACT_FROM * n->reference;
    self->is_projected = is_early ? !n->may_be_early || n->norm > EARLY_FROM * n->reference : n->projected_steps > 0;
    for (;;) {
        cg_report solved;
        int was_projected = self->is_projected;
        TRY(linearise(self, n->x));
        n->floor = ROUNDING * stiffness_of(self) * extent_of(self, n->x);
        memcpy(self->scratch.residual, self->gathered, self->unknown_count * sizeof *self->gathered);
        TRY(solve_step(self, forcing_of(self, n), &solved));
        iterations += solved.iterations;
        const int is_indefinite = !solved.converged && solved.iterations < self->def.most_iterations;
        double length = 0;
        if (!is_indefinite || self->is_projected) length = search_line(self, n, spread(self, self->step));
        *moved = length > 0;
        if (!was_projected && (self->is_projected || !*moved)) note_indefinite(n, is_early);
        if (*moved || self->is_projected) {
            n->projected_steps -= n->projected_steps > 0;
            report->iterations += iterations;
            report->steps++;
            watch(self, n, report, iterations, length);
            return RUGA_OK;
        }
        self->is_projected = 1;
    }
}

/* ---- The start. */

static ruga_status find_held(equilibrium *self, const vec3 *x) {
    const equilibrium_load *load = self->load;
    for (size_t k = 0; k < self->held_count; k++) self->is_held[self->held[k]] = 0;
    self->held_count = load->pin_count;
    if (self->space)
        TRY(bound_find_pins(self->space, load->pin_count, load->pins, self->held));
    else
        memcpy(self->held, load->pins, load->pin_count * sizeof *load->pins);
    for (size_t k = 0; k < load->pin_count; k++) self->held_moves[k] = vec3_sub(load->pin_targets[k], x[load->pins[k]]);
    for (size_t k = 0; k < load->lock_count; k++) {
        self->held_moves[self->held_count] = (vec3){0, 0, 0};
        self->held[self->held_count++] = load->locks[k];
    }
    for (size_t k = 0; k < self->held_count; k++) self->is_held[self->held[k]] = 1;
    return RUGA_OK;
}

/* y of the positions. */
static ruga_status find_unknowns(equilibrium *self, const vec3 *x) {
    if (!self->space) return RUGA_OK;
    TRY(bound_fit_factor(self->space, &self->fit, self->ones, 0, NULL));
    bound_gather(self->space, x, self->unknowns);
    bound_fit_solve(self->space, &self->fit, 0, NULL, NULL, self->unknowns, self->unknowns);
    return RUGA_OK;
}

static int pins_move(const equilibrium *self) {
    for (size_t k = 0; k < self->load->pin_count; k++)
        if (vec3_length2(self->held_moves[k]) > 0) return 1;
    return 0;
}

/* A step, shortened to what the limit allows; a whole one has pins at their targets, bit for bit. part: out. */
static double try_pins(equilibrium *self, const newton *n, const vec3 *step, double *part, double *elastic) {
    const equilibrium_load *load = self->load;
    const vec3 *move = spread(self, step);
    combine(self, n->x, 1, move, self->trial);
    for (size_t k = 0; k < load->pin_count; k++) self->trial[load->pins[k]] = load->pin_targets[k];
    *part = load->limit ? fmin(1, load->limit(load->user, n->x, self->trial)) : 1;
    if (*part < 1) combine(self, n->x, *part, move, self->trial);
    return measure(self, self->trial, self->trial_forces, elastic);
}

/* scratch.residual = Tᵀ(F + W t) - K Δ for turns t of the elements from x to the trial; returns its size. */
static ruga_status turn_elements(equilibrium *self, const newton *n, double *size) {
    double ignored;
    memcpy(self->trial_forces, self->forces, self->point_count * sizeof *self->forces);
    for (size_t k = 0; k < self->energy_count; k++)
        if (self->energies[k]->interface->add_turned)
            self->energies[k]->interface->add_turned(self->energies[k], n->x, self->trial, self->trial_forces);
    gather(self, self->trial_forces, &ignored);
    TRY(apply(self, self->step, self->scratch.product));
    for (size_t j = 0; j < self->unknown_count; j++)
        self->scratch.residual[j] = vec3_sub(self->gathered[j], self->scratch.product[j]);
    clear_held(self, self->scratch.residual);
    *size = sqrt(free_square(self, self->scratch.residual));
    return RUGA_OK;
}

/* Lets elements turn as the trial turns them, with the same K, while the energy falls. */
static ruga_status turn_step(equilibrium *self, const newton *n, equilibrium_report *report, double *energy,
                             double *elastic) {
    double size, part;
    cg_report solved;
    for (int k = 0; k < MOST_TURNS; k++) {
        TRY(turn_elements(self, n, &size));
        if (!(size > FORCING * n->reference)) break;
        memcpy(self->last_step, self->step, self->unknown_count * sizeof *self->step);
        TRY(solve_step(self, TURN_FORCING, &solved));
        report->iterations += solved.iterations;
        for (size_t j = 0; j < self->unknown_count; j++) self->step[j] = vec3_add(self->step[j], self->last_step[j]);
        const double turned = try_pins(self, n, self->step, &part, elastic);
        if (turned < *energy && part == 1) {
            *energy = turned;
            continue;
        }
        memcpy(self->step, self->last_step, self->unknown_count * sizeof *self->step);
        break;
    }
    *energy = try_pins(self, n, self->step, &part, elastic);
    return RUGA_OK;
}

/* Moves held unknowns by their displacements, or a part of them, and the others along. */
static ruga_status move_pins(equilibrium *self, newton *n, equilibrium_report *report, double *part) {
    cg_report solved;
    double elastic;
    self->is_projected = 1;
    TRY(linearise(self, n->x));
    vec3 *alone = self->scratch.direction;
    memset(alone, 0, self->unknown_count * sizeof *alone);
    for (size_t k = 0; k < self->held_count; k++) alone[self->held[k]] = self->held_moves[k];
    double alone_energy = try_pins(self, n, alone, part, &elastic), alone_part = *part;
    TRY(apply(self, alone, self->scratch.product));
    for (size_t j = 0; j < self->unknown_count; j++)
        self->scratch.residual[j] = vec3_sub(self->gathered[j], self->scratch.product[j]);
    clear_held(self, self->scratch.residual);
    n->reference = fmax(n->reference, sqrt(free_square(self, self->scratch.residual)));
    TRY(solve_step(self, FORCING, &solved));
    report->iterations += solved.iterations;
    for (size_t k = 0; k < self->held_count; k++) self->step[self->held[k]] = self->held_moves[k];

    /* Of both moves the one with less energy, or the one that leads farther. */
    double energy = try_pins(self, n, self->step, part, &elastic);
    if (*part == 1) TRY(turn_step(self, n, report, &energy, &elastic));
    if (alone_part > *part || (alone_part == *part && !(energy <= alone_energy))) {
        memset(self->step, 0, self->unknown_count * sizeof *self->step);
        for (size_t k = 0; k < self->held_count; k++) self->step[self->held[k]] = self->held_moves[k];
        energy = try_pins(self, n, self->step, part, &elastic);
    }
    accept_trial(self, n, *part, energy, elastic);
    return RUGA_OK;
}

static int has_converged(const equilibrium *self, const newton *n) {
    return !n->is_stuck && n->norm <= fmax(self->def.tolerance * n->reference, n->floor);
}

/* Moves obstacles on; returns the part that is left. Forces change with them. */
static double move_obstacles(equilibrium *self, newton *n) {
    double held_square;
    const double left = self->load->advance(self->load->user, n->x);
    n->energy = measure(self, n->x, self->forces, &n->elastic);
    n->norm = gather(self, self->forces, &held_square);
    n->reference = fmax(n->reference, sqrt(held_square));
    if (!(n->reference > 0)) n->reference = n->norm;
    n->follows_pins = 1;
    return left;
}

/* Pins and obstacles to their targets. Where contact limits their displacements, by parts, with some of Newton's steps
 * between them, which move the body aside. */
static ruga_status bring_pins(equilibrium *self, newton *n, equilibrium_report *report) {
    double part = 0, pins = pins_move(self), obstacles = self->load->advance != NULL;
    for (int round = 0; round < MOST_PARTS && (pins > 0 || obstacles > 0); round++) {
        if (obstacles > 0) obstacles = move_obstacles(self, n);
        if (round > 0) TRY(find_held(self, n->x));
        if (pins > 0) {
            TRY(move_pins(self, n, report, &part));
            pins = part < 1 ? pins * (1 - part) : 0;
        }
        int moved = 1;
        for (int k = 0; k < PART_STEPS && (pins > 0 || obstacles > 0) && moved && !has_converged(self, n); k++)
            TRY(take_step(self, n, report, &moved));
        if (report->steps >= self->def.most_steps) break;
    }
    n->is_stuck = pins > 0 || obstacles > 0;
    return RUGA_OK;
}

static ruga_status solve(equilibrium *self, newton *n, equilibrium_report *report) {
    double held_square;
    TRY(find_held(self, n->x));
    TRY(find_unknowns(self, n->x));
    n->energy = measure(self, n->x, self->forces, &n->elastic);
    n->norm = gather(self, self->forces, &held_square);
    n->reference = fmax(n->norm, sqrt(held_square));
    n->may_be_early = !pins_move(self);
    TRY(bring_pins(self, n, report));
    watch(self, n, report, report->iterations, 1);
    int moved = 1;
    while (moved && !n->is_stuck && !has_converged(self, n) && report->steps < self->def.most_steps)
        TRY(take_step(self, n, report, &moved));
    return RUGA_OK;
}

ruga_status equilibrium_solve(equilibrium *self, const equilibrium_load *load, vec3 *positions,
                              equilibrium_report *report) {
    newton n = {.x = positions};
    self->load = load;
    self->shift = 0;
    self->is_exact = self->last_iterations = 0;
    *report = (equilibrium_report){0};
    memcpy(self->start, positions, self->point_count * sizeof *positions);
    TRY(solve(self, &n, report));
    /* Forces that rounding hides are none. */
    const double reference = fmax(n.reference, n.floor / self->def.tolerance);
    report->residual = reference > 0 ? n.norm / reference : 0;
    report->force = n.norm;
    report->energy = n.elastic;
    report->converged = has_converged(self, &n);
    return RUGA_OK;
}
