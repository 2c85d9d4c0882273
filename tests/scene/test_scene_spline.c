/* The detail "spline" in scenes: its fields reach it, and details after it work on its mesh. */
#include <math.h>

#include "math/vec3.h"
#include "support/shapes.h"
#include "wrinkle/spline_part.h"

/* A sheet of 8 by 5 key nodes that shrinks along both sides and bows. */
static ruga_status shrink(void *user, double time, ruga_vec3 *positions) {
    const ruga_mesh *mesh = user;
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        ruga_vec3 p = mesh->positions[i];
        positions[i] = (ruga_vec3){p.x * (1 - 0.3 * time), p.y + 0.3 * sin(3 * p.x), p.z * (1 - 0.2 * time)};
    }
    return RUGA_OK;
}

static void fill_values(ruga_spline_def *values) {
    ruga_section_defaults(ruga_scene_section_find("objects.details.spline"), values);
    values->rows = 17;
    values->columns = 23;
    values->key_rows = 5;
    values->key_columns = 8;
    values->curve = 1;
    values->envelope = 1;
    values->order = 1;
    values->threshold = 0.05;
    values->frequency = 55;
    values->limit = 0.007;
    values->amplitude = ruga_param_constant(1.5);
}

static part *make_directly(const ruga_mesh *sheet) {
    ruga_spline_def def;
    ruga_section_defaults(ruga_scene_section_find("objects.details.spline"), &def);
    def.rows = 17;
    def.columns = 23;
    def.key_rows = 5;
    def.key_columns = 8;
    def.curve = SPLINE_CATMULL_ROM;
    def.envelope = SPLINE_ENVELOPE_PAPER;
    def.order = SPLINE_ROWS_FIRST;
    def.threshold = 0.05;
    def.frequency = 55;
    def.limit = 0.007;
    def.amplitude = ruga_param_constant(1.5);
    part *d = NULL;
    assert_ok(sheet->context, spline_part_create(sheet, &def, &d));
    return d;
}

static void a_scene_gives_the_detail_s_own_frames(void **state) {
    ruga_mesh *sheet = shape_sheet(*state, 7, 4);
    ruga_motion *motion = NULL;
    assert_ok(*state, ruga_motion_from_function(*state, 40, 0, 1, shrink, sheet, &motion));
    ruga_spline_def values;
    fill_values(&values);
    ruga_variant details[1] = {{ruga_scene_section_find("objects.details.spline"), &values}};
    ruga_object_def object = ruga_object_def_default();
    object.name = "flag";
    object.given_mesh = sheet;
    object.given_motion = motion;
    object.body = (ruga_variant){ruga_scene_section_find("objects.body.animated"), NULL};
    object.details = (ruga_list){details, 1};
    ruga_scene_def def = ruga_scene_def_default();
    def.objects = (ruga_list){&object, 1};
    ruga_scene *scene = NULL;
    assert_ok(*state, ruga_scene_create(*state, &def, &scene));
    for (int i = 0; i < 20; i++) assert_ok(*state, ruga_scene_step(scene));

    part *d = make_directly(sheet);
    ruga_vec3 points[40];
    assert_ok(*state, ruga_motion_sample(motion, ruga_scene_time(scene), points));
    const ruga_frame in = {.vertex_count = 40, .positions = points, .time = ruga_scene_time(scene)};
    const environment still_air = {.collider_count = 0};
    const substep now = {.time = in.time, .environment = &still_air};
    assert_ok(*state, d->interface->update(d, NULL, &now, &in));
    assert_less(0.005, d->measures.items[1].value);
    const ruga_frame *frame = ruga_scene_frame(scene, 0);
    assert_int_equal(frame->vertex_count, 17 * 23);
    assert_memory_equal(frame->positions, d->positions, frame->vertex_count * sizeof *frame->positions);

    d->interface->destroy(d);
    ruga_scene_destroy(scene);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(sheet);
}

static void assert_check(ruga_context *context, const char *text, ruga_status status, const char *message) {
    ruga_description *d = NULL;
    write_test_file(test_path("scene.json"), text, strlen(text));
    assert_ok(context, ruga_description_read(context, test_path("scene.json"), &d));
    assert_status(ruga_description_check(d), status);
    if (message) assert_message_has(context, message);
    ruga_description_destroy(d);
}

static void checks_know_the_mesh_that_splines_make(void **state) {
    assert_check(*state,
                 "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"details\": [\"spline\", \"spline\"]}]}",
                 RUGA_OK, NULL);
    assert_check(*state, "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sphere\", \"details\": [\"spline\"]}]}",
                 RUGA_ERROR_INPUT, "is no grid");
    assert_check(*state,
                 "{\"objects\": [{\"name\": \"a\", \"mesh\": \"sheet\", \"details\": [{\"kind\": \"spline\", "
                 "\"rows\": 4, \"columns\": 6}, {\"kind\": \"spline\", \"key_rows\": 4, \"key_columns\": 5}]}]}",
                 RUGA_ERROR_INPUT, "4 rows of 5 vertices do not fit a mesh of 24");
}

static int tear_down(void **state) {
    ruga_context_destroy(*state);
    test_folder_remove();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_gives_the_detail_s_own_frames),
        cmocka_unit_test(checks_know_the_mesh_that_splines_make),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down);
}
