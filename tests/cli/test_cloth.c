/* ruga cloth: scenes from options alone, as a run, as one file, as a scene file. */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "support/ruga_command.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    test_folder_remove();
    ruga_context_destroy(context);
    return 0;
}

static void assert_says(int code, const char *part, const char *line) {
    command_result result = ruga_run("%s", line);
    fail_if(result.code != code, "ruga %s: exit code %d, not %d: %s", line, result.code, code, result.err);
    fail_if(!strstr(result.out, part) && !strstr(result.err, part), "ruga %s: no \"%s\" in:\n%s%s", line, part,
            result.out, result.err);
    command_release(&result);
}

static int is_there(const char *name) {
    struct stat info;
    return stat(test_path(name), &info) == 0;
}

/* Reads a scene that the command wrote. */
static ruga_description *read_scene(const char *name) {
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read(context, test_path(name), &d));
    assert_ok(context, ruga_description_check(d));
    return d;
}

static const ruga_object_def *object_named(const ruga_description *d, const char *name) {
    const ruga_list *list = &ruga_description_get(d)->objects;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(((const ruga_object_def *)list->items)[i].name, name) == 0)
            return (const ruga_object_def *)list->items + i;
    fail_msg("there is no object %s", name);
    return NULL;
}

/* ---- Kinds. */

static void without_a_kind_it_lists_them(void **state) {
    (void)state;
    assert_says(0, "curtain     a curtain", "cloth");
    assert_says(0, "\"name\": \"tablecloth\"", "cloth --json");
    assert_says(0, "Kinds:\n  flag", "cloth --help");
}

static void every_kind_is_the_template_of_its_name_without_options(void **state) {
    (void)state;
    const char *const kinds[] = {"flag", "curtain", "tablecloth"};
    for (size_t i = 0; i < 3; i++) {
        assert_ruga(0, NULL, "cloth %s %s -o same.json", kinds[i], i == 0 ? "--wave" : "");
        assert_ruga(0, NULL, "new %s --force -o template.json", kinds[i]);
        ruga_description *made = read_scene("same.json"), *given = read_scene("template.json");
        const ruga_object_def *a = object_named(made, kinds[i]), *b = object_named(given, kinds[i]);
        assert_memory_equal(a->mesh.values, b->mesh.values, a->mesh.section->size);
        assert_near_case(a->move.x, b->move.x, 1e-9, "i %zu", i);
        assert_near_case(a->move.y, b->move.y, 1e-2, "i %zu", i);
        const ruga_cloth_def *x = a->body.values, *y = b->body.values;
        assert_true(x->integrator == y->integrator);
        assert_equal_case(x->stretch_limit, y->stretch_limit, "i %zu", i);
        assert_equal_case(x->compression_soft, y->compression_soft, "i %zu", i);
        assert_true(x->pins.count == y->pins.count);
        assert_near_case(x->thickness, y->thickness, 2e-4, "i %zu", i);
        assert_int_equal(a->details.count, b->details.count);
        ruga_description_destroy(made);
        ruga_description_destroy(given);
    }
}

/* ---- Options. */

static void options_reach_the_scene(void **state) {
    (void)state;
    assert_says(0, "ruga run",
                "cloth flag --width 2 --height 1.2 --columns 20 --rows 12 --wind 8,0,2 --gust 0.4 --material silk "
                "--stretch 90 --integrator filter --sweeps 12 --conserve-momentum --quads=false --air-on-points false "
                "--spline 50 "
                "--spline-threshold 0.1 --frames 120 --fps 30 --drag 0.7 --lift-form printed --unit cm "
                "--set time.preroll=5 -o flag.json");
    ruga_description *d = read_scene("flag.json");
    const ruga_scene_def *def = ruga_description_get(d);
    const ruga_object_def *flag = object_named(d, "flag");
    const double *sheet = flag->mesh.values;
    const ruga_cloth_def *cloth = flag->body.values;
    const ruga_material_def *material = def->materials.items;
    const ruga_variant *detail = flag->details.items;
    const ruga_spline_def *spline = detail->values;
    assert_equal(sheet[0], 2);
    assert_equal(sheet[1], 1.2);
    assert_equal(sheet[2], 20);
    assert_equal(sheet[3], 12);
    assert_equal(def->wind.velocity.x, 8);
    assert_equal(def->wind.velocity.z, 2);
    assert_equal(def->wind.gust, 0.4);
    assert_string_equal(material->like, "silk");
    assert_equal(material->stretch, 90);
    assert_true(cloth->integrator == 4 && cloth->sweeps == 12 && cloth->conserve_momentum == 1 && !cloth->quads &&
                !cloth->air_on_points);
    assert_equal(cloth->drag, 0.7);
    assert_true(cloth->lift_form == 1);
    assert_true(spline->columns == 50 && spline->rows == 50);
    assert_equal(spline->threshold, 0.1);
    assert_true(def->time.frames == 120);
    assert_equal(def->time.fps, 30);
    assert_true(def->time.preroll == 5);
    assert_equal(def->output.unit, 0.01);
    /* It still hangs at x = 0 from its pole, which is static. */
    assert_equal(flag->move.x, 1);
    assert_string_equal(object_named(d, "pole")->body.section->name, "static");
    ruga_description_destroy(d);
}

static void splines_can_be_left_out_and_added(void **state) {
    (void)state;
    assert_says(0, "", "cloth flag --spline 0 -o bare.json");
    assert_says(0, "", "cloth curtain --spline-frequency 30 -o fine.json");
    assert_says(0, "", "cloth flag --spline-frequency 30 -o keep.json");
    ruga_description *bare = read_scene("bare.json"), *fine = read_scene("fine.json"), *keep = read_scene("keep.json");
    assert_int_equal(object_named(bare, "flag")->details.count, 0);
    const ruga_variant *added = object_named(fine, "curtain")->details.items;
    const ruga_variant *kept = object_named(keep, "flag")->details.items;
    assert_equal(((const ruga_spline_def *)added->values)->frequency, 30);
    assert_equal(((const ruga_spline_def *)kept->values)->frequency, 30);
    assert_true(((const ruga_spline_def *)kept->values)->columns == 91);
    ruga_description_destroy(bare);
    ruga_description_destroy(fine);
    ruga_description_destroy(keep);
}

static void curtains_have_the_given_number_of_rings(void **state) {
    (void)state;
    assert_says(0, "", "cloth curtain --columns 10 --rows 4 --rings 3 --drawn 0.5 -o rings.json");
    ruga_description *d = read_scene("rings.json");
    const ruga_cloth_def *cloth = object_named(d, "curtain")->body.values;
    const char *const vertices[] = {"44", "49", "54"};
    assert_int_equal(cloth->pins.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const ruga_pin_path_def *pin = ((const ruga_variant *)cloth->pins.items)[i].values;
        const ruga_pin_key *keys = pin->keys.items;
        assert_string_equal(pin->choice.vertices, vertices[i]);
        assert_near_case(keys[1].move.x, -0.5 * (double)i, 1e-9, "i %zu", i);
    }
    ruga_description_destroy(d);
}

static void tables_have_the_given_size(void **state) {
    (void)state;
    assert_says(0, "", "cloth tablecloth --table 1.2,0.5,0.8 --width 3 --columns 30 -o table.json");
    ruga_description *d = read_scene("table.json");
    const ruga_variant *colliders = ruga_description_get(d)->colliders.items;
    const ruga_box_def *box = colliders[1].values;
    assert_equal(box->size.x, 1.2);
    assert_equal(box->size.y, 0.5);
    assert_equal(box->size.z, 0.8);
    assert_equal(box->centre.y, 0.25);
    assert_less(0.5, object_named(d, "tablecloth")->move.y);
    assert_near(((const ruga_cloth_def *)object_named(d, "tablecloth")->body.values)->thickness, 0.1 / 6, 1e-9);
    ruga_description_destroy(d);
}

/* ---- Outputs. */

static void it_runs_in_a_directory_like_a_scene(void **state) {
    (void)state;
    assert_says(0, "ran 4 frames", "cloth flag --frames 4 -o flag.run");
    assert_true(is_there("flag.run/flag.pc2") && is_there("flag.run/pole.obj") && is_there("flag.run/scene.json"));
    assert_says(0, "flag.elastic_energy", "stats flag.run");
    assert_says(3, "--replace", "cloth flag --frames 4 -o flag.run");
    assert_says(0, "ran 2 frames", "cloth flag --frames 2 --replace -o flag.run");
}

/* The file has the same frames as the run. */
static void it_writes_one_file_of_the_same_frames(void **state) {
    (void)state;
    assert_says(0, "ran 5 frames", "cloth flag --frames 5 -o one.run");
    assert_says(0, "5 frames of 5,551 vertices", "cloth flag --frames 5 -o one.pc2");
    size_t size_a = 0, size_b = 0;
    char *a = read_test_file(test_path("one.pc2"), &size_a),
         *b = read_test_file(test_path("one.run/flag.pc2"), &size_b);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(a, b, size_a);
    free(a);
    free(b);
    assert_true(is_there("one.obj"));
    assert_says(0, "\"frames\": 5", "cloth flag --frames 5 --json -o one.glb");
    assert_says(0, "frames", "info one.glb");
    assert_says(0, "wrote", "cloth tablecloth --columns 8 --rows 8 --frames 3 -o cloth.usda");
    assert_true(is_there("cloth.usda"));
}

/* ---- Mistakes. */

static void mistakes_are_reported_with_a_suggestion(void **state) {
    (void)state;
    assert_says(2, "no kind of cloth 'flg'; did you mean 'flag'?", "cloth flg");
    assert_says(2, "there are flag, curtain and tablecloth", "cloth xyzzy");
    assert_says(2, "did you mean '--material'?", "cloth flag --materal silk");
    assert_says(2, "expected one kind, but also got 'curtain'", "cloth flag curtain");
    assert_says(2, "--rings is an option of a curtain; a flag has none", "cloth flag --rings 3");
    assert_says(2, "--wave is an option of a flag; a curtain has none", "cloth curtain --wave");
    assert_says(2, "--drawn is an option of a curtain", "cloth tablecloth --drawn 0.2");
    assert_says(2, "--table is an option of a tablecloth", "cloth flag --table 1,1,1");
    assert_says(2, "--width takes a number", "cloth flag --width -1");
    assert_says(2, "implicit", "cloth flag --integrator implict");
    assert_says(2, "there are only 5 columns", "cloth curtain --columns 4 --rings 6");
    assert_says(2, "--set", "cloth flag --set objects[flag].body.sweps=4");
    assert_says(3, "did you mean \"silk\"?", "cloth flag --material sillk -o none.run");
    assert_says(3, "stretch is 0 N/m", "cloth flag --stretch 0 -o none.run");
    assert_says(3, "did you mean \"silk\"?", "cloth flag --material sillk -o none.glb");
    assert_says(2, "draw them afterwards: ruga render none.run -o none.mp4", "cloth flag --frames 1 -o none.mp4");
    assert_says(2, "frames go into a directory", "cloth curtain --frames 1 -o none.png");
    assert_true(!is_there("none.mp4") && !is_there("none.png"));
    assert_true(!is_there("none.run") && !is_there("none.glb"));
    assert_says(1, "nowhere", "cloth flag --frames 1 -o /nowhere/flag.glb");
    assert_says(1, "nowhere", "cloth flag --frames 1 -o /nowhere/flag.json");
}

/* A state that blows up leaves no file that looks whole; a run keeps the frames before it. */
static void infinite_positions_are_reported_and_not_written(void **state) {
    (void)state;
    const char *const line =
        "cloth flag --contact false --integrator explicit --stretch 1e9 --stretch-limit 0 --spline 0 --frames 9 %s";
    char whole[256];
    snprintf(whole, sizeof whole, line, "--substeps 100 -o boom.glb");
    assert_says(3, "object \"flag\": the position of vertex 1 is not finite at 0.00", whole);
    assert_false(is_there("boom.glb"));
    snprintf(whole, sizeof whole, line, "-o boom.pc2");
    assert_says(3, "frame 1 has vertex 1 at (", whole);
    assert_false(is_there("boom.pc2"));
    snprintf(whole, sizeof whole, line, "--substeps 100 -o boom.run");
    assert_says(3, " s, in substep ", whole);
    assert_says(0, "frames        1 of 9", "info boom.run");
    assert_true(is_there("boom.run/flag.pc2.part"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_kind_it_lists_them),
        cmocka_unit_test(every_kind_is_the_template_of_its_name_without_options),
        cmocka_unit_test(options_reach_the_scene),
        cmocka_unit_test(splines_can_be_left_out_and_added),
        cmocka_unit_test(curtains_have_the_given_number_of_rings),
        cmocka_unit_test(tables_have_the_given_size),
        cmocka_unit_test(it_runs_in_a_directory_like_a_scene),
        cmocka_unit_test(it_writes_one_file_of_the_same_frames),
        cmocka_unit_test(mistakes_are_reported_with_a_suggestion),
        cmocka_unit_test(infinite_positions_are_reported_and_not_written),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
