/* Soft-bound particles; the header has the formulas. */
#include "wrinkle/crease_soft.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/map.h"
#include "math/vec3.h"

#define TOLERANCE 1e-13
#define MOST_ITERATIONS 10000

static ruga_status make_places(ruga_context *context, const embedded_node *nodes, size_t count, size_t points,
                               ruga_map **out) {
    map_builder rows;
    TRY(map_builder_make(context, count, 3 * count, &rows));
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            if (nodes[i].weights[k] != 0) map_builder_put(&rows, nodes[i].points[k], nodes[i].weights[k]);
        map_builder_end_row(&rows);
    }
    return map_builder_finish(&rows, points, out);
}

ruga_status crease_soft_of_nodes(ruga_context *context, const embedded_node *nodes, size_t count, size_t points,
                                 crease_soft *out) {
    *out = (crease_soft){.context = context, .count = count};
    TRY(make_places(context, nodes, count, points, &out->places));
    TRY(NEW(context, &out->vertices, count));
    TRY(NEW_ZEROED(context, &out->masses, count));
    TRY(NEW_ZEROED(context, &out->inverse, points));
    TRY(NEW_EACH_ZEROED(context, count, &out->positions, &out->velocities, &out->impulses, &out->hard));
    TRY(NEW_EACH_ZEROED(context, points, &out->points, &out->starts, &out->corrections));
    TRY(cg_scratch_make(context, count, &out->scratch));
    for (size_t i = 0; i < count; i++) out->vertices[i] = nodes[i].vertex;
    return RUGA_OK;
}

void crease_soft_use(crease_soft *s, const double *masses, const double *inverse_masses) {
    for (size_t i = 0; i < s->places->columns; i++) s->inverse[i] = inverse_masses ? inverse_masses[i] : 1 / masses[i];
    for (size_t i = 0; i < s->count; i++) {
        double answer = 0;
        for (size_t k = s->places->offsets[i]; k < s->places->offsets[i + 1]; k++)
            answer += s->places->weights[k] * s->places->weights[k] / masses[s->places->indices[k]];
        s->masses[i] = 1 / answer;
    }
}

ruga_status crease_soft_init(const crease *c, const double *masses, crease_soft *out) {
    TRY(crease_soft_of_nodes(c->context, c->nodes.embedded, c->nodes.embedded_count, c->bound->rows, out));
    crease_soft_use(out, masses, NULL);
    return RUGA_OK;
}

void crease_soft_release(crease_soft *s) {
    if (!s->context) return;
    ruga_map_destroy(s->places);
    cg_scratch_release(s->context, &s->scratch);
    RELEASE_ALL(s->context, s->vertices, s->masses, s->inverse, s->positions, s->velocities, s->impulses, s->hard,
                s->points, s->starts, s->corrections);
    *s = (crease_soft){0};
}

void crease_soft_settle(crease_soft *s, const vec3 *positions, const vec3 *velocities) {
    ruga_map_apply(s->places, positions, s->positions);
    ruga_map_apply(s->places, velocities, s->velocities);
}

void crease_soft_inherit(crease_soft *s, const vec3 *before, const vec3 *after, double dt) {
    for (size_t i = 0; i < s->places->columns; i++) s->points[i] = vec3_sub(after[i], before[i]);
    ruga_map_apply(s->places, s->points, s->hard);
    for (size_t i = 0; i < s->count; i++) {
        s->velocities[i] = vec3_add(s->velocities[i], s->hard[i]);
        s->positions[i] = vec3_add_scaled(s->positions[i], s->velocities[i], dt);
    }
}

vec3 crease_soft_momentum(crease_soft *s, const vec3 *velocities) {
    vec3 sum = {0, 0, 0};
    ruga_map_apply(s->places, velocities, s->hard);
    for (size_t i = 0; i < s->places->columns; i++) sum = vec3_add_scaled(sum, velocities[i], 1 / s->inverse[i]);
    for (size_t i = 0; i < s->count; i++)
        sum = vec3_add_scaled(sum, vec3_sub(s->velocities[i], s->hard[i]), s->masses[i]);
    return sum;
}

/* Values of one vertex become their mean, weighted by the masses. */
static void share(const crease_soft *s, vec3 *values) {
    for (size_t begin = 0, end; begin < s->count; begin = end) {
        vec3 sum = {0, 0, 0};
        double mass = 0;
        for (end = begin; end < s->count && s->vertices[end] == s->vertices[begin]; end++) {
            sum = vec3_add_scaled(sum, values[end], s->masses[end]);
            mass += s->masses[end];
        }
        for (size_t i = begin; i < end; i++) values[i] = vec3_scale(sum, 1 / mass);
    }
}

void crease_soft_pair_velocities(crease_soft *s) { share(s, s->velocities); }
void crease_soft_pair_positions(crease_soft *s) { share(s, s->positions); }

/* M⁻¹ W I into `points`. */
static void push_points(crease_soft *s, const vec3 *impulses) {
    memset(s->points, 0, s->places->columns * sizeof *s->points);
    ruga_map_apply_transpose_add(s->places, impulses, s->points);
    for (size_t i = 0; i < s->places->columns; i++) s->points[i] = vec3_scale(s->points[i], s->inverse[i]);
}

static ruga_status multiply(void *user, const vec3 *in, vec3 *out) {
    crease_soft *s = user;
    push_points(s, in);
    ruga_map_apply(s->places, s->points, out);
    for (size_t i = 0; i < s->count; i++) out[i] = vec3_add_scaled(out[i], in[i], 1 / s->masses[i]);
    return RUGA_OK;
}

/* The diagonal is 2 / m_h. */
static void precondition(void *user, const vec3 *in, vec3 *out) {
    const crease_soft *s = user;
    for (size_t i = 0; i < s->count; i++) out[i] = vec3_scale(in[i], s->masses[i] / 2);
}

static void give_to_points(crease_soft *s, vec3 *velocities) {
    push_points(s, s->impulses);
    for (size_t i = 0; i < s->places->columns; i++) velocities[i] = vec3_add(velocities[i], s->points[i]);
}

/* Impulses for the differences in the scratch's residual; the places get them, the particles the opposite. */
static ruga_status solve(crease_soft *s, vec3 *velocities) {
    cg_system system = {s->context, s->count, multiply, precondition, s, NULL, 0};
    cg_report report;
    memset(s->impulses, 0, s->count * sizeof *s->impulses);
    TRY(cg_solve(&system, &s->scratch, 0, TOLERANCE, MOST_ITERATIONS, s->impulses, &report));
    give_to_points(s, velocities);
    for (size_t i = 0; i < s->count; i++)
        s->velocities[i] = vec3_add_scaled(s->velocities[i], s->impulses[i], -1 / s->masses[i]);
    return RUGA_OK;
}

ruga_status crease_soft_equation_6(crease_soft *s, vec3 *velocities) {
    ruga_map_apply(s->places, velocities, s->hard);
    for (size_t i = 0; i < s->count; i++) s->scratch.residual[i] = vec3_sub(s->velocities[i], s->hard[i]);
    return solve(s, velocities);
}

ruga_status crease_soft_equation_7(crease_soft *s, const vec3 *positions, double dt, vec3 *velocities) {
    for (size_t i = 0; i < s->places->columns; i++) s->points[i] = vec3_add_scaled(velocities[i], positions[i], 1 / dt);
    ruga_map_apply(s->places, s->points, s->hard);
    for (size_t i = 0; i < s->count; i++)
        s->scratch.residual[i] = vec3_sub(vec3_add_scaled(s->velocities[i], s->positions[i], 1 / dt), s->hard[i]);
    return solve(s, velocities);
}

void crease_soft_hand_over(crease_soft *s, vec3 *velocities) {
    ruga_map_apply(s->places, velocities, s->hard);
    for (size_t i = 0; i < s->count; i++)
        s->impulses[i] = vec3_scale(vec3_sub(s->velocities[i], s->hard[i]), s->masses[i]);
    give_to_points(s, velocities);
    ruga_map_apply(s->places, velocities, s->velocities);
}

ruga_status crease_soft_create(ruga_context *context, const embedded_node *nodes, size_t count, size_t points,
                               crease_soft **out) {
    crease_soft *s = NULL;
    TRY(NEW_ZEROED(context, &s, 1));
    s->context = context;
    RETURN_MADE(crease_soft_of_nodes(context, nodes, count, points, s), s, out, crease_soft_destroy(s));
}

void crease_soft_destroy(crease_soft *s) {
    if (!s) return;
    ruga_context *context = s->context;
    crease_soft_release(s);
    memory_release(context, s);
}

size_t crease_soft_count(const crease_soft *s) { return s ? s->count : 0; }
ruga_vec3 *crease_soft_positions(crease_soft *s) { return s->positions; }

double crease_soft_gap(crease_soft *s, const vec3 *positions) {
    double most = 0;
    ruga_map_apply(s->places, positions, s->hard);
    for (size_t i = 0; i < s->count; i++) most = fmax(most, vec3_distance(s->positions[i], s->hard[i]));
    return most;
}

/* ---- The step of a body. */

/* Particles move by dt times their velocities relative to those of their places, which the points have. */
static void move_relative(crease_soft *s, const vec3 *velocities, double dt) {
    ruga_map_apply(s->places, velocities, s->hard);
    for (size_t i = 0; i < s->count; i++)
        s->positions[i] = vec3_add_scaled(s->positions[i], vec3_sub(s->velocities[i], s->hard[i]), dt);
}

static void move_with_places(crease_soft *s, const vec3 *displacements, double factor) {
    ruga_map_apply(s->places, displacements, s->hard);
    for (size_t i = 0; i < s->count; i++) s->positions[i] = vec3_add_scaled(s->positions[i], s->hard[i], factor);
}

ruga_status crease_soft_before_contact(crease_soft *s, crease_exact *exact, const vec3 *accepted, double dt,
                                       vec3 *positions, vec3 *velocities) {
    size_t points = s->places->columns;
    for (size_t i = 0; i < points; i++) {
        s->starts[i] = vec3_add_scaled(positions[i], velocities[i], -dt);
        s->corrections[i] = vec3_scale(velocities[i], -1);
        s->points[i] = vec3_sub(s->starts[i], accepted[i]);
    }
    move_with_places(s, s->points, 1);
    ruga_map_apply(s->places, velocities, s->velocities);
    crease_soft_pair_positions(s);
    crease_soft_pair_velocities(s);
    TRY(crease_soft_equation_7(s, s->starts, dt, velocities));
    move_relative(s, velocities, dt);
    crease_exact_pre(exact, s->starts, dt, velocities);
    move_with_places(s, velocities, dt);
    for (size_t i = 0; i < points; i++) {
        s->corrections[i] = vec3_add(s->corrections[i], velocities[i]);
        positions[i] = vec3_add_scaled(positions[i], s->corrections[i], dt);
    }
    return RUGA_OK;
}

/* The end of the nodes of a vertex, whose first is `begin`. */
static size_t end_of_vertex(const crease_soft *s, size_t begin) {
    size_t end = begin;
    while (end < s->count && s->vertices[end] == s->vertices[begin]) end++;
    return end;
}

/* Takes from the points again what they got of impulses at vertices of creases. */
static void take_back(crease_soft *s, const ruga_map *visible, const vec3 *impulses, vec3 *velocities) {
    memset(s->points, 0, s->places->columns * sizeof *s->points);
    for (size_t begin = 0; begin < s->count; begin = end_of_vertex(s, begin)) {
        uint32_t v = s->vertices[begin];
        for (size_t k = visible->offsets[v]; k < visible->offsets[v + 1]; k++) {
            vec3 *point = &s->points[visible->indices[k]];
            *point = vec3_add_scaled(*point, impulses[v], visible->weights[k]);
        }
    }
    for (size_t i = 0; i < s->places->columns; i++)
        velocities[i] = vec3_add_scaled(velocities[i], s->points[i], -s->inverse[i]);
}

static void push_particles(crease_soft *s, const vec3 *impulses) {
    for (size_t begin = 0, end; begin < s->count; begin = end) {
        end = end_of_vertex(s, begin);
        for (size_t i = begin; i < end; i++)
            s->velocities[i] =
                vec3_add_scaled(s->velocities[i], impulses[s->vertices[i]], 1 / ((double)(end - begin) * s->masses[i]));
    }
}

/* Positions get what velocities got since they were kept in `starts`. */
static void move_by_changes(crease_soft *s, const vec3 *velocities, double dt, vec3 *positions) {
    for (size_t i = 0; i < s->places->columns; i++)
        positions[i] = vec3_add_scaled(positions[i], vec3_sub(velocities[i], s->starts[i]), dt);
}

ruga_status crease_soft_after_contact(crease_soft *s, crease_exact *exact, crease_particles law,
                                      const ruga_map *visible, const vec3 *impulses, double dt, vec3 *positions,
                                      vec3 *velocities) {
    size_t points = s->places->columns;
    for (size_t i = 0; i < points; i++) s->starts[i] = velocities[i] = vec3_sub(velocities[i], s->corrections[i]);
    if (impulses) take_back(s, visible, impulses, velocities);
    move_by_changes(s, velocities, dt, positions);
    crease_exact_post(exact, velocities);
    ruga_map_apply(s->places, velocities, s->velocities);
    if (!impulses) return RUGA_OK;
    memcpy(s->starts, velocities, points * sizeof *velocities);
    push_particles(s, impulses);
    crease_soft_pair_velocities(s);
    move_relative(s, velocities, dt);
    if (law == CREASE_EQUATION_6)
        TRY(crease_soft_equation_6(s, velocities));
    else
        crease_soft_hand_over(s, velocities);
    move_by_changes(s, velocities, dt, positions);
    return RUGA_OK;
}
