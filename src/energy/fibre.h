/* Muscle fibres: an active stress T along a direction d at rest, with the activation a of their muscle,
 *
 *     Ψ = a T |F d|                  a tension a T along F d; the Hessian a T (1 - f fᵀ) / |F d| ⊗ d dᵀ is definite
 *
 * per volume at rest, beside the elastic energy of whatever they are in. */
#ifndef ENERGY_FIBRE_H
#define ENERGY_FIBRE_H

#include "math/mat3.h"

typedef struct muscle_fibre {
    size_t point;    /* quadrature point, or tet */
    uint32_t muscle; /* index of its activation */
    vec3 direction;  /* unit, at rest */
    double stress;   /* Pa, at activation 1 */
} muscle_fibre;

/* Adds the fibre's stress at F; returns its energy per volume. */
static inline double fibre_add_stress(const muscle_fibre *self, double activation, const mat3 *f, mat3 *p) {
    vec3 along = mat3_apply(f, self->direction);
    double length = vec3_length(along), tension = activation * self->stress;
    if (length > 0) mat3_add_outer(p, tension / length, along, self->direction);
    return tension * length;
}

/* weight times the tension over the length of along = F d, and its direction f; 0 where it has no length. */
static inline double fibre_stiffness(const muscle_fibre *self, double weight, double activation, vec3 along, vec3 *f) {
    double length = vec3_length(along);
    if (!(length > 0)) return 0;
    *f = vec3_scale(along, 1 / length);
    return weight * activation * self->stress / length;
}

/* Adds the block of the Hessian between two corners with gradients a and b; stiffness and f as above. */
static inline void fibre_add_block(const muscle_fibre *self, double stiffness, vec3 f, vec3 a, vec3 b, mat3 *block) {
    stiffness *= vec3_dot(self->direction, a) * vec3_dot(self->direction, b);
    mat3_add_identity(block, stiffness);
    mat3_add_outer(block, -stiffness, f, f);
}

#endif
