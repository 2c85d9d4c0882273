/* The warp of triangles: from UVs, from a direction, by default; UVs without area. */
#include "energy/warp.h"

#include "support/shapes.h"

static void the_warp_runs_where_u_grows_and_v_stays(void **state) {
    ruga_mesh *mesh = shape_sheet_with_uvs(*state, 3, 2); /* u is x, v is -z */
    vec3 warps[12];
    warp_report report;
    assert_ok(*state, warp_of_mesh(mesh, (vec3){NAN, 0, 0}, warps, &report));
    assert_int_equal(report.source, WARP_FROM_UVS);
    assert_int_equal(report.repaired, 0);
    for (size_t t = 0; t < mesh->triangle_count; t++) assert_less(vec3_distance(warps[t], (vec3){1, 0, 0}), 1e-6);
    ruga_mesh_destroy(mesh);
    /* Sheared and mirrored UVs: u = 2 x + z, v = z, so u grows along x alone while v stays. */
    mesh = shape_sheet(*state, 3, 2);
    double uvs[2 * 12];
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        uvs[2 * i] = 2 * mesh->positions[i].x + mesh->positions[i].z;
        uvs[2 * i + 1] = mesh->positions[i].z;
    }
    mesh = shape_with_uvs(mesh, RUGA_DOMAIN_VERTEX, uvs);
    assert_ok(*state, warp_of_mesh(mesh, (vec3){NAN, 0, 0}, warps, &report));
    for (size_t t = 0; t < mesh->triangle_count; t++) assert_less(vec3_distance(warps[t], (vec3){1, 0, 0}), 1e-6);
    ruga_mesh_destroy(mesh);
}

static void a_direction_is_projected_and_replaced_where_it_crosses_a_triangle(void **state) {
    ruga_mesh *mesh = shape_sheet_with_uvs(*state, 2, 2);
    vec3 warps[8];
    warp_report report;
    assert_ok(*state, warp_of_mesh(mesh, (vec3){0, 5, 3}, warps, &report));
    assert_int_equal(report.source, WARP_FROM_DIRECTION);
    assert_int_equal(report.crossed, 0);
    for (size_t t = 0; t < 8; t++) assert_less(vec3_distance(warps[t], (vec3){0, 0, 1}), 1e-12);
    assert_ok(*state, warp_of_mesh(mesh, (vec3){0, 1, 0}, warps, &report));
    assert_int_equal(report.crossed, 8);
    for (size_t t = 0; t < 8; t++) assert_less(vec3_distance(warps[t], (vec3){1, 0, 0}), 1e-12);
    assert_status(warp_of_mesh(mesh, (vec3){0, 0, 0}, warps, &report), RUGA_ERROR_INPUT);
    assert_message_has(*state, "direction of the warp");
    ruga_mesh_destroy(mesh);
}

/* Up a wall, along x on the ground. */
static void without_uvs_the_warp_runs_upwards(void **state) {
    ruga_mesh *wall = shape_cylinder(*state, 8, 2), *ground = shape_sheet(*state, 2, 2);
    vec3 warps[64];
    warp_report report;
    assert_ok(*state, warp_of_mesh(wall, (vec3){NAN, 0, 0}, warps, &report));
    assert_int_equal(report.source, WARP_BY_DEFAULT);
    for (size_t t = 0; t < wall->triangle_count; t++) assert_less(vec3_distance(warps[t], (vec3){0, 1, 0}), 1e-12);
    assert_ok(*state, warp_of_mesh(ground, (vec3){NAN, 0, 0}, warps, &report));
    for (size_t t = 0; t < ground->triangle_count; t++) assert_less(vec3_distance(warps[t], (vec3){1, 0, 0}), 1e-12);
    ruga_mesh_destroy(wall);
    ruga_mesh_destroy(ground);
}

static void triangles_without_area_in_uv_are_counted_and_get_the_default(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 1, 2);
    double uvs[2 * 12];
    for (size_t c = 0; c < 12; c++) {
        const vec3 p = mesh->positions[mesh->triangles[c]];
        uvs[2 * c] = c / 3 == 1 || c / 3 == 2 ? 0.5 : p.z;
        uvs[2 * c + 1] = p.x;
    }
    mesh = shape_with_uvs(mesh, RUGA_DOMAIN_CORNER, uvs);
    vec3 warps[4];
    warp_report report;
    assert_ok(*state, warp_of_mesh(mesh, (vec3){NAN, 0, 0}, warps, &report));
    assert_int_equal(report.repaired, 2);
    assert_int_equal(report.first_repaired, 1);
    for (size_t t = 0; t < 4; t++)
        assert_less(vec3_distance(warps[t], t == 1 || t == 2 ? (vec3){1, 0, 0} : (vec3){0, 0, 1}), 1e-6);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_warp_runs_where_u_grows_and_v_stays),
        cmocka_unit_test(a_direction_is_projected_and_replaced_where_it_crosses_a_triangle),
        cmocka_unit_test(without_uvs_the_warp_runs_upwards),
        cmocka_unit_test(triangles_without_area_in_uv_are_counted_and_get_the_default),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
