/* Springs without length between weighted points; the header has the formulas. */
#include "energy/ties.h"

#include <math.h>

/* Σ w_i x_i */
static vec3 weighted(const tie *t, const vec3 *x) {
    vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < t->count; i++) sum = vec3_add_scaled(sum, x[t->points[i]], t->weights[i]);
    return sum;
}

vec3 tie_vector(const tie *t, const vec3 *positions) { return vec3_sub(weighted(t, positions), t->anchor); }

double tie_rest_length(const tie *t, const tie_law *law) {
    return t->gap > law->closed ? law->closed + (t->gap - law->closed) * (1 - law->progress) : law->closed;
}

/* A tie that pulls: its direction, how far it is too long, and 1 - r / |d|. */
typedef struct pull {
    vec3 direction;
    double excess; /* m */
    double across;
} pull;

static int find_pull(const tie *t, const tie_law *law, const vec3 *positions, pull *out) {
    vec3 d = tie_vector(t, positions);
    double length = vec3_length(d), rest = tie_rest_length(t, law);
    if (!(length > rest)) return 0;
    *out = (pull){vec3_scale(d, 1 / length), length - rest, 1 - rest / length};
    return 1;
}

double ties_energy(const tie *ties, size_t count, const tie_law *law, const vec3 *positions) {
    double energy = 0;
    pull p;
    for (size_t k = 0; k < count; k++)
        if (find_pull(&ties[k], law, positions, &p)) energy += ties[k].stiffness * p.excess * p.excess / 2;
    return energy;
}

void ties_add_forces(const tie *ties, size_t count, const tie_law *law, const vec3 *positions, vec3 *forces) {
    pull p;
    for (size_t k = 0; k < count; k++) {
        const tie *t = &ties[k];
        if (!find_pull(t, law, positions, &p)) continue;
        for (uint32_t i = 0; i < t->count; i++)
            forces[t->points[i]] =
                vec3_add_scaled(forces[t->points[i]], p.direction, -t->weights[i] * t->stiffness * p.excess);
    }
}

/* Stiffness along the direction, with damping, and across it. */
static double stiffness_along(const tie *t, const tie_law *law) {
    return t->stiffness * (law->dt > 0 ? 1 + law->damping_time / law->dt : 1);
}

/* The Hessian, with damping, times a change of d. */
static vec3 resist(const tie *t, const tie_law *law, const pull *p, vec3 change) {
    double across = t->stiffness * p->across, along = stiffness_along(t, law) - across;
    return vec3_add_scaled(vec3_scale(change, across), p->direction, along * vec3_dot(p->direction, change));
}

void ties_add_product(const tie *ties, size_t count, const tie_law *law, const vec3 *positions, const vec3 *direction,
                      vec3 *product) {
    pull p;
    for (size_t k = 0; k < count; k++) {
        const tie *t = &ties[k];
        if (!find_pull(t, law, positions, &p)) continue;
        vec3 resisted = resist(t, law, &p, weighted(t, direction));
        for (uint32_t i = 0; i < t->count; i++)
            product[t->points[i]] = vec3_add_scaled(product[t->points[i]], resisted, -t->weights[i]);
    }
}

void ties_add_blocks(const tie *ties, size_t count, const tie_law *law, const vec3 *positions, mat3 *blocks) {
    pull p;
    for (size_t k = 0; k < count; k++) {
        const tie *t = &ties[k];
        if (!find_pull(t, law, positions, &p)) continue;
        double across = t->stiffness * p.across, along = stiffness_along(t, law) - across;
        for (uint32_t i = 0; i < t->count; i++) {
            double square = t->weights[i] * t->weights[i];
            mat3_add_outer(&blocks[t->points[i]], -square * along, p.direction, p.direction);
            mat3_add_identity(&blocks[t->points[i]], -square * across);
        }
    }
}

void tie_squares(const tie *t, const tie_law *law, const vec3 *positions, vec3 out[3]) {
    pull p;
    out[0] = out[1] = out[2] = (vec3){0, 0, 0};
    if (!find_pull(t, law, positions, &p)) return;
    /* Two directions across the first, from the axis that is least along it. */
    vec3 n = p.direction, size = {fabs(n.x), fabs(n.y), fabs(n.z)}, axis = {0, 0, 0};
    *(size.x <= size.y && size.x <= size.z ? &axis.x : size.y <= size.z ? &axis.y : &axis.z) = 1;
    vec3 across = vec3_normalise(vec3_cross(n, axis));
    out[0] = vec3_scale(n, sqrt(stiffness_along(t, law)));
    out[1] = vec3_scale(across, sqrt(t->stiffness * p.across));
    out[2] = vec3_scale(vec3_cross(n, across), sqrt(t->stiffness * p.across));
}
