/* Saved state. Numbers are little endian on every machine. */
#include "base/state.h"

#include <string.h>

#include "base/memory.h"

#define STATE_VERSION 1
#define ENTRY_HEADER 16 /* tag, version, size */
#define FILE_HEADER 12

static const char magic[8] = {'R', 'U', 'G', 'A', 'S', 'T', 'A', 'T'};

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LITTLE_ENDIAN_MACHINE 1
#else
#define LITTLE_ENDIAN_MACHINE 0
#endif

/* Copies `count` numbers of `size` bytes between the machine's order and little endian. */
static void copy_numbers(void *to, const void *from, size_t count, size_t size) {
    if (count == 0) return;
    if (LITTLE_ENDIAN_MACHINE) {
        memcpy(to, from, count * size);
        return;
    }
    unsigned char *out = to;
    const unsigned char *in = from;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < size; k++) out[i * size + k] = in[i * size + size - 1 - k];
}

/* "CLTH", for messages. */
typedef struct tag_text {
    char letters[5];
} tag_text;

static tag_text text_of_tag(uint32_t tag) {
    tag_text text = {{0}};
    for (int i = 0; i < 4; i++) {
        char c = (char)(tag >> 8 * i);
        text.letters[i] = c >= 0x20 && c < 0x7f ? c : '?';
    }
    return text;
}

/* ---- Writing. */

struct state_writer {
    ruga_context *context;
    ruga_status status;
    int misuse;
    ARRAY(unsigned char) bytes;
    ARRAY(size_t) open; /* where the entries that are not ended begin */
};

static void put(state_writer *writer, const void *values, size_t count, size_t size) {
    if (RUGA_FAILED(writer->status) || count == 0) return;
    if (count > PTRDIFF_MAX / size) {
        writer->status = RUGA_ERROR_MEMORY;
        return;
    }
    writer->status = ARRAY_RESERVE(writer->context, &writer->bytes, count * size);
    if (RUGA_FAILED(writer->status)) return;
    copy_numbers(writer->bytes.items + writer->bytes.count, values, count, size);
    writer->bytes.count += count * size;
}

ruga_status state_writer_create(ruga_context *context, state_writer **out) {
    state_writer *writer;
    TRY(NEW_ZEROED(context, &writer, 1));
    writer->context = context;
    uint32_t version = STATE_VERSION;
    put(writer, magic, sizeof magic, 1);
    state_put_u32(writer, &version, 1);
    *out = writer;
    return RUGA_OK;
}

void state_writer_destroy(state_writer *writer) {
    if (!writer) return;
    ARRAY_RELEASE(writer->context, &writer->bytes);
    ARRAY_RELEASE(writer->context, &writer->open);
    memory_release(writer->context, writer);
}

void state_put_u32(state_writer *writer, const uint32_t *values, size_t count) { put(writer, values, count, 4); }
void state_put_u64(state_writer *writer, const uint64_t *values, size_t count) { put(writer, values, count, 8); }
void state_put_f32(state_writer *writer, const float *values, size_t count) { put(writer, values, count, 4); }
void state_put_f64(state_writer *writer, const double *values, size_t count) { put(writer, values, count, 8); }

void state_put_bytes(state_writer *writer, const void *bytes, size_t size) {
    const uint64_t count = size;
    state_put_u64(writer, &count, 1);
    put(writer, bytes, size, 1);
}

void state_put_failure(state_writer *writer, ruga_status status) {
    if (!RUGA_FAILED(writer->status)) writer->status = status;
}

void state_put_saved(state_writer *writer, uint32_t tag, uint32_t version, ruga_status status, const void *bytes,
                     size_t size) {
    if (RUGA_FAILED(status)) {
        state_put_failure(writer, status);
        return;
    }
    state_begin(writer, tag, version);
    state_put_bytes(writer, bytes, size);
    state_end(writer);
}

/* The size is put in when the entry ends. */
void state_begin(state_writer *writer, uint32_t tag, uint32_t version) {
    if (RUGA_FAILED(writer->status)) return;
    writer->status = ARRAY_RESERVE(writer->context, &writer->open, 1);
    if (RUGA_FAILED(writer->status)) return;
    writer->open.items[writer->open.count++] = writer->bytes.count;
    uint64_t size = 0;
    state_put_u32(writer, &tag, 1);
    state_put_u32(writer, &version, 1);
    state_put_u64(writer, &size, 1);
}

void state_end(state_writer *writer) {
    if (RUGA_FAILED(writer->status)) return;
    if (writer->open.count == 0) {
        writer->misuse = 1;
        return;
    }
    size_t begin = writer->open.items[--writer->open.count];
    uint64_t size = writer->bytes.count - begin - ENTRY_HEADER;
    copy_numbers(writer->bytes.items + begin + 8, &size, 1, 8);
}

ruga_status state_writer_finish(state_writer *writer, const void **bytes, size_t *size) {
    if (RUGA_FAILED(writer->status))
        return fail_with(writer->context, writer->status, "%s while a state was saved",
                         writer->status == RUGA_ERROR_MEMORY ? "out of memory" : ruga_status_name(writer->status));
    if (writer->misuse || writer->open.count > 0)
        return fail_argument(writer->context, "the entries of a saved state do not begin and end in pairs");
    *bytes = writer->bytes.items;
    *size = writer->bytes.count;
    return RUGA_OK;
}

ruga_status state_writer_take(state_writer *writer, void **bytes, size_t *size) {
    const void *finished;
    TRY(state_writer_finish(writer, &finished, size));
    *bytes = writer->bytes.items;
    writer->bytes.items = NULL;
    writer->bytes.count = writer->bytes.capacity = 0;
    return RUGA_OK;
}

/* ---- Reading. */

static uint32_t peek_u32(const unsigned char *bytes) {
    uint32_t value;
    copy_numbers(&value, bytes, 1, 4);
    return value;
}

static uint64_t peek_u64(const unsigned char *bytes) {
    uint64_t value;
    copy_numbers(&value, bytes, 1, 8);
    return value;
}

ruga_status state_reader_open(ruga_context *context, const void *bytes, size_t size, state_reader *out) {
    const unsigned char *begin = bytes;
    if (size < FILE_HEADER || memcmp(begin, magic, sizeof magic) != 0)
        return fail_input(context, "this is not a saved state: it does not start with RUGASTAT");
    uint32_t version = peek_u32(begin + sizeof magic);
    if (version != STATE_VERSION)
        return fail_input(
            context, "the saved state has version %u, but this program reads version %d; use the one that wrote it",
            version, STATE_VERSION);
    *out = (state_reader){context, begin + FILE_HEADER, begin + FILE_HEADER, begin + size};
    return RUGA_OK;
}

ruga_status state_enter(const state_reader *parent, uint32_t tag, uint32_t max_version, uint32_t *version,
                        state_reader *out) {
    tag_text name = text_of_tag(tag);
    const unsigned char *at = parent->at;
    while (at < parent->end) {
        size_t left = (size_t)(parent->end - at);
        if (left < ENTRY_HEADER || peek_u64(at + 8) > left - ENTRY_HEADER)
            return fail_input(parent->context, "the saved state is cut short or damaged where \"%s\" was looked for",
                              name.letters);
        const unsigned char *begin = at + ENTRY_HEADER, *end = begin + peek_u64(at + 8);
        uint32_t found = peek_u32(at + 4);
        if (peek_u32(at) == tag) {
            if (found > max_version)
                return fail_input(
                    parent->context,
                    "\"%s\" of the saved state has version %u, but this program knows %u; use a newer one",
                    name.letters, found, max_version);
            if (version) *version = found;
            *out = (state_reader){parent->context, begin, begin, end};
            return RUGA_OK;
        }
        at = end;
    }
    return fail_input(parent->context, "the saved state holds no \"%s\"", name.letters);
}

ruga_status state_refuse_older(const state_reader *reader, uint32_t tag, uint32_t version, uint32_t least) {
    if (version >= least) return RUGA_OK;
    return fail_input(reader->context,
                      "\"%s\" of the saved state has version %u, which this program does not read any more (it needs "
                      "%u); run the scene from its start",
                      text_of_tag(tag).letters, version, least);
}

static ruga_status get(state_reader *reader, void *values, size_t count, size_t size) {
    size_t left = (size_t)(reader->end - reader->at);
    if (count > left / size)
        return fail_input(
            reader->context,
            "the saved state is cut short: %zu numbers of %zu bytes were expected, but %zu bytes are left", count, size,
            left);
    copy_numbers(values, reader->at, count, size);
    reader->at += count * size;
    return RUGA_OK;
}

ruga_status state_get_u32(state_reader *reader, uint32_t *values, size_t count) {
    return get(reader, values, count, 4);
}
ruga_status state_get_u64(state_reader *reader, uint64_t *values, size_t count) {
    return get(reader, values, count, 8);
}
ruga_status state_get_f32(state_reader *reader, float *values, size_t count) { return get(reader, values, count, 4); }
ruga_status state_get_f64(state_reader *reader, double *values, size_t count) { return get(reader, values, count, 8); }

ruga_status state_get_bytes(state_reader *reader, const void **bytes, size_t *size) {
    uint64_t count = 0;
    TRY(state_get_u64(reader, &count, 1));
    if (count > (size_t)(reader->end - reader->at))
        return fail_input(reader->context, "the saved state is cut short: %llu bytes were expected, but %zu are left",
                          (unsigned long long)count, (size_t)(reader->end - reader->at));
    *bytes = reader->at;
    *size = (size_t)count;
    reader->at += count;
    return RUGA_OK;
}

/* ---- Hash. */

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9fb21c651e98df25u;
    return hash ^ hash >> 32;
}

uint64_t state_hash(const void *bytes, size_t size, uint64_t seed) {
    const unsigned char *at = bytes;
    uint64_t hash = mix(seed ^ 0x2545f4914f6cdd1du, size);
    size_t left = size;
    for (; left >= 8; left -= 8, at += 8) hash = mix(hash, peek_u64(at));
    uint64_t rest = 0;
    for (size_t i = 0; i < left; i++) rest |= (uint64_t)at[i] << 8 * i;
    return mix(mix(hash, rest), 0xd6e8feb86659fd93u);
}
