/* Checkpoints: a header, then the scene's state. From the first flush on, "checkpoint" was flushed to the disk with all it
 * counts on; "checkpoint.new" is younger, but a power cut may have left less of the files than it counts on. */
#include <string.h>

#include "base/state.h"
#include "scene/run.h"

#define CHECKPOINT_VERSION 1

static const char checkpoint_magic[8] = {'R', 'U', 'G', 'A', 'C', 'H', 'K', 'P'};
static const char flushed_name[] = "checkpoint", unflushed_name[] = "checkpoint.new";

typedef struct checkpoint_header {
    char magic[8];
    uint64_t version;
    uint64_t hash; /* of all that follows */
    uint64_t frames, timings_size, measures_size;
    uint64_t scene_hash; /* of scene.json */
    uint64_t state_size;
} checkpoint_header;
_Static_assert(sizeof(checkpoint_header) == 64, "the header is laid out as in the file");

static uint64_t hash_of(const checkpoint_header *header, const void *state) {
    const size_t begin = offsetof(checkpoint_header, frames);
    uint64_t hash = state_hash((const char *)header + begin, sizeof *header - begin, CHECKPOINT_VERSION);
    return state_hash(state, (size_t)header->state_size, hash);
}

static ruga_status write_parts(file *f, const checkpoint_header *header, const void *state, int flush) {
    TRY(file_write(f, header, sizeof *header));
    TRY(file_write(f, state, (size_t)header->state_size));
    return flush ? file_commit(f) : file_commit_unflushed(f);
}

static ruga_status write_checkpoint(const run_plan *plan, const checkpoint_header *header, const void *state, int flush,
                                    int beside) {
    run_path path;
    plan_path(plan, beside ? unflushed_name : flushed_name, path);
    file *f = NULL;
    TRY(file_create(plan->context, path, &f));
    ruga_status status = write_parts(f, header, state, flush);
    file_close(f);
    if (RUGA_FAILED(status) || !flush) return status;
    plan_path(plan, unflushed_name, path);
    return file_remove(plan->context, path);
}

ruga_status checkpoint_write(const run_plan *plan, const checkpoint *c, const ruga_scene *scene, int flush, int beside,
                             uint64_t *size) {
    void *state = NULL;
    size_t state_size = 0;
    TRY(ruga_scene_save(scene, &state, &state_size));
    checkpoint_header header = {.version = CHECKPOINT_VERSION,
                                .frames = (uint64_t)c->frames,
                                .timings_size = c->timings_size,
                                .measures_size = c->measures_size,
                                .scene_hash = plan->scene_hash,
                                .state_size = state_size};
    memcpy(header.magic, checkpoint_magic, sizeof header.magic);
    header.hash = hash_of(&header, state);
    ruga_status status = write_checkpoint(plan, &header, state, flush, beside);
    ruga_free(plan->context, state);
    *size = sizeof header + state_size;
    return status;
}

/* ---- Reading. */

void checkpoint_release(ruga_context *context, checkpoint *c) {
    memory_release(context, c->bytes);
    *c = (checkpoint){0};
}

/* Whether bytes are a whole checkpoint of this run. */
static int take_apart(const run_plan *plan, unsigned char *bytes, size_t size, checkpoint *out) {
    checkpoint_header header;
    if (size < sizeof header) return 0;
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, checkpoint_magic, sizeof header.magic) != 0 || header.version != CHECKPOINT_VERSION)
        return 0;
    if (header.state_size != size - sizeof header || header.scene_hash != plan->scene_hash) return 0;
    if (header.frames > (uint64_t)plan->frames || header.hash != hash_of(&header, bytes + sizeof header)) return 0;
    *out = (checkpoint){.frames = (int)header.frames,
                        .timings_size = header.timings_size,
                        .measures_size = header.measures_size,
                        .bytes = bytes,
                        .scene = bytes + sizeof header,
                        .scene_size = (size_t)header.state_size};
    return 1;
}

/* A checkpoint that is not used goes: the tables that it counts on will be written anew, with other times in them. */
static ruga_status forget(const run_plan *plan, const char *path, const char *why) {
    log_warning(plan->context, "%s: %s, it is not used", path, why);
    return file_remove(plan->context, path);
}

/* One that is missing or of no use leaves *out empty. */
static ruga_status read_one(const run_plan *plan, const char *path, checkpoint *out) {
    int found = 0;
    uint64_t file_bytes;
    TRY(file_look(plan->context, path, &found, &file_bytes));
    if (!found) return RUGA_OK;
    unsigned char *bytes = NULL;
    size_t size = 0;
    TRY(file_read_whole(plan->context, path, &bytes, &size));
    if (take_apart(plan, bytes, size, out)) return RUGA_OK;
    memory_release(plan->context, bytes);
    return forget(plan, path, "this checkpoint is not whole or of another run");
}

/* The same for one that counts on more than there is. */
static ruga_status read_and_check(const run_plan *plan, const char *name, checkpoint_check *long_enough, void *user,
                                  checkpoint *out) {
    run_path path;
    plan_path(plan, name, path);
    TRY(read_one(plan, path, out));
    int answer = 0;
    ruga_status status = out->bytes ? long_enough(user, out, &answer) : RUGA_OK;
    if (!out->bytes || (!RUGA_FAILED(status) && answer)) return status;
    checkpoint_release(plan->context, out);
    return RUGA_FAILED(status) ? status : forget(plan, path, "files are shorter than this checkpoint says");
}

ruga_status checkpoint_read(const run_plan *plan, checkpoint_check *long_enough, void *user, checkpoint *out) {
    checkpoint both[2] = {{0}};
    ruga_status status = RUGA_OK;
    for (int i = 0; i < 2 && !RUGA_FAILED(status); i++)
        status = read_and_check(plan, i == 0 ? flushed_name : unflushed_name, long_enough, user, &both[i]);
    const int newer = both[1].bytes && (!both[0].bytes || both[1].frames > both[0].frames);
    if (!RUGA_FAILED(status)) *out = both[newer];
    for (int i = 0; i < 2; i++)
        if (RUGA_FAILED(status) || i != newer) checkpoint_release(plan->context, &both[i]);
    return status;
}
