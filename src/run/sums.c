/* Sizes and hashes of the files that a run writes. Bytes are hashed while they are written; a checkpoint has the sums
 * of the files at its frame, and run.json those of a complete run. Reading the files again finds out whether they are
 * as the run wrote them.
 *
 * A sequence has one sum, over all its frames with their sizes. The header of a growing cache changes and is left out
 * until the run is complete; then it counts last. */
#include <stdio.h>
#include <string.h>

#include "io/io.h"
#include "run/run.h"

#define CHUNK ((size_t)1 << 20) /* bytes */
#define TO_THE_END UINT64_MAX

size_t sums_count(const run_plan *plan) { return SUM_OBJECTS + plan->object_count * OBJECT_SUMS; }

size_t sums_of_object(size_t object, int kind) { return SUM_OBJECTS + object * OBJECT_SUMS + (size_t)kind; }

/* Which object a sum belongs to, and its kind; -1: none, a table. */
static int kind_of(size_t sum, size_t *object) {
    *object = sum < SUM_OBJECTS ? 0 : (sum - SUM_OBJECTS) / OBJECT_SUMS;
    return sum < SUM_OBJECTS ? -1 : (int)((sum - SUM_OBJECTS) % OBJECT_SUMS);
}

static int is_sequence(int kind) { return kind == SUM_OBJ || kind == SUM_PLY; }

/* Whether the run has such a file: while it is written, or when it is complete. Times differ from run to run, and
 * run.json does not, so it has no sum of them. */
static int has_file(const run_plan *plan, size_t sum, int complete) {
    size_t object;
    if (sum == SUM_TIMINGS) return !complete;
    switch (kind_of(sum, &object)) {
        case SUM_MESH: return plan->formats != 0;
        case SUM_CACHE: return complete ? plan_has(plan, RUGA_OUTPUT_PC2) : plan_has_cache(plan);
        case SUM_OBJ: return plan_has(plan, RUGA_OUTPUT_OBJ);
        case SUM_PLY: return plan_has(plan, RUGA_OUTPUT_PLY);
        case SUM_GLB: return complete && plan->frames > 0 && plan_has(plan, RUGA_OUTPUT_GLB);
        case SUM_USDA: return complete && plan->frames > 0 && plan_has(plan, RUGA_OUTPUT_USDA);
        default: return 1;
    }
}

/* The file of a complete run; of a sequence, a pattern. */
static void path_of(const run_plan *plan, size_t sum, run_path path) {
    static const char *const endings[OBJECT_SUMS] = {".obj", ".pc2", ".####.obj", ".####.ply", ".glb", ".usda"};
    size_t object;
    const int kind = kind_of(sum, &object);
    if (kind < 0)
        plan_path(plan, sum == SUM_TIMINGS ? "timings.csv" : "measures.csv", path);
    else
        plan_object_path(plan, object, endings[kind], path);
}

static const char *name_of(const run_plan *plan, size_t sum, run_path path) {
    path_of(plan, sum, path);
    return path + strlen(plan->directory) + 1;
}

/* ---- Reading files. */

typedef struct sum_reader {
    const run_plan *plan;
    unsigned char *buffer; /* (CHUNK) */
    size_t sum;            /* being read */
    run_path path;         /* of the last file */
    int is_whole;          /* 0: a file is missing or too short */
} sum_reader;

/* Adds bytes of the file at r->path to a hash. */
static ruga_status add_file(sum_reader *r, uint64_t begin, uint64_t size, rolling_hash *hash) {
    ruga_context *context = r->plan->context;
    int found = 0;
    uint64_t file_bytes = 0;
    TRY(file_look(context, r->path, &found, &file_bytes));
    r->is_whole = found && file_bytes >= begin && (size == TO_THE_END || file_bytes - begin >= size);
    if (!r->is_whole) return RUGA_OK;
    if (size == TO_THE_END) size = file_bytes - begin;
    file *f = NULL;
    TRY(file_open(context, r->path, &f));
    ruga_status status = file_seek(f, begin);
    while (size > 0 && !RUGA_FAILED(status)) {
        const size_t length = size < CHUNK ? (size_t)size : CHUNK;
        status = report_progress(context, "verifying", (double)r->sum / (double)sums_count(r->plan));
        if (!RUGA_FAILED(status)) status = file_read(f, r->buffer, length);
        if (!RUGA_FAILED(status)) rolling_hash_add(hash, r->buffer, length);
        size -= length;
    }
    file_close(f);
    return status;
}

void sums_end_frame(rolling_hash *hash, uint64_t before) {
    unsigned char size[8];
    for (int i = 0; i < 8; i++) size[i] = (unsigned char)((hash->size - before) >> 8 * i);
    rolling_hash_add(hash, size, sizeof size);
}

static ruga_status add_sequence(sum_reader *r, size_t object, const char *ending, int frames, rolling_hash *hash) {
    for (int i = 0; i < frames && r->is_whole; i++) {
        const uint64_t before = hash->size;
        plan_frame_path(r->plan, object, r->plan->start_frame + i, ending, r->path);
        TRY(add_file(r, 0, TO_THE_END, hash));
        sums_end_frame(hash, before);
    }
    return RUGA_OK;
}

/* A cache that grows: the samples. It has its final name if the run stopped just before it was complete. */
static ruga_status add_growing_cache(sum_reader *r, size_t object, uint64_t size, rolling_hash *hash) {
    int found = 0;
    uint64_t file_bytes;
    plan_cache_path(r->plan, object, r->path);
    TRY(file_look(r->plan->context, r->path, &found, &file_bytes));
    if (!found && plan_has(r->plan, RUGA_OUTPUT_PC2)) path_of(r->plan, r->sum, r->path);
    return add_file(r, PC2_HEADER_SIZE, size, hash);
}

/* Reads the files of a sum: as far as a checkpoint's `size`, or all of a complete run. */
static ruga_status read_sum(sum_reader *r, int frames, uint64_t size, int complete, rolling_hash *hash) {
    size_t object;
    const int kind = kind_of(r->sum, &object);
    *hash = (rolling_hash){0};
    r->is_whole = 1;
    if (is_sequence(kind)) return add_sequence(r, object, kind == SUM_OBJ ? ".obj" : ".ply", frames, hash);
    if (kind == SUM_CACHE && !complete) return add_growing_cache(r, object, size, hash);
    path_of(r->plan, r->sum, r->path);
    if (kind != SUM_CACHE) return add_file(r, 0, complete || kind == SUM_MESH ? TO_THE_END : size, hash);
    TRY(add_file(r, PC2_HEADER_SIZE, TO_THE_END, hash));
    return r->is_whole ? add_file(r, 0, PC2_HEADER_SIZE, hash) : RUGA_OK;
}

/* ---- Comparing. */

static ruga_status compare(sum_reader *r, const run_sum *wanted, int frames, int complete, rolling_hash *hashes,
                           int *same) {
    const size_t count = sums_count(r->plan);
    *same = 1;
    for (r->sum = 0; r->sum < count && *same; r->sum++) {
        rolling_hash hash;
        if (!has_file(r->plan, r->sum, complete)) continue;
        TRY(read_sum(r, frames, wanted[r->sum].size, complete, &hash));
        *same = r->is_whole && hash.size == wanted[r->sum].size && rolling_hash_value(&hash) == wanted[r->sum].hash;
        if (r->is_whole && !*same) path_of(r->plan, r->sum, r->path);
        if (hashes) hashes[r->sum] = hash;
    }
    return RUGA_OK;
}

ruga_status sums_compare(const run_plan *plan, const run_sum *wanted, int frames, int complete, rolling_hash *hashes,
                         run_path damaged, int *same) {
    sum_reader r = {.plan = plan};
    TRY(NEW(plan->context, &r.buffer, CHUNK));
    ruga_status status = compare(&r, wanted, frames, complete, hashes, same);
    memory_release(plan->context, r.buffer);
    if (!RUGA_FAILED(status) && !*same) memcpy(damaged, r.path, sizeof(run_path));
    return status;
}

ruga_status sums_check_complete(const run_plan *plan) {
    run_path damaged;
    int same = 1;
    if (!plan->sums) return RUGA_OK;
    TRY(sums_compare(plan, plan->sums, plan->frames, 1, NULL, damaged, &same));
    if (same) return RUGA_OK;
    return fail_input(plan->context,
                      "%s: this file of a complete run is missing, damaged or changed; restore it from a copy, "
                      "or " START_AGAIN,
                      damaged, plan->directory, plan->directory);
}

/* ---- The sums of a complete run. */

static ruga_status complete_sum(sum_reader *r, const rolling_hash *written, run_sum *out) {
    rolling_hash hash = *written;
    size_t object;
    const int kind = kind_of(r->sum, &object);
    path_of(r->plan, r->sum, r->path);
    if (kind == SUM_CACHE) TRY(add_file(r, 0, PC2_HEADER_SIZE, &hash));
    if (kind == SUM_GLB || kind == SUM_USDA) TRY(add_file(r, 0, TO_THE_END, &hash));
    *out = (run_sum){hash.size, rolling_hash_value(&hash)};
    return RUGA_OK;
}

ruga_status sums_complete(run_plan *plan, const rolling_hash *written) {
    const size_t count = sums_count(plan);
    run_sum *sums = NULL;
    TRY(ARENA_NEW(&plan->memory, &sums, count));
    sum_reader r = {.plan = plan};
    TRY(NEW(plan->context, &r.buffer, CHUNK));
    ruga_status status = RUGA_OK;
    for (r.sum = 0; r.sum < count && !RUGA_FAILED(status); r.sum++) {
        sums[r.sum] = (run_sum){0};
        if (has_file(plan, r.sum, 1)) status = complete_sum(&r, &written[r.sum], &sums[r.sum]);
    }
    memory_release(plan->context, r.buffer);
    if (!RUGA_FAILED(status)) plan->sums = sums;
    return status;
}

int sums_next_file(const run_plan *plan, size_t *sum, run_path path, const char **name) {
    while (*sum < sums_count(plan) && !has_file(plan, *sum, 1)) ++*sum;
    if (*sum == sums_count(plan)) return 0;
    *name = name_of(plan, *sum, path);
    return 1;
}
