/* Descriptions: what is read is what is written, whatever was left to defaults; where things stand is known. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "scene/description.h"
#include "scene/kinds.h"
#include "scene/tables.h"
#include "support/file_systems.h"
#include "support/support.h"

/* Says everything that a scene can say. */
static const char everything[] =
    "// all kinds of things\n"
    "{\n"
    "  \"$schema\": \"scene.schema.json\",\n"
    "  \"time\": {\"fps\": 29.97, \"start_frame\": -3, \"frames\": 7, \"substeps\": 2, \"preroll\": 4},\n"
    "  \"gravity\": [0.1, -9.80665, 1e-3],\n"
    "  \"wind\": {\"velocity\": [1, 0, 2], \"gust\": 0.3, \"seed\": 7},\n"
    "  \"materials\": [{\"name\": \"mine\", \"like\": \"yours\", \"bend\": 1e-5}, {\"name\": \"yours\", \"density\": "
    "0.2}],\n"
    "  \"colliders\": [\"plane\", {\"kind\": \"box\", \"turn\": [0, 45, 0]}, {\"kind\": \"capsule\", \"radius\": "
    "0.25}],\n"
    "  \"objects\": [\n"
    "    {\"name\": \"shirt\", \"mesh\": \"shirt.obj\", \"material\": \"mine\",\n"
    "     \"edits\": [{\"kind\": \"subdivide\", \"method\": \"loop\", \"n\": 1}],\n"
    "     \"body\": {\"kind\": \"animated\", \"motion\": \"../walk.pc2\", \"up\": \"z\", \"start\": 0.5, \"cycle\": "
    "true},\n"
    "     \"hooks\": [\"collide\"],\n"
    "     \"details\": [\n"
    "       {\"kind\": \"displace\", \"amount\": {\"keys\": [[0, 0.1], [1.5, \"mask\"],\n"
    "                   [2, {\"group\": \"collar\", \"from\": 0, \"to\": 0.02}], [3, {\"file\": \"w.txt\"}]]}},\n"
    "       {\"kind\": \"jiggle\", \"weight\": {\"attribute\": \"mask\", \"from\": 1, \"to\": 0}, \"air\": "
    "\"air\"}]},\n"
    "    {\"name\": \"ball \\\"\\u00e4\\\"\", \"mesh\": {\"kind\": \"sphere\", \"frequency\": 3}, \"scale\": 0.5,\n"
    "     \"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 1, \"turn\": [0, 90, 0]}]}},\n"
    "    {\"name\": \"dress\", \"mesh\": {\"file\": \"/abs/dress.glb\", \"unit\": \"cm\", \"up\": \"x\", \"mesh\": "
    "\"cloth\"}}\n"
    "  ],\n"
    "  \"output\": {\"formats\": [\"usda\", \"obj\"], \"checkpoint\": 0, \"unit\": \"in\"}\n"
    "}\n";

static ruga_description *read_fine(ruga_context *context, const char *name, const char *text) {
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, name, text, strlen(text), &d));
    assert_int_equal(ruga_description_finding_count(d), 0);
    return d;
}

static const ruga_object_def *object_of(const ruga_description *d, size_t i) {
    return (const ruga_object_def *)ruga_description_get(d)->objects.items + i;
}

static const void *values_of(const ruga_list *list, size_t i) { return ((const ruga_variant *)list->items)[i].values; }

static void every_value_arrives_in_its_struct(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = read_fine(context, "scenes/all.json", everything);
    const ruga_scene_def *def = ruga_description_get(d);
    assert_int_equal(def->cookie, RUGA_COOKIE);
    assert_string_equal(ruga_description_name(d), "scenes/all.json");
    assert_equal(def->time.fps, 29.97);
    assert_true(def->time.start_frame == -3 && def->time.frames == 7);
    assert_equal(def->gravity.x, 0.1);
    assert_equal(def->gravity.y, -9.80665);
    assert_equal(def->gravity.z, 1e-3);
    assert_equal(def->wind.gust, 0.3);
    assert_equal(def->wind.gust_size, 1);
    assert_equal(def->wind.velocity.z, 2);
    assert_true(def->output.formats == (1u << RUGA_OUTPUT_USDA | 1u << RUGA_OUTPUT_OBJ));
    assert_equal(def->output.unit, 0.0254);

    const ruga_material_def *material = def->materials.items;
    assert_int_equal(def->materials.count, 2);
    assert_string_equal(material->like, "yours");
    assert_equal(material->bend, 1e-5);
    assert_true(isnan(material->density));
    assert_equal(material[1].density, 0.2);
    assert_int_equal(def->colliders.count, 3);
    assert_ptr_equal(((const ruga_variant *)def->colliders.items)->section, &plane_section);
    const ruga_box_def *box = values_of(&def->colliders, 1);
    assert_equal(box->turn.y, 45);
    assert_equal(box->size.x, 1);
    assert_equal(box->friction, 0.3);

    const ruga_object_def *shirt = object_of(d, 0);
    assert_string_equal(((const ruga_mesh_file_def *)shirt->mesh.values)->file, "scenes/shirt.obj");
    const ruga_animated_def *animated = shirt->body.values;
    assert_string_equal(animated->motion, "scenes/../walk.pc2");
    assert_true(animated->up == RUGA_AXIS_Z);
    assert_equal(animated->start, 0.5);
    assert_true(animated->cycle == 1 && isnan(animated->unit));
    const ruga_subdivide_def *edit = values_of(&shirt->edits, 0);
    assert_true(edit->kind == RUGA_SUBDIVIDE_LOOP && edit->n == 1);
    assert_equal(edit->length, 0.01);
    assert_ptr_equal(((const ruga_variant *)shirt->hooks.items)->section, &collide_part_kind.section);

    const ruga_object_def *ball = object_of(d, 1), *dress = object_of(d, 2);
    assert_string_equal(ball->name, "ball \"\xc3\xa4\"");
    assert_equal(((const double *)ball->mesh.values)[0], 0.5);
    assert_equal(((const double *)ball->mesh.values)[1], 3);
    const ruga_rigid_def *rigid = ball->body.values;
    assert_int_equal(rigid->keys.count, 2);
    assert_equal(((const ruga_rigid_key *)rigid->keys.items)[1].turn.y, 90);
    assert_ptr_equal(dress->body.section, &static_body_kind.section);
    assert_non_null(dress->body.values);
    const ruga_mesh_file_def *from = dress->mesh.values;
    assert_equal(from->unit, 0.01);
    assert_true(from->up == RUGA_AXIS_X);
    assert_string_equal(from->file, "/abs/dress.glb");
    assert_string_equal(from->mesh, "cloth");
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void every_kind_of_parameter_arrives(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = read_fine(context, "scenes/all.json", everything);
    const ruga_object_def *shirt = object_of(d, 0);
    const ruga_param *amount = &((const ruga_displace_def *)values_of(&shirt->details, 0))->amount;
    assert_true(amount->kind == RUGA_PARAM_KEYS && amount->key_count == 4);
    assert_string_equal(amount->unit, "m");
    const ruga_param_key *keys = amount->keys;
    assert_equal(keys[0].time, 0);
    assert_true(keys[0].value->kind == RUGA_PARAM_CONSTANT);
    assert_equal(keys[0].value->constant, 0.1);
    assert_equal(keys[1].time, 1.5);
    assert_true(keys[1].value->kind == RUGA_PARAM_ATTRIBUTE);
    assert_string_equal(keys[1].value->attribute, "mask");
    assert_true(keys[2].value->kind == RUGA_PARAM_GROUP);
    assert_equal(keys[2].value->to, 0.02);
    assert_string_equal(keys[2].value->attribute, "collar");
    assert_true(keys[3].value->kind == RUGA_PARAM_ARRAY && !keys[3].value->array);
    assert_string_equal(keys[3].value->file, "scenes/w.txt");

    const ruga_jiggle_def *jiggle = values_of(&shirt->details, 1);
    assert_true(jiggle->weight.kind == RUGA_PARAM_ATTRIBUTE);
    assert_equal(jiggle->weight.from, 1);
    assert_equal(jiggle->weight.to, 0);
    assert_equal(jiggle->weight.low, 0);
    assert_equal(jiggle->weight.high, 1);
    assert_string_equal(jiggle->air.attribute, "air");
    assert_true(jiggle->frequency.kind == RUGA_PARAM_CONSTANT);
    assert_equal(jiggle->frequency.constant, 3);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void what_is_written_reads_back_and_writes_the_same(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const char *const texts[] = {everything, "{}", "{\"wind\": [1, 2, 3], \"output\": []}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ruga_description *d = read_fine(context, "scenes/all.json", texts[i]), *again = NULL;
        char *text = NULL, *second = NULL;
        size_t size = 0;
        assert_ok(context, ruga_description_write_memory(d, &text, &size));
        assert_int_equal(strlen(text), size);
        again = read_fine(context, "elsewhere/other.json", text);
        assert_ok(context, ruga_description_write_memory(again, &second, NULL));
        assert_string_equal(text, second);
        ruga_free(context, text);
        ruga_free(context, second);
        ruga_description_destroy(d);
        ruga_description_destroy(again);
    }
    ruga_context_destroy(context);
}

static void a_written_scene_has_every_default_and_absolute_paths(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = read_fine(context, "scenes/all.json", everything);
    char *text = NULL, folder[2048], wanted[2200];
    assert_ok(context, ruga_description_write_memory(d, &text, NULL));
    assert_non_null(getcwd(folder, sizeof folder));
    const char *const files[] = {"shirt.obj", "../walk.pc2", "w.txt"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(wanted, sizeof wanted, "\"%s/scenes/%s\"", folder, files[i]);
        assert_non_null(strstr(text, wanted));
    }
    assert_non_null(strstr(text, "\"/abs/dress.glb\""));
    assert_non_null(strstr(text, "\"gust_time\": 1,"));
    assert_non_null(strstr(text, "\"kind\": \"static\""));
    ruga_free(context, text);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void a_made_description_has_the_defaults(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_create(context, &d));
    ruga_scene_def def = ruga_scene_def_default();
    assert_memory_equal(ruga_description_get(d), &def, offsetof(ruga_scene_def, materials));
    assert_int_equal(ruga_description_get(d)->objects.count, 0);
    assert_string_equal(ruga_description_name(d), "");
    ruga_description_destroy(d);
    ruga_description_destroy(NULL);
    ruga_context_destroy(context);
}

/* ---- Files. */

static void a_scene_is_read_from_a_file_whose_folder_its_paths_are_seen_from(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const char *text = "{\"objects\": [{\"name\": \"a\", \"mesh\": \"a.obj\"}]}";
    write_test_file(test_path("scene.json"), text, strlen(text));
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read(context, test_path("scene.json"), &d));
    const ruga_mesh_file_def *mesh = object_of(d, 0)->mesh.values;
    assert_string_equal(mesh->file, test_path("a.obj"));
    ruga_description_destroy(d);

    d = (ruga_description *)context;
    assert_status(ruga_description_read(context, test_path("none.json"), &d), RUGA_ERROR_FILE);
    assert_null(d);
    assert_status(ruga_description_read(context, test_folder(), &d), RUGA_ERROR_FILE);
    assert_message_has(context, test_folder());
    test_folder_remove();
    ruga_context_destroy(context);
}

static void a_file_that_fails_while_it_is_read_makes_no_description(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    memory_file_system *files = NULL;
    failing_file_system failing;
    assert_ok(context, memory_file_system_create(context, &files));
    assert_ok(context, memory_file_system_put(files, "scene.json", "{}", 2));
    failing_file_system_init(&failing, memory_file_system_interface(files));
    failing.fail_read = 0;
    context->file_system = &failing.interface;
    ruga_description *d = NULL;
    assert_status(ruga_description_read(context, "scene.json", &d), RUGA_ERROR_FILE);
    assert_null(d);
    context->file_system = file_system_disk();
    memory_file_system_destroy(files);
    ruga_context_destroy(context);
}

/* ---- Findings. */

/* A finding about the value gets the place right behind `before` in the text; NULL: none. */
static void assert_place(ruga_description *d, const void *value, const char *before, const char *path) {
    size_t i = ruga_description_finding_count(d);
    assert_ok(d->context, description_found(d, value, RUGA_WARNING_INPUT, "about %s", path));
    const ruga_finding *f = ruga_description_finding(d, i);
    assert_non_null(f);
    assert_string_equal(f->path, path);
    assert_int_equal(f->status, RUGA_WARNING_INPUT);
    uint32_t line = 0, column = 0;
    if (before) {
        const char *found = strstr(everything, before);
        assert_non_null(found);
        line = column = 1;
        for (const char *c = everything; c < found + strlen(before); c++) {
            column = *c == '\n' ? 1 : column + 1;
            line += *c == '\n';
        }
    }
    fail_if(f->line != line || f->column != column, "%s: %u:%u", path, f->line, f->column);
}

static void the_place_of_any_value_is_known(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = read_fine(context, "scenes/all.json", everything);
    const ruga_scene_def *def = ruga_description_get(d);
    const ruga_object_def *shirt = object_of(d, 0), *ball = object_of(d, 1);
    const ruga_animated_def *animated = shirt->body.values;
    assert_place(d, &def->time.frames, "\"frames\": ", "time.frames");
    assert_place(d, &def->gravity, "\"gravity\": ", "gravity");
    assert_place(d, &shirt->material, "\"material\": ", "objects[0].material");
    assert_place(d, &((const ruga_mesh_file_def *)shirt->mesh.values)->file, "\"mesh\": ", "objects[0].mesh.file");
    assert_place(d, &animated->motion, "\"motion\": ", "objects[0].body.motion");
    assert_place(d, &shirt->details, "\"details\": ", "objects[0].details");
    assert_place(d, values_of(&shirt->details, 0), "\"amount\": ", "objects[0].details[0].amount");
    const ruga_rigid_key *keys = ((const ruga_rigid_def *)ball->body.values)->keys.items;
    assert_place(d, &keys[1].turn, "{\"time\": 1, \"turn\": ", "objects[1].body.keys[1].turn");

    /* A value that the text leaves to its default has the place of its struct. */
    assert_place(d, &animated->rate, "\"body\": ", "objects[0].body.rate");
    assert_place(d, &def->wind.gust_time, "\"wind\": ", "wind.gust_time");
    assert_place(d, &ball->move, "\"air\": \"air\"}]},\n    ", "objects[1].move");
    assert_place(d, ball->body.values, "\"scale\": 0.5,\n     \"body\": ", "objects[1].body.pivot");
    assert_place(d, &object_of(d, 2)->body, "[0, 90, 0]}]}},\n    ", "objects[2].body");
    assert_place(d, context, NULL, "");
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void findings_are_sorted_and_the_first_error_is_the_verdict(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = read_fine(context, "scenes/all.json", everything);
    const ruga_scene_def *def = ruga_description_get(d);
    assert_ok(context, description_found(d, NULL, RUGA_ERROR_FILE, "nowhere"));
    assert_ok(context, description_found(d, &def->output.unit, RUGA_ERROR_INPUT, "last"));
    assert_ok(context, description_found(d, &def->wind.gust, RUGA_ERROR_UNSUPPORTED, "number %d", 3));
    assert_ok(context, description_found(d, &def->time.fps, RUGA_WARNING_INPUT, "odd"));
    description_sort_findings(d);
    const char *const order[] = {"odd", "number 3", "last", "nowhere"};
    for (size_t i = 0; i < 4; i++) assert_string_equal(ruga_description_finding(d, i)->message, order[i]);
    assert_status(description_verdict(d), RUGA_ERROR_UNSUPPORTED);
    assert_string_equal(ruga_context_message(context), "scenes/all.json:6:43: wind.gust: number 3");
    ruga_description_destroy(d);

    /* Without a name and a place the message has none. */
    d = read_fine(context, "", "{}");
    assert_ok(context, description_found(d, NULL, RUGA_WARNING_INPUT, "odd"));
    assert_status(description_verdict(d), RUGA_OK);
    assert_ok(context, description_found(d, NULL, RUGA_ERROR_INPUT, "bad"));
    assert_status(description_verdict(d), RUGA_ERROR_INPUT);
    assert_string_equal(ruga_context_message(context), "bad");
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

static void a_file_called_nearly_like_a_kind_is_odd(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const char *const names[] = {"shet", "shet.obj", "./shet", "trousers"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[100];
        snprintf(text, sizeof text, "{\"objects\": [{\"name\": \"a\", \"mesh\": \"%s\"}]}", names[i]);
        ruga_description *d = NULL;
        assert_ok(context, ruga_description_read_memory(context, "", text, strlen(text), &d));
        assert_int_equal(ruga_description_finding_count(d), i == 0);
        const ruga_finding *f = ruga_description_finding(d, 0);
        if (i == 0) {
            assert_non_null(f);
            assert_true(f->status == RUGA_WARNING_INPUT && f->line == 1 && f->column == 36);
            assert_string_equal(f->path, "objects[0].mesh");
            assert_non_null(strstr(f->message, "did you mean the kind \"sheet\"?"));
        }
        ruga_description_destroy(d);
    }
    ruga_context_destroy(context);
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = NULL;
    assert_status(ruga_description_read(NULL, "a", &d), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_description_read(context, NULL, &d), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_description_read_memory(context, "", NULL, 0, &d), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_description_read_memory(context, "", "{}", 2, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_description_write_memory(NULL, NULL, NULL), RUGA_ERROR_ARGUMENT);
    assert_ok(context, ruga_description_create(context, &d));
    assert_status(ruga_description_write_memory(d, NULL, NULL), RUGA_ERROR_ARGUMENT);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

/* ---- Memory. */

static ruga_status read_and_write(ruga_context *context, void *user) {
    (void)user;
    ruga_description *d = NULL;
    char *text = NULL;
    ruga_status status = ruga_description_read_memory(context, "a/b", everything, strlen(everything), &d);
    if (!RUGA_FAILED(status)) status = ruga_description_write_memory(d, &text, NULL);
    ruga_free(context, text);
    ruga_description_destroy(d);
    return status;
}

/* The mistakes themselves are no failure here. */
static ruga_status read_broken(ruga_context *context, void *user) {
    const char *text = user;
    ruga_description *d = NULL;
    ruga_status status = ruga_description_read_memory(context, "a/b", text, strlen(text), &d);
    if (d) assert_less(0, ruga_description_finding_count(d));
    ruga_description_destroy(d);
    return status == RUGA_ERROR_INPUT ? RUGA_OK : status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    assert_less(10, assert_every_allocation_may_fail(read_and_write, NULL));
    const char *broken =
        "{\"time\": 3, \"wnd\": 1, \"objects\": [{\"mesh\": {\"kind\": 4}, \"details\": [7, \"jigle\"]}]}";
    assert_less(5, assert_every_allocation_may_fail(read_broken, (void *)broken));
    assert_every_allocation_may_fail(read_broken, (void *)"{\"time\": }");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_arrives_in_its_struct),
        cmocka_unit_test(every_kind_of_parameter_arrives),
        cmocka_unit_test(what_is_written_reads_back_and_writes_the_same),
        cmocka_unit_test(a_written_scene_has_every_default_and_absolute_paths),
        cmocka_unit_test(a_made_description_has_the_defaults),
        cmocka_unit_test(a_scene_is_read_from_a_file_whose_folder_its_paths_are_seen_from),
        cmocka_unit_test(a_file_that_fails_while_it_is_read_makes_no_description),
        cmocka_unit_test(the_place_of_any_value_is_known),
        cmocka_unit_test(findings_are_sorted_and_the_first_error_is_the_verdict),
        cmocka_unit_test(a_file_called_nearly_like_a_kind_is_odd),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
