/* The whole demo, as drafts. tests/cli/test_pictures.c makes a few of its items. */
#include <stdio.h>

#include "support/command.h"

static ruga_context *context;

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

/* Every item of every section makes the files that its table names, and the page shows them. */
static void every_item_of_the_demo_makes_its_files(void **state) {
    (void)state;
    json_document *made = ruga_json(context, 0, "demo --all --draft -o whole");
    json_document *listed = ruga_json(context, 0, "demo --list");
    char *page = read_test_file(test_path("whole/index.html"), NULL);
    char *more = read_test_file(test_path("whole/more.html"), NULL);
    assert_non_null(page);
    assert_non_null(more);
    int films = system("command -v ffmpeg >/dev/null 2>&1") == 0;
    assert_int_equal(json_root(made)->count, json_root(listed)->count);
    size_t shown = 0;
    for (const json_value *item = json_root(made)->first; item; item = item->next) {
        assert_less(0, json_member(item, "seconds")->number);
        for (const json_value *file = json_member(item, "files")->first; file; file = file->next) {
            char path[256];
            int film = strstr(file->text, ".mp4") != NULL;
            snprintf(path, sizeof path, "whole/%s", file->text);
            if (film && !films) continue;
            if (!test_file_exists(test_path(path))) fail_msg("%s was not made", path);
            snprintf(path, sizeof path, "=\"%s\"", file->text);
            if (!strstr(page, path) && !strstr(more, path)) fail_msg("no page shows %s", file->text);
            shown++;
        }
    }
    assert_ran(shown, json_root(made)->count / 2);
    free(page);
    free(more);
    json_destroy(made);
    json_destroy(listed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_of_the_demo_makes_its_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
