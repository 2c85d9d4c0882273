/* Demo: helpers and items of the section on wrinkle meshes. */
#ifndef DEMO_WRINKLE_H
#define DEMO_WRINKLE_H

#include "demo.h"
#include "ruga/wrinkle_mesh.h"

/* A fine mesh that hangs on a base, as the last update left it. Its memory belongs to the demo. */
typedef struct wrinkled {
    ruga_mesh *fine;
    ruga_wrinkle_mesh *wrinkles;
    moment current;
    ruga_vec3 *normals; /* (vertices of fine) of the last update: smooth where the radius is 0 */
} wrinkled;

/* Each triangle of the base becomes n². */
int wrinkled_make(demo *d, const ruga_mesh *base, int n, const ruga_wrinkle_mesh_def *def, wrinkled *out);
/* Bound to the closest points of the base. */
int wrinkled_make_on(demo *d, const ruga_mesh *base, ruga_mesh *fine, const ruga_wrinkle_mesh_def *def, wrinkled *out);

/* Restarts and iterates until nothing moves. base: the base's positions. */
int wrinkled_settle(demo *d, wrinkled *w, const ruga_vec3 *base);

/* A number for each vertex of the fine mesh that wrinkled_make makes. */
typedef double demo_paint(ruga_vec3 place);
int demo_paint_fine(demo *d, const ruga_mesh *base, int n, demo_paint *paint, double **values, size_t *count);

ruga_render_mesh wrinkled_look(const wrinkled *w);

int demo_make_wrinkle_surfaces(demo *d);
int demo_make_wrinkle_paint(demo *d);
int demo_make_wrinkle_direction(demo *d);
int demo_make_wrinkle_wavelength(demo *d);

#endif
