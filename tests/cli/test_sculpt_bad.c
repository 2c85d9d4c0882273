/* ruga sculpt: strokes that can't be done. Each error names the stroke and the place; with --keep-going the others
 * are made as without the bad one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/ruga_command.h"

static ruga_context *context;

enum { CELLS = 10, SIDE = CELLS + 1 };

static void write_text(const char *name, const char *text) { write_test_file(test_path(name), text, strlen(text)); }

/* ---- Meshes: a sheet from -0.5 to 0.5 along x and z, or with something wrong in its middle. */

typedef enum fault { NO_FAULT, HOLE, GAP, FIN, FLAT } fault;

static int is_left_out(fault what, int i, int j) {
    int middle = i >= 4 && i < 6;
    return what == GAP ? middle : what == HOLE && middle && j >= 4 && j < 6;
}

static void write_sheet(const char *name, fault what) {
    enum { LINE = 80 };
    char *text = malloc((size_t)(SIDE * SIDE + 2 * CELLS * CELLS + 2) * LINE), *at = text;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            int x = what == FLAT && i == 6 && j == 5 ? 5 : i; /* two vertices at one place */
            at += snprintf(at, LINE, "v %g 0 %g\n", x / 10.0 - 0.5, j / 10.0 - 0.5);
        }
    for (int j = 0; j < CELLS; j++)
        for (int i = 0; i < CELLS; i++) {
            int a = j * SIDE + i + 1, b = a + 1, c = b + SIDE, d = a + SIDE;
            if (!is_left_out(what, i, j)) at += snprintf(at, LINE, "f %d %d %d\nf %d %d %d\n", a, d, c, a, c, b);
        }
    int middle = 5 * SIDE + 5 + 1;
    if (what == FIN) at += snprintf(at, LINE, "v 0 0.3 0\nf %d %d %d\n", middle, middle + SIDE, SIDE * SIDE + 1);
    write_test_file(test_path(name), text, (size_t)(at - text));
    free(text);
}

/* A line that is good on every mesh, and the stroke along it alone. */
#define GOOD "{\"name\": \"good\", \"curve\": [[-0.42, 0, -0.33], [-0.22, 0, -0.33]], \"radius\": 0.05, \"refine\": 1}"

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    write_sheet("sheet.obj", NO_FAULT);
    write_sheet("hole.obj", HOLE);
    write_sheet("gap.obj", GAP);
    write_sheet("fin.obj", FIN);
    write_sheet("flat.obj", FLAT);
    write_text("good.json", "{\"strokes\": [" GOOD "]}");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

/* ---- The list. */

typedef struct bad_stroke {
    const char *mesh, *stroke; /* members besides its name */
    const char *message, *place;
} bad_stroke;

#define ACROSS "\"curve\": [[-0.3, 0, 0.013], [0.3, 0, 0.013]]"

static const bad_stroke bad_strokes[] = {
    {"sheet", "\"curve\": [[0, 0.4, 0], [0.2, 0.4, 0]]", "0.4 m off the surface", "point 0 at (0, 0.4, 0)"},
    {"sheet", "\"curve\": [[0.1, 0, 0.1], [0.1, 0, 0.1]]", "it has no length", "draw at least two different points"},
    {"sheet", "\"curve\": [[0.1, 0, 0.1]]", "it has no length", "draw at least two different points"},
    {"hole", ACROSS, "an edge that is open", "at (-0.1, 0, 0.013)"},
    {"gap", ACROSS, "different pieces",
     "from point 0, in triangle 83 at (-0.3, 0, 0.013), to point 1, in triangle 91 at"},
    {"fin", ACROSS, "more than two triangles", "at (0, 0, 0.013)"},
    {"fin", "\"curve\": [[0, 0, -0.3], [0, 0, 0.3]]", "edge (60, 71) of the mesh has 3 triangles", "at (0, 0, "},
    {"sheet", "\"curve\": [[-0.5, 0, -0.2], [-0.5, 0, 0.2]]", "runs along the open edge", "at (-0.5, 0, -0.2)"},
    {"flat", ACROSS, "which has no area", "at (0."},
    {"sheet", ACROSS ", \"wrinkles\": 13", "13 wrinkles are wanted, but 50 particles can show 1 to 12",
     "use 53 particles or more"},
    {"sheet", ACROSS ", \"shape\": \"furrow\", \"particles\": 12", "a furrow needs 13 particles at least, not 12",
     "stroke \""},
    {"sheet", ACROSS ", \"particles\": 8, \"wrinkles\": 2", "2 wrinkles are wanted, but 8 particles can",
     "use 9 particles or more"},
    {"sheet", ACROSS ", \"particles\": 8, \"length\": 5",
     "5 times that of the curve, but 8 particles can show up to 4.29 times", "more particles"},
    {"sheet", ACROSS ", \"length\": 0.9", "length: found 0.9, but it must be within 1 and 100", "bad.json:1:"},
    {"sheet", ACROSS ", \"stiffness\": -10", "stiffness: found -10, but it must be within 0", "bad.json:1:"},
    {"sheet", ACROSS ", \"radius\": 7", "its radius of 7 m is larger than the mesh", "which is 1.41421 m"},
    {"sheet", ACROSS ", \"spread\": 50", "its radius of 30 m, by a spread of 50, is larger than the mesh",
     "which is 1.41421 m"},
    {"sheet", ACROSS ", \"along\": [[0, 0, 0], [0, 0, 0.3]]", "it has a path, but no copies", "at least 2"},
    {"sheet", ACROSS ", \"radius\": -1", "radius: found -1 m", "bad.json:1:"},
    {"sheet", ACROSS ", \"tolerance\": 0", "tolerance: found 0 m", "bad.json:1:"},
    {"sheet", ACROSS ", \"mode\": \"between\"", "needs a region curve", ""},
    {"gap", "\"curve\": [[-0.3, 0, 0], [-0.2, 0, 0]], \"region\": [[0.2, 0, 0], [0.3, 0, 0]]", "not on the same piece",
     ""},
    {"sheet", "\"curve\": \"brow\"", "there is no curve \"brow\"", ""},
};
enum { BAD_STROKES = sizeof bad_strokes / sizeof *bad_strokes };

static void write_bad(const bad_stroke *bad) {
    char text[700];
    snprintf(text, sizeof text, "{\"strokes\": [{\"name\": \"bad\", %s}, " GOOD "]}", bad->stroke);
    write_text("bad.json", text);
}

static void errors_name_the_stroke_and_the_place(void **state) {
    (void)state;
    for (int i = 0; i < BAD_STROKES; i++) {
        const bad_stroke *bad = &bad_strokes[i];
        write_bad(bad);
        command_result r = ruga_run("sculpt %s.obj bad.json -o none.obj", bad->mesh);
        fail_if(r.code != 3 || !strstr(r.err, bad->message) || !strstr(r.err, bad->place) ||
                    (!strstr(r.err, "stroke \"bad\"") && !strstr(r.err, "strokes[0]")),
                "%d: code %d: %s", i, r.code, r.err);
        assert_null(read_test_file(test_path("none.obj"), NULL));
        command_release(&r);
    }
}

static void keep_going_does_not_change_the_other_strokes(void **state) {
    (void)state;
    skip_when_sanitized();
    for (int i = 0; i < BAD_STROKES; i++) {
        const bad_stroke *bad = &bad_strokes[i];
        write_bad(bad);
        command_result r = ruga_run("sculpt %s.obj bad.json --keep-going -o some.obj", bad->mesh);
        fail_if(r.code != 0 || !strstr(r.err, "left out: stroke \"bad\": ") || !strstr(r.err, bad->message) ||
                    !strstr(r.out, "1 of 2 strokes left out"),
                "%d: code %d: %s%s", i, r.code, r.err, r.out);
        command_release(&r);
        assert_ruga(0, NULL, "sculpt %s.obj good.json -o good.obj -q", bad->mesh);
        char *some = read_test_file(test_path("some.obj"), NULL), *good = read_test_file(test_path("good.obj"), NULL);
        assert_string_equal(some, good);
        free(some);
        free(good);
    }
}

/* Nothing left is an error, with --keep-going too. */
static void without_a_good_stroke_nothing_is_written(void **state) {
    (void)state;
    write_text("bad.json", "{\"strokes\": [{\"name\": \"bad\", \"curve\": [[0, 0.4, 0], [0.2, 0.4, 0]]}]}");
    command_result r = ruga_run("sculpt sheet.obj bad.json --keep-going -o none.obj");
    assert_int_equal(r.code, 3);
    assert_non_null(strstr(r.err, "none of the strokes can be made"));
    command_release(&r);
    assert_null(read_test_file(test_path("none.obj"), NULL));
}

/* As long as it was drawn: no wrinkle, and no mistake. */
static void a_length_of_one_moves_nothing(void **state) {
    (void)state;
    write_text("one.json", "{\"strokes\": [{\"name\": \"still\", " ACROSS ", \"length\": 1}]}");
    json_document *report = ruga_json(context, 0, "sculpt sheet.obj one.json -o one.obj --json");
    assert_equal(json_number_at(report, "strokes.0.wrinkles"), 0);
    assert_equal(json_number_at(report, "strokes.0.reached"), 1);
    json_destroy(report);
    ruga_mesh *mesh = NULL;
    assert_ok(context, ruga_mesh_read(context, test_path("one.obj"), NULL, &mesh));
    for (size_t v = 0; v < mesh->vertex_count; v++) assert_equal_case(mesh->positions[v].y, 0, "v %zu", v);
    ruga_mesh_destroy(mesh);
}

/* ---- Files. */

static void files_without_strokes_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *name, *text, *message;
    } cases[] = {
        {"x.json", "", "x.json:1:1: expected a value"},
        {"x.json", "{}", "x.json: there are no strokes"},
        {"x.json", "[]", "x.json:1:1: expected an object"},
        {"x.json", "{\"strokes\": []}", "x.json: there are no strokes"},
        {"x.json", "{\"curves\": []}", "x.json: there are no strokes"},
        {"x.json", "{\"stroks\": []}", "did you mean \"strokes\"?"},
        {"x.json", "{\"strokes\": [{\"curve\": [[0, 0, NaN], [0, 0, 1]]}]}", "x.json:1:32: expected a value"},
        {"x.json", "{\"strokes\": [{\"curve\": [[0, 0], [0, 1]]}]}", "x.json:1:25: strokes[0].curve.points[0]"},
        {"x.obj", "", "x.obj: it has no polyline"},
        {"x.obj", "v 0 0 0\nl 1 2\n", "x.obj:2: "},
        {"x.svg", "", "x.svg:1: "},
        {"x.txt", "", "unknown format of curves"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(cases[i].name, cases[i].text);
        command_result r = ruga_run("sculpt sheet.obj %s -o none.obj", cases[i].name);
        fail_if(r.code != 3 || !strstr(r.err, cases[i].message), "%zu: %d %s", i, r.code, r.err);
        command_release(&r);
        assert_null(read_test_file(test_path("none.obj"), NULL));
    }
    write_text("empty.obj", "v 0 0 0\n");
    assert_ruga(3, "empty.obj: has no faces", "sculpt empty.obj good.json -o none.obj");
    assert_ruga(0, NULL, "make slab --solid 1 -o solid.ply -q");
    assert_ruga(3, "solid.ply: has tets", "sculpt solid.ply good.json -o none.obj");
}

static void failed_writing_leaves_no_file(void **state) {
    (void)state;
    assert_ruga(1, "nowhere/out.obj: can't be written", "sculpt sheet.obj good.json -o nowhere/out.obj");
    assert_ruga(1, "/dev/full: can't be written", "sculpt sheet.obj good.json --format obj -o /dev/full");
    write_text("lengths.txt", "1\n1.2\n");
    assert_ruga(1, "nowhere/out.pc2: can't be written",
                "sculpt sheet.obj good.json --lengths lengths.txt -o nowhere/out.pc2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_the_stroke_and_the_place),
        cmocka_unit_test(keep_going_does_not_change_the_other_strokes),
        cmocka_unit_test(without_a_good_stroke_nothing_is_written),
        cmocka_unit_test(a_length_of_one_moves_nothing),
        cmocka_unit_test(files_without_strokes_are_refused),
        cmocka_unit_test(failed_writing_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
