/* Products with the blocks of the preconditioner. */
#include "solve/gradient_kernels.h"

#include "math/simd.h"

static inline f64x4 inverse_times(const double *columns, vec3 r) {
    f64x4 z =
        f64x4_add(f64x4_mul(f64x4_load(columns), f64x4_set(r.x)), f64x4_mul(f64x4_load(columns + 4), f64x4_set(r.y)));
    return f64x4_add(z, f64x4_mul(f64x4_load(columns + 8), f64x4_set(r.z)));
}

/* Of an unknown that something holds. */
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
