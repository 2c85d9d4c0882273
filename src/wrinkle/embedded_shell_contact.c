/* Contact in statics: an energy of the skin, and a limit of its steps.
 *
 * Pairs of the skin with itself and with other objects have the barriers of contact/barrier_pairs.h, and each step of
 * Newton's method is limited by continuous collision. The reach is the thickness, but at most half of an edge. κ is a
 * multiple of D k⁴ A, the stiffness of a wave, so that parts which wrinkles press together stay about d̂ / 2 apart.
 *
 * A skin may intersect although its steps do not lead there: a body that passes through itself in its first frame. The
 * vertices of triangles that intersect at the start of a frame pass through everything until they are free again.
 *
 * Surfaces of other objects are further parts of the contact mesh. Nothing in a solve moves them; they move between
 * solves, with the carrier, in substeps that bring them nearer by a quarter of the reach. Where one moves through the
 * skin at once, vertices pass.
 *
 * An obstacle is a signed distance; vertices keep half of the reach from it. The straight trajectory of a vertex is
 * followed by the distance that is free at each point of it (sphere tracing), so that no step leads through an obstacle
 * that is thinner than the step is long. */
#include "wrinkle/embedded_shell_contact.h"

#include <math.h>

#include "base/threads.h"
#include "contact/barrier.h"

#define STIFFNESS 10.0   /* κ, over D k⁴ A */
#define LEAST_HEIGHT 0.1 /* of the height above an obstacle that a step has to leave */
#define MOST_HALVINGS 40
#define LEAST_ADVANCE 0.1  /* of the reach, along the trajectory of a vertex near an obstacle */
#define MOST_ADVANCES 1024 /* at least this part of a trajectory at once */
#define VERTEX_BLOCK 1024

/* ---- The energy. */

typedef struct contact_task {
    const ruga_embedded_shell *shell;
    const shell_contact *c;
    const vec3 *x;       /* of the shell */
    barrier_term *terms; /* (count) of vertices near the obstacle; NULL: the energy alone is wanted */
} contact_task;

static double measure_heights(void *argument, size_t begin, size_t end) {
    const contact_task *task = argument;
    const shell_contact *c = task->c;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        const uint32_t v = c->pairs.mesh->numbers[i];
        barrier_term term = {.vertices = {v, v, v, v}, .weights = {1, 0, 0, 0}, .normal = {0, 0, 0}};
        const double height = c->inside[v] ? INFINITY : c->obstacle(c->user, task->x[v], &term.normal);
        sum += barrier_energy(STIFFNESS * task->shell->shifts[v], height, c->pairs.reach / 2, &term.force,
                              &term.curvature);
        if (task->terms) task->terms[i] = term;
    }
    return sum;
}

/* The energy at x; with `wants_terms` also the terms. */
static double measure(const ruga_embedded_shell *shell, const vec3 *x, int wants_terms) {
    shell_contact *c = shell->contact;
    c->terms.count = 0;
    shell_contact_gather(c, x, c->pairs.mesh->from);
    shell_contact_gather(c, x, c->pairs.mesh->to);
    const ruga_status status = shell_contact_find(c);
    shell_contact_note(c, status);
    if (RUGA_FAILED(status)) return 0;
    const size_t pairs = c->pairs.pairs.count, vertices = c->obstacle ? barrier_pairs_own_count(&c->pairs) : 0;
    contact_task task = {shell, c, x, wants_terms ? c->terms.items + pairs : NULL};
    double sum = barrier_pairs_energy(&c->pairs, shell->shifts, STIFFNESS, wants_terms ? c->terms.items : NULL);
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
        const barrier_term *term = &c->terms.items[i];
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
        const barrier_term *term = &c->terms.items[i];
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
        const barrier_term *term = &c->terms.items[i];
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

/* Whether a vertex would lose more of its height above the obstacle than a step may take, at its end or before. From a
 * point at a height there is nothing nearer than that height. */
static int falls_at(const shell_contact *c, const vec3 *x, const vec3 *end, double part, uint32_t v) {
    const double reach = c->pairs.reach;
    const vec3 move = vec3_scale(vec3_sub(end[v], x[v]), part);
    const double length = vec3_length(move), least = fmax(LEAST_ADVANCE * reach, length / MOST_ADVANCES);
    vec3 normal;
    if (c->inside[v]) return 0;
    if (!isfinite(length)) return 1;
    double height = c->obstacle(c->user, x[v], &normal);
    const double lowest = LEAST_HEIGHT * fmin(reach / 2, height);
    for (double at = 0; at < length;) {
        at = fmin(length, at + fmax(least, height - lowest));
        height = c->obstacle(c->user, vec3_add_scaled(x[v], move, at / length), &normal);
        if (!(height >= lowest)) return 1;
    }
    return 0;
}

static int falls(const shell_contact *c, const vec3 *x, const vec3 *end, double part) {
    for (size_t i = 0; i < barrier_pairs_own_count(&c->pairs); i++)
        if (falls_at(c, x, end, part, c->pairs.mesh->numbers[i])) return 1;
    return 0;
}

void shell_contact_mark_blocked(const ruga_embedded_shell *shell, const vec3 *x, const vec3 *end,
                                unsigned char *marks) {
    const shell_contact *c = shell->contact;
    const barrier_pairs *p = &c->pairs;
    for (size_t i = 0; i < p->pairs.count; i++)
        for (int k = 0; k < 4 && p->parts.items[i] < 1; k++)
            if (barrier_pairs_is_own(p, p->pairs.items[i].vertices[k]))
                marks[p->mesh->numbers[p->pairs.items[i].vertices[k]]] = 1;
    for (size_t i = 0; c->obstacle && i < barrier_pairs_own_count(&c->pairs); i++)
        if (falls_at(c, x, end, 1, c->pairs.mesh->numbers[i])) marks[c->pairs.mesh->numbers[i]] = 1;
}

/* Common translation changes no distance within the skin, but makes the search slow. Other surfaces stay. */
static void remove_translation(const shell_contact *c) {
    const size_t count = c->pairs.mesh->vertex_count;
    if (c->others.count) return;
    vec3 mean = {0, 0, 0};
    for (size_t i = 0; i < count; i++)
        mean = vec3_add_scaled(mean, vec3_sub(c->pairs.mesh->to[i], c->pairs.mesh->from[i]), 1 / (double)count);
    if (!(vec3_length(mean) > c->pairs.reach)) return;
    for (size_t i = 0; i < count; i++) c->pairs.mesh->to[i] = vec3_sub(c->pairs.mesh->to[i], mean);
}

double shell_contact_limit(const ruga_embedded_shell *shell, const vec3 *x, const vec3 *end) {
    shell_contact *c = shell->contact;
    if (!c) return 1;
    shell_contact_gather(c, x, c->pairs.mesh->from);
    shell_contact_gather(c, end, c->pairs.mesh->to);
    remove_translation(c);
    const ruga_status status = shell_contact_find(c);
    if (RUGA_FAILED(status)) { /* of input: the end is too far away or no number, and a shorter step will do */
        if (status != RUGA_ERROR_INPUT) shell_contact_note(c, status);
        return 0;
    }
    double part = barrier_pairs_limit(&c->pairs);
    for (int k = 0; c->obstacle && k < MOST_HALVINGS && falls(c, x, end, part); k++) part /= 2;
    return part;
}
