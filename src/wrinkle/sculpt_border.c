/* Whether a curve runs along a border of the mesh. Wrinkles there have one side only, and a line that was drawn over a
 * hole is traced around it, along its border. */
#include "geom/surface_path.h"
#include "wrinkle/sculpt.h"

#define BESIDE 1e-6 /* smaller weights of corners count as 0 */

/* The corners that two points depend on: one, two along an edge, more across a triangle. */
static int corners_of(const ruga_mesh *mesh, const ruga_surface_point *from, const ruga_surface_point *to,
                      uint32_t corners[6]) {
    const ruga_surface_point *ends[] = {from, to};
    int count = 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            uint32_t v = mesh->triangles[3 * (size_t)ends[i]->triangle + (size_t)k];
            int known = !(ends[i]->weights[k] > BESIDE);
            for (int j = 0; j < count; j++) known |= corners[j] == v;
            if (!known) corners[count++] = v;
        }
    return count;
}

int sculpt_runs_along_border(const ruga_sculpt *s, const ruga_curve *curve, vec3 *at, uint32_t edge[2]) {
    for (size_t i = 0; i + !curve->closed < curve->point_count; i++) {
        const ruga_surface_point *from = &curve->points[i], *to = &curve->points[(i + 1) % curve->point_count];
        uint32_t corners[6] = {0};
        if (corners_of(s->mesh, from, to, corners) != 2) continue;
        const topology *topo = s->hard.topo;
        uint32_t e = topology_find_edge(topo, corners[0], corners[1]);
        if (e == NO_INDEX || topo->edge_offsets[e + 1] - topo->edge_offsets[e] != 1) continue;
        *at = surface_point_at(s->mesh, NULL, *from);
        edge[0] = corners[0];
        edge[1] = corners[1];
        return 1;
    }
    return 0;
}
