#include <math.h>

#include "base/json.h"
#include "ruga/text.h"
#include "support/support.h"

/* ---- Writing JSON. */

static void write_sample(ruga_json_writer *w) {
    ruga_json_begin_object(w);
    ruga_json_key(w, "name");
    ruga_json_string(w, "a \"sheet\"\n");
    ruga_json_key(w, "numbers");
    ruga_json_begin_array(w);
    ruga_json_number(w, 0.1);
    ruga_json_integer(w, -5);
    ruga_json_boolean(w, 1);
    ruga_json_boolean(w, 0);
    ruga_json_string(w, NULL);
    ruga_json_end_array(w);
    ruga_json_key(w, "empty");
    ruga_json_begin_array(w);
    ruga_json_end_array(w);
    ruga_json_key(w, "list");
    ruga_json_begin_array(w);
    ruga_json_begin_object(w);
    ruga_json_end_object(w);
    ruga_json_begin_array(w);
    ruga_json_integer(w, 1);
    ruga_json_integer(w, 2);
    ruga_json_end_array(w);
    ruga_json_end_array(w);
    ruga_json_end_object(w);
}

static void assert_written(int indent, const char *expected) {
    ruga_context *context = context_plain(1);
    ruga_json_writer *writer = NULL;
    assert_ok(context, ruga_json_writer_create(context, indent, &writer));
    write_sample(writer);
    const char *text;
    size_t size;
    assert_ok(context, ruga_json_finish(writer, &text, &size));
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
    /* Once more is the same. */
    assert_ok(context, ruga_json_finish(writer, &text, &size));
    assert_string_equal(text, expected);
    ruga_json_writer_destroy(writer);
    ruga_context_destroy(context);
}

static void compact_text_has_no_space(void **state) {
    (void)state;
    assert_written(0,
                   "{\"name\":\"a \\\"sheet\\\"\\n\",\"numbers\":[0.1,-5,true,false,null],\"empty\":[],"
                   "\"list\":[{},[1,2]]}");
}

static void indented_text_is_readable(void **state) {
    (void)state;
    assert_written(2,
                   "{\n"
                   "  \"name\": \"a \\\"sheet\\\"\\n\",\n"
                   "  \"numbers\": [0.1, -5, true, false, null],\n"
                   "  \"empty\": [],\n"
                   "  \"list\": [\n"
                   "    {},\n"
                   "    [1, 2]\n"
                   "  ]\n"
                   "}\n");
}

/* Reads the written text again; the document must be destroyed. */
static json_document *read_back(ruga_context *context, ruga_json_writer *writer) {
    const char *text;
    size_t size;
    json_document *document = NULL;
    assert_ok(context, ruga_json_finish(writer, &text, &size));
    assert_ok(context, json_parse(context, "written", text, size, 0, &document));
    return document;
}

static void numbers_read_back_as_the_same_double(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_json_writer *writer = NULL;
    assert_ok(context, ruga_json_writer_create(context, 0, &writer));
    test_random random = {11};
    ruga_json_begin_array(writer);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = random_bits(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        ruga_json_number(writer, value);
        ruga_json_number(writer, random_between(&random, -1, 1));
    }
    ruga_json_end_array(writer);
    json_document *document = read_back(context, writer);
    random = (test_random){11};
    size_t finite = 0;
    for (size_t i = 0; i < 20000; i++) {
        uint64_t bits = random_bits(&random);
        double value, other = random_between(&random, -1, 1);
        memcpy(&value, &bits, sizeof value);
        const json_value *read = json_item(json_root(document), 2 * i);
        finite += isfinite(value) != 0;
        if (isfinite(value))
            assert_memory_equal(&read->number, &value, sizeof value);
        else
            assert_int_equal(read->type, JSON_NULL);
        assert_memory_equal(&json_item(json_root(document), 2 * i + 1)->number, &other, sizeof other);
    }
    assert_ran(finite, 19900);
    assert_ran(20000 - finite, 1);
    json_destroy(document);
    ruga_json_writer_destroy(writer);
    ruga_context_destroy(context);
}

static void what_is_not_finite_becomes_null(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_json_writer *writer = NULL;
    assert_ok(context, ruga_json_writer_create(context, 0, &writer));
    ruga_json_begin_array(writer);
    ruga_json_number(writer, NAN);
    ruga_json_number(writer, INFINITY);
    ruga_json_number(writer, -INFINITY);
    ruga_json_end_array(writer);
    const char *text;
    size_t size;
    assert_ok(context, ruga_json_finish(writer, &text, &size));
    assert_string_equal(text, "[null,null,null]");
    ruga_json_writer_destroy(writer);
    ruga_context_destroy(context);
}

static void strings_read_back_as_the_same_and_bad_bytes_are_replaced(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    ruga_json_writer *writer = NULL;
    assert_ok(context, ruga_json_writer_create(context, 4, &writer));
    char all[256];
    for (int i = 1; i < 128; i++) all[i - 1] = (char)i;
    all[127] = 0;
    const char *good[] = {all, "", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"};
    const char *bad[] = {"a\xff\x62", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "\xf0\x9f\x98"};
    ruga_json_begin_array(writer);
    for (size_t i = 0; i < 3; i++) ruga_json_string(writer, good[i]);
    for (size_t i = 0; i < 6; i++) ruga_json_string(writer, bad[i]);
    ruga_json_end_array(writer);
    json_document *document = read_back(context, writer);
    for (size_t i = 0; i < 3; i++) assert_string_equal(json_item(json_root(document), i)->text, good[i]);
    assert_string_equal(json_item(json_root(document), 3)->text,
                        "a\xef\xbf\xbd"
                        "b");
    for (size_t i = 4; i < 9; i++) assert_memory_equal(json_item(json_root(document), i)->text, "\xef\xbf\xbd", 3);
    json_destroy(document);
    ruga_json_writer_destroy(writer);
    ruga_context_destroy(context);
}

/* Each letter is a call: { } [ ] object and array, k key, v value, N a NULL key. */
static void assert_misuse(const char *calls, const char *message) {
    ruga_context *context = context_plain(1);
    ruga_json_writer *writer = NULL;
    assert_ok(context, ruga_json_writer_create(context, 2, &writer));
    for (; *calls; calls++) {
        if (*calls == '{') ruga_json_begin_object(writer);
        if (*calls == '}') ruga_json_end_object(writer);
        if (*calls == '[') ruga_json_begin_array(writer);
        if (*calls == ']') ruga_json_end_array(writer);
        if (*calls == 'k') ruga_json_key(writer, "key");
        if (*calls == 'N') ruga_json_key(writer, NULL);
        if (*calls == 'v') ruga_json_integer(writer, 1);
    }
    const char *text = NULL;
    size_t size;
    assert_status(ruga_json_finish(writer, &text, &size), RUGA_ERROR_ARGUMENT);
    assert_null(text);
    assert_message_has(context, message);
    ruga_json_writer_destroy(writer);
    ruga_context_destroy(context);
}

static void misuse_is_reported_at_the_end(void **state) {
    (void)state;
    assert_misuse("", "there is no value");
    assert_misuse("vv", "a second value");
    assert_misuse("{v}", "has no key");
    assert_misuse("{[]}", "has no key");
    assert_misuse("{kk", "two keys");
    assert_misuse("{k}", "the last key of an object has no value");
    assert_misuse("[k", "outside an object");
    assert_misuse("k", "outside an object");
    assert_misuse("[}", "an object is ended that was not begun");
    assert_misuse("{]", "an array is ended that was not begun");
    assert_misuse("]", "an array is ended that was not begun");
    assert_misuse("[", "is not ended");
    assert_misuse("{kv[]v}", "has no key");
    assert_misuse("{Nv}", "a key is NULL");
}

static ruga_status write_and_finish(ruga_context *context, void *user) {
    (void)user;
    ruga_json_writer *writer = NULL;
    TRY(ruga_json_writer_create(context, 2, &writer));
    for (int i = 0; i < 20; i++) ruga_json_begin_array(writer);
    write_sample(writer);
    for (int i = 0; i < 20; i++) ruga_json_end_array(writer);
    const char *text;
    size_t size;
    ruga_status status = ruga_json_finish(writer, &text, &size);
    ruga_json_writer_destroy(writer);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_less(5, assert_every_allocation_may_fail(write_and_finish, NULL));
    ruga_json_writer_destroy(NULL);
}

/* ---- Nearest words. */

static const char *const commands[] = {"make",      "info",   "validate", "convert",
                                       "subdivide", "render", "demo",     "--threads"};

static void assert_nearest(const char *word, const char *expected) {
    const char *found = ruga_nearest_word(word, commands, sizeof commands / sizeof *commands);
    if (!expected)
        fail_if(found, "%s was taken for %s", word, found);
    else
        fail_if(!found || strcmp(found, expected) != 0, "%s was taken for %s", word, found ? found : "nothing");
}

static void slips_are_found(void **state) {
    (void)state;
    assert_nearest("mkae", "make");
    assert_nearest("maek", "make");
    assert_nearest("inf", "info");
    assert_nearest("infoo", "info");
    assert_nearest("valdiate", "validate");
    assert_nearest("VALIDATE", "validate");
    assert_nearest("convrt", "convert");
    assert_nearest("sub", "subdivide");
    assert_nearest("subdevide", "subdivide");
    assert_nearest("--thread", "--threads");
    assert_nearest("--therads", "--threads");
    assert_nearest("render", "render");
}

static void other_words_are_not_guessed(void **state) {
    (void)state;
    assert_nearest("", NULL);
    assert_nearest("x", NULL);
    assert_nearest("frobnicate", NULL);
    assert_nearest("--quiet", NULL);
    assert_nearest("a_word_that_is_far_longer_than_any_word_that_somebody_would_type_on_a_line", NULL);
    assert_null(ruga_nearest_word("make", NULL, 0));
    const char *const longest[] = {"a_word_that_is_far_longer_than_any_word_that_somebody_would_type_on_a_line"};
    assert_null(ruga_nearest_word("a_word", longest, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_text_has_no_space),
        cmocka_unit_test(indented_text_is_readable),
        cmocka_unit_test(numbers_read_back_as_the_same_double),
        cmocka_unit_test(what_is_not_finite_becomes_null),
        cmocka_unit_test(strings_read_back_as_the_same_and_bad_bytes_are_replaced),
        cmocka_unit_test(misuse_is_reported_at_the_end),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(slips_are_found),
        cmocka_unit_test(other_words_are_not_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
