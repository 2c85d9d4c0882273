/* Strokes in scenes: as an edit of the rest mesh, as a detail that changes over time, on placed meshes and along curves
 * of models; and the files of strokes that they read. */
#include <math.h>
#include <stdio.h>

#include "ruga/strokes.h"
#include "scene/scene.h"
#include "support/subdivided.h"
#include "wrinkle/part_support.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(2);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

/* A sheet from -0.5 to 0.5 along x and z with a stroke along x. %s: of the object, kind of list, of the stroke. */
#define SHEET                                                                                                          \
    "{\"time\": {\"fps\": 24, \"frames\": 7}, \"objects\": [{\"name\": \"sheet\", %s \"mesh\": {\"kind\": \"sheet\", " \
    "\"columns\": 12, \"rows\": 12}, \"%s\": [{\"kind\": \"sculpt\", \"refine\": 1, \"strokes\": [{\"name\": \"x\", "  \
    "\"curve\": [[-0.3, 0, 0.01], [0.3, 0, 0.01]], \"radius\": 0.15%s}]}]}]}"
#define KEYS ", \"keys\": [{\"time\": 0, \"length\": 1}, {\"time\": 0.25, \"length\": 1.3}]"

static ruga_description *describe(const char *of_object, const char *list, const char *of_stroke) {
    char text[1500];
    ruga_description *d = NULL;
    int size = snprintf(text, sizeof text, SHEET, of_object, list, of_stroke);
    assert_ok(context, ruga_description_read_memory(context, "scene", text, (size_t)size, &d));
    return d;
}

static ruga_scene *make_scene(const char *of_object, const char *list, const char *of_stroke) {
    ruga_description *d = describe(of_object, list, of_stroke);
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_check(d));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

static double height(const ruga_frame *frame) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < frame->vertex_count; i++) {
        low = fmin(low, frame->positions[i].y);
        high = fmax(high, frame->positions[i].y);
    }
    return high - low;
}

/* ---- Edits. */

static void an_edit_wrinkles_the_rest_mesh_of_cloth(void **state) {
    (void)state;
    ruga_scene *scene = make_scene("\"body\": \"cloth\",", "edits", "");
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
    assert_less(169, mesh->vertex_count);
    ruga_frame rest = {.vertex_count = mesh->vertex_count, .positions = mesh->positions};
    assert_less(0.03, height(&rest));
    assert_ok(context, ruga_scene_step(scene));
    ruga_scene_destroy(scene);
}

/* The greatest height of the edited mesh within 0.03 m of the start of its stroke; 0.03 m are three steps of its
 * particles. */
static double height_at_the_end(const char *of_stroke) {
    ruga_scene *scene = make_scene("", "edits", of_stroke);
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
    double greatest = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (mesh->positions[v].x < -0.27) greatest = fmax(greatest, fabs(mesh->positions[v].y));
    ruga_scene_destroy(scene);
    return greatest;
}

static void ends_of_wrinkles_are_soft_by_default(void **state) {
    (void)state;
    double plain = height_at_the_end(""), soft = height_at_the_end(", \"ends\": \"soft\"");
    assert_less(0, plain);
    assert_equal(plain, soft);
    assert_less(1.2 * soft, height_at_the_end(", \"ends\": \"printed\""));
}

static void assert_refused(const char *of_object, const char *list, const char *of_stroke, const char *message) {
    ruga_description *d = describe(of_object, list, of_stroke);
    ruga_scene *scene = NULL;
    assert_status(ruga_description_check(d), RUGA_ERROR_INPUT);
    assert_message_has(context, message);
    assert_status(ruga_scene_create(context, ruga_description_get(d), &scene), RUGA_ERROR_INPUT);
    assert_message_has(context, message);
    assert_null(scene);
    ruga_description_destroy(d);
}

static void what_does_not_go_with_strokes_is_refused(void **state) {
    (void)state;
    assert_refused("", "edits", KEYS, "lengths that change over time are for \"sculpt\" as one of the \"details\"");
    assert_refused("", "details", ", \"wrinkles\": 40", "stroke \"x\": 40 wrinkles are wanted");
    assert_refused("", "details", ", \"region\": \"brow\"", "stroke \"x\": there is no curve \"brow\"");
    assert_refused("", "edits", ", \"mode\": \"between\"", "stroke \"x\": a region between two curves needs");
}

/* ---- Details. */

static void a_detail_has_the_lengths_of_its_keys(void **state) {
    (void)state;
    ruga_scene *scene = make_scene("", "details", KEYS);
    double before = -1;
    for (int i = 0; i < 7; i++) {
        assert_ok(context, ruga_scene_step(scene));
        double now = height(ruga_scene_frame(scene, 0));
        if (i == 0)
            assert_less(now, 1e-9);
        else
            assert_less_case(before, now, "frame %d", i);
        before = now;
    }
    assert_less(0.03, before);
    ruga_scene_destroy(scene);
}

/* But for where the minimisation stops. */
static void a_mesh_that_is_placed_has_the_same_wrinkles_there(void **state) {
    (void)state;
    ruga_scene *plain = make_scene("", "edits", ""),
               *placed = make_scene("\"move\": [1, 2, 3], \"turn\": [0, 90, 0],", "edits", "");
    const ruga_mesh *a = ruga_scene_object_mesh(plain, 0), *b = ruga_scene_object_mesh(placed, 0);
    assert_int_equal(a->vertex_count, b->vertex_count);
    for (size_t i = 0; i < a->vertex_count; i++) {
        ruga_vec3 p = a->positions[i], q = b->positions[i];
        assert_near_case(p.z + 1, q.x, 1e-4, "i %zu", i);
        assert_near_case(p.y + 2, q.y, 1e-4, "i %zu", i);
        assert_near_case(-p.x + 3, q.z, 1e-4, "i %zu", i);
    }
    ruga_scene_destroy(plain);
    ruga_scene_destroy(placed);
}

static void curves_of_the_model_go_by_their_names(void **state) {
    (void)state;
    static const char text[] =
        "{\"objects\": [{\"name\": \"bust\", \"mesh\": {\"kind\": \"bust\", \"cells\": 40}, \"details\": [{\"kind\": "
        "\"sculpt\", \"refine\": 0, \"strokes\": [{\"curve\": \"%s\"}]}]}]}";
    char whole[400];
    ruga_description *d = NULL;
    snprintf(whole, sizeof whole, text, "forehead");
    assert_ok(context, ruga_description_read_memory(context, "scene", whole, strlen(whole), &d));
    assert_ok(context, ruga_description_check(d));
    ruga_description_destroy(d);
    snprintf(whole, sizeof whole, text, "forehea");
    assert_ok(context, ruga_description_read_memory(context, "scene", whole, strlen(whole), &d));
    assert_status(ruga_description_check(d), RUGA_ERROR_INPUT);
    assert_message_has(context, "did you mean \"forehead\"?");
    ruga_description_destroy(d);
    assert_true(ruga_model_has_curves("bust") && !ruga_model_has_curves("sheet"));
}

static void a_saved_state_continues_bit_identically(void **state) {
    (void)state;
    ruga_scene *scene = make_scene("", "details", KEYS), *other = make_scene("", "details", KEYS);
    for (int i = 0; i < 4; i++) assert_ok(context, ruga_scene_step(scene));
    void *bytes = NULL;
    size_t size;
    assert_ok(context, ruga_scene_save(scene, &bytes, &size));
    assert_ok(context, ruga_scene_restore(other, bytes, size));
    ruga_free(context, bytes);
    assert_ok(context, ruga_scene_step(scene));
    assert_ok(context, ruga_scene_step(other));
    const ruga_frame *a = ruga_scene_frame(scene, 0), *b = ruga_scene_frame(other, 0);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
    ruga_scene_destroy(scene);
    ruga_scene_destroy(other);
}

/* ---- Strokes by themselves. */

static ruga_status make_strokes(ruga_context *counting, void *user) {
    const char *path = user;
    ruga_mesh *mesh = NULL;
    ruga_strokes *strokes = NULL;
    ruga_sculpt_def values;
    const double size[] = {1, 1, 4, 4, 0, 0, 0, 0, 0, 0};
    ruga_status status = ruga_model_make(counting, "sheet", size, &mesh);
    if (RUGA_FAILED(status)) return status;
    ruga_section_defaults(ruga_scene_section_find("objects.edits.sculpt"), &values);
    values.file = path;
    ruga_strokes_def def = ruga_strokes_def_default();
    def.values = &values;
    status = ruga_strokes_create(mesh, &def, &strokes);
    ruga_strokes_destroy(strokes);
    ruga_mesh_destroy(mesh);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    static const char text[] =
        "{\"refine\": 1, \"strokes\": [{\"curve\": [[-0.3, 0, 0.01], [0.3, 0, 0.01]], \"particles\": 12, \"keys\": "
        "[{\"time\": 0, \"length\": 1.1}]}]}";
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("strokes.json"));
    write_test_file(path, text, sizeof text - 1);
    assert_less(20, assert_every_allocation_may_fail(make_strokes, path));
}

/* ---- Meshes that change. */

static ruga_scene *make_moving(int frames) {
    ruga_scene *scene = make_scene("", "details", KEYS);
    for (int f = 0; f < frames; f++) assert_ok(context, ruga_scene_step(scene));
    return scene;
}

static void change_mesh(ruga_scene *scene, ruga_mesh *mesh, const ruga_map *map) {
    assert_ok(context, world_rebuild(scene->world, 0, mesh, map));
}

static void strokes_follow_a_mesh_that_becomes_itself_bit_identical(void **state) {
    (void)state;
    ruga_scene *scene = make_moving(3), *other = make_moving(3);
    ruga_mesh *mesh = (ruga_mesh *)(uintptr_t)world_body(scene->world, 0)->mesh;
    ruga_map *same = identity_map(context, mesh->vertex_count);
    change_mesh(scene, mesh, same);
    for (int f = 0; f < 3; f++) {
        const ruga_frame *a = ruga_scene_frame(scene, 0), *b = ruga_scene_frame(other, 0);
        assert_int_equal(a->vertex_count, b->vertex_count);
        assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
        assert_ok(context, ruga_scene_step(scene));
        assert_ok(context, ruga_scene_step(other));
    }
    ruga_map_destroy(same);
    ruga_scene_destroy(other);
    ruga_scene_destroy(scene);
}

/* Refined twice; a saved state brings another scene to the same bits. */
static void strokes_follow_refinements(void **state) {
    (void)state;
    ruga_scene *scene = make_moving(4), *other = make_moving(0);
    const ruga_mesh *mesh = world_body(scene->world, 0)->mesh;
    const double high = height(ruga_scene_frame(scene, 0));
    assert_less(0.02, high);
    fine once = subdivide(mesh, RUGA_SUBDIVIDE_REGULAR, 2, 0),
         twice = subdivide(once.mesh, RUGA_SUBDIVIDE_LONG_EDGES, 2, 0.045);
    change_mesh(scene, once.mesh, once.map);
    assert_near(height(ruga_scene_frame(scene, 0)), high, 0.1 * high);
    change_mesh(scene, twice.mesh, twice.map);
    assert_near(height(ruga_scene_frame(scene, 0)), high, 0.1 * high);
    assert_ok(context, ruga_scene_step(scene));
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(context, ruga_scene_save(scene, &bytes, &size));
    assert_ok(context, ruga_scene_restore(other, bytes, size));
    ruga_free(context, bytes);
    for (int f = 0; f < 2; f++) {
        const ruga_frame *a = ruga_scene_frame(scene, 0), *b = ruga_scene_frame(other, 0);
        assert_int_equal(a->vertex_count, b->vertex_count);
        assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
        assert_ok(context, ruga_scene_step(scene));
        assert_ok(context, ruga_scene_step(other));
    }
    ruga_scene_destroy(other);
    ruga_scene_destroy(scene);
    fine_release(once);
    fine_release(twice);
}

/* A cut across the stroke: it goes around the cut, or is left out with a warning. Nothing else moves. */
static void a_cut_across_a_stroke_does_no_harm(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        ruga_scene *scene = make_moving(4);
        const ruga_mesh *mesh = world_body(scene->world, 0)->mesh;
        ruga_map *map = NULL;
        ruga_mesh *cut = cut_open(mesh, 0, k == 0 ? 0.2 : 1, &map);
        change_mesh(scene, cut, map);
        assert_ok(context, ruga_scene_step(scene));
        const ruga_frame *frame = ruga_scene_frame(scene, 0);
        for (size_t v = 0; v < frame->vertex_count; v++) assert_less(vec3_length(frame->positions[v]), 1);
        size_t far = 0;
        for (size_t v = 0; v < mesh->vertex_count; v++) {
            far += fabs(mesh->positions[v].z) > 0.4;
            if (fabs(mesh->positions[v].z) > 0.4) assert_true(frame->positions[v].y == 0);
        }
        assert_ran(far, 10);
        ruga_scene_destroy(scene);
        ruga_map_destroy(map);
        ruga_mesh_destroy(cut);
    }
}

static void a_def_that_is_not_initialised_is_refused(void **state) {
    (void)state;
    ruga_mesh *mesh = NULL;
    ruga_strokes *strokes = NULL;
    ruga_strokes_def def = ruga_strokes_def_default();
    assert_ok(context, ruga_model_make(context, "sheet", NULL, &mesh));
    assert_status(ruga_strokes_create(mesh, &def, &strokes), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_strokes_create(mesh, NULL, &strokes), RUGA_ERROR_ARGUMENT);
    ruga_curve **curves = NULL;
    size_t count;
    assert_status(ruga_model_curves(mesh, "sheet", &curves, &count), RUGA_ERROR_INPUT);
    ruga_mesh_destroy(mesh);
    ruga_strokes_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edit_wrinkles_the_rest_mesh_of_cloth),
        cmocka_unit_test(ends_of_wrinkles_are_soft_by_default),
        cmocka_unit_test(what_does_not_go_with_strokes_is_refused),
        cmocka_unit_test(a_detail_has_the_lengths_of_its_keys),
        cmocka_unit_test(a_mesh_that_is_placed_has_the_same_wrinkles_there),
        cmocka_unit_test(curves_of_the_model_go_by_their_names),
        cmocka_unit_test(a_saved_state_continues_bit_identically),
        cmocka_unit_test(strokes_follow_a_mesh_that_becomes_itself_bit_identical),
        cmocka_unit_test(strokes_follow_refinements),
        cmocka_unit_test(a_cut_across_a_stroke_does_no_harm),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(a_def_that_is_not_initialised_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
