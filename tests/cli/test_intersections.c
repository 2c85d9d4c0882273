/* ruga intersections: counts, kinds of input, frames, output and exit code. */
#include <math.h>
#include <stdio.h>

#include "support/ruga_command.h"

static ruga_context *context;

enum { FRAMES = 6, ROWS = 4, COLUMNS = 8 };

/* A sheet folds along the line x = 0: below frame 3 it is open or ajar, in 3 it lies flat on itself, in 4 and 5 its
 * halves go through each other. */
static void fold(const ruga_mesh *mesh, int frame, ruga_vec3 *positions) {
    static const double angles[FRAMES] = {0, 1, 3, 0, 3.3, 3.2};
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        ruga_vec3 p = mesh->positions[v];
        positions[v] = p;
        if (p.x > 0 && frame != 3) positions[v] = (ruga_vec3){p.x * cos(angles[frame]), p.x * sin(angles[frame]), p.z};
        if (p.x > 0 && frame == 3) positions[v].x = -p.x;
        if (p.x < 0 && frame > 3) positions[v].z += 0.03;
        /* The halves cross, since the other one is wavy. */
        if (p.x < 0 && frame > 3) positions[v].y = 0.05 * sin(20 * p.x);
    }
}

static void write_motion(const char *name) {
    ruga_mesh *mesh = NULL;
    ruga_motion_writer *writer = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path("sheet.obj"), NULL, &mesh));
    assert_ok(context, ruga_motion_writer_create(mesh, test_path(name), NULL, &writer));
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    for (int i = 0; i < FRAMES; i++) {
        fold(mesh, i, positions);
        ruga_frame frame = {.time = i / 24.0, .vertex_count = mesh->vertex_count, .positions = positions};
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
    free(positions);
}

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    assert_ruga(0, NULL, "make sheet --rows %d --columns %d -o sheet.obj -q", ROWS, COLUMNS);
    assert_ruga(0, NULL, "make sphere --radius 0.3 -o ball.obj -q");
    write_motion("fold.pc2");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

static void the_exit_code_is_4_with_intersections(void **state) {
    (void)state;
    command_result none = ruga_run("intersections sheet.obj"), some = ruga_run("intersections sheet.obj ball.obj");
    assert_int_equal(none.code, 0);
    assert_string_equal(none.out, "sheet.obj: no intersections among 64 triangles\n");
    assert_int_equal(some.code, 4);
    assert_non_null(strstr(some.out, "of sheet.obj and face "));
    assert_non_null(strstr(some.out, " of ball.obj at "));
    assert_non_null(strstr(some.out, "sheet.obj and 1 more: "));
    assert_non_null(strstr(some.out, "; --all lists them\n"));
    command_release(&none);
    command_release(&some);

    /* A full disk decides the exit code, not the intersections. */
    assert_ruga(1, "standard output: No space left on device", "intersections sheet.obj ball.obj --all >/dev/full");
    command_result quiet = ruga_run("intersections sheet.obj ball.obj -q");
    assert_int_equal(quiet.code, 4);
    assert_string_equal(quiet.out, "");
    assert_string_equal(quiet.err, "");
    command_release(&quiet);
}

static void all_lists_every_place(void **state) {
    (void)state;
    json_document *all = ruga_json(context, 4, "intersections sheet.obj ball.obj --all");
    size_t count = (size_t)json_number_at(all, "intersections");
    assert_less(20, count);
    for (size_t i = 0; i < count; i++) {
        char path[64];
        snprintf(path, sizeof path, "frames.0.places.%zu.point.1", i);
        assert_near_case(json_number_at(all, path), 0, 1e-9, "i %zu", i); /* the sheet is in the plane y = 0 */
        snprintf(path, sizeof path, "frames.0.places.%zu.meshes.1", i);
        assert_int_equal((int)json_number_at(all, path), 1);
    }
    assert_string_equal(json_text_at(all, "meshes.1"), "ball.obj");
    json_destroy(all);

    command_result listed = ruga_run("intersections sheet.obj ball.obj --first 2");
    char more[64];
    snprintf(more, sizeof more, "… and %zu more", count - 2);
    assert_non_null(strstr(listed.out, more));
    command_release(&listed);
    command_result counted = ruga_run("intersections sheet.obj ball.obj --first 0");
    assert_null(strstr(counted.out, "face"));
    command_release(&counted);
}

static void assert_folds(const char *words) {
    json_document *found = ruga_json(context, 4, "intersections %s", words);
    for (int i = 0; i < FRAMES; i++) {
        char path[64];
        snprintf(path, sizeof path, "frames.%d.intersections", i);
        int count = (int)json_number_at(found, path);
        fail_if(i < 3 ? count != 0 : count < (i == 3 ? 32 : 8), "%s: %d in frame %d", words, count, i);
        snprintf(path, sizeof path, "frames.%d.time", i);
        assert_near_case(json_number_at(found, path), i / 24.0, 1e-6, "i %d", i);
    }
    assert_int_equal((int)json_number_at(found, "frames_with"), 3);
    assert_int_equal((int)json_number_at(found, "worst_frame"), 3);
    json_destroy(found);
}

/* The same in every kind of file that moves. Frame 3 lies exactly on itself: it has to be looked at as it is stored. */
static void frames_are_the_stored_samples(void **state) {
    (void)state;
    write_motion("fold.mdd");
    write_motion("fold.glb");
    write_motion("fold_####.obj");
    assert_folds("sheet.obj --cache fold.pc2");
    assert_folds("sheet.obj --cache fold.pc2 --rate 24");
    assert_folds("sheet.obj --cache fold.mdd");
    assert_folds("fold.glb");
    assert_folds("fold_####.obj");
}

static void frames_are_chosen_by_number_range_or_time(void **state) {
    (void)state;
    command_result part = ruga_run("intersections sheet.obj --cache fold.pc2 --frames 1:3");
    assert_int_equal(part.code, 4);
    assert_non_null(strstr(part.out, "frame 3: "));
    assert_non_null(strstr(part.out, "1 of 3 frames have intersections"));
    command_release(&part);
    command_result clean = ruga_run("intersections sheet.obj --cache fold.pc2 --frames 0:2");
    assert_int_equal(clean.code, 0);
    assert_string_equal(clean.out, "sheet.obj: no intersections in 3 frames of 64 triangles\n");
    command_release(&clean);
    assert_ruga(4, NULL, "intersections sheet.obj --cache fold.pc2 --frame 4 -q");
    assert_ruga(0, NULL, "intersections sheet.obj --cache fold.pc2 --frame 2 -q");
    assert_ruga(0, NULL, "intersections sheet.obj --cache fold.pc2 --time 0 -q");
    command_result moment = ruga_run("intersections sheet.obj --cache fold.pc2 --time 0.125");
    assert_non_null(strstr(moment.out, "time 0.125 s: "));
    command_release(&moment);

    assert_ruga(2, "--frames takes whole numbers from 0 to 5 here, not '4:9'",
                "intersections sheet.obj --cache fold.pc2 --frames 4:9");
    assert_ruga(2, "--frame takes whole numbers from 0 to 5 here, not '6'",
                "intersections sheet.obj --cache fold.pc2 --frame 6");
    assert_ruga(2, "need a mesh that moves", "intersections sheet.obj --frames 0:0");
}

/* A run's objects, one through the other, and the same ones apart. */
static void a_run_is_checked_with_all_its_objects(void **state) {
    (void)state;
    static const char scene[] =
        "{\"time\": {\"frames\": 2}, \"objects\": ["
        "{\"name\": \"sheet\", \"mesh\": \"sheet.obj\"}, {\"name\": \"ball\", \"mesh\": \"ball.obj\"}]}";
    write_test_file(test_path("two.json"), scene, sizeof scene - 1);
    assert_ruga(0, NULL, "run two.json -q");
    command_result crossing = ruga_run("intersections two.run");
    assert_int_equal(crossing.code, 4);
    assert_non_null(strstr(crossing.out, " of sheet and face "));
    command_release(&crossing);
    assert_ruga(0, NULL, "run two.json -q -o apart.run --set 'objects[ball].move=[0,2,0]'");
    command_result apart = ruga_run("intersections apart.run");
    assert_int_equal(apart.code, 0);
    assert_non_null(strstr(apart.out, "apart.run: no intersections in "));
    command_release(&apart);
}

/* Intersections that the scene allows do not count, as in the check of every frame: excluded pairs, objects
 * that do not collide, and faces outside of a mask. --bodies shows it. */
static void a_run_is_checked_as_its_contact_is(void **state) {
    (void)state;
    static const char scene[] =
        "{\"time\": {\"frames\": 2, \"substeps\": 1}, \"gravity\": [0, 0, 0], \"contact\": {\"start\": \"go_on\"}, "
        "\"objects\": [{\"name\": \"ball\", \"mesh\": \"ball.obj\"}, "
        "{\"name\": \"sheet\", \"mesh\": \"sheet.obj\", \"body\": \"cloth\"}]}";
    static const char *const rules[] = {"--set 'contact.exclusions=[{\"object\": \"sheet\", \"other\": \"ball\"}]'",
                                        "--set 'objects[ball].contact=false'",
                                        "--set 'objects[ball].contact={\"where\": {\"select\": \"vertices:0\"}}'"};
    write_test_file(test_path("rules.json"), scene, sizeof scene - 1);
    assert_ruga(0, NULL, "run rules.json -q -o rules0.run");
    assert_ruga(4, NULL, "intersections rules0.run -q");
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        char words[400];
        snprintf(words, sizeof words, "run rules.json -q -o rules%zu.run %s", k + 1, rules[k]);
        assert_ruga(0, NULL, "%s", words);
        snprintf(words, sizeof words, "intersections rules%zu.run", k + 1);
        command_result checked = ruga_run("%s", words);
        fail_if(checked.code != 0 || !strstr(checked.out, "of pairs that the scene's contact ignores"), "%s: %s%s",
                rules[k], checked.out, checked.err);
        command_release(&checked);
        snprintf(words, sizeof words, "intersections rules%zu.run --bodies -q", k + 1);
        assert_ruga(4, NULL, "%s", words);
    }
}

/* Faces of a split seam touch unless vertices at one place are one. */
static void split_seams_are_welded_unless_asked_not_to(void **state) {
    (void)state;
    static const char seam[] =
        "v 0 0 0\nv 0 0 1\nv -1 0 0\nv 0 0 0\nv 0 0 1\nv 1 0 0\n"
        "f 1 2 3\nf 5 4 6\n";
    write_test_file(test_path("seam.obj"), seam, sizeof seam - 1);
    assert_ruga(0, NULL, "intersections seam.obj -q");
    assert_ruga(4, NULL, "intersections seam.obj -q --no-weld");
}

static void unsuitable_input_is_refused_with_advice(void **state) {
    (void)state;
    static const char broken[] =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
        "end_header\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n";
    write_test_file(test_path("broken.ply"), broken, sizeof broken - 1);
    assert_ruga(3, "broken.ply: vertex 1 is at (1, nan, 0)", "intersections broken.ply");
    static const char points[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    write_test_file(test_path("points.obj"), points, sizeof points - 1);
    assert_ruga(3, "points.obj: has no faces", "intersections points.obj");
    assert_ruga(3, "MESH --cache fold.pc2", "intersections fold.pc2");
    assert_ruga(3, "missing.obj", "intersections missing.obj");
    assert_ruga(3, "vertices", "intersections ball.obj --cache fold.pc2");
    assert_ruga(2, "expected a mesh or a run", "intersections");
    assert_ruga(2, "2 of --cache, but 1 mesh to move", "intersections sheet.obj --cache fold.pc2 --cache fold.pc2");
    assert_ruga(3, "--picture writes one PNG", "intersections sheet.obj --picture a.mp4");
    assert_ruga(2, "go together", "intersections sheet.obj --picture a.png --eye 1,1,1");
    assert_false(test_file_exists(test_path("a.png")));
}

#define SMALL "--width 64 --height 48 --samples 1 --occlusion 0"

static void a_picture_shows_the_worst_frame(void **state) {
    (void)state;
    command_result drawn = ruga_run("intersections sheet.obj --cache fold.pc2 --picture worst.png " SMALL);
    assert_int_equal(drawn.code, 4);
    assert_non_null(strstr(drawn.out, "wrote worst.png\n"));
    command_release(&drawn);
    assert_ruga(0, NULL, "intersections sheet.obj -q --picture clean.png " SMALL);
    assert_ruga(4, NULL, "intersections sheet.obj ball.obj -q --picture both.png " SMALL);
    assert_true(test_file_exists(test_path("worst.png")));
    assert_true(test_file_exists(test_path("clean.png")));
    assert_true(test_file_exists(test_path("both.png")));
    assert_ruga(1, "nowhere/x.png", "intersections sheet.obj -q --picture nowhere/x.png " SMALL);
}

static void the_answer_does_not_depend_on_threads(void **state) {
    (void)state;
    command_result one = ruga_run("intersections sheet.obj ball.obj --all --threads 1");
    command_result four = ruga_run("intersections sheet.obj ball.obj --all --threads 4");
    assert_string_equal(one.out, four.out);
    command_release(&one);
    command_release(&four);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exit_code_is_4_with_intersections),
        cmocka_unit_test(all_lists_every_place),
        cmocka_unit_test(frames_are_the_stored_samples),
        cmocka_unit_test(frames_are_chosen_by_number_range_or_time),
        cmocka_unit_test(a_run_is_checked_with_all_its_objects),
        cmocka_unit_test(a_run_is_checked_as_its_contact_is),
        cmocka_unit_test(split_seams_are_welded_unless_asked_not_to),
        cmocka_unit_test(unsuitable_input_is_refused_with_advice),
        cmocka_unit_test(a_picture_shows_the_worst_frame),
        cmocka_unit_test(the_answer_does_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
