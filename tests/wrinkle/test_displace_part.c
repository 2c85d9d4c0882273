/* The detail "displace": vertices along their normals. */
#include "wrinkle/displace_part.h"

#include "part_support.h"
#include "support/subdivided.h"

static part *displace(const ruga_mesh *mesh, ruga_param amount) {
    part *d = NULL;
    assert_ok(mesh->context, displace_part_create(mesh, &amount, &d));
    return d;
}

/* The vertices of an icosahedron's refinement, moved onto the sphere, have nearly radial normals; those of the
 * icosahedron itself, by its symmetry, have exactly radial ones. */
static void a_displaced_sphere_has_another_radius(void **state) {
    ruga_mesh *ball = shape_icosahedron(*state);
    part *d = displace(ball, ruga_param_constant(0.25));
    part_update(d, ball->positions, 0, 0.04, NULL);
    for (size_t v = 0; v < ball->vertex_count; v++) assert_near(vec3_length(d->positions[v]), 1.25, 1e-14);
    part_destroy(d);

    fine f = subdivide(ball, RUGA_SUBDIVIDE_REGULAR, 12, 0);
    ruga_vec3 *round = copy_points(f.mesh->positions, f.mesh->vertex_count);
    for (size_t v = 0; v < f.mesh->vertex_count; v++) round[v] = vec3_scale(vec3_normalise(round[v]), 2);
    d = displace(f.mesh, ruga_param_constant(-0.5));
    part_update(d, round, 0, 0.04, NULL);
    for (size_t v = 0; v < f.mesh->vertex_count; v++) assert_near(vec3_length(d->positions[v]), 1.5, 1e-4);
    part_destroy(d);
    free(round);
    fine_release(f);
    ruga_mesh_destroy(ball);
}

static void a_displaced_plane_is_moved_along(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 7, 5);
    part *d = displace(sheet, ruga_param_constant(0.125));
    part_update(d, sheet->positions, 0, 0.04, NULL);
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        ruga_vec3 p = sheet->positions[v], q = d->positions[v];
        assert_true(q.x == p.x);
        assert_true(q.z == p.z);
        assert_less(fabs(q.y - p.y - 0.125), 1e-16);
    }
    part_destroy(d);
    ruga_mesh_destroy(sheet);
}

static void normals_of_the_frame_come_first(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 3, 3);
    ruga_vec3 *normals = copy_points(sheet->positions, sheet->vertex_count);
    for (size_t v = 0; v < sheet->vertex_count; v++) normals[v] = (ruga_vec3){1, 0, 0};
    part *d = displace(sheet, ruga_param_constant(0.125));
    ruga_frame in = frame_at(sheet, sheet->positions, 0);
    in.normals = normals;
    assert_ok(*state, try_update(d, &in, 0.04));
    for (size_t v = 0; v < sheet->vertex_count; v++)
        assert_true(d->positions[v].x == sheet->positions[v].x + 0.125 && d->positions[v].y == sheet->positions[v].y);
    part_destroy(d);
    free(normals);
    ruga_mesh_destroy(sheet);
}

static void amounts_may_be_painted_and_keyed(void **state) {
    ruga_mesh *sheet = shape_loaded_sheet(*state);
    ruga_param none = ruga_param_constant(0), left = ruga_param_group("left");
    left.to = 0.5;
    const ruga_param_key keys[2] = {{1, &none}, {3, &left}};
    part *d = displace(sheet, ruga_param_keys(keys, 2));
    const double times[4] = {0, 1.5, 3, 9}, parts[4] = {0, 0.25, 1, 1};
    for (int i = 0; i < 4; i++) {
        part_update(d, sheet->positions, times[i], 1, NULL);
        for (size_t v = 0; v < sheet->vertex_count; v++) {
            double expected = v % 3 == 0 ? 0 : 0.5 * parts[i]; /* the second face is the group's: vertices 1, 2, 4, 5 */
            assert_less(fabs(d->positions[v].y - sheet->positions[v].y - expected), 1e-15);
        }
    }
    part_destroy(d);
    ruga_mesh_destroy(sheet);
}

static void vertices_without_area_stay(void **state) {
    const ruga_vec3 corners[4] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {5, 5, 5}};
    const uint32_t faces[3] = {0, 1, 2};
    ruga_mesh *mesh = shape_make(*state, 4, corners, 1, NULL, faces);
    part *d = displace(mesh, ruga_param_constant(1));
    part_update(d, mesh->positions, 0, 0, NULL);
    assert_memory_equal(&d->positions[3], &corners[3], sizeof corners[3]);
    assert_true(d->positions[0].y == 1);
    part_destroy(d);
    ruga_mesh_destroy(mesh);
}

static void any_number_of_threads_gives_the_same_bits_and_nothing_is_allocated(void **state) {
    (void)state;
    const int threads[3] = {1, 2, 5};
    ruga_vec3 *first = NULL;
    for (int i = 0; i < 3; i++) {
        counting_allocator counter = {.fail_at = -1};
        ruga_context *context = i == 0 ? context_counting(&counter) : context_plain(threads[i]);
        ruga_mesh *mesh = shape_torus(context, 90, 70);
        ruga_param low = ruga_param_constant(0), high = ruga_param_constant(0.3);
        const ruga_param_key keys[2] = {{0, &low}, {1, &high}};
        part *d = displace(mesh, ruga_param_keys(keys, 2));
        ruga_vec3 *moved = copy_points(mesh->positions, mesh->vertex_count);
        move_points(mesh->positions, mesh->vertex_count, 1.1, moved);
        long before = counter.allocations;
        part_update(d, moved, 0.4, 0.1, NULL);
        assert_int_equal(counter.allocations, before);
        if (!first) first = copy_points(d->positions, mesh->vertex_count);
        assert_memory_equal(first, d->positions, mesh->vertex_count * sizeof *first);
        free(moved);
        part_destroy(d);
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
    }
    free(first);
}

/* Amounts painted on a coarse sheet, through two refinements and back; keyframes hold painted arrays too. */
static void painted_amounts_follow_changes_of_the_mesh(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 3, 3);
    fine once = subdivide(sheet, RUGA_SUBDIVIDE_REGULAR, 2, 0),
         twice = subdivide(once.mesh, RUGA_SUBDIVIDE_REGULAR, 3, 0);
    ruga_map *same = identity_map(*state, 16), *all = NULL;
    double painted[16];
    for (size_t v = 0; v < 16; v++) painted[v] = 0.5 * sheet->positions[v].x + 0.1;
    ruga_param array = ruga_param_array(painted, 16), none = ruga_param_constant(0);
    array.low = 0.1, array.high = 0.5 * sheet->positions[15].x + 0.1; /* rounding must not exceed them */
    const ruga_param_key keys[2] = {{0, &none}, {1, &array}};
    part *d = displace(sheet, ruga_param_keys(keys, 2)), *e = displace(sheet, array);
    part_update(e, sheet->positions, 1, 0, NULL);
    ruga_vec3 *before = copy_points(e->positions, 16);
    assert_ok(*state, try_rebuild(e, sheet, same));
    assert_memory_equal(e->positions, before, 16 * sizeof *before);
    part_update(e, sheet->positions, 1, 0, NULL);
    assert_memory_equal(e->positions, before, 16 * sizeof *before);

    assert_ok(*state, ruga_map_compose(twice.map, once.map, &all));
    const part_change changes[2] = {{once.mesh, once.map, once.map, once.map}, {twice.mesh, twice.map, twice.map, all}};
    for (int k = 0; k < 2; k++) {
        const ruga_mesh *mesh = changes[k].input;
        assert_ok(*state, d->interface->rebuild(d, NULL, &changes[k]));
        assert_ptr_equal(d->output, mesh);
        part_update(d, mesh->positions, 2, 0, NULL);
        for (size_t v = 0; v < mesh->vertex_count; v++)
            assert_near_case(d->positions[v].y - mesh->positions[v].y, 0.5 * mesh->positions[v].x + 0.1, 1e-15, "%zu",
                             v);
    }
    /* Back on the first mesh, which is its vertices: the painted values again. */
    ruga_map *first = identity_map(*state, twice.mesh->vertex_count), back = *first;
    back.rows = 16;
    assert_ok(*state, d->interface->rebuild(d, NULL, &(part_change){sheet, &back, &back, NULL}));
    part_update(d, sheet->positions, 1, 0, NULL);
    assert_memory_equal(d->positions, before, 16 * sizeof *before);

    /* A map that does not fit. */
    assert_status(try_rebuild(e, once.mesh, same), RUGA_ERROR_ARGUMENT);
    assert_message_has(*state, "displace: the map gives 16 vertices, but the new mesh has 49");
    part_destroy(d);
    part_destroy(e);
    free(before);
    ruga_map_destroy(first);
    ruga_map_destroy(all);
    ruga_map_destroy(same);
    fine_release(once);
    fine_release(twice);
    ruga_mesh_destroy(sheet);
}

static void wrong_input_is_refused_at_once(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 3, 3);
    ruga_param good = ruga_param_constant(0), bad = ruga_param_attribute("nothing");
    const ruga_param_key keys[3] = {{0, &good}, {1, &good}, {2, &bad}};
    ruga_param keyed = ruga_param_keys(keys, 3);
    part *d = NULL;
    assert_status(displace_part_create(sheet, &bad, &d), RUGA_ERROR_INPUT);
    assert_message_has(*state, "amount: the mesh has no vertex attribute \"nothing\"");
    assert_status(displace_part_create(sheet, &keyed, &d), RUGA_ERROR_INPUT);
    assert_null(d);
    d = displace(sheet, good);
    ruga_frame in = frame_at(sheet, sheet->positions, 0);
    in.vertex_count++;
    assert_status(try_update(d, &in, 1), RUGA_ERROR_ARGUMENT);
    part_destroy(d);
    ruga_mesh_destroy(sheet);
}

static ruga_status make(ruga_context *context, void *user) {
    ruga_mesh mesh = *(const ruga_mesh *)user;
    mesh.context = context;
    double painted[16] = {0};
    ruga_param amount = ruga_param_array(painted, 16);
    part *d = NULL;
    size_t offsets[17];
    uint32_t indices[16];
    double weights[16];
    for (uint32_t i = 0; i < 17; i++) offsets[i] = i;
    for (uint32_t i = 0; i < 16; i++) indices[i] = i, weights[i] = 1;
    const ruga_map same = {16, 16, offsets, indices, weights, context};
    ruga_status status = displace_part_create(&mesh, &amount, &d);
    if (!RUGA_FAILED(status)) status = try_rebuild(d, &mesh, &same);
    part_destroy(d);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 3, 3);
    assert_int_equal(assert_every_allocation_may_fail(make, sheet), 10);
    ruga_mesh_destroy(sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_displaced_sphere_has_another_radius),
        cmocka_unit_test(a_displaced_plane_is_moved_along),
        cmocka_unit_test(normals_of_the_frame_come_first),
        cmocka_unit_test(amounts_may_be_painted_and_keyed),
        cmocka_unit_test(vertices_without_area_stay),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits_and_nothing_is_allocated),
        cmocka_unit_test(painted_amounts_follow_changes_of_the_mesh),
        cmocka_unit_test(wrong_input_is_refused_at_once),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
