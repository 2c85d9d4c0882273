/* Hinges: angles, their gradients and Hessians; the header has the equations. */
#include "energy/hinge.h"

#include <assert.h>

#include "base/threads.h"
#include "mesh/mesh.h"
#include "mesh/topology.h"

#define HINGE_BLOCK 512
#define POINT_BLOCK 512
#define LEAST_AREA 0.05 /* of that at rest: the gradients of smaller triangles are scaled down */
#define FULL_TURN 2.0   /* rad: up to it couplings act on all of t */
#define CREEP 0.01      /* rad/s, below which friction is viscous */
#define PI 3.14159265358979323846

/* ---- One hinge. */

typedef struct fold {
    vec3 e, a, b, n1, n2; /* a = x2 - x0, b = x3 - x0 */
    double length2, length, squared1, squared2;
    double p, q; /* where the heights stand */
} fold;

static fold fold_of(const uint32_t *points, const vec3 *positions) {
    vec3 x0 = positions[points[0]];
    fold f = {.e = vec3_sub(positions[points[1]], x0),
              .a = vec3_sub(positions[points[2]], x0),
              .b = vec3_sub(positions[points[3]], x0)};
    f.n1 = vec3_cross(f.e, f.a);
    f.n2 = vec3_cross(f.b, f.e);
    f.length2 = vec3_length2(f.e);
    f.length = sqrt(f.length2);
    f.squared1 = vec3_length2(f.n1);
    f.squared2 = vec3_length2(f.n2);
    f.p = vec3_dot(f.a, f.e) / f.length2;
    f.q = vec3_dot(f.b, f.e) / f.length2;
    return f;
}

double hinge_angle(const uint32_t points[4], const vec3 *positions) {
    vec3 x0 = positions[points[0]], e = vec3_sub(positions[points[1]], x0);
    vec3 n1 = vec3_cross(e, vec3_sub(positions[points[2]], x0)), n2 = vec3_cross(vec3_sub(positions[points[3]], x0), e);
    return atan2(vec3_dot(vec3_cross(n1, n2), e), vec3_dot(n1, n2) * vec3_length(e));
}

static double wrapped(double angle) { return angle > PI ? angle - 2 * PI : angle <= -PI ? angle + 2 * PI : angle; }

/* ∇θ, less where a triangle has nearly no area. An edge or a triangle without size has none. */
static void gradient_of(const fold *f, const hinge *h, vec3 g[4]) {
    double scale = fmin(1, fmin(f->squared1 / h->least[0], f->squared2 / h->least[1]));
    if (!(scale > 0) || !(f->length > 0)) {
        for (int k = 0; k < 4; k++) g[k] = (vec3){0, 0, 0};
        return;
    }
    g[2] = vec3_scale(f->n1, -scale * f->length / f->squared1);
    g[3] = vec3_scale(f->n2, -scale * f->length / f->squared2);
    g[1] = vec3_add_scaled(vec3_scale(g[2], -f->p), g[3], -f->q);
    g[0] = vec3_add_scaled(vec3_scale(g[2], f->p - 1), g[3], f->q - 1);
}

/* The change of -|e| N / |N|² with those of e and N. */
static vec3 height_change(double length, double dlength, vec3 n, double squared, vec3 dn) {
    vec3 change = vec3_add_scaled(vec3_scale(n, -dlength / squared), dn, -length / squared);
    return vec3_add_scaled(change, n, 2 * length * vec3_dot(n, dn) / (squared * squared));
}

/* (∇²θ) d, of a hinge whose gradient is not scaled. */
static void gradient_change(const fold *f, const vec3 d[4], vec3 out[4]) {
    vec3 de = vec3_sub(d[1], d[0]), da = vec3_sub(d[2], d[0]), db = vec3_sub(d[3], d[0]);
    double dlength = vec3_dot(f->e, de) / f->length;
    vec3 dn1 = vec3_add(vec3_cross(de, f->a), vec3_cross(f->e, da));
    vec3 dn2 = vec3_add(vec3_cross(db, f->e), vec3_cross(f->b, de));
    double dp = (vec3_dot(da, f->e) + vec3_dot(f->a, de) - 2 * f->p * f->length * dlength) / f->length2;
    double dq = (vec3_dot(db, f->e) + vec3_dot(f->b, de) - 2 * f->q * f->length * dlength) / f->length2;
    vec3 g2 = vec3_scale(f->n1, -f->length / f->squared1), g3 = vec3_scale(f->n2, -f->length / f->squared2);
    out[2] = height_change(f->length, dlength, f->n1, f->squared1, dn1);
    out[3] = height_change(f->length, dlength, f->n2, f->squared2, dn2);
    out[1] = vec3_add_scaled(vec3_scale(out[2], -f->p), out[3], -f->q);
    out[1] = vec3_add_scaled(vec3_add_scaled(out[1], g2, -dp), g3, -dq);
    out[0] = vec3_scale(vec3_add(vec3_add(out[1], out[2]), out[3]), -1);
}

/* ---- Making. */

static ruga_status check_material(ruga_context *context, const hinge_material *m) {
    if (m->bend > 0 && isfinite(m->bend) && m->damping_time >= 0 && isfinite(m->damping_time) && m->friction >= 0 &&
        isfinite(m->friction))
        return RUGA_OK;
    return fail_with(context, RUGA_ERROR_INPUT,
                     "hinges have a bend of %g N m, a damping time of %g s and a friction of %g 1/m; all must be "
                     "finite, the bend positive and the others not negative",
                     m->bend, m->damping_time, m->friction);
}

/* k, with the triangles' shares by area. */
static hinge hinge_make(const hinges *h, const ruga_mesh *mesh, const uint32_t *points, const uint32_t *triangles,
                        const double *shares) {
    fold f = fold_of(points, mesh->positions);
    double a = mesh_triangle_area(mesh, triangles[0]), b = mesh_triangle_area(mesh, triangles[1]);
    double share = shares ? (a * shares[triangles[0]] + b * shares[triangles[1]]) / (a + b) : 1;
    const double part = h->material.least_area > 0 ? h->material.least_area : LEAST_AREA, least = part * part;
    double stiffness = a + b > 0 ? h->material.bend * f.length2 / (a + b) * share : 0;
    return (hinge){.stiffness = stiffness,
                   .bound = stiffness,
                   .area = a + b,
                   .rest_angle = hinge_angle(points, mesh->positions),
                   .least = {fmax(least * f.squared1, 1e-300), fmax(least * f.squared2, 1e-300)},
                   .others = {NO_INDEX, NO_INDEX, NO_INDEX, NO_INDEX}};
}

/* The corner of a triangle that is not on an edge. */
static uint32_t opposite(const ruga_mesh *mesh, uint32_t triangle, const uint32_t *edge) {
    const uint32_t *corners = mesh->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 2; k++)
        if (corners[k] != edge[0] && corners[k] != edge[1]) return corners[k];
    return corners[2];
}

/* The side of a hinge's angle as a triangle sees it, with its edge from corner k on: angles with equal signs bend to
 * the same side of the triangle. */
static double side_of(const hinges *h, uint32_t index, const uint32_t *corners, size_t k) {
    const uint32_t *points = h->points + 4 * (size_t)index;
    int is_first = points[2] == corners[(k + 2) % 3], runs_along = points[0] == corners[k];
    return is_first == runs_along ? 1 : -1;
}

static void couple(hinge *h, uint32_t other, double coupling) {
    size_t at = 0;
    while (at < 4 && h->others[at] != NO_INDEX) at++;
    if (at == 4) return;
    h->others[at] = other;
    h->couplings[at] = coupling;
    h->bound += fabs(coupling);
}

/* Couples the hinges of one triangle: A D (l m / s t) cos², with l, m their edges and s, t the areas beside these. */
static void couple_triangle(hinges *h, const ruga_mesh *mesh, size_t t, const uint32_t of_edges[3], double share) {
    const uint32_t *corners = mesh->triangles + 3 * t;
    double area = mesh_triangle_area(mesh, t);
    for (size_t i = 0; i < 3; i++) {
        size_t j = (i + 1) % 3;
        if (of_edges[i] == NO_INDEX || of_edges[j] == NO_INDEX) continue;
        hinge *p = &h->hinges[of_edges[i]], *q = &h->hinges[of_edges[j]];
        vec3 a = vec3_sub(mesh->positions[corners[j]], mesh->positions[corners[i]]);
        vec3 b = vec3_sub(mesh->positions[corners[(j + 1) % 3]], mesh->positions[corners[j]]);
        double cosine = vec3_dot(a, b), lengths = vec3_length(a) * vec3_length(b);
        if (!(lengths > 0) || !(p->area > 0) || !(q->area > 0)) continue;
        double k = h->material.bend * share * area * cosine * cosine / (lengths * p->area * q->area);
        k *= side_of(h, of_edges[i], corners, i) * side_of(h, of_edges[j], corners, j);
        couple(p, of_edges[j], k);
        couple(q, of_edges[i], k);
    }
}

/* of_edges: (edges) the hinge of each, or NO_INDEX. */
static void couple_hinges(hinges *h, const ruga_mesh *mesh, const topology *topo, const double *shares,
                          const uint32_t *of_edges) {
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *edges = topo->triangle_edges + 3 * t;
        const uint32_t found[3] = {of_edges[edges[0]], of_edges[edges[1]], of_edges[edges[2]]};
        couple_triangle(h, mesh, t, found, shares ? shares[t] : 1);
    }
}

static ruga_status make(hinges *h, const ruga_mesh *mesh, const topology *topo, const double *shares,
                        uint32_t *of_edges) {
    ruga_context *context = mesh->context;
    TRY(NEW(context, &h->points, 4 * topo->pair_count));
    TRY(NEW(context, &h->hinges, topo->pair_count));
    for (size_t e = 0; e < topo->edge_count; e++) {
        of_edges[e] = NO_INDEX;
        if (topology_edge_size(topo, e) != 2 || h->count == topo->pair_count) continue;
        const uint32_t *edge = topo->edge_vertices + 2 * e, *pair = topo->edge_triangles + topo->edge_offsets[e];
        uint32_t *points = h->points + 4 * h->count;
        points[0] = edge[0];
        points[1] = edge[1];
        for (int side = 0; side < 2; side++) points[2 + side] = opposite(mesh, pair[side], edge);
        /* Two triangles on the same three vertices have no angle between them. */
        if (points[2] == points[3]) continue;
        of_edges[e] = (uint32_t)h->count;
        h->hinges[h->count++] = hinge_make(h, mesh, points, pair, shares);
    }
    couple_hinges(h, mesh, topo, shares, of_edges);
    TRY(NEW(context, &h->turns, h->count));
    TRY(NEW(context, &h->corner_vectors, 4 * h->count));
    if (h->material.friction > 0) TRY(NEW_ZEROED(context, &h->friction, h->count));
    return element_lists_make(context, mesh->vertex_count, h->count, 4, h->points, &h->lists);
}

ruga_status hinges_create(const ruga_mesh *mesh, const hinge_material *material, const double *shares, hinges **out) {
    TRY(check_material(mesh->context, material));
    hinges *h;
    topology *topo;
    uint32_t *of_edges = NULL;
    TRY(topology_build_mesh(mesh, &topo));
    ruga_status status = NEW(mesh->context, &of_edges, topo->edge_count);
    if (!RUGA_FAILED(status)) status = NEW_ZEROED(mesh->context, &h, 1);
    if (!RUGA_FAILED(status)) {
        h->base = (energy_term){.interface = &hinges_interface,
                                .context = mesh->context,
                                .point_count = mesh->vertex_count,
                                .is_damped = material->damping_time > 0 || material->friction > 0};
        h->material = *material;
        h->factor = 1;
        status = make(h, mesh, topo, shares, of_edges);
        if (RUGA_FAILED(status))
            hinges_destroy(h);
        else
            *out = h;
    }
    memory_release(mesh->context, of_edges);
    topology_destroy(topo);
    return status;
}

void hinges_destroy(hinges *h) {
    if (!h) return;
    element_lists_release(&h->lists);
    RELEASE_ALL(h->base.context, h->points, h->hinges, h->turns, h->friction, h->corner_vectors, h->gradients, h->full,
                h->slopes, h);
}

ruga_status hinges_set_factor(hinges *h, double factor) {
    TRY(check_positive(h->base.context, "stiffness factor", factor));
    if (factor != h->factor) h->base.revision++;
    h->factor = factor;
    return RUGA_OK;
}

/* ---- Value and gradient. */

typedef struct hinge_task {
    hinges *h;
    const vec3 *in;
    energy_weights weights;
} hinge_task;

static void find_turns(void *argument, size_t begin, size_t end) {
    const hinge_task *task = argument;
    for (size_t k = begin; k < end; k++)
        task->h->turns[k] = wrapped(hinge_angle(task->h->points + 4 * k, task->in) - task->h->hinges[k].rest_angle);
}

/* How far a turn counts for couplings: m t, of which m is `part`; and its derivatives by t. */
typedef struct turn_reach {
    double part, slope, curve;
} turn_reach;

static turn_reach reach_of(double turn) {
    const double size = fabs(turn), width = PI - FULL_TURN, x = (size - FULL_TURN) / width;
    if (!(x > 0)) return (turn_reach){1, 1, 0};
    /* m = 1 - x³ (10 - 15 x + 6 x²), which has two continuous derivatives. */
    const double part = 1 - x * x * x * (10 + x * (6 * x - 15)), first = -30 * x * x * (1 - x) * (1 - x) / width,
                 second = -60 * x * (1 - x) * (1 - 2 * x) / (width * width);
    return (turn_reach){part, part + size * first, (turn < 0 ? -1 : 1) * (2 * first + size * second)};
}

/* k t of a hinge, and a part of Σ k_ij m t over those that it is coupled with. */
static double moment_of(const hinges *hs, size_t k, double part) {
    const hinge *h = &hs->hinges[k];
    double sum = h->stiffness * hs->turns[k];
    for (int j = 0; j < 4 && h->others[j] != NO_INDEX; j++) {
        const double turn = hs->turns[h->others[j]];
        sum += part * (h->couplings[j] * (reach_of(turn).part * turn));
    }
    return sum;
}

static double energy_of(const hinges *hs, size_t k) {
    return hs->turns[k] * moment_of(hs, k, reach_of(hs->turns[k]).part) / 2;
}

static double sum_energy(void *argument, size_t begin, size_t end) {
    const hinge_task *task = argument;
    double sum = 0;
    for (size_t k = begin; k < end; k++) sum += energy_of(task->h, k);
    return sum;
}

static double hinges_value(const energy_term *term, const vec3 *positions) {
    hinge_task task = {.h = (hinges *)term, .in = positions};
    parallel_for(term->context, task.h->count, HINGE_BLOCK, find_turns, &task);
    return task.h->factor * parallel_sum(term->context, task.h->count, HINGE_BLOCK, sum_energy, &task);
}

static double find_gradients(void *argument, size_t begin, size_t end) {
    const hinge_task *task = argument;
    double sum = 0;
    for (size_t k = begin; k < end; k++) {
        const hinge *h = &task->h->hinges[k];
        fold f = fold_of(task->h->points + 4 * k, task->in);
        vec3 *g = task->h->corner_vectors + 4 * k;
        double moment = moment_of(task->h, k, reach_of(task->h->turns[k]).slope);
        gradient_of(&f, h, g);
        for (int c = 0; c < 4; c++) g[c] = vec3_scale(g[c], moment);
        sum += energy_of(task->h, k);
    }
    return sum;
}

static double hinges_add_gradient(const energy_term *term, const vec3 *positions, double scale, vec3 *out) {
    hinge_task task = {.h = (hinges *)term, .in = positions};
    parallel_for(term->context, task.h->count, HINGE_BLOCK, find_turns, &task);
    double sum = parallel_sum(term->context, task.h->count, HINGE_BLOCK, find_gradients, &task);
    element_lists_add(&task.h->lists, task.h->corner_vectors, scale * task.h->factor, out);
    return task.h->factor * sum;
}

/* ---- Friction. */

typedef struct friction_task {
    hinges *h;
    const vec3 *positions, *velocities;
} friction_task;

static void find_friction(void *argument, size_t begin, size_t end) {
    const friction_task *task = argument;
    hinges *hs = task->h;
    for (size_t k = begin; k < end; k++) {
        const hinge *h = &hs->hinges[k];
        const uint32_t *points = hs->points + 4 * k;
        fold f = fold_of(points, task->positions);
        vec3 g[4];
        double rate = 0;
        gradient_of(&f, h, g);
        for (int c = 1; c < 4; c++)
            rate += vec3_dot(g[c], vec3_sub(task->velocities[points[c]], task->velocities[points[0]]));
        double length = fmax(f.length, LEAST_AREA * sqrt(h->area)); /* of edges that have nearly none */
        hs->friction[k] = hs->material.friction * h->area / (length * fmax(fabs(rate), CREEP));
    }
}

void hinges_set_velocities(hinges *h, const vec3 *positions, const vec3 *velocities) {
    friction_task task = {h, positions, velocities};
    if (h->friction) parallel_for(h->base.context, h->count, HINGE_BLOCK, find_friction, &task);
}

/* ---- The Hessian. */

/* N m s: damping of a hinge, without the factor of all stiffness. */
static double damping_of(const hinges *hs, size_t k) {
    const hinge *h = &hs->hinges[k];
    return hs->material.damping_time * h->bound + (hs->friction ? hs->friction[k] * h->stiffness : 0);
}

static void linearise_gradients(void *argument, size_t begin, size_t end) {
    const hinge_task *task = argument;
    hinges *hs = task->h;
    for (size_t k = begin; k < end; k++) {
        fold f = fold_of(hs->points + 4 * k, task->in);
        vec3 *g = hs->gradients + 4 * k;
        gradient_of(&f, &hs->hinges[k], g);
        double weight = task->weights.stiffness * hs->hinges[k].bound + task->weights.damping * damping_of(hs, k);
        double root = sqrt(hs->factor * weight);
        for (int c = 0; c < 4; c++) g[c] = vec3_scale(g[c], root);
    }
}

/* Gradients as they are, and W without couplings: (stiffness k + damping) ∇θ∇θᵀ + stiffness times the moment ∇²θ. */
static void linearise_fully(void *argument, size_t begin, size_t end) {
    const hinge_task *task = argument;
    const hinges *hs = task->h;
    double damping = hs->factor * task->weights.damping;
    for (size_t k = begin; k < end; k++) {
        const hinge *h = &hs->hinges[k];
        fold f = fold_of(hs->points + 4 * k, task->in);
        const turn_reach reach = reach_of(hs->turns[k]);
        const double own = h->stiffness * hs->turns[k], coupled = moment_of(hs, k, 1) - own;
        double moment = hs->full_weight * moment_of(hs, k, reach.slope);
        double square = hs->full_weight * (h->stiffness + reach.curve * coupled) + damping * damping_of(hs, k);
        hs->slopes[k] = reach.slope;
        gradient_of(&f, h, hs->gradients + 4 * k);
        const double *g = &hs->gradients[4 * k].x;
        for (int column = 0; column < 12; column++) {
            vec3 d[4] = {{0, 0, 0}}, change[4];
            (&d[column / 3].x)[column % 3] = 1;
            gradient_change(&f, d, change);
            for (int row = 0; row < 12; row++)
                hs->full[144 * k + 12 * (size_t)row + (size_t)column] =
                    square * g[row] * g[column] + moment * (&change[row / 3].x)[row % 3];
        }
    }
}

static ruga_status hinges_linearise(energy_term *term, const vec3 *positions, energy_weights weights, int definite) {
    hinges *h = (hinges *)term;
    if (!h->gradients) TRY(NEW(term->context, &h->gradients, 4 * h->count));
    if (!definite && !h->full) TRY(NEW(term->context, &h->full, 144 * h->count));
    if (!definite && !h->slopes) TRY(NEW(term->context, &h->slopes, h->count));
    hinge_task task = {h, positions, weights};
    h->is_full = !definite;
    h->full_weight = h->factor * weights.stiffness;
    if (h->is_full) parallel_for(term->context, h->count, HINGE_BLOCK, find_turns, &task);
    parallel_for(term->context, h->count, HINGE_BLOCK, definite ? linearise_gradients : linearise_fully, &task);
    return RUGA_OK;
}

/* The gradients add up to zero: differences keep a motion as a whole from adding rounding. */
static inline double rate_of(const hinges *h, size_t k, const vec3 *direction) {
    const uint32_t *points = h->points + 4 * k;
    double rate = 0;
    for (int c = 1; c < 4; c++)
        rate += vec3_dot(h->gradients[4 * k + (size_t)c], vec3_sub(direction[points[c]], direction[points[0]]));
    return rate;
}

static void find_rates(void *argument, size_t begin, size_t end) {
    const hinge_task *task = argument;
    for (size_t k = begin; k < end; k++) task->h->turns[k] = task->h->slopes[k] * rate_of(task->h, k, task->in);
}

/* Of the moment, by the couplings. */
static double coupled_rate(const hinges *hs, size_t k) {
    const hinge *h = &hs->hinges[k];
    double sum = 0;
    for (int j = 0; j < 4 && h->others[j] != NO_INDEX; j++) sum += h->couplings[j] * hs->turns[h->others[j]];
    return hs->full_weight * hs->slopes[k] * sum;
}

static void find_products(void *argument, size_t begin, size_t end) {
    const hinge_task *task = argument;
    const hinges *h = task->h;
    for (size_t k = begin; k < end; k++) {
        double rate = rate_of(h, k, task->in);
        for (size_t c = 4 * k; c < 4 * k + 4; c++) h->corner_vectors[c] = vec3_scale(h->gradients[c], rate);
    }
}

/* After find_rates. */
static void find_full_products(void *argument, size_t begin, size_t end) {
    const hinge_task *task = argument;
    const hinges *h = task->h;
    for (size_t k = begin; k < end; k++) {
        const uint32_t *points = h->points + 4 * k;
        const double *g = &h->gradients[4 * k].x;
        const double coupled = coupled_rate(h, k);
        for (int row = 0; row < 12; row++) {
            double sum = coupled * g[row];
            for (int c = 0; c < 12; c++)
                sum += h->full[144 * k + 12 * (size_t)row + (size_t)c] * (&task->in[points[c / 3]].x)[c % 3];
            (&h->corner_vectors[4 * k + (size_t)row / 3].x)[row % 3] = sum;
        }
    }
}

static void hinges_add_product(const energy_term *term, double scale, const vec3 *direction, vec3 *out) {
    hinge_task task = {.h = (hinges *)term, .in = direction};
    if (task.h->is_full) parallel_for(term->context, task.h->count, HINGE_BLOCK, find_rates, &task);
    parallel_for(term->context, task.h->count, HINGE_BLOCK, task.h->is_full ? find_full_products : find_products,
                 &task);
    element_lists_add(&task.h->lists, task.h->corner_vectors, scale, out);
}

/* ---- Blocks. */

static void add_corner_block(const hinges *h, size_t k, size_t row, size_t column, double scale, mat3 *out) {
    if (!h->is_full) {
        mat3_add_outer(out, scale, h->gradients[4 * k + row], h->gradients[4 * k + column]);
        return;
    }
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) out->at[i][j] += scale * h->full[144 * k + 12 * (3 * row + i) + 3 * column + j];
}

/* Of the hinges that hinge k is coupled with, at the same point. */
static void add_coupled_blocks(const hinges *hs, size_t k, size_t corner, double scale, mat3 *out) {
    const hinge *h = &hs->hinges[k];
    for (size_t j = 0; j < 4 && h->others[j] != NO_INDEX; j++)
        for (size_t c = 4 * (size_t)h->others[j]; c < 4 * (size_t)h->others[j] + 4; c++)
            if (hs->points[c] == hs->points[4 * k + corner])
                mat3_add_outer(out,
                               scale * hs->full_weight * h->couplings[j] * hs->slopes[k] * hs->slopes[h->others[j]],
                               hs->gradients[4 * k + corner], hs->gradients[c]);
}

typedef struct block_task {
    const hinges *h;
    double scale;
    mat3 *blocks;
} block_task;

static void add_point_blocks(void *argument, size_t begin, size_t end) {
    const block_task *task = argument;
    const element_lists *l = &task->h->lists;
    for (size_t i = begin; i < end; i++)
        for (size_t e = l->offsets[i]; e < l->offsets[i + 1]; e++) {
            size_t k = l->corners[e] / 4, corner = l->corners[e] % 4;
            add_corner_block(task->h, k, corner, corner, task->scale, &task->blocks[i]);
            if (task->h->is_full) add_coupled_blocks(task->h, k, corner, task->scale, &task->blocks[i]);
        }
}

static void hinges_add_blocks(const energy_term *term, double scale, mat3 *blocks) {
    block_task task = {(const hinges *)term, scale, blocks};
    parallel_for(term->context, term->point_count, POINT_BLOCK, add_point_blocks, &task);
}

/* ---- The matrix. */

static ruga_status hinges_add_pattern(const energy_term *term, block_pattern *pattern) {
    const hinges *h = (const hinges *)term;
    return block_pattern_add_elements(pattern, term, 0, 4, h->count, h->points);
}

static void full_matrix(const void *user, size_t k, mat3 *blocks) {
    const double *full = ((const hinges *)user)->full + 144 * k;
    for (size_t row = 0; row < 4; row++)
        for (size_t column = row; column < 4; column++)
            for (size_t i = 0; i < 9; i++)
                blocks[4 * row + column].at[i / 3][i % 3] = full[12 * (3 * row + i / 3) + 3 * column + i % 3];
}

static void hinges_add_matrix(const energy_term *term, double scale, block_matrix *matrix) {
    const hinges *h = (const hinges *)term;
    if (h->is_full)
        block_matrix_add_elements(matrix, term, 0, scale, full_matrix, h);
    else
        block_matrix_add_squares(matrix, term, 0, scale, h->gradients);
}

const energy_interface hinges_interface = {.name = "hinges",
                                           .value = hinges_value,
                                           .add_gradient = hinges_add_gradient,
                                           .linearise = hinges_linearise,
                                           .add_product = hinges_add_product,
                                           .add_blocks = hinges_add_blocks,
                                           .add_pattern = hinges_add_pattern,
                                           .add_matrix = hinges_add_matrix};
