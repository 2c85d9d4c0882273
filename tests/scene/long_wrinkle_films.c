/* The layer of wrinkles on an arm, a curtain, a skirt and a canopy never intersects itself over their whole films,
 * counted exactly. Without self-collision and the limits of heights the arm's does. */
#include "contact_scenes.h"
#include "geom/intersections.h"

static size_t count_in(const ruga_mesh *mesh, const ruga_vec3 *positions, size_t vertices) {
    intersection_array found = {0};
    assert_int_equal(vertices, mesh->vertex_count);
    assert_ok(mesh->context, intersections_find(mesh->context, vertices, positions, mesh->triangle_count,
                                                mesh->triangles, NULL, NULL, &found));
    const size_t count = found.count;
    ARRAY_RELEASE(mesh->context, &found);
    return count;
}

/* Intersections of an object's layer over some frames of a template. */
static size_t count_film(ruga_context *context, const char *name, const char *object, const char *const *changes,
                         int frames) {
    ruga_scene *scene = hard_scene(context, name, changes, NULL);
    const size_t which = ruga_scene_object_find(scene, object);
    size_t count = 0;
    for (int f = 0; f < frames; f++) {
        assert_ok(context, ruga_scene_step(scene));
        const ruga_frame *frame = ruga_scene_frame(scene, which);
        count += count_in(ruga_scene_object_mesh(scene, which), frame->positions, frame->vertex_count);
    }
    ruga_scene_destroy(scene);
    return count;
}

static void an_arm(void **state) {
    static const char *const changes[] = {"objects[arm].details[0].self_collision", "true", NULL};
    static const char *const free[] = {"objects[arm].details[0].upright", "false", "objects[arm].details[0].squeeze",
                                       "0", NULL};
    assert_true(count_film(*state, "elbow", "arm", free, 26) > 0);
    assert_int_equal(count_film(*state, "elbow", "arm", changes, 49), 0);
}

static void a_curtain(void **state) {
    static const char *const changes[] = {"objects[curtain].details[0].self_collision", "true", NULL};
    assert_int_equal(count_film(*state, "gather", "curtain", changes, 72), 0);
}

static void a_skirt(void **state) {
    static const char *const changes[] = {
        "objects[skirt].details", "[{\"kind\": \"wrinkle\", \"pre_stretch\": 1.1, \"self_collision\": true}]", NULL};
    assert_int_equal(count_film(*state, "skirt", "skirt", changes, 84), 0);
}

/* A gathered edge and two creases below the wrinkles. */
static void a_canopy(void **state) {
    static const char *const changes[] = {"objects[cloth].details[0].self_collision", "true", NULL};
    assert_int_equal(count_film(*state, "canopy", "cloth", changes, 60), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_arm), cmocka_unit_test(a_curtain), cmocka_unit_test(a_skirt),
                                       cmocka_unit_test(a_canopy)};
    return cmocka_run_group_tests(tests, set_up_context_of_two, tear_down_context);
}
