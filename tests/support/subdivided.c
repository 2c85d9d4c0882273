#include "support/subdivided.h"

#include <math.h>

ruga_subdivide_def subdivide_def(ruga_subdivision kind, int n, double length) {
    ruga_subdivide_def def = ruga_subdivide_def_default();
    def.kind = kind;
    def.n = n;
    def.length = length;
    return def;
}

/* Rows sum to 1, and the fine positions are bit-identical to what the map gives. */
static void assert_map_is_true(const ruga_mesh *coarse, fine f) {
    assert_int_equal(f.map->rows, f.mesh->vertex_count);
    assert_int_equal(f.map->columns, coarse->vertex_count);
    for (size_t r = 0; r < f.map->rows; r++) {
        double sum = 0;
        for (size_t i = f.map->offsets[r]; i < f.map->offsets[r + 1]; i++) sum += f.map->weights[i];
        assert_near(sum, 1, 1e-14);
    }
    ruga_vec3 *mapped = malloc((f.map->rows + 1) * sizeof *mapped);
    ruga_map_apply(f.map, coarse->positions, mapped);
    assert_memory_equal(mapped, f.mesh->positions, f.map->rows * sizeof *mapped);
    free(mapped);
}

fine subdivide(const ruga_mesh *mesh, ruga_subdivision kind, int n, double length) {
    ruga_subdivide_def def = subdivide_def(kind, n, length);
    fine f = {0};
    assert_ok(mesh->context, ruga_mesh_subdivide(mesh, &def, &f.mesh, &f.map));
    assert_map_is_true(mesh, f);
    assert_null(f.mesh->face_offsets);
    return f;
}

void fine_release(fine f) {
    ruga_mesh_destroy(f.mesh);
    ruga_map_destroy(f.map);
}

ruga_mesh_summary summary_of(const ruga_mesh *mesh) {
    ruga_mesh_summary s;
    assert_ok(mesh->context, ruga_mesh_summarise(mesh, &s));
    return s;
}

void assert_same_surface(const ruga_mesh *coarse, const ruga_mesh *finer) {
    ruga_mesh_summary a = summary_of(coarse), b = summary_of(finer);
    assert_near(a.area, b.area, 1e-12 * a.area);
    assert_near(a.volume, b.volume, 1e-12 * a.area);
    assert_int_equal(a.euler, b.euler);
    assert_int_equal(a.boundary_loops, b.boundary_loops);
    assert_int_equal(a.components, b.components);
    assert_int_equal(a.closed, b.closed);
    assert_int_equal(a.manifold, b.manifold);
    assert_int_equal(a.oriented, b.oriented);
    assert_int_equal(a.genus, b.genus);
}
