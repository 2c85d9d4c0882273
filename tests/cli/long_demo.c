/* The whole demo, as drafts, and the folds of two of its films. tests/cli/test_pictures.c makes a few of its items. */
#include <stdio.h>

#include "math/vec3.h"
#include "support/ruga_command.h"

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

/* The first film begins again without a jump: from its last picture to its first, the skirt moves by less than from one
 * picture to the next. Its cloth, which goes over from one cycle of the walk to another, intersects nothing. */
static void assert_first_film_repeats(void) {
    double ms = 0, intersections = -1, seam = -1, step = -1;
    char *text = read_test_file(test_path("whole/wrinkle_skirt.txt"), NULL);
    assert_non_null(text);
    const int read = sscanf(text, "%lf ms\n%lf intersections\n%lf mm from the last frame to the first, %lf mm on", &ms,
                            &intersections, &seam, &step);
    assert_int_equal(read, 4);
    assert_equal(intersections, 0);
    assert_less(0.001, step);
    assert_less(seam, 0.5 * step);
    free(text);
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
            fail_if(!test_file_exists(test_path(path)), "%s was not made", path);
            snprintf(path, sizeof path, "=\"%s\"", file->text);
            fail_if(!strstr(page, path) && !strstr(more, path), "no page shows %s", file->text);
            shown++;
        }
    }
    assert_ran(shown, json_root(made)->count / 2);
    assert_first_film_repeats();
    free(page);
    free(more);
    json_destroy(made);
    json_destroy(listed);
}

/* The percentage of the edges of a run's cloth that bend by more than 30 degrees, at a moment. */
static double sharp_hinges(const char *run, const char *object, double time) {
    char path[256];
    ruga_mesh *cloth = NULL;
    ruga_motion *motion = NULL;
    snprintf(path, sizeof path, "%s/%s.obj", run, object);
    assert_ok(context, ruga_mesh_read(context, test_path(path), NULL, &cloth));
    snprintf(path, sizeof path, "%s/%s.pc2", run, object);
    assert_ok(context, ruga_motion_read(context, test_path(path), cloth, NULL, &motion));
    ruga_vec3 *p = malloc(cloth->vertex_count * sizeof *p);
    assert_ok(context, ruga_motion_sample(motion, time, p));
    size_t hinges = 0, sharp = 0;
    for (size_t t = 0; t < cloth->triangle_count; t++)
        for (size_t u = t + 1; u < cloth->triangle_count; u++) {
            const uint32_t *a = cloth->triangles + 3 * t, *b = cloth->triangles + 3 * u;
            int common = 0;
            for (int i = 0; i < 9; i++) common += a[i / 3] == b[i % 3];
            if (common != 2) continue;
            ruga_vec3 n[2];
            for (int i = 0; i < 2; i++) {
                const uint32_t *c = i ? b : a;
                const ruga_vec3 e = vec3_sub(p[c[1]], p[c[0]]), f = vec3_sub(p[c[2]], p[c[0]]);
                n[i] = vec3_normalise(vec3_cross(e, f));
            }
            hinges++;
            sharp += vec3_dot(n[0], n[1]) < 0.8660254;
        }
    free(p);
    ruga_motion_destroy(motion);
    ruga_mesh_destroy(cloth);
    assert_ran(hinges, 1000);
    return 100.0 * (double)sharp / (double)hinges;
}

/* The cloth of the drape and of the skirt is fine enough for its folds. Without ffmpeg there is no film to wait for. */
static void folds_of_drape_and_skirt_fit_their_triangles(void **state) {
    (void)state;
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    command_result made = ruga_run("demo drape skirt -o folds -q");
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(made.code, 0);
    command_release(&made);
    for (int i = 0; i < 3; i++) {
        const double drape = sharp_hinges("folds/drape.run", "sheet", 1 + 0.8 * i);
        const double skirt = sharp_hinges("folds/skirt.run", "skirt", 1 + 0.8 * i);
        print_message("hinges above 30 degrees at %.1f s: drape %.1f %%, skirt %.1f %%\n", 1 + 0.8 * i, drape, skirt);
        assert_less(drape, 5);
        assert_less(skirt, 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_of_drape_and_skirt_fit_their_triangles),
        cmocka_unit_test(every_item_of_the_demo_makes_its_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
