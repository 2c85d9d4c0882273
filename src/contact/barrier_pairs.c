/* Pairs in statics: the search, the energy and the limit; the header has the equations. */
#include "contact/barrier_pairs.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "contact/barrier.h"
#include "contact/ccd.h"
#include "contact/thickness.h"

#define MARGIN 1.5      /* of the reach: within it pairs are searched for */
#define PARALLEL 1e-3   /* ε, over |e|² |f|² at rest */
#define SEPARATION 0.1  /* of the reach: nearer than that, no step may lead */
#define NO_WEIGHT 1e-12 /* rounding: such a corner has none */

/* ---- Making. */

ruga_status barrier_pairs_init(ruga_context *context, size_t count, double reach, barrier_pairs *out) {
    out->context = context;
    out->reach = reach;
    return NEW_ZEROED(context, &out->passes, count);
}

static void release_mesh(barrier_pairs *p) {
    broad_destroy(p->broad);
    bvh_destroy(p->tree);
    contact_mesh_destroy(p->mesh);
    RELEASE_ALL(p->context, p->found[0], p->found[1]);
    p->broad = NULL;
    p->tree = NULL;
    p->mesh = NULL;
    p->found[0] = p->found[1] = NULL;
    p->is_found = 0;
}

void barrier_pairs_release(barrier_pairs *p) {
    if (!p->context) return;
    release_mesh(p);
    RELEASE_ALL(p->context, p->passes, p->pairs.items, p->reaches.items, p->parts.items, p->crossings.items);
    *p = (barrier_pairs){0};
}

ruga_status barrier_pairs_mask(barrier_pairs *p, const ruga_mesh *mesh, unsigned char *collides) {
    TRY(intersections_find(p->context, mesh->vertex_count, mesh->positions, mesh->triangle_count, mesh->triangles, NULL,
                           NULL, &p->crossings));
    for (size_t i = 0; i < p->crossings.count; i++)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++)
                collides[mesh->triangles[3 * (size_t)p->crossings.items[i].triangles[side] + (size_t)k]] = 0;
    return RUGA_OK;
}

ruga_status barrier_pairs_take(barrier_pairs *p, contact_surface *const *surfaces, size_t count) {
    release_mesh(p);
    TRY(contact_mesh_create(p->context, surfaces, count, &p->mesh));
    TRY(NEW_EACH(p->context, p->mesh->vertex_count, &p->found[0], &p->found[1]));
    TRY(broad_create(p->mesh, NULL, 0, &p->broad));
    return bvh_build(p->context, p->mesh->vertex_count, p->mesh->from, p->mesh->triangle_count, 3, p->mesh->triangles,
                     &p->tree);
}

/* ---- Pairs. */

static int is_within(size_t count, const vec3 *a, const vec3 *b, double distance) {
    for (size_t i = 0; i < count; i++)
        if (!(vec3_length2(vec3_sub(a[i], b[i])) <= distance * distance)) return 0;
    return 1;
}

/* Whether the pairs that were found include all within the reach at these positions. */
static int covers(const barrier_pairs *p, const vec3 *positions) {
    const double slack = 0.499 * (MARGIN - 1) * p->reach;
    return p->is_found && (is_within(p->mesh->vertex_count, positions, p->found[0], slack) ||
                           is_within(p->mesh->vertex_count, positions, p->found[1], slack));
}

int barrier_pairs_cover(const barrier_pairs *p) { return covers(p, p->mesh->from) && covers(p, p->mesh->to); }

/* Whether a pair comes within its reach anywhere on the trajectories, or as far beside them as pairs are used. */
static int can_touch(const barrier_pairs *p, const contact_pair *pair, double reach) {
    const contact_mesh *m = p->mesh;
    vec3 from[4], moved[4];
    double turned = 0;
    for (int k = 0; k < 4; k++) {
        from[k] = m->from[pair->vertices[k]];
        moved[k] = vec3_sub(m->to[pair->vertices[k]], from[k]);
        turned = fmax(turned, vec3_distance(moved[k], moved[0]));
    }
    return !(gap_of((pair_kind)pair->kind, from).distance > reach + (MARGIN - 1) * p->reach + 2 * turned);
}

/* -1: the pair can't touch, as most neighbours on a fine mesh, whose reach is short. */
static void measure_reaches(void *argument, size_t begin, size_t end) {
    barrier_pairs *p = argument;
    for (size_t i = begin; i < end; i++) {
        const double reach = pair_thickness(p->mesh, &p->pairs.items[i]);
        p->reaches.items[i] = can_touch(p, &p->pairs.items[i], reach) ? reach : -1;
    }
}

static int pair_passes(const barrier_pairs *p, const contact_pair *pair) {
    int any = 0, can_move = 0;
    for (int k = 0; k < 4; k++) {
        any |= barrier_pairs_is_own(p, pair->vertices[k]) && p->passes[p->mesh->numbers[pair->vertices[k]]];
        can_move |= p->mesh->inverse_masses[pair->vertices[k]] > 0;
    }
    return any || !can_move;
}

ruga_status barrier_pairs_search(barrier_pairs *p) {
    const contact_mesh *m = p->mesh;
    p->is_found = 0;
    p->pairs.count = 0;
    TRY(broad_find(p->broad, m->from, m->to, MARGIN * p->reach, &p->pairs));
    p->reaches.count = 0;
    TRY(ARRAY_RESERVE(p->context, &p->reaches, p->pairs.count));
    parallel_for(p->context, p->pairs.count, BARRIER_PAIR_BLOCK, measure_reaches, p);
    size_t kept = 0;
    for (size_t i = 0; i < p->pairs.count; i++) {
        if (p->reaches.items[i] < 0 || pair_passes(p, &p->pairs.items[i])) continue;
        p->reaches.items[kept] = p->reaches.items[i];
        p->pairs.items[kept++] = p->pairs.items[i];
    }
    p->pairs.count = kept;
    p->parts.count = 0;
    TRY(ARRAY_RESERVE(p->context, &p->parts, p->pairs.count));
    if (m->vertex_count) {
        memcpy(p->found[0], m->from, m->vertex_count * sizeof *m->from);
        memcpy(p->found[1], m->to, m->vertex_count * sizeof *m->to);
    }
    p->is_found = 1;
    return RUGA_OK;
}

/* ---- The energy. */

/* m of two edges; its derivative by both into the term. */
static double parallel_part(const barrier_pairs *p, const contact_pair *pair, const vec3 at[4], barrier_term *term) {
    const vec3 *rest = p->mesh->rest, e = vec3_sub(at[1], at[0]), f = vec3_sub(at[3], at[2]);
    const uint32_t *v = pair->vertices;
    const double bound =
        PARALLEL * vec3_length2(vec3_sub(rest[v[1]], rest[v[0]])) * vec3_length2(vec3_sub(rest[v[3]], rest[v[2]]));
    const double y = vec3_length2(vec3_cross(e, f)) / bound, slope = 2 * (1 - y), both = vec3_dot(e, f);
    if (!(y < 1)) return 1;
    term->edges[0] = e;
    term->edges[1] = f;
    term->moves[0] = term->moves[1] = 1;
    term->turning = 2 * slope / bound;
    term->turns[0] = vec3_sub(vec3_scale(e, vec3_length2(f)), vec3_scale(f, both));
    term->turns[1] = vec3_sub(vec3_scale(f, vec3_length2(e)), vec3_scale(e, both));
    for (int k = 0; k < 2; k++) term->turns[k] = vec3_scale(term->turns[k], 2 * slope / bound);
    return y * (2 - y);
}

/* Vertices of other surfaces do not move: in a term they are the first of part 0, without weight. */
static void leave_out_others(const barrier_pairs *p, const contact_pair *pair, barrier_term *term) {
    int first = 0;
    while (first < 3 && !barrier_pairs_is_own(p, pair->vertices[first])) first++;
    for (int k = 0; k < 4; k++) {
        if (barrier_pairs_is_own(p, pair->vertices[k])) continue;
        term->vertices[k] = term->vertices[first];
        term->weights[k] = 0;
        if (pair->kind != PAIR_EDGE_EDGE) continue;
        term->turns[k / 2] = (vec3){0, 0, 0};
        term->moves[k / 2] = 0;
    }
}

typedef struct energy_task {
    const barrier_pairs *p;
    const double *stiffness;
    double factor;
    barrier_term *terms;
} energy_task;

static double measure_pairs(void *argument, size_t begin, size_t end) {
    const energy_task *task = argument;
    const barrier_pairs *p = task->p;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        const contact_pair *pair = &p->pairs.items[i];
        barrier_term term = {.pair = (uint32_t)i};
        vec3 at[4];
        double stiffness = 0;
        int count = 0;
        for (int k = 0; k < 4; k++) {
            term.vertices[k] = p->mesh->numbers[pair->vertices[k]];
            at[k] = p->mesh->from[pair->vertices[k]];
            if (barrier_pairs_is_own(p, pair->vertices[k])) stiffness += task->stiffness[term.vertices[k]], count++;
        }
        stiffness *= task->factor / count;
        const pair_gap gap = gap_of((pair_kind)pair->kind, at);
        memcpy(term.weights, gap.weights, sizeof term.weights);
        term.normal = gap.direction;
        double energy = barrier_energy(stiffness, gap.distance, p->reaches.items[i], &term.force, &term.curvature);
        if (energy > 0 && pair->kind == PAIR_EDGE_EDGE) {
            const double part = parallel_part(p, pair, at, &term);
            for (int k = 0; k < 2; k++) term.turns[k] = vec3_scale(term.turns[k], energy);
            term.turning *= energy;
            energy *= part;
            term.force *= part;
            term.curvature *= part;
        }
        if (count < 4) leave_out_others(p, pair, &term);
        sum += energy;
        if (task->terms) task->terms[i] = term;
    }
    return sum;
}

double barrier_pairs_energy(const barrier_pairs *p, const double *stiffness, double factor, barrier_term *terms) {
    energy_task task = {p, stiffness, factor, terms};
    return parallel_sum(p->context, p->pairs.count, BARRIER_PAIR_BLOCK, measure_pairs, &task);
}

/* ---- How distances curve. */

/* Places that are not at an end: corners with a weight can exchange it. */
static void find_axes(int is_edges, const vec3 at[4], barrier_bend *b) {
    const double *w = b->weights;
    b->count = 0;
    for (int k = 0; k < 2 && is_edges; k++)
        if (fabs(w[2 * k]) > NO_WEIGHT && fabs(w[2 * k + 1]) > NO_WEIGHT) {
            b->axes[b->count][0] = k ? 2 : 1;
            b->axes[b->count++][1] = k ? 3 : 0;
        }
    for (int first = 0, k = 1; k < 4 && !is_edges; k++) {
        if (fabs(w[k]) <= NO_WEIGHT) continue;
        if (first) {
            b->axes[b->count][0] = first;
            b->axes[b->count++][1] = k;
        } else {
            first = k;
        }
    }
    for (int a = 0; a < b->count; a++) b->tangents[a] = vec3_sub(at[b->axes[a][0]], at[b->axes[a][1]]);
}

void barrier_pairs_bend(const barrier_pairs *p, size_t pair, barrier_bend *out) {
    const contact_pair *at = &p->pairs.items[pair];
    vec3 x[4];
    for (int k = 0; k < 4; k++) {
        x[k] = p->mesh->from[at->vertices[k]];
        out->vertices[k] = p->mesh->numbers[at->vertices[k]];
        out->own[k] = barrier_pairs_is_own(p, at->vertices[k]);
    }
    const pair_gap gap = gap_of((pair_kind)at->kind, x);
    memcpy(out->weights, gap.weights, sizeof out->weights);
    out->gap = vec3_scale(gap.direction, gap.distance);
    find_axes(at->kind == PAIR_EDGE_EDGE, x, out);
    const vec3 *t = out->tangents;
    const double a = out->count > 0 ? vec3_length2(t[0]) : 1, c = out->count > 1 ? vec3_length2(t[1]) : 1;
    const double b = out->count > 1 ? vec3_dot(t[0], t[1]) : 0, det = a * c - b * b;
    if (!(det > PARALLEL * a * c)) out->count = 0, out->gap = (vec3){0, 0, 0}; /* not known: nothing */
    out->inverse[0] = c / det;
    out->inverse[1] = -b / det;
    out->inverse[2] = a / det;
}

void barrier_bend_product(const barrier_bend *bend, const vec3 in[4], double scale, vec3 out[4]) {
    const double distance = vec3_length(bend->gap);
    double along[2] = {0, 0};
    vec3 sum = {0, 0, 0};
    if (!(distance > 0)) return;
    for (int k = 0; k < 4; k++) sum = vec3_add_scaled(sum, in[k], bend->weights[k]);
    for (int a = 0; a < bend->count; a++)
        along[a] = vec3_dot(bend->tangents[a], sum) +
                   vec3_dot(bend->gap, vec3_sub(in[bend->axes[a][0]], in[bend->axes[a][1]]));
    const double *c = bend->inverse;
    const double moved[2] = {c[0] * along[0] + c[1] * along[1], c[1] * along[0] + c[2] * along[1]};
    const vec3 n = vec3_scale(bend->gap, 1 / distance);
    vec3 all = vec3_add_scaled(sum, n, -vec3_dot(n, sum));
    for (int a = 0; a < bend->count; a++) all = vec3_add_scaled(all, bend->tangents[a], -moved[a]);
    for (int k = 0; k < 4; k++) out[k] = vec3_add_scaled(out[k], all, scale / distance * bend->weights[k]);
    for (int a = 0; a < bend->count; a++) {
        const vec3 turn = vec3_scale(n, scale * moved[a]);
        out[bend->axes[a][0]] = vec3_sub(out[bend->axes[a][0]], turn);
        out[bend->axes[a][1]] = vec3_add(out[bend->axes[a][1]], turn);
    }
}

/* ---- Limits. */

static void limit_pairs(void *argument, size_t begin, size_t end) {
    barrier_pairs *p = argument;
    for (size_t i = begin; i < end; i++) {
        const contact_pair *pair = &p->pairs.items[i];
        vec3 from[4], to[4];
        barrier_pairs_trajectories(p, pair, from, to);
        double time = 1;
        if (!ccd_pair((pair_kind)pair->kind, from, to, SEPARATION * p->reaches.items[i], &time)) time = 1;
        p->parts.items[i] = time;
    }
}

double barrier_pairs_limit(barrier_pairs *p) {
    parallel_for(p->context, p->pairs.count, BARRIER_PAIR_BLOCK, limit_pairs, p);
    double part = 1;
    for (size_t i = 0; i < p->pairs.count; i++) part = fmin(part, p->parts.items[i]);
    return part;
}

/* ---- Intersections. */

ruga_status barrier_pairs_find_crossings(barrier_pairs *p) {
    TRY(bvh_refit(p->tree, p->mesh->to, NULL, 0));
    return intersections_find(p->context, p->mesh->vertex_count, p->mesh->to, p->mesh->triangle_count,
                              p->mesh->triangles, NULL, p->tree, &p->crossings);
}

int barrier_pairs_mark_crossing(const barrier_pairs *p, size_t i, unsigned char *marks, int is_set) {
    int own = 0, marked = 0;
    for (size_t k = 0; k < 6; k++) {
        const uint32_t v = p->mesh->triangles[3 * (size_t)p->crossings.items[i].triangles[k / 3] + k % 3];
        if (!barrier_pairs_is_own(p, v)) continue;
        own = 1;
        marked |= marks[p->mesh->numbers[v]];
        if (is_set) marks[p->mesh->numbers[v]] = 1;
    }
    return marked || !own;
}
