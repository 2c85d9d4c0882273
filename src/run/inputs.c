/* The files that a scene reads. A resumed run gives the same bits only with the same input, so run.json has a hash of
 * each file; of a very large file, of blocks all over it. */
#include <stdlib.h>
#include <string.h>

#include "base/state.h"
#include "field/writer.h"
#include "run/run.h"
#include "scene/checked.h"

#define BLOCK_SIZE ((size_t)1 << 20)
#define MOST_BLOCKS 64 /* of a file: larger files are caches, where a change affects every frame */

/* ---- Which files: all that are opened while the scene is built. */

static void record_file(void *user, const char *path) {
    run_inputs *inputs = user;
    if (RUGA_FAILED(inputs->status)) return;
    const char *absolute = path_from_folder(&inputs->memory, inputs->current_folder, path);
    inputs->status = absolute ? ARRAY_RESERVE(inputs->memory.context, &inputs->files, 1)
                              : fail_memory(inputs->memory.context, strlen(path));
    if (!RUGA_FAILED(inputs->status)) inputs->files.items[inputs->files.count++] = (run_input){.path = absolute};
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(((const run_input *)a)->path, ((const run_input *)b)->path);
}

/* ---- Their content. */

static ruga_status hash_file(ruga_context *context, unsigned char *buffer, run_input *input) {
    file *f = NULL;
    TRY(file_open(context, input->path, &f));
    const uint64_t size = file_size(f), blocks = (size + BLOCK_SIZE - 1) / BLOCK_SIZE;
    const uint64_t count = blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
    ruga_status status = RUGA_OK;
    input->hash = size;
    for (uint64_t i = 0; i < count && !RUGA_FAILED(status); i++) {
        const uint64_t begin = (count < blocks ? i * (blocks - 1) / (count - 1) : i) * BLOCK_SIZE;
        const size_t length = size - begin < BLOCK_SIZE ? (size_t)(size - begin) : BLOCK_SIZE;
        status = file_seek(f, begin);
        if (!RUGA_FAILED(status)) status = file_read(f, buffer, length);
        if (!RUGA_FAILED(status)) input->hash = state_hash(buffer, length, input->hash);
    }
    file_close(f);
    return status;
}

static ruga_status hash_files(ruga_context *context, run_inputs *inputs) {
    unsigned char *buffer = NULL;
    if (inputs->files.count > 0) TRY(NEW(context, &buffer, BLOCK_SIZE));
    ruga_status status = RUGA_OK;
    for (size_t i = 0; i < inputs->files.count && !RUGA_FAILED(status); i++)
        status = hash_file(context, buffer, &inputs->files.items[i]);
    memory_release(context, buffer);
    return status;
}

ruga_status inputs_create_scene(ruga_context *context, const ruga_description *description, run_inputs *inputs,
                                ruga_scene **out) {
    inputs->memory = arena_make(context);
    TRY(find_current_folder(&inputs->memory, &inputs->current_folder));
    TRY(checked_take(context, description, record_file, inputs, out));
    TRY(inputs->status);

    /* Sort the files and count each once: a file may be read for its mesh and for its motion. */
    run_input *files = inputs->files.items;
    size_t count = 0;
    if (inputs->files.count > 1) qsort(files, inputs->files.count, sizeof *files, compare_paths);
    for (size_t i = 0; i < inputs->files.count; i++)
        if (count == 0 || strcmp(files[count - 1].path, files[i].path) != 0) files[count++] = files[i];
    inputs->files.count = count;
    return hash_files(context, inputs);
}

void inputs_release(run_inputs *inputs) {
    if (!inputs->memory.context) return;
    ARRAY_RELEASE(inputs->memory.context, &inputs->files);
    arena_release(&inputs->memory);
}

/* ---- Comparing. */

static ruga_status fail_changed(const run_plan *plan, const char *path, const char *what) {
    return fail_input(plan->context, "%s: %s since the run started; undo the change, or " START_AGAIN, path, what,
                      plan->directory, plan->directory);
}

/* Both lists are sorted by their paths. */
ruga_status inputs_compare(const run_inputs *inputs, const run_plan *plan) {
    const run_input *now = inputs->files.items, *then = plan->inputs;
    const size_t now_count = inputs->files.count, then_count = plan->input_count;
    if (!then) return RUGA_OK;
    for (size_t i = 0; i < now_count || i < then_count; i++) {
        const int order = i == now_count ? 1 : i == then_count ? -1 : strcmp(now[i].path, then[i].path);
        if (order < 0) return fail_changed(plan, now[i].path, "this input file was added");
        if (order > 0) return fail_changed(plan, then[i].path, "this input file was removed");
        if (now[i].hash != then[i].hash) return fail_changed(plan, now[i].path, "this file has changed");
    }
    return RUGA_OK;
}
