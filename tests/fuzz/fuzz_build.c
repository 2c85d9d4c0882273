/* Building scenes: whatever is described either becomes a scene that can be stepped, or ends with a message. Memory and
 * time are limited, since a scene may ask for any amount, and there are no files. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/context.h"
#include "ruga/ruga.h"
#include "support/file_systems.h"

#define MOST_MEMORY ((size_t)1 << 24) /* bytes of one allocation */
#define MOST_SECONDS 1.0              /* before building or stepping is cancelled */
#define MOST_VERTICES 500             /* of a scene that is stepped */

static void require(int condition) {
    if (!condition) abort();
}

static void *allocate(void *user, size_t size) {
    (void)user;
    return size <= MOST_MEMORY ? malloc(size) : NULL;
}

static void release(void *user, void *memory) {
    (void)user;
    free(memory);
}

static double begun;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int cancel_late(void *user, const char *stage, double fraction) {
    (void)user, (void)stage, (void)fraction;
    return now() - begun > MOST_SECONDS;
}

static void step_small(ruga_scene *scene) {
    size_t vertices = 0;
    for (size_t i = 0; i < ruga_scene_object_count(scene); i++)
        vertices += ruga_scene_object_mesh(scene, i)->vertex_count;
    if (vertices > MOST_VERTICES) return;
    uint64_t hash = 0;
    (void)ruga_scene_step(scene);
    (void)ruga_scene_state_hash(scene, &hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ruga_context *context;
    static memory_file_system *files;
    if (!context) {
        ruga_context_def def = ruga_context_def_default();
        def.thread_count = 1;
        def.allocator = (ruga_allocator){allocate, release, NULL};
        def.progress = cancel_late;
        require(!RUGA_FAILED(ruga_context_create(&def, &context)));
        require(!RUGA_FAILED(memory_file_system_create(context, &files)));
        context->file_system = memory_file_system_interface(files);
    }
    begun = now();
    ruga_description *description = NULL;
    ruga_scene *scene = NULL;
    (void)ruga_description_read_memory(context, "scene.json", (const char *)data, size, &description);
    if (!description) return 0;
    (void)ruga_description_check(description);
    const ruga_status status = ruga_scene_create(context, ruga_description_get(description), &scene);
    require(RUGA_FAILED(status) == (scene == NULL));
    if (scene)
        step_small(scene);
    else
        require(ruga_context_message(context)[0] != 0);
    ruga_scene_destroy(scene);
    ruga_description_destroy(description);
    return 0;
}
