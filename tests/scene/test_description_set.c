/* Values set by path: as JSON or as an option has them, all or nothing. */
#include <math.h>
#include <stdio.h>

#include "scene/description.h"
#include "scene/kinds.h"
#include "scene/tables.h"
#include "support/support.h"

static const char start[] =
    "{\"materials\": [{\"name\": \"mine\"}],\n"
    " \"objects\": [{\"name\": \"shirt\", \"mesh\": \"shirt.obj\",\n"
    "               \"details\": [\"jiggle\", {\"kind\": \"displace\", \"amount\": 0.01}]},\n"
    "              {\"name\": \"ball\", \"mesh\": \"sphere\"}]}";

static ruga_description *start_description(ruga_context *context) {
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "scenes/a.json", start, strlen(start), &d));
    return d;
}

static const ruga_object_def *object_of(const ruga_description *d, size_t i) {
    return (const ruga_object_def *)ruga_description_get(d)->objects.items + i;
}

static const ruga_variant *detail_of(const ruga_description *d, size_t object, size_t i) {
    return (const ruga_variant *)object_of(d, object)->details.items + i;
}

static void assert_set(ruga_description *d, const char *path, const char *value) {
    assert_ok(d->context, ruga_description_set(d, path, value));
    assert_int_equal(ruga_description_finding_count(d), 0);
}

static void assert_numbers(const ruga_vec3 v, double x, double y, double z) {
    fail_if(v.x != x || v.y != y || v.z != z, "%g %g %g", v.x, v.y, v.z);
}

static void values_are_set_as_json_or_as_an_option_has_them(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = start_description(context);
    const ruga_scene_def *def = ruga_description_get(d);
    assert_set(d, "time.fps", "30");
    assert_equal(def->time.fps, 30);
    assert_set(d, "time.fps", "+.5e2");
    assert_equal(def->time.fps, 50);
    assert_set(d, "time.frames", "+7");
    assert_int_equal(def->time.frames, 7);
    assert_set(d, "time", "{\"substeps\": 3} // others go back to their defaults");
    assert_equal(def->time.fps, 24);
    assert_true(def->time.substeps == 3);
    assert_set(d, "gravity", "0,-1.62,0");
    assert_numbers(def->gravity, 0, -1.62, 0);
    assert_set(d, "gravity", "[1, 2, 3]");
    assert_numbers(def->gravity, 1, 2, 3);
    assert_set(d, "wind", "4,5,6");
    assert_numbers(def->wind.velocity, 4, 5, 6);
    assert_set(d, "output.formats", "pc2,obj");
    assert_int_equal(def->output.formats, 3);
    assert_set(d, "output.formats", "");
    assert_int_equal(def->output.formats, 0);
    assert_set(d, "output", "ply");
    assert_int_equal(def->output.formats, 4);
    assert_set(d, "output.unit", "cm");
    assert_equal(def->output.unit, 0.01);
    assert_set(d, "output.unit", ".5");
    assert_equal(def->output.unit, 0.5);
    assert_set(d, "output.up", "z");
    assert_int_equal(def->output.up, RUGA_AXIS_Z);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void paths_lead_into_lists_and_kinds(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = start_description(context);
    assert_set(d, "objects[1].scale", "2");
    assert_equal(object_of(d, 1)->scale, 2);
    assert_equal(object_of(d, 0)->scale, 1);
    assert_set(d, "objects[shirt].details[1].amount", "mask");
    assert_string_equal(((const ruga_displace_def *)detail_of(d, 0, 1)->values)->amount.attribute, "mask");
    assert_set(d, "objects[shirt].details[1].amount", "{\"keys\": [[0, 1], [1, 2]]}");
    assert_int_equal(((const ruga_displace_def *)detail_of(d, 0, 1)->values)->amount.key_count, 2);
    assert_set(d, "objects[0].details[0].weight", ".25");
    assert_equal(((const ruga_jiggle_def *)detail_of(d, 0, 0)->values)->weight.constant, 0.25);
    assert_set(d, "objects[ball].mesh.frequency", "5");
    assert_equal(((const double *)object_of(d, 1)->mesh.values)[1], 5);
    assert_set(d, "objects[0].body", "animated");
    assert_ptr_equal(object_of(d, 0)->body.section, &animated_body_kind.section);
    assert_set(d, "objects[0].body.cycle", "true");
    assert_int_equal(((const ruga_animated_def *)object_of(d, 0)->body.values)->cycle, 1);
    assert_set(d, "materials[mine].bend", "1e-4");
    assert_equal(((const ruga_material_def *)ruga_description_get(d)->materials.items)->bend, 1e-4);
    assert_set(d, "materials[mine].bend", "null");
    assert_true(isnan(((const ruga_material_def *)ruga_description_get(d)->materials.items)->bend));
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void texts_need_no_quotes_whatever_they_look_like(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = start_description(context);
    const char *const texts[][2] = {
        {"24", "24"}, {"true", "true"}, {"\"in quotes\"", "in quotes"}, {"two words", "two words"}, {"null", "null"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_set(d, "objects[0].name", texts[i][0]);
        assert_string_equal(object_of(d, 0)->name, texts[i][1]);
    }
    assert_set(d, "objects[0].material", "cotton");
    assert_string_equal(object_of(d, 0)->material, "cotton");
    assert_set(d, "objects[0].material", "null");
    assert_null(object_of(d, 0)->material);

    /* A path that is set is relative to the current folder, not to the folder of the scene. */
    assert_string_equal(((const ruga_mesh_file_def *)object_of(d, 0)->mesh.values)->file, "scenes/shirt.obj");
    assert_set(d, "objects[0].mesh.file", "other.obj");
    assert_string_equal(((const ruga_mesh_file_def *)object_of(d, 0)->mesh.values)->file, "other.obj");
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void an_index_one_past_the_end_appends(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = start_description(context);
    assert_set(d, "objects[2]", "{\"name\": \"third\", \"mesh\": \"torus\"}");
    assert_int_equal(ruga_description_get(d)->objects.count, 3);
    assert_string_equal(object_of(d, 0)->name, "shirt");
    assert_string_equal(object_of(d, 2)->name, "third");
    assert_set(d, "objects[third].details[0]", "jiggle");
    assert_set(d, "objects[third].details[1]", "{\"kind\": \"subdivide\", \"n\": 3}");
    assert_ptr_equal(detail_of(d, 2, 1)->section, &subdivide_part_kind.section);
    assert_set(d, "objects[third].details[0]", "{\"kind\": \"displace\", \"amount\": 1}");
    assert_ptr_equal(detail_of(d, 2, 0)->section, &displace_part_kind.section);
    assert_set(d, "colliders[0]", "plane");
    assert_set(d, "materials", "[]");
    assert_int_equal(ruga_description_get(d)->materials.count, 0);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* One at a time, and with others in between that are refused: the list never moves more often than it doubles. */
static void thousands_are_appended_one_by_one(void **state) {
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    ruga_context *context = context_counting(&counter);
    ruga_description *d = start_description(context);
    size_t moves = 0;
    char path[40], value[80];
    for (size_t i = 2; i < 3000; i++) {
        const void *before = ruga_description_get(d)->objects.items;
        snprintf(path, sizeof path, "objects[%zu]", i);
        snprintf(value, sizeof value, "{\"name\": \"number %zu\", \"mesh\": \"sheet\"}", i);
        assert_status(ruga_description_set(d, path, "{\"name\": \"bad\", \"scale\": 2}"), RUGA_ERROR_ARGUMENT);
        assert_int_equal(ruga_description_get(d)->objects.count, i);
        assert_set(d, path, value);
        moves += ruga_description_get(d)->objects.items != before;
    }
    assert_int_equal(moves, 11);
    assert_string_equal(object_of(d, 0)->name, "shirt");
    for (size_t i = 2; i < 3000; i++) {
        snprintf(value, sizeof value, "number %zu", i);
        assert_string_equal(object_of(d, i)->name, value);
        assert_equal_case(object_of(d, i)->scale, 1, "i %zu", i);
    }
    ruga_description_destroy(d);
    ruga_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

static void what_was_set_has_no_place_in_the_text_and_the_rest_keeps_its_own(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = start_description(context);
    assert_set(d, "objects[0].details[1].amount", "0.02");
    assert_set(d, "objects[2]", "{\"name\": \"third\", \"mesh\": \"torus\"}");
    assert_ok(context, description_found(d, &object_of(d, 1)->name, RUGA_WARNING_INPUT, "kept"));
    assert_ok(context, description_found(d, &object_of(d, 2)->mesh, RUGA_WARNING_INPUT, "new"));
    assert_ok(context, description_found(d, detail_of(d, 0, 1)->values, RUGA_WARNING_INPUT, "set"));
    const ruga_finding *kept = ruga_description_finding(d, 0);
    assert_true(kept[0].line == 4 && kept[0].column == 24 && kept[1].line == 0 && kept[2].line == 0);
    assert_string_equal(kept[0].path, "objects[1].name");
    assert_string_equal(kept[1].path, "objects[2].mesh");
    assert_string_equal(kept[2].path, "objects[0].details[1].amount");
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void what_can_not_be_set_changes_nothing_and_says_why(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"tme.fps", "3", "tme.fps: unknown field \"tme\"; did you mean \"time\"? There are \""},
        {"time.zebra", "3", "unknown field \"zebra\"; there are \"fps\", "},
        {"", "3", "expected a name"},
        {"time.", "3", "expected a name"},
        {"objects[0", "3", "expected ] after"},
        {"objects[]", "3", "expected a name or a number"},
        {"objects[-1]", "3", "no item has the name \"-1\"; there are \"shirt\", "},
        {"objects[7].scale", "3", "the list has no item \"7\""},
        {"objects[2].scale", "3", "first add a whole item"},
        {"objects[hat].scale", "3", "no item has the name \"hat\"; there are \"shirt\", "},
        {"objects[shrit].scale", "3", "no item has the name \"shrit\"; did you mean \"shirt\"? There are \"shirt\", "},
        {"objects.scale", "3", "expected a number in [] after"},
        {"objects[0]scale", "3", "expected . before"},
        {"time.fps[0]", "3", "this is not a list"},
        {"time.fps.x", "3", "this field has no fields of its own: \"fps\""},
        {"colliders[floor].point", "3", "items of this list have no names; give a number instead of \"floor\""},
        {"time.fps", "fast", "time.fps: expected a number in 1/s, such as 24, but found the text \"fast\""},
        {"time.fps", "-1", "time.fps: found -1 1/s"},
        {"time.frames", "2.5", "expected a whole number"},
        {"gravity", "0,1", "expected three numbers"},
        {"gravity", "[0, 1", "the value is not valid JSON: 1:6: "},
        {"output.formats", "pc2,oj", "output.formats[1]: unknown choice \"oj\"; did you mean \"obj\"?"},
        {"output.up", "w", "unknown choice"},
        {"objects[shirt].body", "{\"kind\": \"animated\", \"cycle\": 3}", "objects[0].body.cycle: expected true"},
        {"objects[2]", "{\"name\": \"x\"}", "objects[2].mesh: \"mesh\" is missing"},
        {"objects[0]", "{\"name\": \"x\", \"mesh\": {\"kind\": \"shet\"}}", "did you mean \"sheet\""},
        {"objects[0].name", "", "but found an empty text"},
    };
    ruga_context *context = context_plain(1);
    ruga_description *d = start_description(context);
    char *before = NULL, *after = NULL;
    assert_ok(context, ruga_description_write_memory(d, &before, NULL));
    size_t origins = d->notes.origins.count;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fail_if(ruga_description_set(d, cases[i][0], cases[i][1]) != RUGA_ERROR_ARGUMENT, "%s", cases[i][0]);
        assert_message_has(context, cases[i][2]);
        assert_int_equal(ruga_description_finding_count(d), 0);
        assert_int_equal(d->notes.origins.count, origins);
    }
    assert_ok(context, ruga_description_write_memory(d, &after, NULL));
    assert_string_equal(before, after);
    assert_status(ruga_description_set(NULL, "time.fps", "1"), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_description_set(d, NULL, "1"), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_description_set(d, "time.fps", NULL), RUGA_ERROR_ARGUMENT);
    ruga_free(context, before);
    ruga_free(context, after);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static ruga_status set_several(ruga_context *context, void *user) {
    (void)user;
    ruga_description *d = NULL;
    ruga_status status = ruga_description_read_memory(context, "", start, strlen(start), &d);
    if (!RUGA_FAILED(status)) status = ruga_description_set(d, "objects[shirt].mesh", "other file.obj");
    if (!RUGA_FAILED(status)) status = ruga_description_set(d, "output.formats", "pc2,obj");
    if (!RUGA_FAILED(status)) status = ruga_description_set(d, "objects[2]", "{\"name\": \"x\", \"mesh\": \"bar\"}");
    ruga_description_destroy(d);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    assert_less(10, assert_every_allocation_may_fail(set_several, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_set_as_json_or_as_an_option_has_them),
        cmocka_unit_test(paths_lead_into_lists_and_kinds),
        cmocka_unit_test(texts_need_no_quotes_whatever_they_look_like),
        cmocka_unit_test(an_index_one_past_the_end_appends),
        cmocka_unit_test(thousands_are_appended_one_by_one),
        cmocka_unit_test(what_was_set_has_no_place_in_the_text_and_the_rest_keeps_its_own),
        cmocka_unit_test(what_can_not_be_set_changes_nothing_and_says_why),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
