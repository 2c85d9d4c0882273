/* The tables give a schema that agrees with the reader, and the two pages in docs/. */
#include <dirent.h>
#include <stdio.h>

#include "field/every_kind.h"
#include "field/schema.h"
#include "support/json_values.h"
#include "support/ruga_command.h"

#define SCENES RUGA_SOURCE_FOLDER "/tests/scene/broken"
#define EXAMPLES RUGA_SOURCE_FOLDER "/examples/scenes"

/* Messages about mistakes that the reader finds, but that a schema can't express. */
static const char *const beyond_schemas[] = {"times must rise", "are equal; give the number itself"};

/* ---- Scenes as plain JSON, without their comments, for the validator. */

static int holds_zero(const json_value *value) {
    if (value->type == JSON_STRING && strlen(value->text) != value->length) return 1;
    for (const json_value *item = value->first; item; item = item->next)
        if (holds_zero(item)) return 1;
    return 0;
}

/* The list of files for the validator. */
typedef struct checklist {
    ruga_context *context;
    FILE *lines;
    int count;
} checklist;

static checklist checklist_start(void) {
    checklist list = {.context = context_plain(1), .lines = fopen(test_path("list"), "w")};
    assert_non_null(list.lines);
    return list;
}

/* 1 if the schema should refuse the text, 0 if it should accept it, -1 if it can't express the mistake. */
static int is_refused(ruga_context *context, const char *text, size_t size) {
    ruga_description *d = NULL;
    ruga_status status = ruga_description_read_memory(context, "", text, size, &d);
    int refused = RUGA_FAILED(status);
    for (size_t i = 0; i < ruga_description_finding_count(d); i++)
        for (size_t k = 0; k < sizeof beyond_schemas / sizeof *beyond_schemas; k++)
            if (strstr(ruga_description_finding(d, i)->message, beyond_schemas[k])) refused = -1;
    ruga_description_destroy(d);
    return refused;
}

static void add_document(checklist *list, const json_value *root, int refused) {
    ruga_json_writer *writer = NULL;
    const char *plain;
    size_t size;
    char name[64];
    assert_ok(list->context, ruga_json_writer_create(list->context, 0, &writer));
    write_value(writer, root);
    assert_ok(list->context, ruga_json_finish(writer, &plain, &size));
    snprintf(name, sizeof name, "scene%d.json", list->count++);
    write_test_file(test_path(name), plain, size);
    fprintf(list->lines, "%s %s\n", refused ? "reject" : "accept", test_path(name));
    ruga_json_writer_destroy(writer);
}

/* Adds a scene with the reader's own verdict; what is no JSON is not for a schema. */
static void add_text(checklist *list, const char *text) {
    json_document *document = NULL;
    if (RUGA_FAILED(json_parse(list->context, "scene", text, strlen(text), JSON_COMMENTS, &document))) return;
    int refused = is_refused(list->context, text, strlen(text));
    if (refused >= 0 && !holds_zero(json_root(document))) add_document(list, json_root(document), refused);
    json_destroy(document);
}

static int add_folder(checklist *list, const char *path) {
    DIR *folder = opendir(path);
    int count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || strcmp(ending, ".json") != 0) continue;
        char file_path[1024];
        snprintf(file_path, sizeof file_path, "%s/%s", path, entry->d_name);
        char *text = read_test_file(file_path, NULL);
        assert_non_null(text);
        add_text(list, text);
        free(text);
        count++;
    }
    if (folder) closedir(folder);
    return count;
}

/* Asserts that the schema of a section has the same verdict about all. */
static void checklist_finish(checklist *list, const ruga_section *section) {
    fclose(list->lines);
    char *schema = NULL;
    size_t size;
    assert_ok(list->context, fields_schema(list->context, section, "of the test", &schema, &size));
    write_test_file(test_path("schema.json"), schema, size);
    ruga_free(list->context, schema);
    command_result result =
        command_run("python3", "-W ignore %s/tests/scene/check_schema.py schema.json list", RUGA_SOURCE_FOLDER);
    fail_if(result.code != 0, "%s", result.err);
    command_release(&result);
    ruga_context_destroy(list->context);
    test_folder_remove();
}

/* ---- The schema agrees with the reader. */

static void the_schema_accepts_every_example_and_template(void **state) {
    (void)state;
    skip_when_sanitized();
    checklist list = checklist_start();
    add_folder(&list, EXAMPLES);
    for (size_t i = 0; i < ruga_scene_template_count(); i++) {
        const char *text = ruga_scene_template_get(i)->text;
        assert_int_equal(is_refused(list.context, text, strlen(text)), 0);
        add_text(&list, text);
    }
    assert_less(0, list.count);
    checklist_finish(&list, ruga_scene_section());
}

static void the_schema_rejects_every_broken_scene(void **state) {
    (void)state;
    skip_when_sanitized();
    checklist list = checklist_start();
    assert_less(60, add_folder(&list, SCENES));
    assert_less(60, list.count);
    checklist_finish(&list, ruga_scene_section());
}

static void the_schema_accepts_what_was_written_with_all_defaults(void **state) {
    (void)state;
    skip_when_sanitized();
    checklist list = checklist_start();
    for (size_t i = 0; i < ruga_scene_template_count(); i++) {
        const ruga_scene_template *from = ruga_scene_template_get(i);
        ruga_description *d = NULL;
        char *text = NULL;
        assert_ok(list.context,
                  ruga_description_read_memory(list.context, from->name, from->text, strlen(from->text), &d));
        assert_ok(list.context, ruga_description_write_memory(d, &text, NULL));
        add_text(&list, text);
        ruga_free(list.context, text);
        ruga_description_destroy(d);
    }
    checklist_finish(&list, ruga_scene_section());
}

/* Values of every type and size, among which each field finds some that fit. */
static const char *const values[] = {
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "2.5",
    "3",
    "1e10",
    "\"\"",
    "\"file\"",
    "\"sheet\"",
    "\"static\"",
    "\"rigid\"",
    "\"y\"",
    "\"cm\"",
    "\"loop\"",
    "\"jiggle\"",
    "\"a.obj\"",
    "[]",
    "[1, 2, 3]",
    "[1, 2]",
    "[0, 0, 1e9]",
    "[\"pc2\"]",
    "[\"pc2\", \"pc2\"]",
    "[\"plane\"]",
    "[\"jiggle\", {\"kind\": \"displace\", \"amount\": 1}]",
    "[{}]",
    "{}",
    "{\"kind\": \"sheet\"}",
    "{\"kind\": \"file\"}",
    "{\"file\": \"a.obj\"}",
    "{\"kind\": \"rigid\", \"keys\": []}",
    "{\"kind\": \"animated\", \"up\": null}",
    "{\"attribute\": \"a\"}",
    "{\"attribute\": \"a\", \"from\": 3, \"to\": 0.5}",
    "{\"group\": \"a\", \"from\": 0, \"to\": 1}",
    "{\"group\": \"a\", \"from\": -5, \"to\": 1}",
    "{\"group\": \"a\", \"from\": 1}",
    "{\"file\": \"w.txt\", \"to\": 1}",
    "{\"keys\": [[0, 1], [1, \"a\"]]}",
    "{\"keys\": [[0, {\"keys\": [[0, 1]]}]]}",
    "{\"keys\": []}",
    "{\"keys\": [[0, -3]]}",
    "{\"velocity\": [1, 2, 3], \"kind\": 1}",
    "{\"formats\": [\"obj\"]}",
    "{\"fps\": 12}",
    "{\"name\": \"a\", \"mesh\": \"disc\"}",
};

/* Places where each of them is put. */
#define IN_OBJECT(members) ("{\"objects\": [{\"name\": \"a\", " members "}]}")
#define IN_DISC(members) IN_OBJECT("\"mesh\": \"disc\", " members)

static const char *const places[] = {
    "%s",
    "{\"$schema\": %s}",
    "{\"zebra\": %s}",
    "{\"time\": %s}",
    "{\"time\": {\"fps\": %s}}",
    "{\"time\": {\"frames\": %s}}",
    "{\"gravity\": %s}",
    "{\"wind\": %s}",
    "{\"wind\": {\"velocity\": %s}}",
    "{\"materials\": [%s]}",
    "{\"materials\": [{\"name\": \"m\", \"like\": %s}]}",
    "{\"materials\": [{\"name\": \"m\", \"density\": %s}]}",
    "{\"colliders\": %s}",
    "{\"colliders\": [%s]}",
    "{\"colliders\": [{\"kind\": %s}]}",
    "{\"colliders\": [{\"kind\": \"box\", \"size\": %s}]}",
    "{\"objects\": %s}",
    "{\"objects\": [%s]}",
    "{\"objects\": [{\"name\": %s, \"mesh\": \"disc\"}]}",
    IN_OBJECT("\"mesh\": %s"),
    IN_OBJECT("\"mesh\": {\"file\": %s}"),
    IN_OBJECT("\"mesh\": {\"kind\": \"sheet\", \"rows\": %s}"),
    IN_OBJECT("\"mesh\": {\"file\": \"a\", \"unit\": %s}"),
    IN_OBJECT("\"mesh\": {\"file\": \"a\", \"up\": %s}"),
    IN_DISC("\"material\": %s"),
    IN_DISC("\"body\": %s"),
    IN_DISC("\"body\": {\"kind\": \"animated\", \"cycle\": %s}"),
    IN_DISC("\"body\": {\"kind\": \"animated\", \"unit\": %s}"),
    IN_DISC("\"body\": {\"kind\": \"animated\", \"up\": %s}"),
    IN_DISC("\"body\": {\"kind\": \"rigid\", \"keys\": [%s]}"),
    IN_DISC("\"edits\": [%s]"),
    IN_DISC("\"edits\": [{\"kind\": \"subdivide\", \"method\": %s}]"),
    IN_DISC("\"details\": %s"),
    IN_DISC("\"details\": [%s]"),
    IN_DISC("\"details\": [{\"kind\": \"jiggle\", \"weight\": %s}]"),
    IN_DISC("\"details\": [{\"kind\": \"displace\", \"amount\": {\"keys\": [[0, %s]]}}]"),
    "{\"output\": %s}",
    "{\"output\": {\"formats\": %s}}",
    "{\"output\": {\"formats\": [%s]}}",
    "{\"output\": {\"unit\": %s}}",
    "{\"output\": {\"up\": %s}}",
};

static void schema_and_reader_agree_about_any_value_in_any_place(void **state) {
    skip_unless_long();
    (void)state;
    skip_when_sanitized();
    checklist list = checklist_start();
    char before[512], text[1024];
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            const char *gap = strstr(places[p], "%s");
            snprintf(before, sizeof before, "%.*s", (int)(gap - places[p]), places[p]);
            snprintf(text, sizeof text, "%s%s%s", before, values[v], gap + 2);
            add_text(&list, text);
        }
    assert_less(1500, list.count);
    checklist_finish(&list, ruga_scene_section());
}

static void the_schema_of_any_table_agrees_with_its_cases(void **state) {
    (void)state;
    checklist list = checklist_start();
    for (size_t i = 0; i < RUGA_FIELD_COUNT(ek_cases); i++) {
        json_document *document = NULL;
        const char *text = ek_cases[i].text;
        assert_ok(list.context, json_parse(list.context, "case", text, strlen(text), 0, &document));
        add_document(&list, json_root(document), ek_cases[i].mistake != NULL);
        json_destroy(document);
    }
    checklist_finish(&list, &ek_root_section);
}

/* ---- The pages that are checked in. */

static void assert_same_page(const char *path, const char *made) {
    char *page = read_test_file(path, NULL);
    fail_if(!page || strcmp(page, made) != 0,
            "%s is not what the tables give; run `make docs-scene` and look at what changed", path);
    free(page);
}

static void the_pages_in_docs_are_those_of_the_tables(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char *text = NULL;
    size_t size;
    assert_ok(context, ruga_scene_reference(context, &text, &size));
    assert_int_equal(strlen(text), size);
    assert_same_page(RUGA_SOURCE_FOLDER "/docs/scene.md", text);
    ruga_free(context, text);
    assert_ok(context, ruga_scene_schema(context, &text, &size));
    assert_int_equal(strlen(text), size);
    assert_same_page(RUGA_SOURCE_FOLDER "/docs/scene.schema.json", text);
    ruga_free(context, text);
    ruga_context_destroy(context);
}

static void assert_page_has_section(const char *page, const ruga_section *section) {
    for (size_t i = 0; i < section->field_count; i++) {
        const ruga_field *field = &section->fields[i];
        fail_if(!strstr(page, field->name) || !strstr(page, field->help), "%s", field->name);
        for (size_t k = 0; field->sections && field->sections[k]; k++)
            assert_page_has_section(page, field->sections[k]);
    }
}

/* Breaks of lines with the blanks around them become one blank. */
static void join_lines(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        int is_blank = *from == '\n' || *from == ' ';
        if (!is_blank || to == text || to[-1] != ' ') *to++ = is_blank ? ' ' : *from;
    }
    *to = 0;
}

static void the_reference_has_every_field_preset_and_source(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char *text = NULL;
    assert_ok(context, ruga_scene_reference(context, &text, NULL));
    join_lines(text);
    assert_page_has_section(text, ruga_scene_section());
    for (size_t i = 0; i < ruga_material_preset_count(); i++)
        assert_non_null(strstr(text, ruga_material_preset_get(i)->source));
    ruga_free(context, text);
    ruga_context_destroy(context);
}

/* The first scene of the page is one. */
static void the_example_in_the_reference_reads(void **state) {
    (void)state;
    ruga_context *context = context_plain(1);
    char *text = NULL;
    assert_ok(context, ruga_scene_reference(context, &text, NULL));
    const char *begin = strstr(text, "```json\n") + 8, *end = strstr(begin, "```");
    ruga_description *d = NULL;
    assert_ok(context, ruga_description_read_memory(context, "example", begin, (size_t)(end - begin), &d));
    assert_int_equal(ruga_description_get(d)->objects.count, 1);
    ruga_description_destroy(d);
    ruga_free(context, text);
    ruga_context_destroy(context);
}

/* ---- Failures. */

static ruga_status make_schema(ruga_context *context, void *user) {
    (void)user;
    char *text = NULL;
    ruga_status status = ruga_scene_schema(context, &text, NULL);
    ruga_free(context, text);
    return status;
}

static ruga_status make_reference(ruga_context *context, void *user) {
    (void)user;
    char *text = NULL;
    ruga_status status = ruga_scene_reference(context, &text, NULL);
    ruga_free(context, text);
    return status;
}

static void any_allocation_may_fail(void **state) {
    (void)state;
    assert_less(5, assert_every_allocation_may_fail(make_schema, NULL));
    assert_less(2, assert_every_allocation_may_fail(make_reference, NULL));
    assert_status(ruga_scene_schema(NULL, NULL, NULL), RUGA_ERROR_ARGUMENT);
    assert_status(ruga_scene_reference(NULL, NULL, NULL), RUGA_ERROR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_accepts_every_example_and_template),
        cmocka_unit_test(the_schema_rejects_every_broken_scene),
        cmocka_unit_test(the_schema_accepts_what_was_written_with_all_defaults),
        cmocka_unit_test(schema_and_reader_agree_about_any_value_in_any_place),
        cmocka_unit_test(the_schema_of_any_table_agrees_with_its_cases),
        cmocka_unit_test(the_pages_in_docs_are_those_of_the_tables),
        cmocka_unit_test(the_reference_has_every_field_preset_and_source),
        cmocka_unit_test(the_example_in_the_reference_reads),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
