/* A text with a number a line for each vertex: either all numbers are read and finite, or there is a message. The first
 * byte is the number of vertices. */
#include <math.h>

#include "body/param_file.h"
#include "fuzz/fuzz_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    ruga_context *context;
    (void)fuzz_files(&context);
    if (size == 0) return 0;
    fuzz_put("weights.txt", bytes + 1, size - 1);
    arena memory = arena_make(context);
    const ruga_param param = {.kind = RUGA_PARAM_ARRAY, .file = "weights.txt"};
    ruga_param loaded;
    if (RUGA_FAILED(param_load(&memory, &param, bytes[0], &loaded))) {
        require(ruga_context_message(context)[0]);
    } else {
        require(loaded.array && loaded.array_count == bytes[0]);
        for (size_t i = 0; i < loaded.array_count; i++) require(isfinite(loaded.array[i]));
    }
    arena_release(&memory);
    return 0;
}
