/* The files that a scene is made from. A run goes on to the same bits only from the same input, so run.json remembers what
 * was in each: a hash of it, and of a very large one that of blocks all over it. */
#include <stdlib.h>
#include <string.h>

#include "base/state.h"
#include "scene/field.h"
#include "scene/run.h"

#define BLOCK_SIZE ((size_t)1 << 20)
#define MOST_BLOCKS 64 /* of a file: larger ones are caches, in which a change is nowhere alone */

/* ---- Which files there are: whatever is opened while the scene is made. */

static void hear_file(void *user, const char *path) {
    run_inputs *inputs = user;
    if (RUGA_FAILED(inputs->status)) return;
    const char *absolute = path_from_folder(&inputs->memory, inputs->present_folder, path);
    inputs->status = absolute ? ARRAY_RESERVE(inputs->memory.context, &inputs->files, 1)
                              : fail_memory(inputs->memory.context, strlen(path));
    if (!RUGA_FAILED(inputs->status)) inputs->files.items[inputs->files.count++] = (run_input){.path = absolute};
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(((const run_input *)a)->path, ((const run_input *)b)->path);
}

/* A file may be read more than once: for its mesh, and for its motion. */
static void sort_files(run_inputs *inputs) {
    run_input *files = inputs->files.items;
    size_t count = 0;
    if (inputs->files.count > 1) qsort(files, inputs->files.count, sizeof *files, compare_paths);
    for (size_t i = 0; i < inputs->files.count; i++)
        if (count == 0 || strcmp(files[count - 1].path, files[i].path) != 0) files[count++] = files[i];
    inputs->files.count = count;
}

/* ---- What is in them. */

static ruga_status hash_block(file *f, uint64_t block, unsigned char *buffer, uint64_t *hash) {
    const uint64_t begin = block * BLOCK_SIZE, rest = file_size(f) - begin;
    const size_t size = rest < BLOCK_SIZE ? (size_t)rest : BLOCK_SIZE;
    TRY(file_seek(f, begin));
    TRY(file_read(f, buffer, size));
    *hash = state_hash(buffer, size, *hash);
    return RUGA_OK;
}

static ruga_status hash_file(ruga_context *context, run_input *input, unsigned char *buffer) {
    file *f = NULL;
    TRY(file_open(context, input->path, &f));
    const uint64_t blocks = (file_size(f) + BLOCK_SIZE - 1) / BLOCK_SIZE;
    const uint64_t count = blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
    ruga_status status = RUGA_OK;
    input->hash = file_size(f);
    for (uint64_t i = 0; i < count && !RUGA_FAILED(status); i++)
        status = hash_block(f, count < blocks ? i * (blocks - 1) / (count - 1) : i, buffer, &input->hash);
    file_close(f);
    return status;
}

static ruga_status hash_files(ruga_context *context, run_inputs *inputs) {
    if (inputs->files.count == 0) return RUGA_OK;
    unsigned char *buffer = ALLOCATE(context, unsigned char, BLOCK_SIZE);
    ruga_status status = buffer ? RUGA_OK : fail_memory(context, BLOCK_SIZE);
    for (size_t i = 0; i < inputs->files.count && !RUGA_FAILED(status); i++)
        status = hash_file(context, &inputs->files.items[i], buffer);
    memory_release(context, buffer);
    return status;
}

ruga_status inputs_create_scene(ruga_context *context, const ruga_scene_def *def, run_inputs *inputs,
                                ruga_scene **out) {
    inputs->memory = arena_make(context);
    TRY(find_present_folder(&inputs->memory, &inputs->present_folder));
    context->file_found = hear_file;
    context->file_found_user = inputs;
    ruga_status status = ruga_scene_create(context, def, out);
    context->file_found = NULL;
    TRY(status);
    TRY(inputs->status);
    sort_files(inputs);
    return hash_files(context, inputs);
}

void inputs_release(run_inputs *inputs) {
    if (!inputs->memory.context) return;
    ARRAY_RELEASE(inputs->memory.context, &inputs->files);
    arena_release(&inputs->memory);
}

/* ---- Whether they are the same. */

static ruga_status fail_input(const run_plan *plan, const char *path, const char *what) {
    return fail_with(plan->context, RUGA_ERROR_INPUT,
                     "%s: %s since the run began; undo that, or begin anew with --replace", path, what);
}

/* Both lists are sorted by their paths. */
ruga_status inputs_compare(const run_inputs *inputs, const run_plan *plan) {
    const run_input *now = inputs->files.items, *then = plan->inputs;
    const size_t now_count = inputs->files.count, then_count = plan->input_count;
    for (size_t i = 0; i < now_count || i < then_count; i++) {
        const int order = i == now_count ? 1 : i == then_count ? -1 : strcmp(now[i].path, then[i].path);
        if (order < 0) return fail_input(plan, now[i].path, "this file of the scene's input was added");
        if (order > 0) return fail_input(plan, then[i].path, "this file of the scene's input was taken away");
        if (now[i].hash != then[i].hash) return fail_input(plan, now[i].path, "this file was changed");
    }
    return RUGA_OK;
}
