/* Restoring a scene from a state with some bytes changed: it succeeds, or the scene is as it was before. The input is the
 * changes, three bytes each (place, place, what to flip), and how much of the state to keep. */
#include <stdlib.h>
#include <string.h>

#include "ruga/ruga.h"

static const char scene_text[] =
    "{\"wind\": [1, 0, 0], \"colliders\": [\"plane\"], \"objects\": ["
    "{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 1, \"rows\": 1},"
    " \"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [1, -1, 0]}]},"
    " \"hooks\": [\"collide\"], \"details\": [\"subdivide\", \"jiggle\", {\"kind\": \"displace\", \"amount\": 0.1}]},"
    "{\"name\": \"b\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 1, \"rows\": 1}, \"details\": [\"jiggle\"]}]}";

static ruga_scene *scene;
static void *saved, *present; /* states of two frames */
static size_t saved_size, present_size;
static uint64_t present_hash;

static void require(int condition) {
    if (!condition) abort();
}

static uint64_t hash_now(void) {
    uint64_t hash = 0;
    require(!RUGA_FAILED(ruga_scene_state_hash(scene, &hash)));
    return hash;
}

static void step_twice(void) {
    for (int i = 0; i < 2; i++) require(!RUGA_FAILED(ruga_scene_step(scene)));
}

static void set_up(void) {
    ruga_context *context = NULL;
    ruga_description *description = NULL;
    require(!RUGA_FAILED(ruga_context_create(NULL, &context)));
    require(
        !RUGA_FAILED(ruga_description_read_memory(context, "scene", scene_text, sizeof scene_text - 1, &description)));
    require(!RUGA_FAILED(ruga_scene_create(context, ruga_description_get(description), &scene)));
    ruga_description_destroy(description);
    step_twice();
    require(!RUGA_FAILED(ruga_scene_save(scene, &saved, &saved_size)));
    step_twice();
    require(!RUGA_FAILED(ruga_scene_save(scene, &present, &present_size)));
    present_hash = hash_now();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!scene) set_up();
    unsigned char *bytes = malloc(saved_size);
    require(bytes != NULL);
    memcpy(bytes, saved, saved_size);
    for (; size >= 3; data += 3, size -= 3) bytes[(data[0] | (size_t)data[1] << 8) % saved_size] ^= data[2];
    size_t kept = size > 0 ? saved_size * data[0] / 255 : saved_size;

    if (RUGA_FAILED(ruga_scene_restore(scene, bytes, kept))) {
        require(hash_now() == present_hash);
    } else {
        /* Numbers may be anything now; the step copes or fails, and the scene can be brought back. */
        (void)ruga_scene_step(scene);
        require(!RUGA_FAILED(ruga_scene_restore(scene, present, present_size)));
        require(hash_now() == present_hash);
    }
    free(bytes);
    return 0;
}
