/* Creased cloth in a world of its own, shared by the benchmarks of creases. */
#ifndef BENCH_CREASE_SHEETS_H
#define BENCH_CREASE_SHEETS_H

#include <math.h>

#include "cloth_sheet.h"
#include "system/world.h"
#include "wrinkle/crease.h"

/* A grid of columns x rows quads, cut along one diagonal, at (i, j) given by `place`; facing up. */
typedef vec3 grid_place(double i, double j, const double *sizes);
ruga_mesh *make_grid(ruga_context *context, size_t columns, size_t rows, grid_place *place, const double *sizes);
ruga_mesh *make_mesh(ruga_context *context, size_t vertices, const vec3 *positions, size_t triangles,
                     const uint32_t *corners);

/* A curve through points in space. */
ruga_curve *draw_curve(const ruga_mesh *mesh, const vec3 *points, size_t count);
crease cut_along(const ruga_mesh *mesh, ruga_curve *const *curves, size_t count);

/* Cotton in still air, springs with axial bending, on a mesh, or on the simulated one of a crease: bound or free. */
typedef struct sheet_def {
    const ruga_mesh *mesh;
    const crease *creases; /* NULL: none */
    int is_bound;          /* with the part "crease" too; 0: the pieces are not joined */
    integrator_kind kind;
    double damping_time; /* s */
    double bend;         /* N m; 0: that of cotton */
    size_t pin_count;
    const uint32_t *pins;
} sheet_def;
world *make_sheet_world(const sheet_def *def);
void step_sheet(world *w, double dt, int frames, int substeps);
double sheet_measure(world *w, const char *name); /* of the cloth */

/* crease_remesh.c: remesh_vs_crease. */
void measure_remesh(const bench_setup *bench);

#endif
