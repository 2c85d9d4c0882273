/* Restoring a scene from a state with some bytes changed: it succeeds, or the scene is as it was before. The input is
 * the changes, three bytes each (place, place, what to flip), and how much of the state to keep. There are two scenes:
 * rigid bodies with details, and cloth in contact with itself, a body and a plane, under a wrinkle mesh; the last byte
 * chooses. */
#include <stdlib.h>
#include <string.h>

#include "ruga/ruga.h"

static const char rigid_scene[] =
    "{\"wind\": [1, 0, 0], \"colliders\": [\"plane\"], \"objects\": ["
    "{\"name\": \"a\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 1, \"rows\": 1},"
    " \"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [1, -1, 0]}]},"
    " \"hooks\": [\"collide\"], \"details\": [\"subdivide\", \"jiggle\", {\"kind\": \"displace\", \"amount\": 0.1}]},"
    "{\"name\": \"b\", \"mesh\": {\"kind\": \"sheet\", \"columns\": 1, \"rows\": 1}, \"details\": [\"jiggle\"]}]}";

static const char cloth_scene[] =
    "{\"time\": {\"substeps\": 1}, \"contact\": {}, \"colliders\": [\"plane\"], \"objects\": ["
    "{\"name\": \"cloth\", \"mesh\": {\"kind\": \"sheet\", \"width\": 0.3, \"length\": 0.3, "
    "\"columns\": 3, \"rows\": 3},"
    " \"move\": [0, 0.101, 0], \"body\": {\"kind\": \"cloth\", \"thickness\": 0.004},"
    " \"details\": [{\"kind\": \"wrinkle\", \"subdivide\": 2}]},"
    "{\"name\": \"body\", \"mesh\": {\"kind\": \"sheet\", \"width\": 0.1, \"length\": 0.1, "
    "\"columns\": 1, \"rows\": 1},"
    " \"move\": [0, 0.09, 0],"
    " \"body\": {\"kind\": \"rigid\", \"keys\": [{\"time\": 0}, {\"time\": 1, \"move\": [0, 0.1, 0]}]}}]}";

typedef struct subject {
    ruga_scene *scene;
    void *saved, *present; /* states of two frames */
    size_t saved_size, present_size;
    uint64_t present_hash;
} subject;

static void require(int condition) {
    if (!condition) abort();
}

static uint64_t hash_now(const subject *s) {
    uint64_t hash = 0;
    require(!RUGA_FAILED(ruga_scene_state_hash(s->scene, &hash)));
    return hash;
}

static void set_up(const char *text, subject *s) {
    ruga_context *context = NULL;
    ruga_description *description = NULL;
    require(!RUGA_FAILED(ruga_context_create(NULL, &context)));
    require(!RUGA_FAILED(ruga_description_read_memory(context, "scene", text, strlen(text), &description)));
    require(!RUGA_FAILED(ruga_scene_create(context, ruga_description_get(description), &s->scene)));
    ruga_description_destroy(description);
    for (int i = 0; i < 2; i++) require(!RUGA_FAILED(ruga_scene_step(s->scene)));
    require(!RUGA_FAILED(ruga_scene_save(s->scene, &s->saved, &s->saved_size)));
    for (int i = 0; i < 2; i++) require(!RUGA_FAILED(ruga_scene_step(s->scene)));
    require(!RUGA_FAILED(ruga_scene_save(s->scene, &s->present, &s->present_size)));
    s->present_hash = hash_now(s);
}

static void restore_changed(subject *s, const uint8_t *data, size_t size) {
    unsigned char *bytes = malloc(s->saved_size);
    require(bytes != NULL);
    memcpy(bytes, s->saved, s->saved_size);
    for (; size >= 3; data += 3, size -= 3) bytes[(data[0] | (size_t)data[1] << 8) % s->saved_size] ^= data[2];
    size_t kept = size > 0 ? s->saved_size * data[0] / 255 : s->saved_size;

    if (RUGA_FAILED(ruga_scene_restore(s->scene, bytes, kept))) {
        require(hash_now(s) == s->present_hash);
    } else {
        /* Numbers may be anything now; the step copes or fails, and the scene can be brought back. */
        (void)ruga_scene_step(s->scene);
        require(!RUGA_FAILED(ruga_scene_restore(s->scene, s->present, s->present_size)));
        require(hash_now(s) == s->present_hash);
    }
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static subject rigid, cloth;
    if (!rigid.scene) set_up(rigid_scene, &rigid);
    if (!cloth.scene) set_up(cloth_scene, &cloth);
    /* Cloth takes much longer. */
    const int is_cloth = size > 0 && data[size - 1] % 4 == 0;
    restore_changed(is_cloth ? &cloth : &rigid, data, size);
    return 0;
}
