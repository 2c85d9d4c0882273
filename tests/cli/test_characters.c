/* ruga wrinkle on the file of a character: every mesh in one run, and wrinkles as a delta on the character's own mesh;
 * whatever else the file has comes back. */
#include <math.h>
#include <stdio.h>

#include "io/glb_builder.h"
#include "support/ruga_command.h"

static ruga_context *context;

enum { COLUMNS = 5, ROWS = 4, POINTS = COLUMNS * ROWS, CORNERS = 6 * (COLUMNS - 1) * (ROWS - 1), FRAMES = 7 };

/* A shirt on a joint that is pressed together along x, trousers on a node that is, and a hat that only stands there. */
static const char character[] =
    "\"scene\":0,\"scenes\":[{\"nodes\":[0,1,2,3,4]}],\"extras\":{\"by\":\"me\"},\"cameras\":[{\"type\":\"perspective\","
    "\"perspective\":{\"yfov\":0.7,\"znear\":0.1}}],\"materials\":[{\"name\":\"wool\",\"doubleSided\":true}],\"skins\":["
    "{\"joints\":[1]}],\"nodes\":[{\"name\":\"shirt\",\"mesh\":0,\"skin\":0},{\"name\":\"chest\"},{\"name\":"
    "\"trousers\",\"mesh\":1},{\"name\":\"hat\",\"mesh\":2},{\"name\":\"eye\",\"camera\":0}],\"meshes\":[{\"name\":"
    "\"shirt\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3},\"indices\":1,"
    "\"material\":0}]},{\"name\":\"trousers\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]},{"
    "\"name\":\"hat\",\"primitives\":[{\"attributes\":{\"POSITION\":6}}]}],\"animations\":[{\"name\":\"breathe\","
    "\"samplers\":[{\"input\":4,\"output\":5}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"scale\"}"
    "},{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"scale\"}}]}]";

/* material: four letters, of the shirt. */
static void write_character(const char *name, const char *material) {
    static const float times[2] = {0, 0.25f}, scale[6] = {1, 1, 1, 0.75f, 1, 1}, hat[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    float points[3 * POINTS], weights[4 * POINTS] = {0};
    const uint8_t joints[4 * POINTS] = {0};
    uint16_t corners[CORNERS];
    size_t used = 0;
    for (int v = 0; v < POINTS; v++) {
        points[3 * v] = 0.25f * (float)(v % COLUMNS), points[3 * v + 1] = 0.3f * (float)(v / COLUMNS);
        points[3 * v + 2] = 0.02f * (float)(v % 3);
        weights[4 * v] = 1;
    }
    for (int r = 0; r + 1 < ROWS; r++)
        for (int c = 0; c + 1 < COLUMNS; c++) {
            const int a = r * COLUMNS + c, two[6] = {a, a + 1, a + COLUMNS, a + COLUMNS, a + 1, a + COLUMNS + 1};
            for (int k = 0; k < 6; k++) corners[used++] = (uint16_t)two[k];
        }
    glb *g = calloc(1, sizeof *g);
    glb_floats(g, "VEC3", POINTS, points);
    glb_indices(g, used, corners);
    glb_accessor(g, "VEC4", GLB_U8, POINTS, joints, sizeof joints, "");
    glb_floats(g, "VEC4", POINTS, weights);
    glb_floats(g, "SCALAR", 2, times);
    glb_floats(g, "VEC3", 2, scale);
    glb_floats(g, "VEC3", 3, hat);
    char text[sizeof character];
    memcpy(text, character, sizeof character);
    memcpy(strstr(text, "wool"), material, 4);
    glb_save(g, text, test_path(name));
    free(g);
}

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    write_character("character.glb", "wool");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

/* One mesh of a file, with its motion. */
static outcome open_one(const char *name, const char *mesh) {
    outcome o = {0};
    char path[512];
    ruga_file_def def = ruga_file_def_default();
    snprintf(path, sizeof path, "%s", test_path(name));
    def.mesh = mesh;
    assert_ok(context, ruga_mesh_read(context, path, &def, &o.mesh));
    assert_ok(context, ruga_motion_read(context, path, o.mesh, &def, &o.motion));
    o.positions = calloc(o.mesh->vertex_count, sizeof *o.positions);
    return o;
}

static const ruga_vec3 *moment(outcome *o, int frame) {
    assert_ok(context, ruga_motion_sample(o->motion, 0.25 * frame / (FRAMES - 1), o->positions));
    return o->positions;
}

static void assert_same_frames(outcome *a, outcome *b, size_t count, double tolerance) {
    for (int i = 0; i < FRAMES; i++) {
        const ruga_vec3 *p = moment(a, i), *q = moment(b, i);
        for (size_t v = 0; v < count; v++) {
            const double apart = hypot(hypot(p[v].x - q[v].x, p[v].y - q[v].y), p[v].z - q[v].z);
            assert_less_case(apart, tolerance, "i %d, v %zu", i, v);
        }
    }
}

/* Counts of the file's JSON, which is its first chunk. */
static void assert_count(const char *name, const char *array, size_t count) {
    size_t size;
    uint32_t length;
    json_document *document = NULL;
    char *bytes = read_test_file(test_path(name), &size);
    memcpy(&length, bytes + 12, 4);
    assert_ok(context, json_parse(context, name, bytes + 20, length, 0, &document));
    const json_value *items = json_member(json_root(document), array);
    fail_if(!items || items->count != count, "%s has %zu %s, not %zu", name, items ? (size_t)items->count : (size_t)0,
            array, count);
    json_destroy(document);
    free(bytes);
}

static void assert_rest_is_kept(const char *name) {
    assert_count(name, "meshes", 3);
    assert_count(name, "nodes", 5);
    assert_count(name, "skins", 1);
    assert_count(name, "cameras", 1);
    assert_count(name, "materials", 1);
    assert_count(name, "animations", 1);
}

/* Each mesh comes out as if it were wrinkled alone, and the hat, which nothing compresses, as it was. */
static void every_mesh_of_a_file_is_wrinkled_in_one_run(void **state) {
    (void)state;
    static const char *const names[] = {"shirt", "trousers"};
    assert_ruga(0, NULL, "wrinkle character.glb --mesh all -o all.glb -q");
    assert_rest_is_kept("all.glb");
    for (int i = 0; i < 2; i++) {
        assert_ruga(0, NULL, "wrinkle character.glb --mesh %s -o one.glb -q", names[i]);
        outcome all = open_one("all.glb", names[i]), one = open_one("one.glb", names[i]);
        outcome before = open_one("character.glb", names[i]);
        assert_less(2 * POINTS, (double)all.mesh->vertex_count);
        assert_int_equal(all.mesh->vertex_count, one.mesh->vertex_count);
        assert_int_equal(all.mesh->joint_count, before.mesh->joint_count);
        assert_same_frames(&all, &one, all.mesh->vertex_count, 1e-6);
        close_outcome(&all);
        close_outcome(&one);
        close_outcome(&before);
    }
    ruga_file_def def = ruga_file_def_default();
    ruga_mesh *hat = NULL;
    def.mesh = "hat";
    assert_ok(context, ruga_mesh_read(context, test_path("all.glb"), &def, &hat));
    assert_int_equal(hat->triangle_count, 1);
    assert_near(hat->positions[1].x, 1, 1e-6);
    ruga_mesh_destroy(hat);
    /* Nothing is left of the steps between. */
    assert_false(test_file_exists(test_path("all.glb.0.glb")));
    assert_false(test_file_exists(test_path("all.glb.1.glb")));
}

/* A mesh that fails is kept with a warning, shoes are kept by their name; the report is one; the user's files stay. */
static void a_mesh_that_fails_does_not_end_the_run(void **state) {
    (void)state;
    write_test_file(test_path("some.glb.0.glb"), "mine", 4);
    command_result r = ruga_run("wrinkle character.glb --mesh all --radius 'joint:chest' -o some.glb");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.err, "it has no joints"));
    assert_non_null(strstr(r.err, "mesh 1 is kept as it is"));
    assert_non_null(strstr(r.out, "wrote some.glb: 1 of 3 meshes"));
    assert_null(strstr(r.out, "tmp"));
    command_release(&r);
    assert_rest_is_kept("some.glb");
    outcome shirt = open_one("some.glb", "shirt"), trousers = open_one("some.glb", "trousers");
    assert_less(2 * POINTS, (double)shirt.mesh->vertex_count);
    assert_int_equal(trousers.mesh->vertex_count, POINTS);
    close_outcome(&shirt);
    close_outcome(&trousers);
    size_t size = 0;
    char *mine = read_test_file(test_path("some.glb.0.glb"), &size);
    assert_int_equal(size, 4);
    assert_memory_equal(mine, "mine", 4);
    free(mine);
    r = ruga_run("wrinkle character.glb --mesh all --radius 'joint:nobody' -o none.glb");
    assert_int_equal(r.code, 3);
    assert_non_null(strstr(r.err, "none of its 3 meshes could be wrinkled"));
    command_release(&r);
    assert_false(test_file_exists(test_path("none.glb")));
}

static void all_meshes_have_one_report(void **state) {
    (void)state;
    json_document *report = ruga_json(context, 0, "wrinkle character.glb --mesh all -o all.glb");
    const json_value *meshes = json_member(json_root(report), "meshes");
    assert_string_equal(json_member(json_root(report), "output")->text, "all.glb");
    assert_int_equal(meshes->count, 3);
    assert_string_equal(json_member(json_item(meshes, 1), "mesh")->text, "1");
    json_destroy(report);
}

static void boots_are_kept_as_they_are(void **state) {
    (void)state;
    size_t size;
    char *bytes = read_test_file(test_path("character.glb"), &size);
    for (size_t at = 0; at + 8 < size; at++)
        if (memcmp(bytes + at, "trousers", 8) == 0) memcpy(bytes + at, "my_boots", 8);
    write_test_file(test_path("boots.glb"), bytes, size);
    free(bytes);
    assert_ruga(0, NULL, "wrinkle boots.glb --mesh all -o worn.glb -q");
    outcome boots = open_one("worn.glb", "my_boots");
    assert_int_equal(boots.mesh->vertex_count, POINTS);
    close_outcome(&boots);
}

/* With another unit the rest of the file can't be kept, which is said. */
static void another_unit_is_written_with_a_warning(void **state) {
    (void)state;
    assert_ruga(0, "without skin, textures and the rest of character.glb",
                "wrinkle character.glb --mesh shirt --out-unit cm -o cm.glb");
    command_result r = ruga_run("wrinkle character.glb --mesh shirt --out-unit cm --bare -o cm.glb");
    assert_int_equal(r.code, 0);
    assert_null(strstr(r.err, "without skin"));
    command_release(&r);
}

/* The skin, its motion and the rest come back in a file of the same size. */
static void convert_keeps_the_skin(void **state) {
    (void)state;
    size_t before, after;
    assert_ruga(0, NULL, "convert character.glb -o same.glb -q");
    free(read_test_file(test_path("character.glb"), &before));
    free(read_test_file(test_path("same.glb"), &after));
    assert_less((double)after, 1.1 * (double)before);
    assert_rest_is_kept("same.glb");
    outcome a = open_one("character.glb", "shirt"), b = open_one("same.glb", "shirt");
    assert_int_equal(b.mesh->joint_count, a.mesh->joint_count);
    assert_less(0, b.mesh->joint_count);
    assert_int_equal(ruga_motion_get_info(a.motion).sample_count, ruga_motion_get_info(b.motion).sample_count);
    assert_near(ruga_motion_get_info(a.motion).rate, ruga_motion_get_info(b.motion).rate, 0);
    assert_same_frames(&a, &b, a.mesh->vertex_count, 1e-7);
    close_outcome(&a);
    close_outcome(&b);
}

/* A body of another size than a person's is reported, with the unit that would make it one; so is a wavelength above
 * a tenth of the body. */
static void sizes_that_suggest_another_unit_are_reported(void **state) {
    (void)state;
    static const struct {
        double scale;
        const char *likely; /* NULL: no warning */
    } cases[] = {
        {1000, "try --unit mm"}, {100, "try --unit cm"}, {40, "try --unit in"}, {1, NULL}, {0.001, "try --unit km"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_ruga(0, NULL, "make sheet --width %g --length %g -o body_1.obj -q", cases[k].scale, cases[k].scale);
        assert_ruga(0, NULL, "make sheet --width %g --length %g -o body_2.obj -q", 0.8 * cases[k].scale,
                    cases[k].scale);
        command_result r = ruga_run("wrinkle body_#.obj -o body.pc2");
        assert_int_equal(r.code, 0);
        fail_if(cases[k].likely && !strstr(r.err, cases[k].likely), "%g m: %s", cases[k].scale, r.err);
        if (!cases[k].likely) assert_null(strstr(r.err, "--unit"));
        command_release(&r);
    }
    assert_ruga(0, "exceeds a tenth of the body", "wrinkle body_#.obj --unit km --wavelength 0.3 -o body.pc2");
}

static void all_meshes_need_one_file_for_all(void **state) {
    (void)state;
    static const char *const wrong[] = {"-o all.pc2", "-o all.glb --bare", "-o all.glb --delta rig.glb",
                                        "-o all.glb --frame 3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_ruga(2, "--mesh all needs a glTF file", "wrinkle character.glb --mesh all %s", wrong[i]);
}

/* The coarse part of the wrinkles moves the character's own vertices, faces and skin; the fine mesh has the rest. */
static void a_delta_keeps_the_mesh_and_the_rig(void **state) {
    (void)state;
    assert_ruga(0, NULL, "wrinkle character.glb --mesh shirt --delta rig.glb -o fine.glb -q");
    assert_rest_is_kept("rig.glb");
    outcome rig = open_one("rig.glb", "shirt"), fine = open_one("fine.glb", "shirt");
    outcome before = open_one("character.glb", "shirt");
    assert_int_equal(rig.mesh->vertex_count, POINTS);
    assert_int_equal(rig.mesh->corner_count, before.mesh->corner_count);
    assert_memory_equal(rig.mesh->face_vertices, before.mesh->face_vertices, CORNERS * sizeof(uint32_t));
    assert_int_equal(rig.mesh->joint_count, 1);
    for (size_t v = 0; v < POINTS; v++) assert_near(rig.mesh->positions[v].x, before.mesh->positions[v].x, 1e-6);
    assert_same_frames(&rig, &fine, POINTS, 2e-6);
    /* There is a delta: at the end the vertices are not where the rig alone has them. */
    double most = 0;
    const ruga_vec3 *p = moment(&rig, FRAMES - 1), *q = moment(&before, FRAMES - 1);
    for (size_t v = 0; v < POINTS; v++) most = fmax(most, fabs(p[v].z - q[v].z));
    assert_less(1e-3, most);
    close_outcome(&rig);
    close_outcome(&fine);
    close_outcome(&before);
}

static void a_delta_needs_frames_and_the_bodys_own_vertices(void **state) {
    (void)state;
    assert_ruga(2, "--delta needs a motion", "wrinkle character.glb --mesh shirt --frame 2 --delta rig.glb -o s.obj");
    assert_ruga(2, "is read, so it can't be written",
                "wrinkle character.glb --mesh shirt --delta character.glb -o fine.glb");
}

/* ---- Mistakes with a character. */

static void assert_says(int code, const char *part, const char *arguments) {
    command_result r = ruga_run("%s", arguments);
    fail_if(r.code != code || !strstr(r.err, part), "%s: exit code %d, says %s", arguments, r.code, r.err);
    command_release(&r);
}

static void a_mask_over_everything_is_reported_with_a_cure(void **state) {
    (void)state;
    write_character("eyes.glb", "eyes");
    assert_says(3, "covers all 24 triangles", "wrinkle eyes.glb --mesh shirt -o eyes_out.glb");
    assert_says(3, "materials that do not wrinkle: eyes", "wrinkle eyes.glb --mesh shirt -o eyes_out.glb");
    assert_says(0, "the mask of --radius is 0 on the whole body",
                "wrinkle character.glb --mesh shirt --radius '{\"select\":\"joint:*\",\"from\":1,\"to\":0}' -o no.glb");
    command_result r = ruga_run("wrinkle character.glb --mesh shirt --radius joint:chest -o yes.glb");
    assert_int_equal(r.code, 0);
    assert_null(strstr(r.err, "on the whole body"));
    command_release(&r);
}

/* Nothing moves the hat: the message says so and what to do. With the others it comes through as it is. */
static void a_mesh_without_compression_is_reported_with_a_cure(void **state) {
    (void)state;
    assert_says(3, "--strength 2", "wrinkle character.glb --mesh hat -o still.glb");
    assert_says(3, "moves neither the mesh nor its joints", "wrinkle character.glb --mesh hat -o still.glb");
    assert_false(test_file_exists(test_path("still.glb")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mesh_of_a_file_is_wrinkled_in_one_run),
        cmocka_unit_test(a_mesh_that_fails_does_not_end_the_run),
        cmocka_unit_test(all_meshes_have_one_report),
        cmocka_unit_test(boots_are_kept_as_they_are),
        cmocka_unit_test(another_unit_is_written_with_a_warning),
        cmocka_unit_test(convert_keeps_the_skin),
        cmocka_unit_test(sizes_that_suggest_another_unit_are_reported),
        cmocka_unit_test(all_meshes_need_one_file_for_all),
        cmocka_unit_test(a_delta_keeps_the_mesh_and_the_rig),
        cmocka_unit_test(a_delta_needs_frames_and_the_bodys_own_vertices),
        cmocka_unit_test(a_mask_over_everything_is_reported_with_a_cure),
        cmocka_unit_test(a_mesh_without_compression_is_reported_with_a_cure),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
