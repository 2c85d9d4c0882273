#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/json.h"
#include "support/support.h"

static json_document *parse(ruga_context *context, const char *text, unsigned flags) {
    json_document *document = NULL;
    /* A copy without a zero byte behind it, so that reading past the end shows. */
    size_t size = strlen(text);
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    assert_ok(context, json_parse(context, "t.json", copy, size, flags, &document));
    free(copy);
    return document;
}

static void assert_refused(const char *text, size_t size, unsigned flags, const char *message) {
    ruga_context *context = context_plain(1);
    json_document *document = NULL;
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    ruga_status status = json_parse(context, "t.json", copy, size, flags, &document);
    fail_if(status != RUGA_ERROR_INPUT, "%.*s was answered with %s", (int)size, text, ruga_status_name(status));
    assert_null(document);
    assert_message_has(context, message);
    free(copy);
    ruga_context_destroy(context);
}

static void refuse(const char *text, const char *message) { assert_refused(text, strlen(text), 0, message); }

static void every_kind_of_value_is_read(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    json_document *document = parse(
        context, "{\"n\":null,\"t\":true,\"f\":false,\"x\":-1.5e2,\"s\":\"hi\",\"a\":[1,[],{}],\"o\":{\"k\":7}}", 0);
    const json_value *root = json_root(document);
    assert_int_equal(root->type, JSON_OBJECT);
    assert_int_equal(root->count, 7);
    assert_int_equal(json_member(root, "n")->type, JSON_NULL);
    assert_int_equal(json_member(root, "t")->type, JSON_BOOLEAN);
    assert_equal(json_member(root, "t")->number, 1);
    assert_equal(json_member(root, "f")->number, 0);
    assert_equal(json_member(root, "x")->number, -150);
    assert_string_equal(json_member(root, "s")->text, "hi");
    assert_int_equal(json_member(root, "s")->length, 2);
    const json_value *a = json_member(root, "a");
    assert_int_equal(a->count, 3);
    assert_int_equal(json_item(a, 1)->type, JSON_ARRAY);
    assert_null(json_item(a, 1)->first);
    assert_int_equal(json_item(a, 2)->type, JSON_OBJECT);
    assert_equal(json_member(json_member(root, "o"), "k")->number, 7);
    json_destroy(document);
    ruga_context_destroy(context);
}

static void what_is_not_there_is_null(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    json_document *document = parse(context, "{\"a\":[1,2],\"x\":1}", 0);
    const json_value *root = json_root(document), *a = json_member(root, "a");
    assert_null(json_member(root, "b"));
    assert_null(json_member(a, "b"));
    assert_null(json_member(NULL, "b"));
    assert_null(json_item(a, 2));
    assert_null(json_item(NULL, 0));
    assert_null(json_item(json_member(root, "x"), 0));
    assert_ptr_equal(json_item(root, 1), json_member(root, "x"));
    json_destroy(document);
    json_destroy(NULL);
    ruga_context_destroy(context);
}

static void items_follow_each_other_in_the_order_of_the_text(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char text[20000], *at = text;
    *at++ = '[';
    for (int i = 0; i < 1000; i++) at += sprintf(at, "%s[%d,{\"k\":%d}]", i ? "," : "", i, -i);
    strcpy(at, "]");
    json_document *document = parse(context, text, 0);
    const json_value *item = json_root(document)->first;
    for (int i = 0; i < 1000; i++, item = item->next) {
        assert_ptr_equal(item, json_item(json_root(document), (size_t)i));
        assert_equal_case(json_item(item, 0)->number, i, "i %d", i);
        assert_equal_case(json_member(json_item(item, 1), "k")->number, -i, "i %d", i);
    }
    assert_null(item);
    json_destroy(document);
    ruga_context_destroy(context);
}

/* Finds each value's mark: the text holds numbers that say where they stand, line * 100 + column. */
static void assert_positions(const json_value *value) {
    if (value->type == JSON_NUMBER) assert_equal(value->number, value->line * 100.0 + value->column);
    for (const json_value *item = value->first; item; item = item->next) assert_positions(item);
}

static void positions_are_exact(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    const char *text = "[102, 107,\n 202,{\"a\" : 213, \"\xc3\xa4\":223},\r\n\t302,/*\n\n*/503,//x\n601,\n\n  [804]]";
    json_document *document = parse(context, text, JSON_COMMENTS);
    assert_positions(json_root(document));
    const json_value *object = json_item(json_root(document), 3);
    assert_int_equal(object->line, 2);
    assert_int_equal(object->column, 6);
    assert_int_equal(json_item(object, 1)->key_line, 2);
    assert_int_equal(json_item(object, 1)->key_column, 18);
    json_destroy(document);
    document = parse(context, "\xef\xbb\xbf[102,\r\n201]\r\n", 0);
    assert_positions(json_root(document));
    json_destroy(document);
    ruga_context_destroy(context);
}

static void errors_say_where_and_what(void **state) {
    (void)state;
    refuse("", "t.json:1:1: expected a value, but the text ends");
    refuse("  \n ", "t.json:2:2: expected a value, but the text ends");
    refuse("{\"a\":1,\n \"b\" 2}", "t.json:2:6: expected ':' after the key, but found '2'");
    refuse("[1 2]", "t.json:1:4: expected ',' or ']', but found '2'");
    refuse("{\"a\":1]", "t.json:1:7: expected ',' or '}', but found ']'");
    refuse("[1,2,\n]", "t.json:1:5: a comma can't stand before the end");
    refuse("{\"a\":1,}", "t.json:1:7: a comma can't stand before the end");
    refuse("[,1]", "t.json:1:2: expected a value, but found ','");
    refuse("{1:2}", "t.json:1:2: expected a key in quotes");
    refuse("[tru]", "t.json:1:2: expected a value, but found 't'");
    refuse("[nul", "expected a value");
    refuse("\x01", "t.json:1:1: expected a value, but found the byte 0x01");
    refuse("{} {}", "t.json:1:4: expected nothing after the value, but found '{'");
    refuse("1 x", "t.json:1:3: expected nothing after the value");
    assert_refused("1\0", 2, 0, "expected nothing after the value, but found the byte 0x00");
    refuse("{\"a\"", "expected ':' after the key, but the text ends");
    refuse("{\"a\":", "expected a value, but the text ends");
    refuse("[", "expected a value, but the text ends");
    refuse("{", "expected a key in quotes, but the text ends");
    refuse("\xef\xbb\xbf\xef\xbb\xbf 1", "t.json:1:1: expected a value, but found the byte 0xef");
}

static void numbers_follow_the_grammar(void **state) {
    (void)state;
    refuse("[01]", "t.json:1:2: a number can't start with a zero");
    refuse("[-]", "t.json:1:3: expected a digit after the minus sign");
    refuse("-", "t.json:1:2: expected a digit after the minus sign, but the text ends");
    refuse("[1.]", "t.json:1:4: expected a digit after the point");
    refuse("[1.e5]", "t.json:1:4: expected a digit after the point");
    refuse("[1e]", "t.json:1:2: the exponent of this number has no digits");
    refuse("[1E+]", "the exponent of this number has no digits");
    refuse("[1e999]", "t.json:1:2: this number is too large");
    refuse("[-1e999]", "this number is too large");
    refuse("[+1]", "expected a value");
    refuse("[.5]", "expected a value");
    refuse("[NaN]", "expected a value");
    refuse("[-inf]", "expected a digit");
    refuse("[0x10]", "expected ',' or ']'");
    ruga_context *context = context_plain(1);
    json_document *document = parse(context, "[0,-0,1e5,1E-5,0.25,1e-999,123456789012345678901234567890]", 0);
    assert_true(signbit(json_item(json_root(document), 1)->number));
    assert_equal(json_item(json_root(document), 3)->number, 1e-5);
    assert_equal(json_item(json_root(document), 5)->number, 0);
    assert_equal(json_item(json_root(document), 6)->number, 123456789012345678901234567890.0);
    json_destroy(document);
    ruga_context_destroy(context);
}

static void strings_are_unescaped(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    json_document *document = parse(
        context,
        "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"\\u00e4\\u20AC\\ud83d\\uDE00\",\"a\\u0000b\",\"\",\"\xe2\x82\xac\x7f\"]", 0);
    const json_value *root = json_root(document);
    assert_string_equal(json_item(root, 0)->text, "\"\\/\b\f\n\r\t");
    assert_string_equal(json_item(root, 1)->text, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_int_equal(json_item(root, 2)->length, 3);
    assert_memory_equal(json_item(root, 2)->text, "a\0b", 4);
    assert_string_equal(json_item(root, 3)->text, "");
    assert_string_equal(json_item(root, 4)->text, "\xe2\x82\xac\x7f");
    json_destroy(document);
    ruga_context_destroy(context);
}

static void bad_strings_are_refused(void **state) {
    (void)state;
    refuse("[\"abc", "t.json:1:2: this string has no end");
    refuse("[\"abc\\", "unknown escape");
    refuse("[\"ab\nc\"]", "t.json:1:2: this string does not end on its line");
    refuse("[\"a\tb\"]", "t.json:1:4: a control character stands in a string");
    refuse("[\"ab\\x\"]", "t.json:1:5: unknown escape");
    refuse("[\"\\u12g4\"]", "t.json:1:3: \\u needs four hexadecimal digits");
    refuse("[\"\\u12", "\\u needs four hexadecimal digits");
    refuse("[\"\\ud800\"]", "t.json:1:3: half of a surrogate pair");
    refuse("[\"\\ud800\\u0041\"]", "half of a surrogate pair");
    refuse("[\"\\udc00\\ud800\"]", "half of a surrogate pair");
    refuse("{\"a\\u0000b\":1}", "t.json:1:2: a key can't hold \\u0000");
    const char *const broken[] = {"\xff",
                                  "\x80",
                                  "\xc3",
                                  "\xc0\x80",
                                  "\xe2\x82",
                                  "\xe0\x80\x80",
                                  "\xed\xa0\x80",
                                  "\xf0\x80\x80\x80",
                                  "\xf4\x90\x80\x80",
                                  "\xf5\x80\x80\x80",
                                  "\xe2\x28\xa1"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char text[32];
        snprintf(text, sizeof text, "[\"%s\"]", broken[i]);
        refuse(text, "t.json:1:3: this is not UTF-8");
    }
}

static void duplicate_keys_are_refused_in_small_and_large_objects(void **state) {
    (void)state;
    refuse("{\"a\":1,\n \"a\":2}", "t.json:2:2: the key \"a\" was given before, in line 1");
    refuse("{\"x\":{\"a\":1,\"\\u0061\":2}}", "the key \"a\" was given before");
    for (int count = 5; count <= 5000; count *= 10) {
        char *text = malloc((size_t)count * 20 + 100), *at = text;
        *at++ = '{';
        for (int i = 0; i < count; i++) at += sprintf(at, "\"k%d\":%d,\n", i, i);
        sprintf(at, "\"k%d\":0}", count / 2);
        char message[100];
        snprintf(message, sizeof message, "t.json:%d:1: the key \"k%d\" was given before, in line %d", count + 1,
                 count / 2, count / 2 + 1);
        refuse(text, message);
        strcpy(at, "\"last\":0}");
        ruga_context *context = context_plain(1);
        json_document *document = parse(context, text, 0);
        assert_int_equal(json_root(document)->count, count + 1);
        json_destroy(document);
        ruga_context_destroy(context);
        free(text);
    }
}

/* Twice as many keys take about twice as long; a quadratic check would take a minute here. */
static void a_hundred_thousand_keys_are_checked_quickly(void **state) {
    (void)state;
    size_t count = 100000;
    char *text = malloc(count * 20 + 10), *at = text;
    *at++ = '{';
    for (size_t i = 0; i < count; i++) at += sprintf(at, "%s\"key%zu\":0", i ? "," : "", i);
    strcpy(at, "}");
    ruga_context *context = context_plain(1);
    clock_t before = clock(); /* of this process: other work on the machine does not count */
    json_document *document = parse(context, text, 0);
    assert_less((double)(clock() - before) / CLOCKS_PER_SEC, 5);
    json_destroy(document);
    ruga_context_destroy(context);
    free(text);
}

static void nesting_ends_at_256(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        const char *open = kind ? "{\"a\":" : "[", *close = kind ? "}" : "]";
        char text[4000] = "";
        for (int i = 0; i < 256; i++) strcat(text, open);
        strcat(text, "1");
        for (int i = 0; i < 256; i++) strcat(text, close);
        ruga_context *context = context_plain(1);
        json_destroy(parse(context, text, 0));
        ruga_context_destroy(context);
        char deeper[4100];
        snprintf(deeper, sizeof deeper, "[%s]", text);
        refuse(deeper, "nested deeper than 256");
    }
    /* Side by side is not deep. */
    char wide[4000] = "[[]";
    for (int i = 0; i < 400; i++) strcat(wide, ",[[]]");
    strcat(wide, "]");
    ruga_context *context = context_plain(1);
    json_destroy(parse(context, wide, 0));
    ruga_context_destroy(context);
}

static void comments_are_allowed_only_if_asked_for(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    json_document *document = parse(context, "// a scene\n{/* k */\"a\"/**/:/***/1// end\n,\"b\":2}//", JSON_COMMENTS);
    assert_equal(json_member(json_root(document), "b")->number, 2);
    json_destroy(document);
    ruga_context_destroy(context);
    refuse("[1 // x\n]", "t.json:1:4: comments are not allowed");
    refuse("/* x */ 1", "t.json:1:1: comments are not allowed");
    assert_refused("[1,\n /* x\n", 10, JSON_COMMENTS, "t.json:2:2: this comment has no end");
    assert_refused("[1 / 2]", 7, JSON_COMMENTS, "t.json:1:4: expected ',' or ']', but found '/'");
    assert_refused("1 /", 3, JSON_COMMENTS, "expected nothing after the value, but found '/'");
    assert_refused("/*/", 3, JSON_COMMENTS, "this comment has no end");
}

static const char sample[] =
    "{\"asset\":{\"version\":\"2.0\"},\"list\":[1,2.5,-3e2,true,false,null,\"\\u00e4\\ud83d\\ude00\\n\"],"
    "\"many\":{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":0,\"k\":1,\"l\":2,\"m\":3}"
    "}";

static void a_text_cut_anywhere_is_refused(void **state) {
    (void)state;
    for (size_t size = 0; size + 1 < sizeof sample; size++) assert_refused(sample, size, 0, "t.json:1:");
}

static ruga_status parse_sample(ruga_context *context, void *user) {
    (void)user;
    json_document *document = NULL;
    ruga_status status = json_parse(context, "t.json", sample, sizeof sample - 1, 0, &document);
    json_destroy(document);
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    assert_at_most(5, assert_every_allocation_may_fail(parse_sample, NULL));
}

static void whole_numbers_are_recognised(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    json_document *document = parse(context, "[3,3.5,-2,1e300,\"3\",true,9007199254740992]", 0);
    const json_value *root = json_root(document);
    int64_t value = 77;
    assert_false(json_whole(json_item(root, 1), 0, 10, &value));
    assert_false(json_whole(json_item(root, 2), 0, 10, &value));
    assert_false(json_whole(json_item(root, 3), -1e308, 1e308, &value));
    assert_false(json_whole(json_item(root, 4), 0, 10, &value));
    assert_false(json_whole(json_item(root, 5), 0, 10, &value));
    assert_false(json_whole(NULL, 0, 10, &value));
    assert_int_equal(value, 77);
    assert_true(json_whole(json_item(root, 0), 3, 3, &value));
    assert_int_equal(value, 3);
    assert_true(json_whole(json_item(root, 2), -2, 10, &value));
    assert_int_equal(value, -2);
    assert_true(json_whole(json_item(root, 6), 0, 1e300, &value));
    assert_string_equal(json_type_name(root->type), "an array");
    json_destroy(document);
    ruga_context_destroy(context);
}

static void four_gigabytes_are_refused_before_they_are_looked_at(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    json_document *document = NULL;
    assert_status(json_parse(context, "t.json", "1", UINT32_MAX, 0, &document), RUGA_ERROR_UNSUPPORTED);
    assert_message_has(context, "4 GB");
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_read),
        cmocka_unit_test(what_is_not_there_is_null),
        cmocka_unit_test(items_follow_each_other_in_the_order_of_the_text),
        cmocka_unit_test(positions_are_exact),
        cmocka_unit_test(errors_say_where_and_what),
        cmocka_unit_test(numbers_follow_the_grammar),
        cmocka_unit_test(strings_are_unescaped),
        cmocka_unit_test(bad_strings_are_refused),
        cmocka_unit_test(duplicate_keys_are_refused_in_small_and_large_objects),
        cmocka_unit_test(a_hundred_thousand_keys_are_checked_quickly),
        cmocka_unit_test(nesting_ends_at_256),
        cmocka_unit_test(comments_are_allowed_only_if_asked_for),
        cmocka_unit_test(a_text_cut_anywhere_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(whole_numbers_are_recognised),
        cmocka_unit_test(four_gigabytes_are_refused_before_they_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
