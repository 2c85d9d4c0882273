/* The gap between the sides of creases, and its bound: see crease.h.
 *
 * Two embedded nodes P and Q of one vertex are means, with weights λ_k, of copies of the same vertices k. A copy is
 * x_k + Σ_i w_ik s_i(k) D_i(σ_i(k)) over the lines i, with numbers w_ik that virtual_nodes lists. So the gap is
 *
 *     P - Q = Σ_i Σ_k c_ik D_i(σ_i(k)),   c_ik = λ_k (w_ik of P - w_ik of Q) s_i(k)
 *
 * If Σ_k c_ik is 0, because s_i is linear and 0 at the vertex, line i adds the same for D_i - D_i(σ*) with any σ*; the
 * best of σ_i(k) is taken. Else an end of the line lies between P and Q, and σ* is there: D is 0 at tips and stems, and
 * the constants of all rays of a star cancel. With hats l apart,
 *
 *     |P - Q| ≤ Σ_i max |D_{j+1} - D_j| / l  Σ_k |c_ik| |σ_i(k) - σ*|  +  |Σ_i Σ_k c_ik D_i(σ*)|
 *
 * The last term is 0, but for lines so short that they begin and end in the triangles around one vertex.
 */
#include <math.h>

#include "math/vec3.h"
#include "wrinkle/crease.h"

#define BALANCED 1e-4 /* of Σ |c|: a sum Σ c that is 0, but for the places of crossings that were snapped */
#define ROUNDING 1e-9 /* of the bound, which a single edge may reach */

static vec3 embedded_at(const embedded_node *node, const ruga_vec3 *points) {
    const uint32_t *v = node->points;
    vec3 at = vec3_scale(points[v[0]], node->weights[0]);
    return vec3_add_scaled(vec3_add_scaled(at, points[v[1]], node->weights[1]), points[v[2]], node->weights[2]);
}

double crease_gap_of(const embedded_node *nodes, size_t count, const ruga_vec3 *points) {
    double most = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j-- > 0 && nodes[j].vertex == nodes[i].vertex;)
            most = fmax(most, vec3_distance(embedded_at(&nodes[i], points), embedded_at(&nodes[j], points)));
    return most;
}

double crease_gap(const crease *c, const ruga_vec3 *points) {
    return crease_gap_of(c->nodes.embedded, c->nodes.embedded_count, points);
}

/* ---- Its bound. */

/* Crossings of a simulated point; none for vertices of the mesh. */
static const virtual_crossing *crossings_of(const crease *c, uint32_t point, size_t *count) {
    size_t vertices = c->nodes.simulated->vertex_count - c->nodes.virtual_count;
    *count = 0;
    if (point < vertices) return NULL;
    const uint32_t *range = c->nodes.crossing_offsets + (point - vertices);
    *count = range[1] - range[0];
    return c->nodes.crossings + range[0];
}

static double number_of(const crease *c, uint32_t point, uint32_t line) {
    size_t count;
    const virtual_crossing *crossings = crossings_of(c, point, &count);
    for (size_t k = 0; k < count; k++)
        if (crossings[k].path == line) return crossings[k].weight;
    return 0;
}

/* c_k and σ_k of a line between two nodes; returns how many are not 0. */
static size_t line_terms(const crease *c, const embedded_node *a, const embedded_node *b, uint32_t line,
                         double terms[3], double alongs[3]) {
    const cut_line *l = &c->lines.lines[line];
    const uint32_t *vertex_of = c->nodes.vertex_of;
    size_t count = 0;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) {
            if (a->weights[k] == 0 || vertex_of[a->points[k]] != vertex_of[b->points[j]]) continue;
            double number = number_of(c, a->points[k], line) - number_of(c, b->points[j], line);
            const cut_place *place = number != 0 ? cut_line_place(l, vertex_of[a->points[k]]) : NULL;
            if (!place) continue;
            terms[count] = a->weights[k] * number * place->distance;
            alongs[count++] = l->closed ? place->along : fmin(l->length, fmax(0, place->along));
        }
    return count;
}

/* Σ_k |c_ik| |σ_i(k) - σ*|, m². */
static double moment_about(const cut_line *l, size_t count, const double *terms, const double *alongs, double at) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        double apart = fabs(alongs[k] - at);
        if (l->closed) apart = fmin(apart, fabs(l->length - apart));
        sum += fabs(terms[k]) * apart;
    }
    return sum;
}

/* The share of a line in P - Q: its moment Σ_k |c_ik| |σ_i(k) - σ*|, m², and what it has of D(σ*), m. */
static double line_moment(const crease *c, const embedded_node *a, const embedded_node *b, uint32_t line, double *at,
                          double *rest) {
    const cut_line *l = &c->lines.lines[line];
    double terms[3], alongs[3], size = 0, least = INFINITY;
    size_t count = line_terms(c, a, b, line, terms, alongs);
    *rest = *at = 0;
    for (size_t k = 0; k < count; k++) {
        *rest += terms[k];
        size += fabs(terms[k]);
    }
    if (size == 0) return 0;
    if (fabs(*rest) > BALANCED * size) {
        double ends[2] = {moment_about(l, count, terms, alongs, 0), moment_about(l, count, terms, alongs, l->length)};
        int end = l->ends[0] == CUT_BORDER || (l->ends[1] != CUT_BORDER && ends[1] < ends[0]);
        *at = end ? l->length : 0;
        return ends[end];
    }
    *rest = 0;
    for (size_t k = 0; k < count; k++) least = fmin(least, moment_about(l, count, terms, alongs, alongs[k]));
    return least;
}

/* The greatest |dD/dσ| of a line, 1/m. */
static double fold_rate(const crease *c, uint32_t line, const ruga_vec3 *unknowns) {
    const crease_ridge *r = &c->ridges[line];
    double change = 0;
    for (size_t k = 0; k + (c->lines.lines[line].closed ? 0 : 1) < r->knot_count; k++)
        change = fmax(change, vec3_distance(crease_knot_vector(r, k, unknowns),
                                            crease_knot_vector(r, (k + 1) % r->knot_count, unknowns)));
    return change / r->spacing;
}

/* The bound of |P - Q|: over all lines that one of their points is behind, each once. */
static double pair_bound(const crease *c, const embedded_node *pair[2], const ruga_vec3 *unknowns) {
    double sum = 0;
    vec3 constant = {0, 0, 0};
    for (int i = 0; i < 6; i++) {
        size_t count;
        const virtual_crossing *crossings = crossings_of(c, pair[i / 3]->points[i % 3], &count);
        for (size_t k = 0; k < count; k++) {
            uint32_t line = crossings[k].path;
            int is_known = 0;
            double at, rest;
            for (int j = 0; j < i; j++) is_known |= number_of(c, pair[j / 3]->points[j % 3], line) != 0;
            if (is_known) continue;
            double moment = line_moment(c, pair[0], pair[1], line, &at, &rest);
            if (moment > 0) sum += moment * fold_rate(c, line, unknowns);
            if (rest != 0) constant = vec3_add_scaled(constant, crease_fold_vector(c, line, at, unknowns), rest);
        }
    }
    return sum + vec3_length(constant);
}

double crease_gap_bound(const crease *c, const ruga_vec3 *unknowns) {
    const embedded_node *nodes = c->nodes.embedded;
    double most = 0;
    for (size_t i = 0; i < c->nodes.embedded_count; i++)
        for (size_t j = i; j-- > 0 && nodes[j].vertex == nodes[i].vertex;)
            most = fmax(most, pair_bound(c, (const embedded_node *[2]){&nodes[i], &nodes[j]}, unknowns));
    return most * (1 + ROUNDING);
}
