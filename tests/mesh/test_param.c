/* Parameters: numbers per vertex from all kinds of sources. */
#include <math.h>

#include "mesh/param.h"
#include "support/shapes.h"
#include "support/support.h"

static void constants_attributes_and_arrays_are_read(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    const double painted[6] = {5, 4, 3, 2, 1, 0};
    double values[6];
    ruga_param constant = ruga_param_constant(2.5), weight = ruga_param_attribute("weight");
    ruga_param array = ruga_param_array(painted, 6);
    assert_ok(*state, ruga_param_evaluate(&constant, "stiffness", mesh, 0, values));
    for (int v = 0; v < 6; v++) assert_equal_case(values[v], 2.5, "v %d", v);
    assert_ok(*state, ruga_param_evaluate(&weight, "stiffness", mesh, 0, values));
    for (int v = 0; v < 6; v++) assert_equal_case(values[v], v, "v %d", v);
    assert_ok(*state, ruga_param_evaluate(&array, "stiffness", mesh, 0, values));
    assert_memory_equal(values, painted, sizeof painted);
    ruga_mesh_destroy(mesh);
}

static void keyframes_are_linear_and_hold_at_their_ends(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    ruga_param low = ruga_param_constant(10), weight = ruga_param_attribute("weight"), high = ruga_param_constant(-4);
    const ruga_param_key keys[3] = {{1, &low}, {2, &weight}, {4, &high}};
    ruga_param param = ruga_param_keys(keys, 3);
    const double times[6] = {-5, 1, 1.25, 2, 3, 9};
    for (int i = 0; i < 6; i++) {
        double values[6];
        assert_ok(*state, ruga_param_evaluate(&param, "heat", mesh, times[i], values));
        for (int v = 0; v < 6; v++) {
            const double expected[6] = {10, 10, 0.75 * 10 + 0.25 * v, v, 0.5 * v - 2, -4};
            assert_equal_case(values[v], expected[i], "i %d, v %d", i, v);
        }
    }
    ruga_mesh_destroy(mesh);
}

static void assert_refused(const ruga_mesh *mesh, ruga_param param, ruga_status status, const char *message) {
    double values[6] = {42, 42, 42, 42, 42, 42};
    assert_status(ruga_param_evaluate(&param, "stiffness", mesh, 0, values), status);
    assert_message_has(mesh->context, message);
    for (int v = 0; v < 6; v++) assert_equal_case(values[v], 42, "v %d", v);
}

static void errors_of_parameters_are_named(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    double painted[6] = {0, 0, 0, 0, 0, 0};
    ruga_param limited = ruga_param_attribute("weight"), good = ruga_param_constant(1);
    limited.low = 0;
    limited.high = 3;
    limited.unit = "N/m";
    assert_refused(mesh, limited, RUGA_ERROR_INPUT, "stiffness: vertex 4 has 4 N/m, allowed is 0 to 3 N/m");
    limited.unit = "1";
    assert_refused(mesh, limited, RUGA_ERROR_INPUT, "vertex 4 has 4, allowed is 0 to 3");
    assert_refused(mesh, ruga_param_attribute("wieght"), RUGA_ERROR_INPUT, "did you mean \"weight\"?");
    assert_refused(mesh, ruga_param_attribute("zzzzzzzzzzzz"), RUGA_ERROR_INPUT,
                   "no vertex attribute \"zzzzzzzzzzzz\"");
    assert_refused(mesh, ruga_param_attribute(NULL), RUGA_ERROR_ARGUMENT, "name is NULL");
    assert_refused(mesh, ruga_param_array(painted, 5), RUGA_ERROR_ARGUMENT, "5 values, but the mesh has 6 vertices");
    painted[3] = NAN;
    assert_refused(mesh, ruga_param_array(painted, 6), RUGA_ERROR_INPUT, "vertex 3");
    assert_refused(mesh, ruga_param_constant(INFINITY), RUGA_ERROR_INPUT, "vertex 0");
    assert_refused(mesh, (ruga_param){.kind = (ruga_param_kind)9}, RUGA_ERROR_ARGUMENT, "unknown kind 9");

    const ruga_param_key falling[2] = {{1, &good}, {1, &good}}, hollow[1] = {{0, NULL}};
    ruga_param inner = ruga_param_keys(falling, 1);
    const ruga_param_key nested[1] = {{0, &inner}};
    const ruga_param_key limited_key[1] = {{0, &limited}};
    assert_refused(mesh, ruga_param_keys(limited_key, 1), RUGA_ERROR_INPUT, "vertex 4 has 4, allowed is 0 to 3");
    assert_refused(mesh, ruga_param_keys(NULL, 0), RUGA_ERROR_ARGUMENT, "no keyframes");
    assert_refused(mesh, ruga_param_keys(falling, 2), RUGA_ERROR_ARGUMENT, "keyframe 1 is at 1 s");
    assert_refused(mesh, ruga_param_keys(hollow, 1), RUGA_ERROR_ARGUMENT, "keyframe 0 has no value");
    assert_refused(mesh, ruga_param_keys(nested, 1), RUGA_ERROR_ARGUMENT, "can't hold keyframes");
    double values[6];
    assert_status(ruga_param_evaluate(&good, NULL, mesh, NAN, values), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_param_evaluate(NULL, "x", mesh, 0, values), RUGA_ERROR_ARGUMENT);
    ruga_mesh_destroy(mesh);
}

/* ---- Groups of faces. In the loaded sheet face 0 (vertices 0, 1, 4, 3) is "right" and face 1 (1, 2, 5, 4) "left". */

static void a_group_is_one_at_the_vertices_of_its_faces(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    ruga_param left = ruga_param_group("left"), right = ruga_param_group("right");
    const double in_left[6] = {0, 1, 1, 0, 1, 1}, in_right[6] = {1, 1, 0, 1, 1, 0};
    double values[6];
    assert_ok(*state, ruga_param_evaluate(&left, "mask", mesh, 0, values));
    assert_memory_equal(values, in_left, sizeof values);
    assert_ok(*state, ruga_param_evaluate(&right, "mask", mesh, 0, values));
    assert_memory_equal(values, in_right, sizeof values);
    ruga_mesh_destroy(mesh);
}

static void groups_and_attributes_are_mapped_and_meet_both_ends(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    ruga_param group = ruga_param_group("left"), weight = ruga_param_attribute("weight");
    group.from = 0.1;
    group.to = 0.7;
    weight.from = 0.3;
    weight.to = -0.4;
    double values[6];
    assert_ok(*state, ruga_param_evaluate(&group, "mask", mesh, 0, values));
    for (int v = 0; v < 6; v++) assert_equal_case(values[v], v % 3 == 0 ? 0.1 : 0.7, "v %d", v);
    assert_ok(*state, ruga_param_evaluate(&weight, "mask", mesh, 0, values));
    assert_equal(values[0], 0.3);
    assert_equal(values[1], -0.4);
    for (int v = 2; v < 6; v++) assert_near_case(values[v], 0.3 - 0.7 * v, 1e-14, "v %d", v); /* also beyond the ends */

    /* Equal ends leave the values as they are. */
    group.from = group.to = weight.from = weight.to = 5;
    assert_ok(*state, ruga_param_evaluate(&group, "mask", mesh, 0, values));
    for (int v = 0; v < 6; v++) assert_equal_case(values[v], v % 3 != 0, "v %d", v);
    assert_ok(*state, ruga_param_evaluate(&weight, "mask", mesh, 0, values));
    for (int v = 0; v < 6; v++) assert_equal_case(values[v], v, "v %d", v);
    ruga_mesh_destroy(mesh);
}

static void groups_can_be_keyframed(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    ruga_param left = ruga_param_group("left"), right = ruga_param_group("right");
    left.to = 2;
    right.from = 4;
    right.to = 8;
    const ruga_param_key keys[2] = {{0, &left}, {4, &right}};
    ruga_param param = ruga_param_keys(keys, 2);
    double values[6];
    assert_ok(*state, ruga_param_evaluate(&param, "mask", mesh, 1, values));
    for (int v = 0; v < 6; v++) {
        double a = v % 3 == 0 ? 0 : 2, b = v % 3 == 2 ? 4 : 8;
        assert_equal_case(values[v], 0.75 * a + 0.25 * b, "v %d", v);
    }
    ruga_mesh_destroy(mesh);
}

static void a_mixture_of_equal_values_stays_within_its_limits(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    for (int i = 1; i < 2000; i++) {
        ruga_param top = ruga_param_constant(0.7 + 1e-3 * i);
        const ruga_param_key keys[2] = {{0, &top}, {1, &top}};
        ruga_param param = ruga_param_keys(keys, 2);
        param.high = top.constant;
        double values[6];
        assert_ok(*state, ruga_param_evaluate(&param, "mask", mesh, i / 2001.0, values));
        assert_equal_case(values[5], top.constant, "i %d", i);
    }
    ruga_mesh_destroy(mesh);
}

/* A strip of triangles, the first half "near", the second "far", with more vertices than a window. */
static ruga_mesh *make_long_strip(ruga_context *context, size_t triangle_count) {
    static const char *const labels[2] = {"near", "far"};
    ruga_vec3 *positions = calloc(triangle_count + 2, sizeof *positions);
    uint32_t *faces = malloc(3 * triangle_count * sizeof *faces);
    int32_t *groups = malloc(triangle_count * sizeof *groups);
    for (size_t t = 0; t < triangle_count; t++) {
        for (size_t k = 0; k < 3; k++) faces[3 * t + k] = (uint32_t)(t + k);
        groups[t] = t >= triangle_count / 2;
    }
    const ruga_attribute group = {.name = "group",
                                  .domain = RUGA_DOMAIN_FACE,
                                  .type = RUGA_I32,
                                  .components = 1,
                                  .count = triangle_count,
                                  .values = groups,
                                  .label_count = 2,
                                  .labels = labels};
    ruga_mesh_def def = ruga_mesh_def_default();
    def.positions = (ruga_view){positions, triangle_count + 2, 0, RUGA_F64};
    def.face_count = triangle_count;
    def.face_vertices = faces;
    def.attribute_count = 1;
    def.attributes = &group;
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_create(context, &def, &mesh));
    free(positions);
    free(faces);
    free(groups);
    return mesh;
}

static void groups_of_large_meshes_are_found_whole_and_without_memory(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    const size_t half = 150000;
    ruga_mesh *mesh = make_long_strip(context, 2 * half);
    ruga_param near = ruga_param_group("near"), far = ruga_param_group("far");
    const ruga_param_key keys[2] = {{0, &near}, {1, &far}};
    ruga_param both = ruga_param_keys(keys, 2);
    double *values = malloc(mesh->vertex_count * sizeof *values);
    long before = counter.allocations;
    assert_ok(context, ruga_param_evaluate(&near, "mask", mesh, 0, values));
    for (size_t v = 0; v < mesh->vertex_count; v++) assert_equal_case(values[v], v < half + 2, "v %zu", v);
    assert_ok(context, ruga_param_evaluate(&both, "mask", mesh, 0.25, values));
    for (size_t v = 0; v < mesh->vertex_count; v++)
        assert_equal_case(values[v], v < half ? 0.75 : v < half + 2 ? 1 : 0.25, "v %zu", v);
    near.low = 1;
    near.high = 2;
    assert_status(ruga_param_evaluate(&near, "mask", mesh, 0, values), RUGA_ERROR_INPUT);
    assert_message_has(context, "mask: vertex 150002 has 0, allowed is 1 to 2");
    assert_int_equal(counter.allocations, before);
    free(values);
    ruga_mesh_destroy(mesh);
    ruga_context_destroy(context);
}

static void errors_of_groups_and_files_are_named(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state), *plain = shape_sheet(*state, 2, 1);
    ruga_param limited = ruga_param_group("left"), unread = ruga_param_array(NULL, 0);
    limited.to = 2;
    limited.high = 1.5;
    unread.file = "mask.txt";
    assert_refused(mesh, ruga_param_group("lfet"), RUGA_ERROR_INPUT, "no group \"lfet\"; did you mean \"left\"?");
    assert_refused(mesh, ruga_param_group("zzzzzzzz"), RUGA_ERROR_INPUT,
                   "no group \"zzzzzzzz\"; there are \"left\", \"right\"");
    assert_refused(plain, ruga_param_group("left"), RUGA_ERROR_INPUT, "the faces of the mesh have no groups");
    assert_refused(mesh, ruga_param_group(NULL), RUGA_ERROR_ARGUMENT, "the group's name is NULL");
    assert_refused(mesh, limited, RUGA_ERROR_INPUT, "vertex 1 has 2, allowed is 0 to 1.5");
    limited.to = NAN;
    assert_refused(mesh, limited, RUGA_ERROR_INPUT, "vertex 0 has nan");
    assert_refused(mesh, unread, RUGA_ERROR_ARGUMENT, "\"mask.txt\" have not been read");
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(plain);
}

static void preparing_checks_every_keyframe(void **state) {
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    ruga_param one = ruga_param_constant(1), two = ruga_param_constant(2), bad = ruga_param_constant(NAN);
    const ruga_param_key good[3] = {{5, &one}, {6, &two}, {7, &two}}, wrong[3] = {{5, &one}, {6, &bad}, {7, &two}};
    ruga_param keyed = ruga_param_keys(good, 3), broken = ruga_param_keys(wrong, 3), none = ruga_param_keys(NULL, 3);
    double values[6];
    assert_ok(*state, param_prepare(&keyed, "mask", mesh, values));
    for (int v = 0; v < 6; v++) assert_equal_case(values[v], 1, "v %d", v);
    assert_ok(*state, param_prepare(&two, "mask", mesh, values));
    assert_equal(values[5], 2);
    assert_status(param_prepare(&broken, "mask", mesh, values), RUGA_ERROR_INPUT);
    assert_status(param_prepare(&none, "mask", mesh, values), RUGA_ERROR_ARGUMENT);
    assert_true(param_changes(&keyed) && !param_changes(&one));
    ruga_mesh_destroy(mesh);
}

/* Each is checked once: otherwise this takes minutes. */
static void hundreds_of_thousands_of_keyframes_are_prepared(void **state) {
    enum { COUNT = 400000 };
    ruga_mesh *mesh = shape_loaded_sheet(*state);
    double values[6];
    ruga_param *steps = malloc(COUNT * sizeof *steps);
    ruga_param_key *keys = malloc(COUNT * sizeof *keys);
    for (int k = 0; k < COUNT; k++) {
        steps[k] = ruga_param_constant(k);
        keys[k] = (ruga_param_key){k, &steps[k]};
    }
    ruga_param param = ruga_param_keys(keys, COUNT);
    assert_ok(*state, param_prepare(&param, "mask", mesh, values));
    assert_equal(values[5], 0);
    steps[COUNT - 1].constant = NAN;
    assert_status(param_prepare(&param, "mask", mesh, values), RUGA_ERROR_INPUT);
    steps[COUNT - 1].constant = 2 * COUNT;
    param.high = COUNT;
    assert_status(param_prepare(&param, "mask", mesh, values), RUGA_ERROR_INPUT);
    free(steps);
    free(keys);
    ruga_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_attributes_and_arrays_are_read),
        cmocka_unit_test(keyframes_are_linear_and_hold_at_their_ends),
        cmocka_unit_test(errors_of_parameters_are_named),
        cmocka_unit_test(a_group_is_one_at_the_vertices_of_its_faces),
        cmocka_unit_test(groups_and_attributes_are_mapped_and_meet_both_ends),
        cmocka_unit_test(groups_can_be_keyframed),
        cmocka_unit_test(a_mixture_of_equal_values_stays_within_its_limits),
        cmocka_unit_test(groups_of_large_meshes_are_found_whole_and_without_memory),
        cmocka_unit_test(errors_of_groups_and_files_are_named),
        cmocka_unit_test(preparing_checks_every_keyframe),
        cmocka_unit_test(hundreds_of_thousands_of_keyframes_are_prepared),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
