/* ruga_description_check reports all mistakes of a scene at once, each at its place in the text. */
#include <stdio.h>

#include "support/shapes.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

static void write_text(const char *name, const char *text) { write_test_file(test_path(name), text, strlen(text)); }

/* A scene of the test's folder, which reads without findings. */
static ruga_description *describe(const char *text) {
    ruga_description *d = NULL;
    write_text("scene.json", text);
    assert_ok(context, ruga_description_read(context, test_path("scene.json"), &d));
    assert_int_equal(ruga_description_finding_count(d), 0);
    return d;
}

static const ruga_finding *find(const ruga_description *d, const char *path, const char *part) {
    for (size_t i = 0; i < ruga_description_finding_count(d); i++) {
        const ruga_finding *f = ruga_description_finding(d, i);
        if (strcmp(f->path, path) == 0 && strstr(f->message, part)) return f;
    }
    for (size_t i = 0; i < ruga_description_finding_count(d); i++)
        print_message("%s: %s\n", ruga_description_finding(d, i)->path, ruga_description_finding(d, i)->message);
    fail_msg("no finding at %s says \"%s\"", path, part);
    return NULL;
}

/* A single finding, of which we know everything. */
static void assert_one(const char *text, ruga_status status, uint32_t line, const char *path, const char *part) {
    ruga_description *d = describe(text);
    assert_status(ruga_description_check(d), RUGA_FAILED(status) ? status : RUGA_OK);
    const ruga_finding *f = find(d, path, part);
    assert_status(f->status, status);
    assert_int_equal(f->line, line);
    assert_int_equal(ruga_description_finding_count(d), 1);
    if (RUGA_FAILED(status)) assert_message_has(context, part);
    ruga_description_destroy(d);
}

static void a_fine_scene_has_no_findings(void **state) {
    (void)state;
    skip_unless_long();
    for (size_t i = 0; i < ruga_scene_template_count(); i++) {
        ruga_description *d = describe(ruga_scene_template_get(i)->text);
        assert_ok(context, ruga_description_check(d));
        fail_if(ruga_description_finding_count(d) > 0, "%s: %s", ruga_scene_template_get(i)->name,
                ruga_description_finding(d, 0)->message);
        ruga_description_destroy(d);
    }
}

/* ---- Names. */

static void names_are_unique_and_fit_for_files(void **state) {
    (void)state;
    assert_one("{\"objects\": [\n{\"name\": \"a\", \"mesh\": \"sheet\"},\n{\"name\": \"a\", \"mesh\": \"disc\"}]}",
               RUGA_ERROR_INPUT, 3, "objects[1].name", "objects[0] is called \"a\" too;");
    assert_one("{\"objects\": [\n{\"name\": \"a\", \"mesh\": \"sheet\"},\n{\"name\": \"a.01\", \"mesh\": \"disc\"}]}",
               RUGA_ERROR_INPUT, 3, "objects[1].name", "too, but for the number of a frame");
    assert_one("{\"objects\": [\n{\"name\": \"a/b\", \"mesh\": \"sheet\"}]}", RUGA_ERROR_INPUT, 2, "objects[0].name",
               "character");
    assert_one("{\"objects\": [\n{\"name\": \".a\", \"mesh\": \"sheet\"}]}", RUGA_ERROR_INPUT, 2, "objects[0].name",
               "dot");
}

static void materials_are_known_whole_and_go_in_no_circle(void **state) {
    (void)state;
    assert_one("{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\",\n\"material\": \"coton\"}]}", RUGA_ERROR_INPUT, 2,
               "objects[0].material", "did you mean \"cotton\"?");
    assert_one(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\"}], \"materials\": [\n"
        "{\"name\": \"one\", \"like\": \"two\"},\n{\"name\": \"two\", \"like\": \"three\"},\n"
        "{\"name\": \"three\", \"like\": \"one\"},\n{\"name\": \"tail\", \"like\": \"two\"}]}",
        RUGA_ERROR_INPUT, 2, "materials[0].like", "circle");
    assert_one(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"material\": \"mine\"}], \"materials\": [\n"
        "{\"name\": \"mine\",\n\"like\": \"dennim\"}]}",
        RUGA_ERROR_INPUT, 3, "materials[0].like", "did you mean \"denim\"?");
    assert_one(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\"}], \"materials\": [\n"
        "{\"name\": \"mine\", \"density\": 1}]}",
        RUGA_ERROR_INPUT, 2, "materials[0].name", "has no thickness");
    assert_one(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\"}], \"materials\": [\n"
        "{\"name\": \"mine\", \"like\": \"silk\"},\n{\"name\": \"mine\", \"like\": \"silk\"}]}",
        RUGA_ERROR_INPUT, 3, "materials[1].name", "another material");
}

/* ---- Files. */

static void files_are_there_and_hold_meshes(void **state) {
    (void)state;
    assert_one("{\"objects\": [{\"name\": \"a\",\n\"mesh\": {\"kind\": \"file\",\n\"file\": \"nowhere.obj\"}}]}",
               RUGA_ERROR_FILE, 3, "objects[0].mesh.file", "nowhere.obj");
    write_text("broken.obj", "v 0 0 0\nf 1 2 3\n");
    assert_one("{\"objects\": [{\"name\": \"a\",\n\"mesh\": {\"kind\": \"file\", \"file\": \"broken.obj\"}}]}",
               RUGA_ERROR_INPUT, 2, "objects[0].mesh.file", "broken.obj");
    assert_one("{\"objects\": [{\"name\": \"a\",\n\"mesh\": {\"kind\": \"annulus\", \"inner\": 2}}]}",
               RUGA_ERROR_ARGUMENT, 2, "objects[0].mesh", "annulus");
}

/* A cache of four points, and meshes of four and of nine vertices. */
static void write_caches(void) {
    ruga_mesh *four = shape_sheet(context, 1, 1), *nine = shape_sheet(context, 2, 2);
    assert_ok(context, ruga_mesh_write(four, NULL, test_path("four.obj"), NULL));
    assert_ok(context, ruga_mesh_write(nine, NULL, test_path("nine.obj"), NULL));
    ruga_motion_writer *writer = NULL;
    assert_ok(context, ruga_motion_writer_create(four, test_path("four.pc2"), NULL, &writer));
    for (int f = 0; f < 3; f++) {
        ruga_frame frame = {.time = f / 24.0, .vertex_count = 4, .positions = four->positions};
        assert_ok(context, ruga_motion_writer_append(writer, &frame));
    }
    assert_ok(context, ruga_motion_writer_finish(writer));
    ruga_motion_writer_destroy(writer);
    ruga_mesh_destroy(four);
    ruga_mesh_destroy(nine);
}

static void motions_fit_their_meshes(void **state) {
    (void)state;
    write_caches();
    ruga_description *d = describe(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"four.obj\", \"body\": "
        "{\"kind\": \"animated\", \"motion\": \"four.pc2\"}, \"edits\": [\"subdivide\"]}]}");
    assert_ok(context, ruga_description_check(d));
    assert_int_equal(ruga_description_finding_count(d), 0);
    ruga_description_destroy(d);

    assert_one(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"nine.obj\", \"body\":\n{\"kind\": \"animated\", "
        "\"motion\": \"four.pc2\"}}]}",
        RUGA_ERROR_INPUT, 2, "objects[0].body.motion", "9");
    assert_one(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"four.obj\", \"body\":\n{\"kind\": \"animated\", "
        "\"motion\": \"gone.pc2\"}}]}",
        RUGA_ERROR_FILE, 2, "objects[0].body.motion", "gone.pc2");
    assert_one("{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\",\n\"body\": \"animated\"}]}", RUGA_ERROR_INPUT, 2,
               "objects[0].body", "nothing moves it");
    assert_one(
        "{\"time\": {\"start_frame\": 100}, \"objects\": [{\"name\": \"a\", \"mesh\": \"four.obj\",\n"
        "\"body\": {\"kind\": \"animated\", \"motion\": \"four.pc2\"}}]}",
        RUGA_WARNING_INPUT, 2, "objects[0].body.motion", "nothing moves");
}

static void an_action_is_of_its_own_model(void **state) {
    (void)state;
    const char *const head = "{\"objects\": [{\"name\": \"a\", \"mesh\": ",
                      *const act = ",\n\"body\": {\"kind\": \"animated\", \"action\": \"jump\"";
    char text[512];
    snprintf(text, sizeof text, "%s\"mannequin\"%s}}]}", head, act);
    ruga_description *d = describe(text);
    assert_ok(context, ruga_description_check(d));
    assert_int_equal(ruga_description_finding_count(d), 0);
    ruga_description_destroy(d);
    snprintf(text, sizeof text, "%s\"sheet\"%s}}]}", head, act);
    assert_one(text, RUGA_ERROR_INPUT, 2, "objects[0].body", "which only the mesh \"mannequin\" has");
    snprintf(text, sizeof text, "%s\"arm\"%s}}]}", head, act);
    assert_one(text, RUGA_ERROR_INPUT, 2, "objects[0].body", "which only the mesh \"mannequin\" has");
    snprintf(text, sizeof text, "%s\"mannequin\"%s, \"motion\": \"four.pc2\"}}]}", head, act);
    assert_one(text, RUGA_ERROR_INPUT, 2, "objects[0].body.motion", "give one");
}

/* ---- Parameters. */

static void parameters_find_their_values(void **state) {
    (void)state;
    const char *const head =
        "{\"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 1, \"rows\": 1}, "
        "\"details\": [{\"kind\": \"displace\",\n\"amount\": ";
    static const struct {
        const char *amount;
        ruga_status status;
        const char *part;
    } cases[] = {
        {"\"uvw\"", RUGA_ERROR_INPUT, "did you mean \"uv\"?"},
        {"{\"group\": \"hem\"}", RUGA_ERROR_INPUT, "hem"},
        {"{\"file\": \"gone.txt\"}", RUGA_ERROR_FILE, "gone.txt"},
        {"{\"file\": \"three.txt\"}", RUGA_ERROR_INPUT, "three.txt:4: the file has 3 numbers"},
        {"{\"file\": \"word.txt\"}", RUGA_ERROR_INPUT, "word.txt:2: \"two\" is not a number"},
        {"{\"keys\": [[0, 0], [1, \"paint\"]]}", RUGA_ERROR_INPUT, "paint"},
    };
    write_text("three.txt", "1\n# a remark\n2\n3");
    write_text("word.txt", "1\n two \n3\n4\n");
    write_text("fine.txt", "0.1\r\n\n-2e-1\n+3 \n4");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s}]}]}", head, cases[i].amount);
        assert_one(text, cases[i].status, 2, "objects[0].details[0].amount", cases[i].part);
    }
    char text[512];
    snprintf(text, sizeof text, "%s{\"keys\": [[0, \"uv\"], [1, {\"file\": \"fine.txt\"}]]}}]}]}", head);
    ruga_description *d = describe(text);
    assert_ok(context, ruga_description_check(d));
    assert_int_equal(ruga_description_finding_count(d), 0);
    ruga_description_destroy(d);
}

/* The numbers of a file are for the mesh that the detail gets, after those before it. */
static void files_of_numbers_fit_the_mesh_they_apply_to(void **state) {
    (void)state;
    write_text("nine.txt", "1 \n2\n3\n4\n5\n6\n7\n8\n9\n");
    ruga_description *d = describe(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 1, "
        "\"rows\": 1}, \"details\": [\"subdivide\", {\"kind\": \"displace\", \"amount\": "
        "{\"file\": \"nine.txt\"}}]}]}");
    assert_ok(context, ruga_description_check(d));
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    assert_ok(context, ruga_scene_step(scene));
    const ruga_vec3 *p = ruga_scene_frame(scene, 0)->positions;
    for (int i = 0; i < 9; i++) {
        assert_less_case(i + 1 - 1e-12, p[i].y, "i %d", i);
        assert_less_case(p[i].y, i + 1 + 1e-12, "i %d", i);
    }
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

static void times_of_keys_rise(void **state) {
    (void)state;
    assert_one(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"body\": {\"kind\": \"rigid\", \"keys\": [\n"
        "{\"time\": 1},\n{\"time\": 1}]}}]}",
        RUGA_ERROR_INPUT, 3, "objects[0].body.keys[1].time", "times must rise");
}

static void impossible_edits_are_reported(void **state) {
    (void)state;
    assert_one(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"bar\", \"solid\": 1}, \"edits\": [\n"
        "\"subdivide\"], \"details\": [\"subdivide\", {\"kind\": \"displace\", \"amount\": \"none\"}]}]}",
        RUGA_ERROR_INPUT, 2, "objects[0].edits[0]", "tet");
    assert_one(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"bar\", \"solid\": 1}, \"details\": [\n"
        "\"subdivide\", {\"kind\": \"displace\", \"amount\": \"none\"}]}]}",
        RUGA_ERROR_INPUT, 2, "objects[0].details[0]", "tet");
}

/* ---- Without effect. */

static void parts_that_a_body_refuses_are_findings(void **state) {
    (void)state;
    assert_one(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"body\": {\"kind\": \"cloth\",\n"
        "\"integrator\": \"filter\"}, \"hooks\": [\n"
        "{\"kind\": \"crease\", \"lines\": [{\"points\": [[-0.5, 0, 0.013], [0.5, 0, 0.013]], "
        "\"angle\": 60}]}]}]}",
        RUGA_ERROR_UNSUPPORTED, 3, "objects[0].hooks[0]", " are stiff, and the integrator filter");
    ruga_description *d = describe(
        "{\"objects\": [{\"name\": \"l\", \"mesh\": \"bar\", \"body\": \"lattice\", \"hooks\": [\n{\"kind\": "
        "\"collide\"}, {\"kind\": \"collide\"}]}], \"colliders\": [{\"kind\": \"plane\", \"point\": [0, -9, 0]}]}");
    assert_status(ruga_description_check(d), RUGA_ERROR_UNSUPPORTED);
    find(d, "objects[0].hooks[0]", "acts on the vertices of cloth");
    find(d, "objects[0].hooks[1]", "acts on the vertices of cloth");
    ruga_description_destroy(d);
}

static void kinds_say_whether_forces_move_them(void **state) {
    (void)state;
    static const char *const moved[] = {"cloth", "lattice", "flesh"}, *const led[] = {"static", "animated", "rigid"};
    char path[64];
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "objects.body.%s", moved[i]);
        assert_true(ruga_scene_body_has_dynamics(ruga_scene_section_find(path)));
        snprintf(path, sizeof path, "objects.body.%s", led[i]);
        assert_false(ruga_scene_body_has_dynamics(ruga_scene_section_find(path)));
    }
    assert_false(ruga_scene_body_has_dynamics(ruga_scene_section_find("objects.hooks.crease")));
    assert_false(ruga_scene_body_has_dynamics(NULL));
}

/* The finish of an object by its kinds and its material; which of its hooks cut it. */
static void kinds_and_materials_say_how_objects_are_drawn(void **state) {
    (void)state;
    static const struct {
        const char *object;
        ruga_finish finish;
        int is_cut;
    } cases[] = {
        {"\"body\": \"cloth\"", RUGA_FINISH_CLOTH, 0},
        {"\"body\": \"cloth\", \"material\": \"paper\"", RUGA_FINISH_PAPER, 0},
        {"\"body\": \"cloth\", \"material\": \"mine\"", RUGA_FINISH_LEATHER, 0},
        {"\"body\": \"flesh\", \"material\": \"paper\"", RUGA_FINISH_SKIN, 0},
        {"\"body\": \"static\"", RUGA_FINISH_PLAIN, 0},
        {"\"body\": \"static\", \"details\": [{\"kind\": \"subdivide\"}, {\"kind\": \"shell\"}]", RUGA_FINISH_LEATHER,
         0},
        {"\"body\": \"lattice\", \"details\": [{\"kind\": \"shell\", \"skin\": \"fruit\"}]", RUGA_FINISH_SKIN, 0},
        {"\"body\": \"cloth\", \"hooks\": [{\"kind\": \"collide\"}]", RUGA_FINISH_CLOTH, 0},
        {"\"body\": \"cloth\", \"hooks\": [{\"kind\": \"collide\"}, {\"kind\": \"crease\", \"curves\": \"a.svg\"}]",
         RUGA_FINISH_CLOTH, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        ruga_description *d = NULL;
        snprintf(text, sizeof text,
                 "{\"materials\": [{\"name\": \"mine\", \"like\": \"leather\"}], "
                 "\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", %s}]}",
                 cases[i].object);
        assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
        const ruga_scene_def *def = ruga_description_get(d);
        assert_equal_case(ruga_scene_object_finish(def, def->objects.items), cases[i].finish, "case %zu", i);
        assert_equal_case(ruga_scene_object_is_cut(def->objects.items), cases[i].is_cut, "case %zu", i);
        ruga_description_destroy(d);
    }
}

static void what_has_no_effect_is_a_warning(void **state) {
    (void)state;
    const char *const object = "\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\"}]";
    static const struct {
        const char *text, *path, *part;
    } cases[] = {
        {"\"wind\": [1, 0, 0]", "wind.velocity", "the wind has no effect: no object has a body such as"},
        {"\"wind\": {\"gust\": 1}", "wind.gust", "fraction of the mean speed"},
        {"\"gravity\": [0, -1, 0]", "gravity", "gravity has no effect"},
        {"\"colliders\": [\"plane\"]", "colliders", "colliders have no effect: no object has a body such as"},
        {"\"time\": {\"frames\": 0}", "time.frames", "no frames"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "{%s,\n%s}", object, cases[i].text);
        assert_one(text, RUGA_WARNING_INPUT, 2, cases[i].path, cases[i].part);
    }
    assert_one("{\n\"objects\": []}", RUGA_WARNING_INPUT, 2, "objects", "no objects");
    assert_one("{\n\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"hooks\": [\"collide\"]}]}",
               RUGA_WARNING_INPUT, 2, "objects", "nothing in \"colliders\"");
    assert_one(
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"hooks\": [\"collide\"]}], \"colliders\": [\n"
        "{\"kind\": \"plane\", \"normal\": [0, 0, 0]}]}",
        RUGA_ERROR_INPUT, 2, "colliders[0].normal", "zero");
}

/* ---- All at once. */

static void all_mistakes_are_reported_at_once_in_the_order_of_the_text(void **state) {
    (void)state;
    ruga_description *d = describe(
        "{\n\"wind\": [1, 0, 0],\n\"objects\": [\n"
        "{\"name\": \"a\", \"mesh\": \"gone.obj\", \"body\": \"animated\"},\n"
        "{\"name\": \"b\", \"mesh\": \"sheet\", \"material\": \"stone\"},\n"
        "{\"name\": \"b\", \"mesh\": \"sheet\",\n"
        "\"details\": [{\"kind\": \"displace\", \"amount\": \"mask\"}]}],\n"
        "\"materials\": [{\"name\": \"m\", \"like\": \"m\"}]}");
    assert_status(ruga_description_check(d), RUGA_ERROR_FILE);
    assert_int_equal(ruga_description_finding_count(d), 6);
    find(d, "wind.velocity", "the wind has no effect");
    find(d, "objects[0].mesh.file", "gone.obj");
    find(d, "objects[1].material", "stone");
    find(d, "objects[2].name", "objects[1]");
    find(d, "objects[2].details[0].amount", "mask");
    find(d, "materials[0].like", "circle");
    for (size_t i = 1; i < 6; i++)
        assert_at_most_case(ruga_description_finding(d, i - 1)->line, ruga_description_finding(d, i)->line, "i %zu", i);
    ruga_description_destroy(d);
}

/* The check keeps the findings of the reader, each once, and adds its own. */
static void a_scene_that_did_not_read_well_is_checked_too(void **state) {
    (void)state;
    const char *text =
        "{\"objects\": [{\"name\": \"a\"},\n{\"name\": \"b\", \"mesh\": \"sheet\", \"material\": \"sillk\"}]}";
    ruga_description *d = NULL;
    assert_status(ruga_description_read_memory(context, "scene", text, strlen(text), &d), RUGA_ERROR_INPUT);
    assert_status(ruga_description_check(d), RUGA_ERROR_INPUT);
    assert_int_equal(ruga_description_finding_count(d), 2);
    find(d, "objects[1].material", "silk");
    ruga_description_destroy(d);
}

/* A parameter that must be given is reported once. */
static void a_missing_parameter_is_one_finding(void **state) {
    (void)state;
    const char *text = "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"details\": [\"displace\"]}]}";
    ruga_description *d = NULL;
    assert_status(ruga_description_read_memory(context, "scene", text, strlen(text), &d), RUGA_ERROR_INPUT);
    assert_status(ruga_description_check(d), RUGA_ERROR_INPUT);
    assert_int_equal(ruga_description_finding_count(d), 1);
    find(d, "objects[0].details[0].amount", "is missing");
    ruga_description_destroy(d);
}

static ruga_status check_once(ruga_context *c, void *user) {
    ruga_description *d = NULL;
    ruga_status status = ruga_description_read_memory(c, "scene", user, strlen(user), &d);
    if (!RUGA_FAILED(status)) status = ruga_description_check(d);
    ruga_description_destroy(d);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    char text[] =
        "{\"wind\": [1, 0, 0], \"materials\": [{\"name\": \"m\", \"like\": \"silk\"}], \"objects\": ["
        "{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 1, \"rows\": 1}, \"material\": \"m\", "
        "\"edits\": [\"subdivide\"], \"details\": [\"subdivide\", {\"kind\": \"displace\", \"amount\": \"uv\"}]}]}";
    assert_less(20, assert_every_allocation_may_fail(check_once, text));
}

/* Asks to stop the n-th time it is asked. */
static int stop_after(void *user, const char *stage, double fraction) {
    int *left = user;
    (void)stage, (void)fraction;
    return (*left)-- == 0;
}

static void a_check_can_be_cancelled_between_objects(void **state) {
    (void)state;
    static const char text[] =
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\"}, {\"name\": \"b\", \"mesh\": \"sheet\"}]}";
    for (int left = 0; left < 2; left++) {
        int count = left;
        ruga_description *d = NULL;
        ruga_context_def def = ruga_context_def_default();
        def.progress = stop_after;
        def.progress_user = &count;
        ruga_context *asking = NULL;
        assert_int_equal(ruga_context_create(&def, &asking), RUGA_OK);
        assert_ok(asking, ruga_description_read_memory(asking, "scene", text, strlen(text), &d));
        assert_int_equal(ruga_description_check(d), RUGA_ERROR_CANCELLED);
        ruga_description_destroy(d);
        ruga_context_destroy(asking);
    }
}

/* A single object may be a large one: mesh, body, edits and parts are asked about one by one. */
static void a_check_can_be_cancelled_within_an_object(void **state) {
    (void)state;
    static const char text[] =
        "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"edits\": [\"subdivide\"], \"body\": \"cloth\", "
        "\"material\": \"cotton\", \"details\": [\"subdivide\", \"jiggle\"]}]}";
    int asked = 0;
    for (int left = 0;; left++) {
        int count = left;
        ruga_description *d = NULL;
        ruga_context_def def = ruga_context_def_default();
        def.progress = stop_after;
        def.progress_user = &count;
        ruga_context *asking = NULL;
        assert_int_equal(ruga_context_create(&def, &asking), RUGA_OK);
        assert_ok(asking, ruga_description_read_memory(asking, "scene", text, strlen(text), &d));
        const ruga_status status = ruga_description_check(d);
        ruga_description_destroy(d);
        ruga_context_destroy(asking);
        if (status != RUGA_ERROR_CANCELLED) break;
        asked++;
    }
    assert_less(7, asked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fine_scene_has_no_findings),
        cmocka_unit_test(names_are_unique_and_fit_for_files),
        cmocka_unit_test(materials_are_known_whole_and_go_in_no_circle),
        cmocka_unit_test(files_are_there_and_hold_meshes),
        cmocka_unit_test(motions_fit_their_meshes),
        cmocka_unit_test(an_action_is_of_its_own_model),
        cmocka_unit_test(parameters_find_their_values),
        cmocka_unit_test(files_of_numbers_fit_the_mesh_they_apply_to),
        cmocka_unit_test(times_of_keys_rise),
        cmocka_unit_test(impossible_edits_are_reported),
        cmocka_unit_test(parts_that_a_body_refuses_are_findings),
        cmocka_unit_test(kinds_say_whether_forces_move_them),
        cmocka_unit_test(kinds_and_materials_say_how_objects_are_drawn),
        cmocka_unit_test(what_has_no_effect_is_a_warning),
        cmocka_unit_test(all_mistakes_are_reported_at_once_in_the_order_of_the_text),
        cmocka_unit_test(a_scene_that_did_not_read_well_is_checked_too),
        cmocka_unit_test(a_missing_parameter_is_one_finding),
        cmocka_unit_test(a_check_can_be_cancelled_between_objects),
        cmocka_unit_test(a_check_can_be_cancelled_within_an_object),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
