/* Products with the blocks of springs, four springs of a point at a time, and with those of the preconditioner. */
#include "solve/gradient_kernels.h"

#include "math/vec3x4.h"

/* Σ (a I + g gᵀ) (p - in_j) over a point's springs. */
static inline f64x4 spring_products(const integrator *self, const vec3 *in, size_t i, f64x4 p) {
    const spring_network *n = self->network;
    f64x4 zero = f64x4_set(0);
    vec3x4 sum = {zero, zero, zero};
    for (size_t e = n->offsets[i]; e < n->offsets[i + 1]; e += SPRING_LANES) {
        const uint32_t *others = n->others + e;
        const double *block = self->blocks + BLOCK_NUMBERS * e;
        vec3x4 d, g = {f64x4_load(block), f64x4_load(block + 4), f64x4_load(block + 8)};
        f64x4_transpose3(f64x4_sub(p, f64x4_load3(&in[others[0]].x)), f64x4_sub(p, f64x4_load3(&in[others[1]].x)),
                         f64x4_sub(p, f64x4_load3(&in[others[2]].x)), f64x4_sub(p, f64x4_load3(&in[others[3]].x)), &d.x,
                         &d.y, &d.z);
        sum = vec3x4_add_scaled(sum, d, f64x4_load(block + 12));
        sum = vec3x4_add_scaled(sum, g, vec3x4_dot(g, d));
    }
    return f64x4_sums3(sum.x, sum.y, sum.z);
}

void ISA_NAME(gradient_products)(const integrator *self, const vec3 *in, vec3 *out, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        f64x4 p = f64x4_load3(&in[i].x), sum = spring_products(self, in, i, p);
        f64x4_store3(&out[i].x, f64x4_add(f64x4_mul(p, f64x4_set(self->masses[i])), sum));
        if (self->drags[i] > 0) out[i] = vec3_add_scaled(out[i], integrator_free_part(self, i, in[i]), self->drags[i]);
    }
}

static inline f64x4 inverse_times(const double *columns, vec3 r) {
    f64x4 z =
        f64x4_add(f64x4_mul(f64x4_load(columns), f64x4_set(r.x)), f64x4_mul(f64x4_load(columns + 4), f64x4_set(r.y)));
    return f64x4_add(z, f64x4_mul(f64x4_load(columns + 8), f64x4_set(r.z)));
}

/* Of a point that something holds. */
static vec3 held_precondition(const integrator *self, size_t i, vec3 r) {
    vec3 z = {0, 0, 0};
    f64x4_store3(&z.x, inverse_times(self->inverse_blocks + INVERSE_NUMBERS * i, integrator_free_part(self, i, r)));
    if (self->drags[i] > 0) z = vec3_scale(z, 1 / (1 + self->drags[i] * integrator_answer_along(self, i)));
    return integrator_free_part(self, i, z);
}

void ISA_NAME(gradient_precondition)(const integrator *self, const vec3 *in, vec3 *out, size_t begin, size_t end) {
    const unsigned char *held = self->held;
    const double *columns = self->inverse_blocks + INVERSE_NUMBERS * begin;
    for (size_t i = begin; i < end; i++, columns += INVERSE_NUMBERS)
        if (held[i] == HOLD_NOT)
            f64x4_store3(&out[i].x, inverse_times(columns, in[i]));
        else
            out[i] = held_precondition(self, i, in[i]);
}
