/* A scene is built once: a check builds it, and whoever runs the description gets what the check built. */
#include <stdio.h>

#include "base/file.h"
#include "support/shapes.h"

static const char drape[] =
    "{\"time\": {\"frames\": 4, \"substeps\": 2}, \"contact\": {}, \"objects\": ["
    "{\"name\": \"ball\", \"mesh\": {\"kind\": \"sphere\", \"frequency\": 3, \"radius\": 0.2}},"
    "{\"name\": \"sheet\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 8, \"rows\": 8}, \"move\": [0, 0.21, 0],"
    " \"body\": {\"kind\": \"cloth\", \"thickness\": 0.002},"
    " \"details\": [{\"kind\": \"wrinkle\", \"subdivide\": 2}]}]}";

static ruga_description *describe(ruga_context *context, const char *text) {
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    return d;
}

static uint64_t hash_after(ruga_context *context, ruga_scene *scene, int frames) {
    uint64_t hash = 0;
    for (int f = 0; f < frames; f++) assert_ok(context, ruga_scene_step(scene));
    assert_ok(context, ruga_scene_state_hash(scene, &hash));
    return hash;
}

/* ---- The scene of a check. */

static void a_checked_scene_is_the_one_that_is_built_without_a_check(void **state) {
    ruga_context *context = *state;
    ruga_description *d = describe(context, drape);
    ruga_scene *plain = NULL, *checked = NULL, *second = NULL;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &plain));
    assert_ok(context, ruga_description_check(d));
    assert_ok(context, ruga_scene_create_checked(d, &checked));
    assert_ok(context, ruga_scene_create_checked(d, &second)); /* the first has been handed out: built again */
    assert_ptr_not_equal(checked, second);
    uint64_t hash = hash_after(context, plain, 3);
    assert_true(hash_after(context, checked, 3) == hash);
    assert_true(hash_after(context, second, 3) == hash);
    ruga_description_destroy(d);
    /* It lives on without its description. */
    hash_after(context, checked, 1);
    ruga_scene_destroy(plain);
    ruga_scene_destroy(checked);
    ruga_scene_destroy(second);
}

static void a_change_of_the_description_is_in_the_scene(void **state) {
    ruga_context *context = *state;
    ruga_description *d = describe(context, drape);
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_check(d));
    assert_ok(context, ruga_description_set(d, "objects[sheet].mesh.columns", "5"));
    assert_ok(context, ruga_scene_create_checked(d, &scene));
    assert_int_equal(ruga_scene_object_mesh(scene, 1)->vertex_count, 11 * 17);
    ruga_scene_destroy(scene);
    /* A mistake that is set after the check makes the build fail. */
    scene = NULL;
    assert_ok(context, ruga_description_check(d));
    assert_ok(context, ruga_description_set(d, "objects[sheet].material", "sillk"));
    assert_status(ruga_scene_create_checked(d, &scene), RUGA_ERROR_INPUT);
    assert_message_has(context, "did you mean \"silk\"?");
    assert_null(scene);
    ruga_description_destroy(d);
}

/* Handing out a scene that was built takes next to nothing of what building takes. */
static void a_checked_scene_is_not_built_again(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    ruga_description *d = describe(context, drape);
    ruga_scene *plain = NULL, *checked = NULL;
    long before = counter.allocations;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &plain));
    long for_one = counter.allocations - before;
    assert_ok(context, ruga_description_check(d));
    before = counter.allocations;
    assert_ok(context, ruga_scene_create_checked(d, &checked));
    assert_less(100, for_one);
    assert_less(counter.allocations - before, for_one / 10);
    ruga_scene_destroy(plain);
    ruga_scene_destroy(checked);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void count_line(void *user, ruga_log_level level, const char *message) {
    (void)level, (void)message;
    ++*(int *)user;
}

/* A check is silent; the log says when the scene is taken what it would have said when it is made. */
static void the_log_is_kept_until_the_scene_is_taken(void **state) {
    (void)state;
    int lines = 0;
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 1;
    def.log = count_line;
    def.log_user = &lines;
    ruga_context *context = NULL;
    assert_ok(context, ruga_context_create(&def, &context));
    ruga_description *d = describe(context,
                                   "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"details\": "
                                   "[{\"kind\": \"wrinkle\", \"radius\": 0.5}]}]}");
    ruga_scene *plain = NULL, *checked = NULL;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &plain));
    int of_one = lines;
    assert_less(0, of_one);
    assert_ok(context, ruga_description_check(d));
    assert_int_equal(lines, of_one);
    assert_ok(context, ruga_scene_create_checked(d, &checked));
    assert_int_equal(lines, 2 * of_one);
    ruga_scene_destroy(plain);
    ruga_scene_destroy(checked);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* ---- Files. */

typedef struct counting_files {
    file_system interface; /* user is this very struct; other calls go to the disk, whose user is NULL */
    const file_system *inner;
    int opened;
} counting_files;

static int count_open(void *user, const char *path, void **handle, uint64_t *size) {
    counting_files *files = user;
    files->opened += strstr(path, ".glb") != NULL;
    return files->inner->open(files->inner->user, path, handle, size);
}

/* A sheet that rises, as one file. */
static void write_rising(ruga_context *context, const char *path) {
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    ruga_motion_writer *writer = NULL;
    ruga_vec3 points[16];
    assert_ok(context, ruga_motion_writer_create(mesh, path, NULL, &writer));
    for (int f = 0; f < 4; f++) {
        for (size_t v = 0; v < 16; v++) {
            points[v] = mesh->positions[v];
            points[v].y += f;
        }
        ruga_frame frame = {.time = f / 24.0, .vertex_count = 16, .positions = points};
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
}

static void a_file_with_mesh_and_motion_is_opened_once(void **state) {
    ruga_context *context = *state;
    write_rising(context, test_path("rising.glb"));
    char text[600];
    snprintf(text, sizeof text,
             "{\"objects\": [{\"name\": \"a\", \"mesh\": \"%s\", \"body\": \"animated\", \"edits\": [\"subdivide\"]}]}",
             test_path("rising.glb"));
    const file_system *disk = context->file_system;
    counting_files files = {.interface = *disk, .inner = disk};
    files.interface.user = &files;
    files.interface.open = count_open;
    context->file_system = &files.interface;
    ruga_description *d = describe(context, text);
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_check(d));
    assert_int_equal(files.opened, 1);
    assert_ok(context, ruga_scene_create_checked(d, &scene));
    for (int f = 0; f < 4; f++) {
        assert_ok(context, ruga_scene_step(scene));
        assert_near_case(ruga_scene_frame(scene, 0)->positions[0].y, f, 1e-6, "f %d", f);
    }
    assert_int_equal(files.opened, 1);
    context->file_system = disk;
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

/* Both through one opened file are what they are when each is read by itself. */
static void mesh_and_motion_of_an_opened_file_are_those_of_two_reads(void **state) {
    ruga_context *context = *state;
    write_rising(context, test_path("rising.glb"));
    ruga_mesh_file *file_of_both = NULL;
    ruga_mesh *mesh = NULL, *alone = NULL;
    ruga_motion *motion = NULL, *motion_alone = NULL;
    ruga_vec3 points[16], expected[16];
    assert_ok(context, ruga_mesh_file_open(context, test_path("rising.glb"), NULL, &file_of_both));
    assert_ok(context, ruga_mesh_file_mesh(file_of_both, &mesh));
    assert_ok(context, ruga_mesh_file_motion(file_of_both, mesh, NULL, &motion));
    ruga_mesh_file_close(file_of_both);
    assert_ok(context, ruga_mesh_read(context, test_path("rising.glb"), NULL, &alone));
    assert_ok(context, ruga_motion_read(context, test_path("rising.glb"), alone, NULL, &motion_alone));
    assert_int_equal(mesh->vertex_count, alone->vertex_count);
    assert_memory_equal(mesh->positions, alone->positions, mesh->vertex_count * sizeof *mesh->positions);
    for (int k = 0; k < 10; k++) {
        assert_ok(context, ruga_motion_sample(motion, k / 60.0, points));
        assert_ok(context, ruga_motion_sample(motion_alone, k / 60.0, expected));
        assert_memory_equal(points, expected, sizeof points);
    }
    ruga_motion_destroy(motion);
    ruga_motion_destroy(motion_alone);
    ruga_mesh_destroy(mesh);
    ruga_mesh_destroy(alone);
}

/* Each reader keeps its file open in another manner; the scene closes all of them once. */
static void meshes_of_every_format_follow_a_cache(void **state) {
    static const char *const names[] = {"rising.obj", "rising.ply", "rising.glb", "rising.gltf"};
    ruga_context *context = *state;
    ruga_mesh *mesh = shape_sheet(context, 3, 3);
    write_rising(context, test_path("rising.pc2"));
    for (int k = 0; k < 4; k++) {
        char text[1200];
        assert_ok(context, ruga_mesh_write(mesh, NULL, test_path(names[k]), NULL));
        snprintf(text, sizeof text,
                 "{\"objects\": [{\"name\": \"a\", \"mesh\": \"%s\", \"body\": {\"kind\": \"animated\", "
                 "\"motion\": \"rising.pc2\"}}]}",
                 names[k]);
        write_test_file(test_path("scene.json"), text, strlen(text));
        ruga_description *d = NULL;
        ruga_scene *scene = NULL;
        assert_ok(context, ruga_description_read(context, test_path("scene.json"), &d));
        assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
        for (int f = 0; f < 4; f++) {
            assert_ok(context, ruga_scene_step(scene));
            assert_near(ruga_scene_frame(scene, 0)->positions[0].y, f, 1e-6);
        }
        ruga_scene_destroy(scene);
        ruga_description_destroy(d);
    }
    ruga_mesh_destroy(mesh);
}

/* ---- Memory. */

static ruga_status check_and_take(ruga_context *context, void *user) {
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    ruga_status status = ruga_description_read_memory(context, "scene", user, strlen(user), &d);
    if (!RUGA_FAILED(status)) status = ruga_description_check(d);
    if (!RUGA_FAILED(status)) status = ruga_scene_create_checked(d, &scene);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    return status;
}

static void every_allocation_may_fail(void **state) {
    ruga_context *context = *state;
    char text[600];
    write_rising(context, test_path("rising.glb"));
    snprintf(text, sizeof text,
             "{\"objects\": [{\"name\": \"a\", \"mesh\": \"%s\", \"body\": \"animated\"}, {\"name\": \"b\", \"mesh\": "
             "{\"kind\": \"sheet\", \"columns\": 1, \"rows\": 1}, \"body\": \"cloth\"}], \"contact\": {}}",
             test_path("rising.glb"));
    assert_less(50, assert_every_allocation_may_fail(check_and_take, text));
}

static int set_up(void **state) {
    *state = context_plain(1);
    return 0;
}

static int tear_down(void **state) {
    ruga_context_destroy(*state);
    test_folder_remove();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checked_scene_is_the_one_that_is_built_without_a_check),
        cmocka_unit_test(a_change_of_the_description_is_in_the_scene),
        cmocka_unit_test(a_checked_scene_is_not_built_again),
        cmocka_unit_test(the_log_is_kept_until_the_scene_is_taken),
        cmocka_unit_test(a_file_with_mesh_and_motion_is_opened_once),
        cmocka_unit_test(mesh_and_motion_of_an_opened_file_are_those_of_two_reads),
        cmocka_unit_test(meshes_of_every_format_follow_a_cache),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
