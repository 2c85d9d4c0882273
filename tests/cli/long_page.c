/* The demo's pages in a browser: headless Chromium, where it is installed. */
#include <stdio.h>

#include "support/ruga_command.h"

#define CHROMIUM                                                                                                      \
    "chromium --headless --no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader "            \
    "--enable-logging=stderr --virtual-time-budget=6000 --user-data-dir=%s --window-size=%s --dump-dom file://%s/%s " \
    ">%s 2>%s"

static size_t count_of(const char *text, const char *word) {
    size_t count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) count++;
    return count;
}

/* Runs in the page: loads all pictures, then writes what it found into the document. */
static const char probe[] =
    "<script>(function(){var all=[].slice.call(document.images);"
    "all.forEach(function(i){i.loading='eager';});"
    "function look(){if(!all.every(function(i){return i.complete;})){setTimeout(look,100);return;}"
    "var b=document.body,e=document.documentElement;"
    "b.setAttribute('data-pictures',all.length);"
    "b.setAttribute('data-broken',all.filter(function(i){return !(i.naturalWidth>0);}).length);"
    "b.setAttribute('data-width',window.innerWidth);"
    "b.setAttribute('data-overflow',Math.max(e.scrollWidth,b.scrollWidth)-e.clientWidth);}"
    "window.addEventListener('load',look);})();</script></body>";

/* A copy of a page with the probe. */
static void write_probed(const char *page) {
    char path[1024];
    snprintf(path, sizeof path, "pages/%s", page);
    char *text = read_test_file(test_path(path), NULL);
    assert_non_null(text);
    // No raw links of Markdown before the scripts.
    const char *link = strstr(text, "]("), *script = strstr(text, "<script>");
    assert_true(!link || (script && script < link));
    char *end = strstr(text, "</body>");
    assert_non_null(end);
    FILE *file = fopen(test_path("pages/probed.html"), "w");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", (int)(end - text), text, probe, end + strlen("</body>"));
    fclose(file);
    free(text);
}

/* Opens a page; its elements after its scripts have run. `quiet`: fails on any message of the console. */
static char *open_page(const char *page, const char *size, int quiet) {
    char line[8192], folder[1024], profile[1024], out[1024], log[1024];
    snprintf(folder, sizeof folder, "%s", test_path("pages"));
    snprintf(profile, sizeof profile, "%s", test_path("profile"));
    snprintf(out, sizeof out, "%s", test_path("dom.html"));
    snprintf(log, sizeof log, "%s", test_path("chromium.log"));
    write_probed(page);
    snprintf(line, sizeof line, CHROMIUM, profile, size, folder, "probed.html", out, log);
    assert_int_equal(system(line), 0);
    char *messages = read_test_file(log, NULL);
    const char *said = messages ? strstr(messages, ":CONSOLE") : NULL;
    fail_if(said && quiet, "%s at %s: %.300s", page, size, said);
    free(messages);
    char *dom = read_test_file(out, NULL);
    assert_non_null(dom);
    return dom;
}

/* The number of an attribute, from `from` on; -1 if it is not there. */
static double number_of(const char *from, const char *attribute) {
    const char *at = strstr(from, attribute);
    return at ? strtod(at + strlen(attribute) + 2, NULL) : -1;
}

/* All its pictures have loaded, and nothing is wider than the window. */
static void assert_whole(const char *dom, const char *page, double width) {
    assert_less_case(2, number_of(dom, "data-pictures"), "%s", page);
    assert_equal_case(number_of(dom, "data-broken"), 0, "%s at %g", page, width);
    assert_equal_case(number_of(dom, "data-width"), width, "%s", page);
    assert_equal_case(number_of(dom, "data-overflow"), 0, "%s at %g", page, width);
}

/* No console error, all pictures, nothing wider than the window, and every 3D view has drawn its mesh: at phone width,
 * too. */
static void pages_work_in_a_browser(void **state) {
    (void)state;
    if (system("command -v chromium >/dev/null 2>&1") != 0) skip();
    assert_ruga(0, NULL,
                "demo wrinkle_skirt page flag_stages shell-miura sculpt_curtain defects plot --draft -o pages -q");
    static const char *const sizes[] = {"1280,12000", "500,12000"};
    for (int i = 0; i < 2; i++) {
        const double width = strtod(sizes[i], NULL);
        char *dom = open_page("index.html", sizes[i], 1);
        assert_whole(dom, "index.html", width);
        assert_equal((double)count_of(dom, "class=\"view\""), 5);
        assert_equal((double)count_of(dom, "class=\"plot\""), 0);  // pictures keep their colours on a dark page
        assert_equal((double)count_of(dom, "data-drawn=\""), 5);
        for (const char *at = strstr(dom, "data-drawn="); at; at = strstr(at + 1, "data-drawn="))
            assert_less_case(3, number_of(at, "data-drawn"), "a view at %g", width);
        free(dom);
        dom = open_page("more.html", sizes[i], 1);
        assert_equal(number_of(dom, "data-overflow"), 0);
        assert_equal((double)count_of(dom, "class=\"plot\""), 1);
        free(dom);
        dom = open_page("gallery.html", sizes[i], 1);
        assert_whole(dom, "gallery.html", width);
        assert_equal((double)count_of(dom, "<figcaption"), 55);  // 54 figures and a table
        free(dom);
    }
    // A picture that is missing is found.
    assert_int_equal(remove(test_path("pages/page.png")), 0);
    char *dom = open_page("index.html", sizes[0], 0);
    assert_less(0, number_of(dom, "data-broken"));
    free(dom);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_work_in_a_browser),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove();
    return failed;
}
