/* Materials: the presets are physically plausible and say where they come from; `like` is followed. */
#include <math.h>
#include <stdio.h>

#include "scene/material.h"
#include "support/support.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    return 0;
}

/* A material without a number of its own. */
static ruga_material_def material(const char *name, const char *like) {
    ruga_material_def m;
    ruga_section_defaults(ruga_scene_section_find("materials"), &m);
    m.name = name;
    m.like = like;
    return m;
}

static ruga_scene_def scene_with(ruga_material_def *materials, size_t count) {
    ruga_scene_def def = ruga_scene_def_default();
    def.materials = (ruga_list){materials, count};
    return def;
}

static ruga_status resolve(const ruga_scene_def *def, const char *name, ruga_material_def *out) {
    arena memory = arena_make(context);
    material_table table;
    ruga_status status = material_table_make(&memory, def, &table);
    if (!RUGA_FAILED(status)) status = material_get(&table, name, out);
    arena_release(&memory);
    return status;
}

/* Flexural rigidity of a homogeneous plate, D = E h³ / 12 (1 - ν²), with E h the stretch stiffness. */
static double plate_bend(const ruga_material_def *m) {
    return m->stretch * m->thickness * m->thickness / (12 * (1 - m->poisson * m->poisson));
}

/* ---- Presets. */

static void presets_have_names_ranges_and_sources(void **state) {
    (void)state;
    const ruga_section *section = ruga_scene_section_find("materials");
    assert_at_most(4, ruga_material_preset_count());
    assert_null(ruga_material_preset_get(ruga_material_preset_count()));
    size_t numbers = 0;
    for (size_t i = 0; i < ruga_material_preset_count(); i++) {
        const ruga_material_preset *p = ruga_material_preset_get(i);
        assert_less_case(10, strlen(p->help), "i %zu", i);
        assert_less_case(100, strlen(p->source), "i %zu", i);
        assert_null(p->values.like);
        for (size_t k = 0; k < section->field_count; k++) {
            const ruga_field *field = &section->fields[k];
            if (field->kind != RUGA_FIELD_NUMBER) continue;
            double value;
            memcpy(&value, (const char *)&p->values + field->offset, sizeof value);
            assert_at_most_case(field->low, value, "%s.%s", p->values.name, field->name);
            assert_at_most_case(value, field->high, "%s.%s", p->values.name, field->name);
            numbers++;
        }
    }
    assert_ran(numbers, 4 * ruga_material_preset_count());
}

/* Mass and thickness belong together: no sheet of fibres is lighter than fluff or heavier than what it is made of. */
static void densities_are_those_of_matter(void **state) {
    (void)state;
    for (size_t i = 0; i < ruga_material_preset_count(); i++) {
        const ruga_material_def *m = &ruga_material_preset_get(i)->values;
        double density = m->density / m->thickness;
        assert_less_case(200, density, "%s, kg/m³", m->name);
        assert_less_case(density, 1500, "%s, kg/m³", m->name);
    }
}

/* Solid sheets bend as plates do. The yarns of fabrics slide, crimp and lock, so the stiffness of a fabric differs from
 * plate theory by up to a factor of 10. */
static void bending_agrees_with_the_theory_of_plates(void **state) {
    (void)state;
    for (size_t i = 0; i < ruga_material_preset_count(); i++) {
        const ruga_material_def *m = &ruga_material_preset_get(i)->values;
        int is_solid = strcmp(m->name, "paper") == 0 || strcmp(m->name, "skin") == 0 || strcmp(m->name, "rubber") == 0;
        double factor = is_solid ? 1.001 : 10, ratio = m->bend / plate_bend(m);
        assert_at_most_case(ratio, factor, "%s", m->name);
        assert_at_most_case(1 / factor, ratio, "%s", m->name);
    }
}

static double bending_length(const char *name) {
    ruga_scene_def def = ruga_scene_def_default();
    ruga_material_def m;
    assert_ok(context, resolve(&def, name, &m));
    return cbrt(m.bend / (9.81 * m.density));
}

/* Yarns of a weave turn, those of solid sheets can't: G = Y / 2 (1 + ν). A material of one's own has a tenth. */
static void shear_is_that_of_a_weave_or_of_a_solid_sheet(void **state) {
    (void)state;
    static const char *const woven[] = {"cotton", "silk", "wool"}, *const solid[] = {"paper", "skin", "rubber"};
    const ruga_scene_def empty = ruga_scene_def_default();
    ruga_material_def m, own = material("own", NULL);
    for (int k = 0; k < 3; k++) {
        assert_ok(context, resolve(&empty, woven[k], &m));
        assert_at_most(15, m.shear_ratio * m.stretch);
        assert_at_most(m.shear_ratio * m.stretch, 60);
        assert_ok(context, resolve(&empty, solid[k], &m));
        assert_near_case(m.shear_ratio, 1 / (2 + 2 * m.poisson), 1e-9, "%s", solid[k]);
    }
    own.density = own.thickness = own.stretch = own.bend = 1;
    own.poisson = own.damping = own.friction = 0;
    const ruga_scene_def scene = scene_with(&own, 1);
    assert_ok(context, resolve(&scene, "own", &m));
    assert_equal(m.shear_ratio, 0.1);
}

/* How far a strip stands out before its weight bends it down, (D / g ρ)^(1/3), as in Peirce's cantilever test of 1930:
 * a centimetre or two for light cloth, more for denim, most for paper. */
static void presets_stand_out_in_the_order_that_hands_know(void **state) {
    (void)state;
    static const char *const light[] = {"silk", "cotton", "wool"};
    for (size_t i = 0; i < 3; i++) {
        assert_less_case(0.01, bending_length(light[i]), "i %zu", i);
        assert_less_case(bending_length(light[i]), 0.025, "i %zu", i);
        assert_less_case(bending_length(light[i]), bending_length("denim"), "i %zu", i);
    }
    assert_less(2 * bending_length("denim"), bending_length("paper"));
}

/* ---- By name. */

static void numbers_that_are_not_given_come_from_the_chain(void **state) {
    (void)state;
    ruga_material_def own[3] = {material("mine", "base"), material("base", "silk"), material("silk", "silk")};
    own[0].density = 7;
    own[1].density = 8;
    own[1].bend = 9;
    own[2].friction = 0.77;
    ruga_scene_def def = scene_with(own, 3);
    ruga_material_def m, preset;
    assert_ok(context, resolve(&def, "mine", &m));
    ruga_scene_def empty = ruga_scene_def_default();
    assert_ok(context, resolve(&empty, "silk", &preset));
    assert_string_equal(m.name, "mine");
    /* A material that is like its own name takes from the preset behind it. */
    assert_equal(m.density, 7);
    assert_equal(m.bend, 9);
    assert_equal(m.friction, 0.77);
    assert_equal(m.stretch, preset.stretch);
    assert_equal(m.thickness, preset.thickness);
    assert_equal(m.poisson, preset.poisson);
}

static void circles_are_reported_with_their_members(void **state) {
    (void)state;
    ruga_material_def own[4] = {material("a", "b"), material("b", "c"), material("c", "b"), material("d", "d")};
    ruga_scene_def def = scene_with(own, 4);
    ruga_material_def m;
    assert_status(resolve(&def, "a", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "\"b\" is like \"c\"");
    assert_message_has(context, "\"c\" is like \"b\"");
    assert_status(resolve(&def, "d", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "\"d\" is like \"d\"");
}

/* The message ends with the advice, however long the circle is. */
static void long_circles_are_reported_with_their_first_members(void **state) {
    (void)state;
    enum { COUNT = 300 };
    static char names[COUNT][8];
    static ruga_material_def own[COUNT];
    for (int i = 0; i < COUNT; i++) snprintf(names[i], sizeof names[i], "m%d", i);
    for (int i = 0; i < COUNT; i++) own[i] = material(names[i], names[(i + 1) % COUNT]);
    ruga_scene_def def = scene_with(own, COUNT);
    ruga_material_def m;
    assert_status(resolve(&def, "m7", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "\"m0\" is like \"m1\" is like");
    assert_message_has(context, "is like \"m6\", … (300 in all); give one of them numbers");
}

static void unknown_names_get_a_suggestion(void **state) {
    (void)state;
    ruga_material_def own[1] = {material("canvas", "cottn")};
    ruga_scene_def def = scene_with(own, 1);
    ruga_material_def m;
    assert_status(resolve(&def, "canvass", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "did you mean \"canvas\"?");
    assert_status(resolve(&def, "canvas", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "did you mean \"cotton\"?");
    assert_status(resolve(&def, "unobtainium", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "there are \"cotton\", \"silk\"");
}

static void a_material_that_is_like_none_must_be_whole(void **state) {
    (void)state;
    ruga_material_def own[1] = {material("mine", NULL)};
    own[0].density = 1;
    ruga_scene_def def = scene_with(own, 1);
    ruga_material_def m = material("untouched", NULL);
    assert_status(resolve(&def, "mine", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "\"mine\" has no thickness");
    assert_string_equal(m.name, "untouched");
}

/* Each is resolved once: following every chain to its end would take hours. */
static void long_chains_take_no_longer_than_their_length(void **state) {
    (void)state;
    enum { COUNT = 50000 };
    static char names[COUNT][16];
    ruga_material_def *materials = calloc(COUNT, sizeof *materials), whole, cotton;
    ruga_scene_def def = scene_with(materials, COUNT);
    assert_non_null(materials);
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "m%d", i);
        materials[i] = material(names[i], i > 0 ? names[i - 1] : "cotton");
    }
    materials[COUNT / 2].thickness = 0.002;
    assert_ok(context, resolve(&def, "cotton", &cotton));
    assert_ok(context, resolve(&def, names[COUNT - 1], &whole));
    assert_near(whole.thickness, 0.002, 0);
    assert_near(whole.density, cotton.density, 0);
    materials[0].like = names[COUNT - 1];
    assert_int_equal(resolve(&def, names[7], &whole), RUGA_ERROR_INPUT);
    materials[0].like = "coton";
    assert_int_equal(resolve(&def, names[COUNT - 1], &whole), RUGA_ERROR_INPUT);
    assert_non_null(strstr(ruga_context_message(context), "did you mean \"cotton\""));
    free(materials);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_have_names_ranges_and_sources),
        cmocka_unit_test(densities_are_those_of_matter),
        cmocka_unit_test(bending_agrees_with_the_theory_of_plates),
        cmocka_unit_test(shear_is_that_of_a_weave_or_of_a_solid_sheet),
        cmocka_unit_test(presets_stand_out_in_the_order_that_hands_know),
        cmocka_unit_test(numbers_that_are_not_given_come_from_the_chain),
        cmocka_unit_test(circles_are_reported_with_their_members),
        cmocka_unit_test(long_circles_are_reported_with_their_first_members),
        cmocka_unit_test(unknown_names_get_a_suggestion),
        cmocka_unit_test(long_chains_take_no_longer_than_their_length),
        cmocka_unit_test(a_material_that_is_like_none_must_be_whole),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
