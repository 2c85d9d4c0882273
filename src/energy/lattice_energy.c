/* Forces, products and matrices of lattices. Every loop runs over elements, or over nodes that add up what their
 * elements left (energy/element_lists.h). */
#include "energy/lattice_energy.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "energy/elastic.h"
#include "energy/lattice_kernels.h"

#define ELEMENT_BLOCK 4
#define NODE_BLOCK 64
#define LEAST_SUM 1e-9 /* of two singular values: a twist is stiffer than any other mode there */
enum { MOST_CORNERS = 27, BATCH = 512 };

static const int pairs[3][2] = {{1, 2}, {2, 0}, {0, 1}};

/* ---- Making. */

static ruga_status check(ruga_context *context, const lattice_material *m) {
    TRY(elastic_check(context, m->young, m->poisson));
    if (!(m->damping_time >= 0) || !isfinite(m->damping_time))
        return fail_input(context, "the damping time is %g s; it must be 0 or more, and finite", m->damping_time);
    return RUGA_OK;
}

static void set_moduli(lattice_energy *e) {
    double young = e->material.young * e->factor, poisson = e->material.poisson;
    e->shear = young / (2 * (1 + poisson));
    e->bulk = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    e->base.revision++;
}

/* The gradients of an element, point beside point. */
static void pack_gradients(const lattice_elements *l, size_t element, size_t lanes, double *out) {
    size_t count = l->offsets[element + 1] - l->offsets[element];
    const vec3 *gradients = l->gradients + l->shapes[element] * l->corner_count;
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < l->corner_count; i++) {
            vec3 g = gradients[p * l->corner_count + i];
            out[(3 * i + 0) * lanes + p] = g.x;
            out[(3 * i + 1) * lanes + p] = g.y;
            out[(3 * i + 2) * lanes + p] = g.z;
        }
}

/* Elements with the same gradients share them here too. */
static ruga_status make_packs(lattice_energy *e) {
    const lattice_elements *l = &e->elements;
    ruga_context *context = e->base.context;
    size_t numbers = 3 * l->corner_count, total = 0, rows = 0;
    size_t *first = NULL; /* of the element that has a row of gradients first */
    TRY(NEW(context, &e->lanes, l->element_count + 1));
    TRY(NEW(context, &e->pack_shapes, l->element_count));
    for (size_t k = 0; k < l->element_count; k++) {
        size_t end = l->shapes[k] + l->offsets[k + 1] - l->offsets[k];
        if (end > rows) rows = end;
    }
    TRY(NEW(context, &first, rows + 1));
    for (size_t r = 0; r <= rows; r++) first[r] = SIZE_MAX;
    e->lanes[0] = 0;
    for (size_t k = 0; k < l->element_count; k++) {
        size_t points = l->offsets[k + 1] - l->offsets[k];
        size_t lanes = (points + LATTICE_LANES - 1) / LATTICE_LANES * LATTICE_LANES;
        e->lanes[k + 1] = e->lanes[k] + lanes;
        size_t *shared = &first[l->shapes[k]];
        if (*shared == SIZE_MAX) {
            *shared = k;
            e->pack_shapes[k] = total;
            total += numbers * lanes;
        } else {
            e->pack_shapes[k] = e->pack_shapes[*shared];
        }
    }
    ruga_status status = NEW_ALIGNED_ZEROED(context, &e->pack_gradients, total);
    for (size_t k = 0; !RUGA_FAILED(status) && k < l->element_count; k++)
        if (first[l->shapes[k]] == k)
            pack_gradients(l, k, e->lanes[k + 1] - e->lanes[k], e->pack_gradients + e->pack_shapes[k]);
    memory_release(context, first);
    return status;
}

ruga_status lattice_energy_create(ruga_context *context, const lattice_elements *elements,
                                  const lattice_material *material, lattice_energy **out) {
    TRY(check(context, material));
    lattice_energy *self;
    size_t corners = elements->element_count * elements->corner_count;
    TRY(NEW_ZEROED(context, &self, 1));
    self->base = (energy_term){.interface = &lattice_energy_interface,
                               .context = context,
                               .point_count = elements->node_count,
                               .is_damped = material->damping_time > 0};
    self->elements = *elements;
    self->material = *material;
    self->factor = 1;
    set_moduli(self);
    ruga_status status = NEW(context, &self->corner_vectors, corners);
    if (!RUGA_FAILED(status))
        status = element_lists_make(context, elements->node_count, elements->element_count, elements->corner_count,
                                    elements->nodes, &self->lists);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &self->fibre_offsets, elements->element_count + 1);
    if (!RUGA_FAILED(status)) status = make_packs(self);
    RETURN_MADE(status, self, out, lattice_energy_destroy(self));
}

void lattice_energy_destroy(lattice_energy *e) {
    if (!e) return;
    ruga_context *context = e->base.context;
    element_lists_release(&e->lists);
    RELEASE_ALL(context, e->corner_vectors, e->states, e->fibres, e->fibre_offsets, e->activations, e->fibre_vectors,
                e->row_offsets, e->row_nodes, e->element_blocks, e->lanes, e->pack_shapes);
    memory_release_aligned(context, e->pack_gradients);
    memory_release_aligned(context, e->pack_states);
    memory_release(context, e);
}

ruga_status lattice_energy_set_factor(lattice_energy *e, double factor) {
    TRY(check_positive(e->base.context, "stiffness factor", factor));
    e->factor = factor;
    set_moduli(e);
    return RUGA_OK;
}

ruga_status lattice_energy_set_fibres(lattice_energy *e, size_t count, const muscle_fibre *fibres,
                                      size_t muscle_count) {
    ruga_context *context = e->base.context;
    muscle_fibre *copy = NULL;
    double *activations = NULL;
    vec3 *vectors = NULL;
    ruga_status status = NEW_COPY(context, &copy, fibres, count);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &activations, muscle_count);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(context, &vectors, count);
    if (RUGA_FAILED(status)) {
        RELEASE_ALL(context, copy, activations, vectors);
        return status;
    }
    RELEASE_ALL(context, e->fibres, e->activations, e->fibre_vectors);
    e->fibres = copy;
    e->activations = activations;
    e->fibre_vectors = vectors;
    e->fibre_count = count;
    e->muscle_count = muscle_count;
    for (size_t k = 0, element = 0; element <= e->elements.element_count; element++) {
        while (k < count && copy[k].point < e->elements.offsets[element]) k++;
        e->fibre_offsets[element] = k;
    }
    return RUGA_OK;
}

void lattice_energy_activate(lattice_energy *e, size_t muscle, double activation) {
    e->activations[muscle] = activation;
}

/* ---- One quadrature point. */

/* Σ values_i gradients_iᵀ over the corners of an element, gathered in `values`. */
static mat3 gather(size_t corners, const vec3 *values, const vec3 *gradients) {
    vec3 rows[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (size_t i = 0; i < corners; i++) {
        rows[0] = vec3_add_scaled(rows[0], gradients[i], values[i].x);
        rows[1] = vec3_add_scaled(rows[1], gradients[i], values[i].y);
        rows[2] = vec3_add_scaled(rows[2], gradients[i], values[i].z);
    }
    mat3 out;
    for (int r = 0; r < 3; r++) {
        out.at[r][0] = rows[r].x;
        out.at[r][1] = rows[r].y;
        out.at[r][2] = rows[r].z;
    }
    return out;
}

/* out_i += P gradients_i */
static void scatter(size_t corners, const mat3 *p, const vec3 *gradients, vec3 *out) {
    for (size_t i = 0; i < corners; i++) out[i] = vec3_add(out[i], mat3_apply(p, gradients[i]));
}

/* Σ m_rc u_r v_cᵀ */
static mat3 in_frame(const svd3 *s, double m[3][3]) {
    mat3 out = {{{0}}};
    for (int r = 0; r < 3; r++) {
        vec3 row = {0, 0, 0};
        for (int c = 0; c < 3; c++) row = vec3_add_scaled(row, s->v[c], m[r][c]);
        mat3_add_outer(&out, 1, s->u[r], row);
    }
    return out;
}

static double trace_of(const svd3 *s) { return s->values[0] + s->values[1] + s->values[2] - 3; }

static double density(const lattice_energy *e, const svd3 *s) {
    double sum = 0, trace = trace_of(s);
    for (int k = 0; k < 3; k++) sum += (s->values[k] - 1) * (s->values[k] - 1);
    return e->shear * sum + e->bulk / 2 * trace * trace;
}

static mat3 stress(const lattice_energy *e, const svd3 *s) {
    double m[3][3] = {{0}};
    for (int k = 0; k < 3; k++) m[k][k] = 2 * e->shear * (s->values[k] - 1) + e->bulk * trace_of(s);
    return in_frame(s, m);
}

mat3 lattice_energy_stress(const lattice_energy *e, const mat3 *f) {
    svd3 s = svd3_of(f);
    return stress(e, &s);
}

/* Corners of an element, gathered. */
static void gather_corners(const lattice_elements *l, size_t element, const vec3 *values, vec3 *out) {
    const uint32_t *nodes = l->nodes + element * l->corner_count;
    for (size_t i = 0; i < l->corner_count; i++) out[i] = values[nodes[i]];
}

static const vec3 *point_gradients(const lattice_elements *l, size_t element, size_t point) {
    return l->gradients + (l->shapes[element] + point - l->offsets[element]) * l->corner_count;
}

mat3 lattice_energy_gradient_at(const lattice_energy *e, size_t element, size_t point, const vec3 *positions) {
    vec3 corners[MOST_CORNERS];
    gather_corners(&e->elements, element, positions, corners);
    return gather(e->elements.corner_count, corners, point_gradients(&e->elements, element, point));
}

size_t lattice_energy_inverted(const lattice_energy *e, const vec3 *positions) {
    size_t count = 0;
    for (size_t k = 0; k < e->elements.element_count; k++)
        for (size_t q = e->elements.offsets[k]; q < e->elements.offsets[k + 1]; q++) {
            mat3 f = lattice_energy_gradient_at(e, k, q, positions);
            count += mat3_determinant(&f) < 0;
        }
    return count;
}

/* ---- Values and gradients. */

typedef struct energy_task {
    const lattice_energy *e;
    const vec3 *positions;
    vec3 *corner_vectors; /* NULL: the value alone */
} energy_task;

static double element_energy(const energy_task *task, size_t element) {
    const lattice_energy *e = task->e;
    const lattice_elements *l = &e->elements;
    vec3 corners[MOST_CORNERS];
    vec3 *out = task->corner_vectors ? task->corner_vectors + element * l->corner_count : NULL;
    double energy = 0;
    size_t fibre = e->fibre_offsets[element], fibre_end = e->fibre_offsets[element + 1];
    gather_corners(l, element, task->positions, corners);
    if (out) memset(out, 0, l->corner_count * sizeof *out);
    for (size_t q = l->offsets[element]; q < l->offsets[element + 1]; q++) {
        const vec3 *gradients = point_gradients(l, element, q);
        mat3 f = gather(l->corner_count, corners, gradients);
        svd3 s = svd3_of(&f);
        mat3 p = stress(e, &s);
        double sum = density(e, &s);
        for (; fibre < fibre_end && e->fibres[fibre].point == q; fibre++)
            sum += fibre_add_stress(&e->fibres[fibre], e->activations[e->fibres[fibre].muscle], &f, &p);
        energy += l->weights[q] * sum;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) p.at[r][c] *= l->weights[q];
        if (out) scatter(l->corner_count, &p, gradients, out);
    }
    return energy;
}

static double sum_energies(void *argument, size_t begin, size_t end) {
    double sum = 0;
    for (size_t k = begin; k < end; k++) sum += element_energy(argument, k);
    return sum;
}

static double value(const energy_term *term, const vec3 *positions) {
    const lattice_energy *e = (const lattice_energy *)term;
    energy_task task = {e, positions, NULL};
    return parallel_sum(term->context, e->elements.element_count, ELEMENT_BLOCK, sum_energies, &task);
}

static double add_gradient(const energy_term *term, const vec3 *positions, double scale, vec3 *out) {
    const lattice_energy *e = (const lattice_energy *)term;
    energy_task task = {e, positions, e->corner_vectors};
    double energy = parallel_sum(term->context, e->elements.element_count, ELEMENT_BLOCK, sum_energies, &task);
    element_lists_add(&e->lists, e->corner_vectors, scale, out);
    return energy;
}

/* ---- Linearising. */

typedef struct linear_task {
    lattice_energy *e;
    const vec3 *positions;
    energy_weights weights; /* damping: times the damping time */
    int definite;
} linear_task;

static lattice_state state_of(const linear_task *task, const mat3 *f, double volume) {
    const lattice_energy *e = task->e;
    lattice_state out = {.svd = svd3_of(f)};
    double off = e->bulk * trace_of(&out.svd) - 2 * e->shear;
    for (int k = 0; k < 3; k++) {
        double sum = fmax(out.svd.values[pairs[k][0]] + out.svd.values[pairs[k][1]], LEAST_SUM);
        double twist = 2 * e->shear + 2 * off / sum, projected = fmax(twist, 0);
        out.twists[k] = volume * (task->weights.stiffness * (task->definite ? projected : twist) +
                                  task->weights.damping * projected);
    }
    return out;
}

/* Writes a state among those of its element, as point p. */
static void pack_state(const lattice_energy *e, size_t element, size_t p, const lattice_state *state, double volume) {
    size_t lanes = e->lanes[element + 1] - e->lanes[element];
    double *out = e->pack_states + PACK_NUMBERS * e->lanes[element] + p;
    for (size_t k = 0; k < 3; k++) {
        const double u[3] = {state->svd.u[k].x, state->svd.u[k].y, state->svd.u[k].z};
        const double v[3] = {state->svd.v[k].x, state->svd.v[k].y, state->svd.v[k].z};
        for (size_t r = 0; r < 3; r++) {
            out[(PACK_U + 3 * k + r) * lanes] = u[r];
            out[(PACK_V + 3 * k + r) * lanes] = v[r];
        }
        out[(PACK_TWIST + k) * lanes] = state->twists[k];
    }
    out[PACK_SHEAR * lanes] = 2 * e->shear * e->linear_weight * volume;
    out[PACK_BULK * lanes] = e->bulk * e->linear_weight * volume;
}

static void linearise_elements(void *argument, size_t begin, size_t end) {
    const linear_task *task = argument;
    lattice_energy *e = task->e;
    const lattice_elements *l = &e->elements;
    for (size_t k = begin; k < end; k++) {
        vec3 corners[MOST_CORNERS];
        size_t fibre = e->fibre_offsets[k], fibre_end = e->fibre_offsets[k + 1];
        gather_corners(l, k, task->positions, corners);
        for (size_t q = l->offsets[k]; q < l->offsets[k + 1]; q++) {
            mat3 f = gather(l->corner_count, corners, point_gradients(l, k, q));
            e->states[q] = state_of(task, &f, l->weights[q]);
            pack_state(e, k, q - l->offsets[k], &e->states[q], l->weights[q]);
            for (; fibre < fibre_end && e->fibres[fibre].point == q; fibre++)
                e->fibre_vectors[fibre] = mat3_apply(&f, e->fibres[fibre].direction);
        }
    }
}

static ruga_status linearise(energy_term *term, const vec3 *positions, energy_weights weights, int definite) {
    lattice_energy *e = (lattice_energy *)term;
    if (!e->states) TRY(NEW(term->context, &e->states, e->elements.offsets[e->elements.element_count]));
    if (!e->pack_states)
        TRY(NEW_ALIGNED_ZEROED(term->context, &e->pack_states, PACK_NUMBERS * e->lanes[e->elements.element_count]));
    linear_task task = {e, positions, {weights.stiffness, weights.damping * e->material.damping_time}, definite};
    e->linear_weight = task.weights.stiffness + task.weights.damping;
    e->stiffness_weight = weights.stiffness;
    parallel_for(term->context, e->elements.element_count, ELEMENT_BLOCK, linearise_elements, &task);
    return RUGA_OK;
}

/* The tension of a fibre over its length, and its direction now; 0: none. */
static double stiffness_of(const lattice_energy *e, size_t k, double volume, vec3 *direction) {
    const muscle_fibre *at = &e->fibres[k];
    return fibre_stiffness(at, e->stiffness_weight * volume, e->activations[at->muscle], e->fibre_vectors[k],
                           direction);
}

/* Products of the fibres of an element. */
static void multiply_fibres(const lattice_energy *e, size_t element, const vec3 *corners, vec3 *out) {
    const lattice_elements *l = &e->elements;
    for (size_t fibre = e->fibre_offsets[element]; fibre < e->fibre_offsets[element + 1]; fibre++) {
        size_t q = e->fibres[fibre].point;
        const vec3 *gradients = point_gradients(l, element, q);
        vec3 now, d = e->fibres[fibre].direction, change = {0, 0, 0};
        double stiffness = stiffness_of(e, fibre, l->weights[q], &now);
        if (stiffness == 0) continue;
        for (size_t i = 0; i < l->corner_count; i++)
            change = vec3_add_scaled(change, corners[i], vec3_dot(gradients[i], d));
        change = vec3_sub(change, vec3_scale(now, vec3_dot(now, change)));
        for (size_t i = 0; i < l->corner_count; i++)
            out[i] = vec3_add_scaled(out[i], change, stiffness * vec3_dot(gradients[i], d));
    }
}

static void multiply_elements(void *argument, size_t begin, size_t end) {
    const energy_task *task = argument;
    const lattice_energy *e = task->e;
    const lattice_elements *l = &e->elements;
    for (size_t k = begin; k < end; k++) {
        vec3 corners[MOST_CORNERS], *out = task->corner_vectors + k * l->corner_count;
        const lattice_pack pack = {.corner_count = l->corner_count,
                                   .lanes = e->lanes[k + 1] - e->lanes[k],
                                   .gradients = e->pack_gradients + e->pack_shapes[k],
                                   .states = e->pack_states + PACK_NUMBERS * e->lanes[k]};
        gather_corners(l, k, task->positions, corners);
        ISA_SELECT(e->base.context->isa, lattice_product)(&pack, corners, out);
        multiply_fibres(e, k, corners, out);
    }
}

static void add_product(const energy_term *term, double scale, const vec3 *direction, vec3 *out) {
    const lattice_energy *e = (const lattice_energy *)term;
    energy_task task = {e, direction, e->corner_vectors};
    parallel_for(term->context, e->elements.element_count, ELEMENT_BLOCK, multiply_elements, &task);
    element_lists_add(&e->lists, e->corner_vectors, scale, out);
}

/* ---- Blocks. W of a point between corners a and b is
 *
 *     2μ (∇N_a · ∇N_b) 1 + λ (R ∇N_a)(R ∇N_b)ᵀ + Σ_k (t_k - 2μ) (W_k ∇N_a)(W_k ∇N_b)ᵀ
 *
 * with W_k = (u_i v_jᵀ - u_j v_iᵀ) / √2, and the fibres'. */

enum { TERMS = 4 };

static void corner_terms(const svd3 *s, vec3 gradient, vec3 out[TERMS]) {
    double along[3];
    out[3] = (vec3){0, 0, 0};
    for (int k = 0; k < 3; k++) {
        along[k] = vec3_dot(s->v[k], gradient);
        out[3] = vec3_add_scaled(out[3], s->u[k], along[k]);
    }
    for (int k = 0; k < 3; k++) {
        int i = pairs[k][0], j = pairs[k][1];
        out[k] = vec3_scale(vec3_sub(vec3_scale(s->u[i], along[j]), vec3_scale(s->u[j], along[i])), sqrt(0.5));
    }
}

static void point_weights(const lattice_energy *e, size_t q, double *shear, double out[TERMS]) {
    double volume = e->elements.weights[q] * e->linear_weight;
    *shear = 2 * e->shear * volume;
    for (int k = 0; k < 3; k++) out[k] = e->states[q].twists[k] - *shear;
    out[3] = e->bulk * volume;
}

static void add_fibre_block(const lattice_energy *e, size_t k, size_t q, vec3 a, vec3 b, mat3 *block) {
    vec3 now;
    double stiffness = stiffness_of(e, k, e->elements.weights[q], &now);
    if (stiffness != 0) fibre_add_block(&e->fibres[k], stiffness, now, a, b, block);
}

typedef struct block_task {
    const lattice_energy *e;
    double scale;
    mat3 *blocks;
    block_matrix *matrix;
    size_t begin, end; /* elements of the batch */
} block_task;

static mat3 diagonal_block(const lattice_energy *e, size_t element, size_t corner) {
    const lattice_elements *l = &e->elements;
    mat3 out = {{{0}}};
    size_t fibre = e->fibre_offsets[element], fibre_end = e->fibre_offsets[element + 1];
    for (size_t q = l->offsets[element]; q < l->offsets[element + 1]; q++) {
        vec3 gradient = point_gradients(l, element, q)[corner], terms[TERMS];
        double shear, weights[TERMS];
        point_weights(e, q, &shear, weights);
        corner_terms(&e->states[q].svd, gradient, terms);
        mat3_add_identity(&out, shear * vec3_length2(gradient));
        for (int k = 0; k < TERMS; k++) mat3_add_outer(&out, weights[k], terms[k], terms[k]);
        for (; fibre < fibre_end && e->fibres[fibre].point == q; fibre++)
            add_fibre_block(e, fibre, q, gradient, gradient, &out);
    }
    return out;
}

static void add_diagonal_blocks(void *argument, size_t begin, size_t end) {
    const block_task *task = argument;
    const lattice_energy *e = task->e;
    for (size_t i = begin; i < end; i++)
        for (uint32_t k = e->lists.offsets[i]; k < e->lists.offsets[i + 1]; k++) {
            size_t element = e->lists.corners[k] / e->elements.corner_count;
            mat3 block = diagonal_block(e, element, e->lists.corners[k] % e->elements.corner_count);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) task->blocks[i].at[r][c] += task->scale * block.at[r][c];
        }
}

static void add_blocks(const energy_term *term, double scale, mat3 *blocks) {
    const lattice_energy *e = (const lattice_energy *)term;
    block_task task = {.e = e, .scale = scale, .blocks = blocks};
    parallel_for(term->context, term->point_count, NODE_BLOCK, add_diagonal_blocks, &task);
}

/* ---- The matrix. */

/* Nodes that share an element with each node; returns the number of entries and, unless NULL, writes them. stamps:
 * (nodes) scratch. */
static size_t list_neighbours(const lattice_energy *e, uint32_t *stamps, uint32_t *row_offsets, uint32_t *row_nodes) {
    const lattice_elements *l = &e->elements;
    size_t total = 0;
    memset(stamps, 0xff, l->node_count * sizeof *stamps);
    for (size_t i = 0; i < l->node_count; i++) {
        row_offsets[i] = (uint32_t)total;
        stamps[i] = (uint32_t)i;
        for (uint32_t k = e->lists.offsets[i]; k < e->lists.offsets[i + 1]; k++) {
            const uint32_t *nodes = l->nodes + e->lists.corners[k] / l->corner_count * l->corner_count;
            for (size_t c = 0; c < l->corner_count; c++) {
                if (stamps[nodes[c]] == i) continue;
                stamps[nodes[c]] = (uint32_t)i;
                if (row_nodes) row_nodes[total] = nodes[c];
                total++;
            }
        }
    }
    row_offsets[l->node_count] = (uint32_t)total;
    return total;
}

static ruga_status make_rows(lattice_energy *e) {
    ruga_context *context = e->base.context;
    uint32_t *stamps = NULL, *offsets = NULL, *nodes = NULL;
    ruga_status status = NEW(context, &stamps, e->elements.node_count);
    if (!RUGA_FAILED(status)) status = NEW(context, &offsets, e->elements.node_count + 1);
    if (!RUGA_FAILED(status)) status = NEW(context, &nodes, list_neighbours(e, stamps, offsets, NULL));
    if (!RUGA_FAILED(status)) list_neighbours(e, stamps, offsets, nodes);
    memory_release(context, stamps);
    if (RUGA_FAILED(status)) {
        RELEASE_ALL(context, offsets, nodes);
        return status;
    }
    e->row_offsets = offsets;
    e->row_nodes = nodes;
    return RUGA_OK;
}

static ruga_status add_pattern(const energy_term *term, block_pattern *pattern) {
    lattice_energy *e = (lattice_energy *)term; /* the rows depend on the elements alone */
    size_t nodes = e->elements.corner_count, blocks = nodes * (nodes + 1) / 2;
    if (!e->row_offsets) TRY(make_rows(e));
    size_t batch = e->elements.element_count < BATCH ? e->elements.element_count : BATCH;
    if (!e->element_blocks) TRY(NEW(term->context, &e->element_blocks, batch * blocks));
    return block_pattern_add_rows(pattern, e->row_offsets, e->row_offsets + 1, e->row_nodes);
}

/* The place of the block (a, b), a <= b, among those of an element. */
static size_t upper_index(size_t corners, size_t a, size_t b) { return a * corners - a * (a + 1) / 2 + b; }

static void element_matrix(const lattice_energy *e, size_t element, mat3 *out) {
    const lattice_elements *l = &e->elements;
    size_t n = l->corner_count, fibre = e->fibre_offsets[element], fibre_end = e->fibre_offsets[element + 1];
    memset(out, 0, n * (n + 1) / 2 * sizeof *out);
    for (size_t q = l->offsets[element]; q < l->offsets[element + 1]; q++) {
        const vec3 *gradients = point_gradients(l, element, q);
        vec3 terms[MOST_CORNERS][TERMS];
        double shear, weights[TERMS];
        size_t fibres = fibre;
        point_weights(e, q, &shear, weights);
        for (size_t a = 0; a < n; a++) corner_terms(&e->states[q].svd, gradients[a], terms[a]);
        while (fibre < fibre_end && e->fibres[fibre].point == q) fibre++;
        for (size_t a = 0; a < n; a++)
            for (size_t b = a; b < n; b++) {
                mat3 *block = &out[upper_index(n, a, b)];
                mat3_add_identity(block, shear * vec3_dot(gradients[a], gradients[b]));
                for (int k = 0; k < TERMS; k++) mat3_add_outer(block, weights[k], terms[a][k], terms[b][k]);
                for (size_t f = fibres; f < fibre; f++) add_fibre_block(e, f, q, gradients[a], gradients[b], block);
            }
    }
}

static void make_matrices(void *argument, size_t begin, size_t end) {
    const block_task *task = argument;
    size_t n = task->e->elements.corner_count;
    for (size_t k = begin; k < end; k++)
        element_matrix(task->e, task->begin + k, task->e->element_blocks + k * (n * (n + 1) / 2));
}

static void add_rows(void *argument, size_t begin, size_t end) {
    const block_task *task = argument;
    const lattice_energy *e = task->e;
    size_t n = e->elements.corner_count;
    for (size_t i = begin; i < end; i++)
        for (uint32_t k = e->lists.offsets[i]; k < e->lists.offsets[i + 1]; k++) {
            size_t element = e->lists.corners[k] / n, a = e->lists.corners[k] % n;
            if (element < task->begin || element >= task->end) continue;
            const mat3 *blocks = e->element_blocks + (element - task->begin) * (n * (n + 1) / 2);
            for (size_t b = 0; b < n; b++) {
                mat3 block = blocks[a <= b ? upper_index(n, a, b) : upper_index(n, b, a)], turned;
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++) turned.at[r][c] = block.at[c][r];
                uint32_t entry = block_matrix_entry(task->matrix, i, e->elements.nodes[element * n + b]);
                block_matrix_add_block(task->matrix, entry, task->scale, a <= b ? &block : &turned);
            }
        }
}

static void add_matrix(const energy_term *term, double scale, block_matrix *matrix) {
    const lattice_energy *e = (const lattice_energy *)term;
    matrix->has_wide_elements = 1;
    for (size_t begin = 0; begin < e->elements.element_count; begin += BATCH) {
        size_t left = e->elements.element_count - begin, count = left < BATCH ? left : BATCH;
        block_task task = {.e = e, .scale = scale, .matrix = matrix, .begin = begin, .end = begin + count};
        parallel_for(term->context, count, 1, make_matrices, &task);
        parallel_for(term->context, term->point_count, NODE_BLOCK, add_rows, &task);
    }
}

const energy_interface lattice_energy_interface = {.name = "lattice",
                                                   .value = value,
                                                   .add_gradient = add_gradient,
                                                   .linearise = linearise,
                                                   .add_product = add_product,
                                                   .add_blocks = add_blocks,
                                                   .add_pattern = add_pattern,
                                                   .add_matrix = add_matrix};
