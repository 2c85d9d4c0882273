/* ruga wrinkle: every kind of body in, every kind of file out, frames by themselves, and all that can be wrong. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "io/glb_builder.h"
#include "support/ruga_command.h"

static ruga_context *context;

enum { COLUMNS = 8, ROWS = 6, FRAMES = 7, RATE = 24, BASE_COUNT = (COLUMNS + 1) * (ROWS + 1) };
enum { FINE_COUNT = (4 * COLUMNS + 1) * (4 * ROWS + 1) };

/* A sheet that is pressed together along x, by a quarter in the end. */
static void press(const ruga_mesh *mesh, int frame, ruga_vec3 *positions) {
    double part = 1 - 0.25 * frame / (FRAMES - 1);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        ruga_vec3 p = mesh->positions[v];
        positions[v] = (ruga_vec3){part * p.x, p.y, p.z};
    }
}

static ruga_mesh *read_mesh(const char *name) {
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path(name), NULL, &mesh));
    return mesh;
}

static void write_cache(const char *name) {
    ruga_mesh *mesh = read_mesh("sheet.obj");
    ruga_file_def def = ruga_file_def_default();
    ruga_motion_writer *writer = NULL;
    ruga_vec3 positions[BASE_COUNT];
    assert_int_equal(mesh->vertex_count, BASE_COUNT);
    assert_ok(context, ruga_motion_writer_create(mesh, test_path(name), &def, &writer));
    for (int i = 0; i < FRAMES; i++) {
        press(mesh, i, positions);
        ruga_frame frame = {.time = (double)i / RATE, .vertex_count = BASE_COUNT, .positions = positions};
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(mesh);
}

static const char scene_text[] =
    "{\"time\": {\"frames\": 7}, \"output\": {\"formats\": [\"pc2\"], \"unit\": \"cm\", \"up\": \"z\"},\n"
    " \"objects\": [{\"name\": \"sheet\", \"mesh\": \"sheet.obj\",\n"
    "                \"body\": {\"kind\": \"animated\", \"motion\": \"press.pc2\"}}]}";

/* sheet.obj at rest, press.pc2 with its motion, and the same in all other formats. */
static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    assert_ruga(0, NULL, "make sheet --columns %d --rows %d -o sheet.obj -q", COLUMNS, ROWS);
    write_cache("press.pc2");
    write_cache("press.mdd");
    assert_ruga(0, NULL, "convert sheet.obj --cache press.pc2 -o press.glb -q");
    assert_ruga(0, NULL, "convert sheet.obj --cache press.pc2 -o press_####.obj -q");
    write_test_file(test_path("scene.json"), scene_text, sizeof scene_text - 1);
    assert_ruga(0, NULL, "run scene.json -o press.run -q");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

/* ---- Results. */

static const ruga_vec3 *outcome_frame(outcome *o, int frame) {
    double start = ruga_motion_get_info(o->motion).start;
    assert_ok(context, ruga_motion_sample(o->motion, start + (double)frame / RATE, o->positions));
    return o->positions;
}

static double distance(ruga_vec3 a, ruga_vec3 b) { return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z); }

/* Extent along y, at right angles to the sheet. */
static double height(const ruga_vec3 *positions, size_t count) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, positions[i].y);
        high = fmax(high, positions[i].y);
    }
    return high - low;
}

/* Both have the same frames, but for the rounding of their files. */
static void assert_same_motion(const char *mesh, const char *motion, const char *other_mesh, const char *other) {
    outcome a = open_outcome(context, mesh, motion), b = open_outcome(context, other_mesh, other);
    assert_int_equal(a.mesh->vertex_count, b.mesh->vertex_count);
    assert_int_equal(ruga_motion_get_info(a.motion).sample_count, FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        const ruga_vec3 *p = outcome_frame(&a, i), *q = outcome_frame(&b, i);
        for (size_t v = 0; v < a.mesh->vertex_count; v++)
            assert_less_case(distance(p[v], q[v]), 2e-6, "i %d, v %zu", i, v);
    }
    close_outcome(&a);
    close_outcome(&b);
}

/* ---- Bodies. */

/* Without room to move, a linear surface is the body with its edges cut. */
static void without_a_radius_the_result_is_the_body_with_its_vertices_first(void **state) {
    (void)state;
    assert_ruga(0, NULL, "wrinkle sheet.obj --no-fit --cache press.pc2 --radius 0 --surface linear -o still.pc2 -q");
    outcome o = open_outcome(context, "still.obj", "still.pc2");
    ruga_mesh *base = read_mesh("sheet.obj");
    ruga_vec3 expected[BASE_COUNT];
    assert_int_equal(o.mesh->vertex_count, FINE_COUNT);
    assert_non_null(ruga_mesh_attribute(o.mesh, "uv", RUGA_DOMAIN_CORNER));
    for (int i = 0; i < FRAMES; i++) {
        const ruga_vec3 *p = outcome_frame(&o, i);
        press(base, i, expected);
        for (size_t v = 0; v < BASE_COUNT; v++)
            assert_less_case(distance(p[v], expected[v]), 1e-6, "i %d, v %zu", i, v);
        assert_less_case(height(p, FINE_COUNT), 1e-6, "i %d", i);
    }
    ruga_mesh_destroy(base);
    close_outcome(&o);
}

static void every_kind_of_body_gives_the_same_frames(void **state) {
    (void)state;
    static const char *const bodies[] = {"sheet.obj --cache press.mdd",
                                         "press.glb",
                                         "press_####.obj",
                                         "press.run",
                                         "sheet.obj --cache press.run",
                                         "sheet.obj --cache press.glb",
                                         "sheet.obj --cache press_####.obj",
                                         "press.run --mesh sheet",
                                         "press_0001.obj --cache press.pc2"};
    assert_ruga(0, NULL, "wrinkle sheet.obj --no-fit --cache press.pc2 --radius 0 -o from_pc2.pc2 -q");
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        assert_ruga(0, NULL, "wrinkle %s --no-fit --radius 0 -o other.pc2 -q", bodies[i]);
        assert_same_motion("from_pc2.obj", "from_pc2.pc2", "other.obj", "other.pc2");
    }
}

/* A strip of two quads along y with a bone in each; the upper one, "elbow", turns by a quarter. `weight` is of
 * vertex 4. */
static void write_skin(const char *name, float weight, float seconds) {
    static const float strip[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0};
    static const uint16_t faces[12] = {0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4};
    static const uint8_t joints[24] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};
    static const float inverse[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,
                                      1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1};
    const float times[2] = {0, seconds};
    const float turn[8] = {0, 0, 0, 1, (float)sqrt(0.5), 0, 0, (float)sqrt(0.5)};
    const float weights[24] = {1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f, 0, 0, 0, weight, 0, 0, 0, 1, 0, 0};
    glb *g = calloc(1, sizeof *g);
    glb_floats(g, "VEC3", 6, strip);
    glb_indices(g, 12, faces);
    glb_accessor(g, "VEC4", GLB_U8, 6, joints, 24, "");
    glb_floats(g, "VEC4", 6, weights);
    glb_floats(g, "MAT4", 2, inverse);
    glb_floats(g, "SCALAR", 2, times);
    glb_floats(g, "VEC4", 2, turn);
    glb_save(
        g,
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3},\"indices\":1"
        "}]}],\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":4}],\"nodes\":[{\"mesh\":0,\"skin\":0},{\"name\":"
        "\"shoulder\",\"children\":[2]},{\"name\":\"elbow\",\"translation\":[0,1,0]}],\"scenes\":[{\"nodes\":[0,1]}],"
        "\"animations\":[{\"samplers\":[{\"input\":5,\"output\":6}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":"
        "2,"
        "\"path\":\"rotation\"}}]}]",
        test_path(name));
    free(g);
}

static int same_files(const char *a, const char *b) {
    size_t sizes[2];
    char *bytes[2] = {read_test_file(test_path(a), &sizes[0]), NULL};
    bytes[1] = read_test_file(test_path(b), &sizes[1]);
    const int same = sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0;
    free(bytes[0]);
    free(bytes[1]);
    return same;
}

/* Limits that the paper lacks are off, but for options that are given. */
static void without_fitting_the_defaults_are_those_of_the_paper(void **state) {
    (void)state;
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit -o plain.pc2 -q");
    assert_ruga(0, NULL,
                "wrinkle press.glb --no-fit --calm 0 --squeeze 0 --upright false --crease-angle 180 -o named.pc2 -q");
    assert_true(same_files("plain.pc2", "named.pc2"));
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit --calm 1 -o calm.pc2 -q");
    assert_false(same_files("plain.pc2", "calm.pc2"));
    command_result r = ruga_run("wrinkle press.glb --solver projection -o p.glb");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "--solver projection: nothing is chosen from the motion"));
    command_release(&r);
}

static void a_skin_carries_the_fine_mesh(void **state) {
    (void)state;
    write_skin("skin.glb", 1, 0.25f);
    assert_ruga(0, NULL, "wrinkle skin.glb --no-fit --radius 0 --surface linear -o skin.pc2 -q");
    outcome o = open_outcome(context, "skin.obj", "skin.pc2");
    assert_int_equal(ruga_motion_get_info(o.motion).sample_count, 7); /* a quarter of a second */
    const ruga_vec3 *p = outcome_frame(&o, 6);
    /* The part above the elbow is now in front of it. */
    assert_less(distance(p[4], (ruga_vec3){0, 1, 1}), 1e-6);
    assert_less(distance(p[5], (ruga_vec3){1, 1, 1}), 1e-6);
    assert_less(distance(p[0], (ruga_vec3){0, 0, 0}), 1e-6);
    close_outcome(&o);
}

static void broken_weights_of_a_skin_name_vertex_and_bone(void **state) {
    (void)state;
    write_skin("broken.glb", NAN, 1);
    assert_ruga(3, "vertex 4 of the file has the skin weight nan of joint 1 (elbow)", "wrinkle broken.glb -o x.glb");
    write_skin("broken.glb", -0.25f, 1);
    assert_ruga(3, "vertex 4 of the file has the skin weight -0.25 of joint 1 (elbow)", "wrinkle broken.glb -o x.glb");
    write_skin("odd.glb", 0.25f, 1);
    command_result r = ruga_run("wrinkle odd.glb --no-fit -o odd_out.glb");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.err, "do not sum to 1, most of all those of vertex 4 of the file, which sum to 0.25"));
    command_release(&r);
}

/* A length that is lost along x is found again in wrinkles across it, as far as the radius lets them. */
static void compressed_regions_wrinkle_within_the_radius(void **state) {
    (void)state;
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit --radius 0.02 --pre-stretch 1 -o wrinkled.pc2 -q");
    outcome o = open_outcome(context, "wrinkled.obj", "wrinkled.pc2");
    assert_less(height(outcome_frame(&o, 0), FINE_COUNT), 1e-3);
    assert_less(5e-3, height(outcome_frame(&o, FRAMES - 1), FINE_COUNT));
    assert_less(height(outcome_frame(&o, FRAMES - 1), FINE_COUNT), 0.0401);
    close_outcome(&o);
}

/* ---- Files. */

static void every_kind_of_file_has_the_same_frames(void **state) {
    (void)state;
    static const char *const files[][2] = {{"out.mdd", "out.obj"},
                                           {"out.glb", "out.glb"},
                                           {"out.gltf", "out.gltf"},
                                           {"f_####.obj", "f_0001.obj"},
                                           {"f_####.ply", "f_0001.ply"}};
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit -o out.pc2 -q");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_ruga(0, NULL, "wrinkle press.glb --no-fit -o %s -q", files[i][0]);
        outcome a = open_outcome(context, "out.obj", "out.pc2"), b = open_outcome(context, files[i][1], files[i][0]);
        for (int k = 0; k < FRAMES; k++) {
            const ruga_vec3 *p = outcome_frame(&a, k), *q = outcome_frame(&b, k);
            for (size_t v = 0; v < FINE_COUNT; v++)
                assert_less_case(distance(p[v], q[v]), 2e-6, "i %zu, k %d, v %zu", i, k, v);
        }
        close_outcome(&a);
        close_outcome(&b);
    }
}

static void usd_has_all_frames_in_its_own_unit_and_axis(void **state) {
    (void)state;
    size_t size;
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit --frames 1:3 --out-unit cm --out-up z -o out.usda -q");
    char *text = read_test_file(test_path("out.usda"), &size);
    assert_non_null(strstr(text, "metersPerUnit = 0.01\n"));
    assert_non_null(strstr(text, "startTimeCode = 1\n"));
    assert_non_null(strstr(text, "endTimeCode = 3"));
    free(text);
}

static void groups_and_materials_are_carried(void **state) {
    (void)state;
    static const char two[] =
        "v 0 0 0\nv 1 0 0\nv 1 0 -1\nv 0 0 -1\ng left\nusemtl red\nf 1 2 3\ng right\nusemtl blue\nf 1 3 4\n";
    write_test_file(test_path("two_1.obj"), two, sizeof two - 1);
    write_test_file(test_path("two_2.obj"), two, sizeof two - 1);
    assert_ruga(0, NULL, "wrinkle two_#.obj --no-fit --subdivide 2 -o parts.pc2 -q");
    ruga_mesh *mesh = read_mesh("parts.obj");
    assert_int_equal(mesh->triangle_count, 8);
    static const char *const names[2][3] = {{"group", "left", "right"}, {"material", "red", "blue"}};
    for (int i = 0; i < 2; i++) {
        const ruga_attribute *labels = ruga_mesh_attribute(mesh, names[i][0], RUGA_DOMAIN_FACE);
        assert_non_null(labels);
        assert_string_equal(labels->labels[(size_t)ruga_attribute_get(labels, 0, 0)], names[i][1]);
        assert_string_equal(labels->labels[(size_t)ruga_attribute_get(labels, 7, 0)], names[i][2]);
    }
    ruga_mesh_destroy(mesh);
}

/* ---- Frames by themselves. */

static void assert_same_bytes(const char *a, const char *b) {
    size_t one, other;
    char *p = read_test_file(test_path(a), &one), *q = read_test_file(test_path(b), &other);
    assert_true(p && q && one == other && memcmp(p, q, one) == 0);
    free(p);
    free(q);
}

static void a_settled_frame_is_the_same_alone_and_in_any_range(void **state) {
    (void)state;
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit --settle -o all_#.ply -q");
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit --settle --frames 3:5 -o some_#.ply -q");
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit --frame 4 -o alone.ply -q");
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit --frame 4 --threads 1 -o again.ply -q");
    assert_same_bytes("all_5.ply", "alone.ply");
    assert_same_bytes("some_2.ply", "alone.ply");
    assert_same_bytes("again.ply", "alone.ply");
    /* Frames of a motion start from the previous frame. */
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit --settle false -o moving_#.ply -q");
    assert_same_bytes("moving_1.ply", "all_1.ply");
    size_t one, other;
    char *p = read_test_file(test_path("moving_7.ply"), &one), *q = read_test_file(test_path("all_7.ply"), &other);
    assert_true(one == other && memcmp(p, q, one) != 0);
    free(p);
    free(q);
}

static void a_range_of_frames_keeps_its_times(void **state) {
    (void)state;
    json_document *report = ruga_json(context, 0, "wrinkle press.run --no-fit --frames 2:5 -o range.mdd");
    assert_int_equal((int)json_number_at(report, "frames"), 4);
    assert_int_equal((int)json_number_at(report, "first_frame"), 2);
    assert_int_equal((int)json_number_at(report, "vertices"), FINE_COUNT);
    assert_int_equal((int)json_number_at(report, "base_triangles"), 2 * COLUMNS * ROWS);
    assert_near(json_number_at(report, "start"), 2.0 / RATE, 1e-9);
    json_destroy(report);
    outcome o = open_outcome(context, "range.obj", "range.mdd");
    ruga_motion_info info = ruga_motion_get_info(o.motion);
    assert_int_equal(info.sample_count, 4);
    assert_near(info.start, 2.0 / RATE, 1e-6);
    assert_near(info.end, 5.0 / RATE, 1e-6);
    close_outcome(&o);
    assert_ruga(2, "from 0 to 6 here, not '2:60': press.pc2 has 7 frames",
                "wrinkle sheet.obj --no-fit --cache press.pc2 --frames 2:60 -o long.glb");
    assert_ruga(2, "--frame takes whole numbers from 0 to 6", "wrinkle press.glb --no-fit --frame 7 -o late.obj");
    assert_false(test_file_exists(test_path("long.glb")) || test_file_exists(test_path("late.obj")));
}

/* ---- Options. */

static void painted_radii_hold_some_vertices_and_free_others(void **state) {
    (void)state;
    skip_when_sanitized();
    assert_ruga(
        0, NULL,
        "wrinkle press.glb --no-fit --radius '{\"attribute\": \"uv\", \"from\": 0, \"to\": 0.03}' --wavelength 0 "
        "--pre-stretch 1 "
        "--settle -o painted.pc2 -q");
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit --radius 0 -o held.pc2 -q");
    outcome o = open_outcome(context, "painted.obj", "painted.pc2"),
            held = open_outcome(context, "held.obj", "held.pc2");
    const ruga_vec3 *p = outcome_frame(&o, FRAMES - 1), *rest = outcome_frame(&held, FRAMES - 1);
    double furthest = 0;
    for (size_t v = 0; v < FINE_COUNT; v++) {
        double u = o.mesh->positions[v].x - o.mesh->positions[0].x; /* the sheet is 1 m wide */
        double radius = 0.03 * u, offset = distance(p[v], rest[v]);
        assert_at_most_case(offset, radius + 1e-5, "v %zu", v);
        furthest = fmax(furthest, offset);
    }
    assert_less(0.005, furthest);
    close_outcome(&o);
    close_outcome(&held);
}

/* Times of keys are those of the motion. */
static void keyed_radii_follow_the_time_of_the_body(void **state) {
    (void)state;
    assert_ruga(
        0, NULL,
        "wrinkle press_####.obj --no-fit --start 2 --radius '{\"keys\": [[2.15, 0], [2.25, 0.03]]}' --pre-stretch 1 -o "
        "keyed.mdd -q");
    outcome o = open_outcome(context, "keyed.obj", "keyed.mdd");
    assert_near(ruga_motion_get_info(o.motion).start, 2, 1e-6);
    assert_less(height(outcome_frame(&o, 3), FINE_COUNT), 1e-6);
    assert_less(2e-3, height(outcome_frame(&o, FRAMES - 1), FINE_COUNT));
    close_outcome(&o);
}

static void along_normals_only_nothing_moves_sideways(void **state) {
    (void)state;
    assert_ruga(0, NULL,
                "wrinkle press.glb --no-fit --normal-only --radius 0.02 --pre-stretch 1 --settle -o normal.pc2 -q");
    outcome o = open_outcome(context, "normal.obj", "normal.pc2"), held;
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit --radius 0 -o held.pc2 -q");
    held = open_outcome(context, "held.obj", "held.pc2");
    const ruga_vec3 *p = outcome_frame(&o, FRAMES - 1), *rest = outcome_frame(&held, FRAMES - 1);
    for (size_t v = 0; v < FINE_COUNT; v++) {
        assert_near_case(p[v].x, rest[v].x, 2e-6, "v %zu", v);
        assert_near_case(p[v].z, rest[v].z, 2e-6, "v %zu", v);
    }
    assert_less(5e-3, height(p, FINE_COUNT));
    close_outcome(&o);
    close_outcome(&held);
}

static void a_fine_mesh_comes_from_three_sources(void **state) {
    (void)state;
    json_document *report = ruga_json(context, 0, "wrinkle press.glb --no-fit --subdivide 2 -o three.glb");
    assert_int_equal((int)json_number_at(report, "triangles"), 4 * 2 * COLUMNS * ROWS);
    json_destroy(report);
    report = ruga_json(context, 0, "wrinkle press.glb --no-fit --edge-length 0.05 -o three.glb");
    assert_less(4 * 2 * COLUMNS * ROWS, json_number_at(report, "triangles"));
    json_destroy(report);
    /* An artist's mesh in another unit than the body's. */
    assert_ruga(0, NULL, "make sheet --columns 11 --rows 13 -o fine_m.obj -q");
    assert_ruga(0, NULL, "convert fine_m.obj fine.obj --out-unit cm -q");
    assert_ruga(0, NULL, "wrinkle press.glb --no-fit --fine fine.obj --fine-unit cm --radius 0 -o three.pc2 -q");
    outcome o = open_outcome(context, "three.obj", "three.pc2");
    assert_int_equal(o.mesh->vertex_count, 12 * 14);
    const ruga_vec3 *p = outcome_frame(&o, FRAMES - 1);
    for (size_t v = 0; v < 12 * 14; v++) assert_near_case(p[v].x, 0.75 * o.mesh->positions[v].x, 1e-5, "v %zu", v);
    close_outcome(&o);
    /* The unit of the input is that of the fine mesh too. */
    assert_ruga(0, NULL, "convert sheet.obj sheet_cm.obj --out-unit cm -q");
    assert_ruga(0, NULL, "convert sheet.obj --cache press.pc2 --out-unit cm -o press_cm.pc2 -q");
    assert_ruga(0, NULL,
                "wrinkle sheet_cm.obj --no-fit --cache press_cm.pc2 --unit cm --fine fine.obj --radius 0 -o cm.pc2 -q");
    assert_same_motion("three.obj", "three.pc2", "cm.obj", "cm.pc2");
}

static void too_large_radii_are_reported_with_the_worst_place(void **state) {
    (void)state;
    command_result r = ruga_run("wrinkle press.glb --no-fit --radius 0.1 -o wide.glb");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.err, "the radius exceeds half the average edge around"));
    command_release(&r);
    r = ruga_run("wrinkle press.glb --no-fit -o wide.glb");
    assert_int_equal(r.code, 0);
    assert_null(strstr(r.err, "radius"));
    assert_non_null(strstr(r.err, "the wavelength of 0.25 m exceeds a tenth of the body, 1.41 m across"));
    assert_non_null(strstr(r.out, "wrote wide.glb: 7 frames of 825 vertices and 1,536 triangles, on 96 of the body\n"));
    command_release(&r);
}

static void automatic_wavelength_and_radius_are_reported_with_their_origin(void **state) {
    (void)state;
    const struct {
        const char *options, *report;
    } cases[] = {
        {"", "wavelength: 0.25 m, one and a half average edges of the body\nradius: 0.0398 m, what such waves need\n"},
        {"--wavelength 0.3", "wavelength: 0.3 m, as asked\nradius: 0.0477 m, what such waves need\n"},
        {"--radius uv", "radius: 0 to 0.0398 m, as painted, a factor of what such waves need\n"},
        {"--radius 0.02", "radius: 0.02 m, in metres, as given\n"},
        {"--subdivide 2", "five average edges of the fine mesh, which is too coarse for shorter waves\n"},
        {"--wavelength 0", "wavelength: none\nradius: 0.0208 m, half the average edge of the fine mesh\n"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        command_result r = ruga_run("wrinkle press.glb --no-fit %s --frame 0 -o report.obj", cases[k].options);
        assert_int_equal(r.code, 0);
        fail_if(!strstr(r.out, cases[k].report), "%s: %s", cases[k].options, r.out);
        command_release(&r);
    }
    json_document *report =
        ruga_json(context, 0, "wrinkle press.glb --no-fit --wavelength 0.3 --frame 0 -o report.obj");
    assert_near(json_number_at(report, "wavelength"), 0.3, 1e-12);
    assert_near(json_number_at(report, "greatest_radius"), 0.15 / 3.14159265358979, 1e-6);
    json_destroy(report);
}

/* ---- Choices from the motion. */

/* The sheet is compressed along x: wavelength and subdivision fit its size, and the report says why. */
static void defaults_are_chosen_from_the_motion_and_reported(void **state) {
    (void)state;
    command_result r = ruga_run("wrinkle press.glb -o fitted.glb");
    assert_int_equal(r.code, 0);
    assert_string_equal(r.err, "");
    assert_non_null(strstr(r.out, "m, chosen from the motion\n"));
    assert_non_null(strstr(r.out, "motion: 100 % of the surface is compressed"));
    assert_non_null(strstr(r.out, "wavelength: a twelfth of the body's size\n"));
    command_release(&r);
    json_document *report = ruga_json(context, 0, "wrinkle press.glb --draft -o fitted.glb");
    assert_less(json_number_at(report, "wavelength"), 0.1 * 1.42);
    assert_less(0, json_number_at(report, "fit.compression"));
    assert_less(json_number_at(report, "fit.pre_stretch"), 1);
    json_destroy(report);
}

/* Options count; half the strength is half the height. */
static void strength_scales_the_height_of_wrinkles(void **state) {
    (void)state;
    double heights[3];
    static const char *const strengths[] = {"1", "0.5", "0"};
    for (int k = 0; k < 3; k++) {
        assert_ruga(0, NULL, "wrinkle press.glb --subdivide 4 --strength %s -o strong.pc2 -q", strengths[k]);
        outcome o = open_outcome(context, "strong.obj", "strong.pc2");
        heights[k] = height(outcome_frame(&o, FRAMES - 1), FINE_COUNT);
        close_outcome(&o);
    }
    assert_less(5e-3, heights[0]);
    assert_near(heights[1], 0.5 * heights[0], 1e-5);
    assert_less(heights[2], 1e-6);
}

static void a_motion_without_compression_is_reported_with_a_cure(void **state) {
    (void)state;
    assert_ruga(0, NULL, "make sheet --columns 6 --rows 6 -o still_0.obj -q");
    assert_ruga(0, NULL, "make sheet --columns 6 --rows 6 -o still_1.obj -q");
    assert_ruga(3, "--strength 2 gives wrinkles without compression", "wrinkle still_#.obj -o still.glb");
    command_result r = ruga_run("wrinkle still_#.obj --strength 2 -o still.pc2");
    assert_int_equal(r.code, 0);
    command_release(&r);
    command_result large = ruga_run("wrinkle still_#.obj --strength 2 --unit 100 -o still.pc2");
    assert_non_null(strstr(large.err, "m across; check --unit"));
    command_release(&large);
}

/* ---- Bad frames. */

/* press.pc2 with frames whose vertex 5 is not finite. */
static void write_broken(const char *name, const int *frames, int count) {
    size_t size;
    char *bytes = read_test_file(test_path("press.pc2"), &size);
    const float nothing = NAN;
    for (int i = 0; i < count; i++)
        memcpy(bytes + 32 + 12 * ((size_t)frames[i] * BASE_COUNT + 5), &nothing, sizeof nothing);
    write_test_file(test_path(name), bytes, size);
    free(bytes);
}

static void a_bad_frame_is_reported_and_nothing_is_written(void **state) {
    (void)state;
    write_broken("broken.pc2", (const int[]){3}, 1);
    assert_ruga(3, "broken.pc2: frame 3: vertex 5 is at (nan, 0, ",
                "wrinkle sheet.obj --no-fit --cache broken.pc2 -o bad.glb");
    assert_ruga(3, "--skip-bad replaces bad frames by the last good one",
                "wrinkle sheet.obj --no-fit --cache broken.pc2 -o bad.pc2");
    assert_false(test_file_exists(test_path("bad.glb")) || test_file_exists(test_path("bad.pc2")) ||
                 test_file_exists(test_path("bad.obj")));
}

static void skipped_frames_are_replaced_by_the_last_good_one_and_listed(void **state) {
    (void)state;
    write_broken("broken.pc2", (const int[]){0, 3, 4}, 3);
    command_result r = ruga_run("wrinkle sheet.obj --no-fit --cache broken.pc2 --skip-bad --radius 0 -o held_over.pc2");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.err, "frame 0 is bad: vertex 5 is at (nan"));
    assert_non_null(strstr(r.err, "frame 1 is used instead"));
    assert_non_null(strstr(r.err, "frame 2 is used instead"));
    assert_non_null(strstr(r.out, "bad frames that were replaced: 0, 3, 4\n"));
    command_release(&r);
    assert_ruga(0, NULL, "wrinkle sheet.obj --no-fit --cache press.pc2 --radius 0 -o good.pc2 -q");
    outcome o = open_outcome(context, "held_over.obj", "held_over.pc2"),
            good = open_outcome(context, "good.obj", "good.pc2");
    static const int shown[FRAMES] = {1, 1, 2, 2, 2, 5, 6};
    for (int i = 0; i < FRAMES; i++)
        assert_memory_equal(outcome_frame(&o, i), outcome_frame(&good, shown[i]), FINE_COUNT * sizeof(ruga_vec3));
    close_outcome(&o);
    close_outcome(&good);
    json_document *report =
        ruga_json(context, 0, "wrinkle sheet.obj --no-fit --cache broken.pc2 --skip-bad -o bad.glb");
    assert_int_equal((int)json_number_at(report, "bad_frames.2"), 4);
    json_destroy(report);
    write_broken("broken.pc2", (const int[]){0, 1, 2, 3, 4, 5, 6}, FRAMES);
    assert_ruga(3, "no frame from 0 on is good",
                "wrinkle sheet.obj --no-fit --cache broken.pc2 --skip-bad -o none.glb -q");
}

static void a_frame_with_another_number_of_vertices_is_bad(void **state) {
    (void)state;
    assert_ruga(0, NULL, "convert sheet.obj --cache press.pc2 -o odd_####.obj -q");
    assert_ruga(0, NULL, "make sheet --columns 2 --rows 2 -o odd_0004.obj -q");
    assert_ruga(3, "frame 3: ", "wrinkle odd_####.obj --no-fit -o odd.glb");
    assert_ruga(3, "odd_0004.obj: this file has 9 vertices, but the mesh has 63",
                "wrinkle odd_####.obj --no-fit -o odd.glb");
    json_document *report = ruga_json(context, 0, "wrinkle odd_####.obj --no-fit --skip-bad -o odd.glb -q");
    assert_int_equal((int)json_number_at(report, "bad_frames.0"), 3);
    json_destroy(report);
}

/* ---- Ctrl-C. */

/* Millions of frames; it is stopped when its file has appeared under the name that it has until it is whole. */
static void an_interrupted_command_leaves_nothing_behind(void **state) {
    (void)state;
    static const char *const endless[] = {"wrinkle", "long.glb", "--no-fit", "--rate", "10000", "-o", "long.mdd", NULL};
    write_skin("long.glb", 1, 1000);
    const size_t before = test_folder_entry_count();
    const int nowhere = open("/dev/null", O_WRONLY);
    const int process = ruga_start(endless, nowhere);
    for (int i = 0; i < 12000 && test_folder_entry_count() == before; i++) usleep(10000);
    assert_less(before, test_folder_entry_count());
    kill(process, SIGINT);
    assert_int_equal(command_wait(process), 130);
    close(nowhere);
    assert_int_equal(test_folder_entry_count(), before);
}

/* ---- Mistakes. */

static void mistakes_are_reported_before_writing(void **state) {
    (void)state;
    assert_ruga(2, "expected one body that moves", "wrinkle -o out.glb");
    assert_ruga(2, "expected one body that moves", "wrinkle press.glb --no-fit sheet.obj -o out.glb");
    assert_ruga(2, "give the output", "wrinkle press.glb --no-fit");
    assert_ruga(2, "holds a single mesh; write a sequence", "wrinkle press.glb --no-fit -o x.obj");
    assert_ruga(2, "only a single frame can be written to standard output",
                "wrinkle press.glb --no-fit -o - "
                "--format glb");
    assert_ruga(3, "sheet.obj: it has no motion", "wrinkle sheet.obj -o x.glb");
    assert_ruga(3, "a cache has points without faces", "wrinkle press.pc2 -o x.glb");
    assert_ruga(3, "it has 63 points, but the mesh has 9 vertices", "wrinkle odd_0004.obj --cache press.pc2 -o x.glb");
    assert_ruga(3, "no object \"skirt\"; it has sheet", "wrinkle press.run --no-fit --mesh skirt -o x.glb");
    assert_ruga(2, "--radius: ", "wrinkle press.glb --no-fit --radius -1 -o x.glb");
    assert_ruga(3, "allowed is 0 to 1", "wrinkle press.glb --no-fit --wavelength 0 --bending 2 -o x.glb");
    assert_ruga(2, "must be within 0 and 1", "wrinkle press.glb --no-fit --bending -1 -o x.glb");
    assert_ruga(2, "--side takes one of both, outside, neighbourhood",
                "wrinkle press.glb --no-fit --side inside -o x.glb");
    assert_ruga(3, "error: object \"body\": details[0].radius: the mesh has no vertex attribute \"mask\"",
                "wrinkle press.glb --no-fit --radius mask -o x.glb");
    assert_ruga(3, "nofile.obj", "wrinkle press.glb --no-fit --fine nofile.obj -o x.glb");
    assert_ruga(2, "press.pc2: is read, so it can't be written",
                "wrinkle sheet.obj --no-fit --cache press.pc2 -o press.pc2");
    assert_ruga(2, "sheet.obj: is read, so it can't be written",
                "wrinkle sheet.obj --no-fit --cache press.pc2 -o sheet.pc2");
    assert_false(test_file_exists(test_path("x.glb")));
}

/* It is left out with a warning; a body of nothing else is an error. */
static void a_triangle_without_area_is_left_out(void **state) {
    (void)state;
    static const char flat[] = "v 0 0 0\nv 1 0 0\nv 1 0 -1\nv 2 0 0\nf 1 2 3\nf 1 2 4\n";
    write_test_file(test_path("flat_1.obj"), flat, sizeof flat - 1);
    write_test_file(test_path("flat_2.obj"), flat, sizeof flat - 1);
    command_result r = ruga_run("wrinkle flat_#.obj --no-fit --subdivide 2 -o flat.pc2");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.err, "1 triangle has no area at rest and is left out: face 1"));
    command_release(&r);
    ruga_mesh *fine = read_mesh("flat.obj");
    assert_int_equal(fine->triangle_count, 4);
    assert_int_equal(fine->vertex_count, 4 + 3);
    ruga_mesh_destroy(fine);
    static const char none[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n";
    write_test_file(test_path("none_1.obj"), none, sizeof none - 1);
    write_test_file(test_path("none_2.obj"), none, sizeof none - 1);
    assert_ruga(3, "face 0 of the base, with vertices 0, 1 and 2, has no area", "wrinkle none_#.obj --no-fit -o x.glb");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_radius_the_result_is_the_body_with_its_vertices_first),
        cmocka_unit_test(every_kind_of_body_gives_the_same_frames),
        cmocka_unit_test(without_fitting_the_defaults_are_those_of_the_paper),
        cmocka_unit_test(a_skin_carries_the_fine_mesh),
        cmocka_unit_test(broken_weights_of_a_skin_name_vertex_and_bone),
        cmocka_unit_test(compressed_regions_wrinkle_within_the_radius),
        cmocka_unit_test(every_kind_of_file_has_the_same_frames),
        cmocka_unit_test(usd_has_all_frames_in_its_own_unit_and_axis),
        cmocka_unit_test(groups_and_materials_are_carried),
        cmocka_unit_test(a_settled_frame_is_the_same_alone_and_in_any_range),
        cmocka_unit_test(a_range_of_frames_keeps_its_times),
        cmocka_unit_test(painted_radii_hold_some_vertices_and_free_others),
        cmocka_unit_test(keyed_radii_follow_the_time_of_the_body),
        cmocka_unit_test(along_normals_only_nothing_moves_sideways),
        cmocka_unit_test(a_fine_mesh_comes_from_three_sources),
        cmocka_unit_test(too_large_radii_are_reported_with_the_worst_place),
        cmocka_unit_test(defaults_are_chosen_from_the_motion_and_reported),
        cmocka_unit_test(strength_scales_the_height_of_wrinkles),
        cmocka_unit_test(a_motion_without_compression_is_reported_with_a_cure),
        cmocka_unit_test(automatic_wavelength_and_radius_are_reported_with_their_origin),
        cmocka_unit_test(a_bad_frame_is_reported_and_nothing_is_written),
        cmocka_unit_test(skipped_frames_are_replaced_by_the_last_good_one_and_listed),
        cmocka_unit_test(a_frame_with_another_number_of_vertices_is_bad),
        cmocka_unit_test(an_interrupted_command_leaves_nothing_behind),
        cmocka_unit_test(mistakes_are_reported_before_writing),
        cmocka_unit_test(a_triangle_without_area_is_left_out),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
