/* The detail "displace": vertices along their normals. */
#include "wrinkle/displace_detail.h"

#include "detail_support.h"
#include "support/subdivided.h"

static detail *displace(const ruga_mesh *mesh, ruga_param amount) {
    detail *d = NULL;
    assert_ok(mesh->context, detail_displace_create(mesh, &amount, &d));
    return d;
}

/* The vertices of an icosahedron's refinement, moved onto the sphere, have nearly radial normals; those of the icosahedron
 * itself, by its symmetry, have exactly radial ones. */
static void a_displaced_sphere_has_another_radius(void **state) {
    ruga_mesh *ball = shape_icosahedron(*state);
    detail *d = displace(ball, ruga_param_constant(0.25));
    detail_update(d, ball->positions, 0, 0.04, NULL);
    for (size_t v = 0; v < ball->vertex_count; v++) assert_true(fabs(vec3_length(d->positions[v]) - 1.25) < 1e-14);
    detail_destroy(d);

    fine f = subdivide(ball, RUGA_SUBDIVIDE_REGULAR, 12, 0);
    ruga_vec3 *round = copy_points(f.mesh->positions, f.mesh->vertex_count);
    for (size_t v = 0; v < f.mesh->vertex_count; v++) round[v] = vec3_scale(vec3_normalise(round[v]), 2);
    d = displace(f.mesh, ruga_param_constant(-0.5));
    detail_update(d, round, 0, 0.04, NULL);
    for (size_t v = 0; v < f.mesh->vertex_count; v++) assert_true(fabs(vec3_length(d->positions[v]) - 1.5) < 1e-4);
    detail_destroy(d);
    free(round);
    fine_release(f);
    ruga_mesh_destroy(ball);
}

static void a_displaced_plane_is_moved_along(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 7, 5);
    detail *d = displace(sheet, ruga_param_constant(0.125));
    detail_update(d, sheet->positions, 0, 0.04, NULL);
    for (size_t v = 0; v < sheet->vertex_count; v++) {
        ruga_vec3 p = sheet->positions[v], q = d->positions[v];
        assert_true(q.x == p.x && q.z == p.z && fabs(q.y - p.y - 0.125) < 1e-16);
    }
    detail_destroy(d);
    ruga_mesh_destroy(sheet);
}

static void normals_of_the_frame_come_first(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 3, 3);
    ruga_vec3 *normals = copy_points(sheet->positions, sheet->vertex_count);
    for (size_t v = 0; v < sheet->vertex_count; v++) normals[v] = (ruga_vec3){1, 0, 0};
    detail *d = displace(sheet, ruga_param_constant(0.125));
    ruga_frame in = frame_at(sheet, sheet->positions, 0);
    in.normals = normals;
    assert_ok(*state, d->interface->update(d, &in, 0.04, &still_air));
    for (size_t v = 0; v < sheet->vertex_count; v++)
        assert_true(d->positions[v].x == sheet->positions[v].x + 0.125 && d->positions[v].y == sheet->positions[v].y);
    detail_destroy(d);
    free(normals);
    ruga_mesh_destroy(sheet);
}

static void amounts_may_be_painted_and_keyed(void **state) {
    ruga_mesh *sheet = shape_loaded_sheet(*state);
    ruga_param none = ruga_param_constant(0), left = ruga_param_group("left");
    left.to = 0.5;
    const ruga_param_key keys[2] = {{1, &none}, {3, &left}};
    detail *d = displace(sheet, ruga_param_keys(keys, 2));
    const double times[4] = {0, 1.5, 3, 9}, parts[4] = {0, 0.25, 1, 1};
    for (int i = 0; i < 4; i++) {
        detail_update(d, sheet->positions, times[i], 1, NULL);
        for (size_t v = 0; v < sheet->vertex_count; v++) {
            double expected = v % 3 == 0 ? 0 : 0.5 * parts[i]; /* the second face is the group's: vertices 1, 2, 4, 5 */
            assert_true(fabs(d->positions[v].y - sheet->positions[v].y - expected) < 1e-15);
        }
    }
    detail_destroy(d);
    ruga_mesh_destroy(sheet);
}

static void vertices_without_area_stay(void **state) {
    const ruga_vec3 corners[4] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {5, 5, 5}};
    const uint32_t faces[3] = {0, 1, 2};
    ruga_mesh *mesh = shape_make(*state, 4, corners, 1, NULL, faces);
    detail *d = displace(mesh, ruga_param_constant(1));
    detail_update(d, mesh->positions, 0, 0, NULL);
    assert_memory_equal(&d->positions[3], &corners[3], sizeof corners[3]);
    assert_true(d->positions[0].y == 1);
    detail_destroy(d);
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
        detail *d = displace(mesh, ruga_param_keys(keys, 2));
        ruga_vec3 *moved = copy_points(mesh->positions, mesh->vertex_count);
        move_points(mesh->positions, mesh->vertex_count, 1.1, moved);
        long before = counter.allocations;
        detail_update(d, moved, 0.4, 0.1, NULL);
        assert_int_equal(counter.allocations, before);
        if (!first) first = copy_points(d->positions, mesh->vertex_count);
        assert_memory_equal(first, d->positions, mesh->vertex_count * sizeof *first);
        free(moved);
        detail_destroy(d);
        ruga_mesh_destroy(mesh);
        ruga_context_destroy(context);
    }
    free(first);
}

static void a_changed_mesh_gets_its_own_amounts(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 3, 3), *other = shape_sheet(*state, 5, 2);
    const double painted[16] = {0};
    detail *d = displace(sheet, ruga_param_constant(0.125));
    assert_ok(*state, d->interface->rebuild(d, other, NULL));
    assert_ptr_equal(d->output, other);
    detail_update(d, other->positions, 0, 0, NULL);
    assert_true(fabs(d->positions[17].y - 0.125) < 1e-16);
    detail_destroy(d);

    /* An array does not fit the other mesh: the detail stays what it was. */
    d = displace(sheet, ruga_param_array(painted, 16));
    assert_status(d->interface->rebuild(d, other, NULL), RUGA_ERROR_ARGUMENT);
    assert_ptr_equal(d->input, sheet);
    detail_update(d, sheet->positions, 0, 0, NULL);
    detail_destroy(d);
    ruga_mesh_destroy(sheet);
    ruga_mesh_destroy(other);
}

static void what_is_wrong_is_told_at_once(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 3, 3);
    ruga_param good = ruga_param_constant(0), bad = ruga_param_attribute("nothing");
    const ruga_param_key keys[3] = {{0, &good}, {1, &good}, {2, &bad}};
    ruga_param keyed = ruga_param_keys(keys, 3);
    detail *d = NULL;
    assert_status(detail_displace_create(sheet, &bad, &d), RUGA_ERROR_INPUT);
    assert_message_has(*state, "amount: the mesh has no vertex attribute \"nothing\"");
    assert_status(detail_displace_create(sheet, &keyed, &d), RUGA_ERROR_INPUT);
    assert_null(d);
    d = displace(sheet, good);
    ruga_frame in = frame_at(sheet, sheet->positions, 0);
    in.vertex_count++;
    assert_status(d->interface->update(d, &in, 1, &still_air), RUGA_ERROR_ARGUMENT);
    detail_destroy(d);
    ruga_mesh_destroy(sheet);
}

static ruga_status make(ruga_context *context, void *user) {
    ruga_mesh mesh = *(const ruga_mesh *)user;
    mesh.context = context;
    ruga_param amount = ruga_param_constant(1);
    detail *d = NULL;
    ruga_status status = detail_displace_create(&mesh, &amount, &d);
    if (!RUGA_FAILED(status)) status = d->interface->rebuild(d, &mesh, NULL);
    detail_destroy(d);
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
        cmocka_unit_test(a_changed_mesh_gets_its_own_amounts),
        cmocka_unit_test(what_is_wrong_is_told_at_once),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
