/* Shared by the fuzz targets of files that are read by their path: one context, with files in memory. The context and
 * the file system are made once; making them for every input took most of the time of small inputs. */
#ifndef TESTS_FUZZ_FILES_H
#define TESTS_FUZZ_FILES_H

#include <stdlib.h>

#include "ruga/ruga.h"
#include "support/file_systems.h"

static inline void require(int condition) {
    if (!condition) abort();
}

/* The files of a context that lives until the end. */
static inline memory_file_system *fuzz_files(ruga_context **context) {
    static ruga_context *made;
    static memory_file_system *files;
    if (!made) {
        ruga_context_def def = ruga_context_def_default();
        def.thread_count = 1;
        require(!RUGA_FAILED(ruga_context_create(&def, &made)));
        require(!RUGA_FAILED(memory_file_system_create(made, &files)));
        made->file_system = memory_file_system_interface(files);
    }
    *context = made;
    return files;
}

static inline void fuzz_put(const char *path, const void *bytes, size_t size) {
    ruga_context *context;
    require(!RUGA_FAILED(memory_file_system_put(fuzz_files(&context), path, bytes, size)));
}

/* A sheet of 8 x 8 squares, of 1 m. */
static inline ruga_mesh *fuzz_model(ruga_context *context) {
    const double size[] = {1, 1, 8, 8, 0, 0, 0, 0, 0, 0};
    ruga_mesh *mesh = NULL;
    require(!RUGA_FAILED(ruga_model_make(context, "sheet", size, &mesh)));
    return mesh;
}

static inline ruga_status fuzz_strokes(const ruga_mesh *mesh, const char *path, int keep_going, ruga_strokes **out) {
    ruga_strokes_def def = ruga_strokes_def_default();
    ruga_sculpt_def values;
    ruga_section_defaults(ruga_scene_section_find("objects.edits.sculpt"), &values);
    values.file = path;
    def.values = &values;
    def.keep_going = keep_going;
    return ruga_strokes_create(mesh, &def, out);
}

#endif
