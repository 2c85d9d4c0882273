/* Copies of strokes: neighbours that continue each other's ridges, and images that are images. */
#include "scene/strokes_support.h"
#include "support/shapes.h"

static const double pi = 3.14159265358979323846;

enum { CELLS = 20, SIDE = CELLS + 1 };

/* m, the height of the grid's vertex in a column and a row. */
static double height_at(const test_strokes *t, size_t column, size_t row) {
    const ruga_vec3 at = ruga_sculpt_mesh(ruga_strokes_sculpt(t->strokes))->positions[row * SIDE + column];
    const ruga_vec3 flat = t->mesh->positions[row * SIDE + column];
    assert_near(flat.x, (double)column / CELLS - 0.5, 1e-9);
    assert_near(flat.z, 0.5 - (double)row / CELLS, 1e-9);
    return at.y;
}

/* Ridges run on from one copy to the next: midway, wrinkles are nearly as high as on the strokes. */
static void copies_of_wrinkles_do_not_cancel_each_other(void **state) {
    (void)state;
    test_strokes t = values_plain();
    t.cells = CELLS;
    open_strokes(&t,
                 "{\"refine\": 0, \"wrinkles\": 4, \"strokes\": [{\"name\": \"a\", \"curve\": [[-0.4, 0, -0.3], "
                 "[0.4, 0, -0.3]], \"copies\": 4, \"along\": [[-0.4, 0, -0.3], [-0.4, 0, 0.3]]}]}");
    assert_int_equal(ruga_strokes_count(t.strokes), 4);
    for (size_t i = 0; i < 4; i++) assert_null(ruga_strokes_get(t.strokes, i).advice);
    double greatest = 0;
    for (size_t column = 0; column < SIDE; column++) greatest = fmax(greatest, fabs(height_at(&t, column, 8)));
    size_t compared = 0;
    for (size_t column = 0; column < SIDE; column++) {
        const double on = height_at(&t, column, 8), midway = height_at(&t, column, 10);
        if (fabs(on) < 0.5 * greatest) continue;
        assert_less(0.8, midway / on);
        compared++;
    }
    assert_less(0.02, greatest);
    assert_ran(compared, 4);
    close_strokes(&t);
}

/* A closed path ends where it begins: the last copy is a step away from the first. */
static void copies_along_a_closed_path_are_apart(void **state) {
    (void)state;
    char path[1200] = "";
    for (int i = 0; i < 12; i++)
        snprintf(path + strlen(path), sizeof path - strlen(path), "%s[%.9f, 0, %.9f]", i ? ", " : "",
                 0.25 * cos(i * pi / 6), 0.25 * sin(i * pi / 6));
    char text[2000];
    snprintf(text, sizeof text,
             "{\"refine\": 0, \"radius\": 0.05, \"strokes\": [{\"curve\": [[0.2, 0, 0], [0.3, 0, 0]], \"copies\": 3, "
             "\"along\": {\"closed\": true, \"points\": [%s]}}]}",
             path);
    test_strokes t = values_plain();
    t.cells = CELLS;
    open_strokes(&t, text);
    assert_int_equal(ruga_strokes_count(t.strokes), 3);
    for (size_t i = 0; i < 3; i++) {
        ruga_vec3 ends[2];
        const double angle = (double)i * 2 * pi / 3;
        ends_of(&t, i, ends);
        assert_near(ends[1].x, 0.3 * cos(angle), 0.006);
        assert_near(ends[1].z, 0.3 * sin(angle), 0.006);
    }
    close_strokes(&t);
}

/* Around a prism of twelve sides, copies are as far apart as around the cylinder that it stands for, although they
 * begin at different places of its sides. */
static void copies_turn_with_the_smooth_surface(void **state) {
    (void)state;
    char path[1200] = "", text[2000];
    for (int i = 0; i < 24; i++)
        snprintf(path + strlen(path), sizeof path - strlen(path), "%s[%.9f, 0.5, %.9f]", i ? ", " : "",
                 cos(i * pi / 12), sin(i * pi / 12));
    snprintf(
        text, sizeof text,
        "{\"refine\": 0, \"radius\": 0.1, \"strokes\": [{\"curve\": [[1, 0.5, 0], [0.8, 0.6, 0.6]], \"copies\": 7, "
        "\"along\": {\"closed\": true, \"points\": [%s]}}]}",
        path);
    test_strokes t = values_plain();
    open_strokes_on(&t, shape_cylinder(context, 12, 4), text);
    ruga_vec3 first[2];
    ends_of(&t, 0, first);
    for (size_t i = 1; i < 7; i++) {
        ruga_vec3 ends[2];
        ends_of(&t, i, ends);
        const double turn =
            remainder(atan2(ends[1].z, ends[1].x) - atan2(first[1].z, first[1].x) - (double)i * 2 * pi / 7, 2 * pi);
        assert_at_most_case(fabs(turn), 0.03, "copy %zu", i);
    }
    close_strokes(&t);
}

/* ---- Mirror images. */

/* Two tubes along y, at x = 2 and -2, the second the mirror image of the first. */
static ruga_mesh *make_tubes(void) {
    ruga_mesh *one = shape_cylinder(context, 24, 10);
    const size_t vertices = one->vertex_count, corners = 3 * one->triangle_count;
    ruga_vec3 *p = malloc(2 * vertices * sizeof *p);
    uint32_t *faces = malloc(2 * corners * sizeof *faces);
    for (size_t v = 0; v < vertices; v++) {
        const ruga_vec3 at = one->positions[v];
        p[v] = (ruga_vec3){at.x + 2, at.y, at.z};
        p[v + vertices] = (ruga_vec3){-at.x - 2, at.y, at.z};
    }
    memcpy(faces, one->triangles, corners * sizeof *faces);
    for (size_t c = 0; c < corners; c++) {
        const size_t turned = c % 3 == 0 ? c : c % 3 == 1 ? c + 1 : c - 1;
        faces[corners + c] = one->triangles[turned] + (uint32_t)vertices;
    }
    ruga_mesh *both = shape_make(context, 2 * vertices, p, 2 * one->triangle_count, NULL, faces);
    free(p);
    free(faces);
    ruga_mesh_destroy(one);
    return both;
}

/* m, how far the wrinkled second half is from the image of the first, at the mesh's own vertices; moved: how far those
 * moved at most. */
static double compare_halves(const test_strokes *t, double *moved) {
    const ruga_vec3 *p = ruga_sculpt_mesh(ruga_strokes_sculpt(t->strokes))->positions, *flat = t->mesh->positions;
    const size_t half = t->mesh->vertex_count / 2;
    double furthest = 0;
    *moved = 0;
    for (size_t v = 0; v < half; v++) {
        const ruga_vec3 a = p[v], b = p[v + half];
        furthest = fmax(furthest, fmax(fabs(a.x + b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z))));
        *moved = fmax(*moved, fmax(fabs(a.x - flat[v].x), fmax(fabs(a.y - flat[v].y), fabs(a.z - flat[v].z))));
    }
    return furthest;
}

/* A closed or an open stroke with wrinkles or a furrow on the first tube, and its image: the whole surface is
 * symmetric. */
static void the_image_of_a_stroke_is_an_image(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        char text[2400], points[1200] = "";
        const int closed = i % 2, furrow = i / 2;
        for (int k = 0; k < 24 - (closed ? 0 : 8); k++)
            snprintf(points + strlen(points), sizeof points - strlen(points), "%s[%.9f, %.9f, %.9f]", k ? ", " : "",
                     2 + cos((k + 0.3) * pi / 12), 0.52 + 0.06 * sin((k + 2) * pi / 12), sin((k + 0.3) * pi / 12));
        snprintf(
            text, sizeof text,
            "{\"refine\": 1, \"radius\": 0.25, \"length\": 1.2, \"shape\": \"%s\", \"asymmetry\": 0.5, \"vary\": 0.5, "
            "\"wrinkles\": 6, \"strokes\": [{\"mirror\": \"x\", \"curve\": {\"closed\": %s, \"points\": [%s]}}]}",
            furrow ? "furrow" : "wrinkles", closed ? "true" : "false", points);
        test_strokes t = values_plain();
        open_strokes_on(&t, make_tubes(), text);
        double moved, furthest = compare_halves(&t, &moved);
        assert_int_equal(ruga_strokes_count(t.strokes), 2);
        assert_less(0.02, moved);
        assert_at_most_case(furthest, 0.01 * moved, "closed %d, furrow %d", closed, furrow);
        close_strokes(&t);
    }
}

/* "x", "y" and "z" are axes of the file that has the points. */
static void images_have_the_axes_of_the_file(void **state) {
    (void)state;
    static const char *const axes[] = {"x", "y"}; /* z is up: the sheet lies in x and y, its y is -z of ours */
    for (int i = 0; i < 2; i++) {
        char text[300];
        test_strokes t = values_plain();
        snprintf(text, sizeof text,
                 "{\"refine\": 0, \"radius\": 0.05, \"strokes\": [{\"mirror\": \"%s\", "
                 "\"curve\": [[0.1, 0.2, 0], [0.3, 0.35, 0]]}]}",
                 axes[i]);
        write_test_file(test_path("up.json"), text, strlen(text));
        char path[512];
        snprintf(path, sizeof path, "%s", test_path("up.json"));
        t.values.file = path;
        t.mesh = make_model("sheet", (double[10]){1, 1, t.cells, t.cells});
        ruga_strokes_def def = ruga_strokes_def_default();
        def.values = &t.values;
        def.file.up = RUGA_AXIS_Z;
        assert_ok(context, ruga_strokes_create(t.mesh, &def, &t.strokes));
        ruga_vec3 ends[2];
        assert_int_equal(ruga_strokes_count(t.strokes), 2);
        ends_of(&t, 1, ends);
        assert_near(ends[1].x, (i == 0 ? -0.3 : 0.3), 1e-9);
        assert_near(ends[1].z, (i == 0 ? -0.35 : 0.35), 1e-9);
        close_strokes(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_wrinkles_do_not_cancel_each_other),
        cmocka_unit_test(copies_along_a_closed_path_are_apart),
        cmocka_unit_test(copies_turn_with_the_smooth_surface),
        cmocka_unit_test(the_image_of_a_stroke_is_an_image),
        cmocka_unit_test(images_have_the_axes_of_the_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
