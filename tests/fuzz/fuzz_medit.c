#include "fuzz/fuzz_solid.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_solid("fuzz.mesh", bytes, size);
    return 0;
}
