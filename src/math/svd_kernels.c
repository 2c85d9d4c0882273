#include "math/svd_kernels.h"

#include "math/quads.h"
#include "math/svd3x4.h"

void ISA_NAME(svd3_four)(const mat3 f[4], svd3 out[4]) {
    const double *from[4] = {f[0].at[0], f[1].at[0], f[2].at[0], f[3].at[0]};
    double *to[4] = {&out[0].u[0].x, &out[1].u[0].x, &out[2].u[0].x, &out[3].u[0].x};
    f64x4 rows[9], numbers[21];
    quads_load(from, 9, rows);
    const vec3x4 columns[3] = {{rows[0], rows[3], rows[6]}, {rows[1], rows[4], rows[7]}, {rows[2], rows[5], rows[8]}};
    const svd3x4 s = svd3x4_of(columns);
    for (int k = 0; k < 3; k++) {
        const vec3x4 u = s.u[k], v = s.v[k];
        numbers[3 * k] = u.x;
        numbers[3 * k + 1] = u.y;
        numbers[3 * k + 2] = u.z;
        numbers[9 + 3 * k] = v.x;
        numbers[10 + 3 * k] = v.y;
        numbers[11 + 3 * k] = v.z;
        numbers[18 + k] = s.values[k];
    }
    quads_store(numbers, 21, to);
}
