/* Checkpoints: a header, the sums of the files, then the scene's state with the topology that it belongs to. After the
 * first flush, "checkpoint" is on the disk with all files it depends on; "checkpoint.new" is newer, but after a power
 * cut the files may lack what it requires. */
#include <string.h>

#include "base/state.h"
#include "run/run.h"

#define CHECKPOINT_VERSION 2

static const char checkpoint_magic[8] = {'R', 'U', 'G', 'A', 'C', 'H', 'K', 'P'};
static const char flushed_name[] = "checkpoint", unflushed_name[] = "checkpoint.new";

typedef struct checkpoint_header {
    char magic[8];
    uint64_t version;
    uint64_t hash; /* of all that follows */
    uint64_t frames;
    uint64_t scene_hash; /* of scene.json */
    uint64_t sum_count, state_size;
    uint64_t reserved;
} checkpoint_header;
_Static_assert(sizeof(checkpoint_header) == 64, "the header is laid out as in the file");

static uint64_t hash_of(const checkpoint_header *header, const run_sum *sums, const void *state) {
    const size_t begin = offsetof(checkpoint_header, frames);
    uint64_t hash = state_hash((const char *)header + begin, sizeof *header - begin, CHECKPOINT_VERSION);
    hash = state_hash(sums, (size_t)header->sum_count * sizeof *sums, hash);
    return state_hash(state, (size_t)header->state_size, hash);
}

static ruga_status write_checkpoint(const run_plan *plan, const checkpoint_header *header, const run_sum *sums,
                                    const void *state, int flush, int beside) {
    run_path path;
    plan_path(plan, beside ? unflushed_name : flushed_name, path);
    file *f = NULL;
    TRY(file_create(plan->context, path, &f));
    ruga_status status = file_write(f, header, sizeof *header);
    if (!RUGA_FAILED(status)) status = file_write(f, sums, (size_t)header->sum_count * sizeof *sums);
    if (!RUGA_FAILED(status)) status = file_write(f, state, (size_t)header->state_size);
    if (!RUGA_FAILED(status)) status = flush ? file_commit(f) : file_commit_unflushed(f);
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
                                .scene_hash = plan->scene_hash,
                                .sum_count = sums_count(plan),
                                .state_size = state_size};
    memcpy(header.magic, checkpoint_magic, sizeof header.magic);
    header.hash = hash_of(&header, c->sums, state);
    ruga_status status = write_checkpoint(plan, &header, c->sums, state, flush, beside);
    ruga_free(plan->context, state);
    *size = sizeof header + sums_count(plan) * sizeof *c->sums + state_size;
    return status;
}

/* ---- Reading. */

void checkpoint_release(ruga_context *context, checkpoint *c) {
    memory_release(context, c->bytes);
    *c = (checkpoint){0};
}

/* Whether bytes are a complete checkpoint of this run. */
static int parse(const run_plan *plan, unsigned char *bytes, size_t size, checkpoint *out) {
    checkpoint_header header;
    const size_t sums_size = sums_count(plan) * sizeof(run_sum);
    if (size < sizeof header || size - sizeof header < sums_size) return 0;
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, checkpoint_magic, sizeof header.magic) != 0 || header.version != CHECKPOINT_VERSION)
        return 0;
    if (header.sum_count != sums_count(plan) || header.state_size != size - sizeof header - sums_size) return 0;
    if (header.scene_hash != plan->scene_hash || header.frames > (uint64_t)plan->frames) return 0;
    const run_sum *sums = (const run_sum *)(void *)(bytes + sizeof header);
    const unsigned char *state = bytes + sizeof header + sums_size;
    if (header.hash != hash_of(&header, sums, state)) return 0;
    *out = (checkpoint){.frames = (int)header.frames,
                        .sums = sums,
                        .bytes = bytes,
                        .scene = state,
                        .scene_size = (size_t)header.state_size};
    return 1;
}

static ruga_status reject(const run_plan *plan, const char *name, const char *problem, const char *file_name,
                          int remove) {
    run_path path;
    plan_path(plan, name, path);
    log_warning(plan->context, "%s: this checkpoint is not used: %s%s", path, file_name, problem);
    return remove ? file_remove(plan->context, path) : RUGA_OK;
}

/* Leaves *out empty without a complete checkpoint of that name. */
static ruga_status read_one(const run_plan *plan, const char *name, int remove, checkpoint *out) {
    run_path path;
    plan_path(plan, name, path);
    int found = 0;
    uint64_t file_bytes;
    TRY(file_look(plan->context, path, &found, &file_bytes));
    if (!found) return RUGA_OK;
    unsigned char *bytes = NULL;
    size_t size = 0;
    TRY(file_read_whole(plan->context, path, &bytes, &size));
    if (parse(plan, bytes, size, out)) return RUGA_OK;
    memory_release(plan->context, bytes);
    return reject(plan, name, "it is incomplete, damaged or of another run", "", remove);
}

/* Compares the files, newest checkpoint first, and moves the first whose files are whole to *out. */
static ruga_status choose(const run_plan *plan, int remove, rolling_hash *hashes, checkpoint both[2], checkpoint *out) {
    const char *const names[2] = {flushed_name, unflushed_name};
    const int newer = both[1].bytes && (!both[0].bytes || both[1].frames > both[0].frames);
    for (int i = 0; i < 2 && !out->bytes; i++) {
        checkpoint *c = &both[i == 0 ? newer : !newer];
        run_path damaged;
        int same = 1;
        if (!c->bytes) continue;
        if (hashes) TRY(sums_compare(plan, c->sums, c->frames, 0, hashes, damaged, &same));
        if (same) {
            *out = *c;
            *c = (checkpoint){0};
        } else {
            memset(hashes, 0, sums_count(plan) * sizeof *hashes);
            TRY(reject(plan, names[c - both], " is missing, incomplete or changed", damaged, remove));
        }
    }
    return RUGA_OK;
}

ruga_status checkpoint_read(const run_plan *plan, int remove, rolling_hash *hashes, checkpoint *out) {
    checkpoint both[2] = {{0}};
    *out = (checkpoint){0};
    ruga_status status = read_one(plan, flushed_name, remove, &both[0]);
    if (!RUGA_FAILED(status)) status = read_one(plan, unflushed_name, remove, &both[1]);
    if (!RUGA_FAILED(status)) status = choose(plan, remove, hashes, both, out);
    for (int i = 0; i < 2; i++) checkpoint_release(plan->context, &both[i]);
    return status;
}
