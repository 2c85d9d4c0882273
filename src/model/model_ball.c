/* A ball of tets: the lattice of geom/tet_stuff.h, cut by a sphere that is known exactly. */
#include "geom/tet_stuff.h"
#include "model/model.h"

enum { LAYERS = 2 };

/* Where a segment from inside crosses the sphere of a radius about 0, from 0 to 1. */
static double sphere_crossing(vec3 from, vec3 to, double radius) {
    vec3 d = vec3_sub(to, from);
    double a = vec3_length2(d), b = vec3_dot(from, d), c = vec3_length2(from) - radius * radius;
    return (-b + sqrt(fmax(b * b - a * c, 0))) / a;
}

static ruga_status fill_sphere(stuff_lattice *l, double radius, mesh_parts *parts) {
    stuff_counts counts;
    for (size_t p = 0; p < l->point_count; p++)
        l->inside[p] = vec3_length2(stuff_place(&l->grid, p)) < radius * radius ? 1 : -1;
    TRY(stuff_find_crossings(l));
    for (size_t k = 0; k < l->crossing_count; k++) {
        vec3 a = stuff_place(&l->grid, l->edges[k].point);
        vec3 b = stuff_place(&l->grid, stuff_other_end(&l->grid, l->edges[k]));
        int is_out = l->inside[l->edges[k].point] > 0;
        l->at[k] = is_out ? sphere_crossing(a, b, radius) : 1 - sphere_crossing(b, a, radius);
    }
    return stuff_make(l, parts, &counts);
}

/* values: radius, cells. */
ruga_status model_ball(ruga_context *context, const double *values, mesh_parts *parts) {
    double radius = values[0], spacing = 2 * radius / values[1];
    size_t cells = (size_t)values[1] + 2 * LAYERS;
    double start = -spacing * (double)cells / 2;
    stuff_grid grid = {.origin = {start, start, start}, .spacing = spacing, .count = {cells + 1, cells + 1, cells + 1}};
    stuff_lattice lattice;
    ruga_status status = stuff_lattice_make(context, &grid, &lattice);
    if (!RUGA_FAILED(status)) status = fill_sphere(&lattice, radius, parts);
    stuff_lattice_release(&lattice);
    TRY(status);
    return model_add_box_uv(context, parts, parts->positions, 2 * radius, 1);
}
