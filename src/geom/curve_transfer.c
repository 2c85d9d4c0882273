/* Curves on finer meshes. A point is found by the map, not by its position, so that sheets which touch or coincide keep
 * their own curves: see mesh/follow.h. */
#include "geom/curve.h"
#include "mesh/follow.h"

/* A point of a curve as a mixture: its vertices in rising order, and the one with the largest weight. */
typedef struct carried_point {
    uint32_t indices[3];
    double weights[3];
    uint32_t main;
} carried_point;

static carried_point mixture_of(const ruga_mesh *mesh, const ruga_surface_point *point) {
    carried_point m = {.main = NO_INDEX};
    double share = -1;
    for (size_t k = 0; k < 3; k++) {
        uint32_t vertex = mesh->triangles[3 * (size_t)point->triangle + k];
        size_t i = k;
        for (; i > 0 && m.indices[i - 1] > vertex; i--) {
            m.indices[i] = m.indices[i - 1];
            m.weights[i] = m.weights[i - 1];
        }
        m.indices[i] = vertex;
        m.weights[i] = point->weights[k];
        if (!(point->weights[k] > share)) continue;
        share = point->weights[k];
        m.main = vertex;
    }
    return m;
}

static ruga_status carry_points(const ruga_curve *curve, const ruga_mesh *mesh, mixture_finder *finder,
                                ruga_surface_point *out) {
    for (size_t i = 0; i < curve->point_count; i++) {
        const carried_point point = mixture_of(mesh, &curve->points[i]);
        const mixture wanted = {point.indices, point.weights, 3};
        double weights[3];
        uint32_t triangle =
            mixture_find(finder, wanted, point.main, surface_point_at(mesh, NULL, curve->points[i]), weights);
        if (triangle == NO_INDEX)
            return fail_argument(
                mesh->context,
                "curve \"%s\": point %zu can't be transferred: no triangle of the finer mesh depends on "
                "vertex %u",
                curve->name, i, point.main);
        out[i] = curve_tidy_point(triangle, weights);
    }
    return RUGA_OK;
}

ruga_status ruga_curve_transfer(const ruga_curve *curve, const ruga_mesh *mesh, const ruga_mesh *finer,
                                const ruga_map *map, ruga_curve **out) {
    ruga_context *context = mesh->context;
    curve_canvas canvas;
    mixture_finder finder = {0};
    ruga_surface_point *points = NULL;
    ruga_curve_def def = ruga_curve_def_default();
    def.name = curve->name;
    def.closed = curve->closed;
    if (map->rows != finer->vertex_count || map->columns != mesh->vertex_count)
        return fail_argument(context,
                             "the map of a curve's transfer takes %zu vertices to %zu, but the meshes have %zu and %zu",
                             map->columns, map->rows, mesh->vertex_count, finer->vertex_count);
    for (size_t i = 0; i < curve->point_count; i++)
        if (curve->points[i].triangle >= mesh->triangle_count)
            return fail_argument(
                context, "curve \"%s\": point %zu is on triangle %u of a mesh of %zu; it belongs to another mesh",
                curve->name, i, curve->points[i].triangle, mesh->triangle_count);
    TRY(curve_canvas_make(finer, &canvas));
    ruga_status status = NEW(context, &points, curve->point_count);
    if (!RUGA_FAILED(status)) status = mixture_finder_make(finer, canvas.t.topo, map, &finder);
    if (!RUGA_FAILED(status)) status = carry_points(curve, mesh, &finder, points);
    if (!RUGA_FAILED(status)) status = curve_draw_surface_points(&canvas, points, curve->point_count, &def, out);
    mixture_finder_release(&finder);
    memory_release(context, points);
    curve_canvas_release(&canvas);
    return status;
}
