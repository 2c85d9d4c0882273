/* Saved states: whatever the bytes, a reader stays within its entry. */
#include <stdlib.h>

#include "base/state.h"

#define TAG STATE_TAG('A', 'A', 'A', 'A')
#define MAX_DEPTH 20

static void require(int condition) {
    if (!condition) abort();
}

static void read_values(state_reader *reader, uint64_t choice) {
    uint32_t u32[3];
    uint64_t u64[2];
    float f32[5];
    double f64[4];
    ruga_status status;
    size_t left = (size_t)(reader->end - reader->at), wanted;
    switch (choice & 3) {
        case 0: status = state_get_u32(reader, u32, 3), wanted = sizeof u32; break;
        case 1: status = state_get_u64(reader, u64, 2), wanted = sizeof u64; break;
        case 2: status = state_get_f32(reader, f32, 5), wanted = sizeof f32; break;
        default: status = state_get_f64(reader, f64, 4), wanted = sizeof f64; break;
    }
    require(RUGA_FAILED(status) == (left < wanted));
    require((size_t)(reader->end - reader->at) == (RUGA_FAILED(status) ? left : left - wanted));
}

static void walk(state_reader reader, uint64_t choice, int depth) {
    state_reader inner;
    uint32_t version;
    for (uint32_t tag = TAG; depth < MAX_DEPTH && tag < TAG + 3; tag++) {
        if (RUGA_FAILED(state_enter(&reader, tag, 5, &version, &inner))) continue;
        require(version <= 5 && inner.begin >= reader.at && inner.end <= reader.end && inner.begin <= inner.end);
        if (choice & 4) read_values(&inner, choice);
        walk(inner, choice >> 3, depth + 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ruga_context *context;
    if (!context) require(!RUGA_FAILED(ruga_context_create(NULL, &context)));
    state_reader reader;
    if (RUGA_FAILED(state_reader_open(context, data, size, &reader))) return 0;
    walk(reader, state_hash(data, size, 0), 0);
    return 0;
}
