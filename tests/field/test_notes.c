/* Findings beyond the length of the list are counted, and an error among them stays an error. */
#include "field/notes.h"
#include "support/support.h"

static ruga_status add(field_notes *notes, uint32_t line, ruga_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ruga_status result = notes_found_at(notes, line, 1, "a.b", status, format, arguments);
    va_end(arguments);
    return result;
}

static const ruga_finding *last(const field_notes *notes) { return &notes->findings.items[notes->findings.count - 1]; }

static void an_error_behind_many_warnings_is_kept(void **state) {
    ruga_context *context = *state;
    field_notes notes = notes_make(context);
    for (uint32_t i = 0; i < NOTES_MAX_FINDINGS + 5; i++)
        assert_ok(context, add(&notes, i + 1, RUGA_WARNING_INPUT, "warning %u", i));
    assert_int_equal(notes.findings.count, NOTES_MAX_FINDINGS + 1);
    assert_string_equal(last(&notes)->message,
                        "5 more findings are not listed, 0 of them errors; fix the listed ones first");
    assert_false(notes_have_errors(&notes));
    notes_sort(&notes);
    assert_ok(context, add(&notes, 7, RUGA_ERROR_INPUT, "the radius is %d", -3));
    notes_sort(&notes);
    assert_true(notes_have_errors(&notes));
    assert_status(notes_verdict(&notes, "a.json"), RUGA_ERROR_INPUT);
    assert_message_has(context, "a.json:7:1: a.b: the radius is -3");
    assert_string_equal(last(&notes)->message,
                        "6 more findings are not listed, 0 of them errors; fix the listed ones first");
    notes_release(&notes);
}

static void errors_beyond_the_list_are_counted(void **state) {
    ruga_context *context = *state;
    field_notes notes = notes_make(context);
    for (uint32_t i = 0; i < NOTES_MAX_FINDINGS + 7; i++)
        assert_ok(context, add(&notes, 10000 - i, RUGA_ERROR_INPUT, "error %u", i));
    notes_sort(&notes);
    assert_ok(context, add(&notes, 1, RUGA_WARNING_INPUT, "a warning"));
    assert_int_equal(notes.findings.count, NOTES_MAX_FINDINGS + 1);
    assert_string_equal(last(&notes)->message,
                        "8 more findings are not listed, 7 of them errors; fix the listed ones first");
    assert_true(RUGA_FAILED(last(&notes)->status));
    notes_release(&notes);
}

static ruga_status add_about(field_notes *notes, const void *value, ruga_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    ruga_status result = notes_found(notes, value, status, format, arguments);
    va_end(arguments);
    return result;
}

/* Only findings of the list are located: searching the places of all of them would take minutes. */
static void findings_beyond_the_list_are_not_located(void **state) {
    ruga_context *context = *state;
    enum { COUNT = 100000 };
    field_notes notes = notes_make(context);
    char *values = calloc(COUNT, 1);
    assert_non_null(values);
    assert_ok(context, ARRAY_RESERVE(context, &notes.origins, COUNT));
    for (uint32_t i = 0; i < COUNT; i++)
        notes.origins.items[notes.origins.count++] = (origin){values + i, 1, i + 1, 1, NULL, "a.b"};
    for (int i = 0; i < COUNT; i++) assert_ok(context, add_about(&notes, values + i, RUGA_ERROR_INPUT, "error %d", i));
    assert_int_equal(notes.findings.count, NOTES_MAX_FINDINGS + 1);
    for (uint32_t i = 0; i < NOTES_MAX_FINDINGS; i++) assert_int_equal(notes.findings.items[i].line, i + 1);
    assert_int_equal(notes.dropped, COUNT - NOTES_MAX_FINDINGS);
    free(values);
    notes_release(&notes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_behind_many_warnings_is_kept),
        cmocka_unit_test(errors_beyond_the_list_are_counted),
        cmocka_unit_test(findings_beyond_the_list_are_not_located),
    };
    return cmocka_run_group_tests(tests, set_up_context, tear_down_context);
}
