/* Pleated skirts in scenes: the paper's counts, a folded start without strain or intersections, and a seam. */
#include "scene/crease_scenes.h"

static ruga_scene *skirt(ruga_context *context, const char *mesh, const char *pattern, const char *more) {
    char text[3000];
    snprintf(text, sizeof text,
             "{\"time\": {\"fps\": 24, \"frames\": 200, \"substeps\": 4}, %s \"objects\": [{\"name\": \"skirt\", "
             "\"mesh\": {\"kind\": \"annulus\", \"inner\": 0.355, \"outer\": 0.8, \"angle\": 330, %s}, \"move\": [0.1, "
             "1, 0.2], \"turn\": [0, 30, 0], \"material\": \"cotton\", \"body\": {\"kind\": \"cloth\", \"thickness\": "
             "0.003, \"pins\": [{\"kind\": \"fixed\", \"where\": \"waist\"}]}, \"hooks\": [{\"kind\": \"crease\", "
             "\"pattern\": {%s}}]}]}",
             more, mesh, pattern);
    return crease_scene_make(context, text);
}

/* Patkar, Jin and Fedkiw 2015, figures 1 and 5. */
static void triangles_are_those_of_the_paper(void **state) {
    skip_unless_long();
    skip_when_sanitized();
    ruga_scene *scene = skirt(*state, "\"rings\": 39, \"sectors\": 150", "\"kind\": \"knife\", \"count\": 30", "");
    assert_int_equal(world_body(scene->world, 0)->simulated->triangle_count, 16380);
    ruga_scene_destroy(scene);
    scene = skirt(*state, "\"rings\": 36, \"sectors\": 300", "\"kind\": \"box\", \"count\": 35, \"depth\": 0.005", "");
    assert_int_equal(world_body(scene->world, 0)->simulated->triangle_count, 31608);
    ruga_scene_destroy(scene);
}

static double greatest_strain(const body *b) {
    const ruga_mesh *mesh = b->simulated;
    double most = 0;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t from = mesh->triangles[i], to = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        double rest = vec3_distance(mesh->positions[from], mesh->positions[to]);
        most = fmax(most, fabs(vec3_distance(b->positions[from], b->positions[to]) / rest - 1));
    }
    return most;
}

static void skirts_begin_folded_without_strain_or_intersections(void **state) {
    skip_unless_long();
    static const char *const patterns[] = {"\"kind\": \"knife\", \"count\": 16, \"depth\": 0.02",
                                           "\"kind\": \"box\", \"count\": 11, \"depth\": 0.02"};
    for (int i = 0; i < 2; i++) {
        ruga_scene *scene = skirt(*state, "\"rings\": 6, \"sectors\": 60", patterns[i], "\"contact\": {},");
        const body *b = world_body(scene->world, 0);
        const ruga_scene_intersection *found;
        size_t count;
        /* Curves that pass through vertices are moved by up to 0.01 edges, and so are folds. */
        assert_less(greatest_strain(b), i == 0 ? 1e-3 : 0.05);
        assert_less(distance_from_bound(b, b->positions), 1e-10);
        assert_ok(*state, ruga_scene_intersections(scene, &found, &count));
        assert_int_equal(count, 0);
        /* It hangs from its waist, whose vertices stay. */
        vec3 waist = ruga_scene_frame(scene, 0)->positions[0];
        assert_near(waist.y, 1, 0.05);
        step_without_intersections(*state, scene, 12);
        assert_less(vec3_distance(ruga_scene_frame(scene, 0)->positions[0], waist), 1e-6);
        ruga_scene_destroy(scene);
    }
}

static void other_meshes_are_refused(void **state) {
    const char *text =
        "{\"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\"}, \"body\": \"cloth\", "
        "\"hooks\": [{\"kind\": \"crease\", \"pattern\": {\"kind\": \"knife\"}}]}]}";
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    assert_ok(*state, ruga_description_read_memory(*state, "scene", text, strlen(text), &d));
    assert_true(RUGA_FAILED(ruga_scene_create(*state, ruga_description_get(d), &scene)));
    assert_message_has(*state, "flat sector of an annulus");
    ruga_description_destroy(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_those_of_the_paper),
        cmocka_unit_test(skirts_begin_folded_without_strain_or_intersections),
        cmocka_unit_test(other_meshes_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
