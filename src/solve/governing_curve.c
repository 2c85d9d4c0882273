/* Minimises the energies of governing curves, together where they cross.
 *
 * Nonlinear conjugate gradients (Polak and Ribière, restarted where the direction would be uphill) with a line search
 * for the strong Wolfe conditions, so the energy falls with every step. Preconditioned by the bending of a straight
 * curve, D2ᵀ D2, a band matrix of five diagonals that is factored once: without it waves as long as the curve take
 * thousands of steps. Nodes and crossings are linear in the heights; every direction is projected onto their null space
 * in the preconditioner's metric, so they hold throughout. */
#include "solve/governing_curve.h"

#include <string.h>

#include "solve/governing_model.h"

/* Units: with smaller heights a curve counts as straight. */
#define LEAST_HEIGHT 1e-4
enum { MAX_ITERATIONS = 600, SEARCH_SEEDS = 24, SEARCH_BUMPS = 9, MAX_LINE_STEPS = 24 };

governing_def governing_def_default(void) {
    return (governing_def){10, 1.3, GOVERNING_BAND, 3, 1, 1, 0, GOVERNING_SOFT, 0};
}

/* A linear constraint: the sum of heights times factors is 0. */
typedef struct held_row {
    size_t at[4];
    double factors[4];
} held_row;

typedef struct minimiser {
    ruga_context *context;
    size_t curve_count, unknown_count; /* unknowns: heights of all particles of all curves, one after the other */
    governing_curve *curves;
    governing_model *models; /* (curve_count) */
    size_t *offsets;         /* (curve_count + 1) of its heights */
    double *particle_rows;   /* (GOVERNING_ROWS x (unknown_count + curve_count)) */
    double *rests;           /* (unknown_count) m, of segments */
    vec3 *directions;        /* (unknown_count) of segments */
    double *band;            /* (unknown_count x 3) rows of the factor: diagonal, first and second below it */
    size_t *span_ends;       /* (unknown_count) */
    double *span_lengths;    /* (unknown_count) */
    const governing_crossing *crossings;
    size_t crossing_count, row_count, row_capacity;
    held_row *rows;      /* (row_capacity) */
    double *row_vectors; /* (row_capacity x unknown_count) M⁻¹ Cᵀ */
    double *row_matrix;  /* (row_capacity x row_capacity) Cholesky factor of C M⁻¹ Cᵀ */
    double *row_values;  /* (row_capacity) */
    double *heights, *gradient, *direction, *preconditioned, *old_gradient, *trial, *trial_gradient,
        *best; /* (unknown_count) */
    governing_room *room;
    size_t used; /* bytes of it */
} minimiser;

/* ---- The preconditioner. */

/* Particles at either end that do not move. */
static size_t fixed_at_ends(const governing_curve *curve) { return curve->closed ? 1 : 2; }

/* Factors the band (6, -4, 1) over the particles of a curve that move as L D Lᵀ. fixed: particles at either end. */
static void factor_band(double stiffness, size_t count, size_t fixed, double *band) {
    double scale = fmax(stiffness, 1e-3);
    memset(band, 0, count * 3 * sizeof *band);
    for (size_t i = fixed; i + fixed < count; i++) {
        double *row = band + 3 * i;
        const int has_one = i >= fixed + 1, has_two = i >= fixed + 2;
        double one = has_one ? row[-3] : 0, one_below = has_one ? row[-2] : 0, two = has_two ? row[-6] : 0;
        row[2] = has_two ? scale / two : 0;
        row[1] = has_one ? (-4 * scale - row[2] * two * one_below) / one : 0;
        row[0] = 6 * scale - row[1] * row[1] * one - row[2] * row[2] * two;
    }
}

static void solve_band(const double *band, size_t count, size_t fixed, double *x) {
    for (size_t i = 0; i < fixed; i++) x[i] = x[count - 1 - i] = 0;
    for (size_t i = fixed; i + fixed < count; i++) {
        double before = i >= fixed + 2 ? band[3 * i + 2] * x[i - 2] : 0;
        x[i] -= band[3 * i + 1] * x[i - 1] + before;
    }
    for (size_t i = fixed; i + fixed < count; i++) x[i] /= band[3 * i];
    for (size_t i = count - fixed; i-- > fixed;) {
        double later1 = i + 1 + fixed < count ? band[3 * (i + 1) + 1] * x[i + 1] : 0;
        double later2 = i + 2 + fixed < count ? band[3 * (i + 2) + 2] * x[i + 2] : 0;
        x[i] -= later1 + later2;
    }
}

static void precondition(const minimiser *m, double *x) {
    for (size_t c = 0; c < m->curve_count; c++)
        solve_band(m->band + 3 * m->offsets[c], m->curves[c].count, fixed_at_ends(&m->curves[c]), x + m->offsets[c]);
}

/* ---- Constraints: crossings and nodes. */

static double row_value(const held_row *row, const double *x) {
    double value = 0;
    for (int k = 0; k < 4; k++) value += row->factors[k] * x[row->at[k]];
    return value;
}

/* Projects x onto the null space of the rows. */
static void project(const minimiser *m, double *x) {
    size_t n = m->row_capacity;
    double *y = m->row_values;
    for (size_t i = 0; i < m->row_count; i++) {
        y[i] = row_value(&m->rows[i], x);
        for (size_t j = 0; j < i; j++) y[i] -= m->row_matrix[i * n + j] * y[j];
        y[i] /= m->row_matrix[i * n + i];
    }
    for (size_t i = m->row_count; i-- > 0;) {
        for (size_t j = i + 1; j < m->row_count; j++) y[i] -= m->row_matrix[j * n + i] * y[j];
        y[i] /= m->row_matrix[i * n + i];
    }
    for (size_t i = 0; i < m->row_count; i++)
        for (size_t k = 0; k < m->unknown_count; k++) x[k] -= m->row_vectors[i * m->unknown_count + k] * y[i];
}

static held_row crossing_row(const minimiser *m, const governing_crossing *crossing) {
    held_row row;
    for (int side = 0; side < 2; side++) {
        size_t curve = crossing->curves[side];
        double fraction = crossing->fractions[side];
        double metres = (side == 0 ? 1 : -1) * m->models[0].scale / m->models[curve].scale; /* in the first's units */
        row.at[2 * side] = m->offsets[curve] + crossing->segments[side];
        row.at[2 * side + 1] = row.at[2 * side] + 1;
        row.factors[2 * side] = metres * (1 - fraction);
        row.factors[2 * side + 1] = metres * fraction;
    }
    return row;
}

/* Whether a node of a curve is within a particle of a level crossing, which would then be held at height 0 too. */
static int is_crossed(const minimiser *m, size_t curve, size_t node) {
    for (size_t i = 0; i < m->crossing_count; i++)
        for (int side = 0; side < 2 && m->crossings[i].level; side++) {
            size_t segment = m->crossings[i].segments[side];
            if (m->crossings[i].curves[side] == curve && node + 1 >= segment && node <= segment + 2) return 1;
        }
    return 0;
}

/* The vector of the next row, and its row of the factor. Returns its pivot. */
static double factor_row(minimiser *m, const held_row *row) {
    size_t i = m->row_count, n = m->row_capacity;
    double *vector = m->row_vectors + i * m->unknown_count, *factor = m->row_matrix + i * n;
    memset(vector, 0, m->unknown_count * sizeof *vector);
    for (int k = 0; k < 4; k++) vector[row->at[k]] += row->factors[k];
    precondition(m, vector);
    for (size_t j = 0; j <= i; j++) {
        double value = row_value(row, m->row_vectors + j * m->unknown_count), whole = value;
        for (size_t k = 0; k < j; k++) value -= factor[k] * m->row_matrix[j * n + k];
        if (i != j)
            factor[j] = value / m->row_matrix[j * n + j];
        else
            factor[i] = value > 1e-12 * fabs(whole) ? sqrt(value) : 0;
    }
    return factor[i];
}

/* A row that no height can change, or that others imply, has no pivot and is left out: strokes along each other share
 * more places than they have heights. */
static void hold_row(minimiser *m, held_row row) {
    if (m->row_count == m->row_capacity || !(factor_row(m, &row) > 0)) return;
    m->rows[m->row_count++] = row;
}

/* Crossings first, so that where a node meets one, the node is implied. */
static void hold_rows(minimiser *m) {
    m->row_count = 0;
    for (size_t i = 0; i < m->crossing_count; i++) hold_row(m, crossing_row(m, &m->crossings[i]));
    for (size_t i = 0; i < m->crossing_count; i++)
        for (int side = 0; side < 2 && m->crossings[i].level; side++) {
            /* Equal heights at both ends of the segment with the crossing. */
            size_t at = m->offsets[m->crossings[i].curves[side]] + m->crossings[i].segments[side];
            hold_row(m, (held_row){{at, at + 1, at, at}, {1, -1, 0, 0}});
        }
    for (size_t c = 0; c < m->curve_count; c++)
        for (size_t s = 0; s + 1 < m->models[c].span_count; s++) {
            if (is_crossed(m, c, m->models[c].span_ends[s])) continue;
            size_t at = m->offsets[c] + m->models[c].span_ends[s];
            hold_row(m, (held_row){{at, at, at, at}, {1, 0, 0, 0}});
        }
}

/* ---- Descent. */

static double total_energy(const minimiser *m, const double *heights, double *gradient) {
    double energy = 0;
    for (size_t c = 0; c < m->curve_count; c++)
        energy += governing_model_energy(&m->models[c], heights + m->offsets[c], gradient + m->offsets[c], NULL);
    return energy;
}

static double dot(const minimiser *m, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < m->unknown_count; i++) sum += a[i] * b[i];
    return sum;
}

typedef struct line_point {
    double step, energy, slope;
} line_point;

static line_point look_along(minimiser *m, double step) {
    for (size_t i = 0; i < m->unknown_count; i++) m->trial[i] = m->heights[i] + step * m->direction[i];
    double energy = total_energy(m, m->trial, m->trial_gradient);
    return (line_point){step, energy, dot(m, m->trial_gradient, m->direction)};
}

/* The minimum of the cubic through two points of a line, but not too near to either. */
static double cubic_step(line_point a, line_point b) {
    double d = a.slope + b.slope - 3 * (a.energy - b.energy) / (a.step - b.step), inside = d * d - a.slope * b.slope;
    double width = b.step - a.step, step = 0.5 * (a.step + b.step);
    if (inside >= 0) {
        double root = copysign(sqrt(inside), width);
        double t = b.step - width * (b.slope + root - d) / (b.slope - a.slope + 2 * root);
        if (isfinite(t)) step = t;
    }
    double low = fmin(a.step, b.step) + 0.1 * fabs(width), high = fmax(a.step, b.step) - 0.1 * fabs(width);
    return fmin(fmax(step, low), high);
}

static double greatest_size(const double *x, size_t count) {
    double greatest = 0;
    for (size_t i = 0; i < count; i++) greatest = fmax(greatest, fabs(x[i]));
    return greatest;
}

/* The longest step by which no curve changes by more than half its height, so that none switches to its mirror image,
 * which has about the same energy: wrinkles would change sides while a length is animated. */
static double step_limit(const minimiser *m) {
    double limit = INFINITY;
    for (size_t c = 0; c < m->curve_count; c++) {
        size_t at = m->offsets[c], count = m->curves[c].count;
        double height = greatest_size(m->heights + at, count), change = greatest_size(m->direction + at, count);
        if (change > 0) limit = fmin(limit, (0.5 * height + LEAST_HEIGHT) / change);
    }
    return limit;
}

/* A step with less energy (Wolfe's conditions), or the longest that is allowed; 0 when there is none. Leaves its
 * heights and gradient in trial and trial_gradient. */
static line_point search_line(minimiser *m, line_point start, double first_step) {
    line_point low = start, high = {0, 0, 0}, best = start;
    double limit = step_limit(m), step = fmin(first_step, limit);
    int bracketed = 0;
    for (int i = 0; i < MAX_LINE_STEPS; i++) {
        line_point now = look_along(m, step);
        int worse = !(now.energy <= start.energy + 1e-4 * step * start.slope) || now.energy >= low.energy;
        if (!worse && (fabs(now.slope) <= -0.2 * start.slope || (step == limit && now.slope < 0))) return now;
        if (worse || now.slope >= 0) {
            if (!worse) {
                high = low;
                low = best = now;
            } else
                high = now;
            bracketed = 1;
        } else {
            if (bracketed && (now.slope > 0) == (high.step > low.step)) high = low;
            low = best = now;
        }
        step = bracketed ? cubic_step(low, high) : fmin(3 * step, limit);
        if (bracketed && fabs(high.step - low.step) < 1e-14 * fabs(step)) break;
    }
    return best.step > 0 ? look_along(m, best.step) : best;
}

static void new_direction(minimiser *m, double beta) {
    for (size_t i = 0; i < m->unknown_count; i++) m->direction[i] = beta * m->direction[i] - m->preconditioned[i];
}

/* Descends from m->heights until there is no progress. Returns the energy. */
static double descend(minimiser *m, int *iterations) {
    size_t bytes = m->unknown_count * sizeof *m->heights;
    double energy = total_energy(m, m->heights, m->gradient), old_product = 0, step = 1e-2;
    int idle = 0, most = m->room->stop_after > 0 ? m->room->stop_after : MAX_ITERATIONS;
    *iterations = 0;
    for (int i = 0; i < most && idle < 3; i++) {
        memcpy(m->preconditioned, m->gradient, bytes);
        precondition(m, m->preconditioned);
        project(m, m->preconditioned);
        double product = dot(m, m->gradient, m->preconditioned);
        if (!(product > 1e-24)) break;
        double beta = i == 0 ? 0 : fmax(0, (product - dot(m, m->old_gradient, m->preconditioned)) / old_product);
        new_direction(m, beta);
        double slope = dot(m, m->gradient, m->direction);
        if (slope > -1e-3 * product) {
            new_direction(m, 0);
            slope = -product;
        }
        line_point found = search_line(m, (line_point){0, energy, slope}, step);
        if (found.step <= 0) break;
        idle = energy - found.energy < 1e-9 * (1 + fabs(energy)) ? idle + 1 : 0;
        energy = found.energy;
        step = found.step;
        old_product = product;
        memcpy(m->old_gradient, m->gradient, bytes);
        memcpy(m->heights, m->trial, bytes);
        memcpy(m->gradient, m->trial_gradient, bytes);
        *iterations = i + 1;
    }
    return energy;
}

/* ---- Starts. */

/* A curve with a target length of 1 starts, and without crossings stays, flat; one with a shape keeps its nodes. */
static void start_curve(governing_model *model, int attempt, double *heights) {
    const governing_def *def = &model->curve->def;
    const double *shape = model->curve->shape;
    if (!(def->length > 1) && !shape) {
        model->span_count = 1;
        model->span_ends[0] = model->curve->count - 1;
        model->span_lengths[0] = def->length;
        memset(heights, 0, model->curve->count * sizeof *heights);
    } else if (def->start == GOVERNING_COUNT)
        governing_start_count(model, def->wrinkles, heights);
    else if (def->start == GOVERNING_BAND)
        governing_start_band(model, def->seed, heights);
    else
        governing_start_free(model, attempt < SEARCH_BUMPS ? attempt + 1 : 0, def->seed + attempt, heights);
    if (shape) governing_start_shape(model, heights);
}

static double start_at(const minimiser *m, const governing_crossing *crossing, int side) {
    const double *heights = m->heights + m->offsets[crossing->curves[side]] + crossing->segments[side];
    return heights[0] + crossing->fractions[side] * (heights[1] - heights[0]);
}

/* Each curve starts on the side of those before it at their crossings. */
static void agree_on_sides(minimiser *m) {
    for (size_t c = 1; c < m->curve_count; c++) {
        double agreement = 0;
        for (size_t i = 0; i < m->crossing_count; i++)
            for (int side = 0; side < 2; side++)
                if (m->crossings[i].curves[side] == c && m->crossings[i].curves[1 - side] < c)
                    agreement += start_at(m, &m->crossings[i], 0) * start_at(m, &m->crossings[i], 1);
        for (size_t i = m->offsets[c]; i < m->offsets[c + 1] && agreement < 0; i++) m->heights[i] = -m->heights[i];
    }
}

static void start_all(minimiser *m, int attempt) {
    for (size_t c = 0; c < m->curve_count; c++) start_curve(&m->models[c], attempt, m->heights + m->offsets[c]);
    agree_on_sides(m);
    hold_rows(m);
    project(m, m->heights);
}

static void take_result(const minimiser *m, int iterations) {
    for (size_t c = 0; c < m->curve_count; c++) {
        governing_curve *curve = &m->curves[c];
        const double *heights = m->heights + m->offsets[c];
        double length;
        curve->energy = governing_model_energy(&m->models[c], heights, NULL, &length);
        curve->reached = length / GOVERNING_LENGTH;
        curve->iterations = iterations;
        curve->wrinkles = m->models[c].span_count;
        for (size_t i = 0; i < curve->count; i++) curve->deflections[i] = heights[i] / m->models[c].scale;
    }
}

/* ---- Memory. */

void governing_room_release(ruga_context *context, governing_room *room) {
    memory_release(context, room->memory);
    room->memory = NULL;
    room->size = 0;
}

/* The next piece of the room; NULL without memory, when only the size is counted. */
static void *carve(minimiser *m, size_t count, size_t size) {
    void *piece = m->room->memory ? (unsigned char *)m->room->memory + m->used : NULL;
    m->used += (count * size + 15) / 16 * 16;
    return piece;
}

/* All eight vectors of heights are one piece. */
static void lay_out(minimiser *m) {
    size_t n = m->unknown_count, rows = m->row_capacity;
    m->used = 0;
    m->offsets = carve(m, m->curve_count + 1, sizeof *m->offsets);
    m->models = carve(m, m->curve_count, sizeof *m->models);
    m->span_ends = carve(m, n, sizeof *m->span_ends);
    m->span_lengths = carve(m, n, sizeof *m->span_lengths);
    m->particle_rows = carve(m, GOVERNING_ROWS * (n + m->curve_count), sizeof *m->particle_rows);
    m->rests = carve(m, n, sizeof *m->rests);
    m->directions = carve(m, n, sizeof *m->directions);
    m->band = carve(m, 3 * n, sizeof *m->band);
    m->rows = carve(m, rows, sizeof *m->rows);
    m->row_vectors = carve(m, rows * n, sizeof *m->row_vectors);
    m->row_matrix = carve(m, rows * rows, sizeof *m->row_matrix);
    m->row_values = carve(m, rows, sizeof *m->row_values);
    m->heights = carve(m, 8 * n, sizeof *m->heights);
}

/* Allocates the room if it is too small. Its old contents do not matter. */
static ruga_status find_room(minimiser *m) {
    governing_room kept = *m->room;
    m->room->memory = NULL;
    lay_out(m);
    *m->room = kept;
    if (!kept.memory || kept.size < m->used) {
        governing_room_release(m->context, m->room);
        unsigned char *memory;
        TRY(NEW(m->context, &memory, m->used));
        m->room->memory = memory;
        m->room->size = m->used;
    }
    lay_out(m);
    memset(m->heights, 0, 8 * m->unknown_count * sizeof *m->heights);
    double **vectors[] = {&m->gradient,       &m->direction, &m->preconditioned, &m->old_gradient, &m->trial,
                          &m->trial_gradient, &m->best};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = m->heights + (i + 1) * m->unknown_count;
    return RUGA_OK;
}

static ruga_status minimiser_make(minimiser *m) {
    m->row_capacity = 3 * m->crossing_count;
    for (size_t c = 0; c < m->curve_count; c++) {
        m->unknown_count += m->curves[c].count;
        m->row_capacity += governing_most_spans(m->curves[c].count);
    }
    /* No more can be independent. */
    m->row_capacity = m->row_capacity < m->unknown_count ? m->row_capacity : m->unknown_count;
    TRY(find_room(m));
    m->offsets[0] = 0;
    for (size_t c = 0; c < m->curve_count; c++) m->offsets[c + 1] = m->offsets[c] + m->curves[c].count;
    for (size_t c = 0; c < m->curve_count; c++) {
        const governing_curve *curve = &m->curves[c];
        double *particle_rows = m->particle_rows + GOVERNING_ROWS * (m->offsets[c] + c);
        m->models[c] = governing_model_make(curve);
        governing_fill_rows(&m->models[c], particle_rows);
        m->models[c].rows = particle_rows;
        m->models[c].isa = m->context->isa;
        m->models[c].span_ends = m->span_ends + m->offsets[c];
        m->models[c].span_lengths = m->span_lengths + m->offsets[c];
        m->models[c].rests = m->rests + m->offsets[c];
        m->models[c].directions = m->directions + m->offsets[c];
        for (size_t i = 0; i + 1 < curve->count; i++)
            m->rests[m->offsets[c] + i] = vec3_distance(curve->points[i], curve->points[i + 1]);
        factor_band(curve->def.stiffness, curve->count, fixed_at_ends(curve), m->band + 3 * m->offsets[c]);
    }
    return RUGA_OK;
}

/* Leaves the best of all attempts in heights; between descents only `best` is kept. */
static ruga_status minimise_attempts(minimiser *m) {
    int attempts = 1, iterations, all_shaped = 1;
    for (size_t c = 0; c < m->curve_count; c++) all_shaped &= m->curves[c].shape != NULL;
    if (all_shaped) {
        start_all(m, 0);
        take_result(m, 0);
        return RUGA_OK;
    }
    for (size_t c = 0; c < m->curve_count; c++)
        if (m->curves[c].def.start == GOVERNING_SEARCH && !m->curves[c].shape) attempts = SEARCH_BUMPS + SEARCH_SEEDS;
    size_t bytes = m->unknown_count * sizeof *m->best;
    double least = INFINITY;
    int best_iterations = 0;
    for (int attempt = 0; attempt < attempts; attempt++) {
        TRY(report_progress(m->context, "finding the shape of wrinkles", (double)attempt / attempts));
        start_all(m, attempt);
        double energy = descend(m, &iterations);
        if (energy >= least) continue;
        least = energy;
        best_iterations = iterations;
        memcpy(m->best, m->heights, bytes);
    }
    memcpy(m->heights, m->best, bytes);
    take_result(m, best_iterations);
    return RUGA_OK;
}

ruga_status governing_minimise_in(ruga_context *context, governing_room *room, governing_curve *curves, size_t count,
                                  const governing_crossing *crossings, size_t crossing_count) {
    int all_straight = 1;
    for (size_t c = 0; c < count; c++) all_straight &= !(curves[c].def.length > 1);
    if (all_straight) {
        for (size_t c = 0; c < count; c++) {
            memset(curves[c].deflections, 0, curves[c].count * sizeof *curves[c].deflections);
            curves[c].energy = 0;
            curves[c].reached = 1;
            curves[c].wrinkles = 0;
            curves[c].iterations = 0;
        }
        return RUGA_OK;
    }
    minimiser m = {.context = context,
                   .curve_count = count,
                   .curves = curves,
                   .crossings = crossings,
                   .crossing_count = crossing_count,
                   .room = room};
    TRY(minimiser_make(&m));
    return minimise_attempts(&m);
}

ruga_status governing_minimise(ruga_context *context, governing_curve *curves, size_t count,
                               const governing_crossing *crossings, size_t crossing_count) {
    governing_room room = {0};
    ruga_status status = governing_minimise_in(context, &room, curves, count, crossings, crossing_count);
    governing_room_release(context, &room);
    return status;
}

size_t governing_extrema(const double *deflections, size_t count) {
    double greatest = 0;
    for (size_t i = 0; i < count; i++) greatest = fmax(greatest, fabs(deflections[i]));
    size_t extrema = 0;
    double side = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        double rise = deflections[i + 1] - deflections[i];
        if (rise != 0 && side * rise < 0 && fabs(deflections[i]) > 0.01 * greatest) extrema++;
        if (rise != 0) side = rise;
    }
    return extrema;
}
