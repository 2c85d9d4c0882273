/* Meshes made from another one follow when that one changes. */
#include "mesh/follow.h"

#include "linalg/map.h"
#include "support/shapes.h"
#include "support/subdivided.h"

static ruga_map *identity(ruga_context *context, size_t count) {
    ruga_map *map = NULL;
    assert_ok(context, map_select_first(context, count, count, &map));
    return map;
}

static void assert_is_identity(const ruga_map *map) {
    assert_int_equal(map->rows, map->columns);
    for (size_t i = 0; i < map->rows; i++) {
        assert_int_equal(map->offsets[i + 1], i + 1);
        assert_int_equal(map->indices[i], i);
        assert_true(map->weights[i] == 1);
    }
}

static void a_mesh_that_does_not_change_gives_the_identity(void **state) {
    const ruga_subdivision kinds[3] = {RUGA_SUBDIVIDE_REGULAR, RUGA_SUBDIVIDE_LOOP, RUGA_SUBDIVIDE_LONG_EDGES};
    ruga_mesh *mesh = shape_torus(*state, 7, 5);
    ruga_map *same = identity(*state, mesh->vertex_count), *map = NULL;
    for (int k = 0; k < 3; k++) {
        fine a = subdivide(mesh, kinds[k], 2, 0.3), b = subdivide(mesh, kinds[k], 2, 0.3);
        assert_ok(*state, follow_vertices(a.mesh, a.map, b.mesh, b.map, same, &map));
        assert_is_identity(map);
        ruga_map_destroy(map);
        fine_release(a);
        fine_release(b);
    }
    ruga_map_destroy(same);
    ruga_mesh_destroy(mesh);
}

/* Subdivisions do not move the surface: the new vertices are places on the old fine mesh, whatever is refined. */
static void positions_follow_a_refinement_exactly(void **state) {
    ruga_mesh *mesh = shape_torus(*state, 7, 5);
    fine below = subdivide(mesh, RUGA_SUBDIVIDE_LONG_EDGES, 2, 0.5);
    assert_less((double)mesh->vertex_count, (double)below.mesh->vertex_count);
    followed_mesh f;
    fine a = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 3, 0), b = subdivide(below.mesh, RUGA_SUBDIVIDE_REGULAR, 3, 0);
    f = followed_mesh_make(a.mesh, a.map);
    assert_ok(*state, followed_mesh_change(&f, b.mesh, b.map, below.map, below.map));
    assert_ptr_equal(f.from_old, f.from_first);
    ruga_vec3 *places = malloc(b.mesh->vertex_count * sizeof *places);
    ruga_map_apply(f.from_old, f.first_mesh->positions, places);
    for (size_t v = 0; v < b.mesh->vertex_count; v++)
        assert_near_case(vec3_distance(places[v], b.mesh->positions[v]), 0, 1e-12, "vertex %zu", v);
    free(places);

    /* And back: the first vertices of the mesh below are its old ones. */
    ruga_map *back = NULL;
    assert_ok(*state, map_select_first(*state, mesh->vertex_count, below.mesh->vertex_count, &back));
    fine c = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 3, 0);
    assert_ok(*state, followed_mesh_change(&f, c.mesh, c.map, back, NULL));
    assert_null(f.from_first);
    assert_int_equal(f.from_old->rows, c.mesh->vertex_count);
    followed_mesh_release(&f);
    ruga_map_destroy(back);
    fine_release(below);
    ruga_mesh_destroy(mesh);
}

/* Two sheets in the same place keep apart. */
static void coincident_sheets_keep_their_own_vertices(void **state) {
    ruga_mesh *one = shape_sheet(*state, 2, 2);
    const size_t count = one->vertex_count;
    ruga_vec3 points[18];
    uint32_t triangles[48];
    for (size_t v = 0; v < 18; v++) points[v] = one->positions[v % count];
    for (size_t c = 0; c < 48; c++) triangles[c] = one->triangles[c % 24] + (c < 24 ? 0 : (uint32_t)count);
    ruga_mesh *mesh = shape_make(*state, 18, points, 16, NULL, triangles);
    fine below = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0), a = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 3, 0),
         b = subdivide(below.mesh, RUGA_SUBDIVIDE_REGULAR, 3, 0);
    ruga_map *map = NULL, *sheets = NULL;
    assert_ok(*state, follow_vertices(a.mesh, a.map, b.mesh, b.map, below.map, &map));
    assert_ok(*state, ruga_map_compose(b.map, below.map, &sheets));
    for (size_t v = 0; v < map->rows; v++)
        for (size_t e = map->offsets[v]; e < map->offsets[v + 1]; e++) {
            uint32_t old = a.map->indices[a.map->offsets[map->indices[e]]];
            assert_int_equal(old < count, sheets->indices[sheets->offsets[v]] < count);
        }
    ruga_map_destroy(map);
    ruga_map_destroy(sheets);
    fine_release(a);
    fine_release(b);
    fine_release(below);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_that_does_not_change_gives_the_identity),
        cmocka_unit_test(positions_follow_a_refinement_exactly),
        cmocka_unit_test(coincident_sheets_keep_their_own_vertices),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
