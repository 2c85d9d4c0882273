/* Contact in statics: an energy of the skin, and a limit of its steps.
 *
 * Two parts of the skin, a vertex and a triangle or two edges, push each other apart when their distance d is below a
 * reach d̂. Their energy is the barrier of Li et al. 2020 ("Incremental Potential Contact"),
 *
 *     b(d) = -κ (d - d̂)² ln(d / d̂)   for 0 < d < d̂,   else 0
 *
 * which has two continuous derivatives at d̂ and no bound at 0. κ is a multiple of D k⁴ A, the stiffness of a wave, so
 * that parts which wrinkles press together stay about d̂ / 2 apart. With the weights w and the direction n of the gap,
 * d = n · Σ w x, force i is -b' w_i n. The Hessian is taken as b'' w_i w_j n nᵀ, which is definite; what is left out,
 * b' times that of d, is not.
 *
 * The nearest points of two edges jump where these are parallel. There the energy is b times m(c / ε), m(y) = y (2 -
 * y), for c = |e × f|² below ε = 1e-3 times its greatest value at rest, as in the same paper.
 *
 * The energy alone does not keep a long step from passing through. Each step of Newton's method is limited by
 * continuous collision (contact/ccd.h) along the straight line to its end: a skin without intersections stays without.
 *
 * The reach is the thickness, but at most half of an edge: beyond, neighbours would repel each other, and a search
 * would find all of them. Within the skin it is also at most half of the distance at rest (contact/thickness.h), so
 * that a skin at rest has no energy. Triangles that intersect or touch at rest never collide.
 *
 * A skin may intersect although its steps do not lead there: a body that passes through itself in its first frame. The
 * vertices of triangles that intersect at the start of a frame pass through everything until they are free again.
 *
 * Surfaces of other objects are further parts of the contact mesh. Nothing in a solve moves them; they move between
 * solves, with the carrier, in substeps that bring them nearer by a quarter of the reach. Where one moves through the
 * skin at once, vertices pass.
 *
 * An obstacle is a signed distance; vertices keep half of the reach from it. Only the end of a step is tested against
 * it, so a step may lead through an obstacle that is thinner than the step is long. */
#include "wrinkle/embedded_shell_contact.h"

#include <math.h>

#include "base/threads.h"
#include "contact/barrier.h"

#define PARALLEL 1e-3    /* ε, over |e|² |f|² at rest */
#define STIFFNESS 10.0   /* κ, over D k⁴ A */
#define SEPARATION 0.1   /* of the reach: nearer than that, no step may lead */
#define LEAST_HEIGHT 0.1 /* of the height above an obstacle that a step has to leave */
#define MOST_HALVINGS 40
#define VERTEX_BLOCK 1024

/* ---- The energy. */

/* b; its derivatives into the term. */
static double barrier(double stiffness, double distance, double reach, contact_term *term) {
    return barrier_energy(stiffness, distance, reach, &term->force, &term->curvature);
}

/* m of two edges; its derivative by both into the term. */
static double parallel_part(const shell_contact *c, const contact_pair *pair, const vec3 at[4], contact_term *term) {
    const vec3 *rest = c->mesh->rest, e = vec3_sub(at[1], at[0]), f = vec3_sub(at[3], at[2]);
    const uint32_t *v = pair->vertices;
    const double bound =
        PARALLEL * vec3_length2(vec3_sub(rest[v[1]], rest[v[0]])) * vec3_length2(vec3_sub(rest[v[3]], rest[v[2]]));
    const double y = vec3_length2(vec3_cross(e, f)) / bound, slope = 2 * (1 - y), both = vec3_dot(e, f);
    if (!(y < 1)) return 1;
    term->turns[0] = vec3_sub(vec3_scale(e, vec3_length2(f)), vec3_scale(f, both));
    term->turns[1] = vec3_sub(vec3_scale(f, vec3_length2(e)), vec3_scale(e, both));
    for (int k = 0; k < 2; k++) term->turns[k] = vec3_scale(term->turns[k], 2 * slope / bound);
    return y * (2 - y);
}

typedef struct contact_task {
    const ruga_embedded_shell *shell;
    const shell_contact *c;
    const vec3 *x;       /* of the shell */
    contact_term *terms; /* (pairs), or (count) of vertices near the obstacle; NULL: the energy alone is wanted */
} contact_task;

/* Vertices of other surfaces do not move: in a term they are the first of the skin, without weight. */
static void leave_out_others(const shell_contact *c, const contact_pair *pair, contact_term *term) {
    int first = 0;
    while (first < 3 && !shell_contact_is_skin(c, pair->vertices[first])) first++;
    for (int k = 0; k < 4; k++) {
        if (shell_contact_is_skin(c, pair->vertices[k])) continue;
        term->vertices[k] = term->vertices[first];
        term->weights[k] = 0;
        if (pair->kind == PAIR_EDGE_EDGE) term->turns[k / 2] = (vec3){0, 0, 0};
    }
}

static double measure_pairs(void *argument, size_t begin, size_t end) {
    const contact_task *task = argument;
    const shell_contact *c = task->c;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        const contact_pair *pair = &c->pairs.items[i];
        contact_term term = {.turns = {{0, 0, 0}}};
        vec3 at[4];
        double stiffness = 0;
        int count = 0;
        for (int k = 0; k < 4; k++) {
            term.vertices[k] = c->mesh->numbers[pair->vertices[k]];
            at[k] = shell_contact_place(c, task->x, c->others.now, pair->vertices[k]);
            if (shell_contact_is_skin(c, pair->vertices[k]))
                stiffness += task->shell->shifts[term.vertices[k]], count++;
        }
        stiffness *= STIFFNESS / count;
        const pair_gap gap = gap_of((pair_kind)pair->kind, at);
        memcpy(term.weights, gap.weights, sizeof term.weights);
        term.normal = gap.direction;
        double energy = barrier(stiffness, gap.distance, c->reaches.items[i], &term);
        if (energy > 0 && pair->kind == PAIR_EDGE_EDGE) {
            const double part = parallel_part(c, pair, at, &term);
            for (int k = 0; k < 2; k++) term.turns[k] = vec3_scale(term.turns[k], energy);
            energy *= part;
            term.force *= part;
            term.curvature *= part;
        }
        if (count < 4) leave_out_others(c, pair, &term);
        sum += energy;
        if (task->terms) task->terms[i] = term;
    }
    return sum;
}

static double measure_heights(void *argument, size_t begin, size_t end) {
    const contact_task *task = argument;
    const shell_contact *c = task->c;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        const uint32_t v = c->mesh->numbers[i];
        contact_term term = {.vertices = {v, v, v, v}, .weights = {1, 0, 0, 0}, .normal = {0, 0, 0}};
        const double height = c->inside[v] ? INFINITY : c->obstacle(c->user, task->x[v], &term.normal);
        sum += barrier(STIFFNESS * task->shell->shifts[v], height, c->reach / 2, &term);
        if (task->terms) task->terms[i] = term;
    }
    return sum;
}

/* The energy at x; with `wants_terms` also the terms. */
static double measure(const ruga_embedded_shell *shell, const vec3 *x, int wants_terms) {
    shell_contact *c = shell->contact;
    c->terms.count = 0;
    shell_contact_gather(c, x, c->mesh->from);
    shell_contact_gather(c, x, c->mesh->to);
    const ruga_status status = shell_contact_find(c);
    shell_contact_note(c, status);
    if (RUGA_FAILED(status)) return 0;
    const size_t pairs = c->pairs.count, vertices = c->obstacle ? shell_contact_skin_count(c) : 0;
    contact_task task = {shell, c, x, wants_terms ? c->terms.items : NULL};
    double sum = parallel_sum(c->context, pairs, SHELL_PAIR_BLOCK, measure_pairs, &task);
    if (wants_terms) task.terms = c->terms.items + pairs;
    sum += parallel_sum(c->context, vertices, VERTEX_BLOCK, measure_heights, &task);
    for (size_t i = 0; wants_terms && i < pairs + vertices; i++)
        if (c->terms.items[i].curvature > 0) c->terms.items[c->terms.count++] = c->terms.items[i];
    return sum;
}

double shell_contact_energy(const ruga_embedded_shell *shell, const vec3 *x) {
    return shell->contact ? measure(shell, x, 0) : 0;
}

double shell_contact_gradient(const ruga_embedded_shell *shell, const vec3 *x, vec3 *out) {
    const shell_contact *c = shell->contact;
    if (!c) return 0;
    const double energy = measure(shell, x, 1);
    for (size_t i = 0; i < c->terms.count; i++) {
        const contact_term *term = &c->terms.items[i];
        for (int k = 0; k < 4; k++) {
            vec3 *at = &out[term->vertices[k]];
            *at = vec3_add_scaled(*at, term->normal, -term->force * term->weights[k]);
            *at = vec3_add_scaled(*at, term->turns[k / 2], k % 2 ? 1 : -1);
        }
    }
    return energy;
}

/* ---- The Hessian. */

static void add_square(block_matrix *m, uint32_t vertex, double scale, vec3 n) {
    double *block = m->blocks + BLOCK_NUMBERS * (size_t)m->diagonals[vertex];
    const double at[3] = {n.x, n.y, n.z};
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) block[3 * c + r] += scale * at[r] * at[c];
}

void shell_contact_linearise(ruga_embedded_shell *shell, const vec3 *x, int is_bound) {
    const shell_contact *c = shell->contact;
    if (!c) return;
    measure(shell, x, 1);
    for (size_t i = 0; i < c->terms.count; i++) {
        const contact_term *term = &c->terms.items[i];
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += fabs(term->weights[k]);
        for (int k = 0; k < 4; k++) {
            const double w = fabs(term->weights[k]);
            add_square(shell->hessian, term->vertices[k], term->curvature * w * (is_bound ? sum : w), term->normal);
        }
    }
}

void shell_contact_add_product(const ruga_embedded_shell *shell, const vec3 *in, vec3 *out) {
    const shell_contact *c = shell->contact;
    for (size_t i = 0; c && i < c->terms.count; i++) {
        const contact_term *term = &c->terms.items[i];
        double along[4], sum = 0;
        for (int k = 0; k < 4; k++) sum += along[k] = term->weights[k] * vec3_dot(term->normal, in[term->vertices[k]]);
        for (int k = 0; k < 4; k++) {
            vec3 *at = &out[term->vertices[k]];
            *at = vec3_add_scaled(*at, term->normal, term->curvature * term->weights[k] * (sum - along[k]));
        }
    }
}

size_t shell_contact_count(const ruga_embedded_shell *shell) {
    return shell->contact ? shell->contact->terms.count : 0;
}

/* ---- Limits of steps. */

typedef struct limit_task {
    shell_contact *c;
    const vec3 *x, *end; /* of the shell */
} limit_task;

static void limit_pairs(void *argument, size_t begin, size_t end) {
    const limit_task *task = argument;
    shell_contact *c = task->c;
    for (size_t i = begin; i < end; i++) {
        const contact_pair *pair = &c->pairs.items[i];
        vec3 from[4], to[4];
        shell_contact_trajectories(c, pair, from, to);
        double time = 1;
        if (!ccd_pair((pair_kind)pair->kind, from, to, SEPARATION * c->reaches.items[i], &time)) time = 1;
        c->values.items[i] = time;
    }
}

/* Whether a vertex would lose more of its height above the obstacle than a step may take. */
static int falls_at(const shell_contact *c, const vec3 *x, const vec3 *end, double part, uint32_t v) {
    vec3 normal;
    if (c->inside[v]) return 0;
    const double after = c->obstacle(c->user, vec3_add_scaled(x[v], vec3_sub(end[v], x[v]), part), &normal);
    if (after >= c->reach / 2) return 0;
    return !(after >= LEAST_HEIGHT * fmin(c->reach / 2, c->obstacle(c->user, x[v], &normal)));
}

static int falls(const shell_contact *c, const vec3 *x, const vec3 *end, double part) {
    for (size_t i = 0; i < shell_contact_skin_count(c); i++)
        if (falls_at(c, x, end, part, c->mesh->numbers[i])) return 1;
    return 0;
}

void shell_contact_mark_blocked(const ruga_embedded_shell *shell, const vec3 *x, const vec3 *end,
                                unsigned char *marks) {
    const shell_contact *c = shell->contact;
    for (size_t i = 0; i < c->pairs.count; i++)
        for (int k = 0; k < 4 && c->values.items[i] < 1; k++)
            if (shell_contact_is_skin(c, c->pairs.items[i].vertices[k]))
                marks[c->mesh->numbers[c->pairs.items[i].vertices[k]]] = 1;
    for (size_t i = 0; c->obstacle && i < shell_contact_skin_count(c); i++)
        if (falls_at(c, x, end, 1, c->mesh->numbers[i])) marks[c->mesh->numbers[i]] = 1;
}

/* Common translation changes no distance within the skin, but makes the search slow. Other surfaces stay. */
static void remove_translation(const shell_contact *c) {
    const size_t count = c->mesh->vertex_count;
    if (c->others.count) return;
    vec3 mean = {0, 0, 0};
    for (size_t i = 0; i < count; i++)
        mean = vec3_add_scaled(mean, vec3_sub(c->mesh->to[i], c->mesh->from[i]), 1 / (double)count);
    if (!(vec3_length(mean) > c->reach)) return;
    for (size_t i = 0; i < count; i++) c->mesh->to[i] = vec3_sub(c->mesh->to[i], mean);
}

double shell_contact_limit(const ruga_embedded_shell *shell, const vec3 *x, const vec3 *end) {
    shell_contact *c = shell->contact;
    if (!c) return 1;
    shell_contact_gather(c, x, c->mesh->from);
    shell_contact_gather(c, end, c->mesh->to);
    remove_translation(c);
    const ruga_status status = shell_contact_find(c);
    if (RUGA_FAILED(status)) { /* of input: the end is too far away or no number, and a shorter step will do */
        if (status != RUGA_ERROR_INPUT) shell_contact_note(c, status);
        return 0;
    }
    limit_task task = {c, x, end};
    parallel_for(c->context, c->pairs.count, SHELL_PAIR_BLOCK, limit_pairs, &task);
    double part = 1;
    for (size_t i = 0; i < c->pairs.count; i++) part = fmin(part, c->values.items[i]);
    for (int k = 0; c->obstacle && k < MOST_HALVINGS && falls(c, x, end, part); k++) part /= 2;
    return part;
}
