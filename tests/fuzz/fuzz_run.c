/* A run's directory: run.json, measures.csv and checkpoint, with a byte 1 between them. Whatever is in them, reading
 * ends with a record in which everything is there, or with a message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"
#include "support/file_systems.h"

static void require(int condition) {
    if (!condition) abort();
}

static void put_files(memory_file_system *files, const uint8_t *bytes, size_t size) {
    static const char *const names[] = {"r/run.json", "r/measures.csv", "r/checkpoint"};
    for (int i = 0; i < 3 && size > 0; i++) {
        const uint8_t *end = i < 2 ? memchr(bytes, 1, size) : NULL;
        const size_t length = end ? (size_t)(end - bytes) : size;
        require(memory_file_system_put(files, names[i], bytes, length) == RUGA_OK);
        bytes += end ? length + 1 : length;
        size -= end ? length + 1 : length;
    }
}

static void check_record(const ruga_run_record *record) {
    double sum = 0;
    require(record->frames_done >= 0 && record->frames_done <= record->frames);
    for (size_t i = 0; i < (size_t)record->frames_done * record->measure_count; i++) sum += record->values[i];
    for (size_t i = 0; i < record->measure_count; i++)
        require(record->measures[i].name && strlen(record->measures[i].unit) < 1000);
    for (size_t i = 0; i < record->object_count; i++) require(strlen(record->objects[i].name) < (size_t)1 << 20);
    require(sum == sum || sum != sum);
}

/* The checkpoint as if it were of this plan, so that what follows the hash of the scene is read too. */
static void check_checkpoint(ruga_context *context) {
    run_plan *plan = NULL;
    if (RUGA_FAILED(plan_read(context, "r", &plan))) return;
    checkpoint c = {0};
    require(checkpoint_read(plan, 0, NULL, &c) == RUGA_OK);
    require(!c.bytes || (c.frames >= 0 && c.frames <= plan->frames));
    checkpoint_release(context, &c);
    for (size_t i = 0; i < plan->object_count; i++) {
        char name[300];
        require(strchr(plan->objects[i].stem, '/') == NULL && plan->objects[i].stem[0] != '.');
        snprintf(name, sizeof name, "%s.obj", plan->objects[i].stem);
        require(plan_owns(plan, name) == (plan->formats ? PLAN_FILE : PLAN_OTHERS));
    }
    plan_destroy(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    ruga_context_def def = ruga_context_def_default();
    def.thread_count = 1;
    ruga_context *context = NULL;
    memory_file_system *files = NULL;
    ruga_run_record *record = NULL;
    require(ruga_context_create(&def, &context) == RUGA_OK);
    require(memory_file_system_create(context, &files) == RUGA_OK);
    context->file_system = memory_file_system_interface(files);
    put_files(files, bytes, size);
    if (RUGA_FAILED(ruga_run_record_read(context, "r", &record)))
        require(ruga_context_message(context)[0] != 0);
    else
        check_record(record);
    ruga_run_record_destroy(context, record);
    check_checkpoint(context);
    context->file_system = file_system_disk();
    memory_file_system_destroy(files);
    ruga_context_destroy(context);
    return 0;
}
