/* Fabric in scenes: what is chosen, reported and refused of membranes, warps, shear and strain limits. */
#include <stdio.h>

#include "support/support.h"

typedef struct log_lines {
    char text[8192];
    size_t used;
} log_lines;
static log_lines lines;
static ruga_context *context;

static void keep_line(void *user, ruga_log_level level, const char *message) {
    log_lines *log = user;
    (void)level;
    log->used += (size_t)snprintf(log->text + log->used, sizeof log->text - log->used, "%s\n", message);
    if (log->used >= sizeof log->text) log->used = sizeof log->text - 1;
}

static int set_up(void **state) {
    (void)state;
    ruga_context_def def = ruga_context_def_default();
    def.log = keep_line;
    def.log_user = &lines;
    return ruga_context_create(&def, &context) == RUGA_OK ? 0 : 1;
}

static int tear_down(void **state) {
    (void)state;
    test_folder_remove();
    ruga_context_destroy(context);
    return 0;
}

static void write_text(const char *path, const char *text) { write_test_file(path, text, strlen(text)); }

#define AUTO ", \"elements\": \"auto\""
#define SHEET(quads) "\"mesh\": {\"kind\": \"sheet\", \"columns\": 4, \"rows\": 4, \"quads\": " quads "}"
#define OBJECT(mesh, more, body) "{\"name\": \"cloth\", " mesh more ", \"body\": {\"kind\": \"cloth\"" body "}}"
#define SCENE(mesh, more, body) "{\"objects\": [" OBJECT(mesh, more, body) "]}"

/* The warning or error whose message has the part; NULL: there is none. */
static const ruga_finding *find(const ruga_description *d, const char *part) {
    for (size_t i = 0; i < ruga_description_finding_count(d); i++)
        if (strstr(ruga_description_finding(d, i)->message, part)) return ruga_description_finding(d, i);
    return NULL;
}

static ruga_description *describe(const char *text) {
    ruga_description *d = NULL;
    lines = (log_lines){{0}, 0};
    assert_ok(context, ruga_description_read_memory(context, "scene", text, strlen(text), &d));
    return d;
}

static void assert_finding(const char *text, ruga_status status, const char *path, const char *part) {
    ruga_description *d = describe(text);
    ruga_description_check(d);
    const ruga_finding *f = find(d, part);
    fail_if(!f, "nothing says \"%s\"", part);
    assert_int_equal(f->status, status);
    assert_string_equal(f->path, path);
    ruga_description_destroy(d);
}

static void assert_no_finding(const char *text) {
    ruga_description *d = describe(text);
    ruga_scene *scene = NULL;
    assert_ok(context, ruga_description_check(d));
    assert_int_equal(ruga_description_finding_count(d), 0);
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

static void triangles_are_a_membrane_and_the_log_says_so(void **state) {
    (void)state;
    assert_no_finding(SCENE(SHEET("0"), "", AUTO));
    assert_non_null(strstr(lines.text, "\"cloth\": its triangles are a membrane; the warp runs along u of the UVs"));
    assert_non_null(strstr(lines.text, "the integrator is \"implicit\", because none was chosen"));
    assert_no_finding(SCENE(SHEET("0"), "", AUTO ", \"integrator\": \"implicit\", \"warp\": [1, 1, 0]"));
    assert_non_null(strstr(lines.text, "the warp runs along the given direction"));
    assert_null(strstr(lines.text, "because none was chosen"));
    assert_no_finding(SCENE(SHEET("1"), "", AUTO));
    assert_null(strstr(lines.text, "membrane"));
    /* Bound cloth, with a name of its own: said once, for this object. */
    assert_no_finding("{\"objects\": [{\"name\": \"page\", " SHEET(
        "0") ", \"body\": {\"kind\": \"cloth\"" AUTO
             "}, \"hooks\": [{\"kind\": \"crease\", \"lines\": [{\"points\": [[-0.5, 0, 0.03], [0.5, 0, 0.03]], "
             "\"angle\": 20}]}]}]}");
    assert_non_null(strstr(lines.text, "\"page\": the integrator is \"implicit\", because the cloth is bound"));
    assert_null(strstr(lines.text, "because none was chosen"));
    assert_no_finding(SCENE(SHEET("0"), "", AUTO ", \"integrator\": \"approximate_implicit\""));
    assert_null(strstr(lines.text, "membrane"));
}

static void a_mesh_without_uvs_gets_the_default_direction_and_the_log_says_so(void **state) {
    (void)state;
    const char *path = test_path("plain.obj");
    write_text(path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n");
    char text[1024];
    snprintf(text, sizeof text, SCENE("\"mesh\": \"%s\"", "", AUTO), path);
    assert_no_finding(text);
    assert_non_null(strstr(lines.text, "upwards, and along x where it is level, because the mesh has no UVs"));
}

static void uvs_without_area_and_a_warp_across_the_cloth_are_warnings(void **state) {
    (void)state;
    const char *path = test_path("flat.obj");
    write_text(path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\nf 2/2 4/2 3/3\n");
    char text[1024];
    snprintf(text, sizeof text, SCENE("\"mesh\": \"%s\"", "", AUTO), path);
    assert_finding(text, RUGA_WARNING_INPUT, "objects[0].body.warp",
                   "UVs of 1 of 2 triangles have no area, of triangle 1 first");
    snprintf(text, sizeof text, SCENE("\"mesh\": \"%s\"", "", AUTO ", \"warp\": [1, 0, 0]"), path);
    assert_no_finding(text);
    snprintf(text, sizeof text, SCENE("\"mesh\": \"%s\"", "", AUTO ", \"warp\": [0, 0, 1]"), path);
    assert_finding(text, RUGA_WARNING_INPUT, "objects[0].body.warp", "the warp crosses 2 of 2 triangles");
}

static void a_shear_that_springs_ignore_is_a_warning(void **state) {
    (void)state;
    const char *part = "shear is ignored on 100 % of the triangles";
    assert_finding(SCENE(SHEET("0"), "", ", \"shear\": 100, \"elements\": \"springs\""), RUGA_WARNING_INPUT,
                   "objects[0].body.shear", part);
    assert_finding(SCENE(SHEET("0"), "", ", \"shear\": 100, \"integrator\": \"approximate_implicit\""),
                   RUGA_WARNING_INPUT, "objects[0].body.shear", part);
    assert_finding(SCENE(SHEET("1"), "", ", \"shear\": 100, \"quads\": false"), RUGA_WARNING_INPUT,
                   "objects[0].body.shear", part);
    assert_no_finding(SCENE(SHEET("1"), "", ", \"shear\": 100"));
    assert_no_finding(SCENE(SHEET("0"), "", AUTO ", \"shear\": 100"));
}

static void a_warp_and_a_weft_that_springs_ignore_are_warnings(void **state) {
    (void)state;
    assert_finding(SCENE(SHEET("1"), "", AUTO ", \"weft\": 300"), RUGA_WARNING_INPUT, "objects[0].body.weft",
                   "springs ignore it");
    assert_finding(SCENE(SHEET("1"), "", AUTO ", \"warp\": [1, 0, 0]"), RUGA_WARNING_INPUT, "objects[0].body.warp",
                   "springs ignore it");
}

static void membranes_that_cannot_be_are_errors(void **state) {
    (void)state;
    assert_finding(SCENE(SHEET("0"), "", ", \"elements\": \"membrane\", \"integrator\": \"approximate_implicit\""),
                   RUGA_ERROR_INPUT, "objects[0].body", "approximate_implicit works on springs alone");
    assert_finding(SCENE(SHEET("0"), "", ", \"elements\": \"membrane\", \"axial_bending\": true"), RUGA_ERROR_INPUT,
                   "objects[0].body", "axial_bending");
    assert_finding(SCENE(SHEET("0"), "", AUTO ", \"warp\": [0, 0, 0]"), RUGA_ERROR_INPUT, "objects[0].body",
                   "direction of the warp");
}

static void hinges_that_cannot_be_are_errors(void **state) {
    (void)state;
    assert_finding(SCENE(SHEET("1"), "", ", \"bending\": \"hinges\", \"integrator\": \"filter\""), RUGA_ERROR_INPUT,
                   "objects[0].body", "filter works on springs alone");
    assert_finding(SCENE(SHEET("1"), "", ", \"bending\": \"hinges\", \"sweeps\": 6"), RUGA_ERROR_INPUT,
                   "objects[0].body", "approximate_implicit works on springs alone");
    assert_finding(SCENE(SHEET("1"), "", ", \"bending\": \"hinges\", \"axial_bending\": true"), RUGA_ERROR_INPUT,
                   "objects[0].body", "both resist folds");
    assert_no_finding(SCENE(SHEET("1"), "", AUTO ", \"bending\": \"hinges\""));
}

static void keys_of_older_scenes_are_refused_with_what_to_write_now(void **state) {
    (void)state;
    const char *old = SCENE(SHEET("1"), "", ", \"hinges\": true");
    ruga_description *d = NULL;
    assert_status(ruga_description_read_memory(context, "scene", old, strlen(old), &d), RUGA_ERROR_INPUT);
    assert_message_has(context, "\"hinges\" is a key of older scenes; write \"bending\": \"hinges\" instead");
    ruga_description_destroy(d);
}

#define MATERIAL(numbers)                                               \
    "{\"materials\": [{\"name\": \"m\", \"like\": \"cotton\", " numbers \
    "}], \"objects\": [" OBJECT(SHEET("0"), ", \"material\": \"m\"", AUTO) "]}"

/* The same on quads, with an integrator. */
#define QUADS(numbers, integrator)                                      \
    "{\"materials\": [{\"name\": \"m\", \"like\": \"cotton\", " numbers \
    "}], \"objects\": [" OBJECT(SHEET("1"), ", \"material\": \"m\"", ", \"integrator\": \"" integrator "\"") "]}"

static void strain_limits_below_zero_or_unused_or_below_the_own_weight_are_reported(void **state) {
    (void)state;
    const char *below = MATERIAL("\"strain_limit\": -0.1");
    ruga_description *d = NULL;
    assert_status(ruga_description_read_memory(context, "scene", below, strlen(below), &d), RUGA_ERROR_INPUT);
    assert_message_has(context, "materials[0].strain_limit: found -0.1, but it must be within 0 and 1000");
    ruga_description_destroy(d);
    assert_finding(QUADS("\"strain_limit\": 0.05", "approximate_implicit"), RUGA_WARNING_INPUT,
                   "materials[0].strain_limit", "ignores the strain limit: its integrator is approximate_implicit");
    assert_finding(QUADS("\"strain_limit\": 0.05", "auto"), RUGA_WARNING_INPUT, "materials[0].strain_limit",
                   "use implicit");
    assert_no_finding(QUADS("\"strain_limit\": 0.05", "implicit"));
    assert_no_finding(QUADS("\"bend\": 1e-6", "approximate_implicit"));
    assert_finding(MATERIAL("\"stretch\": 10"), RUGA_WARNING_INPUT, "objects[0].material",
                   "stretches by 11.8 % under its own weight, more than its strain_limit of 3 %");
    assert_finding(SCENE(SHEET("0"), "", AUTO ", \"weft\": 10"), RUGA_WARNING_INPUT, "objects[0].body.weft",
                   "raise the limit or the weft");
    assert_no_finding(MATERIAL("\"stretch\": 10, \"strain_limit\": 0"));
    assert_no_finding(MATERIAL("\"stretch\": 10, \"strain_limit\": 0.2"));
}

/* Fabric with friction of bending is solved to a tenth of the tolerance, and the warning has that one. */
static void a_solve_that_stops_early_is_reported_with_its_own_tolerance(void **state) {
    (void)state;
    ruga_scene *scene = NULL;
    ruga_description *d =
        describe(SCENE(SHEET("0"), "", ", \"iterations\": 1, \"pins\": [{\"kind\": \"fixed\", \"vertices\": \"0\"}]"));
    assert_ok(context, ruga_scene_create(context, ruga_description_get(d), &scene));
    for (int f = 0; f < 4; f++) assert_ok(context, ruga_scene_step(scene));
    fail_if(!strstr(lines.text, "above the tolerance of 0.0001;"), "the log says: %s", lines.text);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_a_membrane_and_the_log_says_so),
        cmocka_unit_test(a_mesh_without_uvs_gets_the_default_direction_and_the_log_says_so),
        cmocka_unit_test(uvs_without_area_and_a_warp_across_the_cloth_are_warnings),
        cmocka_unit_test(a_shear_that_springs_ignore_is_a_warning),
        cmocka_unit_test(a_warp_and_a_weft_that_springs_ignore_are_warnings),
        cmocka_unit_test(membranes_that_cannot_be_are_errors),
        cmocka_unit_test(hinges_that_cannot_be_are_errors),
        cmocka_unit_test(keys_of_older_scenes_are_refused_with_what_to_write_now),
        cmocka_unit_test(strain_limits_below_zero_or_unused_or_below_the_own_weight_are_reported),
        cmocka_unit_test(a_solve_that_stops_early_is_reported_with_its_own_tolerance),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
