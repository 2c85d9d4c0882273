/* Curves on models along which they wrinkle, with folds across them: on the bust's face, over the shoe's toes. */
#ifndef MESH_MODEL_CURVES_H
#define MESH_MODEL_CURVES_H

#include "ruga/mesh.h"

/* A cubic Bézier curve as it is seen from the front of the bust, or from above the shoe. */
typedef struct model_curve {
    const char *model, *name;
    double points[4][2]; /* m, of the model with its presets: x and y of the bust, x and z of the shoe */
} model_curve;

size_t model_curve_count(void);
const model_curve *model_curve_get(size_t curve);                         /* NULL past the end */
const model_curve *model_curve_find(const char *model, const char *name); /* NULL if there is none */

/* Points (count, at least 2) on the mesh along the curve, at equal steps of its parameter. The mesh is the curve's model, of
 * whatever size and fineness. */
ruga_status model_curve_trace(const ruga_mesh *mesh, const model_curve *curve, size_t count, ruga_vec3 *points);

#endif
