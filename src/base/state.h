/* Saved state: a tagged, versioned blob that every save and load uses.
 *
 * Layout, little endian: "RUGASTAT", version (u32), then entries: tag (u32, four letters), version (u32), size (u64),
 * bytes. An entry holds values, then entries of its own. A reader takes the values in the order they were put, asks for
 * entries by tag in any order, skips what it does not know, and checks every size.
 */
#ifndef BASE_STATE_H
#define BASE_STATE_H

#include "base/context.h"

#define STATE_TAG(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* ---- Writing. A lack of memory or an entry that is not ended is remembered and reported by state_writer_finish. */
typedef struct state_writer state_writer;
ruga_status state_writer_create(ruga_context *context, state_writer **out);
void state_writer_destroy(state_writer *writer);
void state_begin(state_writer *writer, uint32_t tag, uint32_t version);
void state_end(state_writer *writer);
void state_put_u32(state_writer *writer, const uint32_t *values, size_t count);
void state_put_u64(state_writer *writer, const uint64_t *values, size_t count);
void state_put_f32(state_writer *writer, const float *values, size_t count);
void state_put_f64(state_writer *writer, const double *values, size_t count);
/* Bytes that mean something to their owner alone, with their number. */
void state_put_bytes(state_writer *writer, const void *bytes, size_t size);
/* The bytes of an object that saves itself, as an entry of its own, or the failure to make them. The caller's bytes. */
void state_put_saved(state_writer *writer, uint32_t tag, uint32_t version, ruga_status status, const void *bytes,
                     size_t size);
/* The caller could not make a value to put: finishing fails with this status. */
void state_put_failure(state_writer *writer, ruga_status status);
ruga_status state_writer_finish(state_writer *writer, const void **bytes, size_t *size); /* belongs to the writer */
/* The same, but the bytes become the caller's, who releases them (memory_release); the writer is left empty. */
ruga_status state_writer_take(state_writer *writer, void **bytes, size_t *size);

/* ---- Reading. The bytes must outlive the reader. */
typedef struct state_reader {
    ruga_context *context;
    const unsigned char *begin, *at, *end; /* of the current entry */
} state_reader;
ruga_status state_reader_open(ruga_context *context, const void *bytes, size_t size, state_reader *out);
/* Finds an entry by its tag among those of `parent` that follow the values taken so far, and opens it; the first if
 * there are several. RUGA_ERROR_INPUT when it is missing, cut short, or newer than max_version. */
ruga_status state_enter(const state_reader *parent, uint32_t tag, uint32_t max_version, uint32_t *version,
                        state_reader *out);
/* Refuses an entry of a version below `least`, whose form is another one. */
ruga_status state_refuse_older(const state_reader *reader, uint32_t tag, uint32_t version, uint32_t least);
ruga_status state_get_u32(state_reader *reader, uint32_t *values, size_t count);
ruga_status state_get_u64(state_reader *reader, uint64_t *values, size_t count);
ruga_status state_get_f32(state_reader *reader, float *values, size_t count);
ruga_status state_get_f64(state_reader *reader, double *values, size_t count);
ruga_status state_get_bytes(state_reader *reader, const void **bytes, size_t *size); /* where they are in the state */

/* A 64-bit hash of bytes, for golden state hashes; the same on every machine. */
uint64_t state_hash(const void *bytes, size_t size, uint64_t seed);

#endif
