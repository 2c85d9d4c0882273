/* The tables of the scene: whole, consistent, and the source of every default. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "field/field.h"
#include "scene/kinds.h"
#include "scene/tables.h"
#include "support/support.h"

/* Calls visit for every section that the root leads to, with its path. */
typedef void section_visit(const ruga_section *section, const char *path);

static void walk(const ruga_section *section, const char *path, section_visit *visit) {
    visit(section, path);
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        int of_kinds = field->kind == RUGA_FIELD_VARIANT || field->kind == RUGA_FIELD_VARIANTS;
        for (size_t k = 0; field->sections && field->sections[k]; k++) {
            char longer[256];
            snprintf(longer, sizeof longer, "%s%s%s%s%s", path, *path ? "." : "", field->name, of_kinds ? "." : "",
                     of_kinds ? field->sections[k]->name : "");
            walk(field->sections[k], longer, visit);
        }
    }
}

static void assert_words(const char *name, const char *path) {
    assert_less(0, strlen(name));
    for (const char *c = name; *c; c++)
        fail_if(!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_', "%s.%s", path, name);
}

static void assert_row(const ruga_section *section, const ruga_field *field, const char *path) {
    assert_words(field->name, path);
    fail_if(!field->help || !*field->help || field->help[strlen(field->help) - 1] == '.',
            "%s.%s needs a help without a full stop", path, field->name);
    fail_if(field->offset + field_size(field) > section->size, "%s.%s lies outside", path, field->name);
    assert_ptr_equal(ruga_section_field(section, field->name), field);

    /* Each kind has what it needs to be read, and numbers have a unit. */
    int has_number = field->kind == RUGA_FIELD_NUMBER || field->kind == RUGA_FIELD_PARAM ||
                     field->kind == RUGA_FIELD_VECTOR || field->kind == RUGA_FIELD_WHOLE;
    fail_if(has_number && !field->unit, "%s.%s has no unit", path, field->name);
    assert_int_equal(field->choices != NULL, field->kind == RUGA_FIELD_CHOICE || field->kind == RUGA_FIELD_CHOICES);
    assert_int_equal(field->sections != NULL, field->kind >= RUGA_FIELD_SECTION);
    assert_int_equal(field->names != NULL, field->kind == RUGA_FIELD_NAME);
    assert_at_most(field->low, field->high);
}

static void assert_preset_in_range(const ruga_field *field, const void *values, const char *path) {
    const char *value = (const char *)values + field->offset;
    double number = 0;
    int given = field->preset && strcmp(field->preset, "null") != 0;
    if (!given || field->low == field->high) return;
    if (field->kind == RUGA_FIELD_NUMBER || field->kind == RUGA_FIELD_UNIT) memcpy(&number, value, sizeof number);
    if (field->kind == RUGA_FIELD_WHOLE) number = *(const int *)value;
    if (field->kind == RUGA_FIELD_PARAM) number = ((const ruga_param *)value)->constant;
    if (field->kind == RUGA_FIELD_VECTOR) number = ((const ruga_vec3 *)value)->x;
    assert_at_most_case(field->low, number, "%s.%s: preset %s", path, field->name, field->preset);
    assert_at_most_case(number, field->high, "%s.%s: preset %s", path, field->name, field->preset);
}

static void assert_section(const ruga_section *section, const char *path) {
    assert_words(section->name, path);
    assert_non_null(section->help);
    assert_ptr_equal(ruga_scene_section_find(path), section);
    if (section->shorthand) assert_non_null(ruga_section_field(section, section->shorthand));

    void *values = malloc(section->size + 1);
    assert_non_null(values);
    ruga_section_defaults(section, values);
    for (size_t i = 0; i < section->field_count; i++) {
        assert_row(section, &section->fields[i], path);
        assert_preset_in_range(&section->fields[i], values, path);
    }
    free(values);
}

static void every_row_is_whole_and_every_section_is_found_by_its_path(void **state) {
    (void)state;
    walk(ruga_scene_section(), "", assert_section);
}

static void rows_of_a_section_do_not_overlap(void **state) {
    (void)state;
    const char *const paths[] = {"",
                                 "time",
                                 "wind",
                                 "materials",
                                 "objects",
                                 "output",
                                 "objects.mesh.file",
                                 "objects.body.animated",
                                 "objects.body.rigid",
                                 "objects.body.cloth",
                                 "objects.body.cloth.pins.path",
                                 "objects.body.cloth.pins.follow",
                                 "colliders.box",
                                 "colliders.capsule"};
    for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
        const ruga_section *section = ruga_scene_section_find(paths[p]);
        for (size_t i = 0; i + 1 < section->field_count; i++) {
            const ruga_field *a = &section->fields[i], *b = a + 1;
            fail_if(a->offset + field_size(a) > b->offset, "%s: %s and %s", paths[p], a->name, b->name);
        }
    }
}

static void every_model_is_a_kind_of_mesh(void **state) {
    (void)state;
    const ruga_field *mesh = ruga_section_field(ruga_scene_section_find("objects"), "mesh");
    for (size_t i = 0; i < ruga_model_count(); i++)
        assert_ptr_equal(ruga_field_section(mesh, ruga_model_get(i)->name), ruga_model_get(i));
    assert_ptr_equal(ruga_field_section(mesh, "file"), &mesh_file_section);
    assert_null(ruga_field_section(mesh, "cube"));
}

static void defaults_are_those_of_the_tables(void **state) {
    (void)state;
    ruga_scene_def def = ruga_scene_def_default();
    assert_int_equal(def.cookie, RUGA_COOKIE);
    assert_equal(def.time.fps, 24);
    assert_true(def.time.frames == 48 && def.time.substeps == 0 && def.time.preroll == 0);
    assert_equal(def.gravity.x, 0);
    assert_equal(def.gravity.y, -9.81);
    assert_equal(def.gravity.z, 0);
    assert_true(def.objects.count == 0 && def.materials.count == 0 && def.colliders.count == 0);
    assert_true(def.output.formats == 1u << RUGA_OUTPUT_PC2 && def.output.checkpoint == 10);
    assert_equal(def.output.unit, 1);

    ruga_object_def object = ruga_object_def_default();
    assert_ptr_equal(object.body.section, &static_body_kind.section);
    assert_equal(object.scale, 1);
    assert_true(object.name == NULL && object.mesh.section == NULL && object.material == NULL);
    ruga_animated_def animated;
    ruga_section_defaults(&animated_body_kind.section, &animated);
    assert_true(isnan(animated.unit) && isnan(animated.rate) && isnan(animated.start) && animated.up == -1);
    assert_true(animated.motion == NULL);
    assert_equal(animated.speed, 1);
    assert_true(animated.cycle == 0);
}

static void paths_that_lead_nowhere_find_no_section(void **state) {
    (void)state;
    const char *const paths[] = {"tim",           "time.fps", "objects.body", "objects.body.flying", "objects.",
                                 "objects..body", ".time",    "objects[0]",   "time.fps.x"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        int lists_objects = strcmp(paths[i], "objects.") == 0;
        assert_int_equal(ruga_scene_section_find(paths[i]) != NULL, lists_objects);
    }
    assert_null(ruga_scene_section_find(NULL));
    char long_path[200];
    memset(long_path, 'a', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = 0;
    assert_null(ruga_scene_section_find(long_path));
    assert_ptr_equal(ruga_scene_section_find(""), ruga_scene_section());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_whole_and_every_section_is_found_by_its_path),
        cmocka_unit_test(rows_of_a_section_do_not_overlap),
        cmocka_unit_test(every_model_is_a_kind_of_mesh),
        cmocka_unit_test(defaults_are_those_of_the_tables),
        cmocka_unit_test(paths_that_lead_nowhere_find_no_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
