/* Reading by tables: every kind, every shorthand, every mistake with its path; and writing what was read. */
#include <math.h>

#include "field/every_kind.h"
#include "field/field.h"
#include "field/reader.h"
#include "field/words.h"
#include "field/writer.h"
#include "scene/description.h"
#include "support/support.h"

typedef struct fixture {
    ruga_context *context;
    ruga_description *d;
    ek_root root;
    int fine;
} fixture;

static ruga_status read_root(fixture *f, const char *text) {
    json_document *document = NULL;
    field_reader reader;
    TRY(json_parse(f->context, "text", text, strlen(text), 0, &document));
    ruga_status status = field_reader_start(&reader, &f->d->notes, f->d->folder, "");
    if (!RUGA_FAILED(status)) {
        f->fine = fields_read_root(&reader, &ek_root_section, json_root(document), &f->root);
        status = reader.status;
    }
    field_reader_finish(&reader);
    json_destroy(document);
    return status;
}

static fixture start(const char *text) {
    fixture f = {.context = context_plain(1)};
    assert_ok(f.context, ruga_description_read_memory(f.context, "folder/a.json", "{}", 2, &f.d));
    assert_ok(f.context, read_root(&f, text));
    return f;
}

static void finish(fixture *f) {
    ruga_description_destroy(f->d);
    ruga_context_destroy(f->context);
}

static void every_mistake_has_its_path_and_says_what_was_expected(void **state) {
    (void)state;
    for (size_t i = 0; i < RUGA_FIELD_COUNT(ek_cases); i++) {
        const ek_case *c = &ek_cases[i];
        fixture f = start(c->text);
        const ruga_finding *found = ruga_description_finding(f.d, 0);
        fail_if(!c->mistake && (found || !f.fine), "%s: %s: %s", c->text, found->path, found->message);
        fail_if(c->mistake && (!found || f.fine), "%s: nothing was found", c->text);
        field_words line = {0};
        if (found) words_add(&line, "%s: %s", found->path, found->message);
        fail_if(found && strncmp(line.text, c->mistake, strlen(c->mistake)) != 0, "%s: %s", c->text, line.text);
        finish(&f);
    }
}

static const ruga_variant *shape_of(const fixture *f, size_t i) {
    return (const ruga_variant *)f->root.shapes.items + i;
}

static void a_bare_value_goes_to_the_shorthand_of_its_type(void **state) {
    (void)state;
    fixture f = start(
        "{\"need\": 3, \"paint\": [\"blue\"], \"parts\": [\"a\"],"
        " \"shapes\": [\"dot\", \"nothing\", 2, \"any text\", [1, 2, 3], true]}");
    assert_equal(f.root.need.must, 3);
    assert_equal(f.root.need.weight.constant, 1);
    assert_true(f.root.paint.colours == 4);
    const ek_part *part = f.root.parts.items;
    assert_string_equal(part->name, "a");
    assert_equal(part->size, 1);
    const ruga_section *const sections[] = {&ek_dot_section,  &ek_nothing_section, &ek_dot_section,
                                            &ek_word_section, &ek_arrow_section,   &ek_switch_section};
    for (size_t i = 0; i < 6; i++) {
        assert_ptr_equal(shape_of(&f, i)->section, sections[i]);
        assert_non_null(shape_of(&f, i)->values);
    }
    assert_equal(((const ek_dot *)shape_of(&f, 2)->values)->size, 2);
    assert_string_equal(((const ek_word *)shape_of(&f, 3)->values)->text, "any text");
    assert_equal(((const ek_arrow *)shape_of(&f, 4)->values)->to.z, 3);
    assert_int_equal(((const ek_switch *)shape_of(&f, 5)->values)->on, 1);
    finish(&f);
}

static void what_is_not_given_has_its_default(void **state) {
    (void)state;
    fixture f = start("{\"need\": 3}");
    assert_equal(f.root.step, 0.5);
    assert_true(isnan(f.root.any) && isnan(f.root.unit) && f.root.colour == -1);
    assert_true(isnan(f.root.vector.x) && f.root.count == 0 && f.root.paint.colours == 1);
    assert_null(f.root.shape.section);
    assert_ptr_equal(f.root.given.section, &ek_dot_section);
    assert_equal(((const ek_dot *)f.root.given.values)->size, 1);
    finish(&f);
}

static void a_wrong_value_leaves_the_default(void **state) {
    (void)state;
    fixture f =
        start("{\"need\": {\"must\": 1, \"weight\": 7}, \"step\": 9, \"paint\": [\"blue\", \"q\"], \"count\": 0.5}");
    assert_int_equal(ruga_description_finding_count(f.d), 4);
    assert_equal(f.root.step, 0.5);
    assert_equal(f.root.need.weight.constant, 1);
    assert_true(f.root.paint.colours == 1 && f.root.count == 0);
    finish(&f);
}

static void what_was_read_is_written_and_reads_back(void **state) {
    (void)state;
    char *texts[2] = {NULL, NULL};
    const char *text =
        "{\"need\": {\"must\": 1, \"weight\": {\"keys\": [[0, 0.5], [1, {\"file\": \"a\"}]]}}, \"colour\": \"blue\", "
        "\"unit\": \"in\","
        " \"parts\": [\"a\"], \"shape\": \"nothing\", \"shapes\": [2, [1, 2, 3]], \"vector\": [1, 2, 3]}";
    for (int i = 0; i < 2; i++) {
        fixture f = start(i == 0 ? text : texts[0]);
        arena memory = arena_make(f.context);
        const char *written;
        size_t size;
        field_writer writer = {.memory = &memory, .current_folder = "/present"};
        assert_ok(f.context, ruga_json_writer_create(f.context, 0, &writer.json));
        fields_write(&writer, &ek_root_section, &f.root);
        assert_ok(f.context, writer.status);
        assert_ok(f.context, ruga_json_finish(writer.json, &written, &size));
        texts[i] = strdup(written);
        ruga_json_writer_destroy(writer.json);
        arena_release(&memory);
        finish(&f);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_non_null(strstr(texts[0], "\"/present/folder/a\""));
    assert_non_null(strstr(texts[0], "\"any\":null"));
    free(texts[0]);
    free(texts[1]);
}

static void long_words_are_shown_in_part_and_whole_characters(void **state) {
    (void)state;
    char text[2000] = "{\"need\": 1, \"";
    for (int i = 0; i < 300; i++) strcat(text, "\xc3\xa4");
    strcat(text, "\": 1}");
    fixture f = start(text);
    const ruga_finding *found = ruga_description_finding(f.d, 0);
    assert_true(strlen(found->path) == 80);
    assert_less(strlen(found->message), 400);
    assert_non_null(strstr(found->message, "\xc3\xa4\";"));
    finish(&f);
    assert_int_equal(clipped("abc"), 3);
    assert_int_equal(clipped("\xff\xff"), 2);
}

static void lists_of_words_end_before_the_message_is_full(void **state) {
    (void)state;
    const char *names[100];
    for (size_t i = 0; i < 100; i++) names[i] = "a_rather_long_name";
    field_words words = {0};
    words_add_list(&words, names, 100, " and ");
    assert_less(words.length, sizeof words.text);
    assert_true(strstr(words.text, ", …") == words.text + words.length - 5);
    for (int i = 0; i < 100; i++) words_add(&words, "more and more");
    assert_int_equal(strlen(words.text), words.length);
    assert_int_equal(words.length, sizeof words.text - 1);
}

static void paths_are_seen_from_the_folder(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    arena memory = arena_make(context);
    const char *const cases[][3] = {{"", "a", "a"},    {"f", "a", "f/a"}, {"f/", "a", "f/a"},
                                    {"f", "/a", "/a"}, {"/", "a", "/a"},  {"f", "../a", "f/../a"}};
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(path_from_folder(&memory, cases[i][0], cases[i][1]), cases[i][2]);
    arena_release(&memory);
    ruga_context_destroy(context);
}

static ruga_status read_all(ruga_context *context, void *user) {
    (void)user;
    fixture f = {.context = context};
    ruga_status status = ruga_description_create(context, &f.d);
    for (size_t i = 0; i < RUGA_FIELD_COUNT(ek_cases) && !RUGA_FAILED(status); i++)
        status = read_root(&f, ek_cases[i].text);
    ruga_description_destroy(f.d);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    assert_less(50, assert_every_allocation_may_fail(read_all, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_has_its_path_and_says_what_was_expected),
        cmocka_unit_test(a_bare_value_goes_to_the_shorthand_of_its_type),
        cmocka_unit_test(what_is_not_given_has_its_default),
        cmocka_unit_test(a_wrong_value_leaves_the_default),
        cmocka_unit_test(what_was_read_is_written_and_reads_back),
        cmocka_unit_test(long_words_are_shown_in_part_and_whole_characters),
        cmocka_unit_test(lists_of_words_end_before_the_message_is_full),
        cmocka_unit_test(paths_are_seen_from_the_folder),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
