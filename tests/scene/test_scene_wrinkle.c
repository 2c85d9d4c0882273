/* The detail "wrinkle" in scenes: its fields reach it, checks know its mesh, restored states and resumed runs are
 * bit-identical; and runs serve as input of scenes. */
#include <math.h>
#include <stdio.h>

#include "support/shapes.h"

static ruga_context *context;
static char warned[1000]; /* all warnings of the log */

static void keep_warning(void *user, ruga_log_level level, const char *message) {
    (void)user;
    if (level != RUGA_LOG_WARNING) return;
    size_t used = strlen(warned);
    snprintf(warned + used, sizeof warned - used, "%s\n", message);
}

static int set_up(void **state) {
    (void)state;
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 2;
    def.log = keep_warning;
    assert_status(ruga_context_create(&def, &context), RUGA_OK);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

static const ruga_section *section(void) { return ruga_scene_section_find("objects.details.wrinkle"); }

/* ---- Fields. */

static int same_param(const ruga_param *a, const ruga_param *b) {
    return a->kind == b->kind && (a->constant == b->constant || (isnan(a->constant) && isnan(b->constant)));
}

static void defaults_are_those_of_the_wrinkle_mesh(void **state) {
    (void)state;
    ruga_wrinkle_def values;
    ruga_section_defaults(section(), &values);
    ruga_wrinkle_mesh_def usual = ruga_wrinkle_mesh_def_default();
    assert_int_equal(values.mesh.surface, usual.surface);
    assert_int_equal(values.mesh.solver, usual.solver);
    assert_int_equal(values.mesh.frame, usual.frame);
    assert_int_equal(values.mesh.side, usual.side);
    assert_int_equal(values.mesh.bend, usual.bend);
    assert_int_equal(values.mesh.reference, usual.reference);
    assert_int_equal(values.mesh.normal_only, usual.normal_only);
    assert_int_equal(values.mesh.iterations, usual.iterations);
    assert_int_equal(values.mesh.seed, usual.seed);
    assert_true(isnan(values.mesh.wavelength));
    assert_equal(usual.wavelength, 0); /* chosen in scenes, none in C as in the paper */
    assert_true(isnan(values.mesh.reach));
    assert_equal(usual.reach, INFINITY); /* both: all are attached */
    assert_true(same_param(&values.mesh.radius, &usual.radius));
    assert_true(same_param(&values.mesh.pre_stretch, &usual.pre_stretch));
    assert_true(same_param(&values.mesh.bending, &usual.bending));
    assert_true(same_param(&values.mesh.direction, &usual.direction));
    assert_true(same_param(&values.mesh.direction_weight, &usual.direction_weight));
    assert_int_equal(values.subdivide.n, 4);
    assert_true(isnan(values.subdivide.length));
    assert_false(values.settle);
}

static void every_field_reaches_its_place(void **state) {
    (void)state;
    static const char text[] =
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"details\": [{\"kind\": \"wrinkle\", \"edge_length\": "
        "0.02, \"wavelength\": 0.1, \"radius\": 0.01, \"pre_stretch\": 1.1, \"bending\": 0.3, \"direction\": 45, "
        "\"direction_weight\": 0.5, \"surface\": \"loop\", \"solver\": \"projection\", \"iterations\": 7, \"bend\": "
        "\"dihedral\", \"side\": \"neighbourhood\", \"normal_only\": true, \"space\": \"world\", \"reach\": 0.5, "
        "\"settle\": true, \"seed\": 3, \"reference\": true, \"fine_unit\": \"cm\", \"fine_up\": \"z\"}]}]}";
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, sizeof text - 1, &d));
    const ruga_object_def *object = ruga_description_get(d)->objects.items;
    const ruga_wrinkle_def *values = ((const ruga_variant *)object->details.items)->values;
    ruga_wrinkle_def made = *values;
    assert_equal(made.subdivide.length, 0.02);
    assert_equal(made.mesh.wavelength, 0.1);
    assert_equal(made.mesh.radius.constant, 0.01);
    assert_equal(made.mesh.pre_stretch.constant, 1.1);
    assert_equal(made.mesh.bending.constant, 0.3);
    assert_equal(made.mesh.direction.constant, 45);
    assert_equal(made.mesh.direction_weight.constant, 0.5);
    assert_true(made.mesh.surface == RUGA_WRINKLE_LOOP && made.mesh.solver == RUGA_WRINKLE_PROJECTION);
    assert_true(made.mesh.iterations == 7 && made.mesh.bend == RUGA_WRINKLE_BEND_DIHEDRAL);
    assert_true(made.mesh.side == RUGA_WRINKLE_NEIGHBOURHOOD && made.mesh.normal_only && made.mesh.reference);
    assert_true(made.mesh.frame == RUGA_WRINKLE_FRAME_WORLD);
    assert_equal(made.mesh.reach, 0.5);
    assert_true(made.mesh.seed == 3);
    assert_true(made.settle);
    assert_equal(values->fine_unit, 0.01);
    assert_true(values->fine_up == RUGA_AXIS_Z);
    ruga_description_destroy(d);
}

/* ---- Scenes. */

/* Cloth that is held along one side, falls, and gives in to compression; its fine mesh wrinkles. */
static const char cloth_scene[] =
    "{\"time\": {\"frames\": 6, \"substeps\": 2}, \"output\": {\"formats\": [\"pc2\"], \"checkpoint\": 2},\n"
    " \"objects\": [{\"name\": \"cloth\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 6, \"rows\": 6},\n"
    "   \"body\": {\"kind\": \"cloth\", \"compression_soft\": 0.05, \"compression_limit\": 0.3,\n"
    "     \"pins\": [{\"kind\": \"path\", \"vertices\": \"0\", \"keys\": [{\"time\": 0}, {\"time\": 0.2, \"move\": "
    "[0.2, "
    "0, 0]}]},\n"
    "                {\"kind\": \"fixed\", \"vertices\": \"6\"}]},\n"
    "   \"details\": [{\"kind\": \"wrinkle\", \"radius\": 0.02, \"pre_stretch\": {\"keys\": [[0, 1], [0.2, 1.05]]}},\n"
    "                 {\"kind\": \"displace\", \"amount\": 0.001}]}]}";

static ruga_description *describe(const char *text) {
    ruga_description *d = NULL;
    write_test_file(test_path("scene.json"), text, strlen(text));
    assert_ok(context, ruga_description_read(context, test_path("scene.json"), &d));
    return d;
}

static ruga_scene *make_scene(const ruga_description *d) {
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    return scene;
}

static void a_restored_scene_continues_bit_identically(void **state) {
    (void)state;
    ruga_description *d = describe(cloth_scene);
    ruga_scene *scene = make_scene(d), *other = make_scene(d);
    assert_int_equal(ruga_scene_object_mesh(scene, 0)->vertex_count, 25 * 25);
    for (int i = 0; i < 4; i++) assert_ok(context, ruga_scene_step(scene));
    assert_less(1e-5, scene_measure(scene, "cloth.wrinkle.offset"));
    assert_equal(scene_measure(scene, "cloth.wrinkle.iterations"), 10);
    void *bytes = NULL;
    size_t size;
    uint64_t one = 0, two = 1;
    assert_ok(context, ruga_scene_save(scene, &bytes, &size));
    assert_ok(context, ruga_scene_restore(other, bytes, size));
    for (int i = 0; i < 3; i++) {
        assert_ok(context, ruga_scene_step(scene));
        assert_ok(context, ruga_scene_step(other));
        assert_memory_equal(ruga_scene_frame(scene, 0)->positions, ruga_scene_frame(other, 0)->positions,
                            25 * 25 * sizeof(ruga_vec3));
    }
    assert_ok(context, ruga_scene_state_hash(scene, &one));
    assert_ok(context, ruga_scene_state_hash(other, &two));
    assert_true(one == two);
    ruga_free(context, bytes);
    ruga_scene_destroy(other);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

/* Root mean square of what normals turn by along the edges of the fine mesh, rad. */
static double unevenness(const ruga_scene *scene) {
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, 0);
    ruga_vec3 *normals = malloc(mesh->vertex_count * sizeof *normals);
    double sum = 0;
    assert_ok(context, ruga_mesh_normals(mesh, ruga_scene_frame(scene, 0)->positions, normals));
    for (size_t c = 0; c < 3 * mesh->triangle_count; c++) {
        ruga_vec3 p = normals[mesh->triangles[c]], q = normals[mesh->triangles[c % 3 == 2 ? c - 2 : c + 1]];
        sum += (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z);
    }
    free(normals);
    return sqrt(sum / (3 * (double)mesh->triangle_count));
}

/* A curtain is drawn together by a fifth. Cloth that resists compression folds as a whole, and its edges keep their
 * length. Cloth that gives in to compression shrinks in its plane, and the wrinkles show the folds (section 4.3). */
static void cloth_that_gives_in_to_compression_wrinkles_more(void **state) {
    (void)state;
    static const char *const bodies[] = {"\"elements\": \"springs\", ",
                                         "\"compression_soft\": 1e-5, \"compression_limit\": 0.4, "};
    double uneven[2] = {0, 0};
    for (int soft = 0; soft < 2; soft++) {
        char text[2048], pins[1024] = "";
        for (int k = 0; k <= 16; k += 4) {
            size_t end = strlen(pins);
            snprintf(pins + end, sizeof pins - end,
                     "%s{\"kind\": \"path\", \"vertices\": \"%d\", \"keys\": [{\"time\": 0}, {\"time\": 0.5, "
                     "\"move\": [%g, 0, 0]}]}",
                     k ? ", " : "", 8 * 17 + k, -0.2 * k / 16);
        }
        snprintf(text, sizeof text,
                 "{\"time\": {\"frames\": 40, \"fps\": 24, \"substeps\": 4}, \"wind\": {\"velocity\": [0, 0, 0.5]},\n"
                 " \"objects\": [{\"name\": \"cloth\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 16, \"rows\": 8, "
                 "\"upright\": 1}, \"material\": \"cotton\",\n"
                 "   \"body\": {\"kind\": \"cloth\", %s\"pins\": [%s]},\n"
                 "   \"details\": [{\"kind\": \"wrinkle\", \"wavelength\": 0.12, \"pre_stretch\": 1}]}]}",
                 bodies[soft], pins);
        ruga_description *d = describe(text);
        ruga_scene *scene = make_scene(d);
        for (int i = 0; i < 40; i++) {
            assert_ok(context, ruga_scene_step(scene));
            if (i >= 32) uneven[soft] += unevenness(scene) / 8;
        }
        ruga_scene_destroy(scene);
        ruga_description_destroy(d);
    }
    assert_less(2 * uneven[0], uneven[1]);
}

static void run_to(const ruga_description *d, const char *name, int stop_after) {
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_create(context, d, test_path(name), 0, &run));
    while (!ruga_run_is_done(run) && ruga_run_frames_done(run) < stop_after) assert_ok(context, ruga_run_next(run));
    ruga_run_destroy(run);
}

static void assert_same_file(const char *a, const char *b) {
    size_t one, other;
    char *p = read_test_file(test_path(a), &one), *q = read_test_file(test_path(b), &other);
    assert_true(p && q && one == other && memcmp(p, q, one) == 0);
    free(p);
    free(q);
}

/* A run that stops after a checkpoint continues from the checkpoint. */
static void a_resumed_run_writes_the_same_bytes(void **state) {
    (void)state;
    ruga_description *d = describe(cloth_scene);
    run_to(d, "whole.run", 6);
    run_to(d, "stopped.run", 3);
    ruga_run *run = NULL;
    assert_ok(context, ruga_run_resume(context, test_path("stopped.run"), &run));
    while (!ruga_run_is_done(run)) assert_ok(context, ruga_run_next(run));
    ruga_run_destroy(run);
    assert_same_file("whole.run/cloth.pc2", "stopped.run/cloth.pc2");
    assert_same_file("whole.run/measures.csv", "stopped.run/measures.csv");
    ruga_description_destroy(d);
}

/* An object's place is that of its fine mesh too. */
static void a_fine_mesh_of_a_file_stands_where_its_object_does(void **state) {
    (void)state;
    ruga_mesh *sheet = shape_sheet(context, 9, 7);
    ruga_file_def file = ruga_file_def_default();
    file.unit = 0.01;
    assert_ok(context, ruga_mesh_write(sheet, NULL, test_path("fine.obj"), &file));
    ruga_mesh_destroy(sheet);
    ruga_description *d = describe(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"move\": [1, 2, 3], \"turn\": [0, 90, 0], \"scale\": "
        "2, \"details\": [{\"kind\": \"wrinkle\", \"fine\": \"fine.obj\", \"fine_unit\": \"cm\", \"radius\": 0}]}]}");
    assert_ok(context, ruga_description_check(d));
    ruga_scene *scene = make_scene(d);
    assert_ok(context, ruga_scene_step(scene));
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    assert_int_equal(frame->vertex_count, 80);
    for (size_t v = 0; v < 80; v++) {
        ruga_vec3 p = frame->positions[v], rest = ruga_scene_object_mesh(scene, 0)->positions[v];
        assert_near_case(p.y, 2, 1e-6, "v %zu", v);
        assert_near_case(p.x, rest.x, 1e-6, "v %zu", v);
        assert_near_case(p.z, rest.z, 1e-6, "v %zu", v);
    }
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

/* ---- Checks. */

static void assert_check(const char *more, ruga_status status, const char *path, const char *words) {
    char text[600];
    snprintf(text, sizeof text,
             "{\"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 2, \"rows\": 2}, "
             "\"details\": [{\"kind\": \"wrinkle\"%s}]}]}",
             more);
    ruga_description *d = describe(text);
    assert_status(ruga_description_check(d), status);
    if (RUGA_FAILED(status)) {
        assert_int_equal(ruga_description_finding_count(d), 1);
        assert_string_equal(ruga_description_finding(d, 0)->path, path);
        assert_message_has(context, words);
        ruga_scene *scene = NULL;
        assert_true(RUGA_FAILED(ruga_scene_create(context, ruga_description_get(d), &scene)));
        assert_null(scene);
    }
    ruga_description_destroy(d);
}

static void checks_know_the_fine_mesh(void **state) {
    (void)state;
    char numbers[400] = "";
    for (int i = 0; i < 81; i++) strcat(numbers, "0.9\n");
    write_test_file(test_path("many.txt"), numbers, strlen(numbers));
    write_test_file(test_path("few.txt"), numbers, 4 * 9);
    write_test_file(test_path("point.obj"), "v 0 0 0\n", 8);
    assert_check("", RUGA_OK, NULL, NULL);
    /* 9 x 9 vertices of the fine mesh, not 9 of the coarse one. */
    assert_check(", \"pre_stretch\": {\"file\": \"many.txt\"}", RUGA_OK, NULL, NULL);
    assert_check(", \"pre_stretch\": {\"file\": \"few.txt\"}", RUGA_ERROR_INPUT, "objects[0].details[0].pre_stretch",
                 "has 9 numbers, but the mesh that they are for has 81 vertices");
    assert_check(", \"pre_stretch\": \"mask\"", RUGA_ERROR_INPUT, "objects[0].details[0].pre_stretch", "mask");
    assert_check(", \"radius\": {\"keys\": [[0, 0.1], [1, \"mask\"]]}", RUGA_ERROR_INPUT,
                 "objects[0].details[0].radius", "mask");
    assert_check(", \"fine\": \"none.obj\"", RUGA_ERROR_FILE, "objects[0].details[0].fine", "none.obj");
    assert_check(", \"fine\": \"point.obj\"", RUGA_ERROR_INPUT, "objects[0].details[0]", "the fine mesh has no faces");
}

/* The report has the values of the detail's own wrinkle mesh; other details have no report. */
static void a_scene_has_the_report_of_its_wrinkle_mesh(void **state) {
    (void)state;
    static const char text[] =
        "{\"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 4, \"rows\": 4}, "
        "\"details\": [{\"kind\": \"displace\", \"amount\": 0}, {\"kind\": \"wrinkle\", \"wavelength\": 0.4}]}]}";
    ruga_description *d = describe(text);
    ruga_scene *scene = make_scene(d);
    ruga_wrinkle_mesh_report report;
    assert_ok(context, ruga_scene_wrinkle_report(scene, 0, 1, &report));
    assert_equal(report.wavelength, 0.4);
    assert_true(report.wave_origin == RUGA_WRINKLE_WAVE_GIVEN);
    assert_int_equal(report.fine_vertices, ruga_scene_object_mesh(scene, 0)->vertex_count);
    const size_t none[3][2] = {{0, 0}, {0, 2}, {1, 1}}; /* another detail, no detail, no object */
    for (int k = 0; k < 3; k++)
        assert_status(ruga_scene_wrinkle_report(scene, none[k][0], none[k][1], &report), RUGA_ERROR_ARGUMENT);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

/* Details that follow in the chain work on the fine mesh. */
static void details_after_it_see_the_fine_mesh(void **state) {
    (void)state;
    char numbers[400] = "";
    for (int i = 0; i < 81; i++) strcat(numbers, "0.1\n");
    write_test_file(test_path("many.txt"), numbers, strlen(numbers));
    ruga_description *d = describe(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 2, \"rows\": 2}, \"details\": "
        "[\"wrinkle\", {\"kind\": \"displace\", \"amount\": {\"file\": \"many.txt\"}}]}]}");
    assert_ok(context, ruga_description_check(d));
    ruga_scene *scene = make_scene(d);
    assert_ok(context, ruga_scene_step(scene));
    assert_near(ruga_scene_frame(scene, 0)->positions[80].y, 0.1, 1e-5);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

/* By making a scene, not by a check before it: a run does both. */
static void what_is_odd_is_warned_of_once(void **state) {
    (void)state;
    static const struct {
        const char *more, *warning; /* NULL: none */
    } cases[] = {{"", NULL},
                 {", \"wavelength\": 0.5", NULL},
                 {", \"radius\": 0.4", "the radius exceeds half the average edge around"},
                 {", \"fine\": \"far.obj\", \"reach\": 0.1", "3 of 6 vertices of the fine mesh are not attached"}};
    static const char far[] =
        "v 0 0 0\nv 0.1 0 0\nv 0 0 -0.1\nv 5 0 0\nv 5.1 0 0\nv 5 0 -0.1\nf 1 2 3\nf 4 5 6\nf 1 2 4\n";
    write_test_file(test_path("far.obj"), far, sizeof far - 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"details\": [{\"kind\": \"wrinkle\"%s}]}]}",
                 cases[i].more);
        ruga_description *d = describe(text);
        warned[0] = 0;
        assert_ok(context, ruga_description_check(d));
        assert_string_equal(warned, "");
        ruga_scene_destroy(make_scene(d));
        const char *found = cases[i].warning ? strstr(warned, cases[i].warning) : NULL;
        assert_true(cases[i].warning ? found && !strstr(found + 1, cases[i].warning) : warned[0] == 0);
        ruga_description_destroy(d);
    }
}

/* ---- Runs as input. */

static void a_scene_reads_the_motion_that_a_run_wrote(void **state) {
    (void)state;
    ruga_description *d = describe(cloth_scene);
    assert_ok(context, ruga_description_set(d, "output.unit", "cm"));
    assert_ok(context, ruga_description_set(d, "output.up", "z"));
    assert_ok(context, ruga_description_set(d, "objects[0].details", "[]"));
    run_to(d, "coarse.run", 6);
    ruga_scene *coarse = make_scene(d);
    ruga_description_destroy(d);
    d = describe(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"coarse.run\", \"body\": \"animated\"}, {\"name\": \"b\", "
        "\"mesh\": {\"file\": \"coarse.run\", \"mesh\": \"cloth\"}, \"body\": {\"kind\": \"animated\", \"motion\": "
        "\"coarse.run\", \"animation\": \"cloth\"}}]}");
    assert_ok(context, ruga_description_check(d));
    ruga_scene *scene = make_scene(d);
    for (int i = 0; i < 6; i++) {
        assert_ok(context, ruga_scene_step(coarse));
        assert_ok(context, ruga_scene_step(scene));
        for (size_t k = 0; k < 2; k++)
            for (size_t v = 0; v < 49; v++) {
                ruga_vec3 p = ruga_scene_frame(scene, k)->positions[v], q = ruga_scene_frame(coarse, 0)->positions[v];
                assert_near_case(p.x, q.x, 1e-6, "i %d, k %zu, v %zu", i, k, v);
                assert_near_case(p.y, q.y, 1e-6, "i %d, k %zu, v %zu", i, k, v);
                assert_near_case(p.z, q.z, 1e-6, "i %d, k %zu, v %zu", i, k, v);
            }
    }
    ruga_scene_destroy(scene);
    ruga_scene_destroy(coarse);
    ruga_description_destroy(d);
}

static void objects_of_runs_are_chosen_by_name(void **state) {
    (void)state;
    ruga_mesh *mesh = NULL;
    ruga_motion *motion = NULL;
    ruga_description *d = describe(
        "{\"time\": {\"frames\": 2}, \"objects\": [{\"name\": \"one\", \"mesh\": {\"kind\": \"sheet\", \"columns\": "
        "1, \"rows\": 1}}, {\"name\": \"two\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 2, \"rows\": 1}}]}");
    run_to(d, "pair.run", 2);
    run_to(d, "begun.run", 0);
    assert_ok(context, ruga_description_set(d, "output.formats", "[]"));
    run_to(d, "silent.run", 2);
    ruga_description_destroy(d);
    assert_ok(context, ruga_run_mesh_read(context, test_path("pair.run"), "two", &mesh));
    assert_int_equal(mesh->vertex_count, 6);
    assert_ok(context, ruga_run_motion_read(context, test_path("pair.run"), "two", mesh, &motion));
    assert_int_equal(ruga_motion_get_info(motion).sample_count, 2);
    ruga_motion_destroy(motion);
    motion = NULL;
    ruga_mesh *other = NULL;
    assert_status(ruga_run_mesh_read(context, test_path("pair.run"), NULL, &other), RUGA_ERROR_INPUT);
    assert_message_has(context, "the run has 2 objects; name one of them (--mesh): one, two");
    assert_status(ruga_run_mesh_read(context, test_path("pair.run"), "three", &other), RUGA_ERROR_INPUT);
    assert_message_has(context, "no object \"three\"; it has one, two");
    assert_status(ruga_run_motion_read(context, test_path("pair.run"), "one", mesh, &motion), RUGA_ERROR_INPUT);
    assert_status(ruga_run_motion_read(context, test_path("begun.run"), "two", mesh, &motion), RUGA_ERROR_INPUT);
    assert_message_has(context, "there are no frames of \"two\"");
    assert_status(ruga_run_mesh_read(context, test_path("silent.run"), "two", &other), RUGA_ERROR_INPUT);
    assert_message_has(context, "the run wrote no frames");
    assert_status(ruga_run_mesh_read(context, test_folder(), NULL, &other), RUGA_ERROR_INPUT);
    assert_null(other);
    assert_null(motion);
    ruga_mesh_destroy(mesh);
}

/* ---- Memory. */

static ruga_status check_and_make(ruga_context *counting, void *user) {
    (void)user;
    static const char text[] =
        "{\"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 1, \"rows\": 1}, \"details\": "
        "[{\"kind\": \"wrinkle\", \"subdivide\": 2, \"radius\": {\"keys\": [[0, 0.1], [1, 0.2]]}}]}]}";
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    ruga_status status = ruga_description_read_memory(counting, "scene", text, sizeof text - 1, &d);
    if (!RUGA_FAILED(status)) status = ruga_description_check(d);
    if (!RUGA_FAILED(status)) status = ruga_scene_create(counting, ruga_description_get(d), &scene);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_every_allocation_may_fail(check_and_make, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_wrinkle_mesh),
        cmocka_unit_test(every_field_reaches_its_place),
        cmocka_unit_test(a_restored_scene_continues_bit_identically),
        cmocka_unit_test(cloth_that_gives_in_to_compression_wrinkles_more),
        cmocka_unit_test(a_resumed_run_writes_the_same_bytes),
        cmocka_unit_test(a_fine_mesh_of_a_file_stands_where_its_object_does),
        cmocka_unit_test(checks_know_the_fine_mesh),
        cmocka_unit_test(a_scene_has_the_report_of_its_wrinkle_mesh),
        cmocka_unit_test(details_after_it_see_the_fine_mesh),
        cmocka_unit_test(what_is_odd_is_warned_of_once),
        cmocka_unit_test(a_scene_reads_the_motion_that_a_run_wrote),
        cmocka_unit_test(objects_of_runs_are_chosen_by_name),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
