/* Cloth in scenes: pins chosen by every method, leaders, materials, and the messages for impossible values. */
#include <math.h>
#include <stdio.h>

#include "math/vec3.h"
#include "support/support.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(2);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    test_folder_remove();
    ruga_context_destroy(context);
    return 0;
}

/* A sheet of 5 x 5 vertices, 1 m wide, standing; its topmost row is 20 to 24, at y = 0.5. */
#define SHEET "\"mesh\": {\"kind\": \"sheet\", \"columns\": 4, \"rows\": 4, \"upright\": 1, \"quads\": 1}"
#define CLOTH(body) "{\"objects\": [{\"name\": \"cloth\", " SHEET ", \"body\": {\"kind\": \"cloth\", " body "}}]}"
#define PINS(pins) CLOTH("\"pins\": [" pins "]")

static ruga_description *describe(const char *text) {
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    return d;
}

static ruga_scene *make_scene(const char *text) {
    ruga_description *d = describe(text);
    assert_ok(context, ruga_description_check(d));
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_description_destroy(d);
    return scene;
}

static void step(ruga_scene *scene, int frames) {
    for (int f = 0; f < frames; f++) assert_ok(context, ruga_scene_step(scene));
}

/* Vertices of the object that are where the mesh has them, as bits. */
static uint32_t held(const ruga_scene *scene, size_t object) {
    const ruga_mesh *mesh = ruga_scene_object_mesh(scene, object);
    const ruga_vec3 *p = ruga_scene_frame(scene, object)->positions;
    uint32_t bits = 0;
    for (size_t i = 0; i < mesh->vertex_count; i++)
        bits |= (uint32_t)(vec3_distance(p[i], mesh->positions[i]) == 0) << i;
    return bits;
}

/* Asserts that the check of a scene reports the mistake, and that making the scene fails with the same text. */
static void assert_wrong(const char *text, const char *path, const char *part) {
    ruga_description *d = describe(text);
    ruga_scene *scene = NULL;
    assert_true(RUGA_FAILED(ruga_description_check(d)));
    const ruga_finding *f = NULL;
    for (size_t i = 0; i < ruga_description_finding_count(d); i++)
        if (strstr(ruga_description_finding(d, i)->message, part)) f = ruga_description_finding(d, i);
    fail_if(!f, "not \"%s\" but \"%s\"", part, ruga_description_finding(d, 0)->message);
    assert_string_equal(f->path, path);
    assert_true(RUGA_FAILED(f->status));
    assert_true(RUGA_FAILED(ruga_scene_create(context, ruga_description_get(d), &scene)));
    assert_message_has(context, part);
    assert_message_has(context, "object \"cloth\"");
    assert_null(scene);
    ruga_description_destroy(d);
}

/* ---- Pins. */

enum { TOP = 31u << 20 };

static void pins_hold_the_vertices_that_each_method_chooses(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t held;
    } cases[] = {
        {PINS("{\"kind\": \"fixed\", \"box_from\": [-1, 0.49, -1]}"), TOP},
        {PINS("{\"kind\": \"fixed\", \"box_to\": [-0.49, 0.1, 1]}"), 1u << 0 | 1u << 5 | 1u << 10},
        {PINS("{\"kind\": \"fixed\", \"box_from\": [0.2, 0.2, -1], \"box_to\": [0.3, 0.3, 1]}"), 1u << 18},
        {PINS("{\"kind\": \"fixed\", \"vertices\": \"20-24\"}"), TOP},
        {PINS("{\"kind\": \"fixed\", \"vertices\": \" 20 - 22,23 24 \"}"), TOP},
        {PINS("{\"kind\": \"fixed\", \"where\": {\"attribute\": \"uv\"}}"),
         3u << 3 | 3u << 8 | 3u << 13 | 3u << 18 | 3u << 23},
        {PINS("{\"kind\": \"fixed\", \"where\": 1}"), (1u << 25) - 1},
        {PINS("{\"kind\": \"fixed\", \"vertices\": \"20\"}, {\"kind\": \"fixed\", \"vertices\": \"24\"}"),
         1u << 20 | 1u << 24},
        {PINS("{\"kind\": \"fixed\", \"vertices\": \"20\", \"box_from\": [0.4, 0.4, -1]}"), 1u << 20 | 1u << 24},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ruga_scene *scene = make_scene(cases[i].text);
        step(scene, 4);
        fail_if(held(scene, 0) != cases[i].held, "%s: %x", cases[i].text, held(scene, 0));
        ruga_scene_destroy(scene);
    }
}

static void pins_hold_painted_vertices_and_groups(void **state) {
    (void)state;
    static const char mesh[] =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\n"
        "g hem\nf 1 2 3 4\ng rest\nf 2 5 6 3\n";
    write_test_file(test_path("cloth.obj"), mesh, strlen(mesh));
    write_test_file(test_path("pins.txt"), "0\n0\n0\n0\n1\n0.6\n", 14);
    char text[2048];
    const char *const where[] = {"{\"group\": \"hem\"}", "{\"file\": \"%s\"}"};
    const uint32_t expected[] = {15, 48};
    for (size_t i = 0; i < 2; i++) {
        char choice[700];
        snprintf(choice, sizeof choice, where[i], test_path("pins.txt"));
        snprintf(text, sizeof text,
                 "{\"objects\": [{\"name\": \"cloth\", \"mesh\": \"%s\", \"body\": {\"kind\": \"cloth\", \"pins\": "
                 "[{\"kind\": \"fixed\", \"where\": %s}]}}]}",
                 test_path("cloth.obj"), choice);
        ruga_scene *scene = make_scene(text);
        step(scene, 4);
        assert_int_equal(held(scene, 0), expected[i]);
        ruga_scene_destroy(scene);
    }
}

static void paths_are_followed_through_their_keys(void **state) {
    (void)state;
    ruga_scene *scene = make_scene(PINS(
        "{\"kind\": \"path\", \"vertices\": \"20-24\", \"keys\": [{\"time\": 0.25}, {\"time\": 0.75, \"move\": [0, 0, "
        "1]}]}"));
    const ruga_vec3 *rest = ruga_scene_object_mesh(scene, 0)->positions;
    for (int f = 0; f < 24; f++) {
        step(scene, 1);
        double t = f / 24.0, moved = fmin(fmax((t - 0.25) / 0.5, 0), 1);
        for (size_t i = 20; i < 25; i++)
            assert_near_case(ruga_scene_frame(scene, 0)->positions[i].z - rest[i].z, moved, 1e-12, "f %d, i %zu", f, i);
    }
    ruga_scene_destroy(scene);
}

/* On a body that turns, pins turn about the same axis by the same angle. */
static void followers_turn_with_what_leads_them(void **state) {
    (void)state;
    ruga_scene *scene = make_scene(
        "{\"objects\": [{\"name\": \"rod\", \"mesh\": {\"kind\": \"bar\", \"length\": 1.2}, \"move\": [0, 0.6, 0],\n"
        "\"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 1, \"turn\": [0, 90, 0]}]}},\n"
        "{\"name\": \"cloth\", " SHEET
        ", \"body\": {\"kind\": \"cloth\", \"pins\": [{\"kind\": \"follow\", \"object\": \"rod\", \"vertices\": "
        "\"20-24\"}]}}]}");
    const ruga_vec3 *rest = ruga_scene_object_mesh(scene, 1)->positions;
    step(scene, 25);
    for (size_t i = 20; i < 25; i++) {
        vec3 turned = {rest[i].z, rest[i].y, -rest[i].x};
        assert_less_case(vec3_distance(ruga_scene_frame(scene, 1)->positions[i], turned), 1e-12, "i %zu", i);
    }
    ruga_scene_destroy(scene);
}

static void pins_that_hold_nothing_or_twice_are_reported(void **state) {
    (void)state;
    const char *pin = "objects[0].body.pins[0]", *vertices = "objects[0].body.pins[0].vertices";
    assert_wrong(PINS("{\"kind\": \"fixed\"}"), pin, "chooses no vertex");
    assert_wrong(PINS("{\"kind\": \"fixed\", \"box_from\": [5, 5, 5]}"), pin,
                 "chooses no vertex; the mesh reaches from (");
    assert_wrong(PINS("{\"kind\": \"fixed\", \"vertices\": \"25\"}"), vertices, "vertex 25 is to be pinned");
    assert_wrong(PINS("{\"kind\": \"fixed\", \"vertices\": \"3-x\"}"), vertices, "\"3-x\"");
    assert_wrong(PINS("{\"kind\": \"fixed\", \"vertices\": \"3, four\"}"), vertices, "\"four\"");
    assert_wrong(PINS("{\"kind\": \"fixed\", \"vertices\": \"4-3\"}"), vertices, "\"4-3\"");
    assert_wrong(PINS("{\"kind\": \"fixed\", \"vertices\": \"99999999999999999999\"}"), vertices, "to be pinned");
    assert_wrong(PINS("{\"kind\": \"fixed\", \"where\": \"mask\"}"), "objects[0].body.pins[0].where", "mask");
    assert_wrong(PINS("{\"kind\": \"fixed\", \"vertices\": \"3\"}, {\"kind\": \"fixed\", \"vertices\": \"1-4\"}"),
                 "objects[0].body.pins", "vertex 3 is pinned twice");
}

static void keys_of_paths_are_there_and_rise(void **state) {
    (void)state;
    ruga_description *none = describe(PINS("{\"kind\": \"path\", \"vertices\": \"3\", \"keys\": []}"));
    assert_status(ruga_description_check(none), RUGA_ERROR_INPUT);
    assert_string_equal(ruga_description_finding(none, 0)->path, "objects[0].body.pins[0].keys");
    ruga_description_destroy(none);
    ruga_description *d =
        describe(PINS("{\"kind\": \"path\", \"vertices\": \"3\", \"keys\": [{\"time\": 1}, {\"time\": 1}]}"));
    ruga_scene *scene = NULL;
    assert_status(ruga_description_check(d), RUGA_ERROR_INPUT);
    assert_string_equal(ruga_description_finding(d, 0)->path, "objects[0].body.pins[0].keys[1].time");
    assert_status(ruga_scene_create(context, ruga_description_get(d), &scene), RUGA_ERROR_INPUT);
    ruga_description_destroy(d);
}

static void leaders_are_known_and_come_first(void **state) {
    (void)state;
    const char *place = "objects[0].body.pins[0].object";
#define FOLLOW(name, more)                                                                                         \
    "{\"objects\": [{\"name\": \"cloth\", " SHEET                                                                  \
    ", \"body\": {\"kind\": \"cloth\", \"pins\": [{\"kind\": \"follow\", \"vertices\": \"1\", \"object\": \"" name \
    "\"}]}}" more "]}"
#define OTHER(name) ", {\"name\": \"" name "\", \"mesh\": \"torus\"}"
    assert_wrong(FOLLOW("pole", ""), place, "there is no object \"pole\" to follow; there is \"cloth\"");
    assert_wrong(FOLLOW("pole", OTHER("poles")), place, "did you mean \"poles\"?");
    assert_wrong(FOLLOW("pole", OTHER("pole")), place, "stands after \"cloth\"");
    assert_wrong(FOLLOW("cloth", ""), place, "follows its own object");
}

/* ---- Materials and meshes. */

static void cloth_without_a_material_is_cotton(void **state) {
    (void)state;
    ruga_scene *plain = make_scene(PINS("{\"kind\": \"fixed\", \"vertices\": \"20\"}"));
    ruga_scene *cotton = make_scene("{\"objects\": [{\"name\": \"cloth\", \"material\": \"cotton\", " SHEET
                                    ", \"body\": {\"kind\": \"cloth\", \"pins\": [{\"kind\": \"fixed\", \"vertices\": "
                                    "\"20\"}]}}]}");
    uint64_t a, b;
    step(plain, 5);
    step(cotton, 5);
    assert_ok(context, ruga_scene_state_hash(plain, &a));
    assert_ok(context, ruga_scene_state_hash(cotton, &b));
    assert_true(a == b);
    ruga_scene_destroy(plain);
    ruga_scene_destroy(cotton);
}

#define MATERIAL(numbers)                                                 \
    "{\"materials\": [{\"name\": \"own\", \"like\": \"cotton\", " numbers \
    "}], \"objects\": [{\"name\": \"cloth\", " SHEET ", \"material\": \"own\", \"body\": \"cloth\"}]}"

static void numbers_that_cloth_cannot_have_are_refused(void **state) {
    (void)state;
    static const char *const out_of_range[][2] = {
        {MATERIAL("\"density\": 0"), "density"},
        {MATERIAL("\"density\": -1"), "density"},
        {MATERIAL("\"stretch\": -1"), "stretch"},
        {CLOTH("\"sweeps\": 0"), "sweeps"},
        {CLOTH("\"compression_limit\": 1"), "compression_limit"},
        {CLOTH("\"drag\": -1"), "drag"},
        {CLOTH("\"thickness\": -1"), "thickness"},
        {"{\"time\": {\"fps\": 0}}", "fps"},
        {"{\"time\": {\"substeps\": -1}}", "substeps"},
    };
    for (size_t i = 0; i < sizeof out_of_range / sizeof *out_of_range; i++) {
        ruga_description *d = NULL;
        const char *text = out_of_range[i][0];
        assert_status(ruga_description_read_memory(context, "scene", text, strlen(text), &d), RUGA_ERROR_INPUT);
        assert_message_has(context, out_of_range[i][1]);
        ruga_description_destroy(d);
    }
    assert_wrong(MATERIAL("\"stretch\": 0"), "objects[0].body", "stretch is 0 N/m");
}

static void meshes_that_have_no_mass_everywhere_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *part;
    } cases[] = {
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\n", "vertex 3"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\n", "triangle 1"},
    };
    for (size_t i = 0; i < 2; i++) {
        char text[1024];
        write_test_file(test_path("bad.obj"), cases[i].mesh, strlen(cases[i].mesh));
        snprintf(text, sizeof text, "{\"objects\": [{\"name\": \"cloth\", \"mesh\": \"%s\", \"body\": \"cloth\"}]}",
                 test_path("bad.obj"));
        assert_wrong(text, "objects[0].body", cases[i].part);
    }
}

/* ---- Colliders. */

/* The check warns of cloth that starts inside a ball. The first step moves it outside. */
static void cloth_that_begins_inside_is_put_outside(void **state) {
    (void)state;
    static const char text[] =
        "{\"gravity\": [0, 0, 0], \"colliders\": [{\"kind\": \"sphere\", \"radius\": 0.3, \"centre\": [0, 0, -0.1]}],\n"
        "\"objects\": [{\"name\": \"cloth\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 8, \"rows\": 8, \"upright\": "
        "1},\n"
        "\"body\": {\"kind\": \"cloth\", \"thickness\": 0.002}}]}";
    ruga_description *d = describe(text);
    assert_ok(context, ruga_description_check(d));
    assert_int_equal(ruga_description_finding_count(d), 1);
    assert_status(ruga_description_finding(d, 0)->status, RUGA_WARNING_INPUT);
    assert_non_null(strstr(ruga_description_finding(d, 0)->message, "of its 81 vertices begin inside colliders[0]"));
    ruga_description_destroy(d);
    ruga_scene *scene = make_scene(text);
    step(scene, 2);
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    for (size_t i = 0; i < frame->vertex_count; i++)
        assert_at_most_case(0.302 - 1e-9, vec3_distance(frame->positions[i], (vec3){0, 0, -0.1}), "i %zu", i);
    ruga_scene_destroy(scene);
}

static void cloth_needs_no_hook_to_feel_what_is_around_it(void **state) {
    (void)state;
    ruga_description *d = describe(
        "{\"wind\": [1, 0, 0], \"gravity\": [0, -1, 0], \"colliders\": [{\"kind\": \"plane\", \"point\": [0, -2, 0]}], "
        "\"objects\": [{\"name\": \"cloth\", \"mesh\": \"sheet\", \"body\": \"cloth\"}]}");
    assert_ok(context, ruga_description_check(d));
    assert_int_equal(ruga_description_finding_count(d), 0);
    ruga_description_destroy(d);
    d = describe(CLOTH("\"sweeps\": 4"));
    assert_ok(context, ruga_description_check(d));
    assert_int_equal(ruga_description_finding_count(d), 0);
    ruga_description_destroy(d);
}

/* ---- Every number counts. */

static uint64_t hash_with(const char *path, const char *value) {
    ruga_description *d = describe(
        "{\"wind\": [3, 0, 1], \"time\": {\"substeps\": 2}, \"colliders\": [{\"kind\": \"sphere\", \"radius\": 0.2, "
        "\"centre\": [0, -0.2, 0.3]}], \"objects\": [{\"name\": \"cloth\", " SHEET
        ", \"body\": {\"kind\": \"cloth\", \"compression_soft\": 0.9, \"compression_limit\": 0.01, \"stretch_limit\": "
        "0.001, \"adaptive\": 0.001, "
        "\"integrator\": \"approximate_implicit\", \"pins\": [{\"kind\": \"fixed\", \"vertices\": \"20\"}]}}]}");
    if (path) assert_ok(context, ruga_description_set(d, path, value));
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    step(scene, 8);
    uint64_t hash;
    assert_ok(context, ruga_scene_state_hash(scene, &hash));
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    return hash;
}

static void every_number_of_cloth_changes_what_happens(void **state) {
    (void)state;
    static const char *const changes[][2] = {
        {"integrator", "filter"},
        {"integrator", "implicit"},
        {"integrator", "semi_implicit"},
        {"integrator", "explicit"},
        {"sweeps", "6"},
        {"adaptive", "0.02"},
        {"most_steps", "2"},
        {"stretch_limit", "0.01"},
        {"limit_rounds", "1"},
        {"shear", "20"},
        {"quads", "false"},
        {"axial_bending", "true"},
        {"compression_soft", "0.5"},
        {"compression_limit", "0.02"},
        {"compression_hard", "2"},
        {"drag", "0.2"},
        {"lift", "0.2"},
        {"lift_form", "printed"},
        {"lift_form", "unit"},
        {"air_on_points", "true"},
        {"thickness", "0.01"},
    };
    uint64_t plain = hash_with(NULL, NULL);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char path[64];
        snprintf(path, sizeof path, "objects[0].body.%s", changes[i][0]);
        fail_if(hash_with(path, changes[i][1]) == plain, "%s %s changes nothing", changes[i][0], changes[i][1]);
    }
    assert_true(hash_with("objects[0].body.sweeps", "5") == hash_with("objects[0].body.sweeps", "6"));
    assert_true(hash_with("objects[0].material", "silk") != plain);
    assert_true(hash_with("objects[0].body.pins[0].vertices", "24") != plain);
}

/* ---- Changes while it runs. */

#define HANGING                                                                                                 \
    CLOTH(                                                                                                      \
        "\"integrator\": \"filter\", \"drag\": 0, \"lift\": 0, \"pins\": [{\"kind\": \"fixed\", \"vertices\": " \
        "\"20-24\"}]")

static double elongation(const ruga_scene *scene) { return -0.5 - ruga_scene_frame(scene, 0)->positions[2].y; }

/* A sheet that hangs is longer in proportion to its mass, and to the inverse of its stiffness. */
static void stiffness_and_mass_change_while_it_hangs(void **state) {
    (void)state;
    ruga_scene *scene = make_scene(HANGING);
    step(scene, 100);
    double first = elongation(scene);
    assert_ok(context, ruga_scene_set_stiffness(scene, 0, 0.25));
    step(scene, 100);
    assert_near(elongation(scene) / first, 4, 0.02);
    assert_ok(context, ruga_scene_set_mass(scene, 0, 2));
    step(scene, 200);
    assert_near(elongation(scene) / first, 8, 0.04);

    /* A state has both. */
    void *bytes;
    size_t size;
    uint64_t a, b;
    ruga_scene *other = make_scene(HANGING);
    assert_ok(context, ruga_scene_save(scene, &bytes, &size));
    assert_ok(context, ruga_scene_restore(other, bytes, size));
    step(scene, 3);
    step(other, 3);
    assert_ok(context, ruga_scene_state_hash(scene, &a));
    assert_ok(context, ruga_scene_state_hash(other, &b));
    assert_true(a == b);
    ruga_free(context, bytes);
    ruga_scene_destroy(scene);
    ruga_scene_destroy(other);
}

static ruga_vec3 steady(void *user, ruga_vec3 point, double time) {
    (void)point, (void)time;
    return *(const ruga_vec3 *)user;
}

/* Cloth that gets four times as heavy after a second, by its scene alone, hangs lower than what stays as it is. */
static void keyframes_change_mass_and_stiffness(void **state) {
    (void)state;
#define HELD "\"integrator\": \"implicit\", \"pins\": [{\"kind\": \"fixed\", \"vertices\": \"20-24\"}]"
    const char *const texts[2] = {
        CLOTH(HELD), CLOTH(HELD ", \"changes\": [{\"time\": 1}, {\"time\": 1.1, \"mass\": 4, \"stiffness\": 0.01}]")};
    double lowest[2][2] = {{0}};
    for (int k = 0; k < 2; k++) {
        ruga_scene *scene = make_scene(texts[k]);
        for (int part = 0; part < 2; part++) {
            step(scene, part == 0 ? 24 : 240);
            lowest[k][part] = ruga_scene_frame(scene, 0)->positions[2].y;
        }
        ruga_scene_destroy(scene);
    }
    assert_equal(lowest[0][0], lowest[1][0]);
    assert_less(lowest[1][1], lowest[0][1] - 0.01);
    assert_wrong(CLOTH("\"changes\": [{\"time\": 1}, {\"time\": 1}]"), "objects[0].body.changes[1].time", "1 s");
#undef HELD
}

/* A wind function of the caller that returns the wind of the table gives a bit-identical state. */
static void wind_and_substeps_change_while_it_flies(void **state) {
    (void)state;
    ruga_vec3 velocity = {4, 0, 1};
    ruga_wind_def wind = ruga_scene_def_default().wind, function = wind;
    wind.velocity = velocity;
    function.function = steady;
    function.user = &velocity;
    uint64_t hashes[3];
    for (int i = 0; i < 3; i++) {
        ruga_scene *scene = make_scene(PINS("{\"kind\": \"fixed\", \"vertices\": \"20\"}"));
        step(scene, 4);
        if (i > 0) assert_ok(context, ruga_scene_set_wind(scene, i == 1 ? &wind : &function));
        assert_ok(context, ruga_scene_set_substeps(scene, 3));
        step(scene, 4);
        assert_ok(context, ruga_scene_state_hash(scene, &hashes[i]));
        ruga_scene_destroy(scene);
    }
    assert_true(hashes[0] != hashes[1] && hashes[1] == hashes[2]);
}

static void changes_that_cannot_be_are_refused(void **state) {
    (void)state;
    ruga_scene *scene = make_scene("{\"objects\": [{\"name\": \"a\", \"mesh\": \"torus\"}, {\"name\": \"b\", " SHEET
                                   ", \"body\": \"cloth\"}]}");
    ruga_wind_def wind = ruga_scene_def_default().wind;
    wind.gust_size = -1;
    assert_status(ruga_scene_set_stiffness(scene, 0, 2), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "object \"a\" is static: it has no stiffness to change");
    assert_status(ruga_scene_set_mass(scene, 7, 2), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "no object number 7");
    assert_true(RUGA_FAILED(ruga_scene_set_stiffness(scene, 1, 0)));
    assert_true(RUGA_FAILED(ruga_scene_set_stiffness(scene, 1, NAN)));
    assert_true(RUGA_FAILED(ruga_scene_set_mass(scene, 1, -1)));
    assert_status(ruga_scene_set_wind(scene, &wind), RUGA_ERROR_ARGUMENT);
    assert_message_has(context, "gust_size");
    assert_status(ruga_scene_set_wind(scene, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_scene_set_substeps(scene, 0), RUGA_ERROR_ARGUMENT);
    step(scene, 2);
    ruga_scene_destroy(scene);
}

/* ---- Memory. */

static ruga_status make_and_check(ruga_context *with, void *user) {
    (void)user;
    static const char text[] =
        "{\"colliders\": [\"plane\"], \"objects\": [{\"name\": \"rod\", \"mesh\": {\"kind\": \"bar\", \"cells\": 2, "
        "\"cells_across\": 1}},\n"
        "{\"name\": \"cloth\", " SHEET
        ", \"move\": [0, 1, 0], \"body\": {\"kind\": \"cloth\", \"pins\": [{\"kind\": \"follow\", \"object\": \"rod\", "
        "\"vertices\": \"20\"}, {\"kind\": \"path\", \"box_from\": [0.4, 1.4, -1], \"keys\": [{\"time\": 0}]}]}}]}";
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    ruga_status status = ruga_description_read_memory(with, "scene", text, sizeof text - 1, &d);
    if (!RUGA_FAILED(status)) status = ruga_description_check(d);
    if (!RUGA_FAILED(status)) status = ruga_scene_create(with, ruga_description_get(d), &scene);
    for (int i = 0; i < 2 && !RUGA_FAILED(status); i++) status = ruga_scene_step(scene);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    return status;
}

/* Two steps from the same positions and velocities, as one would compare integrators. */
static void another_integrator_continues_from_the_same_state(void **state) {
    (void)state;
    ruga_scene *one = make_scene(PINS("{\"kind\": \"fixed\", \"vertices\": \"20-24\"}"));
    ruga_scene *other =
        make_scene(CLOTH("\"integrator\": \"filter\", \"pins\": [{\"kind\": \"fixed\", \"vertices\": \"20-24\"}]"));
    void *saved = NULL;
    size_t size;
    uint64_t hashes[2];
    step(one, 5);
    assert_ok(context, ruga_scene_save(one, &saved, &size));
    assert_ok(context, ruga_scene_restore(other, saved, size));
    ruga_free(context, saved);
    assert_ok(context, ruga_scene_state_hash(one, &hashes[0]));
    assert_ok(context, ruga_scene_state_hash(other, &hashes[1]));
    assert_true(hashes[0] == hashes[1]);
    step(one, 1);
    step(other, 1);
    assert_int_equal(ruga_scene_frame_number(one), ruga_scene_frame_number(other));
    vec3 p = ruga_scene_frame(one, 0)->positions[0], q = ruga_scene_frame(other, 0)->positions[0];
    assert_less(0, vec3_distance(p, q));
    assert_less(vec3_distance(p, q), 0.5);
    ruga_scene_destroy(one);
    ruga_scene_destroy(other);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(50, assert_every_allocation_may_fail(make_and_check, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_hold_the_vertices_that_each_method_chooses),
        cmocka_unit_test(pins_hold_painted_vertices_and_groups),
        cmocka_unit_test(paths_are_followed_through_their_keys),
        cmocka_unit_test(followers_turn_with_what_leads_them),
        cmocka_unit_test(pins_that_hold_nothing_or_twice_are_reported),
        cmocka_unit_test(keys_of_paths_are_there_and_rise),
        cmocka_unit_test(leaders_are_known_and_come_first),
        cmocka_unit_test(cloth_without_a_material_is_cotton),
        cmocka_unit_test(numbers_that_cloth_cannot_have_are_refused),
        cmocka_unit_test(meshes_that_have_no_mass_everywhere_are_refused),
        cmocka_unit_test(cloth_that_begins_inside_is_put_outside),
        cmocka_unit_test(cloth_needs_no_hook_to_feel_what_is_around_it),
        cmocka_unit_test(every_number_of_cloth_changes_what_happens),
        cmocka_unit_test(another_integrator_continues_from_the_same_state),
        cmocka_unit_test(stiffness_and_mass_change_while_it_hangs),
        cmocka_unit_test(keyframes_change_mass_and_stiffness),
        cmocka_unit_test(wind_and_substeps_change_while_it_flies),
        cmocka_unit_test(changes_that_cannot_be_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
