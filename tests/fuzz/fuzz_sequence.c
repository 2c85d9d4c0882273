/* Sequences: lines "PATH" or "PATH|OBJ TEXT" are files, with ; for the ends of lines within; the first line is the path
 * that is opened. It is a pattern or not; what is opened can be sampled, or a file of it is refused by name. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/fuzz_files.h"
#include "io/io.h"

enum { LONGEST = 200, MOST_OPENED = 300 };

/* The files of the context, of which an input may open so many: a pattern without files tries 100,000 numbers. */
static const file_system *all_files;
static int opened;

static int open_few(void *user, const char *path, void **handle, uint64_t *size) {
    return ++opened > MOST_OPENED ? EIO : all_files->open(user, path, handle, size);
}

static void limit_opened(ruga_context *context) {
    static file_system few;
    opened = 0;
    if (all_files) return;
    all_files = context->file_system;
    few = *all_files;
    few.open = open_few;
    context->file_system = &few;
}

/* The next line, cut at LONGEST; NULL at the end. */
static const char *next_line(const char *at, const char *end, char line[LONGEST + 1]) {
    if (at >= end) return NULL;
    const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
    const size_t length = stop - at < LONGEST ? (size_t)(stop - at) : LONGEST;
    memcpy(line, at, length);
    line[length] = 0;
    return stop + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    static ruga_mesh *mesh;
    ruga_context *context;
    memory_file_system *files = fuzz_files(&context);
    limit_opened(context);
    if (!mesh)
        require(
            !RUGA_FAILED(ruga_mesh_read_memory(context, "triangle.obj", triangle, sizeof triangle - 1, NULL, &mesh)));
    char path[LONGEST + 1], line[LONGEST + 1];
    const char *end = (const char *)bytes + size, *at = next_line((const char *)bytes, end, path);
    while (at && (at = next_line(at, end, line)) != NULL) {
        char *text = strchr(line, '|');
        if (text) *text++ = 0;
        for (char *c = text; c && *c; c++) *c = *c == ';' ? '\n' : *c;
        fuzz_put(line, text ? text : triangle, text ? strlen(text) : sizeof triangle - 1);
    }
    ruga_motion *motion = NULL;
    if (size > 0 && !RUGA_FAILED(ruga_motion_read(context, path, mesh, NULL, &motion))) {
        const ruga_motion_info info = ruga_motion_get_info(motion);
        ruga_vec3 positions[3];
        require(info.vertex_count == 3 && info.start <= info.end);
        for (size_t i = 0; i < info.sample_count && i < 20; i++)
            if (RUGA_FAILED(ruga_motion_sample(motion, ruga_motion_sample_time(motion, i), positions)))
                require(ruga_context_message(context)[0]);
        ruga_motion_destroy(motion);
    }
    while (memory_file_system_count(files) > 0) {
        const file_system *system = context->file_system;
        require(system->remove(system->user, memory_file_system_name(files, 0)) == 0);
    }
    return 0;
}
