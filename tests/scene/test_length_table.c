/* Files of lengths, frame by frame: text and JSON give the same lengths, names or the order of the columns assign them
 * to strokes, and messages give the line of a mistake. */
#include <math.h>
#include <stdio.h>

#include "ruga/strokes.h"
#include "support/support.h"

enum { STROKES = 3 };

typedef struct three_strokes {
    ruga_context *context;
    ruga_mesh *mesh;
    ruga_strokes *strokes;
} three_strokes;

static const char strokes_text[] =
    "{\"refine\": 0, \"radius\": 0.05, \"strokes\": [\n"
    "{\"name\": \"a\", \"curve\": [[-0.3, 0, -0.2], [0.3, 0, -0.2]]},\n"
    "{\"name\": \"brow\", \"curve\": [[-0.3, 0, 0], [0.3, 0, 0]]},\n"
    "{\"name\": \"left eye\", \"curve\": [[-0.3, 0, 0.2], [0.3, 0, 0.2]]}]}";

static ruga_status make_strokes(three_strokes *t) {
    const double size[] = {1, 1, 8, 8, 0, 0, 0, 0, 0, 0};
    ruga_strokes_def def = ruga_strokes_def_default();
    ruga_sculpt_def values;
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("strokes.json"));
    ruga_section_defaults(ruga_scene_section_find("objects.edits.sculpt"), &values);
    values.file = path;
    def.values = &values;
    ruga_status status = ruga_model_make(t->context, "sheet", size, &t->mesh);
    return RUGA_FAILED(status) ? status : ruga_strokes_create(t->mesh, &def, &t->strokes);
}

static void close_strokes(three_strokes *t) {
    ruga_strokes_destroy(t->strokes);
    ruga_mesh_destroy(t->mesh);
}

static ruga_context *context;
static three_strokes three;

static int set_up(void **state) {
    (void)state;
    context = context_plain(1);
    write_test_file(test_path("strokes.json"), strokes_text, sizeof strokes_text - 1);
    three.context = context;
    assert_ok(context, make_strokes(&three));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    close_strokes(&three);
    ruga_context_destroy(context);
    test_folder_remove();
    return 0;
}

static ruga_length_table *read_text(const char *text) {
    ruga_length_table *table = NULL;
    write_test_file(test_path("lengths"), text, strlen(text));
    assert_ok(context, ruga_length_table_read(three.strokes, test_path("lengths"), &table));
    return table;
}

/* NaN: as the stroke says. */
static void assert_lengths(const char *text, size_t frames, const double *wanted) {
    ruga_length_table *table = read_text(text);
    assert_int_equal(table->frame_count, frames);
    assert_int_equal(table->stroke_count, STROKES);
    for (size_t i = 0; i < frames * STROKES; i++)
        assert_true(table->values[i] == wanted[i] || (isnan(table->values[i]) && isnan(wanted[i])));
    ruga_length_table_destroy(table);
}

static void one_number_is_for_all_strokes(void **state) {
    (void)state;
    static const double wanted[] = {1, 1, 1, 1.5, 1.5, 1.5};
    assert_lengths("1\n1.5\n", 2, wanted);
    assert_lengths("# frames\r\n\r\n1\r\n 1.5 # the last", 2, wanted);
    assert_lengths("[1, 1.5]", 2, wanted);
    assert_lengths("// frames\n[\n[1], [1.5]]", 2, wanted);
}

static void numbers_without_names_are_in_the_order_of_strokes(void **state) {
    (void)state;
    static const double wanted[] = {1, 1.1, 1.2, 0.5, 1.5, 2};
    assert_lengths("1,1.1,1.2\n0.5;1.5;2\n", 2, wanted);
    assert_lengths("1 1.1\t1.2\n0.5, 1.5, 2\n", 2, wanted);
    assert_lengths("[[1, 1.1, 1.2], [0.5, 1.5, 2]]", 2, wanted);
}

/* Also one column whose name is that of the first stroke: it is that stroke's alone. */
static void names_say_whose_numbers_are(void **state) {
    (void)state;
    static const double wanted[] = {NAN, 1.1, 1.2, NAN, 1.5, 2}, first[] = {1.5, NAN, NAN};
    assert_lengths("left eye,brow\n1.2,1.1\n2,1.5\n", 2, wanted);
    assert_lengths("\xef\xbb\xbf\"left eye\"; \"brow\"\n1.2; 1.1\n2; 1.5\n", 2, wanted);
    assert_lengths("frame,left eye,brow\n100,1.2,1.1\n101,2,1.5\n", 2, wanted);
    assert_lengths("{\"left eye\": [1.2, 2], \"brow\": [1.1, 1.5]}", 2, wanted);
    assert_lengths("{\"brow\": [1.1, 1.5], \"left eye\": [1.2, 2], \"a\": [null, null]}", 2, wanted);
    assert_lengths("a\n1.5\n", 1, first);
    assert_lengths("a brow\n1.5 1\n", 1, (const double[]){1.5, 1, NAN});
}

static void mistakes_are_reported_with_their_places(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "has no numbers"},
        {"# nothing\n", "has no numbers"},
        {"[]", "has no numbers"},
        {"{}", "has no numbers"},
        {"1\nmany\n", "lengths:2: expected lengths"},
        {"1\nnan\n", "lengths:2: expected lengths"},
        {"1\n1e9\n", "lengths:2: expected lengths"},
        {"-1\n", "lengths:1: expected lengths"},
        {"1 1\n", "lengths:1: 2 numbers; expected one for all strokes, or one for each of the 3"},
        {"1\n1 1 1\n", "lengths:2: 3 numbers, but 1 are expected"},
        {"brw\n1\n", "lengths:1: there is no stroke \"brw\"; did you mean \"brow\"?"},
        {"mouth,a\n1,1\n", "there is no stroke \"mouth\"; there are \"a\", \"brow\" and \"left eye\""},
        {"a,a\n1,1\n", "lengths:1: the stroke \"a\" has two columns"},
        {"[1, \"long\"]", "lengths:1:5: expected a length over that of the curve, from 0 to 100, or null, but found a"},
        {"[1,\n -2]",
         "lengths:2:2: expected a length over that of the curve, from 0 to 100, or null, but found the number -2"},
        {"[[1, 1]]", "lengths:1: 2 numbers; expected one"},
        {"[[1, 1, 1], [1]]", "lengths:1: 1 numbers, but 3 are expected"},
        {"{\"brow\": 1}", "lengths:1:10: expected a list with a number for each frame, but found the number 1"},
        {"{\"a\": [1, 2],\n\"brow\": [1]}", "lengths:2: 1 numbers, but \"a\" has 2"},
        {"{\"eye\": [1]}", "there is no stroke \"eye\""},
        {"[1, 2", "lengths:1:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ruga_length_table *table = NULL;
        write_test_file(test_path("lengths"), cases[i].text, strlen(cases[i].text));
        assert_status(ruga_length_table_read(three.strokes, test_path("lengths"), &table), RUGA_ERROR_INPUT);
        assert_message_has(context, cases[i].message);
        assert_null(table);
    }
    ruga_length_table *table = NULL;
    assert_status(ruga_length_table_read(three.strokes, test_path("nothing"), &table), RUGA_ERROR_FILE);
}

/* Greater than what the strokes say, and smaller: each is made as it would be with that as its own length. */
static void strokes_are_prepared_for_the_greatest_lengths(void **state) {
    (void)state;
    ruga_length_table *table = read_text("a,brow\n1,0.5\n1.6,0.8\n1.2,0.7\n");
    assert_ok(context, ruga_strokes_prepare(three.strokes, table));
    ruga_stroke_report reports[STROKES];
    for (size_t i = 0; i < STROKES; i++) reports[i] = ruga_strokes_get(three.strokes, i);
    assert_equal(reports[0].def.length, 1.6);
    assert_near(reports[0].info.reached, 1.6, 0.03);
    assert_equal(reports[1].def.length, 1);
    assert_equal(reports[1].info.reached, 1);
    assert_equal(reports[2].def.length, 1.08);
    assert_near(reports[2].info.reached, 1.08, 0.04);
    table->stroke_count = 2;
    assert_status(ruga_strokes_prepare(three.strokes, table), RUGA_ERROR_ARGUMENT);
    ruga_length_table_destroy(table);
}

static ruga_status read_and_prepare(ruga_context *counting, void *user) {
    three_strokes t = {.context = counting};
    ruga_length_table *table = NULL;
    ruga_status status = make_strokes(&t);
    if (!RUGA_FAILED(status)) status = ruga_length_table_read(t.strokes, user, &table);
    if (!RUGA_FAILED(status)) status = ruga_strokes_prepare(t.strokes, table);
    ruga_length_table_destroy(table);
    close_strokes(&t);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    static const char small[] =
        "{\"refine\": 0, \"strokes\": [{\"curve\": [[-0.3, 0, 0], [0.3, 0, 0]], \"particles\": 12}]}";
    static const char *const texts[] = {"1\n1.2\n", "[1, 1.2]"};
    write_test_file(test_path("strokes.json"), small, sizeof small - 1);
    for (int i = 0; i < 2; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s", test_path("lengths"));
        write_test_file(path, texts[i], strlen(texts[i]));
        assert_less_case(20, assert_every_allocation_may_fail(read_and_prepare, path), "i %d", i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_number_is_for_all_strokes),
        cmocka_unit_test(numbers_without_names_are_in_the_order_of_strokes),
        cmocka_unit_test(names_say_whose_numbers_are),
        cmocka_unit_test(mistakes_are_reported_with_their_places),
        cmocka_unit_test(strokes_are_prepared_for_the_greatest_lengths),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
