/* The resistance of a triangle against losing its area.
 *
 * Springs and yarns let go of a triangle that collapses onto a line: its energy stays finite, its forces end, and
 * angles across its edges lose their meaning. With u and v as in energy/membrane.h its area over that at rest is
 * J = |u × v|. Below J0 the energy per area K B(J) is added,
 *
 *     B(J) = -(J0 - J)² ln((J + ε) / (J0 + ε))
 *
 * which has two continuous derivatives at J0, and near 0 a slope of -J0² / ε that no other force of a sheet reaches. It
 * stays finite, so that a sheet may start there. With the unit normal n and c = u × v the Hessian is
 *
 *     B'' δJ² + B' (|δc|² - (n · δc)²) / J + 2 B' n · (δu × δv),   δJ = n · δc,   δc = δu × v + u × δv
 *
 * of which only the first part is definite. */
#ifndef ENERGY_COLLAPSE_H
#define ENERGY_COLLAPSE_H

#include "math/vec3.h"

#define COLLAPSE_AREA 0.2 /* J0 */

typedef struct collapse {
    vec3 u, v, n;                /* n: zero where the area is */
    double area;                 /* J */
    double energy, slope, curve; /* B, B', B''; zero from J0 on */
} collapse;
collapse collapse_of(vec3 u, vec3 v);

/* The gradient over K: adds scale times that of u to *p, and of v to *q. */
void collapse_add_gradient(const collapse *c, double scale, vec3 *p, vec3 *q);

/* Adds scale times the Hessian over K, or with `definite` its definite part: symmetric uu and vv (xx, yy, zz, xy, xz,
 * yz), and uv by rows. */
void collapse_add_hessian(const collapse *c, double scale, int definite, double uu[6], double vv[6], double uv[9]);

#endif
