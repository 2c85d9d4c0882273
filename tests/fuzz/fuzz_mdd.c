#include "fuzz/fuzz_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_cache("fuzz.mdd", bytes, size);
    return 0;
}
