/* The detail "shell" in scenes: its coupling with the body below, and restored states. */
#include <math.h>
#include <stdio.h>

#include "support/support.h"

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

/* A bar that contracts along its length, with a skin. */
static ruga_description *describe_bar(const char *shell) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "{\"time\": {\"frames\": 20, \"fps\": 24, \"substeps\": 2}, \"gravity\": [0, 0, 0],\n"
        " \"objects\": [{\"name\": \"bar\", \"mesh\": {\"kind\": \"bar\", \"length\": 0.6, \"cells\": 18, "
        "\"cells_across\": 6},\n"
        "   \"body\": {\"kind\": \"lattice\", \"spacing\": 0.2, \"young\": 10000,\n"
        "     \"muscles\": [{\"box_from\": [-1, -1, -1], \"direction\": [1, 0, 0], \"stress\": 1500,\n"
        "                    \"keys\": [{\"time\": 0, \"activation\": 0}, {\"time\": 0.4, \"activation\": 1}]}]},\n"
        "   \"details\": [{\"kind\": \"shell\", \"thickness\": 0.004, \"stiffness\": 1e7%s}]}]}",
        shell);
    return describe(text);
}

/* The length of the body below the skin after n frames. */
static double length_after(const char *shell, int frames) {
    ruga_description *d = describe_bar(shell);
    ruga_scene *scene = make_scene(d);
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < frames; k++) assert_ok(context, ruga_scene_step(scene));
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    for (size_t v = 0; v < frame->vertex_count; v++) {
        low = fmin(low, frame->positions[v].x);
        high = fmax(high, frame->positions[v].x);
    }
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    return high - low;
}

/* Contraction by stress / young is 15 % without a skin that resists. */
static void a_skin_stiffens_the_lattice_that_it_lies_on(void **state) {
    skip_unless_long();
    (void)state;
    const double one = length_after(", \"coupling\": \"one_way\"", 12);
    const double two = length_after(", \"coupling\": \"two_way\"", 12), automatic = length_after("", 12);
    assert_less(one, 0.9 * 0.6);
    assert_less(0.9 * 0.6, two);
    assert_equal(automatic, two);
}

static void a_restored_scene_continues_bit_identically(void **state) {
    (void)state;
    ruga_description *d = describe_bar("");
    ruga_scene *scene = make_scene(d), *other = make_scene(d);
    for (int i = 0; i < 6; i++) assert_ok(context, ruga_scene_step(scene));
    assert_less(1e-6, scene_measure(scene, "bar.shell.amplitude"));
    void *bytes = NULL;
    size_t size;
    uint64_t one = 0, two = 1;
    assert_ok(context, ruga_scene_save(scene, &bytes, &size));
    assert_ok(context, ruga_scene_restore(other, bytes, size));
    for (int i = 0; i < 3; i++) {
        assert_ok(context, ruga_scene_step(scene));
        assert_ok(context, ruga_scene_step(other));
    }
    assert_ok(context, ruga_scene_state_hash(scene, &one));
    assert_ok(context, ruga_scene_state_hash(other, &two));
    assert_true(one == two);
    ruga_free(context, bytes);
    ruga_scene_destroy(other);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

static void assert_check(const char *body, const char *details, ruga_status status, const char *words) {
    char text[900];
    snprintf(text, sizeof text,
             "{\"objects\": [{\"name\": \"a\", \"mesh\": {\"kind\": \"bar\", \"cells\": 4}, %s \"details\": [%s]}]}",
             body, details);
    ruga_description *d = describe(text);
    assert_status(ruga_description_check(d), status);
    if (RUGA_FAILED(status)) assert_message_has(context, words);
    ruga_description_destroy(d);
}

static void two_way_coupling_needs_a_simulated_body_right_below(void **state) {
    (void)state;
    static const char lattice[] = "\"body\": {\"kind\": \"lattice\"},";
    static const char thick[] = "\"thickness\": 0.05, \"stiffness\": 1e6, \"interior_stiffness\": 1e4";
    char shell[200], above[300];
    snprintf(shell, sizeof shell, "{\"kind\": \"shell\", \"coupling\": \"two_way\", %s}", thick);
    snprintf(above, sizeof above, "{\"kind\": \"subdivide\", \"n\": 2}, %s", shell);
    assert_check(lattice, shell, RUGA_OK, NULL);
    assert_check("", shell, RUGA_ERROR_INPUT, "forces don't move a body of kind \"static\"");
    assert_check(lattice, above, RUGA_ERROR_INPUT, "subdivide the mesh by \"edits\"");
    snprintf(above, sizeof above, "{\"kind\": \"subdivide\", \"n\": 2}, {\"kind\": \"shell\", %s}", thick);
    assert_check(lattice, above, RUGA_OK, NULL);
}

static void count_inverted(void *user, ruga_log_level level, const char *message) {
    if (level == RUGA_LOG_WARNING && strstr(message, "the lattice is inverted at ")) ++*(int *)user;
}

/* A bar whose right end is pushed through its left one: the measure has the number, the log has it once. */
static void an_inverted_lattice_is_reported_once(void **state) {
    (void)state;
    int warnings = 0;
    ruga_context_def settings = ruga_context_def_default();
    ruga_context *own = NULL;
    ruga_description *d = NULL;
    ruga_scene *scene = NULL;
    settings.log = count_inverted;
    settings.log_user = &warnings;
    assert_int_equal(ruga_context_create(&settings, &own), RUGA_OK);
    static const char text[] =
        "{\"time\": {\"frames\": 4, \"fps\": 24, \"substeps\": 2}, \"gravity\": [0, 0, 0],\n"
        " \"objects\": [{\"name\": \"bar\", \"mesh\": {\"kind\": \"bar\", \"length\": 0.6, \"cells\": 12, "
        "\"cells_across\": 4}, \"body\": {\"kind\": \"lattice\", \"spacing\": 0.2, \"pins\": [\n"
        "   {\"kind\": \"fixed\", \"box_to\": [-0.29, 1, 1]}, {\"kind\": \"path\", \"box_from\": [0.29, -1, -1],\n"
        "    \"keys\": [{\"time\": 0}, {\"time\": 0.08, \"move\": [-0.9, 0, 0]}]}]}}]}";
    write_test_file(test_path("inverted.json"), text, strlen(text));
    assert_ok(own, ruga_description_read(own, test_path("inverted.json"), &d));
    assert_ok(own, ruga_scene_create(own, ruga_description_get(d), &scene));
    double most = 0;
    for (int i = 0; i < 4; i++) {
        assert_ok(own, ruga_scene_step(scene));
        most = fmax(most, scene_measure(scene, "bar.inverted"));
    }
    assert_less(0, most);
    assert_int_equal(warnings, 1);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    ruga_context_destroy(own);
}

/* Parts that act on vertices say so themselves, and what to use instead. */
static void a_lattice_refuses_parts_of_cloth(void **state) {
    (void)state;
    static const struct {
        const char *hook, *words;
    } cases[] = {
        {"{\"kind\": \"collide\"}", "use contact to keep it outside of colliders"},
        {"{\"kind\": \"attach\", \"object\": \"b\", \"where\": 1}", "use a body of cloth"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "{\"objects\": [{\"name\": \"b\", \"mesh\": {\"kind\": \"bar\"}}, {\"name\": \"a\", \"mesh\": "
                 "{\"kind\": \"bar\", \"cells\": 4}, \"body\": {\"kind\": \"lattice\"}, \"hooks\": [%s]}]}",
                 cases[k].hook);
        ruga_description *d = describe(text);
        ruga_scene *scene = NULL;
        assert_true(RUGA_FAILED(ruga_scene_create(context, ruga_description_get(d), &scene)));
        assert_message_has(context, cases[k].words);
        ruga_description_destroy(d);
    }
}

/* A hanging cloth whose sides move together, with a skin. Returns how far its lowest point is below its highest one. */
static double cloth_below_skin(const char *coupling, double *amplitude) {
    char text[1400];
    snprintf(text, sizeof text,
             "{\"time\": {\"frames\": 8, \"fps\": 24, \"substeps\": 4},\n"
             " \"objects\": [{\"name\": \"cloth\", \"mesh\": {\"kind\": \"sheet\", \"width\": 0.3, \"length\": 0.3, "
             "\"columns\": 24, \"rows\": 24},\n"
             "   \"body\": {\"kind\": \"cloth\", \"integrator\": \"implicit\", \"pins\": [\n"
             "     {\"kind\": \"path\", \"box_to\": [-0.149, 1, 1],\n"
             "      \"keys\": [{\"time\": 0}, {\"time\": 0.2, \"move\": [0.03, 0, 0]}]},\n"
             "     {\"kind\": \"fixed\", \"box_from\": [0.149, -1, -1]}]},\n"
             "   \"details\": [{\"kind\": \"shell\", \"thickness\": 0.002, \"stiffness\": 2e5, "
             "\"interior_stiffness\": 2e3, \"tolerance\": 1e-4, \"coupling\": \"%s\"}]}]}",
             coupling);
    ruga_description *d = describe(text);
    ruga_scene *scene = make_scene(d);
    *amplitude = 0;
    for (int i = 0; i < 8; i++) {
        assert_ok(context, ruga_scene_step(scene));
        assert_equal(scene_measure(scene, "cloth.shell.stalled"), 0);
        *amplitude = fmax(*amplitude, scene_measure(scene, "cloth.shell.amplitude"));
    }
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < frame->vertex_count; v++) {
        low = fmin(low, frame->positions[v].y);
        high = fmax(high, frame->positions[v].y);
    }
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    return high - low;
}

/* Cloth carries a skin. One that acts on it, which has to be asked for, makes it buckle less sharply, and is less
 * wrinkled then. */
static void cloth_carries_a_skin(void **state) {
    skip_unless_long();
    (void)state;
    double one_wave, two_wave, auto_wave;
    const double one = cloth_below_skin("one_way", &one_wave), two = cloth_below_skin("two_way", &two_wave),
                 automatic = cloth_below_skin("auto", &auto_wave);
    assert_equal(one, automatic);
    assert_less(1e-5, one_wave);
    assert_less(0, two_wave);
    assert_less(two_wave, 0.6 * one_wave);
    assert_less(1e-4, fabs(two - one));
}

/* The example "slab": the measure is the wavelength of equation 3, which sweeps plot. */
static void a_pressed_slab_measures_its_wavelength(void **state) {
    skip_when_sanitized();
    (void)state;
    ruga_description *d = NULL;
    const ruga_skin skin = {0.0012, 2e6, 0.3, 1e4, 0.3};
    char path[512];
    snprintf(path, sizeof path, "%s/examples/scenes/slab.json", RUGA_SOURCE_FOLDER);
    assert_ok(context, ruga_description_read(context, path, &d));
    ruga_scene *scene = make_scene(d);
    assert_ok(context, ruga_scene_step(scene));
    assert_true(isnan(scene_measure(scene, "slab.shell.wavelength"))); /* smooth at rest */
    for (int i = 1; i < 6; i++) assert_ok(context, ruga_scene_step(scene));
    assert_near(scene_measure(scene, "slab.shell.wavelength") / ruga_skin_wavelength(&skin), 1, 0.1);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
}

/* A rigid ball goes down onto a flat skin, at 24 mm/s, by 9 mm: the skin is dented. Without contact between
 * objects it does not. */
static double lowest_below_ball(const char *contact) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "{\"time\": {\"frames\": 10, \"fps\": 24}, \"gravity\": [0, 0, 0], \"contact\": %s,\n"
        " \"objects\": [{\"name\": \"skin\", \"mesh\": {\"kind\": \"sheet\", \"width\": 0.12, \"length\": 0.12, "
        "\"columns\": 24, \"rows\": 24}, \"body\": \"static\",\n"
        "   \"contact\": {\"collides\": false},\n"
        "   \"details\": [{\"kind\": \"shell\", \"tolerance\": 1e-3}]},\n"
        "  {\"name\": \"ball\", \"mesh\": {\"kind\": \"sphere\", \"radius\": 0.02, \"frequency\": 8}, "
        "\"move\": [0.001, 0.022, 0],\n"
        "   \"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 0.375, \"move\": [0, -0.009, 0]}]}}]}",
        contact);
    ruga_description *d = describe(text);
    ruga_scene *scene = make_scene(d);
    double low = INFINITY;
    for (int i = 0; i < 10; i++) assert_ok(context, ruga_scene_step(scene));
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    for (size_t v = 0; v < frame->vertex_count; v++) low = fmin(low, frame->positions[v].y);
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    return low;
}

static void other_objects_are_obstacles_of_a_skin(void **state) {
    skip_unless_long();
    (void)state;
    assert_less(lowest_below_ball("true"), -0.007);
    assert_near(lowest_below_ball("false"), 0, 1e-12);
}

/* A block of flesh with a crease across its top, pushed together, in a skin. The skin wrinkles, the crease stays closed
 * and folds, and a skin that acts on the flesh has less energy: both settle. */
static double skin_energy_on_creased_flesh(const char *coupling) {
    char text[1600];
    snprintf(text, sizeof text,
             "{\"time\": {\"frames\": 6, \"fps\": 24, \"substeps\": 2}, \"gravity\": [0, 0, 0],\n"
             " \"objects\": [{\"name\": \"block\", \"mesh\": {\"kind\": \"bar\", \"length\": 0.3, \"height\": 0.1, "
             "\"depth\": 0.1, \"cells\": 24, \"cells_across\": 8, \"solid\": 1},\n"
             "   \"body\": {\"kind\": \"flesh\", \"young\": 20000, \"damping\": 0.05, \"pins\": [\n"
             "     {\"kind\": \"fixed\", \"box_to\": [-0.149, 1, 1]},\n"
             "     {\"kind\": \"path\", \"box_from\": [0.149, -1, -1],\n"
             "      \"keys\": [{\"time\": 0}, {\"time\": 0.25, \"move\": [-0.03, 0, 0]}]}]},\n"
             "   \"hooks\": [{\"kind\": \"crease\", \"push\": 5,\n"
             "     \"lines\": [[[0.01, 0.05, 0.04], [0.01, 0.05, -0.04]]]}],\n"
             "   \"details\": [{\"kind\": \"shell\", \"thickness\": 0.003, \"stiffness\": 2e6, "
             "\"coupling\": \"%s\"}]}]}",
             coupling);
    ruga_description *d = describe(text);
    ruga_scene *scene = make_scene(d);
    for (int i = 0; i < 6; i++) {
        assert_ok(context, ruga_scene_step(scene));
        assert_equal(scene_measure(scene, "block.shell.stalled"), 0);
    }
    assert_less(1e-3, scene_measure(scene, "block.shell.amplitude"));
    assert_less(scene_measure(scene, "block.crease.crease_gap"), 0.05 * 0.0125);
    assert_less(0.1, scene_measure(scene, "block.crease.valley"));
    const double energy = scene_measure(scene, "block.shell.energy");
    ruga_scene_destroy(scene);
    ruga_description_destroy(d);
    return energy;
}

static void creased_flesh_carries_a_skin(void **state) {
    skip_unless_long();
    (void)state;
    const double one = skin_energy_on_creased_flesh("one_way"), two = skin_energy_on_creased_flesh("two_way");
    assert_less(two, 0.9 * one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_skin_stiffens_the_lattice_that_it_lies_on),
        cmocka_unit_test(a_restored_scene_continues_bit_identically),
        cmocka_unit_test(a_lattice_refuses_parts_of_cloth),
        cmocka_unit_test(two_way_coupling_needs_a_simulated_body_right_below),
        cmocka_unit_test(an_inverted_lattice_is_reported_once),
        cmocka_unit_test(cloth_carries_a_skin),
        cmocka_unit_test(a_pressed_slab_measures_its_wavelength),
        cmocka_unit_test(other_objects_are_obstacles_of_a_skin),
        cmocka_unit_test(creased_flesh_carries_a_skin),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
