/* Curves on models with folds across them: on the bust's face, over the shoe's toes. */
#ifndef MODEL_CURVES_H
#define MODEL_CURVES_H

#include "ruga/mesh.h"

/* A cubic Bézier curve in a view from the front of the bust, or from above the shoe. */
typedef struct model_curve {
    const char *model, *name;
    double points[4][2]; /* m, on the model with default values: x and y of the bust, x and z of the shoe */
} model_curve;

size_t model_curve_count(void);
const model_curve *model_curve_get(size_t curve);                         /* NULL past the end */
const model_curve *model_curve_find(const char *model, const char *name); /* NULL if there is none */

/* Points (count, at least 2) on the mesh along the curve, at equal steps of its parameter. The mesh must be the curve's
 * model, of any size and resolution. */
ruga_status model_curve_trace(const ruga_mesh *mesh, const model_curve *curve, size_t count, ruga_vec3 *points);

#endif
