/* Materials: the presets are physically plausible and say where they come from; `like` is followed. */
#include <math.h>

#include "scene/tables.h"
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

/* Flexural rigidity of a homogeneous plate, D = E h³ / 12 (1 - ν²), with E h the stretch stiffness. */
static double plate_bend(const ruga_material_def *m) {
    return m->stretch * m->thickness * m->thickness / (12 * (1 - m->poisson * m->poisson));
}

/* ---- Presets. */

static void presets_have_names_ranges_and_sources(void **state) {
    (void)state;
    const ruga_section *section = ruga_scene_section_find("materials");
    assert_true(ruga_material_preset_count() >= 4);
    assert_null(ruga_material_preset_get(ruga_material_preset_count()));
    for (size_t i = 0; i < ruga_material_preset_count(); i++) {
        const ruga_material_preset *p = ruga_material_preset_get(i);
        assert_true(strlen(p->help) > 10 && strlen(p->source) > 100);
        assert_null(p->values.like);
        for (size_t k = 0; k < section->field_count; k++) {
            const ruga_field *field = &section->fields[k];
            if (field->kind != RUGA_FIELD_NUMBER) continue;
            double value;
            memcpy(&value, (const char *)&p->values + field->offset, sizeof value);
            if (!(value >= field->low && value <= field->high)) fail_msg("%s.%s", p->values.name, field->name);
        }
    }
}

/* Mass and thickness belong together: no sheet of fibres is lighter than fluff or heavier than what it is made of. */
static void densities_are_those_of_matter(void **state) {
    (void)state;
    for (size_t i = 0; i < ruga_material_preset_count(); i++) {
        const ruga_material_def *m = &ruga_material_preset_get(i)->values;
        double density = m->density / m->thickness;
        if (!(density > 200 && density < 1500)) fail_msg("%s has %g kg/m3", m->name, density);
    }
}

/* Solid sheets bend as plates do; the yarns of fabrics slide, crimp and lock, which moves them off by up to a factor of 10. */
static void bending_agrees_with_the_theory_of_plates(void **state) {
    (void)state;
    for (size_t i = 0; i < ruga_material_preset_count(); i++) {
        const ruga_material_def *m = &ruga_material_preset_get(i)->values;
        int is_solid = strcmp(m->name, "paper") == 0 || strcmp(m->name, "skin") == 0 || strcmp(m->name, "rubber") == 0;
        double factor = is_solid ? 1.001 : 10, ratio = m->bend / plate_bend(m);
        if (ratio > factor || ratio < 1 / factor) fail_msg("%s bends %g times as stiffly as a plate", m->name, ratio);
    }
}

static double bending_length(const char *name) {
    ruga_scene_def def = ruga_scene_def_default();
    ruga_material_def m;
    assert_ok(context, material_resolve(context, &def, name, &m));
    return cbrt(m.bend / (9.81 * m.density));
}

/* How far a strip stands out before its weight bends it down, (D / g ρ)^(1/3), as in Peirce's cantilever test of 1930:
 * a centimetre or two for light cloth, more for denim, most for paper. */
static void presets_stand_out_in_the_order_that_hands_know(void **state) {
    (void)state;
    static const char *const light[] = {"silk", "cotton", "wool"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(bending_length(light[i]) > 0.01 && bending_length(light[i]) < 0.025);
        assert_true(bending_length("denim") > bending_length(light[i]));
    }
    assert_true(bending_length("paper") > 2 * bending_length("denim"));
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
    assert_ok(context, material_resolve(context, &def, "mine", &m));
    ruga_scene_def empty = ruga_scene_def_default();
    assert_ok(context, material_resolve(context, &empty, "silk", &preset));
    assert_string_equal(m.name, "mine");
    /* A material that is like its own name takes from the preset behind it. */
    assert_true(m.density == 7 && m.bend == 9 && m.friction == 0.77);
    assert_true(m.stretch == preset.stretch && m.thickness == preset.thickness && m.poisson == preset.poisson);
}

static void circles_are_told_with_their_members(void **state) {
    (void)state;
    ruga_material_def own[4] = {material("a", "b"), material("b", "c"), material("c", "b"), material("d", "d")};
    ruga_scene_def def = scene_with(own, 4);
    ruga_material_def m;
    assert_status(material_resolve(context, &def, "a", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "\"b\" is like \"c\"");
    assert_message_has(context, "\"c\" is like \"b\"");
    assert_status(material_resolve(context, &def, "d", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "\"d\" is like \"d\"");
}

static void unknown_names_get_a_suggestion(void **state) {
    (void)state;
    ruga_material_def own[1] = {material("canvas", "cottn")};
    ruga_scene_def def = scene_with(own, 1);
    ruga_material_def m;
    assert_status(material_resolve(context, &def, "canvass", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "did you mean \"canvas\"?");
    assert_status(material_resolve(context, &def, "canvas", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "did you mean \"cotton\"?");
    assert_status(material_resolve(context, &def, "unobtainium", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "take a preset");
}

static void a_material_that_is_like_none_must_be_whole(void **state) {
    (void)state;
    ruga_material_def own[1] = {material("mine", NULL)};
    own[0].density = 1;
    ruga_scene_def def = scene_with(own, 1);
    ruga_material_def m = material("untouched", NULL);
    assert_status(material_resolve(context, &def, "mine", &m), RUGA_ERROR_INPUT);
    assert_message_has(context, "\"mine\" has no thickness");
    assert_string_equal(m.name, "untouched");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_have_names_ranges_and_sources),
        cmocka_unit_test(densities_are_those_of_matter),
        cmocka_unit_test(bending_agrees_with_the_theory_of_plates),
        cmocka_unit_test(presets_stand_out_in_the_order_that_hands_know),
        cmocka_unit_test(numbers_that_are_not_given_come_from_the_chain),
        cmocka_unit_test(circles_are_told_with_their_members),
        cmocka_unit_test(unknown_names_get_a_suggestion),
        cmocka_unit_test(a_material_that_is_like_none_must_be_whole),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
