/* Resistance against collapse; the header has the equations. */
#include "energy/collapse.h"

#include <math.h>

#define SOFT 1e-3        /* ε */
#define LEAST_AREA 1e-12 /* J without a normal */

collapse collapse_of(vec3 u, vec3 v) {
    const vec3 cross = vec3_cross(u, v);
    const double area = vec3_length(cross), gap = COLLAPSE_AREA - area;
    collapse c = {.u = u, .v = v, .n = {0, 0, 0}, .area = area};
    if (!(gap > 0)) return c;
    const double log_part = log((area + SOFT) / (COLLAPSE_AREA + SOFT)), part = gap / (area + SOFT);
    if (area > LEAST_AREA) c.n = vec3_scale(cross, 1 / area);
    c.energy = -gap * gap * log_part;
    c.slope = gap * (2 * log_part - part);
    c.curve = -2 * log_part + 4 * part + part * part;
    return c;
}

/* dJ/du and dJ/dv */
static vec3 along_u(const collapse *c) { return vec3_cross(c->v, c->n); }
static vec3 along_v(const collapse *c) { return vec3_cross(c->n, c->u); }

void collapse_add_gradient(const collapse *c, double scale, vec3 *p, vec3 *q) {
    *p = vec3_add_scaled(*p, along_u(c), scale * c->slope);
    *q = vec3_add_scaled(*q, along_v(c), scale * c->slope);
}

/* The change of the gradient of B with u and v. */
static void change_of(const collapse *c, int definite, vec3 du, vec3 dv, vec3 *dp, vec3 *dq) {
    const vec3 cross = vec3_add(vec3_cross(du, c->v), vec3_cross(c->u, dv));
    const double along = vec3_dot(c->n, cross);
    *dp = vec3_scale(along_u(c), c->curve * along);
    *dq = vec3_scale(along_v(c), c->curve * along);
    if (definite || !(c->area > LEAST_AREA)) return;
    const vec3 turn = vec3_scale(vec3_add_scaled(cross, c->n, -along), 1 / c->area); /* of n */
    *dp = vec3_add_scaled(*dp, vec3_add(vec3_cross(dv, c->n), vec3_cross(c->v, turn)), c->slope);
    *dq = vec3_add_scaled(*dq, vec3_add(vec3_cross(turn, c->u), vec3_cross(c->n, du)), c->slope);
}

void collapse_add_hessian(const collapse *c, double scale, int definite, double uu[6], double vv[6], double uv[9]) {
    static const unsigned char place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const vec3 none = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        vec3 unit = none, uu_column, vu_column, uv_column, vv_column;
        (&unit.x)[k] = 1;
        change_of(c, definite, unit, none, &uu_column, &vu_column);
        change_of(c, definite, none, unit, &uv_column, &vv_column);
        for (int i = 0; i < 3; i++) uv[3 * i + k] += scale * (&uv_column.x)[i];
        for (int i = 0; i <= k; i++) {
            uu[place[i][k]] += scale * (&uu_column.x)[i];
            vv[place[i][k]] += scale * (&vv_column.x)[i];
        }
    }
}
