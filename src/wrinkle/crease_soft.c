/* Soft-bound particles; the header has the formulas. */
#include "wrinkle/crease_soft.h"

#include "base/memory.h"
#include "linalg/map.h"
#include "math/vec3.h"

#define TOLERANCE 1e-13
#define MOST_ITERATIONS 10000

static ruga_status make_places(const crease *c, ruga_map **out) {
    const embedded_node *nodes = c->nodes.embedded;
    size_t count = c->nodes.embedded_count;
    map_builder rows;
    TRY(map_builder_make(c->context, count, 3 * count, &rows));
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            if (nodes[i].weights[k] != 0) map_builder_put(&rows, nodes[i].points[k], nodes[i].weights[k]);
        map_builder_end_row(&rows);
    }
    return map_builder_finish(&rows, c->bound->rows, out);
}

ruga_status crease_soft_init(const crease *c, const double *masses, crease_soft *out) {
    size_t count = c->nodes.embedded_count, points = c->bound->rows;
    *out = (crease_soft){.context = c->context, .count = count};
    TRY(make_places(c, &out->places));
    TRY(NEW(c->context, &out->vertices, count));
    TRY(NEW(c->context, &out->masses, count));
    TRY(NEW(c->context, &out->inverse, points));
    TRY(NEW_EACH(c->context, count, &out->positions, &out->velocities, &out->impulses, &out->hard));
    TRY(NEW(c->context, &out->points, points));
    TRY(cg_scratch_make(c->context, count, &out->scratch));
    for (size_t i = 0; i < points; i++) out->inverse[i] = 1 / masses[i];
    for (size_t i = 0; i < count; i++) {
        double answer = 0;
        for (size_t k = out->places->offsets[i]; k < out->places->offsets[i + 1]; k++)
            answer += out->places->weights[k] * out->places->weights[k] * out->inverse[out->places->indices[k]];
        out->masses[i] = 1 / answer;
        out->vertices[i] = c->nodes.embedded[i].vertex;
    }
    return RUGA_OK;
}

void crease_soft_release(crease_soft *s) {
    if (!s->context) return;
    ruga_map_destroy(s->places);
    cg_scratch_release(s->context, &s->scratch);
    RELEASE_ALL(s->context, s->vertices, s->masses, s->inverse, s->positions, s->velocities, s->impulses, s->hard,
                s->points);
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
