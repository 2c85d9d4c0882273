/* Laws that the tables of scenes obey, so that reading, writing, schema and reference can rely on them. */
#include <math.h>

#include "field/field.h"
#include "field/schema.h"
#include "field/words.h"
#include "scene/tables.h"
#include "support/support.h"

typedef void section_law(const ruga_section *section);

static void for_every_section(const ruga_section *section, section_law *law) {
    law(section);
    for (size_t i = 0; i < section->field_count; i++)
        for (size_t k = 0; section->fields[i].sections && section->fields[i].sections[k]; k++)
            for_every_section(section->fields[i].sections[k], law);
}

static int has_kinds(const ruga_field *field) {
    return field->kind == RUGA_FIELD_VARIANT || field->kind == RUGA_FIELD_VARIANTS;
}

static void fail_row(const ruga_section *section, const ruga_field *field, const char *what) {
    fail_msg("%s.%s %s", section->name, field->name, what);
}

/* ---- Laws. */

static void no_rows_overlap(const ruga_section *section) {
    for (size_t i = 0; i < section->field_count; i++)
        for (size_t k = 0; k < i; k++) {
            const ruga_field *a = &section->fields[i], *b = &section->fields[k];
            int apart = a->offset + field_size(a) <= b->offset || b->offset + field_size(b) <= a->offset;
            if (!apart) fail_row(section, a, "overlaps another");
            if (strcmp(a->name, b->name) == 0) fail_row(section, a, "is there twice");
        }
}

/* The value that stands for an absent field must differ from every value that can be given. */
static void only_what_can_be_absent_may_be(const ruga_section *section) {
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        int can_be =
            field->kind == RUGA_FIELD_NUMBER || field->kind == RUGA_FIELD_UNIT || field->kind == RUGA_FIELD_VECTOR ||
            field->kind == RUGA_FIELD_TEXT || field->kind == RUGA_FIELD_PATH || field->kind == RUGA_FIELD_NAME ||
            field->kind == RUGA_FIELD_CHOICE || field->kind == RUGA_FIELD_VARIANT || field->kind == RUGA_FIELD_PARAM;
        if (field_may_be_absent(field) && !can_be) fail_row(section, field, "has nothing to say that it is absent");
    }
}

/* A bare value is enough, and its type is not that of a JSON object. */
static void a_shorthand_is_all_that_is_needed(const ruga_section *section) {
    if (!section->shorthand) return;
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        int is_short = strcmp(field->name, section->shorthand) == 0;
        if (!is_short && !field->preset) fail_row(section, field, "must be given beside the shorthand");
        if (is_short && (field->kind == RUGA_FIELD_SECTION || field->kind == RUGA_FIELD_VARIANT))
            fail_row(section, field, "looks like the whole section");
    }
}

static void kinds_differ_by_name(const ruga_section *section) {
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        for (size_t k = 0; has_kinds(field) && field->sections[k]; k++) {
            if (ruga_section_field(field->sections[k], "kind"))
                fail_row(section, field, "has a kind with a field kind");
            if (ruga_field_section(field, field->sections[k]->name) != field->sections[k])
                fail_row(section, field, "has a kind twice");
        }
        if (!has_kinds(field) && field->sections && field->sections[1])
            fail_row(section, field, "has too many sections");
    }
}

static void a_default_kind_needs_nothing(const ruga_section *section) {
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        if (field->kind != RUGA_FIELD_VARIANT || !field->preset || field_may_be_absent(field)) continue;
        const ruga_section *kind = ruga_field_section(field, field->preset);
        if (!kind || !section_needs_nothing(kind)) fail_row(section, field, "has a default that must be given more");
    }
}

/* Set by the preset as a user would set it. */
static void assert_preset_reads(const ruga_section *section, const ruga_field *field) {
    double number = 0;
    int choice, fine = 1;
    uint32_t chosen;
    ruga_vec3 v;
    switch (field->kind) {
        case RUGA_FIELD_NUMBER:
        case RUGA_FIELD_WHOLE:
        case RUGA_FIELD_PARAM: fine = ruga_number_parse(field->preset, &number); break;
        case RUGA_FIELD_UNIT: fine = ruga_unit_parse(field->preset, &number); break;
        case RUGA_FIELD_CHOICE: fine = field_parse_choice(field, field->preset, strlen(field->preset), &choice); break;
        case RUGA_FIELD_CHOICES: fine = field_parse_choices(field, field->preset, &chosen); break;
        case RUGA_FIELD_FLAG: fine = strcmp(field->preset, "true") == 0 || strcmp(field->preset, "false") == 0; break;
        case RUGA_FIELD_VECTOR:
            fine = field_parse_vector(field->preset, &v);
            if (field->low < field->high)
                fine = fine && fmin(v.x, fmin(v.y, v.z)) >= field->low && fmax(v.x, fmax(v.y, v.z)) <= field->high;
            break;
        case RUGA_FIELD_SECTION:
            if (field->preset[0]) {
                ruga_field bare = field_bare(field);
                assert_preset_reads(field->sections[0], &bare);
            }
            break;
        case RUGA_FIELD_LIST:
        case RUGA_FIELD_VARIANTS: fine = field->preset[0] == 0; break;
        default: break;
    }
    if (field->kind == RUGA_FIELD_WHOLE) fine = fine && number == floor(number);
    if (field->step > 0) fine = fine && fmod(number, field->step) == 0;
    if (!fine) fail_row(section, field, "has a default that does not read");
}

static size_t defaults_read;

static void every_default_reads(const ruga_section *section) {
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        if (!field->preset || field_may_be_absent(field)) continue;
        assert_preset_reads(section, field);
        defaults_read++;
    }
}

static void ranges_and_choices_make_sense(const ruga_section *section) {
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        if (!isfinite(field->low) || !isfinite(field->high) || field->step < 0)
            fail_row(section, field, "has no range");
        for (size_t k = 0; field->choices && field->choices[k]; k++) {
            int place;
            if (k >= 32) fail_row(section, field, "has more choices than a word has bits");
            if (strchr(field->choices[k], ',')) fail_row(section, field, "has a choice with a comma");
            assert_true(field_parse_choice(field, field->choices[k], strlen(field->choices[k]), &place));
            if (place != (int)k) fail_row(section, field, "has a choice twice");
        }
    }
}

static void words_fit_into_messages(const ruga_section *section) {
    for (size_t i = 0; i < section->field_count; i++) {
        field_words words = {0};
        words_add_expected(&words, &section->fields[i]);
        if (words.length + 1 >= sizeof words.text) fail_row(section, &section->fields[i], "expects too many words");
        if (words.length == 0) fail_row(section, &section->fields[i], "expects nothing");
    }
    assert_less(2, strlen(section->help));
    assert_true(section->help[strlen(section->help) - 1] != ' ');
}

static void the_tables_agree_with_themselves(void **state) {
    (void)state;
    section_law *const laws[] = {
        no_rows_overlap,         only_what_can_be_absent_may_be, a_shorthand_is_all_that_is_needed,
        kinds_differ_by_name,    a_default_kind_needs_nothing,   every_default_reads,
        words_fit_into_messages, ranges_and_choices_make_sense};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) for_every_section(ruga_scene_section(), laws[i]);
    assert_ran(defaults_read, 100);
}

/* ---- The def functions give what an empty scene reads as. */

static void an_empty_scene_reads_as_the_default_def(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_description *d = NULL;
    const char *text = "{\"objects\": [{\"name\": \"a\", \"mesh\": \"disc\"}]}";
    assert_ok(context, ruga_description_read_memory(context, "", text, strlen(text), &d));
    ruga_scene_def def = ruga_scene_def_default();
    const ruga_scene_def *read = ruga_description_get(d);
    assert_int_equal(def.cookie, read->cookie);
    assert_memory_equal(&def.time, &read->time, sizeof def.time);
    assert_memory_equal(&def.gravity, &read->gravity, sizeof def.gravity);
    assert_memory_equal(&def.wind, &read->wind, sizeof def.wind);
    assert_memory_equal(&def.output, &read->output, sizeof def.output);

    ruga_object_def plain = ruga_object_def_default(), object = *(const ruga_object_def *)read->objects.items;
    assert_ptr_equal(plain.body.section, object.body.section);
    object.name = plain.name;
    object.mesh = plain.mesh;
    object.body = plain.body;
    assert_memory_equal(&plain, &object, sizeof plain);
    ruga_description_destroy(d);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables_agree_with_themselves),
        cmocka_unit_test(an_empty_scene_reads_as_the_default_def),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
