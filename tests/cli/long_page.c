/* The demo's pages in a browser: headless Chromium, where it is installed. */
#include <stdio.h>

#include "support/command.h"

#define CHROMIUM                                                                                                      \
    "chromium --headless --no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader "            \
    "--enable-logging=stderr --virtual-time-budget=6000 --user-data-dir=%s --window-size=%s --dump-dom file://%s/%s " \
    ">%s 2>%s"

static size_t count_of(const char *text, const char *word) {
    size_t count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) count++;
    return count;
}

/* Opens a page; its elements after its scripts have run. Fails on any message of the console. */
static char *open_page(const char *page, const char *size) {
    char line[8192], folder[1024], profile[1024], out[1024], log[1024];
    snprintf(folder, sizeof folder, "%s", test_path("pages"));
    snprintf(profile, sizeof profile, "%s", test_path("profile"));
    snprintf(out, sizeof out, "%s", test_path("dom.html"));
    snprintf(log, sizeof log, "%s", test_path("chromium.log"));
    snprintf(line, sizeof line, CHROMIUM, profile, size, folder, page, out, log);
    assert_int_equal(system(line), 0);
    char *messages = read_test_file(log, NULL);
    const char *said = messages ? strstr(messages, ":CONSOLE") : NULL;
    if (said) fail_msg("%s at %s: %.300s", page, size, said);
    free(messages);
    char *dom = read_test_file(out, NULL);
    assert_non_null(dom);
    return dom;
}

/* No console error (a picture that is missing is one), and every 3D view has drawn its meshes, at phone width, too. */
static void pages_work_in_a_browser(void **state) {
    (void)state;
    if (system("command -v chromium >/dev/null 2>&1") != 0) skip();
    assert_ruga(0, NULL, "demo wrinkle_skirt page flag_stages shell-miura sculpt_curtain defects --draft -o pages -q");
    static const char *const sizes[] = {"1280,12000", "390,12000"};
    for (int i = 0; i < 2; i++) {
        char *dom = open_page("index.html", sizes[i]);
        assert_equal((double)count_of(dom, "class=\"view\""), 5);
        assert_equal((double)count_of(dom, "data-drawn=\""), 5);
        free(dom);
        free(open_page("more.html", sizes[i]));
        dom = open_page("gallery.html", sizes[i]);
        assert_equal((double)count_of(dom, "<figcaption"), 55);  // 54 figures and a table
        free(dom);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_work_in_a_browser),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove();
    return failed;
}
