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
#include <math.h>

#include "base/threads.h"
#include "contact/broad.h"
#include "contact/ccd.h"
#include "contact/thickness.h"
#include "geom/bvh.h"
#include "geom/intersections.h"
#include "mesh/mesh.h"
#include "wrinkle/embedded_shell.h"

#define PARALLEL 1e-3    /* ε, over |e|² |f|² at rest */
#define STIFFNESS 10.0   /* κ, over D k⁴ A */
#define EDGE_PART 0.5    /* of the mean edge: the most that the reach can be */
#define REST_PART 0.5    /* of the distance at rest */
#define MARGIN 1.5       /* of the reach: within it pairs are searched for */
#define SEPARATION 0.1   /* of the reach: nearer than that, no step may lead */
#define LEAST_HEIGHT 0.1 /* of the height above an obstacle that a step has to leave */
#define MOST_HALVINGS 40
#define NEAR_PART 0.5     /* of the reach: other surfaces that come nearer than that need substeps, */
#define SURFACE_STEP 0.25 /* of the reach each */
#define MOST_SURFACE_STEPS 50
#define PAIR_BLOCK 512
#define VERTEX_BLOCK 1024

/* A pair within its reach, or a vertex near an obstacle. */
typedef struct contact_term {
    uint32_t vertices[4]; /* of the shell */
    double weights[4];
    vec3 normal;
    vec3 turns[2];    /* N: b dm/de and b dm/df of edges that are nearly parallel */
    double force;     /* N: -b' */
    double curvature; /* N/m: b'' */
} contact_term;
typedef ARRAY(contact_term) contact_terms;

/* Surfaces of other objects: their vertices one after the other. */
typedef struct other_surfaces {
    ARRAY(const ruga_mesh *) meshes;
    ARRAY(size_t) firsts;   /* (meshes) vertices */
    size_t count;           /* vertices */
    vec3 *now, *from, *to;  /* (count) m: current, and at the start and the end of a frame */
    double *masses;         /* (count) all 0 */
    ARRAY(vec3) remembered; /* those of a saved state, until the surfaces are given */
} other_surfaces;

struct shell_contact {
    ruga_context *context;
    contact_surface surface;
    other_surfaces others;
    contact_mesh *mesh; /* of the vertices that collide, those of the skin first */
    broad *broad;
    bvh *tree;
    unsigned char *collides; /* (count) */
    double *masses;          /* (count) all 1 */
    double reach;            /* m: d̂ */
    ruga_shell_obstacle *obstacle;
    void *user;
    unsigned char *passes; /* (count) 1: its triangles intersected at the start of the frame */
    unsigned char *inside; /* (count) 1: the vertex started inside the obstacle, and passes through it */
    /* All pairs within the margin, anywhere on the trajectories from found[0] to found[1]. */
    contact_pairs pairs;
    ARRAY(double) reaches; /* (pairs) m */
    vec3 *found[2];        /* (vertices of mesh) m */
    int is_found;
    contact_terms terms;  /* of the last linearisation, or gradient */
    ARRAY(double) values; /* (pairs) scratch */
    intersection_array crossings;
    ruga_status status; /* of the first search that failed */
};

/* ---- Making. */

/* Triangles that have a point in common at rest do not collide. */
static ruga_status mask_intersections(ruga_embedded_shell *shell, shell_contact *c) {
    const ruga_mesh *mesh = shell->mesh;
    memset(c->collides, 1, shell->count);
    TRY(intersections_find(c->context, mesh->vertex_count, mesh->positions, mesh->triangle_count, mesh->triangles, NULL,
                           NULL, &c->crossings));
    for (size_t i = 0; i < c->crossings.count; i++)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++)
                c->collides[mesh->triangles[3 * (size_t)c->crossings.items[i].triangles[side] + (size_t)k]] = 0;
    return RUGA_OK;
}

static double mean_thickness(const ruga_embedded_shell *shell) {
    double sum = 0, area = 0;
    for (size_t v = 0; v < shell->count; v++) {
        sum += shell->areas[v] * shell->thickness[v];
        area += shell->areas[v];
    }
    return sum / area;
}

static void release_mesh(shell_contact *c) {
    broad_destroy(c->broad);
    bvh_destroy(c->tree);
    contact_mesh_destroy(c->mesh);
    RELEASE_ALL(c->context, c->found[0], c->found[1]);
    c->broad = NULL;
    c->tree = NULL;
    c->mesh = NULL;
    c->found[0] = c->found[1] = NULL;
    c->is_found = 0;
}

/* Of the skin and the other surfaces. */
static ruga_status make_mesh(shell_contact *c, contact_surface *given, contact_surface **surfaces) {
    const other_surfaces *o = &c->others;
    surfaces[0] = &c->surface;
    for (size_t k = 0; k < o->meshes.count; k++) {
        const size_t first = o->firsts.items[k];
        given[k] = (contact_surface){.name = "obstacle",
                                     .mesh = o->meshes.items[k],
                                     .accepted = o->now + first,
                                     .candidate = o->now + first,
                                     .inverse_masses = o->masses + first};
        surfaces[1 + k] = &given[k];
    }
    TRY(contact_mesh_create(c->context, surfaces, 1 + o->meshes.count, &c->mesh));
    TRY(NEW_EACH(c->context, c->mesh->vertex_count, &c->found[0], &c->found[1]));
    TRY(broad_create(c->mesh, NULL, 0, &c->broad));
    return bvh_build(c->context, c->mesh->vertex_count, c->mesh->from, c->mesh->triangle_count, 3, c->mesh->triangles,
                     &c->tree);
}

static ruga_status build_mesh(shell_contact *c) {
    contact_surface *given = NULL, **surfaces = NULL;
    release_mesh(c);
    ruga_status status = NEW(c->context, &given, c->others.meshes.count + 1);
    if (!RUGA_FAILED(status)) status = NEW(c->context, &surfaces, c->others.meshes.count + 1);
    if (!RUGA_FAILED(status)) status = make_mesh(c, given, surfaces);
    RELEASE_ALL(c->context, given, surfaces);
    return status;
}

static ruga_status make(ruga_embedded_shell *shell, shell_contact *c) {
    ruga_context *context = shell->context;
    TRY(NEW(context, &c->collides, shell->count));
    TRY(NEW(context, &c->masses, shell->count));
    TRY(NEW_ZEROED(context, &c->inside, shell->count));
    TRY(NEW_ZEROED(context, &c->passes, shell->count));
    TRY(mask_intersections(shell, c));
    for (size_t v = 0; v < shell->count; v++) c->masses[v] = 1;
    c->reach = fmin(mean_thickness(shell), EDGE_PART * shell->mean_edge);
    c->surface = (contact_surface){.name = "skin",
                                   .mesh = shell->mesh,
                                   .accepted = shell->mesh->positions,
                                   .candidate = shell->x,
                                   .inverse_masses = c->masses,
                                   .collides = c->collides,
                                   .thickness = c->reach,
                                   .rest_part = REST_PART,
                                   .self = 1};
    return build_mesh(c);
}

ruga_status shell_contact_create(ruga_embedded_shell *shell, shell_contact **out) {
    shell_contact *c;
    TRY(NEW_ZEROED(shell->context, &c, 1));
    c->context = shell->context;
    RETURN_MADE(make(shell, c), c, out, shell_contact_destroy(c));
}

void shell_contact_destroy(shell_contact *c) {
    if (!c) return;
    release_mesh(c);
    RELEASE_ALL(c->context, c->others.meshes.items, c->others.firsts.items, c->others.now, c->others.from, c->others.to,
                c->others.masses, c->others.remembered.items);
    RELEASE_ALL(c->context, c->collides, c->passes, c->inside, c->masses, c->pairs.items, c->reaches.items,
                c->terms.items, c->values.items, c->crossings.items, c);
}

void ruga_embedded_shell_set_obstacle(ruga_embedded_shell *shell, ruga_shell_obstacle *distance, void *user) {
    if (!shell->contact) return;
    shell->contact->obstacle = distance;
    shell->contact->user = user;
}

/* ---- Pairs. */

static int is_skin(const shell_contact *c, uint32_t i) { return c->mesh->part_of[i] == 0; }

/* Vertices of the skin in the contact mesh. */
static size_t skin_count(const shell_contact *c) {
    return c->mesh->part_count > 1 ? c->mesh->parts[1].first_vertex : c->mesh->vertex_count;
}

/* Where a vertex of the contact mesh is; others: the vertices of other surfaces. */
static vec3 place_of(const shell_contact *c, const vec3 *x, const vec3 *others, size_t i) {
    const uint32_t part = c->mesh->part_of[i], number = c->mesh->numbers[i];
    return part == 0 ? x[number] : others[c->others.firsts.items[part - 1] + number];
}

static void gather(const shell_contact *c, const vec3 *x, vec3 *out) {
    for (size_t i = 0; i < c->mesh->vertex_count; i++) out[i] = place_of(c, x, c->others.now, i);
}

static int is_within(size_t count, const vec3 *a, const vec3 *b, double distance) {
    for (size_t i = 0; i < count; i++)
        if (!(vec3_length2(vec3_sub(a[i], b[i])) <= distance * distance)) return 0;
    return 1;
}

/* Whether the pairs that were found include all within the reach at these positions. */
static int is_covered(const shell_contact *c, const vec3 *positions) {
    const double slack = 0.499 * (MARGIN - 1) * c->reach;
    return c->is_found && (is_within(c->mesh->vertex_count, positions, c->found[0], slack) ||
                           is_within(c->mesh->vertex_count, positions, c->found[1], slack));
}

/* Whether a pair comes within its reach anywhere on the trajectories, or as far beside them as pairs are used. */
static int can_touch(const shell_contact *c, const contact_pair *pair, double reach) {
    const contact_mesh *m = c->mesh;
    vec3 from[4], moved[4];
    double turned = 0;
    for (int k = 0; k < 4; k++) {
        from[k] = m->from[pair->vertices[k]];
        moved[k] = vec3_sub(m->to[pair->vertices[k]], from[k]);
        turned = fmax(turned, vec3_distance(moved[k], moved[0]));
    }
    return !(gap_of((pair_kind)pair->kind, from).distance > reach + (MARGIN - 1) * c->reach + 2 * turned);
}

/* -1: the pair can't touch, as most neighbours on a fine mesh, whose reach is short. */
static void measure_reaches(void *argument, size_t begin, size_t end) {
    shell_contact *c = argument;
    for (size_t i = begin; i < end; i++) {
        const double reach = pair_thickness(c->mesh, &c->pairs.items[i]);
        c->reaches.items[i] = can_touch(c, &c->pairs.items[i], reach) ? reach : -1;
    }
}

static int pair_passes(const shell_contact *c, const contact_pair *pair) {
    int any = 0;
    for (int k = 0; k < 4; k++) any |= is_skin(c, pair->vertices[k]) && c->passes[c->mesh->numbers[pair->vertices[k]]];
    return any;
}

static ruga_status search(shell_contact *c) {
    const contact_mesh *m = c->mesh;
    c->is_found = 0;
    TRY(broad_find(c->broad, m->from, m->to, MARGIN * c->reach, &c->pairs));
    c->reaches.count = 0;
    TRY(ARRAY_RESERVE(c->context, &c->reaches, c->pairs.count));
    parallel_for(c->context, c->pairs.count, PAIR_BLOCK, measure_reaches, c);
    size_t kept = 0;
    for (size_t i = 0; i < c->pairs.count; i++) {
        if (c->reaches.items[i] < 0 || pair_passes(c, &c->pairs.items[i])) continue;
        c->reaches.items[kept] = c->reaches.items[i];
        c->pairs.items[kept++] = c->pairs.items[i];
    }
    c->pairs.count = kept;
    c->terms.count = c->values.count = 0;
    TRY(ARRAY_RESERVE(c->context, &c->terms, c->pairs.count + m->vertex_count));
    TRY(ARRAY_RESERVE(c->context, &c->values, c->pairs.count));
    if (m->vertex_count) {
        memcpy(c->found[0], m->from, m->vertex_count * sizeof *m->from);
        memcpy(c->found[1], m->to, m->vertex_count * sizeof *m->to);
    }
    c->is_found = 1;
    return RUGA_OK;
}

/* Makes the pairs those from one skin to another. 0: the search failed, and there is no pair. */
static int find(shell_contact *c, const vec3 *x, const vec3 *end) {
    gather(c, x, c->mesh->from);
    gather(c, end, c->mesh->to);
    if (is_covered(c, c->mesh->from) && (end == x || is_covered(c, c->mesh->to))) return 1;
    const ruga_status status = search(c);
    if (!RUGA_FAILED(status)) return 1;
    if (!RUGA_FAILED(c->status)) c->status = status;
    c->pairs.count = 0;
    return 0;
}

void shell_contact_forget(ruga_embedded_shell *shell) {
    if (!shell->contact) return;
    shell->contact->is_found = 0;
    shell->contact->status = RUGA_OK;
}

ruga_status shell_contact_status(const ruga_embedded_shell *shell) {
    return shell->contact ? shell->contact->status : RUGA_OK;
}

/* ---- The energy. */

/* b; its derivatives into the term. No distance, or a negative one, has no bound. */
static double barrier(double stiffness, double distance, double reach, contact_term *term) {
    const double overlap = reach - distance;
    term->force = term->curvature = 0;
    if (!(overlap > 0)) return 0;
    if (!(distance > 0)) return INFINITY;
    const double log_part = log(distance / reach);
    term->force = stiffness * (overlap * overlap / distance - 2 * overlap * log_part);
    term->curvature = stiffness * (overlap * overlap / (distance * distance) + 4 * overlap / distance - 2 * log_part);
    return -stiffness * overlap * overlap * log_part;
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
    while (first < 3 && !is_skin(c, pair->vertices[first])) first++;
    for (int k = 0; k < 4; k++) {
        if (is_skin(c, pair->vertices[k])) continue;
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
            at[k] = place_of(c, task->x, c->others.now, pair->vertices[k]);
            if (is_skin(c, pair->vertices[k])) stiffness += task->shell->shifts[term.vertices[k]], count++;
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
    if (!find(c, x, x)) return 0;
    const size_t pairs = c->pairs.count, vertices = c->obstacle ? skin_count(c) : 0;
    contact_task task = {shell, c, x, wants_terms ? c->terms.items : NULL};
    double sum = parallel_sum(c->context, pairs, PAIR_BLOCK, measure_pairs, &task);
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
        for (int k = 0; k < 4; k++) {
            from[k] = c->mesh->from[pair->vertices[k]];
            to[k] = c->mesh->to[pair->vertices[k]];
        }
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
    for (size_t i = 0; i < skin_count(c); i++)
        if (falls_at(c, x, end, part, c->mesh->numbers[i])) return 1;
    return 0;
}

void shell_contact_mark_blocked(const ruga_embedded_shell *shell, const vec3 *x, const vec3 *end,
                                unsigned char *marks) {
    const shell_contact *c = shell->contact;
    for (size_t i = 0; i < c->pairs.count; i++)
        for (int k = 0; k < 4 && c->values.items[i] < 1; k++)
            if (is_skin(c, c->pairs.items[i].vertices[k])) marks[c->mesh->numbers[c->pairs.items[i].vertices[k]]] = 1;
    for (size_t i = 0; c->obstacle && i < skin_count(c); i++)
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
    gather(c, x, c->mesh->from);
    gather(c, end, c->mesh->to);
    remove_translation(c);
    if (!is_covered(c, c->mesh->from) || !is_covered(c, c->mesh->to)) {
        const ruga_status status = search(c);
        if (RUGA_FAILED(status)) { /* of input: the end is too far away or no number, and a shorter step will do */
            if (status != RUGA_ERROR_INPUT && !RUGA_FAILED(c->status)) c->status = status;
            c->pairs.count = 0;
            return 0;
        }
    }
    limit_task task = {c, x, end};
    parallel_for(c->context, c->pairs.count, PAIR_BLOCK, limit_pairs, &task);
    double part = 1;
    for (size_t i = 0; i < c->pairs.count; i++) part = fmin(part, c->values.items[i]);
    for (int k = 0; c->obstacle && k < MOST_HALVINGS && falls(c, x, end, part); k++) part /= 2;
    return part;
}

/* ---- State. */

void shell_contact_save(const ruga_embedded_shell *shell, state_writer *writer) {
    if (!shell->contact) return;
    state_put_bytes(writer, shell->contact->passes, shell->count);
    state_put_bytes(writer, shell->contact->inside, shell->count);
    const other_surfaces *o = &shell->contact->others;
    state_put_bytes(writer, o->now, o->count * sizeof *o->now);
}

static ruga_status load_marks(state_reader *reader, size_t count, ruga_context *context, unsigned char *out) {
    const void *bytes;
    size_t size;
    TRY(state_get_bytes(reader, &bytes, &size));
    if (size != count) return fail_input(context, "shell: the saved state is damaged");
    for (size_t v = 0; v < count; v++) out[v] = ((const unsigned char *)bytes)[v] != 0;
    return RUGA_OK;
}

/* Where the other surfaces were: the next frame moves them from there. */
static ruga_status load_others(state_reader *reader, shell_contact *c) {
    other_surfaces *o = &c->others;
    const void *bytes;
    size_t size;
    TRY(state_get_bytes(reader, &bytes, &size));
    const size_t count = size / sizeof *o->now;
    o->remembered.count = 0;
    TRY(ARRAY_RESERVE(c->context, &o->remembered, count + 1));
    memcpy(o->remembered.items, bytes, count * sizeof *o->now);
    for (size_t i = 0; i < count; i++)
        if (!vec3_is_finite(o->remembered.items[i])) return fail_input(c->context, "shell: the saved state is damaged");
    o->remembered.count = count;
    if (count && count == o->count) memcpy(o->now, o->remembered.items, count * sizeof *o->now);
    return RUGA_OK;
}

ruga_status shell_contact_load(ruga_embedded_shell *shell, state_reader *reader) {
    shell_yield_none(shell);
    if (!shell->contact) return RUGA_OK;
    shell_contact_forget(shell);
    TRY(load_marks(reader, shell->count, shell->context, shell->contact->passes));
    TRY(load_marks(reader, shell->count, shell->context, shell->contact->inside));
    return load_others(reader, shell->contact);
}

/* ---- Intersections. */

/* Triangles that intersect at x. */
static ruga_status find_crossings(shell_contact *c, const vec3 *x) {
    gather(c, x, c->mesh->to);
    TRY(bvh_refit(c->tree, c->mesh->to, NULL, 0));
    return intersections_find(c->context, c->mesh->vertex_count, c->mesh->to, c->mesh->triangle_count,
                              c->mesh->triangles, NULL, c->tree, &c->crossings);
}

/* Marks the corners of the two triangles of an intersection that belong to the skin, (count); returns whether one was
 * marked before. Two triangles of other surfaces do not matter: they count as marked. */
static int mark_crossing(const shell_contact *c, size_t i, unsigned char *marks, int is_set) {
    int skin = 0, marked = 0;
    for (size_t k = 0; k < 6; k++) {
        const uint32_t v = c->mesh->triangles[3 * (size_t)c->crossings.items[i].triangles[k / 3] + k % 3];
        if (!is_skin(c, v)) continue;
        skin = 1;
        marked |= marks[c->mesh->numbers[v]];
        if (is_set) marks[c->mesh->numbers[v]] = 1;
    }
    return marked || !skin;
}

int shell_contact_is_free(const ruga_embedded_shell *shell, const vec3 *x) {
    shell_contact *c = shell->contact;
    if (!c) return 1;
    for (size_t i = 0; c->obstacle && i < skin_count(c); i++) {
        const uint32_t v = c->mesh->numbers[i];
        vec3 normal;
        if (!c->inside[v] && !(c->obstacle(c->user, x[v], &normal) > 0)) return 0;
    }
    const ruga_status status = find_crossings(c, x);
    if (RUGA_FAILED(status) && !RUGA_FAILED(c->status)) c->status = status;
    for (size_t i = 0; i < c->crossings.count; i++)
        if (!mark_crossing(c, i, c->passes, 0)) return 0;
    return !RUGA_FAILED(status);
}

size_t shell_contact_let_pass(ruga_embedded_shell *shell, const vec3 *x) {
    shell_contact *c = shell->contact;
    size_t count = 0;
    vec3 normal;
    if (!c) return 0;
    memset(c->passes, 0, shell->count);
    memset(c->inside, 0, shell->count);
    c->is_found = 0;
    if (!x) return 0;
    const ruga_status status = find_crossings(c, x);
    if (RUGA_FAILED(status) && !RUGA_FAILED(c->status)) c->status = status;
    for (size_t i = 0; i < c->crossings.count; i++) mark_crossing(c, i, c->passes, 1);
    for (size_t v = 0; v < shell->count; v++) {
        c->inside[v] = c->obstacle && !(c->obstacle(c->user, x[v], &normal) > 0);
        count += c->passes[v] || c->inside[v];
    }
    return count;
}

/* ---- Other surfaces. */

static int has_surfaces(const other_surfaces *o, const ruga_shell_surface *surfaces, size_t count) {
    size_t first = 0;
    if (count != o->meshes.count) return 0;
    for (size_t k = 0; k < count; k++) {
        if (surfaces[k].mesh != o->meshes.items[k] || first != o->firsts.items[k]) return 0;
        first += surfaces[k].mesh->vertex_count;
    }
    return first == o->count;
}

/* Memory and places of other meshes than before; now: where the surfaces are, or were when the state was saved. */
static ruga_status take_surfaces(shell_contact *c, const ruga_shell_surface *surfaces, size_t count) {
    other_surfaces *o = &c->others;
    o->meshes.count = o->firsts.count = o->count = 0;
    for (size_t k = 0; k < count; k++) {
        TRY(ARRAY_ADD(c->context, &o->meshes, surfaces[k].mesh));
        TRY(ARRAY_ADD(c->context, &o->firsts, o->count));
        o->count += surfaces[k].mesh->vertex_count;
    }
    RELEASE_ALL(c->context, o->now, o->from, o->to, o->masses);
    o->now = o->from = o->to = NULL;
    o->masses = NULL;
    TRY(NEW_EACH(c->context, o->count, &o->now, &o->from, &o->to));
    TRY(NEW_ZEROED(c->context, &o->masses, o->count));
    const int is_remembered = o->count && o->remembered.count == o->count;
    for (size_t k = 0; k < count; k++)
        memcpy(o->now + o->firsts.items[k], surfaces[k].positions,
               surfaces[k].mesh->vertex_count * sizeof *surfaces[k].positions);
    if (is_remembered) memcpy(o->now, o->remembered.items, o->count * sizeof *o->now);
    o->remembered.count = 0;
    return build_mesh(c);
}

ruga_status ruga_embedded_shell_set_surfaces(ruga_embedded_shell *shell, const ruga_shell_surface *surfaces,
                                             size_t count) {
    shell_contact *c = shell->contact;
    if (!c) return RUGA_OK;
    for (size_t k = 0; k < count; k++)
        for (size_t v = 0; v < surfaces[k].mesh->vertex_count; v++)
            if (!vec3_is_finite(surfaces[k].positions[v]))
                return fail_input(shell->context, "shell: vertex %zu of surface %zu is not finite", v, k);
    if (!has_surfaces(&c->others, surfaces, count)) TRY(take_surfaces(c, surfaces, count));
    other_surfaces *o = &c->others;
    for (size_t k = 0; k < count; k++)
        memcpy(o->to + o->firsts.items[k], surfaces[k].positions,
               surfaces[k].mesh->vertex_count * sizeof *surfaces[k].positions);
    if (o->count) memcpy(o->from, o->now, o->count * sizeof *o->now);
    return RUGA_OK;
}

static int is_mixed(const shell_contact *c, const contact_pair *pair) {
    return is_skin(c, pair->vertices[0]) != is_skin(c, pair->vertices[3]);
}

/* The motion of a frame, without the mean motion of the carrier, which makes the search slow. */
static void gather_motion(const ruga_embedded_shell *shell, const vec3 *carrier) {
    const shell_contact *c = shell->contact;
    const contact_mesh *m = c->mesh;
    vec3 mean = {0, 0, 0};
    for (size_t v = 0; v < shell->count; v++)
        mean = vec3_add_scaled(mean, vec3_sub(carrier[v], shell->carrier[v]), 1 / (double)shell->count);
    for (size_t i = 0; i < m->vertex_count; i++) {
        m->from[i] = place_of(c, shell->x, c->others.now, i);
        const vec3 step =
            vec3_sub(place_of(c, carrier, c->others.to, i), place_of(c, shell->carrier, c->others.now, i));
        m->to[i] = vec3_add(m->from[i], vec3_sub(step, mean));
    }
}

int shell_contact_substeps(const ruga_embedded_shell *shell, const vec3 *carrier) {
    shell_contact *c = shell->contact;
    if (!c || !c->others.count) return 1;
    gather_motion(shell, carrier);
    if (RUGA_FAILED(search(c))) return 1; /* the solve will search again, and report it */
    double most = 0;
    for (size_t i = 0; i < c->pairs.count; i++) {
        const contact_pair *pair = &c->pairs.items[i];
        vec3 from[4], to[4], step = {0, 0, 0};
        double time = 1;
        for (int k = 0; k < 4; k++) {
            from[k] = c->mesh->from[pair->vertices[k]];
            to[k] = c->mesh->to[pair->vertices[k]];
        }
        if (!is_mixed(c, pair) || !ccd_pair((pair_kind)pair->kind, from, to, NEAR_PART * c->reach, &time)) continue;
        const pair_gap gap = gap_of((pair_kind)pair->kind, from);
        for (int k = 0; k < 4; k++) step = vec3_add_scaled(step, vec3_sub(to[k], from[k]), gap.weights[k]);
        most = fmax(most, vec3_length(step));
    }
    c->is_found = 0;
    return (int)fmin(MOST_SURFACE_STEPS, fmax(1, ceil(most / (SURFACE_STEP * c->reach))));
}

size_t shell_contact_move_surfaces(ruga_embedded_shell *shell, double part) {
    shell_contact *c = shell->contact;
    if (!c || !c->others.count) return 0;
    const contact_mesh *m = c->mesh;
    other_surfaces *o = &c->others;
    size_t count = 0;
    int moves = 0;
    gather(c, shell->x, m->from);
    for (size_t i = 0; i < o->count; i++) {
        const vec3 next = part < 1 ? vec3_add_scaled(o->from[i], vec3_sub(o->to[i], o->from[i]), part) : o->to[i];
        moves |= memcmp(&next, &o->now[i], sizeof next) != 0;
        o->now[i] = next;
    }
    if (!moves) return 0;
    gather(c, shell->x, m->to);
    const ruga_status status = search(c);
    if (RUGA_FAILED(status)) {
        if (!RUGA_FAILED(c->status)) c->status = status;
        return 0;
    }
    for (size_t i = 0; i < c->pairs.count; i++) {
        const contact_pair *pair = &c->pairs.items[i];
        vec3 from[4], to[4];
        double time = 1;
        for (int k = 0; k < 4; k++) {
            from[k] = m->from[pair->vertices[k]];
            to[k] = m->to[pair->vertices[k]];
        }
        if (!is_mixed(c, pair) || !ccd_pair((pair_kind)pair->kind, from, to, 0, &time)) continue;
        for (int k = 0; k < 4; k++) {
            if (!is_skin(c, pair->vertices[k])) continue;
            unsigned char *passes = &c->passes[m->numbers[pair->vertices[k]]];
            count += !*passes;
            *passes = 1;
        }
    }
    c->is_found = 0;
    return count;
}

int shell_contact_has_surfaces(const ruga_embedded_shell *shell) {
    return shell->contact && shell->contact->others.count > 0;
}

void shell_contact_return_surfaces(ruga_embedded_shell *shell) {
    other_surfaces *o = shell->contact ? &shell->contact->others : NULL;
    if (o && o->count) memcpy(o->now, o->from, o->count * sizeof *o->now);
}
