#include "fuzz/fuzz_curve.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_curve("fuzz.fold", bytes, size);
    return 0;
}
