/* Scenes: whatever is read without a mistake is written to a text that reads back and writes itself again. Zero bytes
 * end the scene: behind the first stands the path of a value, behind the second what it is set to. */
#include <stdlib.h>
#include <string.h>

#include "ruga/scene.h"

static void require(int condition) {
    if (!condition) abort();
}

/* Places lie within the text; every finding says something; the call fails when one is an error. */
static void require_findings(const ruga_description *d, size_t size, ruga_status status) {
    int has_error = 0;
    for (size_t i = 0; i < ruga_description_finding_count(d); i++) {
        const ruga_finding *f = ruga_description_finding(d, i);
        require(f->line >= 1 && f->line <= size + 1 && f->column >= 1 && f->column <= size + 1);
        require(f->path && f->message && f->message[0]);
        has_error |= RUGA_FAILED(f->status);
    }
    require(has_error == RUGA_FAILED(status));
}

static char *write_scene(const ruga_description *d) {
    char *text = NULL;
    size_t size = 0;
    require(!RUGA_FAILED(ruga_description_write_memory(d, &text, &size)) && strlen(text) == size);
    return text;
}

static void require_fixed_point(ruga_context *context, const ruga_description *d) {
    ruga_description *again = NULL;
    char *first = write_scene(d);
    require(!RUGA_FAILED(ruga_description_read_memory(context, "elsewhere/b.json", first, strlen(first), &again)));
    char *second = write_scene(again);
    require(strcmp(first, second) == 0);
    ruga_description_destroy(again);
    ruga_free(context, first);
    ruga_free(context, second);
}

/* Either it is set, or nothing changes. */
static void set_value(ruga_context *context, ruga_description *d, const char *path, const char *value) {
    char *before = write_scene(d);
    if (RUGA_FAILED(ruga_description_set(d, path, value))) {
        char *after = write_scene(d);
        require(strcmp(before, after) == 0);
        ruga_free(context, after);
    } else {
        require_fixed_point(context, d);
    }
    ruga_free(context, before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ruga_context *context;
    if (!context) require(!RUGA_FAILED(ruga_context_create(NULL, &context)));
    char *text = malloc(size + 2);
    require(text != NULL);
    if (size > 0) memcpy(text, data, size);
    text[size] = text[size + 1] = 0;

    size_t length = strlen(text);
    ruga_description *d = NULL;
    ruga_status status = ruga_description_read_memory(context, "scenes/a.json", text, length, &d);
    require(d != NULL);
    require_findings(d, length, status);
    if (!RUGA_FAILED(status)) {
        require_fixed_point(context, d);
        const char *path = text + length + (length < size);
        if (*path) set_value(context, d, path, path + strlen(path) + 1 <= text + size ? path + strlen(path) + 1 : "");
    }
    ruga_description_destroy(d);
    free(text);
    return 0;
}
