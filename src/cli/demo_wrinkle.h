/* Demo: what the files of the section on wrinkle meshes share. */
#ifndef CLI_DEMO_WRINKLE_H
#define CLI_DEMO_WRINKLE_H

#include "demo.h"
#include "ruga/wrinkle_mesh.h"

/* A fine mesh that hangs on a base, as the last update left it. */
typedef struct wrinkled {
    ruga_mesh *fine;
    ruga_wrinkle_mesh *wrinkles;
    ruga_vec3 *positions; /* of the frame */
    ruga_frame frame;
} wrinkled;

/* Each triangle of the base becomes n². */
int wrinkled_make(demo *d, const ruga_mesh *base, int n, const ruga_wrinkle_mesh_def *def, wrinkled *out);
/* By the closest points of another mesh. */
int wrinkled_make_on(demo *d, const ruga_mesh *base, ruga_mesh *fine, const ruga_wrinkle_mesh_def *def, wrinkled *out);
void wrinkled_release(wrinkled *w);

/* One frame; and one that starts anew, until nothing moves. base: the base's positions. */
int wrinkled_move(demo *d, wrinkled *w, const ruga_vec3 *base);
int wrinkled_settle(demo *d, wrinkled *w, const ruga_vec3 *base);

/* A number for each vertex of the fine mesh that wrinkled_make would have; the caller's to free. */
typedef double demo_paint(ruga_vec3 place);
int demo_paint_fine(demo *d, const ruga_mesh *base, int n, demo_paint *paint, double **values, size_t *count);

/* The base of a sheet or tube: a function of where its vertices are at rest; the caller's to free. */
typedef ruga_vec3 demo_deform(ruga_vec3 place, double amount);
int demo_deform_mesh(demo *d, const ruga_mesh *mesh, demo_deform *deform, double amount, ruga_vec3 **positions);

ruga_render_mesh demo_cloth_look(const wrinkled *w);

int demo_make_wrinkle_surfaces(demo *d);
int demo_make_wrinkle_paint(demo *d);
int demo_make_wrinkle_direction(demo *d);
int demo_make_wrinkle_wavelength(demo *d);

#endif
