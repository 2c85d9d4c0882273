/* Fields: values as an option has them, defaults of every kind, lookups. */
#include <math.h>

#include "field/field.h"
#include "support/support.h"

static void numbers_take_the_whole_text_and_are_finite(void **state) {
    (void)state;
    double number = 0;
    assert_true(ruga_number_parse("-1.5e3", &number));
    assert_equal(number, -1500);
    assert_true(ruga_number_parse("+.5", &number));
    assert_equal(number, 0.5);
    const char *const bad[] = {"", " ", "1 ", " 1", "1,", "nan", "inf", "1e999", "one"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) fail_if(ruga_number_parse(bad[i], &number), "\"%s\"", bad[i]);
}

static void units_are_names_or_metres(void **state) {
    (void)state;
    const struct {
        const char *text;
        double metres;
    } units[] = {{"m", 1},       {"cm", 0.01},   {"mm", 0.001}, {"km", 1000},
                 {"in", 0.0254}, {"ft", 0.3048}, {"0.5", 0.5},  {"1e-9", 1e-9}};
    double metres = 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        assert_true(ruga_unit_parse(units[i].text, &metres));
        assert_equal_case(metres, units[i].metres, "i %zu", i);
    }
    const char *const bad[] = {"", "inch", "0", "-1", "1e10", "1e-10", "M"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) fail_if(ruga_unit_parse(bad[i], &metres), "\"%s\"", bad[i]);
    assert_false(field_parse_unit_name("1", &metres));
}

static void vectors_are_three_numbers_between_commas(void **state) {
    (void)state;
    ruga_vec3 v;
    assert_true(field_parse_vector("0,-9.81,1e2", &v));
    assert_equal(v.x, 0);
    assert_equal(v.y, -9.81);
    assert_equal(v.z, 100);
    const char *const bad[] = {"", "1", "1,2", "1,2,", "1,2,3,", "1,2,3,4", "1, 2,3", "1,,3", "1,2,inf"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) fail_if(field_parse_vector(bad[i], &v), "\"%s\"", bad[i]);
}

static const char *const colours[] = {"red", "green", "blue", NULL};

static void choices_are_words_of_the_list(void **state) {
    (void)state;
    const ruga_field field = {.kind = RUGA_FIELD_CHOICES, .choices = colours};
    int choice = -1;
    uint32_t chosen = 9;
    assert_true(field_parse_choice(&field, "green and more", 5, &choice) && choice == 1);
    assert_false(field_parse_choice(&field, "gre", 3, &choice));
    assert_true(field_parse_choices(&field, "blue,red", &chosen) && chosen == 5);
    assert_true(field_parse_choices(&field, "", &chosen) && chosen == 0);
    assert_false(field_parse_choices(&field, "red,pink", &chosen));
    assert_false(field_parse_choices(&field, "red,,blue", &chosen));
}

/* ---- A struct with a field of every kind. */

typedef struct inner {
    double number;
} inner;

typedef struct outer {
    double number, unit;
    int whole, flag, choice;
    uint32_t choices;
    const char *text, *path, *name;
    ruga_vec3 vector;
    ruga_param param;
    inner section;
    ruga_list list, variants;
    ruga_variant variant;
} outer;

static const ruga_field inner_fields[] = {{"number", RUGA_FIELD_NUMBER, 0, .preset = "7"}};
static const ruga_section inner_section = {"inner", .size = sizeof(inner), .fields = inner_fields, .field_count = 1};
static const ruga_section empty_section = {.name = "empty"};
static const ruga_section *const sections[] = {&inner_section, &empty_section, NULL};

#define ROW(member, kind, ...) \
    { #member, RUGA_FIELD_##kind, offsetof(outer, member), __VA_ARGS__ }

static const ruga_field given[] = {
    ROW(number, NUMBER, .preset = "-2.5"),
    ROW(unit, UNIT, .preset = "cm"),
    ROW(whole, WHOLE, .preset = "-4"),
    ROW(flag, FLAG, .preset = "true"),
    ROW(choice, CHOICE, .preset = "blue", .choices = colours),
    ROW(choices, CHOICES, .preset = "red,green", .choices = colours),
    ROW(text, TEXT, .preset = "some text"),
    ROW(path, PATH, .preset = "a.obj"),
    ROW(name, NAME, .preset = "cotton"),
    ROW(vector, VECTOR, .preset = "1,2,3"),
    ROW(param, PARAM, .preset = "0.5", .low = 0, .high = 2, .unit = "m"),
    ROW(section, SECTION, .preset = "", .sections = sections),
    ROW(list, LIST, .preset = "", .sections = sections),
    ROW(variants, VARIANTS, .preset = "", .sections = sections),
    ROW(variant, VARIANT, .preset = "empty", .sections = sections),
};

/* The same without defaults: as for what must be given, and for what may be absent. */
static void take_presets(ruga_field *fields, const char *preset) {
    memcpy(fields, given, sizeof given);
    for (size_t i = 0; i < RUGA_FIELD_COUNT(given); i++) fields[i].preset = preset;
}

static void defaults_are_what_the_rows_say(void **state) {
    (void)state;
    const ruga_section section = {"outer", .size = sizeof(outer), .fields = given,
                                  .field_count = RUGA_FIELD_COUNT(given)};
    outer o;
    memset(&o, 0xff, sizeof o);
    ruga_section_defaults(&section, &o);
    assert_equal(o.number, -2.5);
    assert_equal(o.unit, 0.01);
    assert_true(o.whole == -4 && o.flag == 1 && o.choice == 2 && o.choices == 3);
    assert_string_equal(o.text, "some text");
    assert_string_equal(o.path, "a.obj");
    assert_string_equal(o.name, "cotton");
    assert_equal(o.vector.x, 1);
    assert_equal(o.vector.y, 2);
    assert_equal(o.vector.z, 3);
    assert_true(o.param.kind == RUGA_PARAM_CONSTANT);
    assert_equal(o.param.constant, 0.5);
    assert_equal(o.param.high, 2);
    assert_string_equal(o.param.unit, "m");
    assert_equal(o.section.number, 7);
    assert_true(o.list.count == 0 && !o.list.items && o.variants.count == 0);
    assert_true(o.variant.section == &empty_section && !o.variant.values);
}

static void absent_values_say_so(void **state) {
    (void)state;
    ruga_field fields[RUGA_FIELD_COUNT(given)];
    const ruga_section section = {"outer", .size = sizeof(outer), .fields = fields,
                                  .field_count = RUGA_FIELD_COUNT(given)};
    const char *const presets[] = {NULL, "null"};
    for (size_t i = 0; i < 2; i++) {
        outer o;
        memset(&o, 0xff, sizeof o);
        take_presets(fields, presets[i]);
        ruga_section_defaults(&section, &o);
        assert_true(isnan(o.number) && isnan(o.unit) && isnan(o.vector.x) && o.choice == -1);
        assert_true(!o.text && !o.path && !o.name && !o.list.items && !o.variant.section && !o.variant.values);
        assert_true(o.whole == 0 && o.flag == 0 && o.choices == 0);
        assert_equal_case(o.section.number, 7, "i %zu", i);
    }
    ruga_section_defaults(&empty_section, NULL);
}

static void sizes_are_those_of_the_members(void **state) {
    (void)state;
    for (size_t i = 0; i + 1 < RUGA_FIELD_COUNT(given); i++) assert_less_case(0, field_size(&given[i]), "i %zu", i);
    const ruga_section section = {"outer", .size = sizeof(outer), .fields = given,
                                  .field_count = RUGA_FIELD_COUNT(given)};
    const ruga_field *vector = ruga_section_field(&section, "vector"), *list = ruga_section_field(&section, "list");
    assert_int_equal(field_size(vector), sizeof(ruga_vec3));
    assert_int_equal(field_size(ruga_section_field(&section, "section")), sizeof(inner));
    assert_int_equal(field_item_size(list), sizeof(inner));
    assert_int_equal(field_item_size(ruga_section_field(&section, "variants")), sizeof(ruga_variant));
}

static void lookups_find_by_name_or_not_at_all(void **state) {
    (void)state;
    const ruga_section section = {"outer", .size = sizeof(outer), .fields = given,
                                  .field_count = RUGA_FIELD_COUNT(given)};
    const ruga_field *variant = ruga_section_field(&section, "variant");
    assert_ptr_equal(variant, &given[RUGA_FIELD_COUNT(given) - 1]);
    assert_null(ruga_section_field(&section, "varian"));
    assert_ptr_equal(ruga_field_section(variant, "inner"), &inner_section);
    assert_null(ruga_field_section(variant, "outer"));
    assert_null(ruga_field_section(&given[0], "inner"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_take_the_whole_text_and_are_finite),
        cmocka_unit_test(units_are_names_or_metres),
        cmocka_unit_test(vectors_are_three_numbers_between_commas),
        cmocka_unit_test(choices_are_words_of_the_list),
        cmocka_unit_test(defaults_are_what_the_rows_say),
        cmocka_unit_test(absent_values_say_so),
        cmocka_unit_test(sizes_are_those_of_the_members),
        cmocka_unit_test(lookups_find_by_name_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
