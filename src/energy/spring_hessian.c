/* The springs' Hessian and damping, block by block; the header has the form. */
#include "energy/spring_hessian.h"

#include <math.h>

#include "base/threads.h"
#include "energy/spring_kernels.h"
#include "energy/strain_limit.h"

#define POINT_BLOCK 512
#define AXIAL_BLOCK 1024
#define BUCKLING 0.25 /* with it a zigzag of edges gets, in one step, the deflection that relieves it (the header) */
#define MOST_BUCKLING 0.3 /* of |t/l|: a deflection can still grow by a factor of 4 in a step */

ruga_status spring_hessian_make(const spring_network *network, spring_hessian *out) {
    ruga_context *context = network->context;
    *out = (spring_hessian){.network = network};
    TRY(NEW_ALIGNED(context, &out->blocks, SPRING_BLOCK_NUMBERS * network->entry_count));
    TRY(NEW(context, &out->net_forces, network->point_count));
    TRY(NEW(context, &out->axial_rank_one, network->axial_count));
    TRY(NEW(context, &out->axial_isotropic, network->axial_count));
    return NEW(context, &out->axial_products, network->axial_count);
}

void spring_hessian_release(spring_hessian *h) {
    if (!h->network) return;
    memory_release_aligned(h->network->context, h->blocks);
    memory_release(h->network->context, h->net_forces);
    memory_release(h->network->context, h->axial_rank_one);
    memory_release(h->network->context, h->axial_isotropic);
    memory_release(h->network->context, h->axial_products);
    *h = (spring_hessian){0};
}

/* ---- Linearising. */

typedef struct linearise_task {
    spring_hessian *hessian;
    const vec3 *positions;
    energy_weights weights;
    int definite;
} linearise_task;

/* N, of an entry of a point's list, without the strain limit. */
static double entry_tension(const spring_network *n, size_t i, size_t e, double length) {
    spring_phases phases = spring_network_phases(n, i, e);
    double k = n->factor * n->stiffness[e], rest = n->rest_lengths[e];
    return spring_phases_differ(phases) ? spring_tension(phases, k, rest, length) : k * (length - rest);
}

static void find_net_forces(void *argument, size_t begin, size_t end) {
    const linearise_task *task = argument;
    const spring_network *n = task->hessian->network;
    for (size_t i = begin; i < end; i++) {
        vec3 sum = {0, 0, 0};
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
            vec3 d = vec3_sub(task->positions[n->others[e]], task->positions[i]);
            double length = vec3_length(d);
            if (length > 0) sum = vec3_add_scaled(sum, d, entry_tension(n, i, e, length) / length);
        }
        task->hessian->net_forces[i] = sum;
    }
}

/* N/m: how a compressed spring along d resists sideways (the header); most: that it may be. */
static double buckling_stiffness(const vec3 *net_forces, size_t i, size_t j, vec3 d, double rest, double most) {
    double length = vec3_length(d), side = 0;
    const size_t ends[2] = {i, j};
    for (int k = 0; k < 2; k++) {
        vec3 f = net_forces[ends[k]];
        side += vec3_length(vec3_add_scaled(f, d, -vec3_dot(f, d) / (length * length)));
    }
    double relief = sqrt(2 * length * (rest - length));
    return relief > 0 ? fmin(most, BUCKLING * side / relief) : most;
}

/* a and g of an entry of a point's list. */
static double entry_block(const linearise_task *task, size_t i, size_t e, vec3 *rank_one) {
    const spring_network *n = task->hessian->network;
    energy_weights weights = task->weights;
    double isotropic = 0, along = 0;
    vec3 d = vec3_sub(task->positions[n->others[e]], task->positions[i]);
    double length = vec3_length(d), k = n->factor * n->stiffness[e], rest = n->rest_lengths[e];
    if (weights.stiffness != 0) {
        spring_phases phases = spring_network_phases(n, i, e);
        double tension = entry_tension(n, i, e, length);
        double tangent = spring_phases_differ(phases) ? spring_tangent(phases, k, rest, length) : k;
        if (spring_network_is_limited(n) && rest > 0) {
            limit_law beyond = limit_beyond(length / rest - 1 - n->limits[e], LIMIT_RAMP);
            tension += n->hard * k * rest * beyond.force;
            tangent += n->hard * k * beyond.tangent;
        }
        double across = length > 0 ? tension / length : 0;
        if (task->definite && across < 0) {
            double most = task->hessian->eases_buckling ? -MOST_BUCKLING * across : 0;
            across = most > 0 ? buckling_stiffness(task->hessian->net_forces, i, n->others[e], d, rest, most) : 0;
        }
        if (rest == 0) across = k;
        isotropic = weights.stiffness * across;
        /* Negative only for springs that have lost half of their length. */
        along = tangent > across ? weights.stiffness * (tangent - across) : 0;
    }
    along += weights.damping * (n->damping ? n->factor * n->damping[e] : n->damping_time * k);
    *rank_one = length > 0 ? vec3_scale(d, sqrt(along) / length) : (vec3){0, 0, 0};
    return isotropic;
}

static void linearise_points(void *argument, size_t begin, size_t end) {
    const linearise_task *task = argument;
    const spring_network *n = task->hessian->network;
    for (size_t i = begin; i < end; i++)
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++) {
            vec3 g;
            double isotropic = entry_block(task, i, e, &g);
            double *block = task->hessian->blocks + SPRING_BLOCK_NUMBERS * (e - e % SPRING_LANES) + e % SPRING_LANES;
            block[0] = g.x;
            block[SPRING_LANES] = g.y;
            block[2 * SPRING_LANES] = g.z;
            block[3 * SPRING_LANES] = isotropic;
        }
}

static vec3 axial_span(const axial_spring *s, const vec3 *values) {
    vec3 span = {0, 0, 0};
    for (int p = 0; p < 4; p++) span = vec3_add_scaled(span, values[s->points[p]], s->weights[p]);
    return span;
}

static void linearise_axial(void *argument, size_t begin, size_t end) {
    const linearise_task *task = argument;
    spring_hessian *h = task->hessian;
    for (size_t k = begin; k < end; k++) {
        const axial_spring *s = &h->network->axial[k];
        double weight = task->weights.stiffness * h->network->factor * s->stiffness;
        vec3 span = axial_span(s, task->positions);
        double length = vec3_length(span);
        double across = s->rest_length == 0 ? 1 : length > 0 ? 1 - s->rest_length / length : 0;
        if (task->definite) across = fmax(across, 0);
        h->axial_rank_one[k] = length > 0 ? vec3_scale(span, sqrt(weight * (1 - across)) / length) : (vec3){0, 0, 0};
        h->axial_isotropic[k] = weight * across;
    }
}

void spring_hessian_linearise(spring_hessian *h, const vec3 *positions, energy_weights weights, int definite) {
    const spring_network *n = h->network;
    linearise_task task = {h, positions, weights, definite};
    h->with_axial = n->axial_count > 0 && weights.stiffness != 0;
    if (h->with_axial) parallel_for(n->context, n->axial_count, AXIAL_BLOCK, linearise_axial, &task);
    if (definite && h->eases_buckling && weights.stiffness != 0)
        parallel_for(n->context, n->point_count, POINT_BLOCK, find_net_forces, &task);
    parallel_for(n->context, n->point_count, POINT_BLOCK, linearise_points, &task);
}

/* ---- The diagonal. */

static void add_block(double block[6], double isotropic, vec3 g, double factor) {
    block[0] += factor * (isotropic + g.x * g.x);
    block[1] += factor * (isotropic + g.y * g.y);
    block[2] += factor * (isotropic + g.z * g.z);
    block[3] += factor * g.x * g.y;
    block[4] += factor * g.x * g.z;
    block[5] += factor * g.y * g.z;
}

static void add_entry(const spring_hessian *h, size_t e, double factor, spring_diagonal *out) {
    const double *block = h->blocks + SPRING_BLOCK_NUMBERS * (e - e % SPRING_LANES) + e % SPRING_LANES;
    vec3 g = {block[0], block[SPRING_LANES], block[2 * SPRING_LANES]};
    add_block(out->at, block[3 * SPRING_LANES], g, factor);
}

void spring_hessian_add_diagonal(const spring_hessian *h, size_t point, spring_diagonal *out) {
    const spring_network *n = h->network;
    for (size_t e = n->offsets[point]; e < n->offsets[point + 1]; e++) add_entry(h, e, 1, out);
    if (!h->with_axial) return;
    for (size_t e = n->axial_offsets[point]; e < n->axial_offsets[point + 1]; e++) {
        uint32_t k = n->axial_entries[e] / 4;
        double w = n->axial[k].weights[n->axial_entries[e] % 4];
        add_block(out->at, h->axial_isotropic[k], h->axial_rank_one[k], w * w);
    }
}

static double weight_at(const ruga_map *map, size_t row, size_t column) {
    for (size_t e = map->offsets[row]; e < map->offsets[row + 1]; e++)
        if (map->indices[e] == column) return map->weights[e];
    return 0;
}

/* A spring adds (w_i - w_j)² B, where w are the column's weights at its ends: w_i (w_i - w_j) from i's list and the
 * rest from j's. An axial spring adds the square of its weighted sum likewise. */
void spring_hessian_add_bound_diagonal(const spring_hessian *h, const ruga_map *bound, const ruga_map *transpose,
                                       size_t column, spring_diagonal *out) {
    const spring_network *n = h->network;
    for (size_t r = transpose->offsets[column]; r < transpose->offsets[column + 1]; r++) {
        size_t i = transpose->indices[r];
        double w = transpose->weights[r];
        for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e++)
            add_entry(h, e, w * (w - weight_at(bound, n->others[e], column)), out);
        for (size_t e = h->with_axial ? n->axial_offsets[i] : 0; h->with_axial && e < n->axial_offsets[i + 1]; e++) {
            uint32_t k = n->axial_entries[e] / 4;
            const axial_spring *s = &n->axial[k];
            double sum = 0;
            for (int p = 0; p < 4; p++) sum += s->weights[p] * weight_at(bound, s->points[p], column);
            add_block(out->at, h->axial_isotropic[k], h->axial_rank_one[k],
                      w * s->weights[n->axial_entries[e] % 4] * sum);
        }
    }
}

/* ---- Products. */

static void multiply_axial(void *argument, size_t begin, size_t end) {
    const spring_product_pass *pass = argument;
    const spring_hessian *h = pass->hessian;
    for (size_t k = begin; k < end; k++) {
        vec3 span = axial_span(&h->network->axial[k], pass->in), g = h->axial_rank_one[k];
        h->axial_products[k] = vec3_add_scaled(vec3_scale(span, h->axial_isotropic[k]), g, vec3_dot(g, span));
    }
}

static void multiply_points(void *argument, size_t begin, size_t end) {
    const spring_product_pass *pass = argument;
    const spring_hessian *h = pass->hessian;
    const spring_network *n = h->network;
    ISA_SELECT(n->context->isa, spring_products)(pass, begin, end);
    if (!h->with_axial) return;
    double scale = pass->masses ? 1 : pass->scale;
    for (size_t i = begin; i < end; i++)
        for (size_t e = n->axial_offsets[i]; e < n->axial_offsets[i + 1]; e++) {
            uint32_t entry = n->axial_entries[e];
            double w = scale * n->axial[entry / 4].weights[entry % 4];
            pass->out[i] = vec3_add_scaled(pass->out[i], h->axial_products[entry / 4], w);
        }
}

void spring_hessian_multiply(const spring_product_pass *pass) {
    const spring_hessian *h = pass->hessian;
    const spring_network *n = h->network;
    if (h->with_axial) parallel_for(n->context, n->axial_count, AXIAL_BLOCK, multiply_axial, (void *)pass);
    parallel_for(n->context, n->point_count, POINT_BLOCK, multiply_points, (void *)pass);
}

/* ---- As a matrix. */

ruga_status spring_hessian_add_pattern(const spring_network *n, block_pattern *pattern) {
    TRY(block_pattern_add_rows(pattern, n->offsets, n->offsets + 1, n->others));
    if (n->axial_count == 0) return RUGA_OK;
    return block_pattern_add_elements(pattern, n, 0, 4, n->axial_count, n->axial_points);
}

ruga_status spring_hessian_add_edge_pattern(const spring_network *n, block_pattern *pattern) {
    return block_pattern_add_rows(pattern, n->offsets, n->edge_ends, n->others);
}

typedef struct matrix_task {
    const spring_hessian *hessian;
    double scale;
    int edges_only;
    block_matrix *matrix;
} matrix_task;

/* The row of each point: B on the diagonal, -B between the ends. Entries of padding have no stiffness. */
static void add_matrix_rows(void *argument, size_t begin, size_t stop) {
    const matrix_task *task = argument;
    const spring_hessian *h = task->hessian;
    block_matrix *m = task->matrix;
    for (size_t i = begin; i < stop; i++) {
        mat3 sum = {{{0}}};
        size_t end = task->edges_only ? h->network->edge_ends[i] : h->network->offsets[i + 1];
        for (size_t e = h->network->offsets[i]; e < end; e++) {
            const double *block = h->blocks + SPRING_BLOCK_NUMBERS * (e - e % SPRING_LANES) + e % SPRING_LANES;
            vec3 g = {block[0], block[SPRING_LANES], block[2 * SPRING_LANES]};
            mat3 b = {{{0}}};
            if (h->network->others[e] == i) continue;
            mat3_add_identity(&b, block[3 * SPRING_LANES]);
            mat3_add_outer(&b, 1, g, g);
            for (int k = 0; k < 9; k++) sum.at[k / 3][k % 3] += b.at[k / 3][k % 3];
            block_matrix_add_block(m, block_matrix_entry(m, i, h->network->others[e]), -task->scale, &b);
        }
        block_matrix_add_block(m, m->diagonals[i], task->scale, &sum);
    }
}

static void axial_element(const void *user, size_t element, mat3 *blocks) {
    const spring_hessian *h = user;
    const double *w = h->network->axial[element].weights;
    vec3 g = h->axial_rank_one[element];
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++) {
            blocks[4 * a + b] = (mat3){{{0}}};
            mat3_add_identity(&blocks[4 * a + b], w[a] * w[b] * h->axial_isotropic[element]);
            mat3_add_outer(&blocks[4 * a + b], w[a] * w[b], g, g);
        }
}

void spring_hessian_add_matrix(const spring_hessian *h, double scale, block_matrix *matrix) {
    matrix_task task = {h, scale, 0, matrix};
    parallel_for(h->network->context, h->network->point_count, POINT_BLOCK, add_matrix_rows, &task);
    if (h->with_axial) block_matrix_add_elements(matrix, h->network, 0, scale, axial_element, h);
}

void spring_hessian_add_edge_matrix(const spring_hessian *h, double scale, block_matrix *matrix) {
    matrix_task task = {h, scale, 1, matrix};
    parallel_for(h->network->context, h->network->point_count, POINT_BLOCK, add_matrix_rows, &task);
}

/* ---- The network as an energy. */

static double network_value(const energy_term *term, const vec3 *positions) {
    return spring_network_energy((const spring_network *)term, positions);
}

static double network_add_gradient(const energy_term *term, const vec3 *positions, double scale, vec3 *out) {
    spring_force_pass pass = {.positions = positions, .velocities = positions, .gain = -scale, .base = out, .out = out};
    return spring_network_forces((const spring_network *)term, &pass);
}

static ruga_status network_linearise(energy_term *term, const vec3 *positions, energy_weights weights, int definite) {
    spring_network *n = (spring_network *)term;
    if (!n->hessian) {
        spring_hessian *made;
        TRY(NEW_ZEROED(n->context, &made, 1));
        ruga_status status = spring_hessian_make(n, made);
        if (RUGA_FAILED(status)) {
            spring_hessian_release(made);
            memory_release(n->context, made);
            return status;
        }
        n->hessian = made;
    }
    spring_hessian_linearise(n->hessian, positions, weights, definite);
    return RUGA_OK;
}

static void network_add_product(const energy_term *term, double scale, const vec3 *direction, vec3 *out) {
    spring_product_pass pass = {((const spring_network *)term)->hessian, NULL, scale, direction, out};
    spring_hessian_multiply(&pass);
}

typedef struct block_task {
    const spring_hessian *hessian;
    double scale;
    mat3 *blocks;
} block_task;

static void add_point_blocks(void *argument, size_t begin, size_t end) {
    static const unsigned char place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const block_task *task = argument;
    for (size_t i = begin; i < end; i++) {
        spring_diagonal sum = {{0}};
        spring_hessian_add_diagonal(task->hessian, i, &sum);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) task->blocks[i].at[r][c] += task->scale * sum.at[place[r][c]];
    }
}

static void network_add_blocks(const energy_term *term, double scale, mat3 *blocks) {
    block_task task = {((const spring_network *)term)->hessian, scale, blocks};
    parallel_for(term->context, term->point_count, POINT_BLOCK, add_point_blocks, &task);
}

static ruga_status network_add_pattern(const energy_term *term, block_pattern *pattern) {
    return spring_hessian_add_pattern((const spring_network *)term, pattern);
}

static void network_add_matrix(const energy_term *term, double scale, block_matrix *matrix) {
    spring_hessian_add_matrix(((const spring_network *)term)->hessian, scale, matrix);
}

const energy_interface spring_energy_interface = {.name = "springs",
                                                  .value = network_value,
                                                  .add_gradient = network_add_gradient,
                                                  .linearise = network_linearise,
                                                  .add_product = network_add_product,
                                                  .add_blocks = network_add_blocks,
                                                  .add_pattern = network_add_pattern,
                                                  .add_matrix = network_add_matrix};

spring_network *spring_network_of(energy_term *term) {
    return term->interface == &spring_energy_interface ? (spring_network *)term : NULL;
}
