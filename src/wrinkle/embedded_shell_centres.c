/* Centres of clusters.
 *
 * The spacing of centres decides the wavelength: a sheet that is held by evenly spaced means buckles between them. The
 * paper takes the vertex that is farthest from all centres so far until every vertex is within r/2 of one; the centres
 * then really are 0.7 r apart, and unevenly. By default, centres are placed evenly instead: a number of them that gives
 * the wanted spacing on a hexagonal lattice, relaxed by Lloyd's algorithm. It starts from farthest points, and moves
 * each centre to the centroid of the vertices that are closer to it than to any other. Where r varies, distances are in
 * units of r and areas in units of r⁴, for which the spacing follows r (Du, Faber and Gunzburger 1999).
 *
 * Regions grow along edges from their centre by straight distance, so that a centre never takes vertices of another
 * sheet that is close in space. */
#include <math.h>

#include "geom/geodesic.h"
#include "wrinkle/embedded_shell.h"

#define RELAXATIONS 80
#define HEXAGON 0.86602540378443865 /* area of a hexagonal cell over the square of the spacing */

typedef struct placing {
    const ruga_embedded_shell *shell;
    const double *radii;
    double *distances;  /* (vertices) scratch, m or 1 */
    double *nearest;    /* (vertices) to the closest centre so far */
    uint32_t *labels;   /* (vertices) centre of the region */
    uint32_t *queue;    /* (vertices) ring buffer */
    uint8_t *is_queued; /* (vertices) */
    vec3 *sums;         /* (centres) */
    double *weights;    /* (centres) */
    uint32_t *closest;  /* (centres) vertex of the region */
} placing;

static void placing_release(placing *p) {
    RELEASE_ALL(p->shell->context, p->distances, p->nearest, p->labels, p->queue, p->is_queued, p->sums, p->weights,
                p->closest);
}

static ruga_status placing_make(placing *p) {
    ruga_context *context = p->shell->context;
    TRY(NEW_EACH(context, p->shell->count, &p->distances, &p->nearest));
    TRY(NEW_EACH(context, p->shell->count, &p->labels, &p->queue));
    return NEW(context, &p->is_queued, p->shell->count);
}

/* ---- Farthest points. */

static int has_triangles(const ruga_embedded_shell *shell, size_t v) {
    return shell->topo->fan_offsets[v + 1] > shell->topo->fan_offsets[v];
}

/* The vertex whose distance to the centres is greatest in units of r; NO_INDEX if none is beyond `cover`. */
static uint32_t farthest_vertex(const placing *p, double cover) {
    uint32_t found = NO_INDEX;
    double most = cover;
    for (size_t v = 0; v < p->shell->count; v++) {
        double distance = p->nearest[v] / p->radii[v];
        if (!has_triangles(p->shell, v) || !(distance > most)) continue;
        most = distance;
        found = (uint32_t)v;
    }
    return found;
}

/* Until no vertex is farther than `cover` r from a centre, or there are `most` of them. Only vertices nearer than the
 * farthest one can improve: that limits each search. Pieces that are not connected start with a centre of their own. */
static ruga_status take_farthest(placing *p, geodesic *g, double cover, size_t most, shell_centre_array *out) {
    const ruga_embedded_shell *shell = p->shell;
    const double zero = 0;
    const uint8_t start = 1;
    double limit = INFINITY;
    uint32_t next = (uint32_t)((uint64_t)(unsigned)shell->def.seed * 2654435761u % shell->count);
    for (size_t v = 0; v < shell->count; v++) p->nearest[v] = INFINITY;
    while (next < shell->count && !has_triangles(shell, next)) next++;
    if (next == shell->count) next = farthest_vertex(p, cover);
    while (next != NO_INDEX && out->count < most) {
        const uint32_t *reached;
        size_t reached_count;
        const geodesic_sources sources = {.count = 1, .vertices = &next, .parameters = &zero, .breaks = &start};
        geodesic_distances(g, &sources, limit, p->distances, NULL, &reached, &reached_count);
        for (size_t k = 0; k < reached_count; k++)
            p->nearest[reached[k]] = fmin(p->nearest[reached[k]], p->distances[reached[k]]);
        p->nearest[next] = 0;
        uint32_t triangle = shell->topo->fan_triangles[shell->topo->fan_offsets[next]];
        TRY(ARRAY_ADD(shell->context, out, (shell_centre){shell->mesh->positions[next], triangle}));
        next = farthest_vertex(p, cover);
        if (next == NO_INDEX) break;
        limit = 0;
        for (size_t v = 0; v < shell->count; v++)
            if (has_triangles(shell, v)) limit = fmax(limit, p->nearest[v]);
    }
    return RUGA_OK;
}

/* ---- Lloyd's relaxation. */

static double radius_at(const placing *p, const shell_centre *c) {
    const uint32_t *corners = p->shell->mesh->triangles + 3 * (size_t)c->triangle;
    return (p->radii[corners[0]] + p->radii[corners[1]] + p->radii[corners[2]]) / 3;
}

/* Offers a vertex to a centre; it enters the queue if the centre is closer than its own. */
static void offer(placing *p, const shell_centre *centres, uint32_t label, uint32_t v, size_t *tail, size_t *waiting) {
    double distance = vec3_distance(p->shell->mesh->positions[v], centres[label].place) / p->weights[label];
    if (!(distance < p->nearest[v])) return;
    p->nearest[v] = distance;
    p->labels[v] = label;
    if (p->is_queued[v]) return;
    p->is_queued[v] = 1;
    p->queue[*tail] = v;
    *tail = (*tail + 1) % p->shell->count;
    ++*waiting;
}

/* Labels of all vertices by the closest centre along edges. */
static void grow_regions(placing *p, const shell_centre *centres, size_t count) {
    const topology *topo = p->shell->topo;
    size_t head = 0, tail = 0, waiting = 0;
    for (size_t v = 0; v < p->shell->count; v++) {
        p->nearest[v] = INFINITY;
        p->labels[v] = NO_INDEX;
        p->is_queued[v] = 0;
    }
    for (size_t k = 0; k < count; k++) p->weights[k] = radius_at(p, &centres[k]);
    for (size_t k = 0; k < count; k++)
        for (size_t c = 0; c < 3; c++)
            offer(p, centres, (uint32_t)k, p->shell->mesh->triangles[3 * (size_t)centres[k].triangle + c], &tail,
                  &waiting);
    while (waiting > 0) {
        uint32_t v = p->queue[head];
        head = (head + 1) % p->shell->count;
        waiting--;
        p->is_queued[v] = 0;
        for (uint32_t e = topo->ring_offsets[v]; e < topo->ring_offsets[v + 1]; e++)
            offer(p, centres, p->labels[v], topo->ring_vertices[e], &tail, &waiting);
    }
}

/* The point of a triangle near a place: its projection, with weights that are not negative. */
static vec3 place_on(const ruga_mesh *mesh, uint32_t triangle, vec3 place) {
    const uint32_t *c = mesh->triangles + 3 * (size_t)triangle;
    vec3 a = mesh->positions[c[0]], u = vec3_sub(mesh->positions[c[1]], a), v = vec3_sub(mesh->positions[c[2]], a);
    vec3 d = vec3_sub(place, a), n = vec3_cross(u, v);
    double area = vec3_length2(n), s = 0, t = 0;
    if (area > 0) {
        s = fmax(0, vec3_dot(vec3_cross(d, v), n) / area);
        t = fmax(0, vec3_dot(vec3_cross(u, d), n) / area);
    }
    double sum = fmax(1, s + t);
    return vec3_add_scaled(vec3_add_scaled(a, u, s / sum), v, t / sum);
}

/* Onto the triangle around its vertex that comes closest. */
static shell_centre put_on_surface(const ruga_embedded_shell *shell, uint32_t vertex, vec3 place) {
    const topology *topo = shell->topo;
    shell_centre best = {shell->mesh->positions[vertex], topo->fan_triangles[topo->fan_offsets[vertex]]};
    double least = INFINITY;
    for (uint32_t e = topo->fan_offsets[vertex]; e < topo->fan_offsets[vertex + 1]; e++) {
        vec3 at = place_on(shell->mesh, topo->fan_triangles[e], place);
        double distance = vec3_distance(at, place);
        if (!(distance < least)) continue;
        least = distance;
        best = (shell_centre){at, topo->fan_triangles[e]};
    }
    return best;
}

static void move_to_centroids(placing *p, shell_centre *centres, size_t count) {
    const ruga_embedded_shell *shell = p->shell;
    for (size_t k = 0; k < count; k++) {
        p->sums[k] = (vec3){0, 0, 0};
        p->weights[k] = 0;
        p->closest[k] = NO_INDEX;
    }
    for (size_t v = 0; v < shell->count; v++) {
        const uint32_t k = p->labels[v];
        if (k == NO_INDEX) continue;
        double r2 = p->radii[v] * p->radii[v], weight = shell->areas[v] / (r2 * r2);
        p->sums[k] = vec3_add_scaled(p->sums[k], shell->mesh->positions[v], weight);
        p->weights[k] += weight;
    }
    for (size_t k = 0; k < count; k++)
        if (p->weights[k] > 0) p->sums[k] = vec3_scale(p->sums[k], 1 / p->weights[k]);
    for (size_t v = 0; v < shell->count; v++) {
        const uint32_t k = p->labels[v];
        if (k == NO_INDEX || !has_triangles(shell, v)) continue;
        p->distances[v] = vec3_distance(shell->mesh->positions[v], p->sums[k]);
        if (p->closest[k] == NO_INDEX || p->distances[v] < p->distances[p->closest[k]]) p->closest[k] = (uint32_t)v;
    }
    for (size_t k = 0; k < count; k++)
        if (p->closest[k] != NO_INDEX) centres[k] = put_on_surface(shell, p->closest[k], p->sums[k]);
}

static ruga_status relax(placing *p, shell_centre_array *out) {
    ruga_context *context = p->shell->context;
    TRY(NEW_EACH(context, out->count, &p->sums, &p->weights, &p->closest));
    for (int k = 0; k < RELAXATIONS; k++) {
        grow_regions(p, out->items, out->count);
        move_to_centroids(p, out->items, out->count);
    }
    return RUGA_OK;
}

/* ---- Both. */

static ruga_status place(placing *p, geodesic *g, double spacing, shell_centre_array *out) {
    const ruga_embedded_shell *shell = p->shell;
    TRY(placing_make(p));
    if (shell->def.centres == RUGA_SHELL_FARTHEST) return take_farthest(p, g, spacing / 2, shell->count, out);
    double wanted = 0;
    for (size_t v = 0; v < shell->count; v++) {
        double s = spacing * p->radii[v];
        wanted += shell->areas[v] / (HEXAGON * s * s);
    }
    size_t most = (size_t)fmin(fmax(1, round(wanted)), (double)shell->count);
    TRY(take_farthest(p, g, 0, most, out));
    return relax(p, out);
}

ruga_status shell_place_centres(const ruga_embedded_shell *shell, const double *radii, double spacing,
                                shell_centre_array *out) {
    placing p = {.shell = shell, .radii = radii};
    geodesic *g = NULL;
    TRY(geodesic_create(shell->context, shell->topo, shell->mesh->triangles, shell->mesh->positions, &g));
    ruga_status status = place(&p, g, spacing, out);
    placing_release(&p);
    geodesic_destroy(g);
    return status;
}
