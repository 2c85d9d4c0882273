/* Every scene of tests/scene/broken is refused, with exactly the mistakes that its first line lists:
 * "// line:column: part of the path and message | line:column: …". Scenes whose first line begins with "// check " are
 * well formed: only ruga_description_check finds their mistakes. */
#include <dirent.h>
#include <stdio.h>

#include "support/support.h"

#define FOLDER RUGA_SOURCE_FOLDER "/tests/scene/broken"

static const char *check_mark = "// check ";

/* Error `i` among the findings, which hold warnings too; NULL past the end. */
static const ruga_finding *error_of(const ruga_description *d, size_t i) {
    const ruga_finding *f;
    for (size_t k = 0; (f = ruga_description_finding(d, k)); k++)
        if (RUGA_FAILED(f->status) && i-- == 0) return f;
    return NULL;
}

/* Asserts that error `i` is the one that the first `length` characters of `expected` describe. */
static void assert_finding(const char *file, const ruga_description *d, size_t i, const char *expected, size_t length) {
    const ruga_finding *f = error_of(d, i);
    fail_if(!f, "%s: nothing was found for %.*s", file, (int)length, expected);
    char line[2048], wanted[1024];
    snprintf(line, sizeof line, "%u:%u: %s%s%s", f->line, f->column, f->path, f->path[0] ? ": " : "", f->message);
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, expected);
    fail_if(strncmp(line, wanted, strlen(wanted)) != 0, "%s: found \"%s\", expected \"%s\"", file, line, wanted);
}

static void assert_findings(const char *file, const ruga_description *d, const char *expected) {
    size_t count = 0;
    for (;;) {
        const char *bar = strstr(expected, " | "), *end = strchr(expected, '\n');
        if (bar > end) bar = NULL;
        assert_finding(file, d, count++, expected, (size_t)((bar ? bar : end) - expected));
        if (!bar) break;
        expected = bar + 3;
    }
    fail_if(error_of(d, count), "%s: also %s", file, error_of(d, count)->message);
}

static void assert_broken(ruga_context *context, const char *file) {
    char path[600], place[64];
    snprintf(path, sizeof path, FOLDER "/%s", file);
    char *text = read_test_file(path, NULL);
    assert_non_null(text);
    int is_checked = strncmp(text, check_mark, strlen(check_mark)) == 0;
    ruga_description *d = NULL;
    ruga_status status = ruga_description_read(context, path, &d);
    assert_non_null(d);
    if (is_checked) {
        assert_ok(context, status);
        status = ruga_description_check(d);
    }
    fail_if(!RUGA_FAILED(status), "%s: status %d", file, (int)status);
    assert_findings(file, d, text + strlen(is_checked ? check_mark : "// "));
    /* The message of the call is the first error. */
    const ruga_finding *first = error_of(d, 0);
    snprintf(place, sizeof place, ":%u:%u: ", first->line, first->column);
    assert_message_has(context, place);
    assert_message_has(context, first->message);
    ruga_description_destroy(d);
    free(text);
}

static void every_broken_scene_is_refused_with_the_place_of_each_mistake(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".json") != 0) continue;
        assert_broken(context, entry->d_name);
        count++;
    }
    closedir(folder);
    assert_less(70, count);
    ruga_context_destroy(context);
}

static void a_scene_above_64_megabytes_is_refused_unread(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    size_t size = ((size_t)64 << 20) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, ' ', size);
    text[0] = '{';
    text[1] = '}';
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "large", text, size - 1, &d));
    ruga_description_destroy(d);
    assert_status(ruga_description_read_memory(context, "large", text, size, &d), RUGA_ERROR_INPUT);
    assert_message_has(context, "large:1:1: ");
    assert_message_has(context, "67108865 bytes");
    assert_int_equal(ruga_description_finding_count(d), 1);
    ruga_description_destroy(d);

    /* A file is not even read. */
    write_test_file(test_path("large.json"), text, size);
    assert_status(ruga_description_read(context, test_path("large.json"), &d), RUGA_ERROR_INPUT);
    assert_message_has(context, "64 MB");
    ruga_description_destroy(d);
    free(text);
    test_folder_remove();
    ruga_context_destroy(context);
}

static void a_thousand_mistakes_are_listed_and_the_rest_is_mentioned(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    size_t count = 5000, size = 0;
    char *text = malloc(count * 8 + 100);
    assert_non_null(text);
    size += (size_t)sprintf(text, "{\"materials\": [7");
    for (size_t i = 1; i < count; i++) size += (size_t)sprintf(text + size, ", 7");
    size += (size_t)sprintf(text + size, "]}");
    ruga_description *d = NULL;
    assert_status(ruga_description_read_memory(context, "", text, size, &d), RUGA_ERROR_INPUT);
    assert_int_equal(ruga_description_finding_count(d), 1001);
    assert_non_null(
        strstr(ruga_description_finding(d, 1000)->message, "4000 more findings are not listed, 4000 of them errors"));
    assert_string_equal(ruga_description_finding(d, 999)->path, "materials[999]");
    ruga_description_destroy(d);
    free(text);
    ruga_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_broken_scene_is_refused_with_the_place_of_each_mistake),
        cmocka_unit_test(a_scene_above_64_megabytes_is_refused_unread),
        cmocka_unit_test(a_thousand_mistakes_are_listed_and_the_rest_is_mentioned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
