/* The detail "subdivide": a fine mesh that goes where the coarse one goes. */
#include "wrinkle/subdivide_part.h"

#include "linalg/map.h"
#include "part_support.h"
#include "support/subdivided.h"

/* A mesh of the same topology elsewhere. */
static ruga_mesh *mesh_moved(const ruga_mesh *mesh, const ruga_vec3 *positions) {
    return shape_make(mesh->context, mesh->vertex_count, positions, mesh->triangle_count, NULL, mesh->triangles);
}

static void the_subdivided_motion_is_the_motion_of_the_subdivided(void **state) {
    const ruga_subdivision kinds[2] = {RUGA_SUBDIVIDE_REGULAR, RUGA_SUBDIVIDE_LOOP};
    ruga_mesh *mesh = shape_torus(*state, 12, 9);
    ruga_vec3 *moved = copy_points(mesh->positions, mesh->vertex_count);
    for (int k = 0; k < 2; k++) {
        ruga_subdivide_def def = subdivide_def(kinds[k], 3, 0);
        part *d = NULL;
        assert_ok(*state, subdivide_part_create(mesh, &def, &d));
        assert_string_equal(d->kind, "subdivide");
        assert_ptr_equal(d->input, mesh);
        assert_memory_equal(d->positions, d->output->positions, d->output->vertex_count * sizeof(ruga_vec3));
        for (int i = 0; i < 4; i++) {
            move_points(mesh->positions, mesh->vertex_count, 0.7 * i, moved);
            part_update(d, moved, 0.7 * i, 0.7, NULL);
            ruga_mesh *there = mesh_moved(mesh, moved);
            fine f = subdivide(there, kinds[k], 3, 0);
            assert_int_equal(f.mesh->vertex_count, d->output->vertex_count);
            assert_memory_equal(f.mesh->positions, d->positions, f.mesh->vertex_count * sizeof(ruga_vec3));
            fine_release(f);
            ruga_mesh_destroy(there);
        }
        part_destroy(d);
    }
    free(moved);
    ruga_mesh_destroy(mesh);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    const int threads[3] = {1, 2, 5};
    ruga_vec3 *first = NULL;
    for (int i = 0; i < 3; i++) {
        ruga_context *context = context_plain(threads[i]);
        ruga_mesh *mesh = shape_torus(context, 40, 30);
        ruga_subdivide_def def = subdivide_def(RUGA_SUBDIVIDE_LOOP, 2, 0);
        part *d = NULL;
        assert_ok(context, subdivide_part_create(mesh, &def, &d));
        ruga_vec3 *moved = copy_points(mesh->positions, mesh->vertex_count);
        move_points(mesh->positions, mesh->vertex_count, 1.1, moved);
        part_update(d, moved, 1, 0.1, NULL);
        if (!first) first = copy_points(d->positions, d->output->vertex_count);
        assert_memory_equal(first, d->positions, d->output->vertex_count * sizeof *first);
        free(moved);
        part_destroy(d);
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
    }
    free(first);
}

/* Vertex i of the new mesh is i of the old, and one more appears in the middle of the first two. */
static ruga_map *map_to_grown(ruga_context *context, size_t count) {
    map_builder builder;
    ruga_map *map = NULL;
    assert_ok(context, map_builder_make(context, count + 1, count + 2, &builder));
    for (size_t v = 0; v < count; v++) {
        map_builder_put(&builder, (uint32_t)v, 1);
        map_builder_end_row(&builder);
    }
    map_builder_put(&builder, 0, 0.5);
    map_builder_put(&builder, 1, 0.5);
    map_builder_end_row(&builder);
    assert_ok(context, map_builder_finish(&builder, count, &map));
    return map;
}

static void a_changed_mesh_is_subdivided_again_and_gives_the_map_from_the_old_points(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 3, 2);
    ruga_map *map = map_to_grown(*state, mesh->vertex_count);
    ruga_vec3 *grown_positions = copy_points(mesh->positions, mesh->vertex_count);
    ruga_map_apply(map, mesh->positions, grown_positions);
    ruga_mesh *grown = shape_make(*state, map->rows, grown_positions, mesh->triangle_count, NULL, mesh->triangles);
    ruga_subdivide_def def = subdivide_def(RUGA_SUBDIVIDE_REGULAR, 2, 0);
    part *d = NULL;
    assert_ok(*state, subdivide_part_create(mesh, &def, &d));
    ruga_vec3 *before = copy_points(d->positions, d->output->vertex_count);
    assert_null(d->output_from_old);
    assert_ok(*state, try_rebuild(d, grown, map));
    assert_ptr_equal(d->input, grown);
    assert_int_equal(d->output->vertex_count, d->output_from_old->rows);

    ruga_vec3 *carried = copy_points(d->positions, d->output->vertex_count);
    ruga_map_apply(d->output_from_old, before, carried);
    part_update(d, grown->positions, 0, 0, NULL);
    assert_less(greatest_distance(carried, d->positions, d->output->vertex_count), 1e-15);
    part_destroy(d);

    free(before);
    free(carried);
    free(grown_positions);
    ruga_map_destroy(map);
    ruga_mesh_destroy(grown);
    ruga_mesh_destroy(mesh);
}

static void what_does_not_fit_is_refused(void **state) {
    ruga_mesh *mesh = shape_sheet(*state, 2, 2);
    ruga_subdivide_def def = subdivide_def(RUGA_SUBDIVIDE_REGULAR, 0, 0);
    part *d = NULL;
    assert_status(subdivide_part_create(mesh, &def, &d), RUGA_ERROR_ARGUMENT);
    assert_null(d);
    def.n = 2;
    assert_ok(*state, subdivide_part_create(mesh, &def, &d));
    ruga_frame in = frame_at(mesh, mesh->positions, 0);
    assert_status(try_update(d, &in, -1), RUGA_ERROR_ARGUMENT);
    assert_status(try_update(d, &in, NAN), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "subdivide: nan s since the last frame");
    in.vertex_count--;
    assert_status(try_update(d, &in, 1), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "the frame has 8 vertices, but the mesh has 9");
    part_destroy(d);
    ruga_mesh_destroy(mesh);
}

static ruga_status make_and_rebuild(ruga_context *context, void *user) {
    (void)user;
    const ruga_vec3 corners[3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    const uint32_t faces[3] = {0, 1, 2};
    ruga_mesh_def mesh_def = ruga_mesh_def_default();
    mesh_def.positions = (ruga_view){(void *)corners, 3, 0, RUGA_F64};
    mesh_def.face_count = 1;
    mesh_def.face_vertices = faces;
    ruga_mesh *mesh = NULL;
    ruga_subdivide_def def = subdivide_def(RUGA_SUBDIVIDE_REGULAR, 3, 0);
    size_t offsets[4] = {0, 1, 2, 3};
    uint32_t indices[3] = {0, 1, 2};
    double weights[3] = {1, 1, 1};
    const ruga_map same = {3, 3, offsets, indices, weights, context};
    part *d = NULL;
    ruga_status status = ruga_mesh_create(context, &mesh_def, &mesh);
    if (!RUGA_FAILED(status)) status = subdivide_part_create(mesh, &def, &d);
    if (!RUGA_FAILED(status)) status = try_rebuild(d, mesh, &same);
    if (!RUGA_FAILED(status)) status = try_rebuild(d, mesh, &same);
    part_destroy(d);
    ruga_mesh_destroy(mesh);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(10, assert_every_allocation_may_fail(make_and_rebuild, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_subdivided_motion_is_the_motion_of_the_subdivided),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_changed_mesh_is_subdivided_again_and_gives_the_map_from_the_old_points),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
