/* 3 x 3 matrices, row by row. */
#ifndef MATH_MAT3_H
#define MATH_MAT3_H

#include "math/vec3.h"

typedef struct mat3 {
    double at[3][3]; /* at[row][column] */
} mat3;

static inline vec3 mat3_apply(const mat3 *m, vec3 v) {
    return (vec3){m->at[0][0] * v.x + m->at[0][1] * v.y + m->at[0][2] * v.z,
                  m->at[1][0] * v.x + m->at[1][1] * v.y + m->at[1][2] * v.z,
                  m->at[2][0] * v.x + m->at[2][1] * v.y + m->at[2][2] * v.z};
}

static inline double mat3_determinant(const mat3 *m) {
    vec3 rows[3];
    for (int r = 0; r < 3; r++) rows[r] = (vec3){m->at[r][0], m->at[r][1], m->at[r][2]};
    return vec3_dot(rows[0], vec3_cross(rows[1], rows[2]));
}

/* m += scale a bᵀ */
static inline void mat3_add_outer(mat3 *m, double scale, vec3 a, vec3 b) {
    const double u[3] = {scale * a.x, scale * a.y, scale * a.z}, v[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) m->at[i][k] += u[i] * v[k];
}

/* m += scale I */
static inline void mat3_add_identity(mat3 *m, double scale) {
    for (int i = 0; i < 3; i++) m->at[i][i] += scale;
}

#endif
