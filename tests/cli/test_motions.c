/* Motions through the command: caches, sequences and animated glTF into each other. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "support/ruga_command.h"

static ruga_context *context;

enum { FRAMES = 13, RATE = 12 }; /* one second */

static ruga_status sway(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *mesh = user;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        ruga_vec3 p = mesh->positions[v];
        positions[v] = (ruga_vec3){p.x + time, p.y + 0.25 * time * p.x, p.z};
    }
    return RUGA_OK;
}

/* sheet.obj at rest, and sway.pc2 that moves it by 1 m in a second. */
static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    assert_ruga(0, NULL, "make sheet --rows 3 --columns 4 -o sheet.obj -q");
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path("sheet.obj"), NULL, &mesh));
    ruga_file_def def = ruga_file_def_default();
    def.rate = RATE;
    ruga_motion_writer *writer = NULL;
    assert_ok(context, ruga_motion_writer_create(mesh, test_path("sway.pc2"), &def, &writer));
    ruga_vec3 *positions = malloc(mesh->vertex_count * sizeof *positions);
    for (int i = 0; i < FRAMES; i++) {
        double time = (double)i / RATE;
        sway(mesh, time, positions);
        ruga_frame frame = {.time = time, .vertex_count = mesh->vertex_count, .positions = positions};
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
    free(positions);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

/* The motion at a path shows the mesh moved by `time` metres along x at a time. */
static void assert_sways(const char *path, double time) {
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    ruga_file_def def = ruga_file_def_default();
    def.rate = RATE;
    assert_ok(context, ruga_mesh_read(context, test_path("sheet.obj"), NULL, &mesh));
    assert_ok(context, ruga_motion_read(context, test_path(path), mesh, &def, &motion));
    ruga_vec3 *found = malloc(mesh->vertex_count * sizeof *found), *wanted = malloc(mesh->vertex_count * sizeof *found);
    assert_ok(context, ruga_motion_sample(motion, time, found));
    sway(mesh, time, wanted);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        assert_near_case(found[v].x, wanted[v].x, 1e-5, "v %zu", v);
        assert_near_case(found[v].y, wanted[v].y, 1e-5, "v %zu", v);
    }
    free(found);
    free(wanted);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(mesh);
}

static void info_prints_frames_rate_and_times(void **state) {
    (void)state;
    json_document *info = ruga_json(context, 0, "info sway.pc2 --rate 12");
    assert_int_equal((int)json_number_at(info, "vertices"), 20);
    assert_int_equal((int)json_number_at(info, "motion.frames"), FRAMES);
    assert_equal(json_number_at(info, "motion.rate"), RATE);
    assert_near(json_number_at(info, "motion.end"), 1, 1e-9);
    json_destroy(info);
    command_result text = ruga_run("info sway.pc2 --rate 12");
    assert_non_null(strstr(text.out, "motion        0 s to 1 s, 13 frames, 12 per second"));
    command_release(&text);
}

/* Cache to cache to glTF to sequence and back: every format keeps the motion. */
static void a_motion_survives_all_formats(void **state) {
    (void)state;
    static const char *const lines[][2] = {
        {"convert sheet.obj --cache sway.pc2 --rate 12 -o a.mdd -q", "a.mdd"},
        {"convert a.mdd b.pc2 --rate 12 -q", "b.pc2"},
        {"convert sheet.obj --cache b.pc2 --rate 12 -o c.glb -q", "c.glb"},
        {"convert c.glb d.pc2 --rate 12 -q", "d.pc2"},
        {"convert c.glb e_####.obj --rate 12 -q", "e_####.obj"},
        {"convert e_####.obj f.mdd --rate 12 -q", "f.mdd"},
        {"convert sheet.obj --cache c.glb --rate 12 -o g_%%03d.ply -q", "g_%03d.ply"},
        {"convert sheet.obj --cache g_%%03d.ply --rate 12 -o h.gltf -q", "h.gltf"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char line[256];
        snprintf(line, sizeof line, "%s", lines[i][0]);
        for (char *at = line; (at = strstr(at, "%%"));) memmove(at, at + 1, strlen(at));
        assert_ruga(0, NULL, "%s", line);
        assert_sways(lines[i][1], 0);
        assert_sways(lines[i][1], 0.5);
        assert_sways(lines[i][1], 1);
    }
}

/* Still or moving, as the input and the options have it. */
static void usd_is_written_but_not_read(void **state) {
    (void)state;
    size_t size;
    assert_ruga(0, NULL, "convert sheet.obj --cache sway.pc2 --rate 12 -o walk.glb -q");
    assert_ruga(0, NULL, "convert walk.glb walk.usda --rate 12 --out-unit cm --out-up z -q");
    char *walk = read_test_file(test_path("walk.usda"), &size);
    assert_non_null(walk);
    assert_non_null(strstr(walk, "endTimeCode = 12 "));
    assert_non_null(strstr(walk, "timeCodesPerSecond = 12\n"));
    assert_non_null(strstr(walk, "metersPerUnit = 0.01\n"));
    assert_non_null(strstr(walk, "upAxis = \"Z\""));
    assert_non_null(strstr(walk, "points.timeSamples = {\n            0: [("));
    free(walk);
    static const char *const still[2] = {"sheet.obj", "walk.glb --frame 3"};
    for (int i = 0; i < 2; i++) {
        assert_ruga(0, NULL, "convert %s -o still.usda -q", still[i]);
        char *text = read_test_file(test_path("still.usda"), &size);
        assert_non_null(strstr(text, "point3f[] points = [("));
        assert_null(strstr(text, "timeSamples"));
        free(text);
    }
    assert_ruga(3, "USD is written but not read", "info walk.usda");
    assert_ruga(2, "but not x", "convert sheet.obj x.usda --out-up x");
    assert_false(test_file_exists(test_path("x.usda")));
}

/* A run is a motion like others, in whatever unit and axis it was written. */
static void a_run_is_converted_like_other_motions(void **state) {
    (void)state;
    static const char scene[] =
        "{\"time\": {\"fps\": 12, \"frames\": 13}, \"output\": {\"unit\": \"mm\", \"up\": \"z\"}, \"objects\": "
        "[{\"name\": "
        "\"sheet\", \"mesh\": \"sheet.obj\", \"body\": {\"kind\": \"animated\", \"motion\": \"sway.pc2\"}}]}";
    write_test_file(test_path("sway.json"), scene, sizeof scene - 1);
    assert_ruga(0, NULL, "run sway.json -o sway.run -q");
    assert_ruga(0, NULL, "convert sway.run from_run.glb -q");
    assert_sways("from_run.glb", 0.5);
    assert_ruga(0, NULL, "convert sheet.obj --cache sway.run -o from_run.mdd -q");
    assert_sways("from_run.mdd", 1);
    assert_ruga(3, "no object \"pole\"; it has sheet", "convert sway.run x.glb --mesh pole");
}

static void rates_and_frames_are_chosen(void **state) {
    (void)state;
    json_document *all = ruga_json(context, 0, "convert sway.pc2 r.mdd --rate 12 --out-rate 48");
    assert_int_equal((int)json_number_at(all, "frames"), 49);
    json_destroy(all);
    json_document *part = ruga_json(context, 0, "convert sway.pc2 r.mdd --rate 12 --frames 3:6");
    assert_int_equal((int)json_number_at(part, "frames"), 4);
    assert_near(json_number_at(part, "start"), 0.25, 1e-12);
    json_destroy(part);
    assert_sways("r.mdd", 0.5);
    json_document *info = ruga_json(context, 0, "info r.mdd");
    assert_near(json_number_at(info, "motion.start"), 0.25, 1e-6);
    json_destroy(info);
    assert_ruga(2, "--frames takes whole numbers from 0 to 12", "convert sway.pc2 x.mdd --rate 12 --frames 0:13");
    assert_ruga(2, "--frames takes whole numbers from 0 to 12", "convert sway.pc2 x.mdd --rate 12 --frames 0.5:2");
    assert_false(test_file_exists(test_path("x.mdd")));
}

static void a_single_moment_becomes_a_mesh(void **state) {
    (void)state;
    assert_ruga(0, NULL, "convert sheet.obj --cache sway.pc2 --rate 12 --time 0.5 -o moment.obj -q");
    assert_ruga(2, "--frame takes 0 to 12 here, not '13'",
                "convert sheet.obj --cache sway.pc2 --rate 12 --frame 13 -o x.obj");
    assert_ruga(0, NULL, "convert sheet.obj --cache sway.pc2 --rate 12 --frame 6 -o frame.ply -q");
    json_document *rest = ruga_json(context, 0, "info sheet.obj");
    json_document *time = ruga_json(context, 0, "info moment.obj"), *frame = ruga_json(context, 0, "info frame.ply");
    assert_near(json_number_at(time, "low.0"), json_number_at(rest, "low.0") + 0.5, 1e-6);
    assert_near(json_number_at(frame, "low.0"), json_number_at(rest, "low.0") + 0.5, 1e-6);
    json_destroy(rest);
    json_destroy(time);
    json_destroy(frame);
}

static void static_or_unfitting_motions_are_refused(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make disc -o disc.obj -q");
    assert_ruga(2, "it has no motion", "convert sheet.obj x.pc2");
    assert_ruga(2, "--frame and --time need a mesh that moves", "convert sheet.obj x.obj --time 1");
    assert_ruga(3, "sway.pc2", "convert disc.obj --cache sway.pc2 -o x.glb");
    assert_ruga(3, "missing.pc2", "convert sheet.obj --cache missing.pc2 -o x.glb");
    assert_ruga(0, NULL, "convert sheet.obj --cache sway.pc2 -o moving.glb -q");
    assert_ruga(0, NULL, "convert moving.glb --animation 0 -o chosen.pc2 -q");
    assert_ruga(3, "no animation \"run\"", "convert moving.glb --animation run -o x.pc2");
    assert_ruga(1, "no_folder/x.mdd", "convert sway.pc2 no_folder/x.mdd");
    assert_ruga(2, "only a mesh can be written to standard output", "convert sway.pc2 --format mdd -o -");
    assert_ruga(2, "go together", "render sheet.obj --eye 1,1,1 -o x.png");
}

/* A GLB of morph targets is large: its size is said first, unless nothing is to be said. */
static void the_size_of_a_large_glb_is_noted_before_writing(void **state) {
    skip_unless_long();
    (void)state;
    skip_when_sanitized();
    assert_ruga(0, NULL, "make sheet --rows 99 --columns 99 -o large.obj -q");
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path("large.obj"), NULL, &mesh));
    size_t frames = 1;
    while (frames < 5000 && ruga_motion_written_size(mesh, frames, RUGA_FORMAT_GLB) < 101000000) frames += 50;
    ruga_file_def def = ruga_file_def_default();
    ruga_motion_writer *writer = NULL;
    assert_ok(context, ruga_motion_writer_create(mesh, test_path("still.pc2"), &def, &writer));
    ruga_frame frame = {.vertex_count = mesh->vertex_count, .positions = mesh->positions};
    assert_ok(context, ruga_motion_writer_append(writer, &frame));
    assert_ok(context, ruga_motion_writer_append(writer, &frame));
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
    /* Two frames at 1 a second, written at a rate that makes them many; a full device of that name ends it early. */
    assert_int_equal(symlink("/dev/full", test_path("large.glb")), 0);
    command_result large = ruga_run("convert large.obj --cache still.pc2 --rate 1 --out-rate %zu -o large.glb", frames);
    assert_int_equal(large.code, 1);
    assert_non_null(strstr(large.err, "ruga: note: large.glb will take 10"));
    assert_non_null(strstr(large.err, " MB\n"));
    command_release(&large);
    assert_ruga(1, "large.glb", "convert large.obj --cache still.pc2 --rate 1 --out-rate %zu -o large.glb -q", frames);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_prints_frames_rate_and_times),
        cmocka_unit_test(a_motion_survives_all_formats),
        cmocka_unit_test(usd_is_written_but_not_read),
        cmocka_unit_test(rates_and_frames_are_chosen),
        cmocka_unit_test(a_single_moment_becomes_a_mesh),
        cmocka_unit_test(static_or_unfitting_motions_are_refused),
        cmocka_unit_test(the_size_of_a_large_glb_is_noted_before_writing),
        cmocka_unit_test(a_run_is_converted_like_other_motions),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
